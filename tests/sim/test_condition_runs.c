/* What counts as a closest approach, what an event's number is made of, and that nobody notices who looks
 * on. */
#include "check.h"

#include <brink/brink.h>
#include <stdbool.h>

#include "sim/conditions.h"
#include "support/counting.h"

#define PI 3.14159265358979323846

enum { MOST = 64 };

typedef struct seen {
  size_t count;
  brink_condition list[MOST];
  brink_event event[MOST];
  brink_closest_approach first[MOST], last[MOST]; /* of the approaches */
} seen;

static void on_told(const brink_condition *c, void *user) {
  seen *s = user;
  if (s->count == MOST) return;
  s->list[s->count] = *c;
  if (c->event != NULL) s->event[s->count] = *c->event;
  if (c->napproaches > 0) {
    s->first[s->count] = c->approaches[0];
    s->last[s->count] = c->approaches[c->napproaches - 1];
  }
  s->count++;
}

typedef struct watched {
  seen seen;
  brink_stats stats;
  double x[4];
} watched;

/* Runs a model with or without somebody looking on. */
static watched run(const brink_model_def *def, const brink_options *options, double until,
                   bool look) {
  brink_diag diag;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_conditions *conditions = NULL;
  static watched result;
  result = (watched){.seen = {.count = 0}};
  brink_conditions_def wishes = {.approaches = true, .report = on_told, .user = &result.seen};
  CHECK_INT(brink_model_create(def, NULL, &diag, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, options, NULL, &diag, &sim), BRINK_OK);
  if (look) CHECK_INT(brink_conditions_create(sim, &wishes, NULL, &diag, &conditions), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, until, &diag), BRINK_TIME_REACHED);
  if (look) CHECK(brink_conditions_finish(conditions));
  result.stats = *brink_sim_stats(sim);
  memcpy(result.x, brink_sim_state(sim), def->nx * sizeof(double));
  brink_conditions_destroy(conditions);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return result;
}

static brink_options tight(brink_method method) {
  brink_options options = brink_default_options();
  options.method = method;
  options.rtol = 1e-9;
  options.atol = 1e-12;
  return options;
}

/* ---- an oscillator: x = cos t ---- */

static int oscillate(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1];
  dx[1] = -x[0];
  return 0;
}

static const double x0[2] = {1.0, 0.0};

/* x + level */
static brink_guard_def low(double level) {
  static const double one = 1.0;
  static const size_t first = 0;
  brink_guard_def guard = brink_default_guard("low");
  guard.coefficients = &one;
  guard.depends = &first;
  guard.ndepends = 1;
  guard.offset = level;
  return guard;
}

static brink_model_def oscillator(const brink_guard_def *guard, double *level) {
  brink_model_def def = brink_default_model();
  def.nx = 2;
  def.x0 = x0;
  def.rhs = oscillate;
  def.nguards = 1;
  def.guards = guard;
  def.user = level;
  return def;
}

TEST(every_local_minimum_that_was_no_event_is_an_approach) {
  double level = 1.5;
  brink_guard_def guard = low(level);
  const brink_method methods[] = {BRINK_ADAMS, BRINK_DOPRI};
  for (size_t k = 0; k < 2; k++) {
    brink_model_def def = oscillator(&guard, &level);
    brink_options options = tight(methods[k]);
    watched w = run(&def, &options, 20.0, true);
    CHECK_INT(w.seen.count, 1);
    CHECK(w.seen.list[0].event == NULL);
    CHECK_INT(w.seen.list[0].napproaches, 3); /* pi, 3 pi, 5 pi */
    CHECK_NEAR(w.seen.first[0].t, PI, 1e-6);
    CHECK_NEAR(w.seen.last[0].t, 5.0 * PI, 1e-6);
    CHECK_NEAR(w.seen.first[0].value, 0.5, 1e-7);
    CHECK_NEAR(w.seen.first[0].relative, 0.5, 1e-6); /* sizes are 1 */
    CHECK_NEAR(w.seen.list[0].published, 8.0, 1e-5);
    CHECK_NEAR(w.seen.list[0].scaled, 2.0, 1e-5);
  }
}

/* Steps that end at a minimum, on both sides of it. */
TEST(a_minimum_at_the_end_of_a_step_is_one_approach) {
  double level = 1.5;
  brink_guard_def guard = low(level);
  brink_model_def def = oscillator(&guard, &level);
  brink_options options = tight(BRINK_RK4);
  for (int parts = 1; parts <= 64; parts *= 4) {
    options.step = PI / (16.0 * parts);
    watched w = run(&def, &options, 2.0 * PI, true);
    CHECK_INT(w.seen.count, 1);
    CHECK_INT(w.seen.list[0].napproaches, 1);
  }
}

TEST(approaches_from_the_side_that_has_no_events_do_not_count) {
  double level = 1.5;
  brink_guard_def guard = low(level);
  guard.direction = BRINK_POSITIVE; /* it would have to come from below */
  brink_model_def def = oscillator(&guard, &level);
  brink_options options = tight(BRINK_ADAMS);
  CHECK_INT(run(&def, &options, 20.0, true).seen.count, 0);
}

/* A guard that is no polynomial, by its value alone: exp(x) - c. */
static int curved(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t;
  *g = exp(x[0]) - *(const double *)env->user;
  return 0;
}

TEST(guards_by_values_alone_have_approaches_too) {
  double level = exp(-1.0) - 1e-3;
  brink_guard_def guard = brink_default_guard("curved");
  guard.value = curved;
  brink_model_def def = oscillator(&guard, &level);
  brink_options options = tight(BRINK_ADAMS);
  watched w = run(&def, &options, 6.0, true);
  CHECK_INT(w.seen.count, 1);
  CHECK_NEAR(w.seen.first[0].t, PI, 1e-5);
  CHECK_NEAR(w.seen.first[0].value, 1e-3, 1e-8);
  CHECK_NEAR(w.seen.first[0].distance, 1e-3 * exp(1.0), 1e-7);
}

/* x > -0.2 or y > -0.2, of the oscillator: the larger of the two is least where they are equal, at a kink. */
TEST(formulas_have_approaches_at_kinks) {
  static const double one = 1.0;
  static const size_t first = 0, second = 1;
  static const int either[] = {0, 1, BRINK_OR};
  brink_guard_def guards[3] = {brink_default_guard("a"), brink_default_guard("b"),
                               brink_default_guard("either")};
  for (int k = 0; k < 2; k++) {
    guards[k].side = BRINK_LEAF;
    guards[k].coefficients = &one;
    guards[k].depends = k == 0 ? &first : &second;
    guards[k].ndepends = 1;
    guards[k].offset = 1.0;
  }
  guards[2].formula = either;
  guards[2].formula_length = 3;
  double unused = 0.0;
  brink_model_def def = oscillator(guards, &unused);
  def.nguards = 3;
  brink_options options = tight(BRINK_ADAMS);
  watched w = run(&def, &options, 6.0, true);
  CHECK_INT(w.seen.count, 1);
  CHECK_INT(w.seen.list[0].guard, 2);
  /* x = cos t, y = -sin t: equal at t = 3 pi/4, below 0, and at 7 pi/4 */
  CHECK_INT(w.seen.list[0].napproaches, 2);
  CHECK_NEAR(w.seen.last[0].t, 1.75 * PI, 1e-6);
  CHECK_NEAR(w.seen.first[0].t, 0.75 * PI, 1e-6);
  CHECK_NEAR(w.seen.first[0].value, 1.0 - sqrt(0.5), 1e-7);
}

TEST(nobody_notices_who_looks_on) {
  double level = 0.3;
  brink_guard_def guard = low(level);
  const brink_method methods[] = {BRINK_ADAMS, BRINK_DOPRI};
  for (size_t k = 0; k < 2; k++) {
    brink_model_def def = oscillator(&guard, &level);
    brink_options options = tight(methods[k]);
    watched with = run(&def, &options, 20.0, true);
    CHECK_INT(with.seen.count, 6);
    watched without = run(&def, &options, 20.0, false);
    CHECK(memcmp(with.x, without.x, sizeof with.x) == 0);
    CHECK(memcmp(&with.stats, &without.stats, sizeof with.stats) == 0);
  }
}

/* x crosses -0.3 with f- = f+: 1/cos^2 of the angle, speed sqrt(1 - 0.09) of 1. */
TEST(an_event_that_changes_nothing_has_the_square_of_its_angle) {
  double level = 0.3;
  brink_guard_def guard = low(level);
  brink_model_def def = oscillator(&guard, &level);
  brink_options options = tight(BRINK_ADAMS);
  watched w = run(&def, &options, 3.0, true);
  CHECK_INT(w.seen.count, 1);
  CHECK_NEAR(w.seen.list[0].transversality, 1.0 / (1.0 - 0.09), 1e-7);
  CHECK_NEAR(w.seen.list[0].jump, 1.0, 1e-12);
  CHECK(w.seen.list[0].depth > 0.5); /* 0.7; a parabola from where the step ends says more */
  CHECK_INT(w.seen.list[0].posed, BRINK_WELL_POSED);
}

/* ---- a ball: resets; a tank: states that stay; time ---- */

static int fall(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1];
  dx[1] = -1.0;
  return 0;
}

static int bounce(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] = -0.5 * now->x[1];
  return 0;
}

TEST(a_bounce_is_no_slide_and_has_the_angles_before_and_after) {
  static const double one = 1.0, start[2] = {0.5, 0.0};
  static const size_t first = 0;
  brink_guard_def guard = brink_default_guard("floor");
  guard.coefficients = &one;
  guard.depends = &first;
  guard.ndepends = 1;
  guard.side = BRINK_UNILATERAL;
  guard.direction = BRINK_NEGATIVE;
  guard.action = bounce;
  brink_model_def def = brink_default_model();
  def.nx = 2;
  def.x0 = start;
  def.rhs = fall;
  def.nguards = 1;
  def.guards = &guard;
  brink_options options = tight(BRINK_ADAMS);
  watched w = run(&def, &options, 1.5, true);
  CHECK_INT(w.seen.count, 1);
  const brink_condition *c = &w.seen.list[0];
  CHECK(c->resets && isnan(c->jump));
  /* f- = (-1, -1), f+ = (1/2, -1) */
  CHECK_NEAR(c->transversality, sqrt(2.0) * sqrt(1.25) / 0.5, 1e-6);
  CHECK_INT(c->posed, BRINK_WELL_POSED);
  CHECK_NEAR(c->delay, 1.0, 1e-6);
}

static int drain(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = env->mode[0] == 0 ? -1.0 : 0.0;
  dx[1] = 3.0 - x[1];
  return 0;
}

static int empty(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 1;
  return 0;
}

TEST(a_field_that_stays_on_the_surface_adds_nothing) {
  static const double one = 1.0, start[2] = {1.0, 0.0};
  static const size_t first = 0;
  brink_guard_def guard = brink_default_guard("empty");
  guard.coefficients = &one;
  guard.depends = &first;
  guard.ndepends = 1;
  guard.side = BRINK_UNILATERAL;
  guard.direction = BRINK_NEGATIVE;
  guard.action = empty;
  brink_model_def def = brink_default_model();
  def.nx = 2;
  def.nmodes = 1;
  def.x0 = start;
  def.rhs = drain;
  def.nguards = 1;
  def.guards = &guard;
  brink_options options = tight(BRINK_ADAMS);
  watched w = run(&def, &options, 2.0, true);
  CHECK_INT(w.seen.count, 1);
  double f2 = 3.0 * exp(-1.0);
  CHECK_NEAR(w.seen.list[0].transversality, sqrt(1.0 + f2 * f2), 1e-6);
}

static int timed(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)x, (void)env;
  *g = t - 1.25;
  return 0;
}

TEST(an_event_at_a_given_time_is_1_whatever_the_states_do) {
  brink_guard_def guard = brink_default_guard("alarm");
  guard.value = timed;
  double unused = 0.0;
  brink_model_def def = oscillator(&guard, &unused);
  brink_options options = tight(BRINK_ADAMS);
  watched w = run(&def, &options, 2.0, true);
  CHECK_INT(w.seen.count, 1);
  CHECK_NEAR(w.seen.list[0].transversality, 1.0, 1e-9);
  CHECK_NEAR(w.seen.list[0].delay, 0.0, 1e-9);
}

/* A relay that chatters without hysteresis: x' = -sgn(x). */
static int relay(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = env->sgn[0] > 0 ? -1.0 : 1.0;
  return 0;
}

TEST(a_slide_has_no_number) {
  static const double one = 1.0, start[1] = {1.0};
  static const size_t first = 0;
  brink_guard_def guard = brink_default_guard("x");
  guard.coefficients = &one;
  guard.depends = &first;
  guard.ndepends = 1;
  brink_model_def def = brink_default_model();
  def.nx = 1;
  def.x0 = start;
  def.rhs = relay;
  def.nguards = 1;
  def.guards = &guard;
  brink_options options = tight(BRINK_ADAMS);
  watched w = run(&def, &options, 2.0, true);
  CHECK_INT(w.seen.count, 1);
  CHECK_INT(w.seen.list[0].posed, BRINK_SLID);
  CHECK(isnan(w.seen.list[0].published) && isnan(w.seen.list[0].scaled));
}

/* Of many approaches the closest are kept, and the rest counted. */
TEST(many_approaches_are_kept_within_bounds) {
  double level = 1.5;
  brink_guard_def guard = low(level);
  brink_model_def def = oscillator(&guard, &level);
  brink_options options = tight(BRINK_ADAMS);
  watched w = run(&def, &options, 1000.0, true);
  CHECK_INT(w.seen.count, 1);
  CHECK_INT(w.seen.list[0].napproaches, 64);
  CHECK_INT(w.seen.list[0].napproaches + w.seen.list[0].nomitted, 159); /* odd multiples of pi */
  CHECK(w.seen.last[0].t > w.seen.first[0].t);
}

TEST(nothing_breaks_when_memory_runs_out) {
  double level = 1.5;
  brink_guard_def guard = low(level);
  brink_model_def def = oscillator(&guard, &level);
  brink_options options = tight(BRINK_ADAMS);
  brink_diag diag;
  brink_model *model = NULL;
  CHECK_INT(brink_model_create(&def, NULL, &diag, &model), BRINK_OK);
  bool complete = false;
  for (long fail_at = 1; fail_at < 40 && !complete; fail_at++) {
    counting memory = {.fail_at = fail_at};
    brink_allocator allocator = counting_allocator(&memory);
    brink_sim *sim = NULL;
    brink_conditions *conditions = NULL;
    seen told = {.count = 0};
    brink_conditions_def wishes = {.approaches = true, .report = on_told, .user = &told};
    CHECK_INT(brink_sim_create(model, &options, NULL, &diag, &sim), BRINK_OK);
    brink_status status = brink_conditions_create(sim, &wishes, &allocator, &diag, &conditions);
    CHECK(status == BRINK_OK || status == BRINK_ERR_MEMORY);
    CHECK_INT(brink_sim_run(sim, 100.0, &diag), BRINK_TIME_REACHED);
    if (status == BRINK_OK) complete = brink_conditions_finish(conditions);
    brink_conditions_destroy(conditions);
    brink_sim_destroy(sim);
    CHECK_INT(memory.live, 0);
  }
  CHECK(complete);
  brink_model_destroy(model);
}

int main(void) {
  RUN(every_local_minimum_that_was_no_event_is_an_approach);
  RUN(a_minimum_at_the_end_of_a_step_is_one_approach);
  RUN(approaches_from_the_side_that_has_no_events_do_not_count);
  RUN(guards_by_values_alone_have_approaches_too);
  RUN(formulas_have_approaches_at_kinks);
  RUN(nobody_notices_who_looks_on);
  RUN(an_event_that_changes_nothing_has_the_square_of_its_angle);
  RUN(a_bounce_is_no_slide_and_has_the_angles_before_and_after);
  RUN(a_field_that_stays_on_the_surface_adds_nothing);
  RUN(an_event_at_a_given_time_is_1_whatever_the_states_do);
  RUN(a_slide_has_no_number);
  RUN(many_approaches_are_kept_within_bounds);
  RUN(nothing_breaks_when_memory_runs_out);
  return check_done();
}
