/* Every detector with every method on one crossing, each within its own accuracy; the gains of the
 * one-sided detector; and that nothing is ever evaluated past a unilateral surface. */
#include "check.h"
#include "support/trace.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static trace run;

static const brink_method all_methods[] = {BRINK_ADAMS, BRINK_DOPRI, BRINK_EULER, BRINK_TAYLOR2,
                                           BRINK_RK4,   BRINK_AM3,   BRINK_BDF3,  BRINK_TRAPEZOID};
static const int orders[] = {0, 0, 1, 2, 4, 3, 3, 2}; /* of the fixed-step methods */
static const brink_events all_events[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE, BRINK_ENDPOINT,
                                          BRINK_ZLM, BRINK_MNM};
static const brink_side sides[] = {BRINK_BILATERAL, BRINK_UNILATERAL, BRINK_CROSSING};
static const char *const side_names[] = {"bilateral", "unilateral", "crossing"};
static const brink_gain gains[] = {BRINK_GAIN_MARGIN, BRINK_GAIN_PUBLISHED, BRINK_GAIN_FIXED};
static const char *const gain_names[] = {"margin", "published", "fixed"};
static const double one[] = {1.0};
static const size_t first[] = {0};

/* ---- x' = -x from 1, g = x - 1/2: t* = ln 2 ---- */

static int decay_rhs(double t, const double *x, const brink_env *env, double *dx) {
  long *outside = env->user;
  (void)t;
  if (outside != NULL && x[0] < 0.5) ++*outside;
  dx[0] = -x[0];
  return 0;
}

static void run_decay(brink_side side, const brink_options *options, long *outside) {
  static const double x0[] = {1.0};
  brink_guard_def guard = brink_default_guard("half");
  guard.coefficients = one, guard.offset = -0.5, guard.side = side, guard.action = trace_stop;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = decay_rhs, def.nguards = 1, def.guards = &guard;
  def.user = outside;
  trace_run(&def, options, 2.0, &run);
}

static double event_error(brink_method method, brink_events events, brink_side side, double h) {
  brink_options options = brink_default_options();
  options.method = method, options.events = events, options.step = h;
  run_decay(side, &options, NULL);
  CHECK_MSG(run.status == BRINK_STOPPED && run.nevents == 1, "%s/%s, %s, step %g: %s (%s)",
            brink_method_name(method), brink_events_name(events), side_names[side], h,
            brink_status_text(run.status), run.diag.message);
  return run.nevents == 1 ? fabs(run.events[0].event.t - log(2.0)) : (double)INFINITY;
}

/* A method of order p is off by C h^p, and the chord of zlm by h^2/8 g''/g' more at most. The
 * tolerance of a unilateral guard (1e-6) may come on top. */
TEST(every_detector_with_every_fixed_step_method_is_as_accurate_as_theory_says) {
  static const double steps[] = {0.1, 0.05, 0.02, 0.01, 0.005};
  for (size_t m = 2; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(all_events); e++)
      for (size_t s = 0; s < COUNT(sides); s++)
        for (size_t k = 0; k < COUNT(steps); k++) {
          double h = steps[k];
          double bound = pow(h, orders[m]) * (orders[m] == 1 ? 0.5 : 0.3);
          if (all_events[e] == BRINK_ZLM) bound += h * h / 8.0;
          if (sides[s] == BRINK_UNILATERAL) bound += 3e-6;
          bound += 1e-12;
          double error = event_error(all_methods[m], all_events[e], sides[s], h);
          CHECK_MSG(error <= bound, "%s/%s, %s, step %g: off by %.3g, expected %.3g",
                    brink_method_name(all_methods[m]), brink_events_name(all_events[e]),
                    side_names[s], h, error, bound);
        }
}

/* The chord dominates for high orders: the worst of many phases of the mesh falls like h^2, and for
 * interpolation like h^4. */
static double worst_phase(brink_events events, double h) {
  double worst = 0.0;
  for (int k = 0; k < 20; k++)
    worst = fmax(worst, event_error(BRINK_RK4, events, BRINK_BILATERAL, h * (1.0 + 0.003 * k)));
  return worst;
}

TEST(the_chord_is_of_second_order_and_the_dense_output_of_fourth) {
  double zlm = log2(worst_phase(BRINK_ZLM, 0.1) / worst_phase(BRINK_ZLM, 0.05));
  double whole = log2(worst_phase(BRINK_INTERPOLATE, 0.1) / worst_phase(BRINK_INTERPOLATE, 0.05));
  double ends = log2(worst_phase(BRINK_ENDPOINT, 0.1) / worst_phase(BRINK_ENDPOINT, 0.05));
  CHECK_NEAR(zlm, 2.0, 0.2);
  CHECK_NEAR(whole, 4.0, 0.3);
  CHECK_NEAR(ends, 4.0, 0.3);
}

TEST(every_detector_with_every_variable_step_method_is_within_the_tolerance) {
  static const double tolerances[] = {1e-4, 1e-7, 1e-10};
  for (size_t m = 0; m < 2; m++)
    for (size_t e = 0; e < COUNT(all_events); e++)
      for (size_t s = 0; s < COUNT(sides); s++)
        for (size_t k = 0; k < COUNT(tolerances); k++) {
          brink_options options = brink_default_options();
          options.method = all_methods[m], options.events = all_events[e];
          options.rtol = tolerances[k], options.atol = 1e-3 * tolerances[k];
          if (all_events[e] == BRINK_ZLM) options.hmax = 0.01;
          run_decay(sides[s], &options, NULL);
          double bound = 20.0 * tolerances[k] + (all_events[e] == BRINK_ZLM ? 1.3e-5 : 1e-13);
          CHECK_MSG(run.nevents == 1 && fabs(run.events[0].event.t - log(2.0)) <= bound,
                    "%s/%s, %s at %g: %zu events, off by %.3g", brink_method_name(all_methods[m]),
                    brink_events_name(all_events[e]), side_names[s], tolerances[k], run.nevents,
                    run.nevents > 0 ? run.events[0].event.t - log(2.0) : (double)NAN);
        }
}

/* ---- one-sidedness ---- */

/* x'' = -x from rest at 0 with speed 1, wall at x = 0.9: counts its own calls past it. */
static int harmonic_rhs(double t, const double *x, const brink_env *env, double *dx) {
  long *outside = env->user;
  (void)t;
  if (outside != NULL && x[0] > 0.9) ++*outside;
  dx[0] = x[1], dx[1] = -x[0];
  return 0;
}

static void run_wall(const brink_options *options, brink_side side, long *outside) {
  static const double x0[] = {0.0, 1.0};
  brink_guard_def guard = brink_default_guard("wall");
  guard.depends = first, guard.ndepends = 1, guard.coefficients = one, guard.offset = -0.9;
  guard.side = side, guard.action = trace_stop;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = harmonic_rhs, def.nguards = 1, def.guards = &guard;
  def.user = outside;
  *outside = 0;
  trace_run(&def, options, 3.0, &run);
}

TEST(no_method_and_no_gain_evaluates_past_a_unilateral_surface) {
  static const double tolerances[] = {1e-3, 1e-4, 1e-6, 1e-9};
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t g = 0; g < COUNT(gains); g++)
      for (size_t k = 0; k < COUNT(tolerances); k++) {
        brink_options options = brink_default_options();
        options.method = all_methods[m], options.gain = gains[g], options.audit = true;
        options.rtol = tolerances[k], options.atol = 0.1 * tolerances[k];
        if (m > 1) options.step = 0.07;
        long outside;
        run_wall(&options, BRINK_UNILATERAL, &outside);
        CHECK_MSG(run.status == BRINK_STOPPED, "%s, %s gain at %g: %s at %.9g (%s)",
                  brink_method_name(all_methods[m]), gain_names[g], tolerances[k],
                  brink_status_text(run.status), run.t, run.diag.message);
        CHECK_MSG(outside == 0 && run.stats.rhs_past_guard == 0,
                  "%s, %s gain at %g: %ld calls outside, %lld by the audit",
                  brink_method_name(all_methods[m]), gain_names[g], tolerances[k], outside,
                  (long long)run.stats.rhs_past_guard);
        CHECK(run.x[0] <= 0.9);
        for (size_t j = 0; j < run.nsteps && j < TRACE_STEPS; j++) CHECK(run.steps[j].x[0] <= 0.9);
      }
}

/* ---- gains ---- */

static const double milne[] = {1.0 / 2.0,    1.0 / 6.0,    1.0 / 10.0,
                               19.0 / 270.0, 27.0 / 502.0, 863.0 / 19950.0};

/* The published rule stalled or crossed in print for thresholds below delta: these are the runs of
 * the errata. Each must end, within a few steps of the surface, with 0 <= -g <= 2 delta. */
TEST(the_published_gain_ends_within_two_delta_where_the_printed_rule_stalled_or_crossed) {
  static const double tolerances[] = {1e-4, 1e-7};
  for (int order = 1; order <= 6; order++)
    for (size_t k = 0; k < COUNT(tolerances); k++)
      for (int problem = 0; problem < 2; problem++) {
        brink_options options = brink_default_options();
        options.gain = BRINK_GAIN_PUBLISHED, options.order = order, options.audit = true;
        options.rtol = 0.0, options.atol = tolerances[k];
        options.max_steps = 2000000;
        long outside = 0;
        double gap, time_error, rate;
        if (problem == 0) {
          run_wall(&options, BRINK_UNILATERAL, &outside);
          gap = 0.9 - run.x[0], rate = sqrt(1.0 - 0.81), time_error = asin(0.9) - run.t;
        } else {
          run_decay(BRINK_UNILATERAL, &options, &outside);
          gap = run.x[0] - 0.5, rate = 0.5, time_error = log(2.0) - run.t;
        }
        double delta = tolerances[k] / milne[order - 1];
        CHECK_MSG(run.status == BRINK_STOPPED && run.nevents == 1,
                  "order %d at %g, problem %d: %s at %.9g (%s)", order, tolerances[k], problem,
                  brink_status_text(run.status), run.t, run.diag.message);
        CHECK_MSG(gap >= 0.0 && gap <= 2.0 * delta * (1.0 + 1e-9),
                  "order %d at %g, problem %d: gap %.3g, delta %.3g", order, tolerances[k], problem,
                  gap, delta);
        CHECK_INT(outside, 0);
        CHECK_INT(run.stats.rhs_past_guard, 0);
        /* the gap costs gap/rate in time, the global error of the method comes on top */
        CHECK_MSG(fabs(time_error) <= 3.0 * delta / rate + 2e4 * tolerances[k] / order,
                  "order %d at %g, problem %d: early by %.3g", order, tolerances[k], problem,
                  time_error);
      }
}

/* A straight approach: the predictor is exact, so the gap shrinks by gamma at each step. */
static int unit_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 1.0;
  return 0;
}

TEST(with_a_fixed_gain_the_gap_shrinks_by_gamma_at_each_step) {
  static const double x0[] = {0.0}, gammas[] = {0.1, 0.5, 0.9};
  static const brink_method methods[] = {BRINK_ADAMS, BRINK_DOPRI, BRINK_RK4, BRINK_EULER};
  for (size_t m = 0; m < COUNT(methods); m++)
    for (size_t k = 0; k < COUNT(gammas); k++) {
      brink_guard_def guard = brink_default_guard("one");
      guard.coefficients = one, guard.offset = -1.0, guard.side = BRINK_UNILATERAL;
      guard.action = trace_stop;
      brink_model_def def = brink_default_model();
      def.nx = 1, def.x0 = x0, def.rhs = unit_rhs, def.nguards = 1, def.guards = &guard;
      brink_options options = brink_default_options();
      options.method = methods[m], options.gain = BRINK_GAIN_FIXED, options.gamma = gammas[k];
      options.rtol = 1e-8, options.atol = 1e-8;
      if (m > 1) options.step = 0.9;
      trace_run(&def, &options, 2.0, &run);
      CHECK_MSG(run.status == BRINK_STOPPED, "%s, gamma %g: %s (%s)", brink_method_name(methods[m]),
                gammas[k], brink_status_text(run.status), run.diag.message);
      int shrunk = 0;
      for (size_t j = 1; j < run.nsteps && j < TRACE_STEPS; j++) {
        double before = 1.0 - run.steps[j - 1].x[0], after = 1.0 - run.steps[j].x[0];
        if (fabs(after / before - gammas[k]) <= 1e-6) shrunk++;
        CHECK_MSG(after >= gammas[k] * before * (1.0 - 1e-6) || after <= 1e-7,
                  "%s, gamma %g: the gap went from %.3g to %.3g", brink_method_name(methods[m]),
                  gammas[k], before, after);
      }
      int expected = (int)(log(1e-7) / log(gammas[k])) / 2; /* most of the way */
      CHECK_MSG(shrunk >= expected, "%s, gamma %g: %d steps shrank by gamma, expected %d",
                brink_method_name(methods[m]), gammas[k], shrunk, expected);
      CHECK_NEAR(run.x[0], 1.0, 2.1e-8); /* the tolerance of the guard */
      CHECK(run.x[0] <= 1.0);
    }
}

/* On a curved solution the shift of the corrector comes on top, and vanishes with the gap. */
TEST(with_a_fixed_gain_the_gap_on_a_curved_solution_shrinks_by_gamma_in_the_limit) {
  brink_options options = brink_default_options();
  options.gain = BRINK_GAIN_FIXED, options.gamma = 0.5;
  options.rtol = 0.0, options.atol = 1e-10;
  long outside;
  run_wall(&options, BRINK_UNILATERAL, &outside);
  CHECK_INT(run.status, BRINK_STOPPED);
  CHECK_INT(outside, 0);
  size_t last = run.nsteps < TRACE_STEPS ? run.nsteps : TRACE_STEPS;
  int shrunk = 0;
  for (size_t j = 1; j < last; j++) {
    double before = 0.9 - run.steps[j - 1].x[0], after = 0.9 - run.steps[j].x[0];
    if (before > 1e-3 || before < 1e-9) continue;
    CHECK_NEAR(after / before, 0.5, 1e-2);
    shrunk++;
  }
  CHECK(shrunk >= 15);
}

/* The margin needs few steps: the gap squares. */
TEST(with_the_margin_the_last_gap_takes_few_steps) {
  static const double tolerances[] = {1e-4, 1e-6, 1e-8};
  for (size_t k = 0; k < COUNT(tolerances); k++) {
    brink_options options = brink_default_options();
    options.rtol = 0.0, options.atol = tolerances[k], options.audit = true;
    long outside;
    run_wall(&options, BRINK_UNILATERAL, &outside);
    CHECK_INT(run.status, BRINK_STOPPED);
    CHECK(run.x[0] <= 0.9 && run.x[0] >= 0.9 - tolerances[k]);
    size_t near_surface = 0;
    for (size_t j = 0; j < run.nsteps && j < TRACE_STEPS; j++)
      near_surface += run.steps[j].x[0] > 0.89;
    CHECK_MSG(near_surface <= 12, "at %g: %zu steps in the last hundredth", tolerances[k],
              near_surface);
  }
}

/* Bilateral and crossing guards under the published gain: still found, in the right place. */
TEST(other_gains_find_bilateral_and_crossing_events_too) {
  for (size_t m = 0; m < 2; m++)
    for (size_t g = 1; g < COUNT(gains); g++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_options options = brink_default_options();
        options.method = all_methods[m], options.gain = gains[g];
        options.rtol = 1e-9, options.atol = 1e-12;
        long outside;
        run_wall(&options, sides[s], &outside);
        CHECK_MSG(run.nevents == 1 && fabs(run.events[0].event.t - asin(0.9)) <= 1e-6,
                  "%s, %s gain, %s: %zu events, at %.12g instead of %.12g (%s)",
                  brink_method_name(all_methods[m]), gain_names[g], side_names[s], run.nevents,
                  run.nevents > 0 ? run.events[0].event.t : (double)NAN, asin(0.9),
                  run.diag.message);
        double past = run.x[0] - 0.9;
        if (sides[s] == BRINK_CROSSING)
          CHECK_MSG(past > 0.0 && past < 1e-6, "%s, %s gain: past by %.3g",
                    brink_method_name(all_methods[m]), gain_names[g], past);
        if (sides[s] == BRINK_UNILATERAL) CHECK(past <= 0.0 && outside == 0);
      }
}

int main(void) {
  RUN(every_detector_with_every_fixed_step_method_is_as_accurate_as_theory_says);
  RUN(the_chord_is_of_second_order_and_the_dense_output_of_fourth);
  RUN(every_detector_with_every_variable_step_method_is_within_the_tolerance);
  RUN(no_method_and_no_gain_evaluates_past_a_unilateral_surface);
  RUN(the_published_gain_ends_within_two_delta_where_the_printed_rule_stalled_or_crossed);
  RUN(with_a_fixed_gain_the_gap_shrinks_by_gamma_at_each_step);
  RUN(with_a_fixed_gain_the_gap_on_a_curved_solution_shrinks_by_gamma_in_the_limit);
  RUN(with_the_margin_the_last_gap_takes_few_steps);
  RUN(other_gains_find_bilateral_and_crossing_events_too);
  return check_done();
}
