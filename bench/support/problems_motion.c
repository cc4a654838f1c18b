/* problems_motion.c: bodies that hit, pass and meet. */
#include <brink/jet.h>
#include <math.h>

#include "problems/dynamics.h"
#include "support/problem.h"

static const size_t first[] = {0}, second[] = {1};
static const double plus_one[] = {1};

static int stop(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)now, (void)user;
  return BRINK_STOPPED;
}

/* ------------------------------------------------------------------------ bouncing ball ---- */

/* Restitution 0.8, stopped at the tenth bounce; mode[0] counts. */
static int ball_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1];
  dx[1] = -9.81;
  return 0;
}

static int ball_bounce(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] *= -0.8;
  return ++now->mode[0] == 10 ? BRINK_STOPPED : 0;
}

static void height_roots(double t, const double *x, const brink_env *env, double *g) {
  (void)t, (void)env;
  g[0] = x[0];
}

static const double ball_x0[] = {1, 0};
static const brink_guard_def ball_guard = {.size = sizeof(brink_guard_def),
                                           .name = "floor",
                                           .side = BRINK_UNILATERAL,
                                           .direction = BRINK_NEGATIVE,
                                           .depends = first,
                                           .ndepends = 1,
                                           .coefficients = plus_one,
                                           .action = ball_bounce};
static const brink_model_def ball = {.size = sizeof(brink_model_def),
                                     .name = "ball",
                                     .nx = 2,
                                     .nmodes = 1,
                                     .x0 = ball_x0,
                                     .rhs = ball_rhs,
                                     .nguards = 1,
                                     .guards = &ball_guard};
const bench_problem bench_ball = {.name = "bouncing ball",
                                  .def = &ball,
                                  .roots = height_roots,
                                  .t_end = 10,
                                  .time_scale = 1,
                                  .known_event = 9,
                                  .known_time = 3.57889295102043828073911646412};

/* ----------------------------------------------------------------------------- pendulum ---- */

static void pendulum_roots(double t, const double *x, const brink_env *env, double *g) {
  (void)t, (void)env;
  g[0] = x[0] + 0.5;
}

static const double pendulum_x0[] = {1, 0};
static const brink_guard_def pendulum_guard = {.size = sizeof(brink_guard_def),
                                               .name = "wall",
                                               .side = BRINK_UNILATERAL,
                                               .direction = BRINK_NEGATIVE,
                                               .depends = first,
                                               .ndepends = 1,
                                               .coefficients = plus_one,
                                               .offset = 0.5,
                                               .action = problem_pendulum_hit};
static const brink_model_def pendulum = {.size = sizeof(brink_model_def),
                                         .name = "pendulum",
                                         .nx = 2,
                                         .x0 = pendulum_x0,
                                         .rhs = problem_pendulum_rhs,
                                         .nguards = 1,
                                         .guards = &pendulum_guard};
const bench_problem bench_pendulum = {.name = "pendulum, wall",
                                      .def = &pendulum,
                                      .roots = pendulum_roots,
                                      .t_end = 21,
                                      .time_scale = 1,
                                      .known_event = 4,
                                      .known_time = 20.7435218031714714730500200616};

/* ------------------------------------------------------------------------------- Garcia ---- */

/* A growing spiral, left for a straight line at x2 = -9 (Garcia 2004, linear example). */
static int garcia_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = env->mode[0] == 0 ? x[0] - x[1] : 0;
  dx[1] = env->mode[0] == 0 ? x[0] + x[1] : -1;
  return 0;
}

static int garcia_leave(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 1;
  return 0;
}

static void garcia_roots(double t, const double *x, const brink_env *env, double *g) {
  (void)t, (void)env;
  g[0] = x[1] + 9;
}

static const double garcia_x0[] = {-2, -2};
static const brink_guard_def garcia_guard = {.size = sizeof(brink_guard_def),
                                             .name = "edge",
                                             .direction = BRINK_NEGATIVE,
                                             .depends = second,
                                             .ndepends = 1,
                                             .coefficients = plus_one,
                                             .offset = 9,
                                             .action = garcia_leave};
static const brink_model_def garcia = {.size = sizeof(brink_model_def),
                                       .name = "garcia",
                                       .nx = 2,
                                       .nmodes = 1,
                                       .x0 = garcia_x0,
                                       .rhs = garcia_rhs,
                                       .nguards = 1,
                                       .guards = &garcia_guard};
const bench_problem bench_garcia = {.name = "garcia linear",
                                    .def = &garcia,
                                    .roots = garcia_roots,
                                    .t_end = 2,
                                    .time_scale = 1,
                                    .known_event = 0,
                                    .known_time = 1.29137825252011736863330303116};

/* ----------------------------------------------------------------------------- corridor ---- */

/* A vehicle clips a corner: y passes -0.4 twice within 0.128 s (Esposito & Kumar 2007, ex. 1). The
 * trigger is a formula, which CVODE has not; here its parts are guards of their own. */
static void corridor_roots(double t, const double *x, const brink_env *env, double *g) {
  (void)t, (void)env;
  g[0] = x[0] - 1.75;
  g[1] = x[1] + 0.4;
  g[2] = x[0] - 2.8;
  g[3] = x[0] - 3.5;
}

#define CORRIDOR_GUARD(what, state, constant, does)                                                \
  {                                                                                                \
    .size = sizeof(brink_guard_def), .name = (what), .depends = (state), .ndepends = 1,            \
    .coefficients = plus_one, .offset = (constant), .action = (does)                               \
  }
static const double corridor_x0[] = PROBLEM_CORRIDOR_X0;
static const brink_guard_def corridor_guards[] = {
    CORRIDOR_GUARD("turn", first, -1.75, problem_corridor_turn),
    CORRIDOR_GUARD("low", second, 0.4, NULL),
    CORRIDOR_GUARD("corner", first, -2.8, NULL),
    CORRIDOR_GUARD("far", first, -3.5, stop),
};
static const brink_model_def corridor = {.size = sizeof(brink_model_def),
                                         .name = "corridor",
                                         .nx = 3,
                                         .nmodes = 1,
                                         .x0 = corridor_x0,
                                         .rhs = problem_corridor_rhs,
                                         .nguards = 4,
                                         .guards = corridor_guards};
const bench_problem bench_corridor = {.name = "corridor",
                                      .def = &corridor,
                                      .roots = corridor_roots,
                                      .t_end = 5,
                                      .time_scale = 1,
                                      .known_event = 4,
                                      .known_time = PROBLEM_CORRIDOR_FAR};

/* ------------------------------------------------------------------------------ spirals ---- */

/* Two cars on logarithmic spirals about their own centres, 2.3 apart; contact at distance 0.3. */
static int spirals_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  const double rate1 = 0.9618731725128838, rate2 = 0.25179356624028343; /* |a + i w| */
  double v1 = rate1 * sqrt(x[0] * x[0] + x[1] * x[1]);
  double u = x[3] + 2.3, v2 = rate2 * sqrt(u * u + x[4] * x[4]);
  dx[0] = v1 * cos(x[2]);
  dx[1] = v1 * sin(x[2]);
  dx[2] = 0.96;
  dx[3] = v2 * cos(x[5]);
  dx[4] = v2 * sin(x[5]);
  dx[5] = -0.25;
  return 0;
}

static double distance(const double *x) {
  double u = x[0] - x[3], v = x[1] - x[4];
  return sqrt(u * u + v * v);
}

static int spirals_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = distance(x) - 0.3;
  return 0;
}

static int spirals_gradient(size_t guard, double t, const double *x, const brink_env *env,
                            double *dx, double *dt) {
  (void)guard, (void)t, (void)env;
  double d = distance(x);
  dx[0] = (x[0] - x[3]) / d;
  dx[1] = (x[1] - x[4]) / d;
  dx[2] = -dx[0];
  dx[3] = -dx[1];
  *dt = 0;
  return 0;
}

static int spirals_jet(size_t guard, int order, const double *t, const double *const *x,
                       const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  double u[BRINK_JET_MAX_ORDER + 1], v[BRINK_JET_MAX_ORDER + 1];
  brink_jet_sub(order, x[0], x[3], u);
  brink_jet_sub(order, x[1], x[4], v);
  brink_jet_hypot(order, u, v, g);
  brink_jet_add_constant(order, g, -0.3, g);
  return 0;
}

static void spirals_roots(double t, const double *x, const brink_env *env, double *g) {
  (void)t, (void)env;
  g[0] = distance(x) - 0.3;
}

static const size_t positions[] = {0, 1, 3, 4};
static const double ones[] = {1, 1, 1, 1};
static const brink_guard_def spirals_guard = {.size = sizeof(brink_guard_def),
                                              .name = "contact",
                                              .side = BRINK_UNILATERAL,
                                              .direction = BRINK_NEGATIVE,
                                              .depends = positions,
                                              .ndepends = 4,
                                              .value = spirals_value,
                                              .gradient = spirals_gradient,
                                              .jet = spirals_jet,
                                              .lipschitz = ones,
                                              .action = stop};
static const double spirals_x0[] = {1, 0, 1.50837751679893927076, -2.3, 0.4, 0.11942892601833845};
static const brink_model_def spirals = {.size = sizeof(brink_model_def),
                                        .name = "spirals",
                                        .nx = 6,
                                        .x0 = spirals_x0,
                                        .rhs = spirals_rhs,
                                        .nguards = 1,
                                        .guards = &spirals_guard};
const bench_problem bench_spirals = {.name = "two spirals",
                                     .def = &spirals,
                                     .roots = spirals_roots,
                                     .t_end = 12,
                                     .time_scale = 1,
                                     .known_event = 0,
                                     .known_time = 9.91734725786805189338021029466};

/* -------------------------------------------------------------------------------- flyby ---- */

/* A hyperbola, e = 1.5; spheres |r| = 2 and 10, and the closest approach r.v = 0. */
static int flyby_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  double r2 = x[0] * x[0] + x[1] * x[1], k = 1 / (r2 * sqrt(r2));
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = -k * x[0];
  dx[3] = -k * x[1];
  return 0;
}

static void flyby_roots(double t, const double *x, const brink_env *env, double *g) {
  (void)t, (void)env;
  double r2 = x[0] * x[0] + x[1] * x[1];
  g[0] = r2 - 4;
  g[1] = x[0] * x[2] + x[1] * x[3];
  g[2] = r2 - 100;
}

static int flyby_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  double all[3];
  flyby_roots(t, x, env, all);
  *g = all[guard];
  return 0;
}

static int flyby_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                          double *dt) {
  (void)t, (void)env;
  bool sphere = guard != 1;
  dx[0] = sphere ? 2 * x[0] : x[2];
  dx[1] = sphere ? 2 * x[1] : x[3];
  dx[2] = sphere ? 0 : x[0];
  dx[3] = sphere ? 0 : x[1];
  *dt = 0;
  return 0;
}

static int flyby_jet(size_t guard, int order, const double *t, const double *const *x,
                     const brink_env *env, double *g) {
  (void)t, (void)env;
  double other[BRINK_JET_MAX_ORDER + 1];
  size_t shift = guard == 1 ? 2 : 0;
  brink_jet_mul(order, x[0], x[shift], g);
  brink_jet_mul(order, x[1], x[shift + 1], other);
  brink_jet_add(order, g, other, g);
  g[0] -= guard == 0 ? 4 : guard == 1 ? 0 : 100;
  return 0;
}

#define FLYBY_GUARD(what, way, does)                                                               \
  {                                                                                                \
    .size = sizeof(brink_guard_def), .name = (what), .direction = (way), .value = flyby_value,     \
    .gradient = flyby_gradient, .jet = flyby_jet, .degree = 2, .action = (does)                    \
  }
static const double flyby_x0[] = {-5.83333333333333333333333, -8.12232862067413658903201,
                                  0.726483157256778925372830, 0.819891591749922888683364};
static const brink_guard_def flyby_guards[] = {
    FLYBY_GUARD("r = 2", BRINK_BOTH, NULL),
    FLYBY_GUARD("closest", BRINK_POSITIVE, NULL),
    FLYBY_GUARD("r = 10", BRINK_POSITIVE, stop),
};
static const brink_model_def flyby = {.size = sizeof(brink_model_def),
                                      .name = "flyby",
                                      .nx = 4,
                                      .x0 = flyby_x0,
                                      .rhs = flyby_rhs,
                                      .nguards = 3,
                                      .guards = flyby_guards};
const bench_problem bench_flyby = {.name = "hyperbolic flyby",
                                   .def = &flyby,
                                   .roots = flyby_roots,
                                   .t_end = 20,
                                   .time_scale = 1,
                                   .known_event = 3,
                                   .known_time = 16.4327030588277032245787245534};
