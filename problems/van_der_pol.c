/* van_der_pol.c: the oscillator of van der Pol (see dynamics.h). */
#include "problems/dynamics.h"

int problem_van_der_pol_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1];
  dx[1] = (1 - x[0] * x[0]) * x[1] - x[0];
  return 0;
}
