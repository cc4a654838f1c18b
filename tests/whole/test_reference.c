/* Every problem of the table, by every sound pair of method and detector, at three tolerances,
 * against its exact answer; the bounds are those of support/runner.h. */
#include "check.h"
#include "support/runner.h"

static const double tolerances[] = {1e-4, 1e-6, 1e-9};
enum { TOLERANCES = 3 };

static run_result result, reference;

/* Where the right-hand side ends at a guard, only a one-sided detector can run. */
static bool can_run(const problem *p, brink_events events) {
  return events == BRINK_EXTRAPOLATE || !(p->flags & PROBLEM_ONE_SIDED);
}

static brink_options reference_options(const problem *p) {
  return run_options(BRINK_ADAMS,
                     p->flags & PROBLEM_ONE_SIDED ? BRINK_EXTRAPOLATE : BRINK_INTERPOLATE, 1e-12);
}

/* The worst error of an event, in units of its guard; NAN where the run was undecided or failed. */
static double run_one(const problem *p, brink_method method, brink_events events, double rtol,
                      double atol) {
  brink_options options = run_options(method, events, rtol);
  options.atol = atol;
  run_sampled(p, &options, &result);
  run_verdict verdict = run_judge(p, &options, &result, &reference);
  CHECK_MSG(verdict.ok, "%s, %s/%s at %g: %s", p->id, brink_method_name(method),
            brink_events_name(events), rtol, verdict.message);
  if (p->inside != NULL && events == BRINK_EXTRAPOLATE)
    CHECK_MSG(result.outside == 0 && result.stats.rhs_past_guard == 0,
              "%s, %s/%s at %g: %ld evaluations outside by the model's count, %lld by the audit",
              p->id, brink_method_name(method), brink_events_name(events), rtol, result.outside,
              (long long)result.stats.rhs_past_guard);
  return verdict.ok && !verdict.undecided ? verdict.worst_time : (double)NAN;
}

/* All problems; and errors must fall by 100 over five decades of the tolerance, or be at the level
 * of rounding; at singular edges, whose time goes with a root of the guard, by 10, or to what 30
 * tolerances of 1e-12 are worth there. atol = ratio*rtol. */
static void run_all(brink_method method, brink_events events, double ratio) {
  for (size_t i = 0; i < problem_count(); i++) {
    const problem *p = problem_at(i);
    if (!can_run(p, events)) continue;
    brink_options options = reference_options(p);
    run_sampled(p, &options, &reference);
    bool edge = p->flags & PROBLEM_ONE_SIDED;
    double worst[TOLERANCES];
    for (int k = 0; k < TOLERANCES; k++)
      worst[k] = run_one(p, method, events, tolerances[k], ratio * tolerances[k]);
    if (!isnan(worst[0]) && !isnan(worst[TOLERANCES - 1]))
      CHECK_MSG(worst[TOLERANCES - 1] <= (edge ? 0.1 * worst[0] + 5e-5 : 0.01 * worst[0] + 1e-7),
                "%s, %s/%s: error %.2g at 1e-4, %.2g at 1e-9", p->id, brink_method_name(method),
                brink_events_name(events), worst[0], worst[TOLERANCES - 1]);
  }
}

TEST(adams_with_extrapolation_gets_every_problem_right) {
  run_all(BRINK_ADAMS, BRINK_EXTRAPOLATE, 1e-3);
}
TEST(adams_with_extrapolation_is_right_with_equal_tolerances) {
  run_all(BRINK_ADAMS, BRINK_EXTRAPOLATE, 1);
}
TEST(adams_with_interpolation_gets_every_problem_right) {
  run_all(BRINK_ADAMS, BRINK_INTERPOLATE, 1e-3);
}
TEST(dopri_with_interpolation_gets_every_problem_right) {
  run_all(BRINK_DOPRI, BRINK_INTERPOLATE, 1e-3);
}
TEST(dopri_with_extrapolation_gets_every_problem_right) {
  run_all(BRINK_DOPRI, BRINK_EXTRAPOLATE, 1e-3);
}

/* The yardstick of the tests above, itself held against the exact answers at 1e-9. */
TEST(runs_at_1e_12_are_right_to_1e_9) {
  for (size_t i = 0; i < problem_count(); i++) {
    const problem *p = problem_at(i);
    brink_options options = reference_options(p);
    run_sampled(p, &options, &reference);
    options.rtol = options.atol = 1e-9;
    run_verdict verdict = run_judge(p, &options, &reference, &reference);
    CHECK_MSG(verdict.ok, "%s: %s", p->id, verdict.message);
  }
}

/* Output by dense output must not disturb the run: the same events, to the bit. */
TEST(sampling_does_not_change_a_run) {
  for (size_t i = 0; i < problem_count(); i++) {
    const problem *p = problem_at(i);
    brink_options options = run_options(BRINK_ADAMS, BRINK_EXTRAPOLATE, 1e-6);
    run_problem(p, NULL, &options, &reference);
    run_sampled(p, &options, &result);
    CHECK_MSG(result.status == reference.status && result.nevents == reference.nevents &&
                  result.t == reference.t,
              "%s: %zu events to %.17g alone, %zu to %.17g sampled", p->id, reference.nevents,
              reference.t, result.nevents, result.t);
    for (size_t k = 0; k < result.nevents && k < reference.nevents && k < RUN_EVENTS; k++)
      CHECK_MSG(result.events[k].event.t == reference.events[k].event.t,
                "%s: event %zu at %.17g alone, at %.17g sampled", p->id, k,
                reference.events[k].event.t, result.events[k].event.t);
  }
}

/* What an event causes at its own instant follows it in order, at exactly the same time, and says
 * so in its kind and iteration. */
static void check_chain(const char *id, const int *iterations) {
  const problem *p = problem_find(id);
  brink_options options = run_options(BRINK_ADAMS, BRINK_EXTRAPOLATE, 1e-6);
  run_problem(p, NULL, &options, &result);
  CHECK_INT(result.nevents, p->nevents);
  for (size_t k = 0; k < p->nevents && k < result.nevents; k++) {
    const brink_event *event = &result.events[k].event;
    CHECK_MSG(event->iteration == iterations[k], "%s, event %zu: iteration %d", id, k,
              event->iteration);
    CHECK_MSG((event->kind == BRINK_JUMPED) == (iterations[k] > 0), "%s, event %zu: kind %d", id, k,
              (int)event->kind);
    if (k > 0 && iterations[k] > iterations[k - 1] && p->events[k].t == p->events[k - 1].t)
      CHECK(event->t == result.events[k - 1].event.t);
  }
}

TEST(chains_of_events_share_one_instant) {
  check_chain("M8b", (const int[]){0, 1});
  check_chain("S4", (const int[]){0, 1, 2, 0, 0, 1, 2, 0});
  check_chain("C8", (const int[]){0, 1, 0, 1, 0, 1, 0, 1}); /* the clock lifts the guard */
}

/* Impact n at t_inf - gap ratio^n, for as long as the gaps can be resolved. */
static void follow_to_the_limit(const char *id, double limit, double gap, double ratio) {
  const problem *p = problem_find(id);
  brink_options options = run_options(BRINK_ADAMS, BRINK_EXTRAPOLATE, 1e-9);
  run_problem(p, NULL, &options, &result);
  CHECK_MSG(result.status == BRINK_ERR_ZENO, "%s ended: %s", id, brink_status_text(result.status));
  CHECK_MSG(result.nevents >= 15, "%s: only %zu events seen", id, result.nevents);
  for (size_t n = 0; n < result.nevents && n < RUN_EVENTS; n++) {
    double t = limit - gap * pow(ratio, (double)n);
    CHECK_MSG(fabs(result.events[n].event.t - t) <= 1e-6, "%s: event %zu at %.12g, expected %.12g",
              id, n, result.events[n].event.t, t);
  }
}

TEST(events_that_accumulate_are_right_to_the_end) {
  double t1 = 0.451523640985730904450811124338;
  follow_to_the_limit("M3z", 9 * t1, 2 * t1 * 0.8 / 0.2, 0.8);
  follow_to_the_limit("C2z", 8, 6, 0.5);
}

/* Asked to go on, the run passes the limit and stays in the mode the model chose for it. */
TEST(a_run_can_go_on_after_accumulation) {
  static const char *const ids[] = {"M3z", "C2z"};
  for (size_t k = 0; k < 2; k++) {
    const problem *p = problem_find(ids[k]);
    brink_options options = run_options(BRINK_ADAMS, BRINK_EXTRAPOLATE, 1e-9);
    options.zeno = BRINK_ZENO_CONTINUE;
    run_problem(p, NULL, &options, &result);
    CHECK_MSG(result.status == BRINK_TIME_REACHED, "%s ended: %s", p->id,
              brink_status_text(result.status));
    CHECK(result.t == p->t_end);
    CHECK_NEAR(result.x[0], 0, 0);
    CHECK_NEAR(result.x[1], 0, 0);
  }
}

/* From x1 = 1/8 and with step 1/4 the relay switches on mesh points, where a sign test that looks
 * for opposite signs sees nothing (Taylor 1995). Second-order methods are exact here. */
TEST(a_zero_on_a_mesh_point_is_an_event) {
  static const brink_method methods[] = {BRINK_TRAPEZOID, BRINK_RK4, BRINK_TAYLOR2};
  static const brink_events events[] = {BRINK_INTERPOLATE, BRINK_ENDPOINT, BRINK_ZLM};
  const problem *p = problem_find("P5m");
  for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
    for (size_t e = 0; e < sizeof events / sizeof events[0]; e++) {
      brink_options options = run_options(methods[m], events[e], 1e-6);
      options.step = 0.25;
      run_problem(p, NULL, &options, &result);
      CHECK_MSG(result.nevents == p->nevents, "%s/%s: %zu events of %zu (%s)",
                brink_method_name(methods[m]), brink_events_name(events[e]), result.nevents,
                p->nevents, result.diag.message);
      for (size_t k = 0; k < result.nevents && k < p->nevents; k++)
        CHECK_NEAR(result.events[k].event.t, p->events[k].t, 1e-12);
    }
  }
}

/* A thousand reflections: t_n = 0.3 + (2 n - 1) sqrt(0.84). */
TEST(a_thousand_reflections_stay_in_time) {
  const problem *billiard = problem_find("M9");
  problem p = *billiard;
  p.t_end = 1833;
  brink_options options = run_options(BRINK_ADAMS, BRINK_EXTRAPOLATE, 1e-9);
  run_problem(&p, NULL, &options, &result);
  CHECK_INT(result.nevents, 1000);
  CHECK_INT(result.outside, 0);
  for (size_t k = 0; k < result.nevents && k < RUN_EVENTS; k++)
    CHECK_NEAR(result.events[k].event.t, 0.3 + (2 * (double)k + 1) * sqrt(0.84), 1e-9);
}

int main(void) {
  RUN(runs_at_1e_12_are_right_to_1e_9);
  RUN(adams_with_extrapolation_gets_every_problem_right);
  RUN(adams_with_extrapolation_is_right_with_equal_tolerances);
  RUN(adams_with_interpolation_gets_every_problem_right);
  RUN(dopri_with_interpolation_gets_every_problem_right);
  RUN(dopri_with_extrapolation_gets_every_problem_right);
  RUN(sampling_does_not_change_a_run);
  RUN(chains_of_events_share_one_instant);
  RUN(events_that_accumulate_are_right_to_the_end);
  RUN(a_run_can_go_on_after_accumulation);
  RUN(a_zero_on_a_mesh_point_is_an_event);
  RUN(a_thousand_reflections_stay_in_time);
  return check_done();
}
