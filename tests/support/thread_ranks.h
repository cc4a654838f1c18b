/* thread_ranks.h: ranks that are threads of one process, for tests. A rank can die: it sends and receives nothing any more. */
#ifndef BRINK_TESTS_THREAD_RANKS_H
#define BRINK_TESTS_THREAD_RANKS_H

#include <pthread.h>
#include <stdatomic.h>

#include "ranks/ranks.h"

enum { THREAD_RANKS = 16 }; /* at most */

typedef struct thread_letter thread_letter;

typedef struct thread_post {
  pthread_mutex_t lock;
  thread_letter *first[THREAD_RANKS], *last[THREAD_RANKS];
  atomic_bool dead[THREAD_RANKS];
} thread_post;

typedef struct thread_place {
  thread_post *post;
  size_t rank;
  thread_letter *open; /* the data of the last message */
  double late;         /* seconds, of a dead rank */
  size_t left;         /* until this message, at which it dies; 0: it lives */
} thread_place;

/* The lock of `post` is initialised, `post` and `rank` of `place` are set. */
brink_ranks thread_ranks_at(thread_place *place, size_t count);
void thread_place_close(thread_place *place);
void thread_post_empty(thread_post *post);
void thread_nap(void *state, double length);

/* Calls `main` as every rank, each in its thread, and waits for all. */
void thread_ranks_run(size_t count, void (*main)(brink_ranks *ranks, void *user), void *user);
/* From within: until so many messages have arrived here. */
void thread_ranks_await(const brink_ranks *ranks, size_t messages);
/* From within: this rank dies instead of sending this message, counted from 1. */
void thread_ranks_die_at(brink_ranks *ranks, size_t message);
/* At once. */
void thread_ranks_die(const brink_ranks *ranks);

#endif
