/* hdf5_table.c: columns of an HDF5 file that grow together, chunk by chunk. */
#include "record/hdf5_table.h"

#include <math.h>
#include <string.h>

/* ---- types ---- */

hid_t brink_hdf5_text_type(const brink_hdf5_library *h5, size_t size) {
  hid_t type = h5->H5Tcopy(h5->H5T_C_S1_g);
  h5->H5Tset_size(type, size);
  h5->H5Tset_strpad(type, H5T_STR_NULLTERM);
  h5->H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

/* As h5py and PyTables write it: others read it as booleans. */
hid_t brink_hdf5_boolean_type(const brink_hdf5_library *h5) {
  hid_t type = h5->H5Tenum_create(h5->H5T_NATIVE_INT8_g);
  h5->H5Tenum_insert(type, "FALSE", &(int8_t){0});
  h5->H5Tenum_insert(type, "TRUE", &(int8_t){1});
  return type;
}

/* A type is stored with its dataset, where there is room for 64 kB. */
#define LABELS_SIZE 48000

enum { STAND_IN = 64 };

/* A name of an enumeration must not be empty: two quotes stand for the empty text, and more of them where a label has these
 * already. */
static const char *stand_in(const brink_system *system, const brink_variable *variable,
                            size_t count, char name[STAND_IN]) {
  for (size_t length = 2; length < STAND_IN; length += 2) {
    bool taken = false;
    memset(name, '"', length);
    name[length] = '\0';
    for (size_t k = 0; k < count && !taken; k++)
      taken = strcmp(brink_label(system, variable, k), name) == 0;
    if (!taken) break;
  }
  return name;
}

static hid_t labels_type(const brink_hdf5_library *h5, const brink_system *system,
                         const brink_variable *variable) {
  size_t count = brink_labels(system, variable), size = 0;
  for (size_t k = 0; k < count; k++) size += strlen(brink_label(system, variable, k)) + 16;
  if (count == 0 || size > LABELS_SIZE) return h5->H5Tcopy(h5->H5T_NATIVE_INT32_g);
  hid_t type = h5->H5Tenum_create(h5->H5T_NATIVE_INT32_g);
  for (size_t k = 0; k < count; k++) {
    char quotes[STAND_IN];
    const char *label = brink_label(system, variable, k);
    if (label[0] == '\0') label = stand_in(system, variable, count, quotes);
    h5->H5Tenum_insert(type, label, &(int32_t){(int32_t)k});
  }
  return type;
}

hid_t brink_hdf5_value_type(const brink_hdf5_library *h5, const brink_system *system,
                            const brink_variable *variable) {
  switch (variable->type) {
  case BRINK_VALUE_INTEGER:
    return h5->H5Tcopy(h5->H5T_NATIVE_INT64_g);
  case BRINK_VALUE_BOOLEAN:
    return brink_hdf5_boolean_type(h5);
  case BRINK_VALUE_STRING:
    return labels_type(h5, system, variable);
  case BRINK_VALUE_REAL:
    break;
  }
  return h5->H5Tcopy(h5->H5T_NATIVE_DOUBLE_g);
}

size_t brink_hdf5_value_size(const brink_variable *variable) {
  static const size_t sizes[] = {[BRINK_VALUE_REAL] = sizeof(double),
                                 [BRINK_VALUE_INTEGER] = sizeof(int64_t),
                                 [BRINK_VALUE_BOOLEAN] = sizeof(int8_t),
                                 [BRINK_VALUE_STRING] = sizeof(int32_t)};
  return sizes[variable->type];
}

unsigned char *brink_hdf5_put_value(const brink_variable *variable, double value,
                                    unsigned char *out) {
  size_t size = brink_hdf5_value_size(variable);
  switch (variable->type) {
  case BRINK_VALUE_INTEGER: /* whole numbers; INT64_MIN stands for what is none */
    memcpy(out, &(int64_t){fabs(value) < 0x1p63 ? (int64_t)value : INT64_MIN}, size);
    break;
  case BRINK_VALUE_BOOLEAN:
    memcpy(out, &(int8_t){value != 0.0}, size);
    break;
  case BRINK_VALUE_STRING:
    memcpy(out, &(int32_t){(int32_t)brink_label_code(variable, value)}, size);
    break;
  case BRINK_VALUE_REAL:
    memcpy(out, &value, size);
    break;
  }
  return out + size;
}

/* ---- tables ---- */

/* Chunks are collected here, and not by the library. */
static hid_t access_list(const brink_hdf5_library *h5) {
  hid_t access = h5->H5Pcreate(h5->H5P_CLS_DATASET_ACCESS_ID_g);
  h5->H5Pset_chunk_cache(access, 1, 0, 0.0);
  return access;
}

hid_t brink_hdf5_table_create(const brink_hdf5_table *table, size_t k, hid_t type) {
  const brink_hdf5_library *h5 = table->library;
  const brink_hdf5_column *column = &table->columns[k];
  int rank = column->width > 0 ? 2 : 1;
  hsize_t size[2] = {0, column->width}, most[2] = {H5S_UNLIMITED, column->width};
  hsize_t chunk[2] = {table->chunk_rows, column->width};
  hid_t space = h5->H5Screate_simple(rank, size, most);
  hid_t how = h5->H5Pcreate(h5->H5P_CLS_DATASET_CREATE_ID_g);
  hid_t access = access_list(h5);
  h5->H5Pset_chunk(how, rank, chunk);
  h5->H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
  h5->H5Pset_obj_track_times(how, false);
  hid_t set = h5->H5Dcreate2(table->file, column->path, type, space, H5P_DEFAULT, how, access);
  h5->H5Pclose(access);
  h5->H5Pclose(how);
  h5->H5Sclose(space);
  return set;
}

unsigned char *brink_hdf5_table_place(const brink_hdf5_table *table, size_t k) {
  const brink_hdf5_column *column = &table->columns[k];
  return column->chunk + table->used * column->bytes;
}

static bool write_column(const brink_hdf5_table *table, const brink_hdf5_column *column,
                         int64_t rows, hid_t access) {
  const brink_hdf5_library *h5 = table->library;
  hsize_t length = (hsize_t)(rows > column->longer ? rows : column->longer);
  hsize_t size[2] = {length, column->width}, at[2] = {(hsize_t)table->before, 0};
  hid_t set = h5->H5Dopen2(table->file, column->path, access);
  bool fine = set >= 0 && h5->H5Dset_extent(set, size) >= 0 &&
              h5->H5Dwrite_chunk(set, H5P_DEFAULT, 0, at, table->chunk_rows * column->bytes,
                                 column->chunk) >= 0;
  if (set >= 0) h5->H5Dclose(set);
  return fine;
}

bool brink_hdf5_table_write(brink_hdf5_table *table) {
  int64_t rows = table->before + (int64_t)table->used;
  if (rows == table->rows) return true;
  if (!brink_hdf5_has_memory()) return false;
  hid_t access = access_list(table->library);
  bool fine = true;
  for (size_t k = table->ncolumns; k-- > 0 && fine;)
    fine = write_column(table, &table->columns[k], rows, access);
  table->library->H5Pclose(access);
  if (fine) table->rows = rows;
  return fine;
}

bool brink_hdf5_table_next(brink_hdf5_table *table) {
  if (++table->used < table->chunk_rows) return true;
  if (!brink_hdf5_table_write(table)) return false;
  table->before = table->rows;
  table->used = 0;
  return true;
}

/* ---- files that are opened again ---- */

/* Rows of a column; -1: it is not there. */
static int64_t rows_of(const brink_hdf5_table *table, const brink_hdf5_column *column, hid_t set) {
  const brink_hdf5_library *h5 = table->library;
  hid_t space = set >= 0 ? h5->H5Dget_space(set) : -1;
  int64_t points = space >= 0 ? (int64_t)h5->H5Sget_simple_extent_npoints(space) : -1;
  if (space >= 0) h5->H5Sclose(space);
  return points < 0 ? -1 : points / (int64_t)(column->width > 0 ? column->width : 1);
}

/* The chunk that is not full, as it is in the file. */
static bool read_chunk(const brink_hdf5_table *table, const brink_hdf5_column *column, hid_t set) {
  const brink_hdf5_library *h5 = table->library;
  hsize_t at[2] = {(hsize_t)table->before, 0}, size = 0;
  uint32_t filters = 0;
  if (table->used == 0) return true;
  return h5->H5Dget_chunk_storage_size(set, at, &size) >= 0 &&
         size == table->chunk_rows * column->bytes &&
         h5->H5Dread_chunk(set, H5P_DEFAULT, at, &filters, column->chunk) >= 0;
}

bool brink_hdf5_table_reopen(brink_hdf5_table *table, int64_t rows) {
  const brink_hdf5_library *h5 = table->library;
  hid_t access = access_list(h5);
  bool fine = rows >= 0;
  table->rows = rows;
  table->used = fine ? (size_t)(rows % (int64_t)table->chunk_rows) : 0;
  table->before = rows - (int64_t)table->used;
  for (size_t k = 0; k < table->ncolumns && fine; k++) {
    brink_hdf5_column *column = &table->columns[k];
    hid_t set = h5->H5Dopen2(table->file, column->path, access);
    int64_t found = rows_of(table, column, set);
    fine = found >= rows && read_chunk(table, column, set);
    column->longer = found;
    if (set >= 0) h5->H5Dclose(set);
  }
  h5->H5Pclose(access);
  return fine;
}

bool brink_hdf5_table_trim(brink_hdf5_table *table) {
  const brink_hdf5_library *h5 = table->library;
  bool fine = true;
  for (size_t k = 0; k < table->ncolumns && fine; k++) {
    brink_hdf5_column *column = &table->columns[k];
    if (column->longer <= table->rows) continue;
    hsize_t size[2] = {(hsize_t)table->rows, column->width};
    hid_t set = h5->H5Dopen2(table->file, column->path, H5P_DEFAULT);
    fine = set >= 0 && h5->H5Dset_extent(set, size) >= 0;
    if (set >= 0) h5->H5Dclose(set);
    column->longer = 0;
  }
  return fine;
}
