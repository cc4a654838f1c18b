/* peers.c: Brink beside CVODE, at equal achieved error.
 *
 *   peers [-v] [-b MILLISECONDS] [PROBLEM...]
 *
 * Same models, same object code of right-hand sides and guards, one process, turns taken. Ratios
 * are Brink/CVODE: below 1, Brink is faster. -v prints every rung of the ladders; -b is the time
 * spent on each rung and subject (default 10). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/ladder.h"
#include "support/suite.h"

static const double levels[] = {1e-4, 1e-6, 1e-8};
enum { LEVELS = sizeof levels / sizeof levels[0] };

/* Sums of logarithms, for geometric means. */
typedef struct mean {
  double sum;
  int count;
} mean;

typedef struct totals {
  mean time[BENCH_SUBJECTS], rhs[BENCH_SUBJECTS];
  mean nominal_time, nominal_rhs;
} totals;

static void add(mean *m, double ratio) {
  m->sum += log(ratio);
  m->count++;
}

static double value(const mean *m) {
  return exp(m->sum / m->count); /* NaN if there are none */
}

/* ---- the reference ---- */

/* Dopri at 1e-13, checked against what is known from elsewhere. */
static bool make_reference(const bench_problem *problem, bench_trace *reference) {
  bench_run run = bench_run_once(problem, BENCH_REFERENCE, 1e-13, reference);
  if (!run.ok) return false;
  if (isnan(problem->known_time)) return true;
  double off = problem->known_event < reference->nevents
                   ? fabs(reference->t[problem->known_event] - problem->known_time)
                   : (double)INFINITY;
  if (off <= 1e-9 * problem->time_scale) return true;
  fprintf(stderr, "%s: the reference misses the known event time by %g\n", problem->name, off);
  return false;
}

/* ---- tables ---- */

static void print_ladder(bench_subject subject, const bench_ladder *ladder) {
  for (int k = 0; k < BENCH_RUNGS; k++) {
    const bench_rung *rung = &ladder->rungs[k];
    printf("    %-11s tol %.1e  error %.1e  %9.2f us  rhs %7.0f  steps %7.0f  events %4.0f\n",
           bench_subject_name(subject), rung->tolerance, rung->error, 1e6 * rung->run.seconds,
           rung->run.rhs, rung->run.steps, rung->run.events);
  }
}

static void print_ratio(totals *sum, bench_subject subject, const bench_ladder *ladders,
                        double level, const bench_work *cvode) {
  bench_work work = bench_ladder_at(&ladders[subject], level);
  if (!work.reached) {
    printf("      -");
    return;
  }
  printf(" %6.2f", work.seconds / cvode->seconds);
  add(&sum->time[subject], work.seconds / cvode->seconds);
  add(&sum->rhs[subject], work.rhs / cvode->rhs);
}

static void print_level(totals *sum, const bench_problem *problem, const bench_ladder *ladders,
                        double level) {
  bench_work cvode = bench_ladder_at(&ladders[BENCH_CVODE], level);
  bench_work brink = bench_ladder_at(&ladders[BENCH_BILATERAL], level);
  printf("%-16s %5.0e ", problem->name, level);
  if (!cvode.reached || !brink.reached) {
    printf(" not reached by %s\n", cvode.reached ? "brink" : brink.reached ? "cvode" : "either");
    return;
  }
  printf(" %9.1f %9.1f |", 1e6 * brink.seconds, 1e6 * cvode.seconds);
  print_ratio(sum, BENCH_BILATERAL, ladders, level, &cvode);
  printf("  %6.2f | %6.0f %6.0f |", brink.rhs / cvode.rhs, brink.steps, cvode.steps);
  print_ratio(sum, BENCH_UNILATERAL, ladders, level, &cvode);
  print_ratio(sum, BENCH_INTERPOLATE, ladders, level, &cvode);
  printf("\n");
}

/* At the same nominal tolerance, whatever the errors. */
static void print_nominal(totals *sum, const bench_problem *problem, const bench_ladder *ladders,
                          double tolerance) {
  int k = (int)lround(2 * (-log10(tolerance) - 2));
  const bench_rung *brink = &ladders[BENCH_BILATERAL].rungs[k],
                   *cvode = &ladders[BENCH_CVODE].rungs[k];
  double time = brink->run.seconds / cvode->run.seconds, rhs = brink->run.rhs / cvode->run.rhs;
  printf("%-16s %5.0e  %9.1f %9.1f | %6.2f  %6.2f | %6.0f %6.0f | %7.1e %7.1e\n", problem->name,
         tolerance, 1e6 * brink->run.seconds, 1e6 * cvode->run.seconds, time, rhs, brink->run.steps,
         cvode->run.steps, brink->error, cvode->error);
  if (!brink->run.ok || !cvode->run.ok) return;
  add(&sum->nominal_time, time);
  add(&sum->nominal_rhs, rhs);
}

/* ---- all problems ---- */

typedef struct measured {
  const bench_problem *problem;
  bench_ladder ladders[BENCH_SUBJECTS];
  bool ok;
} measured;

static void measure(const bench_problem *problem, double budget, measured *out) {
  static bench_trace reference;
  bool differ = bench_has_unilateral(problem);
  const bool wanted[BENCH_SUBJECTS] = {[BENCH_CVODE] = true,
                                       [BENCH_BILATERAL] = true,
                                       [BENCH_UNILATERAL] = differ,
                                       [BENCH_INTERPOLATE] = differ};
  out->problem = problem;
  out->ok = make_reference(problem, &reference);
  if (!out->ok) return;
  bench_ladder_measure(problem, &reference, wanted, budget, out->ladders);
  if (differ) return;
  out->ladders[BENCH_UNILATERAL] = out->ladders[BENCH_BILATERAL];
  out->ladders[BENCH_INTERPOLATE] = out->ladders[BENCH_BILATERAL];
}

static void print_calibration(void) {
  double slowness = bench_cvode_slowness();
  printf("CVODE's vector operations take %.1f times as long as the same loop compiled here.\n",
         slowness);
  if (slowness > 2)
    printf(
        "This SUNDIALS was built without optimisation; bench/build-sundials makes a fair one.\n");
}

/* The first runs of a process are slow: caches, page tables, the clock of the processor. */
static void warm_up(const bench_problem *problem) {
  double start = bench_now();
  while (bench_now() - start < 0.3) bench_run_once(problem, BENCH_BILATERAL, 1e-6, NULL);
}

static void print_equal_error(const measured *all, size_t count, totals *sum) {
  printf(
      "\nAt equal achieved error. Ratios are Brink/CVODE. bi: all guards bilateral, as CVODE's;\n"
      "uni: contacts unilateral, as a user declares them; inter: the same, interpolated.\n\n"
      "%-16s error   brink us  cvode us | time bi  rhs bi |  steps  cvode |    uni  inter\n",
      "problem");
  for (size_t k = 0; k < count; k++) {
    for (int l = 0; all[k].ok && l < LEVELS; l++)
      print_level(sum, all[k].problem, all[k].ladders, levels[l]);
  }
  printf("geometric mean, %3d rows%19s| %6.2f  %6.2f | %14s| %6.2f %6.2f\n",
         sum->time[BENCH_BILATERAL].count, "", value(&sum->time[BENCH_BILATERAL]),
         value(&sum->rhs[BENCH_BILATERAL]), "", value(&sum->time[BENCH_UNILATERAL]),
         value(&sum->time[BENCH_INTERPOLATE]));
}

static void print_equal_tolerance(const measured *all, size_t count, totals *sum) {
  printf("\nAt equal nominal tolerance (rtol = atol), bilateral guards.\n\n"
         "%-16s tol     brink us  cvode us |   time     rhs |  steps  cvode | errors\n",
         "problem");
  for (size_t k = 0; k < count; k++) {
    if (!all[k].ok) continue;
    print_nominal(sum, all[k].problem, all[k].ladders, 1e-4);
    print_nominal(sum, all[k].problem, all[k].ladders, 1e-8);
  }
  printf("geometric mean, %3d rows%19s| %6.2f  %6.2f |\n", sum->nominal_time.count, "",
         value(&sum->nominal_time), value(&sum->nominal_rhs));
}

static void print_ladders(const measured *all, size_t count) {
  for (size_t k = 0; k < count; k++) {
    printf("\n%s\n", all[k].problem->name);
    if (!all[k].ok) continue;
    print_ladder(BENCH_CVODE, &all[k].ladders[BENCH_CVODE]);
    print_ladder(BENCH_BILATERAL, &all[k].ladders[BENCH_BILATERAL]);
    if (!bench_has_unilateral(all[k].problem)) continue;
    print_ladder(BENCH_UNILATERAL, &all[k].ladders[BENCH_UNILATERAL]);
    print_ladder(BENCH_INTERPOLATE, &all[k].ladders[BENCH_INTERPOLATE]);
  }
}

int main(int argc, char **argv) {
  static bench_suite suite;
  static measured all[BENCH_PROBLEMS];
  static totals sum;
  bench_suite_make(&suite);
  bool verbose = false;
  double budget = 10e-3;
  size_t count = 0;
  for (int k = 1; k < argc; k++) {
    if (strcmp(argv[k], "-v") == 0) {
      verbose = true;
    } else if (strcmp(argv[k], "-b") == 0 && k + 1 < argc) {
      budget = 1e-3 * atof(argv[++k]);
    } else {
      const bench_problem *problem = bench_suite_find(&suite, argv[k]);
      if (problem == NULL) fprintf(stderr, "peers: no problem '%s'\n", argv[k]);
      if (problem == NULL || count == BENCH_PROBLEMS) return 2;
      all[count++].problem = problem;
    }
  }
  if (count == 0) {
    for (; count < BENCH_PROBLEMS; count++) all[count].problem = suite.problems[count];
  }
  print_calibration();
  warm_up(all[0].problem);
  bool ok = true;
  for (size_t k = 0; k < count; k++) {
    measure(all[k].problem, budget, &all[k]);
    ok = ok && all[k].ok;
  }
  if (verbose) print_ladders(all, count);
  print_equal_error(all, count, &sum);
  print_equal_tolerance(all, count, &sum);
  return ok ? 0 : 1;
}
