/* taylor2.c: the Taylor method of order 2 at a fixed step.
 *
 * Problem: x' = f(t, x), with x'' = f_t + f_x f at hand or by a difference.
 *
 * Method: x_{k+1} = x_k + h f + h^2/2 x'' (García 2004, corrected: x'' is f_t + f_x f with all
 * components of f, where the paper prints f_t f and no mixed terms), order 2. x'' comes from the
 * model's Taylor series, where it has one and is not sliding (the field is then a mixture that the
 * series does not know); otherwise, and for appended components, from a difference along the flow,
 * (f(t+d, x+d f) - f)/d, or with -d where +d is past a surface or refused.
 *
 * Dense output: the same parabola, order 2. x'' is found when a point is accepted, so the predictor
 * is the method itself and its margin is zero; in an attempt nothing is evaluated.
 *
 * How it can fail: unstable where h |df/dx| > 2. With neither +d nor -d allowed x'' stays unknown;
 * each attempt then tries again with a d that shrinks with its h. */
#include "ode/fixed.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* d as a part of the step. The difference is off by x''' d/2 and by 2 ulp(f)/d, which enter the new
 * state times h^2/2: with d = 1e-4 h that is 1.5e-4 of the method's own error x''' h^3/6, and 1e4
 * roundings of h f. */
#define DIFFERENCE 1e-4

typedef struct taylor2 {
  brink_fixed fixed;
  double *second;     /* x'' at the present */
  double *second_new; /* at the end of the attempt */
  bool known;
  double *jet;   /* nx times 3 coefficients */
  double **rows; /* one for each state */
} taylor2;

static bool taylor2_create(brink_stepper *st, brink_arena *arena) {
  taylor2 *ty = brink_arena_take(arena, 1, sizeof *ty);
  if (ty == NULL) return false;
  st->method = ty;
  st->order = 2;
  ty->second = brink_arena_take(arena, st->n, sizeof *ty->second);
  ty->second_new = brink_arena_take(arena, st->n, sizeof *ty->second_new);
  ty->jet = brink_arena_take(arena, 3 * st->nx, sizeof *ty->jet);
  ty->rows = brink_arena_take(arena, st->nx, sizeof *ty->rows);
  if (ty->second == NULL || ty->second_new == NULL || ty->jet == NULL || ty->rows == NULL)
    return false;
  for (size_t i = 0; i < st->nx; i++) ty->rows[i] = ty->jet + 3 * i;
  return brink_fixed_create(&ty->fixed, st, arena);
}

/* x'' of the states from the model's series. The point has passed the domain check: f is known there. */
static brink_try from_series(taylor2 *ty, brink_stepper *st, double t, const double *x,
                             double *second) {
  brink_eval *eval = st->eval;
  for (size_t i = 0; i < st->nx; i++) {
    ty->rows[i][0] = x[i];
    ty->rows[i][1] = ty->rows[i][2] = 0.0;
  }
  brink_try outcome = brink_eval_flow_jet(eval, 2, t, 1.0, x, ty->rows);
  for (size_t i = 0; outcome == BRINK_TRY_OK && i < st->nx; i++) {
    second[i] = 2.0 * ty->rows[i][2];
    if (!isfinite(second[i])) return BRINK_TRY_REFUSED;
  }
  return outcome;
}

/* x'' by a difference of f over d, which may be negative. */
static brink_try from_difference(taylor2 *ty, brink_stepper *st, double t, const double *x,
                                 const double *f, double d, double *second) {
  double *arg = ty->fixed.arg, *f_there = ty->fixed.k[0];
  double there = t + d;
  d = there - t; /* what time can resolve */
  if (d == 0.0) return BRINK_TRY_REFUSED;
  for (size_t i = 0; i < st->n; i++) arg[i] = x[i] + d * f[i];
  brink_try outcome = brink_eval_rhs(st->eval, there, arg, f_there);
  if (outcome != BRINK_TRY_OK) return outcome;
  for (size_t i = 0; i < st->n; i++) second[i] = (f_there[i] - f[i]) / d;
  return BRINK_TRY_OK;
}

static brink_try find_second(taylor2 *ty, brink_stepper *st, double t, const double *x,
                             const double *f, double h, double *second) {
  const brink_eval *eval = st->eval;
  bool series = brink_eval_has_flow_jet(eval);
  if (!series || st->n > st->nx) {
    double d = fmax(DIFFERENCE * h, DBL_EPSILON * fabs(t)); /* or what time resolves */
    brink_try outcome = from_difference(ty, st, t, x, f, d, second);
    if (outcome == BRINK_TRY_OUTSIDE || outcome == BRINK_TRY_REFUSED)
      outcome = from_difference(ty, st, t, x, f, -d, second);
    if (outcome != BRINK_TRY_OK) return outcome;
  }
  return series ? from_series(ty, st, t, x, second) : BRINK_TRY_OK;
}

static brink_try taylor2_start(brink_stepper *st) {
  taylor2 *ty = st->method;
  ty->known = false;
  brink_try outcome = brink_fixed_start(&ty->fixed, st);
  if (outcome != BRINK_TRY_OK) return outcome;
  outcome = find_second(ty, st, st->t, st->x, st->f, st->options->step, ty->second);
  ty->known = outcome == BRINK_TRY_OK;
  return outcome == BRINK_TRY_FATAL ? outcome : BRINK_TRY_OK;
}

static void taylor2_plan(brink_stepper *st, double h_limit) {
  taylor2 *ty = st->method;
  st->h_plan = brink_fixed_step(st, h_limit);
  brink_ahead_plan(&ty->fixed.ahead, st, st->h_plan); /* nothing was learnt: x + s f */
  if (!ty->known) return;
  double basis[] = {0.0, 0.0, 0.5 * st->h_plan * st->h_plan};
  brink_path_add(&st->predictor, ty->second, basis, 3);
  brink_ahead_exact(&ty->fixed.ahead, st);
}

static brink_try taylor2_attempt(brink_stepper *st, double h) {
  static const double basis0[] = {0.0, 1.0};
  static const double basis1[] = {0.0, 0.0, 1.0};
  taylor2 *ty = st->method;
  brink_fixed *fx = &ty->fixed;
  const double *second = ty->second;
  if (!ty->known) {
    brink_try outcome = find_second(ty, st, st->t, st->x, st->f, h, ty->second_new);
    if (outcome != BRINK_TRY_OK) return outcome;
    second = ty->second_new;
  }
  for (size_t i = 0; i < st->n; i++) {
    fx->x0[i] = st->x[i];
    fx->r[0][i] = h * st->f[i];
    fx->r[1][i] = 0.5 * h * h * second[i];
    st->x_new[i] = st->x[i] + (fx->r[0][i] + fx->r[1][i]);
  }
  brink_path_begin(&st->dense, st->t, h, st->n, fx->x0);
  brink_path_add(&st->dense, fx->r[0], basis0, 2);
  brink_path_add(&st->dense, fx->r[1], basis1, 3);
  st->h = h;
  st->error = 0.0;
  return BRINK_TRY_OK;
}

static brink_try taylor2_commit(brink_stepper *st) {
  taylor2 *ty = st->method;
  brink_fixed *fx = &ty->fixed;
  brink_try outcome = brink_fixed_end_slope(fx, st);
  if (outcome != BRINK_TRY_OK) return outcome;
  outcome =
      find_second(ty, st, st->t + st->h, st->x_new, fx->f_new, st->options->step, ty->second_new);
  if (outcome == BRINK_TRY_FATAL) return outcome;
  ty->known = outcome == BRINK_TRY_OK;
  if (ty->known) memcpy(ty->second, ty->second_new, st->n * sizeof *ty->second);
  brink_fixed_advance(fx, st);
  return BRINK_TRY_OK;
}

static void taylor2_relocate(const brink_stepper *st, void *method, brink_relocation *moved) {
  taylor2 *ty = method;
  brink_fixed_relocate(&ty->fixed, moved);
  BRINK_RELOCATE(moved, ty->second);
  BRINK_RELOCATE(moved, ty->second_new);
  BRINK_RELOCATE(moved, ty->jet);
  BRINK_RELOCATE(moved, ty->rows);
  brink_relocate_rows(moved, ty->rows, st->nx);
}

static void taylor2_archive(brink_stepper *st, void *method, bool runs, brink_archive *a) {
  (void)runs;
  taylor2 *ty = method;
  brink_archive_mark(a, "taylor2");
  brink_fixed_archive(&ty->fixed, a);
  brink_archive_doubles(a, ty->second, st->n);
  brink_archive_doubles(a, ty->second_new, st->n);
  brink_archive_bool(a, &ty->known);
}

const brink_stepper_ops brink_stepper_taylor2 = {
    .method = BRINK_TAYLOR2,
    .create = taylor2_create,
    .start = taylor2_start,
    .plan = taylor2_plan,
    .attempt = taylor2_attempt,
    .commit = taylor2_commit,
    .relocate = taylor2_relocate,
    .archive = taylor2_archive,
};
