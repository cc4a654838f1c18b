/* arrays.c: what an event costs in a large array, and what its code costs to compile.
 *
 * The tanks of models/water-network and the neurons of models/spiking-neurons, with 50 to 800 tanks and 100 to 1,000
 * neurons. Each run is repeated; the best time counts. A run of n tanks has about 2.7 n events in the ten seconds of the
 * model, so its whole time grows with n twice if an event costs what the array is long. Goals: time per event of 800 tanks
 * at most twice that of 50; 1,000 neurons in 1 s; no compilation of more than 10 s. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <brink/hsml.h>

enum { ROUNDS = 5 };

typedef struct measured {
  double seconds, compile;
  long long events, rhs, guards;
} measured;

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void must(brink_status status, const brink_diag *diag) {
  if (status >= 0) return;
  fprintf(stderr, "arrays: %s\n", diag->message);
  exit(1);
}

static measured measure(const char *path, double n, double until, brink_method method) {
  brink_diag diag;
  brink_hsml *model = NULL;
  brink_run *run = NULL;
  brink_run_options options;
  measured best = {.seconds = INFINITY};
  must(brink_hsml_load_file(path, &diag, &model), &diag);
  must(brink_hsml_set(model, "net.n", n, &diag), &diag);
  must(brink_hsml_options(model, &options, &diag), &diag);
  options.native = true; /* nothing is measured before it is there */
  options.sim.method = method;
  options.sim.rtol = 1e-6;
  options.sim.atol = 1e-9;
  for (int round = 0; round < ROUNDS; round++) {
    must(brink_run_create(model, &options, NULL, &diag, &run), &diag);
    double begun = seconds_now();
    must(brink_run_to(run, until, &diag), &diag);
    double taken = seconds_now() - begun;
    brink_run_info info = brink_run_information(run);
    if (round == 0) best.compile = info.compile_seconds;
    if (taken < best.seconds) best.seconds = taken;
    best.events = info.stats.events;
    best.rhs = info.stats.rhs;
    best.guards = info.stats.guards;
    brink_run_destroy(run);
    run = NULL;
  }
  brink_hsml_destroy(model);
  return best;
}

static void table(const char *what, const char *path, const int *sizes, size_t count,
                  double until) {
  static const struct {
    brink_method method;
    const char *name;
  } methods[] = {{BRINK_TAYLOR, "taylor"}, {BRINK_ADAMS, "adams"}};
  for (size_t m = 0; m < 2; m++) {
    double first = 0.0;
    printf("\n%s by %s\n%8s %8s %10s %12s %8s %10s %10s %10s\n", what, methods[m].name, "n",
           "events", "seconds", "us an event", "ratio", "rhs/event", "guards/ev.", "compile s");
    for (size_t k = 0; k < count; k++) {
      measured r = measure(path, sizes[k], until, methods[m].method);
      double each = r.seconds / (double)r.events;
      if (k == 0) first = each;
      printf("%8d %8lld %10.4f %12.1f %8.2f %10.1f %10.0f %10.2f\n", sizes[k], r.events, r.seconds,
             1e6 * each, each / first, (double)r.rhs / (double)r.events,
             (double)r.guards / (double)r.events, r.compile);
    }
  }
}

int main(void) {
  static const int tanks[] = {50, 100, 200, 400, 800}, neurons[] = {100, 300, 1000};
  table("tanks", BRINK_SOURCE_DIR "/models/water-network/model.hsml", tanks, 5, 10.0);
  table("neurons", BRINK_SOURCE_DIR "/models/spiking-neurons/model.hsml", neurons, 3, 3.0);
  return 0;
}
