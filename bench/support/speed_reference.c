/* speed_reference.c: references by a method that none of the simulators uses, in long double. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/speed_problems.h"

enum { STATES = 256, COLUMNS = 8 };

/* How far the midpoint rule gets over H in m steps, with Gragg's smoothing at the end. Distances from x are computed, not
 * states: extrapolation multiplies their rounding by hundreds. */
static void midpoint(speed_field *field, size_t n, long double H, int m, const long double *x,
                     long double *way) {
  long double a[STATES] = {0}, b[STATES], at[STATES], f[STATES], h = H / m;
  field(n, x, f);
  for (size_t i = 0; i < n; i++) b[i] = h * f[i];
  for (int k = 1; k <= m; k++) {
    for (size_t i = 0; i < n; i++) at[i] = x[i] + b[i];
    field(n, at, f);
    for (size_t i = 0; k < m && i < n; i++) {
      long double next = a[i] + 2 * h * f[i];
      a[i] = b[i];
      b[i] = next;
    }
  }
  for (size_t i = 0; i < n; i++) way[i] = (a[i] + b[i] + h * f[i]) / 2;
}

/* Extrapolation in h^2: m = 2, 4, 6, … */
static void one_step(speed_field *field, size_t n, long double H, long double *x) {
  long double table[COLUMNS][STATES];
  for (int j = 0; j < COLUMNS; j++) {
    midpoint(field, n, H, 2 * (j + 1), x, table[j]);
    for (int k = j - 1; k >= 0; k--) {
      long double ratio = (long double)(j + 1) / (k + 1), by = ratio * ratio - 1;
      for (size_t i = 0; i < n; i++)
        table[k][i] = table[k + 1][i] + (table[k + 1][i] - table[k][i]) / by;
    }
  }
  for (size_t i = 0; i < n; i++) x[i] += table[0][i];
}

static void integrate(speed_field *field, size_t n, double t, long steps, const double *start,
                      long double *x) {
  for (size_t i = 0; i < n; i++) x[i] = start[i];
  for (long k = 0; k < steps; k++) one_step(field, n, (long double)t / steps, x);
}

bool speed_reference(speed_field *field, size_t n, double t, long steps, const double *start,
                     double *x) {
  long double coarse[STATES], fine[STATES], worst = 0;
  if (n > STATES) return false;
  integrate(field, n, t, steps, start, coarse);
  integrate(field, n, t, 2 * steps, start, fine);
  for (size_t i = 0; i < n; i++) {
    worst = fmaxl(worst, fabsl(fine[i] - coarse[i]) / (1 + fabsl(fine[i])));
    x[i] = (double)fine[i];
  }
  if (worst > 1e-14L) fprintf(stderr, "reference: two of them differ by %.1Le\n", worst);
  return worst <= 1e-14L;
}
