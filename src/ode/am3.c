/* am3.c: the Adams-Moulton method of order 3 at a fixed step, predict-evaluate-correct-evaluate.
 *
 * Problem: x' = f(t, x), two evaluations a step.
 *
 * Method: García 2004, corrected (the printed corrector lacks x_k),
 *
 *     x^p     = x_k + h/12 (23 f_k - 16 f_{k-1} + 5 f_{k-2})         Adams-Bashforth 3
 *     x_{k+1} = x_k + h/12 (5 f(t_k + h, x^p) + 8 f_k - f_{k-1})     Adams-Moulton 3
 *
 * (Hairer, Nørsett & Wanner 1993, section III.1), order 3. It is a PECE method: f_{k+1} =
 * f(x_{k+1}) is evaluated at the commit, after the guards have been asked about x_{k+1}.
 *
 * Predictor: the integrated parabola through f_k, f_{k-1}, f_{k-2}, whose end is x^p; with u = s/h
 * and the backward differences D1, D2 of f,
 *
 *     x_k + s f_k + h (u^2/2 D1 + (u^3/6 + u^2/4) D2).
 *
 * Its margin: x_{k+1} - x^p = (s + 2h) W_2(s) f[t_{k+1}, t_k, t_{k-1}, t_{k-2}] with W_2(s) =
 * s^2 (2s + 3h)/6, where the divided difference is taken to be that of the last step.
 *
 * Dense output: the integrated parabola through f^p, f_k, f_{k-1}, whose end is x_{k+1}; order 3.
 *
 * Deviations: the formulas hold for constant steps only. The first two steps after a start, and
 * any step of another size (cut by an event or a time limit), are steps of the classical
 * Runge-Kutta method, and after a cut step the history begins anew.
 *
 * How it can fail: unstable where h |df/dx| > 1.8 or so. Where most steps are cut, it is the
 * Runge-Kutta method under another name. */
#include "ode/fixed.h"

#include <math.h>
#include <string.h>

typedef struct am3 {
  brink_fixed fixed;
  double *f1, *f2; /* f_{k-1}, f_{k-2} */
  int count;       /* how many of them are known */
  double *d1, *d2; /* D1, D2 */
  double *shift;   /* |x_{k+1} - x^p| of the last step */
  double *shift_new;
  bool has_shift;
  bool adams; /* the attempt was made by this method, not by Runge-Kutta */
} am3;

#define VECTORS(am)                                                                                \
  { &(am)->f1, &(am)->f2, &(am)->d1, &(am)->d2, &(am)->shift, &(am)->shift_new }

static bool am3_create(brink_stepper *st, brink_arena *arena) {
  am3 *am = brink_arena_take(arena, 1, sizeof *am);
  if (am == NULL) return false;
  st->method = am;
  st->order = 3;
  double **const vectors[] = VECTORS(am);
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
    *vectors[k] = brink_arena_take(arena, st->n, sizeof **vectors[k]);
    if (*vectors[k] == NULL) return false;
  }
  return brink_fixed_create(&am->fixed, st, arena);
}

static void am3_relocate(const brink_stepper *st, void *method, brink_relocation *moved) {
  (void)st;
  am3 *am = method;
  double **const vectors[] = VECTORS(am);
  brink_relocate_vectors(moved, vectors, sizeof vectors / sizeof vectors[0]);
  brink_fixed_relocate(&am->fixed, moved);
}

static void am3_archive(brink_stepper *st, void *method, bool runs, brink_archive *a) {
  (void)runs;
  am3 *am = method;
  double **const vectors[] = VECTORS(am);
  brink_archive_mark(a, "am3");
  brink_fixed_archive(&am->fixed, a);
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    brink_archive_doubles(a, *vectors[k], st->n);
  brink_archive_int(a, &am->count, 0, 2);
  brink_archive_bool(a, &am->has_shift);
  brink_archive_bool(a, &am->adams);
}

static brink_try am3_start(brink_stepper *st) {
  am3 *am = st->method;
  am->count = 0;
  am->has_shift = false;
  am->adams = false;
  return brink_fixed_start(&am->fixed, st);
}

/* Adams-Bashforth 3 as a path on [t, t + h_plan]. */
static void plan_adams(am3 *am, brink_stepper *st) {
  double step = st->options->step, h = st->h_plan, u = h / step;
  for (size_t i = 0; i < st->n; i++) {
    am->d1[i] = st->f[i] - am->f1[i];
    am->d2[i] = am->d1[i] - (am->f1[i] - am->f2[i]);
  }
  double basis0[] = {0.0, h};
  double basis1[] = {0.0, 0.0, step * (u * u) / 2.0};
  double basis2[] = {0.0, 0.0, step * (u * u) / 4.0, step * (u * u * u) / 6.0};
  brink_path *path = &st->predictor;
  brink_path_begin(path, st->t, h, st->n, st->x);
  brink_path_add(path, st->f, basis0, 2);
  brink_path_add(path, am->d1, basis1, 3);
  brink_path_add(path, am->d2, basis2, 4);
  if (!am->has_shift) return;
  /* (u + 2) u^2 (2u + 3), 1 at u = 1 */
  memset(path->margin, 0, sizeof path->margin);
  path->margin[2] = 6.0 / 15.0 * (u * u);
  path->margin[3] = 7.0 / 15.0 * (u * u * u);
  path->margin[4] = 2.0 / 15.0 * (u * u) * (u * u);
  path->e = am->shift;
}

static void am3_plan(brink_stepper *st, double h_limit) {
  am3 *am = st->method;
  st->h_plan = brink_fixed_step(st, h_limit);
  if (am->count == 2) {
    plan_adams(am, st);
  } else {
    brink_ahead_plan(&am->fixed.ahead, st, st->h_plan);
  }
}

static brink_try attempt_adams(am3 *am, brink_stepper *st, double h) {
  static const double basis[3][4] = {{0.0, 1.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0, 1.0}};
  brink_fixed *fx = &am->fixed;
  double *fp = fx->k[0];
  const double *f = st->f, *f1 = am->f1, *f2 = am->f2;
  for (size_t i = 0; i < st->n; i++)
    fx->arg[i] = st->x[i] + h / 12.0 * (23.0 * f[i] - 16.0 * f1[i] + 5.0 * f2[i]);
  brink_try outcome = brink_eval_rhs(st->eval, st->t + h, fx->arg, fp);
  if (outcome != BRINK_TRY_OK) return outcome;

  for (size_t i = 0; i < st->n; i++) {
    fx->x0[i] = st->x[i];
    fx->r[0][i] = h * f[i];
    fx->r[1][i] = h / 4.0 * (fp[i] - f1[i]);
    fx->r[2][i] = h / 6.0 * (fp[i] - 2.0 * f[i] + f1[i]);
    st->x_new[i] = st->x[i] + (fx->r[0][i] + (fx->r[1][i] + fx->r[2][i]));
    am->shift_new[i] = fabs(st->x_new[i] - fx->arg[i]);
  }
  brink_path_begin(&st->dense, st->t, h, st->n, fx->x0);
  for (int l = 0; l < 3; l++) brink_path_add(&st->dense, fx->r[l], basis[l], l + 2);
  st->h = h;
  st->error = 0.0;
  return BRINK_TRY_OK;
}

static brink_try am3_attempt(brink_stepper *st, double h) {
  am3 *am = st->method;
  am->adams = am->count == 2 && brink_fixed_is_nominal(st, h);
  return am->adams ? attempt_adams(am, st, h) : brink_fixed_rk4(&am->fixed, st, h);
}

static brink_try am3_commit(brink_stepper *st) {
  am3 *am = st->method;
  if (am->adams) {
    brink_try outcome = brink_fixed_end_slope(&am->fixed, st);
    if (outcome != BRINK_TRY_OK) return outcome;
    /* An accidental zero must not pass for accuracy: an old shift is forgotten by halves. */
    for (size_t i = 0; i < st->n; i++) {
      double old = am->has_shift ? 0.5 * am->shift[i] : 0.0;
      am->shift[i] = fmax(am->shift_new[i], old);
    }
  }
  am->has_shift = am->adams;
  brink_ahead_learn(&am->fixed.ahead, st, am->fixed.f_new);
  if (brink_fixed_is_nominal(st, st->h)) {
    double *oldest = am->f2;
    am->f2 = am->f1;
    am->f1 = oldest;
    memcpy(am->f1, st->f, st->n * sizeof *am->f1);
    if (am->count < 2) am->count++;
  } else {
    am->count = 0;
  }
  brink_fixed_advance(&am->fixed, st);
  return BRINK_TRY_OK;
}

const brink_stepper_ops brink_stepper_am3 = {
    .method = BRINK_AM3,
    .create = am3_create,
    .start = am3_start,
    .plan = am3_plan,
    .attempt = am3_attempt,
    .commit = am3_commit,
    .relocate = am3_relocate,
    .archive = am3_archive,
};
