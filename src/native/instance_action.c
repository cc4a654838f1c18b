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
    const brink_effect *effect = &action->effects[k];
    if (effect->kind != BRINK_EFFECT_NOTE) continue;
    size_t repeat = brink_action_repeat(action, action->kernels[effect->kernel]);
    notes += repeat;
    values += repeat * effect->nargs;
  }
  if (notes > instance->notes.capacity) instance->notes.capacity = notes;
  if (values > instance->notes.values_capacity) instance->notes.values_capacity = values;
}

static bool has_range(const brink_system *system, const brink_output *output) {
  if (output->variable >= system->nvariables) return false;
  const brink_variable *variable = &system->variables[output->variable];
  return variable->has_range || variable->set != NULL;
}

/* Which outputs are checked, and how many values that are. */
static bool bind_checks(brink_instance *instance, const brink_action *action,
                        brink_bound_action *bound) {
  size_t most = 0, values = 0;
  for (size_t k = 0; k < action->nkernels; k++) most += action->kernels[k]->noutputs;
  bound->checked = brink_arena_pack(&instance->shared->arena, most, sizeof *bound->checked);
  if (bound->checked == NULL) return false;
  for (size_t k = 0; k < action->nkernels; k++) {
    const brink_kernel *kernel = action->kernels[k];
    for (size_t j = 0; j < kernel->noutputs; j++) {
      if (!has_range(instance->system, &kernel->outputs[j])) continue;
      bound->checked[bound->nchecked++] = (brink_checked_output){(uint32_t)k, (uint32_t)j};
      values += brink_action_repeat(action, kernel);
    }
  }
  if (values > instance->room.checked) instance->room.checked = values;
  return true;
}

bool brink_instance_bind_action(brink_instance *instance, const brink_action *action,
                                brink_bound_action *bound) {
  *bound = (brink_bound_action){.action = action};
  if (action == NULL) return true;
  bound->ntasks = action->nkernels;
  bound->tasks = brink_arena_pack(&instance->shared->arena, bound->ntasks, sizeof *bound->tasks);
  if (bound->tasks == NULL || !bind_checks(instance, action, bound)) return false;
  if (!brink_instance_bind_queues(instance, action, bound)) return false;
  count_notes(instance, action);
  bound->buffered = action->nkernels > 1;
  for (size_t k = 0; k < action->nkernels; k++) {
    if (brink_action_repeat(action, action->kernels[k]) > 1) bound->buffered = true;
    if (!brink_instance_task(instance, action->kernels[k], &bound->tasks[k])) return false;
  }
  instance->room.buffered = instance->room.buffered || bound->buffered;
  return true;
}

/* ---- what an action goes through ---- */

/* One iteration of one kernel, in the order in which they are run. */
typedef struct action_step {
  size_t kernel, iteration;
  const brink_task *task;
} action_step;

/* The steps of one iteration of an action: begin with {0}; false: there are no more. */
static bool next_step(const brink_bound_action *bound, size_t iteration, action_step *step) {
  size_t kernel = step->kernel, at = step->task != NULL ? step->iteration + 1 : 0;
  bool fresh = step->task == NULL;
  for (; kernel < bound->ntasks; kernel++, fresh = true) {
    size_t repeat = brink_action_repeat(bound->action, bound->tasks[kernel].kernel);
    if (fresh) at = iteration * repeat;
    if (at >= (iteration + 1) * repeat) continue;
    *step = (action_step){kernel, at, &bound->tasks[kernel]};
    return true;
  }
  return false;
}

/* ---- effects ---- */

static double node_value(brink_instance *instance, const action_step *step,
                         const brink_frame *frame, brink_node node) {
  return brink_code_node(step->task->code, frame, step->iteration, node, instance->scratch);
}

static void add_note(brink_instance *instance, const action_step *step, const brink_effect *effect,
                     const brink_frame *frame) {
  brink_notebook *book = &instance->notes;
  if (book->count == book->capacity || effect->nargs > book->values_capacity - book->nvalues)
    return;
  brink_note_value *values = book->values + book->nvalues;
  for (size_t k = 0; k < effect->nargs; k++)
    values[k] = (brink_note_value){.type = effect->arg_types[k],
                                   .value = node_value(instance, step, frame, effect->args[k])};
  book->notes[book->count++] =
      (brink_note){.label = effect->text, .values = values, .nvalues = effect->nargs};
  book->nvalues += effect->nargs;
}

/* Takes the notes of one step; *end: the effect that ends the run, the first to fail, else the first to stop. */
static void find_effects(brink_instance *instance, const brink_bound_action *bound,
                         const action_step *step, const brink_frame *frame,
                         const brink_effect **end) {
  for (size_t k = 0; k < bound->action->neffects; k++) {
    const brink_effect *effect = &bound->action->effects[k];
    if (effect->kernel != step->kernel || effect->late) continue;
    if (effect->when != BRINK_NO_NODE && node_value(instance, step, frame, effect->when) == 0.0)
      continue;
    if (effect->kind == BRINK_EFFECT_NOTE)
      add_note(instance, step, effect, frame);
    else if (effect->kind == BRINK_EFFECT_PUT || effect->kind == BRINK_EFFECT_TAKE)
      brink_instance_note_queued(instance, k, step->iteration);
    else if (*end == NULL ||
             ((*end)->kind == BRINK_EFFECT_STOP && effect->kind == BRINK_EFFECT_FAIL))
      *end = effect;
  }
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

/* One value that is checked. */
typedef struct checked_value {
  const brink_output *output;
  size_t slot;
  double value;
} checked_value;

/* The values in order: begin with *k = *r = 0. False: there are no more. */
static bool next_checked(const brink_bound_action *bound, size_t iteration, const brink_now *now,
                         size_t *k, size_t *r, checked_value *found) {
  for (; *k < bound->nchecked; ++*k, *r = 0) {
    const brink_kernel *kernel = bound->tasks[bound->checked[*k].kernel].kernel;
    size_t repeat = brink_action_repeat(bound->action, kernel);
    if (*r >= repeat) continue;
    found->output = &kernel->outputs[bound->checked[*k].output];
    found->slot = brink_ref_slot(&found->output->target, iteration * repeat + (*r)++);
    found->value = read_target(now, &found->output->target, found->slot);
    return true;
  }
  return false;
}

static void note_before(brink_instance *instance, const brink_bound_action *bound, size_t iteration,
                        const brink_now *now) {
  checked_value found;
  size_t n = 0;
  for (size_t k = 0, r = 0; next_checked(bound, iteration, now, &k, &r, &found);)
    instance->before[n++] = found.value;
}

/* Where ranges are only warnings, a value that was outside before does not warn again. */
static int check_ranges(brink_instance *instance, const brink_bound_action *bound, size_t iteration,
                        brink_now *now) {
  int outcome = 0;
  size_t n = 0;
  checked_value found;
  for (size_t k = 0, r = 0; next_checked(bound, iteration, now, &k, &r, &found); n++) {
    const brink_variable *variable = &instance->system->variables[found.output->variable];
    size_t element = found.slot - variable->base;
    if (!brink_instance_outside(instance, variable, element, found.value)) continue;
    if (instance->options.range_warns &&
        brink_instance_outside(instance, variable, element, instance->before[n]))
      continue;
    int one = brink_instance_violation(instance, found.output->variable, element, found.value, now);
    if (outcome == 0) outcome = one;
  }
  return outcome;
}

/* ---- numbers ---- */

static bool is_timer(const brink_system *system, const brink_output *output) {
  return output->variable < system->nvariables &&
         system->variables[output->variable].kind == BRINK_VARIABLE_TIMER;
}

static int not_allowed(const brink_instance *instance, const brink_kernel *kernel,
                       const brink_output *output, size_t slot, brink_now *now) {
  char name[BRINK_NAME] = "a value", past[48];
  const brink_system *system = instance->system;
  double value = now->p[slot];
  if (output->variable < system->nvariables)
    brink_instance_variable_name(instance, output->variable,
                                 slot - system->variables[output->variable].base, name);
  snprintf(past, sizeof past, "%.10g, which is past,", brink_system_time(system, value));
  const char *what = isnan(value)      ? "what is not a number"
                     : isfinite(value) ? past
                     : value > 0       ? "infinity"
                                       : "minus infinity";
  snprintf(now->message, BRINK_DIAG_MESSAGE, "%s'%s' was set to %s at t = %.10g%s%s%s",
           is_timer(system, output) ? "timer " : "", name, what, brink_system_time(system, now->t),
           kernel->where != NULL ? " (" : "", kernel->where != NULL ? kernel->where : "",
           kernel->where != NULL ? ")" : "");
  return -1;
}

/* A value that is held until the next instant must be finite, whatever its range: the run would go on with it. A timer
 * may be off, but not set to a time that is past.
 * (States are checked by the simulation, which knows whose action it was.) */
static int check_held(brink_instance *instance, const brink_bound_action *bound, size_t iteration,
                      brink_now *now) {
  for (action_step step = {0}; next_step(bound, iteration, &step);) {
    const brink_kernel *kernel = step.task->kernel;
    for (size_t k = 0; k < kernel->noutputs; k++) {
      const brink_output *output = &kernel->outputs[k];
      if (output->target.space != BRINK_SPACE_P) continue;
      size_t slot = brink_ref_slot(&output->target, step.iteration);
      double value = now->p[slot];
      if (!(is_timer(instance->system, output) ? value >= now->t : isfinite(value)))
        return not_allowed(instance, kernel, output, slot, now);
    }
  }
  return 0;
}

/* ---- running ---- */

/* Which states were assigned, be it their old values: constraints keep these. */
static void note_assigned(brink_instance *instance, const action_step *step,
                          const brink_frame *frame, const brink_now *now) {
  const brink_kernel *kernel = step->task->kernel;
  for (size_t k = 0; now->assigned != NULL && k < kernel->noutputs; k++) {
    const brink_output *output = &kernel->outputs[k];
    if (output->target.space != BRINK_SPACE_X) continue;
    if (output->when == BRINK_NO_NODE || node_value(instance, step, frame, output->when) != 0.0)
      now->assigned[brink_ref_slot(&output->target, step->iteration)] = true;
  }
}

/* Between the state and the buffer: everything that the action may write, and nothing else. */
static void transfer(brink_instance *instance, const brink_bound_action *bound, size_t iteration,
                     const brink_now *now, bool to_buffer) {
  for (action_step step = {0}; next_step(bound, iteration, &step);) {
    const brink_kernel *kernel = step.task->kernel;
    for (size_t k = 0; k < kernel->noutputs; k++) {
      const brink_ref *target = &kernel->outputs[k].target;
      size_t slot = brink_ref_slot(target, step.iteration);
      if (target->space == BRINK_SPACE_LOCAL) continue;
      if (target->space == BRINK_SPACE_MODE) {
        int *there = &instance->buffer.mode[slot], *here = &now->mode[slot];
        *(to_buffer ? there : here) = *(to_buffer ? here : there);
        continue;
      }
      bool state = target->space == BRINK_SPACE_X;
      double *there = &(state ? instance->buffer.x : instance->buffer.p)[slot];
      double *here = &(state ? now->x : now->p)[slot];
      *(to_buffer ? there : here) = *(to_buffer ? here : there);
    }
  }
}

static bool has_effects(const brink_action *action, size_t kernel) {
  for (size_t k = 0; k < action->neffects; k++) {
    if (action->effects[k].kernel == kernel) return true;
  }
  return false;
}

/* All iterations of kernel k: at once, or one by one where each is looked at before it runs. */
static void run_kernel(brink_instance *instance, const brink_bound_action *bound, size_t k,
                       const brink_frame *frame, size_t iteration, const brink_now *now,
                       const brink_effect **end) {
  const brink_task *task = &bound->tasks[k];
  size_t repeat = brink_action_repeat(bound->action, task->kernel);
  if (now->assigned == NULL && !has_effects(bound->action, k)) {
    brink_instance_run(instance, task, frame, iteration * repeat, repeat);
    return;
  }
  for (size_t r = 0; r < repeat; r++) {
    action_step step = {k, iteration * repeat + r, task};
    find_effects(instance, bound, &step, frame, end);
    note_assigned(instance, &step, frame, now);
    brink_instance_run(instance, task, frame, step.iteration, 1);
  }
}

/* Returns the effect that ends the run; NULL: none does. */
static const brink_effect *run(brink_instance *instance, const brink_bound_action *bound,
                               brink_frame *frame, size_t iteration, const brink_now *now) {
  const brink_effect *end = NULL;
  if (bound->buffered) {
    transfer(instance, bound, iteration, now, true);
    frame->to_x = instance->buffer.x;
    frame->to_p = instance->buffer.p;
    frame->to_mode = instance->buffer.mode;
  }
  for (size_t k = 0; k < bound->ntasks; k++)
    run_kernel(instance, bound, k, frame, iteration, now, &end);
  if (bound->buffered) transfer(instance, bound, iteration, now, false);
  return end;
}

int brink_instance_act(brink_instance *instance, const brink_bound_action *bound, size_t iteration,
                       brink_now *now) {
  if (bound->action == NULL) return 0;
  brink_frame frame = brink_instance_now_frame(instance, now);
  for (size_t k = 0; k < bound->ntasks; k++)
    brink_instance_prepare(instance, &bound->tasks[k], &frame);
  note_before(instance, bound, iteration, now);
  if (now->carried != NULL) brink_instance_carry(instance, bound, iteration, now);
  brink_instance_before_act(instance, now);
  const brink_effect *end = run(instance, bound, &frame, iteration, now);
  int queued = brink_instance_run_queued(instance, bound, now);
  brink_instance_after_act(instance, now);
  if (queued != 0) return queued;
  int outcome = check_held(instance, bound, iteration, now);
  if (outcome != 0) return outcome;
  if (end == NULL || end->kind == BRINK_EFFECT_STOP)
    outcome = check_ranges(instance, bound, iteration, now);
  if (end == NULL || outcome != 0) return outcome;
  brink_ending ending = end->kind == BRINK_EFFECT_STOP ? BRINK_ENDING_STOP : BRINK_ENDING_FAIL;
  return brink_instance_end(instance, ending, now, end->text);
}

/* Runs an action on copies of the values that were last evaluated: are they others then, or does the
 * action end the run? */
static bool changes_something(brink_instance *instance, const brink_bound_action *bound,
                              size_t iteration, brink_arena *arena) {
  const brink_system *system = instance->system;
  double *x = brink_arena_copy(arena, instance->seen.x, system->nx, sizeof *x);
  double *p = brink_arena_copy(arena, instance->seen.p, system->np, sizeof *p);
  int *mode = brink_arena_copy(arena, instance->seen.mode, system->nmodes, sizeof *mode);
  if (arena->failed) return true;
  brink_now now = {.t = instance->seen.t,
                   .x = x,
                   .p = p,
                   .mode = mode,
                   .pre_x = instance->seen.x,
                   .pre_p = instance->seen.p,
                   .pre_mode = instance->seen.mode,
                   .sgn = instance->seen.sgn};
  brink_frame frame = brink_instance_now_frame(instance, &now);
  for (size_t k = 0; k < bound->ntasks; k++)
    brink_instance_prepare(instance, &bound->tasks[k], &frame);
  size_t notes = instance->notes.count, values = instance->notes.nvalues;
  const brink_effect *end = run(instance, bound, &frame, iteration, &now);
  instance->notes.count = notes;
  instance->notes.nvalues = values;
  return end != NULL || memcmp(x, instance->seen.x, system->nx * sizeof *x) != 0 ||
         memcmp(p, instance->seen.p, system->np * sizeof *p) != 0 ||
         memcmp(mode, instance->seen.mode, system->nmodes * sizeof *mode) != 0;
}

bool brink_instance_would_act(brink_instance *instance, uint32_t flag, size_t index,
                              brink_direction direction) {
  const brink_bound_flag *bound = &instance->flags[flag];
  const brink_bound_action *action =
      direction == BRINK_NEGATIVE ? &bound->negative : &bound->positive;
  if (action->action == NULL) return false;
  brink_arena arena;
  brink_arena_init(&arena, &instance->arena.allocator);
  bool changes = changes_something(instance, action, index, &arena);
  brink_arena_free(&arena);
  return changes;
}

static void clear_notes(brink_instance *instance) {
  instance->notes.count = instance->notes.nvalues = 0;
}

static void doubt(brink_instance *instance, size_t guard) {
  instance->doubted[guard] = instance->doubts = true;
}

static bool judges_late(const brink_bound_action *bound) {
  for (size_t k = 0; bound->action != NULL && k < bound->action->neffects; k++) {
    if (bound->action->effects[k].late) return true;
  }
  return false;
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
  const brink_bound_action *action = negative ? &bound->negative : &bound->positive;
  if ((flag->kind == BRINK_FLAG_RANGE && negative && flag->late) || judges_late(action))
    doubt(instance, event->guard);
  if (flag->kind == BRINK_FLAG_RANGE && negative)
    return flag->late ? 0 : leave_range(instance, flag, place.index, now);
  return brink_instance_act(instance, action, place.index, now);
}

/* ---- when all has come to rest ---- */

/* Has an effect of the action that waited for the end of the instant come true? */
static const brink_effect *late_effect(brink_instance *instance, const brink_bound_action *bound,
                                       size_t iteration, const brink_now *now) {
  if (!judges_late(bound)) return NULL;
  brink_frame frame = brink_instance_now_frame(instance, now);
  for (action_step step = {0}; next_step(bound, iteration, &step);) {
    brink_instance_prepare(instance, step.task, &frame);
    for (size_t k = 0; k < bound->action->neffects; k++) {
      const brink_effect *effect = &bound->action->effects[k];
      if (effect->late && effect->kernel == step.kernel &&
          node_value(instance, &step, &frame, effect->when) != 0.0)
        return effect;
    }
  }
  return NULL;
}

static int judge_range(brink_instance *instance, brink_guard_place place, brink_now *now) {
  const brink_flag *flag = &instance->system->flags[place.flag];
  const brink_variable *variable = &instance->system->variables[flag->variable];
  brink_instance_evaluate(instance, now->t, now->x, now->p, now->mode, now->sgn);
  double value = brink_instance_value(instance, flag->variable, place.index);
  if (!brink_instance_outside(instance, variable, place.index, value)) return 0;
  return brink_instance_violation(instance, flag->variable, place.index, value, now);
}

/* One guard whose event left something in doubt. *stays: it still does. */
static int judge(brink_instance *instance, brink_now *now, const brink_doubt *asked, bool *stays) {
  brink_guard_place place = instance->places[asked->guard];
  const brink_bound_flag *bound = &instance->flags[place.flag];
  *stays = false;
  if (instance->system->flags[place.flag].kind == BRINK_FLAG_RANGE)
    return judge_range(instance, place, now);
  const brink_effect *end = late_effect(instance, &bound->negative, place.index, now);
  if (end == NULL) end = late_effect(instance, &bound->positive, place.index, now);
  if (end == NULL) return 0;
  /* At the end of a table, and it stays there: it may be moved on at a later instant, without an event of its own. */
  *stays = asked->rests(asked->sim, instance->system->flags[end->back].guard[place.index]);
  return *stays ? 0 : brink_instance_end(instance, BRINK_ENDING_FAIL, now, end->text);
}

bool brink_instance_doubts(void *user) {
  const brink_instance *instance = user;
  return instance->doubts;
}

int brink_instance_judge(brink_now *now, brink_doubt *asked, void *user) {
  brink_instance *instance = user;
  int outcome = 0;
  instance->doubts = false;
  for (size_t g = 0; g < instance->system->nguards && outcome == 0; g++) {
    if (!instance->doubted[g]) continue;
    asked->guard = g;
    outcome = judge(instance, now, asked, &instance->doubted[g]);
    instance->doubts = instance->doubts || instance->doubted[g];
  }
  return outcome;
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
