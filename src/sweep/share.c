/* share.c: a part of the runs of a sweep, and one table of all parts. See sweep_parts.h.
 *
 * Share k of n has the runs k - 1, k - 1 + n, k - 1 + 2n, …: neighbours in a design often take similar time, and so do shares
 * then. Its rows are in a file of its own, FILE.k-of-n, and what they are rows of is in FILE.k-of-n.resume, which stays as long
 * as they do. Joining reads a piece of one file at a time, so that there may be more shares than files that can be open. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "sweep/sweep_parts.h"

enum {
  MOST = 1000000, /* shares */
  PIECE = 16384,  /* bytes that are read at once */
};

typedef struct part {
  const char *path;
  off_t offset; /* of what has not been read */
  char *data;   /* what has been read, and not been passed on: begin … end - 1 */
  size_t begin, end, capacity;
} part;

static brink_status out_of_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

/* ---- which runs ---- */

brink_status brink_share_check(const brink_sweep_def *def, brink_diag *diag) {
  bool one = def->shares > 0 || def->share > 0, all = def->join > 0;
  if (one && (def->share < 1 || def->share > def->shares || def->shares > MOST))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "share %zu/%zu: write K/N with K from 1 to N, and N up to %d", def->share,
                          def->shares, MOST);
  if (def->join > MOST)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "join %zu: there are at most %d shares",
                          def->join, MOST);
  if (one && all)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "a share is made, or all shares are joined: not both at once");
  if ((one || all) && (def->out == NULL || strcmp(def->out, "-") == 0))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "shares are files beside that of the table: give --out FILE");
  if (all && def->resume)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "shares are joined from the start: leave --resume out");
  return BRINK_OK;
}

uint64_t brink_share_runs(uint64_t runs, size_t k, size_t n) {
  if (n == 0) return runs;
  return runs / n + (k <= runs % n ? 1 : 0);
}

uint64_t brink_share_number(const brink_sweep *sweep, uint64_t place) {
  const brink_sweep_def *def = &sweep->def;
  return def->shares > 0 ? def->share - 1 + place * def->shares : place;
}

const char *brink_share_path(brink_sweep *sweep, size_t k, size_t n) {
  brink_text text = {0};
  brink_text_add(&text, "%s.%zu-of-%zu", sweep->def.out, k, n);
  const char *path = text.failed ? NULL : brink_arena_text(&sweep->arena, text.data);
  brink_text_free(&text);
  if (path == NULL) sweep->arena.failed = true;
  return path;
}

void brink_share_describe(size_t k, size_t n, brink_text *text) {
  brink_text_add(text, "share %zu/%zu\n", k, n);
}

/* ---- reading ---- */

/* More of a file. *got 0: that was all. */
static brink_status read_piece(part *p, size_t *got, brink_diag *diag) {
  if (p->begin > 0) memmove(p->data, p->data + p->begin, p->end - p->begin);
  p->end -= p->begin;
  p->begin = 0;
  if (p->capacity - p->end < PIECE) {
    char *data = realloc(p->data, p->end + PIECE);
    if (data == NULL) return out_of_memory(diag);
    p->data = data;
    p->capacity = p->end + PIECE;
  }
  const char *reason = NULL;
  FILE *file = brink_file_open(p->path, &reason);
  bool missing = file == NULL && errno == ENOENT;
  bool fine = file != NULL && fseeko(file, p->offset, SEEK_SET) == 0;
  if (fine) *got = fread(p->data + p->end, 1, PIECE, file);
  if (fine) fine = ferror(file) == 0;
  if (file != NULL && !fine) reason = strerror(errno);
  if (file != NULL) fclose(file);
  if (!fine)
    return brink_diag_set(diag, BRINK_ERR_FILE, "cannot read %s: %s%s", p->path, reason,
                          missing ? " (this share has not been made)" : "");
  p->end += *got;
  p->offset += (off_t)*got;
  return BRINK_OK;
}

/* The next line; *length 0: there is none, or it is torn. */
static brink_status read_line(part *p, const char **line, size_t *length, brink_diag *diag) {
  for (;;) {
    const char *start = p->data + p->begin;
    const char *end = p->end > p->begin ? memchr(start, '\n', p->end - p->begin) : NULL;
    *line = start;
    *length = end != NULL ? (size_t)(end - start) + 1 : 0;
    p->begin += *length;
    if (*length > 0) return BRINK_OK;
    size_t got = 0;
    brink_status status = read_piece(p, &got, diag);
    if (status != BRINK_OK || got == 0) return status;
  }
}

/* ---- are they all there? ---- */

/* All of its rows must be those that were written. */
static brink_status check_seals(const char *path, const char *seals, brink_diag *diag) {
  const char *reason;
  FILE *table = brink_file_open(path, &reason);
  if (table == NULL)
    return brink_diag_set(diag, BRINK_ERR_FILE, "cannot read %s: %s", path, reason);
  long long sealed = 0;
  brink_status status = brink_row_seals_check(path, table, seals, &sealed, diag);
  bool longer = status == BRINK_OK && fseeko(table, sealed, SEEK_SET) == 0 && getc(table) != EOF;
  fclose(table);
  if (!longer) return status;
  return brink_diag_set(diag, BRINK_ERR_FILE,
                        "%s has bytes behind the last row that is known to be written: make this "
                        "share again with --resume",
                        path);
}

/* What stands beside the file of a share must be what this sweep is; seals follow in `found`. */
static brink_status compare_beside(const part *p, const brink_text *expected, brink_text *found,
                                   brink_diag *diag) {
  brink_text path = {0};
  brink_text_add(&path, "%s.resume", p->path);
  part beside = {.path = path.data};
  brink_status status = path.failed ? out_of_memory(diag) : BRINK_OK;
  size_t got = 1;
  while (status == BRINK_OK && got > 0) {
    status = read_piece(&beside, &got, diag);
    if (status == BRINK_OK && got > 0)
      brink_text_append(found, beside.data + beside.end - got, got);
  }
  free(beside.data);
  if (status == BRINK_OK && found->failed) status = out_of_memory(diag);
  bool same = found->length >= expected->length &&
              memcmp(found->data, expected->data, expected->length) == 0 &&
              (found->length == expected->length ||
               strncmp(found->data + expected->length, "seal ", 5) == 0);
  if (status == BRINK_OK && !same)
    status = brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "%s is a share of another sweep: model, options, design and measures "
                            "must be the same (compare %s)",
                            p->path, path.data);
  brink_text_free(&path);
  return status;
}

static brink_status count_rows(part *p, uint64_t expected, brink_diag *diag) {
  const char *line;
  size_t length = 1;
  uint64_t lines = 0;
  brink_status status = BRINK_OK;
  while (length > 0 && status == BRINK_OK) {
    status = read_line(p, &line, &length, diag);
    if (length > 0) lines++;
  }
  if (status != BRINK_OK || lines == expected + 1) return status;
  return brink_diag_set(
      diag, BRINK_ERR_FILE, "%s is not complete: %llu of %llu rows; make this share with --resume",
      p->path, (unsigned long long)(lines > 0 ? lines - 1 : 0), (unsigned long long)expected);
}

brink_status brink_share_examine(brink_sweep *sweep, brink_diag *diag) {
  size_t n = sweep->def.join;
  brink_status status = BRINK_OK;
  for (size_t k = 1; k <= n && status == BRINK_OK; k++) {
    brink_text expected = {0}, beside = {0};
    brink_row_file_describe(sweep, &expected);
    brink_share_describe(k, n, &expected);
    part p = {.path = brink_share_path(sweep, k, n)};
    if (p.path == NULL || expected.failed) status = out_of_memory(diag);
    if (status == BRINK_OK) status = compare_beside(&p, &expected, &beside, diag);
    if (status == BRINK_OK)
      status = count_rows(&p, brink_share_runs(sweep->design.runs, k, n), diag);
    if (status == BRINK_OK) status = check_seals(p.path, beside.data + expected.length, diag);
    free(p.data);
    brink_text_free(&beside);
    brink_text_free(&expected);
  }
  return status;
}

/* ---- one table ---- */

static brink_status open_parts(brink_sweep *sweep, part *parts, brink_diag *diag) {
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < sweep->def.join && status == BRINK_OK; k++) {
    const char *names;
    size_t length;
    parts[k].path = brink_share_path(sweep, k + 1, sweep->def.join);
    status =
        parts[k].path == NULL ? out_of_memory(diag) : read_line(&parts[k], &names, &length, diag);
  }
  return status;
}

static brink_status pass_row(brink_sweep *sweep, part *p, uint64_t number, brink_share_take *take,
                             brink_diag *diag) {
  const char *line;
  size_t length;
  brink_status status = read_line(p, &line, &length, diag);
  if (status != BRINK_OK) return status;
  if (length == 0 || !brink_sweep_cut_row(sweep, line, length) ||
      brink_sweep_number(sweep, 0) != (double)number)
    return brink_diag_set(diag, BRINK_ERR_FILE, "%s has no row of run %llu: it is damaged", p->path,
                          (unsigned long long)number);
  return take(sweep, number, line, length, diag);
}

brink_status brink_share_join(brink_sweep *sweep, brink_share_take *take, bool (*look)(void *sweep),
                              brink_diag *diag) {
  size_t n = sweep->def.join;
  part *parts = calloc(n, sizeof *parts);
  brink_status status = parts == NULL ? out_of_memory(diag) : open_parts(sweep, parts, diag);
  for (uint64_t r = 0; r < sweep->design.runs && status == BRINK_OK; r++) {
    status = pass_row(sweep, &parts[r % n], r, take, diag);
    if (status == BRINK_OK && r % 4096 == 0 && look(sweep)) status = BRINK_CANCELLED;
  }
  for (size_t k = 0; k < n && parts != NULL; k++) free(parts[k].data);
  free(parts);
  return status;
}
