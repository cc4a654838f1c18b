/* hdf5.c: the table of a sweep as an HDF5 file, made of a file of rows. See sweep_parts.h.
 *
 *     /table        a dataset for each column, in the order of the columns: numbers, and texts of fixed size. A '/' in a name
 *                   is a division slash (U+2215); the attribute "name" has the name itself, "role" what it is
 *     /provenance   attributes: what the sweep was */
#include "sweep/sweep_parts.h"

#ifdef BRINK_WITH_HDF5

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/replace.h"
#include "record/hdf5_parts.h"

enum { CHUNK_ROWS = 4096 };

static const char *const roles[] = {
    [BRINK_SWEEP_RUN] = "run",         [BRINK_SWEEP_KNOB] = "knob",
    [BRINK_SWEEP_STATUS] = "status",   [BRINK_SWEEP_REASON] = "reason",
    [BRINK_SWEEP_MESSAGE] = "message", [BRINK_SWEEP_END] = "end",
    [BRINK_SWEEP_COUNT] = "count",     [BRINK_SWEEP_FIRST] = "first",
    [BRINK_SWEEP_LAST] = "last",       [BRINK_SWEEP_MEASURE] = "measure"};

typedef struct writing {
  brink_sweep *sweep;
  brink_hdf5_library library;
  brink_hdf5_table table;
  brink_arena arena;
} writing;

/* Calls `each` for every row of the file, which is cut. False: it cannot be read, or `each` failed. */
static bool visit_rows(writing *w, const char *path, bool (*each)(writing *w)) {
  char *line = NULL;
  size_t room = 0;
  const char *reason;
  FILE *file = brink_file_open(path, &reason);
  bool fine = file != NULL && getline(&line, &room, file) > 0; /* the names */
  for (ssize_t got; fine && (got = getline(&line, &room, file)) > 0;)
    fine = brink_sweep_cut_row(w->sweep, line, (size_t)got) && each(w);
  if (file != NULL) fclose(file);
  free(line);
  return fine;
}

static bool measure_texts(writing *w) {
  for (size_t k = 0; k < w->sweep->ncolumns; k++) {
    size_t size = w->sweep->columns[k].text ? strlen(w->sweep->fields[k]) + 1 : sizeof(double);
    if (size > w->table.columns[k].bytes) w->table.columns[k].bytes = size;
  }
  return true;
}

static bool put_row(writing *w) {
  for (size_t k = 0; k < w->sweep->ncolumns; k++) {
    unsigned char *place = brink_hdf5_table_place(&w->table, k);
    if (w->sweep->columns[k].text) {
      memset(place, 0, w->table.columns[k].bytes);
      memcpy(place, w->sweep->fields[k], strlen(w->sweep->fields[k]));
    } else if (w->sweep->columns[k].role == BRINK_SWEEP_RUN) {
      int64_t number = (int64_t)brink_sweep_number(w->sweep, k);
      memcpy(place, &number, sizeof number);
    } else {
      double number = brink_sweep_number(w->sweep, k);
      memcpy(place, &number, sizeof number);
    }
  }
  return brink_hdf5_table_next(&w->table);
}

/* A name that HDF5 takes, and no other column has. */
static const char *path_of(writing *w, size_t k) {
  brink_text path = {0};
  brink_text_add(&path, "table/");
  for (const char *c = w->sweep->columns[k].name; *c != '\0'; c++)
    brink_text_add(&path, *c == '/' ? "\u2215" : "%c", *c);
  size_t length = path.length;
  for (size_t j = 0, same = 1; j < k && !path.failed; j++) {
    if (strcmp(w->table.columns[j].path, path.data) != 0) continue;
    path.length = length;
    brink_text_add(&path, " %zu", ++same);
    j = BRINK_NONE; /* from the start */
  }
  const char *kept = path.failed ? NULL : brink_arena_text(&w->arena, path.data);
  brink_text_free(&path);
  return kept;
}

static bool create_column(writing *w, size_t k) {
  const brink_hdf5_library *h5 = &w->library;
  const brink_sweep_column *column = &w->sweep->columns[k];
  hid_t type = column->text
                   ? brink_hdf5_text_type(h5, w->table.columns[k].bytes)
                   : h5->H5Tcopy(column->role == BRINK_SWEEP_RUN ? h5->H5T_NATIVE_INT64_g
                                                                 : h5->H5T_NATIVE_DOUBLE_g);
  hid_t set = brink_hdf5_table_create(&w->table, k, type);
  bool fine = set >= 0 && brink_hdf5_write_attribute(h5, set, "name", column->name) &&
              brink_hdf5_write_attribute(h5, set, "role", roles[column->role]);
  if (set >= 0) h5->H5Dclose(set);
  h5->H5Tclose(type);
  return fine;
}

static bool create_columns(writing *w) {
  const brink_hdf5_library *h5 = &w->library;
  size_t n = w->sweep->ncolumns;
  uint64_t runs = w->sweep->design.runs;
  w->table.library = h5;
  w->table.ncolumns = n;
  w->table.chunk_rows = runs < CHUNK_ROWS ? (size_t)runs : CHUNK_ROWS;
  hid_t group = h5->H5Gcreate2(w->table.file, "table", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool fine = group >= 0 && h5->H5Gclose(group) >= 0;
  for (size_t k = 0; k < n && fine; k++) {
    brink_hdf5_column *column = &w->table.columns[k];
    column->path = path_of(w, k);
    column->chunk = brink_arena_take(&w->arena, w->table.chunk_rows, column->bytes);
    fine = !w->arena.failed && column->path != NULL && create_column(w, k);
  }
  return fine;
}

static bool write_provenance(writing *w) {
  const brink_hdf5_library *h5 = &w->library;
  brink_text text = {0};
  brink_row_file_describe(w->sweep, &text);
  hid_t group = h5->H5Gcreate2(w->table.file, "provenance", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool fine = group >= 0 && !text.failed &&
              brink_hdf5_write_attribute(h5, group, "sweep", text.data) &&
              brink_hdf5_write_attribute(h5, group, "program", brink_version());
  if (group >= 0) h5->H5Gclose(group);
  brink_text_free(&text);
  return fine;
}

static bool write_file(writing *w, const char *rows, const char *path) {
  const brink_hdf5_library *h5 = &w->library;
  w->table.columns = brink_arena_take(&w->arena, w->sweep->ncolumns, sizeof *w->table.columns);
  if (w->arena.failed || !visit_rows(w, rows, measure_texts)) return false;
  w->table.file = h5->H5Fcreate(path, BRINK_HDF5_TRUNCATE, H5P_DEFAULT, H5P_DEFAULT);
  if (w->table.file < 0) return false;
  bool fine = create_columns(w) && write_provenance(w) && visit_rows(w, rows, put_row) &&
              brink_hdf5_table_write(&w->table);
  return h5->H5Fclose(w->table.file) >= 0 && fine;
}

brink_status brink_sweep_write_hdf5(brink_sweep *sweep, const char *rows, const char *path,
                                    brink_diag *diag) {
  writing w = {.sweep = sweep};
  if (!brink_hdf5_load(&w.library, diag)) return BRINK_ERR_UNSUPPORTED;
  brink_arena_init(&w.arena, NULL);
  brink_replacement file; /* under its own name it is whole */
  const char *reason = NULL;
  bool fine = brink_replacement_begin(&file, path) == BRINK_OK;
  errno = 0; /* the library may fail without it */
  if (!fine) {
    reason = file.reason;
  } else if (!write_file(&w, rows, file.beside.data)) {
    fine = false;
    reason = w.arena.failed ? strerror(ENOMEM)
             : errno != 0   ? strerror(errno)
                            : "the HDF5 library reports a failure";
  } else if (brink_replacement_put(&file) != BRINK_OK) {
    fine = false;
    reason = file.reason;
  }
  if (!fine)
    brink_diag_set(diag, BRINK_ERR_FILE, "cannot write %s: %s; the rows are in %s", path, reason,
                   rows);
  brink_replacement_end(&file);
  brink_arena_free(&w.arena);
  return fine ? BRINK_OK : BRINK_ERR_FILE;
}

#else

brink_status brink_sweep_write_hdf5(brink_sweep *sweep, const char *rows, const char *path,
                                    brink_diag *diag) {
  (void)sweep;
  (void)rows;
  return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED, "%s: this library was built without HDF5",
                        path);
}

#endif
