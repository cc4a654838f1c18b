/* queue.c: whose window ends first: a binary heap of agents, each once, which may be moved. */
#include "agents/parts.h"

bool brink_queue_init(brink_queue *queue, const double *key, size_t n, brink_arena *arena) {
  *queue = (brink_queue){.key = key};
  queue->heap = brink_arena_take(arena, n, sizeof *queue->heap);
  queue->place = brink_arena_take(arena, n, sizeof *queue->place);
  return queue->heap != NULL && queue->place != NULL;
}

static bool before(const brink_queue *queue, uint32_t a, uint32_t b) {
  return queue->key[a] < queue->key[b] || (queue->key[a] == queue->key[b] && a < b);
}

static void put(brink_queue *queue, size_t k, uint32_t agent) {
  queue->heap[k] = agent;
  queue->place[agent] = (uint32_t)k;
}

static void rise(brink_queue *queue, size_t k) {
  uint32_t agent = queue->heap[k];
  for (; k > 0 && before(queue, agent, queue->heap[(k - 1) / 2]); k = (k - 1) / 2)
    put(queue, k, queue->heap[(k - 1) / 2]);
  put(queue, k, agent);
}

static void sink(brink_queue *queue, size_t k) {
  uint32_t agent = queue->heap[k];
  for (;;) {
    size_t child = 2 * k + 1;
    if (child >= queue->count) break;
    if (child + 1 < queue->count && before(queue, queue->heap[child + 1], queue->heap[child]))
      child++;
    if (!before(queue, queue->heap[child], agent)) break;
    put(queue, k, queue->heap[child]);
    k = child;
  }
  put(queue, k, agent);
}

void brink_queue_add(brink_queue *queue, uint32_t agent) {
  put(queue, queue->count++, agent);
  rise(queue, queue->count - 1);
}

uint32_t brink_queue_first(const brink_queue *queue) {
  return queue->heap[0];
}

void brink_queue_moved(brink_queue *queue, uint32_t agent) {
  rise(queue, queue->place[agent]);
  sink(queue, queue->place[agent]);
}
