/* sweep.h: many runs of one model, one row each.
 *
 *     brink_hsml_def model = brink_default_hsml();
 *     brink_sweep_def def = brink_default_sweep();
 *     const char *vary[] = {"plant.area=1:10:100", "k=log:0.1:10:50"};
 *     model.path = "tank.hsml";
 *     def.model = &model;
 *     def.vary = vary;
 *     def.nvary = 2;
 *     def.out = "table.csv";
 *     brink_sweep_create(&def, &diag, &sweep);
 *     brink_sweep_run(sweep, &diag);
 *     brink_sweep_destroy(sweep);
 *
 * The values of each run follow from its number alone, and so does its row: the table is the same, byte for byte, however
 * many jobs make it. A run that fails is a row with its reason. docs/sweep.md has the words of `vary`, `design` and
 * `measures`, and the columns.
 *
 * Conventions are those of <brink/brink.h> and <brink/hsml.h>. A sweep belongs to one thread, except for
 * brink_sweep_cancel. */
#ifndef BRINK_SWEEP_H
#define BRINK_SWEEP_H

#include <brink/hsml.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct brink_sweep brink_sweep;

/* A word of the simulation section, which wins over the model's: "method" and "taylor", "until" and "10". */
typedef struct brink_sweep_option {
  const char *name, *value;
} brink_sweep_option;

typedef struct brink_sweep_progress {
  uint64_t done, runs; /* rows that are written; all */
  uint64_t kept;       /* of them: those that were there before (resume) */
  uint64_t failed;     /* rows of runs that failed */
} brink_sweep_progress;

/* brink_default_sweep() fills in the defaults given here. Everything is copied. */
typedef struct brink_sweep_def {
  size_t size;                 /* of this struct: set by brink_default_sweep() */
  const brink_hsml_def *model; /* loaded once for each job: not "-" */
  const char *const *sets;     /* "PATH=VALUE", in all runs */
  size_t nsets;
  const char *inputs; /* a file of inputs over time (brink_hsml_read_inputs); NULL: none */
  bool inputs_hold;
  const brink_sweep_option *options;
  size_t noptions;
  bool interpret; /* never call a C compiler; false */

  const char *const *vary; /* "k=1:10:100", "k=log:0.1:10:50", "k=uniform(1,2)", "phase=low,high" */
  size_t nvary;
  const char *
      design; /* "grid", "random", "lhs", "sobol", or a file of knobs; NULL: grid, or random with samples */
  uint64_t samples; /* of random, lhs and sobol; 0: none */
  uint64_t
      seed;     /* of the design; 1. (That of the runs is an option, or varied: "seed=1:100:100") */
  bool indices; /* Sobol' indices: brink_sweep_indices; false */

  const char *const *measures; /* "max(plant.h)", "late = last(empty)" */
  size_t nmeasures;
  const char *out;  /* the table: .csv or .h5; "-": CSV on standard output; NULL: no file */
  bool resume;      /* go on with a table that was not completed; false */
  const char *keep; /* a directory for the trajectory of each run; NULL: none are kept */
  bool keep_table;  /* rows in memory, too: brink_sweep_table; false */
  size_t jobs;      /* threads; 0: as many as there are cores */
  double limit;     /* seconds that a run may take; INFINITY */

  /* Called about ten times a second by brink_sweep_run, in its thread; anything but 0 cancels. May be NULL. */
  int (*progress)(const brink_sweep_progress *progress, void *user);
  void *user;

  bool keep_reports;   /* in the directory `keep`: the report of each run, too; false */
  bool report;         /* what brink_sweep_write_report shows is kept; false */
  const char *command; /* that makes the sweep, for its report; NULL: none is named */
  const char *const *
      run_words; /* likewise, the words of a command that makes one run: --set KNOB=VALUE is added */
  size_t nrun_words; /* 0: brink run PATH */
  /* Many machines without MPI (docs/cluster.md). A share is a part of the runs, and has a file of its own: "OUT.K-of-N". */
  size_t share, shares; /* make the runs of share K of N, from 1, only; 0 and 0: all runs */
  size_t join; /* make no run: take the rows from the files of so many shares; 0: make them */
  const char
      *keep_format; /* of what `keep` keeps: "csv", "mat", or, with one job, "h5"; NULL: "csv" */
  /* Runs that each job has under way side by side, in the lanes of vectors (docs/sweep.md): 1: none; 4 (AVX2) or 8 (AVX-512), if
   * the processor has so many; 0: as many as it has, where that helps. Rows do not depend on it. */
  size_t lanes;
} brink_sweep_def;

/* Fills a definition of `size` bytes; brink_default_sweep() calls it. */
BRINK_API void brink_sweep_defaults(brink_sweep_def *def, size_t size);

static inline brink_sweep_def brink_default_sweep(void) {
  brink_sweep_def def;
  brink_sweep_defaults(&def, sizeof def);
  return def;
}

/* Reads the design and the measures, loads the model, and makes the first run: what is wrong with a knob, a value or a
 * measure is reported here. Statuses: OK; ARGUMENT; MODEL: the model has errors; FILE; UNSUPPORTED: agents with clocks of
 * their own cannot be measured over time; MEMORY; those of brink_run_create. */
BRINK_API brink_status brink_sweep_create(const brink_sweep_def *def, brink_diag *diag,
                                          brink_sweep **sweep);
BRINK_API void brink_sweep_destroy(brink_sweep *sweep); /* NULL is fine */

/* How many runs it has, or its share. */
BRINK_API uint64_t brink_sweep_runs(const brink_sweep *sweep);

/* Makes all runs, once. Statuses: OK: the table is complete, whatever became of the runs; CANCELLED: the rows so far are
 * in the file, and `resume` goes on; FILE: something cannot be read or written; ARGUMENT: the table to resume is of another
 * sweep; UNSUPPORTED: no HDF5; MEMORY. */
BRINK_API brink_status brink_sweep_run(brink_sweep *sweep, brink_diag *diag);

/* Ends brink_sweep_run soon. From any thread, and from a signal handler. */
BRINK_API void brink_sweep_cancel(brink_sweep *sweep);

/* What became of it so far. */
BRINK_API brink_sweep_progress brink_sweep_result(const brink_sweep *sweep);

/* How many runs each job has side by side; 1: each is by itself, and *why says in a few words why (NULL is fine). */
BRINK_API size_t brink_sweep_lanes(const brink_sweep *sweep, const char **why);

/* ------------------------------------------------------------------------------- the table ----- */

typedef enum brink_sweep_role {
  BRINK_SWEEP_RUN,     /* its number, from 0 */
  BRINK_SWEEP_KNOB,    /* what is varied */
  BRINK_SWEEP_STATUS,  /* text: "finished", "stopped", "failed" */
  BRINK_SWEEP_REASON,  /* text, of a failure: "range", "step", "limit", …; else "" */
  BRINK_SWEEP_MESSAGE, /* text, of a failure */
  BRINK_SWEEP_END,     /* the time at which the run ended */
  BRINK_SWEEP_COUNT,   /* of the events of a declared flag; … */
  BRINK_SWEEP_FIRST,   /* … the time of the first one, NaN: none; … */
  BRINK_SWEEP_LAST,    /* … of the last one */
  BRINK_SWEEP_MEASURE,
} brink_sweep_role;

typedef struct brink_sweep_column {
  const char *name; /* "plant.area", "count(empty)", "max(plant.h)" */
  brink_sweep_role role;
  bool text; /* a value is the number of a text in brink_sweep_table.texts */
} brink_sweep_column;

/* Row k: values[k*ncolumns + j] is that of column j. NaN: there is none. */
typedef struct brink_sweep_table {
  uint64_t rows;
  size_t ncolumns;
  const brink_sweep_column *columns;
  const double *values;
  const char *const *texts;
  size_t ntexts;
} brink_sweep_table;

/* The rows so far. Pointers live as long as the sweep, until it is run. ARGUMENT: def.keep_table was false. */
BRINK_API brink_status brink_sweep_get_table(const brink_sweep *sweep, brink_sweep_table *table,
                                             brink_diag *diag);

/* ----------------------------------------------------------------------------------- report ---- */

/* One self-contained page: plots, the table, and the command of each run (docs/report.md). After brink_sweep_run, also of a
 * sweep that was cancelled: its rows so far. More than 100,000 runs, or 4,000,000 values, are thinned evenly. Statuses: OK;
 * ARGUMENT: def.report was false, or the sweep has not been run; FILE, MEMORY. */
BRINK_API brink_status brink_sweep_write_report(brink_sweep *sweep, const char *path,
                                                brink_diag *diag);

/* ---------------------------------------------------------------------------------- indices ---- */

/* How much of the variance of a measure comes from a knob: by itself (first), and with all others together (total). */
typedef struct brink_sweep_index {
  const char *measure, *knob;
  double first, first_lo, first_hi; /* with an interval of 95 % confidence, by bootstrap */
  double total, total_lo, total_hi;
  uint64_t samples; /* that it is from: those of which all runs ended well */
} brink_sweep_index;

/* After brink_sweep_run: for each number that is measured, and each knob. ARGUMENT: def.indices was false, or the sweep is not
 * complete. MEMORY. */
BRINK_API brink_status brink_sweep_get_indices(brink_sweep *sweep,
                                               const brink_sweep_index **indices, size_t *count,
                                               brink_diag *diag);

#ifdef __cplusplus
}
#endif

#endif
