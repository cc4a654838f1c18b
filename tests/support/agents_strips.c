/* agents_strips.c: one population in strips. See agents_strips.h. */
#include "support/agents_strips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ELSEWHERE                                                                                  \
  1e9 /* agents that a rank does not compute are moved this far away, in its grids only */

/* ---- boxes ---- */

/* The places of an agent in the grid of a block. */
static int places_of(const brink_agents *agents, size_t block, uint32_t agent, uint32_t places[2]) {
  const brink_pair_guards *pg = &agents->worker.pair_guards[block];
  int sides[2],
      count = brink_pair_sides(pg, brink_worker_population(&agents->worker, agent), sides);
  for (int k = 0; k < count; k++)
    places[k] = brink_pair_grid_index(pg, sides[k], brink_agents_index(agents, agent));
  return count;
}

/* Widens the interval by the agent's boxes, in the first direction of space. */
static void widen(const brink_agents *agents, uint32_t agent, double *low, double *high) {
  for (size_t b = 0; b < agents->def.npairs; b++) {
    uint32_t places[2];
    int count = places_of(agents, b, agent, places);
    for (int k = 0; k < count; k++) {
      const brink_box *box = brink_grid_box(agents->worker.pair_guards[b].grid, places[k]);
      *low = fmin(*low, box->low[0]);
      *high = fmax(*high, box->high[0]);
    }
  }
}

/* ---- agents from one engine to another ---- */

static void drop_contacts(brink_contacts *contacts, uint32_t agent) {
  for (uint32_t k = contacts->first[agent], next; k != BRINK_NOBODY; k = next) {
    next = contacts->items[k].next;
    contacts->items[k].next = contacts->free;
    contacts->free = k;
  }
  contacts->first[agent] = BRINK_NOBODY;
}

/* In the same order: which old records are deleted, and when, depends on it. */
static void copy_contacts(brink_contacts *to, const brink_contacts *from, uint32_t k) {
  if (k == BRINK_NOBODY) return;
  copy_contacts(to, from, from->items[k].next);
  brink_contacts_update(to, &from->items[k], -(double)INFINITY);
}

static void copy_agent(brink_agents *to, const brink_agents *from, uint32_t agent) {
  memcpy(brink_agents_packed(to, agent), brink_agents_packed(from, agent),
         brink_worker_population(&to->worker, agent)->packing.size);
  to->members[agent] = from->members[agent];
  to->intervals[agent] = from->intervals[agent];
  for (size_t b = 0; b < to->def.npairs; b++) {
    const brink_pair_guards *source = &from->worker.pair_guards[b];
    brink_pair_guards *pg = &to->worker.pair_guards[b];
    uint32_t places[2];
    int count = places_of(to, b, agent, places);
    for (int k = 0; k < count; k++) {
      brink_grid_update(pg->grid, places[k], brink_grid_box(source->grid, places[k]));
      pg->tube[places[k]] = source->tube[places[k]];
    }
  }
  drop_contacts(&to->contacts, agent);
  copy_contacts(&to->contacts, &from->contacts, from->contacts.first[agent]);
  brink_queue_update(&to->queue, agent, to->members[agent].window.end);
}

/* The agent has no turns and no neighbours any more. */
static void take_away(brink_agents *agents, uint32_t agent) {
  agents->members[agent].window.end = (double)INFINITY;
  agents->members[agent].window.ending = BRINK_ENDS_RUN;
  for (size_t b = 0; b < agents->def.npairs; b++) {
    brink_grid *grid = agents->worker.pair_guards[b].grid;
    uint32_t places[2];
    int count = places_of(agents, b, agent, places);
    for (int k = 0; k < count; k++) {
      brink_box box = *brink_grid_box(grid, places[k]);
      box.low[0] += ELSEWHERE;
      box.high[0] += ELSEWHERE;
      brink_grid_update(grid, places[k], &box);
    }
  }
  brink_queue_update(&agents->queue, agent, (double)INFINITY);
}

static bool same_contacts(const brink_agents *a, const brink_agents *b, uint32_t agent) {
  uint32_t k = a->contacts.first[agent], j = b->contacts.first[agent];
  for (; k != BRINK_NOBODY && j != BRINK_NOBODY;
       k = a->contacts.items[k].next, j = b->contacts.items[j].next) {
    const brink_contact *one = &a->contacts.items[k], *other = &b->contacts.items[j];
    if (one->pair[1] != other->pair[1] || one->guard != other->guard ||
        one->block != other->block || one->at != other->at || one->sign != other->sign ||
        one->due != other->due || one->leaves_at != other->leaves_at || one->slack != other->slack)
      return false;
  }
  return k == j || (k == BRINK_NOBODY && j == BRINK_NOBODY);
}

bool strips_same(const brink_agents *a, const brink_agents *b, uint32_t agent) {
  const brink_member *one = &a->members[agent], *other = &b->members[agent];
  const brink_window *w = &one->window, *v = &other->window;
  return memcmp(brink_agents_packed(a, agent), brink_agents_packed(b, agent),
                brink_worker_population(&a->worker, agent)->packing.size) == 0 &&
         w->start == v->start && w->end == v->end && w->ending == v->ending &&
         w->partner == v->partner && w->guard == v->guard && w->block == v->block &&
         one->valid == other->valid && one->version == other->version && same_contacts(a, b, agent);
}

/* ---- a round ---- */

static void begin_sweeps(strips *s, size_t rank) {
  strips_rank *r = &s->ranks[rank];
  for (uint32_t i = 0; i < s->n; i++) {
    strips_sweep *sweep = &r->sweeps[i];
    *sweep = (strips_sweep){(double)INFINITY, -(double)INFINITY, 0xcbf29ce484222325u};
    if (r->active[i]) widen(r->agents, i, &sweep->low, &sweep->high);
  }
}

static void mix(uint64_t *hash, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++) *hash = (*hash ^ bytes[i]) * 0x100000001b3u;
}

static void note(strips_rank *r, uint32_t agent) {
  strips_sweep *sweep = &r->sweeps[agent];
  const brink_member *member = &r->agents->members[agent];
  widen(r->agents, agent, &sweep->low, &sweep->high);
  mix(&sweep->hash, &member->window.start, sizeof member->window.start);
  mix(&sweep->hash, &member->window.end, sizeof member->window.end);
  mix(&sweep->hash, &member->version, sizeof member->version);
}

static void count_turn(brink_agents_stats *sum, const brink_agents_stats *before,
                       const brink_agents_stats *after) {
  sum->windows += after->windows - before->windows;
  sum->searches += after->searches - before->searches;
  sum->checks += after->checks - before->checks;
  sum->pair_events += after->pair_events - before->pair_events;
}

static uint64_t bits_of(const brink_agents *agents, const brink_agent_event *event) {
  uint64_t bits = 0xcbf29ce484222325u;
  const brink_event_record *r = event->record;
  size_t nx = event->pair != BRINK_NONE ? agents->worker.pair_guards[event->pair].eval.nx
                                        : agents->worker.populations[event->population].packing.nx;
  mix(&bits, &r->event.t, sizeof r->event.t);
  mix(&bits, &r->event.value, sizeof r->event.value);
  mix(&bits, &event->pair, sizeof event->pair);
  mix(&bits, event->pair != BRINK_NONE ? &event->partner[0] : &event->agent, sizeof event->agent);
  mix(&bits, r->x_before, nx * sizeof(double));
  mix(&bits, r->x_after, nx * sizeof(double));
  return bits;
}

static int on_event(const brink_agent_event *event, void *user) {
  strips_log *log = user;
  uint64_t bits = bits_of(log->agents, event);
  mix(&log->bits, &bits, sizeof bits);
  return 0;
}

void strips_listen(brink_agents *agents, strips_log *log) {
  log->agents = agents;
  brink_agents_set_sink(agents, &(brink_agents_sink){.event = on_event, .user = log});
}

/* False: no memory. */
static bool append(strips_log *log, const strips_turn *turn) {
  if (log->count == log->capacity) {
    size_t capacity = 2 * log->capacity + 64;
    strips_turn *grown = realloc(log->list, capacity * sizeof *grown);
    if (grown == NULL) return false;
    log->list = grown;
    log->capacity = capacity;
  }
  log->list[log->count++] = *turn;
  return true;
}

brink_status strips_take_turn(brink_agents *agents, strips_log *log, double until,
                              brink_diag *diag) {
  uint32_t agent = brink_queue_first(&agents->queue);
  double at = agents->members[agent].window.end;
  if (!(at < until)) return BRINK_TIME_REACHED;
  log->bits = 0;
  brink_status status = brink_agents_run(agents, agents->t_end, 1, diag);
  if (status != BRINK_ERR_WORK) return status;
  return append(log, &(strips_turn){at, agent, log->bits}) ? status : BRINK_ERR_MEMORY;
}

static brink_status turn_by_turn(strips *s, size_t rank, double until, brink_diag *diag) {
  strips_rank *r = &s->ranks[rank];
  brink_agents *agents = r->agents;
  r->log.count = 0;
  strips_listen(agents, &r->log);
  for (;;) {
    uint32_t i = brink_queue_first(&agents->queue);
    const brink_window *window = &agents->members[i].window;
    uint32_t partner = window->ending == BRINK_ENDS_AT_PAIR_EVENT ? window->partner : BRINK_NOBODY;
    brink_agents_stats before = agents->stats;
    brink_status status = strips_take_turn(agents, &r->log, until, diag);
    if (status != BRINK_ERR_WORK) return status;
    if (s->owner[i] == rank) count_turn(&s->owned, &before, &agents->stats);
    note(r, i);
    if (partner != BRINK_NOBODY) note(r, partner);
  }
}

/* Up to the turn of an agent that is not computed: the engine takes it for the end of the run. */
static brink_status at_once(strips_rank *r, double until, brink_diag *diag) {
  brink_agents *agents = r->agents;
  brink_queue_update(&agents->queue, r->outsider, until);
  brink_status status = brink_agents_run(agents, agents->t_end, 0, diag);
  brink_queue_update(&agents->queue, r->outsider, (double)INFINITY);
  agents->now = until;
  return status;
}

brink_status strips_compute(strips *s, size_t rank, double until, bool watched, brink_diag *diag) {
  strips_rank *r = &s->ranks[rank];
  int64_t before = r->agents->stats.windows;
  if (watched) begin_sweeps(s, rank);
  brink_status status = watched || r->outsider == BRINK_NOBODY ? turn_by_turn(s, rank, until, diag)
                                                               : at_once(r, until, diag);
  r->windows = r->agents->stats.windows - before;
  return status;
}

/* ---- the certificate ---- */

static bool touches(const strips_sweep *a, const strips_sweep *b) {
  return a->low <= b->high && b->low <= a->high;
}

/* Has the rank computed the agent as its owner has? */
static bool is_known(const strips *s, size_t rank, uint32_t agent) {
  const strips_rank *r = &s->ranks[rank], *owner = &s->ranks[s->owner[agent]];
  return r->active[agent] && r->sweeps[agent].hash == owner->sweeps[agent].hash &&
         strips_same(r->agents, owner->agents, agent);
}

/* An agent that a rank has computed otherwise than its owner, or not at all, must not have been near those that the rank
 * owns: neither as its owner knows it, nor as the rank has it. */
static bool is_certified(const strips *s, size_t rank) {
  const strips_rank *r = &s->ranks[rank];
  strips_sweep own = {(double)INFINITY, -(double)INFINITY, 0};
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->owner[i] != rank) continue;
    own.low = fmin(own.low, r->sweeps[i].low);
    own.high = fmax(own.high, r->sweeps[i].high);
  }
  for (uint32_t j = 0; j < s->n; j++) {
    const strips_rank *owner = &s->ranks[s->owner[j]];
    if (owner == r) continue;
    if (is_known(s, rank, j)) continue;
    if (touches(&own, &owner->sweeps[j])) return false;
    if (r->active[j] && touches(&own, &r->sweeps[j])) return false;
  }
  return true;
}

bool strips_certified(const strips *s) {
  for (size_t k = 0; k < s->nranks; k++) {
    if (!is_certified(s, k)) return false;
  }
  return true;
}

/* ---- the order of turns ---- */

/* At one instant a turn may make a turn of an agent with a smaller number due. So turns are not sorted: of the turns that
 * come next in their ranks, the first is taken. A turn of the halo is a turn of its owner, who takes it first. */
typedef struct merging {
  const strips *s;
  size_t next[STRIPS_MOST];
  uint32_t *taken, *passed; /* turns of each agent: in the merged list; in the list of each rank */
} merging;

/* The next turn of an agent that the rank owns; NULL: there is none yet. */
static const strips_turn *head_of(merging *m, size_t rank) {
  const strips_log *log = &m->s->ranks[rank].log;
  for (; m->next[rank] < log->count; m->next[rank]++) {
    const strips_turn *turn = &log->list[m->next[rank]];
    uint32_t *passed = &m->passed[rank * m->s->n + turn->agent];
    if (m->s->owner[turn->agent] == rank) return turn;
    if (is_known(m->s, rank, turn->agent) && m->taken[turn->agent] <= *passed) return NULL;
    (*passed)++;
  }
  return NULL;
}

static bool merge(merging *m, strips_log *merged) {
  size_t total = 0;
  for (;;) {
    const strips_turn *first = NULL;
    size_t from = 0;
    for (size_t k = 0; k < m->s->nranks; k++) {
      const strips_turn *head = head_of(m, k);
      bool earlier = head != NULL && (first == NULL || head->at < first->at ||
                                      (head->at == first->at && head->agent < first->agent));
      if (earlier) first = head;
      if (earlier) from = k;
    }
    if (first == NULL) break;
    if (!append(merged, first)) return false;
    m->taken[first->agent]++;
    m->next[from]++;
  }
  for (size_t k = 0; k < m->s->nranks; k++) total += m->s->ranks[k].log.count - m->next[k];
  return total == 0;
}

bool strips_merge(const strips *s, strips_log *merged) {
  merging m = {.s = s};
  m.taken = calloc(s->n, sizeof *m.taken);
  m.passed = calloc(s->n * s->nranks, sizeof *m.passed);
  merged->count = 0;
  bool ok = m.taken != NULL && m.passed != NULL && merge(&m, merged);
  free(m.taken);
  free(m.passed);
  return ok;
}

/* ---- who owns whom ---- */

void strips_locate(strips *s) {
  for (uint32_t i = 0; i < s->n; i++) {
    double low = (double)INFINITY, high = -(double)INFINITY;
    widen(s->ranks[s->owner[i]].agents, i, &low, &high);
    s->x[i] = 0.5 * (low + high);
  }
}

typedef struct weighed {
  double x, weight;
} weighed;

static int by_x(const void *a, const void *b) {
  const weighed *one = a, *other = b;
  return (one->x > other->x) - (one->x < other->x);
}

void strips_divide(strips *s, const double *weight) {
  weighed *all = malloc(s->n * sizeof *all);
  double total = 0.0, sum = 0.0;
  if (all == NULL) return; /* strips stay as they are */
  for (size_t i = 0; i < s->n; i++) {
    all[i] = (weighed){s->x[i], weight[s->owner[i]]};
    total += all[i].weight;
  }
  qsort(all, s->n, sizeof *all, by_x);
  size_t k = 0;
  for (size_t i = 0; i < s->n && k + 1 < s->nranks; i++) {
    sum += all[i].weight;
    if (sum * (double)s->nranks < total * (double)(k + 1)) continue;
    s->ranks[k].high = s->ranks[k + 1].low = all[i].x;
    k++;
  }
  free(all);
}

void strips_own(strips *s, uint8_t *old) {
  memcpy(old, s->owner, s->n);
  for (size_t k = 0; k < s->nranks; k++) s->ranks[k].owned = 0;
  for (size_t i = 0; i < s->n; i++) {
    size_t k = 0;
    while (k + 1 < s->nranks && s->x[i] >= s->ranks[k].high) k++;
    s->owner[i] = (uint8_t)k;
    s->ranks[k].owned++;
  }
}

/* The halo: agents whose boxes are near the strip. `all`: where every agent is taken from. */
static void find_halo(strips *s, size_t rank, const uint8_t *old, const brink_agents *all) {
  strips_rank *r = &s->ranks[rank];
  for (uint32_t i = 0; i < s->n; i++) {
    const brink_agents *from = all != NULL ? all : s->ranks[old[i]].agents;
    double low = (double)INFINITY, high = -(double)INFINITY;
    widen(from, i, &low, &high);
    bool needs = s->owner[i] == rank || (low <= r->high + s->halo && high >= r->low - s->halo);
    r->comes[i] = needs && (all != NULL || old[i] != rank);
    r->leaves[i] = r->active[i] && !needs;
    r->active[i] = needs;
  }
}

static void take(strips *s, size_t rank, const uint8_t *old, const brink_agents *all) {
  strips_rank *r = &s->ranks[rank];
  r->taken = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    if (!r->comes[i]) continue;
    copy_agent(r->agents, all != NULL ? all : s->ranks[old[i]].agents, i);
    r->taken++;
  }
}

void strips_find_halo(strips *s, size_t rank, const uint8_t *old) {
  find_halo(s, rank, old, NULL);
}

void strips_take_over(strips *s, size_t rank, const uint8_t *old) {
  take(s, rank, old, NULL);
}

void strips_leave(strips *s, size_t rank) {
  strips_rank *r = &s->ranks[rank];
  r->outsider = BRINK_NOBODY;
  r->computed = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    if (r->leaves[i]) take_away(r->agents, i);
    if (!r->active[i]) r->outsider = i;
    r->computed += r->active[i] ? 1 : 0;
  }
}

void strips_restart(strips *s, const brink_agents *whole) {
  for (size_t k = 0; k < s->nranks; k++) {
    find_halo(s, k, s->owner, whole);
    take(s, k, s->owner, whole);
  }
  for (size_t k = 0; k < s->nranks; k++) strips_leave(s, k);
}

/* ---- the object ---- */

bool strips_open(strips *s, const brink_agents *whole, const brink_agents_def *def, size_t nranks,
                 double halo) {
  double weight[STRIPS_MOST];
  brink_diag diag;
  bool ok = nranks <= STRIPS_MOST;
  *s = (strips){.n = whole->n, .nranks = nranks, .halo = halo};
  s->owner = calloc(s->n, sizeof *s->owner);
  s->x = calloc(s->n, sizeof *s->x);
  ok = ok && s->owner != NULL && s->x != NULL;
  for (size_t k = 0; ok && k < nranks; k++) {
    strips_rank *r = &s->ranks[k];
    *r = (strips_rank){.low = -(double)INFINITY, .high = (double)INFINITY};
    r->active = calloc(s->n, sizeof *r->active);
    r->comes = calloc(s->n, sizeof *r->comes);
    r->leaves = calloc(s->n, sizeof *r->leaves);
    r->sweeps = calloc(s->n, sizeof *r->sweeps);
    ok = r->active != NULL && r->comes != NULL && r->leaves != NULL && r->sweeps != NULL &&
         brink_agents_clone(whole, def, NULL, &diag, &r->agents) == BRINK_OK;
    weight[k] = 1.0;
    for (size_t i = 0; ok && i < s->n; i++) r->active[i] = true;
  }
  uint8_t *old = malloc(s->n);
  ok = ok && old != NULL;
  if (ok) {
    strips_locate(s);
    strips_divide(s, weight);
    strips_own(s, old);
    strips_restart(s, whole);
  }
  free(old);
  return ok;
}

void strips_close(strips *s) {
  for (size_t k = 0; k < s->nranks && k < STRIPS_MOST; k++) {
    brink_agents_destroy(s->ranks[k].agents);
    free(s->ranks[k].active);
    free(s->ranks[k].comes);
    free(s->ranks[k].leaves);
    free(s->ranks[k].sweeps);
    free(s->ranks[k].log.list);
  }
  free(s->owner);
  free(s->x);
}
