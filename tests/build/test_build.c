/* Models described by expressions: what they do is compared with closed forms and with the same model
 * written as callbacks, once with the interpreter and once with machine code; memory is
 * given back whatever happens. test_build_ops.c has the operators, test_build_mistakes.c the mistakes. */
#include <brink/build.h>

#include "check.h"
#include "model/model.h"
#include "support/counting.h"

static const char cache[] = "build-cache"; /* in the directory of the test, to be used again */
static bool native;                        /* every test runs with both engines, … */
static brink_method method;                /* … and with values alone, or with series */

static brink_builder *begin(const char *name) {
  brink_builder *b = NULL;
  CHECK_INT(brink_builder_create(name, NULL, NULL, &b), BRINK_OK);
  return b;
}

static brink_build_options build_options(void) {
  brink_build_options options = brink_default_build();
  options.interpret = !native;
  options.cache = cache;
  return options;
}

/* Finishes and destroys the builder. */
static brink_built *end(brink_builder *b) {
  brink_build_options options = build_options();
  brink_built *built = NULL;
  brink_diag diag;
  brink_status status = brink_builder_finish(b, &options, &diag, &built);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  brink_builder_destroy(b);
  return built;
}

enum { EVENTS = 64 };

typedef struct run {
  brink_sim *sim;
  brink_status status;
  brink_diag diag;
  size_t nevents;
  brink_event events[EVENTS];
} run;

static int keep_event(const brink_event_record *record, void *user) {
  run *r = user;
  if (r->nevents < EVENTS) r->events[r->nevents++] = record->event;
  return 0;
}

static void start(run *r, const brink_model *model) {
  brink_options options = brink_default_options();
  brink_sink sink = {.event = keep_event, .user = r};
  options.method =
      model->def.flow_jet != NULL ? method : BRINK_ADAMS; /* callbacks have no series */
  options.rtol = 1e-10, options.atol = 1e-12;
  options.zeno = BRINK_ZENO_CONTINUE;
  *r = (run){0};
  r->status = brink_sim_create(model, &options, NULL, &r->diag, &r->sim);
  CHECK_MSG(r->status == BRINK_OK, "%s", r->diag.message);
  if (r->sim != NULL) brink_sim_set_sink(r->sim, &sink);
}

static void go(run *r, double t) {
  r->nevents = 0;
  if (r->sim != NULL) r->status = brink_sim_run(r->sim, t, &r->diag);
}

static void stop(run *r, brink_built *built) {
  brink_sim_destroy(r->sim);
  brink_built_destroy(built);
}

/* ---- against closed forms ---- */

TEST(an_oscillator_passes_its_centre_when_the_cosine_does) {
  brink_builder *b = begin("oscillator");
  brink_ex x = brink_builder_state(b, "x", 1.0), v = brink_builder_state(b, "v", 0.0);
  brink_ex k = brink_builder_parameter(b, "k", 4.0);
  brink_builder_derivative(b, x, v);
  brink_builder_derivative(b, v, brink_ex_neg(brink_ex_mul(k, x)));
  brink_guard_def centre = brink_default_guard("centre");
  CHECK_INT(brink_builder_guard(b, &centre, x), 0);
  brink_built *built = end(b);
  const brink_model *model = brink_built_model(built);
  CHECK(strcmp(model->def.name, "oscillator") == 0);
  CHECK(strcmp(brink_model_state_name(model, 1), "v") == 0);
  CHECK(model->guards[0].def.coefficients != NULL); /* linear: numbers */
  run r;
  start(&r, model);
  go(&r, 5.0);
  CHECK_INT(r.status, BRINK_TIME_REACHED);
  CHECK_INT(r.nevents, 3);
  for (size_t n = 0; n < r.nevents; n++) {
    CHECK_NEAR(r.events[n].t, (2.0 * (double)n + 1.0) * acos(-1.0) / 4.0, 1e-8);
    CHECK(strcmp(r.events[n].name, "centre") == 0);
  }
  CHECK_NEAR(brink_sim_state(r.sim)[0], cos(10.0), 1e-7);
  stop(&r, built);
}

/* Guards that read a parameter are never frozen at its first value. */
static int raise_level(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->p[1] += 1.0;
  return 0;
}

TEST(guards_follow_parameters_that_runs_and_actions_change) {
  brink_builder *b = begin("levels");
  brink_ex x = brink_builder_state(b, "x", 0.0);
  brink_ex slope = brink_builder_parameter(b, "slope", 1.0);
  brink_ex level = brink_builder_parameter(b, "level", 0.5);
  brink_builder_derivative(b, x, brink_builder_number(b, 1.0));
  brink_guard_def def = brink_default_guard("line");
  def.direction = BRINK_POSITIVE;
  def.action = raise_level;
  brink_ex line = brink_ex_sub(brink_ex_mul(slope, x), level);
  brink_builder_guard(b, &def, line); /* linear in x */
  def = brink_default_guard("bent");
  def.direction = BRINK_POSITIVE;
  brink_builder_guard(b, &def, brink_ex_sub(brink_ex_exp(x), brink_ex_mul(slope, level)));
  def = brink_default_guard(
      "round"); /* a Lipschitz constant with the first slope would be too small */
  def.direction = BRINK_POSITIVE;
  brink_builder_guard(b, &def, brink_ex_add_constant(brink_ex_sin(brink_ex_mul(slope, x)), -0.999));
  brink_built *built = end(b);
  run r;
  start(&r, brink_built_model(built));
  go(&r, 1.0); /* line at x = 0.5, then the level is 1.5: exp(x) at log(1.5) has passed already */
  CHECK_INT(r.nevents, 1);
  CHECK_NEAR(r.events[0].t, 0.5, 1e-9);
  CHECK_NEAR(brink_sim_parameters(r.sim)[1], 1.5, 0.0);
  CHECK_INT(brink_sim_set_parameter(r.sim, 0, 3.0, NULL), BRINK_OK);
  CHECK_INT(brink_sim_set_parameter(r.sim, 1, 4.5, NULL), BRINK_OK);
  go(&r, 2.9); /* 3 x = 4.5 at 1.5, 5.5 at 11/6, 6.5, 7.5, 8.5; sin(3 x) = 0.999 near 2.6 */
  CHECK_INT(r.status, BRINK_TIME_REACHED);
  size_t lines = 0, rounds = 0, bent = 0;
  for (size_t n = 0; n < r.nevents; n++) {
    if (r.events[n].guard == 0) CHECK_NEAR(r.events[n].t, (4.5 + (double)lines++) / 3.0, 1e-9);
    if (r.events[n].guard == 1) bent++;
    if (r.events[n].guard == 2) {
      CHECK_NEAR(r.events[n].t, (asin(0.999) + 2.0 * acos(-1.0)) / 3.0, 1e-7);
      rounds++;
    }
  }
  CHECK_INT(lines, 5);
  CHECK_INT(rounds, 1);
  CHECK(bent <= 2);
  stop(&r, built);
}

/* x'' = -sgn(x): a quarter of the period is sqrt(2). */
TEST(the_sign_of_a_guard_switches_the_right_hand_side) {
  brink_builder *b = begin("relay");
  brink_ex x = brink_builder_state(b, "x", 1.0), v = brink_builder_state(b, "v", 0.0);
  brink_guard_def def = brink_default_guard("side");
  brink_ex sign = brink_builder_sign(b, brink_builder_guard(b, &def, x));
  brink_builder_derivative(b, x, v);
  brink_builder_derivative(b, v, brink_ex_neg(sign));
  brink_built *built = end(b);
  run r;
  start(&r, brink_built_model(built));
  go(&r, 8.0 * sqrt(2.0));
  CHECK_INT(r.nevents, 4);
  for (size_t n = 0; n < r.nevents; n++)
    CHECK_NEAR(r.events[n].t, (double)(2 * n + 1) * sqrt(2.0), 1e-8);
  CHECK_NEAR(brink_sim_state(r.sim)[0], 1.0, 1e-8);
  stop(&r, built);
}

/* (x >= 3) or (1 <= y <= 5) with x = t, y = 2 t: true in [0.5, 2.5] and from 3 on. */
TEST(a_formula_over_guards_that_come_later_fires) {
  static const int formula[] = {1, 2, 3, BRINK_AND, BRINK_OR};
  brink_builder *b = begin("formula");
  brink_ex x = brink_builder_state(b, "x", 0.0), y = brink_builder_state(b, "y", 0.0);
  brink_builder_derivative(b, x, brink_builder_number(b, 1.0));
  brink_builder_derivative(b, y, brink_builder_number(b, 2.0));
  brink_guard_def hit = brink_default_guard("hit");
  hit.formula = formula;
  hit.formula_length = sizeof formula / sizeof *formula;
  CHECK_INT(brink_builder_formula(b, &hit), 0);
  const char *names[] = {"far", "above", "below"};
  brink_ex values[] = {brink_ex_add_constant(x, -3.0), brink_ex_add_constant(y, -1.0),
                       brink_ex_sub(brink_builder_number(b, 5.0), y)};
  for (int k = 0; k < 3; k++) {
    brink_guard_def leaf = brink_default_guard(names[k]);
    leaf.side = BRINK_LEAF;
    CHECK_INT(brink_builder_guard(b, &leaf, values[k]), k + 1);
  }
  brink_built *built = end(b);
  run r;
  start(&r, brink_built_model(built));
  go(&r, 4.0);
  const double times[] = {0.5, 2.5, 3.0};
  CHECK_INT(r.nevents, 3);
  for (size_t n = 0; n < 3 && n < r.nevents; n++) CHECK_NEAR(r.events[n].t, times[n], 1e-9);
  stop(&r, built);
}

/* ---- against callbacks ---- */

/* A pendulum that hits a wall, driven through a motor that a clock switches. */
enum { ANGLE, SPEED, HITS = 0, MOTOR = 0, DAMPING = 0 };

static int swing(double t, const double *x, const brink_env *env, double *dx) {
  dx[ANGLE] = x[SPEED];
  dx[SPEED] =
      (env->mode[MOTOR] != 0 ? 0.5 * cos(t) : 0.0) - (sin(x[ANGLE]) + env->p[DAMPING] * x[SPEED]);
  return 0;
}

static int wall(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = cos(x[ANGLE]) - 0.8;
  return 0;
}

static int wall_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                         double *dt) {
  (void)guard, (void)t, (void)env;
  dx[0] = -sin(x[ANGLE]);
  dx[1] = 0.0;
  *dt = 0.0;
  return 0;
}

static int rebound(const brink_event *event, brink_now *now, void *user) {
  (void)event;
  now->x[SPEED] *= -0.9;
  (*(int *)user)++;
  return 0;
}

static int toggle(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->mode[MOTOR] = 1 - now->mode[MOTOR];
  now->p[DAMPING] *= 1.1;
  return 0;
}

static const brink_clock_def motor = {.size = sizeof(brink_clock_def),
                                      .name = "motor",
                                      .period = 0.7,
                                      .offset = 0.35,
                                      .tick = toggle};

static brink_guard_def wall_def(void) {
  brink_guard_def def = brink_default_guard("wall");
  def.side = BRINK_UNILATERAL;
  def.direction = BRINK_NEGATIVE;
  def.action = rebound;
  return def;
}

static brink_model *callback_model(int *hits) {
  static const double x0[] = {0.3, 2.0}, p0[] = {0.01};
  static const int mode0[] = {1};
  brink_guard_def guard = wall_def();
  guard.value = wall;
  guard.gradient = wall_gradient;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.np = 1, def.p0 = p0, def.nmodes = 1, def.mode0 = mode0;
  def.rhs = swing, def.nguards = 1, def.guards = &guard, def.nclocks = 1, def.clocks = &motor;
  def.t0 = 0.25, def.user = hits;
  brink_model *model = NULL;
  CHECK_INT(brink_model_create(&def, NULL, NULL, &model), BRINK_OK);
  return model;
}

static brink_builder *describe_pendulum(int *hits) {
  brink_builder *b = begin("pendulum");
  brink_ex angle = brink_builder_state(b, "angle", 0.3),
           speed = brink_builder_state(b, "speed", 2.0);
  brink_ex damping = brink_builder_parameter(b, "damping", 0.01);
  brink_ex on = brink_builder_mode(b, "motor", 1);
  brink_ex drive = brink_ex_select(on, brink_ex_scale(brink_ex_cos(brink_builder_time(b)), 0.5),
                                   brink_builder_number(b, 0.0));
  brink_builder_derivative(b, angle, speed);
  brink_builder_derivative(
      b, speed,
      brink_ex_sub(drive, brink_ex_add(brink_ex_sin(angle), brink_ex_mul(damping, speed))));
  brink_guard_def guard = wall_def();
  brink_builder_guard(b, &guard, brink_ex_add_constant(brink_ex_cos(angle), -0.8));
  brink_model_def rest = brink_default_model();
  rest.t0 = 0.25, rest.user = hits, rest.nclocks = 1, rest.clocks = &motor;
  brink_builder_callbacks(b, &rest);
  return b;
}

TEST(a_described_model_and_a_model_of_callbacks_do_the_same) {
  int hits[2] = {0, 0};
  brink_model *model = callback_model(&hits[0]);
  brink_built *built = end(describe_pendulum(&hits[1]));
  run a, b;
  start(&a, model);
  start(&b, brink_built_model(built));
  CHECK_NEAR(brink_sim_time(b.sim), 0.25, 0.0);
  go(&a, 10.0);
  go(&b, 10.0);
  CHECK_INT(b.status, BRINK_TIME_REACHED);
  CHECK_MSG(hits[0] > 5, "%d hits", hits[0]);
  CHECK_INT(hits[1], hits[0]);
  CHECK_INT(b.nevents, a.nevents);
  for (size_t n = 0; n < a.nevents; n++) CHECK_NEAR(b.events[n].t, a.events[n].t, 1e-8);
  for (int i = 0; i < 2; i++)
    CHECK_NEAR(brink_sim_state(b.sim)[i], brink_sim_state(a.sim)[i], 1e-7);
  CHECK_NEAR(brink_sim_parameters(b.sim)[0], brink_sim_parameters(a.sim)[0], 0.0);
  CHECK_INT(brink_sim_modes(b.sim)[0], brink_sim_modes(a.sim)[0]);
  double at[] = {0.5, -0.2}, p = 0.1, da[2], db[2];
  int mode = 1;
  signed char sign = 1;
  brink_env ea = {.p = &p, .mode = &mode, .sgn = &sign}, eb = ea;
  eb.user = brink_built_model(built)->def.user;
  swing(1.5, at, &ea, da);
  CHECK_INT(brink_built_model(built)->def.rhs(1.5, at, &eb, db), 0);
  CHECK(memcmp(da, db, sizeof da) == 0); /* the same operations in the same order */
  brink_sim_destroy(a.sim);
  brink_model_destroy(model);
  stop(&b, built);
}

/* The two engines leave the same bits behind. */
TEST(machine_code_and_interpreter_agree_to_the_last_bit) {
  double states[2][2];
  brink_stats stats[2];
  int hits = 0;
  brink_builder *b = describe_pendulum(&hits);
  for (int e = 0; e < 2; e++) {
    brink_build_options options = build_options();
    brink_built *built = NULL;
    options.interpret = e == 0;
    CHECK_INT(brink_builder_finish(b, &options, NULL, &built), BRINK_OK);
    if (e == 0) CHECK(strcmp(brink_built_engine(built), "interpreter") == 0);
    if (e == 0) CHECK_NEAR(brink_built_compile_seconds(built), 0.0, 0.0);
    run r;
    start(&r, brink_built_model(built));
    go(&r, 12.0);
    memcpy(states[e], brink_sim_state(r.sim), sizeof states[e]);
    stats[e] = *brink_sim_stats(r.sim);
    stop(&r, built);
  }
  CHECK(memcmp(states[0], states[1], sizeof states[0]) == 0);
  CHECK(memcmp(&stats[0], &stats[1], sizeof stats[0]) == 0);
  brink_builder_destroy(b);
}

/* ---- callbacks ---- */

typedef struct calls {
  int actions, surfaces, ticks, rules, zenos, enabled;
} calls;

static int count_action(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)now;
  ((calls *)user)->actions++;
  return 0;
}
static int count_surface(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)now;
  ((calls *)user)->surfaces++;
  return 0;
}
static int count_tick(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)now;
  ((calls *)user)->ticks++;
  return 0;
}
static int count_rules(brink_now *now, bool *changed, void *user) {
  (void)now;
  ((calls *)user)->rules++;
  *changed = false;
  return 0;
}
static bool count_enabled(size_t guard, const brink_env *env) {
  (void)guard;
  ((calls *)env->user)->enabled++;
  return true;
}

/* v' = t/2 - sgn(v), v(0) = 0.5, and static friction of 1.5: stops at 2 - sqrt(2), lets go at 3. */
TEST(friction_holds_until_its_leave_guard_lets_go_and_every_callback_is_called) {
  calls seen = {0};
  brink_builder *b = begin("friction");
  brink_ex v = brink_builder_state(b, "v", 0.5);
  brink_ex force = brink_ex_scale(brink_builder_time(b), 0.5);
  brink_guard_def leave = brink_default_guard("leave");
  size_t up = brink_builder_guard(b, &leave, brink_ex_add_constant(force, -1.5));
  brink_guard_def rest = brink_default_guard("rest");
  rest.surface = BRINK_SURFACE_MODEL;
  rest.leave_positive = up;
  rest.action = count_action;
  rest.on_surface = count_surface;
  brink_ex sign = brink_builder_sign(b, brink_builder_guard(b, &rest, v));
  brink_ex zero = brink_builder_number(b, 0.0);
  brink_builder_derivative(
      b, v, brink_ex_select(brink_ex_eq(sign, zero), zero, brink_ex_sub(force, sign)));
  brink_clock_def clock = {.size = sizeof(brink_clock_def),
                           .name = "clock",
                           .period = 1.0,
                           .offset = 0.5,
                           .tick = count_tick};
  brink_model_def others = brink_default_model();
  others.clocks = &clock, others.nclocks = 1, others.rules = count_rules;
  others.enabled = count_enabled, others.user = &seen;
  brink_builder_callbacks(b, &others);
  brink_built *built = end(b);
  run r;
  start(&r, brink_built_model(built));
  go(&r, 4.0);
  CHECK_INT(r.status, BRINK_TIME_REACHED);
  CHECK_INT(seen.surfaces, 1);
  CHECK_INT(seen.ticks, 4);
  CHECK(seen.rules > 0 && seen.enabled > 0 && seen.actions > 0);
  for (size_t n = 0; n < r.nevents; n++)
    if (r.events[n].kind == BRINK_HELD) CHECK_NEAR(r.events[n].t, 2.0 - sqrt(2.0), 1e-7);
  CHECK_NEAR(brink_sim_state(r.sim)[0], 0.75, 1e-7); /* the integral of t/2 - 1 from 3 to 4 */
  stop(&r, built);
}

static int bounce(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] *= -0.5;
  return 0;
}
static int come_to_rest(const size_t *guards, size_t count, brink_now *now, void *user) {
  (void)guards, (void)count;
  ((calls *)user)->zenos++;
  now->x[0] = now->x[1] = 0.0;
  now->mode[0] = 1;
  return 0;
}
static bool flies(size_t guard, const brink_env *env) {
  (void)guard;
  return env->mode[0] == 0;
}

TEST(infinitely_many_bounces_end_in_the_zeno_callback) {
  calls seen = {0};
  brink_builder *b = begin("ball");
  brink_ex h = brink_builder_state(b, "h", 1.0), v = brink_builder_state(b, "v", 0.0);
  brink_ex resting = brink_builder_mode(b, "resting", 0);
  brink_builder_derivative(b, h, v);
  brink_builder_derivative(
      b, v, brink_ex_select(resting, brink_builder_number(b, 0.0), brink_builder_number(b, -9.81)));
  brink_guard_def floor = brink_default_guard("floor");
  floor.side = BRINK_UNILATERAL;
  floor.action = bounce;
  brink_builder_guard(b, &floor, h);
  brink_model_def rest = brink_default_model();
  rest.zeno = come_to_rest, rest.enabled = flies, rest.user = &seen;
  brink_builder_callbacks(b, &rest);
  brink_built *built = end(b);
  run r;
  start(&r, brink_built_model(built));
  go(&r, 3.0);
  CHECK_INT(r.status, BRINK_TIME_REACHED);
  CHECK_INT(seen.zenos, 1);
  CHECK_INT(brink_sim_modes(r.sim)[0], 1);
  stop(&r, built);
}

/* ---- large models, shared expressions ---- */

/* Bodies that attract each other. Each distance serves two bodies and two dimensions. */
enum { BODIES = 16 };

static double place(int i, int d) {
  return d == 0 ? cos(1.3 * i) * (1.0 + 0.1 * i) : sin(1.3 * i) * (1.0 + 0.1 * i);
}

static void attract(const double *x, double *dx) {
  for (int i = 0; i < 2 * BODIES; i++) dx[i] = x[2 * BODIES + i], dx[2 * BODIES + i] = 0.0;
  for (int i = 0; i < BODIES; i++) {
    for (int j = 0; j < i; j++) {
      double d[] = {x[2 * j] - x[2 * i], x[2 * j + 1] - x[2 * i + 1]};
      double r2 = d[0] * d[0] + d[1] * d[1], r3 = r2 * sqrt(r2);
      for (int k = 0; k < 2; k++) {
        dx[2 * BODIES + 2 * i + k] += d[k] / r3;
        dx[2 * BODIES + 2 * j + k] -= d[k] / r3;
      }
    }
  }
}

static brink_builder *describe_bodies(void) {
  brink_builder *b = begin("bodies");
  brink_ex x[BODIES][2], v[BODIES][2], a[BODIES][2];
  char name[16];
  for (int i = 0; i < BODIES; i++)
    for (int k = 0; k < 2; k++)
      snprintf(name, sizeof name, "x[%d][%d]", i, k),
          x[i][k] = brink_builder_state(b, name, place(i, k));
  for (int i = 0; i < BODIES; i++)
    for (int k = 0; k < 2; k++) {
      snprintf(name, sizeof name, "v[%d][%d]", i, k);
      v[i][k] = brink_builder_state(b, name, 0.0);
      a[i][k] = brink_builder_number(b, 0.0);
      brink_builder_derivative(b, x[i][k], v[i][k]);
    }
  for (int i = 0; i < BODIES; i++) {
    for (int j = 0; j < i; j++) {
      brink_ex d[] = {brink_ex_sub(x[j][0], x[i][0]), brink_ex_sub(x[j][1], x[i][1])};
      brink_ex r2 = brink_ex_add(brink_ex_square(d[0]), brink_ex_square(d[1]));
      brink_ex r3 = brink_ex_mul(r2, brink_ex_sqrt(r2));
      for (int k = 0; k < 2; k++) {
        a[i][k] = brink_ex_add(a[i][k], brink_ex_div(d[k], r3));
        a[j][k] = brink_ex_sub(a[j][k], brink_ex_div(d[k], r3));
      }
    }
  }
  for (int i = 0; i < BODIES; i++)
    for (int k = 0; k < 2; k++) brink_builder_derivative(b, v[i][k], a[i][k]);
  return b;
}

/* 120 pairs are one loop, and nobody can tell. */
TEST(a_large_model_computes_what_is_written) {
  brink_builder *b = describe_bodies();
  brink_build_options options = build_options();
  brink_built *built = NULL;
  options.jacobian = true;
  CHECK_INT(brink_builder_finish(b, &options, NULL, &built), BRINK_OK);
  brink_builder_destroy(b);
  const brink_model *model = brink_built_model(built);
  CHECK_INT(model->def.nx, 4 * BODIES);
  double x[4 * BODIES], dx[4 * BODIES], exact[4 * BODIES], series[4 * BODIES][3];
  double *rows[4 * BODIES];
  for (int i = 0; i < 4 * BODIES; i++)
    x[i] = model->def.x0[i], rows[i] = series[i], series[i][0] = x[i];
  attract(x, exact);
  brink_env env = {.user = model->def.user};
  CHECK_INT(model->def.rhs(0.0, x, &env, dx), 0);
  CHECK(memcmp(dx, exact, sizeof dx) == 0);
  CHECK_INT(model->def.flow_jet(2, 0.0, 1.0, x, &env, rows), 0);
  CHECK(model->def.jacobian != NULL);
  if (model->def.jacobian != NULL) {
    static double values[16 * BODIES * BODIES];
    const brink_sparsity *pattern = &model->def.jacobian_pattern;
    double along[4 * BODIES] = {0.0}; /* x'' = J x' */
    CHECK_INT(model->def.jacobian(0.0, x, &env, values), 0);
    for (size_t j = 0; j < 4 * BODIES; j++)
      for (size_t k = pattern->starts[j]; k < pattern->starts[j + 1]; k++)
        along[pattern->rows[k]] += values[k] * dx[j];
    for (int i = 0; i < 4 * BODIES; i++)
      CHECK_NEAR(along[i], 2.0 * series[i][2], 1e-13 * (1.0 + fabs(along[i])));
  }
  for (int i = 0; i < 2 * BODIES; i++)
    CHECK_NEAR(series[i][2], 0.5 * exact[2 * BODIES + i], 1e-14 * fabs(exact[2 * BODIES + i]));
  brink_built_destroy(built);
}

/* A guard for each pair of points on lines; all of one side but the last. */
enum { POINTS = 20, PAIRS = POINTS * (POINTS - 1) / 2 };

static double gap(const double *x, int i, int j) {
  return hypot(x[2 * i] - x[2 * j], x[2 * i + 1] - x[2 * j + 1]) - 0.1;
}

static void check_gap(const brink_model *model, size_t g, int i, int j) {
  const brink_guard_def *def = &model->guards[g].def;
  const double *x = model->def.x0;
  double value, dx[4] = {0.0}, dt;
  char name[32];
  brink_env env = {.user = model->def.user};
  snprintf(name, sizeof name, "gap %d %d", i, j);
  CHECK(strcmp(def->name, name) == 0);
  CHECK_INT(def->side, g == PAIRS - 1 ? BRINK_UNILATERAL : BRINK_BILATERAL);
  CHECK_INT(def->ndepends, 4);
  CHECK_INT(def->value(g, 0.0, x, &env, &value), 0);
  CHECK_NEAR(value, gap(x, i, j), 0.0);
  CHECK_INT(def->gradient(g, 0.0, x, &env, dx, &dt), 0);
  for (int k = 0; k < 4; k++) {
    int point = (int)def->depends[k] / 2, d = (int)def->depends[k] % 2;
    CHECK(point == i || point == j);
    double slope = (x[2 * i + d] - x[2 * j + d]) / (gap(x, i, j) + 0.1);
    CHECK_NEAR(dx[k], point == i ? slope : -slope, 1e-15);
  }
}

TEST(many_guards_that_are_alike_stay_who_they_are) {
  brink_builder *b = begin("points");
  brink_ex x[POINTS][2];
  char name[32];
  for (int i = 0; i < POINTS; i++)
    for (int d = 0; d < 2; d++) {
      snprintf(name, sizeof name, "x[%d][%d]", i, d);
      x[i][d] = brink_builder_state(b, name, place(i, d));
      brink_builder_derivative(b, x[i][d], brink_builder_number(b, -place(i, d)));
    }
  size_t count = 0;
  for (int i = 0; i < POINTS; i++)
    for (int j = 0; j < i; j++) {
      snprintf(name, sizeof name, "gap %d %d", i, j);
      brink_guard_def def = brink_default_guard(name);
      if (count == PAIRS - 1) def.side = BRINK_UNILATERAL;
      brink_ex apart =
          brink_ex_hypot(brink_ex_sub(x[i][0], x[j][0]), brink_ex_sub(x[i][1], x[j][1]));
      CHECK_INT(brink_builder_guard(b, &def, brink_ex_add_constant(apart, -0.1)), count++);
    }
  const int formula[] = {0, 1, BRINK_AND}; /* two of them are leaves, too */
  brink_guard_def both = brink_default_guard("both");
  both.formula = formula, both.formula_length = 3, both.direction = BRINK_NEGATIVE;
  CHECK_INT(brink_builder_formula(b, &both), PAIRS);
  brink_built *built = end(b);
  count = 0;
  for (int i = 0; i < POINTS; i++)
    for (int j = 0; j < i; j++) check_gap(brink_built_model(built), count++, i, j);
  run r;
  start(&r, brink_built_model(built));
  go(&r, 0.97); /* all points fly to the origin: |x_i - x_j| (1 - t) = 0.1 */
  for (size_t n = 0; n < r.nevents; n++) {
    int i = 1, j = 0, other = 0;
    if (r.events[n].guard == PAIRS) continue;
    if (sscanf(r.events[n].name, "gap %d %d%n", &i, &j, &other) != 2) CHECK(false);
    double first = gap(brink_built_model(built)->def.x0, i, j) + 0.1;
    CHECK_NEAR(r.events[n].t, 1.0 - 0.1 / first, 1e-8);
    CHECK_INT(r.events[n].guard, i * (i - 1) / 2 + j);
  }
  CHECK(r.nevents > 10);
  stop(&r, built);
}

/* Expressions that are shared, nested in each other, derivatives of two states, and parts of guards. */
TEST(what_equations_have_in_common_may_be_anything) {
  brink_builder *b = begin("common");
  brink_ex x = brink_builder_state(b, "x", 0.4), y = brink_builder_state(b, "y", 0.9);
  brink_ex u = brink_builder_state(b, "u", 0.0), w = brink_builder_state(b, "w", 0.0);
  brink_ex inner = brink_ex_sin(brink_ex_mul(x, y)), outer = brink_ex_exp(brink_ex_add(inner, x));
  brink_builder_derivative(b, x, outer);
  brink_builder_derivative(b, y, outer); /* the whole of another derivative */
  brink_builder_derivative(b, u, brink_ex_mul(outer, inner));
  brink_builder_derivative(b, w, u); /* a leaf */
  brink_guard_def def = brink_default_guard("g");
  brink_builder_guard(b, &def, brink_ex_sub(outer, inner));
  brink_built *built = end(b);
  const brink_model *model = brink_built_model(built);
  double at[] = {0.4, 0.9, 0.7, 0.0}, dx[4], g;
  brink_env env = {.user = model->def.user};
  double in = sin(0.4 * 0.9), out = exp(in + 0.4);
  CHECK_INT(model->def.rhs(0.0, at, &env, dx), 0);
  CHECK_NEAR(dx[0], out, 0.0);
  CHECK_NEAR(dx[1], out, 0.0);
  CHECK_NEAR(dx[2], out * in, 0.0);
  CHECK_NEAR(dx[3], 0.7, 0.0);
  CHECK_INT(model->guards[0].def.value(0, 0.0, at, &env, &g), 0);
  CHECK_NEAR(g, out - in, 0.0);
  CHECK_INT(model->guards[0].def.ndepends, 2); /* x and y */
  brink_built_destroy(built);
}

/* A model without states: time alone. */
TEST(a_model_may_have_no_states) {
  brink_builder *b = begin("time");
  brink_guard_def def = brink_default_guard("noon");
  brink_builder_guard(b, &def, brink_ex_add_constant(brink_builder_time(b), -12.0));
  brink_built *built = end(b);
  run r;
  start(&r, brink_built_model(built));
  go(&r, 24.0);
  CHECK_INT(r.nevents, 1);
  if (r.nevents > 0) CHECK_NEAR(r.events[0].t, 12.0, 1e-9);
  stop(&r, built);
}

/* One description, several models; none needs the builder or another one. */
TEST(a_builder_may_be_finished_again_and_described_further) {
  brink_builder *b = begin("decay");
  brink_ex x = brink_builder_state(b, "x", 1.0);
  brink_builder_derivative(b, x, brink_ex_neg(x));
  brink_build_options options = build_options();
  brink_built *first = NULL, *second = NULL;
  CHECK_INT(brink_builder_finish(b, &options, NULL, &first), BRINK_OK);
  brink_guard_def def = brink_default_guard("half");
  brink_builder_guard(b, &def, brink_ex_add_constant(x, -0.5));
  CHECK_INT(brink_builder_finish(b, &options, NULL, &second), BRINK_OK);
  brink_builder_destroy(b);
  run r, s;
  start(&r, brink_built_model(first));
  start(&s, brink_built_model(second));
  go(&r, 1.0);
  go(&s, 1.0);
  CHECK_INT(r.nevents, 0);
  CHECK_INT(s.nevents, 1);
  CHECK_NEAR(s.events[0].t, log(2.0), 1e-8);
  stop(&r, first);
  go(&s, 2.0);
  CHECK_NEAR(brink_sim_state(s.sim)[0], exp(-2.0), 1e-8);
  stop(&s, second);
}

/* ---- memory ---- */

/* A little of everything, with an allocator; mistakes on the way show in brink_builder_finish. */
static brink_status build_rich(const brink_allocator *allocator, brink_diag *diag,
                               brink_built **built) {
  static const int formula[] = {0, 1, BRINK_OR};
  brink_builder *b;
  brink_status status = brink_builder_create("rich", allocator, diag, &b);
  *built = NULL;
  if (status != BRINK_OK) return status;
  brink_ex x = brink_builder_state(b, "x", 1.0), v = brink_builder_state(b, "v", 0.0);
  brink_ex p = brink_builder_parameter(b, "p", 2.0), m = brink_builder_mode(b, "m", 1);
  brink_guard_def def = brink_default_guard("line");
  size_t line = brink_builder_guard(b, &def, brink_ex_add_constant(x, -0.5));
  def.name = "curve", def.action = bounce;
  brink_builder_guard(b, &def, brink_ex_sub(brink_ex_sin(x), brink_ex_mul(p, v)));
  def = brink_default_guard("either"), def.formula = formula, def.formula_length = 3;
  brink_builder_formula(b, &def);
  brink_ex force = brink_ex_mul(brink_ex_exp(brink_ex_neg(brink_ex_square(x))), m);
  brink_builder_derivative(b, x, brink_ex_add(v, brink_ex_scale(force, 1e-3)));
  brink_builder_derivative(b, v, brink_ex_sub(force, brink_builder_sign(b, line)));
  brink_model_def rest = brink_default_model();
  rest.nclocks = 1, rest.clocks = &motor, rest.rules = count_rules;
  brink_builder_callbacks(b, &rest);
  brink_build_options options = build_options();
  options.jacobian = true;
  status = brink_builder_finish(b, &options, diag, built);
  brink_builder_destroy(b);
  return status;
}

static void check_failures(bool fail_on) {
  for (long n = 1; n < 10000; n++) {
    counting state = {.fail_at = n, .fail_on = fail_on};
    brink_allocator allocator = counting_allocator(&state);
    brink_diag diag;
    brink_built *built;
    brink_status status = build_rich(&allocator, &diag, &built);
    bool reached = state.calls >= n;
    if (status == BRINK_OK) brink_built_destroy(built);
    CHECK_MSG(state.live == 0 && state.bytes == 0 && state.mismatch == 0,
              "allocation %ld: %ld blocks left, %ld sizes wrong", n, state.live, state.mismatch);
    if (!reached) {
      CHECK_INT(status, BRINK_OK);
      CHECK(n > 10);
      return;
    }
    /* A compiler or a Jacobian that lacks memory is done without. */
    CHECK_MSG(status == BRINK_ERR_MEMORY || status == BRINK_OK, "allocation %ld: %s", n,
              diag.message);
    if (status != BRINK_OK) CHECK_CONTAINS(diag.message, "memory");
  }
  CHECK_MSG(false, "it never succeeded");
}

TEST(building_survives_the_failure_of_any_allocation) {
  check_failures(false);
  check_failures(true);
}

TEST(running_takes_no_memory) {
  counting state = {0};
  brink_allocator allocator = counting_allocator(&state);
  int hits = 0;
  brink_builder *b = NULL;
  brink_built *built = NULL;
  brink_sim *sim = NULL;
  CHECK_INT(brink_builder_create("ball", &allocator, NULL, &b), BRINK_OK);
  brink_ex h = brink_builder_state(b, "h", 1.0), v = brink_builder_state(b, "v", 0.0);
  brink_builder_derivative(b, h, v);
  brink_builder_derivative(b, v, brink_builder_number(b, -9.81));
  brink_guard_def floor = brink_default_guard("floor");
  floor.side = BRINK_UNILATERAL, floor.action = rebound;
  brink_builder_guard(b, &floor, brink_ex_sub(brink_ex_exp(h), brink_builder_number(b, 1.0)));
  brink_model_def rest = brink_default_model();
  rest.user = &hits;
  brink_builder_callbacks(b, &rest);
  brink_build_options options = build_options();
  CHECK_INT(brink_builder_finish(b, &options, NULL, &built), BRINK_OK);
  brink_builder_destroy(b);
  CHECK_INT(brink_sim_create(brink_built_model(built), NULL, &allocator, NULL, &sim), BRINK_OK);
  long before = state.calls;
  CHECK_INT(brink_sim_run(sim, 2.0, NULL), BRINK_TIME_REACHED);
  CHECK(hits >= 2);
  CHECK_INT(state.calls, before);
  brink_sim_destroy(sim);
  brink_built_destroy(built);
  CHECK_INT(state.live, 0);
  CHECK_INT(state.mismatch, 0);
}

static void run_all(void) {
  RUN(an_oscillator_passes_its_centre_when_the_cosine_does);
  RUN(guards_follow_parameters_that_runs_and_actions_change);
  RUN(the_sign_of_a_guard_switches_the_right_hand_side);
  RUN(a_formula_over_guards_that_come_later_fires);
  RUN(a_described_model_and_a_model_of_callbacks_do_the_same);
  RUN(friction_holds_until_its_leave_guard_lets_go_and_every_callback_is_called);
  RUN(infinitely_many_bounces_end_in_the_zeno_callback);
  RUN(a_large_model_computes_what_is_written);
  RUN(many_guards_that_are_alike_stay_who_they_are);
  RUN(what_equations_have_in_common_may_be_anything);
  RUN(a_model_may_have_no_states);
  RUN(a_builder_may_be_finished_again_and_described_further);
  RUN(building_survives_the_failure_of_any_allocation);
  RUN(running_takes_no_memory);
}

int main(void) {
  static const brink_method methods[] = {BRINK_ADAMS, BRINK_TAYLOR};
  for (int k = 0; k < 4; k++) {
    native = k % 2 == 1;
    method = methods[k / 2];
    run_all();
  }
  RUN(machine_code_and_interpreter_agree_to_the_last_bit);
  return check_done();
}
