/* actions.c: the model's own callbacks at an instant: events, clocks, rules.
 *
 * Before a callback runs, sim->before_… hold what it may change; after it they are compared, and taken
 * anew if it did change something. So many callbacks at one instant that change little cost little. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/delay.h"

brink_now brink_sim_now(brink_sim *sim) {
  sim->instant.message[0] = '\0';
  return (brink_now){
      .t = sim->t,
      .x = sim->x,
      .p = sim->eval.p,
      .mode = sim->eval.mode,
      .timer = sim->schedule.timer,
      .pre_x = sim->instant.pre_x,
      .pre_mode = sim->instant.pre_mode,
      .pre_p = sim->instant.pre_p,
      .sgn = sim->eval.sgn,
      .message = sim->instant.message,
      .assigned = sim->instant.assigned,
      .carried = sim->sensitivity != NULL ? brink_sensitivity_carried(sim->sensitivity) : NULL};
}

/* One callback, with whoever goes along. */
static int call(brink_sim *sim, const brink_callback *callback, bool *again) {
  void *user = sim->model->def.user;
  brink_now now = brink_sim_now(sim);
  if (sim->sensitivity != NULL) brink_sensitivity_before(sim->sensitivity, &now);
  int outcome = callback->action != NULL ? callback->action(callback->event, &now, user)
                : callback->tick != NULL
                    ? callback->tick(callback->clock, callback->number, &now, user)
                    : callback->rules(&now, again, user);
  if (sim->sensitivity != NULL && outcome >= 0) brink_sensitivity_after(sim->sensitivity, callback);
  return outcome;
}

static void remember(brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  memcpy(sim->instant.before_x, sim->x, def->nx * sizeof(double));
  memcpy(sim->instant.before_mode, sim->eval.mode, def->nmodes * sizeof(int));
  memcpy(sim->instant.before_p, sim->eval.p, def->np * sizeof(double));
}

static bool differs(const brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  return memcmp(sim->instant.before_x, sim->x, def->nx * sizeof(double)) != 0 ||
         memcmp(sim->instant.before_mode, sim->eval.mode, def->nmodes * sizeof(int)) != 0 ||
         memcmp(sim->instant.before_p, sim->eval.p, def->np * sizeof(double)) != 0;
}

/* States that a callback has assigned are those that it has changed, and those that it says. */
static void note_assigned(brink_sim *sim) {
  for (size_t i = 0; sim->instant.assigned != NULL && i < sim->model->def.nx; i++) {
    if (sim->x[i] != sim->instant.before_x[i]) sim->instant.assigned[i] = true;
  }
}

/* ---- what callbacks leave behind ---- */

bool brink_sim_take_message(brink_sim *sim, brink_status status, size_t guard, brink_diag *diag) {
  sim->instant.message[sizeof sim->instant.message - 1] = '\0';
  if (sim->instant.message[0] == '\0') return false;
  bool stops = status == BRINK_STOPPED;
  bool known = stops && diag != NULL && diag->status == BRINK_STOPPED;
  if (known) return true;
  brink_sim_fail(sim, diag, stops ? BRINK_REASON_STOP_TEXT : BRINK_REASON_ACTION_TEXT,
                 (brink_arguments){.text = sim->instant.message});
  if (diag != NULL) diag->guard = guard;
  return true;
}

/* Who acted: a guard, a clock, or neither: the rules. `count` of them acted before anybody looked. */
typedef struct actor {
  size_t guard, clock;
  int64_t count;
} actor;

static brink_status check_outcome(brink_sim *sim, int outcome, actor who, brink_diag *diag) {
  brink_status set = outcome >= 0 ? brink_timers_follow(sim, diag) : BRINK_OK;
  if (outcome == 0 || set != BRINK_OK) return set;
  brink_status status = outcome < 0 ? BRINK_ERR_CALLBACK : BRINK_STOPPED;
  if (!brink_sim_take_message(sim, status, who.guard, diag) && outcome < 0)
    brink_sim_fail(
        sim, diag, BRINK_REASON_ACTION_FAILED,
        (brink_arguments){.guard = who.guard, .clock = who.clock, .count = (int64_t)outcome});
  return status;
}

static brink_status check_finite(brink_sim *sim, actor who, brink_diag *diag) {
  brink_arguments found = {.guard = who.guard, .clock = who.clock, .count = who.count};
  for (size_t i = 0; i < sim->model->def.nx; i++) {
    if (isfinite(sim->x[i])) continue;
    found.state = i;
    found.value = sim->x[i];
    return brink_sim_fail(sim, diag, BRINK_REASON_ACTION_STATE, found);
  }
  for (size_t i = 0; i < sim->model->def.np; i++) {
    if (isfinite(sim->eval.p[i]) || sim->model->is_time[i]) continue;
    found.parameter = i;
    found.value = sim->eval.p[i];
    return brink_sim_fail(sim, diag, BRINK_REASON_ACTION_PARAMETER, found);
  }
  return BRINK_OK;
}

/* ---- events ---- */

/* By priority, then by index; they mostly come so. */
static int by_priority(const void *a, const void *b) {
  const brink_located *first = a, *second = b;
  if (first->priority != second->priority) return first->priority > second->priority ? -1 : 1;
  return (first->guard > second->guard) - (first->guard < second->guard);
}

static void sort_located(brink_sim *sim) {
  bool sorted = true;
  for (size_t k = 0; k < sim->instant.nlocated; k++) {
    sim->instant.located[k].priority =
        sim->model->guards[sim->instant.located[k].guard].def.priority;
    sorted = sorted &&
             (k == 0 || by_priority(&sim->instant.located[k - 1], &sim->instant.located[k]) <= 0);
  }
  if (!sorted)
    qsort(sim->instant.located, sim->instant.nlocated, sizeof *sim->instant.located, by_priority);
}

static brink_status record_event(brink_sim *sim, const brink_event *event) {
  if (sim->sink.event == NULL && sim->observers == NULL) return BRINK_OK;
  brink_event_record record = {.event = *event,
                               .x_before = sim->instant.before_x,
                               .x_after = sim->x,
                               .mode_before = sim->instant.before_mode,
                               .mode_after = sim->eval.mode,
                               .p_before = sim->instant.before_p,
                               .p_after = sim->eval.p};
  for (brink_observer *o = sim->observers; o != NULL; o = o->next) {
    if (o->event != NULL) o->event(o, sim, &record);
  }
  bool stops = sim->sink.event != NULL && sim->sink.event(&record, sim->sink.user) != 0;
  return stops ? BRINK_STOPPED : BRINK_OK;
}

static brink_status run_event(brink_sim *sim, const brink_located *ev, int iteration, bool *changed,
                              brink_diag *diag) {
  const brink_guard_def *guard = &sim->model->guards[ev->guard].def;
  if (guard->is_timer && !brink_timers_fire(sim, ev->guard)) return BRINK_OK;
  brink_event event = {.guard = ev->guard,
                       .name = guard->name,
                       .t = sim->t,
                       .direction = ev->direction,
                       .kind = ev->kind,
                       .value = ev->value,
                       .iteration = iteration};
  if (sim->instant.count++ == 0) sim->nevents = 0;
  if (sim->nevents < sim->events_capacity) sim->events[sim->nevents++] = event;
  sim->eval.stats.events++;
  brink_audit_event(&sim->eval, ev->guard, sim->t, ev->kind == BRINK_JUMPED ? 0.0 : ev->value);
  if (ev->kind == BRINK_TOUCHED) sim->detector.touched[ev->guard] = true;
  brink_action_fn *action = ev->kind == BRINK_HELD ? guard->on_surface : guard->action;
  if (sim->sensitivity != NULL) brink_sensitivity_note(sim->sensitivity, &event);
  if (action == NULL && !guard->is_timer) return record_event(sim, &event);
  const actor who = {ev->guard, BRINK_NONE, 1};
  int outcome = 0; /* a timer that nobody acts on is off now, all the same */
  if (action != NULL)
    outcome = call(sim, &(brink_callback){.action = action, .event = &event}, NULL);
  brink_status status = check_outcome(sim, outcome, who, diag);
  bool different = differs(sim);
  if (different) note_assigned(sim);
  if (status >= 0 && different) {
    brink_status finite = check_finite(sim, who, diag);
    if (finite != BRINK_OK) status = finite;
  }
  /* The event that ends the run is recorded, too. */
  if (record_event(sim, &event) != BRINK_OK && status >= 0) status = BRINK_STOPPED;
  if (status < 0) return status;
  if (different) remember(sim);
  *changed = *changed || different;
  return status;
}

brink_status brink_sim_run_condition(brink_sim *sim, size_t guard, brink_direction direction,
                                     bool *changed, brink_diag *diag) {
  const brink_guard_def *def = &sim->model->guards[guard].def;
  brink_event event = {.guard = guard,
                       .name = def->name,
                       .t = sim->t,
                       .direction = direction,
                       .kind = BRINK_JUMPED,
                       .value = brink_eval_guard(&sim->eval, guard, sim->t, sim->x)};
  const actor who = {guard, BRINK_NONE, 1};
  remember(sim);
  int outcome = call(sim, &(brink_callback){.action = def->action, .event = &event}, NULL);
  brink_status status = check_outcome(sim, outcome, who, diag);
  if (status < 0 || !differs(sim)) return status;
  remember(sim);
  *changed = true;
  return check_finite(sim, who, diag);
}

/* A guard that lets go of a surface has become positive. */
static brink_status run_release(brink_sim *sim, const brink_located *ev, bool *changed) {
  size_t surface = sim->eval.owner[ev->guard];
  if (!sim->eval.is_held[surface]) return BRINK_OK;
  bool up = sim->model->guards[surface].def.leave_positive == ev->guard;
  *changed = true;
  return brink_slide_end(sim, surface, up ? 1 : -1);
}

/* Is the state still past the surface of a unilateral guard that has jumped? The events of this round may bring it
 * back: until they are over no field may be asked for. */
static bool is_past_jumped(brink_sim *sim, const brink_located *list, size_t count) {
  for (size_t k = 0; k < count; k++) {
    size_t guard = list[k].guard;
    if (list[k].kind != BRINK_JUMPED || sim->model->guards[guard].def.side != BRINK_UNILATERAL ||
        !sim->eval.checks_domain)
      continue;
    double g = brink_eval_guard(&sim->eval, guard, sim->t, sim->x);
    if (!((int)list[k].direction * g <= brink_sim_zero_band(sim, guard, sim->t, sim->x)))
      return true;
  }
  return false;
}

/* Where a guard would be if nothing but its own action had happened: if others put it elsewhere, that is an event
 * of its own. On its surface, within rounding or what its location has left over, it is led to a side, or stays (0);
 * off it, it is where its action has put it, or, if another's did, still on the way that it was going. */
static int side_after(brink_sim *sim, const brink_located *ev, double before, bool may_ask) {
  size_t guard = ev->guard;
  double g = brink_eval_guard(&sim->eval, guard, sim->t, sim->x);
  double band = brink_sim_zero_band(sim, guard, sim->t, sim->x);
  bool located = ev->kind != BRINK_JUMPED && fabs(g - ev->value) <= band;
  if (located || !(fabs(g) > band)) {
    if (!may_ask) return 0;
    return brink_slide_leads(sim, guard, 1) ? 1 : brink_slide_leads(sim, guard, -1) ? -1 : 0;
  }
  if (g != before) return g > 0.0 ? 1 : -1;
  return ev->kind == BRINK_TOUCHED ? -(int)ev->direction : (int)ev->direction;
}

/* Is the guard still on its surface, where its event found it, or inside? Past it no field may be asked for. */
static bool is_not_past(brink_sim *sim, const brink_located *ev, int inside) {
  double g = brink_eval_guard(&sim->eval, ev->guard, sim->t, sim->x);
  double band = brink_sim_zero_band(sim, ev->guard, sim->t, sim->x);
  double found = ev->kind == BRINK_JUMPED ? 0.0 : fmin(inside * ev->value, 0.0);
  return inside * g >= found - band;
}

/* Only where somebody else may interfere: another event, a clock, a rule. */
static void note_own_action(brink_sim *sim, brink_located *ev, double before, bool others,
                            bool may_ask) {
  bool acts = sim->model->guards[ev->guard].def.action != NULL;
  int inside = others && acts ? brink_sim_inside(sim, ev->guard) : 0;
  ev->again = false;
  ev->kept_inside = inside != 0 && may_ask && is_not_past(sim, ev, inside) &&
                    !brink_slide_leads(sim, ev->guard, -inside);
  ev->sign_after = 0;
  if (!acts && ev->kind != BRINK_HELD)
    ev->sign_after = ev->kind == BRINK_TOUCHED ? -(int)ev->direction : (int)ev->direction;
  else if (others || sim->model->def.rules != NULL || brink_sim_next_tick(sim) <= sim->t)
    ev->sign_after = side_after(sim, ev, before, may_ask);
}

static bool is_timer(const brink_sim *sim, const brink_located *ev) {
  return sim->model->guards[ev->guard].def.is_timer;
}

/* Timers have no surfaces: their events leave no signs to settle. */
static void drop_timers(brink_sim *sim) {
  size_t kept = 0;
  for (size_t k = 0; k < sim->instant.nlocated; k++) {
    if (!is_timer(sim, &sim->instant.located[k]))
      sim->instant.located[kept++] = sim->instant.located[k];
  }
  sim->instant.nlocated = kept;
}

/* The events of a round, or, when all is quiet, the actions of surfaces where the state has come to
 * rest. */
static brink_status run_located(brink_sim *sim, brink_located *list, size_t count, int iteration,
                                bool *changed, brink_diag *diag) {
  brink_status stopped = BRINK_OK;
  for (size_t k = 0; k < count; k++)
    list[k].value = brink_eval_guard(&sim->eval, list[k].guard, sim->t, sim->x);
  for (size_t k = 0; k < count; k++) {
    bool release = sim->eval.owner[list[k].guard] != BRINK_NONE;
    double before = brink_eval_guard(&sim->eval, list[k].guard, sim->t, sim->x);
    brink_status status = release ? run_release(sim, &list[k], changed)
                                  : run_event(sim, &list[k], iteration, changed, diag);
    if (status < 0) return status;
    if (status == BRINK_STOPPED) stopped = status;
    if (release || is_timer(sim, &list[k])) continue;
    bool may_ask = !is_past_jumped(sim, list, count);
    note_own_action(sim, &list[k], before, count > 1, may_ask);
  }
  return stopped;
}

/* ---- clocks and rules ---- */

/* The clocks that are due, and what they make due. *last becomes the last that ran. */
static brink_status tick_all(brink_sim *sim, size_t *count, size_t *last, brink_diag *diag) {
  const brink_model_def *def = &sim->model->def;
  size_t limit = (size_t)sim->options.max_iterations + def->nclocks;
  brink_status status = BRINK_OK;
  while (status == BRINK_OK) {
    int64_t tick;
    size_t k = brink_schedule_take(sim, &tick);
    if (k == BRINK_NONE) break;
    if (*count == limit)
      return brink_sim_fail(sim, diag, BRINK_REASON_TIMER_LOOP, (brink_arguments){.clock = k});
    ++*count;
    *last = k;
    brink_callback callback = {.tick = def->clocks[k].tick, .clock = k, .number = tick};
    int outcome = call(sim, &callback, NULL);
    status = check_outcome(sim, outcome, (actor){BRINK_NONE, k, 1}, diag);
  }
  return status;
}

static brink_status run_clocks(brink_sim *sim, bool *ran, bool *changed, brink_diag *diag) {
  size_t count = 0, last = 0;
  brink_status status = tick_all(sim, &count, &last, diag);
  *ran = count > 0;
  if (status < 0 || count == 0 || !differs(sim)) return status;
  note_assigned(sim);
  brink_status finite = check_finite(sim, (actor){BRINK_NONE, last, (int64_t)count}, diag);
  remember(sim);
  *changed = true;
  return finite != BRINK_OK ? finite : status;
}

/* What has happened may have changed lags. */
static void follow_lags(brink_sim *sim, bool *changed) {
  if (!*changed || !brink_delay_follow(sim)) return;
  remember(sim);
}

brink_status brink_sim_run_actions(brink_sim *sim, int iteration, bool *changed, bool *ran,
                                   brink_diag *diag) {
  remember(sim);
  size_t found = sim->instant.nlocated;
  brink_timers_collect(sim);
  bool timed = sim->instant.nlocated > found;
  sort_located(sim);
  bool quiet = sim->instant.nlocated == 0;
  size_t arrived = sim->instant.narrivals;
  if (quiet) sim->instant.narrivals = 0;
  brink_status stopped =
      quiet
          ? run_located(sim, sim->instant.arrivals, arrived, iteration, changed, diag)
          : run_located(sim, sim->instant.located, sim->instant.nlocated, iteration, changed, diag);
  if (stopped < 0) return stopped;
  if (timed) drop_timers(sim);
  /* Samples read what delayed signals are from now on. */
  if (brink_delay_meet(sim)) {
    remember(sim);
    *changed = true;
  }
  brink_status status = run_clocks(sim, ran, changed, diag);
  *ran = *ran || timed;
  follow_lags(sim, changed);
  return status == BRINK_OK ? stopped : status;
}

/* Does a number that a condition keeps (floor, the piece of a table) turn back where it is? Then its event comes before
 * time moves on. */
static bool turns_back(brink_sim *sim) {
  const brink_model *model = sim->model;
  for (size_t k = 0; k < model->nconditions; k++) {
    size_t guard = model->conditions[k];
    int sign = sim->eval.sgn[guard];
    if (!sim->eval.enabled[guard] || sign == 0 || sim->eval.is_held[guard] ||
        model->guards[guard].def.action == NULL || brink_sim_inside(sim, guard) != sign)
      continue;
    double g = brink_eval_guard(&sim->eval, guard, sim->t, sim->x);
    if (sign * g <= brink_sim_zero_band(sim, guard, sim->t, sim->x) &&
        brink_slide_way(sim, guard) == -sign)
      return true;
  }
  return false;
}

/* It may be off its surface by what the location of its event has left over. */
static bool rests_there(void *user, size_t guard) {
  brink_sim *sim = user;
  if (sim->takes_turns) return false;
  double g = brink_eval_guard(&sim->eval, guard, sim->t, sim->x);
  return fabs(g) <= brink_sim_tolerance(sim, guard, sim->t, sim->x) &&
         brink_leads_side(sim, guard, 1, sim->eval.f_plus) == 0 &&
         brink_leads_side(sim, guard, -1, sim->eval.f_plus) == 0;
}

brink_status brink_sim_judge(brink_sim *sim, bool over, brink_diag *diag) {
  const brink_model *model = sim->model;
  if (model->judge == NULL || !model->doubts(model->def.user)) return BRINK_OK;
  brink_leads_open(sim);
  bool waits = !over && !sim->takes_turns && turns_back(sim);
  brink_now now = brink_sim_now(sim);
  brink_doubt doubt = {.rests = rests_there, .sim = sim, .guard = BRINK_NONE};
  int outcome = waits ? 0 : model->judge(&now, &doubt, model->def.user);
  brink_leads_close(sim);
  const actor who = {doubt.guard, BRINK_NONE, 1};
  return outcome != 0 ? check_outcome(sim, outcome, who, diag) : BRINK_OK;
}

brink_status brink_sim_run_rules(brink_sim *sim, bool *changed, brink_diag *diag) {
  const brink_model_def *def = &sim->model->def;
  const actor rules = {BRINK_NONE, BRINK_NONE, 1};
  for (int k = 0; k < sim->options.max_iterations; k++) {
    bool again = false;
    int outcome = call(sim, &(brink_callback){.rules = def->rules}, &again);
    brink_status status = check_outcome(sim, outcome, rules, diag);
    if (status >= 0 && differs(sim)) {
      *changed = true;
      note_assigned(sim);
      brink_status finite = check_finite(sim, rules, diag);
      if (finite != BRINK_OK) return finite;
      remember(sim);
      follow_lags(sim, changed);
    }
    if (status != BRINK_OK || !again) return status;
  }
  return brink_sim_fail(sim, diag, BRINK_REASON_RULES_LOOP,
                        (brink_arguments){.count = sim->options.max_iterations});
}
