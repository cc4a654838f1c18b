/* repeat.c: the same run once more, from its start. See <brink/record.h>.
 *
 * A run starts from what was built of the model (shared, and counted), from its options, and from what was written before
 * its first step, which it keeps in a list. Its instances are cloned as they were when they were made: nothing is
 * translated, compiled or loaded. */
#include "run/conditions.h"
#include "run/population_run.h"

static brink_status out_of_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

static brink_status start_one(const brink_run *run, brink_run *made, brink_diag *diag) {
  brink_status status = brink_instance_clone(run->instance, NULL, diag, &made->instance);
  return status == BRINK_OK ? brink_run_create_sim(made, diag) : status;
}

brink_status brink_run_start_like(const brink_run *run, brink_run *made, brink_diag *diag) {
  brink_status status = run->population_run != NULL ? brink_population_run_again(run, made, diag)
                                                    : start_one(run, made, diag);
  for (size_t k = 0; k < run->nwritten && status == BRINK_OK; k++)
    status = brink_run_write_again(made, &run->written[k], diag);
  return status;
}

static brink_status check_conditions(const brink_run *run, brink_diag *diag) {
  const char *why = run->population_run != NULL ? "for agents with clocks of their own"
                                                : brink_run_no_conditions(run->system);
  if (why == NULL) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED, "the condition of events is not worked out %s",
                        why);
}

static brink_status check_run(const brink_run *run, brink_diag *diag) {
  if (run->changed)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "the run was changed on its way: it cannot be repeated");
  if (run->joined)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "the run is a clone of one that was under way: repeat that one");
  return BRINK_OK;
}

brink_status brink_run_repeat(const brink_run *run, bool conditions, brink_diag *diag,
                              brink_run **again) {
  brink_diag_clear(diag);
  if (again != NULL) *again = NULL;
  if (run == NULL || again == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run and again must not be NULL");
  brink_status status = check_run(run, diag);
  if (status == BRINK_OK && conditions) status = check_conditions(run, diag);
  if (status != BRINK_OK) return status;
  brink_run *made = brink_run_another(run);
  if (made == NULL) return out_of_memory(diag);
  made->options.conditions = conditions;
  if (run->choice.keep != NULL) {
    made->choice.keep = brink_arena_text(&made->arena, run->choice.keep);
    if (made->choice.keep == NULL) status = out_of_memory(diag);
  }
  if (status == BRINK_OK) status = brink_run_start_like(run, made, diag);
  if (status == BRINK_OK)
    *again = made;
  else
    brink_run_destroy(made);
  return status;
}
