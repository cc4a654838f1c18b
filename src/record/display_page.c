/* display_page.c: a report as the data of its page. docs/report.md describes the object. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "record/display_parts.h"
#include "record/encode.h"

/* ---- columns and rows ---- */

static const char *type_name(brink_value_type type) {
  static const char *const names[] = {[BRINK_VALUE_REAL] = "real",
                                      [BRINK_VALUE_INTEGER] = "integer",
                                      [BRINK_VALUE_BOOLEAN] = "boolean",
                                      [BRINK_VALUE_STRING] = "string"};
  return names[type];
}

static void write_string_or_null(brink_text *text, const char *string) {
  if (string != NULL && string[0] != '\0')
    brink_json_string(text, string);
  else
    brink_text_add(text, "null");
}

static void write_variable_name(brink_text *text, const char *name) {
  brink_text bare = {.allocator = text->allocator};
  brink_bare_name(name, &bare);
  brink_json_string(text, bare.data != NULL ? bare.data : "");
  text->failed = text->failed || bare.failed;
  brink_text_free(&bare);
}

static void write_labels(brink_text *text, const brink_system *system) {
  brink_text_add(text, "[");
  for (size_t k = 0; k < system->nstrings; k++) {
    if (k > 0) brink_text_add(text, ",");
    brink_json_string(text, system->strings[k]);
  }
  brink_text_add(text, "]");
}

static void write_column(const brink_display *display, size_t k, brink_text *text) {
  const brink_columns *columns = display->def.columns;
  const brink_variable *variable = display->tracked[k]->as;
  brink_text room = {.allocator = text->allocator};
  const char *name = brink_columns_name(columns, display->tracked[k], display->element[k], &room);
  brink_text_add(text, "%s{\"name\":", k > 0 ? ",\n  " : "");
  brink_json_string(text, name);
  brink_text_add(text, ",\"variable\":");
  write_variable_name(text, name);
  text->failed = text->failed || room.failed;
  brink_text_free(&room);
  brink_text_add(text, ",\"kind\":\"%s\",\"type\":\"%s\",\"unit\":",
                 brink_tracked_kind(display->tracked[k]), type_name(variable->type));
  write_string_or_null(text, variable->unit);
  brink_text_add(text, ",\"labels\":");
  if (variable->type == BRINK_VALUE_STRING)
    write_labels(text, columns->system);
  else
    brink_text_add(text, "null");
  brink_text_add(text, "}");
}

/* One array for each chosen column. */
static void write_values(const brink_display *display, const brink_thinned *table,
                         brink_text *text) {
  brink_text_add(text, "[");
  for (size_t k = 0; k < display->nchosen; k++) {
    if (k > 0) brink_text_add(text, ",\n  ");
    brink_encode_array(text, BRINK_ELEMENT_F8, table->values + k, table->rows, table->ncolumns);
  }
  brink_text_add(text, "]");
}

/* Rows that are extremes cannot be drawn against each other: then there are points for that. */
static void write_points(const brink_display *display, brink_text *text) {
  brink_text_add(text, ",\n \"together\":");
  if (display->rows.width == 0.0) {
    brink_text_add(text, "null");
    return;
  }
  brink_text_add(text, "{\"time\":");
  brink_encode_array(text, BRINK_ELEMENT_F8, display->points.t, display->points.rows, 1);
  brink_text_add(text, ",\n  \"values\":");
  write_values(display, &display->points, text);
  brink_text_add(text, "}");
}

static void write_rows(const brink_display *display, brink_text *text) {
  const brink_thinned *rows = &display->rows;
  brink_text_add(text, ",\n \"columns\":[");
  for (size_t k = 0; k < display->nchosen; k++) write_column(display, k, text);
  brink_text_add(text, "],\n \"columns_total\":%zu,\"rows\":%zu,\"thinned\":%s,\"row_width\":",
                 display->def.columns->count, rows->rows, rows->width > 0.0 ? "true" : "false");
  brink_json_real(text, rows->width);
  brink_text_add(text, ",\n \"time\":");
  brink_encode_array(text, BRINK_ELEMENT_F8, rows->t, rows->rows, 1);
  brink_text_add(text, ",\n \"values\":");
  write_values(display, rows, text);
  write_points(display, text);
}

static void write_steps(const brink_display *display, brink_text *text) {
  const brink_thinned *steps = &display->steps;
  brink_text_add(text, ",\n \"steps\":{\"count\":%zu,\"thinned\":%s,\"t\":", display->nsteps,
                 steps->width > 0.0 ? "true" : "false");
  brink_encode_array(text, BRINK_ELEMENT_F8, steps->t, steps->rows, 1);
  brink_text_add(text, ",\n  \"h\":");
  brink_encode_array(text, BRINK_ELEMENT_F8, steps->values, steps->rows, 2);
  brink_text_add(text, ",\n  \"order\":");
  brink_encode_array(text, BRINK_ELEMENT_F8, steps->values + 1, steps->rows, 2);
  brink_text_add(text, "}");
}

/* ---- lists ---- */

static void write_list(brink_text *text, const char *key, const brink_text *items) {
  brink_text_add(text, ",\n \"%s\":[", key);
  brink_text_append(text, items->data, items->length);
  brink_text_add(text, "]");
  text->failed = text->failed || items->failed;
}

enum { MOST_PARAMETERS = 500 };

/* As they were at the start. */
static void write_parameters(const brink_system *system, brink_text *text) {
  brink_columns given;
  brink_moment start = {.x = system->x0, .p = system->p0, .mode = system->mode0};
  brink_text_add(text, ",\n \"parameters\":[");
  if (brink_columns_init_given(&given, system, &text->allocator) != BRINK_OK) {
    text->failed = true;
    return;
  }
  size_t count = 0;
  brink_text room = {.allocator = text->allocator};
  for (size_t k = 0; k < given.ntracked; k++) {
    const brink_tracked *tracked = &given.tracked[k];
    const brink_variable *variable = tracked->as;
    for (size_t e = 0; e < tracked->count && count < MOST_PARAMETERS; e++) {
      brink_text_add(text, "%s{\"name\":", count++ > 0 ? "," : "");
      brink_json_string(text, brink_columns_name(&given, tracked, e, &room));
      brink_text_add(text, ",\"value\":");
      brink_json_value(text, system, variable->type,
                       brink_columns_value(&given, tracked, e, &start));
      brink_text_add(text, ",\"unit\":");
      write_string_or_null(text, variable->unit);
      brink_text_add(text, "}");
    }
  }
  brink_text_add(text, "]");
  text->failed = text->failed || room.failed;
  brink_text_free(&room);
  brink_columns_free(&given);
}

void brink_display_facts(brink_text *text, const brink_fact *facts, size_t count) {
  brink_text_add(text, ",\n \"provenance\":[");
  for (size_t k = 0; k < count; k++) {
    brink_text_add(text, "%s[", k > 0 ? "," : "");
    brink_json_string(text, facts[k].name);
    brink_text_add(text, ",");
    brink_json_string(text, facts[k].value);
    brink_text_add(text, "]");
  }
  brink_text_add(text, "]");
}

void brink_display_source(brink_text *text, const char *path, const char *source) {
  const char *slash = strrchr(path, '/');
  brink_text_add(text, ",\n \"source\":{\"file\":");
  brink_json_string(text, slash != NULL ? slash + 1 : path);
  brink_text_add(text, ",\"text\":");
  brink_json_string(text, source);
  brink_text_add(text, "}");
}

/* ---- the object ---- */

bool brink_display_data(const brink_display *display, const brink_display_context *context,
                        brink_text *text) {
  brink_summary summary = *context->summary;
  summary.brief = true;
  brink_text_add(text, "{\"format\":1,\"summary\":");
  brink_json_summary(text, &summary, context->journal, context->final);
  brink_text_add(text, ",\"started\":");
  brink_json_real(text, display->started);
  brink_text_add(text, ",\"until\":");
  brink_json_real(text, isfinite(display->def.until) ? display->def.until : summary.t);
  write_rows(display, text);
  write_list(text, "events", &display->events);
  brink_text_add(text, ",\n \"events_total\":%zu", display->ntold);
  write_list(text, "slides", &context->journal->sliding);
  write_list(text, "misses", &context->journal->misses);
  brink_text_add(text, ",\n \"misses_total\":%zu", context->journal->nmisses);
  write_steps(display, text);
  write_list(text, "approaches", &display->approaches.text);
  brink_text_add(text, ",\n \"populations\":[");
  brink_populations_write(&display->populations, text);
  brink_text_add(text, "]");
  brink_display_source(text, context->source_name, context->source);
  write_parameters(display->def.columns->system, text);
  brink_display_facts(text, context->facts, context->nfacts);
  if (context->conditions != NULL)
    write_list(text, "conditions", context->conditions);
  else
    brink_text_add(text, ",\n \"conditions\":null");
  brink_text_add(text, "}\n");
  return !text->failed;
}

/* ---- the page ---- */

/* In a page no text may end the script that holds it. A '<' in JSON stands in strings only. */
static int write_escaped(const brink_text *data, const brink_writer *writer) {
  size_t done = 0;
  int outcome = 0;
  while (outcome == 0 && done < data->length) {
    const char *from = data->data + done;
    const char *less = memchr(from, '<', data->length - done);
    size_t length = less != NULL ? (size_t)(less - from) : data->length - done;
    if (length > 0) outcome = writer->write(from, length, writer->user);
    if (outcome == 0 && less != NULL) outcome = writer->write("\\u003c", 6, writer->user);
    done += length + (less != NULL);
  }
  return outcome;
}

static const char *find_place(const char *page, size_t size) {
  static const char before[] = "<script id=\"brink-data\" type=\"application/json\">";
  size_t length = sizeof before - 1;
  for (size_t k = 0; k + length + 4 <= size; k++) {
    if (memcmp(page + k, before, length) == 0 && memcmp(page + k + length, "null", 4) == 0)
      return page + k + length;
  }
  return NULL;
}

int brink_display_write(const char *page, size_t size, const brink_text *data,
                        const brink_writer *writer) {
  const char *place = find_place(page, size);
  if (place == NULL || data->failed) return -1;
  size_t before = (size_t)(place - page);
  int outcome = writer->write(page, before, writer->user);
  if (outcome == 0) outcome = write_escaped(data, writer);
  if (outcome == 0) outcome = writer->write(place + 4, size - before - 4, writer->user);
  return outcome;
}
