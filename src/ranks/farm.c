/* farm.c: items for the threads of one rank, and what they give back; messages between ranks. See farm.h. */
#include "ranks/farm_parts.h"

#include <string.h>
#include <time.h>

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
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&f->given, &monotonic);
  pthread_condattr_destroy(&monotonic);
  *farm = f;
  return BRINK_OK;
}

void brink_farm_destroy(brink_farm *farm) {
  if (farm == NULL) return;
  brink_allocator allocator = farm->allocator;
  for (size_t k = farm->items_first; k < farm->items_count; k++)
    brink_text_free(&farm->items[k].question);
  brink_release(&allocator, farm->items, farm->items_capacity, sizeof *farm->items);
  brink_text_free(&farm->results);
  pthread_cond_destroy(&farm->filled);
  pthread_cond_destroy(&farm->given);
  pthread_mutex_destroy(&farm->lock);
  brink_release(&allocator, farm, 1, sizeof *farm);
}

size_t brink_farm_lost(const brink_farm *farm) {
  return farm->lost;
}

brink_status brink_farm_serve(brink_farm *farm, brink_diag *diag) {
  brink_status status;
  if (farm->def.ranks->rank == 0) {
    status = brink_farm_lead(farm, diag);
    brink_farm_dismiss(farm);
  } else {
    status = brink_farm_follow(farm, diag);
  }
  brink_farm_close(farm);
  return status;
}

/* ---- the threads of this rank ---- */

bool brink_farm_take_question(brink_farm *farm, uint64_t *item, brink_text *question) {
  brink_text_free(question);
  pthread_mutex_lock(&farm->lock);
  while (!farm->closed && farm->items_first == farm->items_count)
    pthread_cond_wait(&farm->filled, &farm->lock);
  bool taken = !farm->closed;
  if (taken) {
    brink_farm_item *first = &farm->items[farm->items_first++];
    *item = first->number;
    *question = first->question;
  }
  pthread_mutex_unlock(&farm->lock);
  return taken;
}

bool brink_farm_take(brink_farm *farm, uint64_t *item) {
  brink_text question = {0};
  bool taken = brink_farm_take_question(farm, item, &question);
  brink_text_free(&question);
  return taken;
}

bool brink_farm_give(brink_farm *farm, uint64_t item, const void *data, size_t size) {
  pthread_mutex_lock(&farm->lock);
  bool wanted = !farm->closed;
  if (wanted) {
    brink_farm_part_add(&farm->results, item, data, size);
    farm->nresults++;
    pthread_cond_signal(&farm->given);
  }
  pthread_mutex_unlock(&farm->lock);
  return wanted;
}

bool brink_farm_closed(brink_farm *farm) {
  pthread_mutex_lock(&farm->lock);
  bool closed = farm->closed;
  pthread_mutex_unlock(&farm->lock);
  return closed;
}

/* ---- the thread that serves ---- */

bool brink_farm_fill(brink_farm *farm, const char *data, size_t size) {
  brink_farm_part part;
  bool room = true;
  pthread_mutex_lock(&farm->lock);
  if (farm->items_first > 0) { /* what was taken makes room */
    farm->items_count -= farm->items_first;
    memmove(farm->items, farm->items + farm->items_first, farm->items_count * sizeof *farm->items);
    farm->items_first = 0;
  }
  while (room && brink_farm_part_next(&data, &size, &part)) {
    room = farm->items_count < farm->items_capacity ||
           brink_grow(&farm->allocator, (void **)&farm->items, farm->items_count,
                      &farm->items_capacity, sizeof *farm->items);
    if (!room) break;
    brink_farm_item *item = &farm->items[farm->items_count++];
    *item = (brink_farm_item){.number = part.item, .question = {.allocator = farm->allocator}};
    if (part.size > 0) brink_text_append(&item->question, part.data, part.size);
    room = !item->question.failed;
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

void brink_farm_await(brink_farm *farm, double length) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += (long)(1e9 * length);
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&farm->lock);
  if (farm->nresults == 0) pthread_cond_timedwait(&farm->given, &farm->lock, &until);
  pthread_mutex_unlock(&farm->lock);
}

/* ---- messages ---- */

void brink_farm_part_add(brink_text *message, uint64_t item, const void *data, size_t size) {
  uint64_t head[2] = {item, size};
  brink_text_append(message, (const char *)head, sizeof head);
  if (size > 0) brink_text_append(message, data, size);
}

bool brink_farm_part_next(const char **data, size_t *size, brink_farm_part *part) {
  uint64_t head[2];
  if (*size < sizeof head) return false;
  memcpy(head, *data, sizeof head);
  if (head[1] > *size - sizeof head) return false;
  *part = (brink_farm_part){head[0], *data + sizeof head, (size_t)head[1]};
  *data += sizeof head + part->size;
  *size -= sizeof head + part->size;
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
