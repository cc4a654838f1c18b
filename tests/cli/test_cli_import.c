/* --import-path and BRINK_PATH: where imports are looked for, in which order, and what is said where they are not. */
#include "check.h"
#include "support/program.h"

#include <stdlib.h>
#include <sys/stat.h>

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)

#define GAIN(value)                                                                                \
  "ctc Gain is interface output(y, signal); end interface; body output y = " value                 \
  "; end output; end body; end Gain;\n"
#define TOP                                                                                        \
  "system Top is body components g : Gain; end components; simulation until : 1.0; end "           \
  "simulation; end body; end Top;\n"

/* The value of g.y at the end. */
static double gain_of(const outcome *o) {
  const json *value = json_member(json_member(o->summary, "final"), "g.y");
  return value != NULL ? value->number : -1.0;
}

static void check_gain(const char *options, double expected) {
  outcome o = brink("run m.hsml --interpret --json %s", options);
  CHECK_EXIT(o, 0);
  CHECK_MSG(gain_of(&o) == expected, "%s: %g, expected %g: %s", options, gain_of(&o), expected,
            o.out);
  done(&o);
}

TEST(directories_are_searched_in_order_behind_the_importing_files_own) {
  write_file("m.hsml", "import \"gain.hsml\";\n" TOP);
  CHECK(mkdir("one", 0700) == 0 && mkdir("two", 0700) == 0 && mkdir("two/sub", 0700) == 0);
  write_file("two/gain.hsml", GAIN("2.0"));
  check_gain("-I one -I two", 2.0); /* one has none */
  check_gain("--import-path two/sub/..", 2.0);
  write_file("one/gain.hsml", GAIN("1.0"));
  check_gain("-I one -I two", 1.0);
  check_gain("-I two -I one", 2.0);
  setenv("BRINK_PATH", "nowhere::one", 1);
  check_gain("", 1.0);
  check_gain("-I two", 2.0); /* the option comes first */
  write_file("gain.hsml", GAIN("3.0"));
  check_gain("-I two", 3.0); /* beside the model */
  unsetenv("BRINK_PATH");
}

TEST(imports_of_imports_are_found_beside_those) {
  write_file("two/gain.hsml", "import \"sub/inner.hsml\";\n");
  write_file("two/sub/inner.hsml", GAIN("7.0"));
  CHECK(remove("gain.hsml") == 0);
  check_gain("-I two", 7.0);
  outcome o = brink("fmt --check -I two m.hsml");
  CHECK(o.exit == 0 || o.exit == 1); /* found: its layout is another matter */
  done(&o);
  /* one file by two paths is read once */
  write_file("m.hsml", "import \"two/gain.hsml\"; import \"gain.hsml\";\n" TOP);
  check_gain("-I $PWD/two", 7.0);
}

TEST(a_message_says_where_it_was_looked_for) {
  write_file("m.hsml", "import \"none.hsml\";\n" TOP);
  outcome o = brink("check m.hsml");
  CHECK_EXIT(o, 3);
  CHECK_CONTAINS(o.err, "m.hsml:1:8: error: cannot import 'none.hsml': no such file\n");
  CHECK(strstr(o.err, "looked for") == NULL);
  done(&o);
  o = brink("check -I one -I two m.hsml");
  CHECK_EXIT(o, 3);
  CHECK_CONTAINS(o.err, "hint: looked for beside this file, and in one, two\n");
  done(&o);
}

TEST(only_regular_files_are_imported) {
  CHECK(mkfifo("one/none.hsml", 0600) == 0); /* reading it would wait for ever */
  write_file("two/none.hsml", GAIN("4.0"));
  outcome o = brink("check -I one -I two m.hsml");
  CHECK_EXIT(o, 3);
  CHECK_CONTAINS(o.err, "cannot import 'one/none.hsml': it is not a regular file");
  done(&o);
  CHECK(remove("one/none.hsml") == 0 && mkdir("one/none.hsml", 0700) == 0);
  check_gain("-I one -I two", 4.0); /* a directory of that name is no file */
}

int main(void) {
  char folder[16];
  program_enter(folder);
  RUN(directories_are_searched_in_order_behind_the_importing_files_own);
  RUN(imports_of_imports_are_found_beside_those);
  RUN(a_message_says_where_it_was_looked_for);
  RUN(only_regular_files_are_imported);
  program_leave(folder);
  return check_done();
}
