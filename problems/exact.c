/* exact.c: closed forms (see exact.h). */
#include "problems/exact.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* ---- the corridor ---- */

void brink_corridor_at(const double *x0, double t, double *x, double *y) {
  double bend = (1.75 - x0[0]) / cos(x0[2]), straight = fmin(t, bend);
  *x = x0[0] + straight * cos(x0[2]);
  *y = x0[1] + straight * sin(x0[2]);
  if (t <= bend) return;
  double theta = x0[2] + (t - bend) / 5;
  *x += 5 * (sin(theta) - sin(x0[2]));
  *y -= 5 * (cos(theta) - cos(x0[2]));
}

static double depth_at(const double *x0, double t) {
  double x, y;
  brink_corridor_at(x0, t, &x, &y);
  return fmin(-0.4 - y, 2.8 - x);
}

/* Depth rises to one maximum and falls: scan, and scan again around the best. */
static double scan_depth(const double *x0, double *when) {
  double low = 0, high = 3.5, best = -INFINITY;
  for (int round = 0; round < 5; round++) {
    double step = (high - low) / 100;
    for (int k = 0; k <= 100; k++) {
      double t = low + k * step, depth = depth_at(x0, t);
      if (depth <= best) continue;
      best = depth;
      *when = t;
    }
    low = *when - step;
    high = *when + step;
  }
  return best;
}

double brink_corridor_depth(const double *x0, double *when) {
  double x, y, lowest = (1.75 - x0[0]) / cos(x0[2]) - 5 * x0[2]; /* where theta = 0 */
  brink_corridor_at(x0, lowest, &x, &y);
  *when = lowest;
  return 2.8 - x >= -0.4 - y ? -0.4 - y : scan_depth(x0, when);
}

double brink_corridor_contact(const double *x0, double inside) {
  double low = 0, high = inside;
  for (int k = 0; k < 100; k++) {
    double middle = 0.5 * (low + high);
    if (depth_at(x0, middle) >= 0)
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* ---- the arm ---- */

bool brink_arm_joints(double l2, double x, double y, double *th1, double *th2) {
  double c = (x * x + y * y - 1 - l2 * l2) / (2 * l2);
  if (!(fabs(c) <= 1 + 1e-12)) return false; /* at the edge rounding decides */
  *th2 = acos(fmax(-1, fmin(1, c)));
  *th1 = atan2(y, x) - atan2(l2 * sin(*th2), 1 + l2 * cos(*th2));
  return true;
}

double brink_arm_exit(double reach, double x, double y, double vx, double vy) {
  double v2 = vx * vx + vy * vy, along = x * vx + y * vy, rest = reach * reach - x * x - y * y;
  return (sqrt(along * along + v2 * rest) - along) / v2;
}

/* ---- García's examples ---- */

void brink_garcia_at(const brink_garcia *g, double t, double x[2]) {
  if (g->linear) {
    x[0] = -2 * exp(t) * (cos(t) - sin(t));
    x[1] = -2 * exp(t) * (cos(t) + sin(t));
  } else {
    double u = t / g->beta - 2.5;
    x[0] = g->beta * u;
    x[1] = 10 * (u - u * u * u * u * u);
  }
}

void brink_garcia_field(const brink_garcia *g, const double x[2], double f[2]) {
  double u = x[0] / g->beta;
  f[0] = g->linear ? x[0] - x[1] : 1;
  f[1] = g->linear ? x[0] + x[1] : 10 * (1 - 5 * u * u * u * u) / g->beta;
}

/* g falls through zero once between the two times. */
static double falling_zero(const brink_garcia *g, double low, double high) {
  for (int k = 0; k < 100; k++) {
    double middle = 0.5 * (low + high), x[2];
    brink_garcia_at(g, middle, x);
    if (x[1] + g->alpha > 0)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

brink_garcia_answer brink_garcia_solve(const brink_garcia *g) {
  brink_garcia_answer a = {0};
  double u = pow(5, -0.25), field[2];
  a.tangency = g->linear ? 2 * exp(pi / 2) : 8 * u;
  a.touch = g->linear ? pi / 2 : g->beta * (2.5 - u);
  brink_garcia_at(g, a.touch, a.touch_x);
  a.approach = g->alpha - a.tangency;
  double low = 0, high = a.touch;
  if (a.approach > 0) { /* then the event is past the maximum of g that follows */
    low = g->linear ? 1.5 * pi : g->beta * (2.5 + u);
    high = g->linear ? 2 * pi : g->beta * 5;
  }
  a.event = falling_zero(g, low, high);
  brink_garcia_at(g, a.event, a.x);
  brink_garcia_field(g, a.x, field);
  /* f- = (0, -1) meets the line at a right angle. */
  a.transversality = hypot(field[0], field[1]) / fabs(field[1]);
  return a;
}

double brink_garcia_condition(const brink_garcia_answer *a, double h, bool short_interval) {
  if (a->approach <= 0) return a->transversality;
  if (short_interval) return 1 / a->approach;
  double distance = hypot(a->touch_x[0] - a->x[0], a->touch_x[1] - a->x[1]);
  return a->transversality * h * distance / a->approach;
}
