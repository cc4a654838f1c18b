/* follow.c: serving on a rank that is not rank 0: items come, results go. */
#include "ranks/farm_parts.h"

/* Rank 0 may take longer than others before it answers at first: they wait for its model, too. */
#define FIRST_ANSWER 20
#define LATER_ANSWER 2 /* it also writes the table, to a disk that may be slow */

typedef struct follower {
  brink_farm *farm;
  const brink_ranks *ranks;
  double sent, heard; /* when: to and from rank 0 */
  bool answered;
  bool stopped;
  bool memory_failed;
} follower;

static void say(follower *f, brink_message_kind kind, size_t count, const void *data, size_t size) {
  if (!brink_message_send(f->ranks, 0, kind, count, data, size)) f->memory_failed = true;
  f->sent = f->ranks->now(f->ranks->state);
}

/* All that has arrived. True: something has. */
static bool hear_all(follower *f) {
  size_t from, size;
  brink_message message;
  const char *data = NULL;
  bool any = false;
  while (!f->stopped && brink_message_receive(f->ranks, &from, &message, &data, &size)) {
    any = f->answered = true;
    f->heard = f->ranks->now(f->ranks->state);
    if (message.kind == BRINK_MESSAGE_WORK && !brink_farm_fill(f->farm, data, size))
      f->memory_failed = true;
    if (message.kind == BRINK_MESSAGE_STOP) {
      f->stopped = true;
      f->farm->lost = message.count;
    }
  }
  return any;
}

static bool send_results(follower *f) {
  brink_text results = {0};
  size_t count = brink_farm_collect(f->farm, &results);
  if (results.failed) f->memory_failed = true;
  if (count > 0) say(f, BRINK_MESSAGE_RESULTS, count, results.data, results.length);
  brink_text_free(&results);
  return count > 0;
}

static bool rank_0_is_silent(const follower *f) {
  double wait = f->farm->def.patience * (f->answered ? LATER_ANSWER : FIRST_ANSWER);
  return f->ranks->now(f->ranks->state) - f->heard > wait;
}

/* Is there a reason to end before rank 0 says so? */
static brink_status examine(follower *f, brink_diag *diag) {
  const brink_farm_def *def = &f->farm->def;
  const char *reason = "interrupted";
  if (f->memory_failed) {
    brink_farm_leave(f->ranks, "out of memory");
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  }
  if (rank_0_is_silent(f)) {
    f->farm->lost++;
    return brink_diag_set(diag, BRINK_ERR_CALLBACK, "rank %zu hears nothing of rank 0 any more",
                          f->ranks->rank);
  }
  if (!f->stopped && def->look(def->user, &reason)) {
    brink_farm_leave(f->ranks, reason);
    return brink_diag_set(diag, BRINK_ERR_CALLBACK, "%s", reason);
  }
  return BRINK_OK;
}

brink_status brink_farm_follow(brink_farm *farm, brink_diag *diag) {
  const brink_ranks *ranks = farm->def.ranks;
  follower f = {.farm = farm, .ranks = ranks, .heard = ranks->now(ranks->state)};
  double nap = BRINK_FARM_NAP_FIRST, beat = farm->def.patience / BRINK_FARM_BEATS;
  brink_status status = BRINK_OK;
  say(&f, BRINK_MESSAGE_HELLO, farm->def.jobs, farm->def.fingerprint, BRINK_FARM_FINGERPRINT);
  while (!f.stopped && status == BRINK_OK) {
    bool any = hear_all(&f);
    any = send_results(&f) || any;
    if (ranks->now(ranks->state) - f.sent > beat) say(&f, BRINK_MESSAGE_ALIVE, 0, NULL, 0);
    status = examine(&f, diag);
    nap = any ? BRINK_FARM_NAP_FIRST : 2 * nap;
    if (nap > BRINK_FARM_NAP_LONGEST) nap = BRINK_FARM_NAP_LONGEST;
    if (!any) ranks->nap(ranks->state, nap);
  }
  return status;
}
