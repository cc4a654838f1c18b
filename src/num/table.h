/* table.h: functions of one or two inputs that are given by values on a grid. */
#ifndef BRINK_NUM_TABLE_H
#define BRINK_NUM_TABLE_H

#include "base/base.h"

typedef enum brink_table_kind {
  BRINK_TABLE_LINEAR,
  BRINK_TABLE_CUBIC,  /* monotone: no overshoot, continuous slope */
  BRINK_TABLE_SPLINE, /* natural: continuous curvature, which is 0 at the ends */
  BRINK_TABLE_HOLD,   /* steps: the value of the last knot passed */
} brink_table_kind;

typedef enum brink_table_beyond {
  BRINK_BEYOND_LINEAR, /* the tangent at the end */
  BRINK_BEYOND_HOLD,   /* the value at the end */
  BRINK_BEYOND_ERROR, /* no value is meant there, though there is one: pieces end at the last knots */
} brink_table_beyond;

/* One input. Piece k lies between bounds[k] and bounds[k + 1]; the outer bounds are out of reach, -BRINK_TABLE_FAR and
 * BRINK_TABLE_FAR. Its polynomials are in powers of u - origins[k]. */
typedef struct brink_table_axis {
  const double *x; /* the knots, increasing */
  size_t nknots;
  double *bounds, *origins;
  size_t npieces;
} brink_table_axis;

#define BRINK_TABLE_FAR 1e150 /* its square is finite */

/* Most numbers that the pieces of a table may consist of. */
#define BRINK_TABLE_LIMIT ((size_t)1 << 22)

typedef struct brink_gridded {
  brink_table_kind kind;
  brink_table_beyond beyond;
  int inputs; /* 1 or 2 */
  brink_table_axis axis[2];
  const double *values; /* of the knots: values[i*axis[1].nknots + j], or values[i] */
  size_t terms;         /* of a polynomial in one input: 1, 2 or 4 */
  /* Of piece i (and j): coefficients[((i*npieces1 + j)*terms + a)*terms + b] of du^a dv^b, or
   * coefficients[i*terms + a] of du^a. */
  double *coefficients;
} brink_gridded;

/* Fills in the pieces, from kind, beyond, inputs, knots (two or more, increasing, finite) and values (finite). False:
 * out of memory, or more than BRINK_TABLE_LIMIT (*too_large). */
bool brink_table_make(brink_gridded *table, brink_arena *arena, bool *too_large);

/* Which of the pieces u is in: bounds[k] <= u < bounds[k + 1]. NaN: the first. */
size_t brink_table_find(const double *bounds, size_t npieces, double u);

/* How many of `count` times, which do not decrease, have passed at t; backwards, one at t is still ahead. */
size_t brink_table_passed(const double *times, size_t count, double t, bool backward);

/* The value, also beyond the ends; u[1] is not looked at where there is one input. */
double brink_table_value(const brink_gridded *table, const double *u);

#endif
