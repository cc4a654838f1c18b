/* population_run.c: the instances of a run of agents, and the engine. See population_run.h. */
#include "run/population_run.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- instances ---- */

static brink_status out_of_memory(brink_run *run) {
  return brink_diag_set(&run->diag, BRINK_ERR_MEMORY, "out of memory");
}

static brink_instance_options wishes_for(const brink_run *run, const bool *differs_p,
                                         const bool *differs_mode) {
  brink_instance_options wishes = brink_run_instance_options(run);
  wishes.takes_turns = true;
  wishes.varies_p = differs_p;
  wishes.varies_mode = differs_mode;
  return wishes;
}

/* `like` NULL: an instance is made of the system; else it is a clone, which shares the code. */
static brink_status make_actor(brink_population_run *self, size_t which, brink_instance_set *actor,
                               const brink_instance_set *like, brink_system *system,
                               const brink_instance_options *wishes) {
  brink_run *run = self->run;
  actor->system = system;
  actor->others = brink_arena_take(&run->arena, self->threads, sizeof *actor->others);
  actor->models = brink_arena_take(&run->arena, self->threads, sizeof *actor->models);
  if (actor->others == NULL || actor->models == NULL) return out_of_memory(run);
  brink_status status =
      like != NULL ? brink_instance_clone(like->instance, NULL, &run->diag, &actor->instance)
                   : brink_built_instance(run->built, which, system, wishes, run->options.writable,
                                          &run->diag, &actor->instance);
  for (size_t k = 0; k < self->threads && status == BRINK_OK; k++) {
    status = brink_instance_clone(actor->instance, NULL, &run->diag, &actor->others[k]);
    if (status == BRINK_OK) actor->models[k] = brink_instance_model(actor->others[k]);
  }
  return status;
}

static void free_actors(const brink_population_run *self, const brink_instance_set *actors,
                        size_t count) {
  for (size_t k = 0; actors != NULL && k < count; k++) {
    brink_instance_destroy(actors[k].instance);
    for (size_t j = 0; actors[k].models != NULL && j < self->threads; j++)
      brink_instance_destroy(actors[k].others[j]);
  }
}

static brink_status make_actors(brink_population_run *self, const brink_population_run *like) {
  const brink_agent_tables *tables = self->tables;
  brink_arena *arena = &self->run->arena;
  self->one = brink_arena_take(arena, tables->npopulations, sizeof *self->one);
  self->pair = brink_arena_take(arena, tables->npairs, sizeof *self->pair);
  if (self->one == NULL || self->pair == NULL) return out_of_memory(self->run);
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < tables->npopulations && status == BRINK_OK; k++) {
    const brink_population_table *p = &tables->populations[k];
    brink_instance_options wishes = wishes_for(self->run, p->differs_p, p->differs_mode);
    brink_run_want_series(self->run, &wishes);
    status =
        make_actor(self, k, &self->one[k], like != NULL ? &like->one[k] : NULL, p->one, &wishes);
  }
  for (size_t k = 0; k < tables->npairs && status == BRINK_OK; k++) {
    const brink_pair_table *p = &tables->pairs[k];
    brink_instance_options wishes = wishes_for(self->run, p->differs_p, p->differs_mode);
    status = make_actor(self, tables->npopulations + k, &self->pair[k],
                        like != NULL ? &like->pair[k] : NULL, p->two, &wishes);
  }
  return status;
}

/* ---- where they start ---- */

/* What an agent starts with that is not allowed ends the run before it begins. */
static void look_at_start(brink_population_run *self, size_t population, size_t agent) {
  brink_instance_set *actor = &self->one[population];
  brink_agent_event who = {.population = population, .agent = agent, .pair = BRINK_NONE};
  brink_population_run_warnings(self, &who);
  if (self->ended || brink_instance_ending(actor->instance, NULL) == BRINK_ENDING_NONE) return;
  self->ended = true;
  self->who = who;
}

/* Room for where the agents of a population start; made once. */
static bool room_to_start(brink_population_run *self, size_t k) {
  const brink_population_table *population = &self->tables->populations[k];
  const brink_system *one = population->one;
  brink_arena *arena = &self->run->arena;
  brink_start *start = &self->starts[k];
  if (start->x != NULL) return true;
  start->x = brink_arena_pack(arena, population->count * one->nx, sizeof(double));
  start->p = brink_arena_pack(arena, population->count * one->np, sizeof(double));
  start->mode = brink_arena_pack(arena, population->count * one->nmodes, sizeof(int));
  self->given[k] = (brink_agents_start){.x0 = start->x, .p0 = start->p, .mode0 = start->mode};
  return !arena->failed;
}

static brink_status start_population(brink_population_run *self, size_t k) {
  const brink_population_table *population = &self->tables->populations[k];
  const brink_system *one = population->one;
  brink_run *run = self->run;
  size_t n = population->count;
  if (!room_to_start(self, k)) return out_of_memory(run);
  double *x = self->starts[k].x, *p = self->starts[k].p;
  int *mode = self->starts[k].mode;
  for (size_t i = 0; i < n; i++) {
    double *own_x = x + i * one->nx, *own_p = p + i * one->np;
    int *own_mode = mode + i * one->nmodes;
    brink_agent_tables_start(self->tables, population, i, own_x, own_p, own_mode);
    brink_status status =
        brink_instance_begin(self->one[k].instance, own_x, own_p, own_mode, &run->diag);
    if (status != BRINK_OK) {
      self->who = (brink_agent_event){.population = k, .agent = i, .pair = BRINK_NONE};
      self->ended = true;
      return status;
    }
    look_at_start(self, k, i);
  }
  self->populations[k] =
      (brink_population_def){.name = population->name,
                             .model = brink_instance_model(self->one[k].instance),
                             .others = self->one[k].models,
                             .count = n,
                             .x0 = x,
                             .p0 = p,
                             .mode0 = mode};
  return BRINK_OK;
}

/* ---- pairs ---- */

/* Which slot of an agent is this slot of the pair? */
static uint32_t own_slot(const uint32_t *map, size_t count, uint32_t slot) {
  for (size_t k = 0; k < count; k++) {
    if (map[k] == slot) return (uint32_t)k;
  }
  return BRINK_NO_INDEX;
}

/* The position and size of one side, if they are plain. */
static bool place_side(const brink_population_run *self, const brink_pair_table *pair, int side,
                       brink_pair_def *def) {
  const brink_system *one = self->tables->populations[pair->population[side]].one;
  const brink_agent_reach *reach = &pair->reach[side];
  for (int d = 0; d < reach->ndimensions; d++) {
    def->position[side][d] = own_slot(pair->x[side], one->nx, reach->x[d]);
    if (def->position[side][d] == BRINK_NO_INDEX) return false;
  }
  def->size[side] = UINT32_MAX;
  def->size_value[side] = reach->value;
  if (reach->size == BRINK_NO_INDEX) return reach->ndimensions > 0;
  def->size[side] = own_slot(pair->p[side], one->np, reach->size);
  return reach->ndimensions > 0 && def->size[side] != BRINK_NO_INDEX;
}

static void place_pair(const brink_population_run *self, const brink_pair_table *pair,
                       brink_pair_def *def) {
  const brink_agent_reach *reach = pair->reach;
  bool known[2] = {place_side(self, pair, 0, def), place_side(self, pair, 1, def)};
  bool one = pair->population[0] == pair->population[1];
  for (int side = 0; side < 2; side++) { /* of one population, it counts for both */
    int other = 1 - side;
    if (!one || known[side] || !known[other] || reach[side].ndimensions > 0) continue;
    memcpy(def->position[side], def->position[other], sizeof def->position[side]);
    def->size[side] = def->size[other];
    def->size_value[side] = def->size_value[other];
    known[side] = true;
  }
  bool same = one || reach[0].ndimensions == reach[1].ndimensions;
  if (known[0] && known[1] && same)
    def->ndimensions = reach[reach[0].ndimensions > 0 ? 0 : 1].ndimensions;
}

static void define_pair(brink_population_run *self, size_t k) {
  const brink_pair_table *pair = &self->tables->pairs[k];
  brink_pair_def *def = &self->pairs[k];
  *def = (brink_pair_def){.name = "pair",
                          .population = {pair->population[0], pair->population[1]},
                          .model = brink_instance_model(self->pair[k].instance),
                          .others = self->pair[k].models,
                          .guards = pair->guards,
                          .nguards = pair->nguards};
  for (int side = 0; side < 2; side++) {
    def->x[side] = pair->x[side];
    def->p[side] = pair->p[side];
    def->mode[side] = pair->mode[side];
  }
  place_pair(self, pair, def);
}

/* ---- the object ---- */

/* Instances of all that there is, and where agents start. */
static brink_status make_instances(brink_population_run *self, const brink_population_run *like) {
  brink_run *run = self->run;
  const brink_agent_tables *tables = self->tables;
  self->populations =
      brink_arena_take(&run->arena, tables->npopulations, sizeof *self->populations);
  self->pairs = brink_arena_take(&run->arena, tables->npairs, sizeof *self->pairs);
  self->starts = brink_arena_take(&run->arena, tables->npopulations, sizeof *self->starts);
  self->given = brink_arena_take(&run->arena, tables->npopulations, sizeof *self->given);
  if (run->arena.failed) return out_of_memory(run);
  brink_status status = make_actors(self, like);
  for (size_t k = 0; k < tables->npopulations && status == BRINK_OK; k++)
    status = start_population(self, k);
  for (size_t k = 0; k < tables->npairs && status == BRINK_OK; k++) define_pair(self, k);
  return status;
}

static brink_agents_def define(const brink_population_run *self) {
  return (brink_agents_def){.populations = self->populations,
                            .npopulations = self->tables->npopulations,
                            .pairs = self->pairs,
                            .npairs = self->tables->npairs,
                            .options = self->run->options.sim,
                            .threads = self->threads};
}

/* Few agents are not worth it (agents/speculation.c), nor is one core. */
static size_t threads_for(const brink_population_run *self) {
  size_t threads = (size_t)self->run->options.threads;
  if (threads == 0) threads = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
  return threads < 2 || self->tables->agents < BRINK_AGENTS_FOR_THREADS ? 0 : threads;
}

/* Everything but the engine. `like`: agents of the same system; NULL: there are none yet. */
static brink_status prepare(brink_run *run, const brink_population_run *like) {
  brink_population_run *self = brink_arena_take(&run->arena, 1, sizeof *self);
  if (self == NULL) return out_of_memory(run);
  self->run = run;
  self->tables = run->built->tables;
  self->few = self->tables->agents <= BRINK_FEW_AGENTS;
  self->who = (brink_agent_event){.pair = BRINK_NONE};
  self->counts.agents = self->tables->agents;
  self->threads = threads_for(self);
  self->end = self->now = self->last = self->tables->all->t0;
  run->population_run = self;
  return make_instances(self, like);
}

static brink_status create(brink_run *run, const brink_population_run *like) {
  brink_status status = prepare(run, like);
  if (status != BRINK_OK) return status;
  brink_agents_def def = define(run->population_run);
  return brink_agents_create(&def, NULL, &run->diag, &run->population_run->agents);
}

brink_status brink_population_run_create(brink_run *run) {
  return create(run, NULL);
}

/* ---- again, and twice ---- */

/* What the run itself remembers of its agents is as at the start. */
static void forget(brink_population_run *self) {
  self->end = self->now = self->tables->all->t0;
  self->begun = self->over = self->happened = self->any = self->ended = false;
  self->noting = NULL;
  self->notes_seen = self->nwarnings = 0;
  self->rows = self->frames = (brink_grid){0};
  self->last = self->tables->all->t0;
  self->logged = self->written = false;
  self->who = (brink_agent_event){.pair = BRINK_NONE};
  for (size_t k = 0; k < self->tables->npopulations; k++) {
    brink_instance_reset(self->one[k].instance);
    self->one[k].warnings = 0;
  }
  for (size_t k = 0; k < self->tables->npairs; k++) {
    brink_instance_reset(self->pair[k].instance);
    self->pair[k].warnings = 0;
  }
}

brink_status brink_population_run_reset(brink_run *run) {
  brink_population_run *self = run->population_run;
  forget(self);
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < self->tables->npopulations && status == BRINK_OK; k++)
    status = start_population(self, k);
  if (status == BRINK_OK) brink_agents_reset(self->agents, self->given);
  return status;
}

brink_status brink_population_run_again(const brink_run *from, brink_run *to, brink_diag *diag) {
  brink_status status = create(to, from->population_run);
  if (diag != NULL) *diag = to->diag;
  return status;
}

/* What the callbacks remember of the run so far. */
static brink_status copy_instances(const brink_population_run *from, brink_population_run *to,
                                   brink_diag *diag) {
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < to->tables->npopulations && status == BRINK_OK; k++)
    status = brink_instance_copy_run(to->one[k].instance, from->one[k].instance, diag);
  for (size_t k = 0; k < to->tables->npairs && status == BRINK_OK; k++)
    status = brink_instance_copy_run(to->pair[k].instance, from->pair[k].instance, diag);
  return status;
}

brink_status brink_population_run_clone(const brink_run *from, brink_run *to, brink_diag *diag) {
  const brink_population_run *other = from->population_run;
  brink_status status = prepare(to, other);
  brink_population_run *self = to->population_run;
  if (status == BRINK_OK) {
    brink_agents_def def = define(self);
    status = brink_agents_clone(other->agents, &def, NULL, &to->diag, &self->agents);
  }
  if (status == BRINK_OK) status = copy_instances(other, self, &to->diag);
  if (status == BRINK_OK) {
    self->begun = other->begun;
    self->end = other->end;
    self->now = other->now;
  }
  if (diag != NULL) *diag = to->diag;
  return status;
}

void brink_population_run_destroy(brink_population_run *self) {
  if (self == NULL) return;
  brink_population_ranks_destroy(self);
  brink_agents_destroy(self->agents);
  free_actors(self, self->one, self->tables->npopulations);
  free_actors(self, self->pair, self->tables->npairs);
}

/* ---- names ---- */

static bool has_ended(const brink_population_run *self, const brink_agent_event *who) {
  const brink_instance_set *actor = brink_population_run_actor(self, who);
  return brink_instance_ending(actor->instance, NULL) != BRINK_ENDING_NONE;
}

/* After a pair has met, its partners act by themselves again. */
brink_agent_event brink_population_run_who(const brink_population_run *self) {
  if (self->ended || self->agents == NULL) return self->who;
  brink_agent_event who = brink_agents_acting(self->agents);
  bool other = self->noting != NULL && !has_ended(self, &who);
  return other && has_ended(self, &self->last_action) ? self->last_action : who;
}

brink_instance_set *brink_population_run_actor(const brink_population_run *self,
                                               const brink_agent_event *who) {
  return who->pair != BRINK_NONE ? &self->pair[who->pair] : &self->one[who->population];
}

/* The agents that "a[1]" and "b[1]", or "a[1]" and "a[2]", stand for. */
typedef struct cast {
  const char *name[2];
  size_t index[2];  /* in the system of one or two, from 1 */
  size_t number[2]; /* among all, from 1 */
  size_t count;
} cast;

static cast cast_of(const brink_population_run *self, const brink_agent_event *who) {
  const brink_agent_tables *tables = self->tables;
  cast all = {.count = who->pair != BRINK_NONE ? 2 : 1};
  for (size_t side = 0; side < all.count; side++) {
    const brink_pair_table *pair = who->pair != BRINK_NONE ? &tables->pairs[who->pair] : NULL;
    size_t population = pair != NULL ? pair->population[side] : who->population;
    all.name[side] = tables->populations[population].name;
    all.index[side] =
        side == 1 && pair != NULL && pair->population[0] == pair->population[1] ? 2 : 1;
    all.number[side] = (pair != NULL ? who->partner[side] : who->agent) + 1;
  }
  return all;
}

/* Does a name of the cast begin here? How long it is, and its number. */
static size_t match(const cast *all, const char *text, size_t *side) {
  for (*side = 0; *side < all->count; ++*side) {
    char name[300];
    int length = snprintf(name, sizeof name, "%s[%zu]", all->name[*side], all->index[*side]);
    if (length > 0 && strncmp(text, name, (size_t)length) == 0) return (size_t)length;
  }
  return 0;
}

const char *brink_population_run_rename(const brink_population_run *self,
                                        const brink_agent_event *who, const char *text) {
  cast all = cast_of(self, who);
  brink_text renamed = {0};
  bool inside = false; /* of a name */
  for (const char *c = text; *c != '\0';) {
    size_t side, length = inside ? 0 : match(&all, c, &side);
    if (length > 0)
      brink_text_add(&renamed, "%s[%zu]", all.name[side], all.number[side]);
    else
      brink_text_append(&renamed, c, 1);
    c += length > 0 ? length : 1;
    inside = isalnum((unsigned char)c[-1]) || c[-1] == '_' || c[-1] == '.';
  }
  const char *kept =
      renamed.data != NULL ? brink_arena_text(&self->run->arena, renamed.data) : NULL;
  brink_text_free(&renamed);
  return kept != NULL ? kept : text;
}

/* ---- warnings ---- */

static void keep_warning(brink_population_run *self, const char *text) {
  const char **warning =
      brink_arena_push(&self->run->arena, self->warnings, self->nwarnings, self->warnings_capacity);
  if (warning != NULL) *warning = text;
}

void brink_population_run_warnings(brink_population_run *self, const brink_agent_event *who) {
  brink_instance_set *actor = brink_population_run_actor(self, who);
  size_t count;
  const char *const *texts = brink_instance_warnings(actor->instance, &count);
  for (; actor->warnings < count; actor->warnings++)
    keep_warning(self, brink_population_run_rename(self, who, texts[actor->warnings]));
}

/* ---- the summary ---- */

/* Of those of all threads the one that has come furthest: native code, if any of them has it. */
static const brink_instance *foremost(const brink_population_run *self,
                                      const brink_instance_set *actor) {
  for (size_t k = 0; actor->models != NULL && k < self->threads; k++)
    if (actor->models[k] != NULL && isfinite(brink_instance_native_from(actor->others[k])))
      return actor->others[k];
  return actor->instance;
}

static void sum_up_actor(const brink_population_run *self, const brink_instance_set *actor,
                         brink_summary *summary) {
  if (actor->instance == NULL) return;
  const brink_instance *instance = foremost(self, actor);
  const char *engine = brink_instance_engine(instance);
  const char *reason = brink_instance_reason(instance);
  double from = brink_instance_native_from(instance);
  if (isfinite(from) && !(summary->changed_over && summary->native_from <= from)) {
    summary->changed_over = true;
    summary->native_from = from;
  }
  bool first = strcmp(summary->engine, "none") == 0;
  if (first || strcmp(summary->engine, "cache") == 0) summary->engine = engine;
  if (first || reason[0] != '\0') summary->engine_reason = reason;
  summary->compile_seconds += brink_instance_compile_seconds(instance);
}

void brink_population_run_summary(brink_population_run *self, brink_summary *summary) {
  for (size_t k = 0; self->one != NULL && k < self->tables->npopulations; k++)
    sum_up_actor(self, &self->one[k], summary);
  for (size_t k = 0; self->pair != NULL && k < self->tables->npairs; k++)
    sum_up_actor(self, &self->pair[k], summary);
  summary->warnings = self->warnings;
  summary->nwarnings = self->nwarnings;
  if (self->agents == NULL) return;
  const brink_agents_stats *stats = brink_agents_statistics(self->agents);
  summary->stats = stats->sum;
  summary->method = brink_method_name(stats->sum.method);
  self->counts.windows = stats->windows;
  self->counts.compared = stats->checks;
  self->counts.searched = stats->searches;
  self->counts.pair_events = stats->pair_events;
  summary->agents = &self->counts;
}
