/* report.c: diagnostics of the language: collected in a unit, sorted, rendered with their source line. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "lang/ast.h"

#define WINDOW ((size_t)120) /* of a long source line, in bytes */

/* ---- memory ---- */

void *brink_unit_take(brink_unit *unit, size_t count, size_t size) {
  return brink_unit_note(unit,
                         unit->out_of_memory ? NULL : brink_arena_pack(&unit->arena, count, size));
}

void *brink_unit_note(brink_unit *unit, void *memory) {
  if (memory == NULL) unit->out_of_memory = true;
  return memory;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 0)))
#endif
static const char *
format_list(brink_unit *unit, const char *format, va_list arguments) {
  const char *text =
      unit->out_of_memory ? NULL : brink_arena_format(&unit->arena, format, arguments);
  if (text == NULL) unit->out_of_memory = true;
  return text != NULL ? text : "";
}

const char *brink_unit_format(brink_unit *unit, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const char *text = format_list(unit, format, arguments);
  va_end(arguments);
  return text;
}

/* ---- collecting ---- */

static bool is_continuation(char c) {
  return ((unsigned char)c & 0xc0) == 0x80;
}

/* A message for the screen: not too long (names may be as long as they like), and nothing in it that moves the cursor. */
static const char *tidy(brink_unit *unit, const char *text) {
  brink_text shown = {.allocator = unit->arena.allocator};
  brink_text_show_message(&shown, text);
  char *copy = shown.failed ? NULL : brink_unit_take(unit, shown.length + 1, 1);
  if (shown.failed) unit->out_of_memory = true;
  if (copy != NULL && shown.length > 0) memcpy(copy, shown.data, shown.length);
  brink_text_free(&shown);
  return copy != NULL ? copy : "";
}

static bool is_known(const brink_unit *unit, brink_severity severity, brink_place place) {
  for (size_t i = 0; i < unit->nitems; i++) {
    const brink_report_item *item = &unit->items[i];
    if (item->severity == severity && item->place.file == place.file &&
        item->place.line == place.line && item->place.column == place.column)
      return true;
  }
  return false;
}

/* A place in the list. When it is full, an error takes that of a warning: the reason of a
 * failure must be visible. */
static brink_report_item *new_item(brink_unit *unit, brink_severity severity) {
  if (unit->nitems >= BRINK_REPORT_LIMIT) {
    unit->too_many = true;
    for (size_t i = unit->nitems; severity == BRINK_ERROR && i-- > 0;)
      if (unit->items[i].severity == BRINK_WARNING) return &unit->items[i];
    return NULL;
  }
  return brink_unit_push(unit, unit->items, unit->nitems, unit->items_capacity);
}

/* Number, message, hint and arguments of a new item. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 0)))
#endif
static void
fill_item(brink_unit *unit, brink_report_item *item, const char *hint, const char *format,
          va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  item->number = unit->reported++;
  item->message = tidy(unit, format_list(unit, format, arguments));
  if (hint != NULL) item->hint = tidy(unit, hint);
  if (!brink_message_arguments(item, &unit->arena, format, again)) unit->out_of_memory = true;
  va_end(again);
}

void brink_report_list(brink_unit *unit, brink_severity severity, brink_message code,
                       brink_place place, const char *hint, const char *format, va_list arguments) {
  if (unit->out_of_memory || is_known(unit, severity, place)) return;
  if (severity == BRINK_ERROR)
    unit->nerrors++;
  else
    unit->nwarnings++;
  brink_report_item *item = new_item(unit, severity);
  if (item == NULL) return;
  *item = (brink_report_item){.code = code, .severity = severity, .place = place};
  fill_item(unit, item, hint, format, arguments);
}

void brink_report(brink_unit *unit, brink_severity severity, brink_message code, brink_place place,
                  const char *hint, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  brink_report_list(unit, severity, code, place, hint, format, arguments);
  va_end(arguments);
}

void brink_report_more(brink_unit *unit, size_t before, const brink_place *places, size_t count) {
  if (unit->out_of_memory || unit->reported == before || count == 0) return;
  brink_place *kept = brink_unit_take(unit, count, sizeof *kept);
  if (kept == NULL) return;
  memcpy(kept, places, count * sizeof *kept);
  for (size_t k = 0; k < unit->nitems; k++) {
    if (unit->items[k].number != before) continue;
    unit->items[k].more = kept;
    unit->items[k].nmore = count;
  }
}

void brink_report_setting(brink_unit *unit, brink_origin origin, const char *setting,
                          brink_message code, const char *hint, const char *format,
                          va_list arguments) {
  if (unit->out_of_memory || unit->nsettings > 0) return;
  brink_report_item *item = new_item(unit, BRINK_ERROR);
  unit->nsettings++;
  if (item == NULL) return;
  *item = (brink_report_item){.code = code,
                              .severity = BRINK_ERROR,
                              .origin = origin,
                              .place.file = BRINK_NO_FILE,
                              .setting = tidy(unit, setting)};
  fill_item(unit, item, hint, format, arguments);
}

void brink_report_setting_at(brink_unit *unit, size_t at, size_t length) {
  for (size_t k = 0; k < unit->nitems; k++) {
    if (unit->items[k].origin == BRINK_ORIGIN_TEXT) continue;
    unit->items[k].place.column = (uint32_t)at + 1;
    unit->items[k].place.length = (uint32_t)length;
  }
}

/* ---- taking back ---- */

brink_report_mark brink_report_now(const brink_unit *unit) {
  return (brink_report_mark){.reported = unit->reported,
                             .nerrors = unit->nerrors,
                             .nwarnings = unit->nwarnings,
                             .nsettings = unit->nsettings,
                             .too_many = unit->too_many};
}

/* Items may have been sorted since: their numbers say which ones are newer. */
void brink_report_return(brink_unit *unit, const brink_report_mark *mark) {
  size_t kept = 0;
  for (size_t k = 0; k < unit->nitems; k++)
    if (unit->items[k].number < mark->reported) unit->items[kept++] = unit->items[k];
  unit->nitems = kept;
  unit->nerrors = mark->nerrors;
  unit->nwarnings = mark->nwarnings;
  unit->nsettings = mark->nsettings;
  unit->too_many = mark->too_many;
}

const brink_report_item *brink_report_of_settings(const brink_unit *unit) {
  for (size_t k = 0; k < unit->nitems; k++)
    if (unit->items[k].origin != BRINK_ORIGIN_TEXT) return &unit->items[k];
  return NULL;
}

void brink_report_forget_settings(brink_unit *unit) {
  size_t kept = 0;
  for (size_t k = 0; k < unit->nitems; k++)
    if (unit->items[k].origin == BRINK_ORIGIN_TEXT) unit->items[kept++] = unit->items[k];
  unit->nitems = kept;
  unit->nsettings = 0;
}

/* ---- sorting ---- */

static int compare_items(const void *left, const void *right) {
  const brink_report_item *a = left, *b = right;
  if (a->place.file != b->place.file) return a->place.file < b->place.file ? -1 : 1;
  if (a->place.line != b->place.line) return a->place.line < b->place.line ? -1 : 1;
  if (a->place.column != b->place.column) return a->place.column < b->place.column ? -1 : 1;
  return (int)b->severity - (int)a->severity; /* no two of one severity share a place */
}

/* The start of line `wanted`, searched from `text`, which is the start of line *line. */
static const char *find_line(const char *text, const char *end, uint32_t *line, uint32_t wanted) {
  while (*line < wanted) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    if (newline == NULL) break;
    text = newline + 1;
    ++*line;
  }
  return text;
}

/* All source lines in one pass over each file, however long it is. */
static void find_lines(brink_unit *unit) {
  uint32_t file = UINT32_MAX, line = 1;
  const char *text = NULL, *end = NULL;
  for (size_t i = 0; i < unit->nitems; i++) {
    brink_report_item *item = &unit->items[i];
    if (item->place.file >= unit->nfiles) continue;
    if (item->place.file != file) {
      file = item->place.file;
      line = 1;
      text = unit->files[file].text;
      end = text + unit->files[file].length;
    }
    text = find_line(text, end, &line, item->place.line);
    item->line_text = text;
  }
}

void brink_report_sort(brink_unit *unit) {
  if (unit->nitems == 0) return;
  qsort(unit->items, unit->nitems, sizeof *unit->items, compare_items);
  find_lines(unit);
}

/* ---- showing ---- */

/* The part of a line that is shown: all of it, or a window around the caret. */
typedef struct window {
  const char *line;
  size_t length;      /* of the line */
  size_t start, stop; /* of the window */
} window;

static window find_window(const char *line, const char *end, size_t caret) {
  const char *newline = memchr(line, '\n', (size_t)(end - line));
  window w = {.line = line, .length = (size_t)((newline != NULL ? newline : end) - line)};
  if (w.length > 0 && line[w.length - 1] == '\r') w.length--;
  w.stop = w.length;
  if (w.length <= WINDOW + WINDOW / 3) return w;
  if (caret > w.length) caret = w.length;
  w.start = caret > WINDOW / 2 ? caret - WINDOW / 2 : 0;
  if (w.start > w.length - WINDOW) w.start = w.length - WINDOW;
  w.stop = w.start + WINDOW;
  while (w.start > 0 && is_continuation(line[w.start])) w.start--;
  while (w.stop < w.length && is_continuation(line[w.stop])) w.stop++;
  return w;
}

static void add_source(const window *w, brink_text *text) {
  if (w->start > 0) brink_text_append(text, "...", 3);
  for (size_t i = w->start, length; i<w->stop; i += length> 0 ? length : 1) {
    uint32_t code = 0;
    length = brink_utf8_decode(w->line + i, w->line + w->stop, &code);
    bool hidden = length == 0 || (brink_is_control(code) && code != '\t');
    brink_text_append(text, hidden ? "?" : w->line + i, hidden ? 1 : length);
  }
  brink_text_append(text, w->stop < w->length ? "...\n" : "\n", w->stop < w->length ? 4 : 1);
}

/* Under every character before the place a space, or a tab where there is a tab. */
static void add_carets(const window *w, size_t caret, size_t length, brink_text *text) {
  if (w->start > 0) brink_text_append(text, "   ", 3);
  for (size_t i = w->start; i < caret; i++) {
    if (i < w->stop && is_continuation(w->line[i])) continue;
    brink_text_append(text, i < w->stop && w->line[i] == '\t' ? "\t" : " ", 1);
  }
  brink_text_append(text, "^", 1);
  for (size_t i = caret + 1; i < caret + length && i < w->stop; i++)
    if (!is_continuation(w->line[i])) brink_text_append(text, "^", 1);
  brink_text_append(text, "\n", 1);
}

/* The source line of a place, which may be known, and carets. */
static void show_place(const brink_unit *unit, const brink_place *place, const char *line,
                       brink_text *text) {
  const brink_file *file = &unit->files[place->file];
  const char *end = file->text + file->length;
  uint32_t first = 1;
  if (line == NULL) line = find_line(file->text, end, &first, place->line);
  size_t caret = place->column > 0 ? place->column - 1 : 0;
  window w = find_window(line, end, caret);
  if (caret > w.length) caret = w.length;
  add_source(&w, text);
  add_carets(&w, caret, place->length, text);
}

void brink_report_carets(const char *line, size_t at, size_t length, brink_text *text) {
  window w = {.line = line, .length = strlen(line), .stop = strlen(line)};
  brink_text_append(text, "  ", 2);
  add_source(&w, text);
  brink_text_append(text, "  ", 2);
  add_carets(&w, at < w.length ? at : w.length, length, text);
}

static void show_headline(const brink_unit *unit, const brink_place *place, const char *word,
                          const char *message, brink_text *text) {
  brink_text_show_message(text, unit->files[place->file].path);
  brink_text_add(text, ":%u:%u: %s: ", (unsigned)place->line, (unsigned)place->column, word);
  brink_text_show(text, message);
  brink_text_append(text, "\n", 1);
}

static void show_more(const brink_unit *unit, const brink_place *places, size_t count,
                      brink_text *text) {
  for (size_t k = 0; k < count; k++) {
    if (places[k].file >= unit->nfiles) continue;
    show_headline(unit, &places[k], "note", "and this equation", text);
    show_place(unit, &places[k], NULL, text);
  }
}

static const char *word_for(brink_severity severity) {
  return severity == BRINK_ERROR ? "error" : "warning";
}

void brink_report_render(const brink_unit *unit, const brink_report_item *item, brink_text *text) {
  const brink_place *place = &item->place;
  if (item->setting != NULL) {
    brink_text_show_message(text, item->setting);
    brink_text_add(text, ": error: %s\n", item->message);
  }
  if (item->setting != NULL && place->column > 0)
    brink_report_carets(item->setting, place->column - 1, place->length, text);
  if (item->setting != NULL && item->hint != NULL) brink_text_add(text, "hint: %s\n", item->hint);
  if (place->file >= unit->nfiles) return;
  show_headline(unit, place, word_for(item->severity), item->message, text);
  show_place(unit, place, item->line_text, text);
  show_more(unit, item->more, item->nmore, text);
  if (item->hint != NULL) brink_text_add(text, "hint: %s\n", item->hint);
}

void brink_report_render_at(const brink_unit *unit, brink_severity severity,
                            const brink_place *places, size_t count, const char *message,
                            const char *hint, brink_text *text) {
  if (count == 0 || places[0].file >= unit->nfiles) return;
  show_headline(unit, &places[0], word_for(severity), message, text);
  show_place(unit, &places[0], NULL, text);
  show_more(unit, places + 1, count - 1, text);
  if (hint != NULL) brink_text_add(text, "hint: %s\n", hint);
}

/* ---- for surfaces ---- */

bool brink_report_read(const brink_unit *unit, size_t k, brink_report_entry *entry) {
  if (k >= unit->nitems) return false;
  const brink_report_item *item = &unit->items[k];
  bool placed = item->place.file < unit->nfiles;
  *entry = (brink_report_entry){.code = brink_message_code(item->code),
                                .severity = item->severity,
                                .origin = item->origin,
                                .setting = item->setting,
                                .file = placed ? unit->files[item->place.file].path : NULL,
                                .line = item->place.line,
                                .column = item->place.column,
                                .length = item->place.length,
                                .arguments = item->arguments,
                                .narguments = item->narguments,
                                .message = item->message,
                                .hint = item->hint};
  return true;
}
