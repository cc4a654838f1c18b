/* instance_tangent.c: directional derivatives of everything that an instance computes (see instance.h).
 *
 * Directions come in any number; BRINK_LANES of them at a time go through the kernels. Room for that is
 * taken when derivatives are first needed: for the directions at the start, before the run. */
#include <limits.h>
#include <string.h>

#include "native/dual.h"
#include "native/instance.h"

struct brink_tangent_room {
  brink_dual dual;
  double *v, *dx; /* values of the equations */
  double *x, *p;  /* rows of lanes: what an action will make of the directions */
};

/* ---- room ---- */

typedef struct sizes {
  size_t nodes, outputs;
} sizes;

static void add_kernel(sizes *most, const brink_kernel *kernel) {
  if (kernel == NULL) return;
  if (kernel->graph.nnodes > most->nodes) most->nodes = kernel->graph.nnodes;
  if (kernel->noutputs > most->outputs) most->outputs = kernel->noutputs;
}

static void add_program(sizes *most, const brink_bound_program *program) {
  for (size_t k = 0; k < program->count; k++) add_kernel(most, program->tasks[k].kernel);
}

static void add_action(sizes *most, const brink_bound_action *bound) {
  for (size_t k = 0; k < bound->ntasks; k++) add_kernel(most, bound->tasks[k].kernel);
}

static sizes find_sizes(const brink_instance *instance) {
  const brink_system *system = instance->system;
  sizes most = {1, 1};
  add_program(&most, &instance->rhs);
  add_program(&most, &instance->all);
  for (size_t f = 0; f < system->nflags; f++) {
    const brink_bound_flag *flag = &instance->flags[f];
    add_kernel(&most, flag->value.kernel);
    add_kernel(&most, flag->gradient.kernel);
    add_action(&most, &flag->negative);
    add_action(&most, &flag->positive);
    add_action(&most, &flag->on_surface);
  }
  for (size_t k = 0; k < system->nclocks; k++) add_action(&most, &instance->samples[k]);
  for (size_t k = 0; k < system->nrules; k++) add_action(&most, &instance->rules[k].body);
  for (size_t k = 0; k < system->nfirst_outputs; k++)
    add_action(&most, &instance->first_outputs[k]);
  return most;
}

/* NULL: out of memory. */
static brink_tangent_room *room_of(brink_instance *instance) {
  if (instance->tangents != NULL) return instance->tangents;
  const brink_system *system = instance->system;
  brink_arena *arena = &instance->arena;
  sizes most = find_sizes(instance);
  arena->failed = false; /* an earlier call may have found no room */
  brink_tangent_room *room = brink_arena_take(arena, 1, sizeof *room);
  if (room == NULL) return NULL;
  brink_dual *dual = &room->dual;
  room->v = brink_arena_take(arena, system->nv, sizeof(double));
  room->dx = brink_arena_take(arena, system->nx, sizeof(double));
  room->x = brink_arena_take(arena, system->nx, BRINK_LANES * sizeof(double));
  room->p = brink_arena_take(arena, system->np, BRINK_LANES * sizeof(double));
  dual->v = brink_arena_take(arena, system->nv, BRINK_LANES * sizeof(double));
  dual->dx = brink_arena_take(arena, system->nx, BRINK_LANES * sizeof(double));
  dual->local = brink_arena_take(arena, system->nlocals, BRINK_LANES * sizeof(double));
  dual->value = brink_arena_take(arena, most.nodes, sizeof(double));
  dual->lanes = brink_arena_take(arena, most.nodes, BRINK_LANES * sizeof(double));
  dual->needed = brink_arena_take(arena, most.nodes, sizeof(bool));
  dual->live = brink_arena_take(arena, most.nodes, sizeof(bool));
  dual->out = brink_arena_take(arena, most.outputs, BRINK_LANES * sizeof(double));
  dual->written = brink_arena_take(arena, most.outputs, sizeof(bool));
  if (arena->failed) return NULL;
  return instance->tangents = room;
}

/* ---- lanes ---- */

static void point_at(brink_dual *dual, const brink_tangents *along) {
  dual->t = along->t;
  dual->x = dual->pre_x = along->x;
  dual->p = dual->pre_p = along->p;
  dual->stride = along->count;
}

/* The next lanes, from `first` on. */
static void choose_lanes(brink_dual *dual, size_t first) {
  dual->first = first;
  dual->used = dual->stride - first < BRINK_LANES ? dual->stride - first : BRINK_LANES;
}

static void run_equations(brink_tangent_room *room, const brink_bound_program *program,
                          brink_frame *frame) {
  frame->v = room->v;
  frame->dx = room->dx;
  for (size_t k = 0; k < program->count; k++)
    brink_dual_equation(&room->dual, program->tasks[k].kernel, frame);
}

/* One iteration of a kernel that is no equation; what it reads of variables is computed first. */
static void run_kernel(brink_instance *instance, const brink_kernel *kernel, brink_frame *frame,
                       size_t iteration) {
  brink_tangent_room *room = instance->tangents;
  if (kernel->reads_v) run_equations(room, &instance->all, frame);
  brink_dual_open(&room->dual, kernel);
  brink_dual_run(&room->dual, kernel, frame, iteration);
}

/* ---- callbacks ---- */

int brink_instance_rhs_tangent(double t, const double *x, const brink_env *env,
                               const brink_tangents *along, double *df) {
  brink_instance *instance = env->user;
  brink_tangent_room *room = room_of(instance);
  size_t count = along->count;
  if (room == NULL) return -1;
  brink_frame frame = brink_instance_frame(instance, t, x, env->p, env->mode, env->sgn);
  point_at(&room->dual, along);
  for (size_t first = 0; first < count; first += BRINK_LANES) {
    choose_lanes(&room->dual, first);
    run_equations(room, &instance->rhs, &frame);
    for (size_t i = 0; i < instance->system->nx; i++) {
      bool rests = instance->rest.any && instance->rest.state[i];
      for (size_t l = 0; l < room->dual.used; l++)
        df[i * count + first + l] = rests ? 0.0 : room->dual.dx[i * BRINK_LANES + l];
    }
  }
  return 0;
}

bool brink_instance_value_tangents(brink_instance *instance, double t, const double *x,
                                   const brink_env *env, const brink_tangents *along,
                                   const size_t *slots, size_t nslots, double *dv) {
  brink_tangent_room *room = room_of(instance);
  size_t count = along->count;
  if (room == NULL) return false;
  const signed char *sgn = env->sgn;
  if (sgn == NULL) {
    brink_instance_evaluate(instance, t, x, env->p, env->mode, NULL);
    sgn = instance->seen.sgn;
  }
  brink_frame frame = brink_instance_frame(instance, t, x, env->p, env->mode, sgn);
  point_at(&room->dual, along);
  for (size_t first = 0; first < count; first += BRINK_LANES) {
    choose_lanes(&room->dual, first);
    run_equations(room, &instance->all, &frame);
    for (size_t k = 0; k < nslots; k++)
      memcpy(&dv[k * count + first], &room->dual.v[slots[k] * BRINK_LANES],
             room->dual.used * sizeof *dv);
  }
  return true;
}

int brink_instance_guard_tangent(size_t guard, double t, const double *x, const brink_env *env,
                                 const brink_tangents *along, double *dg) {
  brink_instance *instance = env->user;
  brink_guard_place place = instance->places[guard];
  const brink_kernel *kernel = instance->flags[place.flag].value.kernel;
  brink_tangent_room *room = room_of(instance);
  if (room == NULL) return -1;
  brink_frame frame = brink_instance_frame(instance, t, x, env->p, env->mode, env->sgn);
  point_at(&room->dual, along);
  for (size_t first = 0; first < along->count; first += BRINK_LANES) {
    choose_lanes(&room->dual, first);
    run_kernel(instance, kernel, &frame, place.index);
    memcpy(&dg[first], room->dual.out, room->dual.used * sizeof *dg);
  }
  return 0;
}

/* The gradient is a kernel, too: its derivatives are second ones. */
int brink_instance_rate_tangent(size_t guard, double t, const double *x, const brink_env *env,
                                const double *f, const brink_tangents *along, double *dr) {
  brink_instance *instance = env->user;
  brink_guard_place place = instance->places[guard];
  const brink_bound_flag *bound = &instance->flags[place.flag];
  const brink_kernel *kernel = bound->gradient.kernel;
  brink_tangent_room *room = room_of(instance);
  if (room == NULL) return -1;
  brink_frame frame = brink_instance_frame(instance, t, x, env->p, env->mode, env->sgn);
  point_at(&room->dual, along);
  for (size_t first = 0; first < along->count; first += BRINK_LANES) {
    choose_lanes(&room->dual, first);
    run_kernel(instance, kernel, &frame, place.index);
    const double *out = room->dual.out;
    for (size_t l = 0; l < room->dual.used; l++) {
      double sum = out[bound->nrefs * BRINK_LANES + l];
      for (size_t k = 0; k < bound->nrefs; k++) {
        size_t slot = brink_ref_slot(&kernel->graph.refs[bound->refs[k]], place.index);
        sum += f[slot] * out[k * BRINK_LANES + l];
      }
      dr[first + l] = sum;
    }
  }
  return 0;
}

/* ---- what actions do to directions ---- */

/* The directions of one slot that an action writes, or of its place in the buffer; NULL: it has none. */
static double *row_of(const brink_dual *dual, const brink_ref *target, size_t iteration,
                      const brink_carried *carried) {
  if (target->space != BRINK_SPACE_X && target->space != BRINK_SPACE_P) return NULL;
  double *rows = target->space == BRINK_SPACE_X ? carried->x : carried->p;
  return &rows[brink_ref_slot(target, iteration) * carried->count + dual->first];
}

static double *buffer_of(const brink_tangent_room *room, const brink_ref *target,
                         size_t iteration) {
  double *rows = target->space == BRINK_SPACE_X   ? room->x
                 : target->space == BRINK_SPACE_P ? room->p
                                                  : room->dual.local;
  return &rows[brink_ref_slot(target, iteration) * BRINK_LANES];
}

/* Between the directions and the buffer: what the action may write. */
static void transfer_lanes(const brink_tangent_room *room, const brink_bound_action *bound,
                           size_t iteration, const brink_carried *carried, bool to_buffer) {
  size_t size = room->dual.used * sizeof(double);
  for (size_t k = 0; k < bound->ntasks; k++) {
    const brink_kernel *kernel = bound->tasks[k].kernel;
    size_t repeat = brink_action_repeat(bound->action, kernel);
    for (size_t at = iteration * repeat; at < (iteration + 1) * repeat; at++) {
      for (size_t j = 0; j < kernel->noutputs; j++) {
        const brink_ref *target = &kernel->outputs[j].target;
        double *row = row_of(&room->dual, target, at, carried);
        if (row == NULL) continue;
        double *there = buffer_of(room, target, at);
        memcpy(to_buffer ? there : row, to_buffer ? row : there, size);
      }
    }
  }
}

static void write_lanes(const brink_tangent_room *room, const brink_kernel *kernel,
                        const brink_frame *frame, size_t iteration) {
  const brink_dual *dual = &room->dual;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    const brink_ref *target = &kernel->outputs[j].target;
    if (!dual->written[j] || target->space == BRINK_SPACE_MODE) continue;
    double *row = buffer_of(room, target, iteration);
    if (target->space == BRINK_SPACE_LOCAL)
      frame->local[brink_ref_slot(target, iteration)] = dual->value[kernel->outputs[j].node];
    for (size_t l = 0; l < dual->used; l++)
      row[l] = (kernel->accumulate ? row[l] : 0.0) + dual->out[j * BRINK_LANES + l];
  }
}

static bool any_reads_v(const brink_bound_action *bound) {
  for (size_t k = 0; k < bound->ntasks; k++) {
    if (bound->tasks[k].kernel->reads_v) return true;
  }
  return false;
}

/* All kernels read the directions from before the action, as they read its values. */
void brink_instance_carry(brink_instance *instance, const brink_bound_action *bound,
                          size_t iteration, const brink_now *now) {
  brink_carried *carried = now->carried;
  brink_tangent_room *room = room_of(instance);
  if (room == NULL || !brink_action_does_something(bound->action)) return;
  brink_frame frame = brink_instance_now_frame(instance, now);
  brink_tangents along = {carried->count, carried->t, carried->x, carried->p};
  point_at(&room->dual, &along);
  room->dual.pre_x = carried->pre_x;
  room->dual.pre_p = carried->pre_p;
  for (size_t first = 0; first < carried->count; first += BRINK_LANES) {
    choose_lanes(&room->dual, first);
    if (any_reads_v(bound)) run_equations(room, &instance->all, &frame);
    transfer_lanes(room, bound, iteration, carried, true);
    for (size_t k = 0; k < bound->ntasks; k++) {
      const brink_kernel *kernel = bound->tasks[k].kernel;
      size_t repeat = brink_action_repeat(bound->action, kernel);
      brink_dual_open(&room->dual, kernel);
      for (size_t at = iteration * repeat; at < (iteration + 1) * repeat; at++) {
        brink_dual_run(&room->dual, kernel, &frame, at);
        write_lanes(room, kernel, &frame, at);
      }
    }
    transfer_lanes(room, bound, iteration, carried, false);
  }
}

/* Outputs that hold before the first sample may read each other: as many rounds as for their values. */
enum { FIRST_ROUNDS = 10 };

int brink_instance_start_tangent(brink_now *now, void *user) {
  brink_instance *instance = user;
  const brink_system *system = instance->system;
  if (room_of(instance) == NULL) return -1;
  if (system->nfirst_outputs == 0) return 0;
  brink_instance_evaluate(instance, now->t, now->x, now->p, now->mode, NULL);
  now->sgn = instance->seen.sgn;
  for (int round = 0; round < FIRST_ROUNDS; round++) {
    for (size_t k = 0; k < system->nfirst_outputs; k++) {
      const brink_bound_action *bound = &instance->first_outputs[k];
      for (size_t i = 0; i < bound->action->count; i++)
        brink_instance_carry(instance, bound, i, now);
    }
  }
  return 0;
}
