/* instance_input.c: inputs that a table drives: a timer that goes from row to row.
 *
 * The timer is the first to act at its instant, so that whatever samples or switches at the time of a
 * row sees that row. */
#include "native/instance.h"

#include <limits.h>
#include <math.h>

/* The number of rows at or before t. */
static size_t rows_until(const brink_input_table *table, double t) {
  size_t low = 0, high = table->nrows;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (table->t[middle] <= t)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

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

void brink_instance_first_inputs(brink_instance *instance) {
  const brink_input_table *table = instance->options.inputs;
  if (table == NULL || table->nrows == 0) return;
  size_t passed = rows_until(table, 0.0);
  take_row(instance, passed > 0 ? passed - 1 : 0, passed > 0, instance->p0, instance->mode0);
}

static int on_row(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)tick;
  const brink_instance *instance = user;
  const brink_input_table *table = instance->options.inputs;
  size_t row = rows_until(table, now->t) - 1; /* of two rows at one time the later one */
  take_row(instance, row, true, now->p, now->mode);
  brink_instance_carries(now); /* values and times of the table: no direction changes them */
  now->timer[clock] = row + 1 < table->nrows ? table->t[row + 1] : (double)INFINITY;
  return 0;
}

bool brink_instance_input_clock(const brink_instance *instance, brink_clock_def *clock) {
  const brink_input_table *table = instance->options.inputs;
  size_t passed = table != NULL ? rows_until(table, 0.0) : 0;
  if (table == NULL || passed >= table->nrows) return false;
  *clock = (brink_clock_def){.size = sizeof(brink_clock_def),
                             .name = "input",
                             .offset = table->t[passed],
                             .priority = INT_MAX,
                             .tick = on_row};
  return true;
}
