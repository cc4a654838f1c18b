/* Surfaces that hold the state: static friction above kinetic, guards that let go, actions on arrival,
 * and several surfaces at once. Times and states are closed forms. */
#include "check.h"
#include "support/trace.h"

#define PI 3.14159265358979323846
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static trace run;

static const brink_method variable[] = {BRINK_ADAMS, BRINK_DOPRI};
static const brink_events whole_step[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE};
static const size_t first[] = {0}, second[] = {1}, third[] = {2};
static const double one[] = {1.0}, minus_one[] = {-1.0};

static brink_options options_for(brink_method method, brink_events events) {
  brink_options options = brink_default_options();
  options.method = method;
  options.events = events;
  options.rtol = 1e-9;
  options.atol = 1e-12;
  options.audit = true;
  return options;
}

static brink_guard_def guard_at(const char *name, const size_t *index, const double *slope,
                                double offset) {
  brink_guard_def guard = brink_default_guard(name);
  guard.depends = index, guard.ndepends = 1, guard.coefficients = slope, guard.offset = offset;
  return guard;
}

static void check_run(const char *what, brink_method method, brink_events events, size_t nevents,
                      size_t nslides) {
  CHECK_MSG(run.status == BRINK_TIME_REACHED && run.nevents == nevents && run.nslides == nslides,
            "%s, %s/%s: %s at %.12g, %zu events of %zu, %zu slides of %zu (%s)", what,
            brink_method_name(method), brink_events_name(events), brink_status_text(run.status),
            run.t, run.nevents, nevents, run.nslides, nslides, run.diag.message);
}

/* ---- a block on a belt (M7): static friction 1, kinetic 1/2 ---- */

static int belt_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = x[1];
  dx[1] = env->sgn[0] == 0 ? 0.0 : -x[0] - 0.5 * env->sgn[0];
  return 0;
}

TEST(a_block_on_a_belt_sticks_until_static_friction_is_overcome) {
  static const double x0[] = {0.0, 0.5};
  double period = 2.0 + 1.5 * PI;
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      brink_guard_def guards[3] = {guard_at("relative speed", second, one, -0.5),
                                   guard_at("pulled back", first, one, -1.0),
                                   guard_at("pushed on", first, minus_one, -1.0)};
      guards[0].surface = BRINK_SURFACE_MODEL;
      guards[0].leave_negative = 1, guards[0].leave_positive = 2;
      brink_model_def def = brink_default_model();
      def.nx = 2, def.x0 = x0, def.rhs = belt_rhs, def.nguards = 3, def.guards = guards;
      brink_options options = options_for(variable[m], whole_step[e]);
      trace_run(&def, &options, 10.0 * period + 1.0, &run);
      check_run("belt", variable[m], whole_step[e], 10, 10);
      for (size_t k = 0; k < 10 && k < run.nevents && k < run.nslides; k++) {
        double n = (double)k;
        CHECK_NEAR(run.events[k].event.t, (n + 1.0) * period, 1e-6);
        CHECK_INT(run.events[k].event.guard, 0);
        CHECK_INT(run.events[k].event.direction, BRINK_POSITIVE);
        CHECK_NEAR(run.slides[k].from, n * period, 1e-6);
        CHECK_NEAR(run.slides[k].to, n * period + 2.0, 1e-6);
      }
      CHECK_NEAR(run.x[0], 0.5, 1e-6);
      CHECK_NEAR(run.x[1], 0.5, 1e-12);
    }
}

/* ---- a forced block: v' = F(t) - sgn/2, F = A sin t, static friction 1 ---- */

typedef struct block {
  double amplitude;
} block;

static double force(const block *b, double t) {
  return b->amplitude * sin(t);
}
static int block_rhs(double t, const double *x, const brink_env *env, double *dx) {
  dx[0] = env->sgn[0] == 0 ? 0.0 : force(env->user, t) - 0.5 * env->sgn[0];
  dx[1] = x[0];
  return 0;
}
static int pull(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)x;
  *g = (guard == 1 ? force(env->user, t) : -force(env->user, t)) - 1.0;
  return 0;
}
static const size_t nothing[] = {0};

static void run_block(double amplitude, double v0, double t_end, brink_method method,
                      brink_events events) {
  block b = {.amplitude = amplitude};
  double x0[] = {v0, 0.0};
  brink_guard_def guards[3] = {guard_at("v", first, one, 0.0), brink_default_guard("F > 1"),
                               brink_default_guard("F < -1")};
  guards[0].surface = BRINK_SURFACE_MODEL;
  guards[0].leave_positive = 1, guards[0].leave_negative = 2;
  for (int k = 1; k < 3; k++)
    guards[k].value = pull, guards[k].depends = nothing, guards[k].ndepends = 0;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = block_rhs, def.nguards = 3, def.guards = guards;
  def.user = &b;
  brink_options options = options_for(method, events);
  trace_run(&def, &options, t_end, &run);
}

/* From rest with A = 1.2: lets go at asin(1/1.2), sticks where 1.2 (cos t1 - cos t) = (t - t1)/2,
 * although both fields there point down, and lets go downwards half a period after the first time. */
TEST(a_forced_block_sticks_where_it_could_go_on) {
  double t1 = asin(1.0 / 1.2), stick = 3.932;
  for (int k = 0; k < 20; k++) /* Newton */
    stick -= (1.2 * (cos(t1) - cos(stick)) - 0.5 * (stick - t1)) / (1.2 * sin(stick) - 0.5);
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      run_block(1.2, 0.0, 4.5, variable[m], whole_step[e]);
      check_run("forced", variable[m], whole_step[e], 1, 2);
      CHECK_NEAR(run.events[0].event.t, stick, 1e-7);
      CHECK_INT(run.events[0].event.direction, BRINK_NEGATIVE);
      CHECK_NEAR(run.slides[0].from, 0.0, 0.0);
      CHECK_NEAR(run.slides[0].to, t1, 1e-9);
      CHECK_NEAR(run.slides[1].from, stick, 1e-7);
      CHECK_NEAR(run.slides[1].to, PI + t1, 1e-9);
      double s = PI + t1;
      CHECK_NEAR(run.x[0], 1.2 * (cos(s) - cos(4.5)) + 0.5 * (4.5 - s), 1e-7);
    }
}

/* With A = 2 the force exceeds static friction when the block comes to a halt: it goes on. */
TEST(a_crossing_at_which_a_leave_condition_holds_is_no_rest) {
  double t1 = asin(0.5), halt = 4.57;
  for (int k = 0; k < 20; k++)
    halt -= (2.0 * (cos(t1) - cos(halt)) - 0.5 * (halt - t1)) / (2.0 * sin(halt) - 0.5);
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      run_block(2.0, 0.0, 5.0, variable[m], whole_step[e]);
      check_run("forced", variable[m], whole_step[e], 1, 1);
      CHECK_NEAR(run.events[0].event.t, halt, 1e-7);
      CHECK_NEAR(run.x[0], 2.0 * (cos(halt) - cos(5.0)) + 0.5 * (5.0 - halt), 1e-7);
    }
}

/* ---- letting go by a jump, and by a formula ---- */

/* v' = p - sgn/2; a clock raises p from 0.8 to 1.2 at t = 2. v(0) = -1.3 comes to rest at t = 1. */
static int pushed_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = env->sgn[0] == 0 ? 0.0 : env->p[0] - 0.5 * env->sgn[0];
  return 0;
}
static int push(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)x;
  *g = env->p[0] - 1.0;
  return 0;
}
static int push_harder(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)user;
  if (tick == 1) now->p[0] = 1.2;
  return 0;
}

TEST(a_leave_condition_that_jumps_lets_go_at_that_instant) {
  static const double x0[] = {-1.3}, p0[] = {0.8};
  static const int formula[] = {2};
  for (int by_formula = 0; by_formula < 2; by_formula++)
    for (size_t m = 0; m < COUNT(variable); m++)
      for (size_t e = 0; e < COUNT(whole_step); e++) {
        brink_guard_def guards[3] = {guard_at("v", first, one, 0.0), brink_default_guard("p > 1"),
                                     brink_default_guard("leaf")};
        guards[0].surface = BRINK_SURFACE_MODEL, guards[0].leave_positive = 1;
        guards[1].value = guards[2].value = push;
        guards[2].side = BRINK_LEAF;
        if (by_formula)
          guards[1].value = NULL, guards[1].formula = formula, guards[1].formula_length = 1;
        brink_clock_def clock = {
            .size = sizeof(brink_clock_def), .name = "push", .period = 2.0, .tick = push_harder};
        brink_model_def def = brink_default_model();
        def.nx = 1, def.x0 = x0, def.rhs = pushed_rhs, def.np = 1, def.p0 = p0;
        def.nguards = 3, def.guards = guards, def.nclocks = 1, def.clocks = &clock;
        brink_options options = options_for(variable[m], whole_step[e]);
        trace_run(&def, &options, 3.0, &run);
        check_run("pushed", variable[m], whole_step[e], 1, 1);
        CHECK_NEAR(run.slides[0].from, 1.0, 1e-9);
        CHECK_NEAR(run.slides[0].to, 2.0, 0.0);
        CHECK_NEAR(run.x[0], 0.7, 1e-9);
      }
}

/* A surface that is left to a side whose field leads back: the fields decide, and hold it. */
TEST(a_leave_condition_against_both_fields_slides_on) {
  static const double x0[] = {-1.3}, p0[] = {0.2};
  brink_guard_def guards[2] = {guard_at("v", first, one, 0.0), brink_default_guard("p > -1")};
  guards[0].surface = BRINK_SURFACE_MODEL, guards[0].leave_positive = 1;
  guards[1].coefficients = one, guards[1].depends = first, guards[1].ndepends = 1;
  guards[1].offset = 1.0;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = pushed_rhs, def.np = 1, def.p0 = p0;
  def.nguards = 2, def.guards = guards;
  trace_run(&def, NULL, 3.0, &run);
  CHECK_INT(run.status, BRINK_TIME_REACHED);
  CHECK_INT(run.nevents, 1);
  CHECK_NEAR(run.x[0], 0.0, 1e-9);
}

/* ---- actions on arrival ---- */

static int count_arrivals(const brink_event *event, brink_now *now, void *user) {
  int *count = user;
  ++*count;
  CHECK_INT(event->kind, BRINK_HELD);
  CHECK_INT(now->sgn[event->guard], 0);
  now->x[1] = 10.0;
  now->p[0] += 1.0;
  return 0;
}
static int relay_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = -env->sgn[0];
  dx[1] = 1.0;
  return 0;
}

TEST(an_action_runs_once_when_the_state_comes_to_rest_and_is_recorded) {
  static const double x0[] = {1.0, 0.0}, p0[] = {0.0};
  for (int at_start = 0; at_start < 2; at_start++)
    for (size_t m = 0; m < COUNT(variable); m++)
      for (size_t e = 0; e < COUNT(whole_step); e++) {
        static const double on[] = {0.0, 0.0};
        int arrivals = 0;
        brink_guard_def guard = guard_at("x", first, one, 0.0);
        guard.on_surface = count_arrivals;
        brink_model_def def = brink_default_model();
        def.nx = 2, def.x0 = at_start ? on : x0, def.rhs = relay_rhs, def.np = 1, def.p0 = p0;
        def.nguards = 1, def.guards = &guard, def.user = &arrivals;
        brink_options options = options_for(variable[m], whole_step[e]);
        trace_run(&def, &options, 3.0, &run);
        CHECK_INT(run.status, BRINK_TIME_REACHED);
        CHECK_INT(arrivals, 1);
        CHECK_INT(run.nevents, at_start ? 1 : 2);
        const trace_event *last = &run.events[run.nevents - 1];
        double t = at_start ? 0.0 : 1.0;
        CHECK_INT(last->event.kind, BRINK_HELD);
        CHECK_NEAR(last->event.t, t, 1e-9);
        CHECK_NEAR(last->before[1], t, 1e-9);
        CHECK_NEAR(last->after[1], 10.0, 0.0);
        CHECK_NEAR(run.x[1], 13.0 - t, 1e-9);
      }
}

/* ---- several at once ---- */

/* Two relays, y' = -sgn(y) + 1.5 sin t, the second a twentieth later: they slide at overlapping
 * times. */
#define LATER 0.05
static const double enters[] = {3.73964807128089795289, 6.46470895726759609746};
static const double leaves[] = {3.87132030981675960192, 7.01291296340655284038};

static int relays_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)x;
  bool rests[] = {env->sgn[0] == 0, env->sgn[1] == 0};
  dx[0] = -env->sgn[0] + 1.5 * sin(t);
  dx[1] = -env->sgn[1] + 1.5 * sin(t - LATER);
  if (env->user != NULL && rests[0]) dx[0] = 0.0;
  if (env->user != NULL && rests[1]) dx[1] = 0.0;
  return 0;
}

static void check_relays(const char *what, brink_surface surface) {
  double x0[] = {1.0, 1.0 + LATER - 1.5 * (cos(LATER) - 1.0)};
  static int own_law;
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      brink_guard_def guards[2] = {guard_at("a", first, one, 0.0), guard_at("b", second, one, 0.0)};
      guards[0].surface = guards[1].surface = surface;
      brink_model_def def = brink_default_model();
      def.nx = 2, def.x0 = x0, def.rhs = relays_rhs, def.nguards = 2, def.guards = guards;
      def.user = surface == BRINK_SURFACE_MODEL ? &own_law : NULL;
      brink_options options = options_for(variable[m], whole_step[e]);
      trace_run(&def, &options, 8.0, &run);
      check_run(what, variable[m], whole_step[e], 4, 4);
      for (size_t k = 0; k < 4 && k < run.nslides; k++) {
        double later = k % 2 == 0 ? 0.0 : LATER;
        CHECK_INT(run.slides[k].guard, k % 2);
        CHECK_NEAR(run.slides[k].from, enters[k / 2] + later, 1e-7);
        CHECK_NEAR(run.slides[k].to, leaves[k / 2] + later, 1e-7);
      }
      for (int i = 0; i < 2; i++) {
        double t = 8.0 - (i == 0 ? 0.0 : LATER), left = leaves[1];
        CHECK_NEAR(run.x[i], -(t - left) - 1.5 * (cos(t) - cos(left)), 1e-7);
      }
    }
}

TEST(two_relays_slide_at_overlapping_times) {
  check_relays("filippov", BRINK_SURFACE_FILIPPOV);
}
TEST(two_surfaces_hold_by_the_models_own_law_at_overlapping_times) {
  check_relays("own law", BRINK_SURFACE_MODEL);
}

/* Coupled relays: y1' = c1 - 2 s1 - s2/2, y2' = c2 - s1/2 - 2 s2, z' = s1. While both slide
 * s = A^-1 c, with A = (2 1/2; 1/2 2): z' = (2 c1 - c2/2)/3.75. */
static int coupled_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = 0.5 - 2.0 * env->sgn[0] - 0.5 * env->sgn[1];
  dx[1] = -0.3 - 0.5 * env->sgn[0] - 2.0 * env->sgn[1];
  dx[2] = env->sgn[0];
  return 0;
}

TEST(coupled_relays_follow_the_equivalent_control_of_both) {
  static const double starts[][3] = {{0.0, 0.0, 0.0}, {1.0, 1.0, 0.0}};
  double rate = (2.0 * 0.5 + 0.5 * 0.3) / 3.75;
  for (size_t k = 0; k < COUNT(starts); k++)
    for (size_t m = 0; m < COUNT(variable); m++)
      for (size_t e = 0; e < COUNT(whole_step); e++) {
        brink_guard_def guards[2] = {guard_at("a", first, one, 0.0),
                                     guard_at("b", second, one, 0.0)};
        brink_model_def def = brink_default_model();
        def.nx = 3, def.x0 = starts[k], def.rhs = coupled_rhs, def.nguards = 2, def.guards = guards;
        brink_options options = options_for(variable[m], whole_step[e]);
        trace_run(&def, &options, 3.0, &run);
        CHECK_INT(run.status, BRINK_TIME_REACHED);
        CHECK_NEAR(run.x[0], 0.0, 1e-9);
        CHECK_NEAR(run.x[1], 0.0, 1e-9);
        /* From (1, 1) b falls at 2.8 to t1 = 1/2.8, a at 2; then with b sliding s2 = -0.4 and a
         * falls at 1.3 to t2 = t1 + (1 - 2 t1)/1.3. Meanwhile z' = 1. */
        double both = k == 0 ? 0.0 : 1.0 / 2.8 + (1.0 - 2.0 / 2.8) / 1.3;
        CHECK_NEAR(run.x[2], both + rate * (3.0 - both), 1e-8);
      }
}

/* Two blocks on belts, each with static friction: the second as the first, started later in its cycle.
 * And a relay beside them. */
static int blocks_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  for (int k = 0; k < 2; k++) {
    dx[2 * k] = x[2 * k + 1];
    dx[2 * k + 1] = env->sgn[3 * k] == 0 ? 0.0 : -x[2 * k] - 0.5 * env->sgn[3 * k];
  }
  dx[4] = 0.25 - env->sgn[6];
  dx[5] = env->sgn[6] + 0.0 * x[5];
  return 0;
}

TEST(two_blocks_stick_at_once_beside_a_relay_that_slides) {
  static const double x0[] = {0.0, 0.5, 0.5, 0.5, 0.75, 0.0};
  static const size_t speeds[][1] = {{1}, {3}}, places[][1] = {{0}, {2}}, relay[] = {4};
  double period = 2.0 + 1.5 * PI;
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      brink_guard_def guards[7];
      for (size_t k = 0; k < 2; k++) {
        guards[3 * k] = guard_at("relative speed", speeds[k], one, -0.5);
        guards[3 * k].surface = BRINK_SURFACE_MODEL;
        guards[3 * k].leave_negative = 3 * k + 1, guards[3 * k].leave_positive = 3 * k + 2;
        guards[3 * k + 1] = guard_at("pulled back", places[k], one, -1.0);
        guards[3 * k + 2] = guard_at("pushed on", places[k], minus_one, -1.0);
      }
      guards[6] = guard_at("relay", relay, one, 0.0);
      brink_model_def def = brink_default_model();
      def.nx = 6, def.x0 = x0, def.rhs = blocks_rhs, def.nguards = 7, def.guards = guards;
      brink_options options = options_for(variable[m], whole_step[e]);
      trace_run(&def, &options, 3.0 * period, &run);
      CHECK_INT(run.status, BRINK_TIME_REACHED);
      size_t seen[2] = {0, 0};
      for (size_t k = 0; k < run.nslides; k++) {
        size_t b = run.slides[k].guard / 3;
        if (b > 1) continue;
        double n = (double)seen[b]++, shift = b == 0 ? 0.0 : 1.0;
        CHECK_NEAR(run.slides[k].from, fmax(0.0, n * period - shift), 1e-6);
        CHECK_NEAR(run.slides[k].to, n * period + 2.0 - shift, 1e-6);
      }
      CHECK_INT(seen[0], 3);
      CHECK_INT(seen[1], 3);
      CHECK_NEAR(run.x[4], 0.0, 1e-12); /* slides from t = 1 on, with s = 1/4 */
      CHECK_NEAR(run.x[5], 1.0 + 0.25 * (3.0 * period - 1.0), 1e-6);
    }
}

TEST(all_slides_under_way_are_told) {
  static const double x0[] = {0.0, 1.0, 0.0};
  brink_guard_def guards[2] = {guard_at("a", first, one, 0.0), guard_at("b", second, one, 0.0)};
  brink_model_def def = brink_default_model();
  def.nx = 3, def.x0 = x0, def.rhs = coupled_rhs, def.nguards = 2, def.guards = guards;
  brink_model *model;
  brink_sim *sim;
  CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, NULL, &sim), BRINK_OK);
  brink_slide_record slides[2];
  CHECK_INT(brink_sim_slides(sim, NULL, 0), 0);
  CHECK_INT(brink_sim_run(sim, 2.0, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_slides(sim, slides, 2), 2);
  CHECK_INT(slides[0].guard, 0);
  CHECK_INT(slides[1].guard, 1);
  CHECK(slides[1].from > 0.3 && slides[1].from < 1.0);
  CHECK_NEAR(slides[1].to, 2.0, 0.0);
  brink_slide_record one_slide;
  CHECK(brink_sim_sliding(sim, &one_slide) && one_slide.guard == 0);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* ---- definitions ---- */

static brink_status define(const brink_guard_def *guards, size_t count, brink_diag *diag) {
  static const double x0[] = {0.0, 0.0, 0.0};
  brink_model_def def = brink_default_model();
  def.nx = 3, def.x0 = x0, def.rhs = coupled_rhs, def.nguards = count, def.guards = guards;
  brink_model *model;
  brink_status status = brink_model_create(&def, NULL, diag, &model);
  brink_model_destroy(model);
  return status;
}

TEST(leave_guards_that_make_no_sense_are_refused) {
  brink_guard_def good[4] = {guard_at("a", first, one, 0.0), guard_at("b", second, one, 0.0),
                             guard_at("c", third, one, 0.0), guard_at("d", first, one, -1.0)};
  brink_guard_def guards[4];
  brink_diag diag;
  good[0].surface = good[1].surface = BRINK_SURFACE_MODEL, good[0].leave_positive = 2;
  CHECK_INT(define(good, 4, &diag), BRINK_OK);
  memcpy(guards, good, sizeof good);
  guards[0].leave_positive = 9;
  CHECK_INT(define(guards, 4, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "no such guard");
  memcpy(guards, good, sizeof good);
  guards[0].leave_negative = 2;
  CHECK_INT(define(guards, 4, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "both 2");
  memcpy(guards, good, sizeof good);
  guards[2].action = trace_stop;
  CHECK_INT(define(guards, 4, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "no action");
  memcpy(guards, good, sizeof good);
  guards[1].leave_negative = 2;
  CHECK_INT(define(guards, 4, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "two surfaces");
}

int main(void) {
  RUN(a_block_on_a_belt_sticks_until_static_friction_is_overcome);
  RUN(a_forced_block_sticks_where_it_could_go_on);
  RUN(a_crossing_at_which_a_leave_condition_holds_is_no_rest);
  RUN(a_leave_condition_that_jumps_lets_go_at_that_instant);
  RUN(a_leave_condition_against_both_fields_slides_on);
  RUN(an_action_runs_once_when_the_state_comes_to_rest_and_is_recorded);
  RUN(two_relays_slide_at_overlapping_times);
  RUN(two_surfaces_hold_by_the_models_own_law_at_overlapping_times);
  RUN(coupled_relays_follow_the_equivalent_control_of_both);
  RUN(two_blocks_stick_at_once_beside_a_relay_that_slides);
  RUN(all_slides_under_way_are_told);
  RUN(leave_guards_that_make_no_sense_are_refused);
  return check_done();
}
