/* front_door.c: what a short run of a model costs from C, call by call the run that Python makes (bench/python/overhead.py
 * compares): with the values of the last run, and with another value of a knob each time.
 *
 *   front_door [MODEL.hsml UNTIL KNOB LO HI [RUNS]]
 *
 * Prints the microseconds of the fastest run, which is the one that nobody disturbed: "same 41.2" and "knob 97.3". */
#include <brink/record.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fail(const brink_diag *diag) {
  fprintf(stderr, "front_door: %s\n", diag->message);
  exit(1);
}

static size_t run_once(brink_hsml *model, brink_run_options *options) {
  brink_diag diag;
  brink_run *run;
  brink_trajectory trajectory;
  if (brink_run_create(model, options, NULL, &diag, &run) != BRINK_OK) fail(&diag);
  if (brink_run_keep_trajectory(run, &diag) != BRINK_OK) fail(&diag);
  if (brink_run_to(run, options->until, &diag) < 0) fail(&diag);
  if (brink_run_finish(run, &diag) != BRINK_OK) fail(&diag);
  if (brink_run_trajectory(run, &trajectory, &diag) != BRINK_OK) fail(&diag);
  size_t rows = trajectory.rows;
  brink_run_destroy(run);
  return rows;
}

static void fill_options(brink_hsml *model, double until, brink_run_options *options) {
  brink_diag diag;
  if (brink_hsml_options(model, options, &diag) != BRINK_OK) fail(&diag);
  options->writable = BRINK_WRITE_STATES;
  options->native = true; /* nothing is measured before it is there */
  options->until = until;
}

/* Microseconds of the fastest run. `knob` NULL: nothing changes from run to run. */
static double measure(brink_hsml *model, double until, const char *knob, double lo, double hi,
                      int runs) {
  brink_diag diag;
  brink_run_options options;
  double best = 1e300;
  fill_options(model, until, &options);
  for (int k = 0; k < runs; k++) {
    double start = seconds();
    if (knob != NULL) {
      brink_hsml_unset(model);
      if (brink_hsml_set(model, knob, lo + (hi - lo) * k / runs, &diag) != BRINK_OK) fail(&diag);
      fill_options(model, until, &options);
    }
    if (run_once(model, &options) == 0) return 0.0;
    double took = seconds() - start;
    if (took < best) best = took;
  }
  return 1e6 * best;
}

int main(int argc, char **argv) {
  brink_diag diag;
  brink_hsml *model;
  char *usual[] = {argv[0], "models/bouncing-ball/model.hsml", "1", "ball.e", "0.5", "0.9"};
  char **given = argc > 5 ? argv : usual;
  if (brink_hsml_load_file(given[1], &diag, &model) != BRINK_OK) fail(&diag);
  double until = strtod(given[2], NULL), lo = strtod(given[4], NULL), hi = strtod(given[5], NULL);
  int runs = argc > 6 ? atoi(argv[6]) : 3000;
  measure(model, until, NULL, 0.0, 0.0, 20); /* compiled, and warm */
  printf("same %.2f\n", measure(model, until, NULL, 0.0, 0.0, runs));
  printf("knob %.2f\n", measure(model, until, given[3], lo, hi, runs));
  brink_hsml_destroy(model);
  return 0;
}
