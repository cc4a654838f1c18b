/* engine.c: the loop: whose window ends first, what happens then.
 *
 * Invariants, between two turns (checked in debug builds):
 *   1. the window of every agent contains the present: start <= now <= end;
 *   2. its simulation stands at or before start, and its plan is good up to end <= valid;
 *   3. no pair has an event between now and the first end of their windows.
 * The agent with the smallest end is next, so that 1 holds afterwards; its new window is compared with all others,
 * so that 3 does. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agents/parts.h"

#define SHRINKS 0.95     /* gaps between events that are smaller by this, one after another, … */
#define REPEATS 4        /* … so often, are an accumulation (sim/zeno.c), … */
#define UNRESOLVED 1e-11 /* … when all that is left is no more than this part of the time */
#define MANY 4096        /* agents: they are not all in caches */
#define IDLE                                                                                       \
  1000 /* turns of an agent, or events of a pair, without motion: something fires again and again */

static brink_crew *crew_of(const brink_agents *agents, uint32_t agent) {
  return brink_worker_crew(&agents->worker, agent);
}

size_t brink_agents_member(const brink_agents *agents, uint32_t agent) {
  return agent - crew_of(agents, agent)->first;
}

void *brink_agents_packed(const brink_agents *agents, uint32_t agent) {
  const brink_crew *crew = crew_of(agents, agent);
  return brink_crew_packed(crew, agent - crew->first);
}

/* It speaks to the sink from now on. */
static void act(brink_agents *agents, uint32_t agent) {
  agents->acting = agent;
  agents->acting_block = BRINK_NONE;
}

/* A failure of one agent, or of two at a guard of their pair, which is at work. */
static brink_status fail(const brink_agents *agents, brink_diag *diag, brink_reason reason,
                         const uint32_t *who, int count, brink_arguments arguments) {
  const brink_model *model = count == 1 ? crew_of(agents, who[0])->sim->model
                                        : agents->worker.meetings[agents->acting_block].eval.model;
  arguments.h = (double)NAN;
  for (int k = 0; k < count; k++) {
    arguments.population[k] = agents->members[who[k]].crew;
    arguments.agent[k] = brink_agents_member(agents, who[k]);
    arguments.population_name[k] = crew_of(agents, who[k])->def.name;
  }
  return brink_fail(diag, model, reason, &arguments);
}

/* ---- plans and windows ---- */

/* What the agent will do from where its simulation stands. It is at work. */
static brink_status plan(brink_agents *agents, uint32_t agent, brink_diag *diag) {
  brink_crew *crew = crew_of(agents, agent);
  brink_member *member = &agents->members[agent];
  brink_prospect prospect;
  brink_status status =
      brink_crew_plan(crew, agents->t_end, brink_agents_packed(agents, agent), &prospect, diag);
  if (status != BRINK_OK) return status;
  member->valid = prospect.valid;
  member->idle = prospect.valid > prospect.stands ? 0 : (uint16_t)(member->idle + 1);
  if (member->idle > IDLE)
    return fail(agents, diag, BRINK_REASON_STUCK_AGENT, &agent, 1,
                (brink_arguments){.t = prospect.stands});
  return BRINK_OK;
}

void brink_agents_keep(brink_agents *agents, uint32_t agent, int which) {
  memcpy(agents->old[which], brink_agents_packed(agents, agent),
         crew_of(agents, agent)->packing.size);
}

void brink_agents_note(brink_agents *agents, const brink_contact *note) {
  if (!brink_contacts_note(&agents->contacts, note, agents->now)) agents->out_of_memory = true;
}

void brink_agents_install(brink_agents *agents, const brink_outlook *outlook) {
  brink_member *member = &agents->members[outlook->agent];
  member->window = outlook->window;
  member->there = true;
  /* see proposals.c, note_near */
  member->version += outlook->window.ending == BRINK_MEETS || outlook->noted ? 2 : 1;
  brink_outlook_settle(agents, outlook);
  if (outlook->jumped && outlook->noted) member->left_at = agents->now;
  agents->stats.windows++;
  agents->stats.searches += outlook->searches;
  agents->stats.checks += outlook->checks;
}

/* A window from the present on, compared with those of all others. `past`: the agent with the plan that led it there;
 * `jumped`: something has changed it since. At the end of the run nothing is left but what is due at that instant. */
static void open_window(brink_agents *agents, uint32_t agent, const void *past, bool jumped) {
  brink_outlook outlook = {.agent = agent,
                           .packed = brink_agents_packed(agents, agent),
                           .past = past,
                           .jumped = jumped,
                           .lingers = agents->members[agent].left_at == agents->now,
                           .spots = agents->spots};
  brink_outlook_open(agents, &agents->worker, &outlook, agents->now, agents->members[agent].valid);
  brink_outlook_compare(agents, &agents->worker, &outlook);
  if (agents->now >= agents->t_end && outlook.window.ending != BRINK_MEETS) {
    outlook.window.ending = BRINK_FINISHED;
    outlook.window.end = (double)INFINITY;
  }
  brink_agents_install(agents, &outlook);
}

/* ---- turns ---- */

/* The agent's simulation goes to t, with all that happens there. It is at work afterwards. */
static brink_status simulate(brink_agents *agents, uint32_t agent, double t, brink_diag *diag) {
  brink_crew *crew = crew_of(agents, agent);
  brink_crew_take(crew, brink_agents_member(agents, agent));
  act(agents, agent);
  brink_status status = brink_crew_move(crew, t, agents->t_end, diag);
  return status == BRINK_STEPPED ? BRINK_OK : status;
}

/* Events come faster and faster, to infinitely many before *limit, and what is left cannot be resolved. */
static bool accumulate(brink_gaps *gaps, double now, double *limit) {
  double gap = now - gaps->last, before = (double)gaps->gap;
  if (gap == 0.0) return false; /* of the same instant */
  if (gap > SHRINKS * before)
    gaps->shrunk = 0;
  else if (gaps->shrunk < REPEATS)
    gaps->shrunk++;
  gaps->gap = (float)gap;
  gaps->last = now;
  if (gaps->shrunk < REPEATS) return false;
  double ratio = gap / before, left = gap * ratio / (1.0 - ratio);
  *limit = now + left;
  return left <= UNRESOLVED * fabs(now);
}

static brink_status watch_gaps(brink_agents *agents, uint32_t agent, brink_diag *diag) {
  double limit;
  if (!accumulate(&agents->gaps[agent], agents->now, &limit)) return BRINK_OK;
  return fail(agents, diag, BRINK_REASON_ZENO_AGENT, &agent, 1, (brink_arguments){.t = limit});
}

/* The same for a guard of a pair. */
static brink_status watch_pair(brink_agents *agents, const uint32_t pair[2], size_t block,
                               const brink_root_of_pair *root, brink_diag *diag) {
  uint64_t hash = ((uint64_t)pair[0] * 0x9e3779b97f4a7c15u) ^
                  ((uint64_t)pair[1] * 0xbf58476d1ce4e5b9u) ^
                  (((uint64_t)block << 32 | root->guard) * 0x94d049bb133111ebu);
  brink_pair_gaps *kept = &agents->pair_gaps[(hash ^ (hash >> 29)) & (agents->npair_gaps - 1)];
  if (kept->pair[0] != pair[0] || kept->pair[1] != pair[1] || kept->guard != root->guard ||
      kept->block != block)
    *kept = (brink_pair_gaps){.pair = {pair[0], pair[1]},
                              .guard = (uint32_t)root->guard,
                              .block = (uint16_t)block,
                              .gaps = {.last = agents->begun}};
  double limit;
  if (!accumulate(&kept->gaps, agents->now, &limit)) return BRINK_OK;
  return fail(agents, diag, BRINK_REASON_ZENO_PAIR, pair, 2,
              (brink_arguments){.t = limit, .guard = root->guard});
}

static brink_status take_turn(brink_agents *agents, uint32_t agent, brink_diag *diag) {
  brink_status status = BRINK_OK;
  const brink_member *member = &agents->members[agent];
  const void *past = brink_agents_packed(agents, agent);
  bool jumped = false;
  if (agents->now >= member->valid) {
    brink_crew *crew = crew_of(agents, agent);
    brink_agents_keep(agents, agent, 0);
    past = agents->old[0];
    status = simulate(agents, agent, member->valid, diag);
    jumped = crew->sim->instant_events > 0 && crew->sim->changed;
    if (status == BRINK_OK && crew->sim->instant_events > 0)
      status = watch_gaps(agents, agent, diag);
    if (status == BRINK_OK) status = plan(agents, agent, diag);
  }
  if (status == BRINK_OK) open_window(agents, agent, past, jumped);
  brink_proposals_stray(agents->proposals, agent);
  return status;
}

static brink_root_of_pair root_of(const brink_window *window) {
  return (brink_root_of_pair){.found = true,
                              .t = window->end,
                              .guard = window->guard,
                              .direction = (brink_direction)window->direction,
                              .kind = (brink_event_kind)window->kind};
}

static brink_status tell_meeting(brink_agents *agents, size_t block, const uint32_t pair[2],
                                 const brink_event_record *record) {
  agents->stats.meetings++;
  if (agents->sink.event == NULL) return BRINK_OK;
  brink_agent_event event = {
      .record = record,
      .population = BRINK_NONE,
      .agent = BRINK_NONE,
      .pair = block,
      .partner = {brink_agents_member(agents, pair[0]), brink_agents_member(agents, pair[1])}};
  return agents->sink.event(&event, agents->sink.user) == 0 ? BRINK_OK : BRINK_STOPPED;
}

/* A partner goes on: with what the action has made of it, or, if that is nothing, along its plan. */
static brink_status part(brink_agents *agents, size_t block, int side, uint32_t agent, bool changed,
                         brink_diag *diag) {
  if (!changed) return BRINK_OK;
  brink_crew *crew = crew_of(agents, agent);
  brink_crew_take(crew, brink_agents_member(agents, agent));
  crew->sim->t = crew->sim->stepper.t = agents->now;
  brink_meeting_scatter(&agents->worker.meetings[block], side, crew->sim);
  act(agents, agent);
  brink_status status = brink_sim_intervene(crew->sim, diag);
  return status == BRINK_OK ? plan(agents, agent, diag) : status;
}

/* The window of one that meets somebody is over. */
static void end_window(brink_agents *agents, uint32_t agent) {
  brink_member *member = &agents->members[agent];
  member->window.end = agents->now;
  member->window.ending = BRINK_WINDOW_ENDS;
  member->version++;
}

/* What an action makes of two agents must be numbers. */
static brink_status check_finite(const brink_agents *agents, const uint32_t pair[2],
                                 const brink_meeting *m, const brink_event_record *record,
                                 brink_diag *diag) {
  for (size_t i = 0; i < m->eval.model->def.nx; i++) {
    if (isfinite(m->x1[i])) continue;
    return fail(agents, diag, BRINK_REASON_ACTION_STATE, pair, 2,
                (brink_arguments){.t = record->event.t,
                                  .guard = record->event.guard,
                                  .clock = BRINK_NONE,
                                  .state = i,
                                  .value = m->x1[i]});
  }
  return BRINK_OK;
}

/* On which side a guard that has fired is now, which is remembered. Both partners have their new plans; what they were
 * before is in agents->old. `acted`: the action may have changed what leads it. */
static brink_status settle(brink_agents *agents, size_t block, const uint32_t pair[2],
                           const brink_root_of_pair *root, const brink_event_record *record,
                           bool acted, brink_diag *diag) {
  brink_meeting *m = &agents->worker.meetings[block];
  double valid = fmin(agents->members[pair[0]].valid, agents->members[pair[1]].valid);
  double at = record->event.t, value = record->event.value;
  brink_encounter e = {.agents = agents, .block = block, .from = at, .to = fmax(valid, at)};
  for (int side = 0; side < 2; side++) {
    e.pair[side] = pair[side];
    e.now[side] = brink_agents_packed(agents, pair[side]);
    e.past[side] = agents->old[side];
  }
  brink_settled settled = brink_meeting_settle(m, &e, root, value, acted);
  if (settled.blocked)
    return fail(agents, diag, BRINK_REASON_PAIR_BLOCKED, pair, 2,
                (brink_arguments){.t = at, .guard = record->event.guard});
  const brink_contact *known = brink_contacts_find(&agents->contacts, block, root->guard, pair);
  uint32_t times = known != NULL && known->times > 0 && known->fired == at ? known->times + 1 : 1;
  brink_agents_note(agents, &(brink_contact){.pair = {pair[0], pair[1]},
                                             .block = (uint16_t)block,
                                             .guard = (uint32_t)root->guard,
                                             .at = at,
                                             .origin = {at, at},
                                             .slack = settled.slack,
                                             .parted = (double)INFINITY,
                                             .fired = at,
                                             .times = times,
                                             .sign = (int8_t)settled.sign,
                                             .near = settled.near});
  if (times <= IDLE + agents->n) return BRINK_OK;
  return fail(agents, diag, BRINK_REASON_STUCK_PAIR, pair, 2,
              (brink_arguments){.t = at, .guard = record->event.guard});
}

/* The action of a pair has failed; the text that it has left, if any, explains it. */
static brink_status action_failed(const brink_agents *agents, const uint32_t pair[2],
                                  const brink_meeting *m, const brink_event_record *record,
                                  int outcome, brink_diag *diag) {
  bool explained = m->message[0] != '\0';
  return fail(agents, diag, explained ? BRINK_REASON_ACTION_TEXT : BRINK_REASON_ACTION_FAILED, pair,
              2,
              (brink_arguments){.t = record->event.t,
                                .guard = record->event.guard,
                                .clock = BRINK_NONE,
                                .count = outcome,
                                .text = m->message});
}

/* What happens between the two, up to their new plans. */
static brink_status fire(brink_agents *agents, size_t block, const uint32_t pair[2],
                         const brink_root_of_pair *root, bool changed[2], brink_diag *diag) {
  brink_meeting *m = &agents->worker.meetings[block];
  brink_event_record record;
  bool acted;
  brink_window_remember(agents, pair, block, root->guard);
  for (int side = 0; side < 2; side++) brink_agents_keep(agents, pair[side], side);
  int outcome =
      brink_meeting_act(m, agents->old[0], agents->old[1], root, &record, changed, &acted);
  brink_status status = check_finite(agents, pair, m, &record, diag);
  if (status != BRINK_OK) return status;
  status = tell_meeting(agents, block, pair, &record);
  if (outcome < 0) return action_failed(agents, pair, m, &record, outcome, diag);
  for (int side = 0; side < 2; side++) {
    end_window(agents, pair[side]);
    brink_status parted = part(agents, block, side, pair[side], changed[side], diag);
    if (status == BRINK_OK) status = parted;
  }
  if (status != BRINK_OK || outcome != 0) return status != BRINK_OK ? status : BRINK_STOPPED;
  agents->acting_block = block;
  status = settle(agents, block, pair, root, &record, acted, diag);
  return status == BRINK_OK ? watch_pair(agents, pair, block, root, diag) : status;
}

static brink_status meet(brink_agents *agents, uint32_t i, uint32_t j, brink_diag *diag) {
  size_t block = agents->members[i].window.block;
  const brink_meeting *m = &agents->worker.meetings[block];
  bool first = crew_of(agents, i) == m->crew[0] && (m->crew[0] != m->crew[1] || i < j);
  uint32_t pair[2] = {first ? i : j, first ? j : i};
  brink_root_of_pair root = root_of(&agents->members[i].window);
  bool changed[2];
  agents->acting_block = block;
  memcpy(agents->acting_pair, pair, sizeof pair);
  brink_status status = fire(agents, block, pair, &root, changed, diag);
  if (status != BRINK_OK) return status;
  for (int side = 0; side < 2; side++) {
    open_window(agents, pair[side], agents->old[side], changed[side]);
    brink_queue_moved(&agents->queue, pair[side], agents->members[pair[side]].window.end);
    brink_proposals_stray(agents->proposals, pair[side]);
  }
  return BRINK_OK;
}

#ifndef NDEBUG
static void check_invariants(const brink_agents *agents, uint32_t next) {
  double now = agents->members[next].window.end;
  for (uint32_t i = 0; i<agents->n; i += agents->n> 1000 ? 97 : 1) {
    const brink_window *window = &agents->members[i].window;
    assert(now <= window->end && window->start <= now);
    assert(brink_packed_time(brink_agents_packed(agents, i)) <= window->start);
    assert(window->ending == BRINK_FINISHED || window->end <= agents->members[i].valid);
  }
}
#endif

/* Do both plans end where they meet? */
static bool is_meeting(const brink_agents *agents, uint32_t i) {
  const brink_window *one = &agents->members[i].window;
  if (one->ending != BRINK_MEETS) return false;
  const brink_window *other = &agents->members[one->partner].window;
  return other->ending == BRINK_MEETS && other->partner == i && other->end == one->end;
}

static brink_status turn(brink_agents *agents, brink_diag *diag) {
  uint32_t i = brink_queue_first(&agents->queue);
  const brink_member *member = &agents->members[i];
  if (!isfinite(member->window.end)) return BRINK_TIME_REACHED;
#ifndef NDEBUG
  check_invariants(agents, i);
#endif
  agents->now = member->window.end;
  brink_status status = BRINK_OK;
  if (is_meeting(agents, i))
    status = meet(agents, i, member->window.partner, diag);
  else if (agents->proposals == NULL || !brink_proposals_adopt(agents->proposals, i))
    status = take_turn(agents, i, diag);
  brink_queue_moved(&agents->queue, i, member->window.end);
  if (agents->out_of_memory)
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for pairs that are in contact");
  if (agents->n >= MANY && agents->proposals == NULL) {
    brink_worker_fetch(&agents->worker, agents->queue.later);
    brink_worker_fetch_around(&agents->worker, agents->queue.soon);
  }
  return status;
}

/* ---- runs ---- */

static brink_status begin(brink_agents *agents, brink_diag *diag) {
  for (uint32_t i = 0; i < agents->n; i++) {
    brink_crew *crew = crew_of(agents, i);
    brink_crew_start(crew, brink_agents_member(agents, i));
    act(agents, i);
    agents->members[i].left_at = (double)NAN;
    agents->now = agents->begun = crew->sim->t;
    brink_status status = plan(agents, i, diag);
    if (status != BRINK_OK) return status;
    open_window(agents, i, brink_agents_packed(agents, i), false);
    brink_queue_add(&agents->queue, i, agents->members[i].window.end);
  }
  agents->started = true;
  return BRINK_OK;
}

/* Those that stood at the last end may go on. */
static brink_status go_on(brink_agents *agents, brink_diag *diag) {
  brink_proposals_forget(agents->proposals);
  for (uint32_t i = 0; i < agents->n; i++) {
    if (agents->members[i].window.ending != BRINK_FINISHED) continue;
    brink_crew_take(crew_of(agents, i), brink_agents_member(agents, i));
    act(agents, i);
    brink_status status = plan(agents, i, diag);
    if (status != BRINK_OK) return status;
    open_window(agents, i, brink_agents_packed(agents, i), false);
    brink_queue_moved(&agents->queue, i, agents->members[i].window.end);
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
      return brink_fail(diag, agents->worker.crews[0].sim->model, BRINK_REASON_MAX_TURNS,
                        &(brink_arguments){.t = agents->now, .h = (double)NAN, .count = turns});
    status = turn(agents, diag);
  }
  if (status == BRINK_TIME_REACHED) agents->now = t_end;
  return status;
}
