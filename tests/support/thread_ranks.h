/* thread_ranks.h: ranks that are threads of one process, for tests. */
#ifndef BRINK_TESTS_THREAD_RANKS_H
#define BRINK_TESTS_THREAD_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "ranks/ranks.h"

/* Calls `part` once for each rank, each in a thread of its own, and waits for all. False: a thread could not be made. */
bool thread_ranks_run(size_t count, void (*part)(const brink_ranks *ranks, void *user), void *user);

/* From now on this rank sends and receives nothing: to be called by its own thread. */
void thread_ranks_die(const brink_ranks *ranks);

#endif
