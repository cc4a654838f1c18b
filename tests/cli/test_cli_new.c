/* brink new: whatever the name, the starter is checked, laid out, and runs; nothing is written over. */
#include "check.h"
#include "support/program.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)

static const char *name_in(const outcome *o) {
  const json *name = json_member(o->summary, "model");
  return name != NULL && name->text != NULL ? name->text : "";
}

TEST(a_starter_runs_whatever_it_is_called) {
  static const struct {
    const char *given, *file, *component, *kind;
  } cases[] = {
      {"my-tank", "my-tank.hsml", "MyTank", "tank"},
      {"tank2.hsml", "tank2.hsml", "Tank2", "tank"},
      {"Plant", "Plant.hsml", "Plant", "tank"}, /* the name of a part */
      {"watch", "watch.hsml", "Watch", "loop"},
      {"control", "control.hsml", "Control", "loop"},
      {"end", "end.hsml", "EndModel", "tank"}, /* a reserved word */
      {"system", "system.hsml", "System", "loop"},
      {"ctc", "ctc.hsml", "Ctc", "tank"},
      {"pi", "pi.hsml", "Pi", "tank"},
      {"a_b.c-d", "a_b.c-d.hsml", "ABCD", "loop"},
      {"'folder one/x'", "'folder one/x.hsml'", "X", "tank"},
      {"./here", "./here.hsml", "Here", "tank"},
  };
  CHECK(mkdir("folder one", 0700) == 0);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    outcome o = brink("new --kind %s %s", cases[k].kind, cases[k].given);
    CHECK_EXIT(o, 0);
    char next[128];
    snprintf(next, sizeof next, "brink run %s --plot ", cases[k].file);
    CHECK_CONTAINS(o.out, next);
    CHECK(o.err[0] == '\0');
    done(&o);
    o = brink("check %s", cases[k].file);
    CHECK_EXIT(o, 0);
    CHECK_MSG(o.err[0] == '\0', "%s", o.err);
    done(&o);
    o = brink("fmt --check %s", cases[k].file);
    CHECK_EXIT(o, 0);
    done(&o);
    o = brink("run %s --json --interpret", cases[k].file);
    CHECK_EXIT(o, 0);
    CHECK_MSG(strcmp(name_in(&o), cases[k].component) == 0, "%s", name_in(&o));
    CHECK(json_at(json_member(o.summary, "events"), 1) != NULL); /* something happens */
    done(&o);
  }
}

/* The commands that it proposes, as they stand there. */
TEST(what_to_type_next_works) {
  static const char *const kinds[] = {"tank", "loop"};
  for (size_t k = 0; k < 2; k++) {
    outcome o = brink("new --kind %s next-%s", kinds[k], kinds[k]);
    CHECK_EXIT(o, 0);
    size_t commands = 0;
    for (char *line = strtok(o.out, "\n"); line != NULL; line = strtok(NULL, "\n")) {
      if (strncmp(line, "  brink ", 8) != 0) continue;
      outcome next = brink("%s", line + 8);
      CHECK_EXIT(next, 0);
      done(&next);
      commands++;
    }
    CHECK_INT(commands, 3);
    done(&o);
  }
}

TEST(nothing_is_written_over) {
  write_file("mine.hsml", "% mine\n");
  outcome o = brink("new mine");
  CHECK_EXIT(o, 5);
  CHECK_CONTAINS(o.err, "mine.hsml exists");
  CHECK(o.out[0] == '\0');
  done(&o);
  char *text = read_all("mine.hsml");
  CHECK(strcmp(text, "% mine\n") == 0);
  free(text);
  CHECK(symlink("nowhere/else.hsml", "link.hsml") == 0);
  o = brink("new link");
  CHECK_EXIT(o, 5);
  done(&o);
}

TEST(names_that_cannot_be_are_refused) {
  static const struct {
    const char *arguments;
    int exit;
    const char *says;
  } cases[] = {
      {"new", 2, "which name?"},
      {"new a b", 2, "one too many"},
      {"new ''", 2, "needs a name"},
      {"new folder/", 2, "needs a name"},
      {"new 3tanks", 2, "begins with a letter"},
      {"new _x", 2, "begins with a letter"},
      {"new .hsml", 2, "begins with a letter"},
      {"new -- -x", 2, "begins with a letter"},
      {"new 'a b'", 2, "letters, digits"},
      {"new t\303\244nk", 2, "letters, digits"},
      {"new --kind reactor x", 2, "one of tank or loop"},
      {"new nowhere/x", 5, "cannot write nowhere/x.hsml"},
      {"new /dev/full/x", 5, "cannot write"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    outcome o = brink("%s", cases[k].arguments);
    CHECK_MSG(o.exit == cases[k].exit, "%s: exit %d", cases[k].arguments, o.exit);
    CHECK_MSG(strstr(o.err, cases[k].says) != NULL, "%s: %s", cases[k].arguments, o.err);
    done(&o);
  }
  char longest[400] = "";
  memset(longest, 'x', 300);
  outcome o = brink("new %s", longest);
  CHECK_EXIT(o, 5);
  done(&o);
}

int main(void) {
  char folder[16];
  program_enter(folder);
  setenv("BRINK_CACHE", "cache", 1);
  RUN(a_starter_runs_whatever_it_is_called);
  RUN(what_to_type_next_works);
  RUN(nothing_is_written_over);
  RUN(names_that_cannot_be_are_refused);
  program_leave(folder);
  return check_done();
}
