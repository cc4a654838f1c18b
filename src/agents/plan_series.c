/* plan_series.c: the polynomials of a plan about another time (see plan_series.h). */
#include "agents/plan_series.h"

#define AT_ONCE 4 /* divisions in one pass */
#define NEAR_START                                                                                 \
  0.0625 /* of a unit: the polynomial about its own origin is scaled badly for sums */

/* Truncates: drops the last terms while their sum is at most eps. */
static void cut(brink_plan_series *s, brink_double2 eps) {
  for (; s->degree > 0; s->degree--) {
    brink_double2 more = brink_double2_add(s->rest, brink_double2_abs(s->c[s->degree]));
    if (!brink_double2_within(more, eps)) return;
    s->rest = more;
  }
}

/* Divides the polynomials d[k], d[k + 1], … by s - 1 four times: four remainders, and then the quotient. How large
 * that is where the powers of s are no more than these. */
static brink_double2 divide(brink_double2 *d, int k, int degree, const double *powers) {
  brink_double2 none = {0.0, 0.0}, first = none, second = none, third = none, fourth = none;
  brink_double2 size = none;
  for (int j = degree; j >= k + AT_ONCE; j--) {
    first = brink_double2_add(first, d[j]);
    second = brink_double2_add(second, first);
    third = brink_double2_add(third, second);
    d[j] = fourth = brink_double2_add(fourth, third);
    size = brink_double2_add(
        size, brink_double2_scale(brink_double2_abs(fourth), powers[j - k - AT_ONCE]));
  }
  first = brink_double2_add(first, d[k + 3]);
  second = brink_double2_add(second, first);
  third = brink_double2_add(third, second);
  d[k + 3] = brink_double2_add(fourth, third);
  first = brink_double2_add(first, d[k + 2]);
  second = brink_double2_add(second, first);
  d[k + 2] = brink_double2_add(third, second);
  first = brink_double2_add(first, d[k + 1]);
  d[k + 1] = brink_double2_add(second, first);
  d[k] = brink_double2_add(d[k], first);
  return size;
}

/* Polynomials about s0, in units of `scale`, up to eps wherever |s - s0| <= scale: repeated synthetic division
 * of the polynomials in s/s0, which takes sums only (Shaw & Traub 1974), until the quotient is nothing. */
static void shift(brink_plan_series *s, double s0, double scale, brink_double2 eps) {
  double ratio = scale / s0, far = 1.0 + fabs(ratio), power = 1.0, most = 1.0;
  double powers[BRINK_PATH_DEGREE + 2];
  brink_double2 left = brink_double2_zero, half = brink_double2_scale(eps, 0.5);
  int degree = s->degree;
  for (int k = 0; k <= degree; k++, power *= s0, most *= far) {
    s->c[k] = brink_double2_scale(s->c[k], power);
    powers[k] = most;
  }
  for (; degree > 0; degree--) {
    brink_double2 more = brink_double2_add(
        left, brink_double2_scale(brink_double2_abs(s->c[degree]), powers[degree]));
    if (!brink_double2_within(more, half)) break;
    left = more;
  }
  for (int k = 1; k < AT_ONCE; k++) s->c[degree + k] = brink_double2_zero;
  power = 1.0;
  for (int k = 0; k <= degree; k += AT_ONCE) {
    brink_double2 size = divide(s->c, k, degree, powers);
    for (int l = k; l < k + AT_ONCE; l++, power *= ratio)
      s->c[l] = brink_double2_scale(s->c[l], power);
    s->rest = brink_double2_add(left, brink_double2_scale(size, fabs(power)));
    if (brink_double2_within(s->rest, eps) && k + AT_ONCE <= degree) degree = k + AT_ONCE - 1;
  }
  s->degree = degree;
}

/* The same if the point is the origin of the polynomials, or close to it: Horner's scheme. */
static void rescale(brink_plan_series *s, double s0, double scale) {
  double power = 1.0;
  for (int k = 0; s0 != 0.0 && k < s->degree; k++) {
    for (int j = s->degree - 1; j >= k; j--)
      s->c[j] = brink_double2_add(s->c[j], brink_double2_scale(s->c[j + 1], s0));
  }
  for (int k = 1; k <= s->degree; k++) s->c[k] = brink_double2_scale(s->c[k], power *= scale);
}

void brink_plan_series_expand(const brink_plan *plan, size_t one, size_t other, double t, double h,
                              brink_double2 eps, brink_plan_series *s) {
  const double *a = plan->c + one * plan->length, *b = plan->c + other * plan->length;
  double s0 = (t - plan->origin) / plan->unit, scale = h / plan->unit;
  int degree = plan->degree;
  while (degree > 0 && a[degree] == 0.0 && b[degree] == 0.0) degree--;
  for (int k = 0; k <= degree; k++) s->c[k] = (brink_double2){a[k], b[k]};
  s->degree = degree;
  s->rest = brink_double2_zero;
  if (fabs(s0) > NEAR_START * fabs(scale))
    shift(s, s0, scale, eps);
  else
    rescale(s, s0, scale);
  cut(s, eps);
}
