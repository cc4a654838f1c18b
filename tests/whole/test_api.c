/* Bad input: every refusal has the right status, leaves no object behind, and says what to change.
 * A case is a good definition with one thing made wrong. */
#include <brink/brink.h>

#include "check.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NOT_A_NUMBER ((double)NAN)
#define INFINITE ((double)INFINITY)

/* ---- a good definition ---- */

static int rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[1], dx[1] = -x[0];
  return 0;
}
static int value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = x[0] * x[0] - 2.0;
  return 0;
}
static int gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                    double *dt) {
  (void)guard, (void)t, (void)env;
  dx[0] = 2.0 * x[0], dx[1] = 0.0, *dt = 0.0;
  return 0;
}
static int jacobian(double t, const double *x, const brink_env *env, double *values) {
  (void)t, (void)x, (void)env;
  values[0] = -1.0, values[1] = 1.0;
  return 0;
}

static int tick(size_t clock, int64_t n, brink_now *now, void *user) {
  (void)clock, (void)n, (void)now, (void)user;
  return 0;
}
enum { LINEAR, SMOOTH, FORMULA, GUARDS };

/* Everything a case may spoil. */
typedef struct setup {
  double x0[2], p0[2], coefficients[2], lipschitz[2];
  size_t depends[2], starts[3], rows[2];
  int formula[80];
  brink_guard_def guards[GUARDS];
  brink_clock_def clock;
  brink_model_def def;
  brink_options options;
  double atols[2];
} setup;

static void fill(setup *s) {
  static const char *const names[] = {"angle", "speed"};
  memset(s, 0, sizeof *s);
  s->x0[0] = 0.5;
  s->p0[0] = 1.0, s->p0[1] = 2.0;
  s->coefficients[0] = 1.0, s->depends[1] = 1;
  s->starts[1] = 1, s->starts[2] = 2, s->rows[0] = 1;
  s->guards[LINEAR] = brink_default_guard("linear one");
  s->guards[LINEAR].depends = s->depends, s->guards[LINEAR].ndepends = 2;
  s->guards[LINEAR].coefficients = s->coefficients;
  s->guards[SMOOTH] = brink_default_guard("smooth one");
  s->guards[SMOOTH].value = value, s->guards[SMOOTH].gradient = gradient;
  s->formula[0] = LINEAR, s->formula[1] = SMOOTH, s->formula[2] = BRINK_AND;
  s->guards[FORMULA] = brink_default_guard("formula one");
  s->guards[FORMULA].formula = s->formula, s->guards[FORMULA].formula_length = 3;
  s->clock = (brink_clock_def){
      .size = sizeof(brink_clock_def), .name = "the clock", .period = 0.5, .tick = tick};
  s->def = brink_default_model();
  s->def.nx = 2, s->def.x0 = s->x0, s->def.np = 2, s->def.p0 = s->p0, s->def.nmodes = 1;
  s->def.state_names = names, s->def.rhs = rhs, s->def.nguards = GUARDS, s->def.guards = s->guards;
  s->def.nclocks = 1, s->def.clocks = &s->clock;
  s->options = brink_default_options();
  s->atols[0] = s->atols[1] = 1e-6;
}

typedef struct bad_case {
  const char *what;
  void (*spoil)(setup *s);
  const char *says[3]; /* parts of the message */
} bad_case;

/* ---- definitions ---- */

#define SPOIL(name, statement)                                                                     \
  static void name(setup *s) {                                                                     \
    statement;                                                                                     \
  }

SPOIL(no_states, s->def.nx = 0)
SPOIL(no_rhs, s->def.rhs = NULL)
SPOIL(no_x0, s->def.x0 = NULL)
SPOIL(nan_x0, s->x0[1] = NOT_A_NUMBER)
SPOIL(infinite_x0, s->x0[0] = -INFINITE)
SPOIL(nan_p0, s->p0[1] = NOT_A_NUMBER)
SPOIL(no_p0, s->def.p0 = NULL)
SPOIL(nan_t0, s->def.t0 = NOT_A_NUMBER)
SPOIL(infinite_t0, s->def.t0 = INFINITE)
SPOIL(no_guards, s->def.guards = NULL)
SPOIL(no_clocks, s->def.clocks = NULL)
SPOIL(with_too_many_unknowns, s->def.nz = s->def.nx + 1)
SPOIL(with_nz, s->def.nz = 1)
SPOIL(nameless_guard, s->guards[SMOOTH].name = NULL)
static const int of_itself[] = {0};
SPOIL(two_kinds, (s->guards[LINEAR].formula = of_itself, s->guards[LINEAR].formula_length = 1))
SPOIL(no_kind, s->guards[SMOOTH].value = NULL)
SPOIL(bad_side, s->guards[LINEAR].side = (brink_side)9)
SPOIL(bad_direction, s->guards[LINEAR].direction = (brink_direction)7)
SPOIL(bad_surface, s->guards[LINEAR].surface = (brink_surface)5)
SPOIL(unknown_state, s->depends[1] = 2)
SPOIL(far_unknown_state, s->depends[0] = BRINK_NONE)
SPOIL(too_many_depends, (s->guards[LINEAR].depends = NULL, s->guards[LINEAR].ndepends = 3))
SPOIL(nan_coefficient, s->coefficients[1] = NOT_A_NUMBER)
SPOIL(nan_offset, s->guards[LINEAR].offset = NOT_A_NUMBER)
SPOIL(infinite_time_coefficient, s->guards[LINEAR].time_coefficient = INFINITE)
SPOIL(negative_degree, s->guards[SMOOTH].degree = -1)
SPOIL(degree_without_jet, s->guards[SMOOTH].degree = 2)
SPOIL(linear_without_gradient, (s->guards[SMOOTH].degree = 1, s->guards[SMOOTH].gradient = NULL))
SPOIL(negative_lipschitz, (s->lipschitz[0] = -1.0, s->guards[LINEAR].lipschitz = s->lipschitz))
SPOIL(nan_lipschitz_time,
      (s->guards[LINEAR].lipschitz = s->lipschitz, s->guards[LINEAR].lipschitz_time = NOT_A_NUMBER))
SPOIL(empty_formula, s->guards[FORMULA].formula_length = 0)
SPOIL(operator_first, s->formula[0] = BRINK_AND)
SPOIL(missing_operand, (s->formula[1] = BRINK_AND, s->guards[FORMULA].formula_length = 2))
SPOIL(lone_not, (s->formula[0] = BRINK_NOT, s->guards[FORMULA].formula_length = 1))
SPOIL(left_over_operand, s->guards[FORMULA].formula_length = 2)
SPOIL(unknown_leaf, s->formula[1] = 17)
SPOIL(unknown_operator, s->formula[2] = -4)
SPOIL(formula_in_formula, s->formula[1] = FORMULA)
static void deep_formula(setup *s) { /* not not not … a */
  for (int k = 0; k < 80; k++) s->formula[k] = k == 0 ? LINEAR : BRINK_NOT;
  s->guards[FORMULA].formula_length = 80;
}
SPOIL(nameless_clock, s->clock.name = NULL)
SPOIL(no_tick, s->clock.tick = NULL)
SPOIL(negative_period, s->clock.period = -1.0)
SPOIL(nan_period, s->clock.period = NOT_A_NUMBER)
SPOIL(infinite_period, s->clock.period = INFINITE)
SPOIL(nan_clock_offset, s->clock.offset = NOT_A_NUMBER)
SPOIL(infinite_clock_offset, s->clock.offset = INFINITE)
SPOIL(jacobian_alone, s->def.jacobian = jacobian)
static void jacobian_pattern(setup *s) {
  s->def.jacobian = jacobian;
  s->def.jacobian_pattern = (brink_sparsity){.starts = s->starts, .rows = s->rows};
}
SPOIL(jacobian_row, (jacobian_pattern(s), s->rows[1] = 2))
SPOIL(jacobian_start, (jacobian_pattern(s), s->starts[0] = 1))
SPOIL(jacobian_falls, (jacobian_pattern(s), s->starts[1] = 3))

static const bad_case bad_models[] = {
    {"nx = 0", no_states, {"depends on state 0", "there are 0 states"}},
    {"rhs NULL", no_rhs, {"rhs", "right-hand side"}},
    {"x0 NULL", no_x0, {"x0", "initial states"}},
    {"x0 NaN", nan_x0, {"x0[1]", "finite"}},
    {"x0 infinite", infinite_x0, {"x0[0]", "finite"}},
    {"p0 NaN", nan_p0, {"p0[1]", "finite"}},
    {"p0 NULL", no_p0, {"p0", "np"}},
    {"t0 NaN", nan_t0, {"t0", "finite"}},
    {"t0 infinite", infinite_t0, {"t0", "finite"}},
    {"guards NULL", no_guards, {"guards", "nguards"}},
    {"clocks NULL", no_clocks, {"clocks", "nclocks"}},
    {"too many unknowns", with_too_many_unknowns, {"nz", "components"}},
    {"nz", with_nz, {"nz", "constraints"}},
    {"guard without name", nameless_guard, {"guard 1", "name", "brink_default_guard"}},
    {"guard of two kinds", two_kinds, {"'linear one'", "exactly one"}},
    {"guard of no kind", no_kind, {"'smooth one'", "exactly one"}},
    {"side", bad_side, {"'linear one'", "side"}},
    {"direction", bad_direction, {"'linear one'", "direction"}},
    {"surface", bad_surface, {"'linear one'", "surface"}},
    {"depends on state 2", unknown_state, {"'linear one'", "state 2", "2 states"}},
    {"depends on no state", far_unknown_state, {"'linear one'", "state"}},
    {"3 of 2 states", too_many_depends, {"'linear one'", "ndepends is 3", "2 states"}},
    {"coefficient NaN", nan_coefficient, {"'linear one'", "coefficient 1"}},
    {"offset NaN", nan_offset, {"'linear one'", "offset"}},
    {"time_coefficient infinite", infinite_time_coefficient, {"'linear one'", "time_coefficient"}},
    {"degree negative", negative_degree, {"'smooth one'", "degree"}},
    {"degree without jet", degree_without_jet, {"'smooth one'", "degree 2", "jet"}},
    {"linear without gradient", linear_without_gradient, {"'smooth one'", "linear", "gradient"}},
    {"lipschitz negative", negative_lipschitz, {"'linear one'", "lipschitz[0]"}},
    {"lipschitz_time NaN", nan_lipschitz_time, {"'linear one'", "lipschitz_time"}},
    {"empty formula", empty_formula, {"'formula one'", "formula"}},
    {"operator first", operator_first, {"'formula one'", "operand"}},
    {"AND with one operand", missing_operand, {"'formula one'", "lacks an operand"}},
    {"NOT alone", lone_not, {"'formula one'", "lacks an operand"}},
    {"operand left over", left_over_operand, {"'formula one'", "left over"}},
    {"unknown leaf", unknown_leaf, {"'formula one'", "does not exist"}},
    {"unknown operator", unknown_operator, {"'formula one'", "wrong"}},
    {"formula in formula", formula_in_formula, {"'formula one'", "itself a formula"}},
    {"formula too deep", deep_formula, {"'formula one'", "deep"}},
    {"clock without name", nameless_clock, {"clock 0", "name"}},
    {"clock without tick", no_tick, {"'the clock'", "tick"}},
    {"period negative", negative_period, {"'the clock'", "period"}},
    {"period NaN", nan_period, {"'the clock'", "period"}},
    {"period infinite", infinite_period, {"'the clock'", "period"}},
    {"clock offset NaN", nan_clock_offset, {"'the clock'", "offset"}},
    {"clock offset infinite", infinite_clock_offset, {"'the clock'", "offset"}},
    {"jacobian without pattern", jacobian_alone, {"jacobian_pattern"}},
    {"jacobian row", jacobian_row, {"jacobian_pattern", "row 2"}},
    {"jacobian start", jacobian_start, {"jacobian_pattern", "begin with 0"}},
    {"jacobian starts fall", jacobian_falls, {"jacobian_pattern", "not decrease"}},
};

static void check_says(const bad_case *bad, const brink_diag *diag) {
  for (size_t k = 0; k < 3 && bad->says[k] != NULL; k++)
    CHECK_MSG(strstr(diag->message, bad->says[k]) != NULL, "%s: \"%s\" does not say \"%s\"",
              bad->what, diag->message, bad->says[k]);
}

TEST(a_bad_definition_is_refused_and_the_message_says_what_to_change) {
  for (size_t k = 0; k < COUNT(bad_models); k++) {
    const bad_case *bad = &bad_models[k];
    setup s;
    fill(&s);
    bad->spoil(&s);
    brink_diag diag;
    memset(&diag, 0x7f, sizeof diag);
    brink_model *model = (brink_model *)&s;
    brink_status status = brink_model_create(&s.def, NULL, &diag, &model);
    CHECK_MSG(status == BRINK_ERR_ARGUMENT, "%s: %s", bad->what, brink_status_text(status));
    CHECK_MSG(model == NULL || status == BRINK_OK, "%s: the model is not NULL", bad->what);
    if (status == BRINK_OK) {
      brink_model_destroy(model);
      continue;
    }
    CHECK_INT(diag.status, BRINK_ERR_ARGUMENT);
    check_says(bad, &diag);
    model = (brink_model *)&s;
    CHECK_INT(brink_model_create(&s.def, NULL, NULL, &model), BRINK_ERR_ARGUMENT);
    CHECK(model == NULL);
  }
}

TEST(the_guard_at_fault_is_named_by_its_index) {
  setup s;
  fill(&s);
  s.guards[SMOOTH].value = NULL;
  brink_diag diag;
  brink_model *model;
  CHECK_INT(brink_model_create(&s.def, NULL, &diag, &model), BRINK_ERR_ARGUMENT);
  CHECK_INT(diag.guard, SMOOTH);
  fill(&s);
  s.formula[1] = 17;
  CHECK_INT(brink_model_create(&s.def, NULL, &diag, &model), BRINK_ERR_ARGUMENT);
  CHECK_INT(diag.guard, FORMULA);
  CHECK(isnan(diag.t) && isnan(diag.h));
  CHECK(diag.state == BRINK_NONE);
}

TEST(the_good_definition_is_accepted_and_clears_the_diagnostic) {
  setup s;
  fill(&s);
  brink_diag diag;
  memset(&diag, 0x7f, sizeof diag);
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  CHECK_INT(brink_model_create(&s.def, NULL, &diag, &model), BRINK_OK);
  CHECK_INT(diag.status, BRINK_OK);
  CHECK(diag.message[0] == '\0' && isnan(diag.t) && diag.guard == BRINK_NONE);
  CHECK_INT(brink_sim_create(model, NULL, NULL, &diag, &sim), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, 10.0, &diag), BRINK_TIME_REACHED);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* ---- options ---- */

SPOIL(bad_method, s->options.method = (brink_method)42)
SPOIL(negative_method, s->options.method = (brink_method)-1)
SPOIL(bad_events, s->options.events = (brink_events)42)
SPOIL(negative_rtol, s->options.rtol = -1e-6)
SPOIL(nan_rtol, s->options.rtol = NOT_A_NUMBER)
SPOIL(infinite_rtol, s->options.rtol = INFINITE)
SPOIL(negative_atol, s->options.atol = -1e-6)
SPOIL(nan_atol, s->options.atol = NOT_A_NUMBER)
SPOIL(infinite_atol, s->options.atol = INFINITE)
SPOIL(both_zero, s->options.rtol = s->options.atol = 0.0)
SPOIL(nan_atols, (s->options.atols = s->atols, s->atols[1] = NOT_A_NUMBER))
SPOIL(zero_atols, (s->options.atols = s->atols, s->atols[1] = 0.0, s->options.rtol = 0.0))
SPOIL(no_step, s->options.method = BRINK_RK4)
SPOIL(negative_step, s->options.step = -0.1)
SPOIL(nan_step, s->options.step = NOT_A_NUMBER)
SPOIL(infinite_step, s->options.step = INFINITE)
SPOIL(negative_hmin, s->options.hmin = -1.0)
SPOIL(nan_hmin, s->options.hmin = NOT_A_NUMBER)
SPOIL(infinite_hmin, s->options.hmin = INFINITE)
SPOIL(zero_hmax, s->options.hmax = 0.0)
SPOIL(nan_hmax, s->options.hmax = NOT_A_NUMBER)
SPOIL(hmin_above_hmax, (s->options.hmin = 2.0, s->options.hmax = 1.0))
SPOIL(gamma_one, s->options.gamma = 1.0)
SPOIL(gamma_negative, s->options.gamma = -0.1)
SPOIL(gamma_nan, s->options.gamma = NOT_A_NUMBER)
SPOIL(bad_gain, s->options.gain = (brink_gain)9)
SPOIL(bad_zeno, s->options.zeno = (brink_zeno_choice)9)
SPOIL(one_part, s->options.mnm_parts = 1)
SPOIL(negative_near_miss, s->options.near_miss = -1.0)
SPOIL(nan_near_miss, s->options.near_miss = NOT_A_NUMBER)
SPOIL(no_iterations, s->options.max_iterations = 0)
SPOIL(negative_max_steps, s->options.max_steps = -1)
SPOIL(order_13, s->options.order = 13)
SPOIL(negative_order, s->options.order = -1)
SPOIL(max_order_13, s->options.max_order = 13)
SPOIL(one_sided_by_values,
      (s->guards[SMOOTH].gradient = NULL, s->guards[SMOOTH].side = BRINK_UNILATERAL))
SPOIL(one_sided_formula,
      (s->guards[SMOOTH].gradient = NULL, s->guards[FORMULA].side = BRINK_UNILATERAL))

static const bad_case bad_options[] = {
    {"method 42", bad_method, {"method", "42"}},
    {"method -1", negative_method, {"method"}},
    {"events 42", bad_events, {"events", "42"}},
    {"rtol negative", negative_rtol, {"rtol", "positive"}},
    {"rtol NaN", nan_rtol, {"rtol"}},
    {"rtol infinite", infinite_rtol, {"rtol"}},
    {"atol negative", negative_atol, {"atol", "positive"}},
    {"atol NaN", nan_atol, {"atol"}},
    {"atol infinite", infinite_atol, {"atol"}},
    {"both tolerances 0", both_zero, {"rtol", "atol", "both 0"}},
    {"atols NaN", nan_atols, {"atols[1]", "'speed'"}},
    {"atols and rtol 0", zero_atols, {"atols[1]", "rtol"}},
    {"rk4 without step", no_step, {"rk4", "fixed step", "options.step"}},
    {"step negative", negative_step, {"step"}},
    {"step NaN", nan_step, {"step"}},
    {"step infinite", infinite_step, {"step"}},
    {"hmin negative", negative_hmin, {"hmin"}},
    {"hmin NaN", nan_hmin, {"hmin"}},
    {"hmin infinite", infinite_hmin, {"hmin"}},
    {"hmax 0", zero_hmax, {"hmax"}},
    {"hmax NaN", nan_hmax, {"hmax"}},
    {"hmin > hmax", hmin_above_hmax, {"hmin (2)", "hmax (1)"}},
    {"gamma 1", gamma_one, {"gamma", "below 1"}},
    {"gamma negative", gamma_negative, {"gamma", "at least 0"}},
    {"gamma NaN", gamma_nan, {"gamma"}},
    {"gain 9", bad_gain, {"gain"}},
    {"zeno 9", bad_zeno, {"zeno"}},
    {"mnm_parts 1", one_part, {"mnm_parts", "2 or more"}},
    {"near_miss negative", negative_near_miss, {"near_miss"}},
    {"near_miss NaN", nan_near_miss, {"near_miss"}},
    {"max_iterations 0", no_iterations, {"max_iterations", "1 or more"}},
    {"max_steps negative", negative_max_steps, {"max_steps"}},
    {"order 13", order_13, {"order 13", "1 to 12"}},
    {"order negative", negative_order, {"order"}},
    {"max_order 13", max_order_13, {"max_order 13"}},
    {"unilateral by values",
     one_sided_by_values,
     {"'smooth one'", "gradient", "BRINK_INTERPOLATE"}},
    {"unilateral formula of values", one_sided_formula, {"'smooth one'", "gradient"}},
};

TEST(bad_options_are_refused_and_the_message_says_what_to_change) {
  for (size_t k = 0; k < COUNT(bad_options); k++) {
    const bad_case *bad = &bad_options[k];
    setup s;
    fill(&s);
    bad->spoil(&s);
    brink_diag diag;
    memset(&diag, 0x7f, sizeof diag);
    brink_model *model = NULL;
    CHECK_INT(brink_model_create(&s.def, NULL, NULL, &model), BRINK_OK);
    if (model == NULL) continue;
    brink_sim *sim = (brink_sim *)&s;
    brink_status status = brink_sim_create(model, &s.options, NULL, &diag, &sim);
    CHECK_MSG(status == BRINK_ERR_ARGUMENT, "%s: %s", bad->what, brink_status_text(status));
    CHECK_MSG(sim == NULL || status == BRINK_OK, "%s: the sim is not NULL", bad->what);
    if (status == BRINK_OK) {
      brink_sim_destroy(sim);
    } else {
      CHECK_INT(diag.status, BRINK_ERR_ARGUMENT);
      check_says(bad, &diag);
      sim = (brink_sim *)&s;
      CHECK_INT(brink_sim_create(model, &s.options, NULL, NULL, &sim), BRINK_ERR_ARGUMENT);
      CHECK(sim == NULL);
    }
    brink_model_destroy(model);
  }
}

/* What is refused with extrapolation may be fine without. */
TEST(a_unilateral_guard_by_values_is_accepted_by_the_other_detectors) {
  for (int events = BRINK_INTERPOLATE; events <= BRINK_MNM; events++) {
    setup s;
    fill(&s);
    one_sided_by_values(&s);
    s.options.events = (brink_events)events;
    brink_model *model = NULL;
    brink_sim *sim = NULL;
    CHECK_INT(brink_model_create(&s.def, NULL, NULL, &model), BRINK_OK);
    CHECK_INT(brink_sim_create(model, &s.options, NULL, NULL, &sim), BRINK_OK);
    brink_sim_destroy(sim);
    brink_model_destroy(model);
  }
}

/* ---- null pointers ---- */

TEST(null_pointers_are_refused_not_followed) {
  setup s;
  fill(&s);
  brink_diag diag;
  brink_model *model = (brink_model *)&s;
  brink_sim *sim = (brink_sim *)&s;
  CHECK_INT(brink_model_create(NULL, NULL, &diag, &model), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "NULL");
  CHECK_MSG(model == NULL, "a NULL definition leaves *model as it was");
  CHECK_INT(brink_model_create(&s.def, NULL, &diag, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_model_create(NULL, NULL, NULL, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_sim_create(NULL, NULL, NULL, &diag, &sim), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "NULL");
  CHECK_MSG(sim == NULL, "a NULL model leaves *sim as it was");
  model = NULL, sim = NULL;
  CHECK_INT(brink_model_create(&s.def, NULL, NULL, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, &diag, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_sim_create(model, NULL, NULL, NULL, &sim), BRINK_OK);
  double out[2], times[] = {1.0};
  CHECK_INT(brink_sim_at(sim, 0.0, NULL, &diag), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_sim_set_state(sim, NULL, &diag), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_sim_sample(sim, NULL, 1, out, NULL, &diag), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_sim_sample(sim, times, 1, NULL, NULL, &diag), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_sim_sample(sim, NULL, 0, NULL, NULL, &diag), BRINK_TIME_REACHED);
  brink_sim_set_sink(sim, NULL);
  CHECK(brink_sim_events(sim, NULL) != NULL);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* ---- calls on a sim ---- */

TEST(bad_output_times_are_refused_before_anything_moves) {
  static const double bad[][3] = {{1.0, 0.5, 2.0},
                                  {1.0, 1.0, 2.0},
                                  {-1.0, 1.0, 2.0},
                                  {1.0, (double)NAN, 2.0},
                                  {1.0, 2.0, (double)INFINITY}};
  setup s;
  fill(&s);
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  CHECK_INT(brink_model_create(&s.def, NULL, NULL, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, NULL, &sim), BRINK_OK);
  for (size_t k = 0; k < COUNT(bad); k++) {
    brink_diag diag;
    double out[6];
    size_t done = 99;
    CHECK_INT(brink_sim_sample(sim, bad[k], 3, out, &done, &diag), BRINK_ERR_ARGUMENT);
    CHECK_INT(done, 0);
    CHECK_CONTAINS(diag.message, "times[");
    CHECK_CONTAINS(diag.message, "increase");
    CHECK_NEAR(brink_sim_time(sim), 0.0, 0.0);
    CHECK_INT(brink_sim_sample(sim, bad[k], 3, out, NULL, NULL), BRINK_ERR_ARGUMENT);
  }
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

TEST(bad_changes_are_refused_and_change_nothing) {
  setup s;
  fill(&s);
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  brink_diag diag;
  CHECK_INT(brink_model_create(&s.def, NULL, NULL, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, NULL, &sim), BRINK_OK);
  double bad[] = {1.0, NOT_A_NUMBER}, infinite[] = {INFINITE, 1.0};
  CHECK_INT(brink_sim_set_state(sim, bad, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "'speed'");
  CHECK_INT(diag.state, 1);
  CHECK_INT(brink_sim_set_state(sim, infinite, NULL), BRINK_ERR_ARGUMENT);
  CHECK_NEAR(brink_sim_state(sim)[0], 0.5, 0.0);
  CHECK_INT(brink_sim_set_parameter(sim, 2, 1.0, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "parameter 2");
  CHECK_INT(brink_sim_set_parameter(sim, 1, NOT_A_NUMBER, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "finite");
  CHECK_INT(brink_sim_set_parameter(sim, BRINK_NONE, 1.0, NULL), BRINK_ERR_ARGUMENT);
  CHECK_NEAR(brink_sim_parameters(sim)[1], 2.0, 0.0);
  CHECK_INT(brink_sim_set_mode(sim, 1, 1, &diag), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "mode 1");
  CHECK_INT(brink_sim_set_mode(sim, 1, 1, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_sim_modes(sim)[0], 0);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

TEST(every_call_works_without_a_diagnostic) {
  setup s;
  fill(&s);
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  double x[2], times[] = {2.5, 3.0}, out[4];
  CHECK_INT(brink_model_create(&s.def, NULL, NULL, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, &s.options, NULL, NULL, &sim), BRINK_OK);
  CHECK(brink_sim_advance(sim, 1.0, NULL) > 0);
  CHECK(brink_sim_next_event(sim, 1.0, NULL) > 0);
  CHECK_INT(brink_sim_run(sim, 2.0, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_at(sim, 2.0, x, NULL), BRINK_OK);
  CHECK_INT(brink_sim_at(sim, -5.0, x, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_sim_sample(sim, times, 2, out, NULL, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_run(sim, 0.0, NULL), BRINK_ERR_ARGUMENT);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* Failures of a run, too: blocked, loops and the rest report through a status alone. */
static int stuck_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  dx[0] = -1.0, dx[1] = 0.0;
  return 0;
}

TEST(a_failing_run_works_without_a_diagnostic) {
  setup s;
  fill(&s);
  s.def.rhs = stuck_rhs;
  s.guards[LINEAR].side = BRINK_UNILATERAL;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  CHECK_INT(brink_model_create(&s.def, NULL, NULL, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, &s.options, NULL, NULL, &sim), BRINK_OK);
  CHECK_INT(brink_sim_run(sim, 2.0, NULL), BRINK_ERR_BLOCKED);
  CHECK_NEAR(brink_sim_time(sim), 0.5, 1e-4); /* and may be inspected */
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

/* Names longer than a message must not run over it. */
TEST(long_names_are_cut_not_overrun) {
  static char name[2000];
  memset(name, 'n', sizeof name - 1);
  setup s;
  fill(&s);
  s.guards[LINEAR].name = name;
  s.guards[LINEAR].side = (brink_side)9;
  struct {
    brink_diag diag;
    char after[64];
  } room;
  memset(&room, 'z', sizeof room);
  brink_model *model = NULL;
  CHECK_INT(brink_model_create(&s.def, NULL, &room.diag, &model), BRINK_ERR_ARGUMENT);
  CHECK(strlen(room.diag.message) < BRINK_DIAG_MESSAGE);
  CHECK(room.after[0] == 'z' && room.after[63] == 'z');
}

/* ---- small things ---- */

TEST(every_status_method_and_detector_has_a_name) {
#define CHECK_TEXT(name, number, text) CHECK(strcmp(brink_status_text(name), text) == 0);
  BRINK_STATUS_LIST(CHECK_TEXT)
#undef CHECK_TEXT
  CHECK(brink_status_text((brink_status)12345) != NULL);
  CHECK(strcmp(brink_method_name(BRINK_BDF3), "bdf3") == 0);
  CHECK(strcmp(brink_events_name(BRINK_ZLM), "zlm") == 0);
  CHECK(brink_method_name((brink_method)99) != NULL);
  CHECK(brink_events_name((brink_events)99) != NULL);
  CHECK(strcmp(brink_version(), "0.1.0") == 0);
}

TEST(a_fresh_sim_shows_the_initial_values) {
  setup s;
  fill(&s);
  s.def.t0 = 2.0;
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  CHECK_INT(brink_model_create(&s.def, NULL, NULL, &model), BRINK_OK);
  CHECK_INT(brink_sim_create(model, NULL, NULL, NULL, &sim), BRINK_OK);
  CHECK_NEAR(brink_sim_time(sim), 2.0, 0.0);
  CHECK_NEAR(brink_sim_state(sim)[0], 0.5, 0.0);
  CHECK_NEAR(brink_sim_parameters(sim)[1], 2.0, 0.0);
  CHECK_INT(brink_sim_modes(sim)[0], 0);
  size_t count = 99;
  brink_sim_events(sim, &count);
  CHECK_INT(count, 0);
  CHECK_INT(brink_sim_stats(sim)->rhs, 0);
  CHECK_INT(brink_sim_run(sim, 1.0, NULL), BRINK_ERR_ARGUMENT); /* before t0 */
  CHECK_INT(brink_sim_run(sim, 2.0, NULL), BRINK_TIME_REACHED);
  CHECK_INT(brink_sim_run(sim, 3.0, NULL), BRINK_TIME_REACHED);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

int main(void) {
  RUN(a_bad_definition_is_refused_and_the_message_says_what_to_change);
  RUN(the_guard_at_fault_is_named_by_its_index);
  RUN(the_good_definition_is_accepted_and_clears_the_diagnostic);
  RUN(bad_options_are_refused_and_the_message_says_what_to_change);
  RUN(a_unilateral_guard_by_values_is_accepted_by_the_other_detectors);
  RUN(null_pointers_are_refused_not_followed);
  RUN(bad_output_times_are_refused_before_anything_moves);
  RUN(bad_changes_are_refused_and_change_nothing);
  RUN(every_call_works_without_a_diagnostic);
  RUN(a_failing_run_works_without_a_diagnostic);
  RUN(long_names_are_cut_not_overrun);
  RUN(every_status_method_and_detector_has_a_name);
  RUN(a_fresh_sim_shows_the_initial_values);
  return check_done();
}
