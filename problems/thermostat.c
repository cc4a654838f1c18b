/* thermostat.c: heating with hysteresis (see dynamics.h). */
#include "problems/dynamics.h"

int problem_thermostat_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = -0.1 * (x[0] - (env->mode[0] == 0 ? 30 : 10));
  return 0;
}

int problem_hysteresis(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  now->mode[0] = event->guard == 0;
  return 0;
}
