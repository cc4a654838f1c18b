/* oracle_jet.c: every function of brink/jet.h against Arb's power series, at random points and
 * orders up to 20.
 *
 * The measure: the inputs fall like rho^k, and the error of a coefficient v_k is compared with
 * rounding times (k + 1)^2 times max_{j <= k} |v_j| rho^(k - j): with the recurrences, an error
 * made in v_j reaches v_k with about this factor. A coefficient that is small by cancellation is
 * thus not asked to have a small relative error.
 *
 * The first argument, if given, is the number of samples of each function; the environment variable
 * BRINK_ORACLE_PERCENT runs that share of the usual number. */
#include "check.h"

#include <arb.h>
#include <arb_poly.h>
#include <brink/jet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { PREC = 256, MAX_ORDER = 20, LENGTH = MAX_ORDER + 1 };

static long wanted = 2000; /* samples of each function */
static uint64_t random_state = 13;

static double uniform(double lo, double hi) { /* splitmix64 */
  uint64_t z = (random_state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return lo + (hi - lo) * ((double)(z >> 11) * 0x1p-53);
}

/* The series in Arb: of one argument, and of two. */
typedef void (*series)(arb_poly_t out, const arb_poly_t a, const arb_poly_t b, slong length);
typedef void (*jet)(int order, const double *a, const double *b, double *out);

typedef struct {
  const char *name;
  jet ours;
  series theirs;
  double a_lo, a_hi; /* the range of a[0] */
  double b_lo, b_hi; /* of b[0]; unused by functions of one argument */
} function;

#define ONE_ARGUMENT(name)                                                                         \
  static void our_##name(int order, const double *a, const double *b, double *out) {               \
    (void)b;                                                                                       \
    brink_jet_##name(order, a, out);                                                               \
  }                                                                                                \
  static void arb_##name##_jet(arb_poly_t out, const arb_poly_t a, const arb_poly_t b, slong n) {  \
    (void)b;                                                                                       \
    arb_poly_##name##_series(out, a, n, PREC);                                                     \
  }

ONE_ARGUMENT(exp)
ONE_ARGUMENT(log)
ONE_ARGUMENT(sin)
ONE_ARGUMENT(cos)
ONE_ARGUMENT(tan)
ONE_ARGUMENT(asin)
ONE_ARGUMENT(acos)
ONE_ARGUMENT(atan)
ONE_ARGUMENT(sinh)
ONE_ARGUMENT(cosh)
ONE_ARGUMENT(sqrt)

#define OURS(name)                                                                                 \
  static void our_##name(int order, const double *a, const double *b, double *out) {               \
    (void)b;                                                                                       \
    brink_jet_##name(order, a, out);                                                               \
  }
#define THEIRS(name)                                                                               \
  static void arb_##name##_jet(arb_poly_t out, const arb_poly_t a, const arb_poly_t b, slong n)

OURS(inverse)
THEIRS(inverse) {
  (void)b;
  arb_poly_inv_series(out, a, n, PREC);
}

OURS(square)
THEIRS(square) {
  (void)b;
  arb_poly_mullow(out, a, a, n, PREC);
}

OURS(log10)
THEIRS(log10) {
  (void)b;
  arb_t ten;
  arb_init(ten);
  arb_set_ui(ten, 10);
  arb_log(ten, ten, PREC);
  arb_poly_log_series(out, a, n, PREC);
  arb_poly_scalar_div(out, out, ten, PREC);
  arb_clear(ten);
}

OURS(tanh)
THEIRS(tanh) {
  (void)b;
  arb_poly_t s, c;
  arb_poly_init(s);
  arb_poly_init(c);
  arb_poly_sinh_cosh_series(s, c, a, n, PREC);
  arb_poly_div_series(out, s, c, n, PREC);
  arb_poly_clear(s);
  arb_poly_clear(c);
}

/* sincos twice, once for each output. */
static void our_sincos_sine(int order, const double *a, const double *b, double *out) {
  double other[LENGTH];
  (void)b;
  brink_jet_sincos(order, a, out, other);
}

static void our_sincos_cosine(int order, const double *a, const double *b, double *out) {
  double other[LENGTH];
  (void)b;
  brink_jet_sincos(order, a, other, out);
}

/* Powers with constant exponents, b[0]; integer ones with a base of either sign. */
static void our_pow_const(int order, const double *a, const double *b, double *out) {
  brink_jet_pow_const(order, a, b[0], out);
}
THEIRS(pow_const) {
  arb_t exponent;
  arb_init(exponent);
  arb_poly_get_coeff_arb(exponent, b, 0);
  arb_poly_pow_arb_series(out, a, exponent, n, PREC);
  arb_clear(exponent);
}

static void our_pow_integer(int order, const double *a, const double *b, double *out) {
  brink_jet_pow_const(order, a, floor(b[0]), out);
}
THEIRS(pow_integer) {
  arb_t x;
  arb_init(x);
  arb_poly_get_coeff_arb(x, b, 0);
  long exponent = (long)floor(arf_get_d(arb_midref(x), ARF_RND_NEAR));
  arb_poly_pow_ui_trunc_binexp(out, a, (ulong)labs(exponent), n, PREC);
  if (exponent < 0) arb_poly_inv_series(out, out, n, PREC);
  arb_clear(x);
}

THEIRS(pow) {
  arb_poly_pow_series(out, a, b, n, PREC);
}
THEIRS(mul) {
  arb_poly_mullow(out, a, b, n, PREC);
}
THEIRS(div) {
  arb_poly_div_series(out, a, b, n, PREC);
}
THEIRS(hypot) {
  arb_poly_t s;
  arb_poly_init(s);
  arb_poly_mullow(s, a, a, n, PREC);
  arb_poly_mullow(out, b, b, n, PREC);
  arb_poly_add(s, s, out, PREC);
  arb_poly_sqrt_series(out, s, n, PREC);
  arb_poly_clear(s);
}
/* atan2(a, b): atan(a / b), and the angle of the starting point instead of its first coefficient.
 */
THEIRS(atan2) {
  arb_t y, x;
  arb_init(y);
  arb_init(x);
  arb_poly_get_coeff_arb(y, a, 0);
  arb_poly_get_coeff_arb(x, b, 0);
  arb_atan2(y, y, x, PREC);
  arb_poly_div_series(out, a, b, n, PREC);
  arb_poly_atan_series(out, out, n, PREC);
  arb_poly_set_coeff_arb(out, 0, y);
  arb_clear(y);
  arb_clear(x);
}

static const function functions[] = {
    {"exp", our_exp, arb_exp_jet, -5.0, 5.0, 0.0, 0.0},
    {"log", our_log, arb_log_jet, 0.3, 5.0, 0.0, 0.0},
    {"log10", our_log10, arb_log10_jet, 0.3, 5.0, 0.0, 0.0},
    {"sqrt", our_sqrt, arb_sqrt_jet, 0.3, 5.0, 0.0, 0.0},
    {"square", our_square, arb_square_jet, -5.0, 5.0, 0.0, 0.0},
    {"inverse", our_inverse, arb_inverse_jet, 0.3, 5.0, 0.0, 0.0},
    {"inverse of a negative", our_inverse, arb_inverse_jet, -5.0, -0.3, 0.0, 0.0},
    {"sin", our_sin, arb_sin_jet, -10.0, 10.0, 0.0, 0.0},
    {"cos", our_cos, arb_cos_jet, -10.0, 10.0, 0.0, 0.0},
    {"sine of sincos", our_sincos_sine, arb_sin_jet, -10.0, 10.0, 0.0, 0.0},
    {"cosine of sincos", our_sincos_cosine, arb_cos_jet, -10.0, 10.0, 0.0, 0.0},
    {"tan", our_tan, arb_tan_jet, -1.2, 1.2, 0.0, 0.0},
    {"asin", our_asin, arb_asin_jet, -0.7, 0.7, 0.0, 0.0},
    {"acos", our_acos, arb_acos_jet, -0.7, 0.7, 0.0, 0.0},
    {"atan", our_atan, arb_atan_jet, -5.0, 5.0, 0.0, 0.0},
    {"sinh", our_sinh, arb_sinh_jet, -5.0, 5.0, 0.0, 0.0},
    {"cosh", our_cosh, arb_cosh_jet, -5.0, 5.0, 0.0, 0.0},
    {"tanh", our_tanh, arb_tanh_jet, -20.0, 20.0, 0.0, 0.0},
    {"pow_const", our_pow_const, arb_pow_const_jet, 0.3, 4.0, -3.0, 3.0},
    {"pow_const, integer", our_pow_integer, arb_pow_integer_jet, -4.0, -0.3, -4.0, 6.0},
    {"pow", brink_jet_pow, arb_pow_jet, 0.3, 4.0, -3.0, 3.0},
    {"mul", brink_jet_mul, arb_mul_jet, -3.0, 3.0, -3.0, 3.0},
    {"div", brink_jet_div, arb_div_jet, -3.0, 3.0, 0.3, 3.0},
    {"hypot", brink_jet_hypot, arb_hypot_jet, 0.3, 3.0, -3.0, 3.0},
    {"atan2, right", brink_jet_atan2, arb_atan2_jet, -3.0, 3.0, 0.3, 3.0},
    {"atan2, left", brink_jet_atan2, arb_atan2_jet, 0.0, 3.0, -3.0, -0.3},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* Coefficients that fall like those of a function analytic up to |s| = 1 / rho. */
static void random_jet(double lo, double hi, double rho, double *a) {
  a[0] = uniform(lo, hi);
  double size = 0.3 * rho;
  for (int k = 1; k < LENGTH; k++) {
    a[k] = uniform(-1.0, 1.0) * size;
    size *= rho;
  }
}

static void to_arb(arb_poly_t p, const double *a, int order) {
  arb_t x;
  arb_init(x);
  arb_poly_zero(p);
  for (int k = 0; k <= order; k++) {
    arb_set_d(x, a[k]);
    arb_poly_set_coeff_arb(p, k, x);
  }
  arb_clear(x);
}

/* The largest error in the units described at the head of this file; 8 are allowed. */
static double compare(const function *f, const double *ours, const arb_poly_t theirs, int order,
                      double growth) {
  double scale = 0.0, worst = 0.0;
  arb_t x, y;
  arb_init(x);
  arb_init(y);
  for (int k = 0; k <= order; k++) {
    arb_poly_get_coeff_arb(x, theirs, k);
    double size = fabs(arf_get_d(arb_midref(x), ARF_RND_NEAR));
    scale = fmax(scale * growth, size);
    arb_set_d(y, ours[k]);
    arb_sub(x, x, y, PREC);
    double error = fabs(arf_get_d(arb_midref(x), ARF_RND_NEAR));
    double unit = scale * 0x1p-53 * (k + 1) * (k + 1);
    if (!(error <= 8.0 * unit + 1e-300))
      CHECK_SAY("%s, order %d: coefficient %d = %.17g is off by %.3g, %.3g units", f->name, order,
                k, ours[k], error, error / unit);
    if (error > worst * unit && unit > 0.0) worst = error / unit;
  }
  arb_clear(x);
  arb_clear(y);
  return worst;
}

static void check_function(const function *f) {
  arb_poly_t pa, pb, pv;
  double a[LENGTH], b[LENGTH], v[LENGTH], worst = 0.0;
  arb_poly_init(pa);
  arb_poly_init(pb);
  arb_poly_init(pv);
  for (long k = 0; k < wanted; k++) {
    int order = (int)uniform(0.0, LENGTH);
    double rho = pow(10.0, uniform(-2.0, 2.0));
    random_jet(f->a_lo, f->a_hi, rho, a);
    random_jet(f->b_lo, f->b_hi, rho, b);
    to_arb(pa, a, order);
    to_arb(pb, b, order);
    f->theirs(pv, pa, pb, order + 1);
    f->ours(order, a, b, v);
    worst = fmax(worst, compare(f, v, pv, order, rho));
  }
  printf("%-22s %6.2f units\n", f->name, worst);
  arb_poly_clear(pa);
  arb_poly_clear(pb);
  arb_poly_clear(pv);
}

TEST(every_function_agrees_with_arb_within_rounding) {
  for (int k = 0; k < FUNCTIONS; k++) check_function(&functions[k]);
}

/* Shift and evaluation against the same in exact arithmetic. */
TEST(shift_and_eval_agree_with_arb_within_rounding) {
  arb_poly_t p, q;
  arb_t x, y;
  arb_poly_init(p);
  arb_poly_init(q);
  arb_init(x);
  arb_init(y);
  for (long k = 0; k < wanted; k++) {
    double a[LENGTH], v[LENGTH], sizes[LENGTH], s = uniform(-1.0, 1.0);
    int order = (int)uniform(0.0, LENGTH);
    random_jet(-1.0, 1.0, 1.0, a);
    to_arb(p, a, order);
    arb_set_d(x, s);
    arb_poly_taylor_shift(q, p, x, PREC);
    brink_jet_shift(order, a, s, v);
    for (int j = 0; j <= order; j++) sizes[j] = fabs(a[j]);
    brink_jet_shift(order, sizes, fabs(s), sizes);
    for (int j = 0; j <= order; j++) {
      arb_poly_get_coeff_arb(y, q, j);
      CHECK_NEAR(v[j], arf_get_d(arb_midref(y), ARF_RND_NEAR),
                 4 * (order + 1) * 0x1p-53 * sizes[j]);
    }
    arb_poly_evaluate(y, p, x, PREC);
    CHECK_NEAR(brink_jet_eval(order, a, s), arf_get_d(arb_midref(y), ARF_RND_NEAR),
               2 * (order + 1) * 0x1p-53 * sizes[0]);
  }
  arb_poly_clear(p);
  arb_poly_clear(q);
  arb_clear(x);
  arb_clear(y);
}

int main(int argc, char **argv) {
  const char *percent = getenv("BRINK_ORACLE_PERCENT");
  if (percent != NULL) wanted = wanted * strtol(percent, NULL, 10) / 100;
  if (argc > 1) wanted = strtol(argv[1], NULL, 10);
  RUN(every_function_agrees_with_arb_within_rounding);
  RUN(shift_and_eval_agree_with_arb_within_rounding);
  flint_cleanup();
  return check_done();
}
