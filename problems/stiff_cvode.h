/* stiff_cvode.h: the problems of stiff.h by CVODE of SUNDIALS: BDF, Newton's iteration, the analytic Jacobian, dense
 * matrices, everything else at its default. For programs that are linked with SUNDIALS. */
#ifndef BRINK_PROBLEMS_STIFF_CVODE_H
#define BRINK_PROBLEMS_STIFF_CVODE_H

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "problems/stiff.h"

typedef struct stiff_work {
  bool ok;
  double x[STIFF_STATES]; /* at the end */
  long steps, rhs, factorisations, jacobians;
} stiff_work;

static int stiff_cvode_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  const stiff_problem *problem = user;
  return problem->rhs(t, N_VGetArrayPointer_Serial(y), NULL, N_VGetArrayPointer_Serial(dy));
}

static int stiff_cvode_jacobian(realtype t, N_Vector y, N_Vector fy, SUNMatrix j, void *user,
                                N_Vector a, N_Vector b, N_Vector c) {
  const stiff_problem *problem = user;
  (void)t, (void)fy, (void)a, (void)b, (void)c;
  problem->jacobian(N_VGetArrayPointer_Serial(y), SUNDenseMatrix_Data(j));
  return 0;
}

static stiff_work stiff_by_cvode(const stiff_problem *problem, double rtol) {
  stiff_work work = {0};
  sunindextype n = (sunindextype)problem->nx;
  SUNContext context = NULL;
  if (SUNContext_Create(NULL, &context) != 0) return work;
  N_Vector y = N_VNew_Serial(n, context), atol = N_VNew_Serial(n, context);
  SUNMatrix matrix = SUNDenseMatrix(n, n, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
  void *cvode = CVodeCreate(CV_BDF, context);
  double t = 0.0;
  memcpy(N_VGetArrayPointer_Serial(y), problem->x0, problem->nx * sizeof(double));
  for (size_t i = 0; i < problem->nx; i++)
    N_VGetArrayPointer_Serial(atol)[i] = rtol * problem->scale[i];
  if (CVodeInit(cvode, stiff_cvode_rhs, 0.0, y) == CV_SUCCESS &&
      CVodeSVtolerances(cvode, rtol, atol) == CV_SUCCESS &&
      CVodeSetUserData(cvode, (void *)problem) == CV_SUCCESS &&
      CVodeSetLinearSolver(cvode, solver, matrix) == CV_SUCCESS &&
      CVodeSetJacFn(cvode, stiff_cvode_jacobian) == CV_SUCCESS &&
      CVodeSetMaxNumSteps(cvode, -1) == CV_SUCCESS &&
      CVodeSetStopTime(cvode, problem->t_end) == CV_SUCCESS)
    work.ok = CVode(cvode, problem->t_end, y, &t, CV_NORMAL) >= 0;
  memcpy(work.x, N_VGetArrayPointer_Serial(y), problem->nx * sizeof(double));
  CVodeGetNumSteps(cvode, &work.steps);
  CVodeGetNumRhsEvals(cvode, &work.rhs);
  CVodeGetNumLinSolvSetups(cvode, &work.factorisations);
  CVodeGetNumJacEvals(cvode, &work.jacobians);
  CVodeFree(&cvode);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  N_VDestroy(atol);
  SUNContext_Free(&context);
  return work;
}

#endif
