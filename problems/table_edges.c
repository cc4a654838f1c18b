/* table_edges.c: tanks, flows and reactors with edges past which the right-hand
 * side does not exist, because it takes the root of what runs out there. */
#include "problems/problems.h"

static const size_t only_first[] = {0}, only_second[] = {1};
static const double plus_one[] = {1}, zero[] = {0};

#define LEVEL(what, where, on, level, does)                                                        \
  {                                                                                                \
    .size = sizeof(brink_guard_def), .name = (what), .direction = (where), .depends = (on),        \
    .ndepends = 1, .coefficients = plus_one, .offset = -(level), .action = (does)                  \
  }
#define EDGE(what, on, level, does)                                                                \
  {                                                                                                \
    .size = sizeof(brink_guard_def), .name = (what), .side = BRINK_UNILATERAL,                     \
    .direction = BRINK_NEGATIVE, .depends = (on), .ndepends = 1, .coefficients = plus_one,         \
    .offset = -(level), .action = (does)                                                           \
  }

static bool not_negative(double t, const double *x, const brink_env *env) {
  (void)t, (void)env;
  return x[0] >= 0;
}

static bool both_filled(double t, const double *x, const brink_env *env) {
  (void)t, (void)env;
  return x[0] >= 0 && x[1] >= 0;
}

/* ------------------------------------------------------------------- C1: Torricelli ---- */

/* h' = q - 0.2 sqrt(h); the inlet q = 0.15 is open in mode 1. Without inlet h = (1 - t/10)^2: a
 * double zero, the smooth continuation of h never changes its sign. */
static int tank_rhs(double t, const double *x, const brink_env *env, double *dx) {
  if (!problem_inside(t, x, env)) return 1;
  dx[0] = (env->mode[0] == 1 ? 0.15 : 0) - 0.2 * sqrt(x[0]);
  return 0;
}

static int open_inlet(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 1;
  return 0;
}

static const brink_guard_def draining_guards[] = {
    LEVEL("quarter", BRINK_BOTH, only_first, 0.25, NULL),
    LEVEL("trace", BRINK_BOTH, only_first, 1e-4, NULL),
    EDGE("empty", only_first, 0, problem_stop),
};
static const brink_guard_def refill_guards[] = {
    LEVEL("quarter", BRINK_NEGATIVE, only_first, 0.25, open_inlet),
    LEVEL("half", BRINK_POSITIVE, only_first, 0.5, NULL),
    EDGE("empty", only_first, 0, problem_stop),
};
static const double one[] = {1};
static const brink_model_def draining = {.size = sizeof(brink_model_def),
                                         .nx = 1,
                                         .nmodes = 1,
                                         .x0 = one,
                                         .rhs = tank_rhs,
                                         .nguards = 3,
                                         .guards = draining_guards};
static const brink_model_def refill = {.size = sizeof(brink_model_def),
                                       .nx = 1,
                                       .nmodes = 1,
                                       .x0 = one,
                                       .rhs = tank_rhs,
                                       .nguards = 3,
                                       .guards = refill_guards};
static const problem_event draining_events[] = {
    {"quarter", BRINK_NEGATIVE, 5, .rate = 0.1},
    {"trace", BRINK_NEGATIVE, 9.9, .rate = 0.002},
    {"empty", BRINK_NEGATIVE, 10, .rate = 0.2, .slack = 10, .power = 0.5,
     .after = (const double[]){0}},
};
static const problem_event refill_events[] = {
    {"quarter", BRINK_NEGATIVE, 5, .rate = 0.1},
    {"half", BRINK_POSITIVE, 16.1495359934276701344806962536, .rate = 0.00857864},
};

/* ----------------------------------------------------------- C11: root in the field ---- */

/* x' = -p - sqrt(x), p = 1: the edge is crossed at a slope; p = 0: approached with slope 0. */
static int root_rhs(double t, const double *x, const brink_env *env, double *dx) {
  if (!problem_inside(t, x, env)) return 1;
  dx[0] = -env->p[0] - sqrt(x[0]);
  return 0;
}

static const brink_guard_def root_guards[] = {
    LEVEL("quarter", BRINK_NEGATIVE, only_first, 0.25, NULL),
    EDGE("zero", only_first, 0, problem_stop),
};
static const brink_model_def root_field = {.size = sizeof(brink_model_def),
                                           .nx = 1,
                                           .np = 1,
                                           .x0 = one,
                                           .p0 = one,
                                           .rhs = root_rhs,
                                           .nguards = 2,
                                           .guards = root_guards};
static const problem_event root_events[] = {
    {"quarter", BRINK_NEGATIVE, 0.424635855096438145121561988012, .rate = 1.5},
    {"zero", BRINK_NEGATIVE, 0.613705638880109381165535757084, .rate = 1,
     .after = (const double[]){0}},
};
static const problem_event root_double_events[] = {
    {"quarter", BRINK_NEGATIVE, 1, .rate = 0.5},
    {"zero", BRINK_NEGATIVE, 2, .rate = 1, .slack = 2, .power = 0.5, .after = (const double[]){0}},
};

/* ------------------------------------------------------------- C6: supersonic flow ---- */

/* M' = -0.1 M^2/sqrt(M^2 - 1) has an infinite slope at M = 1 and no value below; M - 1 is about
 * (0.3 (t* - t)/(2 sqrt 2))^(2/3). Subsonic (mode 1): M' = -0.1 M^2. */
static int mach_rhs(double t, const double *x, const brink_env *env, double *dx) {
  if (!problem_inside(t, x, env)) return 1;
  double square = x[0] * x[0];
  dx[0] = env->mode[0] == 1 ? -0.1 * square : -0.1 * square / sqrt(square - 1);
  return 0;
}

static bool mach_defined(double t, const double *x, const brink_env *env) {
  (void)t;
  return env->mode[0] == 1 || x[0] >= 1;
}

static int mach_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = 1 - x[0];
  return 0;
}

static int mach_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                         double *dt) {
  (void)guard, (void)t, (void)x, (void)env;
  dx[0] = -1;
  *dt = 0;
  return 0;
}

static int go_subsonic(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = 1;
  now->mode[0] = 1;
  return 0;
}

enum { SONIC };

static bool mach_watched(size_t guard, const brink_env *env) {
  return guard != SONIC || env->mode[0] == 0;
}

static const brink_guard_def mach_guards[] = {
    [SONIC] = {.size = sizeof(brink_guard_def),
               .name = "sonic",
               .side = BRINK_UNILATERAL,
               .direction = BRINK_POSITIVE,
               .value = mach_value,
               .gradient = mach_gradient,
               .degree = 1,
               .action = go_subsonic},
    LEVEL("1.5", BRINK_NEGATIVE, only_first, 1.5, NULL),
    LEVEL("1.01", BRINK_NEGATIVE, only_first, 1.01, NULL),
    LEVEL("0.5", BRINK_NEGATIVE, only_first, 0.5, NULL),
};
static const double mach_x0[] = {2};
static const brink_model_def mach = {
    .size = sizeof(brink_model_def),
    .nx = 1,
    .nmodes = 1,
    .x0 = mach_x0,
    .rhs = mach_rhs,
    .nguards = 4,
    .guards = mach_guards,
    .enabled = mach_watched,
};
static const problem_event mach_events[] = {
    {"1.5", BRINK_NEGATIVE, 2.33864835521101065668863239283, .rate = 0.2012},
    {"1.01", BRINK_NEGATIVE, 4.4999948483054953602458359436, .rate = 0.7195},
    {"sonic", BRINK_POSITIVE, 4.50932493140378061861323176555, .rate = 0.2, .slack = 9.43,
     .power = 1.5, .after = (const double[]){1}},
    {"0.5", BRINK_NEGATIVE, 14.5093249314037806186132317656, .rate = 0.025},
};

/* ---------------------------------------------------------------- C7: half-order A->B->C ---- */

/* A' = -0.3 sqrt(A), B' = 0.3 sqrt(A) - 0.2 sqrt(B), from B = 0: it starts on an edge and leaves.
 * Mode 1: A is used up. */
static int reaction_rhs(double t, const double *x, const brink_env *env, double *dx) {
  if (!problem_inside(t, x, env)) return 1;
  double a = env->mode[0] == 0 ? 0.3 * sqrt(x[0]) : 0;
  dx[0] = -a;
  dx[1] = a - 0.2 * sqrt(x[1]);
  return 0;
}

static int use_up(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = 0;
  now->mode[0] = 1;
  return 0;
}

static bool reaction_watched(size_t guard, const brink_env *env) {
  return guard != 0 || env->mode[0] == 0;
}

static const brink_guard_def reaction_guards[] = {
    EDGE("A", only_first, 0, use_up),
    EDGE("B", only_second, 0, problem_stop),
};
static const double reaction_x0[] = {2, 0};
static const brink_model_def reaction = {
    .size = sizeof(brink_model_def),
    .nx = 2,
    .nmodes = 1,
    .x0 = reaction_x0,
    .rhs = reaction_rhs,
    .nguards = 2,
    .guards = reaction_guards,
    .enabled = reaction_watched,
};
static const problem_event reaction_events[] = {
    {"A", BRINK_NEGATIVE, 9.42809041582063365867792482806, .rate = 0.4, .slack = 2 / 0.3,
     .power = 0.5, .after = (const double[]){0, 0.517951051090411953887938801267}},
    {"B", BRINK_NEGATIVE, 16.6249720397631308379806042654, .rate = 0.14, .slack = 10, .power = 0.5,
     .after = (const double[]){0, 0}},
};

/* c' = -c^(1/3), c(0) = 8. */
static int third_rhs(double t, const double *x, const brink_env *env, double *dx) {
  if (!problem_inside(t, x, env)) return 1;
  dx[0] = -cbrt(x[0]);
  return 0;
}

static const brink_guard_def third_guard = EDGE("c", only_first, 0, problem_stop);
static const double third_x0[] = {8};
static const brink_model_def third = {.size = sizeof(brink_model_def),
                                      .nx = 1,
                                      .x0 = third_x0,
                                      .rhs = third_rhs,
                                      .nguards = 1,
                                      .guards = &third_guard};
static const problem_event third_events[] = {
    {"c", BRINK_NEGATIVE, 6, .rate = 0.6, .slack = 1.5, .power = 2.0 / 3,
     .after = (const double[]){0}},
};

/* ----------------------------------------------------------------------- the table ---- */

const problem problems_edges[] = {
    {.id = "C1a",
     .title = "draining tank",
     .def = &draining,
     .t_end = 11,
     .status = BRINK_STOPPED,
     .flags = PROBLEM_ONE_SIDED,
     .events = PROBLEM_LIST(draining_events),
     .inside = not_negative,
     .spread = (const double[]){0.5}},
    {.id = "C1b",
     .title = "tank with inlet",
     .def = &refill,
     .t_end = 17,
     .events = PROBLEM_LIST(refill_events),
     .inside = not_negative,
     .spread = (const double[]){0.5}},
    {.id = "C6",
     .title = "supersonic deceleration",
     .def = &mach,
     .t_end = 15,
     .flags = PROBLEM_ONE_SIDED,
     .events = PROBLEM_LIST(mach_events),
     .inside = mach_defined,
     .spread = (const double[]){0.9}},
    {.id = "C7",
     .title = "depletion of A and B",
     .def = &reaction,
     .t_end = 20,
     .status = BRINK_STOPPED,
     .flags = PROBLEM_ONE_SIDED,
     .events = PROBLEM_LIST(reaction_events),
     .inside = both_filled,
     .spread = (const double[]){1, 0.5}},
    {.id = "C7c",
     .title = "depletion by a third root",
     .def = &third,
     .t_end = 7,
     .status = BRINK_STOPPED,
     .flags = PROBLEM_ONE_SIDED,
     .events = PROBLEM_LIST(third_events),
     .inside = not_negative,
     .spread = (const double[]){4}},
    {.id = "C11a",
     .title = "root in the field, slope at the edge",
     .def = &root_field,
     .t_end = 1,
     .status = BRINK_STOPPED,
     .flags = PROBLEM_ONE_SIDED,
     .events = PROBLEM_LIST(root_events),
     .inside = not_negative,
     .spread = (const double[]){0.5}},
    {.id = "C11b",
     .title = "root in the field, no slope at the edge",
     .def = &root_field,
     .p0 = zero,
     .t_end = 3,
     .status = BRINK_STOPPED,
     .flags = PROBLEM_ONE_SIDED,
     .events = PROBLEM_LIST(root_double_events),
     .inside = not_negative,
     .spread = (const double[]){0.5}},
};
const size_t problems_edges_count = sizeof problems_edges / sizeof problems_edges[0];
