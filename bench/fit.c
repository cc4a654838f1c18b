/* fit.c: how well fits find the truth, and what they cost. For each model of problems/fits.h:
 *   - the share of repetitions with new noise in which the 95 % interval of a knob contains its true value;
 *   - runs to the minimum: Levenberg-Marquardt with derivatives against a search without (Sbplx).
 *
 *   scripts/bench fit; build-bench/bench/fit [REPETITIONS [SEED]]   (100, 1000)
 *
 * Repetition k of model j has the noise of the seed SEED + k + 10,000,000 j: models do not share it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "problems/fits.h"

enum { STARTS = 5 };

typedef struct cost {
  double runs, derivative_runs;
  size_t same; /* repetitions that found the same minimum */
} cost;

static bool solve(const fit_case *c, const fit_data *data, brink_fit_method method,
                  brink_hsml **model, brink_fit **fit) {
  brink_diag diag;
  brink_status status = fit_case_make(c, data, true, method, STARTS, model, fit, &diag);
  if (status == BRINK_OK) status = brink_fit_solve(*fit, &diag);
  if (status != BRINK_OK) fprintf(stderr, "%s: %s\n", c->name, diag.message);
  return status == BRINK_OK;
}

/* A whole fit. */
static double count(const fit_case *c, const fit_data *data, brink_fit_method method, cost *sum) {
  brink_hsml *model;
  brink_fit *fit;
  double found = (double)NAN;
  if (solve(c, data, method, &model, &fit)) {
    const brink_fit_result *r = brink_fit_get(fit);
    found = r->sum;
    sum->runs += (double)r->runs;
    sum->derivative_runs += (double)r->derivative_runs;
  }
  brink_fit_destroy(fit);
  brink_hsml_destroy(model);
  return found;
}

static bool cover(const fit_case *c, const fit_data *data, size_t *covered, size_t *noted,
                  double *sum) {
  brink_hsml *model;
  brink_fit *fit;
  bool fine = solve(c, data, BRINK_FIT_AUTO, &model, &fit);
  if (fine) {
    const brink_fit_result *r = brink_fit_get(fit);
    for (size_t k = 0; k < c->nknobs; k++)
      covered[k] += r->values[k].lo <= c->truth[k] && c->truth[k] <= r->values[k].hi;
    *noted += r->nnotes > 0 || !r->converged;
    *sum += r->sum / (double)r->freedom;
  }
  brink_fit_destroy(fit);
  brink_hsml_destroy(model);
  return fine;
}

static bool measure(const fit_case *c, size_t repetitions, size_t seed) {
  fit_data exact, data;
  size_t covered[FIT_KNOBS] = {0}, noted = 0;
  double sum = 0.0;
  cost with = {0}, without = {0};
  if (!fit_case_exact(c, &exact)) return false;
  for (size_t k = 0; k < repetitions; k++) {
    fit_case_disturb(c, &exact, seed + k, &data);
    if (!cover(c, &data, covered, &noted, &sum)) return false;
    if (k >= 10) continue; /* costs hardly differ */
    double a = count(c, &data, BRINK_FIT_DERIVATIVES, &with);
    double b = count(c, &data, BRINK_FIT_SEARCH, &without);
    with.same += fabs(a - b) <= 1e-4 * b;
  }
  double n = repetitions < 10 ? (double)repetitions : 10.0;
  printf("| %s | %s |", c->name, c->kind);
  for (size_t k = 0; k < c->nknobs; k++)
    printf("%s %s %.3g %%", k > 0 ? "," : "", c->knobs[k].name,
           100.0 * (double)covered[k] / (double)repetitions);
  printf(" | %.3f | %zu | %.1f (%.1f) | %.1f | %zu |\n", sum / (double)repetitions, noted,
         with.runs / n, with.derivative_runs / n, without.runs / n, with.same);
  fflush(stdout);
  return true;
}

int main(int argc, char **argv) {
  size_t repetitions = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
  size_t seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
  bool fine = repetitions > 0;
  printf("| model | kind | intervals that contain the truth | sum / freedom | with notes | runs "
         "(with derivatives) | runs of the search | same minimum, of 10 |\n"
         "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (size_t k = 0; k < fit_ncases && fine; k++)
    fine = measure(&fit_cases[k], repetitions, seed + 10000000 * k);
  return fine ? 0 : 1;
}
