/* population.c: the packed agents of a population, and the simulation that advances them one at a time. */
#include "agents/parts.h"

#include <math.h>
#include <string.h>

void brink_population_load(brink_agent_population *pop, size_t agent) {
  pop->loaded = brink_population_packed(pop, agent);
  brink_unpack(&pop->packing, pop->sim, pop->loaded);
}

void brink_population_start(brink_agent_population *pop, size_t agent) {
  brink_sim *sim = pop->sim;
  const brink_model_def *def = &sim->model->def;
  const brink_population_def *population = &pop->def;
  brink_stats stats = sim->eval.stats;
  brink_sim_reset(sim, NULL);
  sim->eval.stats = stats;
  if (population->x0 != NULL)
    memcpy(sim->x, population->x0 + agent * def->nx, def->nx * sizeof(double));
  if (population->p0 != NULL)
    memcpy(sim->eval.p, population->p0 + agent * def->np, def->np * sizeof(double));
  if (population->mode0 != NULL)
    memcpy(sim->eval.mode, population->mode0 + agent * def->nmodes, def->nmodes * sizeof(int));
  brink_timers_reset(sim);
}

/* The end of a plan in closed form: the states there; the simulation goes on from them. */
static brink_status follow_plan(const brink_agent_population *pop, double t) {
  brink_sim *sim = pop->sim;
  brink_plan plan = brink_packed_plan(&pop->packing, pop->loaded);
  for (size_t i = 0; i < pop->packing.nx; i++) sim->x[i] = brink_plan_at(&plan, i, t);
  sim->t = sim->stepper.t = t;
  sim->eval.stats.steps++;
  return BRINK_STEPPED;
}

bool brink_population_coast(brink_agent_population *pop, size_t agent, double t, double t_end,
                            double *valid) {
  return brink_coast(&pop->packing, pop->sim, brink_population_packed(pop, agent), t, t_end, valid);
}

brink_status brink_population_advance(brink_agent_population *pop, double t, double t_end,
                                      brink_diag *diag) {
  if (brink_packed_coasts(pop->loaded)) return follow_plan(pop, t);
  /* With the same end as when the plan was made, so that the step is the same. Only the field may ask for a shorter one
   * than planned (field_denies in src/sim): then the rest must not go past the plan, which others have relied on. */
  brink_status status = BRINK_STEPPED;
  for (double limit = t_end; status == BRINK_STEPPED; limit = t) {
    status = brink_sim_advance(pop->sim, limit, diag);
    if (pop->sim->t >= t) break;
  }
  return status < 0 || status == BRINK_STOPPED || status == BRINK_STEPPED ? status : BRINK_OK;
}

brink_status brink_population_plan(brink_agent_population *pop, double t_end, void *packed,
                                   brink_plan_interval *interval, brink_diag *diag) {
  brink_look_ahead ahead = {.end = t_end};
  brink_sim *sim = pop->sim;
  /* The plan must follow from what is packed alone, not from what is left in this simulation of other agents. */
  brink_packing_settle(&pop->packing, sim);
  interval->start = sim->t;
  if (sim->t < t_end) {
    brink_status status = brink_sim_look_ahead(sim, t_end, &ahead, diag);
    if (status != BRINK_STEPPED && status != BRINK_OK) return status;
  }
  if (sim->eval.nheld > BRINK_PACKED_HOLDS || sim->eval.nties > BRINK_PACKED_HOLDS)
    return brink_sim_fail(
        sim, diag, BRINK_REASON_MAX_SLIDES,
        (brink_arguments){.count = (int64_t)sim->eval.nheld, .limit = BRINK_PACKED_HOLDS});
  brink_packing_follow(&pop->packing, sim, ahead.path);
  brink_pack(&pop->packing, sim, packed);
  interval->valid = fmin(ahead.end, t_end);
  return BRINK_OK;
}
