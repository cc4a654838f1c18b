/* check_table.c: functions without a body: tables from files, what their files must hold; external ones; calls of both.
 *
 * A file is text in lines (LF or CRLF) of cells; the first comma, semicolon or tab of its first line says what stands
 * between cells. Cells may be quoted. Empty lines, and lines that begin with # or %, do not count.
 *
 *   one input    a column of knots and one or more of values. If the first line does not begin with a number,
 *                it has the names of the columns.
 *   two inputs   the first line has the knots of the second input, behind a cell that is not looked at; each further
 *                line has a knot of the first input and the values there.
 *
 * The file becomes one of the unit's files: diagnostics show its lines, and results name it with its hash. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lang/check.h"

typedef struct cell {
  const char *start;
  size_t length; /* without blanks and quotes around it */
  uint32_t line, column;
} cell;

/* The cells of all lines that count: line k has cells first[k] … first[k + 1] - 1. */
typedef struct sheet {
  brink_checker *c;
  uint32_t file;
  char between;
  cell *cells;
  size_t ncells, cells_capacity;
  size_t *first;
  size_t nlines, lines_capacity;
} sheet;

/* ---- cells ---- */

static brink_place place_of(const sheet *s, const cell *at) {
  uint32_t length = at->length > 0 ? (uint32_t)at->length : 1;
  return (brink_place){.file = s->file, .line = at->line, .column = at->column, .length = length};
}

static const char *text_of(const sheet *s, const cell *at) {
  int shown = at->length > 40 ? 40 : (int)at->length;
  return brink_unit_format(s->c->unit, "%.*s%s", shown, at->start, at->length > 40 ? "…" : "");
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/* A cell of `length` bytes without what is around it. */
static void trim(cell *at, char between) {
  while (at->length > 0 && is_blank(*at->start) && *at->start != between)
    at->start++, at->column++, at->length--;
  while (at->length > 0 && is_blank(at->start[at->length - 1])) at->length--;
  if (at->length >= 2 && at->start[0] == '"' && at->start[at->length - 1] == '"')
    at->start++, at->column++, at->length -= 2;
}

static bool add_cell(sheet *s, cell at) {
  cell *added = brink_unit_push(s->c->unit, s->cells, s->ncells, s->cells_capacity);
  if (added == NULL) return false;
  trim(&at, s->between);
  *added = at;
  return true;
}

/* How long the cell at `at` is; separators within quotes are part of it. */
static size_t cell_length(const char *at, const char *end, char between) {
  bool quoted = false;
  const char *p = at;
  for (; p < end && (quoted || *p != between); p++)
    if (*p == '"') quoted = !quoted;
  return (size_t)(p - at);
}

static bool add_line(sheet *s, const char *start, const char *end, uint32_t line) {
  size_t *first = brink_unit_push(s->c->unit, s->first, s->nlines, s->lines_capacity);
  if (first == NULL) return false;
  *first = s->ncells;
  for (const char *at = start;; at++) { /* a separator at the end: an empty cell follows */
    size_t length = cell_length(at, end, s->between);
    cell next = {.start = at, .length = length, .line = line, .column = (uint32_t)(at - start) + 1};
    if (!add_cell(s, next)) return false;
    at += length;
    if (at == end) return true;
  }
}

static char separator_of(const char *start, const char *end) {
  for (const char *at = start; at < end; at++)
    if (*at == ',' || *at == ';' || *at == '\t') return *at;
  return ',';
}

static bool read_cells(sheet *s, const brink_file *file) {
  const char *at = file->text, *end = file->text + file->length;
  uint32_t line = 1;
  if (file->length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3; /* a byte order mark */
  for (; at < end; line++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at)), *next = stop;
    if (stop == NULL) stop = next = end;
    if (stop > at && stop[-1] == '\r') stop--;
    const char *content = at;
    while (content < stop && is_blank(*content)) content++;
    if (content < stop && *content != '#' && *content != '%') {
      if (s->nlines == 0) s->between = separator_of(at, stop);
      if (!add_line(s, at, stop, line)) return false;
    }
    at = next < end ? next + 1 : end;
  }
  size_t *last = brink_unit_push(s->c->unit, s->first, s->nlines, s->lines_capacity);
  if (last == NULL) return false;
  *last = s->ncells;
  s->nlines--;
  return true;
}

static const cell *cell_at(const sheet *s, size_t line, size_t column) {
  return &s->cells[s->first[line] + column];
}

static size_t width_of(const sheet *s, size_t line) {
  return s->first[line + 1] - s->first[line];
}

static bool read_number(const cell *at, double *value) {
  char text[64], *end;
  if (at->length == 0 || at->length >= sizeof text) return false;
  memcpy(text, at->start, at->length);
  text[at->length] = '\0';
  *value = brink_read_double(text, &end);
  return end == text + at->length && isfinite(*value) && fabs(*value) < BRINK_TABLE_FAR &&
         strchr(text, 'x') == NULL && strchr(text, 'X') == NULL;
}

static bool number_at(sheet *s, size_t line, size_t column, double *value) {
  const cell *at = cell_at(s, line, column);
  if (read_number(at, value)) return true;
  const char *hint =
      memchr(at->start, ',', at->length) != NULL ? "the decimals of a number follow a point" : NULL;
  if (at->length == 0)
    brink_check_error(s->c, BRINK_MSG_TABLE_CELL_EMPTY, place_of(s, at), NULL,
                      "a number is missing here");
  else
    brink_check_error(s->c, BRINK_MSG_TABLE_CELL, place_of(s, at), hint, "'%s' is not a number",
                      text_of(s, at));
  return false;
}

/* Every line has as many cells as the first. */
static bool same_widths(sheet *s) {
  for (size_t k = 1; k < s->nlines; k++) {
    size_t found = width_of(s, k), wanted = width_of(s, 0);
    if (found == wanted) continue;
    const cell *at = cell_at(s, k, found < wanted ? found - 1 : wanted);
    brink_check_error(s->c, BRINK_MSG_TABLE_CELLS, place_of(s, at), NULL,
                      "this line has %zu cells, the first has %zu", found, wanted);
    return false;
  }
  return true;
}

/* ---- knots ---- */

typedef struct knots {
  double *x;
  size_t count;
} knots;

/* Finite numbers that increase: from `line` on down a column, or from `column` on along a line. */
static bool read_knots(sheet *s, size_t line, size_t column, bool down, size_t count, knots *k) {
  k->x = brink_unit_take(s->c->unit, count, sizeof *k->x);
  k->count = count;
  if (k->x == NULL) return false;
  for (size_t j = 0; j < count; j++) {
    size_t l = down ? line + j : line, i = down ? column : column + j;
    if (!number_at(s, l, i, &k->x[j])) return false;
    if (j == 0 || k->x[j] > k->x[j - 1]) continue;
    brink_check_error(s->c, BRINK_MSG_TABLE_KNOTS, place_of(s, cell_at(s, l, i)),
                      "sort the lines, and leave out knots that are there twice",
                      "%s is not larger than the knot before it", text_of(s, cell_at(s, l, i)));
    return false;
  }
  return true;
}

static bool enough(sheet *s, const brink_ast_table *table, size_t count, const char *what) {
  if (count >= 2) return true;
  brink_check_error(s->c, BRINK_MSG_TABLE_ROWS, table->file_place, NULL,
                    "'%s' has %zu %s, and a table needs two or more", table->file, count, what);
  return false;
}

/* ---- one input ---- */

static bool has_names(const sheet *s) {
  double value;
  return !read_number(cell_at(s, 0, 0), &value);
}

/* "power [kW]" is also called "power". */
static bool is_called(const cell *at, const char *name) {
  size_t length = strlen(name), bare = at->length;
  if (at->length == length && memcmp(at->start, name, length) == 0) return true;
  for (size_t k = 0; k < at->length; k++) {
    if (at->start[k] != '[' && at->start[k] != '(') continue;
    bare = k;
    break;
  }
  while (bare > 0 && is_blank(at->start[bare - 1])) bare--;
  return bare == length && memcmp(at->start, name, length) == 0;
}

static const char *column_names(const sheet *s) {
  const char *list = "";
  for (size_t k = 1; k < width_of(s, 0) && k < 20; k++)
    list = brink_unit_format(s->c->unit, "%s%s\"%s\"", list, k > 1 ? ", " : "",
                             text_of(s, cell_at(s, 0, k)));
  return list;
}

/* Which column has the values; 0: reported. */
static size_t find_column(sheet *s, const brink_ast_table *table, bool named) {
  size_t width = width_of(s, 0), found = 0, count = 0;
  if (width < 2) {
    brink_check_error(s->c, BRINK_MSG_TABLE_COLUMNS, table->file_place,
                      "a column of knots and one of values, with commas between them",
                      "'%s' has one column", table->file);
    return 0;
  }
  if (table->column == NULL && width == 2) return 1;
  if (table->column == NULL) {
    brink_check_error(
        s->c, BRINK_MSG_TABLE_COLUMN_OPEN, table->file_place,
        named ? brink_unit_format(s->c->unit, "choose one with column : %s", column_names(s))
              : "name the columns in its first line, and choose one with column : \"…\"",
        "'%s' has %zu columns of values", table->file, width - 1);
    return 0;
  }
  for (size_t k = 1; named && k < width; k++) {
    if (!is_called(cell_at(s, 0, k), table->column)) continue;
    found = k;
    count++;
  }
  if (count == 1) return found;
  const char *hint = !named      ? "its first line has no names"
                     : count > 1 ? "there are several of this name"
                                 : brink_unit_format(s->c->unit, "it has %s", column_names(s));
  brink_check_error(s->c, BRINK_MSG_TABLE_COLUMN, table->column_place, hint,
                    "'%s' has no column '%s' of values", table->file, table->column);
  return 0;
}

static bool read_one(sheet *s, brink_ast_table *table) {
  bool named = s->nlines > 0 && has_names(s);
  size_t start = named ? 1 : 0, count = s->nlines - start;
  if (!enough(s, table, count, count == 1 ? "row of numbers" : "rows of numbers")) return false;
  size_t column = find_column(s, table, named);
  if (column == 0 || !same_widths(s)) return false;
  knots u;
  double *values = brink_unit_take(s->c->unit, count, sizeof *values);
  if (values == NULL || !read_knots(s, start, 0, true, count, &u)) return false;
  for (size_t k = 0; k < count; k++)
    if (!number_at(s, start + k, column, &values[k])) return false;
  table->grid.axis[0] = (brink_table_axis){.x = u.x, .nknots = count};
  table->grid.values = values;
  return true;
}

/* ---- two inputs ---- */

static bool read_two(sheet *s, brink_ast_table *table) {
  size_t nu = s->nlines > 0 ? s->nlines - 1 : 0, nv = s->nlines > 0 ? width_of(s, 0) - 1 : 0;
  if (table->column != NULL) {
    brink_check_error(s->c, BRINK_MSG_TABLE_COLUMN_OF_TWO, table->column_place, "leave it out",
                      "all columns of a table of two inputs have values");
    return false;
  }
  if (!enough(s, table, nu, "rows of values") || !enough(s, table, nv, "columns of values") ||
      !same_widths(s))
    return false;
  knots u, v;
  double *values = brink_unit_take(s->c->unit, nu * nv, sizeof *values);
  if (values == NULL || !read_knots(s, 0, 1, false, nv, &v) || !read_knots(s, 1, 0, true, nu, &u))
    return false;
  for (size_t i = 0; i < nu; i++)
    for (size_t j = 0; j < nv; j++)
      if (!number_at(s, i + 1, j + 1, &values[i * nv + j])) return false;
  table->grid.axis[0] = (brink_table_axis){.x = u.x, .nknots = nu};
  table->grid.axis[1] = (brink_table_axis){.x = v.x, .nknots = nv};
  table->grid.values = values;
  return true;
}

/* ---- files ---- */

/* Beside the file that names it. Standard input is for the user alone. */
static const char *resolve(brink_unit *unit, const brink_ast_table *table) {
  const char *from = unit->files[table->file_place.file].path, *slash = strrchr(from, '/');
  int directory = table->file[0] == '/' || slash == NULL ? 0 : (int)(slash - from) + 1;
  const char *here = directory == 0 && strcmp(table->file, "-") == 0 ? "./" : "";
  return brink_unit_format(unit, "%.*s%s%s", directory, from, here, table->file);
}

/* The number of the file in the unit, read once; BRINK_NO_FILE: reported, or no memory. */
static uint32_t open_file(brink_checker *c, const brink_ast_table *table) {
  brink_unit *unit = c->unit;
  const char *path = resolve(unit, table), *reason = "it cannot be read";
  if (unit->out_of_memory) return BRINK_NO_FILE;
  for (size_t k = 0; k < unit->nfiles; k++)
    if (strcmp(unit->files[k].path, path) == 0) return (uint32_t)k;
  size_t length = 0;
  bool refused = unit->reader.look != NULL &&
                 unit->reader.look(path, &reason, unit->reader.user) != BRINK_FILE_FOUND;
  bool outside = !refused && !brink_unit_may_read(unit, path);
  if (outside) reason = BRINK_OUTSIDE;
  char *text =
      refused || outside ? NULL : unit->reader.read(path, &length, &reason, unit->reader.user);
  if (text == NULL) {
    brink_check_error(c, BRINK_MSG_TABLE_FILE, table->file_place,
                      outside ? BRINK_OUTSIDE_HINT : NULL, "cannot read '%s': %s", path, reason);
    return BRINK_NO_FILE;
  }
  size_t index = brink_unit_add_file(unit, path, text, length);
  free(text);
  return index == BRINK_NONE ? BRINK_NO_FILE : (uint32_t)index;
}

static bool read_table(brink_checker *c, brink_ast_table *table) {
  sheet s = {.c = c, .file = open_file(c, table)};
  if (s.file == BRINK_NO_FILE || !read_cells(&s, &c->unit->files[s.file])) return false;
  if (!(table->grid.inputs == 1 ? read_one(&s, table) : read_two(&s, table))) return false;
  bool too_large;
  if (brink_table_make(&table->grid, &c->unit->arena, &too_large)) return true;
  if (too_large)
    brink_check_error(c, BRINK_MSG_TABLE_TOO_LARGE, table->file_place, NULL,
                      "'%s' is too large: its pieces would consist of more than %zu numbers",
                      table->file, BRINK_TABLE_LIMIT);
  else
    c->unit->out_of_memory = true;
  return false;
}

static void check_table(brink_checker *c, brink_user_function *f) {
  const brink_gridded *grid = &f->table->grid;
  f->nodes = grid->inputs == 1 ? 8.0 : 64.0;
  f->damaged = f->table->file == NULL || grid->inputs < 1 || grid->inputs > 2;
  if (f->damaged) return;
  f->damaged = grid->kind == BRINK_TABLE_HOLD && grid->beyond == BRINK_BEYOND_LINEAR;
  if (f->damaged)
    brink_check_error(c, BRINK_MSG_TABLE_STEPS_BEYOND, f->place, "write \"hold\" or \"error\"",
                      "steps cannot go on in a line");
  else
    f->damaged = !read_table(c, f->table);
}

void brink_check_plain_function(brink_checker *c, brink_user_function *f) {
  f->visit = 2;
  f->nodes = 8.0;
  f->damaged = brink_check_on_damaged_line(c, f->place);
  if (f->table != NULL && !f->damaged) check_table(c, f);
  if (f->external != NULL && f->external->library == NULL) f->damaged = true;
}

/* Numbers; vectors go element by element. */
void brink_check_plain_call(brink_checker *c, brink_ast_expr *call) {
  const brink_user_function *f = call->user;
  bool signal = false, vector = false;
  c->nodes += f->nodes;
  for (size_t k = 0; k < call->nargs; k++) brink_check_expr(c, call->arg[k]);
  if (f->external != NULL && f->external->is_constant && call->nparts == 1) {
    call->type = BRINK_TYPE_REAL; /* a name, in a body that is checked once more */
    return;
  }
  if (f->external != NULL && f->external->is_constant) {
    brink_check_error(c, BRINK_MSG_CONSTANT_CALLED, call->place, "leave the brackets out",
                      "'%s' is a constant, not a function", call->text);
    return;
  }
  if (call->nargs != f->narguments) {
    brink_check_argument_count(c, call, f->narguments);
    return;
  }
  for (size_t k = 0; k < call->nargs; k++) {
    const brink_ast_expr *arg = call->arg[k];
    if (arg->type == BRINK_TYPE_UNKNOWN) return;
    if (!brink_is_numeric(arg->type)) {
      brink_check_error(c, BRINK_MSG_ARGUMENT_NOT_A_NUMBER, arg->place, NULL,
                        "'%s' takes numbers, but this is %s", call->text, brink_a_type(arg->type));
      return;
    }
    signal = signal || arg->type == BRINK_TYPE_SIGNAL;
    vector = vector || arg->vector;
  }
  call->type = signal ? BRINK_TYPE_SIGNAL : BRINK_TYPE_REAL;
  call->vector = vector;
}

/* The constant of a library becomes a call without arguments. */
bool brink_check_constant(brink_checker *c, brink_ast_expr *name) {
  brink_user_function *f = brink_check_find(c, &c->unit->functions, name->part[0].name);
  if (f == NULL || f->external == NULL || !f->external->is_constant) return false;
  name->op = BRINK_AST_CALL;
  name->text = name->part[0].name;
  name->function = BRINK_FN_EXTERNAL;
  name->user = f;
  name->type = BRINK_TYPE_REAL;
  return true;
}
