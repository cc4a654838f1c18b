/* taylor_kernels.h: what taylor_lanes.c asks the kernels of a width for (taylor_lanes.inc). Nothing else includes this. */
#ifndef BRINK_ODE_TAYLOR_KERNELS_H
#define BRINK_ODE_TAYLOR_KERNELS_H

#include "num/lanes.h"

/* What the tests of a commit go by. */
typedef struct brink_lane_rule {
  double rtol[BRINK_LANES_MOST];
  double sharpness[BRINK_LANES_MOST];
  const double *atol[BRINK_LANES_MOST];
  const int *degrees; /* flow_degrees, the same in all of them */
  double inverse_last, inverse_before;
} brink_lane_rule;

typedef struct brink_taylor_kernels {
  /* From the rows of each run: fills the block, and the scales and bounds of each run's path. Bits of those whose last term
   * counts. */
  unsigned (*attempt)(brink_lane_block *block, const double *const *rows, const double *units,
                      double *const *scales, double *const *bounds);
  /* Bits of those that pass, errors and reaches; *usual: of those whose series are. */
  unsigned (*judge)(const brink_lane_block *block, const brink_lane_rule *rule, unsigned *usual,
                    double *errors, double *reaches);
  /* follow, at places inside: from the rows and the scales of each run; x and slopes are vectors. */
  void (*inside)(const brink_lane_block *block, const double *const *rows,
                 const double *const *scales, const double *sigmas, double *x, double *slopes);
  void (*spread)(const brink_lane_block *block, double *const *rows);
} brink_taylor_kernels;

extern const brink_taylor_kernels brink_taylor_kernels_4, brink_taylor_kernels_8;

#endif
