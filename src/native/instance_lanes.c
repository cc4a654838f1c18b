/* instance_lanes.c: series of the solutions of several instances at once (see emit_lanes.c). */
#include "native/instance.h"

int brink_instance_lanes(const brink_instance *instance, const char **why) {
  *why = "";
  if (instance->native == NULL)
    *why = "there is no native code";
  else if (instance->system->nz > 0)
    *why = "the model has constraints";
  else if (instance->flow == NULL)
    *why = "the model has no Taylor series";
  else if (instance->native->object->lanes_flow == NULL)
    *why = "the series are too long, or need what only single runs have";
  else if (instance->native->object->lanes_order != instance->flow_order)
    *why = "the series have another order";
  return **why == '\0' ? instance->native->object->lanes : 0;
}

brink_native_lanes_fn *brink_instance_lanes_code(const brink_instance *instance) {
  return instance->native->object->lanes_flow;
}

void brink_instance_begin_lanes(brink_instance *instance, const brink_env *env) {
  instance->lane = brink_instance_frame(instance, 0.0, NULL, env->p, env->mode, env->sgn);
}

unsigned brink_instance_flow_lanes(const brink_env *const *envs, const double *times,
                                   const double *units, double *rows) {
  enum { MOST = 8 };
  unsigned known = 0;
  const brink_frame *all[MOST];
  const brink_instance *first = envs[0]->user;
  const brink_object *object = first->native->object;
  for (int l = 0; l < object->lanes; l++) {
    const brink_instance *instance = envs[l]->user;
    all[l] = &instance->lane;
    if (!instance->rest.any) known |= 1u << l;
  }
  object->lanes_flow(all, times, units, rows);
  return known;
}
