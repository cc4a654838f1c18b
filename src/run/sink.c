/* sink.c: what a single system reports: events to the journal, rows to the results and the display, both to the
 * observer. */
#include <string.h>

#include "run/run.h"
#include "sim/sim.h"

/* ---- notes ---- */

/* Room for `count` notes with `values` values, at least one; false: out of memory. */
static bool room_for_notes(brink_run *run, size_t count, size_t values) {
  if (count > run->notes_capacity) {
    run->notes = brink_arena_take(&run->arena, 2 * count, sizeof *run->notes);
    run->notes_capacity = run->notes != NULL ? 2 * count : 0;
  }
  if (values > run->note_values_capacity) {
    run->note_types = brink_arena_take(&run->arena, 2 * values, sizeof *run->note_types);
    run->note_values = brink_arena_take(&run->arena, 2 * values, sizeof *run->note_values);
    bool fine = run->note_types != NULL && run->note_values != NULL;
    run->note_values_capacity = fine ? 2 * values : 0;
  }
  return count <= run->notes_capacity && values <= run->note_values_capacity;
}

size_t brink_run_take_notes(brink_run *run, const brink_instance *instance, size_t first) {
  size_t count, values = 0;
  const brink_note *notes = brink_instance_notes(instance, &count);
  if (first >= count) return 0;
  for (size_t k = first; k < count; k++) values += notes[k].nvalues;
  if (!room_for_notes(run, count - first, values + 1)) {
    run->journal.failed = true;
    return 0;
  }
  size_t used = 0;
  for (size_t k = first; k < count; k++) {
    run->notes[k - first] = (brink_log_note){.label = notes[k].label,
                                             .types = run->note_types + used,
                                             .values = run->note_values + used,
                                             .nvalues = notes[k].nvalues};
    for (size_t j = 0; j < notes[k].nvalues; j++, used++) {
      run->note_types[used] = notes[k].values[j].type;
      run->note_values[used] = notes[k].values[j].value;
    }
  }
  return count - first;
}

/* ---- the observer ---- */

/* Copies into memory that is used again for later events. */
static void *copy(brink_run *run, void *room, const void *from, size_t count, size_t size) {
  if (room == NULL) room = brink_arena_take(&run->arena, count, size);
  if (room != NULL && count > 0) memcpy(room, from, count * size);
  return room;
}

static void copy_record(brink_run *run, const brink_event_record *record, brink_pending_event *e) {
  size_t nx = run->system->nx, np = run->system->np, nmodes = run->system->nmodes;
  e->before_x = copy(run, e->before_x, record->x_before, nx, sizeof(double));
  e->after_x = copy(run, e->after_x, record->x_after, nx, sizeof(double));
  e->before_p = copy(run, e->before_p, record->p_before, np, sizeof(double));
  e->after_p = copy(run, e->after_p, record->p_after, np, sizeof(double));
  e->before_mode = copy(run, e->before_mode, record->mode_before, nmodes, sizeof(int));
  e->after_mode = copy(run, e->after_mode, record->mode_after, nmodes, sizeof(int));
}

void brink_run_keep_event(brink_run *run, const brink_event_record *record, uint32_t flag,
                          size_t index) {
  if (run->observer.event == NULL) return;
  if (run->npending == run->pending_made)
    brink_arena_push(&run->arena, run->pending, run->pending_made, run->pending_capacity);
  if (run->npending < run->pending_made) {
    brink_pending_event *e = &run->pending[run->npending];
    e->flag = flag;
    e->index = index;
    copy_record(run, record, e);
  }
  if (run->arena.failed)
    run->journal.failed = true;
  else
    run->npending++;
}

/* The kept event that is complete now; those before it turned out to be none. NULL: there is none. */
static const brink_pending_event *take_pending(brink_run *run, const brink_logged_event *logged,
                                               size_t *next) {
  while (*next < run->npending) {
    const brink_pending_event *e = &run->pending[(*next)++];
    if (e->flag == logged->flag && e->index == logged->index) return e;
  }
  return NULL;
}

static void name_agents(const brink_run *run, const brink_logged_event *logged, brink_text names[2],
                        brink_run_event *event) {
  const brink_participants *both = logged->participants;
  if (!run->system->flags[logged->flag].is_pair || both->count != 2) return;
  for (size_t side = 0; side < 2; side++) {
    brink_system_instance_name(run->system, both->group[side], both->instance[side], &names[side]);
    event->agents[side] = names[side].data != NULL ? names[side].data : "";
  }
  event->nagents = 2;
}

/* Impulses that are not zero, with their names; NULL: out of memory, or none. */
static const brink_run_impulse *name_impulses(brink_run *run, const double *impulse,
                                              size_t *count) {
  *count = 0;
  if (impulse == NULL) return NULL; /* agents have none */
  const brink_model *model = brink_instance_model(run->instance);
  size_t nz = run->system->nz, ns = run->system->nx - nz;
  if (run->impulses == NULL)
    run->impulses = brink_arena_take(&run->arena, nz, sizeof *run->impulses);
  for (size_t k = 0; run->impulses != NULL && k < nz; k++) {
    if (impulse[k] != 0.0)
      run->impulses[(*count)++] = (brink_run_impulse){
          .unknown = brink_model_state_name(model, ns + k), .value = impulse[k]};
  }
  if (run->impulses == NULL) run->journal.failed = true;
  return run->impulses;
}

static void observe(brink_run *run, const brink_logged_event *logged) {
  if (run->observer.event == NULL) return;
  const brink_pending_event *e = take_pending(run, logged, &run->next_pending);
  if (e == NULL) return;
  brink_text names[2];
  memset(names, 0, sizeof names);
  brink_moment before = {
      .t = logged->t, .x = e->before_x, .p = e->before_p, .mode = e->before_mode};
  brink_moment after = {.t = logged->t, .x = e->after_x, .p = e->after_p, .mode = e->after_mode};
  brink_run_event event = {.t = logged->t,
                           .flag = logged->name,
                           .direction = logged->direction,
                           .generated =
                               run->system->flags[logged->flag].kind == BRINK_FLAG_GENERATED,
                           .before = &before,
                           .after = &after};
  name_agents(run, logged, names, &event);
  event.impulses = name_impulses(run, logged->impulse, &event.nimpulses);
  if (run->observer.event(run, &event, run->observer.user) != 0) run->stop_asked = true;
  brink_text_free(&names[0]);
  brink_text_free(&names[1]);
}

/* Rules act after events: what they leave belongs to the events of the instant. */
static void complete_pending(brink_run *run, const double *p, const int *mode) {
  for (size_t k = 0; k < run->npending; k++) {
    brink_pending_event *e = &run->pending[k];
    if (run->system->flags[e->flag].kind != BRINK_FLAG_RULE) continue;
    memcpy(e->after_p, p, run->system->np * sizeof *p);
    memcpy(e->after_mode, mode, run->system->nmodes * sizeof *mode);
  }
}

void brink_run_settle(brink_run *run, const double *p, const int *mode, size_t nnotes) {
  complete_pending(run, p, mode);
  run->next_pending = 0;
  brink_journal_settle(&run->journal, p, mode, run->notes, nnotes);
  run->npending = 0;
}

/* ---- the sink ---- */

/* What rules have noted since the last event of the instant belongs to that. */
void brink_run_sink_settle(brink_run *run) {
  if (run->journal.nopen == 0) return;
  size_t count;
  brink_instance_notes(run->instance, &count);
  size_t more =
      brink_run_take_notes(run, run->instance, count >= run->notes_seen ? run->notes_seen : 0);
  brink_run_settle(run, brink_sim_parameters(run->sim), brink_sim_modes(run->sim), more);
}

static int on_step(const brink_step_record *record, void *user) {
  brink_run *run = user;
  brink_run_sink_settle(run);
  if (run->display != NULL) brink_display_step(run->display, record);
  if (run->observer.step != NULL &&
      run->observer.step(run, brink_run_turned(run, record->t0), brink_run_turned(run, record->t1),
                         run->observer.user) != 0)
    run->stop_asked = true;
  run->rows_of_step = 0;
  run->checkpoints.chance = record->t1;
  int outcome = run->results != NULL ? brink_trace_step(&run->trace, record) : 0;
  return outcome != 0 ? outcome : run->stop_asked;
}

/* What falls while time runs backwards rises in the time of the model. */
static brink_event_record in_time_of_model(const brink_run *run, const brink_event_record *given) {
  brink_event_record record = *given;
  if (run->system->backward)
    record.event.direction =
        given->event.direction == BRINK_NEGATIVE ? BRINK_POSITIVE : BRINK_NEGATIVE;
  return record;
}

static int on_event(const brink_event_record *given, void *user) {
  brink_run *run = user;
  brink_event_record turned = in_time_of_model(run, given), *record = &turned;
  brink_event_input input = {.record = record};
  brink_instance_flag(run->instance, record->event.guard, &input.flag, &input.index);
  input.participants = brink_participants_of(&run->system->flags[input.flag], input.index);
  brink_instance_notes(run->instance, &run->notes_seen);
  if (!brink_journal_wants(run->system, input.flag, record->event.direction)) return 0;
  input.nnotes = brink_run_take_notes(run, run->instance, 0);
  input.notes = run->notes;
  int outcome = run->results != NULL ? brink_trace_event(&run->trace, record) : 0;
  if (run->results != NULL) input.row = brink_results_rows(run->results) - 1;
  if (record->event.kind != BRINK_HELD) brink_run_keep_event(run, record, input.flag, input.index);
  brink_journal_event(&run->journal, &input);
  if (run->display != NULL) brink_display_event(run->display, record, input.flag, input.index);
  return outcome;
}

/* The journal has completed an event. */
static void on_complete(const brink_logged_event *logged, void *user) {
  brink_run *run = user;
  if (run->display != NULL) brink_display_logged(logged, run->display);
  brink_run_results_event(run, logged);
  brink_run_slopes_logged(run, logged);
  if (run->choice.logged != NULL) run->choice.logged(logged, run->choice.logged_user);
  observe(run, logged);
}

/* Near misses and slides of what a reader of the model does not know are not worth reporting. */
static bool is_named(const brink_run *run, size_t guard, uint32_t *flag, size_t *index) {
  brink_instance_flag(run->instance, guard, flag, index);
  return brink_journal_wants(run->system, *flag, BRINK_POSITIVE);
}

static int on_near_miss(const brink_near_miss *miss, void *user) {
  brink_run *run = user;
  uint32_t flag;
  size_t index;
  if (is_named(run, miss->guard, &flag, &index))
    brink_journal_miss(&run->journal, flag, index, miss);
  return 0;
}

static int on_slide(const brink_slide_record *slide, void *user) {
  brink_run *run = user;
  uint32_t flag;
  size_t index;
  if (is_named(run, slide->guard, &flag, &index))
    brink_journal_slide(&run->journal, flag, index, slide->from, slide->to);
  return 0;
}

/* ---- constraints ---- */

static void moved(brink_run *run, double t, const double *x) {
  if (run->results != NULL) brink_trace_moved(&run->trace, t, x);
  if (run->display != NULL) brink_display_moved(run->display, t, x);
}

static int on_structure(const brink_structure_record *record, void *user) {
  brink_run *run = user;
  if (record->t == run->sim->model->def.t0) {
    brink_run_note_chosen(run);
    brink_run_check_flags(run);
  }
  moved(run, record->t, brink_sim_state(run->sim));
  brink_journal_structure(&run->journal, record);
  return 0;
}

static int on_transfer(const brink_transfer_record *record, void *user) {
  brink_run *run = user;
  moved(run, record->t, record->x_after);
  brink_journal_transfer(&run->journal, record, brink_sim_parameters(run->sim),
                         brink_sim_modes(run->sim));
  if (run->npending > 0)
    memcpy(run->pending[run->npending - 1].after_x, record->x_after,
           run->system->nx * sizeof(double));
  return 0;
}

/* ---- values that somebody writes ---- */

void brink_run_sink_before_write(brink_run *run) {
  if (run->results != NULL) brink_trace_before_write(&run->trace);
  if (run->display != NULL) brink_display_before_write(run->display);
}

void brink_run_sink_written(brink_run *run) {
  if (run->results != NULL) brink_trace_written(&run->trace);
  if (run->display != NULL) brink_display_written(run->display);
}

/* ---- begin and end ---- */

/* Steps are recorded only where somebody wants them: their dense outputs are kept then. */
static bool wants_steps(const brink_run *run) {
  const brink_system *system = run->system;
  for (size_t k = 0; k < system->nflags; k++) {
    if (system->flags[k].kind == BRINK_FLAG_RULE) return true;
  }
  return run->results != NULL || run->display != NULL || run->observer.step != NULL ||
         run->observer.event != NULL;
}

void brink_run_listen(brink_run *run) {
  bool wanted = run->display != NULL || run->results != NULL || run->choice.logged != NULL ||
                run->observer.event != NULL || run->sensitivity != NULL;
  if (wanted) run->journal.listen = on_complete;
  run->journal.listener = run;
}

void brink_run_sink_install(brink_run *run) {
  brink_sink sink = {.step = wants_steps(run) ? on_step : NULL,
                     .event = on_event,
                     .near_miss = on_near_miss,
                     .slide = on_slide,
                     .structure = on_structure,
                     .transfer = on_transfer,
                     .user = run};
  brink_run_listen(run);
  brink_sim_set_sink(run->sim, &sink);
}

brink_status brink_run_sink_begin(brink_run *run) {
  brink_computed computed = brink_run_computed(run);
  brink_status status = brink_run_columns_begin(run, &computed);
  if (status != BRINK_OK) return status;
  brink_journal_init(&run->journal, &run->columns, run->system->nx, run->choice.json);
  run->journal.states = run->choice.states;
  status = brink_run_display_begin(run);
  if (status == BRINK_OK) status = brink_run_results_begin(run);
  if (status != BRINK_OK) return status;
  brink_run_sink_install(run);
  brink_structure_record now; /* of a clone */
  if (brink_sim_structure(run->sim, &now)) brink_journal_structure(&run->journal, &now);
  status = brink_conditions_report_begin(run);
  return status == BRINK_OK ? brink_run_slopes_begin(run) : status;
}

static void report_open_slides(brink_run *run) {
  size_t count = brink_sim_slides(run->sim, NULL, 0);
  brink_slide_record *slides = brink_arena_take(&run->arena, count, sizeof *slides);
  if (slides == NULL) run->journal.failed = true;
  for (size_t k = 0; slides != NULL && k < brink_sim_slides(run->sim, slides, count); k++)
    on_slide(&slides[k], run);
}

void brink_run_sink_end(brink_run *run) {
  if (!brink_run_has_begun(run)) return;
  brink_run_sink_settle(run);
  brink_conditions_report_end(run);
  report_open_slides(run);
  brink_journal_end_structures(&run->journal, brink_sim_time(run->sim));
  if (run->display != NULL) brink_display_end(run->display);
  brink_run_results_end(run);
  brink_sim_set_sink(run->sim, NULL);
}
