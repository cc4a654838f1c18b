/* extremes.c: the least or the largest value of an expression over one step. See probe.h.
 *
 * Problem: steps of Taylor series are long. The solution may turn several times inside one, and its values at the ends
 * tell nothing of that.
 * Method: the expression is sampled at equal distances along the dense output. Around each sample that is larger than its
 * neighbours, the maximum is found by Brent's method (R. P. Brent, "Algorithms for minimization without derivatives",
 * 1973, chapter 5), unless a parabola says that it cannot exceed what is known. At the two ends of the step a point
 * very near tells whether the expression still rises into the step.
 * How it can fail: a peak that is narrower than a part of the step. A polynomial of the degree of the series that has such
 * peaks would not have met the tolerance. */
#include <math.h>

#include "sweep/probe.h"

/* Parts of a step: twice the degree of the usual series, 12 to 16 at common tolerances. */
#define PARTS BRINK_PROBE_PARTS
enum { BRINK_PROBE_PARTS = 32, ROUNDS = 60 };

/* How near the ends: the square of it is below rounding errors. */
#define NEAR 1e-6
/* Of a part: an error of this in time changes a smooth maximum by its square. */
#define TOLERANCE 1e-8

/* What is looked at: the expression times +1 or -1, of which the largest value is wanted. */
typedef struct search {
  brink_probe *probe;
  const brink_term *term;
  double sign, t0;
  double best;
} search;

static double look(search *s, double t) {
  double value = s->sign * brink_probe_at(s->probe, s->term, t, s->t0);
  if (isnan(value) || value > s->best) s->best = value;
  return value;
}

/* Brent's method for the maximum between a and c, with a point b between them. */
static void climb(search *s, double a, double b, double c, double value) {
  double x = b, w = b, v = b, fx = value, fw = value, fv = value, d = 0.0, e = 0.0;
  double lo = fmin(a, c), hi = fmax(a, c), least = TOLERANCE * (hi - lo);
  for (int k = 0; k < ROUNDS && !isnan(s->best); k++) {
    double middle = 0.5 * (lo + hi);
    if (fabs(x - middle) <= 2.0 * least - 0.5 * (hi - lo)) return;
    bool golden = true;
    if (fabs(e) > least) { /* a parabola through x, v, w */
      double r = (x - w) * (fx - fv), q = (x - v) * (fx - fw), p = (x - v) * q - (x - w) * r;
      q = 2.0 * (q - r);
      p = q > 0.0 ? -p : p;
      q = fabs(q);
      golden = !(fabs(p) < fabs(0.5 * q * e) && p > q * (lo - x) && p < q * (hi - x));
      if (!golden) {
        e = d;
        d = p / q;
      }
    }
    if (golden) {
      e = x < middle ? hi - x : lo - x;
      d = 0.3819660112501051 * e; /* the golden section */
    }
    double u = x + (fabs(d) >= least ? d : copysign(least, d)), fu = look(s, u);
    if (fu >= fx) {
      *(u < x ? &hi : &lo) = x;
      v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
    } else {
      *(u < x ? &lo : &hi) = u;
      if (fu >= fw || w == x)
        v = w, fv = fw, w = u, fw = fu;
      else if (fu >= fv || v == x || v == w)
        v = u, fv = fu;
    }
  }
}

/* Can the maximum near sample b, between its neighbours, exceed what is known? Twice what a parabola adds counts. */
static bool may_exceed(const search *s, double a, double b, double c) {
  double bend = a - 2.0 * b + c, slope = 0.5 * (c - a);
  if (!(bend < 0.0)) return true; /* flat */
  return b + slope * slope / -bend > s->best || b >= s->best;
}

/* Does the expression rise into the step at its end? */
static void look_at_end(search *s, double end, double next, double value) {
  double near = end + NEAR * (next - end), inside = look(s, near);
  if (inside > value) climb(s, end, near, next, inside);
}

void brink_probe_extreme(brink_probe *probe, const brink_gauge *gauge, brink_gauge_state *state,
                         double t0, double t1) {
  double sign = gauge->kind == BRINK_GAUGE_MIN ? -1.0 : 1.0, h = t1 - t0;
  double *f = probe->samples;
  search s = {.probe = probe,
              .term = gauge->inner,
              .sign = sign,
              .t0 = t0,
              .best = state->due ? sign * state->value : (double)-INFINITY};
  for (size_t k = 0; k <= PARTS; k++)
    f[k] = look(&s, k < PARTS ? t0 + h * ((double)k / PARTS) : t1);
  if (f[0] >= f[1]) look_at_end(&s, t0, t0 + h / PARTS, f[0]);
  if (f[PARTS] >= f[PARTS - 1]) look_at_end(&s, t1, t1 - h / PARTS, f[PARTS]);
  for (size_t k = 1; k < PARTS; k++) {
    if (f[k] < f[k - 1] || f[k] < f[k + 1] || !may_exceed(&s, f[k - 1], f[k], f[k + 1])) continue;
    if (f[k] == f[k - 1] && f[k] == f[k + 1]) continue; /* it does not move */
    climb(&s, t0 + h * ((double)(k - 1) / PARTS), t0 + h * ((double)k / PARTS),
          t0 + h * ((double)(k + 1) / PARTS), f[k]);
  }
  state->value = sign * s.best;
  state->due = true;
}
