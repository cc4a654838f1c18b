/* plan_series.h: the polynomials of a plan, expanded about another time and truncated to a tolerance. */
#ifndef BRINK_AGENTS_PLAN_SERIES_H
#define BRINK_AGENTS_PLAN_SERIES_H

#include <math.h>

#include "sim/pack.h"

/* Two numbers: the polynomials of two states are computed together, which costs no more than one (SIMD). */
typedef struct brink_double2 {
  double a, b;
} brink_double2;

static const brink_double2 brink_double2_zero = {0.0, 0.0};

static inline brink_double2 brink_double2_add(brink_double2 x, brink_double2 y) {
  return (brink_double2){x.a + y.a, x.b + y.b};
}

static inline brink_double2 brink_double2_scale(brink_double2 x, double s) {
  return (brink_double2){x.a * s, x.b * s};
}

static inline brink_double2 brink_double2_abs(brink_double2 x) {
  return (brink_double2){fabs(x.a), fabs(x.b)};
}

static inline bool brink_double2_within(brink_double2 x, brink_double2 limit) {
  return x.a <= limit.a && x.b <= limit.b;
}

/* Two polynomials about a point, with a bound on what was truncated. */
typedef struct brink_plan_series {
  brink_double2 c[BRINK_PATH_DEGREE + 6];
  int degree;
  brink_double2 rest;
} brink_plan_series;

/* Expands the polynomials of two states of a plan about t, in s = (time - t)/h, with an error of at most eps for
 * |s| <= 1. */
void brink_plan_series_expand(const brink_plan *plan, size_t one, size_t other, double t, double h,
                              brink_double2 eps, brink_plan_series *series);

#endif
