/* run.h: one run of a model, inside. The public sides are <brink/hsml.h> and <brink/record.h>.
 *
 *   run.c           making it, moving it on, ending it
 *   periods.c       periods and lags that are too short for it
 *   values.c        values by name
 *   warnings.c      what is odd about the start; chosen.c: initial values that nothing determines;
 *                   past.c: flags that are past
 *   sink.c          what a single system reports: events to the journal, rows to the results
 *   population_*.c      the same for agents with clocks of their own (population_run.h)
 *   look.c, keep.c  what is recorded: columns, and values that equations compute
 *   results.c       the result file, the trajectory in memory; report.c: the page; summary.c: JSON; provenance.c: where
 *                   they come from
 *   dense.c         columns at any time
 *   repeat.c        the same run once more; renew.c: another one, with what the last one was made of
 *   checkpoint.c    a run to bytes and back, and to files on its way; archive.c: what is in them; identity.c: whose they are
 *   outcome.c       what became of it, in the words of the model
 *   conditions*.c   how far its events can be trusted (conditions.h)
 *   sensitivity.c   derivatives of it
 *   comparison.c    the events of another method */
#ifndef BRINK_RUN_RUN_H
#define BRINK_RUN_RUN_H

#include "agents/agents.h"
#include "record/display.h"
#include "record/results.h"
#include "run/hsml.h"
#include "run/keep.h"
#include "sim/clock.h"
#include <brink/history.h>
#include <brink/record.h>
#include <time.h>

typedef struct brink_population_run brink_population_run;
typedef struct brink_conditions_report brink_conditions_report;
typedef struct brink_comparison brink_comparison;
typedef struct brink_sensitivity_record brink_sensitivity_record;

/* A run goes through these in order; brink_run_reset leads back to the first, except from the last. */
typedef enum brink_run_phase {
  BRINK_RUN_MADE,     /* values, recordings and observers may be chosen */
  BRINK_RUN_BEGUN,    /* recordings are open; it moves */
  BRINK_RUN_ENDED,    /* by itself: it moves no more; rows are complete */
  BRINK_RUN_FINISHED, /* files are closed */
  BRINK_RUN_SPOILT, /* half restored from a checkpoint that was refused: nothing leads out of it */
} brink_run_phase;

/* What failed, for words about it. */
typedef struct brink_subject {
  const brink_system *system;
  brink_instance *instance; /* NULL: there is none */
  brink_sim *sim;           /* NULL: none, or a pair of agents */
} brink_subject;

/* What is to be recorded: chosen before the run begins. */
typedef struct brink_record_choice {
  const char *path;   /* of the result file; NULL: none */
  const char *format; /* of results in memory: "csv"; NULL: none */
  bool trajectory;    /* rows and events as numbers in memory */
  bool json;          /* events with values, for the summary, … */
  bool states;        /* … the whole state of each, however large */
  bool display;       /* rows for the report, or for plots */
  bool conditions;    /* of events, with all that can be said about them */
  bool page;          /* … for the report, too */
  bool all_derivatives;
  const char
      *keep; /* names and patterns of what is recorded; NULL: as the model says, or the usual */
  const char *also;     /* more of them, which the display has; NULL: none */
  const size_t *wanted; /* columns that the display must have, of brink_run_shown */
  size_t nwanted;
  const char *source;   /* the model, as the caller names it, for provenance */
  const char *command;  /* how the run was asked for; NULL: not known */
  brink_method against; /* compare events with this method; AUTO: none */
  double against_step;  /* its fixed step; 0: it has none */
  void (*logged)(const brink_logged_event *logged,
                 void *user); /* events, when they are complete; may be NULL */
  void *logged_user;
} brink_record_choice;

/* An event that the observer has not seen yet. */
typedef struct brink_pending_event {
  uint32_t flag;
  size_t index;
  double *before_x, *before_p, *after_x, *after_p;
  int *before_mode, *after_mode;
} brink_pending_event;

/* What is odd about a run: at its start, but for one that looks stiff and for values that are not numbers. */
typedef struct brink_start_warning {
  const char *text;
  const char *rendered; /* with its place in the text of the model; NULL: it has none */
} brink_start_warning;

/* Checkpoints on the way (checkpoint.c). */
typedef struct brink_checkpointing {
  const char *path; /* NULL: none */
  double every;     /* so much time, of the simulation */
  double next;      /* the first step that ends here, or later, is followed by one */
  double chance;    /* where the step ends whose rows are being recorded */
  bool begun;       /* the run has, with checkpoints */
  brink_text base; /* the run between two steps, the last time that it was saved so; empty: never */
  brink_results_mark since; /* what was recorded then */
  brink_diag problem;       /* why one could not be written, while rows were recorded */
} brink_checkpointing;

/* A value that was written before the first step: the run starts with it. */
typedef struct brink_written {
  uint32_t variable;
  size_t element;
  double value;
} brink_written;

struct brink_run {
  brink_arena arena;
  brink_built *built;
  const brink_system *system; /* of all; with agents, their values only */
  brink_run_options options;
  brink_instance *instance; /* of everything in one system, … */
  brink_sim *sim;
  brink_population_run *population_run; /* … or agents with clocks of their own */
  bool
      renewed; /* the instance is that of the last run (renew.c): names are where they were in that one */

  brink_run_phase phase;
  brink_status status; /* of the last move */
  atomic_bool cancelled;
  double until; /* where it is going to end, as far as is known */
  int64_t work; /* steps or turns of the present call */
  bool moving;  /* a call is under way: observers may only read */

  brink_run_observer observer;
  brink_pending_event *pending; /* of the present instant */
  size_t npending, pending_made, pending_capacity, next_pending;
  bool stop_asked; /* by the observer */
  brink_run_impulse *impulses;
  const char **tied; /* of brink_run_get_structure */
  brink_start_warning *start_warnings;
  size_t nstart_warnings, start_warnings_capacity;
  const char **warnings; /* all, of the summary */
  size_t warnings_capacity;
  bool told_chosen; /* initial values that nothing determines are among them */
  bool told_past;   /* and so are flags that are past, … */
  bool told_stiff;  /* … and that the model looks stiff */

  /* Values that equations compute are those of the present. */
  bool computed;
  double *at_x; /* room for dense output */

  brink_record_choice choice;
  brink_columns columns;    /* states, modes and outputs, for the journal and the summary */
  brink_columns kept;       /* what is recorded … */
  brink_columns also_shown; /* … and with choice.also */
  brink_gaps gaps;          /* where something of them is not a number */
  brink_moment looked;      /* where equations were evaluated last for them */
  double *rates;            /* the derivatives there, … */
  bool rates_known;         /* … if somebody asked */
  brink_journal journal;
  brink_results *results; /* NULL: none */
  brink_trace trace;
  brink_ticks grid;
  double flushed; /* seconds */
  size_t values;  /* written since the last look at the clock */
  size_t rows_of_step;
  bool cut;        /* rows ended before the step did */
  int memory_file; /* of results in memory; -1: none */

  brink_history *dense; /* NULL: nobody wants it, like the next one */
  brink_display *display;
  brink_conditions_report *conditions;
  brink_sensitivity *slopes;             /* for conditions and for the record; NULL: none */
  brink_sensitivity_record *sensitivity; /* NULL: nobody asked */
  brink_comparison *comparison;
  brink_diag comparison_diag;

  size_t notes_seen; /* of the instance's notes: those that an event already has */
  brink_log_note *notes;
  brink_value_type *note_types;
  double *note_values;
  size_t notes_capacity, note_values_capacity;

  brink_subject subject;
  brink_diag diag;
  brink_summary summary;
  const char *hint, *rendered; /* rendered: with places in the text of the model; NULL: none */
  double start;                /* seconds */
  time_t dated;    /* when somebody first asked where its results come from; 0: nobody */
  brink_text text; /* of brink_run_get_text */

  /* What it takes to repeat the run. */
  brink_written *written; /* before the first step, in order */
  size_t nwritten, written_capacity;
  bool changed; /* values were written on its way, … */
  bool joined;  /* … or it is the clone of a run that was under way */

  brink_checkpointing checkpoints;
  brink_archive *saved; /* while a run is restored: what its recordings go on from; else NULL */
};

/* run.c */

/* The settings of the instances that a run is made of. */
brink_instance_options brink_run_instance_options(const brink_run *run);
/* Asks for the series of the solution, if the method uses them. */
void brink_run_want_series(const brink_run *run, brink_instance_options *wishes);
/* Is a call under way, so that this one comes from an observer or from a function of an input? */
bool brink_run_is_busy(const brink_run *run);
brink_status brink_run_not_inside(brink_diag *diag); /* ARGUMENT */
/* Another run of the same system with the same options, without an engine. NULL: out of memory. */
brink_run *brink_run_another(const brink_run *run);
/* The simulation of run->instance. */
brink_status brink_run_create_sim(brink_run *run, brink_diag *diag);
/* As brink_run_create, after a run of the same model that is over, and is destroyed here in any case (NULL is fine). Where
 * the model has changed by values alone, much of it serves again; the new run gives the same bits with it and without. */
brink_status brink_run_create_after(brink_run *last, brink_hsml *model,
                                    const brink_run_options *options, brink_diag *diag,
                                    brink_run **run);
bool brink_run_has_begun(const brink_run *run);
/* periods.c: ARGUMENT, if periods and lags are too short for a move to `end`. */
brink_status brink_run_check_periods(const brink_run *run, double end, brink_diag *diag);
/* The time of the model for a time of the simulation, and the other way round: they differ where time runs backwards.
 * Moments, records and what is kept of them have the time of the simulation; callers and files that of the model. */
static inline double brink_run_turned(const brink_run *run, double t) {
  return brink_system_time(run->system, t);
}
/* Everything read from the present. */
brink_moment brink_run_now(const brink_run *run);
/* Has the call been cancelled? */
bool brink_run_is_cancelled(const brink_run *run);

/* Before the first step: recordings are opened, observers installed. Does nothing in a run that has begun. */
brink_status brink_run_begin(brink_run *run);

/* checkpoint.c: before the first step: can there be checkpoints where they are to be? OK; FILE, MEMORY: run->diag. */
brink_status brink_run_checkpoint_begin(brink_run *run);
/* After a step, if one is due. OK; FILE, MEMORY: run->diag. */
brink_status brink_run_checkpoint_due(brink_run *run);
/* A row of a step that ends at run->checkpoints.chance was recorded. False: a checkpoint was due and failed;
 * brink_run_checkpoint_due will say so. */
bool brink_run_checkpoint_row(brink_run *run, double t);
void brink_run_checkpoint_end(brink_run *run); /* no more of them */

/* identity.c: whose bytes these are: what the run was made of, to the archive; read, it must be the same. OK; ARGUMENT: it
 * belongs to another run, and `diag` says what is different; FILE: it is damaged; MEMORY. */
brink_status brink_run_identify(const brink_run *run, brink_archive *a, brink_diag *diag);

/* archive.c: can the run be saved where it is? NULL: yes, else why not (`later`: after another step, perhaps). The file of
 * results, and all the rest. */
const char *brink_run_no_archive(brink_run *run, bool *later);
void brink_run_archive(brink_run *run, brink_archive *a);

/* sink.c: a single system. */
brink_status brink_run_sink_begin(brink_run *run);
/* Who is interested in steps and events may have changed. */
void brink_run_sink_install(brink_run *run);
void brink_run_sink_settle(brink_run *run); /* the instant is over */
/* Values of the present are going to be written, or were: rows before and after. */
void brink_run_sink_before_write(brink_run *run);
void brink_run_sink_written(brink_run *run);
void brink_run_sink_end(brink_run *run); /* after the last step: what is still open */
/* The same with what holds after the instant and what was noted in it (run->remarks). */
void brink_run_settle(brink_run *run, const double *p, const int *mode, size_t nnotes);
/* The journal passes events on to the results, the display and the observer. */
void brink_run_listen(brink_run *run);
/* The notes of an instance from `first` on, as the journal takes them, into run->remarks; returns how many. */
size_t brink_run_take_notes(brink_run *run, const brink_instance *instance, size_t first);
/* Keeps an event until it is complete, if there is an observer. */
void brink_run_keep_event(brink_run *run, const brink_event_record *record, uint32_t flag,
                          size_t index);

/* look.c */
brink_computed brink_run_computed(brink_run *run);     /* of a single system */
brink_keeping brink_run_keeping(const brink_run *run); /* what is to be kept */
/* All columns of the run. MEMORY; ARGUMENT: something that is to be kept is not there. */
brink_status brink_run_columns_begin(brink_run *run, const brink_computed *computed);
void brink_run_columns_end(brink_run *run);
bool brink_run_computes(const brink_run *run);              /* has some column to be computed? */
const brink_columns *brink_run_shown(const brink_run *run); /* what the display has */

/* dense.c */
void brink_run_dense_free(brink_run *run);

/* Everything of a run that watches its simulation ends: before the simulation does. */
void brink_run_stop_watching(brink_run *run);

/* renew.c: the instance of a run that is over becomes that of `run`, whose `built` is there. False: it cannot; `last` can then
 * only be destroyed. */
bool brink_run_renew(brink_run *last, brink_run *run);

/* repeat.c: the engine of `made`, at the start of the other run, with what was written before its first step. */
brink_status brink_run_start_like(const brink_run *run, brink_run *made, brink_diag *diag);

/* values.c: values at t inside the step from t0 on that an observer is just told of, with what was locked in it: parameters,
 * modes, signs. Nothing has happened at its end yet. Single systems; from a step observer only. */
void brink_run_look(brink_run *run, double t, double t0, const brink_value *values, size_t count,
                    double *out);
/* values.c: writes a value before the first step, as brink_run_set did in another run. */
brink_status brink_run_write_again(brink_run *run, const brink_written *written, brink_diag *diag);

/* results.c */
brink_status brink_run_results_begin(brink_run *run);
void brink_run_results_event(brink_run *run, const brink_logged_event *logged);
/* Call often: every two seconds, what was recorded so far goes to the file. */
void brink_run_results_flush(brink_run *run);
void brink_run_results_end(brink_run *run); /* after the last step */
/* OK; FILE: something could not be written; MEMORY: the trajectory could not be kept. */
brink_status brink_run_results_status(const brink_run *run);
void brink_run_results_close(brink_run *run);

/* chosen.c: initial values that nothing determines. */
void brink_run_note_chosen(brink_run *run);

/* past.c: flags that start on the side to which their only action leads. */
void brink_run_check_flags(brink_run *run);

/* warnings.c: one more warning about the start; place.line 0: it has no place. Inputs that begin late or end early. All
 * of them among the warnings of the summary. */
void brink_run_warn(brink_run *run, brink_place place, const char *text, const char *hint);
/* On its way: does it look stiff? */
void brink_run_check_stiff(brink_run *run);
void brink_run_check_inputs(brink_run *run);
/* At its end: were values that are recorded, or final, not numbers? */
void brink_run_check_gaps(brink_run *run);
void brink_run_list_warnings(brink_run *run);

/* report.c */
brink_status brink_run_display_begin(brink_run *run);

/* provenance.c: where the results of this run come from. */
const brink_fact *brink_run_facts(brink_run *run, size_t *count);

/* outcome.c: the word for a failure in summaries: "step", "domain", … */
const char *brink_run_reason(brink_status status);
/* What became of a run: fills run->summary and run->hint. */
void brink_run_judge(brink_run *run);

/* summary.c */
void brink_run_begin_summary(brink_run *run);
void brink_run_fill_summary(brink_run *run);

/* conditions.c, conditions_text.c: the condition of events. */
brink_status brink_conditions_report_begin(brink_run *run);
void brink_conditions_report_end(brink_run *run);
void brink_conditions_report_archive(brink_run *run, brink_archive *a);
void brink_conditions_report_free(brink_run *run);
/* Elements of a JSON array, for the report; NULL: nobody looked. */
const brink_text *brink_conditions_report_page(const brink_run *run);

/* sensitivity.c: derivatives of the run, if somebody wants them. After the conditions have begun. */
brink_status brink_run_slopes_begin(brink_run *run);
void brink_run_slopes_names(const brink_run *run, brink_text *names); /* "k, x"; nothing: none */
void brink_run_slopes_archive(brink_run *run, brink_archive *a);
/* The journal has completed an event. */
void brink_run_slopes_logged(brink_run *run, const brink_logged_event *logged);
/* Derivatives of the states just before, or just after, an event of brink_run_get_sensitivity, wherever it moves to: M + f dT, like
 * `end` of a run that it ends. NaN: not known. NULL: there is no such event. */
const double *brink_run_event_slopes(const brink_run *run, size_t event, bool after);
void brink_run_slopes_free(brink_run *run);

/* comparison.c: the events of another method, after the run. Does nothing where none is chosen. */
brink_status brink_comparison_run(brink_run *run);
void brink_comparison_free(brink_run *run);

#endif
