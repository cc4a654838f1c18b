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
#include <string.h>

#include "sim/sim.h"

/* The smallest step that changes the time reliably. */
static double smallest_step(const brink_sim *sim) {
  double ulp = 4.0 * DBL_EPSILON * fabs(sim->t);
  return fmax(fmax(ulp, sim->options.hmin), 16.0 * DBL_MIN);
}

/* ---- starting ---- */

static brink_status undefined_here(brink_sim *sim, brink_try outcome, brink_diag *diag) {
  const brink_eval *eval = &sim->eval;
  if (outcome == BRINK_TRY_FATAL)
    return brink_sim_fail(sim, diag, BRINK_ERR_CALLBACK, BRINK_NONE,
                          "the right-hand side reported a fatal error at t = %.17g", sim->t);
  if (outcome == BRINK_TRY_VETOED)
    return brink_sim_fail(sim, diag, BRINK_ERR_DOMAIN, eval->vetoed_by,
                          "at t = %.17g the state is past the unilateral guard '%s': an action or "
                          "an initial value put it there",
                          sim->t, brink_model_guard_name(sim->model, eval->vetoed_by));
  brink_sim_fail(
      sim, diag, BRINK_ERR_DOMAIN, BRINK_NONE,
      "the right-hand side is not defined at t = %.17g: it refused, or dx/dt of '%s' is "
      "not finite",
      sim->t,
      brink_model_state_name(sim->model, eval->bad_state == BRINK_NONE ? 0 : eval->bad_state));
  if (diag != NULL) diag->state = eval->bad_state;
  return BRINK_ERR_DOMAIN;
}

/* Appended guard states are the guards: their drift is taken out at every step. */
static void reset_appended(brink_sim *sim, const double *values) {
  const brink_eval *eval = &sim->eval;
  for (size_t c = eval->nx; c < eval->n; c++) sim->x[c] = values[eval->appended[c - eval->nx]];
}

static brink_status restart(brink_sim *sim, brink_diag *diag) {
  sim->stepper.t = sim->t;
  sim->eval.centre = NULL;
  brink_detector_reset(&sim->detector, sim->t, sim->x);
  reset_appended(sim, sim->detector.g0);
  brink_try outcome = sim->stepper.ops->start(&sim->stepper);
  if (outcome != BRINK_TRY_OK) return undefined_here(sim, outcome, diag);
  sim->restart = false;
  sim->eval.stats.restarts++;
  return BRINK_OK;
}

/* The first instant: signs of the guards, clocks that tick at the start, rules. */
static brink_status begin(brink_sim *sim, brink_diag *diag) {
  brink_status status = brink_sim_start_signs(sim, diag);
  if (status != BRINK_OK) return status;
  sim->started = true;
  sim->restart = true;
  sim->nhits = 0;
  return brink_sim_instant(sim, diag);
}

/* ---- recording ---- */

static brink_status record_misses(brink_sim *sim) {
  const brink_detector *det = &sim->detector;
  for (size_t k = 0; k < det->nmisses; k++) {
    if (det->misses[k].t > sim->t) continue;
    sim->eval.stats.near_misses++;
    if (sim->sink.near_miss != NULL && sim->sink.near_miss(&det->misses[k], sim->sink.user) != 0)
      return BRINK_STOPPED;
  }
  return BRINK_OK;
}

static brink_status record_step(brink_sim *sim, double t0) {
  sim->eval.stats.steps++;
  if (sim->sink.step == NULL) return BRINK_OK;
  brink_step_record record = {.t0 = t0,
                              .t1 = sim->t,
                              .h = sim->t - t0,
                              .order = sim->stepper.order,
                              .x = sim->x,
                              .mode = sim->eval.mode,
                              .nx = sim->model->def.nx};
  return sim->sink.step(&record, sim->sink.user) == 0 ? BRINK_OK : BRINK_STOPPED;
}

/* Keeps the path of the step, whose vectors the stepper is about to overwrite. */
static void keep_dense(brink_sim *sim, const brink_path *path, double end) {
  brink_path_copy(&sim->last, path, sim->model->def.nx, sim->last_memory);
  sim->last_end = end;
}

/* ---- arriving at an event ---- */

/* Crossings on the way that their guards' directions do not call events change the signs all the
 * same, before the actions of the instant can carry anything back. */
static void take_silent_crossings(brink_sim *sim) {
  brink_eval *eval = &sim->eval;
  const brink_reach *reach = &sim->detector.reach;
  for (size_t k = 0; k < reach->nnear; k++) {
    size_t guard = reach->near[k];
    int sign = eval->sgn[guard];
    if (!eval->enabled[guard] || sign == 0 || guard == eval->slide ||
        brink_detector_wants(&sim->detector, guard, sign > 0 ? BRINK_NEGATIVE : BRINK_POSITIVE))
      continue;
    double g = brink_eval_guard(eval, guard, sim->t, sim->x);
    double least = fmax(eval->slack[guard], brink_sim_zero_band(sim, guard, sim->t, sim->x));
    if (sign * g < -least) eval->sgn[guard] = (signed char)-sign;
  }
}

/* The state moves along a path to sigma, and the instant there is handled. */
static brink_status arrive(brink_sim *sim, const brink_path *path, double sigma, bool chord,
                           double t_end, brink_diag *diag) {
  double t0 = sim->t;
  double t = sigma >= 1.0 ? t_end : t0 + sigma * path->h;
  if (t > t0) keep_dense(sim, path, t);
  double *x = sim->detector.space.x;
  if (sigma >= 1.0)
    memcpy(x, sim->stepper.x_new, sim->model->def.nx * sizeof(double));
  else
    brink_path_eval(path, sigma, x);
  if (chord) {
    for (size_t i = 0; i < sim->model->def.nx; i++)
      x[i] = sim->x[i] + sigma * (sim->stepper.x_new[i] - sim->x[i]);
  }
  memcpy(sim->x, x, sim->model->def.nx * sizeof(double));
  sim->t = sim->stepper.t = t;
  sim->restart = true;
  take_silent_crossings(sim);
  brink_status stopped = t > t0 ? record_step(sim, t0) : BRINK_OK;
  brink_status missed = record_misses(sim);
  brink_status status = brink_sim_instant(sim, diag);
  if (status != BRINK_OK) return status;
  return stopped != BRINK_OK ? stopped : missed;
}

/* Unilateral surfaces that are reached at a point, within rounding, with the field f pointing at
 * them: the events of one instant belong together. Only guards that the present step can reach. */
static void collect_reached(brink_sim *sim, double t, const double *x, const double *f,
                            size_t except) {
  brink_eval *eval = &sim->eval;
  const brink_reach *reach = &sim->detector.reach;
  for (size_t k = 0; eval->veto && k < reach->nnear; k++) {
    size_t guard = reach->near[k];
    bool known = guard == except || !brink_eval_protects(eval, guard) ||
                 sim->model->guards[guard].def.side != BRINK_UNILATERAL;
    for (size_t j = 0; j < sim->nhits; j++) known = known || sim->hits[j].guard == guard;
    if (known) continue;
    int sign = eval->sgn[guard];
    double y = sign * brink_eval_guard(eval, guard, t, x);
    if (!(y <= 8.0 * brink_sim_zero_band(sim, guard, t, x)) ||
        !(sign * brink_eval_rate(eval, guard, t, x, f) < 0.0))
      continue;
    sim->hits[sim->nhits++] = (brink_hit){.guard = guard,
                                          .kind = BRINK_CROSSED,
                                          .direction = sign > 0 ? BRINK_NEGATIVE : BRINK_POSITIVE};
  }
}

/* The last place on a path that ends at a unilateral surface where rounding has not carried the
 * state past it; x_new is the state there. */
static double last_inside(brink_sim *sim, size_t guard, const brink_path *path) {
  brink_eval *eval = &sim->eval;
  double end = 1.0;
  for (double back = DBL_EPSILON; back < 1.0; back *= 2.0) {
    brink_path_eval(path, end, sim->stepper.x_new);
    double t = path->t0 + end * path->h;
    double y = eval->sgn[guard] * brink_eval_guard(eval, guard, t, sim->stepper.x_new);
    if (y >= -eval->slack[guard]) return end;
    end = 1.0 - back;
  }
  memcpy(sim->stepper.x_new, sim->x, sim->model->def.nx * sizeof(double));
  return 0.0;
}

/* A touch that changed nothing, but would carry the solution past the surface by less than its
 * tolerance before it returns: the predictor is followed to where it is back inside, as nothing may
 * be evaluated on the way. sigma is on the path of the last step, beyond its end. */
static void hop_over(brink_sim *sim, double sigma) {
  double *x = sim->stepper.x_new;
  for (double on = 4.0 * DBL_EPSILON; on < 1e-3; on *= 2.0) {
    double at = sigma * (1.0 + on), t = sim->last.t0 + at * sim->last.h;
    brink_path_eval(&sim->last, at, x);
    if (!brink_eval_may(&sim->eval, t, x)) continue;
    memcpy(sim->x, x, sim->model->def.nx * sizeof(double));
    sim->t = sim->stepper.t = t;
    return;
  }
}

/* A guard that is declared reached at the present state may be about to turn back: judged by its
 * rate here and half-way to the surface, it would not get past it by more than its tolerance. */
static bool turns_back(brink_sim *sim, size_t guard) {
  brink_eval *eval = &sim->eval;
  int sign = eval->sgn[guard];
  double y = sign * brink_eval_guard(eval, guard, sim->t, sim->x);
  double rate = sign * brink_eval_rate(eval, guard, sim->t, sim->x, sim->stepper.f);
  if (!(y > 0.0) || !(rate < 0.0)) return false;
  double d = -0.5 * y / rate, *x = sim->stepper.x_new;
  for (size_t i = 0; i < sim->model->def.nx; i++) x[i] = sim->x[i] + d * sim->stepper.f[i];
  if (brink_eval_rhs(eval, sim->t + d, x, sim->field) != BRINK_TRY_OK) return false;
  double bend = (sign * brink_eval_rate(eval, guard, sim->t + d, x, sim->field) - rate) / d;
  return bend > 0.0 && rate * rate / (2.0 * bend) - y <= sim->detector.tolerance[guard];
}

/* Along the predictor to a unilateral surface, or to the first other event on the way. */
static brink_status arrive_on_predictor(brink_sim *sim, const brink_limit *limit,
                                        brink_diag *diag) {
  int sign = sim->eval.sgn[limit->guard];
  brink_hit hit = {.guard = limit->guard,
                   .kind = limit->kind,
                   .direction = sign > 0 ? BRINK_NEGATIVE : BRINK_POSITIVE};
  if (limit->sigma == 0.0 && turns_back(sim, limit->guard)) hit.kind = BRINK_TOUCHED;
  brink_path *path = &sim->stepper.predictor;
  brink_found found = {.sigma = 0.0};
  double end = 0.0;
  sim->detector.nhits = sim->detector.nmisses = 0;
  if (limit->sigma > 0.0) {
    brink_path_rescale(path, limit->sigma);
    path->correction = path->a[0]; /* it is what was looked at before, and a part of it */
    path->correction_bound = 0.0;
    end = last_inside(sim, limit->guard, path);
    found = brink_detector_after(&sim->detector, path, sim->stepper.x_new);
  }
  sim->nhits = 0;
  for (size_t k = 0; found.event && k < sim->detector.nhits; k++) {
    if (sim->detector.hits[k].guard != limit->guard)
      sim->hits[sim->nhits++] = sim->detector.hits[k];
  }
  if (sim->nhits == 0 || found.sigma >= end) {
    sim->hits[sim->nhits++] = hit;
    found.sigma = end;
    const double *x = limit->sigma > 0.0 ? sim->stepper.x_new : sim->x;
    double t = sim->t + (limit->sigma > 0.0 ? path->h : 0.0);
    collect_reached(sim, t, x, sim->stepper.f, limit->guard);
  }
  double t_end = sim->t + path->h;
  brink_status status = arrive(sim, path, found.sigma, false, t_end, diag);
  if (status == BRINK_OK && limit->hop > 0.0 && found.sigma == end && !sim->changed)
    hop_over(sim, limit->hop / limit->sigma);
  return status == BRINK_OK ? BRINK_EVENT : status;
}

/* ---- when no step is small enough ---- */

static size_t worst_state(const brink_sim *sim) {
  const brink_stepper *st = &sim->stepper;
  size_t worst = 0;
  double most = -1.0;
  for (size_t i = 0; i < sim->model->def.nx; i++) {
    double ratio = fabs(st->f[i]) / (sim->options.rtol * fabs(st->x[i]) + sim->atol[i]);
    if (ratio > most) {
      most = ratio;
      worst = i;
    }
  }
  return worst;
}

static brink_status collapsed(brink_sim *sim, brink_try reason, brink_diag *diag) {
  bool undefined = reason == BRINK_TRY_REFUSED;
  size_t state =
      undefined && sim->eval.bad_state != BRINK_NONE ? sim->eval.bad_state : worst_state(sim);
  const char *cause =
      undefined ? "the right-hand side is not defined just ahead; if the model ends there, declare "
                  "the edge as a unilateral guard"
                : "the solution seems to have a singularity or a discontinuity here; if it "
                  "switches, declare a guard; if the model ends, a unilateral one";
  brink_sim_fail(sim, diag, BRINK_ERR_STEP, BRINK_NONE,
                 "at t = %.17g no step above %.3g succeeds, '%s' changes fastest: %s", sim->t,
                 smallest_step(sim), brink_model_state_name(sim->model, state), cause);
  if (diag != NULL) diag->state = state;
  return BRINK_ERR_STEP;
}

/* A unilateral surface that would be reached within a few of the smallest steps, at the present
 * rate, is as near as time can resolve (an infinite slope at the surface: the state still differs
 * from it by more than rounding). BRINK_NONE if there is none. */
static size_t surface_at_hand(brink_sim *sim) {
  brink_eval *eval = &sim->eval;
  double few = 4096.0 * smallest_step(sim); /* about 1e-12 of the time */
  for (size_t k = 0; k < eval->nwatch; k++) {
    size_t guard = eval->watch[k];
    if (!brink_eval_protects(eval, guard)) continue;
    double y = eval->sgn[guard] * brink_eval_guard(eval, guard, sim->t, sim->x);
    double rate = eval->sgn[guard] * brink_eval_rate(eval, guard, sim->t, sim->x, sim->stepper.f);
    if (y <= -rate * few) return guard;
  }
  return BRINK_NONE;
}

/* A guard that vetoes even the smallest step has been reached. */
static brink_status no_step_left(brink_sim *sim, brink_try reason, double t_stop,
                                 brink_diag *diag) {
  if (t_stop - sim->t <= 64.0 * smallest_step(sim)) { /* as near as time can tell */
    sim->t = sim->stepper.t = t_stop;
    sim->restart = true;
    return BRINK_OK;
  }
  brink_limit here = {.sigma = 0.0, .event = true, .guard = sim->eval.vetoed_by};
  if (reason != BRINK_TRY_VETOED && sim->eval.veto) here.guard = surface_at_hand(sim);
  if (reason != BRINK_TRY_VETOED && (!sim->eval.veto || here.guard == BRINK_NONE))
    return collapsed(sim, reason, diag);
  return arrive_on_predictor(sim, &here, diag);
}

/* ---- one step ---- */

/* Tries steps from h downwards until one is accepted by the stepper, and by the detector. */
static brink_status take_step(brink_sim *sim, double h, double t_stop, brink_diag *diag) {
  brink_stepper *st = &sim->stepper;
  double hmin = smallest_step(sim);
  for (;;) {
    brink_try outcome = st->ops->attempt(st, h);
    double t_end = h >= t_stop - sim->t ? t_stop : sim->t + h;
    if (outcome == BRINK_TRY_OK) {
      brink_found found = brink_detector_after(&sim->detector, &st->dense, st->x_new);
      double release = sim->eval.slide != BRINK_NONE ? brink_slide_release(sim, &st->dense) : 2.0;
      if (release <= 1.0 && !(found.event && found.sigma < release)) {
        sim->nhits = 0;
        brink_status status = arrive(sim, &st->dense, release, false, t_end, diag);
        return status == BRINK_OK ? brink_slide_leave(sim, diag) : status;
      }
      if (found.event) {
        sim->nhits = sim->detector.nhits;
        memcpy(sim->hits, sim->detector.hits, sim->nhits * sizeof *sim->hits);
        brink_status status = arrive(sim, &st->dense, found.sigma, found.chord, t_end, diag);
        return status == BRINK_OK ? BRINK_EVENT : status;
      }
      if (sim->keep) keep_dense(sim, &st->dense, t_end);
      outcome = st->ops->commit(st);
    }
    if (outcome == BRINK_TRY_OK) {
      double t0 = sim->t;
      sim->t = st->t = t_end;
      brink_detector_commit(&sim->detector, sim->t, sim->x);
      reset_appended(sim, sim->detector.g0);
      if (sim->eval.slide != BRINK_NONE) brink_slide_project(sim);
      brink_status status = record_step(sim, t0);
      return status == BRINK_OK ? record_misses(sim) : status;
    }
    sim->eval.stats.rejected++;
    if (outcome == BRINK_TRY_FATAL) return undefined_here(sim, outcome, diag);
    h = outcome == BRINK_TRY_ERROR ? fmin(st->h_next, 0.9 * h) : 0.25 * h;
    if (h < hmin) return no_step_left(sim, outcome, t_stop, diag);
  }
}

/* STEPPED, EVENT, STOPPED or a failure. */
static brink_status step(brink_sim *sim, double t_limit, brink_diag *diag) {
  brink_stepper *st = &sim->stepper;
  if (sim->restart) {
    brink_status status = restart(sim, diag);
    if (status != BRINK_OK) return status;
  }
  double t_stop = fmin(t_limit, brink_sim_next_tick(sim));
  st->ops->plan(st, fmin(t_stop - sim->t, sim->options.hmax));
  double hmin = smallest_step(sim);
  brink_limit limit = brink_detector_before(&sim->detector, &st->predictor, st->order, hmin);
  if (limit.event) return arrive_on_predictor(sim, &limit, diag);
  double h = limit.sigma < 1.0 ? limit.sigma * st->h_plan : st->h_plan;
  brink_status status = take_step(sim, h, t_stop, diag);
  if (status != BRINK_OK || !(sim->t >= brink_sim_next_tick(sim)))
    return status == BRINK_OK ? BRINK_STEPPED : status;
  sim->nhits = 0;
  collect_reached(sim, sim->t, sim->x, st->f, BRINK_NONE); /* events come before clocks */
  status = brink_sim_instant(sim, diag);
  if (status != BRINK_OK) return status;
  return sim->nevents > 0 ? BRINK_EVENT : BRINK_STEPPED;
}

/* Events without end at one time that no single instant's loop can see. */
static brink_status check_progress(brink_sim *sim, double t_before, brink_diag *diag) {
  sim->stuck = sim->t > t_before ? 0 : sim->stuck + 1;
  if (sim->stuck <= sim->options.max_iterations) return BRINK_OK;
  size_t guard = sim->nevents > 0 ? sim->events[0].guard : BRINK_NONE;
  return brink_sim_fail(sim, diag, BRINK_ERR_LOOP, guard,
                        "time does not move on from t = %.17g: guard '%s' fires again and again",
                        sim->t, brink_model_guard_name(sim->model, guard));
}

static brink_status advance(brink_sim *sim, double t_limit, brink_diag *diag) {
  if (isnan(t_limit) || t_limit < sim->t)
    return brink_sim_fail(sim, diag, BRINK_ERR_ARGUMENT, BRINK_NONE,
                          "asked to go to t = %.17g, but the simulation is at %.17g already: "
                          "events and resets cannot be undone, so time runs forwards only; for a "
                          "model without them, simulate x' = -f(-t, x)",
                          t_limit, sim->t);
  if (!sim->started) {
    brink_status status = begin(sim, diag);
    if (status != BRINK_OK) return status;
    if (sim->nevents > 0) return BRINK_EVENT;
  }
  if (sim->t >= t_limit) return BRINK_TIME_REACHED;
  double t_before = sim->t;
  brink_status status = step(sim, t_limit, diag);
  if (status < 0) return status;
  brink_status progress = check_progress(sim, t_before, diag);
  return progress != BRINK_OK ? progress : status;
}

/* ---- the public ways to drive it ---- */

brink_status brink_sim_advance(brink_sim *sim, double t_limit, brink_diag *diag) {
  brink_diag_clear(diag);
  sim->keep = true;
  return advance(sim, t_limit, diag);
}

/* options.max_steps, for the calls that make many. */
static bool out_of_steps(const brink_sim *sim, int64_t *steps) {
  return sim->options.max_steps > 0 && ++*steps >= sim->options.max_steps;
}

static brink_status too_many_steps(const brink_sim *sim, brink_diag *diag) {
  return brink_sim_fail(sim, diag, BRINK_ERR_WORK, BRINK_NONE,
                        "max_steps = %lld steps were taken up to t = %.17g: raise the limit, or "
                        "look for what makes the steps small",
                        (long long)sim->options.max_steps, sim->t);
}

/* To t_end, or to the first event. */
static brink_status run(brink_sim *sim, double t_end, bool stop_at_event, brink_diag *diag) {
  int64_t steps = 0;
  for (;;) {
    brink_status status = advance(sim, t_end, diag);
    if (status != BRINK_STEPPED && (status != BRINK_EVENT || stop_at_event)) return status;
    if (out_of_steps(sim, &steps)) return too_many_steps(sim, diag);
  }
}

brink_status brink_sim_next_event(brink_sim *sim, double t_limit, brink_diag *diag) {
  brink_diag_clear(diag);
  sim->keep = true;
  return run(sim, t_limit, true, diag);
}

brink_status brink_sim_run(brink_sim *sim, double t_end, brink_diag *diag) {
  brink_diag_clear(diag);
  sim->keep = sim->sink.step != NULL;
  return run(sim, t_end, false, diag);
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

brink_status brink_sim_sample(brink_sim *sim, const double *times, size_t count, double *out,
                              size_t *done, brink_diag *diag) {
  brink_diag_clear(diag);
  if (done != NULL) *done = 0;
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
