/* series_rules.h: one coefficient of a power series from those that are known.
 *
 * Problem: the Taylor coefficients of a solution come one after another, because coefficient k of x'
 * needs coefficient k of x and gives coefficient k + 1. So every rule here computes coefficient k of
 * its result from coefficients 0 ... k of its operands and 0 ... k - 1 of the result itself.
 *
 * Method: Griewank & Walther, Evaluating Derivatives (2nd ed., 2008), section 13.2; Jorba & Zou 2005,
 * Proposition 2.1. All functions of the language come down to products, quotients, roots and powers,
 * and to one rule for whatever satisfies v' = a' w ("ride"): exp (w = v), sin (w = cos), tan
 * (w = 1 + v^2), ... Inverse functions are integrals of quotients. expr/series.c says which.
 *
 * Sums run from the middle outwards, in two halves: the terms that become known last, with index 0 and
 * k, are added last, so that a processor can add up the others while it waits for them. This order is
 * part of the result's bits.
 *
 * This file is included twice: num/series.h makes functions of the rules, native/emit_series.c the
 * text that generated code starts with. Therefore one source, one order of operations, the same bits.
 * It has no include guard; SERIES_RULE(name, code) is defined by whoever includes it. SERIES_UNROLL
 * stands before loops that generated code may want written out.
 *
 * How it can fail: see num/jet.c. Where a coefficient does not exist, it is NaN. */

/* sum_{j=low}^{high} a[j] b[k-j] */
SERIES_RULE(convolve, SERIES_INLINE double series_convolve(int k, int low, int high,
                                                           const double *a, const double *b) {
  double inner = 0.0;
  double outer = 0.0;
  int middle = (low + high) / 2;
  SERIES_UNROLL
  for (int j = middle; j >= low; j--) inner += a[j] * b[k - j];
  SERIES_UNROLL
  for (int j = middle + 1; j <= high; j++) outer += a[j] * b[k - j];
  return inner + outer;
})

/* sum_{j=low}^{k-low} a[j] a[k-j]: pairs are equal. No index exceeds degree. */
SERIES_RULE(pairs, SERIES_INLINE double series_pairs(int k, int low, int degree, const double *a) {
  double sum = 0.0;
  int first = k - degree > low ? k - degree : low;
  SERIES_UNROLL
  for (int j = (k - 1) / 2; j >= first; j--) sum += a[j] * a[k - j];
  sum += sum;
  if (k % 2 == 0 && k / 2 <= degree && k / 2 >= low) sum += a[k / 2] * a[k / 2];
  return sum;
})

/* a b, where a has no coefficients beyond da, b none beyond db */
SERIES_RULE(mul, SERIES_INLINE double series_mul(int k, int da, int db, const double *a,
                                                 const double *b) {
  return series_convolve(k, k > db ? k - db : 0, k < da ? k : da, a, b);
})

/* v = a / b, k > 0: v b = a. `ak` is coefficient k of a. */
SERIES_RULE(div, SERIES_INLINE double series_div(int k, int db, double ak, const double *b,
                                                 const double *v) {
  return (ak - series_convolve(k, 1, k < db ? k : db, b, v)) / b[0];
})

/* v with v' = a' w, k > 0; t[j] = j a[j] */
SERIES_RULE(ride, SERIES_INLINE double series_ride(int k, int dt, const double *t,
                                                   const double *w) {
  return series_convolve(k, 1, k < dt ? k : dt, t, w) / k;
})

/* v = sqrt(a), k > 0: v v = a. Where a starts at zero, v has no expansion that the known part of a
 * determines, unless that is zero altogether. */
SERIES_RULE(sqrt, SERIES_INLINE double series_sqrt(int k, double ak, const double *v) {
  if (v[0] == 0.0 && ak == 0.0 && series_pairs(k, 1, k, v) == 0.0) return 0.0;
  if (v[0] == 0.0) return __builtin_nan("");
  return (ak - series_pairs(k, 1, k, v)) / (2.0 * v[0]);
})

/* v = a^r for a with a[0] = 0, k > 0: a = s^m w, a^r = s^(m r) w^r. */
SERIES_RULE(power_at_zero, static double series_power_at_zero(int k, double r, const double *a,
                                                              const double *v) {
  int m = 1;
  while (m <= k && a[m] == 0.0) m++;
  if (r == 0.0 || m > k) return r < 0.0 ? __builtin_nan("") : 0.0;
  double start = m * r;
  if (r < 0.0) return __builtin_nan("");
  if (k < start) return 0.0;
  int first = (int)start;
  if (first != start || (a[m] < 0.0 && r != (double)(long)r)) return __builtin_nan("");
  if (k == first) return pow(a[m], r);
  double sum = 0.0;
  int i = k - first;
  for (int j = 1; j <= i; j++) sum += (r * j - (i - j)) * a[m + j] * v[k - j];
  return sum / (i * a[m]);
})

/* v = a^r, k > 0: a v' = r a' v */
SERIES_RULE(power, SERIES_INLINE double series_power(int k, double r, const double *a,
                                                     const double *v) {
  if (a[0] == 0.0) return series_power_at_zero(k, r, a, v);
  double sum = 0.0;
  SERIES_UNROLL
  for (int j = 1; j <= k; j++) sum += (r * j - (k - j)) * a[j] * v[k - j];
  return sum / (k * a[0]);
})

/* |a|, with the sign that a has for small s > 0 */
SERIES_RULE(abs, static double series_abs(int k, const double *a) {
  int m = 0;
  while (m < k && a[m] == 0.0) m++;
  return a[m] < 0.0 ? -a[k] : a[k];
})

/* The smaller (sign = 1) or larger (sign = -1) of a and b for small s > 0 */
SERIES_RULE(least, static double series_least(int k, double sign, const double *a,
                                              const double *b) {
  int m = 0;
  while (m < k && a[m] == b[m]) m++;
  return sign * a[m] > sign * b[m] ? b[k] : a[k];
})
