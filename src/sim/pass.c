/* pass.c: events that change nothing.
 *
 * Many guards are there to be recorded: a range, a marker, a condition that no rule acts on. If nothing of
 * an event's instant changes a state, a parameter or a mode, and the right-hand side does not read the
 * sign that changed, then the step that contains it is as good as before: it is not cut,
 * the method keeps its history and its order. For the sink, the caller and the detector the step ends at
 * the event and another begins there; for the stepper it is one. Between the two calls the stepper's step
 * is attempted but not committed, and the state shown to others is that at the event. What the detector
 * found out about other guards in this step still holds.
 *
 * That the right-hand side does not read a sign is known from the model (unread), or seen from its values: they are the same
 * bit by bit with both signs, at the event and at the end of the step. The end counts, as a right-hand side with a mere
 * kink at the surface differs there. Guards by callbacks are asked in the same way. Where other guards are watched
 * from here on, the step ends: nobody has looked at them in it. */
#include <string.h>

#include "sim/sim.h"

/* Is there nothing about these events that has to be looked at more closely? */
static bool plain(const brink_sim *sim, double sigma) {
  const brink_eval *eval = &sim->eval;
  if (!sim->detector.ops->needs_paths || eval->nheld > 0 || sigma >= 1.0) return false;
  for (size_t k = 0; k < sim->instant.nlocated; k++) {
    const brink_guard_def *guard = &sim->model->guards[sim->instant.located[k].guard].def;
    if (guard->side == BRINK_UNILATERAL || sim->instant.located[k].kind != BRINK_CROSSED)
      return false;
  }
  return true;
}

/* The field at the end of the step with the signs before and after the event. (Where no sign was set that it may read, it
 * need not be asked.) */
static bool same_at_end(brink_sim *sim) {
  brink_eval *eval = &sim->eval;
  if (eval->read_signs == sim->step.signs) return true;
  size_t count = sim->model->def.nguards;
  const double *x = sim->stepper.x_new;
  if (brink_eval_rhs(eval, sim->step.end, x, sim->event_x) != BRINK_TRY_OK) return false;
  for (size_t k = 0; k < count; k++) { /* exchange */
    signed char sign = eval->sgn[k];
    eval->sgn[k] = sim->step.sgn_before[k];
    sim->step.sgn_before[k] = sign;
  }
  brink_try outcome = brink_eval_rhs(eval, sim->step.end, x, sim->instant.field);
  memcpy(eval->sgn, sim->step.sgn_before, count);
  return outcome == BRINK_TRY_OK &&
         memcmp(sim->event_x, sim->instant.field, eval->nx * sizeof *sim->instant.field) == 0;
}

/* Has every guard with an action gone through its surface? Where the field leads one back at once, against the path that
 * led it there, its events would follow each other without end in what is left of the step. */
static bool went_through(const brink_sim *sim) {
  for (size_t k = 0; k < sim->nevents && sim->instant.count > 0; k++) {
    size_t guard = sim->events[k].guard;
    if (sim->model->guards[guard].def.action != NULL &&
        sim->eval.sgn[guard] != (int)sim->events[k].direction)
      return false;
  }
  return true;
}

static bool without_consequence(brink_sim *sim) {
  return brink_sim_has_begun(sim) && !sim->instant.changed && !sim->instant.split &&
         !sim->instant.rewatched && sim->eval.nheld == 0 && went_through(sim) &&
         brink_sim_next_tick(sim) >= sim->step.end && !brink_sim_due(sim) &&
         brink_detector_may_go_on(&sim->detector, sim->step.end, sim->stepper.x_new) &&
         same_at_end(sim);
}

/* The stepper keeps the start of its step while others see the present. */
static void step_inside(brink_sim *sim, double t_end) {
  memcpy(sim->step.x, sim->x, sim->eval.n * sizeof *sim->step.x);
  sim->step.t = sim->t;
  sim->step.end = t_end;
  sim->stepper.dense.x0 = sim->step.x; /* some methods have it in stepper.x */
  sim->step.kept = false;
}

/* The dense output of the step, up to t, for brink_sim_at. */
void brink_sim_keep_inside(brink_sim *sim, double t) {
  if (!sim->step.kept) brink_sim_keep_dense(sim, &sim->stepper.dense, t);
  sim->step.kept = true;
  sim->last_end = t;
}

brink_status brink_sim_pass(brink_sim *sim, double sigma, double t_end, brink_diag *diag) {
  const brink_path *dense = &sim->stepper.dense;
  if (sim->phase != BRINK_PHASE_INSIDE) step_inside(sim, t_end);
  if (!plain(sim, sigma)) {
    brink_status status = brink_sim_arrive(sim, dense, sigma, false, t_end, diag);
    brink_sim_give_up_step(sim);
    return status;
  }
  /* Somebody may ask for the state before the event while it is being recorded. */
  bool keep = sim->keep || sim->sink.event != NULL;
  double before = sim->t;
  memcpy(sim->step.sgn_before, sim->eval.sgn, sim->model->def.nguards);
  sim->step.signs = sim->eval.read_signs;
  if (keep) brink_sim_keep_inside(sim, dense->t0 + sigma * dense->h);
  sim->led = false;
  sim->instant.passing = true;
  brink_status status = brink_sim_arrive(sim, dense, sigma, false, t_end, diag);
  sim->instant.passing = false;
  if (status == BRINK_OK && without_consequence(sim)) {
    sim->phase = BRINK_PHASE_INSIDE;
    sim->step.passed = sigma;
    sim->stepper.f_ready = false;
  } else {
    if (!keep && sim->t > before) brink_sim_keep_inside(sim, sim->t);
    sim->led = sim->t > before;
    brink_sim_note_jump(sim);
  }
  return status;
}

void brink_sim_give_up_step(brink_sim *sim) {
  if (sim->phase == BRINK_PHASE_INSIDE) sim->phase = BRINK_PHASE_RESTART;
}

brink_try brink_sim_commit_rest(brink_sim *sim) {
  size_t bytes = sim->eval.n * sizeof *sim->x;
  double present = sim->t;
  memcpy(sim->event_x, sim->x, bytes);
  memcpy(sim->x, sim->step.x, bytes);
  sim->stepper.t = sim->step.t;
  sim->eval.centre = NULL;
  brink_try outcome = brink_stepper_commit(&sim->stepper);
  if (outcome != BRINK_TRY_OK) {
    memcpy(sim->x, sim->event_x, bytes);
    sim->stepper.t = present;
  }
  sim->phase = outcome == BRINK_TRY_OK ? BRINK_PHASE_RUN : BRINK_PHASE_RESTART;
  return outcome;
}
