/* thread_pool.h: a fixed set of threads that share the items of a loop. */
#ifndef BRINK_AGENTS_THREAD_POOL_H
#define BRINK_AGENTS_THREAD_POOL_H

#include "base/base.h"

typedef struct brink_thread_pool brink_thread_pool;

/* Computes item `item` on thread `worker`; the caller's thread is 0. */
typedef void brink_pool_job(void *user, size_t item, size_t worker);

/* `threads` counts the caller's thread. If the system refuses to start some of them, the pool is smaller. NULL: out of
 * memory. */
brink_thread_pool *brink_thread_pool_create(size_t threads, brink_arena *arena);
void brink_thread_pool_destroy(
    brink_thread_pool *pool); /* before the arena is freed; NULL is fine */

/* Runs the job for items 0 … items - 1, in any order, on any thread; returns when all are done. All threads see what the
 * caller wrote before the call, and the caller sees what they wrote. */
void brink_thread_pool_run(brink_thread_pool *pool, size_t items, brink_pool_job *job, void *user);

#endif
