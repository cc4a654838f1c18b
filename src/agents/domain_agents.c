/* domain_agents.c: agents to bytes and back, and who has which of them. See domain.h.
 *
 * Ranks are processes of one program: numbers and structs travel as they are in memory. Lengths are checked all the same. */
#include <math.h>
#include <string.h>

#include "agents/domain_parts.h"

/* ---- where agents are ---- */

bool brink_domain_place(const brink_domain *domain, const brink_agents *agents, uint32_t agent,
                        double *low, double *high) {
  (void)domain;
  const brink_agent_population *pop = brink_worker_population(&agents->worker, agent);
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_pair_guards *pg = &agents->worker.pair_guards[b];
    int sides[2];
    if (brink_pair_sides(pg, pop, sides) == 0) continue;
    const brink_box *box =
        brink_grid_box(pg->grid, brink_pair_grid_index(pg, sides[0], agent - pop->first));
    *low = box->low[0];
    *high = box->high[0];
    return true;
  }
  return false;
}

/* Whoever meets nobody belongs to a rank by its number. */
size_t brink_domain_strip(const brink_domain *domain, const brink_agents *agents, uint32_t agent) {
  double low, high;
  if (!brink_domain_place(domain, agents, agent, &low, &high))
    return (size_t)agent * domain->ranks / agents->n;
  double middle = 0.5 * low + 0.5 * high;
  size_t strip = 0;
  while (strip + 1 < domain->ranks && middle >= domain->ends[strip + 1]) strip++;
  return strip;
}

bool brink_domain_near(const brink_domain *domain, const brink_agents *agents, uint32_t agent,
                       size_t rank) {
  double low, high;
  if (!brink_domain_place(domain, agents, agent, &low, &high)) return false;
  return !(low > domain->ends[rank + 1] + domain->halo || high < domain->ends[rank] - domain->halo);
}

/* ---- to bytes ---- */

static void put(brink_text *to, const void *data, size_t size) {
  if (size > 0) brink_text_append(to, data, size);
}

/* Box and tube in each block. */
static void put_bounds(const brink_agents *agents, const brink_agent_population *pop, size_t index,
                       brink_text *to) {
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_pair_guards *pg = &agents->worker.pair_guards[b];
    int sides[2], count = brink_pair_sides(pg, pop, sides);
    for (int k = 0; k < count; k++) {
      uint32_t number = brink_pair_grid_index(pg, sides[k], index);
      put(to, brink_grid_box(pg->grid, number), sizeof(brink_box));
      put(to, &pg->tube[number], sizeof *pg->tube);
    }
  }
}

/* Lists keep their order: which records are deleted depends on it. */
static void put_lists(const brink_agents *agents, uint32_t agent, brink_text *to) {
  const brink_contacts *contacts = &agents->contacts;
  const brink_pair_interval_lists *lists = &agents->pair_intervals;
  const char more = 1, last = 0;
  for (uint32_t k = contacts->first[agent]; k != BRINK_NOBODY; k = contacts->items[k].next) {
    put(to, &more, 1);
    put(to, &contacts->items[k], sizeof *contacts->items);
  }
  put(to, &last, 1);
  for (size_t k = 0; k < brink_pair_intervals_count(lists, agent); k++) {
    put(to, &more, 1);
    put(to, &lists->items[lists->first[agent] + k], sizeof *lists->items);
  }
  put(to, &last, 1);
}

void brink_domain_put_agent(const brink_agents *agents, uint32_t agent, size_t owner,
                            brink_text *to) {
  const brink_agent_population *pop = brink_worker_population(&agents->worker, agent);
  uint16_t number = (uint16_t)owner;
  put(to, &agent, sizeof agent);
  put(to, &number, sizeof number);
  put(to, brink_agents_packed(agents, agent), pop->packing.size);
  put(to, &agents->members[agent], sizeof *agents->members);
  put(to, &agents->intervals[agent], sizeof *agents->intervals);
  put_bounds(agents, pop, agent - pop->first, to);
  put_lists(agents, agent, to);
}

/* ---- from bytes ---- */

bool brink_domain_get(brink_domain_bytes *from, void *to, size_t size) {
  if (from->size - from->at < size) return false;
  if (size > 0) memcpy(to, from->data + from->at, size);
  from->at += size;
  return true;
}

static bool get_bounds(brink_agents *agents, const brink_agent_population *pop, size_t index,
                       brink_domain_bytes *from) {
  for (size_t b = 0; b < agents->def.npairs; b++) {
    brink_pair_guards *pg = &agents->worker.pair_guards[b];
    int sides[2], count = brink_pair_sides(pg, pop, sides);
    for (int k = 0; k < count; k++) {
      uint32_t number = brink_pair_grid_index(pg, sides[k], index);
      brink_box box;
      if (!brink_domain_get(from, &box, sizeof box) ||
          !brink_domain_get(from, &pg->tube[number], sizeof *pg->tube))
        return false;
      brink_grid_update(pg->grid, number, &box);
    }
  }
  return true;
}

static bool get_lists(brink_agents *agents, uint32_t agent, brink_domain_bytes *from) {
  char more;
  brink_contacts_forget(&agents->contacts, agent);
  brink_pair_intervals_forget(&agents->pair_intervals, agent);
  while (brink_domain_get(from, &more, 1) && more != 0) {
    brink_contact contact;
    if (!brink_domain_get(from, &contact, sizeof contact) ||
        !brink_contacts_append(&agents->contacts, agent, &contact))
      return false;
  }
  while (brink_domain_get(from, &more, 1) && more != 0) {
    brink_pair_intervals intervals;
    if (!brink_domain_get(from, &intervals, sizeof intervals) ||
        !brink_pair_intervals_append(&agents->pair_intervals, agent, &intervals))
      return false;
  }
  return true;
}

bool brink_domain_get_agent(brink_agents *agents, brink_domain_bytes *from, uint32_t *agent,
                            size_t *owner) {
  uint16_t number;
  if (!brink_domain_get(from, agent, sizeof *agent) || *agent >= agents->n ||
      !brink_domain_get(from, &number, sizeof number))
    return false;
  *owner = number;
  const brink_agent_population *pop = brink_worker_population(&agents->worker, *agent);
  brink_member *member = &agents->members[*agent];
  if (!brink_domain_get(from, brink_agents_packed(agents, *agent), pop->packing.size) ||
      !brink_domain_get(from, member, sizeof *member) ||
      !brink_domain_get(from, &agents->intervals[*agent], sizeof *agents->intervals) ||
      !get_bounds(agents, pop, *agent - pop->first, from) || !get_lists(agents, *agent, from))
    return false;
  brink_queue_update(&agents->queue, *agent, member->window.end);
  return true;
}

void brink_domain_forget_agent(brink_agents *agents, uint32_t agent) {
  const brink_agent_population *pop = brink_worker_population(&agents->worker, agent);
  brink_member *member = &agents->members[agent];
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_pair_guards *pg = &agents->worker.pair_guards[b];
    int sides[2], count = brink_pair_sides(pg, pop, sides);
    for (int k = 0; k < count; k++)
      brink_grid_remove(pg->grid, brink_pair_grid_index(pg, sides[k], agent - pop->first));
  }
  brink_contacts_forget(&agents->contacts, agent);
  brink_pair_intervals_forget(&agents->pair_intervals, agent);
  member->has_window = false;
  member->window.ending = BRINK_ENDS_RUN;
  member->window.end = (double)INFINITY;
  brink_queue_update(&agents->queue, agent, (double)INFINITY);
}

/* ---- who has which ---- */

static brink_status damaged(brink_diag *diag, size_t from) {
  return brink_diag_set(diag, BRINK_ERR_CALLBACK, "agents of rank %zu did not arrive whole", from);
}

static brink_status no_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for agents of other ranks");
}

/* Messages to all others: agents that they are to have. */
static brink_status send_agents(brink_domain *domain, brink_diag *diag) {
  const brink_agents *own = domain->own;
  for (size_t r = 0; r < domain->ranks; r++) domain->outs[r].length = 0;
  for (uint32_t i = 0; i < own->n; i++) {
    if (domain->owner[i] != domain->rank) continue;
    size_t strip = brink_domain_strip(domain, own, i);
    for (size_t r = 0; r < domain->ranks; r++) {
      if (r != domain->rank && (r == strip || brink_domain_near(domain, own, i, r)))
        brink_domain_put_agent(own, i, strip, &domain->outs[r]);
    }
  }
  brink_status status = BRINK_OK;
  for (size_t r = 0; r < domain->ranks && status == BRINK_OK; r++) {
    if (r == domain->rank) continue;
    if (domain->outs[r].failed) return no_memory(diag);
    status = brink_exchange_send(domain->exchange, r, domain->outs[r].data, domain->outs[r].length,
                                 diag);
  }
  return status;
}

/* Agents that left the strip stay if they are in its halo; those of others are taken from their owners again. */
static void forget_agents(brink_domain *domain) {
  for (uint32_t i = 0; i < domain->own->n; i++) {
    if (domain->owner[i] == BRINK_NOWHERE) continue;
    size_t strip = BRINK_NOWHERE;
    if (domain->owner[i] == domain->rank) {
      strip = brink_domain_strip(domain, domain->own, i);
      if (strip != domain->rank && !brink_domain_near(domain, domain->own, i, domain->rank))
        strip = BRINK_NOWHERE;
    }
    domain->owner[i] = (uint16_t)strip;
    if (strip == BRINK_NOWHERE) brink_domain_forget_agent(domain->own, i);
  }
}

static brink_status receive_agents(brink_domain *domain, brink_diag *diag) {
  for (size_t r = 0; r < domain->ranks; r++) {
    if (r == domain->rank) continue;
    const void *data;
    brink_domain_bytes bytes = {0};
    brink_status status = brink_exchange_receive(domain->exchange, r, &data, &bytes.size, diag);
    if (status != BRINK_OK) return status;
    bytes.data = data;
    while (bytes.at < bytes.size) {
      uint32_t agent;
      size_t owner;
      if (!brink_domain_get_agent(domain->own, &bytes, &agent, &owner) || owner >= domain->ranks)
        return domain->own->arena.failed ? no_memory(diag) : damaged(diag, r);
      domain->owner[agent] = (uint16_t)owner;
    }
  }
  return BRINK_OK;
}

/* Own agents in the halo of rank r, by the same rule by which they were sent there. */
static bool list_halo(brink_domain *domain, size_t r, uint32_t agent) {
  uint32_t *place = brink_arena_push(&domain->arena, domain->halo_of[r], domain->nhalo_of[r],
                                     domain->halo_capacity[r]);
  if (place != NULL) *place = agent;
  return place != NULL;
}

/* What the round begins with: to go back to, and to compare. */
static bool keep_start(brink_domain *domain) {
  brink_agents *own = domain->own;
  domain->start.length = 0;
  for (size_t r = 0; r < domain->ranks; r++) domain->nhalo_of[r] = 0;
  for (uint32_t i = 0; i < own->n; i++) {
    if (domain->owner[i] == BRINK_NOWHERE) continue;
    brink_trail_clear(&domain->trail, own, i);
    domain->known[i] = false;
    if (domain->owner[i] != domain->rank) continue;
    brink_domain_put_agent(own, i, domain->rank, &domain->start);
    for (size_t r = 0; r < domain->ranks; r++) {
      if (r != domain->rank && brink_domain_near(domain, own, i, r) && !list_halo(domain, r, i))
        return false;
    }
  }
  brink_domain_read_counters(own, domain->counters);
  domain->counted = own->stats;
  return !domain->start.failed;
}

brink_status brink_domain_distribute(brink_domain *domain, brink_diag *diag) {
  brink_status status = send_agents(domain, diag);
  if (status != BRINK_OK) return status;
  forget_agents(domain);
  status = receive_agents(domain, diag);
  if (status != BRINK_OK) return status;
  return keep_start(domain) ? BRINK_OK : no_memory(diag);
}

brink_status brink_domain_go_back(brink_domain *domain, brink_diag *diag) {
  brink_domain_bytes bytes = {.data = domain->start.data, .size = domain->start.length};
  while (bytes.at < bytes.size) {
    uint32_t agent;
    size_t owner;
    if (!brink_domain_get_agent(domain->own, &bytes, &agent, &owner)) return no_memory(diag);
  }
  brink_domain_set_counters(domain->own, domain->counters);
  domain->own->stats = domain->counted;
  return BRINK_OK;
}

/* ---- everything to rank 0 ---- */

void brink_domain_read_counters(const brink_agents *agents, brink_stats *counters) {
  for (size_t k = 0; k < agents->def.npopulations; k++)
    counters[k] = agents->worker.populations[k].sim->eval.stats;
  for (size_t k = 0; k < agents->def.npairs; k++)
    counters[agents->def.npopulations + k] = agents->worker.pair_guards[k].eval.stats;
}

void brink_domain_set_counters(brink_agents *agents, const brink_stats *counters) {
  for (size_t k = 0; k < agents->def.npopulations; k++)
    agents->worker.populations[k].sim->eval.stats = counters[k];
  for (size_t k = 0; k < agents->def.npairs; k++)
    agents->worker.pair_guards[k].eval.stats = counters[agents->def.npopulations + k];
}

static void add_counters(brink_agents *whole, const brink_stats *counters,
                         const brink_agents_stats *counted) {
  for (size_t k = 0; k < whole->def.npopulations + whole->def.npairs; k++) {
    brink_stats *stats = k < whole->def.npopulations
                             ? &whole->worker.populations[k].sim->eval.stats
                             : &whole->worker.pair_guards[k - whole->def.npopulations].eval.stats;
    brink_stats_add(stats, &counters[k]);
    stats->newton += counters[k].newton;
    stats->jacobians += counters[k].jacobians;
    stats->factorisations += counters[k].factorisations;
  }
  whole->stats.windows += counted->windows;
  whole->stats.searches += counted->searches;
  whole->stats.checks += counted->checks;
  whole->stats.pair_events += counted->pair_events;
}

static bool take_over(brink_domain *domain, brink_domain_bytes *bytes) {
  brink_agents *whole = domain->def.whole;
  size_t count = whole->def.npopulations + whole->def.npairs;
  brink_agents_stats counted;
  if (!brink_domain_get(bytes, domain->turn_counters, count * sizeof *domain->turn_counters) ||
      !brink_domain_get(bytes, &counted, sizeof counted))
    return false;
  add_counters(whole, domain->turn_counters, &counted);
  while (bytes->at < bytes->size) {
    uint32_t agent;
    size_t owner;
    if (!brink_domain_get_agent(whole, bytes, &agent, &owner)) return false;
  }
  return true;
}

static brink_status put_all(brink_domain *domain, brink_text *to, brink_diag *diag) {
  const brink_agents *own = domain->own;
  size_t count = own->def.npopulations + own->def.npairs;
  to->length = 0;
  brink_domain_read_counters(own, domain->turn_counters);
  put(to, domain->turn_counters, count * sizeof *domain->turn_counters);
  put(to, &own->stats, sizeof own->stats);
  for (uint32_t i = 0; i < own->n; i++) {
    if (domain->owner[i] == domain->rank) brink_domain_put_agent(own, i, domain->rank, to);
  }
  return to->failed ? no_memory(diag) : BRINK_OK;
}

brink_status brink_domain_collect(brink_domain *domain, brink_diag *diag) {
  brink_text *all = &domain->outs[0];
  brink_status status = put_all(domain, all, diag);
  if (status != BRINK_OK) return status;
  if (domain->rank != 0)
    return brink_exchange_send(domain->exchange, 0, all->data, all->length, diag);
  brink_agents *whole = domain->def.whole;
  brink_domain_set_counters(whole, domain->base);
  whole->stats = domain->base_counted;
  for (size_t r = 0; r < domain->ranks; r++) {
    const void *data = all->data;
    brink_domain_bytes bytes = {.size = all->length};
    if (r > 0) status = brink_exchange_receive(domain->exchange, r, &data, &bytes.size, diag);
    if (status != BRINK_OK) return status;
    bytes.data = data;
    if (!take_over(domain, &bytes)) return whole->arena.failed ? no_memory(diag) : damaged(diag, r);
  }
  return BRINK_OK;
}
