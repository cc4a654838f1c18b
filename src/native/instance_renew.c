/* instance_renew.c: an instance that starts from other values (see native.h).
 *
 * Of what brink_instance_create makes, this depends on the values of the system, and is made again, by the same functions
 * and in the same order: where the run starts, what outputs hold before their first sample, values that are outside their
 * ranges, numbers of guards. All the rest (code, derivatives, series, the definition of the model) depends on the
 * equations, which are the same. Where something is out of the ordinary, a new instance is made, and says what. */
#include <string.h>

#include "native/instance.h"

/* Whatever does not follow from the equations and the start alone. */
static bool is_simple(const brink_instance *instance) {
  const brink_shared *shared = instance->shared;
  return atomic_load(&shared->users) == 1 && !instance->options.takes_turns &&
         !instance->some_vary && instance->options.inputs == NULL && instance->delays == NULL &&
         instance->calls == NULL && instance->system->nz == 0 &&
         shared->made->ending == BRINK_ENDING_NONE && shared->made->nwarnings == 0;
}

static void copy(void *to, const void *from, size_t count, size_t size) {
  if (count > 0) memcpy(to, from, count * size);
}

static void take_values(brink_instance *instance, const brink_system *fresh, uint64_t seed) {
  brink_system *system = instance->system;
  copy(system->x0, fresh->x0, system->nx, sizeof *system->x0);
  copy(system->p0, fresh->p0, system->np, sizeof *system->p0);
  copy(system->mode0, fresh->mode0, system->nmodes, sizeof *system->mode0);
  system->seed = fresh->seed;
  for (size_t k = 0; k < system->nsettings; k++)
    system->settings[k].number = fresh->settings[k].number;
  copy(instance->x0, system->x0, system->nx, sizeof *system->x0);
  copy(instance->p0, system->p0, system->np, sizeof *system->p0);
  copy(instance->mode0, system->mode0, system->nmodes, sizeof *system->mode0);
  if (system->rtol_slot < system->np) instance->p0[system->rtol_slot] = instance->options.rtol;
  if (system->atol_slot < system->np) instance->p0[system->atol_slot] = instance->options.atol;
  instance->options.seed = seed;
}

bool brink_instance_renew(brink_instance *instance, const brink_system *fresh, uint64_t seed) {
  brink_shared *shared = instance->shared;
  brink_diag diag;
  if (!is_simple(instance)) return false;
  brink_instance_forget(instance);
  take_values(instance, fresh, seed);
  if (brink_instance_first_outputs(instance, &diag) != BRINK_OK) return false;
  brink_instance_check_start(instance);
  if (instance->ending != BRINK_ENDING_NONE || instance->nwarnings > 0) return false;
  brink_arena arena;
  brink_arena_init(&arena, &instance->arena.allocator);
  const brink_guard_def *guards = brink_instance_guards_again(instance, &arena);
  bool renewed = guards != NULL && brink_model_renew(shared->model, instance->x0, instance->p0,
                                                     instance->mode0, guards);
  brink_arena_free(&arena);
  shared->made->options.seed = seed;
  brink_instance_reset(instance);
  return renewed;
}
