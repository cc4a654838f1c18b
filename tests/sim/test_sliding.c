/* Surfaces that attract from both sides, and from none: Filippov's field, sticking by the model's
 * own law, friction, and where it ends. Times and states are closed forms. */
#include "check.h"
#include "support/trace.h"

#define PI 3.14159265358979323846
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static trace run;

static const brink_method variable[] = {BRINK_ADAMS, BRINK_DOPRI};
static const brink_events whole_step[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE};
static const brink_side sides[] = {BRINK_BILATERAL, BRINK_UNILATERAL, BRINK_CROSSING};
static const char *const side_names[] = {"bilateral", "unilateral", "crossing"};
static const size_t first[] = {0}, second[] = {1};
static const double one[] = {1.0};

static brink_options options_for(brink_method method, brink_events events, double rtol) {
  brink_options options = brink_default_options();
  options.method = method;
  options.events = events;
  options.rtol = rtol;
  options.atol = 1e-3 * rtol;
  options.audit = true;
  return options;
}

static brink_guard_def guard_on(const char *name, const size_t *index) {
  brink_guard_def guard = brink_default_guard(name);
  guard.depends = index, guard.ndepends = 1, guard.coefficients = one;
  return guard;
}

/* Says which combination failed, once. */
static void check_slides(const char *what, brink_method method, brink_events events,
                         brink_side side, size_t count) {
  CHECK_MSG(run.nslides == count && run.status == BRINK_TIME_REACHED,
            "%s, %s/%s, %s: %s at %.12g, %zu slides of %zu, %zu events (%s)", what,
            brink_method_name(method), brink_events_name(events), side_names[side],
            brink_status_text(run.status), run.t, run.nslides, count, run.nevents,
            run.diag.message);
}

/* ---- a scalar: y' = -sgn(y) + 1.5 sin t ---- */

static const double enters[] = {3.73964807128089795289, 6.46470895726759609746};
static const double leaves[] = {3.87132030981675960192, 7.01291296340655284038};

static int scalar_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)x;
  dx[0] = -env->sgn[0] + 1.5 * sin(t);
  return 0;
}

TEST(a_scalar_slides_and_is_let_go_at_four_known_times) {
  static const double x0[] = {1.0};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guard = guard_on("y", first);
        guard.side = sides[s];
        brink_model_def def = brink_default_model();
        def.nx = 1, def.x0 = x0, def.rhs = scalar_rhs, def.nguards = 1, def.guards = &guard;
        brink_options options = options_for(variable[m], whole_step[e], 1e-9);
        trace_run(&def, &options, 8.0, &run);
        check_slides("y", variable[m], whole_step[e], sides[s], 2);
        for (size_t k = 0; k < 2 && k < run.nslides; k++) {
          CHECK_NEAR(run.slides[k].from, enters[k], 1e-7);
          CHECK_NEAR(run.slides[k].to, leaves[k], 1e-7);
          CHECK_INT(run.slides[k].guard, 0);
        }
        CHECK_INT(run.nevents, 2); /* arriving is an event, sliding is not thousands of them */
        /* y' = -1 + 1.5 sin t after the second slide */
        double t = leaves[1];
        CHECK_NEAR(run.x[0], -(8.0 - t) - 1.5 * (cos(8.0) - cos(t)), 1e-7);
      }
}

/* The same with a law of its own on the surface, and a watch that runs only there. */
static int sticking_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)x;
  bool stuck = env->sgn[0] == 0;
  dx[0] = stuck ? 0.0 : -env->sgn[0] + 1.5 * sin(t);
  dx[1] = stuck ? 1.0 : 0.0;
  return 0;
}

TEST(a_surface_may_have_the_models_own_law_and_is_left_at_the_same_times) {
  static const double x0[] = {1.0, 0.0};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      brink_guard_def guard = guard_on("y", first);
      guard.surface = BRINK_SURFACE_MODEL;
      brink_model_def def = brink_default_model();
      def.nx = 2, def.x0 = x0, def.rhs = sticking_rhs, def.nguards = 1, def.guards = &guard;
      brink_options options = options_for(variable[m], whole_step[e], 1e-9);
      trace_run(&def, &options, 8.0, &run);
      check_slides("y", variable[m], whole_step[e], BRINK_BILATERAL, 2);
      CHECK_NEAR(run.x[1], leaves[0] - enters[0] + leaves[1] - enters[1], 1e-7);
    }
}

/* ---- a plane: Filippov's combination of both fields ---- */

/* f+ = (1, x - 2), f- = (3, 1) meet at y = 0 for x < 2. There x' = (7 - 3x)/(3 - x), so that from
 * x = 1/2 to x = 2 it takes 1/2 + (2/9) ln(11/2); then y = (t - t2)^2/2. */
static int plane_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = env->sgn[0] > 0 ? 1.0 : 3.0;
  dx[1] = env->sgn[0] > 0 ? x[0] - 2.0 : 1.0;
  return 0;
}

TEST(sliding_follows_filippovs_field_and_leaves_where_one_side_lets_go) {
  static const double x0[] = {0.0, 0.875};
  double left = 1.0 + 2.0 / 9.0 * log(5.5);
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guard = guard_on("y", second);
        guard.side = sides[s];
        brink_model_def def = brink_default_model();
        def.nx = 2, def.x0 = x0, def.rhs = plane_rhs, def.nguards = 1, def.guards = &guard;
        brink_options options = options_for(variable[m], whole_step[e], 1e-9);
        trace_run(&def, &options, left + 1.0, &run);
        check_slides("plane", variable[m], whole_step[e], sides[s], 1);
        if (run.nslides > 0) {
          CHECK_NEAR(run.slides[0].from, 0.5, 1e-7);
          CHECK_NEAR(run.slides[0].to, left, 1e-6);
        }
        CHECK_INT(run.nevents, 1);
        CHECK_NEAR(run.x[0], 3.0, 1e-6);
        CHECK_NEAR(run.x[1], 0.5, 1e-6);
        CHECK_MSG(run.nsteps < 500, "%s/%s, %s: %zu steps", brink_method_name(variable[m]),
                  brink_events_name(whole_step[e]), side_names[s], run.nsteps);
        for (size_t k = 0; k < run.nsteps && k < TRACE_STEPS; k++) { /* on the surface meanwhile */
          const trace_step *step = &run.steps[k];
          if (step->t0 > 0.51 && step->t1 < left - 0.01) CHECK_NEAR(step->x[1], 0.0, 1e-12);
        }
      }
}

/* On a circle: rotation outside decays inwards, inside grows outwards; sliding keeps r = 1 and
 * turns at the mean of the two rates, x' = -w y with w = 1/2 (1 + 2). */
static int circle_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = x[0] * x[0] + x[1] * x[1] - 1.0;
  return 0;
}
static int circle_gradient(size_t guard, double t, const double *x, const brink_env *env,
                           double *dx, double *dt) {
  (void)guard, (void)t, (void)env;
  dx[0] = 2.0 * x[0], dx[1] = 2.0 * x[1], *dt = 0.0;
  return 0;
}
static int circle_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  double w = env->sgn[0] > 0 ? 1.0 : 2.0, growth = env->sgn[0] > 0 ? -1.0 : 1.0;
  dx[0] = growth * x[0] - w * x[1];
  dx[1] = growth * x[1] + w * x[0];
  return 0;
}

TEST(sliding_stays_on_a_curved_surface) {
  static const double x0[] = {2.0, 0.0};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      brink_guard_def guard = brink_default_guard("circle");
      guard.value = circle_value, guard.gradient = circle_gradient;
      brink_model_def def = brink_default_model();
      def.nx = 2, def.x0 = x0, def.rhs = circle_rhs, def.nguards = 1, def.guards = &guard;
      brink_options options = options_for(variable[m], whole_step[e], 1e-9);
      trace_run(&def, &options, 20.0, &run);
      CHECK_INT(run.status, BRINK_TIME_REACHED);
      CHECK_INT(run.nevents, 1);
      double angle = log(2.0) + 1.5 * (20.0 - log(2.0));
      CHECK_NEAR(run.x[0], cos(angle), 1e-6);
      CHECK_NEAR(run.x[1], sin(angle), 1e-6);
      CHECK_NEAR(hypot(run.x[0], run.x[1]), 1.0, 1e-12);
    }
}

/* A start on an attracting surface slides from there. */
TEST(a_start_on_an_attracting_surface_slides_at_once) {
  static const double x0[] = {0.5, 0.0};
  double left = 0.5 + 2.0 / 9.0 * log(5.5);
  for (size_t m = 0; m < COUNT(variable); m++) {
    brink_guard_def guard = guard_on("y", second);
    brink_model_def def = brink_default_model();
    def.nx = 2, def.x0 = x0, def.rhs = plane_rhs, def.nguards = 1, def.guards = &guard;
    brink_options options = options_for(variable[m], BRINK_EXTRAPOLATE, 1e-9);
    trace_run(&def, &options, left + 1.0, &run);
    check_slides("from the start", variable[m], BRINK_EXTRAPOLATE, BRINK_BILATERAL, 1);
    CHECK_INT(run.nevents, 0);
    CHECK_NEAR(run.x[0], 3.0, 1e-6);
    CHECK_NEAR(run.x[1], 0.5, 1e-6);
  }
}

/* Events of other guards happen while sliding, and a reset off the surface ends it. */
static int lift_off(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] = 0.25;
  return 0;
}

TEST(a_reset_off_the_surface_ends_the_sliding) {
  static const double x0[] = {0.5, 0.0};
  brink_guard_def guards[2] = {guard_on("y", second), guard_on("x", first)};
  guards[1].offset = -1.0, guards[1].action = lift_off;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = plane_rhs, def.nguards = 2, def.guards = guards;
  /* x from 1/2 to 1: 1/6 + (2/9) ln(5.5/4) */
  double lifted = 1.0 / 6.0 + 2.0 / 9.0 * log(5.5 / 4.0);
  for (size_t m = 0; m < COUNT(variable); m++) {
    brink_options options = options_for(variable[m], BRINK_EXTRAPOLATE, 1e-9);
    trace_run(&def, &options, lifted + 0.2, &run);
    CHECK_INT(run.status, BRINK_TIME_REACHED);
    CHECK_INT(run.nslides, 1);
    if (run.nslides > 0) CHECK_NEAR(run.slides[0].to, lifted, 1e-7);
    /* above the surface: x' = 1, y' = x - 2 */
    CHECK_NEAR(run.x[0], 1.2, 1e-7);
    CHECK_NEAR(run.x[1], 0.25 - 0.2 + 0.02, 1e-7);
  }
}

/* y' = -sgn(y) + p + 3 mode: slides for mode 0; a switch to mode 1 makes both fields point up. */
static int switched_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = -env->sgn[0] + env->p[0] + 3.0 * env->mode[0];
  dx[1] = 1.0;
  return 0;
}
static int switch_on(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)user;
  if (tick == 1) now->p[0] = 0.5; /* still slides */
  if (tick == 2) now->mode[0] = 1;
  return 0;
}
static bool switched_enabled(size_t guard, const brink_env *env) {
  return guard == 1 || env->mode[0] != 2;
}
static int disable(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)user;
  if (tick == 1) now->mode[0] = 2;
  return 0;
}

static void run_switched(brink_tick_fn *tick, brink_method method, brink_events events) {
  static const double x0[] = {0.5, 0.0}, p0[] = {0.0};
  brink_guard_def guards[2] = {guard_on("y", first), guard_on("late", second)};
  guards[1].offset = -100.0;
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "switch", .period = 1.0, .tick = tick};
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.np = 1, def.p0 = p0, def.nmodes = 1, def.rhs = switched_rhs;
  def.nguards = 2, def.guards = guards, def.enabled = switched_enabled;
  def.nclocks = 1, def.clocks = &clock;
  brink_options options = options_for(method, events, 1e-9);
  trace_run(&def, &options, 2.5, &run);
}

TEST(a_switch_of_the_fields_while_sliding_lets_go_at_that_instant) {
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      run_switched(switch_on, variable[m], whole_step[e]);
      check_slides("switched", variable[m], whole_step[e], BRINK_BILATERAL, 1);
      if (run.nslides > 0) {
        CHECK_NEAR(run.slides[0].from, 0.5, 1e-9);
        CHECK_NEAR(run.slides[0].to, 2.0, 0.0);
      }
      CHECK_NEAR(run.x[0], 0.5 * (-1.0 + 0.5 + 3.0), 1e-8);
      CHECK_INT(run.nevents, 1);
    }
}

TEST(a_guard_that_is_disabled_while_sliding_lets_go_at_that_instant) {
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      run_switched(disable, variable[m], whole_step[e]);
      check_slides("disabled", variable[m], whole_step[e], BRINK_BILATERAL, 1);
      if (run.nslides > 0) CHECK_NEAR(run.slides[0].to, 1.0, 0.0);
      /* both guards are out of the way; sgn is 0, or what it was */
      CHECK(fabs(run.x[0] - 1.5 * 6.0) <= 1.5 + 1e-8);
    }
}

/* A change by the caller while sliding starts anew: on the surface it slides on, off it it does
 * not. */
TEST(a_change_by_the_caller_while_sliding_is_respected) {
  static const double x0[] = {1.0};
  brink_guard_def guard = guard_on("y", first);
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = scalar_rhs, def.nguards = 1, def.guards = &guard;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
  brink_options options = options_for(BRINK_ADAMS, BRINK_EXTRAPOLATE, 1e-9);
  CHECK_INT(brink_sim_create(model, &options, NULL, NULL, &sim), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, 3.8, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_signs(sim)[0], 0);
  double x = brink_sim_state(sim)[0];
  CHECK_NEAR(x, 0.0, 1e-12);
  CHECK_INT(brink_sim_set_state(sim, &x, NULL), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, 3.82, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_signs(sim)[0], 0);
  x = 0.5;
  CHECK_INT(brink_sim_set_state(sim, &x, NULL), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, 3.86, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_signs(sim)[0], 1);
  CHECK_NEAR(brink_sim_state(sim)[0], 0.5 - 0.04 - 1.5 * (cos(3.86) - cos(3.82)), 1e-8);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* ---- friction ---- */

/* x'' = -x - 0.15 sgn(x'): amplitudes 1, 0.7, 0.4, 0.1, and then it sticks, for 0.1 < 0.15. */
static int friction_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = x[1];
  dx[1] = -x[0] - 0.15 * env->sgn[0];
  return 0;
}

TEST(dry_friction_swings_three_times_and_sticks) {
  static const double x0[] = {1.0, 0.0};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guard = guard_on("v", second);
        guard.side = sides[s];
        brink_model_def def = brink_default_model();
        def.nx = 2, def.x0 = x0, def.rhs = friction_rhs, def.nguards = 1, def.guards = &guard;
        brink_options options = options_for(variable[m], whole_step[e], 1e-9);
        trace_run(&def, &options, 100.0, &run);
        CHECK_MSG(run.status == BRINK_TIME_REACHED && run.nevents == 3,
                  "%s/%s, %s: %s, %zu events (%s)", brink_method_name(variable[m]),
                  brink_events_name(whole_step[e]), side_names[s], brink_status_text(run.status),
                  run.nevents, run.diag.message);
        for (size_t k = 0; k < 3 && k < run.nevents; k++)
          CHECK_NEAR(run.events[k].event.t, ((double)k + 1.0) * PI, 1e-6);
        CHECK_NEAR(run.x[0], -0.1, 1e-6);
        CHECK_NEAR(run.x[1], 0.0, 1e-12);
      }
}

/* A block on a belt at speed 1/2, static friction 1, kinetic 1/2 (M7): sticks for 2, slips for
 * 3 pi/2. */
static int belt_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  bool stuck = env->mode[0] == 0;
  dx[0] = stuck ? 0.5 : x[1];
  dx[1] = stuck ? 0.0 : -x[0] + 0.5;
  return 0;
}
static int let_go(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 1;
  return 0;
}
static int grab(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 0;
  now->x[1] = 0.5;
  return 0;
}
static bool belt_enabled(size_t guard, const brink_env *env) {
  return (int)guard == env->mode[0];
}

TEST(a_block_on_a_belt_sticks_and_slips_in_time) {
  static const double x0[] = {0.0, 0.5};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guards[2] = {guard_on("slips", first), guard_on("sticks", second)};
        guards[0].offset = -1.0, guards[0].action = let_go, guards[0].side = sides[s];
        guards[1].offset = -0.5, guards[1].action = grab, guards[1].side = sides[s];
        guards[0].direction = guards[1].direction = BRINK_POSITIVE;
        brink_model_def def = brink_default_model();
        def.nx = 2, def.x0 = x0, def.nmodes = 1, def.rhs = belt_rhs;
        def.nguards = 2, def.guards = guards, def.enabled = belt_enabled;
        brink_options options = options_for(variable[m], whole_step[e], 1e-9);
        double period = 2.0 + 1.5 * PI;
        trace_run(&def, &options, 10.0 * period + 1.0, &run);
        CHECK_MSG(run.nevents == 20 && run.status == BRINK_TIME_REACHED,
                  "%s/%s, %s: %s, %zu events of 20 (%s)", brink_method_name(variable[m]),
                  brink_events_name(whole_step[e]), side_names[s], brink_status_text(run.status),
                  run.nevents, run.diag.message);
        for (size_t k = 0; k < 20 && k < run.nevents; k++) {
          double n = (double)(k / 2);
          CHECK_NEAR(run.events[k].event.t, k % 2 == 0 ? 2.0 + n * period : (n + 1.0) * period,
                     1e-6);
        }
      }
}

/* ---- repelling surfaces, and two at once ---- */

static int repelling_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = env->sgn[0];
  return 0;
}

TEST(a_start_on_a_repelling_surface_leaves_it_without_event_or_sliding) {
  static const double x0[] = {0.0};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t s = 0; s < COUNT(sides); s++) {
      brink_guard_def guard = guard_on("x", first);
      guard.side = sides[s];
      brink_model_def def = brink_default_model();
      def.nx = 1, def.x0 = x0, def.rhs = repelling_rhs, def.nguards = 1, def.guards = &guard;
      brink_options options = options_for(variable[m], BRINK_EXTRAPOLATE, 1e-9);
      trace_run(&def, &options, 1.0, &run);
      CHECK_INT(run.status, BRINK_TIME_REACHED);
      CHECK_INT(run.nevents + run.nslides, 0);
      CHECK_NEAR(fabs(run.x[0]), 1.0, 1e-9);
    }
}

/* x' = -1 before t = 1 on both sides; at x = 0, t = 1 the surface begins to repel: the solution
 * goes on the way it was going. */
static int turning_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)x, (void)t;
  dx[0] = env->mode[0] == 0 ? -1.0 : env->sgn[0];
  return 0;
}
static int repel(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 1;
  return 0;
}

TEST(a_surface_that_repels_after_the_event_is_left_the_way_the_solution_was_going) {
  static const double x0[] = {1.0};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++)
      for (size_t s = 0; s < COUNT(sides); s++) {
        brink_guard_def guard = guard_on("x", first);
        guard.side = sides[s], guard.action = repel;
        brink_model_def def = brink_default_model();
        def.nx = 1, def.x0 = x0, def.nmodes = 1, def.rhs = turning_rhs;
        def.nguards = 1, def.guards = &guard;
        brink_options options = options_for(variable[m], whole_step[e], 1e-9);
        trace_run(&def, &options, 2.0, &run);
        CHECK_INT(run.status, BRINK_TIME_REACHED);
        CHECK_INT(run.nevents, 1);
        CHECK_NEAR(run.x[0], -1.0, 1e-7);
      }
}

/* The signs enter as a product: what holds where the surfaces meet cannot be told. */
static int two_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = -env->sgn[0];
  dx[1] = -env->sgn[1] * (1.0 + 0.5 * (env->sgn[0] + 1.0) / 2.0);
  return 0;
}

TEST(sliding_on_two_surfaces_whose_signs_do_not_add_up_ends_the_run_and_names_both) {
  static const double starts[][2] = {{1.0, 2.0}, {1.0, 1.0}};
  for (size_t k = 0; k < COUNT(starts); k++)
    for (size_t m = 0; m < COUNT(variable); m++) {
      brink_guard_def guards[2] = {guard_on("left", first), guard_on("right", second)};
      brink_model_def def = brink_default_model();
      def.nx = 2, def.x0 = starts[k], def.rhs = two_rhs, def.nguards = 2, def.guards = guards;
      brink_options options = options_for(variable[m], BRINK_EXTRAPOLATE, 1e-9);
      trace_run(&def, &options, 3.0, &run);
      CHECK_INT(run.status, BRINK_ERR_SLIDING);
      /* right moves at 3/2, and at 5/4 while left slides; from (1, 1) right is there first */
      CHECK_NEAR(run.diag.t, k == 0 ? 1.4 : 1.0, 1e-7);
      CHECK_CONTAINS(run.diag.message, "'left'");
      CHECK_CONTAINS(run.diag.message, "'right'");
    }
}

int main(void) {
  RUN(a_scalar_slides_and_is_let_go_at_four_known_times);
  RUN(a_surface_may_have_the_models_own_law_and_is_left_at_the_same_times);
  RUN(sliding_follows_filippovs_field_and_leaves_where_one_side_lets_go);
  RUN(sliding_stays_on_a_curved_surface);
  RUN(a_start_on_an_attracting_surface_slides_at_once);
  RUN(a_reset_off_the_surface_ends_the_sliding);
  RUN(a_switch_of_the_fields_while_sliding_lets_go_at_that_instant);
  RUN(a_guard_that_is_disabled_while_sliding_lets_go_at_that_instant);
  RUN(a_change_by_the_caller_while_sliding_is_respected);
  RUN(dry_friction_swings_three_times_and_sticks);
  RUN(a_block_on_a_belt_sticks_and_slips_in_time);
  RUN(a_start_on_a_repelling_surface_leaves_it_without_event_or_sliding);
  RUN(a_surface_that_repels_after_the_event_is_left_the_way_the_solution_was_going);
  RUN(sliding_on_two_surfaces_whose_signs_do_not_add_up_ends_the_run_and_names_both);
  return check_done();
}
