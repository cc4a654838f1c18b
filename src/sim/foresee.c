/* foresee.c: what the next step will be, if nobody intervenes. See pack.h.
 *
 * The same questions in the same order as in loop.c, but nothing is committed, nothing acts. What is foreseen is
 * good: a stepper that tests its steps when they are committed vouches for this one now. */
#include "sim/pack.h"

#include <math.h>

#define AS_NEAR 64.0 /* smallest steps: arrive.c, brink_sim_no_step_left */

/* The step ends at sigma of the path, by an event or by itself. */
static brink_status until(brink_sim *sim, const brink_path *path, double sigma, bool event,
                          double t_stop, brink_foresight *foresight) {
  bool whole = sigma >= 1.0 && path->h >= t_stop - sim->t; /* as loop.c ends such a step */
  double end = whole ? t_stop : sim->t + sigma * path->h;
  *foresight = (brink_foresight){.path = path, .end = end, .event = event};
  return BRINK_STEPPED;
}

/* Would the step leave nothing behind but its end? Then nobody has to look at it again (loop.c). */
static bool is_plain(const brink_sim *sim, double end) {
  const brink_detector *det = &sim->detector;
  const brink_eval *eval = &sim->eval;
  if (sim->onlookers != NULL || eval->nheld > 0 || eval->n != eval->nx || det->nmisses > 0 ||
      sim->detour > 0 || !(end < brink_sim_next_tick(sim)))
    return false;
  for (size_t j = 0; j < det->reach.nnear; j++) {
    size_t k = det->reach.near[j];
    bool quiet = !det->touched[k] && eval->slack[k] == 0.0 && eval->sgn[k] * det->g1[k] > 0.0;
    if (eval->enabled[k] && !quiet) return false;
  }
  return true;
}

/* Something that only a step can tell: there is no way to know how far the agent gets. The step is taken as it
 * comes, at the present. */
static brink_status now(brink_sim *sim, brink_foresight *foresight) {
  *foresight = (brink_foresight){.path = NULL, .end = sim->t, .event = true};
  return BRINK_STEPPED;
}

/* The same where no step is left: what is as near as time can tell is reached at once (arrive.c). */
static brink_status at_once(brink_sim *sim, double t_stop, brink_foresight *foresight) {
  now(sim, foresight);
  if (t_stop - sim->t <= AS_NEAR * brink_sim_smallest_step(sim)) foresight->end = t_stop;
  return BRINK_STEPPED;
}

/* Where the state is held on a surface, being let go of it is an event. */
static void let_go(brink_sim *sim, brink_found *found) {
  if (sim->eval.nheld == 0) return;
  double end = found->event ? found->sigma : 1.0;
  brink_grip_loss loss = brink_slide_release(sim, &sim->stepper.dense, end);
  if (loss.sigma > end && loss.unique) return;
  found->event = true;
  found->sigma = fmin(loss.sigma, end);
}

static brink_status attempt(brink_sim *sim, double h, double t_stop, brink_foresight *foresight) {
  brink_stepper *st = &sim->stepper;
  double hmin = brink_sim_smallest_step(sim), wanted = h;
  while (h >= hmin) {
    brink_try outcome = brink_stepper_attempt(st, h);
    brink_found found = {.sigma = 1.0, .undefined = BRINK_NONE};
    if (outcome == BRINK_TRY_OK) {
      found = brink_detector_after(&sim->detector, &st->dense, st->x_new);
      double cut = brink_detector_cut(&sim->detector, &found, 0.0, h);
      bool unsure = found.unsure > 0.0 && found.unsure * h > 4.0 * hmin;
      let_go(sim, &found);
      double end = found.event ? found.sigma : 1.0;
      if (found.undefined != BRINK_NONE) outcome = BRINK_TRY_REFUSED;
      if (unsure) st->h_next = 0.5 * found.unsure * h;
      if (cut > 0.0) st->h_next = cut;
      if (unsure || cut > 0.0 || (st->ops->vouches != NULL && !st->ops->vouches(st, end)))
        outcome = BRINK_TRY_ERROR;
    }
    if (outcome == BRINK_TRY_OK) {
      until(sim, &st->dense, found.event ? found.sigma : 1.0, found.event, t_stop, foresight);
      bool plain = !found.event && h == wanted && is_plain(sim, foresight->end);
      sim->foreseen = plain ? h : 0.0;
      sim->foreseen_end = foresight->end;
      return BRINK_STEPPED;
    }
    sim->eval.stats.rejected++;
    if (outcome == BRINK_TRY_FATAL) break;
    h = outcome == BRINK_TRY_ERROR ? fmin(st->h_next, 0.9 * h) : 0.25 * h;
  }
  return at_once(sim, t_stop, foresight);
}

brink_status brink_sim_foresee(brink_sim *sim, double t_limit, brink_foresight *foresight,
                               brink_diag *diag) {
  brink_stepper *st = &sim->stepper;
  sim->foreseen = 0.0;
  brink_status status = brink_sim_prepare(sim, diag);
  if (status != BRINK_OK) return status;
  if (brink_sim_due(sim)) return now(sim, foresight);
  double t_stop = fmin(t_limit, brink_sim_next_tick(sim));
  if (!(t_stop > sim->t)) return now(sim, foresight);
  st->ops->plan(st, fmin(t_stop - sim->t, fmin(sim->options.hmax, sim->detector.longest)));
  double hmin = brink_sim_smallest_step(sim);
  brink_limit limit =
      st->ops->foretells
          ? brink_detector_creeping(&sim->detector, &st->predictor, st->f)
          : brink_detector_before(&sim->detector, &st->predictor, st->f, st->order, hmin);
  if (limit.event) return until(sim, &st->predictor, limit.sigma, true, t_stop, foresight);
  double h = limit.sigma < 1.0 ? limit.sigma * st->h_plan : st->h_plan;
  return attempt(sim, h, t_stop, foresight);
}
