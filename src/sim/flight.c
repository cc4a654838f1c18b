/* flight.c: a guard that leaves its surface and comes back before it is as far away as its tolerance.
 *
 * The problem  A ball bounces lower than its tolerance. No error control resolves that flight: whatever a method makes of
 *              it is right, within the tolerance. But where it lands, and how fast, decides how high it bounces next, and
 *              a method that starts with order 1 (BDF: implicit Euler) may even lead it straight through the floor.
 * The method   Where such a method starts, the rates of the guards that are led inside are compared with those a little
 *              later: y = r t - b t^2/2 is back after T = 2 r/b, and has been as high as r^2/(2 b). If that is less than the
 *              tolerance, steps are no longer than PARTS of them to T until it should have landed. The start, of order
 *              1, is then off by some hundredths of the height.
 * It can fail  where the field bends more than once on the way: then trial.c asks the field at the event. */
#include <math.h>

#include "sim/sim.h"

#define PARTS 32.0
#define LATE 2.0           /* flights: the guard has landed by then, or is no longer there */
#define AHEAD (1.0 / 16.0) /* of the longest flight that counts */

/* The time that the guard takes to come back; INFINITY: it goes farther than its tolerance, or stays. */
static double flight_of(brink_sim *sim, size_t guard) {
  brink_eval *eval = &sim->eval;
  const double *f = sim->stepper.f;
  int sign = eval->sgn[guard];
  double tolerance = brink_sim_tolerance(sim, guard, sim->t, sim->x);
  if (!(sign * brink_eval_guard(eval, guard, sim->t, sim->x) <= tolerance)) return (double)INFINITY;
  double rate = sign * brink_eval_rate(eval, guard, sim->t, sim->x, f);
  /* r^2/(2 b) < tolerance: T = 2 r/b is less than 4 tolerance/r. */
  double d = AHEAD * 4.0 * tolerance / rate, *x = sim->event_x;
  if (!(rate > 0.0) || !isfinite(d)) return (double)INFINITY;
  for (size_t i = 0; i < sim->model->def.nx; i++) x[i] = sim->x[i] + d * f[i];
  if (brink_eval_rhs(eval, sim->t + d, x, sim->instant.field) != BRINK_TRY_OK)
    return (double)INFINITY;
  double later = sign * brink_eval_rate(eval, guard, sim->t + d, x, sim->instant.field);
  double bend = (rate - later) / d;
  return rate * rate < 2.0 * bend * tolerance ? 2.0 * rate / bend : (double)INFINITY;
}

void brink_sim_note_flights(brink_sim *sim) {
  const brink_detector *det = &sim->detector;
  sim->flight = (brink_flight){.step = (double)INFINITY, .end = sim->t};
  if (!sim->stepper.ops->starts_slowly || !det->ops->needs_paths || sim->eval.solver != NULL ||
      sim->eval.nheld > 0)
    return;
  for (size_t j = 0; j < det->reach.nnear; j++) {
    size_t guard = det->reach.near[j];
    if (!brink_detector_active(det, guard)) continue;
    double flight = flight_of(sim, guard);
    if (!(flight / PARTS < sim->flight.step)) continue;
    sim->flight = (brink_flight){.step = flight / PARTS, .end = sim->t + LATE * flight};
  }
}

double brink_sim_flight_limit(const brink_sim *sim) {
  return sim->t < sim->flight.end ? sim->flight.step : (double)INFINITY;
}
