/* table_mechanics.c: falling, bouncing, swinging, sticking and passing bodies.
 *
 * Contacts are unilateral guards, positive while bodies are apart. The right-hand sides would be
 * defined during penetration too, but count evaluations there, so that one-sidedness can be
 * checked from the model's own side. */
#include "problems/dynamics.h"
#include "problems/problems.h"

#include <brink/jet.h>

static const size_t only_first[] = {0}, position[] = {0, 1};
static const double plus_one[] = {1};

/* ------------------------------------------------------- M1-M4: falling, bouncing ---- */

/* x = (height, velocity), p = (drag coefficient, restitution); mode 1: at rest on the floor. */
static int ball_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)problem_inside(t, x, env);
  bool rests = env->mode[0] == 1;
  dx[0] = rests ? 0 : x[1];
  dx[1] = rests ? 0 : -9.81 - env->p[0] * x[1];
  return 0;
}

static bool above_floor(double t, const double *x, const brink_env *env) {
  (void)t, (void)env;
  return x[0] >= 0;
}

static int bounce(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[1] *= -now->p[1];
  return 0;
}

/* The limit of infinitely many impacts. */
static int come_to_rest(const size_t *guards, size_t count, brink_now *now, void *user) {
  (void)guards, (void)count, (void)user;
  now->x[0] = now->x[1] = 0;
  now->mode[0] = 1;
  return 0;
}

static bool ball_flies(size_t guard, const brink_env *env) {
  (void)guard;
  return env->mode[0] == 0;
}

static int height_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = -x[0];
  return 0;
}

static int height_gradient(size_t guard, double t, const double *x, const brink_env *env,
                           double *dx, double *dt) {
  (void)guard, (void)t, (void)x, (void)env;
  dx[0] = -1;
  *dt = 0;
  return 0;
}

/* The floor three times: by numbers, by value and gradient (negative inside), with the bounce. */
static const brink_guard_def floor_stop = {
    .size = sizeof(brink_guard_def),
    .name = "floor",
    .side = BRINK_UNILATERAL,
    .direction = BRINK_NEGATIVE,
    .depends = only_first,
    .ndepends = 1,
    .coefficients = plus_one,
    .action = problem_stop,
};
static const brink_guard_def floor_callback = {
    .size = sizeof(brink_guard_def),
    .name = "floor",
    .side = BRINK_UNILATERAL,
    .direction = BRINK_POSITIVE,
    .depends = only_first,
    .ndepends = 1,
    .value = height_value,
    .gradient = height_gradient,
    .degree = 1,
    .action = problem_stop,
};
static const brink_guard_def floor_bounce = {
    .size = sizeof(brink_guard_def),
    .name = "floor",
    .side = BRINK_UNILATERAL,
    .direction = BRINK_NEGATIVE,
    .depends = only_first,
    .ndepends = 1,
    .coefficients = plus_one,
    .action = bounce,
};
static const double drop_x0[] = {10, 0}, drop_p0[] = {0, 0}, drag_p0[] = {0.5, 0};
static const double bounce_x0[] = {1, 0}, bounce_p0[] = {0, 0.8};
static const double thrown_x0[] = {0, 5}, thrown_p0[] = {0, 0.5};
static const brink_model_def fall = {
    .size = sizeof(brink_model_def),
    .nx = 2,
    .np = 2,
    .nmodes = 1,
    .x0 = drop_x0,
    .p0 = drop_p0,
    .rhs = ball_rhs,
    .nguards = 1,
    .guards = &floor_stop,
};
static const brink_model_def fall_callback = {
    .size = sizeof(brink_model_def),
    .nx = 2,
    .np = 2,
    .nmodes = 1,
    .x0 = drop_x0,
    .p0 = drag_p0,
    .rhs = ball_rhs,
    .nguards = 1,
    .guards = &floor_callback,
};
static const brink_model_def bouncing = {
    .size = sizeof(brink_model_def),
    .nx = 2,
    .np = 2,
    .nmodes = 1,
    .x0 = bounce_x0,
    .p0 = bounce_p0,
    .rhs = ball_rhs,
    .nguards = 1,
    .guards = &floor_bounce,
    .enabled = ball_flies,
    .zeno = come_to_rest,
};

static const problem_event fall_events[] = {
    {"floor", BRINK_NEGATIVE, 1.42784312292706446696728018775, .rate = 14.0071410359145024,
     .after = (const double[]){0, -14.0071410359145024209490186418}},
};
static const problem_event drag_events[] = {
    {"floor", BRINK_POSITIVE, 1.61994211048723920299066763426, .rate = 10.8916321038798166,
     .after = (const double[]){0, -10.8916321038798165813384494921}},
};
#define IMPACT(time, before, v)                                                                    \
  {                                                                                                \
    "floor", BRINK_NEGATIVE, time, .rate = (before), .after = (const double[]) {                   \
      0, v                                                                                         \
    }                                                                                              \
  }
static const problem_event bounce_events[] = {
    IMPACT(0.451523640985730904450811124338, 4.43, 3.54355753445601613812996570381),
    IMPACT(1.17396146656290035157210892328, 3.54, 2.83484602756481291050397256304),
    IMPACT(1.75191172702463590926914716243, 2.83, 2.26787682205185032840317805044),
    IMPACT(2.21427193539402435542677775375, 2.27, 1.81430145764148026272254244035),
    IMPACT(2.58416010208953511235288222681, 1.81, 1.45144116611318421017803395228),
    IMPACT(2.88007063544594371789376580526, 1.45, 1.16115293289054736814242716182),
    IMPACT(3.11679906213107060232647266802, 1.16, 0.928922346312437894513941729458),
    IMPACT(3.30618180347917210987263815822, 0.929, 0.743137877049950315611153383567),
    IMPACT(3.45768799655765331590957055039, 0.743, 0.594510301639960252488922706853),
    IMPACT(3.57889295102043828073911646412, 0.595, 0.475608241311968201991138165483),
};
static const problem_event thrown_events[] = {
    IMPACT(1.01936799184505606523955147808, 5, 2.5),
    IMPACT(1.52905198776758409785932721713, 2.5, 1.25),
};

/* ------------------------------------------------------------------- M6: pendulum ---- */

static int pendulum_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)problem_inside(t, x, env);
  return problem_pendulum_rhs(t, x, env, dx);
}

static bool before_wall(double t, const double *x, const brink_env *env) {
  (void)t, (void)env;
  return x[0] >= -0.5;
}

static int wall_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = -0.5 - x[0];
  return 0;
}

static const brink_guard_def pendulum_guard = {
    .size = sizeof(brink_guard_def),
    .name = "wall",
    .side = BRINK_UNILATERAL,
    .direction = BRINK_POSITIVE,
    .depends = only_first,
    .ndepends = 1,
    .value = wall_value,
    .gradient = height_gradient,
    .degree = 1,
    .action = problem_pendulum_hit,
};
static const double pendulum_x0[] = {1, 0};
static const brink_model_def pendulum = {.size = sizeof(brink_model_def),
                                         .nx = 2,
                                         .x0 = pendulum_x0,
                                         .rhs = pendulum_rhs,
                                         .nguards = 1,
                                         .guards = &pendulum_guard};
#define WALL(time, before, v)                                                                      \
  {                                                                                                \
    "wall", BRINK_POSITIVE, time, .rate = (before), .after = (const double[]) {                    \
      -0.5, v                                                                                      \
    }                                                                                              \
  }
static const problem_event pendulum_events[] = {
    WALL(2.22314362247528276946967843932, 0.8213, 0.739184695969835036951271603954),
    WALL(6.7329555831031230899830050172, 0.7392, 0.665266226372851533256144443559),
    WALL(11.3175821536536723787078079193, 0.6653, 0.598739603735566379930529999203),
    WALL(15.9856590930410122868197304616, 0.5987, 0.538865643362009741937476999283),
    WALL(20.7435218031714714730500200616, 0.5389, 0.484979079025808767743729299354),
};

/* ----------------------------------------------------------------- M7: stick-slip ---- */

/* Unit mass and spring on a belt of speed 1/2; static friction 1, kinetic 1/2. Mode 0 sticks until
 * x = 1; mode 1 slips until x' = 1/2 again. At the start of each slip x' is exactly 1/2 and falls:
 * the guard "stick" starts on its surface and must wait. */
static int belt_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  bool slips = env->mode[0] == 1;
  dx[0] = slips ? x[1] : 0.5;
  dx[1] = slips ? 0.5 - x[0] : 0;
  return 0;
}

enum { SLIP, STICK };

static int change_grip(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  now->mode[0] = event->guard == SLIP;
  now->x[1] = 0.5;
  return 0;
}

static bool grip_watched(size_t guard, const brink_env *env) {
  return (guard == STICK) == (env->mode[0] == 1);
}

static const size_t only_second[] = {1};
static const brink_guard_def belt_guards[] = {
    [SLIP] = {.size = sizeof(brink_guard_def),
              .name = "slip",
              .direction = BRINK_POSITIVE,
              .depends = only_first,
              .ndepends = 1,
              .coefficients = plus_one,
              .offset = -1,
              .action = change_grip},
    [STICK] = {.size = sizeof(brink_guard_def),
               .name = "stick",
               .direction = BRINK_POSITIVE,
               .depends = only_second,
               .ndepends = 1,
               .coefficients = plus_one,
               .offset = -0.5,
               .action = change_grip},
};
static const double belt_x0[] = {0, 0.5};
static const brink_model_def belt = {
    .size = sizeof(brink_model_def),
    .nx = 2,
    .nmodes = 1,
    .x0 = belt_x0,
    .rhs = belt_rhs,
    .nguards = 2,
    .guards = belt_guards,
    .enabled = grip_watched,
};
#define GRIP(name, time, x1, slope)                                                                \
  {                                                                                                \
    name, BRINK_POSITIVE, time, .rate = (slope), .after = (const double[]) {                       \
      x1, 0.5                                                                                      \
    }                                                                                              \
  }
static const problem_event belt_events[] = {
    GRIP("slip", 2, 1, 0.5),
    GRIP("stick", 6.71238898038468985769396507492, 0, 0.5),
    GRIP("slip", 8.71238898038468985769396507492, 1, 0.5),
    GRIP("stick", 13.4247779607693797153879301498, 0, 0.5),
    GRIP("slip", 15.4247779607693797153879301498, 1, 0.5),
};

/* --------------------------------------------------------------------- M11: flyby ---- */

/* Kepler motion on a hyperbola, e = 1.5, |a| = 1, from |r| = 10 on the way in: the guard "out"
 * starts on its surface. Perihelion is where r.v rises through 0. */
static int kepler_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  double r = hypot(x[0], x[1]), r3 = r * r * r;
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = -x[0] / r3;
  dx[3] = -x[1] / r3;
  return 0;
}

/* |r| - 2: not a polynomial, but with a jet. */
static int near_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = hypot(x[0], x[1]) - 2;
  return 0;
}

static int near_jet(size_t guard, int order, const double *t, const double *const *x,
                    const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  brink_jet_hypot(order, x[0], x[1], g);
  brink_jet_add_constant(order, g, -2, g);
  return 0;
}

static int approach_value(size_t guard, double t, const double *x, const brink_env *env,
                          double *g) {
  (void)guard, (void)t, (void)env;
  *g = x[0] * x[2] + x[1] * x[3];
  return 0;
}

static int approach_jet(size_t guard, int order, const double *t, const double *const *x,
                        const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  double yv[BRINK_JET_MAX_ORDER + 1];
  brink_jet_mul(order, x[1], x[3], yv);
  brink_jet_mul(order, x[0], x[2], g);
  brink_jet_add(order, g, yv, g);
  return 0;
}

/* |r|^2 - 100, a polynomial told by its gradient only. */
static int out_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = x[0] * x[0] + x[1] * x[1] - 100;
  return 0;
}

static int out_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                        double *dt) {
  (void)guard, (void)t, (void)env;
  dx[0] = 2 * x[0];
  dx[1] = 2 * x[1];
  *dt = 0;
  return 0;
}

static const brink_guard_def kepler_guards[] = {
    {.size = sizeof(brink_guard_def),
     .name = "near",
     .depends = position,
     .ndepends = 2,
     .value = near_value,
     .jet = near_jet},
    {.size = sizeof(brink_guard_def),
     .name = "perihelion",
     .direction = BRINK_POSITIVE,
     .value = approach_value,
     .jet = approach_jet,
     .degree = 2},
    {.size = sizeof(brink_guard_def),
     .name = "out",
     .direction = BRINK_POSITIVE,
     .depends = position,
     .ndepends = 2,
     .value = out_value,
     .gradient = out_gradient},
};
static const double kepler_x0[] = {
    -5.83333333333333333333333333333, -8.12232862067413658903201099992,
    0.726483157256778925372830330643, 0.819891591749922888683363678535};
static const brink_model_def kepler = {.size = sizeof(brink_model_def),
                                       .nx = 4,
                                       .x0 = kepler_x0,
                                       .rhs = kepler_rhs,
                                       .nguards = 3,
                                       .guards = kepler_guards};
static const problem_event kepler_events[] = {
    {"near", BRINK_NEGATIVE, 6.93523321498535238062323911177, .rate = 1.299},
    {"perihelion", BRINK_POSITIVE, 8.21635152941385161228936227672, .rate = 3,
     .after = (const double[]){0.5, 0, 0, 2.236067977499789696}},
    {"near", BRINK_POSITIVE, 9.49746984384235084395548544167, .rate = 1.299},
    {"out", BRINK_POSITIVE, 16.4327030588277032245787245534, .rate = 21.79},
};

/* ----------------------------------------------------------------------- the table ---- */

const problem problems_mechanics[] = {
    {.id = "M1",
     .title = "fall",
     .def = &fall,
     .t_end = 3,
     .status = BRINK_STOPPED,
     .events = PROBLEM_LIST(fall_events),
     .inside = above_floor,
     .spread = (const double[]){5, 5}},
    {.id = "M2",
     .title = "fall with drag",
     .def = &fall_callback,
     .t_end = 3,
     .status = BRINK_STOPPED,
     .events = PROBLEM_LIST(drag_events),
     .inside = above_floor,
     .spread = (const double[]){5, 5}},
    {.id = "M3",
     .title = "bouncing ball",
     .def = &bouncing,
     .t_end = 3.6,
     .events = PROBLEM_LIST(bounce_events),
     .inside = above_floor,
     .spread = (const double[]){0.5, 1}},
    {.id = "M3z",
     .title = "bouncing ball to the end",
     .def = &bouncing,
     .t_end = 5,
     .status = BRINK_ERR_ZENO,
     .flags = PROBLEM_PREFIX,
     .events = PROBLEM_LIST(bounce_events),
     .accumulation = 4.06371276887157814005730011904,
     .inside = above_floor},
    {.id = "M4",
     .title = "thrown from the surface",
     .def = &bouncing,
     .x0 = thrown_x0,
     .p0 = thrown_p0,
     .t_end = 1.7,
     .events = PROBLEM_LIST(thrown_events),
     .inside = above_floor,
     .spread = (const double[]){0, 2}},
    {.id = "M6",
     .title = "pendulum and wall",
     .def = &pendulum,
     .t_end = 21,
     .events = PROBLEM_LIST(pendulum_events),
     .inside = before_wall,
     .spread = (const double[]){0.5, 0.5}},
    {.id = "M7",
     .title = "stick-slip on a belt",
     .def = &belt,
     .t_end = 16,
     .events = PROBLEM_LIST(belt_events)},
    {.id = "M11",
     .title = "flyby",
     .def = &kepler,
     .t_end = 17,
     .events = PROBLEM_LIST(kepler_events)},
};
const size_t problems_mechanics_count = sizeof problems_mechanics / sizeof problems_mechanics[0];
