/* Events along one solution: several in a step, touches, dips that a sign test at the ends cannot
 * see, directions, time, kinds of guards, sides. Expected times are closed forms, or roots of the
 * computed solution found by plain bisection. */
#include <brink/jet.h>

#include "check.h"
#include "support/trace.h"

#define PI 3.14159265358979323846
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static trace run;

static const brink_method all_methods[] = {BRINK_ADAMS,   BRINK_DOPRI,     BRINK_EULER,
                                           BRINK_TAYLOR2, BRINK_RK4,       BRINK_AM3,
                                           BRINK_BDF3,    BRINK_TRAPEZOID, BRINK_BDF};
static const brink_events whole_step[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE};
static const brink_events all_events[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE, BRINK_ENDPOINT,
                                          BRINK_ZLM, BRINK_MNM};
static const brink_side sides[] = {BRINK_BILATERAL, BRINK_UNILATERAL, BRINK_CROSSING};
static const char *const side_names[] = {"bilateral", "unilateral", "crossing"};

static brink_options options_for(brink_method method, brink_events events, double rtol) {
  brink_options options = brink_default_options();
  options.method = method;
  options.events = events;
  options.rtol = rtol;
  options.atol = 1e-3 * rtol;
  options.audit = true;
  return options;
}

/* ---- right-hand sides ---- */

static int unit_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 1.0;
  return 0;
}

/* x'' = -p[0]: a parabola. */
static int parabola_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = x[1];
  dx[1] = -env->p[0];
  return 0;
}

static int harmonic_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1];
  dx[1] = -x[0];
  return 0;
}

static int decay_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = -x[0];
  return 0;
}

/* ---- one guard in four disguises ---- */

/* What the library is told about a guard that is computed by callbacks. */
typedef enum kind { POLYNOMIAL, SMOOTH, GRADIENT, VALUE, KINDS } kind;
static const char *const kind_names[] = {"polynomial jet", "smooth jet", "gradient", "value only"};

static brink_guard_def guard_of_kind(kind k, int degree, brink_guard_fn *value,
                                     brink_gradient_fn *gradient, brink_guard_jet_fn *jet) {
  static const size_t first[] = {0};
  brink_guard_def guard = brink_default_guard("g");
  guard.depends = first;
  guard.ndepends = 1;
  guard.value = value;
  if (k != VALUE) guard.gradient = gradient;
  if (k == POLYNOMIAL || k == SMOOTH) guard.jet = jet;
  if (k == POLYNOMIAL) guard.degree = degree;
  return guard;
}

/* g = product of (x - root). */
typedef struct roots {
  int count;
  double at[5];
} roots;

static int product_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  const roots *r = env->user;
  (void)guard, (void)t;
  *g = 1.0;
  for (int k = 0; k < r->count; k++) *g *= x[0] - r->at[k];
  return 0;
}

static int product_gradient(size_t guard, double t, const double *x, const brink_env *env,
                            double *dx, double *dt) {
  const roots *r = env->user;
  (void)guard, (void)t;
  *dx = *dt = 0.0;
  for (int j = 0; j < r->count; j++) {
    double term = 1.0;
    for (int k = 0; k < r->count; k++) term *= k == j ? 1.0 : x[0] - r->at[k];
    *dx += term;
  }
  return 0;
}

static int product_jet(size_t guard, int order, const double *t, const double *const *x,
                       const brink_env *env, double *g) {
  const roots *r = env->user;
  double factor[BRINK_JET_MAX_ORDER + 1];
  (void)guard, (void)t;
  brink_jet_constant(order, 1.0, g);
  for (int k = 0; k < r->count; k++) {
    brink_jet_add_constant(order, x[0], -r->at[k], factor);
    brink_jet_mul(order, g, factor, g);
  }
  return 0;
}

/* ---- several zeros in one step ---- */

/* A straight solution through a guard with several zeros, in steps that could take them all. */
static void check_zeros(const roots *r, kind k, brink_method method, brink_events events) {
  double x0 = 0.0;
  brink_guard_def guard = guard_of_kind(k, r->count, product_value, product_gradient, product_jet);
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = &x0, def.rhs = unit_rhs;
  def.nguards = 1, def.guards = &guard, def.user = (void *)r;
  brink_options options = options_for(method, events, 1e-4);
  options.step = 1.0;
  trace_run(&def, &options, 1.0, &run);
  CHECK_MSG(run.status == BRINK_TIME_REACHED && run.nevents == (size_t)r->count,
            "%d zeros, %s, %s/%s: %zu events (%s)", r->count, kind_names[k],
            brink_method_name(method), brink_events_name(events), run.nevents, run.diag.message);
  for (int j = 0; j < r->count && (size_t)j < run.nevents; j++) {
    CHECK_NEAR(run.events[j].event.t, r->at[j], 1e-12);
    CHECK_INT(run.events[j].event.direction, (r->count - j) % 2 == 0 ? -1 : 1);
    CHECK_INT(run.events[j].event.kind, BRINK_CROSSED);
  }
}

static const roots several[] = {
    {2, {0.3, 0.6}}, {3, {0.25, 0.5, 0.75}}, {5, {0.2, 0.35, 0.5, 0.65, 0.8}}};

TEST(two_three_and_five_zeros_of_a_polynomial_guard_in_one_step_are_found_in_order) {
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t n = 0; n < COUNT(several); n++)
        check_zeros(&several[n], POLYNOMIAL, all_methods[m], whole_step[e]);
}

TEST(two_three_and_five_zeros_of_a_smooth_guard_in_one_step_are_found_in_order) {
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t n = 0; n < COUNT(several); n++)
        check_zeros(&several[n], SMOOTH, all_methods[m], whole_step[e]);
}

TEST(two_three_and_five_zeros_of_a_guard_by_values_alone_in_one_step_are_found_in_order) {
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t n = 0; n < COUNT(several); n++)
        check_zeros(&several[n], VALUE, all_methods[m], whole_step[e]);
}

/* The appended state of a quadratic or cubic guard is itself a cubic at most: methods of order four
 * carry it exactly. */
TEST(two_and_three_zeros_of_a_guard_with_a_gradient_in_one_step_are_found_in_order) {
  static const brink_method methods[] = {BRINK_DOPRI, BRINK_RK4};
  for (size_t m = 0; m < COUNT(methods); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t n = 0; n < 2; n++) check_zeros(&several[n], GRADIENT, methods[m], whole_step[e]);
}

/* x = (t - 0.2)(t - 0.5)(t - 0.8), a cubic: exact at fourth order. */
static int cubic_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)x, (void)env;
  dx[0] = (t - 0.2) * (t - 0.5) + (t - 0.2) * (t - 0.8) + (t - 0.5) * (t - 0.8);
  return 0;
}

TEST(three_zeros_of_a_linear_guard_in_one_step_are_found_in_order) {
  static const double one[] = {1.0}, zeros[] = {0.2, 0.5, 0.8};
  double x0 = -0.08;
  brink_guard_def guard = brink_default_guard("g");
  guard.coefficients = one;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = &x0, def.rhs = cubic_rhs, def.nguards = 1, def.guards = &guard;
  for (size_t e = 0; e < COUNT(whole_step); e++) {
    brink_options options = options_for(BRINK_RK4, whole_step[e], 1e-4);
    options.step = 1.0;
    trace_run(&def, &options, 1.0, &run);
    CHECK_INT(run.nevents, 3);
    for (size_t k = 0; k < 3 && k < run.nevents; k++) {
      CHECK_NEAR(run.events[k].event.t, zeros[k], 1e-12);
      CHECK_INT(run.events[k].event.direction, k % 2 == 0 ? 1 : -1);
    }
  }
}

TEST(a_direction_filter_picks_its_crossings_out_of_several_in_one_step) {
  for (int k = 0; k < KINDS; k++) {
    if (k == GRADIENT) continue;
    for (int direction = -1; direction <= 1; direction += 2) {
      double x0 = 0.0;
      const roots *r = &several[2];
      brink_guard_def guard =
          guard_of_kind((kind)k, r->count, product_value, product_gradient, product_jet);
      guard.direction = (brink_direction)direction;
      brink_model_def def = brink_default_model();
      def.nx = 1, def.x0 = &x0, def.rhs = unit_rhs;
      def.nguards = 1, def.guards = &guard, def.user = (void *)r;
      brink_options options = options_for(BRINK_RK4, BRINK_INTERPOLATE, 1e-4);
      options.step = 1.0;
      trace_run(&def, &options, 1.0, &run);
      size_t first = direction > 0 ? 0 : 1, expected = direction > 0 ? 3 : 2;
      CHECK_INT(run.nevents, expected);
      for (size_t j = 0; j < expected && j < run.nevents; j++) {
        CHECK_NEAR(run.events[j].event.t, r->at[first + 2 * j], 1e-12);
        CHECK_INT(run.events[j].event.direction, direction);
      }
    }
  }
}

/* ---- touches ---- */

/* x = 1 - (t - 1)^2, and a ceiling at 1 + clearance. */
static void run_ceiling(brink_side side, double clearance, brink_method method,
                        brink_events events) {
  static const double x0[] = {0.0, 2.0}, p0[] = {2.0}, one[] = {1.0};
  static const size_t first[] = {0};
  brink_guard_def guard = brink_default_guard("ceiling");
  guard.side = side;
  guard.depends = first, guard.ndepends = 1, guard.coefficients = one;
  guard.offset = -(1.0 + clearance);
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.np = 1, def.p0 = p0, def.rhs = parabola_rhs;
  def.nguards = 1, def.guards = &guard;
  brink_options options = options_for(method, events, 1e-6);
  options.step = method > BRINK_DOPRI ? 0.3 : 0.0;
  trace_run(&def, &options, 1.9, &run);
}

static const brink_method exact_here[] = {BRINK_ADAMS, BRINK_DOPRI, BRINK_RK4, BRINK_TAYLOR2};

TEST(a_bilateral_guard_that_turns_away_before_zero_is_a_near_miss) {
  for (size_t m = 0; m < COUNT(exact_here); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      run_ceiling(BRINK_BILATERAL, 5e-6, exact_here[m], whole_step[e]);
      CHECK_INT(run.nevents, 0);
      CHECK_MSG(run.nmisses == 1, "%s/%s: %zu near misses", brink_method_name(exact_here[m]),
                brink_events_name(whole_step[e]), run.nmisses);
      CHECK_INT(run.stats.near_misses, run.nmisses);
      if (run.nmisses == 0) continue;
      CHECK_NEAR(run.misses[0].t, 1.0, 1e-4);
      CHECK_NEAR(run.misses[0].value, -5e-6, 4e-6); /* as far as the tolerance goes */
      CHECK_NEAR(run.misses[0].tolerance, 1e-6 + 1e-9, 3e-7);
      CHECK(strcmp(run.misses[0].name, "ceiling") == 0);
    }
}

TEST(a_near_miss_farther_than_asked_for_is_not_reported) {
  for (size_t e = 0; e < COUNT(whole_step); e++) {
    run_ceiling(BRINK_BILATERAL, 2e-3, BRINK_ADAMS, whole_step[e]); /* 2000 tolerances */
    CHECK_INT(run.nevents, 0);
    CHECK_INT(run.nmisses, 0);
  }
}

/* At fourth order and second the parabola is exact: an exact touch is no event, or a pair of events
 * within rounding of it, and never silence. */
TEST(a_bilateral_touch_is_a_near_miss_or_two_events_within_rounding) {
  static const brink_method methods[] = {BRINK_RK4, BRINK_TAYLOR2, BRINK_TRAPEZOID};
  for (size_t m = 0; m < COUNT(methods); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      run_ceiling(BRINK_BILATERAL, 0.0, methods[m], whole_step[e]);
      CHECK_MSG((run.nevents == 0 && run.nmisses == 1) || (run.nevents == 2 && run.nmisses == 0),
                "%s/%s: %zu events, %zu near misses", brink_method_name(methods[m]),
                brink_events_name(whole_step[e]), run.nevents, run.nmisses);
      if (run.nmisses > 0) CHECK_NEAR(run.misses[0].t, 1.0, 1e-6);
      for (size_t k = 0; k < run.nevents && k < 2; k++)
        CHECK_NEAR(run.events[k].event.t, 1.0, 1e-6); /* (t - 1)^2 <= rounding of differences */
    }
}

TEST(a_unilateral_guard_that_comes_within_the_tolerance_and_turns_away_has_touched) {
  static const double clearances[] = {0.0, 1e-8};
  for (size_t m = 0; m < COUNT(exact_here); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t c = 0; c < COUNT(clearances); c++) {
        run_ceiling(BRINK_UNILATERAL, clearances[c], exact_here[m], whole_step[e]);
        CHECK_MSG(run.status == BRINK_TIME_REACHED && run.nevents == 1,
                  "%s/%s, clearance %g: %s, %zu events (%s)", brink_method_name(exact_here[m]),
                  brink_events_name(whole_step[e]), clearances[c], brink_status_text(run.status),
                  run.nevents, run.diag.message);
        if (run.nevents == 0) continue;
        CHECK_MSG(run.events[0].event.kind == BRINK_TOUCHED, "%s/%s, clearance %g: kind %d",
                  brink_method_name(exact_here[m]), brink_events_name(whole_step[e]), clearances[c],
                  (int)run.events[0].event.kind);
        CHECK_INT(run.events[0].event.direction, BRINK_POSITIVE);
        /* g >= -1.1e-6, so (t - 1)^2 <= about twice that (the computed apex may be off as much) */
        CHECK_NEAR(run.events[0].event.t, 1.0, 2e-3);
        CHECK_NEAR(run.x[0], 1.0 - 0.81, 1e-5); /* and it goes on below the ceiling */
      }
}

/* ---- a dip of 1e-9 in a long step ---- */

/* Functions of the harmonic x with one maximum where x has one. */
static int exp_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t;
  *g = exp(x[0]) - env->p[0];
  return 0;
}
static int exp_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                        double *dt) {
  (void)guard, (void)t, (void)env;
  *dx = exp(x[0]), *dt = 0.0;
  return 0;
}
static int exp_jet(size_t guard, int order, const double *t, const double *const *x,
                   const brink_env *env, double *g) {
  (void)guard, (void)t;
  brink_jet_exp(order, x[0], g);
  g[0] -= env->p[0];
  return 0;
}
static int square_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t;
  *g = x[0] * x[0] - env->p[0];
  return 0;
}
static int square_gradient(size_t guard, double t, const double *x, const brink_env *env,
                           double *dx, double *dt) {
  (void)guard, (void)t, (void)env;
  *dx = 2.0 * x[0], *dt = 0.0;
  return 0;
}
static int square_jet(size_t guard, int order, const double *t, const double *const *x,
                      const brink_env *env, double *g) {
  (void)guard, (void)t;
  brink_jet_square(order, x[0], g);
  g[0] -= env->p[0];
  return 0;
}

typedef struct dip_case {
  const char *name;
  double (*function)(double x);
  bool linear;
  kind kind;
  brink_guard_fn *value;
  brink_gradient_fn *gradient;
  brink_guard_jet_fn *jet;
} dip_case;

static double identity(double x) {
  return x;
}
static double square(double x) {
  return x * x;
}

static const dip_case dips[] = {
    {"linear", identity, true, VALUE, NULL, NULL, NULL},
    {"polynomial jet", square, false, POLYNOMIAL, square_value, square_gradient, square_jet},
    {"smooth jet", exp, false, SMOOTH, exp_value, exp_gradient, exp_jet},
    {"gradient", exp, false, GRADIENT, exp_value, exp_gradient, exp_jet},
    {"value only", exp, false, VALUE, exp_value, exp_gradient, exp_jet},
};

/* The computed solution's step around the maximum of x, and the maximum there. */
typedef struct peak {
  double t0, t1, at, value;
} peak;

static double function_at(const brink_sim *sim, const dip_case *dip, double t) {
  double x[2];
  CHECK_INT(brink_sim_at(sim, t, x, NULL), BRINK_OK);
  return dip->function(x[0]);
}

/* Runs without guards up to the step that holds the maximum, and finds it by golden section. */
static brink_sim *run_to_peak(const brink_model *model, const brink_options *options,
                              const dip_case *dip, peak *top) {
  brink_sim *sim = NULL;
  CHECK_INT(brink_sim_create(model, options, NULL, NULL, &sim), BRINK_OK);
  do {
    top->t0 = brink_sim_time(sim);
    CHECK_INT(brink_sim_advance(sim, 10.0, NULL), BRINK_STEPPED);
    top->t1 = brink_sim_time(sim);
  } while (brink_sim_state(sim)[1] > 0.0);
  double a = top->t0, b = top->t1, ratio = 0.6180339887498949;
  while (b - a > 1e-9) {
    double c = b - ratio * (b - a), d = a + ratio * (b - a);
    if (function_at(sim, dip, c) > function_at(sim, dip, d))
      b = d;
    else
      a = c;
  }
  top->at = 0.5 * (a + b);
  top->value = function_at(sim, dip, top->at);
  return sim;
}

/* Where the computed solution rises through `level` before its maximum. */
static double rise(const brink_sim *sim, const dip_case *dip, const peak *top, double level) {
  double low = top->t0, high = top->at;
  for (int k = 0; k < 200; k++) {
    double middle = 0.5 * (low + high);
    if (function_at(sim, dip, middle) < level)
      low = middle;
    else
      high = middle;
  }
  return high;
}

static void check_dip(const dip_case *dip, brink_method method, brink_events events, double x0_0) {
  static const double one[] = {1.0};
  static const size_t first[] = {0};
  double x0[] = {x0_0, sqrt(1.0 - x0_0 * x0_0)}, level = 0.0;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = harmonic_rhs;
  brink_options options = options_for(method, events, 1e-4);
  if (method > BRINK_DOPRI) options.step = 0.25;
  brink_model *model = NULL;
  CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
  peak top;
  brink_sim *sim = run_to_peak(model, &options, dip, &top);
  level = top.value - 1e-9;
  double expected = rise(sim, dip, &top, level);
  brink_sim_destroy(sim);
  brink_model_destroy(model);

  brink_guard_def guard = brink_default_guard("g");
  if (!dip->linear) guard = guard_of_kind(dip->kind, 2, dip->value, dip->gradient, dip->jet);
  guard.depends = first, guard.ndepends = 1;
  if (dip->linear) guard.coefficients = one, guard.offset = -level;
  def.np = 1, def.p0 = &level, def.nguards = 1, def.guards = &guard;
  trace_run(&def, &options, top.t1 + 0.5, &run);
  CHECK_MSG(run.nevents >= 1 && fabs(run.events[0].event.t - expected) <= 1e-8,
            "%s, %s/%s from %g, step %.3g, peak at %.2f of it: %zu events, first at %.12g instead "
            "of %.12g (%s)",
            dip->name, brink_method_name(method), brink_events_name(events), x0_0, top.t1 - top.t0,
            (top.at - top.t0) / (top.t1 - top.t0), run.nevents,
            run.nevents > 0 ? run.events[0].event.t : (double)NAN, expected, run.diag.message);
  if (run.nevents == 0) return;
  CHECK_INT(run.events[0].event.direction, BRINK_POSITIVE);
  /* x rises there, but its rate, a component of its own, may say otherwise by its own error; then
   * the solution turns back at once. */
  if (run.events[0].after[1] < 0.0) return;
  CHECK_MSG(run.nevents >= 2, "%s, %s/%s from %g: the way back was not seen", dip->name,
            brink_method_name(method), brink_events_name(events), x0_0);
  if (run.nevents < 2) return;
  CHECK_INT(run.events[1].event.direction, BRINK_NEGATIVE);
  CHECK(run.events[1].event.t > run.events[0].event.t);
}

TEST(a_dip_of_1e_9_in_a_long_step_at_tolerance_1e_4_counts_for_every_kind_of_guard) {
  static const brink_method methods[] = {BRINK_ADAMS, BRINK_DOPRI, BRINK_RK4, BRINK_AM3,
                                         BRINK_BDF3};
  for (size_t d = 0; d < COUNT(dips); d++)
    for (size_t m = 0; m < COUNT(methods); m++)
      for (size_t e = 0; e < COUNT(whole_step); e++)
        for (int start = 0; start < 8; start++)
          check_dip(&dips[d], methods[m], whole_step[e], -0.4 + 0.1 * start);
}

/* ---- directions, time, kinds, sides ---- */

TEST(a_direction_filter_leaves_out_the_other_crossings) {
  static const double x0[] = {1.0, 0.0}, one[] = {1.0};
  static const size_t first[] = {0};
  for (size_t m = 0; m < 2; m++)
    for (size_t e = 0; e < COUNT(all_events); e++)
      for (int direction = -1; direction <= 1; direction++) {
        brink_guard_def guard = brink_default_guard("x");
        guard.depends = first, guard.ndepends = 1, guard.coefficients = one;
        guard.direction = (brink_direction)direction;
        brink_model_def def = brink_default_model();
        def.nx = 2, def.x0 = x0, def.rhs = harmonic_rhs, def.nguards = 1, def.guards = &guard;
        brink_options options = options_for(all_methods[m], all_events[e], 1e-9);
        options.hmax = 0.05;
        trace_run(&def, &options, 4.0 * PI, &run);
        CHECK_INT(run.nevents, direction == 0 ? 4 : 2);
        for (size_t k = 0; k < run.nevents && k < 4; k++) {
          double n = direction == 0  ? (double)k
                     : direction < 0 ? 2.0 * (double)k
                                     : 2.0 * (double)k + 1.0;
          CHECK_NEAR(run.events[k].event.t, (0.5 + n) * PI,
                     all_events[e] == BRINK_ZLM ? 1e-4 : 1e-7);
          CHECK_INT(run.events[k].event.direction, (int)n % 2 == 0 ? -1 : 1);
        }
      }
}

/* exp(-t) = t/4 at t = W(4); x' = -x, g = x - t/4. */
static const double lambert_4 = 1.20216787319704294;

static int timed_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)env;
  *g = x[0] - 0.25 * t;
  return 0;
}
static int timed_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                          double *dt) {
  (void)guard, (void)t, (void)x, (void)env;
  *dx = 1.0, *dt = -0.25;
  return 0;
}
static int timed_jet(size_t guard, int order, const double *t, const double *const *x,
                     const brink_env *env, double *g) {
  (void)guard, (void)env;
  double quarter[BRINK_JET_MAX_ORDER + 1];
  brink_jet_scale(order, t, -0.25, quarter);
  brink_jet_add(order, x[0], quarter, g);
  return 0;
}

TEST(a_guard_that_depends_on_time_fires_at_the_same_time_whatever_its_kind) {
  static const double x0[] = {1.0}, one[] = {1.0};
  for (size_t m = 0; m < 2; m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t s = 0; s < COUNT(sides); s++)
        for (int k = -2; k < KINDS; k++) {
          if (sides[s] == BRINK_UNILATERAL && k == VALUE) continue;
          brink_guard_def guard = brink_default_guard("g");
          if (k == -2) {
            guard.coefficients = one, guard.time_coefficient = -0.25;
          } else {
            guard = guard_of_kind(k < 0 ? GRADIENT : (kind)k, 2, timed_value, timed_gradient,
                                  timed_jet);
            if (k == -1) guard.degree = 1; /* linear, and says so */
          }
          guard.side = sides[s], guard.action = trace_stop;
          brink_model_def def = brink_default_model();
          def.nx = 1, def.x0 = x0, def.rhs = decay_rhs, def.nguards = 1, def.guards = &guard;
          brink_options options = options_for(all_methods[m], whole_step[e], 1e-9);
          trace_run(&def, &options, 2.0, &run);
          CHECK_MSG(run.status == BRINK_STOPPED && fabs(run.t - lambert_4) <= 2e-8,
                    "%s/%s, %s, kind %d: %s at %.12g (%s)", brink_method_name(all_methods[m]),
                    brink_events_name(whole_step[e]), side_names[s], k,
                    brink_status_text(run.status), run.t, run.diag.message);
        }
}

/* exp(sin t) = 2, sin t = ln 2, by every kind of guard at every detector. */
TEST(guards_of_every_kind_give_the_same_times) {
  static const double x0[] = {0.0, 1.0}, level[] = {2.0};
  double first = asin(log(2.0));
  double times[] = {first, PI - first, 2.0 * PI + first, 3.0 * PI - first};
  for (size_t m = 0; m < 2; m++)
    for (size_t e = 0; e < COUNT(all_events); e++)
      for (int k = 0; k < KINDS; k++) {
        if (k == POLYNOMIAL) continue;
        brink_guard_def guard = guard_of_kind((kind)k, 0, exp_value, exp_gradient, exp_jet);
        brink_model_def def = brink_default_model();
        def.nx = 2, def.x0 = x0, def.np = 1, def.p0 = level, def.rhs = harmonic_rhs;
        def.nguards = 1, def.guards = &guard;
        brink_options options = options_for(all_methods[m], all_events[e], 1e-10);
        options.hmax = 0.02;
        trace_run(&def, &options, 10.0, &run);
        CHECK_INT(run.nevents, 4);
        for (size_t j = 0; j < 4 && j < run.nevents; j++)
          CHECK_NEAR(run.events[j].event.t, times[j], all_events[e] == BRINK_ZLM ? 1e-3 : 1e-8);
      }
}

/* g(x) as recorded just before the action. */
static void check_side(brink_side side, kind k, brink_method method, brink_events events,
                       double rtol) {
  static const double x0[] = {0.0, 1.0}, level[] = {2.0};
  brink_guard_def guard = guard_of_kind(k, 0, exp_value, exp_gradient, exp_jet);
  guard.side = side;
  guard.action = trace_stop;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.np = 1, def.p0 = level, def.rhs = harmonic_rhs;
  def.nguards = 1, def.guards = &guard;
  brink_options options = options_for(method, events, rtol);
  if (method > BRINK_DOPRI) options.step = 0.05;
  trace_run(&def, &options, 2.0, &run);
  CHECK_MSG(run.nevents == 1, "%s, %s, %s/%s: %zu events (%s)", side_names[side], kind_names[k],
            brink_method_name(method), brink_events_name(events), run.nevents, run.diag.message);
  if (run.nevents != 1) return;
  double g = exp(run.events[0].before[0]) - 2.0;
  CHECK_NEAR(run.events[0].event.value, g, 0.0);
  bool right = side == BRINK_UNILATERAL ? g <= 0.0
               : side == BRINK_CROSSING ? g > 0.0
                                        : fabs(g) <= 1e-14;
  CHECK_MSG(right, "%s, %s, %s/%s at %g: g = %.3g", side_names[side], kind_names[k],
            brink_method_name(method), brink_events_name(events), rtol, g);
  if (side == BRINK_CROSSING) CHECK(g < 1e-13); /* just past */
  if (side == BRINK_UNILATERAL) CHECK_INT(run.stats.rhs_past_guard * (events == 0), 0);
}

TEST(each_side_is_kept_by_the_state_recorded_at_the_event) {
  static const double tolerances[] = {1e-4, 1e-7, 1e-10};
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t s = 0; s < COUNT(sides); s++)
        for (int k = SMOOTH; k < KINDS; k++)
          for (size_t r = 0; r < COUNT(tolerances); r++) {
            if (sides[s] == BRINK_UNILATERAL && k == VALUE) continue;
            check_side(sides[s], (kind)k, all_methods[m], whole_step[e], tolerances[r]);
          }
}

int main(void) {
  RUN(two_three_and_five_zeros_of_a_polynomial_guard_in_one_step_are_found_in_order);
  RUN(two_three_and_five_zeros_of_a_smooth_guard_in_one_step_are_found_in_order);
  RUN(two_three_and_five_zeros_of_a_guard_by_values_alone_in_one_step_are_found_in_order);
  RUN(two_and_three_zeros_of_a_guard_with_a_gradient_in_one_step_are_found_in_order);
  RUN(three_zeros_of_a_linear_guard_in_one_step_are_found_in_order);
  RUN(a_direction_filter_picks_its_crossings_out_of_several_in_one_step);
  RUN(a_bilateral_guard_that_turns_away_before_zero_is_a_near_miss);
  RUN(a_near_miss_farther_than_asked_for_is_not_reported);
  RUN(a_bilateral_touch_is_a_near_miss_or_two_events_within_rounding);
  RUN(a_unilateral_guard_that_comes_within_the_tolerance_and_turns_away_has_touched);
  RUN(a_dip_of_1e_9_in_a_long_step_at_tolerance_1e_4_counts_for_every_kind_of_guard);
  RUN(a_direction_filter_leaves_out_the_other_crossings);
  RUN(a_guard_that_depends_on_time_fires_at_the_same_time_whatever_its_kind);
  RUN(guards_of_every_kind_give_the_same_times);
  RUN(each_side_is_kept_by_the_state_recorded_at_the_event);
  return check_done();
}
