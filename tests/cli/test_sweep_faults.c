/* brink sweep when something goes wrong around it, or in one of its runs: the fault is told, rows that were made are not lost,
 * and the table is completed to the bytes that it would have had. docs/sweep.md lists these faults. */
#include "check.h"
#include "support/program.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)
#define SWEEP "sweep m.hsml --interpret --jobs 2 --vary p.k=0.5:2:400 --measure 'mean(p.x)'"

/* From k = log(100)/2 on the run fails; with a tiny period it takes for ever. */
static const char model[] =
    "ctc M is body\n"
    "  declarations state(x, real); parameter(k, real); flag(low); end declarations;\n"
    "  initial x := 1.0; end initial;\n"
    "  dynamics x' = -k*x; low = x - 0.01; end dynamics;\n"
    "  event(low) negative-going fail(\"x is lost\"); end negative-going; end event;\n"
    "  assignments k : 1.0; end assignments; end body; end M;\n"
    "dtc Clock is body\n"
    "  declarations parameter(period, real); sample(period, 0.0); state(n, real); end "
    "declarations;\n"
    "  initial n := 0.0; end initial; update n := n + 1.0; end update;\n"
    "  assignments period : 0.5; end assignments; end body; end Clock;\n"
    "system S is body components p : M; c : Clock; end components;\n"
    "  simulation until : 2.0; end simulation; end body; end S;\n";

static size_t lines_of(const char *path) {
  char *text = read_all(path);
  size_t count = 0;
  for (const char *c = text; *c != '\0'; c++) count += *c == '\n';
  free(text);
  return count;
}

static long long size_of(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 ? (long long)about.st_size : -1;
}

/* The table as it is without a fault. */
static void make_whole(void) {
  outcome o = brink(SWEEP " --out whole.csv");
  CHECK_EXIT(o, 0);
  done(&o);
  CHECK_INT(lines_of("whole.csv"), 401);
}

static bool same_files(const char *a, const char *b) {
  char *x = read_all(a), *y = read_all(b);
  bool same = x[0] != '\0' && strcmp(x, y) == 0;
  free(x);
  free(y);
  return same;
}

/* The beginning of the whole table, and not all of it. */
static void check_begun(const char *path) {
  char *part = read_all(path), *whole = read_all("whole.csv");
  CHECK_MSG(strlen(part) > 1000 && strlen(part) < strlen(whole), "%zu of %zu bytes", strlen(part),
            strlen(whole));
  CHECK(strncmp(part, whole, strlen(part)) == 0);
  CHECK(part[strlen(part) - 1] == '\n');
  free(part);
  free(whole);
}

static void complete(const char *path) {
  outcome o = brink(SWEEP " --out %s --resume", path);
  CHECK_EXIT(o, 0);
  done(&o);
  CHECK(same_files(path, "whole.csv"));
}

/* ---- files ---- */

/* A limit of the size of files: write returns EFBIG, as ENOSPC on a full disk. */
TEST(a_table_that_may_not_grow_is_reported_and_completed_later) {
  CHECK(system("ulimit -f 16; " BRINK_PROGRAM " " SWEEP " --out small.csv 2> err.txt") != 0);
  char *err = read_all("err.txt");
  CHECK_CONTAINS(err, "cannot write small.csv");
  free(err);
  check_begun("small.csv");
  complete("small.csv");
}

TEST(a_full_disk_is_reported_and_completed_when_there_is_room) {
  CHECK(mkdir("disk", 0777) == 0);
  if (geteuid() != 0 || system("mount -t tmpfs -o size=16k none disk 2> /dev/null") != 0) return;
  outcome o = brink(SWEEP " --out disk/t.csv");
  CHECK_EXIT(o, 5);
  CHECK_CONTAINS(o.err, "cannot write disk/t.csv: No space left on device");
  done(&o);
  check_begun("disk/t.csv");
  CHECK(system("mount -o remount,size=1m disk") == 0);
  complete("disk/t.csv");
  CHECK(system("umount disk") == 0);
}

TEST(an_output_that_cannot_be_written_is_told_before_the_first_run) {
  static const char *const outs[] = {"--out no/such/t.csv", "--out m.hsml/t.csv",
                                     "--out folder.csv", "--out t.csv --report no/such/page.html",
                                     "--out t.csv --keep m.hsml"};
  CHECK(mkdir("folder.csv", 0777) == 0);
  for (size_t k = 0; k < sizeof outs / sizeof outs[0]; k++) {
    outcome o = brink(SWEEP " %s", outs[k]);
    CHECK_MSG(o.exit == 5 && o.err[0] != '\0', "%s: exit %d: %s", outs[k], o.exit, o.err);
    done(&o);
  }
  CHECK(lines_of("t.csv") <= 1);
  if (geteuid() == 0) return; /* who may write everywhere */
  CHECK(mkdir("locked", 0555) == 0);
  outcome o = brink(SWEEP " --out locked/t.csv");
  CHECK_EXIT(o, 5);
  CHECK_CONTAINS(o.err, "Permission denied");
  done(&o);
}

/* The run is fine, its trajectory is not: its row says so, and has its values. */
TEST(a_trajectory_that_cannot_be_written_is_the_reason_in_its_row) {
  CHECK(mkdir("kept", 0777) == 0);
  CHECK(system("ulimit -f 4; " BRINK_PROGRAM
               " sweep m.hsml --interpret --vary p.k=1,2 --vary c.period=0.5,0.002 --keep kept "
               "--measure p.x --out t.csv > /dev/null 2> err.txt") == 0);
  char *table = read_all("t.csv");
  CHECK_CONTAINS(table, "\n0,1,0.5,finished,,,2,");
  CHECK_CONTAINS(table, "\n1,1,0.002,failed,file,cannot write to kept/run-1.csv");
  CHECK_CONTAINS(table, "\n2,2,0.5,finished,,,2,");
  CHECK_CONTAINS(table, "\n3,2,0.002,failed,file,cannot write to kept/run-3.csv");
  free(table);
}

/* ---- runs ---- */

TEST(a_run_that_hangs_is_ended_and_the_others_are_made) {
  outcome o = brink("sweep m.hsml --interpret --jobs 2 --limit 0.3 --vary c.period=0.5,1e-9,0.25 "
                    "--measure c.n");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "\n0,0.5,finished,,,2,");
  CHECK_CONTAINS(o.out, "\n1,1e-09,failed,limit,the run took more than 0.3 s,,,,,\n");
  CHECK_CONTAINS(o.out, "\n2,0.25,finished,,,2,");
  CHECK_CONTAINS(o.err, "1 of 3 runs failed");
  done(&o);
}

TEST(a_run_that_fails_is_a_row_with_its_reason) {
  outcome o = brink("sweep m.hsml --interpret --vary p.k=1:4:4 --measure p.x");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "\n0,1,finished,,,2,0,,,");
  CHECK_CONTAINS(o.out, "\n2,3,failed,fail,");
  CHECK_CONTAINS(o.out, "x is lost");
  CHECK_CONTAINS(o.out, "\n3,4,failed,fail,");
  CHECK_CONTAINS(o.err, "2 of 4 runs failed");
  done(&o);
}

/* ---- the program ---- */

/* Killed as soon as there are some rows. */
static void kill_it(const char *arguments, const char *rows) {
  char command[512];
  snprintf(command, sizeof command, "exec " BRINK_PROGRAM " %s > /dev/null 2>&1", arguments);
  pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
  struct timespec moment = {.tv_nsec = 2000000};
  for (int k = 0; k < 5000 && size_of(rows) < 2000; k++) nanosleep(&moment, NULL);
  kill(child, SIGKILL);
  CHECK(waitpid(child, NULL, 0) == child);
}

#define SLOW "sweep m.hsml --interpret --jobs 2 --hmax 0.001 --vary p.k=0.5:2:400"

TEST(a_table_of_a_program_that_was_killed_is_completed) {
  outcome o = brink(SLOW " --out whole.csv");
  CHECK_EXIT(o, 0);
  done(&o);
  kill_it(SLOW " --out killed.csv", "killed.csv");
  CHECK(size_of("killed.csv") < size_of("whole.csv") && size_of("killed.csv.resume") > 0);
  o = brink(SLOW " --out killed.csv --resume");
  CHECK_EXIT(o, 0);
  done(&o);
  CHECK(same_files("killed.csv", "whole.csv"));
  CHECK(size_of("killed.csv.resume") < 0);
}

/* Rows of an HDF5 file wait in a text file, which is torn here, too: in the middle of its last row. */
TEST(a_torn_row_is_made_again) {
  outcome o = brink("doctor");
  bool without = strstr(o.out, "HDF5") == NULL || strstr(o.out, "no HDF5") != NULL;
  done(&o);
  if (without) return;
  o = brink(SLOW " --out whole.h5");
  CHECK_EXIT(o, 0);
  done(&o);
  kill_it(SLOW " --out torn.h5", "torn.h5.rows");
  CHECK(size_of("torn.h5") < 0 && truncate("torn.h5.rows", 1990) == 0);
  o = brink(SLOW " --out torn.h5 --resume");
  CHECK_EXIT(o, 0);
  done(&o);
  CHECK(system("cmp torn.h5 whole.h5") == 0);
}

int main(void) {
  char folder[16];
  program_enter(folder);
  write_file("m.hsml", model);
  make_whole();
  RUN(a_table_that_may_not_grow_is_reported_and_completed_later);
  RUN(a_full_disk_is_reported_and_completed_when_there_is_room);
  RUN(an_output_that_cannot_be_written_is_told_before_the_first_run);
  RUN(a_trajectory_that_cannot_be_written_is_the_reason_in_its_row);
  RUN(a_run_that_hangs_is_ended_and_the_others_are_made);
  RUN(a_run_that_fails_is_a_row_with_its_reason);
  RUN(a_table_of_a_program_that_was_killed_is_completed);
  RUN(a_torn_row_is_made_again);
  program_leave(folder);
  return check_done();
}
