/* run.h: one run, from settings to summary. */
#ifndef BRINK_CLI_RUN_H
#define BRINK_CLI_RUN_H

#include "cli/load.h"
#include "cli/settings.h"
#include "native/native.h"
#include "record/display.h"
#include "record/results.h"
#include "sim/clock.h"

typedef struct cli_plot cli_plot;
typedef struct cli_crowd cli_crowd;
typedef struct cli_judge cli_judge;
typedef struct cli_against cli_against;
typedef struct cli_colours cli_colours;

/* Who failed, for words about it. */
typedef struct cli_subject {
  const brink_system *system;
  brink_instance *instance; /* NULL: there is none */
  brink_sim *sim;           /* NULL: none, or a pair of agents */
} cli_subject;

typedef struct cli_simulation {
  const cli_arguments *arguments;
  cli_settings settings;
  cli_loaded loaded;
  brink_instance *instance; /* of everything in one system, … */
  brink_sim *sim;
  cli_crowd *crowd;  /* … or agents with clocks of their own */
  brink_arena arena; /* of what follows */

  brink_columns columns;
  brink_journal journal;
  brink_results *results; /* for --out; NULL: nowhere */
  brink_trace trace;
  brink_ticks grid;
  double flushed; /* seconds */
  size_t values;  /* since the last look at the clock */
  bool cut;       /* rows ended before the step did */

  brink_display *display; /* for --report and --plot; NULL: nobody looks */
  bool reported;          /* the report is there */
  size_t *wanted;         /* columns that --plot names */
  size_t nwanted;
  cli_plot *plot; /* NULL: --plot is not given */

  cli_judge *judge;     /* of the condition of events; NULL: nobody asks */
  cli_against *against; /* another method's events; NULL: --against is not given */

  size_t notes_told; /* of the instance's notes: those that an event already has */
  brink_remark *remarks;
  brink_value_type *remark_types;
  double *remark_values;
  size_t remarks_capacity, remark_values_capacity;

  cli_subject subject;
  int refused; /* CLI_OK, or why the model cannot be run, which is said */
  brink_diag diag;
  brink_summary summary;
  double start; /* seconds */
} cli_simulation;

/* record.c: the sink. */
bool cli_record_begin(cli_simulation *run); /* false: said */
/* After the last step: what is still open. */
void cli_record_end(cli_simulation *run);
/* Everything read from the present. */
brink_moment cli_record_now(const cli_simulation *run);
/* There is something to read. */
bool cli_record_begun(const cli_simulation *run);
/* The journal tells the results, the report and the plot. */
void cli_record_listen(cli_simulation *run);
/* The notes of an instance from `first` on, as the journal takes them, into run->remarks; returns how many. */
size_t cli_take_remarks(cli_simulation *run, const brink_instance *instance, size_t first);

/* trajectory.c: --out. */
bool cli_trajectory_begin(cli_simulation *run); /* false: said */
void cli_trajectory_told(cli_simulation *run, const brink_told *told);
/* Call often: every two seconds, what was recorded so far goes to the file. */
void cli_trajectory_tick(cli_simulation *run);
void cli_trajectory_end(cli_simulation *run); /* after the last step */
/* Something could not be written: said, and returned in short; NULL: all is well. */
const char *cli_trajectory_lost(const cli_simulation *run);
/* When the summary is known. Returns `outcome`, or CLI_FILE and said. */
int cli_trajectory_close(cli_simulation *run, int outcome);

/* report.c: --report. */
bool cli_report_begin(cli_simulation *run); /* false: said */
int cli_report_write(cli_simulation *run);  /* CLI_OK, or CLI_FILE and said */

/* provenance.c: where the results of this run come from. */
const brink_fact *cli_facts(cli_simulation *run, size_t *count);

/* outcome.c: what became of a run. Fills run->summary; returns the exit code. */
int cli_outcome(cli_simulation *run, brink_status status);

/* condition.c, condition_tell.c: the condition of events. */
/* Is everything asked for, or only what costs nothing? */
bool cli_judge_is_full(const cli_simulation *run);
bool cli_judge_begin(cli_simulation *run); /* false: said */
void cli_judge_end(cli_simulation *run);
void cli_judge_free(cli_simulation *run);
/* Elements of a JSON array, for the report; NULL: nobody looked. */
const brink_text *cli_judge_page(const cli_simulation *run);
/* The command asks: a table, instead of events and final values. */
bool cli_judge_tells(const cli_simulation *run);
void cli_judge_tell(const cli_simulation *run, const cli_colours *colours, brink_text *text);

/* against.c: --against: after the run. Does nothing where it is not given. */
brink_status cli_against_run(cli_simulation *run);
void cli_against_free(cli_simulation *run);
void cli_against_tell(const cli_simulation *run, const cli_colours *colours, brink_text *text);

/* effect.c: warns of options that have no effect in this run, which has been made. */
void cli_effects_tell(const cli_simulation *run);

/* summary.c: for a person. */
void cli_summary(const cli_simulation *run, brink_text *text);

#endif
