/* thread_ranks.c: ranks that are threads of one process. See thread_ranks.h. */
#include "support/thread_ranks.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct thread_letter {
  thread_letter *next;
  size_t from, size;
  char data[];
};

static bool send_letter(void *state, size_t to, const void *data, size_t size) {
  thread_place *p = state;
  if (p->left > 0 && --p->left == 0) p->post->dead[p->rank] = true;
  if (p->post->dead[p->rank]) return true;
  thread_letter *l = malloc(sizeof *l + size);
  *l = (thread_letter){.from = p->rank, .size = size};
  memcpy(l->data, data, size);
  pthread_mutex_lock(&p->post->lock);
  if (p->post->first[to] == NULL)
    p->post->first[to] = l;
  else
    p->post->last[to]->next = l;
  p->post->last[to] = l;
  pthread_mutex_unlock(&p->post->lock);
  return true;
}

static bool receive_letter(void *state, size_t *from, const void **data, size_t *size) {
  thread_place *p = state;
  if (p->post->dead[p->rank]) return false;
  free(p->open);
  pthread_mutex_lock(&p->post->lock);
  p->open = p->post->first[p->rank];
  if (p->open != NULL) p->post->first[p->rank] = p->open->next;
  pthread_mutex_unlock(&p->post->lock);
  if (p->open == NULL) return false;
  *from = p->open->from;
  *data = p->open->data;
  *size = p->open->size;
  return true;
}

/* For a dead rank it gets late quickly, so that it ends. */
static double now(void *state) {
  thread_place *p = state;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  if (p->post->dead[p->rank]) p->late += 1e3;
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec + p->late;
}

void thread_nap(void *state, double length) {
  (void)state;
  nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * length)}, NULL);
}

static void close_ranks(void *state, bool all) {
  (void)state, (void)all;
}

brink_ranks thread_ranks_at(thread_place *place, size_t count) {
  return (brink_ranks){.rank = place->rank,
                       .count = count,
                       .beside = count,
                       .state = place,
                       .send = send_letter,
                       .receive = receive_letter,
                       .now = now,
                       .nap = thread_nap,
                       .close = close_ranks};
}

void thread_place_close(thread_place *place) {
  free(place->open);
}

void thread_post_empty(thread_post *post) {
  for (size_t k = 0; k < THREAD_RANKS; k++) {
    while (post->first[k] != NULL) {
      thread_letter *next = post->first[k]->next;
      free(post->first[k]);
      post->first[k] = next;
    }
  }
}

/* ---- all of them ---- */

typedef struct rank {
  thread_place place;
  brink_ranks ranks;
  void (*main)(brink_ranks *ranks, void *user);
  void *user;
  pthread_t thread;
} rank;

static void *be_rank(void *argument) {
  rank *r = argument;
  r->main(&r->ranks, r->user);
  return NULL;
}

void thread_ranks_run(size_t count, void (*main)(brink_ranks *ranks, void *user), void *user) {
  thread_post post = {.lock = PTHREAD_MUTEX_INITIALIZER};
  rank all[THREAD_RANKS] = {0};
  for (size_t k = 0; k < count; k++) {
    all[k] = (rank){.place = {.post = &post, .rank = k}, .main = main, .user = user};
    all[k].ranks = thread_ranks_at(&all[k].place, count);
    pthread_create(&all[k].thread, NULL, be_rank, &all[k]);
  }
  for (size_t k = 0; k < count; k++) pthread_join(all[k].thread, NULL);
  for (size_t k = 0; k < count; k++) thread_place_close(&all[k].place);
  thread_post_empty(&post);
  pthread_mutex_destroy(&post.lock);
}

void thread_ranks_await(const brink_ranks *ranks, size_t messages) {
  const thread_place *place = ranks->state;
  for (size_t count = 0; count < messages;) {
    count = 0;
    pthread_mutex_lock(&place->post->lock);
    for (thread_letter *l = place->post->first[place->rank]; l != NULL; l = l->next) count++;
    pthread_mutex_unlock(&place->post->lock);
    thread_nap(NULL, 1e-3);
  }
}

void thread_ranks_die_at(brink_ranks *ranks, size_t message) {
  thread_place *place = ranks->state;
  place->left = message;
}

void thread_ranks_die(const brink_ranks *ranks) {
  thread_place *place = ranks->state;
  place->post->dead[place->rank] = true;
}
