/* crew.h: threads of all ranks that answer questions. Rank 0 asks, a list at a time; a question goes to whoever is free,
 * and an answer must not depend on who gives it.
 *
 *     rank 0:   brink_crew_start, brink_crew_ask, brink_crew_ask, …, brink_crew_end
 *     others:   brink_crew_start, brink_crew_follow, brink_crew_end
 *
 * It is a farm (farm.h) with threads. Without other ranks (brink_ranks_alone) these are the threads of one process. */
#ifndef BRINK_RANKS_CREW_H
#define BRINK_RANKS_CREW_H

#include "ranks/farm.h"

typedef struct brink_crew_def {
  const brink_ranks *ranks;
  unsigned char fingerprint[BRINK_FARM_FINGERPRINT]; /* of the work; the same on all ranks */
  size_t jobs;                                       /* threads of this rank */
  double patience;                                   /* as of a farm */

  /* A worker, made and used in a thread of its own. NULL: `diag` says why. */
  void *(*open)(void *user, brink_diag *diag);
  void (*close)(void *worker);
  /* Into an empty text. After a stop: what there is of it so far. */
  void (*answer)(void *worker, const brink_text *question, brink_text *answer);
  /* From another thread, again and again: it is to come to its end. */
  void (*stop)(void *worker);
  /* In the thread that called, at least a hundred times a second. True: stop. */
  bool (*look)(void *user);
  void *user;
} brink_crew_def;

typedef struct brink_crew brink_crew;

/* Copies the definition. Statuses: OK, MEMORY. */
brink_status brink_crew_start(const brink_crew_def *def, brink_diag *diag, brink_crew **crew);
/* NULL is fine. Workers are told to stop, and waited for. */
void brink_crew_end(brink_crew *crew);

/* Answers to all questions, in their order; the texts are empty before. CANCELLED: `look` stopped it. Then questions that threads of this
 * process were working on have what there was; others that were not answered stay empty; nobody may be asked again.
 * Other statuses: that of `open`; UNSUPPORTED, CALLBACK: of a farm; MEMORY. */
brink_status brink_crew_ask(brink_crew *crew, const brink_text *questions, brink_text *answers,
                            size_t count, brink_diag *diag);
/* On other ranks than 0: answers until rank 0 has no more questions. */
brink_status brink_crew_follow(brink_crew *crew, brink_diag *diag);
/* Ranks that were given up. */
size_t brink_crew_lost(const brink_crew *crew);

#endif
