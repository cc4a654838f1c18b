/* instance_input.c: inputs that a table or functions drive: a timer that goes from row to row, and from corner to corner.
 *
 * The timer is the first to act at its instant, so that whatever samples or switches at the time of a
 * row sees that row. */
#include "native/instance.h"

#include <limits.h>
#include <math.h>

#include "num/table.h"

/* What holds from a row on, until the next one; before the first row, its values. */
static void take_row(const brink_instance *instance, size_t row, bool begun, double *p, int *mode) {
  const brink_system *system = instance->system;
  const brink_input_table *table = instance->options.inputs;
  const double *values = table->values + row * system->ndriven;
  bool ramp = begun && row + 1 < table->nrows;
  for (size_t k = 0; k < system->ndriven; k++) {
    const brink_driven *driven = &system->driven[k];
    if (driven->space == BRINK_SPACE_MODE)
      mode[driven->value] = (int)values[k];
    else
      p[driven->value] = values[k];
    if (driven->rate == BRINK_NO_INDEX) continue;
    p[driven->since] = table->t[row];
    p[driven->rate] =
        ramp ? (values[k + system->ndriven] - values[k]) / (table->t[row + 1] - table->t[row])
             : 0.0;
  }
}

/* Which row holds at a time of the system, and after it; false: none has begun, the first one is meant. Backwards in time
 * it is the last row before that time: its line leads back from there. */
static bool row_at(const brink_instance *instance, double t, size_t *row) {
  const brink_input_table *table = instance->options.inputs;
  double time = brink_system_time(instance->system, t);
  size_t passed = brink_table_passed(table->t, table->nrows, time, instance->system->backward);
  *row = passed > 0 ? passed - 1 : 0;
  return passed > 0;
}

/* When another row begins to hold, in the time of the system; INFINITY: never. */
static double next_row(const brink_instance *instance, size_t row, bool begun) {
  const brink_input_table *table = instance->options.inputs;
  if (instance->system->backward) return begun ? 0.0 - table->t[row] : (double)INFINITY;
  size_t next = begun ? row + 1 : 0;
  return next < table->nrows ? table->t[next] : (double)INFINITY;
}

/* What the rows give at t and just after it; when that ends, in the time of the system. */
static void take_rows(const brink_instance *instance, double t, double *p, int *mode) {
  const brink_input_table *table = instance->options.inputs;
  if (table == NULL || table->nrows == 0) return;
  size_t row; /* of two rows at one time the later one */
  bool begun = row_at(instance, t, &row);
  take_row(instance, row, begun, p, mode);
}

static double rows_end(const brink_instance *instance, double t) {
  const brink_input_table *table = instance->options.inputs;
  if (table == NULL || table->nrows == 0) return (double)INFINITY;
  size_t row;
  bool begun = row_at(instance, t, &row);
  return next_row(instance, row, begun);
}

/* ---- functions ---- */

static const brink_time_function *function_of(const brink_system *system, size_t k) {
  return system->externals[system->followed[k].external].of_time;
}

/* The pieces in which functions are at t and just after it; when the first of them ends. */
static void take_pieces(const brink_instance *instance, double t, double *p) {
  const brink_system *system = instance->system;
  double time = brink_system_time(system, t), start = brink_system_time(system, system->t0);
  for (size_t k = 0; k < system->nfollowed; k++) {
    const brink_followed *followed = &system->followed[k];
    brink_time_piece(function_of(system, k), time, start, system->backward, &p[followed->begin],
                     &p[followed->end]);
  }
}

static double pieces_end(const brink_instance *instance, double t) {
  const brink_system *system = instance->system;
  double time = brink_system_time(system, t), end = (double)INFINITY;
  for (size_t k = 0; k < system->nfollowed; k++) {
    double corner = brink_time_corner(function_of(system, k), time, system->backward);
    end = fmin(end, system->backward ? 0.0 - corner : corner);
  }
  return end;
}

bool brink_instance_take_functions(brink_instance *instance) {
  const brink_system *system = instance->system;
  if (system->nfollowed == 0) return true;
  brink_arena *arena = &instance->arena;
  brink_external *externals =
      brink_arena_copy(arena, system->externals, system->nexternals, sizeof *externals);
  instance->calls = brink_arena_take(arena, system->nexternals, sizeof *instance->calls);
  if (arena->failed) return false;
  for (size_t k = 0; k < system->nexternals; k++) externals[k].calls = &instance->calls[k];
  instance->externals = externals;
  return true;
}

bool brink_instance_functions_failed(const brink_instance *instance) {
  const brink_system *system = instance->system;
  for (size_t k = 0; k < system->nfollowed; k++)
    if (instance->calls[system->followed[k].external].failed) return true;
  return false;
}

const char *brink_instance_function(const brink_instance *instance, size_t k,
                                    const brink_time_calls **calls) {
  const brink_system *system = instance->system;
  if (k >= system->nfollowed) return NULL;
  uint32_t external = system->followed[k].external;
  *calls = &instance->calls[external];
  return system->externals[external].name;
}

bool brink_instance_asks(const brink_instance *instance) {
  const brink_system *system = instance->system;
  for (size_t k = 0; k < system->nfollowed; k++)
    if (instance->calls[system->followed[k].external].asked) return true;
  return false;
}

/* ---- both ---- */

void brink_instance_first_inputs(brink_instance *instance) {
  double t = instance->system->t0;
  take_rows(instance, t, instance->p0, instance->mode0);
  take_pieces(instance, t, instance->p0);
}

static double next_change(const brink_instance *instance, double t) {
  return fmin(rows_end(instance, t), pieces_end(instance, t));
}

static int on_change(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)tick;
  const brink_instance *instance = user;
  take_rows(instance, now->t, now->p, now->mode);
  take_pieces(instance, now->t, now->p);
  brink_instance_carries(now); /* values and times of the inputs: no direction changes them */
  now->timer[clock] = next_change(instance, now->t);
  return 0;
}

bool brink_instance_input_clock(const brink_instance *instance, brink_clock_def *clock) {
  double next = next_change(instance, instance->system->t0);
  if (isinf(next)) return false;
  *clock = (brink_clock_def){.size = sizeof(brink_clock_def),
                             .name = "input",
                             .offset = next,
                             .priority = INT_MAX,
                             .tick = on_change};
  return true;
}
