/* constraints.c: what other solvers do with an edge in a stiff model, and with a pendulum of index 3.
 *
 *   constraints [PERIODS]
 *
 * Edge: h' = -1e6 (h - cos t) - sin t, w' = sqrt(h), h(0) = 2, w(0) = 0. h reaches 0 at t = pi/2 with slope -1, in the middle
 * of a stiff phase, and w' has no value past it. CVODE (BDF, dense, root function h) is given the model as it is, where
 * sqrt gives a NaN, and with a right-hand side that refuses points with h < 0. Both times its iterations go past the edge.
 * Pendulum: x'' = -lam x, y'' = -lam y - 9.81, 0 = x^2 + y^2 - 1, from (1, 0) at rest, over a thousand periods. IDA is given
 * the constraint, its first and its second derivative (index 3, 2, 1); with lam in the error test, and without.
 * Beside both Brink, with the models of the tests. Work and errors are counted, not timed. */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#ifdef BRINK_WITH_IDA
#include <ida/ida.h>
#endif

#define G 9.81
#define PERIOD 2.3678419475762374493
#define MOST_STEPS 10000000

/* ---- the edge ---- */

typedef struct count {
  long all, past;
  bool refuses;
} count;

static int edge_rhs(realtype t, N_Vector Y, N_Vector D, void *user) {
  const double *y = N_VGetArrayPointer(Y);
  double *d = N_VGetArrayPointer(D);
  count *c = user;
  c->all++;
  if (y[0] < 0.0) {
    c->past++;
    if (c->refuses) return 1;
  }
  d[0] = -1e6 * (y[0] - cos(t)) - sin(t);
  d[1] = sqrt(y[0]);
  return 0;
}

static int edge_root(realtype t, N_Vector Y, realtype *g, void *user) {
  (void)t, (void)user;
  g[0] = N_VGetArrayPointer(Y)[0];
  return 0;
}

/* A solver that fails says so itself, many lines long. */
static void quiet(int code, const char *module, const char *function, char *message, void *user) {
  (void)code, (void)module, (void)function, (void)message, (void)user;
}

static void edge_by_cvode(SUNContext context, double tolerance, bool refuses) {
  count c = {.refuses = refuses};
  N_Vector Y = N_VNew_Serial(2, context);
  double *y = N_VGetArrayPointer(Y), t = 0.0;
  y[0] = 2.0;
  y[1] = 0.0;
  void *memory = CVodeCreate(CV_BDF, context);
  SUNMatrix A = SUNDenseMatrix(2, 2, context);
  SUNLinearSolver solver = SUNLinSol_Dense(Y, A, context);
  CVodeInit(memory, edge_rhs, 0.0, Y);
  CVodeSStolerances(memory, tolerance, tolerance / 1000.0);
  CVodeSetLinearSolver(memory, solver, A);
  CVodeSetUserData(memory, &c);
  CVodeSetErrHandlerFn(memory, quiet, NULL);
  CVodeSetMaxNumSteps(memory, MOST_STEPS);
  CVodeRootInit(memory, 1, edge_root);
  int flag = CVode(memory, 2.0, Y, &t, CV_NORMAL);
  long steps = 0;
  CVodeGetNumSteps(memory, &steps);
  printf("  %-6.0e CVODE%-10s %s, flag %d, %ld steps, %ld right-hand sides, %ld past the edge\n",
         tolerance, refuses ? ", refuses" : "", flag == CV_ROOT_RETURN ? "event" : "no event", flag,
         steps, c.all, c.past);
  CVodeFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(A);
  N_VDestroy(Y);
}

/* ---- the pendulum ---- */

#ifdef BRINK_WITH_IDA
static int pendulum(realtype t, N_Vector Y, N_Vector YP, N_Vector R, void *user) {
  const double *y = N_VGetArrayPointer(Y), *p = N_VGetArrayPointer(YP);
  double *r = N_VGetArrayPointer(R), length = y[0] * y[0] + y[1] * y[1];
  (void)t;
  r[0] = p[0] - y[2];
  r[1] = p[1] - y[3];
  r[2] = p[2] + y[4] * y[0];
  r[3] = p[3] + y[4] * y[1] + G;
  switch (*(const int *)user) {
  case 3:
    r[4] = length - 1.0;
    break;
  case 2:
    r[4] = y[0] * y[2] + y[1] * y[3];
    break;
  default:
    r[4] = y[2] * y[2] + y[3] * y[3] - y[4] * length - G * y[1];
  }
  return 0;
}

static void pendulum_by_ida(SUNContext context, int index, bool tests_all, double end) {
  N_Vector Y = N_VNew_Serial(5, context), YP = N_VNew_Serial(5, context);
  N_Vector id = N_VNew_Serial(5, context);
  double *y = N_VGetArrayPointer(Y), *p = N_VGetArrayPointer(YP), t = 0.0;
  N_VConst(0.0, Y);
  N_VConst(0.0, YP);
  N_VConst(1.0, id);
  y[0] = 1.0;
  p[3] = -G;
  N_VGetArrayPointer(id)[4] = 0.0;
  void *memory = IDACreate(context);
  SUNMatrix A = SUNDenseMatrix(5, 5, context);
  SUNLinearSolver solver = SUNLinSol_Dense(Y, A, context);
  IDAInit(memory, pendulum, 0.0, Y, YP);
  IDASStolerances(memory, 1e-9, 1e-12);
  IDASetLinearSolver(memory, solver, A);
  IDASetUserData(memory, &index);
  IDASetId(memory, id);
  IDASetSuppressAlg(memory, !tests_all);
  IDASetErrHandlerFn(memory, quiet, NULL);
  IDASetMaxNumSteps(memory, MOST_STEPS);
  int flag = IDASolve(memory, end, &t, Y, YP, IDA_NORMAL);
  long steps = 0;
  IDAGetNumSteps(memory, &steps);
  if (flag < 0) IDAGetCurrentTime(memory, &t);
  printf("  IDA, index %d, lam %s the error test: t = %.3g, %ld steps, length off by %.1e%s\n",
         index, tests_all ? "in" : "not in", t, steps, fabs(hypot(y[0], y[1]) - 1.0),
         flag < 0 ? ", given up" : "");
  IDAFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(A);
  N_VDestroy(Y);
  N_VDestroy(YP);
  N_VDestroy(id);
}
#endif

/* ---- Brink ---- */

/* Members of the summary of a run. */
static void by_brink(const char *arguments, const char *const *members) {
  static char text[1 << 22]; /* thousands of events */
  char command[1000];
  snprintf(command, sizeof command, "'%s' run %s --json --audit", BRINK_PROGRAM, arguments);
  FILE *pipe = popen(command, "r");
  size_t length = pipe != NULL ? fread(text, 1, sizeof text - 1, pipe) : 0;
  if (pipe != NULL) pclose(pipe);
  text[length] = '\0';
  printf("  Brink, %s:", strrchr(arguments, ' ') + 1);
  for (; *members != NULL; members++) {
    const char *at = strstr(text, *members);
    if (at != NULL) printf(" %.*s", (int)strcspn(at, ",}"), at);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  static const char *const of_edge[] = {"\"t\":1.57", "\"steps\"", "\"rhs\"", "\"rhs_past_guard\"",
                                        NULL};
  static const char *const of_pendulum[] = {"\"t\"", "\"steps\"", "\"bob.error_of_length\"", NULL};
  double end = (argc > 1 ? atof(argv[1]) : 1000.0) * PERIOD;
  SUNContext context;
  char arguments[500];
  SUNContext_Create(NULL, &context);
  printf("edge\n");
  for (int k = 4; k <= 8; k += 2) {
    edge_by_cvode(context, pow(10.0, -k), false);
    edge_by_cvode(context, pow(10.0, -k), true);
    snprintf(arguments, sizeof arguments,
             "tests/lang/dae/stiff-edge.hsml --until 2 --tolerance 1e-%d --method bdf", k);
    by_brink(arguments, of_edge);
  }
  printf("pendulum, %g\n", end);
#ifdef BRINK_WITH_IDA
  for (int index = 3; index > 0; index--) {
    pendulum_by_ida(context, index, true, end);
    pendulum_by_ida(context, index, false, end);
  }
#else
  printf("  IDA was not found\n");
#endif
  static const char *const methods[] = {"taylor", "adams", "bdf"};
  for (int k = 0; k < 3; k++) {
    snprintf(arguments, sizeof arguments,
             "models/cartesian-pendulum/model.hsml --until %.17g --tolerance 1e-9 --method %s", end,
             methods[k]);
    by_brink(arguments, of_pendulum);
  }
  SUNContext_Free(&context);
  return 0;
}
