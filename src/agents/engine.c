/* engine.c: the loop: whose window ends first, what happens then.
 *
 * Invariants, between two turns (checked in debug builds):
 *   1. now <= end[i] for all agents i, and start[i] <= now;
 *   2. the simulation of agent i stands at or before start[i], and its plan is good up to end[i] <= valid[i];
 *   3. no pair has an event in (now, min(end[i], end[j])).
 * The agent with the smallest end is next, so that 1 holds afterwards; its new window is compared with all others,
 * so that 3 does. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "agents/parts.h"

#define SHRINKS 0.95     /* gaps between events that are smaller by this, one after another, … */
#define REPEATS 4        /* … so often, are an accumulation (sim/zeno.c), … */
#define UNRESOLVED 1e-11 /* … when all that is left is no more than this part of the time */
#define IDLE 1000        /* turns of an agent without motion: something fires again and again */

static brink_crew *crew_of(const brink_agents *agents, uint32_t agent) {
  return &agents->crews[agents->crew_of[agent]];
}

static size_t member(const brink_agents *agents, uint32_t agent) {
  return agent - crew_of(agents, agent)->first;
}

/* It speaks to the sink from now on. */
static void act(brink_agents *agents, uint32_t agent) {
  agents->acting = agent;
  agents->acting_block = BRINK_NONE;
}

/* ---- plans ---- */

/* What the agent will do from where its simulation stands. It is at work. */
static brink_status plan(brink_agents *agents, uint32_t agent, brink_diag *diag) {
  brink_crew *crew = crew_of(agents, agent);
  brink_foresight ahead = {.end = agents->t_end};
  brink_sim *sim = crew->sim;
  /* What is foreseen must not depend on what only this simulation remembers. */
  brink_crew_keep(crew, member(agents, agent));
  brink_unpack(&crew->packing, sim, brink_crew_packed(crew, member(agents, agent)));
  double stands = sim->t;
  if (sim->t < agents->t_end) {
    brink_status status = brink_sim_foresee(sim, agents->t_end, &ahead, diag);
    if (status != BRINK_STEPPED && status != BRINK_OK) return status;
  }
  if (sim->eval.nheld > BRINK_PACKED_HOLDS)
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                          "an agent slides on %zu surfaces at once: at most %d are supported",
                          sim->eval.nheld, BRINK_PACKED_HOLDS);
  brink_packing_follow(&crew->packing, sim, ahead.path);
  brink_crew_keep(crew, member(agents, agent));
  agents->valid[agent] = fmin(ahead.end, agents->t_end);
  agents->idle[agent] = ahead.end > stands ? 0 : agents->idle[agent] + 1;
  if (agents->idle[agent] > IDLE)
    return brink_diag_set(diag, BRINK_ERR_LOOP,
                          "time does not move on from t = %.17g: something of agent %zu of '%s' "
                          "happens again and again",
                          stands, member(agents, agent) + 1, crew->def.name);
  return BRINK_OK;
}

/* ---- windows ---- */

/* How far the next window goes: an agent should not sweep more than its share of the plane. */
static double window_end(const brink_agents *agents, uint32_t agent, double from) {
  double end = agents->valid[agent];
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_meeting *m = &agents->meetings[b];
    for (int side = 0; side < 2; side++) {
      if (m->crew[side] != crew_of(agents, agent) || m->def.ndimensions == 0) continue;
      double speed = brink_meeting_speed(m, side, member(agents, agent), from);
      if (speed > 0.0) end = fmin(end, from + m->sweep / speed);
      if (m->crew[0] == m->crew[1]) break;
    }
  }
  double least = from + 16.0 * DBL_EPSILON * fabs(from);
  return fmin(fmax(end, least), agents->valid[agent]);
}

static void cut(brink_agents *agents, uint32_t agent, uint32_t partner, size_t block,
                const brink_root_of_pair *root) {
  agents->end[agent] = root->t;
  agents->ending[agent] = BRINK_MEETS;
  agents->partner[agent] = partner;
  agents->block[agent] = (uint16_t)block;
  agents->guard[agent] = (uint32_t)root->guard;
  agents->direction[agent] = (int8_t)root->direction;
  agents->kind[agent] = (uint8_t)root->kind;
}

/* Number of an agent in the grid of a block: those of the first crew, then those of the second. */
static uint32_t grid_number(const brink_meeting *m, int side, size_t agent) {
  bool second = side == 1 && m->crew[0] != m->crew[1];
  return (uint32_t)(second ? m->crew[0]->def.count + agent : agent);
}

/* Agent i of `side` against agent j of the other one, from the present on. */
static void compare(brink_agents *agents, size_t block, int side, uint32_t i, uint32_t j) {
  brink_meeting *m = &agents->meetings[block];
  double to = fmin(agents->end[i], agents->end[j]), from = agents->start[i];
  if (!(to > from) || agents->ending[j] == BRINK_FINISHED) return;
  brink_memory memory = {.met = agents->met[i] == j && agents->met[j] == i};
  memory.fresh = memory.met && agents->met_at[i] == from && agents->met_at[j] == from;
  memory.sign = agents->met_sign[i];
  memory.begins = from <= agents->begun;
  memory.old = agents->jumper == i ? agents->old : NULL;
  /* Of one population the one with the smaller number is a. */
  bool swapped = m->crew[0] == m->crew[1] ? i > j : side == 1;
  uint32_t a = swapped ? j : i, b = swapped ? i : j;
  memory.jumper = swapped ? 1 : 0;
  if (m->grid != NULL && !agents->def.all_pairs && memory.old == NULL) {
    if (!brink_meeting_may(m, grid_number(m, side, member(agents, i)),
                           grid_number(m, 1 - side, member(agents, j)), from - agents->start[i],
                           from - agents->start[j], to - from))
      return;
  }
  agents->stats.searches++;
  brink_root_of_pair root =
      brink_meeting_search(m, member(agents, a), member(agents, b), from, to, &memory);
  /* Who is to meet somebody else at that time does so first. */
  bool other = agents->ending[j] == BRINK_MEETS && agents->partner[j] != i;
  if (!root.found || (root.t >= agents->end[j] && other) ||
      (root.t >= agents->end[i] && agents->ending[i] == BRINK_MEETS))
    return;
  cut(agents, i, j, block, &root);
  cut(agents, j, i, block, &root);
  brink_queue_moved(&agents->queue, j);
}

static void compare_near(brink_agents *agents, size_t block, int side, uint32_t i,
                         const brink_box *box) {
  brink_meeting *m = &agents->meetings[block];
  bool one = m->crew[0] == m->crew[1];
  const uint32_t *list;
  size_t first_count = m->crew[0]->def.count;
  size_t count = brink_grid_meet(m->grid, &m->reader, grid_number(m, side, member(agents, i)), box,
                                 &list, &agents->stats.checks);
  for (size_t k = 0; k < count; k++) {
    bool second = !one && list[k] >= first_count;
    if (!one && (side == 1) == second) continue;
    const brink_crew *other = m->crew[second ? 1 : 0];
    compare(agents, block, side, i,
            (uint32_t)(other->first + list[k] - (second ? first_count : 0)));
  }
}

static void compare_all(brink_agents *agents, size_t block, int side, uint32_t i) {
  const brink_crew *other = agents->meetings[block].crew[1 - side];
  for (size_t k = 0; k < other->def.count; k++) {
    uint32_t j = (uint32_t)(other->first + k);
    if (j != i && agents->there[j]) compare(agents, block, side, i, j);
  }
}

/* The box of its new window; of one that has jumped, in *near, with the old one: it may have met whom it left. */
static void put_box(brink_agents *agents, size_t block, int side, uint32_t i, brink_box *near) {
  brink_meeting *m = &agents->meetings[block];
  uint32_t number = grid_number(m, side, member(agents, i));
  brink_box box, old = *brink_grid_box(m->grid, number);
  brink_meeting_box(m, side, member(agents, i), agents->start[i], agents->end[i], &box);
  brink_grid_put(m->grid, number, &box);
  *near = box;
  for (int d = 0; agents->jumper == i && d < m->def.ndimensions; d++) {
    near->low[d] = fmin(near->low[d], old.low[d]);
    near->high[d] = fmax(near->high[d], old.high[d]);
  }
}

/* A window from the present on, compared with those of all others. */
static void open_window(brink_agents *agents, uint32_t i) {
  double from = agents->now;
  agents->start[i] = from;
  agents->end[i] = window_end(agents, i, from);
  agents->ending[i] = agents->end[i] >= agents->valid[i] ? BRINK_PLAN_ENDS : BRINK_WINDOW_ENDS;
  agents->stats.windows++;
  agents->there[i] = true;
  for (size_t b = 0; b < agents->def.npairs; b++) {
    const brink_meeting *m = &agents->meetings[b];
    for (int side = 0; side < 2; side++) {
      if (m->crew[side] != crew_of(agents, i)) continue;
      brink_box box;
      if (m->grid != NULL) put_box(agents, b, side, i, &box);
      if (m->grid != NULL && !agents->def.all_pairs)
        compare_near(agents, b, side, i, &box);
      else
        compare_all(agents, b, side, i);
      if (m->crew[0] == m->crew[1]) break;
    }
  }
}

/* ---- turns ---- */

/* The agent's simulation goes to t, with all that happens there. It is at work afterwards. */
static brink_status simulate(brink_agents *agents, uint32_t agent, double t, brink_diag *diag) {
  brink_crew *crew = crew_of(agents, agent);
  brink_crew_take(crew, member(agents, agent));
  act(agents, agent);
  /* The same question as when it was planned, so that the answer is the same. */
  brink_status status = BRINK_STEPPED;
  do {
    status = brink_sim_advance(crew->sim, agents->t_end, diag);
  } while (status == BRINK_STEPPED && crew->sim->t < t);
  return status >= 0 && status != BRINK_STOPPED ? BRINK_OK : status;
}

static brink_status finish(brink_agents *agents, uint32_t agent, brink_diag *diag) {
  brink_status status = plan(agents, agent, diag); /* stands still from now on */
  agents->ending[agent] = BRINK_FINISHED;
  agents->start[agent] = agents->now;
  agents->end[agent] = (double)INFINITY;
  return status;
}

/* Do its events come faster and faster, to infinitely many before some time? */
static brink_status watch_gaps(brink_agents *agents, uint32_t agent, brink_diag *diag) {
  double gap = agents->now - agents->event_at[agent], before = (double)agents->gap[agent];
  if (gap == 0.0) return BRINK_OK; /* of the same instant */
  if (gap > SHRINKS * before)
    agents->shrunk[agent] = 0;
  else if (agents->shrunk[agent] < REPEATS)
    agents->shrunk[agent]++;
  agents->gap[agent] = (float)gap;
  agents->event_at[agent] = agents->now;
  if (agents->shrunk[agent] < REPEATS) return BRINK_OK;
  double ratio = gap / before, left = gap * ratio / (1.0 - ratio), limit = agents->now + left;
  if (left > UNRESOLVED * fabs(agents->now)) return BRINK_OK;
  const brink_crew *crew = crew_of(agents, agent);
  brink_diag_set(diag, BRINK_ERR_ZENO,
                 "infinitely many events of agent %zu of '%s' before t = %.10g: give its model a "
                 "mode for the limit",
                 member(agents, agent) + 1, crew->def.name, limit);
  if (diag != NULL) diag->t = limit;
  return BRINK_ERR_ZENO;
}

static brink_status take_turn(brink_agents *agents, uint32_t agent, brink_diag *diag) {
  brink_status status = BRINK_OK;
  if (agents->now >= agents->valid[agent]) {
    brink_crew *crew = crew_of(agents, agent);
    memcpy(agents->old, brink_crew_packed(crew, member(agents, agent)), crew->packing.size);
    status = simulate(agents, agent, agents->valid[agent], diag);
    if (crew->sim->instant_events > 0 && crew->sim->changed) agents->jumper = agent;
    if (status == BRINK_OK && crew->sim->instant_events > 0)
      status = watch_gaps(agents, agent, diag);
    if (status == BRINK_OK && agents->now >= agents->t_end) return finish(agents, agent, diag);
    if (status == BRINK_OK) status = plan(agents, agent, diag);
  }
  if (status == BRINK_OK) open_window(agents, agent);
  agents->jumper = BRINK_NOBODY;
  return status;
}

static brink_root_of_pair root_of(const brink_agents *agents, uint32_t agent) {
  return (brink_root_of_pair){.found = true,
                              .t = agents->end[agent],
                              .guard = agents->guard[agent],
                              .direction = (brink_direction)agents->direction[agent],
                              .kind = (brink_event_kind)agents->kind[agent]};
}

static brink_status tell_meeting(brink_agents *agents, size_t block, const uint32_t pair[2],
                                 const brink_event_record *record) {
  agents->stats.meetings++;
  if (agents->sink.event == NULL) return BRINK_OK;
  brink_agent_event event = {.record = record,
                             .population = BRINK_NONE,
                             .agent = BRINK_NONE,
                             .pair = block,
                             .partner = {member(agents, pair[0]), member(agents, pair[1])}};
  return agents->sink.event(&event, agents->sink.user) == 0 ? BRINK_OK : BRINK_STOPPED;
}

/* A partner goes on: with what the action has made of it, or, if that is nothing, along its plan. */
static brink_status part(brink_agents *agents, size_t block, int side, uint32_t agent, bool changed,
                         brink_diag *diag) {
  if (!changed) return BRINK_OK;
  brink_crew *crew = crew_of(agents, agent);
  brink_crew_take(crew, member(agents, agent));
  crew->sim->t = crew->sim->stepper.t = agents->now;
  brink_meeting_scatter(&agents->meetings[block], side, crew->sim);
  brink_sim_changed(crew->sim);
  act(agents, agent);
  return plan(agents, agent, diag);
}

/* Whom it has met last; its old window is over. */
static void remember(brink_agents *agents, uint32_t agent, uint32_t partner, int sign) {
  bool again = agents->met_at[agent] == agents->now && agents->met[agent] != BRINK_NOBODY;
  agents->idle[agent] = again ? agents->idle[agent] + 1 : 0;
  agents->met[agent] = partner;
  agents->met_at[agent] = agents->now;
  agents->met_sign[agent] = (int8_t)sign;
  agents->end[agent] = agents->now;
  agents->ending[agent] = BRINK_WINDOW_ENDS;
}

static brink_status meet(brink_agents *agents, uint32_t i, uint32_t j, brink_diag *diag) {
  size_t block = agents->block[i];
  brink_meeting *m = &agents->meetings[block];
  bool first = crew_of(agents, i) == m->crew[0] && (m->crew[0] != m->crew[1] || i < j);
  uint32_t pair[2] = {first ? i : j, first ? j : i};
  brink_root_of_pair root = root_of(agents, i);
  brink_event_record record;
  bool changed[2];
  agents->acting_block = block;
  memcpy(agents->acting_pair, pair, sizeof pair);
  int outcome = brink_meeting_act(m, member(agents, pair[0]), member(agents, pair[1]), &root,
                                  &record, changed);
  brink_status status = tell_meeting(agents, block, pair, &record);
  if (outcome < 0)
    return m->message[0] != '\0'
               ? brink_diag_set(diag, BRINK_ERR_CALLBACK, "%s", m->message)
               : brink_diag_set(diag, BRINK_ERR_CALLBACK, "the action of '%s' failed at t = %.17g",
                                record.event.name, root.t);
  int sign = changed[0] || changed[1] ? 0 : (int)root.direction;
  for (int side = 0; side < 2; side++) {
    remember(agents, pair[side], pair[1 - side], sign);
    brink_status parted = part(agents, block, side, pair[side], changed[side], diag);
    if (status == BRINK_OK) status = parted;
  }
  if (agents->idle[i] > IDLE)
    return brink_diag_set(diag, BRINK_ERR_LOOP,
                          "time does not move on from t = %.17g: '%s' fires again and again",
                          root.t, record.event.name);
  if (status != BRINK_OK || outcome != 0) return status != BRINK_OK ? status : BRINK_STOPPED;
  for (int side = 0; side < 2; side++) {
    open_window(agents, pair[side]);
    brink_queue_moved(&agents->queue, pair[side]);
  }
  return BRINK_OK;
}

#ifndef NDEBUG
static void check_invariants(const brink_agents *agents, uint32_t next) {
  for (uint32_t i = 0; i<agents->n; i += agents->n> 1000 ? 97 : 1) {
    const brink_crew *crew = crew_of(agents, i);
    double stands = brink_packed_time(brink_crew_packed(crew, i - crew->first));
    assert(agents->end[next] <= agents->end[i]);
    assert(agents->start[i] <= agents->end[next]);
    assert(stands <= agents->start[i]);
    assert(agents->ending[i] == BRINK_FINISHED || agents->end[i] <= agents->valid[i]);
  }
}
#endif

static brink_status turn(brink_agents *agents, brink_diag *diag) {
  uint32_t i = brink_queue_first(&agents->queue);
  if (!isfinite(agents->end[i])) return BRINK_TIME_REACHED;
#ifndef NDEBUG
  check_invariants(agents, i);
#endif
  agents->now = agents->end[i];
  uint32_t j = agents->partner[i];
  bool both = agents->ending[i] == BRINK_MEETS && agents->ending[j] == BRINK_MEETS &&
              agents->partner[j] == i && agents->end[j] == agents->end[i];
  brink_status status = both ? meet(agents, i, j, diag) : take_turn(agents, i, diag);
  brink_queue_moved(&agents->queue, i);
  return status;
}

/* ---- runs ---- */

static brink_status begin(brink_agents *agents, brink_diag *diag) {
  for (uint32_t i = 0; i < agents->n; i++) {
    brink_crew *crew = crew_of(agents, i);
    brink_crew_start(crew, member(agents, i));
    act(agents, i);
    agents->now = agents->begun = crew->sim->t;
    agents->met[i] = BRINK_NOBODY;
    brink_status status = plan(agents, i, diag);
    if (status != BRINK_OK) return status;
    open_window(agents, i);
    brink_queue_add(&agents->queue, i);
  }
  agents->started = true;
  return BRINK_OK;
}

/* Those that stood at the last end may go on. */
static brink_status go_on(brink_agents *agents, brink_diag *diag) {
  for (uint32_t i = 0; i < agents->n; i++) {
    if (agents->ending[i] != BRINK_FINISHED) continue;
    brink_crew_take(crew_of(agents, i), member(agents, i));
    act(agents, i);
    brink_status status = plan(agents, i, diag);
    if (status != BRINK_OK) return status;
    open_window(agents, i);
    brink_queue_moved(&agents->queue, i);
  }
  return BRINK_OK;
}

brink_status brink_agents_begin(brink_agents *agents, double t_end, brink_diag *diag) {
  brink_diag_clear(diag);
  if (!isfinite(t_end) || t_end < agents->now)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "agents at t = %g cannot go to t = %g",
                          agents->now, t_end);
  bool further = t_end > agents->t_end;
  agents->t_end = t_end;
  if (!agents->started) return begin(agents, diag);
  return further ? go_on(agents, diag) : BRINK_OK;
}

brink_status brink_agents_run(brink_agents *agents, double t_end, int64_t work, brink_diag *diag) {
  brink_status status = brink_agents_begin(agents, t_end, diag);
  for (int64_t turns = 0; status == BRINK_OK; turns++) {
    if (work > 0 && turns >= work)
      return brink_diag_set(diag, BRINK_ERR_WORK, "%lld turns were taken", (long long)turns);
    status = turn(agents, diag);
  }
  if (status == BRINK_TIME_REACHED) agents->now = t_end;
  return status;
}
