/* euler.c: the explicit method of Euler at a fixed step.
 *
 * Problem: x' = f(t, x), the simplest one-step method.
 *
 * Method: x_{k+1} = x_k + h f(t_k, x_k), order 1 (Hairer, Nørsett & Wanner 1993, section I.7).
 *
 * Dense output: the chord. Inside the step it is off by h^2/8 times the second derivative, less
 * than the ends themselves. The predictor is the method itself, so it is never off: its margin is
 * zero. Evaluations: none in an attempt, one (at the accepted end) in a commit.
 *
 * How it can fail: unstable where h |df/dx| > 2. */
#include "ode/fixed.h"

static bool euler_create(brink_stepper *st, brink_arena *arena) {
  brink_fixed *fx = brink_arena_take(arena, 1, sizeof *fx);
  if (fx == NULL) return false;
  st->method = fx;
  st->order = 1;
  return brink_fixed_create(fx, st, arena);
}

static brink_try euler_start(brink_stepper *st) {
  return brink_fixed_start(st->method, st);
}

static void euler_plan(brink_stepper *st, double h_limit) {
  brink_fixed *fx = st->method;
  st->h_plan = brink_fixed_step(st, h_limit);
  brink_ahead_plan(&fx->ahead, st, st->h_plan); /* nothing was learnt: x + s f */
  brink_ahead_exact(&fx->ahead, st);
}

static brink_try euler_attempt(brink_stepper *st, double h) {
  static const double basis[] = {0.0, 1.0};
  brink_fixed *fx = st->method;
  for (size_t i = 0; i < st->n; i++) {
    fx->x0[i] = st->x[i];
    fx->r[0][i] = h * st->f[i];
    st->x_new[i] = st->x[i] + fx->r[0][i];
  }
  brink_path_begin(&st->dense, st->t, h, st->n, fx->x0);
  brink_path_add(&st->dense, fx->r[0], basis, 2);
  st->h = h;
  st->error = 0.0;
  return BRINK_TRY_OK;
}

static brink_try euler_commit(brink_stepper *st) {
  brink_fixed *fx = st->method;
  brink_try outcome = brink_fixed_end_slope(fx, st);
  if (outcome != BRINK_TRY_OK) return outcome;
  brink_fixed_advance(fx, st);
  return BRINK_TRY_OK;
}

const brink_stepper_ops brink_stepper_euler = {
    .method = BRINK_EULER,
    .create = euler_create,
    .start = euler_start,
    .plan = euler_plan,
    .attempt = euler_attempt,
    .commit = euler_commit,
    .relocate = brink_fixed_relocate_method,
    .archive = brink_fixed_archive_method,
};
