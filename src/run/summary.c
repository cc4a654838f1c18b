/* summary.c: the summary of a run, as one JSON object. */
#include <math.h>

#include "run/population_run.h"
#include "run/run.h"
#include "sim/sim.h"

void brink_run_begin_summary(brink_run *run) {
  const brink_run_options *options = &run->options;
  run->summary = (brink_summary){.model = run->system->name,
                                 .status = "failed",
                                 .from = brink_run_turned(run, run->system->t0),
                                 .seed = options->seed,
                                 .method = brink_method_name(options->sim.method),
                                 .events_method = brink_events_name(options->sim.events),
                                 .rtol = options->sim.rtol,
                                 .atol = options->sim.atol,
                                 .engine = "none"};
}

/* What auto has done. Without memory for it the summary does not list it. */
static void fill_changes(brink_run *run) {
  brink_summary *summary = &run->summary;
  size_t count;
  const brink_method_change *changes =
      brink_sim_method_changes(run->sim, &count, &summary->total_changes);
  brink_change_note *notes = NULL;
  if (count > summary->nchanges) notes = brink_arena_take(&run->arena, count, sizeof *notes);
  if (notes == NULL) return;
  for (size_t k = 0; k < count; k++)
    notes[k] = (brink_change_note){.t = brink_run_turned(run, changes[k].t),
                                   .from = brink_method_name(changes[k].from),
                                   .to = brink_method_name(changes[k].to),
                                   .why = changes[k].why};
  summary->changes = notes;
  summary->nchanges = count;
}

void brink_run_fill_summary(brink_run *run) {
  brink_summary *summary = &run->summary;
  summary->wall_seconds = brink_seconds() - run->start;
  summary->kept = brink_run_has_begun(run) ? &run->kept : NULL;
  if (run->population_run != NULL) {
    brink_population_run_summary(run->population_run, summary);
    brink_run_list_warnings(run);
    return;
  }
  summary->stats = *brink_sim_stats(run->sim);
  summary->constraints = run->system->nz > 0;
  summary->not_started =
      run->status < 0 && !brink_sim_has_begun(run->sim) && summary->stats.steps == 0;
  fill_changes(run);
  summary->method = brink_method_name(summary->stats.method);
  summary->engine = brink_instance_engine(run->instance);
  summary->engine_reason = brink_instance_reason(run->instance);
  summary->native_from = brink_instance_native_from(run->instance);
  summary->changed_over = isfinite(summary->native_from);
  summary->compile_seconds = brink_instance_compile_seconds(run->instance);
  summary->warnings = brink_instance_warnings(run->instance, &summary->nwarnings);
  brink_run_list_warnings(run);
}

brink_status brink_run_prepare_summary(brink_run *run, brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run must not be NULL");
  if (run->phase != BRINK_RUN_MADE)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "a summary begins with the run, which has begun already");
  run->choice.json = true;
  return BRINK_OK;
}

brink_status brink_run_prepare_states(brink_run *run, brink_diag *diag) {
  brink_status status = brink_run_prepare_summary(run, diag);
  if (status == BRINK_OK) run->choice.states = true;
  return status;
}

brink_status brink_run_prepare_conditions(brink_run *run, brink_diag *diag) {
  brink_status status = brink_run_prepare_summary(run, diag);
  if (status != BRINK_OK) return status;
  if (!run->options.conditions)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the options of the run have no conditions");
  run->choice.conditions = true;
  return BRINK_OK;
}

brink_status brink_run_summary(brink_run *run, brink_bytes *json, brink_diag *diag) {
  brink_diag_clear(diag);
  if (run == NULL || json == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "run and json must not be NULL");
  *json = (brink_bytes){0};
  if (run->phase != BRINK_RUN_FINISHED)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          run->phase == BRINK_RUN_SPOILT
                              ? "the run could not be restored: there is nothing to sum up"
                              : "the run is not finished");
  brink_text text = {0};
  bool begun = brink_run_has_begun(run);
  brink_moment now = begun ? brink_run_now(run) : (brink_moment){0};
  run->summary.brief = !run->choice.json;
  brink_json_summary(&text, &run->summary, begun ? &run->journal : NULL, begun ? &now : NULL);
  if (!text.failed && !run->journal.failed) {
    *json = (brink_bytes){.data = text.data, .length = text.length};
    return BRINK_OK;
  }
  brink_text_free(&text);
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory: the summary is not complete");
}
