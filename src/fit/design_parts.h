/* design_parts.h: a design, inside: the knobs with which an outcome of the run is the best.
 *
 *   design.c          what is asked for; starts, the best of them, the result
 *   outcome.c         one run, and what it gives
 *   slopes.c          derivatives of it by the knobs
 *   design_search.c   from one start to the end of its way */
#ifndef BRINK_FIT_DESIGN_PARTS_H
#define BRINK_FIT_DESIGN_PARTS_H

#include "fit/fit_parts.h"
#include "sweep/probe.h"

/* Better by less than this is the same: of the outcome. */
#define BRINK_OUTCOME_BETTER 1e-6

/* What a run gives. */
typedef struct brink_outcome {
  double *z;
  double value;     /* to be minimised */
  double *sides;    /* left and right of each condition */
  double violation; /* of all conditions together; 0: all hold */
  bool usable;
  double *slopes; /* of the objective and of all sides, as they are measured: rows of n */
  bool has_slopes;
  unsigned limits; /* BRINK_SENSITIVITY_… */
} brink_outcome;

/* What is followed of a run for its derivatives. */
typedef struct brink_slopes {
  const brink_measures *measures;
  brink_probe *probe;
  size_t *first,
      *last; /* events of each flag, by their numbers in the run; BRINK_NONE: none. The last one: of all flags */
  uint64_t *seen; /* how many there were */
  size_t nevents;
  void (*next)(const brink_logged_event *logged, void *user); /* of the probe */
  void *next_user;
  double *reads, *dreads; /* values of names somewhere, and their derivatives */
  double *final, *dgauges;
} brink_slopes;

/* A worker of a design. */
typedef struct brink_designing {
  brink_fit_worker *worker;
  brink_probe probe;
  brink_slopes slopes;
  bool derivatives;           /* of the present run are wanted */
  brink_outcome here, best;   /* the last run; the best of this answer */
  size_t barred;              /* runs that could not be used, since the best one */
  double worst, *worst_sides; /* that were seen: values, and left minus right of each condition */
  bool checked;
} brink_designing;

typedef struct brink_design_answer {
  brink_status status; /* as of brink_fit_answer */
  brink_diag failure;
  size_t runs, derivative_runs;
  bool ended;              /* nothing got better any more */
  bool downhill, searched; /* it went by derivatives; by comparing values */
  uint32_t limits;         /* why derivatives did not do, if both */
  brink_outcome outcome;
} brink_design_answer;

/* ---- outcome.c ---- */

bool brink_outcome_make(const brink_fit *fit, brink_arena *arena, brink_outcome *outcome);
void brink_outcome_copy(const brink_fit *fit, brink_outcome *to, const brink_outcome *from);
bool brink_outcome_is_better(const brink_outcome *a, const brink_outcome *b);
/* How far a condition is from holding; negative: it holds. */
double brink_outcome_excess(const brink_fit *fit, const double *sides, size_t k);

/* The run with knobs z, into d->here, and d->best if it is better. A run that fails is an outcome that is not usable. OK; MEMORY;
 * ARGUMENT: what is asked for is not there. */
brink_status brink_designing_visit(brink_designing *d, const double *z, bool derivatives,
                                   brink_diag *diag);

/* ---- slopes.c ---- */

/* Why what is asked for has no derivatives; NULL: it has. */
const char *brink_slopes_missing(brink_fit *fit);
/* Before the first worker is made: more is followed of runs. False: no memory. */
bool brink_slopes_prepare(brink_fit *fit);
bool brink_slopes_make(const brink_fit *fit, brink_arena *arena, brink_slopes *s);
/* After brink_probe_begin. */
brink_status brink_slopes_begin(brink_slopes *s, const brink_fit *fit, brink_probe *probe,
                                brink_run *run, brink_diag *diag);
/* After brink_probe_conclude. `moved_end`: an event has ended the run. *found: all are numbers, and sound. */
brink_status brink_slopes_find(brink_slopes *s, const brink_fit *fit, brink_run *run,
                               bool moved_end, double *slopes, bool *found, unsigned *limits,
                               brink_diag *diag);

/* ---- design_search.c ---- */

/* From z; d->best is where it ends, and the answer says how it went. Statuses as above. */
brink_status brink_designing_solve(brink_designing *d, const double *z, brink_design_answer *answer,
                                   brink_diag *diag);
/* Is z, where derivatives have led, the best nearby? By comparing values. */
brink_status brink_designing_check(brink_designing *d, const double *z, brink_design_answer *answer,
                                   brink_diag *diag);

/* NULL: no memory. */
brink_designing *brink_designing_open(brink_fit_worker *worker);
void brink_designing_close(brink_designing *designing); /* NULL is fine */
void brink_designing_answer(brink_fit_worker *worker, brink_archive *question,
                            brink_archive *answer);

/* Written, or read. */
void brink_design_archive_question(const brink_fit *fit, brink_fit_task *task, double *z,
                                   brink_archive *a);
void brink_design_archive_answer(const brink_fit *fit, brink_design_answer *answer,
                                 brink_archive *a);

#endif
