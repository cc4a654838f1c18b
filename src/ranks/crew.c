/* crew.c: threads of all ranks that answer questions. See crew.h. */
#include "ranks/crew.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct seat {
  brink_crew *crew;
  pthread_t thread;
  /* Under the lock of the crew. */
  void *worker;      /* NULL: it has none now */
  uint64_t item;     /* what it answered last, */
  brink_text answer; /* if the farm was closed before: nobody else has it */
} seat;

struct brink_crew {
  brink_crew_def def;
  brink_farm *farm;
  seat *seats;
  size_t started;
  uint64_t base,
      next;     /* items: that of the first question, that of the next one to be handed out */
  size_t count; /* of the questions that are asked now */
  const brink_text *questions;
  brink_text *answers;
  bool stopped; /* by `look` */
  pthread_mutex_t lock;
  /* Under the lock. */
  size_t running;
  brink_status status; /* the first failure */
  brink_diag diag;
};

static void fail(brink_crew *c, brink_status status, const brink_diag *diag) {
  pthread_mutex_lock(&c->lock);
  if (c->status == BRINK_OK) {
    c->status = status;
    c->diag = *diag;
  }
  pthread_mutex_unlock(&c->lock);
}

static void fail_memory(brink_crew *c) {
  brink_diag diag;
  fail(c, brink_diag_set(&diag, BRINK_ERR_MEMORY, "out of memory"), &diag);
}

/* ---- the threads ---- */

static void set_worker(seat *s, void *worker) {
  pthread_mutex_lock(&s->crew->lock);
  s->worker = worker;
  pthread_mutex_unlock(&s->crew->lock);
}

/* An answer that comes after the end is left at the seat. */
static void leave_answer(seat *s, uint64_t item, brink_text *answer) {
  pthread_mutex_lock(&s->crew->lock);
  s->item = item;
  s->answer = *answer;
  pthread_mutex_unlock(&s->crew->lock);
  *answer = (brink_text){0};
}

static void work(seat *s, void *worker) {
  brink_crew *c = s->crew;
  brink_text question = {0}, answer = {0};
  uint64_t item;
  while (brink_farm_take_question(c->farm, &item, &question)) {
    answer.length = 0;
    c->def.answer(worker, &question, &answer);
    if (answer.failed) {
      fail_memory(c);
      break;
    }
    if (!brink_farm_give(c->farm, item, answer.data, answer.length)) {
      leave_answer(s, item, &answer);
      break;
    }
  }
  brink_text_free(&question);
  brink_text_free(&answer);
}

static void *thread_main(void *argument) {
  seat *s = argument;
  brink_crew *c = s->crew;
  brink_diag diag;
  void *worker = c->def.open(c->def.user, &diag);
  if (worker == NULL) {
    fail(c, diag.status, &diag);
  } else {
    set_worker(s, worker);
    work(s, worker);
    set_worker(s, NULL); /* nobody stops it from now on */
    c->def.close(worker);
  }
  pthread_mutex_lock(&c->lock);
  c->running--;
  pthread_mutex_unlock(&c->lock);
  return NULL;
}

/* ---- what the farm asks ---- */

static bool look(void *user, const char **reason) {
  brink_crew *c = user;
  if (c->def.look(c->def.user)) c->stopped = true;
  pthread_mutex_lock(&c->lock);
  bool failed = c->status != BRINK_OK;
  if (failed) *reason = c->diag.message;
  pthread_mutex_unlock(&c->lock);
  return c->stopped || failed;
}

static bool next_item(void *user, uint64_t *item) {
  brink_crew *c = user;
  if (c->next >= c->base + c->count) return false;
  *item = c->next++;
  return true;
}

static void put_question(void *user, uint64_t item, brink_text *question) {
  const brink_crew *c = user;
  const brink_text *asked = &c->questions[item - c->base];
  brink_text_append(question, asked->data, asked->length);
}

static bool take_answer(void *user, uint64_t item, const void *data, size_t size) {
  brink_crew *c = user;
  brink_text *answer = &c->answers[item - c->base];
  brink_text_append(answer, data, size);
  if (answer->failed) fail_memory(c);
  return !answer->failed;
}

/* ---- the object ---- */

static void start_threads(brink_crew *c) {
  pthread_mutex_lock(&c->lock);
  for (; c->started < c->def.jobs; c->started++) {
    seat *s = &c->seats[c->started];
    s->crew = c;
    if (pthread_create(&s->thread, NULL, thread_main, s) != 0) break;
    c->running++;
  }
  pthread_mutex_unlock(&c->lock);
}

brink_status brink_crew_start(const brink_crew_def *def, brink_diag *diag, brink_crew **crew) {
  *crew = NULL;
  brink_crew *c = calloc(1, sizeof *c);
  seat *seats = calloc(def->jobs, sizeof *seats);
  if (c == NULL || seats == NULL) {
    free(c);
    free(seats);
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  }
  c->def = *def;
  c->seats = seats;
  brink_farm_def farm = {.ranks = def->ranks,
                         .jobs = def->jobs,
                         .patience = def->patience,
                         .one_by_one = true,
                         .look = look,
                         .next = next_item,
                         .question = put_question,
                         .result = take_answer,
                         .user = c};
  for (size_t k = 0; k < sizeof farm.fingerprint; k++) farm.fingerprint[k] = def->fingerprint[k];
  pthread_mutex_init(&c->lock, NULL);
  brink_status status = brink_farm_create(&farm, NULL, diag, &c->farm);
  if (status == BRINK_OK) start_threads(c);
  if (status == BRINK_OK && c->started == 0)
    status = brink_diag_set(diag, BRINK_ERR_MEMORY, "no thread can be started");
  if (status == BRINK_OK)
    *crew = c;
  else
    brink_crew_end(c);
  return status;
}

/* No more items; workers end, and nobody works after this. */
static void end_threads(brink_crew *c) {
  bool running = c->started > 0;
  if (running) brink_farm_close(c->farm);
  while (running) {
    pthread_mutex_lock(&c->lock);
    for (size_t k = 0; k < c->started; k++)
      if (c->seats[k].worker != NULL) c->def.stop(c->seats[k].worker);
    running = c->running > 0;
    pthread_mutex_unlock(&c->lock);
    if (running) c->def.ranks->nap(c->def.ranks->state, 1e-3);
  }
  for (size_t k = 0; k < c->started; k++) pthread_join(c->seats[k].thread, NULL);
  c->started = 0;
}

void brink_crew_end(brink_crew *crew) {
  if (crew == NULL) return;
  if (crew->def.ranks->rank == 0 && crew->farm != NULL) brink_farm_dismiss(crew->farm);
  end_threads(crew);
  for (size_t k = 0; k < crew->def.jobs; k++) brink_text_free(&crew->seats[k].answer);
  brink_farm_destroy(crew->farm);
  pthread_mutex_destroy(&crew->lock);
  free(crew->seats);
  free(crew);
}

size_t brink_crew_lost(const brink_crew *crew) {
  return brink_farm_lost(crew->farm);
}

/* ---- asking ---- */

/* What threads of this process had when they were stopped. */
static void collect_answers(brink_crew *c) {
  for (size_t k = 0; k < c->def.jobs; k++) {
    seat *s = &c->seats[k];
    if (s->answer.length == 0 || s->item < c->base || s->item >= c->base + c->count) continue;
    brink_text *answer = &c->answers[s->item - c->base];
    if (answer->length > 0) continue;
    *answer = s->answer;
    s->answer = (brink_text){0};
  }
}

brink_status brink_crew_ask(brink_crew *crew, const brink_text *questions, brink_text *answers,
                            size_t count, brink_diag *diag) {
  if (crew->stopped) return BRINK_CANCELLED;
  crew->base = crew->next;
  crew->count = count;
  crew->questions = questions;
  crew->answers = answers;
  brink_diag farm_diag;
  brink_status status = brink_farm_lead(crew->farm, &farm_diag);
  if (crew->stopped) {
    end_threads(crew);
    brink_farm_salvage(crew->farm);
    collect_answers(crew);
  }
  pthread_mutex_lock(&crew->lock);
  if (crew->status != BRINK_OK) {
    status = crew->status;
    farm_diag = crew->diag;
  }
  pthread_mutex_unlock(&crew->lock);
  if (status != BRINK_OK && diag != NULL) *diag = farm_diag;
  if (status != BRINK_OK) return status;
  return crew->stopped ? BRINK_CANCELLED : BRINK_OK;
}

brink_status brink_crew_follow(brink_crew *crew, brink_diag *diag) {
  brink_diag farm_diag;
  brink_status status = brink_farm_serve(crew->farm, &farm_diag);
  if (status != BRINK_OK && diag != NULL) *diag = farm_diag;
  return status;
}
