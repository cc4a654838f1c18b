/* queue.c: whose window ends first: a heap of agents, each once, which may be moved.
 *
 * Four children each, and keys beside the agents: a million agents do not fit into caches, and every line of
 * memory that a move touches costs more than the comparisons. */
#include "agents/parts.h"

#define CHILDREN 4
#define LINE 64 /* bytes of memory that come together: four items */

/* The children of an item are in one line: the first item ends one. */
bool brink_queue_init(brink_queue *queue, size_t n, brink_arena *arena) {
  *queue = (brink_queue){.soon = BRINK_NOBODY, .later = BRINK_NOBODY};
  queue->place = brink_arena_take(arena, n, sizeof *queue->place);
  char *memory = brink_arena_take(arena, n + 2 * CHILDREN, sizeof *queue->heap);
  if (queue->place == NULL || memory == NULL) return false;
  uintptr_t line = ((uintptr_t)memory + LINE - 1) / LINE * LINE;
  queue->heap = (brink_queue_item *)(void *)(memory + (line - (uintptr_t)memory)) + CHILDREN - 1;
  return true;
}

static bool before(const brink_queue_item *a, const brink_queue_item *b) {
  return a->key < b->key || (a->key == b->key && a->agent < b->agent);
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

/* Whichever of these is best: its children are the next to be looked at. */
static void fetch_below(const brink_queue *queue, size_t first) {
  brink_fetch(&queue->heap[CHILDREN * first + 1], CHILDREN * LINE);
}

static size_t sink(brink_queue *queue, size_t k, const brink_queue_item *item) {
  for (;;) {
    size_t first = CHILDREN * k + 1, best = first;
    if (first >= queue->count) return k;
    if (CHILDREN * first + CHILDREN * CHILDREN < queue->count) fetch_below(queue, first);
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

void brink_queue_moved(brink_queue *queue, uint32_t agent, double key) {
  brink_queue_item item = {.key = key, .agent = agent};
  size_t k = queue->place[agent], higher = rise(queue, k, &item);
  put(queue, higher < k ? higher : sink(queue, k, &item), &item);
}

static size_t until(const brink_queue *queue, size_t k, double key, uint32_t *agents, size_t count,
                    size_t most) {
  if (k >= queue->count || queue->heap[k].key > key || count > most) return count;
  if (count < most) agents[count] = queue->heap[k].agent;
  count++;
  for (size_t c = CHILDREN * k + 1; c <= CHILDREN * (k + 1); c++)
    count = until(queue, c, key, agents, count, most);
  return count;
}

size_t brink_queue_until(const brink_queue *queue, double key, uint32_t *agents, size_t most) {
  return until(queue, 0, key, agents, 0, most);
}
