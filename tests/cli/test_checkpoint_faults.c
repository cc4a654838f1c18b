/* What happens to checkpoints outside of the program: a full disk, a folder that cannot be written, files that are removed, a
 * run that is over. Nothing is lost: the message says why, the checkpoint before it is whole, and a run that is resumed
 * from it leaves the same behind as one that met nothing of this. */
#include "check.h"
#include "support/formats.h"
#include "support/program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Its report grows on the way, and with it the checkpoints. */
#define RUN_IT "run " BRINK_SOURCE_DIR "/models/thermostat/model.hsml --json --every 0.01 "
#define SAVED "--checkpoint run.ck --checkpoint-every 1 "

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)

/* The present directory, with what a run that met nothing leaves behind: whole.csv, page.html. */
static char folder[16];
static char *whole, *page, *summary;

/* Seconds that the machine needed, and whether and when there was code, are left out: the last of the statistics. */
static char *stripped(char *text) {
  char *at = strstr(text, "\"engine\":");
  if (at != NULL) memmove(at, at + strcspn(at, "}"), strlen(at + strcspn(at, "}")) + 1);
  return text;
}

/* The date and the command of a report are those of its own run. */
static char *read_page(const char *path) {
  char *text = stripped(read_all(path));
  static const char *const facts[] = {"[\"command\",", "[\"written\","};
  for (size_t k = 0; k < sizeof facts / sizeof facts[0]; k++) {
    char *at = strstr(text, facts[k]);
    if (at != NULL) memmove(at, at + strcspn(at, "]"), strlen(at + strcspn(at, "]")) + 1);
  }
  return text;
}

static void enter(void) {
  program_enter(folder);
  outcome o = brink(RUN_IT "--out whole.csv --report page.html");
  CHECK_EXIT(o, 0);
  whole = read_all("whole.csv");
  page = read_page("page.html");
  summary = stripped(strdup(o.out));
  CHECK(strlen(whole) > 10000 && strlen(page) > 10000);
  done(&o);
}

static void leave(void) {
  program_leave(folder);
  free(whole);
  free(page);
  free(summary);
}

/* Goes on from run.ck to the end; everything is as it should be. */
static void check_resumed(const char *out) {
  outcome o = brink(RUN_IT "--report page.html --out %s --resume run.ck", out);
  CHECK_EXIT(o, 0);
  char *rows = read_all(out), *shown = read_page("page.html");
  CHECK(strcmp(rows, whole) == 0);
  CHECK_MSG(strcmp(shown, page) == 0, "another report");
  CHECK(strcmp(stripped(o.out), summary) == 0);
  free(rows);
  free(shown);
  done(&o);
}

static bool exists(const char *path) {
  return access(path, F_OK) == 0;
}

/* `before`: what is done by the shell that starts the program. The result file is elsewhere. */
static outcome under(const char *before, const char *options) {
  char command[4096];
  snprintf(command, sizeof command, "-c '%s exec %s " RUN_IT "%s' >out.txt 2>err.txt", before,
           BRINK_PROGRAM, options);
  return program_run("sh", "%s", command);
}

/* ---- no space ---- */

TEST(a_file_that_may_not_get_larger_ends_the_run_and_the_last_checkpoint_is_whole) {
  enter();
  /* The report's checkpoints get larger than 16 kB (32 blocks of 512 bytes), the rows do not. */
  outcome o = brink(RUN_IT "--every 1 --out few.csv --report page.html");
  char *few = read_all("few.csv");
  done(&o);
  o = under("ulimit -f 32;", "--every 1 --out cut.csv --report page.html " SAVED);
  CHECK_EXIT(o, 5);
  CHECK_CONTAINS(o.err, "cannot write the checkpoint run.ck: File too large");
  CHECK(exists("run.ck") && system("ls run.ck?* 2>/dev/null") != 0);
  done(&o);
  o = brink(RUN_IT "--every 1 --out cut.csv --report page.html --resume run.ck");
  CHECK_EXIT(o, 0);
  char *rows = read_all("cut.csv");
  CHECK(strcmp(rows, few) == 0);
  free(rows);
  free(few);
  done(&o);
  leave();
}

/* Needs the right to mount; else there is nothing to see. */
TEST(a_full_disk_ends_the_run_and_the_last_checkpoint_is_whole) {
  enter();
  mkdir("small", 0777);
  if (system("mount -t tmpfs -o size=48k tmpfs small 2>/dev/null") == 0) {
    outcome o = brink(RUN_IT "--out cut.csv --report page.html --checkpoint small/run.ck "
                             "--checkpoint-every 1");
    CHECK_EXIT(o, 5);
    CHECK_CONTAINS(o.err, "cannot write the checkpoint small/run.ck: No space left on device");
    CHECK(exists("small/run.ck") && system("ls small/run.ck?* 2>/dev/null") != 0);
    CHECK(system("mv small/run.ck run.ck && umount small") == 0);
    done(&o);
    check_resumed("cut.csv");
  }
  leave();
}

/* ---- no permission ---- */

/* Who may do everything gives that right up; where that is not possible, there is nothing to see. */
#define OBEDIENT "setpriv --inh-caps -dac_override --bounding-set -dac_override "

static const char *obedient(void) {
  if (geteuid() != 0) return "";
  return system(OBEDIENT "true 2>/dev/null") == 0 ? OBEDIENT : NULL;
}

TEST(a_folder_that_cannot_be_written_is_told_before_the_first_step) {
  size_t before, after;
  const char *who = obedient();
  if (who == NULL) return;
  enter();
  mkdir("place", 0777);
  outcome o = brink(RUN_IT "--out cut.csv --report page.html --checkpoint place/run.ck "
                           "--checkpoint-every 5");
  CHECK_EXIT(o, 0);
  done(&o);
  char *there = read_whole_file("place/run.ck", &before);
  chmod("place", 0555);
  o = program_run("env",
                  "%s" BRINK_PROGRAM " " RUN_IT "--out cut.csv --report page.html --resume "
                  "place/run.ck",
                  who);
  CHECK_EXIT(o, 5);
  CHECK_CONTAINS(o.err, "cannot write the checkpoint place/run.ck");
  done(&o);
  o = program_run("env",
                  "%s" BRINK_PROGRAM " " RUN_IT "--out other.csv --checkpoint place/run.ck "
                  "--checkpoint-every 1e9",
                  who);
  CHECK_EXIT(o, 5);
  CHECK_CONTAINS(o.err, "cannot write the checkpoint place/run.ck: Permission denied");
  done(&o);
  char *still = read_whole_file("place/run.ck", &after);
  CHECK(there != NULL && still != NULL && before == after && memcmp(there, still, before) == 0);
  chmod("place", 0777);
  CHECK(rename("place/run.ck", "run.ck") == 0);
  check_resumed("cut.csv");
  free(there);
  free(still);
  leave();
}

/* ---- files that are removed ---- */

TEST(a_checkpoint_that_is_removed_is_written_again) {
  enter();
  outcome o = program_run("sh",
                          "-c '%s " RUN_IT "--report page.html --out cut.csv " SAVED
                          ">run.txt & p=$!; while kill -0 $p 2>/dev/null; do rm -f run.ck; done; "
                          "wait $p'",
                          BRINK_PROGRAM);
  CHECK_EXIT(o, 0);
  char *rows = read_all("cut.csv");
  CHECK(strcmp(rows, whole) == 0);
  free(rows);
  done(&o);
  o = brink(RUN_IT "--out cut.csv --resume gone.ck");
  CHECK_EXIT(o, 5);
  CHECK_CONTAINS(o.err, "cannot read the checkpoint gone.ck: no such file");
  done(&o);
  leave();
}

TEST(a_result_file_that_is_not_there_is_told_and_the_checkpoint_stays) {
  enter();
  outcome o = brink(RUN_IT "--out cut.csv --report page.html --checkpoint run.ck "
                           "--checkpoint-every 5");
  CHECK_EXIT(o, 0);
  done(&o);
  CHECK(rename("cut.csv", "moved.csv") == 0);
  o = brink(RUN_IT "--out cut.csv --report page.html --resume run.ck");
  CHECK_EXIT(o, 5);
  CHECK_CONTAINS(o.err, "cannot go on with cut.csv: No such file or directory");
  CHECK(!exists("cut.csv"));
  done(&o);
  check_resumed("moved.csv");
  leave();
}

/* ---- a run that is over ---- */

TEST(a_run_that_is_over_can_be_resumed_as_often_as_one_likes) {
  enter();
  for (int at_end = 0; at_end < 2; at_end++) { /* the last checkpoint before the end, and at it */
    outcome o = brink(RUN_IT "--out cut.csv --report page.html --checkpoint run.ck "
                             "--checkpoint-every %s",
                      at_end ? "1" : "5");
    CHECK_EXIT(o, 0);
    done(&o);
    check_resumed("cut.csv");
    check_resumed("cut.csv");
  }
  leave();
}

int main(void) {
  RUN(a_file_that_may_not_get_larger_ends_the_run_and_the_last_checkpoint_is_whole);
  RUN(a_full_disk_ends_the_run_and_the_last_checkpoint_is_whole);
  RUN(a_folder_that_cannot_be_written_is_told_before_the_first_step);
  RUN(a_checkpoint_that_is_removed_is_written_again);
  RUN(a_result_file_that_is_not_there_is_told_and_the_checkpoint_stays);
  RUN(a_run_that_is_over_can_be_resumed_as_often_as_one_likes);
  return check_done();
}
