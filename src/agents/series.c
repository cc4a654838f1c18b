/* series.c: plans about any time (see series.h). */
#include "agents/series.h"

#define AT_ONCE 4 /* divisions */
#define NEAR_START                                                                                 \
  0.0625 /* of a unit: the polynomial about its own origin is scaled badly for sums */

/* Leaves out the last terms, which are no more than eps together. */
static void cut(brink_series *s, brink_two eps) {
  for (; s->degree > 0; s->degree--) {
    brink_two more = brink_two_plus(s->rest, brink_two_size(s->c[s->degree]));
    if (!brink_two_within(more, eps)) return;
    s->rest = more;
  }
}

/* Divides the polynomials d[k], d[k + 1], … by s - 1 four times: four remainders, and then the quotient. How large
 * that is where the powers of s are no more than these. */
static brink_two divide(brink_two *d, int k, int degree, const double *powers) {
  brink_two none = {0.0, 0.0}, first = none, second = none, third = none, fourth = none;
  brink_two size = none;
  for (int j = degree; j >= k + AT_ONCE; j--) {
    first = brink_two_plus(first, d[j]);
    second = brink_two_plus(second, first);
    third = brink_two_plus(third, second);
    d[j] = fourth = brink_two_plus(fourth, third);
    size = brink_two_plus(size, brink_two_times(brink_two_size(fourth), powers[j - k - AT_ONCE]));
  }
  first = brink_two_plus(first, d[k + 3]);
  second = brink_two_plus(second, first);
  third = brink_two_plus(third, second);
  d[k + 3] = brink_two_plus(fourth, third);
  first = brink_two_plus(first, d[k + 2]);
  second = brink_two_plus(second, first);
  d[k + 2] = brink_two_plus(third, second);
  first = brink_two_plus(first, d[k + 1]);
  d[k + 1] = brink_two_plus(second, first);
  d[k] = brink_two_plus(d[k], first);
  return size;
}

/* Polynomials about s0, in units of `scale`, up to eps wherever |s - s0| <= scale: repeated synthetic division
 * of the polynomials in s/s0, which takes sums only (Shaw & Traub 1974), until the quotient is nothing. */
static void shift(brink_series *s, double s0, double scale, brink_two eps) {
  double ratio = scale / s0, far = 1.0 + fabs(ratio), power = 1.0, most = 1.0;
  double powers[BRINK_PATH_DEGREE + 2];
  brink_two left = brink_two_nothing, half = brink_two_times(eps, 0.5);
  int degree = s->degree;
  for (int k = 0; k <= degree; k++, power *= s0, most *= far) {
    s->c[k] = brink_two_times(s->c[k], power);
    powers[k] = most;
  }
  for (; degree > 0; degree--) {
    brink_two more =
        brink_two_plus(left, brink_two_times(brink_two_size(s->c[degree]), powers[degree]));
    if (!brink_two_within(more, half)) break;
    left = more;
  }
  for (int k = 1; k < AT_ONCE; k++) s->c[degree + k] = brink_two_nothing;
  power = 1.0;
  for (int k = 0; k <= degree; k += AT_ONCE) {
    brink_two size = divide(s->c, k, degree, powers);
    for (int l = k; l < k + AT_ONCE; l++, power *= ratio) s->c[l] = brink_two_times(s->c[l], power);
    s->rest = brink_two_plus(left, brink_two_times(size, fabs(power)));
    if (brink_two_within(s->rest, eps) && k + AT_ONCE <= degree) degree = k + AT_ONCE - 1;
  }
  s->degree = degree;
}

/* The same if the point is the origin of the polynomials, or next to it. */
static void rescale(brink_series *s, double s0, double scale) {
  double power = 1.0;
  for (int k = 0; s0 != 0.0 && k < s->degree; k++) {
    for (int j = s->degree - 1; j >= k; j--)
      s->c[j] = brink_two_plus(s->c[j], brink_two_times(s->c[j + 1], s0));
  }
  for (int k = 1; k <= s->degree; k++) s->c[k] = brink_two_times(s->c[k], power *= scale);
}

void brink_series_expand(const brink_plan *plan, size_t one, size_t other, double t, double h,
                         brink_two eps, brink_series *s) {
  const double *a = plan->c + one * plan->length, *b = plan->c + other * plan->length;
  double s0 = (t - plan->origin) / plan->unit, scale = h / plan->unit;
  int degree = plan->degree;
  while (degree > 0 && a[degree] == 0.0 && b[degree] == 0.0) degree--;
  for (int k = 0; k <= degree; k++) s->c[k] = (brink_two){a[k], b[k]};
  s->degree = degree;
  s->rest = brink_two_nothing;
  if (fabs(s0) > NEAR_START * fabs(scale))
    shift(s, s0, scale, eps);
  else
    rescale(s, s0, scale);
  cut(s, eps);
}
