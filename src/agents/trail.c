/* trail.c: what happens to agents in a round of a rank: hashes and hulls, by which ranks find out whether they have computed
 * the same (domain.c).
 *
 * The hash of an agent is a chain: all that others can read of it goes into it, in the order in which it happens. What is
 * hashed is numbers, never the bytes of structs, between whose fields there may be anything. */
#include "agents/parts.h"

#include <math.h>
#include <string.h>

static const uint64_t begin = 0x9e3779b97f4a7c15u, multiplier = 0xbf58476d1ce4e5b9u;

bool brink_trail_init(brink_trail *trail, const brink_agents *agents, brink_arena *arena) {
  size_t guards = 0;
  *trail = (brink_trail){.hash = brink_arena_take(arena, agents->n, sizeof *trail->hash)};
  trail->hull = brink_arena_take(arena, agents->def.npairs, sizeof *trail->hull);
  for (size_t b = 0; b < agents->def.npairs && !arena->failed; b++) {
    const brink_pair_guards *pg = &agents->worker.pair_guards[b];
    trail->hull[b] = brink_arena_take(arena, brink_pair_agents(pg), sizeof *trail->hull[b]);
    if (pg->eval.model->def.nguards > guards) guards = pg->eval.model->def.nguards;
  }
  trail->sgn = brink_arena_take(arena, guards, 1);
  return !arena->failed;
}

/* ---- hashes ---- */

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * multiplier;
  return hash ^ (hash >> 29);
}

static uint64_t mix_doubles(uint64_t hash, const double *values, size_t count) {
  for (size_t k = 0; k < count; k++) {
    uint64_t bits;
    memcpy(&bits, &values[k], sizeof bits);
    hash = mix(hash, bits);
  }
  return hash;
}

/* Polynomials, parameters, modes. */
void brink_trail_plan(brink_trail *trail, const brink_agents *agents, uint32_t agent) {
  const brink_agent_population *pop = brink_worker_population(&agents->worker, agent);
  const brink_model_def *def = &pop->sim->model->def;
  const void *packed = brink_agents_packed(agents, agent);
  brink_plan plan = brink_packed_plan(&pop->packing, packed);
  const double head[] = {plan.origin, plan.unit, agents->members[agent].valid};
  uint64_t hash = mix_doubles(trail->hash[agent], head, sizeof head / sizeof *head);
  hash = mix(hash, (uint64_t)plan.degree);
  for (size_t i = 0; i < pop->packing.nx; i++)
    hash = mix_doubles(hash, plan.c + i * plan.length, (size_t)plan.degree + 1);
  hash = mix_doubles(hash, brink_packed_parameters(&pop->packing, packed), def->np);
  const int *mode = brink_packed_modes(&pop->packing, packed);
  for (size_t k = 0; k < def->nmodes; k++) hash = mix(hash, (uint64_t)mode[k]);
  trail->hash[agent] = hash;
}

void brink_box_extend(brink_box *hull, const brink_box *box, int ndimensions) {
  for (int d = 0; d < ndimensions; d++) {
    /* A bound that is not a number stays: such a box touches all others. */
    if (isnan(box->low[d]) || box->low[d] < hull->low[d]) hull->low[d] = box->low[d];
    if (isnan(box->high[d]) || box->high[d] > hull->high[d]) hull->high[d] = box->high[d];
  }
}

/* The boxes of an agent in all blocks: into its hull, and the hash. */
static uint64_t mix_boxes(brink_trail *trail, const brink_agents *agents, uint32_t agent,
                          uint64_t hash, bool first) {
  const brink_agent_population *pop = brink_worker_population(&agents->worker, agent);
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_pair_guards *pg = &agents->worker.pair_guards[b];
    int sides[2], count = brink_pair_sides(pg, pop, sides);
    for (int k = 0; k < count; k++) {
      uint32_t number = brink_pair_grid_index(pg, sides[k], agent - pop->first);
      const brink_box *box = brink_grid_box(pg->grid, number);
      if (first)
        trail->hull[b][number] = *box;
      else
        brink_box_extend(&trail->hull[b][number], box, pg->def.ndimensions);
      hash = mix_doubles(hash, box->low, (size_t)pg->def.ndimensions);
      hash = mix_doubles(hash, box->high, (size_t)pg->def.ndimensions);
    }
  }
  return hash;
}

void brink_trail_window(brink_trail *trail, const brink_agents *agents, uint32_t agent) {
  const brink_window *window = &agents->members[agent].window;
  const double times[] = {window->start, window->end};
  uint64_t hash = mix_doubles(trail->hash[agent], times, 2);
  hash = mix(hash, window->ending);
  if (window->ending == BRINK_ENDS_AT_PAIR_EVENT) {
    hash = mix(hash, (uint64_t)window->partner << 32 | window->guard);
    hash = mix(hash, (uint64_t)window->block << 16 | (uint64_t)(window->direction + 1) << 8 |
                         window->kind);
  }
  trail->hash[agent] = mix_boxes(trail, agents, agent, hash, false);
}

/* With the time: records that are over then are deleted. */
void brink_trail_contact(brink_trail *trail, const brink_contact *c, double now) {
  const double numbers[] = {c->at, c->origin[0], c->origin[1], c->slack, c->leaves_at, c->fired};
  uint64_t hash = mix(mix_doubles(begin, &now, 1), (uint64_t)c->pair[0] << 32 | c->pair[1]);
  hash = mix(hash, (uint64_t)c->guard << 32 | c->times);
  hash = mix(hash, (uint64_t)c->block << 32 | (uint64_t)(c->sign + 1) << 24 |
                       (uint64_t)(c->due + 1) << 16 | (uint64_t)c->kind << 8 |
                       (uint64_t)c->touching << 1 | (uint64_t)c->removed);
  if (!c->removed) hash = mix_doubles(hash, numbers, sizeof numbers / sizeof *numbers);
  for (int k = 0; k < 2; k++) trail->hash[c->pair[k]] = mix(trail->hash[c->pair[k]], hash);
}

void brink_trail_clear(brink_trail *trail, const brink_agents *agents, uint32_t agent) {
  trail->hash[agent] = mix_boxes(trail, agents, agent, begin, true);
}

void brink_trail_spoil(brink_trail *trail, uint32_t agent) {
  trail->hash[agent] = mix(~trail->hash[agent], agent);
}

/* ---- turns ---- */

void brink_trail_action(brink_trail *trail, const brink_agents *agents, size_t block,
                        const uint32_t pair[2], const brink_pair_root *root) {
  const brink_pair_guards *pg = &agents->worker.pair_guards[block];
  trail->fired = true;
  trail->block = block;
  memcpy(trail->pair, pair, sizeof trail->pair);
  trail->root = *root;
  memcpy(trail->sgn, pg->eval.sgn, pg->eval.model->def.nguards);
}
