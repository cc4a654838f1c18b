/* input_csv.c: inputs over time from a CSV file, as people have them (base/csv.h).
 *
 * The column of time has a name, or is the first one; columns that are no inputs are ignored, with a note. What the
 * cells mean is left to the model (inputs.c), except for how they are written. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/csv.h"
#include "lang/ast.h"
#include "run/hsml.h"

typedef enum column_use { COLUMN_IGNORED, COLUMN_TIME, COLUMN_INPUT } column_use;

typedef struct csv_column {
  char *name, *unit; /* unit NULL: none */
  size_t at;         /* in its line, from 1 */
  column_use use;
  bool again;                 /* an earlier column that is not time has the same name */
  const brink_symbol *symbol; /* of an input; NULL: not known */
  size_t to;                  /* its place among the inputs */
} csv_column;

/* An input of the model. */
typedef struct csv_input {
  const brink_symbol *symbol;
  bool taken; /* there is a column for it */
} csv_input;

/* So many columns that are no inputs are asked what they may be meant for. */
enum { GUESSES = 1000 };

typedef struct csv {
  brink_hsml *model;
  brink_diag *diag;
  brink_inputs *inputs;
  brink_csv text; /* that fields are cut out of */
  csv_column *columns;
  size_t ncolumns;
  csv_input *known; /* by their names */
  size_t nknown;
  size_t guesses;
} csv;

static brink_status no_memory(const csv *c) {
  return brink_diag_set(c->diag, BRINK_ERR_MEMORY, "out of memory");
}

#define WRONG(c, line, at, ...)                                                                    \
  brink_inputs_wrong((c)->model, (c)->inputs, line, at, (c)->diag, __VA_ARGS__)

/* ---- names ---- */

static int by_name(const void *a, const void *b) {
  const csv_input *left = a, *right = b;
  return strcmp(left->symbol->name, right->symbol->name);
}

/* A table has as many columns as it likes, and a model as many inputs: both are found by sorting. */
static bool list_inputs(csv *c) {
  const brink_component *top = brink_hsml_top(c->model);
  size_t count = 0;
  for (const brink_symbol *s = top != NULL ? top->symbols : NULL; s != NULL; s = s->next)
    count += s->kind == BRINK_SYMBOL_INPUT;
  c->known = brink_arena_take(&c->inputs->arena, count, sizeof *c->known);
  if (c->inputs->arena.failed) return false;
  for (const brink_symbol *s = top != NULL ? top->symbols : NULL; s != NULL; s = s->next)
    if (s->kind == BRINK_SYMBOL_INPUT) c->known[c->nknown++].symbol = s;
  if (count > 0) qsort(c->known, count, sizeof *c->known, by_name);
  return true;
}

/* The input that a column is for, by its name without an index. */
static csv_input *find_input(const csv *c, const char *name) {
  size_t length = strcspn(name, "["), low = 0, high = c->nknown;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *known = c->known[middle].symbol->name;
    int order = strncmp(name, known, length);
    if (order == 0 && known[length] == '\0') return &c->known[middle];
    if (order > 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

static void mark_taken(const csv *c) {
  for (size_t k = 0; k < c->ncolumns; k++) {
    csv_input *input = c->columns[k].symbol != NULL ? find_input(c, c->columns[k].name) : NULL;
    if (input != NULL) input->taken = true;
  }
}

/* The input that a misspelt column may be meant for: one that no column has. */
static const char *nearest_input(csv *c, const char *name) {
  const char *near = NULL;
  if (c->guesses++ >= GUESSES) return NULL;
  for (size_t k = 0; k < c->nknown; k++)
    if (!c->known[k].taken) near = brink_nearest(name, c->known[k].symbol->name, near);
  return near;
}

static bool mark_repeated(csv *c) {
  const char **names = brink_arena_take(&c->inputs->arena, c->ncolumns, sizeof *names);
  bool *again = brink_arena_take(&c->inputs->arena, c->ncolumns, sizeof *again);
  if (c->inputs->arena.failed) return false;
  for (size_t k = 0; k < c->ncolumns; k++)
    names[k] = c->columns[k].use != COLUMN_TIME ? c->columns[k].name : NULL;
  if (!brink_csv_mark_repeated(names, c->ncolumns, again, &c->inputs->arena)) return false;
  for (size_t k = 0; k < c->ncolumns; k++) c->columns[k].again = again[k];
  return true;
}

/* Which column is time: "time", else "t", in any case, if it is no input; else the first. */
static brink_status find_time(csv *c, size_t line) {
  static const char *const names[] = {"time", "t"};
  size_t found = BRINK_NONE;
  for (size_t n = 0; n < 2 && found == BRINK_NONE; n++) {
    for (size_t k = 0; k < c->ncolumns; k++) {
      if (strcasecmp(c->columns[k].name, names[n]) != 0 || c->columns[k].symbol != NULL) continue;
      if (found != BRINK_NONE)
        return WRONG(c, line, c->columns[k].at, "input-time-twice",
                     "there are two columns of time, '%s' and '%s'", c->columns[found].name,
                     c->columns[k].name);
      found = k;
    }
  }
  if (found == BRINK_NONE) found = 0;
  c->columns[found].use = COLUMN_TIME;
  c->columns[found].symbol = NULL;
  const char *unit = c->columns[found].unit;
  if (unit != NULL && strcmp(unit, "s") != 0 && strcmp(unit, "sec") != 0 && unit[0] != '\0')
    brink_inputs_note(c->model, c->inputs, line, c->columns[found].at, "input-time-unit",
                      "time in %s is read as the time of the model, as it is", unit);
  return BRINK_OK;
}

static brink_status check_unit(const csv *c, const csv_column *column, size_t line) {
  const char *declared = column->symbol != NULL ? column->symbol->unit : NULL;
  if (declared == NULL || column->unit == NULL || strcmp(declared, column->unit) == 0)
    return BRINK_OK;
  return WRONG(c, line, column->at, "input-unit", "'%s' is in %s here, but declared in %s",
               column->name, column->unit, declared);
}

/* What becomes of a column that is not time. A name that is nearly that of an input without a column is taken for it: the
 * model will say that there is no such input. */
static brink_status use_column(csv *c, size_t k, size_t line) {
  csv_column *column = &c->columns[k];
  const char *near = column->symbol == NULL ? nearest_input(c, column->name) : NULL;
  if (column->symbol == NULL && near == NULL) {
    if (column->name[0] != '\0')
      brink_inputs_note(c->model, c->inputs, line, column->at, "input-ignored",
                        "the column '%s' is no input, and is ignored", column->name);
    return BRINK_OK;
  }
  if (column->again)
    return WRONG(c, line, column->at, "input-column-twice", "there are two columns '%s'",
                 column->name);
  column->use = COLUMN_INPUT;
  column->to = c->inputs->ncolumns;
  c->inputs->names[c->inputs->ncolumns++] = column->name;
  return check_unit(c, column, line);
}

static brink_status read_names(csv *c) {
  brink_arena *arena = &c->inputs->arena;
  size_t capacity = brink_csv_fields(&c->text), line = c->text.line;
  c->columns = brink_arena_take(arena, capacity, sizeof *c->columns);
  c->inputs->names = brink_arena_take(arena, capacity, sizeof *c->inputs->names);
  if (arena->failed || !list_inputs(c)) return no_memory(c);
  for (char *field; (field = brink_csv_field(&c->text)) != NULL;) {
    if (c->text.unclosed)
      return WRONG(c, line, brink_csv_column(&c->text, field), "input-quote",
                   "a quoted field is not closed");
    csv_column *column = &c->columns[c->ncolumns++];
    column->at = brink_csv_column(&c->text, field);
    column->name = brink_csv_unit(brink_csv_trim(field), &column->unit);
    const csv_input *input = find_input(c, column->name);
    column->symbol = input != NULL ? input->symbol : NULL;
    if (c->text.line_ends || c->ncolumns == capacity) break;
  }
  brink_status status = c->ncolumns > 0 ? find_time(c, line) : BRINK_OK;
  if (status == BRINK_OK && !mark_repeated(c)) return no_memory(c);
  mark_taken(c);
  for (size_t k = 0; k < c->ncolumns && status == BRINK_OK; k++) {
    if (c->columns[k].use != COLUMN_TIME) status = use_column(c, k, line);
  }
  if (status == BRINK_OK && c->inputs->ncolumns == 0)
    status = WRONG(c, line, 0, "input-no-column",
                   "the first line names the columns: time, then the inputs%s",
                   c->ncolumns > 1 ? "; none of these is an input" : "");
  return status;
}

/* ---- cells ---- */

/* Booleans as the language writes them. */
static const char *boolean_word(const char *cell) {
  if (strcasecmp(cell, "true") == 0 || strcmp(cell, "1") == 0) return "true";
  if (strcasecmp(cell, "false") == 0 || strcmp(cell, "0") == 0) return "false";
  return NULL;
}

static brink_status read_cell(const csv *c, const csv_column *column, char *cell, size_t line) {
  const char **kept = &c->inputs->cells[c->inputs->nrows * c->inputs->ncolumns + column->to];
  brink_type type = column->symbol != NULL ? column->symbol->type : BRINK_TYPE_UNKNOWN;
  bool number = type == BRINK_TYPE_SIGNAL || type == BRINK_TYPE_REAL || type == BRINK_TYPE_INTEGER;
  size_t at = brink_csv_column(&c->text, cell);
  double value = 0.0;
  *kept = cell;
  if (cell[0] == '\0' && type != BRINK_TYPE_STRING)
    return WRONG(c, line, at, "input-empty", "%s has no value here", column->name);
  if (number) brink_csv_mend(&c->text, cell);
  if (number && !brink_csv_number(cell, &value))
    return WRONG(c, line, at, "input-value", "%s = '%s' is not a number", column->name, cell);
  if (type == BRINK_TYPE_INTEGER && value != floor(value))
    return WRONG(c, line, at, "input-whole", "%s = %s is not a whole number", column->name, cell);
  if (type != BRINK_TYPE_BOOLEAN) return BRINK_OK;
  *kept = boolean_word(cell);
  if (*kept != NULL) return BRINK_OK;
  return WRONG(c, line, at, "input-value", "%s = '%s' is not true or false, 1 or 0", column->name,
               cell);
}

static brink_status read_time(const csv *c, char *cell, size_t line) {
  brink_inputs *inputs = c->inputs;
  size_t row = inputs->nrows, at = brink_csv_column(&c->text, cell);
  brink_csv_mend(&c->text, cell);
  if (!brink_csv_number(cell, &inputs->t[row]))
    return WRONG(c, line, at, "input-time", "time '%s' is not a number", cell);
  if (row > 0 && inputs->t[row] < inputs->t[row - 1])
    return WRONG(c, line, at, "input-time-order", "time goes back, from %g to %g",
                 inputs->t[row - 1], inputs->t[row]);
  return BRINK_OK;
}

static brink_status wrong_count(const csv *c, size_t line, size_t count) {
  const char *hint = c->text.separator == ',' && count == 2 * c->ncolumns
                         ? "; if these are decimal commas, separate the fields by ';'"
                         : "";
  return WRONG(c, line, 0, "input-fields", "%zu fields, but the first line has %zu%s", count,
               c->ncolumns, hint);
}

static brink_status read_row(csv *c) {
  size_t line = c->text.line, count = 0, surplus = 0;
  brink_status status = BRINK_OK;
  c->inputs->line[c->inputs->nrows] = line;
  c->inputs->start[c->inputs->nrows] = c->text.line_start;
  for (char *field; status == BRINK_OK && (field = brink_csv_field(&c->text)) != NULL; count++) {
    char *cell = brink_csv_trim(field);
    if (c->text.unclosed)
      return WRONG(c, line, brink_csv_column(&c->text, field), "input-quote",
                   "a quoted field is not closed");
    const csv_column *column = count < c->ncolumns ? &c->columns[count] : NULL;
    if (column == NULL)
      surplus += cell[0] != '\0'; /* a separator at the end of the line is harmless */
    else if (column->use == COLUMN_TIME)
      status = read_time(c, cell, line);
    else if (column->use == COLUMN_INPUT)
      status = read_cell(c, column, cell, line);
    if (c->text.line_ends) {
      count++;
      break;
    }
  }
  if (status != BRINK_OK) return status;
  if (count < c->ncolumns || surplus > 0) return wrong_count(c, line, count);
  c->inputs->nrows++;
  return BRINK_OK;
}

static brink_status read_rows(csv *c) {
  brink_inputs *inputs = c->inputs;
  brink_arena *arena = &inputs->arena;
  size_t capacity = brink_csv_rows(&c->text);
  inputs->t = brink_arena_take(arena, capacity, sizeof *inputs->t);
  inputs->line = brink_arena_take(arena, capacity, sizeof *inputs->line);
  inputs->start = brink_arena_take(arena, capacity, sizeof *inputs->start);
  inputs->cells = brink_arena_take(arena, capacity * inputs->ncolumns, sizeof *inputs->cells);
  if (arena->failed) return no_memory(c);
  brink_status status = BRINK_OK;
  while (status == BRINK_OK && brink_csv_next_row(&c->text)) status = read_row(c);
  if (status == BRINK_OK && inputs->nrows == 0)
    status = WRONG(c, c->text.line, 0, "input-no-row", "there is no row of values");
  return status;
}

/* ---- the file ---- */

brink_status brink_inputs_parse(brink_hsml *model, brink_inputs *inputs, char *text,
                                brink_diag *diag) {
  csv c = {.model = model, .diag = diag, .inputs = inputs};
  switch (brink_csv_open(&c.text, text)) {
  case BRINK_CSV_UTF16:
    return WRONG(&c, 1, 1, "input-encoding", "this is UTF-16: save the file as UTF-8");
  case BRINK_CSV_NUMBERS:
    return WRONG(&c, c.text.line, 1, "input-no-column",
                 "the first line names the columns: time, then the inputs; here it has numbers");
  case BRINK_CSV_NAMES:
    break;
  }
  brink_status status = read_names(&c);
  return status == BRINK_OK ? read_rows(&c) : status;
}
