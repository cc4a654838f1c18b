/* window.c: windows of plans, and their comparison with the windows of others.
 *
 * The same code serves turns that are taken and speculative steps (speculation.c). A speculative step records its effects
 * on others instead of applying them, and reads agents whose turns come before its own as they will be then. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "agents/parts.h"

#define ELSEWHERE 1e-13 /* of a position: no more than rounding */

/* ---- a new window ---- */

static int sides_of(const brink_worker *worker, const brink_pair_guards *pg, uint32_t agent,
                    int sides[2]) {
  return brink_pair_sides(pg, brink_worker_population(worker, agent), sides);
}

/* The end of the window: an agent should not travel farther than its share of the space. */
static double window_end(const brink_agents *agents, const brink_worker *worker,
                         const brink_candidate_window *candidate, double from, double valid) {
  double end = valid;
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_pair_guards *pg = &worker->pair_guards[b];
    int sides[2], count = sides_of(worker, pg, candidate->agent, sides);
    for (int k = 0; k < count && pg->grid != NULL; k++) {
      double speed = brink_motion_speed(pg, sides[k], candidate->packed, from);
      if (speed > 0.0) end = fmin(end, from + agents->worker.pair_guards[b].window_travel / speed);
    }
  }
  double least = from + 16.0 * DBL_EPSILON * fabs(from);
  return fmin(fmax(end, least), valid);
}

/* Has an action changed its position by more than rounding, or a parameter or a mode? A mere change of velocity concerns
 * only agents that are close. */
static bool displaced(const brink_agents *agents, const brink_worker *worker,
                      const brink_candidate_window *cw, double t) {
  const brink_agent_population *pop = brink_worker_population(worker, cw->agent);
  const brink_packing *packing = &pop->packing;
  const brink_model_def *def = &pop->sim->model->def;
  brink_plan previous = brink_packed_plan(packing, cw->previous),
             now = brink_packed_plan(packing, cw->packed);
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_pair_guards *pg = &worker->pair_guards[b];
    int sides[2], count = sides_of(worker, pg, cw->agent, sides);
    for (int k = 0; k < count * pg->def.ndimensions; k++) {
      size_t state = pg->def.position[sides[k / pg->def.ndimensions]][k % pg->def.ndimensions];
      double before = brink_plan_at(&previous, state, t), after = brink_plan_at(&now, state, t);
      if (fabs(after - before) > ELSEWHERE * fabs(before)) return true;
    }
  }
  return memcmp(brink_packed_parameters(packing, cw->previous),
                brink_packed_parameters(packing, cw->packed), def->np * sizeof(double)) != 0 ||
         memcmp(brink_packed_modes(packing, cw->previous), brink_packed_modes(packing, cw->packed),
                def->nmodes * sizeof(int)) != 0;
}

void brink_candidate_open(brink_agents *agents, brink_worker *worker, brink_candidate_window *cw,
                          double from, double valid) {
  /* The window: as long as the plan, or shorter, so that it is compared with few others. */
  double end = window_end(agents, worker, cw, from, valid);
  uint8_t ending = end >= valid ? BRINK_ENDS_WITH_PLAN : BRINK_ENDS_INSIDE_PLAN;
  cw->window = (brink_window){.start = from, .end = end, .ending = ending, .partner = BRINK_NOBODY};
  cw->searches = cw->checks = 0;
  cw->updated_contacts = false;
  /* Its bounds in every pair block that has a grid. */
  cw->displaced = cw->jumped && displaced(agents, worker, cw, from);
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_pair_guards *pg = &worker->pair_guards[b];
    int sides[2], count = sides_of(worker, pg, cw->agent, sides);
    for (int k = 0; k < count && pg->grid != NULL; k++)
      brink_motion_bounds_of(pg, sides[k], cw->packed, from, end,
                             &cw->bounds[2 * b + (size_t)sides[k]]);
  }
}

/* The box of the new window. Of a displaced agent, with its old box: guards between it and agents there may have jumped. */
static brink_box box_of(const brink_agents *agents, const brink_candidate_window *cw,
                        const brink_pair_guards *pg, size_t block, int side) {
  brink_box box = cw->bounds[2 * block + (size_t)side].box;
  if (!cw->displaced && !cw->keeps_old_box) return box;
  uint32_t number = brink_pair_grid_index(pg, side, brink_agents_index(agents, cw->agent));
  const brink_box *old = brink_grid_box(pg->grid, number);
  for (int d = 0; d < pg->def.ndimensions; d++) {
    box.low[d] = fmin(box.low[d], old->low[d]);
    box.high[d] = fmax(box.high[d], old->high[d]);
  }
  return box;
}

void brink_candidate_update_grid(brink_agents *agents, const brink_candidate_window *cw) {
  size_t agent = brink_agents_index(agents, cw->agent);
  for (size_t b = 0; b < agents->def.npairs; b++) {
    brink_pair_guards *pg = &agents->worker.pair_guards[b];
    int sides[2], count = sides_of(&agents->worker, pg, cw->agent, sides);
    for (int k = 0; k < count && pg->grid != NULL; k++) {
      uint32_t number = brink_pair_grid_index(pg, sides[k], agent);
      const brink_motion_bounds *bounds = &cw->bounds[2 * b + (size_t)sides[k]];
      /* Agents that have their turns at the same instant have to find it at its old position, too. */
      brink_box box = cw->updated_contacts || cw->keeps_old_box
                          ? box_of(agents, cw, pg, b, sides[k])
                          : bounds->box;
      brink_grid_update(pg->grid, number, &box);
      pg->tube[number] = bounds->tube;
    }
  }
}

/* ---- cutting at pair events ---- */

static void cut(brink_window *window, uint32_t partner, size_t block, const brink_pair_root *root) {
  window->end = root->t;
  window->ending = BRINK_ENDS_AT_PAIR_EVENT;
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
  if (agents->trail != NULL) brink_trail_window(agents->trail, agents, found->partner);
}

/* A pair event cuts the candidate, and the window of the partner: at once, or when the speculative step is committed. */
static void cut_both(brink_agents *agents, brink_candidate_window *cw, const brink_cut *found) {
  brink_speculative_step *step = cw->step;
  cut(&cw->window, found->partner, found->block, &found->root);
  if (step == NULL)
    brink_window_cut_partner(agents, cw->agent, found);
  else if (step->ncuts < BRINK_SPECULATIVE_CUTS)
    step->cuts[step->ncuts++] = *found;
  else
    step->complete = false;
}

/* ---- contacts ---- */

/* Records a contact: at once, or when the speculative step is committed. */
static void update_contact(brink_agents *agents, brink_candidate_window *cw,
                           const brink_contact *what) {
  brink_speculative_step *step = cw->step;
  cw->updated_contacts = true;
  if (step == NULL)
    brink_agents_update_contact(agents, what);
  else if (step->nupdates < BRINK_SPECULATIVE_UPDATES)
    step->updates[step->nupdates++] = *what;
  else
    step->complete = false;
}

/* Records what a search has found. */
static void update_contacts(brink_agents *agents, brink_candidate_window *cw,
                            const brink_pair_guards *pg) {
  for (size_t k = 0; k < pg->nupdates; k++) update_contact(agents, cw, &pg->updates[k]);
}

/* The event has to wait for an event of one partner's own, or for another pair event at that time: it is recorded as due. */
static void mark_due(brink_agents *agents, brink_candidate_window *cw, const brink_pair_query *q,
                     const brink_pair_root *root) {
  const brink_contact *known =
      brink_contacts_find(&agents->contacts, q->block, root->guard, q->pair);
  brink_contact made = {.pair = {q->pair[0], q->pair[1]},
                        .block = (uint16_t)q->block,
                        .guard = (uint32_t)root->guard};
  if (known != NULL) made = *known;
  made = brink_contact_due(&made, q, root->t, root->direction, root->kind);
  update_contact(agents, cw, &made);
}

void brink_window_record_signs(brink_agents *agents, const uint32_t pair[2], size_t block,
                               size_t guard) {
  for (size_t b = 0; b < agents->def.npairs; b++) {
    brink_pair_guards *pg = &agents->worker.pair_guards[b];
    /* Does the block concern the two, and has it other guards than this one? */
    int sides[2];
    for (int k = 0; k < 2; k++) {
      const brink_agent_population *pop = brink_worker_population(&agents->worker, pair[k]);
      sides[k] = pop == pg->population[0] ? 0 : pop == pg->population[1] ? 1 : -1;
    }
    bool one = pg->population[0] == pg->population[1];
    if (sides[0] < 0 || sides[1] < 0 || (!one && sides[0] == sides[1]) ||
        (b == block && pg->def.nguards == 1))
      continue;
    /* A query of this instant alone, with the two in the order of the block. */
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
                          .first_instant = agents->now <= agents->t_start,
                          .record_all = true};
    brink_pair_search(pg, &q);
    for (size_t k = 0; k < pg->nupdates; k++) {
      if (b != block || pg->updates[k].guard != guard)
        brink_agents_update_contact(agents, &pg->updates[k]);
    }
  }
}

/* ---- comparing ---- */

/* The order of events at one time: by priority, then by declaration, as in a single system. */
static bool is_before(const brink_pair_guards *pair_guards, const brink_contact *a,
                      const brink_contact *b) {
  int first = pair_guards[a->block].eval.model->guards[a->guard].def.priority;
  int second = pair_guards[b->block].eval.model->guards[b->guard].def.priority;
  if (first != second) return first > second;
  if (a->block != b->block) return a->block < b->block;
  if (a->guard != b->guard) return a->guard < b->guard;
  return a->pair[0] != b->pair[0] ? a->pair[0] < b->pair[0] : a->pair[1] < b->pair[1];
}

/* The pair event at the end of the agent's window; the two in the order of the block. */
static brink_contact pair_event_of(const brink_pair_guards *pair_guards, uint32_t agent,
                                   const brink_window *window) {
  const brink_pair_guards *pg = &pair_guards[window->block];
  bool first = pg->population[0] == pg->population[1]
                   ? agent < window->partner
                   : agent - pg->population[0]->first < pg->population[0]->def.count;
  return (brink_contact){.pair = {first ? agent : window->partner, first ? window->partner : agent},
                         .block = window->block,
                         .guard = window->guard};
}

/* A pair event that was found before, at the same time, has to wait. */
static void postpone(brink_agents *agents, brink_candidate_window *cw, const brink_contact *earlier,
                     const brink_window *window, double from) {
  const void *packed[2];
  for (int side = 0; side < 2; side++)
    packed[side] = earlier->pair[side] == cw->agent
                       ? cw->packed
                       : brink_agents_packed(agents, earlier->pair[side]);
  brink_pair_query q = {.block = earlier->block,
                        .pair = {earlier->pair[0], earlier->pair[1]},
                        .now = {packed[0], packed[1]},
                        .from = from};
  brink_pair_root root = {.t = window->end,
                          .guard = window->guard,
                          .direction = (brink_direction)window->direction,
                          .kind = (brink_event_kind)window->kind};
  mark_due(agents, cw, &q, &root);
}

/* The windows may end with other pair events at the same time: is this event the first? False: it has to wait. */
static bool comes_first(brink_agents *agents, const brink_worker *worker,
                        brink_candidate_window *cw, const brink_pair_query *q,
                        const brink_pair_root *root, uint32_t j, const brink_window *window) {
  const brink_window *windows[2] = {&cw->window, window};
  const uint32_t agent[2] = {cw->agent, j};
  brink_contact mine = {.pair = {q->pair[0], q->pair[1]},
                        .block = (uint16_t)q->block,
                        .guard = (uint32_t)root->guard},
                other[2];
  bool tied[2];
  /* It has to come before the events that the two windows end with, if these are at the same time … */
  for (int k = 0; k < 2; k++) {
    tied[k] = windows[k]->ending == BRINK_ENDS_AT_PAIR_EVENT && root->t >= windows[k]->end;
    if (!tied[k]) continue;
    other[k] = pair_event_of(worker->pair_guards, agent[k], windows[k]);
    if (!is_before(worker->pair_guards, &mine, &other[k])) return false;
  }
  /* … and then these have to wait. */
  for (int k = 0; k < 2; k++) {
    if (tied[k]) postpone(agents, cw, &other[k], windows[k], q->from);
  }
  return true;
}

/* Does the plan end at this time? An event of the agent's own comes first. */
static bool plan_event_first(const brink_window *window, double t) {
  return window->ending == BRINK_ENDS_WITH_PLAN && t >= window->end;
}

/* Are the signs of all guards of the two recorded for the present? Mostly they have just fired. */
static bool are_recorded(const brink_agents *agents, const brink_pair_guards *pg,
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

/* Compares the window with that of agent j on the other side, from its start on. */
static void compare(brink_agents *agents, brink_worker *worker, brink_candidate_window *cw,
                    size_t block, int side, uint32_t j, const brink_partner_view *other) {
  brink_pair_guards *pg = &worker->pair_guards[block];
  /* The time in which both windows are valid. At the end of the run, or if the other window ends now: this instant. */
  bool finished = other->window->ending == BRINK_ENDS_RUN;
  double from = cw->window.start;
  double to = cw->window.end < other->window->end ? cw->window.end : other->window->end;
  if (finished || !(to > from)) to = from;
  /* In one population the agent with the smaller number is the first. */
  bool swapped = pg->population[0] == pg->population[1] ? cw->agent > j : side == 1;
  const uint32_t pair[2] = {swapped ? j : cw->agent, swapped ? cw->agent : j};
  /* Tubes that do not overlap: nothing can happen, unless guards may have jumped, or are on their surface. */
  if (other->tube != NULL && !agents->def.all_pairs && !cw->displaced &&
      !brink_tubes_may_touch(pg, &cw->bounds[2 * block + (size_t)side].tube, other->tube,
                             from - other->window->start, to - from) &&
      !brink_contacts_any(&agents->contacts, pair, from))
    return;
  brink_pair_query q = {.agents = agents,
                        .block = block,
                        .from = from,
                        .to = to,
                        .jumped = cw->jumped,
                        .displaced = cw->displaced,
                        .first_instant = from <= agents->t_start};
  memcpy(q.pair, pair, sizeof q.pair);
  q.now[swapped] = cw->packed;
  q.previous[swapped] = cw->previous;
  q.now[!swapped] = q.previous[!swapped] =
      other->packed != NULL ? other->packed : brink_agents_packed(agents, j);
  /* If the other one has its turn at this instant, too, events are found then. Now only signs are recorded that this
   * change would make unknown. */
  bool later = !(to > from) && !finished;
  if (later && are_recorded(agents, pg, &q)) return;
  /* The narrow phase: the first event of the two. */
  cw->searches++;
  brink_pair_root root = brink_pair_search(pg, &q);
  update_contacts(agents, cw, pg);
  if (!root.found || later) return;
  /* At one time, events of one agent come first, then pair events in their order; all others wait. */
  if (!finished &&
      (plan_event_first(&cw->window, root.t) || plan_event_first(other->window, root.t))) {
    mark_due(agents, cw, &q, &root);
    return;
  }
  if (!comes_first(agents, worker, cw, &q, &root, j, other->window)) {
    mark_due(agents, cw, &q, &root);
    return;
  }
  cut_both(agents, cw, &(brink_cut){.partner = j, .block = (uint16_t)block, .root = root});
}

brink_partner_view brink_window_view(const brink_agents *agents, const brink_pair_guards *pg,
                                     int side, uint32_t j) {
  uint32_t first = (uint32_t)pg->population[side]->first;
  return (brink_partner_view){
      .window = &agents->members[j].window,
      .tube = pg->grid != NULL ? &pg->tube[brink_pair_grid_index(pg, side, j - first)] : NULL};
}

/* Compares with all agents on the other side. */
static void compare_all(brink_agents *agents, brink_worker *worker, brink_candidate_window *cw,
                        size_t block, int side) {
  const brink_pair_guards *pg = &worker->pair_guards[block];
  const brink_agent_population *pop = pg->population[1 - side];
  for (size_t k = 0; k < pop->def.count; k++) {
    uint32_t j = (uint32_t)(pop->first + k);
    if (j == cw->agent || !agents->members[j].has_window) continue;
    brink_partner_view other = brink_window_view(agents, pg, 1 - side, j);
    compare(agents, worker, cw, block, side, j, &other);
  }
}

/* From a list of the grid: the agents on the other side, by their numbers among all. */
static size_t keep_other_side(const brink_pair_guards *pg, int side, uint32_t *list, size_t count) {
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

/* Compares with the agents on the other side whose boxes touch its box: the broad phase. A speculative step adds those with
 * earlier turns, and records which versions it reads. */
static void compare_near(brink_agents *agents, brink_worker *worker, brink_candidate_window *cw,
                         size_t block, int side) {
  brink_pair_guards *pg = &worker->pair_guards[block];
  brink_box box = box_of(agents, cw, pg, block, side);
  uint32_t number = brink_pair_grid_index(pg, side, brink_agents_index(agents, cw->agent));
  size_t count = brink_grid_query(pg->grid, &pg->results, number, &box);
  count = keep_other_side(pg, side, pg->results.list, count);
  uint32_t near[BRINK_SPECULATIVE_NEIGHBOURS];
  const uint32_t *list = pg->results.list;
  if (cw->step != NULL) {
    count = brink_speculation_neighbours(agents->speculation, cw, block, side, pg->results.list,
                                         count, near);
    list = near;
  }
  cw->checks += (int64_t)count;
  for (size_t k = 0; k < count; k++) {
    brink_partner_view other =
        cw->step != NULL ? brink_speculation_view(agents->speculation, cw, block, 1 - side, list[k])
                         : brink_window_view(agents, pg, 1 - side, list[k]);
    compare(agents, worker, cw, block, side, list[k], &other);
  }
}

void brink_candidate_compare(brink_agents *agents, brink_worker *worker,
                             brink_candidate_window *cw) {
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_pair_guards *pg = &worker->pair_guards[b];
    int sides[2], count = sides_of(worker, pg, cw->agent, sides);
    for (int k = 0; k < count; k++) {
      if (pg->grid != NULL && !agents->def.all_pairs)
        compare_near(agents, worker, cw, b, sides[k]);
      else
        compare_all(agents, worker, cw, b, sides[k]);
    }
  }
}
