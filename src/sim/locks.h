/* locks.h: what is locked during a step (parameters, modes, signs, surfaces that hold the state), kept for all steps.
 *
 * A set of it is stored when it has changed: in pages, those that are the same shared with the set before. So a sample of
 * one value costs one page and a list of pages, however many parameters there are. */
#ifndef BRINK_SIM_LOCKS_H
#define BRINK_SIM_LOCKS_H

#include <brink/history.h>
#include <float.h>
#include <math.h>

#include "base/archive.h"
#include "model/eval.h"
#include "num/path.h"

typedef struct brink_lock_set brink_lock_set;

typedef struct brink_lock_log {
  const brink_eval *eval;
  size_t size, npages;   /* bytes of a set, in pages */
  unsigned char *now;    /* as it is; room */
  unsigned char *before; /* the last one */
  const brink_lock_set *last;
} brink_lock_log;

/* Memory that is kept: room for two sets. False: there is none. */
bool brink_lock_log_init(brink_lock_log *log, const brink_eval *eval, brink_arena *arena);
/* No set is known any more: those that were made are given back by somebody else. */
void brink_lock_log_forget(brink_lock_log *log);
/* What is locked now: the last set, or, where it is another, one more in the arena. NULL: out of memory. */
const brink_lock_set *brink_lock_log_note(brink_lock_log *log, brink_arena *arena);

/* A set of this log, into one of a simulation alike (base/archive.h). */
void brink_lock_log_archive(brink_lock_log *log, const brink_lock_set **set, brink_arena *arena,
                            brink_archive *a);

/* A set as it was: pointers lead into `room`, of log->npages*BRINK_LOCK_PAGE bytes, aligned for doubles. */
enum { BRINK_LOCK_PAGE = 512 };

typedef struct brink_locks {
  double *p;
  int *mode;
  signed char *sgn;
  size_t *filippov; /* how many, then which */
  size_t *nties;
  brink_tie *ties;
} brink_locks;

brink_locks brink_locks_read(const brink_lock_log *log, const brink_lock_set *set, void *room);

/* Signs and surfaces of a set are exchanged with those of the simulation, for somebody who looks at a time that has
 * passed; once more to put everything back before the simulation goes on. */
void brink_locks_exchange(brink_eval *eval, brink_locks *locks);

/* ---- history.c: histories that keep them, for somebody in the library ---- */

/* history_archive.c: of one that is dense and has no rows, between two steps; read into one that was made alike. */
void brink_history_archive(brink_history *history, brink_archive *a);

/* Where somebody looks; times mostly come in order. */
typedef struct brink_history_look {
  size_t piece; /* where the last look was; BRINK_NONE before the first one */
  brink_path path;
  const brink_lock_set *set; /* that `locks` are of; NULL: there are none */
  brink_locks locks;
  void *room; /* for them: brink_history_room bytes; NULL: nobody asks for them */
} brink_history_look;

/* From now on it keeps what is locked in each step, too. MEMORY, or OK. */
brink_status brink_history_keep_locks(brink_history *history, brink_diag *diag);
size_t brink_history_room(const brink_history *history);
/* So far outside of a span, a time counts as its end. */
static inline double brink_history_rounding(double start, double present) {
  return 4.0 * DBL_EPSILON * fmax(fabs(start), fabs(present));
}
/* From its start to the present of the simulation. MEMORY: it ended before. */
brink_status brink_history_span(const brink_history *history, double *start, double *present,
                                brink_diag *diag);
/* The state at a time in that span, into x, and look->locks. False: it is the present, and what is locked is the
 * simulation's own. */
bool brink_history_look_at(const brink_history *history, double t, brink_history_look *look,
                           double *x);

#endif
