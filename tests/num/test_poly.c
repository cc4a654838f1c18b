/* test_poly.c: polynomials and their roots, by known roots, corner cases and properties. The same
 * promises on many more polynomials, against arbitrary precision, are in oracle_poly.c. */
#include "check.h"
#include "num/poly.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>

enum { MAX_N = BRINK_POLY_MAX_DEGREE };

static uint64_t random_state = 1;

static double uniform(double lo, double hi) { /* splitmix64 */
  uint64_t z = (random_state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return lo + (hi - lo) * ((double)(z >> 11) * 0x1p-53);
}

/* The polynomial with these n roots and leading coefficient 1. */
static void from_roots(const double *roots, int n, double *c) {
  c[0] = 1.0;
  for (int k = 0; k < n; k++) {
    c[k + 1] = c[k];
    for (int j = k; j > 0; j--) c[j] = c[j - 1] - roots[k] * c[j];
    c[0] *= -roots[k];
  }
}

static void check_roots(const double *c, int n, double a, double b, const brink_root *expected,
                        int count, double tolerance) {
  brink_root roots[2 * MAX_N];
  int found = brink_poly_roots(c, n, a, b, roots, 2 * MAX_N);
  CHECK_INT(found, count);
  for (int k = 0; k < found && k < count; k++) {
    CHECK_NEAR(roots[k].s, expected[k].s, tolerance);
    CHECK_INT(roots[k].kind, expected[k].kind);
  }
}

#define ROOTS(...) ((const brink_root[]){__VA_ARGS__})
#define UP(at)                                                                                     \
  { at, BRINK_ROOT_RISING }
#define DOWN(at)                                                                                   \
  { at, BRINK_ROOT_FALLING }
#define TOUCH(at)                                                                                  \
  { at, BRINK_ROOT_TOUCH }

/* ---- evaluation ---------------------------------------------------------------------------- */

TEST(horner_and_the_derivative_agree_with_small_integers) {
  double c[4] = {1.0, -2.0, 0.0, 3.0}, d[3];
  CHECK(brink_poly_eval(c, 3, 2.0) == 21.0);
  brink_poly_derivative(c, 3, d);
  CHECK(d[0] == -2.0 && d[1] == 0.0 && d[2] == 9.0);
  brink_poly_derivative(c, 3, c);
  CHECK(c[0] == -2.0 && c[1] == 0.0 && c[2] == 9.0);
}

/* (s - 1)^n expanded, evaluated where cancellation is total: the value in closed form. */
TEST(the_error_bound_holds_where_everything_cancels) {
  double c[11], ones[10];
  for (int k = 0; k < 10; k++) ones[k] = 1.0;
  from_roots(ones, 10, c);
  for (int k = 0; k < 1000; k++) {
    double s = 0.5 + k / 1000.0, bound;
    double y = brink_poly_eval_bound(c, 10, s, &bound);
    CHECK(y == brink_poly_eval(c, 10, s));
    CHECK_NEAR(y, pow(s - 1.0, 10.0), bound + 1e-15 * fabs(y));
    CHECK(bound < 1e-11);
  }
}

TEST(the_range_encloses_and_is_exact_at_monotone_ends) {
  double lo, hi;
  double line[2] = {1.0, 2.0};
  brink_poly_range(line, 1, &lo, &hi);
  CHECK(lo == 1.0 && hi >= 3.0 && hi < 3.0 + 1e-14);
  for (int trial = 0; trial < 2000; trial++) {
    double c[MAX_N + 1];
    int n = trial % (MAX_N + 1);
    for (int j = 0; j <= n; j++) c[j] = uniform(-1.0, 1.0);
    brink_poly_range(c, n, &lo, &hi);
    for (int k = 0; k <= 20; k++) {
      double y = brink_poly_eval(c, n, k / 20.0);
      CHECK(y >= lo - 1e-14 && y <= hi + 1e-14);
    }
  }
  double bad[2] = {1.0, (double)NAN};
  brink_poly_range(bad, 1, &lo, &hi);
  CHECK(lo == -HUGE_VAL && hi == HUGE_VAL);
}

TEST(exclusion_is_never_wrong_and_usually_enough) {
  int excluded = 0;
  for (int trial = 0; trial < 20000; trial++) {
    double c[MAX_N + 1];
    int n = 1 + trial % 13;
    for (int j = 1; j <= n; j++) c[j] = ldexp(uniform(-1.0, 1.0), -j);
    c[0] = uniform(-1.0, 1.0);
    if (!brink_poly_excludes_zero(c, n)) continue;
    excluded++;
    for (int k = 0; k <= 64; k++) {
      double y = brink_poly_eval(c, n, k / 64.0);
      CHECK(y != 0.0 && (y > 0.0) == (c[0] > 0.0));
    }
  }
  CHECK(excluded > 10000);
  CHECK(brink_poly_excludes_zero((const double[]){1.0, 5.0, 7.0}, 2)); /* by signs, not by size */
  CHECK(!brink_poly_excludes_zero((const double[]){1.0, -1.0}, 1));
  CHECK(!brink_poly_excludes_zero((const double[]){0.0}, 0));
  CHECK(brink_poly_excludes_zero((const double[]){-1.0}, 0));
  CHECK(!brink_poly_excludes_zero((const double[]){1.0, (double)NAN}, 1));
  CHECK(!brink_poly_excludes_zero((const double[]){1.0, HUGE_VAL}, 1));
  CHECK(!brink_poly_excludes_zero((const double[]){HUGE_VAL, 1.0}, 1));
}

/* ---- roots --------------------------------------------------------------------------------- */

/* Compared with values in a grid; and it sees what an exclusion by signs does not: 1 - s + 0.3 s^2 is above 0.29. */
TEST(what_stays_above_a_limit_does_so_everywhere) {
  int above = 0;
  for (int trial = 0; trial < 100000; trial++) {
    double c[MAX_N + 1], limit = uniform(-1.0, 1.0);
    int n = trial % 31, sign = trial % 2 == 0 ? 1 : -1;
    c[0] = uniform(-3.0, 3.0);
    for (int j = 1; j <= n; j++) c[j] = uniform(-2.0, 2.0) / (j * j);
    if (!brink_poly_stays_above(c, n, sign, limit)) continue;
    above++;
    for (int k = 0; k <= 64; k++) CHECK(sign * brink_poly_eval(c, n, k / 64.0) > limit);
  }
  CHECK_MSG(above > 10000, "%d", above);
  CHECK(brink_poly_stays_above((const double[]){1.0, -1.0, 0.3}, 2, 1, 0.29));
  CHECK(!brink_poly_stays_above((const double[]){1.0, -1.0, 0.3}, 2, 1, 0.31));
  CHECK(brink_poly_stays_above((const double[]){-1.0, 1.0, -0.3}, 2, -1, 0.29));
  CHECK(!brink_poly_stays_above((const double[]){1.0, 1.0}, 1, 1, 1.0));
  CHECK(brink_poly_stays_above((const double[]){1.0}, 0, 1, 0.5));
  CHECK(!brink_poly_stays_above((const double[]){1.0, (double)NAN}, 1, 1, 0.0));
  CHECK(!brink_poly_stays_above((const double[]){1.0, 0.0, 0.0, 0.0, 0.0, HUGE_VAL}, 5, 1, 0.0));
}

TEST(simple_roots_are_found_in_order_with_their_direction) {
  double c[4];
  from_roots((const double[]){0.7, 0.2, 0.4}, 3, c);
  check_roots(c, 3, 0.0, 1.0, ROOTS(UP(0.2), DOWN(0.4), UP(0.7)), 3, 1e-15);
  check_roots(c, 3, 0.3, 0.5, ROOTS(DOWN(0.4)), 1, 1e-15);
  check_roots(c, 3, -1.0, 0.3, ROOTS(UP(0.2)), 1, 1e-15);
  check_roots(c, 3, 0.8, 2.0, NULL, 0, 0.0);
}

TEST(the_first_root_is_the_first_of_all) {
  for (int trial = 0; trial < 5000; trial++) {
    double c[MAX_N + 1];
    int n = 1 + trial % 12;
    for (int j = 0; j <= n; j++) c[j] = uniform(-1.0, 1.0);
    brink_root all[MAX_N + 1], first = {-1.0, BRINK_ROOT_TOUCH};
    int count = brink_poly_roots(c, n, 0.0, 1.0, all, MAX_N + 1);
    CHECK_INT(brink_poly_first_root(c, n, 0.0, 1.0, &first), count > 0);
    if (count > 0)
      CHECK(first.s == all[0].s && first.kind == all[0].kind);
    else
      CHECK(first.s == -1.0);
  }
}

TEST(a_full_list_stops_the_search) {
  double c[5];
  brink_root roots[2];
  from_roots((const double[]){0.2, 0.4, 0.6, 0.8}, 4, c);
  CHECK_INT(brink_poly_roots(c, 4, 0.0, 1.0, roots, 2), 2);
  CHECK_NEAR(roots[1].s, 0.4, 1e-13);
  CHECK_INT(brink_poly_roots(c, 4, 0.0, 1.0, NULL, 0), 0);
}

TEST(a_double_root_is_one_touch) {
  double c[4];
  for (int k = 1; k < 64; k++) {
    double r = k / 64.0;
    from_roots((const double[]){r, r, -1.0}, 3, c);
    check_roots(c, 3, 0.0, 1.0, ROOTS(TOUCH(r)), 1, 1e-9);
    for (int j = 0; j <= 3; j++) c[j] = -c[j];
    check_roots(c, 3, 0.0, 1.0, ROOTS(TOUCH(r)), 1, 1e-9);
  }
}

TEST(a_triple_root_is_one_crossing) {
  double c[4];
  for (int k = 1; k < 64; k++) {
    double r = k / 64.0;
    from_roots((const double[]){r, r, r}, 3, c);
    check_roots(c, 3, 0.0, 1.0, ROOTS(UP(r)), 1, 1e-4);
  }
}

TEST(a_pair_a_millionth_apart_is_two_crossings) {
  double c[3];
  for (int k = 0; k < 200; k++) {
    double r = uniform(0.1, 0.9);
    from_roots((const double[]){r, r + 1e-6}, 2, c);
    check_roots(c, 2, 0.0, 1.0, ROOTS(DOWN(r), UP(r + 1e-6)), 2, 1e-9);
  }
}

TEST(a_near_miss_is_a_touch_within_rounding_and_nothing_beyond) {
  double c[3] = {0.25, -1.0, 1.0}; /* (s - 1/2)^2 */
  check_roots(c, 2, 0.0, 1.0, ROOTS(TOUCH(0.5)), 1, 1e-12);
  c[0] = 0.25 + DBL_EPSILON / 4;
  check_roots(c, 2, 0.0, 1.0, ROOTS(TOUCH(0.5)), 1, 1e-7);
  c[0] = 0.25 + 1e-13;
  check_roots(c, 2, 0.0, 1.0, NULL, 0, 0.0);
  c[0] = 0.25 - 1e-13;
  check_roots(c, 2, 0.0, 1.0, ROOTS(DOWN(0.5 - sqrt(1e-13)), UP(0.5 + sqrt(1e-13))), 2, 1e-9);
}

TEST(the_split_points_are_no_special_places) {
  for (int k = 1; k < 1024; k++) {
    double c[3], r = k / 1024.0;
    from_roots((const double[]){r, 1.5}, 2, c);
    check_roots(c, 2, 0.0, 1.0, ROOTS(DOWN(r)), 1, 1e-15);
    from_roots((const double[]){r, -0.5}, 2, c);
    check_roots(c, 2, 0.0, 1.0, ROOTS(UP(r)), 1, 1e-15);
  }
}

/* ---- the ends ------------------------------------------------------------------------------ */

TEST(a_root_at_b_is_reported_with_the_direction_beyond) {
  check_roots((const double[]){-1.0, 1.0}, 1, 0.0, 1.0, ROOTS(UP(1.0)), 1, 0.0);
  check_roots((const double[]){1.0, 0.0, -1.0}, 2, 0.0, 1.0, ROOTS(DOWN(1.0)), 1, 0.0);
  check_roots((const double[]){1.0, -2.0, 1.0}, 2, 0.0, 1.0, ROOTS(TOUCH(1.0)), 1, 1e-7);
  check_roots((const double[]){-0.3, 1.0}, 1, 0.0, 0.3, ROOTS(UP(0.3)), 1, 0.0);
  check_roots((const double[]){0.0, 1.0}, 1, -1.0, 0.0, ROOTS(UP(0.0)), 1, 0.0);
}

TEST(a_root_at_a_is_not_reported) {
  check_roots((const double[]){0.0, 1.0}, 1, 0.0, 1.0, NULL, 0, 0.0);
  check_roots((const double[]){0.0, 0.0, 1.0}, 2, 0.0, 1.0, NULL, 0, 0.0);
  check_roots((const double[]){-0.25, 1.0}, 1, 0.25, 1.0, NULL, 0, 0.0);
  check_roots((const double[]){1e-18, -1.0}, 1, 0.0, 1.0, NULL, 0, 0.0);
  check_roots((const double[]){1e-18, -1.0, 2.0}, 2, 0.0, 1.0, ROOTS(UP(0.5)), 1, 1e-15);
}

TEST(roots_however_close_to_an_exact_zero_at_the_start_are_found) {
  for (int e = -1; e > -15; e--) {
    double r = pow(10.0, e);
    /* s (s - r) and s^2 (s - r) */
    check_roots((const double[]){0.0, -r, 1.0}, 2, 0.0, 1.0, ROOTS(UP(r)), 1, 1e-16 * r);
    check_roots((const double[]){0.0, 0.0, r, -1.0}, 3, 0.0, 1.0, ROOTS(DOWN(r)), 1, 1e-16 * r);
  }
}

TEST(continuing_from_a_reported_root_finds_the_next_one) {
  double c[6], at[5] = {0.11, 0.3, 0.52, 0.71, 0.93};
  from_roots(at, 5, c);
  double from = 0.0;
  brink_root root;
  for (int k = 0; k < 5; k++) {
    CHECK(brink_poly_first_root(c, 5, from, 1.0, &root));
    CHECK_NEAR(root.s, at[k], 1e-13);
    CHECK_INT(root.kind, k % 2 == 0 ? BRINK_ROOT_RISING : BRINK_ROOT_FALLING);
    from = root.s;
  }
  CHECK(!brink_poly_first_root(c, 5, from, 1.0, &root));
}

/* ---- unusual input ------------------------------------------------------------------------- */

TEST(zero_and_constant_polynomials_have_no_roots) {
  double zeros[MAX_N + 1] = {0.0};
  for (int n = 0; n <= MAX_N; n++) {
    check_roots(zeros, n, 0.0, 1.0, NULL, 0, 0.0);
    check_roots(zeros, n, 0.25, 1.0, NULL, 0, 0.0);
  }
  check_roots((const double[]){3.0, 0.0, 0.0}, 2, 0.5, 1.0, NULL, 0, 0.0);
}

TEST(input_without_meaning_is_refused) {
  double c[3] = {-0.5, 1.0, 0.0}, large[MAX_N + 2] = {1.0};
  brink_root roots[3];
  for (int j = 0; j < 3; j++) {
    double good = c[j];
    c[j] = (double)NAN;
    CHECK_INT(brink_poly_roots(c, 2, 0.0, 1.0, roots, 3), -1);
    CHECK_INT(brink_poly_roots(c, 2, 0.1, 1.0, roots, 3), -1);
    CHECK(!brink_poly_first_root(c, 2, 0.0, 1.0, roots));
    c[j] = -HUGE_VAL;
    CHECK_INT(brink_poly_roots(c, 2, 0.0, 1.0, roots, 3), -1);
    c[j] = good;
  }
  CHECK_INT(brink_poly_roots(c, 2, 1.0, 1.0, roots, 3), -1);
  CHECK_INT(brink_poly_roots(c, 2, 1.0, 0.0, roots, 3), -1);
  CHECK_INT(brink_poly_roots(c, 2, (double)NAN, 1.0, roots, 3), -1);
  CHECK_INT(brink_poly_roots(c, 2, 0.0, HUGE_VAL, roots, 3), -1);
  CHECK_INT(brink_poly_roots(c, -1, 0.0, 1.0, roots, 3), -1);
  CHECK_INT(brink_poly_roots(large, MAX_N + 1, 0.0, 1.0, roots, 3), -1);
  CHECK_INT(brink_poly_roots(c, 2, 0.0, 1.0, roots, 3), 1);
}

TEST(scaling_by_powers_of_two_changes_nothing) {
  for (int trial = 0; trial < 2000; trial++) {
    double c[MAX_N + 1], scaled[MAX_N + 1];
    brink_root roots[MAX_N + 1], again[MAX_N + 1];
    int n = 1 + trial % 10;
    for (int j = 0; j <= n; j++) c[j] = uniform(-1.0, 1.0);
    int e = trial % 2 ? 1020 : -950;
    for (int j = 0; j <= n; j++) scaled[j] = ldexp(c[j], e);
    int count = brink_poly_roots(c, n, 0.0, 1.0, roots, MAX_N + 1);
    CHECK_INT(brink_poly_roots(scaled, n, 0.0, 1.0, again, MAX_N + 1), count);
    for (int k = 0; k < count; k++)
      CHECK(roots[k].s == again[k].s && roots[k].kind == again[k].kind);
  }
}

TEST(extreme_numbers_neither_hang_nor_overflow) {
  double huge[3] = {-DBL_MAX, DBL_MAX, DBL_MAX}, tiny[2] = {-DBL_TRUE_MIN, 2 * DBL_TRUE_MIN};
  double mixed[4] = {-1e-300, 1e300, -1e-300, 1e308}, steep[2] = {-1.0, 1e308};
  brink_root roots[8];
  check_roots(huge, 2, 0.0, 1.0, ROOTS(UP(0.5 * (sqrt(5.0) - 1.0))), 1, 1e-15);
  check_roots(tiny, 1, 0.0, 1.0, ROOTS(UP(0.5)), 1, 0.0);
  CHECK(brink_poly_roots(mixed, 3, 0.0, 1.0, roots, 8) >= 0);
  CHECK(brink_poly_roots(mixed, 3, -1e308, 1e308, roots, 8) >= 0);
  CHECK(brink_poly_roots(mixed, 3, 0.0, 1e-320, roots, 8) >= 0);
  check_roots(steep, 1, 0.0, 1e-300, ROOTS(UP(1e-308)), 1, 1e-322);
}

TEST(leading_coefficients_that_vanish_do_no_harm) {
  double c[MAX_N + 1] = {0.1, -0.5, 0.3};
  for (int n = 2; n <= MAX_N; n++) {
    if (n > 2) c[n] = ldexp(n % 2 ? 1.0 : -1.0, -60 - 30 * n);
    check_roots(c, n, 0.0, 1.0, ROOTS(DOWN((0.5 - sqrt(0.13)) / 0.6)), 1, 1e-15);
  }
}

/* Bounded work on the nastiest polynomials: coefficients from a few exact values, products of high
 * powers, noise on top of them. */
TEST(the_work_is_bounded) {
  int most = 0;
  for (int trial = 0; trial < 20000; trial++) {
    double c[MAX_N + 1], at[MAX_N];
    brink_root roots[2 * MAX_N];
    brink_poly_work work;
    int n = 1 + trial % MAX_N;
    for (int k = 0; k < n; k++) at[k] = floor(uniform(0.0, 5.0)) / 4.0;
    from_roots(at, n, c);
    if (trial % 3 == 0)
      for (int j = 0; j <= n; j++) c[j] *= 1.0 + uniform(-1e-15, 1e-15);
    int found = brink_poly_roots_work(c, n, 0.0, 1.0, roots, 2 * MAX_N, &work);
    CHECK(found >= 0 && found <= n);
    if (work.pieces > most) most = work.pieces;
  }
  CHECK_MSG(most < 1000, "%d pieces", most);
}

int main(void) {
  RUN(horner_and_the_derivative_agree_with_small_integers);
  RUN(the_error_bound_holds_where_everything_cancels);
  RUN(the_range_encloses_and_is_exact_at_monotone_ends);
  RUN(exclusion_is_never_wrong_and_usually_enough);
  RUN(what_stays_above_a_limit_does_so_everywhere);
  RUN(simple_roots_are_found_in_order_with_their_direction);
  RUN(the_first_root_is_the_first_of_all);
  RUN(a_full_list_stops_the_search);
  RUN(a_double_root_is_one_touch);
  RUN(a_triple_root_is_one_crossing);
  RUN(a_pair_a_millionth_apart_is_two_crossings);
  RUN(a_near_miss_is_a_touch_within_rounding_and_nothing_beyond);
  RUN(the_split_points_are_no_special_places);
  RUN(a_root_at_b_is_reported_with_the_direction_beyond);
  RUN(a_root_at_a_is_not_reported);
  RUN(roots_however_close_to_an_exact_zero_at_the_start_are_found);
  RUN(continuing_from_a_reported_root_finds_the_next_one);
  RUN(zero_and_constant_polynomials_have_no_roots);
  RUN(input_without_meaning_is_refused);
  RUN(scaling_by_powers_of_two_changes_nothing);
  RUN(extreme_numbers_neither_hang_nor_overflow);
  RUN(leading_coefficients_that_vanish_do_no_harm);
  RUN(the_work_is_bounded);
  return check_done();
}
