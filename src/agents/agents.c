/* agents.c: creation and destruction of a run with agents; what can be read of it. */
#include <math.h>
#include <string.h>

#include "agents/parts.h"

/* ---- creation ---- */

static brink_status check(const brink_agents_def *def, brink_diag *diag) {
  for (size_t k = 0; k < def->npairs; k++) {
    const brink_pair_def *pair = &def->pairs[k];
    if (pair->population[0] >= def->npopulations || pair->population[1] >= def->npopulations ||
        pair->model == NULL)
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "pair %zu has no such population", k);
    for (size_t g = 0; g < pair->nguards; g++) {
      if (pair->guards[g] >= pair->model->def.nguards)
        return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "pair %zu has no guard %zu", k,
                              pair->guards[g]);
    }
  }
  for (size_t k = 0; k < def->npopulations; k++) {
    if (def->populations[k].model == NULL || def->populations[k].count == 0)
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "population %zu is empty", k);
    if (def->populations[k].model->def.nz > 0)
      return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                            "agents with constraints cannot have clocks of their own: put all into "
                            "one system");
    if (def->populations[k].model->def.delays != NULL)
      return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                            "agents with delays cannot have clocks of their own: put all into one "
                            "system");
  }
  if (def->npopulations == 0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "there is no population");
  return BRINK_OK;
}

static bool take_arrays(brink_agents *agents) {
  brink_arena *arena = &agents->arena;
  for (size_t k = 0; k < agents->def.npopulations; k++) {
    size_t size = agents->worker.populations[k].packing.size;
    agents->largest = size > agents->largest ? size : agents->largest;
  }
  for (int k = 0; k < 2; k++) agents->saved[k] = brink_arena_take(arena, agents->largest, 1);
  agents->bounds = brink_arena_take(arena, 2 * agents->def.npairs, sizeof *agents->bounds);
  agents->kept_counters = brink_arena_take(arena, agents->def.npopulations + agents->def.npairs,
                                           sizeof *agents->kept_counters);
  agents->members = brink_arena_take(arena, agents->n, sizeof *agents->members);
  agents->intervals = brink_arena_take(arena, agents->n, sizeof *agents->intervals);
  return brink_queue_init(&agents->queue, agents->n, arena) &&
         brink_contacts_init(&agents->contacts, agents->n, arena) &&
         brink_pair_intervals_init(&agents->pair_intervals, agents->n, arena);
}

static brink_status build(brink_agents *agents, brink_diag *diag) {
  const brink_agents_def *def = &agents->def;
  for (size_t k = 0; k < def->npopulations; k++) agents->n += def->populations[k].count;
  if (agents->n >= BRINK_NOBODY)
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED, "%zu agents are too many", agents->n);
  brink_status status = brink_worker_init(&agents->worker, agents, 0, diag);
  if (status != BRINK_OK) return status;
  if (!take_arrays(agents))
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the agents");
  for (size_t k = 0; k < def->npopulations; k++) {
    const brink_agent_population *pop = &agents->worker.populations[k];
    for (size_t i = 0; i < pop->def.count; i++)
      agents->members[pop->first + i].population = (uint16_t)k;
  }
  return brink_speculation_create(agents, diag, &agents->speculation);
}

brink_status brink_agents_create(const brink_agents_def *def, const brink_allocator *allocator,
                                 brink_diag *diag, brink_agents **result) {
  brink_diag_clear(diag);
  *result = NULL;
  brink_status status = check(def, diag);
  if (status != BRINK_OK) return status;
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_agents *agents = brink_arena_take(&arena, 1, sizeof *agents);
  if (agents == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  agents->arena = arena;
  agents->def = *def;
  agents->acting_block = BRINK_NONE;
  status = build(agents, diag);
  if (status != BRINK_OK) {
    brink_agents_destroy(agents);
    return status;
  }
  agents->now = agents->t_end = agents->t_start = agents->worker.populations[0].sim->model->def.t0;
  *result = agents;
  return BRINK_OK;
}

void brink_agents_destroy(brink_agents *agents) {
  if (agents == NULL) return;
  brink_speculation_destroy(agents->speculation);
  brink_worker_free(&agents->worker);
  brink_arena arena = agents->arena; /* the object itself lives in it */
  brink_arena_free(&arena);
}

void brink_agents_set_sink(brink_agents *agents, const brink_agents_sink *sink) {
  agents->sink = sink != NULL ? *sink : (brink_agents_sink){0};
}

/* ---- reading ---- */

double brink_agents_time(const brink_agents *agents) {
  return agents->now;
}

double brink_agents_horizon(const brink_agents *agents) {
  if (!agents->started) return agents->now;
  uint32_t first = brink_queue_first(&agents->queue);
  return fmin(agents->members[first].window.end, agents->t_end);
}

brink_agent_event brink_agents_acting(const brink_agents *agents) {
  brink_agent_event who = {.population = agents->members[agents->acting].population,
                           .agent = brink_agents_index(agents, agents->acting),
                           .pair = agents->acting_block,
                           .partner = {BRINK_NONE, BRINK_NONE}};
  if (who.pair == BRINK_NONE) return who;
  who.population = who.agent = BRINK_NONE;
  for (int side = 0; side < 2; side++) {
    who.partner[side] = brink_agents_index(agents, agents->acting_pair[side]);
  }
  return who;
}

void brink_agents_at(const brink_agents *agents, size_t population, size_t agent, double t,
                     double *x, const double **p, const int **mode) {
  const brink_agent_population *pop = &agents->worker.populations[population];
  const void *packed = brink_population_packed(pop, agent);
  brink_plan plan = brink_packed_plan(&pop->packing, packed);
  for (size_t i = 0; i < pop->packing.nx; i++) x[i] = brink_plan_at(&plan, i, t);
  if (p != NULL) *p = brink_packed_parameters(&pop->packing, packed);
  if (mode != NULL) *mode = brink_packed_modes(&pop->packing, packed);
}

size_t brink_agents_slides(brink_agents *agents, size_t population, size_t agent,
                           brink_slide_record *records, size_t capacity) {
  brink_agent_population *pop = &agents->worker.populations[population];
  brink_population_load(pop, agent);
  return brink_sim_slides(pop->sim, records, capacity);
}

brink_sim *brink_agents_sim(const brink_agents *agents, size_t population) {
  return agents->worker.populations[population].sim;
}

void brink_stats_add(brink_stats *sum, const brink_stats *one) {
  sum->steps += one->steps;
  sum->rejected += one->rejected;
  sum->rhs += one->rhs;
  sum->guards += one->guards;
  sum->roots += one->roots;
  sum->refused_outside += one->refused_outside;
  sum->rhs_past_guard += one->rhs_past_guard;
  sum->events += one->events;
  sum->near_misses += one->near_misses;
  sum->restarts += one->restarts;
}

const brink_agents_stats *brink_agents_statistics(brink_agents *agents) {
  brink_agents_stats *stats = &agents->stats;
  const brink_worker *worker = &agents->worker;
  stats->sum = *brink_sim_stats(worker->populations[0].sim);
  size_t bytes = agents->n * (sizeof *agents->members + sizeof *agents->intervals +
                              sizeof(brink_queue_item) + sizeof(uint32_t));
  for (size_t k = 0; k < agents->def.npopulations; k++) {
    if (k > 0) brink_stats_add(&stats->sum, brink_sim_stats(worker->populations[k].sim));
    bytes += worker->populations[k].def.count * worker->populations[k].packing.size;
  }
  for (size_t k = 0; k < agents->def.npairs; k++) {
    brink_stats_add(&stats->sum, &worker->pair_guards[k].eval.stats);
    if (worker->pair_guards[k].grid != NULL) bytes += brink_grid_bytes(worker->pair_guards[k].grid);
  }
  brink_stats_add(&stats->sum, &agents->committed);
  stats->sum.events += stats->pair_events;
  stats->bytes = bytes / agents->n;
  return stats;
}
