/* conditions.c: how far the events of a run can be trusted. The same observers serve `brink condition`, the
 * "condition" of events in the summary, and the panel of the report. */
#include <math.h>
#include <string.h>

#include "run/conditions.h"

enum {
  LINES = 1000, /* events in the table */
  PAGE = 2000,  /* … in the report */
  STATES_AT_ONCE =
      64, /* derivatives of larger models are worked out only if all are asked for, … */
  KNOBS_AT_ONCE = 64, /* … and so are those by more knobs */
};

/* ---- directions ---- */

/* Initial states, then knobs. */
static bool take_directions(brink_conditions_report *report) {
  brink_run *run = report->run;
  const brink_model *model = brink_instance_model(run->instance);
  size_t nx = model->def.nx, most = report->all ? 0 : KNOBS_AT_ONCE;
  if (brink_built_knobs(run->built, most, &report->knobs) != BRINK_OK) return false;
  report->directions =
      brink_arena_take(&run->arena, nx + report->knobs.count + 1, sizeof *report->directions);
  if (report->directions == NULL) return false;
  for (size_t i = 0; i < nx; i++)
    report->directions[report->ndirections++] = (brink_slope_direction){
        .name = brink_model_state_name(model, i), .size = fabs(model->def.x0[i])};
  for (size_t k = 0; k < report->knobs.count; k++) {
    const brink_knob *knob = &report->knobs.knobs[k];
    if (knob->reason == NULL)
      report->directions[report->ndirections++] =
          (brink_slope_direction){.name = knob->name, .knob = true, .size = fabs(knob->value)};
  }
  return true;
}

void brink_conditions_report_fill(const brink_conditions_report *report, double *x, double *p,
                                  size_t count) {
  const brink_model *model = brink_instance_model(report->run->instance);
  size_t nx = model->def.nx, np = model->def.np, next = nx;
  for (size_t i = 0; i < nx; i++) x[i * count + i] = 1.0;
  for (size_t k = 0; k < report->knobs.count; k++) {
    const brink_knob *knob = &report->knobs.knobs[k];
    if (knob->reason != NULL) continue;
    brink_direction_fill(x, nx, count, next, knob->x);
    brink_direction_fill(p, np, count, next++, knob->p);
  }
}

/* ---- derivatives ---- */

static brink_event_slopes *new_slopes(brink_conditions_report *report) {
  brink_arena *arena = &report->run->arena;
  size_t nx = report->run->columns.system->nx, count = report->ndirections;
  if (report->nslopes < report->slopes_capacity) return &report->slopes[report->nslopes++];
  size_t larger = report->slopes_capacity == 0 ? 4 : 2 * report->slopes_capacity;
  brink_event_slopes *moved = brink_arena_take(arena, larger, sizeof *moved);
  if (moved == NULL) return NULL;
  if (report->nslopes > 0) memcpy(moved, report->slopes, report->nslopes * sizeof *moved);
  for (size_t k = report->slopes_capacity; k < larger; k++) {
    moved[k].time = brink_arena_take(arena, count, sizeof(double));
    moved[k].after = brink_arena_take(arena, nx * count, sizeof(double));
    if (moved[k].time == NULL || moved[k].after == NULL) return NULL;
  }
  report->slopes = moved;
  report->slopes_capacity = larger;
  return &report->slopes[report->nslopes++];
}

void brink_conditions_report_slopes(brink_conditions_report *report,
                                    const brink_sensitivity_event *event) {
  size_t nx = report->run->columns.system->nx, count = report->ndirections;
  if (count == 0) return;
  if (report->nslopes > 0 && report->slopes[0].index > event->index) report->nslopes = 0;
  brink_event_slopes *s = new_slopes(report);
  if (s == NULL) {
    report->run->journal.failed = true;
    return;
  }
  s->index = event->index;
  s->rate = event->rate;
  s->limits = event->limits;
  s->jump = NAN;
  memcpy(s->time, event->time, count * sizeof(double));
  for (size_t i = 0; i < nx; i++)
    memcpy(&s->after[i * count], &event->after[i * event->count], count * sizeof(double));
  if (event->saltation != NULL) {
    double *room = brink_allocate(NULL, 2 * nx + 1, sizeof *room);
    if (room != NULL) s->jump = brink_matrix_norm(nx, event->saltation, room);
    brink_release(NULL, room, 2 * nx + 1, sizeof *room);
  }
}

static const brink_event_slopes *slopes_of(const brink_conditions_report *report,
                                           const brink_condition *c) {
  for (size_t k = 0; c->event != NULL && k < report->nslopes; k++) {
    if (report->slopes[k].index == c->index) return &report->slopes[k];
  }
  return NULL;
}

/* ---- what is kept ---- */

static const char *keep(brink_conditions_report *report, const brink_text *text) {
  char *kept = brink_arena_text(&report->run->arena, text->data != NULL ? text->data : "");
  if (kept == NULL || text->failed) report->run->journal.failed = true;
  return kept != NULL ? kept : "";
}

static void keep_line(brink_conditions_report *report, const brink_condition *c,
                      const brink_event_slopes *slopes, const char *flag, const brink_text *words,
                      brink_posed posed) {
  brink_text more = {0};
  if (report->nlines >= LINES || !brink_arena_reserve(&report->run->arena, report->lines,
                                                      report->nlines, report->lines_capacity))
    return;
  brink_conditions_report_more(report, c, slopes, &more);
  report->lines[report->nlines++] =
      (brink_condition_line){.t = c->event != NULL ? c->event->t : brink_sim_time(report->run->sim),
                             .event = c->event != NULL,
                             .flag = flag,
                             .published = c->published,
                             .scaled = c->scaled,
                             .posed = posed,
                             .verdict = keep(report, words),
                             .more = keep(report, &more)};
  brink_text_free(&more);
}

static void keep_for_page(brink_conditions_report *report, const brink_condition *c,
                          const char *flag, const char *written, const brink_text *members) {
  brink_text *page = &report->page;
  if (!report->run->choice.page || report->npage++ >= PAGE) return;
  brink_text_add(page, "%s{\"t\":", page->length > 0 ? ",\n  " : "\n  ");
  brink_json_real(page, c->event != NULL ? c->event->t : brink_sim_time(report->run->sim));
  brink_text_add(page, ",\"flag\":");
  brink_json_string(page, flag);
  if (written != NULL) {
    brink_text_add(page, ",\"text\":");
    brink_json_string(page, written);
  }
  brink_text_add(page, ",\"event\":%s,%s}", c->event != NULL ? "true" : "false",
                 members->data != NULL ? members->data : "\"posed\":null");
  report->run->journal.failed = report->run->journal.failed || page->failed;
}

/* The word again, with what derivatives tell about initial values and knobs. */
static brink_posed assess_again(const brink_conditions_report *report, const brink_condition *c,
                                const brink_event_cause *cause) {
  bool judged = c->posed <= BRINK_ILL_POSED;
  if (!judged || cause->name == NULL || cause->appears) return c->posed;
  brink_evidence evidence = {.angle = c->angle_before,
                             .vanish = cause->relative,
                             .appear = NAN,
                             .accuracy = report->run->options.sim.rtol};
  brink_posed posed = brink_judge(&evidence);
  return posed > c->posed && posed <= BRINK_ILL_POSED ? posed : c->posed;
}

static void report_full(brink_conditions_report *report, const brink_condition *c, uint32_t flag,
                        size_t index) {
  brink_run *run = report->run;
  brink_text words = {0}, members = {0}, object = {0}, name = {0}, label = {0};
  const brink_event_slopes *slopes = slopes_of(report, c);
  brink_event_cause cause = brink_conditions_report_cause(report, c, slopes);
  brink_posed posed = assess_again(report, c, &cause);
  brink_system_flag_name(run->system, flag, index, &name);
  brink_conditions_report_words(c, posed, &cause, &words);
  brink_system_flag_label(run->system, flag, index, &label);
  const char *flag_name = keep(report, &name);
  if (c->event != NULL) {
    report->nevents++;
    report->counts[posed]++;
  }
  if (report->listed) keep_line(report, c, slopes, keep(report, &label), &words, posed);
  brink_conditions_report_json(report, c, slopes, words.data, posed, &members);
  keep_for_page(report, c, flag_name, run->system->flags[flag].text, &members);
  if (c->event == NULL) {
    if (report->listed) brink_journal_closest(&run->journal, flag, index, members.data);
  } else if (report->listed) {
    brink_text_add(&object, "{%s}", members.data != NULL ? members.data : "");
    brink_journal_condition(&run->journal, flag, index, c->published, object.data);
  } else {
    brink_journal_condition(&run->journal, flag, index, c->transversality, NULL);
  }
  run->journal.failed = run->journal.failed || words.failed || members.failed || object.failed;
  brink_text_free(&words);
  brink_text_free(&members);
  brink_text_free(&object);
  brink_text_free(&name);
  brink_text_free(&label);
}

static void on_condition(const brink_condition *c, void *user) {
  brink_conditions_report *report = user;
  brink_run *run = report->run;
  uint32_t flag;
  size_t index;
  brink_instance_flag(run->instance, c->guard, &flag, &index);
  brink_direction direction = c->event != NULL ? c->event->direction : BRINK_POSITIVE;
  if (!brink_journal_wants(run->system, flag, direction)) return;
  if (report->full)
    report_full(report, c, flag, index);
  else
    brink_journal_condition(&run->journal, flag, index, c->transversality, NULL);
}

/* ---- beginning and end ---- */

const char *brink_run_no_conditions(const brink_system *system) {
  if (system->nz > 0) return "for models with constraints";
  if (system->ndelays > 0) return "for models with delays";
  return system->backward ? "backwards in time" : NULL;
}

brink_status brink_conditions_report_begin(brink_run *run) {
  const brink_record_choice *choice = &run->choice;
  bool listed = choice->conditions, full = listed || choice->page;
  bool kept = choice->trajectory && run->options.conditions;
  if (!choice->json && !full && !kept) return BRINK_OK;
  if (brink_run_no_conditions(run->system) != NULL && !listed) return BRINK_OK;
  brink_conditions_report *report = brink_arena_take(&run->arena, 1, sizeof *report);
  brink_status status = report != NULL ? BRINK_OK : BRINK_ERR_MEMORY;
  if (report != NULL) {
    *report = (brink_conditions_report){
        .run = run, .listed = listed, .all = choice->all_derivatives, .full = full};
    run->conditions = report;
    double step = choice->against_step > 0.0 ? choice->against_step : run->options.sim.step;
    brink_conditions_def def = {
        .step = step, .approaches = report->full, .report = on_condition, .user = report};
    status = brink_conditions_create(run->sim, &def, NULL, &run->diag, &report->conditions);
    bool small = run->columns.system->nx <= STATES_AT_ONCE;
    if (status == BRINK_OK && listed && (small || report->all) && !take_directions(report))
      status = BRINK_ERR_MEMORY;
  }
  if (status == BRINK_OK || status == BRINK_ERR_UNSUPPORTED) return status;
  return brink_diag_set(&run->diag, BRINK_ERR_MEMORY, "out of memory");
}

void brink_conditions_report_end(brink_run *run) {
  if (run->conditions == NULL) return;
  if (!brink_conditions_finish(run->conditions->conditions)) run->journal.failed = true;
}

void brink_conditions_report_free(brink_run *run) {
  if (run->conditions == NULL) return;
  brink_conditions_destroy(run->conditions->conditions);
  brink_text_free(&run->conditions->page);
  brink_knobs_free(&run->conditions->knobs);
  run->conditions = NULL;
}

/* ---- to bytes and back ---- */

static void archive_text(brink_arena *arena, const char **text, brink_archive *a) {
  brink_text bytes = {0};
  if (!a->reads) brink_text_append(&bytes, *text, strlen(*text));
  brink_archive_text(a, &bytes);
  if (a->reads) {
    *text = "";
    const char *kept = a->failed || bytes.length == 0 ? "" : brink_arena_text(arena, bytes.data);
    if (kept != NULL)
      *text = kept;
    else
      brink_archive_no_memory(a);
  }
  brink_text_free(&bytes);
}

static void archive_line(brink_arena *arena, brink_condition_line *line, brink_archive *a) {
  brink_archive_double(a, &line->t);
  brink_archive_bool(a, &line->event);
  brink_archive_double(a, &line->published);
  brink_archive_double(a, &line->scaled);
  line->posed = (brink_posed)brink_archive_enum(a, (int)line->posed, 0, BRINK_UNJUDGED);
  archive_text(arena, &line->flag, a);
  archive_text(arena, &line->verdict, a);
  archive_text(arena, &line->more, a);
}

static void archive_lines(brink_conditions_report *report, brink_archive *a) {
  brink_arena *arena = &report->run->arena;
  size_t count = report->nlines;
  brink_archive_count(a, &count, LINES);
  if (a->reads) report->nlines = 0;
  for (size_t k = 0; k < count && !a->failed; k++) {
    if (a->reads &&
        !brink_arena_reserve(arena, report->lines, report->nlines, report->lines_capacity)) {
      brink_archive_no_memory(a);
      return;
    }
    archive_line(arena, &report->lines[k], a);
    if (a->reads && !a->failed) report->nlines = k + 1;
  }
}

/* Slopes are of one instant, which is over. */
void brink_conditions_report_archive(brink_run *run, brink_archive *a) {
  brink_conditions_report *report = run->conditions;
  brink_archive_mark(a, "worths");
  brink_archive_same(a, report != NULL);
  if (report == NULL) return;
  brink_conditions_archive(report->conditions, a);
  archive_lines(report, a);
  brink_archive_count(a, &report->nevents, SIZE_MAX / 4);
  for (size_t k = 0; k <= BRINK_UNJUDGED; k++)
    brink_archive_count(a, &report->counts[k], SIZE_MAX / 4);
  brink_archive_text(a, &report->page);
  brink_archive_count(a, &report->npage, SIZE_MAX / 4);
}

const brink_text *brink_conditions_report_page(const brink_run *run) {
  return run->conditions != NULL && run->conditions->full ? &run->conditions->page : NULL;
}
