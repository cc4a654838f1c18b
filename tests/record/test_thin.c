/* A table of rows that never grows: what it keeps, compared with all rows that came. */
#include "check.h"
#include "record/thin.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMNS = 3, CAPACITY = 256 };

typedef struct thin_table {
  brink_arena arena;
  brink_thinned thinned;
} thin_table;

static void open_table(thin_table *table, brink_thin_rule rule, size_t ncolumns, size_t capacity) {
  brink_arena_init(&table->arena, NULL);
  CHECK(brink_thin_init(&table->thinned, rule, ncolumns, capacity, &table->arena));
}

static double noise(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / (double)(1u << 24);
}

/* Row k of a run with a smooth, a noisy and a rare quantity. */
static double row(size_t k, unsigned *state, double *values) {
  double t = 1e-3 * (double)k;
  values[0] = sin(t);
  values[1] = noise(state);
  values[2] = k % 7919 == 5000 ? 1.0 : 0.0;
  return t;
}

TEST(rows_are_kept_as_they_came_while_there_is_room) {
  thin_table table;
  open_table(&table, BRINK_THIN_EXTREMES, COLUMNS, CAPACITY);
  unsigned state = 1;
  double values[COLUMNS];
  for (size_t k = 0; k < CAPACITY - 1; k++) {
    double t = row(k, &state, values);
    brink_thin_add(&table.thinned, t, values);
  }
  CHECK(table.thinned.rows == CAPACITY - 1);
  CHECK(table.thinned.width == 0.0);
  state = 1;
  for (size_t k = 0; k < CAPACITY - 1; k++) {
    double t = row(k, &state, values);
    CHECK(table.thinned.t[k] == t);
    CHECK(memcmp(table.thinned.values + k * COLUMNS, values, sizeof values) == 0);
  }
  brink_arena_free(&table.arena);
}

/* Extremes of one column over the rows of each interval, by looking at all of them. */
static void check_extremes(const brink_thinned *thinned, size_t nrows, size_t column) {
  size_t kept = 0;
  unsigned state = 1;
  double values[COLUMNS];
  double low = (double)INFINITY, high = -(double)INFINITY, interval = -1.0;
  size_t wrong = 0;
  for (size_t k = 0; k <= nrows; k++) {
    double t = row(k, &state, values);
    bool ends = k == nrows || floor(t / thinned->width) != interval;
    if (ends && k > 0) {
      double found_low = (double)INFINITY, found_high = -(double)INFINITY;
      for (; kept < thinned->rows && floor(thinned->t[kept] / thinned->width) == interval; kept++) {
        found_low = fmin(found_low, thinned->values[kept * COLUMNS + column]);
        found_high = fmax(found_high, thinned->values[kept * COLUMNS + column]);
      }
      wrong += found_low != low || found_high != high;
      low = (double)INFINITY;
      high = -(double)INFINITY;
    }
    interval = floor(t / thinned->width);
    low = fmin(low, values[column]);
    high = fmax(high, values[column]);
  }
  CHECK(wrong == 0);
  CHECK(kept == thinned->rows);
}

TEST(every_interval_keeps_its_smallest_and_largest_values) {
  enum { ROWS = 100000 };
  thin_table table;
  open_table(&table, BRINK_THIN_EXTREMES, COLUMNS, CAPACITY);
  unsigned state = 1;
  double values[COLUMNS];
  for (size_t k = 0; k < ROWS; k++) {
    double t = row(k, &state, values);
    brink_thin_add(&table.thinned, t, values);
  }
  const brink_thinned *thinned = &table.thinned;
  CHECK(thinned->rows < CAPACITY && thinned->rows >= CAPACITY / 8);
  for (size_t k = 1; k < thinned->rows; k++) CHECK(thinned->t[k] >= thinned->t[k - 1]);
  CHECK(thinned->t[0] == 0.0);
  CHECK(thinned->t[thinned->rows - 1] == 1e-3 * (ROWS - 1));
  for (size_t c = 0; c < COLUMNS; c++) check_extremes(thinned, ROWS, c);
  brink_arena_free(&table.arena);
}

TEST(the_last_rows_of_intervals_stay_whole) {
  thin_table table;
  open_table(&table, BRINK_THIN_LAST, 2, 64);
  for (size_t k = 0; k < 50000; k++) {
    double t = 0.01 * (double)k, values[2] = {cos(t), sin(t)};
    brink_thin_add(&table.thinned, t, values);
  }
  const brink_thinned *thinned = &table.thinned;
  CHECK(thinned->rows < 64 && thinned->rows >= 8);
  for (size_t k = 0; k < thinned->rows; k++) {
    CHECK_NEAR(thinned->values[2 * k], cos(thinned->t[k]), 1e-12);
    CHECK_NEAR(thinned->values[2 * k + 1], sin(thinned->t[k]), 1e-12);
  }
  CHECK(thinned->t[0] == 0.0);
  CHECK(thinned->t[thinned->rows - 1] == 0.01 * 49999);
  brink_arena_free(&table.arena);
}

/* Most rows in a moment, as when events accumulate: the rest of the run keeps its shape. */
TEST(rows_crowded_in_a_moment_do_not_push_out_the_others) {
  thin_table table;
  open_table(&table, BRINK_THIN_EXTREMES, 1, CAPACITY);
  for (size_t k = 0; k < 100; k++) {
    double v = (double)k;
    brink_thin_add(&table.thinned, 0.01 * (double)k, &v);
  }
  for (size_t k = 0; k < 100000; k++) {
    double v = 1000.0;
    brink_thin_add(&table.thinned, 1.0 + 1e-9 * (double)k, &v);
  }
  for (size_t k = 0; k < 100; k++) {
    double v = 2000.0;
    brink_thin_add(&table.thinned, 1.01 + 0.01 * (double)k, &v);
  }
  size_t early = 0;
  for (size_t k = 0; k < table.thinned.rows; k++) early += table.thinned.t[k] < 1.0;
  CHECK(early >= 60);
  CHECK(table.thinned.width < 0.1);
  brink_arena_free(&table.arena);
}

TEST(many_rows_at_one_instant_fit) {
  thin_table table;
  open_table(&table, BRINK_THIN_EXTREMES, 1, 16);
  for (size_t k = 0; k < 1000; k++) {
    double v = k == 500 ? -3.0 : 1.0;
    brink_thin_add(&table.thinned, 0.0, &v);
  }
  CHECK(table.thinned.rows <= 16);
  double low = 0.0;
  for (size_t k = 0; k < table.thinned.rows; k++) low = fmin(low, table.thinned.values[k]);
  CHECK(low == -3.0);
  brink_arena_free(&table.arena);
}

TEST(what_is_not_a_number_does_not_hide_numbers) {
  thin_table table;
  open_table(&table, BRINK_THIN_EXTREMES, 1, 16);
  for (size_t k = 0; k < 4096; k++) {
    double v = k % 2 == 0 ? (double)NAN : 1.0 + (double)(k % 5);
    brink_thin_add(&table.thinned, (double)k, &v);
  }
  double high = 0.0;
  for (size_t k = 0; k < table.thinned.rows; k++) high = fmax(high, table.thinned.values[k]);
  CHECK(high == 5.0);
  brink_arena_free(&table.arena);
}

int main(void) {
  RUN(rows_are_kept_as_they_came_while_there_is_room);
  RUN(every_interval_keeps_its_smallest_and_largest_values);
  RUN(the_last_rows_of_intervals_stay_whole);
  RUN(rows_crowded_in_a_moment_do_not_push_out_the_others);
  RUN(many_rows_at_one_instant_fit);
  RUN(what_is_not_a_number_does_not_hide_numbers);
  return check_done();
}
