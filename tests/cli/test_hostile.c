/* What a hostile or careless caller can do with files and streams: closed streams, files that are both read and written,
 * limits, readers that go away.
 *
 * Every test runs the program in a directory of its own, with small models written there. */
#define _XOPEN_SOURCE 700 /* mkfifo, symlink */
#include "check.h"
#include "support/integrator.h"
#include "support/program.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char importing[] = "import \"part.hsml\";\n"
                                "system Whole is\n"
                                "  body\n"
                                "    components p : Integrator; end components;\n"
                                "  end body;\n"
                                "end Whole;\n";

static const char table[] = "time,u\n0,0\n1,1\n2,0\n";
static const char data[] = "time,x\n0,0\n1,2\n2,4\n";
static const char design[] = "k\n1\n2\n";

static bool file_holds(const char *path, const char *text) {
  char *found = read_all(path);
  bool same = strcmp(found, text) == 0;
  free(found);
  return same;
}

/* Runs a whole command line of the shell; its exit code. */
static int shell(const char *command) {
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- streams ---- */

/* Else the result file becomes descriptor 1 or 2, and what is printed ends in it. */
TEST(what_is_printed_never_ends_in_a_result_file) {
  static const struct {
    const char *words;
    bool output; /* is it closed? */
  } closed[] = {{">&- 2>err.txt", true},
                {">out.txt 2>&-", false},
                {">&- 2>&-", true},
                {"<&- >&- 2>&-", true}};
  static const char *const options[] = {"--json", "--quiet", "--audit --bogus"};
  write_file("m.hsml", integrator);
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --until 2 --every 1 --out right.csv --json");
  CHECK_EXIT(o, 0);
  done(&o);
  char *right = read_all("right.csv"), command[4096];
  for (size_t k = 0; k < sizeof closed / sizeof *closed; k++) {
    for (size_t n = 0; n < sizeof options / sizeof *options; n++) {
      remove("r.csv");
      snprintf(command, sizeof command, "'%s' run m.hsml --until 2 --every 1 --out r.csv %s %s",
               BRINK_PROGRAM, options[n], closed[k].words);
      int code = shell(command);
      bool lost = n == 0 && closed[k].output;
      CHECK_MSG(code == (n == 2 ? 2 : lost ? 5 : 0), "exit %d: %s", code, command);
      CHECK_MSG(n == 2 || file_holds("r.csv", right), "%s", command);
    }
  }
  free(right);
}

TEST(a_standard_input_that_is_closed_is_not_another_file) {
  outcome o = program_run(BRINK_PROGRAM, "run - --until 1 --out r.csv <&-");
  CHECK_EXIT(o, 5);
  done(&o);
}

/* Nobody reads on: said, with an exit code of its own, and what else is written is complete. */
TEST(a_reader_that_has_gone_is_said) {
  char command[4096];
  write_file("m.hsml", integrator);
  snprintf(command, sizeof command,
           "{ '%s' run m.hsml --until 100 --every 1e-3 --out - 2>err.txt; echo $? >code; } | head "
           "-n 1 >/dev/null",
           BRINK_PROGRAM);
  CHECK(shell(command) == 0);
  CHECK(file_holds("code", "141\n"));
  char *err = read_all("err.txt");
  CHECK_CONTAINS(err, "Broken pipe");
  free(err);
}

/* A file as large as it may be is told like a full disk. */
TEST(a_limit_on_file_size_is_an_error_with_words) {
  static const char *const commands[] = {
      "run m.hsml --until 2 --report limited.html --quiet",
      "run m.hsml --until 2 --json >limited",
      "run m.hsml --until 2 --every 1e-4 --quiet --out limited.csv",
      "fmt -w f.hsml",
      "new limited",
      "sweep m.hsml --vary k=0:9:2000 --until 1 --out limited.csv --quiet",
      "help run >limited"};
  char command[4096];
  write_file("m.hsml", integrator);
  for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
    /* A page of text, so that a starting model is too large, too. */
    FILE *file = fopen("f.hsml", "w");
    if (file == NULL) abort();
    for (int line = 0; line < 200; line++) fputs("% a comment that takes some room\n", file);
    fputs(integrator, file);
    fclose(file);
    char *before = read_all("f.hsml");
    snprintf(command, sizeof command, "ulimit -f 1; '%s' %s 2>err.txt", BRINK_PROGRAM, commands[k]);
    int code = shell(command);
    char *err = read_all("err.txt");
    CHECK_MSG(code == 5, "exit %d: %s: %s", code, command, err);
    CHECK_CONTAINS(err, "File too large");
    CHECK(file_holds("f.hsml", before));
    free(before);
    free(err);
    CHECK(shell("rm -f limited*") == 0);
  }
}

/* ---- one file for two things ---- */

typedef struct clash {
  const char *arguments;
  const char *words; /* of the message */
} clash;

static void check_clash(const clash *c) {
  write_file("m.hsml", integrator);
  write_file("part.hsml", integrator);
  write_file("whole.hsml", importing);
  write_file("in.csv", table);
  write_file("data.csv", data);
  write_file("design.csv", design);
  CHECK(shell("rm -rf o* k link.csv deep; mkdir deep k; ln in.csv o-hard.csv;"
              "ln -s in.csv o-soft.csv; ln -s ../in.csv deep/o.csv; ln m.hsml o-model.csv;"
              "ln -s part.hsml o-part.csv; ln -s o-new.csv o-dangling.csv;"
              "cp in.csv k/run-1.csv") == 0);
  outcome o = program_run(BRINK_PROGRAM, "%s", c->arguments);
  CHECK_MSG(o.exit == 2, "exit %d, expected 2: %s: %s", o.exit, c->arguments, o.err);
  CHECK_MSG(strstr(o.err, c->words) != NULL, "%s: %s", c->arguments, o.err);
  CHECK_MSG(file_holds("m.hsml", integrator), "%s", c->arguments);
  CHECK_MSG(file_holds("part.hsml", integrator), "%s", c->arguments);
  CHECK_MSG(file_holds("in.csv", table), "%s", c->arguments);
  CHECK_MSG(file_holds("data.csv", data), "%s", c->arguments);
  CHECK_MSG(file_holds("design.csv", design), "%s", c->arguments);
  done(&o);
}

TEST(a_file_that_is_read_is_not_overwritten) {
  static const clash list[] = {
      {"run m.hsml --until 2 --input in.csv --out in.csv",
       "--out in.csv would overwrite --input in.csv"},
      {"run m.hsml --until 2 --input in.csv --out ./deep/../in.csv", "would overwrite"},
      {"run m.hsml --until 2 --input in.csv --out o-hard.csv", "would overwrite"},
      {"run m.hsml --until 2 --input in.csv --out o-soft.csv", "would overwrite"},
      {"run m.hsml --until 2 --input in.csv --out deep/o.csv", "would overwrite"},
      {"run m.hsml --until 2 --input o-soft.csv --out in.csv", "would overwrite"},
      {"run m.hsml --until 2 --out o-model.csv", "would overwrite the model m.hsml"},
      {"run whole.hsml --until 2 --out o-part.csv", "would overwrite the import part.hsml"},
      {"run m.hsml --until 2 --checkpoint m.hsml --checkpoint-every 1",
       "would overwrite the model"},
      {"run m.hsml --until 2 --input in.csv --checkpoint in.csv --checkpoint-every 1",
       "would overwrite --input"},
      {"run m.hsml --until 2 --input - --out in.csv <in.csv", "would overwrite standard input"},
      {"condition m.hsml --until 2 --input in.csv --out in.csv", "would overwrite"},
      {"sweep m.hsml --until 2 --design design.csv --out design.csv", "would overwrite --design"},
      {"sweep m.hsml --until 2 --vary k=1:2:2 --input in.csv --out in.csv", "would overwrite"},
      {"sweep m.hsml --until 2 --vary k=1:2:2 --input k/run-1.csv --out o.csv --keep k",
       "would overwrite"},
      {"sweep m.hsml --until 2 --vary k=1:2 --samples 4 --indices in.csv --input in.csv --out "
       "o.csv",
       "would overwrite"},
      {"fit m.hsml --vary k=0:9 --data data.csv --report data.csv", ""},
  };
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) check_clash(&list[k]);
}

TEST(a_file_is_written_by_one_option_only) {
  static const clash list[] = {
      {"run m.hsml --until 2 --report o.html --checkpoint o.html --checkpoint-every 1",
       "would be written to the same file"},
      {"run m.hsml --until 2 --out o.csv --checkpoint deep/../o.csv --checkpoint-every 1",
       "would be written to the same file"},
      {"run m.hsml --until 2 --out o-new.csv --checkpoint o-dangling.csv --checkpoint-every 1",
       "would be written to the same file"},
      {"run m.hsml --until 2 --json --out o.csv >>o.csv", "would be written to the same file"},
      {"sweep m.hsml --until 2 --vary k=1:2 --samples 4 --indices o.csv --out o.csv",
       "would be written to the same file"},
      {"sweep m.hsml --until 2 --vary k=1:2:2 --out k/run-2.csv --keep k",
       "would be written to the same file"},
  };
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) check_clash(&list[k]);
}

/* The rule has no victims. */
TEST(files_that_only_look_alike_are_no_clash) {
  write_file("m.hsml", integrator);
  write_file("in.csv", table);
  static const char *const fine[] = {
      "run m.hsml --until 2 --input in.csv --out o2.csv --report o2.html",
      "run m.hsml --until 2 --out /dev/null.csv --quiet; true",
      "run m.hsml --until 2 --out o2.csv --checkpoint o2.ck --checkpoint-every 1",
      "run m.hsml --until 2 --input in.csv --out deep/in.csv"};
  CHECK(shell("mkdir -p deep") == 0);
  for (size_t k = 0; k < sizeof fine / sizeof *fine; k++) {
    outcome o = program_run(BRINK_PROGRAM, "%s", fine[k]);
    CHECK_EXIT(o, 0);
    done(&o);
  }
  /* A run goes on from the file that it then writes: here there is none yet. */
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --until 2 --checkpoint o3.ck "
                                         "--checkpoint-every 1 --resume o3.ck");
  CHECK_EXIT(o, 5);
  done(&o);
}

/* One word may hold more options than there are words. */
TEST(letters_in_one_word_are_counted) {
  char letters[2001] = {0};
  memset(letters, 'q', sizeof letters - 1);
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --until 2 -%s", letters);
  CHECK_EXIT(o, 0);
  done(&o);
}

int main(void) {
  char folder[16];
  program_enter(folder);
  RUN(what_is_printed_never_ends_in_a_result_file);
  RUN(a_standard_input_that_is_closed_is_not_another_file);
  RUN(a_reader_that_has_gone_is_said);
  RUN(a_limit_on_file_size_is_an_error_with_words);
  RUN(a_file_that_is_read_is_not_overwritten);
  RUN(a_file_is_written_by_one_option_only);
  RUN(files_that_only_look_alike_are_no_clash);
  RUN(letters_in_one_word_are_counted);
  program_leave(folder);
  return check_done();
}
