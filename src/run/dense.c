/* dense.c: the columns of a trajectory at any time: dense output of a whole run. See <brink/record.h>.
 *
 * A history of the simulation (sim/history.c) has the states, and what was locked in each step: parameters, modes, signs,
 * surfaces. From these equations compute the other columns, as they do for rows at the time. */
#include <math.h>

#include "run/run.h"
#include "sim/locks.h"
#include "sim/sim.h"

/* A column by its number. */
typedef struct wanted {
  const brink_tracked *tracked;
  size_t element;
} wanted;

/* What one call needs. */
typedef struct dense_look {
  wanted *columns;
  size_t count;
  bool computes; /* one of them is computed by equations */
  double start, present;
  double *x;
  brink_history_look look;
} dense_look;

static brink_status out_of_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

brink_status brink_run_keep_dense(brink_run *run, brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run must not be NULL");
  if (run->phase != BRINK_RUN_MADE)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "dense output begins with the run, which has begun already");
  if (run->population_run != NULL)
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                          "agents with clocks of their own have no common dense output: ask for "
                          "values at times of your choice (brink_run_output), or for one clock");
  if (run->dense != NULL) return BRINK_OK;
  brink_history_def def = brink_default_history();
  def.rows = false;
  brink_status status =
      brink_history_create(run->sim, &def, &run->arena.allocator, diag, &run->dense);
  if (status == BRINK_OK) status = brink_history_keep_locks(run->dense, diag);
  if (status != BRINK_OK) brink_run_dense_free(run);
  return status;
}

void brink_run_dense_free(brink_run *run) {
  brink_history_destroy(run->dense);
  run->dense = NULL;
}

/* ---- asking ---- */

/* The column of a number below kept.varying: what it is of is the last that begins at or before it. */
static wanted find_column(const brink_columns *kept, size_t number) {
  size_t first = 0, last = kept->nvarying;
  while (last - first > 1) {
    size_t middle = first + (last - first) / 2;
    if (kept->tracked[middle].first <= number)
      first = middle;
    else
      last = middle;
  }
  return (wanted){&kept->tracked[first], number - kept->tracked[first].first};
}

static brink_status choose_columns(const brink_run *run, const size_t *numbers, dense_look *d,
                                   brink_diag *diag) {
  const brink_columns *kept = &run->kept;
  if (numbers == NULL && d->count != kept->varying)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "count is %zu: without numbers of columns give that of all, %zu",
                          d->count, kept->varying);
  for (size_t j = 0; j < d->count; j++) {
    size_t number = numbers != NULL ? numbers[j] : j;
    if (number >= kept->varying)
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "columns[%zu] is %zu: the trajectory has %zu columns, from 0 on", j,
                            number, kept->varying);
    d->columns[j] = find_column(kept, number);
    brink_space space = d->columns[j].tracked->as->space;
    d->computes = d->computes || d->columns[j].tracked->look == BRINK_LOOK_FLAG ||
                  (space != BRINK_SPACE_X && space != BRINK_SPACE_P && space != BRINK_SPACE_MODE);
  }
  return BRINK_OK;
}

static void read_columns(brink_run *run, const dense_look *d, const brink_moment *moment,
                         double *out) {
  const brink_columns *kept = &run->kept;
  if (d->computes) brink_columns_visit(kept, moment);
  for (size_t j = 0; j < d->count; j++) {
    const wanted *column = &d->columns[j];
    double value = brink_columns_value(kept, column->tracked, column->element, moment);
    out[j] = brink_label_code(column->tracked->as, value);
  }
}

/* All columns at a time of the simulation. */
static void look_at(brink_run *run, double t, dense_look *d, double *out) {
  bool past = brink_history_look_at(run->dense, t, &d->look, d->x);
  brink_moment moment = brink_run_now(run);
  if (past) {
    brink_locks *locks = &d->look.locks;
    moment = (brink_moment){.t = fmax(t, d->start), .x = d->x, .p = locks->p, .mode = locks->mode};
    /* Fields and flags are those of the surfaces that held the state then. */
    brink_locks_exchange(&run->sim->eval, locks);
    moment.sgn = run->sim->eval.sgn;
    read_columns(run, d, &moment, out);
    brink_locks_exchange(&run->sim->eval, locks);
    return;
  }
  read_columns(run, d, &moment, out);
}

static brink_status look_at_all(brink_run *run, const double *times, size_t ntimes, dense_look *d,
                                double *out, brink_diag *diag) {
  double round = brink_history_rounding(d->start, d->present);
  double ends[] = {brink_run_turned(run, d->start), brink_run_turned(run, d->present)};
  for (size_t k = 0; k < ntimes; k++) {
    double t = brink_run_turned(run, times[k]);
    if (!(t >= d->start - round && t <= d->present + round))
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "times[%zu] = %.17g is outside of what was simulated, [%.17g, %.17g]",
                            k, times[k], fmin(ends[0], ends[1]), fmax(ends[0], ends[1]));
    look_at(run, t, d, out + k * d->count);
  }
  return BRINK_OK;
}

static brink_status check_call(const brink_run *run, brink_diag *diag) {
  if (run->population_run != NULL)
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                          "agents with clocks of their own have no common dense output: repeat "
                          "the run with output times (brink_run_output), or with one clock");
  if (run->dense == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "no dense output is kept: call brink_run_keep_dense before the run");
  if (!brink_run_has_begun(run))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the run has not begun: there are no values");
  return BRINK_OK;
}

brink_status brink_run_trajectory_at(brink_run *run, const double *times, size_t ntimes,
                                     const size_t *columns, size_t count, double *out,
                                     brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL || (ntimes > 0 && (times == NULL || (count > 0 && out == NULL))))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run, times and out must not be NULL");
  brink_status status = check_call(run, diag);
  if (status != BRINK_OK) return status;
  dense_look d = {.count = count, .look.piece = BRINK_NONE};
  brink_arena arena; /* of this call */
  brink_arena_init(&arena, &run->arena.allocator);
  d.columns = brink_arena_take(&arena, count, sizeof *d.columns);
  d.x = brink_arena_take(&arena, run->system->nx, sizeof *d.x);
  d.look.room = brink_arena_take(&arena, brink_history_room(run->dense), 1);
  status = arena.failed ? out_of_memory(diag) : choose_columns(run, columns, &d, diag);
  if (status == BRINK_OK) status = brink_history_span(run->dense, &d.start, &d.present, diag);
  if (status == BRINK_OK) status = look_at_all(run, times, ntimes, &d, out, diag);
  run->computed = false; /* what equations computed is of another time */
  brink_arena_free(&arena);
  return status;
}
