/* test_linalg.c: the small LU, by residuals, known inverses and failures. */
#include "check.h"
#include "num/linalg.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

enum { MAX = 24 };

static uint64_t random_state = 7;

static double uniform(void) { /* splitmix64, in [-1, 1) */
  uint64_t z = (random_state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-52 - 1.0;
}

TEST(random_systems_are_solved_with_a_residual_of_rounding) {
  double a[MAX * MAX], lu[MAX * MAX], b[MAX], x[MAX];
  size_t pivots[MAX];
  for (int trial = 0; trial < 2000; trial++) {
    size_t n = 1 + (size_t)trial % MAX;
    double size = 0.0;
    for (size_t i = 0; i < n * n; i++) lu[i] = a[i] = uniform();
    for (size_t i = 0; i < n; i++) x[i] = b[i] = uniform();
    CHECK_INT(brink_lu_factor(n, lu, pivots), 0);
    brink_lu_solve(n, lu, pivots, x);
    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    for (size_t i = 0; i < n; i++) {
      double sum = -b[i];
      for (size_t k = 0; k < n; k++) sum += a[i * n + k] * x[k];
      CHECK_NEAR(sum, 0.0, 8.0 * (double)(n * n) * DBL_EPSILON * (size + 1.0));
    }
  }
}

TEST(a_zero_on_the_diagonal_is_pivoted_away) {
  double a[9] = {0.0, 2.0, 0.0, 0.0, 0.0, 4.0, 8.0, 0.0, 0.0};
  double b[3] = {2.0, 12.0, 8.0};
  size_t pivots[3];
  CHECK_INT(brink_lu_factor(3, a, pivots), 0);
  brink_lu_solve(3, a, pivots, b);
  CHECK(b[0] == 1.0 && b[1] == 1.0 && b[2] == 3.0);
}

TEST(the_hilbert_matrix_gives_a_small_residual_though_ill_conditioned) {
  enum { N = 10 };
  double a[N * N], lu[N * N], b[N];
  size_t pivots[N];
  for (size_t i = 0; i < N; i++)
    for (size_t k = 0; k < N; k++) lu[i * N + k] = a[i * N + k] = 1.0 / (double)(i + k + 1);
  for (size_t i = 0; i < N; i++) b[i] = a[i * N];
  CHECK_INT(brink_lu_factor(N, lu, pivots), 0);
  brink_lu_solve(N, lu, pivots, b);
  for (size_t i = 0; i < N; i++) { /* the solution is the first unit vector */
    double sum = -a[i * N];
    for (size_t k = 0; k < N; k++) sum += a[i * N + k] * b[k];
    CHECK_NEAR(sum, 0.0, 1e-14);
  }
}

TEST(singular_matrices_are_reported_with_their_column) {
  double zero_column[4] = {1.0, 0.0, 2.0, 0.0};
  double equal_rows[9] = {1.0, 2.0, 4.0, 1.0, 2.0, 4.0, 1.0, 0.0, 1.0};
  double nothing[1] = {0.0};
  size_t pivots[3];
  CHECK_INT(brink_lu_factor(2, zero_column, pivots), 2);
  CHECK_INT(brink_lu_factor(3, equal_rows, pivots), 3);
  CHECK_INT(brink_lu_factor(1, nothing, pivots), 1);
}

TEST(nan_and_infinity_are_reported_as_no_pivot) {
  double with_nan[4] = {(double)NAN, 1.0, 1.0, 2.0};
  double with_infinity[4] = {1.0, 1.0, HUGE_VAL, 2.0};
  size_t pivots[2];
  CHECK_INT(brink_lu_factor(2, with_nan, pivots), 1);
  CHECK_INT(brink_lu_factor(2, with_infinity, pivots), 1);
}

TEST(subnormal_pivots_do_not_overflow) {
  double a[4] = {0x1p-1070, 0x1p-1070, 0x1p-1071, 0x1p-1070};
  double b[2] = {0x1p-1069, 0x1.8p-1070};
  size_t pivots[2];
  CHECK_INT(brink_lu_factor(2, a, pivots), 0);
  brink_lu_solve(2, a, pivots, b);
  CHECK(b[0] == 1.0 && b[1] == 1.0);
}

TEST(the_empty_system_is_solved) {
  double nothing[1] = {0.0};
  size_t pivots[1] = {0};
  CHECK_INT(brink_lu_factor(0, nothing, pivots), 0);
  brink_lu_solve(0, nothing, pivots, nothing);
}

static bool counts_down(void *left) {
  return --*(int *)left == 0;
}

/* Questions are asked every few columns of a large matrix, not before a small one. */
TEST(a_factorisation_ends_when_nobody_waits_for_it) {
  enum { N = 300 };
  static double a[N * N], first[N * N], second[N * N];
  static size_t pivots[N], others[N];
  int questions = 2, never = 0, few = 1;
  brink_patience ends = {.is_over = counts_down, .who = &questions};
  brink_patience lasts = {.is_over = counts_down, .who = &never};
  for (size_t i = 0; i < (size_t)N * N; i++) a[i] = first[i] = second[i] = uniform();
  CHECK_INT(brink_lu_factor_within(N, a, pivots, &ends), -1);
  CHECK_INT(questions, 0);
  CHECK_INT(brink_lu_factor_within(N, first, pivots, &lasts), 0);
  CHECK(never < -1); /* it was asked, and went on */
  CHECK_INT(brink_lu_factor(N, second, others), 0);
  CHECK(memcmp(first, second, sizeof first) == 0 && memcmp(pivots, others, sizeof pivots) == 0);
  CHECK_INT(brink_lu_factor_within(2, second, others, &(brink_patience){counts_down, &few, 0}), 0);
}

int main(void) {
  RUN(random_systems_are_solved_with_a_residual_of_rounding);
  RUN(a_zero_on_the_diagonal_is_pivoted_away);
  RUN(the_hilbert_matrix_gives_a_small_residual_though_ill_conditioned);
  RUN(singular_matrices_are_reported_with_their_column);
  RUN(nan_and_infinity_are_reported_as_no_pivot);
  RUN(subnormal_pivots_do_not_overflow);
  RUN(the_empty_system_is_solved);
  RUN(a_factorisation_ends_when_nobody_waits_for_it);
  return check_done();
}
