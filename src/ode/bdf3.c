/* bdf3.c: the backward differentiation formula of order 3 at a fixed step.
 *
 * Problem: x' = f(t, x), stiff; one system of equations to solve a step.
 *
 * Method: García 2004, corrected (the paper prints 6 F where h f is meant),
 *
 *     x_{k+1} = psi + gamma f(t_k + h, x_{k+1}),    gamma = 6/11 h,
 *     psi = (18 x_k - 9 x_{k-1} + 2 x_{k-2})/11
 *
 * (Hairer, Nørsett & Wanner 1993, section III.1), order 3. Solved by Newton's iteration, from the
 * predictor, to rounding:
 *
 *     (I - gamma df/dx) dy = psi + gamma f(y) - y.
 *
 * df/dx is the model's, or found by differences, and is taken anew when the iteration contracts by
 * less than ten. Appended components do not act back on f: they are left out of the system and
 * follow from the formula afterwards.
 *
 * Predictor: the cubic through x_k, x_{k-1}, x_{k-2} with slope f_k at t_k. Its margin is the error
 * of that interpolation, s^2 (s + h)(s + 2h), scaled by how far it was off in the last step.
 *
 * Dense output: the cubic Hermite interpolant, order 3 like the method.
 *
 * Deviations: the formula holds for constant steps only. The first two steps after a start, and any
 * step of another size (cut by an event or a time limit), are steps of the classical Runge-Kutta
 * method, as García does, and after a cut step the history begins anew.
 *
 * How it can fail: where Newton's iteration does not converge, or the matrix is singular, the
 * attempt is refused. Where h |df/dx| > 2.8 the Runge-Kutta steps amplify what the formula would
 * damp: two at the start are soon forgotten, but restarts every few steps are not. */
#include "num/linalg.h"
#include "ode/fixed.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ITERATIONS 25
/* Converged: the last correction is a few roundings. */
#define CONVERGED 1e-14
/* Stagnated at rounding: no longer contracting, and far below what the tolerances can see. */
#define STAGNATED 1e-3
/* A contraction worse than this asks for a new Jacobian. */
#define CONTRACTION 0.1

typedef struct bdf3 {
  brink_fixed fixed;
  double *x1, *x2; /* x_{k-1}, x_{k-2} */
  int count;       /* how many of them are known */
  double *c2, *c3; /* predictor: of u^2, u^3 */
  double *shift;   /* |x_{k+1} - x^p| of the last step */
  bool has_shift;
  bool bdf; /* the attempt was made by this method, not by Runge-Kutta */

  double *psi;
  double *fy;     /* f at the iterate */
  double *dy;     /* the correction */
  double *f_pert; /* f at a displaced iterate */
  double *matrix; /* nx by nx, by rows */
  double *values; /* the model's Jacobian */
  size_t *pivots;
} bdf3;

#define VECTORS(bd)                                                                                \
  {                                                                                                \
    &(bd)->x1, &(bd)->x2, &(bd)->c2, &(bd)->c3, &(bd)->shift, &(bd)->psi, &(bd)->fy, &(bd)->dy,    \
        &(bd)->f_pert                                                                              \
  }

static bool bdf3_create(brink_stepper *st, brink_arena *arena) {
  bdf3 *bd = brink_arena_take(arena, 1, sizeof *bd);
  if (bd == NULL) return false;
  st->method = bd;
  st->order = 3;
  double **const vectors[] = VECTORS(bd);
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
    *vectors[k] = brink_arena_take(arena, st->n, sizeof **vectors[k]);
    if (*vectors[k] == NULL) return false;
  }
  const brink_model_def *def = &st->eval->model->def;
  size_t nonzeros = def->jacobian != NULL ? def->jacobian_pattern.starts[st->nx] : 0;
  if (st->nx != 0 && st->nx > (size_t)-1 / st->nx) return false;
  bd->matrix = brink_arena_take(arena, st->nx * st->nx, sizeof *bd->matrix);
  bd->values = brink_arena_take(arena, nonzeros, sizeof *bd->values);
  bd->pivots = brink_arena_take(arena, st->nx, sizeof *bd->pivots);
  if (bd->matrix == NULL || bd->values == NULL || bd->pivots == NULL) return false;
  return brink_fixed_create(&bd->fixed, st, arena);
}

static void bdf3_relocate(const brink_stepper *st, void *method, brink_relocation *moved) {
  (void)st;
  bdf3 *bd = method;
  double **const vectors[] = VECTORS(bd);
  brink_relocate_vectors(moved, vectors, sizeof vectors / sizeof vectors[0]);
  BRINK_RELOCATE(moved, bd->matrix);
  BRINK_RELOCATE(moved, bd->values);
  BRINK_RELOCATE(moved, bd->pivots);
  brink_fixed_relocate(&bd->fixed, moved);
}

/* Newton's iteration begins with a new matrix in every step. */
static void bdf3_archive(brink_stepper *st, void *method, bool runs, brink_archive *a) {
  (void)runs;
  bdf3 *bd = method;
  double *const vectors[] = {bd->x1, bd->x2, bd->c2, bd->c3, bd->shift};
  brink_archive_mark(a, "bdf3");
  brink_fixed_archive(&bd->fixed, a);
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    brink_archive_doubles(a, vectors[k], st->n);
  brink_archive_int(a, &bd->count, 0, 2);
  brink_archive_bool(a, &bd->has_shift);
  brink_archive_bool(a, &bd->bdf);
}

static brink_try bdf3_start(brink_stepper *st) {
  bdf3 *bd = st->method;
  bd->count = 0;
  bd->has_shift = false;
  bd->bdf = false;
  return brink_fixed_start(&bd->fixed, st);
}

/* The cubic x + u H f + u^2 c2 + u^3 c3, u = s/H, through x_{k-1} at u = -1 and x_{k-2} at -2:
 * with p = x_{k-1} - x + H f and q = x_{k-2} - x + 2 H f, c3 = p - q/4 and c2 = p + c3. */
static void plan_cubic(bdf3 *bd, brink_stepper *st) {
  double step = st->options->step, h = st->h_plan, u = h / step;
  for (size_t i = 0; i < st->n; i++) {
    double p = bd->x1[i] - st->x[i] + step * st->f[i];
    double q = bd->x2[i] - st->x[i] + 2.0 * step * st->f[i];
    bd->c3[i] = p - 0.25 * q;
    bd->c2[i] = p + bd->c3[i];
  }
  double basis0[] = {0.0, h};
  double basis1[] = {0.0, 0.0, u * u};
  double basis2[] = {0.0, 0.0, 0.0, u * u * u};
  brink_path *path = &st->predictor;
  brink_path_begin(path, st->t, h, st->n, st->x);
  brink_path_add(path, st->f, basis0, 2);
  brink_path_add(path, bd->c2, basis1, 3);
  brink_path_add(path, bd->c3, basis2, 4);
  if (!bd->has_shift) return;
  /* u^2 (u + 1)(u + 2), 1 at u = 1 */
  memset(path->margin, 0, sizeof path->margin);
  path->margin[2] = 2.0 / 6.0 * (u * u);
  path->margin[3] = 3.0 / 6.0 * (u * u * u);
  path->margin[4] = 1.0 / 6.0 * (u * u) * (u * u);
  path->e = bd->shift;
}

static void bdf3_plan(brink_stepper *st, double h_limit) {
  bdf3 *bd = st->method;
  st->h_plan = brink_fixed_step(st, h_limit);
  if (bd->count == 2) {
    plan_cubic(bd, st);
  } else {
    brink_ahead_plan(&bd->fixed.ahead, st, st->h_plan);
  }
}

/* matrix = df/dx from the model; the point has passed the domain check. */
static brink_try model_jacobian(bdf3 *bd, brink_stepper *st, double t, const double *y) {
  const brink_model_def *def = &st->eval->model->def;
  brink_try outcome = brink_eval_jacobian(st->eval, t, y, bd->values);
  if (outcome != BRINK_TRY_OK) return outcome;
  memset(bd->matrix, 0, st->nx * st->nx * sizeof *bd->matrix);
  for (size_t j = 0; j < st->nx; j++) {
    for (size_t k = def->jacobian_pattern.starts[j]; k < def->jacobian_pattern.starts[j + 1]; k++)
      bd->matrix[def->jacobian_pattern.rows[k] * st->nx + j] = bd->values[k];
  }
  return BRINK_TRY_OK;
}

/* matrix = df/dx by one-sided differences, on the other side where the first is not allowed. */
static brink_try difference_jacobian(bdf3 *bd, brink_stepper *st, double t, const double *y,
                                     double h) {
  double *arg = bd->fixed.arg;
  memcpy(arg, y, st->n * sizeof *arg);
  for (size_t j = 0; j < st->nx; j++) {
    double scale = fmax(fmax(fabs(y[j]), fabs(h * bd->fy[j])), st->atol[j]);
    double d = sqrt(DBL_EPSILON) * (scale > 0.0 ? scale : 1.0);
    arg[j] = y[j] + d;
    brink_try outcome = brink_eval_rhs(st->eval, t, arg, bd->f_pert);
    if (outcome == BRINK_TRY_OUTSIDE || outcome == BRINK_TRY_REFUSED) {
      arg[j] = y[j] - d;
      outcome = brink_eval_rhs(st->eval, t, arg, bd->f_pert);
    }
    if (outcome != BRINK_TRY_OK) return outcome;
    d = arg[j] - y[j]; /* what was really added */
    for (size_t i = 0; i < st->nx; i++)
      bd->matrix[i * st->nx + j] = (bd->f_pert[i] - bd->fy[i]) / d;
    arg[j] = y[j];
  }
  return BRINK_TRY_OK;
}

/* matrix = the factors of I - gamma df/dx */
static brink_try factor_at(bdf3 *bd, brink_stepper *st, double h, double gamma, const double *y) {
  brink_eval *eval = st->eval;
  bool given = brink_eval_has_jacobian(eval);
  brink_try outcome =
      given ? model_jacobian(bd, st, st->t + h, y) : difference_jacobian(bd, st, st->t + h, y, h);
  if (outcome != BRINK_TRY_OK) return outcome;
  size_t n = st->nx;
  for (size_t k = 0; k < n * n; k++) bd->matrix[k] *= -gamma;
  for (size_t i = 0; i < n; i++) bd->matrix[i * n + i] += 1.0;
  return brink_lu_factor_within(n, bd->matrix, bd->pivots, brink_eval_patience(eval)) == 0
             ? BRINK_TRY_OK
             : BRINK_TRY_REFUSED;
}

/* The correction relative to the terms that make up the equation. */
static double relative_size(const bdf3 *bd, const brink_stepper *st, double gamma,
                            const double *y) {
  double size = 0.0;
  for (size_t i = 0; i < st->nx; i++) {
    double terms = fmax(fabs(y[i]), fmax(fabs(bd->psi[i]), fabs(gamma * bd->fy[i])));
    double ratio = bd->dy[i] == 0.0 ? 0.0 : fabs(bd->dy[i]) / terms;
    if (!(ratio <= size)) size = ratio; /* keeps a NaN */
  }
  return size;
}

/* Newton's iteration for y = psi + gamma f(t + h, y); y holds the first guess. */
static brink_try newton(bdf3 *bd, brink_stepper *st, double h, double gamma, double *y) {
  double last = INFINITY;
  bool fresh = false;
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    brink_try outcome = brink_eval_rhs(st->eval, st->t + h, y, bd->fy);
    if (outcome != BRINK_TRY_OK) return outcome;
    if (!fresh) {
      outcome = factor_at(bd, st, h, gamma, y);
      if (outcome != BRINK_TRY_OK) return outcome;
    }
    for (size_t i = 0; i < st->nx; i++) bd->dy[i] = bd->psi[i] + gamma * bd->fy[i] - y[i];
    brink_lu_solve(st->nx, bd->matrix, bd->pivots, bd->dy);
    double size = relative_size(bd, st, gamma, y);
    for (size_t i = 0; i < st->nx; i++) y[i] += bd->dy[i];
    if (size <= CONVERGED) return BRINK_TRY_OK;
    if (isnan(size)) return BRINK_TRY_REFUSED;
    bool stagnates = size >= 0.5 * last || iteration == ITERATIONS - 1;
    if (stagnates && brink_stepper_norm(st, bd->dy, st->x, y) <= STAGNATED) return BRINK_TRY_OK;
    fresh = size <= CONTRACTION * last;
    last = size;
  }
  return BRINK_TRY_REFUSED;
}

static brink_try attempt_bdf(bdf3 *bd, brink_stepper *st, double h) {
  brink_fixed *fx = &bd->fixed;
  double gamma = 6.0 / 11.0 * h;
  for (size_t i = 0; i < st->n; i++) {
    bd->psi[i] = (18.0 * st->x[i] - 9.0 * bd->x1[i] + 2.0 * bd->x2[i]) / 11.0;
    st->x_new[i] = st->x[i] + (h * st->f[i] + (bd->c2[i] + bd->c3[i]));
  }
  brink_try outcome = newton(bd, st, h, gamma, st->x_new);
  if (outcome != BRINK_TRY_OK) return outcome;
  st->h = h;
  st->error = 0.0;
  outcome = brink_fixed_end_slope(fx, st);
  if (outcome != BRINK_TRY_OK) return outcome;
  for (size_t i = st->nx; i < st->n; i++) st->x_new[i] = bd->psi[i] + gamma * fx->f_new[i];
  brink_dense_hermite(st, h, fx->f_new, fx->x0, fx->r);
  return BRINK_TRY_OK;
}

static brink_try bdf3_attempt(brink_stepper *st, double h) {
  bdf3 *bd = st->method;
  bd->bdf = bd->count == 2 && brink_fixed_is_nominal(st, h);
  return bd->bdf ? attempt_bdf(bd, st, h) : brink_fixed_rk4(&bd->fixed, st, h);
}

/* How far the predictor was off. An accidental zero must not pass for accuracy: an old shift is
 * forgotten by halves. */
static void learn_shift(bdf3 *bd, const brink_stepper *st) {
  for (size_t i = 0; i < st->n; i++) {
    double predicted = st->x[i] + (st->h * st->f[i] + (bd->c2[i] + bd->c3[i]));
    double old = bd->has_shift ? 0.5 * bd->shift[i] : 0.0;
    bd->shift[i] = fmax(fabs(st->x_new[i] - predicted), old);
  }
}

static brink_try bdf3_commit(brink_stepper *st) {
  bdf3 *bd = st->method;
  if (bd->bdf) learn_shift(bd, st);
  bd->has_shift = bd->bdf;
  brink_ahead_learn(&bd->fixed.ahead, st, bd->fixed.f_new);
  if (brink_fixed_is_nominal(st, st->h)) {
    double *oldest = bd->x2;
    bd->x2 = bd->x1;
    bd->x1 = oldest;
    memcpy(bd->x1, st->x, st->n * sizeof *bd->x1);
    if (bd->count < 2) bd->count++;
  } else {
    bd->count = 0;
  }
  brink_fixed_advance(&bd->fixed, st);
  return BRINK_TRY_OK;
}

const brink_stepper_ops brink_stepper_bdf3 = {
    .method = BRINK_BDF3,
    .create = bdf3_create,
    .start = bdf3_start,
    .plan = bdf3_plan,
    .attempt = bdf3_attempt,
    .commit = bdf3_commit,
    .relocate = bdf3_relocate,
    .archive = bdf3_archive,
};
