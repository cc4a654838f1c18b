/* archive.c: the state of a run of agents, to bytes and back (base/archive.h): the list of clone.c. */
#include <math.h>
#include <string.h>

#include "agents/parts.h"

static void archive_population(brink_agent_population *pop, brink_archive *a) {
  brink_archive_mark(a, "agents");
  brink_archive_same(a, pop->def.count);
  brink_archive_same(a, pop->packing.size);
  brink_stats_archive(&pop->sim->eval.stats, a);
  for (size_t k = 0; k < pop->def.count && !a->failed; k++)
    brink_packing_archive(&pop->packing, pop->sim, brink_population_packed(pop, k), a);
}

static void archive_tube(brink_tube *tube, brink_archive *a) {
  brink_archive_doubles(a, tube->at, 3);
  brink_archive_doubles(a, tube->rate, 3);
  brink_archive_double(a, &tube->radius);
}

static void archive_pair(brink_pair_guards *pg, brink_archive *a) {
  const brink_model_def *def = &pg->eval.model->def;
  brink_archive_mark(a, "pairs");
  brink_archive_doubles(a, pg->eval.p, def->np);
  brink_archive_ints(a, pg->eval.mode, def->nmodes);
  brink_archive_signs(a, pg->eval.sgn, def->nguards);
  brink_stats_archive(&pg->eval.stats, a);
  brink_archive_double(a, &pg->window_travel);
  brink_archive_same(a, pg->grid != NULL);
  if (pg->grid == NULL) return;
  brink_grid_archive(pg->grid, a);
  for (size_t k = 0; k < brink_pair_agents(pg) && !a->failed; k++) archive_tube(&pg->tube[k], a);
}

/* ---- who is where ---- */

static void archive_u16(brink_archive *a, uint16_t *value) {
  brink_archive_bytes(a, value, sizeof *value);
}

/* A guard of a pair block. */
static bool is_guard(const brink_agents *agents, size_t block, uint32_t guard) {
  return block < agents->def.npairs &&
         guard < agents->worker.pair_guards[block].eval.model->def.nguards;
}

/* Can the two be partners in the block, in this order or in the other? */
static bool are_partners(const brink_agents *agents, size_t block, uint32_t one, uint32_t other) {
  if (block >= agents->def.npairs || one >= agents->n || other >= agents->n || one == other)
    return false;
  const size_t *population = agents->def.pairs[block].population;
  size_t a = agents->members[one].population, b = agents->members[other].population;
  return (a == population[0] && b == population[1]) || (b == population[0] && a == population[1]);
}

static void archive_window(const brink_agents *agents, uint32_t agent, brink_window *window,
                           brink_archive *a) {
  brink_archive_double(a, &window->start);
  brink_archive_double(a, &window->end);
  window->ending =
      (uint8_t)brink_archive_enum(a, window->ending, BRINK_ENDS_INSIDE_PLAN, BRINK_ENDS_RUN);
  if (window->ending != BRINK_ENDS_AT_PAIR_EVENT) return;
  brink_archive_u32(a, &window->partner);
  brink_archive_u32(a, &window->guard);
  archive_u16(a, &window->block);
  window->direction =
      (int8_t)brink_archive_enum(a, window->direction, BRINK_NEGATIVE, BRINK_POSITIVE);
  window->kind = (uint8_t)brink_archive_enum(a, window->kind, BRINK_CROSSED, BRINK_HELD);
  brink_archive_check(a, is_guard(agents, window->block, window->guard) &&
                             are_partners(agents, window->block, agent, window->partner));
}

static void archive_intervals(brink_event_intervals *intervals, brink_archive *a) {
  brink_archive_double(a, &intervals->last);
  brink_archive_bytes(a, &intervals->interval, sizeof intervals->interval);
  brink_archive_bytes(a, &intervals->shrinking, 1);
}

static void archive_members(brink_agents *agents, brink_archive *a) {
  brink_archive_mark(a, "members");
  for (uint32_t k = 0; k < agents->n && !a->failed; k++) {
    brink_member *member = &agents->members[k];
    brink_archive_bool(a, &member->has_window);
    archive_window(agents, k, &member->window, a);
    brink_archive_double(a, &member->valid);
    brink_archive_double(a, &member->kept_box_at);
    brink_archive_u32(a, &member->version);
    archive_u16(a, &member->idle);
    archive_intervals(&agents->intervals[k], a);
  }
}

/* Those of each agent, in order. */
static void archive_pair_intervals(brink_agents *agents, brink_archive *a) {
  brink_pair_interval_lists *lists = &agents->pair_intervals;
  brink_archive_mark(a, "intervals");
  if (a->reads) brink_pair_intervals_clear(lists, agents->n);
  for (uint32_t agent = 0; agent < agents->n && !a->failed; agent++) {
    size_t count = brink_pair_intervals_count(lists, agent);
    for (size_t k = 0;; k++) {
      bool more = k < count;
      brink_archive_bool(a, &more);
      if (!more || a->failed) break;
      brink_pair_intervals read = {0},
                           *one = a->reads ? &read : &lists->items[lists->first[agent] + k];
      brink_archive_u32(a, &one->partner);
      brink_archive_u32(a, &one->guard);
      archive_u16(a, &one->block);
      archive_intervals(&one->intervals, a);
      bool fits = k < BRINK_PAIR_INTERVALS && is_guard(agents, one->block, one->guard) &&
                  are_partners(agents, one->block, agent, one->partner);
      if (!a->reads || !brink_archive_check(a, fits)) continue;
      if (!brink_pair_intervals_append(lists, agent, &read)) brink_archive_no_memory(a);
    }
  }
}

/* ---- contacts ---- */

static void archive_contact(const brink_agents *agents, brink_contact *c, brink_archive *a) {
  double *const numbers[] = {&c->at,    &c->origin[0], &c->origin[1],
                             &c->slack, &c->leaves_at, &c->fired};
  brink_archive_u32(a, &c->pair[0]);
  brink_archive_u32(a, &c->pair[1]);
  brink_archive_u32(a, &c->guard);
  archive_u16(a, &c->block);
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
    brink_archive_double(a, numbers[k]);
  brink_archive_u32(a, &c->times);
  c->sign = (int8_t)brink_archive_enum(a, c->sign, -1, 1);
  c->due = (int8_t)brink_archive_enum(a, c->due, -1, 1);
  c->kind = (uint8_t)brink_archive_enum(a, c->kind, BRINK_CROSSED, BRINK_HELD);
  brink_archive_bool(a, &c->touching);
  brink_archive_bool(a, &c->removed);
  brink_archive_check(a, is_guard(agents, c->block, c->guard) &&
                             are_partners(agents, c->block, c->pair[0], c->pair[1]));
}

/* Those of each agent, in order; where they are in memory does not matter. */
static void archive_contacts(brink_agents *agents, brink_archive *a) {
  brink_contacts *all = &agents->contacts;
  brink_archive_mark(a, "contacts");
  if (a->reads) brink_contacts_clear(all, agents->n);
  for (uint32_t agent = 0; agent < agents->n && !a->failed; agent++) {
    uint32_t next = all->first[agent], last = BRINK_NOBODY;
    for (;;) {
      bool more = next != BRINK_NOBODY;
      brink_archive_bool(a, &more);
      if (!more || a->failed) break;
      brink_contact read = {0}, *contact = a->reads ? &read : &all->items[next];
      archive_contact(agents, contact, a);
      next = a->reads ? BRINK_NOBODY : contact->next;
      if (!a->reads || !brink_archive_check(a, read.pair[0] == agent)) continue;
      brink_contact *place = brink_arena_push(all->arena, all->items, all->count, all->capacity);
      if (place == NULL) {
        brink_archive_no_memory(a);
        break;
      }
      *place = read;
      place->next = BRINK_NOBODY;
      uint32_t made = (uint32_t)(all->count - 1);
      if (last == BRINK_NOBODY)
        all->first[agent] = made;
      else
        all->items[last].next = made;
      last = made;
    }
  }
}

/* ---- the whole ---- */

static void archive_acting(brink_agents *agents, brink_archive *a) {
  brink_archive_u32(a, &agents->acting);
  brink_archive_index(a, &agents->acting_block, agents->def.npairs);
  brink_archive_u32(a, &agents->acting_pair[0]);
  brink_archive_u32(a, &agents->acting_pair[1]);
  brink_archive_check(a, agents->acting < agents->n);
  if (agents->acting_block != BRINK_NONE)
    brink_archive_check(a, are_partners(agents, agents->acting_block, agents->acting_pair[0],
                                        agents->acting_pair[1]));
}

/* What the engine relies on at every turn: the present lies in all windows, and no agent is ahead of its own. */
static bool are_windows_possible(const brink_agents *agents) {
  double now = (double)INFINITY;
  for (uint32_t i = 0; i < agents->n; i++) now = fmin(now, agents->members[i].window.end);
  for (uint32_t i = 0; i < agents->n && isfinite(now); i++) {
    const brink_window *window = &agents->members[i].window;
    bool possible = agents->queue.heap[agents->queue.place[i]].key == window->end &&
                    now <= window->end && window->start <= now &&
                    brink_packed_time(brink_agents_packed(agents, i)) <= window->start &&
                    (window->ending == BRINK_ENDS_RUN || window->end <= agents->members[i].valid);
    if (!possible) return false;
  }
  return true;
}

void brink_agents_archive(brink_agents *agents, brink_archive *a) {
  brink_agents_stats *stats = &agents->stats;
  brink_archive_mark(a, "engine");
  brink_archive_same(a, agents->n);
  brink_archive_bool(a, &agents->started);
  brink_archive_double(a, &agents->now);
  brink_archive_double(a, &agents->t_end);
  brink_archive_double(a, &agents->t_start);
  brink_stats_archive(&stats->sum, a);
  brink_archive_int64(a, &stats->windows);
  brink_archive_int64(a, &stats->searches);
  brink_archive_int64(a, &stats->checks);
  brink_archive_int64(a, &stats->pair_events);
  brink_stats_archive(&agents->committed, a);
  archive_acting(agents, a);
  for (size_t k = 0; k < agents->def.npopulations && !a->failed; k++)
    archive_population(&agents->worker.populations[k], a);
  for (size_t k = 0; k < agents->def.npairs && !a->failed; k++)
    archive_pair(&agents->worker.pair_guards[k], a);
  archive_members(agents, a);
  archive_pair_intervals(agents, a);
  if (!a->failed) brink_queue_archive(&agents->queue, agents->n, a);
  brink_archive_check(a, !agents->started || agents->queue.count == agents->n);
  archive_contacts(agents, a);
  if (!a->reads) return;
  brink_archive_check(a, a->failed || !agents->started || are_windows_possible(agents));
  brink_worker_restored(&agents->worker);
  brink_speculation_restored(agents->speculation);
}
