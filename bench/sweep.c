/* sweep.c: what a run of a sweep costs beyond its simulation, and what a second job saves.
 *
 *   sweep [MODEL.hsml UNTIL KNOB LO HI [RUNS]]
 *
 * Prints microseconds a run: of the sweep with one job, with two, and of the simulation itself (the same run, reset and moved
 * to its end again). Each is the best of five. By the clock, and by the processor: where others use the machine, too, the latter
 * says what a run costs, and whether two jobs get in each other's way (then they cost more than one). Two jobs that
 * cost no more than one are twice as fast on two idle cores. */
#include <brink/sweep.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5 };

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fail(const brink_diag *diag) {
  fprintf(stderr, "sweep: %s\n", diag->message);
  exit(1);
}

typedef struct question {
  const char *path, *until;
  char vary[256];
  uint64_t runs;
} question;

/* By the clock, and by the processor. */
typedef struct cost {
  double wall, processor;
} cost;

static cost sweep_once(const question *q, size_t jobs) {
  brink_diag diag;
  brink_sweep *sweep;
  brink_hsml_def model = brink_default_hsml();
  brink_sweep_def def = brink_default_sweep();
  brink_sweep_option until = {"until", q->until};
  const char *vary[] = {q->vary};
  model.path = q->path;
  def.model = &model;
  def.options = &until;
  def.noptions = 1;
  def.vary = vary;
  def.nvary = 1;
  def.samples = q->runs;
  def.jobs = jobs;
  if (brink_sweep_create(&def, &diag, &sweep) != BRINK_OK) fail(&diag);
  double wall = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
  if (brink_sweep_run(sweep, &diag) != BRINK_OK) fail(&diag);
  cost took = {.wall = 1e6 * (seconds(CLOCK_MONOTONIC) - wall) / (double)q->runs,
               .processor =
                   1e6 * (seconds(CLOCK_PROCESS_CPUTIME_ID) - processor) / (double)q->runs};
  brink_sweep_destroy(sweep);
  return took;
}

static cost best_sweep(const question *q, size_t jobs) {
  cost best = sweep_once(q, jobs);
  for (int k = 1; k < ROUNDS; k++) {
    cost took = sweep_once(q, jobs);
    if (took.wall < best.wall) best.wall = took.wall;
    if (took.processor < best.processor) best.processor = took.processor;
  }
  return best;
}

/* The run with the model's own value, again and again. */
static double best_simulation(const question *q) {
  brink_diag diag;
  brink_hsml *model;
  brink_run *run;
  brink_run_options options;
  double best = 1e300;
  if (brink_hsml_load_file(q->path, &diag, &model) != BRINK_OK) fail(&diag);
  if (brink_hsml_options(model, &options, &diag) != BRINK_OK) fail(&diag);
  options.writable = BRINK_WRITE_STATES;
  options.native = true; /* as runs of sweeps have it */
  options.until = strtod(q->until, NULL);
  if (brink_run_create(model, &options, NULL, &diag, &run) != BRINK_OK) fail(&diag);
  for (int k = 0; k < 2000; k++) {
    if (brink_run_reset(run, &diag) != BRINK_OK) fail(&diag);
    double start = seconds(CLOCK_MONOTONIC);
    if (brink_run_to(run, options.until, &diag) < 0) fail(&diag);
    double took = seconds(CLOCK_MONOTONIC) - start;
    if (took < best) best = took;
  }
  brink_run_destroy(run);
  brink_hsml_destroy(model);
  return 1e6 * best;
}

int main(int argc, char **argv) {
  char *usual[] = {argv[0], "models/bouncing-ball/model.hsml", "1", "ball.e", "0.5", "0.9"};
  char **given = argc > 5 ? argv : usual;
  question q = {.path = given[1], .until = given[2]};
  q.runs = argc > 6 ? strtoull(argv[6], NULL, 10) : 10000;
  snprintf(q.vary, sizeof q.vary, "%s=%s:%s", given[3], given[4], given[5]);
  sweep_once(&q, 1); /* compiled, and warm */
  double alone = best_simulation(&q);
  cost one = best_sweep(&q, 1), two = best_sweep(&q, 2);
  printf("microseconds a run          clock  processor\n");
  printf("simulation               %8.2f\n", alone);
  printf("one job                  %8.2f   %8.2f\n", one.wall, one.processor);
  printf("  beyond the simulation  %8.2f   %8.2f\n", one.wall - alone, one.processor - alone);
  printf("two jobs                 %8.2f   %8.2f\n", two.wall, two.processor);
  printf("  times as fast          %8.2f   %8.2f  (on two idle cores)\n", one.wall / two.wall,
         2.0 * one.processor / two.processor);
  return 0;
}
