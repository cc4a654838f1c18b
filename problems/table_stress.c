/* table_stress.c: what makes detection hard: crossings in pairs, touches, several guards at one
 * instant, chains of events, sliding, far apart scales. */
#include "problems/dynamics.h"
#include "problems/problems.h"

#include <brink/jet.h>

static const size_t only_first[] = {0}, only_second[] = {1};
static const double plus_one[] = {1}, zero[] = {0}, one[] = {1};

/* The rate p[0]. */
static int ramp_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = env->p[0];
  return 0;
}

/* ---------------------------------------------------- S1: crossings inside one step ---- */

/* 1e-4 - (x - 1/3)^2: above zero for 0.02 s. */
static int bump_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  double u = x[0] - 1.0 / 3;
  *g = 1e-4 - u * u;
  return 0;
}

static int bump_jet(size_t guard, int order, const double *t, const double *const *x,
                    const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  brink_jet_add_constant(order, x[0], -1.0 / 3, g);
  brink_jet_square(order, g, g);
  brink_jet_scale(order, g, -1, g);
  brink_jet_add_constant(order, g, 1e-4, g);
  return 0;
}

/* Three zeros within 0.002 s. */
static int cubic_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = (x[0] - 0.499) * (x[0] - 0.5) * (x[0] - 0.501);
  return 0;
}

static int cubic_jet(size_t guard, int order, const double *t, const double *const *x,
                     const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  double factor[BRINK_JET_MAX_ORDER + 1];
  brink_jet_add_constant(order, x[0], -0.499, g);
  brink_jet_add_constant(order, x[0], -0.5, factor);
  brink_jet_mul(order, g, factor, g);
  brink_jet_add_constant(order, x[0], -0.501, factor);
  brink_jet_mul(order, g, factor, g);
  return 0;
}

static int circle_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1];
  dx[1] = -x[0];
  return 0;
}

static const brink_guard_def bump_guard = {.size = sizeof(brink_guard_def),
                                           .name = "bump",
                                           .value = bump_value,
                                           .jet = bump_jet,
                                           .degree = 2};
static const brink_guard_def cubic_guard = {.size = sizeof(brink_guard_def),
                                            .name = "cubic",
                                            .value = cubic_value,
                                            .jet = cubic_jet,
                                            .degree = 3};
static const brink_guard_def crest_guard = {.size = sizeof(brink_guard_def),
                                            .name = "crest",
                                            .depends = only_first,
                                            .ndepends = 1,
                                            .coefficients = plus_one,
                                            .offset = -0.9999};
static const double crest_x0[] = {0, 1};
static const brink_model_def bump = {.size = sizeof(brink_model_def),
                                     .nx = 1,
                                     .np = 1,
                                     .x0 = zero,
                                     .p0 = one,
                                     .rhs = ramp_rhs,
                                     .nguards = 1,
                                     .guards = &bump_guard};
static const brink_model_def cubic = {.size = sizeof(brink_model_def),
                                      .nx = 1,
                                      .np = 1,
                                      .x0 = zero,
                                      .p0 = one,
                                      .rhs = ramp_rhs,
                                      .nguards = 1,
                                      .guards = &cubic_guard};
static const brink_model_def crest = {.size = sizeof(brink_model_def),
                                      .nx = 2,
                                      .x0 = crest_x0,
                                      .rhs = circle_rhs,
                                      .nguards = 1,
                                      .guards = &crest_guard};
static const problem_event bump_events[] = {
    {"bump", BRINK_POSITIVE, 0.323333333333333333333333333333, .rate = 0.02, .depth = 1e-4},
    {"bump", BRINK_NEGATIVE, 0.343333333333333333333333333333, .rate = 0.02},
};
static const problem_event crest_events[] = {
    {"crest", BRINK_POSITIVE, 1.55665407331738374163508146582, .rate = 0.01414, .depth = 1e-4},
    {"crest", BRINK_NEGATIVE, 1.58493858027240949682756191746, .rate = 0.01414, .depth = 1e-4},
};
static const problem_event cubic_events[] = {
    {"cubic", BRINK_POSITIVE, 0.499, .rate = 2e-6, .depth = 3.849e-10},
    {"cubic", BRINK_NEGATIVE, 0.5, .rate = 1e-6, .depth = 3.849e-10},
    {"cubic", BRINK_POSITIVE, 0.501, .rate = 2e-6},
};

/* -------------------------------------------------------- S2: touching the ceiling ---- */

/* A ball thrown up at 5: apex 25/19.62. p = (height of the ceiling). */
static int throw_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1];
  dx[1] = -9.81;
  return 0;
}

static int ceiling_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t;
  *g = x[0] - env->p[0];
  return 0;
}

static int ceiling_gradient(size_t guard, double t, const double *x, const brink_env *env,
                            double *dx, double *dt) {
  (void)guard, (void)t, (void)x, (void)env;
  dx[0] = 1;
  *dt = 0;
  return 0;
}

static const brink_guard_def ceiling_guard = {
    .size = sizeof(brink_guard_def),
    .name = "ceiling",
    .depends = only_first,
    .ndepends = 1,
    .value = ceiling_value,
    .gradient = ceiling_gradient,
    .degree = 1,
};
static const double throw_x0[] = {0, 5};
static const brink_model_def ceiling = {
    .size = sizeof(brink_model_def),
    .nx = 2,
    .np = 1,
    .x0 = throw_x0,
    .p0 = one,
    .rhs = throw_rhs,
    .nguards = 1,
    .guards = &ceiling_guard,
};
#define APEX_TIME 0.509683995922528032619775739042
static const problem_event ceiling_hit[] = {
    {"ceiling", BRINK_POSITIVE, 0.509638843558429459529330657929, .rate = 4.429e-4, .depth = 1e-8},
    {"ceiling", BRINK_NEGATIVE, 0.509729148286626605710220820154, .rate = 4.429e-4, .depth = 1e-8},
};
static const problem_miss ceiling_touch[] = {{"ceiling", APEX_TIME, 0, 9.81}};
static const problem_miss ceiling_miss[] = {{"ceiling", APEX_TIME, 1e-8, 9.81}};

/* ----------------------------------------------------- S3: three guards at one time ---- */

/* x' = 1, y' = 2 t, z' = z reach their levels together at t = 1; each is then frozen. The last
 * state is set by a clock or a time guard at the same instant, where there is one. */
static int meeting_rhs(double t, const double *x, const brink_env *env, double *dx) {
  dx[0] = env->mode[0] ? 0 : 1;
  dx[1] = env->mode[1] ? 0 : 2 * t;
  dx[2] = env->mode[2] ? 0 : x[2];
  dx[3] = 0;
  return 0;
}

static int freeze(const brink_event *event, brink_now *now, void *user) {
  (void)user;
  now->mode[event->guard] = 1;
  return 0;
}

static int mark(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[3] = 1;
  return 0;
}

static int mark_tick(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->x[3] = 1;
  now->timer[0] = (double)INFINITY;
  return 0;
}

static int second_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = x[1] - 1;
  return 0;
}

static int third_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = x[2] - 2.71828182845904523536028747135;
  return 0;
}

/* One by numbers, one by gradient and degree, one by value alone; and time by numbers. */
static const double no_state[] = {0, 0, 0, 0};
static const brink_guard_def meeting_guards[] = {
    {.size = sizeof(brink_guard_def),
     .name = "x",
     .direction = BRINK_POSITIVE,
     .depends = only_first,
     .ndepends = 1,
     .coefficients = plus_one,
     .offset = -1,
     .action = freeze},
    {.size = sizeof(brink_guard_def),
     .name = "y",
     .direction = BRINK_POSITIVE,
     .depends = only_second,
     .ndepends = 1,
     .value = second_value,
     .gradient = ceiling_gradient,
     .degree = 1,
     .action = freeze},
    {.size = sizeof(brink_guard_def),
     .name = "z",
     .direction = BRINK_POSITIVE,
     .value = third_value,
     .action = freeze},
    {.size = sizeof(brink_guard_def),
     .name = "t",
     .direction = BRINK_POSITIVE,
     .coefficients = no_state,
     .time_coefficient = 1,
     .offset = -1,
     .action = mark},
};
static const brink_clock_def meeting_clock = {
    .size = sizeof(brink_clock_def), .name = "one", .offset = 1, .tick = mark_tick};
static const double meeting_x0[] = {0, 0, 1, 0};
static const brink_model_def meeting = {.size = sizeof(brink_model_def),
                                        .nx = 4,
                                        .nmodes = 3,
                                        .x0 = meeting_x0,
                                        .rhs = meeting_rhs,
                                        .nguards = 3,
                                        .guards = meeting_guards};
static const brink_model_def meeting_guard = {.size = sizeof(brink_model_def),
                                              .nx = 4,
                                              .nmodes = 3,
                                              .x0 = meeting_x0,
                                              .rhs = meeting_rhs,
                                              .nguards = 4,
                                              .guards = meeting_guards};
static const brink_model_def meeting_tick = {.size = sizeof(brink_model_def),
                                             .nx = 4,
                                             .nmodes = 3,
                                             .x0 = meeting_x0,
                                             .rhs = meeting_rhs,
                                             .nguards = 3,
                                             .guards = meeting_guards,
                                             .nclocks = 1,
                                             .clocks = &meeting_clock};
static const problem_event meeting_events[] = {
    {"x", BRINK_POSITIVE, 1, .rate = 1},
    {"y", BRINK_POSITIVE, 1, .rate = 2},
    {"z", BRINK_POSITIVE, 1, .rate = 2.718},
    {"t", BRINK_POSITIVE, 1, .rate = 1},
};

/* ---------------------------------------------------------------------- S4: cascade ---- */

/* Modes 0, 1, 2: x' = 1, each left when x >= 1 (so all at one instant); mode 3: x' = -1 to 0. */
static int cascade_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x;
  dx[0] = env->mode[0] == 3 ? -1 : 1;
  return 0;
}

static int next_mode(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = (now->mode[0] + 1) % 4;
  return 0;
}

static bool cascade_watched(size_t guard, const brink_env *env) {
  return (int)guard == env->mode[0];
}

#define CASCADE(what, where, level)                                                                \
  {                                                                                                \
    .size = sizeof(brink_guard_def), .name = (what), .side = BRINK_CROSSING, .direction = (where), \
    .coefficients = plus_one, .offset = -(level), .action = next_mode                              \
  }
static const brink_guard_def cascade_guards[] = {
    CASCADE("0->1", BRINK_POSITIVE, 1),
    CASCADE("1->2", BRINK_POSITIVE, 1),
    CASCADE("2->3", BRINK_POSITIVE, 1),
    CASCADE("3->0", BRINK_NEGATIVE, 0),
};
static const brink_model_def cascade = {
    .size = sizeof(brink_model_def),
    .nx = 1,
    .nmodes = 1,
    .x0 = zero,
    .rhs = cascade_rhs,
    .nguards = 4,
    .guards = cascade_guards,
    .enabled = cascade_watched,
};
static const problem_event cascade_events[] = {
    {"0->1", BRINK_POSITIVE, 1, .rate = 1}, {"1->2", BRINK_POSITIVE, 1, .rate = 1},
    {"2->3", BRINK_POSITIVE, 1, .rate = 1}, {"3->0", BRINK_NEGATIVE, 2, .rate = 1},
    {"0->1", BRINK_POSITIVE, 3, .rate = 1}, {"1->2", BRINK_POSITIVE, 3, .rate = 1},
    {"2->3", BRINK_POSITIVE, 3, .rate = 1}, {"3->0", BRINK_NEGATIVE, 4, .rate = 1},
};

/* ---------------------------------------------------------------------- S5: sliding ---- */

/* y' = -sign(y) + 1.5 sin t, the sign being that of the guard; Filippov on y = 0 while
 * |1.5 sin t| < 1. */
static int friction_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)x;
  dx[0] = -env->sgn[0] + 1.5 * sin(t);
  return 0;
}

static const brink_guard_def friction_guard = {
    .size = sizeof(brink_guard_def), .name = "y", .coefficients = plus_one};
static const brink_model_def friction = {.size = sizeof(brink_model_def),
                                         .nx = 1,
                                         .x0 = one,
                                         .rhs = friction_rhs,
                                         .nguards = 1,
                                         .guards = &friction_guard};
static const problem_event friction_events[] = {
    {"y", BRINK_NEGATIVE, 3.73964807128089795288946586677, .rate = 1.84},
    {"y", BRINK_POSITIVE, 6.46470895726759609746016060425, .rate = 1.27},
};
static const problem_slide friction_slides[] = {
    {"y", 3.73964807128089795288946586677, 3.87132030981675960191744004309},
    {"y", 6.46470895726759609746016060425, 7.01291296340655284038008342637},
};

/* ------------------------------------------------- S7: time events set by the state ---- */

/* x' = -x; the timer fires x/2 after its last firing and adds 1 to x. The second state keeps the
 * time of the last firing, the third counts. */
static int timed_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = -x[0];
  dx[1] = dx[2] = 0;
  return 0;
}

static int timed_tick(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)tick, (void)user;
  now->x[0] += 1;
  now->x[1] = now->t;
  now->x[2] += 1;
  now->timer[clock] = now->t + now->x[0] / 2;
  return 0;
}

static const brink_clock_def timed_clock = {
    .size = sizeof(brink_clock_def), .name = "timer", .offset = 0.5, .tick = timed_tick};
static const double timed_x0[] = {1, 0, 0};
static const brink_model_def timed = {.size = sizeof(brink_model_def),
                                      .nx = 3,
                                      .x0 = timed_x0,
                                      .rhs = timed_rhs,
                                      .nclocks = 1,
                                      .clocks = &timed_clock};

/* ------------------------------------------------------------------ S8: van der Pol ---- */

static int slope_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = x[1];
  return 0;
}

static int slope_jet(size_t guard, int order, const double *t, const double *const *x,
                     const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  brink_jet_copy(order, x[1], g);
  return 0;
}

/* "x'" starts on its surface and leaves it at once. */
static const brink_guard_def van_der_pol_guards[] = {
    {.size = sizeof(brink_guard_def),
     .name = "x",
     .depends = only_first,
     .ndepends = 1,
     .coefficients = plus_one},
    {.size = sizeof(brink_guard_def),
     .name = "x'",
     .depends = only_second,
     .ndepends = 1,
     .value = slope_value,
     .jet = slope_jet},
};
static const double van_der_pol_x0[] = {2, 0};
static const brink_model_def van_der_pol = {.size = sizeof(brink_model_def),
                                            .nx = 2,
                                            .x0 = van_der_pol_x0,
                                            .rhs = problem_van_der_pol_rhs,
                                            .nguards = 2,
                                            .guards = van_der_pol_guards};
static const problem_event van_der_pol_events[] = {
    {"x", BRINK_NEGATIVE, 2.1616949938686778112983973, .rate = 2.17,
     .after = (const double[]){0, -2.17190515109871760018603}},
    {"x'", BRINK_POSITIVE, 3.3202611519129317706117189, .rate = 2.0,
     .after = (const double[]){-2.0083614087071704724302, 0}},
    {"x", BRINK_POSITIVE, 5.4931558427235185080901849, .rate = 2.17,
     .after = (const double[]){0, 2.17268996634732999135756}},
    {"x'", BRINK_NEGATIVE, 6.6515617168692608173096399, .rate = 2.0,
     .after = (const double[]){2.00861227782795374570571, 0}},
    {"x", BRINK_NEGATIVE, 8.8247939137408786958449766, .rate = 2.17,
     .after = (const double[]){0, -2.17271299693825570407781}},
    {"x'", BRINK_POSITIVE, 9.9831950854041028149158728, .rate = 2.0,
     .after = (const double[]){-2.00861963853130804353803, 0}},
};

/* ----------------------------------------------------------------------- S9: scales ---- */

static const brink_guard_def fast_guard = {
    .size = sizeof(brink_guard_def), .name = "level", .coefficients = plus_one, .offset = -1};
static const brink_guard_def slow_guard = {
    .size = sizeof(brink_guard_def), .name = "level", .coefficients = plus_one, .offset = -1e-6};
static const brink_guard_def offset_guard = {
    .size = sizeof(brink_guard_def), .name = "level", .coefficients = plus_one, .offset = -1e-7};
static const double fast_p0[] = {1e6}, slow_p0[] = {1e-6};
static const brink_model_def fast = {.size = sizeof(brink_model_def),
                                     .nx = 1,
                                     .np = 1,
                                     .x0 = zero,
                                     .p0 = fast_p0,
                                     .rhs = ramp_rhs,
                                     .nguards = 1,
                                     .guards = &fast_guard};
static const brink_model_def slow = {.size = sizeof(brink_model_def),
                                     .nx = 1,
                                     .np = 1,
                                     .x0 = zero,
                                     .p0 = slow_p0,
                                     .rhs = ramp_rhs,
                                     .nguards = 1,
                                     .guards = &slow_guard};
static const brink_model_def late = {.size = sizeof(brink_model_def),
                                     .t0 = 1e6,
                                     .nx = 1,
                                     .np = 1,
                                     .x0 = zero,
                                     .p0 = one,
                                     .rhs = ramp_rhs,
                                     .nguards = 1,
                                     .guards = &offset_guard};
static const problem_event fast_events[] = {{"level", BRINK_POSITIVE, 1e-6, .rate = 1e6}};
static const problem_event slow_events[] = {{"level", BRINK_POSITIVE, 1, .rate = 1e-6}};
static const problem_event late_events[] = {{"level", BRINK_POSITIVE, 1000000.0000001, .rate = 1}};

/* ----------------------------------------------------------------------- the table ---- */

const problem problems_stress[] = {
    {.id = "S1a",
     .title = "two crossings 0.02 apart",
     .def = &bump,
     .t_end = 1,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(bump_events)},
    {.id = "S1b",
     .title = "the crest of a sine",
     .def = &crest,
     .t_end = 3,
     .events = PROBLEM_LIST(crest_events)},
    {.id = "S1c",
     .title = "three crossings in 0.002",
     .def = &cubic,
     .t_end = 1,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(cubic_events)},
    {.id = "S2/touch",
     .title = "apex on the ceiling",
     .def = &ceiling,
     .p0 = (const double[]){1.2742099898063200815494393476},
     .t_end = 1,
     .misses = PROBLEM_LIST(ceiling_touch)},
    {.id = "S2/hit",
     .title = "apex 1e-8 above the ceiling",
     .def = &ceiling,
     .p0 = (const double[]){1.2742099798063200815494393476},
     .t_end = 1,
     .events = PROBLEM_LIST(ceiling_hit)},
    {.id = "S2/miss",
     .title = "apex 1e-8 below the ceiling",
     .def = &ceiling,
     .p0 = (const double[]){1.2742099998063200815494393476},
     .t_end = 1,
     .misses = PROBLEM_LIST(ceiling_miss)},
    {.id = "S3",
     .title = "three guards at one instant",
     .def = &meeting,
     .t_end = 2,
     .flags = PROBLEM_ANY_ORDER | PROBLEM_VALUE_ONLY,
     .events = meeting_events,
     .nevents = 3,
     .final = (const double[]){1, 1, 2.71828182845904523536028747135, 0}},
    {.id = "S3g",
     .title = "three guards at one instant, and a guard on time",
     .def = &meeting_guard,
     .t_end = 2,
     .flags = PROBLEM_ANY_ORDER | PROBLEM_VALUE_ONLY,
     .events = meeting_events,
     .nevents = 4,
     .final = (const double[]){1, 1, 2.71828182845904523536028747135, 1}},
    {.id = "S3t",
     .title = "three guards at one instant, and a clock",
     .def = &meeting_tick,
     .t_end = 2,
     .flags = PROBLEM_ANY_ORDER | PROBLEM_VALUE_ONLY,
     .events = meeting_events,
     .nevents = 3,
     .final = (const double[]){1, 1, 2.71828182845904523536028747135, 1}},
    {.id = "S4",
     .title = "cascade",
     .def = &cascade,
     .t_end = 4.5,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(cascade_events),
     .final = (const double[]){0.5}},
    {.id = "S5",
     .title = "sliding",
     .def = &friction,
     .t_end = 8,
     .events = PROBLEM_LIST(friction_events),
     .slides = PROBLEM_LIST(friction_slides),
     .final = (const double[]){0.3491970028693679773879323334847566}},
    {.id = "S7",
     .title = "a timer set by the state",
     .def = &timed,
     .t_end = 5,
     .final = (const double[]){1.35308029083162515739955343888, 4.7552318491179356306883615028, 6}},
    {.id = "S8",
     .title = "van der Pol sections",
     .def = &van_der_pol,
     .t_end = 10.5,
     .events = PROBLEM_LIST(van_der_pol_events)},
    {.id = "S9/fast",
     .title = "rate 1e6",
     .def = &fast,
     .t_end = 2e-6,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(fast_events)},
    {.id = "S9/slow",
     .title = "rate 1e-6",
     .def = &slow,
     .t_end = 2,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(slow_events)},
    {.id = "S9/offset",
     .title = "time near 1e6",
     .def = &late,
     .t_end = 1000000.0000005,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(late_events)},
};
const size_t problems_stress_count = sizeof problems_stress / sizeof problems_stress[0];
