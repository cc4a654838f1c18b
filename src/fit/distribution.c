/* distribution.c: Student's t and chi square, by their incomplete beta and gamma functions.
 *
 * Series and continued fractions are those of Abramowitz & Stegun (1964), 6.5.29, 6.5.31 and 26.5.8, the fractions evaluated
 * by Lentz's method as modified by Thompson & Barnett (1986). Quantiles are found by bisection: speed is of no
 * interest here. */
#include <float.h>
#include <math.h>

#include "fit/fit_parts.h"

enum { MOST_TERMS = 10000 };
#define TINY 1e-300

/* The continued fraction of the incomplete beta function. */
static double beta_fraction(double a, double b, double x) {
  double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
  if (fabs(d) < TINY) d = TINY;
  d = 1.0 / d;
  double h = d;
  for (int k = 1; k < MOST_TERMS; k++) {
    double m = (double)k, change = 1.0;
    const double terms[] = {m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
                            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))};
    for (int j = 0; j < 2; j++) {
      d = 1.0 + terms[j] * d;
      c = 1.0 + terms[j] / c;
      if (fabs(d) < TINY) d = TINY;
      if (fabs(c) < TINY) c = TINY;
      d = 1.0 / d;
      change = d * c;
      h *= change;
    }
    if (fabs(change - 1.0) < DBL_EPSILON) break;
  }
  return h;
}

/* I_x(a, b). */
static double beta_share(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  return x < (a + 1.0) / (a + b + 2.0) ? front * beta_fraction(a, b, x) / a
                                       : 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

/* Probability of a value below t. */
static double student_below(double t, double freedom) {
  if (isinf(freedom)) return 0.5 * erfc(-t / sqrt(2.0));
  double tail = 0.5 * beta_share(0.5 * freedom, 0.5, freedom / (freedom + t * t));
  return t >= 0.0 ? 1.0 - tail : tail;
}

double brink_student_quantile(double p, double freedom) {
  double lo = -1.0, hi = 1.0;
  while (student_below(lo, freedom) > p && lo > -1e12) lo *= 2.0;
  while (student_below(hi, freedom) < p && hi < 1e12) hi *= 2.0;
  for (int k = 0; k < 200 && hi - lo > 1e-14 * (fabs(lo) + fabs(hi)); k++) {
    double middle = 0.5 * (lo + hi);
    *(student_below(middle, freedom) < p ? &lo : &hi) = middle;
  }
  return 0.5 * (lo + hi);
}

/* The series of the lower incomplete gamma function, over gamma(a). */
static double gamma_below(double a, double x) {
  double term = 1.0 / a, sum = term;
  for (int k = 1; k < MOST_TERMS && term > sum * DBL_EPSILON; k++) {
    term *= x / (a + (double)k);
    sum += term;
  }
  return sum * exp(-x + a * log(x) - lgamma(a));
}

/* The continued fraction of the upper one. */
static double gamma_above(double a, double x) {
  double b = x + 1.0 - a, c = 1.0 / TINY, d = 1.0 / b, h = d;
  for (int k = 1; k < MOST_TERMS; k++) {
    double term = -(double)k * ((double)k - a);
    b += 2.0;
    d = term * d + b;
    c = b + term / c;
    if (fabs(d) < TINY) d = TINY;
    if (fabs(c) < TINY) c = TINY;
    d = 1.0 / d;
    h *= d * c;
    if (fabs(d * c - 1.0) < DBL_EPSILON) break;
  }
  return h * exp(-x + a * log(x) - lgamma(a));
}

double brink_chi_square_above(double x, double freedom) {
  double a = 0.5 * freedom, half = 0.5 * x;
  if (!(half > 0.0)) return 1.0;
  return half < a + 1.0 ? 1.0 - gamma_below(a, half) : gamma_above(a, half);
}
