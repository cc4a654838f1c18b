/* linalg.c: LU with partial pivoting, for Newton systems of a few to a few dozen unknowns.
 *
 * Method: the outer product form of Gaussian elimination, Golub & Van Loan, Matrix Computations
 * (4th ed.), Algorithm 3.4.1; L and U share the storage of a. The inner loops run along rows, which
 * are contiguous here.
 *
 * How it can fail: an exactly singular matrix is reported. A nearly singular one is not; the
 * computed x then solves (a + E) x = b with |E| of the order n^2 times rounding times |a| (Higham,
 * Accuracy and Stability of Numerical Algorithms, Theorem 9.5), which is all a Newton iteration
 * with its own residual test needs. The growth factor 2^(n-1) of partial pivoting is attained only
 * by constructed matrices. */
#include "num/linalg.h"

#include <math.h>

/* The row at or below k with the largest entry in column k; n if there is no usable one. */
static size_t find_pivot(size_t n, const double *a, size_t k) {
  size_t best = n;
  double largest = 0.0;
  for (size_t i = k; i < n; i++) {
    double size = fabs(a[i * n + k]);
    if (!isfinite(size)) return n;
    if (size > largest) {
      largest = size;
      best = i;
    }
  }
  return best;
}

static void swap_rows(size_t n, double *a, size_t i, size_t k) {
  for (size_t j = 0; j < n; j++) {
    double t = a[i * n + j];
    a[i * n + j] = a[k * n + j];
    a[k * n + j] = t;
  }
}

int brink_lu_factor(size_t n, double *a, size_t *pivots) {
  return brink_lu_factor_within(n, a, pivots, NULL);
}

int brink_lu_factor_within(size_t n, double *a, size_t *pivots, brink_patience *patience) {
  for (size_t k = 0; k < n; k++) {
    if (brink_patience_ends(patience, (n - k) * (n - k))) return -1;
    size_t p = find_pivot(n, a, k);
    if (p == n) return (int)(k + 1);
    pivots[k] = p;
    if (p != k) swap_rows(n, a, p, k);
    const double *top = a + k * n;
    for (size_t i = k + 1; i < n; i++) {
      double *row = a + i * n;
      if (row[k] == 0.0) continue;
      /* Dividing, not multiplying by 1/pivot: the reciprocal of a subnormal pivot overflows. */
      double m = row[k] / top[k];
      row[k] = m;
      for (size_t j = k + 1; j < n; j++) row[j] -= m * top[j];
    }
  }
  return 0;
}

void brink_lu_solve(size_t n, const double *lu, const size_t *pivots, double *b) {
  for (size_t k = 0; k < n; k++) {
    double t = b[pivots[k]];
    b[pivots[k]] = b[k];
    b[k] = t;
  }
  for (size_t i = 1; i < n; i++) {
    double sum = b[i];
    for (size_t j = 0; j < i; j++) sum -= lu[i * n + j] * b[j];
    b[i] = sum;
  }
  for (size_t i = n; i-- > 0;) {
    double sum = b[i];
    for (size_t j = i + 1; j < n; j++) sum -= lu[i * n + j] * b[j];
    b[i] = sum / lu[i * n + i];
  }
}
