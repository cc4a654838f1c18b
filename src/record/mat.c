/* mat.c: MAT-files, level 4, in the layout that OpenModelica and Dymola share ("binTrans"):
 *
 *     Aclass       Atrajectory, 1.1, "", binTrans
 *     name         all names, "time" first, then the columns, then the parameters
 *     description  units, and what the numbers of a mode mean
 *     dataInfo     where each of them is: in data_1 or data_2 (0: time), and in which row
 *     data_1       what holds still: two columns, at the first and at the last time
 *     data_2       the trajectory: a column for each moment
 *
 * A matrix is a header of five 32-bit integers (type, rows, columns, imaginary, length of the name),
 * the name, and the numbers, column by column. So data_2 grows at its end, where the file ends, and
 * then its number of columns is overwritten.
 *
 * The process may be killed at any moment, and the file must be readable then. Programs read matrices
 * until the file ends: bytes after the last matrix are an error. So while the file is written, what
 * follows data_2 is another matrix, `in_progress`, that covers the rest of the file:
 *
 *     | … data_2: n columns | header of in_progress | its bytes: rows to come, then room |
 *                           ^ shown                                ^ next              ^ size
 *
 *   reserve   makes room. The file grows page by page, and each page is a matrix in_progress of its
 *             own (the system copies a page in one go). Then the length of the first is overwritten,
 *             so that it covers them all.
 *   hide      puts rows into the bytes of in_progress. What belongs where its header is waits in
 *             `first`.
 *   show      hides a header after the new rows, for the rest; overwrites the number of columns of
 *             data_2; and writes `first` over the old header. Killed between the last two (a
 *             microsecond every two seconds), the first new row would begin with that header: 32 bytes of
 *             wrong numbers. In every other case all that is read was written by the run.
 *
 * At the end the file is cut where data_2 ends. A file that has a matrix in_progress comes from a run
 * that was killed; it tells how far it got as any other. */
#include "record/results_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH ((size_t)1 << 18) /* bytes of rows written at once */
#define PAGE ((size_t)4096)     /* what the system copies in one go */
#define ROOM ((size_t)1 << 20)  /* the file grows by so much */
#define HIDDEN ((off_t)1 << 28) /* rows are shown before they are more than so many bytes */
#define MOST_COLUMNS INT32_MAX  /* of a matrix */

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { ORDER = 1000 };
#else
enum { ORDER = 0 };
#endif
enum { DOUBLES = ORDER, INTEGERS = ORDER + 20, BYTES = ORDER + 50, TEXT = ORDER + 51 };

typedef struct header {
  int32_t type, rows, columns, imaginary, name_length;
} header;

static const char cover_name[] = "in_progress";
enum { COVER = sizeof(header) + sizeof cover_name }; /* 32 */

typedef struct mat {
  int file;
  brink_columns given; /* parameters */
  unsigned char *batch;
  size_t used, capacity, row_size;
  off_t columns_at;        /* where the number of columns of data_2 is */
  off_t start_at, stop_at; /* where data_1 has the first and the last time */
  off_t shown, next, size;
  bool torn; /* data_2 says that it is longer than `shown` */
  unsigned char first[COVER];
  int64_t hidden_rows; /* with those that are shown */
  double first_t, hidden_t;
} mat;

/* ---- the cover ---- */

static void make_cover(unsigned char out[COVER], off_t length) {
  header head = {
      .type = BYTES, .rows = 1, .columns = (int32_t)length, .name_length = sizeof cover_name};
  memcpy(out, &head, sizeof head);
  memcpy(out + sizeof head, cover_name, sizeof cover_name);
}

static bool put(mat *own, const void *data, size_t size, off_t at) {
  return brink_write_at(own->file, data, size, at) == size;
}

static bool grow_by_page(mat *own) {
  unsigned char page[PAGE] = {0};
  make_cover(page, PAGE - COVER);
  size_t written = brink_write_at(own->file, page, PAGE, own->size);
  if (written == PAGE) {
    own->size += (off_t)PAGE;
    return true;
  }
  int error = errno;
  if (written > 0 && ftruncate(own->file, own->size) != 0) error = errno;
  errno = error;
  return false;
}

/* Room for `bytes` more and a header. False: not for all of them; errno says why. */
static bool reserve(mat *own, size_t bytes) {
  off_t needed = own->next + (off_t)bytes + COVER;
  if (needed <= own->size) return true;
  off_t wanted = needed + (off_t)ROOM;
  int error = 0;
  while (own->size < wanted && error == 0) error = grow_by_page(own) ? 0 : errno;
  unsigned char cover[COVER];
  make_cover(cover, own->size - own->shown - COVER);
  if (!put(own, cover, COVER, own->shown)) return false;
  errno = error;
  return needed <= own->size;
}

static bool hide(mat *own, const unsigned char *data, size_t size) {
  off_t open = own->shown + COVER - own->next; /* that much is where the header is */
  size_t early = open <= 0 ? 0 : (size_t)open < size ? (size_t)open : size;
  memcpy(own->first + (COVER - (early > 0 ? open : 0)), data, early);
  if (!put(own, data + early, size - early, own->next + (off_t)early)) return false;
  own->next += (off_t)size;
  return true;
}

/* data_2 has its new size, but what comes first in it could not be written: the old size again. If that cannot be written
 * either, the file stays as long as its matrix is: readable, with a row that is not one. */
static bool take_back(brink_results *results, int error) {
  mat *own = results->own;
  int32_t columns = (int32_t)results->kept;
  own->torn = !put(own, &columns, sizeof columns, own->columns_at);
  if (!own->torn) return brink_results_fail_file(results, error);
  results->kept = own->hidden_rows;
  return brink_results_fail(results, "cannot write to %s: %s; row %lld of it is damaged",
                            results->name, strerror(error), (long long)columns + 1);
}

static bool show(brink_results *results) {
  mat *own = results->own;
  if (own->next == own->shown) return true;
  off_t end = own->next;
  unsigned char cover[COVER];
  make_cover(cover, own->size - end - COVER);
  int32_t columns = (int32_t)own->hidden_rows;
  bool fine = hide(own, cover, COVER) &&
              put(own, &own->first_t, sizeof own->first_t, own->start_at) &&
              put(own, &own->hidden_t, sizeof own->hidden_t, own->stop_at) &&
              put(own, &columns, sizeof columns, own->columns_at);
  if (!fine) return brink_results_fail_file(results, errno);
  if (!put(own, own->first, COVER, own->shown)) return take_back(results, errno);
  own->shown = own->next = end;
  results->kept = own->hidden_rows;
  results->kept_t = own->hidden_t;
  return true;
}

/* ---- rows ---- */

/* The first of the rows in the batch, as many as there is room for. */
static bool write_rows(mat *own, size_t bytes) {
  double t;
  if (bytes == 0) return true;
  if (!hide(own, own->batch, bytes)) return false;
  memcpy(&t, own->batch + bytes - own->row_size, sizeof t);
  own->hidden_t = t;
  own->hidden_rows += (int64_t)(bytes / own->row_size);
  return true;
}

static bool write_batch(brink_results *results) {
  mat *own = results->own;
  size_t bytes = own->used;
  own->used = 0;
  if (own->hidden_rows + (int64_t)(bytes / own->row_size) > MOST_COLUMNS) {
    show(results);
    return brink_results_fail(results, "cannot write to %s: a MAT-file has at most 2147483647 rows",
                              results->name);
  }
  if (!reserve(own, bytes)) { /* the disk is full: what fits is saved */
    int error = errno;
    off_t room = own->size - own->next - COVER;
    size_t fits = room > 0 ? (size_t)room / own->row_size * own->row_size : 0;
    if (write_rows(own, fits < bytes ? fits : bytes)) show(results);
    return brink_results_fail_file(results, error);
  }
  if (!write_rows(own, bytes)) return brink_results_fail_file(results, errno);
  return own->next - own->shown < HIDDEN || show(results);
}

static bool row(brink_results *results) {
  mat *own = results->own;
  const brink_columns *columns = results->columns;
  double *values = (double *)(void *)(own->batch + own->used);
  if (results->rows == 1) own->first_t = results->row[0];
  values[0] = results->row[0];
  for (size_t k = 0; k < columns->ntracked; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    bool text = tracked->as->type == BRINK_VALUE_STRING;
    size_t first = 1 + tracked->first;
    for (size_t e = first; e < first + tracked->count; e++)
      values[e] = text ? brink_label_code(tracked->as, results->row[e]) : results->row[e];
  }
  own->used += own->row_size;
  return own->used + own->row_size <= own->capacity || write_batch(results);
}

static bool flush(brink_results *results) {
  mat *own = results->own;
  return (own->used == 0 || write_batch(results)) && show(results);
}

/* ---- the head of the file ---- */

static void add_matrix(brink_text *text, const char *name, int32_t type, size_t rows,
                       size_t columns) {
  header head = {.type = type,
                 .rows = (int32_t)rows,
                 .columns = (int32_t)columns,
                 .name_length = (int32_t)strlen(name) + 1};
  brink_text_append(text, (const char *)&head, sizeof head);
  brink_text_append(text, name, strlen(name) + 1);
}

static void add_class(brink_text *text) {
  static const char *const lines[4] = {"Atrajectory", "1.1        ", "           ", "binTrans   "};
  add_matrix(text, "Aclass", TEXT, 4, 11);
  for (size_t k = 0; k < 11; k++) {
    for (size_t line = 0; line < 4; line++) brink_text_append(text, lines[line] + k, 1);
  }
}

/* Texts as the columns of a matrix, filled up with zeros. `texts` holds them one after another, each
 * with a zero at its end. */
static void add_texts(brink_text *text, const char *name, const brink_text *texts, size_t count) {
  size_t width = 1;
  const char *from = texts->data;
  for (size_t k = 0; k < count; k++, from += strlen(from) + 1)
    width = strlen(from) > width ? strlen(from) : width;
  add_matrix(text, name, TEXT, width, count);
  from = texts->data;
  for (size_t k = 0; k < count; k++) {
    size_t length = strlen(from);
    brink_text_append(text, from, length);
    for (size_t j = length; j < width; j++) brink_text_append(text, "", 1);
    from += length + 1;
  }
}

static void add_description(brink_text *text, const brink_system *system, const brink_variable *v) {
  size_t labels = brink_labels(system, v);
  for (size_t k = 0; k < labels; k++)
    brink_text_add(text, "%s%zu = %s", k > 0 ? ", " : "", k, brink_label(system, v, k));
  if (v->type == BRINK_VALUE_BOOLEAN) brink_text_add(text, "0 = false, 1 = true");
  if (v->unit != NULL && v->unit[0] != '\0')
    brink_text_add(text, "%s[%s]", labels > 0 ? " " : "", v->unit);
  brink_text_append(text, "", 1);
}

static void add_names(const brink_columns *columns, brink_text *names, brink_text *descriptions) {
  for (size_t k = 0; k < columns->ntracked; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    for (size_t e = 0; e < tracked->count; e++) {
      const char *name = columns->name[tracked->first + e];
      brink_text_append(names, name, strlen(name) + 1);
      add_description(descriptions, columns->system, tracked->as);
    }
  }
}

/* For each name: which data (0: the abscissa), which row of it, linear between, nothing beyond. */
static void add_info(brink_text *text, int32_t data, size_t count) {
  for (size_t k = 0; k < count; k++) {
    int32_t info[4] = {data, (int32_t)k + 2, 0, -1};
    if (data == 0) info[1] = 1;
    brink_text_append(text, (const char *)info, sizeof info);
  }
}

/* Twice the same; the times are overwritten while the run goes on. */
static void add_parameters(brink_text *text, const mat *own, const brink_moment *start) {
  double t = 0.0;
  const brink_columns *given = &own->given;
  add_matrix(text, "data_1", DOUBLES, given->count + 1, 2);
  for (int column = 0; column < 2; column++) {
    brink_text_append(text, (const char *)&t, sizeof t);
    for (size_t k = 0; k < given->ntracked; k++) {
      const brink_tracked *tracked = &given->tracked[k];
      for (size_t e = 0; e < tracked->count; e++) {
        double value = brink_label_code(tracked->as, brink_columns_value(given, tracked, e, start));
        brink_text_append(text, (const char *)&value, sizeof value);
      }
    }
  }
}

static void add_head(mat *own, const brink_columns *columns, const brink_moment *start,
                     brink_text *text) {
  brink_text names = {.allocator = text->allocator}, descriptions = {.allocator = text->allocator};
  size_t count = 1 + columns->count + own->given.count;
  brink_text_append(&names, "time", 5);
  brink_text_append(&descriptions, "Simulation time", 16);
  add_names(columns, &names, &descriptions);
  add_names(&own->given, &names, &descriptions);
  if (names.failed || descriptions.failed) {
    text->failed = true;
  } else {
    add_class(text);
    add_texts(text, "name", &names, count);
    add_texts(text, "description", &descriptions, count);
    add_matrix(text, "dataInfo", INTEGERS, 4, count);
    add_info(text, 0, 1);
    add_info(text, 2, columns->count);
    add_info(text, 1, own->given.count);
    add_parameters(text, own, start);
    own->stop_at = (off_t)(text->length - (own->given.count + 1) * sizeof(double));
    own->start_at = own->stop_at - (off_t)((own->given.count + 1) * sizeof(double));
    own->columns_at = (off_t)(text->length + offsetof(header, columns));
    add_matrix(text, "data_2", DOUBLES, columns->count + 1, 0);
  }
  brink_text_free(&names);
  brink_text_free(&descriptions);
}

/* ---- begin and end ---- */

/* The head, and a cover to the end of a page. */
static bool write_head(brink_results *results) {
  mat *own = results->own;
  brink_text text = {.allocator = results->arena.allocator};
  add_head(own, results->columns, &results->start, &text);
  size_t head = text.length;
  unsigned char page[2 * PAGE] = {0};
  size_t room = COVER + PAGE - (text.length + COVER) % PAGE;
  make_cover(page, (off_t)(room - COVER));
  brink_text_append(&text, (const char *)page, room);
  own->size = (off_t)text.length;
  bool fine = !text.failed;
  if (!fine)
    brink_results_fail_memory(results);
  else if (!put(own, text.data, text.length, 0)) {
    fine = brink_results_fail_file(results, errno);
    if (ftruncate(own->file, 0) != 0) errno = 0; /* half a head is no file */
  }
  if (fine) own->shown = own->next = (off_t)head;
  brink_text_free(&text);
  return fine;
}

static bool lay_out(brink_results *results) {
  mat *own = results->own = brink_arena_take(&results->arena, 1, sizeof *own);
  if (own == NULL) return brink_results_fail_memory(results);
  own->file = -1;
  own->row_size = (results->columns->count + 1) * sizeof(double);
  own->capacity = own->row_size > BATCH ? own->row_size : BATCH;
  own->batch = brink_arena_take(&results->arena, own->capacity, 1);
  if (own->batch == NULL ||
      brink_columns_init_given(&own->given, results->columns->system, &results->arena.allocator) !=
          BRINK_OK ||
      !brink_columns_names(&own->given))
    return brink_results_fail_memory(results);
  return true;
}

static bool open_mat(brink_results *results) {
  if (!lay_out(results)) return false;
  mat *own = results->own;
  own->file = brink_results_create(results);
  return own->file >= 0 && write_head(results);
}

/* Where things are in a file that is there; its head follows from the model. */
static bool find_places(brink_results *results, off_t *head) {
  mat *own = results->own;
  brink_text text = {.allocator = results->arena.allocator};
  add_head(own, results->columns, &results->start, &text);
  bool fine = !text.failed;
  *head = (off_t)text.length;
  brink_text_free(&text);
  return fine || brink_results_fail_memory(results);
}

/* After a flush data_2 ends where all rows do. */
static bool archive(brink_results *results, brink_archive *a) {
  off_t head = 0;
  if (a->reads && !lay_out(results)) return false;
  if (!find_places(results, &head)) return false;
  if (a->reads) {
    mat *made = results->own;
    made->file = brink_results_reopen(results);
    if (made->file < 0) return false;
  }
  mat *own = results->own;
  brink_archive_double(a, &own->first_t);
  brink_archive_double(a, &own->hidden_t);
  brink_archive_int64(a, &own->hidden_rows);
  if (!brink_archive_check(a, own->hidden_rows == results->rows && results->rows <= MOST_COLUMNS))
    return false;
  if (!brink_results_archive_file(results, own->file, head, &own->shown, a)) return false;
  if (!a->reads) return true;
  own->next = own->shown;
  off_t rows = (off_t)results->rows, size = (off_t)own->row_size;
  if (brink_archive_check(a, (own->shown - head) / size == rows && (own->shown - head) % size == 0))
    return true;
  own->shown = 0; /* release leaves the file as it is */
  return false;
}

/* The cover first: the file is readable at every moment, if it was. */
static bool cut(brink_results *results) {
  mat *own = results->own;
  unsigned char cover[COVER];
  int32_t columns = (int32_t)own->hidden_rows;
  off_t end = lseek(own->file, 0, SEEK_END);
  make_cover(cover, end > own->shown + COVER ? end - own->shown - COVER : 0);
  bool fine = end >= own->shown && put(own, cover, COVER, own->shown) &&
              put(own, &columns, sizeof columns, own->columns_at) &&
              put(own, &own->hidden_t, sizeof own->hidden_t, own->stop_at) &&
              ftruncate(own->file, own->shown + COVER) == 0;
  make_cover(cover, 0);
  fine = fine && put(own, cover, COVER, own->shown);
  own->size = own->shown + COVER;
  return fine || brink_results_fail_file(results, errno);
}

static bool close_mat(brink_results *results, const char *status, bool complete) {
  (void)status;
  (void)complete;
  mat *own = results->own;
  int file = own->file;
  if (!flush(results)) return false;
  own->file = -1;
  bool fine = ftruncate(file, own->shown) == 0;
  int error = errno;
  if (close(file) != 0 && fine) {
    error = errno;
    fine = false;
  }
  return fine || brink_results_fail_file(results, error);
}

/* After a failure the rows that are shown stay, and nothing else. */
static void release(brink_results *results) {
  mat *own = results->own;
  if (own == NULL) return;
  if (own->file >= 0) {
    if (own->shown > 0 && !own->torn && ftruncate(own->file, own->shown) != 0)
      errno = 0; /* readable as it is */
    close(own->file);
  }
  brink_columns_free(&own->given);
}

const brink_results_ops brink_results_mat = {.ending = ".mat",
                                             .open = open_mat,
                                             .row = row,
                                             .flush = flush,
                                             .close = close_mat,
                                             .archive = archive,
                                             .cut = cut,
                                             .release = release};
