/* archive.c: what a run knows between two steps, to bytes and back (base/archive.h). */
#include <string.h>

#include "run/population_run.h"
#include "run/run.h"
#include "sim/locks.h"
#include "sim/sim.h"

/* ---- can it be saved? ---- */

static const char *no_recordings(const brink_run *run) {
  if (run->choice.format != NULL) return "a run that records a file in memory cannot be saved";
  if (run->choice.path != NULL && strcmp(run->choice.path, "-") == 0)
    return "a run that records to standard output cannot be saved: record to a file";
  return NULL;
}

const char *brink_run_no_archive(brink_run *run, bool *later) {
  const char *why = no_recordings(run);
  *later = why == NULL;
  if (why != NULL) return why;
  if (run->population_run == NULL && run->phase == BRINK_RUN_BEGUN &&
      (!brink_sim_can_archive(run->sim) || !brink_journal_can_archive(&run->journal, run->sim->t)))
    return "the run is inside a step, behind an event that changed nothing: it can be saved after "
           "the next step, or a few more";
  return NULL;
}

/* ---- lists ---- */

static void archive_warning(brink_run *run, brink_start_warning *warning, brink_archive *a) {
  const char **const texts[] = {&warning->text, &warning->rendered};
  for (int k = 0; k < 2 && !a->failed; k++) {
    bool any = *texts[k] != NULL;
    brink_text text = {0};
    brink_archive_bool(a, &any);
    if (!any) continue;
    if (!a->reads) brink_text_append(&text, *texts[k], strlen(*texts[k]));
    brink_archive_text(a, &text);
    if (a->reads && !a->failed) *texts[k] = brink_arena_text(&run->arena, text.data);
    if (run->arena.failed) brink_archive_no_memory(a);
    brink_text_free(&text);
  }
  brink_archive_check(a, warning->text != NULL);
}

static void archive_warnings(brink_run *run, brink_archive *a) {
  size_t count = run->nstart_warnings;
  brink_archive_mark(a, "start");
  brink_archive_count(a, &count, SIZE_MAX / 4);
  if (a->reads) run->nstart_warnings = 0;
  for (size_t k = 0; k < count && !a->failed; k++) {
    brink_start_warning *warning =
        a->reads ? brink_arena_push(&run->arena, run->start_warnings, run->nstart_warnings,
                                    run->start_warnings_capacity)
                 : &run->start_warnings[k];
    if (warning == NULL)
      brink_archive_no_memory(a);
    else
      archive_warning(run, warning, a);
  }
  if (a->failed && a->reads) run->nstart_warnings = 0;
  brink_archive_bool(a, &run->told_chosen);
  brink_archive_bool(a, &run->told_past);
  brink_archive_bool(a, &run->told_stiff);
}

/* What was written before the first step, for repetitions. */
static void archive_written(brink_run *run, brink_archive *a) {
  size_t count = run->nwritten;
  brink_archive_mark(a, "written");
  brink_archive_count(a, &count, SIZE_MAX / 4);
  if (a->reads) run->nwritten = 0;
  for (size_t k = 0; k < count && !a->failed; k++) {
    brink_written *written =
        a->reads ? brink_arena_push(&run->arena, run->written, run->nwritten, run->written_capacity)
                 : &run->written[k];
    if (written == NULL) {
      brink_archive_no_memory(a);
      break;
    }
    brink_archive_u32(a, &written->variable);
    brink_archive_count(a, &written->element, SIZE_MAX / 4);
    brink_archive_double(a, &written->value);
    const brink_system *system = run->system;
    if (!brink_archive_check(a, written->variable < system->nvariables)) break;
    const brink_variable *variable = &system->variables[written->variable];
    brink_archive_check(a, written->element <
                               system->groups[variable->group].count * variable->length);
  }
  if (a->failed && a->reads) run->nwritten = 0;
  brink_archive_bool(a, &run->changed);
  brink_archive_bool(a, &run->joined);
}

static void archive_one(brink_run *run, brink_archive *a) {
  brink_instance_archive(run->instance, a);
  brink_sim_archive(run->sim, a);
  if (a->failed) return;
  brink_archive_count(a, &run->notes_seen, SIZE_MAX / 4);
  if (run->results != NULL) brink_trace_archive(&run->trace, a);
  brink_journal_archive(&run->journal, run->sim->structure, a);
  if (!a->failed) brink_conditions_report_archive(run, a);
  if (!a->failed) brink_run_slopes_archive(run, a);
  brink_archive_same(a, run->dense != NULL);
  if (!a->failed && run->dense != NULL) brink_history_archive(run->dense, a);
}

void brink_run_archive(brink_run *run, brink_archive *a) {
  brink_archive_mark(a, "run");
  archive_warnings(run, a);
  archive_written(run, a);
  if (!a->failed && run->population_run != NULL) {
    brink_population_run_archive(run->population_run, a);
    brink_journal_archive(&run->journal, NULL, a);
  } else if (!a->failed) {
    archive_one(run, a);
  }
  brink_gaps_archive(&run->gaps, a);
  if (!a->failed && run->display != NULL) brink_display_archive(run->display, a);
  brink_archive_mark(a, "end");
}
