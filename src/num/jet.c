/* jet.c: arithmetic and elementary functions of truncated power series.
 *
 * Problem: from the Taylor coefficients a_0 ... a_p of a(s) those of f(a(s)).
 *
 * Method: each elementary function satisfies a differential equation with products and quotients
 * only; comparing coefficients of s^(k-1) gives the k-th from those before it in O(k) operations.
 * Griewank & Walther, Evaluating Derivatives (2nd ed., 2008), section 13.2, Tables 13.1 and 13.2;
 * Jorba & Zou, "A software package for the numerical integration of ODEs by means of high-order
 * Taylor methods", Experimental Mathematics 14 (2005) 99-117, Proposition 2.1. As there, a~_j
 * stands for j a_j, the coefficients of s a'(s).
 *
 * Deviations: jets that start at zero have roots and powers where these exist (the power of s is
 * taken out first). atan2 and hypot scale their arguments by a power of two against overflow. tanh
 * takes 1 - tanh^2 at the start from cosh, since the difference cancels for large arguments.
 *
 * How it can fail: the recurrences are as stable as the problem near a regular point. Close to a
 * singularity at distance rho the coefficients grow like rho^-k and lose relative accuracy with k
 * (a division by a small leading coefficient multiplies errors each time); overflow gives infinite
 * and then NaN coefficients. */
#include <brink/jet.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MAX_LENGTH = BRINK_JET_MAX_ORDER + 1 };

/* 1 / ln 10 */
static const double inverse_ln10 = 0.43429448190325182765;

static void fill_nan(int from, int order, double *out) {
  for (int k = from; k <= order; k++) out[k] = (double)NAN;
}

/* True if the order is usable; if not, out is NaN. */
static bool order_fits(int order, double *out) {
  if (order >= 0 && order <= BRINK_JET_MAX_ORDER) return true;
  fill_nan(0, order, out);
  return false;
}

/* The index of the first coefficient that is not zero; order + 1 if all are zero. */
static int first_nonzero(int order, const double *a) {
  int m = 0;
  while (m <= order && a[m] == 0.0) m++;
  return m;
}

/* Keeps an input that out may overwrite. */
static void keep(int order, const double *a, double *kept) {
  memcpy(kept, a, ((size_t)order + 1) * sizeof *a);
}

/* t[j] = j a[j] */
static void times_index(int order, const double *a, double *t) {
  for (int j = 0; j <= order; j++) t[j] = j * a[j];
}

/* sum_{j=1}^{k} t[j] v[k-j] */
static double convolve_from_1(int k, const double *t, const double *v) {
  double sum = 0.0;
  for (int j = 1; j <= k; j++) sum += t[j] * v[k - j];
  return sum;
}

/* sum_{j=1}^{k-1} t[j] v[k-j] */
static double convolve_inner(int k, const double *t, const double *v) {
  double sum = 0.0;
  for (int j = 1; j < k; j++) sum += t[j] * v[k - j];
  return sum;
}

/* ---- linear operations --------------------------------------------------------------------- */

void brink_jet_constant(int order, double value, double *out) {
  if (!order_fits(order, out)) return;
  for (int k = 1; k <= order; k++) out[k] = 0.0;
  out[0] = value;
}

void brink_jet_variable(int order, double value, double *out) {
  brink_jet_constant(order, value, out);
  if (order >= 1 && order <= BRINK_JET_MAX_ORDER) out[1] = 1.0;
}

void brink_jet_copy(int order, const double *a, double *out) {
  if (!order_fits(order, out)) return;
  for (int k = 0; k <= order; k++) out[k] = a[k];
}

void brink_jet_add(int order, const double *a, const double *b, double *out) {
  if (!order_fits(order, out)) return;
  for (int k = 0; k <= order; k++) out[k] = a[k] + b[k];
}

void brink_jet_sub(int order, const double *a, const double *b, double *out) {
  if (!order_fits(order, out)) return;
  for (int k = 0; k <= order; k++) out[k] = a[k] - b[k];
}

void brink_jet_scale(int order, const double *a, double factor, double *out) {
  if (!order_fits(order, out)) return;
  for (int k = 0; k <= order; k++) out[k] = factor * a[k];
}

void brink_jet_add_constant(int order, const double *a, double value, double *out) {
  brink_jet_copy(order, a, out);
  if (order >= 0 && order <= BRINK_JET_MAX_ORDER) out[0] += value;
}

/* ---- products and quotients ---------------------------------------------------------------- */

/* From the highest coefficient down, so that out may be a or b. */
void brink_jet_mul(int order, const double *a, const double *b, double *out) {
  if (!order_fits(order, out)) return;
  for (int k = order; k >= 0; k--) {
    double sum = a[0] * b[k];
    for (int j = 1; j <= k; j++) sum += a[j] * b[k - j];
    out[k] = sum;
  }
}

/* Half the products: (a^2)_k = 2 sum_{j < k/2} a_j a_{k-j} (+ a_{k/2}^2). */
void brink_jet_square(int order, const double *a, double *out) {
  if (!order_fits(order, out)) return;
  for (int k = order; k >= 0; k--) {
    double sum = 0.0;
    for (int j = 0; 2 * j < k; j++) sum += a[j] * a[k - j];
    sum *= 2.0;
    if (k % 2 == 0) sum += a[k / 2] * a[k / 2];
    out[k] = sum;
  }
}

/* v b = a: v_k = (a_k - sum_{j=1}^{k} b_j v_{k-j}) / b_0. */
void brink_jet_div(int order, const double *a, const double *b, double *out) {
  double divisor[MAX_LENGTH];
  if (!order_fits(order, out)) return;
  keep(order, b, divisor);
  out[0] = a[0] / divisor[0];
  if (divisor[0] == 0.0) {
    fill_nan(1, order, out);
    return;
  }
  for (int k = 1; k <= order; k++) out[k] = (a[k] - convolve_from_1(k, divisor, out)) / divisor[0];
}

void brink_jet_inverse(int order, const double *a, double *out) {
  double one[MAX_LENGTH];
  if (!order_fits(order, out)) return;
  brink_jet_constant(order, 1.0, one);
  brink_jet_div(order, one, a, out);
}

/* ---- powers -------------------------------------------------------------------------------- */

/* v = a^r, a_0 != 0, v_0 given: a v~ = r a~ v, so that
 * v_k = sum_{j=1}^{k} (r j - (k - j)) a_j v_{k-j} / (k a_0). out must not be a. */
static void power_regular(int order, const double *a, double r, double v0, double *out) {
  out[0] = v0;
  for (int k = 1; k <= order; k++) {
    double sum = 0.0;
    for (int j = 1; j <= k; j++) sum += (r * j - (k - j)) * a[j] * out[k - j];
    out[k] = sum / (k * a[0]);
  }
}

/* a = s^m w with w_0 != 0 and m > 0: a^r = s^(m r) w^r. w is known to order p - m, hence a^r to
 * order p - m + m r. Coefficients before s^(m r) are zero whether or not m r is an integer. */
static void power_at_zero(int order, const double *a, int m, double r, double *out) {
  double start = m * r, w0 = a[m];
  bool exists = start == floor(start) && (w0 > 0.0 || r == floor(r));
  int first = start > order ? order + 1 : (int)ceil(start);
  for (int k = 0; k < first; k++) out[k] = 0.0;
  if (!exists) {
    if (first == 0) first = 1;
    fill_nan(first, order, out);
    return;
  }
  int known = order - m < order - first ? order - m : order - first;
  if (first <= order) power_regular(known, a + m, r, pow(w0, r), out + first);
  if (first + known < order && first <= order) fill_nan(first + known + 1, order, out);
}

void brink_jet_pow_const(int order, const double *a, double exponent, double *out) {
  double base[MAX_LENGTH];
  if (!order_fits(order, out)) return;
  keep(order, a, base);
  int m = first_nonzero(order, base);
  if (exponent == 0.0) {
    brink_jet_constant(order, 1.0, out);
  } else if (m == 0) {
    power_regular(order, base, exponent, pow(base[0], exponent), out);
  } else if (!(exponent > 0.0)) {
    out[0] = pow(base[0], exponent);
    fill_nan(1, order, out);
  } else if (m > order) {
    brink_jet_constant(order, 0.0, out);
  } else {
    power_at_zero(order, base, m, exponent, out);
  }
}

/* v v = a: v_k = (a_k - sum_{j=1}^{k-1} v_j v_{k-j}) / (2 v_0). */
void brink_jet_sqrt(int order, const double *a, double *out) {
  double base[MAX_LENGTH];
  if (!order_fits(order, out)) return;
  if (a[0] == 0.0) {
    brink_jet_pow_const(order, a, 0.5, out);
    return;
  }
  keep(order, a, base);
  out[0] = sqrt(base[0]);
  for (int k = 1; k <= order; k++)
    out[k] = (base[k] - convolve_inner(k, out, out)) / (2.0 * out[0]);
}

/* ---- exponential and logarithm ------------------------------------------------------------- */

/* v~ = a~ v with v_0 given: v_k = sum_{j=1}^{k} j a_j v_{k-j} / k. */
static void exp_from(int order, const double *a, double v0, double *out) {
  double t[MAX_LENGTH];
  times_index(order, a, t);
  out[0] = v0;
  for (int k = 1; k <= order; k++) out[k] = convolve_from_1(k, t, out) / k;
}

void brink_jet_exp(int order, const double *a, double *out) {
  if (!order_fits(order, out)) return;
  exp_from(order, a, exp(a[0]), out);
}

/* a v~ = a~: v_k = (a_k - sum_{j=1}^{k-1} j v_j a_{k-j} / k) / a_0. */
void brink_jet_log(int order, const double *a, double *out) {
  double base[MAX_LENGTH], t[MAX_LENGTH];
  if (!order_fits(order, out)) return;
  keep(order, a, base);
  out[0] = log(base[0]);
  if (!(base[0] > 0.0)) {
    fill_nan(1, order, out);
    return;
  }
  for (int k = 1; k <= order; k++) {
    out[k] = (base[k] - convolve_inner(k, t, base) / k) / base[0];
    t[k] = k * out[k];
  }
}

void brink_jet_log10(int order, const double *a, double *out) {
  if (!order_fits(order, out)) return;
  double v0 = log10(a[0]);
  brink_jet_log(order, a, out);
  brink_jet_scale(order, out, inverse_ln10, out);
  out[0] = v0;
}

/* a^b = exp(b log a), with the leading coefficient by pow, which is more accurate. */
void brink_jet_pow(int order, const double *a, const double *b, double *out) {
  double exponent[MAX_LENGTH], v0;
  if (!order_fits(order, out)) return;
  v0 = pow(a[0], b[0]);
  if (order == 0 || first_nonzero(order - 1, b + 1) == order) {
    brink_jet_pow_const(order, a, b[0], out);
    return;
  }
  if (!(a[0] > 0.0)) {
    out[0] = v0;
    fill_nan(1, order, out);
    return;
  }
  brink_jet_log(order, a, exponent);
  brink_jet_mul(order, exponent, b, exponent);
  exp_from(order, exponent, v0, out);
}

/* ---- circular and hyperbolic functions ----------------------------------------------------- */

/* sine~ = a~ cosine, cosine~ = sign a~ sine: sign = -1 circular, +1 hyperbolic. */
static void sine_pair(int order, const double *a, double sign, double *sine, double *cosine) {
  double t[MAX_LENGTH];
  double a0 = a[0];
  times_index(order, a, t);
  sine[0] = sign < 0.0 ? sin(a0) : sinh(a0);
  cosine[0] = sign < 0.0 ? cos(a0) : cosh(a0);
  for (int k = 1; k <= order; k++) {
    sine[k] = convolve_from_1(k, t, cosine) / k;
    cosine[k] = sign * convolve_from_1(k, t, sine) / k;
  }
}

void brink_jet_sincos(int order, const double *a, double *sine, double *cosine) {
  if (!order_fits(order, sine) || !order_fits(order, cosine)) {
    fill_nan(0, order, cosine);
    return;
  }
  sine_pair(order, a, -1.0, sine, cosine);
}

void brink_jet_sin(int order, const double *a, double *out) {
  double other[MAX_LENGTH];
  if (order_fits(order, out)) sine_pair(order, a, -1.0, out, other);
}

void brink_jet_cos(int order, const double *a, double *out) {
  double other[MAX_LENGTH];
  if (order_fits(order, out)) sine_pair(order, a, -1.0, other, out);
}

void brink_jet_sinh(int order, const double *a, double *out) {
  double other[MAX_LENGTH];
  if (order_fits(order, out)) sine_pair(order, a, 1.0, out, other);
}

void brink_jet_cosh(int order, const double *a, double *out) {
  double other[MAX_LENGTH];
  if (order_fits(order, out)) sine_pair(order, a, 1.0, other, out);
}

/* v~ = a~ w with w = 1 + sign v^2, w_0 given: sign = 1 for tan, -1 for tanh. */
static void tangent(int order, const double *a, double sign, double v0, double w0, double *out) {
  double t[MAX_LENGTH], w[MAX_LENGTH];
  times_index(order, a, t);
  out[0] = v0;
  w[0] = w0;
  for (int k = 1; k <= order; k++) {
    out[k] = convolve_from_1(k, t, w) / k;
    w[k] = sign * (2.0 * v0 * out[k] + convolve_inner(k, out, out));
  }
}

void brink_jet_tan(int order, const double *a, double *out) {
  if (!order_fits(order, out)) return;
  double v0 = tan(a[0]);
  tangent(order, a, 1.0, v0, 1.0 + v0 * v0, out);
}

void brink_jet_tanh(int order, const double *a, double *out) {
  if (!order_fits(order, out)) return;
  double secant = 1.0 / cosh(a[0]);
  tangent(order, a, -1.0, tanh(a[0]), secant * secant, out);
}

/* ---- inverse circular functions ------------------------------------------------------------ */

/* w v~ = r, r the coefficients of s times something': v_k = (r_k - sum_{j=1}^{k-1} j v_j w_{k-j})
 * / (k w_0). */
static void integrate_quotient(int order, const double *r, const double *w, double v0,
                               double *out) {
  double t[MAX_LENGTH];
  out[0] = v0;
  for (int k = 1; k <= order; k++) {
    t[k] = (r[k] - convolve_inner(k, t, w)) / w[0];
    out[k] = t[k] / k;
  }
}

/* sqrt(1 - a^2) v~ = sign a~. */
static void arc_sine(int order, const double *a, double sign, double v0, double *out) {
  double t[MAX_LENGTH], less[MAX_LENGTH], w[MAX_LENGTH];
  if (!(fabs(a[0]) < 1.0)) {
    out[0] = v0;
    fill_nan(1, order, out);
    return;
  }
  for (int k = 0; k <= order; k++) t[k] = sign * k * a[k];
  /* (1 - a) (1 + a): no cancellation near |a| = 1. */
  brink_jet_scale(order, a, -1.0, less);
  brink_jet_add_constant(order, less, 1.0, less);
  brink_jet_add_constant(order, a, 1.0, w);
  brink_jet_mul(order, less, w, w);
  brink_jet_sqrt(order, w, w);
  integrate_quotient(order, t, w, v0, out);
}

void brink_jet_asin(int order, const double *a, double *out) {
  if (order_fits(order, out)) arc_sine(order, a, 1.0, asin(a[0]), out);
}

void brink_jet_acos(int order, const double *a, double *out) {
  if (order_fits(order, out)) arc_sine(order, a, -1.0, acos(a[0]), out);
}

/* The power of two that brings the larger of |a_0| and |b_0| near 1. */
static double common_scale(double a0, double b0) {
  double size = fmax(fabs(a0), fabs(b0));
  if (!(size > 0.0) || !isfinite(size)) return 1.0;
  int e = ilogb(size);
  return ldexp(1.0, e < -1020 ? 1020 : -e);
}

/* (x^2 + y^2) v~ = x y~ - y x~. */
void brink_jet_atan2(int order, const double *y, const double *x, double *out) {
  double xs[MAX_LENGTH], ys[MAX_LENGTH], r[MAX_LENGTH], w[MAX_LENGTH], t[MAX_LENGTH];
  if (!order_fits(order, out)) return;
  double scale = common_scale(x[0], y[0]), v0 = atan2(y[0], x[0]);
  if (x[0] == 0.0 && y[0] == 0.0) {
    out[0] = v0;
    fill_nan(1, order, out);
    return;
  }
  brink_jet_scale(order, x, scale, xs);
  brink_jet_scale(order, y, scale, ys);
  times_index(order, ys, t);
  brink_jet_mul(order, xs, t, r);
  times_index(order, xs, t);
  brink_jet_mul(order, ys, t, t);
  brink_jet_sub(order, r, t, r);
  brink_jet_square(order, xs, w);
  brink_jet_square(order, ys, t);
  brink_jet_add(order, w, t, w);
  integrate_quotient(order, r, w, v0, out);
}

/* (1 + a^2) v~ = a~. For |a_0| > 1 as the angle of (1, a), so that a^2 cannot overflow. */
void brink_jet_atan(int order, const double *a, double *out) {
  double one[MAX_LENGTH];
  if (!order_fits(order, out)) return;
  brink_jet_constant(order, 1.0, one);
  brink_jet_atan2(order, a, one, out);
}

/* ---- selection, norm, evaluation ----------------------------------------------------------- */

void brink_jet_abs(int order, const double *a, double *out) {
  if (!order_fits(order, out)) return;
  int m = first_nonzero(order, a);
  brink_jet_scale(order, a, m <= order && a[m] < 0.0 ? -1.0 : 1.0, out);
}

/* The sign of a - b for small s > 0. */
static int compare(int order, const double *a, const double *b) {
  for (int k = 0; k <= order; k++)
    if (a[k] != b[k]) return a[k] > b[k] ? 1 : -1;
  return 0;
}

void brink_jet_min(int order, const double *a, const double *b, double *out) {
  brink_jet_copy(order, compare(order, a, b) > 0 ? b : a, out);
}

void brink_jet_max(int order, const double *a, const double *b, double *out) {
  brink_jet_copy(order, compare(order, a, b) < 0 ? b : a, out);
}

void brink_jet_hypot(int order, const double *a, const double *b, double *out) {
  double as[MAX_LENGTH], bs[MAX_LENGTH];
  if (!order_fits(order, out)) return;
  double scale = common_scale(a[0], b[0]), v0 = hypot(a[0], b[0]);
  brink_jet_scale(order, a, scale, as);
  brink_jet_scale(order, b, scale, bs);
  brink_jet_square(order, as, as);
  brink_jet_square(order, bs, bs);
  brink_jet_add(order, as, bs, as);
  brink_jet_sqrt(order, as, out);
  brink_jet_scale(order, out, 1.0 / scale, out);
  out[0] = v0;
}

/* Repeated synthetic division, in place. */
void brink_jet_shift(int order, const double *a, double s0, double *out) {
  if (!order_fits(order, out)) return;
  brink_jet_copy(order, a, out);
  for (int k = 0; k < order; k++)
    for (int j = order - 1; j >= k; j--) out[j] += s0 * out[j + 1];
}

double brink_jet_eval(int order, const double *a, double s) {
  if (order < 0) return (double)NAN;
  double y = a[order];
  for (int k = order - 1; k >= 0; k--) y = y * s + a[k];
  return y;
}
