/* results.h: the trajectory of a run: as a file for other programs, in memory, or both.
 *
 *   results.c        which kind of file; rows, and what became of them
 *   trajectory.c          in memory
 *   csv.c            text: comma-separated values (RFC 4180)
 *   mat.c            MAT-file, level 4, as OpenModelica and Dymola write them
 *   hdf5.c           HDF5, with events, parameters and provenance; hdf5_*.c are its parts
 *
 * Rows for a file are collected and written in batches; memory does not grow with the run. What has been flushed
 * can be read, whatever happens to the run afterwards. docs/results.md describes the files. */
#ifndef BRINK_RECORD_RESULTS_H
#define BRINK_RECORD_RESULTS_H

#include "record/record.h"
#include <brink/record.h>

typedef struct brink_results brink_results;

typedef struct brink_results_def {
  const char *path;             /* its ending decides; "-": CSV on standard output; NULL: no file */
  const char *format;           /* "csv", "mat", "h5": this decides instead; NULL */
  const brink_columns *columns; /* with their names */
  const brink_fact *facts;      /* provenance */
  size_t nfacts;
  size_t chunk_rows; /* at most so many rows in a chunk of an HDF5 file; 0: as many as are good */
  const brink_moment *start; /* what constants are read from; NULL: initial values. Copied. */
  brink_gaps *gaps;          /* learn where values are not numbers; NULL: nobody asks */
  bool keeps;                /* rows and events in memory, too */
  brink_archive *
      saved; /* goes on with a file, and with what was kept, as brink_results_save left them; NULL: anew */
} brink_results_def;

/* ".csv, .mat, .h5" */
#define BRINK_RESULTS_ENDINGS ".csv, .mat, .h5"
bool brink_results_knows(const char *path);

/* What `def` points at must outlive the results. False: `diag` says why. */
bool brink_results_open(const brink_results_def *def, const brink_allocator *allocator,
                        brink_diag *diag, brink_results **results);

/* All of these: false if this or anything before it failed; brink_results_problem says how. Where memory runs out, the
 * file can still be flushed and closed. */
bool brink_results_row(brink_results *results, const brink_moment *moment);
/* `row`: the number (from 0) of the row that holds the values before it. */
bool brink_results_event(brink_results *results, const brink_logged_event *logged, int64_t row);
/* What was collected goes to the file. It survives the end of the process, not that of the machine. */
bool brink_results_flush(brink_results *results);
/* A moment of a recording. */
typedef struct brink_results_mark {
  int64_t told, rows;
} brink_results_mark;

brink_results_mark brink_results_now(const brink_results *results);
/* What was recorded so far is in the file, and stays there whatever happens to the machine; what it takes to go on goes to
 * the archive. `since`: who goes on will tell once more what was recorded since then, and that is not recorded twice;
 * NULL: nothing. False: as above, or a file that cannot be gone on with (standard output). */
bool brink_results_save(brink_results *results, const brink_results_mark *since, brink_archive *a);
/* After brink_results_open with `saved`, when everything else has been read: what the file has more than that is cut off. */
bool brink_results_cut(brink_results *results);
/* Flushes and frees nothing. `status`: what became of the run; `complete`: it got where it should. */
bool brink_results_close(brink_results *results, const char *status, bool complete);
void brink_results_destroy(brink_results *results); /* NULL is fine */

/* Rows so far; those that are in the file, with the time of the last one in *t (may be NULL). */
int64_t brink_results_rows(const brink_results *results);
int64_t brink_results_kept(const brink_results *results, double *t);
/* "cannot write to FILE: No space left on device"; "": nothing. */
const char *brink_results_problem(const brink_results *results);
/* FILE; MEMORY: what was to be kept in memory is not complete; OK. */
brink_status brink_results_status(const brink_results *results);

/* An element of a variable was written on the way: in memory it is no constant any more. */
void brink_results_written(brink_results *results, uint32_t variable, size_t element);

/* What was kept in memory; false: it was not wanted. Valid until the next row or event. */
bool brink_results_trajectory(const brink_results *results, brink_trajectory *trajectory);

/* Is HDF5 installed? Then *version receives "1.10.8". */
bool brink_hdf5_available(char *version, size_t size);

#endif
