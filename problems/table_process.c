/* table_process.c: tanks, switching circuits, saw-teeth, transcendental guards. */
#include "problems/dynamics.h"
#include "problems/problems.h"

#include <brink/jet.h>

static const size_t only_first[] = {0}, only_second[] = {1};
static const double plus_one[] = {1}, minus_one[] = {-1}, one[] = {1};

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

/* -------------------------------------------------------------------- C2: two tanks ---- */

/* The inflow goes to tank 1 (mode 0) until tank 2 is empty, then to tank 2 (mode 1), and so on:
 * switch n at 8 - 6*2^(1-n), all numbers exact in binary. */
static int two_tanks_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)problem_inside(t, x, env);
  dx[0] = env->mode[0] == 0 ? 0.25 : -0.5;
  dx[1] = env->mode[0] == 0 ? -0.5 : 0.25;
  if (env->mode[0] == 2) dx[0] = dx[1] = 0;
  return 0;
}

static bool both_filled(double t, const double *x, const brink_env *env) {
  (void)t, (void)env;
  return x[0] >= 0 && x[1] >= 0;
}

static int divert(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->mode[0] = 1 - now->mode[0];
  return 0;
}

static int run_dry(const size_t *guards, size_t count, brink_now *now, void *user) {
  (void)guards, (void)count, (void)user;
  now->x[0] = now->x[1] = 0;
  now->mode[0] = 2;
  return 0;
}

static bool emptying(size_t guard, const brink_env *env) {
  return (int)guard == env->mode[0];
}

static const brink_guard_def two_tanks_guards[] = {
    EDGE("tank 2", only_second, 0, divert),
    EDGE("tank 1", only_first, 0, divert),
};
static const double two_tanks_x0[] = {1, 1};
static const brink_model_def two_tanks = {
    .size = sizeof(brink_model_def),
    .nx = 2,
    .nmodes = 1,
    .x0 = two_tanks_x0,
    .rhs = two_tanks_rhs,
    .nguards = 2,
    .guards = two_tanks_guards,
    .enabled = emptying,
    .zeno = run_dry,
};
#define DIVERT(name, time, x1, x2)                                                                 \
  {                                                                                                \
    name, BRINK_NEGATIVE, time, .rate = 0.5, .after = (const double[]) {                           \
      x1, x2                                                                                       \
    }                                                                                              \
  }
static const problem_event two_tanks_events[] = {
    DIVERT("tank 2", 2, 1.5, 0),
    DIVERT("tank 1", 5, 0, 0.75),
    DIVERT("tank 2", 6.5, 0.375, 0),
    DIVERT("tank 1", 7.25, 0, 0.1875),
    DIVERT("tank 2", 7.625, 0.09375, 0),
    DIVERT("tank 1", 7.8125, 0, 0.046875),
    DIVERT("tank 2", 7.90625, 3.0 / 128, 0),
    DIVERT("tank 1", 7.953125, 0, 3.0 / 256),
};

/* ----------------------------------------------------- C3, C4: pump and thermostat ---- */

/* Two connected tanks; the pump (mode 0: on) has hysteresis on the level of the second. */
/* Guard 0 is watched in mode 0 and leads to mode 1; guard 1 back. */
static bool in_own_mode(size_t guard, const brink_env *env) {
  return (int)guard == env->mode[0];
}

static const brink_guard_def pumped_guards[] = {
    LEVEL("off", BRINK_POSITIVE, only_second, 0.4, problem_hysteresis),
    LEVEL("on", BRINK_NEGATIVE, only_second, 0.25, problem_hysteresis),
};
static const double pumped_x0[] = PROBLEM_TANKS_X0;
static const brink_model_def pumped = {
    .size = sizeof(brink_model_def),
    .nx = 2,
    .nmodes = 1,
    .x0 = pumped_x0,
    .rhs = problem_tanks_rhs,
    .nguards = 2,
    .guards = pumped_guards,
    .enabled = in_own_mode,
};
static const problem_event pumped_events[] = {
    {"off", BRINK_POSITIVE, 12.36571472234053795640825608, .rate = 0.0107,
     .after = (const double[]){0.6788465075269023748603924636, 0.4}},
    {"on", BRINK_NEGATIVE, 18.46957178432785811350000351, .rate = 0.0339,
     .after = (const double[]){0.2921578399576802360904917509, 0.25}},
    {"off", BRINK_POSITIVE, 32.98248533557209834405859507, .rate = 0.01058,
     .after = (const double[]){0.6780312850303908079386101788, 0.4}},
    {"on", BRINK_NEGATIVE, PROBLEM_TANKS_ON_AGAIN, .rate = 0.0339,
     .after = (const double[]){0.2921596636489405198771554133, 0.25}},
};

static const brink_guard_def thermostat_guards[] = {
    LEVEL("off", BRINK_POSITIVE, only_first, 22, problem_hysteresis),
    LEVEL("on", BRINK_NEGATIVE, only_first, 18, problem_hysteresis),
};
static const double thermostat_x0[] = {20};
static const brink_model_def thermostat = {
    .size = sizeof(brink_model_def),
    .nx = 1,
    .nmodes = 1,
    .x0 = thermostat_x0,
    .rhs = problem_thermostat_rhs,
    .nguards = 2,
    .guards = thermostat_guards,
    .enabled = in_own_mode,
};
static const problem_event thermostat_events[] = {
    {"off", BRINK_POSITIVE, 2.2314355131420975576629509031, .rate = 0.8},
    {"on", BRINK_NEGATIVE, 6.28608659422374137744308205774, .rate = 0.8},
    {"off", BRINK_POSITIVE, 10.3407376753053851972232132124, .rate = 0.8},
    {"on", BRINK_NEGATIVE, 14.395388756387029017003344367, .rate = 0.8},
    {"off", BRINK_POSITIVE, 18.4500398374686728367834755217, .rate = 0.8},
    {"on", BRINK_NEGATIVE, 22.5046909185503166565636066763, .rate = 0.8},
};

/* -------------------------------------------------------------------- C5: saw-tooth ---- */

/* x' = p0 + p1 cos(t); at x = 1 back to 0, or down by 1. */
static int saw_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)x;
  dx[0] = env->p[0] + env->p[1] * cos(t);
  return 0;
}

static int to_zero(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] = 0;
  return 0;
}

static int down_by_one(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)user;
  now->x[0] -= 1;
  return 0;
}

static int tooth_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = x[0] - 1;
  return 0;
}

static const brink_guard_def saw_zero = LEVEL("tooth", BRINK_POSITIVE, only_first, 1, to_zero);
static const brink_guard_def saw_down = LEVEL("tooth", BRINK_POSITIVE, only_first, 1, down_by_one);
/* Told by its value alone: no gradient, no degree. */
static const brink_guard_def saw_value = {.size = sizeof(brink_guard_def),
                                          .name = "tooth",
                                          .direction = BRINK_POSITIVE,
                                          .value = tooth_value,
                                          .action = to_zero};
static const double zero[] = {0}, saw_p0[] = {1, 0};
static const brink_model_def saw_a = {.size = sizeof(brink_model_def),
                                      .nx = 1,
                                      .np = 2,
                                      .x0 = zero,
                                      .p0 = saw_p0,
                                      .rhs = saw_rhs,
                                      .nguards = 1,
                                      .guards = &saw_zero};
static const brink_model_def saw_b = {.size = sizeof(brink_model_def),
                                      .nx = 1,
                                      .np = 2,
                                      .x0 = zero,
                                      .p0 = saw_p0,
                                      .rhs = saw_rhs,
                                      .nguards = 1,
                                      .guards = &saw_value};
static const brink_model_def saw_c = {.size = sizeof(brink_model_def),
                                      .nx = 1,
                                      .np = 2,
                                      .x0 = zero,
                                      .p0 = saw_p0,
                                      .rhs = saw_rhs,
                                      .nguards = 1,
                                      .guards = &saw_down};
#define TOOTH(time, slope)                                                                         \
  {                                                                                                \
    "tooth", BRINK_POSITIVE, time, .rate = (slope), .after = (const double[]) {                    \
      0                                                                                            \
    }                                                                                              \
  }
static const problem_event saw_a_events[] = {
    TOOTH(1, 1), TOOTH(2, 1), TOOTH(3, 1), TOOTH(4, 1), TOOTH(5, 1),
    TOOTH(6, 1), TOOTH(7, 1), TOOTH(8, 1), TOOTH(9, 1), TOOTH(10, 1),
};
static const problem_event saw_b_events[] = {
    TOOTH(0.684036656677829439432968694326, 1.38), TOOTH(1.50121007326248895871231333801, 1.03),
    TOOTH(2.86203451664741598215972256254, 0.51),  TOOTH(4.48739806717467839993648408159, 0.88),
    TOOTH(5.38964697398096116550124675092, 1.31),  TOOTH(6.09401971745221647449105928661, 1.49),
    TOOTH(6.7672913459293278083992488897, 1.44),   TOOTH(7.52656228311848123023151970809, 1.16),
    TOOTH(8.65034433229427089605621714452, 0.64),  TOOTH(10.4192303257914260017567701418, 0.72),
};
static const problem_event saw_c_events[] = {
    TOOTH(0.318309886183790671537767526745, 3.14), TOOTH(0.63661977236758134307553505349, 3.14),
    TOOTH(0.954929658551372014613302580235, 3.14), TOOTH(1.27323954473516268615107010698, 3.14),
    TOOTH(1.59154943091895335768883763373, 3.14),  TOOTH(1.90985931710274402922660516047, 3.14),
    TOOTH(2.22816920328653470076437268722, 3.14),  TOOTH(2.54647908947032537230214021396, 3.14),
    TOOTH(2.86478897565411604383990774071, 3.14),  TOOTH(3.18309886183790671537767526745, 3.14),
};

/* ---------------------------------------------------------------- C8: buck converter ---- */

/* x = (v, i); the switch is closed (mode 1) while 8.4 (v - 11.3) is below the ramp, which restarts
 * every 400 us at p[0]. The restart lifts the guard across zero: an event without a crossing. */
static int buck_restart(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)clock, (void)tick, (void)user;
  now->p[0] = now->t;
  return 0;
}

static const brink_guard_def buck_guard = {
    .size = sizeof(brink_guard_def),
    .name = "switch",
    .depends = only_first,
    .ndepends = 1,
    .value = problem_buck_value,
    .gradient = problem_buck_gradient,
    .degree = 1,
    .action = problem_buck_switch,
};
static const brink_clock_def buck_clock = {.size = sizeof(brink_clock_def),
                                           .name = "ramp",
                                           .period = PROBLEM_BUCK_PERIOD,
                                           .tick = buck_restart};
static const double buck_x0[] = {12, 0.55};
static const brink_model_def buck = {
    .size = sizeof(brink_model_def),
    .nx = 2,
    .np = 1,
    .nmodes = 1,
    .x0 = buck_x0,
    .p0 = zero,
    .rhs = problem_buck_rhs,
    .nguards = 1,
    .guards = &buck_guard,
    .nclocks = 1,
    .clocks = &buck_clock,
};
#define BUCK_ON(time, v, i)                                                                        \
  {                                                                                                \
    "switch", BRINK_NEGATIVE, time, .rate = 1e4, .after = (const double[]) {                       \
      v, i                                                                                         \
    }                                                                                              \
  }
#define BUCK_OFF(time, v, i)                                                                       \
  {                                                                                                \
    "switch", BRINK_POSITIVE, time, .rate = 1e4, .after = (const double[]) {                       \
      v, i                                                                                         \
    }                                                                                              \
  }
static const problem_event buck_events[] = {
    BUCK_ON(1.24846398411713941794882e-4, 11.91587028363438730473, 0.4752567458442500002302),
    BUCK_OFF(4.0e-4, 12.02252373903809703449, 0.6418584795468679560996),
    BUCK_ON(6.58039610407491003451699e-4, 12.09028996600980964738, 0.485364853987709071232),
    BUCK_OFF(8.0e-4, 12.03156809968744591131, 0.5702650714488500242593),
    BUCK_ON(9.5553347637010852069962e-4, 11.95605574286561830092, 0.4768000208279715942558),
    BUCK_OFF(0.0012, 12.00309505081202786652, 0.6245009000578101535066),
    BUCK_ON(0.00142217828758950117769768, 12.0433287099386324946, 0.4903408892489564592558),
    BUCK_OFF(0.0016, 12.03554784918281897809, 0.5969832239589392170995),
};

/* --------------------------------------------------- C10: firing and transcendental ---- */

static int fire_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = 1.5 - x[0];
  return 0;
}

static int unit_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = 1;
  return 0;
}

static int decay_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = -x[0];
  return 0;
}

/* x - cos(x), with a jet; and sin(x) - x/2, with a gradient, from its zero at 0. */
static int dottie_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = x[0] - cos(x[0]);
  return 0;
}

static int dottie_jet(size_t guard, int order, const double *t, const double *const *x,
                      const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  double cosine[BRINK_JET_MAX_ORDER + 1];
  brink_jet_cos(order, x[0], cosine);
  brink_jet_sub(order, x[0], cosine, g);
  return 0;
}

static int sine_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = sin(x[0]) - 0.5 * x[0];
  return 0;
}

static int sine_gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                         double *dt) {
  (void)guard, (void)t, (void)env;
  dx[0] = cos(x[0]) - 0.5;
  *dt = 0;
  return 0;
}

static const brink_guard_def fire_guard = LEVEL("fire", BRINK_POSITIVE, only_first, 1, to_zero);
static const brink_guard_def dottie_guard = {
    .size = sizeof(brink_guard_def), .name = "x=cos x", .value = dottie_value, .jet = dottie_jet};
static const brink_guard_def sine_guard = {.size = sizeof(brink_guard_def),
                                           .name = "sin x=x/2",
                                           .direction = BRINK_NEGATIVE,
                                           .value = sine_value,
                                           .gradient = sine_gradient};
static const brink_guard_def half_guard = {.size = sizeof(brink_guard_def),
                                           .name = "half",
                                           .depends = only_first,
                                           .ndepends = 1,
                                           .coefficients = minus_one,
                                           .offset = 0.5};
static const brink_model_def fire = {.size = sizeof(brink_model_def),
                                     .nx = 1,
                                     .x0 = zero,
                                     .rhs = fire_rhs,
                                     .nguards = 1,
                                     .guards = &fire_guard};
static const brink_model_def dottie = {.size = sizeof(brink_model_def),
                                       .nx = 1,
                                       .x0 = zero,
                                       .rhs = unit_rhs,
                                       .nguards = 1,
                                       .guards = &dottie_guard};
static const brink_model_def sine = {.size = sizeof(brink_model_def),
                                     .nx = 1,
                                     .x0 = zero,
                                     .rhs = unit_rhs,
                                     .nguards = 1,
                                     .guards = &sine_guard};
static const brink_model_def decay = {.size = sizeof(brink_model_def),
                                      .nx = 1,
                                      .x0 = one,
                                      .rhs = decay_rhs,
                                      .nguards = 1,
                                      .guards = &half_guard};
#define FIRE(time)                                                                                 \
  {                                                                                                \
    "fire", BRINK_POSITIVE, time, .rate = 0.5, .after = (const double[]) {                         \
      0                                                                                            \
    }                                                                                              \
  }
static const problem_event fire_events[] = {
    FIRE(1.09861228866810969139524523692), FIRE(2.19722457733621938279049047385),
    FIRE(3.29583686600432907418573571077), FIRE(4.39444915467243876558098094769),
    FIRE(5.49306144334054845697622618461), FIRE(6.59167373200865814837147142154),
    FIRE(7.69028602067676783976671665846), FIRE(8.78889830934487753116196189538),
    FIRE(9.8875105980129872225572071323),  FIRE(10.9861228866810969139524523692),
};
static const problem_event dottie_events[] = {
    {"x=cos x", BRINK_POSITIVE, 0.739085133215160641655312087674, .rate = 1.67},
};
static const problem_event sine_events[] = {
    {"sin x=x/2", BRINK_NEGATIVE, 1.89549426703398094714403573809, .rate = 0.819},
};
static const problem_event decay_events[] = {
    {"half", BRINK_POSITIVE, 0.693147180559945309417232121458, .rate = 0.5},
};

/* ----------------------------------------------------------------------- the table ---- */

const problem problems_process[] = {
    {.id = "C2",
     .title = "two tanks",
     .def = &two_tanks,
     .t_end = 7.96,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(two_tanks_events),
     .inside = both_filled,
     .spread = (const double[]){0.5, 0.5}},
    {.id = "C2z",
     .title = "two tanks to the end",
     .def = &two_tanks,
     .t_end = 9,
     .status = BRINK_ERR_ZENO,
     .flags = PROBLEM_STRAIGHT | PROBLEM_PREFIX,
     .events = PROBLEM_LIST(two_tanks_events),
     .accumulation = 8,
     .inside = both_filled},
    {.id = "C3",
     .title = "pump with hysteresis",
     .def = &pumped,
     .t_end = 40,
     .events = PROBLEM_LIST(pumped_events)},
    {.id = "C4",
     .title = "thermostat",
     .def = &thermostat,
     .t_end = 25,
     .events = PROBLEM_LIST(thermostat_events)},
    {.id = "C5a",
     .title = "saw-tooth on whole numbers",
     .def = &saw_a,
     .t_end = 10.5,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(saw_a_events)},
    {.id = "C5b",
     .title = "saw-tooth, guard without gradient",
     .def = &saw_b,
     .p0 = (const double[]){1, 0.5},
     .t_end = 11,
     .flags = PROBLEM_VALUE_ONLY,
     .events = PROBLEM_LIST(saw_b_events)},
    {.id = "C5c",
     .title = "saw-tooth down by one",
     .def = &saw_c,
     .p0 = (const double[]){3.14159265358979323846, 0},
     .t_end = 3.4,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(saw_c_events)},
    {.id = "C8",
     .title = "buck converter",
     .def = &buck,
     .t_end = 0.0017,
     .events = PROBLEM_LIST(buck_events)},
    {.id = "C10a",
     .title = "integrate and fire",
     .def = &fire,
     .t_end = 11.5,
     .events = PROBLEM_LIST(fire_events)},
    {.id = "C10b",
     .title = "x = cos x",
     .def = &dottie,
     .t_end = 1,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(dottie_events)},
    {.id = "C10c",
     .title = "sin x = x/2, from its zero at 0",
     .def = &sine,
     .t_end = 3,
     .flags = PROBLEM_STRAIGHT,
     .events = PROBLEM_LIST(sine_events)},
    {.id = "C10d",
     .title = "decay to one half",
     .def = &decay,
     .t_end = 1,
     .events = PROBLEM_LIST(decay_events)},
};
const size_t problems_process_count = sizeof problems_process / sizeof problems_process[0];
