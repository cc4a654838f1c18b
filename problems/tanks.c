/* tanks.c: two connected tanks and a pump (see dynamics.h). */
#include <math.h>

#include "problems/dynamics.h"

int problem_tanks_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  if (x[0] < x[1] || x[1] < 0) return 1;
  double between = 0.2 * sqrt(x[0] - x[1]);
  dx[0] = (env->mode[0] == 0 ? 0.12 : 0) - between;
  dx[1] = between - 0.15 * sqrt(x[1]);
  return 0;
}
