/* clone.c: the state of a run as a whole: copied into another run, or set back to the start.
 *
 * What agents are going to do follows from what is packed, from the engine's records of them, the grids, the contacts and
 * the queue. Simulations and pair guards are workspaces; of them only counters are part of the state. Speculative steps
 * are not copied: they change nothing. */
#include "agents/parts.h"

#include <math.h>
#include <string.h>

/* ---- clone ---- */

static bool same_population(const brink_agent_population *a, const brink_agent_population *b) {
  const brink_model_def *one = &a->sim->model->def, *other = &b->sim->model->def;
  return a->def.count == b->def.count && a->packing.size == b->packing.size &&
         a->packing.p_at == b->packing.p_at && a->packing.mode_at == b->packing.mode_at &&
         one->nx == other->nx && one->np == other->np && one->nmodes == other->nmodes;
}

static bool same_pair(const brink_pair_guards *a, const brink_pair_guards *b) {
  const brink_model_def *one = &a->eval.model->def, *other = &b->eval.model->def;
  return a->def.population[0] == b->def.population[0] &&
         a->def.population[1] == b->def.population[1] && a->def.ndimensions == b->def.ndimensions &&
         one->nx == other->nx && one->np == other->np && one->nmodes == other->nmodes &&
         one->nguards == other->nguards;
}

/* Do both runs have the same populations and pair blocks, of the same sizes? */
static bool same_shape(const brink_agents *a, const brink_agents *b) {
  if (a->def.npopulations != b->def.npopulations || a->def.npairs != b->def.npairs) return false;
  for (size_t k = 0; k < a->def.npopulations; k++) {
    if (!same_population(&a->worker.populations[k], &b->worker.populations[k])) return false;
  }
  for (size_t k = 0; k < a->def.npairs; k++) {
    if (!same_pair(&a->worker.pair_guards[k], &b->worker.pair_guards[k])) return false;
  }
  return true;
}

static void copy_population(brink_agent_population *to, const brink_agent_population *from) {
  const char *reason = to->sim->eval.stats.reason; /* a text of its own */
  memcpy(to->packed, from->packed, from->def.count * from->packing.size);
  to->sim->eval.stats = from->sim->eval.stats;
  to->sim->eval.stats.reason = reason;
  to->def.x0 = from->def.x0; /* for a run that has not begun */
  to->def.p0 = from->def.p0;
  to->def.mode0 = from->def.mode0;
}

/* Signs are those of the last search, which an action may read. */
static void copy_pair(brink_pair_guards *to, const brink_pair_guards *from, size_t count) {
  const brink_model_def *def = &from->eval.model->def;
  memcpy(to->eval.p, from->eval.p, def->np * sizeof(double));
  memcpy(to->eval.mode, from->eval.mode, def->nmodes * sizeof(int));
  memcpy(to->eval.sgn, from->eval.sgn, def->nguards);
  to->eval.stats = from->eval.stats;
  to->window_travel = from->window_travel;
  if (from->grid == NULL) return;
  brink_grid_copy(to->grid, from->grid);
  memcpy(to->tube, from->tube, count * sizeof *to->tube);
}

static bool copy_state(brink_agents *to, const brink_agents *from) {
  for (size_t k = 0; k < from->def.npopulations; k++)
    copy_population(&to->worker.populations[k], &from->worker.populations[k]);
  for (size_t k = 0; k < from->def.npairs; k++) {
    const brink_pair_guards *pg = &from->worker.pair_guards[k];
    copy_pair(&to->worker.pair_guards[k], pg, brink_pair_agents(pg));
  }
  memcpy(to->members, from->members, from->n * sizeof *to->members);
  memcpy(to->intervals, from->intervals, from->n * sizeof *to->intervals);
  brink_queue_copy(&to->queue, &from->queue);
  to->stats = from->stats;
  to->committed = from->committed;
  to->started = from->started;
  to->now = from->now;
  to->t_end = from->t_end;
  to->t_start = from->t_start;
  to->acting = from->acting;
  to->acting_block = from->acting_block;
  memcpy(to->acting_pair, from->acting_pair, sizeof to->acting_pair);
  return brink_contacts_copy(&to->contacts, &from->contacts, from->n) &&
         brink_pair_intervals_copy(&to->pair_intervals, &from->pair_intervals, from->n);
}

brink_status brink_agents_clone(const brink_agents *from, const brink_agents_def *def,
                                const brink_allocator *allocator, brink_diag *diag,
                                brink_agents **to) {
  brink_status status = brink_agents_create(def, allocator, diag, to);
  if (status != BRINK_OK) return status;
  if (!same_shape(*to, from))
    status = brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                            "a clone needs the populations and pairs of the run that is cloned");
  else if (!copy_state(*to, from))
    status = brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  if (status == BRINK_OK) return BRINK_OK;
  brink_agents_destroy(*to);
  *to = NULL;
  return status;
}

/* ---- reset ---- */

static void reset_population(brink_agent_population *pop, const brink_agents_start *start) {
  brink_sim_reset(pop->sim, NULL);
  if (start == NULL) return;
  pop->def.x0 = start->x0;
  pop->def.p0 = start->p0;
  pop->def.mode0 = start->mode0;
}

static void reset_pair(brink_pair_guards *pg) {
  const brink_model_def *def = &pg->eval.model->def;
  memcpy(pg->eval.p, def->p0, def->np * sizeof(double));
  memcpy(pg->eval.mode, def->mode0, def->nmodes * sizeof(int));
  memset(pg->eval.sgn, 0, def->nguards);
  pg->eval.stats = (brink_stats){0};
  if (pg->grid == NULL) return;
  brink_grid_clear(pg->grid);
  brink_pair_set_travel(pg);
}

void brink_agents_reset(brink_agents *agents, const brink_agents_start *starts) {
  brink_agents_sink sink = agents->sink;
  agents->sink = (brink_agents_sink){0}; /* slides under way are not reported */
  for (size_t k = 0; k < agents->def.npopulations; k++)
    reset_population(&agents->worker.populations[k], starts != NULL ? &starts[k] : NULL);
  agents->sink = sink;
  for (size_t k = 0; k < agents->def.npairs; k++) reset_pair(&agents->worker.pair_guards[k]);
  for (size_t i = 0; i < agents->n; i++)
    agents->members[i] = (brink_member){.population = agents->members[i].population};
  memset(agents->intervals, 0, agents->n * sizeof *agents->intervals);
  brink_pair_intervals_clear(&agents->pair_intervals, agents->n);
  brink_queue_clear(&agents->queue);
  brink_contacts_clear(&agents->contacts, agents->n);
  brink_speculation_discard(agents->speculation);
  agents->stats = (brink_agents_stats){0};
  agents->committed = (brink_stats){0};
  agents->started = false;
  agents->now = agents->t_end = agents->t_start = agents->worker.populations[0].sim->model->def.t0;
  agents->acting = 0;
  agents->acting_block = BRINK_NONE;
  agents->arena.failed = false;
}
