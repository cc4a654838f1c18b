/* workers.h: who makes the runs. Work is given out by numbers, and comes back as rows, which are taken in order: the one
 * who takes them needs no more than a bounded number of rows at once, and the table does not depend on who made which.
 *
 *   threads.c   threads of this process
 *
 * A row is a line of text, so that it can cross from one process to another. */
#ifndef BRINK_SWEEP_WORKERS_H
#define BRINK_SWEEP_WORKERS_H

#include "base/base.h"

/* Where a worker that has several runs under way gets numbers and hands in rows. */
typedef struct brink_door {
  void *user;
  /* The next number. False: there is none left, or none for a worker that has `busy` runs under way already. */
  bool (*next)(void *user, size_t busy, uint64_t *number);
  /* The row of one; the text is empty afterwards. False: everything ends. */
  bool (*put)(void *user, uint64_t number, brink_text *row);
} brink_door;

typedef struct brink_work {
  void *user;
  uint64_t first, end; /* numbers: first … end - 1 */
  size_t jobs;         /* workers at once, at least 1 */

  /* A worker, made and used in a thread of its own. NULL: `diag` says why. */
  void *(*open)(void *user, brink_diag *diag);
  void (*close)(void *worker);
  /* The row of a run, into an empty text. False: it was cancelled; there is none. */
  bool (*run)(void *worker, uint64_t number, brink_text *row);
  /* The same for all runs that it is given, several at once. False: one was cancelled. NULL: one after another. */
  bool (*run_many)(void *worker, const brink_door *door);
  /* From another thread, ten times a second: is its run taking too long? `stop`: end it in any case. */
  void (*watch)(void *worker, bool stop);

  /* Rows in the order of their numbers, from one thread at a time. Not OK: everything ends. */
  brink_status (*take)(void *user, uint64_t number, const char *row, size_t length,
                       brink_diag *diag);
  /* In the calling thread, ten times a second, and never at the same time as `take`. True: everything ends. */
  bool (*look)(void *user);
} brink_work;

/* Statuses: OK: all rows are taken; CANCELLED; that of `take`, or of `open`; MEMORY. */
brink_status brink_work_by_threads(const brink_work *work, brink_diag *diag);

#endif
