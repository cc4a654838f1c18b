/* window.c: windows of plans, compared with those of others.
 *
 * One way for turns that are taken and for those that are only proposed (proposals.c): a proposal updates what it would
 * do to others, and sees those that will have moved before it is due as they will be then. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "agents/parts.h"

#define ELSEWHERE 1e-13 /* of a position: rounding moves it no further */

/* ---- opening ---- */

static int sides_of(const brink_worker *worker, const brink_pair_guards *pg, uint32_t agent,
                    int sides[2]) {
  return brink_pair_sides(pg, brink_worker_population(worker, agent), sides);
}

/* How far the window goes: an agent should not sweep more than its share of the plane. */
static double end_of(const brink_agents *agents, const brink_worker *worker,
                     const brink_outlook *outlook, double from, double valid) {
  double end = valid;
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_pair_guards *pg = &worker->pair_guards[b];
    int sides[2], count = sides_of(worker, pg, outlook->agent, sides);
    for (int k = 0; k < count && pg->grid != NULL; k++) {
      double speed = brink_motion_speed(pg, sides[k], outlook->packed, from);
      if (speed > 0.0) end = fmin(end, from + pg->window_travel / speed);
    }
  }
  double least = from + 16.0 * DBL_EPSILON * fabs(from);
  return fmin(fmax(end, least), valid);
}

/* Is it elsewhere than its last plan led it, by more than rounding, or is what it is otherwise? A mere change of its motion
 * concerns nobody but those near. */
static bool displaced(const brink_agents *agents, const brink_worker *worker,
                      const brink_outlook *o, double t) {
  const brink_agent_population *pop = brink_worker_population(worker, o->agent);
  const brink_packing *packing = &pop->packing;
  const brink_model_def *def = &pop->sim->model->def;
  brink_plan previous = brink_packed_plan(packing, o->previous),
             now = brink_packed_plan(packing, o->packed);
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_pair_guards *pg = &worker->pair_guards[b];
    int sides[2], count = sides_of(worker, pg, o->agent, sides);
    for (int k = 0; k < count * pg->def.ndimensions; k++) {
      size_t state = pg->def.position[sides[k / pg->def.ndimensions]][k % pg->def.ndimensions];
      double before = brink_plan_at(&previous, state, t), after = brink_plan_at(&now, state, t);
      if (fabs(after - before) > ELSEWHERE * fabs(before)) return true;
    }
  }
  return memcmp(brink_packed_parameters(packing, o->previous),
                brink_packed_parameters(packing, o->packed), def->np * sizeof(double)) != 0 ||
         memcmp(brink_packed_modes(packing, o->previous), brink_packed_modes(packing, o->packed),
                def->nmodes * sizeof(int)) != 0;
}

void brink_outlook_open(brink_agents *agents, brink_worker *worker, brink_outlook *o, double from,
                        double valid) {
  double end = end_of(agents, worker, o, from, valid);
  uint8_t ending = end >= valid ? BRINK_PLAN_ENDS : BRINK_WINDOW_ENDS;
  o->window = (brink_window){.start = from, .end = end, .ending = ending, .partner = BRINK_NOBODY};
  o->searches = o->checks = 0;
  o->updated_contacts = false;
  o->displaced = o->jumped && displaced(agents, worker, o, from);
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_pair_guards *pg = &worker->pair_guards[b];
    int sides[2], count = sides_of(worker, pg, o->agent, sides);
    for (int k = 0; k < count && pg->grid != NULL; k++)
      brink_motion_bounds_of(pg, sides[k], o->packed, from, end,
                             &o->bounds[2 * b + (size_t)sides[k]]);
  }
}

/* Of one that has jumped, with the old box: it may have met whom it left. */
static brink_box box_of(const brink_agents *agents, const brink_outlook *o,
                        const brink_pair_guards *pg, size_t block, int side) {
  brink_box box = o->bounds[2 * block + (size_t)side].box;
  if (!o->displaced && !o->keeps_old_box) return box;
  uint32_t number = brink_pair_grid_index(pg, side, brink_agents_member(agents, o->agent));
  const brink_box *old = brink_grid_box(pg->grid, number);
  for (int d = 0; d < pg->def.ndimensions; d++) {
    box.low[d] = fmin(box.low[d], old->low[d]);
    box.high[d] = fmax(box.high[d], old->high[d]);
  }
  return box;
}

void brink_outlook_settle(brink_agents *agents, const brink_outlook *o) {
  size_t agent = brink_agents_member(agents, o->agent);
  for (size_t b = 0; b < agents->def.npairs; b++) {
    brink_pair_guards *pg = &agents->worker.pair_guards[b];
    int sides[2], count = sides_of(&agents->worker, pg, o->agent, sides);
    for (int k = 0; k < count && pg->grid != NULL; k++) {
      uint32_t number = brink_pair_grid_index(pg, sides[k], agent);
      const brink_motion_bounds *bounds = &o->bounds[2 * b + (size_t)sides[k]];
      /* Who has its turn at the same instant finds it where it was, too. */
      brink_box box = o->updated_contacts || o->keeps_old_box ? box_of(agents, o, pg, b, sides[k])
                                                              : bounds->box;
      brink_grid_update(pg->grid, number, &box);
      pg->tube[number] = bounds->tube;
    }
  }
}

/* ---- cutting ---- */

static void cut(brink_window *window, uint32_t partner, size_t block, const brink_pair_root *root) {
  window->end = root->t;
  window->ending = BRINK_MEETS;
  window->partner = partner;
  window->block = (uint16_t)block;
  window->guard = (uint32_t)root->guard;
  window->direction = (int8_t)root->direction;
  window->kind = (uint8_t)root->kind;
}

void brink_window_cut_partner(brink_agents *agents, uint32_t agent, const brink_cut *found) {
  brink_member *partner = &agents->members[found->partner];
  cut(&partner->window, agent, found->block, &found->root);
  partner->version++;
  brink_queue_update(&agents->queue, found->partner, partner->window.end);
}

static void meet(brink_agents *agents, brink_outlook *o, const brink_cut *found) {
  brink_proposal *p = o->proposal;
  cut(&o->window, found->partner, found->block, &found->root);
  if (p == NULL)
    brink_window_cut_partner(agents, o->agent, found);
  else if (p->ncuts < BRINK_PROPOSAL_CUTS)
    p->cuts[p->ncuts++] = *found;
  else
    p->whole = false;
}

/* ---- contacts ---- */

static void update_contact(brink_agents *agents, brink_outlook *o, const brink_contact *what) {
  brink_proposal *p = o->proposal;
  o->updated_contacts = true;
  if (p == NULL)
    brink_agents_update_contact(agents, what);
  else if (p->nupdates < BRINK_PROPOSAL_UPDATES)
    p->updates[p->nupdates++] = *what;
  else
    p->whole = false;
}

static void update_contacts(brink_agents *agents, brink_outlook *o, const brink_pair_guards *pg) {
  for (size_t k = 0; k < pg->nupdates; k++) update_contact(agents, o, &pg->updates[k]);
}

/* The event has to wait for an event of one partner's own, or for another pair event at that time: it is recorded as due. */
static void mark_due(brink_agents *agents, brink_outlook *o, const brink_pair_query *q,
                     const brink_pair_root *root) {
  const brink_contact *known =
      brink_contacts_find(&agents->contacts, q->block, root->guard, q->pair);
  brink_contact made = {.pair = {q->pair[0], q->pair[1]},
                        .block = (uint16_t)q->block,
                        .guard = (uint32_t)root->guard};
  if (known != NULL) made = *known;
  made = brink_contact_due(&made, q, root->t, root->direction, root->kind);
  update_contact(agents, o, &made);
}

void brink_window_record_signs(brink_agents *agents, const uint32_t pair[2], size_t block,
                               size_t guard) {
  for (size_t b = 0; b < agents->def.npairs; b++) {
    brink_pair_guards *pg = &agents->worker.pair_guards[b];
    int sides[2];
    for (int k = 0; k < 2; k++) {
      const brink_agent_population *pop = brink_worker_population(&agents->worker, pair[k]);
      sides[k] = pop == pg->population[0] ? 0 : pop == pg->population[1] ? 1 : -1;
    }
    bool one = pg->population[0] == pg->population[1];
    if (sides[0] < 0 || sides[1] < 0 || (!one && sides[0] == sides[1]) ||
        (b == block && pg->def.nguards == 1))
      continue;
    bool swapped = one ? pair[0] > pair[1] : sides[0] == 1;
    uint32_t a = pair[swapped ? 1 : 0], c = pair[swapped ? 0 : 1];
    const void *packed[2] = {brink_agents_packed(agents, a), brink_agents_packed(agents, c)};
    brink_pair_query q = {.agents = agents,
                          .block = b,
                          .pair = {a, c},
                          .now = {packed[0], packed[1]},
                          .previous = {packed[0], packed[1]},
                          .from = agents->now,
                          .to = agents->now,
                          .first_instant = agents->now <= agents->begun,
                          .record_all = true};
    brink_pair_search(pg, &q);
    for (size_t k = 0; k < pg->nupdates; k++) {
      if (b != block || pg->updates[k].guard != guard)
        brink_agents_update_contact(agents, &pg->updates[k]);
    }
  }
}

/* ---- comparing ---- */

/* The order of events at one time: that of declaration, priority first, as in a single system. */
static bool is_before(const brink_pair_guards *pair_guards, const brink_contact *a,
                      const brink_contact *b) {
  int first = pair_guards[a->block].eval.model->guards[a->guard].def.priority;
  int second = pair_guards[b->block].eval.model->guards[b->guard].def.priority;
  if (first != second) return first > second;
  if (a->block != b->block) return a->block < b->block;
  if (a->guard != b->guard) return a->guard < b->guard;
  return a->pair[0] != b->pair[0] ? a->pair[0] < b->pair[0] : a->pair[1] < b->pair[1];
}

/* Whom the agent is to meet at the end of its window, as the block has the two. */
static brink_contact appointment(const brink_pair_guards *pair_guards, uint32_t agent,
                                 const brink_window *window) {
  const brink_pair_guards *pg = &pair_guards[window->block];
  bool first = pg->population[0] == pg->population[1]
                   ? agent < window->partner
                   : agent - pg->population[0]->first < pg->population[0]->def.count;
  return (brink_contact){.pair = {first ? agent : window->partner, first ? window->partner : agent},
                         .block = window->block,
                         .guard = window->guard};
}

/* The agent was to meet somebody at the same time, and has to wait. */
static void displace(brink_agents *agents, brink_outlook *o, const brink_contact *earlier,
                     const brink_window *window, double from) {
  const void *packed[2];
  for (int side = 0; side < 2; side++)
    packed[side] = earlier->pair[side] == o->agent
                       ? o->packed
                       : brink_agents_packed(agents, earlier->pair[side]);
  brink_pair_query q = {.block = earlier->block,
                        .pair = {earlier->pair[0], earlier->pair[1]},
                        .now = {packed[0], packed[1]},
                        .from = from};
  brink_pair_root root = {.t = window->end,
                          .guard = window->guard,
                          .direction = (brink_direction)window->direction,
                          .kind = (brink_event_kind)window->kind};
  mark_due(agents, o, &q, &root);
}

/* An event of the two at the end of a window that meets somebody already: which is the first? False: this one waits. */
static bool comes_first(brink_agents *agents, const brink_worker *worker, brink_outlook *o,
                        const brink_pair_query *q, const brink_pair_root *root, uint32_t j,
                        const brink_window *window) {
  const brink_window *windows[2] = {&o->window, window};
  const uint32_t agent[2] = {o->agent, j};
  brink_contact mine = {.pair = {q->pair[0], q->pair[1]},
                        .block = (uint16_t)q->block,
                        .guard = (uint32_t)root->guard},
                other[2];
  bool tied[2];
  for (int k = 0; k < 2; k++) {
    tied[k] = windows[k]->ending == BRINK_MEETS && root->t >= windows[k]->end;
    if (!tied[k]) continue;
    other[k] = appointment(worker->pair_guards, agent[k], windows[k]);
    if (!is_before(worker->pair_guards, &mine, &other[k])) return false;
  }
  for (int k = 0; k < 2; k++) {
    if (tied[k]) displace(agents, o, &other[k], windows[k], q->from);
  }
  return true;
}

/* Something of its own comes first: its plan ends there. */
static bool has_own(const brink_window *window, double t) {
  return window->ending == BRINK_PLAN_ENDS && t >= window->end;
}

/* Are the signs of all guards of the two recorded for the present? Mostly they have just fired. */
static bool are_known(const brink_agents *agents, const brink_pair_guards *pg,
                      const brink_pair_query *q) {
  for (size_t k = 0; k < pg->def.nguards; k++) {
    const brink_contact *contact =
        brink_contacts_find(&agents->contacts, q->block, pg->def.guards[k], q->pair);
    if (contact == NULL || contact->at != q->from || contact->origin[0] != q->from ||
        contact->origin[1] != q->from)
      return false;
  }
  return true;
}

/* With agent j of the other side, from the start of the window on. */
static void compare(brink_agents *agents, brink_worker *worker, brink_outlook *o, size_t block,
                    int side, uint32_t j, const brink_stance *other) {
  brink_pair_guards *pg = &worker->pair_guards[block];
  bool finished = other->window->ending == BRINK_FINISHED;
  double from = o->window.start;
  double to = finished ? from : fmax(fmin(o->window.end, other->window->end), from);
  /* Of one population the one with the smaller number is a. */
  bool swapped = pg->population[0] == pg->population[1] ? o->agent > j : side == 1;
  brink_pair_query q = {.agents = agents,
                        .block = block,
                        .from = from,
                        .to = to,
                        .jumped = o->jumped,
                        .displaced = o->displaced,
                        .first_instant = from <= agents->begun};
  q.pair[swapped] = o->agent;
  q.now[swapped] = o->packed;
  q.previous[swapped] = o->previous;
  q.pair[!swapped] = j;
  q.now[!swapped] = q.previous[!swapped] = other->packed;
  if (other->tube != NULL && !agents->def.all_pairs && !o->displaced &&
      !brink_tubes_may_touch(pg, &o->bounds[2 * block + (size_t)side].tube, other->tube,
                             from - other->window->start, to - from) &&
      !brink_contacts_any(&agents->contacts, q.pair, from))
    return;
  /* If the other one is to have its turn at this instant, too, it will see to it then: all that is to be done now is
   * to update_contact what this change would make it forget. */
  bool later = !(to > from) && !finished;
  if (later && are_known(agents, pg, &q)) return;
  o->searches++;
  brink_pair_root root = brink_pair_search(pg, &q);
  update_contacts(agents, o, pg);
  if (!root.found || later) return;
  if (!finished && (has_own(&o->window, root.t) || has_own(other->window, root.t))) {
    mark_due(agents, o, &q, &root);
    return;
  }
  if (!comes_first(agents, worker, o, &q, &root, j, other->window)) {
    mark_due(agents, o, &q, &root);
    return;
  }
  meet(agents, o, &(brink_cut){.partner = j, .block = (uint16_t)block, .root = root});
}

brink_stance brink_window_stance(const brink_agents *agents, const brink_pair_guards *pg, int side,
                                 uint32_t j) {
  uint32_t number = brink_pair_grid_index(pg, side, brink_agents_member(agents, j));
  return (brink_stance){.window = &agents->members[j].window,
                        .packed = brink_agents_packed(agents, j),
                        .tube = pg->grid != NULL ? &pg->tube[number] : NULL};
}

static void compare_all(brink_agents *agents, brink_worker *worker, brink_outlook *o, size_t block,
                        int side) {
  const brink_pair_guards *pg = &worker->pair_guards[block];
  const brink_agent_population *pop = pg->population[1 - side];
  for (size_t k = 0; k < pop->def.count; k++) {
    uint32_t j = (uint32_t)(pop->first + k);
    if (j == o->agent || !agents->members[j].there) continue;
    brink_stance other = brink_window_stance(agents, pg, 1 - side, j);
    compare(agents, worker, o, block, side, j, &other);
  }
}

/* Those of the other side in a list of the grid, by their numbers among all. */
static size_t choose(const brink_pair_guards *pg, int side, uint32_t *list, size_t count) {
  bool one = pg->population[0] == pg->population[1];
  size_t first_count = pg->population[0]->def.count, kept = 0;
  for (size_t k = 0; k < count; k++) {
    bool second = !one && list[k] >= first_count;
    if (!one && (side == 1) == second) continue;
    const brink_agent_population *pop = pg->population[second ? 1 : 0];
    list[kept++] = (uint32_t)(pop->first + list[k] - (second ? first_count : 0));
  }
  return kept;
}

static void compare_near(brink_agents *agents, brink_worker *worker, brink_outlook *o, size_t block,
                         int side) {
  brink_pair_guards *pg = &worker->pair_guards[block];
  brink_box box = box_of(agents, o, pg, block, side);
  uint32_t number = brink_pair_grid_index(pg, side, brink_agents_member(agents, o->agent));
  size_t count = brink_grid_query(pg->grid, &pg->results, number, &box);
  count = choose(pg, side, pg->results.list, count);
  uint32_t near[BRINK_PROPOSAL_NEAR];
  const uint32_t *list = pg->results.list;
  if (o->proposal != NULL) {
    count = brink_proposals_near(agents->proposals, o, block, side, pg->results.list, count, near);
    list = near;
  }
  o->checks += (int64_t)count;
  for (size_t k = 0; k < count; k++) {
    brink_stance other =
        o->proposal != NULL ? brink_proposals_stance(agents->proposals, o, block, 1 - side, list[k])
                            : brink_window_stance(agents, pg, 1 - side, list[k]);
    compare(agents, worker, o, block, side, list[k], &other);
  }
}

void brink_outlook_compare(brink_agents *agents, brink_worker *worker, brink_outlook *o) {
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_pair_guards *pg = &worker->pair_guards[b];
    int sides[2], count = sides_of(worker, pg, o->agent, sides);
    for (int k = 0; k < count; k++) {
      if (pg->grid != NULL && !agents->def.all_pairs)
        compare_near(agents, worker, o, b, sides[k]);
      else
        compare_all(agents, worker, o, b, sides[k]);
    }
  }
}
