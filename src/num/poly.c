/* poly.c: certified isolation and refinement of the real roots of a polynomial.
 *
 * Problem. Given p of degree n <= 48 and an interval (a, b], find every root, in order, skipping no
 * close pair, and say which way p crosses.
 *
 * Method. (1) An O(n) exclusion test, where nearly all calls end; the same test of p', after which there
 * is one root at most, by Newton's method. (2) Otherwise p is written in the
 * Bernstein basis of the interval. The number of sign variations of the coefficients exceeds the
 * number of roots inside by an even number (Descartes' rule of signs for the Bernstein basis), so
 * that 0 variations mean none and 1 means exactly one; with more, the interval is halved by de
 * Casteljau's algorithm. Lane & Riesenfeld, "Bounds on a polynomial", BIT 21 (1981) 112-117; Farin,
 * Curves and Surfaces for CAGD (5th ed.), ch. 5-6 for the basis, blossoms and subdivision. (3) A
 * single root is refined by Newton's method safeguarded by bisection.
 *
 * Deviation: signs within rounding. Each piece carries a bound err on the error of its Bernstein
 * coefficients, and a coefficient with |b_i| <= err has no sign. A piece is then
 *   clear    if all coefficients have the same sign, save perhaps the first or last without one;
 *   crossing if whatever the signless ones are, there is exactly one variation;
 *   flat     if all |b_i| <= 2 err: p is zero within rounding on the whole piece;
 * and is halved in all other cases. Going from left to right, a run of flat pieces and signless
 * ends is one cluster. It ends where the next sign is certain: a crossing if that differs from the
 * last certain one, a touch if not. The gap between err and 2 err makes the halving end: on a piece
 * narrower than about err / |p'| coefficients cannot be on both sides of it.
 *
 * The error bound, u = 2^-53. Conversion: the weights of the c_j in a Bernstein coefficient of
 * [0, 1] lie in [0, 1]; the additions lose at most n u S, the division by the binomial and the sum
 * S itself a little more: (n + 3) u S. For other intervals scaling, blossoming and the rounded ends
 * add 3 (n + 1) u S. A halving takes averages, which pass errors on unamplified and add
 * u max |b_i| for each of their n levels. Near a root the coefficients of a piece of width w are
 * below n w S, so that the sum of max |b_i| over all levels is below (2 + log2 n) S < 7 S.
 * Together err <= (11 n + 6) u S. A coefficient counted as within 2 err is truly within 3 err, so
 * |p| is below (33 n + 18) u S on flat pieces: tau is stated with 33 (n + 1). This is pessimistic,
 * and reports are polished besides: the oracle test sees a third of it at most.
 *
 * How it can fail: in the monomial basis S can be large against p (for the Chebyshev polynomial of
 * degree 30 moved to [0, 1] by a factor 10^22); then p is flat everywhere and nothing is found.
 * That is the data's rounding, not the method's: such polynomials cannot be told from zero. */
#include "num/poly.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MAX_N = BRINK_POLY_MAX_DEGREE };

/* Halvings of (0, 1]. Pieces are flat well before: 2^-60 n^2 S is far below err. */
enum { MAX_DEPTH = 60 };

/* A hard limit on the work. The oracle test meets a few hundred at most. */
enum { MAX_PIECES = 8192 };

static const double unit_roundoff = DBL_EPSILON / 2;

/* ---- evaluation ---------------------------------------------------------------------------- */

const double brink_poly_sample[BRINK_POLY_SAMPLES] = {
    0.0,
    0.04951556604879042,
    0.1882550990706332,
    0.3887395330218428,
    0.6112604669781572,
    0.8117449009293668,
    0.9504844339512096,
    1.0,
};

/* Newton's divided differences, expanded into monomials. */
void brink_poly_through(const double *values, double *c) {
  const double *s = brink_poly_sample;
  double d[BRINK_POLY_SAMPLES];
  for (int k = 0; k < BRINK_POLY_SAMPLES; k++) {
    d[k] = values[k];
    c[k] = 0.0;
  }
  for (int level = 1; level < BRINK_POLY_SAMPLES; level++) {
    for (int k = BRINK_POLY_SAMPLES - 1; k >= level; k--)
      d[k] = (d[k] - d[k - 1]) / (s[k] - s[k - level]);
  }
  for (int k = BRINK_POLY_SAMPLES - 1; k >= 0; k--) { /* c <- c*(x - s_k) + d_k */
    for (int j = BRINK_POLY_SAMPLES - 1; j > 0; j--) c[j] = c[j - 1] - s[k] * c[j];
    c[0] = d[k] - s[k] * c[0];
  }
}

double brink_poly_eval(const double *c, int degree, double s) {
  double y = c[degree];
  for (int j = degree - 1; j >= 0; j--) y = y * s + c[j];
  return y;
}

/* Higham, Accuracy and Stability of Numerical Algorithms (2nd ed.), Algorithm 5.1. The factor
 * covers the rounding of the bound itself, the last term underflow. */
double brink_poly_eval_bound(const double *c, int degree, double s, double *bound) {
  double y = c[degree], size = fabs(s);
  double mu = 0.5 * fabs(y), underflow = 0.0;
  for (int j = degree - 1; j >= 0; j--) {
    y = y * s + c[j];
    mu = mu * size + fabs(y);
    underflow = underflow * size + 2.0 * DBL_TRUE_MIN;
  }
  double rounding = unit_roundoff * (2.0 * mu - fabs(y));
  *bound = rounding * (1.0 + 4.0 * (degree + 1) * unit_roundoff) + underflow;
  return y;
}

double brink_poly_size(const double *c, int degree) {
  double sum = 0.0;
  for (int j = 0; j <= degree; j++) sum += fabs(c[j]);
  return sum;
}

void brink_poly_derivative(const double *c, int degree, double *out) {
  for (int j = 1; j <= degree; j++) out[j - 1] = j * c[j];
}

/* With c0 > 0, p >= c0 - (sum of the negative c_j, j > 0, in absolute value) on [0, 1], likewise
 * for c0 < 0. With A = sum |c_j| and B = sum c_j the sum of the negative ones is (A - B) / 2. NaN
 * and infinite coefficients make the comparison false. Two accumulators each, for speed. */
bool brink_poly_excludes_zero(const double *c, int degree) {
  double abs0 = 0.0, abs1 = 0.0, sum0 = 0.0, sum1 = 0.0;
  int j = 1;
  for (; j < degree; j += 2) {
    sum0 += c[j];
    abs0 += fabs(c[j]);
    sum1 += c[j + 1];
    abs1 += fabs(c[j + 1]);
  }
  if (j == degree) {
    sum0 += c[j];
    abs0 += fabs(c[j]);
  }
  double total = abs0 + abs1, sum = sum0 + sum1, start = fabs(c[0]);
  double against = 0.5 * (c[0] > 0.0 ? total - sum : total + sum);
  /* 4 (n + 1) u S promised, 2 (n + 1) u S for the rounding of the sums. */
  return start - against > 6 * (degree + 1) * unit_roundoff * (start + total);
}

/* The same test of p'. */
static bool slope_excludes_zero(const double *c, int degree, int sign) {
  double sums[2] = {0.0, 0.0}, sizes[2] = {0.0, 0.0};
  for (int j = 1; j < degree; j++) {
    double slope = (j + 1) * c[j + 1];
    sums[(j + 1) % 2] += slope;
    sizes[(j + 1) % 2] += fabs(slope);
  }
  double total = sizes[0] + sizes[1], sum = sums[0] + sums[1], start = fabs(c[1]);
  double against = 0.5 * (sign > 0 ? total - sum : total + sum);
  return start - against > 6 * degree * unit_roundoff * (start + total);
}

/* ---- the Bernstein basis ------------------------------------------------------------------- */

/* g[j] = d[j] / binomial(n, j). The products below 2^53 and the quotients are exact. */
static void divide_binomials(const double *d, int n, double *g) {
  double binomial = 1.0;
  for (int j = 0; 2 * j <= n; j++) {
    g[j] = d[j] / binomial;
    g[n - j] = d[n - j] / binomial;
    binomial = binomial * (n - j) / (j + 1);
  }
}

/* b_i = sum_j binomial(i, j) g_j on [0, 1], by repeated addition. */
static void to_bernstein_unit(const double *d, int n, double *b) {
  divide_binomials(d, n, b);
  int k = 1;
  for (; k + 1 <= n; k += 2) { /* two levels on each way through */
    double before = b[k - 1], here = b[k], above = here + before;
    b[k] = above;
    for (int j = k + 1; j <= n; j++) {
      double next = b[j], sum = next + here;
      here = next;
      b[j] = sum + above;
      above = sum;
    }
  }
  if (k == n) b[n] += b[n - 1];
}

/* On [alpha, beta] within [-1, 1]: b_i is the blossom of p at n - i times alpha and i times beta.
 * One argument x takes g_j to g_j + x g_{j+1}; no intermediate exceeds sum |d_j|. */
static void to_bernstein(const double *d, int n, double alpha, double beta, double *b) {
  double g[MAX_N + 1], h[MAX_N + 1];
  divide_binomials(d, n, g);
  for (int i = n; i >= 0; i--) {
    for (int j = 0; j <= i; j++) h[j] = g[j];
    for (int k = i; k >= 1; k--)
      for (int j = 0; j < k; j++) h[j] += beta * h[j + 1];
    b[i] = h[0];
    for (int j = 0; j < i; j++) g[j] += alpha * g[j + 1];
  }
}

void brink_poly_range(const double *c, int degree, double *lo, double *hi) {
  double b[MAX_N + 1];
  double err = HUGE_VAL;
  if (degree >= 0 && degree <= MAX_N)
    err = (degree + 3) * unit_roundoff * brink_poly_size(c, degree) + (degree + 1) * DBL_TRUE_MIN;
  if (!isfinite(err)) {
    *lo = -HUGE_VAL;
    *hi = HUGE_VAL;
    return;
  }
  to_bernstein_unit(c, degree, b);
  /* b_0 = c_0 is exact, the others are known within err. */
  *lo = *hi = c[0];
  for (int i = 1; i <= degree; i++) {
    if (b[i] - err < *lo) *lo = b[i] - err;
    if (b[i] + err > *hi) *hi = b[i] + err;
  }
}

/* The least Bernstein coefficient of degree 4 of the first five terms, less what rounding may have made of it. `size`: of
 * the later terms. */
static double least_of_five(const double *a, int degree, double size) {
  double first = fabs(a[0]) + fabs(a[1]) + fabs(a[2]) + fabs(a[3]) + fabs(a[4]);
  double low = a[0], b = a[0] + 0.25 * a[1];
  low = b < low ? b : low;
  b = a[0] + 0.5 * a[1] + a[2] / 6.0;
  low = b < low ? b : low;
  b = a[0] + 0.75 * a[1] + 0.5 * a[2] + 0.25 * a[3];
  low = b < low ? b : low;
  b = a[0] + a[1] + a[2] + a[3] + a[4];
  low = b < low ? b : low;
  /* A NaN may hide from the minimum, but not from the size. */
  return low - 4 * (degree + 3) * unit_roundoff * (first + size);
}

/* The Bernstein coefficients of degree 4 of the first terms, less all later terms that count against it: as these are
 * small in a step that its series allows, that is nearly as sharp as the coefficients of all of them. */
bool brink_poly_stays_above(const double *c, int degree, int sign, double limit) {
  double a[5] = {0.0}, sum = 0.0, size = 0.0;
  for (int j = 0; j <= degree && j < 5; j++) a[j] = sign * c[j];
  for (int j = 5; j <= degree; j++) {
    sum += c[j];
    size += fabs(c[j]);
  }
  double against = 0.5 * (sign > 0 ? size - sum : size + sum);
  return least_of_five(a, degree, size) - against > limit;
}

bool brink_poly_head_stays_above(const double *c, int degree, int sign, double size, double limit) {
  double a[5] = {0.0};
  for (int j = 0; j <= degree && j < 5; j++) a[j] = sign * c[j];
  double tail = size - fabs(a[1]) - fabs(a[2]) - fabs(a[3]) - fabs(a[4]);
  double rounding = (degree + 8) * unit_roundoff * size;
  return least_of_five(a, degree, size) - (tail + rounding) > limit;
}

bool brink_poly_is_monotone(const double *c, int degree, double *slopes) {
  double a[5] = {0.0}, sum = 0.0, size = 0.0, head = 0.0;
  int sign = c[1] > 0.0 ? 1 : -1;
  for (int j = 0; j < degree && j < 5; j++) {
    double slope = (j + 1) * c[j + 1];
    a[j] = sign * slope;
    head += fabs(slope);
  }
  double number = 6.0;
  for (int j = 6; j <= degree; j++, number += 1.0) {
    double slope = number * c[j];
    sum += slope;
    size += fabs(slope);
  }
  double against = 0.5 * (sign > 0 ? size - sum : size + sum);
  *slopes = head + size;
  return least_of_five(a, degree - 1, size) - against > 0.0 || slope_excludes_zero(c, degree, sign);
}

/* ---- a survey --------------------------------------------------------------------------------- */

enum { SURVEY_DEPTH = 5 };

/* De Casteljau at the middle: b becomes its right half. */
static void split(double *b, double *left, int n) {
  for (int k = 0; k < n; k++) {
    left[k] = b[0];
    for (int j = 0; j < n - k; j++) b[j] = 0.5 * (b[j] + b[j + 1]);
  }
  left[n] = b[0];
}

/* ---- pieces by their first terms -------------------------------------------------------------- */

#include "num/poly_heads.inc"

/* In a step that its series allows later terms are small. On [0, 1] each of them is nearly a polynomial of degree 4 (1/500
 * off for x^5, 1/50 for x^8). So p, and p', are taken as such polynomials, in Bernstein's form, with a bound on how far they
 * are off: on pieces these mostly tell what all terms would, for a small part of the work. What they do not tell is left to
 * those who take all terms. */
enum { HEAD_DEPTH = 4, HEAD_PIECES = 20 };

typedef struct {
  double from, width;
  double b[5], e[5]; /* of p and of p' */
} head_piece;

typedef enum { HEAD_OPEN, HEAD_ABOVE, HEAD_BELOW, HEAD_RISING, HEAD_FALLING } head_kind;

typedef struct {
  const double *c;
  int n;
  double off, slope_off; /* how far b and e are from p and p', rounding included */
  head_piece stack[HEAD_DEPTH + 2];
} heads;

/* Bernstein coefficients of degree 4. */
static void five_of(const double *a, double *b) {
  b[0] = a[0];
  b[1] = a[0] + 0.25 * a[1];
  b[2] = a[0] + 0.5 * a[1] + a[2] / 6.0;
  b[3] = a[0] + 0.75 * a[1] + 0.5 * a[2] + 0.25 * a[3];
  b[4] = a[0] + a[1] + a[2] + a[3] + a[4];
}

typedef double pair __attribute__((vector_size(16)));

/* Bernstein coefficients of degree 4, and how far they are off. */
typedef union {
  pair pairs[3];
  double b[6];
} five;

/* Adds a times x^j, j > 4. */
static inline void add_power(double a, int j, five *sum) {
  const double *power = power_by_four[j - 5];
  for (int k = 0; k < 2; k++) {
    pair row;
    memcpy(&row, power + 2 * k, sizeof row);
    sum->pairs[k] += a * row;
  }
  sum->b[4] += a * power[4];
  sum->b[5] += fabs(a) * power[5];
}

static void set_up_heads(heads *h, const double *c, int n) {
  double p[5] = {0.0}, slope[5] = {0.0}, size = fabs(c[0]), slope_size = 0.0, number = 6.0;
  five all = {.b = {0.0}}, slopes = all;
  h->c = c;
  h->n = n;
  for (int j = 0; j <= n && j < 5; j++) p[j] = c[j];
  for (int j = 1; j <= n && j < 6; j++) {
    slope[j - 1] = j * c[j];
    size += fabs(c[j]);
    slope_size += fabs(slope[j - 1]);
  }
  five_of(p, all.b);
  five_of(slope, slopes.b);
  if (n > 4) add_power(c[5], 5, &all);
  for (int j = 6; j <= n; j++, number += 1.0) {
    double a = number * c[j];
    size += fabs(c[j]);
    slope_size += fabs(a);
    add_power(c[j], j, &all);
    add_power(a, j - 1, &slopes);
  }
  /* Weights are no more than 1.4; those of halves are averages. */
  h->off = all.b[5] + 8 * (n + 8) * unit_roundoff * size;
  h->slope_off = slopes.b[5] + 8 * (n + 8) * unit_roundoff * slope_size;
  memcpy(h->stack[0].b, all.b, sizeof h->stack[0].b);
  memcpy(h->stack[0].e, slopes.b, sizeof h->stack[0].e);
  h->stack[0].from = 0.0;
  h->stack[0].width = 1.0;
}

/* Above `limit` or below 0, or rising or falling: on all of the piece. *hopeless: halves would not tell either. */
static head_kind look_at_head(const heads *h, const head_piece *piece, double limit,
                              bool *hopeless) {
  double low = piece->b[0], high = low, least = piece->e[0], most = least;
  for (int k = 1; k < 5; k++) {
    low = piece->b[k] < low ? piece->b[k] : low;
    high = piece->b[k] > high ? piece->b[k] : high;
    least = piece->e[k] < least ? piece->e[k] : least;
    most = piece->e[k] > most ? piece->e[k] : most;
  }
  *hopeless = false;
  if (low - h->off > limit) return HEAD_ABOVE;
  if (high + h->off < 0.0) return HEAD_BELOW;
  if (least - h->slope_off > 0.0) return HEAD_RISING;
  if (most + h->slope_off < 0.0) return HEAD_FALLING;
  *hopeless = high - low <= h->off && most - least <= h->slope_off;
  return HEAD_OPEN;
}

/* The piece on top becomes its right half, and its left half comes on top of it. */
static void halve_head(head_piece *top) {
  head_piece *left = top + 1;
  split(top->b, left->b, 4);
  split(top->e, left->e, 4);
  left->from = top->from;
  left->width = top->width = 0.5 * top->width;
  top->from += top->width;
}

/* What the pieces tell of p, from left to right. */
typedef struct {
  brink_poly_survey found;
  double limit;
  bool high;  /* it has been positive so far, and not fallen; then … */
  bool falls; /* … the piece before falls, */
  bool low;   /* or was below 0, … */
  bool rises; /* … or rises */
} head_walk;

/* Is p below -limit on all of the piece? */
static bool is_deep(const heads *h, const head_piece *piece, double limit) {
  double high = piece->b[0];
  for (int k = 1; k < 5; k++) high = piece->b[k] > high ? piece->b[k] : high;
  return high + h->off < -limit;
}

/* A dip needs a place where p turns, from falling to rising, at a height in (0, limit]. False: this may be one. */
static bool pass_head(head_walk *w, const heads *h, const head_piece *here, head_kind kind) {
  brink_poly_survey *found = &w->found;
  if (w->falls && kind == HEAD_RISING) return false;
  /* The same below: a piece where p is negative, but not deep, or a seam where it turns down. */
  bool shallow = kind == HEAD_BELOW && !is_deep(h, here, w->limit);
  if (shallow || (w->rises && !w->high && kind == HEAD_FALLING)) found->may_dip_below = true;
  w->rises = kind == HEAD_RISING;
  found->clear = found->clear && kind == HEAD_ABOVE;
  if (kind == HEAD_FALLING && w->high) found->from = here->from;
  if (kind == HEAD_FALLING && !w->low) found->to = here->from + here->width;
  bool goes_on = (w->high && kind != HEAD_BELOW) || (w->falls && kind == HEAD_FALLING) ||
                 ((w->falls || w->low) && kind == HEAD_BELOW);
  found->once = found->once && goes_on;
  w->high = w->high && kind != HEAD_FALLING;
  w->falls = kind == HEAD_FALLING;
  w->low = kind == HEAD_BELOW;
  return true;
}

/* False: there may be a dip. */
static bool survey_heads(const double *c, int n, double limit, brink_poly_survey *found) {
  heads h;
  int top = 0;
  set_up_heads(&h, c, n);
  head_walk w = {.found = {.clear = true, .once = true}, .limit = limit, .high = c[0] > 0.0};
  for (int pieces = 0; top >= 0; pieces++) {
    const head_piece *here = &h.stack[top];
    bool hopeless;
    head_kind kind = look_at_head(&h, here, limit, &hopeless);
    if (kind == HEAD_OPEN) {
      if (hopeless || top > HEAD_DEPTH || pieces > HEAD_PIECES) return false;
      halve_head(&h.stack[top++]);
    } else {
      if (!pass_head(&w, &h, here, kind)) return false;
      top--;
    }
  }
  *found = w.found;
  found->once = found->once && !w.high;
  return true;
}

/* ---- pieces of all terms ------------------------------------------------------------------- */

/* The trend of a piece: -1 falling, 1 rising, 0 neither. *low, *high: its coefficients' bounds. */
static int survey_trend(const double *b, int n, double *low, double *high) {
  bool falls = true, rises = true;
  *low = *high = b[0];
  for (int i = 1; i <= n; i++) {
    falls = falls && b[i] <= b[i - 1];
    rises = rises && b[i] >= b[i - 1];
    *low = b[i] < *low ? b[i] : *low;
    *high = b[i] > *high ? b[i] : *high;
  }
  return falls ? -1 : rises ? 1 : 0;
}

/* From left to right; *before is the trend of the piece before. True: there may be a dip. */
static bool survey_piece(double *b, int n, double limit, int depth, int *before) {
  double low, high;
  int trend = survey_trend(b, n, &low, &high);
  bool seam = *before < 0 && trend >= 0 && b[0] > 0.0 && b[0] <= limit;
  if (low > limit || high <= 0.0) trend = 1; /* nothing to be found, nor at its end */
  if (trend != 0 || low > limit || high <= 0.0) {
    *before = trend;
    return seam;
  }
  if (depth == 0) return true;
  double left[MAX_N + 1];
  split(b, left, n);
  return survey_piece(left, n, limit, depth - 1, before) ||
         survey_piece(b, n, limit, depth - 1, before);
}

/* A parabola has one place to turn. */
static brink_poly_survey look_at_parabola(const double *c, int sign, double limit) {
  double start = sign * c[0], end = sign * (c[0] + c[1] + c[2]);
  double turn = -0.5 * c[1] / c[2], least = start < end ? start : end;
  bool dips = sign * c[2] > 0.0 && turn > 0.0 && turn < 1.0;
  double bottom = dips ? sign * (c[0] + 0.5 * c[1] * turn) : least;
  double err = 8.0 * DBL_EPSILON * brink_poly_size(c, 2);
  return (brink_poly_survey){.clear = bottom - err > limit,
                             .may_dip = dips && bottom >= -err && bottom <= limit + err,
                             .may_dip_below = true};
}

brink_poly_survey brink_poly_look(const double *c, int degree, int sign, double limit) {
  double b[MAX_N + 1], low, high;
  brink_poly_survey found;
  if (degree < 1 || degree > MAX_N)
    return (brink_poly_survey){.may_dip = degree > MAX_N, .may_dip_below = true};
  if (degree == 2 && c[2] != 0.0) return look_at_parabola(c, sign, limit);
  for (int i = 0; i <= degree; i++) b[i] = sign * c[i];
  if (survey_heads(b, degree, limit, &found)) return found;
  to_bernstein_unit(c, degree, b);
  double err = (degree + 3) * unit_roundoff * brink_poly_size(c, degree);
  for (int i = 0; i <= degree; i++) b[i] *= sign;
  survey_trend(b, degree, &low, &high);
  found = (brink_poly_survey){.clear = low - err > limit, .may_dip_below = true};
  int before = 1; /* where it starts is not inside */
  if (!found.clear) found.may_dip = survey_piece(b, degree, limit + err, SURVEY_DEPTH, &before);
  return found;
}

/* ---- the problem in the variable x = s / M ------------------------------------------------- */

typedef struct {
  double d[MAX_N + 1]; /* p(M x) times a power of two, without its roots at x = 0 if alpha = 0 */
  int n;
  double scale;       /* M */
  double alpha, beta; /* a / M and b / M */
  double size;        /* sum |d_j| */
  double err;         /* of the Bernstein coefficients */
} problem;

/* c_j M^j for coefficients so large or small that this, or S, would leave the range of doubles:
 * mantissas and exponents apart, then all divided by the same power of two. */
static void scale_by_exponents(const double *c, int n, double m, double *d) {
  double mantissa[MAX_N + 1];
  int exponent[MAX_N + 1];
  int exponent_of_m, top = -100000;
  double fraction = frexp(m, &exponent_of_m), power = 1.0;
  for (int j = 0; j <= n; j++) {
    mantissa[j] = frexp(c[j], &exponent[j]) * power;
    exponent[j] += j * exponent_of_m;
    if (mantissa[j] != 0.0 && exponent[j] > top) top = exponent[j];
    power *= fraction;
  }
  for (int j = 0; j <= n; j++) d[j] = ldexp(mantissa[j], exponent[j] - top);
}

/* Fills in q->d and q->size; false if a coefficient is NaN or infinite. */
static bool scale_coefficients(problem *q, const double *c) {
  double power = 1.0, sum = 0.0;
  bool is_finite = true;
  for (int j = 0; j <= q->n; j++) {
    q->d[j] = c[j] * power;
    sum += fabs(q->d[j]);
    is_finite = is_finite && isfinite(c[j]);
    power *= q->scale;
  }
  if (!is_finite) return false;
  if (!(sum > 1e-270 && sum < 1e270)) {
    scale_by_exponents(c, q->n, q->scale, q->d);
    sum = brink_poly_size(q->d, q->n);
  }
  q->size = sum;
  return true;
}

/* p(x) = x^k q(x) with q(0) != 0: keeps q. Only exact zeros: to drop a c_0 within rounding of zero
 * would change q by c_0 / x, which is not. */
static void strip_roots_at_zero(problem *q) {
  int k = 0;
  while (k <= q->n && q->d[k] == 0.0) k++;
  if (k == 0) return;
  for (int j = k; j <= q->n; j++) q->d[j - k] = q->d[j];
  q->n -= k;
}

/* ---- a piece of the interval --------------------------------------------------------------- */

/* Positions are fractions t of the interval: x = alpha + (beta - alpha) t. */
typedef struct {
  double t, width;
  double err; /* of each coefficient */
  double b[MAX_N + 1];
} piece;

typedef enum { PIECE_CLEAR, PIECE_CROSSING, PIECE_FLAT, PIECE_OPEN } piece_kind;

typedef struct {
  piece_kind kind;
  int first, last; /* certain signs of the first and last coefficient, or 0 */
  int middle;      /* of a clear piece: its sign */
  int turn;        /* of a crossing piece: b_turn is the last one of the first sign */
  double peak;     /* max |b_i| */
} piece_view;

static inline int sign_beyond(double b, double err) {
  return (b > err) - (b < -err);
}

static piece_view classify(const double *b, int n, double err) {
  piece_view v = {.kind = PIECE_OPEN, .peak = 0.0};
  v.first = sign_beyond(b[0], err);
  v.last = sign_beyond(b[n], err);
  v.middle = v.first != 0 ? v.first : sign_beyond(b[1], err);
  int before = 0, unknown = 0, after = 0; /* runs: the middle sign, none, the opposite one */
  bool clear = v.middle != 0, ordered = true;
  for (int i = 0; i <= n; i++) {
    double size = fabs(b[i]);
    v.peak = size > v.peak ? size : v.peak;
    int sign = sign_beyond(b[i], err);
    if (sign != v.middle && !(sign == 0 && (i == 0 || i == n))) clear = false;
    if (sign == 0) {
      unknown++;
      ordered = ordered && after == 0;
    } else if (sign == v.middle) {
      before++;
      ordered = ordered && unknown + after == 0;
    } else {
      after++;
    }
  }
  v.turn = before - 1;
  if (clear)
    v.kind = PIECE_CLEAR;
  else if (v.first != 0 && v.last == -v.first && ordered && unknown <= 1)
    v.kind = PIECE_CROSSING;
  else if (v.peak <= 2.0 * err)
    v.kind = PIECE_FLAT;
  return v;
}

/* All becomes its right half, left is filled in. */
static void halve(piece *all, piece *left, int n, double peak) {
  double err = all->err + n * unit_roundoff * peak;
  split(all->b, left->b, n);
  left->err = all->err = err;
  left->width = all->width = 0.5 * all->width;
  left->t = all->t;
  all->t += all->width;
}

/* ---- refinement ---------------------------------------------------------------------------- */

static double eval_with_slope(const double *d, int n, double x, double *slope) {
  double y = d[n], dy = 0.0;
  for (int j = n - 1; j >= 0; j--) {
    dy = dy * x + y;
    y = y * x + d[j];
  }
  *slope = dy;
  return y;
}

/* The only root in (lo, hi), p having the given sign at lo and the opposite one at hi. Newton steps
 * from x, bisection where a step leaves the bracket or is not half the one before the last. *slope: of p, next to it. */
static double refine(const double *d, int n, double size, double lo, double hi, double x,
                     int sign_lo, double *slope, brink_poly_work *work) {
  double noise = 2 * (n + 1) * unit_roundoff * size, bound;
  double step = hi - lo, step_before = step;
  for (int k = 0; k < 200; k++) {
    double y = eval_with_slope(d, n, x, slope);
    work->evaluations++;
    if (y == 0.0) return x;
    if ((y > 0.0) == (sign_lo > 0))
      lo = x;
    else
      hi = x;
    double newton = -y / *slope;
    double next = x + newton;
    if (fabs(newton) <= unit_roundoff * fabs(x)) return next > lo && next < hi ? next : x;
    bool slow = !(fabs(newton) <= 0.5 * fabs(step_before));
    /* p(x) cannot be told from zero. */
    if (slow && fabs(y) <= noise && fabs(brink_poly_eval_bound(d, n, x, &bound)) <= bound) return x;
    if (slow || !(next > lo && next < hi)) {
      next = lo + 0.5 * (hi - lo);
      if (next <= lo || next >= hi) return x;
    }
    step_before = step;
    step = next - x;
    x = next;
  }
  return x;
}

/* Where Newton's method starts if p' keeps off zero on [0, 1]. */
static double start_of_monotone(const double *d, int n, double end) {
  return n == 1 ? -d[0] / d[1] : d[0] / (d[0] - end);
}

bool brink_poly_single_root(const double *c, int degree, double from, double to, double *root,
                            double *slope) {
  double size = 0.0, end = 0.0;
  brink_poly_work work = {0, 0, 0};
  for (int j = 0; j <= degree; j++) {
    size += fabs(c[j]);
    end += c[degree - j];
  }
  double err = (degree + 3) * unit_roundoff * size;
  double off = 2.0 * BRINK_POLY_TAU * (degree + 1) * unit_roundoff * size;
  if (!(size > 1e-270 && size < 1e270) || c[degree] == 0.0 || !(fabs(c[0]) > off)) return false;
  double first = from > 0.0 ? brink_poly_eval(c, degree, from) : c[0];
  double last = to < 1.0 ? brink_poly_eval(c, degree, to) : end;
  if (!(first > 0.0 ? first > err && last < -err : first < -err && last > err)) return false;
  bool whole = from == 0.0 && to == 1.0;
  double x =
      whole ? start_of_monotone(c, degree, end) : from + (to - from) * (first / (first - last));
  if (!whole && !(x > from && x < to)) x = from + 0.5 * (to - from);
  *slope = c[1];
  if (degree > 1) x = refine(c, degree, size, from, to, x, first > 0.0 ? 1 : -1, slope, &work);
  *root = x;
  return x > 0.0 && x < 1.0;
}

/* Where a cluster [lo, hi] is reported. Anywhere in it |p| is within rounding of zero; up to three
 * Newton steps, for p if it crosses and for p' if it touches, find the better places. A crossing
 * cluster may be one point next to a simple root, so more room is given there; should a step reach
 * the next root, |p| cannot exceed rounding on the way. */
static double place_cluster(const problem *q, double lo, double hi, bool crosses,
                            brink_poly_work *work) {
  double slopes[MAX_N + 1];
  double x = lo + 0.5 * (hi - lo), slope, curvature;
  double margin = (hi - lo) + (crosses ? 0x1p-20 : 64.0 * unit_roundoff);
  double best = x, least = fabs(brink_poly_eval(q->d, q->n, x));
  if (q->n < 1) return x;
  brink_poly_derivative(q->d, q->n, slopes);
  for (int k = 0; k < 3 && least > 0.0; k++) {
    work->evaluations++;
    if (crosses) {
      double y = eval_with_slope(q->d, q->n, x, &slope);
      x -= y / slope;
    } else {
      slope = eval_with_slope(slopes, q->n - 1, x, &curvature);
      x -= slope / curvature;
    }
    if (!(x >= lo - margin && x <= hi + margin)) break;
    double y = fabs(brink_poly_eval(q->d, q->n, x));
    if (y > least) break;
    least = y;
    best = x;
  }
  return best;
}

/* ---- the walk from left to right ----------------------------------------------------------- */

typedef struct {
  const problem *q;
  double a, b;
  brink_root *roots;
  int count, capacity;
  int sign;        /* the last certain one; 0: none yet */
  bool pending;    /* a cluster is open ... */
  double from, to; /* ... between these x */
  brink_poly_work *work;
} walk;

static inline double x_of(const problem *q, double t) {
  if (t >= 1.0) return q->beta;
  return q->alpha == 0.0 ? t * q->beta : q->alpha + (q->beta - q->alpha) * t;
}

/* Rounding in the last place must not undo the order, nor leave (a, b]. */
static void report(walk *w, double x, brink_root_kind kind) {
  double s = x * w->q->scale;
  double least = w->count > 0 ? w->roots[w->count - 1].s : nextafter(w->a, w->b);
  if (s < least) s = least;
  if (s > w->b) s = w->b;
  if (w->count < w->capacity) w->roots[w->count++] = (brink_root){s, kind};
}

static brink_root_kind kind_after(int sign) {
  return sign > 0 ? BRINK_ROOT_RISING : BRINK_ROOT_FALLING;
}

static void open_cluster(walk *w, double from, double to) {
  if (!w->pending) w->from = from;
  w->to = to;
  w->pending = true;
}

/* p has a certain sign from x on. If none was certain before, the cluster is the root at a. */
static void meet_sign(walk *w, double x, int sign) {
  bool crosses = w->sign == -sign;
  if (crosses && !w->pending) open_cluster(w, x, x);
  if (w->pending && w->sign != 0) {
    double at = place_cluster(w->q, w->from, w->to, crosses, w->work);
    report(w, at, crosses ? kind_after(sign) : BRINK_ROOT_TOUCH);
  }
  w->pending = false;
  w->sign = sign;
}

static void take_crossing(walk *w, const piece *here, const piece_view *v) {
  const problem *q = w->q;
  double x0 = x_of(q, here->t), x1 = x_of(q, here->t + here->width);
  meet_sign(w, x0, v->first);
  /* Newton starts where the control polygon crosses zero. */
  const double *b = here->b + v->turn;
  double start = (v->turn + b[0] / (b[0] - b[1])) / q->n;
  double x = x0 + (x1 - x0) * start;
  if (!(x > x0 && x < x1)) x = x0 + 0.5 * (x1 - x0);
  double slope, at = refine(q->d, q->n, q->size, x0, x1, x, v->first, &slope, w->work);
  report(w, at, kind_after(-v->first));
  w->sign = -v->first;
}

/* The cluster at b: p' beyond its own rounding tells whether p would cross there. */
static void end_walk(walk *w) {
  const problem *q = w->q;
  if (!w->pending || w->sign == 0) return;
  double x = place_cluster(q, w->from, w->to, false, w->work), slope;
  if (w->from == w->to) x = w->to;
  eval_with_slope(q->d, q->n, q->beta, &slope);
  double noise = BRINK_POLY_TAU * (q->n + 1) * q->n * unit_roundoff * q->size;
  bool crosses = fabs(slope) > noise && (slope > 0.0) == (w->sign < 0);
  report(w, crosses ? q->beta : x, crosses ? kind_after(-w->sign) : BRINK_ROOT_TOUCH);
}

static void take_piece(walk *w, const piece *here, const piece_view *v) {
  double x0 = x_of(w->q, here->t), x1 = x_of(w->q, here->t + here->width);
  if (v->kind == PIECE_CLEAR) {
    if (v->first == 0) open_cluster(w, x0, x0);
    meet_sign(w, x0, v->middle);
    if (v->last == 0) open_cluster(w, x1, x1);
  } else if (v->kind == PIECE_CROSSING) {
    take_crossing(w, here, v);
  } else {
    open_cluster(w, x0, x1);
  }
}

static void walk_pieces(walk *w) {
  const problem *q = w->q;
  piece stack[MAX_DEPTH + 2]; /* the rightmost piece at the bottom, the current one on top */
  int top = 0, pieces = 0;
  stack[0].t = 0.0;
  stack[0].width = 1.0;
  stack[0].err = q->err;
  if (q->alpha == 0.0)
    to_bernstein_unit(q->d, q->n, stack[0].b);
  else
    to_bernstein(q->d, q->n, q->alpha, q->beta, stack[0].b);
  while (top >= 0 && w->count < w->capacity) {
    piece_view v = classify(stack[top].b, q->n, stack[top].err);
    if (pieces++ == 0) w->sign = v.first;
    if (v.kind == PIECE_OPEN && top <= MAX_DEPTH && pieces < MAX_PIECES) {
      halve(&stack[top], &stack[top + 1], q->n, v.peak);
      top++;
      w->work->splits++;
    } else {
      take_piece(w, &stack[top], &v);
      top--;
    }
  }
  if (w->count < w->capacity) end_walk(w);
  w->work->pieces = pieces;
}

/* Most searches end here: p' keeps away from zero on all of [0, 1], so that there is at most one root, and
 * the signs at both ends are certain. False: they are not, or p may turn. */
static bool search_monotone(walk *w) {
  const problem *q = w->q;
  double end = 0.0, slope;
  if (q->alpha != 0.0 || !brink_poly_is_monotone(q->d, q->n, &slope)) return false;
  for (int j = q->n; j >= 0; j--) end += q->d[j];
  int first = sign_beyond(q->d[0], q->err), last = sign_beyond(end, q->err);
  if (first == 0 || last == 0) return false;
  if (first == last) return true;
  double x = start_of_monotone(q->d, q->n, end);
  if (q->n > 1) x = refine(q->d, q->n, q->size, 0.0, 1.0, x, first, &slope, w->work);
  report(w, x, kind_after(last));
  return true;
}

/* A piece on which p is monotone, with values y0 and y1 at its ends: its root, if the signs differ. */
static void take_monotone(walk *w, const head_piece *here, double y0, double y1) {
  const problem *q = w->q;
  if ((y0 > 0.0) == (y1 > 0.0)) return;
  double x0 = here->from, x1 = x0 + here->width, slope, x = x0 + here->width * (y0 / (y0 - y1));
  if (!(x > x0 && x < x1)) x = x0 + 0.5 * here->width;
  x = refine(q->d, q->n, q->size, x0, x1, x, y0 > 0.0 ? 1 : -1, &slope, w->work);
  report(w, x, kind_after(y1 > 0.0 ? 1 : -1));
}

/* Roots by pieces of first terms: all signs at ends of pieces are certain. False: not so, and nothing is reported. */
static bool search_heads(walk *w) {
  const problem *q = w->q;
  heads h;
  int top = 0;
  if (q->alpha != 0.0 || sign_beyond(q->d[0], q->err) == 0) return false;
  set_up_heads(&h, q->d, q->n);
  double y = q->d[0];                        /* at the end of the pieces so far */
  for (int pieces = 0; top >= 0; pieces++) { /* all, also of those that there is no room for */
    const head_piece *here = &h.stack[top];
    bool hopeless;
    head_kind kind = look_at_head(&h, here, 0.0, &hopeless);
    if (kind == HEAD_OPEN && (hopeless || top > HEAD_DEPTH || pieces > HEAD_PIECES)) break;
    if (kind == HEAD_OPEN) {
      halve_head(&h.stack[top++]);
      continue;
    }
    double end = brink_poly_eval(q->d, q->n, here->from + here->width);
    if (sign_beyond(end, q->err) == 0) break;
    if (kind == HEAD_RISING || kind == HEAD_FALLING) take_monotone(w, here, y, end);
    y = end;
    top--;
  }
  if (top < 0) return true;
  w->count = 0;
  return false;
}

/* ---- the calls ----------------------------------------------------------------------------- */

/* Fills in q; returns 1 if a search is needed, 0 if there is no root, -1 to refuse the input. */
static int set_up(problem *q, const double *c, int degree, double a, double b) {
  if (degree < 0 || degree > MAX_N || !isfinite(a) || !isfinite(b) || !(a < b)) return -1;
  q->n = degree;
  q->scale = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
  q->alpha = a / q->scale;
  q->beta = b / q->scale;
  if (!scale_coefficients(q, c)) return -1;
  bool unit = q->alpha == 0.0;
  double steps = unit && q->scale == 1.0 ? degree + 3 : 4 * degree + 6;
  q->err = steps * unit_roundoff * q->size;
  if (unit) strip_roots_at_zero(q);
  while (q->n > 0 && q->d[q->n] == 0.0) q->n--;
  if (q->n <= 0) return 0;
  if (unit && brink_poly_excludes_zero(q->d, q->n)) return 0;
  return 1;
}

int brink_poly_roots_work(const double *c, int degree, double a, double b, brink_root *roots,
                          int capacity, brink_poly_work *work) {
  brink_poly_work unused;
  problem q;
  if (work == NULL) work = &unused;
  *work = (brink_poly_work){0, 0, 0};
  int outcome = set_up(&q, c, degree, a, b);
  if (outcome <= 0) return outcome;
  walk w = {.q = &q, .a = a, .b = b, .roots = roots, .capacity = capacity, .work = work};
  if (!search_monotone(&w) && !search_heads(&w)) walk_pieces(&w);
  return w.count;
}

int brink_poly_roots(const double *c, int degree, double a, double b, brink_root *roots,
                     int capacity) {
  if (a == 0.0 && b == 1.0 && degree >= 0 && degree <= MAX_N && brink_poly_excludes_zero(c, degree))
    return 0;
  return brink_poly_roots_work(c, degree, a, b, roots, capacity, NULL);
}

bool brink_poly_first_root(const double *c, int degree, double a, double b, brink_root *root) {
  return brink_poly_roots(c, degree, a, b, root, 1) == 1;
}
