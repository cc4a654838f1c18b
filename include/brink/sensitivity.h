/* sensitivity.h: derivatives of a run with respect to where it starts and to its parameters.
 *
 * A brink_sensitivity travels with a simulation and carries, for each of `count` directions in the space of
 * initial states x(0) and parameters p, the derivative M = dx/d(direction) at the present. It reads the run
 * and does not change it: the same steps, the same events, bit by bit, the same statistics.
 *
 * Between instants, with f the field that moves the state (Filippov's, while it slides),
 *
 *     M' = f_x M + f_p P,       P = dp/d(direction),
 *
 * is integrated along the dense output of each accepted step.
 *
 * At an instant T, with f- and f+ the fields before and after, and R what all callbacks of the instant
 * together make of t, x and p,
 *
 *     dT = -(g_x M- + g_p P-) / (g_x f- + g_t)          for a guard that was located,
 *     dT = the timer's own derivative                   for a timer; 0 for a clock with a period,
 *     M+ = R_x M- + R_p P- + (R_x f- + R_t - f+) dT,    and likewise P+ and the timers'.
 *
 * So S = R_x - (R_x f- + R_t - f+) g_x / (g_x f- + g_t), the saltation matrix (Aizerman & Gantmakher 1958;
 * Leine & Nijmeijer 2004), is what an event does to a perturbation of the state. Coming to slide is the same
 * with R = identity and f+ = Filippov's field: M+ is then tangent to the surface. A slide ends where the
 * field is continuous, and M is, too. On a surface with the model's own law (BRINK_SURFACE_MODEL) f is the
 * right-hand side with sgn = 0.
 *
 * Where g_x f- + g_t = 0 the surface is grazed: derivatives of T are infinite with the sign of the numerator
 * (0 where that is 0), and so are rows of M+ that depend on T. Where the motion ends at a surface by itself,
 * or becomes infinitely fast, as at the end of a square root, M and f have no values, but T and the state there
 * have derivatives: these are limits.
 *
 * Derivatives of the model come from its callbacks (brink_rhs_tangent_fn and its neighbours; models of
 * expressions and of the language have all of them, exact to rounding) or, where it has none, from central
 * differences. Then actions, ticks and rules are called again on copies of what they change; what they keep
 * in `user` sees these calls, too. Right-hand sides are not evaluated past a unilateral surface by exact
 * tangents; differences may touch the far side within their increment, 6e-6 of a state's size.
 *
 * What brink_sim_set_state and brink_sim_set_parameter write on the way depends on nothing any more: the rows of dx of
 * states whose values change, and the row of dp of the parameter, become 0. A state that is given the value it has keeps
 * its row. Who writes does so at a fixed time, at an event, too. Before anything has happened in the run, what is written
 * is another start: the directions stay as they were given.
 *
 * Limits, told by `limits` of each event and by brink_sensitivity_limits:
 *   - Several located events at one instant: the instant moves with the first of the record that has a
 *     derivative. Each event's own dT is told. Where they differ, which one comes first depends on the
 *     direction, and the state after has only one-sided derivatives (BRINK_SENSITIVITY_SEVERAL).
 *   - A located event at the very time of a clock: likewise.
 *   - After infinitely many events (zeno) nothing is known: NaN (BRINK_SENSITIVITY_ZENO).
 *   - A guard that is reached because an action carried it there (BRINK_JUMPED) happens at its cause's time.
 *   - Of the events of one instant the first 64 are told.
 *   - M is at a fixed time. Where an event ends the run, the state at the end moves with it: M + f dT. If its action also
 *     changes the state, there is no field after it, and M is NaN there.
 *   - Modes, and values that are rounded or drawn at random, do not change with directions. */
#ifndef BRINK_SENSITIVITY_H
#define BRINK_SENSITIVITY_H

#include <brink/brink.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct brink_sensitivity brink_sensitivity;

enum {
  BRINK_SENSITIVITY_SEVERAL = 1,     /* events at one instant that move differently */
  BRINK_SENSITIVITY_ZENO = 2,        /* after an accumulation of events: NaN from here on */
  BRINK_SENSITIVITY_GRAZING = 4,     /* an event without a derivative: infinite */
  BRINK_SENSITIVITY_DIFFERENCES = 8, /* an action was differentiated by differences */
  BRINK_SENSITIVITY_INACCURATE = 16, /* M could not be integrated to its tolerance in some step */
  BRINK_SENSITIVITY_UNDEFINED = 32,  /* a derivative that is not a number was met */
};

/* One event, told when its instant is over. Pointers are valid during the call only. Matrices go by rows of
 * `count`, one row for each state. */
typedef struct brink_sensitivity_event {
  const brink_event *event;
  size_t index;         /* of the event in the run, from 0: the order in which the sink is told */
  size_t count;         /* directions */
  const double *time;   /* dT: `count` numbers */
  const double *before; /* dx just before the instant, at a fixed time: nx rows */
  const double *after;  /* dx just after it, likewise */
  const double *f_before, *f_after; /* the fields: nx numbers */
  const double *gradient;           /* g_x: nx numbers, at the state before */
  double gradient_time;             /* g_t */
  double rate;                      /* g_x f- + g_t; 0 for events that are not located */
  const double
      *saltation; /* S by rows, nx*nx, of the first located event; NULL: not asked for, or none */
  unsigned limits;
} brink_sensitivity_event;

typedef void brink_sensitivity_event_fn(const brink_sensitivity_event *event, void *user);

/* brink_default_sensitivity() gives the directions of all initial states, in order, and the rest as here. */
typedef struct brink_sensitivity_def {
  size_t size;     /* sizeof(brink_sensitivity_def) */
  size_t count;    /* of directions; 0: the initial states (x and p are not read) */
  const double *x; /* dx(0)/d(direction): nx rows of `count`; NULL: 0 */
  const double *p; /* dp/d(direction): np rows of `count`; NULL: 0 */
  double rtol;     /* of M; 0: a tenth of the run's, between 1e-12 and 1e-6 */
  bool saltation;  /* work out S at each instant with a located event */
  brink_sensitivity_event_fn *event; /* NULL */
  void *user;
} brink_sensitivity_def;

BRINK_API void brink_sensitivity_defaults(brink_sensitivity_def *def, size_t size);

static inline brink_sensitivity_def brink_default_sensitivity(void) {
  brink_sensitivity_def def;
  brink_sensitivity_defaults(&def, sizeof def);
  return def;
}

/* Goes along with `sim`, which must not have moved yet, until it is destroyed (before the sim is). One at a
 * time. The definition is copied. Statuses: ARGUMENT, MEMORY. */
BRINK_API brink_status brink_sensitivity_create(brink_sim *sim, const brink_sensitivity_def *def,
                                                const brink_allocator *allocator, brink_diag *diag,
                                                brink_sensitivity **sensitivity);
BRINK_API void brink_sensitivity_destroy(brink_sensitivity *sensitivity); /* NULL is fine */

/* Column k of the matrices of a definition: all initial states, say, and then some knobs . NULL
 * leaves the column as it is. */
BRINK_API void brink_direction_fill(double *matrix, size_t rows, size_t count, size_t k,
                                    const double *column);

/* After brink_sim_reset: back to the start. */
BRINK_API void brink_sensitivity_reset(brink_sensitivity *sensitivity);

/* At the present time of the sim: dx and dp by rows of `count`. */
BRINK_API size_t brink_sensitivity_count(const brink_sensitivity *sensitivity);
BRINK_API const double *brink_sensitivity_state(const brink_sensitivity *sensitivity);
BRINK_API const double *brink_sensitivity_parameters(const brink_sensitivity *sensitivity);

/* All limits that were met so far. */
BRINK_API unsigned brink_sensitivity_limits(const brink_sensitivity *sensitivity);

#ifdef __cplusplus
}
#endif

#endif
