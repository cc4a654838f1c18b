/* table_collisions.c: balls, discs and walls, in straight motion between impacts.
 *
 * Contacts are unilateral guards; see problems_mechanics.c. */
#include "problems/problems.h"

#include <brink/jet.h>

static const size_t only_first[] = {0};
static const double plus_one[] = {1};

/* ----------------------------------------------------------- M8: balls on a line ---- */

/* x = (x1, x2, x3, v1, v2, v3), p = masses. Guards 0 and 1: neighbours; 2 and 3: walls. */
static int line_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)problem_inside(t, x, env);
  for (int i = 0; i < 3; i++) {
    dx[i] = x[3 + i];
    dx[3 + i] = 0;
  }
  return 0;
}

static bool in_line(double t, const double *x, const brink_env *env) {
  (void)t, (void)env;
  return x[0] <= x[1] && x[1] <= x[2];
}

static bool in_line_and_walls(double t, const double *x, const brink_env *env) {
  return in_line(t, x, env) && x[0] >= -1 && x[2] <= 5;
}

/* Elastic: both velocities are mirrored at that of the common centre of mass. */
static int collide(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  size_t i = event->guard;
  double *v = now->x + 3, *m = now->p;
  double centre = (m[i] * v[i] + m[i + 1] * v[i + 1]) / (m[i] + m[i + 1]);
  v[i] = 2 * centre - v[i];
  v[i + 1] = 2 * centre - v[i + 1];
  return 0;
}

static int reflect(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  size_t i = event->guard == 2 ? 0 : 2;
  now->x[3 + i] = -now->x[3 + i];
  return 0;
}

static const size_t pair_12[] = {0, 1}, pair_23[] = {1, 2}, only_third[] = {2};
static const double gap[] = {-1, 1}, minus_one[] = {-1};
#define BALL_GUARD(what, on, weights, constant, does)                                              \
  {                                                                                                \
    .size = sizeof(brink_guard_def), .name = (what), .side = BRINK_UNILATERAL,                     \
    .direction = BRINK_NEGATIVE, .depends = (on), .ndepends = sizeof(on) / sizeof((on)[0]),        \
    .coefficients = (weights), .offset = (constant), .action = (does)                              \
  }
static const brink_guard_def line_guards[] = {
    BALL_GUARD("1,2", pair_12, gap, 0, collide),
    BALL_GUARD("2,3", pair_23, gap, 0, collide),
    BALL_GUARD("left", only_first, plus_one, 1, reflect),
    BALL_GUARD("right", only_third, minus_one, 5, reflect),
};
static const double equal_masses[] = {1, 1, 1}, masses[] = {1, 2, 3};
static const double balls_a_x0[] = {0, 1, 2, 1, 0, 0}, balls_b_x0[] = {0, 1, 1, 1, 0, 0},
                    balls_c_x0[] = {0, 1, 3, 2, 0, -1};
static const double balls_spread[] = {0.2, 0.2, 0.2, 0.3, 0.3, 0.3};
static const brink_model_def line = {
    .size = sizeof(brink_model_def),
    .nx = 6,
    .np = 3,
    .x0 = balls_a_x0,
    .p0 = equal_masses,
    .rhs = line_rhs,
    .nguards = 2,
    .guards = line_guards,
};
static const brink_model_def line_walls = {
    .size = sizeof(brink_model_def),
    .nx = 6,
    .np = 3,
    .x0 = balls_c_x0,
    .p0 = masses,
    .rhs = line_rhs,
    .nguards = 4,
    .guards = line_guards,
};
#define BALLS(name, time, slope, ...)                                                              \
  {                                                                                                \
    name, BRINK_NEGATIVE, time, .rate = (slope), .after = (const double[]) {                       \
      NAN, NAN, NAN, __VA_ARGS__                                                                   \
    }                                                                                              \
  }
static const problem_event balls_a_events[] = {
    BALLS("1,2", 1, 1, 0, 1, 0),
    BALLS("2,3", 2, 1, 0, 0, 1),
};
/* Newton's cradle: the second impact follows from the first, at the same instant. */
static const problem_event balls_b_events[] = {
    BALLS("1,2", 1, 1, 0, NAN, NAN),
    BALLS("2,3", 1, 1, 0, 0, 1),
};
static const problem_event balls_c_events[] = {
    BALLS("1,2", 0.5, 2, -2.0 / 3, 4.0 / 3, -1),
    BALLS("2,3", 8.0 / 7, 2.33, -2.0 / 3, -22.0 / 15, 13.0 / 15),
    BALLS("1,2", 2.75, 0.8, -26.0 / 15, -14.0 / 15, 13.0 / 15),
    BALLS("left", 79.0 / 26, 1.73, 26.0 / 15, -14.0 / 15, 13.0 / 15),
    BALLS("1,2", 3.125, 2.66, -82.0 / 45, 38.0 / 45, 13.0 / 15),
    BALLS("left", 263.0 / 82, 1.82, 82.0 / 45, 38.0 / 45, 13.0 / 15),
    BALLS("1,2", 151.0 / 44, 0.977, 14.0 / 27, 202.0 / 135, 13.0 / 15),
    BALLS("right", 62.0 / 13, 0.866, 14.0 / 27, 202.0 / 135, -13.0 / 15),
    BALLS("2,3", 2006.0 / 319, 2.36, 14.0 / 27, -904.0 / 675, 691.0 / 675),
    BALLS("right", 5234.0 / 691, 1.02, 14.0 / 27, -904.0 / 675, -691.0 / 675),
};

/* -------------------------------------------------------------------- M9: billiard ---- */

/* A point of unit speed in the unit circle, x = (x, y, vx, vy): chords of length 2 sqrt(0.84). */
static int billiard_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)problem_inside(t, x, env);
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = dx[3] = 0;
  return 0;
}

static int circle_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = x[0] * x[0] + x[1] * x[1] - 1;
  return 0;
}

static int circle_jet(size_t guard, int order, const double *t, const double *const *x,
                      const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  double y2[BRINK_JET_MAX_ORDER + 1];
  brink_jet_square(order, x[0], g);
  brink_jet_square(order, x[1], y2);
  brink_jet_add(order, g, y2, g);
  brink_jet_add_constant(order, g, -1, g);
  return 0;
}

static bool in_circle(double t, const double *x, const brink_env *env) {
  double g;
  circle_value(0, t, x, env, &g);
  return g <= 0;
}

static int mirror(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  double *x = now->x;
  double twice = 2 * (x[0] * x[2] + x[1] * x[3]) / (x[0] * x[0] + x[1] * x[1]);
  x[2] -= twice * x[0];
  x[3] -= twice * x[1];
  return 0;
}

static const size_t position[] = {0, 1};
static const brink_guard_def billiard_guard = {
    .size = sizeof(brink_guard_def),
    .name = "circle",
    .side = BRINK_UNILATERAL,
    .direction = BRINK_POSITIVE,
    .depends = position,
    .ndepends = 2,
    .value = circle_value,
    .jet = circle_jet,
    .degree = 2,
    .action = mirror,
};
static const double billiard_x0[] = {-0.5, 0, 0.6, 0.8};
static const brink_model_def billiard = {.size = sizeof(brink_model_def),
                                         .nx = 4,
                                         .x0 = billiard_x0,
                                         .rhs = billiard_rhs,
                                         .nguards = 1,
                                         .guards = &billiard_guard};
#define BOUNCE(time)                                                                               \
  { "circle", BRINK_POSITIVE, time, .rate = 1.833 }
static const problem_event billiard_events[] = {
    {"circle", BRINK_POSITIVE, 1.21651513899116800131760943875, .rate = 1.833,
     .after =
         (const double[]){0.229909083394700800790565663247, 0.973212111192934401054087550996,
                          0.178569688954347520843270040797, -0.983927266715760640632452530598}},
    {"circle", BRINK_POSITIVE, 3.04954541697350400395282831624, .rate = 1.833,
     .after =
         (const double[]){0.557232729977907711715396361231, -0.830356360029456384379471518359,
                          -0.842854776977912628346847255484, 0.538141082733434471260135441613}},
    {"circle", BRINK_POSITIVE, 4.88257569495584000658804719373, .rate = 1.833,
     .after = (const double[]){-0.987745596164655288723504714521, 0.156072538447126281701993713971,
                               0.967712807735613653708442226661, 0.252055394198289759718668330004}},
    BOUNCE(6.71560597293817600922326607122),
    BOUNCE(8.54863625092051201185848494871),
    BOUNCE(10.3816665289028480144937038262),
    BOUNCE(12.2146968068851840171289227037),
    BOUNCE(14.0477270848675200197641415812),
    BOUNCE(15.8807573628498560223993604587),
    {"circle", BRINK_POSITIVE, 17.7137876408321920250345793362, .rate = 1.833,
     .after =
         (const double[]){0.778412928528117713993026925883, -0.62775258876429932534263076549,
                          -0.964528268888189660226617510422, 0.263979579732130238769963132817}},
};

/* ---------------------------------------------------------------- M10: bumper cars ---- */

/* Three discs of radius 0.1 in a 10 x 10 box, restitution 0.9: x = positions, then velocities.
 * Guards 0-2: pairs; 3 + 2 i + a: disc i and the two walls across axis a. All quadratic. */
static int discs_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)problem_inside(t, x, env);
  for (int i = 0; i < 6; i++) {
    dx[i] = x[6 + i];
    dx[6 + i] = 0;
  }
  return 0;
}

static const size_t first[] = {0, 0, 1}, second[] = {1, 2, 2};

static int discs_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)t, (void)env;
  if (guard >= 3) {
    double q = x[guard - 3];
    *g = (q - 0.1) * (9.9 - q);
  } else {
    const double *a = x + 2 * first[guard], *b = x + 2 * second[guard];
    *g = (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) - 0.04;
  }
  return 0;
}

static int discs_jet(size_t guard, int order, const double *t, const double *const *x,
                     const brink_env *env, double *g) {
  (void)t, (void)env;
  double u[BRINK_JET_MAX_ORDER + 1], v[BRINK_JET_MAX_ORDER + 1];
  if (guard >= 3) {
    brink_jet_add_constant(order, x[guard - 3], -0.1, u);
    brink_jet_scale(order, x[guard - 3], -1, v);
    brink_jet_add_constant(order, v, 9.9, v);
    brink_jet_mul(order, u, v, g);
  } else {
    const double *const *a = x + 2 * first[guard], *const *b = x + 2 * second[guard];
    brink_jet_sub(order, b[0], a[0], u);
    brink_jet_square(order, u, u);
    brink_jet_sub(order, b[1], a[1], v);
    brink_jet_square(order, v, v);
    brink_jet_add(order, u, v, g);
    brink_jet_add_constant(order, g, -0.04, g);
  }
  return 0;
}

static bool discs_apart(double t, const double *x, const brink_env *env) {
  for (size_t k = 0; k < 9; k++) {
    double g;
    discs_value(k, t, x, env, &g);
    if (g < 0) return false;
  }
  return true;
}

static int bump(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  double *x = now->x, *v = now->x + 6;
  if (event->guard >= 3) {
    v[event->guard - 3] *= -0.9;
    return 0;
  }
  size_t i = 2 * first[event->guard], j = 2 * second[event->guard];
  double nx = x[j] - x[i], ny = x[j + 1] - x[i + 1], d = hypot(nx, ny);
  nx /= d;
  ny /= d;
  double impulse = 0.5 * 1.9 * ((v[j] - v[i]) * nx + (v[j + 1] - v[i + 1]) * ny);
  v[i] += impulse * nx;
  v[i + 1] += impulse * ny;
  v[j] -= impulse * nx;
  v[j + 1] -= impulse * ny;
  return 0;
}

#define DISC_GUARD(what)                                                                           \
  {                                                                                                \
    .size = sizeof(brink_guard_def), .name = (what), .side = BRINK_UNILATERAL,                     \
    .direction = BRINK_NEGATIVE, .value = discs_value, .jet = discs_jet, .degree = 2,              \
    .action = bump                                                                                 \
  }
static const brink_guard_def discs_guards[] = {
    DISC_GUARD("1,2"), DISC_GUARD("1,3"), DISC_GUARD("2,3"), DISC_GUARD("x1"), DISC_GUARD("y1"),
    DISC_GUARD("x2"),  DISC_GUARD("y2"),  DISC_GUARD("x3"),  DISC_GUARD("y3"),
};
static const double discs_x0[] = {1, 1, 9, 8.5, 5, 2, 1, 0.9, -1.1, -0.8, 0.1, 0.7};
static const double discs_spread[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3};
static const brink_model_def discs = {.size = sizeof(brink_model_def),
                                      .nx = 12,
                                      .x0 = discs_x0,
                                      .rhs = discs_rhs,
                                      .nguards = 9,
                                      .guards = discs_guards};
static const problem_event discs_events[] = {
    {"1,3", BRINK_NEGATIVE, 4.2883301954725921465797992753, .rate = 0.3098},
    {"x2", BRINK_NEGATIVE, 8.09090909090909090909090909091, .rate = 10.78},
    {"y3", BRINK_NEGATIVE, 8.29110215797756524290000230054, .rate = 11.99},
    {"y2", BRINK_NEGATIVE, 10.5, .rate = 7.84},
    {"x3", BRINK_NEGATIVE, 11.5354610641443409135401974537, .rate = 6.046},
    {"x1", BRINK_NEGATIVE, 13.8354477485536470565315139342, .rate = 4.733},
    {"y3", BRINK_NEGATIVE, 17.1894762983651580543457155806, .rate = 10.79},
    {"y1", BRINK_NEGATIVE, 17.6830291881878237702415692683, .rate = 3.687},
    {"x2", BRINK_NEGATIVE, 17.9898989898989898989898989899, .rate = 9.702},
    {"1,2", BRINK_NEGATIVE, 21.868949394587848548276594665, .rate = 0.4495},
};

/* ----------------------------------------------------------------------- the table ---- */

const problem problems_collisions[] = {
    {.id = "M8a",
     .title = "three balls",
     .def = &line,
     .t_end = 3,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(balls_a_events),
     .final = (const double[]){1, 2, 3, 0, 0, 1},
     .inside = in_line,
     .spread = balls_spread},
    {.id = "M8b",
     .title = "three balls, two touching",
     .def = &line,
     .x0 = balls_b_x0,
     .t_end = 3,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(balls_b_events),
     .final = (const double[]){1, 1, 3, 0, 0, 1},
     .inside = in_line},
    {.id = "M8c",
     .title = "three balls between walls",
     .def = &line_walls,
     .t_end = 7.7,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(balls_c_events),
     .inside = in_line_and_walls,
     .spread = balls_spread},
    {.id = "M9",
     .title = "billiard",
     .def = &billiard,
     .t_end = 18,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(billiard_events),
     .inside = in_circle,
     .spread = (const double[]){0.3, 0.3, 0.3, 0.3}},
    {.id = "M10",
     .title = "bumper cars",
     .def = &discs,
     .t_end = 22.5,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(discs_events),
     .inside = discs_apart,
     .spread = discs_spread},
};
const size_t problems_collisions_count = sizeof problems_collisions / sizeof problems_collisions[0];
