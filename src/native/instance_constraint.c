/* instance_constraint.c: constraints of a system as callbacks of its model (see instance.h and expr/structure.h).
 *
 * Each structure has a kernel for the values of its rows and kernels for their derivatives. Those that are listed before
 * the run are bound, and compiled, with everything else. One that is met later, as there are too many to be listed, is
 * analysed then, under a lock, as clones share it, and interpreted.
 *
 * The series of the solution need those of the unknowns: coefficient k of 0 = g(t, x, z) is linear in z_k, with dg/dz for all
 * k, so that one factorisation serves all orders (Pryce 1998; Nedialkov & Pryce 2005). */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "model/constraint.h"
#include "native/instance.h"
#include "num/blocks.h"

/* Beyond so many nodes compiling takes longer than it saves. */
#define COMPILED_NODES 1500

struct brink_bound_structure {
  brink_structure structure; /* first: what the model is given leads here */
  const brink_structure_plan *plan;
  brink_task values;
  brink_bound_program jacobian;
  const brink_series_program *series; /* of the values; NULL: no series were asked for */
  struct brink_bound_structure *next;
};
typedef struct brink_bound_structure bound_structure;

struct brink_structure_store {
  pthread_mutex_t lock;
  bound_structure *first;
  const uint32_t *p_slots; /* of P that conditions of branches read */
  size_t np_slots;
  size_t nchoices;
  size_t *first_equation; /* of each constraint: the number of its first iteration */
  brink_kernel **compiled;
  size_t ncompiled;
};

/* ---- binding ---- */

static const size_t *widen(brink_arena *arena, const uint32_t *from, size_t count) {
  size_t *to = brink_arena_pack(arena, count, sizeof *to);
  for (size_t k = 0; to != NULL && k < count; k++) to[k] = from[k];
  return to;
}

/* The number of the set of constraints that hold: that of the first structure with the same. */
static size_t choice_of(const brink_structure_store *store, const brink_structure_plan *plan) {
  for (const bound_structure *b = store->first; b != NULL; b = b->next) {
    if (b->plan->nactive == plan->nactive &&
        memcmp(b->plan->active, plan->active, plan->nactive * sizeof *plan->active) == 0)
      return b->structure.choice;
  }
  return store->nchoices;
}

static bool describe(brink_instance *instance, bound_structure *bound) {
  const brink_structure_plan *plan = bound->plan;
  brink_structure_store *store = instance->shared->store;
  brink_arena *arena = &instance->shared->arena;
  size_t rows = plan->ng + plan->nh;
  size_t *equation = brink_arena_pack(arena, rows, sizeof *equation);
  int *order = brink_arena_pack(arena, rows, sizeof *order);
  if (arena->failed) return false;
  for (size_t i = 0; i < rows; i++) {
    const brink_structure_row *row = &plan->rows[i];
    bool is_constraint = row->kind == BRINK_ROW_CONSTRAINT;
    equation[i] =
        is_constraint ? store->first_equation[row->constraint] + row->iteration : BRINK_NONE;
    order[i] = row->order;
  }
  bound->structure = (brink_structure){.index = plan->index,
                                       .nh = plan->nh,
                                       .unknown = widen(arena, plan->slot, plan->ng),
                                       .block = plan->block,
                                       .nblocks = plan->nblocks,
                                       .pattern = {.starts = plan->starts, .rows = plan->entries},
                                       .equation = equation,
                                       .order = order,
                                       .choice = choice_of(store, plan),
                                       .tied = widen(arena, plan->tied, plan->group[plan->ngroups]),
                                       .group = plan->group,
                                       .ngroups = plan->ngroups,
                                       .user = bound};
  if (bound->structure.choice == store->nchoices) store->nchoices++;
  return !arena->failed;
}

static bound_structure *bind_plan(brink_instance *instance, const brink_structure_plan *plan) {
  static const brink_series_degrees unknown = {0};
  brink_arena *arena = &instance->shared->arena;
  bound_structure *bound = brink_arena_take(arena, 1, sizeof *bound);
  if (bound == NULL) return NULL;
  bound->plan = plan;
  bound->jacobian.count = plan->jacobian.nkernels;
  bound->jacobian.tasks = brink_arena_pack(arena, bound->jacobian.count, sizeof(brink_task));
  if (arena->failed || !brink_instance_task(instance, plan->values, &bound->values)) return NULL;
  for (size_t k = 0; k < bound->jacobian.count; k++) {
    if (!brink_instance_task(instance, plan->jacobian.kernels[k], &bound->jacobian.tasks[k]))
      return NULL;
  }
  bound->series = brink_series_make(plan->values, &unknown, arena);
  if (bound->series == NULL || !describe(instance, bound)) return NULL;
  bound->next = instance->shared->store->first;
  instance->shared->store->first = bound;
  return bound;
}

/* Slots of P that the conditions of branches read. */
static bool list_p_slots(brink_instance *instance) {
  const brink_system *system = instance->system;
  brink_structure_store *store = instance->shared->store;
  brink_arena *arena = &instance->shared->arena;
  uint32_t *slots = NULL;
  size_t count = 0, capacity = 0;
  for (size_t c = 0; c < system->nconstraints; c++) {
    const brink_kernel *active = system->constraints[c].active;
    for (size_t r = 0; active != NULL && r < active->graph.nrefs; r++) {
      const brink_ref *ref = &active->graph.refs[r];
      size_t extent = brink_ref_extent(ref);
      for (size_t i = 0; ref->space == BRINK_SPACE_P && i < active->count * extent; i++) {
        uint32_t *slot = brink_arena_push(arena, slots, count, capacity);
        if (slot == NULL) return false;
        *slot = (uint32_t)brink_ref_element(ref, i / extent, i % extent);
      }
    }
  }
  store->p_slots = slots;
  store->np_slots = count;
  return true;
}

static void grow(size_t *most, size_t size) {
  if (size > *most) *most = size;
}

static void measure(brink_instance *instance, const bound_structure *bound) {
  const brink_structure_plan *plan = bound->plan;
  brink_constraint_room *room = &instance->room.constraints;
  grow(&room->invariants, plan->nh);
  grow(&room->entries, plan->starts[instance->system->nx + 1]);
  grow(&room->factors, brink_blocks_room(plan->block, plan->nblocks));
  grow(&room->series, bound->series->count);
}

bool brink_instance_bind_constraints(brink_instance *instance) {
  const brink_system *system = instance->system;
  const brink_structure_set *set = system->structures;
  brink_arena *arena = &instance->shared->arena;
  if (system->nz == 0) return true;
  brink_structure_store *store = brink_arena_take(arena, 1, sizeof *store);
  if (store == NULL || set == NULL) return false;
  instance->shared->store = store;
  pthread_mutex_init(&store->lock, NULL);
  store->first_equation = brink_arena_pack(arena, system->nconstraints, sizeof(size_t));
  if (arena->failed || !list_p_slots(instance)) return false;
  for (size_t c = 0, first = 0; c < system->nconstraints; c++) {
    store->first_equation[c] = first;
    first += system->constraints[c].count;
  }
  for (size_t k = 0; k < set->count; k++) {
    const bound_structure *bound = bind_plan(instance, set->plans[k]);
    if (bound == NULL) return false;
    measure(instance, bound);
  }
  if (!set->complete) { /* what comes may need more than any that is known */
    brink_constraint_room *room = &instance->room.constraints;
    size_t rows = 0;
    for (size_t c = 0; c < system->nconstraints; c++) rows += system->constraints[c].count;
    grow(&room->invariants, rows + system->nz);
    grow(&room->entries, (rows + 2 * system->nz) * (system->nx + 1));
    grow(&room->factors, system->nz * system->nz);
    room->series *= 4;
  }
  return true;
}

void brink_instance_release_constraints(brink_shared *shared) {
  if (shared->store != NULL) pthread_mutex_destroy(&shared->store->lock);
}

bool brink_instance_take_constraint_room(brink_instance *instance) {
  const brink_system *system = instance->system;
  const brink_constraint_room *room = &instance->room.constraints;
  brink_arena *arena = &instance->arena;
  if (system->nz == 0) return true;
  const brink_structure_set *set = system->structures;
  instance->constraints.values = brink_arena_take(arena, room->entries, sizeof(double));
  instance->constraints.column = brink_arena_take(arena, system->nz, sizeof(double));
  instance->constraints.blocks.factors = brink_arena_take(arena, room->factors, sizeof(double));
  instance->constraints.blocks.pivots = brink_arena_take(arena, system->nz, sizeof(size_t));
  instance->constraints.blocks.scale = brink_arena_take(arena, system->nz, sizeof(double));
  int order =
      instance->flow_order > BRINK_CONSTRAINT_ORDER ? instance->flow_order : BRINK_CONSTRAINT_ORDER;
  instance->constraints.registers =
      brink_arena_take(arena, room->series * (size_t)(order + 1), sizeof(double));
  instance->constraints.mode = brink_arena_take(arena, set->nkey_modes, sizeof(int));
  instance->constraints.sgn = brink_arena_take(arena, set->nkey_signs, 1);
  instance->constraints.p =
      brink_arena_take(arena, instance->shared->store->np_slots, sizeof(double));
  instance->constraints.last = NULL;
  return !arena->failed;
}

/* Kernels that are worth compiling. */
size_t brink_instance_constraint_kernels(brink_instance *instance, brink_kernel **kernels,
                                         size_t capacity) {
  size_t count = 0;
  if (instance->shared->store == NULL) return 0;
  for (const bound_structure *b = instance->shared->store->first; b != NULL; b = b->next) {
    if (b->plan->values->graph.nnodes > COMPILED_NODES) continue;
    if (count < capacity) kernels[count] = b->plan->values;
    count++;
    for (size_t k = 0; k < b->jacobian.count; k++) {
      if (b->plan->jacobian.kernels[k]->graph.nnodes > COMPILED_NODES) continue;
      if (count < capacity) kernels[count] = b->plan->jacobian.kernels[k];
      count++;
    }
  }
  return count;
}

void brink_instance_adopt_constraints(const brink_instance *instance, const brink_native *native) {
  brink_structure_store *store = instance->shared->store;
  if (store == NULL) return;
  pthread_mutex_lock(&store->lock); /* clones may be finding structures */
  for (bound_structure *b = store->first; b != NULL; b = b->next) {
    b->values.native = brink_native_kernel(native, b->values.kernel);
    for (size_t k = 0; k < b->jacobian.count; k++)
      b->jacobian.tasks[k].native = brink_native_kernel(native, b->jacobian.tasks[k].kernel);
  }
  pthread_mutex_unlock(&store->lock);
}

/* ---- which structure holds ---- */

static bool is_last(const brink_instance *instance, const brink_env *env) {
  const brink_structure_set *set = instance->system->structures;
  const brink_structure_store *store = instance->shared->store;
  if (instance->constraints.last == NULL) return false;
  for (size_t k = 0; k < set->nkey_modes; k++) {
    if (env->mode[set->key[k]] != instance->constraints.mode[k]) return false;
  }
  for (size_t k = 0; k < set->nkey_signs; k++) {
    if (env->sgn[set->key_signs[k]] != instance->constraints.sgn[k]) return false;
  }
  for (size_t k = 0; k < store->np_slots; k++) {
    if (env->p[store->p_slots[k]] != instance->constraints.p[k]) return false;
  }
  return true;
}

static void remember(brink_instance *instance, const brink_env *env, const bound_structure *found) {
  const brink_structure_set *set = instance->system->structures;
  const brink_structure_store *store = instance->shared->store;
  for (size_t k = 0; k < set->nkey_modes; k++)
    instance->constraints.mode[k] = env->mode[set->key[k]];
  for (size_t k = 0; k < set->nkey_signs; k++)
    instance->constraints.sgn[k] = env->sgn[set->key_signs[k]];
  for (size_t k = 0; k < store->np_slots; k++)
    instance->constraints.p[k] = env->p[store->p_slots[k]];
  instance->constraints.last = found;
}

/* Is there room for a structure that nobody has met before? */
static bool fits(brink_instance *instance, const bound_structure *bound) {
  const brink_constraint_room *room = &instance->room.constraints;
  const brink_structure_plan *plan = bound->plan;
  if (plan->nh > room->invariants || plan->starts[instance->system->nx + 1] > room->entries ||
      brink_blocks_room(plan->block, plan->nblocks) > room->factors ||
      bound->series->count > room->series)
    return false;
  size_t scratch = brink_code_scratch(bound->values.code);
  for (size_t k = 0; k < bound->jacobian.count; k++)
    grow(&scratch, brink_code_scratch(bound->jacobian.tasks[k].code));
  if (scratch <= instance->scratch_size) return true;
  double *larger = brink_arena_take(&instance->arena, scratch, sizeof *larger);
  if (larger == NULL) return false;
  instance->scratch = larger;
  instance->scratch_size = scratch;
  return true;
}

static const bound_structure *bound_to(const brink_structure_store *store,
                                       const brink_structure_plan *plan) {
  for (const bound_structure *b = store->first; b != NULL; b = b->next) {
    if (b->plan == plan) return b;
  }
  return NULL;
}

static const brink_structure *structure(const brink_env *env, char *message) {
  brink_instance *instance = env->user;
  brink_structure_store *store = instance->shared->store;
  if (is_last(instance, env)) return &instance->constraints.last->structure;
  brink_structure_fault fault = {0};
  pthread_mutex_lock(&store->lock);
  const brink_structure_plan *plan =
      brink_structure_find(instance->system, env->p, env->mode, env->sgn, &fault);
  const bound_structure *found = plan != NULL ? bound_to(store, plan) : NULL;
  if (plan != NULL && found == NULL) found = bind_plan(instance, plan);
  pthread_mutex_unlock(&store->lock);
  if (found != NULL && fits(instance, found)) {
    remember(instance, env, found);
    return &found->structure;
  }
  brink_text text = {.allocator = instance->arena.allocator};
  brink_structure_fault_text(instance->system, plan == NULL ? &fault : NULL, &text);
  snprintf(message, BRINK_DIAG_MESSAGE, "%s", text.data != NULL ? text.data : "out of memory");
  brink_text_free(&text);
  return NULL;
}

/* ---- values and derivatives ---- */

static int residual(const brink_structure *of, double t, const double *x, const brink_env *env,
                    double *r) {
  brink_instance *instance = env->user;
  const bound_structure *bound = of->user;
  brink_frame frame = brink_instance_frame(instance, t, x, env->p, env->mode, env->sgn);
  frame.out = r;
  brink_instance_run(instance, &bound->values, &frame, 0, 1);
  return 0;
}

static int derivatives(const brink_structure *of, double t, const double *x, const brink_env *env,
                       double *values) {
  brink_instance *instance = env->user;
  const bound_structure *bound = of->user;
  brink_frame frame = brink_instance_frame(instance, t, x, env->p, env->mode, env->sgn);
  frame.out = values;
  for (size_t k = 0; k < bound->jacobian.count; k++)
    brink_instance_run(instance, &bound->jacobian.tasks[k], &frame, 0,
                       bound->jacobian.tasks[k].kernel->count);
  return 0;
}

/* ---- series ---- */

int brink_instance_constrained_flow(brink_instance *instance, int order, double t, double unit,
                                    const double *x, const brink_env *env, double *const *rows) {
  char message[BRINK_DIAG_MESSAGE];
  const brink_structure *of = structure(env, message);
  if (of == NULL) return 1;
  const bound_structure *bound = of->user;
  brink_blocks *blocks = &instance->constraints.blocks;
  double *values = instance->constraints.values;
  blocks->n = instance->system->nz;
  blocks->unknown = of->unknown;
  blocks->block = of->block;
  blocks->nblocks = of->nblocks;
  blocks->starts = of->pattern.starts;
  blocks->rows = of->pattern.rows;
  derivatives(of, t, x, env, values);
  if (!brink_blocks_factor_all(blocks, values, instance->step_patience)) return 1;
  brink_frame frame = brink_instance_frame(instance, t, x, env->p, env->mode, env->sgn);
  brink_flow_constraints constraints = {.series = bound->series,
                                        .registers = instance->constraints.registers,
                                        .blocks = blocks,
                                        .values = values,
                                        .column = instance->constraints.column};
  bool done = brink_flow_run_within(instance->flow, &frame, order, unit, rows,
                                    instance->flow_scratch, &constraints, instance->step_patience);
  return done ? 0 : -1;
}

/* ---- the definition ---- */

bool brink_instance_define_constraints(brink_instance *instance, brink_arena *arena,
                                       brink_model_def *def) {
  const brink_system *system = instance->system;
  const brink_constraint_room *room = &instance->room.constraints;
  if (system->nz == 0) return true;
  size_t ns = system->nx - system->nz;
  brink_constraints_def *constraints = brink_arena_take(arena, 1, sizeof *constraints);
  double *lo = brink_arena_take(arena, system->nz, sizeof *lo);
  double *hi = brink_arena_take(arena, system->nz, sizeof *hi);
  if (arena->failed) return false;
  for (size_t k = 0; k < system->nz; k++) {
    lo[k] = -(double)INFINITY;
    hi[k] = (double)INFINITY;
  }
  for (size_t k = 0; k < system->nvariables; k++) {
    const brink_variable *variable = &system->variables[k];
    size_t count = system->groups[variable->group].count * variable->length;
    if (!variable->unknown || !variable->has_range || variable->space != BRINK_SPACE_X) continue;
    for (size_t i = 0; i < count; i++) {
      size_t slot = variable->base + i - ns, of = i / variable->length;
      lo[slot] = variable->bounds != NULL ? variable->bounds[2 * of] : variable->lo;
      hi[slot] = variable->bounds != NULL ? variable->bounds[2 * of + 1] : variable->hi;
    }
  }
  *constraints = (brink_constraints_def){.size = sizeof *constraints,
                                         .structure = structure,
                                         .residual = residual,
                                         .derivatives = derivatives,
                                         .most_invariants = room->invariants,
                                         .most_entries = room->entries,
                                         .most_factors = room->factors,
                                         .nderived = system->structures->hidden,
                                         .start = system->start,
                                         .lo = lo,
                                         .hi = hi};
  def->nz = system->nz;
  def->constraints = constraints;
  return true;
}
