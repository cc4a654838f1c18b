/* taylor.c: the Taylor series method.
 *
 * Problem: x' = f(t, x), where the model gives the Taylor coefficients of its own solution
 * (brink_flow_jet_fn): HSML models do, by automatic differentiation.
 *
 * Method: at the present point the solution is expanded, x(t + s) = sum_k c_k s^k, up to order p; a
 * step evaluates this polynomial. Everything is known before the step is taken, and nothing of the
 * model is evaluated beyond the present point: the predictor, the step and the dense output are one
 * polynomial, so guards can be followed along it without ever looking past them (errata to Esposito &
 * Kumar 2007: whole-flow series need no gain). Barrio, "Performance of the Taylor series method for
 * ODEs/DAEs", Appl. Math. Comput. 163 (2005) 525-545.
 *
 * Order: the one that goes farthest for its cost (num/order.c), or where the series end.
 *
 * Step: the last two terms are kept below the tolerance, |c_k| h^k <= w for k = p, p - 1 (Jorba & Zou,
 * section 3.1; two, because one may vanish). What the polynomial leaves out is then smaller than w by
 * about h/R.
 *
 * Radius of convergence: series with gaps (1/(1 + s^8)) can have vanishing last terms at any step. So,
 * when the series at the new point is known, its first coefficient, f there, is compared with the slope
 * at which the polynomial arrived: the defect T'(h) - f(T(h)), times h/(p + 1), is the error of the
 * step, whatever the terms of the series announced. If that is more than the tolerance, the step is
 * taken back. A step that ends in an event has no series at its end: f is asked for there, and where
 * there is none (a singular edge) the terms from p/2 on have to fall at least as fast, on the way from
 * the largest possible one to the tolerance, as a geometric series does. Only where the model says that
 * its series end (flow_degrees) is a polynomial believed. Where a state seems to rest, or to move straight
 * on, though its equation does not say so, points on the way are tested besides: a pulse far ahead has no
 * terms in the series.
 *
 * Rounding: terms that cannot change a state are left out of the step's polynomial.
 *
 * Where a series breaks off after a few terms (the root of a level that is 0, and stays there), those that are left
 * would have to be below the tolerance: a tank that is empty would be followed by steps of 1e-10. One such point is
 * left behind by a short step. After two in a row the stepper `stalls`, and another method takes some steps.
 *
 * Deviations: series are scaled, in units of s that keep near the step size, so that coefficients
 * neither overflow nor vanish where R is tiny (next to a singular edge) or large. Where a coefficient
 * does not exist (x' = sqrt x at 0), the series ends before it, and the last term that is there is kept
 * below the tolerance.
 *
 * How it can fail: an f that is not smooth where no flag says so (noevent) has a defect at every
 * size of step, and the steps shrink to nothing, which is reported. A pulse of f far narrower than the
 * step, and away from its end, is not seen: hmax is for that. */
#include <float.h>
#include <stdint.h>

#include "num/order.h"
#include "ode/taylor_lanes.h"
#include "ode/taylor_parts.h"

#define BALANCE 64.0
#define WAY 7             /* points on the way where a series that knows nothing is tested */
#define AT_ROUNDING 1e-13 /* whoever asks for less than this wants rounding alone: … */
#define SHARPER 64.0      /* … truncation has a direction, and adds up where rounding does not */
#define RESCALE 0x1p-30   /* the next unit to be tried where coefficients overflow */
#define RESCALES 3

/* fmax, without a call: a NaN is no number to be larger. */
static inline double larger(double a, double b) {
  return a > b || b != b ? a : b;
}

/* Where the series of all states have ended; 0: nowhere. */
static int degree_of(const brink_stepper *st) {
  const int *degrees = st->eval->model->def.flow_degrees;
  int most = degrees == NULL ? 0 : 1;
  for (size_t i = 0; most > 0 && i < st->nx; i++)
    most = degrees[i] == 0 ? 0 : (degrees[i] > most ? degrees[i] : most);
  return most;
}

static int order_for(const brink_stepper *st) {
  if (st->options->order > 0) return st->options->order;
  return brink_series_order(st->options->rtol, degree_of(st), st->eval->model->def.flow_work);
}

static bool take_expansion(expansion *e, const brink_stepper *st, size_t length,
                           brink_arena *arena) {
  e->unit = 1.0;
  e->c = brink_arena_take(arena, st->nx * length, sizeof *e->c);
  return e->c != NULL;
}

static bool taylor_create(brink_stepper *st, brink_arena *arena) {
  taylor *ty = brink_arena_take(arena, 1, sizeof *ty);
  if (ty == NULL) return false;
  st->method = ty;
  st->order = ty->order = order_for(st);
  int degree = degree_of(st);
  ty->exact = degree > 0 && degree <= ty->order;
  ty->length = (size_t)ty->order + 1;
  ty->rows = brink_arena_take(arena, st->nx, sizeof *ty->rows);
  ty->slope = brink_arena_take(arena, st->nx, sizeof *ty->slope);
  ty->inside = brink_arena_take(arena, st->n, sizeof *ty->inside);
  ty->inside_f = brink_arena_take(arena, st->n, sizeof *ty->inside_f);
  ty->inside_slope = brink_arena_take(arena, st->nx, sizeof *ty->inside_slope);
  ty->inverse = brink_arena_take(arena, ty->length, sizeof *ty->inverse);
  ty->most = brink_arena_take(arena, ty->length, sizeof *ty->most);
  if (ty->rows == NULL || ty->slope == NULL || ty->inverse == NULL || ty->inside == NULL ||
      ty->inside_f == NULL || ty->inside_slope == NULL || ty->most == NULL ||
      !take_expansion(&ty->now, st, ty->length, arena) ||
      !take_expansion(&ty->new, st, ty->length, arena))
    return false;
  ty->low = pow(fmax(st->options->rtol, DBL_EPSILON), 1.0 / (ty->order + 1));
  ty->sharpness = st->options->rtol < AT_ROUNDING ? SHARPER : 1.0;
  /* From 1/tol at order 0 to 1 at order p; the factor leaves room for what is not quite geometric. */
  double largest = 1.0 / fmax(st->options->rtol, DBL_EPSILON);
  for (int k = 0; k <= ty->order; k++) {
    ty->most[k] = 4.0 * pow(largest, 1.0 - (double)k / ty->order);
    ty->inverse[k] = k > 0 ? 1.0 / k : 0.0;
  }
  return true;
}

/* ---- expanding ---- */

/* How many coefficients of all states are finite. One that is not makes those after it so. */
static int finite_degree(const taylor *ty, const expansion *e, size_t nx) {
  int degree = ty->order;
  for (size_t i = 0; i < nx; i++) {
    const double *c = e->c + i * ty->length;
    while (degree > 0 && !isfinite(c[degree])) degree--;
  }
  return degree;
}

static brink_try expand_in(taylor *ty, brink_stepper *st, double t, const double *x, double unit,
                           expansion *e) {
  for (size_t i = 0; i < st->nx; i++) {
    ty->rows[i] = e->c + i * ty->length;
    ty->rows[i][0] = x[i];
  }
  e->unit = unit;
  brink_try outcome = brink_eval_flow_jet(st->eval, ty->order, t, unit, x, ty->rows);
  if (outcome == BRINK_TRY_OK) e->degree = finite_degree(ty, e, st->nx);
  return outcome;
}

/* The series at (t, x). Coefficients that overflow may exist in a smaller unit. */
static brink_try expand(taylor *ty, brink_stepper *st, double t, const double *x, double unit,
                        expansion *e) {
  brink_try outcome = expand_in(ty, st, t, x, unit, e);
  for (int k = 0; k < RESCALES && outcome == BRINK_TRY_OK && e->degree < ty->order; k++) {
    int before = e->degree;
    unit *= RESCALE;
    outcome = expand_in(ty, st, t, x, unit, e);
    if (outcome == BRINK_TRY_OK && e->degree <= before) break;
  }
  return outcome;
}

/* ---- the step ---- */

/* What a state may be off by; an unknown of constraints, which is not tested, but has to be followed for guards. */
static double tolerance_of(const brink_stepper *st, size_t i, double size) {
  if (i < st->ntested) return st->options->rtol * size + st->atol[i];
  double weight = brink_eval_unknown_weight(st->eval, i, size, 0.0);
  return weight > 0.0 ? weight : (double)INFINITY;
}

/* 1/w of a state, where a step of s units leads, at least. */
static double inverse_weight(const taylor *ty, const brink_stepper *st, const double *c, size_t i,
                             double s) {
  double here = fabs(c[0]), there = fabs(c[1]) * s;
  return ty->sharpness / tolerance_of(st, i, there > here ? there : here);
}

/* Unknowns that have no size yet, as they begin at zero: their last terms are kept small beside their first. */
static double followed(const taylor *ty, const brink_stepper *st, const expansion *e) {
  double least = (double)INFINITY;
  if (st->ntested == st->nx) return least;
  double part = brink_eval_unknown_part(st->eval);
  int p = e->degree;
  for (size_t i = st->ntested; i < st->nx; i++) {
    const double *c = e->c + i * ty->length;
    if (brink_eval_unknown_weight(st->eval, i, c[0], 0.0) > 0.0) continue;
    int first = 1;
    while (first < p && c[first] == 0.0) first++;
    for (int k = p > first + 1 ? p - 1 : p; k <= p && k > first; k++) {
      if (c[k] != 0.0) least = fmin(least, pow(part * fabs(c[first] / c[k]), 1.0 / (k - first)));
    }
  }
  return least;
}

/* The largest s for which the last two terms are below the tolerance in all states. */
static double allowed(const taylor *ty, const brink_stepper *st, const expansion *e, double s) {
  double last = 0.0, before = 0.0;
  int p = e->degree, q = p > 1 ? p - 1 : 1;
  for (size_t i = 0; i < st->nx; i++) {
    const double *c = e->c + i * ty->length;
    double inverse = inverse_weight(ty, st, c, i, s);
    double a = fabs(c[p]) * inverse, b = fabs(c[q]) * inverse;
    last = a > last ? a : last;
    before = b > before ? b : before;
  }
  if (e->degree == ty->order &&
      p < LOW_ORDER) { /* one term, which may be as large as leads to the next */
    last *= ty->low;
    before = 0.0;
  }
  double most = last > DBL_MIN ? rough_log2(last) * ty->inverse[p] : -(double)INFINITY;
  if (before > DBL_MIN) {
    double other = rough_log2(before) * ty->inverse[q];
    most = other > most ? other : most;
  }
  return fmin(rough_exp2(-most), followed(ty, st, e));
}

/* Does a step of s units change any weight? */
static bool moves_far(const taylor *ty, const brink_stepper *st, const expansion *e, double s) {
  for (size_t i = 0; i < st->nx; i++) {
    const double *c = e->c + i * ty->length;
    if (fabs(c[1]) * s > fabs(c[0])) return true;
  }
  return false;
}

/* The last coefficient that is not zero in all states. */
static int last_term(const brink_stepper *st, const taylor *ty, const expansion *e) {
  int most = 1;
  for (size_t i = 0; i < st->nx; i++) {
    const double *c = e->c + i * ty->length;
    int last = e->degree;
    while (last > most && c[last] == 0.0) last--;
    most = last > most ? last : most;
  }
  return most;
}

/* A polynomial that is followed too far loses what happens on the way in the rounding of its last term:
 * the largest s at which that of each state is no more than BALANCE times some term before it. Only of states whose
 * series have no terms beyond `most`: those of others are kept below the tolerance. */
static double well_scaled(const taylor *ty, const brink_stepper *st, const expansion *e, int most) {
  double least = (double)INFINITY;
  for (size_t i = 0; i < st->nx; i++) {
    const double *c = e->c + i * ty->length;
    int last = e->degree;
    double s = 0.0;
    while (last > 1 && c[last] == 0.0) last--;
    if (last > most) continue;
    for (int j = last - 1; last > 1 && j >= 0; j--) {
      double ratio = BALANCE * fabs(c[j] / c[last]);
      if (ratio > 0.0) s = fmax(s, rough_exp2(rough_log2(ratio) * ty->inverse[last - j]));
    }
    if (s > 0.0) least = fmin(least, s);
  }
  return least;
}

/* How far the series reaches. */
static double reach_of(taylor *ty, const brink_stepper *st, expansion *e) {
  int last = last_term(st, ty, e);
  bool whole = e->degree == ty->order;
  e->ends = whole && ty->exact;
  /* Later terms that all vanish do not say how far to go: the test at the end of the step does. */
  if (e->ends || (whole && 2 * last < ty->order)) {
    e->degree = last;
    return well_scaled(ty, st, e, last) * e->unit;
  }
  double s = allowed(ty, st, e, 0.0);
  if (moves_far(ty, st, e, s)) s = allowed(ty, st, e, s);
  /* A body that falls beside something slow is not to be followed for as long as that allows. */
  return fmin(s, well_scaled(ty, st, e, (ty->order - 1) / 2)) * e->unit;
}

/* Do the terms fall at least as fast as those of a geometric series, on the way from the largest
 * possible one to the tolerance? Those from p/2 on: the first few may be as they like. */
static bool converges(const taylor *ty, const brink_stepper *st, const brink_path *path) {
  const expansion *e = &ty->now;
  for (size_t i = 0; i < st->nx; i++) {
    const double *c = e->c + i * ty->length;
    double inverse = inverse_weight(ty, st, c, i, path->h / e->unit);
    for (int k = (path->degree + 1) / 2; k <= path->degree; k++) {
      if (fabs(c[k]) * path->scale[k - 1] * inverse > ty->most[k]) return false;
    }
  }
  return true;
}

/* ---- driving it ---- */

static void take_field(const taylor *ty, brink_stepper *st) {
  double inverse = 1.0 / ty->now.unit; /* a power of two */
  for (size_t i = 0; i < st->nx; i++) st->f[i] = ty->now.c[i * ty->length + 1] * inverse;
}

static brink_try taylor_start(brink_stepper *st) {
  taylor *ty = st->method;
  brink_foreseen_forget(st);
  brink_try outcome = expand(ty, st, st->t, st->x, ty->now.unit, &ty->now);
  if (outcome != BRINK_TRY_OK) return outcome;
  st->order = ty->order;
  st->f_ready = false;
  ty->h = reach_of(ty, st, &ty->now);
  if (st->options->step > 0.0) ty->h = fmin(ty->h, st->options->step);
  take_field(ty, st);
  return BRINK_TRY_OK;
}

/* With order and step given nothing is tested, as with other methods. */
static bool is_fixed(const brink_stepper *st) {
  return st->options->order > 0 && st->options->step > 0.0;
}

static void taylor_plan(brink_stepper *st, double h_limit) {
  taylor *ty = st->method;
  double h = ty->h;
  if (is_fixed(st)) h = st->options->step;
  /* What would be left is taken along. */
  st->h_plan = h = h_limit < h * (1.0 + SMALLEST_ROOM) ? h_limit : h;
  brink_path_begin(&st->predictor, st->t, h, st->n, st->x);
}

static bool is_visible(const taylor *ty, const brink_stepper *st, const brink_path *path, int k) {
  for (size_t i = 0; i < st->nx; i++) {
    const double *c = ty->now.c + i * ty->length;
    double size = larger(fabs(c[0]), fabs(c[1]) * path->scale[0]);
    if (fabs(c[k]) * path->scale[k - 1] > INVISIBLE * size) return true;
  }
  return false;
}

/* Leaves out the last terms, as far as rounding hides them. */
static void drop_invisible(const taylor *ty, const brink_stepper *st, brink_path *path) {
  int k = path->degree;
  while (k > 1 && !is_visible(ty, st, path, k)) k--;
  path->terms = path->degree = k;
}

/* 1, 2, …: conversions would take as long as the sums. */
static const double number[BRINK_PATH_TERMS + 1] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                    11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                                    22, 23, 24, 25, 26, 27, 28, 29, 30};

typedef double pair __attribute__((vector_size(16)));

/* The state where the powers of s are these, and h times the slope with which it is reached. Two components at a time, as
 * each sum has to wait for its last term. */
static void follow(const taylor *ty, const brink_stepper *st, const double *powers, int degree,
                   double *x, double *slopes) {
  size_t i = 0;
  for (; i + 1 < st->nx; i += 2) {
    const double *a = ty->now.c + i * ty->length + 1, *b = a + ty->length;
    pair sum = {0.0, 0.0}, slope = {0.0, 0.0};
    for (int k = degree; k > 0; k--) {
      pair term = (pair){a[k - 1], b[k - 1]} * powers[k - 1];
      sum += term;
      slope += number[k] * term;
    }
    for (size_t j = 0; j < 2; j++) {
      x[i + j] = st->x[i + j] + sum[j];
      slopes[i + j] = slope[j];
    }
  }
  for (; i < st->nx; i++) {
    const double *c = ty->now.c + i * ty->length + 1;
    double sum = 0.0, slope = 0.0;
    for (int k = degree; k > 0; k--) {
      double term = c[k - 1] * powers[k - 1];
      sum += term;
      slope += number[k] * term;
    }
    x[i] = st->x[i] + sum;
    slopes[i] = slope;
  }
}

static brink_try taylor_attempt(brink_stepper *st, double h) {
  taylor *ty = st->method;
  const expansion *e = &ty->now;
  brink_path *path = &st->dense;
  brink_path_begin(path, st->t, h, st->n, st->x);
  st->h = h;
  st->error = 0.0;
  ty->inside_at = 0.0;
  if (brink_foreseen_attempt(st, h)) {
    brink_path_known_powers(path, e->c, ty->length, e->degree);
    return BRINK_TRY_OK;
  }
  brink_path_powers(path, e->c, ty->length, e->unit, e->degree);
  drop_invisible(ty, st, path);
  follow(ty, st, path->scale, path->degree, st->x_new, ty->slope);
  return BRINK_TRY_OK;
}

/* The error of a step of h to x, by the slope there: h times that of the polynomial and of the field. In
 * what is allowed. */
static double defect(const taylor *ty, const brink_stepper *st, size_t i, double x, double slope,
                     double field) {
  double error = fabs(slope - field) / (ty->order + 1);
  double size = larger(fabs(st->x[i]), fabs(x));
  double rounding = ROUNDING * DBL_EPSILON * (size + fabs(field));
  return error / (DEFECT * tolerance_of(st, i, size) + rounding);
}

static double defect_at_end(const taylor *ty, const brink_stepper *st) {
  double worst = 0.0, part = st->h / ty->new.unit;
  for (size_t i = 0; i < st->nx; i++) {
    double field = ty->new.c[i * ty->length + 1] * part;
    double error = defect(ty, st, i, st->x_new[i], ty->slope[i], field);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/* The same test inside the attempt; *defined: whether the model is, there. */
static double defect_inside(taylor *ty, brink_stepper *st, double sigma, bool *defined) {
  const brink_path *path = &st->dense;
  double *x = ty->inside, *f = ty->inside_f, *slope = ty->inside_slope;
  double power[BRINK_PATH_TERMS], weight = 1.0, h = sigma * st->h, worst = 0.0;
  if (sigma == 1.0) { /* its end is known */
    x = st->x_new;
    slope = ty->slope;
  } else if (!brink_foreseen_inside(st, sigma, &x, &slope)) {
    for (int k = 0; k < path->degree; k++) power[k] = path->scale[k] * (weight *= sigma);
    follow(ty, st, power, path->degree, x, slope);
    ty->inside_at = sigma;
  }
  *defined = brink_eval_rhs(st->eval, st->t + h, x, f) == BRINK_TRY_OK;
  for (size_t i = 0; *defined && i < st->nx; i++)
    worst = larger(worst, defect(ty, st, i, x[i], slope[i], h * f[i]));
  return worst;
}

/* A state that hardly moves, or moves straight on, though its equation does not say so, may know nothing of
 * what comes: a pulse far ahead has no terms in its series. */
static bool knows_nothing(const taylor *ty, const brink_stepper *st) {
  const int *degrees = st->eval->model->def.flow_degrees;
  const double *scale = st->dense.scale;
  if (ty->order < 3 || ty->now.degree < 1) return false;
  for (size_t i = 0; i < st->nx; i++) {
    const double *c = ty->now.c + i * ty->length;
    if (degrees != NULL && degrees[i] > 0) continue;
    double first = fabs(c[1]) * scale[0], ratio = scale[0], second = fabs(c[2]) * ratio * ratio;
    double weight = st->options->rtol * fabs(c[0]) + st->atol[i];
    if (second > STRAIGHT * first && (first > weight || second > weight)) continue; /* most */
    second = larger(second, fabs(c[3]) * ratio * ratio * ratio);
    if (isinf(weight)) continue; /* an unknown: states know what it does to them */
    if (second <= larger(first <= weight ? weight : 0.0, STRAIGHT * first)) return true;
  }
  return false;
}

/* Then the way is looked at, too. *bad: where it is not as it should be. */
static bool way_is_good(taylor *ty, brink_stepper *st, double until, double *bad) {
  /* Unknowns may come to life on the way as diodes do: exponentials that have no terms in the series before. */
  if (st->ntested == st->nx && !knows_nothing(ty, st)) return true;
  for (int k = 1; k <= WAY; k++) {
    bool defined;
    *bad = until * k / (WAY + 1);
    if (defect_inside(ty, st, *bad, &defined) > 1.0) return false;
  }
  return true;
}

/* The new point, with its series, is the present. */
static void move_on(taylor *ty, brink_stepper *st) {
  expansion old = ty->now;
  ty->now = ty->new;
  ty->new = old;
  memcpy(st->x, st->x_new, st->nx * sizeof *st->x);
  st->t += st->h;
  brink_foreseen_forget(st);
}

static void arrive(taylor *ty, brink_stepper *st) {
  move_on(ty, st);
  ty->h = reach_of(ty, st, &ty->now);
  take_field(ty, st);
}

/* Does the series break off in its first half, because the next coefficient is no number? (A degree that was lowered
 * as later terms vanish is followed by zeros.) */
static bool is_cut(const taylor *ty, const brink_stepper *st, const expansion *e) {
  if (2 * e->degree >= ty->order) return false;
  for (size_t i = 0; i < st->nx; i++) {
    if (!isfinite(e->c[i * ty->length + (size_t)e->degree + 1])) return true;
  }
  return false;
}

/* Here and at the new point. */
static bool stalls(const taylor *ty, const brink_stepper *st) {
  return !is_fixed(st) && is_cut(ty, st, &ty->new) && is_cut(ty, st, &ty->now);
}

/* The series at the new point: they may have been computed already. */
static brink_try expand_new(taylor *ty, brink_stepper *st) {
  brink_foreseen_part known = brink_foreseen_series(st);
  if (known == BRINK_FORESEEN_NOTHING)
    return expand(ty, st, st->t + st->h, st->x_new, next_unit(ty), &ty->new);
  ty->new.unit = next_unit(ty);
  ty->new.degree = ty->order;
  return known == BRINK_FORESEEN_OUTSIDE ? BRINK_TRY_OUTSIDE : BRINK_TRY_OK;
}

static brink_try taylor_commit(brink_stepper *st) {
  taylor *ty = st->method;
  double h;
  brink_try outcome = expand_new(ty, st);
  if (outcome != BRINK_TRY_OK) return outcome;
  st->stalls = stalls(ty, st);
  if (brink_foreseen_good(st, &h)) { /* it has passed all that follows */
    move_on(ty, st);
    ty->now.ends = false;
    ty->h = h;
    take_field(ty, st);
    return BRINK_TRY_OK;
  }
  if (!ty->now.ends && !is_fixed(st)) {
    double bad = 1.0;
    st->error = defect_at_end(ty, st);
    if (!(st->error <= 1.0) || !way_is_good(ty, st, 1.0, &bad)) {
      ty->h = st->h_next = 0.5 * bad * st->h;
      return BRINK_TRY_ERROR;
    }
  }
  arrive(ty, st);
  return BRINK_TRY_OK;
}

/* Its defect has been looked at. */
static brink_try taylor_retake(brink_stepper *st, double h) {
  taylor *ty = st->method;
  brink_try outcome = expand(ty, st, st->t + h, st->x_new, next_unit(ty), &ty->new);
  st->h = h;
  st->stalls = outcome == BRINK_TRY_OK && stalls(ty, st);
  if (outcome == BRINK_TRY_OK) arrive(ty, st);
  return outcome;
}

/* May the attempt be followed to an event? */
static bool taylor_vouches(brink_stepper *st, double sigma) {
  taylor *ty = st->method;
  if (is_fixed(st) || ty->now.ends || sigma <= 0.0) return true;
  bool defined;
  double bad = sigma, error = defect_inside(ty, st, sigma, &defined);
  bool good = defined ? error <= 1.0 : converges(ty, st, &st->dense);
  if (good && way_is_good(ty, st, sigma, &bad)) return true;
  ty->h = st->h_next = 0.5 * bad * st->h;
  return false;
}

static void taylor_visit(brink_stepper *st, void *method, brink_visitor *v) {
  taylor *ty = method;
  brink_foreseen_forget(st);
  ty->inside_at = 0.0;
  expansion *e = &ty->now;
  brink_series_head head = {.unit = e->unit, .h = ty->h, .degree = e->degree, .ends = e->ends};
  v->region(v, e->c, st->nx * ty->length * sizeof *e->c);
  v->region(v, &head, sizeof head);
  e->unit = head.unit;
  e->degree = head.degree;
  e->ends = head.ends;
  ty->h = head.h;
  if (st->ops == &brink_stepper_taylor) take_field(ty, st);
}

/* The present series; somebody may put other polynomials there, if the method starts anew afterwards. */
static double *taylor_series(void *method, size_t *length, double **unit, int **degree) {
  taylor *ty = method;
  *length = ty->length;
  *unit = &ty->now.unit;
  *degree = &ty->now.degree;
  return ty->now.c;
}

static void taylor_relocate(const brink_stepper *st, void *method, brink_relocation *moved) {
  taylor *ty = method;
  BRINK_RELOCATE(moved, ty->now.c);
  BRINK_RELOCATE(moved, ty->new.c);
  BRINK_RELOCATE(moved, ty->rows);
  brink_relocate_rows(moved, ty->rows, st->nx);
  BRINK_RELOCATE(moved, ty->slope);
  BRINK_RELOCATE(moved, ty->inside);
  BRINK_RELOCATE(moved, ty->inside_f);
  BRINK_RELOCATE(moved, ty->inside_slope);
  BRINK_RELOCATE(moved, ty->inverse);
  BRINK_RELOCATE(moved, ty->most);
}

static void taylor_archive(brink_stepper *st, void *method, bool runs, brink_archive *a) {
  taylor *ty = method;
  if (a->reads) brink_foreseen_forget(st);
  if (a->reads) ty->inside_at = 0.0;
  expansion *e = &ty->now;
  brink_archive_mark(a, "taylor");
  brink_archive_same(a, (size_t)ty->order);
  brink_archive_doubles(a, e->c, st->nx * ty->length);
  brink_archive_double(a, &e->unit);
  brink_archive_int(a, &e->degree, 0, ty->order);
  brink_archive_bool(a, &e->ends);
  brink_archive_double(a, &ty->h);
  if (runs) brink_archive_check(a, st->order == ty->order);
}

/* The sums of brink_path_eval are those of `follow`: what was vouched for is known. */
static void taylor_inside(brink_stepper *st, double sigma, double *x) {
  const taylor *ty = st->method;
  double *known, *slope;
  if (brink_foreseen_inside(st, sigma, &known, &slope))
    memcpy(x, known, st->nx * sizeof *x);
  else if (sigma > 0.0 && ty->inside_at == sigma)
    memcpy(x, ty->inside, st->nx * sizeof *x);
  else
    brink_path_eval(&st->dense, sigma, x);
}

const brink_stepper_ops brink_stepper_taylor = {
    .method = BRINK_TAYLOR,
    .is_free = true,
    .create = taylor_create,
    .start = taylor_start,
    .plan = taylor_plan,
    .attempt = taylor_attempt,
    .commit = taylor_commit,
    .retake = taylor_retake,
    .vouches = taylor_vouches,
    .inside = taylor_inside,
    .visit = taylor_visit,
    .series = taylor_series,
    .relocate = taylor_relocate,
    .archive = taylor_archive,
};
