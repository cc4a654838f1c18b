/* The two examples of Garcia (2004) through their tangencies: alpha = 9, 9.01, …, 10 for the linear
 * one, 4, 4.01, …, 8 for the other. Before the tangency an event ends the first mode; just past it
 * the path only comes close, and the event is far away. None may be lost or invented whose depth
 * exceeds ten times the run's own global error; shallower ones must not stay silent. */
#include "check.h"
#include "support/runner.h"

static run_result result, reference;

/* g along the exact flow of mode "+", and its rate. */
static double linear(double t, double alpha) {
  return alpha - 2 * exp(t) * (cos(t) + sin(t));
}
static double linear_rate(double t) {
  return -4 * exp(t) * cos(t);
}

static double quintic(double t, double alpha) {
  double u = t - 2.5;
  return alpha + 10 * (u - u * u * u * u * u);
}
static double quintic_rate(double t) {
  double u = t - 2.5;
  return 10 * (1 - 5 * u * u * u * u);
}

typedef struct example {
  const char *like; /* a problem of the table with the same model */
  double (*g)(double t, double alpha);
  double (*rate)(double t);
  double touch, tangency, curvature; /* time and alpha of the tangency */
  double from, to;                   /* brackets the event past it */
  int first, last;                   /* hundredths of alpha */
} example;

static const example linear_example = {
    "P3/9", linear, linear_rate, 1.5707963267948966, 9.62095476193070331, 19.24, 4.8,
    6.2,    900,    1000};
static const example quintic_example = {
    "P4/4", quintic, quintic_rate, 1.831259695023578, 5.34992243981137619, 59.8, 3.2,
    4.0,    400,     800};

/* g falls through zero once between the two times. */
static double falling_zero(const example *e, double alpha, double low, double high) {
  for (int k = 0; k < 100; k++) {
    double middle = 0.5 * (low + high);
    if (e->g(middle, alpha) > 0)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

static void run_alpha(const example *e, double alpha, brink_method method, brink_events events,
                      double rtol) {
  bool hit = alpha < e->tangency;
  double t = hit ? falling_zero(e, alpha, 0, e->touch) : falling_zero(e, alpha, e->from, e->to);
  problem_event event = {"surface", BRINK_NEGATIVE, t, .rate = fabs(e->rate(t)),
                         .depth = hit ? e->tangency - alpha : 0};
  problem_miss miss = {"surface", e->touch, alpha - e->tangency, e->curvature};
  problem p = *problem_find(e->like);
  p.p0 = &alpha;
  p.t_end = t + 0.1;
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
