/* domain.c: one run of agents on many ranks: rounds. See domain.h, and docs/decisions/0023-ranks.md for the protocol.
 *
 * A round, on every rank:
 *
 *   1. rank 0 decides: how far, how wide halos are, where strips end; and whether the round before counts;
 *   2. agents go to the ranks that own them, or have them in their halo;
 *   3. turns, without a message;
 *   4. the certificate: slabs, then hashes of agents near them;
 *   5. a report to rank 0, with all turns: it accepts the round, or everybody goes back to its start.
 *
 * Nothing is told before a round is accepted, so nothing that was told is ever taken back. */
#include "agents/domain_parts.h"

#include <math.h>
#include <string.h>

#define FEWEST 2 /* agents a rank */

/* ---- creation ---- */

const char *brink_domain_refuses(const brink_agents_def *agents, size_t ranks) {
  size_t n = 0;
  if (agents->npairs == 0) return "no pair block says who meets whom";
  for (size_t k = 0; k < agents->npairs; k++) {
    if (agents->pairs[k].ndimensions == 0)
      return "a pair block has no reach: every agent may meet any other";
  }
  for (size_t k = 0; k < agents->npopulations; k++) n += agents->populations[k].count;
  if (agents->all_pairs) return "all pairs are compared";
  if (n < FEWEST * ranks) return "there are too few agents";
  if (ranks >= BRINK_NOWHERE) return "there are too many ranks";
  return NULL;
}

/* Counters of this rank begin at zero; the method, and why it was chosen, stay. */
static void clear_counters(brink_agents *own) {
  for (size_t k = 0; k < own->def.npopulations + own->def.npairs; k++) {
    brink_stats *stats = k < own->def.npopulations
                             ? &own->worker.populations[k].sim->eval.stats
                             : &own->worker.pair_guards[k - own->def.npopulations].eval.stats;
    *stats = (brink_stats){.method = stats->method, .reason = stats->reason};
  }
  own->stats = (brink_agents_stats){0};
  own->committed = (brink_stats){0};
}

static bool take_arrays(brink_domain *d) {
  brink_arena *arena = &d->arena;
  size_t n = d->own->n, npairs = d->own->def.npairs, counters = d->own->def.npopulations + npairs;
  d->owner = brink_arena_take(arena, n, sizeof *d->owner);
  d->known = brink_arena_take(arena, n, sizeof *d->known);
  d->ends = brink_arena_take(arena, d->ranks + 1, sizeof *d->ends);
  d->waits = brink_arena_take(arena, d->ranks, sizeof *d->waits);
  d->outs = brink_arena_take(arena, d->ranks, sizeof *d->outs);
  d->counters = brink_arena_take(arena, counters, sizeof *d->counters);
  d->turn_counters = brink_arena_take(arena, counters, sizeof *d->turn_counters);
  d->base = brink_arena_take(arena, counters, sizeof *d->base);
  d->halo_of = brink_arena_take(arena, d->ranks, sizeof *d->halo_of);
  d->nhalo_of = brink_arena_take(arena, d->ranks, sizeof *d->nhalo_of);
  d->halo_capacity = brink_arena_take(arena, d->ranks, sizeof *d->halo_capacity);
  d->slabs = brink_arena_take(arena, d->ranks * npairs, sizeof *d->slabs);
  d->slab_there = brink_arena_take(arena, d->ranks * npairs, sizeof *d->slab_there);
  d->places = brink_arena_take(arena, n, sizeof *d->places);
  if (d->rank != 0) return !arena->failed;
  d->pace.cost = brink_arena_take(arena, d->ranks, sizeof *d->pace.cost);
  d->pace.reports = brink_arena_take(arena, d->ranks, sizeof *d->pace.reports);
  d->heard = brink_arena_take(arena, d->ranks, sizeof *d->heard);
  d->heard_at = brink_arena_take(arena, d->ranks, sizeof *d->heard_at);
  d->taken = brink_arena_take(arena, n, sizeof *d->taken);
  d->passed = brink_arena_take(arena, d->ranks * n, sizeof *d->passed);
  d->computing = brink_arena_take(arena, d->ranks, sizeof *d->computing);
  d->waited = brink_arena_take(arena, d->ranks * d->ranks, sizeof *d->waited);
  d->spans = brink_arena_take(arena, BRINK_DOMAIN_SPANS * d->ranks, sizeof *d->spans);
  return !arena->failed;
}

static double clock_of(const brink_domain *d) {
  return d->def.ranks->now(d->def.ranks->state) - d->created;
}

static brink_status build(brink_domain *d, const brink_allocator *allocator, brink_diag *diag) {
  brink_agents_def agents = *d->def.agents;
  agents.threads = 0;
  brink_status status = brink_agents_clone(d->def.whole, &agents, allocator, diag, &d->own);
  if (status != BRINK_OK) return status;
  d->exchange = brink_exchange_create(d->def.ranks, d->def.patience, allocator);
  if (d->exchange == NULL || !take_arrays(d) || !brink_trail_init(&d->trail, d->own, &d->arena))
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for ranks");
  for (size_t r = 0; r < d->ranks; r++) d->outs[r].allocator = d->arena.allocator;
  for (size_t r = 0; r < d->ranks && d->rank == 0; r++) d->heard[r].allocator = d->arena.allocator;
  d->start.allocator = d->turns.allocator = d->told.allocator = d->arena.allocator;
  clear_counters(d->own);
  d->own->trail = &d->trail;
  brink_domain_read_counters(d->def.whole, d->base);
  d->base_counted = d->def.whole->stats;
  /* Everybody has all agents as they begin; the first strips follow from them, on all ranks alike. */
  brink_domain_pace_begin(d);
  for (uint32_t i = 0; i < d->own->n; i++) {
    brink_trail_clear(&d->trail, d->own, i);
    brink_trail_plan(&d->trail, d->own, i);
    brink_trail_window(&d->trail, d->own, i);
    d->identity = d->identity * 0x9e3779b97f4a7c15u + d->trail.hash[i];
  }
  d->halo = d->pace.halo;
  for (uint32_t i = 0; i < d->own->n; i++) d->owner[i] = (uint16_t)brink_domain_strip(d, d->own, i);
  for (uint32_t i = 0; i < d->own->n; i++) {
    if (d->owner[i] == d->rank) continue;
    d->owner[i] = BRINK_NOWHERE;
    brink_domain_forget_agent(d->own, i);
  }
  d->accepted = true;
  return BRINK_OK;
}

brink_status brink_domain_create(const brink_domain_def *def, const brink_allocator *allocator,
                                 brink_diag *diag, brink_domain **domain) {
  brink_arena arena;
  *domain = NULL;
  const char *reason = brink_domain_refuses(def->agents, def->ranks->count);
  if (reason != NULL)
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED, "ranks cannot divide the agents: %s",
                          reason);
  brink_arena_init(&arena, allocator);
  brink_domain *d = brink_arena_take(&arena, 1, sizeof *d);
  if (d == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  d->arena = arena;
  d->def = *def;
  d->rank = def->ranks->rank;
  d->ranks = def->ranks->count;
  d->created = def->ranks->now(def->ranks->state);
  brink_status status = build(d, allocator, diag);
  if (status == BRINK_OK)
    *domain = d;
  else
    brink_domain_destroy(d);
  return status;
}

void brink_domain_destroy(brink_domain *d) {
  if (d == NULL) return;
  for (size_t r = 0; d->outs != NULL && r < d->ranks; r++) brink_text_free(&d->outs[r]);
  for (size_t r = 0; d->heard != NULL && r < d->ranks; r++) brink_text_free(&d->heard[r]);
  brink_text_free(&d->start);
  brink_text_free(&d->turns);
  brink_text_free(&d->told);
  brink_exchange_destroy(d->exchange);
  brink_agents_destroy(d->own);
  brink_arena arena = d->arena; /* the object itself lives in it */
  brink_arena_free(&arena);
}

/* ---- a round, on every rank ---- */

/* The extent of own agents in the direction of strips, and their next turn. */
static void look_around(brink_domain *d, brink_domain_report *report) {
  report->low = (double)INFINITY;
  report->high = -(double)INFINITY;
  report->next = (double)INFINITY;
  report->widest = 0.0;
  for (uint32_t i = 0; i < d->own->n; i++) {
    double low, high;
    if (d->owner[i] != d->rank) continue;
    report->next = fmin(report->next, d->own->members[i].window.end);
    if (!brink_domain_place(d, d->own, i, &low, &high)) continue;
    report->low = fmin(report->low, low);
    report->high = fmax(report->high, high);
    if (isfinite(high - low)) report->widest = fmax(report->widest, high - low);
  }
}

/* Sends the report with all turns, or, on rank 0, keeps it. */
static brink_status hand_in(brink_domain *d, const brink_domain_report *report, brink_diag *diag) {
  brink_text *to = d->rank == 0 ? &d->heard[0] : &d->outs[0];
  to->length = 0;
  brink_text_append(to, (const char *)report, sizeof *report);
  for (size_t r = 0; r < d->ranks; r++) {
    double waited = brink_exchange_waited(d->exchange, r);
    brink_text_append(to, (const char *)&waited, sizeof waited);
  }
  if (report->certified && !report->stops) brink_domain_put_turns(d, to);
  if (to->failed) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for a report");
  return d->rank == 0 ? BRINK_OK : brink_exchange_send(d->exchange, 0, to->data, to->length, diag);
}

/* The rank for which this one has waited longest since `before` was noted. */
static size_t waited_longest(const brink_domain *d, const double *before) {
  size_t longest = d->rank;
  double most = 0.0;
  for (size_t r = 0; r < d->ranks; r++) {
    double waited = brink_exchange_waited(d->exchange, r) - before[r];
    if (waited <= most) continue;
    most = waited;
    longest = r;
  }
  return longest;
}

static brink_status take_part(brink_domain *d, double until, brink_diag *diag) {
  brink_domain_report report;
  memset(&report, 0, sizeof report);
  report.begun = clock_of(d);
  brink_status status = brink_domain_distribute(d, diag);
  if (status != BRINK_OK) return status;
  look_around(d, &report);
  report.first = report.next;
  status = brink_domain_take_turns(d, until, &report, diag);
  report.computed = clock_of(d);
  for (size_t r = 0; r < d->ranks; r++) d->waits[r] = brink_exchange_waited(d->exchange, r);
  if (status == BRINK_OK) status = brink_domain_certify(d, &report.certified, &report.depth, diag);
  if (status != BRINK_OK) return status;
  report.waited_for = waited_longest(d, d->waits);
  look_around(d, &report);
  brink_domain_pace_pieces(d, &report);
  return hand_in(d, &report, diag);
}

/* What rank 0 has decided: the round before counts, or not; where strips end now. */
static brink_status obey(brink_domain *d, const brink_domain_decision *decision, brink_diag *diag) {
  d->halo = decision->halo;
  return decision->accepted ? BRINK_OK : brink_domain_go_back(d, diag);
}

static brink_status execute(brink_domain *d, const brink_domain_decision *decision,
                            brink_diag *diag) {
  brink_status status = obey(d, decision, diag);
  if (status != BRINK_OK) return status;
  if (decision->order == BRINK_ORDER_ROUND) return take_part(d, decision->until, diag);
  return decision->order == BRINK_ORDER_GATHER ? brink_domain_collect(d, diag) : BRINK_OK;
}

/* ---- ranks that follow ---- */

static brink_status hear(brink_domain *d, brink_domain_decision *decision, brink_diag *diag) {
  const void *data;
  brink_domain_bytes bytes = {0};
  brink_status status = brink_exchange_receive(d->exchange, 0, &data, &bytes.size, diag);
  if (status != BRINK_OK) return status;
  bytes.data = data;
  if (!brink_domain_get(&bytes, decision, sizeof *decision) ||
      !brink_domain_get(&bytes, d->ends, (d->ranks + 1) * sizeof *d->ends))
    return brink_diag_set(diag, BRINK_ERR_CALLBACK, "a decision of rank 0 did not arrive whole");
  if (decision->identity != d->identity)
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED,
                          "it has another model, other options or another version than rank 0");
  return BRINK_OK;
}

brink_status brink_domain_follow(brink_domain *d, brink_diag *diag) {
  brink_diag_clear(diag);
  for (;;) {
    brink_domain_decision decision;
    brink_status status = hear(d, &decision, diag);
    if (status == BRINK_OK) {
      if (decision.order == BRINK_ORDER_END) return BRINK_OK;
      status = execute(d, &decision, diag);
    }
    if (status == BRINK_OK) continue;
    brink_exchange_leave(d->def.ranks, diag->message);
    return status;
  }
}

/* ---- rank 0 ---- */

/* Tells everybody what to do, and does its own part. */
static brink_status order(brink_domain *d, brink_domain_order what, double until,
                          brink_diag *diag) {
  brink_domain_decision decision;
  memset(&decision, 0, sizeof decision);
  decision.order = what;
  decision.accepted = d->accepted;
  decision.until = until;
  decision.identity = d->identity;
  decision.halo = d->pace.halo;
  brink_text *to = &d->outs[0];
  to->length = 0;
  brink_text_append(to, (const char *)&decision, sizeof decision);
  brink_text_append(to, (const char *)d->ends, (d->ranks + 1) * sizeof *d->ends);
  if (to->failed) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  brink_status status = BRINK_OK;
  for (size_t r = 1; r < d->ranks && status == BRINK_OK; r++)
    status = brink_exchange_send(d->exchange, r, to->data, to->length, diag);
  d->accepted = true; /* what is not accepted is gone now */
  return status == BRINK_OK ? execute(d, &decision, diag) : status;
}

/* Who waits for whom. `waited` has what rank r has waited for others so far. */
static void keep_span(brink_domain *d, size_t r, const brink_domain_report *report,
                      const double *waited, double until) {
  d->computing[r] += report->computing;
  memcpy(&d->waited[r * d->ranks], waited, d->ranks * sizeof *waited);
  if (d->rounds >= BRINK_DOMAIN_SPANS) return;
  /* Clocks of machines differ: what is compared is how long it took. */
  d->spans[(size_t)d->rounds * d->ranks + r] =
      (brink_domain_span){.begin = d->begun,
                          .computed = d->begun + (report->computed - report->begun),
                          .t = until,
                          .waited_for = report->waited_for};
}

/* The last round is over. */
static void close_spans(brink_domain *d, double heard, bool accepted) {
  size_t last = (size_t)d->rounds - 1;
  double told = clock_of(d);
  for (size_t r = 0; r < d->ranks && last < BRINK_DOMAIN_SPANS; r++) {
    brink_domain_span *span = &d->spans[last * d->ranks + r];
    span->heard = heard;
    span->told = told;
    span->refused = !accepted;
  }
}

/* The reports of all ranks. */
static brink_status listen(brink_domain *d, double until, brink_diag *diag) {
  for (size_t r = 0; r < d->ranks; r++) {
    if (r > 0) {
      const void *data;
      size_t size;
      brink_status status = brink_exchange_receive(d->exchange, r, &data, &size, diag);
      if (status != BRINK_OK) return status;
      d->heard[r].length = 0;
      if (size > 0) brink_text_append(&d->heard[r], data, size);
    }
    brink_domain_bytes bytes = {.data = d->heard[r].data, .size = d->heard[r].length};
    brink_domain_report *report = &d->pace.reports[r];
    if (d->heard[r].failed || !brink_domain_get(&bytes, report, sizeof *report) ||
        !brink_domain_get(&bytes, d->places, d->ranks * sizeof(double)))
      return brink_diag_set(diag, BRINK_ERR_CALLBACK, "a report of rank %zu is not whole", r);
    d->heard_at[r] = bytes.at;
    keep_span(d, r, report, d->places, until);
  }
  return BRINK_OK;
}

/* What the reports say together. */
typedef struct verdict {
  bool certified, stops;
  double stopped, first;
} verdict;

static verdict judge(const brink_domain *d) {
  verdict v = {.certified = true, .stopped = (double)INFINITY, .first = (double)INFINITY};
  for (size_t r = 0; r < d->ranks; r++) {
    const brink_domain_report *report = &d->pace.reports[r];
    v.certified = v.certified && report->certified;
    v.stops = v.stops || report->stops;
    if (report->stops) v.stopped = fmin(v.stopped, report->stopped);
    v.first = fmin(v.first, report->first);
  }
  return v;
}

static void count_round(brink_domain *d, bool accepted) {
  d->rounds++;
  d->refused += accepted ? 0 : 1;
  for (size_t r = 0; r < d->ranks && accepted; r++) {
    d->all_turns += (int64_t)d->pace.reports[r].turns;
    d->all_halo_turns += (int64_t)d->pace.reports[r].halo_turns;
  }
}

/* The agents as they are, to `whole`. */
brink_status brink_domain_gather(brink_domain *d, brink_diag *diag) {
  brink_status status = order(d, BRINK_ORDER_GATHER, 0.0, diag);
  if (status == BRINK_OK) d->def.whole->now = d->pace.now;
  return status;
}

/* `whole` goes on by itself: with the last turn that was taken as its time. */
static brink_status go_alone(brink_domain *d, brink_diag *diag) {
  brink_status status = brink_domain_gather(d, diag);
  if (status != BRINK_OK) return status;
  brink_domain_end(d, NULL);
  return BRINK_STOPPED;
}

/* A round up to `until`, once. OK: it was accepted. STEPPED: it was refused. STOPPED: a turn ends the run at *stopped. */
static brink_status attempt(brink_domain *d, double until, verdict *v, brink_diag *diag) {
  d->begun = clock_of(d);
  brink_status status = order(d, BRINK_ORDER_ROUND, until, diag);
  if (status == BRINK_OK) status = listen(d, until, diag);
  if (status != BRINK_OK) return status;
  double heard = clock_of(d);
  *v = judge(d);
  d->accepted = v->certified && !v->stops;
  bool whole = isinf(d->pace.halo);
  count_round(d, d->accepted);
  close_spans(d, heard, d->accepted);
  if (v->stops) return BRINK_STOPPED;
  if (!d->accepted && whole)
    return brink_diag_set(diag, BRINK_ERR_CALLBACK,
                          "ranks have computed all agents, with different results");
  brink_domain_pace_learn(d, d->accepted);
  if (!d->accepted) return BRINK_STEPPED;
  d->pace.now = until;
  status = brink_domain_tell(d, d->heard_at, diag);
  close_spans(d, heard, true);
  return status;
}

static brink_status round_to(brink_domain *d, double pause, brink_diag *diag) {
  if (d->pace.next > pause) return BRINK_OK; /* nothing happens before it */
  double until = brink_domain_pace_until(d, pause);
  for (;;) {
    verdict v = {0};
    brink_status status = attempt(d, until, &v, diag);
    if (status == BRINK_STOPPED) {
      /* Up to the turn that ends the run, if there is anything before it. */
      if (v.stopped <= v.first) return go_alone(d, diag);
      until = nextafter(v.stopped, -(double)INFINITY);
    } else if (status == BRINK_STEPPED) {
      until = fmin(brink_domain_pace_until(d, pause), until);
    } else {
      return status;
    }
  }
}

brink_status brink_domain_round(brink_domain *d, double pause, brink_diag *diag) {
  brink_diag_clear(diag);
  if (d->ended) return BRINK_STOPPED;
  brink_status status = round_to(d, pause, diag);
  if (status == BRINK_OK && d->pace.next > pause) {
    d->pace.now = fmax(d->pace.now, pause);
    status = brink_domain_gather(d, diag);
    if (status == BRINK_OK) return BRINK_TIME_REACHED;
  }
  if (status != BRINK_OK && status != BRINK_STOPPED) brink_domain_end(d, diag->message);
  return status;
}

void brink_domain_end(brink_domain *d, const char *words) {
  brink_diag unheard;
  if (d->ended) return;
  d->ended = true;
  if (words != NULL)
    brink_exchange_leave(d->def.ranks, words);
  else
    order(d, BRINK_ORDER_END, 0.0, &unheard);
}

brink_domain_stats brink_domain_statistics(const brink_domain *d) {
  size_t kept = d->rounds < BRINK_DOMAIN_SPANS ? (size_t)d->rounds : BRINK_DOMAIN_SPANS;
  return (brink_domain_stats){.rounds = d->rounds,
                              .refused = d->refused,
                              .turns = d->all_turns,
                              .halo_turns = d->all_halo_turns,
                              .halo = d->pace.halo,
                              .ranks = d->ranks,
                              .computing = d->computing,
                              .waited = d->waited,
                              .spans = d->spans,
                              .nspans = kept};
}
