/* external.c: calls of functions of C, by the number of their arguments; of functions of time.
 *
 * Differences: (f(x + h) - f(x - h)) / (2 h) with h about the cube root of the machine's precision, where the
 * errors of rounding and of the method are of one size (Press et al. 2007, section 5.7). What is divided by is the
 * difference of the arguments as they are rounded. Slopes of functions of time are those of a parabola through three
 * points of the smooth piece, the last of which is the present where there is room: a function is not asked about
 * times that the run may never come to. */
#include "expr/external.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "num/table.h"

#define ROOT_3 0x1p-17 /* about the cube root of 2^-52 */
#define ROOT_4 0x1p-13 /* its fourth root: for differences of differences */

#define D double
typedef D f0(void);
typedef D f1(D);
typedef D f2(D, D);
typedef D f3(D, D, D);
typedef D f4(D, D, D, D);
typedef D f5(D, D, D, D, D);
typedef D f6(D, D, D, D, D, D);
typedef D f7(D, D, D, D, D, D, D);
typedef D f8(D, D, D, D, D, D, D, D);
typedef void g1(D, D *);
typedef void g2(D, D, D *);
typedef void g3(D, D, D, D *);
typedef void g4(D, D, D, D, D *);
typedef void g5(D, D, D, D, D, D *);
typedef void g6(D, D, D, D, D, D, D *);
typedef void g7(D, D, D, D, D, D, D, D *);
typedef void g8(D, D, D, D, D, D, D, D, D *);
#undef D

static bool has_nan(const double *x, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (isnan(x[k])) return true;
  return false;
}

/* ---- functions of time ---- */

/* Backwards, a corner at t is one ahead: the run goes into the piece before it. */
static size_t corners_left_of(const brink_time_function *f, double t, bool backward) {
  return brink_table_passed(f->corners, f->ncorners, t, backward);
}

double brink_time_corner(const brink_time_function *f, double t, bool backward) {
  size_t left = corners_left_of(f, t, backward);
  if (backward) return left > 0 ? f->corners[left - 1] : (double)-INFINITY;
  return left < f->ncorners ? f->corners[left] : (double)INFINITY;
}

void brink_time_piece(const brink_time_function *f, double t, double start, bool backward,
                      double *begin, double *end) {
  size_t left = corners_left_of(f, t, backward);
  double lo = left > 0 ? f->corners[left - 1] : -DBL_MAX;
  double hi = left < f->ncorners ? nextafter(f->corners[left], (double)-INFINITY) : DBL_MAX;
  *begin = backward ? fmin(hi, start) : fmax(lo, start);
  *end = backward ? lo : hi;
}

static double between(double t, double a, double b) {
  return a <= b ? fmin(fmax(t, a), b) : fmin(fmax(t, b), a);
}

static double ask(const brink_external *e, double t) {
  const brink_time_function *f = e->of_time;
  brink_time_calls *calls = e->calls;
  double u = (double)NAN;
  if (calls != NULL && calls->failed) return u;
  if (calls != NULL && calls->known && calls->t == t) return calls->u;
  if (calls != NULL) calls->asked = true;
  int code = f->value(t, &u, f->user);
  if (calls != NULL) calls->asked = false;
  bool fine = code == 0 && isfinite(u);
  if (calls != NULL && code != 0) {
    calls->failed = true;
    calls->code = code;
    calls->failed_t = t;
  } else if (calls != NULL && !fine) {
    calls->undefined = true;
    calls->undefined_t = t;
    calls->undefined_u = u;
  } else if (calls != NULL) {
    calls->known = true;
    calls->t = t;
    calls->u = u;
  }
  return fine ? u : (double)NAN;
}

/* The first or second derivative at t of the parabola through three points of the piece from `begin` to `end`. */
static double time_slope(const brink_external *e, const double *x, int order) {
  double begin = x[1], end = x[2], t = between(x[0], begin, end);
  double h = (order == 1 ? ROOT_3 : ROOT_4) * fmax(fabs(t), 1.0), ahead = end > begin ? 1.0 : -1.0;
  bool room = fabs(t - begin) >= 2.0 * h;
  double first = room ? t - 2.0 * ahead * h : begin;
  double last = room ? t : between(begin + 2.0 * ahead * h, begin, end);
  double middle = first + 0.5 * (last - first);
  if (!(middle != first && middle != last)) return 0.0; /* the piece is a point */
  double from = ask(e, first), half = ask(e, middle), to = ask(e, last);
  double rise = (half - from) / (middle - first);
  double bend = ((to - half) / (last - middle) - rise) / (last - first);
  return order == 1 ? rise + bend * ((t - first) + (t - middle)) : 2.0 * bend;
}

/* Where a piece begins and ends is no matter of differentiation: those derivatives are 0. */
static double time_part(const brink_external *e, size_t part, const double *x) {
  if (part == BRINK_EXTERNAL_VALUE) return ask(e, between(x[0], x[1], x[2]));
  if (part == brink_external_first(0)) return time_slope(e, x, 1);
  return part == brink_external_second(0, 0) ? time_slope(e, x, 2) : 0.0;
}

/* ---- functions of libraries ---- */

double brink_external_value(const brink_external *e, const double *x) {
  if (has_nan(x, e->narguments)) return (double)NAN;
  switch (e->narguments) {
  case 0:
    return ((f0 *)e->value)();
  case 1:
    return ((f1 *)e->value)(x[0]);
  case 2:
    return ((f2 *)e->value)(x[0], x[1]);
  case 3:
    return ((f3 *)e->value)(x[0], x[1], x[2]);
  case 4:
    return ((f4 *)e->value)(x[0], x[1], x[2], x[3]);
  case 5:
    return ((f5 *)e->value)(x[0], x[1], x[2], x[3], x[4]);
  case 6:
    return ((f6 *)e->value)(x[0], x[1], x[2], x[3], x[4], x[5]);
  case 7:
    return ((f7 *)e->value)(x[0], x[1], x[2], x[3], x[4], x[5], x[6]);
  case 8:
    return ((f8 *)e->value)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
  default:
    return (double)NAN;
  }
}

static void fill_gradient(const brink_external *e, const double *x, double *g) {
  switch (e->narguments) {
  case 1:
    ((g1 *)e->gradient)(x[0], g);
    break;
  case 2:
    ((g2 *)e->gradient)(x[0], x[1], g);
    break;
  case 3:
    ((g3 *)e->gradient)(x[0], x[1], x[2], g);
    break;
  case 4:
    ((g4 *)e->gradient)(x[0], x[1], x[2], x[3], g);
    break;
  case 5:
    ((g5 *)e->gradient)(x[0], x[1], x[2], x[3], x[4], g);
    break;
  case 6:
    ((g6 *)e->gradient)(x[0], x[1], x[2], x[3], x[4], x[5], g);
    break;
  case 7:
    ((g7 *)e->gradient)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], g);
    break;
  case 8:
    ((g8 *)e->gradient)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], g);
    break;
  default:
    break;
  }
}

/* The derivative by argument `by`: of the value, or, `of` below the number of arguments, of that part of the
 * gradient. */
static double difference(const brink_external *e, const double *x, size_t by, size_t of,
                         double root);

static double slope(const brink_external *e, const double *x, size_t by, double root) {
  double g[BRINK_EXTERNAL_ARGUMENTS];
  if (e->gradient == NULL) return difference(e, x, by, BRINK_EXTERNAL_ARGUMENTS, root);
  for (size_t k = 0; k < BRINK_EXTERNAL_ARGUMENTS; k++) g[k] = (double)NAN;
  fill_gradient(e, x, g);
  return g[by];
}

static double difference(const brink_external *e, const double *x, size_t by, size_t of,
                         double root) {
  double moved[BRINK_EXTERNAL_ARGUMENTS], h = root * fmax(fabs(x[by]), 1.0);
  memcpy(moved, x, e->narguments * sizeof *x);
  volatile double ahead = x[by] + h, behind = x[by] - h; /* rounded to double */
  double at[2];
  for (int k = 0; k < 2; k++) {
    moved[by] = k == 0 ? behind : ahead;
    at[k] = of < e->narguments ? slope(e, moved, of, root) : brink_external_value(e, moved);
  }
  return (at[1] - at[0]) / (ahead - behind);
}

size_t brink_external_derivative(size_t code, size_t by) {
  size_t part = brink_external_part(code), function = brink_external_function(code);
  if (part == BRINK_EXTERNAL_VALUE) return brink_external_code(function, brink_external_first(by));
  if (part > BRINK_EXTERNAL_ARGUMENTS) return BRINK_EXTERNAL_NONE;
  return brink_external_code(function, brink_external_second(part - 1, by));
}

double brink_external_call(const brink_external *externals, size_t code, const double *x) {
  const brink_external *e = &externals[brink_external_function(code)];
  size_t part = brink_external_part(code);
  if (e->of_time != NULL)
    return has_nan(x, BRINK_TIME_ARGUMENTS) ? (double)NAN : time_part(e, part, x);
  if (part == BRINK_EXTERNAL_VALUE) return brink_external_value(e, x);
  if (has_nan(x, e->narguments)) return (double)NAN;
  if (part <= BRINK_EXTERNAL_ARGUMENTS) return slope(e, x, part - 1, ROOT_3);
  return difference(e, x, part % 9 - 1, part / 9 - 1, e->gradient != NULL ? ROOT_3 : ROOT_4);
}
