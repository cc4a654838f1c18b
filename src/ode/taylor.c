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
 * Order: p = 1 - ln(tol)/2, rounded up: for a series with radius of convergence R it makes the work
 * for a given distance smallest, with steps of R/e^2 (Jorba & Zou 2005, section 3.2).
 *
 * Step: the last two terms are kept below the tolerance, |c_k| h^k <= w for k = p, p - 1 (Jorba & Zou,
 * section 3.1; two, because one may vanish). What the polynomial leaves out is then smaller than w by
 * about h/R.
 *
 * Radius of convergence: series with gaps (1/(1 + s^8)) can have vanishing last terms at any step. So
 * the terms from p/2 on have to fall at least as fast, on the way from the largest possible one to the
 * tolerance, as a geometric series does. And when the series at the new point is known, its first
 * coefficient, f there, is compared with the slope at which the polynomial arrived: the defect
 * T'(h) - f(T(h)), times h/(p + 1), is the error of the step, truncation that no term of the series
 * announced included. If that is more than the tolerance, the step is taken back.
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
#include <math.h>
#include <string.h>

#include "ode/stepper.h"

#define LEAST_ORDER 4
#define SMALLEST_ROOM 1e-3 /* of a step: what would be left before the limit is taken along */
#define DEFECT 2.0         /* tolerances that the defect may amount to */
#define ROUNDING 64.0      /* units of rounding that it may amount to */
#define RESCALE 1e-9       /* the next unit to be tried where coefficients overflow */
#define RESCALES 3

/* One expansion. */
typedef struct expansion {
  double *c;    /* rows of `length` coefficients, one for each state */
  double unit;  /* of s */
  int degree;   /* the last coefficient that is used */
  bool ends;    /* none beyond it, as far as the series tells: the polynomial is the solution */
} expansion;

typedef struct taylor {
  int order;
  size_t length; /* order + 1 */
  expansion now, new;
  double **rows;
  double *slope; /* h T'(h) of the attempt */
  double *size;  /* what its terms add up to, in absolute value */
  double *norm;  /* max_i |c_k,i| / w_i of each order */
  double *most;  /* of each order: the largest norm of a term that leads to the tolerance at p */
  double h;      /* the step that the series at the present allows */
  double *f_now; /* of the states, in time */
} taylor;

int brink_taylor_order(const brink_options *options) {
  if (options->order > 0) return options->order;
  double tolerance = fmax(options->rtol, DBL_EPSILON);
  int order = (int)ceil(1.0 - 0.5 * log(tolerance));
  return order < LEAST_ORDER ? LEAST_ORDER
                             : (order > BRINK_PATH_TERMS ? BRINK_PATH_TERMS : order);
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
  st->order = ty->order = brink_taylor_order(st->options);
  ty->length = (size_t)ty->order + 1;
  ty->rows = brink_arena_take(arena, st->nx, sizeof *ty->rows);
  ty->slope = brink_arena_take(arena, st->nx, sizeof *ty->slope);
  ty->size = brink_arena_take(arena, st->nx, sizeof *ty->size);
  ty->norm = brink_arena_take(arena, ty->length, sizeof *ty->norm);
  ty->most = brink_arena_take(arena, ty->length, sizeof *ty->most);
  if (ty->rows == NULL || ty->slope == NULL || ty->size == NULL || ty->norm == NULL ||
      ty->most == NULL || !take_expansion(&ty->now, st, ty->length, arena) ||
      !take_expansion(&ty->new, st, ty->length, arena))
    return false;
  /* From 1/tol at order 0 to 1 at order p; the factor leaves room for what is not quite geometric. */
  double largest = 1.0 / fmax(st->options->rtol, DBL_EPSILON);
  for (int k = 0; k <= ty->order; k++)
    ty->most[k] = 4.0 * pow(largest, 1.0 - (double)k / ty->order);
  return true;
}

/* ---- expanding ---- */

/* How many coefficients of all states are finite. */
static int finite_degree(const taylor *ty, const expansion *e, size_t nx) {
  int degree = ty->order;
  for (size_t i = 0; i < nx; i++) {
    const double *c = e->c + i * ty->length;
    while (degree > 0 && !isfinite(c[degree])) degree--;
    for (int k = 1; k < degree; k++) { /* NaN and infinity stay, but what multiplies may be 0 */
      if (!isfinite(c[k])) degree = k - 1;
    }
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

/* Norms of the terms from `from` on, weights taken where the solution goes in a step of h. */
static void measure(taylor *ty, const brink_stepper *st, const expansion *e, int from, double h) {
  double rtol = st->options->rtol, ratio = h / e->unit;
  for (int k = from; k <= e->degree; k++) ty->norm[k] = 0.0;
  for (size_t i = 0; i < st->nx; i++) {
    const double *c = e->c + i * ty->length;
    double reach = fmax(fabs(c[0]), fabs(c[1]) * ratio);
    double inverse = 1.0 / (rtol * reach + st->atol[i]);
    for (int k = from; k <= e->degree; k++) {
      double size = fabs(c[k]) * inverse;
      if (size > ty->norm[k]) ty->norm[k] = size;
    }
  }
}

/* r^(-1/k), to a few digits: what a step size needs. */
static double root_of(double r, int k) {
  int exponent;
  float mantissa = (float)frexp(r, &exponent);
  return (double)exp2f(-(log2f(mantissa) + (float)exponent) / (float)k);
}

/* The largest s at which term k is below 1, and no term from `from` on above what leads there. */
static double allowed(const taylor *ty, const expansion *e, int from) {
  double s = INFINITY;
  int last = e->degree, other = last > 1 ? last - 1 : last;
  for (int k = other; k <= last; k++) {
    if (ty->norm[k] > 0.0) s = fmin(s, root_of(ty->norm[k], k));
  }
  double power = pow(fmin(s, 1e30), from);
  for (int k = from; k < other; k++) {
    if (ty->norm[k] * power > ty->most[k]) s = fmin(s, root_of(ty->norm[k] / ty->most[k], k));
    power *= s;
  }
  return s;
}

/* The polynomial is the solution if all higher terms vanish: then its last one is found. */
static void trim(taylor *ty, expansion *e, int from) {
  int last = e->degree;
  while (last > 1 && last >= from && ty->norm[last] == 0.0) last--;
  e->ends = e->degree == ty->order && last < from;
  if (e->ends) e->degree = last;
}

static void trim_further(const brink_stepper *st, const taylor *ty, expansion *e) {
  int most = 1;
  for (size_t i = 0; i < st->nx; i++) {
    const double *c = e->c + i * ty->length;
    int last = e->degree;
    while (last > most && c[last] == 0.0) last--;
    most = last > most ? last : most;
  }
  e->degree = most;
}

/* How far the series reaches. */
static double reach_of(taylor *ty, const brink_stepper *st, expansion *e) {
  int from = (e->degree + 1) / 2;
  if (from < 2) from = e->degree < 2 ? e->degree : 2;
  measure(ty, st, e, from, 0.0);
  trim(ty, e, from);
  if (e->ends) {
    trim_further(st, ty, e);
    return INFINITY;
  }
  double s = allowed(ty, e, from);
  measure(ty, st, e, from, s * e->unit); /* weights at the end of the step, which are larger */
  return allowed(ty, e, from) * e->unit;
}

/* ---- driving it ---- */

/* A unit for the next expansion: near the step, if that means anything. */
static double next_unit(const taylor *ty) {
  double h = ty->h;
  return h > 0.0 && isfinite(h) ? ldexp(1.0, ilogb(h)) : ty->now.unit;
}

static void take_field(const taylor *ty, brink_stepper *st) {
  for (size_t i = 0; i < st->nx; i++) st->f[i] = ty->now.c[i * ty->length + 1] / ty->now.unit;
}

static brink_try taylor_start(brink_stepper *st) {
  taylor *ty = st->method;
  brink_try outcome = expand(ty, st, st->t, st->x, ty->now.unit, &ty->now);
  if (outcome != BRINK_TRY_OK) return outcome;
  st->order = ty->order;
  st->f_ready = false;
  ty->h = reach_of(ty, st, &ty->now);
  if (st->options->step > 0.0) ty->h = fmin(ty->h, st->options->step);
  take_field(ty, st);
  return BRINK_TRY_OK;
}

static void taylor_plan(brink_stepper *st, double h_limit) {
  taylor *ty = st->method;
  double h = ty->h;
  if (st->options->order > 0 && st->options->step > 0.0) h = st->options->step;
  if (h >= h_limit || h_limit - h < SMALLEST_ROOM * h) h = fmin(h, h_limit);
  st->h_plan = h;
  brink_path_begin(&st->predictor, st->t, h, st->n, st->x);
}

static brink_try taylor_attempt(brink_stepper *st, double h) {
  taylor *ty = st->method;
  const expansion *e = &ty->now;
  brink_path *path = &st->dense;
  brink_path_begin(path, st->t, h, st->n, st->x);
  brink_path_powers(path, e->c, ty->length, e->unit, e->degree);
  for (size_t i = 0; i < st->nx; i++) {
    const double *c = e->c + i * ty->length + 1;
    double sum = 0.0, slope = 0.0, size = 0.0;
    for (int k = e->degree; k > 0; k--) {
      double term = c[k - 1] * path->scale[k - 1];
      sum += term;
      slope += k * term;
      size += fabs(term);
    }
    st->x_new[i] = st->x[i] + sum;
    ty->slope[i] = slope;
    ty->size[i] = size;
  }
  st->h = h;
  st->error = 0.0;
  return BRINK_TRY_OK;
}

/* The error of the attempt, by the slope at its end, in what is allowed. */
static double defect(const taylor *ty, const brink_stepper *st) {
  double worst = 0.0, part = st->h / ty->new.unit;
  for (size_t i = 0; i < st->nx; i++) {
    double f = ty->new.c[i * ty->length + 1] * part;
    double error = fabs(ty->slope[i] - f) / (ty->order + 1);
    double weight = st->options->rtol * fmax(fabs(st->x[i]), fabs(st->x_new[i])) + st->atol[i];
    double rounding = ROUNDING * DBL_EPSILON * (ty->size[i] + fabs(st->x[i]));
    double allowed = DEFECT * weight + rounding;
    if (!(error <= worst * allowed)) worst = error / allowed;
  }
  return worst;
}

static brink_try taylor_commit(brink_stepper *st) {
  taylor *ty = st->method;
  brink_try outcome =
      expand(ty, st, st->t + st->h, st->x_new, next_unit(ty), &ty->new);
  if (outcome != BRINK_TRY_OK) return outcome;
  if (!ty->now.ends) {
    st->error = defect(ty, st);
    if (!(st->error <= 1.0)) {
      ty->h = st->h_next = 0.5 * st->h;
      return BRINK_TRY_ERROR;
    }
  }
  expansion old = ty->now;
  ty->now = ty->new;
  ty->new = old;
  memcpy(st->x, st->x_new, st->nx * sizeof *st->x);
  st->t += st->h;
  ty->h = reach_of(ty, st, &ty->now);
  take_field(ty, st);
  return BRINK_TRY_OK;
}

const brink_stepper_ops brink_stepper_taylor = {
    .method = BRINK_TAYLOR,
    .foretells = true,
    .create = taylor_create,
    .start = taylor_start,
    .plan = taylor_plan,
    .attempt = taylor_attempt,
    .commit = taylor_commit,
};
