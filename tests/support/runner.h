/* runner.h: runs a problem of the table and judges what came out.
 *
 * The rule for events: none may be lost or invented whose depth (how far past zero the guard goes,
 * or how far before zero it turns) exceeds ten times the run's own global error; shallower ones
 * must show as events or as near misses, never stay silent. The global error is measured: against a
 * run of the same problem at 1e-12, at times between the events, in the guard concerned.
 *
 * The rule for times: |t - t*| <= K tol + what the global error makes of it, K = 10/|dg/dt|. Where
 * the flow is straight every method is exact, and times must be right whatever the tolerance. */
#ifndef BRINK_TESTS_RUNNER_H
#define BRINK_TESTS_RUNNER_H

#include "problems/problems.h"

enum {
  RUN_EVENTS = 256,
  RUN_MISSES = 64,
  RUN_SLIDES = 16,
  RUN_SAMPLES = 128,
  RUN_MODES = 4,
  RUN_SIGNS = 16, /* the largest nguards */
};

typedef struct run_event {
  brink_event event;
  double before[PROBLEM_STATES], after[PROBLEM_STATES];
  int mode_before[RUN_MODES];
} run_event;

/* What a run did. Counts may exceed what the arrays keep. */
typedef struct run_result {
  brink_status status;
  brink_diag diag;
  double t, x[PROBLEM_STATES];
  brink_stats stats;
  long outside; /* calls of the right-hand side outside the domain, by its own count */
  size_t nevents, nmisses, nslides, nsteps, nsamples;
  run_event events[RUN_EVENTS];
  brink_near_miss misses[RUN_MISSES];
  brink_slide_record slides[RUN_SLIDES];
  double samples[RUN_SAMPLES][PROBLEM_STATES]; /* at the times of run_times */
} run_result;

typedef struct run_verdict {
  bool ok;
  bool undecided;    /* a shallow event went the other way; what follows was not compared */
  double worst_time; /* the largest error of an event's time, relative to what 1 unit of the guard
                        is worth there */
  char message[256]; /* what was wrong first */
} run_verdict;

/* Options as the tests use them: atol = rtol/1000, near misses within 1000 tolerances, auditing on.
 */
brink_options run_options(brink_method method, brink_events events, double rtol);

/* A number in [0, 1); the same sequence everywhere from the same state. */
double run_random(uint64_t *state);

/* Sample times between the expected events and near misses, and t_end; returns how many
 * (<= RUN_SAMPLES). */
size_t run_times(const problem *p, double *times);

/* Runs to p->t_end. `def` NULL means the problem's own model. result->status holds the outcome; a
 * model or sim that cannot be made shows there too. */
void run_problem(const problem *p, const brink_model_def *def, const brink_options *options,
                 run_result *result);

/* The same, and fills result->samples on the way. */
void run_sampled(const problem *p, const brink_options *options, run_result *result);

/* Judges a run made by run_sampled against the table; `reference` is one made at 1e-12. */
run_verdict run_judge(const problem *p, const brink_options *options, const run_result *run,
                      const run_result *reference);

#endif
