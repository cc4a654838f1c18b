/* team.c: threads that do many small things together. See team.h. */
#include "agents/team.h"

#include <pthread.h>
#include <stdatomic.h>

#define AT_A_TIME 16 /* things that a thread takes: few, so that nobody waits long at the end */

struct brink_team {
  brink_allocator allocator;
  size_t room, started; /* threads besides the caller's */
  pthread_t *threads;
  pthread_mutex_t lock;
  pthread_cond_t begin, end;
  /* Under the lock. */
  uint64_t round;
  size_t joined, left; /* threads that have a number; that are not done with the round */
  bool over;
  /* Of a round. */
  brink_team_job *job;
  void *user;
  size_t items;
  atomic_size_t next;
};

static void take_part(brink_team *team, size_t worker) {
  for (;;) {
    size_t first = atomic_fetch_add_explicit(&team->next, AT_A_TIME, memory_order_relaxed);
    if (first >= team->items) return;
    size_t last = first + AT_A_TIME < team->items ? first + AT_A_TIME : team->items;
    for (size_t k = first; k < last; k++) team->job(team->user, k, worker);
  }
}

static void *work(void *user) {
  brink_team *team = user;
  uint64_t seen = 0;
  pthread_mutex_lock(&team->lock);
  size_t worker = ++team->joined; /* the caller is 0 */
  for (;;) {
    while (!team->over && team->round == seen) pthread_cond_wait(&team->begin, &team->lock);
    if (team->over) break;
    seen = team->round;
    pthread_mutex_unlock(&team->lock);
    take_part(team, worker);
    pthread_mutex_lock(&team->lock);
    if (--team->left == 0) pthread_cond_signal(&team->end);
  }
  pthread_mutex_unlock(&team->lock);
  return NULL;
}

brink_team *brink_team_create(size_t threads, const brink_allocator *allocator) {
  brink_team *team = brink_allocate(allocator, 1, sizeof *team);
  if (team == NULL) return NULL;
  if (allocator != NULL) team->allocator = *allocator;
  team->room = threads > 1 ? threads - 1 : 0;
  team->threads = brink_allocate(allocator, team->room > 0 ? team->room : 1, sizeof *team->threads);
  if (team->threads == NULL) {
    brink_release(allocator, team, 1, sizeof *team);
    return NULL;
  }
  pthread_mutex_init(&team->lock, NULL);
  pthread_cond_init(&team->begin, NULL);
  pthread_cond_init(&team->end, NULL);
  while (team->started < team->room &&
         pthread_create(&team->threads[team->started], NULL, work, team) == 0)
    team->started++;
  return team;
}

void brink_team_destroy(brink_team *team) {
  if (team == NULL) return;
  pthread_mutex_lock(&team->lock);
  team->over = true;
  pthread_cond_broadcast(&team->begin);
  pthread_mutex_unlock(&team->lock);
  for (size_t k = 0; k < team->started; k++) pthread_join(team->threads[k], NULL);
  pthread_cond_destroy(&team->end);
  pthread_cond_destroy(&team->begin);
  pthread_mutex_destroy(&team->lock);
  brink_allocator allocator = team->allocator;
  brink_release(&allocator, team->threads, team->room > 0 ? team->room : 1, sizeof *team->threads);
  brink_release(&allocator, team, 1, sizeof *team);
}

void brink_team_do(brink_team *team, size_t items, brink_team_job *job, void *user) {
  pthread_mutex_lock(&team->lock);
  team->job = job;
  team->user = user;
  team->items = items;
  atomic_store_explicit(&team->next, 0, memory_order_relaxed);
  team->left = team->started;
  team->round++;
  pthread_cond_broadcast(&team->begin);
  pthread_mutex_unlock(&team->lock);
  take_part(team, 0);
  pthread_mutex_lock(&team->lock);
  while (team->left > 0) pthread_cond_wait(&team->end, &team->lock);
  pthread_mutex_unlock(&team->lock);
}
