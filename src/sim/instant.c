/* instant.c: everything that happens at one instant.
 *
 * Located events first, by priority and then by index; then the clocks that are due, likewise; then
 * rules, until they rest. Rules read the signs of guards, so that what fired takes its new sign before
 * they run, and once more after what they changed. That may carry other guards across zero, or enable
 * guards whose condition holds already: these are events of the same instant. All is repeated until
 * nothing changes, and until the rules have seen every sign that did. Values before and after every
 * event are recorded in order (superdense time). */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/sim.h"

brink_now brink_sim_now(brink_sim *sim) {
  sim->message[0] = '\0';
  return (brink_now){.t = sim->t,
                     .x = sim->x,
                     .p = sim->eval.p,
                     .mode = sim->eval.mode,
                     .timer = sim->timer,
                     .pre_x = sim->pre_x,
                     .pre_mode = sim->pre_mode,
                     .pre_p = sim->pre_p,
                     .sgn = sim->eval.sgn,
                     .message = sim->message};
}

static void remember(brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  memcpy(sim->before_x, sim->x, def->nx * sizeof(double));
  memcpy(sim->before_mode, sim->eval.mode, def->nmodes * sizeof(int));
  memcpy(sim->before_p, sim->eval.p, def->np * sizeof(double));
}

static bool differs(const brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  return memcmp(sim->before_x, sim->x, def->nx * sizeof(double)) != 0 ||
         memcmp(sim->before_mode, sim->eval.mode, def->nmodes * sizeof(int)) != 0 ||
         memcmp(sim->before_p, sim->eval.p, def->np * sizeof(double)) != 0;
}

/* The words that a callback left for the diagnostic; the first to stop the run has the say. */
bool brink_sim_says(brink_sim *sim, brink_status status, size_t guard, brink_diag *diag) {
  sim->message[sizeof sim->message - 1] = '\0';
  if (sim->message[0] == '\0') return false;
  bool told = status == BRINK_STOPPED && diag != NULL && diag->status == BRINK_STOPPED;
  if (!told) brink_sim_fail(sim, diag, status, guard, "%s", sim->message);
  return true;
}

/* What a callback may have left behind. */
static brink_status check_outcome(brink_sim *sim, int outcome, const char *what, const char *name,
                                  size_t guard, brink_diag *diag) {
  if (outcome < 0 && brink_sim_says(sim, BRINK_ERR_CALLBACK, guard, diag))
    return BRINK_ERR_CALLBACK;
  if (outcome < 0)
    return brink_sim_fail(sim, diag, BRINK_ERR_CALLBACK, guard,
                          "the action of %s '%s' reported a fatal error (%d) at t = %.17g", what,
                          name, outcome, sim->t);
  for (size_t i = 0; i < sim->model->def.nx; i++) {
    if (isfinite(sim->x[i])) continue;
    brink_sim_fail(sim, diag, BRINK_ERR_CALLBACK, guard,
                   "the action of %s '%s' set state '%s' to %g at t = %.17g", what, name,
                   brink_model_state_name(sim->model, i), sim->x[i], sim->t);
    if (diag != NULL) diag->state = i;
    return BRINK_ERR_CALLBACK;
  }
  if (outcome > 0) brink_sim_says(sim, BRINK_STOPPED, guard, diag);
  return outcome > 0 ? BRINK_STOPPED : BRINK_OK;
}

/* ---- events ---- */

static void sort_hits(brink_sim *sim) {
  const brink_guard *guards = sim->model->guards;
  for (size_t k = 1; k < sim->nhits; k++) {
    brink_hit hit = sim->hits[k];
    size_t j = k;
    for (; j > 0; j--) {
      brink_hit other = sim->hits[j - 1];
      int a = guards[other.guard].def.priority, b = guards[hit.guard].def.priority;
      if (a > b || (a == b && other.guard <= hit.guard)) break;
      sim->hits[j] = other;
    }
    sim->hits[j] = hit;
  }
}

static brink_status run_event(brink_sim *sim, const brink_hit *hit, int iteration,
                              brink_diag *diag) {
  const brink_guard_def *guard = &sim->model->guards[hit->guard].def;
  brink_event event = {.guard = hit->guard,
                       .name = guard->name,
                       .t = sim->t,
                       .direction = hit->direction,
                       .kind = hit->kind,
                       .iteration = iteration};
  event.value = hit->value;
  if (sim->instant_events++ == 0) sim->nevents = 0;
  if (sim->nevents < sim->events_capacity) sim->events[sim->nevents++] = event;
  sim->eval.stats.events++;
  if (hit->kind == BRINK_TOUCHED) sim->detector.touched[hit->guard] = true;
  remember(sim);
  brink_status status = BRINK_OK;
  brink_action_fn *action = hit->kind == BRINK_HELD ? guard->on_surface : guard->action;
  if (action != NULL) {
    brink_now now = brink_sim_now(sim);
    int outcome = action(&event, &now, sim->model->def.user);
    status = check_outcome(sim, outcome, "guard", guard->name, hit->guard, diag);
    if (status < 0) return status;
  }
  if (sim->sink.event != NULL) {
    brink_event_record record = {.event = event,
                                 .x_before = sim->before_x,
                                 .x_after = sim->x,
                                 .mode_before = sim->before_mode,
                                 .mode_after = sim->eval.mode,
                                 .p_before = sim->before_p,
                                 .p_after = sim->eval.p};
    if (sim->sink.event(&record, sim->sink.user) != 0) status = BRINK_STOPPED;
  }
  return status;
}

/* A guard that lets go of a surface has become positive. */
static brink_status run_release(brink_sim *sim, const brink_hit *hit) {
  size_t surface = sim->eval.owner[hit->guard];
  if (!sim->eval.is_held[surface]) return BRINK_OK;
  bool up = sim->model->guards[surface].def.leave_positive == hit->guard;
  return brink_slide_end(sim, surface, up ? 1 : -1);
}

/* The events of a round, or, when all is quiet, the actions of surfaces where the state has come to
 * rest. */
static brink_status run_hits(brink_sim *sim, brink_hit *hits, size_t count, int iteration,
                             bool *changed, brink_diag *diag) {
  brink_status stopped = BRINK_OK;
  for (size_t k = 0; k < count; k++)
    hits[k].value = brink_eval_guard(&sim->eval, hits[k].guard, sim->t, sim->x);
  for (size_t k = 0; k < count; k++) {
    bool release = sim->eval.owner[hits[k].guard] != BRINK_NONE;
    brink_status status =
        release ? run_release(sim, &hits[k]) : run_event(sim, &hits[k], iteration, diag);
    if (status < 0) return status;
    if (status == BRINK_STOPPED) stopped = status;
    *changed = *changed || release || differs(sim);
  }
  return stopped;
}

/* ---- clocks and rules ---- */

double brink_sim_next_tick(const brink_sim *sim) {
  double next = INFINITY;
  for (size_t k = 0; k < sim->model->def.nclocks; k++) next = fmin(next, sim->timer[k]);
  return next;
}

/* The due clock that runs next: the largest priority, then the first declared. */
static size_t next_due(const brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  size_t best = BRINK_NONE;
  for (size_t k = 0; k < def->nclocks; k++) {
    if (!(sim->timer[k] <= sim->t)) continue;
    if (best == BRINK_NONE || def->clocks[k].priority > def->clocks[best].priority) best = k;
  }
  return best;
}

static brink_status run_clocks(brink_sim *sim, bool *ran, brink_diag *diag) {
  const brink_model_def *def = &sim->model->def;
  int64_t limit = (int64_t)sim->options.max_iterations + (int64_t)def->nclocks;
  for (size_t k = next_due(sim); k != BRINK_NONE; k = next_due(sim)) {
    const brink_clock_def *clock = &def->clocks[k];
    if (limit-- == 0)
      return brink_sim_fail(sim, diag, BRINK_ERR_LOOP, BRINK_NONE,
                            "timer '%s' is set to the present again and again at t = %.17g: set it "
                            "to a later time",
                            clock->name, sim->t);
    int64_t tick = sim->tick[k]++;
    sim->timer[k] = INFINITY;
    if (clock->period > 0.0) sim->timer[k] = brink_ticks_time(&sim->ticks[k], sim->tick[k]);
    brink_now now = brink_sim_now(sim);
    int outcome = clock->tick(k, tick, &now, def->user);
    *ran = true;
    brink_status status = check_outcome(sim, outcome, "clock", clock->name, BRINK_NONE, diag);
    if (status != BRINK_OK) return status;
    if (isnan(sim->timer[k])) sim->timer[k] = INFINITY;
  }
  return BRINK_OK;
}

static brink_status run_rules(brink_sim *sim, brink_diag *diag) {
  const brink_model_def *def = &sim->model->def;
  if (def->rules == NULL) return BRINK_OK;
  for (int k = 0; k < sim->options.max_iterations; k++) {
    bool changed = false;
    brink_now now = brink_sim_now(sim);
    int outcome = def->rules(&now, &changed, def->user);
    brink_status status = check_outcome(sim, outcome, "rules", "rules", BRINK_NONE, diag);
    if (status != BRINK_OK || !changed) return status;
  }
  return brink_sim_fail(sim, diag, BRINK_ERR_LOOP, BRINK_NONE,
                        "the rules still change something after %d rounds at t = %.17g",
                        sim->options.max_iterations, sim->t);
}

/* ---- signs, and the events that changes cause ---- */

double brink_sim_zero_band(brink_sim *sim, size_t guard, double t, const double *x) {
  brink_eval *eval = &sim->eval;
  int polarity;
  size_t leaf = brink_eval_deciding_leaf(eval, guard, t, x, &polarity);
  const brink_guard_def *def = &sim->model->guards[leaf].def;
  double dt, size;
  if (brink_eval_gradient(eval, leaf, t, x, eval->gradient, &dt) != BRINK_TRY_OK) return 0.0;
  size = fabs(dt * t);
  for (size_t k = 0; k < def->ndepends; k++) size += fabs(eval->gradient[k] * x[def->depends[k]]);
  return isfinite(size) ? 8.0 * DBL_EPSILON * size : 0.0;
}

static double zero_band(brink_sim *sim, size_t guard) {
  return brink_sim_zero_band(sim, guard, sim->t, sim->x);
}

static bool is_flag(const brink_sim *sim, size_t guard) {
  return sim->model->guards[guard].def.side != BRINK_LEAF;
}

/* Signs of a guard that has none yet. */
static brink_status first_sign(brink_sim *sim, size_t guard, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  double g = brink_eval_guard(eval, guard, sim->t, sim->x);
  eval->slack[guard] = 0.0;
  eval->sgn[guard] = 0;
  if (isnan(g))
    return brink_sim_fail(
        sim, diag, BRINK_ERR_DOMAIN, guard,
        "guard '%s' has no value at t = %.17g: it is NaN, or its callback refused",
        brink_model_guard_name(sim->model, guard), sim->t);
  if (fabs(g) > zero_band(sim, guard)) {
    eval->sgn[guard] = g > 0.0 ? 1 : -1;
    return BRINK_OK;
  }
  return brink_sim_settle_sign(sim, guard, 0, true, BRINK_CROSSED, diag);
}

/* A unilateral guard that watches one direction has its inside by that: one that starts on its surface
 * and goes out has been reached. */
static void check_start(brink_sim *sim, size_t guard) {
  const brink_guard_def *def = &sim->model->guards[guard].def;
  if (def->side != BRINK_UNILATERAL || def->direction == BRINK_BOTH ||
      sim->eval.sgn[guard] != (int)def->direction)
    return;
  sim->eval.sgn[guard] = (signed char)-(int)def->direction;
  sim->hits[sim->nhits++] =
      (brink_hit){.guard = guard, .kind = BRINK_CROSSED, .direction = def->direction};
}

static void add_hit(brink_sim *sim, size_t guard, int direction) {
  sim->hits[sim->nhits++] =
      (brink_hit){.guard = guard,
                  .kind = BRINK_JUMPED,
                  .direction = direction > 0 ? BRINK_POSITIVE : BRINK_NEGATIVE};
}

/* A guard that was just enabled, or rested on its surface: its sign is new. A guard that watches
 * one direction fires if it is already there. */
static brink_status new_sign(brink_sim *sim, size_t guard, brink_diag *diag) {
  brink_status status = first_sign(sim, guard, diag);
  sim->field_settled = false; /* the field may read it */
  if (status != BRINK_OK) return status;
  int sign = sim->eval.sgn[guard], direction = (int)sim->model->guards[guard].def.direction;
  if (sign != 0 && direction == sign) add_hit(sim, guard, direction);
  return BRINK_OK;
}

/* Guards that let go of the surfaces on which the state starts. */
static brink_status release_signs(brink_sim *sim, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  for (size_t k = 0; k < eval->nheld; k++) {
    const brink_guard_def *surface = &sim->model->guards[eval->held[k]].def;
    size_t leave[] = {surface->leave_positive, surface->leave_negative};
    for (int side = 0; side < 2; side++) {
      if (leave[side] == BRINK_NONE || !eval->enabled[leave[side]]) continue;
      brink_status status = new_sign(sim, leave[side], diag);
      if (status != BRINK_OK) return status;
    }
  }
  return BRINK_OK;
}

/* Guards that are clearly on a side first: the field may read their signs. */
brink_status brink_sim_start_signs(brink_sim *sim, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  brink_eval_update_enabled(eval);
  sim->nhits = 0;
  size_t count = sim->model->def.nguards;
  for (int round = 0; round < 2; round++) {
    for (size_t k = 0; k < count; k++) {
      if (!eval->enabled[k] || !is_flag(sim, k)) continue;
      double g = brink_eval_guard(eval, k, sim->t, sim->x);
      bool zero = fabs(g) <= zero_band(sim, k);
      if (zero != (round == 1)) continue;
      brink_status status = first_sign(sim, k, diag);
      if (status != BRINK_OK) return status;
      if (zero) check_start(sim, k);
    }
  }
  return release_signs(sim, diag);
}

/* A guard that was carried across zero. */
static void check_jump(brink_sim *sim, size_t guard) {
  brink_eval *eval = &sim->eval;
  int sign = eval->sgn[guard];
  double g = brink_eval_guard(eval, guard, sim->t, sim->x);
  if (sign * g >= 0.0 || !(sign * g < -fmax(eval->slack[guard], zero_band(sim, guard)))) return;
  eval->sgn[guard] = (signed char)-sign;
  eval->slack[guard] = 0.0;
  sim->field_settled = false; /* the field may read it */
  brink_direction direction = brink_leaving(sign);
  if (brink_detector_wants(&sim->detector, guard, direction)) add_hit(sim, guard, direction);
}

/* An action that carried the state off the surface has decided the sign. (What the location of the
 * event left over is still on the surface.) A guard that jumped is off it to begin with. */
static bool moved_away(brink_sim *sim, const brink_hit *hit) {
  brink_eval *eval = &sim->eval;
  double g = brink_eval_guard(eval, hit->guard, sim->t, sim->x);
  double band = zero_band(sim, hit->guard);
  bool moved = hit->kind == BRINK_JUMPED || fabs(g - hit->value) > band;
  if (!(fabs(g) > band) || !moved) return false;
  eval->sgn[hit->guard] = g > 0.0 ? 1 : -1;
  eval->slack[hit->guard] = 0.0;
  return true;
}

/* Parameters and modes are what they were before the instant: so are the guards, as functions. */
static bool same_functions(const brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  return memcmp(sim->pre_mode, sim->eval.mode, def->nmodes * sizeof(int)) == 0 &&
         memcmp(sim->pre_p, sim->eval.p, def->np * sizeof(double)) == 0;
}

/* New signs of what fired in this round, by what holds now. */
static brink_status settle_fired(brink_sim *sim, bool changed_ever, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  brink_status status = BRINK_OK;
  brink_eval_update_enabled(eval);
  for (size_t k = 0; k < sim->nhits && status == BRINK_OK; k++) {
    size_t guard = sim->hits[k].guard;
    if (!eval->enabled[guard]) continue;
    int before = sim->hits[k].direction == BRINK_NEGATIVE ? 1 : -1;
    if (eval->is_held[guard]) brink_slide_undo(sim, guard); /* for what held before the rules */
    if (moved_away(sim, &sim->hits[k])) continue;
    status = brink_sim_settle_sign(sim, guard, before, changed_ever, sim->hits[k].kind, diag);
  }
  return status;
}

/* The others: what was carried across zero, or enabled, makes the events of the next round. */
static brink_status settle_others(brink_sim *sim, bool changed, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < sim->model->def.nguards && status == BRINK_OK; k++) {
    if (!eval->enabled[k] || !is_flag(sim, k) || eval->is_held[k] || sim->fired[k]) continue;
    if (!sim->altered && sim->was_enabled[k] &&
        !brink_detector_concerned(&sim->detector, k, sim->jump))
      continue;
    if (sim->pending[k] && changed)
      status = brink_sim_settle_sign(sim, k, 0, true, BRINK_CROSSED, diag);
    else if (!sim->was_enabled[k] || (changed && eval->sgn[k] == 0))
      status = new_sign(sim, k, diag);
    else if (changed)
      check_jump(sim, k);
  }
  return status;
}

/* After one round: new signs of what fired, and the events of the next round. */
static brink_status settle(brink_sim *sim, bool changed, bool changed_ever, brink_diag *diag) {
  brink_status status = BRINK_OK;
  if (changed && !sim->fired_settled) sim->field_settled = false;
  if (!sim->fired_settled) status = settle_fired(sim, changed_ever, diag);
  memset(sim->fired, 0, sim->model->def.nguards * sizeof *sim->fired);
  for (size_t k = 0; k < sim->nhits; k++) sim->fired[sim->hits[k].guard] = true;
  sim->nhits = 0;
  if (status == BRINK_OK && changed && sim->eval.nheld > 0) status = brink_slide_check(sim, diag);
  sim->jump = fmax(sim->jump, brink_reach_jump(&sim->detector.reach, sim->pre_x, sim->x));
  sim->altered = sim->altered || !same_functions(sim);
  return status == BRINK_OK ? settle_others(sim, changed, diag) : status;
}

/* Every guard that fired at this instant, named once. */
static brink_status unsettled(brink_sim *sim, brink_diag *diag) {
  char names[300] = "";
  memset(sim->fired, 0, sim->model->def.nguards * sizeof *sim->fired);
  for (size_t k = 0; k < sim->nevents && sim->instant_events > 0; k++) {
    size_t used = strlen(names), guard = sim->events[k].guard;
    if (sim->fired[guard] || used + 8 > sizeof names) continue;
    sim->fired[guard] = true;
    snprintf(names + used, sizeof names - used, "%s'%s'", used > 0 ? ", " : "",
             brink_model_guard_name(sim->model, guard));
  }
  if (names[0] == '\0')
    return brink_sim_fail(sim, diag, BRINK_ERR_LOOP, BRINK_NONE,
                          "the rules and the signs of guards at t = %.17g do not settle after %d "
                          "rounds",
                          sim->t, sim->options.max_iterations);
  return brink_sim_fail(sim, diag, BRINK_ERR_LOOP, sim->events[0].guard,
                        "events at t = %.17g do not settle after %d rounds: %s keep firing", sim->t,
                        sim->options.max_iterations, names);
}

/* The events of one round, then the clocks that are due. */
static brink_status run_actions(brink_sim *sim, int iteration, bool *changed, bool *ran,
                                brink_diag *diag) {
  sort_hits(sim);
  bool quiet = sim->nhits == 0;
  size_t arrived = sim->narrivals;
  if (quiet) sim->narrivals = 0;
  brink_status stopped = quiet ? run_hits(sim, sim->arrivals, arrived, iteration, changed, diag)
                               : run_hits(sim, sim->hits, sim->nhits, iteration, changed, diag);
  if (stopped < 0) return stopped;
  remember(sim);
  brink_status status = run_clocks(sim, ran, diag);
  *changed = *changed || differs(sim);
  return status == BRINK_OK ? stopped : status;
}

/* Have guards taken other signs since the rules last looked at them? */
static bool signs_unread(const brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  return def->rules != NULL && memcmp(sim->read_sgn, sim->eval.sgn, def->nguards) != 0;
}

bool brink_sim_due(const brink_sim *sim) {
  return brink_sim_next_tick(sim) <= sim->t || sim->narrivals > 0 || signs_unread(sim);
}

/* The rules read signs that are settled by what has happened so far. What they change may settle them
 * otherwise, so that a failure (a surface that blocks) is not one yet. A timer that they set to the
 * present ticks next. */
static brink_status apply_rules(brink_sim *sim, bool changed_ever, bool *changed,
                                brink_diag *diag) {
  if (sim->model->def.rules == NULL) return BRINK_OK;
  if (sim->nhits > 0)
    sim->fired_settled = settle_fired(sim, changed_ever || *changed, NULL) == BRINK_OK;
  memcpy(sim->read_sgn, sim->eval.sgn, sim->model->def.nguards);
  remember(sim);
  brink_status status = run_rules(sim, diag);
  bool ruled = differs(sim);
  if (ruled) sim->fired_settled = false;
  *changed = *changed || ruled;
  return status;
}

/* One round: events, clocks, rules. *changed tells whether they changed anything. */
static brink_status run_round(brink_sim *sim, int iteration, bool changed_ever, bool *changed,
                              brink_diag *diag) {
  bool ran = false;
  *changed = sim->fired_settled = false;
  memcpy(sim->was_enabled, sim->eval.enabled, sim->model->def.nguards * sizeof *sim->was_enabled);
  brink_status status = run_actions(sim, iteration, changed, &ran, diag);
  if (status < 0) return status;
  bool rules = ran || *changed || sim->nhits > 0 || iteration == 0 || signs_unread(sim);
  brink_status ruled = rules ? apply_rules(sim, changed_ever, changed, diag) : BRINK_OK;
  return ruled != BRINK_OK ? ruled : status;
}

static brink_status run_instant(brink_sim *sim, brink_diag *diag) {
  const brink_model_def *def = &sim->model->def;
  memcpy(sim->pre_x, sim->x, def->nx * sizeof(double));
  memcpy(sim->pre_mode, sim->eval.mode, def->nmodes * sizeof(int));
  memcpy(sim->pre_p, sim->eval.p, def->np * sizeof(double));
  sim->instant_events = 0;
  bool changed_ever = false;
  sim->changed = sim->altered = false;
  sim->jump = 0.0;
  if (sim->nhits > 0) sim->restart = true;
  for (int iteration = 0;; iteration++) {
    bool changed;
    brink_status status = run_round(sim, iteration, changed_ever, &changed, diag);
    sim->changed = changed_ever = changed_ever || changed;
    if (changed) sim->restart = true;
    if (status == BRINK_STOPPED) { /* signs in order, so that the run may be continued */
      settle(sim, changed, changed_ever, NULL);
      sim->nhits = 0;
    }
    if (status != BRINK_OK) return status;
    if (!changed && sim->nhits == 0 && sim->narrivals == 0) break;
    status = settle(sim, changed, changed_ever, diag);
    if (status != BRINK_OK) return status;
    if (sim->nhits == 0 && sim->narrivals == 0 && !signs_unread(sim)) break;
    sim->restart = true;
    if (iteration + 1 >= sim->options.max_iterations) return unsettled(sim, diag);
  }
  return sim->instant_events > 0 ? brink_zeno_note(sim, diag) : BRINK_OK;
}

brink_status brink_sim_instant(brink_sim *sim, brink_diag *diag) {
  sim->field_settled = sim->split = false;
  sim->eval.centre = NULL; /* actions may put the state anywhere, and change what guards are */
  memset(sim->pending, 0, sim->model->def.nguards * sizeof *sim->pending);
  brink_status status = run_instant(sim, diag);
  /* One event, one round: what its sign was settled with still holds. */
  sim->stepper.f_ready = sim->field_settled && sim->instant_events == 1 && sim->restart &&
                         sim->started && sim->eval.nheld == 0;
  if (sim->restart)
    brink_detector_jump(&sim->detector, sim->pre_x, sim->x, sim->started && same_functions(sim));
  return status;
}
