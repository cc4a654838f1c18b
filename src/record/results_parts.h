/* results_parts.h: what the kinds of result files share. For src/record/{results,trajectory,csv,mat,hdf5}*.c. */
#ifndef BRINK_RECORD_RESULTS_PARTS_H
#define BRINK_RECORD_RESULTS_PARTS_H

#include "record/results.h"

#include <sys/types.h>

/* One kind of file. All functions: false after brink_results_fail. */
typedef struct brink_results_ops {
  const char *ending;
  bool constants; /* they are columns, too */
  bool (*open)(brink_results *results);
  bool (*row)(brink_results *results); /* results->row */
  bool (*event)(brink_results *results, const brink_logged_event *logged,
                int64_t row);                                               /* may be NULL */
  bool (*flush)(brink_results *results);                                    /* sets `kept` */
  bool (*close)(brink_results *results, const char *status, bool complete); /* flushes */
  /* Writing: after a flush, what it takes to go on. Reading: in place of `open`, the file that is there. */
  bool (*archive)(brink_results *results, brink_archive *a);
  bool (*cut)(brink_results *results);     /* after it was read: what the file has more */
  void (*release)(brink_results *results); /* also after a failure, also of `open` */
} brink_results_ops;

extern const brink_results_ops brink_results_csv, brink_results_mat, brink_results_hdf5;

typedef struct brink_trajectory_store brink_trajectory_store;

struct brink_results {
  const brink_results_ops *ops; /* NULL: no file */
  void *own;                    /* of the kind of file */
  brink_arena arena;
  brink_results_def def;
  const brink_columns *columns; /* that are in the rows */
  brink_columns varying;        /* the same without constants, for files that have these once */
  brink_moment start;           /* parameters and modes only */
  const char *name;             /* for messages */
  double *row;                  /* time, then the columns */
  int64_t rows;                 /* in the file, or in memory */
  int64_t told;                 /* rows and events, by whoever has these results now */
  int64_t skips;                /* so many of those that come next are there already, … */
  int64_t behind;               /* … and so many of them are rows */
  int64_t kept;                 /* rows that can be read if the process ends now */
  double kept_t;
  brink_trajectory_store *store; /* in memory; NULL: none */
  bool failed, store_failed;     /* the file; what is kept in memory */
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

/* ---- trajectory.c ---- */

/* For the columns that vary, and with the values of those that do not. NULL: out of memory. */
brink_trajectory_store *brink_trajectory_store_create(const brink_columns *columns,
                                                      const brink_moment *start,
                                                      const brink_allocator *allocator);
void brink_trajectory_store_destroy(brink_trajectory_store *store); /* NULL is fine */
/* Time, then the columns that vary. False: out of memory. */
bool brink_trajectory_store_row(brink_trajectory_store *store, const double *row);
bool brink_trajectory_store_event(brink_trajectory_store *store, const brink_logged_event *logged,
                                  int64_t row);
/* An element of a variable holds still no longer: it is no constant. */
void brink_trajectory_store_forget(brink_trajectory_store *store, uint32_t variable,
                                   size_t element);
void brink_trajectory_store_archive(brink_trajectory_store *store, brink_archive *a);
brink_trajectory brink_trajectory_store_read(const brink_trajectory_store *store);

/* ---- files ---- */

/* Opens the file for reading and writing, empty; -1: failed. */
int brink_results_create(brink_results *results);
/* The same of one that is there, as it is, to go on with it. */
int brink_results_reopen(brink_results *results);
/* The size of a part of a file from its beginning, and the last of its bytes (from `from` on, at most: what is before it
 * changes later), to the archive and back: it must be there, and the same. False: it is not (brink_results_fail), or the
 * archive has failed. */
bool brink_results_archive_file(brink_results *results, int file, off_t from, off_t *size,
                                brink_archive *a);

/* Writes all of it, at `at`, and says how much was written; less than `size`: errno says why. */
size_t brink_write_at(int file, const void *data, size_t size, off_t at);

#endif
