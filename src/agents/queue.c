/* queue.c: whose window ends first: a priority queue with updates of keys, as an indexed heap.
 *
 * A heap with four children a node, and keys beside the agents: a million agents do not fit into the caches, and every
 * cache line that an update touches costs more than the comparisons. */
#include <string.h>

#include "agents/parts.h"

#define CHILDREN 4
#define LINE 64 /* bytes of a cache line: four items */

/* The children of an item share a cache line: the first item is at the end of one. Arenas give whole lines. */
bool brink_queue_init(brink_queue *queue, size_t n, brink_arena *arena) {
  *queue = (brink_queue){0};
  brink_queue_clear(queue);
  queue->place = brink_arena_take(arena, n, sizeof *queue->place);
  brink_queue_item *lines = brink_arena_take(arena, n + 2 * CHILDREN, sizeof *lines);
  if (arena->failed) return false;
  queue->heap = lines + CHILDREN - 1;
  return true;
}

void brink_queue_clear(brink_queue *queue) {
  queue->count = 0;
  queue->soon = queue->later = BRINK_NOBODY;
}

void brink_queue_copy(brink_queue *to, const brink_queue *from) {
  memcpy(to->heap, from->heap, from->count * sizeof *to->heap);
  for (size_t k = 0; k < from->count; k++) to->place[to->heap[k].agent] = (uint32_t)k;
  to->count = from->count;
  to->soon = from->soon;
  to->later = from->later;
}

static bool before(const brink_queue_item *a, const brink_queue_item *b) {
  return a->key < b->key || (a->key == b->key && a->agent < b->agent);
}

void brink_queue_archive(brink_queue *queue, size_t n, brink_archive *a) {
  brink_archive_mark(a, "queue");
  brink_archive_count(a, &queue->count, n);
  brink_archive_check(a, queue->count == 0 || queue->count == n);
  if (a->reads) memset(queue->place, 0xff, n * sizeof *queue->place);
  for (size_t k = 0; k < queue->count && !a->failed; k++) {
    brink_queue_item *item = &queue->heap[k];
    brink_archive_double(a, &item->key);
    brink_archive_u32(a, &item->agent);
    if (!a->reads) continue;
    bool fits = item->agent < n && queue->place[item->agent] == BRINK_NOBODY; /* each once */
    if (brink_archive_check(a, fits)) queue->place[item->agent] = (uint32_t)k;
    brink_archive_check(a, k == 0 || !before(item, &queue->heap[(k - 1) / CHILDREN]));
  }
  if (a->reads && a->failed) queue->count = 0;
  if (a->reads) queue->soon = queue->later = BRINK_NOBODY; /* they are for prefetching */
}

static void put(brink_queue *queue, size_t k, const brink_queue_item *item) {
  queue->heap[k] = *item;
  queue->place[item->agent] = (uint32_t)k;
  if (k <= CHILDREN)
    queue->soon = item->agent;
  else if (k <= CHILDREN * (CHILDREN + 1))
    queue->later = item->agent;
}

static size_t rise(brink_queue *queue, size_t k, const brink_queue_item *item) {
  for (size_t parent; k > 0; k = parent) {
    parent = (k - 1) / CHILDREN;
    if (!before(item, &queue->heap[parent])) break;
    put(queue, k, &queue->heap[parent]);
  }
  return k;
}

/* The children of these four: one of the groups is compared next. */
static void prefetch_below(const brink_queue *queue, size_t first) {
  brink_prefetch(&queue->heap[CHILDREN * first + 1], CHILDREN * LINE);
}

static size_t sink(brink_queue *queue, size_t k, const brink_queue_item *item) {
  for (;;) {
    size_t first = CHILDREN * k + 1, best = first;
    if (first >= queue->count) return k;
    if (CHILDREN * first + CHILDREN * CHILDREN < queue->count) prefetch_below(queue, first);
    for (size_t c = first + 1; c < first + CHILDREN && c < queue->count; c++) {
      if (before(&queue->heap[c], &queue->heap[best])) best = c;
    }
    if (!before(&queue->heap[best], item)) return k;
    put(queue, k, &queue->heap[best]);
    k = best;
  }
}

void brink_queue_add(brink_queue *queue, uint32_t agent, double key) {
  brink_queue_item item = {.key = key, .agent = agent};
  size_t k = queue->count++;
  put(queue, rise(queue, k, &item), &item);
}

uint32_t brink_queue_first(const brink_queue *queue) {
  return queue->heap[0].agent;
}

void brink_queue_update(brink_queue *queue, uint32_t agent, double key) {
  brink_queue_item item = {.key = key, .agent = agent};
  size_t k = queue->place[agent];
  if (queue->heap[k].key == key) return;
  size_t higher = rise(queue, k, &item);
  put(queue, higher < k ? higher : sink(queue, k, &item), &item);
}

/* ---- the first items, in order ---- */

/* Candidates for the next item are kept in a second heap, of places in the queue: at first the top; then, for each item
 * that was taken, its children. */
static void add_place(const brink_queue *queue, uint32_t *heap, size_t *count, uint32_t place) {
  size_t k = (*count)++;
  for (; k > 0 && before(&queue->heap[place], &queue->heap[heap[(k - 1) / 2]]); k = (k - 1) / 2)
    heap[k] = heap[(k - 1) / 2];
  heap[k] = place;
}

static uint32_t take_place(const brink_queue *queue, uint32_t *heap, size_t *count) {
  uint32_t first = heap[0], last = heap[--*count];
  size_t k = 0;
  for (size_t child; (child = 2 * k + 1) < *count; k = child) {
    if (child + 1 < *count && before(&queue->heap[heap[child + 1]], &queue->heap[heap[child]]))
      child++;
    if (!before(&queue->heap[heap[child]], &queue->heap[last])) break;
    heap[k] = heap[child];
  }
  heap[k] = last;
  return first;
}

size_t brink_queue_next(const brink_queue *queue, brink_queue_item *items, size_t most,
                        uint32_t *room) {
  size_t found = 0, open = 0;
  if (queue->count > 0) room[open++] = 0;
  while (open > 0 && found < most) {
    uint32_t place = take_place(queue, room, &open);
    items[found++] = queue->heap[place];
    for (size_t c = CHILDREN * (size_t)place + 1; c <= CHILDREN * ((size_t)place + 1); c++) {
      if (c < queue->count) add_place(queue, room, &open, (uint32_t)c);
    }
  }
  return found;
}
