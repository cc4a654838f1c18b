/* results.c: which kind of file; rows, and what became of them. */
#include "record/results_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- kinds ---- */

static const brink_results_ops *const kinds[] = {
    &brink_results_csv,
    &brink_results_mat,
#ifdef BRINK_WITH_HDF5
    &brink_results_hdf5,
#endif
};

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), size = strlen(end);
  return length > size && strcmp(text + length - size, end) == 0;
}

static const brink_results_ops *kind_of(const char *path, const char *format) {
  for (size_t k = 0; format != NULL && k < sizeof kinds / sizeof kinds[0]; k++) {
    if (strcmp(format, kinds[k]->ending + 1) == 0) return kinds[k];
  }
  if (strcmp(path, "-") == 0) return &brink_results_csv;
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    if (ends_with(path, kinds[k]->ending)) return kinds[k];
  }
  return NULL;
}

#ifndef BRINK_WITH_HDF5
bool brink_hdf5_available(char *version, size_t size) {
  (void)version, (void)size;
  return false;
}
#endif

bool brink_results_knows(const char *path) {
  return kind_of(path, NULL) != NULL;
}

/* ---- failures ---- */

bool brink_results_fail(brink_results *results, const char *format, ...) {
  if (results->failed) return false;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(results->problem, sizeof results->problem, format, arguments);
  va_end(arguments);
  results->failed = true;
  return false;
}

bool brink_results_fail_file(brink_results *results, int error) {
  return brink_results_fail(results, "cannot write to %s: %s", results->name, strerror(error));
}

bool brink_results_fail_memory(brink_results *results) {
  return brink_results_fail(results, "cannot write to %s: out of memory", results->name);
}

/* ---- files ---- */

int brink_results_create(brink_results *results) {
  int file = open(results->def.path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) brink_results_fail(results, "cannot write %s: %s", results->name, strerror(errno));
  return file;
}

size_t brink_write_at(int file, const void *data, size_t size, off_t at) {
  size_t done = 0;
  while (done < size) {
    ssize_t count = pwrite(file, (const char *)data + done, size - done, at + (off_t)done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      if (count == 0) errno = ENOSPC;
      break;
    }
    done += (size_t)count;
  }
  return done;
}

/* ---- the life of results ---- */

bool brink_results_open(const brink_results_def *def, const brink_allocator *allocator,
                        brink_diag *diag, brink_results **results) {
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_results *made = brink_arena_take(&arena, 1, sizeof *made);
  *results = NULL;
  if (made == NULL) {
    brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
    return false;
  }
  *made = (brink_results){.ops = kind_of(def->path, def->format),
                          .arena = arena,
                          .def = *def,
                          .columns = def->columns,
                          .name = strcmp(def->path, "-") == 0 ? "standard output" : def->path,
                          .kept_t = NAN};
  made->row = brink_arena_take(&made->arena, def->columns->count + 1, sizeof(double));
  bool fine = false;
  if (made->ops == NULL)
    brink_results_fail(made, "%s: the ending decides what is written: %s", def->path,
                       BRINK_RESULTS_ENDINGS);
  else if (made->row == NULL)
    brink_results_fail_memory(made);
  else
    fine = made->ops->open(made);
  if (!fine) {
    brink_diag_set(diag, BRINK_ERR_ARGUMENT, "%s", made->problem);
    brink_results_destroy(made);
    return false;
  }
  *results = made;
  return true;
}

void brink_results_destroy(brink_results *results) {
  if (results == NULL) return;
  if (results->ops != NULL) results->ops->release(results);
  brink_arena arena = results->arena; /* it lives there */
  brink_arena_free(&arena);
}

bool brink_results_row(brink_results *results, const brink_moment *moment) {
  if (results->failed) return false;
  const brink_columns *columns = results->columns;
  brink_columns_visit(columns, moment);
  results->row[0] = moment->t;
  for (size_t k = 0; k < columns->ntracked; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    double *values = results->row + 1 + tracked->first;
    for (size_t e = 0; e < tracked->count; e++)
      values[e] = brink_columns_value(columns, tracked, e, moment);
  }
  results->rows++;
  return results->ops->row(results);
}

bool brink_results_event(brink_results *results, const brink_logged_event *logged, int64_t row) {
  if (results->failed) return false;
  return results->ops->event == NULL || results->ops->event(results, logged, row);
}

bool brink_results_flush(brink_results *results) {
  return !results->failed && results->ops->flush(results);
}

bool brink_results_close(brink_results *results, const char *status, bool complete) {
  return !results->failed && results->ops->close(results, status, complete);
}

int64_t brink_results_rows(const brink_results *results) {
  return results->rows;
}

int64_t brink_results_kept(const brink_results *results, double *t) {
  if (t != NULL) *t = results->kept_t;
  return results->kept;
}

const char *brink_results_problem(const brink_results *results) {
  return results->problem;
}
