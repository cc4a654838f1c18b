/* test_bdf_accuracy.c: bdf on classical stiff problems, beside their answers and, where SUNDIALS is installed, beside
 * CVODE in the same program. With BDF_VERBOSE in the environment every run is printed. */
#include <stdlib.h>

#include "check.h"
#include "problems/stiff.h"
#ifdef BRINK_WITH_SUNDIALS
#include "problems/stiff_cvode.h"
#endif

static const double tolerances[] = {1e-4, 1e-6, 1e-8};
enum { TOLERANCES = 3 };

typedef struct outcome {
  bool ok;
  double error; /* in rtol */
  brink_stats stats;
} outcome;

static outcome run(const stiff_problem *problem, double rtol) {
  outcome o = {0};
  brink_diag diag;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  double atols[STIFF_STATES];
  for (size_t i = 0; i < problem->nx; i++) atols[i] = rtol * problem->scale[i];
  brink_options options = brink_default_options();
  options.method = BRINK_BDF;
  options.rtol = rtol;
  options.atols = atols;
  o.ok = stiff_model(problem, &diag, &model) == BRINK_OK &&
         brink_sim_create(model, &options, NULL, &diag, &sim) == BRINK_OK &&
         brink_sim_run(sim, problem->t_end, &diag) == BRINK_TIME_REACHED;
  CHECK_MSG(o.ok, "%s at %g: %s", problem->name, rtol, diag.message);
  if (o.ok) o.error = stiff_error(problem, brink_sim_state(sim)) / rtol;
  if (sim != NULL) o.stats = *brink_sim_stats(sim);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return o;
}

/* Sums of logarithms of ratios, and the largest ratio. */
typedef struct ratios {
  double sum, most;
  int count;
} ratios;

static void add(ratios *r, double ratio) {
  r->sum += log(ratio);
  r->most = fmax(r->most, ratio);
  r->count++;
}

static double mean(const ratios *r) {
  return exp(r->sum / r->count);
}

TEST(bdf_is_as_accurate_and_as_cheap_as_cvode) {
  ratios error = {0}, rhs = {0}, factorisations = {0};
  for (int p = 0; p < STIFF_PROBLEMS; p++) {
    for (int k = 0; k < TOLERANCES; k++) {
      const stiff_problem *problem = &stiff_problems[p];
      outcome o = run(problem, tolerances[k]);
      CHECK_MSG(o.error <= 300.0, "%s at %g: the error is %g rtol", problem->name, tolerances[k],
                o.error);
      if (getenv("BDF_VERBOSE"))
        printf("%-16s %5.0e  bdf   error %8.3g  steps %6ld  rejected %4ld  rhs %6ld  LU %5ld  J "
               "%4ld\n",
               problem->name, tolerances[k], o.error, (long)o.stats.steps, (long)o.stats.rejected,
               (long)o.stats.rhs, (long)o.stats.factorisations, (long)o.stats.jacobians);
#ifdef BRINK_WITH_SUNDIALS
      stiff_work c = stiff_by_cvode(problem, tolerances[k]);
      CHECK(c.ok);
      double off = stiff_error(problem, c.x) / tolerances[k];
      add(&error, o.error / off);
      add(&rhs, (double)o.stats.rhs / (double)c.rhs);
      add(&factorisations, (double)o.stats.factorisations / (double)c.factorisations);
      if (getenv("BDF_VERBOSE"))
        printf("%-16s %5.0e  cvode error %8.3g  steps %6ld                 rhs %6ld  LU %5ld  J "
               "%4ld   %.2f %.2f\n",
               problem->name, tolerances[k], off, c.steps, c.rhs, c.factorisations, c.jacobians,
               (double)o.stats.rhs / (double)c.rhs,
               (double)o.stats.factorisations / (double)c.factorisations);
#endif
    }
  }
  if (error.count == 0) return;
  if (getenv("BDF_VERBOSE"))
    printf("of CVODE's: error %.3f, right-hand sides %.3f (at most %.3f), factorisations %.3f\n",
           mean(&error), mean(&rhs), rhs.most, mean(&factorisations));
  CHECK_MSG(mean(&error) <= 1.5, "errors are %.3f of CVODE's", mean(&error));
  CHECK_MSG(mean(&rhs) <= 1.15, "right-hand sides are %.3f of CVODE's", mean(&rhs));
  CHECK_MSG(rhs.most <= 1.5, "right-hand sides are %.3f of CVODE's in one run", rhs.most);
  CHECK_MSG(mean(&factorisations) <= 1.0, "factorisations are %.3f of CVODE's",
            mean(&factorisations));
}

int main(void) {
  RUN(bdf_is_as_accurate_and_as_cheap_as_cvode);
  return check_done();
}
