/* lanes.h: the steps of several runs at once, side by side: vectors with a lane for each run (docs/decisions/0024-lanes.md).
 *
 * The arrays of a block hold vectors of `width` doubles, aligned to their size. */
#ifndef BRINK_NUM_LANES_H
#define BRINK_NUM_LANES_H

#include "base/base.h"

#define BRINK_LANES_MOST 8

/* A step of each of these runs: power series, and where they lead. */
typedef struct brink_lane_block {
  int width;
  int order;
  size_t nx;
  double
      *c; /* coefficient k of state i, at i*(order + 1) + k: where the step begins, in its unit */
  double *scale; /* (h/unit)^k, at k - 1 */
  double *terms; /* c_k (h/unit)^k, where c_k is in c */
  double *x_new; /* where the step ends, … */
  double *slope; /* … and h times the slope with which it arrives */
  double *next;  /* as c, where the step ends */
  double
      *work; /* order + 2 vectors for those who look at guards, and what they found of a guard: … */
  double *poly;                  /* … its polynomial in sigma, order + 1 vectors */
  double t[BRINK_LANES_MOST];    /* where the step ends, … */
  double unit[BRINK_LANES_MOST]; /* … and the unit of the series there */
  double h[BRINK_LANES_MOST];
} brink_lane_block;

/* How many lanes this processor has for it: 8 (AVX-512), 4 (AVX2), or 1. */
int brink_lanes_of_processor(void);

/* `count` vectors, aligned, from an arena; NULL: there is no memory. */
double *brink_lane_vectors(brink_arena *arena, int width, size_t count);

/* Memory for a block; false: there is none. */
bool brink_lane_block_take(brink_lane_block *block, int width, size_t nx, int order,
                           brink_arena *arena);

#endif
