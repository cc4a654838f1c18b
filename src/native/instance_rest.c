/* instance_rest.c: after infinitely many events in finite time, where the run goes on.
 *
 * A ball that bounces ever lower comes to rest: it stays where the bounces ended until something else
 * moves it. So the states that the flags of the accumulation read, and those that their actions set, are
 * held: their derivatives count as zero. They are let go by the first action that sets one of them, or
 * that changes their derivatives through a mode, a parameter or another state. */
#include <string.h>

#include "native/instance.h"

void brink_instance_hold(const brink_instance *instance, double *dx) {
  for (size_t i = 0; i < instance->system->nx; i++) {
    if (instance->rest.state[i]) dx[i] = 0.0;
  }
}

/* ---- coming to rest ---- */

static void rest_read(brink_instance *instance, const brink_kernel *kernel, size_t index) {
  for (size_t r = 0; r < kernel->graph.nrefs; r++) {
    const brink_ref *ref = &kernel->graph.refs[r];
    for (size_t e = 0; ref->space == BRINK_SPACE_X && e < brink_ref_extent(ref); e++)
      instance->rest.state[brink_ref_element(ref, index, e)] = true;
  }
}

static void rest_written(brink_instance *instance, const brink_action *action, size_t index) {
  for (size_t k = 0; action != NULL && k < action->nkernels; k++) {
    const brink_kernel *kernel = action->kernels[k];
    size_t repeat = brink_action_repeat(action, kernel);
    for (size_t j = 0; j < kernel->noutputs; j++) {
      const brink_ref *target = &kernel->outputs[j].target;
      for (size_t r = 0; target->space == BRINK_SPACE_X && r < repeat; r++)
        instance->rest.state[brink_ref_slot(target, index * repeat + r)] = true;
    }
  }
}

static void rest_flag(brink_instance *instance, uint32_t number, size_t index) {
  const brink_system *system = instance->system;
  const brink_flag *flag = &system->flags[number];
  if (flag->value != NULL) rest_read(instance, flag->value, index);
  for (size_t k = 0; flag->value == NULL && k < flag->formula_length; k++) {
    if (flag->formula[k] >= 0) rest_flag(instance, (uint32_t)flag->formula[k], index);
  }
  rest_written(instance, flag->negative, index);
  rest_written(instance, flag->positive, index);
}

int brink_instance_on_zeno(const size_t *guards, size_t count, brink_now *now, void *user) {
  brink_instance *instance = user;
  (void)now;
  instance->rest.any = true;
  for (size_t k = 0; k < count; k++) {
    brink_guard_place place = instance->places[guards[k]];
    rest_flag(instance, place.flag, place.index);
  }
  return 0;
}

/* ---- being moved again ---- */

static void own_field(brink_instance *instance, const brink_now *now, double *dx) {
  brink_instance_field(instance, now->t, now->x, now->p, now->mode, now->sgn, dx);
}

void brink_instance_before_act(brink_instance *instance, const brink_now *now) {
  if (!instance->rest.any) return;
  memcpy(instance->rest.x, now->x, instance->system->nx * sizeof(double));
  own_field(instance, now, instance->rest.before);
}

void brink_instance_after_act(brink_instance *instance, const brink_now *now) {
  if (!instance->rest.any) return;
  own_field(instance, now, instance->rest.after);
  for (size_t i = 0; i < instance->system->nx; i++) {
    if (!instance->rest.state[i]) continue;
    if (instance->rest.x[i] == now->x[i] && instance->rest.before[i] == instance->rest.after[i])
      continue;
    memset(instance->rest.state, 0, instance->system->nx * sizeof(bool));
    instance->rest.any = false;
    return;
  }
}
