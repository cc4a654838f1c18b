/* test_expr_text.c: what the flags are called that the compiler makes: their expressions, as people write them. */
#include "check.h"
#include "support/hsml_run.h"

/* The texts of the generated flags of one equation y' = e, one after another. */
static const char *texts_of(const char *equation) {
  static char all[1024];
  char model[4096];
  snprintf(model, sizeof model,
           "function ramp(u) = max(0.0, u);\n"
           "ctc M is body\n"
           "declarations state(x, real); state(v[3], real); state(y, real); parameter(b, real);\n"
           "state(P[2,2], real);\n"
           "variable(a_name_that_is_rather_long, real); end declarations;\n"
           "initial x := 0.0; y := 0.0; for i in 1..3 loop v[i] := 0.0; end loop;\n"
           "P := identity(2); end initial;\n"
           "dynamics x' = 1.0; a_name_that_is_rather_long = x;\n"
           "for i in 1..3 loop v[i]' = 1.0; end loop; P' = -P;\n"
           "y' = %s; end dynamics;\n"
           "assignments b : 2.0; end assignments;\n"
           "end body; end M;\n",
           equation);
  brink_unit *unit;
  brink_system *system = hsml_flatten(model, NULL, &unit);
  all[0] = '\0';
  for (size_t k = 0; k < system->nflags; k++) {
    const brink_flag *flag = &system->flags[k];
    CHECK_INT(flag->kind, BRINK_FLAG_GENERATED);
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", used > 0 ? "; " : "",
             flag->text != NULL ? flag->text : "(none)");
  }
  brink_system_destroy(system);
  brink_unit_destroy(unit);
  return all;
}

#define CHECK_TEXT(equation, expected)                                                             \
  do {                                                                                             \
    const char *found = texts_of(equation);                                                        \
    if (strcmp(found, expected) != 0) printf("  '%s' instead of '%s'\n", found, expected);         \
    CHECK(strcmp(found, expected) == 0);                                                           \
  } while (0)

TEST(relations_are_shown_as_they_are_written) {
  CHECK_TEXT("if x <    -b then 1.0 else 2.0", "x < -b");
  CHECK_TEXT("if (x\n  >=2*b - v[1]) then 1.0 else 2.0", "x >= 2*b - v[1]");
  CHECK_TEXT("if x^2*(b - x)/2 > sqrt(x) and not (x < 1e-3) then 1.0 else 2.0",
             "x^2*(b - x)/2 > sqrt(x); x < 1e-3");
}

TEST(functions_are_shown_whole) {
  CHECK_TEXT("abs(x - b)", "abs(x - b)");
  CHECK_TEXT("floor(x)", "floor(x); floor(x)"); /* up and down */
  CHECK_TEXT("min(x, b, 3.5 - x)", "min(x, b, 3.5 - x); min(x, b, 3.5 - x)");
  CHECK_TEXT("2.0*sign(x)", "sign(x)");
  CHECK_TEXT("abs(if x > b then x else -x)", "x > b; abs(if x > b then x else -x)");
}

TEST(arrays_are_shown_as_they_are_written) {
  CHECK_TEXT("abs(sum(v[i] for i in 1..3) - b)", "abs(sum(v[i] for i in 1..3) - b)");
  CHECK_TEXT("abs(sum(v[1..2]) + P[1, 2])", "abs(sum(v[1..2]) + P[1, 2])");
  CHECK_TEXT("abs(sum(P[1, :]) - x)", "abs(sum(P[1, :]) - x)");
}

TEST(flags_of_functions_are_those_of_their_bodies) {
  CHECK_TEXT("ramp(x - 1.0)", "max(0.0, u)");
}

TEST(long_texts_are_cut) {
  CHECK_TEXT("abs(a_name_that_is_rather_long + a_name_that_is_rather_long*b)",
             "abs(a_name_that_is_rather_long + a_name_that_…");
}

int main(void) {
  RUN(relations_are_shown_as_they_are_written);
  RUN(functions_are_shown_whole);
  RUN(arrays_are_shown_as_they_are_written);
  RUN(flags_of_functions_are_those_of_their_bodies);
  RUN(long_texts_are_cut);
  return check_done();
}
