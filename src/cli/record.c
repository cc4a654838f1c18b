/* record.c: what a run tells, and to whom: the journal and the trajectory. */
#include <string.h>

#include "cli/crowd.h"
#include "cli/plot.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "sim/sim.h"

/* ---- values that equations compute ---- */

static void evaluate(const brink_moment *moment, void *user) {
  brink_instance_evaluate(user, moment->t, moment->x, moment->p, moment->mode, moment->sgn);
}

static double value(uint32_t variable, size_t element, void *user) {
  return brink_instance_value(user, variable, element);
}

bool cli_record_begun(const cli_simulation *run) {
  bool there = run->sim != NULL || (run->crowd != NULL && run->crowd->agents != NULL);
  return there && run->columns.system != NULL;
}

brink_moment cli_record_now(const cli_simulation *run) {
  if (run->crowd != NULL) return cli_crowd_now(run->crowd);
  const brink_sim *sim = run->sim;
  return (brink_moment){.t = brink_sim_time(sim),
                        .x = brink_sim_state(sim),
                        .p = brink_sim_parameters(sim),
                        .mode = brink_sim_modes(sim),
                        .sgn = brink_sim_signs(sim)};
}

/* ---- remarks ---- */

/* Room for `count` remarks with `values` values, at least one; false: out of memory. */
static bool remark_room(cli_simulation *run, size_t count, size_t values) {
  if (count > run->remarks_capacity) {
    run->remarks = brink_arena_take(&run->arena, 2 * count, sizeof *run->remarks);
    run->remarks_capacity = run->remarks != NULL ? 2 * count : 0;
  }
  if (values > run->remark_values_capacity) {
    run->remark_types = brink_arena_take(&run->arena, 2 * values, sizeof *run->remark_types);
    run->remark_values = brink_arena_take(&run->arena, 2 * values, sizeof *run->remark_values);
    bool fine = run->remark_types != NULL && run->remark_values != NULL;
    run->remark_values_capacity = fine ? 2 * values : 0;
  }
  return count <= run->remarks_capacity && values <= run->remark_values_capacity;
}

size_t cli_take_remarks(cli_simulation *run, const brink_instance *instance, size_t first) {
  size_t count, values = 0;
  const brink_note *notes = brink_instance_notes(instance, &count);
  if (first >= count) return 0;
  for (size_t k = first; k < count; k++) values += notes[k].nvalues;
  if (!remark_room(run, count - first, values + 1)) {
    run->journal.failed = true;
    return 0;
  }
  size_t used = 0;
  for (size_t k = first; k < count; k++) {
    run->remarks[k - first] = (brink_remark){.label = notes[k].label,
                                             .types = run->remark_types + used,
                                             .values = run->remark_values + used,
                                             .nvalues = notes[k].nvalues};
    for (size_t j = 0; j < notes[k].nvalues; j++, used++) {
      run->remark_types[used] = notes[k].values[j].type;
      run->remark_values[used] = notes[k].values[j].value;
    }
  }
  return count - first;
}

/* The instant is over. What rules have noted since its last event belongs to that. */
static void settle(cli_simulation *run) {
  if (run->journal.nopen == 0) return;
  size_t count;
  brink_instance_notes(run->instance, &count);
  size_t more =
      cli_take_remarks(run, run->instance, count >= run->notes_told ? run->notes_told : 0);
  brink_journal_settle(&run->journal, brink_sim_parameters(run->sim), brink_sim_modes(run->sim),
                       run->remarks, more);
}

/* ---- the sink ---- */

static int on_step(const brink_step_record *record, void *user) {
  cli_simulation *run = user;
  settle(run);
  if (run->display != NULL) brink_display_step(run->display, record);
  return run->results != NULL ? brink_trace_step(&run->trace, record) : 0;
}

static int tell_event(cli_simulation *run, const brink_event_record *record) {
  brink_happening happening = {.record = record};
  brink_instance_flag(run->instance, record->event.guard, &happening.flag, &happening.index);
  happening.concerned =
      brink_concerned_by(&run->loaded.system->flags[happening.flag], happening.index);
  brink_instance_notes(run->instance, &run->notes_told);
  if (!brink_journal_wants(run->loaded.system, happening.flag, record->event.direction)) return 0;
  happening.nremarks = cli_take_remarks(run, run->instance, 0);
  happening.remarks = run->remarks;
  int outcome = run->results != NULL ? brink_trace_event(&run->trace, record) : 0;
  if (run->results != NULL) happening.row = brink_results_rows(run->results) - 1;
  brink_journal_event(&run->journal, &happening);
  if (run->display != NULL)
    brink_display_event(run->display, record, happening.flag, happening.index);
  return outcome;
}

static int on_event(const brink_event_record *record, void *user) {
  cli_simulation *run = user;
  return tell_event(run, record);
}

static void on_told(const brink_told *told, void *user) {
  cli_simulation *run = user;
  if (run->display != NULL) brink_display_told(told, run->display);
  cli_trajectory_told(run, told);
  if (run->plot != NULL) cli_plot_told(run->plot, told->t);
}

/* Near misses and slides of what a reader of the model does not know are not worth telling. */
static bool is_named(const cli_simulation *run, size_t guard, uint32_t *flag, size_t *index) {
  brink_instance_flag(run->instance, guard, flag, index);
  return brink_journal_wants(run->loaded.system, *flag, BRINK_POSITIVE);
}

static int on_near_miss(const brink_near_miss *miss, void *user) {
  cli_simulation *run = user;
  uint32_t flag;
  size_t index;
  if (is_named(run, miss->guard, &flag, &index))
    brink_journal_miss(&run->journal, flag, index, miss);
  return 0;
}

static int on_slide(const brink_slide_record *slide, void *user) {
  cli_simulation *run = user;
  uint32_t flag;
  size_t index;
  if (is_named(run, slide->guard, &flag, &index))
    brink_journal_slide(&run->journal, flag, index, slide->from, slide->to);
  return 0;
}

/* ---- begin and end ---- */

/* Steps are told only where somebody wants them: their dense outputs are kept then. */
static bool wants_steps(const cli_simulation *run) {
  const brink_system *system = run->loaded.system;
  for (size_t k = 0; k < system->nflags; k++) {
    if (system->flags[k].kind == BRINK_FLAG_RULE) return true;
  }
  return run->results != NULL || run->display != NULL;
}

void cli_record_listen(cli_simulation *run) {
  if (run->display != NULL || run->results != NULL) run->journal.listen = on_told;
  run->journal.listener = run;
}

bool cli_record_begin(cli_simulation *run) {
  const brink_system *system = run->loaded.system;
  brink_computed computed = {.evaluate = evaluate, .value = value, .user = run->instance};
  if (brink_columns_init(&run->columns, system, &computed, NULL) != BRINK_OK) {
    cli_say("out of memory");
    return false;
  }
  brink_journal_init(&run->journal, &run->columns, system->nx, run->settings.json);
  if (!cli_report_begin(run) || !cli_trajectory_begin(run)) return false;
  cli_record_listen(run);
  brink_sink sink = {.step = wants_steps(run) ? on_step : NULL,
                     .event = on_event,
                     .near_miss = on_near_miss,
                     .slide = on_slide,
                     .user = run};
  brink_sim_set_sink(run->sim, &sink);
  return cli_judge_begin(run);
}

static void tell_open_slides(cli_simulation *run) {
  size_t count = brink_sim_slides(run->sim, NULL, 0);
  brink_slide_record *slides = brink_arena_take(&run->arena, count, sizeof *slides);
  if (slides == NULL) run->journal.failed = true;
  for (size_t k = 0; slides != NULL && k < brink_sim_slides(run->sim, slides, count); k++)
    on_slide(&slides[k], run);
}

void cli_record_end(cli_simulation *run) {
  settle(run);
  cli_judge_end(run);
  tell_open_slides(run);
  if (run->display != NULL) brink_display_end(run->display);
  cli_trajectory_end(run);
}
