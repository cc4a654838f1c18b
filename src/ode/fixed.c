/* fixed.c: what the fixed-step methods share, and the look ahead of one-step methods.
 *
 * Problem: predict, without evaluating the model, where the next step will go, and by how much the
 * prediction may be off.
 *
 * Method: fixed.h gives the formulas. For a cubic Hermite interpolant (q = 3) on [t - R, t] the
 * error past the end is x^(4)/4! s^2 (s + R)^2 (Hairer, Nørsett & Wanner 1993, section II.6); other
 * dense outputs have the double zero at s = 0 and the total degree in common with it, but several
 * polynomials with different zeros between. s^2 (s^(q-1) + R^(q-1)) has these properties and no
 * preference for long s. Where the dense output ends with another slope than f there (trapezoid),
 * the difference belongs to its second derivative as well: it is the least that K can be.
 *
 * The classical Runge-Kutta method is that of Kutta 1901 (Hairer, Nørsett & Wanner 1993, table
 * II.1.2).
 *
 * How it can fail: K is measured in the last steps and may be too small where the solution changes
 * its character; a detector that relies on it applies a factor of its own and checks guards at the
 * points themselves. A polynomial made on a very short interval is mostly rounding error when
 * continued far: short steps therefore do not replace a polynomial made on a long one nearby, and
 * none is continued further than five times its interval. */
#include "ode/fixed.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------- the look ahead ----- */

/* Continued further than this many times its interval, a quartic amplifies rounding by 5^4 and its
 * own truncation error beyond use. */
#define REACH 5.0
/* A step shorter than this part of the polynomial's interval does not replace it … */
#define SHORT 0.25
/* … unless the present has moved this part of the interval away from it. */
#define AWAY 0.5
/* Differences below this many units in the last place measure nothing. */
#define NOISE 16.0

bool brink_ahead_create(brink_ahead *ahead, size_t n, brink_arena *arena) {
  *ahead = (brink_ahead){.n = n};
  for (int l = 0; l < BRINK_AHEAD_TERMS; l++) {
    ahead->c[l] = brink_arena_take(arena, n, sizeof *ahead->c[l]);
    if (ahead->c[l] == NULL) return false;
  }
  ahead->k = brink_arena_take(arena, n, sizeof *ahead->k);
  ahead->e = brink_arena_take(arena, n, sizeof *ahead->e);
  return ahead->k != NULL && ahead->e != NULL;
}

void brink_ahead_relocate(brink_ahead *ahead, brink_relocation *moved) {
  brink_relocate_rows(moved, ahead->c, BRINK_AHEAD_TERMS);
  BRINK_RELOCATE(moved, ahead->k);
  BRINK_RELOCATE(moved, ahead->e);
}

void brink_ahead_forget(brink_ahead *ahead) {
  ahead->degree = 0;
  ahead->base = ahead->past = 0.0;
  ahead->measured = false;
  ahead->planned = false;
  memset(ahead->k, 0, ahead->n * sizeof *ahead->k);
}

static double power(double x, int n) {
  double value = 1.0;
  while (n-- > 0) value *= x;
  return value;
}

/* s^2 (s^(q-1) + R^(q-1)) */
static double shape(const brink_ahead *ahead, int q, double s) {
  return s * s * (power(s, q - 1) + power(ahead->base + ahead->past, q - 1));
}

/* The same as a polynomial in sigma = s/h, scaled to 1 at sigma = 1. */
static void set_margin(const brink_ahead *ahead, int q, double h, double *margin) {
  memset(margin, 0, (BRINK_PATH_DEGREE + 1) * sizeof *margin);
  double near = power(ahead->base + ahead->past, q - 1), far = power(h, q - 1);
  margin[2] = near / (near + far);
  margin[q + 1] = far / (near + far);
}

double brink_ahead_reach(const brink_ahead *ahead) {
  double reach = INFINITY;
  if (ahead->degree >= 2) reach = REACH * ahead->base;
  return reach;
}

void brink_ahead_plan(brink_ahead *ahead, brink_stepper *st, double h) {
  brink_path *path = &st->predictor;
  brink_path_begin(path, st->t, h, st->n, st->x);
  double basis[BRINK_AHEAD_TERMS + 2] = {0.0, h};
  brink_path_add(path, st->f, basis, 2);
  ahead->planned = true;
  ahead->planned_degree = 1;
  if (ahead->degree < 2 || h > (1.0 + 1e-12) * brink_ahead_reach(ahead)) return;

  basis[1] = 0.0;
  for (int l = 2; l <= ahead->degree; l++) {
    basis[l] = power(h, l);
    brink_path_add(path, ahead->c[l - 2], basis, l + 1);
    basis[l] = 0.0;
  }
  ahead->planned_degree = ahead->degree;
  if (!ahead->measured) return;
  double scale = shape(ahead, ahead->degree, h);
  for (size_t i = 0; i < st->n; i++) ahead->e[i] = ahead->k[i] * scale;
  path->e = ahead->e;
  path->trusted = 0.25 * ahead->base; /* one measurement says little about a longer way */
  set_margin(ahead, ahead->degree, h, path->margin);
}

void brink_ahead_exact(brink_ahead *ahead, brink_stepper *st) {
  memset(ahead->e, 0, st->n * sizeof *ahead->e);
  memset(st->predictor.margin, 0, sizeof st->predictor.margin);
  st->predictor.e = ahead->e;
}

/* K from the difference between what was accepted and what was predicted, in the middle of the step
 * and at its end. An accidental zero of it must not pass for accuracy: an old K is forgotten by
 * halves, but not kept where it is contradicted: what rounding made up on a short step is seen to
 * be absent on a longer one. */
static void measure(brink_ahead *ahead, const brink_stepper *st) {
  const brink_path *was = &st->predictor, *is = &st->dense;
  double was_mid[BRINK_PATH_TERMS], was_end[BRINK_PATH_TERMS], is_mid[BRINK_PATH_TERMS];
  brink_path_weights(was, 0.5 * st->h / was->h, was_mid);
  brink_path_weights(was, st->h / was->h, was_end);
  brink_path_weights(is, 0.5, is_mid);
  double mid_scale = shape(ahead, ahead->planned_degree, 0.5 * st->h);
  double end_scale = shape(ahead, ahead->planned_degree, st->h);
  if (!(mid_scale > 0.0)) return; /* an underflow: too short to learn from */
  for (size_t i = 0; i < st->n; i++) {
    double mid =
        fabs(brink_path_component_at(is, i, is_mid) - brink_path_component_at(was, i, was_mid));
    double end = fabs(st->x_new[i] - brink_path_component_at(was, i, was_end));
    double noise = NOISE * DBL_EPSILON * fmax(fabs(st->x[i]), fabs(st->x_new[i]));
    if (mid <= noise && end <= noise) {
      ahead->k[i] = fmin(ahead->k[i], noise / end_scale);
      continue;
    }
    if (end > noise) ahead->k[i] *= 0.5;
    if (mid > noise) ahead->k[i] = fmax(ahead->k[i], mid / mid_scale);
    if (end > noise) ahead->k[i] = fmax(ahead->k[i], end / end_scale);
  }
  ahead->measured = true;
}

/* Coefficients of s^2 … s^degree about a point `by` later: c_l <- sum_{j >= l} binom(j, l) c_j
 * by^(j-l), by repeated synthetic division. The two lowest are not needed. */
static void shift_powers(double *c, int degree, double by) {
  for (int l = 0; l < degree; l++) {
    for (int j = degree - 1; j >= l; j--) c[j] += by * c[j + 1];
  }
}

static void shift_all(brink_ahead *ahead, double h) {
  double c[BRINK_AHEAD_TERMS + 2] = {0.0};
  for (size_t i = 0; i < ahead->n; i++) {
    for (int l = 2; l <= ahead->degree; l++) c[l] = ahead->c[l - 2][i];
    c[0] = c[1] = 0.0;
    shift_powers(c, ahead->degree, h);
    for (int l = 2; l <= ahead->degree; l++) ahead->c[l - 2][i] = c[l];
  }
}

/* The dense output in powers of s about its end. */
static void take_dense(brink_ahead *ahead, const brink_path *dense, const double *f_new) {
  double c[BRINK_PATH_DEGREE + 1], h = dense->h;
  int q = dense->degree;
  for (size_t i = 0; i < dense->n; i++) {
    brink_path_component(dense, i, c);
    shift_powers(c, q, 1.0);
    for (int l = 2; l <= q; l++) ahead->c[l - 2][i] = c[l] / power(h, l);
    double kink = fabs(f_new[i] - c[1] / h), slopes = fmax(fabs(f_new[i]), fabs(c[1] / h));
    if (kink > NOISE * DBL_EPSILON * slopes)
      ahead->k[i] = fmax(ahead->k[i], 0.5 * kink / power(h, q));
  }
  ahead->degree = q;
  ahead->base = h;
  ahead->past = 0.0;
}

void brink_ahead_learn(brink_ahead *ahead, const brink_stepper *st, const double *f_new) {
  double h = st->h;
  if (ahead->planned && ahead->planned_degree >= 2) measure(ahead, st);
  ahead->planned = false;
  bool is_short = ahead->degree == st->dense.degree && h < SHORT * ahead->base;
  if (is_short && ahead->past + h <= AWAY * ahead->base) {
    shift_all(ahead, h);
    ahead->past += h;
    return;
  }
  if (ahead->degree != st->dense.degree) brink_ahead_forget(ahead); /* K of another degree */
  take_dense(ahead, &st->dense, f_new);
}

/* ------------------------------------------------------------------------- dense output ------- */

void brink_dense_hermite(brink_stepper *st, double h, const double *f_new, double *x0,
                         double *const r[3]) {
  static const double basis0[] = {0.0, 1.0};
  static const double basis1[] = {0.0, 1.0, -1.0};
  static const double basis2[] = {0.0, 0.0, 1.0, -1.0};
  for (size_t i = 0; i < st->n; i++) {
    x0[i] = st->x[i];
    r[1][i] = h * st->f[i] - r[0][i];
    r[2][i] = r[0][i] - h * f_new[i] - r[1][i];
  }
  brink_path_begin(&st->dense, st->t, h, st->n, x0);
  brink_path_add(&st->dense, r[0], basis0, 2);
  brink_path_add(&st->dense, r[1], basis1, 3);
  brink_path_add(&st->dense, r[2], basis2, 4);
}

/* ------------------------------------------------------------------------- fixed steps -------- */

/* Less than this part of a step is not worth a step of its own. */
#define SLIVER 1e-9
/* Steps that differ by less are one and the same: several roundings of t, not more. */
#define SAME_STEP 1e-12

#define VECTORS(fx)                                                                                \
  {                                                                                                \
    &(fx)->x0, &(fx)->r[0], &(fx)->r[1], &(fx)->r[2], &(fx)->k[0], &(fx)->k[1], &(fx)->k[2],       \
        &(fx)->arg, &(fx)->f_new                                                                   \
  }

bool brink_fixed_create(brink_fixed *fx, brink_stepper *st, brink_arena *arena) {
  double **const vectors[] = VECTORS(fx);
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
    *vectors[k] = brink_arena_take(arena, st->n, sizeof **vectors[k]);
    if (*vectors[k] == NULL) return false;
  }
  return brink_ahead_create(&fx->ahead, st->n, arena);
}

void brink_fixed_relocate(brink_fixed *fx, brink_relocation *moved) {
  double **const vectors[] = VECTORS(fx);
  brink_relocate_vectors(moved, vectors, sizeof vectors / sizeof vectors[0]);
  brink_ahead_relocate(&fx->ahead, moved);
}

void brink_ahead_archive(brink_ahead *ahead, brink_archive *a) {
  int most = BRINK_AHEAD_TERMS + 1;
  brink_archive_int(a, &ahead->degree, 0, most);
  brink_archive_double(a, &ahead->base);
  brink_archive_double(a, &ahead->past);
  for (int l = 0; l < BRINK_AHEAD_TERMS; l++) brink_archive_doubles(a, ahead->c[l], ahead->n);
  brink_archive_doubles(a, ahead->k, ahead->n);
  brink_archive_doubles(a, ahead->e, ahead->n);
  brink_archive_bool(a, &ahead->measured);
  if (a->reads) ahead->planned = false;
}

/* Stages and the dense output are those of an attempt. */
void brink_fixed_archive(brink_fixed *fx, brink_archive *a) {
  brink_ahead_archive(&fx->ahead, a);
  brink_archive_doubles(a, fx->f_new, fx->ahead.n);
}

void brink_fixed_archive_method(brink_stepper *st, void *method, bool runs, brink_archive *a) {
  (void)st, (void)runs;
  brink_fixed_archive(method, a);
}

void brink_fixed_relocate_method(const brink_stepper *st, void *method, brink_relocation *moved) {
  (void)st;
  brink_fixed_relocate(method, moved);
}

brink_try brink_fixed_start(brink_fixed *fx, brink_stepper *st) {
  brink_ahead_forget(&fx->ahead);
  st->h_next = st->options->step;
  return brink_stepper_begin(st);
}

double brink_fixed_step(const brink_stepper *st, double h_limit) {
  double step = st->options->step;
  return h_limit - step < SLIVER * step ? h_limit : step;
}

bool brink_fixed_is_nominal(const brink_stepper *st, double h) {
  return fabs(h - st->options->step) <= SAME_STEP * st->options->step;
}

/* arg = x + by*k */
static void displace(const brink_stepper *st, double by, const double *k, double *arg) {
  for (size_t i = 0; i < st->n; i++) arg[i] = st->x[i] + by * k[i];
}

brink_try brink_fixed_rk4(brink_fixed *fx, brink_stepper *st, double h) {
  const double *k1 = st->f;
  double *k2 = fx->k[0], *k3 = fx->k[1], *k4 = fx->k[2];
  brink_try outcome;
  displace(st, 0.5 * h, k1, fx->arg);
  outcome = brink_eval_rhs(st->eval, st->t + 0.5 * h, fx->arg, k2);
  if (outcome != BRINK_TRY_OK) return outcome;
  displace(st, 0.5 * h, k2, fx->arg);
  outcome = brink_eval_rhs(st->eval, st->t + 0.5 * h, fx->arg, k3);
  if (outcome != BRINK_TRY_OK) return outcome;
  displace(st, h, k3, fx->arg);
  outcome = brink_eval_rhs(st->eval, st->t + h, fx->arg, k4);
  if (outcome != BRINK_TRY_OK) return outcome;

  for (size_t i = 0; i < st->n; i++) {
    fx->r[0][i] = h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
    st->x_new[i] = st->x[i] + fx->r[0][i];
  }
  st->h = h;
  st->error = 0.0;
  outcome = brink_fixed_end_slope(fx, st);
  if (outcome != BRINK_TRY_OK) return outcome;
  brink_dense_hermite(st, h, fx->f_new, fx->x0, fx->r);
  return BRINK_TRY_OK;
}

brink_try brink_fixed_end_slope(brink_fixed *fx, brink_stepper *st) {
  return brink_eval_rhs(st->eval, st->t + st->h, st->x_new, fx->f_new);
}

void brink_fixed_advance(brink_fixed *fx, brink_stepper *st) {
  st->t += st->h;
  memcpy(st->x, st->x_new, st->n * sizeof *st->x);
  memcpy(st->f, fx->f_new, st->n * sizeof *st->f);
  st->h_next = st->options->step;
}
