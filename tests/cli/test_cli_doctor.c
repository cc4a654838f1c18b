/* brink doctor: tells what is there, what is missing, and what to do; and what is only nice to have does
 * not make it fail. */
#include "check.h"
#include "support/program.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)

/* The line about a subject; "": there is none. Valid until the next call. */
static const char *line_about(const outcome *o, const char *subject) {
  static char found[512];
  char words[64];
  found[0] = '\0';
  snprintf(words, sizeof words, " %s ", subject);
  for (const char *line = o->out; *line != '\0';) {
    size_t length = strcspn(line, "\n");
    const char *at = strstr(line, words);
    if (at != NULL && at < line + 16 && length < sizeof found) {
      snprintf(found, sizeof found, "%.*s", (int)length, line);
      break;
    }
    line += length + (line[length] == '\n');
  }
  return found;
}

static bool says(const outcome *o, const char *subject, const char *status) {
  const char *line = line_about(o, subject);
  return strncmp(line + strspn(line, " "), status, strlen(status)) == 0;
}

TEST(every_subject_has_a_line) {
  outcome o = brink("doctor");
  CHECK_EXIT(o, 0);
  CHECK(strncmp(o.out, "brink ", 6) == 0);
  static const char *const subjects[] = {"models", "compiler",   "cache",
                                         "HDF5",   "terminal",   "processor",
                                         "manual", "completion", "fitting"};
  for (size_t k = 0; k < sizeof subjects / sizeof subjects[0]; k++) {
    bool known = says(&o, subjects[k], "ok ") || says(&o, subjects[k], "missing ");
    CHECK_MSG(known, "%s: %s", subjects[k], o.out);
  }
  CHECK(says(&o, "models", "ok"));
  CHECK(strchr(o.out, '\033') == NULL);
  done(&o);
}

TEST(a_missing_compiler_is_told_and_is_no_failure) {
  setenv("BRINK_CC", "there-is-no-such-compiler", 1);
  outcome o = brink("doctor");
  CHECK_EXIT(o, 0);
  CHECK(says(&o, "compiler", "missing"));
  CHECK_CONTAINS(o.out, "there-is-no-such-compiler");
  CHECK_CONTAINS(o.out, "apt install clang");
  done(&o);
  write_file("broken-cc", "#!/bin/sh\nexit 1\n");
  CHECK(chmod("broken-cc", 0700) == 0);
  char path[1024], folder[900];
  CHECK(getcwd(folder, sizeof folder) != NULL);
  snprintf(path, sizeof path, "%s/broken-cc", folder);
  setenv("BRINK_CC", path, 1);
  o = brink("doctor");
  CHECK_EXIT(o, 0);
  CHECK(says(&o, "compiler", "missing")); /* it is there, but does not work */
  done(&o);
  unsetenv("BRINK_CC");
}

TEST(the_cache_is_counted_or_missed) {
  setenv("BRINK_CACHE", "kept", 1);
  outcome o = brink("doctor");
  CHECK(says(&o, "cache", "ok"));
  CHECK_CONTAINS(line_about(&o, "cache"), "/kept: 0 files, 0.0 MB"); /* it leaves nothing there */
  done(&o);
  setenv("BRINK_CACHE", "/proc/nothing", 1);
  o = brink("doctor");
  CHECK_EXIT(o, 0);
  CHECK(says(&o, "cache", "missing"));
  done(&o);
  setenv("BRINK_CACHE", "cache", 1);
}

TEST(the_locale_decides_on_the_terminal) {
  setenv("LC_ALL", "C", 1);
  outcome o = brink("doctor");
  CHECK(says(&o, "terminal", "missing"));
  CHECK_CONTAINS(o.out, "C.UTF-8");
  done(&o);
  setenv("LC_ALL", "C.UTF-8", 1);
  o = brink("doctor --color always");
  CHECK(strchr(o.out, '\033') != NULL);
  CHECK_CONTAINS(o.out, "UTF-8, colours");
  done(&o);
}

TEST(what_is_installed_for_the_shell_is_found) {
  static const struct {
    const char *shell, *file;
  } cases[] = {{"/bin/bash", ".local/share/bash-completion/completions/brink"},
               {"/bin/zsh", ".zfunc/_brink"},
               {"/usr/bin/fish", ".config/fish/completions/brink.fish"}};
  char folder[900];
  CHECK(getcwd(folder, sizeof folder) != NULL);
  setenv("HOME", folder, 1);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char command[512];
    setenv("SHELL", cases[k].shell, 1);
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\" && touch '%s'", cases[k].file,
             cases[k].file);
    CHECK(system(command) == 0);
    outcome o = brink("doctor");
    CHECK_MSG(says(&o, "completion", "ok"), "%s: %s", cases[k].shell, o.out);
    done(&o);
  }
}

TEST(it_takes_nothing) {
  outcome o = brink("doctor house");
  CHECK_EXIT(o, 2);
  CHECK_CONTAINS(o.err, "takes nothing: 'house' is too many");
  done(&o);
}

int main(void) {
  char folder[16];
  program_enter(folder);
  setenv("BRINK_CACHE", "cache", 1);
  RUN(every_subject_has_a_line);
  RUN(a_missing_compiler_is_told_and_is_no_failure);
  RUN(the_cache_is_counted_or_missed);
  RUN(the_locale_decides_on_the_terminal);
  RUN(what_is_installed_for_the_shell_is_found);
  RUN(it_takes_nothing);
  program_leave(folder);
  return check_done();
}
