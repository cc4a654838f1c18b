/* results_parts.h: what the kinds of result files share. For src/record/{results,csv,mat,hdf5}*.c. */
#ifndef BRINK_RECORD_RESULTS_PARTS_H
#define BRINK_RECORD_RESULTS_PARTS_H

#include "record/results.h"

#include <sys/types.h>

/* One kind of file. All functions: false after brink_results_fail. */
typedef struct brink_results_ops {
  const char *ending;
  bool (*open)(brink_results *results);
  bool (*row)(brink_results *results); /* results->row */
  bool (*event)(brink_results *results, const brink_logged_event *logged,
                int64_t row);                                               /* may be NULL */
  bool (*flush)(brink_results *results);                                    /* sets `kept` */
  bool (*close)(brink_results *results, const char *status, bool complete); /* flushes */
  void (*release)(brink_results *results); /* also after a failure, also of `open` */
} brink_results_ops;

extern const brink_results_ops brink_results_csv, brink_results_mat, brink_results_hdf5;

struct brink_results {
  const brink_results_ops *ops;
  void *own; /* of the kind of file */
  brink_arena arena;
  brink_results_def def;
  const brink_columns *columns;
  const char *name; /* for messages */
  double *row;      /* time, then the columns */
  int64_t rows;
  int64_t kept; /* rows that can be read if the process ends now */
  double kept_t;
  bool failed;
  char problem[BRINK_DIAG_MESSAGE];
};

/* Say what went wrong, once; false. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool brink_results_fail(brink_results *results, const char *format, ...);
/* "cannot write to FILE: …" by errno, or by an error number. */
bool brink_results_fail_file(brink_results *results, int error);
bool brink_results_fail_memory(brink_results *results);

/* ---- files ---- */

/* Opens the file for reading and writing, empty; -1: failed. */
int brink_results_create(brink_results *results);

/* Writes all of it, at `at`, and says how much was written; less than `size`: errno says why. */
size_t brink_write_at(int file, const void *data, size_t size, off_t at);

#endif
