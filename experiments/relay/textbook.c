/* textbook.c: a Runge-Kutta pair without events, and trap_seh.
 *
 * Problem: x1' = x2, x2' = -sign(x1), whose right-hand side jumps at x1 = 0.
 *
 * The pair is Fehlberg's (E. Fehlberg, "Low-order classical Runge-Kutta formulas with stepsize control", NASA TR
 * R-315, 1969, table III), with the step-size rule that was usual in 1995: h <- 0.8 h (tau/delta)^(1/5), where delta
 * is the difference of the two solutions. This is what MATLAB's ode45 was at the time.
 *
 * trap_seh is the listing of Taylor 1995, section 5. What it omits, the zero solver, is here regula falsi
 * with the Illinois modification and a bisection at every fourth iteration. Mistakes of the listings, which
 * `corrected` puts right:
 *   - the branch for mode 0 of the model computes phi = x2 where x1 = 0, and the last line overwrites it: from
 *     x1 = 0 the mode is 0, and nothing ever switches;
 *   - sign(phi) == -sign(phiold) overlooks a phi that is exactly 0, and the step after it;
 *   - |phi| > eps may hold for ever: the iteration is limited, here in both forms. */
#include "experiments/relay/textbook.h"

#include <float.h>
#include <math.h>

/* ---- both ---- */

double relay_amplitude(double x1, double x2) {
  return fabs(x1) + 0.5 * x2 * x2;
}

void relay_accept(relay_run *run, double t, double x1, double x2) {
  double amplitude = relay_amplitude(x1, x2);
  bool first = run->steps == 0;
  run->steps++;
  if (first || amplitude < run->least) run->least = amplitude;
  if (first || amplitude > run->most) {
    run->most = amplitude;
    run->most_at = t;
  }
  run->tallest = fmax(run->tallest, fabs(x1));
  run->end = (relay_point){t, x1, x2};
  if (run->npoints < run->capacity) run->points[run->npoints++] = run->end;
}

/* The start counts as a point, not as a step. */
static void begin(relay_run *run, const double x0[2]) {
  relay_accept(run, 0.0, x0[0], x0[1]);
  run->steps = 0;
}

static double sign(double value) {
  return (double)((value > 0.0) - (value < 0.0));
}

/* ---- the pair ---- */

enum { STAGES = 6 };

static const double beta[STAGES][STAGES - 1] = {
    {0.0},
    {1.0 / 4.0},
    {3.0 / 32.0, 9.0 / 32.0},
    {1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0},
    {439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0},
    {-8.0 / 27.0, 2.0, -3544.0 / 2565.0, 1859.0 / 4104.0, -11.0 / 40.0}};
static const double fifth[STAGES] = {16.0 / 135.0,      0.0,         6656.0 / 12825.0,
                                     28561.0 / 56430.0, -9.0 / 50.0, 2.0 / 55.0};
static const double error[STAGES] = {-1.0 / 360.0,     0.0,         128.0 / 4275.0,
                                     2197.0 / 75240.0, -1.0 / 50.0, -2.0 / 55.0};

/* Of an attempt in MATLAB: five stages of t+alpha*h (2) and y+h*f*beta (38), where h*f is of 2 by 6 numbers and a
 * product of a matrix counts twice its size; delta (36), tau (1), the new h (4), and t+h twice. An accepted
 * one: y+h*f*gamma (38), t, k. */
enum { PAIR_FLOPS = 5 * 40 + 36 + 1 + 4 + 2, PAIR_ACCEPTED_FLOPS = 38 + 1 + 1 };

/* y + h * sum weights[j] f[j] */
static double combine(double y, double h, const double *weights, int count, const double *f) {
  double sum = 0.0;
  for (int j = 0; j < count; j++) sum += weights[j] * f[j];
  return y + h * sum;
}

void relay_by_pair(const double x0[2], double t_end, double tolerance, double first, double hmin,
                   double hmax, relay_run *run) {
  double t = 0.0, x1 = x0[0], x2 = x0[1], h = first;
  begin(run, x0);
  while (t < t_end && t + h > t) {
    double f1[STAGES], f2[STAGES];
    if (t + h > t_end) h = t_end - t;
    for (int i = 0; i < STAGES; i++) {
      f1[i] = combine(x2, h, beta[i], i, f2);
      f2[i] = -sign(combine(x1, h, beta[i], i, f1));
    }
    run->evaluations += STAGES;
    run->flops += PAIR_FLOPS;
    double delta =
        fmax(fabs(combine(0.0, h, error, STAGES, f1)), fabs(combine(0.0, h, error, STAGES, f2)));
    double tau = tolerance * fmax(fmax(fabs(x1), fabs(x2)), 1.0);
    if (delta <= tau || h <= hmin) {
      t += h;
      x1 = combine(x1, h, fifth, STAGES, f1);
      x2 = combine(x2, h, fifth, STAGES, f2);
      relay_accept(run, t, x1, x2);
      run->flops += PAIR_ACCEPTED_FLOPS;
    } else {
      run->rejected++;
    }
    if (delta != 0.0) h = fmax(hmin, fmin(hmax, 0.8 * h * pow(tau / delta, 0.2)));
  }
}

/* ---- trap_seh ---- */

/* Of a step in MATLAB: t+h twice and once more, yp (4), y (8), k. */
enum { TRAP_FLOPS = 3 + 4 + 8 + 1 };

/* One trapezoidal step of size h in a locked mode: the state moves. Returns phi there. */
static double trapezoid(double h, double mode, const double from[2], double to[2], relay_run *run) {
  double f1 = from[1], f2 = -mode;          /* known from before */
  double g1 = from[1] + h * f2, g2 = -mode; /* at the predicted point */
  to[0] = from[0] + h * (f1 + g1) / 2.0;
  to[1] = from[1] + h * (f2 + g2) / 2.0;
  run->evaluations++;
  return to[0];
}

/* The step at which phi is zero, between 0 (phi = phi_a) and h (phi = phi_b). */
static double find_zero(double h, double mode, const double from[2], double to[2], double phi_a,
                        double phi_b, int kkmax, relay_run *run) {
  double a = 0.0, b = h, at = h, phi = phi_b;
  int moved = 0; /* the end that was moved last */
  for (int k = 1; fabs(phi) > DBL_EPSILON && k <= kkmax; k++) {
    at = a - phi_a * (b - a) / (phi_b - phi_a);
    if (k % 4 == 0 || !(at > a && at < b)) at = 0.5 * (a + b);
    phi = trapezoid(at, mode, from, to, run);
    run->flops += RELAY_SOLVER_FLOPS;
    if (sign(phi) == sign(phi_b)) {
      if (moved == 2) phi_a *= 0.5;
      b = at;
      phi_b = phi;
      moved = 2;
    } else {
      if (moved == 1) phi_b *= 0.5;
      a = at;
      phi_a = phi;
      moved = 1;
    }
  }
  return at;
}

static bool is_event(double phi_old, double phi, bool corrected) {
  if (!corrected) return sign(phi) == -sign(phi_old);
  return phi_old != 0.0 && (phi == 0.0 || sign(phi) != sign(phi_old));
}

void relay_by_trap_seh(const double x0[2], double t_end, double step, int kkmax, bool corrected,
                       relay_run *run) {
  double t = 0.0, h = step, x[2] = {x0[0], x0[1]};
  double phi = corrected && x[0] == 0.0 ? x[1] : x[0], mode = sign(phi);
  begin(run, x0);
  while (t < t_end && t + h > t) {
    double old[2] = {x[0], x[1]}, phi_old = phi, taken = h;
    if (t + h > t_end) taken = h = t_end - t;
    run->evaluations++; /* at the old point */
    run->flops += TRAP_FLOPS;
    phi = trapezoid(h, mode, old, x, run);
    if (is_event(phi_old, phi, corrected)) {
      taken = find_zero(h, mode, old, x, phi_old, phi, kkmax, run);
      mode = -mode;
      phi = -sign(phi_old) * fmax(fabs(x[0]), corrected ? DBL_MIN : 0.0);
      run->events++;
      run->last_event = t + taken;
    }
    t += taken;
    relay_accept(run, t, x[0], x[1]);
  }
}
