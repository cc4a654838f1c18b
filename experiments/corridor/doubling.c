/* doubling.c: classical Runge-Kutta with step doubling.
 *
 * Problem: the check at the ends of steps of Esposito & Kumar 2007, table I, with "Runge-Kutta, fourth order,
 * variable step". How often it sees a corner depends on where steps end, and a pair of order 5(4) takes
 * other ones than a method of order four.
 *
 * Method: the textbook's (Press et al., "Numerical Recipes", 2nd edition 1992, section 16.2). A step h is done
 * once, and as two halves; their difference over 15 = 2^4 - 1 is the error of the halves. The next step is
 * safety h error^(-1/5), at most five times as long; after a rejected one safety h error^(-1/4), at least a
 * tenth. The switch at x = 1.75 is a condition inside the right-hand side, which is how a model without
 * events is written: steps across it become short, and longer again behind it. */
#include "experiments/corridor/doubling.h"

#include <math.h>
#include <string.h>

enum { STATES = 3 };

static void field(const double *x, double *f) {
  f[0] = cos(x[2]);
  f[1] = sin(x[2]);
  f[2] = x[0] >= 1.75 ? 0.2 : 0.0;
}

static bool in_the_corner(const double *x) {
  return x[1] <= -0.4 && x[0] <= 2.8;
}

static bool past_a_wall(const double *x) {
  return x[1] >= 0.5 || x[0] >= 3.5 || in_the_corner(x);
}

/* One step of the classical method. */
static void step(double h, const double *from, double *to) {
  static const double at[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
  double f[STATES] = {0}, sum[STATES] = {0}, x[STATES];
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < STATES; i++) x[i] = from[i] + at[s] * h * f[i];
    field(x, f);
    for (int i = 0; i < STATES; i++) sum[i] += weight[s] * f[i];
  }
  for (int i = 0; i < STATES; i++) to[i] = from[i] + h / 6.0 * sum[i];
}

/* In tolerances; `halves` is where two half steps lead to from x, `whole` where one step does. */
static double error_of(const corridor_doubling *how, const double *x, const double *whole,
                       const double *halves, double rtol, double atol) {
  double size[STATES], largest = 0.0, error = 0.0;
  for (int i = 0; i < STATES; i++) {
    size[i] = fmax(fabs(x[i]), fabs(halves[i]));
    largest = fmax(largest, size[i]);
  }
  for (int i = 0; i < STATES; i++) {
    double weight = atol + rtol * (how->by_norm ? largest : size[i]);
    error = fmax(error, fabs(halves[i] - whole[i]) / 15.0 / weight);
  }
  return error;
}

bool corridor_by_doubling(const corridor_doubling *how, const double *x0, double rtol,
                          double atol) {
  double t = 0.0, h = how->first, x[STATES];
  memcpy(x, x0, sizeof x);
  while (t < 6.0 && !past_a_wall(x)) {
    double whole[STATES], halves[STATES];
    h = fmin(h, 6.0 - t);
    step(h, x, whole);
    step(0.5 * h, x, halves);
    step(0.5 * h, halves, halves);
    double error = error_of(how, x, whole, halves, rtol, atol);
    if (error > 1.0) {
      h *= fmax(0.1, how->safety * pow(error, -0.25));
      continue;
    }
    memcpy(x, halves, sizeof x);
    t += h;
    h *= error > 0.0 ? fmin(5.0, how->safety * pow(error, -0.2)) : 5.0;
  }
  return in_the_corner(x);
}
