/* order.c: the order of a Taylor method.
 *
 * Problem: a step of order p reaches h = R tol^(1/p) for a series with radius of convergence R, and
 * costs more, the higher p is. Which order goes farthest for its cost?
 *
 * Method: Jorba & Zou 2005, section 3.2, minimise p^2 tol^(-1/p), and find p = 1 - ln(tol)/2. There
 * the series alone costs something. Here a step costs FIXED + LINEAR p + PRODUCT work p^2/2, in
 * nanoseconds: what the loop and the guards take whatever the order is, sums and the polynomial
 * itself, products. For small models the first is the largest, and higher orders pay. */
#include "num/order.h"

#include <float.h>
#include <math.h>

#define FIXED 250.0
#define LINEAR 5.0
#define PRODUCT 0.4
#define UNKNOWN_WORK 16.0
#define LEAST 8 /* at loose tolerances, too: the last two terms have to be small */
#define MOST                                                                                       \
  24 /* a quadratic guard along the path then has degree 48, the most that num/poly.h takes */

int brink_series_order(double tolerance, int degree, double work) {
  double least = INFINITY, tol = fmax(tolerance, DBL_EPSILON);
  int best = LEAST;
  for (int p = LEAST; p <= MOST; p++) {
    double products = PRODUCT * (work > 0.0 ? work : UNKNOWN_WORK) * p * p / 2.0;
    double cost = (FIXED + LINEAR * p + products) * pow(tol, -1.0 / p);
    if (cost >= least) continue;
    least = cost;
    best = p;
  }
  if (degree > 0 && degree < best) return degree < 2 ? 2 : degree;
  return best;
}

bool brink_series_worth(double work, size_t guards) {
  return work <= BRINK_SERIES_WORTH + BRINK_SERIES_WORTH_GUARD * (double)guards;
}
