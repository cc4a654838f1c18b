/* guard_kernels.h: what guard_lanes.c asks the kernels of a width for (guard_lanes.inc). Nothing else includes this. */
#ifndef BRINK_EVENT_GUARD_KERNELS_H
#define BRINK_EVENT_GUARD_KERNELS_H

#include "num/lanes.h"

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
} brink_lane_guard;

typedef struct brink_guard_kernels {
  /* Bits of those that keep away; their tolerances. */
  unsigned (*keeps_away)(brink_lane_block *block, brink_lane_guard *guard);
} brink_guard_kernels;

extern const brink_guard_kernels brink_guard_kernels_4, brink_guard_kernels_8;

#endif
