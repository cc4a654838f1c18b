/* corridor.c: the vehicle in the corridor (see dynamics.h). */
#include <math.h>

#include "problems/dynamics.h"

int problem_corridor_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = cos(x[2]);
  dx[1] = sin(x[2]);
  dx[2] = env->mode[0] == 0 ? 0.0 : 0.2;
  return 0;
}

int problem_corridor_turn(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 1;
  return 0;
}
