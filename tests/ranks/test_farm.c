/* test_farm.c: items handed out to ranks, results in order, whatever becomes of the ranks. The ranks are threads. */
#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "ranks/farm.h"
#include "support/thread_ranks.h"

enum { RANKS = 5, JOBS = 2 };

/* ---- one farm ---- */

typedef struct trial {
  size_t ranks;
  uint64_t items, stride; /* 0, stride, 2 stride, … */
  uint64_t stop_after;    /* results; 0: never */
  size_t dies;            /* this rank, after its first items; 0: none */
  size_t differs;         /* this rank has another fingerprint; 0: none */
  size_t fails;           /* this rank cannot begin; 0: none */
  double patience;
  /* what came of it */
  thread_post post;
  uint64_t next, results;
  bool in_order;
  atomic_size_t by[RANKS]; /* items computed by each rank */
  size_t lost;
  brink_status status[RANKS];
  brink_diag diag[RANKS];
} trial;

typedef struct member {
  trial *trial;
  thread_place place;
  brink_farm *farm;
} member;

static bool next_item(void *user, uint64_t *item) {
  trial *t = user;
  if (t->next == t->items) return false;
  *item = t->stride * t->next++;
  return true;
}

/* Results have different lengths. */
static size_t compute(uint64_t item, char text[64]) {
  return (size_t)snprintf(text, 64, "%llu:%.*s", (unsigned long long)(item * item), (int)(item % 7),
                          "abcdefg");
}

static bool take_result(void *user, uint64_t item, const void *data, size_t size) {
  trial *t = user;
  char expected[64];
  if (item != t->stride * t->results || size != compute(item, expected) ||
      memcmp(data, expected, size) != 0)
    t->in_order = false;
  t->results++;
  return t->results != t->stop_after;
}

static bool look(void *user, const char **reason) {
  (void)user, (void)reason;
  return false;
}

static void *work(void *user) {
  member *m = user;
  uint64_t item;
  char text[64];
  while (brink_farm_take(m->farm, &item)) {
    size_t size = compute(item, text), dies = m->trial->dies;
    if (dies > 0 && m->place.rank == dies) m->trial->post.dead[dies] = true;
    while (dies > 0 && !m->trial->post.dead[dies])
      thread_nap(NULL, 1e-3); /* all others wait for that */
    m->trial->by[m->place.rank]++;
    brink_farm_give(m->farm, item, text, size);
  }
  return NULL;
}

static void *be_rank(void *user) {
  member *m = user;
  trial *t = m->trial;
  size_t rank = m->place.rank;
  brink_ranks ranks = thread_ranks_at(&m->place, t->ranks);
  brink_farm_def def = {.ranks = &ranks,
                        .fingerprint = {rank > 0 && rank == t->differs},
                        .jobs = JOBS,
                        .patience = t->patience,
                        .look = look,
                        .next = next_item,
                        .result = take_result,
                        .user = t};
  if (rank > 0 && rank == t->fails) {
    brink_farm_leave(&ranks, "there is no model here");
    return NULL;
  }
  t->status[rank] = brink_farm_create(&def, NULL, &t->diag[rank], &m->farm);
  pthread_t threads[JOBS];
  for (size_t k = 0; k < JOBS; k++) pthread_create(&threads[k], NULL, work, m);
  t->status[rank] = brink_farm_serve(m->farm, &t->diag[rank]);
  for (size_t k = 0; k < JOBS; k++) pthread_join(threads[k], NULL);
  if (rank == 0) t->lost = brink_farm_lost(m->farm);
  brink_farm_destroy(m->farm);
  thread_place_close(&m->place);
  return NULL;
}

static void run_trial(trial *t) {
  member members[RANKS];
  pthread_t threads[RANKS];
  if (t->patience == 0) t->patience = 600;
  if (t->stride == 0) t->stride = 1;
  t->in_order = true;
  pthread_mutex_init(&t->post.lock, NULL);
  for (size_t k = 0; k < t->ranks; k++) {
    members[k] = (member){.trial = t, .place = {.post = &t->post, .rank = k}};
    pthread_create(&threads[k], NULL, be_rank, &members[k]);
  }
  for (size_t k = 0; k < t->ranks; k++) pthread_join(threads[k], NULL);
  thread_post_empty(&t->post);
  pthread_mutex_destroy(&t->post.lock);
}

/* ---- claims ---- */

TEST(all_results_arrive_in_order_with_any_number_of_ranks) {
  for (size_t ranks = 1; ranks <= RANKS; ranks++) {
    trial t = {.ranks = ranks, .items = 3000};
    run_trial(&t);
    CHECK_INT(t.results, 3000);
    CHECK(t.in_order);
    CHECK_INT(t.lost, 0);
    for (size_t k = 0; k < ranks; k++) CHECK_INT(t.status[k], BRINK_OK);
  }
}

TEST(items_may_have_gaps) {
  trial t = {.ranks = 3, .items = 500, .stride = 13};
  run_trial(&t);
  CHECK_INT(t.results, 500);
  CHECK(t.in_order);
}

TEST(no_items_are_no_work) {
  trial t = {.ranks = 3};
  run_trial(&t);
  CHECK_INT(t.results, 0);
  CHECK_INT(t.status[2], BRINK_OK);
}

/* More than the window of hand_out.c holds. */
TEST(many_items_pass_through_a_window) {
  trial t = {.ranks = 2, .items = 200000};
  run_trial(&t);
  CHECK_INT(t.results, 200000);
  CHECK(t.in_order);
}

TEST(a_rank_that_dies_costs_no_result) {
  trial t = {.ranks = 4, .items = 2000, .dies = 2, .patience = 0.5};
  run_trial(&t);
  CHECK_INT(t.results, 2000);
  CHECK(t.in_order);
  CHECK_INT(t.status[0], BRINK_OK);
  CHECK(t.by[2] > 0);
  CHECK(t.lost >= 1);
  CHECK_INT(t.status[2], BRINK_ERR_CALLBACK);
  CHECK_CONTAINS(t.diag[2].message, "hears nothing of rank 0");
}

TEST(a_rank_with_other_work_ends_the_farm) {
  trial t = {.ranks = 3, .items = UINT64_MAX, .differs = 2};
  run_trial(&t);
  CHECK_INT(t.status[0], BRINK_ERR_UNSUPPORTED);
  CHECK_CONTAINS(t.diag[0].message, "rank 2 has other work");
  CHECK_INT(t.by[2], 0);
  CHECK(t.in_order);
}

TEST(a_rank_that_cannot_begin_ends_the_farm_with_its_reason) {
  trial t = {.ranks = 3, .items = UINT64_MAX, .fails = 1};
  run_trial(&t);
  CHECK_INT(t.status[0], BRINK_ERR_CALLBACK);
  CHECK_CONTAINS(t.diag[0].message, "rank 1: there is no model here");
  CHECK_INT(t.status[2], BRINK_OK);
}

TEST(a_caller_that_wants_no_more_stops_all_ranks) {
  trial t = {.ranks = 3, .items = UINT64_MAX, .stop_after = 100};
  run_trial(&t);
  CHECK_INT(t.results, 100);
  CHECK_INT(t.status[0], BRINK_OK);
  CHECK_INT(t.status[1], BRINK_OK);
}

int main(void) {
  RUN(all_results_arrive_in_order_with_any_number_of_ranks);
  RUN(items_may_have_gaps);
  RUN(no_items_are_no_work);
  RUN(many_items_pass_through_a_window);
  RUN(a_rank_that_dies_costs_no_result);
  RUN(a_rank_with_other_work_ends_the_farm);
  RUN(a_rank_that_cannot_begin_ends_the_farm_with_its_reason);
  RUN(a_caller_that_wants_no_more_stops_all_ranks);
  return check_done();
}
