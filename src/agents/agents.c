/* agents.c: populations with clocks of their own: making, destroying, asking. */
#include <math.h>
#include <string.h>

#include "agents/parts.h"

/* ---- making ---- */

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
  }
  if (def->npopulations == 0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "there is no population");
  return BRINK_OK;
}

/* What happens to an agent by itself goes to the sink of all, with its name. */
static int on_event(const brink_event_record *record, void *user) {
  brink_agents *agents = user;
  if (agents->sink.event == NULL) return 0;
  brink_agent_event event = brink_agents_acting(agents);
  event.record = record;
  return agents->sink.event(&event, agents->sink.user);
}

static int on_near_miss(const brink_near_miss *record, void *user) {
  brink_agents *agents = user;
  if (agents->sink.near_miss == NULL) return 0;
  brink_agent_event who = brink_agents_acting(agents);
  return agents->sink.near_miss(who.population, who.agent, record, agents->sink.user);
}

static int on_slide(const brink_slide_record *record, void *user) {
  brink_agents *agents = user;
  if (agents->sink.slide == NULL) return 0;
  brink_agent_event who = brink_agents_acting(agents);
  return agents->sink.slide(who.population, who.agent, record, agents->sink.user);
}

static brink_status make_crew(brink_agents *agents, size_t k, brink_diag *diag) {
  brink_crew *crew = &agents->crews[k];
  crew->def = agents->def.populations[k];
  crew->first = agents->n;
  crew->at = BRINK_NONE;
  agents->n += crew->def.count;
  brink_status status = brink_sim_create(crew->def.model, &agents->def.options,
                                         &agents->arena.allocator, diag, &crew->sim);
  if (status == BRINK_OK) status = brink_packing_init(&crew->packing, crew->sim, diag);
  if (status != BRINK_OK) return status;
  brink_sink sink = {
      .event = on_event, .near_miss = on_near_miss, .slide = on_slide, .user = agents};
  brink_sim_set_sink(crew->sim, &sink);
  crew->packed = brink_allocate(&agents->arena.allocator, crew->def.count, crew->packing.size);
  return crew->packed != NULL ? BRINK_OK : brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

static bool take_arrays(brink_agents *agents) {
  brink_arena *arena = &agents->arena;
  size_t n = agents->n;
  agents->crew_of = brink_arena_take(arena, n, sizeof *agents->crew_of);
  agents->start = brink_arena_take(arena, n, sizeof *agents->start);
  agents->end = brink_arena_take(arena, n, sizeof *agents->end);
  agents->valid = brink_arena_take(arena, n, sizeof *agents->valid);
  agents->ending = brink_arena_take(arena, n, sizeof *agents->ending);
  agents->partner = brink_arena_take(arena, n, sizeof *agents->partner);
  agents->met = brink_arena_take(arena, n, sizeof *agents->met);
  agents->met_at = brink_arena_take(arena, n, sizeof *agents->met_at);
  agents->met_sign = brink_arena_take(arena, n, sizeof *agents->met_sign);
  agents->event_at = brink_arena_take(arena, n, sizeof *agents->event_at);
  agents->gap = brink_arena_take(arena, n, sizeof *agents->gap);
  agents->shrunk = brink_arena_take(arena, n, sizeof *agents->shrunk);
  agents->idle = brink_arena_take(arena, n, sizeof *agents->idle);
  agents->block = brink_arena_take(arena, n, sizeof *agents->block);
  agents->guard = brink_arena_take(arena, n, sizeof *agents->guard);
  agents->direction = brink_arena_take(arena, n, sizeof *agents->direction);
  agents->kind = brink_arena_take(arena, n, sizeof *agents->kind);
  agents->there = brink_arena_take(arena, n, sizeof *agents->there);
  return agents->crew_of != NULL && agents->start != NULL && agents->end != NULL &&
         agents->valid != NULL && agents->ending != NULL && agents->partner != NULL &&
         agents->met != NULL && agents->met_at != NULL && agents->met_sign != NULL &&
         agents->event_at != NULL && agents->gap != NULL && agents->shrunk != NULL &&
         agents->idle != NULL && agents->block != NULL && agents->guard != NULL &&
         agents->direction != NULL && agents->kind != NULL && agents->there != NULL &&
         brink_queue_init(&agents->queue, agents->end, n, arena);
}

/* ---- positions ---- */

static const double *start_of(const brink_crew *crew, size_t agent) {
  const brink_model_def *def = &crew->sim->model->def;
  return crew->def.x0 != NULL ? crew->def.x0 + agent * def->nx : def->x0;
}

static double size_of(const brink_meeting *m, int side, size_t agent) {
  const brink_crew *crew = m->crew[side];
  const brink_model_def *def = &crew->sim->model->def;
  if (m->def.size[side] == UINT32_MAX) return m->def.size_value[side];
  const double *p = crew->def.p0 != NULL ? crew->def.p0 + agent * def->np : def->p0;
  return p[m->def.size[side]];
}

/* A share of the space for each agent, from where they start; at least what an agent fills itself. */
static double sweep_of(const brink_meeting *m, size_t count, double largest) {
  double low[3] = {0.0}, high[3] = {0.0};
  bool first = true;
  int sides = m->crew[0] == m->crew[1] ? 1 : 2;
  for (int side = 0; side < sides; side++) {
    for (size_t k = 0; k < m->crew[side]->def.count; k++, first = false) {
      const double *x = start_of(m->crew[side], k);
      for (int d = 0; d < m->def.ndimensions; d++) {
        double at = x[m->def.position[side][d]];
        low[d] = first ? at : fmin(low[d], at);
        high[d] = first ? at : fmax(high[d], at);
      }
    }
  }
  double volume = 1.0;
  for (int d = 0; d < m->def.ndimensions; d++) volume *= fmax(high[d] - low[d], 2.0 * largest);
  double share = pow(volume / (double)count, 1.0 / m->def.ndimensions);
  return fmax(0.5 * share, largest);
}

static bool place(brink_meeting *m, brink_arena *arena) {
  if (m->def.ndimensions == 0) return true;
  bool one = m->crew[0] == m->crew[1];
  size_t count = m->crew[0]->def.count + (one ? 0 : m->crew[1]->def.count);
  m->track = brink_arena_take(arena, count, sizeof *m->track);
  if (m->track == NULL ||
      !brink_grid_create(count, m->def.ndimensions, &arena->allocator, &m->grid) ||
      !brink_grid_reader_create(m->grid, &m->reader))
    return false;
  double largest = 0.0;
  for (size_t k = 0; k < count; k++) {
    bool second = k >= m->crew[0]->def.count;
    largest = fmax(largest, size_of(m, second ? 1 : 0, second ? k - m->crew[0]->def.count : k));
  }
  m->sweep = sweep_of(m, count, largest);
  if (!(m->sweep > 0.0)) m->sweep = 1.0;
  return true;
}

static brink_status build(brink_agents *agents, brink_diag *diag) {
  const brink_agents_def *def = &agents->def;
  brink_arena *arena = &agents->arena;
  agents->crews = brink_arena_take(arena, def->npopulations, sizeof *agents->crews);
  agents->meetings = brink_arena_take(arena, def->npairs, sizeof *agents->meetings);
  if (agents->crews == NULL || agents->meetings == NULL)
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  for (size_t k = 0; k < def->npopulations; k++) {
    brink_status status = make_crew(agents, k, diag);
    if (status != BRINK_OK) return status;
  }
  size_t largest = 0;
  for (size_t k = 0; k < def->npopulations; k++)
    largest = agents->crews[k].packing.size > largest ? agents->crews[k].packing.size : largest;
  agents->old = brink_arena_take(arena, largest, 1);
  agents->jumper = BRINK_NOBODY;
  bool fine = agents->n < BRINK_NOBODY && agents->old != NULL && take_arrays(agents);
  for (size_t k = 0; fine && k < def->npopulations; k++) {
    for (size_t i = 0; i < agents->crews[k].def.count; i++)
      agents->crew_of[agents->crews[k].first + i] = (uint16_t)k;
  }
  for (size_t k = 0; fine && k < def->npairs; k++) {
    fine = brink_meeting_init(&agents->meetings[k], &def->pairs[k], agents->crews, &def->options,
                              arena) &&
           place(&agents->meetings[k], arena);
  }
  return fine ? BRINK_OK : brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the agents");
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
  *result = agents;
  return BRINK_OK;
}

void brink_agents_destroy(brink_agents *agents) {
  if (agents == NULL) return;
  for (size_t k = 0; agents->meetings != NULL && k < agents->def.npairs; k++) {
    brink_meeting *m = &agents->meetings[k];
    if (m->grid != NULL) brink_grid_reader_destroy(m->grid, &m->reader);
    brink_grid_destroy(m->grid);
  }
  for (size_t k = 0; agents->crews != NULL && k < agents->def.npopulations; k++) {
    brink_crew *crew = &agents->crews[k];
    brink_release(&agents->arena.allocator, crew->packed, crew->def.count, crew->packing.size);
    brink_sim_destroy(crew->sim);
  }
  brink_arena arena = agents->arena; /* the object itself lives in it */
  brink_arena_free(&arena);
}

void brink_agents_set_sink(brink_agents *agents, const brink_agents_sink *sink) {
  agents->sink = sink != NULL ? *sink : (brink_agents_sink){0};
}

/* ---- asking ---- */

double brink_agents_time(const brink_agents *agents) {
  return agents->now;
}

double brink_agents_horizon(const brink_agents *agents) {
  if (!agents->started) return agents->now;
  return fmin(agents->end[brink_queue_first(&agents->queue)], agents->t_end);
}

brink_agent_event brink_agents_acting(const brink_agents *agents) {
  size_t population = agents->crew_of[agents->acting];
  brink_agent_event who = {.population = population,
                           .agent = agents->acting - agents->crews[population].first,
                           .pair = agents->acting_block,
                           .partner = {BRINK_NONE, BRINK_NONE}};
  if (who.pair == BRINK_NONE) return who;
  who.population = who.agent = BRINK_NONE;
  for (int side = 0; side < 2; side++) {
    const brink_crew *crew = agents->meetings[who.pair].crew[side];
    who.partner[side] = agents->acting_pair[side] - crew->first;
  }
  return who;
}

void brink_agents_at(const brink_agents *agents, size_t population, size_t agent, double t,
                     double *x, const double **p, const int **mode) {
  const brink_crew *crew = &agents->crews[population];
  const void *packed = brink_crew_packed(crew, agent);
  brink_plan plan = brink_packed_plan(&crew->packing, packed);
  for (size_t i = 0; i < crew->packing.nx; i++) x[i] = brink_plan_at(&plan, i, t);
  if (p != NULL) *p = brink_packed_parameters(&crew->packing, packed);
  if (mode != NULL) *mode = brink_packed_modes(&crew->packing, packed);
}

size_t brink_agents_slides(brink_agents *agents, size_t population, size_t agent,
                           brink_slide_record *records, size_t capacity) {
  brink_crew *crew = &agents->crews[population];
  brink_crew_take(crew, agent);
  return brink_sim_slides(crew->sim, records, capacity);
}

brink_sim *brink_agents_sim(const brink_agents *agents, size_t population) {
  return agents->crews[population].sim;
}

/* Counters that add up. */
static void add(brink_stats *sum, const brink_stats *one) {
  sum->steps += one->steps;
  sum->rejected += one->rejected;
  sum->rhs += one->rhs;
  sum->guards += one->guards;
  sum->roots += one->roots;
  sum->vetoed += one->vetoed;
  sum->rhs_past_guard += one->rhs_past_guard;
  sum->events += one->events;
  sum->near_misses += one->near_misses;
  sum->restarts += one->restarts;
}

const brink_agents_stats *brink_agents_statistics(brink_agents *agents) {
  brink_agents_stats *stats = &agents->stats;
  stats->sum = *brink_sim_stats(agents->crews[0].sim);
  size_t bytes = 0;
  for (size_t k = 0; k < agents->def.npopulations; k++) {
    if (k > 0) add(&stats->sum, brink_sim_stats(agents->crews[k].sim));
    bytes += agents->crews[k].def.count * agents->crews[k].packing.size;
  }
  for (size_t k = 0; k < agents->def.npairs; k++) {
    add(&stats->sum, &agents->meetings[k].eval.stats);
    if (agents->meetings[k].grid != NULL) bytes += brink_grid_bytes(agents->meetings[k].grid);
  }
  stats->sum.events += stats->meetings;
  stats->bytes = bytes / agents->n + 70;
  return stats;
}
