/* record.h: what a run leaves behind: its trajectory in memory, result files, a summary in JSON, a report.
 *
 *     brink_run_record(run, "tank.csv", &diag);     before the first step
 *     brink_run_keep_trajectory(run, &diag);        likewise
 *     brink_run_prepare_report(run, &diag);         likewise
 *     brink_run_to(run, until, &diag);
 *     brink_run_finish(run, &diag);
 *     brink_run_write_report(run, "tank.html", &diag);
 *     brink_run_summary(run, &text, &diag);
 *
 * CSV, MAT and JSON are always there. HDF5 (which uses zlib, and loads the HDF5 library when it is asked for) and the
 * page of reports are optional parts of the library: without them these calls return UNSUPPORTED. */
#ifndef BRINK_RECORD_H
#define BRINK_RECORD_H

#include <brink/hsml.h>
#include <brink/sensitivity.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Text or bytes that the library made. Free them with brink_bytes_free. */
typedef struct brink_bytes {
  char *data; /* with a NUL behind them, which does not count */
  size_t length;
} brink_bytes;

BRINK_API void brink_bytes_free(brink_bytes *bytes);

/* Rows and events go to a file from the first step on: .csv, .mat or .h5; "-": CSV on standard output. Statuses: OK;
 * ARGUMENT: the run has begun, or the ending is not known; FILE, MEMORY, UNSUPPORTED. */
BRINK_API brink_status brink_run_record(brink_run *run, const char *path, brink_diag *diag);
/* The same into memory: "csv", "mat" or "h5"; brink_run_recorded has it after brink_run_finish. */
BRINK_API brink_status brink_run_record_memory(brink_run *run, const char *format,
                                               brink_diag *diag);
BRINK_API brink_status brink_run_recorded(brink_run *run, brink_bytes *bytes, brink_diag *diag);

/* What is recorded, in files, reports and the final values of the summary: names and patterns, separated by commas
 * (docs/hsml.md, section 23): "plant.*, car[1..5].x, x'". Before the first step. ARGUMENT: one of them is not there; the
 * message has the nearest name. */
BRINK_API brink_status brink_run_keep(brink_run *run, const char *names, brink_diag *diag);

/* ------------------------------------------------------------------------- checkpoints -------- */

/* A run in the middle, to memory: method, states, modes, clocks, delays, random draws, the journal, where the result file
 * ends. The run is not changed by it, and goes on as without it. Free the bytes with brink_bytes_free.
 *
 * brink_run_restore makes a run that has just been made (of the same model, with the same options, inputs and recordings,
 * which are chosen before) the one that was saved: it goes on bit for bit like that, and its result file is continued. The
 * bytes are not believed: what is damaged, cut off, or belongs to another model, version, value or option is refused, with
 * the reason; the run cannot be used then. Observers, and functions that inputs follow (brink_hsml_set_function), are the
 * caller's to set again.
 *
 * Statuses: OK; ARGUMENT: the run is over, has begun already, or the bytes belong to another run; FILE: they are damaged,
 * or the result file cannot be continued; UNSUPPORTED: this run cannot be saved (files in memory, standard output), or
 * not where it is now (inside a step, behind an event that changed nothing: take another step); MEMORY. Not from an
 * observer. */
BRINK_API brink_status brink_run_save(brink_run *run, brink_bytes *bytes, brink_diag *diag);
BRINK_API brink_status brink_run_restore(brink_run *run, const void *data, size_t length,
                                         brink_diag *diag);

/* The same with a file: after the first step that ends `every` (in the time of the model) or more after the last one, it
 * is replaced as a whole. One that cannot be written ends the run (FILE). Before the first step, or on the way; 0: as often
 * as the run that is resumed. ARGUMENT, UNSUPPORTED, MEMORY. */
BRINK_API brink_status brink_run_checkpoint(brink_run *run, const char *path, double every,
                                            brink_diag *diag);
BRINK_API brink_status brink_run_resume(brink_run *run, const char *path, brink_diag *diag);

/* ------------------------------------------------------------- the trajectory in memory ------- */

/* What a column of a trajectory is. */
typedef struct brink_column {
  const char *name; /* "plant.h", "car[3].x", "x'" */
  const char
      *kind; /* "state", "mode", "output", "input", "variable", "parameter", "derivative", "flag" */
  const char *unit; /* "": none */
  brink_hsml_type type;
  const char *const
      *labels; /* STRING: its texts; a value is the number of one, from 0; else NULL */
  size_t nlabels;
} brink_column;

typedef struct brink_trajectory_event {
  double t;
  size_t flag; /* the number of its name in brink_trajectory.flags */
  int64_t
      row; /* holds the values before it; those after the instant are in the last row of the same
                  time. Of a run of more than 1000 agents with clocks of their own: the last row before it */
  double condition; /* NaN: not worked out (brink_run_options.conditions), or it has none */
  brink_direction direction;
  bool generated;   /* the compiler made the flag: a corner of abs, a relation, … */
  size_t agents[2]; /* of a pair: numbers of names in brink_trajectory.agents; else BRINK_NONE */
} brink_trajectory_event;

/* The trajectory so far, as numbers: the rows and events of result files (docs/results.md). */
typedef struct brink_trajectory {
  size_t rows, ncolumns; /* time is not counted */
  const double
      *values; /* rows of 1 + ncolumns numbers, one after another: time, then the columns */
  const brink_column *columns;
  size_t
      nconstants; /* parameters, and inputs that nothing drives: what holds still, once. Not what brink_run_set wrote
                        on the way */
  const brink_column *constants;
  const double *constant_values;
  size_t nevents;
  const brink_trajectory_event *events;
  const char *const *flags; /* names of flags that occur */
  size_t nflags;
  const char *const *agents; /* … of agents that met */
  size_t nagents;
} brink_trajectory;

/* Rows and events stay in memory from the first step on; a file may be recorded beside it. Memory grows with the run: a
 * run that finds none ends with MEMORY, and what was kept until then is there. Before the first step. Statuses: OK,
 * ARGUMENT. */
BRINK_API brink_status brink_run_keep_trajectory(brink_run *run, brink_diag *diag);
/* What was kept so far; nothing before the first step. The row after an event comes with the next step, or with
 * brink_run_finish. Pointers are valid until the run moves on; after brink_run_finish, until it is reset or destroyed.
 * Statuses: OK; ARGUMENT: no trajectory is kept; MEMORY: something is missing. */
BRINK_API brink_status brink_run_trajectory(brink_run *run, brink_trajectory *trajectory,
                                            brink_diag *diag);

/* Dense output of the whole run: what brink_run_trajectory_at reads is kept from the first step on. Memory grows with the
 * number of steps; where there is no more, the run goes on, and brink_run_trajectory_at returns MEMORY. Before the first
 * step. The steps are the same with and without it. Ended by brink_run_reset; a clone has none. Statuses: OK; ARGUMENT: the
 * run has begun; UNSUPPORTED: agents with clocks of their own; MEMORY. */
BRINK_API brink_status brink_run_keep_dense(brink_run *run, brink_diag *diag);
/* Columns of the trajectory, by their numbers (NULL: all; `count` is then brink_trajectory.ncolumns), at any times from the
 * start of the run to its present, in any order: out[k*count + j]. At an instant: the values after it. Between, what
 * a row there would have: values that equations compute are computed with the parameters, modes and signs of that step.
 * A time that is outside by rounding only counts as the end that it is near. During a run and after it, also of one that
 * failed or was cancelled. Statuses: OK; ARGUMENT: NaN, outside, no such column, or no dense output is kept; MEMORY;
 * UNSUPPORTED: agents with clocks of their own (repeat the run with brink_run_output instead). */
BRINK_API brink_status brink_run_trajectory_at(brink_run *run, const double *times, size_t ntimes,
                                               const size_t *columns, size_t count, double *out,
                                               brink_diag *diag);

/* What a report shows is collected from the first step on. */
BRINK_API brink_status brink_run_prepare_report(brink_run *run, brink_diag *diag);
/* The events of the summary have values in them (docs/cli.md). Before the first step. */
BRINK_API brink_status brink_run_prepare_summary(brink_run *run, brink_diag *diag);
/* The same with the whole state before and after every event. Else an event that concerns more than 32 values has
 * those that it changed. */
BRINK_API brink_status brink_run_prepare_states(brink_run *run, brink_diag *diag);

/* The same with how far each event can be trusted, and what it depends on (docs/condition.md). ARGUMENT: the run was made
 * without options.conditions. */
BRINK_API brink_status brink_run_prepare_conditions(brink_run *run, brink_diag *diag);

/* Derivatives of a run by parameters and initial values, worked out along the way. The run is the same with and without
 * them, to the last bit. Names are those of brink_hsml_set: parameters, whether they are knobs or not, inputs with a
 * value of their own, and states, which stand for their initial values: "k", "plant.area", "car[3].v", "x[2]". What
 * depends on a parameter (other parameters, initial values) follows it; what brink_run_set writes follows nothing. NULL,
 * 0: all knobs of the top component and of its single parts that a run can be differentiated by. Before the first step;
 * the last call counts. Statuses: OK; ARGUMENT: there is no such name, or nothing can be differentiated by it (a whole
 * number, a size, a period, …): the message says why; UNSUPPORTED: models with constraints or delays, agents with clocks
 * of their own, time that runs backwards; MEMORY. */
BRINK_API brink_status brink_run_keep_sensitivity(brink_run *run, const char *const *names,
                                                  size_t count, brink_diag *diag);

/* The derivatives so far; <brink/sensitivity.h> says how they are worked out, and what limits them. Pointers are valid
 * until the run moves, is reset or destroyed.
 *
 * `dx` and `dy` are at fixed times. Where an event ends the run (stop(…), fail(…), a range), its end moves with that event: `end` is
 * then the derivative of the state after the event, wherever that is, M + f dT. */
typedef struct brink_run_sensitivity {
  size_t ndirections;
  const char *const *directions; /* the names */
  size_t nstates;
  const char *const *states; /* all of them, in the order of the columns of result files */
  size_t rows;
  const double *t;  /* the start, the ends of steps, before and after each instant */
  const double *dx; /* rows × nstates × ndirections */
  size_t nevents;   /* as many as an observer is told of, in that order: those of result files */
  const double *event_time; /* dT: nevents × ndirections; NaN: it has none; infinite: grazing */
  const double *end;        /* nstates × ndirections: of the state where the run is */
  unsigned limits;          /* BRINK_SENSITIVITY_… that were met */
  size_t noutputs;
  const char *const
      *outputs;        /* and variables that equations compute: real ones that are recorded */
  const double *dy;    /* rows × noutputs × ndirections */
  const double *end_y; /* noutputs × ndirections, like `end` */
} brink_run_sensitivity;

/* ARGUMENT: nothing was asked for, or the run has not begun. */
BRINK_API brink_status brink_run_get_sensitivity(brink_run *run, brink_run_sensitivity *sensitivity,
                                                 brink_diag *diag);

/* The run is over, wherever it is: files are complete and closed. FILE: something could not be written. */
BRINK_API brink_status brink_run_finish(brink_run *run, brink_diag *diag);

/* A second run at the start, with the values, inputs and options that this one had at its start, whatever became of it
 * since. The same calls then take the same steps, to the last bit. `conditions`: events have conditions. Observers and what is
 * recorded are chosen anew, except for brink_run_keep. Nothing is compiled. Statuses: OK; ARGUMENT: the run was changed on its way (brink_run_set), or is the
 * clone of one that was under way; UNSUPPORTED: conditions, where they are not worked out (agents with clocks of their own,
 * constraints, delays, backwards); MEMORY. */
BRINK_API brink_status brink_run_repeat(const brink_run *run, bool conditions, brink_diag *diag,
                                        brink_run **again);

/* After brink_run_finish. */
BRINK_API brink_status brink_run_write_report(brink_run *run, const char *path, brink_diag *diag);
BRINK_API brink_status brink_run_report(brink_run *run, brink_bytes *page, brink_diag *diag);
/* One JSON object (docs/cli.md). */
BRINK_API brink_status brink_run_summary(brink_run *run, brink_bytes *json, brink_diag *diag);

#ifdef __cplusplus
}
#endif

#endif
