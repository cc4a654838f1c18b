/* speed.c: Brink beside CVODE: times, steps and achieved errors of one table of problems.
 *
 *   speed [-b MILLISECONDS] [PROBLEM...]             the table
 *   speed [-b MILLISECONDS] curves [PROBLEM...]      work and precision at tolerances 1e-3 to 1e-13, as CSV
 *
 * rtol = atol, one process, turns taken; the best round of each counts, in seconds of the processor. Brink's models are
 * HSML, compiled to machine code; CVODE calls functions written by hand. Making and compiling are not timed. -b is what is
 * spent on each row and solver (default 60). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/crowd.h"
#include "support/run.h"
#include "support/speed_problems.h"

enum { TAYLOR, ADAMS, AUTO, CVODE, SOLVERS };
static const char *const solver_names[SOLVERS] = {"taylor", "adams", "auto", "cvode"};

typedef struct entry {
  const char *label, *problem; /* "cars": support/crowd.h */
  size_t n;
  bool drawn; /* has a curve */
} entry;

static const entry entries[] = {
    {"corridor", "corridor", 0, false},
    {"arm", "arm", 0, false},
    {"relay", "relay", 0, false},
    {"garcia-linear", "garcia-linear", 0, true},
    {"henon", "henon", 0, true},
    {"henon-section", "henon-section", 0, true},
    {"kepler", "kepler", 0, false},
    {"kepler-apsides", "kepler-apsides", 0, true},
    {"lorenz", "lorenz", 0, false},
    {"lorenz-section", "lorenz-section", 0, true},
    {"solar-apsides", "solar-apsides", 0, true},
    {"ring-100", "ring", 100, true},
    {"ring-10000", "ring", 10000, false},
    {"ring-100000", "ring", 100000, false},
    {"lines-10", "lines", 10, true},
    {"lines-100", "lines", 100, false},
    {"lines-1000", "lines", 1000, false},
    {"cars-20", "cars", 20, false},
    {"cars-50", "cars", 50, false},
    {"cars-100", "cars", 100, false},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

typedef struct result {
  bool there;
  double seconds, steps, error;
  size_t lost; /* events that were missed or invented; runs that failed */
  char method;
} result;

typedef struct row {
  const entry *entry;
  double tolerance;
  result of[SOLVERS];
} row;

/* CVODE refuses tolerances this close to rounding. */
static bool can_do(int solver, double tolerance) {
  return solver != CVODE || tolerance > 1e-14;
}

/* ---- systems ---- */

enum { MIN_ROUNDS = 3, IN_A_ROW = 20 };
#define ENOUGH 10.0 /* seconds on a row */

static taylor_solver *open_solver(const taylor_problem *problem, int solver,
                                  const taylor_setup *setup) {
  return solver == CVODE ? taylor_open_cvode(problem, setup)
                         : taylor_open_brink(problem, solver_names[solver], setup);
}

static result judge(taylor_solver *solver) {
  result found = {.there = true, .seconds = INFINITY};
  const taylor_problem *problem = solver->problem;
  taylor_answer answer = {0};
  for (size_t k = 0; k < problem->ncases; k++) {
    solver->run(solver, k);
    solver->answer(solver, &answer);
    bool right = taylor_is_right(problem, &problem->cases[k], &answer);
    if (!right && problem->exact == NULL) found.lost++;
    if (right || problem->exact != NULL)
      found.error = fmax(found.error, taylor_error(problem, &problem->cases[k], &answer));
  }
  found.method = answer.method[0];
  return found;
}

/* NaN: a run fails. */
static double count_steps(taylor_solver *solver) {
  taylor_answer answer;
  double sum = 0.0;
  for (size_t k = 0; k < solver->problem->ncases; k++) {
    if (!solver->run(solver, k)) return NAN;
    solver->answer(solver, &answer);
    sum += (double)answer.steps;
  }
  return sum / (double)solver->problem->ncases;
}

/* Cases with an instance each are run several times in a row, or Brink alone would have its memory cold. */
static double time_once(taylor_solver *solver) {
  int times = solver->problem->nparameters > 0 ? IN_A_ROW : 1;
  double start = crowd_clock(1);
  for (size_t k = 0; k < solver->problem->ncases; k++) {
    for (int j = 0; j < times; j++) solver->run(solver, k);
  }
  return (crowd_clock(1) - start) / ((double)solver->problem->ncases * times);
}

static void time_row(row *r, taylor_solver *const *solvers, double budget) {
  double start = crowd_clock(1), spent = 0.0;
  for (int round = 0; spent < ENOUGH && (round < MIN_ROUNDS || spent < budget * SOLVERS); round++) {
    for (int k = 0; k < SOLVERS; k++)
      if (solvers[k] != NULL) r->of[k].seconds = fmin(r->of[k].seconds, time_once(solvers[k]));
    spent = crowd_clock(1) - start;
  }
}

static bool measure_system(row *r, double budget, const char *cache) {
  static speed_problem made;
  taylor_setup setup = {.tolerance = r->tolerance, .cache = cache};
  taylor_solver *solvers[SOLVERS] = {NULL};
  bool fine = speed_make(r->entry->problem, r->entry->n, &made);
  for (int k = 0; fine && k < SOLVERS; k++) {
    if (!can_do(k, r->tolerance)) continue;
    solvers[k] = open_solver(&made.problem, k, &setup);
    fine = solvers[k] != NULL;
    if (!fine) break;
    made.problem.t_end = made.judged;
    r->of[k] = judge(solvers[k]);
    made.problem.t_end = made.t_end;
    r->of[k].steps = count_steps(solvers[k]);
    r->of[k].there = !isnan(r->of[k].steps);
    if (r->of[k].there) continue;
    solvers[k]->close(solvers[k]);
    solvers[k] = NULL;
  }
  if (fine) time_row(r, solvers, budget);
  for (int k = 0; k < SOLVERS; k++)
    if (solvers[k] != NULL) solvers[k]->close(solvers[k]);
  speed_free(&made);
  return fine;
}

/* ---- bumper cars, as agents ---- */

#define SPAN 100.0
#define JUDGED 5.0 /* chaotic: hits up to here are compared with the exact ones … */
#define SLACK 0.05 /* … but for those at the edge */

static crowd_answer run_cars(const crowd_scene *scene, int solver, double tolerance, double log) {
  crowd_ask ask = {.t_end = SPAN,
                   .tolerance = tolerance,
                   .log_until = log,
                   .method = solver_names[solver],
                   .threads = 1};
  return solver == CVODE ? crowd_run_cvode(scene, &ask) : crowd_run_engine(scene, &ask);
}

static void judge_cars(const crowd_scene *scene, const crowd_answer *exact, double tolerance,
                       int solver, result *found) {
  crowd_answer answer = run_cars(scene, solver, tolerance, JUDGED + 1.0);
  crowd_difference off = crowd_compare(&answer, exact, JUDGED, SLACK);
  *found = (result){.there = answer.ok,
                    .seconds = INFINITY,
                    .steps = answer.steps,
                    .error = off.worst,
                    .lost = off.missed + off.invented,
                    .method = '?'};
  crowd_answer_free(&answer);
}

static bool measure_cars(row *r) {
  crowd_scene scene;
  if (!crowd_make_cars(&scene, r->entry->n, 1)) return false;
  crowd_ask ask = {.t_end = JUDGED + 1.0, .log_until = JUDGED + 1.0, .method = "taylor"};
  crowd_answer exact = crowd_run_exact(&scene, &ask);
  for (int k = 0; k < SOLVERS; k++)
    if (can_do(k, r->tolerance)) judge_cars(&scene, &exact, r->tolerance, k, &r->of[k]);
  for (int round = 0; round < MIN_ROUNDS; round++) {
    for (int k = 0; k < SOLVERS; k++) {
      if (!r->of[k].there) continue;
      crowd_answer answer = run_cars(&scene, k, r->tolerance, 0.0);
      r->of[k].seconds = fmin(r->of[k].seconds, answer.seconds);
      crowd_answer_free(&answer);
    }
  }
  bool fine = exact.ok;
  crowd_answer_free(&exact);
  crowd_free(&scene);
  return fine;
}

static bool measure(row *r, double budget, const char *cache) {
  return strcmp(r->entry->problem, "cars") == 0 ? measure_cars(r)
                                                : measure_system(r, budget, cache);
}

/* ---- the table ---- */

typedef struct mean {
  double sum;
  int count;
} mean;

static void print_head(void) {
  static const char *const groups[] = {"microseconds", "steps"};
  double slowness = bench_cvode_slowness();
  if (slowness > 2)
    printf("This SUNDIALS is %.1f times as slow as it would be with optimisation: "
           "bench/build-sundials makes a fair one.\n",
           slowness);
  printf("Ratios are to CVODE's time; CVODE refuses 1e-15, and fails at some loose tolerances (-). "
         "Errors: of states where an exact or far "
         "tighter result is\nknown, else of the event's time; -n: n events or results lost. auto: "
         "t taylor, a adams.\n\n%-14s %5s |",
         "problem", "tol");
  printf(" %-20s |", "ratio");
  for (int g = 0; g < 2; g++) printf(" %-39s |", groups[g]);
  printf(" error\n%20s |", "");
  for (int k = 0; k < CVODE; k++) printf(" %6s", solver_names[k]);
  printf(" |");
  for (int g = 0; g < 2; g++) {
    for (int k = 0; k < SOLVERS; k++) printf(" %9s", solver_names[k]);
    printf(" |");
  }
  for (int k = 0; k < SOLVERS; k++) printf(" %12s", solver_names[k]);
  printf("\n");
}

static void print_ratios(const row *r, mean *means) {
  for (int k = 0; k < CVODE; k++) {
    double ratio = r->of[k].seconds / r->of[CVODE].seconds;
    if (!r->of[k].there || !r->of[CVODE].there) {
      printf(" %6s", "-");
      continue;
    }
    printf(" %6.2f", ratio);
    means[k].sum += log(ratio);
    means[k].count++;
  }
}

static void print_row(const row *r, mean *means) {
  printf("%-14s %5.0e |", r->entry->label, r->tolerance);
  print_ratios(r, means);
  printf(" |");
  for (int k = 0; k < SOLVERS; k++)
    r->of[k].there ? printf(" %9.2f", 1e6 * r->of[k].seconds) : printf(" %9s", "-");
  printf(" |");
  for (int k = 0; k < SOLVERS; k++)
    r->of[k].there ? printf(" %9.0f", r->of[k].steps) : printf(" %9s", "-");
  printf(" |");
  for (int k = 0; k < SOLVERS; k++) {
    char lost[24] = "";
    if (r->of[k].lost > 0) snprintf(lost, sizeof lost, "-%zu", r->of[k].lost);
    r->of[k].there ? printf(" %7.1e %-4s", r->of[k].error, lost) : printf(" %12s", "-");
  }
  printf(" %c\n", r->of[AUTO].there ? r->of[AUTO].method : '-');
  fflush(stdout);
}

static bool is_named(const entry *e, int count, char **names) {
  for (int k = 0; k < count; k++)
    if (strcmp(names[k], e->label) == 0) return true;
  return count == 0;
}

static bool print_table(int count, char **names, double budget, const char *cache) {
  static const double tolerances[] = {1e-4, 1e-9, 1e-15};
  bool fine = true;
  print_head();
  for (int j = 0; j < 3; j++) {
    mean means[SOLVERS] = {{0}};
    for (size_t k = 0; k < ENTRIES; k++) {
      row r = {.entry = &entries[k], .tolerance = tolerances[j]};
      if (!is_named(r.entry, count, names)) continue;
      bool measured = measure(&r, budget, cache);
      if (measured) print_row(&r, means);
      fine = fine && measured;
    }
    if (means[TAYLOR].count == 0) continue;
    printf("geometric mean %4s |", "");
    for (int k = 0; k < CVODE; k++) printf(" %6.2f", exp(means[k].sum / means[k].count));
    printf(" | of %d rows at %.0e\n", means[TAYLOR].count, tolerances[j]);
  }
  return fine;
}

/* ---- curves ---- */

static bool print_curves(int count, char **names, double budget, const char *cache) {
  bool fine = true;
  printf("problem,solver,tolerance,microseconds,error,lost\n");
  for (size_t k = 0; k < ENTRIES; k++) {
    if (!is_named(&entries[k], count, names) || (count == 0 && !entries[k].drawn)) continue;
    for (int power = 3; power <= 13; power++) {
      row r = {.entry = &entries[k], .tolerance = pow(10.0, -power)};
      bool measured = measure(&r, budget, cache);
      fine = fine && measured;
      for (int s = 0; measured && s < SOLVERS; s++)
        if (r.of[s].there)
          printf("%s,%s,1e-%d,%.3f,%.3e,%zu\n", r.entry->label, solver_names[s], power,
                 1e6 * r.of[s].seconds, r.of[s].error, r.of[s].lost);
      fflush(stdout);
    }
  }
  return fine;
}

int main(int argc, char **argv) {
  char cache[] = "/tmp/brink-bench-XXXXXX", command[64];
  double budget = 0.06;
  argc--, argv++;
  if (argc >= 2 && strcmp(argv[0], "-b") == 0) {
    budget = 1e-3 * atof(argv[1]);
    argc -= 2, argv += 2;
  }
  if (mkdtemp(cache) == NULL) return 1;
  bool curves = argc > 0 && strcmp(argv[0], "curves") == 0;
  bool fine = curves ? print_curves(argc - 1, argv + 1, budget, cache)
                     : print_table(argc, argv, budget, cache);
  snprintf(command, sizeof command, "rm -rf %s", cache);
  return system(command) == 0 && fine ? 0 : 1;
}
