/* look_ahead.c: what the next step will be, if nobody intervenes. See pack.h.
 *
 * The same trial steps as in loop.c, but nothing is committed, nothing acts. */
#include <math.h>

#include "sim/pack.h"
#include "sim/trial.h"

/* The step ends at sigma of the path, by an event or by itself. */
static brink_status until(brink_sim *sim, const brink_path *path, double sigma, bool event,
                          double t_stop, brink_look_ahead *ahead) {
  bool whole = sigma >= 1.0 && path->h >= t_stop - sim->t; /* as loop.c ends such a step */
  double end = whole ? t_stop : sim->t + sigma * path->h;
  *ahead = (brink_look_ahead){.path = path, .end = end, .event = event};
  return BRINK_STEPPED;
}

/* Would the step leave nothing behind but its end? Then nobody has to look at it again (loop.c). */
static bool is_plain(const brink_sim *sim, double end) {
  const brink_detector *det = &sim->detector;
  const brink_eval *eval = &sim->eval;
  if (sim->observers != NULL || eval->nheld > 0 || eval->n != eval->nx || det->nmisses > 0 ||
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
static brink_status now(brink_sim *sim, brink_look_ahead *ahead) {
  *ahead = (brink_look_ahead){.path = NULL, .end = sim->t, .event = true};
  return BRINK_STEPPED;
}

/* The same where no step is left: what is as near as time can tell is reached at once (arrive.c). */
static brink_status at_once(brink_sim *sim, double t_stop, brink_look_ahead *ahead) {
  now(sim, ahead);
  if (brink_sim_may_skip(sim, t_stop)) ahead->end = t_stop;
  return BRINK_STEPPED;
}

static brink_status attempt(brink_sim *sim, double h, double t_stop, brink_look_ahead *ahead) {
  const brink_path *dense = &sim->stepper.dense;
  double hmin = brink_sim_smallest_step(sim), wanted = brink_trial_resolved(sim, h);
  while (h >= hmin) {
    h = brink_trial_resolved(sim, h);
    brink_trial trial = brink_trial_attempt(sim, h, BRINK_TRIAL_LOOK_AHEAD);
    if (trial.result != BRINK_TRIAL_REJECTED) {
      bool event = trial.result != BRINK_TRIAL_ACCEPTED;
      double end = trial.found.event ? trial.found.sigma : 1.0;
      if (event && trial.result != BRINK_TRIAL_EVENT) end = fmin(trial.loss.sigma, end);
      until(sim, dense, end, event, t_stop, ahead);
      bool plain = !event && h == wanted && is_plain(sim, ahead->end);
      sim->next.h = plain ? h : 0.0;
      sim->next.end = ahead->end;
      return BRINK_STEPPED;
    }
    h = brink_trial_shorter(sim, trial.why, h);
    if (trial.why == BRINK_TRY_FATAL) break;
  }
  return at_once(sim, t_stop, ahead);
}

brink_status brink_sim_look_ahead(brink_sim *sim, double t_limit, brink_look_ahead *ahead,
                                  brink_diag *diag) {
  sim->next.h = 0.0;
  brink_status status = brink_sim_prepare(sim, diag);
  if (status != BRINK_OK) return status;
  if (brink_sim_due(sim)) return now(sim, ahead);
  double t_stop = fmin(t_limit, brink_sim_next_tick(sim));
  if (!(t_stop > sim->t)) return now(sim, ahead);
  double h;
  brink_limit limit = brink_trial_plan(sim, t_stop, &h);
  if (limit.event) return until(sim, &sim->stepper.predictor, limit.sigma, true, t_stop, ahead);
  return attempt(sim, h, t_stop, ahead);
}
