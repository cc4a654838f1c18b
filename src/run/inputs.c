/* inputs.c: values of the top component's inputs over time.
 *
 * A file is read as RFC 4180 says (fields may be quoted; lines end with LF or CRLF); the first line
 * has names, the first column is time. Cells stay text until the model says what they are. */
#include "run/inputs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/hsml.h"

/* Where messages go. */
typedef struct reporter {
  brink_hsml *model;
  brink_diag *diag;
} reporter;

/* ---- what is wrong ---- */

#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static brink_status
wrong(const reporter *r, const brink_inputs *inputs, size_t line, const char *code,
      const char *format, ...) {
  char words[BRINK_DIAG_MESSAGE / 2];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  if (inputs->path == NULL)
    return brink_diag_set(r->diag, BRINK_ERR_ARGUMENT, "inputs, row %zu: %s", line, words);
  brink_hsml_complain(r->model, code, inputs->path, line, words);
  return brink_diag_set(r->diag, BRINK_ERR_FILE, "%s:%zu: %s", inputs->path, line, words);
}

static brink_status no_memory(const reporter *r) {
  return brink_diag_set(r->diag, BRINK_ERR_MEMORY, "out of memory");
}

/* ---- fields ---- */

typedef struct scanner {
  char *at;       /* in a text that fields are cut out of */
  size_t line;    /* of the next field */
  bool line_ends; /* the last field was the last of its line */
  bool unclosed;  /* a quote that nothing closes */
} scanner;

/* A quoted field, from behind its first quote; doubled quotes become one. */
static char *take_quoted(scanner *s) {
  char *field = s->at, *to = s->at;
  while (*s->at != '\0') {
    if (*s->at == '"' && s->at[1] != '"') break;
    if (*s->at == '"') s->at++;
    if (*s->at == '\n') s->line++;
    *to++ = *s->at++;
  }
  s->unclosed = *s->at == '\0';
  if (!s->unclosed) s->at++;
  s->at += strcspn(s->at, ",\r\n");
  char *end = s->at;
  if (to != end) *to = '\0';
  return field;
}

/* The next field, cut out; NULL: the text is over. */
static char *take_field(scanner *s) {
  if (*s->at == '\0') return NULL;
  bool quoted = *s->at == '"';
  if (quoted) s->at++;
  char *field = quoted ? take_quoted(s) : s->at;
  if (!quoted) s->at += strcspn(s->at, ",\r\n");
  char last = *s->at;
  s->line_ends = last != ',';
  *s->at = '\0';
  if (last == '\r' && s->at[1] == '\n') s->at++;
  if (last != '\0') s->at++;
  if (last == '\r' || last == '\n') s->line++;
  return field;
}

static char *trimmed(char *field) {
  field += strspn(field, " \t");
  size_t length = strlen(field);
  while (length > 0 && (field[length - 1] == ' ' || field[length - 1] == '\t')) length--;
  field[length] = '\0';
  return field;
}

/* ---- the file ---- */

static brink_status read_names(const reporter *r, brink_inputs *inputs, scanner *s,
                               size_t capacity) {
  bool first = true;
  inputs->names = brink_arena_take(&inputs->arena, capacity, sizeof *inputs->names);
  if (inputs->names == NULL) return no_memory(r);
  for (char *field; (field = take_field(s)) != NULL; first = false) {
    char *name = trimmed(field);
    if (!first) inputs->names[inputs->ncolumns++] = name;
    for (size_t k = 0; !first && k + 1 < inputs->ncolumns; k++) {
      if (strcmp(inputs->names[k], name) == 0)
        return wrong(r, inputs, 1, "input-column-twice", "there are two columns '%s'", name);
    }
    if (s->line_ends) break;
  }
  if (inputs->ncolumns == 0)
    return wrong(r, inputs, 1, "input-no-column",
                 "the first line names the columns: time, then the inputs");
  return BRINK_OK;
}

static bool read_number(const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  return end != text && *end == '\0' && isfinite(*value);
}

static brink_status read_row(const reporter *r, brink_inputs *inputs, scanner *s) {
  size_t row = inputs->nrows, line = s->line, count = 0;
  inputs->line[row] = line;
  for (char *field; (field = take_field(s)) != NULL; count++) {
    char *cell = trimmed(field);
    if (s->unclosed) return wrong(r, inputs, line, "input-quote", "a quoted field is not closed");
    if (count == 0 && s->line_ends && cell[0] == '\0') return BRINK_OK; /* an empty line */
    if (count == 0 && !read_number(cell, &inputs->t[row]))
      return wrong(r, inputs, line, "input-time", "time '%s' is not a number", cell);
    if (count > 0 && count <= inputs->ncolumns)
      inputs->cells[row * inputs->ncolumns + count - 1] = cell;
    if (s->line_ends) {
      count++;
      break;
    }
  }
  if (count != inputs->ncolumns + 1)
    return wrong(r, inputs, line, "input-fields", "%zu fields, but the first line has %zu", count,
                 inputs->ncolumns + 1);
  if (row > 0 && inputs->t[row] < inputs->t[row - 1])
    return wrong(r, inputs, line, "input-time-order", "time goes back, from %g to %g",
                 inputs->t[row - 1], inputs->t[row]);
  inputs->nrows++;
  return BRINK_OK;
}

static brink_status read_rows(const reporter *r, brink_inputs *inputs, scanner *s,
                              size_t capacity) {
  brink_arena *arena = &inputs->arena;
  inputs->t = brink_arena_take(arena, capacity, sizeof *inputs->t);
  inputs->line = brink_arena_take(arena, capacity, sizeof *inputs->line);
  inputs->cells = brink_arena_take(arena, capacity * inputs->ncolumns, sizeof *inputs->cells);
  if (arena->failed) return no_memory(r);
  brink_status status = BRINK_OK;
  while (status == BRINK_OK && *s->at != '\0') status = read_row(r, inputs, s);
  if (status == BRINK_OK && inputs->nrows == 0)
    status = wrong(r, inputs, s->line, "input-no-row", "there is no row of values");
  return status;
}

static size_t occurrences(const char *text, const char *any) {
  size_t count = 0;
  for (text += strcspn(text, any); *text != '\0'; text += strcspn(text, any)) {
    count++;
    text++;
  }
  return count;
}

/* The whole file in the arena. */
static brink_status read_text(const reporter *r, brink_inputs *inputs, char **kept) {
  const char *reason = NULL;
  size_t length;
  char *text = brink_file_reader.read(inputs->path, &length, &reason, brink_file_reader.user);
  if (text == NULL)
    return brink_diag_set(r->diag, BRINK_ERR_FILE, "cannot read %s: %s", inputs->path,
                          reason != NULL ? reason : "it cannot be read");
  *kept = brink_arena_text(&inputs->arena, text);
  free(text);
  return *kept != NULL ? BRINK_OK : no_memory(r);
}

/* ---- what holds at the start ---- */

/* The row that holds at t = 0: the last one until then, else the first. A line between two rows that has
 * begun before is taken up by the run itself. */
static size_t first_row(const brink_inputs *inputs) {
  size_t row = 0;
  while (row + 1 < inputs->nrows && inputs->t[row + 1] <= 0.0) row++;
  return row;
}

/* "name=value" for the compiler: the inputs have values, initial values may refer to them. */
static brink_status make_sets(const reporter *r, brink_inputs *inputs) {
  inputs->sets = brink_arena_take(&inputs->arena, inputs->ncolumns, sizeof *inputs->sets);
  brink_text text = {0};
  size_t first = first_row(inputs) * inputs->ncolumns;
  bool fine = inputs->sets != NULL;
  for (size_t k = 0; fine && k < inputs->ncolumns; k++) {
    char number[BRINK_DOUBLE_TEXT];
    const char *value = inputs->cells != NULL
                            ? inputs->cells[first + k]
                            : brink_double_text(inputs->values[first + k], number);
    text.length = 0;
    brink_text_add(&text, "%s=%s", inputs->names[k], value);
    inputs->sets[k] = text.failed ? NULL : brink_arena_text(&inputs->arena, text.data);
    fine = inputs->sets[k] != NULL;
  }
  brink_text_free(&text);
  return fine ? BRINK_OK : no_memory(r);
}

/* ---- the object ---- */

static brink_inputs *new_inputs(const char *path, bool hold, const brink_allocator *allocator) {
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_inputs *inputs = brink_arena_take(&arena, 1, sizeof *inputs);
  if (inputs == NULL) return NULL;
  inputs->hold = hold;
  inputs->path = path != NULL ? brink_arena_text(&arena, path) : NULL;
  inputs->arena = arena;
  if (!arena.failed) return inputs;
  brink_arena_free(&arena);
  return NULL;
}

void brink_inputs_destroy(brink_inputs *inputs) {
  if (inputs == NULL) return;
  brink_arena arena = inputs->arena;
  brink_arena_free(&arena);
}

static brink_status read_file(const reporter *r, brink_inputs *inputs) {
  char *text = NULL;
  brink_status status = read_text(r, inputs, &text);
  if (status != BRINK_OK) return status;
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* a byte order mark */
  size_t lines = occurrences(text, "\r\n") + 2, fields = occurrences(text, ",") + 2;
  scanner s = {.at = text, .line = 1};
  status = read_names(r, inputs, &s, fields);
  if (status == BRINK_OK) status = read_rows(r, inputs, &s, lines);
  return status == BRINK_OK ? make_sets(r, inputs) : status;
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
  status = arena->failed ? no_memory(&r) : make_sets(&r, made);
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

static brink_status read_cell(const reporter *r, const brink_inputs *inputs,
                              const brink_system *system, size_t row, size_t column,
                              double *value) {
  const brink_variable *variable = &system->variables[system->driven[column].variable];
  const char *name = inputs->names[column];
  char number[BRINK_DOUBLE_TEXT];
  size_t line = inputs->line[row], at = row * inputs->ncolumns + column;
  const char *cell =
      inputs->cells != NULL ? inputs->cells[at] : brink_double_text(inputs->values[at], number);
  bool known = variable->type == BRINK_VALUE_STRING    ? brink_system_string(system, cell, value)
               : variable->type == BRINK_VALUE_BOOLEAN ? read_boolean(cell, value)
                                                       : read_number(cell, value);
  if (!known)
    return wrong(r, inputs, line, "input-value", "%s = '%s' is not %s", name, cell,
                 variable->type == BRINK_VALUE_STRING    ? "a value that the model knows"
                 : variable->type == BRINK_VALUE_BOOLEAN ? "true or false"
                                                         : "a number");
  if (variable->type == BRINK_VALUE_INTEGER && *value != floor(*value))
    return wrong(r, inputs, line, "input-whole", "%s = %s is not a whole number", name, cell);
  if (!brink_variable_allows(variable, system->driven[column].element, *value))
    return wrong(r, inputs, line, "input-range", "%s = %s is outside its declared range", name,
                 cell);
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
  made->table = (brink_input_table){.t = made->t, .nrows = made->nrows, .values = made->values};
  if (status == BRINK_OK)
    *bound = made;
  else
    brink_inputs_destroy(made);
  return status;
}
