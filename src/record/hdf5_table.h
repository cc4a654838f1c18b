/* hdf5_table.h: columns of an HDF5 file that grow together, chunk by chunk.
 *
 * Every column is a dataset of its own, with one row for each row of the table. Rows are collected as
 * the bytes that the file will have, and written a chunk at a time. A chunk that is not yet full may
 * be written, too: later it is written again, at its place, with the same rows and more. The first
 * column is the last to become longer: its length is that of the table.
 *
 * An open dataset costs the library 40 kB, and there may be thousands: they are open only while they are
 * written. */
#ifndef BRINK_RECORD_HDF5_TABLE_H
#define BRINK_RECORD_HDF5_TABLE_H

#include "record/hdf5_library.h"
#include "record/record.h"

typedef struct brink_hdf5_column {
  const char *path; /* "trajectory/car.x" */
  size_t
      width; /* elements of a row, if they are a dimension of their own; 0: a row is one element */
  size_t bytes; /* of a row */
  unsigned char *chunk;
  /* Rows that it has from a run that was interrupted: they come again, and are not cut off before that. */
  int64_t longer;
} brink_hdf5_column;

typedef struct brink_hdf5_table {
  const brink_hdf5_library *library;
  hid_t file;
  brink_hdf5_column *columns;
  size_t ncolumns;
  size_t chunk_rows;
  int64_t before; /* rows in full chunks */
  size_t used;    /* rows in the present one */
  int64_t rows;   /* that the file would have if it were committed */
} brink_hdf5_table;

/* ---- types ---- */

/* Closed by the caller; negative: failed. Texts have `size` bytes, at least one of them zero. */
hid_t brink_hdf5_text_type(const brink_hdf5_library *library, size_t size);
hid_t brink_hdf5_boolean_type(const brink_hdf5_library *library);
/* Of a variable: double, 64-bit integer, FALSE and TRUE, or an enumeration of its strings. */
hid_t brink_hdf5_value_type(const brink_hdf5_library *library, const brink_system *system,
                            const brink_variable *variable);
size_t brink_hdf5_value_size(const brink_variable *variable);
/* A value as the file has it; returns what follows it. */
unsigned char *brink_hdf5_put_value(const brink_variable *variable, double value,
                                    unsigned char *out);

/* ---- tables ---- */

/* Column k becomes an empty dataset; its chunk must have room for chunk_rows. To be closed by the
 * caller; negative: failed. */
hid_t brink_hdf5_table_create(const brink_hdf5_table *table, size_t k, hid_t type);
/* Where column k has its part of the next row. */
unsigned char *brink_hdf5_table_place(const brink_hdf5_table *table, size_t k);
/* The row is there. */
bool brink_hdf5_table_next(brink_hdf5_table *table);
/* All rows go to the file. */
bool brink_hdf5_table_write(brink_hdf5_table *table);
/* Of a file that was opened again: it has `rows` rows at least, and goes on after them. */
bool brink_hdf5_table_reopen(brink_hdf5_table *table, int64_t rows);
/* At the end: rows of an interrupted run that did not come again are cut off. */
bool brink_hdf5_table_trim(brink_hdf5_table *table);

#endif
