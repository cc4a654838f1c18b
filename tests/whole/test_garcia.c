/* The two examples of Garcia (2004) through their tangencies: alpha = 9, 9.01, …, 10 for the linear
 * one, 4, 4.01, …, 8 for the other. Before the tangency an event ends the first mode; just past it
 * the path only comes close, and the event is far away. None may be lost or invented whose depth
 * exceeds ten times the run's own global error; shallower ones must not stay silent. */
#include "check.h"
#include "problems/exact.h"
#include "support/runner.h"

static run_result result, reference;

typedef struct example {
  const char *like; /* a problem of the table with the same model */
  bool linear;
  double curvature; /* of the guard at the closest approach */
  int first, last;  /* hundredths of alpha */
} example;

static const example linear_example = {"P3/9", true, 19.24, 900, 1000};
static const example quintic_example = {"P4/4", false, 59.8, 400, 800};

static void run_alpha(const example *e, double alpha, brink_method method, brink_events events,
                      double rtol) {
  brink_garcia g = {e->linear, alpha, 1};
  brink_garcia_answer exact = brink_garcia_solve(&g);
  bool hit = exact.approach < 0;
  double field[2];
  brink_garcia_field(&g, exact.x, field);
  problem_event event = {"surface", BRINK_NEGATIVE, exact.event, .rate = fabs(field[1]),
                         .depth = hit ? -exact.approach : 0};
  problem_miss miss = {"surface", exact.touch, exact.approach, e->curvature};
  problem p = *problem_find(e->like);
  p.p0 = &alpha;
  p.t_end = exact.event + 0.1;
  p.events = &event;
  p.nevents = 1;
  p.misses = &miss;
  p.nmisses = hit ? 0 : 1;
  p.final = NULL;
  brink_options options = run_options(BRINK_ADAMS, BRINK_INTERPOLATE, 1e-12);
  run_sampled(&p, &options, &reference);
  options = run_options(method, events, rtol);
  run_sampled(&p, &options, &result);
  run_verdict verdict = run_judge(&p, &options, &result, &reference);
  CHECK_MSG(verdict.ok, "alpha %.2f, %s/%s at %g: %s", alpha, brink_method_name(method),
            brink_events_name(events), rtol, verdict.message);
}

static void run_sweep(const example *e) {
  static const double tolerances[] = {1e-4, 1e-9};
  for (int k = e->first; k <= e->last; k++) {
    for (int i = 0; i < 2; i++) {
      run_alpha(e, k / 100.0, BRINK_ADAMS, BRINK_EXTRAPOLATE, tolerances[i]);
      run_alpha(e, k / 100.0, BRINK_ADAMS, BRINK_INTERPOLATE, tolerances[i]);
      run_alpha(e, k / 100.0, BRINK_DOPRI, BRINK_INTERPOLATE, tolerances[i]);
    }
  }
}

TEST(no_event_is_lost_through_the_linear_tangency) {
  run_sweep(&linear_example);
}
TEST(no_event_is_lost_through_the_quintic_tangency) {
  run_sweep(&quintic_example);
}

int main(void) {
  RUN(no_event_is_lost_through_the_linear_tangency);
  RUN(no_event_is_lost_through_the_quintic_tangency);
  return check_done();
}
