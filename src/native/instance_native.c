/* instance_native.c: machine code for what runs often (see instance.h).
 *
 * dx/dt, its Jacobian, and values, gradients and series of the guards that are not plain numbers are
 * compiled. Actions, rules and outputs run rarely: compiling them would take longer than they do. All
 * equations (`all`) are only compiled where guards need them. */
#include "native/instance.h"

/* Is any guard asked for its value? For a series? For what all equations compute? */
static bool any_asked(const brink_instance *instance, bool *jets, bool *all) {
  bool any = false;
  *jets = *all = false;
  for (size_t f = 0; f < instance->system->nflags; f++) {
    const brink_bound_flag *bound = &instance->flags[f];
    any = any || bound->asked;
    *jets = *jets || bound->has_jet;
    *all = *all || (bound->asked && bound->value.kernel->reads_v);
  }
  return any;
}

/* The gradients that are called for. */
static brink_kernel **list_gradients(const brink_instance *instance) {
  size_t count = instance->system->nflags;
  brink_kernel **list = brink_allocate(&instance->arena.allocator, count, sizeof(brink_kernel *));
  for (size_t f = 0; list != NULL && f < count; f++) {
    if (instance->flags[f].asked) list[f] = instance->flags[f].gradient_kernel;
  }
  return list;
}

static void adopt(brink_native *native, brink_task *task) {
  if (task->kernel != NULL) task->native = brink_native_kernel(native, task->kernel);
}

static void adopt_all(brink_instance *instance) {
  brink_native *native = instance->native;
  for (size_t f = 0; f < instance->system->nflags; f++) {
    brink_bound_flag *bound = &instance->flags[f];
    adopt(native, &bound->enabled);
    if (!bound->asked) continue;
    adopt(native, &bound->value);
    adopt(native, &bound->gradient);
    if (bound->has_jet) bound->jet = brink_native_jet(native, bound->value.kernel);
  }
}

brink_status brink_instance_compile(brink_instance *instance, const char *cache, brink_diag *diag) {
  brink_emit_options options = {.jacobian = instance->jacobian_program.nkernels > 0,
                                .jacobian_program = &instance->jacobian_program};
  options.guards = any_asked(instance, &options.jets, &options.all);
  options.gradients = options.guards;
  brink_kernel **gradients = list_gradients(instance);
  if (gradients == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  options.gradient_kernels = gradients;
  char reason[BRINK_REASON];
  brink_status status = brink_native_create(instance->system, &options, cache,
                                            &instance->arena.allocator, &instance->native, reason);
  brink_release(&instance->arena.allocator, gradients, instance->system->nflags, sizeof *gradients);
  if (status == BRINK_ERR_UNSUPPORTED) return BRINK_OK; /* the interpreter does it */
  if (status != BRINK_OK)
    return brink_diag_set(diag, status, "out of memory for compiling the model");
  adopt_all(instance);
  return BRINK_OK;
}

void brink_instance_unload(brink_instance *instance) {
  brink_native_destroy(instance->native);
}
