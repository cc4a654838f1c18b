/* stiff.c: bdf beside CVODE's BDF, at equal tolerances: same right-hand sides, same Jacobians, one process.
 *
 *   stiff           the classical problems at 1e-4, 1e-6, 1e-8
 *   stiff rod [N]   a rod of N cells (100000) with a thermostat, to t = 10 at 1e-6; CVODE with KLU
 *
 * Ratios are Brink/CVODE. The rod's switches are checked against the exact ones of N = 100000. */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <time.h>

#include "problems/stiff.h"
#include "problems/stiff_cvode.h"

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the classical problems ---- */

static bool by_bdf(const stiff_problem *problem, double rtol, stiff_work *work) {
  brink_diag diag;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  double atols[STIFF_STATES];
  for (size_t i = 0; i < problem->nx; i++) atols[i] = rtol * problem->scale[i];
  brink_options options = brink_default_options();
  options.method = BRINK_BDF;
  options.rtol = rtol;
  options.atols = atols;
  work->ok = stiff_model(problem, &diag, &model) == BRINK_OK &&
             brink_sim_create(model, &options, NULL, &diag, &sim) == BRINK_OK &&
             brink_sim_run(sim, problem->t_end, &diag) == BRINK_TIME_REACHED;
  if (work->ok) {
    const brink_stats *stats = brink_sim_stats(sim);
    memcpy(work->x, brink_sim_state(sim), problem->nx * sizeof(double));
    work->steps = (long)stats->steps;
    work->rhs = (long)stats->rhs;
    work->factorisations = (long)stats->factorisations;
  }
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return work->ok;
}

static int classical(void) {
  static const double tolerances[] = {1e-4, 1e-6, 1e-8};
  double sums[4] = {0.0};
  int count = 0;
  printf("| problem | rtol | error/rtol | CVODE's | steps | CVODE's | rhs | LU | time |\n");
  printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (int p = 0; p < STIFF_PROBLEMS; p++) {
    for (int k = 0; k < 3; k++, count++) {
      const stiff_problem *problem = &stiff_problems[p];
      stiff_work brink = {0}, cvode = {0};
      double best[2] = {INFINITY, INFINITY};
      for (int turn = 0; turn < 5; turn++) {
        double start = seconds();
        if (!by_bdf(problem, tolerances[k], &brink)) return 1;
        double middle = seconds();
        cvode = stiff_by_cvode(problem, tolerances[k]);
        if (!cvode.ok) return 1;
        best[0] = fmin(best[0], middle - start);
        best[1] = fmin(best[1], seconds() - middle);
      }
      double error[2] = {stiff_error(problem, brink.x) / tolerances[k],
                         stiff_error(problem, cvode.x) / tolerances[k]};
      double ratios[4] = {error[0] / error[1], (double)brink.rhs / (double)cvode.rhs,
                          (double)brink.factorisations / (double)cvode.factorisations,
                          best[0] / best[1]};
      for (int j = 0; j < 4; j++) sums[j] += log(ratios[j]);
      printf("| %s | %g | %.3g | %.3g | %ld | %ld | %.2f | %.2f | %.2f |\n", problem->name,
             tolerances[k], error[0], error[1], brink.steps, cvode.steps, ratios[1], ratios[2],
             ratios[3]);
    }
  }
  printf("geometric means: error %.2f, right-hand sides %.2f, factorisations %.2f, time %.2f\n",
         exp(sums[0] / count), exp(sums[1] / count), exp(sums[2] / count), exp(sums[3] / count));
  return 0;
}

/* ---- the rod ---- */

typedef struct rod {
  size_t n;
  double q; /* heating */
} rod;

static void rod_field(const rod *r, const double *u, double q, double *du) {
  size_t n = r->n;
  double c = 0.1 * (double)n * (double)n;
  du[0] = c * (u[1] - u[0]) - 0.5 * u[0] + (double)n * q;
  for (size_t i = 1; i + 1 < n; i++) du[i] = c * (u[i - 1] - 2.0 * u[i] + u[i + 1]) - 0.5 * u[i];
  du[n - 1] = c * (u[n - 2] - u[n - 1]) - 0.5 * u[n - 1];
}

static void rod_values(const rod *r, double *values) {
  double c = 0.1 * (double)r->n * (double)r->n;
  for (size_t j = 0, k = 0; j < r->n; j++) {
    if (j > 0) values[k++] = c;
    values[k++] = (j > 0 && j + 1 < r->n ? -2.0 * c : -c) - 0.5;
    if (j + 1 < r->n) values[k++] = c;
  }
}

typedef struct rod_result {
  bool ok;
  double switches[32], seconds;
  int count;
  long steps, factorisations;
} rod_result;

static int rod_rhs(double t, const double *u, const brink_env *env, double *du) {
  (void)t;
  rod_field(env->user, u, env->mode[0] == 0 ? 2.0 : 0.0, du);
  return 0;
}

static int rod_jacobian(double t, const double *u, const brink_env *env, double *values) {
  (void)t, (void)u;
  rod_values(env->user, values);
  return 0;
}

static int rod_switch(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  now->mode[0] = event->guard == 0 ? 1 : 0;
  return 0;
}

static int rod_note(const brink_event_record *record, void *user) {
  rod_result *result = user;
  if (result->count < 32) result->switches[result->count++] = record->event.t;
  return 0;
}

static rod_result rod_by_brink(rod *r, double t_end, double rtol) {
  rod_result result = {0};
  size_t n = r->n, entries = 0, sensor = n / 2 - 1;
  static const double one = 1.0;
  double *u0 = calloc(n, sizeof *u0);
  size_t *starts = calloc(n + 1, sizeof *starts), *rows = calloc(3 * n, sizeof *rows);
  for (size_t j = 0; j < n; j++) {
    for (size_t i = j > 0 ? j - 1 : 0; i <= j + 1 && i < n; i++) rows[entries++] = i;
    starts[j + 1] = entries;
  }
  brink_guard_def guards[2] = {brink_default_guard("hot"), brink_default_guard("cold")};
  for (int k = 0; k < 2; k++) {
    guards[k].depends = &sensor, guards[k].ndepends = 1, guards[k].coefficients = &one;
    guards[k].offset = k == 0 ? -1.0 : -0.9;
    guards[k].direction = k == 0 ? BRINK_POSITIVE : BRINK_NEGATIVE;
    guards[k].action = rod_switch;
  }
  brink_model_def def = brink_default_model();
  def.name = "rod", def.nx = n, def.x0 = u0, def.nmodes = 1, def.rhs = rod_rhs, def.user = r;
  def.jacobian = rod_jacobian, def.jacobian_pattern = (brink_sparsity){starts, rows};
  def.nguards = 2, def.guards = guards;
  brink_options options = brink_default_options();
  options.method = BRINK_BDF, options.rtol = rtol, options.atol = 1e-3 * rtol;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_diag diag;
  double start = seconds();
  if (brink_model_create(&def, NULL, &diag, &model) == BRINK_OK &&
      brink_sim_create(model, &options, NULL, &diag, &sim) == BRINK_OK) {
    brink_sim_set_sink(sim, &(brink_sink){.event = rod_note, .user = &result});
    result.ok = brink_sim_run(sim, t_end, &diag) == BRINK_TIME_REACHED;
    result.steps = (long)brink_sim_stats(sim)->steps;
    result.factorisations = (long)brink_sim_stats(sim)->factorisations;
  }
  result.seconds = seconds() - start;
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  free(u0), free(starts), free(rows);
  return result;
}

static int rod_cvode_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  (void)t;
  rod_field(user, N_VGetArrayPointer_Serial(y), ((rod *)user)->q, N_VGetArrayPointer_Serial(dy));
  return 0;
}

static int rod_cvode_jacobian(realtype t, N_Vector y, N_Vector fy, SUNMatrix j, void *user,
                              N_Vector a, N_Vector b, N_Vector c) {
  const rod *r = user;
  (void)t, (void)y, (void)fy, (void)a, (void)b, (void)c;
  sunindextype *starts = SUNSparseMatrix_IndexPointers(j), *rows = SUNSparseMatrix_IndexValues(j);
  sunindextype entries = 0, n = (sunindextype)r->n;
  for (sunindextype k = 0; k < n; k++) {
    starts[k] = entries;
    for (sunindextype i = k > 0 ? k - 1 : 0; i <= k + 1 && i < n; i++) rows[entries++] = i;
  }
  starts[n] = entries;
  rod_values(r, SUNSparseMatrix_Data(j));
  return 0;
}

static int rod_roots(realtype t, N_Vector y, realtype *g, void *user) {
  (void)t;
  double u = N_VGetArrayPointer_Serial(y)[((rod *)user)->n / 2 - 1];
  g[0] = u - 1.0;
  g[1] = u - 0.9;
  return 0;
}

static rod_result rod_by_cvode(rod *r, double t_end, double rtol) {
  rod_result result = {0};
  SUNContext context = NULL;
  SUNContext_Create(NULL, &context);
  sunindextype n = (sunindextype)r->n;
  double start = seconds(), t = 0.0;
  N_Vector y = N_VNew_Serial(n, context);
  N_VConst(0.0, y);
  SUNMatrix matrix = SUNSparseMatrix(n, n, 3 * n, CSC_MAT, context);
  SUNLinearSolver solver = SUNLinSol_KLU(y, matrix, context);
  void *cvode = CVodeCreate(CV_BDF, context);
  int directions[2] = {1, -1}, status = CV_SUCCESS;
  r->q = 2.0;
  CVodeInit(cvode, rod_cvode_rhs, 0.0, y);
  CVodeSStolerances(cvode, rtol, 1e-3 * rtol);
  CVodeSetUserData(cvode, r);
  CVodeSetLinearSolver(cvode, solver, matrix);
  CVodeSetJacFn(cvode, rod_cvode_jacobian);
  CVodeSetMaxNumSteps(cvode, -1);
  CVodeRootInit(cvode, 2, rod_roots);
  CVodeSetRootDirection(cvode, directions);
  while (t < t_end && status >= 0) {
    CVodeSetStopTime(cvode, t_end);
    status = CVode(cvode, t_end, y, &t, CV_NORMAL);
    if (status != CV_ROOT_RETURN) break;
    int found[2];
    long steps, setups;
    CVodeGetRootInfo(cvode, found);
    CVodeGetNumSteps(cvode, &steps);
    CVodeGetNumLinSolvSetups(cvode, &setups);
    result.steps += steps, result.factorisations += setups;
    if (result.count < 32) result.switches[result.count++] = t;
    r->q = found[0] != 0 ? 0.0 : 2.0;
    CVodeReInit(cvode, t, y);
  }
  long steps = 0, setups = 0;
  CVodeGetNumSteps(cvode, &steps);
  CVodeGetNumLinSolvSetups(cvode, &setups);
  result.steps += steps, result.factorisations += setups;
  result.ok = status >= 0;
  result.seconds = seconds() - start;
  CVodeFree(&cvode);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return result;
}

static int rods(size_t n) {
  static const double exact[] = {
      1.124170681149487857,  2.4130447143670228131, 2.9640799961509135557, 4.1661456170528857886,
      4.7163525539806043739, 5.9181730021059255207, 6.4683772192466344775, 7.6701968789986620495,
      8.2204010859633407432, 9.42222074406236146,   9.9724249508986089163};
  rod r = {.n = n};
  rod_result results[2] = {rod_by_brink(&r, 10.0, 1e-6), rod_by_cvode(&r, 10.0, 1e-6)};
  for (int k = 0; k < 2; k++) {
    double worst = 0.0;
    for (int j = 0; j < results[k].count && j < 11 && n == 100000; j++)
      worst = fmax(worst, fabs(results[k].switches[j] - exact[j]));
    printf("%-6s %s, %d switches, worst off by %.2g, %ld steps, %ld factorisations, %.2f s\n",
           k == 0 ? "brink" : "CVODE", results[k].ok ? "done" : "failed", results[k].count, worst,
           results[k].steps, results[k].factorisations, results[k].seconds);
  }
  printf("time %.2f of CVODE's\n", results[0].seconds / results[1].seconds);
  return results[0].ok && results[1].ok ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "rod") == 0)
    return rods(argc > 2 ? strtoul(argv[2], NULL, 10) : 100000);
  return classical();
}
