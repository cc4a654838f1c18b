/* Derivatives of runs against closed forms: flows, events, resets, clocks, timers, sliding; by the model's own
 * tangents and by differences. */
#include <brink/sensitivity.h>

#include "check.h"
#include "support/counting.h"

#include <float.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- a run with its events ---- */

enum { MAX_EVENTS = 64, MAX_WIDTH = 64 };

typedef struct told {
  size_t count;
  double t[MAX_EVENTS], time[MAX_EVENTS][MAX_WIDTH], after[MAX_EVENTS][MAX_WIDTH];
  double saltation[MAX_EVENTS][MAX_WIDTH];
  unsigned limits[MAX_EVENTS];
  size_t nx;
} told;

static void note(const brink_sensitivity_event *event, void *user) {
  told *to = user;
  size_t k = to->count++;
  if (k >= MAX_EVENTS) return;
  to->t[k] = event->event->t;
  to->limits[k] = event->limits;
  for (size_t j = 0; j < event->count && j < MAX_WIDTH; j++) to->time[k][j] = event->time[j];
  for (size_t j = 0; j < to->nx * event->count && j < MAX_WIDTH; j++)
    to->after[k][j] = event->after[j];
  for (size_t j = 0; event->saltation != NULL && j < to->nx * to->nx && j < MAX_WIDTH; j++)
    to->saltation[k][j] = event->saltation[j];
}

typedef struct result {
  brink_status status;
  double m[MAX_WIDTH], x[MAX_WIDTH];
  unsigned limits;
  told events;
} result;

static brink_options precise(brink_method method) {
  brink_options options = brink_default_options();
  options.method = method;
  options.rtol = 1e-10;
  options.atol = 1e-13;
  return options;
}

/* To t_end with these directions (x, p: NULL, count 0: the initial states). */
static result run(const brink_model_def *def, const brink_options *options, size_t count,
                  const double *x, const double *p, double t_end) {
  static result out;
  brink_diag diag;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_sensitivity *s = NULL;
  memset(&out, 0, sizeof out);
  out.events.nx = def->nx;
  brink_sensitivity_def asked = brink_default_sensitivity();
  asked.count = count;
  asked.x = x;
  asked.p = p;
  asked.saltation = true;
  asked.event = note;
  asked.user = &out.events;
  if (brink_model_create(def, NULL, &diag, &model) != BRINK_OK ||
      brink_sim_create(model, options, NULL, &diag, &sim) != BRINK_OK ||
      brink_sensitivity_create(sim, &asked, NULL, &diag, &s) != BRINK_OK) {
    CHECK_MSG(false, "%s", diag.message);
  } else {
    out.status = brink_sim_run(sim, t_end, &diag);
    CHECK_MSG(out.status >= 0, "%s", diag.message);
    memcpy(out.x, brink_sim_state(sim), def->nx * sizeof(double));
    memcpy(out.m, brink_sensitivity_state(s),
           def->nx * brink_sensitivity_count(s) * sizeof(double));
    out.limits = brink_sensitivity_limits(s);
  }
  brink_sensitivity_destroy(s);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return out;
}

#define CHECK_RELATIVE(actual, expected, tolerance)                                                \
  CHECK_NEAR(actual, expected, (tolerance) * (fabs(expected) + 1e-3))

/* ---- flows ---- */

static int oscillator_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = x[1];
  dx[1] = -env->p[0] * x[0];
  return 0;
}

static int oscillator_tangent(double t, const double *x, const brink_env *env,
                              const brink_tangents *along, double *df) {
  (void)t;
  for (size_t k = 0; k < along->count; k++) {
    df[k] = along->x[along->count + k];
    df[along->count + k] = -env->p[0] * along->x[k] - along->p[k] * x[0];
  }
  return 0;
}

/* x'' = -w^2 x: M = exp(A t), and the derivative by w^2. */
TEST(a_linear_flow_has_the_matrix_exponential) {
  double x0[] = {1.0, 0.5}, w = 1.3, p0[] = {w * w}, t = 7.0;
  double dx[] = {1, 0, 0, 0, 1, 0}, dp[] = {0, 0, 1};
  brink_method methods[] = {BRINK_ADAMS, BRINK_DOPRI};
  for (int own = 0; own < 2; own++) {
    for (size_t m = 0; m < COUNT(methods); m++) {
      brink_model_def def = brink_default_model();
      def.nx = 2, def.np = 1, def.x0 = x0, def.p0 = p0, def.rhs = oscillator_rhs;
      if (own) def.rhs_tangent = oscillator_tangent;
      brink_options options = precise(methods[m]);
      result r = run(&def, &options, 3, dx, dp, t);
      double c = cos(w * t), s = sin(w * t);
      CHECK_RELATIVE(r.m[0], c, 1e-8);
      CHECK_RELATIVE(r.m[1], s / w, 1e-8);
      CHECK_RELATIVE(r.m[3], -w * s, 1e-8);
      CHECK_RELATIVE(r.m[4], c, 1e-8);
      double by_w = -x0[0] * t * s + x0[1] * (t * c / w - s / (w * w));
      CHECK_RELATIVE(r.m[2], by_w / (2.0 * w), 1e-8);
      CHECK_INT(r.limits, 0);
    }
  }
}

/* ---- resets ---- */

static int fall_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = x[1];
  dx[1] = -env->p[0];
  return 0;
}

static int bounce(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] = -now->p[1] * now->x[1];
  return 0;
}

static brink_model_def ball(const double *x0, const double *p0, brink_guard_def *floor) {
  static const size_t first[] = {0};
  static const double one[] = {1.0};
  *floor = brink_default_guard("floor");
  floor->depends = first, floor->ndepends = 1, floor->coefficients = one;
  floor->direction = BRINK_NEGATIVE;
  floor->side = BRINK_UNILATERAL;
  floor->action = bounce;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.np = 2, def.x0 = x0, def.p0 = p0, def.rhs = fall_rhs;
  def.nguards = 1, def.guards = floor;
  return def;
}

/* Dropped from h: t1 = sqrt(2h/g), t_n = t1 (1 + 2e + … + 2 e^(n-1)), speed after bounce n: g t1 e^n. */
TEST(a_bouncing_ball_has_the_derivatives_of_its_closed_form) {
  double x0[] = {2.0, 0.0}, p0[] = {9.81, 0.8};
  double dx[] = {1, 0, 0, 0, 0, 0}, dp[] = {0, 1, 0, 0, 0, 1}; /* h, g, e */
  brink_guard_def floor;
  brink_model_def def = ball(x0, p0, &floor);
  brink_options options = precise(BRINK_ADAMS);
  double h = x0[0], g = p0[0], e = p0[1], t1 = sqrt(2.0 * h / g);
  double t3 = t1 * (1 + 2 * e + 2 * e * e), end = t3 + 0.3;
  result r = run(&def, &options, 3, dx, dp, end);
  CHECK_INT(r.events.count, 3);
  double sum = 0.0, slope = 0.0;
  for (int n = 0; n < 3; n++) {
    if (n > 0) sum += 2.0 * pow(e, n), slope += 2.0 * n * pow(e, n - 1);
    double tn = t1 * (1.0 + sum);
    CHECK_RELATIVE(r.events.time[n][0], tn / (2.0 * h), 1e-8);
    CHECK_RELATIVE(r.events.time[n][1], -tn / (2.0 * g), 1e-8);
    CHECK_RELATIVE(r.events.time[n][2], t1 * slope, 1e-8);
  }
  /* v = g t1 e^3 - g (t - t3) */
  double dt1[] = {t1 / (2 * h), -t1 / (2 * g), 0.0}, de[] = {0, 0, 1}, dg[] = {0, 1, 0};
  for (int k = 0; k < 3; k++) {
    double dt3 = dt1[k] * t3 / t1 + t1 * (2 + 4 * e) * de[k];
    double up = g * t1 * e * e * e,
           dup = dg[k] * t1 * e * e * e + g * dt1[k] * e * e * e + 3.0 * g * t1 * e * e * de[k];
    double s = end - t3;
    CHECK_RELATIVE(r.m[3 + k], dup - dg[k] * s + g * dt3, 1e-7);
    CHECK_RELATIVE(r.m[k], dup * s - up * dt3 - 0.5 * dg[k] * s * s + g * s * dt3, 1e-7);
  }
  CHECK(r.limits == BRINK_SENSITIVITY_DIFFERENCES);
  /* The saltation matrix of an impact: [-e, 0; (1 + e) g/v-, -e], by S = R - (R f- - f+) g_x/(g_x f-). */
  double v = -g * t1;
  CHECK_RELATIVE(r.events.saltation[0][0], -e, 1e-8);
  CHECK_RELATIVE(r.events.saltation[0][1], 0.0, 1e-8);
  CHECK_RELATIVE(r.events.saltation[0][2], -(e * g + g) / v, 1e-8);
  CHECK_RELATIVE(r.events.saltation[0][3], -e, 1e-8);
}

/* ---- a relay ---- */

static int relay_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = x[1];
  dx[1] = -env->p[0] * env->sgn[0];
  return 0;
}

/* x'' = -u sign(x) from (a, 0): quarters of period sqrt(2a/u); at crossing n: t = (2n - 1) sqrt(2a/u). */
TEST(a_relay_has_the_derivatives_of_its_closed_form) {
  static const size_t first[] = {0};
  static const double one[] = {1.0};
  double x0[] = {0.25, 0.0}, p0[] = {1.0}, dx[] = {1, 0, 0, 0}, dp[] = {0, 1};
  brink_guard_def guard = brink_default_guard("phi");
  guard.depends = first, guard.ndepends = 1, guard.coefficients = one;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.np = 1, def.x0 = x0, def.p0 = p0, def.rhs = relay_rhs;
  def.nguards = 1, def.guards = &guard;
  brink_options options = precise(BRINK_ADAMS);
  double a = 0.25, u = 1.0, q = sqrt(2.0 * a / u), end = 5.5 * q;
  result r = run(&def, &options, 2, dx, dp, end);
  CHECK_INT(r.events.count, 3);
  for (int n = 0; n < 3; n++) {
    double t = (2 * n + 1) * q;
    CHECK_RELATIVE(r.events.time[n][0], t / (2.0 * a), 1e-8);
    CHECK_RELATIVE(r.events.time[n][1], -t / (2.0 * u), 1e-8);
  }
  /* After the third: x = -u q s + u s^2/2, s = t - 5 q. */
  double s = end - 5.0 * q, dq[] = {q / (2.0 * a), -q / (2.0 * u)}, du[] = {0.0, 1.0};
  for (int k = 0; k < 2; k++) {
    double ds = -5.0 * dq[k];
    CHECK_RELATIVE(r.m[k],
                   -du[k] * q * s - u * dq[k] * s - u * q * ds + 0.5 * du[k] * s * s + u * s * ds,
                   1e-8);
    CHECK_RELATIVE(r.m[2 + k], -du[k] * q - u * dq[k] + du[k] * s + u * ds, 1e-8);
  }
}

/* ---- clocks and timers ---- */

static int decay_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = -x[0];
  return 0;
}

static int add_and_wind(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)tick, (void)user;
  now->x[0] += 1.0;
  now->timer[clock] = now->t + 0.5 * now->x[0];
  return 0;
}

/* x' = -x, at a timer: x := x + 1, next := t + x/2. */
TEST(a_timer_that_a_state_sets_carries_its_derivative) {
  double x0[] = {1.0};
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "bell", .offset = 0.5, .tick = add_and_wind};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.x0 = x0, def.rhs = decay_rhs, def.nclocks = 1, def.clocks = &clock;
  brink_options options = precise(BRINK_ADAMS);
  /* x1 = x0 e^-0.5 + 1, t2 = 0.5 + x1/2, x2 = x1 e^-(x1/2) + 1, t3 = t2 + x2/2, x = x2 e^-(t - t2) */
  double x1 = exp(-0.5) + 1.0, dx1 = exp(-0.5), t2 = 0.5 + 0.5 * x1, dt2 = 0.5 * dx1;
  double e = exp(-0.5 * x1), x2 = x1 * e + 1.0, dx2 = dx1 * e * (1.0 - 0.5 * x1);
  double end = t2 + 0.3;
  result r = run(&def, &options, 0, NULL, NULL, end);
  CHECK_NEAR(r.x[0], x2 * exp(-0.3), 1e-8);
  CHECK_RELATIVE(r.m[0], exp(-0.3) * (dx2 + x2 * dt2), 1e-8);
}

static int sample(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->p[1] = now->p[0] * (2.0 - now->x[0]);
  return 0;
}

static int held_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = env->p[1];
  return 0;
}

/* x' = u held for a second, u = k (2 - x): 2 - x_n = 2 (1 - k)^n. */
TEST(held_values_carry_derivatives) {
  double x0[] = {0.0}, p0[] = {0.3, 0.0}, dx[] = {1, 0}, dp[] = {0, 1, 0, 0}, k = 0.3;
  brink_clock_def clock = {
      .size = sizeof(brink_clock_def), .name = "clock", .period = 1.0, .tick = sample};
  brink_model_def def = brink_default_model();
  def.nx = 1, def.np = 2, def.x0 = x0, def.p0 = p0, def.rhs = held_rhs;
  def.nclocks = 1, def.clocks = &clock;
  brink_options options = precise(BRINK_ADAMS);
  result r = run(&def, &options, 2, dx, dp, 3.999999999);
  CHECK_RELATIVE(r.m[0], pow(1.0 - k, 4.0), 1e-7);
  CHECK_RELATIVE(r.m[1], 8.0 * pow(1.0 - k, 3.0), 1e-7);
}

/* ---- corners ---- */

/* A throw that ends its rise at the very surface: y = t - t^2/2, at most 0.5. */
TEST(a_grazed_surface_gives_infinities) {
  static const size_t first[] = {0};
  static const double one[] = {1.0};
  double x0[] = {0.0, 1.0}, p0[] = {1.0, 0.5};
  brink_guard_def guard = brink_default_guard("top");
  guard.depends = first, guard.ndepends = 1, guard.coefficients = one, guard.offset = -0.5;
  guard.side = BRINK_UNILATERAL, guard.direction = BRINK_POSITIVE;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.np = 2, def.x0 = x0, def.p0 = p0, def.rhs = fall_rhs;
  def.nguards = 1, def.guards = &guard;
  brink_options options = precise(BRINK_ADAMS);
  result r = run(&def, &options, 0, NULL, NULL, 1.5);
  CHECK_INT(r.events.count, 1);
  for (int k = 0; k < 2; k++)
    CHECK_MSG(isinf(r.events.time[0][k]) || fabs(r.events.time[0][k]) > 1e4, "dT = %g",
              r.events.time[0][k]);
  /* The event changes nothing: M is that of the flow. */
  CHECK_RELATIVE(r.m[1], 1.5, 1e-8);
  CHECK_RELATIVE(r.m[0], 1.0, 1e-8);
}

static int two_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 1.0;
  dx[1] = 2.0;
  return 0;
}

TEST(events_at_one_instant_that_move_differently_are_told) {
  static const size_t which[] = {0, 1};
  static const double one[] = {1.0};
  double x0[] = {-1.0, -2.0};
  brink_guard_def guards[2];
  for (int k = 0; k < 2; k++) {
    guards[k] = brink_default_guard(k == 0 ? "a" : "b");
    guards[k].depends = &which[k], guards[k].ndepends = 1, guards[k].coefficients = one;
  }
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = two_rhs, def.nguards = 2, def.guards = guards;
  brink_options options = precise(BRINK_ADAMS);
  result r = run(&def, &options, 0, NULL, NULL, 2.0);
  CHECK_INT(r.events.count, 2);
  CHECK(r.limits & BRINK_SENSITIVITY_SEVERAL);
  CHECK_RELATIVE(r.events.time[0][0], -1.0, 1e-9);
  CHECK_RELATIVE(r.events.time[0][1], 0.0, 1e-9);
  CHECK_RELATIVE(r.events.time[1][0], 0.0, 1e-9);
  CHECK_RELATIVE(r.events.time[1][1], -0.5, 1e-9);
}

/* ---- sliding in the plane ---- */

/* On the circle x^2 + y^2 = p: f = (-y, x) - (s/2) (x, y) + (c, 0), by callbacks without tangents. */
static int circle_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  double s = env->sgn[0];
  dx[0] = -x[1] - 0.5 * s * x[0] + 0.1;
  dx[1] = x[0] - 0.5 * s * x[1];
  return 0;
}

static int circle_guard(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t;
  *g = x[0] * x[0] + x[1] * x[1] - env->p[0];
  return 0;
}

static int circle_gradient(size_t guard, double t, const double *x, const brink_env *env,
                           double *dx, double *dt) {
  (void)guard, (void)t, (void)env;
  dx[0] = 2.0 * x[0], dx[1] = 2.0 * x[1], *dt = 0.0;
  return 0;
}

/* Sliding, the angle obeys a' = 1 - 0.1 sin(a)/sqrt(p): da/da0 = a'(t)/a'(0), and the radius is sqrt(p). */
TEST(sliding_on_a_curve_needs_second_derivatives_of_the_guard) {
  double x0[] = {1.5, 0.0}, p0[] = {1.0}, dx[] = {1, 0, 0, 0, 1, 0}, dp[] = {0, 0, 1};
  for (int gradient = 0; gradient < 2; gradient++) {
    brink_guard_def guard = brink_default_guard("circle");
    guard.value = circle_guard;
    if (gradient) guard.gradient = circle_gradient;
    brink_model_def def = brink_default_model();
    def.nx = 2, def.np = 1, def.x0 = x0, def.p0 = p0, def.rhs = circle_rhs;
    def.nguards = 1, def.guards = &guard;
    brink_options options = precise(BRINK_ADAMS);
    result r = run(&def, &options, 3, dx, dp, 4.0);
    CHECK_INT(r.events.count, 1);
    /* M stays tangent: g_x M + g_p P = 0 for every direction. */
    for (int k = 0; k < 3; k++)
      CHECK_NEAR(2.0 * (r.x[0] * r.m[k] + r.x[1] * r.m[3 + k]), k == 2 ? 1.0 : 0.0,
                 gradient ? 1e-8 : 1e-5);
    CHECK_NEAR(hypot(r.x[0], r.x[1]), 1.0, 1e-8);
    /* Each way along the circle takes its time: angles that differ by d at one time differ by
     * d a'(later)/a'(now) later. */
    result then = run(&def, &options, 3, dx, dp, 2.0);
    double turned = (1.0 - 0.1 * r.x[1]) / (1.0 - 0.1 * then.x[1]);
    for (int k = 0; k < 2; k++) {
      double now = r.x[0] * r.m[3 + k] - r.x[1] * r.m[k];
      double before = then.x[0] * then.m[3 + k] - then.x[1] * then.m[k];
      CHECK_RELATIVE(now, before * turned, gradient ? 1e-7 : 1e-5);
    }
  }
}

/* ---- the run does not notice ---- */

typedef struct seen {
  uint64_t hash;
} seen;

static void mix(seen *to, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t k = 0; k < size; k++) to->hash = (to->hash ^ bytes[k]) * UINT64_C(0x100000001B3);
}

static int see_step(const brink_step_record *record, void *user) {
  mix(user, &record->t1, sizeof record->t1);
  mix(user, record->x, record->nx * sizeof(double));
  return 0;
}

static int see_event(const brink_event_record *record, void *user) {
  mix(user, &record->event.t, sizeof record->event.t);
  mix(user, &record->event.guard, sizeof record->event.guard);
  return 0;
}

TEST(the_run_is_the_same_bit_by_bit) {
  double x0[] = {2.0, 0.0}, p0[] = {9.81, 0.8};
  brink_guard_def floor;
  brink_model_def def = ball(x0, p0, &floor);
  seen hash[2] = {{1}, {1}};
  brink_stats stats[2];
  for (int with = 0; with < 2; with++) {
    brink_model *model = NULL;
    brink_sim *sim = NULL;
    brink_sensitivity *s = NULL;
    brink_options options = precise(BRINK_ADAMS);
    options.audit = true;
    CHECK(brink_model_create(&def, NULL, NULL, &model) == BRINK_OK);
    CHECK(brink_sim_create(model, &options, NULL, NULL, &sim) == BRINK_OK);
    brink_sink sink = {.step = see_step, .event = see_event, .user = &hash[with]};
    brink_sim_set_sink(sim, &sink);
    if (with) CHECK(brink_sensitivity_create(sim, NULL, NULL, NULL, &s) == BRINK_OK);
    CHECK(brink_sim_run(sim, 3.0, NULL) == BRINK_TIME_REACHED);
    stats[with] = *brink_sim_stats(sim);
    brink_sensitivity_destroy(s);
    CHECK(brink_sim_advance(sim, 4.0, NULL) >= 0); /* alone again */
    brink_sim_destroy(sim);
    brink_model_destroy(model);
  }
  CHECK(hash[0].hash == hash[1].hash);
  CHECK(memcmp(&stats[0], &stats[1], sizeof stats[0]) == 0);
}

/* ---- memory ---- */

TEST(every_allocation_may_fail_and_running_takes_none) {
  double x0[] = {2.0, 0.0}, p0[] = {9.81, 0.8};
  brink_guard_def floor;
  brink_model_def def = ball(x0, p0, &floor);
  brink_model *model = NULL;
  CHECK(brink_model_create(&def, NULL, NULL, &model) == BRINK_OK);
  for (long fail = 1;; fail++) {
    counting state = {.fail_at = fail};
    brink_allocator allocator = counting_allocator(&state);
    brink_sim *sim = NULL;
    brink_sensitivity *s = NULL;
    brink_diag diag;
    CHECK(brink_sim_create(model, NULL, NULL, NULL, &sim) == BRINK_OK);
    brink_status status = brink_sensitivity_create(sim, NULL, &allocator, &diag, &s);
    CHECK(status == BRINK_OK || status == BRINK_ERR_MEMORY);
    long calls = state.calls;
    CHECK(brink_sim_run(sim, 2.0, NULL) == BRINK_TIME_REACHED);
    CHECK_INT(state.calls, calls);
    brink_sensitivity_destroy(s);
    brink_sim_destroy(sim);
    CHECK_INT(state.live, 0);
    CHECK_INT(state.mismatch, 0);
    if (status == BRINK_OK) break;
  }
  brink_model_destroy(model);
}

TEST(wrong_arguments_are_refused_and_a_reset_begins_anew) {
  double x0[] = {2.0, 0.0}, p0[] = {9.81, 0.8}, once[4];
  brink_guard_def floor;
  brink_model_def def = ball(x0, p0, &floor);
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_sensitivity *s = NULL, *other = NULL;
  brink_diag diag;
  CHECK(brink_model_create(&def, NULL, NULL, &model) == BRINK_OK);
  CHECK(brink_sim_create(model, NULL, NULL, NULL, &sim) == BRINK_OK);
  CHECK(brink_sensitivity_create(NULL, NULL, NULL, &diag, &s) == BRINK_ERR_ARGUMENT);
  CHECK(brink_sensitivity_create(sim, NULL, NULL, &diag, &s) == BRINK_OK);
  CHECK(brink_sensitivity_create(sim, NULL, NULL, &diag, &other) == BRINK_ERR_ARGUMENT);
  CHECK(brink_sim_run(sim, 2.0, NULL) == BRINK_TIME_REACHED);
  memcpy(once, brink_sensitivity_state(s), sizeof once);
  CHECK(brink_sim_reset(sim, NULL) == BRINK_OK);
  brink_sensitivity_reset(s);
  CHECK(brink_sensitivity_state(s)[0] == 1.0 && brink_sensitivity_state(s)[1] == 0.0);
  CHECK(brink_sim_run(sim, 2.0, NULL) == BRINK_TIME_REACHED);
  CHECK(memcmp(once, brink_sensitivity_state(s), sizeof once) == 0);
  brink_sensitivity_destroy(s);
  CHECK(brink_sensitivity_create(sim, NULL, NULL, &diag, &s) == BRINK_ERR_ARGUMENT);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* x' = -k x. */
static int decay(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = -env->p[0] * x[0];
  return 0;
}

/* By x(0) and k. Until `t`, then somebody writes. */
static void check_slopes(brink_sim *sim, const brink_sensitivity *s, double t, double by_x,
                         double by_k) {
  CHECK(brink_sim_run(sim, t, NULL) == BRINK_TIME_REACHED);
  CHECK_NEAR(brink_sensitivity_state(s)[0], by_x, 1e-8);
  CHECK_NEAR(brink_sensitivity_state(s)[1], by_k, 1e-8);
}

TEST(what_is_written_on_the_way_depends_on_nothing_any_more) {
  double x0[] = {1.0}, p0[] = {1.0}, three[] = {3.0}, same[1], x[] = {1.0, 0.0}, p[] = {0.0, 1.0};
  brink_model_def def = brink_default_model();
  brink_options options = precise(BRINK_ADAMS);
  brink_sensitivity_def directions = brink_default_sensitivity();
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_sensitivity *s = NULL;
  def.nx = def.np = 1;
  def.x0 = x0;
  def.p0 = p0;
  def.rhs = decay;
  directions.count = 2;
  directions.x = x;
  directions.p = p;
  CHECK(brink_model_create(&def, NULL, NULL, &model) == BRINK_OK);
  CHECK(brink_sim_create(model, &options, NULL, NULL, &sim) == BRINK_OK);
  CHECK(brink_sensitivity_create(sim, &directions, NULL, NULL, &s) == BRINK_OK);
  /* A state: x = 3 exp(-k (t - 1)). */
  check_slopes(sim, s, 1.0, exp(-1.0), -exp(-1.0));
  CHECK(brink_sim_set_state(sim, three, NULL) == BRINK_OK);
  check_slopes(sim, s, 2.0, 0.0, -3.0 * exp(-1.0));
  /* The value that it has changes nothing. */
  same[0] = brink_sim_state(sim)[0];
  CHECK(brink_sim_set_state(sim, same, NULL) == BRINK_OK);
  check_slopes(sim, s, 3.0, 0.0, -6.0 * exp(-2.0));
  /* A parameter, which becomes 2 at 1: x = x(0) exp(-k - 2 (t - 1)). */
  CHECK(brink_sim_reset(sim, NULL) == BRINK_OK);
  brink_sensitivity_reset(s);
  check_slopes(sim, s, 1.0, exp(-1.0), -exp(-1.0));
  CHECK(brink_sim_set_parameter(sim, 0, 2.0, NULL) == BRINK_OK);
  check_slopes(sim, s, 2.0, exp(-3.0), -exp(-3.0));
  /* Before it begins: another start, x = x(0) exp(-2 t) from 3. */
  CHECK(brink_sim_reset(sim, NULL) == BRINK_OK);
  brink_sensitivity_reset(s);
  CHECK(brink_sim_set_state(sim, three, NULL) == BRINK_OK);
  CHECK(brink_sim_set_parameter(sim, 0, 2.0, NULL) == BRINK_OK);
  check_slopes(sim, s, 1.0, exp(-2.0), -3.0 * exp(-2.0));
  brink_sensitivity_destroy(s);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

int main(void) {
  RUN(a_linear_flow_has_the_matrix_exponential);
  RUN(a_bouncing_ball_has_the_derivatives_of_its_closed_form);
  RUN(a_relay_has_the_derivatives_of_its_closed_form);
  RUN(a_timer_that_a_state_sets_carries_its_derivative);
  RUN(held_values_carry_derivatives);
  RUN(a_grazed_surface_gives_infinities);
  RUN(events_at_one_instant_that_move_differently_are_told);
  RUN(sliding_on_a_curve_needs_second_derivatives_of_the_guard);
  RUN(the_run_is_the_same_bit_by_bit);
  RUN(every_allocation_may_fail_and_running_takes_none);
  RUN(wrong_arguments_are_refused_and_a_reset_begins_anew);
  RUN(what_is_written_on_the_way_depends_on_nothing_any_more);
  return check_done();
}
