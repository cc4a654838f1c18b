/* brink/jet.h: truncated power series ("jets").
 *
 * A jet of order p is an array of p + 1 doubles, the coefficients of s^0 ... s^p of a function of a
 * local variable s (Taylor coefficients: derivatives divided by factorials). Each function below
 * computes the jet of its result from the jets of its arguments, correct to the same order; terms
 * beyond s^p are neither known nor used. Guards and right-hand sides supplied in C can be written
 * with these, so that their expansions in time come without differences.
 *
 * Conventions of all functions:
 *   - order is between 0 and BRINK_JET_MAX_ORDER. For another order the results are all NaN
 * (nothing is written if it is negative).
 *   - out may be any of the inputs. Where there are two outputs they must be different arrays; each
 *     may be an input.
 *   - Nothing is allocated, nothing fails, nothing is kept: any thread may call anything.
 *   - Outside the domain of a function, or where it has no expansion, the coefficients that do not
 *     exist are NaN; the leading one is what <math.h> returns. NaN and infinite inputs lead to NaN
 *     or infinite coefficients.
 *   - A jet whose coefficients are all zero is taken as the zero function.
 *   - One-sided: s is thought to run from 0 to the right. Where a function has a kink exactly at
 *     s = 0 (abs, min, max, and roots of jets that start at zero), the branch for small s > 0 is
 *     taken, which the first coefficient that is not zero decides. */
#ifndef BRINK_JET_H
#define BRINK_JET_H

#include <brink/brink.h> /* BRINK_API */

#ifdef __cplusplus
extern "C" {
#endif

#define BRINK_JET_MAX_ORDER 64

/* The constant, and value + s. */
BRINK_API void brink_jet_constant(int order, double value, double *out);
BRINK_API void brink_jet_variable(int order, double value, double *out);
BRINK_API void brink_jet_copy(int order, const double *a, double *out);

/* a + b, a - b, factor a, a + value. */
BRINK_API void brink_jet_add(int order, const double *a, const double *b, double *out);
BRINK_API void brink_jet_sub(int order, const double *a, const double *b, double *out);
BRINK_API void brink_jet_scale(int order, const double *a, double factor, double *out);
BRINK_API void brink_jet_add_constant(int order, const double *a, double value, double *out);

/* a b and a a; a / b and 1 / a, whose denominators must not start at zero (a[0] / b[0] first, the
 * rest NaN, if they do). */
BRINK_API void brink_jet_mul(int order, const double *a, const double *b, double *out);
BRINK_API void brink_jet_square(int order, const double *a, double *out);
BRINK_API void brink_jet_div(int order, const double *a, const double *b, double *out);
BRINK_API void brink_jet_inverse(int order, const double *a, double *out);

/* The square root for a[0] > 0. If a starts with s^m, m > 0 even, and a positive coefficient there,
 * the root starts with s^(m/2) and its last m/2 coefficients, which a does not determine, are NaN.
 * Other jets that start at zero have a root without expansion: those coefficients are NaN. */
BRINK_API void brink_jet_sqrt(int order, const double *a, double *out);

BRINK_API void brink_jet_exp(int order, const double *a, double *out);
BRINK_API void brink_jet_log(int order, const double *a, double *out);   /* a[0] > 0 */
BRINK_API void brink_jet_log10(int order, const double *a, double *out); /* a[0] > 0 */

BRINK_API void brink_jet_sin(int order, const double *a, double *out);
BRINK_API void brink_jet_cos(int order, const double *a, double *out);
BRINK_API void brink_jet_sincos(int order, const double *a, double *sine, double *cosine);
BRINK_API void brink_jet_tan(int order, const double *a, double *out);
BRINK_API void brink_jet_asin(int order, const double *a,
                              double *out); /* |a[0]| < 1; at 1 only out[0] exists */
BRINK_API void brink_jet_acos(int order, const double *a, double *out); /* the same */
BRINK_API void brink_jet_atan(int order, const double *a, double *out);

/* The angle of the point (x, y), on the branch of atan2(y[0], x[0]): continuous in s, so it leaves
 * (-pi, pi] if the point turns across the negative x axis. At the origin only out[0] exists. */
BRINK_API void brink_jet_atan2(int order, const double *y, const double *x, double *out);

BRINK_API void brink_jet_sinh(int order, const double *a, double *out);
BRINK_API void brink_jet_cosh(int order, const double *a, double *out);
BRINK_API void brink_jet_tanh(int order, const double *a, double *out);

/* a to a constant power. Any a[0] != 0 if the exponent is an integer, a[0] > 0 if not. If a starts
 * with s^m, m > 0, the power starts with s^(m exponent): coefficients before that are zero, those
 * that a does not determine or that do not exist are NaN. The power 0 is 1. */
BRINK_API void brink_jet_pow_const(int order, const double *a, double exponent, double *out);

/* a to the power b, for a[0] > 0, or as above if b is constant. */
BRINK_API void brink_jet_pow(int order, const double *a, const double *b, double *out);

/* |a| with the sign it has for small s > 0. The smaller and larger of a and b for small s > 0:
 * decided by the first coefficients that differ; a if none do. */
BRINK_API void brink_jet_abs(int order, const double *a, double *out);
BRINK_API void brink_jet_min(int order, const double *a, const double *b, double *out);
BRINK_API void brink_jet_max(int order, const double *a, const double *b, double *out);

/* sqrt(a^2 + b^2) without undue overflow. At the origin as brink_jet_sqrt of a^2 + b^2. */
BRINK_API void brink_jet_hypot(int order, const double *a, const double *b, double *out);

/* The polynomial a, expanded about s0 instead of 0: out(s) = a(s0 + s). */
BRINK_API void brink_jet_shift(int order, const double *a, double s0, double *out);

/* The value of the polynomial a at s. NaN if the order is negative. */
BRINK_API double brink_jet_eval(int order, const double *a, double s);

#ifdef __cplusplus
}
#endif

#endif
