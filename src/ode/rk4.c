/* rk4.c: the classical Runge-Kutta method at a fixed step.
 *
 * Problem: x' = f(t, x), four evaluations a step.
 *
 * Method: Kutta 1901 (Hairer, Nørsett & Wanner 1993, table II.1.2), order 4; as in García 2004.
 *
 * Dense output: the cubic Hermite interpolant, of order 4 inside the step as well (it is off by
 * h^4/384 times the fourth derivative). Its end slope f(x_{k+1}) is evaluated in the attempt and is
 * the first stage of the next step. Predictor: the last dense output continued (fixed.h).
 *
 * How it can fail: unstable where h |df/dx| > 2.8. */
#include "ode/fixed.h"

static bool rk4_create(brink_stepper *st, brink_arena *arena) {
  brink_fixed *fx = brink_arena_take(arena, 1, sizeof *fx);
  if (fx == NULL) return false;
  st->method = fx;
  st->order = 4;
  return brink_fixed_create(fx, st, arena);
}

static brink_try rk4_start(brink_stepper *st) {
  return brink_fixed_start(st->method, st);
}

static void rk4_plan(brink_stepper *st, double h_limit) {
  brink_fixed *fx = st->method;
  st->h_plan = brink_fixed_step(st, h_limit);
  brink_ahead_plan(&fx->ahead, st, st->h_plan);
}

static brink_try rk4_attempt(brink_stepper *st, double h) {
  return brink_fixed_rk4(st->method, st, h);
}

static brink_try rk4_commit(brink_stepper *st) {
  brink_fixed *fx = st->method;
  brink_ahead_learn(&fx->ahead, st, fx->f_new);
  brink_fixed_advance(fx, st);
  return BRINK_TRY_OK;
}

const brink_stepper_ops brink_stepper_rk4 = {
    .method = BRINK_RK4,
    .create = rk4_create,
    .start = rk4_start,
    .plan = rk4_plan,
    .attempt = rk4_attempt,
    .commit = rk4_commit,
    .relocate = brink_fixed_relocate_method,
    .archive = brink_fixed_archive_method,
};
