/* result_files.h: result files as another program reads them: CSV and MAT by a reader of a few lines,
 * HDF5 by h5dump. */
#ifndef BRINK_TESTS_SUPPORT_RESULT_FILES_H
#define BRINK_TESTS_SUPPORT_RESULT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A matrix of a MAT-file of level 4. */
typedef struct mat_matrix {
  char name[64];
  int32_t type, rows, columns;
  unsigned char *data;
  size_t size;
} mat_matrix;

typedef struct mat_file {
  unsigned char *bytes;
  size_t size;
  mat_matrix matrix[16];
  size_t count;
} mat_file;

/* False: it is not a sequence of whole matrices (of which the first 16 are kept). */
bool mat_read(const char *path, mat_file *file);
void mat_free(mat_file *file);
const mat_matrix *mat_find(const mat_file *file, const char *name); /* NULL: there is none */
/* An element of a matrix of doubles, from 0. */
double mat_number(const mat_matrix *matrix, size_t row, size_t column);
/* A column of a matrix of characters as text. */
void mat_text(const mat_matrix *matrix, size_t column, char *out, size_t size);

/* Fields of the lines after the first, as numbers, up to `most` rows. Returns whole lines; -1: cannot
 * be read. */
long csv_read(const char *path, size_t columns, double *values, long most);

bool h5dump_is_there(void);
/* The values of a dataset of numbers, up to `most`. Returns how many; -1: it cannot be read. */
long h5_read(const char *path, const char *dataset, double *values, long most);

#endif
