/* table_agents.c: bodies that meet (Esposito, Kumar & Pappas 2001), each pair in one system. */
#include "problems/problems.h"

#include <brink/jet.h>

/* ------------------------------------------------------------- P6: cars on spirals ---- */

/* z_i = c_i + r_i exp((a_i + i w_i) t + i phi_i); car 1 about the origin, car 2 about (-D, 0).
 * p = (D). As unicycles: x = (x1, y1, th1, x2, y2, th2), the speed |a + i w| times the distance to
 * the own centre. The distance of the cars enters as a root: no polynomial. */
enum { A1 = 0, W1 = 1, A2 = 2, W2 = 3 };
static const double spiral[] = {0.06, 0.96, 0.03, -0.25};

static int cars_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  double v1 = hypot(spiral[A1], spiral[W1]) * hypot(x[0], x[1]);
  double v2 = hypot(spiral[A2], spiral[W2]) * hypot(x[3] + env->p[0], x[4]);
  dx[0] = v1 * cos(x[2]);
  dx[1] = v1 * sin(x[2]);
  dx[2] = spiral[W1];
  dx[3] = v2 * cos(x[5]);
  dx[4] = v2 * sin(x[5]);
  dx[5] = spiral[W2];
  return 0;
}

static int distance_value(size_t guard, double t, const double *x, const brink_env *env,
                          double *g) {
  (void)guard, (void)t, (void)env;
  *g = 0.3 - hypot(x[0] - x[3], x[1] - x[4]);
  return 0;
}

static int distance_gradient(size_t guard, double t, const double *x, const brink_env *env,
                             double *dx, double *dt) {
  (void)guard, (void)t, (void)env;
  double d = hypot(x[0] - x[3], x[1] - x[4]);
  dx[0] = -(x[0] - x[3]) / d;
  dx[1] = -(x[1] - x[4]) / d;
  dx[2] = -dx[0];
  dx[3] = -dx[1];
  *dt = 0;
  return 0;
}

/* The same as the linear system z' = (a + i w)(z - c), x = (x1, y1, x2, y2), with the square of the
 * distance: a polynomial guard. */
static int spirals_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  double d = x[2] + env->p[0];
  dx[0] = spiral[A1] * x[0] - spiral[W1] * x[1];
  dx[1] = spiral[W1] * x[0] + spiral[A1] * x[1];
  dx[2] = spiral[A2] * d - spiral[W2] * x[3];
  dx[3] = spiral[W2] * d + spiral[A2] * x[3];
  return 0;
}

static int square_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  double u = x[0] - x[2], v = x[1] - x[3];
  *g = 0.09 - (u * u + v * v);
  return 0;
}

static int square_jet(size_t guard, int order, const double *t, const double *const *x,
                      const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  double u[BRINK_JET_MAX_ORDER + 1], v[BRINK_JET_MAX_ORDER + 1];
  brink_jet_sub(order, x[0], x[2], u);
  brink_jet_square(order, u, u);
  brink_jet_sub(order, x[1], x[3], v);
  brink_jet_square(order, v, v);
  brink_jet_add(order, u, v, g);
  brink_jet_scale(order, g, -1, g);
  brink_jet_add_constant(order, g, 0.09, g);
  return 0;
}

static const size_t car_positions[] = {0, 1, 3, 4};
static const brink_guard_def cars_guard = {
    .size = sizeof(brink_guard_def),
    .name = "contact",
    .direction = BRINK_POSITIVE,
    .depends = car_positions,
    .ndepends = 4,
    .value = distance_value,
    .gradient = distance_gradient,
    .action = problem_stop,
};
static const brink_guard_def spirals_guard = {
    .size = sizeof(brink_guard_def),
    .name = "contact",
    .direction = BRINK_POSITIVE,
    .value = square_value,
    .jet = square_jet,
    .degree = 2,
    .action = problem_stop,
};
static const brink_model_def cars = {.size = sizeof(brink_model_def),
                                     .nx = 6,
                                     .np = 1,
                                     .rhs = cars_rhs,
                                     .nguards = 1,
                                     .guards = &cars_guard};
static const brink_model_def spirals = {.size = sizeof(brink_model_def),
                                        .nx = 4,
                                        .np = 1,
                                        .rhs = spirals_rhs,
                                        .nguards = 1,
                                        .guards = &spirals_guard};

/* First headings: phi + arg(a + i w) = atan(16), and pi/2 + atan2(-0.25, 0.03). */
#define CARS_X0(D) ((const double[]){1, 0, 1.50837751679893927076, -(D), 0.4, 0.11942892601833845})
#define SPIRALS_X0(D) ((const double[]){1, 0, -(D), 0.4})

#define CARS_HIT(D, time, dgdt, deep, ax, ay, bx, by)                                              \
  {.id = "P6/" #D,                                                                                 \
   .title = "two cars on spirals, unicycles, distance",                                            \
   .def = &cars,                                                                                   \
   .p0 = (const double[]){D},                                                                      \
   .x0 = CARS_X0(D),                                                                               \
   .t_end = 12,                                                                                    \
   .status = BRINK_STOPPED,                                                                        \
   .events =                                                                                       \
       (const problem_event[]){{"contact", BRINK_POSITIVE, time, .rate = (dgdt), .depth = (deep),  \
                                .after = (const double[]){ax, ay, NAN, bx, by, NAN}}},             \
   .nevents = 1},                                                                                  \
  {                                                                                                \
    .id = "P6s/" #D, .title = "two cars on spirals, linear, square of the distance",               \
    .def = &spirals, .p0 = (const double[]){D}, .x0 = SPIRALS_X0(D), .t_end = 12,                  \
    .status = BRINK_STOPPED,                                                                       \
    .events = (const problem_event[]){{"contact", BRINK_POSITIVE, time, .rate = 0.6 * (dgdt),      \
                                       .depth = 0.6 * (deep),                                      \
                                       .after = (const double[]){ax, ay, bx, by}}},                \
    .nevents = 1,                                                                                  \
  }

/* ------------------------------------------------------------- P7: causality trap ---- */

/* Three points at constant velocity; contact at distance 1. When 2 and 3 meet at t = 3 they
 * exchange velocities, and only then will 2 meet 1. x = (x1, y1, x2, y2, x3, y3, velocities). */
static int straight_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)problem_inside(t, x, env);
  for (int i = 0; i < 6; i++) {
    dx[i] = x[6 + i];
    dx[6 + i] = 0;
  }
  return 0;
}

/* Guard k watches the pair (first[k], second[k]). */
static const size_t first[] = {0, 0, 1}, second[] = {1, 2, 2};

static int pair_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)t, (void)env;
  const double *a = x + 2 * first[guard], *b = x + 2 * second[guard];
  *g = (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) - 1;
  return 0;
}

static int pair_jet(size_t guard, int order, const double *t, const double *const *x,
                    const brink_env *env, double *g) {
  (void)t, (void)env;
  const double *const *a = x + 2 * first[guard], *const *b = x + 2 * second[guard];
  double u[BRINK_JET_MAX_ORDER + 1];
  brink_jet_sub(order, b[0], a[0], u);
  brink_jet_square(order, u, u);
  brink_jet_sub(order, b[1], a[1], g);
  brink_jet_square(order, g, g);
  brink_jet_add(order, u, g, g);
  brink_jet_add_constant(order, g, -1, g);
  return 0;
}

static bool apart(double t, const double *x, const brink_env *env) {
  for (size_t k = 0; k < 3; k++) {
    double g;
    pair_value(k, t, x, env, &g);
    if (g < 0) return false;
  }
  return true;
}

static int exchange(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  double *a = now->x + 6 + 2 * first[event->guard], *b = now->x + 6 + 2 * second[event->guard];
  for (int i = 0; i < 2; i++) {
    double keep = a[i];
    a[i] = b[i];
    b[i] = keep;
  }
  return 0;
}

#define PAIR(a, b, what)                                                                           \
  {                                                                                                \
    .size = sizeof(brink_guard_def), .name = #a "," #b, .side = BRINK_UNILATERAL,                  \
    .direction = BRINK_NEGATIVE, .value = pair_value, .jet = pair_jet, .degree = 2,                \
    .action = (what)                                                                               \
  }
static const brink_guard_def agents_guards[] = {PAIR(1, 2, problem_stop), PAIR(1, 3, problem_stop),
                                                PAIR(2, 3, exchange)};
static const double agents_x0[] = {-10, 0, 0, -20, 0, -25.8, 1, 0, 0, 1, 0, 2.6};
static const double agents_spread[] = {0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
static const brink_model_def agents = {.size = sizeof(brink_model_def),
                                       .nx = 12,
                                       .x0 = agents_x0,
                                       .rhs = straight_rhs,
                                       .nguards = 3,
                                       .guards = agents_guards};
/* 2 and 3 close in at 1.6, at distance 1; 1 and 2 at distance 1 with velocities (1, 0), (0, 2.6):
 * positions (-0.726…, 0) and (0, -0.6877…). */
static const problem_event agents_events[] = {
    {"2,3", BRINK_NEGATIVE, 3, .rate = 3.2,
     .after = (const double[]){-7, 0, 0, -17, 0, -18, 1, 0, 0, 2.6, 0, 1}},
    {"1,2", BRINK_NEGATIVE, 9.2739740956191614763994185914, .rate = 5.0},
};

/* The companion: B stands at (0, -4.8) until its own time event at 5.2. x = (xA, yA, xB, yB). */
static int waiting_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = 1;
  dx[1] = dx[2] = 0;
  dx[3] = env->mode[0];
  return 0;
}

static int depart(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->mode[0] = 1;
  now->timer[0] = (double)INFINITY;
  return 0;
}

static int companion_value(size_t guard, double t, const double *x, const brink_env *env,
                           double *g) {
  (void)guard, (void)t, (void)env;
  *g = hypot(x[2] - x[0], x[3] - x[1]) - 1;
  return 0;
}

static int companion_gradient(size_t guard, double t, const double *x, const brink_env *env,
                              double *dx, double *dt) {
  (void)guard, (void)t, (void)env;
  double d = hypot(x[2] - x[0], x[3] - x[1]);
  dx[2] = (x[2] - x[0]) / d;
  dx[3] = (x[3] - x[1]) / d;
  dx[0] = -dx[2];
  dx[1] = -dx[3];
  *dt = 0;
  return 0;
}

static const brink_guard_def companion_guard = {
    .size = sizeof(brink_guard_def),
    .name = "A,B",
    .direction = BRINK_NEGATIVE,
    .value = companion_value,
    .gradient = companion_gradient,
    .action = problem_stop,
};
static const brink_clock_def companion_clock = {
    .size = sizeof(brink_clock_def), .name = "depart", .offset = 5.2, .tick = depart};
static const double companion_x0[] = {-10, 0, 0, -4.8};
static const brink_model_def companion = {
    .size = sizeof(brink_model_def),
    .nx = 4,
    .nmodes = 1,
    .x0 = companion_x0,
    .rhs = waiting_rhs,
    .nguards = 1,
    .guards = &companion_guard,
    .nclocks = 1,
    .clocks = &companion_clock,
};
static const problem_event companion_events[] = {
    {"A,B", BRINK_NEGATIVE, 9.2928932188134524755991556379, .rate = 1.414213562373095,
     .after = (const double[]){-0.707106781186547524400844362105, 0, 0,
                               -0.707106781186547524400844362105}},
};

/* ----------------------------------------------------------------------- the table ---- */

const problem problems_agents[] = {
    CARS_HIT(2.3, 9.91734725786805189338021029466, 1.29485444069, 0.0981726978487684,
             -1.80477824834604031, -0.173565986497424852, -1.9688123651467014,
             -0.424748805427038501),
    CARS_HIT(2.4, 10.0225996038753330154384593836, 0.103370165622, 4.8196965518650965e-4,
             -1.78932970113267502, -0.356976697989190478, -2.07909047820579532,
             -0.434685719794779329),
    {.id = "P6/2.41",
     .title = "two cars on spirals, near miss",
     .def = &cars,
     .p0 = (const double[]){2.41},
     .x0 = CARS_X0(2.41),
     .t_end = 12,
     .misses =
         (const problem_miss[]){{"contact", 10.03086666345689181, 0.00929979524978744709, 11.1}},
     .nmisses = 1},
    {.id = "P6s/2.41",
     .title = "two cars on spirals, near miss, square of the distance",
     .def = &spirals,
     .p0 = (const double[]){2.41},
     .x0 = SPIRALS_X0(2.41),
     .t_end = 12,
     .misses = (const problem_miss[]){{"contact", 10.03086666345689181, 0.00566636334156, 6.7}},
     .nmisses = 1},
    {.id = "P7",
     .title = "three agents",
     .def = &agents,
     .t_end = 12,
     .status = BRINK_STOPPED,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(agents_events),
     .inside = apart,
     .spread = agents_spread},
    {.id = "P7c",
     .title = "two agents, one waits for its time event",
     .def = &companion,
     .t_end = 12,
     .status = BRINK_STOPPED,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(companion_events)},
};
const size_t problems_agents_count = sizeof problems_agents / sizeof problems_agents[0];
