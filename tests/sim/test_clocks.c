/* Clocks and timers: exact decimals without drift, order at one instant, ticks at both ends, clocks
 * that change nothing, timers that actions set. */
#include <stdint.h>
#include <stdlib.h>

#include "check.h"
#include "sim/clock.h"
#include "support/trace.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static trace run, other;

/* ---- exact decimals ---- */

/* The double nearest to n*period/10^digits, by the C library reading the decimal number. */
static double nearest(int64_t numerator, int digits) {
  char text[64];
  snprintf(text, sizeof text, "%llde-%d", (long long)numerator, digits);
  return strtod(text, NULL);
}

TEST(ten_million_ticks_of_a_tenth_are_the_doubles_nearest_to_them) {
  brink_ticks ticks = brink_ticks_make(0.1, 0.0);
  int64_t wrong = 0;
  for (int64_t n = 0; n <= 10000000; n++) wrong += brink_ticks_time(&ticks, n) != (double)n / 10.0;
  CHECK_INT(wrong, 0);
  for (int64_t n = 0; n <= 10000000; n += 999) /* and (double)n/10 is what it should be */
    wrong += brink_ticks_time(&ticks, n) != nearest(n, 1);
  CHECK_INT(wrong, 0);
}

TEST(ticks_of_any_decimal_period_and_offset_are_the_doubles_nearest_to_them) {
  static const struct {
    double period, offset;
    int64_t p, o;
    int digits;
  } cases[] = {
      {0.3, 0.0, 3, 0, 1},           {0.7, 0.05, 70, 5, 2},
      {1e-3, 0.25, 1, 250, 3},       {0.001234, -3.5, 1234, -3500000, 6},
      {2.5, 1e-9, 2500000000, 1, 9}, {3.0, 0.1, 30, 1, 1},
      {1e-6, 1e3, 1, 1000000000, 6}, {0.30000000000000004, 0.0, 30000000000000004, 0, 17},
  };
  for (size_t k = 0; k < COUNT(cases); k++) {
    brink_ticks ticks = brink_ticks_make(cases[k].period, cases[k].offset);
    CHECK(ticks.exact);
    int64_t n = 0, wrong = 0;
    for (int j = 0; j < 20000; j++) {
      n += 1 + (int64_t)j % 7;
      if (cases[k].p > INT64_MAX / 2 / n) break;
      wrong += brink_ticks_time(&ticks, n) != nearest(cases[k].o + n * cases[k].p, cases[k].digits);
    }
    CHECK_MSG(wrong == 0, "period %.17g, offset %g: %lld ticks are not the nearest doubles",
              cases[k].period, cases[k].offset, (long long)wrong);
  }
}

TEST(three_tenths_and_one_times_three_tenths_are_one_instant) {
  brink_ticks tenth = brink_ticks_make(0.1, 0.0), three = brink_ticks_make(0.3, 0.0);
  CHECK(0.1 * 3.0 != 0.3); /* plain arithmetic does not know */
  for (int64_t n = 0; n < 1000000; n++)
    if (brink_ticks_time(&tenth, 3 * n) != brink_ticks_time(&three, n)) {
      CHECK_MSG(false, "tick %lld", (long long)n);
      break;
    }
}

/* Periods that are no short decimals still tick, in plain arithmetic. */
TEST(ticks_increase_for_odd_periods_too) {
  static const double periods[] = {1.0 / 3.0, 3.14159265358979323846, 1e-300, 5e-324,
                                   1e300,     123456789.123456789};
  for (size_t k = 0; k < COUNT(periods); k++) {
    brink_ticks ticks = brink_ticks_make(periods[k], 0.0);
    double before = brink_ticks_time(&ticks, 0);
    CHECK_NEAR(before, 0.0, 0.0);
    for (int64_t n = 1; n < 1000; n++) {
      double t = brink_ticks_time(&ticks, n);
      CHECK(t > before);
      CHECK_NEAR(t / ((double)n * periods[k]), 1.0, 1e-14);
      before = t;
    }
  }
}

/* ---- in a run ---- */

static int rest_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 1.0;
  return 0;
}
static int decay_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = -x[0];
  return 0;
}

enum { LOG = 4096 };
typedef struct tick_log {
  size_t count;
  struct {
    size_t clock;
    int64_t tick;
    double t, x;
  } at[LOG];
} tick_log;

static int note(size_t clock, int64_t tick, brink_now *now, void *user) {
  tick_log *log = user;
  if (log->count < LOG) {
    log->at[log->count].clock = clock;
    log->at[log->count].tick = tick;
    log->at[log->count].t = now->t;
    log->at[log->count].x = now->x[0];
  }
  log->count++;
  return 0;
}

static const double zero[] = {0.0}, unit[] = {1.0}, one[] = {1.0};

TEST(a_clock_ticks_at_the_start_and_at_the_end) {
  tick_log log = {0};
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "clock", .period = 0.1, .tick = note};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = zero, def.rhs = rest_rhs, def.nclocks = 1, def.clocks = &clock;
  def.user = &log;
  trace_run(&def, NULL, 1.0, &run);
  CHECK_INT(run.status, BRINK_TIME_REACHED);
  CHECK_INT(log.count, 11);
  for (size_t k = 0; k < log.count && k < 11; k++) {
    CHECK(log.at[k].t == nearest((int64_t)k, 1));
    CHECK_INT(log.at[k].tick, k);
  }
}

TEST(a_tick_at_the_end_of_one_call_does_not_come_again_in_the_next) {
  tick_log log = {0};
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "clock", .period = 0.25, .tick = note};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = zero, def.rhs = rest_rhs, def.nclocks = 1, def.clocks = &clock;
  def.user = &log;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, NULL, &sim), BRINK_OK);
  for (int k = 1; k <= 8; k++) CHECK_INT(brink_sim_run(sim, 0.25 * k, NULL), BRINK_TIME_REACHED);
  CHECK_INT(log.count, 9);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* A start later than the offset skips what is past; an offset later than the start waits. */
TEST(a_clock_takes_up_its_grid_wherever_the_run_starts) {
  static const double starts[] = {0.0, 0.35, 12.3, 1000.0, 0.15};
  for (size_t k = 0; k < COUNT(starts); k++) {
    tick_log log = {0};
    brink_clock_def clock = {.size = sizeof(brink_clock_def),
                             .name = "clock",
                             .period = 0.1,
                             .offset = 0.05,
                             .tick = note};
    brink_model_def def = brink_default_model();
    def.t0 = starts[k];
    def.nx = 1, def.x0 = zero, def.rhs = rest_rhs, def.nclocks = 1, def.clocks = &clock;
    def.user = &log;
    trace_run(&def, NULL, starts[k] + 1.01, &run);
    CHECK(log.count == 10 || log.count == 11);
    for (size_t j = 0; j < log.count; j++) {
      CHECK(log.at[j].t >= starts[k]);
      CHECK(log.at[j].t == nearest(5 + 10 * log.at[j].tick, 2));
      if (j > 0) CHECK_INT(log.at[j].tick, log.at[j - 1].tick + 1);
    }
  }
}

/* 0.1 and 0.3: every third tick of the first is one of the second, at the same time. */
TEST(clocks_with_commensurable_decimals_meet) {
  tick_log log = {0};
  brink_clock_def clocks[2] = {
      {.size = sizeof(brink_clock_def), .name = "tenth", .period = 0.1, .tick = note},
      {.size = sizeof(brink_clock_def), .name = "three", .period = 0.3, .tick = note}};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = zero, def.rhs = rest_rhs, def.nclocks = 2, def.clocks = clocks;
  def.user = &log;
  trace_run(&def, NULL, 90.0, &run);
  CHECK_INT(log.count, 901 + 301);
  for (size_t k = 0; k < log.count && k < LOG; k++)
    if (log.at[k].clock == 1)
      CHECK_MSG(k > 0 && log.at[k - 1].clock == 0 && log.at[k - 1].t == log.at[k].t,
                "tick %lld of 0.3 at %.17g is alone", (long long)log.at[k].tick, log.at[k].t);
}

TEST(clocks_at_one_instant_run_by_priority_and_then_in_order) {
  tick_log log = {0};
  brink_clock_def clocks[4] = {
      {.size = sizeof(brink_clock_def), .name = "a", .period = 0.5, .tick = note},
      {.size = sizeof(brink_clock_def), .name = "b", .period = 0.5, .priority = 2, .tick = note},
      {.size = sizeof(brink_clock_def), .name = "c", .period = 1.0, .tick = note},
      {.size = sizeof(brink_clock_def), .name = "d", .period = 0.5, .priority = 2, .tick = note}};
  static const size_t even[] = {1, 3, 0, 2}, odd[] = {1, 3, 0};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = zero, def.rhs = rest_rhs, def.nclocks = 4, def.clocks = clocks;
  def.user = &log;
  trace_run(&def, NULL, 10.0, &run);
  size_t k = 0;
  for (int n = 0; n <= 20; n++)
    for (size_t j = 0; j < (n % 2 == 0 ? COUNT(even) : COUNT(odd)); j++, k++) {
      if (k >= log.count) break;
      CHECK_INT(log.at[k].clock, n % 2 == 0 ? even[j] : odd[j]);
      CHECK_NEAR(log.at[k].t, 0.5 * n, 0.0);
    }
  CHECK_INT(log.count, k);
}

/* Every clock sees what an earlier one of the same instant did. */
static int double_it(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->x[0] *= 2.0;
  return 0;
}
static int add_one(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->x[0] += 1.0;
  return 0;
}
static int constant_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 0.0;
  return 0;
}

TEST(clocks_of_one_instant_see_what_earlier_ones_did) {
  brink_clock_def clocks[2] = {
      {.size = sizeof(brink_clock_def), .name = "double", .period = 1.0, .tick = double_it},
      {.size = sizeof(brink_clock_def),
       .name = "add",
       .period = 1.0,
       .priority = 1,
       .tick = add_one}};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = zero, def.rhs = constant_rhs, def.nclocks = 2, def.clocks = clocks;
  trace_run(&def, NULL, 3.0, &run); /* x <- 2 (x + 1), four times */
  CHECK_NEAR(run.x[0], 30.0, 0.0);
}

/* ---- clocks and the method ---- */

/* The same trajectory as without the clock, at the steps both have, and no restarts. */
TEST(a_clock_that_changes_nothing_does_not_restart_the_method) {
  static const brink_method methods[] = {BRINK_ADAMS, BRINK_DOPRI};
  for (size_t m = 0; m < COUNT(methods); m++) {
    tick_log log = {0};
    brink_clock_def clock = {
        .size = sizeof(brink_clock_def), .name = "idle", .period = 1.0, .tick = note};
    brink_model_def def = brink_default_model();
    def.nx = 1, def.x0 = unit, def.rhs = decay_rhs, def.user = &log;
    brink_options options = brink_default_options();
    options.method = methods[m], options.rtol = 1e-9;
    trace_run(&def, &options, 10.0, &other);
    def.nclocks = 1, def.clocks = &clock;
    trace_run(&def, &options, 10.0, &run);
    CHECK_INT(run.stats.restarts, other.stats.restarts);
    CHECK_INT(run.stats.restarts, 1);
    /* A cut step at each of ten ticks, and what it takes to grow again. */
    CHECK_MSG(run.stats.rhs < 2 * other.stats.rhs + 200, "%lld evaluations instead of %lld",
              (long long)run.stats.rhs, (long long)other.stats.rhs);
    CHECK_NEAR(run.x[0], exp(-10.0), 1e-8);
    for (size_t k = 0; k < log.count; k++) CHECK_NEAR(log.at[k].x, exp(-log.at[k].t), 1e-8);
  }
}

static int rewrite(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->x[0] = now->pre_x[0];
  return 0;
}

TEST(a_clock_that_writes_the_same_value_does_not_restart_the_method_either) {
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "rewrite", .period = 0.5, .tick = rewrite};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = unit, def.rhs = decay_rhs, def.nclocks = 1, def.clocks = &clock;
  trace_run(&def, NULL, 10.0, &run);
  CHECK_INT(run.stats.restarts, 1);
}

static int refill(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->x[0] = 1.0;
  return 0;
}

TEST(a_clock_that_resets_a_state_gives_the_closed_form) {
  static const brink_method methods[] = {BRINK_ADAMS, BRINK_DOPRI};
  for (size_t m = 0; m < COUNT(methods); m++) {
    brink_clock_def clock = {.size = sizeof(brink_clock_def),
                             .name = "refill",
                             .period = 0.3,
                             .offset = 0.1,
                             .tick = refill};
    brink_model_def def = brink_default_model();
    def.nx = 1, def.x0 = unit, def.rhs = decay_rhs, def.nclocks = 1, def.clocks = &clock;
    brink_options options = brink_default_options();
    options.method = methods[m], options.rtol = 1e-9;
    trace_run(&def, &options, 5.05, &run); /* last tick at 4.9 */
    CHECK_NEAR(run.x[0], exp(-0.15), 1e-8);
    CHECK_INT(run.stats.restarts, 18);
  }
}

/* A clock far more frequent than the steps: one step a tick, no more. */
TEST(a_fast_clock_costs_one_step_a_tick) {
  tick_log *log = calloc(1, sizeof *log);
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "fast", .period = 1e-4, .tick = note};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = unit, def.rhs = decay_rhs, def.nclocks = 1, def.clocks = &clock;
  def.user = log;
  trace_run(&def, NULL, 1.0, &run);
  CHECK_INT(log->count, 10001);
  CHECK(run.stats.steps < 10300);
  CHECK_NEAR(run.x[0], exp(-1.0), 1e-6);
  free(log);
}

/* ---- timers ---- */

/* S7: the next time is half the state after the last event away; the state jumps by one. */
static int half_of_x(size_t clock, int64_t tick, brink_now *now, void *user) {
  tick_log *log = user;
  if (log->count < LOG) {
    log->at[log->count].t = now->t;
    log->at[log->count].x = now->x[0];
  }
  log->count++;
  (void)tick;
  now->x[0] += 1.0;
  now->timer[clock] = now->t + 0.5 * now->x[0];
  return 0;
}

TEST(a_timer_set_from_the_state_fires_at_known_times) {
  static const double times[] = {0.5,
                                 1.3032653298563167118018997675,
                                 2.16301907378631517629035947665,
                                 3.02692386107792625251465754947,
                                 3.89107091325267349166469291442,
                                 4.7552318491179356306883615028};
  static const double before[] = {
      0.606530659712633423603799534991, 0.719507487859996928976919418301,
      0.727809574583222152448596145651, 0.728294104349494478300070729899,
      0.728321871730524278047337176759, 0.728323461318185255337989012979};
  static const brink_method methods[] = {BRINK_ADAMS, BRINK_DOPRI};
  for (size_t m = 0; m < COUNT(methods); m++) {
    tick_log log = {0};
    brink_clock_def clock = {
        .size = sizeof(brink_clock_def), .name = "timer", .offset = 0.5, .tick = half_of_x};
    brink_model_def def = brink_default_model();
    def.nx = 1, def.x0 = unit, def.rhs = decay_rhs, def.nclocks = 1, def.clocks = &clock;
    def.user = &log;
    brink_options options = brink_default_options();
    options.method = methods[m], options.rtol = 1e-10, options.atol = 1e-13;
    trace_run(&def, &options, 5.0, &run);
    CHECK_INT(log.count, 6);
    for (size_t k = 0; k < 6 && k < log.count; k++) {
      CHECK_NEAR(log.at[k].t, times[k], 1e-8);
      CHECK_NEAR(log.at[k].x, before[k], 1e-8);
    }
  }
}

/* A guard's action sets a timer; a timer that is off never fires, one in the past fires at once. */
static int arm(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->timer[0] = now->t + 0.25;
  now->timer[1] = now->t - 1.0;
  return 0;
}

TEST(an_event_may_set_timers) {
  tick_log log = {0};
  brink_clock_def clocks[3] = {
      {.size = sizeof(brink_clock_def), .name = "soon", .offset = (double)INFINITY, .tick = note},
      {.size = sizeof(brink_clock_def),
       .name = "at once",
       .offset = (double)INFINITY,
       .tick = note},
      {.size = sizeof(brink_clock_def), .name = "never", .offset = (double)INFINITY, .tick = note}};
  brink_guard_def guard = brink_default_guard("one");
  guard.coefficients = one, guard.offset = -1.0, guard.action = arm;
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = zero, def.rhs = rest_rhs, def.nclocks = 3, def.clocks = clocks;
  def.nguards = 1, def.guards = &guard, def.user = &log;
  trace_run(&def, NULL, 2.0, &run);
  CHECK_INT(log.count, 2);
  if (log.count < 2) return;
  CHECK_INT(log.at[0].clock, 1);
  CHECK_NEAR(log.at[0].t, 1.0, 1e-12);
  CHECK_INT(log.at[1].clock, 0);
  CHECK_NEAR(log.at[1].t, 1.25, 1e-12);
}

static int again(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)tick, (void)user;
  now->timer[clock] = now->t;
  return 0;
}

TEST(a_timer_that_is_set_to_the_present_for_ever_ends_the_run_and_is_named) {
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "impatient", .offset = 0.5, .tick = again};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = zero, def.rhs = rest_rhs, def.nclocks = 1, def.clocks = &clock;
  trace_run(&def, NULL, 1.0, &run);
  CHECK_INT(run.status, BRINK_ERR_LOOP);
  CHECK_CONTAINS(run.diag.message, "'impatient'");
}

/* ---- clocks and events ---- */

/* At t = 1 a guard and a clock are due: the event comes first. */
static int event_marks(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] = 10.0 * now->x[1] + 1.0;
  return 0;
}
static int tick_marks(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->x[1] = 10.0 * now->x[1] + 2.0;
  return 0;
}
static int marked_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 1.0, dx[1] = 0.0;
  return 0;
}

TEST(events_come_before_clocks_at_the_same_instant) {
  static const double start[] = {0.0, 0.0};
  static const size_t first[] = {0};
  static const brink_method methods[] = {BRINK_ADAMS, BRINK_DOPRI, BRINK_RK4};
  static const brink_side sides[] = {BRINK_BILATERAL, BRINK_UNILATERAL, BRINK_CROSSING};
  for (size_t m = 0; m < COUNT(methods); m++)
    for (size_t s = 0; s < COUNT(sides); s++) {
      brink_clock_def clock = {.size = sizeof(brink_clock_def),
                               .name = "clock",
                               .period = 1.0,
                               .offset = 1.0,
                               .tick = tick_marks};
      brink_guard_def guard = brink_default_guard("one");
      guard.depends = first, guard.ndepends = 1, guard.coefficients = one, guard.offset = -1.0;
      guard.side = sides[s], guard.action = event_marks;
      brink_model_def def = brink_default_model();
      def.nx = 2, def.x0 = start, def.rhs = marked_rhs, def.nclocks = 1, def.clocks = &clock;
      def.nguards = 1, def.guards = &guard;
      brink_options options = brink_default_options();
      options.method = methods[m], options.step = m > 1 ? 0.25 : 0.0;
      trace_run(&def, &options, 1.5, &run);
      CHECK_INT(run.nevents, 1);
      /* just past the surface may be just past the tick */
      bool later = sides[s] == BRINK_CROSSING && run.nevents > 0 && run.events[0].event.t > 1.0;
      CHECK_MSG(run.x[1] == (later ? 21.0 : 12.0), "%s, side %d: marks %g (%s)",
                brink_method_name(methods[m]), (int)sides[s], run.x[1], run.diag.message);
    }
}

/* A tick carries a guard across zero: an event of that instant. */
TEST(a_jump_by_a_clock_is_an_event) {
  static const double start[] = {0.0, 0.0};
  static const size_t second[] = {1};
  brink_clock_def clock = {.size = sizeof(brink_clock_def),
                           .name = "clock",
                           .period = 1.0,
                           .offset = 1.0,
                           .tick = tick_marks};
  brink_guard_def guard = brink_default_guard("above 1");
  guard.depends = second, guard.ndepends = 1, guard.coefficients = one, guard.offset = -1.0;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = start, def.rhs = marked_rhs, def.nclocks = 1, def.clocks = &clock;
  def.nguards = 1, def.guards = &guard;
  trace_run(&def, NULL, 1.5, &run);
  CHECK_INT(run.nevents, 1);
  if (run.nevents == 0) return;
  CHECK_NEAR(run.events[0].event.t, 1.0, 0.0);
  CHECK_INT(run.events[0].event.kind, BRINK_JUMPED);
  CHECK_INT(run.events[0].event.direction, BRINK_POSITIVE);
}

static int stop_third(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)now, (void)user;
  return tick == 3 ? BRINK_STOPPED : 0;
}
static int fail_third(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)now, (void)user;
  return tick == 3 ? -1 : 0;
}

TEST(a_tick_may_stop_or_fail_the_run) {
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "clock", .period = 0.2, .tick = stop_third};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = zero, def.rhs = rest_rhs, def.nclocks = 1, def.clocks = &clock;
  trace_run(&def, NULL, 2.0, &run);
  CHECK_INT(run.status, BRINK_STOPPED);
  CHECK_NEAR(run.t, 0.6, 0.0);
  clock.tick = fail_third;
  trace_run(&def, NULL, 2.0, &run);
  CHECK_INT(run.status, BRINK_ERR_CALLBACK);
  CHECK_NEAR(run.diag.t, 0.6, 0.0);
  CHECK_CONTAINS(run.diag.message, "'clock'");
}

int main(void) {
  RUN(ten_million_ticks_of_a_tenth_are_the_doubles_nearest_to_them);
  RUN(ticks_of_any_decimal_period_and_offset_are_the_doubles_nearest_to_them);
  RUN(three_tenths_and_one_times_three_tenths_are_one_instant);
  RUN(ticks_increase_for_odd_periods_too);
  RUN(a_clock_ticks_at_the_start_and_at_the_end);
  RUN(a_tick_at_the_end_of_one_call_does_not_come_again_in_the_next);
  RUN(a_clock_takes_up_its_grid_wherever_the_run_starts);
  RUN(clocks_with_commensurable_decimals_meet);
  RUN(clocks_at_one_instant_run_by_priority_and_then_in_order);
  RUN(clocks_of_one_instant_see_what_earlier_ones_did);
  RUN(a_clock_that_changes_nothing_does_not_restart_the_method);
  RUN(a_clock_that_writes_the_same_value_does_not_restart_the_method_either);
  RUN(a_clock_that_resets_a_state_gives_the_closed_form);
  RUN(a_fast_clock_costs_one_step_a_tick);
  RUN(a_timer_set_from_the_state_fires_at_known_times);
  RUN(an_event_may_set_timers);
  RUN(a_timer_that_is_set_to_the_present_for_ever_ends_the_run_and_is_named);
  RUN(events_come_before_clocks_at_the_same_instant);
  RUN(a_jump_by_a_clock_is_an_event);
  RUN(a_tick_may_stop_or_fail_the_run);
  return check_done();
}
