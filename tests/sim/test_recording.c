/* Events that change nothing: the solution is what it would be without their guards, bit by bit, and
 * their times are closed forms. */
#include "check.h"
#include "support/trace.h"

#define PI 3.14159265358979323846
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static trace run, bare;

static const brink_method all_methods[] = {BRINK_ADAMS,   BRINK_DOPRI,     BRINK_EULER,
                                           BRINK_TAYLOR2, BRINK_RK4,       BRINK_AM3,
                                           BRINK_BDF3,    BRINK_TRAPEZOID, BRINK_BDF};
static const brink_method variable[] = {BRINK_ADAMS, BRINK_DOPRI};
static const brink_events whole_step[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE};
static const size_t first[] = {0}, second[] = {1};
static const double one[] = {1.0};

static brink_options options_for(brink_method method, brink_events events) {
  brink_options options = brink_default_options();
  options.method = method;
  options.events = events;
  options.rtol = 1e-8;
  options.atol = 1e-10;
  options.step = method > BRINK_DOPRI ? 0.05 : 0.0;
  options.audit = true;
  return options;
}

static brink_guard_def guard_at(const char *name, const size_t *index, double level) {
  brink_guard_def guard = brink_default_guard(name);
  guard.depends = index, guard.ndepends = 1, guard.coefficients = one, guard.offset = -level;
  return guard;
}

static int circle(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1];
  dx[1] = -x[0];
  return 0;
}

/* ---- nothing but records ---- */

TEST(recording_guards_leave_the_solution_as_it_is_bit_by_bit) {
  static const double x0[] = {1.0, 0.0};
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      enum { LEVELS = 9 };
      brink_guard_def guards[LEVELS + 1];
      for (size_t k = 0; k < LEVELS; k++)
        guards[k] = guard_at("level", first, -0.8 + 0.2 * (double)k);
      guards[LEVELS] = guard_at("turns", second, 0.0);
      brink_model_def def = brink_default_model();
      def.nx = 2, def.x0 = x0, def.rhs = circle;
      brink_options options = options_for(all_methods[m], whole_step[e]);
      trace_run(&def, &options, 20.0, &bare);
      def.nguards = LEVELS + 1, def.guards = guards;
      trace_run(&def, &options, 20.0, &run);
      CHECK_INT(run.status, BRINK_TIME_REACHED);
      CHECK_MSG(run.x[0] == bare.x[0] && run.x[1] == bare.x[1], "%s/%s: %.17g, %.17g: %.3g off",
                brink_method_name(all_methods[m]), brink_events_name(whole_step[e]), run.x[0],
                bare.x[0], run.x[0] - bare.x[0]);
      CHECK_INT(run.stats.restarts, 1);
      /* each level twice a turn, 3.18 turns; the other at pi, 2 pi, … */
      CHECK_MSG(run.nevents >= 60 && run.nevents <= 68, "%zu events", run.nevents);
      double before = 0.0;
      for (size_t k = 0; k < run.nevents; k++) {
        const trace_event *event = &run.events[k];
        CHECK(event->event.t >= before);
        before = event->event.t;
        double value = event->event.guard == LEVELS
                           ? event->after[1]
                           : event->after[0] + 0.8 - 0.2 * (double)event->event.guard;
        CHECK_NEAR(value, 0.0, 1e-14);
        if (all_methods[m] <= BRINK_DOPRI && event->event.guard == 4)
          CHECK_NEAR(fmod(event->event.t + 0.5 * PI, PI),
                     0.0 + (PI * (fmod(event->event.t + 0.5 * PI, PI) > 1.0)), 1e-6);
      }
    }
}

/* Steps and events are told in order of time, and the steps leave no gap. */
static double told;
static int check_step(const brink_step_record *record, void *user) {
  (void)user;
  CHECK_NEAR(record->t0, told, 0.0);
  CHECK(record->t1 > record->t0);
  told = record->t1;
  return 0;
}
static int check_event(const brink_event_record *record, void *user) {
  (void)user;
  CHECK_NEAR(record->event.t, told, 0.0);
  return 0;
}

TEST(steps_and_events_are_told_in_order_and_dense_output_fits) {
  static const double x0[] = {1.0, 0.0};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      brink_guard_def guards[2] = {guard_at("a", first, 0.3), guard_at("b", first, 0.31)};
      brink_model_def def = brink_default_model();
      def.nx = 2, def.x0 = x0, def.rhs = circle, def.nguards = 2, def.guards = guards;
      brink_options options = options_for(variable[m], whole_step[e]);
      brink_model *model;
      brink_sim *sim;
      CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
      CHECK_INT(brink_sim_create(model, &options, NULL, NULL, &sim), BRINK_OK);
      brink_sink sink = {.step = check_step, .event = check_event};
      brink_sim_set_sink(sim, &sink);
      told = 0.0;
      double times[200], out[400];
      for (int k = 0; k < 200; k++) times[k] = 0.1 * (k + 1);
      CHECK_INT(brink_sim_sample(sim, times, 200, out, NULL, NULL), BRINK_TIME_REACHED);
      for (int k = 0; k < 200; k++) CHECK_NEAR(out[2 * k], cos(times[k]), 1e-5);
      CHECK_NEAR(told, 20.0, 0.0);
      CHECK_INT(brink_sim_stats(sim)->restarts, 1);
      brink_sim_destroy(sim);
      brink_model_destroy(model);
    }
}

/* ---- between events the caller has the present, and may change it ---- */

TEST(at_every_event_the_caller_sees_the_state_there) {
  static const double x0[] = {1.0, 0.0};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (int change = 0; change < 3; change++) {
      brink_guard_def guards[2] = {guard_at("a", first, 0.3), guard_at("b", first, 0.31)};
      brink_model_def def = brink_default_model();
      def.nx = 2, def.x0 = x0, def.rhs = circle, def.nguards = 2, def.guards = guards;
      brink_options options = options_for(variable[m], BRINK_EXTRAPOLATE);
      brink_model *model;
      brink_sim *sim;
      brink_diag diag;
      CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
      CHECK_INT(brink_sim_create(model, &options, NULL, NULL, &sim), BRINK_OK);
      CHECK_INT(brink_sim_next_event(sim, 10.0, &diag), BRINK_EVENT);
      CHECK_NEAR(brink_sim_time(sim), acos(0.31), 1e-6);
      CHECK_NEAR(brink_sim_state(sim)[0], 0.31, 1e-15);
      CHECK_NEAR(brink_sim_state(sim)[1], -sqrt(1.0 - 0.31 * 0.31), 1e-6);
      CHECK_INT(brink_sim_signs(sim)[1], -1);
      double phase = 0.0;
      if (change == 1) { /* back to the start */
        phase = brink_sim_time(sim);
        CHECK_INT(brink_sim_set_state(sim, x0, &diag), BRINK_OK);
      }
      if (change == 2) /* not as far as the step would go */
        CHECK_INT(brink_sim_run(sim, brink_sim_time(sim) + 1e-3, &diag), BRINK_TIME_REACHED);
      CHECK_INT(brink_sim_next_event(sim, 10.0, &diag), BRINK_EVENT);
      CHECK_NEAR(brink_sim_time(sim), phase + acos(change == 1 ? 0.31 : 0.3), 1e-6);
      CHECK_INT(brink_sim_run(sim, 10.0, &diag), BRINK_TIME_REACHED);
      CHECK_NEAR(brink_sim_state(sim)[0], cos(10.0 - phase), 1e-5);
      brink_sim_destroy(sim);
      brink_model_destroy(model);
    }
}

/* ---- what does have consequences ---- */

/* A kink: both fields are the same on the surface, and differ off it. y' = 1, x' = |y| by the sign of
 * y, so that x(2) = 1/2 + 1/2 from y(0) = -1. The surface is met exactly. */
static int kink(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = env->sgn[0] * x[1];
  dx[1] = 1.0;
  return 0;
}

TEST(a_kink_that_reads_the_sign_is_not_passed_over) {
  static const double x0[] = {0.0, -1.0};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      brink_guard_def guard = guard_at("y", second, 0.0);
      brink_model_def def = brink_default_model();
      def.nx = 2, def.x0 = x0, def.rhs = kink, def.nguards = 1, def.guards = &guard;
      brink_options options = options_for(variable[m], whole_step[e]);
      trace_run(&def, &options, 2.0, &run);
      CHECK_INT(run.nevents, 1);
      CHECK_NEAR(run.events[0].event.t, 1.0, 1e-12);
      CHECK_INT(run.stats.restarts, 2);
      CHECK_NEAR(run.x[0], 1.0, 1e-9);
    }
}

/* Rules that act at some crossings, and at others do not; and a timer that they set. */
static int every_third(brink_now *now, bool *changed, void *user) {
  int *crossings = user;
  if (now->sgn[0] == (now->mode[0] % 2 == 0 ? 1 : -1)) return 0;
  (void)changed;
  if (++*crossings % 3 == 0) now->x[0] += 1.0, now->x[1] = 0.0;
  if (*crossings == 4) now->timer[0] = now->t + 0.01;
  now->mode[0]++;
  return 0;
}
static int stop_clock(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)now, (void)user;
  return BRINK_STOPPED;
}

TEST(rules_see_every_crossing_and_what_they_do_counts) {
  static const double x0[] = {1.0, 0.0};
  for (size_t m = 0; m < COUNT(variable); m++)
    for (size_t e = 0; e < COUNT(whole_step); e++) {
      int crossings = 0;
      brink_guard_def guard = guard_at("x", first, 0.0);
      brink_clock_def clock = {
          .size = sizeof(brink_clock_def), .name = "stop", .offset = INFINITY, .tick = stop_clock};
      brink_model_def def = brink_default_model();
      def.nx = 2, def.x0 = x0, def.rhs = circle, def.nguards = 1, def.guards = &guard;
      def.nmodes = 1, def.nclocks = 1, def.clocks = &clock;
      def.rules = every_third, def.user = &crossings;
      brink_options options = options_for(variable[m], whole_step[e]);
      trace_run(&def, &options, 20.0, &run);
      /* pi/2, 3 pi/2, 5 pi/2; there x is carried back: the fourth */
      CHECK_INT(run.status, BRINK_STOPPED);
      CHECK_NEAR(run.t, 2.5 * PI + 0.01, 1e-6);
      CHECK_INT(crossings, 4);
    }
}

/* A unilateral guard beside the recording ones keeps its promise. */
static int leap(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = 1.0, now->x[1] = 0.0;
  return 0;
}
static int root_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  if (x[0] < -0.9) return -1; /* never called there */
  dx[0] = x[1];
  dx[1] = -x[0];
  return 0;
}

TEST(recording_guards_do_not_weaken_a_unilateral_one) {
  static const double x0[] = {1.0, 0.0};
  double cycle = acos(-0.9);
  for (size_t m = 0; m < COUNT(variable); m++) {
    brink_guard_def guards[3] = {guard_at("edge", first, -0.9), guard_at("a", first, 0.5),
                                 guard_at("b", first, -0.899)};
    guards[0].side = BRINK_UNILATERAL, guards[0].action = leap;
    brink_model_def def = brink_default_model();
    def.nx = 2, def.x0 = x0, def.rhs = root_rhs, def.nguards = 3, def.guards = guards;
    brink_options options = options_for(variable[m], BRINK_EXTRAPOLATE);
    trace_run(&def, &options, 10.5 * cycle, &run);
    CHECK_INT(run.status, BRINK_TIME_REACHED);
    CHECK_INT(run.stats.rhs_past_guard, 0);
    size_t edges = 0;
    for (size_t k = 0; k < run.nevents; k++) {
      if (run.events[k].event.guard != 0) continue;
      CHECK_NEAR(run.events[k].event.t, (double)++edges * cycle, 1e-5);
    }
    CHECK_INT(edges, 10);
  }
}

int main(void) {
  RUN(recording_guards_leave_the_solution_as_it_is_bit_by_bit);
  RUN(steps_and_events_are_told_in_order_and_dense_output_fits);
  RUN(at_every_event_the_caller_sees_the_state_there);
  RUN(a_kink_that_reads_the_sign_is_not_passed_over);
  RUN(rules_see_every_crossing_and_what_they_do_counts);
  RUN(recording_guards_do_not_weaken_a_unilateral_one);
  return check_done();
}
