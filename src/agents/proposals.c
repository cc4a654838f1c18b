/* proposals.c: turns computed by several threads before they are due.
 *
 * The engine takes one turn after another; what a turn does follows from a few things: the agent itself, and the
 * windows of those near it. So the turns of the next agents in the queue are computed ahead, by several threads,
 * as proposals that change nothing. When an agent's turn has come, its proposal is adopted if all that it has
 * read is still so:
 *
 *   - the agent is as it was (its version), and did nothing but step: whatever speaks to the sink, or has side
 *     effects, is left to the turn itself;
 *   - whom its window was compared with is as the proposal saw it, in a version that it updated_contacts. Some of them
 *     have proposals for turns before this one; those it saw as they would be afterwards;
 *   - nobody else has come near: whoever takes a turn without a proposal (a stray) spoils those whose boxes touch its new
 *     one.
 *
 * If only the last two fail, the step is adopted and the window compared anew. So the run is, turn by turn, the one
 * of a single thread, whatever their number: what is proposed when only decides how much is computed in vain. Threads
 * work on proposals in two rounds, between which nothing changes: first steps, plans, windows and boxes, which
 * concern one agent each; then the comparisons. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agents/parts.h"
#include "agents/thread_pool.h"

#define SHARE 16  /* the next one of so many is proposed, … */
#define MOST 1024 /* … but no more than this, */
#define FEWEST 16 /* and no less: it would not be worth waking anybody */
#define NEXT 2    /* items before it is computed, what an agent reads is fetched */

/* Boxes of proposals, by their lower ends in the first direction. */
typedef struct place_of_box {
  double low;
  uint16_t proposal;
  uint8_t side;
} place_of_box;

typedef struct boxes_of_block {
  place_of_box *places;
  size_t count;
  double widest;
} boxes_of_block;

struct brink_proposals {
  brink_agents *agents;
  brink_thread_pool *pool;
  brink_worker *workers;
  size_t nworkers;
  brink_proposal *list;
  size_t count, most;
  brink_queue_item *next; /* the turns that come next, … */
  brink_queue_item last;  /* … and the last of them */
  uint32_t *room;
  size_t wait; /* so many turns are taken without proposals */
  boxes_of_block *boxes;
};

/* ---- who ---- */

static brink_proposal *proposal_of(const brink_proposals *ahead, uint32_t agent) {
  size_t slot = ahead->agents->members[agent].slot;
  if (slot >= ahead->count) return NULL;
  brink_proposal *p = &ahead->list[slot];
  return p->candidate.agent == agent && p->fit ? p : NULL;
}

/* In the order of turns. */
static bool is_earlier(const brink_proposal *a, const brink_candidate_window *than) {
  double at = than->window.start;
  return a->at < at || (a->at == at && a->candidate.agent < than->agent);
}

/* The proposal of an agent whose turn comes before. */
static const brink_proposal *mate_before(const brink_proposals *ahead,
                                         const brink_candidate_window *cw, uint32_t agent) {
  const brink_proposal *p = proposal_of(ahead, agent);
  return p != NULL && is_earlier(p, cw) ? p : NULL;
}

/* ---- steps, plans, windows ---- */

static void step(brink_proposals *ahead, brink_worker *worker, brink_proposal *p) {
  brink_agents *agents = ahead->agents;
  uint32_t agent = p->candidate.agent;
  brink_agent_population *pop = brink_worker_population(worker, agent);
  pop->sim->eval.stats = (brink_stats){0};
  brink_population_load(pop, brink_agents_index(agents, agent));
  worker->spoke = false;
  double valid = agents->members[agent].valid;
  p->fit = brink_population_advance(pop, valid, agents->t_end, NULL) == BRINK_STEPPED &&
           !worker->spoke &&
           brink_population_plan(pop, agents->t_end, p->packed, &p->interval, NULL) == BRINK_OK &&
           p->interval.valid > p->interval.start; /* else it may be the engine's to complain */
  p->stepped = pop->sim->eval.stats;
  p->moved = true;
  p->candidate.packed = p->packed;
}

/* What the next ones read is on its way while this one is computed. */
static void fetch(const brink_proposals *ahead, size_t item,
                  void (*what)(const brink_worker *worker, uint32_t agent)) {
  if (item < ahead->count) what(&ahead->workers[0], ahead->list[item].candidate.agent);
}

static void propose(void *user, size_t item, size_t number) {
  brink_proposals *ahead = user;
  brink_agents *agents = ahead->agents;
  fetch(ahead, item + NEXT, brink_worker_prefetch);
  brink_worker *worker = &ahead->workers[number];
  brink_proposal *p = &ahead->list[item];
  brink_candidate_window *cw = &p->candidate;
  const brink_member *member = &agents->members[cw->agent];
  p->version = member->version;
  p->at = member->window.end;
  p->moved = p->whole = false;
  p->ncuts = p->nupdates = p->nnear = 0;
  p->interval.valid = member->valid;
  p->fit = true;
  cw->packed = cw->previous = brink_agents_packed(agents, cw->agent);
  if (p->at >= member->valid) step(ahead, worker, p);
  if (p->fit) brink_candidate_open(agents, worker, cw, p->at, p->interval.valid);
}

/* ---- comparisons ---- */

static int by_low(const void *a, const void *b) {
  const place_of_box *one = a, *other = b;
  return (one->low > other->low) - (one->low < other->low);
}

static void sort_boxes(brink_proposals *ahead, size_t block) {
  boxes_of_block *boxes = &ahead->boxes[block];
  boxes->count = 0;
  boxes->widest = 0.0;
  for (size_t k = 0; k < ahead->count; k++) {
    const brink_proposal *p = &ahead->list[k];
    if (!p->fit) continue;
    const brink_worker *worker = &ahead->workers[0];
    const brink_agent_population *pop = brink_worker_population(worker, p->candidate.agent);
    int sides[2], nsides = brink_pair_sides(&worker->pair_guards[block], pop, sides);
    for (int s = 0; s < nsides; s++) {
      const brink_box *box = &p->candidate.bounds[2 * block + (size_t)sides[s]].box;
      boxes->places[boxes->count++] =
          (place_of_box){.low = box->low[0], .proposal = (uint16_t)k, .side = (uint8_t)sides[s]};
      boxes->widest = fmax(boxes->widest, box->high[0] - box->low[0]);
    }
  }
  qsort(boxes->places, boxes->count, sizeof *boxes->places, by_low);
}

/* The first box that may reach so far. */
static size_t first_place(const boxes_of_block *boxes, double low) {
  size_t from = 0, to = boxes->count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (boxes->places[middle].low + boxes->widest < low)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

/* Into the list of those near, by number. False: there is no room. */
static bool insert(uint32_t *near, size_t *count, uint32_t agent) {
  if (*count == BRINK_PROPOSAL_NEAR) return false;
  size_t k = (*count)++;
  for (; k > 0 && near[k - 1] > agent; k--) near[k] = near[k - 1];
  near[k] = agent;
  return true;
}

/* Those that will have moved by then, at their new places. */
static bool add_mates(const brink_proposals *ahead, const brink_candidate_window *cw, size_t block,
                      int side, uint32_t *near, size_t *count) {
  const brink_pair_guards *pg = &ahead->workers[0].pair_guards[block];
  const boxes_of_block *boxes = &ahead->boxes[block];
  const brink_box *box = &cw->bounds[2 * block + (size_t)side].box;
  int other = pg->population[0] == pg->population[1] ? 0 : 1 - side;
  for (size_t k = first_place(boxes, box->low[0]); k < boxes->count; k++) {
    const place_of_box *place = &boxes->places[k];
    const brink_proposal *p = &ahead->list[place->proposal];
    if (place->low > box->high[0]) break;
    if (place->side != other || p->candidate.agent == cw->agent || !is_earlier(p, cw)) continue;
    const brink_box *its = &p->candidate.bounds[2 * block + (size_t)place->side].box;
    if (brink_box_touches(box, its, pg->def.ndimensions) &&
        !insert(near, count, p->candidate.agent))
      return false;
  }
  return true;
}

/* Of those that will have moved, a window that meets nobody, and leaves nothing to be remembered, is the next version;
 * else they are not as seen here. */
static bool record_versions(const brink_proposals *ahead, const brink_candidate_window *cw,
                            const uint32_t *near, size_t count) {
  brink_proposal *p = cw->proposal;
  for (size_t k = 0; k < count; k++) {
    if (p->nnear == BRINK_PROPOSAL_NEAR) return false;
    const brink_proposal *mate = mate_before(ahead, cw, near[k]);
    uint32_t version = ahead->agents->members[near[k]].version + (mate != NULL ? 1 : 0);
    p->near[p->nnear++] = (brink_seen){.agent = near[k], .version = version};
  }
  return true;
}

size_t brink_proposals_near(const brink_proposals *ahead, const brink_candidate_window *cw,
                            size_t block, int side, const uint32_t *list, size_t count,
                            uint32_t *near) {
  size_t found = 0;
  bool room = true;
  for (size_t k = 0; k < count && room; k++) {
    if (mate_before(ahead, cw, list[k]) == NULL) room = insert(near, &found, list[k]);
  }
  room = room && add_mates(ahead, cw, block, side, near, &found) &&
         record_versions(ahead, cw, near, found);
  if (!room) cw->proposal->whole = false;
  return room ? found : 0;
}

brink_partner_view brink_proposals_view(const brink_proposals *ahead,
                                        const brink_candidate_window *cw, size_t block, int side,
                                        uint32_t agent) {
  const brink_agents *agents = ahead->agents;
  const brink_pair_guards *pg = &agents->worker.pair_guards[block];
  const brink_proposal *mate = mate_before(ahead, cw, agent);
  int place = pg->population[0] == pg->population[1] ? 0 : side;
  if (mate != NULL)
    return (brink_partner_view){.window = &mate->window,
                                .packed = mate->candidate.packed,
                                .tube = &mate->candidate.bounds[2 * block + (size_t)place].tube};
  return brink_window_view(agents, pg, side, agent);
}

static void compare(void *user, size_t item, size_t number) {
  brink_proposals *ahead = user;
  brink_worker *worker = &ahead->workers[number];
  brink_proposal *p = &ahead->list[item];
  fetch(ahead, item + NEXT, brink_worker_prefetch_around);
  if (!p->fit) return;
  size_t npairs = ahead->agents->def.npairs;
  for (size_t b = 0; b < npairs; b++) worker->pair_guards[b].eval.stats = (brink_stats){0};
  p->whole = true;
  p->candidate.window = p->window;
  brink_candidate_compare(ahead->agents, worker, &p->candidate);
  p->compared = (brink_stats){0};
  for (size_t b = 0; b < npairs; b++)
    brink_stats_add(&p->compared, &worker->pair_guards[b].eval.stats);
}

/* ---- a batch ---- */

/* The agents whose turns are next, but for those that meet or come to the end. */
static void collect(brink_proposals *ahead) {
  brink_agents *agents = ahead->agents;
  size_t count = brink_queue_next(&agents->queue, ahead->next, ahead->most, ahead->room);
  ahead->last = ahead->next[count - 1];
  ahead->count = 0;
  for (size_t k = 0; k < count; k++) {
    uint32_t agent = ahead->next[k].agent;
    brink_member *member = &agents->members[agent];
    if (member->window.ending >= BRINK_ENDS_AT_PAIR_EVENT || member->window.end >= agents->t_end)
      continue;
    member->slot = (uint16_t)ahead->count;
    ahead->list[ahead->count++].candidate.agent = agent;
  }
}

/* Is this turn after those that were collected? */
static bool is_over(const brink_proposals *ahead, uint32_t agent, double at) {
  const brink_queue_item *last = &ahead->last;
  return ahead->count == 0 || at > last->key || (at == last->key && agent > last->agent);
}

static bool prunes(const brink_agents *agents) {
  for (size_t b = 0; b < agents->def.npairs; b++) {
    if (agents->worker.pair_guards[b].grid == NULL) return false;
  }
  return !agents->def.all_pairs;
}

static void prepare(brink_proposals *ahead) {
  brink_agents *agents = ahead->agents;
  collect(ahead);
  if (ahead->count < FEWEST) {
    brink_proposals_forget(ahead);
    return;
  }
  brink_thread_pool_run(ahead->pool, ahead->count, propose, ahead);
  for (size_t k = 0; k < ahead->count; k++) ahead->list[k].window = ahead->list[k].candidate.window;
  if (!prunes(agents)) return;
  for (size_t b = 0; b < agents->def.npairs; b++) sort_boxes(ahead, b);
  brink_thread_pool_run(ahead->pool, ahead->count, compare, ahead);
}

/* ---- adopting ---- */

/* Is all that its window was compared with as it was seen? */
static bool holds(const brink_proposals *ahead, const brink_proposal *p) {
  if (!p->whole) return false; /* a stray may have seen to that */
  for (size_t k = 0; k < p->nnear; k++) {
    if (ahead->agents->members[p->near[k].agent].version != p->near[k].version) return false;
  }
  return true;
}

static void adopt_step(brink_agents *agents, const brink_proposal *p) {
  uint32_t agent = p->candidate.agent;
  brink_agent_population *pop = brink_worker_population(&agents->worker, agent);
  memcpy(brink_agents_packed(agents, agent), p->packed, pop->packing.size);
  agents->members[agent].valid = p->interval.valid;
  agents->members[agent].idle = 0;
  brink_stats_add(&agents->adopted, &p->stepped);
}

static void adopt_window(brink_agents *agents, brink_proposal *p) {
  brink_candidate_window *cw = &p->candidate;
  for (size_t k = 0; k < p->ncuts; k++) brink_window_cut_partner(agents, cw->agent, &p->cuts[k]);
  for (size_t k = 0; k < p->nupdates; k++) brink_agents_update_contact(agents, &p->updates[k]);
  brink_stats_add(&agents->adopted, &p->compared);
}

static void compare_anew(brink_agents *agents, brink_proposal *p) {
  brink_candidate_window *cw = &p->candidate;
  cw->proposal = NULL;
  cw->packed = brink_agents_packed(agents, cw->agent);
  cw->previous = agents->old[0];
  cw->window = p->window;
  cw->searches = cw->checks = 0;
  cw->updated_contacts = false;
  brink_candidate_compare(agents, &agents->worker, cw);
  cw->proposal = p;
}

bool brink_proposals_adopt(brink_proposals *ahead, uint32_t agent) {
  brink_agents *agents = ahead->agents;
  brink_member *member = &agents->members[agent];
  if (member->window.end >= agents->t_end) return false;
  if (ahead->wait > 0)
    ahead->wait--;
  else if (is_over(ahead, agent, member->window.end))
    prepare(ahead);
  brink_proposal *p = proposal_of(ahead, agent);
  if (p == NULL || p->version != member->version) return false;
  p->fit = false; /* once */
  bool good = holds(ahead, p);
  if (!good) brink_agents_keep(agents, agent, 0);
  if (p->moved) adopt_step(agents, p);
  if (good)
    adopt_window(agents, p);
  else
    compare_anew(agents, p);
  brink_agents_install(agents, &p->candidate);
  return true;
}

/* Proposals of this side whose boxes touch this one. */
static void disturb(brink_proposals *ahead, size_t block, int side, const brink_box *box) {
  const boxes_of_block *boxes = &ahead->boxes[block];
  int ndimensions = ahead->workers[0].pair_guards[block].def.ndimensions;
  for (size_t k = first_place(boxes, box->low[0]); k < boxes->count; k++) {
    const place_of_box *place = &boxes->places[k];
    brink_proposal *p = &ahead->list[place->proposal];
    if (place->low > box->high[0]) break;
    const brink_box *its = &p->candidate.bounds[2 * block + (size_t)side].box;
    if (place->side == side && brink_box_touches(box, its, ndimensions)) p->whole = false;
  }
}

void brink_proposals_stray(brink_proposals *ahead, uint32_t agent) {
  if (ahead == NULL || ahead->count == 0) return;
  const brink_agents *agents = ahead->agents;
  const brink_worker *worker = &agents->worker;
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_pair_guards *pg = &worker->pair_guards[b];
    bool one = pg->population[0] == pg->population[1];
    int sides[2], nsides = brink_pair_sides(pg, brink_worker_population(worker, agent), sides);
    for (int s = 0; pg->grid != NULL && s < nsides; s++) {
      uint32_t number = brink_pair_grid_index(pg, sides[s], brink_agents_index(agents, agent));
      disturb(ahead, b, one ? 0 : 1 - sides[s], brink_grid_box(pg->grid, number));
    }
  }
}

void brink_proposals_forget(brink_proposals *ahead) {
  if (ahead == NULL) return;
  ahead->count = 0;
  ahead->wait = ahead->most; /* it may be the same with the next ones */
}

/* ---- the object ---- */

static bool take_room(brink_proposals *ahead) {
  brink_agents *agents = ahead->agents;
  brink_arena *arena = &agents->arena;
  size_t npairs = agents->def.npairs, largest = agents->largest;
  ahead->workers = brink_arena_take(arena, ahead->nworkers, sizeof *ahead->workers);
  ahead->list = brink_arena_take(arena, ahead->most, sizeof *ahead->list);
  ahead->next = brink_arena_take(arena, ahead->most, sizeof *ahead->next);
  ahead->room = brink_arena_take(arena, BRINK_QUEUE_ROOM * ahead->most, sizeof *ahead->room);
  ahead->boxes = brink_arena_take(arena, npairs, sizeof *ahead->boxes);
  char *packed = brink_arena_take(arena, ahead->most, largest);
  brink_motion_bounds *bounds = brink_arena_take(arena, ahead->most * 2 * npairs, sizeof *bounds);
  if (ahead->workers == NULL || ahead->list == NULL || ahead->next == NULL || ahead->room == NULL ||
      ahead->boxes == NULL || packed == NULL || bounds == NULL)
    return false;
  for (size_t k = 0; k < ahead->most; k++) {
    brink_proposal *p = &ahead->list[k];
    p->packed = packed + k * largest;
    p->candidate.bounds = bounds + k * 2 * npairs;
    p->candidate.proposal = p;
  }
  for (size_t b = 0; b < npairs; b++) {
    boxes_of_block *boxes = &ahead->boxes[b];
    boxes->places = brink_arena_take(arena, 2 * ahead->most, sizeof *boxes->places);
    if (boxes->places == NULL) return false;
  }
  return true;
}

brink_status brink_proposals_create(brink_agents *agents, brink_diag *diag,
                                    brink_proposals **made) {
  *made = NULL;
  if (agents->def.threads < 2 || agents->n < BRINK_AGENTS_FOR_THREADS) return BRINK_OK;
  brink_proposals *ahead = brink_arena_take(&agents->arena, 1, sizeof *ahead);
  if (ahead == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  *made = ahead;
  ahead->agents = agents;
  ahead->nworkers = agents->def.threads;
  ahead->most = agents->n / SHARE < MOST ? agents->n / SHARE : MOST;
  if (!take_room(ahead))
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for the threads");
  for (size_t k = 0; k < ahead->nworkers; k++) {
    brink_status status = brink_worker_init(&ahead->workers[k], agents, k + 1, diag);
    if (status != BRINK_OK) return status;
  }
  ahead->pool = brink_thread_pool_create(ahead->nworkers, &agents->arena.allocator);
  return ahead->pool != NULL ? BRINK_OK : brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

void brink_proposals_destroy(brink_proposals *ahead) {
  if (ahead == NULL) return;
  brink_thread_pool_destroy(ahead->pool);
  for (size_t k = 0; ahead->workers != NULL && k < ahead->nworkers; k++)
    brink_worker_free(&ahead->workers[k], false);
}
