/* series.h: plans about any time: the polynomials of two states at once, as short as is good enough. */
#ifndef BRINK_AGENTS_SERIES_H
#define BRINK_AGENTS_SERIES_H

#include <math.h>

#include "sim/pack.h"

/* Polynomials are worked on in pairs, which takes no longer than one by one: numbers in pairs. */
typedef struct brink_two {
  double a, b;
} brink_two;

static const brink_two brink_two_nothing = {0.0, 0.0};

static inline brink_two brink_two_plus(brink_two x, brink_two y) {
  return (brink_two){x.a + y.a, x.b + y.b};
}

static inline brink_two brink_two_times(brink_two x, double s) {
  return (brink_two){x.a * s, x.b * s};
}

static inline brink_two brink_two_size(brink_two x) {
  return (brink_two){fabs(x.a), fabs(x.b)};
}

static inline bool brink_two_within(brink_two x, brink_two limit) {
  return x.a <= limit.a && x.b <= limit.b;
}

/* Polynomials about a point, up to `rest`. */
typedef struct brink_series {
  brink_two c[BRINK_PATH_DEGREE + 6];
  int degree;
  brink_two rest;
} brink_series;

/* The polynomials of two states of a plan about t, in units of s = (time - t)/h, up to eps for |s| <= 1. */
void brink_series_expand(const brink_plan *plan, size_t one, size_t other, double t, double h,
                         brink_two eps, brink_series *series);

#endif
