/* cvode_peer.c: a hybrid loop around CVODE, as its manual advises.
 *
 * Adams with fixed-point iteration (CVODE's choice for nonstiff problems), serial vectors, scalar
 * tolerances, root finding with directions. Events that only need recording leave the integrator
 * alone; an action is followed by CVodeReInit. Clock ticks are stop times. Everything else is left
 * at its default, but for the limit on the number of steps. */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "support/run.h"

typedef struct peer {
  const bench_problem *problem;
  SUNContext context;
  N_Vector y;
  SUNNonlinearSolver solver;
  void *cvode;
  double *p, *pre_x, *timer;
  int *mode, *pre_mode, *fired;
  brink_env env;
  int64_t tick;
  double rhs, guards, steps, events;
  bench_trace *trace;
} peer;

static int rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  peer *self = user;
  self->rhs++;
  return self->problem->def->rhs(t, N_VGetArrayPointer_Serial(y), &self->env,
                                 N_VGetArrayPointer_Serial(dy));
}

static int roots(realtype t, N_Vector y, realtype *g, void *user) {
  peer *self = user;
  self->guards++;
  self->problem->roots(t, N_VGetArrayPointer_Serial(y), &self->env, g);
  return 0;
}

/* ---- creation ---- */

static bool take_memory(peer *self) {
  const brink_model_def *def = self->problem->def;
  self->p = calloc(def->np + 1, sizeof *self->p);
  self->pre_x = calloc(def->nx, sizeof *self->pre_x);
  self->timer = calloc(def->nclocks + 1, sizeof *self->timer);
  self->mode = calloc(def->nmodes + 1, sizeof *self->mode);
  self->pre_mode = calloc(def->nmodes + 1, sizeof *self->pre_mode);
  self->fired = calloc(def->nguards + 1, sizeof *self->fired);
  if (self->p == NULL || self->pre_x == NULL || self->timer == NULL || self->mode == NULL ||
      self->pre_mode == NULL || self->fired == NULL)
    return false;
  if (def->np > 0) memcpy(self->p, def->p0, def->np * sizeof *self->p);
  if (def->mode0 != NULL) memcpy(self->mode, def->mode0, def->nmodes * sizeof *self->mode);
  self->env = (brink_env){.p = self->p, .mode = self->mode, .user = def->user};
  return true;
}

static bool set_roots(peer *self) {
  const brink_model_def *def = self->problem->def;
  if (def->nguards == 0) return true;
  for (size_t k = 0; k < def->nguards; k++) self->fired[k] = (int)def->guards[k].direction;
  return CVodeRootInit(self->cvode, (int)def->nguards, roots) == CV_SUCCESS &&
         CVodeSetRootDirection(self->cvode, self->fired) == CV_SUCCESS &&
         CVodeSetNoInactiveRootWarn(self->cvode) == CV_SUCCESS;
}

static bool create(peer *self, double tolerance) {
  const brink_model_def *def = self->problem->def;
  if (!take_memory(self) || SUNContext_Create(NULL, &self->context) != 0) return false;
  self->y = N_VNew_Serial((sunindextype)def->nx, self->context);
  if (self->y == NULL) return false;
  memcpy(N_VGetArrayPointer_Serial(self->y), def->x0, def->nx * sizeof(double));
  self->cvode = CVodeCreate(CV_ADAMS, self->context);
  self->solver = SUNNonlinSol_FixedPoint(self->y, 0, self->context);
  return self->cvode != NULL && self->solver != NULL &&
         CVodeInit(self->cvode, rhs, def->t0, self->y) == CV_SUCCESS &&
         CVodeSetUserData(self->cvode, self) == CV_SUCCESS &&
         CVodeSStolerances(self->cvode, tolerance, tolerance) == CV_SUCCESS &&
         CVodeSetNonlinearSolver(self->cvode, self->solver) == CV_SUCCESS &&
         CVodeSetMaxNumSteps(self->cvode, -1) == CV_SUCCESS && set_roots(self);
}

static void destroy(peer *self) {
  if (self->cvode != NULL) CVodeFree(&self->cvode);
  if (self->solver != NULL) SUNNonlinSolFree(self->solver);
  if (self->y != NULL) N_VDestroy(self->y);
  if (self->context != NULL) SUNContext_Free(&self->context);
  free(self->p);
  free(self->pre_x);
  free(self->timer);
  free(self->mode);
  free(self->pre_mode);
  free(self->fired);
}

/* ---- the hybrid loop ---- */

static void count_steps(peer *self) {
  long steps = 0;
  CVodeGetNumSteps(self->cvode, &steps); /* since the last CVodeReInit */
  self->steps += (double)steps;
}

static bool restart(peer *self, double t) {
  count_steps(self);
  return CVodeReInit(self->cvode, t, self->y) == CV_SUCCESS;
}

static brink_now now_of(peer *self, double t) {
  const brink_model_def *def = self->problem->def;
  brink_now now = {.t = t,
                   .x = N_VGetArrayPointer_Serial(self->y),
                   .p = self->p,
                   .mode = self->mode,
                   .timer = self->timer,
                   .pre_x = self->pre_x,
                   .pre_mode = self->pre_mode};
  memcpy(self->pre_x, now.x, def->nx * sizeof *self->pre_x);
  memcpy(self->pre_mode, now.mode, def->nmodes * sizeof *self->pre_mode);
  return now;
}

static void trace_event(peer *self, size_t guard, double t) {
  bench_trace *trace = self->trace;
  self->events++;
  if (trace == NULL || trace->nevents == BENCH_MAX_EVENTS) return;
  trace->guard[trace->nevents] = guard;
  trace->t[trace->nevents++] = t;
}

/* Runs the actions of the guards that fired. False: stop, or failed. */
static bool handle_roots(peer *self, double t, bool *failed) {
  const brink_model_def *def = self->problem->def;
  bool acted = false, stopped = false;
  if (CVodeGetRootInfo(self->cvode, self->fired) != CV_SUCCESS) return !(*failed = true);
  brink_now now = now_of(self, t);
  for (size_t k = 0; k < def->nguards; k++) {
    if (self->fired[k] == 0) continue;
    trace_event(self, k, t);
    if (def->guards[k].action == NULL) continue;
    brink_event event = {
        .guard = k, .t = t, .direction = self->fired[k] > 0 ? BRINK_POSITIVE : BRINK_NEGATIVE};
    acted = true;
    if (def->guards[k].action(&event, &now, def->user) == BRINK_STOPPED) stopped = true;
  }
  if (stopped) return false;
  return !acted || !(*failed = !restart(self, t));
}

static bool handle_tick(peer *self, double t, bool *failed) {
  const brink_model_def *def = self->problem->def;
  brink_now now = now_of(self, t);
  def->clocks[0].tick(0, self->tick++, &now, def->user);
  return !(*failed = !restart(self, t));
}

static double next_tick(const peer *self) {
  const brink_model_def *def = self->problem->def;
  if (def->nclocks == 0) return INFINITY;
  return def->clocks[0].offset + (double)self->tick * def->clocks[0].period;
}

static bool simulate(peer *self, double *t) {
  bool failed = false;
  for (;;) {
    double stop = fmin(self->problem->t_end, next_tick(self));
    CVodeSetStopTime(self->cvode, stop);
    int flag = CVode(self->cvode, stop, self->y, t, CV_NORMAL);
    if (flag < 0) return false;
    if (flag == CV_ROOT_RETURN) {
      if (!handle_roots(self, *t, &failed)) return !failed;
    } else if (*t >= self->problem->t_end) {
      return true;
    } else if (!handle_tick(self, *t, &failed)) {
      return !failed;
    }
  }
}

bench_run bench_run_cvode(const bench_problem *problem, double tolerance, bench_trace *trace) {
  bench_run run = {.ok = false};
  peer self = {.problem = problem, .trace = trace};
  double t = 0;
  if (create(&self, tolerance)) {
    double start = bench_now();
    run.ok = simulate(&self, &t);
    run.seconds = bench_now() - start;
    count_steps(&self);
  }
  run.steps = self.steps;
  run.rhs = self.rhs;
  run.guards = self.guards * (double)problem->def->nguards;
  run.events = self.events;
  if (run.ok && trace != NULL) {
    trace->t_final = t;
    memcpy(trace->x_final, N_VGetArrayPointer_Serial(self.y), problem->def->nx * sizeof(double));
  }
  if (!run.ok) fprintf(stderr, "%s: cvode failed at t = %g\n", problem->name, t);
  destroy(&self);
  return run;
}

/* ---- calibration ---- */

#define CALIBRATION 1000 /* components */

static void linear_sum(double a, const double *x, double b, const double *y, double *z) {
  for (int i = 0; i < CALIBRATION; i++) z[i] = a * x[i] + b * y[i];
}

double bench_cvode_slowness(void) {
  SUNContext context;
  double theirs = INFINITY, ours = INFINITY;
  if (SUNContext_Create(NULL, &context) != 0) return 0;
  N_Vector x = N_VNew_Serial(CALIBRATION, context), y = N_VNew_Serial(CALIBRATION, context);
  N_Vector z = N_VNew_Serial(CALIBRATION, context);
  if (x != NULL && y != NULL && z != NULL) {
    N_VConst(1.5, x);
    N_VConst(2.5, y);
    void (*volatile sum)(double, const double *, double, const double *, double *) = linear_sum;
    for (int k = 0; k < 2000; k++) {
      double start = bench_now();
      N_VLinearSum(0.25 + k, x, 0.5, y, z);
      double middle = bench_now();
      sum(0.25 + k, N_VGetArrayPointer_Serial(x), 0.5, N_VGetArrayPointer_Serial(y),
          N_VGetArrayPointer_Serial(z));
      theirs = fmin(theirs, middle - start);
      ours = fmin(ours, bench_now() - middle);
    }
  }
  N_VDestroy(x);
  N_VDestroy(y);
  N_VDestroy(z);
  SUNContext_Free(&context);
  return theirs / ours;
}
