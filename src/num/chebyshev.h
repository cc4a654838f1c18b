/* chebyshev.h: short polynomials through values at Chebyshev points, for histories of signals.
 *
 * A polynomial p of degree BRINK_CHEBYSHEV on [-1, 1] is kept as p(s) = sum_k c_k T_k(s). It takes given values at the
 * points s_j = cos(pi j/BRINK_CHEBYSHEV), which contain both ends: neighbours that share an end agree there. For a smooth
 * function the last coefficients say how well it fits (Trefethen 2013, Approximation Theory and Approximation Practice,
 * ch. 3 and 4). */
#ifndef BRINK_NUM_CHEBYSHEV_H
#define BRINK_NUM_CHEBYSHEV_H

#include "base/base.h"

#define BRINK_CHEBYSHEV 12
#define BRINK_CHEBYSHEV_LENGTH (BRINK_CHEBYSHEV + 1)

/* Point j, from 1 (j = 0) down to -1. */
double brink_chebyshev_point(int j);

/* The coefficients of the polynomial with these values at the points. */
void brink_chebyshev_fit(const double *values, double *c);

double brink_chebyshev_eval(const double *c, double s);

/* The size of the terms that were needed last: by about so much a smooth function is off. */
double brink_chebyshev_tail(const double *c);

/* The same polynomial as coefficients of 1, s, s^2, … */
void brink_chebyshev_powers(const double *c, double *powers);

#endif
