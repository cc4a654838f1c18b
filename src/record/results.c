/* results.c: which kind of file; rows, and what became of them. */
#include "record/results_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "base/show.h"

#define TAIL ((size_t)1 << 16) /* bytes of a file that are compared before it is gone on with */

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
  brink_format_short(results->problem, sizeof results->problem, format, arguments);
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

int brink_results_reopen(brink_results *results) {
  int file = open(results->def.path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    brink_results_fail(results, "cannot go on with %s: %s", results->name, strerror(errno));
  return file;
}

/* The hash of the last bytes before `size`, not before `from`; false: they cannot be read. */
static bool hash_tail(int file, off_t from, off_t size, unsigned char digest[BRINK_SHA256_BYTES]) {
  unsigned char bytes[4096];
  brink_sha256 hash;
  brink_sha256_init(&hash);
  off_t at = size - from > (off_t)TAIL ? size - (off_t)TAIL : from;
  while (at < size) {
    size_t wanted = size - at < (off_t)sizeof bytes ? (size_t)(size - at) : sizeof bytes;
    ssize_t count = pread(file, bytes, wanted, at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    brink_sha256_add(&hash, bytes, (size_t)count);
    at += (off_t)count;
  }
  brink_sha256_finish(&hash, digest);
  return true;
}

bool brink_results_archive_file(brink_results *results, int file, off_t from, off_t *size,
                                brink_archive *a) {
  unsigned char digest[BRINK_SHA256_BYTES] = {0}, found[BRINK_SHA256_BYTES];
  int64_t length = a->reads ? 0 : (int64_t)*size;
  if (!a->reads && (!hash_tail(file, from, *size, digest) || fsync(file) != 0))
    return brink_results_fail_file(results, errno);
  brink_archive_int64(a, &length);
  brink_archive_bytes(a, digest, sizeof digest);
  if (!brink_archive_check(a, length >= 0)) return false;
  if (!a->reads) return true;
  *size = (off_t)length;
  if (hash_tail(file, from, *size, found) && memcmp(found, digest, sizeof found) == 0) return true;
  return brink_results_fail(results,
                            "cannot go on with %s: it is not the file that the checkpoint was "
                            "written beside, or a part of it is missing",
                            results->name);
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

/* What is in the rows: constants only where the file has them there. */
static void choose_columns(brink_results *results) {
  results->columns = results->def.columns;
  if (results->ops != NULL && results->ops->constants) return;
  results->varying = *results->def.columns;
  results->varying.ntracked = results->varying.nvarying;
  results->varying.count = results->varying.varying;
  results->columns = &results->varying;
}

/* The file, if there is one, can still be completed. */
static bool fail_store(brink_results *results) {
  results->store_failed = true;
  snprintf(results->problem, sizeof results->problem,
           "out of memory: the trajectory is not complete");
  return false;
}

/* What constants are read from. False: out of memory. */
static bool copy_start(brink_results *results) {
  const brink_system *system = results->def.columns->system;
  const brink_moment *given = results->def.start;
  brink_arena *arena = &results->arena;
  results->def.start = NULL; /* it belongs to the caller */
  results->start.p =
      brink_arena_copy(arena, given != NULL ? given->p : system->p0, system->np, sizeof *given->p);
  results->start.mode = brink_arena_copy(arena, given != NULL ? given->mode : system->mode0,
                                         system->nmodes, sizeof *given->mode);
  return !arena->failed;
}

static bool open_store(brink_results *results) {
  if (!results->def.keeps) return true;
  results->store = brink_trajectory_store_create(results->def.columns, &results->start,
                                                 &results->arena.allocator);
  return results->store != NULL || fail_store(results);
}

static bool open_file(brink_results *results) {
  const char *path = results->def.path;
  if (path == NULL) return true;
  if (results->ops != NULL && results->def.saved != NULL) return true; /* brink_results_archive */
  if (results->ops != NULL) return results->ops->open(results);
  return brink_results_fail(results, "%s: the ending decides what is written: %s", path,
                            BRINK_RESULTS_ENDINGS);
}

/* What both directions have in common. Memory of the file's kind is made where it is read. */
static bool archive(brink_results *results, brink_archive *a) {
  const brink_system *system = results->def.columns->system;
  brink_archive_mark(a, "results");
  brink_archive_same(a, results->def.columns->count);
  brink_archive_int64(a, &results->rows);
  brink_archive_int64(a, &results->kept);
  brink_archive_int64(a, &results->skips);
  brink_archive_int64(a, &results->behind);
  brink_archive_double(a, &results->kept_t);
  brink_archive_doubles(a, results->row, results->def.columns->count + 1);
  brink_archive_doubles(a, (double *)results->start.p, system->np);
  brink_archive_ints(a, (int *)results->start.mode, system->nmodes);
  bool possible = results->rows >= 0 && results->kept >= 0 && results->behind >= 0 &&
                  results->behind <= results->skips && results->behind <= results->rows;
  if (!brink_archive_check(a, possible)) return false;
  brink_archive_same(a, results->store != NULL);
  if (results->store != NULL) brink_trajectory_store_archive(results->store, a);
  if (a->failed || results->ops == NULL) return !a->failed;
  return results->ops->archive(results, a) && !a->failed;
}

brink_results_mark brink_results_now(const brink_results *results) {
  return (brink_results_mark){.told = results->told, .rows = results->rows - results->behind};
}

bool brink_results_save(brink_results *results, const brink_results_mark *since, brink_archive *a) {
  if (!brink_results_flush(results)) return false;
  int64_t skips = results->skips, behind = results->behind;
  if (since != NULL) {
    results->skips += results->told - since->told;
    results->behind = results->rows - since->rows;
  }
  bool fine = archive(results, a);
  results->skips = skips;
  results->behind = behind;
  return fine;
}

bool brink_results_cut(brink_results *results) {
  return results->ops == NULL || results->ops->cut(results);
}

/* Goes on with what was saved. */
static bool go_on(brink_results *results) {
  brink_archive *a = results->def.saved;
  results->def.saved = NULL;
  if (a == NULL || archive(results, a)) return true;
  if (results->failed) return false;
  return brink_results_fail(results, "%s",
                            a->memory ? "out of memory" : "the checkpoint is damaged");
}

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
  const char *path = def->path;
  *made = (brink_results){.ops = path != NULL ? kind_of(path, def->format) : NULL,
                          .arena = arena,
                          .def = *def,
                          .name = path != NULL && strcmp(path, "-") == 0 ? "standard output" : path,
                          .kept_t = NAN};
  choose_columns(made);
  made->row = brink_arena_take(&made->arena, def->columns->count + 1, sizeof(double));
  bool fine =
      copy_start(made) || (path != NULL ? brink_results_fail_memory(made) : fail_store(made));
  if (!fine || !open_store(made) || !open_file(made) || !go_on(made)) {
    brink_diag_set(diag, brink_results_status(made), "%s", made->problem);
    brink_results_destroy(made);
    return false;
  }
  *results = made;
  return true;
}

void brink_results_destroy(brink_results *results) {
  if (results == NULL) return;
  if (results->ops != NULL) results->ops->release(results);
  brink_trajectory_store_destroy(results->store);
  brink_arena arena = results->arena; /* it lives there */
  brink_arena_free(&arena);
}

/* Is it there already? */
static bool is_skipped(brink_results *results, bool row) {
  results->told++;
  if (results->skips == 0) return false;
  results->skips--;
  if (row && results->behind > 0) results->behind--;
  return true;
}

bool brink_results_row(brink_results *results, const brink_moment *moment) {
  if (results->failed || results->store_failed) return false;
  const brink_columns *columns = results->columns;
  if (is_skipped(results, true)) { /* it is in the file, but what was found in it is not known */
    brink_gaps_look(results->def.gaps, columns, moment);
    return true;
  }
  brink_columns_visit(columns, moment);
  results->row[0] = brink_system_time(columns->system, moment->t);
  brink_columns_values(columns, moment, results->row + 1);
  brink_gaps_values(results->def.gaps, columns, results->row + 1, results->row[0]);
  results->rows++;
  if (results->store != NULL && !brink_trajectory_store_row(results->store, results->row))
    return fail_store(results);
  return results->ops == NULL || results->ops->row(results);
}

bool brink_results_event(brink_results *results, const brink_logged_event *logged, int64_t row) {
  if (results->failed || results->store_failed) return false;
  if (is_skipped(results, false)) return true;
  if (results->store != NULL && !brink_trajectory_store_event(results->store, logged, row))
    return fail_store(results);
  if (results->ops == NULL || results->ops->event == NULL) return true;
  return results->ops->event(results, logged, row);
}

bool brink_results_flush(brink_results *results) {
  return !results->failed && (results->ops == NULL || results->ops->flush(results));
}

bool brink_results_close(brink_results *results, const char *status, bool complete) {
  if (results->failed) return false;
  return results->ops == NULL || results->ops->close(results, status, complete);
}

int64_t brink_results_rows(const brink_results *results) {
  return results->rows - results->behind;
}

int64_t brink_results_kept(const brink_results *results, double *t) {
  if (t != NULL) *t = results->kept_t;
  return results->kept;
}

const char *brink_results_problem(const brink_results *results) {
  return results->problem;
}

brink_status brink_results_status(const brink_results *results) {
  if (results->failed) return BRINK_ERR_FILE;
  return results->store_failed ? BRINK_ERR_MEMORY : BRINK_OK;
}

void brink_results_written(brink_results *results, uint32_t variable, size_t element) {
  if (results->store != NULL) brink_trajectory_store_forget(results->store, variable, element);
}

bool brink_results_trajectory(const brink_results *results, brink_trajectory *trajectory) {
  if (results->store == NULL) return false;
  *trajectory = brink_trajectory_store_read(results->store);
  return true;
}
