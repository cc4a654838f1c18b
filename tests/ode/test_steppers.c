/* test_steppers.c: what every integration method promises behind the stepper interface.
 *
 * One smooth, nonlinear, nonautonomous problem with a closed solution, x = (exp(sin t), cos t),
 * is crossed with all methods: orders are fitted, attempts are repeated, callbacks fail. With
 * STEPPERS_VERBOSE in the environment the measured orders and margins are printed. */
#include "check.h"
#include "ode/stepper.h"

#include <float.h>
#include <stdlib.h>

enum { NX = 2, MAX_N = 3 };

/* Bad luck, on demand. */
typedef struct faults {
  long calls; /* of the right-hand side */
  long at;    /* the call that goes wrong; 0: none */
  long until; /* and those after it up to here */
  int kind;   /* 1: refuses; 0: gives NaN; -1: fatal */
} faults;

static int go_wrong(faults *f, double *dx) {
  if (f == NULL) return 0;
  f->calls++;
  if (f->at == 0 || f->calls < f->at || f->calls > f->until) return 0;
  if (f->kind == 0) dx[1] = NAN;
  return f->kind;
}

static int rhs(double t, const double *x, const brink_env *env, double *dx) {
  double off = x[1] - cos(t); /* zero along the solution */
  dx[0] = x[0] * x[1] + 0.5 * sin(t) * off;
  dx[1] = -log(x[0]) - 0.5 * x[0] * off;
  return go_wrong(env->user, dx);
}

static void solution(double t, double *x) {
  x[0] = exp(sin(t));
  x[1] = cos(t);
}

static int jacobian(double t, const double *x, const brink_env *env, double *values) {
  (void)env;
  double off = x[1] - cos(t);
  values[0] = x[1];
  values[1] = -1.0 / x[0] - 0.5 * off;
  values[2] = x[0] + 0.5 * sin(t);
  values[3] = -0.5 * x[0];
  return 0;
}

/* The solution's series to order 2: x'' = f_t + f_x f. */
static int flow_jet(int order, double t, double unit, const double *x, const brink_env *env,
                    double *const *xj) {
  if (order != 2) return -1;
  double f[NX], v[4];
  double off = x[1] - cos(t);
  f[0] = x[0] * x[1] + 0.5 * sin(t) * off;
  f[1] = -log(x[0]) - 0.5 * x[0] * off;
  jacobian(t, x, env, v);
  double ft[NX] = {0.5 * cos(t) * off + 0.5 * sin(t) * sin(t), -0.5 * x[0] * sin(t)};
  for (int i = 0; i < NX; i++) {
    xj[i][0] = x[i];
    xj[i][1] = unit * f[i];
    xj[i][2] = 0.5 * unit * unit * (ft[i] + v[i] * f[0] + v[NX + i] * f[1]);
  }
  return 0;
}

static const size_t full_starts[] = {0, 2, 4}, full_rows[] = {0, 1, 0, 1};

static brink_model_def smooth_def(void) {
  static const double x0[] = {1.0, 1.0};
  brink_model_def def = brink_default_model();
  def.name = "smooth";
  def.nx = NX;
  def.x0 = x0;
  def.rhs = rhs;
  return def;
}

/* ------------------------------------------------------------------------------- a rig ---------
 */

typedef struct rig {
  brink_model *model;
  brink_arena arena;
  brink_eval eval;
  brink_options options;
  double atol[MAX_N];
  brink_stepper st;
} rig;

/* The stepper at the model's initial point, not started yet. The rig must not move. */
static bool rig_open(rig *r, const brink_model_def *def, brink_method method, double step,
                     int order, bool append) {
  memset(r, 0, sizeof *r);
  brink_diag diag;
  if (brink_model_create(def, NULL, &diag, &r->model) != BRINK_OK) {
    CHECK_MSG(false, "%s", diag.message);
    return false;
  }
  brink_arena_init(&r->arena, NULL);
  r->options = brink_default_options();
  r->options.method = method;
  r->options.step = step;
  r->options.order = order;
  r->options.rtol = 1e-6;
  for (int i = 0; i < MAX_N; i++) r->atol[i] = 1e-9;
  bool made = brink_eval_init(&r->eval, r->model, &r->arena, append) &&
              brink_stepper_create(&r->st, &r->options, r->atol, &r->eval, &r->arena);
  CHECK(made);
  if (!made) return false;
  r->st.t = def->t0;
  for (size_t i = 0; i < def->nx; i++) r->st.x[i] = def->x0[i];
  return true;
}

/* Fixed steps whatever the method: nothing is ever rejected. */
static bool rig_open_fixed(rig *r, const brink_model_def *def, brink_method method, double step,
                           int order) {
  if (!rig_open(r, def, method, step, order, false)) return false;
  r->options.rtol = 1e6;
  for (int i = 0; i < MAX_N; i++) r->atol[i] = 1e6;
  return true;
}

static void rig_close(rig *r) {
  brink_arena_free(&r->arena);
  brink_model_destroy(r->model);
}

/* One step of h; false when anything but OK came back. */
static bool step(brink_stepper *st, double h) {
  st->ops->plan(st, h);
  return st->h_plan == h && st->ops->attempt(st, h) == BRINK_TRY_OK &&
         st->ops->commit(st) == BRINK_TRY_OK;
}

/* ------------------------------------------------------------------------------- orders --------
 */

#define T_END 2.0

/* Adams raises its order by one each step. So that the low orders at the start do no harm, the
 * first three steps of h are replaced by shorter ones that grow slowly (by 1.5, from h/10^4: the
 * differences of high order make much of a faster growth) to h. */
enum { RAMP = 24, RAMP_STEPS = 3 };

static bool ramp(brink_stepper *st, double h) {
  double ratio = 1.5, piece = RAMP_STEPS * h * (ratio - 1.0) / (pow(ratio, RAMP) - 1.0);
  bool ok = true;
  for (int k = 0; k < RAMP; k++, piece *= ratio) ok = ok && step(st, piece);
  return ok;
}

static void worsen(double *worst, const double *x, double t) {
  double exact[NX];
  solution(t, exact);
  for (int i = 0; i < NX; i++) *worst = fmax(*worst, fabs(x[i] - exact[i]));
}

/* The largest error at the ends of steps, and inside them, of count steps over [0, T_END]. */
static void global_error(const brink_model_def *def, brink_method method, int order, int count,
                         double *end, double *inside) {
  rig r;
  double h = T_END / count, x[NX];
  *end = *inside = NAN;
  if (!rig_open_fixed(&r, def, method, method == BRINK_ADAMS ? 2.0 * h : h, order)) return;
  brink_stepper *st = &r.st;
  bool ok = st->ops->start(st) == BRINK_TRY_OK;
  int first = 0;
  if (method == BRINK_ADAMS) {
    ok = ok && ramp(st, h);
    first = RAMP_STEPS;
  }
  *end = *inside = 0.0;
  for (int k = first; k < count && ok; k++) {
    st->ops->plan(st, h);
    ok = st->ops->attempt(st, h) == BRINK_TRY_OK;
    for (int j = 1; j < 8 && ok; j++) {
      brink_path_eval(&st->dense, j / 8.0, x);
      worsen(inside, x, st->t + h * j / 8.0);
    }
    ok = ok && st->ops->commit(st) == BRINK_TRY_OK;
    worsen(end, st->x, st->t);
  }
  CHECK_MSG(ok, "%s: a step failed", brink_method_name(method));
  CHECK_NEAR(st->t, T_END, 1e-12);
  rig_close(&r);
}

/* The slope of log error over log h by least squares. */
static double slope(const int *counts, const double *errors, int runs) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (int k = 0; k < runs; k++) {
    double x = log(T_END / counts[k]), y = log(errors[k]);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (runs * sxy - sx * sy) / (runs * sxx - sx * sx);
}

enum { RUNS = 5 };

static void fit(const brink_model_def *def, brink_method method, int order, const int *counts,
                double *end_order, double *inside_order) {
  double end[RUNS], inside[RUNS];
  for (int k = 0; k < RUNS; k++) {
    global_error(def, method, order, counts[k], &end[k], &inside[k]);
    if (getenv("STEPPERS_VERBOSE"))
      printf("   %s %d: %d steps, error %.3e, inside %.3e\n", brink_method_name(method), order,
             counts[k], end[k], inside[k]);
  }
  *end_order = slope(counts, end, RUNS);
  *inside_order = slope(counts, inside, RUNS);
  if (getenv("STEPPERS_VERBOSE"))
    printf("%s %d: order %.3f, inside %.3f\n", brink_method_name(method), order, *end_order,
           *inside_order);
}

typedef struct expectation {
  brink_method method;
  double order, dense_order; /* the latter at least */
  int counts[RUNS];
} expectation;

static const expectation expectations[] = {
    {BRINK_EULER, 1, 1, {80, 160, 320, 640, 1280}},
    {BRINK_TAYLOR2, 2, 2, {40, 80, 160, 320, 640}},
    {BRINK_TRAPEZOID, 2, 2, {40, 80, 160, 320, 640}},
    {BRINK_RK4, 4, 4, {40, 60, 80, 120, 160}},
    {BRINK_AM3, 3, 3, {80, 160, 240, 320, 640}},
    {BRINK_BDF3, 3, 3, {80, 160, 240, 320, 640}},
    {BRINK_DOPRI, 5, 5, {20, 30, 40, 60, 80}}, /* order 4: a local error of order 5 */
};
enum { METHODS = sizeof expectations / sizeof expectations[0] };

static void check_orders(const brink_model_def *def, const expectation *ex) {
  double end, inside;
  fit(def, ex->method, 0, ex->counts, &end, &inside);
  const char *name = brink_method_name(ex->method);
  CHECK_MSG(fabs(end - ex->order) <= 0.2, "%s: order %.3f, not %g", name, end, ex->order);
  CHECK_MSG(inside >= ex->dense_order - 0.2, "%s: dense output of order %.3f, not %g", name, inside,
            ex->dense_order);
}

TEST(fitted_orders_agree_with_theory) {
  brink_model_def def = smooth_def();
  for (int m = 0; m < METHODS; m++) check_orders(&def, &expectations[m]);
}

TEST(taylor2_and_bdf3_keep_their_order_with_derivatives_from_the_model) {
  brink_model_def def = smooth_def();
  def.flow_jet = flow_jet;
  def.jacobian = jacobian;
  def.jacobian_pattern = (brink_sparsity){full_starts, full_rows};
  for (int m = 0; m < METHODS; m++) {
    const expectation *ex = &expectations[m];
    if (ex->method == BRINK_TAYLOR2 || ex->method == BRINK_BDF3) check_orders(&def, ex);
  }
}

/* Local extrapolation: a predictor of order m, kept with an error of order m+1. */
TEST(adams_at_a_fixed_order_m_has_order_m_plus_1) {
  static const int counts[9][RUNS] = {
      {0},
      {80, 160, 320, 480, 640},
      {80, 160, 240, 320, 480},
      {60, 80, 120, 160, 240},
      {60, 80, 120, 160, 200},
      {60, 80, 100, 120, 160},
      {48, 56, 64, 80, 96},
      {48, 56, 64, 72, 80},
      {32, 36, 40, 44, 48},
  };
  brink_model_def def = smooth_def();
  for (int m = 1; m <= 8; m++) {
    double end, inside;
    fit(&def, BRINK_ADAMS, m, counts[m], &end, &inside);
    CHECK_MSG(fabs(end - (m + 1)) <= 0.2, "adams %d: order %.3f", m, end);
    CHECK_MSG(inside >= m + 1 - 0.2, "adams %d: dense output of order %.3f", m, inside);
  }
}

/* ------------------------------------------------------------------------- the interface -------
 */

static const brink_method all_methods[] = {BRINK_ADAMS, BRINK_DOPRI, BRINK_EULER, BRINK_TAYLOR2,
                                           BRINK_RK4,   BRINK_AM3,   BRINK_BDF3,  BRINK_TRAPEZOID};
enum { ALL = sizeof all_methods / sizeof all_methods[0] };

/* Adams controls its error here, so its steps must be small enough to pass. */
#define H 0.02

/* A started stepper, some steps on its way: multistep methods have their history. */
static bool rig_run(rig *r, const brink_model_def *def, brink_method method, int steps) {
  if (!rig_open_fixed(r, def, method, H, method == BRINK_ADAMS ? 4 : 0)) return false;
  bool ok = r->st.ops->start(&r->st) == BRINK_TRY_OK;
  for (int k = 0; k < steps; k++) ok = ok && step(&r->st, H);
  CHECK_MSG(ok, "%s: a step failed", brink_method_name(method));
  return ok;
}

typedef struct snapshot {
  double t, x[MAX_N], f[MAX_N];
} snapshot;

static snapshot look(const brink_stepper *st) {
  snapshot s = {.t = st->t};
  memcpy(s.x, st->x, st->n * sizeof *st->x);
  memcpy(s.f, st->f, st->n * sizeof *st->f);
  return s;
}

static bool same(const snapshot *a, const snapshot *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

TEST(the_dense_output_runs_from_x_to_x_new) {
  brink_model_def def = smooth_def();
  static const double sizes[] = {H, 0.37 * H, 1e-3 * H, 1e-9};
  for (int m = 0; m < ALL; m++) {
    for (int warm = 0; warm <= 6; warm += 3) {
      rig r;
      if (!rig_run(&r, &def, all_methods[m], warm)) continue;
      brink_stepper *st = &r.st;
      st->ops->plan(st, H);
      for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        double x[MAX_N];
        CHECK_INT(st->ops->attempt(st, sizes[k]), BRINK_TRY_OK);
        CHECK(st->h == sizes[k] && st->dense.h == sizes[k] && st->dense.t0 == st->t);
        brink_path_eval(&st->dense, 0.0, x);
        for (int i = 0; i < NX; i++) CHECK(x[i] == st->x[i]);
        brink_path_eval(&st->dense, 1.0, x);
        for (int i = 0; i < NX; i++) CHECK_NEAR(x[i], st->x_new[i], 8 * DBL_EPSILON);
      }
      rig_close(&r);
    }
  }
}

/* What a caller may rely on who looks back at the step just made. Adams keeps its dense output only
 * until the commit. */
TEST(the_dense_output_of_one_step_methods_outlives_the_commit) {
  brink_model_def def = smooth_def();
  for (int m = 1; m < ALL; m++) {
    rig r;
    if (!rig_run(&r, &def, all_methods[m], 4)) continue;
    brink_stepper *st = &r.st;
    snapshot before = look(st);
    CHECK(step(st, H));
    st->ops->plan(st, H);
    double x[MAX_N];
    brink_path_eval(&st->dense, 0.0, x);
    for (int i = 0; i < NX; i++) CHECK(x[i] == before.x[i]);
    brink_path_eval(&st->dense, 1.0, x);
    for (int i = 0; i < NX; i++) CHECK_NEAR(x[i], st->x[i], 8 * DBL_EPSILON);
    rig_close(&r);
  }
}

TEST(an_attempt_changes_nothing_and_repeated_ones_agree_with_a_direct_one) {
  brink_model_def def = smooth_def();
  for (int m = 0; m < ALL; m++) {
    for (int warm = 0; warm <= 4; warm++) {
      rig r, direct;
      if (!rig_run(&r, &def, all_methods[m], warm)) continue;
      if (!rig_run(&direct, &def, all_methods[m], warm)) continue;
      brink_stepper *st = &r.st, *other = &direct.st;
      st->ops->plan(st, H);
      other->ops->plan(other, H);
      snapshot before = look(st);
      for (double h = H; h > 0.2 * H; h *= 0.7) {
        CHECK_INT(st->ops->attempt(st, h), BRINK_TRY_OK);
        snapshot after = look(st);
        CHECK_MSG(same(&before, &after), "%s: an attempt changed the present",
                  brink_method_name(all_methods[m]));
      }
      CHECK_INT(st->ops->attempt(st, 0.25 * H), BRINK_TRY_OK);
      CHECK_INT(other->ops->attempt(other, 0.25 * H), BRINK_TRY_OK);
      CHECK(memcmp(st->x_new, other->x_new, NX * sizeof(double)) == 0);
      CHECK_INT(st->ops->commit(st), BRINK_TRY_OK);
      CHECK_INT(other->ops->commit(other), BRINK_TRY_OK);
      CHECK(step(st, H) && step(st, H) && step(st, H) && step(st, H));
      CHECK(step(other, H) && step(other, H) && step(other, H) && step(other, H));
      snapshot a = look(st), b = look(other);
      CHECK_MSG(same(&a, &b), "%s: the history remembers attempts",
                brink_method_name(all_methods[m]));
      rig_close(&direct);
      rig_close(&r);
    }
  }
}

TEST(a_plan_evaluates_nothing_and_starts_at_x_with_slope_f) {
  brink_model_def def = smooth_def();
  for (int m = 0; m < ALL; m++) {
    for (int warm = 0; warm <= 6; warm++) {
      rig r;
      if (!rig_run(&r, &def, all_methods[m], warm)) continue;
      brink_stepper *st = &r.st;
      int64_t calls = r.eval.stats.rhs;
      st->ops->plan(st, H);
      CHECK_INT(r.eval.stats.rhs, calls);
      CHECK(st->h_plan > 0.0 && st->h_plan <= H);
      CHECK(st->predictor.h == st->h_plan && st->predictor.t0 == st->t);
      for (size_t i = 0; i < NX; i++) {
        double c[BRINK_PATH_DEGREE + 1];
        brink_path_component(&st->predictor, i, c);
        CHECK(c[0] == st->x[i]);
        CHECK_NEAR(c[1], st->h_plan * st->f[i], 1e-15);
      }
      rig_close(&r);
    }
  }
}

/* The end of an attempt of any length lies within a few margins of the predictor (detectors allow
 * for four), after enough steps for a margin to exist. */
TEST(the_margin_says_how_far_the_predictor_is_off) {
  brink_model_def def = smooth_def();
  static const double parts[] = {1.0, 0.6, 0.3, 0.1, 0.01};
  for (int m = 0; m < ALL; m++) {
    rig r;
    if (!rig_run(&r, &def, all_methods[m], 3)) continue;
    brink_stepper *st = &r.st;
    double worst = 0.0;
    for (int k = 0; k < 60; k++) {
      st->ops->plan(st, H);
      CHECK_MSG(k == 0 || st->predictor.e != NULL, "%s: no margin",
                brink_method_name(all_methods[m]));
      for (size_t p = 0; p < sizeof parts / sizeof parts[0] && st->predictor.e != NULL; p++) {
        double x[MAX_N], margins[BRINK_PATH_DEGREE + 2], margin = 0.0;
        st->ops->plan(st, H);
        brink_path_eval(&st->predictor, parts[p], x);
        brink_path_margin(&st->predictor, margins);
        for (int l = st->predictor.degree + 1; l >= 0; l--) margin = margin * parts[p] + margins[l];
        CHECK_INT(st->ops->attempt(st, parts[p] * H), BRINK_TRY_OK);
        for (int i = 0; i < NX; i++) {
          double allowed = fabs(st->predictor.e[i]) * margin + 8 * DBL_EPSILON * fabs(x[i]);
          worst = fmax(worst, fabs(st->x_new[i] - x[i]) / allowed);
        }
      }
      CHECK_INT(st->ops->attempt(st, H), BRINK_TRY_OK);
      CHECK_INT(st->ops->commit(st), BRINK_TRY_OK);
    }
    CHECK_MSG(worst <= 4.0, "%s: the shift was %.2f margins", brink_method_name(all_methods[m]),
              worst);
    if (getenv("STEPPERS_VERBOSE"))
      printf("%s: shift up to %.3f margins\n", brink_method_name(all_methods[m]), worst);
    rig_close(&r);
  }
}

TEST(a_long_step_after_very_short_ones_is_still_predicted_well) {
  brink_model_def def = smooth_def();
  for (int m = 0; m < ALL; m++) {
    rig r;
    if (!rig_run(&r, &def, all_methods[m], 6)) continue;
    brink_stepper *st = &r.st;
    CHECK(step(st, 0.3 * H) && step(st, 1e-4 * H) && step(st, 1e-9));
    st->ops->plan(st, H);
    double x[MAX_N], exact[NX];
    brink_path_eval(&st->predictor, 1.0, x);
    solution(st->t + H, exact);
    for (int i = 0; i < NX; i++)
      CHECK_MSG(fabs(x[i] - exact[i]) < 2e-2, "%s: predicted %g, exact %g",
                brink_method_name(all_methods[m]), x[i], exact[i]);
    rig_close(&r);
  }
}

TEST(after_a_commit_f_is_the_field_at_the_present) {
  brink_model_def def = smooth_def();
  for (int m = 0; m < ALL; m++) {
    for (int steps = 0; steps <= 5; steps++) {
      rig r;
      if (!rig_run(&r, &def, all_methods[m], steps)) continue;
      double f[NX];
      rhs(r.st.t, r.st.x, &r.eval.env, f);
      for (int i = 0; i < NX; i++) CHECK(r.st.f[i] == f[i]);
      CHECK_NEAR(r.st.t, steps * H, 1e-15);
      rig_close(&r);
    }
  }
}

TEST(no_sliver_is_left_before_a_limit) {
  brink_model_def def = smooth_def();
  for (int m = 2; m < ALL; m++) {
    rig r;
    if (!rig_run(&r, &def, all_methods[m], 0)) continue;
    brink_stepper *st = &r.st;
    double limits[] = {H * (1 + 1e-10), H * (1 - 1e-13), 0.5 * H};
    for (int k = 0; k < 3; k++) {
      st->ops->plan(st, limits[k]);
      CHECK(st->h_plan == limits[k]);
    }
    st->ops->plan(st, 1.5 * H);
    CHECK(st->h_plan == H);
    rig_close(&r);
  }
}

TEST(multistep_methods_restart_after_a_cut_step_and_keep_their_accuracy) {
  brink_model_def def = smooth_def();
  static const brink_method methods[] = {BRINK_AM3, BRINK_BDF3};
  for (int m = 0; m < 2; m++) {
    rig r;
    if (!rig_run(&r, &def, methods[m], 0)) continue;
    brink_stepper *st = &r.st;
    double exact[NX];
    for (int k = 1; st->t < 1.9; k++) CHECK(step(st, k % 7 == 0 ? 0.4 * H : H));
    solution(st->t, exact);
    for (int i = 0; i < NX; i++) CHECK_NEAR(st->x[i], exact[i], 2e-5);
    rig_close(&r);
  }
}

/* Rounding in h = t_end - t must not look like a cut step: equal results to the last bits. */
TEST(steps_equal_up_to_rounding_are_equal) {
  brink_model_def def = smooth_def();
  static const brink_method methods[] = {BRINK_AM3, BRINK_BDF3};
  for (int m = 0; m < 2; m++) {
    rig a, b;
    if (!rig_run(&a, &def, methods[m], 10) || !rig_run(&b, &def, methods[m], 5)) continue;
    for (int k = 0; k < 5; k++) CHECK(step(&b.st, H * (1.0 - 1e-14)));
    CHECK_INT(b.eval.stats.rhs - a.eval.stats.rhs, 0);
    for (int i = 0; i < NX; i++) CHECK_NEAR(a.st.x[i], b.st.x[i], 1e-13);
    rig_close(&b);
    rig_close(&a);
  }
}

/* ------------------------------------------------------------------------- bad luck ------------
 */

typedef brink_try operation(brink_stepper *st);

static brink_try attempt_h(brink_stepper *st) {
  return st->ops->attempt(st, H);
}

/* Runs an operation until it succeeds; each failure must be the expected one and change nothing. */
static bool insist(brink_stepper *st, operation *op, bool starting, brink_try expected,
                   int *failures) {
  for (int tries = 0; tries < 10; tries++) {
    snapshot before = look(st);
    brink_try outcome = op(st);
    if (outcome == BRINK_TRY_OK) return true;
    ++*failures;
    CHECK_INT(outcome, expected);
    if (starting) continue;
    snapshot after = look(st);
    CHECK_MSG(same(&before, &after), "%s: a failure changed the present",
              brink_method_name(st->ops->method));
  }
  return false;
}

/* Start and some steps, with faults on the way; the number of failures seen. */
static int run_with_faults(const brink_model_def *def, brink_method method, brink_try expected,
                           snapshot *end) {
  rig r;
  int failures = 0;
  memset(end, 0, sizeof *end);
  if (!rig_open_fixed(&r, def, method, H, method == BRINK_ADAMS ? 4 : 0)) return 0;
  brink_stepper *st = &r.st;
  bool ok = insist(st, st->ops->start, true, expected, &failures);
  for (int k = 0; k < 5 && ok; k++) {
    st->ops->plan(st, H);
    ok = insist(st, attempt_h, false, expected, &failures) &&
         insist(st, st->ops->commit, false, expected, &failures);
  }
  CHECK_MSG(ok, "%s: gave up", brink_method_name(method));
  if (ok) *end = look(st);
  rig_close(&r);
  return failures;
}

/* Every call of the right-hand side fails once, in each way. The failure is passed on, and when it
 * is over the run goes on as if nothing had happened, to the last bit. Methods that may look from
 * the other side (differences of taylor2 and bdf3) need not pass on a refusal. */
static void check_faults(brink_model_def *def, brink_method method, bool may_recover) {
  faults luck = {0};
  def->user = &luck;
  snapshot undisturbed, end;
  CHECK_INT(run_with_faults(def, method, BRINK_TRY_OK, &undisturbed), 0);
  long calls = luck.calls;
  CHECK(calls >= 6);
  for (int kind = -1; kind <= 1; kind++) {
    brink_try expected = kind < 0 ? BRINK_TRY_FATAL : BRINK_TRY_REFUSED;
    for (long k = 1; k <= calls; k++) {
      luck = (faults){.at = k, .until = k, .kind = kind};
      int failures = run_with_faults(def, method, expected, &end);
      bool recovered = failures == 0 && may_recover && kind >= 0;
      CHECK_MSG(failures == 1 || recovered, "%s: call %ld: %d failures", brink_method_name(method),
                k, failures);
      if (!recovered) {
        CHECK_MSG(same(&undisturbed, &end), "%s: call %ld left a trace", brink_method_name(method),
                  k);
      } else {
        for (int i = 0; i < NX; i++) CHECK_NEAR(end.x[i], undisturbed.x[i], 1e-6);
      }
    }
  }
}

TEST(a_failing_callback_is_passed_on_and_leaves_no_trace) {
  for (int m = 0; m < ALL; m++) {
    brink_model_def def = smooth_def();
    brink_method method = all_methods[m];
    check_faults(&def, method, method == BRINK_TAYLOR2 || method == BRINK_BDF3);
    if (method != BRINK_BDF3 && method != BRINK_TAYLOR2) continue;
    def.flow_jet = flow_jet;
    def.jacobian = jacobian;
    def.jacobian_pattern = (brink_sparsity){full_starts, full_rows};
    check_faults(&def, method, false);
  }
}

/* A unilateral wall at x0 = 1.5, reached at sin t = log 1.5. No method evaluates past it: attempts
 * that would are vetoed, leave the present alone, and succeed when short enough. */
TEST(a_vetoed_attempt_leaves_the_present_alone_and_can_be_shortened) {
  static const size_t depends[] = {0};
  static const double coefficients[] = {1.0};
  brink_guard_def wall = brink_default_guard("wall");
  wall.side = BRINK_UNILATERAL;
  wall.depends = depends;
  wall.ndepends = 1;
  wall.coefficients = coefficients;
  wall.offset = -1.5;
  brink_model_def def = smooth_def();
  def.nguards = 1;
  def.guards = &wall;
  for (int m = 0; m < ALL; m++) {
    rig r;
    if (!rig_open_fixed(&r, &def, all_methods[m], H, all_methods[m] == BRINK_ADAMS ? 4 : 0))
      continue;
    brink_stepper *st = &r.st;
    r.eval.sgn[0] = -1;
    r.eval.checks_domain = true;
    CHECK(brink_audit_init(&r.eval, &r.arena));
    brink_audit_accept(&r.eval, st->t, st->x);
    CHECK_INT(st->ops->start(st), BRINK_TRY_OK);
    double h = H;
    int vetoes = 0;
    while (h > 1e-7 && vetoes < 200) {
      st->ops->plan(st, h);
      snapshot before = look(st);
      brink_try outcome = st->ops->attempt(st, h);
      if (outcome == BRINK_TRY_OK) outcome = st->ops->commit(st);
      if (outcome == BRINK_TRY_OK) continue;
      vetoes++;
      snapshot after = look(st);
      CHECK_INT(outcome, BRINK_TRY_OUTSIDE);
      CHECK(same(&before, &after));
      h *= 0.5;
    }
    const char *name = brink_method_name(all_methods[m]);
    CHECK_MSG(vetoes >= 10 && vetoes < 200, "%s: %d vetoes", name, vetoes);
    CHECK_MSG(st->x[0] <= 1.5 && st->x[0] > 1.5 - 1e-5, "%s: x = %.9g", name, st->x[0]);
    CHECK_INT(r.eval.stats.rhs_past_guard, 0);
    rig_close(&r);
  }
}

/* ------------------------------------------------------------------------- single methods ------
 */

/* Fast and slow, coupled: eigenvalues -1 and -1000 in a rotated frame, so that the Jacobian is
 * full; x = exp(-t) (1, 1) is the slow solution. */
static int stiff_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  double slow = 0.5 * (x[0] + x[1]), fast = 0.5 * (x[0] - x[1]);
  dx[0] = -slow - 1000.0 * fast;
  dx[1] = -slow + 1000.0 * fast;
  return 0;
}

static int stiff_jacobian(double t, const double *x, const brink_env *env, double *values) {
  (void)t, (void)x, (void)env;
  values[0] = values[3] = -500.5;
  values[1] = values[2] = 499.5;
  return 0;
}

TEST(bdf3_solves_a_stiff_linear_problem_with_one_newton_iteration) {
  static const double x0[] = {1.0, 1.0};
  brink_model_def def = smooth_def();
  def.x0 = x0;
  def.rhs = stiff_rhs;
  def.jacobian = stiff_jacobian;
  def.jacobian_pattern = (brink_sparsity){full_starts, full_rows};
  for (int given = 1; given >= 0; given--) {
    if (!given) def.jacobian = NULL;
    rig r;
    if (!rig_open(&r, &def, BRINK_BDF3, 0.05, 0, false)) continue;
    brink_stepper *st = &r.st;
    CHECK_INT(st->ops->start(st), BRINK_TRY_OK);
    for (int k = 0; k < 40; k++) CHECK(step(st, 0.05));
    for (int i = 0; i < NX; i++) CHECK_NEAR(st->x[i], exp(-2.0), 1e-5);
    /* start 1, two Runge-Kutta steps of 4; then two evaluations for the iteration that converges
     * and the one that notices, and one at the end */
    if (given) CHECK_INT(r.eval.stats.rhs, 9 + 38 * 3);
    rig_close(&r);
  }
}

/* A Jacobian by columns with a hole: x0' = -x0, x1' = x0 - 2 x1. */
static int chain_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = -x[0];
  dx[1] = x[0] - 2.0 * x[1];
  return 0;
}

static int chain_jacobian(double t, const double *x, const brink_env *env, double *values) {
  (void)t, (void)x, (void)env;
  values[0] = -1.0; /* (0, 0) */
  values[1] = 1.0;  /* (1, 0) */
  values[2] = -2.0; /* (1, 1) */
  return 0;
}

TEST(bdf3_reads_a_sparse_jacobian_by_columns) {
  static const size_t starts[] = {0, 2, 3}, rows[] = {0, 1, 1};
  static const double x0[] = {1.0, 1.0};
  brink_model_def def = smooth_def();
  def.x0 = x0;
  def.rhs = chain_rhs;
  def.jacobian = chain_jacobian;
  def.jacobian_pattern = (brink_sparsity){starts, rows};
  rig r;
  if (!rig_open(&r, &def, BRINK_BDF3, 0.01, 0, false)) return;
  CHECK_INT(r.st.ops->start(&r.st), BRINK_TRY_OK);
  for (int k = 0; k < 100; k++) CHECK(step(&r.st, 0.01));
  CHECK_NEAR(r.st.x[0], exp(-1.0), 1e-6);
  CHECK_NEAR(r.st.x[1], exp(-1.0), 1e-6); /* x1 = x0 along this solution */
  CHECK(r.eval.stats.rhs <= 9 + 98 * 4);
  rig_close(&r);
}

static int blow_up(double t, const double *x, const brink_env *env, double *dx) {
  (void)env, (void)t;
  dx[0] = x[0] * x[0];
  dx[1] = 0.0;
  return 0;
}

/* x' = x^2: at a step so long that the equation has no real solution, Newton cannot converge. */
TEST(bdf3_refuses_where_newton_does_not_converge) {
  static const double x0[] = {0.5, 0.0};
  brink_model_def def = smooth_def();
  def.x0 = x0;
  def.rhs = blow_up;
  rig r;
  if (!rig_open(&r, &def, BRINK_BDF3, 0.5, 0, false)) return;
  brink_stepper *st = &r.st;
  CHECK_INT(st->ops->start(st), BRINK_TRY_OK);
  brink_try outcome = BRINK_TRY_OK;
  for (int k = 0; k < 10 && outcome == BRINK_TRY_OK; k++) {
    st->ops->plan(st, 0.5);
    outcome = st->ops->attempt(st, 0.5);
    if (outcome == BRINK_TRY_OK) outcome = st->ops->commit(st);
  }
  CHECK_INT(outcome, BRINK_TRY_REFUSED);
  rig_close(&r);
}

TEST(dopri_meets_its_tolerance_with_few_steps) {
  brink_model_def def = smooth_def();
  for (int digits = 4; digits <= 12; digits += 2) {
    rig r;
    if (!rig_open(&r, &def, BRINK_DOPRI, 0.0, 0, false)) return;
    r.options.rtol = pow(10.0, -digits);
    for (int i = 0; i < NX; i++) r.atol[i] = r.options.rtol;
    brink_stepper *st = &r.st;
    CHECK_INT(st->ops->start(st), BRINK_TRY_OK);
    int steps = 0, rejected = 0;
    while (st->t < 10.0 && rejected < 1000) {
      double limit = 10.0 - st->t;
      st->ops->plan(st, limit);
      CHECK(st->h_plan > 0.0 && st->h_plan <= limit);
      double h = st->h_plan;
      while (st->ops->attempt(st, h) == BRINK_TRY_ERROR && rejected < 1000) {
        CHECK(st->error > 1.0 && st->h_next < h && st->h_next >= 0.19 * h);
        h = st->h_next;
        rejected++;
      }
      CHECK_INT(st->ops->commit(st), BRINK_TRY_OK);
      CHECK(st->h_next <= 10.01 * st->h);
      steps++;
      if (10.0 - st->t < 1e-12) break;
    }
    double exact[NX];
    solution(st->t, exact);
    for (int i = 0; i < NX; i++) CHECK_NEAR(st->x[i], exact[i], 30.0 * r.options.rtol);
    /* steps grow like tol^(-1/5) */
    CHECK_MSG(steps <= 12.0 * pow(10.0, digits / 5.0), "1e-%d: %d steps", digits, steps);
    CHECK_MSG(rejected <= steps / 3, "1e-%d: %d of %d rejected", digits, rejected, steps);
    if (getenv("STEPPERS_VERBOSE"))
      printf("dopri 1e-%d: %d steps, %d rejected, error %.2e\n", digits, steps, rejected,
             fmax(fabs(st->x[0] - exact[0]), fabs(st->x[1] - exact[1])));
    rig_close(&r);
  }
}

/* The solutions of order 5 and 4 differ by h^5; the estimate is that of the order 4 solution, and
 * larger than the error of the one that is kept. */
TEST(the_error_estimate_of_dopri_falls_like_h_to_the_5) {
  brink_model_def def = smooth_def();
  rig r;
  if (!rig_open(&r, &def, BRINK_DOPRI, 0.0, 0, false)) return;
  brink_stepper *st = &r.st;
  r.options.rtol = 0.0;
  for (int i = 0; i < NX; i++) r.atol[i] = 1.0;
  solution(0.4, st->x);
  st->t = 0.4;
  CHECK_INT(st->ops->start(st), BRINK_TRY_OK);
  double last = 0.0;
  for (double h = 0.2; h > 0.01; h *= 0.5) {
    st->ops->plan(st, h);
    CHECK_INT(st->ops->attempt(st, h), BRINK_TRY_OK);
    double actual = 0.0;
    worsen(&actual, st->x_new, st->t + h);
    CHECK(actual < st->error);
    if (last > 0.0) CHECK_NEAR(log2(last / st->error), 5.0, 0.2);
    last = st->error;
  }
  rig_close(&r);
}

TEST(dopri_remembers_its_step_when_one_is_cut_short) {
  brink_model_def def = smooth_def();
  rig r;
  if (!rig_open(&r, &def, BRINK_DOPRI, 0.0, 0, false)) return;
  brink_stepper *st = &r.st;
  CHECK_INT(st->ops->start(st), BRINK_TRY_OK);
  for (int k = 0; k < 8; k++) {
    st->ops->plan(st, 1.0);
    CHECK_INT(st->ops->attempt(st, st->h_plan), BRINK_TRY_OK);
    CHECK_INT(st->ops->commit(st), BRINK_TRY_OK);
  }
  double wanted = st->h_next;
  CHECK(step(st, 1e-6));
  CHECK(st->h_next >= wanted);
  rig_close(&r);
}

TEST(euler_and_taylor2_look_ahead_exactly) {
  brink_model_def def = smooth_def();
  static const brink_method methods[] = {BRINK_EULER, BRINK_TAYLOR2};
  for (int m = 0; m < 2; m++) {
    rig r;
    if (!rig_run(&r, &def, methods[m], 5)) continue;
    brink_stepper *st = &r.st;
    st->ops->plan(st, H);
    for (double part = 1.0; part > 0.01; part *= 0.6) {
      double x[MAX_N];
      int64_t calls = r.eval.stats.rhs;
      CHECK_INT(st->ops->attempt(st, part * H), BRINK_TRY_OK);
      CHECK_INT(r.eval.stats.rhs, calls);
      brink_path_eval(&st->predictor, part, x);
      for (int i = 0; i < NX; i++) CHECK_NEAR(st->x_new[i], x[i], 4 * DBL_EPSILON);
    }
    rig_close(&r);
  }
}

/* ------------------------------------------------------------------------- appended states -----
 */

static int wave(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)env;
  *g = sin(x[0]) + x[1] - 7.0 + t;
  return 0;
}

static int wave_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                         double *dt) {
  (void)guard, (void)t, (void)env;
  dx[0] = cos(x[0]);
  dx[1] = 1.0;
  *dt = 1.0;
  return 0;
}

TEST(appended_components_follow_their_guard) {
  brink_guard_def guard = brink_default_guard("wave");
  guard.value = wave;
  guard.gradient = wave_gradient;
  brink_model_def def = smooth_def();
  def.nguards = 1;
  def.guards = &guard;
  def.flow_jet = flow_jet;
  for (int m = 0; m < ALL; m++) {
    rig r;
    if (!rig_open(&r, &def, all_methods[m], H, all_methods[m] == BRINK_ADAMS ? 4 : 0, true))
      continue;
    brink_stepper *st = &r.st;
    CHECK_INT((int)st->n, 3);
    st->x[2] = brink_eval_guard(&r.eval, 0, st->t, st->x);
    CHECK_INT(st->ops->start(st), BRINK_TRY_OK);
    bool ok = true;
    for (int k = 0; k < 100 && ok; k++) ok = step(st, H);
    CHECK_MSG(ok, "%s: a step failed", brink_method_name(all_methods[m]));
    double g = brink_eval_guard(&r.eval, 0, st->t, st->x);
    double tolerance = st->order == 1 ? 5e-2 : st->order == 2 ? 5e-4 : 5e-5;
    CHECK_NEAR(st->x[2], g, tolerance);
    rig_close(&r);
  }
}

/* ------------------------------------------------------------------------- memory --------------
 */

typedef struct ration {
  int left; /* allocations that succeed */
  int held; /* pieces not yet given back */
} ration;

static void *ration_take(size_t size, void *user) {
  ration *r = user;
  if (r->left-- <= 0) return NULL;
  void *memory = malloc(size);
  if (memory != NULL) r->held++;
  return memory;
}

static void ration_give(void *memory, size_t size, void *user) {
  (void)size;
  ration *r = user;
  r->held--;
  free(memory);
}

/* Many states, so that no vector fits into a block begun for another. */
static int idle(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  for (int i = 0; i < 1000; i++) dx[i] = 0.0;
  return 0;
}

TEST(creation_survives_the_failure_of_any_allocation) {
  static double x0[1000], atol[1000];
  brink_model_def def = brink_default_model();
  def.name = "idle";
  def.nx = 1000;
  def.x0 = x0;
  def.rhs = idle;
  brink_model *model;
  if (brink_model_create(&def, NULL, NULL, &model) != BRINK_OK) return;
  for (int m = 0; m < ALL; m++) {
    bool made = false;
    for (int allowed = 0; !made && allowed < 200; allowed++) {
      ration r = {.left = allowed};
      brink_allocator allocator = {ration_take, ration_give, &r};
      brink_options options = brink_default_options();
      options.method = all_methods[m];
      options.step = H;
      brink_arena arena;
      brink_eval eval;
      brink_stepper st;
      brink_arena_init(&arena, &allocator);
      made = brink_eval_init(&eval, model, &arena, false) &&
             brink_stepper_create(&st, &options, atol, &eval, &arena);
      brink_arena_free(&arena);
      CHECK_INT(r.held, 0);
    }
    CHECK(made);
  }
  brink_model_destroy(model);
}

int main(void) {
  RUN(fitted_orders_agree_with_theory);
  RUN(taylor2_and_bdf3_keep_their_order_with_derivatives_from_the_model);
  RUN(adams_at_a_fixed_order_m_has_order_m_plus_1);
  RUN(the_dense_output_runs_from_x_to_x_new);
  RUN(the_dense_output_of_one_step_methods_outlives_the_commit);
  RUN(an_attempt_changes_nothing_and_repeated_ones_agree_with_a_direct_one);
  RUN(a_plan_evaluates_nothing_and_starts_at_x_with_slope_f);
  RUN(the_margin_says_how_far_the_predictor_is_off);
  RUN(a_long_step_after_very_short_ones_is_still_predicted_well);
  RUN(after_a_commit_f_is_the_field_at_the_present);
  RUN(no_sliver_is_left_before_a_limit);
  RUN(multistep_methods_restart_after_a_cut_step_and_keep_their_accuracy);
  RUN(steps_equal_up_to_rounding_are_equal);
  RUN(a_failing_callback_is_passed_on_and_leaves_no_trace);
  RUN(a_vetoed_attempt_leaves_the_present_alone_and_can_be_shortened);
  RUN(bdf3_solves_a_stiff_linear_problem_with_one_newton_iteration);
  RUN(bdf3_reads_a_sparse_jacobian_by_columns);
  RUN(bdf3_refuses_where_newton_does_not_converge);
  RUN(dopri_meets_its_tolerance_with_few_steps);
  RUN(the_error_estimate_of_dopri_falls_like_h_to_the_5);
  RUN(dopri_remembers_its_step_when_one_is_cut_short);
  RUN(euler_and_taylor2_look_ahead_exactly);
  RUN(appended_components_follow_their_guard);
  RUN(creation_survives_the_failure_of_any_allocation);
  return check_done();
}
