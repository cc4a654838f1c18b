/* threads.c: runs made by threads of this process. See workers.h.
 *
 * Each thread takes the next numbers, a few at a time, and puts its rows into a ring. Whoever completes the row that is
 * due hands over all that are ready. The ring bounds how far others may be ahead of a long run. */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "sweep/workers.h"

/* Rows that may wait for an earlier one: enough for a run that takes thousands of times as long as the others. */
enum { RING = 4096 };
/* Numbers that are taken at once: so few that the last ones keep all threads busy. */
enum { BATCH = 4 };
#define TICK 100000000 /* nanoseconds: ten times a second */

typedef struct slot {
  brink_text row;
  bool ready;
} slot;

typedef struct pool {
  const brink_work *work;
  pthread_mutex_t lock;
  pthread_cond_t room, over; /* rows were taken; a thread has ended */
  slot *ring;
  uint64_t next, taken; /* numbers that are given out, rows that are taken: up to here */
  void **workers;       /* NULL: it has none now */
  size_t running;
  bool stop, cancelled;
  brink_status status;
  brink_diag diag;
} pool;

typedef struct seat {
  pool *pool;
  size_t index;
  pthread_t thread;
} seat;

static void fail(pool *p, brink_status status, const brink_diag *diag) {
  if (p->status == BRINK_OK) {
    p->status = status;
    p->diag = *diag;
  }
  p->stop = true;
  pthread_cond_broadcast(&p->room);
}

/* Locked. Some numbers; 0: there are none left, or it is over. */
static size_t take_numbers(pool *p, uint64_t *first) {
  while (!p->stop && p->next < p->work->end && p->next - p->taken > RING - BATCH)
    pthread_cond_wait(&p->room, &p->lock);
  if (p->stop || p->next >= p->work->end) return 0;
  uint64_t left = p->work->end - p->next;
  size_t count = left < BATCH * p->work->jobs ? 1 : BATCH;
  *first = p->next;
  p->next += count;
  return count;
}

/* Locked. The rows that are due. */
static void hand_over(pool *p) {
  brink_diag diag;
  bool any = false;
  while (!p->stop && p->taken < p->work->end && p->ring[p->taken % RING].ready) {
    slot *due = &p->ring[p->taken % RING];
    brink_status status = due->row.failed ? brink_diag_set(&diag, BRINK_ERR_MEMORY, "out of memory")
                                          : p->work->take(p->work->user, p->taken, due->row.data,
                                                          due->row.length, &diag);
    if (status != BRINK_OK) fail(p, status, &diag);
    due->ready = false;
    due->row.failed = false;
    p->taken++;
    any = true;
  }
  if (any) pthread_cond_broadcast(&p->room);
}

/* Locked. The thread keeps the empty text of the ring for its next row. */
static void put_row(pool *p, uint64_t number, brink_text *row) {
  slot *place = &p->ring[number % RING];
  brink_text empty = place->row;
  place->row = *row;
  place->ready = true;
  *row = empty;
  if (number == p->taken) hand_over(p);
}

/* ---- several at once ---- */

/* A worker with runs under way must not wait for room: the row that is due may be one of its own. And it leaves runs to
 * others when there are few. */
static bool next_of_many(void *user, size_t busy, uint64_t *number) {
  pool *p = user;
  pthread_mutex_lock(&p->lock);
  while (!p->stop && busy == 0 && p->next < p->work->end && p->next - p->taken > RING - BATCH)
    pthread_cond_wait(&p->room, &p->lock);
  uint64_t left = p->work->end - p->next;
  bool fair = busy == 0 || busy * p->work->jobs <= left;
  bool any = !p->stop && left > 0 && fair && p->next - p->taken <= RING - BATCH;
  if (any) *number = p->next++;
  pthread_mutex_unlock(&p->lock);
  return any;
}

static bool put_of_many(void *user, uint64_t number, brink_text *row) {
  pool *p = user;
  pthread_mutex_lock(&p->lock);
  put_row(p, number, row);
  bool going = !p->stop;
  pthread_mutex_unlock(&p->lock);
  row->length = 0;
  return going;
}

static void work_on_many(seat *s, void *worker) {
  pool *p = s->pool;
  brink_door door = {.user = p, .next = next_of_many, .put = put_of_many};
  bool made = p->work->run_many(worker, &door);
  pthread_mutex_lock(&p->lock);
  if (!made && !p->stop) {
    p->stop = p->cancelled = true;
    pthread_cond_broadcast(&p->room);
  }
  p->workers[s->index] = NULL; /* nobody watches it from now on */
  pthread_mutex_unlock(&p->lock);
}

/* ---- one after another ---- */

static void work_on(seat *s, void *worker) {
  pool *p = s->pool;
  brink_text row = {0};
  uint64_t number = 0;
  pthread_mutex_lock(&p->lock);
  for (size_t left = 0; left > 0 || (left = take_numbers(p, &number)) > 0; left--, number++) {
    if (p->stop) break;
    pthread_mutex_unlock(&p->lock);
    row.length = 0;
    bool made = p->work->run(worker, number, &row);
    pthread_mutex_lock(&p->lock);
    if (!made) {
      p->stop = p->cancelled = true;
      pthread_cond_broadcast(&p->room);
      break;
    }
    put_row(p, number, &row);
  }
  p->workers[s->index] = NULL; /* nobody watches it from now on */
  pthread_mutex_unlock(&p->lock);
  brink_text_free(&row);
}

static void *thread_main(void *argument) {
  seat *s = argument;
  pool *p = s->pool;
  brink_diag diag;
  void *worker = p->work->open(p->work->user, &diag);
  pthread_mutex_lock(&p->lock);
  p->workers[s->index] = worker;
  if (worker == NULL) fail(p, diag.status, &diag);
  pthread_mutex_unlock(&p->lock);
  if (worker != NULL) {
    if (p->work->run_many != NULL)
      work_on_many(s, worker);
    else
      work_on(s, worker);
    p->work->close(worker);
  }
  pthread_mutex_lock(&p->lock);
  p->running--;
  pthread_cond_broadcast(&p->over);
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* A tenth of a second, or until a thread has ended. Locked. */
static void wait_a_little(pool *p) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += TICK;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    until.tv_sec++;
  }
  pthread_cond_timedwait(&p->over, &p->lock, &until);
}

/* Locked: no thread takes a number before the first look. Until all threads have ended. */
static void watch(pool *p) {
  while (p->running > 0) {
    if (p->work->look(p->work->user)) {
      p->stop = p->cancelled = true;
      pthread_cond_broadcast(&p->room);
    }
    for (size_t k = 0; k < p->work->jobs; k++) {
      if (p->workers[k] != NULL) p->work->watch(p->workers[k], p->stop);
    }
    wait_a_little(p);
  }
}

static brink_status start(pool *p, seat *seats) {
  size_t started = 0;
  pthread_mutex_lock(&p->lock);
  for (; started < p->work->jobs; started++) {
    seats[started] = (seat){.pool = p, .index = started};
    if (pthread_create(&seats[started].thread, NULL, thread_main, &seats[started]) != 0) break;
    p->running++;
  }
  brink_diag diag;
  if (started == 0) {
    brink_diag_set(&diag, BRINK_ERR_MEMORY, "no thread can be started");
    fail(p, BRINK_ERR_MEMORY, &diag);
  }
  watch(p);
  pthread_mutex_unlock(&p->lock);
  for (size_t k = 0; k < started; k++) pthread_join(seats[k].thread, NULL);
  if (p->status != BRINK_OK) return p->status;
  return p->cancelled ? BRINK_CANCELLED : BRINK_OK;
}

brink_status brink_work_by_threads(const brink_work *work, brink_diag *diag) {
  pool p = {.work = work, .next = work->first, .taken = work->first};
  pthread_condattr_t monotonic;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  p.ring = brink_arena_take(&arena, RING, sizeof *p.ring);
  p.workers = brink_arena_take(&arena, work->jobs, sizeof *p.workers);
  seat *seats = brink_arena_take(&arena, work->jobs, sizeof *seats);
  if (arena.failed) {
    brink_arena_free(&arena);
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  }
  pthread_mutex_init(&p.lock, NULL);
  pthread_cond_init(&p.room, NULL);
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&p.over, &monotonic);
  pthread_condattr_destroy(&monotonic);
  brink_status status = start(&p, seats);
  if (status < 0 && diag != NULL) *diag = p.diag;
  for (size_t k = 0; k < RING; k++) brink_text_free(&p.ring[k].row);
  pthread_cond_destroy(&p.over);
  pthread_cond_destroy(&p.room);
  pthread_mutex_destroy(&p.lock);
  brink_arena_free(&arena);
  return status;
}
