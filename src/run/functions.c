/* functions.c: inputs of the top component that are functions of the caller: the list of a model, and what became of
 * them in a run. */
#include "run/functions.h"

#include <math.h>
#include <string.h>

#include "model/reason.h"

/* ---- the list ---- */

static brink_status check(const char *name, const brink_hsml_function *function, brink_diag *diag) {
  if (function == NULL || function->value == NULL) return BRINK_OK;
  if (function->ncorners > 0 && function->corners == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "%s: corners must not be NULL", name);
  for (size_t k = 0; k < function->ncorners; k++) {
    double t = function->corners[k];
    if (!isfinite(t) || (k > 0 && !(t > function->corners[k - 1])))
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "%s: corners[%zu] = %g: corners are finite and increase", name, k, t);
  }
  return BRINK_OK;
}

static void add(brink_functions *list, const char *name, const brink_time_function *function) {
  brink_arena *arena = &list->arena;
  brink_input_function *item = &list->items[list->count++];
  item->name = brink_arena_text(arena, name);
  item->function = *function;
  item->function.corners =
      brink_arena_copy(arena, function->corners, function->ncorners, sizeof(double));
}

brink_status brink_functions_change(const brink_functions *old, const char *name,
                                    const brink_hsml_function *given,
                                    const brink_allocator *allocator, brink_diag *diag,
                                    brink_functions **changed) {
  brink_arena arena;
  *changed = NULL;
  brink_status status = check(name, given, diag);
  if (status != BRINK_OK) return status;
  brink_arena_init(&arena, allocator);
  brink_functions *list = brink_arena_take(&arena, 1, sizeof *list);
  if (list == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  list->arena = arena;
  atomic_init(&list->users, 1);
  size_t count = old != NULL ? old->count : 0;
  list->items = brink_arena_take(&list->arena, count + 1, sizeof *list->items);
  for (size_t k = 0; k < count && !list->arena.failed; k++)
    if (strcmp(old->items[k].name, name) != 0)
      add(list, old->items[k].name, &old->items[k].function);
  if (given != NULL && given->value != NULL && !list->arena.failed)
    add(list, name,
        &(brink_time_function){given->value, given->user, given->corners, given->ncorners});
  if (!list->arena.failed && list->count > 0) {
    *changed = list;
    return BRINK_OK;
  }
  status = list->arena.failed ? brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory") : BRINK_OK;
  brink_functions_destroy(list);
  return status;
}

brink_functions *brink_functions_share(brink_functions *functions) {
  if (functions != NULL) atomic_fetch_add(&functions->users, 1);
  return functions;
}

void brink_functions_destroy(brink_functions *functions) {
  if (functions == NULL || atomic_fetch_sub(&functions->users, 1) > 1) return;
  brink_arena arena = functions->arena;
  brink_arena_free(&arena);
}

/* ---- in a run ---- */

static brink_status blame(const brink_instance *instance, brink_reason reason,
                          brink_arguments arguments, brink_diag *diag) {
  /* the time of the model, which brink_fail turns for a run backwards */
  arguments.t = brink_system_time(brink_instance_system(instance), arguments.t);
  return brink_fail(diag, brink_instance_model(instance), reason, &arguments);
}

brink_status brink_functions_check_start(const brink_system *system, brink_diag *diag) {
  for (size_t k = 0; k < system->nfollowed; k++) {
    const brink_followed *followed = &system->followed[k];
    if (!followed->no_start) continue;
    bool failed = followed->code != 0;
    return brink_fail(diag, NULL, failed ? BRINK_REASON_INPUT_FAILED : BRINK_REASON_INPUT_UNDEFINED,
                      &(brink_arguments){.t = brink_system_time(system, system->t0),
                                         .text = system->externals[followed->external].name,
                                         .count = followed->code,
                                         .value = followed->value});
  }
  return BRINK_OK;
}

brink_status brink_functions_judge(const brink_instance *instance, double now, brink_status status,
                                   brink_diag *diag) {
  bool undefined = status == BRINK_ERR_DOMAIN || status == BRINK_ERR_STEP; /* just ahead */
  bool backward = brink_instance_system(instance)->backward;
  const brink_time_calls *calls;
  const char *name;
  for (size_t k = 0; (name = brink_instance_function(instance, k, &calls)) != NULL; k++) {
    if (calls->failed)
      return blame(instance, BRINK_REASON_INPUT_FAILED,
                   (brink_arguments){.t = calls->failed_t, .text = name, .count = calls->code},
                   diag);
  }
  for (size_t k = 0; (name = brink_instance_function(instance, k, &calls)) != NULL; k++) {
    double t = calls->undefined_t;
    bool passed = backward ? t >= now : t <= now;
    if (calls->undefined && (passed || undefined))
      return blame(instance, BRINK_REASON_INPUT_UNDEFINED,
                   (brink_arguments){.t = t, .text = name, .value = calls->undefined_u}, diag);
  }
  return status;
}
