/* domain_turns.c: turns of a rank, and the turns of all ranks in the order of one rank. See domain.h.
 *
 * Turns at different times are in the order of time. At one time a turn may make a turn of an agent with a smaller number
 * due, so that they cannot be sorted: lists of ranks are merged. Of the turns that come next in their ranks, the one with
 * the smallest number is taken; a turn of a halo is passed when that of its owner has been taken. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "agents/domain_parts.h"

/* ---- one rank ---- */

/* A told turn in a message; the signs of a pair's guards and the agents, before and after, follow it. */
typedef struct told_head {
  bool pair;
  uint32_t agent[2];
  uint32_t block;
  double valid;
  brink_pair_root root;
} told_head;

static void put(brink_text *to, const void *data, size_t size) {
  if (size > 0) brink_text_append(to, data, size);
}

static size_t size_of(const brink_agents *agents, uint32_t agent) {
  return brink_worker_population(&agents->worker, agent)->packing.size;
}

/* What has to be known of the turn to tell it once more; the engine has saved the agents as they were before. */
static void put_told(brink_domain *domain, uint32_t agent, double valid) {
  const brink_agents *own = domain->own;
  const brink_trail *trail = &domain->trail;
  brink_text *to = &domain->told;
  told_head head;
  memset(&head, 0, sizeof head);
  head.pair = trail->fired;
  head.agent[0] = trail->fired ? trail->pair[0] : agent;
  head.agent[1] = trail->fired ? trail->pair[1] : agent;
  head.block = (uint32_t)trail->block;
  head.valid = valid;
  head.root = trail->root;
  put(to, &head, sizeof head);
  if (trail->fired)
    put(to, trail->sgn, own->worker.pair_guards[trail->block].eval.model->def.nguards);
  for (int k = 0; k < (trail->fired ? 2 : 1); k++) {
    put(to, own->saved[k], size_of(own, head.agent[k]));
    put(to, brink_agents_packed(own, head.agent[k]), size_of(own, head.agent[k]));
  }
}

/* A turn of the halo has failed: it may be wrong. If it is right, its owner fails, too, and says so. */
static void give_up(brink_domain *domain, uint32_t agent) {
  const brink_trail *trail = &domain->trail;
  const uint32_t who[] = {agent, trail->fired ? trail->pair[0] : agent,
                          trail->fired ? trail->pair[1] : agent};
  for (int k = 0; k < 3; k++) {
    brink_trail_spoil(&domain->trail, who[k]);
    if (domain->owner[who[k]] != domain->rank) brink_domain_forget_agent(domain->own, who[k]);
  }
}

/* A turn of an own agent counts; of the halo, nothing does. */
static brink_status take_turn(brink_domain *domain, uint32_t agent, double t,
                              brink_domain_report *report) {
  brink_agents *own = domain->own;
  brink_trail *trail = &domain->trail;
  brink_diag unheard;
  bool mine = domain->owner[agent] == domain->rank;
  double valid = own->members[agent].valid;
  if (!mine) {
    brink_domain_read_counters(own, domain->turn_counters);
    domain->turn_counted = own->stats;
  }
  trail->fired = trail->instant = own->worker.reported = false;
  brink_status status = brink_agents_turn(own, &unheard);
  if (!mine) {
    brink_domain_set_counters(own, domain->turn_counters);
    own->stats = domain->turn_counted;
    report->halo_turns++;
  }
  if (status == BRINK_ERR_MEMORY) return status;
  if (status != BRINK_OK && mine) {
    report->stops = true;
    report->stopped = t;
    return BRINK_OK;
  }
  if (status != BRINK_OK) {
    give_up(domain, agent);
    return BRINK_OK;
  }
  brink_domain_turn turn;
  memset(&turn, 0, sizeof turn);
  turn.t = t;
  turn.agent = agent;
  turn.own = mine;
  turn.told = mine && (trail->fired || trail->instant || own->worker.reported);
  put(&domain->turns, &turn, sizeof turn);
  if (turn.told) put_told(domain, agent, valid);
  if (mine) report->turns++;
  return BRINK_OK;
}

static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

brink_status brink_domain_take_turns(brink_domain *domain, double until,
                                     brink_domain_report *report, brink_diag *diag) {
  double began = processor_time(), t;
  brink_status status = BRINK_OK;
  domain->turns.length = domain->told.length = 0;
  while (status == BRINK_OK && !report->stops) {
    uint32_t agent = brink_agents_next(domain->own, &t);
    if (agent == BRINK_NOBODY || t > until) break;
    status = take_turn(domain, agent, t, report);
  }
  if (status == BRINK_OK && (domain->turns.failed || domain->told.failed))
    status = BRINK_ERR_MEMORY;
  report->computing = processor_time() - began;
  return status == BRINK_OK ? status : brink_diag_set(diag, status, "out of memory for turns");
}

/* Turns of agents that are not known are nobody's: they have touched none of the own agents. */
void brink_domain_put_turns(const brink_domain *domain, brink_text *to) {
  size_t count = domain->turns.length / sizeof(brink_domain_turn), kept = 0;
  size_t at = to->length;
  put(to, &kept, sizeof kept);
  for (size_t k = 0; k < count; k++) {
    brink_domain_turn turn;
    memcpy(&turn, domain->turns.data + k * sizeof turn, sizeof turn);
    if (!turn.own && !domain->known[turn.agent]) continue;
    put(to, &turn, sizeof turn);
    kept++;
  }
  if (!to->failed) memcpy(to->data + at, &kept, sizeof kept);
  put(to, domain->told.data, domain->told.length);
}

/* ---- all ranks ---- */

/* The list of one rank, while lists are merged. */
typedef struct list {
  brink_domain_bytes turns, told;
  brink_domain_turn next;
  bool any; /* there is a next turn */
} list;

static void step(list *l) {
  l->any = brink_domain_get(&l->turns, &l->next, sizeof l->next);
}

static bool open_list(list *l, const brink_text *message, size_t at) {
  brink_domain_bytes bytes = {.data = message->data, .size = message->length, .at = at};
  size_t count;
  if (!brink_domain_get(&bytes, &count, sizeof count) ||
      count > (bytes.size - bytes.at) / sizeof(brink_domain_turn))
    return false;
  size_t end = bytes.at + count * sizeof(brink_domain_turn);
  l->turns = (brink_domain_bytes){.data = bytes.data, .size = end, .at = bytes.at};
  l->told = (brink_domain_bytes){.data = bytes.data, .size = bytes.size, .at = end};
  step(l);
  return !l->any || l->next.agent < BRINK_NOBODY;
}

/* Agents in the bytes, in place; they may be anywhere in memory, so they are copied where numbers may be. */
static bool point(brink_domain_bytes *from, const void **to, size_t size) {
  if (from->size - from->at < size) return false;
  *to = from->data + from->at;
  from->at += size;
  return true;
}

static brink_status tell(brink_domain *domain, list *l, brink_diag *diag) {
  brink_agents *whole = domain->def.whole;
  told_head head;
  const void *signs = NULL;
  brink_told_turn turn = {.t = l->next.t};
  bool fine = brink_domain_get(&l->told, &head, sizeof head) && head.agent[0] < whole->n &&
              head.agent[1] < whole->n && (!head.pair || head.block < whole->def.npairs);
  if (fine && head.pair)
    fine = point(&l->told, &signs, whole->worker.pair_guards[head.block].eval.model->def.nguards);
  for (int k = 0; fine && k < (head.pair ? 2 : 1); k++) {
    size_t size = size_of(whole, head.agent[k]);
    fine = point(&l->told, &turn.before[k], size) && point(&l->told, &turn.after[k], size);
  }
  if (!fine) return brink_diag_set(diag, BRINK_ERR_CALLBACK, "a turn did not arrive whole");
  turn.pair = head.pair;
  memcpy(turn.agent, head.agent, sizeof turn.agent);
  turn.valid = head.valid;
  turn.block = head.block;
  turn.root = head.root;
  turn.sgn = signs;
  brink_status status = brink_agents_retell(whole, &turn, diag);
  if (status != BRINK_OK)
    return brink_diag_set(diag, BRINK_ERR_CALLBACK,
                          "a turn at t = %g went otherwise when it was told (%s)", turn.t,
                          brink_status_text(status));
  if (domain->def.told != NULL) domain->def.told(domain->def.user);
  return BRINK_OK;
}

/* Turns of halos whose owners' turns have been taken are passed. */
static void pass(brink_domain *domain, list *l, size_t rank) {
  uint32_t *passed = domain->passed + rank * domain->own->n;
  while (l->any && !l->next.own && passed[l->next.agent] < domain->taken[l->next.agent]) {
    passed[l->next.agent]++;
    step(l);
  }
}

/* The rank that has the next turn; `ranks`: there is none. */
static size_t first_of(brink_domain *domain, list *lists) {
  size_t best = domain->ranks;
  double earliest = (double)INFINITY;
  for (size_t r = 0; r < domain->ranks; r++) {
    pass(domain, &lists[r], r);
    if (lists[r].any) earliest = fmin(earliest, lists[r].next.t);
  }
  for (size_t r = 0; r < domain->ranks; r++) {
    const brink_domain_turn *next = &lists[r].next;
    if (!lists[r].any || !next->own || next->t != earliest) continue;
    if (best == domain->ranks || next->agent < lists[best].next.agent) best = r;
  }
  return best;
}

brink_status brink_domain_tell(brink_domain *domain, const size_t *at, brink_diag *diag) {
  size_t n = domain->own->n;
  brink_status status = BRINK_OK;
  list *lists = brink_allocate(&domain->arena.allocator, domain->ranks, sizeof *lists);
  if (lists == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for turns");
  memset(domain->taken, 0, n * sizeof *domain->taken);
  memset(domain->passed, 0, domain->ranks * n * sizeof *domain->passed);
  for (size_t r = 0; r < domain->ranks && status == BRINK_OK; r++) {
    if (!open_list(&lists[r], &domain->heard[r], at[r]))
      status = brink_diag_set(diag, BRINK_ERR_CALLBACK, "turns of rank %zu are not whole", r);
  }
  size_t r;
  while (status == BRINK_OK && (r = first_of(domain, lists)) < domain->ranks) {
    if (lists[r].next.told) status = tell(domain, &lists[r], diag);
    domain->taken[lists[r].next.agent]++;
    step(&lists[r]);
  }
  for (r = 0; r < domain->ranks && status == BRINK_OK; r++) {
    if (lists[r].any)
      status = brink_diag_set(diag, BRINK_ERR_CALLBACK, "turns of ranks do not fit together");
  }
  brink_release(&domain->arena.allocator, lists, domain->ranks, sizeof *lists);
  return status;
}
