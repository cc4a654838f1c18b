/* thread_ranks.c: ranks that are threads of one process. See thread_ranks.h. */
#include "support/thread_ranks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 16 };

typedef struct letter {
  struct letter *next;
  size_t from, size;
  char data[];
} letter;

typedef struct office {
  pthread_mutex_t lock;
  letter *first[MOST], *last[MOST];
} office;

typedef struct place {
  office *office;
  brink_ranks ranks;
  letter *open; /* the data of the last message */
  bool dead;
  void (*part)(const brink_ranks *ranks, void *user);
  void *user;
} place;

static bool send_letter(void *state, size_t to, const void *data, size_t size) {
  place *p = state;
  if (p->dead) return true;
  letter *l = malloc(sizeof *l + size);
  if (l == NULL) return false;
  *l = (letter){.from = p->ranks.rank, .size = size};
  if (size > 0) memcpy(l->data, data, size);
  pthread_mutex_lock(&p->office->lock);
  if (p->office->first[to] == NULL)
    p->office->first[to] = l;
  else
    p->office->last[to]->next = l;
  p->office->last[to] = l;
  pthread_mutex_unlock(&p->office->lock);
  return true;
}

static bool receive_letter(void *state, size_t *from, const void **data, size_t *size) {
  place *p = state;
  size_t rank = p->ranks.rank;
  if (p->dead) return false;
  free(p->open);
  pthread_mutex_lock(&p->office->lock);
  p->open = p->office->first[rank];
  if (p->open != NULL) p->office->first[rank] = p->open->next;
  pthread_mutex_unlock(&p->office->lock);
  if (p->open == NULL) return false;
  *from = p->open->from;
  *data = p->open->data;
  *size = p->open->size;
  return true;
}

static double now(void *state) {
  struct timespec t;
  (void)state;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nap(void *state, double length) {
  (void)state;
  nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * length)}, NULL);
}

static void close_ranks(void *state, bool all) {
  (void)state, (void)all;
}

static void *work(void *given) {
  place *p = given;
  p->part(&p->ranks, p->user);
  return NULL;
}

bool thread_ranks_run(size_t count, void (*part)(const brink_ranks *ranks, void *user),
                      void *user) {
  office post = {.lock = PTHREAD_MUTEX_INITIALIZER};
  place places[MOST];
  pthread_t threads[MOST];
  size_t made = 0;
  if (count > MOST) return false;
  for (size_t k = 0; k < count; k++) {
    places[k] = (place){.office = &post, .part = part, .user = user};
    places[k].ranks = (brink_ranks){.rank = k,
                                    .count = count,
                                    .beside = count,
                                    .state = &places[k],
                                    .send = send_letter,
                                    .receive = receive_letter,
                                    .now = now,
                                    .nap = nap,
                                    .close = close_ranks};
  }
  while (made < count && pthread_create(&threads[made], NULL, work, &places[made]) == 0) made++;
  for (size_t k = 0; k < made; k++) pthread_join(threads[k], NULL);
  for (size_t k = 0; k < count; k++) {
    free(places[k].open);
    for (letter *l = post.first[k], *next; l != NULL; l = next) {
      next = l->next;
      free(l);
    }
  }
  pthread_mutex_destroy(&post.lock);
  return made == count;
}

void thread_ranks_die(const brink_ranks *ranks) {
  ((place *)ranks->state)->dead = true;
}
