/* engine.c: the loop: whose window ends first, what happens then.
 *
 * Invariants, between two turns (checked in debug builds):
 *   1. the window of every agent contains the present: start <= now <= end;
 *   2. the time of its simulation is at most start, and its plan is valid up to end <= valid;
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

static brink_agent_population *population_of(const brink_agents *agents, uint32_t agent) {
  return brink_worker_population(&agents->worker, agent);
}

size_t brink_agents_index(const brink_agents *agents, uint32_t agent) {
  return agent - population_of(agents, agent)->first;
}

void *brink_agents_packed(const brink_agents *agents, uint32_t agent) {
  const brink_agent_population *pop = population_of(agents, agent);
  return brink_population_packed(pop, agent - pop->first);
}

/* It speaks to the sink from now on. */
static void act(brink_agents *agents, uint32_t agent) {
  agents->acting = agent;
  agents->acting_block = BRINK_NONE;
}

/* ---- plans and windows ---- */

/* Computes the plan of the agent, which is loaded, from its present time on. */
static brink_status plan(brink_agents *agents, uint32_t agent, brink_diag *diag) {
  brink_agent_population *pop = population_of(agents, agent);
  brink_member *member = &agents->members[agent];
  brink_plan_interval interval;
  brink_status status = brink_population_plan(pop, agents->t_end,
                                              brink_agents_packed(agents, agent), &interval, diag);
  if (status != BRINK_OK) return status;
  member->valid = interval.valid;
  member->idle = interval.valid > interval.start ? 0 : (uint16_t)(member->idle + 1);
  if (member->idle > IDLE)
    return brink_diag_set(diag, BRINK_ERR_LOOP,
                          "time does not move on from t = %.17g: something of agent %zu of '%s' "
                          "happens again and again",
                          interval.start, brink_agents_index(agents, agent) + 1, pop->def.name);
  return BRINK_OK;
}

void brink_agents_keep(brink_agents *agents, uint32_t agent, int which) {
  memcpy(agents->old[which], brink_agents_packed(agents, agent),
         population_of(agents, agent)->packing.size);
}

void brink_agents_update_contact(brink_agents *agents, const brink_contact *update) {
  if (!brink_contacts_update(&agents->contacts, update, agents->now)) agents->out_of_memory = true;
}

void brink_agents_install(brink_agents *agents, const brink_candidate_window *candidate) {
  brink_member *member = &agents->members[candidate->agent];
  member->window = candidate->window;
  member->has_window = true;
  /* see speculation.c, record_versions */
  member->version +=
      candidate->window.ending == BRINK_ENDS_AT_PAIR_EVENT || candidate->updated_contacts ? 2 : 1;
  brink_candidate_update_grid(agents, candidate);
  if (candidate->jumped && candidate->updated_contacts) member->kept_box_at = agents->now;
  agents->stats.windows++;
  agents->stats.searches += candidate->searches;
  agents->stats.checks += candidate->checks;
}

/* Opens a window from the present on and compares it with those of all others. `previous`: the agent with the plan that
 * led it there; `jumped`: an action has changed it since. At the end of the run only events of that instant are left. */
static void open_window(brink_agents *agents, uint32_t agent, const void *previous, bool jumped) {
  brink_candidate_window candidate = {.agent = agent,
                                      .packed = brink_agents_packed(agents, agent),
                                      .previous = previous,
                                      .jumped = jumped,
                                      .keeps_old_box =
                                          agents->members[agent].kept_box_at == agents->now,
                                      .bounds = agents->bounds};
  brink_candidate_open(agents, &agents->worker, &candidate, agents->now,
                       agents->members[agent].valid);
  brink_candidate_compare(agents, &agents->worker, &candidate);
  if (agents->now >= agents->t_end && candidate.window.ending != BRINK_ENDS_AT_PAIR_EVENT) {
    candidate.window.ending = BRINK_ENDS_RUN;
    candidate.window.end = (double)INFINITY;
  }
  brink_agents_install(agents, &candidate);
}

/* ---- turns ---- */

/* The agent's simulation goes to t, with all that happens there. It is at work afterwards. */
static brink_status simulate(brink_agents *agents, uint32_t agent, double t, brink_diag *diag) {
  brink_agent_population *pop = population_of(agents, agent);
  brink_population_load(pop, brink_agents_index(agents, agent));
  act(agents, agent);
  brink_status status = brink_population_advance(pop, t, agents->t_end, diag);
  return status == BRINK_STEPPED ? BRINK_OK : status;
}

/* The agents of a pair, in words. */
static const char *name_pair(const brink_agents *agents, const uint32_t pair[2], char *text,
                             size_t size) {
  const char *name[2];
  size_t number[2];
  for (int k = 0; k < 2; k++) {
    name[k] = population_of(agents, pair[k])->def.name;
    number[k] = brink_agents_index(agents, pair[k]) + 1;
  }
  if (population_of(agents, pair[0]) == population_of(agents, pair[1]))
    snprintf(text, size, "agents %zu and %zu of '%s'", number[0], number[1], name[0]);
  else
    snprintf(text, size, "agent %zu of '%s' and agent %zu of '%s'", number[0], name[0], number[1],
             name[1]);
  return text;
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

static brink_status tell_limit(const char *whose, double limit, brink_diag *diag) {
  brink_diag_set(diag, BRINK_ERR_ZENO,
                 "infinitely many events of %s before t = %.10g: give the model a mode for the "
                 "limit",
                 whose, limit);
  if (diag != NULL) diag->t = limit;
  return BRINK_ERR_ZENO;
}

static brink_status watch_gaps(brink_agents *agents, uint32_t agent, brink_diag *diag) {
  double limit;
  if (!accumulate(&agents->gaps[agent], agents->now, &limit)) return BRINK_OK;
  char whose[300];
  snprintf(whose, sizeof whose, "agent %zu of '%s'", brink_agents_index(agents, agent) + 1,
           population_of(agents, agent)->def.name);
  return tell_limit(whose, limit, diag);
}

/* The same for a guard of a pair. */
static brink_status watch_pair(brink_agents *agents, const uint32_t pair[2], size_t block,
                               const brink_pair_root *root, brink_diag *diag) {
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
  char whose[300], names[200];
  snprintf(whose, sizeof whose, "'%s' of %s",
           brink_model_guard_name(agents->worker.pair_guards[block].eval.model, root->guard),
           name_pair(agents, pair, names, sizeof names));
  return tell_limit(whose, limit, diag);
}

static brink_status take_turn(brink_agents *agents, uint32_t agent, brink_diag *diag) {
  brink_status status = BRINK_OK;
  const brink_member *member = &agents->members[agent];
  const void *previous = brink_agents_packed(agents, agent);
  bool jumped = false;
  if (agents->now >= member->valid) {
    brink_agent_population *pop = population_of(agents, agent);
    brink_agents_keep(agents, agent, 0);
    previous = agents->old[0];
    status = simulate(agents, agent, member->valid, diag);
    jumped = pop->sim->instant_events > 0 && pop->sim->changed;
    if (status == BRINK_OK && pop->sim->instant_events > 0)
      status = watch_gaps(agents, agent, diag);
    if (status == BRINK_OK) status = plan(agents, agent, diag);
  }
  if (status == BRINK_OK) open_window(agents, agent, previous, jumped);
  brink_speculation_invalidate(agents->speculation, agent);
  return status;
}

static brink_pair_root root_of(const brink_window *window) {
  return (brink_pair_root){.found = true,
                           .t = window->end,
                           .guard = window->guard,
                           .direction = (brink_direction)window->direction,
                           .kind = (brink_event_kind)window->kind};
}

static brink_status tell_meeting(brink_agents *agents, size_t block, const uint32_t pair[2],
                                 const brink_event_record *record) {
  agents->stats.pair_events++;
  if (agents->sink.event == NULL) return BRINK_OK;
  brink_agent_event event = {
      .record = record,
      .population = BRINK_NONE,
      .agent = BRINK_NONE,
      .pair = block,
      .partner = {brink_agents_index(agents, pair[0]), brink_agents_index(agents, pair[1])}};
  return agents->sink.event(&event, agents->sink.user) == 0 ? BRINK_OK : BRINK_STOPPED;
}

/* A partner goes on: with what the action has made of it, or, if that is nothing, along its plan. */
static brink_status part(brink_agents *agents, size_t block, int side, uint32_t agent, bool changed,
                         brink_diag *diag) {
  if (!changed) return BRINK_OK;
  brink_agent_population *pop = population_of(agents, agent);
  brink_population_load(pop, brink_agents_index(agents, agent));
  pop->sim->t = pop->sim->stepper.t = agents->now;
  brink_pair_scatter(&agents->worker.pair_guards[block], side, pop->sim);
  act(agents, agent);
  brink_status status = brink_sim_intervene(pop->sim, diag);
  return status == BRINK_OK ? plan(agents, agent, diag) : status;
}

/* The window of one that meets somebody is over. */
static void end_window(brink_agents *agents, uint32_t agent) {
  brink_member *member = &agents->members[agent];
  member->window.end = agents->now;
  member->window.ending = BRINK_ENDS_INSIDE_PLAN;
  member->version++;
}

/* What an action makes of two agents must be numbers. */
static brink_status check_finite(const brink_pair_guards *pg, const brink_event_record *record,
                                 brink_diag *diag) {
  for (size_t i = 0; i < pg->eval.model->def.nx; i++) {
    if (isfinite(pg->x1[i])) continue;
    char value[BRINK_DOUBLE_TEXT];
    return brink_diag_set(diag, BRINK_ERR_CALLBACK,
                          "the action of '%s' set state '%s' to %s at t = %.17g",
                          record->event.name, brink_model_state_name(pg->eval.model, i),
                          brink_double_text(pg->x1[i], value), record->event.t);
  }
  return BRINK_OK;
}

/* Nothing leads the two away from a surface that must not be passed. */
static brink_status tell_blocked(const brink_agents *agents, const uint32_t pair[2],
                                 const brink_event_record *record, brink_diag *diag) {
  char names[200];
  return brink_diag_set(diag, BRINK_ERR_BLOCKED,
                        "at t = %.17g the surface of the unilateral guard '%s' of %s was reached, "
                        "and nothing that the "
                        "action changed leads away from it: their motion still points past the "
                        "surface; change a mode "
                        "or a state in the action, or stop there",
                        record->event.t, record->event.name,
                        name_pair(agents, pair, names, sizeof names));
}

/* On which side a guard that has fired is now, which is remembered. Both partners have their new plans; what they were
 * before is in agents->old. `acted`: the action may have changed what leads it. */
static brink_status settle(brink_agents *agents, size_t block, const uint32_t pair[2],
                           const brink_pair_root *root, const brink_event_record *record,
                           bool acted, brink_diag *diag) {
  brink_pair_guards *pg = &agents->worker.pair_guards[block];
  double valid = fmin(agents->members[pair[0]].valid, agents->members[pair[1]].valid);
  double at = record->event.t, value = record->event.value;
  const char *name = record->event.name;
  brink_pair_query q = {.agents = agents, .block = block, .from = at, .to = fmax(valid, at)};
  for (int side = 0; side < 2; side++) {
    q.pair[side] = pair[side];
    q.now[side] = brink_agents_packed(agents, pair[side]);
    q.previous[side] = agents->old[side];
  }
  brink_pair_settled settled = brink_pair_settle(pg, &q, root, value, acted);
  if (settled.blocked) return tell_blocked(agents, pair, record, diag);
  const brink_contact *known = brink_contacts_find(&agents->contacts, block, root->guard, pair);
  uint32_t times = known != NULL && known->times > 0 && known->fired == at ? known->times + 1 : 1;
  brink_agents_update_contact(agents, &(brink_contact){.pair = {pair[0], pair[1]},
                                                       .block = (uint16_t)block,
                                                       .guard = (uint32_t)root->guard,
                                                       .at = at,
                                                       .origin = {at, at},
                                                       .slack = settled.slack,
                                                       .leaves_at = (double)INFINITY,
                                                       .fired = at,
                                                       .times = times,
                                                       .sign = (int8_t)settled.sign,
                                                       .touching = settled.touching});
  if (times <= IDLE + agents->n) return BRINK_OK;
  char names[200];
  return brink_diag_set(diag, BRINK_ERR_LOOP,
                        "time does not move on from t = %.17g: '%s' of %s fires again and again",
                        at, name, name_pair(agents, pair, names, sizeof names));
}

static brink_status tell_outcome(const brink_pair_guards *pg, const brink_event_record *record,
                                 brink_diag *diag) {
  return pg->message[0] != '\0'
             ? brink_diag_set(diag, BRINK_ERR_CALLBACK, "%s", pg->message)
             : brink_diag_set(diag, BRINK_ERR_CALLBACK, "the action of '%s' failed at t = %.17g",
                              record->event.name, record->event.t);
}

/* What happens between the two, up to their new plans. */
static brink_status fire(brink_agents *agents, size_t block, const uint32_t pair[2],
                         const brink_pair_root *root, bool changed[2], brink_diag *diag) {
  brink_pair_guards *pg = &agents->worker.pair_guards[block];
  brink_event_record record;
  bool acted;
  brink_window_record_signs(agents, pair, block, root->guard);
  for (int side = 0; side < 2; side++) brink_agents_keep(agents, pair[side], side);
  int outcome =
      brink_pair_run_action(pg, agents->old[0], agents->old[1], root, &record, changed, &acted);
  brink_status status = check_finite(pg, &record, diag);
  if (status != BRINK_OK) return status;
  status = tell_meeting(agents, block, pair, &record);
  if (outcome < 0) return tell_outcome(pg, &record, diag);
  for (int side = 0; side < 2; side++) {
    end_window(agents, pair[side]);
    brink_status leaves_at = part(agents, block, side, pair[side], changed[side], diag);
    if (status == BRINK_OK) status = leaves_at;
  }
  if (status != BRINK_OK || outcome != 0) return status != BRINK_OK ? status : BRINK_STOPPED;
  agents->acting_block = block;
  status = settle(agents, block, pair, root, &record, acted, diag);
  return status == BRINK_OK ? watch_pair(agents, pair, block, root, diag) : status;
}

static brink_status meet(brink_agents *agents, uint32_t i, uint32_t j, brink_diag *diag) {
  size_t block = agents->members[i].window.block;
  const brink_pair_guards *pg = &agents->worker.pair_guards[block];
  bool first = population_of(agents, i) == pg->population[0] &&
               (pg->population[0] != pg->population[1] || i < j);
  uint32_t pair[2] = {first ? i : j, first ? j : i};
  brink_pair_root root = root_of(&agents->members[i].window);
  bool changed[2];
  agents->acting_block = block;
  memcpy(agents->acting_pair, pair, sizeof pair);
  brink_status status = fire(agents, block, pair, &root, changed, diag);
  if (status != BRINK_OK) return status;
  for (int side = 0; side < 2; side++) {
    open_window(agents, pair[side], agents->old[side], changed[side]);
    brink_queue_update(&agents->queue, pair[side], agents->members[pair[side]].window.end);
    brink_speculation_invalidate(agents->speculation, pair[side]);
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
    assert(window->ending == BRINK_ENDS_RUN || window->end <= agents->members[i].valid);
  }
}
#endif

/* Do both plans end where they meet? */
static bool is_meeting(const brink_agents *agents, uint32_t i) {
  const brink_window *one = &agents->members[i].window;
  if (one->ending != BRINK_ENDS_AT_PAIR_EVENT) return false;
  const brink_window *other = &agents->members[one->partner].window;
  return other->ending == BRINK_ENDS_AT_PAIR_EVENT && other->partner == i && other->end == one->end;
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
  else if (agents->speculation == NULL || !brink_speculation_commit(agents->speculation, i))
    status = take_turn(agents, i, diag);
  brink_queue_update(&agents->queue, i, member->window.end);
  if (agents->out_of_memory)
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for pairs that are in contact");
  if (agents->n >= MANY && agents->speculation == NULL) {
    brink_worker_prefetch(&agents->worker, agents->queue.later);
    brink_worker_prefetch_around(&agents->worker, agents->queue.soon);
  }
  return status;
}

/* ---- runs ---- */

static brink_status begin(brink_agents *agents, brink_diag *diag) {
  for (uint32_t i = 0; i < agents->n; i++) {
    brink_agent_population *pop = population_of(agents, i);
    brink_population_start(pop, brink_agents_index(agents, i));
    act(agents, i);
    agents->members[i].kept_box_at = (double)NAN;
    agents->now = agents->begun = pop->sim->t;
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
  brink_speculation_discard(agents->speculation);
  for (uint32_t i = 0; i < agents->n; i++) {
    if (agents->members[i].window.ending != BRINK_ENDS_RUN) continue;
    brink_population_load(population_of(agents, i), brink_agents_index(agents, i));
    act(agents, i);
    brink_status status = plan(agents, i, diag);
    if (status != BRINK_OK) return status;
    open_window(agents, i, brink_agents_packed(agents, i), false);
    brink_queue_update(&agents->queue, i, agents->members[i].window.end);
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
