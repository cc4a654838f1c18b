/* agents.c: agents with clocks of their own, beside everything in one system.
 *
 *   agents [cars] [scale] [mixed] [discs]             tables; none named: all
 *   agents cars 20 200                                these numbers of cars only
 *   agents profile NUMBER METHOD TOLERANCE SECONDS [FACTOR [THREADS]]
 *                                                     the engine alone, over this simulated time
 *   agents profile-discs NUMBER COVER SECONDS         the same with hard discs
 *
 * cars: the same bumper cars over 100 s by the engine, by one brink_sim with a guard for every pair, by CVODE with
 * a root function for every pair, and from hit to hit in closed form; with the collisions that each let through.
 * scale: cost and memory of an agent up to a million of them. mixed: one car in a hundred turns a thousand times as
 * fast. discs: hard discs, hits a second. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/crowd.h"
#include "support/run.h"

/* ---- cars ---- */

typedef enum subject { EXACT, CVODE, TOGETHER, ADAMS, TAYLOR, SUBJECTS } subject;

static const char *const names[SUBJECTS] = {"exact", "cvode", "together", "adams", "taylor"};

#define SPAN 100.0

/* The large scenes take minutes in one system: that is run for a while only, and its time scaled. */
static double span_of_subject(subject who, size_t count) {
  return who != TOGETHER || count < 200 ? SPAN : count < 500 ? 10 : 1;
}

static crowd_answer run_subject(subject who, const crowd_scene *scene, crowd_ask ask) {
  ask.t_end = span_of_subject(who, scene->count);
  ask.method = who == TAYLOR ? "taylor" : "adams";
  if (who == EXACT) return crowd_run_exact(scene, &ask);
  if (who == CVODE) return crowd_run_cvode(scene, &ask);
  if (who == TOGETHER) return crowd_run_together(scene, &ask);
  return crowd_run_engine(scene, &ask);
}

typedef struct row {
  size_t count;
  double tolerance;
  crowd_answer answers[SUBJECTS];
  double seconds[SUBJECTS];
  crowd_difference found[SUBJECTS];
} row;

#define JUDGED 5.0 /* chaotic: hits up to here are compared with the exact ones … */
#define SLACK 0.05 /* … but for those at the edge */
#define LOOKS 0.01 /* how often it is checked that none overlap */
#define ENOUGH 2.0 /* seconds: what takes longer is run once */
#define LEAST_ROUNDS 3

/* The engine is watched in a run of its own: it is asked to stop at every look. Hits are those of another one. */
static void unwatched(row *r, const crowd_scene *scene, subject who, crowd_ask ask) {
  ask.watch_period = 0;
  crowd_answer answer = run_subject(who, scene, ask);
  answer.through = r->answers[who].through;
  answer.deepest = r->answers[who].deepest;
  answer.ok = answer.ok && r->answers[who].ok;
  crowd_answer_free(&r->answers[who]);
  r->answers[who] = answer;
}

static bool judge(row *r, const crowd_scene *scene) {
  crowd_ask ask = {.tolerance = r->tolerance, .log_until = SPAN, .watch_period = LOOKS};
  bool ok = true;
  for (subject k = EXACT; k < SUBJECTS; k++) {
    r->answers[k] = run_subject(k, scene, ask);
    if (k >= ADAMS) unwatched(r, scene, k, ask);
    double scale = SPAN / span_of_subject(k, r->count);
    r->seconds[k] = k < ADAMS ? scale * r->answers[k].seconds : (double)INFINITY;
    double until = fmin(JUDGED, span_of_subject(k, r->count));
    r->found[k] = crowd_compare(&r->answers[k], &r->answers[EXACT], until, SLACK);
    r->found[k].until = fmin(r->found[k].until, span_of_subject(k, r->count));
    ok = ok && r->answers[k].ok;
  }
  return ok;
}

static void time_row(row *r, const crowd_scene *scene) {
  crowd_ask ask = {.tolerance = r->tolerance};
  for (int round = 0; round < LEAST_ROUNDS; round++) {
    for (subject k = EXACT; k < SUBJECTS; k++) {
      bool slow = r->seconds[k] > ENOUGH && !isinf(r->seconds[k]);
      if (slow || !r->answers[k].ok) continue;
      crowd_answer answer = run_subject(k, scene, ask);
      r->seconds[k] = answer.ok ? fmin(r->seconds[k], answer.seconds) : (double)NAN;
      crowd_answer_free(&answer);
    }
  }
}

static void print_times(const row *r) {
  printf("%4zu %5.0e |", r->count, r->tolerance);
  for (subject k = EXACT; k < SUBJECTS; k++) printf(" %8.1f", 1e3 * r->seconds[k]);
  printf(" |");
  for (subject k = TOGETHER; k < SUBJECTS; k++) printf(" %8.2f", r->seconds[CVODE] / r->seconds[k]);
  printf("\n");
  fflush(stdout);
}

static void print_answers(const row *r) {
  printf("%4zu %5.0e |", r->count, r->tolerance);
  for (subject k = EXACT; k < SUBJECTS; k++) printf(" %6.0f", r->answers[k].hits);
  printf(" |");
  for (subject k = EXACT; k < SUBJECTS; k++) printf(" %6zu", r->answers[k].through);
  printf(" |");
  for (subject k = CVODE; k < SUBJECTS; k++)
    printf(" %2zu+%-2zu %7.1e %3.0f |", r->found[k].missed, r->found[k].invented, r->found[k].worst,
           r->found[k].until);
  printf("\n");
}

static void print_head(void) {
  double slowness = bench_cvode_slowness();
  printf(
      "\nBumper cars, %g s: milliseconds. together: all in one simulation (adams; from 200 cars on "
      "scaled from\n%g s, from 500 on from %g); adams, taylor: the engine. Goals for taylor: 30 "
      "times as fast as CVODE for\n200 cars, 100 times for 500.\n",
      SPAN, span_of_subject(TOGETHER, 200), span_of_subject(TOGETHER, 500));
  if (slowness > 2)
    printf("This SUNDIALS is %.1f times as slow as it would be with optimisation: "
           "bench/build-sundials makes a fair one.\n",
           slowness);
  printf("\n%10s | %-44s | %s\n%4s %5s |", "", "milliseconds", "cvode's time over that of", "cars",
         "tol");
  for (subject k = EXACT; k < SUBJECTS; k++) printf(" %8s", names[k]);
  printf(" |");
  for (subject k = TOGETHER; k < SUBJECTS; k++) printf(" %8s", names[k]);
  printf("\n");
}

static void print_answers_head(void) {
  printf(
      "\nWhat became of them. Through: collisions let through, overlaps of more than the "
      "tolerance, "
      "looked for every\n%g s (goal: none). Beside the exact answer: hits of the first %g s missed "
      "and invented, the largest error in\ntime of the others, and up to when all hits are the "
      "same "
      "within %g s.\n",
      LOOKS, JUDGED, SLACK);
  printf("\n%10s | %-34s | %-34s |", "", "hits", "through");
  for (subject k = CVODE; k < SUBJECTS; k++) printf(" %-17s |", names[k]);
  printf("\n%4s %5s |", "cars", "tol");
  for (int half = 0; half < 2; half++) {
    for (subject k = EXACT; k < SUBJECTS; k++) printf(" %6.6s", names[k]);
    printf(" |");
  }
  for (subject k = CVODE; k < SUBJECTS; k++) printf(" %5s %7s %3s |", "wrong", "error", "to");
  printf("\n");
}

static bool measure_cars(row *r) {
  crowd_scene scene;
  if (!crowd_make_cars(&scene, r->count, 1)) return false;
  bool ok = judge(r, &scene);
  time_row(r, &scene);
  print_times(r);
  crowd_free(&scene);
  return ok;
}

/* Two that know nothing of each other. */
static bool check_exact(size_t count) {
  crowd_scene scene;
  crowd_ask ask = {.t_end = 100, .tolerance = 1e-12, .log_until = 100, .method = "taylor"};
  if (!crowd_make_cars(&scene, count, 1)) return false;
  crowd_answer exact = crowd_run_exact(&scene, &ask), engine = crowd_run_engine(&scene, &ask);
  crowd_difference found = crowd_compare(&engine, &exact, JUDGED, SLACK);
  bool ok = exact.ok && engine.ok && found.missed == 0 && found.invented == 0;
  printf(
      "%4zu cars: %zu missed, %zu invented, error %.1e in the first %g s; the same hits up to t = "
      "%.0f s%s\n",
      count, found.missed, found.invented, found.worst, JUDGED, fmin(found.until, 100),
      ok ? "" : "  WRONG");
  crowd_answer_free(&exact);
  crowd_answer_free(&engine);
  crowd_free(&scene);
  return ok;
}

#define MOST_COUNTS 16

static bool measure_all_cars(const size_t *counts, size_t ncounts) {
  static const size_t standard[] = {20, 50, 100, 200, 500};
  static row rows[2 * MOST_COUNTS];
  bool ok = true;
  if (ncounts == 0) {
    counts = standard;
    ncounts = sizeof standard / sizeof *standard;
  }
  printf("The closed form against the engine (taylor) at 1e-12; later the last bits of each make "
         "another traffic.\n");
  for (size_t k = 0; k < ncounts; k++) ok = check_exact(counts[k]) && ok;
  print_head();
  for (size_t k = 0; k < 2 * ncounts; k++) {
    rows[k] = (row){.count = counts[k / 2], .tolerance = k % 2 == 0 ? 1e-4 : 1e-6};
    ok = measure_cars(&rows[k]) && ok;
  }
  print_answers_head();
  for (size_t k = 0; k < 2 * ncounts; k++) {
    print_answers(&rows[k]);
    for (subject who = EXACT; who < SUBJECTS; who++) crowd_answer_free(&rows[k].answers[who]);
  }
  return ok;
}

/* ---- scale ---- */

/* Kilobytes that the process has needed at most. */
static double peak_kilobytes(void) {
  char line[128];
  double peak = NAN;
  FILE *file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, "VmHWM:", 6) == 0) peak = atof(line + 6);
  }
  if (file != NULL) fclose(file);
  return peak;
}

#define SCALE_SPAN 4.0

static crowd_answer run_scale(size_t count, const crowd_scene *scene, const crowd_ask *ask) {
  crowd_answer best = {.ok = true, .seconds = INFINITY};
  for (int round = 0; best.ok && round < (count > 100000 ? 1 : LEAST_ROUNDS); round++) {
    crowd_answer answer = crowd_run_engine(scene, ask);
    if (answer.seconds < best.seconds || !answer.ok) best = answer;
  }
  return best;
}

static bool measure_scale(size_t count, const char *method) {
  crowd_scene scene;
  crowd_ask ask = {.t_end = SCALE_SPAN, .tolerance = 1e-6, .method = method};
  if (!crowd_make_cars(&scene, count, 1)) return false;
  double before = peak_kilobytes();
  crowd_answer a = run_scale(count, &scene, &ask);
  double work = (double)count * ask.t_end, peak = peak_kilobytes() - before;
  printf("%8zu %-7s | %8.3f %8.2f | %8.3f %6.0f | %6.3f %7.3f %7.3f %8.3f %6.3f | %7.0f %7.0f\n",
         count, method, a.setup, a.seconds, 1e6 * a.seconds / work, 1e9 * a.seconds / a.windows,
         a.steps / work, a.windows / work, a.checks / work, a.searches / work, a.hits / work,
         a.bytes, 1024 * peak / (double)count);
  fflush(stdout);
  crowd_free(&scene);
  return a.ok;
}

/* In a process of its own, so that its memory can be told from that of others. */
static bool measure_scale_apart(size_t count, const char *method) {
  int status = 1;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) _exit(measure_scale(count, method) ? 0 : 1);
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool measure_scales(void) {
  static const size_t counts[] = {1000, 10000, 100000, 1000000};
  bool ok = true;
  printf("\nBumper cars at constant density, %g s, tolerance 1e-6. Cost: microseconds for an agent "
         "and a "
         "simulated\nsecond (goal: within a factor 2 from 10^4 to 10^6), nanoseconds for a window. "
         "Bytes "
         "of an agent: as counted,\nand by what the process grew (goal: at most 1024).\n\n"
         "%8s %-7s | %8s %8s | %8s %6s | %-38s | %s\n"
         "%8s %-7s | %8s %8s | %8s %6s | %6s %7s %7s %8s %6s | %7s %7s\n",
         SCALE_SPAN, "", "", "set up", "run", "cost", "window", "of an agent and second", "bytes",
         "cars", "method", "s", "s", "us", "ns", "steps", "windows", "checks", "searches", "hits",
         "counted", "grown");
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    ok = measure_scale_apart(counts[k], "taylor") && ok;
  for (size_t k = 0; k < 3; k++) ok = measure_scale_apart(counts[k], "adams") && ok;
  return ok;
}

/* ---- mixed rates ---- */

static bool measure_mixed(size_t count, double factor, double tolerance, const char *method) {
  crowd_scene scene;
  crowd_ask ask = {.t_end = 10, .tolerance = tolerance, .method = method};
  crowd_answer best = {.seconds = INFINITY}, alone = {.seconds = INFINITY};
  bool ok = crowd_make_cars(&scene, count, 1);
  if (ok) crowd_quicken(&scene, 100, factor);
  for (int round = 0; ok && round < LEAST_ROUNDS; round++) {
    crowd_answer a = crowd_run_engine(&scene, &ask), b = crowd_run_alone(&scene, &ask);
    ok = a.ok && b.ok;
    if (a.seconds < best.seconds) best = a;
    if (b.seconds < alone.seconds) alone = b;
  }
  printf("%6zu %-7s %5.0e %6.0f | %9.2f %9.2f | %6.2f | %9.0f %9.0f %9.0f | %7.0f %7.0f\n", count,
         method, tolerance, factor, 1e3 * best.seconds, 1e3 * alone.seconds,
         best.seconds / alone.seconds, best.steps, alone.steps, best.windows, best.hits,
         alone.hits);
  fflush(stdout);
  crowd_free(&scene);
  return ok;
}

static bool measure_mixtures(void) {
  printf("\nMixed rates: one car in a hundred turns `factor` times as fast as it would; 10 s. "
         "Alone: the "
         "sum of all cars,\neach by itself in a simulation (hits with walls only). Goal: at most "
         "2.\n\n"
         "%6s %-7s %5s %6s | %9s %9s | %6s | %9s %9s %9s | %s\n"
         "%6s %-7s %5s %6s | %9s %9s | %6s | %9s %9s %9s | %7s %7s\n",
         "", "", "", "", "ms", "ms", "", "steps", "steps", "", "hits", "cars", "method", "tol",
         "factor", "agents", "alone", "ratio", "agents", "alone", "windows", "agents", "alone");
  bool ok = true;
  for (int k = 0; k < 2; k++) {
    const char *method = k == 0 ? "taylor" : "adams";
    ok = measure_mixed(1000, 1, 1e-4, method) && ok;
    ok = measure_mixed(1000, 1000, 1e-4, method) && ok;
    ok = measure_mixed(1000, 1, 1e-9, method) && ok;
    ok = measure_mixed(1000, 1000, 1e-9, method) && ok;
    ok = measure_mixed(10000, 1000, 1e-9, method) && ok;
  }
  return ok;
}

/* ---- hard discs ---- */

static bool measure_discs(size_t count, double cover, double t_end) {
  crowd_scene scene;
  crowd_ask ask = {.t_end = t_end, .tolerance = 1e-6, .method = "taylor"};
  if (!crowd_make_discs(&scene, count, cover, 1)) return false;
  crowd_answer a = {.seconds = INFINITY}, b = a;
  for (int round = 0; round < LEAST_ROUNDS; round++) {
    crowd_answer engine = crowd_run_engine(&scene, &ask), cells = crowd_run_cells(&scene, &ask);
    if (engine.seconds < a.seconds) a = engine;
    if (cells.seconds < b.seconds) b = cells;
  }
  printf("%7zu %5.3f %5.1f | %9.0f %9.3f %9.0f %6.2f | %9.0f %9.3f %9.0f | %6.2f\n", count, cover,
         t_end, a.hits, a.seconds, a.hits / a.seconds, 1e6 * a.seconds / a.hits, b.hits, b.seconds,
         b.hits / b.seconds, a.seconds / a.hits * b.hits / b.seconds);
  fflush(stdout);
  bool ok = a.ok && b.ok;
  crowd_answer_free(&a);
  crowd_answer_free(&b);
  crowd_free(&scene);
  return ok;
}

static bool measure_all_discs(void) {
  printf(
      "\nHard discs: straight, elastic, by the engine (taylor) and by a program for discs alone, "
      "with closed forms,\ncells and a heap. Cover: part of the box that they cover. Goal: at "
      "most 2.\n\n"
      "%19s | %-35s | %-29s |\n%7s %5s %5s | %9s %9s %9s %6s | %9s %9s %9s | %6s\n",
      "", "engine", "cells", "discs", "cover", "s", "hits", "seconds", "hits a s", "us", "hits",
      "seconds", "hits a s", "ratio");
  bool ok = measure_discs(100, 0.3, 100);
  ok = measure_discs(1000, 0.00628, 100) && ok;
  ok = measure_discs(1000, 0.3, 20) && ok;
  ok = measure_discs(1000, 0.6, 5) && ok;
  ok = measure_discs(100000, 0.3, 0.5) && ok;
  ok = measure_discs(1000000, 0.3, 0.1) && ok;
  return ok;
}

/* ---- profile ---- */

static int profile(char **words, double factor, int threads) {
  crowd_scene scene;
  crowd_ask ask = {
      .method = words[1], .tolerance = atof(words[2]), .t_end = atof(words[3]), .threads = threads};
  if (!crowd_make_cars(&scene, (size_t)atol(words[0]), 1)) return 1;
  crowd_quicken(&scene, 100, factor);
  crowd_answer a = crowd_run_engine(&scene, &ask);
  double work = (double)scene.count * ask.t_end;
  printf("%s cars, %s, %s: %.4f s (set up %.3f s), %.3f us a car and second; a car and second: "
         "%.3f steps, %.3f windows, %.3f checks, %.3f searches, %.4f hits; %.0f bytes\n",
         words[0], words[1], words[2], a.seconds, a.setup, 1e6 * a.seconds / work, a.steps / work,
         a.windows / work, a.checks / work, a.searches / work, a.hits / work, a.bytes);
  crowd_answer_free(&a);
  crowd_free(&scene);
  return 0;
}

static int profile_discs(char **words) {
  crowd_scene scene;
  crowd_ask ask = {.method = "taylor", .tolerance = 1e-6, .t_end = atof(words[2])};
  if (!crowd_make_discs(&scene, (size_t)atol(words[0]), atof(words[1]), 1)) return 1;
  crowd_answer a = crowd_run_engine(&scene, &ask);
  printf("%s discs, cover %s: %.0f hits in %.4f s, %.0f a second; for each hit %.2f windows, %.2f "
         "checks, %.2f searches\n",
         words[0], words[1], a.hits, a.seconds, a.hits / a.seconds, a.windows / a.hits,
         a.checks / a.hits, a.searches / a.hits);
  crowd_answer_free(&a);
  crowd_free(&scene);
  return 0;
}

typedef struct table {
  const char *name;
  bool (*measure)(void);
} table;

static const table tables[] = {
    {"scale", measure_scales}, {"mixed", measure_mixtures}, {"discs", measure_all_discs}};

static bool wanted(const char *name, int argc, char **argv) {
  bool named = false;
  for (int k = 0; k < argc; k++) {
    if (strcmp(argv[k], name) == 0) return true;
    named = named || atol(argv[k]) == 0;
  }
  return argc == 0 || (!named && strcmp(name, "cars") == 0);
}

int main(int argc, char **argv) {
  if (argc >= 6 && strcmp(argv[1], "profile") == 0)
    return profile(argv + 2, argc > 6 ? atof(argv[6]) : 1, argc > 7 ? atoi(argv[7]) : 1);
  if (argc == 5 && strcmp(argv[1], "profile-discs") == 0) return profile_discs(argv + 2);
  bool ok = true;
  argc--, argv++;
  size_t counts[MOST_COUNTS], ncounts = 0;
  for (int k = 0; k < argc && ncounts < MOST_COUNTS; k++) {
    if (atol(argv[k]) > 0) counts[ncounts++] = (size_t)atol(argv[k]);
  }
  if (wanted("cars", argc, argv)) ok = measure_all_cars(counts, ncounts);
  for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
    if (wanted(tables[k].name, argc, argv)) ok = tables[k].measure() && ok;
  }
  return ok ? 0 : 1;
}
