/* dual.h: kernels with derivatives beside their values.
 *
 * Every node of a graph has a value and its derivatives in a few directions (lanes): forward
 * differentiation, exact to rounding, by the formulas of expr/derive.c. The interpreter of graphs that it
 * takes is slow beside generated code, but serves all lanes at once; nothing is compiled for it. */
#ifndef BRINK_NATIVE_DUAL_H
#define BRINK_NATIVE_DUAL_H

#include "native/native.h"

#define BRINK_LANES 8

/* Where the directions of values are: rows of `stride`, of which lanes first … first + used - 1 are looked
 * at. NULL: they are 0. Rows of v, dx and local have BRINK_LANES places, and are read and written. */
typedef struct brink_dual {
  const double *t;
  const double *x, *p, *pre_x, *pre_p;
  size_t stride, first, used;
  double *v, *dx, *local;

  /* Room: as many places, or rows of lanes, as the largest graph has nodes. */
  double *value, *lanes;
  bool *needed, *live; /* not all lanes are 0 */
  /* Room for the outputs of one iteration: rows of lanes, and whether they are written. */
  double *out;
  bool *written;
} brink_dual;

/* Looks at a kernel before its iterations are run: which of its nodes are needed. */
void brink_dual_open(brink_dual *dual, const brink_kernel *kernel);

/* One iteration at the values of the frame: dual->out and dual->written, and dual->value of every needed
 * node. Nothing is written to the frame. */
void brink_dual_run(brink_dual *dual, const brink_kernel *kernel, const brink_frame *frame,
                    size_t iteration);

/* All iterations of an equation: values to frame->v and frame->dx, derivatives to dual->v and dual->dx. */
void brink_dual_equation(brink_dual *dual, const brink_kernel *kernel, const brink_frame *frame);

#endif
