/* The corridor of Esposito & Kumar (2007): paths that clip its inner corner for a moment.
 *
 * Starts come from a ball of radius 0.05 around (0, -0.089, -0.15) and are kept when the exact path
 * enters the corner {y <= -0.4, x <= 2.8} by a given depth. A run is correct when its first contact
 * is within 0.1 s of the exact one. The path: straight to x = 1.75, then a circle of radius 5. */
#include "check.h"
#include "support/runner.h"

enum { STARTS = 100 };

typedef struct start {
  double x[3];
  double contact; /* time of the exact first contact */
} start;

static run_result result;

/* The exact path at time t. */
static void exact_at(const double *x0, double t, double *x, double *y) {
  double t1 = (1.75 - x0[0]) / cos(x0[2]);
  double straight = fmin(t, t1);
  *x = x0[0] + straight * cos(x0[2]);
  *y = x0[1] + straight * sin(x0[2]);
  if (t <= t1) return;
  double theta = x0[2] + (t - t1) / 5;
  *x += 5 * (sin(theta) - sin(x0[2]));
  *y -= 5 * (cos(theta) - cos(x0[2]));
}

/* How deep in the corner the path is at time t; negative outside. */
static double depth_at(const double *x0, double t) {
  double x, y;
  exact_at(x0, t, &x, &y);
  return fmin(-0.4 - y, 2.8 - x);
}

/* The deepest point: depth rises to one maximum and falls; scan, and scan again around the best. */
static double deepest(const double *x0, double *when) {
  double low = 0, high = 3.5, best = -1;
  for (int round = 0; round < 4; round++) {
    double step = (high - low) / 100;
    for (int k = 0; k <= 100; k++) {
      double t = low + k * step, depth = depth_at(x0, t);
      if (depth <= best) continue;
      best = depth;
      *when = t;
    }
    low = *when - step;
    high = *when + step;
  }
  return best;
}

/* The corner is entered once before its deepest point. */
static double first_contact(const double *x0, double inside) {
  double low = 0, high = inside;
  for (int k = 0; k < 100; k++) {
    double middle = 0.5 * (low + high);
    if (depth_at(x0, middle) >= 0)
      high = middle;
    else
      low = middle;
  }
  return high;
}

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
    double depth = deepest(starts[n].x, &when);
    if (depth < least || depth > most) continue;
    starts[n].contact = first_contact(starts[n].x, when);
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
