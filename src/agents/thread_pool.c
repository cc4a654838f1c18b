/* thread_pool.c: a fixed set of threads that share the items of a loop. See thread_pool.h. */
#include "agents/thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>

#define AT_A_TIME                                                                                  \
  16 /* items that a thread takes at once: few, so that all threads finish at nearly the same time */

struct brink_thread_pool {
  size_t started; /* threads besides the caller's */
  pthread_t *threads;
  pthread_mutex_t lock;
  pthread_cond_t begin, end;
  /* Under the lock. */
  uint64_t round;
  size_t joined, left; /* threads that have a number; that are not done with the round */
  bool over;
  /* Of a round. */
  brink_pool_job *job;
  void *user;
  size_t items;
  atomic_size_t next;
};

static void take_items(brink_thread_pool *pool, size_t worker) {
  for (;;) {
    size_t first = atomic_fetch_add_explicit(&pool->next, AT_A_TIME, memory_order_relaxed);
    if (first >= pool->items) return;
    size_t last = first + AT_A_TIME < pool->items ? first + AT_A_TIME : pool->items;
    for (size_t k = first; k < last; k++) pool->job(pool->user, k, worker);
  }
}

static void *work(void *user) {
  brink_thread_pool *pool = user;
  uint64_t seen = 0;
  pthread_mutex_lock(&pool->lock);
  size_t worker = ++pool->joined; /* the caller is 0 */
  for (;;) {
    while (!pool->over && pool->round == seen) pthread_cond_wait(&pool->begin, &pool->lock);
    if (pool->over) break;
    seen = pool->round;
    pthread_mutex_unlock(&pool->lock);
    take_items(pool, worker);
    pthread_mutex_lock(&pool->lock);
    if (--pool->left == 0) pthread_cond_signal(&pool->end);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

brink_thread_pool *brink_thread_pool_create(size_t threads, brink_arena *arena) {
  size_t more = threads > 1 ? threads - 1 : 0;
  brink_thread_pool *pool = brink_arena_take(arena, 1, sizeof *pool);
  pthread_t *handles = brink_arena_take(arena, more, sizeof *handles);
  if (arena->failed) return NULL;
  pool->threads = handles;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->begin, NULL);
  pthread_cond_init(&pool->end, NULL);
  while (pool->started < more &&
         pthread_create(&pool->threads[pool->started], NULL, work, pool) == 0)
    pool->started++;
  return pool;
}

void brink_thread_pool_destroy(brink_thread_pool *pool) {
  if (pool == NULL) return;
  pthread_mutex_lock(&pool->lock);
  pool->over = true;
  pthread_cond_broadcast(&pool->begin);
  pthread_mutex_unlock(&pool->lock);
  for (size_t k = 0; k < pool->started; k++) pthread_join(pool->threads[k], NULL);
  pthread_cond_destroy(&pool->end);
  pthread_cond_destroy(&pool->begin);
  pthread_mutex_destroy(&pool->lock);
}

void brink_thread_pool_run(brink_thread_pool *pool, size_t items, brink_pool_job *job, void *user) {
  pthread_mutex_lock(&pool->lock);
  pool->job = job;
  pool->user = user;
  pool->items = items;
  atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
  pool->left = pool->started;
  pool->round++;
  pthread_cond_broadcast(&pool->begin);
  pthread_mutex_unlock(&pool->lock);
  take_items(pool, 0);
  pthread_mutex_lock(&pool->lock);
  while (pool->left > 0) pthread_cond_wait(&pool->end, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}
