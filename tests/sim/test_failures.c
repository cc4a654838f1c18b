/* Right-hand sides and actions that fail: what is refused shortens the step and never gets into the
 * solution, and what cannot be passed ends the run with the time, the name and the cause. */
#include "check.h"
#include "support/trace.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static trace run;

static const brink_method all_methods[] = {BRINK_ADAMS,   BRINK_DOPRI,     BRINK_EULER,
                                           BRINK_TAYLOR2, BRINK_RK4,       BRINK_AM3,
                                           BRINK_BDF3,    BRINK_TRAPEZOID, BRINK_BDF};

static brink_options options_for(brink_method method, double rtol) {
  brink_options options = brink_default_options();
  options.method = method;
  options.rtol = rtol;
  options.atol = 1e-3 * rtol;
  if (method > BRINK_DOPRI) options.step = 0.01;
  return options;
}

static const double one_start[] = {1.0};
static const char *const level_name[] = {"level"};

static brink_model_def scalar(brink_rhs_fn *rhs, void *user) {
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = one_start, def.rhs = rhs, def.user = user;
  def.state_names = level_name;
  return def;
}

/* x' = -1 down to a wall at 0 that no guard announces. */
static int wall_nan(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[0] >= 0.0 ? -1.0 : (double)NAN;
  return 0;
}
static int wall_infinite(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[0] >= 0.0 ? -1.0 : -(double)INFINITY;
  return 0;
}
static int wall_refuses(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = -1.0;
  return x[0] >= 0.0 ? 0 : 1;
}

TEST(a_wall_without_a_guard_ends_the_run_just_before_it) {
  static brink_rhs_fn *const walls[] = {wall_nan, wall_infinite, wall_refuses};
  for (size_t w = 0; w < COUNT(walls); w++)
    for (size_t m = 0; m < COUNT(all_methods); m++) {
      brink_model_def def = scalar(walls[w], NULL);
      brink_options options = options_for(all_methods[m], 1e-6);
      trace_run(&def, &options, 2.0, &run);
      CHECK_MSG(run.status == BRINK_ERR_STEP, "wall %zu, %s: %s at %.12g, x = %g", w,
                brink_method_name(all_methods[m]), brink_status_text(run.status), run.t, run.x[0]);
      CHECK_NEAR(run.diag.t, 1.0, 1e-6);
      CHECK_NEAR(run.t, run.diag.t, 0.0);
      CHECK_INT(run.diag.state, 0);
      CHECK_CONTAINS(run.diag.message, "'level'");
      CHECK_CONTAINS(run.diag.message, "not defined");
      CHECK_CONTAINS(run.diag.message, "unilateral guard"); /* what to change */
      for (size_t k = 0; k < run.nsteps && k < TRACE_STEPS; k++)
        CHECK_MSG(run.steps[k].x[0] >= 0.0, "wall %zu, %s: x = %g was accepted", w,
                  brink_method_name(all_methods[m]), run.steps[k].x[0]);
      CHECK(run.x[0] >= 0.0);
    }
}

/* Every seventh call fails, each time in another way; the solution does not notice. */
static int sporadic_rhs(double t, const double *x, const brink_env *env, double *dx) {
  long *calls = env->user;
  (void)t;
  dx[0] = -x[0];
  if (++*calls % 7 != 0) return 0;
  if (*calls % 2 == 0) return 1;
  dx[0] = (double)NAN;
  return 0;
}

TEST(sporadic_refusals_shorten_steps_and_do_not_reach_the_solution) {
  for (size_t m = 0; m < 2; m++) {
    long calls = 0;
    brink_model_def def = scalar(sporadic_rhs, &calls);
    brink_options options = options_for(all_methods[m], 1e-8);
    options.max_steps = 100000;
    trace_run(&def, &options, 3.0, &run);
    CHECK_MSG(run.status == BRINK_TIME_REACHED, "%s: %s at %.12g (%s)",
              brink_method_name(all_methods[m]), brink_status_text(run.status), run.t,
              run.diag.message);
    CHECK(run.stats.rejected > 0);
    CHECK_NEAR(run.x[0], exp(-3.0), 1e-6);
    for (size_t k = 0; k < run.nsteps && k < TRACE_STEPS; k++)
      CHECK_NEAR(run.steps[k].x[0], exp(-run.steps[k].t1), 1e-6);
  }
}

/* Fixed-step methods take the refused part of a step in smaller ones. */
TEST(a_refusal_now_and_then_does_not_stop_a_fixed_step_method) {
  for (size_t m = 2; m < COUNT(all_methods); m++) {
    long calls = 3;
    brink_model_def def = scalar(sporadic_rhs, &calls);
    brink_options options = options_for(all_methods[m], 1e-8);
    options.max_steps = 100000;
    trace_run(&def, &options, 1.0, &run);
    CHECK_MSG(run.status == BRINK_TIME_REACHED, "%s: %s at %.12g (%s)",
              brink_method_name(all_methods[m]), brink_status_text(run.status), run.t,
              run.diag.message);
    CHECK_NEAR(run.x[0], exp(-1.0), 5e-3); /* Euler at h = 0.01 */
  }
}

static int undefined_at_start(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = sqrt(x[0] - 2.0);
  return 0;
}

TEST(a_right_hand_side_that_is_undefined_at_the_start_is_reported_there) {
  for (size_t m = 0; m < COUNT(all_methods); m++) {
    brink_model_def def = scalar(undefined_at_start, NULL);
    brink_options options = options_for(all_methods[m], 1e-6);
    trace_run(&def, &options, 1.0, &run);
    CHECK_INT(run.status, BRINK_ERR_DOMAIN);
    CHECK_NEAR(run.diag.t, 0.0, 0.0);
    CHECK_CONTAINS(run.diag.message, "'level'");
  }
}

static int fatal_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)x, (void)env;
  dx[0] = -1.0;
  return t > 0.5 ? -3 : 0;
}

TEST(a_fatal_error_of_the_right_hand_side_ends_the_run) {
  for (size_t m = 0; m < COUNT(all_methods); m++) {
    brink_model_def def = scalar(fatal_rhs, NULL);
    brink_options options = options_for(all_methods[m], 1e-6);
    trace_run(&def, &options, 1.0, &run);
    CHECK_INT(run.status, BRINK_ERR_CALLBACK);
    CHECK(run.t <= 0.5 && run.diag.t <= 0.5);
    CHECK_CONTAINS(run.diag.message, "fatal");
  }
}

/* x' = x^2 from 1: infinite at t = 1. */
static int escape_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[0] * x[0];
  return 0;
}

TEST(a_solution_that_escapes_in_finite_time_ends_the_run_there) {
  for (size_t m = 0; m < 2; m++) {
    brink_model_def def = scalar(escape_rhs, NULL);
    brink_options options = options_for(all_methods[m], 1e-6);
    options.max_steps = 100000;
    trace_run(&def, &options, 2.0, &run);
    CHECK_MSG(run.status == BRINK_ERR_STEP, "%s: %s at %.17g, x = %g",
              brink_method_name(all_methods[m]), brink_status_text(run.status), run.t, run.x[0]);
    CHECK_NEAR(run.diag.t, 1.0, 1e-4);
    CHECK_CONTAINS(run.diag.message, "'level'");
    CHECK(run.x[0] > 1e4 && isfinite(run.x[0]));
  }
}

/* A fixed step jumps over the pole; what comes after is finite as long as it is accepted. */
TEST(a_fixed_step_method_does_not_hang_on_an_escaping_solution) {
  for (size_t m = 2; m < COUNT(all_methods); m++) {
    brink_model_def def = scalar(escape_rhs, NULL);
    brink_options options = options_for(all_methods[m], 1e-6);
    options.max_steps = 100000;
    trace_run(&def, &options, 2.0, &run);
    CHECK_MSG(run.status != BRINK_ERR_WORK, "%s: %s at %.17g, x = %g",
              brink_method_name(all_methods[m]), brink_status_text(run.status), run.t, run.x[0]);
    CHECK(isfinite(run.x[0]));
  }
}

/* A jump of the field that no guard declares: the variable-step methods creep over it. */
static int jump_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[0] > 0.5 ? -1.0 : -0.25;
  return 0;
}

TEST(an_undeclared_jump_of_the_field_is_passed_within_the_tolerance) {
  for (size_t m = 0; m < 2; m++) {
    brink_model_def def = scalar(jump_rhs, NULL);
    brink_options options = options_for(all_methods[m], 1e-6);
    trace_run(&def, &options, 1.5, &run);
    CHECK_INT(run.status, BRINK_TIME_REACHED);
    CHECK_NEAR(run.x[0], 0.25, 1e-4);
  }
}

/* ---- guards and actions ---- */

static int fall_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = -1.0;
  return 0;
}
static int fail_action(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)now, (void)user;
  return -5;
}
static int nan_action(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = (double)NAN;
  return 0;
}

static brink_guard_def half_guard(brink_action_fn *action) {
  static const double one[] = {1.0};
  brink_guard_def guard = brink_default_guard("half");
  guard.coefficients = one, guard.offset = -0.5, guard.action = action;
  return guard;
}

TEST(an_action_that_fails_ends_the_run_and_is_named) {
  brink_guard_def guard = half_guard(fail_action);
  brink_model_def def = scalar(fall_rhs, NULL);
  def.nguards = 1, def.guards = &guard;
  trace_run(&def, NULL, 1.0, &run);
  CHECK_INT(run.status, BRINK_ERR_CALLBACK);
  CHECK_INT(run.diag.guard, 0);
  CHECK_NEAR(run.diag.t, 0.5, 1e-6);
  CHECK_CONTAINS(run.diag.message, "'half'");
  CHECK_CONTAINS(run.diag.message, "-5");
}

TEST(an_action_that_sets_a_state_to_nan_ends_the_run_and_both_are_named) {
  brink_guard_def guard = half_guard(nan_action);
  brink_model_def def = scalar(fall_rhs, NULL);
  def.nguards = 1, def.guards = &guard;
  trace_run(&def, NULL, 1.0, &run);
  CHECK_INT(run.status, BRINK_ERR_CALLBACK);
  CHECK_INT(run.diag.state, 0);
  CHECK_CONTAINS(run.diag.message, "'half'");
  CHECK_CONTAINS(run.diag.message, "'level'");
}

static int infinite_parameter(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->p[1] = (double)INFINITY;
  return 0;
}

static int forgets_state(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = (double)-INFINITY;
  return 0;
}

/* Where a failure left a state that is no number, nothing is reached any more, not even the present. */
TEST(a_simulation_does_not_go_on_from_a_state_that_is_no_number) {
  static const double mended[] = {0.25};
  const brink_guard_def guard = half_guard(forgets_state);
  brink_model_def def = scalar(fall_rhs, NULL);
  def.nguards = 1, def.guards = &guard;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_diag diag;
  CHECK(brink_model_create(&def, NULL, NULL, &model) == BRINK_OK);
  CHECK(brink_sim_create(model, NULL, NULL, NULL, &sim) == BRINK_OK);
  CHECK_INT(brink_sim_run(sim, 1.0, NULL), BRINK_ERR_CALLBACK);
  double t = brink_sim_time(sim), out[1];
  CHECK_INT(brink_sim_run(sim, t, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "state 'level' is -inf");
  CHECK_INT(diag.state, 0);
  CHECK_INT(brink_sim_advance(sim, t, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_sim_next_event(sim, t + 1.0, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_sim_sample(sim, &t, 1, out, NULL, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_sim_set_state(sim, mended, NULL), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, t, NULL), BRINK_TIME_REACHED);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* x'' = -1e300 over a floor: numbers at both ends of a step, and products that overflow inside it. */
static int falls_fast(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1], dx[1] = -1e300;
  return 0;
}

TEST(a_state_that_overflows_on_its_way_to_a_surface_does_not_become_nan) {
  static const double start[] = {1.0, 0.0}, down[] = {1.0};
  static const size_t first[] = {0};
  for (size_t m = 0; m < COUNT(all_methods); m++) {
    brink_guard_def floor_guard = brink_default_guard("floor");
    floor_guard.side = BRINK_UNILATERAL;
    floor_guard.depends = first, floor_guard.ndepends = 1, floor_guard.coefficients = down;
    brink_model_def def = brink_default_model();
    def.nx = 2, def.x0 = start, def.rhs = falls_fast;
    def.nguards = 1, def.guards = &floor_guard;
    brink_options options = options_for(all_methods[m], 1e-6);
    trace_run(&def, &options, 5.0, &run);
    CHECK_MSG(run.status < 0, "%s: %s", brink_method_name(all_methods[m]),
              brink_status_text(run.status)); /* nothing leads away from the floor */
    CHECK_MSG(isfinite(run.x[0]) && isfinite(run.x[1]), "%s: %g, %g",
              brink_method_name(all_methods[m]), run.x[0], run.x[1]);
  }
}

TEST(an_action_that_sets_a_parameter_to_infinity_ends_the_run) {
  static const double p0[] = {1.0, 2.0};
  brink_guard_def guard = half_guard(infinite_parameter);
  brink_model_def def = scalar(fall_rhs, NULL);
  def.nguards = 1, def.guards = &guard;
  def.np = 2, def.p0 = p0;
  trace_run(&def, NULL, 1.0, &run);
  CHECK_INT(run.status, BRINK_ERR_CALLBACK);
  CHECK_CONTAINS(run.diag.message, "'half' set parameter 1 to inf");
}

static int nan_guard(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = sqrt(x[0] - 2.0);
  return 0;
}

TEST(a_guard_without_a_value_at_the_start_is_reported_and_named) {
  brink_guard_def guard = brink_default_guard("root");
  guard.value = nan_guard;
  brink_model_def def = scalar(fall_rhs, NULL);
  def.nguards = 1, def.guards = &guard;
  trace_run(&def, NULL, 1.0, &run);
  CHECK_INT(run.status, BRINK_ERR_DOMAIN);
  CHECK_INT(run.diag.guard, 0);
  CHECK_CONTAINS(run.diag.message, "'root'");
}

/* An action throws the state past a unilateral surface that is not its own: that is a jump, hence
 * an event; if nothing brings it back, the run ends instead of evaluating out there. */
static int throw_past(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = -1.0;
  return 0;
}
static int guarded_rhs(double t, const double *x, const brink_env *env, double *dx) {
  long *outside = env->user;
  (void)t;
  if (x[0] < 0.0 && env->sgn[1] > 0) ++*outside;
  dx[0] = -1.0;
  return 0;
}

TEST(a_reset_past_a_unilateral_surface_is_an_event_there) {
  static const double one[] = {1.0};
  long outside = 0;
  brink_guard_def guards[2] = {half_guard(throw_past), brink_default_guard("bottom")};
  guards[1].coefficients = one, guards[1].side = BRINK_UNILATERAL;
  brink_model_def def = scalar(guarded_rhs, &outside);
  def.nguards = 2, def.guards = guards;
  trace_run(&def, NULL, 1.0, &run);
  CHECK_INT(outside, 0);
  CHECK(run.nevents >= 2);
  if (run.nevents < 2) return;
  CHECK_INT(run.events[1].event.guard, 1);
  CHECK_INT(run.events[1].event.kind, BRINK_JUMPED);
  CHECK_INT(run.events[1].event.direction, BRINK_NEGATIVE);
}

/* ---- going on behind a failure ---- */

static int flows(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = env->p[0];
  return 0;
}

/* It has changed the parameter already. */
static int changes_and_fails(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->p[0] = 3.0;
  return -7;
}

TEST(a_run_that_goes_on_behind_a_failed_callback_knows_what_that_has_changed) {
  static const double x0[] = {0.0}, p0[] = {1.0};
  for (size_t m = 0; m < COUNT(all_methods); m++) {
    brink_clock_def clock = brink_default_clock("clock");
    brink_model_def def = brink_default_model();
    brink_options options = options_for(all_methods[m], 1e-6);
    brink_model *model = NULL;
    brink_sim *sim = NULL;
    clock.offset = 0.5, clock.period = 10.0, clock.tick = changes_and_fails;
    def.nx = 1, def.x0 = x0, def.np = 1, def.p0 = p0, def.rhs = flows;
    def.nclocks = 1, def.clocks = &clock;
    CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
    if (all_methods[m] == BRINK_TAYLOR2) options.method = BRINK_EULER; /* it has no series */
    CHECK_INT(brink_sim_create(model, &options, NULL, NULL, &sim), BRINK_OK);
    CHECK_INT(brink_sim_run(sim, 1.0, NULL), BRINK_ERR_CALLBACK);
    CHECK_INT(brink_sim_run(sim, 1.0, NULL), BRINK_TIME_REACHED);
    CHECK_NEAR(brink_sim_state(sim)[0], 0.5 * 1.0 + 0.5 * 3.0, 1e-9);
    brink_sim_destroy(sim);
    brink_model_destroy(model);
  }
}

int main(void) {
  RUN(a_wall_without_a_guard_ends_the_run_just_before_it);
  RUN(sporadic_refusals_shorten_steps_and_do_not_reach_the_solution);
  RUN(a_refusal_now_and_then_does_not_stop_a_fixed_step_method);
  RUN(a_right_hand_side_that_is_undefined_at_the_start_is_reported_there);
  RUN(a_fatal_error_of_the_right_hand_side_ends_the_run);
  RUN(a_solution_that_escapes_in_finite_time_ends_the_run_there);
  RUN(a_fixed_step_method_does_not_hang_on_an_escaping_solution);
  RUN(an_undeclared_jump_of_the_field_is_passed_within_the_tolerance);
  RUN(an_action_that_fails_ends_the_run_and_is_named);
  RUN(an_action_that_sets_a_state_to_nan_ends_the_run_and_both_are_named);
  RUN(a_simulation_does_not_go_on_from_a_state_that_is_no_number);
  RUN(a_state_that_overflows_on_its_way_to_a_surface_does_not_become_nan);
  RUN(an_action_that_sets_a_parameter_to_infinity_ends_the_run);
  RUN(a_guard_without_a_value_at_the_start_is_reported_and_named);
  RUN(a_reset_past_a_unilateral_surface_is_an_event_there);
  RUN(a_run_that_goes_on_behind_a_failed_callback_knows_what_that_has_changed);
  return check_done();
}
