/* test_bdf.c: what bdf promises behind the stepper interface: orders, attempts that leave no trace, sparse and dense
 * matrices, failing callbacks. */
#include <float.h>
#include <stdlib.h>

#include "check.h"
#include "ode/implicit.h"

/* x = (exp(sin t), cos t), as in test_steppers.c. */
static int rhs(double t, const double *x, const brink_env *env, double *dx) {
  const int *refuses = env->user;
  double off = x[1] - cos(t);
  dx[0] = x[0] * x[1] + 0.5 * sin(t) * off;
  dx[1] = -log(x[0]) - 0.5 * x[0] * off;
  return refuses != NULL ? *refuses : 0;
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

static const size_t starts[] = {0, 2, 4}, rows[] = {0, 1, 0, 1};

static brink_model_def smooth_def(bool given) {
  static const double x0[] = {1.0, 1.0};
  brink_model_def def = brink_default_model();
  def.name = "smooth", def.nx = 2, def.x0 = x0, def.rhs = rhs;
  if (given) def.jacobian = jacobian, def.jacobian_pattern = (brink_sparsity){starts, rows};
  return def;
}

typedef struct rig {
  brink_model *model;
  brink_arena arena;
  brink_eval eval;
  brink_options options;
  double atol[64];
  brink_stepper st;
} rig;

static bool rig_open(rig *r, const brink_model_def *def, double tolerance, int order, double step) {
  memset(r, 0, sizeof *r);
  brink_diag diag;
  bool made = brink_model_create(def, NULL, &diag, &r->model) == BRINK_OK;
  CHECK_MSG(made, "%s", diag.message);
  if (!made) return false;
  brink_arena_init(&r->arena, NULL);
  r->options = brink_default_options();
  r->options.method = BRINK_BDF;
  r->options.order = order;
  r->options.step = step;
  r->options.rtol = tolerance;
  for (size_t i = 0; i < def->nx; i++) r->atol[i] = tolerance;
  made = brink_eval_init(&r->eval, r->model, &r->arena, false) &&
         brink_stepper_create(&r->st, &r->options, r->atol, &r->eval, &r->arena);
  CHECK(made);
  memcpy(r->st.x, def->x0, def->nx * sizeof(double));
  return made && r->st.ops->start(&r->st) == BRINK_TRY_OK;
}

static void rig_close(rig *r) {
  brink_stepper_release(&r->st);
  brink_arena_free(&r->arena);
  brink_model_destroy(r->model);
}

static bool step(brink_stepper *st, double h) {
  st->ops->plan(st, h);
  return st->ops->attempt(st, h) == BRINK_TRY_OK && st->ops->commit(st) == BRINK_TRY_OK;
}

#define T_END 2.0

static void worsen(double *worst, const double *x, double t) {
  *worst = fmax(*worst, fmax(fabs(x[0] - exp(sin(t))), fabs(x[1] - cos(t))));
}

/* The largest errors at the ends of `count` steps of h, and inside; the first six steps are made of short ones that
 * grow by twos, so that the low orders of the start do no harm. */
static void errors_of(int order, bool given, int count, double *end, double *inside) {
  enum { LEVELS = 16, LONG = 6 };
  rig r;
  brink_model_def def = smooth_def(given);
  double h = T_END / count, x[2];
  *end = *inside = 0.0;
  /* At a tolerance that Newton's iteration is solved to; order and step are fixed: nothing is rejected. */
  if (!rig_open(&r, &def, 1e-11, order, h)) return;
  brink_stepper *st = &r.st;
  bool ok = true;
  for (int level = LEVELS; level > 0; level--) { /* six steps of h/2^level, the first level twice */
    for (int k = 0; k < (level == LEVELS ? 2 * LONG : LONG); k++)
      ok = ok && step(st, ldexp(h, -level));
  }
  for (int k = LONG; k < count && ok; k++) {
    st->ops->plan(st, h);
    ok = st->ops->attempt(st, h) == BRINK_TRY_OK;
    for (int j = 1; j < 8 && ok; j++) {
      brink_path_eval(&st->dense, j / 8.0, x);
      worsen(inside, x, st->t + h * j / 8.0);
    }
    ok = ok && st->ops->commit(st) == BRINK_TRY_OK;
    worsen(end, st->x, st->t);
  }
  CHECK_MSG(ok, "order %d: a step failed", order);
  CHECK_NEAR(st->t, T_END, 1e-12);
  CHECK_INT(st->order, order);
  rig_close(&r);
}

static double slope(const int *counts, const double *errors, int runs) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (int k = 0; k < runs; k++) {
    double x = log(T_END / counts[k]), y = log(errors[k]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (runs * sxy - sx * sy) / (runs * sxx - sx * sx);
}

TEST(bdf_at_a_fixed_order_k_has_order_k) {
  enum { RUNS = 4 };
  static const int counts[6][RUNS] = {{0},
                                      {160, 320, 640, 1280},
                                      {160, 240, 320, 640},
                                      {160, 240, 320, 480},
                                      {120, 160, 240, 320},
                                      {80, 120, 160, 200}};
  for (int given = 0; given < 2; given++) {
    for (int k = 1; k <= 5; k++) {
      double end[RUNS], inside[RUNS];
      for (int j = 0; j < RUNS; j++) errors_of(k, given, counts[k][j], &end[j], &inside[j]);
      double at_end = slope(counts[k], end, RUNS), within = slope(counts[k], inside, RUNS);
      CHECK_MSG(fabs(at_end - k) <= 0.25, "bdf %d: order %.3f", k, at_end);
      CHECK_MSG(within >= k - 0.25, "bdf %d: dense output of order %.3f", k, within);
    }
  }
}

TEST(an_attempt_leaves_the_present_alone_and_can_be_made_again) {
  brink_model_def def = smooth_def(true);
  rig r;
  if (!rig_open(&r, &def, 1e-8, 0, 0.0)) return;
  brink_stepper *st = &r.st;
  for (int k = 0; k < 40; k++) {
    st->ops->plan(st, 1.0);
    double x[2] = {st->x[0], st->x[1]}, f[2] = {st->f[0], st->f[1]}, at[2], h = st->h_plan;
    if (st->ops->attempt(st, h) != BRINK_TRY_OK) h = fmin(st->h_next, 0.9 * h);
    CHECK_INT(st->ops->attempt(st, 0.3 * h), BRINK_TRY_OK);
    CHECK(st->x[0] == x[0] && st->x[1] == x[1] && st->f[0] == f[0] && st->f[1] == f[1]);
    brink_path_eval(&st->dense, 0.0, at);
    CHECK(at[0] == x[0] && at[1] == x[1]);
    brink_path_eval(&st->dense, 1.0, at);
    for (int i = 0; i < 2; i++) CHECK_NEAR(at[i], st->x_new[i], 8 * DBL_EPSILON * fabs(at[i]));
    double first[2];
    CHECK_INT(st->ops->attempt(st, 0.5 * h), BRINK_TRY_OK);
    memcpy(first, st->x_new, sizeof first);
    CHECK_INT(st->ops->attempt(st, 0.2 * h), BRINK_TRY_OK);
    CHECK_INT(st->ops->attempt(st, 0.5 * h), BRINK_TRY_OK);
    for (int i = 0; i < 2; i++) CHECK_NEAR(st->x_new[i], first[i], 1e-8 * (fabs(first[i]) + 1.0));
    CHECK_INT(st->ops->commit(st), BRINK_TRY_OK);
    double field[2];
    rhs(st->t, st->x, &r.eval.env, field);
    for (int i = 0; i < 2; i++) CHECK_NEAR(st->f[i], field[i], 1e-4);
  }
  rig_close(&r);
}

TEST(a_refusing_callback_is_passed_on_and_leaves_no_trace) {
  int refuses = 0;
  brink_model_def def = smooth_def(true);
  def.user = &refuses;
  rig r;
  if (!rig_open(&r, &def, 1e-6, 0, 0.0)) return;
  brink_stepper *st = &r.st;
  for (int k = 0; k < 10; k++) CHECK(step(st, 1e-3));
  st->ops->plan(st, 1e-3);
  refuses = 1;
  CHECK_INT(st->ops->attempt(st, 1e-3), BRINK_TRY_REFUSED);
  refuses = -1;
  CHECK_INT(st->ops->attempt(st, 1e-3), BRINK_TRY_FATAL);
  refuses = 0;
  CHECK_INT(st->ops->attempt(st, 5e-4), BRINK_TRY_OK);
  CHECK_INT(st->ops->commit(st), BRINK_TRY_OK);
  CHECK_NEAR(st->x[1], cos(st->t), 1e-4);
  rig_close(&r);
}

/* ---- sparse matrices ---- */

enum { CELLS = 40 };

/* Diffusion on a rod: u_i' = c (u_{i-1} - 2 u_i + u_{i+1}), ends insulated; u = 1 + exp(-rate t) cos(pi (i + 1/2)/N). */
#define C 1e5

static int rod_rhs(double t, const double *u, const brink_env *env, double *du) {
  (void)t, (void)env;
  for (int i = 0; i < CELLS; i++) {
    double left = i > 0 ? u[i - 1] - u[i] : 0.0, right = i + 1 < CELLS ? u[i + 1] - u[i] : 0.0;
    du[i] = C * (left + right);
  }
  return 0;
}

static int rod_jacobian(double t, const double *u, const brink_env *env, double *values) {
  (void)t, (void)u, (void)env;
  for (int j = 0, k = 0; j < CELLS; j++) {
    if (j > 0) values[k++] = C;
    values[k++] = j > 0 && j + 1 < CELLS ? -2.0 * C : -C;
    if (j + 1 < CELLS) values[k++] = C;
  }
  return 0;
}

TEST(a_sparse_matrix_and_differences_lead_to_the_closed_form) {
  size_t rod_starts[CELLS + 1] = {0}, rod_rows[3 * CELLS], count = 0;
  double u0[CELLS], shape[CELLS];
  for (size_t j = 0; j < CELLS; j++) {
    shape[j] = cos(3.14159265358979323846 * ((double)j + 0.5) / CELLS);
    u0[j] = 1.0 + shape[j];
    for (size_t i = j > 0 ? j - 1 : 0; i <= j + 1 && i < CELLS; i++) rod_rows[count++] = i;
    rod_starts[j + 1] = count;
  }
  double half = sin(0.5 * 3.14159265358979323846 / CELLS), rate = 4.0 * C * half * half;
  for (int given = 0; given < 2; given++) {
    brink_model_def def = brink_default_model();
    def.nx = CELLS, def.x0 = u0, def.rhs = rod_rhs;
    if (given)
      def.jacobian = rod_jacobian, def.jacobian_pattern = (brink_sparsity){rod_starts, rod_rows};
    rig r;
    if (!rig_open(&r, &def, 1e-6, 0, 0.0)) return;
    brink_stepper *st = &r.st;
    double end = 1.0 / rate;
    int steps = 0;
    while (st->t < end && steps < 2000) {
      st->ops->plan(st, end - st->t);
      double h = st->h_plan;
      while (st->ops->attempt(st, h) != BRINK_TRY_OK && steps++ < 2000)
        h = fmin(st->h_next, 0.9 * h);
      CHECK_INT(st->ops->commit(st), BRINK_TRY_OK);
      steps++;
    }
    CHECK_MSG(steps < 150, "%d steps", steps); /* h times the fastest rate: far above 2 */
    for (int i = 0; i < CELLS; i++) CHECK_NEAR(st->x[i], 1.0 + exp(-rate * st->t) * shape[i], 1e-4);
    rig_close(&r);
  }
}

int main(void) {
  RUN(bdf_at_a_fixed_order_k_has_order_k);
  RUN(an_attempt_leaves_the_present_alone_and_can_be_made_again);
  RUN(a_refusing_callback_is_passed_on_and_leaves_no_trace);
  RUN(a_sparse_matrix_and_differences_lead_to_the_closed_form);
  return check_done();
}
