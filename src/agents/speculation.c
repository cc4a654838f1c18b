/* speculation.c: turns computed by several threads before they are due.
 *
 * The engine takes one turn after another. The result of a turn depends on little: the agent itself, and the windows of its
 * neighbours. So several threads compute the turns of the next agents in the queue ahead of time, as speculative steps
 * that change nothing. When the turn of such an agent comes, its speculative step is committed if all that it has read
 * is unchanged:
 *
 *   - the agent itself (its version), and it did nothing but step: whatever reports to the sink, or has side
 *     effects, is left to the turn itself;
 *   - the agents that its window was compared with, by the versions that it recorded. Some of them have speculative
 *     steps for turns before this one; these were read as they will be after those steps;
 *   - there is no new neighbour: an agent that takes a turn without a speculative step invalidates the steps whose boxes
 *     touch its new box.
 *
 * If only the last two fail, the step is committed, and its window is compared again. So the run is, turn by turn, that of
 * one thread, for any number of threads; speculation only decides how much is computed in vain. Threads compute
 * speculative steps in two rounds, between which nothing changes: first steps, plans, windows and boxes, which concern one
 * agent each; then the comparisons. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agents/parts.h"
#include "agents/thread_pool.h"

#define SHARE 16  /* a batch has one of so many agents, … */
#define MOST 1024 /* … but no more than this, … */
#define FEWEST 16 /* … and no less: waking the threads would cost more */
#define NEXT 2    /* items ahead: what they read is prefetched */

/* Boxes of speculative steps, sorted by their lower ends in the first direction. */
typedef struct box_entry {
  double low;
  uint16_t step;
  uint8_t side;
} box_entry;

typedef struct boxes_of_block {
  box_entry *entries;
  size_t count;
  double widest;
} boxes_of_block;

struct brink_speculation {
  brink_agents *agents;
  brink_thread_pool *pool;
  brink_worker *workers;
  size_t nworkers;
  brink_speculative_step *steps;
  size_t count, capacity;
  brink_queue_item *upcoming; /* the turns that come next, … */
  brink_queue_item last;      /* … and the last of them */
  uint32_t *room;
  size_t skip; /* so many turns are taken without speculation */
  boxes_of_block *boxes;
};

/* ---- steps by agent ---- */

/* The speculative step of an agent; NULL: there is none that can be committed. */
static brink_speculative_step *step_of(const brink_speculation *spec, uint32_t agent) {
  size_t slot = spec->agents->members[agent].slot;
  if (slot >= spec->count) return NULL;
  brink_speculative_step *step = &spec->steps[slot];
  return step->candidate.agent == agent && step->usable ? step : NULL;
}

/* Does the turn of the step come before that of the candidate? */
static bool is_earlier(const brink_speculative_step *a, const brink_candidate_window *than) {
  double at = than->window.start;
  return a->at < at || (a->at == at && a->candidate.agent < than->agent);
}

/* The speculative step of an agent whose turn comes before. */
static const brink_speculative_step *
earlier_step(const brink_speculation *spec, const brink_candidate_window *cw, uint32_t agent) {
  const brink_speculative_step *step = step_of(spec, agent);
  return step != NULL && is_earlier(step, cw) ? step : NULL;
}

/* ---- steps, plans, windows ---- */

/* Step and plan of an agent, into the speculative step. */
static void advance(brink_speculation *spec, brink_worker *worker, brink_speculative_step *step) {
  brink_agents *agents = spec->agents;
  uint32_t agent = step->candidate.agent;
  brink_agent_population *pop = brink_worker_population(worker, agent);
  pop->sim->eval.stats = (brink_stats){0};
  brink_population_load(pop, brink_agents_index(agents, agent));
  worker->reported = false;
  double valid = agents->members[agent].valid;
  step->usable =
      brink_population_advance(pop, valid, agents->t_end, NULL) == BRINK_STEPPED &&
      !worker->reported &&
      brink_population_plan(pop, agents->t_end, step->packed, &step->interval, NULL) == BRINK_OK &&
      step->interval.valid >
          step->interval.start; /* else the turn itself may have to report an error */
  step->step_cost = pop->sim->eval.stats;
  step->advanced = true;
  step->candidate.packed = step->packed;
}

/* What an item reads is loaded into the caches while the ones before it are computed. */
static void prefetch(const brink_speculation *spec, size_t item,
                     void (*what)(const brink_worker *worker, uint32_t agent)) {
  if (item < spec->count) what(&spec->workers[0], spec->steps[item].candidate.agent);
}

/* The first round: step, plan and window of one agent. */
static void speculate(void *user, size_t item, size_t number) {
  brink_speculation *spec = user;
  brink_agents *agents = spec->agents;
  prefetch(spec, item + NEXT, brink_worker_prefetch);
  brink_worker *worker = &spec->workers[number];
  brink_speculative_step *step = &spec->steps[item];
  brink_candidate_window *cw = &step->candidate;
  const brink_member *member = &agents->members[cw->agent];
  step->version = member->version;
  step->at = member->window.end;
  step->advanced = step->complete = false;
  step->ncuts = step->nupdates = step->nneighbours = 0;
  step->interval.valid = member->valid;
  step->usable = true;
  cw->packed = cw->previous = brink_agents_packed(agents, cw->agent);
  if (step->at >= member->valid) advance(spec, worker, step);
  if (step->usable) brink_candidate_open(agents, worker, cw, step->at, step->interval.valid);
}

/* ---- comparisons ---- */

static int by_low(const void *a, const void *b) {
  const box_entry *one = a, *other = b;
  return (one->low > other->low) - (one->low < other->low);
}

static void sort_boxes(brink_speculation *spec, size_t block) {
  boxes_of_block *boxes = &spec->boxes[block];
  boxes->count = 0;
  boxes->widest = 0.0;
  for (size_t k = 0; k < spec->count; k++) {
    const brink_speculative_step *step = &spec->steps[k];
    if (!step->usable) continue;
    const brink_worker *worker = &spec->workers[0];
    const brink_agent_population *pop = brink_worker_population(worker, step->candidate.agent);
    int sides[2], nsides = brink_pair_sides(&worker->pair_guards[block], pop, sides);
    for (int s = 0; s < nsides; s++) {
      const brink_box *box = &step->candidate.bounds[2 * block + (size_t)sides[s]].box;
      boxes->entries[boxes->count++] =
          (box_entry){.low = box->low[0], .step = (uint16_t)k, .side = (uint8_t)sides[s]};
      boxes->widest = fmax(boxes->widest, box->high[0] - box->low[0]);
    }
  }
  qsort(boxes->entries, boxes->count, sizeof *boxes->entries, by_low);
}

/* The first box that may reach `low`. */
static size_t first_entry(const boxes_of_block *boxes, double low) {
  size_t from = 0, to = boxes->count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (boxes->entries[middle].low + boxes->widest < low)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

/* Inserts into the sorted list of neighbours. False: it is full. */
static bool insert(uint32_t *neighbours, size_t *count, uint32_t agent) {
  if (*count == BRINK_SPECULATIVE_NEIGHBOURS) return false;
  size_t k = (*count)++;
  for (; k > 0 && neighbours[k - 1] > agent; k--) neighbours[k] = neighbours[k - 1];
  neighbours[k] = agent;
  return true;
}

/* Adds the agents with earlier turns, by their new boxes. */
static bool add_earlier_steps(const brink_speculation *spec, const brink_candidate_window *cw,
                              size_t block, int side, uint32_t *neighbours, size_t *count) {
  const brink_pair_guards *pg = &spec->workers[0].pair_guards[block];
  const boxes_of_block *boxes = &spec->boxes[block];
  const brink_box *box = &cw->bounds[2 * block + (size_t)side].box;
  int other = pg->population[0] == pg->population[1] ? 0 : 1 - side;
  for (size_t k = first_entry(boxes, box->low[0]); k < boxes->count; k++) {
    const box_entry *entry = &boxes->entries[k];
    const brink_speculative_step *step = &spec->steps[entry->step];
    if (entry->low > box->high[0]) break;
    if (entry->side != other || step->candidate.agent == cw->agent || !is_earlier(step, cw))
      continue;
    const brink_box *its = &step->candidate.bounds[2 * block + (size_t)entry->side].box;
    if (brink_box_touches(box, its, pg->def.ndimensions) &&
        !insert(neighbours, count, step->candidate.agent))
      return false;
  }
  return true;
}

/* Records the versions of the neighbours. An agent with an earlier turn has the next version then, if its new window
 * ends without a pair event and records no contacts; otherwise it is not what was read here, and its version differs. */
static bool record_versions(const brink_speculation *spec, const brink_candidate_window *cw,
                            const uint32_t *neighbours, size_t count) {
  brink_speculative_step *step = cw->step;
  for (size_t k = 0; k < count; k++) {
    if (step->nneighbours == BRINK_SPECULATIVE_NEIGHBOURS) return false;
    const brink_speculative_step *earlier = earlier_step(spec, cw, neighbours[k]);
    uint32_t version = spec->agents->members[neighbours[k]].version + (earlier != NULL ? 1 : 0);
    step->neighbours[step->nneighbours++] =
        (brink_seen_version){.agent = neighbours[k], .version = version};
  }
  return true;
}

size_t brink_speculation_neighbours(const brink_speculation *spec, const brink_candidate_window *cw,
                                    size_t block, int side, const uint32_t *list, size_t count,
                                    uint32_t *neighbours) {
  size_t found = 0;
  bool room = true;
  for (size_t k = 0; k < count && room; k++) {
    if (earlier_step(spec, cw, list[k]) == NULL) room = insert(neighbours, &found, list[k]);
  }
  room = room && add_earlier_steps(spec, cw, block, side, neighbours, &found) &&
         record_versions(spec, cw, neighbours, found);
  if (!room) cw->step->complete = false;
  return room ? found : 0;
}

brink_partner_view brink_speculation_view(const brink_speculation *spec,
                                          const brink_candidate_window *cw, size_t block, int side,
                                          uint32_t agent) {
  const brink_agents *agents = spec->agents;
  const brink_pair_guards *pg = &agents->worker.pair_guards[block];
  const brink_speculative_step *earlier = earlier_step(spec, cw, agent);
  int entry = pg->population[0] == pg->population[1] ? 0 : side;
  if (earlier != NULL)
    return (brink_partner_view){.window = &earlier->window,
                                .packed = earlier->candidate.packed,
                                .tube = &earlier->candidate.bounds[2 * block + (size_t)entry].tube};
  return brink_window_view(agents, pg, side, agent);
}

/* The second round: the window of one agent is compared with those of its neighbours. */
static void compare(void *user, size_t item, size_t number) {
  brink_speculation *spec = user;
  brink_worker *worker = &spec->workers[number];
  brink_speculative_step *step = &spec->steps[item];
  prefetch(spec, item + NEXT, brink_worker_prefetch_around);
  if (!step->usable) return;
  size_t npairs = spec->agents->def.npairs;
  for (size_t b = 0; b < npairs; b++) worker->pair_guards[b].eval.stats = (brink_stats){0};
  step->complete = true;
  step->candidate.window = step->window;
  brink_candidate_compare(spec->agents, worker, &step->candidate);
  step->search_cost = (brink_stats){0};
  for (size_t b = 0; b < npairs; b++)
    brink_stats_add(&step->search_cost, &worker->pair_guards[b].eval.stats);
}

/* ---- a batch ---- */

/* Collects the agents whose turns are next, without those that have pair events or reach the end of the run. */
static void collect(brink_speculation *spec) {
  brink_agents *agents = spec->agents;
  size_t count = brink_queue_next(&agents->queue, spec->upcoming, spec->capacity, spec->room);
  spec->last = spec->upcoming[count - 1];
  spec->count = 0;
  for (size_t k = 0; k < count; k++) {
    uint32_t agent = spec->upcoming[k].agent;
    brink_member *member = &agents->members[agent];
    if (member->window.ending >= BRINK_ENDS_AT_PAIR_EVENT || member->window.end >= agents->t_end)
      continue;
    member->slot = (uint16_t)spec->count;
    spec->steps[spec->count++].candidate.agent = agent;
  }
}

/* Does this turn come after those of the batch? */
static bool is_over(const brink_speculation *spec, uint32_t agent, double at) {
  const brink_queue_item *last = &spec->last;
  return spec->count == 0 || at > last->key || (at == last->key && agent > last->agent);
}

static bool has_broad_phase(const brink_agents *agents) {
  for (size_t b = 0; b < agents->def.npairs; b++) {
    if (agents->worker.pair_guards[b].grid == NULL) return false;
  }
  return !agents->def.all_pairs;
}

static void start_batch(brink_speculation *spec) {
  brink_agents *agents = spec->agents;
  collect(spec);
  if (spec->count < FEWEST) {
    brink_speculation_discard(spec);
    return;
  }
  brink_thread_pool_run(spec->pool, spec->count, speculate, spec);
  for (size_t k = 0; k < spec->count; k++) spec->steps[k].window = spec->steps[k].candidate.window;
  if (!has_broad_phase(agents)) return;
  for (size_t b = 0; b < agents->def.npairs; b++) sort_boxes(spec, b);
  brink_thread_pool_run(spec->pool, spec->count, compare, spec);
}

/* ---- commit ---- */

/* Is everything that its window was compared with unchanged? */
static bool is_current(const brink_speculation *spec, const brink_speculative_step *step) {
  if (!step->complete) return false; /* invalidated, or too many neighbours */
  for (size_t k = 0; k < step->nneighbours; k++) {
    if (spec->agents->members[step->neighbours[k].agent].version != step->neighbours[k].version)
      return false;
  }
  return true;
}

static void commit_step(brink_agents *agents, const brink_speculative_step *step) {
  uint32_t agent = step->candidate.agent;
  brink_agent_population *pop = brink_worker_population(&agents->worker, agent);
  memcpy(brink_agents_packed(agents, agent), step->packed, pop->packing.size);
  agents->members[agent].valid = step->interval.valid;
  agents->members[agent].idle = 0;
  brink_stats_add(&agents->committed, &step->step_cost);
}

static void commit_window(brink_agents *agents, brink_speculative_step *step) {
  brink_candidate_window *cw = &step->candidate;
  for (size_t k = 0; k < step->ncuts; k++)
    brink_window_cut_partner(agents, cw->agent, &step->cuts[k]);
  for (size_t k = 0; k < step->nupdates; k++)
    brink_agents_update_contact(agents, &step->updates[k]);
  brink_stats_add(&agents->committed, &step->search_cost);
}

static void compare_again(brink_agents *agents, brink_speculative_step *step) {
  brink_candidate_window *cw = &step->candidate;
  cw->step = NULL;
  cw->packed = brink_agents_packed(agents, cw->agent);
  cw->previous = agents->saved[0];
  cw->window = step->window;
  cw->searches = cw->checks = 0;
  cw->updated_contacts = false;
  brink_candidate_compare(agents, &agents->worker, cw);
  cw->step = step;
}

bool brink_speculation_commit(brink_speculation *spec, uint32_t agent) {
  brink_agents *agents = spec->agents;
  brink_member *member = &agents->members[agent];
  if (member->window.end >= agents->t_end) return false;
  if (spec->skip > 0)
    spec->skip--;
  else if (is_over(spec, agent, member->window.end))
    start_batch(spec);
  brink_speculative_step *step = step_of(spec, agent);
  if (step == NULL || step->version != member->version) return false;
  step->usable = false; /* it is committed once */
  bool good = is_current(spec, step);
  if (!good) brink_agents_save(agents, agent, 0);
  if (step->advanced) commit_step(agents, step);
  if (good)
    commit_window(agents, step);
  else
    compare_again(agents, step);
  brink_agents_install(agents, &step->candidate);
  return true;
}

/* Invalidates the steps on this side of the block whose boxes touch this one. */
static void invalidate_touching(brink_speculation *spec, size_t block, int side,
                                const brink_box *box) {
  const boxes_of_block *boxes = &spec->boxes[block];
  int ndimensions = spec->workers[0].pair_guards[block].def.ndimensions;
  for (size_t k = first_entry(boxes, box->low[0]); k < boxes->count; k++) {
    const box_entry *entry = &boxes->entries[k];
    brink_speculative_step *step = &spec->steps[entry->step];
    if (entry->low > box->high[0]) break;
    const brink_box *its = &step->candidate.bounds[2 * block + (size_t)side].box;
    if (entry->side == side && brink_box_touches(box, its, ndimensions)) step->complete = false;
  }
}

void brink_speculation_invalidate(brink_speculation *spec, uint32_t agent) {
  if (spec == NULL || spec->count == 0) return;
  const brink_agents *agents = spec->agents;
  const brink_worker *worker = &agents->worker;
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_pair_guards *pg = &worker->pair_guards[b];
    bool one = pg->population[0] == pg->population[1];
    int sides[2], nsides = brink_pair_sides(pg, brink_worker_population(worker, agent), sides);
    for (int s = 0; pg->grid != NULL && s < nsides; s++) {
      uint32_t number = brink_pair_grid_index(pg, sides[s], brink_agents_index(agents, agent));
      invalidate_touching(spec, b, one ? 0 : 1 - sides[s], brink_grid_box(pg->grid, number));
    }
  }
}

void brink_speculation_discard(brink_speculation *spec) {
  if (spec == NULL) return;
  spec->count = 0;
  spec->skip = spec->capacity; /* the next turns are likely to be of the same kind */
}

void brink_speculation_restored(brink_speculation *spec) {
  if (spec == NULL) return;
  brink_speculation_discard(spec);
  for (size_t k = 0; k < spec->nworkers; k++) brink_worker_restored(&spec->workers[k]);
}

/* ---- the object ---- */

static bool take_room(brink_speculation *spec) {
  brink_agents *agents = spec->agents;
  brink_arena *arena = &agents->arena;
  size_t npairs = agents->def.npairs, largest = agents->largest;
  spec->workers = brink_arena_take(arena, spec->nworkers, sizeof *spec->workers);
  spec->steps = brink_arena_take(arena, spec->capacity, sizeof *spec->steps);
  spec->upcoming = brink_arena_take(arena, spec->capacity, sizeof *spec->upcoming);
  spec->room = brink_arena_take(arena, BRINK_QUEUE_ROOM * spec->capacity, sizeof *spec->room);
  spec->boxes = brink_arena_take(arena, npairs, sizeof *spec->boxes);
  char *packed = brink_arena_take(arena, spec->capacity, largest);
  brink_motion_bounds *bounds =
      brink_arena_take(arena, spec->capacity * 2 * npairs, sizeof *bounds);
  box_entry *entries = brink_arena_take(arena, npairs * 2 * spec->capacity, sizeof *entries);
  if (arena->failed) return false;
  for (size_t k = 0; k < spec->capacity; k++) {
    brink_speculative_step *step = &spec->steps[k];
    step->packed = packed + k * largest;
    step->candidate.bounds = bounds + k * 2 * npairs;
    step->candidate.step = step;
  }
  for (size_t b = 0; b < npairs; b++) spec->boxes[b].entries = entries + b * 2 * spec->capacity;
  return true;
}

brink_status brink_speculation_create(brink_agents *agents, brink_diag *diag,
                                      brink_speculation **made) {
  *made = NULL;
  if (agents->def.threads < 2 || agents->n < BRINK_AGENTS_FOR_THREADS) return BRINK_OK;
  brink_speculation *spec = brink_arena_take(&agents->arena, 1, sizeof *spec);
  if (spec == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  *made = spec;
  spec->agents = agents;
  spec->nworkers = agents->def.threads;
  spec->capacity = agents->n / SHARE < MOST ? agents->n / SHARE : MOST;
  if (!take_room(spec))
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the threads");
  for (size_t k = 0; k < spec->nworkers; k++) {
    brink_status status = brink_worker_init(&spec->workers[k], agents, k + 1, diag);
    if (status != BRINK_OK) return status;
  }
  spec->pool = brink_thread_pool_create(spec->nworkers, &agents->arena);
  return spec->pool != NULL ? BRINK_OK : brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

void brink_speculation_destroy(brink_speculation *spec) {
  if (spec == NULL) return;
  brink_thread_pool_destroy(spec->pool);
  for (size_t k = 0; spec->workers != NULL && k < spec->nworkers; k++)
    brink_worker_free(&spec->workers[k]);
}
