/* buck.c: a buck converter (see dynamics.h). */
#include "problems/dynamics.h"

int problem_buck_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = (x[1] - x[0] / 22) / 47e-6;
  dx[1] = ((env->mode[0] == 1 ? 24 : 0) - x[0]) / 20e-3;
  return 0;
}

double problem_buck_above_ramp(double t, double v, double start) {
  return 8.4 * (v - 11.3) - (3.8 + 4.4 * (t - start) / PROBLEM_BUCK_PERIOD);
}

int problem_buck_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard;
  *g = problem_buck_above_ramp(t, x[0], env->p[0]);
  return 0;
}

int problem_buck_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                          double *dt) {
  (void)guard, (void)t, (void)x, (void)env;
  dx[0] = 8.4;
  *dt = -4.4 / PROBLEM_BUCK_PERIOD;
  return 0;
}

int problem_buck_switch(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  now->mode[0] = event->direction == BRINK_NEGATIVE;
  return 0;
}
