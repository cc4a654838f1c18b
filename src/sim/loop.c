/* loop.c: the whole simulator is this loop.
 *
 *   plan     the stepper offers a predictor polynomial and a step it would like
 *   before   how far may it go?               (event/extrapolate.c)
 *   attempt  the step is taken; every evaluation of the model inside it is asked for first
 *                                              (model/eval.c: brink_eval_may)
 *   after    what happened inside?             (event/interpolate.c, event/textbook.c)
 *   instant  events, clocks, rules, resets      (sim/instant.c)
 *   record   the step and the events go to the sink
 *
 * Discontinuity locking (Cellier 1979): modes, signs and parameters are constant during a step; the
 * step that contains an event is cut at it. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/delay.h"
#include "sim/lanes.h"
#include "sim/trial.h"

#define NUDGES 5 /* a start may be late by 1, 2, 4, … units in the last place of time: so often */

/* ---- starting ---- */

/* A unilateral guard that the state is outside of: by the side that it declares, and below zero where it
 * declares none (so edges are written). BRINK_NONE: there is none. */
static size_t edge_passed(brink_sim *sim) {
  for (size_t k = 0; k < sim->model->def.nguards; k++) {
    if (sim->model->guards[k].def.side != BRINK_UNILATERAL || !sim->eval.enabled[k]) continue;
    int inside = brink_sim_inside(sim, k);
    double g = brink_eval_guard(&sim->eval, k, sim->t, sim->x);
    if ((inside != 0 ? inside : 1) * g < 0.0) return k;
  }
  return BRINK_NONE;
}

static brink_status undefined_here(brink_sim *sim, brink_try outcome, brink_diag *diag) {
  const brink_eval *eval = &sim->eval;
  if (outcome == BRINK_TRY_UNSOLVED) return brink_sim_unsolved(sim, diag);
  if (outcome == BRINK_TRY_FATAL)
    return brink_sim_fail(sim, diag, BRINK_REASON_RHS_FAILED, (brink_arguments){0});
  if (outcome == BRINK_TRY_OUTSIDE)
    return brink_sim_fail(sim, diag, BRINK_REASON_PAST_GUARD,
                          (brink_arguments){.guard = eval->outside_of});
  size_t edge = edge_passed(sim);
  brink_arguments found = {.state = eval->bad_state, .guard = edge};
  if (edge != BRINK_NONE) found.value = brink_eval_guard(&sim->eval, edge, sim->t, sim->x);
  bool refused = eval->bad_state == BRINK_NONE;
  return brink_sim_fail(sim, diag, refused ? BRINK_REASON_RHS_REFUSED : BRINK_REASON_RHS_NOT_FINITE,
                        found);
}

/* Appended guard states are the guards: their drift is taken out at every step. */
static void reset_appended(brink_sim *sim, const double *values) {
  const brink_eval *eval = &sim->eval;
  for (size_t c = eval->nx; c < eval->n; c++) sim->x[c] = values[eval->appended[c - eval->nx]];
}

/* Time, and what is led along the path that ended here, a few doubles later. Nothing else may have changed the state. */
static void nudge(brink_sim *sim, double t) {
  const brink_path *path = &sim->last;
  double sigma = path->terms > 0 ? (t - path->t0) / path->h : 0.0;
  sim->t = sim->stepper.t = t;
  if (!sim->led || !(sigma > 0.0 && sigma <= 1.0 + 1e-9)) return;
  brink_path_eval(path, sigma, sim->event_x);
  memcpy(sim->x, sim->event_x, sim->model->def.nx * sizeof(double));
}

/* The event of a condition was located a rounding error before its surface, and what holds from now on has no value there
 * (sqrt(x - 1) a little before 1). Time cannot be told more exactly: a few doubles later there may be one. */
static brink_try start_beyond(brink_sim *sim, brink_try outcome) {
  size_t size = sim->model->def.nx * sizeof(double);
  double before = sim->t, ulp = nextafter(before, (double)INFINITY) - before;
  if (outcome != BRINK_TRY_REFUSED || sim->instant.t != before || sim->eval.nheld > 0 ||
      memcmp(sim->x, sim->instant.pre_x, size) != 0 || edge_passed(sim) != BRINK_NONE)
    return outcome;
  for (int k = 0; k < NUDGES && outcome == BRINK_TRY_REFUSED; k++) {
    double t = before + ldexp(ulp, k);
    if (!(t <= sim->limit) || !(t < brink_sim_next_tick(sim))) break;
    nudge(sim, t);
    outcome = sim->stepper.ops->start(&sim->stepper);
  }
  double there = sim->t;
  sim->t = sim->stepper.t = before;
  if (outcome != BRINK_TRY_OK) {
    memcpy(sim->x, sim->instant.pre_x, size);
    return outcome;
  }
  brink_sim_note_skip(sim, there);
  sim->t = sim->stepper.t = there;
  brink_detector_reset(&sim->detector, sim->t, sim->x);
  reset_appended(sim, sim->detector.g0);
  return outcome;
}

static brink_status restart(brink_sim *sim, brink_diag *diag) {
  sim->stepper.t = sim->t;
  sim->eval.centre = NULL;
  brink_sim_solve_unknowns(sim);
  brink_detector_reset(&sim->detector, sim->t, sim->x);
  reset_appended(sim, sim->detector.g0);
  if (sim->stepper.f_ready)
    memcpy(sim->stepper.f, sim->instant.settled, sim->eval.nx * sizeof(double));
  brink_stiff_interrupt(sim);
  sim->stepper.age = 0;
  brink_stepper_choose(&sim->stepper);
  if (sim->detour > 0) brink_stepper_substitute(&sim->stepper);
  brink_try outcome = sim->stepper.ops->start(&sim->stepper);
  if (outcome == BRINK_TRY_REFUSED && brink_stiff_give_up(sim))
    outcome = sim->stepper.ops->start(&sim->stepper);
  if (outcome == BRINK_TRY_REFUSED && brink_stepper_substitute(&sim->stepper))
    outcome = sim->stepper.ops->start(&sim->stepper);
  outcome = start_beyond(sim, outcome);
  if (outcome != BRINK_TRY_OK) return undefined_here(sim, outcome, diag);
  sim->detector.looks_on = sim->stepper.ops->starts_slowly;
  brink_sim_note_flights(sim);
  if (sim->stiffness.hint > 0.0) sim->stepper.h_next = sim->stiffness.hint;
  sim->stiffness.hint = 0.0;
  if (!sim->stepper.ops->is_free)
    brink_detector_start_flat(&sim->detector, sim->t, sim->x, sim->stepper.f);
  if (sim->phase == BRINK_PHASE_RESTART) sim->phase = BRINK_PHASE_RUN;
  sim->eval.stats.restarts++;
  return sim->eval.nheld > 0 ? brink_sim_check_laws(sim, diag) : BRINK_OK;
}

/* The first instant: signs of the guards, clocks that tick at the start, rules. */
static brink_status begin(brink_sim *sim, brink_diag *diag) {
  bool again;
  brink_status status = brink_delay_begin(sim, 0, &again, diag);
  if (status == BRINK_OK) status = brink_sim_start_constraints(sim, diag);
  if (status != BRINK_OK) return status;
  brink_audit_accept(&sim->eval, sim->t, sim->x);
  status = brink_sim_start_signs(sim, diag);
  for (size_t round = 1; again && status == BRINK_OK; round++) {
    status = brink_delay_begin(sim, round, &again, diag);
    if (again && status == BRINK_OK) status = brink_sim_start_signs(sim, diag);
  }
  if (status != BRINK_OK) return status;
  sim->phase = BRINK_PHASE_RESTART;
  return brink_sim_instant(sim, diag);
}

/* What was unpacked is looked at by the detector when it has to. */
static void fill_detector(brink_sim *sim) {
  if (!sim->unseen) return;
  sim->unseen = false;
  brink_reach_reset(&sim->detector.reach);
  if (!brink_sim_restarts(sim)) brink_detector_reset(&sim->detector, sim->t, sim->x);
}

brink_status brink_sim_prepare(brink_sim *sim, brink_diag *diag) {
  fill_detector(sim);
  brink_status status = brink_sim_has_begun(sim) ? BRINK_OK : begin(sim, diag);
  brink_sim_give_up_step(sim);
  return status == BRINK_OK && brink_sim_restarts(sim) ? restart(sim, diag) : status;
}

/* ---- one step ---- */

/* The simulation moves to what happens in a trial step, and through its instant. */
static brink_status follow(brink_sim *sim, const brink_trial *trial, double t_end,
                           brink_diag *diag) {
  const brink_path *dense = &sim->stepper.dense;
  brink_found found = trial->found;
  brink_status status;
  if (trial->result == BRINK_TRIAL_TANGLED)
    return brink_slide_tangled(sim, trial->loss.guard, diag);
  if (trial->result == BRINK_TRIAL_RELEASED) {
    sim->instant.nlocated = 0;
    status = brink_sim_arrive(sim, dense, trial->loss.sigma, false, t_end, diag);
    /* A clock or a rule of that instant may have ended it already. */
    bool held = sim->eval.is_held[trial->loss.guard];
    return status == BRINK_OK && held ? brink_slide_leave(sim, trial->loss.guard, diag) : status;
  }
  if (!found.chord && sim->detector.ops->one_sided)
    brink_detector_join(&sim->detector, dense, &found);
  if (sim->phase == BRINK_PHASE_INSIDE) found.sigma = fmax(found.sigma, sim->step.passed);
  sim->instant.nlocated = sim->detector.nlocated;
  memcpy(sim->instant.located, sim->detector.located,
         sim->instant.nlocated * sizeof *sim->instant.located);
  status = found.chord ? brink_sim_arrive(sim, dense, found.sigma, true, t_end, diag)
                       : brink_sim_pass(sim, found.sigma, t_end, diag);
  return status == BRINK_OK && sim->instant.count > 0 ? BRINK_EVENT : status;
}

/* Does anything happen in it? */
static bool is_eventful(const brink_trial *trial) {
  return trial->result != BRINK_TRIAL_ACCEPTED && trial->result != BRINK_TRIAL_REJECTED;
}

/* The step was committed: the simulation moves to its end. */
static brink_status finish_step(brink_sim *sim, double t_end, brink_diag *diag) {
  double t0 = sim->t;
  if (sim->detour > 0 && --sim->detour == 0) brink_sim_restart(sim); /* back to series */
  if (sim->stepper.stalls) brink_sim_go_around(sim);
  sim->t = sim->stepper.t = t_end;
  if (sim->last_end != t_end) sim->last.terms = 0; /* not kept */
  sim->led = brink_sim_ends_at_instant(sim, t_end);
  brink_audit_accept(&sim->eval, sim->t, sim->x);
  brink_sim_note_moved(sim, t0);
  brink_detector_commit(&sim->detector, sim->t, sim->x);
  brink_status lawful = brink_sim_check_signs(sim, diag);
  reset_appended(sim, sim->detector.g0);
  if (lawful == BRINK_OK && sim->eval.nheld > 0) lawful = brink_sim_check_laws(sim, diag);
  if (sim->eval.nheld > 0) brink_slide_project(sim);
  if (sim->stiffness.watches && !sim->stiffness.seen) brink_stiff_note(sim);
  brink_status status = brink_sim_record_step(sim, t0);
  if (lawful == BRINK_OK) lawful = brink_sim_judge(sim, true, diag);
  if (lawful != BRINK_OK) return lawful;
  return status == BRINK_OK ? brink_sim_record_misses(sim, true) : status;
}

/* Tries steps from h downwards until one is accepted by the stepper, by the detector, and, at its
 * end, by the domain check. */
static brink_status take_step(brink_sim *sim, double h, double t_stop, brink_diag *diag) {
  brink_stepper *st = &sim->stepper;
  double hmin = brink_sim_smallest_step(sim);
  for (;;) {
    h = brink_trial_resolved(sim, h);
    double t_end = h >= t_stop - sim->t ? t_stop : sim->t + h;
    brink_trial trial = brink_trial_attempt(sim, h, BRINK_TRIAL_STEP);
    if (is_eventful(&trial)) return follow(sim, &trial, t_end, diag);
    brink_try outcome = trial.why;
    if (outcome == BRINK_TRY_OK) {
      if (sim->keep || brink_sim_ends_at_instant(sim, t_end))
        brink_sim_keep_dense(sim, &st->dense, t_end);
      outcome = brink_stepper_commit(st);
    }
    if (outcome == BRINK_TRY_OK) return finish_step(sim, t_end, diag);
    h = brink_trial_shorter(sim, outcome, h);
    if (outcome == BRINK_TRY_FATAL) return undefined_here(sim, outcome, diag);
    if (h < hmin) return brink_sim_no_step_left(sim, outcome, t_stop, diag);
  }
}

/* The step that somebody has looked ahead to: nothing is looked for, nothing is kept. False: the method does not take it now. */
static bool take_next(brink_sim *sim, brink_status *status) {
  brink_stepper *st = &sim->stepper;
  double t0 = sim->t, h = sim->next.h;
  sim->next.h = 0.0;
  brink_try outcome =
      st->ops->retake != NULL ? st->ops->retake(st, h) : brink_stepper_attempt(st, h);
  if (outcome == BRINK_TRY_OK && st->ops->retake == NULL) outcome = brink_stepper_commit(st);
  if (outcome != BRINK_TRY_OK) return false;
  sim->t = st->t = sim->next.end;
  if (st->stalls) brink_sim_go_around(sim);
  brink_audit_accept(&sim->eval, sim->t, sim->x);
  sim->unseen = true;
  sim->led = false;
  sim->last.terms = 0;
  *status = brink_sim_record_step(sim, t0);
  return true;
}

/* What is left of a step after events that changed nothing. */
static brink_status take_rest(brink_sim *sim, brink_diag *diag) {
  sim->eval.bad_guard = BRINK_NONE;
  bool look = brink_detector_wants_rest(&sim->detector);
  if (look)
    brink_path_rest(&sim->step.rest, &sim->stepper.dense, sim->step.passed, sim->t, sim->x,
                    sim->step.rest_memory);
  brink_found found =
      brink_detector_next(&sim->detector, look ? &sim->step.rest : NULL, sim->step.passed);
  brink_trial trial = brink_trial_examine(sim, found, BRINK_TRIAL_REST);
  if (is_eventful(&trial)) return follow(sim, &trial, sim->step.end, diag);
  if (trial.result ==
      BRINK_TRIAL_REJECTED) { /* a guard has no value on the way: shorter steps from here */
    brink_sim_give_up_step(sim);
    return BRINK_OK;
  }
  if (sim->keep || brink_sim_ends_at_instant(sim, sim->step.end))
    brink_sim_keep_inside(sim, sim->step.end);
  brink_try outcome = brink_sim_commit_rest(sim);
  if (outcome == BRINK_TRY_OK) return finish_step(sim, sim->step.end, diag);
  sim->eval.stats.rejected++;
  return outcome == BRINK_TRY_FATAL ? undefined_here(sim, outcome, diag) : BRINK_OK;
}

/* All that is reached at the present. */
static void collect_present(brink_sim *sim) {
  sim->instant.nlocated = 0;
  if (!brink_sim_restarts(sim))
    brink_sim_collect_reached(sim, sim->t, sim->x, sim->stepper.f, BRINK_NONE);
  brink_sim_collect_soon(sim);
}

/* Clocks or rules are due; events of the same instant come before them. */
static brink_status tick(brink_sim *sim, brink_diag *diag) {
  collect_present(sim);
  brink_status status = brink_sim_instant(sim, diag);
  if (status != BRINK_OK) return status;
  return sim->instant.count > 0 ? BRINK_EVENT : BRINK_STEPPED;
}

/* Surfaces that are reached where the call ends: nobody comes back to find them. */
static bool reaches_at_end(brink_sim *sim) {
  if (sim->t < sim->limit) return false;
  if (sim->unseen) { /* nobody has looked at guards in this step */
    fill_detector(sim);
    brink_reach_mark(&sim->detector.reach, 0.0);
  }
  collect_present(sim);
  return sim->instant.nlocated > 0;
}

/* A step has carried guards past their surfaces, and nobody saw where: by rounding, as a rule. They fire here: a sign
 * that changed without its event would be a wrong answer in silence. */
static brink_status fire_passed(brink_sim *sim, brink_diag *diag) {
  const brink_detector *det = &sim->detector;
  brink_eval *eval = &sim->eval;
  sim->instant.nlocated = 0;
  for (size_t j = 0; j < det->reach.nnear; j++) {
    size_t k = det->reach.near[j];
    int sign = eval->sgn[k];
    brink_located ev = {.guard = k, .kind = BRINK_CROSSED, .direction = brink_leaving(sign)};
    if (brink_detector_active(det, k) && sign * det->g0[k] < -eval->slack[k] &&
        brink_detector_wants(det, k, ev.direction))
      sim->instant.located[sim->instant.nlocated++] = ev;
  }
  sim->detector.passed = false;
  brink_sim_restart(sim);
  brink_status status = brink_sim_instant(sim, diag);
  if (status != BRINK_OK) return status;
  return sim->instant.count > 0 ? BRINK_EVENT : BRINK_STEPPED;
}

/* After a step that ended without an event: what is due at its end. */
static brink_status end_step(brink_sim *sim, brink_status status, brink_diag *diag) {
  if (status != BRINK_OK) return status;
  if (sim->detector.passed) return fire_passed(sim, diag);
  return brink_sim_due(sim) || reaches_at_end(sim) ? tick(sim, diag) : BRINK_STEPPED;
}

/* STEPPED, EVENT, STOPPED or a failure. */
static brink_status step(brink_sim *sim, double t_limit, brink_diag *diag) {
  brink_status taken, hopped;
  if (sim->next.h > 0.0 && take_next(sim, &taken)) return end_step(sim, taken, diag);
  fill_detector(sim);
  brink_status known = brink_delay_refresh(sim, diag);
  if (known != BRINK_OK) return known;
  if (brink_sim_due(sim)) return tick(sim, diag); /* set, or left, to the present */
  if (sim->step.end > t_limit) brink_sim_give_up_step(sim);
  if (sim->phase == BRINK_PHASE_INSIDE) return end_step(sim, take_rest(sim, diag), diag);
  double t_stop = fmin(t_limit, brink_sim_next_tick(sim));
  if (sim->grazed != BRINK_NONE && brink_edge_hop(sim, t_stop, &hopped, diag))
    return end_step(sim, hopped, diag);
  if (brink_sim_restarts(sim)) {
    brink_status status = restart(sim, diag);
    if (status != BRINK_OK) return status;
  }
  double h, hmin = brink_sim_smallest_step(sim);
  brink_limit limit = brink_trial_plan(sim, t_stop, &h);
  if (limit.event) return brink_sim_arrive_on_predictor(sim, &limit, diag);
  /* The error control may ask for less than time can resolve (a solution that grows without bound). */
  /* But the first step is a guess, which may be made longer. */
  bool guessed = sim->stepper.age == 0 && brink_sim_time_is_coarse(sim, t_stop);
  bool stands = sim->stepper.ops->is_free ? h < hmin : !guessed && !(sim->t + h > sim->t);
  if (stands && t_stop - sim->t > hmin)
    return end_step(sim, brink_sim_no_step_left(sim, BRINK_TRY_ERROR, t_stop, diag), diag);
  /* Nothing shorter moves time; if a surface is nearer than that, the domain check finds it. */
  if (h < hmin) h = fmin(hmin, t_stop - sim->t);
  return end_step(sim, take_step(sim, h, t_stop, diag), diag);
}

/* Events without end at one time that no single instant's loop can see. */
static brink_status check_progress(brink_sim *sim, double t_before, brink_diag *diag) {
  sim->stuck = sim->t > t_before ? 0 : sim->stuck + 1;
  if (sim->stuck <= sim->options.max_iterations) return BRINK_OK;
  if (sim->instant.count == 0)
    return brink_sim_fail(sim, diag,
                          sim->schedule.ntimers > 0 ? BRINK_REASON_STUCK_TIMER : BRINK_REASON_STUCK,
                          (brink_arguments){0});
  return brink_sim_fail(sim, diag, BRINK_REASON_STUCK_GUARD,
                        (brink_arguments){.guard = sim->events[0].guard});
}

static brink_status advance(brink_sim *sim, double t_limit, brink_diag *diag) {
  if (!isfinite(t_limit))
    return brink_sim_fail(sim, diag, BRINK_REASON_TIME_NOT_FINITE,
                          (brink_arguments){.value = t_limit});
  if (t_limit < sim->t)
    return brink_sim_fail(sim, diag, BRINK_REASON_TIME_BACKWARDS,
                          (brink_arguments){.value = t_limit});
  if (!brink_sim_has_begun(sim)) {
    brink_status status = begin(sim, diag);
    if (status != BRINK_OK) return status;
    if (sim->instant.count > 0) return BRINK_EVENT;
  }
  if (sim->t >= t_limit && !brink_sim_due(sim)) return BRINK_TIME_REACHED;
  double t_before = sim->t;
  sim->limit = t_limit;
  brink_status status = step(sim, t_limit, diag);
  if (status >= 0 && sim->eval.failed_guard != BRINK_NONE)
    status = brink_sim_fail(sim, diag, BRINK_REASON_GUARD_FAILED,
                            (brink_arguments){.guard = sim->eval.failed_guard});
  if (status >= 0) {
    brink_status known = brink_delay_check(sim, diag);
    if (known != BRINK_OK) status = known;
  }
  if (status < 0) return status;
  brink_status progress = check_progress(sim, t_before, diag);
  return progress != BRINK_OK ? progress : status;
}

/* ---- the public ways to drive it ---- */

/* A callback that failed may have left a state that is no number. From there nothing is computed: not even that the time asked
 * for is reached already. */
static brink_status check_state(const brink_sim *sim, brink_diag *diag) {
  size_t nstates = sim->model->def.nx - sim->model->def.nz;
  for (size_t i = 0; brink_sim_has_begun(sim) && i < nstates; i++) {
    if (isfinite(sim->x[i])) continue;
    brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                   "state '%s' is %g since the simulation failed: set it, or reset the simulation",
                   brink_model_state_name(sim->model, i), sim->x[i]);
    if (diag != NULL) diag->state = i;
    return BRINK_ERR_ARGUMENT;
  }
  return BRINK_OK;
}

static brink_status enter(brink_sim *sim, brink_diag *diag) {
  brink_status status = brink_sim_enter(sim, diag);
  if (status != BRINK_OK) return status;
  status = check_state(sim, diag);
  return status == BRINK_OK ? BRINK_OK : brink_sim_leave(sim, status);
}

brink_status brink_sim_advance(brink_sim *sim, double t_limit, brink_diag *diag) {
  brink_status status = enter(sim, diag);
  if (status != BRINK_OK) return status;
  sim->keep = true;
  return brink_sim_leave(sim, advance(sim, t_limit, diag));
}

/* options.max_steps, for the calls that make many. */
static bool out_of_steps(const brink_sim *sim, int64_t *steps) {
  return sim->options.max_steps > 0 && ++*steps >= sim->options.max_steps;
}

static brink_status too_many_steps(const brink_sim *sim, brink_diag *diag) {
  return brink_sim_fail(sim, diag, BRINK_REASON_MAX_STEPS,
                        (brink_arguments){.count = sim->options.max_steps});
}

static bool is_cancelled(const brink_sim *sim) {
  return sim->cancelled != NULL && atomic_load_explicit(sim->cancelled, memory_order_relaxed);
}

/* To t_end, or to the first event. */
static brink_status run(brink_sim *sim, double t_end, bool stop_at_event, brink_diag *diag) {
  int64_t steps = 0;
  for (;;) {
    brink_status status = advance(sim, t_end, diag);
    if (status != BRINK_STEPPED && (status != BRINK_EVENT || stop_at_event)) return status;
    bool pauses = sim->pauses && sim->t >= sim->pause;
    if (out_of_steps(sim, &steps) || pauses || is_cancelled(sim)) return too_many_steps(sim, diag);
  }
}

brink_status brink_sim_next_event(brink_sim *sim, double t_limit, brink_diag *diag) {
  brink_status status = enter(sim, diag);
  if (status != BRINK_OK) return status;
  sim->keep = true;
  return brink_sim_leave(sim, run(sim, t_limit, true, diag));
}

/* Does anybody look at the dense output of steps? */
static bool is_followed(const brink_sim *sim) {
  if (sim->delays != NULL) return true;
  for (const brink_observer *o = sim->observers; o != NULL; o = o->next) {
    if (o->moved != NULL) return true;
  }
  return sim->sink.step != NULL;
}

brink_status brink_sim_run(brink_sim *sim, double t_end, brink_diag *diag) {
  brink_status status = enter(sim, diag);
  if (status != BRINK_OK) return status;
  sim->keep = is_followed(sim);
  return brink_sim_leave(sim, run(sim, t_end, false, diag));
}

brink_status brink_sim_turn(brink_sim *sim, double t_end, brink_diag *diag) {
  sim->keep = is_followed(sim);
  return advance(sim, t_end, diag);
}

/* Outputs before the present are read from the last step; one at the present waits for the events
 * of its instant. */
static size_t read_outputs(brink_sim *sim, const double *times, size_t count, size_t next,
                           double *out, bool present) {
  size_t nx = sim->model->def.nx;
  while (next < count && (times[next] < sim->t || (present && times[next] == sim->t))) {
    if (brink_sim_at(sim, times[next], out + next * nx, NULL) != BRINK_OK) break;
    next++;
  }
  return next;
}

static brink_status sample(brink_sim *sim, const double *times, size_t count, double *out,
                           size_t *done, brink_diag *diag) {
  if (count > 0 && (times == NULL || out == NULL))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "times and out must not be NULL");
  for (size_t k = 0; k < count; k++) {
    if (!isfinite(times[k]) || times[k] < sim->t || (k > 0 && !(times[k] > times[k - 1])))
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "times[%zu] = %.17g: output times must increase strictly, from the "
                            "present time %.17g on",
                            k, times[k], sim->t);
  }
  sim->keep = true;
  size_t next = 0;
  int64_t steps = 0;
  brink_status status = BRINK_STEPPED;
  while (next < count && (status == BRINK_STEPPED || status == BRINK_EVENT)) {
    status = advance(sim, times[count - 1], diag);
    bool ended = status != BRINK_STEPPED && status != BRINK_EVENT;
    next = read_outputs(sim, times, count, next, out, ended && status >= 0);
    if (!ended && out_of_steps(sim, &steps)) status = too_many_steps(sim, diag);
  }
  if (done != NULL) *done = next;
  return status == BRINK_STEPPED || status == BRINK_EVENT ? BRINK_TIME_REACHED : status;
}

brink_status brink_sim_sample(brink_sim *sim, const double *times, size_t count, double *out,
                              size_t *done, brink_diag *diag) {
  if (done != NULL) *done = 0;
  brink_status status = enter(sim, diag);
  if (status != BRINK_OK) return status;
  return brink_sim_leave(sim, sample(sim, times, count, out, done, diag));
}
