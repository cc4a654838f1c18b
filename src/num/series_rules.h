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
 * part of the result's bits. Where many coefficients are divided by the same number, they are multiplied
 * by its inverse: a multiplication takes a third of the time, and the one after the other is what a
 * series waits for.
 *
 * This file is included twice: num/series.h makes functions of the rules, native/emit_series.c the
 * text that generated code starts with. Therefore one source, one order of operations, the same bits.
 * (Small programs are written out there, sums and all: a test compares the bits.) It has no include
 * guard; SERIES_RULE(name, code) and SERIES_INLINE are defined by whoever includes it.
 *
 * How it can fail: see num/jet.c. Where a coefficient does not exist, it is NaN. */

/* sum_{j=low}^{high} a[j] b[k-j] */
SERIES_RULE(
    convolve, SERIES_INLINE double series_convolve(int k, int low, int high, const double *a,
                                                   const double *b) {
      if (high < low) return 0.0;
      int middle = (low + high) / 2;
      double inner = a[middle] * b[k - middle];
      for (int j = middle - 1; j >= low; j--) inner += a[j] * b[k - j];
      if (middle == high) return inner;
      double outer = a[middle + 1] * b[k - middle - 1];
      for (int j = middle + 2; j <= high; j++) outer += a[j] * b[k - j];
      return inner + outer;
    })

/* sum_{j=low}^{k-low} a[j] a[k-j]: pairs are equal. No index exceeds degree. */
SERIES_RULE(
    pairs, SERIES_INLINE double series_pairs(int k, int low, int degree, const double *a) {
      int first = k - degree > low ? k - degree : low;
      int last = (k - 1) / 2;
      int middle = k % 2 == 0 && k / 2 >= first ? k / 2 : -1;
      if (first > last || k == 0) return middle < 0 ? 0.0 : a[middle] * a[middle];
      double sum = a[last] * a[k - last];
      for (int j = last - 1; j >= first; j--) sum += a[j] * a[k - j];
      sum += sum;
      return middle < 0 ? sum : sum + a[middle] * a[middle];
    })

/* a b, where a has no coefficients beyond da, b none beyond db */
SERIES_RULE(
    mul, SERIES_INLINE double series_mul(int k, int da, int db, const double *a, const double *b) {
      return series_convolve(k, k > db ? k - db : 0, k < da ? k : da, a, b);
    })

/* v = a / b, k > 0: v b = a. `ak` is coefficient k of a. */
SERIES_RULE(
    div,
    SERIES_INLINE double series_div(int k, int db, double ak, const double *b, const double *v) {
      return (ak - series_convolve(k, 1, k < db ? k : db, b, v)) * (1.0 / b[0]);
    })

/* a / k. A constant 1/k that is rounded has a direction, which in a million steps adds up: the first few
 * terms, which are large, are divided. */
SERIES_RULE(
    over,
    SERIES_INLINE double series_over(int k, double a) { return k < 8 ? a / k : a * (1.0 / k); })

/* Coefficient k of a state from coefficient k - 1 of its derivative, in units of time. */
SERIES_RULE(
    state, SERIES_INLINE double series_state(int k, double unit, double a) {
      return k < 8 ? a * unit / k : a * (unit * (1.0 / k));
    })

/* v with v' = a' w, k > 0; t[j] = j a[j] */
SERIES_RULE(
    ride, SERIES_INLINE double series_ride(int k, int dt, const double *t, const double *w) {
      return series_over(k, series_convolve(k, 1, k < dt ? k : dt, t, w));
    })

/* The last step of the next one: coefficient k of sqrt(a) from what a_k is more than the products of
 * coefficients 1 ... k - 1, and from coefficient 0. */
SERIES_RULE(
    root, SERIES_INLINE double series_root(double rest, double v0) {
      return v0 != 0.0 ? rest * (0.5 / v0) : __builtin_nan("");
    })

/* v = sqrt(a), k > 0: v v = a. Where a starts at zero, v has no expansion that the known part of a
 * determines. */
SERIES_RULE(
    sqrt, SERIES_INLINE double series_sqrt(int k, double ak, const double *v) {
      return series_root(ak - series_pairs(k, 1, k, v), v[0]);
    })

/* v = a^r for a with a[0] = 0, k > 0: a = s^m w, a^r = s^(m r) w^r. */
SERIES_RULE(
    power_at_zero,
    static double series_power_at_zero(int k, double r, const double *a, const double *v) {
      int m = 1;
      while (m <= k && a[m] == 0.0) m++;
      if (r < 0.0 || (m > k && r > 0.0 && r < 1.0)) return __builtin_nan(""); /* not known yet */
      if (r == 0.0 || m > k) return 0.0;
      double start = m * r;
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
SERIES_RULE(
    power, SERIES_INLINE double series_power(int k, double r, const double *a, const double *v) {
      if (a[0] == 0.0) return series_power_at_zero(k, r, a, v);
      double sum = (r - (k - 1)) * a[1] * v[k - 1];
      for (int j = 2; j <= k; j++) sum += (r * j - (k - j)) * a[j] * v[k - j];
      return sum / (k * a[0]);
    })

/* |a|, with the sign that a has for small s > 0 */
SERIES_RULE(
    abs, static double series_abs(int k, const double *a) {
      int m = 0;
      while (m < k && a[m] == 0.0) m++;
      return a[m] < 0.0 ? -a[k] : a[k];
    })

/* The smaller (sign = 1) or larger (sign = -1) of a and b for small s > 0 */
SERIES_RULE(
    least, static double series_least(int k, double sign, const double *a, const double *b) {
      int m = 0;
      while (m < k && a[m] == b[m]) m++;
      return sign * a[m] > sign * b[m] ? b[k] : a[k];
    })
