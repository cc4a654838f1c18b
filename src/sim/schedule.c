/* schedule.c: which clock ticks next.
 *
 * Clocks with a period wait in a heap by the time of their next tick. Those that are due move to a second
 * heap, by priority and then by index, so that any number of clocks may share an instant at a cost of
 * log n each. Clocks without a period are set by actions through brink_now.timer, at any time and to anything: they
 * are looked through. Guards that are timers have a heap of their own (timers.c). */
#include <math.h>

#include "sim/delay.h"

/* Does clock a come before clock b? */
typedef bool before_fn(const brink_sim *sim, size_t a, size_t b);

static bool earlier(const brink_sim *sim, size_t a, size_t b) {
  return sim->schedule.next_time[a] < sim->schedule.next_time[b];
}

static bool more_urgent(const brink_sim *sim, size_t a, size_t b) {
  int pa = sim->model->def.clocks[a].priority, pb = sim->model->def.clocks[b].priority;
  return pa > pb || (pa == pb && a < b);
}

static void push(const brink_sim *sim, brink_clock_heap *heap, before_fn *before, size_t clock) {
  size_t k = heap->count++;
  while (k > 0 && before(sim, clock, heap->items[(k - 1) / 2])) {
    heap->items[k] = heap->items[(k - 1) / 2];
    k = (k - 1) / 2;
  }
  heap->items[k] = clock;
}

static size_t pop(const brink_sim *sim, brink_clock_heap *heap, before_fn *before) {
  size_t first = heap->items[0], last = heap->items[--heap->count], k = 0;
  for (;;) {
    size_t child = 2 * k + 1;
    if (child >= heap->count) break;
    if (child + 1 < heap->count && before(sim, heap->items[child + 1], heap->items[child])) child++;
    if (!before(sim, heap->items[child], last)) break;
    heap->items[k] = heap->items[child];
    k = child;
  }
  heap->items[k] = last;
  return first;
}

/* A clock's next tick, and its place in the heap. */
static void wait_for(brink_sim *sim, size_t clock) {
  sim->schedule.next_time[clock] = sim->schedule.timer[clock] =
      brink_ticks_time(&sim->schedule.ticks[clock], sim->schedule.tick[clock]);
  push(sim, &sim->schedule.waiting, earlier, clock);
}

void brink_schedule_start(brink_sim *sim) {
  const brink_model_def *def = &sim->model->def;
  sim->schedule.ntimers = sim->schedule.waiting.count = sim->schedule.due.count = 0;
  brink_timers_reset(sim);
  for (size_t k = 0; k < def->nclocks; k++) {
    const brink_clock_def *clock = &def->clocks[k];
    sim->schedule.timer[k] = clock->offset;
    if (clock->period == 0.0) {
      sim->schedule.timers[sim->schedule.ntimers++] = k;
      continue;
    }
    sim->schedule.ticks[k] = brink_ticks_make(clock->period, clock->offset);
    double skipped = ceil((def->t0 - clock->offset) / clock->period - 0.5);
    sim->schedule.tick[k] =
        skipped > 0.0 ? (int64_t)skipped : 0; /* the model has checked that it fits */
    while (brink_ticks_time(&sim->schedule.ticks[k], sim->schedule.tick[k]) < def->t0)
      sim->schedule.tick[k]++;
    wait_for(sim, k);
  }
}

double brink_schedule_next(const brink_sim *sim) {
  double next = brink_timers_next(sim);
  if (sim->schedule.waiting.count > 0)
    next = fmin(next, sim->schedule.next_time[sim->schedule.waiting.items[0]]);
  if (sim->schedule.due.count > 0) next = fmin(next, sim->t);
  for (size_t k = 0; k < sim->schedule.ntimers; k++)
    next = fmin(next, sim->schedule.timer[sim->schedule.timers[k]]);
  if (sim->delays != NULL) next = fmin(next, sim->delays->arrived ? sim->t : sim->delays->next);
  return next;
}

/* The timer that is due and comes first. */
static size_t due_timer(const brink_sim *sim) {
  size_t best = BRINK_NONE;
  for (size_t k = 0; k < sim->schedule.ntimers; k++) {
    size_t clock = sim->schedule.timers[k];
    if (!(sim->schedule.timer[clock] <= sim->t)) continue;
    if (best == BRINK_NONE || more_urgent(sim, clock, best)) best = clock;
  }
  return best;
}

size_t brink_schedule_take(brink_sim *sim, int64_t *tick) {
  while (sim->schedule.waiting.count > 0 &&
         sim->schedule.next_time[sim->schedule.waiting.items[0]] <= sim->t)
    push(sim, &sim->schedule.due, more_urgent, pop(sim, &sim->schedule.waiting, earlier));
  size_t timer = due_timer(sim);
  bool periodic = sim->schedule.due.count > 0 &&
                  (timer == BRINK_NONE || more_urgent(sim, sim->schedule.due.items[0], timer));
  size_t clock = periodic ? pop(sim, &sim->schedule.due, more_urgent) : timer;
  if (clock == BRINK_NONE) return BRINK_NONE;
  *tick = sim->schedule.tick[clock]++;
  if (periodic)
    wait_for(sim, clock);
  else
    sim->schedule.timer[clock] = INFINITY;
  return clock;
}

/* ---- to bytes and back ---- */

/* A clock that waits has a period, and its next tick is the first that is not over: there would be no end of those before it. */
static bool can_wait(const brink_sim *sim, size_t clock, double t) {
  const brink_schedule *s = &sim->schedule;
  int64_t tick = s->tick[clock];
  if (!(sim->model->def.clocks[clock].period > 0.0) || tick < 0 || tick == INT64_MAX) return false;
  return s->next_time[clock] == brink_ticks_time(&s->ticks[clock], tick) &&
         brink_ticks_time(&s->ticks[clock], tick + 1) >= t;
}

static void archive_heap(brink_sim *sim, brink_clock_heap *heap, double t, brink_archive *a) {
  size_t clocks = sim->model->def.nclocks;
  brink_archive_count(a, &heap->count, clocks);
  brink_archive_indices(a, heap->items, heap->count, clocks);
  for (size_t k = 0; a->reads && k < heap->count && !a->failed; k++)
    brink_archive_check(a, can_wait(sim, heap->items[k], t));
}

void brink_schedule_archive(brink_sim *sim, double t, brink_archive *a) {
  brink_schedule *s = &sim->schedule;
  size_t clocks = sim->model->def.nclocks;
  brink_archive_int64s(a, s->tick, clocks);
  brink_archive_doubles(a, s->timer, clocks);
  brink_archive_doubles(a, s->next_time, clocks);
  archive_heap(sim, &s->waiting, t, a);
  archive_heap(sim, &s->due, t, a);
  brink_archive_check(a, s->waiting.count + s->due.count <= clocks);
}
