/* test_jet.c: jets, by identities, closed forms, aliasing and the edges of their domains. The
 * comparison with arbitrary precision is in oracle_jet.c. */
#include "check.h"

#include <brink/jet.h>
#include <float.h>
#include <stdbool.h>
#include <stdint.h>

enum { ORDER = 12, LENGTH = ORDER + 1 };

static uint64_t random_state = 5;

static double uniform(double lo, double hi) { /* splitmix64 */
  uint64_t z = (random_state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return lo + (hi - lo) * ((double)(z >> 11) * 0x1p-53);
}

static void random_jet(double lo, double hi, double *a) {
  a[0] = uniform(lo, hi);
  for (int k = 1; k <= ORDER; k++) a[k] = ldexp(uniform(-1.0, 1.0), -k);
}

static void check_near(const double *v, const double *w, double tolerance) {
  for (int k = 0; k <= ORDER; k++) CHECK_NEAR(v[k], w[k], tolerance);
}

static void check_nan_from(int first, const double *v) {
  for (int k = first; k <= ORDER; k++) CHECK_MSG(isnan(v[k]), "v[%d] = %g is not NaN", k, v[k]);
}

/* ---- closed forms -------------------------------------------------------------------------- */

TEST(the_series_of_s_are_the_textbook_ones) {
  double s[LENGTH], v[LENGTH], factorial = 1.0;
  brink_jet_variable(ORDER, 0.0, s);
  brink_jet_exp(ORDER, s, v);
  for (int k = 0; k <= ORDER; k++) {
    if (k > 0) factorial *= k;
    CHECK_NEAR(v[k], 1.0 / factorial, 1e-16);
  }
  brink_jet_variable(ORDER, 1.0, s);
  brink_jet_log(ORDER, s, v);
  for (int k = 1; k <= ORDER; k++) CHECK_NEAR(v[k], (k % 2 ? 1.0 : -1.0) / k, 1e-16);
  brink_jet_inverse(ORDER, s, v);
  for (int k = 0; k <= ORDER; k++) CHECK(v[k] == (k % 2 ? -1.0 : 1.0));
  brink_jet_variable(ORDER, 0.0, s);
  brink_jet_atan(ORDER, s, v);
  for (int k = 0; k <= ORDER; k++)
    CHECK_NEAR(v[k], k % 2 == 0 ? 0.0 : (k % 4 == 1 ? 1.0 : -1.0) / k, 1e-16);
  brink_jet_tan(ORDER, s, v);
  CHECK_NEAR(v[7], 17.0 / 315.0, 1e-16);
  brink_jet_asin(ORDER, s, v);
  CHECK_NEAR(v[7], 15.0 / 336.0, 1e-16);
}

TEST(constants_variables_and_linear_operations_are_exact) {
  double a[LENGTH], b[LENGTH], v[LENGTH];
  brink_jet_variable(ORDER, 3.0, a);
  CHECK(a[0] == 3.0 && a[1] == 1.0 && a[2] == 0.0 && a[ORDER] == 0.0);
  brink_jet_constant(ORDER, 2.0, b);
  CHECK(b[0] == 2.0 && b[1] == 0.0 && b[ORDER] == 0.0);
  brink_jet_add(ORDER, a, b, v);
  CHECK(v[0] == 5.0 && v[1] == 1.0);
  brink_jet_sub(ORDER, a, b, v);
  CHECK(v[0] == 1.0 && v[1] == 1.0);
  brink_jet_scale(ORDER, a, -2.0, v);
  CHECK(v[0] == -6.0 && v[1] == -2.0);
  brink_jet_add_constant(ORDER, a, 7.0, v);
  CHECK(v[0] == 10.0 && v[1] == 1.0);
  brink_jet_copy(ORDER, a, v);
  CHECK(memcmp(a, v, sizeof a) == 0);
  brink_jet_variable(0, 4.0, v);
  CHECK(v[0] == 4.0 && v[1] == 1.0); /* v[1] is left from the copy */
}

/* ---- identities ---------------------------------------------------------------------------- */

TEST(inverse_functions_undo_each_other) {
  for (int trial = 0; trial < 500; trial++) {
    double a[LENGTH], v[LENGTH], w[LENGTH];
    random_jet(0.5, 2.0, a);
    brink_jet_log(ORDER, a, v);
    brink_jet_exp(ORDER, v, w);
    check_near(w, a, 1e-11);
    brink_jet_sqrt(ORDER, a, v);
    brink_jet_square(ORDER, v, w);
    check_near(w, a, 1e-11);
    brink_jet_inverse(ORDER, a, v);
    brink_jet_inverse(ORDER, v, w);
    check_near(w, a, 1e-9);
    brink_jet_pow_const(ORDER, a, 0.7, v);
    brink_jet_pow_const(ORDER, v, 1.0 / 0.7, w);
    check_near(w, a, 1e-10);
    random_jet(-0.6, 0.6, a);
    brink_jet_asin(ORDER, a, v);
    brink_jet_sin(ORDER, v, w);
    check_near(w, a, 1e-10);
    brink_jet_acos(ORDER, a, v);
    brink_jet_cos(ORDER, v, w);
    check_near(w, a, 1e-10);
    brink_jet_atan(ORDER, a, v);
    brink_jet_tan(ORDER, v, w);
    check_near(w, a, 1e-10);
  }
}

TEST(the_pythagorean_identities_hold) {
  double one[LENGTH];
  brink_jet_constant(ORDER, 1.0, one);
  for (int trial = 0; trial < 500; trial++) {
    double a[LENGTH], s[LENGTH], c[LENGTH], v[LENGTH], w[LENGTH];
    random_jet(-2.0, 2.0, a);
    brink_jet_sincos(ORDER, a, s, c);
    brink_jet_hypot(ORDER, s, c, v);
    check_near(v, one, 1e-13);
    brink_jet_sinh(ORDER, a, s);
    brink_jet_cosh(ORDER, a, c);
    brink_jet_square(ORDER, s, v);
    brink_jet_square(ORDER, c, w);
    brink_jet_sub(ORDER, w, v, v);
    check_near(v, one, 1e-12);
    brink_jet_div(ORDER, s, c, v);
    brink_jet_tanh(ORDER, a, w);
    check_near(v, w, 1e-12);
  }
}

TEST(atan2_turns_with_the_point_all_the_way_round) {
  double angle[LENGTH], s[LENGTH], c[LENGTH], v[LENGTH];
  for (int k = -314; k <= 314; k += 4) {
    brink_jet_variable(ORDER, k / 100.0, angle);
    brink_jet_sincos(ORDER, angle, s, c);
    brink_jet_atan2(ORDER, s, c, v);
    check_near(v, angle, 1e-14);
    brink_jet_scale(ORDER, s, 0x1p1000, s);
    brink_jet_scale(ORDER, c, 0x1p1000, c);
    brink_jet_atan2(ORDER, s, c, v);
    check_near(v, angle, 1e-14);
  }
}

TEST(powers_agree_with_products) {
  for (int trial = 0; trial < 200; trial++) {
    double a[LENGTH], b[LENGTH], v[LENGTH], product[LENGTH];
    random_jet(-2.0, 2.0, a);
    brink_jet_constant(ORDER, 1.0, product);
    for (int n = 0; n <= 6; n++) {
      brink_jet_pow_const(ORDER, a, n, v);
      for (int k = 0; k <= ORDER; k++)
        CHECK_NEAR(v[k], product[k], 1e-12 * (1.0 + pow(1.0 / fabs(a[0]), k)));
      brink_jet_mul(ORDER, product, a, product);
    }
    random_jet(0.5, 2.0, a);
    random_jet(-2.0, 2.0, b);
    brink_jet_pow(ORDER, a, b, v);
    brink_jet_log(ORDER, v, v);
    brink_jet_log(ORDER, a, product);
    brink_jet_mul(ORDER, product, b, product);
    check_near(v, product, 1e-10);
  }
}

TEST(a_shift_there_and_back_is_the_identity) {
  for (int trial = 0; trial < 200; trial++) {
    double a[LENGTH], v[LENGTH], s = uniform(-1.0, 1.0), t = uniform(-1.0, 1.0);
    random_jet(-1.0, 1.0, a);
    brink_jet_shift(ORDER, a, s, v);
    CHECK_NEAR(brink_jet_eval(ORDER, v, t), brink_jet_eval(ORDER, a, s + t), 1e-12);
    brink_jet_shift(ORDER, v, -s, v);
    check_near(v, a, 1e-11);
  }
}

/* ---- aliasing ------------------------------------------------------------------------------ */

typedef void (*unary)(int, const double *, double *);
typedef void (*binary)(int, const double *, const double *, double *);

TEST(out_may_be_any_input) {
  static const unary one[] = {brink_jet_copy, brink_jet_square, brink_jet_inverse, brink_jet_sqrt,
                              brink_jet_exp,  brink_jet_log,    brink_jet_log10,   brink_jet_sin,
                              brink_jet_cos,  brink_jet_tan,    brink_jet_asin,    brink_jet_acos,
                              brink_jet_atan, brink_jet_sinh,   brink_jet_cosh,    brink_jet_tanh,
                              brink_jet_abs};
  static const binary two[] = {brink_jet_add, brink_jet_sub,   brink_jet_mul,
                               brink_jet_div, brink_jet_atan2, brink_jet_pow,
                               brink_jet_min, brink_jet_max,   brink_jet_hypot};
  double a[LENGTH], b[LENGTH], v[LENGTH], w[LENGTH];
  random_jet(0.3, 0.7, a);
  random_jet(0.3, 0.7, b);
  for (size_t k = 0; k < sizeof one / sizeof one[0]; k++) {
    one[k](ORDER, a, v);
    memcpy(w, a, sizeof w);
    one[k](ORDER, w, w);
    CHECK_MSG(memcmp(v, w, sizeof v) == 0, "function %d of one jet", (int)k);
  }
  for (size_t k = 0; k < sizeof two / sizeof two[0]; k++) {
    two[k](ORDER, a, b, v);
    memcpy(w, a, sizeof w);
    two[k](ORDER, w, b, w);
    CHECK_MSG(memcmp(v, w, sizeof v) == 0, "function %d of two jets, out the first", (int)k);
    memcpy(w, b, sizeof w);
    two[k](ORDER, a, w, w);
    CHECK_MSG(memcmp(v, w, sizeof v) == 0, "function %d of two jets, out the second", (int)k);
    two[k](ORDER, a, a, v);
    memcpy(w, a, sizeof w);
    two[k](ORDER, w, w, w);
    CHECK_MSG(memcmp(v, w, sizeof v) == 0, "function %d of two jets, out both", (int)k);
  }
}

TEST(sincos_powers_and_shifts_may_overwrite_their_input) {
  double a[LENGTH], s[LENGTH], c[LENGTH], v[LENGTH], w[LENGTH];
  random_jet(0.3, 0.7, a);
  brink_jet_sincos(ORDER, a, s, c);
  memcpy(w, a, sizeof w);
  brink_jet_sincos(ORDER, w, w, v);
  CHECK(memcmp(w, s, sizeof w) == 0 && memcmp(v, c, sizeof v) == 0);
  memcpy(w, a, sizeof w);
  brink_jet_sincos(ORDER, w, v, w);
  CHECK(memcmp(v, s, sizeof w) == 0 && memcmp(w, c, sizeof v) == 0);
  brink_jet_pow_const(ORDER, a, 2.5, v);
  memcpy(w, a, sizeof w);
  brink_jet_pow_const(ORDER, w, 2.5, w);
  CHECK(memcmp(v, w, sizeof v) == 0);
  brink_jet_shift(ORDER, a, 0.5, v);
  memcpy(w, a, sizeof w);
  brink_jet_shift(ORDER, w, 0.5, w);
  CHECK(memcmp(v, w, sizeof v) == 0);
}

/* ---- kinks and the edges of domains -------------------------------------------------------- */

TEST(abs_min_and_max_take_the_branch_after_zero) {
  double a[LENGTH] = {0.0, -2.0, 1.0}, b[LENGTH] = {0.0, -2.0, 3.0}, v[LENGTH];
  brink_jet_abs(ORDER, a, v);
  CHECK(v[0] == 0.0 && v[1] == 2.0 && v[2] == -1.0);
  brink_jet_min(ORDER, a, b, v);
  CHECK(v[2] == 1.0);
  brink_jet_max(ORDER, a, b, v);
  CHECK(v[2] == 3.0);
  a[0] = 1.0;
  brink_jet_min(ORDER, a, b, v);
  CHECK(v[2] == 3.0);
  brink_jet_abs(ORDER, a, v);
  CHECK(v[0] == 1.0 && v[1] == -2.0);
}

TEST(the_root_of_an_even_zero_exists_as_far_as_it_is_determined) {
  /* sqrt(s^2 (1 + s)^2) = s + s^2 */
  double a[LENGTH] = {0.0, 0.0, 1.0, 2.0, 1.0}, v[LENGTH];
  brink_jet_sqrt(ORDER, a, v);
  CHECK(v[0] == 0.0 && v[1] == 1.0 && v[2] == 1.0);
  for (int k = 3; k < ORDER; k++) CHECK(v[k] == 0.0);
  check_nan_from(ORDER, v);
  double x[LENGTH] = {0.0, 3.0}, y[LENGTH] = {0.0, 4.0};
  brink_jet_hypot(ORDER, x, y, v);
  CHECK(v[0] == 0.0 && v[1] == 5.0 && v[2] == 0.0 && v[ORDER - 1] == 0.0);
  check_nan_from(ORDER, v);
}

TEST(roots_without_expansion_are_nan_after_their_value) {
  double odd[LENGTH] = {0.0, 1.0}, negative[LENGTH] = {0.0, 0.0, -1.0}, below[LENGTH] = {-1.0};
  double zero[LENGTH] = {0.0}, v[LENGTH];
  brink_jet_sqrt(ORDER, odd, v);
  CHECK(v[0] == 0.0);
  check_nan_from(1, v);
  brink_jet_sqrt(ORDER, negative, v);
  CHECK(v[0] == 0.0);
  check_nan_from(1, v);
  brink_jet_sqrt(ORDER, below, v);
  check_nan_from(0, v);
  brink_jet_sqrt(ORDER, zero, v);
  for (int k = 0; k <= ORDER; k++) CHECK(v[k] == 0.0);
}

TEST(powers_of_jets_that_start_at_zero_are_shifted_series) {
  double a[LENGTH] = {0.0, 2.0, 1.0}, v[LENGTH], w[LENGTH];
  brink_jet_pow_const(ORDER, a, 3.0, v);
  brink_jet_mul(ORDER, a, a, w);
  brink_jet_mul(ORDER, w, a, w);
  check_near(v, w, 1e-14);
  brink_jet_pow_const(ORDER, a, 40.0, v);
  for (int k = 0; k <= ORDER; k++) CHECK(v[k] == 0.0);
  brink_jet_pow_const(ORDER, a, 0.0, v);
  CHECK(v[0] == 1.0 && v[1] == 0.0);
  brink_jet_pow_const(ORDER, a, 2.5, v); /* zero before s^2.5, then nothing */
  CHECK(v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0);
  check_nan_from(3, v);
  brink_jet_pow_const(ORDER, a, -1.0, v);
  CHECK(isinf(v[0]));
  check_nan_from(1, v);
  brink_jet_pow_const(ORDER, a, (double)NAN, v);
  check_nan_from(0, v);
}

TEST(outside_the_domain_coefficients_are_nan_and_nothing_crashes) {
  double one[LENGTH] = {1.0, 1.0}, zero[LENGTH] = {0.0}, two[LENGTH] = {2.0, 1.0}, v[LENGTH];
  double negative[LENGTH] = {-1.0, 1.0}, slope[LENGTH] = {0.0, 1.0};
  brink_jet_asin(ORDER, one, v);
  CHECK(v[0] == asin(1.0));
  check_nan_from(1, v);
  brink_jet_acos(ORDER, two, v);
  check_nan_from(0, v);
  brink_jet_log(ORDER, zero, v);
  CHECK(v[0] == -HUGE_VAL);
  check_nan_from(1, v);
  brink_jet_log(ORDER, negative, v);
  check_nan_from(0, v);
  brink_jet_div(ORDER, one, slope, v);
  CHECK(v[0] == HUGE_VAL);
  check_nan_from(1, v);
  brink_jet_atan2(ORDER, zero, zero, v);
  CHECK(v[0] == 0.0);
  check_nan_from(1, v);
  brink_jet_pow(ORDER, negative, slope, v);
  CHECK(v[0] == 1.0);
  check_nan_from(1, v);
}

TEST(an_order_out_of_range_gives_nan_or_nothing) {
  double v[BRINK_JET_MAX_ORDER + 2], a[BRINK_JET_MAX_ORDER + 2] = {1.0};
  brink_jet_exp(BRINK_JET_MAX_ORDER + 1, a, v);
  for (int k = 0; k <= BRINK_JET_MAX_ORDER + 1; k++) CHECK(isnan(v[k]));
  brink_jet_exp(BRINK_JET_MAX_ORDER, a, v);
  CHECK(v[0] == exp(1.0) && v[BRINK_JET_MAX_ORDER] == 0.0);
  v[0] = 3.0;
  brink_jet_exp(-1, a, v);
  brink_jet_constant(-1, 1.0, v);
  CHECK(v[0] == 3.0);
}

TEST(large_arguments_do_not_overflow_on_the_way) {
  double a[LENGTH] = {1e200, 1.0}, v[LENGTH], b[LENGTH] = {300.0, 1.0};
  brink_jet_atan(ORDER, a, v);
  CHECK(v[0] == atan(1e200) && fabs(v[1]) < 1e-300);
  brink_jet_hypot(ORDER, a, a, v);
  CHECK_NEAR(v[0] / 1e200, sqrt(2.0), 1e-15);
  CHECK_NEAR(v[1], sqrt(2.0), 1e-15);
  brink_jet_tanh(ORDER, b, v); /* slope 1 / cosh(300)^2, not the 0 of 1 - tanh(300)^2 */
  CHECK(v[0] == 1.0 && v[1] > 0.0);
  CHECK_NEAR(v[1] * exp(600.0), 4.0, 1e-12);
  double extremes[] = {DBL_MAX, -DBL_MAX, DBL_TRUE_MIN, HUGE_VAL, (double)NAN};
  for (int k = 0; k < 5; k++) {
    a[0] = extremes[k];
    brink_jet_hypot(ORDER, a, b, v);
    brink_jet_atan2(ORDER, a, b, v);
    brink_jet_tan(ORDER, a, v);
    brink_jet_pow(ORDER, a, b, v);
    brink_jet_pow_const(ORDER, a, extremes[4 - k], v);
  }
}

int main(void) {
  RUN(the_series_of_s_are_the_textbook_ones);
  RUN(constants_variables_and_linear_operations_are_exact);
  RUN(inverse_functions_undo_each_other);
  RUN(the_pythagorean_identities_hold);
  RUN(atan2_turns_with_the_point_all_the_way_round);
  RUN(powers_agree_with_products);
  RUN(a_shift_there_and_back_is_the_identity);
  RUN(out_may_be_any_input);
  RUN(sincos_powers_and_shifts_may_overwrite_their_input);
  RUN(abs_min_and_max_take_the_branch_after_zero);
  RUN(the_root_of_an_even_zero_exists_as_far_as_it_is_determined);
  RUN(roots_without_expansion_are_nan_after_their_value);
  RUN(powers_of_jets_that_start_at_zero_are_shifted_series);
  RUN(outside_the_domain_coefficients_are_nan_and_nothing_crashes);
  RUN(an_order_out_of_range_gives_nan_or_nothing);
  RUN(large_arguments_do_not_overflow_on_the_way);
  return check_done();
}
