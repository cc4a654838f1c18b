/* guard_kernels.h: what guard_lanes.c asks the kernels of a width for (guard_lanes.inc). interpolate.c shares a constant with them. */
#ifndef BRINK_EVENT_GUARD_KERNELS_H
#define BRINK_EVENT_GUARD_KERNELS_H

#include "num/lanes.h"

#define BRINK_FLAT_SLOPE 1e-6 /* of its terms: a slope that is none */

/* One linear guard in all runs of a block. */
typedef struct brink_lane_guard {
  size_t ndepends;
  const size_t *depends;
  const double *coefficients[BRINK_LANES_MOST];
  const double *atol[BRINK_LANES_MOST];
  double rate[BRINK_LANES_MOST]; /* time_coefficient */
  double g0[BRINK_LANES_MOST];
  double sign[BRINK_LANES_MOST];
  double before[BRINK_LANES_MOST]; /* the tolerance of the last time */
  double near_miss[BRINK_LANES_MOST];
  double rtol[BRINK_LANES_MOST];
  /* What comes of it. */
  double tolerance[BRINK_LANES_MOST];
  unsigned quiet; /* bits of those that keep away, … */
  unsigned single; /* … and of those that go through their surface once, and do nothing else: … */
  double start[BRINK_LANES_MOST]; /* … from here Newton's method finds where */
} brink_lane_guard;

/* Single roots of polynomials of one degree: twice as many as there are lanes, so that one vector can be worked on while
 * another waits. */
typedef struct brink_lane_roots {
  int degree;
  double *poly; /* coefficient k at 2*width*k: vectors */
  double start[2 * BRINK_LANES_MOST], sign[2 * BRINK_LANES_MOST]; /* sign: before the root */
  double root[2 * BRINK_LANES_MOST];
} brink_lane_roots;

typedef struct brink_guard_kernels {
  void (*survey)(brink_lane_block *block, brink_lane_guard *guard);
  /* Bits of the roots that were found without any trouble, and are not flat. */
  unsigned (*refine)(brink_lane_roots *roots);
} brink_guard_kernels;

extern const brink_guard_kernels brink_guard_kernels_4, brink_guard_kernels_8;

#endif
