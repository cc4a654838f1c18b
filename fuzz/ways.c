/* ways.c: runs a model through the public headers in ways that must not matter, and compares rows, events and end.
 *
 * To the last bit:
 *   - a run that is saved after some steps, and one that is restored from it; a clone, and its original;
 *   - agents by 1, 2 and 4 threads;
 *   - the rows of a sweep by single runs and by runs side by side in lanes, by one job and by two; the row of a run
 *     in a sweep, and that run by itself;
 *   - the numbers in a CSV file, and the rows in memory.
 *
 * To a tolerance: agents that have clocks of their own, and all in one system. */
#include "ways.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <brink/hsml.h>
#include <brink/record.h>
#include <brink/sweep.h>

enum { STEPS = 4000, MOST_COLUMNS = 400 };

/* ---- one run, and what it leaves ---- */

typedef struct setting {
  brink_hsml *model;
  brink_run_options options;
} setting;

static brink_run *make(const setting *s) {
  brink_run *run = NULL;
  if (brink_run_create(s->model, &s->options, NULL, NULL, &run) != BRINK_OK) return NULL;
  brink_run_keep_trajectory(run, NULL);
  return run;
}

/* Whatever becomes of it: a run that fails does so each time alike. */
static brink_status finish(brink_run *run, const setting *s, brink_trajectory *rows) {
  brink_status status = brink_run_to(run, s->options.until, NULL);
  brink_run_finish(run, NULL);
  *rows = (brink_trajectory){0};
  brink_run_trajectory(run, rows, NULL);
  return status;
}

static bool same_numbers(const double *a, const double *b, size_t count) {
  return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

static bool same_events(const brink_trajectory *a, const brink_trajectory *b) {
  if (a->nevents != b->nevents) return false;
  for (size_t k = 0; k < a->nevents; k++) {
    const brink_trajectory_event *p = &a->events[k], *q = &b->events[k];
    if (p->t != q->t || p->direction != q->direction ||
        strcmp(a->flags[p->flag], b->flags[q->flag]) != 0)
      return false;
  }
  return true;
}

static void compare(const char *what, brink_status one, const brink_trajectory *a, brink_status two,
                    const brink_trajectory *b, ways_result *result) {
  if (result->wrong[0] != '\0') return;
  if (one != two)
    snprintf(result->wrong, sizeof result->wrong, "%s: status %d and %d", what, (int)one, (int)two);
  else if (a->rows != b->rows || a->ncolumns != b->ncolumns)
    snprintf(result->wrong, sizeof result->wrong, "%s: %zu and %zu rows", what, a->rows, b->rows);
  else if (!same_numbers(a->values, b->values, a->rows * (1 + a->ncolumns)))
    snprintf(result->wrong, sizeof result->wrong, "%s: other rows", what);
  else if (!same_events(a, b))
    snprintf(result->wrong, sizeof result->wrong, "%s: other events", what);
}

/* ---- saved, cloned ---- */

static void try_middle(const setting *s, brink_status status, const brink_trajectory *rows,
                       ways_result *result) {
  setting few = *s;
  brink_bytes saved = {0};
  few.options.sim.max_steps = 1 + (int64_t)rows->rows / 3;
  brink_run *first = make(&few), *second = make(s);
  brink_trajectory again;
  if (first != NULL && second != NULL) {
    brink_run_to(first, s->options.until, NULL);
    if (brink_run_save(first, &saved, NULL) == BRINK_OK) {
      /* max_steps is no part of what a run is: the rest is taken at once */
      if (brink_run_restore(second, saved.data, saved.length, NULL) != BRINK_OK) {
        snprintf(result->wrong, sizeof result->wrong, "what was saved is not restored");
      } else {
        brink_status end = finish(second, s, &again);
        result->restored = true;
        compare("restored", status, rows, end, &again, result);
      }
    }
  }
  brink_bytes_free(&saved);
  brink_run_destroy(first);
  brink_run_destroy(second);
}

/* ---- agents ---- */

static void try_threads(const setting *s, brink_status status, const brink_trajectory *rows,
                        ways_result *result) {
  for (size_t threads = 2; threads <= 4; threads += 2) {
    setting more = *s;
    more.options.threads = threads;
    brink_run *run = make(&more);
    brink_trajectory other;
    if (run == NULL) continue;
    brink_status end = finish(run, &more, &other);
    compare(threads == 2 ? "2 threads" : "4 threads", status, rows, end, &other, result);
    brink_run_destroy(run);
  }
}

static double final_value(const brink_trajectory *rows, size_t column) {
  return rows->values[(rows->rows - 1) * (1 + rows->ncolumns) + 1 + column];
}

static void try_clocks(const setting *s, brink_status status, const brink_trajectory *rows,
                       ways_result *result) {
  setting one = *s;
  brink_trajectory other;
  one.options.clocks = BRINK_CLOCKS_ONE;
  brink_run *run = make(&one);
  if (run == NULL) return;
  brink_status end = finish(run, &one, &other);
  if (end != status)
    snprintf(result->differ, sizeof result->differ, "clocks: status %d and %d", (int)status,
             (int)end);
  else if (status >= 0 && rows->nevents != other.nevents)
    snprintf(result->differ, sizeof result->differ, "clocks: %zu and %zu events", rows->nevents,
             other.nevents);
  else if (status >= 0 && rows->rows > 0 && other.rows > 0 && rows->ncolumns == other.ncolumns)
    for (size_t k = 0; k < rows->ncolumns && result->differ[0] == '\0'; k++) {
      double p = final_value(rows, k), q = final_value(&other, k);
      if (isfinite(p) && fabs(p - q) > 1e-3 * fmax(1.0, fabs(p)))
        snprintf(result->differ, sizeof result->differ, "clocks: %s = %.9g and %.9g",
                 rows->columns[k].name, p, q);
    }
  brink_run_destroy(run);
}

/* ---- files ---- */

/* The numbers of a line; texts count as what the row has. */
static bool same_line(const char *line, const double *row, const brink_trajectory *rows) {
  for (size_t k = 0; k <= rows->ncolumns; k++) {
    bool text = k > 0 && (rows->columns[k - 1].type == BRINK_HSML_STRING ||
                          rows->columns[k - 1].type == BRINK_HSML_BOOLEAN);
    char *end;
    double value = strtod(line, &end);
    if (!text && end == line && !isnan(row[k])) return false;
    if (!text && end != line && value != row[k] && !(isnan(value) && isnan(row[k]))) return false;
    bool quoted = false;
    for (; *line != '\0' && *line != '\n' && (quoted || *line != ','); line++)
      quoted = quoted != (*line == '"');
    if (*line == ',') line++;
  }
  return true;
}

static void try_csv(const setting *s, const brink_trajectory *rows, ways_result *result) {
  brink_run *run = make(s);
  brink_trajectory own;
  brink_bytes file = {0};
  if (run == NULL || brink_run_record_memory(run, "csv", NULL) != BRINK_OK) {
    brink_run_destroy(run);
    return;
  }
  finish(run, s, &own);
  if (brink_run_recorded(run, &file, NULL) == BRINK_OK && result->wrong[0] == '\0') {
    const char *line = strchr(file.data, '\n');
    size_t count = 0;
    for (; line != NULL && line[1] != '\0'; line = strchr(line + 1, '\n'), count++)
      if (count < rows->rows &&
          !same_line(line + 1, rows->values + count * (1 + rows->ncolumns), rows))
        break;
    if (count != rows->rows)
      snprintf(result->wrong, sizeof result->wrong, "csv: row %zu of %zu", count + 1, rows->rows);
  }
  brink_bytes_free(&file);
  brink_run_destroy(run);
}

/* ---- sweeps ---- */

static brink_sweep *sweep(const char *text, const char *path, double until, size_t lanes,
                          size_t jobs, brink_sweep_table *table) {
  static const char *const vary[] = {"seed=1,2,3,4,5"};
  char end[40];
  snprintf(end, sizeof end, "%.17g", until);
  const brink_sweep_option options[] = {{"until", end}, {"tolerance", "1e-6"}};
  brink_hsml_def model = brink_default_hsml();
  brink_sweep_def def = brink_default_sweep();
  brink_sweep *made = NULL;
  model.text = text;
  model.path = path;
  def.model = &model;
  def.options = options;
  def.noptions = 2;
  def.vary = vary;
  def.nvary = 1;
  def.interpret = true;
  def.keep_table = true;
  def.lanes = lanes;
  def.jobs = jobs;
  def.limit = 20.0;
  if (brink_sweep_create(&def, NULL, &made) != BRINK_OK) return NULL;
  if (brink_sweep_run(made, NULL) == BRINK_OK &&
      brink_sweep_get_table(made, table, NULL) == BRINK_OK)
    return made;
  brink_sweep_destroy(made);
  return NULL;
}

static bool same_tables(const brink_sweep_table *a, const brink_sweep_table *b) {
  if (a->rows != b->rows || a->ncolumns != b->ncolumns) return false;
  for (size_t k = 0; k < a->rows * a->ncolumns; k++) {
    double p = a->values[k], q = b->values[k];
    if (a->columns[k % a->ncolumns].text) {
      if (strcmp(a->texts[(size_t)p], b->texts[(size_t)q]) != 0) return false;
    } else if (p != q && !(isnan(p) && isnan(q))) {
      return false;
    }
  }
  return true;
}

/* Is this event one of the flag of a column, "count(car.empty)"? Elements of vectors and of arrays count as one flag. */
static bool is_of(const char *event, const char *column) {
  const char *flag = strchr(column, '(') + 1;
  for (; *event != '\0'; event++) {
    if (*event == '[') event += strcspn(event, "]");
    if (*event == ']') continue;
    if (*event != *flag++) return false;
  }
  return *flag == ')';
}

/* The first row has the seed of the run. */
static void compare_row(const brink_sweep_table *table, brink_status status,
                        const brink_trajectory *rows, double end, ways_result *result) {
  for (size_t j = 0; j < table->ncolumns && result->wrong[0] == '\0'; j++) {
    const brink_sweep_column *column = &table->columns[j];
    double value = table->values[j], expected = value;
    if (column->role == BRINK_SWEEP_END) expected = end;
    if (column->role == BRINK_SWEEP_COUNT) {
      expected = 0.0;
      for (size_t k = 0; k < rows->nevents; k++)
        expected += is_of(rows->flags[rows->events[k].flag], column->name);
    }
    if (value != expected && !(isnan(value) && isnan(expected)) && status >= 0)
      snprintf(result->wrong, sizeof result->wrong, "row of a sweep: %s is %.17g, alone %.17g",
               column->name, value, expected);
  }
}

static void try_sweep(const char *text, const char *path, const setting *s, brink_status status,
                      const brink_trajectory *rows, double end, ways_result *result) {
  brink_sweep_table one, lanes, jobs;
  brink_sweep *first = sweep(text, path, s->options.until, 1, 1, &one);
  brink_sweep *second = first != NULL ? sweep(text, path, s->options.until, 4, 1, &lanes) : NULL;
  brink_sweep *third = first != NULL ? sweep(text, path, s->options.until, 1, 2, &jobs) : NULL;
  if (first != NULL) {
    result->swept = true;
    compare_row(&one, status, rows, end, result);
  }
  if (second != NULL && result->wrong[0] == '\0' && !same_tables(&one, &lanes))
    snprintf(result->wrong, sizeof result->wrong, "sweep: other rows by lanes");
  if (third != NULL && result->wrong[0] == '\0' && !same_tables(&one, &jobs))
    snprintf(result->wrong, sizeof result->wrong, "sweep: other rows by two jobs");
  brink_sweep_destroy(first);
  brink_sweep_destroy(second);
  brink_sweep_destroy(third);
}

/* ---- all of them ---- */

static bool open_model(const char *text, const char *path, double until, setting *s) {
  brink_hsml_def def = brink_default_hsml();
  def.text = text;
  def.path = path;
  if (brink_hsml_load(&def, NULL, NULL, &s->model) != BRINK_OK ||
      brink_hsml_options(s->model, &s->options, NULL) != BRINK_OK)
    return false;
  s->options.interpret = true;
  s->options.threads = 1;
  s->options.until = until;
  s->options.seed = 1;
  s->options.sim.rtol = 1e-6;
  s->options.sim.atol = 1e-9;
  s->options.sim.max_steps = STEPS;
  return true;
}

void ways_try(const char *text, const char *path, double until, ways_result *result) {
  setting s = {0};
  *result = (ways_result){0};
  brink_run *run = open_model(text, path, until, &s) ? make(&s) : NULL;
  if (run != NULL) {
    brink_trajectory rows;
    brink_status status = finish(run, &s, &rows);
    result->ran = true;
    result->agents = brink_run_information(run).agents > 0;
    bool whole = status != BRINK_ERR_WORK && rows.ncolumns <= MOST_COLUMNS;
    if (whole) try_middle(&s, status, &rows, result);
    if (whole && result->agents) try_threads(&s, status, &rows, result);
    if (whole && result->agents) try_clocks(&s, status, &rows, result);
    if (whole) try_csv(&s, &rows, result);
    if (whole && !result->agents)
      try_sweep(text, path, &s, status, &rows, brink_run_time(run), result);
  }
  brink_run_destroy(run);
  brink_hsml_destroy(s.model);
}
