/* Mistakes in descriptions of models: remembered, and told by the name of what is concerned when the
 * builder is finished. */
#include <brink/build.h>

#include "check.h"

static brink_builder *begin(const char *name) {
  brink_builder *b = NULL;
  CHECK_INT(brink_builder_create(name, NULL, NULL, &b), BRINK_OK);
  return b;
}

static int some_value(size_t guard, double t, const double *x, const brink_env *env, double *g) {
  (void)guard, (void)t, (void)x, (void)env;
  *g = 1.0;
  return 0;
}

static int some_field(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)x, (void)env, (void)dx;
  return 0;
}

/* The finished builder must complain so. Destroys it. */
#define COMPLAINS(b, text)                                                                         \
  do {                                                                                             \
    brink_diag said;                                                                               \
    brink_built *made = (brink_built *)&said; /* must be overwritten */                            \
    CHECK_INT(brink_builder_finish(b, NULL, &said, &made), BRINK_ERR_ARGUMENT);                    \
    CHECK_CONTAINS(said.message, text);                                                            \
    CHECK(made == NULL);                                                                           \
    brink_builder_destroy(b);                                                                      \
  } while (0)

TEST(states_need_exactly_one_derivative) {
  brink_builder *b = begin("missing");
  brink_ex x = brink_builder_state(b, "x", 1.0), v = brink_builder_state(b, "v", 0.0);
  brink_builder_derivative(b, x, v);
  brink_diag diag;
  brink_built *built;
  CHECK_INT(brink_builder_finish(b, NULL, &diag, &built), BRINK_ERR_ARGUMENT);
  CHECK_INT(diag.state, 1);
  COMPLAINS(b, "state 'v' has no derivative");
  b = begin("twice");
  x = brink_builder_state(b, "x", 1.0);
  brink_builder_derivative(b, x, x);
  brink_builder_derivative(b, x, brink_ex_neg(x));
  COMPLAINS(b, "state 'x' has two derivatives");
  b = begin("no state");
  x = brink_builder_state(b, "x", 1.0);
  brink_builder_derivative(b, brink_ex_neg(x), x);
  COMPLAINS(b, "not a state");
  b = begin("no state");
  brink_builder_derivative(b, brink_builder_parameter(b, "p", 1.0), brink_builder_time(b));
  COMPLAINS(b, "not a state");
}

TEST(handles_of_nobody_and_of_others_are_found) {
  brink_ex none = {0};
  brink_builder *b = begin("one"), *other = begin("other");
  brink_ex x = brink_builder_state(b, "x", 1.0), y = brink_builder_state(other, "y", 1.0);
  brink_ex mixed = brink_ex_mul(x, y);
  brink_builder_derivative(b, x, brink_ex_sin(mixed)); /* what follows is not reported */
  brink_builder_derivative(other, y, y);
  COMPLAINS(b, "operand 2 of brink_ex_mul is an expression of another builder");
  COMPLAINS(other, "operand 2 of brink_ex_mul");
  b = begin("nobody");
  x = brink_builder_state(b, "x", 1.0);
  brink_builder_derivative(b, x, brink_ex_add(none, x));
  COMPLAINS(b, "operand 1 of brink_ex_add is no expression");
  b = begin("nobody");
  x = brink_builder_state(b, "x", 1.0);
  brink_builder_derivative(b, x, brink_ex_sin(none));
  COMPLAINS(b, "the derivative of state 'x' is no expression");
  b = begin("invented");
  x = brink_builder_state(b, "x", 1.0);
  brink_builder_derivative(b, x, (brink_ex){.builder = b, .node = 77});
  COMPLAINS(b, "the derivative of state 'x' is no expression of this builder");
  b = begin("guard");
  brink_guard_def def = brink_default_guard("edge");
  CHECK(brink_builder_guard(b, &def, none) == BRINK_NONE);
  COMPLAINS(b, "the value of guard 'edge' is no expression");
  b = begin("sign");
  brink_builder_sign(b, 3);
  COMPLAINS(b, "no guard 3");
}

TEST(names_and_numbers_are_checked) {
  brink_builder *b = begin("unnamed");
  brink_builder_state(b, "x", 1.0);
  brink_builder_state(b, NULL, 1.0);
  COMPLAINS(b, "state 1 has no name");
  b = begin("unnamed");
  brink_builder_parameter(b, "", 1.0);
  COMPLAINS(b, "parameter 0 has no name");
  b = begin("start");
  brink_builder_state(b, "x", (double)NAN);
  COMPLAINS(b, "state 'x' is nan");
  b = begin("value");
  brink_builder_parameter(b, "p", (double)INFINITY);
  COMPLAINS(b, "parameter 'p' is inf");
  b = begin("number");
  brink_builder_number(b, (double)NAN);
  COMPLAINS(b, "NaN");
  b = begin("first"); /* only the first mistake is told */
  brink_builder_sign(b, 0);
  brink_builder_number(b, (double)NAN);
  COMPLAINS(b, "no guard 0");
}

TEST(guards_and_callbacks_must_leave_to_expressions_what_they_give) {
  static const int wrong[] = {0, 7, BRINK_AND};
  brink_builder *b = begin("value");
  brink_guard_def def = brink_default_guard("edge");
  def.value = some_value;
  brink_builder_guard(b, &def, brink_builder_time(b));
  COMPLAINS(b, "guard 'edge' is given by an expression: leave value");
  b = begin("offset");
  def = brink_default_guard("edge"), def.offset = 1.0;
  brink_builder_guard(b, &def, brink_builder_time(b));
  COMPLAINS(b, "leave offset");
  b = begin("formula");
  def = brink_default_guard("edge"), def.formula = wrong, def.formula_length = 3;
  brink_builder_guard(b, &def, brink_builder_time(b));
  COMPLAINS(b, "leave formula");
  b = begin("no formula");
  def = brink_default_guard("edge");
  brink_builder_formula(b, &def);
  COMPLAINS(b, "guard 'edge' has no formula");
  b = begin("leaf");
  def.formula = wrong, def.formula_length = 3;
  brink_builder_formula(b, &def);
  COMPLAINS(b, "the formula of guard 'edge' names guard 7, but there are 1");
  b = begin("leave");
  def = brink_default_guard("edge"), def.surface = BRINK_SURFACE_MODEL, def.leave_negative = 9;
  brink_builder_guard(b, &def, brink_builder_time(b));
  COMPLAINS(b, "guard 'edge' is left when guard 9 becomes positive");
  b = begin("side"); /* what brink_model_create refuses is refused here */
  def = brink_default_guard("edge"), def.inside = 5;
  brink_builder_guard(b, &def, brink_builder_time(b));
  COMPLAINS(b, "guard 'edge': inside is 5");
  b = begin("rhs");
  brink_model_def rest = brink_default_model();
  rest.rhs = some_field;
  brink_builder_callbacks(b, &rest);
  COMPLAINS(b, "rhs is set");
  b = begin("clock");
  brink_clock_def clock = {.size = sizeof(brink_clock_def), .name = "late", .period = 1.0};
  rest = brink_default_model(), rest.clocks = &clock, rest.nclocks = 1;
  brink_builder_callbacks(b, &rest);
  COMPLAINS(b, "clock 'late' has no tick");
}

TEST(arguments_that_make_no_sense_are_refused_and_null_does_nothing) {
  brink_diag diag;
  brink_builder *b = NULL;
  brink_built *built = NULL;
  CHECK_INT(brink_builder_create(NULL, NULL, &diag, &b), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_builder_create("x", NULL, &diag, NULL), BRINK_ERR_ARGUMENT);
  CHECK_INT(brink_builder_finish(NULL, NULL, &diag, &built), BRINK_ERR_ARGUMENT);
  brink_ex x = brink_builder_state(NULL, "x", 1.0);
  brink_builder_derivative(NULL, x, brink_ex_mul(x, brink_ex_scale(x, 2.0)));
  CHECK(brink_builder_guard(NULL, NULL, x) == BRINK_NONE);
  CHECK(brink_builder_formula(NULL, NULL) == BRINK_NONE);
  CHECK(brink_builder_sign(NULL, 0).builder == NULL);
  CHECK(brink_builder_mode(NULL, "m", 0).builder == NULL);
  brink_builder_callbacks(NULL, NULL);
  brink_builder_destroy(NULL);
  brink_built_destroy(NULL);
  b = begin("tolerance");
  brink_build_options options = brink_default_build();
  options.rtol = -1.0;
  CHECK_INT(brink_builder_finish(b, &options, &diag, &built), BRINK_ERR_ARGUMENT);
  CHECK_CONTAINS(diag.message, "rtol is -1");
  brink_builder_destroy(b);
  b = begin("null");
  CHECK(brink_builder_guard(b, NULL, x) == BRINK_NONE);
  COMPLAINS(b, "def is NULL");
  b = begin("null");
  brink_builder_callbacks(b, NULL);
  COMPLAINS(b, "rest is NULL");
}

TEST(too_many_expressions_are_told_as_that) {
  brink_builder *b = begin("endless");
  brink_ex x = brink_builder_state(b, "x", 1.0), sum = x;
  for (long k = 0; k < 1100000 && sum.node != UINT32_MAX; k++)
    sum = brink_ex_sin(brink_ex_add(sum, x));
  brink_builder_derivative(b, x, sum);
  COMPLAINS(b, "'endless' has more than 1048576 different expressions");
}

int main(void) {
  RUN(states_need_exactly_one_derivative);
  RUN(handles_of_nobody_and_of_others_are_found);
  RUN(names_and_numbers_are_checked);
  RUN(guards_and_callbacks_must_leave_to_expressions_what_they_give);
  RUN(arguments_that_make_no_sense_are_refused_and_null_does_nothing);
  RUN(too_many_expressions_are_told_as_that);
  return check_done();
}
