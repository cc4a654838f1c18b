/* farm.h: items of work that are handed out to ranks as they become free, and results that come back in order.
 *
 * On every rank, threads take items and give results; one more thread, the one that has the ranks, serves: it exchanges
 * messages with rank 0. Rank 0 has the list of items and receives all results; its own threads work, too.
 *
 *     threads:   while (brink_farm_take(farm, &item)) { compute; brink_farm_give(farm, item, data, size); }
 *     serving:   brink_farm_serve(farm, diag);
 *
 * An item is a number. Where the number does not say what is to be done, a question goes with it (brink_farm_take_question).
 * Where items depend on the results of earlier ones, rank 0 leads several times (brink_farm_lead) instead of serving once.
 *
 * A rank of which nothing is heard for a while is given up: its items are handed out again. If it was only slow, its results
 * are as good as those of the others; the first one counts. So every item must give the same result wherever it is
 * computed. */
#ifndef BRINK_RANKS_FARM_H
#define BRINK_RANKS_FARM_H

#include <stdint.h>

#include "base/base.h"
#include "ranks/ranks.h"

enum { BRINK_FARM_FINGERPRINT = 32 };

typedef struct brink_farm_def {
  const brink_ranks *ranks;
  unsigned char
      fingerprint[BRINK_FARM_FINGERPRINT]; /* of the work; must be the same on all ranks */
  size_t jobs;                             /* threads of this rank that take items */
  double patience;                         /* seconds of silence after which a rank is given up */
  bool one_by_one; /* items are long: nobody gets one before a thread is free for it */

  /* All of these are called by brink_farm_serve, in its thread. On every rank, again and again, at least a hundred times
   * a second; true: stop. On a rank other than 0 `reason` may say why: rank 0 fails with it. */
  bool (*look)(void *user, const char **reason);
  /* On rank 0. */
  bool (*next)(void *user,
               uint64_t *item); /* the next item, larger than the last; false: that was all */
  /* What is to be done, into an empty text; may be asked for more than once. NULL: the number says it all. */
  void (*question)(void *user, uint64_t item, brink_text *question);
  /* A result, in the order of the items. False: stop. */
  bool (*result)(void *user, uint64_t item, const void *data, size_t size);
  void *user;
} brink_farm_def;

typedef struct brink_farm brink_farm;

brink_status brink_farm_create(const brink_farm_def *def, const brink_allocator *allocator,
                               brink_diag *diag, brink_farm **farm);
/* When no thread is in take or give. NULL is fine. */
void brink_farm_destroy(brink_farm *farm);

/* The next item for a thread of this rank; waits for one. False: there are no more. */
bool brink_farm_take(brink_farm *farm, uint64_t *item);
/* The same with its question, which takes the place of what is in `question`. Free it at the end. */
bool brink_farm_take_question(brink_farm *farm, uint64_t *item, brink_text *question);
/* Its result, copied. False: nobody wants it any more. */
bool brink_farm_give(brink_farm *farm, uint64_t item, const void *data, size_t size);
/* No result is wanted any more: a thread that computes one may stop. */
bool brink_farm_closed(brink_farm *farm);
/* From now on, on this rank: threads get no more items. */
void brink_farm_close(brink_farm *farm);

/* Exchanges messages until the work is done, or stopped. Statuses: OK; UNSUPPORTED: a rank has other work than rank 0;
 * CALLBACK: a rank could not do its part, or nothing is heard of rank 0; MEMORY. */
brink_status brink_farm_serve(brink_farm *farm, brink_diag *diag);

/* On rank 0, instead of brink_farm_serve: until all items that `next` has now are done, or it was stopped. Then `next` may
 * have others, and it is called again. Not for long in between: the others would take it for dead. Not OK, or a stop:
 * it was the last time. */
brink_status brink_farm_lead(brink_farm *farm, brink_diag *diag);
/* On rank 0, after a lead that was stopped: results that have come behind one that has not go to `result`, too. */
void brink_farm_salvage(brink_farm *farm);
/* On rank 0, after the last brink_farm_lead: the others end. */
void brink_farm_dismiss(brink_farm *farm);

/* Ranks that were given up; every rank knows it after brink_farm_serve. */
size_t brink_farm_lost(const brink_farm *farm);

/* Instead of a farm, on a rank that cannot make one: rank 0 fails with these words, or, called by rank 0, all others stop. */
void brink_farm_leave(const brink_ranks *ranks, const char *reason);

#endif
