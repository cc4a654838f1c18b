/* taylor_lanes.h: steps of the Taylor method, computed ahead for several runs at once.
 *
 * Before a run in lanes takes a step, its next attempt and its next commit are computed together with those of other runs,
 * by the operations of taylor.c in the same order. The method then finds them (brink_foreseen), if they are of the very
 * step that it takes: the same h, the same point, signs that f does not read unlike then. If they are not, or if anything
 * about a run is unusual, it computes them as ever. So nothing depends on who computed ahead what, or whether anybody
 * did. */
#ifndef BRINK_ODE_TAYLOR_LANES_H
#define BRINK_ODE_TAYLOR_LANES_H

#include "num/lanes.h"
#include "ode/stepper.h"

/* What is known of the next step of one run. */
typedef struct brink_foreseen {
  bool attempt; /* x_new, the slope there and the scales of the dense output are there */
  bool series;  /* … and the series at x_new */
  bool ready;   /* `planned` is the step that comes next, if nothing unusual does */
  double planned;
  bool good;           /* … and the step has passed its tests; … */
  double error, reach; /* … its error, and how far the next one may go */
  double h;
  double *x;                     /* nx: x_new */
  double sigma;                  /* a place inside the attempt; 0: none. The state there, … */
  double *inside, *inside_slope; /* … and h times the slope */
  unsigned read_signs;
} brink_foreseen;

typedef enum brink_foreseen_part {
  BRINK_FORESEEN_NOTHING,
  BRINK_FORESEEN_OUTSIDE, /* the domain check says no */
  BRINK_FORESEEN_SERIES,
} brink_foreseen_part;

/* For taylor.c. Is the attempt of h there? Are the series at x_new there (they count as an evaluation)? Has the step passed
 * its tests? Then *reach is how far the next one may go. */
bool brink_foreseen_attempt(brink_stepper *st, double h);
brink_foreseen_part brink_foreseen_series(brink_stepper *st);
bool brink_foreseen_good(brink_stepper *st, double *reach);
/* Is the state at this place inside the attempt there, and the slope? */
bool brink_foreseen_inside(const brink_stepper *st, double sigma, double **x, double **slope);

/* Nothing is known any more. */
static inline void brink_foreseen_forget(brink_stepper *st) {
  brink_foreseen *f = st->foreseen;
  if (f == NULL) return;
  f->attempt = f->series = f->good = false;
  f->sigma = 0.0;
}

/* The series at the new points of all runs of a block, block->next, whose first coefficients are filled in. A bit for each
 * lane that has one. */
typedef unsigned brink_flow_lanes_fn(const brink_env *const *envs, const double *times,
                                     const double *units, double *rows);

/* Is the run at a place from which its next step can be computed ahead, with series of this order? */
bool brink_taylor_foresees(const brink_stepper *st, int order);
/* The step that it will plan, if nothing else limits it. */
double brink_taylor_planned(const brink_stepper *st, double h_limit);

/* The attempts of block->h: `width` runs. Bits: of those that have one now. Then their commits; `which`: of which. */
unsigned brink_taylor_lanes_attempt(brink_lane_block *block, brink_stepper *const *runs);
void brink_taylor_lanes_commit(brink_lane_block *block, brink_stepper *const *runs, unsigned which,
                               brink_flow_lanes_fn *flow);
/* States and slopes inside the attempts of so many runs, at these places; count <= block->width. */
void brink_taylor_lanes_inside(brink_lane_block *block, brink_stepper *const *runs,
                               const double *sigmas, size_t count);

#endif
