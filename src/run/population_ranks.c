/* population_ranks.c: a run of agents that several ranks make together (agents/domain.h). See population_run.h.
 *
 * Rank 0 has the run: all recordings, and an engine that is told what the ranks have done. Every rank, rank 0 too, has
 * another engine that takes turns, with instances of its own, whose notes and warnings nobody reads: they are made once
 * more where turns are told. */
#include <math.h>

#include "run/population_run.h"
#include "run/ranks.h"

struct brink_population_ranks {
  const brink_ranks *ranks;
  double patience;
  brink_domain *domain;       /* NULL: not yet, or not any more */
  bool divided;               /* the ranks have begun */
  bool whole;                 /* the run's own engine has all agents as they are */
  bool over;                  /* it goes on by itself, or the ranks have failed */
  brink_instance **instances; /* of populations, then of blocks */
  brink_population_def *populations;
  brink_pair_def *pairs;
};

/* ---- creation ---- */

/* With less, ranks wait for each other longer than they compute. */
enum { FEWEST_PER_RANK = 256 };

/* Why ranks cannot help; NULL: they can. */
static const char *refusal(const brink_run *run, size_t ranks) {
  const brink_population_run *self = run->population_run;
  if (self == NULL) return "it is one system: only agents with clocks of their own can be divided";
  if (self->few) return "it has no more than 1000 agents";
  if (self->tables->agents < FEWEST_PER_RANK * ranks)
    return "it has fewer than 256 agents for each rank";
  if (isinf(run->options.until)) return "its end is not known";
  if (run->options.conditions) return "conditions of events are worked out by one process";
  if (run->checkpoints.path != NULL) return "checkpoints are written by one process";
  if (run->options.range_warns) return "values outside their ranges are warnings";
  if (run->observer.event != NULL) return "somebody observes each event";
  for (size_t k = 0; k < self->tables->npopulations; k++) {
    if (self->tables->populations[k].one->nexternals > 0) return "it calls external functions";
  }
  brink_agents_def def = {.populations = self->populations,
                          .npopulations = self->tables->npopulations,
                          .pairs = self->pairs,
                          .npairs = self->tables->npairs};
  return brink_domain_refuses(&def, ranks);
}

brink_status brink_run_use_ranks(brink_run *run, const brink_ranks *ranks, double patience,
                                 const char **reason, brink_diag *diag) {
  *reason = refusal(run, ranks->count);
  if (*reason != NULL) return BRINK_OK;
  brink_population_ranks *made = brink_arena_take(&run->arena, 1, sizeof *made);
  if (made == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  *made = (brink_population_ranks){.ranks = ranks, .patience = patience, .whole = true};
  run->population_run->ranks = made;
  return BRINK_OK;
}

static brink_status clone_instance(brink_population_run *self, size_t which,
                                   const brink_instance_set *actor) {
  return brink_instance_clone(actor->instance, NULL, &self->run->diag,
                              &self->ranks->instances[which]);
}

/* Instances of this rank's own engine, and its definition. */
static brink_status make_instances(brink_population_run *self) {
  brink_population_ranks *r = self->ranks;
  brink_arena *arena = &self->run->arena;
  size_t npopulations = self->tables->npopulations, npairs = self->tables->npairs;
  r->instances = brink_arena_take(arena, npopulations + npairs, sizeof(brink_instance *));
  r->populations = brink_arena_take(arena, npopulations, sizeof *r->populations);
  r->pairs = brink_arena_take(arena, npairs, sizeof *r->pairs);
  if (arena->failed) return brink_diag_set(&self->run->diag, BRINK_ERR_MEMORY, "out of memory");
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < npopulations && status == BRINK_OK; k++) {
    status = clone_instance(self, k, &self->one[k]);
    r->populations[k] = self->populations[k];
    r->populations[k].others = NULL;
    if (status == BRINK_OK) r->populations[k].model = brink_instance_model(r->instances[k]);
  }
  for (size_t k = 0; k < npairs && status == BRINK_OK; k++) {
    brink_instance **instance = &r->instances[npopulations + k];
    status = clone_instance(self, npopulations + k, &self->pair[k]);
    r->pairs[k] = self->pairs[k];
    r->pairs[k].others = NULL;
    if (status == BRINK_OK) r->pairs[k].model = brink_instance_model(*instance);
  }
  return status;
}

/* After each turn that was told. */
static void on_told(void *user) {
  brink_population_events_settle(user, true);
}

/* All agents have begun. */
static brink_status divide(brink_population_run *self) {
  brink_population_ranks *r = self->ranks;
  brink_run *run = self->run;
  brink_status status = make_instances(self);
  if (status != BRINK_OK) return status;
  brink_agents_def agents = {.populations = r->populations,
                             .npopulations = self->tables->npopulations,
                             .pairs = r->pairs,
                             .npairs = self->tables->npairs,
                             .options = run->options.sim};
  brink_domain_def def = {.whole = self->agents,
                          .agents = &agents,
                          .ranks = r->ranks,
                          .patience = r->patience,
                          .told = on_told,
                          .user = self};
  r->divided = true;
  return brink_domain_create(&def, NULL, &run->diag, &r->domain);
}

void brink_population_ranks_destroy(brink_population_run *self) {
  brink_population_ranks *r = self->ranks;
  if (r == NULL) return;
  brink_domain_destroy(r->domain);
  for (size_t k = 0; r->instances != NULL && k < self->tables->npopulations + self->tables->npairs;
       k++)
    brink_instance_destroy(r->instances[k]);
}

/* ---- rank 0 ---- */

bool brink_population_ranks_lead(const brink_population_run *self) {
  return self->ranks != NULL && !self->ranks->over;
}

bool brink_population_ranks_whole(const brink_population_run *self) {
  return self->ranks == NULL || self->ranks->whole;
}

brink_status brink_population_ranks_move(brink_run *run, double pause, bool last) {
  brink_population_run *self = run->population_run;
  brink_population_ranks *r = self->ranks;
  brink_status status = BRINK_OK;
  if (!r->divided) status = divide(self);
  r->whole = false;
  if (status == BRINK_OK) status = brink_domain_round(r->domain, pause, &run->diag);
  r->whole = status == BRINK_STOPPED || status == BRINK_TIME_REACHED;
  r->over = status != BRINK_OK && !(status == BRINK_TIME_REACHED && !last);
  if (status == BRINK_TIME_REACHED && last) brink_domain_end(r->domain, NULL);
  return status == BRINK_STOPPED ? BRINK_OK : status;
}

void brink_population_ranks_end(brink_population_run *self) {
  brink_population_ranks *r = self->ranks;
  brink_diag unheard;
  if (r == NULL || r->domain == NULL || r->over) return;
  r->over = true;
  if (!r->whole) r->whole = brink_domain_gather(r->domain, &unheard) == BRINK_OK;
  brink_domain_end(r->domain, NULL);
}

bool brink_run_ranks_failed(const brink_run *run) {
  const brink_population_run *self = run->population_run;
  return self != NULL && !brink_population_ranks_whole(self);
}

bool brink_run_rank_statistics(const brink_run *run, brink_domain_stats *stats) {
  const brink_population_run *self = run->population_run;
  if (self == NULL || self->ranks == NULL || self->ranks->domain == NULL) return false;
  *stats = brink_domain_statistics(self->ranks->domain);
  return true;
}

/* ---- other ranks ---- */

brink_status brink_run_follow(brink_run *run, double limit, brink_diag *diag) {
  brink_population_run *self = run->population_run;
  run->until = limit;
  brink_status status = brink_run_begin(run);
  if (status == BRINK_OK) status = brink_population_run_first(run, limit);
  if (status == BRINK_OK) status = divide(self);
  if (status == BRINK_OK) status = brink_domain_follow(self->ranks->domain, &run->diag);
  if (status != BRINK_OK && diag != NULL) *diag = run->diag;
  return status;
}
