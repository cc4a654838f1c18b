/* trial.h: one trial step: how far it may go, whether it is good, and what happens in it. Nothing is committed. */
#ifndef BRINK_SIM_TRIAL_H
#define BRINK_SIM_TRIAL_H

#include "sim/sim.h"

/* What a trial is for. */
typedef enum brink_trial_use {
  BRINK_TRIAL_STEP,       /* the step is taken, if nothing is against it */
  BRINK_TRIAL_REST,       /* what is left of a step behind an event that changed nothing */
  BRINK_TRIAL_LOOK_AHEAD, /* somebody wants to know; the step is taken later, or never */
} brink_trial_use;

typedef enum brink_trial_result {
  BRINK_TRIAL_ACCEPTED, /* nothing happens up to its end */
  BRINK_TRIAL_EVENT,    /* located events at found.sigma */
  BRINK_TRIAL_RELEASED, /* the fields let go of the surface of loss.guard at loss.sigma */
  BRINK_TRIAL_TANGLED,  /* the field on several surfaces is not determined */
  BRINK_TRIAL_REJECTED, /* `why`; a shorter one may succeed */
} brink_trial_result;

typedef struct brink_trial {
  brink_trial_result result;
  brink_try why;
  brink_found found;
  brink_grip_loss loss;
} brink_trial;

/* The stepper plans a step, at most to t_stop, and the detector says how far it may go: *h. `event` of the result: a
 * unilateral surface is reached along the predictor. */
brink_limit brink_trial_plan(brink_sim *sim, double t_stop, double *h);

/* A step of about h, at most h, that leads from the present to a time that can be represented; at least to the next one.
 * h itself, where the difference does not matter to any state. */
double brink_trial_resolved(const brink_sim *sim, double h);

/* A step of size h, and all questions about it. */
brink_trial brink_trial_attempt(brink_sim *sim, double h, brink_trial_use use);

/* The questions alone, about what the detector has found in the attempted step, or in its rest. */
brink_trial brink_trial_examine(brink_sim *sim, brink_found found, brink_trial_use use);

/* The size to try after a step of size h that did not succeed; it counts as rejected. */
double brink_trial_shorter(brink_sim *sim, brink_try why, double h);

#endif
