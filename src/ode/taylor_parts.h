/* taylor_parts.h: what taylor.c and its lanes (taylor_lanes.c, taylor_lanes.inc) share. Nothing else includes this. */
#ifndef BRINK_ODE_TAYLOR_PARTS_H
#define BRINK_ODE_TAYLOR_PARTS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "ode/stepper.h"

#define SMALLEST_ROOM 1e-3 /* of a step: what would be left before the limit is taken along */
#define DEFECT 2.0         /* tolerances that the defect may amount to */
#define ROUNDING 64.0      /* units of rounding that it may amount to */
#define STRAIGHT 1e-6      /* of the first term: less is no bend */
#define LOW_ORDER 4 /* below, terms fall too slowly to be kept below the tolerance themselves */
#define INVISIBLE 0x1p-60 /* of a state: terms below this are nothing */

/* One expansion. */
typedef struct expansion {
  double *c;   /* rows of `length` coefficients, one for each state */
  double unit; /* of s */
  int degree;  /* the last coefficient that is used */
  bool ends;   /* none beyond it, as far as the series tells: the polynomial is the solution */
} expansion;

typedef struct taylor {
  int order;
  bool exact;    /* the model's series end there */
  size_t length; /* order + 1 */
  expansion now, new;
  double **rows;
  double *slope;             /* h T'(h) of the attempt */
  double *inside, *inside_f; /* a point inside it, the field there, … */
  double *inside_slope;      /* … and the slope with which it is reached */
  double inside_at;          /* where it is in the present attempt; 0: nowhere */
  double *inverse;           /* 1/k */
  double *most;     /* of each order: the largest term that leads to the tolerance at p, over it */
  double low;       /* orders below LOW_ORDER: tol^(1/(p+1)) */
  double sharpness; /* 1/w is more than the tolerance says by this factor */
  double h;         /* the step that the series at the present allows */
} taylor;

/* log2 x and 2^x to three digits, for sizes of steps: a few operations each. */
static inline double rough_log2(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int exponent = (int)(bits >> 52) - 1023;
  bits = (bits & 0xFFFFFFFFFFFFFu) | (UINT64_C(1023) << 52);
  double m;
  memcpy(&m, &bits, sizeof m); /* 1 <= m < 2 */
  return exponent - 2.153620718 + m * (3.047884161 + m * (-1.051875031 + m * 0.158248691));
}

static inline double rough_exp2(double x) {
  if (!(x > -1000.0)) return 0.0;
  if (x > 1000.0) return (double)INFINITY;
  double whole = floor(x), part = x - whole;
  uint64_t bits = (uint64_t)((int)whole + 1023) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return power * (1.0 + part * (0.6951786 + part * (0.2276 + part * 0.0772)));
}

/* A unit for the next expansion: near the step, if that means anything. */
static inline double next_unit(const taylor *ty) {
  double h = ty->h;
  if (isnormal(h) && h > 0.0) { /* 2^ilogb(h), by its bits */
    uint64_t bits;
    memcpy(&bits, &h, sizeof bits);
    bits &= UINT64_C(0x7FF) << 52;
    memcpy(&h, &bits, sizeof h);
    return h;
  }
  return h > 0.0 && isfinite(h) ? ldexp(1.0, ilogb(h)) : ty->now.unit;
}

#endif
