/* table_paper.c: the examples of the papers, with the corrections they need. */
#include "problems/problems.h"

#include <brink/jet.h>

#include "problems/dynamics.h"

/* ------------------------------------------------------------------ P1: corridor ---- */

/* A vehicle at unit speed, x = (x, y, theta): straight, then turning from x = 1.75 on. The path
 * clips the inner corner {y <= -0.4 and x <= 2.8} for 0.121 s: an even number of sign changes
 * within any larger step (Esposito & Kumar 2007, ex. 1). */
static int corridor_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)problem_inside(t, x, env);
  return problem_corridor_rhs(t, x, env, dx);
}

static bool corridor_free(double t, const double *x, const brink_env *env) {
  (void)t, (void)env;
  return !(x[1] > 0.5 || x[0] > 3.5 || (x[1] < -0.4 && x[0] < 2.8));
}

enum { HIGH, FAR, LOW, BEFORE };
static const int corridor_formula[] = {HIGH, FAR, BRINK_OR, LOW, BEFORE, BRINK_AND, BRINK_OR};
static const size_t only_x[] = {0}, only_y[] = {1};
static const double plus_one[] = {1}, minus_one[] = {-1};

#define CORRIDOR_LEAVES                                                                            \
  [HIGH] = {.size = sizeof(brink_guard_def),                                                       \
            .name = "high",                                                                        \
            .side = BRINK_LEAF,                                                                    \
            .depends = only_y,                                                                     \
            .ndepends = 1,                                                                         \
            .coefficients = plus_one,                                                              \
            .offset = -0.5},                                                                       \
  [FAR] = {.size = sizeof(brink_guard_def),                                                        \
           .name = "far",                                                                          \
           .side = BRINK_LEAF,                                                                     \
           .depends = only_x,                                                                      \
           .ndepends = 1,                                                                          \
           .coefficients = plus_one,                                                               \
           .offset = -3.5},                                                                        \
  [LOW] = {.size = sizeof(brink_guard_def),                                                        \
           .name = "low",                                                                          \
           .side = BRINK_LEAF,                                                                     \
           .depends = only_y,                                                                      \
           .ndepends = 1,                                                                          \
           .coefficients = minus_one,                                                              \
           .offset = -0.4},                                                                        \
  [BEFORE] = {.size = sizeof(brink_guard_def),                                                     \
              .name = "before",                                                                    \
              .side = BRINK_LEAF,                                                                  \
              .depends = only_x,                                                                   \
              .ndepends = 1,                                                                       \
              .coefficients = minus_one,                                                           \
              .offset = 2.8}
#define CORRIDOR_TURN                                                                              \
  {                                                                                                \
    .size = sizeof(brink_guard_def), .name = "turn", .direction = BRINK_POSITIVE,                  \
    .depends = only_x, .ndepends = 1, .coefficients = plus_one, .offset = -1.75,                   \
    .action = problem_corridor_turn                                                                \
  }

static const brink_guard_def corridor_guards[] = {
    CORRIDOR_LEAVES,
    {.size = sizeof(brink_guard_def),
     .name = "corridor",
     .formula = corridor_formula,
     .formula_length = sizeof corridor_formula / sizeof corridor_formula[0]},
    CORRIDOR_TURN,
    {.size = sizeof(brink_guard_def),
     .name = "y",
     .depends = only_y,
     .ndepends = 1,
     .coefficients = plus_one,
     .offset = 0.4},
};
static const brink_guard_def corridor_wall_guards[] = {
    CORRIDOR_LEAVES,
    {.size = sizeof(brink_guard_def),
     .name = "corridor",
     .side = BRINK_UNILATERAL,
     .direction = BRINK_POSITIVE,
     .formula = corridor_formula,
     .formula_length = sizeof corridor_formula / sizeof corridor_formula[0],
     .action = problem_stop},
    CORRIDOR_TURN,
};

static const double corridor_x0[] = PROBLEM_CORRIDOR_X0;
static const brink_model_def corridor = {
    .size = sizeof(brink_model_def),
    .nx = 3,
    .nmodes = 1,
    .x0 = corridor_x0,
    .rhs = corridor_rhs,
    .nguards = sizeof corridor_guards / sizeof corridor_guards[0],
    .guards = corridor_guards,
};
static const brink_model_def corridor_wall = {
    .size = sizeof(brink_model_def),
    .nx = 3,
    .nmodes = 1,
    .x0 = corridor_x0,
    .rhs = corridor_rhs,
    .nguards = sizeof corridor_wall_guards / sizeof corridor_wall_guards[0],
    .guards = corridor_wall_guards,
};

/* The lowest point of the path is y = -0.40040967…; "y" and "corridor" cross at one instant. */
static const problem_event corridor_events[] = {
    {"turn", BRINK_POSITIVE, 1.78559297864708720713675735949, .rate = 0.98,
     .after = (const double[]){1.75, -0.300742562140176845812376975383, -0.2}},
    {"corridor", BRINK_POSITIVE, 2.72158684390298468073662651716, .rate = 0.0128, .depth = 4.1e-4},
    {"y", BRINK_NEGATIVE, 2.72158684390298468073662651716, .rate = 0.0128, .depth = 4.1e-4,
     .after = (const double[]){2.67934226734615326421237107944, -0.4,
                               -0.0128012269488205052800261684662}},
    {"corridor", BRINK_NEGATIVE, 2.84224753697296011119819492178, .rate = 1, .depth = 4.1e-4,
     .after = (const double[]){2.8, -0.400088702470185457799606418079,
                               0.0113309116651745808122875124585}},
    {"y", BRINK_POSITIVE, 2.84959911339118973353688820182, .rate = 0.0128, .depth = 4.1e-4},
    {"corridor", BRINK_POSITIVE, PROBLEM_CORRIDOR_FAR, .rate = 0.988,
     .after = (const double[]){3.5, -0.342825652386693266929853659929,
                               0.151914307308318076901603702304}},
};
static const problem_event corridor_wall_events[] = {
    {"turn", BRINK_POSITIVE, 1.78559297864708720713675735949, .rate = 0.98},
    {"corridor", BRINK_POSITIVE, 2.72158684390298468073662651716, .rate = 0.0128, .depth = 4.1e-4},
};

/* ---------------------------------------------------------------- P2: manipulator ---- */

/* Two links, l1 = 1, l2 = 0.5; the hand is led along (0.6 + 0.3 t, 0.5 + 0.15 t) by
 * theta' = J(theta)^-1 (0.3, 0.15), which has no value past the stretched position theta2 = 0. Near
 * it theta2 = c sqrt(t* - t) (Esposito & Kumar 2007, ex. 2, with the guard on theta2: through
 * forward kinematics the published one never changes sign). */
static int manipulator_rhs(double t, const double *x, const brink_env *env, double *dx) {
  if (!problem_inside(t, x, env)) return 1;
  double c1 = cos(x[0]), s1 = sin(x[0]), c12 = cos(x[0] + x[1]), s12 = sin(x[0] + x[1]);
  dx[0] = (0.3 * c12 + 0.15 * s12) / sin(x[1]);
  dx[1] = -(0.3 * (c1 + 0.5 * c12) + 0.15 * (s1 + 0.5 * s12)) / (0.5 * sin(x[1]));
  return 0;
}

static bool manipulator_bent(double t, const double *x, const brink_env *env) {
  (void)t, (void)env;
  return x[1] >= 0;
}

/* The distance of the hand from the shoulder, as the joints give it. */
static int reach_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = sqrt(1.25 + cos(x[1])) - 1.4;
  return 0;
}

static int reach_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                          double *dt) {
  (void)guard, (void)t, (void)env;
  dx[0] = -0.5 * sin(x[1]) / sqrt(1.25 + cos(x[1]));
  *dt = 0;
  return 0;
}

/* The distance of the point the hand is told to be at: a polynomial in time alone. */
static int command_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)x, (void)env;
  double px = 0.6 + 0.3 * t, py = 0.5 + 0.15 * t;
  *g = px * px + py * py - 1.44;
  return 0;
}

static int command_jet(size_t guard, int order, const double *t, const double *const *x,
                       const brink_env *env, double *g) {
  (void)guard, (void)x, (void)env;
  double px[BRINK_JET_MAX_ORDER + 1], py[BRINK_JET_MAX_ORDER + 1];
  brink_jet_scale(order, t, 0.3, px);
  brink_jet_add_constant(order, px, 0.6, px);
  brink_jet_square(order, px, px);
  brink_jet_scale(order, t, 0.15, py);
  brink_jet_add_constant(order, py, 0.5, py);
  brink_jet_square(order, py, py);
  brink_jet_add(order, px, py, g);
  brink_jet_add_constant(order, g, -1.44, g);
  return 0;
}

static const brink_guard_def manipulator_guards[] = {
    {.size = sizeof(brink_guard_def),
     .name = "stretched",
     .side = BRINK_UNILATERAL,
     .direction = BRINK_NEGATIVE,
     .depends = only_y,
     .ndepends = 1,
     .coefficients = plus_one,
     .action = problem_stop},
    {.size = sizeof(brink_guard_def),
     .name = "reach",
     .depends = only_y,
     .ndepends = 1,
     .value = reach_value,
     .gradient = reach_gradient},
    {.size = sizeof(brink_guard_def),
     .name = "command",
     .direction = BRINK_POSITIVE,
     .value = command_value,
     .jet = command_jet,
     .degree = 2},
};
static const double manipulator_x0[] = {0.180465720247468502636584409829,
                                        2.26529459242145260707012100669};
static const brink_model_def manipulator = {
    .size = sizeof(brink_model_def),
    .nx = 2,
    .x0 = manipulator_x0,
    .rhs = manipulator_rhs,
    .nguards = 3,
    .guards = manipulator_guards,
};
/* c^2 = 1.9980990964773; far from the edge dtheta2/dt is about 1. */
static const problem_event manipulator_events[] = {
    {"command", BRINK_POSITIVE, 1.271066443045759839055928252448732, .rate = 0.795989949684},
    {"reach", BRINK_POSITIVE, 1.87311325233600632769665647125, .rate = 0.332660886,
     .after = (const double[]){0.337542812085408394050509105203, 0.781298117448724646223702830756}},
    {"stretched", BRINK_NEGATIVE, 2.1735535480924566914185734816, .rate = 1,
     .slack = 1 / 1.9980990964773, .power = 2,
     .after = (const double[]){0.583189075600183983161873041076, 0}},
};

/* ------------------------------------------------------------------- P3, P4: Garcia ---- */

/* Linear example: mode "+" while g = x2 + alpha >= 0. The mode is the sign of the guard itself.
 * The flow touches the surface at t = pi/2 if alpha = 2 exp(pi/2); start (-2, -2). */
static int linear_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  bool plus = env->sgn[0] >= 0;
  dx[0] = plus ? x[0] - x[1] : 0;
  dx[1] = plus ? x[0] + x[1] : -1;
  return 0;
}

static int offset_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t;
  *g = x[1] + env->p[0];
  return 0;
}

static int offset_gradient(size_t guard, double t, const double *x, const brink_env *env,
                           double *dx, double *dt) {
  (void)guard, (void)t, (void)x, (void)env;
  dx[0] = 1;
  *dt = 0;
  return 0;
}

/* Nonlinear example: x2 = 10 (x1 - x1^5), x1 = t - 2.5; here an action switches the mode. */
static int quintic_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = env->mode[0] == 0 ? 1 : 0;
  dx[1] = env->mode[0] == 0 ? 10 * (1 - 5 * x[0] * x[0] * x[0] * x[0]) : -1;
  return 0;
}

static int to_minus(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 1;
  return 0;
}

static const brink_guard_def linear_guard = {
    .size = sizeof(brink_guard_def),
    .name = "surface",
    .depends = only_y,
    .ndepends = 1,
    .value = offset_value,
    .gradient = offset_gradient,
    .degree = 1,
};
static const brink_guard_def quintic_guard = {
    .size = sizeof(brink_guard_def),
    .name = "surface",
    .direction = BRINK_NEGATIVE,
    .depends = only_y,
    .ndepends = 1,
    .value = offset_value,
    .gradient = offset_gradient,
    .degree = 1,
    .action = to_minus,
};
static const double linear_x0[] = {-2, -2}, quintic_x0[] = {-2.5, 951.5625}, alpha_0[] = {9};
static const brink_model_def garcia_linear = {
    .size = sizeof(brink_model_def),
    .nx = 2,
    .np = 1,
    .x0 = linear_x0,
    .p0 = alpha_0,
    .rhs = linear_rhs,
    .nguards = 1,
    .guards = &linear_guard,
};
static const brink_model_def garcia_quintic = {
    .size = sizeof(brink_model_def),
    .nx = 2,
    .np = 1,
    .nmodes = 1,
    .x0 = quintic_x0,
    .p0 = alpha_0,
    .rhs = quintic_rhs,
    .nguards = 1,
    .guards = &quintic_guard,
};

#define LINEAR_TANGENCY 9.62095476193070331094607133341
#define QUINTIC_TANGENCY 5.34992243981137619202586458607

/* Before the tangency the event is shallow: the guard would return after alpha_c - alpha. */
#define GARCIA_HIT(number, model, alpha, tangency, time, x1, dgdt, end)                            \
  {                                                                                                \
    .id = number "/" #alpha, .title = "Garcia, the event before the tangency", .def = &(model),    \
    .p0 = (const double[]){alpha}, .t_end = (end),                                                 \
    .events = (const problem_event[]){{"surface", BRINK_NEGATIVE, time, .rate = (dgdt),            \
                                       .depth = (tangency) - (alpha),                              \
                                       .after = (const double[]){x1, -(alpha)}}},                  \
    .nevents = 1, .final = (const double[]){x1, -(alpha) - ((end) - (time))},                      \
  }
/* After it, it comes far later, and the closest approach is a near miss. */
#define GARCIA_MISS(number, model, alpha, tangency, touch, curve, time, x1, dgdt, end)             \
  {                                                                                                \
    .id = number "/" #alpha, .title = "Garcia, past the tangency", .def = &(model),                \
    .p0 = (const double[]){alpha}, .t_end = (end),                                                 \
    .events = (const problem_event[]){{"surface", BRINK_NEGATIVE, time, .rate = (dgdt),            \
                                       .after = (const double[]){x1, -(alpha)}}},                  \
    .nevents = 1,                                                                                  \
    .misses = (const problem_miss[]){{"surface", touch, (alpha) - (tangency), curve}},             \
    .nmisses = 1,                                                                                  \
  }
#define P3_HIT(alpha, time, x1, dgdt)                                                              \
  GARCIA_HIT("P3", garcia_linear, alpha, LINEAR_TANGENCY, time, x1, dgdt, 3.0)
#define P3_MISS(alpha, time, x1, dgdt)                                                             \
  GARCIA_MISS("P3", garcia_linear, alpha, LINEAR_TANGENCY, 1.5707963267948966, 19.24, time, x1,    \
              dgdt, 5.6)
#define P4_HIT(alpha, time, x1, dgdt)                                                              \
  GARCIA_HIT("P4", garcia_quintic, alpha, QUINTIC_TANGENCY, time, x1, dgdt, 3.0)
#define P4_MISS(alpha, time, x1, dgdt)                                                             \
  GARCIA_MISS("P4", garcia_quintic, alpha, QUINTIC_TANGENCY, 1.831259695023578, 59.8, time, x1,    \
              dgdt, 3.7)

/* --------------------------------------------------------------------- P5: relay ---- */

/* x1'' = -sign(x1), the sign being that of the guard (Taylor 1995): |x1| + x2^2/2 stays 1/4, and
 * switches come every sqrt(2). */
static int relay_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = x[1];
  dx[1] = -env->sgn[0];
  return 0;
}

static const brink_guard_def relay_guard = {.size = sizeof(brink_guard_def),
                                            .name = "relay",
                                            .depends = only_x,
                                            .ndepends = 1,
                                            .coefficients = plus_one};
static const double relay_x0[] = {0.25, 0}, relay_mesh_x0[] = {0.125, 0};
static const brink_model_def relay = {.size = sizeof(brink_model_def),
                                      .nx = 2,
                                      .x0 = relay_x0,
                                      .rhs = relay_rhs,
                                      .nguards = 1,
                                      .guards = &relay_guard};

#define HALF_ROOT 0.707106781186547524400844362105
static const problem_event relay_events[] = {
    {"relay", BRINK_NEGATIVE, 0.707106781186547524400844362105, .rate = HALF_ROOT,
     .after = (const double[]){0, -HALF_ROOT}},
    {"relay", BRINK_POSITIVE, 2.12132034355964257320253308631, .rate = HALF_ROOT,
     .after = (const double[]){0, HALF_ROOT}},
    {"relay", BRINK_NEGATIVE, 3.53553390593273762200422181052, .rate = HALF_ROOT,
     .after = (const double[]){0, -HALF_ROOT}},
    {"relay", BRINK_POSITIVE, 4.94974746830583267080591053473, .rate = HALF_ROOT,
     .after = (const double[]){0, HALF_ROOT}},
    {"relay", BRINK_NEGATIVE, 6.36396103067892771960759925894, .rate = HALF_ROOT,
     .after = (const double[]){0, -HALF_ROOT}},
    {"relay", BRINK_POSITIVE, 7.77817459305202276840928798315, .rate = HALF_ROOT,
     .after = (const double[]){0, HALF_ROOT}},
    {"relay", BRINK_NEGATIVE, 9.19238815542511781721097670736, .rate = HALF_ROOT,
     .after = (const double[]){0, -HALF_ROOT}},
};
/* From x1 = 1/8 the switches are at 1/2, 3/2, …: points of every mesh of step 1/4. */
static const problem_event relay_mesh_events[] = {
    {"relay", BRINK_NEGATIVE, 0.5, .rate = 0.5, .after = (const double[]){0, -0.5}},
    {"relay", BRINK_POSITIVE, 1.5, .rate = 0.5, .after = (const double[]){0, 0.5}},
    {"relay", BRINK_NEGATIVE, 2.5, .rate = 0.5, .after = (const double[]){0, -0.5}},
    {"relay", BRINK_POSITIVE, 3.5, .rate = 0.5, .after = (const double[]){0, 0.5}},
    {"relay", BRINK_NEGATIVE, 4.5, .rate = 0.5, .after = (const double[]){0, -0.5}},
};

/* ----------------------------------------------------------------------- the table ---- */

const problem problems_paper[] = {
    {.id = "P1",
     .title = "vehicle in the corridor: formula and plain guards",
     .def = &corridor,
     .t_end = 3.6,
     .flags = PROBLEM_ANY_ORDER,
     .events = PROBLEM_LIST(corridor_events)},
    {.id = "P1u",
     .title = "vehicle in the corridor, unilateral formula",
     .def = &corridor_wall,
     .t_end = 3.6,
     .status = BRINK_STOPPED,
     .events = PROBLEM_LIST(corridor_wall_events),
     .inside = corridor_free,
     .spread = (const double[]){0.05, 0.05, 0.05}},
    {.id = "P2",
     .title = "manipulator leaving its workspace",
     .def = &manipulator,
     .t_end = 3,
     .status = BRINK_STOPPED,
     .flags = PROBLEM_ONE_SIDED,
     .events = PROBLEM_LIST(manipulator_events),
     .inside = manipulator_bent,
     .spread = (const double[]){0.1, 0.5}},
    P3_HIT(9, 1.29137825252011736863330303116, 4.98683572751470097116740409723,
           4.01316427248529903),
    P3_HIT(9.2, 1.34496421941479575064382941956, 5.76237571992051907329787888377,
           3.43762428007948093),
    P3_HIT(9.4, 1.4108419664224426357535365897, 6.78829908701538006450726537021,
           2.61170091298461994),
    P3_HIT(9.6, 1.52338050749883514121365387317, 8.7302063113951601191073059917,
           0.869793688604839881),
    P3_HIT(9.62, 1.56080123929647450227374224288, 9.42959132711268668459462766387,
           0.190408672887313315),
    P3_HIT(9.6209, 1.56840864740805001385757976667, 9.57506610033171491964849413557,
           0.0458338996682850804),
    P3_MISS(9.63, 5.51154220795556313181258988055, -700.061630624462401524902317192,
            709.691630624462402),
    P3_MISS(9.7, 5.51164083274887408422744105067, -700.129724207431570072652049783,
            709.829724207431570),
    P3_MISS(10, 5.51206329326052934074007649103, -700.421401752951694502925203538,
            710.421401752951695),
    P4_HIT(4, 1.64614720975796333460387787174, -0.853852790242036665396122128258,
           16.5767586303363642),
    P4_HIT(5, 1.73090029682210405643141136762, -0.769099703177895943568588632383,
           7.49446151558662537),
    P4_HIT(5.3, 1.79159669157061976238359531924, -0.708403308429380237616404680758,
           2.59193077633438388),
    P4_HIT(5.34, 1.81328805628002573189835203198, -0.686711943719974268101647968024,
           1.11906856408534918),
    P4_HIT(5.3499, 1.83039404515634884574829538721, -0.669605954843651154251704612794,
           0.0518785615551422676),
    P4_MISS(5.35, 3.60384347636161814811937630912, 1.10384347636161814811937630912,
            64.2335082580464729),
    P4_MISS(5.36, 3.60399910762127964439514009037, 1.10399910762127964439514009037,
            64.2753819409730730),
    P4_MISS(5.4, 3.60462062075823931400150945211, 1.10462062075823931400150945211,
            64.4427810712663706),
    P4_MISS(6, 3.61375523652379368464128402557, 1.11375523652379368464128402557,
            66.9359002913734859),
    P4_MISS(8, 3.64195154928251026199913384425, 1.14195154928251026199913384425,
            75.0277557967604276),
    {.id = "P5",
     .title = "relay",
     .def = &relay,
     .t_end = 10,
     .events = PROBLEM_LIST(relay_events),
     .final =
         (const double[]){-0.244949366116653416118210694679, 0.100505063388334658388178930532}},
    {.id = "P5m",
     .title = "relay, switches on mesh points",
     .def = &relay,
     .x0 = relay_mesh_x0,
     .t_end = 5,
     .events = PROBLEM_LIST(relay_mesh_events),
     .final = (const double[]){-0.125, 0}},
};
const size_t problems_paper_count = sizeof problems_paper / sizeof problems_paper[0];
