/* poly.h: real polynomials p(s) = c[0] + c[1] s + ... + c[n] s^n, and all their roots in (a, b].
 *
 * Guards are polynomials in the local time s of a step, so that "does an event happen in this step,
 * and when first?" is a question about the first root in (0, 1]. The answers below are certain up
 * to a stated rounding bound: no root is skipped because two of them lie close together.
 *
 * The rounding bound. With M = max(|a|, |b|), S = sum_j |c[j]| M^j and u = 2^-53,
 *
 *     tau = BRINK_POLY_TAU (n + 1) u S.
 *
 *   - Every reported root s satisfies |p(s)| <= tau: moving c[0] by at most tau makes it a root.
 *   - Every true root r in (a, b] (of the doubles c[j] taken as exact) is matched: there is a
 *     report s such that |p| <= tau all the way between r and s. For a well separated simple root
 *     this means |s - r| of a few rounding errors; roots closer together than about
 *     sqrt(tau / |p''|) may be one report. The one exception: if |p| <= tau all the way between a
 *     and r, then r counts as the root at a, where the caller starts, and is not reported.
 *   - A reported RISING or FALLING is a certain change of sign.
 *
 * Nothing is allocated and nothing is shared: all functions may run in any number of threads. */
#ifndef BRINK_NUM_POLY_H
#define BRINK_NUM_POLY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The coefficients of a polynomial of degree n are n + 1 doubles; leading ones may be zero. */
#define BRINK_POLY_MAX_DEGREE 48

/* The constant in tau; poly.c itemises it. |p| at a report is mostly below 1 and has not been seen
 * above 10, in the same unit (n + 1) u S. */
#define BRINK_POLY_TAU 33.0

/* p(s) by Horner's rule. */
double brink_poly_eval(const double *c, int degree, double s);

/* p(s), and in *bound a bound on the rounding error of the returned value. */
double brink_poly_eval_bound(const double *c, int degree, double s, double *bound);

/* sum |c[j]|: no less than |p| on [-1, 1], and the measure of its rounding. */
double brink_poly_size(const double *c, int degree);

/* The degree coefficients of p'; out may be c. Writes nothing for degree 0. */
void brink_poly_derivative(const double *c, int degree, double *out);

/* True only if |p| > 4 (n + 1) u sum |c[j]| on all of [0, 1], so that p has no root there. False
 * decides nothing. Costs one pass over the coefficients; false if one of them is not finite. */
bool brink_poly_excludes_zero(const double *c, int degree);

/* An enclosure [*lo, *hi] of p on [0, 1], rounding included: the extreme Bernstein coefficients.
 * Exact at an end where p is extreme there. [-inf, inf] if a coefficient is NaN or infinite. */
void brink_poly_range(const double *c, int degree, double *lo, double *hi);

/* What the values of p on [0, 1] tell without its roots. */
typedef struct {
  bool clear;         /* p > limit everywhere */
  bool may_dip;       /* false only if p has no local minimum inside with a value in (0, limit] */
  bool may_dip_below; /* the same of -p */
  bool once;          /* true only if p has one root, between these, and falls there; and no dip */
  double from, to;
} brink_poly_survey;

/* Of sign*p. Both are decided by Bernstein coefficients, of pieces where it takes them. */
brink_poly_survey brink_poly_look(const double *c, int degree, int sign, double limit);

/* True only if sign*p > limit on all of [0, 1], rounding included. False decides nothing; also if a coefficient is not finite.
 * Costs little more than brink_poly_excludes_zero and sees more: what its first terms do together, and only the size of
 * the others. */
bool brink_poly_stays_above(const double *c, int degree, int sign, double limit);

/* The same from the first five coefficients alone, and the sum `size` of the absolute values of all but c[0]. */
bool brink_poly_head_stays_above(const double *c, int degree, int sign, double size, double limit);

/* True only if p' keeps off zero on all of [0, 1], by one of these tests; degree >= 1. *slopes: the sum of the absolute
 * values of its coefficients. */
bool brink_poly_is_monotone(const double *c, int degree, double *slopes);

/* The only root of p in (0, 1], between `from` and `to`, where p' keeps its sign. It is off zero by more than tau at 0, and
 * has certain signs at both places. With 0 and 1 it is found as brink_poly_roots finds it. *slope: p', close to it.
 * False: it is not so plain. */
bool brink_poly_single_root(const double *c, int degree, double from, double to, double *root,
                            double *slope);

/* Where to sample a function on [0, 1] to interpolate it: (1 - cos(k pi/7))/2, k = 0 ... 7. */
#define BRINK_POLY_SAMPLES 8
extern const double brink_poly_sample[BRINK_POLY_SAMPLES];

/* The polynomial of degree 7 through values at these points. */
void brink_poly_through(const double *values, double *c);

typedef enum {
  BRINK_ROOT_RISING,  /* p changes from - to + */
  BRINK_ROOT_FALLING, /* p changes from + to - */
  BRINK_ROOT_TOUCH    /* |p| <= tau, but no certain change of sign: a double root, a near miss, or
                         two crossings too close to be told apart */
} brink_root_kind;

typedef struct {
  double s;
  brink_root_kind kind;
} brink_root;

/* What a search did, for tests and measurements. */
typedef struct {
  int pieces;      /* subintervals looked at; 0 if the exclusion test sufficed */
  int splits;      /* of these, divided */
  int evaluations; /* of p and p' while refining roots */
} brink_poly_work;

/* The roots of p in (a, b], in increasing order, a < b. Stores the first capacity of them and stops
 * there; returns the number stored.
 *
 *   - A root at b is reported, RISING or FALLING if p' there says that p would cross just then. So
 *     is p(b) within rounding of zero.
 *   - A root at a is not reported: the caller starts there. If p(a) = 0 exactly and a = 0, that is
 *     c[0] = 0 (and c[1] ... if these are zero too), further roots are those of p(s) / s, and found
 *     however close to a. If p(a) is only within rounding of zero, or a != 0, they are found beyond
 *     the neighbourhood of a in which |p| <= tau; a crossing within it is the caller's to notice,
 *     by the sign of p(a) against that after it. (A caller who knows that p(0) = 0 sets c[0] = 0.)
 *   - The zero polynomial starts at zero and never leaves: no roots, 0.
 *   - Returns -1, storing nothing, if a coefficient or an end is NaN or infinite, a >= b, or the
 *     degree is not within 0 ... BRINK_POLY_MAX_DEGREE. */
int brink_poly_roots(const double *c, int degree, double a, double b, brink_root *roots,
                     int capacity);

/* The same, and what it took; work may be NULL. */
int brink_poly_roots_work(const double *c, int degree, double a, double b, brink_root *roots,
                          int capacity, brink_poly_work *work);

/* The first root in (a, b], if there is one. False leaves *root alone, and is also the answer to
 * input that brink_poly_roots refuses with -1. */
bool brink_poly_first_root(const double *c, int degree, double a, double b, brink_root *root);

#ifdef __cplusplus
}
#endif

#endif
