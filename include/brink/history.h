/* history.h: a whole simulation, kept: the state at any time of it, rows, events.
 *
 *     brink_history_create(sim, NULL, NULL, &diag, &history);      before the first step
 *     brink_sim_run(sim, 10.0, &diag);
 *     brink_history_at(history, times, count, states, &diag);      any times from 0 to 10, in any order
 *
 * A brink_history travels with a simulation, from its present on. It reads the run and does not change it: the same steps,
 * the same events, bit by bit. It keeps the dense output of every step, (order + 1)*nx numbers, so that memory
 * grows with the number of steps. It has its own memory: stepping itself still takes none. Where there is no more, the
 * run goes on, the history ends there, and brink_history_at returns MEMORY from then on (also when asked for no times:
 * so one can find out).
 *
 * brink_sim_reset: the history begins anew. brink_sim_clone: a clone has none; one that is made for the clone begins at
 * its present. */
#ifndef BRINK_HISTORY_H
#define BRINK_HISTORY_H

#include <brink/brink.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct brink_history brink_history;

/* What is kept. brink_default_history() gives the defaults named here. */
typedef struct brink_history_def {
  size_t size; /* sizeof(brink_history_def) */
  bool dense;  /* the state at any time: brink_history_at, brink_history_steps; true */
  bool rows;   /* states and modes at the ends of steps and at instants, and events; true */
} brink_history_def;

BRINK_API void brink_history_defaults(brink_history_def *def, size_t size);

static inline brink_history_def brink_default_history(void) {
  brink_history_def def;
  brink_history_defaults(&def, sizeof def);
  return def;
}

/* Goes along with `sim`, from its present on, until it is destroyed (before the sim is). A sim may have several. `def`
 * NULL: the defaults. Not from inside a callback. Statuses: ARGUMENT, MEMORY. */
BRINK_API brink_status brink_history_create(brink_sim *sim, const brink_history_def *def,
                                            const brink_allocator *allocator, brink_diag *diag,
                                            brink_history **history);
BRINK_API void brink_history_destroy(brink_history *history); /* NULL is fine; likewise */

/* The states at `count` times from the start of the history to the present of the sim, in any order: out[k*nx + i]. At an
 * instant: the values after it. Inside a step: what brink_sim_at gave at the time, bit by bit. Where time went on without
 * a step, as in the limit of infinitely many events, the state stays as it was before. A time that is outside by rounding
 * only counts as the end that it is near. Statuses: OK; ARGUMENT: NaN, outside, or not dense; MEMORY. Several threads may
 * ask at a time while nobody moves the sim. */
BRINK_API brink_status brink_history_at(const brink_history *history, const double *times,
                                        size_t count, double *out, brink_diag *diag);

/* The functions below return how many there are, and where: pointers (NULL: not wanted) are valid until the sim moves or
 * is reset. */

/* The knots of the dense output: its start, and the ends of steps; between two of them it is smooth. */
BRINK_API size_t brink_history_steps(const brink_history *history, const double **ends);

/* Rows of 1 + nx, one behind the other: time and states at the start, at the end of each step, and after each instant
 * that had events, or changed something. So an instant has a row before and one after it, at the same time. */
BRINK_API size_t brink_history_rows(const brink_history *history, const double **values);

/* The modes of the same rows: nmodes of each. */
BRINK_API size_t brink_history_modes(const brink_history *history, const int **modes);

/* Events in order, all of them, with the states before and after the action of each: nx of each, one behind the other, as
 * in brink_event_record. */
BRINK_API size_t brink_history_events(const brink_history *history, const brink_event **events,
                                      const double **before, const double **after);

#ifdef __cplusplus
}
#endif

#endif
