/* oracle_poly.c: the root finder of num/poly.h against Arb, which isolates the complex roots of the
 * same polynomials, their coefficients taken as exact, to 64 bits.
 *
 * For each of at least 100,000 random and adversarial polynomials the promises of poly.h are held
 * to the letter: |p(s)| <= tau at every report; every true root in (a, b] joined to a report (or to
 * a) by a path on which |p| <= tau; reports in order; crossings that alternate and agree with the
 * signs of p at the ends.
 *
 * The first argument, if given, is the number of polynomials, the second the seed; the environment
 * variable BRINK_ORACLE_PERCENT runs that share of the usual number. */
#include "check.h"
#include "num/poly.h"

#include <arb.h>
#include <arb_fmpz_poly.h>
#include <arb_poly.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { PREC = 192, ROOT_PREC = 64, MAX_N = BRINK_POLY_MAX_DEGREE };

/* ---- random numbers ------------------------------------------------------------------------ */

static uint64_t random_state = 20080131;

static uint64_t random_bits(void) { /* splitmix64 */
  uint64_t z = (random_state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static double uniform(double lo, double hi) {
  return lo + (hi - lo) * ((double)(random_bits() >> 11) * 0x1p-53);
}

static int integer(int lo, int hi) { /* both included */
  return lo + (int)(random_bits() % (uint64_t)(hi - lo + 1));
}

static double power_of_ten(double lo, double hi) {
  return pow(10.0, uniform(lo, hi));
}

/* ---- polynomials --------------------------------------------------------------------------- */

typedef struct {
  double c[MAX_N + 1];
  int n;
  double a, b;
} sample;

static void start_product(sample *p) {
  p->n = 0;
  p->c[0] = 1.0;
}

static void times_linear(sample *p, double root) {
  p->c[p->n + 1] = p->c[p->n];
  for (int j = p->n; j > 0; j--) p->c[j] = p->c[j - 1] - root * p->c[j];
  p->c[0] *= -root;
  p->n++;
}

/* times (s - re)^2 + im^2 */
static void times_pair(sample *p, double re, double im) {
  double q0 = re * re + im * im, q1 = -2.0 * re, old[MAX_N + 3] = {0.0};
  for (int j = 0; j <= p->n; j++) old[j] = p->c[j];
  p->n += 2;
  for (int j = 0; j <= p->n; j++) {
    double sum = q0 * old[j];
    if (j >= 1) sum += q1 * old[j - 1];
    if (j >= 2) sum += old[j - 2];
    p->c[j] = sum;
  }
}

/* Fills up to degree n with roots anywhere, mostly outside. */
static void times_rest(sample *p, int n) {
  while (p->n < n) {
    if (p->n + 2 <= n && integer(0, 1) == 0)
      times_pair(p, uniform(-1.0, 2.0), power_of_ten(-2.0, 0.5));
    else
      times_linear(p, uniform(-2.0, 2.0));
  }
}

static int small_degree(int least) {
  int pick = integer(0, 99);
  int n = pick < 75 ? integer(1, 6) : pick < 98 ? integer(5, 13) : integer(14, MAX_N);
  return n < least ? least : n;
}

static void make_dense(sample *p) {
  double decay = integer(0, 1) ? 1.0 : power_of_ten(-3.0, 1.0), power = power_of_ten(-5.0, 5.0);
  p->n = small_degree(1);
  for (int j = 0; j <= p->n; j++) {
    p->c[j] = uniform(-1.0, 1.0) * power;
    power *= decay;
  }
}

static void make_separate(sample *p) {
  int n = small_degree(1), inside = integer(1, n);
  start_product(p);
  for (int k = 0; k < inside; k++) times_linear(p, uniform(0.0, 1.0));
  times_rest(p, n);
}

static void make_cluster(sample *p) {
  int n = small_degree(3), inside = integer(2, n < 6 ? n : 6);
  double centre = uniform(0.0, 1.0), spread = power_of_ten(-10.0, -1.0);
  start_product(p);
  for (int k = 0; k < inside; k++) times_linear(p, centre + spread * uniform(-1.0, 1.0));
  times_rest(p, n);
}

/* Multiples of 1/32 as roots: the products are exact, double roots remain double. */
static void make_exact_multiple(sample *p) {
  int kinds = integer(1, 3);
  start_product(p);
  for (int k = 0; k < kinds; k++) {
    double root = integer(0, 32) / 32.0;
    int times = integer(1, 3);
    for (int i = 0; i < times; i++) times_linear(p, root);
  }
}

static void make_near_double(sample *p) {
  int n = small_degree(2);
  double root = uniform(0.0, 1.0), gap = power_of_ten(-9.0, -4.0);
  start_product(p);
  times_rest(p, n - 2);
  times_linear(p, root);
  times_linear(p, root + gap);
}

static void make_near_miss(sample *p) {
  int n = small_degree(2), even = integer(1, n / 2 < 3 ? n / 2 : 3);
  double root = uniform(0.0, 1.0);
  start_product(p);
  for (int k = 0; k < even; k++) times_pair(p, root, power_of_ten(-10.0, -3.0));
  times_rest(p, n);
  p->c[0] += (integer(0, 1) ? 1.0 : -1.0) * power_of_ten(-18.0, -8.0);
}

/* A wide range of exponents costs the oracle dearly: one in ten. */
static double decades(double usual, double widest) {
  return integer(0, 9) == 0 ? widest : usual;
}

static void make_tiny_leading(sample *p) {
  double least = decades(-40.0, -300.0);
  make_separate(p);
  while (p->n < MAX_N && integer(0, 3) != 0)
    p->c[++p->n] = uniform(-1.0, 1.0) * power_of_ten(least, -15.0);
}

static void make_tiny_start(sample *p) {
  make_separate(p);
  int k = integer(1, p->n < 3 ? p->n : 3);
  for (int j = 0; j < k; j++) p->c[j] = uniform(-1.0, 1.0) * power_of_ten(-25.0, -1.0);
  if (integer(0, 1)) p->c[0] = 0.0;
}

/* Roots at both ends exactly, and others on multiples of 1/16 or close to the ends. */
static void make_at_ends(sample *p) {
  start_product(p);
  for (int k = integer(0, 2); k > 0; k--) times_linear(p, 0.0);
  for (int k = integer(0, 2); k > 0; k--) times_linear(p, 1.0);
  for (int k = integer(0, 3); k > 0; k--) times_linear(p, integer(-16, 32) / 16.0);
  if (integer(0, 2) == 0) times_linear(p, power_of_ten(-16.0, -1.0));
  if (integer(0, 2) == 0) times_linear(p, 1.0 - power_of_ten(-16.0, -1.0));
  if (p->n == 0) times_linear(p, 1.0);
}

static void make_wilkinson(sample *p) {
  int n = small_degree(2);
  start_product(p);
  for (int k = 1; k <= n; k++) times_linear(p, (double)k / n);
}

/* T_n(2 s - 1) plus a constant: all extrema at +-1. */
static void make_chebyshev(sample *p) {
  double before[MAX_N + 1] = {1.0}, now[MAX_N + 1] = {-1.0, 2.0}, next[MAX_N + 1];
  p->n = small_degree(1);
  for (int k = 1; k < p->n; k++) {
    for (int j = 0; j <= MAX_N; j++)
      next[j] = 2.0 * ((j > 0 ? 2.0 * now[j - 1] : 0.0) - now[j]) - before[j];
    memcpy(before, now, sizeof now);
    memcpy(now, next, sizeof now);
  }
  memcpy(p->c, now, sizeof now);
  if (integer(0, 1)) p->c[0] += integer(-1, 1) + integer(0, 1) * power_of_ten(-16.0, 0.0);
}

static void make_wide_range(sample *p) {
  double range = decades(20.0, 100.0);
  p->n = integer(1, 8);
  for (int j = 0; j <= p->n; j++) p->c[j] = uniform(-1.0, 1.0) * power_of_ten(-range, range);
  if (integer(0, 3) == 0) p->c[integer(0, p->n)] = 0.0;
}

static void make_scaled(sample *p) {
  make_separate(p);
  int e = integer(0, 1) ? integer(900, 1000) : integer(-1074, -900);
  for (int j = 0; j <= p->n; j++) p->c[j] = ldexp(p->c[j], e);
}

static void make_sparse(sample *p) {
  p->n = small_degree(1);
  for (int j = 0; j <= p->n; j++) p->c[j] = integer(0, 2) == 0 ? integer(-4, 4) : 0.0;
}

typedef void (*maker)(sample *);
static const maker makers[] = {
    make_dense,
    make_separate,
    make_cluster,
    make_exact_multiple,
    make_near_double,
    make_near_miss,
    make_tiny_start,
    make_at_ends,
    make_wilkinson,
    make_chebyshev,
    make_tiny_leading,
    make_wide_range,
    make_scaled,
    make_sparse,
    /* twice, being cheap */
    make_exact_multiple,
    make_at_ends,
    make_sparse,
};
enum { MAKERS = sizeof makers / sizeof makers[0] };

/* A third of the samples lives on another interval than (0, 1]. */
static void choose_interval(sample *p) {
  static const double ends[][2] = {{0.0, 0.5}, {0.25, 0.75}, {-1.0, 1.0}, {-0.5, 0.0}, {0.0, 3.0}};
  p->a = 0.0;
  p->b = 1.0;
  int pick = integer(0, 29);
  if (pick < 5) {
    p->a = ends[pick][0];
    p->b = ends[pick][1];
  } else if (pick < 10) {
    p->a = uniform(-1.0, 1.0);
    p->b = p->a + power_of_ten(-3.0, 0.5);
  }
}

/* ---- the oracle ---------------------------------------------------------------------------- */

typedef struct {
  arb_poly_t p;
  arb_t tau;
  arb_t size;   /* (n + 1) u S */
  double worst; /* the largest |p(s)| / ((n + 1) u S) seen */
  int most_pieces;
  long reports, touches, true_roots, at_start;
} oracle;

static void set_polynomial(oracle *o, const sample *p) {
  arb_t x, power;
  arb_init(x);
  arb_init(power);
  arb_poly_zero(o->p);
  arb_zero(o->size);
  arb_one(power);
  for (int j = 0; j <= p->n; j++) {
    arb_set_d(x, p->c[j]);
    arb_poly_set_coeff_arb(o->p, j, x);
    arb_abs(x, x);
    arb_addmul(o->size, x, power, PREC);
    arb_set_d(x, fmax(fabs(p->a), fabs(p->b)));
    arb_mul(power, power, x, PREC);
  }
  arb_mul_si(o->size, o->size, p->n + 1, PREC);
  arb_mul_2exp_si(o->size, o->size, -53);
  arb_set_d(x, BRINK_POLY_TAU);
  arb_mul(o->tau, o->size, x, PREC);
  arb_clear(x);
  arb_clear(power);
}

static bool within_tau(const oracle *o, const arb_t y) {
  arb_t size;
  arb_init(size);
  arb_abs(size, y);
  bool within = arb_le(size, o->tau);
  arb_clear(size);
  return within;
}

/* The Bernstein coefficients of p on [x, x + w]. */
static void set_bernstein(const oracle *o, arb_ptr b, int n, const arb_t x, const arb_t w) {
  arb_poly_t q;
  arb_t power;
  arb_poly_init(q);
  arb_init(power);
  arb_poly_taylor_shift(q, o->p, x, PREC);
  arb_one(power);
  fmpz_t binomial;
  fmpz_init(binomial);
  for (int j = 0; j <= n; j++) {
    arb_poly_get_coeff_arb(b + j, q, j);
    arb_mul(b + j, b + j, power, PREC);
    fmpz_bin_uiui(binomial, (ulong)n, (ulong)j);
    arb_div_fmpz(b + j, b + j, binomial, PREC);
    arb_mul(power, power, w, PREC);
  }
  for (int k = 1; k <= n; k++)
    for (int j = n; j >= k; j--) arb_add(b + j, b + j, b + j - 1, PREC);
  fmpz_clear(binomial);
  arb_clear(power);
  arb_poly_clear(q);
}

/* |p| <= tau on all of the piece with Bernstein coefficients b, which is destroyed. */
static bool piece_within_tau(const oracle *o, arb_ptr b, int n, int depth) {
  bool all = true;
  for (int j = 0; j <= n && all; j++) all = within_tau(o, b + j);
  if (all) return true;
  if (depth == 0 || !within_tau(o, b) || !within_tau(o, b + n)) return false;
  arb_ptr left = _arb_vec_init(n + 1);
  for (int k = 0; k <= n; k++) {
    arb_set(left + k, b);
    for (int j = 0; j < n - k; j++) {
      arb_add(b + j, b + j, b + j + 1, PREC);
      arb_mul_2exp_si(b + j, b + j, -1);
    }
  }
  all = piece_within_tau(o, left, n, depth - 1) && piece_within_tau(o, b, n, depth - 1);
  _arb_vec_clear(left, n + 1);
  return all;
}

/* |p| <= tau all the way between r and s. */
static bool joined(const oracle *o, int n, const arb_t r, double s) {
  arb_t x, w;
  arb_init(x);
  arb_init(w);
  arb_ptr b = _arb_vec_init(n + 1);
  arb_set_d(x, s);
  arb_sub(w, r, x, PREC);
  set_bernstein(o, b, n, x, w);
  bool answer = piece_within_tau(o, b, n, 12);
  _arb_vec_clear(b, n + 1);
  arb_clear(x);
  arb_clear(w);
  return answer;
}

static void set_integers(fmpz_poly_t f, const sample *p) {
  arf_t x;
  fmpz_t mantissa[MAX_N + 1], exponent[MAX_N + 1];
  slong least = 0;
  bool any = false;
  arf_init(x);
  for (int j = 0; j <= p->n; j++) {
    fmpz_init(mantissa[j]);
    fmpz_init(exponent[j]);
    arf_set_d(x, p->c[j]);
    arf_get_fmpz_2exp(mantissa[j], exponent[j], x);
    slong e = fmpz_get_si(exponent[j]);
    if (p->c[j] != 0.0 && (!any || e < least)) least = e;
    any = any || p->c[j] != 0.0;
  }
  fmpz_poly_zero(f);
  for (int j = 0; j <= p->n; j++) {
    if (p->c[j] != 0.0) {
      fmpz_mul_2exp(mantissa[j], mantissa[j], (ulong)(fmpz_get_si(exponent[j]) - least));
      fmpz_poly_set_coeff_fmpz(f, j, mantissa[j]);
    }
    fmpz_clear(mantissa[j]);
    fmpz_clear(exponent[j]);
  }
  arf_clear(x);
}

static void describe(const sample *p, const brink_root *roots, int count) {
  printf("  p on (%a, %a], degree %d:", p->a, p->b, p->n);
  for (int j = 0; j <= p->n; j++) printf(" %a,", p->c[j]);
  printf("\n  reports:");
  for (int k = 0; k < count; k++) printf(" %.17g (%d)", roots[k].s, (int)roots[k].kind);
  printf("\n");
}

static bool root_is_matched(oracle *o, const sample *p, const arb_t r, const brink_root *roots,
                            int count) {
  double at = arf_get_d(arb_midref(r), ARF_RND_NEAR);
  int nearest = 0;
  for (int k = 1; k < count; k++)
    if (fabs(roots[k].s - at) < fabs(roots[nearest].s - at)) nearest = k;
  if (count > 0 && joined(o, p->n, r, roots[nearest].s)) return true;
  for (int k = 0; k < count; k++)
    if (joined(o, p->n, r, roots[k].s)) return true;
  if (!joined(o, p->n, r, p->a)) return false;
  o->at_start++;
  return true;
}

/* Every root of the square-free f in (a, b] has its report. */
static void check_factor(oracle *o, const sample *p, const fmpz_poly_t f, const brink_root *roots,
                         int count) {
  slong n = fmpz_poly_degree(f);
  if (n < 1) return;
  acb_ptr z = _acb_vec_init(n);
  arb_t end;
  arb_init(end);
  arb_fmpz_poly_complex_roots(z, f, 0, ROOT_PREC);
  for (slong k = 0; k < n; k++) {
    arb_ptr r = acb_realref(z + k);
    arb_set_d(end, p->a);
    bool inside = arb_is_zero(acb_imagref(z + k)) && arb_gt(r, end);
    arb_set_d(end, p->b);
    if (!inside || arb_gt(r, end)) continue;
    o->true_roots++;
    bool matched = root_is_matched(o, p, r, roots, count);
    if (!matched && check_failures_here < 10) describe(p, roots, count);
    CHECK_MSG(matched, "the root at %.17g is not reported", arf_get_d(arb_midref(r), ARF_RND_NEAR));
  }
  arb_clear(end);
  _acb_vec_clear(z, n);
}

static void check_all_roots(oracle *o, const sample *p, const brink_root *roots, int count) {
  fmpz_poly_t f;
  fmpz_poly_factor_t factors;
  fmpz_poly_init(f);
  fmpz_poly_factor_init(factors);
  set_integers(f, p);
  if (fmpz_poly_degree(f) >= 1) {
    fmpz_poly_factor_squarefree(factors, f);
    for (slong k = 0; k < factors->num; k++) check_factor(o, p, factors->p + k, roots, count);
  }
  fmpz_poly_factor_clear(factors);
  fmpz_poly_clear(f);
}

static void check_reports(oracle *o, const sample *p, const brink_root *roots, int count) {
  arb_t s, y;
  arb_init(s);
  arb_init(y);
  for (int k = 0; k < count; k++) {
    arb_set_d(s, roots[k].s);
    arb_poly_evaluate(y, o->p, s, PREC);
    bool ok = within_tau(o, y) && roots[k].s > p->a && roots[k].s <= p->b &&
              (k == 0 || roots[k].s >= roots[k - 1].s);
    arb_abs(y, y);
    arb_div(y, y, o->size, PREC);
    double seen = arf_get_d(arb_midref(y), ARF_RND_NEAR);
    if (seen > o->worst) o->worst = seen;
    if (!ok && check_failures_here < 10) describe(p, roots, count);
    CHECK_MSG(ok, "report %d, s = %.17g, |p| / size = %g", k, roots[k].s, seen);
    o->touches += roots[k].kind == BRINK_ROOT_TOUCH;
  }
  o->reports += count;
  arb_clear(s);
  arb_clear(y);
}

/* The sign of p at s, 0 if |p| <= tau. */
static int sign_at(const oracle *o, double s) {
  arb_t x, y;
  arb_init(x);
  arb_init(y);
  arb_set_d(x, s);
  arb_poly_evaluate(y, o->p, x, PREC);
  int sign = within_tau(o, y) ? 0 : arb_is_positive(y) ? 1 : -1;
  arb_clear(x);
  arb_clear(y);
  return sign;
}

/* Between the reports p has the signs that they say, wherever it has one beyond tau. */
static void check_signs(oracle *o, const sample *p, const brink_root *roots, int count) {
  int sign = 0;
  for (int k = 0; k <= count; k++) {
    double from = k == 0 ? p->a : roots[k - 1].s, to = k == count ? p->b : roots[k].s;
    for (int i = 0; i <= 4; i++) {
      int here = sign_at(o, from + (to - from) * i / 4.0);
      bool ok = here == 0 || sign == 0 || here == sign;
      if (!ok && check_failures_here < 10) describe(p, roots, count);
      CHECK_MSG(ok, "the sign between reports %d and %d is not the one reported", k - 1, k);
      if (here != 0) sign = here;
    }
    if (k == count || roots[k].kind == BRINK_ROOT_TOUCH) continue;
    int after = roots[k].kind == BRINK_ROOT_RISING ? 1 : -1;
    if (sign == after && check_failures_here < 10) describe(p, roots, count);
    CHECK_MSG(sign != after, "report %d crosses to the side p is on already", k);
    sign = after;
  }
}

/* p(s) = s^k q(s): if p starts at an exact zero, the promises are those for q. */
static void deflate(sample *p) {
  while (p->a == 0.0 && p->c[0] == 0.0 && p->n > 0) {
    for (int j = 0; j < p->n; j++) p->c[j] = p->c[j + 1];
    p->n--;
  }
}

static void check_sample(oracle *o, sample *p) {
  brink_root roots[3 * MAX_N];
  brink_poly_work work;
  int count = brink_poly_roots_work(p->c, p->n, p->a, p->b, roots, 3 * MAX_N, &work);
  if (count < 0) describe(p, roots, 0);
  CHECK_MSG(count >= 0, "refused");
  if (count < 0) return;
  if (work.pieces > o->most_pieces) o->most_pieces = work.pieces;
  deflate(p);
  set_polynomial(o, p);
  check_reports(o, p, roots, count);
  check_signs(o, p, roots, count);
  check_all_roots(o, p, roots, count);
}

static long wanted = 119000;

TEST(no_root_is_missed_and_none_is_false) {
  oracle o = {.worst = 0.0};
  arb_poly_init(o.p);
  arb_init(o.tau);
  arb_init(o.size);
  for (long k = 0; k < wanted; k++) {
    sample p;
    makers[k % MAKERS](&p);
    choose_interval(&p);
    check_sample(&o, &p);
  }
  printf("%ld polynomials, %ld true roots in the interval, %ld reports, %ld of them touches\n",
         wanted, o.true_roots, o.reports, o.touches);
  printf("%ld true roots count as the root at a\n", o.at_start);
  printf("largest |p(s)| at a report: %.3g (n + 1) u S, allowed %.3g; at most %d pieces\n", o.worst,
         BRINK_POLY_TAU, o.most_pieces);
  CHECK(o.true_roots > wanted / 4);
  CHECK(o.at_start < 20 + o.true_roots / 20);
  CHECK(o.worst <= 0.5 * BRINK_POLY_TAU); /* the bound is pessimistic, see poly.c */
  arb_clear(o.size);
  arb_clear(o.tau);
  arb_poly_clear(o.p);
  flint_cleanup();
}

int main(int argc, char **argv) {
  const char *percent = getenv("BRINK_ORACLE_PERCENT");
  if (percent != NULL) wanted = wanted * strtol(percent, NULL, 10) / 100;
  if (argc > 1) wanted = strtol(argv[1], NULL, 10);
  if (argc > 2) random_state = strtoull(argv[2], NULL, 10);
  RUN(no_root_is_missed_and_none_is_false);
  return check_done();
}
