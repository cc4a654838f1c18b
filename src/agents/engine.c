/* engine.c: the loop: the agent whose window ends first has the next turn.
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

#define SHRINKS                                                                                    \
  0.95 /* an interval between events shrinks if it is smaller by this factor than the last; … */
#define REPEATS 4        /* … so often in a row, it is an accumulation (sim/zeno.c), … */
#define UNRESOLVED 1e-11 /* … when the time that is left is less than this part of the time */
#define MANY 4096        /* so many agents do not fit into the caches */
#define IDLE                                                                                       \
  1000 /* turns of an agent, or events of a pair, without progress in time: an endless loop */

static brink_agent_population *population_of(const brink_agents *agents, uint32_t agent) {
  return brink_worker_population(&agents->worker, agent);
}

/* Its simulation reports to the sink from now on. */
static void set_acting(brink_agents *agents, uint32_t agent) {
  agents->acting = agent;
  agents->acting_block = BRINK_NONE;
}

/* A failure of one agent, or of two at a guard of their pair, which is at work. */
static brink_status fail(const brink_agents *agents, brink_diag *diag, brink_reason reason,
                         const uint32_t *who, int count, brink_arguments arguments) {
  const brink_model *model = count == 1
                                 ? population_of(agents, who[0])->sim->model
                                 : agents->worker.pair_guards[agents->acting_block].eval.model;
  arguments.h = (double)NAN;
  for (int k = 0; k < count; k++) {
    arguments.population[k] = agents->members[who[k]].population;
    arguments.agent[k] = brink_agents_index(agents, who[k]);
    arguments.population_name[k] = population_of(agents, who[k])->def.name;
  }
  return brink_fail(diag, model, reason, &arguments);
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
  if (agents->trail != NULL) brink_trail_plan(agents->trail, agents, agent);
  if (member->idle > IDLE)
    return fail(agents, diag, BRINK_REASON_STUCK_AGENT, &agent, 1,
                (brink_arguments){.t = interval.start});
  return BRINK_OK;
}

void brink_agents_save(brink_agents *agents, uint32_t agent, int which) {
  memcpy(agents->saved[which], brink_agents_packed(agents, agent),
         population_of(agents, agent)->packing.size);
}

void brink_agents_update_contact(brink_agents *agents, const brink_contact *update) {
  brink_contacts_update(&agents->contacts, update, agents->now);
  if (agents->trail != NULL) brink_trail_contact(agents->trail, update, agents->now);
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
  if (agents->trail != NULL) brink_trail_window(agents->trail, agents, candidate->agent);
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

/* Advances the agent's simulation to t, with all events there. It is loaded afterwards. */
static brink_status simulate(brink_agents *agents, uint32_t agent, double t, brink_diag *diag) {
  brink_agent_population *pop = population_of(agents, agent);
  brink_population_load(pop, brink_agents_index(agents, agent));
  set_acting(agents, agent);
  brink_status status = brink_population_advance(pop, t, agents->t_end, diag);
  return status == BRINK_STEPPED ? BRINK_OK : status;
}

/* Do intervals between events shrink geometrically, to infinitely many events before *limit, and is the time that is left
 * too short to be resolved? */
static bool accumulates(brink_event_intervals *intervals, double now, double *limit) {
  double gap = now - intervals->last, before = (double)intervals->interval;
  if (gap == 0.0) return false; /* of the same instant */
  if (gap > SHRINKS * before)
    intervals->shrinking = 0;
  else if (intervals->shrinking < REPEATS)
    intervals->shrinking++;
  intervals->interval = (float)gap;
  intervals->last = now;
  if (intervals->shrinking < REPEATS) return false;
  double ratio = gap / before, left = gap * ratio / (1.0 - ratio);
  *limit = now + left;
  return left <= UNRESOLVED * fabs(now);
}

static brink_status check_accumulation(brink_agents *agents, uint32_t agent, brink_diag *diag) {
  double limit;
  if (!accumulates(&agents->intervals[agent], agents->now, &limit)) return BRINK_OK;
  return fail(agents, diag, BRINK_REASON_ZENO_AGENT, &agent, 1, (brink_arguments){.t = limit});
}

/* The same for a guard of a pair. */
static brink_status check_pair_accumulation(brink_agents *agents, const uint32_t pair[2],
                                            size_t block, const brink_pair_root *root,
                                            brink_diag *diag) {
  brink_event_intervals *kept =
      brink_pair_intervals_of(&agents->pair_intervals, pair, block, root->guard, agents->t_start);
  double limit;
  if (kept == NULL || !accumulates(kept, agents->now, &limit)) return BRINK_OK;
  return fail(agents, diag, BRINK_REASON_ZENO_PAIR, pair, 2,
              (brink_arguments){.t = limit, .guard = root->guard});
}

/* The turn of an agent without a pair event: a step if its plan is over, then a new window. */
static brink_status take_turn(brink_agents *agents, uint32_t agent, brink_diag *diag) {
  brink_status status = BRINK_OK;
  const brink_member *member = &agents->members[agent];
  const void *previous = brink_agents_packed(agents, agent);
  bool jumped = false;
  /* The plan is over: the simulation takes its step, with the events at its end, and a new plan is made. */
  if (agents->now >= member->valid) {
    brink_agent_population *pop = population_of(agents, agent);
    brink_agents_save(agents, agent, 0);
    previous = agents->saved[0];
    status = simulate(agents, agent, member->valid, diag);
    jumped = pop->sim->instant.count > 0 && pop->sim->instant.changed;
    if (agents->trail != NULL) agents->trail->instant = pop->sim->instant.count > 0;
    if (status == BRINK_OK && pop->sim->instant.count > 0)
      status = check_accumulation(agents, agent, diag);
    if (status == BRINK_OK) status = plan(agents, agent, diag);
  }
  /* In any case there is a new window, which speculative steps have not seen. */
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

static brink_status report_pair_event(brink_agents *agents, size_t block, const uint32_t pair[2],
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

/* Applies the action to a partner, which handles events of its own by that. It is loaded afterwards. */
static brink_status intervene(brink_agents *agents, size_t block, int side, uint32_t agent,
                              brink_diag *diag) {
  brink_agent_population *pop = population_of(agents, agent);
  brink_population_load(pop, brink_agents_index(agents, agent));
  pop->sim->t = pop->sim->stepper.t = agents->now;
  brink_pair_scatter(&agents->worker.pair_guards[block], side, pop->sim);
  set_acting(agents, agent);
  return brink_sim_intervene(pop->sim, diag);
}

/* The same in closed form, if its motion is that simple and nothing of its own happens. */
static bool coast(brink_agents *agents, size_t block, int side, uint32_t agent) {
  brink_agent_population *pop = population_of(agents, agent);
  brink_member *member = &agents->members[agent];
  if (!pop->packing.coasts) return false;
  brink_pair_scatter(&agents->worker.pair_guards[block], side, pop->sim);
  if (!brink_population_coast(pop, brink_agents_index(agents, agent), agents->now, agents->t_end,
                              &member->valid))
    return false;
  member->idle = 0;
  if (agents->trail != NULL) brink_trail_plan(agents->trail, agents, agent);
  return true;
}

/* Applies the action to a partner, and plans anew. A partner that was not changed keeps its plan. */
static brink_status apply_action(brink_agents *agents, size_t block, int side, uint32_t agent,
                                 bool changed, brink_diag *diag) {
  if (!changed || coast(agents, block, side, agent)) return BRINK_OK;
  brink_status status = intervene(agents, block, side, agent, diag);
  return status == BRINK_OK ? plan(agents, agent, diag) : status;
}

/* Ends the window of a partner at the pair event. */
static void end_window(brink_agents *agents, uint32_t agent) {
  brink_member *member = &agents->members[agent];
  member->window.end = agents->now;
  member->window.ending = BRINK_ENDS_INSIDE_PLAN;
  member->version++;
  if (agents->trail != NULL) brink_trail_window(agents->trail, agents, agent);
}

/* Have all states finite values after the action? */
static brink_status check_finite(const brink_agents *agents, const uint32_t pair[2],
                                 const brink_pair_guards *pg, const brink_event_record *record,
                                 brink_diag *diag) {
  for (size_t i = 0; i < pg->eval.model->def.nx; i++) {
    if (isfinite(pg->x1[i])) continue;
    return fail(agents, diag, BRINK_REASON_ACTION_STATE, pair, 2,
                (brink_arguments){.t = record->event.t,
                                  .guard = record->event.guard,
                                  .clock = BRINK_NONE,
                                  .state = i,
                                  .value = pg->x1[i]});
  }
  return BRINK_OK;
}

/* Finds and records the sign of a guard that has fired. Both partners have their new plans; agents->saved has the two as
 * they were before. `acted`: the action has changed a mode. */
static brink_status settle(brink_agents *agents, size_t block, const uint32_t pair[2],
                           const brink_pair_root *root, const brink_event_record *record,
                           bool acted, brink_diag *diag) {
  brink_pair_guards *pg = &agents->worker.pair_guards[block];
  /* From the event on, as long as both plans are valid. */
  double valid = fmin(agents->members[pair[0]].valid, agents->members[pair[1]].valid);
  double at = record->event.t, value = record->event.value;
  brink_pair_query q = {.agents = agents, .block = block, .from = at, .to = fmax(valid, at)};
  for (int side = 0; side < 2; side++) {
    q.pair[side] = pair[side];
    q.now[side] = brink_agents_packed(agents, pair[side]);
    q.previous[side] = agents->saved[side];
  }
  brink_pair_settled settled = brink_pair_settle(pg, &q, root, value, acted);
  if (settled.blocked)
    return fail(agents, diag, BRINK_REASON_PAIR_BLOCKED, pair, 2,
                (brink_arguments){.t = at, .guard = record->event.guard});
  /* The record: its sign for any plans from now on, and how often it has fired at this instant. */
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
  return fail(agents, diag, BRINK_REASON_STUCK_PAIR, pair, 2,
              (brink_arguments){.t = at, .guard = record->event.guard});
}

/* The action of a pair has failed; the text that it has left, if any, explains it. */
static brink_status report_action_failure(const brink_agents *agents, const uint32_t pair[2],
                                          const brink_pair_guards *pg,
                                          const brink_event_record *record, int outcome,
                                          brink_diag *diag) {
  bool explained = pg->message[0] != '\0';
  return fail(agents, diag, explained ? BRINK_REASON_ACTION_TEXT : BRINK_REASON_ACTION_FAILED, pair,
              2,
              (brink_arguments){.t = record->event.t,
                                .guard = record->event.guard,
                                .clock = BRINK_NONE,
                                .count = outcome,
                                .text = pg->message});
}

/* A pair event, up to the new plans of both partners. */
static brink_status fire(brink_agents *agents, size_t block, const uint32_t pair[2],
                         const brink_pair_root *root, bool changed[2], brink_diag *diag) {
  brink_pair_guards *pg = &agents->worker.pair_guards[block];
  brink_event_record record;
  bool acted;
  /* What was before the action: signs of the other guards of the two, their states and plans. */
  brink_window_record_signs(agents, pair, block, root->guard);
  for (int side = 0; side < 2; side++) brink_agents_save(agents, pair[side], side);
  /* An action may read the sign of its own guard: that of before, not that of the pair that was searched last. */
  pg->eval.sgn[root->guard] = (signed char)-(int)root->direction;
  if (agents->trail != NULL) brink_trail_action(agents->trail, agents, block, pair, root);
  /* The action, on the states of both at the time of the event. */
  int outcome =
      brink_pair_run_action(pg, agents->saved[0], agents->saved[1], root, &record, changed, &acted);
  brink_status status = check_finite(agents, pair, pg, &record, diag);
  if (status != BRINK_OK) return status;
  status = report_pair_event(agents, block, pair, &record);
  if (outcome < 0) return report_action_failure(agents, pair, pg, &record, outcome, diag);
  /* Each partner that it has changed handles events of its own by that, and plans anew. */
  for (int side = 0; side < 2; side++) {
    end_window(agents, pair[side]);
    brink_status applied = apply_action(agents, block, side, pair[side], changed[side], diag);
    if (status == BRINK_OK) status = applied;
  }
  if (status != BRINK_OK || outcome != 0) return status != BRINK_OK ? status : BRINK_STOPPED;
  /* The new sign of the guard follows from the new plans. */
  agents->acting_block = block;
  status = settle(agents, block, pair, root, &record, acted, diag);
  return status == BRINK_OK ? check_pair_accumulation(agents, pair, block, root, diag) : status;
}

/* The turn of two agents: their event, then new windows for both. */
static brink_status take_pair_turn(brink_agents *agents, uint32_t i, uint32_t j, brink_diag *diag) {
  /* The two in the order of the block. */
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
    open_window(agents, pair[side], agents->saved[side], changed[side]);
    brink_queue_update(&agents->queue, pair[side], agents->members[pair[side]].window.end);
    brink_speculation_invalidate(agents->speculation, pair[side]);
  }
  return BRINK_OK;
}

#ifndef NDEBUG
static void check_invariants(const brink_agents *agents, uint32_t next) {
  double now = agents->members[next].window.end;
  if (agents->worker.populations[0].sim->eval.restored) return; /* plans were read, not made */
  for (uint32_t i = 0; i<agents->n; i += agents->n> 1000 ? 97 : 1) {
    const brink_window *window = &agents->members[i].window;
    if (!agents->members[i].has_window) continue; /* of another rank */
    assert(now <= window->end && window->start <= now);
    assert(brink_packed_time(brink_agents_packed(agents, i)) <= window->start);
    assert(window->ending == BRINK_ENDS_RUN || window->end <= agents->members[i].valid);
  }
}
#endif

/* Do the windows of both end with their common event? The partner's may have been cut earlier, by another event. */
static bool has_pair_event(const brink_agents *agents, uint32_t i) {
  const brink_window *one = &agents->members[i].window;
  if (one->ending != BRINK_ENDS_AT_PAIR_EVENT) return false;
  const brink_window *other = &agents->members[one->partner].window;
  return other->ending == BRINK_ENDS_AT_PAIR_EVENT && other->partner == i && other->end == one->end;
}

static brink_status report_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for pairs that are in contact");
}

/* The next turn. TIME_REACHED: all agents have reached the end of the run. */
static brink_status turn(brink_agents *agents, brink_diag *diag) {
  uint32_t i = brink_queue_first(&agents->queue);
  const brink_member *member = &agents->members[i];
  if (!isfinite(member->window.end)) return BRINK_TIME_REACHED;
#ifndef NDEBUG
  check_invariants(agents, i);
#endif
  /* Time moves to the first end of a window; a pair event there, or a speculative step, or a turn. */
  agents->now = member->window.end;
  brink_status status = BRINK_OK;
  if (has_pair_event(agents, i))
    status = take_pair_turn(agents, i, member->window.partner, diag);
  else if (agents->speculation == NULL || !brink_speculation_commit(agents->speculation, i))
    status = take_turn(agents, i, diag);
  brink_queue_update(&agents->queue, i, member->window.end);
  if (agents->arena.failed) return report_memory(diag);
  /* What the next turns read is on its way into the caches. */
  if (agents->n >= MANY && agents->speculation == NULL) {
    brink_worker_prefetch(&agents->worker, agents->queue.later);
    brink_worker_prefetch_around(&agents->worker, agents->queue.soon);
  }
  return status;
}

uint32_t brink_agents_next(const brink_agents *agents, double *t) {
  uint32_t i = brink_queue_first(&agents->queue);
  *t = agents->members[i].window.end;
  return isfinite(*t) ? i : BRINK_NOBODY;
}

brink_status brink_agents_turn(brink_agents *agents, brink_diag *diag) {
  return turn(agents, diag);
}

/* ---- turns that were taken elsewhere ---- */

/* Counters that a turn changes: kept, and put back. */
static void keep_counters(brink_agents *agents, brink_stats *kept, bool restore) {
  const brink_worker *worker = &agents->worker;
  size_t at = 0;
  for (size_t k = 0; k < agents->def.npopulations + agents->def.npairs; k++) {
    size_t pair = k - agents->def.npopulations;
    brink_stats *stats = k < agents->def.npopulations ? &worker->populations[k].sim->eval.stats
                                                      : &worker->pair_guards[pair].eval.stats;
    if (restore)
      *stats = kept[at++];
    else
      kept[at++] = *stats;
  }
}

/* An event of two, as in `fire`, without new plans and windows. */
static brink_status retell_pair(brink_agents *agents, const brink_told_turn *told,
                                brink_diag *diag) {
  brink_pair_guards *pg = &agents->worker.pair_guards[told->block];
  brink_event_record record;
  bool changed[2], acted;
  int64_t pair_events = agents->stats.pair_events;
  agents->acting_block = told->block;
  memcpy(agents->acting_pair, told->agent, sizeof agents->acting_pair);
  for (int side = 0; side < 2; side++) brink_agents_save(agents, told->agent[side], side);
  memcpy(pg->eval.sgn, told->sgn, pg->eval.model->def.nguards);
  int outcome = brink_pair_run_action(pg, agents->saved[0], agents->saved[1], &told->root, &record,
                                      changed, &acted);
  brink_status status = report_pair_event(agents, told->block, told->agent, &record);
  agents->stats.pair_events = pair_events;
  for (int side = 0; side < 2 && outcome == 0 && status == BRINK_OK; side++) {
    if (changed[side]) status = intervene(agents, told->block, side, told->agent[side], diag);
  }
  return outcome != 0 ? BRINK_ERR_CALLBACK : status;
}

brink_status brink_agents_retell(brink_agents *agents, const brink_told_turn *told,
                                 brink_diag *diag) {
  agents->now = told->t;
  for (int k = 0; k < (told->pair ? 2 : 1); k++)
    memcpy(brink_agents_packed(agents, told->agent[k]), told->before[k],
           population_of(agents, told->agent[k])->packing.size);
  keep_counters(agents, agents->kept_counters, false);
  brink_status status = told->pair ? retell_pair(agents, told, diag)
                                   : simulate(agents, told->agent[0], told->valid, diag);
  keep_counters(agents, agents->kept_counters, true);
  for (int k = 0; k < (told->pair ? 2 : 1); k++)
    memcpy(brink_agents_packed(agents, told->agent[k]), told->after[k],
           population_of(agents, told->agent[k])->packing.size);
  return status;
}

/* ---- writing ---- */

static brink_status check_values(const brink_agents *agents, size_t population, size_t agent,
                                 const double *x, const double *p, brink_diag *diag) {
  if (!agents->started) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the run has not begun");
  if (population >= agents->def.npopulations ||
      agent >= agents->worker.populations[population].def.count)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "there is no agent %zu in population %zu",
                          agent, population);
  const brink_model_def *def = &agents->worker.populations[population].sim->model->def;
  for (size_t i = 0; x != NULL && i < def->nx; i++) {
    if (!isfinite(x[i]))
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the value of state %zu is not finite", i);
  }
  for (size_t k = 0; p != NULL && k < def->np; k++) {
    if (isnan(p[k]))
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the value of parameter %zu is NaN", k);
  }
  return BRINK_OK;
}

/* Puts the values into the simulation of the agent, which is loaded; states that are not given are those of its plan at
 * the present. True: something differs from before. */
static bool set_values(brink_agent_population *pop, const void *packed, double now, const double *x,
                       const double *p, const int *mode) {
  brink_sim *sim = pop->sim;
  const brink_model_def *def = &sim->model->def;
  brink_plan plan = brink_packed_plan(&pop->packing, packed);
  bool changed = false;
  for (size_t i = 0; i < def->nx; i++) {
    sim->x[i] = brink_plan_at(&plan, i, now);
    if (x == NULL || x[i] == sim->x[i]) continue;
    sim->x[i] = x[i];
    changed = true;
  }
  for (size_t k = 0; p != NULL && k < def->np; k++) {
    changed = changed || p[k] != sim->eval.p[k];
    sim->eval.p[k] = p[k];
  }
  for (size_t k = 0; mode != NULL && k < def->nmodes; k++) {
    changed = changed || mode[k] != sim->eval.mode[k];
    sim->eval.mode[k] = mode[k];
  }
  return changed;
}

brink_status brink_agents_write(brink_agents *agents, size_t population, size_t index,
                                const double *x, const double *p, const int *mode,
                                brink_diag *diag) {
  brink_diag_clear(diag);
  brink_status status = check_values(agents, population, index, x, p, diag);
  if (status != BRINK_OK) return status;
  brink_agent_population *pop = &agents->worker.populations[population];
  uint32_t agent = (uint32_t)(pop->first + index);
  brink_agents_save(agents, agent, 0);
  brink_population_load(pop, index);
  if (!set_values(pop, agents->saved[0], agents->now, x, p, mode)) return BRINK_OK;
  /* From here on as after the action of a pair: events of its own, a new plan, a new window. */
  pop->sim->t = pop->sim->stepper.t = agents->now;
  end_window(agents, agent);
  agents->members[agent].idle = 0;
  set_acting(agents, agent);
  status = brink_sim_intervene(pop->sim, diag);
  if (status == BRINK_OK) status = plan(agents, agent, diag);
  if (status != BRINK_OK) return status;
  open_window(agents, agent, agents->saved[0], true);
  brink_queue_update(&agents->queue, agent, agents->members[agent].window.end);
  brink_speculation_invalidate(agents->speculation, agent);
  return agents->arena.failed ? report_memory(diag) : BRINK_OK;
}

/* ---- runs ---- */

void brink_agents_heed(brink_agents *agents, const atomic_bool *cancelled) {
  agents->cancelled = cancelled;
}

static bool is_cancelled(const brink_agents *agents) {
  return agents->cancelled != NULL && atomic_load_explicit(agents->cancelled, memory_order_relaxed);
}

/* The first instant of every agent. Its window is compared with those of the agents before it. */
static brink_status begin(brink_agents *agents, brink_diag *diag) {
  for (uint32_t i = 0; i < agents->n; i++) {
    if (is_cancelled(agents)) return BRINK_CANCELLED;
    brink_agent_population *pop = population_of(agents, i);
    brink_population_start(pop, brink_agents_index(agents, i));
    set_acting(agents, i);
    agents->members[i].kept_box_at = (double)NAN;
    agents->now = agents->t_start = pop->sim->t;
    brink_status status = plan(agents, i, diag);
    if (status != BRINK_OK) return status;
    open_window(agents, i, brink_agents_packed(agents, i), false);
    brink_queue_add(&agents->queue, i, agents->members[i].window.end);
  }
  agents->started = true;
  return BRINK_OK;
}

/* A later end of the run: agents that had reached the old end plan anew. Those that still have a pair event there keep
 * their windows. */
static brink_status extend(brink_agents *agents, double old_end, brink_diag *diag) {
  brink_speculation_discard(agents->speculation);
  for (uint32_t i = 0; i < agents->n; i++) {
    bool ended = agents->members[i].window.ending == BRINK_ENDS_RUN;
    if (!ended && brink_packed_time(brink_agents_packed(agents, i)) < old_end) continue;
    if (is_cancelled(agents)) return BRINK_CANCELLED;
    brink_population_load(population_of(agents, i), brink_agents_index(agents, i));
    set_acting(agents, i);
    brink_status status = plan(agents, i, diag);
    if (status != BRINK_OK) return status;
    if (!ended) continue;
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
  double old_end = agents->t_end;
  agents->t_end = t_end;
  if (!agents->started) return begin(agents, diag);
  return t_end > old_end ? extend(agents, old_end, diag) : BRINK_OK;
}

brink_status brink_agents_run(brink_agents *agents, double t_end, int64_t work, brink_diag *diag) {
  brink_status status = brink_agents_begin(agents, t_end, diag);
  for (int64_t turns = 0; status == BRINK_OK; turns++) {
    if (work > 0 && (turns >= work || (turns > 0 && is_cancelled(agents))))
      return brink_fail(diag, agents->worker.populations[0].sim->model, BRINK_REASON_MAX_TURNS,
                        &(brink_arguments){.t = agents->now, .h = (double)NAN, .count = turns});
    status = turn(agents, diag);
  }
  if (status == BRINK_TIME_REACHED) agents->now = t_end;
  return status;
}
