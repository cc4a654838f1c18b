/* table.c: rows in memory. See sweep_parts.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/fields.h"
#include "sweep/sweep_parts.h"

size_t brink_sweep_column_of(const brink_sweep *sweep, brink_sweep_role role) {
  for (size_t k = 0; k < sweep->ncolumns; k++) {
    if (sweep->columns[k].role == role) return k;
  }
  return BRINK_NONE;
}

bool brink_sweep_cut_row(brink_sweep *sweep, const char *row, size_t length) {
  while (length > 0 && row[length - 1] == '\n') length--;
  if (length + 1 > sweep->line_capacity) {
    size_t capacity = 2 * (length + 1);
    char *line = realloc(sweep->line, capacity);
    if (line == NULL) return false;
    sweep->line = line;
    sweep->line_capacity = capacity;
  }
  memcpy(sweep->line, row, length);
  sweep->line[length] = '\0';
  return brink_fields_cut(sweep->line, sweep->fields, sweep->ncolumns) == sweep->ncolumns;
}

double brink_sweep_number(const brink_sweep *sweep, size_t k) {
  const char *field = sweep->fields[k];
  return field[0] != '\0' ? brink_read_double(field, NULL) : (double)NAN;
}

/* Few texts occur: words of knobs, statuses, reasons. Messages may all be different: then some texts are there twice. */
enum { LOOK_BACK = 256 };

static double text_number(brink_rows *rows, const char *text) {
  size_t last = rows->ntexts > LOOK_BACK ? rows->ntexts - LOOK_BACK : 0;
  for (size_t k = rows->ntexts; k-- > last;) {
    if (strcmp(rows->texts[k], text) == 0) return (double)k;
  }
  const char **entry =
      brink_arena_push(&rows->arena, rows->texts, rows->ntexts, rows->texts_capacity);
  if (entry == NULL) return (double)NAN;
  *entry = brink_arena_text(&rows->arena, text);
  return (double)(rows->ntexts - 1);
}

static bool append(brink_sweep *sweep) {
  brink_rows *rows = &sweep->rows;
  size_t n = sweep->ncolumns, used = (size_t)rows->count * n;
  if (used + n > rows->capacity) {
    size_t capacity = 2 * (used + n) + 1024;
    double *values = realloc(rows->values, capacity * sizeof *values);
    if (values == NULL) return false;
    rows->values = values;
    rows->capacity = capacity;
  }
  for (size_t k = 0; k < n; k++)
    rows->values[used + k] =
        sweep->columns[k].text ? text_number(rows, sweep->fields[k]) : brink_sweep_number(sweep, k);
  rows->count++;
  return !rows->arena.failed;
}

/* For the report. */
static bool show(brink_sweep *sweep) {
  brink_page_rows *shown = &sweep->shown;
  brink_page_rows_ended(shown, sweep->fields[brink_sweep_column_of(sweep, BRINK_SWEEP_STATUS)]);
  if (!brink_page_rows_shows(shown, (uint64_t)brink_sweep_number(sweep, 0))) return true;
  double *row = brink_page_rows_add(shown);
  for (size_t k = 0; row != NULL && k < sweep->ncolumns; k++)
    row[k] = sweep->columns[k].text ? brink_page_rows_text(shown, sweep->fields[k])
                                    : brink_sweep_number(sweep, k);
  return row != NULL && !shown->arena.failed;
}

brink_status brink_sweep_keep_row(brink_sweep *sweep, const char *row, size_t length,
                                  brink_diag *diag) {
  bool cut = brink_sweep_cut_row(sweep, row, length);
  sweep->progress.done++;
  if (cut) sweep->progress.failed += strcmp(sweep->fields[1 + sweep->design.nknobs], "failed") == 0;
  if (cut && (!sweep->keeps || append(sweep)) && (!sweep->shown.wanted || show(sweep)))
    return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

brink_status brink_sweep_get_table(const brink_sweep *sweep, brink_sweep_table *table,
                                   brink_diag *diag) {
  brink_diag_clear(diag);
  if (sweep == NULL || table == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "sweep and table must not be NULL");
  if (!sweep->keeps)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the sweep keeps no table: set keep_table");
  *table = (brink_sweep_table){.rows = sweep->rows.count,
                               .ncolumns = sweep->ncolumns,
                               .columns = sweep->columns,
                               .values = sweep->rows.values,
                               .texts = sweep->rows.texts,
                               .ntexts = sweep->rows.ntexts};
  return BRINK_OK;
}
