/* ladder.c: work against precision (see ladder.h). */
#include "support/ladder.h"

#include <math.h>

#define PASSES 3 /* up the whole ladder: what slows the machine for a second spoils one only */
#define MIN_ROUNDS 2
#define MAX_ROUNDS 400

static double rung_tolerance(int k) {
  return pow(10.0, -2.0 - 0.5 * k);
}

static void measure_errors(const bench_problem *problem, const bench_trace *reference,
                           const bool *wanted, int k, bench_ladder *ladders) {
  bench_trace trace;
  for (int s = 0; s < BENCH_SUBJECTS; s++) {
    if (!wanted[s]) continue;
    bench_rung *rung = &ladders[s].rungs[k];
    rung->tolerance = rung_tolerance(k);
    rung->run = bench_run_once(problem, (bench_subject)s, rung->tolerance, &trace);
    rung->error = rung->run.ok ? bench_error(problem, &trace, reference) : (double)INFINITY;
  }
}

/* Lowers the time of each subject at one rung to its best. */
static void measure_times(const bench_problem *problem, const bool *wanted, double budget, int k,
                          bench_ladder *ladders) {
  double spent = 0;
  int subjects = 0;
  for (int s = 0; s < BENCH_SUBJECTS; s++) subjects += wanted[s];
  for (int round = 0; round < MAX_ROUNDS; round++) {
    if (round >= MIN_ROUNDS && spent > budget * subjects) break;
    for (int s = 0; s < BENCH_SUBJECTS; s++) {
      bench_rung *rung = &ladders[s].rungs[k];
      if (!wanted[s] || !rung->run.ok) continue;
      double seconds = bench_run_once(problem, (bench_subject)s, rung->tolerance, NULL).seconds;
      spent += seconds;
      rung->run.seconds = fmin(rung->run.seconds, seconds);
    }
  }
}

void bench_ladder_measure(const bench_problem *problem, const bench_trace *reference,
                          const bool wanted[BENCH_SUBJECTS], double budget,
                          bench_ladder ladders[BENCH_SUBJECTS]) {
  for (int k = 0; k < BENCH_RUNGS; k++) measure_errors(problem, reference, wanted, k, ladders);
  for (int pass = 0; pass < PASSES; pass++) {
    for (int k = 0; k < BENCH_RUNGS; k++)
      measure_times(problem, wanted, budget / PASSES, k, ladders);
  }
}

/* Usable rungs, and their log10(error) made nonincreasing: neighbours in the wrong order are
 * replaced by their mean until there are none. */
static int monotone_errors(const bench_ladder *ladder, int *rung, double *fit) {
  double mean[BENCH_RUNGS], weight[BENCH_RUNGS];
  int blocks = 0, count = 0;
  for (int k = 0; k < BENCH_RUNGS; k++) {
    if (!isfinite(ladder->rungs[k].error)) continue;
    rung[count++] = k;
    mean[blocks] = log10(fmax(ladder->rungs[k].error, 1e-16));
    weight[blocks++] = 1;
    while (blocks > 1 && mean[blocks - 1] > mean[blocks - 2]) {
      double a = weight[blocks - 2], b = weight[blocks - 1];
      mean[blocks - 2] = (a * mean[blocks - 2] + b * mean[blocks - 1]) / (a + b);
      weight[blocks - 2] = a + b;
      blocks--;
    }
  }
  for (int block = 0, k = 0; block < blocks; block++) {
    for (int j = 0; j < (int)weight[block]; j++) fit[k++] = mean[block];
  }
  return count;
}

static double between(double a, double b, double share) {
  return exp((1 - share) * log(a) + share * log(b));
}

bench_work bench_ladder_at(const bench_ladder *ladder, double error) {
  int rung[BENCH_RUNGS];
  double fit[BENCH_RUNGS], goal = log10(error);
  int count = monotone_errors(ladder, rung, fit), k = 0;
  while (k < count && fit[k] > goal) k++;
  if (k == count) return (bench_work){.reached = false};
  int before = k > 0 ? k - 1 : 0;
  double share = k > 0 ? (fit[k - 1] - goal) / (fit[k - 1] - fit[k]) : 0;
  const bench_rung *a = &ladder->rungs[rung[before]], *b = &ladder->rungs[rung[k]];
  return (bench_work){
      .reached = true,
      .tolerance = between(a->tolerance, b->tolerance, share),
      .seconds = between(a->run.seconds, b->run.seconds, share),
      .rhs = between(a->run.rhs, b->run.rhs, share),
      .steps = between(a->run.steps, b->run.steps, share),
  };
}
