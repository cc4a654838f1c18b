/* worker.c: what one thread works with. */
#include "agents/parts.h"

#include <math.h>
#include <string.h>

brink_agent_population *brink_worker_population(const brink_worker *worker, uint32_t agent) {
  return &worker->populations[worker->agents->members[agent].population];
}

/* ---- what simulations say ---- */

/* What happens to an agent by itself goes to the sink of all, with its name. */
static int on_event(const brink_event_record *record, void *user) {
  brink_worker *worker = user;
  brink_agents *agents = worker->agents;
  worker->spoke = true;
  if (worker->ahead || agents->sink.event == NULL) return 0;
  brink_agent_event event = brink_agents_acting(agents);
  event.record = record;
  return agents->sink.event(&event, agents->sink.user);
}

static int on_near_miss(const brink_near_miss *record, void *user) {
  brink_worker *worker = user;
  brink_agents *agents = worker->agents;
  worker->spoke = true;
  if (worker->ahead || agents->sink.near_miss == NULL) return 0;
  brink_agent_event who = brink_agents_acting(agents);
  return agents->sink.near_miss(who.population, who.agent, record, agents->sink.user);
}

static int on_slide(const brink_slide_record *record, void *user) {
  brink_worker *worker = user;
  brink_agents *agents = worker->agents;
  worker->spoke = true;
  if (worker->ahead || agents->sink.slide == NULL) return 0;
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
  pop->packed = number == 0 ? brink_allocate(allocator, pop->def.count, pop->packing.size)
                            : agents->worker.populations[k].packed;
  return pop->packed != NULL ? BRINK_OK : brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

/* ---- positions ---- */

static const double *start_of(const brink_agent_population *pop, size_t agent) {
  const brink_model_def *def = &pop->sim->model->def;
  return pop->def.x0 != NULL ? pop->def.x0 + agent * def->nx : def->x0;
}

static double size_of(const brink_meeting *m, int side, size_t agent) {
  const brink_agent_population *pop = m->population[side];
  const brink_model_def *def = &pop->sim->model->def;
  if (m->def.size[side] == UINT32_MAX) return m->def.size_value[side];
  const double *p = pop->def.p0 != NULL ? pop->def.p0 + agent * def->np : def->p0;
  return p[m->def.size[side]];
}

/* A share of the space for each agent, from where they start; at least what an agent fills itself. */
static double sweep_of(const brink_meeting *m, size_t count, double largest) {
  double low[3] = {0.0}, high[3] = {0.0};
  bool first = true;
  int sides = m->population[0] == m->population[1] ? 1 : 2;
  for (int side = 0; side < sides; side++) {
    for (size_t k = 0; k < m->population[side]->def.count; k++, first = false) {
      const double *x = start_of(m->population[side], k);
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
  bool one = m->population[0] == m->population[1];
  size_t count = m->population[0]->def.count + (one ? 0 : m->population[1]->def.count);
  m->tube = brink_arena_take(arena, count, sizeof *m->tube);
  if (m->tube == NULL || !brink_grid_create(count, m->def.ndimensions, &arena->allocator, &m->grid))
    return false;
  double largest = 0.0;
  for (size_t k = 0; k < count; k++) {
    bool second = k >= m->population[0]->def.count;
    largest =
        fmax(largest, size_of(m, second ? 1 : 0, second ? k - m->population[0]->def.count : k));
  }
  m->sweep = sweep_of(m, count, largest);
  if (!(m->sweep > 0.0)) m->sweep = 1.0;
  return true;
}

static bool make_meeting(brink_worker *worker, size_t k, size_t number) {
  brink_agents *agents = worker->agents;
  brink_meeting *m = &worker->meetings[k];
  brink_pair_def def = agents->def.pairs[k];
  def.model = model_for(def.model, def.others, number);
  if (!brink_meeting_init(m, &def, worker->populations, &agents->def.options, &agents->arena))
    return false;
  if (def.ndimensions == 0) return true;
  if (number == 0 && !place(m, &agents->arena)) return false;
  const brink_meeting *first = &agents->worker.meetings[k];
  m->grid = first->grid;
  m->tube = first->tube;
  m->sweep = first->sweep;
  return brink_grid_results_create(m->grid, &m->results);
}

/* ---- memory ---- */

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
    const brink_meeting *m = &worker->meetings[b];
    int sides[2], count = m->grid != NULL ? brink_meeting_sides(m, pop, sides) : 0;
    for (int k = 0; k < count; k++) {
      uint32_t number = brink_meeting_number(m, sides[k], member);
      brink_grid_prefetch(m->grid, number);
      brink_prefetch(&m->tube[number], sizeof *m->tube);
    }
  }
}

void brink_worker_prefetch_around(const brink_worker *worker, uint32_t agent) {
  const brink_agent_population *pop = population_at(worker, agent);
  for (size_t b = 0; b < worker->agents->def.npairs; b++) {
    const brink_meeting *m = &worker->meetings[b];
    int sides[2], count = m->grid != NULL ? brink_meeting_sides(m, pop, sides) : 0;
    for (int k = 0; k < count; k++)
      brink_grid_prefetch_around(m->grid, brink_meeting_number(m, sides[k], agent - pop->first));
  }
}

/* ---- the object ---- */

brink_status brink_worker_init(brink_worker *worker, brink_agents *agents, size_t number,
                               brink_diag *diag) {
  const brink_agents_def *def = &agents->def;
  *worker = (brink_worker){.agents = agents, .ahead = number > 0};
  worker->populations =
      brink_arena_take(&agents->arena, def->npopulations, sizeof *worker->populations);
  worker->meetings = brink_arena_take(&agents->arena, def->npairs, sizeof *worker->meetings);
  if (worker->populations == NULL || worker->meetings == NULL)
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  for (size_t k = 0; k < def->npopulations; k++) {
    brink_status status = make_population(worker, k, number, diag);
    if (status != BRINK_OK) return status;
  }
  for (size_t k = 0; k < def->npairs; k++) {
    if (!make_meeting(worker, k, number))
      return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the agents");
  }
  return BRINK_OK;
}

void brink_worker_free(brink_worker *worker, bool first) {
  if (worker->agents == NULL) return;
  const brink_agents *agents = worker->agents;
  for (size_t k = 0; worker->meetings != NULL && k < agents->def.npairs; k++) {
    brink_meeting *m = &worker->meetings[k];
    if (m->grid != NULL) brink_grid_results_destroy(m->grid, &m->results);
    if (first) brink_grid_destroy(m->grid);
  }
  for (size_t k = 0; worker->populations != NULL && k < agents->def.npopulations; k++) {
    brink_agent_population *pop = &worker->populations[k];
    if (first)
      brink_release(&agents->arena.allocator, pop->packed, pop->def.count, pop->packing.size);
    brink_sim_destroy(pop->sim);
  }
}
