/* The audit itself: with the veto switched off and a detector that never limits a step, evaluations
 * past unilateral surfaces happen and are counted; as the library is, there are none. What is
 * counted is compared with the models' own count. */
#include "check.h"
#include "problems/problems.h"
#include "sim/sim.h"

/* Neither looks before a step nor after it; and it claims no paths, so that the loop does not fire what a step has
 * carried past its surface unseen. */
static void see_nothing(brink_detector *det, const brink_path *dense, brink_found *found) {
  (void)det, (void)dense, (void)found;
}

static const brink_detector_ops blind = {
    .events = BRINK_EXTRAPOLATE, .one_sided = false, .needs_paths = false, .after = see_nothing};

typedef enum damage { INTACT, NO_LIMIT, NO_VETO, BLIND } damage;

typedef struct outcome {
  brink_status status;
  long outside; /* by the model's own count */
  brink_stats stats;
} outcome;

static outcome run_damaged(const problem *p, brink_method method, double rtol, damage how) {
  outcome out = {.status = BRINK_ERR_MEMORY};
  problem_probe probe = {.problem = p};
  brink_model_def def = problem_model(p, &probe);
  brink_options options = brink_default_options();
  options.method = method, options.audit = true;
  options.rtol = rtol, options.atol = 1e-3 * rtol;
  options.max_steps = 100000;
  if (method > BRINK_DOPRI) options.step = p->t_end / 100.0;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_diag diag;
  if (brink_model_create(&def, NULL, &diag, &model) == BRINK_OK &&
      brink_sim_create(model, &options, NULL, &diag, &sim) == BRINK_OK) {
    brink_detector_ops late = *sim->detector.ops;
    late.one_sided = false; /* the first question is not asked */
    if (how == NO_LIMIT) sim->detector.ops = &late;
    sim->detector.reach.any = how == INTACT && sim->detector.reach.any; /* it is part of the look */
    if (how == NO_VETO || how == BLIND) sim->eval.checks_domain = false;
    if (how == BLIND) sim->detector.ops = &blind;
    out.status = brink_sim_run(sim, p->t_end, &diag);
    out.stats = *brink_sim_stats(sim);
    out.outside = probe.outside;
  }
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return out;
}

/* The arm that leaves its workspace, tanks that run empty, and other edges of models. */
static const char *const edges[] = {"P2", "C1a", "C1b", "C6", "C7", "C11a", "C11b"};
static const brink_method methods[] = {BRINK_ADAMS, BRINK_DOPRI, BRINK_RK4};
enum { EDGES = sizeof edges / sizeof edges[0], METHODS = sizeof methods / sizeof methods[0] };

TEST(as_it_is_the_library_evaluates_nothing_past_a_surface) {
  for (int k = 0; k < EDGES; k++)
    for (int m = 0; m < METHODS; m++) {
      const problem *p = problem_find(edges[k]);
      outcome out = run_damaged(p, methods[m], 1e-6, INTACT);
      CHECK_MSG(out.status > 0, "%s, %s: %s", p->id, brink_method_name(methods[m]),
                brink_status_text(out.status));
      CHECK_MSG(out.stats.rhs_past_guard == 0 && out.outside == 0,
                "%s, %s: %lld by the audit, %ld by the model", p->id, brink_method_name(methods[m]),
                (long long)out.stats.rhs_past_guard, out.outside);
    }
}

TEST(a_blind_detector_without_a_veto_is_caught_by_the_audit) {
  for (int k = 0; k < EDGES; k++)
    for (int m = 0; m < METHODS; m++) {
      const problem *p = problem_find(edges[k]);
      outcome out = run_damaged(p, methods[m], 1e-6, BLIND);
      CHECK_MSG(out.stats.rhs_past_guard > 0 && out.outside > 0,
                "%s, %s: %lld by the audit, %ld by the model (%s)", p->id,
                brink_method_name(methods[m]), (long long)out.stats.rhs_past_guard, out.outside,
                brink_status_text(out.status));
    }
}

/* The audit sees everything the model sees. */
TEST(the_audit_counts_no_less_than_the_model_itself) {
  for (int k = 0; k < EDGES; k++)
    for (int m = 0; m < METHODS; m++)
      for (int how = INTACT; how <= BLIND; how++) {
        const problem *p = problem_find(edges[k]);
        outcome out = run_damaged(p, methods[m], 1e-6, (damage)how);
        CHECK_MSG(out.stats.rhs_past_guard >= out.outside,
                  "%s, %s, damage %d: %lld by the audit, %ld by the model", p->id,
                  brink_method_name(methods[m]), how, (long long)out.stats.rhs_past_guard,
                  out.outside);
      }
}

/* One line of defence suffices: without the look ahead the veto alone still keeps every evaluation
 * inside. */
TEST(the_veto_alone_keeps_every_evaluation_inside) {
  long long vetoed = 0;
  for (int k = 0; k < EDGES; k++)
    for (int m = 0; m < METHODS; m++) {
      const problem *p = problem_find(edges[k]);
      outcome out = run_damaged(p, methods[m], 1e-6, NO_LIMIT);
      vetoed += out.stats.refused_outside;
      CHECK_MSG(out.stats.rhs_past_guard == 0 && out.outside == 0,
                "%s, %s: %lld by the audit, %ld by the model, %lld vetoed", p->id,
                brink_method_name(methods[m]), (long long)out.stats.rhs_past_guard, out.outside,
                (long long)out.stats.refused_outside);
    }
  CHECK(vetoed > 100); /* it had to */
}

/* The look ahead without the veto is good, but not a guarantee: whatever slips past is counted. */
TEST(without_the_veto_the_look_ahead_lets_little_through) {
  for (int k = 0; k < EDGES; k++) {
    const problem *p = problem_find(edges[k]);
    outcome ahead = run_damaged(p, BRINK_ADAMS, 1e-6, NO_VETO);
    outcome none = run_damaged(p, BRINK_ADAMS, 1e-6, BLIND);
    CHECK_MSG(ahead.stats.rhs_past_guard < none.stats.rhs_past_guard, "%s: %lld, %lld blind", p->id,
              (long long)ahead.stats.rhs_past_guard, (long long)none.stats.rhs_past_guard);
  }
}

int main(void) {
  RUN(as_it_is_the_library_evaluates_nothing_past_a_surface);
  RUN(a_blind_detector_without_a_veto_is_caught_by_the_audit);
  RUN(the_audit_counts_no_less_than_the_model_itself);
  RUN(the_veto_alone_keeps_every_evaluation_inside);
  RUN(without_the_veto_the_look_ahead_lets_little_through);
  return check_done();
}
