/* timers.c: guards that are timers: which of them is due.
 *
 * The time of a timer is a parameter, so it is part of the state, and any action may set it. The timers that are
 * running wait in a heap by their times, each with its place in it: to set one, to stop one and to take the next
 * costs log n. `at` is what the heap knows; after every callback the parameters are compared with it. */
#include <math.h>

#include "sim/sim.h"

static const size_t ABSENT = SIZE_MAX; /* of a timer that does not wait: it is off, or due */

static double *time_of(brink_sim *sim, size_t timer) {
  return &sim->eval.p[sim->model->timer_slots[timer]];
}

bool brink_timers_take(brink_sim *sim, brink_arena *arena) {
  brink_timers *timers = &sim->timers;
  size_t count = sim->model->ntimers;
  timers->at = brink_arena_take(arena, count, sizeof *timers->at);
  timers->place = brink_arena_take(arena, count, sizeof *timers->place);
  timers->heap = brink_arena_take(arena, count, sizeof *timers->heap);
  return !arena->failed;
}

void brink_timers_relocate(brink_sim *sim, brink_relocation *moved) {
  BRINK_RELOCATE(moved, sim->timers.at);
  BRINK_RELOCATE(moved, sim->timers.place);
  BRINK_RELOCATE(moved, sim->timers.heap);
}

/* ---- the heap ---- */

static void put(brink_timers *timers, size_t k, size_t timer) {
  timers->heap[k] = timer;
  timers->place[timer] = k;
}

static void rise(brink_timers *timers, size_t k) {
  size_t timer = timers->heap[k];
  for (; k > 0 && timers->at[timer] < timers->at[timers->heap[(k - 1) / 2]]; k = (k - 1) / 2)
    put(timers, k, timers->heap[(k - 1) / 2]);
  put(timers, k, timer);
}

static void sink(brink_timers *timers, size_t k) {
  size_t timer = timers->heap[k];
  for (;;) {
    size_t child = 2 * k + 1;
    if (child >= timers->count) break;
    if (child + 1 < timers->count &&
        timers->at[timers->heap[child + 1]] < timers->at[timers->heap[child]])
      child++;
    if (!(timers->at[timers->heap[child]] < timers->at[timer])) break;
    put(timers, k, timers->heap[child]);
    k = child;
  }
  put(timers, k, timer);
}

static void take_out(brink_timers *timers, size_t timer) {
  size_t k = timers->place[timer], last = timers->heap[--timers->count];
  timers->place[timer] = ABSENT;
  if (last == timer) return;
  put(timers, k, last);
  rise(timers, k);
  sink(timers, timers->place[last]);
}

static void set(brink_timers *timers, size_t timer, double at) {
  timers->at[timer] = at;
  if (timers->place[timer] != ABSENT) take_out(timers, timer);
  if (!isfinite(at)) return;
  timers->heap[timers->count] = timer;
  rise(timers, timers->count++);
}

/* ---- the model's view ---- */

void brink_timers_reset(brink_sim *sim) {
  brink_timers *timers = &sim->timers;
  timers->count = 0;
  for (size_t k = 0; k < sim->model->ntimers; k++) {
    timers->place[k] = ABSENT;
    set(timers, k, *time_of(sim, k));
  }
}

brink_status brink_timers_follow(brink_sim *sim, brink_diag *diag) {
  for (size_t k = 0; k < sim->model->ntimers; k++) {
    double at = *time_of(sim, k);
    if (at == sim->timers.at[k]) continue;
    if (!(at >= sim->t))
      return brink_sim_fail(sim, diag, BRINK_REASON_TIMER_PAST,
                            (brink_arguments){.guard = sim->model->timers[k], .value = at});
    set(&sim->timers, k, at);
  }
  return BRINK_OK;
}

double brink_timers_next(const brink_sim *sim) {
  const brink_timers *timers = &sim->timers;
  return timers->count > 0 ? timers->at[timers->heap[0]] : (double)INFINITY;
}

size_t brink_timers_parameter(const brink_sim *sim) {
  const brink_timers *timers = &sim->timers;
  if (timers->count == 0 || timers->at[timers->heap[0]] > sim->t) return BRINK_NONE;
  return sim->model->guards[sim->model->timers[timers->heap[0]]].def.timer;
}

void brink_timers_collect(brink_sim *sim) {
  brink_timers *timers = &sim->timers;
  while (timers->count > 0 && timers->at[timers->heap[0]] <= sim->t) {
    size_t timer = timers->heap[0];
    take_out(timers, timer);
    sim->instant.located[sim->instant.nlocated++] = (brink_located){
        .guard = sim->model->timers[timer], .kind = BRINK_CROSSED, .direction = BRINK_POSITIVE};
  }
}

/* Whoever set it anew, at this instant and before its turn, has put off its event. */
bool brink_timers_fire(brink_sim *sim, size_t guard) {
  size_t slot = sim->model->guards[guard].def.timer;
  if (!(sim->eval.p[slot] <= sim->t)) return false;
  sim->eval.p[slot] = (double)INFINITY; /* off: a change like any other, for whoever reads it */
  size_t low = 0, high = sim->model->ntimers;
  while (high - low > 1) { /* which one it is: they are in order */
    size_t middle = low + (high - low) / 2;
    if (sim->model->timers[middle] <= guard)
      low = middle;
    else
      high = middle;
  }
  sim->timers.at[low] = (double)INFINITY;
  return true;
}
