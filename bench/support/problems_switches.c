/* problems_switches.c: relays, thermostats, tanks, converters: modes switch, states stay. */
#include <math.h>

#include "problems/dynamics.h"
#include "support/problem.h"

static const size_t first[] = {0}, second[] = {1};
static const double plus_one[] = {1};

/* ------------------------------------------------------------------------------- relay ---- */

/* x'' = -m, m = sign(x) locked; switches at (2n - 1)/sqrt 2 (Taylor 1995). */
static int relay_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = x[1];
  dx[1] = -env->mode[0];
  return 0;
}

static int relay_flip(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = -now->mode[0];
  return 0;
}

static void relay_roots(double t, const double *x, const brink_env *env, double *g) {
  (void)t, (void)env;
  g[0] = x[0];
}

static const double relay_x0[] = {0.25, 0};
static const brink_guard_def relay_guard = {.size = sizeof(brink_guard_def),
                                            .name = "x",
                                            .depends = first,
                                            .ndepends = 1,
                                            .coefficients = plus_one,
                                            .action = relay_flip};
static const brink_model_def relay = {.size = sizeof(brink_model_def),
                                      .name = "relay",
                                      .nx = 2,
                                      .nmodes = 1,
                                      .x0 = relay_x0,
                                      .mode0 = (const int[]){1},
                                      .rhs = relay_rhs,
                                      .nguards = 1,
                                      .guards = &relay_guard};
const bench_problem bench_relay = {.name = "relay",
                                   .def = &relay,
                                   .roots = relay_roots,
                                   .t_end = 100,
                                   .time_scale = 1,
                                   .known_event = 70,
                                   .known_time = 99.7020561473032009405190550568};

/* -------------------------------------------------------------------------- thermostat ---- */

/* Heats towards 30 up to 22, cools towards 10 down to 18. mode 0: on. */
static void thermostat_roots(double t, const double *x, const brink_env *env, double *g) {
  (void)t, (void)env;
  g[0] = x[0] - 22;
  g[1] = x[0] - 18;
}

static const double thermostat_x0[] = {20};
static const brink_guard_def thermostat_guards[] = {
    {.size = sizeof(brink_guard_def),
     .name = "hot",
     .direction = BRINK_POSITIVE,
     .depends = first,
     .ndepends = 1,
     .coefficients = plus_one,
     .offset = -22,
     .action = problem_hysteresis},
    {.size = sizeof(brink_guard_def),
     .name = "cold",
     .direction = BRINK_NEGATIVE,
     .depends = first,
     .ndepends = 1,
     .coefficients = plus_one,
     .offset = -18,
     .action = problem_hysteresis},
};
static const brink_model_def thermostat = {.size = sizeof(brink_model_def),
                                           .name = "thermostat",
                                           .nx = 1,
                                           .nmodes = 1,
                                           .x0 = thermostat_x0,
                                           .rhs = problem_thermostat_rhs,
                                           .nguards = 2,
                                           .guards = thermostat_guards};
const bench_problem bench_thermostat = {.name = "thermostat",
                                        .def = &thermostat,
                                        .roots = thermostat_roots,
                                        .t_end = 100,
                                        .time_scale = 1,
                                        .known_event = 5,
                                        .known_time = 22.5046909185503166565636066763};

/* --------------------------------------------------------------------------- two tanks ---- */

/* The pump stops when the second tank rises to 0.4 and starts when it falls to 0.25. */
static void tanks_roots(double t, const double *x, const brink_env *env, double *g) {
  (void)t, (void)env;
  g[0] = x[1] - 0.4;
  g[1] = x[1] - 0.25;
}

static const double tanks_x0[] = PROBLEM_TANKS_X0;
static const brink_guard_def tanks_guards[] = {
    {.size = sizeof(brink_guard_def),
     .name = "full",
     .direction = BRINK_POSITIVE,
     .depends = second,
     .ndepends = 1,
     .coefficients = plus_one,
     .offset = -0.4,
     .action = problem_hysteresis},
    {.size = sizeof(brink_guard_def),
     .name = "low",
     .direction = BRINK_NEGATIVE,
     .depends = second,
     .ndepends = 1,
     .coefficients = plus_one,
     .offset = -0.25,
     .action = problem_hysteresis},
};
static const brink_model_def tanks = {.size = sizeof(brink_model_def),
                                      .name = "tanks",
                                      .nx = 2,
                                      .nmodes = 1,
                                      .x0 = tanks_x0,
                                      .rhs = problem_tanks_rhs,
                                      .nguards = 2,
                                      .guards = tanks_guards};
const bench_problem bench_tanks = {.name = "two tanks",
                                   .def = &tanks,
                                   .roots = tanks_roots,
                                   .t_end = 100,
                                   .time_scale = 1,
                                   .known_event = 3,
                                   .known_time = PROBLEM_TANKS_ON_AGAIN};

/* ---------------------------------------------------------------------- buck converter ---- */

/* x = (v, i); the switch is on while 8.4 (v - 11.3) is below a ramp that starts anew every 400 us.
 * p[0]: when the present ramp started. */
static void buck_roots(double t, const double *x, const brink_env *env, double *g) {
  g[0] = problem_buck_above_ramp(t, x[0], env->p[0]);
}

static int buck_ramp(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->p[0] = now->t;
  now->mode[0] = problem_buck_above_ramp(now->t, now->x[0], now->t) < 0;
  return 0;
}

static const double buck_x0[] = {12, 0.55};
static const brink_guard_def buck_guard = {.size = sizeof(brink_guard_def),
                                           .name = "comparator",
                                           .depends = first,
                                           .ndepends = 1,
                                           .value = problem_buck_value,
                                           .gradient = problem_buck_gradient,
                                           .degree = 1,
                                           .action = problem_buck_switch};
static const brink_clock_def buck_clock = {.size = sizeof(brink_clock_def),
                                           .name = "ramp",
                                           .period = PROBLEM_BUCK_PERIOD,
                                           .offset = PROBLEM_BUCK_PERIOD,
                                           .tick = buck_ramp};
static const brink_model_def buck = {.size = sizeof(brink_model_def),
                                     .name = "buck",
                                     .nx = 2,
                                     .np = 1,
                                     .nmodes = 1,
                                     .x0 = buck_x0,
                                     .p0 = (const double[]){0},
                                     .mode0 = (const int[]){0},
                                     .rhs = problem_buck_rhs,
                                     .nguards = 1,
                                     .guards = &buck_guard,
                                     .nclocks = 1,
                                     .clocks = &buck_clock};
const bench_problem bench_buck = {.name = "buck converter",
                                  .def = &buck,
                                  .roots = buck_roots,
                                  .t_end = 4e-3,
                                  .time_scale = 1e-4,
                                  .known_event = 3,
                                  .known_time = 0.00142217828758950117769768};
