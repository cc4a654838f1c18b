/* instance_rule.c: rules, and the outputs that hold before the first sample (see instance.h). */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/reason.h"
#include "native/instance.h"

/* Rules that make each other fire again and again never settle. Those whose conditions are sampled
 * are run to rest here; those whose conditions are the signs of guards fire in as many rounds of the
 * simulation, which gives up after 100: the limit of repeats lets cycles of up to three rules be named
 * before that. */
enum { ROUNDS = 100, REPEATS = 32 };

bool brink_instance_bind_rules(brink_instance *instance) {
  const brink_system *system = instance->system;
  brink_arena *arena = &instance->shared->arena;
  instance->rules = brink_arena_take(arena, system->nrules, sizeof *instance->rules);
  if (instance->rules == NULL) return false;
  for (size_t r = 0; r < system->nrules; r++) {
    const brink_rule *rule = &system->rules[r];
    brink_bound_rule *bound = &instance->rules[r];
    bound->first = instance->room.fired;
    instance->room.fired += rule->count;
    if (!brink_instance_task(instance, rule->condition, &bound->condition) ||
        !brink_instance_bind_action(instance, rule->body, &bound->body))
      return false;
  }
  return true;
}

static void forget_firings(brink_instance *instance) {
  memset(instance->fired, 0, instance->room.fired * sizeof *instance->fired);
}

/* ---- conditions ---- */

/* What rounding leaves of a leaf's value on its surface. */
static double leaf_band(const brink_instance *instance, size_t guard, const brink_now *now,
                        const brink_env *env) {
  const brink_guard_def *def = &instance->model->guards[guard].def;
  double dt = def->time_coefficient, size = 0.0, *dx = instance->leaf_gradient;
  if (def->coefficients != NULL)
    memcpy(dx, def->coefficients, def->ndepends * sizeof *dx);
  else if (def->gradient == NULL || def->gradient(guard, now->t, now->x, env, dx, &dt) != 0)
    return 0.0;
  for (size_t k = 0; k < def->ndepends; k++) size += fabs(dx[k] * now->x[def->depends[k]]);
  return 64.0 * DBL_EPSILON * (size + fabs(dt * now->t));
}

/* Can this leaf be true, or, with polarity -1, false? One that was located here is on its surface. */
static bool may_be(brink_instance *instance, size_t guard, int polarity, const brink_now *now) {
  brink_guard_place place = instance->places[guard];
  brink_env env = {.p = now->p, .mode = now->mode, .sgn = now->sgn, .user = instance};
  const brink_task *value = &instance->flags[place.flag].value;
  brink_frame frame = brink_instance_now_frame(instance, now);
  brink_instance_prepare(instance, value, &frame);
  brink_instance_run(instance, value, &frame, place.index, 1);
  double y = polarity * instance->outputs[0];
  return y >= 0.0 || y >= -leaf_band(instance, guard, now, &env);
}

/* Rules before this one have changed something. A condition that was true when the signs were settled is true
 * no longer if it cannot be: each leaf by its value now. (The formula has no negations but in its leaves, so
 * that leaves which may be true make it true if anything does.) */
static bool still_holds(brink_instance *instance, size_t guard, const brink_now *now) {
  const brink_guard *made = &instance->model->guards[guard];
  if (made->formula == NULL) return may_be(instance, guard, 1, now);
  bool stack[BRINK_FORMULA_DEPTH + 1];
  int top = 0;
  for (size_t k = 0; k < made->formula_length; k++) {
    const brink_formula_op *op = &made->formula[k];
    if (op->op == 0) {
      stack[top++] = may_be(instance, op->leaf, op->polarity, now);
    } else {
      top--;
      stack[top - 1] =
          op->op == BRINK_AND ? stack[top - 1] && stack[top] : stack[top - 1] || stack[top];
    }
  }
  return stack[0];
}

/* Is the condition true? `fresh`: nothing has changed since the signs were settled. */
static bool holds(brink_instance *instance, size_t r, size_t index, bool fresh,
                  const brink_now *now) {
  const brink_rule *rule = &instance->system->rules[r];
  if (rule->flag != BRINK_NO_INDEX) {
    size_t guard = instance->system->flags[rule->flag].guard[index];
    return now->sgn[guard] > 0 && (fresh || still_holds(instance, guard, now));
  }
  brink_frame frame = brink_instance_now_frame(instance, now);
  brink_instance_prepare(instance, &instance->rules[r].condition, &frame);
  brink_instance_run(instance, &instance->rules[r].condition, &frame, index, 1);
  return instance->outputs[0] != 0.0;
}

/* ---- firing ---- */

/* Names those that have fired at least half as often as the one that fired too often. */
static int unsettled(brink_instance *instance, uint32_t most, brink_now *now) {
  char names[300] = "", name[BRINK_NAME], text[BRINK_DIAG_MESSAGE];
  for (size_t r = 0; r < instance->system->nrules; r++) {
    for (size_t i = 0; i < instance->system->rules[r].count; i++) {
      if (2 * instance->fired[instance->rules[r].first + i] < most) continue;
      size_t used = strlen(names);
      brink_instance_rule_name(instance, r, i, name);
      if (used + strlen(name) + 3 > sizeof names) continue;
      snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", name);
    }
  }
  snprintf(text, sizeof text, "rules that never settle at t = %.10g: %s keep firing", now->t,
           names);
  return brink_instance_end(instance, BRINK_ENDING_RULES, now, text);
}

/* Firings of one call, or of all calls of an instant. */
typedef struct firings {
  bool any;      /* in this round */
  bool ever;     /* in this call */
  uint32_t most; /* of one rule */
} firings;

static bool is_due(const brink_instance *instance, const brink_rule *rule, const brink_now *now) {
  return rule->flag != BRINK_NO_INDEX || instance->tick_time[rule->clock] == now->t;
}

/* Bodies have run: conditions that are no longer true may become true again, even before their turn comes.
 * (Located ones that have become true wait until their signs are settled anew.) */
static void forget_past(brink_instance *instance, brink_now *now) {
  for (size_t r = 0; r < instance->system->nrules; r++) {
    const brink_rule *rule = &instance->system->rules[r];
    if (!is_due(instance, rule, now)) continue;
    for (size_t i = 0; i < rule->count; i++) {
      int *was = &now->mode[rule->was + i];
      if (*was != 0 && !holds(instance, r, i, false, now)) *was = 0;
    }
  }
}

/* Runs the bodies of one rule whose conditions have become true. */
static int run_rule(brink_instance *instance, size_t r, brink_now *now, firings *seen) {
  const brink_rule *rule = &instance->system->rules[r];
  const brink_bound_rule *bound = &instance->rules[r];
  uint32_t *count = &instance->fired[bound->first];
  if (!is_due(instance, rule, now)) return 0;
  int outcome = 0;
  bool fired = false;
  for (size_t i = 0; i < rule->count; i++) {
    bool was = now->mode[rule->was + i] != 0, is = holds(instance, r, i, !seen->ever, now);
    now->mode[rule->was + i] = is;
    if (!is || was) continue;
    seen->any = seen->ever = fired = true;
    if (++count[i] > seen->most) seen->most = count[i];
    int one = brink_instance_act(instance, &bound->body, i, now);
    if (one < 0) return one;
    if (one != 0) outcome = one;
    if (seen->most > REPEATS) return unsettled(instance, seen->most, now);
  }
  if (fired) forget_past(instance, now);
  return outcome;
}

/* Values outside their ranges at the start end the run when it begins. */
static bool has_failed(const brink_instance *instance) {
  return instance->ending != BRINK_ENDING_NONE && instance->ending != BRINK_ENDING_STOP;
}

/* In order, until nothing fires; so that nothing is left to report as changed. */
int brink_instance_on_rules(brink_now *now, bool *changed, void *user) {
  brink_instance *instance = user;
  *changed = false;
  brink_instance_carries(now);
  if (has_failed(instance)) return brink_instance_end(instance, instance->ending, now, NULL);
  /* Of agents that take turns, several may come at one time: only each call by itself is looked at. */
  if (now->t != instance->rules_time || instance->options.takes_turns) forget_firings(instance);
  instance->rules_time = now->t;
  int outcome = 0;
  firings seen = {0};
  for (int round = 0; round < ROUNDS; round++) {
    seen.any = false;
    for (size_t r = 0; r < instance->system->nrules; r++) {
      int one = run_rule(instance, r, now, &seen);
      if (one < 0) return one;
      if (one != 0) outcome = one;
    }
    if (!seen.any) return outcome;
  }
  return unsettled(instance, seen.most, now);
}

/* ---- before the first sample ---- */

/* Outputs may read each other, and signs that depend on them: a few rounds settle all but cycles. */
enum { FIRST_ROUNDS = 10 };

static int run_first_outputs(brink_instance *instance, brink_now *now) {
  for (size_t k = 0; k < instance->system->nfirst_outputs; k++) {
    const brink_bound_action *bound = &instance->first_outputs[k];
    for (size_t i = 0; i < bound->action->count; i++) {
      int outcome = brink_instance_act(instance, bound, i, now);
      if (outcome < 0) return outcome;
    }
  }
  return 0;
}

static brink_status check_held(const brink_instance *instance, brink_diag *diag) {
  const brink_system *system = instance->system;
  for (size_t k = 0; k < system->nvariables; k++) {
    const brink_variable *variable = &system->variables[k];
    size_t count = system->groups[variable->group].count * variable->length;
    for (size_t i = 0; variable->space == BRINK_SPACE_P && i < count; i++) {
      double value = instance->p0[variable->base + i];
      char name[BRINK_NAME];
      if (!isfinite(value) && variable->kind != BRINK_VARIABLE_TIMER)
        return brink_fail(
            diag, NULL, BRINK_REASON_START_VALUE,
            &(brink_arguments){.t = (double)NAN,
                               .h = (double)NAN,
                               .text = brink_instance_variable_name(instance, (uint32_t)k, i, name),
                               .value = value});
    }
  }
  return BRINK_OK;
}

/* What the last round began with. */
typedef struct start {
  double *p;
  int *mode;
  signed char *sgn, *sgn_before;
} start;

static bool take_start(start *last, const brink_system *system, brink_arena *arena) {
  last->p = brink_arena_take(arena, system->np, sizeof *last->p);
  last->mode = brink_arena_take(arena, system->nmodes, sizeof *last->mode);
  last->sgn = brink_arena_take(arena, system->nguards, 1);
  last->sgn_before = brink_arena_take(arena, system->nguards, 1);
  return !arena->failed;
}

static bool settled(const start *last, const brink_instance *instance) {
  const brink_system *system = instance->system;
  return memcmp(last->p, instance->p0, system->np * sizeof *last->p) == 0 &&
         memcmp(last->mode, instance->mode0, system->nmodes * sizeof *last->mode) == 0 &&
         memcmp(last->sgn_before, last->sgn, system->nguards) == 0;
}

static void settle_first_outputs(brink_instance *instance, start *last) {
  const brink_system *system = instance->system;
  char message[BRINK_DIAG_MESSAGE] = "";
  brink_now now = {.t = system->t0,
                   .x = instance->x0,
                   .p = instance->p0,
                   .mode = instance->mode0,
                   .pre_x = instance->x0,
                   .pre_p = instance->p0,
                   .pre_mode = instance->mode0,
                   .sgn = last->sgn,
                   .message = message};
  for (int round = 0; round < FIRST_ROUNDS; round++) {
    if (round > 0 && settled(last, instance)) return;
    memcpy(last->p, instance->p0, system->np * sizeof *last->p);
    memcpy(last->mode, instance->mode0, system->nmodes * sizeof *last->mode);
    memcpy(last->sgn_before, last->sgn, system->nguards);
    brink_instance_signs(instance, system->t0, now.x, now.p, now.mode, last->sgn);
    if (run_first_outputs(instance, &now) < 0) return; /* the ending says why */
  }
}

brink_status brink_instance_first_outputs(brink_instance *instance, brink_diag *diag) {
  const brink_system *system = instance->system;
  if (system->nfirst_outputs == 0) return BRINK_OK;
  brink_arena arena;
  brink_arena_init(&arena, &instance->arena.allocator);
  start last;
  bool taken = take_start(&last, system, &arena);
  if (taken) settle_first_outputs(instance, &last);
  brink_arena_free(&arena);
  if (!taken) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the first outputs");
  return check_held(instance, diag);
}
