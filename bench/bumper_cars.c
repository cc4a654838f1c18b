/* bumper_cars.c: what looking ahead costs.
 *
 *   bumper_cars [-s SCENES] [-r ROUNDS] [-t TOLERANCE]
 *
 * Twenty cars, 100 s, random scenes; the same unilateral guards, found by `extrapolate` (never
 * evaluate past one) and by `interpolate` (look after the step). For this price the published
 * method paid 7.2 % (Esposito & Kumar 2007, section 5).
 *
 * The runs of a scene differ: collisions amplify the last bit, so the two detectors soon see
 * different traffic, with more or fewer hits. Two figures are given, therefore: the price of a run,
 * and the price of a step, in which the number of steps that the traffic asks for cancels. Times
 * are the best of several rounds, taken in turns and by pieces of 5 s; the confidence interval
 * (95 %, Student) is over scenes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cars.h"
#include "support/run.h"

typedef struct sample {
  double sum, squares;
  int count;
} sample;

static void add(sample *s, double value) {
  s->sum += value;
  s->squares += value * value;
  s->count++;
}

static double mean(const sample *s) {
  return s->sum / s->count;
}

/* Half of the 95 % interval; Student's quantile by its expansion in 1/(n - 1). */
static double spread(const sample *s) {
  double n = s->count, free = n - 1;
  double variance = fmax(0, (s->squares - s->sum * s->sum / n) / free);
  double quantile = 1.96 + 2.37 / free + 2.8 / (free * free);
  return quantile * sqrt(variance / n);
}

#define PIECES 20 /* of a run; see bench_run_pieces */

typedef struct cost {
  bench_run ahead, after;
} cost;

static double sum_of(const double *pieces) {
  double sum = 0;
  for (int k = 0; k < PIECES; k++) sum += pieces[k];
  return sum;
}

/* The best of `rounds` runs each, in turns. */
static cost measure(const bench_problem *problem, double tolerance, int rounds) {
  cost c = {.ahead.ok = true, .after.ok = true};
  double ahead[PIECES], after[PIECES];
  for (int k = 0; k < PIECES; k++) ahead[k] = after[k] = INFINITY;
  for (int k = 0; k < rounds && c.ahead.ok && c.after.ok; k++) {
    c.ahead = bench_run_pieces(problem, BENCH_UNILATERAL, tolerance, PIECES, ahead);
    c.after = bench_run_pieces(problem, BENCH_INTERPOLATE, tolerance, PIECES, after);
  }
  c.ahead.seconds = sum_of(ahead);
  c.after.seconds = sum_of(after);
  return c;
}

static bool compare(const char *title, bench_cars_guard kind, int scenes, int rounds,
                    double tolerance) {
  static bench_scene scene;
  sample run = {0}, step = {0}, steps = {0}, rhs = {0};
  printf("\n%s, tolerance %.0e\n\n"
         "scene | extrapolate us   steps    rhs  hits | interpolate us   steps    rhs  hits | "
         "per run  per step\n",
         title, tolerance);
  for (int k = 1; k <= scenes; k++) {
    bench_scene_make(&scene, (uint64_t)k, kind);
    cost c = measure(&scene.problem, tolerance, rounds);
    if (!c.ahead.ok || !c.after.ok) return false;
    double ratio = c.ahead.seconds / c.after.seconds;
    double step_ratio = ratio * c.after.steps / c.ahead.steps;
    printf("%5d | %14.0f %7.0f %6.0f %5.0f | %14.0f %7.0f %6.0f %5.0f | %+6.1f %%  %+6.1f %%\n", k,
           1e6 * c.ahead.seconds, c.ahead.steps, c.ahead.rhs, c.ahead.events, 1e6 * c.after.seconds,
           c.after.steps, c.after.rhs, c.after.events, 100 * (ratio - 1), 100 * (step_ratio - 1));
    add(&run, 100 * (ratio - 1));
    add(&step, 100 * (step_ratio - 1));
    add(&steps, 100 * (c.ahead.steps / c.after.steps - 1));
    add(&rhs, 100 * (c.ahead.rhs / c.after.rhs - 1));
  }
  printf("extra cost of extrapolate: %+.1f %% +- %.1f a run, %+.1f %% +- %.1f a step; steps %+.1f "
         "%%, rhs %+.1f %%\n(published: 7.2 %%; goal: at most 2 %%)\n",
         mean(&run), spread(&run), mean(&step), spread(&step), mean(&steps), mean(&rhs));
  return true;
}

int main(int argc, char **argv) {
  int scenes = 10, rounds = 10;
  double tolerance = 1e-6;
  for (int k = 1; k + 1 < argc; k += 2) {
    if (strcmp(argv[k], "-s") == 0) scenes = atoi(argv[k + 1]);
    if (strcmp(argv[k], "-r") == 0) rounds = atoi(argv[k + 1]);
    if (strcmp(argv[k], "-t") == 0) tolerance = atof(argv[k + 1]);
  }
  bool ok =
      compare("distances, with Lipschitz bounds", BENCH_CARS_DISTANCE, scenes, rounds, tolerance);
  return compare("squares of distances, polynomials of degree 2", BENCH_CARS_SQUARE, scenes, rounds,
                 tolerance) &&
                 ok
             ? 0
             : 1;
}
