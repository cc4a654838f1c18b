/* repeat.c: one problem over and over, for perf and callgrind.
 *
 *   repeat PROBLEM SUBJECT TOLERANCE COUNT
 *
 * SUBJECT: cvode, bilateral, unilateral, interpolate, reference (see support/run.h). Prints the
 * best time and the counts of a run. Without arguments: the names of the problems. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/run.h"
#include "support/suite.h"

static int find_subject(const char *name) {
  for (int s = 0; s < BENCH_SUBJECTS; s++) {
    if (strcmp(bench_subject_name((bench_subject)s), name) == 0) return s;
  }
  return -1;
}

int main(int argc, char **argv) {
  static bench_suite suite;
  bench_suite_make(&suite);
  if (argc == 1) {
    printf("repeat PROBLEM SUBJECT TOLERANCE COUNT; problems:\n");
    for (size_t k = 0; k < BENCH_PROBLEMS; k++) printf("  %s\n", suite.problems[k]->name);
    return 0;
  }
  const bench_problem *problem = bench_suite_find(&suite, argv[1]);
  int subject = argc == 5 ? find_subject(argv[2]) : -1;
  if (problem == NULL || subject < 0) {
    fprintf(stderr, "usage: repeat PROBLEM SUBJECT TOLERANCE COUNT\n");
    return 2;
  }
  double tolerance = atof(argv[3]), best = INFINITY;
  long count = atol(argv[4]);
  bench_run run = {.ok = true};
  for (long k = 0; k < count && run.ok; k++) {
    run = bench_run_once(problem, (bench_subject)subject, tolerance, NULL);
    best = fmin(best, run.seconds);
  }
  printf("%s, %s, %.1e: best %.2f us; steps %.0f, rhs %.0f, guards %.0f, events %.0f\n",
         problem->name, argv[2], tolerance, 1e6 * best, run.steps, run.rhs, run.guards, run.events);
  return run.ok ? 0 : 1;
}
