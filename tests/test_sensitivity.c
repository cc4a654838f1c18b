/* Derivatives of runs against closed forms: flows, events, resets, clocks, timers, sliding; by the model's own
 * tangents and by differences. */
#include "sim/sensitivity.h"

#include "check.h"

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

int main(void) {
  RUN(a_linear_flow_has_the_matrix_exponential);
  RUN(a_bouncing_ball_has_the_derivatives_of_its_closed_form);
  return check_done();
}
