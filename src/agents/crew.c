/* crew.c: the agents of a population, packed, and the simulation that they take turns in. */
#include "agents/parts.h"

#include <math.h>
#include <string.h>

void *brink_crew_packed(const brink_crew *crew, size_t agent) {
  return crew->packed + agent * crew->packing.size;
}

void brink_crew_take(brink_crew *crew, size_t agent) {
  brink_unpack(&crew->packing, crew->sim, brink_crew_packed(crew, agent));
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
}

brink_status brink_crew_move(brink_crew *crew, double t, double t_end, brink_diag *diag) {
  /* The same question as when it was planned, so that the answer is the same. */
  brink_status status = BRINK_STEPPED;
  do {
    status = brink_sim_advance(crew->sim, t_end, diag);
  } while (status == BRINK_STEPPED && crew->sim->t < t);
  return status < 0 || status == BRINK_STOPPED || status == BRINK_STEPPED ? status : BRINK_OK;
}

brink_status brink_crew_plan(brink_crew *crew, double t_end, void *packed, brink_prospect *prospect,
                             brink_diag *diag) {
  brink_foresight ahead = {.end = t_end};
  brink_sim *sim = crew->sim;
  /* What is foreseen must not depend on what only this simulation remembers. */
  brink_packing_settle(&crew->packing, sim);
  prospect->stands = sim->t;
  if (sim->t < t_end) {
    brink_status status = brink_sim_foresee(sim, t_end, &ahead, diag);
    if (status != BRINK_STEPPED && status != BRINK_OK) return status;
  }
  if (sim->eval.nheld > BRINK_PACKED_HOLDS || sim->eval.nties > BRINK_PACKED_HOLDS)
    return brink_sim_fail(
        sim, diag, BRINK_REASON_MAX_SLIDES,
        (brink_arguments){.count = (int64_t)sim->eval.nheld, .limit = BRINK_PACKED_HOLDS});
  brink_packing_follow(&crew->packing, sim, ahead.path);
  brink_pack(&crew->packing, sim, packed);
  prospect->valid = fmin(ahead.end, t_end);
  return BRINK_OK;
}
