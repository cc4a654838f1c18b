/* farm.c: items for the threads of one rank, and what they give back; messages between ranks. See farm.h. */
#include "ranks/farm_parts.h"

#include <string.h>

/* ---- the object ---- */

brink_status brink_farm_create(const brink_farm_def *def, const brink_allocator *allocator,
                               brink_diag *diag, brink_farm **farm) {
  *farm = NULL;
  if (def->jobs == 0 || !(def->patience > 0))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "a farm needs threads and patience");
  brink_farm *f = brink_allocate(allocator, 1, sizeof *f);
  if (f == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  f->def = *def;
  if (allocator != NULL) f->allocator = *allocator;
  f->results.allocator = f->allocator;
  pthread_mutex_init(&f->lock, NULL);
  pthread_cond_init(&f->filled, NULL);
  *farm = f;
  return BRINK_OK;
}

void brink_farm_destroy(brink_farm *farm) {
  if (farm == NULL) return;
  brink_allocator allocator = farm->allocator;
  brink_release(&allocator, farm->items, farm->items_capacity, sizeof *farm->items);
  brink_text_free(&farm->results);
  pthread_cond_destroy(&farm->filled);
  pthread_mutex_destroy(&farm->lock);
  brink_release(&allocator, farm, 1, sizeof *farm);
}

size_t brink_farm_lost(const brink_farm *farm) {
  return farm->lost;
}

brink_status brink_farm_serve(brink_farm *farm, brink_diag *diag) {
  brink_status status =
      farm->def.ranks->rank == 0 ? brink_farm_hand_out(farm, diag) : brink_farm_follow(farm, diag);
  brink_farm_close(farm);
  return status;
}

/* ---- the threads of this rank ---- */

bool brink_farm_take(brink_farm *farm, uint64_t *item) {
  pthread_mutex_lock(&farm->lock);
  while (!farm->closed && farm->items_first == farm->items_count)
    pthread_cond_wait(&farm->filled, &farm->lock);
  bool taken = !farm->closed;
  if (taken) *item = farm->items[farm->items_first++];
  pthread_mutex_unlock(&farm->lock);
  return taken;
}

void brink_farm_give(brink_farm *farm, uint64_t item, const void *data, size_t size) {
  uint64_t head[2] = {item, size};
  pthread_mutex_lock(&farm->lock);
  if (!farm->closed) {
    brink_text_append(&farm->results, (const char *)head, sizeof head);
    if (size > 0) brink_text_append(&farm->results, data, size);
    farm->nresults++;
  }
  pthread_mutex_unlock(&farm->lock);
}

bool brink_farm_closed(brink_farm *farm) {
  pthread_mutex_lock(&farm->lock);
  bool closed = farm->closed;
  pthread_mutex_unlock(&farm->lock);
  return closed;
}

/* ---- the thread that serves ---- */

bool brink_farm_fill(brink_farm *farm, const uint64_t *items, size_t count) {
  bool room = true;
  pthread_mutex_lock(&farm->lock);
  if (farm->items_first > 0) { /* what was taken makes room */
    farm->items_count -= farm->items_first;
    memmove(farm->items, farm->items + farm->items_first, farm->items_count * sizeof *items);
    farm->items_first = 0;
  }
  for (size_t k = 0; k < count && room; k++) {
    room = farm->items_count < farm->items_capacity ||
           brink_grow(&farm->allocator, (void **)&farm->items, farm->items_count,
                      &farm->items_capacity, sizeof *farm->items);
    if (room) farm->items[farm->items_count++] = items[k];
  }
  pthread_cond_broadcast(&farm->filled);
  pthread_mutex_unlock(&farm->lock);
  return room;
}

void brink_farm_close(brink_farm *farm) {
  pthread_mutex_lock(&farm->lock);
  farm->closed = true;
  pthread_cond_broadcast(&farm->filled);
  pthread_mutex_unlock(&farm->lock);
}

size_t brink_farm_collect(brink_farm *farm, brink_text *results) {
  pthread_mutex_lock(&farm->lock);
  size_t count = farm->nresults;
  if (count > 0 || farm->results.failed) {
    *results = farm->results;
    farm->results = (brink_text){.allocator = results->allocator};
    farm->nresults = 0;
  }
  pthread_mutex_unlock(&farm->lock);
  return count;
}

/* ---- messages ---- */

bool brink_farm_result_next(const char **data, size_t *size, brink_farm_result *result) {
  uint64_t head[2];
  if (*size < sizeof head) return false;
  memcpy(head, *data, sizeof head);
  if (head[1] > *size - sizeof head) return false;
  *result = (brink_farm_result){head[0], *data + sizeof head, (size_t)head[1]};
  *data += sizeof head + result->size;
  *size -= sizeof head + result->size;
  return true;
}

bool brink_message_send(const brink_ranks *ranks, size_t to, brink_message_kind kind, size_t count,
                        const void *data, size_t size) {
  brink_message head = {.kind = (uint32_t)kind, .count = (uint32_t)count};
  brink_text text = {0};
  brink_text_append(&text, (const char *)&head, sizeof head);
  if (size > 0) brink_text_append(&text, data, size);
  bool sent = !text.failed && ranks->send(ranks->state, to, text.data, text.length);
  brink_text_free(&text);
  return sent;
}

bool brink_message_receive(const brink_ranks *ranks, size_t *from, brink_message *message,
                           const char **data, size_t *size) {
  const void *bytes;
  if (!ranks->receive(ranks->state, from, &bytes, size)) return false;
  *message = (brink_message){.kind = UINT32_MAX};
  if (*size < sizeof *message) return true;
  memcpy(message, bytes, sizeof *message);
  *data = (const char *)bytes + sizeof *message;
  *size -= sizeof *message;
  return true;
}

void brink_farm_leave(const brink_ranks *ranks, const char *reason) {
  if (ranks->rank > 0)
    brink_message_send(ranks, 0, BRINK_MESSAGE_FAILED, 0, reason, strlen(reason));
  for (size_t k = 1; k < ranks->count && ranks->rank == 0; k++)
    brink_message_send(ranks, k, BRINK_MESSAGE_STOP, 0, NULL, 0);
}
