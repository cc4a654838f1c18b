/* csv.c: rows as text: names and values separated by commas, quoted where RFC 4180 asks for it, one
 * line each. A text that a program writes is read by programs: the decimal point is a point, numbers
 * read back as the same doubles, lines end with a line feed.
 *
 * Lines are written in batches. A batch of which the disk takes only a part is cut off after its last
 * whole line. A process that is killed while it writes one leaves a last line that may be cut. */
#include "record/results_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BATCH ((size_t)1 << 16) /* written at once */

typedef struct csv {
  int file;
  bool regular; /* can be cut */
  off_t size;   /* written so far: whole lines */
  brink_text text;
  size_t whole; /* characters of the text in whole lines */
  bool header;  /* the first line of the text is that of the names */
} csv;

/* ---- fields ---- */

/* The text from `start` on as a field: in quotes, with quotes doubled, if it needs them. */
static void quote(brink_text *text, size_t start) {
  if (text->data == NULL || strpbrk(text->data + start, ",\"\r\n") == NULL) return;
  brink_text copy = {.allocator = text->allocator};
  brink_text_append(&copy, text->data + start, text->length - start);
  text->failed = text->failed || copy.failed;
  text->length = start;
  brink_text_append(text, "\"", 1);
  for (size_t k = 0; k < copy.length; k++)
    brink_text_append(text, copy.data[k] == '"' ? "\"\"" : copy.data + k,
                      copy.data[k] == '"' ? 2 : 1);
  brink_text_append(text, "\"", 1);
  brink_text_free(&copy);
}

static void add_field(brink_text *text, const brink_system *system, brink_value_type type,
                      double value) {
  size_t start = text->length;
  brink_value_text(system, type, value, text);
  if (type == BRINK_VALUE_STRING) quote(text, start);
}

/* ---- writing ---- */

/* Of the first `length` characters, those in whole lines; *lines of them, the last one at *last. */
static size_t whole_lines(const char *text, size_t length, int64_t *lines, size_t *last) {
  size_t end = 0;
  bool quoted = false;
  *lines = 0;
  for (size_t k = 0; k < length; k++) {
    if (text[k] == '"') quoted = !quoted;
    if (text[k] != '\n' || quoted) continue;
    *last = end;
    end = k + 1;
    ++*lines;
  }
  return end;
}

/* Only `written` characters of the batch are in the file: what of them is worth keeping? */
static void rescue(brink_results *results, size_t written) {
  csv *own = results->own;
  int64_t lines;
  size_t last = 0, end = whole_lines(own->text.data, written, &lines, &last);
  if (!own->regular) {
    results->kept = 0; /* nobody knows what became of it */
    return;
  }
  if (ftruncate(own->file, own->size + (off_t)end) != 0) return;
  lines -= own->header && lines > 0;
  results->kept += lines;
  if (lines > 0) results->kept_t = brink_read_double(own->text.data + last, NULL);
}

static bool write_out(brink_results *results) {
  csv *own = results->own;
  brink_text *text = &own->text;
  size_t done = 0;
  while (done < text->length) {
    ssize_t count = write(own->file, text->data + done, text->length - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      int error = errno;
      rescue(results, done);
      return brink_results_fail_file(results, error);
    }
    done += (size_t)count;
  }
  own->size += (off_t)done;
  own->header = false;
  text->length = own->whole = 0;
  results->kept = results->rows;
  results->kept_t = results->row[0];
  return true;
}

/* There is no memory for the last line: those before it are written. */
static bool lose_line(brink_results *results) {
  csv *own = results->own;
  size_t batch = own->whole, last = 0;
  int64_t kept = results->kept, lines = 0;
  whole_lines(own->text.data, batch, &lines, &last);
  lines -= own->header && lines > 0;
  double t = lines > 0 ? brink_read_double(own->text.data + last, NULL) : results->kept_t;
  own->text.length = batch;
  own->text.failed = false;
  if (batch > 0 && !write_out(results)) return false;
  results->kept = kept + lines;
  results->kept_t = t;
  return brink_results_fail_memory(results);
}

static bool end_line(brink_results *results) {
  csv *own = results->own;
  brink_text_append(&own->text, "\n", 1);
  if (own->text.failed) return lose_line(results);
  own->whole = own->text.length;
  return own->text.length < BATCH || write_out(results);
}

static bool row(brink_results *results) {
  csv *own = results->own;
  const brink_columns *columns = results->columns;
  brink_text *text = &own->text;
  add_field(text, columns->system, BRINK_VALUE_REAL, results->row[0]);
  for (size_t k = 0; k < columns->ntracked; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    brink_value_type type = tracked->as->type;
    const double *values = results->row + 1 + tracked->first;
    for (size_t e = 0; e < tracked->count; e++) {
      brink_text_append(text, ",", 1);
      add_field(text, columns->system, type, values[e]);
    }
  }
  return end_line(results);
}

/* ---- begin and end ---- */

static void add_names(brink_text *text, const brink_columns *columns) {
  brink_text_append(text, "time", 4);
  for (size_t k = 0; k < columns->count; k++) {
    brink_text_append(text, ",", 1);
    size_t start = text->length;
    brink_text_append(text, columns->name[k], strlen(columns->name[k]));
    quote(text, start);
  }
}

static bool open_csv(brink_results *results) {
  csv *own = results->own = brink_arena_take(&results->arena, 1, sizeof *own);
  if (own == NULL) return brink_results_fail_memory(results);
  bool standard = strcmp(results->def.path, "-") == 0;
  own->file = standard ? STDOUT_FILENO : brink_results_create(results);
  if (own->file < 0) return false;
  struct stat about;
  own->regular = !standard && fstat(own->file, &about) == 0 && S_ISREG(about.st_mode);
  own->text.allocator = results->arena.allocator;
  own->header = true;
  add_names(&own->text, results->columns);
  return end_line(results);
}

static bool flush(brink_results *results) {
  const csv *own = results->own;
  return own->text.length == 0 || write_out(results);
}

static bool close_csv(brink_results *results, const char *status, bool complete) {
  (void)status;
  (void)complete;
  csv *own = results->own;
  int file = own->file;
  if (!flush(results)) return false;
  own->file = -1;
  if (file == STDOUT_FILENO || close(file) == 0) return true;
  return brink_results_fail_file(results, errno);
}

static bool archive(brink_results *results, brink_archive *a) {
  csv *own = results->own;
  if (a->reads) {
    own = results->own = brink_arena_take(&results->arena, 1, sizeof *own);
    if (own == NULL) return brink_results_fail_memory(results);
    own->file = -1;
    own->text.allocator = results->arena.allocator;
    own->file = brink_results_reopen(results);
    own->regular = true;
    if (own->file < 0) return false;
  }
  if (!own->regular)
    return brink_results_fail(
        results, "%s cannot be gone on with after a checkpoint: record to a file", results->name);
  return brink_results_archive_file(results, own->file, 0, &own->size, a);
}

static bool cut(brink_results *results) {
  const csv *own = results->own;
  if (ftruncate(own->file, own->size) == 0 && lseek(own->file, own->size, SEEK_SET) >= 0)
    return true;
  return brink_results_fail_file(results, errno);
}

static void release(brink_results *results) {
  csv *own = results->own;
  if (own == NULL) return;
  if (own->file >= 0 && own->file != STDOUT_FILENO) close(own->file);
  brink_text_free(&own->text);
}

const brink_results_ops brink_results_csv = {.ending = ".csv",
                                             .constants = true,
                                             .open = open_csv,
                                             .row = row,
                                             .flush = flush,
                                             .close = close_csv,
                                             .archive = archive,
                                             .cut = cut,
                                             .release = release};
