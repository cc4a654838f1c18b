/* window.c: windows of plans, compared with those of others.
 *
 * One way for turns that are taken and for those that are only proposed (proposals.c): a proposal notes what it would
 * do to others, and sees those that will have moved before it is due as they will be then. */
#include <float.h>
#include <math.h>

#include "agents/parts.h"

/* ---- opening ---- */

static int sides_of(const brink_worker *worker, const brink_meeting *m, uint32_t agent,
                    int sides[2]) {
  return brink_meeting_sides(m, brink_worker_crew(worker, agent), sides);
}

/* How far the window goes: an agent should not sweep more than its share of the plane. */
static double end_of(const brink_agents *agents, const brink_worker *worker,
                     const brink_outlook *outlook, double from, double valid) {
  double end = valid;
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_meeting *m = &worker->meetings[b];
    int sides[2], count = sides_of(worker, m, outlook->agent, sides);
    for (int k = 0; k < count && m->grid != NULL; k++) {
      double speed = brink_meeting_speed(m, sides[k], outlook->packed, from);
      if (speed > 0.0) end = fmin(end, from + m->sweep / speed);
    }
  }
  double least = from + 16.0 * DBL_EPSILON * fabs(from);
  return fmin(fmax(end, least), valid);
}

void brink_outlook_open(brink_agents *agents, brink_worker *worker, brink_outlook *o, double from,
                        double valid) {
  double end = end_of(agents, worker, o, from, valid);
  uint8_t ending = end >= valid ? BRINK_PLAN_ENDS : BRINK_WINDOW_ENDS;
  o->window = (brink_window){.start = from, .end = end, .ending = ending, .partner = BRINK_NOBODY};
  o->searches = o->checks = 0;
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_meeting *m = &worker->meetings[b];
    int sides[2], count = sides_of(worker, m, o->agent, sides);
    for (int k = 0; k < count && m->grid != NULL; k++)
      brink_meeting_spot(m, sides[k], o->packed, from, end, &o->spots[2 * b + (size_t)sides[k]]);
  }
}

void brink_outlook_settle(brink_agents *agents, const brink_outlook *o) {
  size_t agent = brink_agents_member(agents, o->agent);
  for (size_t b = 0; b < agents->def.npairs; b++) {
    brink_meeting *m = &agents->worker.meetings[b];
    int sides[2], count = sides_of(&agents->worker, m, o->agent, sides);
    for (int k = 0; k < count && m->grid != NULL; k++) {
      uint32_t number = brink_meeting_number(m, sides[k], agent);
      const brink_spot *spot = &o->spots[2 * b + (size_t)sides[k]];
      brink_grid_put(m->grid, number, &spot->box);
      m->track[number] = spot->track;
    }
  }
}

/* ---- cutting ---- */

static void cut(brink_window *window, uint32_t partner, size_t block,
                const brink_root_of_pair *root) {
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
  brink_queue_moved(&agents->queue, found->partner, partner->window.end);
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

/* ---- comparing ---- */

static brink_memory remembered(const brink_agents *agents, const brink_outlook *o, uint32_t j) {
  const brink_member *one = &agents->members[o->agent], *other = &agents->members[j];
  double from = o->window.start;
  brink_memory memory = {.met = one->met == j && other->met == o->agent};
  memory.fresh = memory.met && one->met_at == from && other->met_at == from;
  memory.sign = one->met_sign;
  memory.begins = from <= agents->begun;
  memory.old = o->old;
  return memory;
}

/* With agent j of the other side, from the start of the window on. */
static void compare(brink_agents *agents, brink_worker *worker, brink_outlook *o, size_t block,
                    int side, uint32_t j, const brink_stance *other) {
  brink_meeting *m = &worker->meetings[block];
  double to = fmin(o->window.end, other->window->end), from = o->window.start;
  if (!(to > from) || other->window->ending == BRINK_FINISHED) return;
  brink_memory memory = remembered(agents, o, j);
  /* Of one population the one with the smaller number is a. */
  bool swapped = m->crew[0] == m->crew[1] ? o->agent > j : side == 1;
  memory.jumper = swapped ? 1 : 0;
  if (other->track != NULL && !agents->def.all_pairs && memory.old == NULL &&
      !brink_meeting_may(m, &o->spots[2 * block + (size_t)side].track, other->track,
                         from - other->window->start, to - from))
    return;
  o->searches++;
  const void *a = swapped ? other->packed : o->packed, *b = swapped ? o->packed : other->packed;
  brink_root_of_pair root = brink_meeting_search(m, a, b, from, to, &memory);
  /* Who is to meet somebody else at that time does so first. */
  bool engaged = other->window->ending == BRINK_MEETS && other->window->partner != o->agent;
  if (!root.found || (root.t >= other->window->end && engaged) ||
      (root.t >= o->window.end && o->window.ending == BRINK_MEETS))
    return;
  meet(agents, o, &(brink_cut){.partner = j, .block = (uint16_t)block, .root = root});
}

brink_stance brink_window_stance(const brink_agents *agents, const brink_meeting *m, int side,
                                 uint32_t j) {
  uint32_t number = brink_meeting_number(m, side, brink_agents_member(agents, j));
  return (brink_stance){.window = &agents->members[j].window,
                        .packed = brink_agents_packed(agents, j),
                        .track = m->grid != NULL ? &m->track[number] : NULL};
}

static void compare_all(brink_agents *agents, brink_worker *worker, brink_outlook *o, size_t block,
                        int side) {
  const brink_meeting *m = &worker->meetings[block];
  const brink_crew *crew = m->crew[1 - side];
  for (size_t k = 0; k < crew->def.count; k++) {
    uint32_t j = (uint32_t)(crew->first + k);
    if (j == o->agent || !agents->members[j].there) continue;
    brink_stance other = brink_window_stance(agents, m, 1 - side, j);
    compare(agents, worker, o, block, side, j, &other);
  }
}

/* Of one that has jumped, with the old box: it may have met whom it left. */
static brink_box box_of(const brink_agents *agents, const brink_outlook *o, const brink_meeting *m,
                        size_t block, int side) {
  brink_box box = o->spots[2 * block + (size_t)side].box;
  if (o->old == NULL) return box;
  uint32_t number = brink_meeting_number(m, side, brink_agents_member(agents, o->agent));
  const brink_box *old = brink_grid_box(m->grid, number);
  for (int d = 0; d < m->def.ndimensions; d++) {
    box.low[d] = fmin(box.low[d], old->low[d]);
    box.high[d] = fmax(box.high[d], old->high[d]);
  }
  return box;
}

/* Those of the other side in a list of the grid, by their numbers among all. */
static size_t choose(const brink_meeting *m, int side, uint32_t *list, size_t count) {
  bool one = m->crew[0] == m->crew[1];
  size_t first_count = m->crew[0]->def.count, kept = 0;
  for (size_t k = 0; k < count; k++) {
    bool second = !one && list[k] >= first_count;
    if (!one && (side == 1) == second) continue;
    const brink_crew *crew = m->crew[second ? 1 : 0];
    list[kept++] = (uint32_t)(crew->first + list[k] - (second ? first_count : 0));
  }
  return kept;
}

static void compare_near(brink_agents *agents, brink_worker *worker, brink_outlook *o, size_t block,
                         int side) {
  brink_meeting *m = &worker->meetings[block];
  brink_box box = box_of(agents, o, m, block, side);
  uint32_t number = brink_meeting_number(m, side, brink_agents_member(agents, o->agent));
  size_t count = brink_grid_meet(m->grid, &m->reader, number, &box);
  count = choose(m, side, m->reader.list, count);
  uint32_t near[BRINK_PROPOSAL_NEAR];
  const uint32_t *list = m->reader.list;
  if (o->proposal != NULL) {
    count = brink_proposals_near(agents->proposals, o, block, side, m->reader.list, count, near);
    list = near;
  }
  o->checks += (int64_t)count;
  for (size_t k = 0; k < count; k++) {
    brink_stance other =
        o->proposal != NULL ? brink_proposals_stance(agents->proposals, o, block, 1 - side, list[k])
                            : brink_window_stance(agents, m, 1 - side, list[k]);
    compare(agents, worker, o, block, side, list[k], &other);
  }
}

void brink_outlook_compare(brink_agents *agents, brink_worker *worker, brink_outlook *o) {
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_meeting *m = &worker->meetings[b];
    int sides[2], count = sides_of(worker, m, o->agent, sides);
    for (int k = 0; k < count; k++) {
      if (m->grid != NULL && !agents->def.all_pairs)
        compare_near(agents, worker, o, b, sides[k]);
      else
        compare_all(agents, worker, o, b, sides[k]);
    }
  }
}
