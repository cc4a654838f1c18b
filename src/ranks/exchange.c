/* exchange.c: messages between ranks that take part in the same work. See exchange.h. */
#include "ranks/exchange.h"

#include <string.h>

#define NAP 3e-5 /* seconds between two looks at the post */
enum { DATA = 'd', LEAVE = 'l', WORDS = 400, LARGEST = 0x7ffffff0 };

/* A message that came before it was asked for. */
typedef struct letter {
  struct letter *next;
  size_t size;
  char data[];
} letter;

struct brink_exchange {
  brink_arena arena; /* of all but messages */
  const brink_ranks *ranks;
  brink_allocator allocator;
  double patience;
  letter **first, **last; /* of each rank */
  double *waited;
  letter *open;    /* the one that was handed out last */
  brink_text room; /* for what is sent */
};

/* ---- creation ---- */

static void release_letter(const brink_exchange *x, letter *l) {
  if (l != NULL) brink_release(&x->allocator, l, 1, sizeof *l + l->size);
}

brink_exchange *brink_exchange_create(const brink_ranks *ranks, double patience,
                                      const brink_allocator *allocator) {
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_exchange *x = brink_arena_take(&arena, 1, sizeof *x);
  letter **first = brink_arena_take(&arena, ranks->count, sizeof *first);
  letter **last = brink_arena_take(&arena, ranks->count, sizeof *last);
  double *waited = brink_arena_take(&arena, ranks->count, sizeof *waited);
  if (arena.failed) {
    brink_arena_free(&arena);
    return NULL;
  }
  *x = (brink_exchange){.arena = arena,
                        .ranks = ranks,
                        .allocator = arena.allocator,
                        .patience = patience,
                        .first = first,
                        .last = last,
                        .waited = waited,
                        .room = {.allocator = arena.allocator}};
  return x;
}

void brink_exchange_destroy(brink_exchange *x) {
  if (x == NULL) return;
  for (size_t k = 0; k < x->ranks->count; k++) {
    for (letter *l = x->first[k], *next; l != NULL; l = next) {
      next = l->next;
      release_letter(x, l);
    }
  }
  release_letter(x, x->open);
  brink_text_free(&x->room);
  brink_arena arena = x->arena; /* the object itself lives in it */
  brink_arena_free(&arena);
}

double brink_exchange_waited(const brink_exchange *x, size_t from) {
  return x->waited[from];
}

/* ---- sending ---- */

brink_status brink_exchange_send(brink_exchange *x, size_t to, const void *data, size_t size,
                                 brink_diag *diag) {
  const char kind = DATA;
  if (size > LARGEST)
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                          "a message of %zu bytes is too large: take more ranks", size);
  x->room.length = 0;
  brink_text_append(&x->room, &kind, 1);
  if (size > 0) brink_text_append(&x->room, data, size);
  if (x->room.failed || !x->ranks->send(x->ranks->state, to, x->room.data, x->room.length))
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for a message to rank %zu", to);
  return BRINK_OK;
}

void brink_exchange_leave(const brink_ranks *ranks, const char *words) {
  char message[WORDS] = {LEAVE};
  size_t length = strlen(words);
  if (length > sizeof message - 2) length = sizeof message - 2;
  memcpy(message + 1, words, length);
  for (size_t k = 0; k < ranks->count; k++) {
    if (k != ranks->rank) ranks->send(ranks->state, k, message, length + 1);
  }
}

/* ---- receiving ---- */

static brink_status given_up(brink_diag *diag, size_t from, const char *words, size_t length) {
  return brink_diag_set(diag, BRINK_ERR_CALLBACK, "rank %zu: %.*s", from, (int)length, words);
}

/* The message that was kept longest. */
static letter *take_kept(brink_exchange *x, size_t from) {
  letter *l = x->first[from];
  if (l != NULL) x->first[from] = l->next;
  return l;
}

static bool keep(brink_exchange *x, size_t from, const void *data, size_t size) {
  letter *l = brink_allocate(&x->allocator, 1, sizeof *l + size);
  if (l == NULL) return false;
  *l = (letter){.size = size};
  memcpy(l->data, data, size);
  if (x->first[from] == NULL)
    x->first[from] = l;
  else
    x->last[from]->next = l;
  x->last[from] = l;
  return true;
}

/* The next message that arrives from this rank; those of others are kept. */
static brink_status await(brink_exchange *x, size_t from, const void **data, size_t *size,
                          brink_diag *diag) {
  const brink_ranks *ranks = x->ranks;
  double since = ranks->now(ranks->state);
  for (;;) {
    size_t who;
    if (!ranks->receive(ranks->state, &who, data, size)) {
      if (ranks->now(ranks->state) - since > x->patience)
        return brink_diag_set(diag, BRINK_ERR_CALLBACK,
                              "nothing was heard of rank %zu for %.3g s: it is given up", from,
                              x->patience);
      ranks->nap(ranks->state, NAP);
      continue;
    }
    const char *bytes = *data;
    if (who >= ranks->count || *size == 0 || (bytes[0] != DATA && bytes[0] != LEAVE))
      return brink_diag_set(diag, BRINK_ERR_CALLBACK, "a message of rank %zu makes no sense", who);
    if (bytes[0] == LEAVE) return given_up(diag, who, bytes + 1, *size - 1);
    if (who == from) break;
    if (!keep(x, who, *data, *size))
      return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for messages");
  }
  x->waited[from] += ranks->now(ranks->state) - since;
  return BRINK_OK;
}

brink_status brink_exchange_receive(brink_exchange *x, size_t from, const void **data, size_t *size,
                                    brink_diag *diag) {
  release_letter(x, x->open);
  x->open = take_kept(x, from);
  brink_status status = BRINK_OK;
  if (x->open != NULL) {
    *data = x->open->data;
    *size = x->open->size;
  } else {
    status = await(x, from, data, size, diag);
  }
  if (status != BRINK_OK) return status;
  *data = (const char *)*data + 1;
  *size -= 1;
  return BRINK_OK;
}
