/* ladder.h: work against precision, and comparison at equal achieved error.
 *
 * A tolerance means something else to every integrator, so runs are compared by the error they
 * achieved. Each subject climbs a ladder of tolerances; at every rung its error, time and counts
 * are measured. Errors scatter (a lucky run is not a better method), so log(error) is first made
 * monotone in the tolerance by least squares (pool adjacent violators); the work at a given error
 * is then read off by interpolation between rungs. */
#ifndef BRINK_BENCH_LADDER_H
#define BRINK_BENCH_LADDER_H

#include "support/run.h"

#define BENCH_RUNGS 23 /* 1e-2, 10^-2.5, …, 1e-13 */

typedef struct bench_rung {
  double tolerance;
  double error;  /* INFINITY: events lost, or the run failed; such a rung is left out */
  bench_run run; /* seconds: the best of all repetitions */
} bench_rung;

typedef struct bench_ladder {
  bench_rung rungs[BENCH_RUNGS];
} bench_ladder;

/* The work that a subject needs for an error. */
typedef struct bench_work {
  bool reached;
  double tolerance, seconds, rhs, steps;
} bench_work;

/* Measures all subjects that `wanted` names, taking turns (A, B, A, B, …) so that whatever else the
 * machine does hits all alike. `budget`: seconds for each subject and rung. */
void bench_ladder_measure(const bench_problem *problem, const bench_trace *reference,
                          const bool wanted[BENCH_SUBJECTS], double budget,
                          bench_ladder ladders[BENCH_SUBJECTS]);

/* A subject that is more accurate even at the loosest tolerance needs what that takes; one that
 * never gets there has not reached it. */
bench_work bench_ladder_at(const bench_ladder *ladder, double error);

#endif
