/* pendulum.c: a pendulum and a wall (see dynamics.h). */
#include <math.h>

#include "problems/dynamics.h"

int problem_pendulum_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1];
  dx[1] = -sin(x[0]);
  return 0;
}

int problem_pendulum_hit(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] *= -0.9;
  return 0;
}
