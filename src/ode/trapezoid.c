/* trapezoid.c: the explicit trapezoidal rule (Heun's method) at a fixed step.
 *
 * Problem: x' = f(t, x), two evaluations a step.
 *
 * Method: trap_seh of Taylor 1995, an Euler predictor and one trapezoidal correction,
 *
 *     x^p = x_k + h f_k,    f^p = f(t_k + h, x^p),    x_{k+1} = x_k + h/2 (f_k + f^p),
 *
 * order 2; exact where the acceleration is constant.
 *
 * Dense output: x_k + s f_k + s^2/(2h) (f^p - f_k), order 2. Predictor: the last one continued,
 * with the true slope (fixed.h). Note that f^p is evaluated at x_k + h f_k, not on the predictor:
 * where that point is past a unilateral surface it is refused, and the step tried again shorter.
 *
 * Deviation: the mode switching that is woven into trap_seh lives in the hybrid loop.
 *
 * How it can fail: unstable where h |df/dx| > 2. */
#include "ode/fixed.h"

static bool trapezoid_create(brink_stepper *st, brink_arena *arena) {
  brink_fixed *fx = brink_arena_take(arena, 1, sizeof *fx);
  if (fx == NULL) return false;
  st->method = fx;
  st->order = 2;
  return brink_fixed_create(fx, st, arena);
}

static brink_try trapezoid_start(brink_stepper *st) {
  return brink_fixed_start(st->method, st);
}

static void trapezoid_plan(brink_stepper *st, double h_limit) {
  brink_fixed *fx = st->method;
  st->h_plan = brink_fixed_step(st, h_limit);
  brink_ahead_plan(&fx->ahead, st, st->h_plan);
}

static brink_try trapezoid_attempt(brink_stepper *st, double h) {
  static const double basis0[] = {0.0, 1.0};
  static const double basis1[] = {0.0, 0.0, 1.0};
  brink_fixed *fx = st->method;
  double *fp = fx->k[0];
  for (size_t i = 0; i < st->n; i++) fx->arg[i] = st->x[i] + h * st->f[i];
  brink_try outcome = brink_eval_rhs(st->eval, st->t + h, fx->arg, fp);
  if (outcome != BRINK_TRY_OK) return outcome;

  for (size_t i = 0; i < st->n; i++) {
    fx->x0[i] = st->x[i];
    fx->r[0][i] = h * st->f[i];
    fx->r[1][i] = 0.5 * h * (fp[i] - st->f[i]);
    st->x_new[i] = st->x[i] + (fx->r[0][i] + fx->r[1][i]);
  }
  brink_path_begin(&st->dense, st->t, h, st->n, fx->x0);
  brink_path_add(&st->dense, fx->r[0], basis0, 2);
  brink_path_add(&st->dense, fx->r[1], basis1, 3);
  st->h = h;
  st->error = 0.0;
  return BRINK_TRY_OK;
}

static brink_try trapezoid_commit(brink_stepper *st) {
  brink_fixed *fx = st->method;
  brink_try outcome = brink_fixed_end_slope(fx, st);
  if (outcome != BRINK_TRY_OK) return outcome;
  brink_ahead_learn(&fx->ahead, st, fx->f_new);
  brink_fixed_advance(fx, st);
  return BRINK_TRY_OK;
}

const brink_stepper_ops brink_stepper_trapezoid = {
    .method = BRINK_TRAPEZOID,
    .create = trapezoid_create,
    .start = trapezoid_start,
    .plan = trapezoid_plan,
    .attempt = trapezoid_attempt,
    .commit = trapezoid_commit,
    .relocate = brink_fixed_relocate_method,
    .archive = brink_fixed_archive_method,
};
