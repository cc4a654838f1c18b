/* taylor_cvode.c: CVODE's side of bench/taylor.c.
 *
 * Adams with fixed-point iteration, serial vectors, rtol = atol, root finding; right-hand sides and root
 * functions by hand (taylor_functions.c), called by CVODE directly. The integrator is made once;
 * a run is CVodeReInit and CVode, with another CVodeReInit where an event changes the right-hand side. */
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "support/taylor_functions.h"

/* ---- the side ---- */

/* From one event to the next: Hénon-Heiles at loose tolerances leaves the well, and steps shrink to nothing. */
#define MOST_STEPS 2000000

typedef struct side {
  taylor_solver solver; /* first: a side is a solver */
  const taylor_functions *functions;
  taylor_situation now;
  SUNContext context;
  N_Vector y;
  SUNNonlinearSolver iteration;
  void *cvode;
  int nroots;
  int *found; /* which roots; at first the directions */
  bool ok, ended;
  double t;
  long steps, rhs, events;
} side;

static bool set_roots(side *self) {
  const taylor_functions *f = self->functions;
  const taylor_problem *problem = self->solver.problem;
  self->nroots = problem->bare ? 0 : f->nroots > 0 ? f->nroots : (int)problem->nroots;
  if (self->nroots == 0) return true;
  self->found = calloc((size_t)self->nroots, sizeof *self->found);
  if (self->found == NULL) return false;
  for (int k = 0; k < self->nroots; k++) self->found[k] = f->nroots > 0 ? f->directions[k] : -1;
  return CVodeRootInit(self->cvode, self->nroots, f->roots) == CV_SUCCESS &&
         CVodeSetRootDirection(self->cvode, self->found) == CV_SUCCESS &&
         CVodeSetNoInactiveRootWarn(self->cvode) == CV_SUCCESS;
}

static bool make(side *self, double tolerance) {
  const taylor_functions *f = self->functions;
  if (SUNContext_Create(NULL, &self->context) != 0) return false;
  self->y = N_VNew_Serial((sunindextype)self->solver.problem->nx, self->context);
  if (self->y == NULL) return false;
  N_VConst(0.0, self->y);
  self->cvode = CVodeCreate(CV_ADAMS, self->context);
  self->iteration = SUNNonlinSol_FixedPoint(self->y, 0, self->context);
  return self->cvode != NULL && self->iteration != NULL &&
         CVodeInit(self->cvode, f->rhs, 0.0, self->y) == CV_SUCCESS &&
         CVodeSetUserData(self->cvode, &self->now) == CV_SUCCESS &&
         CVodeSStolerances(self->cvode, tolerance, tolerance) == CV_SUCCESS &&
         CVodeSetNonlinearSolver(self->cvode, self->iteration) == CV_SUCCESS &&
         CVodeSetMaxNumSteps(self->cvode, MOST_STEPS) == CV_SUCCESS &&
         CVodeSetMaxHnilWarns(self->cvode, -1) == CV_SUCCESS &&
         CVodeSetErrFile(self->cvode, NULL) == CV_SUCCESS && set_roots(self);
}

static void close_side(taylor_solver *solver) {
  side *self = (side *)solver;
  if (self->cvode != NULL) CVodeFree(&self->cvode);
  if (self->iteration != NULL) SUNNonlinSolFree(self->iteration);
  if (self->y != NULL) N_VDestroy(self->y);
  if (self->context != NULL) SUNContext_Free(&self->context);
  free(self->found);
  free(self);
}

/* Since the last CVodeReInit. */
static void count(side *self) {
  long steps = 0, rhs = 0;
  CVodeGetNumSteps(self->cvode, &steps);
  CVodeGetNumRhsEvals(self->cvode, &rhs);
  self->steps += steps;
  self->rhs += rhs;
}

static taylor_verdict look_at_roots(side *self) {
  self->events++;
  if (CVodeGetRootInfo(self->cvode, self->found) != CV_SUCCESS) return TAYLOR_STOP;
  return self->functions->at_root(&self->now, NV_DATA_S(self->y), self->found);
}

static bool run(taylor_solver *solver, size_t which) {
  side *self = (side *)solver;
  const taylor_problem *problem = solver->problem;
  const taylor_case *c = &problem->cases[which];
  taylor_verdict next = TAYLOR_RESTART;
  self->now = (taylor_situation){.problem = problem, .p = c->p};
  self->ok = self->ended = false;
  self->t = 0.0;
  self->steps = self->rhs = self->events = 0;
  memcpy(NV_DATA_S(self->y), problem->start != NULL ? problem->start : c->x,
         problem->nx * sizeof(double));
  for (;;) {
    if (next == TAYLOR_RESTART && CVodeReInit(self->cvode, self->t, self->y) != CV_SUCCESS)
      return false;
    int flag = CVode(self->cvode, problem->t_end, self->y, &self->t, CV_NORMAL);
    if (flag < 0) return false;
    next = flag == CV_ROOT_RETURN ? look_at_roots(self) : TAYLOR_STOP;
    if (next == TAYLOR_GO_ON) continue;
    count(self);
    if (next == TAYLOR_STOP) self->ended = flag == CV_ROOT_RETURN;
    if (next == TAYLOR_STOP) return self->ok = true;
  }
}

static void answer_of(taylor_solver *solver, taylor_answer *answer) {
  side *self = (side *)solver;
  *answer = (taylor_answer){.ok = self->ok,
                            .ended = self->ended,
                            .t = self->t,
                            .x = NV_DATA_S(self->y),
                            .method = "cvode",
                            .steps = self->steps,
                            .rhs = self->rhs,
                            .events = self->events};
}

taylor_solver *taylor_open_cvode(const taylor_problem *problem, const taylor_setup *setup) {
  side *self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  self->solver =
      (taylor_solver){.problem = problem, .run = run, .answer = answer_of, .close = close_side};
  self->functions = taylor_functions_of(problem->kind);
  if (make(self, setup->tolerance)) return &self->solver;
  fprintf(stderr, "%s: cvode cannot be set up\n", problem->name);
  close_side(&self->solver);
  return NULL;
}
