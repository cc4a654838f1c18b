/* by_ranks.c: runs made by ranks. See by_ranks.h.
 *
 * On every rank, threads take numbers from a farm (ranks/farm.h), which gets them from rank 0, and give it rows. The thread
 * that called serves, and looks ten times a second whether a run takes too long. */
#include "sweep/by_ranks.h"

#include <pthread.h>
#include <string.h>

#define TICK 0.1 /* seconds */

typedef struct crew {
  const brink_work *work;
  const brink_ranks *ranks;
  brink_farm *farm;
  uint64_t next;
  double looked;
  pthread_mutex_t lock;
  /* Under the lock. */
  void **workers; /* NULL: it has none now */
  size_t running;
  bool cancelled;
  brink_status status; /* the first failure */
  brink_diag diag;
} crew;

typedef struct seat {
  crew *crew;
  size_t index;
  pthread_t thread;
} seat;

static void fail(crew *c, brink_status status, const brink_diag *diag) {
  pthread_mutex_lock(&c->lock);
  if (c->status == BRINK_OK) {
    c->status = status;
    c->diag = *diag;
  }
  pthread_mutex_unlock(&c->lock);
}

/* ---- the threads ---- */

static bool make_row(crew *c, void *worker, uint64_t number, brink_text *row) {
  brink_diag diag;
  row->length = 0;
  if (!c->work->run(worker, number, row)) {
    pthread_mutex_lock(&c->lock);
    c->cancelled = true;
    pthread_mutex_unlock(&c->lock);
    return false;
  }
  if (row->failed) fail(c, brink_diag_set(&diag, BRINK_ERR_MEMORY, "out of memory"), &diag);
  if (!row->failed) brink_farm_give(c->farm, number, row->data, row->length);
  return !row->failed;
}

static void set_worker(seat *s, void *worker) {
  pthread_mutex_lock(&s->crew->lock);
  s->crew->workers[s->index] = worker;
  pthread_mutex_unlock(&s->crew->lock);
}

static void *thread_main(void *argument) {
  seat *s = argument;
  crew *c = s->crew;
  brink_text row = {0};
  brink_diag diag;
  uint64_t number;
  void *worker = c->work->open(c->work->user, &diag);
  if (worker == NULL) {
    fail(c, diag.status, &diag);
  } else {
    set_worker(s, worker);
    while (brink_farm_take(c->farm, &number) && make_row(c, worker, number, &row)) continue;
    set_worker(s, NULL); /* nobody watches it from now on */
    c->work->close(worker);
  }
  brink_text_free(&row);
  pthread_mutex_lock(&c->lock);
  c->running--;
  pthread_mutex_unlock(&c->lock);
  return NULL;
}

/* ---- what the farm asks ---- */

static void watch(crew *c, bool stop) {
  pthread_mutex_lock(&c->lock);
  for (size_t k = 0; k < c->work->jobs; k++)
    if (c->workers[k] != NULL) c->work->watch(c->workers[k], stop);
  pthread_mutex_unlock(&c->lock);
}

static bool look(void *user, const char **reason) {
  crew *c = user;
  double now = c->ranks->now(c->ranks->state);
  if (now - c->looked < TICK) return false;
  c->looked = now;
  watch(c, false);
  bool ends = c->work->look(c->work->user);
  pthread_mutex_lock(&c->lock);
  if (ends) c->cancelled = true;
  if (c->status != BRINK_OK) *reason = c->diag.message;
  ends = c->cancelled || c->status != BRINK_OK;
  pthread_mutex_unlock(&c->lock);
  return ends;
}

static bool next_number(void *user, uint64_t *number) {
  crew *c = user;
  if (c->next >= c->work->end) return false;
  *number = c->next++;
  return true;
}

static bool take_row(void *user, uint64_t number, const void *row, size_t length) {
  crew *c = user;
  brink_diag diag;
  brink_status status = c->work->take(c->work->user, number, row, length, &diag);
  if (status != BRINK_OK) fail(c, status, &diag);
  return status == BRINK_OK;
}

/* ---- together ---- */

/* Runs that nobody waits for any more are ended. */
static void end_threads(crew *c, seat *seats, size_t started) {
  bool running = started > 0;
  while (running) {
    watch(c, true);
    pthread_mutex_lock(&c->lock);
    running = c->running > 0;
    pthread_mutex_unlock(&c->lock);
    if (running) c->ranks->nap(c->ranks->state, 1e-3);
  }
  for (size_t k = 0; k < started; k++) pthread_join(seats[k].thread, NULL);
}

static size_t start_threads(crew *c, seat *seats) {
  size_t started = 0;
  brink_diag diag;
  pthread_mutex_lock(&c->lock);
  for (; started < c->work->jobs; started++) {
    seats[started] = (seat){.crew = c, .index = started};
    if (pthread_create(&seats[started].thread, NULL, thread_main, &seats[started]) != 0) break;
    c->running++;
  }
  pthread_mutex_unlock(&c->lock);
  if (started == 0)
    fail(c, brink_diag_set(&diag, BRINK_ERR_MEMORY, "no thread can be started"), &diag);
  return started;
}

static brink_status serve(crew *c, seat *seats, brink_diag *diag) {
  size_t started = start_threads(c, seats);
  brink_diag farm_diag;
  brink_status status = brink_farm_serve(c->farm, &farm_diag);
  bool cancelled = c->cancelled; /* before the runs of this rank are ended, too */
  end_threads(c, seats, started);
  if (c->status != BRINK_OK) {
    *diag = c->diag;
    return c->status;
  }
  if (cancelled) return BRINK_CANCELLED;
  if (status != BRINK_OK) *diag = farm_diag;
  return status;
}

brink_status brink_work_by_ranks(const brink_work *work, const brink_ranks *ranks, double patience,
                                 const unsigned char fingerprint[BRINK_FARM_FINGERPRINT],
                                 size_t *lost, brink_diag *diag) {
  crew c = {.work = work, .ranks = ranks, .next = work->first, .status = BRINK_OK};
  brink_farm_def def = {.ranks = ranks,
                        .jobs = work->jobs,
                        .patience = patience,
                        .look = look,
                        .next = next_number,
                        .result = take_row,
                        .user = &c};
  memcpy(def.fingerprint, fingerprint, sizeof def.fingerprint);
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  c.workers = brink_arena_take(&arena, work->jobs, sizeof *c.workers);
  seat *seats = brink_arena_take(&arena, work->jobs, sizeof *seats);
  brink_status status = arena.failed ? brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory")
                                     : brink_farm_create(&def, NULL, diag, &c.farm);
  if (status == BRINK_OK) {
    pthread_mutex_init(&c.lock, NULL);
    status = serve(&c, seats, diag);
    *lost = brink_farm_lost(c.farm);
    pthread_mutex_destroy(&c.lock);
  }
  brink_farm_destroy(c.farm);
  brink_arena_free(&arena);
  return status;
}
