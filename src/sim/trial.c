/* trial.c: one trial step, for the loop (loop.c) and for those who look ahead (look_ahead.c).
 *
 * Questions, in this order. The first that is answered with yes decides:
 *
 *   attempt    does the method fail, or does the model refuse?
 *   undefined  has a guard no value on the way to what happens?
 *   known      does it read what is not known yet of a delayed signal, or what lies behind a break of it?
 *   cut        does the detector want a shorter step, to look more closely?
 *   release    does a field let go of a surface that holds the state?
 *   unsure     can nobody tell whether a guard touches its surface in so long a step?
 *   deny       does the field contradict the series, close to a unilateral surface?
 *   vouch      is the stepper not sure of its polynomial, up to the event?
 *
 * What is left of a step (BRINK_TRIAL_REST) has passed the last three before. Whoever looks ahead does not ask the field
 * (deny): that takes evaluations, and the step asks when it is taken. But the stepper has to vouch for the whole of a
 * step without events, too: one that tests its steps when they are committed has not tested this one. */
#include "sim/trial.h"

#include "sim/delay.h"

#include <float.h>
#include <math.h>

#define SEEN 0.95    /* part of the way */
#define UNFELT 1e-3  /* of the tolerance, in one step */
#define NOTABLE 1e-3 /* part of a step */
#define AT_ONCE 1e-3 /* likewise */

/* Where f is a polynomial its differences vanish, and the predictor is believed however long the way to the surface is:
 * a corner of f on that way would be passed unseen, as nothing is evaluated at the surface. So a step that goes almost
 * to it has to pass the test of every other step (not quite: Newton's method must not be led out). Methods of fixed steps
 * have no test. */
static bool passes_test(brink_sim *sim, double reach) {
  brink_stepper *st = &sim->stepper;
  if (st->options->step > 0.0 || brink_stepper_attempt(st, SEEN * reach) != BRINK_TRY_ERROR)
    return true;
  sim->eval.stats.rejected++;
  return false;
}

brink_limit brink_trial_plan(brink_sim *sim, double t_stop, double *h) {
  brink_stepper *st = &sim->stepper;
  double most = fmin(t_stop - sim->t, fmin(sim->options.hmax, sim->detector.longest));
  most = fmin(most, fmin(brink_delay_limit(sim), brink_sim_flight_limit(sim)));
  st->ops->plan(st, most);
  brink_limit limit = st->ops->is_free
                          ? brink_detector_creeping(&sim->detector, &st->predictor, st->f)
                          : brink_detector_before(&sim->detector, &st->predictor, st->f, st->order,
                                                  brink_sim_smallest_step(sim));
  *h = limit.sigma < 1.0 ? limit.sigma * st->h_plan : st->h_plan;
  if (limit.event && limit.sigma > 0.0 && !st->ops->is_free) {
    if (passes_test(sim, *h)) {
      st->ops->plan(st, most); /* the attempt has made use of the predictor */
    } else {
      limit.event = false;
      *h = fmin(0.5 * *h, st->h_next);
    }
  }
  sim->stiffness.free = limit.sigma >= 1.0 && st->h_plan < 0.99 * most;
  return limit;
}

/* t + h is rounded, and the state must not move by h while time moves by something else: where that would be felt, h is
 * what time moves by. The difference of two neighbouring doubles is exact (Sterbenz 1974). */
double brink_trial_resolved(const brink_sim *sim, double h) {
  double t = sim->t, end = t + h, off = fabs((end - t) - h);
  double least = brink_sim_is_far(sim) ? 4.0 * DBL_EPSILON : NOTABLE;
  if (off <= least * h || off * brink_sim_speed(sim) <= UNFELT) return h;
  if (end - t > h) end = nextafter(end, (double)-INFINITY);
  if (!(end > t)) end = nextafter(t, (double)INFINITY);
  return end - t;
}

/* Does the field lead a guard inside at sigma, by more than all the way that it has gone? Only one that started within its
 * tolerance is asked about. */
static bool leads_inside(brink_sim *sim, size_t guard, double sigma) {
  brink_eval *eval = &sim->eval;
  const brink_path *dense = &sim->stepper.dense;
  double t = dense->t0 + sigma * dense->h, *x = sim->event_x;
  double y = eval->sgn[guard] * sim->detector.g0[guard];
  if (!(y <= brink_sim_tolerance(sim, guard, sim->t, sim->x))) return false;
  brink_path_eval(dense, sigma, x);
  if (brink_eval_rhs(eval, t, x, sim->instant.field) != BRINK_TRY_OK) return false;
  double rate = eval->sgn[guard] * brink_eval_rate(eval, guard, t, x, sim->instant.field);
  double there = fabs(brink_eval_guard(eval, guard, t, x));
  double taken = fmax(sigma * dense->h, brink_sim_smallest_step(sim));
  return rate * taken > 0.25 * fmax(fabs(y), there);
}

/* A path is as good as the states' tolerances, and may be far off for a guard that starts closer to its surface than
 * that (x' = 1 + sqrt(x) from 1e-9; a ball that bounces lower than its tolerance): then it leads to the surface where the
 * field leads away from it. At an event that was found. */
static bool field_denies_event(brink_sim *sim, double sigma) {
  const brink_detector *det = &sim->detector;
  for (size_t k = 0; k < det->nlocated; k++) {
    size_t guard = det->located[k].guard;
    bool asks = det->located[k].kind == BRINK_CROSSED ||
                sim->model->guards[guard].def.side == BRINK_UNILATERAL;
    if (asks && brink_detector_active(det, guard) && leads_inside(sim, guard, sigma)) return true;
  }
  return false;
}

/* The same at the end of a step by series, for unilateral guards: other methods ask before the step. */
static bool field_denies_end(brink_sim *sim) {
  const brink_detector *det = &sim->detector;
  for (size_t k = 0; k < det->reach.nnear; k++) {
    size_t guard = det->reach.near[k];
    if (sim->model->guards[guard].def.side == BRINK_UNILATERAL &&
        brink_detector_active(det, guard) && det->slope_new[guard] < 0.0 &&
        leads_inside(sim, guard, 1.0))
      return true;
  }
  return false;
}

/* Does the field contradict the path, where something is found, or at its end? */
static bool field_denies(brink_sim *sim, brink_found found) {
  bool watches = sim->stepper.ops->is_free && sim->eval.nwatch > 0;
  if (!found.event) return watches && field_denies_end(sim);
  /* Where no shorter step can be taken it is as it is. */
  bool can_look = watches || sim->stepper.h > 4.0 * brink_sim_smallest_step(sim);
  return can_look && sim->detector.ops->needs_paths && field_denies_event(sim, found.sigma);
}

/* Has a guard no value before what was found, or before the end? */
static bool is_undefined(brink_sim *sim, const brink_found *found, size_t *guard) {
  *guard = found->undefined;
  if (*guard == BRINK_NONE) return false;
  return !found->event ||
         !brink_detector_defined_until(&sim->detector, &sim->stepper.dense, found->sigma, guard);
}

static brink_trial reject(brink_sim *sim, brink_try why, double h_next) {
  if (why == BRINK_TRY_ERROR) sim->stepper.h_next = h_next;
  return (brink_trial){.result = BRINK_TRIAL_REJECTED, .why = why};
}

/* Release: BRINK_TRIAL_ACCEPTED if every surface keeps its hold up to `end`. */
static brink_trial release(brink_sim *sim, brink_found found, double end) {
  brink_trial trial = {.result = BRINK_TRIAL_ACCEPTED, .why = BRINK_TRY_OK, .found = found};
  if (sim->eval.nheld == 0) return trial;
  trial.loss = brink_slide_release(sim, &sim->stepper.dense, end);
  if (trial.loss.sigma <= end)
    trial.result = BRINK_TRIAL_RELEASED;
  else if (!trial.loss.unique)
    trial.result = BRINK_TRIAL_TANGLED;
  return trial;
}

static bool vouches(brink_stepper *st, double sigma) {
  return st->ops->vouches == NULL || st->ops->vouches(st, sigma);
}

brink_trial brink_trial_examine(brink_sim *sim, brink_found found, brink_trial_use use) {
  brink_stepper *st = &sim->stepper;
  double h = st->h, end = found.event ? found.sigma : 1.0;
  bool anew = use != BRINK_TRIAL_REST, ahead = use == BRINK_TRIAL_LOOK_AHEAD;
  size_t undefined;
  if (is_undefined(sim, &found, &undefined)) {
    sim->eval.bad_guard = undefined;
    return reject(sim, BRINK_TRY_REFUSED, 0.0);
  }
  double exit = brink_delay_exit(sim, &st->dense, end);
  if (exit < end) return reject(sim, BRINK_TRY_ERROR, exit * h);
  double cut = brink_detector_cut(&sim->detector, &found, anew ? 0.0 : sim->step.passed, h);
  if (cut > 0.0) return reject(sim, BRINK_TRY_ERROR, cut);
  brink_trial trial = release(sim, found, end);
  bool held = trial.result == BRINK_TRIAL_ACCEPTED;
  if (held && anew && found.unsure > 0.0 && found.unsure * h > 4.0 * brink_sim_smallest_step(sim))
    return reject(sim, BRINK_TRY_ERROR, 0.5 * found.unsure * h);
  if (held && use == BRINK_TRIAL_STEP && field_denies(sim, found))
    return reject(sim, BRINK_TRY_ERROR, (end > AT_ONCE ? 0.5 * end : 0.25) * h);
  double asked = held ? end : fmin(trial.loss.sigma, end);
  bool asks = ahead || (anew && held && found.event);
  if (asks && !vouches(st, asked)) return reject(sim, BRINK_TRY_ERROR, st->h_next);
  if (held && found.event && !brink_sim_event_stands(sim, &st->dense, end))
    return reject(sim, BRINK_TRY_ERROR, 0.5 * end * h);
  if (held && found.event) trial.result = BRINK_TRIAL_EVENT;
  return trial;
}

brink_trial brink_trial_attempt(brink_sim *sim, double h, brink_trial_use use) {
  brink_stepper *st = &sim->stepper;
  sim->eval.bad_guard = BRINK_NONE;
  brink_try outcome = brink_stepper_attempt(st, h);
  if (outcome != BRINK_TRY_OK) return (brink_trial){.result = BRINK_TRIAL_REJECTED, .why = outcome};
  brink_found found = brink_detector_after(&sim->detector, &st->dense, st->x_new);
  return brink_trial_examine(sim, found, use);
}

double brink_trial_shorter(brink_sim *sim, brink_try why, double h) {
  sim->eval.stats.rejected++;
  return why == BRINK_TRY_ERROR ? fmin(sim->stepper.h_next, 0.9 * h) : 0.25 * h;
}
