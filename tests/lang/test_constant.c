/* Constant expressions outside of any model, the values of options: against the same expressions in C. */
#include "check.h"
#include "lang/constant.h"
#include "support/counting.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

TEST(expressions_have_the_values_that_they_have_in_c) {
  const struct {
    const char *text;
    double value;
  } cases[] = {
      {"1/6", 1.0 / 6.0},
      {"2*pi", 2.0 * PI},
      {"10^-8", pow(10.0, -8.0)},
      {"-2^2", -4.0},
      {"pi*0.2^2", PI * (0.2 * 0.2)},
      {"sqrt(2)/exp(1)", sqrt(2.0) / exp(1.0)},
      {"max(1, 5, 3) - min(2, 4)", 3.0},
      {"if 1 < 2 then 3 else 4", 3.0},
      {"floor(-1.5)", -2.0},
      {"sum([1, 2, 3])", 6.0},
      {"norm([3, 4])", 5.0},
      {" 7 ", 7.0},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    brink_constant c;
    CHECK(brink_constant_read(cases[k].text, NULL, &c));
    CHECK_MSG(c.message == NULL, "%s: %s", cases[k].text, c.message);
    if (c.message == NULL)
      CHECK_MSG(!c.list && c.count == 1 && c.value[0] == cases[k].value, "%s = %.17g",
                cases[k].text, c.value[0]);
    brink_constant_free(&c);
  }
}

TEST(lists_have_all_their_values) {
  brink_constant c;
  CHECK(brink_constant_read("2*[1, 2, 3] + 1/2", NULL, &c));
  CHECK(c.message == NULL && c.list && c.count == 3);
  if (c.message == NULL && c.count == 3)
    CHECK(c.value[0] == 2.5 && c.value[1] == 4.5 && c.value[2] == 6.5);
  brink_constant_free(&c);
  CHECK(brink_constant_read("[\"on\", \"off\"]", NULL, &c));
  CHECK(c.message == NULL && c.list && c.count == 2 && c.type == BRINK_TYPE_STRING);
  if (c.message == NULL && c.count == 2) CHECK(strcmp(c.text[1], "off") == 0);
  brink_constant_free(&c);
  CHECK(brink_constant_read("[true, 1 > 2]", NULL, &c));
  CHECK(c.message == NULL && c.count == 2 && c.type == BRINK_TYPE_BOOLEAN);
  if (c.message == NULL && c.count == 2) CHECK(c.value[0] == 1.0 && c.value[1] == 0.0);
  brink_constant_free(&c);
}

TEST(matrices_come_row_by_row) {
  brink_constant c;
  CHECK(brink_constant_read("2*[[1, 2, 3], [4, 5, 6]]", NULL, &c));
  CHECK(c.message == NULL && c.list && c.count == 6 && c.rows == 2 && c.columns == 3);
  for (size_t k = 0; c.message == NULL && k < c.count; k++)
    CHECK(c.value[k] == 2.0 * (double)(k + 1));
  brink_constant_free(&c);
  CHECK(brink_constant_read("[i^2 for i in 1..4]", NULL, &c));
  CHECK(c.message == NULL && c.list && c.count == 4 && c.columns == 0);
  if (c.message == NULL && c.count == 4) CHECK(c.value[3] == 16.0);
  brink_constant_free(&c);
  CHECK(brink_constant_read("[[1, 2], [3]]", NULL, &c));
  CHECK(c.message != NULL);
  brink_constant_free(&c);
}

TEST(mistakes_are_told_with_their_characters) {
  static const struct {
    const char *text, *message;
    size_t at, length;
  } cases[] = {
      {"1/", "expected an expression, found the end", 2, 1},
      {"2*pj", "there is no 'pj' here", 2, 2},
      {"1 2", "expected an operator, or the end, found '2'", 2, 1},
      {"(1", "a ')' is missing here", 2, 1},
      {"time", "'time' is not known before the run", 0, 4},
      {"uniform(0, 1)", "not in an option", 0, 7},
      {"[1, 2] + [1, 2, 3]", "vectors of 2 and 3", 7, 1},
      {"log(-1)", "its value is not a number", 0, 3},
      {"x'", "there is no 'x' here", 0, 1},
      {"1; 2", "expected an operator, or the end, found ';'", 1, 1},
      {"", "expected an expression", 0, 1},
      {"foo(1)", "foo", 0, 3},
      {"1 + \"a\"", "needs numbers", 2, 1},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    brink_constant c;
    CHECK(brink_constant_read(cases[k].text, NULL, &c));
    CHECK_MSG(c.message != NULL && strstr(c.message, cases[k].message) != NULL, "'%s': %s",
              cases[k].text, c.message != NULL ? c.message : "nothing is wrong");
    CHECK_MSG(c.at == cases[k].at && c.length == cases[k].length, "'%s': at %zu, %zu long",
              cases[k].text, c.at, c.length);
    brink_constant_free(&c);
  }
}

TEST(any_allocation_may_fail) {
  bool done = false;
  for (long n = 1; !done; n++) {
    counting state = {.fail_at = n};
    brink_allocator allocator = counting_allocator(&state);
    brink_constant c;
    done = brink_constant_read("if 1 < 2 then 2*[1, 2, 3] else [pi, 2, 3]", &allocator, &c);
    if (done) CHECK(c.message == NULL && c.count == 3 && n > 2);
    brink_constant_free(&c);
    CHECK_INT(state.live, 0);
  }
}

int main(void) {
  RUN(expressions_have_the_values_that_they_have_in_c);
  RUN(lists_have_all_their_values);
  RUN(matrices_come_row_by_row);
  RUN(mistakes_are_told_with_their_characters);
  RUN(any_allocation_may_fail);
  return check_done();
}
