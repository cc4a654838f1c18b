/* instant.c: everything that happens at one instant.
 *
 * An instant goes in rounds. One round:
 *
 *   actions     of the events, by priority and then by index; of the clocks that are due, likewise; then rules,
 *               until they rest (actions.c). Rules read signs: what fired takes its new sign before they run,
 *               and once more after what they changed.
 *   conditions  mere conditions of the equations take the signs of their values, and guards are watched, or no
 *               longer, as modes and signs say: to a fixed point, as each may depend on the others.
 *   signs       what fired takes its new sign: conditions first, then the others; from its value, if an action
 *               has carried it off its surface, else from the flow (slide.c). If that changes a condition or what
 *               is watched, both once more.
 *   jumps       every other guard that was carried across zero, or that begins to be watched on the side that
 *               it waits for, is an event of the next round.
 *
 * Rounds go on until nothing changes, and until the rules have seen every sign that did. So no guard is judged,
 * and no field evaluated, with conditions that belong to the state before an action. Values before and after
 * every event are recorded in order (superdense time). docs/instants.md describes the same for users. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/delay.h"

/* ---- signs ---- */

double brink_sim_zero_band(brink_sim *sim, size_t guard, double t, const double *x) {
  brink_eval *eval = &sim->eval;
  int polarity;
  size_t leaf = brink_eval_deciding_leaf(eval, guard, t, x, &polarity);
  const brink_guard_def *def = &sim->model->guards[leaf].def;
  double dt, size;
  if (brink_eval_gradient(eval, leaf, t, x, eval->gradient, &dt) != BRINK_TRY_OK) return 0.0;
  size = fabs(dt * t);
  for (size_t k = 0; k < def->ndepends; k++) {
    if (eval->gradient[k] != 0.0)
      size += fabs(eval->gradient[k]) * brink_eval_size(eval, def->depends[k], t, x);
  }
  return isfinite(size) ? 8.0 * DBL_EPSILON * size : 0.0;
}

static double zero_band(brink_sim *sim, size_t guard) {
  return brink_sim_zero_band(sim, guard, sim->t, sim->x);
}

static bool is_flag(const brink_sim *sim, size_t guard) {
  return (sim->model->traits[guard] & BRINK_TRAIT_LEAF) == 0;
}

static bool is_condition(const brink_sim *sim, size_t guard) {
  return (sim->model->traits[guard] & BRINK_TRAIT_CONDITION) != 0;
}

/* A sign that the guard's value has decided. */
static void decide(brink_sim *sim, size_t guard, int sign) {
  brink_eval_set_sign(&sim->eval, guard, sign);
  sim->eval.slack[guard] = 0.0;
  sim->instant.field_settled = false; /* the field may read it */
}

static brink_status no_value(brink_sim *sim, size_t guard, brink_diag *diag) {
  return brink_sim_fail(sim, diag, BRINK_REASON_GUARD_UNDEFINED, (brink_arguments){.guard = guard});
}

brink_status brink_sim_first_sign(brink_sim *sim, size_t guard, brink_diag *diag) {
  double g = brink_eval_guard(&sim->eval, guard, sim->t, sim->x);
  decide(sim, guard, 0);
  if (isnan(g)) return no_value(sim, guard, diag);
  int sign = brink_sign_of(g, zero_band(sim, guard));
  if (sign != 0) {
    decide(sim, guard, sign);
    return BRINK_OK;
  }
  return brink_sim_settle_sign(sim, guard, 0, true, BRINK_CROSSED, diag);
}

int brink_sim_inside(const brink_sim *sim, size_t guard) {
  return brink_sign_inside(&sim->model->guards[guard].def);
}

static void add_located(brink_sim *sim, size_t guard, int direction) {
  sim->instant.located[sim->instant.nlocated++] =
      (brink_located){.guard = guard, .kind = BRINK_JUMPED, .direction = brink_arriving(direction)};
}

/* A guard that was just enabled, or rested on its surface: its sign is new. A guard that watches
 * one direction fires if it is already there. */
static brink_status new_sign(brink_sim *sim, size_t guard, bool rested, brink_diag *diag) {
  const brink_guard_def *def = &sim->model->guards[guard].def;
  brink_status status = brink_sim_first_sign(sim, guard, diag);
  if (status != BRINK_OK) return status;
  int sign = sim->eval.sgn[guard], inside = rested ? brink_sim_inside(sim, guard) : 0;
  if (sign != 0 && ((int)def->direction == sign || inside == -sign)) add_located(sim, guard, sign);
  return BRINK_OK;
}

/* Parameters and modes are what they were before the instant: so are the guards, as functions. */
static bool same_functions(const brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  return memcmp(sim->instant.pre_mode, sim->eval.mode, def->nmodes * sizeof(int)) == 0 &&
         memcmp(sim->instant.pre_p, sim->eval.p, def->np * sizeof(double)) == 0;
}

/* Can what the instant has changed so far have carried the guard across zero? */
static bool is_concerned(const brink_sim *sim, size_t guard) {
  unsigned char traits = sim->model->traits[guard];
  return (sim->instant.altered && (traits & BRINK_TRAIT_NUMBERS) == 0) ||
         (traits & BRINK_TRAIT_READS_SIGNS) != 0 ||
         brink_detector_concerned(&sim->detector, guard, sim->instant.jump);
}

static void note_jump(brink_sim *sim) {
  sim->instant.jump =
      fmax(sim->instant.jump, brink_reach_jump(&sim->detector.reach, sim->instant.pre_x, sim->x));
  sim->instant.altered = sim->instant.altered || !same_functions(sim);
}

/* By how much a guard may be off its surface at an event, as time is a double: its rate along the path that led
 * here, times what time can resolve. (The surfaces of floor(u) on both sides of a whole number are one, but only
 * one of them was located.) */
static double time_band(brink_sim *sim, size_t guard) {
  const brink_path *path = sim->instant.passing ? &sim->stepper.dense : &sim->last;
  bool known = sim->instant.passing || sim->led;
  double sigma = (sim->t - path->t0) / path->h, *x = sim->detector.space.x;
  if (!known || path->terms == 0 || !(sigma > 0.0 && sigma <= 1.0 + 1e-9)) return 0.0;
  const double back = 1e-3;
  brink_along_states(&sim->detector.space, guard, path, sigma);
  double here = brink_eval_guard(&sim->eval, guard, sim->t, x);
  brink_along_states(&sim->detector.space, guard, path, sigma * (1.0 - back));
  double d = back * sigma * path->h, before = brink_eval_guard(&sim->eval, guard, sim->t - d, x);
  double rate = fabs(here - before) / d;
  return isfinite(rate) ? 4.0 * DBL_EPSILON * fabs(sim->t) * rate : 0.0;
}

/* A guard that is carried across zero takes the sign of its value; the direction, 0 if it was not. What
 * rounding leaves on the wrong side is not across. */
static int follow(brink_sim *sim, size_t guard) {
  brink_eval *eval = &sim->eval;
  int sign = eval->sgn[guard];
  double g = brink_eval_guard(eval, guard, sim->t, sim->x);
  if (!(sign * g < -eval->slack[guard])) return 0;
  if (sign * g >= -(zero_band(sim, guard) + time_band(sim, guard))) {
    brink_slide_take_sign(sim, guard, sign);
    return 0;
  }
  decide(sim, guard, -sign);
  return -sign;
}

/* ---- conditions, and what is watched ---- */

/* One condition. *moved: its sign is another. */
static brink_status follow_condition(brink_sim *sim, size_t guard, bool *moved, bool *changed,
                                     brink_diag *diag) {
  int before = sim->eval.sgn[guard];
  brink_status status = BRINK_OK;
  if (before == 0)
    status = brink_sim_first_sign(sim, guard, diag);
  else if (follow(sim, guard) == 0 && brink_leads_rests(sim, guard))
    decide(sim, guard, 0); /* it has come to rest there: equality decides, not where it came from */
  int sign = sim->eval.sgn[guard];
  if (status != BRINK_OK || sign == before) return status;
  *moved = true;
  brink_direction direction = sign > 0 ? BRINK_POSITIVE : BRINK_NEGATIVE;
  if (sign == 0 || sim->model->guards[guard].def.action == NULL ||
      !brink_detector_wants(&sim->detector, guard, direction))
    return BRINK_OK;
  status = brink_sim_run_condition(sim, guard, direction, changed, diag);
  /* Its action has moved the surface (the whole number that floor keeps): the sign was that of the old one. */
  return status == BRINK_OK ? brink_sim_first_sign(sim, guard, diag) : status;
}

/* A condition that nobody reads has no sign: it takes one when it is read again. */
static bool update_watched(brink_sim *sim) {
  const brink_model *model = sim->model;
  brink_eval *eval = &sim->eval;
  if (model->nasked == 0 || !brink_eval_update_enabled(eval)) return false;
  sim->instant.rewatched = true;
  for (size_t k = 0; k < model->nconditions; k++) {
    size_t guard = model->conditions[k];
    if (!eval->enabled[guard] && eval->sgn[guard] != 0 && !eval->is_held[guard])
      brink_eval_set_sign(eval, guard, 0);
  }
  return true;
}

/* All that can have changed, once. */
static brink_status follow_conditions(brink_sim *sim, bool *moved, bool *changed,
                                      brink_diag *diag) {
  const brink_model *model = sim->model;
  const brink_eval *eval = &sim->eval;
  bool look = *changed || sim->instant.changed;
  for (size_t k = 0; k < model->nconditions; k++) {
    size_t guard = model->conditions[k];
    if (!eval->enabled[guard] || eval->is_held[guard] || sim->instant.fired[guard]) continue;
    bool rests = eval->sgn[guard] == 0;
    if (!rests && !(look && is_concerned(sim, guard)) && !model->guards[guard].def.reads_signs)
      continue;
    brink_status status = follow_condition(sim, guard, moved, changed, diag);
    if (status != BRINK_OK) return status;
    if (*changed) note_jump(sim);
  }
  return BRINK_OK;
}

static brink_status conditions_unsettled(brink_sim *sim, brink_diag *diag) {
  return brink_sim_fail(sim, diag, BRINK_REASON_CONDITIONS_LOOP,
                        (brink_arguments){.count = sim->options.max_iterations});
}

/* Conditions and what is watched, to a fixed point. *moved: a sign is another, or something else is watched.
 * *changed: a condition's action has changed something. */
static brink_status settle_conditions(brink_sim *sim, bool *moved, bool *changed,
                                      brink_diag *diag) {
  for (int round = 0; round < sim->options.max_iterations; round++) {
    bool once = update_watched(sim);
    if (sim->model->nconditions > 0) {
      brink_status status = follow_conditions(sim, &once, changed, diag);
      if (status != BRINK_OK) return status;
    }
    if (!once) return BRINK_OK;
    *moved = true;
  }
  return conditions_unsettled(sim, diag);
}

/* What counts on one side of a surface only is watched there, and has the sign of its value, while the field
 * of that side is asked for. */
void brink_sim_suppose(brink_sim *sim, size_t guard, int side) {
  const brink_model *model = sim->model;
  brink_eval *eval = &sim->eval;
  if (!model->nests) return;
  memcpy(sim->instant.supposed_sgn, eval->sgn, model->def.nguards);
  memcpy(sim->instant.supposed_enabled, eval->enabled, model->def.nguards * sizeof *eval->enabled);
  brink_eval_set_sign(eval, guard, side);
  for (size_t round = 0; round <= model->nconditions && brink_eval_update_enabled(eval); round++) {
    for (size_t k = 0; k < model->nconditions; k++) {
      size_t inner = model->conditions[k];
      if (inner == guard || !eval->enabled[inner] || eval->sgn[inner] != 0 || eval->is_held[inner])
        continue;
      double g = brink_eval_guard(eval, inner, sim->t, sim->x);
      if (fabs(g) > zero_band(sim, inner)) brink_eval_set_sign(eval, inner, g > 0.0 ? 1 : -1);
    }
  }
}

void brink_sim_suppose_no_more(brink_sim *sim) {
  const brink_model *model = sim->model;
  if (!model->nests) return;
  memcpy(sim->eval.sgn, sim->instant.supposed_sgn, model->def.nguards);
  memcpy(sim->eval.enabled, sim->instant.supposed_enabled,
         model->def.nguards * sizeof *sim->eval.enabled);
}

/* ---- signs at a start ---- */

/* A guard that starts on its surface and goes out has been reached. */
static void check_start(brink_sim *sim, size_t guard) {
  int inside = brink_sim_inside(sim, guard);
  if (inside == 0 || sim->eval.sgn[guard] != -inside) return;
  brink_eval_set_sign(&sim->eval, guard, inside);
  sim->instant.located[sim->instant.nlocated++] =
      (brink_located){.guard = guard, .kind = BRINK_CROSSED, .direction = brink_leaving(inside)};
}

/* Signs of all that is clearly on a side. The field, other guards' values and what is watched may read
 * them: until these stay as they are. */
static brink_status signs_from_values(brink_sim *sim, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  size_t count = sim->model->def.nguards;
  bool again = true;
  for (int round = 0; again && round <= sim->options.max_iterations; round++) {
    again = update_watched(sim);
    for (size_t k = 0; k < count; k++) {
      if (!eval->enabled[k] || !is_flag(sim, k) || eval->is_held[k] || sim->instant.fired[k])
        continue;
      if (round > 0 && eval->sgn[k] != 0 && !sim->model->guards[k].def.reads_signs) continue;
      double g = brink_eval_guard(eval, k, sim->t, sim->x);
      int sign = brink_sign_of(g, zero_band(sim, k));
      if (sign == eval->sgn[k]) continue;
      decide(sim, k, sign);
      again = true;
    }
  }
  return again ? conditions_unsettled(sim, diag) : BRINK_OK;
}

/* Then those that are on their surfaces, by the flow; conditions first. */
static brink_status signs_from_flow(brink_sim *sim, bool conditions, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  for (size_t k = 0; k < sim->model->def.nguards; k++) {
    if (!eval->enabled[k] || !is_flag(sim, k) || eval->is_held[k] || eval->sgn[k] != 0 ||
        sim->instant.fired[k] || is_condition(sim, k) != conditions)
      continue;
    sim->instant.fired[k] = true; /* it has been asked */
    brink_status status = brink_sim_first_sign(sim, k, diag);
    if (status != BRINK_OK) return status;
    check_start(sim, k);
    if (eval->sgn[k] != 0) status = signs_from_values(sim, diag);
    if (status != BRINK_OK) return status;
  }
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
      brink_status status = new_sign(sim, leave[side], false, diag);
      if (status != BRINK_OK) return status;
    }
  }
  return BRINK_OK;
}

brink_status brink_sim_start_signs(brink_sim *sim, brink_diag *diag) {
  size_t count = sim->model->def.nguards;
  sim->instant.nlocated = 0;
  memset(sim->instant.fired, 0, count * sizeof *sim->instant.fired);
  for (size_t k = 0; k < count; k++) {
    if (sim->model->guards[k].watched_as == k) decide(sim, k, 0);
  }
  brink_eval_update_enabled(&sim->eval);
  brink_status status = signs_from_values(sim, diag);
  brink_leads_open(sim);
  if (status == BRINK_OK) status = signs_from_flow(sim, true, diag);
  if (status == BRINK_OK) status = signs_from_flow(sim, false, diag);
  brink_leads_close(sim);
  return status == BRINK_OK ? release_signs(sim, diag) : status;
}

/* ---- signs of what fired ---- */

/* An event of a guard is one of all guards on the same surface (but a touch only of those that are
 * one-sided): what was found for all of them becomes theirs. */
static void join_located(brink_sim *sim) {
  const brink_guard *guards = sim->model->guards;
  size_t count = sim->instant.nlocated;
  for (size_t k = 0; k < count; k++) {
    size_t first = sim->instant.located[k].guard;
    for (size_t other = guards[first].next_same; other != first; other = guards[other].next_same) {
      const brink_guard_def *def = &guards[other].def;
      if (def->condition ||
          (sim->instant.located[k].kind == BRINK_TOUCHED && def->side != BRINK_UNILATERAL))
        continue;
      brink_located ev = sim->instant.located[k];
      ev.guard = other;
      ev.direction = (brink_direction)(def->same_sign * (int)ev.direction);
      sim->instant.located[sim->instant.nlocated++] = ev;
    }
  }
}

static bool is_watched(const brink_sim *sim, size_t guard) {
  return sim->model->guards[guard].watched_as == guard;
}

static void mark_fired(brink_sim *sim) {
  memset(sim->instant.fired, 0, sim->model->def.nguards * sizeof *sim->instant.fired);
  for (size_t k = 0; k < sim->instant.nlocated; k++)
    sim->instant.fired[sim->instant.located[k].guard] = true;
}

/* An action that carried the state off the surface has decided the sign. (What the location of the
 * event left over is still on the surface.) A guard that jumped is off it to begin with. */
static bool moved_away(brink_sim *sim, const brink_located *ev) {
  double g = brink_eval_guard(&sim->eval, ev->guard, sim->t, sim->x);
  int sign = brink_sign_moved(g, ev->value, zero_band(sim, ev->guard), ev->kind);
  if (sign == 0) return false;
  brink_eval_set_sign(&sim->eval, ev->guard, sign);
  sim->eval.slack[ev->guard] = 0.0;
  return true;
}

/* The guard's own action led back inside, or to rest, but another one at the same instant leads out again (a ball
 * between two others): it keeps its sign, and is reached once more before time moves on. */
static bool reached_again(brink_sim *sim, const brink_located *ev) {
  int inside = brink_sim_inside(sim, ev->guard);
  if (!ev->kept_inside || !brink_slide_leads(sim, ev->guard, -inside)) return false;
  brink_slide_take_sign(sim, ev->guard, inside);
  return true;
}

/* Its own action left it on the other side, or led it there: another's did this, which is one more event. */
static bool carried_back(brink_sim *sim, const brink_located *ev) {
  int sign = sim->eval.sgn[ev->guard];
  return sign != 0 && ev->sign_after == -sign &&
         brink_detector_wants(&sim->detector, ev->guard,
                              sign > 0 ? BRINK_POSITIVE : BRINK_NEGATIVE);
}

/* The new sign of one that fired, by what holds now. */
static brink_status settle_one(brink_sim *sim, brink_located *ev, bool changed_ever,
                               brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  size_t guard = ev->guard;
  int before = ev->direction == BRINK_NEGATIVE ? 1 : -1;
  /* Guards whose sign is decided elsewhere. */
  if (brink_eval_is_tied(eval, guard)) return BRINK_OK;   /* as the one that it goes with */
  if (eval->is_held[guard]) brink_slide_undo(sim, guard); /* for what held before the rules */
  if (ev->pole) { /* it went through infinity, and is where it was going */
    brink_eval_set_sign(eval, guard, -before);
    eval->slack[guard] = 0.0;
    return BRINK_OK;
  }
  /* An action carried the state off the surface: the value decides. */
  if (moved_away(sim, ev)) {
    ev->again = carried_back(sim, ev);
    ev->again_as = BRINK_JUMPED;
    return BRINK_OK;
  }
  /* The state is still on the surface: the fields on both sides decide between crossing, turning back, and sliding. */
  ev->again = false;
  if (reached_again(sim, ev)) return BRINK_OK;
  brink_status status = brink_sim_settle_sign(sim, guard, before, changed_ever, ev->kind, diag);
  const brink_guard_def *def = &sim->model->guards[guard].def;
  if (def->action != NULL && !def->condition && brink_sim_inside(sim, guard) == 0)
    ev->again = carried_back(sim, ev);
  ev->again_as = BRINK_CROSSED;
  return status;
}

static brink_status settle_sort(brink_sim *sim, bool conditions, bool changed_ever,
                                brink_diag *diag) {
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < sim->instant.nlocated && status == BRINK_OK; k++) {
    size_t guard = sim->instant.located[k].guard;
    if (!is_watched(sim, guard) || is_condition(sim, guard) != conditions) continue;
    if (sim->eval.enabled[guard])
      status = settle_one(sim, &sim->instant.located[k], changed_ever, diag);
  }
  return status;
}

/* Conditions, what is watched, and new signs of what fired, by what holds now. */
static brink_status settle_fired(brink_sim *sim, bool *changed, bool changed_ever,
                                 brink_diag *diag) {
  mark_fired(sim);
  if (*changed) note_jump(sim);
  /* Conditions depend on signs, and the fields that settle signs depend on conditions: repeated until neither
   * changes. Conditions that fired themselves come before other guards, because fields read them. */
  bool again = true;
  for (int round = 0; again && round < sim->options.max_iterations; round++) {
    brink_status status = BRINK_OK;
    if (round == 0) status = settle_conditions(sim, &again, changed, diag);
    if (status != BRINK_OK || sim->instant.nlocated == 0) return status;
    brink_slide_share(sim);
    status = settle_sort(sim, true, changed_ever || *changed, diag);
    if (status == BRINK_OK) status = settle_sort(sim, false, changed_ever || *changed, diag);
    sim->instant.shares = again = false;
    if (status == BRINK_OK) status = settle_conditions(sim, &again, changed, diag);
    if (status != BRINK_OK) return status;
  }
  return again ? conditions_unsettled(sim, diag) : BRINK_OK;
}

/* ---- jumps ---- */

/* A guard that reads signs may be zero, with rate zero, on both sides of one (x*abs(x)): where it has another formula
 * from now on, that leads it across. So does a field that sets in motion what a formula rested on. */
static int led_across(brink_sim *sim, size_t guard) {
  int sign = sim->eval.sgn[guard];
  const brink_guard *model_guard = &sim->model->guards[guard];
  if (sign == 0 || !(model_guard->def.reads_signs || model_guard->formula != NULL)) return 0;
  double g = brink_eval_guard(&sim->eval, guard, sim->t, sim->x);
  if (!(fabs(g) <= zero_band(sim, guard)) || brink_slide_way(sim, guard) != -sign) return 0;
  decide(sim, guard, -sign);
  return -sign;
}

/* A formula that was carried to its surface and rests there is what its relations say at equality. */
static int rests_across(brink_sim *sim, size_t guard) {
  int sign = sim->eval.sgn[guard];
  if (sign == 0 || sim->model->guards[guard].formula == NULL || !brink_leads_rests(sim, guard) ||
      brink_leads_rest_sign(sim, guard) != -sign)
    return 0;
  decide(sim, guard, -sign);
  return -sign;
}

/* A guard that was carried across zero. */
static void check_jump(brink_sim *sim, size_t guard) {
  int direction = follow(sim, guard);
  if (direction == 0) direction = led_across(sim, guard);
  if (direction == 0) direction = rests_across(sim, guard);
  if (direction != 0 && brink_detector_wants(&sim->detector, guard, (brink_direction)direction))
    add_located(sim, guard, direction);
}

/* One that was asked in vain, as another unilateral guard was past its surface, be it by rounding: it may have been
 * carried off its surface since, or may be led out of it. */
static brink_status ask_again(brink_sim *sim, size_t guard, brink_diag *diag) {
  sim->instant.pending[guard] = false;
  brink_status status = brink_sim_first_sign(sim, guard, diag);
  if (status == BRINK_OK) check_start(sim, guard);
  return status;
}

/* Those that are still pending, now that all others have their signs. */
static brink_status ask_pending(brink_sim *sim, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  brink_status status = BRINK_OK;
  size_t count = sim->model->def.nguards;
  if (count == 0 || memchr(sim->instant.pending, 1, count) == NULL) return status;
  for (size_t k = 0; k < count && status == BRINK_OK; k++) {
    if (!sim->instant.pending[k] || !eval->enabled[k] || eval->is_held[k] || eval->sgn[k] != 0 ||
        sim->instant.fired[k] || is_condition(sim, k))
      continue;
    status = ask_again(sim, k, diag);
  }
  return status;
}

/* Those of a chunk (event/reach.h). */
static brink_status settle_chunk(brink_sim *sim, size_t chunk, bool changed, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  brink_status status = BRINK_OK;
  size_t end = brink_reach_chunk_end(&sim->detector.reach, chunk);
  for (size_t k = chunk * BRINK_REACH_CHUNK; k < end && status == BRINK_OK; k++) {
    if (sim->instant.was_enabled[k] && !is_concerned(sim, k)) continue; /* most of them */
    if (!eval->enabled[k] || !is_flag(sim, k) || eval->is_held[k] || sim->instant.fired[k] ||
        is_condition(sim, k))
      continue;
    if (sim->instant.pending[k] && changed)
      status = ask_again(sim, k, diag);
    else if (!sim->instant.was_enabled[k] || (changed && eval->sgn[k] == 0))
      status = new_sign(sim, k, sim->instant.was_enabled[k], diag);
    else if (changed || sim->model->guards[k].def.reads_signs)
      check_jump(sim, k);
  }
  return status;
}

/* `watched`: the same guards as before the round. */
static brink_status settle_each(brink_sim *sim, bool changed, bool watched, brink_diag *diag) {
  const brink_reach *reach = &sim->detector.reach;
  brink_status status = BRINK_OK;
  for (size_t c = 0; c < brink_reach_chunks(reach) && status == BRINK_OK; c++) {
    double distance = sim->detector.moved + sim->instant.jump;
    if (watched && brink_reach_settled(reach, c, distance, sim->instant.altered)) continue;
    status = settle_chunk(sim, c, changed, diag);
  }
  return status == BRINK_OK ? ask_pending(sim, diag) : status;
}

/* What was carried across zero, or enabled, makes the events of the next round. */
static brink_status settle_others(brink_sim *sim, bool changed, bool watched, brink_diag *diag) {
  brink_leads_open(sim);
  brink_status status = settle_each(sim, changed, watched, diag);
  brink_leads_close(sim);
  return status;
}

/* Only signs changed: what reads them may have jumped. */
static brink_status settle_readers(brink_sim *sim) {
  const brink_model *model = sim->model;
  for (size_t k = 0; k < model->nsign_readers; k++) {
    size_t guard = model->sign_readers[k];
    if (sim->eval.enabled[guard] && !sim->eval.is_held[guard] && !sim->instant.fired[guard] &&
        !is_condition(sim, guard))
      check_jump(sim, guard);
  }
  return BRINK_OK;
}

/* After one round: new signs of what fired, and the events of the next round. */
static brink_status settle(brink_sim *sim, bool *changed, bool changed_ever, brink_diag *diag) {
  size_t count = sim->model->def.nguards;
  brink_status status = BRINK_OK;
  /* 1. Signs of what fired, unless the rules needed them and nothing has changed since. */
  if (*changed && !sim->instant.fired_settled) sim->instant.field_settled = false;
  if (!sim->instant.fired_settled) status = settle_fired(sim, changed, changed_ever, diag);
  size_t fired = sim->instant.nlocated;
  sim->instant.nlocated = 0;
  /* 2. Surfaces that no longer hold the state. */
  if (status == BRINK_OK && *changed && sim->eval.nheld > 0) status = brink_slide_check(sim, diag);
  /* 3. Is there anything that can have jumped: values, what is watched, or signs that guards read? */
  bool watched = memcmp(sim->instant.was_enabled, sim->eval.enabled, count * sizeof(bool)) == 0;
  bool read = sim->model->nsign_readers > 0 && (fired > 0 || !watched);
  if (status != BRINK_OK || (!*changed && watched && !read)) return status; /* nothing has jumped */
  /* 4. The events of the next round: what fired and was carried back, then everything else that jumped. */
  for (size_t k = 0; k < fired; k++) { /* the new list grows over the part that has been read */
    brink_located ev = sim->instant.located[k];
    if (!ev.again) continue;
    add_located(sim, ev.guard, sim->eval.sgn[ev.guard]);
    sim->instant.located[sim->instant.nlocated - 1].kind = ev.again_as;
  }
  if (!*changed && watched) return settle_readers(sim);
  note_jump(sim);
  return settle_others(sim, *changed, watched, diag);
}

/* Every guard that fired at this instant, once. */
static brink_status unsettled(brink_sim *sim, brink_diag *diag) {
  size_t guards[BRINK_DIAG_GUARDS], count = 0;
  memset(sim->instant.fired, 0, sim->model->def.nguards * sizeof *sim->instant.fired);
  for (size_t k = 0; k < sim->nevents && sim->instant.count > 0; k++) {
    size_t guard = sim->events[k].guard;
    if (sim->instant.fired[guard]) continue;
    sim->instant.fired[guard] = true;
    if (count < BRINK_DIAG_GUARDS) guards[count] = guard;
    count++;
  }
  brink_arguments arguments = {.count = sim->options.max_iterations};
  if (count == 0) return brink_sim_fail(sim, diag, BRINK_REASON_SIGNS_LOOP, arguments);
  arguments.guard = guards[0];
  arguments.guards = guards;
  arguments.nguards = count;
  return brink_sim_fail(sim, diag, BRINK_REASON_EVENTS_LOOP, arguments);
}

/* Have guards taken other signs since the rules last looked at them? */
static bool signs_unread(const brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  return def->rules != NULL && memcmp(sim->instant.read_sgn, sim->eval.sgn, def->nguards) != 0;
}

bool brink_sim_due(const brink_sim *sim) {
  return brink_sim_next_tick(sim) <= sim->t || sim->instant.narrivals > 0 || signs_unread(sim);
}

/* The rules read signs that are settled by what has happened so far. What they change may settle them
 * otherwise, so that a failure (a surface that blocks) is not one yet. A timer that they set to the
 * present ticks next. */
static brink_status apply_rules(brink_sim *sim, bool changed_ever, bool *changed,
                                brink_diag *diag) {
  if (sim->model->def.rules == NULL) return BRINK_OK;
  if (sim->instant.nlocated > 0)
    sim->instant.fired_settled =
        settle_fired(sim, changed, changed_ever || *changed, NULL) == BRINK_OK;
  memcpy(sim->instant.read_sgn, sim->eval.sgn, sim->model->def.nguards);
  bool ruled = false;
  brink_status status = brink_sim_run_rules(sim, &ruled, diag);
  if (ruled) {
    sim->instant.fired_settled = false;
    brink_edge_keep_inside(sim);
  }
  *changed = *changed || ruled;
  return status;
}

/* One round: events, clocks, rules. *changed: they changed something. */
static brink_status run_round(brink_sim *sim, int iteration, bool changed_ever, bool *changed,
                              brink_diag *diag) {
  bool ran = false;
  *changed = sim->instant.fired_settled = false;
  if (iteration > 0) join_located(sim);
  memcpy(sim->instant.was_enabled, sim->eval.enabled,
         sim->model->def.nguards * sizeof *sim->instant.was_enabled);
  brink_status status = brink_sim_run_actions(sim, iteration, changed, &ran, diag);
  if (status < 0) return status;
  if (*changed) brink_edge_keep_inside(sim);
  bool rules = ran || *changed || sim->instant.nlocated > 0 || iteration == 0 || signs_unread(sim);
  brink_status ruled = rules ? apply_rules(sim, changed_ever, changed, diag) : BRINK_OK;
  return ruled != BRINK_OK ? ruled : status;
}

/* All is quiet: constraints that do not hold any longer are met, and what jumps by that makes another round. *rests:
 * nothing does. */
static brink_status meet_constraints(brink_sim *sim, bool *rests, bool *changed_ever,
                                     brink_diag *diag) {
  for (int round = 0; round < sim->options.max_iterations; round++) {
    bool moved;
    memcpy(sim->instant.was_enabled, sim->eval.enabled,
           sim->model->def.nguards * sizeof *sim->instant.was_enabled);
    brink_status status = brink_sim_meet_constraints(sim, &moved, diag);
    if (status != BRINK_OK || !moved) return status;
    sim->instant.changed = *changed_ever = true;
    brink_sim_restart(sim);
    status = settle(sim, &moved, true, diag);
    if (status != BRINK_OK) return status;
    *rests = sim->instant.nlocated == 0 && sim->instant.narrivals == 0 && !signs_unread(sim);
    if (!*rests) return BRINK_OK;
  }
  return brink_sim_fail(sim, diag, BRINK_REASON_STRUCTURES_LOOP,
                        (brink_arguments){.count = sim->options.max_iterations});
}

const double *brink_sim_step_parameters(const brink_sim *sim) {
  return sim->instant.t == sim->t ? sim->instant.locked_p : sim->eval.p;
}

const int *brink_sim_step_modes(const brink_sim *sim) {
  return sim->instant.t == sim->t ? sim->instant.locked_mode : sim->eval.mode;
}

static void note_locked(brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  if (sim->instant.t == sim->t) return;
  sim->instant.t = sim->t;
  memcpy(sim->instant.locked_p, sim->eval.p, def->np * sizeof(double));
  memcpy(sim->instant.locked_mode, sim->eval.mode, def->nmodes * sizeof(int));
}

static brink_status run_instant(brink_sim *sim, brink_diag *diag) {
  const brink_model_def *def = &sim->model->def;
  note_locked(sim);
  /* What held before the instant: actions may ask for it (pre), and jumps are measured from it. */
  memcpy(sim->instant.pre_x, sim->x, def->nx * sizeof(double));
  memcpy(sim->instant.pre_mode, sim->eval.mode, def->nmodes * sizeof(int));
  memcpy(sim->instant.pre_p, sim->eval.p, def->np * sizeof(double));
  sim->instant.count = 0;
  bool changed_ever = false;
  sim->instant.changed = sim->instant.altered = sim->instant.unmet = sim->instant.rested = false;
  if (sim->instant.assigned != NULL)
    memset(sim->instant.assigned, 0, def->nx * sizeof *sim->instant.assigned);
  sim->instant.jump = 0.0;
  /* Guards with the surface of a located one have their event, too; then observers see the instant begin. */
  if (sim->instant.nlocated > 0) brink_sim_restart(sim);
  join_located(sim);
  brink_delay_instant(sim);
  for (brink_observer *o = sim->observers; o != NULL; o = o->next) {
    if (o->begins != NULL) o->begins(o, sim);
  }
  /* Rounds of superdense time: callbacks act, signs settle, and what jumped by that is the next round. */
  for (int iteration = 0;; iteration++) {
    bool changed;
    brink_status status = run_round(sim, iteration, changed_ever, &changed, diag);
    sim->instant.changed = changed_ever = changed_ever || changed;
    sim->instant.unmet = sim->instant.unmet || changed;
    if (changed) brink_sim_restart(sim);
    if (status == BRINK_STOPPED) { /* signs in order, so that the run may be continued */
      settle(sim, &changed, changed_ever, NULL);
      sim->instant.nlocated = 0;
    }
    if (status != BRINK_OK) return status;
    /* Nothing fired and nothing changed: the instant is over. */
    bool rests = !changed && sim->instant.nlocated == 0 && sim->instant.narrivals == 0 &&
                 brink_timers_next(sim) > sim->t;
    if (!rests) {
      status = settle(sim, &changed, changed_ever, diag);
      sim->instant.changed = changed_ever = changed_ever || changed;
      if (status != BRINK_OK) return status;
      rests = sim->instant.nlocated == 0 && sim->instant.narrivals == 0 && !signs_unread(sim) &&
              brink_timers_next(sim) > sim->t;
    }
    if (rests) status = meet_constraints(sim, &rests, &changed_ever, diag);
    if (status != BRINK_OK) return status;
    if (rests && !brink_delay_strays(sim)) {
      status = brink_sim_judge(sim, false, diag);
      if (status != BRINK_OK) return status;
      break;
    }
    brink_sim_restart(sim);
    if (iteration + 1 >= sim->options.max_iterations) return unsettled(sim, diag);
  }
  /* A unilateral surface was reached: has anything led away from it? Then: do events accumulate? */
  if (sim->blocked != BRINK_NONE) {
    brink_status status = brink_slide_blocked(sim, diag);
    if (status != BRINK_OK) return status;
  }
  return sim->instant.count > 0 ? brink_zeno_note(sim, diag) : BRINK_OK;
}

void brink_sim_note_jump(brink_sim *sim) {
  if (brink_sim_has_begun(sim))
    brink_detector_jump(&sim->detector, sim->instant.pre_x, sim->x, same_functions(sim));
  else
    brink_reach_reset(&sim->detector.reach);
}

brink_status brink_sim_instant(brink_sim *sim, brink_diag *diag) {
  sim->instant.field_settled = sim->instant.split = sim->instant.ended = sim->instant.rewatched =
      false;
  sim->blocked = sim->grazed = BRINK_NONE;
  sim->eval.centre = NULL; /* actions may put the state anywhere, and change what guards are */
  memset(sim->instant.pending, 0, sim->model->def.nguards * sizeof *sim->instant.pending);
  brink_status status = run_instant(sim, diag);
  /* What has failed may have changed anything before it did, and the caller may go on from there. */
  if (status < 0) brink_sim_restart(sim);
  sim->instant.ended = status == BRINK_STOPPED;
  brink_delay_instant_over(sim);
  brink_audit_accept(&sim->eval, sim->t, sim->x);
  for (brink_observer *o = sim->observers; o != NULL; o = o->next) {
    if (o->ends != NULL) o->ends(o, sim);
  }
  /* One event, one round: what its sign was settled with still holds. */
  sim->stepper.f_ready = sim->instant.field_settled && sim->instant.count == 1 &&
                         sim->phase == BRINK_PHASE_RESTART && sim->eval.nheld == 0;
  if (brink_sim_restarts(sim) && !sim->instant.passing) brink_sim_note_jump(sim);
  return status;
}
