/* data_csv.c: what was measured, from CSV files as people have them (base/csv.h). docs/fit.md describes both kinds of
 * files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/csv.h"
#include "base/file.h"
#include "fit/fit_parts.h"
#include "lang/ast.h"
#include "run/run.h"

typedef enum column_use {
  USE_NOTHING,
  USE_TIME,
  USE_VALUE,
  USE_SIGMA, /* of the column `of` */
  USE_FLAG,
} column_use;

typedef struct column {
  char *name, *unit;
  column_use use;
  size_t of;
  double *cells; /* NaN: empty */
  char **words;  /* USE_FLAG */
} column;

typedef struct table {
  brink_fit *fit;
  brink_diag *diag;
  const char *path;
  brink_arena arena;
  char *text; /* from malloc */
  brink_csv csv;
  column *columns;
  column **sorted; /* by name in any case, then from left to right */
  size_t ncolumns, nrows;
} table;

#define WRONG(t, line, ...) wrong(t, line, __VA_ARGS__)

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static brink_status
wrong(const table *t, size_t line, const char *format, ...) {
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  va_list arguments;
  va_start(arguments, format);
  const char *message = brink_arena_format(&arena, format, arguments);
  va_end(arguments);
  brink_status status = brink_diag_set(t->diag, BRINK_ERR_FILE, "%s:%zu: %s", t->path, line,
                                       message != NULL ? message : "out of memory");
  brink_arena_free(&arena);
  return status;
}

static brink_status no_memory(const table *t) {
  return brink_diag_set(t->diag, BRINK_ERR_MEMORY, "out of memory");
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
remark(const table *t, const char *format, ...) {
  brink_fit *fit = t->fit;
  va_list arguments;
  va_start(arguments, format);
  const char *text = brink_arena_format(&fit->arena, format, arguments);
  va_end(arguments);
  const char **made =
      brink_arena_push(&fit->arena, fit->remarks, fit->nremarks, fit->remarks_capacity);
  if (made != NULL && text != NULL) *made = text;
  if (made != NULL && text == NULL) fit->nremarks--;
}

/* ---- columns ---- */

static int by_name(const void *a, const void *b) {
  const column *left = *(const column *const *)a, *right = *(const column *const *)b;
  int order = strcasecmp(left->name, right->name);
  return order != 0 ? order : (left > right) - (left < right);
}

static brink_status sort_names(table *t) {
  t->sorted = brink_arena_take(&t->arena, t->ncolumns, sizeof *t->sorted);
  if (t->sorted == NULL) return no_memory(t);
  for (size_t k = 0; k < t->ncolumns; k++) t->sorted[k] = &t->columns[k];
  qsort(t->sorted, t->ncolumns, sizeof *t->sorted, by_name);
  return BRINK_OK;
}

static brink_status read_names(table *t) {
  size_t capacity = brink_csv_fields(&t->csv), line = t->csv.line;
  size_t rows = brink_csv_rows(&t->csv);
  t->columns = brink_arena_take(&t->arena, capacity, sizeof *t->columns);
  if (t->columns == NULL) return no_memory(t);
  for (char *field; (field = brink_csv_field(&t->csv)) != NULL;) {
    if (t->csv.unclosed) return WRONG(t, line, "a quoted field is not closed");
    column *c = &t->columns[t->ncolumns++];
    c->name = brink_csv_unit(brink_csv_trim(field), &c->unit);
    c->cells = brink_arena_take(&t->arena, rows, sizeof *c->cells);
    c->words = brink_arena_take(&t->arena, rows, sizeof *c->words);
    if (t->arena.failed) return no_memory(t);
    if (t->csv.line_ends || t->ncolumns == capacity) break;
  }
  return t->ncolumns > 0 ? sort_names(t) : WRONG(t, line, "the first line names the columns");
}

/* The first column with this name, in any case. */
static size_t find_column(const table *t, const char *name, size_t length) {
  size_t low = 0, high = t->ncolumns;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strncasecmp(t->sorted[middle]->name, name, length) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == t->ncolumns) return BRINK_NONE;
  const char *found = t->sorted[low]->name;
  bool same = strlen(found) == length && strncasecmp(found, name, length) == 0;
  return same ? (size_t)(t->sorted[low] - t->columns) : BRINK_NONE;
}

/* ---- cells ---- */

/* Missing values, as programs write them. */
static bool is_missing(const char *cell) {
  static const char *const words[] = {"", "nan", "na", "n/a", "null", "-", "none"};
  for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
    if (strcasecmp(cell, words[k]) == 0) return true;
  return false;
}

static brink_status read_cell(const table *t, column *c, char *cell, size_t line) {
  double *to = &c->cells[t->nrows];
  *to = (double)NAN;
  c->words[t->nrows] = cell;
  if (c->use == USE_NOTHING || c->use == USE_FLAG) return BRINK_OK;
  brink_csv_mend(&t->csv, cell);
  if (is_missing(cell)) {
    return c->use == USE_TIME ? WRONG(t, line, "there is no time") : BRINK_OK;
  }
  if (!brink_csv_number(cell, to))
    return WRONG(t, line, "%s = '%s' is not a number", c->name, cell);
  if (c->use == USE_SIGMA && !(*to > 0.0))
    return WRONG(t, line, "%s = %s: a standard deviation is positive", c->name, cell);
  return BRINK_OK;
}

static brink_status read_row(table *t) {
  size_t line = t->csv.line, count = 0, surplus = 0;
  brink_status status = BRINK_OK;
  for (char *field; status == BRINK_OK && (field = brink_csv_field(&t->csv)) != NULL; count++) {
    if (t->csv.unclosed) return WRONG(t, line, "a quoted field is not closed");
    char *cell = brink_csv_trim(field);
    if (count < t->ncolumns)
      status = read_cell(t, &t->columns[count], cell, line);
    else
      surplus += cell[0] != '\0';
    if (t->csv.line_ends) {
      count++;
      break;
    }
  }
  if (status != BRINK_OK) return status;
  if (count < t->ncolumns || surplus > 0)
    return WRONG(t, line, "%zu fields, but the first line has %zu", count, t->ncolumns);
  t->nrows++;
  return BRINK_OK;
}

/* ---- files ---- */

static brink_status open_table(table *t) {
  size_t length = 0;
  const char *reason = "it cannot be read";
  t->text = brink_file_reader.read(t->path, &length, &reason, NULL);
  if (t->text == NULL) return brink_diag_set(t->diag, BRINK_ERR_FILE, "%s: %s", t->path, reason);
  size_t line, at;
  if (!brink_csv_is_utf16(t->text) && brink_text_find_nul(t->text, length, &line, &at))
    return WRONG(t, line, "a NUL byte in column %zu: this is not a text file", at);
  switch (brink_csv_open(&t->csv, t->text)) {
  case BRINK_CSV_UTF16:
    return WRONG(t, 1, "this is UTF-16: save the file as UTF-8");
  case BRINK_CSV_NUMBERS:
    return WRONG(t, t->csv.line, "the first line names the columns; here it has numbers");
  case BRINK_CSV_NAMES:
    break;
  }
  return read_names(t);
}

static void close_table(table *t) {
  free(t->text);
  brink_arena_free(&t->arena);
}

static brink_status read_rows(table *t) {
  brink_status status = BRINK_OK;
  while (status == BRINK_OK && brink_csv_next_row(&t->csv)) status = read_row(t);
  if (status == BRINK_OK && t->nrows == 0) status = WRONG(t, t->csv.line, "there is no row");
  return status;
}

static brink_status check_call(const brink_fit *fit, const char *path, brink_diag *diag) {
  brink_diag_clear(diag);
  if (fit != NULL && path != NULL) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "fit and path must not be NULL");
}

/* ---- curves ---- */

/* "time", else "t", else the first column. */
static void choose_time(table *t) {
  size_t found = find_column(t, "time", 4);
  if (found == BRINK_NONE) found = find_column(t, "t", 1);
  t->columns[found == BRINK_NONE ? 0 : found].use = USE_TIME;
}

/* "h.sigma" beside "h". */
static bool is_sigma(const table *t, column *c) {
  static const char ending[] = ".sigma";
  size_t length = strlen(c->name), size = sizeof ending - 1;
  if (length <= size || strcmp(c->name + length - size, ending) != 0) return false;
  c->of = find_column(t, c->name, length - size);
  return c->of != BRINK_NONE;
}

static brink_status choose_use(table *t, column *c, const brink_run *run, size_t line) {
  brink_value value;
  brink_diag why;
  if (c->use == USE_TIME || c->name[0] == '\0') return BRINK_OK;
  if (brink_run_find(run, c->name, &value, &why) == BRINK_OK) {
    const char *declared = run->system->variables[value.variable].unit;
    if (declared != NULL && declared[0] != '\0' && c->unit != NULL &&
        strcmp(declared, c->unit) != 0)
      return WRONG(t, line, "'%s' is in %s here, but declared in %s", c->name, c->unit, declared);
    c->use = USE_VALUE;
  } else if (is_sigma(t, c)) {
    c->use = USE_SIGMA;
  } else {
    remark(t, "The column '%s' of %s is not used: %s.", c->name, t->path, why.message);
  }
  return BRINK_OK;
}

static brink_status choose_uses(table *t, size_t line) {
  brink_run *run = NULL;
  brink_status status = brink_run_create(t->fit->model, &t->fit->options, NULL, t->diag, &run);
  size_t used = 0;
  const char **names = brink_arena_take(&t->arena, t->ncolumns, sizeof *names);
  bool *again = brink_arena_take(&t->arena, t->ncolumns, sizeof *again);
  for (size_t k = 0; names != NULL && k < t->ncolumns; k++) names[k] = t->columns[k].name;
  if (status == BRINK_OK &&
      (t->arena.failed || !brink_csv_mark_repeated(names, t->ncolumns, again, &t->arena)))
    status = no_memory(t);
  if (status == BRINK_OK) choose_time(t);
  for (size_t k = 0; k < t->ncolumns && status == BRINK_OK; k++) {
    status = choose_use(t, &t->columns[k], run, line);
    used += t->columns[k].use == USE_VALUE;
    if (status == BRINK_OK && t->columns[k].use != USE_NOTHING && again[k])
      status = WRONG(t, line, "there are two columns '%s'", t->columns[k].name);
  }
  brink_run_destroy(run);
  if (status == BRINK_OK && used == 0)
    status = WRONG(t, line,
                   "the first line names the columns: time, then quantities of the model; "
                   "none of these is one");
  return status;
}

static brink_status add_curves(table *t) {
  const double *time = NULL, **sigma = brink_arena_take(&t->arena, t->ncolumns, sizeof *sigma);
  if (sigma == NULL) return no_memory(t);
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < t->ncolumns; k++) {
    const column *c = &t->columns[k];
    if (c->use == USE_TIME) time = c->cells;
    if (c->use == USE_SIGMA) sigma[c->of] = c->cells;
  }
  for (size_t k = 0; k < t->ncolumns && status == BRINK_OK; k++) {
    if (t->columns[k].use != USE_VALUE) continue;
    status = brink_fit_add_curve(t->fit, t->columns[k].name, time, t->columns[k].cells, sigma[k],
                                 t->nrows, t->diag);
  }
  return status;
}

brink_status brink_fit_read_curves(brink_fit *fit, const char *path, brink_diag *diag) {
  brink_status status = check_call(fit, path, diag);
  if (status != BRINK_OK) return status;
  table t = {.fit = fit, .diag = diag, .path = path};
  brink_arena_init(&t.arena, NULL);
  status = open_table(&t);
  if (status == BRINK_OK) status = choose_uses(&t, t.csv.line > 1 ? t.csv.line - 1 : 1);
  if (status == BRINK_OK) status = read_rows(&t);
  if (status == BRINK_OK) status = add_curves(&t);
  close_table(&t);
  return status;
}

/* ---- times of events ---- */

static brink_status choose_event_uses(table *t, size_t *flag, size_t *time, size_t *sigma) {
  *flag = find_column(t, "flag", 4);
  *time = find_column(t, "time", 4);
  if (*time == BRINK_NONE) *time = find_column(t, "t", 1);
  *sigma = find_column(t, "sigma", 5);
  if (*flag == BRINK_NONE || *time == BRINK_NONE)
    return WRONG(t, 1, "the first line names the columns: flag, time and, if it is known, sigma");
  t->columns[*flag].use = USE_FLAG;
  t->columns[*time].use = USE_TIME;
  if (*sigma != BRINK_NONE) t->columns[*sigma].use = USE_SIGMA;
  return BRINK_OK;
}

/* All rows of the flag in row `first`, and of no other. */
static brink_status add_flag(table *t, size_t first, size_t flag, size_t time, size_t sigma,
                             bool *taken) {
  const char *name = t->columns[flag].words[first];
  double *times = brink_arena_take(&t->arena, t->nrows, sizeof *times);
  double *sigmas = brink_arena_take(&t->arena, t->nrows, sizeof *sigmas);
  size_t count = 0;
  if (t->arena.failed) return no_memory(t);
  for (size_t k = first; k < t->nrows; k++) {
    if (strcmp(t->columns[flag].words[k], name) != 0) continue;
    taken[k] = true;
    times[count] = t->columns[time].cells[k];
    sigmas[count++] = sigma != BRINK_NONE ? t->columns[sigma].cells[k] : (double)NAN;
  }
  return brink_fit_add_events(t->fit, name, times, sigmas, count, t->diag);
}

static brink_status add_flags(table *t, size_t flag, size_t time, size_t sigma) {
  bool *taken = brink_arena_take(&t->arena, t->nrows, sizeof *taken);
  if (taken == NULL) return no_memory(t);
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < t->nrows && status == BRINK_OK; k++)
    if (!taken[k]) status = add_flag(t, k, flag, time, sigma, taken);
  return status;
}

brink_status brink_fit_read_events(brink_fit *fit, const char *path, brink_diag *diag) {
  brink_status status = check_call(fit, path, diag);
  if (status != BRINK_OK) return status;
  table t = {.fit = fit, .diag = diag, .path = path};
  brink_arena_init(&t.arena, NULL);
  size_t flag, time, sigma;
  status = open_table(&t);
  if (status == BRINK_OK) status = choose_event_uses(&t, &flag, &time, &sigma);
  if (status == BRINK_OK) status = read_rows(&t);
  if (status == BRINK_OK) status = add_flags(&t, flag, time, sigma);
  close_table(&t);
  return status;
}
