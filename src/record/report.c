/* report.c: what a report shows, collected while the run goes on. See report.h. */
#include <math.h>
#include <string.h>

#include "record/report_parts.h"

enum {
  MOST_COLUMNS = 256,
  MOST_ROWS = 16384,
  FEWEST_ROWS = 1024,
  MOST_VALUES = 1200000, /* of all columns together: about 10 MB */
  MOST_STEPS = 8192,
  LISTED_EVENTS = 2000,
  PIXELS = 2000,       /* points that a smooth curve over the whole run gets at least */
  LARGE_MODEL = 20000, /* states: steps are not cut into parts */
  PARTS_AT_FIRST = 32, /* of a step, while there are few rows … */
  PARTS_LATER = 8,     /* … and while there is still room */
  MOST_PARTS = PIXELS,
};

/* ---- which columns ---- */

static bool is_chosen(const brink_report *report, size_t column) {
  for (size_t k = 0; k < report->nchosen; k++) {
    if (report->chosen[k] == column) return true;
  }
  return false;
}

static void choose(brink_report *report, const brink_tracked *tracked, size_t element) {
  size_t column = tracked->first + element;
  if (is_chosen(report, column)) return;
  report->chosen[report->nchosen] = column;
  report->tracked[report->nchosen] = tracked;
  report->element[report->nchosen++] = element;
}

static void choose_wanted(brink_report *report) {
  const brink_columns *columns = report->def.columns;
  for (size_t w = 0; w < report->def.nwanted; w++) {
    for (size_t k = 0; k < columns->ntracked; k++) {
      const brink_tracked *tracked = &columns->tracked[k];
      size_t column = report->def.wanted[w];
      if (column >= tracked->first && column < tracked->first + tracked->count)
        choose(report, tracked, column - tracked->first);
    }
  }
}

/* All columns, or of a large model the first elements of each variable. */
static void choose_usual(brink_report *report) {
  const brink_columns *columns = report->def.columns;
  size_t each = columns->count <= MOST_COLUMNS ? SIZE_MAX : MOST_COLUMNS / columns->ntracked;
  if (each == 0) each = 1;
  size_t most = MOST_COLUMNS + report->def.nwanted;
  for (size_t k = 0; k < columns->ntracked; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    for (size_t e = 0; e < tracked->count && e < each && report->nchosen < most; e++)
      choose(report, tracked, e);
  }
}

/* Columns appear in the order of the system. */
static void sort_chosen(brink_report *report) {
  for (size_t k = 1; k < report->nchosen; k++) {
    size_t column = report->chosen[k], element = report->element[k], j = k;
    const brink_tracked *tracked = report->tracked[k];
    for (; j > 0 && report->chosen[j - 1] > column; j--) {
      report->chosen[j] = report->chosen[j - 1];
      report->tracked[j] = report->tracked[j - 1];
      report->element[j] = report->element[j - 1];
    }
    report->chosen[j] = column;
    report->tracked[j] = tracked;
    report->element[j] = element;
  }
}

static bool choose_columns(brink_report *report) {
  size_t most = MOST_COLUMNS + report->def.nwanted;
  report->chosen = brink_arena_take(&report->arena, most, sizeof *report->chosen);
  report->tracked = brink_arena_take(&report->arena, most, sizeof *report->tracked);
  report->element = brink_arena_take(&report->arena, most, sizeof *report->element);
  if (report->chosen == NULL || report->tracked == NULL || report->element == NULL) return false;
  choose_wanted(report);
  choose_usual(report);
  sort_chosen(report);
  return true;
}

/* ---- rows ---- */

static int on_row(const brink_moment *moment, void *user) {
  brink_report *report = user;
  const brink_columns *columns = report->def.columns;
  brink_columns_visit(columns, moment);
  double *values = brink_thin_place(&report->rows);
  for (size_t k = 0; k < report->nchosen; k++)
    values[k] = brink_columns_value(columns, report->tracked[k], report->element[k], moment);
  brink_thin_add(&report->rows, moment->t, values);
  brink_populations_frame(&report->populations, moment);
  return 0;
}

/* Steps of a good method are long: without points inside them curves would be polygons. */
static size_t parts_of(const brink_step_record *record, void *user) {
  const brink_report *report = user;
  if (record->nx > LARGE_MODEL) return 1;
  const brink_thinned *rows = &report->rows;
  size_t fewest = 1;
  if (rows->width == 0.0 && rows->rows < rows->capacity / 4) fewest = PARTS_LATER;
  if (rows->width == 0.0 && rows->rows < rows->capacity / 16) fewest = PARTS_AT_FIRST;
  double pixel = (report->def.until - report->started) / PIXELS;
  double wanted = pixel > 0.0 ? ceil(record->h / pixel) : 1.0;
  if (!(wanted <= MOST_PARTS)) wanted = MOST_PARTS;
  return wanted > (double)fewest ? (size_t)wanted : fewest;
}

void brink_report_step(brink_report *report, const brink_step_record *record) {
  double step[2] = {record->h, record->order};
  brink_thin_add(&report->steps, record->t1, step);
  report->nsteps++;
  brink_approaches_step(&report->approaches, record);
  brink_trace_step(&report->trace, record);
}

void brink_report_event(brink_report *report, const brink_event_record *record, uint32_t flag,
                        size_t index) {
  if (record->event.kind != BRINK_HELD) { /* that is not an event of its own */
    brink_moment before = {.t = record->event.t,
                           .x = record->x_before,
                           .p = record->p_before,
                           .mode = record->mode_before,
                           .sgn = brink_sim_signs(report->def.sim)};
    brink_approaches_event(&report->approaches, record, flag, report->nevents++);
    brink_populations_event(&report->populations, &before, flag, index);
  }
  brink_trace_event(&report->trace, record);
}

void brink_report_end(brink_report *report) {
  brink_approaches_end(&report->approaches);
  brink_trace_end(&report->trace);
}

/* ---- events ---- */

void brink_report_told(const brink_told *told, void *user) {
  brink_report *report = user;
  if (report->ntold++ >= LISTED_EVENTS) return;
  const brink_system *system = report->def.columns->system;
  brink_text *text = &report->events;
  brink_text_add(text, "%s{\"t\":", text->length > 0 ? ",\n  " : "");
  brink_json_real(text, told->t);
  brink_text_add(text, ",\"flag\":");
  brink_json_string(text, told->name);
  brink_text_add(text, ",\"direction\":\"%s\",\"changes\":",
                 told->direction == BRINK_NEGATIVE ? "negative" : "positive");
  brink_json_string(text, told->changes);
  brink_text_add(text, ",\"where\":");
  brink_json_string(text, system->flags[told->flag].where);
  brink_text_add(text, ",\"generated\":%s",
                 system->flags[told->flag].kind == BRINK_FLAG_GENERATED ? "true" : "false");
  brink_text_add(text, ",\"agents\":");
  if (system->flags[told->flag].is_pair)
    brink_json_agents(text, system, &system->flags[told->flag], told->index);
  else
    brink_text_add(text, "null");
  brink_text_add(text, "}");
}

/* ---- the object ---- */

static size_t row_capacity(size_t ncolumns) {
  size_t rows = MOST_VALUES / (ncolumns + 1);
  if (rows > MOST_ROWS) rows = MOST_ROWS;
  return rows < FEWEST_ROWS ? FEWEST_ROWS : rows;
}

static bool make_parts(brink_report *report) {
  const brink_report_def *def = &report->def;
  const brink_system *system = def->columns->system;
  brink_arena *arena = &report->arena;
  if (!choose_columns(report) ||
      !brink_trace_init(&report->trace, def->sim, system->nx, system->np, system->nmodes, arena))
    return false;
  report->trace.row = on_row;
  report->trace.parts = parts_of;
  report->trace.user = report;
  return brink_thin_init(&report->rows, BRINK_THIN_EXTREMES, report->nchosen,
                         row_capacity(report->nchosen), arena) &&
         brink_thin_init(&report->steps, BRINK_THIN_EXTREMES, 2, MOST_STEPS, arena) &&
         brink_approaches_init(&report->approaches, def, system->nx, arena) &&
         brink_populations_init(&report->populations, def->columns, arena);
}

brink_status brink_report_create(const brink_report_def *def, const brink_allocator *allocator,
                                 brink_report **result) {
  *result = NULL;
  brink_report *report = brink_allocate(allocator, 1, sizeof *report);
  if (report == NULL) return BRINK_ERR_MEMORY;
  brink_arena_init(&report->arena, allocator);
  report->def = *def;
  report->started = brink_sim_time(def->sim);
  report->events.allocator = report->arena.allocator;
  if (!make_parts(report)) {
    brink_report_destroy(report);
    return BRINK_ERR_MEMORY;
  }
  *result = report;
  return BRINK_OK;
}

void brink_report_destroy(brink_report *report) {
  if (report == NULL) return;
  brink_approaches_free(&report->approaches);
  brink_populations_free(&report->populations);
  brink_text_free(&report->events);
  brink_allocator allocator = report->arena.allocator;
  brink_arena_free(&report->arena);
  brink_release(&allocator, report, 1, sizeof *report);
}

const brink_thinned *brink_report_rows(const brink_report *report, const size_t **chosen) {
  *chosen = report->chosen;
  return &report->rows;
}
