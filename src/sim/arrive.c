/* arrive.c: how a step ends: recorded, cut short at an event, or not possible at all.
 *
 * An event is reached along the dense output of a step that was taken (after), along the predictor
 * of one that was not (a unilateral surface: nothing may be evaluated there), or at the present
 * state, when no step towards it is small enough. In all cases the state moves there, the step is
 * recorded, and the instant is handled. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "model/constraint.h"
#include "sim/delay.h"

#define DETOUR 32 /* steps by another method: its steps grow, and lead away from the point */

#define AS_NEAR 64.0 /* smallest steps: what comes within them may be reached without one */
/* Where steps collapse, time itself is to blame if it is as large as FAR, or, shortly after a start, if the smallest step
 * is more than COARSE of the way to go. Elsewhere it is the solution. */
#define FAR 1e6
#define COARSE 1e-6
#define SHORTLY 8 /* steps */

/* What time can resolve here. */
static double resolution(const brink_sim *sim) {
  return fmax(4.0 * DBL_EPSILON * fabs(sim->t), 16.0 * DBL_MIN);
}

/* What comes within this time is as near as time can tell: about 1e-12 of it. */
static double at_hand(const brink_sim *sim) {
  return 4096.0 * resolution(sim);
}

double brink_sim_smallest_step(const brink_sim *sim) {
  return fmax(resolution(sim), sim->options.hmin);
}

double brink_sim_speed(const brink_sim *sim) {
  const brink_stepper *st = &sim->stepper;
  double most = 0.0;
  for (size_t i = 0; i < st->ntested; i++) {
    if (st->f[i] == 0.0) continue;
    double ratio = fabs(st->f[i]) / (sim->options.rtol * fabs(st->x[i]) + sim->atol[i]);
    if (!(ratio <= most)) most = ratio; /* keeps a NaN */
  }
  return most;
}

bool brink_sim_is_far(const brink_sim *sim) {
  return fabs(sim->t) >= FAR;
}

/* Far from 0 the way may be long: there no state may change by more than its tolerance on it. */
bool brink_sim_may_skip(const brink_sim *sim, double t_stop) {
  double way = t_stop - sim->t;
  if (way > AS_NEAR * resolution(sim)) return false;
  return !brink_sim_is_far(sim) || brink_sim_speed(sim) * way <= 1.0;
}

/* Is the smallest step what time resolves, and long? */
bool brink_sim_time_is_coarse(const brink_sim *sim, double t_stop) {
  double least = resolution(sim);
  if (least < sim->options.hmin) return false;
  bool young = sim->stepper.age < SHORTLY;
  return brink_sim_is_far(sim) || (young && least > COARSE * (t_stop - sim->t));
}

/* ---- recording ---- */

/* Has the guard fired at the present instant, located or carried across? Then what looked like a near miss here
 * was the event. */
static bool has_fired(const brink_sim *sim, size_t guard) {
  for (size_t k = 0; k < sim->nevents && sim->instant.count > 0; k++) {
    if (sim->events[k].guard == guard) return true;
  }
  return false;
}

brink_status brink_sim_record_misses(brink_sim *sim, bool instant_over) {
  brink_detector *det = &sim->detector;
  brink_status status = BRINK_OK;
  size_t later = 0;
  for (size_t k = 0; k < det->nmisses; k++) {
    brink_near_miss miss = det->misses[k];
    bool here = fabs(miss.t - sim->t) <= resolution(sim);
    if (here ? !instant_over : miss.t > sim->t) { /* still ahead, if the step goes on */
      det->misses[later++] = miss;
      continue;
    }
    if (here && has_fired(sim, miss.guard)) continue;
    sim->eval.stats.near_misses++;
    if (sim->sink.near_miss != NULL && sim->sink.near_miss(&miss, sim->sink.user) != 0)
      status = BRINK_STOPPED;
  }
  det->nmisses = later;
  return status;
}

void brink_sim_note_moved(brink_sim *sim, double t0) {
  brink_delay_record(sim, t0);
  for (brink_observer *o = sim->observers; o != NULL; o = o->next) {
    if (o->moved != NULL) o->moved(o, sim, t0);
  }
}

void brink_sim_note_skip(brink_sim *sim, double t) {
  for (brink_observer *o = sim->observers; o != NULL; o = o->next) {
    if (o->skips != NULL) o->skips(o, sim, t);
  }
  if (sim->instant.t == sim->t) sim->instant.t = t;
}

brink_status brink_sim_record_step(brink_sim *sim, double t0) {
  sim->eval.stats.steps++;
  for (brink_observer *o = sim->observers; o != NULL; o = o->next) {
    if (o->stepped != NULL) o->stepped(o, sim, t0);
  }
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
void brink_sim_keep_dense(brink_sim *sim, const brink_path *path, double end) {
  brink_path_copy(&sim->last, path, sim->model->def.nx, sim->last_memory);
  sim->last_end = end;
}

/* ---- arriving at an event ---- */

/* Crossings on the way that their guards' directions do not call events change the signs all the
 * same, before the actions of the instant can carry anything back. */
static void take_silent_crossings(brink_sim *sim) {
  brink_eval *eval = &sim->eval;
  const brink_reach *reach = &sim->detector.reach;
  for (size_t k = 0; sim->detector.one_way && k < reach->nnear; k++) {
    size_t guard = reach->near[k];
    int sign = eval->sgn[guard];
    if (!eval->enabled[guard] || sign == 0 || eval->is_held[guard] ||
        brink_detector_wants(&sim->detector, guard, brink_leaving(sign)))
      continue;
    double g = brink_eval_guard(eval, guard, sim->t, sim->x);
    double least = fmax(eval->slack[guard], brink_sim_zero_band(sim, guard, sim->t, sim->x));
    if (sign * g < -least) brink_eval_set_sign(eval, guard, -sign);
  }
}

/* The first state that is no number; BRINK_NONE: there is none. */
static size_t first_unbounded(const brink_sim *sim, const double *x) {
  for (size_t i = 0; i < sim->model->def.nx - sim->model->def.nz; i++)
    if (!isfinite(x[i])) return i;
  return BRINK_NONE;
}

bool brink_sim_ends_at_instant(const brink_sim *sim, double t) {
  return t >= sim->limit || t >= brink_sim_next_tick(sim);
}

/* The path that led to the present. */
static const brink_path *path_before(const brink_sim *sim) {
  return sim->instant.passing ? &sim->stepper.dense : &sim->last;
}

/* What rounding makes of the time of an event here: that of time itself, and of the step that led here, which may end at
 * time 0. */
static double time_blur(const brink_sim *sim) {
  const brink_path *path = path_before(sim);
  double h = path->terms > 0 ? path->h : 0.0;
  return AS_NEAR * fmax(resolution(sim), 4.0 * DBL_EPSILON * h);
}

double brink_sim_rate_along(brink_sim *sim, size_t guard, const brink_path *path, double sigma) {
  const brink_guard_def *def = &sim->model->guards[guard].def;
  double c[BRINK_PATH_DEGREE + 1], slope[BRINK_PATH_DEGREE + 1], *field = sim->instant.field;
  for (size_t k = 0; k < def->ndepends; k++) {
    brink_path_component(path, def->depends[k], c);
    brink_poly_derivative(c, path->degree, slope);
    field[def->depends[k]] =
        path->degree > 0 ? brink_poly_eval(slope, path->degree - 1, sigma) / path->h : 0.0;
  }
  return brink_eval_rate(&sim->eval, guard, sim->t, sim->x, field);
}

/* The rate with which a guard has come to the present; NaN: not known. After an event the field is another one, perhaps,
 * and the path tells, if no action has put the guard elsewhere. */
static double rate_before(brink_sim *sim, size_t guard) {
  brink_eval *eval = &sim->eval;
  if (sim->phase == BRINK_PHASE_RUN)
    return brink_eval_rate(eval, guard, sim->t, sim->x, sim->stepper.f);
  const brink_path *path = path_before(sim);
  double sigma = (sim->t - path->t0) / path->h, *x = sim->detector.space.x;
  if (path->terms == 0 || !(sigma > 0.0 && (sigma - 1.0) * path->h <= time_blur(sim)))
    return (double)NAN;
  double rate = brink_sim_rate_along(sim, guard, path, sigma);
  brink_along_states(&sim->detector.space, guard, path, sigma);
  double led_to = brink_eval_guard(eval, guard, sim->t, x);
  double off = fabs(led_to - brink_eval_guard(eval, guard, sim->t, sim->x));
  double band = brink_sim_zero_band(sim, guard, sim->t, sim->x);
  return off <= fmax(fabs(rate) * time_blur(sim), band) ? rate : (double)NAN;
}

/* The events of one instant belong together, and nobody comes back to find what is due where a call ends. The sums of
 * many steps are off by rounding: a guard of any kind that would be reached so little later is reached now. */
void brink_sim_collect_soon(brink_sim *sim) {
  brink_eval *eval = &sim->eval;
  const brink_detector *det = &sim->detector;
  if (!det->ops->needs_paths || det->reach.nnear == 0) return;
  bool *known = sim->instant.fired;
  memset(known, 0, sim->model->def.nguards * sizeof *known);
  for (size_t k = 0; k < sim->instant.nlocated; k++) known[sim->instant.located[k].guard] = true;
  double soon = time_blur(sim);
  bool just_now = fabs(sim->t - sim->instant.t) <= soon;
  for (size_t k = 0; k < det->reach.nnear; k++) {
    size_t guard = det->reach.near[k];
    int sign = eval->sgn[guard];
    if (known[guard] || (just_now && has_fired(sim, guard)) || !brink_detector_active(det, guard) ||
        brink_eval_is_tied(eval, guard) || !brink_detector_wants(det, guard, brink_leaving(sign)))
      continue;
    bool seen =
        sim->phase == BRINK_PHASE_RUN; /* at the end of a step all that is near was looked at */
    double y = sign * (seen ? det->g0[guard] : brink_eval_guard(eval, guard, sim->t, sim->x));
    double rate = sign * rate_before(sim, guard);
    if (!(rate < 0.0) || fabs(y) < eval->slack[guard]) continue;
    if (y > -rate * soon && y > 8.0 * brink_sim_zero_band(sim, guard, sim->t, sim->x)) continue;
    sim->instant.located[sim->instant.nlocated++] =
        (brink_located){.guard = guard, .kind = BRINK_CROSSED, .direction = brink_leaving(sign)};
  }
}

/* The state on a path of the step, or on its chord. */
static void state_there(brink_sim *sim, const brink_path *path, double sigma, bool chord,
                        double *x) {
  size_t nx = sim->model->def.nx;
  if (chord) {
    for (size_t i = 0; i < nx; i++) x[i] = sim->x[i] + sigma * (sim->stepper.x_new[i] - sim->x[i]);
  } else if (sigma >= 1.0) {
    memcpy(x, sim->stepper.x_new, nx * sizeof(double));
  } else if (path == &sim->stepper.dense && sim->stepper.ops->inside != NULL) {
    sim->stepper.ops->inside(&sim->stepper, sigma, x);
  } else {
    brink_path_eval(path, sigma, x);
  }
}

/* A unilateral surface is reached where rounding has not carried the state past it: a little early, perhaps. What a clock
 * does at the very instant of the event may lead away from it, and belongs to it. */
static double time_of_event(brink_sim *sim, double t, const double *x) {
  double tick = brink_sim_next_tick(sim);
  if (!(t < tick && tick - t <= time_blur(sim)) || !(tick <= sim->limit)) return t;
  for (size_t k = 0; k < sim->instant.nlocated; k++) {
    size_t guard = sim->instant.located[k].guard;
    double y = sim->eval.sgn[guard] * brink_eval_guard(&sim->eval, guard, tick, x);
    if (sim->model->guards[guard].def.side == BRINK_UNILATERAL && y >= -sim->eval.slack[guard])
      return tick;
  }
  return t;
}

/* The state moves along a path to sigma, and the instant there is handled. Both ends of a step may be numbers where its
 * dense output is none: products in it overflow first. */
brink_status brink_sim_arrive(brink_sim *sim, const brink_path *path, double sigma, bool chord,
                              double t_end, brink_diag *diag) {
  double t0 = sim->t;
  double t = sigma >= 1.0 ? t_end : path->t0 + sigma * path->h;
  if (t > t0 && !sim->instant.passing) {
    brink_sim_keep_dense(sim, path, t);
    sim->led = true;
  }
  double *x = sim->detector.space.x;
  state_there(sim, path, sigma, chord, x);
  if (sim->eval.solver != NULL && !chord) {
    double settled = brink_sim_settle_event(sim, path, sigma, x);
    if (settled != sigma) t = path->t0 + settled * path->h;
  }
  size_t unbounded = first_unbounded(sim, x);
  if (unbounded != BRINK_NONE)
    return brink_sim_fail(
        sim, diag, BRINK_REASON_STEP_OVERFLOW,
        (brink_arguments){.state = unbounded, .limit = brink_sim_smallest_step(sim)});
  memcpy(sim->x, x, sim->model->def.nx * sizeof(double));
  if (!chord) t = time_of_event(sim, t, sim->x);
  sim->t = sim->stepper.t = t;
  brink_sim_restart(sim);
  brink_audit_accept(&sim->eval, t, sim->x);
  if (t > t0) brink_sim_note_moved(sim, t0);
  take_silent_crossings(sim);
  if (!chord && brink_sim_ends_at_instant(sim, t)) brink_sim_collect_soon(sim);
  brink_status stopped = t > t0 ? brink_sim_record_step(sim, t0) : BRINK_OK;
  brink_status missed = brink_sim_record_misses(sim, false);
  brink_status status = brink_sim_instant(sim, diag);
  brink_status missed_here = brink_sim_record_misses(sim, true);
  if (status != BRINK_OK) return status;
  if (missed == BRINK_OK) missed = missed_here;
  return stopped != BRINK_OK ? stopped : missed;
}

double brink_sim_tolerance(brink_sim *sim, size_t guard, double t, const double *x) {
  return brink_eval_tolerance(&sim->eval, guard, t, x, sim->options.rtol, sim->atol);
}

/* Unilateral surfaces that are reached at a point, within rounding, with the field f pointing at
 * them: the events of one instant belong together. Only guards that the present step can reach. */
void brink_sim_collect_reached(brink_sim *sim, double t, const double *x, const double *f,
                               size_t except) {
  brink_eval *eval = &sim->eval;
  const brink_reach *reach = &sim->detector.reach;
  if (!eval->checks_domain || reach->nnear == 0) return;
  bool *known = sim->instant.fired;
  memset(known, 0, sim->model->def.nguards * sizeof *known);
  for (size_t k = 0; k < sim->instant.nlocated; k++) known[sim->instant.located[k].guard] = true;
  /* Who is as close as the one that counts as having arrived has arrived, too: within the tolerance, or, where time
   * resolves no more (an infinite slope, or a motion whose rounding is more than its tolerance), by time. */
  double landed = 0.0, most = except != BRINK_NONE ? brink_sim_tolerance(sim, except, t, x) : 0.0;
  if (most > 0.0) landed = fabs(brink_eval_guard(eval, except, t, x)) / most * (1.0 + 1e-9);
  double soon = landed > 1.0 ? at_hand(sim) : 0.0;
  for (size_t k = 0; k < reach->nnear; k++) {
    size_t guard = reach->near[k];
    if (guard == except || known[guard] || !brink_eval_protects(eval, guard) ||
        sim->model->guards[guard].def.side != BRINK_UNILATERAL)
      continue;
    int sign = eval->sgn[guard];
    double y = sign * brink_eval_guard(eval, guard, t, x);
    double rate = sign * brink_eval_rate(eval, guard, t, x, f);
    double within = fmax(8.0 * brink_sim_zero_band(sim, guard, t, x), -rate * soon);
    within = fmax(within, fmin(landed, 1.0) * brink_sim_tolerance(sim, guard, t, x));
    if (!(y <= within) || !(rate < 0.0)) continue;
    sim->instant.located[sim->instant.nlocated++] =
        (brink_located){.guard = guard, .kind = BRINK_CROSSED, .direction = brink_leaving(sign)};
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
 * be evaluated on the way. sigma is on the path of the last step, beyond its end, which was planned up
 * to `most`. */
static brink_status hop_over(brink_sim *sim, size_t guard, double sigma, double most) {
  double *x = sim->stepper.x_new, t0 = sim->t, slack = sim->eval.slack[guard];
  sim->eval.slack[guard] = 0.0;
  for (double on = 4.0 * DBL_EPSILON; on < 1e-3; on *= 2.0) {
    double at = sigma * (1.0 + on), t = sim->last.t0 + at * sim->last.h;
    if (at > most) break;
    brink_path_eval(&sim->last, at, x);
    if (!brink_eval_may(&sim->eval, t, x)) continue;
    if (brink_edge_crosses_another(sim, guard, t, x)) break; /* that one's event comes first */
    memcpy(sim->x, x, sim->model->def.nx * sizeof(double));
    sim->t = sim->stepper.t = sim->last_end = t;
    sim->grazed = BRINK_NONE; /* it is over */
    brink_audit_accept(&sim->eval, t, x);
    brink_sim_note_moved(sim, t0);
    return brink_sim_record_step(sim, t0);
  }
  sim->eval.slack[guard] = slack;
  return BRINK_OK;
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
  if (brink_eval_rhs(eval, sim->t + d, x, sim->instant.field) != BRINK_TRY_OK) return false;
  double bend = (sign * brink_eval_rate(eval, guard, sim->t + d, x, sim->instant.field) - rate) / d;
  return bend > 0.0 && rate * rate / (2.0 * bend) - y <= sim->detector.tolerance[guard];
}

/* Along the predictor to a unilateral surface, or to the first other event on the way. */
brink_status brink_sim_arrive_on_predictor(brink_sim *sim, const brink_limit *limit,
                                           brink_diag *diag) {
  int sign = sim->eval.sgn[limit->guard];
  brink_located ev = {.guard = limit->guard, .kind = limit->kind, .direction = brink_leaving(sign)};
  if (limit->sigma == 0.0 && turns_back(sim, limit->guard)) ev.kind = BRINK_TOUCHED;
  brink_path *path = &sim->stepper.predictor;
  brink_found found = {.sigma = 0.0, .undefined = BRINK_NONE};
  double end = 0.0;
  sim->detector.nlocated = sim->detector.nmisses = 0;
  if (limit->sigma > 0.0) {
    brink_path_rescale(path, limit->sigma);
    path->correction = path->a[0]; /* it is what was looked at before, and a part of it */
    path->correction_bound = 0.0;
    end = last_inside(sim, limit->guard, path);
    found = brink_detector_after(&sim->detector, path, sim->stepper.x_new);
  }
  sim->instant.nlocated = 0;
  bool together = false;
  if (found.event && found.sigma < end) brink_detector_join(&sim->detector, path, &found);
  for (size_t k = 0; found.event && k < sim->detector.nlocated; k++) {
    if (sim->detector.located[k].guard != limit->guard)
      sim->instant.located[sim->instant.nlocated++] = sim->detector.located[k];
    else
      together = true;
  }
  if (together && sim->instant.nlocated > 0 && found.sigma < end) {
    sim->instant.located[sim->instant.nlocated++] = ev;
  } else if (sim->instant.nlocated == 0 || found.sigma >= end) {
    sim->instant.located[sim->instant.nlocated++] = ev;
    found.sigma = end;
    const double *x = limit->sigma > 0.0 ? sim->stepper.x_new : sim->x;
    double t = sim->t + (limit->sigma > 0.0 ? path->h : 0.0);
    brink_sim_collect_reached(sim, t, x, sim->stepper.f, limit->guard);
  }
  double t_end = sim->t + path->h;
  brink_status status = brink_sim_arrive(sim, path, found.sigma, false, t_end, diag);
  bool as_before = !sim->instant.changed && !sim->instant.rested;
  if (status == BRINK_OK && limit->hop > 0.0 && found.sigma == end && as_before)
    status = hop_over(sim, limit->guard, limit->hop / limit->sigma, 1.0 / limit->sigma);
  if (status != BRINK_OK) return status;
  return sim->instant.count > 0 ? BRINK_EVENT : BRINK_STEPPED;
}

/* ---- when no step is small enough ---- */

static size_t worst_state(const brink_sim *sim) {
  const brink_stepper *st = &sim->stepper;
  size_t worst = 0;
  double most = -1.0;
  for (size_t i = 0; i < sim->model->def.nx; i++) {
    double weight = sim->options.rtol * fabs(st->x[i]) + sim->atol[i];
    if (i >= st->ntested) weight = brink_eval_unknown_weight(&sim->eval, i, st->x[i], 0.0);
    double ratio = fabs(st->f[i]) / weight;
    if (ratio > most) {
      most = ratio;
      worst = i;
    }
  }
  return worst;
}

static brink_reason likely_cause(const brink_sim *sim, bool undefined, size_t state,
                                 double t_stop) {
  if (sim->options.rtol * fabs(sim->x[state]) + sim->atol[state] == 0.0)
    return BRINK_REASON_STEP_TOLERANCE;
  if (fabs(sim->x[state]) > 0.25 * DBL_MAX) return BRINK_REASON_STEP_OVERFLOW;
  if (undefined) return BRINK_REASON_STEP_UNDEFINED;
  return brink_sim_time_is_coarse(sim, t_stop) ? BRINK_REASON_STEP_RESOLUTION
                                               : BRINK_REASON_STEP_SINGULAR;
}

static brink_status collapsed(brink_sim *sim, brink_try reason, double t_stop, brink_diag *diag) {
  const brink_eval *eval = &sim->eval;
  bool undefined = reason == BRINK_TRY_REFUSED;
  if (undefined && eval->bad_guard != BRINK_NONE)
    return brink_sim_fail(sim, diag, BRINK_REASON_GUARD_ENDS,
                          (brink_arguments){.guard = eval->bad_guard});
  size_t state = undefined && eval->bad_state != BRINK_NONE ? eval->bad_state : worst_state(sim);
  double ulp = nextafter(fabs(sim->t), (double)INFINITY) - fabs(sim->t);
  return brink_sim_fail(
      sim, diag, likely_cause(sim, undefined, state, t_stop),
      (brink_arguments){.state = state, .limit = brink_sim_smallest_step(sim), .value = ulp});
}

/* A unilateral surface that would be reached within a few of the smallest steps, at the present
 * rate, is as near as time can resolve (an infinite slope at the surface: the state still differs
 * from it by more than rounding). BRINK_NONE if there is none. */
static size_t surface_at_hand(brink_sim *sim) {
  brink_eval *eval = &sim->eval;
  double few = at_hand(sim);
  for (size_t k = 0; k < eval->nwatch; k++) {
    size_t guard = eval->watch[k];
    if (!brink_eval_protects(eval, guard)) continue;
    double y = eval->sgn[guard] * brink_eval_guard(eval, guard, sim->t, sim->x);
    double rate = eval->sgn[guard] * brink_eval_rate(eval, guard, sim->t, sim->x, sim->stepper.f);
    if (y <= -rate * few) return guard;
  }
  return BRINK_NONE;
}

/* Close to a singular point series may reach no further than time can resolve (a tank that is refilled,
 * x' = 1 - sqrt x from 1e-20), or not as far as it is worth while (one that stays empty, beside one that is filled); other
 * methods do not mind: some steps by one of them. */
bool brink_sim_go_around(brink_sim *sim) {
  if (!brink_stepper_has_substitute(&sim->stepper)) return false;
  sim->detour = DETOUR;
  brink_sim_restart(sim);
  return true;
}

/* A guard whose surface even the smallest step would pass has been reached. So has one that is at hand where the call ends: what
 * happens at that time counts. */
brink_status brink_sim_no_step_left(brink_sim *sim, brink_try reason, double t_stop,
                                    brink_diag *diag) {
  bool outside = reason == BRINK_TRY_OUTSIDE;
  brink_limit here = {.sigma = 0.0, .event = true, .guard = sim->eval.outside_of};
  if (!outside) here.guard = sim->eval.checks_domain ? surface_at_hand(sim) : BRINK_NONE;
  if (here.guard != BRINK_NONE) return brink_sim_arrive_on_predictor(sim, &here, diag);
  if (brink_sim_may_skip(sim, t_stop)) { /* as near as anybody can tell */
    brink_sim_note_skip(sim, t_stop);
    sim->t = sim->stepper.t = t_stop;
    brink_sim_restart(sim);
    return BRINK_OK;
  }
  if (brink_sim_go_around(sim)) return BRINK_OK;
  if (sim->eval.solver != NULL && sim->eval.solver->failed) return brink_sim_unsolved(sim, diag);
  return collapsed(sim, reason, t_stop, diag);
}
