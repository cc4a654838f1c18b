/* crew.c: the agents of a population, packed, and the simulation that they take turns in. */
#include "agents/parts.h"

#include <string.h>

void *brink_crew_packed(const brink_crew *crew, size_t agent) {
  return crew->packed + agent * crew->packing.size;
}

void brink_crew_take(brink_crew *crew, size_t agent) {
  if (crew->at == agent) return;
  brink_unpack(&crew->packing, crew->sim, brink_crew_packed(crew, agent));
  crew->at = agent;
}

void brink_crew_keep(brink_crew *crew, size_t agent) {
  brink_pack(&crew->packing, crew->sim, brink_crew_packed(crew, agent));
  crew->at = agent;
}

void brink_crew_start(brink_crew *crew, size_t agent) {
  brink_sim *sim = crew->sim;
  const brink_model_def *def = &sim->model->def;
  const brink_population_def *population = &crew->def;
  brink_stats stats = sim->eval.stats;
  brink_sim_reset(sim, NULL);
  sim->eval.stats = stats;
  if (population->x0 != NULL)
    memcpy(sim->x, population->x0 + agent * def->nx, def->nx * sizeof(double));
  if (population->p0 != NULL)
    memcpy(sim->eval.p, population->p0 + agent * def->np, def->np * sizeof(double));
  if (population->mode0 != NULL)
    memcpy(sim->eval.mode, population->mode0 + agent * def->nmodes, def->nmodes * sizeof(int));
  crew->at = agent;
}
