/* report.c: the page of a sweep. docs/report.md describes its data. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/display.h"
#include "record/encode.h"
#include "record/page.h"
#include "run/facts.h"
#include "sweep/sweep_parts.h"

/* ---- columns ---- */

static const char *unit_of(const brink_sweep *sweep, const char *name) {
  const brink_system *system = sweep->first->built->system;
  uint32_t variable;
  size_t element;
  bool known = brink_system_find_input(system, name, &variable, &element) ||
               brink_system_find(system, name, &variable, &element);
  return known ? system->variables[variable].unit : NULL;
}

/* What a measure is followed by alone; NULL: it is worked out from several things. */
static const brink_gauge *gauge_of(const brink_sweep *sweep, const brink_measure *measure) {
  const brink_term *root = measure->root;
  return root->op == BRINK_TERM_GAUGE ? &sweep->measures.gauges[root->index] : NULL;
}

/* The largest value of h has the unit of h; a number of events has none. */
static const char *unit_of_measure(const brink_sweep *sweep, const brink_measure *measure) {
  const brink_gauge *gauge = gauge_of(sweep, measure);
  const brink_term *term = gauge != NULL ? gauge->inner : measure->root;
  bool is_value = term != NULL && term->op == BRINK_TERM_READ;
  return is_value ? unit_of(sweep, sweep->measures.names[term->index]) : NULL;
}

static const char *kind_of_measure(const brink_sweep *sweep, const brink_measure *measure) {
  const brink_gauge *gauge = gauge_of(sweep, measure);
  if (gauge == NULL) return "outcome";
  if (gauge->kind == BRINK_GAUGE_COUNT) return "count";
  if (gauge->kind == BRINK_GAUGE_CONDITION) return "condition";
  return gauge->kind == BRINK_GAUGE_FIRST || gauge->kind == BRINK_GAUGE_LAST ? "time" : "outcome";
}

static const char *kind_of(brink_sweep_role role) {
  static const char *const kinds[] = {
      [BRINK_SWEEP_RUN] = "run",         [BRINK_SWEEP_KNOB] = "knob",
      [BRINK_SWEEP_STATUS] = "status",   [BRINK_SWEEP_REASON] = "reason",
      [BRINK_SWEEP_MESSAGE] = "message", [BRINK_SWEEP_END] = "end",
      [BRINK_SWEEP_COUNT] = "count",     [BRINK_SWEEP_FIRST] = "time",
      [BRINK_SWEEP_LAST] = "time",       [BRINK_SWEEP_MEASURE] = "outcome",
  };
  return kinds[role];
}

static void write_text(brink_text *text, const char *key, const char *value) {
  brink_text_add(text, ",\"%s\":", key);
  if (value != NULL && value[0] != '\0')
    brink_json_string(text, value);
  else
    brink_text_add(text, "null");
}

/* The texts of a column, each once, in the order of the runs; its values become numbers of these. A measure without a text
 * has no value. */
static void write_labels(const brink_sweep *sweep, size_t column, double *values,
                         brink_text *text) {
  const brink_page_rows *shown = &sweep->shown;
  bool is_measure = sweep->columns[column].role == BRINK_SWEEP_MEASURE;
  size_t *place = calloc(shown->ntexts + 1, sizeof *place), count = 0;
  if (place == NULL) text->failed = true;
  brink_text_add(text, "[");
  for (size_t k = 0; place != NULL && k < shown->count; k++) {
    size_t number = (size_t)shown->values[k * shown->ncolumns + column];
    bool is_missing = is_measure && shown->texts[number][0] == '\0';
    if (place[number] == 0 && !is_missing) {
      if (count > 0) brink_text_add(text, ",");
      brink_json_string(text, shown->texts[number]);
      place[number] = ++count;
    }
    values[k] = is_missing ? (double)NAN : (double)(place[number] - 1);
  }
  brink_text_add(text, "]");
  free(place);
}

/* `values` gets those of the column. */
static void write_column(const brink_sweep *sweep, size_t k, double *values, brink_text *text) {
  const brink_page_rows *shown = &sweep->shown;
  const brink_sweep_column *column = &sweep->columns[k];
  size_t first = sweep->ncolumns - sweep->measures.count;
  const brink_measure *measure = k >= first ? &sweep->measures.measures[k - first] : NULL;
  bool is_knob = column->role == BRINK_SWEEP_KNOB;
  bool is_log = is_knob && sweep->design.knobs[k - 1].kind == BRINK_VARY_LOG;
  brink_text_add(text, "%s{\"name\":", k > 1 ? ",\n  " : "");
  brink_json_string(text, column->name);
  write_text(text, "kind",
             measure != NULL ? kind_of_measure(sweep, measure) : kind_of(column->role));
  write_text(text, "type", column->text ? "string" : "real");
  write_text(text, "unit",
             measure != NULL ? unit_of_measure(sweep, measure)
             : is_knob       ? unit_of(sweep, column->name)
                             : NULL);
  write_text(text, "scale", is_log ? "log" : NULL);
  if (is_knob && sweep->design.knobs[k - 1].seed) write_text(text, "option", column->name);
  brink_text_add(text, ",\"labels\":");
  for (size_t row = 0; row < shown->count; row++)
    values[row] = shown->values[row * shown->ncolumns + k];
  if (column->text)
    write_labels(sweep, k, values, text);
  else
    brink_text_add(text, "null");
  brink_text_add(text, "}");
}

/* Column 0 is the number of the run. */
static void write_rows(const brink_sweep *sweep, brink_text *text) {
  const brink_page_rows *shown = &sweep->shown;
  brink_text values = {0};
  double *column = malloc((shown->count + 1) * sizeof *column);
  if (column == NULL) text->failed = true;
  brink_text_add(text, ",\n \"columns\":[");
  for (size_t k = 1; column != NULL && k < sweep->ncolumns; k++) {
    write_column(sweep, k, column, text);
    if (k > 1) brink_text_add(&values, ",\n  ");
    brink_encode_array(&values, BRINK_ELEMENT_F8, column, shown->count, 1);
  }
  brink_text_add(text, "],\n \"run\":");
  brink_encode_array(text, BRINK_ELEMENT_F8, shown->values, shown->count, shown->ncolumns);
  brink_text_add(text, ",\n \"values\":[");
  brink_text_append(text, values.data, values.length);
  brink_text_add(text, "]");
  text->failed = text->failed || values.failed;
  brink_text_free(&values);
  free(column);
}

/* ---- indices ---- */

static void write_index(brink_text *text, const char *knob, double value, double low, double high) {
  brink_text_add(text, "{\"knob\":");
  brink_json_string(text, knob);
  brink_text_add(text, ",\"value\":");
  brink_json_real(text, value);
  brink_text_add(text, ",\"low\":");
  brink_json_real(text, low);
  brink_text_add(text, ",\"high\":");
  brink_json_real(text, high);
  brink_text_add(text, "}");
}

static void write_outcome(const brink_sweep_index *indices, size_t nknobs, brink_text *text) {
  brink_text_add(text, "{\"name\":");
  brink_json_string(text, indices[0].measure);
  brink_text_add(text, ",\"samples\":%" PRIu64 ",\"first\":[", indices[0].samples);
  for (size_t k = 0; k < nknobs; k++) {
    const brink_sweep_index *i = &indices[k];
    if (k > 0) brink_text_add(text, ",");
    write_index(text, i->knob, i->first, i->first_lo, i->first_hi);
  }
  brink_text_add(text, "],\"total\":[");
  for (size_t k = 0; k < nknobs; k++) {
    const brink_sweep_index *i = &indices[k];
    if (k > 0) brink_text_add(text, ",");
    write_index(text, i->knob, i->total, i->total_lo, i->total_hi);
  }
  brink_text_add(text, "]}");
}

/* A sweep that was cancelled has none. */
static brink_status write_indices(brink_sweep *sweep, brink_text *text, brink_diag *diag) {
  const brink_sweep_index *indices = NULL;
  size_t count = 0, nknobs = sweep->design.nknobs;
  brink_status status = BRINK_OK;
  if (sweep->design.indices && sweep->progress.done == sweep->design.runs)
    status = brink_sweep_get_indices(sweep, &indices, &count, diag);
  if (status != BRINK_OK) return status;
  brink_text_add(text, count > 0 ? ",\n \"indices\":{\"level\":0.95,\"outcomes\":["
                                 : ",\n \"indices\":null");
  for (size_t k = 0; k < count; k += nknobs) {
    if (k > 0) brink_text_add(text, ",\n  ");
    write_outcome(indices + k, nknobs, text);
  }
  if (count > 0) brink_text_add(text, "]}");
  return BRINK_OK;
}

/* ---- how to get a run again ---- */

static void write_command(const brink_sweep *sweep, brink_text *text) {
  const brink_sweep_def *def = &sweep->def;
  const char *usual[] = {"brink", "run",
                         sweep->model.path != NULL ? sweep->model.path : "MODEL.hsml"};
  const char *const *words = def->nrun_words > 0 ? def->run_words : usual;
  size_t count = def->nrun_words > 0 ? def->nrun_words : sizeof usual / sizeof usual[0];
  brink_text_add(text, ",\n \"command\":[");
  for (size_t k = 0; k < count; k++) {
    if (k > 0) brink_text_add(text, ",");
    brink_json_string(text, words[k]);
  }
  brink_text_add(text, "]");
}

/* The way from the directory of a file to another directory: "../kept/". Both are there. False: out of memory, or one is
 * not there. */
static bool way_to(const char *file, const char *directory, brink_text *way) {
  const char *slash = strrchr(file, '/');
  brink_text beside = {0};
  brink_text_append(&beside, slash != NULL ? file : ".",
                    slash != NULL ? (size_t)(slash - file) + 1 : 1);
  char *from = beside.failed ? NULL : realpath(beside.data, NULL);
  char *to = realpath(directory, NULL);
  bool known = from != NULL && to != NULL;
  if (known) {
    /* The parts that both begin with; what is left of `from` are steps up. */
    size_t same = 0;
    for (size_t k = 0;; k++) {
      bool ends = (from[k] == '\0' || from[k] == '/') && (to[k] == '\0' || to[k] == '/');
      if (ends) same = k;
      if (from[k] != to[k] || from[k] == '\0') break;
    }
    for (const char *c = from + same; *c != '\0'; c++) {
      if (*c == '/' && c[1] != '\0') brink_text_add(way, "../");
    }
    const char *rest = to + same;
    while (*rest == '/') rest++;
    brink_text_add(way, "%s%s", rest, rest[0] != '\0' ? "/" : "");
  }
  free(from);
  free(to);
  brink_text_free(&beside);
  return known && !way->failed;
}

static void write_kept_as(brink_text *text, const char *what, const brink_text *way,
                          const char *ending) {
  brink_text before = {0};
  brink_text_add(&before, "%srun-", way->length > 0 ? way->data : "");
  brink_text_add(text, "{\"what\":\"%s\",\"before\":", what);
  brink_json_string(text, before.failed ? "" : before.data);
  brink_text_add(text, ",\"after\":\".%s\"}", ending);
  text->failed = text->failed || before.failed;
  brink_text_free(&before);
}

static void write_kept(const brink_sweep *sweep, const char *path, brink_text *text) {
  brink_text way = {0};
  brink_text_add(text, ",\n \"kept\":[");
  if (sweep->def.keep != NULL && way_to(path, sweep->def.keep, &way)) {
    if (sweep->def.keep_reports) {
      write_kept_as(text, "report", &way, "html");
      brink_text_add(text, ",");
    }
    write_kept_as(text, "trajectory", &way, sweep->def.keep_format);
  }
  brink_text_add(text, "]");
  text->failed = text->failed || way.failed;
  brink_text_free(&way);
}

/* ---- the page ---- */

static void write_head(const brink_sweep *sweep, brink_text *text) {
  const brink_page_rows *shown = &sweep->shown;
  brink_text_add(text, "{\"format\":1,\"kind\":\"sweep\",\"model\":");
  brink_json_string(text, sweep->first->built->system->name);
  brink_text_add(text, ",\"design\":\"%s\",\"runs\":%" PRIu64 ",\"unfinished\":%" PRIu64,
                 brink_design_name(sweep->design.kind), sweep->progress.done,
                 sweep->design.runs - sweep->progress.done);
  brink_text_add(
      text, ",\"counts\":{\"finished\":%" PRIu64 ",\"stopped\":%" PRIu64 ",\"failed\":%" PRIu64 "}",
      shown->finished, shown->stopped, shown->failed);
}

static brink_status write_data(brink_sweep *sweep, const char *path, brink_text *text,
                               brink_diag *diag) {
  const brink_unit *unit = sweep->first->unit;
  brink_facts facts;
  write_head(sweep, text);
  write_rows(sweep, text);
  brink_status status = write_indices(sweep, text, diag);
  if (status != BRINK_OK) return status;
  write_command(sweep, text);
  write_kept(sweep, path, text);
  brink_display_source(text, unit->files[0].path, unit->files[0].text);
  if (!brink_facts_begin(&facts, &sweep->arena, sweep->model.path, unit))
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  if (sweep->def.command != NULL) brink_facts_add(&facts, "command", "%s", sweep->def.command);
  brink_facts_add_date(&facts, time(NULL));
  brink_display_facts(text, facts.facts, facts.count);
  brink_text_add(text, "}\n");
  return text->failed ? brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory") : BRINK_OK;
}

static int to_file(const char *text, size_t length, void *user) {
  return fwrite(text, 1, length, user) == length ? 0 : 1;
}

static brink_status write_page(const brink_text *data, const char *path, brink_diag *diag) {
  FILE *file = fopen(path, "wb");
  brink_writer writer = {.write = to_file, .user = file};
  bool written = file != NULL && brink_display_write((const char *)brink_sweep_page,
                                                     brink_sweep_page_size, data, &writer) == 0;
  if (file != NULL && fclose(file) != 0) written = false;
  if (written) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_FILE, "cannot write %s: %s", path, strerror(errno));
}

brink_status brink_sweep_write_report(brink_sweep *sweep, const char *path, brink_diag *diag) {
  brink_diag own;
  if (diag == NULL) diag = &own;
  brink_diag_clear(diag);
  if (sweep == NULL || path == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "sweep and path must not be NULL");
  if (!sweep->shown.wanted)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "no report was prepared: set report");
  if (!sweep->ran) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the sweep has not been run");
  brink_text data = {0};
  brink_status status = write_data(sweep, path, &data, diag);
  if (status == BRINK_OK) status = write_page(&data, path, diag);
  brink_text_free(&data);
  return status;
}
