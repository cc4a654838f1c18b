/* A history gives back what the simulation was, at any time of it, and the simulation is none the wiser. */
#include <brink/history.h>
#include <stdlib.h>

#include "check.h"
#include "problems/problems.h"
#include "support/counting.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static brink_model *model_of(const brink_model_def *def) {
  brink_model *model = NULL;
  brink_diag diag;
  brink_model_create(def, NULL, &diag, &model);
  CHECK_MSG(model != NULL, "%s: %s", def->name, diag.message);
  return model;
}

static brink_sim *sim_of(const brink_model *model, const brink_options *options) {
  brink_sim *sim = NULL;
  brink_diag diag;
  brink_sim_create(model, options, NULL, &diag, &sim);
  CHECK_MSG(sim != NULL, "%s", diag.message);
  return sim;
}

static brink_history *history_of(brink_sim *sim) {
  brink_history *history = NULL;
  brink_diag diag;
  brink_history_create(sim, NULL, NULL, &diag, &history);
  CHECK_MSG(history != NULL, "%s", diag.message);
  return history;
}

static double one(const brink_history *history, size_t nx, double t, size_t i) {
  double *x = calloc(nx, sizeof *x);
  brink_diag diag;
  brink_status status = brink_history_at(history, &t, 1, x, &diag);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  double value = x[i];
  free(x);
  return value;
}

/* ---- against brink_sim_at, bit by bit, for every problem and method ---- */

enum { CALLS = 300, INSIDE = 3 };

/* What brink_sim_at gave on the way, and the states where the run went on from. */
typedef struct notes {
  size_t nx, count, capacity;
  double *t, *x;
} notes;

static double *note(notes *n, double t) {
  if (n->count == n->capacity) {
    n->capacity = n->capacity == 0 ? 64 : 2 * n->capacity;
    n->t = realloc(n->t, n->capacity * sizeof *n->t);
    n->x = realloc(n->x, n->capacity * n->nx * sizeof *n->x + 1);
  }
  n->t[n->count] = t;
  return n->x + n->nx * n->count++;
}

static void note_step(notes *n, const brink_sim *sim, double from, brink_status status) {
  static const double parts[INSIDE] = {0.1, 0.5, 0.93};
  double to = brink_sim_time(sim);
  size_t count;
  const brink_event *events = brink_sim_events(sim, &count);
  /* One more instant at the same time, and then on to the limit of infinitely many: what was left is not known. */
  if (status == BRINK_EVENT && events[0].t == from && to > from && n->count > 0) n->count--;
  for (size_t k = 0; k < INSIDE; k++) {
    double t = from + parts[k] * (to - from), *x = note(n, t);
    /* Where time went on without a step after an event, brink_sim_at still takes what is near the step's end. */
    bool beyond = count > 0 && t >= events[0].t && t - events[0].t <= 1e-14 * fabs(t);
    if (!(t > from && t < to) || beyond || brink_sim_at(sim, t, x, NULL) != BRINK_OK) n->count--;
  }
}

/* The last of several notes at one time is what held after its instant. */
static void drop_superseded(notes *n) {
  size_t kept = 0;
  for (size_t k = 0; k < n->count; k++) {
    if (kept > 0 && n->t[kept - 1] == n->t[k]) kept--;
    n->t[kept] = n->t[k];
    memmove(n->x + kept * n->nx, n->x + k * n->nx, n->nx * sizeof *n->x);
    kept++;
  }
  n->count = kept;
}

/* An order that jumps about. */
static size_t shuffled(size_t k, size_t count) {
  return (k * 7919 + 13) % count;
}

static void compare_notes(const char *id, const brink_options *options, const notes *n,
                          const brink_history *history) {
  double *t = calloc(n->count, sizeof *t), *x = calloc(n->count * n->nx + 1, sizeof *x);
  brink_diag diag;
  for (size_t k = 0; k < n->count; k++) t[k] = n->t[shuffled(k, n->count)];
  brink_status status = brink_history_at(history, t, n->count, x, &diag);
  CHECK_MSG(status == BRINK_OK, "%s, %s: %s", id, brink_method_name(options->method), diag.message);
  for (size_t k = 0; status == BRINK_OK && k < n->count; k++) {
    const double *was = n->x + shuffled(k, n->count) * n->nx, *is = x + k * n->nx;
    for (size_t i = 0; i < n->nx; i++)
      CHECK_MSG(was[i] == is[i], "%s, %s, %s: x[%zu] at %.17g is %.17g, and was %.17g", id,
                brink_method_name(options->method), brink_events_name(options->events), i, t[k],
                is[i], was[i]);
  }
  free(t);
  free(x);
}

static bool problem_has_shuffle_prime(size_t count) {
  return count % 7919 != 0; /* else an order is no order */
}

static bool check_against_at(const char *id, const brink_model_def *def, double t_end,
                             const brink_options *options) {
  brink_model *model = model_of(def);
  brink_sim *sim = NULL;
  if (brink_sim_create(model, options, NULL, NULL, &sim) != BRINK_OK) {
    brink_model_destroy(model);
    return false;
  }
  brink_history *history = history_of(sim);
  notes n = {.nx = def->nx};
  brink_status status = BRINK_STEPPED;
  for (int k = 0; k < CALLS && (status == BRINK_STEPPED || status == BRINK_EVENT); k++) {
    double from = brink_sim_time(sim);
    status = brink_sim_advance(sim, t_end, NULL);
    note_step(&n, sim, from, status);
    memcpy(note(&n, brink_sim_time(sim)), brink_sim_state(sim), def->nx * sizeof(double));
  }
  drop_superseded(&n);
  CHECK(problem_has_shuffle_prime(n.count));
  compare_notes(id, options, &n, history);
  free(n.t);
  free(n.x);
  brink_history_destroy(history);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return true;
}

/* ---- the run is the same with and without it ---- */

typedef struct outcome {
  brink_status status;
  double t, x[PROBLEM_STATES];
  brink_stats stats;
} outcome;

static outcome run_once(const brink_model *model, const brink_options *options, double t_end,
                        size_t nx, bool kept) {
  outcome o = {0};
  brink_sim *sim = NULL;
  brink_history *history = NULL;
  o.status = brink_sim_create(model, options, NULL, NULL, &sim);
  if (o.status != BRINK_OK) return o;
  if (kept) history = history_of(sim);
  o.status = brink_sim_run(sim, t_end, NULL);
  o.t = brink_sim_time(sim);
  memcpy(o.x, brink_sim_state(sim), nx * sizeof(double));
  o.stats = *brink_sim_stats(sim);
  brink_history_destroy(history);
  brink_sim_destroy(sim);
  return o;
}

static void check_unharmed(const char *id, const brink_model_def *def, double t_end,
                           brink_options options) {
  brink_model *model = model_of(def);
  options.max_steps = 2000;
  outcome without = run_once(model, &options, t_end, def->nx, false);
  outcome with = run_once(model, &options, t_end, def->nx, true);
  CHECK_MSG(without.status == with.status && without.t == with.t &&
                memcmp(without.x, with.x, sizeof with.x) == 0 &&
                without.stats.steps == with.stats.steps && without.stats.rhs == with.stats.rhs &&
                without.stats.guards == with.stats.guards &&
                without.stats.events == with.stats.events,
            "%s, %s, %s: the run is another one", id, brink_method_name(options.method),
            brink_events_name(options.events));
  brink_model_destroy(model);
}

static brink_options options_for(brink_method method, double length) {
  brink_options options = brink_default_options();
  options.method = method;
  options.zeno = BRINK_ZENO_CONTINUE;
  if (method >= BRINK_EULER && method != BRINK_BDF) options.step = length / 97.3;
  return options;
}

static const brink_method methods[] = {BRINK_AUTO,  BRINK_ADAMS,     BRINK_TAYLOR, BRINK_DOPRI,
                                       BRINK_EULER, BRINK_TAYLOR2,   BRINK_RK4,    BRINK_AM3,
                                       BRINK_BDF3,  BRINK_TRAPEZOID, BRINK_BDF};
static const brink_events ways[] = {BRINK_EXTRAPOLATE, BRINK_INTERPOLATE, BRINK_ENDPOINT, BRINK_ZLM,
                                    BRINK_MNM};

TEST(inside_steps_it_gives_what_the_sim_gave_bit_by_bit_and_after_instants_what_they_left) {
  size_t possible = 0;
  for (size_t k = 0; k < problem_count(); k++) {
    const problem *p = problem_at(k);
    problem_probe probe = {.problem = p};
    brink_model_def def = problem_model(p, &probe);
    for (size_t m = 0; m < COUNT(methods); m++) {
      brink_options options = options_for(methods[m], p->t_end - def.t0);
      possible += check_against_at(p->id, &def, p->t_end, &options);
    }
    for (size_t e = 1; e < COUNT(ways); e++) {
      brink_options options = options_for(e % 2 == 0 ? BRINK_ADAMS : BRINK_RK4, p->t_end - def.t0);
      options.events = ways[e];
      possible += check_against_at(p->id, &def, p->t_end, &options);
    }
  }
  CHECK(possible > 10 * problem_count());
}

TEST(a_run_with_a_history_is_the_same_run) {
  for (size_t k = 0; k < problem_count(); k++) {
    const problem *p = problem_at(k);
    problem_probe probe = {.problem = p};
    brink_model_def def = problem_model(p, &probe);
    for (size_t m = 0; m < COUNT(methods); m++)
      check_unharmed(p->id, &def, p->t_end, options_for(methods[m], p->t_end - def.t0));
  }
}

/* ---- closed forms ---- */

#define GRAVITY 9.81
#define BOUNCE 0.8

static int fall(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = x[1];
  dx[1] = -env->p[0];
  return 0;
}

static int bounce(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] *= -BOUNCE;
  return 0;
}

/* It lies still after infinitely many bounces. */
static int rest(const size_t *guards, size_t count, brink_now *now, void *user) {
  (void)guards, (void)count, (void)user;
  now->x[0] = now->x[1] = now->p[0] = 0.0;
  return 0;
}

static brink_model *ball(void) {
  static const double start[] = {1.0, 0.0}, gravity[] = {GRAVITY}, height[] = {1.0};
  static const size_t only_height[] = {0};
  brink_guard_def floor = brink_default_guard("floor");
  floor.side = BRINK_UNILATERAL;
  floor.direction = BRINK_NEGATIVE;
  floor.depends = only_height;
  floor.ndepends = 1;
  floor.coefficients = height;
  floor.action = bounce;
  brink_model_def def = brink_default_model();
  def.name = "ball";
  def.nx = 2;
  def.x0 = start;
  def.np = 1;
  def.p0 = gravity;
  def.rhs = fall;
  def.nguards = 1;
  def.guards = &floor;
  def.zeno = rest;
  return model_of(&def);
}

/* The height at t, from bounce to bounce. */
static double height_at(double t) {
  double speed = sqrt(2.0 * GRAVITY), since = sqrt(2.0 / GRAVITY);
  if (t < since) return 1.0 - 0.5 * GRAVITY * t * t;
  for (;;) {
    speed *= BOUNCE;
    double flight = 2.0 * speed / GRAVITY;
    if (t < since + flight) return speed * (t - since) - 0.5 * GRAVITY * (t - since) * (t - since);
    since += flight;
  }
}

TEST(a_ball_is_where_it_was_and_at_a_bounce_already_on_its_way_up) {
  brink_model *model = ball();
  brink_options options = brink_default_options();
  options.rtol = 1e-10;
  options.atol = 1e-12;
  brink_sim *sim = sim_of(model, &options);
  brink_history *history = history_of(sim);
  CHECK(brink_sim_run(sim, 2.0, NULL) == BRINK_TIME_REACHED);
  for (int k = 200; k >= 0; k--)
    CHECK_NEAR(one(history, 2, 0.01 * k, 0), height_at(0.01 * k), 1e-8);
  const brink_event *events;
  const double *before, *after;
  size_t count = brink_history_events(history, &events, &before, &after);
  CHECK_INT(count, brink_sim_stats(sim)->events);
  CHECK_NEAR(events[0].t, sqrt(2.0 / GRAVITY), 1e-9);
  for (size_t k = 0; k < count; k++) {
    CHECK(one(history, 2, events[k].t, 1) == after[2 * k + 1]);
    CHECK(after[2 * k + 1] == -BOUNCE * before[2 * k + 1]);
    CHECK(one(history, 2, nextafter(events[k].t, 0.0), 1) < 0.0); /* still on its way down */
    CHECK(one(history, 2, nextafter(events[k].t, 9.0), 1) > 0.0);
  }
  brink_history_destroy(history);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

TEST(rows_are_the_start_the_ends_of_steps_and_both_sides_of_instants) {
  brink_model *model = ball();
  brink_sim *sim = sim_of(model, NULL);
  brink_history *history = history_of(sim);
  brink_sim_run(sim, 1.0, NULL);
  const double *rows, *ends;
  const int *modes;
  size_t count = brink_history_rows(history, &rows), steps = brink_history_steps(history, &ends);
  const brink_stats *stats = brink_sim_stats(sim);
  CHECK_INT(steps, stats->steps + 1);
  CHECK_INT(count, 1 + stats->steps + stats->events);
  CHECK_INT(brink_history_modes(history, &modes), count);
  CHECK(rows[0] == 0.0 && rows[1] == 1.0 && rows[2] == 0.0 && ends[0] == 0.0);
  for (size_t k = 1; k < count; k++) {
    const double *row = rows + 3 * k;
    CHECK(row[0] >= row[-3]);
    if (row[0] == row[-3]) CHECK(row[2] == -BOUNCE * row[-1]);
  }
  for (size_t k = 1; k < steps; k++) CHECK(ends[k] > ends[k - 1]);
  CHECK(ends[steps - 1] == 1.0 && rows[3 * (count - 1)] == 1.0);
  brink_history_destroy(history);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

TEST(events_that_accumulate_end_at_rest) {
  brink_model *model = ball();
  brink_options options = brink_default_options();
  options.zeno = BRINK_ZENO_CONTINUE;
  brink_sim *sim = sim_of(model, &options);
  brink_history *history = history_of(sim);
  CHECK(brink_sim_run(sim, 6.0, NULL) == BRINK_TIME_REACHED);
  double limit = sqrt(2.0 / GRAVITY) * (1.0 + 2.0 * BOUNCE / (1.0 - BOUNCE));
  for (int k = 0; k < 200; k++) {
    double t = 0.01 * k * 2.0;
    if (fabs(t - limit) < 1e-4) continue;
    CHECK_NEAR(one(history, 2, t, 0), t < limit ? height_at(t) : 0.0, 1e-5);
  }
  /* Close to the limit, where time is set forward, there is a value at every time, and it is small. */
  const double *rows;
  size_t count = brink_history_rows(history, &rows);
  for (double t = limit - 1e-9; t < limit + 1e-9; t += 1.3e-13)
    CHECK(fabs(one(history, 2, t, 0)) < 1e-9 && fabs(one(history, 2, t, 1)) < 1e-3);
  for (size_t k = 1; k < count; k++) CHECK(rows[3 * k] >= rows[3 * k - 3]);
  CHECK(one(history, 2, 6.0, 0) == 0.0 && one(history, 2, 5.0, 1) == 0.0);
  brink_history_destroy(history);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* A room that loses heat to 10 outside, and is heated to 40 from 19 on until it is 21. */
static int heat(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = (env->mode[0] ? 40.0 : 10.0) - x[0];
  return 0;
}

static int switch_heater(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  now->mode[0] = event->guard == 0;
  return 0;
}

static brink_model *thermostat(void) {
  static const double start[] = {21.0}, unity[] = {1.0};
  static const int off[] = {0};
  static const size_t only[] = {0};
  brink_guard_def guards[] = {brink_default_guard("cold"), brink_default_guard("warm")};
  for (size_t k = 0; k < 2; k++) {
    guards[k].direction = k == 0 ? BRINK_NEGATIVE : BRINK_POSITIVE;
    guards[k].depends = only;
    guards[k].ndepends = 1;
    guards[k].coefficients = unity;
    guards[k].offset = k == 0 ? -19.0 : -21.0;
    guards[k].action = switch_heater;
  }
  brink_model_def def = brink_default_model();
  def.name = "thermostat";
  def.nx = 1;
  def.x0 = start;
  def.nmodes = 1;
  def.mode0 = off;
  def.rhs = heat;
  def.nguards = 2;
  def.guards = guards;
  return model_of(&def);
}

TEST(a_thermostat_follows_its_exponentials_and_rows_have_its_modes) {
  brink_model *model = thermostat();
  double falls = log(11.0 / 9.0), rises = log(21.0 / 19.0); /* how long */
  for (size_t m = 0; m < COUNT(methods); m++) {
    brink_options options = options_for(methods[m], 1.0);
    if (methods[m] == BRINK_TAYLOR || methods[m] == BRINK_TAYLOR2) continue; /* no series */
    if (options.step > 0.0) continue;
    options.rtol = options.atol = 1e-9;
    brink_sim *sim = sim_of(model, &options);
    brink_history *history = history_of(sim);
    CHECK(brink_sim_run(sim, 1.0, NULL) == BRINK_TIME_REACHED);
    for (int k = 0; k <= 100; k++) {
      double t = 0.01 * k, phase = fmod(t, falls + rises);
      double exact = phase < falls ? 10.0 + 11.0 * exp(-phase) : 40.0 - 21.0 * exp(falls - phase);
      CHECK_NEAR(one(history, 1, t, 0), exact, 1e-6);
    }
    const double *rows;
    const int *modes;
    size_t count = brink_history_rows(history, &rows), changes = 0;
    brink_history_modes(history, &modes);
    for (size_t k = 1; k < count; k++) {
      if (modes[k] == modes[k - 1]) continue;
      CHECK(rows[2 * k] == rows[2 * k - 2]);
      changes++;
    }
    CHECK_INT(changes, brink_sim_stats(sim)->events);
    brink_history_destroy(history);
    brink_sim_destroy(sim);
  }
  brink_model_destroy(model);
}

/* x' = u, and u = -x is sampled and held. */
static int hold(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = env->p[0];
  return 0;
}

static int sample(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->p[0] = -now->x[0];
  return 0;
}

TEST(a_sampled_loop_goes_in_straight_lines_from_sample_to_sample) {
  static const double start[] = {1.0}, none[] = {0.0};
  brink_clock_def clock = brink_default_clock("sampler");
  clock.period = 0.25;
  clock.tick = sample;
  brink_model_def def = brink_default_model();
  def.name = "loop";
  def.nx = def.np = 1;
  def.x0 = start;
  def.p0 = none;
  def.rhs = hold;
  def.nclocks = 1;
  def.clocks = &clock;
  brink_model *model = model_of(&def);
  brink_sim *sim = sim_of(model, NULL);
  brink_history *history = history_of(sim);
  CHECK(brink_sim_run(sim, 3.0, NULL) == BRINK_TIME_REACHED);
  for (int k = 0; k <= 300; k++) {
    double t = 0.01 * k, ticks = floor(t / 0.25), x = pow(0.75, ticks);
    CHECK_NEAR(one(history, 1, t, 0), x * (1.0 - (t - 0.25 * ticks)), 1e-12);
  }
  brink_history_destroy(history);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* ---- instants with several events ---- */

static int rise(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 1.0;
  dx[1] = 0.0;
  return 0;
}

/* One counts, the other doubles. */
static int count_one(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] += 1.0;
  return 0;
}

static int twice(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] *= 2.0;
  return 0;
}

TEST(an_instant_of_two_events_has_both_in_order_and_one_value_after_it) {
  static const double start[] = {0.0, 0.0}, unity[] = {1.0};
  static const size_t only[] = {0};
  brink_guard_def guards[] = {brink_default_guard("doubles"), brink_default_guard("counts")};
  for (size_t k = 0; k < 2; k++) {
    guards[k].depends = only;
    guards[k].ndepends = 1;
    guards[k].coefficients = unity;
    guards[k].offset = -1.0;
    guards[k].priority = (int)k;
    guards[k].action = k == 0 ? twice : count_one;
  }
  brink_model_def def = brink_default_model();
  def.name = "both";
  def.nx = 2;
  def.x0 = start;
  def.rhs = rise;
  def.nguards = 2;
  def.guards = guards;
  brink_model *model = model_of(&def);
  brink_sim *sim = sim_of(model, NULL);
  brink_history *history = history_of(sim);
  CHECK(brink_sim_run(sim, 2.0, NULL) == BRINK_TIME_REACHED);
  const brink_event *events;
  const double *before, *after;
  CHECK_INT(brink_history_events(history, &events, &before, &after), 2);
  CHECK_INT(events[0].guard, 1);
  CHECK_INT(events[1].guard, 0);
  CHECK(before[1] == 0.0 && after[1] == 1.0 && before[3] == 1.0 && after[3] == 2.0);
  CHECK(events[0].t == events[1].t);
  CHECK(one(history, 2, events[0].t, 1) == 2.0);
  CHECK(one(history, 2, nextafter(events[0].t, 0.0), 1) == 0.0);
  brink_history_destroy(history);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* ---- changes from outside, resets, clones ---- */

TEST(a_state_that_is_set_holds_from_its_time_on) {
  brink_model *model = ball();
  brink_sim *sim = sim_of(model, NULL);
  brink_history *history = history_of(sim);
  static const double first[] = {2.0, 0.0}, higher[] = {3.0, 0.0};
  brink_sim_set_state(sim, first, NULL); /* before the first step: the start is another one */
  brink_sim_run(sim, 0.125, NULL);
  double fallen = brink_sim_state(sim)[0];
  brink_sim_set_state(sim, higher, NULL);
  CHECK(one(history, 2, 0.125, 0) == 3.0); /* at once */
  brink_sim_run(sim, 0.25, NULL);
  CHECK(one(history, 2, 0.0, 0) == 2.0);
  CHECK(one(history, 2, 0.125, 0) == 3.0);
  CHECK_NEAR(one(history, 2, nextafter(0.125, 0.0), 0), fallen, 1e-14);
  const double *rows;
  size_t count = brink_history_rows(history, &rows);
  CHECK(rows[1] == 2.0);
  for (size_t k = 1; k < count; k++) {
    if (rows[3 * k] != 0.125 || rows[3 * k - 3] != 0.125) continue;
    CHECK(rows[3 * k - 2] == fallen && rows[3 * k + 1] == 3.0);
  }
  brink_history_destroy(history);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

TEST(after_a_reset_it_begins_anew) {
  brink_model *model = ball();
  brink_sim *sim = sim_of(model, NULL);
  brink_history *history = history_of(sim);
  brink_sim_run(sim, 1.5, NULL);
  size_t rows = brink_history_rows(history, NULL), steps = brink_history_steps(history, NULL);
  size_t events = brink_history_events(history, NULL, NULL, NULL);
  double there = one(history, 2, 1.25, 0);
  brink_sim_reset(sim, NULL);
  CHECK_INT(brink_history_rows(history, NULL), 1);
  CHECK_INT(brink_history_steps(history, NULL), 1);
  CHECK_INT(brink_history_events(history, NULL, NULL, NULL), 0);
  double t = 1.25, x[2];
  CHECK(brink_history_at(history, &t, 1, x, NULL) == BRINK_ERR_ARGUMENT);
  CHECK(one(history, 2, 0.0, 0) == 1.0);
  brink_sim_run(sim, 1.5, NULL);
  CHECK_INT(brink_history_rows(history, NULL), rows);
  CHECK_INT(brink_history_steps(history, NULL), steps);
  CHECK_INT(brink_history_events(history, NULL, NULL, NULL), events);
  CHECK(one(history, 2, 1.25, 0) == there);
  brink_history_destroy(history);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

TEST(a_clone_has_none_and_one_that_is_made_for_it_begins_there) {
  brink_model *model = ball();
  brink_sim *sim = sim_of(model, NULL), *clone = NULL;
  brink_history *history = history_of(sim);
  brink_sim_run(sim, 0.7, NULL);
  CHECK(brink_sim_clone(sim, NULL, NULL, NULL, &clone) == BRINK_OK);
  brink_history *second = history_of(clone);
  size_t before = brink_history_rows(history, NULL);
  brink_sim_run(clone, 1.5, NULL);
  CHECK_INT(brink_history_rows(history, NULL), before);
  double t = 0.5, x[2];
  brink_diag diag;
  CHECK(brink_history_at(second, &t, 1, x, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(strstr(diag.message, "0.5") != NULL && strstr(diag.message, "1.5") != NULL);
  brink_sim_run(sim, 1.5, NULL);
  for (t = 0.7; t < 1.5; t += 0.0123) CHECK(one(history, 2, t, 0) == one(second, 2, t, 0));
  brink_history_destroy(history);
  brink_history_destroy(second);
  brink_sim_destroy(clone);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* ---- refusals, memory ---- */

TEST(times_outside_are_refused_and_rounding_is_not) {
  brink_model *model = ball();
  brink_sim *sim = sim_of(model, NULL);
  brink_history *history = history_of(sim);
  brink_sim_run(sim, 1.5, NULL);
  static const double wrong[] = {-0.001, 1.501, NAN, INFINITY, -INFINITY};
  double x[2], fine[] = {nextafter(1.5, 2.0), -1e-17};
  brink_diag diag;
  for (size_t k = 0; k < COUNT(wrong); k++) {
    double times[] = {0.5, wrong[k]}, out[4];
    CHECK(brink_history_at(history, times, 2, out, &diag) == BRINK_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "times[1]") != NULL);
  }
  CHECK(brink_history_at(history, &fine[0], 1, x, NULL) == BRINK_OK);
  CHECK(x[0] == brink_sim_state(sim)[0]);
  CHECK(brink_history_at(history, &fine[1], 1, x, NULL) == BRINK_OK);
  CHECK(x[0] == 1.0);
  CHECK(brink_history_at(history, NULL, 0, NULL, NULL) == BRINK_OK);
  CHECK(brink_history_at(history, NULL, 1, x, NULL) == BRINK_ERR_ARGUMENT);
  CHECK(brink_history_at(NULL, &fine[0], 1, x, NULL) == BRINK_ERR_ARGUMENT);
  brink_history *none = NULL;
  CHECK(brink_history_create(NULL, NULL, NULL, &diag, &none) == BRINK_ERR_ARGUMENT);
  CHECK(brink_history_create(sim, NULL, NULL, &diag, NULL) == BRINK_ERR_ARGUMENT);
  brink_history_def def = {0};
  CHECK(brink_history_create(sim, &def, NULL, &diag, &none) == BRINK_ERR_ARGUMENT);
  CHECK(none == NULL);
  brink_history_destroy(history);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

TEST(what_is_not_asked_for_is_not_kept) {
  brink_model *model = ball();
  brink_sim *sim = sim_of(model, NULL);
  brink_history_def dense = brink_default_history(), rows = brink_default_history();
  dense.rows = rows.dense = false;
  brink_history *a = NULL, *b = NULL;
  CHECK(brink_history_create(sim, &dense, NULL, NULL, &a) == BRINK_OK);
  CHECK(brink_history_create(sim, &rows, NULL, NULL, &b) == BRINK_OK);
  brink_sim_run(sim, 1.5, NULL);
  double t = 0.5, x[2];
  brink_diag diag;
  CHECK_INT(brink_history_rows(a, NULL), 0);
  CHECK_INT(brink_history_events(a, NULL, NULL, NULL), 0);
  CHECK(brink_history_at(a, &t, 1, x, NULL) == BRINK_OK);
  CHECK(brink_history_rows(b, NULL) > 2);
  CHECK_INT(brink_history_steps(b, NULL), 0);
  CHECK(brink_history_at(b, &t, 1, x, &diag) == BRINK_ERR_ARGUMENT);
  CHECK(strstr(diag.message, "not dense") != NULL);
  brink_history_destroy(a);
  brink_history_destroy(b);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

TEST(where_memory_ends_the_history_says_so_and_the_run_goes_on) {
  brink_model *model = ball();
  outcome alone = run_once(model, NULL, 2.0, 2, false);
  bool whole = false;
  for (long fail = 1; !whole && fail < 200; fail++) {
    counting memory = {.fail_at = fail, .fail_on = true};
    brink_allocator allocator = counting_allocator(&memory);
    brink_sim *sim = sim_of(model, NULL);
    brink_history *history = NULL;
    brink_diag diag;
    if (brink_history_create(sim, NULL, &allocator, &diag, &history) != BRINK_OK) {
      CHECK(history == NULL && diag.status == BRINK_ERR_MEMORY);
    } else {
      CHECK(brink_sim_run(sim, 2.0, NULL) == alone.status);
      CHECK(memcmp(alone.x, brink_sim_state(sim), 2 * sizeof(double)) == 0);
      brink_status status = brink_history_at(history, NULL, 0, NULL, &diag);
      whole = memory.calls < fail;
      CHECK(status == (whole ? BRINK_OK : BRINK_ERR_MEMORY));
      if (!whole) CHECK(strstr(diag.message, "out of memory") != NULL);
      memory.fail_at = 0; /* there is some again: a reset begins anew */
      brink_sim_reset(sim, NULL);
      CHECK(brink_sim_run(sim, 2.0, NULL) == alone.status);
      CHECK(brink_history_at(history, NULL, 0, NULL, &diag) == BRINK_OK);
    }
    brink_history_destroy(history);
    brink_sim_destroy(sim);
    CHECK_INT(memory.live, 0);
    CHECK_INT(memory.mismatch, 0);
  }
  CHECK(whole);
  brink_model_destroy(model);
}

int main(void) {
  RUN(inside_steps_it_gives_what_the_sim_gave_bit_by_bit_and_after_instants_what_they_left);
  RUN(a_run_with_a_history_is_the_same_run);
  RUN(a_ball_is_where_it_was_and_at_a_bounce_already_on_its_way_up);
  RUN(rows_are_the_start_the_ends_of_steps_and_both_sides_of_instants);
  RUN(events_that_accumulate_end_at_rest);
  RUN(a_thermostat_follows_its_exponentials_and_rows_have_its_modes);
  RUN(a_sampled_loop_goes_in_straight_lines_from_sample_to_sample);
  RUN(an_instant_of_two_events_has_both_in_order_and_one_value_after_it);
  RUN(a_state_that_is_set_holds_from_its_time_on);
  RUN(after_a_reset_it_begins_anew);
  RUN(a_clone_has_none_and_one_that_is_made_for_it_begins_there);
  RUN(times_outside_are_refused_and_rounding_is_not);
  RUN(what_is_not_asked_for_is_not_kept);
  RUN(where_memory_ends_the_history_says_so_and_the_run_goes_on);
  return check_done();
}
