/* instance_bind.c: kernels become code that can be run (see instance.h). */
#include <math.h>
#include <string.h>

#include "native/instance.h"
#include "num/order.h"

/* Doubles for series, at most: 1 GB. */
#define MOST_SERIES ((size_t)1 << 27)

static brink_status no_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the code of the model");
}

/* ---- tasks ---- */

bool brink_instance_task(brink_instance *instance, const brink_kernel *kernel, brink_task *task) {
  *task = (brink_task){.kernel = kernel};
  if (kernel == NULL) return true;
  task->code = brink_code_make(kernel, &instance->shared->arena);
  if (task->code == NULL) return false;
  size_t scratch = brink_code_scratch(task->code);
  brink_room *room = &instance->room;
  if (scratch > room->scratch) room->scratch = scratch;
  if (kernel->noutputs > room->outputs) room->outputs = kernel->noutputs;
  return true;
}

void brink_instance_run(brink_instance *instance, const brink_task *task, const brink_frame *frame,
                        size_t first, size_t count) {
  if (instance->native != NULL && task->native != NULL)
    task->native(frame, &instance->tables, first, count);
  else
    brink_code_run(task->code, frame, first, count, instance->scratch);
}

void brink_instance_prepare(brink_instance *instance, const brink_task *task, brink_frame *frame) {
  if (!task->kernel->reads_v) return;
  brink_instance_evaluate(instance, frame->t, frame->x, frame->p, frame->mode, frame->sgn);
  frame->v = instance->seen.v;
  frame->dx = instance->seen.dx;
}

brink_frame brink_instance_frame(const brink_instance *instance, double t, const double *x,
                                 const double *p, const int *mode, const signed char *sgn) {
  return (brink_frame){.t = t,
                       .x = x,
                       .p = p,
                       .mode = mode,
                       .sgn = sgn,
                       .k = instance->system->k,
                       .pre_x = x,
                       .pre_p = p,
                       .pre_mode = mode,
                       .out = instance->outputs,
                       .local = instance->locals,
                       .seed = instance->options.seed,
                       .externals = instance->externals};
}

brink_frame brink_instance_now_frame(const brink_instance *instance, const brink_now *now) {
  brink_frame frame = brink_instance_frame(instance, now->t, now->x, now->p, now->mode, now->sgn);
  frame.pre_x = now->pre_x;
  frame.pre_p = now->pre_p;
  frame.pre_mode = now->pre_mode;
  frame.to_x = now->x;
  frame.to_p = now->p;
  frame.to_mode = now->mode;
  return frame;
}

/* ---- checks: what is run later is not checked again ---- */

static bool slots_fit(const brink_ref *ref, size_t iterations, size_t size) {
  if (iterations == 0) return true;
  size_t last = brink_ref_extent(ref) - 1; /* of the elements of an array */
  if (ref->map == NULL) {                  /* slots are in order: the ends are enough */
    return brink_ref_element(ref, 0, last) < size &&
           brink_ref_element(ref, iterations - 1, last) < size;
  }
  for (size_t i = 0; i < iterations; i++) {
    if (brink_ref_element(ref, i, last) >= size) return false;
  }
  return true;
}

static size_t space_size(const brink_system *system, brink_space space) {
  switch (space) {
  case BRINK_SPACE_X:
  case BRINK_SPACE_DX:
  case BRINK_SPACE_PRE_X:
    return system->nx;
  case BRINK_SPACE_P:
  case BRINK_SPACE_PRE_P:
    return system->np;
  case BRINK_SPACE_MODE:
  case BRINK_SPACE_PRE_MODE:
    return system->nmodes;
  case BRINK_SPACE_SIGN:
    return system->nguards;
  case BRINK_SPACE_V:
    return system->nv;
  case BRINK_SPACE_K:
    return system->nk;
  case BRINK_SPACE_LOCAL:
    return system->nlocals;
  default:
    return 0;
  }
}

/* What a kernel may do: the dynamics compute V and DX; all other kernels have them written out, unless
 * `reads_v` is set. */
typedef enum role { ROLE_EQUATION, ROLE_VALUE, ROLE_ACTION, ROLE_DERIVATIVE } role;

static bool may_read(const brink_kernel *kernel, role as, brink_space space) {
  bool computed = space == BRINK_SPACE_V || space == BRINK_SPACE_DX;
  if (space == BRINK_SPACE_LOCAL) return as == ROLE_ACTION;
  return space < BRINK_SPACE_OUT && (as == ROLE_EQUATION || kernel->reads_v || !computed);
}

static bool may_write(role as, brink_space space) {
  if (as == ROLE_EQUATION) return space == BRINK_SPACE_V || space == BRINK_SPACE_DX;
  if (as == ROLE_VALUE || as == ROLE_DERIVATIVE) return space == BRINK_SPACE_OUT;
  return space == BRINK_SPACE_X || space == BRINK_SPACE_P || space == BRINK_SPACE_MODE ||
         space == BRINK_SPACE_LOCAL;
}

static brink_status refuse(const brink_kernel *kernel, const char *what, brink_diag *diag) {
  return brink_diag_refuse(diag, BRINK_REASON_DEFINITION, "%s (%s): %s",
                           kernel->name != NULL ? kernel->name : "an equation",
                           kernel->where != NULL ? kernel->where : "no place", what);
}

static brink_status check_kernel(const brink_system *system, const brink_kernel *kernel, role as,
                                 brink_diag *diag) {
  if (kernel == NULL) return BRINK_OK;
  const brink_graph *graph = &kernel->graph;
  for (size_t k = 0; k < graph->nrefs; k++) {
    const brink_ref *ref = &graph->refs[k];
    if (!may_read(kernel, as, ref->space))
      return refuse(kernel, "reads what is not known then", diag);
    if (!slots_fit(ref, kernel->count, space_size(system, ref->space)))
      return refuse(kernel, "reads beyond the end of its space", diag);
  }
  for (size_t k = 0; k < kernel->noutputs; k++) {
    const brink_output *output = &kernel->outputs[k];
    const brink_ref *target = &output->target;
    if (!may_write(as, target->space)) return refuse(kernel, "writes what it may not", diag);
    if (target->space != BRINK_SPACE_OUT &&
        !slots_fit(target, kernel->count, space_size(system, target->space)))
      return refuse(kernel, "writes beyond the end of its space", diag);
    if (output->node >= graph->nnodes) return refuse(kernel, "has an output without value", diag);
  }
  if (as == ROLE_VALUE && kernel->noutputs != 1) return refuse(kernel, "must have one value", diag);
  return BRINK_OK;
}

static brink_status check_action(const brink_system *system, const brink_action *action,
                                 brink_diag *diag) {
  brink_status status = BRINK_OK;
  for (size_t k = 0; action != NULL && k < action->nkernels && status == BRINK_OK; k++) {
    const brink_kernel *kernel = action->kernels[k];
    status = check_kernel(system, kernel, ROLE_ACTION, diag);
    if (status == BRINK_OK && kernel->count != action->count * brink_action_repeat(action, kernel))
      status = refuse(kernel, "does not have as many iterations for each of its action", diag);
  }
  for (size_t k = 0; action != NULL && k < action->neffects && status == BRINK_OK; k++) {
    if (action->effects[k].kernel >= action->nkernels)
      status = brink_diag_refuse(diag, BRINK_REASON_DEFINITION, "an effect has no kernel");
  }
  return status;
}

/* ---- programs ---- */

static brink_status bind_program(brink_instance *instance, const brink_program *program, role as,
                                 brink_bound_program *bound, brink_diag *diag) {
  brink_arena *arena = &instance->shared->arena;
  bound->count = program->nkernels;
  bound->tasks = brink_arena_pack(arena, bound->count, sizeof *bound->tasks);
  bound->codes = brink_arena_pack(arena, bound->count, sizeof *bound->codes);
  if (arena->failed) return no_memory(diag);
  for (size_t k = 0; k < bound->count; k++) {
    brink_status status = check_kernel(instance->system, program->kernels[k], as, diag);
    if (status != BRINK_OK) return status;
    if (!brink_instance_task(instance, program->kernels[k], &bound->tasks[k]))
      return no_memory(diag);
    bound->codes[k] = bound->tasks[k].code;
  }
  return BRINK_OK;
}

/* Where there is no Jacobian, the method takes differences. */
static brink_status bind_jacobian(brink_instance *instance, brink_diag *diag) {
  if (!brink_system_jacobian(instance->system, &instance->jacobian_program,
                             &instance->jacobian_starts, &instance->jacobian_rows)) {
    instance->jacobian_program = (brink_program){0};
    instance->jacobian_starts = NULL;
    instance->system->arena.failed = false;
    return BRINK_OK;
  }
  return bind_program(instance, &instance->jacobian_program, ROLE_DERIVATIVE, &instance->jacobian,
                      diag);
}

/* A state without a derivative would move by what happens to be in memory. */
static brink_status check_complete(brink_instance *instance, brink_diag *diag) {
  const brink_system *system = instance->system;
  bool *written = brink_allocate(&instance->arena.allocator, system->nx, sizeof *written);
  if (written == NULL) return no_memory(diag);
  for (size_t k = 0; k < system->rhs.nkernels; k++) {
    const brink_kernel *kernel = system->rhs.kernels[k];
    for (size_t j = 0; j < kernel->noutputs; j++) {
      const brink_ref *target = &kernel->outputs[j].target;
      for (size_t i = 0; target->space == BRINK_SPACE_DX && i < kernel->count; i++)
        written[brink_ref_slot(target, i)] = true;
    }
  }
  brink_status status = BRINK_OK;
  for (size_t i = 0; i < system->nx - system->nz && status == BRINK_OK; i++) {
    if (!written[i])
      status = brink_diag_refuse(diag, BRINK_REASON_DEFINITION, "state %zu has no derivative", i);
  }
  brink_release(&instance->arena.allocator, written, system->nx, sizeof *written);
  return status;
}

/* ---- flags, clocks, rules ---- */

static brink_status check_formula(const brink_system *system, const brink_flag *flag,
                                  brink_diag *diag) {
  for (size_t k = 0; k < flag->formula_length; k++) {
    int32_t leaf = flag->formula[k];
    if (leaf == BRINK_AND || leaf == BRINK_OR || leaf == BRINK_NOT) continue;
    if (leaf < 0 || (size_t)leaf >= system->nflags || system->flags[leaf].count < flag->count)
      return brink_diag_refuse(diag, BRINK_REASON_DEFINITION, "flag '%s': no leaf %d", flag->name,
                               (int)leaf);
  }
  return BRINK_OK;
}

static bool knows_leave(const brink_system *system, uint32_t leave, size_t count) {
  return leave == BRINK_NO_INDEX || (leave < system->nflags && system->flags[leave].count >= count);
}

static brink_status check_times(const brink_system *system, const brink_flag *flag,
                                brink_diag *diag) {
  for (size_t i = 0; i < flag->count; i++) {
    if (flag->time == NULL || flag->time[i] >= system->np)
      return brink_diag_refuse(diag, BRINK_REASON_DEFINITION, "timer '%s' has no time", flag->name);
  }
  return BRINK_OK;
}

static brink_status check_flag(const brink_system *system, const brink_flag *flag,
                               brink_diag *diag) {
  brink_status status = check_kernel(system, flag->value, ROLE_VALUE, diag);
  if (status == BRINK_OK) status = check_kernel(system, flag->enabled, ROLE_VALUE, diag);
  if (status == BRINK_OK) status = check_action(system, flag->negative, diag);
  if (status == BRINK_OK) status = check_action(system, flag->positive, diag);
  if (status == BRINK_OK) status = check_action(system, flag->on_surface, diag);
  if (status == BRINK_OK && flag->kind == BRINK_FLAG_TIMER) return check_times(system, flag, diag);
  if (status == BRINK_OK && flag->value == NULL) status = check_formula(system, flag, diag);
  if (status == BRINK_OK && flag->value == NULL && flag->formula == NULL)
    return brink_diag_refuse(diag, BRINK_REASON_DEFINITION, "flag '%s' has no value", flag->name);
  if (status == BRINK_OK && flag->kind == BRINK_FLAG_RANGE && flag->variable >= system->nvariables)
    return brink_diag_refuse(diag, BRINK_REASON_DEFINITION, "flag '%s' is of no variable",
                             flag->name);
  if (status == BRINK_OK && !(knows_leave(system, flag->leave_positive, flag->count) &&
                              knows_leave(system, flag->leave_negative, flag->count)))
    return brink_diag_refuse(diag, BRINK_REASON_DEFINITION, "flag '%s' is left by no flag",
                             flag->name);
  return status;
}

/* Every guard belongs to one instance of one flag. */
static brink_status bind_places(brink_instance *instance, brink_diag *diag) {
  const brink_system *system = instance->system;
  instance->places =
      brink_arena_pack(&instance->shared->arena, system->nguards, sizeof *instance->places);
  if (instance->places == NULL) return no_memory(diag);
  for (size_t g = 0; g < system->nguards; g++) instance->places[g].flag = BRINK_NO_INDEX;
  size_t count = 0;
  for (size_t f = 0; f < system->nflags; f++) {
    const brink_flag *flag = &system->flags[f];
    for (size_t i = 0; i < flag->count; i++, count++) {
      uint32_t g = flag->guard[i];
      if (g >= system->nguards || instance->places[g].flag != BRINK_NO_INDEX)
        return brink_diag_refuse(diag, BRINK_REASON_DEFINITION,
                                 "flag '%s': guard %u is not its own", flag->name, (unsigned)g);
      instance->places[g] = (brink_guard_place){.flag = (uint32_t)f, .index = (uint32_t)i};
    }
  }
  if (count != system->nguards)
    return brink_diag_refuse(diag, BRINK_REASON_DEFINITION,
                             "%zu guards, but %zu instances of flags", system->nguards, count);
  return BRINK_OK;
}

static brink_status bind_flag(brink_instance *instance, uint32_t f, brink_diag *diag) {
  const brink_flag *flag = &instance->system->flags[f];
  brink_bound_flag *bound = &instance->flags[f];
  brink_status status = check_flag(instance->system, flag, diag);
  if (status != BRINK_OK) return status;
  bool made = brink_instance_task(instance, flag->value, &bound->value) &&
              brink_instance_task(instance, flag->enabled, &bound->enabled) &&
              brink_instance_bind_action(instance, flag->negative, &bound->negative) &&
              brink_instance_bind_action(instance, flag->positive, &bound->positive) &&
              brink_instance_bind_action(instance, flag->on_surface, &bound->on_surface);
  if (!made) return no_memory(diag);
  bound->degree = -1;
  if (flag->value == NULL || flag->value->reads_v) return BRINK_OK;
  return brink_instance_bind_gradient(instance, f, diag);
}

static brink_status bind_flags(brink_instance *instance, brink_diag *diag) {
  size_t count = instance->system->nflags;
  instance->flags = brink_arena_take(&instance->shared->arena, count, sizeof *instance->flags);
  if (instance->flags == NULL) return no_memory(diag);
  memset(instance->flags, 0, count * sizeof *instance->flags);
  brink_status status = bind_places(instance, diag);
  for (size_t f = 0; f < count && status == BRINK_OK; f++)
    status = bind_flag(instance, (uint32_t)f, diag);
  return status;
}

static brink_status bind_clocks(brink_instance *instance, brink_diag *diag) {
  const brink_system *system = instance->system;
  brink_arena *arena = &instance->shared->arena;
  instance->samples = brink_arena_take(arena, system->nclocks, sizeof *instance->samples);
  instance->first_outputs =
      brink_arena_take(arena, system->nfirst_outputs, sizeof *instance->first_outputs);
  if (arena->failed) return no_memory(diag);
  for (size_t k = 0; k < system->nclocks; k++) {
    const brink_sampled *clock = &system->clocks[k];
    brink_status status = check_action(system, clock->action, diag);
    if (status != BRINK_OK) return status;
    if (clock->action != NULL && clock->first + clock->count > clock->action->count)
      return brink_diag_refuse(diag, BRINK_REASON_DEFINITION, "clock '%s' has no such samples",
                               clock->name);
    if (!brink_instance_bind_action(instance, clock->action, &instance->samples[k]))
      return no_memory(diag);
  }
  for (size_t k = 0; k < system->nfirst_outputs; k++) {
    brink_status status = check_action(system, system->first_outputs[k], diag);
    if (status != BRINK_OK) return status;
    if (!brink_instance_bind_action(instance, system->first_outputs[k],
                                    &instance->first_outputs[k]))
      return no_memory(diag);
  }
  return BRINK_OK;
}

static brink_status bind_rules(brink_instance *instance, brink_diag *diag) {
  const brink_system *system = instance->system;
  for (size_t r = 0; r < system->nrules; r++) {
    const brink_rule *rule = &system->rules[r];
    bool located = rule->flag != BRINK_NO_INDEX;
    bool known = located
                     ? rule->flag < system->nflags && system->flags[rule->flag].count >= rule->count
                     : rule->condition != NULL && rule->clock < system->nclocks &&
                           rule->condition->count >= rule->count;
    if (!known || rule->was + rule->count > system->nmodes)
      return brink_diag_refuse(diag, BRINK_REASON_DEFINITION, "rule '%s' has no condition",
                               rule->name);
    brink_status status = check_kernel(system, rule->condition, ROLE_VALUE, diag);
    if (status == BRINK_OK) status = check_action(system, rule->body, diag);
    if (status != BRINK_OK) return status;
  }
  return brink_instance_bind_rules(instance) ? BRINK_OK : no_memory(diag);
}

/* ---- series ---- */

/* The series of guards that are not linear. */
static bool bind_guard_series(brink_instance *instance) {
  static const brink_series_degrees unknown = {0};
  for (size_t f = 0; f < instance->system->nflags; f++) {
    brink_bound_flag *bound = &instance->flags[f];
    if (bound->value.code == NULL || bound->degree == 0 || bound->degree == 1) continue;
    const brink_kernel *kernel = bound->value.kernel;
    if (kernel->reads_v || brink_graph_calls_external(&kernel->graph)) continue;
    bound->series = brink_series_make(kernel, &unknown, &instance->shared->arena);
    if (bound->series == NULL) return false;
    size_t size = brink_series_scratch(bound->series, BRINK_JET_MAX_ORDER);
    if (size > instance->room.jet) instance->room.jet = size;
  }
  return true;
}

/* At most those that sim.c counts once there is a model: bounds are not known yet. */
static size_t count_dear_guards(const brink_instance *instance) {
  size_t count = 0;
  for (size_t f = 0; f < instance->system->nflags; f++) {
    const brink_bound_flag *bound = &instance->flags[f];
    if (bound->value.code != NULL && bound->degree < 0) count += instance->system->flags[f].count;
  }
  return count;
}

/* Those of the solution, where they are asked for, unless they take too much memory. */
static bool bind_flow(brink_instance *instance) {
  const brink_system *system = instance->system;
  bool constrained = system->nz > 0; /* signs of flags that constraints let go of ask for series */
  if (!instance->options.wants_flow_jet && !constrained) return true;
  if (brink_program_calls_external(&system->rhs)) return true;
  brink_arena *arena = &instance->shared->arena;
  brink_flow *flow = brink_flow_make(&system->rhs, system->nx, system->nz, system->nv, arena);
  if (flow == NULL) return false;
  instance->flow_work = flow->work;
  bool worth = brink_series_worth(flow->work, count_dear_guards(instance));
  bool wanted = instance->options.wants_flow_jet && (worth || !instance->options.only_if_worth);
  if (!wanted && !constrained) return true;
  int order = instance->options.flow_order;
  if (order == 0)
    order = brink_series_order(instance->options.rtol, brink_flow_degree(flow), flow->work);
  if (!wanted || (constrained && order < BRINK_CONSTRAINT_ORDER)) order = BRINK_CONSTRAINT_ORDER;
  size_t size = brink_flow_scratch(flow, order);
  if (size > MOST_SERIES) {
    instance->series_left_out = size;
    return true;
  }
  instance->flow = flow;
  instance->flow_order = order;
  instance->room.flow = size;
  instance->flow_degrees = brink_arena_take(arena, system->nx, sizeof(int));
  if (instance->flow_degrees == NULL) return false;
  for (size_t i = 0; i < system->nx && !flow->kinked; i++) {
    int degree = flow->degrees.x[i];
    if (degree < BRINK_SERIES_FULL) instance->flow_degrees[i] = degree > 0 ? degree : 1;
  }
  return true;
}

/* Samples and rules may note several times between two events. */
static void enlarge_notebook(brink_notebook *book) {
  if (book->capacity == 0) return;
  book->capacity += 64;
  book->values_capacity += 256;
}

brink_status brink_instance_bind(brink_instance *instance, brink_diag *diag) {
  const brink_system *system = instance->system;
  brink_status status = bind_program(instance, &system->rhs, ROLE_EQUATION, &instance->rhs, diag);
  if (status == BRINK_OK)
    status = bind_program(instance, &system->all, ROLE_EQUATION, &instance->all, diag);
  if (status == BRINK_OK) status = check_complete(instance, diag);
  if (status == BRINK_OK &&
      (instance->options.wants_jacobian || instance->options.may_want_jacobian))
    status = bind_jacobian(instance, diag);
  if (status == BRINK_OK) status = bind_flags(instance, diag);
  if (status == BRINK_OK) status = bind_clocks(instance, diag);
  if (status == BRINK_OK) status = bind_rules(instance, diag);
  if (status == BRINK_OK &&
      !(bind_guard_series(instance) && bind_flow(instance) &&
        brink_instance_bind_constraints(instance) && brink_instance_bind_delays(instance)))
    return no_memory(diag);
  enlarge_notebook(&instance->notes);
  return status;
}
