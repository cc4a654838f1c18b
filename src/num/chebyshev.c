/* chebyshev.c: see chebyshev.h. */
#include "num/chebyshev.h"

#include <math.h>

enum { N = BRINK_CHEBYSHEV };

#define C1 0.96592582628906828675
#define C2 0.86602540378443864676
#define C3 0.70710678118654752440
#define C5 0.25881904510252076235

/* cos(pi m/12), m from 0 on. */
static double cosine(int m) {
  static const double turn[2 * N] = {1.0,  C1,  C2,  C3,  0.5,  C5,  0.0, -C5, -0.5, -C3, -C2, -C1,
                                     -1.0, -C1, -C2, -C3, -0.5, -C5, 0.0, C5,  0.5,  C3,  C2,  C1};
  _Static_assert(N == 12, "the table is made for this degree");
  return turn[m % (2 * N)];
}

double brink_chebyshev_point(int j) {
  return cosine(j);
}

/* The discrete cosine transform, written out: N is small. */
void brink_chebyshev_fit(const double *values, double *c) {
  for (int k = 0; k <= N; k++) {
    double sum = 0.5 * (values[0] + cosine(k * N) * values[N]);
    for (int j = 1; j < N; j++) sum += cosine(j * k) * values[j];
    c[k] = sum * (k == 0 || k == N ? 1.0 : 2.0) / N;
  }
}

/* Clenshaw's recurrence. */
double brink_chebyshev_eval(const double *c, double s) {
  double b1 = 0.0, b2 = 0.0;
  for (int k = N; k >= 1; k--) {
    double b = c[k] + 2.0 * s * b1 - b2;
    b2 = b1;
    b1 = b;
  }
  return c[0] + s * b1 - b2;
}

double brink_chebyshev_tail(const double *c) {
  return fabs(c[N]) + fabs(c[N - 1]) + fabs(c[N - 2]);
}

/* T_{k+1} = 2 s T_k - T_{k-1}, by coefficients: whole numbers. */
void brink_chebyshev_powers(const double *c, double *powers) {
  double before[N + 1] = {1.0}, present[N + 1] = {0.0, 1.0};
  for (int i = 0; i <= N; i++) powers[i] = 0.0;
  powers[0] = c[0];
  for (int k = 1; k <= N; k++) {
    double next[N + 1];
    for (int i = 0; i <= N; i++) {
      powers[i] += c[k] * present[i];
      next[i] = (i > 0 ? 2.0 * present[i - 1] : 0.0) - before[i];
    }
    for (int i = 0; i <= N; i++) {
      before[i] = present[i];
      present[i] = next[i];
    }
  }
}
