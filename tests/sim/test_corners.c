/* Corners that no textbook problem has: a first step far past the surface, step limits larger than
 * the gap, guards of time alone, constant guards, equilibria on a surface, several guards with one
 * surface, far-away clocks of the problem (large and negative times), fixed steps while sliding. */
#include <brink/jet.h>

#include "check.h"
#include "support/trace.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static trace run;

static const brink_method all_methods[] = {BRINK_ADAMS,   BRINK_DOPRI,     BRINK_EULER,
                                           BRINK_TAYLOR2, BRINK_RK4,       BRINK_AM3,
                                           BRINK_BDF3,    BRINK_TRAPEZOID, BRINK_BDF};
static const brink_events all_events[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE, BRINK_ENDPOINT,
                                          BRINK_ZLM, BRINK_MNM};
static const brink_side sides[] = {BRINK_BILATERAL, BRINK_UNILATERAL, BRINK_CROSSING};
static const char *const side_names[] = {"bilateral", "unilateral", "crossing"};
static const double one[] = {1.0};
static const size_t first[] = {0};

static brink_options options_for(brink_method method, brink_events events, double rtol) {
  brink_options options = brink_default_options();
  options.method = method, options.events = events, options.audit = true;
  options.rtol = rtol, options.atol = 1e-3 * rtol;
  return options;
}

/* x' = -x; counts calls below 1/2. */
static int decay_rhs(double t, const double *x, const brink_env *env, double *dx) {
  long *outside = env->user;
  (void)t;
  if (outside != NULL && x[0] < 0.5) ++*outside;
  dx[0] = -x[0];
  return 0;
}
static brink_guard_def half_guard(brink_side side) {
  brink_guard_def guard = brink_default_guard("half");
  guard.depends = first, guard.ndepends = 1, guard.coefficients = one, guard.offset = -0.5;
  guard.side = side, guard.action = trace_stop;
  return guard;
}
static brink_model_def decay(const brink_guard_def *guards, size_t count, long *outside) {
  static const double x0[] = {1.0};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = decay_rhs, def.nguards = count, def.guards = guards;
  def.user = outside;
  return def;
}

/* ---- steps ---- */

TEST(a_first_step_far_past_the_surface_evaluates_nothing_there) {
  static const double steps[] = {0.5, 1.0, 10.0, 1e6};
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t k = 0; k < COUNT(steps); k++) {
      long outside = 0;
      brink_guard_def guard = half_guard(BRINK_UNILATERAL);
      brink_model_def def = decay(&guard, 1, &outside);
      brink_options options = options_for(all_methods[m], BRINK_EXTRAPOLATE, 1e-6);
      options.step = steps[k];
      trace_run(&def, &options, 1e7, &run);
      CHECK_MSG(run.status == BRINK_STOPPED, "%s, step %g: %s at %g (%s)",
                brink_method_name(all_methods[m]), steps[k], brink_status_text(run.status), run.t,
                run.diag.message);
      CHECK_INT(outside, 0);
      CHECK_INT(run.stats.rhs_past_guard, 0);
      if (m < 2) CHECK_NEAR(run.t, log(2.0), 1e-4);
      CHECK(run.x[0] >= 0.5 && run.x[0] < 0.5 + 1e-5);
    }
}

/* A smallest step larger than the last gap must not be forced through the surface. */
TEST(a_minimum_step_is_not_forced_through_a_unilateral_surface) {
  static const double hmins[] = {1e-8, 1e-5, 1e-3};
  for (size_t m = 0; m < 2; m++)
    for (size_t k = 0; k < COUNT(hmins); k++)
      for (int gain = BRINK_GAIN_MARGIN; gain <= BRINK_GAIN_FIXED; gain++) {
        long outside = 0;
        brink_guard_def guard = half_guard(BRINK_UNILATERAL);
        brink_model_def def = decay(&guard, 1, &outside);
        brink_options options = options_for(all_methods[m], BRINK_EXTRAPOLATE, 1e-4);
        options.hmin = hmins[k], options.gain = (brink_gain)gain;
        trace_run(&def, &options, 2.0, &run);
        CHECK_MSG(run.status == BRINK_STOPPED && run.nevents == 1, "%s, hmin %g, gain %d: %s (%s)",
                  brink_method_name(all_methods[m]), hmins[k], gain, brink_status_text(run.status),
                  run.diag.message);
        CHECK_INT(outside, 0);
        /* what is left is what one such step would have gone, or the guard's own tolerance */
        double left = 0.5 * hmins[k] + 60.0 * 1e-4;
        CHECK(run.x[0] >= 0.5 && run.x[0] <= 0.5 + left);
      }
}

TEST(a_largest_step_is_kept) {
  for (size_t m = 0; m < 2; m++) {
    long outside = 0;
    brink_guard_def guard = half_guard(BRINK_BILATERAL);
    brink_model_def def = decay(&guard, 1, &outside);
    brink_options options = options_for(all_methods[m], BRINK_EXTRAPOLATE, 1e-3);
    options.hmax = 0.01;
    trace_run(&def, &options, 2.0, &run);
    for (size_t k = 0; k < run.nsteps && k < TRACE_STEPS; k++)
      CHECK(run.steps[k].t1 - run.steps[k].t0 <= 0.01 * (1.0 + 1e-12));
  }
}

/* ---- guards of time alone, and constant ones ---- */

TEST(a_guard_of_time_alone_fires_on_time) {
  static const double x0[] = {1.0};
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(all_events); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guard = brink_default_guard("noon");
        guard.depends = first, guard.ndepends = 0, guard.coefficients = one;
        guard.time_coefficient = 2.0, guard.offset = -1.4;
        guard.side = sides[s], guard.action = trace_stop;
        brink_model_def def = brink_default_model();
        def.nx = 1, def.x0 = x0, def.rhs = decay_rhs, def.nguards = 1, def.guards = &guard;
        brink_options options = options_for(all_methods[m], all_events[e], 1e-9);
        if (m > 1) options.step = 0.1;
        trace_run(&def, &options, 2.0, &run);
        CHECK_MSG(run.status == BRINK_STOPPED && fabs(run.t - 0.7) <= 1e-12,
                  "%s/%s, %s: %s at %.17g (%s)", brink_method_name(all_methods[m]),
                  brink_events_name(all_events[e]), side_names[s], brink_status_text(run.status),
                  run.t, run.diag.message);
      }
}

TEST(a_constant_guard_never_fires_not_even_at_zero) {
  static const double x0[] = {1.0}, nothing[] = {0.0}, offsets[] = {0.0, 1.0, -1e-300};
  for (size_t e = 0; e < COUNT(all_events); e++)
    for (size_t s = 0; s < COUNT(sides); s++)
      for (size_t k = 0; k < COUNT(offsets); k++) {
        brink_guard_def guard = brink_default_guard("constant");
        guard.coefficients = nothing, guard.offset = offsets[k], guard.side = sides[s];
        brink_model_def def = brink_default_model();
        def.nx = 1, def.x0 = x0, def.rhs = decay_rhs, def.nguards = 1, def.guards = &guard;
        brink_options options = options_for(BRINK_ADAMS, all_events[e], 1e-6);
        trace_run(&def, &options, 3.0, &run);
        CHECK_MSG(run.status == BRINK_TIME_REACHED && run.nevents == 0,
                  "%s, %s, %g: %s, %zu events", brink_events_name(all_events[e]), side_names[s],
                  offsets[k], brink_status_text(run.status), run.nevents);
        CHECK_NEAR(run.x[0], exp(-3.0), 1e-5);
      }
}

/* An equilibrium on the surface stays there: nothing happens. */
static int rest_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 0.0;
  return 0;
}

TEST(an_equilibrium_on_a_surface_makes_no_event) {
  static const double starts[] = {0.0, 1e-9, -1e-9, 1e-300};
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(all_events); e++)
      for (size_t s = 0; s < COUNT(sides); s++)
        for (size_t k = 0; k < COUNT(starts); k++) {
          brink_guard_def guard = brink_default_guard("x");
          guard.coefficients = one, guard.side = sides[s];
          brink_model_def def = brink_default_model();
          def.nx = 1, def.x0 = &starts[k], def.rhs = rest_rhs, def.nguards = 1, def.guards = &guard;
          brink_options options = options_for(all_methods[m], all_events[e], 1e-6);
          if (m > 1) options.step = 0.1;
          trace_run(&def, &options, 3.0, &run);
          CHECK_MSG(run.status == BRINK_TIME_REACHED && run.nevents == 0,
                    "%s/%s, %s from %g: %s, %zu events (%s)", brink_method_name(all_methods[m]),
                    brink_events_name(all_events[e]), side_names[s], starts[k],
                    brink_status_text(run.status), run.nevents, run.diag.message);
          CHECK(run.x[0] == starts[k]);
        }
}

/* x' = -x reaches 0 never, but comes within any tolerance: a unilateral guard is reached, once; a
 * bilateral one is not. */
TEST(an_asymptotic_approach_is_an_event_for_a_unilateral_guard_only) {
  static const double x0[] = {1.0};
  for (size_t m = 0; m < 2; m++)
    for (size_t s = 0; s < COUNT(sides); s++) {
      brink_guard_def guard = brink_default_guard("empty");
      guard.coefficients = one, guard.side = sides[s], guard.action = trace_stop;
      brink_model_def def = brink_default_model();
      def.nx = 1, def.x0 = x0, def.rhs = decay_rhs, def.nguards = 1, def.guards = &guard;
      brink_options options = options_for(all_methods[m], BRINK_EXTRAPOLATE, 1e-6);
      options.atol = 1e-6, options.max_steps = 100000;
      trace_run(&def, &options, 200.0, &run);
      bool unilateral = sides[s] == BRINK_UNILATERAL;
      /* a computed solution may change sign within its tolerance: then that is what happened */
      CHECK_MSG(unilateral ? run.status == BRINK_STOPPED
                           : run.status == BRINK_TIME_REACHED || fabs(run.x[0]) <= 1e-5,
                "%s, %s: %s at %g, x = %g (%s)", brink_method_name(all_methods[m]), side_names[s],
                brink_status_text(run.status), run.t, run.x[0], run.diag.message);
      if (unilateral) CHECK(run.x[0] >= 0.0 && run.x[0] <= 1.1e-6);
    }
}

/* ---- several guards with one surface ---- */

static int exp_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = exp(2.0 * x[0]) - exp(1.0);
  return 0;
}
static int exp_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                        double *dt) {
  (void)guard, (void)t, (void)env;
  *dx = 2.0 * exp(2.0 * x[0]), *dt = 0.0;
  return 0;
}
static int exp_jet(size_t guard, int order, const double *t, const double *const *x,
                   const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  brink_jet_scale(order, x[0], 2.0, g);
  brink_jet_exp(order, g, g);
  g[0] -= exp(1.0);
  return 0;
}
static int count_up(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0]++; /* a change, so that a unilateral surface may be passed */
  return 0;
}

/* A unilateral guard stops before x = 1/2; guards of every kind and side with the same surface all
 * fire there as well, once. */
TEST(every_guard_with_the_same_surface_fires_once) {
  enum { KINDS = 4, ALL = 1 + 3 * KINDS };
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < 2; e++) {
      brink_guard_def guards[ALL];
      for (size_t k = 0; k < ALL; k++) {
        guards[k] = half_guard(k == 0 ? BRINK_UNILATERAL : sides[(k - 1) / KINDS]);
        guards[k].action = count_up;
        size_t kind = k == 0 ? 0 : (k - 1) % KINDS;
        if (kind == 0) continue;
        guards[k].coefficients = NULL, guards[k].offset = 0.0;
        guards[k].value = exp_value;
        if (kind < 3 || guards[k].side == BRINK_UNILATERAL) guards[k].gradient = exp_gradient;
        if (kind < 2) guards[k].jet = exp_jet;
      }
      brink_model_def def = decay(guards, ALL, NULL);
      def.nmodes = 1;
      brink_options options = options_for(all_methods[m], all_events[e], 1e-7);
      if (m > 1) options.step = 0.01;
      trace_run(&def, &options, 2.0, &run);
      CHECK_MSG(run.status == BRINK_TIME_REACHED && run.nevents == ALL,
                "%s/%s: %s, %zu events of %d (%s)", brink_method_name(all_methods[m]),
                brink_events_name(all_events[e]), brink_status_text(run.status), run.nevents,
                (int)ALL, run.diag.message);
      int fired[ALL] = {0};
      for (size_t k = 0; k < run.nevents && k < TRACE_EVENTS; k++) {
        fired[run.events[k].event.guard]++;
        /* the last is at the surface */
        double early = run.events[run.nevents - 1].event.t - run.events[k].event.t;
        CHECK_MSG(early <= 1e-6, "%s/%s: guard %zu (kind %zu, %s) fired early by %.3g",
                  brink_method_name(all_methods[m]), brink_events_name(all_events[e]),
                  run.events[k].event.guard, (run.events[k].event.guard + KINDS - 1) % KINDS,
                  side_names[guards[run.events[k].event.guard].side], early);
      }
      for (size_t k = 0; k < ALL; k++)
        CHECK_MSG(fired[k] == 1, "%s/%s: guard %zu fired %d times",
                  brink_method_name(all_methods[m]), brink_events_name(all_events[e]), k, fired[k]);
    }
}

/* ---- other origins of time ---- */

TEST(large_and_negative_times_make_no_difference) {
  static const double origins[] = {-1e3, -0.3, 1e3, 1e6};
  for (size_t m = 0; m < 2; m++)
    for (size_t e = 0; e < COUNT(all_events); e++)
      for (size_t s = 0; s < COUNT(sides); s++)
        for (size_t k = 0; k < COUNT(origins); k++) {
          brink_guard_def guard = half_guard(sides[s]);
          brink_model_def def = decay(&guard, 1, NULL);
          def.t0 = origins[k];
          brink_options options = options_for(all_methods[m], all_events[e], 1e-9);
          options.hmax = all_events[e] == BRINK_ZLM ? 1e-3 : (double)INFINITY;
          trace_run(&def, &options, origins[k] + 2.0, &run);
          double bound = all_events[e] == BRINK_ZLM ? 1e-6 : 2e-8;
          CHECK_MSG(run.status == BRINK_STOPPED && fabs(run.t - origins[k] - log(2.0)) <= bound,
                    "%s/%s, %s from t = %g: %s, off by %.3g (%s)",
                    brink_method_name(all_methods[m]), brink_events_name(all_events[e]),
                    side_names[s], origins[k], brink_status_text(run.status),
                    run.t - origins[k] - log(2.0), run.diag.message);
        }
}

TEST(a_run_of_no_length_or_of_one_ulp_ends_at_once) {
  for (size_t m = 0; m < COUNT(all_methods); m++) {
    brink_guard_def guard = half_guard(BRINK_UNILATERAL);
    brink_model_def def = decay(&guard, 1, NULL);
    brink_options options = options_for(all_methods[m], BRINK_EXTRAPOLATE, 1e-9);
    if (m > 1) options.step = 0.1;
    trace_run(&def, &options, 0.0, &run);
    CHECK_INT(run.status, BRINK_TIME_REACHED);
    def.t0 = 1.0;
    trace_run(&def, &options, nextafter(1.0, 2.0), &run);
    CHECK_MSG(run.status == BRINK_TIME_REACHED, "%s: %s (%s)", brink_method_name(all_methods[m]),
              brink_status_text(run.status), run.diag.message);
    CHECK(run.t == nextafter(1.0, 2.0));
  }
}

/* ---- sliding by every method and detector ---- */

/* y' = -sgn(y) + 1.5 sin t (S5). */
static int sliding_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)x;
  dx[0] = -env->sgn[0] + 1.5 * sin(t);
  return 0;
}

TEST(every_method_and_detector_slides_at_the_known_times) {
  static const double x0[] = {1.0};
  static const double from[] = {3.73964807128089795289, 6.46470895726759609746};
  static const double to[] = {3.87132030981675960192, 7.01291296340655284038};
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(all_events); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guard = brink_default_guard("y");
        guard.coefficients = one, guard.side = sides[s];
        brink_model_def def = brink_default_model();
        def.nx = 1, def.x0 = x0, def.rhs = sliding_rhs, def.nguards = 1, def.guards = &guard;
        brink_options options = options_for(all_methods[m], all_events[e], 1e-7);
        options.hmax = 0.005;
        if (m > 1) options.step = 0.005;
        trace_run(&def, &options, 8.0, &run);
        double bound = all_methods[m] == BRINK_EULER ? 0.02 : 1e-4;
        CHECK_MSG(run.status == BRINK_TIME_REACHED && run.nslides == 2 && run.nevents == 2,
                  "%s/%s, %s: %s at %g, %zu slides, %zu events (%s)",
                  brink_method_name(all_methods[m]), brink_events_name(all_events[e]),
                  side_names[s], brink_status_text(run.status), run.t, run.nslides, run.nevents,
                  run.diag.message);
        for (size_t k = 0; k < 2 && k < run.nslides; k++) {
          CHECK_NEAR(run.slides[k].from, from[k], bound);
          CHECK_NEAR(run.slides[k].to, to[k], bound);
        }
      }
}

int main(void) {
  RUN(a_first_step_far_past_the_surface_evaluates_nothing_there);
  RUN(a_minimum_step_is_not_forced_through_a_unilateral_surface);
  RUN(a_largest_step_is_kept);
  RUN(a_guard_of_time_alone_fires_on_time);
  RUN(a_constant_guard_never_fires_not_even_at_zero);
  RUN(an_equilibrium_on_a_surface_makes_no_event);
  RUN(an_asymptotic_approach_is_an_event_for_a_unilateral_guard_only);
  RUN(every_guard_with_the_same_surface_fires_once);
  RUN(large_and_negative_times_make_no_difference);
  RUN(a_run_of_no_length_or_of_one_ulp_ends_at_once);
  RUN(every_method_and_detector_slides_at_the_known_times);
  return check_done();
}
