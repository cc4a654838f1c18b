/* The corridor of Esposito & Kumar (2007): paths that clip its inner corner for a moment.
 *
 * Starts come from a ball of radius 0.05 around (0, -0.089, -0.15) and are kept when the exact path
 * enters the corner {y <= -0.4, x <= 2.8} by a given depth. A run is correct when its first contact
 * is within 0.1 s of the exact one. */
#include "check.h"
#include "problems/exact.h"
#include "support/runner.h"

enum { STARTS = 100 };

typedef struct start {
  double x[3];
  double contact; /* time of the exact first contact */
} start;

static run_result result;

static void draw(double least, double most, uint64_t seed, start *starts) {
  static const double nominal[] = {0, -0.089, -0.15};
  for (int n = 0; n < STARTS;) {
    double d[3], square = 0, when = 0;
    for (int i = 0; i < 3; i++) {
      d[i] = 0.05 * (2 * run_random(&seed) - 1);
      square += d[i] * d[i];
    }
    if (square > 0.05 * 0.05) continue;
    for (int i = 0; i < 3; i++) starts[n].x[i] = nominal[i] + d[i];
    double depth = brink_corridor_depth(starts[n].x, &when);
    if (depth < least || depth > most) continue;
    starts[n].contact = brink_corridor_contact(starts[n].x, when);
    n++;
  }
}

static int count_correct(const start *starts, brink_method method, brink_events events) {
  const problem *p = problem_find("P1u");
  brink_options options = run_options(method, events, 1e-4);
  int correct = 0;
  for (int k = 0; k < STARTS; k++) {
    problem_probe probe;
    brink_model_def def = problem_model(p, &probe);
    def.x0 = starts[k].x;
    run_problem(p, &def, &options, &result);
    const brink_event *last = result.nevents > 0 ? &result.events[result.nevents - 1].event : NULL;
    if (last != NULL && strcmp(last->name, "corridor") == 0 &&
        fabs(last->t - starts[k].contact) <= 0.1)
      correct++;
    if (events == BRINK_EXTRAPOLATE) CHECK_INT(result.outside, 0);
  }
  return correct;
}

static void both_sets(const char *name, double least, double most, uint64_t seed) {
  static start starts[STARTS];
  draw(least, most, seed, starts);
  CHECK_INT(count_correct(starts, BRINK_ADAMS, BRINK_EXTRAPOLATE), STARTS);
  CHECK_INT(count_correct(starts, BRINK_ADAMS, BRINK_INTERPOLATE), STARTS);
  int endpoint = count_correct(starts, BRINK_DOPRI, BRINK_ENDPOINT);
  printf("corridor, %s: a sign test at the ends of the step misses %d of %d\n", name,
         STARTS - endpoint, STARTS);
  CHECK_MSG(endpoint <= STARTS - 10, "the sign test found %d of %d: too easy", endpoint, STARTS);
}

TEST(no_contact_is_missed_in_the_standard_corridor) {
  both_sets("standard", 1e-3, 0.02, 1);
}
TEST(no_contact_is_missed_in_the_thin_corridor) {
  both_sets("thin", 1e-4, 2e-3, 2);
}

int main(void) {
  RUN(no_contact_is_missed_in_the_standard_corridor);
  RUN(no_contact_is_missed_in_the_thin_corridor);
  return check_done();
}
