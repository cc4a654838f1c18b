/* thin.h: a table of rows that never grows beyond its room.
 *
 * A run may have 10^8 rows and a picture a thousand pixels. As long as there is room, rows are kept as
 * they come. Then time is cut into intervals, and each keeps two rows: for every column the smallest
 * and the largest value, in the order in which they occurred. A line through them covers the same
 * pixels as the line through all rows, as long as an interval is not wider than a pixel. */
#ifndef BRINK_RECORD_THIN_H
#define BRINK_RECORD_THIN_H

#include "base/archive.h"

typedef enum brink_thin_rule {
  BRINK_THIN_EXTREMES, /* of each interval the smallest and the largest values */
  BRINK_THIN_LAST,     /* of each interval the last row, and the very first one: whole rows */
} brink_thin_rule;

typedef struct brink_thinned {
  brink_thin_rule rule;
  size_t ncolumns;
  size_t capacity; /* rows */
  double *t;       /* of each row; never decreases */
  double *values;  /* row by row: values[row*ncolumns + column] */
  size_t rows;
  double width; /* of the intervals; 0: nothing was left out */
  size_t open;  /* rows of the last interval, at the end of the table */
} brink_thinned;

/* Room for `capacity` rows (at least 16), from the arena. False: out of memory. */
bool brink_thin_init(brink_thinned *thinned, brink_thin_rule rule, size_t ncolumns, size_t capacity,
                     brink_arena *arena);

/* The rows in the opposite order, with the opposite sign of time: when all have been added. */
void brink_thin_turn(brink_thinned *thinned);

void brink_thin_add(brink_thinned *thinned, double t, const double *values);

/* Into one with the same rule, columns and room. */
void brink_thin_archive(brink_thinned *thinned, brink_archive *a);

/* The place for the next row's values, if a caller wants to compute them there; then add(t, that). */
double *brink_thin_place(const brink_thinned *thinned);

#endif
