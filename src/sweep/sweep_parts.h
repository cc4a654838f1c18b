/* sweep_parts.h: a sweep, inside. The public side is <brink/sweep.h>.
 *
 *   vary.c, design.c, sobol.c, knob_table.c   the knobs of each run
 *   measure.c, probe.c, extremes.c, mean.c    what is measured of a run
 *   runner.c                                  one run after another, each to its row; crew.c: several side by side
 *   workers.h, threads.c                      several runners at once
 *   row_file.c, row_seals.c, fields.c, hdf5.c  the file of rows, and how to go on with it
 *   table.c, indices.c                        rows in memory, and Sobol' indices
 *   page_rows.c, report.c                     what a report shows, and its page
 *   check.c                                   is every value of a knob allowed?
 *   share.c                                   a part of the runs; one table of all parts
 *   by_ranks.c, cores.c                       runners in several processes
 *   sweep.c                                   the object itself */
#ifndef BRINK_SWEEP_SWEEP_PARTS_H
#define BRINK_SWEEP_SWEEP_PARTS_H

#include <stdatomic.h>
#include <stdio.h>

#include "base/sha256.h"
#include "ranks/ranks.h"
#include "run/hsml.h"
#include "sweep/design.h"
#include "sweep/measure.h"
#include "sweep/page_rows.h"
#include "sweep/workers.h"
#include <brink/sweep.h>

/* Rows in memory. */
typedef struct brink_rows {
  double *values;
  uint64_t count;
  size_t capacity;
  const char **texts; /* what occurs in columns of texts */
  size_t ntexts, texts_capacity;
  brink_arena arena; /* of the texts */
} brink_rows;

/* The file of rows. */
typedef struct brink_row_file {
  FILE *stream;       /* NULL: none */
  const char *path;   /* of the rows: CSV; NULL: standard output */
  const char *final;  /* of an HDF5 file that is made of them; NULL: they are the result */
  const char *beside; /* what the sweep is, for the time in which it is not complete; NULL: none */
  double flushed;     /* seconds */
  FILE *seals;        /* of `beside`, from its byte `seals_at` on; NULL: not sealed */
  long long seals_at;
  uint64_t nsealed;     /* seals since the file was opened */
  brink_sha256 written; /* of all bytes of the table */
} brink_row_file;

struct brink_sweep {
  brink_arena arena;
  brink_sweep_def def; /* copied, with all that it points to */
  brink_hsml_def model;
  brink_hsml *first; /* the model of the first run, for what there is */
  brink_design design;
  brink_vary_value *nominal; /* values of the knobs to try the model with */
  brink_measures measures;
  size_t nflags; /* of the measures: the declared ones come first */
  brink_sweep_column *columns;
  size_t ncolumns;
  brink_rows rows;
  bool keeps; /* rows in memory */
  brink_page_rows shown;
  brink_row_file output;
  char *line; /* room for a row that is cut */
  size_t line_capacity;
  char **fields;
  brink_sweep_progress progress;
  atomic_bool cancelled;
  bool ran;
  const brink_ranks *ranks; /* who makes the runs together; NULL: this process alone */
  double patience;          /* with them, in seconds */
  size_t lost;              /* ranks that were given up */
  int lanes;                /* runs that are side by side in each job; 1: none */
  const char *why_no_lanes; /* NULL: there are some */
  brink_sweep_index *indices;
  size_t nindices;
};

/* ---- runner.c ---- */

typedef struct brink_runner brink_runner;

/* Loads the model. NULL: `diag` says why. */
brink_runner *brink_runner_open(const brink_sweep *sweep, brink_diag *diag);
void brink_runner_close(brink_runner *runner); /* NULL is fine */
/* The row of a run, by its place among those of the share. False: it was cancelled. It does what the next four do, and moves the
 * run to its end in between. */
bool brink_runner_run(brink_runner *runner, uint64_t place, brink_text *row);

/* Makes the run, with its probe and what is to be recorded of it. The runner keeps it. NULL: there is none, and its row says
 * why. */
brink_run *brink_runner_prepare(brink_runner *runner, uint64_t place);
/* It is going to be moved to the `until` of its options: from now on brink_runner_watch may cancel it. */
void brink_runner_begin(brink_runner *runner);
/* It has been moved as far as it goes, with this status. False: it was cancelled, and has no row. */
bool brink_runner_end(brink_runner *runner, brink_status status, const brink_diag *diag);
/* Its row, into an empty text: after brink_runner_end, or where there is no run. */
void brink_runner_row(brink_runner *runner, brink_text *row);

/* It was begun, and nobody wants its row any more. */
void brink_runner_give_up(brink_runner *runner);

/* Another runner for the same thread, that uses the model of the first one, and must be closed before it. `beside`: so many
 * share the thread's time. */
brink_runner *brink_runner_open_beside(brink_runner *owner, size_t beside, brink_diag *diag);

/* The run that was prepared last. */
brink_run *brink_runner_present(const brink_runner *runner);
/* The options of the present run: those that it was made with. */
const brink_run_options *brink_runner_options(const brink_runner *runner);
/* From another thread: ends the run if it takes too long; `stop`: in any case. */
void brink_runner_watch(brink_runner *runner, bool stop);

/* A model with what holds in all runs: values, inputs, options. Statuses of brink_hsml_load and brink_hsml_read_inputs. */
brink_status brink_sweep_load(const brink_sweep *sweep, brink_diag *diag, brink_hsml **model);
/* Gives it these values of the knobs. */
brink_status brink_sweep_turn(const brink_sweep *sweep, brink_hsml *model,
                              const brink_vary_value *values, brink_diag *diag);
/* The options of a run of the model, which is built: those of its simulation section, then those of the sweep. */
brink_status brink_sweep_options(const brink_sweep *sweep, brink_hsml *model,
                                 brink_run_options *options, brink_diag *diag);
/* Makes a run with the nominal values, without moving it: are the measures there? */
brink_status brink_runner_try(brink_runner *runner, brink_diag *diag);
brink_hsml *brink_runner_model(brink_runner *runner);

/* ---- crew.c ---- */

/* A worker: one runner, or, where the sweep has lanes, several whose runs are side by side. */
typedef struct brink_crew brink_crew;
brink_crew *brink_crew_open(const brink_sweep *sweep, brink_diag *diag);
void brink_crew_close(brink_crew *crew); /* NULL is fine */
/* As brink_runner_run and brink_runner_watch. */
bool brink_crew_run(brink_crew *crew, uint64_t place, brink_text *row);
void brink_crew_watch(brink_crew *crew, bool stop);
/* Takes numbers and hands in rows until there are no more. False: it was cancelled. */
bool brink_crew_work(brink_crew *crew, const brink_door *door);

/* ---- check.c ---- */

/* Every value of every knob, as far as that can be said without the others. ARGUMENT: one is not allowed. The model is
 * left with the nominal values. */
brink_status brink_sweep_check_knobs(brink_sweep *sweep, brink_hsml *model, brink_diag *diag);

/* ---- row_seals.c ---- */

/* Opens the file beside the table for seals, which follow the description of the sweep. */
brink_status brink_row_seals_open(brink_sweep *sweep, brink_diag *diag);

/* Seals the table as it is now: what was written has reached its file. */
brink_status brink_row_seals_add(brink_sweep *sweep, brink_diag *diag);

/* *sealed: the bytes of a table, from its start, that are as they were written. An error if some were altered. */
brink_status brink_row_seals_check(const char *path, FILE *table, const char *seals,
                                   long long *sealed, brink_diag *diag);

/* Seals of more than the table has now are of no use. */
brink_status brink_row_seals_renew(brink_sweep *sweep, brink_diag *diag);

/* ---- row_file.c ---- */

/* Opens the file, or reads what is there of it: rows are then passed to brink_sweep_keep_row, and progress.kept counts
 * them. Statuses: OK, FILE, ARGUMENT, UNSUPPORTED, MEMORY. */
brink_status brink_row_file_open(brink_sweep *sweep, brink_diag *diag);
brink_status brink_row_file_row(brink_sweep *sweep, const char *row, size_t length,
                                brink_diag *diag);
/* `complete`: all rows are there. OK, FILE, MEMORY, UNSUPPORTED. */
brink_status brink_row_file_close(brink_sweep *sweep, bool complete, brink_diag *diag);
/* What the sweep is, a line for each thing. */
void brink_row_file_describe(const brink_sweep *sweep, brink_text *text);
/* The line of names. */
void brink_row_file_names(const brink_sweep *sweep, brink_text *line);

/* hdf5.c: the table in an HDF5 file, made of a file of rows. OK, FILE, MEMORY, UNSUPPORTED. */
brink_status brink_sweep_write_hdf5(brink_sweep *sweep, const char *rows, const char *path,
                                    brink_diag *diag);

/* ---- share.c ---- */

/* Are share, shares and join possible, together and with the rest? OK, ARGUMENT. */
brink_status brink_share_check(const brink_sweep_def *def, brink_diag *diag);
/* How many runs share k of n has; n 0: all. The runs of a share are spread over the design: k - 1, k - 1 + n, … */
uint64_t brink_share_runs(uint64_t runs, size_t k, size_t n);
/* The run at a place of the sweep's share. */
uint64_t brink_share_number(const brink_sweep *sweep, uint64_t place);
/* The file of a share; in the arena. NULL: no memory. */
const char *brink_share_path(brink_sweep *sweep, size_t k, size_t n);
/* The line about a share in what a sweep is. */
void brink_share_describe(size_t k, size_t n, brink_text *text);
/* Are the files of all shares of this sweep there, and complete? OK, FILE, ARGUMENT, MEMORY. */
brink_status brink_share_examine(brink_sweep *sweep, brink_diag *diag);
/* Passes all rows of these files, in order, to `take`; `look`: as of brink_work. */
typedef brink_status brink_share_take(void *sweep, uint64_t number, const char *row, size_t length,
                                      brink_diag *diag);
brink_status brink_share_join(brink_sweep *sweep, brink_share_take *take, bool (*look)(void *sweep),
                              brink_diag *diag);

/* ---- table.c ---- */

/* Cuts a row into sweep->fields. False: it is not one of this sweep, or there is no memory. */
bool brink_sweep_cut_row(brink_sweep *sweep, const char *row, size_t length);
/* A row is part of the table: counts it, and keeps it if that is wanted. OK, MEMORY. */
brink_status brink_sweep_keep_row(brink_sweep *sweep, const char *row, size_t length,
                                  brink_diag *diag);
/* The number of field k of a row that was cut; NaN: it is empty. */
double brink_sweep_number(const brink_sweep *sweep, size_t k);
/* The column of a role, the first of them; BRINK_NONE: there is none. */
size_t brink_sweep_column_of(const brink_sweep *sweep, brink_sweep_role role);

#endif
