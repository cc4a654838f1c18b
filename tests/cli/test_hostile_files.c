/* Files that are no texts, that never end, that belong to somebody else: what is read is a regular text file of the model, or it
 * is refused in words, at once. */
#define _XOPEN_SOURCE 700 /* mkfifo, symlink */
#include "check.h"
#include "support/integrator.h"
#include "support/program.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_bytes(const char *path, const char *bytes, size_t length) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) abort();
}
#define WRITE_BYTES(path, literal) write_bytes(path, literal, sizeof(literal) - 1)

/* A model that imports `file` and one that reads a table from it. */
static void write_models(const char *file) {
  char text[2000];
  snprintf(text, sizeof text, "import \"%s\";\n%s", file, integrator);
  write_file("import.hsml", text);
  snprintf(text, sizeof text, "table f(u) = file(\"%s\");\n%s", file, integrator);
  write_file("table.hsml", text);
}

/* `timeout` ends with 124 what hangs. */
#define PROGRAM_IN_TIME "5 '" BRINK_PROGRAM "'"

static outcome in_time(const char *arguments) {
  return program_run("timeout", "%s %s", PROGRAM_IN_TIME, arguments);
}

static void check_refused(const char *arguments, const char *words) {
  outcome o = in_time(arguments);
  CHECK_MSG(o.exit == 2 || o.exit == 3 || o.exit == 5, "exit %d: %s: %s", o.exit, arguments, o.err);
  CHECK_MSG(strstr(o.err, words) != NULL, "%s does not say '%s': %s", arguments, words, o.err);
  done(&o);
}

/* ---- NUL ---- */

TEST(a_nul_byte_is_refused_with_its_place) {
  write_file("m.hsml", integrator);
  WRITE_BYTES("u.csv", "\xfftime,u\n0,1\n1,2\0\n2,5\n"); /* no UTF-16, though it begins so */
  check_refused("run m.hsml --until 2 --input u.csv", "u.csv:3:4: error: a NUL byte");
  WRITE_BYTES("u.csv", "time,u\n0,1\n1,2\n2,\0005\n");
  check_refused("run m.hsml --until 2 --input u.csv", "u.csv:4:3: error: a NUL byte");
  check_refused("run m.hsml --until 2 --input - <u.csv", "4:3: error: a NUL byte");
  WRITE_BYTES("u.csv", "\xff\xfet\0i\0m\0e\0");
  check_refused("run m.hsml --until 2 --input u.csv", "UTF-16");
  WRITE_BYTES("d.csv", "time,x\n0,0\n1,1\0\n2,2\n");
  check_refused("fit m.hsml --vary k=0:9 --data d.csv", "d.csv:3: a NUL byte in column 4");
  WRITE_BYTES("d.csv", "k\n1\n2\0003\n");
  check_refused("sweep m.hsml --until 1 --design d.csv", "d.csv:3:2: a NUL byte");
  WRITE_BYTES("nul.hsml", "ctc A is\n\0 body");
  check_refused("check nul.hsml", "nul.hsml:2:1: error: a NUL byte");
  write_models("t.csv");
  WRITE_BYTES("t.csv", "0,0\n1,1\0004\n2,2\n");
  check_refused("check table.hsml", "t.csv:2");
  WRITE_BYTES("c.ck", "brinkckp\0\0\0\0");
  check_refused("run m.hsml --until 2 --resume c.ck", "c.ck");
}

/* ---- what is no regular file ---- */

TEST(a_pipe_or_a_device_is_refused_and_not_waited_for) {
  write_file("m.hsml", integrator);
  CHECK(mkfifo("fifo", 0600) == 0);
  CHECK(symlink("fifo", "link.csv") == 0);
  static const char *const paths[] = {"fifo", "link.csv", "/dev/zero", "/dev/tty", "."};
  for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
    static const char *const commands[] = {"run %s --until 1",
                                           "run m.hsml --until 1 --input %s",
                                           "run m.hsml --until 1 --resume %s",
                                           "fit m.hsml --vary k=0:9 --data %s",
                                           "fit m.hsml --vary k=0:9 --event-times %s",
                                           "fmt %s",
                                           "check %s"};
    for (size_t n = 0; n < sizeof commands / sizeof *commands; n++) {
      char command[200];
      char format[100];
      snprintf(format, sizeof format, "%s", commands[n]);
      char *place = strstr(format, "%s");
      *place = '\0';
      snprintf(command, sizeof command, "%s%s%s", format, paths[k], place + 2);
      check_refused(command, strcmp(paths[k], "/dev/tty") == 0 ? "" : "it is ");
    }
    write_models(paths[k]);
    check_refused("check import.hsml", "cannot import");
    check_refused("check table.hsml", "cannot read");
  }
  CHECK(rename("fifo", "fifo.csv") == 0);
  check_refused("sweep m.hsml --until 1 --design fifo.csv", "it is not a regular file");
  check_refused("sweep m.hsml --until 1 --vary k=1,2 --input fifo.csv", "it is not a regular file");
  CHECK(mkfifo("libpipe.so", 0600) == 0);
  write_file("e.hsml", "function f(x) = external(\"./libpipe.so\", \"f\");\n");
  check_refused("check e.hsml --allow-external", "");
}

/* A file that calls itself regular, and waits. */
TEST(a_file_of_the_kernel_that_waits_is_refused) {
  if (access("/proc/kmsg", R_OK) != 0) return;
  write_file("m.hsml", integrator);
  write_models("/proc/kmsg");
  check_refused("check import.hsml", "cannot import");
  check_refused("check import.hsml -I /", "");
  check_refused("run m.hsml --until 1 --input /proc/kmsg", "");
}

/* ---- what is outside ---- */

/* `secret` must not be shown. */
static void check_kept(const char *arguments) {
  outcome o = in_time(arguments);
  CHECK_MSG(o.exit == 3, "exit %d: %s: %s", o.exit, arguments, o.err);
  CHECK_MSG(strstr(o.err, "secret-word") == NULL, "%s: %s", arguments, o.err);
  CHECK_CONTAINS(o.err, "outside the model's folder");
  CHECK_CONTAINS(o.err, "--import-path");
  done(&o);
}

TEST(files_outside_the_model_s_folder_are_not_shown) {
  char here[1000], path[1200];
  CHECK(getcwd(here, sizeof here) != NULL);
  CHECK(mkdir("outside", 0700) == 0 && mkdir("model", 0700) == 0 && mkdir("beside", 0700) == 0);
  write_file("outside/secret.txt", "secret-word 1 2\n");
  CHECK(symlink("../outside/secret.txt", "model/link.hsml") == 0);
  CHECK(symlink("../outside", "model/folder") == 0);
  snprintf(path, sizeof path, "%s/outside/secret.txt", here);
  const char *const ways[] = {path, "../outside/secret.txt", "link.hsml", "folder/secret.txt"};
  CHECK(chdir("model") == 0);
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    write_models(ways[k]);
    check_kept("check import.hsml");
    check_kept("check table.hsml");
    check_kept("check ./import.hsml");
    check_kept("fmt import.hsml");
    check_kept("check - <import.hsml");
    CHECK(chdir("..") == 0);
    check_kept("check model/import.hsml");
    check_kept("check model/table.hsml -I beside");
    CHECK(chdir("model") == 0);
  }
  CHECK(chdir("..") == 0);
}

TEST(the_search_path_allows_what_is_in_it) {
  CHECK(mkdir("parts", 0700) == 0 && mkdir("m", 0700) == 0 && mkdir("m/below", 0700) == 0);
  write_file("parts/part.hsml", integrator);
  write_file("m/below/part2.hsml", "function twice(x) = 2.0*x;\n");
  write_file("m/model.hsml", "import \"../parts/part.hsml\";\nimport \"below/part2.hsml\";\n"
                             "system S is body components i : Integrator; end components; end "
                             "body; end S;\n");
  outcome o = in_time("check m/model.hsml");
  CHECK_EXIT(o, 3);
  done(&o);
  static const char *const allowed[] = {"check m/model.hsml -I parts", "check m/model.hsml -I .",
                                        "check m/model.hsml --import-path=m/../parts/",
                                        "check m/model.hsml -I /"};
  for (size_t k = 0; k < sizeof allowed / sizeof *allowed; k++) {
    o = in_time(allowed[k]);
    CHECK_EXIT(o, 0);
    done(&o);
  }
  setenv("BRINK_PATH", "parts", 1);
  o = in_time("run m/model.hsml --until 1");
  CHECK_EXIT(o, 0);
  done(&o);
  unsetenv("BRINK_PATH");
}

int main(void) {
  char folder[16];
  program_enter(folder);
  RUN(a_nul_byte_is_refused_with_its_place);
  RUN(a_pipe_or_a_device_is_refused_and_not_waited_for);
  RUN(a_file_of_the_kernel_that_waits_is_refused);
  RUN(files_outside_the_model_s_folder_are_not_shown);
  RUN(the_search_path_allows_what_is_in_it);
  program_leave(folder);
  return check_done();
}
