/* hand_out.c: serving on rank 0: items are handed out, results come back in any order and leave in theirs.
 *
 * A rank gets as many items as it has threads, and a new one whenever one is done. Where items are so short that messages
 * would take longer than they do, it gets more at once: what it does in PREFETCH seconds. Items that are handed out, or done
 * but behind one that is not, are in a window of WINDOW slots; memory does not grow with the number of items. */
#include <string.h>

#include "ranks/farm_parts.h"

#define PREFETCH 0.05 /* seconds: 50 times the longest nap, and little at the end of a sweep */
enum {
  WINDOW = 1 << 16, /* slots; a power of 2 */
  MOST = 4096,      /* items that a rank has at once, beyond one for each thread */
};

typedef enum slot_state { SLOT_WAITS, SLOT_OUT, SLOT_DONE } slot_state;

typedef struct slot {
  uint64_t item;
  slot_state state;
  size_t owner; /* OUT: which rank has it */
  brink_text data;
} slot;

typedef struct client {
  bool greeted, gone;
  size_t jobs;
  size_t out;         /* items that it has */
  double done, since; /* results, from when on */
  double heard;       /* when */
} client;

struct brink_farm_leader {
  brink_arena arena; /* of the arrays below, and of this */
  brink_farm *farm;
  const brink_ranks *ranks;
  client *clients;     /* one for each rank; 0: the threads of this one */
  slot *slots;         /* WINDOW; number n is at n % WINDOW */
  uint64_t first, end; /* numbers of the slots in use */
  size_t waiting;      /* slots whose rank was given up */
  bool exhausted;      /* there are no more items */
  bool halt;           /* by the caller, or by a failure */
  brink_status status;
  brink_diag *diag;
};

typedef brink_farm_leader leader;

static slot *slot_at(const leader *l, uint64_t number) {
  return &l->slots[number % WINDOW];
}

static void fail_memory(leader *l) {
  l->status = brink_diag_set(l->diag, BRINK_ERR_MEMORY, "out of memory");
  l->halt = true;
}

/* ---- results ---- */

/* Items grow with the numbers of their slots. NULL: the item has left already. */
static slot *find_item(const leader *l, uint64_t item) {
  uint64_t low = l->first, high = l->end;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (slot_at(l, middle)->item < item)
      low = middle + 1;
    else
      high = middle;
  }
  return low < l->end && slot_at(l, low)->item == item ? slot_at(l, low) : NULL;
}

/* The first result of an item counts, whoever sends it. */
static void keep_result(leader *l, const brink_farm_part *result) {
  slot *s = find_item(l, result->item);
  if (s == NULL || s->state == SLOT_DONE) return;
  if (s->state == SLOT_OUT)
    l->clients[s->owner].out--;
  else
    l->waiting--;
  s->state = SLOT_DONE;
  brink_text_append(&s->data, result->data, result->size);
  if (s->data.failed) fail_memory(l);
}

static void keep_results(leader *l, size_t from, const char *data, size_t size) {
  brink_farm_part result;
  while (brink_farm_part_next(&data, &size, &result)) {
    l->clients[from].done++;
    keep_result(l, &result);
  }
}

/* To the caller, in order. True: something was. */
static bool deliver(leader *l) {
  bool any = false;
  while (!l->halt && l->first < l->end && slot_at(l, l->first)->state == SLOT_DONE) {
    slot *s = slot_at(l, l->first++);
    if (!l->farm->def.result(l->farm->def.user, s->item, s->data.data, s->data.length))
      l->halt = true;
    brink_text_free(&s->data);
    any = true;
  }
  return any;
}

/* ---- what ranks say ---- */

static void greet(leader *l, size_t from, const brink_message *message, const char *data,
                  size_t size) {
  client *c = &l->clients[from];
  if (size != BRINK_FARM_FINGERPRINT ||
      memcmp(data, l->farm->def.fingerprint, BRINK_FARM_FINGERPRINT) != 0) {
    l->status = brink_diag_set(
        l->diag, BRINK_ERR_UNSUPPORTED,
        "rank %zu has other work than rank 0: every machine must have the same version of Brink, "
        "the same model, files and options",
        from);
    l->halt = true;
    return;
  }
  c->greeted = true;
  c->jobs = message->count > 0 ? message->count : 1;
  c->since = c->heard;
}

static void hear(leader *l, size_t from, const brink_message *message, const char *data,
                 size_t size) {
  client *c = &l->clients[from];
  c->heard = l->ranks->now(l->ranks->state);
  c->gone = false; /* it was slow, not dead */
  switch (message->kind) {
  case BRINK_MESSAGE_HELLO:
    greet(l, from, message, data, size);
    break;
  case BRINK_MESSAGE_RESULTS:
    keep_results(l, from, data, size);
    return;
  case BRINK_MESSAGE_FAILED:
    l->status = brink_diag_set(l->diag, BRINK_ERR_CALLBACK, "rank %zu: %.*s", from,
                               size < 400 ? (int)size : 400, data);
    l->halt = true;
    return;
  default:
    break;
  }
  if (!brink_message_send(l->ranks, from, BRINK_MESSAGE_ALIVE, 0, NULL, 0)) fail_memory(l);
}

static bool hear_all(leader *l) {
  size_t from, size;
  brink_message message;
  const char *data = NULL;
  bool any = false;
  while (!l->halt && brink_message_receive(l->ranks, &from, &message, &data, &size)) {
    if (from < l->ranks->count) hear(l, from, &message, data, size);
    any = true;
  }
  return any;
}

static bool collect_own(leader *l) {
  brink_text results = {0};
  size_t count = brink_farm_collect(l->farm, &results);
  if (results.failed)
    fail_memory(l);
  else if (count > 0)
    keep_results(l, 0, results.data, results.length);
  brink_text_free(&results);
  return count > 0;
}

/* ---- ranks that say nothing ---- */

static void give_up(leader *l, size_t rank) {
  l->clients[rank].gone = true;
  l->clients[rank].out = 0;
  l->farm->lost++;
  for (uint64_t n = l->first; n < l->end; n++) {
    slot *s = slot_at(l, n);
    if (s->state != SLOT_OUT || s->owner != rank) continue;
    s->state = SLOT_WAITS;
    l->waiting++;
  }
}

static void look_for_silence(leader *l) {
  double now = l->ranks->now(l->ranks->state);
  for (size_t k = 1; k < l->ranks->count; k++) {
    const client *c = &l->clients[k];
    if (c->greeted && !c->gone && now - c->heard > l->farm->def.patience) give_up(l, k);
  }
}

/* ---- handing out ---- */

/* A slot that waits, or one for the next item; NULL: neither. */
static slot *next_slot(leader *l) {
  for (uint64_t n = l->first; n < l->end && l->waiting > 0; n++)
    if (slot_at(l, n)->state == SLOT_WAITS) {
      l->waiting--;
      return slot_at(l, n);
    }
  if (l->exhausted || l->end - l->first == WINDOW) return NULL;
  slot *s = slot_at(l, l->end);
  *s = (slot){.data = {.allocator = l->farm->allocator}};
  l->exhausted = !l->farm->def.next(l->farm->def.user, &s->item);
  if (l->exhausted) return NULL;
  l->end++;
  return s;
}

/* How many items a rank should have. */
static size_t depth(const leader *l, const client *c) {
  /* Threads of one process take from one list; ranks have their own. */
  if (l->farm->def.one_by_one) return l->ranks->count > 1 ? c->jobs : MOST;
  double elapsed = l->ranks->now(l->ranks->state) - c->since;
  double more = elapsed > 0 ? c->done / elapsed * PREFETCH : 0;
  return c->jobs + (size_t)(more < MOST ? more : MOST);
}

static bool hand_to(leader *l, size_t rank) {
  client *c = &l->clients[rank];
  if (!c->greeted || c->gone) return false;
  size_t wanted = depth(l, c), count = 0;
  brink_text work = {.allocator = l->farm->allocator}, question = work;
  if (c->out >= c->jobs && c->out > wanted / 2) return false;
  while (c->out + count < wanted && count < MOST) {
    slot *s = next_slot(l);
    if (s == NULL) break;
    s->state = SLOT_OUT;
    s->owner = rank;
    question.length = 0;
    if (l->farm->def.question != NULL) l->farm->def.question(l->farm->def.user, s->item, &question);
    brink_farm_part_add(&work, s->item, question.data, question.length);
    count++;
  }
  c->out += count;
  bool sent = !work.failed && !question.failed;
  if (sent && count > 0)
    sent = rank == 0 ? brink_farm_fill(l->farm, work.data, work.length)
                     : brink_message_send(l->ranks, rank, BRINK_MESSAGE_WORK, count, work.data,
                                          work.length);
  if (!sent) fail_memory(l);
  brink_text_free(&work);
  brink_text_free(&question);
  return count > 0;
}

static bool hand_out(leader *l) {
  bool any = false;
  for (size_t k = 0; k < l->ranks->count && !l->halt; k++) any = hand_to(l, k) || any;
  return any;
}

/* ---- the loop ---- */

static void lead(leader *l) {
  const brink_farm_def *def = &l->farm->def;
  const char *reason = NULL;
  double nap = BRINK_FARM_NAP_FIRST;
  while (!l->halt && !(l->exhausted && l->first == l->end)) {
    bool any = hear_all(l);
    any = collect_own(l) || any;
    any = deliver(l) || any;
    look_for_silence(l);
    any = hand_out(l) || any;
    if (def->look(def->user, &reason)) l->halt = true;
    nap = any ? BRINK_FARM_NAP_FIRST : 2 * nap;
    if (nap > BRINK_FARM_NAP_LONGEST) nap = BRINK_FARM_NAP_LONGEST;
    if (!any && l->ranks->count == 1) brink_farm_await(l->farm, BRINK_FARM_NAP_ALONE);
    if (!any && l->ranks->count > 1) l->ranks->nap(l->ranks->state, nap);
  }
}

/* On the first lead. NULL: no memory. */
static leader *make_leader(brink_farm *farm) {
  const brink_ranks *ranks = farm->def.ranks;
  brink_arena arena;
  brink_arena_init(&arena, &farm->allocator);
  leader *l = brink_arena_take(&arena, 1, sizeof *l);
  client *clients = brink_arena_take(&arena, ranks->count, sizeof *clients);
  slot *slots = brink_arena_take(&arena, WINDOW, sizeof *slots);
  if (arena.failed) {
    brink_arena_free(&arena);
    return NULL;
  }
  clients[0] = (client){.greeted = true, .jobs = farm->def.jobs, .since = ranks->now(ranks->state)};
  *l = (leader){.arena = arena, .farm = farm, .ranks = ranks, .clients = clients, .slots = slots};
  return l;
}

brink_status brink_farm_lead(brink_farm *farm, brink_diag *diag) {
  if (farm->leader == NULL) farm->leader = make_leader(farm);
  leader *l = farm->leader;
  if (l == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  l->exhausted = false;
  l->status = BRINK_OK;
  l->diag = diag;
  lead(l);
  return l->status;
}

void brink_farm_salvage(brink_farm *farm) {
  leader *l = farm->leader;
  if (l == NULL) return;
  collect_own(l);
  for (uint64_t n = l->first; n < l->end; n++) {
    const slot *s = slot_at(l, n);
    if (s->state == SLOT_DONE && !s->data.failed)
      farm->def.result(farm->def.user, s->item, s->data.data, s->data.length);
  }
}

void brink_farm_dismiss(brink_farm *farm) {
  const brink_ranks *ranks = farm->def.ranks;
  leader *l = farm->leader;
  farm->leader = NULL;
  for (size_t k = 1; k < ranks->count; k++)
    brink_message_send(ranks, k, BRINK_MESSAGE_STOP, farm->lost, NULL, 0);
  if (l == NULL) return;
  for (uint64_t n = l->first; n < l->end; n++) brink_text_free(&slot_at(l, n)->data);
  brink_arena arena = l->arena;
  brink_arena_free(&arena);
}
