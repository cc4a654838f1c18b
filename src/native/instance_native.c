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

/* What is compiled: a system in which only guards that are asked for have values, and their gradients. */
typedef struct excerpt {
  brink_system system;
  brink_flag *flags;
  brink_kernel **gradients;
  brink_program extra; /* of constraints and delays */
} excerpt;

static bool take_excerpt(brink_instance *instance, excerpt *e) {
  const brink_allocator *allocator = &instance->arena.allocator;
  const brink_system *system = instance->system;
  e->system = *system;
  e->flags = brink_allocate(allocator, system->nflags, sizeof *e->flags);
  e->gradients = brink_allocate(allocator, system->nflags, sizeof *e->gradients);
  size_t constraints = brink_instance_constraint_kernels(instance, NULL, 0);
  e->extra.nkernels = constraints + brink_instance_delay_kernels(instance, NULL);
  e->extra.kernels = brink_allocate(allocator, e->extra.nkernels, sizeof *e->extra.kernels);
  if (e->flags == NULL || e->gradients == NULL || e->extra.kernels == NULL) return false;
  brink_instance_constraint_kernels(instance, e->extra.kernels, constraints);
  brink_instance_delay_kernels(instance, e->extra.kernels + constraints);
  for (size_t f = 0; f < system->nflags; f++) {
    const brink_bound_flag *bound = &instance->flags[f];
    e->flags[f] = system->flags[f];
    e->flags[f].enabled = NULL; /* asked for once an instant */
    if (bound->asked)
      e->gradients[f] = bound->gradient_kernel;
    else
      e->flags[f].value = NULL;
  }
  e->system.flags = e->flags;
  return true;
}

static void give_back(const brink_instance *instance, excerpt *e) {
  const brink_allocator *allocator = &instance->arena.allocator;
  brink_release(allocator, e->flags, instance->system->nflags, sizeof *e->flags);
  brink_release(allocator, e->gradients, instance->system->nflags, sizeof *e->gradients);
  brink_release(allocator, e->extra.kernels, e->extra.nkernels, sizeof *e->extra.kernels);
}

static void adopt(const brink_native *native, brink_task *task) {
  if (task->kernel != NULL) task->native = brink_native_kernel(native, task->kernel);
}

void brink_instance_adopt(const brink_instance *instance, const brink_native *native) {
  for (size_t f = 0; f < instance->system->nflags; f++) {
    brink_bound_flag *bound = &instance->flags[f];
    if (!bound->asked) continue;
    adopt(native, &bound->value);
    adopt(native, &bound->gradient);
    if (bound->has_jet) bound->jet = brink_native_jet(native, bound->value.kernel);
  }
  brink_instance_adopt_constraints(instance, native);
  brink_instance_adopt_delays(instance, native);
}

static brink_status create(brink_instance *instance, const excerpt *e, const char *cache) {
  brink_emit_options options = {.gradient_kernels = e->gradients,
                                .jacobian = instance->options.wants_jacobian &&
                                            instance->jacobian_program.nkernels > 0,
                                .jacobian_program = &instance->jacobian_program};
  if (instance->flow != NULL && instance->system->nz == 0) {
    options.flow = instance->flow;
    options.flow_order = instance->flow_order;
    options.guard_order = 2 * instance->flow_order;
    options.lanes = instance->options.lanes;
  }
  options.guards = any_asked(instance, &options.jets, &options.all);
  options.gradients = options.guards;
  options.extra = &e->extra;
  bool later =
      instance->options.later && instance->options.change_at == 0 && instance->options.lanes == 0;
  return (later ? brink_native_begin : brink_native_create)(
      &e->system, &options, cache, instance->options.objects, &instance->arena.allocator,
      &instance->shared->native, instance->reason);
}

brink_status brink_instance_compile(brink_instance *instance, const char *cache, brink_diag *diag) {
  excerpt e = {0};
  brink_status status = take_excerpt(instance, &e) ? create(instance, &e, cache) : BRINK_ERR_MEMORY;
  give_back(instance, &e);
  if (status == BRINK_ERR_UNSUPPORTED) return BRINK_OK; /* the interpreter does it */
  if (status != BRINK_OK)
    return brink_diag_set(diag, status, "out of memory for compiling the model");
  const brink_native *native = instance->shared->native;
  instance->tables = native->tables;
  if (native->object != NULL) {
    brink_instance_adopt(instance, native);
    atomic_store(&instance->shared->ready, BRINK_READY);
  }
  brink_instance_begin_waiting(instance);
  return BRINK_OK;
}
