/* instance_queue.c: what actions put into queues and take from them (see instance.h).
 *
 * While an action runs, its puts and takes are noted down; when everything is written they happen, in order. A queue is
 * a ring in P: each costs the same, however long it is. Directions go along with the values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "native/instance.h"

static bool is_queued(const brink_effect *effect) {
  return effect->kind == BRINK_EFFECT_PUT || effect->kind == BRINK_EFFECT_TAKE;
}

static const brink_ref *ref_of(const brink_kernel *kernel, brink_node node) {
  return &kernel->graph.refs[kernel->graph.nodes[node].a];
}

/* The variable that a take writes: its range is looked at. */
static uint32_t variable_at(const brink_system *system, brink_space space, size_t slot) {
  for (uint32_t k = 0; k < system->nvariables; k++) {
    const brink_variable *variable = &system->variables[k];
    size_t count = system->groups[variable->group].count * variable->length;
    if (variable->space == space && slot >= variable->base && slot < variable->base + count)
      return k;
  }
  return BRINK_NO_INDEX;
}

bool brink_instance_bind_queues(brink_instance *instance, const brink_action *action,
                                brink_bound_action *bound) {
  size_t most = 0;
  for (size_t k = 0; k < action->neffects; k++) {
    const brink_effect *effect = &action->effects[k];
    if (is_queued(effect)) most += brink_action_repeat(action, action->kernels[effect->kernel]);
  }
  if (most == 0) return true;
  if (most > instance->queued.capacity) instance->queued.capacity = most;
  bound->taken = brink_arena_pack(&instance->shared->arena, action->neffects, sizeof *bound->taken);
  if (bound->taken == NULL) return false;
  for (size_t k = 0; k < action->neffects; k++) {
    const brink_effect *effect = &action->effects[k];
    bound->taken[k] = BRINK_NO_INDEX;
    if (effect->kind != BRINK_EFFECT_TAKE) continue;
    const brink_ref *to = ref_of(action->kernels[effect->kernel], effect->args[1]);
    bound->taken[k] = variable_at(instance->system, to->space, brink_ref_slot(to, 0));
  }
  return true;
}

void brink_instance_note_queued(brink_instance *instance, size_t effect, size_t iteration) {
  if (instance->queued.count < instance->queued.capacity)
    instance->queued.ops[instance->queued.count++] = (brink_queued){effect, iteration};
}

static int queue_fails(const brink_instance *instance, const brink_kernel *kernel, size_t slot,
                       const char *what, brink_now *now) {
  char name[BRINK_NAME] = "a queue";
  uint32_t variable = variable_at(instance->system, BRINK_SPACE_P, slot);
  if (variable != BRINK_NO_INDEX) { /* without the number of the slot in it */
    const brink_variable *declared = &instance->system->variables[variable];
    brink_instance_variable_name(instance, variable, slot - declared->base, name);
    char *bracket = strrchr(name, '[');
    if (bracket != NULL) *bracket = '\0';
  }
  snprintf(now->message, BRINK_DIAG_MESSAGE, "queue '%s' %s at t = %.10g%s%s%s", name, what,
           brink_system_time(instance->system, now->t), kernel->where != NULL ? " (" : "",
           kernel->where != NULL ? kernel->where : "", kernel->where != NULL ? ")" : "");
  return -1;
}

/* Directions of one slot of P become those of a row. */
static void carry_row(const brink_now *now, size_t from, double *rows, size_t to) {
  const brink_carried *carried = now->carried;
  if (carried != NULL && rows != NULL)
    memcpy(rows + to * carried->count, carried->p + from * carried->count,
           carried->count * sizeof *rows);
}

static double *rows_of(const brink_now *now, brink_space space) {
  if (now->carried == NULL) return NULL;
  return space == BRINK_SPACE_X ? now->carried->x : space == BRINK_SPACE_P ? now->carried->p : NULL;
}

/* How many wait, and where the first is. Values are restored from files, too: what cannot be counts as the nearest that can. */
static size_t within(double value, size_t most) {
  return value >= 1.0 ? (value < (double)most ? (size_t)value : most) : 0;
}

static int put(brink_instance *instance, const brink_kernel *kernel, const brink_effect *effect,
               size_t iteration, brink_now *now) {
  size_t at = brink_ref_slot(ref_of(kernel, effect->args[0]), iteration);
  size_t from = brink_ref_slot(ref_of(kernel, effect->args[1]), iteration);
  double *queue = now->p + at, value = now->p[from];
  size_t count = within(queue[BRINK_QUEUE_COUNT], effect->capacity);
  size_t head = within(queue[BRINK_QUEUE_HEAD], effect->capacity - 1);
  char full[48];
  snprintf(full, sizeof full, "is full (%zu)", effect->capacity);
  if (count >= effect->capacity) return queue_fails(instance, kernel, at, full, now);
  if (!isfinite(value))
    return queue_fails(instance, kernel, at,
                       isnan(value) ? "was given what is not a number" : "was given infinity", now);
  size_t place = BRINK_QUEUE_RING + (head + count) % effect->capacity;
  queue[place] = value;
  queue[BRINK_QUEUE_COUNT] = (double)(count + 1);
  carry_row(now, from, rows_of(now, BRINK_SPACE_P), at + place);
  if (count > 0) return 0;
  queue[BRINK_QUEUE_FIRST] = value;
  carry_row(now, from, rows_of(now, BRINK_SPACE_P), at + BRINK_QUEUE_FIRST);
  return 0;
}

static int take(brink_instance *instance, const brink_kernel *kernel, const brink_effect *effect,
                uint32_t variable, size_t iteration, brink_now *now) {
  size_t at = brink_ref_slot(ref_of(kernel, effect->args[0]), iteration);
  const brink_ref *target = ref_of(kernel, effect->args[1]);
  size_t slot = brink_ref_slot(target, iteration);
  double *queue = now->p + at;
  size_t count = within(queue[BRINK_QUEUE_COUNT], effect->capacity);
  size_t head = within(queue[BRINK_QUEUE_HEAD], effect->capacity - 1);
  if (count == 0) return queue_fails(instance, kernel, at, "is empty", now);
  double value = queue[BRINK_QUEUE_RING + head];
  if (target->space == BRINK_SPACE_MODE)
    now->mode[slot] = (int)value;
  else
    (target->space == BRINK_SPACE_X ? now->x : now->p)[slot] = value;
  if (target->space == BRINK_SPACE_X && now->assigned != NULL) now->assigned[slot] = true;
  carry_row(now, at + BRINK_QUEUE_RING + head, rows_of(now, target->space), slot);
  head = (head + 1) % effect->capacity;
  queue[BRINK_QUEUE_COUNT] = (double)(count - 1);
  queue[BRINK_QUEUE_HEAD] = (double)head;
  queue[BRINK_QUEUE_FIRST] = count > 1 ? queue[BRINK_QUEUE_RING + head] : 0.0;
  if (count > 1)
    carry_row(now, at + BRINK_QUEUE_RING + head, rows_of(now, BRINK_SPACE_P),
              at + BRINK_QUEUE_FIRST);
  if (variable == BRINK_NO_INDEX) return 0;
  const brink_variable *declared = &instance->system->variables[variable];
  if (!(declared->has_range || declared->set != NULL) ||
      !brink_instance_outside(instance, declared, slot - declared->base, value))
    return 0;
  return brink_instance_violation(instance, variable, slot - declared->base, value, now);
}

int brink_instance_run_queued(brink_instance *instance, const brink_bound_action *bound,
                              brink_now *now) {
  int outcome = 0;
  for (size_t k = 0; k < instance->queued.count && outcome == 0; k++) {
    brink_queued op = instance->queued.ops[k];
    const brink_effect *effect = &bound->action->effects[op.effect];
    const brink_kernel *kernel = bound->tasks[effect->kernel].kernel;
    outcome = effect->kind == BRINK_EFFECT_PUT
                  ? put(instance, kernel, effect, op.iteration, now)
                  : take(instance, kernel, effect, bound->taken[op.effect], op.iteration, now);
  }
  instance->queued.count = 0;
  return outcome;
}
