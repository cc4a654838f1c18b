/* The promise of one-sided detection: under `extrapolate` the right-hand side is never evaluated
 * past a unilateral guard. A thousand random starts for every problem that has one; the models
 * count for themselves, beside the library's audit. */
#include "check.h"
#include "support/runner.h"

static run_result result;

/* Another start inside the domain: each state moved by at most its spread. */
static bool random_start(const problem *p, uint64_t *seed, double *x) {
  const double *x0 = p->x0 != NULL ? p->x0 : p->def->x0;
  int mode[RUN_MODES] = {0};
  brink_env env = {.p = p->p0 != NULL ? p->p0 : p->def->p0, .mode = mode};
  for (int attempt = 0; attempt < 100; attempt++) {
    for (size_t i = 0; i < p->def->nx; i++)
      x[i] = x0[i] + p->spread[i] * (2 * run_random(seed) - 1);
    if (p->inside(p->def->t0, x, &env)) return true;
  }
  return false;
}

/* Did an event leave the state on the far side of its guard? */
static bool landed_past(const problem *p) {
  for (size_t k = 0; k < result.nevents && k < RUN_EVENTS; k++) {
    const brink_event *event = &result.events[k].event;
    if (p->def->guards[event->guard].side == BRINK_UNILATERAL && event->kind != BRINK_JUMPED &&
        (double)event->direction * event->value > 0)
      return true;
  }
  return false;
}

/* A thousand runs, judged together: one line for a problem that fails. */
static void run_thousand(const problem *p, brink_method method) {
  static const double tolerances[] = {1e-3, 1e-4, 1e-6, 1e-8};
  uint64_t seed = 2007;
  int outside = 0, past = 0, failed = 0;
  char message[BRINK_DIAG_MESSAGE] = "";
  for (int k = 0; k < 1000; k++) {
    problem_probe probe;
    brink_model_def def = problem_model(p, &probe);
    double x[PROBLEM_STATES];
    bool found = random_start(p, &seed, x);
    CHECK_MSG(found, "%s: no start inside the domain", p->id);
    if (!found) return;
    def.x0 = x;
    brink_options options = run_options(method, BRINK_EXTRAPOLATE, tolerances[k % 4]);
    run_problem(p, &def, &options, &result);
    if (result.outside != 0 || result.stats.rhs_past_guard != 0) outside++;
    if (landed_past(p)) past++;
    if (result.status == BRINK_TIME_REACHED || result.status == BRINK_STOPPED ||
        result.status == BRINK_ERR_ZENO)
      continue;
    if (failed++ == 0) memcpy(message, result.diag.message, sizeof message);
  }
  CHECK_MSG(outside == 0, "%s, %s: %d of 1000 runs evaluated the right-hand side outside", p->id,
            brink_method_name(method), outside);
  CHECK_MSG(past == 0, "%s, %s: %d of 1000 runs landed past a guard", p->id,
            brink_method_name(method), past);
  CHECK_MSG(failed == 0, "%s, %s: %d of 1000 runs failed, first: %s", p->id,
            brink_method_name(method), failed, message);
}

static void run_every(brink_method method) {
  for (size_t i = 0; i < problem_count(); i++)
    if (problem_at(i)->spread != NULL) run_thousand(problem_at(i), method);
}

TEST(adams_never_looks_past_a_unilateral_guard) {
  run_every(BRINK_ADAMS);
}
TEST(dopri_never_looks_past_a_unilateral_guard) {
  run_every(BRINK_DOPRI);
}

int main(void) {
  RUN(adams_never_looks_past_a_unilateral_guard);
  RUN(dopri_never_looks_past_a_unilateral_guard);
  return check_done();
}
