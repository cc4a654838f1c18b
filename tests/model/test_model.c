/* The model's one door: gradients by four ways agree, formulas in normal form have the truth table
 * of the formula as written, the third question is answered right, tolerances and rates are sums.
 */
#include <brink/jet.h>

#include "check.h"
#include "model/eval.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A model and its eval, together. */
typedef struct door {
  brink_model *model;
  brink_arena arena;
  brink_eval eval;
} door;

static void open_door(door *d, const brink_model_def *def, bool append) {
  brink_diag diag;
  memset(d, 0, sizeof *d);
  brink_status status = brink_model_create(def, NULL, &diag, &d->model);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  brink_arena_init(&d->arena, NULL);
  CHECK(brink_eval_init(&d->eval, d->model, &d->arena, append));
}
static void close_door(door *d) {
  brink_arena_free(&d->arena);
  brink_model_destroy(d->model);
}

static unsigned long long seed = 42;
static int random_below(int bound) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return (int)((seed >> 33) % (unsigned long long)bound);
}
static double uniform(double low, double high) {
  return low + (high - low) * random_below(1 << 30) / (double)(1 << 30);
}

/* ---- gradients ---- */

/* g = x0 x2 + sin(t) x1 - 1, with all partial derivatives. */
static int rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)env;
  dx[0] = x[1], dx[1] = -x[0] + t, dx[2] = 2.0;
  return 0;
}
static int value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)env;
  *g = x[0] * x[2] + sin(t) * x[1] - 1.0;
  return 0;
}
static int gradient(size_t guard, double t, const double *x, const brink_env *env, double *dx,
                    double *dt) {
  (void)guard, (void)env;
  dx[0] = x[2], dx[1] = sin(t), dx[2] = x[0];
  *dt = cos(t) * x[1];
  return 0;
}
static int jet(size_t guard, int order, const double *t, const double *const *x,
               const brink_env *env, double *g) {
  double a[BRINK_JET_MAX_ORDER + 1], b[BRINK_JET_MAX_ORDER + 1];
  (void)guard, (void)env;
  brink_jet_sin(order, t, a);
  brink_jet_mul(order, a, x[1], a);
  brink_jet_mul(order, x[0], x[2], b);
  brink_jet_add(order, a, b, g);
  g[0] -= 1.0;
  return 0;
}

TEST(gradients_by_callback_by_jet_and_by_differences_agree) {
  static const double x0[] = {0.0, 0.0, 0.0};
  brink_guard_def guards[3] = {brink_default_guard("callback"), brink_default_guard("jet"),
                               brink_default_guard("differences")};
  for (size_t k = 0; k < 3; k++) guards[k].value = value;
  guards[0].gradient = gradient;
  guards[1].jet = jet;
  brink_model_def def = brink_default_model();
  def.nx = 3, def.x0 = x0, def.rhs = rhs, def.nguards = 3, def.guards = guards;
  door d;
  open_door(&d, &def, false);
  for (int n = 0; n < 100; n++) {
    double x[] = {uniform(-3.0, 3.0), uniform(-3.0, 3.0), uniform(-3.0, 3.0)};
    double t = uniform(-3.0, 3.0), f[3], exact[3], exact_dt;
    CHECK_INT(brink_eval_rhs(&d.eval, t, x, f), BRINK_TRY_OK);
    gradient(0, t, x, NULL, exact, &exact_dt);
    double rate = exact_dt + exact[0] * f[0] + exact[1] * f[1] + exact[2] * f[2];
    for (size_t k = 0; k < 3; k++) {
      double dx[3], dt, bound = k == 2 ? 1e-8 : 1e-14;
      CHECK_INT(brink_eval_gradient(&d.eval, k, t, x, dx, &dt), BRINK_TRY_OK);
      for (int i = 0; i < 3; i++) CHECK_NEAR(dx[i], exact[i], bound);
      CHECK_NEAR(dt, exact_dt, bound);
      CHECK_NEAR(brink_eval_rate(&d.eval, k, t, x, f), rate, 10.0 * bound);
    }
  }
  close_door(&d);
}

/* A linear guard by numbers, and the same by callbacks, on some of the states in another order. */
static int linear_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)env;
  *g = 0.5 + 2.0 * x[2] - 3.0 * x[0] + 0.25 * t;
  return 0;
}
static int linear_gradient(size_t guard, double t, const double *x, const brink_env *env,
                           double *dx, double *dt) {
  (void)guard, (void)t, (void)x, (void)env;
  dx[0] = 2.0, dx[1] = -3.0, *dt = 0.25;
  return 0;
}

TEST(a_linear_guard_by_numbers_is_that_by_callbacks) {
  static const double x0[] = {0.0, 0.0, 0.0}, c[] = {2.0, -3.0};
  static const size_t depends[] = {2, 0};
  brink_guard_def guards[2] = {brink_default_guard("numbers"), brink_default_guard("callbacks")};
  for (size_t k = 0; k < 2; k++) guards[k].depends = depends, guards[k].ndepends = 2;
  guards[0].coefficients = c, guards[0].offset = 0.5, guards[0].time_coefficient = 0.25;
  guards[1].value = linear_value, guards[1].gradient = linear_gradient, guards[1].degree = 1;
  brink_model_def def = brink_default_model();
  def.nx = 3, def.x0 = x0, def.rhs = rhs, def.nguards = 2, def.guards = guards;
  door d;
  open_door(&d, &def, true);
  CHECK_INT(d.eval.n, 3); /* linear guards need no appended state */
  static const double atol[] = {1e-3, 1e-3, 2e-3};
  for (int n = 0; n < 100; n++) {
    double x[] = {uniform(-3.0, 3.0), uniform(-3.0, 3.0), uniform(-3.0, 3.0)};
    double t = uniform(-3.0, 3.0), g[2][2], dt[2];
    CHECK_NEAR(brink_eval_guard(&d.eval, 0, t, x), brink_eval_guard(&d.eval, 1, t, x), 1e-14);
    double expected = 2.0 * (0.01 * fabs(x[2]) + 2e-3) + 3.0 * (0.01 * fabs(x[0]) + 1e-3);
    for (size_t k = 0; k < 2; k++) {
      CHECK_INT(brink_eval_gradient(&d.eval, k, t, x, g[k], &dt[k]), BRINK_TRY_OK);
      CHECK_NEAR(brink_eval_tolerance(&d.eval, k, t, x, 0.01, atol), expected, 1e-15);
    }
    CHECK(g[0][0] == g[1][0] && g[0][1] == g[1][1] && dt[0] == dt[1]);
  }
  close_door(&d);
}

/* The appended state of a guard follows it: dz/dt = g_x.f + g_t. */
TEST(the_appended_state_has_the_rate_of_its_guard) {
  static const double x0[] = {1.0, 2.0, 3.0};
  brink_guard_def guards[2] = {brink_default_guard("jet"), brink_default_guard("gradient")};
  guards[0].value = guards[1].value = value;
  guards[0].jet = jet, guards[1].gradient = gradient;
  brink_model_def def = brink_default_model();
  def.nx = 3, def.x0 = x0, def.rhs = rhs, def.nguards = 2, def.guards = guards;
  door d;
  open_door(&d, &def, true);
  CHECK_INT(d.eval.n, 4);
  CHECK(d.eval.column[0] == BRINK_NONE);
  CHECK_INT(d.eval.column[1], 3);
  double x[4] = {1.0, 2.0, 3.0, 0.0}, dx[4], h = 1e-6, ahead[3], behind[3], g1, g0;
  CHECK_INT(brink_eval_rhs(&d.eval, 0.4, x, dx), BRINK_TRY_OK);
  for (int i = 0; i < 3; i++) ahead[i] = x[i] + h * dx[i], behind[i] = x[i] - h * dx[i];
  value(0, 0.4 + h, ahead, NULL, &g1);
  value(0, 0.4 - h, behind, NULL, &g0);
  CHECK_NEAR(dx[3], (g1 - g0) / (2.0 * h), 1e-8);
  close_door(&d);
  open_door(&d, &def, false);
  CHECK_INT(d.eval.n, 3);
  close_door(&d);
}

/* ---- formulas ---- */

enum { LEAVES = 5, LONGEST = 40 };

static bool truth(const int *op, size_t length, unsigned assignment) {
  bool stack[LONGEST];
  int top = 0;
  for (size_t k = 0; k < length; k++) {
    if (op[k] == BRINK_NOT)
      stack[top - 1] = !stack[top - 1];
    else if (op[k] == BRINK_AND)
      top--, stack[top - 1] = stack[top - 1] && stack[top];
    else if (op[k] == BRINK_OR)
      top--, stack[top - 1] = stack[top - 1] || stack[top];
    else
      stack[top++] = assignment >> op[k] & 1u;
  }
  return stack[0];
}

static size_t random_formula(int *op, int leaves) {
  size_t length = 0;
  int operands = 0, pushed = 0;
  while (pushed < leaves || operands > 1) {
    bool push = operands < 2 || (pushed < leaves && random_below(2) == 0);
    if (push && pushed < leaves)
      op[length++] = random_below(LEAVES), operands++, pushed++;
    else
      op[length++] = random_below(2) == 0 ? BRINK_AND : BRINK_OR, operands--;
    if (random_below(3) == 0) op[length++] = BRINK_NOT;
  }
  return length;
}

static int none_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env;
  for (int i = 0; i < LEAVES; i++) dx[i] = 0.0;
  return 0;
}

static void formula_model(brink_guard_def *guards, const int *op, size_t length,
                          brink_model_def *def) {
  static const double x0[LEAVES] = {0.0}, one[] = {1.0};
  static const size_t index[LEAVES] = {0, 1, 2, 3, 4};
  for (size_t k = 0; k < LEAVES; k++) {
    guards[k] = brink_default_guard("leaf");
    guards[k].depends = &index[k], guards[k].ndepends = 1;
    guards[k].coefficients = one, guards[k].side = BRINK_LEAF;
  }
  guards[LEAVES] = brink_default_guard("formula");
  guards[LEAVES].formula = op, guards[LEAVES].formula_length = length;
  *def = brink_default_model();
  def->nx = LEAVES, def->x0 = x0, def->rhs = none_rhs;
  def->nguards = LEAVES + 1, def->guards = guards;
}

TEST(formulas_in_normal_form_have_the_truth_table_of_the_formula_as_written) {
  for (int n = 0; n < 500; n++) {
    int op[LONGEST];
    size_t length = random_formula(op, 1 + random_below(8));
    brink_guard_def guards[LEAVES + 1];
    brink_model_def def;
    formula_model(guards, op, length, &def);
    door d;
    open_door(&d, &def, false);
    for (unsigned assignment = 0; assignment < 1u << LEAVES; assignment++) {
      double x[LEAVES];
      for (int i = 0; i < LEAVES; i++)
        x[i] = (assignment >> i & 1u ? 1.0 : -1.0) * uniform(0.1, 2.0);
      double g = brink_eval_guard(&d.eval, LEAVES, 0.0, x);
      CHECK_MSG((g > 0.0) == truth(op, length, assignment), "formula %d, assignment %u: %g", n,
                assignment, g);
      /* the leaf that decides has that value, with its polarity */
      int polarity;
      size_t leaf = brink_eval_deciding_leaf(&d.eval, LEAVES, 0.0, x, &polarity);
      CHECK(leaf < LEAVES && polarity * x[leaf] == g);
    }
    close_door(&d);
  }
}

TEST(the_normal_form_has_no_not) {
  for (int n = 0; n < 100; n++) {
    int op[LONGEST];
    size_t length = random_formula(op, 1 + random_below(8));
    brink_guard_def guards[LEAVES + 1];
    brink_model_def def;
    formula_model(guards, op, length, &def);
    door d;
    open_door(&d, &def, false);
    const brink_guard *guard = &d.model->guards[LEAVES];
    CHECK(guard->formula_length <= length);
    for (size_t k = 0; k < guard->formula_length; k++) {
      CHECK(guard->formula[k].op != BRINK_NOT);
      if (guard->formula[k].op == 0)
        CHECK(guard->formula[k].polarity * guard->formula[k].polarity == 1);
    }
    close_door(&d);
  }
}

TEST(a_leaf_without_a_value_leaves_the_formula_without_one) {
  static const int op[] = {0, 1, BRINK_OR};
  brink_guard_def guards[LEAVES + 1];
  brink_model_def def;
  formula_model(guards, op, 3, &def);
  door d;
  open_door(&d, &def, false);
  double first[LEAVES] = {(double)NAN, 1.0}, second[LEAVES] = {1.0, (double)NAN};
  CHECK(isnan(brink_eval_guard(&d.eval, LEAVES, 0.0, first)));
  CHECK(isnan(brink_eval_guard(&d.eval, LEAVES, 0.0, second)));
  close_door(&d);
}

/* ---- the third question ---- */

static int rooted(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)env;
  *g = sqrt(x[1]) - 1.0; /* no value for x1 < 0 */
  return 0;
}
static int rooted_gradient(size_t guard, double t, const double *x, const brink_env *env,
                           double *dx, double *dt) {
  (void)guard, (void)t, (void)env;
  dx[0] = 0.0, dx[1] = 0.5 / sqrt(x[1]), *dt = 0.0;
  return 0;
}
static int two_rhs(double t, const double *x, const brink_env *env, double *dx) {
  long *calls = env->user;
  (void)t, (void)x;
  ++*calls;
  dx[0] = dx[1] = 1.0;
  return 0;
}

TEST(the_right_hand_side_may_be_evaluated_on_the_locked_side_only) {
  static const double x0[] = {0.0, 4.0}, one[] = {1.0, 0.0};
  long calls = 0;
  brink_guard_def guards[3] = {brink_default_guard("linear"), brink_default_guard("rooted"),
                               brink_default_guard("bilateral")};
  guards[0].coefficients = guards[2].coefficients = one;
  guards[1].value = rooted, guards[1].gradient = rooted_gradient;
  guards[0].side = guards[1].side = BRINK_UNILATERAL;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = two_rhs, def.nguards = 3, def.guards = guards;
  def.user = &calls;
  door d;
  open_door(&d, &def, false);
  brink_eval *eval = &d.eval;
  CHECK_INT(eval->nwatch, 2);
  double inside[] = {1.0, 4.0}, past[] = {-1e-300, 4.0}, on[] = {0.0, 4.0},
         undefined[] = {1.0, -1.0};
  eval->sgn[0] = 1, eval->sgn[1] = 1, eval->sgn[2] = 1;
  CHECK(brink_eval_may(eval, 0.0, inside));
  CHECK(brink_eval_may(eval, 0.0, on)); /* the surface itself belongs to both sides */
  CHECK(!brink_eval_may(eval, 0.0, past));
  CHECK_INT(eval->outside_of, 0);
  CHECK(!brink_eval_may(eval, 0.0, undefined)); /* no value is past */
  CHECK_INT(eval->outside_of, 1);
  eval->sgn[0] = -1;
  CHECK(!brink_eval_may(eval, 0.0, inside));
  CHECK(brink_eval_may(eval, 0.0, past));
  eval->sgn[0] = 0; /* no side is locked */
  CHECK(brink_eval_may(eval, 0.0, inside) && brink_eval_may(eval, 0.0, past));
  eval->sgn[0] = 1;
  eval->slack[0] = 1e-6; /* what an event left over */
  double within[] = {-0.9e-6, 4.0}, beyond[] = {-1.1e-6, 4.0};
  CHECK(brink_eval_may(eval, 0.0, within) && !brink_eval_may(eval, 0.0, beyond));
  eval->slack[0] = 0.0;
  eval->enabled[0] = false;
  CHECK(brink_eval_may(eval, 0.0, past));
  eval->enabled[0] = true;
  brink_eval_hold(eval, 0, false); /* on its surface both sides are used */
  CHECK(brink_eval_may(eval, 0.0, past));
  brink_eval_let_go(eval, 0);
  eval->sgn[0] = 1;

  /* and behind the door: vetoed points are counted, not evaluated */
  double dx[2];
  eval->checks_domain = true;
  CHECK(brink_audit_init(eval, &d.arena));
  brink_audit_accept(eval, 0.0, inside);
  CHECK_INT(brink_eval_rhs(eval, 0.0, past, dx), BRINK_TRY_OUTSIDE);
  CHECK_INT(calls, 0);
  CHECK_INT(eval->stats.refused_outside, 1);
  CHECK_INT(eval->stats.rhs, 0);
  CHECK_INT(brink_eval_rhs(eval, 0.0, inside, dx), BRINK_TRY_OK);
  CHECK_INT(calls, 1);
  CHECK_INT(eval->stats.rhs_past_guard, 0);
  eval->checks_domain = false;
  CHECK_INT(brink_eval_rhs(eval, 0.0, past, dx), BRINK_TRY_OK);
  CHECK_INT(eval->stats.rhs_past_guard, 1);
  close_door(&d);
}

TEST(a_direction_filter_protects_one_side_only) {
  static const double x0[] = {0.0, 4.0}, one[] = {1.0, 0.0};
  long calls = 0;
  brink_guard_def guard = brink_default_guard("falls");
  guard.coefficients = one, guard.side = BRINK_UNILATERAL, guard.direction = BRINK_NEGATIVE;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = two_rhs, def.nguards = 1, def.guards = &guard;
  def.user = &calls;
  door d;
  open_door(&d, &def, false);
  double above[] = {1.0, 4.0}, below[] = {-1.0, 4.0};
  d.eval.sgn[0] = 1;
  CHECK(brink_eval_protects(&d.eval, 0));
  CHECK(!brink_eval_may(&d.eval, 0.0, below));
  d.eval.sgn[0] = -1; /* rising through it is no event, so nothing is protected */
  CHECK(!brink_eval_protects(&d.eval, 0));
  CHECK(brink_eval_may(&d.eval, 0.0, above) && brink_eval_may(&d.eval, 0.0, below));
  close_door(&d);
}

/* A unilateral formula: past where its value has the other sign. */
TEST(a_unilateral_formula_is_protected_as_a_whole) {
  static const int op[] = {0, 1, BRINK_AND};
  brink_guard_def guards[LEAVES + 1];
  brink_model_def def;
  formula_model(guards, op, 3, &def);
  guards[LEAVES].side = BRINK_UNILATERAL;
  door d;
  open_door(&d, &def, false);
  double neither[LEAVES] = {-1.0, -1.0}, one[LEAVES] = {1.0, -1.0}, both[LEAVES] = {1.0, 1.0};
  d.eval.sgn[LEAVES] = -1;
  CHECK(brink_eval_may(&d.eval, 0.0, neither) && brink_eval_may(&d.eval, 0.0, one));
  CHECK(!brink_eval_may(&d.eval, 0.0, both));
  d.eval.sgn[LEAVES] = 1;
  CHECK(!brink_eval_may(&d.eval, 0.0, one) && brink_eval_may(&d.eval, 0.0, both));
  close_door(&d);
}

/* ---- fields on both sides ---- */

static int signed_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  dx[0] = -env->sgn[0], dx[1] = 2.0 + env->sgn[0] + x[0];
  return 0;
}

TEST(filippovs_field_is_tangent_and_lies_between_both_sides) {
  static const double x0[] = {0.0, 0.0}, one[] = {1.0, 0.0};
  brink_guard_def guard = brink_default_guard("surface");
  guard.coefficients = one;
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = signed_rhs, def.nguards = 1, def.guards = &guard;
  door d;
  open_door(&d, &def, false);
  double x[] = {0.0, 5.0}, plus[2], minus[2], dx[2];
  d.eval.sgn[0] = 1;
  CHECK_INT(brink_eval_sided(&d.eval, 0, 1, 0.0, x, plus), BRINK_TRY_OK);
  CHECK_INT(brink_eval_sided(&d.eval, 0, -1, 0.0, x, minus), BRINK_TRY_OK);
  CHECK_INT(d.eval.sgn[0], 1); /* as it was */
  CHECK(plus[0] == -1.0 && minus[0] == 1.0);
  brink_eval_hold(&d.eval, 0, false);
  CHECK_INT(brink_eval_rhs(&d.eval, 0.0, x, dx), BRINK_TRY_OK);
  CHECK_NEAR(dx[0], 0.0, 0.0);
  CHECK_NEAR(dx[1], 0.5 * (plus[1] + minus[1]), 1e-15);
  close_door(&d);
}

/* ---- names ---- */

TEST(names_are_given_where_they_are_missing_and_never_null) {
  static const double x0[] = {0.0, 0.0};
  static const char *const names[] = {"first", NULL};
  brink_model_def def = brink_default_model();
  def.nx = 2, def.x0 = x0, def.rhs = signed_rhs;
  door d;
  open_door(&d, &def, false);
  CHECK(strcmp(brink_model_state_name(d.model, 1), "x[1]") == 0);
  CHECK(brink_model_state_name(d.model, 2) != NULL);
  CHECK(brink_model_guard_name(d.model, 0) != NULL);
  CHECK(brink_model_guard_name(d.model, BRINK_NONE) != NULL);
  close_door(&d);
  def.state_names = names, def.name = NULL;
  open_door(&d, &def, false);
  CHECK(strcmp(brink_model_state_name(d.model, 0), "first") == 0);
  CHECK(strcmp(brink_model_state_name(d.model, 1), "x[1]") == 0);
  CHECK(d.model->def.name != NULL);
  close_door(&d);
}

int main(void) {
  RUN(gradients_by_callback_by_jet_and_by_differences_agree);
  RUN(a_linear_guard_by_numbers_is_that_by_callbacks);
  RUN(the_appended_state_has_the_rate_of_its_guard);
  RUN(formulas_in_normal_form_have_the_truth_table_of_the_formula_as_written);
  RUN(the_normal_form_has_no_not);
  RUN(a_leaf_without_a_value_leaves_the_formula_without_one);
  RUN(the_right_hand_side_may_be_evaluated_on_the_locked_side_only);
  RUN(a_direction_filter_protects_one_side_only);
  RUN(a_unilateral_formula_is_protected_as_a_whole);
  RUN(filippovs_field_is_tangent_and_lies_between_both_sides);
  RUN(names_are_given_where_they_are_missing_and_never_null);
  return check_done();
}
