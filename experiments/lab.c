/* lab.c: runs an experiment and keeps what it hands over. */
#include "experiments/lab.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- memory ---- */

void *brink_lab_take(brink_lab *lab, size_t count, size_t size) {
  void *memory = brink_arena_take(&lab->arena, count, size);
  if (memory == NULL) lab->failed = true;
  return memory;
}

static const char *copy_text(brink_lab *lab, const char *text) {
  const char *copy = brink_arena_text(&lab->arena, text);
  if (copy == NULL) lab->failed = true;
  return copy != NULL ? copy : "";
}

static bool make_room(brink_lab *lab, void **items, size_t count, size_t *capacity, size_t size) {
  if (lab->failed) return false;
  lab->failed = !brink_arena_grow(&lab->arena, items, count, capacity, size);
  return !lab->failed;
}

/* A formatted text in the lab's arena; "" when memory is out. */
BRINK_LAB_FORMAT(2, 0)
static const char *format_text(brink_lab *lab, const char *format, va_list arguments) {
  const char *text = lab->failed ? NULL : brink_arena_format(&lab->arena, format, arguments);
  if (text == NULL) lab->failed = true;
  return text != NULL ? text : "";
}

/* ---- running ---- */

brink_status brink_lab_run(const brink_experiment *experiment, const brink_lab_options *options,
                           brink_diag *diag, brink_lab **result) {
  *result = NULL;
  brink_diag_clear(diag);
  brink_lab *lab = brink_allocate(NULL, 1, sizeof *lab);
  if (lab == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  *result = lab;
  lab->experiment = experiment;
  lab->options = *options;
  brink_arena_init(&lab->arena, NULL);
  brink_status status = experiment->run(lab, diag);
  brink_lab_close_models(lab);
  if (lab->failed && status == BRINK_OK)
    status = brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  return status;
}

void brink_lab_destroy(brink_lab *lab) {
  if (lab == NULL) return;
  brink_lab_close_models(lab);
  brink_arena_free(&lab->arena);
  brink_release(NULL, lab, 1, sizeof *lab);
}

size_t brink_lab_count(const brink_lab *lab, brink_verdict verdict) {
  size_t count = 0;
  for (size_t k = 0; k < lab->ncomparisons; k++) count += lab->comparisons[k].verdict == verdict;
  return count;
}

/* ---- what was asked for ---- */

size_t brink_lab_repetitions(const brink_lab *lab, size_t published) {
  return lab->options.repetitions > 0 ? lab->options.repetitions : published;
}

double brink_lab_random(const brink_lab *lab, size_t stream, size_t draw) {
  uint64_t seed = lab->options.seed; /* FNV-1a: another sequence for every experiment */
  for (const char *c = lab->experiment->name; *c != '\0'; c++)
    seed = (seed ^ (unsigned char)*c) * UINT64_C(0x100000001B3);
  return brink_random(seed, (double)stream, (double)draw);
}

/* ---- threads ---- */

typedef struct shared_work {
  brink_lab_job *job;
  void *user;
  size_t count;
  atomic_size_t next;
  atomic_bool ended;
} shared_work;

typedef struct worker {
  shared_work *work;
  int number;
  brink_status status; /* of the job that ended it */
  size_t at;
} worker;

static void *do_jobs(void *user) {
  worker *me = user;
  shared_work *work = me->work;
  while (!atomic_load(&work->ended)) {
    size_t k = atomic_fetch_add(&work->next, 1);
    if (k >= work->count) break;
    me->at = k;
    me->status = work->job(k, me->number, work->user);
    if (me->status != BRINK_OK) atomic_store(&work->ended, true);
  }
  return NULL;
}

brink_status brink_lab_parallel(brink_lab *lab, size_t count, brink_lab_job *job, void *user) {
  shared_work work = {.job = job, .user = user, .count = count};
  worker workers[BRINK_LAB_THREADS];
  pthread_t threads[BRINK_LAB_THREADS];
  bool started[BRINK_LAB_THREADS] = {false};
  int wanted = lab->options.threads > 0 && lab->options.threads < BRINK_LAB_THREADS
                   ? lab->options.threads
                   : BRINK_LAB_THREADS;
  for (int i = 0; i < wanted; i++) workers[i] = (worker){.work = &work, .number = i};
  for (int i = 1; i < wanted; i++) /* one that does not start leaves its work to the others */
    started[i] = pthread_create(&threads[i], NULL, do_jobs, &workers[i]) == 0;
  do_jobs(&workers[0]);
  const worker *first = &workers[0];
  for (int i = 1; i < wanted; i++) {
    if (!started[i]) continue;
    pthread_join(threads[i], NULL);
    const worker *other = &workers[i];
    if (other->status == BRINK_OK) continue;
    if (first->status == BRINK_OK || other->at < first->at) first = other;
  }
  return first->status;
}

/* ---- words ---- */

static void add_text(brink_lab *lab, brink_texts *texts, const char *text) {
  if (!make_room(lab, (void **)&texts->items, texts->count, &texts->capacity, sizeof *texts->items))
    return;
  texts->items[texts->count++] = text;
}

void brink_lab_say(brink_lab *lab, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_text(lab, &lab->paragraphs, format_text(lab, format, arguments));
  va_end(arguments);
}

void brink_lab_note(brink_lab *lab, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_text(lab, &lab->notes, format_text(lab, format, arguments));
  va_end(arguments);
}

void brink_lab_source(brink_lab *lab, const char *path) {
  for (size_t k = 0; k < lab->sources.count; k++) {
    if (strcmp(lab->sources.items[k], path) == 0) return;
  }
  if (brink_lab_text(path) != NULL) add_text(lab, &lab->sources, copy_text(lab, path));
}

/* ---- comparisons ---- */

const char *brink_verdict_text(brink_verdict verdict) {
  static const char *const texts[] = {
#define TEXT(name, text, meaning) [name] = text,
      BRINK_VERDICT_LIST(TEXT)
#undef TEXT
  };
  return texts[verdict];
}

brink_verdict brink_lab_holds(bool matches) {
  return matches ? BRINK_MATCHES : BRINK_DIFFERS;
}

brink_verdict brink_lab_near(double ours, double published, double tolerance) {
  return brink_lab_holds(fabs(ours - published) <= tolerance);
}

void brink_lab_compare(brink_lab *lab, const char *what, const char *published,
                       brink_verdict verdict, const char *format, ...) {
  if (!make_room(lab, (void **)&lab->comparisons, lab->ncomparisons, &lab->comparisons_capacity,
                 sizeof *lab->comparisons))
    return;
  va_list arguments;
  va_start(arguments, format);
  lab->comparisons[lab->ncomparisons++] =
      (brink_comparison){.what = copy_text(lab, what),
                         .published = copy_text(lab, published != NULL ? published : ""),
                         .ours = format_text(lab, format, arguments),
                         .because = "",
                         .verdict = verdict};
  va_end(arguments);
}

void brink_lab_because(brink_lab *lab, const char *format, ...) {
  if (lab->ncomparisons == 0) return;
  va_list arguments;
  va_start(arguments, format);
  lab->comparisons[lab->ncomparisons - 1].because = format_text(lab, format, arguments);
  va_end(arguments);
}

/* ---- tables ---- */

brink_table *brink_lab_table(brink_lab *lab, const char *title, const char *const *columns,
                             size_t ncolumns) {
  if (!make_room(lab, (void **)&lab->tables, lab->ntables, &lab->tables_capacity,
                 sizeof *lab->tables))
    return NULL;
  brink_table *table = brink_lab_take(lab, 1, sizeof *table);
  const char **names = brink_lab_take(lab, ncolumns, sizeof *names);
  if (table == NULL || names == NULL) return NULL;
  for (size_t k = 0; k < ncolumns; k++) names[k] = copy_text(lab, columns[k]);
  *table = (brink_table){
      .lab = lab, .title = copy_text(lab, title), .columns = names, .ncolumns = ncolumns};
  lab->tables[lab->ntables++] = table;
  return table;
}

void brink_table_cell(brink_table *table, const char *format, ...) {
  if (table == NULL || !make_room(table->lab, (void **)&table->cells, table->ncells,
                                  &table->capacity, sizeof *table->cells))
    return;
  va_list arguments;
  va_start(arguments, format);
  table->cells[table->ncells++] = format_text(table->lab, format, arguments);
  va_end(arguments);
}

/* ---- figures ---- */

brink_figure *brink_lab_figure(brink_lab *lab, const brink_figure_def *def) {
  if (!make_room(lab, (void **)&lab->figures, lab->nfigures, &lab->figures_capacity,
                 sizeof *lab->figures))
    return NULL;
  brink_figure *figure = brink_lab_take(lab, 1, sizeof *figure);
  if (figure == NULL) return NULL;
  *figure = (brink_figure){.lab = lab, .def = *def};
  const char **texts[] = {&figure->def.title, &figure->def.caption, &figure->def.x.label,
                          &figure->def.y.label};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    *texts[k] = copy_text(lab, *texts[k] != NULL ? *texts[k] : "");
  lab->figures[lab->nfigures++] = figure;
  return figure;
}

brink_series_program *brink_figure_series(brink_figure *figure, const char *name,
                                          brink_series_style style) {
  if (figure == NULL || !make_room(figure->lab, (void **)&figure->series, figure->nseries,
                                   &figure->capacity, sizeof *figure->series))
    return NULL;
  brink_series_program *series = brink_lab_take(figure->lab, 1, sizeof *series);
  if (series == NULL) return NULL;
  *series = (brink_series_program){.lab = figure->lab,
                                   .name = name != NULL ? copy_text(figure->lab, name) : NULL,
                                   .style = style};
  figure->series[figure->nseries++] = series;
  return series;
}

void brink_series_add(brink_series_program *series, double x, double y) {
  if (series == NULL || !make_room(series->lab, (void **)&series->points, series->npoints,
                                   &series->capacity, 2 * sizeof *series->points))
    return;
  series->points[2 * series->npoints] = x;
  series->points[2 * series->npoints + 1] = y;
  series->npoints++;
}

void brink_series_label(brink_series_program *series, double x, double y, const char *text) {
  if (series == NULL || !make_room(series->lab, (void **)&series->labels, series->nlabels,
                                   &series->labels_capacity, sizeof *series->labels))
    return;
  series->labels[series->nlabels++] =
      (brink_mark){.x = x, .y = y, .text = copy_text(series->lab, text)};
}
