/* instance_clone.c: instances that share code (see instance.h).
 *
 * What binding a system gives (checked kernels, code, derivatives, series, machine code, the definition of the
 * model) does not change afterwards. It lives in a brink_shared, with a count of its users. What callbacks write
 * to belongs to one instance: its memory is taken here, for the first instance and for clones in the same way. A
 * clone costs a few allocations: nothing is emitted, hashed, compiled or loaded. */
#include <math.h>
#include <string.h>

#include "native/instance.h"

/* ---- the shared part ---- */

bool brink_instance_share(brink_instance *instance, const brink_allocator *allocator) {
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_shared *shared = brink_arena_take(&arena, 1, sizeof *shared);
  if (shared == NULL) return false;
  shared->arena = arena;
  atomic_init(&shared->users, 1);
  atomic_init(&shared->ready, BRINK_NOT_YET);
  atomic_flag_clear(&shared->asking);
  instance->shared = shared;
  return true;
}

brink_shared *brink_instance_share_more(const brink_instance *instance) {
  atomic_fetch_add(&instance->shared->users, 1);
  return instance->shared;
}

/* The last user frees it. */
void brink_shared_release(brink_shared *shared) {
  if (shared == NULL || atomic_fetch_sub(&shared->users, 1) > 1) return;
  brink_instance_release_constraints(shared);
  brink_model_destroy(shared->model);
  brink_native_destroy(shared->native);
  brink_arena arena = shared->arena; /* it lives in it */
  brink_arena_free(&arena);
}

/* ---- memory of one instance ---- */

bool brink_instance_take_room(brink_instance *instance) {
  const brink_system *system = instance->system;
  const brink_room *room = &instance->room;
  brink_arena *arena = &instance->arena;
  instance->scratch = brink_arena_take(arena, room->scratch, sizeof(double));
  instance->scratch_size = room->scratch;
  instance->outputs = brink_arena_take(arena, room->outputs + 1, sizeof(double));
  instance->before = brink_arena_take(arena, room->checked, sizeof(double));
  instance->locals = brink_arena_take(arena, system->nlocals, sizeof(double));
  instance->buffer.x = brink_arena_take(arena, room->buffered ? system->nx : 0, sizeof(double));
  instance->buffer.p = brink_arena_take(arena, room->buffered ? system->np : 0, sizeof(double));
  instance->buffer.mode = brink_arena_take(arena, room->buffered ? system->nmodes : 0, sizeof(int));
  instance->jet_scratch = brink_arena_take(arena, room->jet, sizeof(double));
  instance->flow_scratch = brink_arena_take(arena, room->flow, sizeof(double));
  instance->v = brink_arena_take(arena, system->nv, sizeof(double));
  instance->dx = brink_arena_take(arena, system->nx, sizeof(double));
  instance->probe = brink_arena_take(arena, system->nx, sizeof(double));
  instance->leaf_gradient = brink_arena_take(arena, system->nx, sizeof(double));
  instance->seen.x = brink_arena_take(arena, system->nx, sizeof(double));
  instance->seen.p = brink_arena_take(arena, system->np, sizeof(double));
  instance->seen.v = brink_arena_take(arena, system->nv, sizeof(double));
  instance->seen.dx = brink_arena_take(arena, system->nx, sizeof(double));
  instance->seen.mode = brink_arena_take(arena, system->nmodes, sizeof(int));
  instance->seen.sgn = brink_arena_take(arena, system->nguards, sizeof(signed char));
  instance->rest.state = brink_arena_take(arena, system->nx, sizeof(bool));
  instance->rest.before = brink_arena_take(arena, system->nx, sizeof(double));
  instance->rest.after = brink_arena_take(arena, system->nx, sizeof(double));
  instance->rest.x = brink_arena_take(arena, system->nx, sizeof(double));
  instance->doubted = brink_arena_take(arena, system->nguards, sizeof(bool));
  instance->tick_time = brink_arena_take(arena, system->nclocks, sizeof(double));
  instance->fired = brink_arena_take(arena, room->fired, sizeof *instance->fired);
  brink_notebook *book = &instance->notes;
  instance->queued.ops =
      brink_arena_take(arena, instance->queued.capacity, sizeof *instance->queued.ops);
  instance->queued.count = 0;
  book->notes = brink_arena_take(arena, book->capacity, sizeof *book->notes);
  book->values = brink_arena_take(arena, book->values_capacity, sizeof *book->values);
  size_t warnings = instance->options.range_warns ? BRINK_WARNINGS : 0;
  instance->warnings = brink_arena_take(arena, warnings, sizeof *instance->warnings);
  instance->warning_texts = brink_arena_take(arena, warnings, sizeof(char *));
  if (arena->failed || !brink_instance_take_constraint_room(instance) ||
      !brink_instance_take_functions(instance))
    return false;
  brink_instance_forget(instance);
  return true;
}

void brink_instance_forget(brink_instance *instance) {
  const brink_system *system = instance->system;
  instance->native_from = NAN; /* a run that starts now has what there is */
  instance->seen.valid = false;
  instance->rest.any = false;
  if (system->nx > 0) memset(instance->rest.state, 0, system->nx * sizeof *instance->rest.state);
  for (size_t k = 0; k < system->nclocks; k++) instance->tick_time[k] = NAN;
  instance->rules_time = NAN;
  instance->doubts = false;
  if (system->nguards > 0)
    memset(instance->doubted, 0, system->nguards * sizeof *instance->doubted);
  memset(instance->fired, 0, instance->room.fired * sizeof *instance->fired);
  instance->notes.count = instance->notes.nvalues = 0;
  instance->nwarnings = instance->dropped_warnings = 0;
  if (instance->calls != NULL)
    memset(instance->calls, 0, system->nexternals * sizeof *instance->calls);
  instance->ending = BRINK_ENDING_NONE;
  instance->message[0] = '\0';
}

/* ---- the first instance is made ---- */

bool brink_instance_finish(brink_instance *instance) {
  brink_shared *shared = instance->shared;
  instance->some_vary = instance->options.varies_p != NULL || instance->options.varies_mode != NULL;
  instance->options.varies_p = instance->options.varies_mode = NULL; /* belong to the caller */
  instance->options.objects = NULL;
  shared->warnings = brink_arena_copy(&shared->arena, instance->warnings, instance->nwarnings,
                                      sizeof *instance->warnings);
  shared->made = brink_arena_copy(&shared->arena, instance, 1, sizeof *instance);
  instance->model = brink_model_for(shared->model, instance, &instance->arena);
  return !shared->arena.failed && !instance->arena.failed;
}

/* ---- clones ---- */

static brink_status no_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for a copy of an instance");
}

static bool take_own(brink_instance *copy) {
  const brink_system *system = copy->system;
  brink_arena *arena = &copy->arena;
  copy->x0 = brink_arena_take(arena, system->nx, sizeof *copy->x0);
  copy->p0 = brink_arena_take(arena, system->np, sizeof *copy->p0);
  copy->mode0 = brink_arena_take(arena, system->nmodes, sizeof *copy->mode0);
  if (copy->shared->native != NULL)
    copy->tables.scratch =
        brink_arena_take(arena, copy->shared->native->emission.scratch + 1, sizeof(double));
  copy->model = brink_model_for(copy->shared->model, copy, arena);
  return !arena->failed && brink_instance_take_room(copy);
}

brink_status brink_shared_instance(brink_shared *shared, const brink_allocator *allocator,
                                   brink_diag *diag, brink_instance **instance) {
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_instance *made = brink_arena_take(&arena, 1, sizeof *made);
  *instance = NULL;
  if (made == NULL) return no_memory(diag);
  *made = *shared->made;
  made->arena = arena;
  if (shared->native != NULL) brink_instance_begin_waiting(made);
  made->compile_seconds = 0.0;
  made->step_patience = NULL;
  atomic_fetch_add(&shared->users, 1);
  if (!take_own(made)) {
    brink_instance_destroy(made);
    return no_memory(diag);
  }
  brink_instance_reset(made);
  *instance = made;
  return BRINK_OK;
}

brink_status brink_instance_clone(const brink_instance *like, const brink_allocator *allocator,
                                  brink_diag *diag, brink_instance **copy) {
  brink_diag_clear(diag);
  if (copy != NULL) *copy = NULL;
  if (like == NULL || copy == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "like and copy must not be NULL");
  return brink_shared_instance(like->shared, allocator, diag, copy);
}

static void copy_values(void *to, const void *from, size_t count, size_t size) {
  if (count > 0) memcpy(to, from, count * size);
}

void brink_instance_reset(brink_instance *instance) {
  const brink_shared *shared = instance->shared;
  const brink_system *system = instance->system;
  const brink_model_def *def = &shared->model->def;
  copy_values(instance->x0, def->x0, system->nx, sizeof *instance->x0);
  copy_values(instance->p0, def->p0, system->np, sizeof *instance->p0);
  copy_values(instance->mode0, def->mode0, system->nmodes, sizeof *instance->mode0);
  brink_instance_forget(instance);
  /* What was found at the start is true again. */
  instance->ending = shared->made->ending;
  memcpy(instance->message, shared->made->message, sizeof instance->message);
  instance->nwarnings = shared->made->nwarnings;
  instance->dropped_warnings = shared->made->dropped_warnings;
  copy_values(instance->warnings, shared->warnings, instance->nwarnings, sizeof(brink_warning));
  for (size_t k = 0; k < instance->nwarnings; k++)
    instance->warning_texts[k] = instance->warnings[k].text;
}

void brink_instance_destroy(brink_instance *instance) {
  if (instance == NULL) return;
  brink_shared_release(instance->shared);
  brink_arena arena = instance->arena; /* the instance itself lives in it */
  brink_arena_free(&arena);
}
