/* instance_action.c: what happens at events and ticks (see instance.h).
 *
 * All right-hand sides and all arguments of effects are evaluated before anything is written. A value that is
 * written outside its range is found here; one that leaves its range along the solution is an event. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "native/instance.h"

/* ---- binding ---- */

static void count_notes(brink_instance *instance, const brink_action *action) {
  size_t notes = 0, values = 0;
  for (size_t k = 0; k < action->neffects; k++) {
    if (action->effects[k].kind != BRINK_EFFECT_NOTE) continue;
    notes++;
    values += action->effects[k].nargs;
  }
  if (notes > instance->notes.capacity) instance->notes.capacity = notes;
  if (values > instance->notes.values_capacity) instance->notes.values_capacity = values;
}

static bool has_range(const brink_system *system, const brink_output *output) {
  if (output->variable >= system->nvariables) return false;
  const brink_variable *variable = &system->variables[output->variable];
  return variable->has_range || variable->set != NULL;
}

bool brink_instance_bind_action(brink_instance *instance, const brink_action *action,
                                brink_bound_action *bound) {
  *bound = (brink_bound_action){.action = action};
  if (action == NULL) return true;
  const brink_kernel *kernel = &action->kernel;
  bound->checked =
      brink_arena_pack(&instance->shared->arena, kernel->noutputs, sizeof *bound->checked);
  if (bound->checked == NULL) return false;
  for (size_t k = 0; k < kernel->noutputs; k++) {
    if (has_range(instance->system, &kernel->outputs[k]))
      bound->checked[bound->nchecked++] = (uint32_t)k;
  }
  if (bound->nchecked > instance->room.checked) instance->room.checked = bound->nchecked;
  count_notes(instance, action);
  return brink_instance_task(instance, kernel, &bound->task);
}

/* ---- effects ---- */

static void add_note(brink_instance *instance, const brink_bound_action *bound,
                     const brink_effect *effect, const brink_frame *frame, size_t iteration) {
  brink_notebook *book = &instance->notes;
  if (book->count == book->capacity || effect->nargs > book->values_capacity - book->nvalues)
    return;
  brink_note_value *values = book->values + book->nvalues;
  for (size_t k = 0; k < effect->nargs; k++)
    values[k] = (brink_note_value){.type = effect->arg_types[k],
                                   .value = brink_code_node(bound->task.code, frame, iteration,
                                                            effect->args[k], instance->scratch)};
  book->notes[book->count++] =
      (brink_note){.label = effect->text, .values = values, .nvalues = effect->nargs};
  book->nvalues += effect->nargs;
}

static bool applies(brink_instance *instance, const brink_bound_action *bound,
                    const brink_effect *effect, const brink_frame *frame, size_t iteration) {
  return effect->when == BRINK_NO_NODE || brink_code_node(bound->task.code, frame, iteration,
                                                          effect->when, instance->scratch) != 0.0;
}

/* Takes the notes; returns the effect that ends the run: the first to fail, else the first to stop. */
static const brink_effect *find_effects(brink_instance *instance, const brink_bound_action *bound,
                                        const brink_frame *frame, size_t iteration) {
  const brink_effect *end = NULL;
  for (size_t k = 0; k < bound->action->neffects; k++) {
    const brink_effect *effect = &bound->action->effects[k];
    if (!applies(instance, bound, effect, frame, iteration)) continue;
    if (effect->kind == BRINK_EFFECT_NOTE)
      add_note(instance, bound, effect, frame, iteration);
    else if (end == NULL || (end->kind == BRINK_EFFECT_STOP && effect->kind == BRINK_EFFECT_FAIL))
      end = effect;
  }
  return end;
}

/* ---- ranges of what is written ---- */

static double read_target(const brink_now *now, const brink_ref *target, size_t slot) {
  switch (target->space) {
  case BRINK_SPACE_X:
    return now->x[slot];
  case BRINK_SPACE_P:
    return now->p[slot];
  default:
    return now->mode[slot];
  }
}

static double checked_value(const brink_bound_action *bound, size_t k, size_t iteration,
                            const brink_now *now) {
  const brink_ref *target = &bound->task.kernel->outputs[bound->checked[k]].target;
  return read_target(now, target, brink_ref_slot(target, iteration));
}

/* Where ranges are only warnings, a value that was outside before does not warn again. */
static int check_ranges(brink_instance *instance, const brink_bound_action *bound, size_t iteration,
                        brink_now *now) {
  int outcome = 0;
  for (size_t k = 0; k < bound->nchecked; k++) {
    const brink_output *output = &bound->task.kernel->outputs[bound->checked[k]];
    const brink_variable *variable = &instance->system->variables[output->variable];
    double value = checked_value(bound, k, iteration, now);
    size_t element = brink_ref_slot(&output->target, iteration) - variable->base;
    if (!brink_instance_outside(instance, variable, element, value)) continue;
    if (instance->options.range_warns &&
        brink_instance_outside(instance, variable, element, instance->before[k]))
      continue;
    int one = brink_instance_violation(instance, output->variable, element, value, now);
    if (outcome == 0) outcome = one;
  }
  return outcome;
}

/* ---- numbers ---- */

/* A value that is held until the next instant must be finite, whatever its range: the run would go on with it.
 * (States are checked by the simulation, which knows whose action it was.) */
static int check_finite(brink_instance *instance, const brink_bound_action *bound, size_t iteration,
                        brink_now *now) {
  const brink_kernel *kernel = bound->task.kernel;
  for (size_t k = 0; k < kernel->noutputs; k++) {
    const brink_output *output = &kernel->outputs[k];
    if (output->target.space != BRINK_SPACE_P) continue;
    size_t slot = brink_ref_slot(&output->target, iteration);
    double value = read_target(now, &output->target, slot);
    if (isfinite(value)) continue;
    char name[BRINK_NAME] = "a value";
    const brink_system *system = instance->system;
    if (output->variable < system->nvariables)
      brink_instance_variable_name(instance, output->variable,
                                   slot - system->variables[output->variable].base, name);
    const char *what = isnan(value) ? "what is not a number"
                       : value > 0  ? "infinity"
                                    : "minus infinity";
    snprintf(now->message, BRINK_DIAG_MESSAGE, "'%s' was set to %s at t = %.10g%s%s%s", name, what,
             now->t, kernel->where != NULL ? " (" : "", kernel->where != NULL ? kernel->where : "",
             kernel->where != NULL ? ")" : "");
    return -1;
  }
  return 0;
}

/* ---- running ---- */

/* Which states were assigned, be it their old values: constraints keep these. */
static void note_assigned(brink_instance *instance, const brink_bound_action *bound,
                          const brink_frame *frame, size_t iteration, const brink_now *now) {
  const brink_kernel *kernel = bound->task.kernel;
  for (size_t k = 0; now->assigned != NULL && k < kernel->noutputs; k++) {
    const brink_output *output = &kernel->outputs[k];
    if (output->target.space != BRINK_SPACE_X) continue;
    if (output->when == BRINK_NO_NODE ||
        brink_code_node(bound->task.code, frame, iteration, output->when, instance->scratch) != 0.0)
      now->assigned[brink_ref_slot(&output->target, iteration)] = true;
  }
}

int brink_instance_act(brink_instance *instance, const brink_bound_action *bound, size_t iteration,
                       brink_now *now) {
  if (bound->action == NULL) return 0;
  brink_frame frame = brink_instance_now_frame(instance, now);
  brink_instance_prepare(instance, &bound->task, &frame);
  const brink_effect *end = find_effects(instance, bound, &frame, iteration);
  for (size_t k = 0; k < bound->nchecked; k++)
    instance->before[k] = checked_value(bound, k, iteration, now);
  if (now->carried != NULL) brink_instance_carry(instance, bound, iteration, now);
  note_assigned(instance, bound, &frame, iteration, now);
  brink_instance_before_act(instance, now);
  brink_instance_run(instance, &bound->task, &frame, iteration, 1);
  brink_instance_after_act(instance, now);
  int outcome = check_finite(instance, bound, iteration, now);
  if (outcome != 0) return outcome;
  if (end == NULL || end->kind == BRINK_EFFECT_STOP)
    outcome = check_ranges(instance, bound, iteration, now);
  if (end == NULL || outcome != 0) return outcome;
  brink_ending ending = end->kind == BRINK_EFFECT_STOP ? BRINK_ENDING_STOP : BRINK_ENDING_FAIL;
  return brink_instance_end(instance, ending, now, end->text);
}

static void clear_notes(brink_instance *instance) {
  instance->notes.count = instance->notes.nvalues = 0;
}

/* The variable whose surface was reached: its value there. */
static int leave_range(brink_instance *instance, const brink_flag *flag, size_t index,
                       brink_now *now) {
  brink_instance_evaluate(instance, now->t, now->x, now->p, now->mode, now->sgn);
  return brink_instance_violation(instance, flag->variable, index,
                                  brink_instance_value(instance, flag->variable, index), now);
}

int brink_instance_on_event(const brink_event *event, brink_now *now, void *user) {
  brink_instance *instance = user;
  brink_guard_place place = instance->places[event->guard];
  const brink_flag *flag = &instance->system->flags[place.flag];
  const brink_bound_flag *bound = &instance->flags[place.flag];
  clear_notes(instance);
  brink_instance_carries(now);
  bool negative = event->direction == BRINK_NEGATIVE;
  if (flag->kind == BRINK_FLAG_RANGE && negative)
    return leave_range(instance, flag, place.index, now);
  return brink_instance_act(instance, negative ? &bound->negative : &bound->positive, place.index,
                            now);
}

int brink_instance_on_surface(const brink_event *event, brink_now *now, void *user) {
  brink_instance *instance = user;
  brink_guard_place place = instance->places[event->guard];
  clear_notes(instance);
  brink_instance_carries(now);
  return brink_instance_act(instance, &instance->flags[place.flag].on_surface, place.index, now);
}

int brink_instance_on_tick(size_t clock, int64_t tick, brink_now *now, void *user) {
  (void)tick;
  brink_instance *instance = user;
  const brink_sampled *sampled = &instance->system->clocks[clock];
  brink_instance_carries(now);
  instance->tick_time[clock] = now->t; /* its rules run with the others */
  int outcome = 0;
  if (sampled->rules) return outcome;
  for (size_t i = 0; i < sampled->count; i++) {
    int one = brink_instance_act(instance, &instance->samples[clock], sampled->first + i, now);
    if (one < 0) return one;
    if (one != 0) outcome = one;
  }
  return outcome;
}
