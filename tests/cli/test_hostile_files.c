/* Files that are no texts, that never end, that belong to somebody else: what is read is a regular text file of the model, or it
 * is refused in words, at once. */
#define _XOPEN_SOURCE 700 /* mkfifo, symlink */
#include "check.h"
#include "support/integrator.h"
#include "support/program.h"

#include <fcntl.h>
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

/* `timeout` ends what hangs, with 137; the program would wait on after SIGTERM. */
#define PROGRAM_IN_TIME "-s KILL 5 '" BRINK_PROGRAM "'"

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

/* ---- what is replaced ---- */

#define SAVED "run m.hsml --until 2 --hmax 0.1 --checkpoint-every 0.5 --checkpoint "

static void check_ends(const char *arguments) {
  outcome o = in_time(arguments);
  CHECK_EXIT(o, 0);
  done(&o);
}

/* With lstat: of the name itself. */
static mode_t kind_of(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0;
}

static mode_t permissions_of(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 ? status.st_mode & 0777 : 0;
}

static bool is_checkpoint(const char *path) {
  char *text = read_all(path);
  bool is = kind_of(path) == S_IFREG && strncmp(text, "brinkckp", 8) == 0;
  free(text);
  return is;
}

static bool holds(const char *path, const char *text) {
  char *found = read_all(path);
  bool same = strcmp(found, text) == 0;
  free(found);
  return same;
}

TEST(only_a_regular_file_is_replaced) {
  write_file("m.hsml", integrator);
  CHECK(mkdir("made", 0777) == 0 && mkdir("kept.ck", 0777) == 0);
  CHECK(mkfifo("pipe.ck", 0600) == 0 && symlink("pipe.ck", "to-pipe.ck") == 0);
  CHECK(symlink("to-self.ck", "to-self.ck") == 0 && symlink("none/x.ck", "to-none.ck") == 0);
  check_refused(SAVED "pipe.ck --out o.csv", "checkpoint pipe.ck: it is not a regular file");
  check_refused(SAVED "to-pipe.ck", "checkpoint to-pipe.ck: it is not a regular file");
  check_refused(SAVED "kept.ck", "checkpoint kept.ck: it is a directory");
  check_refused(SAVED "to-self.ck", "cannot write the checkpoint to-self.ck");
  check_refused(SAVED "to-none.ck", "cannot write the checkpoint to-none.ck");
  check_refused(SAVED "made/", "cannot write the checkpoint made/");
  check_refused(SAVED "''", "cannot write the checkpoint");
  CHECK(kind_of("pipe.ck") == S_IFIFO && kind_of("to-pipe.ck") == S_IFLNK);
  CHECK(kind_of("kept.ck") == S_IFDIR && kind_of("to-none.ck") == S_IFLNK);
  CHECK(rename("pipe.ck", "pipe.h5") == 0);
  check_refused("sweep m.hsml --until 1 --vary k=1,2 --out pipe.h5", "pipe.h5");
  CHECK(kind_of("pipe.h5") == S_IFIFO);
  CHECK(system("ls *.new* 2>/dev/null") != 0);
}

/* A node that may be written is a real device: it is made here, where that is allowed, and is the null device. */
TEST(a_device_is_not_replaced) {
  write_file("m.hsml", integrator);
  if (system("mknod null.ck c 1 3 2>/dev/null") != 0) return;
  check_refused(SAVED "null.ck", "checkpoint null.ck: it is not a regular file");
  CHECK(kind_of("null.ck") == S_IFCHR);
}

TEST(a_link_is_followed_and_permissions_stay) {
  write_file("m.hsml", integrator);
  CHECK(mkdir("there", 0777) == 0);
  write_file("there/old.ck", "old");
  CHECK(chmod("there/old.ck", 0640) == 0);
  CHECK(symlink("there/old.ck", "old.ck") == 0 && symlink("old.ck", "older.ck") == 0);
  CHECK(symlink("there/new.ck", "new.ck") == 0);
  mode_t mask = umask(027);
  check_ends(SAVED "older.ck");
  check_ends(SAVED "new.ck");
  umask(022);
  check_ends(SAVED "plain.ck");
  umask(mask);
  CHECK(kind_of("older.ck") == S_IFLNK && kind_of("old.ck") == S_IFLNK);
  CHECK(kind_of("new.ck") == S_IFLNK);
  CHECK(is_checkpoint("there/old.ck") && is_checkpoint("there/new.ck"));
  CHECK_INT(permissions_of("there/old.ck"), 0640);
  CHECK_INT(permissions_of("there/new.ck"), 0640);
  CHECK_INT(permissions_of("plain.ck"), 0644);
  CHECK(system("ls *.new* there/*.new* 2>/dev/null") != 0);
}

TEST(what_stands_beside_a_file_is_not_touched) {
  write_file("m.hsml", integrator);
  write_file("victim", "precious");
  write_file("b.ck.new", "mine");
  CHECK(symlink("victim", "c.ck.new") == 0 && mkfifo("d.ck.new", 0600) == 0);
  check_ends(SAVED "b.ck");
  check_ends(SAVED "c.ck");
  check_ends(SAVED "d.ck");
  CHECK(is_checkpoint("b.ck") && is_checkpoint("c.ck") && is_checkpoint("d.ck"));
  CHECK(holds("b.ck.new", "mine") && holds("victim", "precious"));
  CHECK(kind_of("c.ck.new") == S_IFLNK && kind_of("d.ck.new") == S_IFIFO);
  /* Names that are those of the next process. */
  outcome o =
      program_run("timeout", "-s KILL 5 sh -c 'ln -s victim e.ck.new-$$-0; mkfifo e.ck.new-$$-1; "
                             "exec " BRINK_PROGRAM " " SAVED "e.ck'");
  CHECK_EXIT(o, 0);
  done(&o);
  CHECK(is_checkpoint("e.ck") && holds("victim", "precious"));
  CHECK(symlink("victim", "t.csv.resume") == 0);
  check_refused("sweep m.hsml --until 1 --vary k=1,2 --out t.csv", "cannot write t.csv.resume");
  CHECK(mkfifo("s.csv.resume", 0600) == 0 && symlink("victim", "t.h5.rows") == 0);
  check_refused("sweep m.hsml --until 1 --vary k=1,2 --out s.csv", "cannot write s.csv.resume");
  check_refused("sweep m.hsml --until 1 --vary k=1,2 --out t.h5", "t.h5");
  CHECK(holds("victim", "precious"));
}

static void write_old(const char *path) {
  static const struct timespec long_ago[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
  write_file(path, "cut");
  CHECK(utimensat(AT_FDCWD, path, long_ago, 0) == 0);
}

TEST(what_killed_runs_have_left_is_removed_when_it_is_old) {
  write_file("m.hsml", integrator);
  static const char *const others[] = {"f.ck.new-12-x", "f.ck.new-12", "f.ck.new-1-2-3",
                                       "g.ck.new-12-0", "f.ck.new"};
  write_old("f.ck.new-12-0");
  write_old("f.ck.new-4711-3");
  write_file("f.ck.new-13-0", "just now");
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) write_old(others[k]);
  check_ends(SAVED "./f.ck");
  CHECK(kind_of("f.ck.new-12-0") == 0 && kind_of("f.ck.new-4711-3") == 0);
  CHECK(holds("f.ck.new-13-0", "just now"));
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) CHECK(holds(others[k], "cut"));
}

TEST(a_checkpoint_is_no_stream) {
  write_file("m.hsml", integrator);
  outcome o = in_time(SAVED "-");
  CHECK_EXIT(o, 2);
  CHECK_CONTAINS(o.err, "a checkpoint is a file");
  done(&o);
  CHECK(kind_of("-") == 0);
  check_ends(SAVED "./-");
  CHECK(is_checkpoint("./-"));
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
  RUN(only_a_regular_file_is_replaced);
  RUN(a_device_is_not_replaced);
  RUN(a_link_is_followed_and_permissions_stay);
  RUN(what_stands_beside_a_file_is_not_touched);
  RUN(what_killed_runs_have_left_is_removed_when_it_is_old);
  RUN(a_checkpoint_is_no_stream);
  RUN(a_file_of_the_kernel_that_waits_is_refused);
  RUN(files_outside_the_model_s_folder_are_not_shown);
  RUN(the_search_path_allows_what_is_in_it);
  program_leave(folder);
  return check_done();
}
