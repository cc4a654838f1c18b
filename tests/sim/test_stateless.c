/* Models without states: clocks, timers, rules, and guards on time and parameters alone, with every
 * method and every detector. */
#include "check.h"
#include "support/trace.h"

#define PI 3.14159265358979323846
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static trace run;

static const brink_method all_methods[] = {BRINK_ADAMS,   BRINK_DOPRI,     BRINK_EULER,
                                           BRINK_TAYLOR2, BRINK_RK4,       BRINK_AM3,
                                           BRINK_BDF3,    BRINK_TRAPEZOID, BRINK_BDF};
static const brink_events all_events[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE, BRINK_ENDPOINT,
                                          BRINK_ZLM, BRINK_MNM};
static const double none[] = {0.0};

static brink_options options_for(brink_method method, brink_events events) {
  brink_options options = brink_default_options();
  options.method = method;
  options.events = events;
  options.step = method > BRINK_DOPRI ? 0.125 : 0.0;
  if (events > BRINK_INTERPOLATE) options.hmax = 0.125; /* these look at the ends of steps */
  options.audit = true;
  return options;
}

/* ---- clocks and rules ---- */

static int count_tick(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)user;
  now->p[clock] = (double)tick + 1.0;
  return 0;
}
static int sum_up(brink_now *now, bool *changed, void *user) {
  (void)user;
  double sum = now->p[0] + now->p[1];
  *changed = now->p[2] != sum;
  now->p[2] = sum;
  return 0;
}

TEST(clocks_and_rules_run_without_a_state) {
  static const double p0[] = {0.0, 0.0, 0.0};
  brink_clock_def clocks[2] = {
      {.size = sizeof(brink_clock_def), .name = "fast", .period = 0.1, .tick = count_tick},
      {.size = sizeof(brink_clock_def),
       .name = "slow",
       .period = 0.3,
       .offset = 0.2,
       .tick = count_tick}};
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(all_events); e++) {
      brink_model_def def = brink_default_model();
      def.np = 3, def.p0 = p0, def.nclocks = 2, def.clocks = clocks, def.rules = sum_up;
      brink_options options = options_for(all_methods[m], all_events[e]);
      brink_model *model;
      brink_sim *sim;
      brink_diag diag;
      CHECK_INT(brink_model_create(&def, NULL, &diag, &model), BRINK_OK);
      CHECK_INT(brink_sim_create(model, &options, NULL, &diag, &sim), BRINK_OK);
      CHECK_INT(brink_sim_run(sim, 100.0, &diag), BRINK_TIME_REACHED);
      CHECK_NEAR(brink_sim_parameters(sim)[0], 1001.0, 0.0);
      CHECK_NEAR(brink_sim_parameters(sim)[1], 333.0, 0.0);
      CHECK_NEAR(brink_sim_parameters(sim)[2], 1334.0, 0.0);
      CHECK_INT(brink_sim_stats(sim)->rhs, 0);
      if (all_methods[m] <= BRINK_DOPRI && all_events[e] <= BRINK_INTERPOLATE)
        CHECK_MSG(brink_sim_stats(sim)->steps <= 1100, "%lld steps",
                  (long long)brink_sim_stats(sim)->steps);
      brink_sim_destroy(sim);
      brink_model_destroy(model);
    }
}

/* ---- guards on time ---- */

static int sine(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)x;
  *g = sin(t) - env->p[0];
  return 0;
}
static int sine_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                         double *dt) {
  (void)guard, (void)x, (void)env, (void)dx;
  *dt = cos(t);
  return 0;
}
static int stop_here(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)now, (void)user;
  return BRINK_STOPPED;
}

TEST(guards_on_time_are_located_with_every_method_and_detector) {
  static const double p0[] = {0.5};
  for (size_t m = 0; m < COUNT(all_methods); m++)
    for (size_t e = 0; e < COUNT(all_events); e++) {
      brink_guard_def guards[2] = {brink_default_guard("t - 2"), brink_default_guard("sine")};
      guards[0].coefficients = none, guards[0].time_coefficient = 1.0, guards[0].offset = -2.0;
      guards[1].value = sine, guards[1].gradient = sine_gradient;
      brink_model_def def = brink_default_model();
      def.np = 1, def.p0 = p0, def.nguards = 2, def.guards = guards;
      brink_options options = options_for(all_methods[m], all_events[e]);
      trace_run(&def, &options, 6.5, &run);
      static const double times[] = {PI / 6.0, 2.0, 5.0 * PI / 6.0};
      double tolerance = all_events[e] == BRINK_ZLM ? 5e-3 : 1e-9;
      CHECK_MSG(run.status == BRINK_TIME_REACHED && run.nevents == 3, "%s/%s: %s, %zu events (%s)",
                brink_method_name(all_methods[m]), brink_events_name(all_events[e]),
                brink_status_text(run.status), run.nevents, run.diag.message);
      for (size_t k = 0; k < 3 && k < run.nevents; k++) {
        CHECK_NEAR(run.events[k].event.t, times[k], tolerance);
        CHECK_INT(run.events[k].event.guard, k == 1 ? 0 : 1);
      }
    }
}

TEST(a_unilateral_guard_on_time_is_reached_from_its_own_side) {
  static const double p0[] = {0.5};
  for (size_t m = 0; m < COUNT(all_methods); m++) {
    brink_guard_def guard = brink_default_guard("sine");
    guard.side = BRINK_UNILATERAL, guard.value = sine, guard.gradient = sine_gradient;
    guard.action = stop_here;
    brink_model_def def = brink_default_model();
    def.np = 1, def.p0 = p0, def.nguards = 1, def.guards = &guard;
    brink_options options = options_for(all_methods[m], BRINK_EXTRAPOLATE);
    trace_run(&def, &options, 6.5, &run);
    CHECK_INT(run.status, BRINK_STOPPED);
    CHECK_NEAR(run.t, PI / 6.0, 1e-9);
    CHECK(sin(run.t) <= 0.5);
  }
}

/* A rule waits for the guard on time; a timer follows it. */
static int wait_for_two(brink_now *now, bool *changed, void *user) {
  (void)user;
  if (now->sgn[0] <= 0 || now->mode[0] != 0) return 0;
  now->mode[0] = 1;
  now->timer[0] = now->t + 1.5;
  *changed = true;
  return 0;
}
static int ring(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->mode[0] = 2;
  return snprintf(now->message, BRINK_DIAG_MESSAGE, "rings at %g", now->t) > 0 ? BRINK_STOPPED : -1;
}

TEST(rules_guards_and_timers_work_together_without_a_state) {
  brink_guard_def guard = brink_default_guard("t - 2");
  guard.coefficients = none, guard.time_coefficient = 1.0, guard.offset = -2.0;
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "timer", .offset = INFINITY, .tick = ring};
  brink_model_def def = brink_default_model();
  def.nmodes = 1, def.nguards = 1, def.guards = &guard, def.nclocks = 1, def.clocks = &clock;
  def.rules = wait_for_two;
  trace_run(&def, NULL, 10.0, &run);
  CHECK_INT(run.status, BRINK_STOPPED);
  CHECK_INT(run.mode[0], 2);
  CHECK_NEAR(run.t, 3.5, 1e-12);
  CHECK_CONTAINS(run.diag.message, "rings at 3.5");
}

/* ---- driving ---- */

TEST(a_model_of_nothing_at_all_reaches_any_time) {
  for (size_t m = 0; m < COUNT(all_methods); m++) {
    brink_model_def def = brink_default_model();
    brink_options options = options_for(all_methods[m], BRINK_EXTRAPOLATE);
    brink_model *model;
    brink_sim *sim;
    brink_diag diag;
    CHECK_INT(brink_model_create(&def, NULL, &diag, &model), BRINK_OK);
    CHECK_INT(brink_sim_create(model, &options, NULL, &diag, &sim), BRINK_OK);
    double times[] = {1.0, 2.0, 3.0}, out[1];
    size_t done;
    CHECK_INT(brink_sim_advance(sim, 0.5, &diag), BRINK_STEPPED);
    CHECK_INT(brink_sim_at(sim, brink_sim_time(sim), out, &diag), BRINK_OK);
    CHECK_INT(brink_sim_sample(sim, times, 3, out, &done, &diag), BRINK_TIME_REACHED);
    CHECK_INT(done, 3);
    CHECK_INT(brink_sim_set_state(sim, out, &diag), BRINK_OK);
    CHECK_INT(brink_sim_next_event(sim, 4.0, &diag), BRINK_TIME_REACHED);
    CHECK_NEAR(brink_sim_time(sim), 4.0, 0.0);
    brink_sim_destroy(sim);
    brink_model_destroy(model);
  }
}

int main(void) {
  RUN(clocks_and_rules_run_without_a_state);
  RUN(guards_on_time_are_located_with_every_method_and_detector);
  RUN(a_unilateral_guard_on_time_is_reached_from_its_own_side);
  RUN(rules_guards_and_timers_work_together_without_a_state);
  RUN(a_model_of_nothing_at_all_reaches_any_time);
  return check_done();
}
