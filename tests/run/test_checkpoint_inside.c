/* A step may be longer than the time from one checkpoint to the next: a polynomial is one step of a series. Checkpoints
 * inside it come on time, and who is killed there and resumed leaves the same behind as a run that was never stopped. */
#include <brink/record.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "support/formats.h"

/* One step to the end. */
static const char throw[] = "ctc Throw is\n"
                            "  body\n"
                            "    declarations\n"
                            "      state(y, real);\n"
                            "      state(v, real);\n"
                            "      flag(low);\n"
                            "      flag(high);\n"
                            "    end declarations;\n"
                            "    initial\n"
                            "      y := 0.0;\n"
                            "      v := 500.0;\n"
                            "    end initial;\n"
                            "    dynamics\n"
                            "      y' = v;\n"
                            "      v' = -1.0;\n"
                            "      low = y - 9000.0;\n"
                            "      high = y - 90000.0;\n"
                            "    end dynamics;\n"
                            "  end body;\n"
                            "end Throw;\n"
                            "system Thrown is\n"
                            "  body\n"
                            "    components\n"
                            "      stone : Throw;\n"
                            "    end components;\n"
                            "    simulation\n"
                            "      until : 1000.0;\n"
                            "    end simulation;\n"
                            "  end body;\n"
                            "end Thrown;\n";

typedef struct scene {
  const char *model; /* its text, or its path below the sources */
  const char *ending;
  double every; /* rows */
  double checkpoints;
} scene;

static char folder[512];

static const char *in_folder(const char *name, const char *ending, char *room, size_t size) {
  snprintf(room, size, "%s/%s%s", folder, name, ending);
  return room;
}

static brink_hsml *load(const scene *s) {
  char path[1024];
  brink_hsml *model = NULL;
  brink_diag diag = {0};
  snprintf(path, sizeof path, BRINK_SOURCE_DIR "/%s", s->model);
  brink_status status = s->model == throw ? brink_hsml_load_text(throw, &diag, &model)
                                          : brink_hsml_load_file(path, &diag, &model);
  CHECK_MSG(status == BRINK_OK, "%s", diag.message);
  return model;
}

/* A run that records; `model` must outlive it. */
static brink_run *make(brink_hsml *model, const scene *s, const char *name) {
  char path[1024];
  brink_run *run = NULL;
  brink_run_options options;
  CHECK(brink_hsml_options(model, &options, NULL) == BRINK_OK);
  options.interpret = true;
  options.threads = 1;
  options.every = s->every;
  options.sim.method = BRINK_TAYLOR;
  CHECK(brink_run_create(model, &options, NULL, NULL, &run) == BRINK_OK);
  CHECK(brink_run_record(run, in_folder(name, s->ending, path, sizeof path), NULL) == BRINK_OK);
  CHECK(brink_run_prepare_summary(run, NULL) == BRINK_OK);
  return run;
}

/* To the end; the summary, without what depends on the machine. */
static char *finish(brink_run *run, double until) {
  brink_bytes summary = {0};
  brink_diag diag;
  CHECK_INT(brink_run_to(run, until, &diag), BRINK_TIME_REACHED);
  CHECK(brink_run_finish(run, NULL) == BRINK_OK);
  CHECK(brink_run_summary(run, &summary, NULL) == BRINK_OK);
  char *cut = strstr(summary.data, "\"engine\":");
  if (cut != NULL) *cut = '\0';
  return summary.data;
}

/* Killed where the result file gets larger than this. */
static void kill_at_size(brink_hsml *model, const scene *s, double until, const char *checkpoint,
                         off_t size) {
  pid_t child = fork();
  if (child == 0) {
    struct rlimit most = {(rlim_t)size, (rlim_t)size}, none = {0, 0};
    brink_run *run = make(model, s, "cut");
    signal(SIGXFSZ, SIG_DFL);
    if (setrlimit(RLIMIT_FSIZE, &most) == 0 && setrlimit(RLIMIT_CORE, &none) == 0 &&
        brink_run_checkpoint(run, checkpoint, s->checkpoints, NULL) == BRINK_OK)
      brink_run_to(run, until, NULL);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
  CHECK_MSG(access(checkpoint, F_OK) == 0, "%s, %lld bytes: no checkpoint", s->ending,
            (long long)size);
}

static void check_files(const scene *s) {
  char path[1024];
  size_t a, b;
  char *whole = read_whole_file(in_folder("whole", s->ending, path, sizeof path), &a);
  char *cut = read_whole_file(in_folder("cut", s->ending, path, sizeof path), &b);
  CHECK(whole != NULL && cut != NULL && a == b && memcmp(whole, cut, a) == 0);
  free(whole);
  free(cut);
}

static void check_kill(brink_hsml *model, const scene *s, const char *expected, double until,
                       off_t size) {
  char checkpoint[1024];
  brink_diag diag = {0};
  in_folder("run", ".ck", checkpoint, sizeof checkpoint);
  kill_at_size(model, s, until, checkpoint, size);
  brink_run *run = make(model, s, "cut");
  CHECK(brink_run_checkpoint(run, checkpoint, 0.0, NULL) == BRINK_OK);
  CHECK_MSG(brink_run_resume(run, checkpoint, &diag) == BRINK_OK, "%s", diag.message);
  CHECK(brink_run_time(run) < until);
  char *found = finish(run, until);
  CHECK(strcmp(found, expected) == 0);
  check_files(s);
  free(found);
  brink_run_destroy(run);
  unlink(checkpoint);
}

static void check_scene(const scene *s) {
  char path[1024];
  struct stat file = {0};
  brink_hsml *model = load(s);
  brink_run_options options;
  CHECK(brink_hsml_options(model, &options, NULL) == BRINK_OK);
  brink_run *alone = make(model, s, "whole");
  char *expected = finish(alone, options.until);
  CHECK(stat(in_folder("whole", s->ending, path, sizeof path), &file) == 0);
  for (int k = 1; k < 4; k++)
    check_kill(model, s, expected, options.until, (off_t)k * file.st_size / 4);
  free(expected);
  brink_run_destroy(alone);
  brink_hsml_destroy(model);
}

/* MAT files grow by whole megabytes. */
TEST(a_run_that_is_one_step_is_saved_inside_it) {
  check_scene(&(scene){throw, ".csv", .every = 0.02, .checkpoints = 110.0});
  check_scene(&(scene){throw, ".mat", .every = 0.002, .checkpoints = 40.0});
}

TEST(agents_that_have_no_turns_for_long_are_saved_between_them) {
  check_scene(
      &(scene){"models/three-agents/model.hsml", ".csv", .every = 5e-4, .checkpoints = 1.1});
  check_scene(
      &(scene){"models/three-agents/model.hsml", ".mat", .every = 1e-4, .checkpoints = 0.4});
}

/* The end of a run is a checkpoint like others: resumed there, it has nothing to do, and says the same. */
TEST(a_run_that_was_finished_can_be_resumed) {
  static const char *const endings[] = {".csv", ".mat", ".h5"};
  for (size_t k = 0; k < 6; k++) {
    scene s = {k < 3 ? throw : "models/three-agents/model.hsml", endings[k % 3], .every = 0.5};
    char checkpoint[1024];
    brink_hsml *model = load(&s);
    brink_run_options options;
    brink_diag diag;
    CHECK(brink_hsml_options(model, &options, NULL) == BRINK_OK);
    brink_run *run = make(model, &s, "whole"), *again = make(model, &s, "whole");
    in_folder("run", ".ck", checkpoint, sizeof checkpoint);
    CHECK(brink_run_checkpoint(run, checkpoint, options.until, NULL) == BRINK_OK);
    char *expected = finish(run, options.until);
    CHECK_MSG(brink_run_resume(again, checkpoint, &diag) == BRINK_OK, "%s", diag.message);
    CHECK_INT(brink_run_time(again), options.until);
    char *found = finish(again, options.until);
    CHECK(strcmp(found, expected) == 0);
    free(expected);
    free(found);
    brink_run_destroy(run);
    brink_run_destroy(again);
    unlink(checkpoint);
    brink_hsml_destroy(model);
  }
}

int main(void) {
  if (!make_temporary_folder(folder, sizeof folder)) return 1;
  RUN(a_run_that_is_one_step_is_saved_inside_it);
  RUN(agents_that_have_no_turns_for_long_are_saved_between_them);
  RUN(a_run_that_was_finished_can_be_resumed);
  char command[1024];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) return 1;
  return check_done();
}
