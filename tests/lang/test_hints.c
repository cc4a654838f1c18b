/* test_hints.c: what the compiler proposes, where the message alone would leave somebody puzzled. That
 * the messages are right is in tests/lang/errors. */
#include "check.h"
#include "lang/ast.h"
#include "lang/flatten.h"

#include <stdlib.h>

/* Files in memory: path, text, path, text, NULL. */
static char *read_memory(const char *path, size_t *length, const char **reason, void *user) {
  const char *const *files = user;
  for (size_t k = 0; files[k] != NULL; k += 2) {
    if (strcmp(files[k], path) != 0) continue;
    *length = strlen(files[k + 1]);
    char *copy = malloc(*length + 1);
    if (copy != NULL) memcpy(copy, files[k + 1], *length + 1);
    return copy;
  }
  *reason = "no such file";
  return NULL;
}

static brink_unit *look_at(const char *const *files, bool library) {
  const brink_reader reader = {.read = read_memory, .user = (void *)(uintptr_t)files};
  const brink_flatten_options options = {.seed = 1, .library = library};
  const char *reason;
  bool unreadable;
  brink_unit *unit = brink_unit_parse(files[0], &reader, NULL, &unreadable, &reason);
  if (unit == NULL) return NULL;
  brink_unit_check(unit);
  brink_system_destroy(brink_flatten(unit, &options, NULL));
  return unit;
}

/* There is one error, and its hint is this; NULL: it has none. */
static void check_hint(const char *const *files, const char *hint) {
  brink_unit *unit = look_at(files, false);
  CHECK(unit != NULL && unit->nerrors == 1);
  if (unit != NULL && unit->nerrors == 1) {
    const char *told = unit->items[0].hint;
    CHECK_MSG((told == NULL) == (hint == NULL) && (hint == NULL || strcmp(told, hint) == 0),
              "%s: hint: %s", unit->items[0].message, told != NULL ? told : "(none)");
  }
  brink_unit_destroy(unit);
}

/* A ctc with a state h and these equations. */
static void check_dynamics(const char *equations, const char *hint) {
  char text[1024];
  snprintf(text, sizeof text,
           "ctc A is body declarations state(h, real); state(x[2], real); mode(m, {\"a\", \"b\"}); "
           "end declarations; initial h := 1.0; x := 0.0; m := \"a\"; end initial; dynamics %s end "
           "dynamics; end body; end A;",
           equations);
  check_hint((const char *const[]){"a.hsml", text, NULL}, hint);
}

TEST(derivatives_of_modelica) {
  check_dynamics("der(h) = 1.0; x' = 0.0;", "write h' = ...");
  check_dynamics("h' = 1.0; x[1]' = 0.0; der(x[2]) = 0.0;", "write x[...]' = ...");
  check_dynamics("h' = 1.0; x' = der(h);", "the derivative of a state is written h'");
  check_dynamics("sin(h) = 1.0; x' = 0.0;",
                 "equations between formulas belong in a 'constraints' section");
}

TEST(other_words_for_elsif) {
  static const char *const words[] = {"elseif", "elif", "else_if"};
  for (size_t k = 0; k < 3; k++) {
    char text[256];
    for (int otherwise = 0; otherwise < 2; otherwise++) { /* one error, also where no else is */
      snprintf(text, sizeof text,
               "x' = 0.0; if m = \"a\" then h' = 1.0; %s m = \"b\" then h' = 2.0; %s end if;",
               words[k], otherwise ? "else h' = 3.0;" : "");
      check_dynamics(text, "write 'elsif'");
    }
    snprintf(text, sizeof text,
             "x' = 0.0; h' = if m = \"a\" then 1.0 %s m = \"b\" then 2.0 else 3.0;", words[k]);
    check_dynamics(text, "write 'elsif'");
  }
}

#define TANK                                                                                       \
  "ctc Tank is body declarations state(h, real); end declarations; initial h := 1.0; end "         \
  "initial; dynamics h' = 0.0; end dynamics; end body; end Tank;"
#define PLANT(class_, initial)                                                                     \
  "composite Plant is body components tank : " class_ "; end components; initial " initial         \
  " end initial; end body; end Plant;"

TEST(a_letter_typed_twice_is_near) {
  check_hint((const char *const[]){"p.hsml", TANK PLANT("Tank", "tank.hh := 1.0;"), NULL},
             "did you mean 'h'?");
  check_hint((const char *const[]){"p.hsml", TANK PLANT("Tank", "tank.g := 1.0;"), NULL}, NULL);
}

TEST(files_that_are_not_imported_are_named) {
  static const char found[] = "it is in a file that is not imported: import \"tank.hsml\";";
  static const char plant[] = PLANT("Tank", "");
  check_hint((const char *const[]){"p.hsml", plant, "tank.hsml", TANK, NULL}, found);
  check_hint((const char *const[]){"a/p.hsml", plant, "a/tank.hsml", TANK, NULL}, found);
  check_hint((const char *const[]){"p.hsml", plant, "Tank.hsml", TANK, NULL},
             "it is in a file that is not imported: import \"Tank.hsml\";");
  check_hint((const char *const[]){"p.hsml", plant, "a/tank.hsml", TANK, NULL},
             NULL); /* elsewhere */
  check_hint((const char *const[]){"p.hsml", plant, "tank.hsml", "% a Tank\n", NULL}, NULL);
  check_hint((const char *const[]){"tank.hsml", plant, NULL}, NULL); /* itself */
}

TEST(values_outside_a_range_get_the_range_as_a_hint) {
  check_hint(
      (const char *const[]){"p.hsml",
                            "ctc A is body declarations state(h, real, (0.0, 2*k)); "
                            "parameter(k, real); end declarations; initial h := 3.0*k; end "
                            "initial; dynamics h' = 0.0; end dynamics; assignments k : 2.0; end "
                            "assignments; end body; end A;",
                            NULL},
      "the range is (0, 4)");
}

/* ---- parts by themselves ---- */

static size_t errors_of(const char *text, bool library) {
  brink_unit *unit = look_at((const char *const[]){"part.hsml", text, NULL}, library);
  size_t count = unit != NULL ? unit->nerrors : SIZE_MAX;
  brink_unit_destroy(unit);
  return count;
}

#define PART(kind, name, initial)                                                                  \
  kind " " name " is interface input(u, signal, (1.0, 5.0)); input(n, integer); input(s, string, " \
       "{\"a\", \"b\"}); input(w[2], signal); input(b, boolean); output(y, signal); end "          \
       "interface; body "                                                                          \
       "declarations state(h, real, (2.0, 3.0)); state(v, real); end declarations; "               \
       "initial " initial                                                                          \
       " end initial; dynamics h' = u + w[1]; v' = if b and s = \"b\" then 1.0 else 2.0; end "     \
       "dynamics; output y = h; end output; end body; end " name ";"

TEST(a_part_that_is_not_run_needs_no_inputs) {
  static const char part[] = PART("ctc", "Part", "h := 2.0; v := 0.0;");
  CHECK_INT(errors_of(part, true), 0);
  CHECK_INT(errors_of(part, false), 5);
  /* What depends on an input may be anything, what does not may not. */
  CHECK_INT(errors_of(PART("ctc", "Part", "v := 1.0/n; h := 7.0*v;"), true), 0);
  CHECK_INT(errors_of(PART("ctc", "Part", "v := 7.0; h := v;"), true), 1);
}

TEST(parts_of_parts_and_systems_need_theirs) {
  static const char inner[] =
      PART("ctc", "Part", "h := 2.0; v := 0.0;") "composite C is body "
                                                 "components p : Part; end "
                                                 "components; end body; end C;";
  CHECK_INT(errors_of(inner, true), 5);
  static const char outer[] =
      "ctc Part is interface input(u, signal); output(y, signal); end interface; body output y = "
      "u; "
      "end output; end body; end Part; %s C is interface input(u, signal); output(y, signal); end "
      "interface; body components p : Part; end components; connections connect(u, p.u); "
      "connect(p.y, y); end connections; end body; end C;";
  char text[1024];
  snprintf(text, sizeof text, outer, "composite");
  CHECK_INT(errors_of(text, true), 0);
  CHECK_INT(errors_of(text, false), 1);
  snprintf(text, sizeof text, outer, "system");
  CHECK_INT(errors_of(text, true), 1);
}

int main(void) {
  RUN(derivatives_of_modelica);
  RUN(other_words_for_elsif);
  RUN(a_letter_typed_twice_is_near);
  RUN(files_that_are_not_imported_are_named);
  RUN(values_outside_a_range_get_the_range_as_a_hint);
  RUN(a_part_that_is_not_run_needs_no_inputs);
  RUN(parts_of_parts_and_systems_need_theirs);
  return check_done();
}
