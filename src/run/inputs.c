/* inputs.c: values of the top component's inputs over time: from a file (input_csv.c) or from memory; as the values of a
 * system. Cells of a file stay text until the model says what they are. */
#include "run/inputs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/show.h"
#include "run/hsml.h"

/* Where messages go. */
typedef struct reporter {
  brink_hsml *model;
  brink_diag *diag;
} reporter;

/* ---- what is wrong ---- */

brink_status brink_inputs_wrong(brink_hsml *model, const brink_inputs *inputs, size_t line,
                                size_t at, brink_diag *diag, const char *code, const char *format,
                                ...) {
  char words[BRINK_DIAG_MESSAGE / 2];
  va_list arguments;
  va_start(arguments, format);
  brink_format_short(words, sizeof words, format, arguments);
  va_end(arguments);
  if (inputs->path == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "inputs, row %zu: %s", line, words);
  brink_hsml_complain(model, code, inputs->path, line, at, words);
  return brink_diag_set(diag, BRINK_ERR_FILE, "%s:%zu: %s", inputs->path, line, words);
}

void brink_inputs_note(brink_hsml *model, brink_inputs *inputs, size_t line, size_t at,
                       const char *code, const char *format, ...) {
  char words[BRINK_DIAG_MESSAGE / 2];
  va_list arguments;
  va_start(arguments, format);
  brink_format_short(words, sizeof words, format, arguments);
  va_end(arguments);
  brink_hsml_message *note =
      brink_arena_push(&inputs->arena, inputs->notes, inputs->nnotes, inputs->notes_capacity);
  if (note != NULL && !brink_hsml_message_make(&inputs->arena, BRINK_WARNING, code, inputs->path,
                                               line, at, words, note))
    inputs->nnotes--;
  model->messages = NULL;
}

static brink_status no_memory(const reporter *r) {
  return brink_diag_set(r->diag, BRINK_ERR_MEMORY, "out of memory");
}

/* ---- the file ---- */

/* The whole file in the arena. */
static brink_status read_text(const reporter *r, brink_inputs *inputs, char **kept) {
  const char *reason = NULL;
  size_t length;
  char *text = brink_file_reader.read(inputs->path, &length, &reason, brink_file_reader.user);
  if (text == NULL)
    return brink_diag_set(r->diag, BRINK_ERR_FILE, "cannot read %s: %s", inputs->path,
                          reason != NULL ? reason : "it cannot be read");
  size_t line, column;
  bool nul = !brink_csv_is_utf16(text) && brink_text_find_nul(text, length, &line, &column);
  *kept = brink_arena_text(&inputs->arena, text);
  free(text);
  if (nul)
    return brink_inputs_wrong(r->model, inputs, line, column, r->diag, "input-encoding",
                              "a NUL byte: this is not a text file");
  return *kept != NULL ? BRINK_OK : no_memory(r);
}

/* ---- what holds at the start ---- */

/* The row that holds at t: the last one until then, else the first. A line between two rows that has
 * begun before is taken up by the run itself. */
static size_t row_at(const brink_inputs *inputs, double t) {
  size_t row = 0;
  while (row + 1 < inputs->nrows && inputs->t[row + 1] <= t) row++;
  return row;
}

const char *const *brink_inputs_sets(double t, void *user) {
  brink_inputs *inputs = user;
  brink_arena_free(&inputs->at_start);
  const char **sets = brink_arena_take(&inputs->at_start, inputs->ncolumns, sizeof *sets);
  brink_text text = {0};
  size_t first = row_at(inputs, t) * inputs->ncolumns;
  bool fine = sets != NULL;
  for (size_t k = 0; fine && k < inputs->ncolumns; k++) {
    char number[BRINK_DOUBLE_TEXT];
    const char *value = inputs->cells != NULL
                            ? inputs->cells[first + k]
                            : brink_double_text(inputs->values[first + k], number);
    text.length = 0;
    const char *quote = value[0] == '[' ? "\"" : ""; /* a string, not a list */
    brink_text_add(&text, "%s=%s%s%s", inputs->names[k], quote, value, quote);
    sets[k] = text.failed ? NULL : brink_arena_text(&inputs->at_start, text.data);
    fine = sets[k] != NULL;
  }
  brink_text_free(&text);
  return fine ? sets : NULL;
}

/* ---- the object ---- */

static brink_inputs *new_inputs(const char *path, bool hold, const brink_allocator *allocator) {
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_inputs *inputs = brink_arena_take(&arena, 1, sizeof *inputs);
  if (inputs == NULL) return NULL;
  atomic_init(&inputs->users, 1);
  brink_arena_init(&inputs->at_start, allocator);
  inputs->hold = hold;
  inputs->path = path != NULL ? brink_arena_text(&arena, path) : NULL;
  inputs->arena = arena;
  if (!arena.failed) return inputs;
  brink_arena_free(&arena);
  return NULL;
}

brink_inputs *brink_inputs_share(brink_inputs *inputs) {
  if (inputs != NULL) atomic_fetch_add(&inputs->users, 1);
  return inputs;
}

void brink_inputs_destroy(brink_inputs *inputs) {
  if (inputs == NULL || atomic_fetch_sub(&inputs->users, 1) > 1) return;
  brink_arena_free(&inputs->at_start);
  brink_arena arena = inputs->arena;
  brink_arena_free(&arena);
}

static brink_status read_file(const reporter *r, brink_inputs *inputs) {
  char *text = NULL;
  brink_status status = read_text(r, inputs, &text);
  return status == BRINK_OK ? brink_inputs_parse(r->model, inputs, text, r->diag) : status;
}

brink_status brink_inputs_read(brink_hsml *model, const char *path, bool hold, brink_diag *diag,
                               brink_inputs **inputs) {
  reporter r = {model, diag};
  brink_inputs *made = new_inputs(path, hold, &model->arena.allocator);
  if (made == NULL) return no_memory(&r);
  brink_status status = read_file(&r, made);
  if (status == BRINK_OK)
    *inputs = made;
  else
    brink_inputs_destroy(made);
  return status;
}

static brink_status check_given(const reporter *r, const brink_hsml_inputs *given) {
  if (given->count == 0 || given->rows == 0 || given->names == NULL || given->t == NULL ||
      given->values == NULL)
    return brink_diag_set(r->diag, BRINK_ERR_ARGUMENT, "inputs need names, times and values");
  for (size_t k = 0; k < given->count; k++) {
    if (given->names[k] == NULL)
      return brink_diag_set(r->diag, BRINK_ERR_ARGUMENT, "inputs: names[%zu] is NULL", k);
  }
  for (size_t k = 0; k < given->rows; k++) {
    if (!isfinite(given->t[k]) || (k > 0 && given->t[k] < given->t[k - 1]))
      return brink_diag_set(r->diag, BRINK_ERR_ARGUMENT,
                            "inputs: t[%zu] = %g: times are finite and do not decrease", k,
                            given->t[k]);
  }
  return BRINK_OK;
}

brink_status brink_inputs_copy(const brink_hsml_inputs *given, const brink_allocator *allocator,
                               brink_diag *diag, brink_inputs **inputs) {
  reporter r = {NULL, diag};
  brink_status status = check_given(&r, given);
  if (status != BRINK_OK) return status;
  brink_inputs *made = new_inputs(NULL, given->hold, allocator);
  if (made == NULL) return no_memory(&r);
  brink_arena *arena = &made->arena;
  made->ncolumns = given->count;
  made->nrows = given->rows;
  made->names = brink_arena_take(arena, given->count, sizeof *made->names);
  made->t = brink_arena_copy(arena, given->t, given->rows, sizeof *made->t);
  made->values = brink_arena_copy(arena, given->values, given->rows * given->count, sizeof(double));
  made->line = brink_arena_take(arena, given->rows, sizeof *made->line);
  for (size_t k = 0; !arena->failed && k < given->count; k++)
    made->names[k] = brink_arena_text(arena, given->names[k]);
  for (size_t k = 0; !arena->failed && k < given->rows; k++) made->line[k] = k;
  status = arena->failed ? no_memory(&r) : BRINK_OK;
  if (status == BRINK_OK)
    *inputs = made;
  else
    brink_inputs_destroy(made);
  return status;
}

/* ---- as the model's values ---- */

static bool read_boolean(const char *cell, double *value) {
  bool yes = strcmp(cell, "true") == 0 || strcmp(cell, "1") == 0;
  *value = yes ? 1.0 : 0.0;
  return yes || strcmp(cell, "false") == 0 || strcmp(cell, "0") == 0;
}

static bool read_number(const char *text, double *value) {
  char *end;
  *value = brink_read_double(text, &end);
  return end != text && *end == '\0' && isfinite(*value);
}

static brink_status read_cell(const reporter *r, const brink_inputs *inputs,
                              const brink_system *system, size_t row, size_t column,
                              double *value) {
  const brink_variable *variable = &system->variables[system->driven[column].variable];
  const char *name = inputs->names[column];
  char number[BRINK_DOUBLE_TEXT];
  size_t line = inputs->line[row], at = row * inputs->ncolumns + column;
  const char *cell =
      inputs->cells != NULL ? inputs->cells[at] : brink_double_text(inputs->values[at], number);
  bool words = variable->type == BRINK_VALUE_BOOLEAN; /* not those of the file */
  size_t column_at = inputs->cells != NULL && !words ? (size_t)(cell - inputs->start[row]) + 1 : 0;
  bool known = variable->type == BRINK_VALUE_STRING    ? brink_system_string(system, cell, value)
               : variable->type == BRINK_VALUE_BOOLEAN ? read_boolean(cell, value)
                                                       : read_number(cell, value);
  if (!known)
    return brink_inputs_wrong(r->model, inputs, line, column_at, r->diag, "input-value",
                              "%s = '%s' is not %s", name, cell,
                              variable->type == BRINK_VALUE_STRING ? "a value that the model knows"
                              : variable->type == BRINK_VALUE_BOOLEAN ? "true or false"
                                                                      : "a number");
  if (variable->type == BRINK_VALUE_INTEGER && *value != floor(*value))
    return brink_inputs_wrong(r->model, inputs, line, column_at, r->diag, "input-whole",
                              "%s = %s is not a whole number", name, cell);
  if (!brink_variable_allows(variable, system->driven[column].element, *value))
    return brink_inputs_wrong(r->model, inputs, line, column_at, r->diag, "input-range",
                              "%s = %s is outside its declared range", name, cell);
  return BRINK_OK;
}

/* Between two rows an input is a line, whose slope must be a number. */
static brink_status check_slopes(const reporter *r, const brink_inputs *inputs,
                                 const brink_system *system, const double *values) {
  size_t n = inputs->ncolumns;
  for (size_t k = 0; k + 1 < inputs->nrows; k++) {
    double length = inputs->t[k + 1] - inputs->t[k];
    if (!(length > 0.0)) continue;
    for (size_t c = 0; c < n; c++) {
      double from = values[k * n + c], to = values[(k + 1) * n + c];
      if (system->driven[c].rate == BRINK_NO_INDEX || isfinite((to - from) / length)) continue;
      return brink_inputs_wrong(r->model, inputs, inputs->line[k + 1], 0, r->diag, "input-value",
                                "%s goes from %g to %g between t = %g and t = %g: its slope is too "
                                "large for a number",
                                inputs->names[c], from, to, inputs->t[k], inputs->t[k + 1]);
    }
  }
  return BRINK_OK;
}

brink_status brink_inputs_bind(brink_hsml *model, const brink_inputs *inputs,
                               const brink_system *system, brink_diag *diag, brink_inputs **bound) {
  reporter r = {model, diag};
  brink_inputs *made = new_inputs(inputs->path, inputs->hold, &model->arena.allocator);
  if (made == NULL) return no_memory(&r);
  size_t count = inputs->nrows * inputs->ncolumns;
  made->nrows = inputs->nrows;
  made->t = brink_arena_copy(&made->arena, inputs->t, inputs->nrows, sizeof(double));
  made->values = brink_arena_take(&made->arena, count, sizeof(double));
  brink_status status = made->arena.failed ? no_memory(&r) : BRINK_OK;
  for (size_t k = 0; k < count && status == BRINK_OK; k++)
    status =
        read_cell(&r, inputs, system, k / inputs->ncolumns, k % inputs->ncolumns, &made->values[k]);
  if (status == BRINK_OK) status = check_slopes(&r, inputs, system, made->values);
  made->table = (brink_input_table){.t = made->t, .nrows = made->nrows, .values = made->values};
  if (status == BRINK_OK)
    *bound = made;
  else
    brink_inputs_destroy(made);
  return status;
}
