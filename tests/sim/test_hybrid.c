/* What happens at an instant: cascades, records in superdense order, jumps that are events, loops,
 * accumulation, blocked surfaces, rules. */
#include "check.h"
#include "support/trace.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static trace run;

static const brink_method variable[] = {BRINK_ADAMS, BRINK_DOPRI};
static const brink_events whole_step[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE};
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

/* A guard on one state: factor*x[index] + offset. */
static brink_guard_def guard_on(const char *name, const size_t *index, double offset,
                                brink_action_fn *action) {
  static const double one[] = {1.0};
  brink_guard_def guard = brink_default_guard(name);
  guard.depends = index, guard.ndepends = 1, guard.coefficients = one;
  guard.offset = offset, guard.action = action;
  return guard;
}

static const size_t first[] = {0}, second[] = {1};

static int unit_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 1.0;
  return 0;
}
/* The first state is time, the second rests. */
static int time_and_rest_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 1.0, dx[1] = 0.0;
  return 0;
}

/* ---- cascades ---- */

/* x' = 1 in modes 0 to 2, -1 in mode 3; three transitions at x = 1, one at x = 0. */
static int cascade_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = env->mode[0] == 3 ? -1.0 : 1.0;
  return 0;
}
static int next_mode(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = (now->mode[0] + 1) % 4;
  return 0;
}
static bool in_its_mode(size_t guard, const brink_env *env) {
  return (int)guard == env->mode[0];
}

TEST(three_transitions_at_one_instant_run_one_after_the_other) {
  static const double x0[] = {0.0};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guards[4] = {
            guard_on("0 to 1", first, -1.0, next_mode), guard_on("1 to 2", first, -1.0, next_mode),
            guard_on("2 to 3", first, -1.0, next_mode), guard_on("3 to 0", first, 0.0, next_mode)};
        for (size_t k = 0; k < 4; k++) {
          guards[k].side = sides[s];
          guards[k].direction = k < 3 ? BRINK_POSITIVE : BRINK_NEGATIVE;
        }
        brink_model_def def = brink_default_model();
        def.nx = 1, def.x0 = x0, def.nmodes = 1, def.rhs = cascade_rhs;
        def.nguards = 4, def.guards = guards, def.enabled = in_its_mode;
        brink_options options = options_for(variable[m], whole_step[e], 1e-9);
        trace_run(&def, &options, 8.5, &run);
        CHECK_MSG(run.status == BRINK_TIME_REACHED && run.nevents == 16,
                  "%s/%s, %s: %s, %zu events (%s)", brink_method_name(variable[m]),
                  brink_events_name(whole_step[e]), side_names[s], brink_status_text(run.status),
                  run.nevents, run.diag.message);
        for (size_t k = 0; k < 16 && k < run.nevents; k++) {
          const trace_event *record = &run.events[k];
          double t = 2.0 * (double)(k / 4) + (k % 4 == 3 ? 2.0 : 1.0);
          CHECK_NEAR(record->event.t, t, 1e-7);
          CHECK_INT(record->event.guard, k % 4);
          CHECK_INT(record->mode_before[0], k % 4);
          CHECK_INT(record->mode_after[0], (k + 1) % 4);
          if (k % 4 == 1 || k % 4 == 2)
            CHECK_MSG(record->event.t == run.events[k - 1].event.t,
                      "%s/%s, %s: '%s' %.3g after '%s'", brink_method_name(variable[m]),
                      brink_events_name(whole_step[e]), side_names[s], record->event.name,
                      record->event.t - run.events[k - 1].event.t, run.events[k - 1].event.name);
        }
      }
}

/* The chain is numbered, and its later links are jumps. */
TEST(events_of_one_instant_are_numbered_by_the_round_they_happen_in) {
  static const double x0[] = {0.0};
  brink_guard_def guards[4] = {
      guard_on("0 to 1", first, -1.0, next_mode), guard_on("1 to 2", first, -1.0, next_mode),
      guard_on("2 to 3", first, -1.0, next_mode), guard_on("3 to 0", first, 0.0, next_mode)};
  for (size_t k = 0; k < 4; k++) guards[k].direction = k < 3 ? BRINK_POSITIVE : BRINK_NEGATIVE;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.nmodes = 1, def.rhs = cascade_rhs;
  def.nguards = 4, def.guards = guards, def.enabled = in_its_mode;
  trace_run(&def, NULL, 1.5, &run);
  CHECK_INT(run.nevents, 3);
  for (size_t k = 0; k < 3 && k < run.nevents; k++) {
    CHECK_INT(run.events[k].event.iteration, k);
    CHECK_INT(run.events[k].event.kind, k == 0 ? BRINK_CROSSED : BRINK_JUMPED);
  }
}

/* ---- records in superdense order ---- */

static int double_it(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] *= 2.0;
  return 0;
}
static int add_one(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] += 1.0;
  return 0;
}
/* Uses the value from before the instant, whatever happened to it since. */
static int add_pre(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] += 100.0 * now->pre_x[1];
  return 0;
}

TEST(values_before_and_after_each_event_form_a_chain) {
  static const double x0[] = {0.0, 3.0};
  brink_guard_def guards[3] = {guard_on("double", first, -1.0, double_it),
                               guard_on("add", first, -1.0, add_one),
                               guard_on("pre", first, -1.0, add_pre)};
  guards[1].priority = 1; /* 3 + 1 = 4, then 8, then 308 */
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = time_and_rest_rhs, def.nguards = 3, def.guards = guards;
  trace_run(&def, NULL, 2.0, &run);
  CHECK_INT(run.nevents, 3);
  if (run.nevents != 3) return;
  static const double chain[] = {3.0, 4.0, 8.0, 308.0};
  for (size_t k = 0; k < 3; k++) {
    CHECK_NEAR(run.events[k].before[1], chain[k], 0.0);
    CHECK_NEAR(run.events[k].after[1], chain[k + 1], 0.0);
  }
  CHECK_NEAR(run.x[1], 308.0, 0.0);
}

/* ---- jumps ---- */

static int lift(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] = 5.0;
  return 0;
}

TEST(a_jump_by_an_action_is_an_event_of_the_same_instant_in_its_direction) {
  static const double x0[] = {0.0, 0.0}, minus[] = {-1.0};
  for (size_t s = 0; s < COUNT(sides); s++) {
    brink_guard_def guards[5] = {
        guard_on("trigger", first, -1.0, lift), guard_on("above 3", second, -3.0, NULL),
        guard_on("below 2", second, 2.0, NULL), guard_on("falls through 4", second, -4.0, NULL),
        guard_on("above 6", second, -6.0, NULL)};
    guards[2].coefficients = minus;
    guards[3].direction = BRINK_NEGATIVE;
    for (size_t k = 1; k < 5; k++) guards[k].side = sides[s];
    brink_model_def def = brink_default_model();
    def.nx = 2, def.x0 = x0, def.rhs = time_and_rest_rhs, def.nguards = 5, def.guards = guards;
    trace_run(&def, NULL, 2.0, &run);
    CHECK_MSG(run.nevents == 3 && run.status == BRINK_TIME_REACHED, "%s: %zu events (%s)",
              side_names[s], run.nevents, run.diag.message);
    if (run.nevents != 3) continue;
    CHECK_INT(run.events[1].event.guard, 1);
    CHECK_INT(run.events[2].event.guard, 2);
    CHECK_INT(run.events[1].event.direction, BRINK_POSITIVE);
    CHECK_INT(run.events[2].event.direction, BRINK_NEGATIVE);
    for (size_t k = 1; k < 3; k++) {
      CHECK_INT(run.events[k].event.kind, BRINK_JUMPED);
      CHECK_INT(run.events[k].event.iteration, 1);
      CHECK(run.events[k].event.t == run.events[0].event.t);
    }
  }
}

/* The guard that fired moves itself to either side. */
static int set_to_parameter(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = now->p[0];
  return 0;
}

TEST(the_flag_that_fired_is_exempt_and_takes_its_new_sign) {
  static const double x0[] = {0.0}, targets[] = {3.0, -5.0, 0.5, 1.0 + 1e-7, 1.0 - 1e-7};
  static const double expected[] = {0.0, 6.0, 0.5, 0.0, 1e-7}; /* time to the next event; 0: none */
  for (size_t e = 0; e < COUNT(whole_step); e++)
    for (size_t s = 0; s < COUNT(sides); s++)
      for (size_t k = 0; k < COUNT(targets); k++) {
        brink_guard_def guard = guard_on("g", first, -1.0, set_to_parameter);
        guard.side = sides[s];
        brink_model_def def = brink_default_model();
        def.nx = 1, def.x0 = x0, def.np = 1, def.p0 = &targets[k], def.rhs = unit_rhs;
        def.nguards = 1, def.guards = &guard;
        brink_options options = options_for(BRINK_ADAMS, whole_step[e], 1e-10);
        double end = 1.0 + (expected[k] > 0.0 ? 1.5 * expected[k] : 10.0);
        trace_run(&def, &options, end, &run);
        size_t events = expected[k] > 0.0 ? 2 : 1;
        CHECK_MSG(run.nevents == events && run.status == BRINK_TIME_REACHED,
                  "%s, %s, to %.9g: %zu events (%s)", brink_events_name(whole_step[e]),
                  side_names[s], targets[k], run.nevents, run.diag.message);
        if (events == 2 && run.nevents == 2) {
          CHECK_NEAR(run.events[1].event.t, 1.0 + expected[k], 1e-9);
          CHECK_INT(run.events[1].event.direction, BRINK_POSITIVE);
          CHECK_INT(run.events[1].event.kind, BRINK_CROSSED);
        }
      }
}

/* ---- loops ---- */

static int toggle(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 1 - now->mode[0];
  return 0;
}

TEST(events_that_do_not_settle_end_the_run_and_are_named) {
  static const double x0[] = {0.0};
  brink_guard_def guards[2] = {guard_on("tick", first, -1.0, toggle),
                               guard_on("tock", first, -1.0, toggle)};
  guards[0].direction = guards[1].direction = BRINK_POSITIVE;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.nmodes = 1, def.rhs = unit_rhs;
  def.nguards = 2, def.guards = guards, def.enabled = in_its_mode;
  brink_options options = brink_default_options();
  options.max_iterations = 20;
  trace_run(&def, &options, 2.0, &run);
  CHECK_INT(run.status, BRINK_ERR_LOOP);
  CHECK_INT(run.diag.status, BRINK_ERR_LOOP);
  CHECK_NEAR(run.diag.t, 1.0, 1e-6);
  CHECK(run.diag.guard < 2);
  CHECK_CONTAINS(run.diag.message, "'tick'");
  CHECK_CONTAINS(run.diag.message, "'tock'");
  CHECK(run.nevents <= 21);
}

/* Time does not move although every single instant settles: each event resets x to its surface. */
static int back_to_one(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = 1.0 - 1e-17; /* 1, as doubles go */
  now->x[1] += 1.0;
  return 0;
}

TEST(an_event_that_resets_to_its_own_surface_fires_once_and_time_goes_on) {
  static const double x0[] = {0.0, 0.0};
  for (size_t e = 0; e < COUNT(whole_step); e++) {
    brink_guard_def guard = guard_on("g", first, -1.0, back_to_one);
    brink_model_def def = brink_default_model();
    def.nx = 2, def.x0 = x0, def.rhs = time_and_rest_rhs, def.nguards = 1, def.guards = &guard;
    brink_options options = options_for(BRINK_ADAMS, whole_step[e], 1e-9);
    trace_run(&def, &options, 3.0, &run);
    CHECK_INT(run.status, BRINK_TIME_REACHED);
    CHECK_INT(run.nevents, 1);
    CHECK_NEAR(run.x[0], 3.0, 1e-7);
  }
}

/* ---- accumulation ---- */

static int ball_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = env->mode[0] ? 0.0 : x[1];
  dx[1] = env->mode[0] ? 0.0 : -9.81;
  return 0;
}
static int bounce(const brink_event *event, brink_now *now, void *user) {
  const double *restitution = user;
  (void)event;
  now->x[1] = -(restitution != NULL ? *restitution : 0.8) * now->x[1];
  return 0;
}
static int rest(const size_t *guards, size_t count, brink_now *now, void *user) {
  (void)guards, (void)user;
  now->mode[0] = 1;
  for (size_t k = 0; k < 2; k++) now->x[k] = 0.0;
  return count > 0 ? 0 : -1;
}

static brink_model_def ball(brink_guard_def *floor_guard, brink_side side) {
  static const double x0[] = {1.0, 0.0}, minus[] = {-1.0};
  *floor_guard = guard_on("floor", first, 0.0, bounce);
  floor_guard->coefficients = minus, floor_guard->side = side;
  floor_guard->direction = BRINK_POSITIVE;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.nmodes = 1, def.rhs = ball_rhs, def.zeno = rest;
  def.nguards = 1, def.guards = floor_guard;
  return def;
}

TEST(a_bouncing_ball_is_stopped_at_its_accumulation_point) {
  double t1 = sqrt(2.0 / 9.81);
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guard;
        brink_model_def def = ball(&guard, sides[s]);
        brink_options options = options_for(variable[m], whole_step[e], 1e-9);
        trace_run(&def, &options, 10.0, &run);
        CHECK_MSG(run.status == BRINK_ERR_ZENO, "%s/%s, %s: %s at %.12g after %zu events (%s)",
                  brink_method_name(variable[m]), brink_events_name(whole_step[e]), side_names[s],
                  brink_status_text(run.status), run.t, run.nevents, run.diag.message);
        CHECK_NEAR(run.diag.t, 9.0 * t1, 1e-6);
        CHECK(run.t <= run.diag.t);
        CHECK_CONTAINS(run.diag.message, "'floor'");
        CHECK_INT(run.diag.guard, 0);
        CHECK(run.nevents >= 30);
        double t = t1;
        for (size_t k = 0; k < 20 && k < run.nevents; k++) {
          CHECK_NEAR(run.events[k].event.t, t, 1e-6);
          t += 2.0 * t1 * pow(0.8, (double)k + 1.0);
        }
      }
}

/* A dull ball has only a few bounces that time can resolve. */
TEST(a_ball_that_hardly_bounces_is_stopped_at_its_accumulation_point_too) {
  static const double restitutions[] = {0.5, 0.2, 0.1, 0.03};
  double t1 = sqrt(2.0 / 9.81);
  for (size_t k = 0; k < COUNT(restitutions); k++)
    for (size_t m = 0; m < COUNT(variable); m++)
      for (size_t e = 0; e < COUNT(whole_step); e++)
        for (size_t s = 0; s < COUNT(sides); s++) {
          brink_guard_def guard;
          brink_model_def def = ball(&guard, sides[s]);
          def.user = (void *)&restitutions[k];
          brink_options options = options_for(variable[m], whole_step[e], 1e-9);
          options.max_steps = 100000;
          trace_run(&def, &options, 10.0, &run);
          double limit = t1 * (1.0 + restitutions[k]) / (1.0 - restitutions[k]);
          CHECK_MSG(run.status == BRINK_ERR_ZENO && fabs(run.diag.t - limit) <= 1e-6,
                    "restitution %g, %s/%s, %s: %s at %.12g (limit %.12g) after %zu events (%s)",
                    restitutions[k], brink_method_name(variable[m]),
                    brink_events_name(whole_step[e]), side_names[s], brink_status_text(run.status),
                    run.t, limit, run.nevents, run.diag.message);
        }
}

TEST(a_ball_with_a_limit_mode_goes_on_after_its_accumulation_point) {
  double t1 = sqrt(2.0 / 9.81);
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t s = 0; s < COUNT(sides); s++) {
      brink_guard_def guard;
      brink_model_def def = ball(&guard, sides[s]);
      brink_options options = options_for(variable[m], BRINK_EXTRAPOLATE, 1e-9);
      options.zeno = BRINK_ZENO_CONTINUE;
      trace_run(&def, &options, 10.0, &run);
      CHECK_MSG(run.status == BRINK_TIME_REACHED && run.t == 10.0, "%s at %g (%s)",
                brink_status_text(run.status), run.t, run.diag.message);
      CHECK_NEAR(run.x[0], 0.0, 0.0);
      CHECK_INT(run.mode[0], 1);
      size_t last = run.nevents < TRACE_EVENTS ? run.nevents : TRACE_EVENTS;
      if (last > 0) CHECK_NEAR(run.events[last - 1].event.t, 9.0 * t1, 1e-5);
    }
}

TEST(asked_to_continue_without_a_limit_mode_the_run_ends_and_says_what_is_missing) {
  brink_guard_def guard;
  brink_model_def def = ball(&guard, BRINK_UNILATERAL);
  def.zeno = NULL;
  brink_options options = brink_default_options();
  options.zeno = BRINK_ZENO_CONTINUE;
  trace_run(&def, &options, 10.0, &run);
  CHECK_INT(run.status, BRINK_ERR_ZENO);
  CHECK_CONTAINS(run.diag.message, "zeno");
}

/* Two tanks: inflow to one, both leak; switches at 8 - 6/2^n, all numbers dyadic. */
static int tanks_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = env->mode[0] == 0 ? 0.25 : -0.5;
  dx[1] = env->mode[0] == 0 ? -0.5 : 0.25;
  return 0;
}
/* Guard k watches the tank that leaks in mode k. */
TEST(two_tanks_switch_at_dyadic_times_up_to_their_accumulation_point) {
  static const double x0[] = {1.0, 1.0};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guards[2] = {guard_on("second empty", second, 0.0, toggle),
                                     guard_on("first empty", first, 0.0, toggle)};
        guards[0].side = guards[1].side = sides[s];
        guards[0].direction = guards[1].direction = BRINK_NEGATIVE;
        brink_model_def def = brink_default_model();
        def.nx = 2, def.x0 = x0, def.nmodes = 1, def.rhs = tanks_rhs;
        def.nguards = 2, def.guards = guards, def.enabled = in_its_mode;
        brink_options options = options_for(variable[m], whole_step[e], 1e-9);
        trace_run(&def, &options, 20.0, &run);
        CHECK_MSG(run.status == BRINK_ERR_ZENO, "%s/%s, %s: %s at %.17g after %zu events (%s)",
                  brink_method_name(variable[m]), brink_events_name(whole_step[e]), side_names[s],
                  brink_status_text(run.status), run.t, run.nevents, run.diag.message);
        CHECK_NEAR(run.diag.t, 8.0, 1e-8);
        CHECK_CONTAINS(run.diag.message, "'second empty'");
        CHECK_CONTAINS(run.diag.message, "'first empty'");
        CHECK(run.nevents >= 16);
        bool early = sides[s] == BRINK_UNILATERAL && whole_step[e] == BRINK_EXTRAPOLATE;
        for (size_t k = 0; k < 16 && k < run.nevents; k++) {
          CHECK_NEAR(run.events[k].event.t, 8.0 - ldexp(6.0, -(int)k), early ? 1e-8 : 1e-13);
          CHECK_INT(run.events[k].event.guard, k % 2);
        }
      }
}

/* Events at a constant or slowly shrinking pace are no accumulation. */
static int reset_to_zero(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = 0.0;
  return 0;
}

TEST(ten_thousand_regular_events_are_no_accumulation) {
  static const double x0[] = {0.0};
  brink_guard_def guard = guard_on("g", first, -1e-3, reset_to_zero);
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = unit_rhs, def.nguards = 1, def.guards = &guard;
  trace_run(&def, NULL, 10.0005, &run);
  CHECK_INT(run.status, BRINK_TIME_REACHED);
  CHECK_INT(run.nevents, 10000);
}

/* ---- blocked ---- */

static int fall_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = -1.0;
  return 0;
}
static int write_the_same(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = now->x[0] + 0.0;
  return 0;
}

TEST(a_unilateral_surface_that_nothing_leads_away_from_blocks_the_run) {
  static const double x0[] = {1.0};
  static brink_action_fn *const actions[] = {NULL, write_the_same};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t a = 0; a < COUNT(actions); a++) {
        brink_guard_def guard = guard_on("bottom", first, 0.0, actions[a]);
        guard.side = BRINK_UNILATERAL;
        brink_model_def def = brink_default_model();
        def.nx = 1, def.x0 = x0, def.rhs = fall_rhs, def.nguards = 1, def.guards = &guard;
        brink_options options = options_for(variable[m], whole_step[e], 1e-6);
        trace_run(&def, &options, 2.0, &run);
        CHECK_INT(run.status, BRINK_ERR_BLOCKED);
        CHECK_INT(run.diag.guard, 0);
        CHECK_NEAR(run.diag.t, 1.0, 1e-5);
        CHECK(run.x[0] >= 0.0);
        CHECK_CONTAINS(run.diag.message, "'bottom'");
        CHECK_INT(run.nevents, 1);
      }
}

/* ---- rules ---- */

/* Mode 0 counts to 3 by itself, then rests: rules run until nothing changes. */
static int count_to_three(brink_now *now, bool *changed, void *user) {
  int *calls = user;
  ++*calls;
  if (now->mode[0] >= 3) return 0;
  now->mode[0]++;
  *changed = true;
  return 0;
}
static int reset_mode(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 0;
  return 0;
}

TEST(rules_run_at_the_start_and_after_events_until_nothing_changes) {
  static const double x0[] = {0.0};
  int calls = 0;
  brink_guard_def guard = guard_on("g", first, -1.0, reset_mode);
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.nmodes = 1, def.rhs = unit_rhs, def.rules = count_to_three;
  def.nguards = 1, def.guards = &guard, def.user = &calls;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, NULL, &sim), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, 0.5, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_modes(sim)[0], 3);
  CHECK_INT(calls, 4);
  CHECK_INT(brink_sim_run(sim, 1.5, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_modes(sim)[0], 3);
  CHECK(calls >= 8);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

static int never_content(brink_now *now, bool *changed, void *user) {
  (void)user;
  now->mode[0] = 1 - now->mode[0];
  *changed = true;
  return 0;
}

TEST(rules_that_never_rest_end_the_run) {
  static const double x0[] = {0.0};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.nmodes = 1, def.rhs = unit_rhs, def.rules = never_content;
  trace_run(&def, NULL, 1.0, &run);
  CHECK_INT(run.status, BRINK_ERR_LOOP);
  CHECK_CONTAINS(run.diag.message, "rules");
}

/* Rules may carry a guard across zero, like any action. */
static int lift_when_late(brink_now *now, bool *changed, void *user) {
  (void)user;
  *changed = now->x[0] >= 0.99 && now->x[1] < 5.0;
  if (*changed) now->x[1] = 5.0;
  return 0;
}

TEST(a_jump_by_a_rule_is_an_event) {
  static const double x0[] = {0.0, 0.0};
  brink_guard_def guards[2] = {guard_on("one", first, -1.0, NULL),
                               guard_on("above 3", second, -3.0, NULL)};
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = time_and_rest_rhs, def.rules = lift_when_late;
  def.nguards = 2, def.guards = guards;
  trace_run(&def, NULL, 2.0, &run);
  CHECK_INT(run.nevents, 2);
  if (run.nevents < 2) return;
  CHECK_INT(run.events[1].event.guard, 1);
  CHECK_INT(run.events[1].event.kind, BRINK_JUMPED);
  CHECK(run.events[1].event.t == run.events[0].event.t);
}

/* ---- events that time cannot tell apart, and limits that fail ---- */

/* Each event puts the state one rounding before its surface: time cannot tell them apart. */
static int one_ulp_back(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = nextafter(100.0, 0.0);
  return 0;
}

TEST(events_that_time_cannot_tell_apart_do_not_hang) {
  static const double x0[] = {99.0};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guard = guard_on("again", first, -100.0, one_ulp_back);
        guard.side = sides[s];
        brink_model_def def = brink_default_model();
        def.t0 = 1e4; /* an ulp of time is worth more than one of x */
        def.nx = 1, def.x0 = x0, def.rhs = unit_rhs, def.nguards = 1, def.guards = &guard;
        brink_options options = options_for(variable[m], whole_step[e], 1e-6);
        options.max_steps = 20000;
        trace_run(&def, &options, 1e4 + 2.0, &run);
        bool ended = run.status == BRINK_ERR_LOOP || run.status == BRINK_ERR_ZENO ||
                     run.status == BRINK_ERR_BLOCKED || run.status == BRINK_TIME_REACHED;
        CHECK_MSG(ended, "%s/%s, %s: %s at %.17g after %zu events (%s)",
                  brink_method_name(variable[m]), brink_events_name(whole_step[e]), side_names[s],
                  brink_status_text(run.status), run.t, run.nevents, run.diag.message);
        if (run.status < 0) CHECK_CONTAINS(run.diag.message, "'again'");
        CHECK(run.nevents <= 1000);
      }
}

/* The action of the limit may itself stop or fail. */
static int zeno_stops(const size_t *guards, size_t count, brink_now *now, void *user) {
  (void)guards, (void)count, (void)now, (void)user;
  return BRINK_STOPPED;
}
static int zeno_fails(const size_t *guards, size_t count, brink_now *now, void *user) {
  (void)guards, (void)count, (void)now, (void)user;
  return -4;
}

TEST(the_action_of_an_accumulation_point_may_stop_or_fail_the_run) {
  brink_guard_def guard;
  brink_model_def def = ball(&guard, BRINK_UNILATERAL);
  brink_options options = options_for(BRINK_ADAMS, BRINK_EXTRAPOLATE, 1e-9);
  options.zeno = BRINK_ZENO_CONTINUE;
  def.zeno = zeno_stops;
  trace_run(&def, &options, 10.0, &run);
  CHECK_INT(run.status, BRINK_STOPPED);
  CHECK_NEAR(run.t, 9.0 * sqrt(2.0 / 9.81), 1e-6);
  def.zeno = zeno_fails;
  trace_run(&def, &options, 10.0, &run);
  CHECK_INT(run.status, BRINK_ERR_CALLBACK);
  CHECK_CONTAINS(run.diag.message, "-4");
}

int main(void) {
  RUN(three_transitions_at_one_instant_run_one_after_the_other);
  RUN(events_of_one_instant_are_numbered_by_the_round_they_happen_in);
  RUN(values_before_and_after_each_event_form_a_chain);
  RUN(a_jump_by_an_action_is_an_event_of_the_same_instant_in_its_direction);
  RUN(the_flag_that_fired_is_exempt_and_takes_its_new_sign);
  RUN(events_that_do_not_settle_end_the_run_and_are_named);
  RUN(an_event_that_resets_to_its_own_surface_fires_once_and_time_goes_on);
  RUN(a_bouncing_ball_is_stopped_at_its_accumulation_point);
  RUN(a_ball_that_hardly_bounces_is_stopped_at_its_accumulation_point_too);
  RUN(a_ball_with_a_limit_mode_goes_on_after_its_accumulation_point);
  RUN(asked_to_continue_without_a_limit_mode_the_run_ends_and_says_what_is_missing);
  RUN(two_tanks_switch_at_dyadic_times_up_to_their_accumulation_point);
  RUN(ten_thousand_regular_events_are_no_accumulation);
  RUN(a_unilateral_surface_that_nothing_leads_away_from_blocks_the_run);
  RUN(rules_run_at_the_start_and_after_events_until_nothing_changes);
  RUN(rules_that_never_rest_end_the_run);
  RUN(a_jump_by_a_rule_is_an_event);
  RUN(events_that_time_cannot_tell_apart_do_not_hang);
  RUN(the_action_of_an_accumulation_point_may_stop_or_fail_the_run);
  return check_done();
}
