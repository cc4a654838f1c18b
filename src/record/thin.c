/* thin.c: a table of rows that never grows beyond its room. See thin.h. */
#include "record/thin.h"

#include <math.h>
#include <string.h>

#define FEWEST ((size_t)16) /* rows: then a doubled interval always makes room */

bool brink_thin_init(brink_thinned *thinned, brink_thin_rule rule, size_t ncolumns, size_t capacity,
                     brink_arena *arena) {
  if (capacity < FEWEST) capacity = FEWEST;
  *thinned = (brink_thinned){.rule = rule, .ncolumns = ncolumns, .capacity = capacity};
  thinned->t = brink_arena_take(arena, capacity + 1, sizeof(double));
  thinned->values = brink_arena_take(arena, (capacity + 1) * ncolumns, sizeof(double));
  return thinned->t != NULL && thinned->values != NULL;
}

double *brink_thin_place(const brink_thinned *thinned) {
  return thinned->values + thinned->rows * thinned->ncolumns;
}

static double interval_of(const brink_thinned *thinned, double t) {
  return floor(t / thinned->width);
}

static void append(brink_thinned *thinned, double t, const double *values) {
  double *place = brink_thin_place(thinned);
  if (place != values) memmove(place, values, thinned->ncolumns * sizeof(double));
  thinned->t[thinned->rows++] = t;
}

/* A third row of an interval: each column keeps the extremes, the later one in the second row. What is
 * not a number is kept only where nothing else came. */
static void absorb(brink_thinned *thinned, double t, const double *values) {
  double *second = thinned->values + (thinned->rows - 1) * thinned->ncolumns;
  double *first = second - thinned->ncolumns;
  for (size_t c = 0; c < thinned->ncolumns; c++) {
    double low = fmin(first[c], second[c]), high = fmax(first[c], second[c]);
    double v = values[c];
    if (v < low || isnan(low)) {
      first[c] = high;
      second[c] = v;
    } else if (v > high) {
      first[c] = low;
      second[c] = v;
    }
  }
  thinned->t[thinned->rows - 1] = t;
}

static void place(brink_thinned *thinned, double t, const double *values) {
  bool first = thinned->rule == BRINK_THIN_LAST && thinned->rows == 1; /* how it began is kept */
  bool same = thinned->width > 0.0 && thinned->open > 0 && !first &&
              interval_of(thinned, t) == interval_of(thinned, thinned->t[thinned->rows - 1]);
  size_t most = thinned->rule == BRINK_THIN_LAST ? 1 : 2;
  if (!same) thinned->open = 0;
  if (thinned->open < most) {
    append(thinned, t, values);
    thinned->open++;
  } else if (thinned->rule == BRINK_THIN_LAST) {
    thinned->rows--;
    append(thinned, t, values);
  } else {
    absorb(thinned, t, values);
  }
}

/* All rows once more, in wider intervals, until half of the room is free. Rows move only down, so that
 * one table is enough. */
static void compact(brink_thinned *thinned) {
  double span = thinned->t[thinned->rows - 1] - thinned->t[0];
  double finest = span / (double)(thinned->capacity / 4);
  if (!(finest > 0.0)) finest = fabs(thinned->t[0]) + 1.0; /* all at one instant */
  thinned->width = fmax(2.0 * thinned->width, finest);
  while (thinned->rows > thinned->capacity / 2) {
    size_t rows = thinned->rows;
    thinned->rows = thinned->open = 0;
    for (size_t r = 0; r < rows; r++)
      place(thinned, thinned->t[r], thinned->values + r * thinned->ncolumns);
    if (thinned->rows > thinned->capacity / 2) thinned->width *= 2.0;
  }
}

void brink_thin_add(brink_thinned *thinned, double t, const double *values) {
  place(thinned, t, values);
  if (thinned->rows == thinned->capacity) compact(thinned);
}

void brink_thin_turn(brink_thinned *thinned) {
  size_t rows = thinned->rows, n = thinned->ncolumns;
  double *spare = thinned->values + rows * n; /* there is room for one row more */
  for (size_t r = 0; r < rows / 2; r++) {
    double *a = thinned->values + r * n, *b = thinned->values + (rows - 1 - r) * n;
    memcpy(spare, a, n * sizeof *a);
    memcpy(a, b, n * sizeof *a);
    memcpy(b, spare, n * sizeof *a);
    double t = thinned->t[r];
    thinned->t[r] = thinned->t[rows - 1 - r];
    thinned->t[rows - 1 - r] = t;
  }
  for (size_t r = 0; r < rows; r++) thinned->t[r] = 0.0 - thinned->t[r];
}

/* Rows are compared by their times when there is no more room: they have to be numbers, in order (of a run backwards, in
 * the opposite one). */
static bool is_in_order(const brink_thinned *thinned) {
  bool rises = true, falls = true;
  for (size_t r = 0; r < thinned->rows; r++) {
    if (!isfinite(thinned->t[r])) return false;
    rises = rises && (r == 0 || thinned->t[r] >= thinned->t[r - 1]);
    falls = falls && (r == 0 || thinned->t[r] <= thinned->t[r - 1]);
  }
  return rises || falls;
}

void brink_thin_archive(brink_thinned *thinned, brink_archive *a) {
  brink_archive_mark(a, "thinned");
  brink_archive_count(a, &thinned->rows, thinned->capacity > 0 ? thinned->capacity - 1 : 0);
  brink_archive_double(a, &thinned->width);
  brink_archive_count(a, &thinned->open, thinned->rows < 2 ? thinned->rows : 2);
  brink_archive_doubles(a, thinned->t, thinned->rows);
  brink_archive_doubles(a, thinned->values, thinned->rows * thinned->ncolumns);
  bool possible = thinned->width >= 0.0 && isfinite(thinned->width) && is_in_order(thinned);
  if (!brink_archive_check(a, possible) && a->reads) thinned->rows = thinned->open = 0;
}
