/* How a run is driven: by steps, by events, by output times; dense output, changes in between, and
 * the ways to stop it. */
#include "check.h"
#include "support/trace.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static trace run;

static const brink_side sides[] = {BRINK_BILATERAL, BRINK_UNILATERAL, BRINK_CROSSING};
static const size_t first[] = {0};

static brink_options options_for(brink_method method, brink_events events, double rtol) {
  brink_options options = brink_default_options();
  options.method = method;
  options.events = events;
  options.rtol = rtol;
  options.atol = 1e-3 * rtol;
  return options;
}

/* A guard on one state: x[index] + offset. */
static brink_guard_def guard_on(const char *name, const size_t *index, double offset,
                                brink_action_fn *action) {
  static const double one[] = {1.0};
  brink_guard_def guard = brink_default_guard(name);
  guard.depends = index, guard.ndepends = 1, guard.coefficients = one;
  guard.offset = offset, guard.action = action;
  return guard;
}

static int unit_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 1.0;
  return 0;
}
static int decay_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = -env->p[0] * x[0];
  return 0;
}

typedef struct driven {
  brink_model *model;
  brink_sim *sim;
} driven;

/* x' = -p x from 1, reset to 1 where it falls to 1/2. */
static int refill(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = 1.0;
  return 0;
}
static driven drive(double rtol) {
  static const double x0[] = {1.0}, p0[] = {1.0};
  brink_guard_def guard = guard_on("half", first, -0.5, refill);
  guard.direction = BRINK_NEGATIVE;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.np = 1, def.p0 = p0, def.nmodes = 1, def.rhs = decay_rhs;
  def.nguards = 1, def.guards = &guard;
  driven d = {0};
  brink_options options = options_for(BRINK_ADAMS, BRINK_EXTRAPOLATE, rtol);
  CHECK_INT(brink_model_create(&def, NULL, NULL, &d.model), BRINK_OK);
  CHECK_INT(brink_sim_create(d.model, &options, NULL, NULL, &d.sim), BRINK_OK);
  return d;
}
static void park(driven d) {
  brink_sim_destroy(d.sim);
  brink_model_destroy(d.model);
}

/* The solution between resets. */
static double saw(double t) {
  double period = log(2.0);
  return exp(-(t - period * floor(t / period)));
}

TEST(advance_moves_by_steps_and_events_and_ends_at_the_limit) {
  driven d = drive(1e-9);
  size_t events = 0, steps = 0;
  brink_status status;
  double before = 0.0;
  while ((status = brink_sim_advance(d.sim, 3.0, NULL)) == BRINK_STEPPED || status == BRINK_EVENT) {
    double t = brink_sim_time(d.sim);
    CHECK(t > before && t <= 3.0);
    before = t;
    if (status == BRINK_EVENT) {
      events++;
      CHECK_NEAR(t, (double)events * log(2.0), 1e-7);
      CHECK_NEAR(brink_sim_state(d.sim)[0], 1.0, 0.0); /* after the reset */
      size_t count;
      const brink_event *list = brink_sim_events(d.sim, &count);
      CHECK_INT(count, 1);
      CHECK(strcmp(list[0].name, "half") == 0 && list[0].t == t);
    } else {
      steps++;
    }
  }
  CHECK_INT(status, BRINK_TIME_REACHED);
  CHECK_INT(events, 4);
  CHECK(steps > 4);
  CHECK_NEAR(brink_sim_time(d.sim), 3.0, 0.0);
  CHECK_NEAR(brink_sim_state(d.sim)[0], saw(3.0), 1e-7);
  CHECK_INT(brink_sim_advance(d.sim, 3.0, NULL), BRINK_TIME_REACHED);
  park(d);
}

TEST(next_event_goes_from_event_to_event_and_then_to_the_limit) {
  driven d = drive(1e-9);
  for (int k = 1; k <= 4; k++) {
    CHECK_INT(brink_sim_next_event(d.sim, 3.0, NULL), BRINK_EVENT);
    CHECK_NEAR(brink_sim_time(d.sim), k * log(2.0), 1e-7);
  }
  CHECK_INT(brink_sim_next_event(d.sim, 3.0, NULL), BRINK_TIME_REACHED);
  CHECK_NEAR(brink_sim_time(d.sim), 3.0, 0.0);
  park(d);
}

TEST(samples_agree_with_the_closed_form_and_hold_values_after_an_event) {
  driven d = drive(1e-9);
  enum { SAMPLES = 301 };
  double times[SAMPLES], out[SAMPLES];
  for (int k = 0; k < SAMPLES; k++) times[k] = 0.01 * k;
  size_t done = 0;
  CHECK_INT(brink_sim_sample(d.sim, times, SAMPLES, out, &done, NULL), BRINK_TIME_REACHED);
  CHECK_INT(done, SAMPLES);
  for (int k = 0; k < SAMPLES; k++) CHECK_NEAR(out[k], saw(times[k]), 1e-7);
  park(d);
  /* A sample at the very time of an event, as a first run found it. */
  d = drive(1e-9);
  CHECK_INT(brink_sim_next_event(d.sim, 3.0, NULL), BRINK_EVENT);
  double at[] = {0.5 * brink_sim_time(d.sim), brink_sim_time(d.sim), 1.0}, x[3];
  park(d);
  d = drive(1e-9);
  CHECK_INT(brink_sim_sample(d.sim, at, 3, x, &done, NULL), BRINK_TIME_REACHED);
  CHECK_NEAR(x[1], 1.0, 1e-8);
  park(d);
}

TEST(dense_output_inside_the_last_step_agrees_with_the_closed_form) {
  driven d = drive(1e-9);
  double start = 0.0;
  while (brink_sim_time(d.sim) < 2.5) {
    double value;
    start = brink_sim_time(d.sim);
    brink_status status = brink_sim_advance(d.sim, 3.0, NULL);
    double end = brink_sim_time(d.sim);
    for (int k = 0; k <= 10; k++) {
      double t = start + (end - start) * k / 10.0;
      CHECK_INT(brink_sim_at(d.sim, t, &value, NULL), BRINK_OK);
      if (k < 10 || status == BRINK_STEPPED) CHECK_NEAR(value, saw(t), 1e-7);
      if (k == 10 && status == BRINK_EVENT) CHECK_NEAR(value, 1.0, 0.0);
    }
  }
  brink_diag diag;
  double value;
  CHECK_INT(brink_sim_at(d.sim, start - 0.1, &value, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "outside the last step");
  CHECK_INT(brink_sim_at(d.sim, 9.0, &value, &diag), BRINK_ERR_ARGUMENT);
  park(d);
}

TEST(states_parameters_and_modes_may_be_changed_in_between) {
  driven d = drive(1e-9);
  double x = 0.9;
  CHECK_INT(brink_sim_run(d.sim, 0.3, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_set_state(d.sim, &x, NULL), BRINK_OK);
  CHECK_INT(brink_sim_run(d.sim, 0.5, NULL), BRINK_TIME_REACHED);
  CHECK_NEAR(brink_sim_state(d.sim)[0], 0.9 * exp(-0.2), 1e-8);
  CHECK_INT(brink_sim_set_parameter(d.sim, 0, 2.0, NULL), BRINK_OK);
  CHECK_NEAR(brink_sim_parameters(d.sim)[0], 2.0, 0.0);
  /* falls to 1/2 at rate 2 */
  double fall = log(0.9 * exp(-0.2) / 0.5) / 2.0;
  CHECK_INT(brink_sim_next_event(d.sim, 3.0, NULL), BRINK_EVENT);
  CHECK_NEAR(brink_sim_time(d.sim), 0.5 + fall, 1e-7);
  CHECK_INT(brink_sim_set_mode(d.sim, 0, 7, NULL), BRINK_OK);
  CHECK_INT(brink_sim_modes(d.sim)[0], 7);
  /* below the surface: the guard takes its sign anew, and that is no event */
  x = 0.4;
  CHECK_INT(brink_sim_set_state(d.sim, &x, NULL), BRINK_OK);
  long long events = (long long)brink_sim_stats(d.sim)->events;
  CHECK_INT(brink_sim_run(d.sim, 3.0, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_stats(d.sim)->events, events);
  CHECK_NEAR(brink_sim_state(d.sim)[0], 0.4 * exp(-2.0 * (3.0 - 0.5 - fall)), 1e-7);
  park(d);
}

TEST(time_does_not_run_backwards_and_the_refusal_says_why) {
  driven d = drive(1e-6);
  brink_diag diag;
  CHECK_INT(brink_sim_run(d.sim, 1.0, &diag), BRINK_TIME_REACHED);
  double x = brink_sim_state(d.sim)[0];
  CHECK_INT(brink_sim_run(d.sim, 0.5, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "forwards");
  CHECK_INT(brink_sim_advance(d.sim, 0.5, &diag), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_sim_next_event(d.sim, 0.5, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_sim_run(d.sim, (double)NAN, &diag), BRINK_ERR_ARGUMENT);
  CHECK_NEAR(brink_sim_time(d.sim), 1.0, 0.0);
  CHECK_NEAR(brink_sim_state(d.sim)[0], x, 0.0);
  CHECK_INT(brink_sim_run(d.sim, 1.0, &diag), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_run(d.sim, 2.0, &diag), BRINK_TIME_REACHED);
  park(d);
}

/* ---- the ways a run can be stopped ---- */

static int stop_step(const brink_step_record *record, void *user) {
  (void)user;
  return record->t1 > 0.1;
}
static int stop_event(const brink_event_record *record, void *user) {
  (void)record, (void)user;
  return 1;
}

TEST(a_sink_may_stop_the_run) {
  driven d = drive(1e-6);
  brink_sink sink = {.step = stop_step};
  brink_sim_set_sink(d.sim, &sink);
  CHECK_INT(brink_sim_run(d.sim, 3.0, NULL), BRINK_STOPPED);
  CHECK(brink_sim_time(d.sim) > 0.1 && brink_sim_time(d.sim) < 0.8);
  sink = (brink_sink){.event = stop_event};
  brink_sim_set_sink(d.sim, &sink);
  CHECK_INT(brink_sim_run(d.sim, 3.0, NULL), BRINK_STOPPED);
  CHECK_NEAR(brink_sim_time(d.sim), log(2.0), 1e-4);
  CHECK_NEAR(brink_sim_state(d.sim)[0], 1.0, 0.0);
  brink_sim_set_sink(d.sim, NULL);
  CHECK_INT(brink_sim_run(d.sim, 3.0, NULL), BRINK_TIME_REACHED); /* and go on */
  CHECK_NEAR(brink_sim_state(d.sim)[0], saw(3.0), 1e-4);
  CHECK_INT(brink_sim_stats(d.sim)->events, 4);
  park(d);
}

static int stop_with_reset(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = 7.0;
  return BRINK_STOPPED;
}

TEST(an_action_may_stop_the_run_and_its_changes_hold) {
  static const double x0[] = {0.0};
  for (size_t s = 0; s < COUNT(sides); s++) {
    brink_guard_def guard = guard_on("g", first, -1.0, stop_with_reset);
    guard.side = sides[s];
    brink_model_def def = brink_default_model();
    def.nx = 1, def.x0 = x0, def.rhs = unit_rhs, def.nguards = 1, def.guards = &guard;
    trace_run(&def, NULL, 2.0, &run);
    CHECK_INT(run.status, BRINK_STOPPED);
    CHECK_NEAR(run.t, 1.0, 1e-5);
    CHECK_NEAR(run.x[0], 7.0, 0.0);
    CHECK_INT(run.nevents, 1);
  }
}

TEST(a_step_limit_ends_a_call_and_the_next_goes_on) {
  driven d = drive(1e-9);
  park(d);
  static const double x0[] = {1.0}, p0[] = {1.0};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.np = 1, def.p0 = p0, def.rhs = decay_rhs;
  brink_options options = brink_default_options();
  options.max_steps = 5;
  brink_diag diag;
  CHECK_INT(brink_model_create(&def, NULL, NULL, &d.model), BRINK_OK);
  CHECK_INT(brink_sim_create(d.model, &options, NULL, NULL, &d.sim), BRINK_OK);
  CHECK_INT(brink_sim_run(d.sim, 5.0, &diag), BRINK_ERR_WORK);
  CHECK_CONTAINS(diag.message, "max_steps");
  CHECK(brink_sim_stats(d.sim)->steps >= 5 && brink_sim_stats(d.sim)->steps <= 6);
  brink_status status;
  int calls = 0;
  while ((status = brink_sim_run(d.sim, 5.0, &diag)) == BRINK_ERR_WORK && calls < 100) calls++;
  CHECK_INT(status, BRINK_TIME_REACHED);
  CHECK_NEAR(brink_sim_state(d.sim)[0], exp(-5.0), 1e-6);
  park(d);
}

TEST(a_step_limit_holds_for_next_event_and_sampling_too) {
  static const double x0[] = {1.0}, p0[] = {1.0};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.np = 1, def.p0 = p0, def.rhs = decay_rhs;
  brink_options options = brink_default_options();
  options.max_steps = 5;
  driven d = {0};
  CHECK_INT(brink_model_create(&def, NULL, NULL, &d.model), BRINK_OK);
  CHECK_INT(brink_sim_create(d.model, &options, NULL, NULL, &d.sim), BRINK_OK);
  brink_diag diag;
  CHECK_INT(brink_sim_next_event(d.sim, 50.0, &diag), BRINK_ERR_WORK);
  CHECK_INT(diag.status, BRINK_ERR_WORK);
  CHECK(brink_sim_time(d.sim) > 0.0 && brink_sim_time(d.sim) < 50.0);
  double times[] = {brink_sim_time(d.sim), 50.0}, out[2] = {0.0, -1.0};
  size_t done = 0;
  CHECK_INT(brink_sim_sample(d.sim, times, 2, out, &done, &diag), BRINK_ERR_WORK);
  CHECK(done <= 1);
  CHECK_NEAR(out[1], -1.0, 0.0); /* not reached, not written */
  park(d);
}

static int stop_miss(const brink_near_miss *record, void *user) {
  double *t = user;
  *t = record->t;
  return 1;
}
static int parabola_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1], dx[1] = -2.0;
  return 0;
}

TEST(a_sink_may_stop_the_run_at_a_near_miss) {
  static const double x0[] = {0.0, 2.0}; /* 1 - (t - 1)^2 */
  brink_guard_def guard = guard_on("ceiling", first, -1.00001, NULL);
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = parabola_rhs, def.nguards = 1, def.guards = &guard;
  driven d = {0};
  double seen = 0.0;
  brink_sink sink = {.near_miss = stop_miss, .user = &seen};
  CHECK_INT(brink_model_create(&def, NULL, NULL, &d.model), BRINK_OK);
  CHECK_INT(brink_sim_create(d.model, NULL, NULL, NULL, &d.sim), BRINK_OK);
  brink_sim_set_sink(d.sim, &sink);
  CHECK_INT(brink_sim_run(d.sim, 1.9, NULL), BRINK_STOPPED);
  CHECK_NEAR(seen, 1.0, 1e-3);
  CHECK(brink_sim_time(d.sim) >= seen);
  CHECK_INT(brink_sim_run(d.sim, 1.9, NULL), BRINK_TIME_REACHED);
  park(d);
}

int main(void) {
  RUN(advance_moves_by_steps_and_events_and_ends_at_the_limit);
  RUN(next_event_goes_from_event_to_event_and_then_to_the_limit);
  RUN(samples_agree_with_the_closed_form_and_hold_values_after_an_event);
  RUN(dense_output_inside_the_last_step_agrees_with_the_closed_form);
  RUN(states_parameters_and_modes_may_be_changed_in_between);
  RUN(time_does_not_run_backwards_and_the_refusal_says_why);
  RUN(a_sink_may_stop_the_run);
  RUN(an_action_may_stop_the_run_and_its_changes_hold);
  RUN(a_step_limit_ends_a_call_and_the_next_goes_on);
  RUN(a_step_limit_holds_for_next_event_and_sampling_too);
  RUN(a_sink_may_stop_the_run_at_a_near_miss);
  return check_done();
}
