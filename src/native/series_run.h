/* series_run.h: running series programs: the interpreter (vm_series.c). */
#ifndef BRINK_NATIVE_SERIES_RUN_H
#define BRINK_NATIVE_SERIES_RUN_H

#include "expr/series_program.h"
#include "native/native.h"
#include "num/blocks.h"

/* The series of output 0 of one iteration, order + 1 coefficients into `g`, from the series of time and
 * of every state (see brink_guard_jet_fn). The kernel reads no V and DX. */
size_t brink_series_scratch(const brink_series_program *series, int order);
void brink_series_run(const brink_series_program *series, const brink_frame *frame,
                      size_t iteration, int order, const double *t, const double *const *x,
                      double *g, double *scratch);

/* The solution of x' = f: all kernels of a program. */
struct brink_flow {
  const brink_program *program;
  const brink_series_program *const *series; /* of each kernel */
  size_t nx, nv;
  brink_series_degrees degrees;
  int degree;       /* the largest of the states' */
  bool kinked;      /* … as long as nothing switches */
  double work;      /* products that coefficient k takes, divided by k */
  size_t registers; /* of all kernels and iterations, with time and variables */
};

/* NULL: out of memory. The program must outlive it. The last nz slots of X are unknowns of constraints. */
brink_flow *brink_flow_make(const brink_program *program, size_t nx, size_t nz, size_t nv,
                            brink_arena *arena);

/* Where the series of all states end; 0: nowhere. */
int brink_flow_degree(const brink_flow *flow);

/* Writes coefficients 1 ... order of the states to rows[i], in units of s = (time - t)/unit;
 * rows[i][0] is given. `scratch` holds brink_flow_scratch doubles. */
size_t brink_flow_scratch(const brink_flow *flow, int order);
/* What determines the unknowns, at the point where the series begin: rows of g, whose derivatives by the unknowns are
 * factored. */
typedef struct brink_flow_constraints {
  const brink_series_program *series; /* of the values of the rows, as outputs */
  double *registers;                  /* brink_series_scratch doubles */
  const brink_blocks *blocks;
  const double *values; /* of the pattern that blocks has */
  double *column;       /* one for each unknown */
} brink_flow_constraints;

/* constraints NULL: there are none. Else rows of unknowns are written, too; their coefficient 0 is given. */
void brink_flow_run(const brink_flow *flow, const brink_frame *frame, int order, double unit,
                    double *const *rows, double *scratch,
                    const brink_flow_constraints *constraints);

/* The same while patience lasts. False: it is over, and the rows are of no use. */
bool brink_flow_run_within(const brink_flow *flow, const brink_frame *frame, int order, double unit,
                           double *const *rows, double *scratch,
                           const brink_flow_constraints *constraints, brink_patience *patience);

#endif
