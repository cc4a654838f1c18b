/* Mistakes that were made once: each leaves its failing case behind. */
#include <math.h>

#include <brink/brink.h>

#include "check.h"

static const double one[] = {1.0}, none[] = {0.0};
static const size_t first[] = {0}, second[] = {1};

static brink_guard_def on(const char *name, const size_t *state, double offset) {
  brink_guard_def guard = brink_default_guard(name);
  guard.coefficients = one, guard.depends = state, guard.ndepends = 1, guard.offset = offset;
  return guard;
}

typedef struct running {
  brink_model *model;
  brink_sim *sim;
} running;

static running start(const brink_model_def *def, const brink_options *options) {
  running r = {0};
  CHECK_INT(brink_model_create(def, NULL, NULL, &r.model), BRINK_OK);
  CHECK_INT(brink_sim_create(r.model, options, NULL, NULL, &r.sim), BRINK_OK);
  return r;
}
static void end(running r) {
  brink_sim_destroy(r.sim);
  brink_model_destroy(r.model);
}

static int stop(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)now, (void)user;
  return BRINK_STOPPED;
}
static int rise(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 1.0;
  return 0;
}

/* ---- sliding ---- */

static int pulled_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)x;
  dx[0] = -env->sgn[0] + t * (env->mode[0] ? 2 : 1);
  return 0;
}
static int pull_harder(brink_now *now, bool *changed, void *user) {
  (void)user;
  if (now->t > 0.5 && now->mode[0] == 0) now->mode[0] = 1, *changed = true;
  return 0;
}
TEST(rules_may_end_a_slide_at_the_instant_it_lets_go) {
  static const double x0[] = {0.0};
  brink_guard_def guard = on("s", first, 0.0);
  brink_model_def def = brink_default_model();
  def.nx = 1, def.nmodes = 1, def.x0 = x0, def.rhs = pulled_rhs, def.rules = pull_harder;
  def.nguards = 1, def.guards = &guard;
  running r = start(&def, NULL);
  CHECK_INT(brink_sim_run(r.sim, 2.0, NULL), BRINK_TIME_REACHED);
  CHECK_NEAR(brink_sim_state(r.sim)[0], 2.0, 1e-5); /* from t = 1 on, x' = -1 + 2t */
  end(r);
}

static int slider_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = 1.0 - 2.0 * env->sgn[0], dx[1] = env->sgn[0] - 0.1;
  return 0;
}
TEST(another_guard_settles_its_sign_by_the_sliding_field) {
  static const double x0[] = {-0.5, 0.0};
  brink_guard_def guards[] = {on("s", first, 0.0), on("y", second, -0.2)};
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = slider_rhs, def.nguards = 2, def.guards = guards;
  running r = start(&def, NULL);
  CHECK_INT(brink_sim_run(r.sim, 5.0, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_stats(r.sim)->events, 2);
  CHECK_INT(brink_sim_signs(r.sim)[1], 1);
  end(r);
}

static int sided_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = -env->sgn[0], dx[1] = 1.0, dx[2] = 10.0 * env->sgn[0];
  return 0;
}
static int lift(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = 5.0;
  return 0;
}
TEST(a_step_after_a_slide_that_an_action_ends_starts_with_the_field_beside_the_surface) {
  static const double x0[] = {0.0, 0.0, 0.0};
  brink_guard_def guards[] = {on("s", first, 0.0), on("a", second, -1.0)};
  guards[1].action = lift;
  brink_model_def def = brink_default_model();
  def.nx = 3, def.x0 = x0, def.rhs = sided_rhs, def.nguards = 2, def.guards = guards;
  for (int m = BRINK_ADAMS; m <= BRINK_BDF; m++) {
    if (m == BRINK_TAYLOR) continue; /* the model has no series */
    brink_options options = brink_default_options();
    options.method = (brink_method)m, options.step = m > BRINK_DOPRI ? 0.5 : 0.0;
    running r = start(&def, &options);
    CHECK_INT(brink_sim_run(r.sim, 2.0, NULL), BRINK_TIME_REACHED);
    CHECK_NEAR(brink_sim_state(r.sim)[0], 4.0, 1e-5);
    CHECK_NEAR(brink_sim_state(r.sim)[2], 10.0, 1e-4);
    end(r);
  }
}

/* ---- nothing is evaluated past a unilateral guard, whoever asks ---- */

static int past;
static int steep_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  if (x[1] > 1.0 && env->sgn[1] < 0) past++;
  dx[0] = -env->sgn[0], dx[1] = 1.0 + 50.0 * x[1] * x[1] * x[1];
  return 0;
}
TEST(the_fields_beside_a_slide_are_not_asked_past_another_guard) {
  static const double x0[] = {0.0, 0.0};
  brink_guard_def guards[] = {on("s", first, 0.0), on("b", second, -1.0)};
  guards[1].side = BRINK_UNILATERAL, guards[1].action = stop;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = steep_rhs, def.nguards = 2, def.guards = guards;
  past = 0;
  for (int m = BRINK_ADAMS; m <= BRINK_BDF; m++) {
    if (m == BRINK_TAYLOR) continue; /* the model has no series */
    for (int digits = 2; digits <= 6; digits += 2) {
      brink_options options = brink_default_options();
      options.method = (brink_method)m, options.step = m > BRINK_DOPRI ? 0.05 : 0.0;
      options.rtol = options.atol = pow(10.0, -digits), options.audit = true;
      running r = start(&def, &options);
      CHECK_INT(brink_sim_run(r.sim, 2.0, NULL), BRINK_STOPPED);
      CHECK_INT(brink_sim_stats(r.sim)->rhs_past_guard, 0);
      end(r);
    }
  }
  CHECK_INT(past, 0);
}

static int falling_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  if (x[1] < 0.0 && env->sgn[1] > 0) past++;
  dx[0] = 0.0, dx[1] = -1.0;
  return 0;
}
TEST(the_sign_of_a_guard_at_rest_is_not_probed_past_another) {
  static const double x0[] = {0.0, 1e-5};
  brink_guard_def guards[] = {on("a", first, 0.0), on("b", second, 0.0)};
  guards[1].side = BRINK_UNILATERAL, guards[1].action = stop;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = falling_rhs, def.nguards = 2, def.guards = guards;
  brink_options options = brink_default_options();
  options.rtol = options.atol = 1e-4;
  past = 0;
  running r = start(&def, &options);
  CHECK_INT(brink_sim_run(r.sim, 2.0, NULL), BRINK_STOPPED);
  CHECK_INT(past, 0);
  end(r);
}

static int root_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  if (x[0] < 0.0 && env->sgn[1] > 0) past++;
  dx[0] = 1e-3 * sqrt(fmax(x[0], 0.0));
  return 0;
}
static int push_out(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = -0.5;
  return 0;
}
static int pull_in(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = 0.5;
  return 0;
}
TEST(a_jump_past_a_unilateral_guard_is_handled_before_any_sign_is_settled) {
  static const double x0[] = {1.0};
  brink_guard_def guards[] = {on("time", first, -1.0), on("edge", first, 0.0)};
  guards[0].coefficients = none, guards[0].time_coefficient = 1.0, guards[0].action = push_out;
  guards[1].side = BRINK_UNILATERAL, guards[1].action = pull_in;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = root_rhs, def.nguards = 2, def.guards = guards;
  past = 0;
  running r = start(&def, NULL);
  CHECK_INT(brink_sim_run(r.sim, 2.0, NULL), BRINK_TIME_REACHED);
  CHECK_INT(past, 0);
  CHECK_INT(brink_sim_stats(r.sim)->events, 2);
  end(r);
}

/* ---- clocks and timers at the present ---- */

static double fired_at;
static int nothing(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)now, (void)user;
  return 0;
}
static int note_time(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  fired_at = now->t;
  return 0;
}
static int set_timer_once(brink_now *now, bool *changed, void *user) {
  (void)changed;
  double *back = user;
  if (isnan(fired_at) && now->t >= 1.0) now->timer[1] = now->t - *back;
  return 0;
}
TEST(a_timer_that_a_rule_sets_to_the_present_or_the_past_fires_at_once) {
  static const double x0[] = {0.0};
  double backs[] = {0.0, 0.3};
  for (int k = 0; k < 2; k++) {
    brink_clock_def clocks[] = {
        {.size = sizeof(brink_clock_def), .name = "c", .period = 1.0, .tick = nothing},
        {.size = sizeof(brink_clock_def),
         .name = "timer",
         .offset = (double)INFINITY,
         .tick = note_time}};
    brink_model_def def = brink_default_model();
    def.nx = 1, def.x0 = x0, def.rhs = rise, def.nclocks = 2, def.clocks = clocks;
    def.rules = set_timer_once, def.user = &backs[k];
    fired_at = (double)NAN;
    running r = start(&def, NULL);
    CHECK_INT(brink_sim_run(r.sim, 3.0, NULL), BRINK_TIME_REACHED);
    CHECK_NEAR(fired_at, 1.0, 0.0);
    CHECK_NEAR(brink_sim_state(r.sim)[0], 3.0, 1e-9);
    end(r);
  }
}

static int stop_at_one(const brink_step_record *record, void *user) {
  (void)user;
  return record->t1 == 1.0;
}
TEST(a_run_that_a_sink_stops_at_a_tick_goes_on_with_the_tick) {
  static const double x0[] = {0.0};
  brink_clock_def clock = {.size = sizeof(brink_clock_def),
                           .name = "c",
                           .period = 1.0,
                           .offset = 1.0,
                           .tick = note_time};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = rise, def.nclocks = 1, def.clocks = &clock;
  fired_at = 0.0;
  running r = start(&def, NULL);
  brink_sink sink = {.step = stop_at_one};
  brink_sim_set_sink(r.sim, &sink);
  CHECK_INT(brink_sim_run(r.sim, 1.5, NULL), BRINK_STOPPED);
  CHECK_INT(brink_sim_run(r.sim, 1.5, NULL), BRINK_TIME_REACHED);
  CHECK_NEAR(fired_at, 1.0, 0.0);
  CHECK_NEAR(brink_sim_state(r.sim)[0], 1.5, 1e-9);
  end(r);
}

TEST(a_clock_whose_ticks_cannot_be_told_apart_is_refused) {
  static const double x0[] = {0.0};
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "c", .period = 1.0, .tick = nothing};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = rise, def.t0 = 1e20, def.nclocks = 1, def.clocks = &clock;
  brink_diag diag;
  brink_model *model;
  CHECK_INT(brink_model_create(&def, NULL, &diag, &model), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "'c'");
}

/* ---- contacts ---- */

#define BALLS 4
static int free_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  for (int i = 0; i < BALLS; i++) dx[i] = x[BALLS + i], dx[BALLS + i] = 0.0;
  return 0;
}
static int exchange(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  double *v = now->x + BALLS + event->guard, left = v[0];
  if (v[0] > v[1]) v[0] = v[1], v[1] = left;
  return 0;
}
TEST(a_contact_that_closes_again_at_the_same_instant_fires_again) {
  static const double apart[] = {-1.0, 1.0};
  static size_t pairs[BALLS - 1][2];
  for (int side = BRINK_BILATERAL; side <= BRINK_CROSSING; side++) {
    for (int arriving = 1; arriving < BALLS; arriving++) {
      brink_guard_def guards[BALLS - 1];
      double x0[2 * BALLS];
      for (size_t i = 0; i < BALLS; i++) {
        x0[i] = 0.37 - ((int)i < arriving ? 0.16 : 0.0);
        x0[BALLS + i] = (int)i < arriving ? 1.0 / 3 : 0.0;
      }
      for (size_t i = 0; i + 1 < BALLS; i++) {
        pairs[i][0] = i, pairs[i][1] = i + 1;
        guards[i] = brink_default_guard("contact");
        guards[i].depends = pairs[i], guards[i].ndepends = 2, guards[i].coefficients = apart;
        guards[i].side = (brink_side)side, guards[i].direction = BRINK_NEGATIVE;
        guards[i].action = exchange;
      }
      brink_model_def def = brink_default_model();
      def.nx = 2 * BALLS, def.x0 = x0, def.rhs = free_rhs, def.nguards = BALLS - 1;
      def.guards = guards;
      running r = start(&def, NULL);
      CHECK_INT(brink_sim_run(r.sim, 5.0, NULL), BRINK_TIME_REACHED);
      for (int i = 0; i < BALLS; i++)
        CHECK_NEAR(brink_sim_state(r.sim)[BALLS + i], i >= BALLS - arriving ? 1.0 / 3 : 0.0, 1e-9);
      end(r);
    }
  }
}

/* ---- starts ---- */

static int hump_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)x, (void)env;
  dx[0] = pow(sin(3.14159265358979323846 * t), 2.0);
  return 0;
}
TEST(a_field_that_is_zero_at_the_start_and_at_the_end_is_not_stepped_over) {
  static const double x0[] = {0.0};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = hump_rhs;
  for (int m = BRINK_ADAMS; m <= BRINK_DOPRI; m++) {
    if (m == BRINK_TAYLOR) continue;
    brink_options options = brink_default_options();
    options.method = (brink_method)m;
    running r = start(&def, &options);
    CHECK_INT(brink_sim_run(r.sim, 1.0, NULL), BRINK_TIME_REACHED);
    CHECK_NEAR(brink_sim_state(r.sim)[0], 0.5, 1e-5);
    end(r);
  }
}

static int ball_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  if (x[0] < 0.0) past++;
  dx[0] = x[1], dx[1] = -9.81;
  return 0;
}
TEST(a_ball_that_starts_at_rest_on_a_unilateral_floor_has_reached_it) {
  static const double x0[] = {0.0, 0.0};
  brink_guard_def guard = on("floor", first, 0.0);
  guard.side = BRINK_UNILATERAL, guard.direction = BRINK_NEGATIVE, guard.action = stop;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = ball_rhs, def.nguards = 1, def.guards = &guard;
  past = 0;
  running r = start(&def, NULL);
  CHECK_INT(brink_sim_run(r.sim, 1.0, NULL), BRINK_STOPPED);
  CHECK_NEAR(brink_sim_time(r.sim), 0.0, 0.0);
  CHECK_INT(past, 0);
  end(r);
}

static int ending_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = sqrt(2.0 - x[0]) - 1.0; /* no number past 2 */
  return 0;
}
TEST(a_guard_that_has_no_value_further_on_keeps_its_event_and_is_named_where_it_ends) {
  static const double x0[] = {0.0};
  brink_guard_def guard = brink_default_guard("ending");
  guard.value = ending_value;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = rise, def.nguards = 1, def.guards = &guard;
  running r = start(&def, NULL);
  brink_diag diag;
  CHECK_INT(brink_sim_next_event(r.sim, 3.0, &diag), BRINK_EVENT);
  CHECK_NEAR(brink_sim_time(r.sim), 1.0, 1e-9);
  CHECK_INT(brink_sim_run(r.sim, 3.0, &diag), BRINK_ERR_STEP);
  CHECK_CONTAINS(diag.message, "'ending'");
  end(r);
}

static int far_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)x, (void)env;
  *g = cos(2.0 * 3.14159265358979323846 * (t - 1.7e9) / 3.7);
  return 0;
}
TEST(a_guard_of_time_alone_works_far_from_its_origin) {
  static const double x0[] = {0.0};
  brink_guard_def guard = brink_default_guard("phase");
  guard.value = far_value;
  brink_model_def def = brink_default_model();
  def.t0 = 1.7e9, def.nx = 1, def.x0 = x0, def.rhs = rise, def.nguards = 1, def.guards = &guard;
  running r = start(&def, NULL);
  CHECK_INT(brink_sim_run(r.sim, 1.7e9 + 37.0, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_stats(r.sim)->events, 20);
  end(r);
}

/* ---- steps and outputs ---- */

static int valley_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)x, (void)env;
  dx[0] = 2.0 * (t - 1.0);
  return 0;
}
TEST(outputs_go_on_behind_a_touch_that_is_hopped_over) {
  static const double x0[] = {1.0 - 1e-7};
  static double times[2001], out[2001];
  brink_guard_def guard = on("floor", first, 0.0);
  guard.side = BRINK_UNILATERAL;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = valley_rhs, def.nguards = 1, def.guards = &guard;
  brink_options options = brink_default_options();
  options.rtol = options.atol = 1e-6;
  for (int k = 0; k <= 2000; k++) times[k] = k * 1e-3;
  running r = start(&def, &options);
  size_t done;
  CHECK_INT(brink_sim_sample(r.sim, times, 2001, out, &done, NULL), BRINK_TIME_REACHED);
  CHECK_INT(done, 2001);
  for (size_t k = 0; k < done; k++) CHECK_NEAR(out[k], pow(times[k] - 1.0, 2.0) - 1e-7, 1e-5);
  end(r);
}

static int kink_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)x, (void)env;
  dx[0] = t < 1.0 ? 0.0 : 1e9 * sin(1e9 * t), dx[1] = 1.0;
  return 0;
}
TEST(a_large_hmin_does_not_skip_time) {
  static const double x0[] = {0.0, 0.0};
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = kink_rhs;
  brink_options options = brink_default_options();
  options.hmin = 0.01;
  running r = start(&def, &options);
  brink_sim_run(r.sim, 1.5, NULL);
  CHECK_NEAR(brink_sim_state(r.sim)[1], brink_sim_time(r.sim), 1e-9);
  end(r);
}

/* ---- what the header promises ---- */

static int failing_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = x[0] - 1.5;
  return x[0] > 0.5 ? -1 : 0;
}
TEST(a_guard_that_reports_a_fatal_error_ends_the_run_and_is_named) {
  static const double x0[] = {0.0};
  brink_guard_def guard = brink_default_guard("broken");
  guard.value = failing_value;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = rise, def.nguards = 1, def.guards = &guard;
  running r = start(&def, NULL);
  brink_diag diag;
  CHECK_INT(brink_sim_run(r.sim, 3.0, &diag), BRINK_ERR_CALLBACK);
  CHECK_CONTAINS(diag.message, "'broken'");
  end(r);
}

static int radius_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = fabs(x[0]) - 0.5;
  return 0;
}
static int radius_gradient(size_t guard, double t, const double *x, const brink_env *env,
                           double *dx, double *dt) {
  (void)guard, (void)t, (void)env;
  dx[0] = x[0] / fabs(x[0]), *dt = 0.0; /* not a number at 0 */
  return 0;
}
TEST(a_gradient_that_is_not_a_number_does_not_end_a_run) {
  static const double x0[] = {0.0};
  brink_guard_def guard = brink_default_guard("radius");
  guard.value = radius_value, guard.gradient = radius_gradient;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = rise, def.nguards = 1, def.guards = &guard;
  running r = start(&def, NULL);
  CHECK_INT(brink_sim_next_event(r.sim, 3.0, NULL), BRINK_EVENT);
  CHECK_NEAR(brink_sim_time(r.sim), 0.5, 1e-9);
  end(r);
}

TEST(a_run_that_an_action_stopped_goes_on_behind_the_event) {
  static const double x0[] = {0.0};
  brink_guard_def guard = on("half", first, -0.5);
  guard.action = stop;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = rise, def.nguards = 1, def.guards = &guard;
  running r = start(&def, NULL);
  CHECK_INT(brink_sim_run(r.sim, 2.0, NULL), BRINK_STOPPED);
  CHECK_INT(brink_sim_run(r.sim, 2.0, NULL), BRINK_TIME_REACHED);
  CHECK_NEAR(brink_sim_state(r.sim)[0], 2.0, 1e-9);
  end(r);
}

TEST(events_and_the_last_step_can_be_read_after_a_run) {
  static const double x0[] = {0.0};
  brink_guard_def guard = on("half", first, -0.5);
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "c", .period = 1.0, .tick = nothing};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = rise, def.nguards = 1, def.guards = &guard;
  def.nclocks = 1, def.clocks = &clock;
  running r = start(&def, NULL);
  CHECK_INT(brink_sim_run(r.sim, 2.5, NULL), BRINK_TIME_REACHED);
  size_t count;
  brink_sim_events(r.sim, &count);
  CHECK_INT(count, 1); /* ticks since then had none */
  double x = 0.0;
  CHECK_INT(brink_sim_at(r.sim, 2.4999, &x, NULL), BRINK_OK);
  CHECK_NEAR(x, 2.4999, 1e-9);
  CHECK_INT(brink_sim_at(r.sim, 0.1, &x, NULL), BRINK_ERR_ARGUMENT);
  end(r);
}

int main(void) {
  RUN(rules_may_end_a_slide_at_the_instant_it_lets_go);
  RUN(another_guard_settles_its_sign_by_the_sliding_field);
  RUN(a_step_after_a_slide_that_an_action_ends_starts_with_the_field_beside_the_surface);
  RUN(the_fields_beside_a_slide_are_not_asked_past_another_guard);
  RUN(the_sign_of_a_guard_at_rest_is_not_probed_past_another);
  RUN(a_jump_past_a_unilateral_guard_is_handled_before_any_sign_is_settled);
  RUN(a_timer_that_a_rule_sets_to_the_present_or_the_past_fires_at_once);
  RUN(a_run_that_a_sink_stops_at_a_tick_goes_on_with_the_tick);
  RUN(a_clock_whose_ticks_cannot_be_told_apart_is_refused);
  RUN(a_contact_that_closes_again_at_the_same_instant_fires_again);
  RUN(a_field_that_is_zero_at_the_start_and_at_the_end_is_not_stepped_over);
  RUN(a_ball_that_starts_at_rest_on_a_unilateral_floor_has_reached_it);
  RUN(a_guard_that_has_no_value_further_on_keeps_its_event_and_is_named_where_it_ends);
  RUN(a_guard_of_time_alone_works_far_from_its_origin);
  RUN(outputs_go_on_behind_a_touch_that_is_hopped_over);
  RUN(a_large_hmin_does_not_skip_time);
  RUN(a_guard_that_reports_a_fatal_error_ends_the_run_and_is_named);
  RUN(a_gradient_that_is_not_a_number_does_not_end_a_run);
  RUN(a_run_that_an_action_stopped_goes_on_behind_the_event);
  RUN(events_and_the_last_step_can_be_read_after_a_run);
  return check_done();
}
