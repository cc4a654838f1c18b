/* crowd_cvode.c: all cars in one system of CVODE, with a root function for every pair and wall.
 *
 * As its manual advises for nonstiff problems: Adams, fixed-point iteration, root directions, CVodeReInit after
 * each hit. Functions are written by hand, without a layer between. */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "support/crowd.h"

typedef struct peer {
  const crowd_scene *scene;
  const crowd_ask *ask;
  size_t npairs, nroots;
  double *p;
  int *fired;
  SUNContext context;
  N_Vector y, at;
  SUNNonlinearSolver solver;
  void *cvode;
  crowd_answer *answer;
} peer;

static int motion(realtype t, N_Vector y, N_Vector dy, void *user) {
  (void)t;
  const peer *self = user;
  const double *x = N_VGetArrayPointer_Serial(y), *p = self->p;
  double *dx = N_VGetArrayPointer_Serial(dy);
  for (size_t i = 0; i < self->scene->count; i++) {
    double v = p[2 * i], heading = x[3 * i + 2];
    dx[3 * i] = v * cos(heading);
    dx[3 * i + 1] = v * sin(heading);
    dx[3 * i + 2] = p[2 * i + 1];
  }
  return 0;
}

static int roots(realtype t, N_Vector y, realtype *g, void *user) {
  (void)t;
  const peer *self = user;
  const double *x = N_VGetArrayPointer_Serial(y);
  size_t n = self->scene->count;
  for (size_t i = 0; i < n; i++) {
    double ax = x[3 * i], ay = x[3 * i + 1];
    for (size_t j = i + 1; j < n; j++) {
      double u = x[3 * j] - ax, v = x[3 * j + 1] - ay;
      *g++ = sqrt(u * u + v * v) - 2 * CROWD_RADIUS;
    }
  }
  double high = self->scene->size - CROWD_RADIUS;
  for (size_t i = 0; i < n; i++) {
    for (size_t axis = 0; axis < 2; axis++) {
      *g++ = x[3 * i + axis] - CROWD_RADIUS;
      *g++ = high - x[3 * i + axis];
    }
  }
  return 0;
}

/* ---- creation ---- */

static bool set_roots(peer *self) {
  for (size_t k = 0; k < self->nroots; k++) self->fired[k] = -1; /* falling */
  return CVodeRootInit(self->cvode, (int)self->nroots, roots) == CV_SUCCESS &&
         CVodeSetRootDirection(self->cvode, self->fired) == CV_SUCCESS &&
         CVodeSetNoInactiveRootWarn(self->cvode) == CV_SUCCESS;
}

static bool create(peer *self) {
  size_t n = self->scene->count;
  self->npairs = n * (n - 1) / 2;
  self->nroots = self->npairs + 4 * n;
  self->p = calloc(2 * n, sizeof *self->p);
  self->fired = calloc(self->nroots, sizeof *self->fired);
  if (self->p == NULL || self->fired == NULL || SUNContext_Create(NULL, &self->context) != 0)
    return false;
  self->y = N_VNew_Serial((sunindextype)(3 * n), self->context);
  self->at = N_VNew_Serial((sunindextype)(3 * n), self->context);
  if (self->y == NULL || self->at == NULL) return false;
  memcpy(self->p, self->scene->p, 2 * n * sizeof *self->p);
  memcpy(N_VGetArrayPointer_Serial(self->y), self->scene->x, 3 * n * sizeof(double));
  self->cvode = CVodeCreate(CV_ADAMS, self->context);
  self->solver = SUNNonlinSol_FixedPoint(self->y, 0, self->context);
  double tolerance = self->ask->tolerance;
  return self->cvode != NULL && self->solver != NULL &&
         CVodeInit(self->cvode, motion, 0, self->y) == CV_SUCCESS &&
         CVodeSetUserData(self->cvode, self) == CV_SUCCESS &&
         CVodeSStolerances(self->cvode, tolerance, tolerance) == CV_SUCCESS &&
         CVodeSetNonlinearSolver(self->cvode, self->solver) == CV_SUCCESS &&
         CVodeSetMaxNumSteps(self->cvode, -1) == CV_SUCCESS && set_roots(self) &&
         CVodeSetStopTime(self->cvode, self->ask->t_end) == CV_SUCCESS;
}

static void destroy(peer *self) {
  if (self->cvode != NULL) CVodeFree(&self->cvode);
  if (self->solver != NULL) SUNNonlinSolFree(self->solver);
  if (self->y != NULL) N_VDestroy(self->y);
  if (self->at != NULL) N_VDestroy(self->at);
  if (self->context != NULL) SUNContext_Free(&self->context);
  free(self->p);
  free(self->fired);
}

/* ---- the run ---- */

/* Cars of a pair, from its number in the order of roots(). */
static void cars_of(const peer *self, size_t pair, size_t *a, size_t *b) {
  size_t n = self->scene->count, i = 0;
  for (size_t row = n - 1; pair >= row; row--) {
    pair -= row;
    i++;
  }
  *a = i;
  *b = i + 1 + pair;
}

static bool hit(peer *self, double t, size_t root) {
  double *x = N_VGetArrayPointer_Serial(self->y), *p = self->p;
  double restitution = self->scene->restitution;
  size_t a, b = 0;
  int wall = -1;
  if (root < self->npairs) {
    cars_of(self, root, &a, &b);
    crowd_hit_car(restitution, x + 3 * a, p + 2 * a, x + 3 * b, p + 2 * b);
  } else {
    a = (root - self->npairs) / 4;
    wall = (int)((root - self->npairs) % 4);
    crowd_hit_wall(restitution, wall, x + 3 * a, p + 2 * a);
  }
  return crowd_log(self->answer, self->ask, t, a, b, wall);
}

static void count_steps(peer *self) {
  long steps = 0;
  CVodeGetNumSteps(self->cvode, &steps); /* since the last CVodeReInit */
  self->answer->steps += (double)steps;
}

static bool act(peer *self, double t) {
  if (CVodeGetRootInfo(self->cvode, self->fired) != CV_SUCCESS) return false;
  for (size_t k = 0; k < self->nroots; k++) {
    if (self->fired[k] != 0 && !hit(self, t, k)) return false;
  }
  count_steps(self);
  return CVodeReInit(self->cvode, t, self->y) == CV_SUCCESS &&
         CVodeSetStopTime(self->cvode, self->ask->t_end) == CV_SUCCESS;
}

/* Along the last step, up to t. */
static double look(peer *self, crowd_watch *watch, double t) {
  double start = crowd_clock(1);
  while (crowd_watch_next(watch) < t) {
    if (CVodeGetDky(self->cvode, crowd_watch_next(watch), 0, self->at) != CV_SUCCESS) break;
    crowd_watch_look(watch, N_VGetArrayPointer_Serial(self->at), 3);
  }
  return crowd_clock(1) - start;
}

static void run(peer *self, crowd_watch *watch, double *t) {
  double start = crowd_clock(1), aside = 0, t_end = self->ask->t_end;
  bool fine = true;
  while (fine && *t < t_end) {
    int flag = CVode(self->cvode, t_end, self->y, t, CV_ONE_STEP);
    if (watch != NULL && flag >= 0) aside += look(self, watch, *t);
    fine = flag == CV_ROOT_RETURN ? act(self, *t) : flag >= 0;
  }
  self->answer->seconds = crowd_clock(1) - start - aside;
  self->answer->ok = fine;
  count_steps(self);
}

crowd_answer crowd_run_cvode(const crowd_scene *scene, const crowd_ask *ask) {
  crowd_answer answer = {.ok = false};
  peer self = {.scene = scene, .ask = ask, .answer = &answer};
  crowd_watch *watch = crowd_watch_open(scene, ask);
  double t = 0;
  if (create(&self)) run(&self, watch, &t);
  if (!answer.ok) fprintf(stderr, "cars by cvode: failed at t = %g\n", t);
  crowd_watch_close(watch, &answer);
  destroy(&self);
  return answer;
}
