/* dynamics.h: right-hand sides, guards and actions of problems that several tables use: that of the tests (problems.h), with
 * what must happen, and that of the benchmarks (bench/support/problem.h), beside CVODE. One file a problem.
 *
 * They read modes and parameters from `env` and `now` alone, so that any simulator can call them. */
#ifndef BRINK_PROBLEMS_DYNAMICS_H
#define BRINK_PROBLEMS_DYNAMICS_H

#include <brink/brink.h>

/* corridor.c: a vehicle at unit speed, x = (x, y, theta): straight (mode 0), then, from x = 1.75 on, on a circle (mode 1).
 * From (0, 0.054, -0.2) it clips the inner corner {y <= -0.4 and x <= 2.8} (Esposito & Kumar 2007, ex. 1). */
int problem_corridor_rhs(double t, const double *x, const brink_env *env, double *dx);
int problem_corridor_turn(const brink_event *event, brink_now *now, void *user);
#define PROBLEM_CORRIDOR_X0                                                                        \
  { 0, 0.054, -0.2 }
#define PROBLEM_CORRIDOR_FAR 3.54516451518867759164477587101 /* when it is at x = 3.5 */

/* pendulum.c: x = (angle, velocity); a hit returns nine tenths of the velocity. From (1, 0), wall at -0.5. */
int problem_pendulum_rhs(double t, const double *x, const brink_env *env, double *dx);
int problem_pendulum_hit(const brink_event *event, brink_now *now, void *user);

/* van_der_pol.c: x'' = (1 - x^2) x' - x. */
int problem_van_der_pol_rhs(double t, const double *x, const brink_env *env, double *dx);

/* thermostat.c: heats towards 30 (mode 0) up to 22, cools towards 10 (mode 1) down to 18. */
int problem_thermostat_rhs(double t, const double *x, const brink_env *env, double *dx);

/* tanks.c: two connected tanks; the pump (mode 0: on) has hysteresis, 0.4 and 0.25, on the level of the second. */
int problem_tanks_rhs(double t, const double *x, const brink_env *env, double *dx);
#define PROBLEM_TANKS_X0                                                                           \
  { 0.5, 0.1 }
#define PROBLEM_TANKS_ON_AGAIN                                                                     \
  39.07791639747930589039666268 /* when the pump starts the second time */

/* For both: guard 0 leads to mode 1, guard 1 to mode 0. */
int problem_hysteresis(const brink_event *event, brink_now *now, void *user);

/* buck.c: a converter, x = (v, i). The switch is closed (mode 1) while 8.4 (v - 11.3) is below a ramp, which restarts at
 * p[0], every PROBLEM_BUCK_PERIOD. */
#define PROBLEM_BUCK_PERIOD 400e-6
int problem_buck_rhs(double t, const double *x, const brink_env *env, double *dx);
double problem_buck_above_ramp(double t, double v, double start); /* the guard */
int problem_buck_value(size_t guard, double t, const double *x, const brink_env *env, double *g);
int problem_buck_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                          double *dt);
int problem_buck_switch(const brink_event *event, brink_now *now, void *user);

#endif
