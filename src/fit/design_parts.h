/* design_parts.h: a design, inside: the knobs with which an outcome of the run is the best.
 *
 *   design.c          what is asked for; starts, the best of them, the result
 *   outcome.c         one run, and what it gives
 *   design_search.c   from one start to the end of its way */
#ifndef BRINK_FIT_DESIGN_PARTS_H
#define BRINK_FIT_DESIGN_PARTS_H

#include "fit/fit_parts.h"
#include "sweep/probe.h"

/* What a run gives. */
typedef struct brink_outcome {
  double *z;
  double value;     /* to be minimised */
  double *sides;    /* left and right of each condition */
  double violation; /* of all conditions together; 0: all hold */
  bool usable;
} brink_outcome;

/* A worker of a design. */
typedef struct brink_designing {
  brink_fit_worker *worker;
  brink_probe probe;
  brink_outcome here, best;   /* the last run; the best of this answer */
  double worst, *worst_sides; /* that were seen: values, and left minus right of each condition */
  bool checked;
} brink_designing;

typedef struct brink_design_answer {
  brink_status status; /* as of brink_fit_answer */
  brink_diag failure;
  size_t runs;
  bool ended; /* nothing got better any more */
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
brink_status brink_designing_visit(brink_designing *d, const double *z, brink_diag *diag);

/* ---- design_search.c ---- */

/* From z; d->best is where it ends. *ended: nothing got better any more. Statuses as above. */
brink_status brink_designing_search(brink_designing *d, const double *z, bool *ended,
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
