/* Many guards, clocks and events: the work grows with their number, not with its square. Work is counted,
 * not timed. */
#include <stdlib.h>

#include "check.h"
#include "support/counting.h"
#include "support/trace.h"

static trace run;

enum { MANY = 2000 };
static const double one[] = {1.0}, minus_one[] = {-1.0};
static size_t index_of[MANY];
static double x0[MANY];
static brink_guard_def guards[2 * MANY];

static void reset(void) {
  for (size_t k = 0; k < MANY; k++) index_of[k] = k, x0[k] = 1.0;
}

static brink_guard_def guard_at(size_t state, const double *slope, double offset) {
  brink_guard_def guard = brink_default_guard("guard");
  guard.depends = &index_of[state], guard.ndepends = 1;
  guard.coefficients = slope, guard.offset = offset;
  return guard;
}

static int decay(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  for (size_t k = 0; k < MANY; k++) dx[k] = -x[k] * (1.0 + (double)k / MANY);
  return 0;
}

/* ---- ranges ---- */

TEST(guards_that_are_far_are_not_looked_at) {
  reset();
  for (size_t k = 0; k < 2 * MANY; k++) {
    guards[k] = guard_at(k / 2, k % 2 == 0 ? one : minus_one, 100.0);
    guards[k].direction = BRINK_NEGATIVE;
  }
  brink_model_def def = brink_default_model();
  def.nx = MANY, def.x0 = x0, def.rhs = decay, def.nguards = 2 * MANY, def.guards = guards;
  for (int e = 0; e < 2; e++) {
    brink_options options = brink_default_options();
    options.events = e == 0 ? BRINK_EXTRAPOLATE : BRINK_INTERPOLATE;
    trace_run(&def, &options, 5.0, &run);
    CHECK_INT(run.status, BRINK_TIME_REACHED);
    CHECK(run.nsteps > 30);
    CHECK_MSG(run.stats.guards <= 5 * 2 * MANY, "%lld looks at %d guards in %zu steps",
              (long long)run.stats.guards, 2 * MANY, run.nsteps);
  }
}

/* ---- events ---- */

TEST(many_events_in_one_step_are_found_together) {
  reset();
  for (size_t k = 0; k < MANY; k++) guards[k] = guard_at(0, one, -0.3 - 0.3 * (double)k / MANY);
  brink_model_def def = brink_default_model();
  def.nx = MANY, def.x0 = x0, def.rhs = decay, def.nguards = MANY, def.guards = guards;
  trace_run(&def, NULL, 3.0, &run);
  CHECK_INT(run.status, BRINK_TIME_REACHED);
  CHECK_INT(run.stats.events, MANY);
  CHECK_INT(run.stats.restarts, 1);
  for (size_t k = 0; k < TRACE_EVENTS; k++) {
    const brink_event *event = &run.events[k].event;
    CHECK_INT(event->guard, MANY - 1 - k); /* the highest level first */
    CHECK_NEAR(event->t, -log(0.3 + 0.3 * (double)event->guard / MANY), 1e-5);
  }
  CHECK_MSG(run.stats.guards <= 100 * MANY, "%lld looks", (long long)run.stats.guards);
  CHECK_MSG(run.stats.rhs <= 8 * MANY, "%lld fields", (long long)run.stats.rhs);
}

TEST(many_events_at_one_instant_share_a_field) {
  reset();
  for (size_t k = 0; k < MANY; k++) {
    guards[k] = guard_at(0, one, -0.5);
    guards[k].priority = (int)(k * 7919 % 100);
  }
  brink_model_def def = brink_default_model();
  def.nx = MANY, def.x0 = x0, def.rhs = decay, def.nguards = MANY, def.guards = guards;
  trace_run(&def, NULL, 2.0, &run);
  CHECK_INT(run.status, BRINK_TIME_REACHED);
  CHECK_INT(run.stats.events, MANY);
  CHECK_MSG(run.stats.rhs <= 200, "%lld fields", (long long)run.stats.rhs);
  for (size_t k = 1; k < TRACE_EVENTS; k++) {
    size_t a = run.events[k - 1].event.guard, b = run.events[k].event.guard;
    int pa = guards[a].priority, pb = guards[b].priority;
    CHECK(pa > pb || (pa == pb && a < b));
  }
}

/* Four guards on one surface, three of which enter the field by products of signs, one of them with that
 * of a fifth guard, which keeps its own: x[1] falls by 1 up to the surface and rises at 3 from there. */
static int product(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = 1.0;
  dx[1] = env->sgn[0] * env->sgn[2] + 2.0 * env->sgn[3] * env->sgn[4];
  return 0;
}

TEST(a_field_that_reads_some_of_the_signs_is_not_shared) {
  reset();
  static const double start[] = {-1.0, 0.0};
  for (size_t k = 0; k < 4; k++) guards[k] = guard_at(0, one, 0.0);
  guards[4] = guard_at(0, one, 3.0);
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = start, def.rhs = product, def.nguards = 5, def.guards = guards;
  trace_run(&def, NULL, 2.0, &run);
  CHECK_INT(run.status, BRINK_TIME_REACHED);
  CHECK_INT(run.nevents, 4);
  CHECK_NEAR(run.x[1], (1.0 - 2.0) + (1.0 + 2.0), 1e-9);
}

/* ---- formulas, and guards that depend on everything ---- */

static void *take_counted(size_t size, void *user) {
  *(size_t *)user += size;
  return malloc(size);
}
static void give_back(void *memory, size_t size, void *user) {
  (void)size, (void)user;
  free(memory);
}
static int first_state(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = x[0] - 0.5;
  return 0;
}

TEST(memory_grows_with_the_number_of_formulas_and_guards) {
  static int formulas[MANY][3];
  reset();
  for (size_t k = 0; k < MANY; k++) {
    guards[k] = guard_at(k, one, 1.0);
    guards[k].side = BRINK_LEAF;
    guards[MANY + k] = brink_default_guard("formula");
    guards[MANY + k].formula = formulas[k], guards[MANY + k].formula_length = 3;
    formulas[k][0] = (int)k, formulas[k][1] = (int)((k + 1) % MANY), formulas[k][2] = BRINK_AND;
    if (k < 100) guards[MANY + k] = brink_default_guard("value"); /* depends on all states */
    if (k < 100) guards[MANY + k].value = first_state;
  }
  brink_model_def def = brink_default_model();
  def.nx = MANY, def.x0 = x0, def.rhs = decay, def.nguards = 2 * MANY, def.guards = guards;
  size_t taken = 0;
  brink_allocator allocator = {.allocate = take_counted, .release = give_back, .user = &taken};
  brink_model *model;
  brink_sim *sim;
  CHECK_INT(brink_model_create(&def, &allocator, NULL, &model), BRINK_OK);
  CHECK_MSG(taken <= (size_t)MANY * 4096, "%zu bytes", taken);
  CHECK_INT(brink_sim_create(model, NULL, &allocator, NULL, &sim), BRINK_OK);
  CHECK_MSG(taken <= (size_t)MANY * 8192, "%zu bytes", taken);
  CHECK_INT(brink_sim_run(sim, 1.0, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_stats(sim)->events, 100);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* ---- clocks ---- */

enum { CLOCKS = 300, TICKS = 20000 };
static struct {
  double t;
  size_t clock;
} ticks[TICKS];
static size_t nticks;
static brink_clock_def clocks[CLOCKS];

static int note_tick(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)tick, (void)user;
  if (nticks < TICKS) ticks[nticks].t = now->t, ticks[nticks].clock = clock;
  nticks++;
  if (clocks[clock].period == 0.0) now->timer[clock] = now->t + 0.25 * (double)(1 + clock % 3);
  return 0;
}

/* Doubles for each state: 17 vectors of the method (Adams: 14 differences), 15 for the dense output of the last step, and some
 * 36 single ones: 68. A million states are half a gigabyte of addresses. */
TEST(a_state_takes_a_limited_number_of_vectors) {
  reset();
  brink_model_def def = brink_default_model();
  def.nx = MANY, def.x0 = x0, def.rhs = decay;
  brink_model *model = NULL;
  brink_diag diag;
  CHECK_INT(brink_model_create(&def, NULL, &diag, &model), BRINK_OK);
  static const brink_method methods[] = {BRINK_ADAMS, BRINK_DOPRI};
  for (size_t k = 0; k < 2; k++) {
    counting memory = {0};
    brink_allocator allocator = counting_allocator(&memory);
    brink_options options = brink_default_options();
    brink_sim *sim = NULL;
    options.method = methods[k];
    CHECK_INT(brink_sim_create(model, &options, &allocator, &diag, &sim), BRINK_OK);
    double vectors = (double)memory.bytes / (MANY * sizeof(double));
    CHECK_MSG(vectors < 75.0, "method %zu: %g", k, vectors);
    brink_sim_destroy(sim);
  }
  brink_model_destroy(model);
}

TEST(what_a_simulation_needs_is_told_where_it_is_not_there) {
  reset();
  brink_model_def def = brink_default_model();
  def.name = "Decay", def.nx = MANY, def.x0 = x0, def.rhs = decay;
  brink_model *model = NULL;
  brink_diag diag;
  CHECK_INT(brink_model_create(&def, NULL, &diag, &model), BRINK_OK);
  counting memory = {.fail_at = 30, .fail_on = true};
  brink_allocator allocator = counting_allocator(&memory);
  brink_sim *sim = NULL;
  CHECK_INT(brink_sim_create(model, NULL, &allocator, &diag, &sim), BRINK_ERR_MEMORY);
  CHECK_CONTAINS(diag.message, "out of memory for a simulation of 'Decay' with 2000 states");
  CHECK_INT(memory.live, 0);
  brink_model_destroy(model);
}

TEST(clocks_tick_in_order_of_time_priority_and_declaration) {
  static const double periods[] = {0.1, 0.25, 0.3, 0.5, 0.7, 0.0};
  size_t expected = 0;
  for (size_t k = 0; k < CLOCKS; k++) {
    double period = periods[k * 31 % 6];
    clocks[k] = (brink_clock_def){.size = sizeof(brink_clock_def),
                                  .name = "clock",
                                  .period = period,
                                  .offset = period == 0.0 ? 0.5 : 0.05 * (double)(k % 5),
                                  .priority = (int)(k * 17 % 4),
                                  .tick = note_tick};
  }
  brink_model_def def = brink_default_model();
  def.nclocks = CLOCKS, def.clocks = clocks;
  nticks = 0;
  trace_run(&def, NULL, 5.0, &run);
  CHECK_INT(run.status, BRINK_TIME_REACHED);
  for (size_t k = 0; k < CLOCKS; k++) {
    double period = clocks[k].period == 0.0 ? 0.25 * (double)(1 + k % 3) : clocks[k].period;
    expected += (size_t)floor((5.0 - clocks[k].offset) / period + 1e-9) + 1;
  }
  CHECK_INT(nticks, expected);
  for (size_t k = 1; k < nticks && k < TICKS; k++) {
    size_t a = ticks[k - 1].clock, b = ticks[k].clock;
    bool urgent = clocks[a].priority > clocks[b].priority ||
                  (clocks[a].priority == clocks[b].priority && a < b);
    CHECK_MSG(ticks[k - 1].t < ticks[k].t || (ticks[k - 1].t == ticks[k].t && urgent),
              "tick %zu: clock %zu at %.17g, then %zu at %.17g", k, a, ticks[k - 1].t, b,
              ticks[k].t);
  }
}

static int bad_tick(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)tick, (void)user;
  if (clock == 1) now->x[0] = NAN;
  return 0;
}

TEST(a_state_that_one_of_many_clocks_spoils_is_told) {
  reset();
  for (size_t k = 0; k < 3; k++)
    clocks[k] = (brink_clock_def){.size = sizeof(brink_clock_def),
                                  .name = k == 1 ? "bad" : "good",
                                  .period = 1.0,
                                  .tick = bad_tick};
  brink_model_def def = brink_default_model();
  def.nx = MANY, def.x0 = x0, def.rhs = decay, def.nclocks = 3, def.clocks = clocks;
  trace_run(&def, NULL, 2.0, &run);
  CHECK_INT(run.status, BRINK_ERR_CALLBACK);
  CHECK_INT(run.diag.state, 0);
  CHECK_CONTAINS(run.diag.message, "one of the clocks");
}

int main(void) {
  RUN(guards_that_are_far_are_not_looked_at);
  RUN(many_events_in_one_step_are_found_together);
  RUN(many_events_at_one_instant_share_a_field);
  RUN(a_field_that_reads_some_of_the_signs_is_not_shared);
  RUN(memory_grows_with_the_number_of_formulas_and_guards);
  RUN(a_state_takes_a_limited_number_of_vectors);
  RUN(what_a_simulation_needs_is_told_where_it_is_not_there);
  RUN(clocks_tick_in_order_of_time_priority_and_declaration);
  RUN(a_state_that_one_of_many_clocks_spoils_is_told);
  return check_done();
}
