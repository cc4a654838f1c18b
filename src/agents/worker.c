/* worker.c: the workspace of one thread: a simulation for each population, pair guards for each block. */
#include "agents/parts.h"

#include <math.h>
#include <string.h>

/* ---- sinks of the simulations ---- */

/* Events of one agent go to the sink of the run, with the number of the agent. */
static int on_event(const brink_event_record *record, void *user) {
  brink_worker *worker = user;
  brink_agents *agents = worker->agents;
  worker->reported = true;
  if (worker->speculative || agents->sink.event == NULL) return 0;
  brink_agent_event event = brink_agents_acting(agents);
  event.record = record;
  return agents->sink.event(&event, agents->sink.user);
}

static int on_near_miss(const brink_near_miss *record, void *user) {
  brink_worker *worker = user;
  brink_agents *agents = worker->agents;
  worker->reported = true;
  if (worker->speculative || agents->sink.near_miss == NULL) return 0;
  brink_agent_event who = brink_agents_acting(agents);
  return agents->sink.near_miss(who.population, who.agent, record, agents->sink.user);
}

static int on_slide(const brink_slide_record *record, void *user) {
  brink_worker *worker = user;
  brink_agents *agents = worker->agents;
  worker->reported = true;
  if (worker->speculative || agents->sink.slide == NULL) return 0;
  brink_agent_event who = brink_agents_acting(agents);
  return agents->sink.slide(who.population, who.agent, record, agents->sink.user);
}

/* ---- populations ---- */

/* `number`: 0 for the first worker. */
static const brink_model *model_for(const brink_model *model, const brink_model *const *others,
                                    size_t number) {
  return number == 0 || others == NULL ? model : others[number - 1];
}

static brink_status make_population(brink_worker *worker, size_t k, size_t number,
                                    brink_diag *diag) {
  brink_agents *agents = worker->agents;
  const brink_allocator *allocator = &agents->arena.allocator;
  brink_agent_population *pop = &worker->populations[k];
  const brink_agent_population *before = k > 0 ? pop - 1 : NULL;
  pop->def = agents->def.populations[k];
  pop->first = before != NULL ? before->first + before->def.count : 0;
  const brink_model *model = model_for(pop->def.model, pop->def.others, number);
  brink_status status = brink_sim_create(model, &agents->def.options, allocator, diag, &pop->sim);
  if (status == BRINK_OK) status = brink_packing_init(&pop->packing, pop->sim, diag);
  if (status != BRINK_OK) return status;
  brink_sink sink = {
      .event = on_event, .near_miss = on_near_miss, .slide = on_slide, .user = worker};
  brink_sim_set_sink(pop->sim, &sink);
  pop->packed = number == 0 ? brink_arena_take(&agents->arena, pop->def.count, pop->packing.size)
                            : agents->worker.populations[k].packed;
  return agents->arena.failed ? brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory") : BRINK_OK;
}

/* ---- the broad phase ---- */

static const double *start_of(const brink_agent_population *pop, size_t agent) {
  const brink_model_def *def = &pop->sim->model->def;
  return pop->def.x0 != NULL ? pop->def.x0 + agent * def->nx : def->x0;
}

static double size_of(const brink_pair_guards *pg, int side, size_t agent) {
  const brink_agent_population *pop = pg->population[side];
  const brink_model_def *def = &pop->sim->model->def;
  if (pg->def.size[side] == UINT32_MAX) return pg->def.size_value[side];
  const double *p = pop->def.p0 != NULL ? pop->def.p0 + agent * def->np : def->p0;
  return p[pg->def.size[side]];
}

/* The distance that an agent may travel in one window: half its share of the space, by the initial positions; at least the
 * size of the largest agent. */
static double window_travel_of(const brink_pair_guards *pg, size_t count, double largest) {
  double low[3] = {0.0}, high[3] = {0.0};
  bool first = true;
  int sides = pg->population[0] == pg->population[1] ? 1 : 2;
  for (int side = 0; side < sides; side++) {
    for (size_t k = 0; k < pg->population[side]->def.count; k++, first = false) {
      const double *x = start_of(pg->population[side], k);
      for (int d = 0; d < pg->def.ndimensions; d++) {
        double at = x[pg->def.position[side][d]];
        low[d] = first ? at : fmin(low[d], at);
        high[d] = first ? at : fmax(high[d], at);
      }
    }
  }
  double volume = 1.0;
  for (int d = 0; d < pg->def.ndimensions; d++) volume *= fmax(high[d] - low[d], 2.0 * largest);
  double share = pow(volume / (double)count, 1.0 / pg->def.ndimensions);
  return fmax(0.5 * share, largest);
}

size_t brink_pair_agents(const brink_pair_guards *pg) {
  bool one = pg->population[0] == pg->population[1];
  return pg->population[0]->def.count + (one ? 0 : pg->population[1]->def.count);
}

void brink_pair_set_travel(brink_pair_guards *pg) {
  size_t count = brink_pair_agents(pg);
  double largest = 0.0;
  for (size_t k = 0; k < count; k++) {
    size_t first = pg->population[0]->def.count;
    bool second = k >= first;
    largest = fmax(largest, size_of(pg, second ? 1 : 0, second ? k - first : k));
  }
  pg->window_travel = window_travel_of(pg, count, largest);
  if (!(pg->window_travel > 0.0)) pg->window_travel = 1.0;
}

static bool make_grid(brink_pair_guards *pg, brink_arena *arena) {
  size_t count = brink_pair_agents(pg);
  pg->tube = brink_arena_take(arena, count, sizeof *pg->tube);
  pg->grid = brink_grid_create(count, pg->def.ndimensions, arena);
  if (arena->failed) return false;
  brink_pair_set_travel(pg);
  return true;
}

static bool make_pair_guards(brink_worker *worker, size_t k, size_t number) {
  brink_agents *agents = worker->agents;
  brink_pair_guards *pg = &worker->pair_guards[k];
  brink_pair_def def = agents->def.pairs[k];
  def.model = model_for(def.model, def.others, number);
  if (!brink_pair_guards_init(pg, &def, worker->populations, &agents->def.options, &agents->arena))
    return false;
  if (def.ndimensions == 0) return true;
  if (number == 0 && !make_grid(pg, &agents->arena)) return false;
  const brink_pair_guards *first = &agents->worker.pair_guards[k];
  pg->grid = first->grid;
  pg->tube = first->tube;
  pg->results.list =
      brink_arena_take(&agents->arena, brink_pair_agents(pg), sizeof *pg->results.list);
  return !agents->arena.failed;
}

/* ---- prefetching ---- */

static const brink_agent_population *population_at(const brink_worker *worker, uint32_t agent) {
  const brink_agent_population *pop = worker->populations;
  while (agent - pop->first >= pop->def.count) pop++;
  return pop;
}

void brink_worker_prefetch(const brink_worker *worker, uint32_t agent) {
  const brink_agents *agents = worker->agents;
  const brink_agent_population *pop = population_at(worker, agent);
  size_t member = agent - pop->first;
  brink_prefetch(&agents->members[agent], sizeof *agents->members);
  brink_prefetch(brink_population_packed(pop, member), pop->packing.size);
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_pair_guards *pg = &worker->pair_guards[b];
    int sides[2], count = pg->grid != NULL ? brink_pair_sides(pg, pop, sides) : 0;
    for (int k = 0; k < count; k++) {
      uint32_t number = brink_pair_grid_index(pg, sides[k], member);
      brink_grid_prefetch(pg->grid, number);
      brink_prefetch(&pg->tube[number], sizeof *pg->tube);
    }
  }
}

void brink_worker_prefetch_around(const brink_worker *worker, uint32_t agent) {
  const brink_agent_population *pop = population_at(worker, agent);
  for (size_t b = 0; b < worker->agents->def.npairs; b++) {
    const brink_pair_guards *pg = &worker->pair_guards[b];
    int sides[2], count = pg->grid != NULL ? brink_pair_sides(pg, pop, sides) : 0;
    for (int k = 0; k < count; k++)
      brink_grid_prefetch_around(pg->grid, brink_pair_grid_index(pg, sides[k], agent - pop->first));
  }
}

/* ---- the object ---- */

brink_status brink_worker_init(brink_worker *worker, brink_agents *agents, size_t number,
                               brink_diag *diag) {
  const brink_agents_def *def = &agents->def;
  *worker = (brink_worker){.agents = agents, .speculative = number > 0};
  worker->populations =
      brink_arena_take(&agents->arena, def->npopulations, sizeof *worker->populations);
  worker->pair_guards = brink_arena_take(&agents->arena, def->npairs, sizeof *worker->pair_guards);
  if (agents->arena.failed) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  for (size_t k = 0; k < def->npopulations; k++) {
    brink_status status = make_population(worker, k, number, diag);
    if (status != BRINK_OK) return status;
  }
  for (size_t k = 0; k < def->npairs; k++) {
    if (!make_pair_guards(worker, k, number))
      return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the agents");
  }
  return BRINK_OK;
}

void brink_worker_free(brink_worker *worker) {
  if (worker->agents == NULL) return;
  const brink_agents *agents = worker->agents;
  for (size_t k = 0; worker->populations != NULL && k < agents->def.npopulations; k++)
    brink_sim_destroy(worker->populations[k].sim);
}

void brink_worker_restored(brink_worker *worker) {
  const brink_agents_def *def = &worker->agents->def;
  for (size_t k = 0; k < def->npopulations; k++) worker->populations[k].sim->eval.restored = true;
  for (size_t k = 0; k < def->npairs; k++) worker->pair_guards[k].eval.restored = true;
}
