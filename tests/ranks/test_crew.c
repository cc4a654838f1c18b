/* test_crew.c: questions that depend on earlier answers, asked of threads of one process and of several ranks; stops and failures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ranks/crew.h"
#include "support/thread_ranks.h"

enum { QUESTIONS = 40, ROUNDS = 5 };

/* A worker squares numbers; one that is asked for 999 works until it is stopped, and then says what it has. */
typedef struct worker {
  atomic_bool stopped;
} worker;

typedef struct office {
  size_t mortal;       /* rank that dies before its first answer; 0: none */
  bool refuses;        /* no worker can be made on rank 1 */
  size_t looks, stops; /* how often `look` was called; when it says stop; 0: never */
  size_t lost;
  brink_status status[THREAD_RANKS];
  brink_diag diag[THREAD_RANKS];
  unsigned long sum;
} office;

typedef struct desk {
  office *office;
  size_t rank;
} desk;

static void *open_worker(void *user, brink_diag *diag) {
  const desk *d = user;
  if (d->office->refuses && d->rank == 1) {
    brink_diag_set(diag, BRINK_ERR_MEMORY, "there is no chair");
    return NULL;
  }
  return calloc(1, sizeof(worker));
}

static void answer(void *user, const brink_text *question, brink_text *text) {
  worker *w = user;
  unsigned long number = strtoul(question->data, NULL, 10);
  while (number == 999 && !atomic_load(&w->stopped)) thread_nap(NULL, 1e-3);
  brink_text_add(text, "%lu", number == 999 ? 7 : number * number);
}

static void stop_worker(void *user) {
  worker *w = user;
  atomic_store(&w->stopped, true);
}

static bool look(void *user) {
  desk *d = user;
  if (d->rank > 0) return false;
  d->office->looks++;
  return d->office->stops > 0 && d->office->looks > d->office->stops;
}

/* Numbers that follow from the answers of the round before. */
static brink_status ask_round(brink_crew *crew, unsigned long first, unsigned long *sum,
                              brink_diag *diag) {
  brink_text questions[QUESTIONS] = {0}, answers[QUESTIONS] = {0};
  for (size_t k = 0; k < QUESTIONS; k++) brink_text_add(&questions[k], "%lu", first + k);
  brink_status status = brink_crew_ask(crew, questions, answers, QUESTIONS, diag);
  *sum = 0;
  for (size_t k = 0; k < QUESTIONS; k++) {
    if (answers[k].length > 0) *sum += strtoul(answers[k].data, NULL, 10);
    brink_text_free(&questions[k]);
    brink_text_free(&answers[k]);
  }
  return status;
}

static void rank_main(brink_ranks *ranks, void *user) {
  office *o = user;
  desk d = {.office = o, .rank = ranks->rank};
  brink_crew *crew;
  brink_diag *diag = &o->diag[d.rank];
  brink_crew_def def = {.ranks = ranks,
                        .jobs = 2,
                        .patience = o->mortal > 0 ? 0.2 : 30.0,
                        .open = open_worker,
                        .close = free,
                        .answer = answer,
                        .stop = stop_worker,
                        .look = look,
                        .user = &d};
  if ((o->mortal > 0 || o->refuses) && d.rank == 0) thread_ranks_await(ranks, ranks->count - 1);
  if (o->mortal > 0 && d.rank == o->mortal) thread_ranks_die_at(ranks, 2);
  brink_status status = brink_crew_start(&def, diag, &crew);
  if (status == BRINK_OK && d.rank > 0) status = brink_crew_follow(crew, diag);
  for (size_t k = 0; k < ROUNDS && status == BRINK_OK && d.rank == 0; k++)
    status = ask_round(crew, o->sum % 100, &o->sum, diag);
  o->status[d.rank] = status;
  if (d.rank == 0 && crew != NULL) o->lost = brink_crew_lost(crew);
  brink_crew_end(crew);
}

static unsigned long expected(void) {
  unsigned long sum = 0;
  for (size_t k = 0; k < ROUNDS; k++) {
    unsigned long first = sum % 100;
    sum = 0;
    for (size_t q = 0; q < QUESTIONS; q++) sum += (first + q) * (first + q);
  }
  return sum;
}

TEST(answers_of_one_round_make_the_questions_of_the_next_with_any_number_of_ranks) {
  for (size_t count = 1; count <= 4; count++) {
    office o = {0};
    thread_ranks_run(count, rank_main, &o);
    for (size_t k = 0; k < count; k++)
      CHECK_MSG(o.status[k] == BRINK_OK, "rank %zu of %zu: %s", k, count, o.diag[k].message);
    CHECK_MSG(o.sum == expected(), "%zu ranks", count);
  }
}

TEST(a_process_alone_is_a_crew_too) {
  office o = {0};
  brink_ranks alone = brink_ranks_alone();
  rank_main(&alone, &o);
  CHECK(o.status[0] == BRINK_OK && o.sum == expected() && o.lost == 0);
}

TEST(the_work_of_a_rank_that_dies_is_done_by_others) {
  office o = {.mortal = 1};
  thread_ranks_run(3, rank_main, &o);
  CHECK_MSG(o.status[0] == BRINK_OK, "%s", o.diag[0].message);
  CHECK(o.sum == expected() && o.lost == 1);
}

TEST(a_rank_that_cannot_make_a_worker_ends_all_with_its_reason) {
  office o = {.refuses = true};
  thread_ranks_run(3, rank_main, &o);
  CHECK(o.status[0] == BRINK_ERR_CALLBACK);
  CHECK_CONTAINS(o.diag[0].message, "there is no chair");
}

TEST(who_is_stopped_says_what_there_is_and_is_not_asked_again) {
  static const char *const numbers[] = {"3", "999", "4", "999", "5"};
  office o = {.stops = 20};
  desk d = {.office = &o};
  brink_ranks alone = brink_ranks_alone();
  brink_crew_def def = {.ranks = &alone,
                        .jobs = 2,
                        .patience = 1.0,
                        .open = open_worker,
                        .close = free,
                        .answer = answer,
                        .stop = stop_worker,
                        .look = look,
                        .user = &d};
  brink_crew *crew;
  brink_diag diag;
  brink_text questions[5] = {0}, answers[5] = {0};
  CHECK(brink_crew_start(&def, &diag, &crew) == BRINK_OK);
  for (size_t k = 0; k < 5; k++) brink_text_add(&questions[k], "%s", numbers[k]);
  CHECK(brink_crew_ask(crew, questions, answers, 5, &diag) == BRINK_CANCELLED);
  CHECK(answers[0].length > 0 && strcmp(answers[0].data, "9") == 0);
  CHECK(answers[1].length > 0 && strcmp(answers[1].data, "7") == 0);  /* under way */
  CHECK(answers[2].length > 0 && strcmp(answers[2].data, "16") == 0); /* behind it */
  CHECK(answers[3].length > 0 && strcmp(answers[3].data, "7") == 0);
  CHECK(answers[4].length == 0); /* nobody came to it */
  CHECK(brink_crew_ask(crew, questions, answers, 1, &diag) == BRINK_CANCELLED);
  brink_crew_end(crew);
  for (size_t k = 0; k < 5; k++) {
    brink_text_free(&questions[k]);
    brink_text_free(&answers[k]);
  }
}

int main(void) {
  RUN(answers_of_one_round_make_the_questions_of_the_next_with_any_number_of_ranks);
  RUN(a_process_alone_is_a_crew_too);
  RUN(the_work_of_a_rank_that_dies_is_done_by_others);
  RUN(a_rank_that_cannot_make_a_worker_ends_all_with_its_reason);
  RUN(who_is_stopped_says_what_there_is_and_is_not_asked_again);
  return check_done();
}
