/* taylor_cvode.c: CVODE's side of bench/taylor.c.
 *
 * Adams with fixed-point iteration, serial vectors, rtol = atol, root finding; right-hand sides and root
 * functions by hand, with constants in the text, called by CVODE directly. The integrator is made once;
 * a run is CVodeReInit and CVode, with another CVodeReInit where an event changes the right-hand side. */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "support/taylor_problem.h"

enum { ROOTS = 4 };

/* What the functions see besides t and y. */
typedef struct situation {
  const double *p;
  int mode;
} situation;

typedef enum verdict { GO_ON, RESTART, STOP } verdict;

typedef struct functions {
  CVRhsFn rhs;
  CVRootFn roots;
  int nroots;
  int directions[ROOTS];
  verdict (*at_root)(situation *now, const double *y, const int *found);
} functions;

static verdict stop_at_root(situation *now, const double *y, const int *found) {
  (void)now, (void)y, (void)found;
  return STOP;
}

/* ---- corridor: the line where the steering changes, and three walls ---- */

static int corridor_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  const double *x = NV_DATA_S(y);
  double *dx = NV_DATA_S(dy);
  (void)t;
  dx[0] = cos(x[2]);
  dx[1] = sin(x[2]);
  dx[2] = ((const situation *)user)->mode != 0 ? 0.2 : 0.0;
  return 0;
}

static int corridor_roots(realtype t, N_Vector y, realtype *g, void *user) {
  const double *x = NV_DATA_S(y);
  (void)t, (void)user;
  g[0] = x[0] - 1.75;
  g[1] = x[1] - 0.5;
  g[2] = x[0] - 3.5;
  g[3] = x[1] + 0.4;
  return 0;
}

/* The line y = -0.4 is a wall up to x = 2.8 only. */
static verdict corridor_at_root(situation *now, const double *x, const int *found) {
  if (found[1] != 0 || found[2] != 0 || (found[3] != 0 && x[0] <= 2.8)) return STOP;
  if (found[0] == 0) return GO_ON;
  now->mode = 1;
  return RESTART;
}

/* ---- arm ---- */

/* The inverse kinematics does not exist out of reach, but CVODE goes there in search of the root: the
 * argument of acos is clamped, as everybody does it. */
static int arm_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  const double *x = NV_DATA_S(y), *p = ((const situation *)user)->p;
  double *dx = NV_DATA_S(dy);
  double square = x[0] * x[0] + x[1] * x[1];
  double cosine = (square + 0.36) / (2.0 * sqrt(square));
  double goal = atan2(x[1], x[0]) - acos(cosine < 1.0 ? cosine : 1.0);
  (void)t;
  dx[0] = p[0];
  dx[1] = p[1];
  dx[2] = 5.0 * (goal - x[2]);
  dx[3] = 5.0 * (atan2(x[1] - sin(goal), x[0] - cos(goal)) - goal - x[3]);
  return 0;
}

static int arm_roots(realtype t, N_Vector y, realtype *g, void *user) {
  const double *x = NV_DATA_S(y);
  (void)t, (void)user;
  g[0] = x[0] * x[0] + x[1] * x[1] - 3.24;
  return 0;
}

/* ---- relay ---- */

static int relay_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  double *dx = NV_DATA_S(dy);
  (void)t;
  dx[0] = NV_DATA_S(y)[1];
  dx[1] = ((const situation *)user)->mode == 0 ? -1.0 : 1.0;
  return 0;
}

static int relay_roots(realtype t, N_Vector y, realtype *g, void *user) {
  (void)t, (void)user;
  g[0] = NV_DATA_S(y)[0];
  return 0;
}

static verdict relay_at_root(situation *now, const double *y, const int *found) {
  (void)y, (void)found;
  now->mode = !now->mode;
  return RESTART;
}

/* ---- García: the run ends at the event, so that the field behind it is never needed ---- */

static int linear_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  const double *x = NV_DATA_S(y);
  double *dx = NV_DATA_S(dy);
  (void)t, (void)user;
  dx[0] = x[0] - x[1];
  dx[1] = x[0] + x[1];
  return 0;
}

static int nonlinear_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  double *dx = NV_DATA_S(dy), square = NV_DATA_S(y)[0] * NV_DATA_S(y)[0];
  (void)t, (void)user;
  dx[0] = 1.0;
  dx[1] = 10.0 - 50.0 * square * square;
  return 0;
}

static int garcia_roots(realtype t, N_Vector y, realtype *g, void *user) {
  (void)t;
  g[0] = NV_DATA_S(y)[1] + ((const situation *)user)->p[0];
  return 0;
}

/* ---- spirals: parameters k1, w1, k2, w2, d; steady: v1, s1, v2, s2, d ---- */

static int spirals_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  const double *x = NV_DATA_S(y), *p = ((const situation *)user)->p;
  double *dx = NV_DATA_S(dy), off = x[3] - p[4];
  double v1 = p[0] * sqrt(x[0] * x[0] + x[1] * x[1]);
  double v2 = p[2] * sqrt(off * off + x[4] * x[4]);
  (void)t;
  dx[0] = v1 * cos(x[2]);
  dx[1] = v1 * sin(x[2]);
  dx[2] = p[1];
  dx[3] = v2 * cos(x[5]);
  dx[4] = v2 * sin(x[5]);
  dx[5] = p[3];
  return 0;
}

static int steady_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  const double *x = NV_DATA_S(y), *p = ((const situation *)user)->p;
  double *dx = NV_DATA_S(dy), off = x[3] - p[4];
  (void)t;
  dx[0] = p[0] * cos(x[2]);
  dx[1] = p[0] * sin(x[2]);
  dx[2] = p[1] / sqrt(x[0] * x[0] + x[1] * x[1]);
  dx[3] = p[2] * cos(x[5]);
  dx[4] = p[2] * sin(x[5]);
  dx[5] = p[3] / sqrt(off * off + x[4] * x[4]);
  return 0;
}

static int spirals_roots(realtype t, N_Vector y, realtype *g, void *user) {
  const double *x = NV_DATA_S(y);
  double dx = x[0] - x[3], dy = x[1] - x[4];
  (void)t, (void)user;
  g[0] = dx * dx + dy * dy - 0.04;
  return 0;
}

/* ---- Hénon-Heiles, with its section ---- */

static int henon_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  const double *x = NV_DATA_S(y);
  double *dx = NV_DATA_S(dy);
  (void)t, (void)user;
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = -x[0] - 2.0 * x[0] * x[1];
  dx[3] = -x[1] - x[0] * x[0] + x[1] * x[1];
  return 0;
}

static int henon_roots(realtype t, N_Vector y, realtype *g, void *user) {
  (void)t, (void)user;
  g[0] = NV_DATA_S(y)[0];
  return 0;
}

static verdict henon_at_root(situation *now, const double *y, const int *found) {
  (void)now, (void)y, (void)found;
  return GO_ON;
}

static const functions by_kind[TAYLOR_KINDS] = {
    [TAYLOR_CORRIDOR] = {corridor_rhs, corridor_roots, 4, {1, 1, 1, -1}, corridor_at_root},
    [TAYLOR_ARM] = {arm_rhs, arm_roots, 1, {1}, stop_at_root},
    [TAYLOR_RELAY] = {relay_rhs, relay_roots, 1, {0}, relay_at_root},
    [TAYLOR_GARCIA_LINEAR] = {linear_rhs, garcia_roots, 1, {-1}, stop_at_root},
    [TAYLOR_GARCIA_NONLINEAR] = {nonlinear_rhs, garcia_roots, 1, {-1}, stop_at_root},
    [TAYLOR_SPIRALS] = {spirals_rhs, spirals_roots, 1, {-1}, stop_at_root},
    [TAYLOR_SPIRALS_STEADY] = {steady_rhs, spirals_roots, 1, {-1}, stop_at_root},
    [TAYLOR_HENON] = {henon_rhs, henon_roots, 1, {1}, henon_at_root},
};

/* ---- the side ---- */

typedef struct side {
  taylor_solver solver; /* first: a side is a solver */
  const functions *functions;
  situation now;
  SUNContext context;
  N_Vector y;
  SUNNonlinearSolver iteration;
  void *cvode;
  int found[ROOTS];
  bool ok, ended;
  double t;
  long steps, rhs, events;
} side;

static bool make(side *self, double tolerance) {
  const functions *f = self->functions;
  int directions[ROOTS];
  memcpy(directions, f->directions, sizeof directions);
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
         CVodeSetMaxNumSteps(self->cvode, -1) == CV_SUCCESS &&
         CVodeRootInit(self->cvode, f->nroots, f->roots) == CV_SUCCESS &&
         CVodeSetRootDirection(self->cvode, directions) == CV_SUCCESS &&
         CVodeSetNoInactiveRootWarn(self->cvode) == CV_SUCCESS;
}

static void close_side(taylor_solver *solver) {
  side *self = (side *)solver;
  if (self->cvode != NULL) CVodeFree(&self->cvode);
  if (self->iteration != NULL) SUNNonlinSolFree(self->iteration);
  if (self->y != NULL) N_VDestroy(self->y);
  if (self->context != NULL) SUNContext_Free(&self->context);
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

static verdict look_at_roots(side *self) {
  self->events++;
  if (CVodeGetRootInfo(self->cvode, self->found) != CV_SUCCESS) return STOP;
  return self->functions->at_root(&self->now, NV_DATA_S(self->y), self->found);
}

static bool run(taylor_solver *solver, size_t which) {
  side *self = (side *)solver;
  const taylor_problem *problem = solver->problem;
  const taylor_case *c = &problem->cases[which];
  verdict next = RESTART;
  self->now = (situation){.p = c->p};
  self->ok = self->ended = false;
  self->t = 0.0;
  self->steps = self->rhs = self->events = 0;
  memcpy(NV_DATA_S(self->y), c->x, problem->nx * sizeof(double));
  for (;;) {
    if (next == RESTART && CVodeReInit(self->cvode, self->t, self->y) != CV_SUCCESS) return false;
    int flag = CVode(self->cvode, problem->t_end, self->y, &self->t, CV_NORMAL);
    if (flag < 0) return false;
    next = flag == CV_ROOT_RETURN ? look_at_roots(self) : STOP;
    if (next == GO_ON) continue;
    count(self);
    if (next == STOP) self->ended = flag == CV_ROOT_RETURN;
    if (next == STOP) return self->ok = true;
  }
}

static void answer_of(taylor_solver *solver, taylor_answer *answer) {
  side *self = (side *)solver;
  *answer = (taylor_answer){.ok = self->ok,
                            .ended = self->ended,
                            .t = self->t,
                            .steps = self->steps,
                            .rhs = self->rhs,
                            .events = self->events};
  memcpy(answer->x, NV_DATA_S(self->y), solver->problem->nx * sizeof(double));
}

taylor_solver *taylor_open_cvode(const taylor_problem *problem, const taylor_setup *setup) {
  side *self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  self->solver =
      (taylor_solver){.problem = problem, .run = run, .answer = answer_of, .close = close_side};
  self->functions = &by_kind[problem->kind];
  if (make(self, setup->tolerance)) return &self->solver;
  fprintf(stderr, "%s: cvode cannot be set up\n", problem->name);
  close_side(&self->solver);
  return NULL;
}
