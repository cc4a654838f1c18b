/* crowd.c: the instances of a run of agents, and the engine. See crowd.h. */
#include "cli/crowd.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/progress.h"

/* ---- instances ---- */

static brink_status out_of_memory(cli_simulation *run) {
  return brink_diag_set(&run->diag, BRINK_ERR_MEMORY, "out of memory");
}

static brink_status make_actor(cli_crowd *crowd, cli_actor *actor, brink_system *system,
                               const bool *differs_p, const bool *differs_mode, bool moves) {
  cli_simulation *run = crowd->run;
  const cli_settings *settings = &run->settings;
  brink_instance_options wishes = {.interpret = settings->interpret,
                                   .rtol = settings->options.rtol,
                                   .atol = settings->options.atol,
                                   .seed = settings->seed,
                                   .range_warns = settings->range_warns,
                                   .takes_turns = true,
                                   .varies_p = differs_p,
                                   .varies_mode = differs_mode};
  if (moves && settings->options.method != BRINK_ADAMS) {
    wishes.wants_flow_jet = true;
    wishes.only_if_worth = settings->options.method == BRINK_AUTO;
    wishes.flow_order = settings->options.order;
  }
  actor->system = system;
  actor->others = brink_arena_take(&run->arena, crowd->threads, sizeof *actor->others);
  actor->models = brink_arena_take(&run->arena, crowd->threads, sizeof *actor->models);
  if (actor->others == NULL || actor->models == NULL) return out_of_memory(run);
  brink_status status = brink_instance_create(system, &wishes, NULL, &run->diag, &actor->instance);
  for (size_t k = 0; k < crowd->threads && status == BRINK_OK; k++) {
    status = brink_instance_clone(actor->instance, NULL, &run->diag, &actor->others[k]);
    if (status == BRINK_OK) actor->models[k] = brink_instance_model(actor->others[k]);
  }
  return status;
}

static void free_actors(const cli_crowd *crowd, const cli_actor *actors, size_t count) {
  for (size_t k = 0; actors != NULL && k < count; k++) {
    brink_instance_destroy(actors[k].instance);
    for (size_t j = 0; actors[k].models != NULL && j < crowd->threads; j++)
      brink_instance_destroy(actors[k].others[j]);
  }
}

static brink_status make_actors(cli_crowd *crowd) {
  const brink_agent_tables *tables = crowd->tables;
  brink_arena *arena = &crowd->run->arena;
  crowd->one = brink_arena_take(arena, tables->npopulations, sizeof *crowd->one);
  crowd->pair = brink_arena_take(arena, tables->npairs, sizeof *crowd->pair);
  if (crowd->one == NULL || crowd->pair == NULL) return out_of_memory(crowd->run);
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < tables->npopulations && status == BRINK_OK; k++) {
    const brink_population_table *p = &tables->populations[k];
    status = make_actor(crowd, &crowd->one[k], p->one, p->differs_p, p->differs_mode, true);
  }
  for (size_t k = 0; k < tables->npairs && status == BRINK_OK; k++) {
    const brink_pair_table *p = &tables->pairs[k];
    status = make_actor(crowd, &crowd->pair[k], p->two, p->differs_p, p->differs_mode, false);
  }
  return status;
}

/* ---- where they start ---- */

/* What an agent starts with that is not allowed ends the run before it begins. */
static void look_at_start(cli_crowd *crowd, size_t population, size_t agent) {
  cli_actor *actor = &crowd->one[population];
  brink_agent_event who = {.population = population, .agent = agent, .pair = BRINK_NONE};
  cli_crowd_warnings(crowd, &who);
  if (crowd->ended || brink_instance_ending(actor->instance, NULL) == BRINK_ENDING_NONE) return;
  crowd->ended = true;
  crowd->who = who;
}

static brink_status start_population(cli_crowd *crowd, size_t k) {
  const brink_population_table *population = &crowd->tables->populations[k];
  const brink_system *one = population->one;
  cli_simulation *run = crowd->run;
  size_t n = population->count;
  double *x = brink_arena_pack(&run->arena, n * one->nx, sizeof *x);
  double *p = brink_arena_pack(&run->arena, n * one->np, sizeof *p);
  int *mode = brink_arena_pack(&run->arena, n * one->nmodes, sizeof *mode);
  if (x == NULL || p == NULL || mode == NULL) return out_of_memory(run);
  for (size_t i = 0; i < n; i++) {
    double *own_x = x + i * one->nx, *own_p = p + i * one->np;
    int *own_mode = mode + i * one->nmodes;
    brink_agent_tables_start(crowd->tables, population, i, own_x, own_p, own_mode);
    brink_status status =
        brink_instance_begin(crowd->one[k].instance, own_x, own_p, own_mode, &run->diag);
    if (status != BRINK_OK) {
      crowd->who = (brink_agent_event){.population = k, .agent = i, .pair = BRINK_NONE};
      crowd->ended = true;
      return status;
    }
    look_at_start(crowd, k, i);
  }
  crowd->populations[k] =
      (brink_population_def){.name = population->name,
                             .model = brink_instance_model(crowd->one[k].instance),
                             .others = crowd->one[k].models,
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
static bool place_side(const cli_crowd *crowd, const brink_pair_table *pair, int side,
                       brink_pair_def *def) {
  const brink_system *one = crowd->tables->populations[pair->population[side]].one;
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

static void place_pair(const cli_crowd *crowd, const brink_pair_table *pair, brink_pair_def *def) {
  const brink_agent_reach *reach = pair->reach;
  bool known[2] = {place_side(crowd, pair, 0, def), place_side(crowd, pair, 1, def)};
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

static void define_pair(cli_crowd *crowd, size_t k) {
  const brink_pair_table *pair = &crowd->tables->pairs[k];
  brink_pair_def *def = &crowd->pairs[k];
  *def = (brink_pair_def){.name = "pair",
                          .population = {pair->population[0], pair->population[1]},
                          .model = brink_instance_model(crowd->pair[k].instance),
                          .others = crowd->pair[k].models,
                          .guards = pair->guards,
                          .nguards = pair->nguards};
  for (int side = 0; side < 2; side++) {
    def->x[side] = pair->x[side];
    def->p[side] = pair->p[side];
    def->mode[side] = pair->mode[side];
  }
  place_pair(crowd, pair, def);
}

/* ---- the object ---- */

static brink_status build(cli_crowd *crowd) {
  cli_simulation *run = crowd->run;
  const brink_agent_tables *tables = crowd->tables;
  crowd->populations =
      brink_arena_take(&run->arena, tables->npopulations, sizeof *crowd->populations);
  crowd->pairs = brink_arena_take(&run->arena, tables->npairs, sizeof *crowd->pairs);
  if (crowd->populations == NULL || crowd->pairs == NULL) return out_of_memory(run);
  brink_status status = make_actors(crowd);
  for (size_t k = 0; k < tables->npopulations && status == BRINK_OK; k++)
    status = start_population(crowd, k);
  if (status != BRINK_OK) return status;
  for (size_t k = 0; k < tables->npairs; k++) define_pair(crowd, k);
  brink_agents_def def = {.populations = crowd->populations,
                          .npopulations = tables->npopulations,
                          .pairs = crowd->pairs,
                          .npairs = tables->npairs,
                          .options = run->settings.options,
                          .threads = crowd->threads};
  return brink_agents_create(&def, NULL, &run->diag, &crowd->agents);
}

/* Few agents are not worth it (agents/proposals.c), nor is one core. */
static size_t threads_for(const cli_crowd *crowd) {
  size_t threads = (size_t)crowd->run->settings.threads;
  if (threads == 0) threads = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
  return threads < 2 || crowd->tables->agents < BRINK_AGENTS_FOR_THREADS ? 0 : threads;
}

brink_status cli_crowd_create(cli_simulation *run) {
  if (!isfinite(run->settings.until)) return BRINK_ERR_UNSUPPORTED;
  cli_crowd *crowd = brink_arena_take(&run->arena, 1, sizeof *crowd);
  if (crowd == NULL) return out_of_memory(run);
  crowd->run = run;
  crowd->tables = run->loaded.tables;
  crowd->few = crowd->tables->agents <= CLI_CROWD_FEW;
  crowd->who = (brink_agent_event){.pair = BRINK_NONE};
  crowd->counts.agents = crowd->tables->agents;
  crowd->threads = threads_for(crowd);
  run->crowd = crowd;
  return build(crowd);
}

void cli_crowd_destroy(cli_crowd *crowd) {
  if (crowd == NULL) return;
  brink_agents_destroy(crowd->agents);
  free_actors(crowd, crowd->one, crowd->tables->npopulations);
  free_actors(crowd, crowd->pair, crowd->tables->npairs);
}

/* ---- names ---- */

static bool has_ended(const cli_crowd *crowd, const brink_agent_event *who) {
  const cli_actor *actor = cli_crowd_actor(crowd, who);
  return brink_instance_ending(actor->instance, NULL) != BRINK_ENDING_NONE;
}

/* After a pair has met, its partners act by themselves again. */
brink_agent_event cli_crowd_who(const cli_crowd *crowd) {
  if (crowd->ended || crowd->agents == NULL) return crowd->who;
  brink_agent_event who = brink_agents_acting(crowd->agents);
  bool other = crowd->speaker != NULL && !has_ended(crowd, &who);
  return other && has_ended(crowd, &crowd->last_action) ? crowd->last_action : who;
}

cli_actor *cli_crowd_actor(const cli_crowd *crowd, const brink_agent_event *who) {
  return who->pair != BRINK_NONE ? &crowd->pair[who->pair] : &crowd->one[who->population];
}

/* The agents that "a[1]" and "b[1]", or "a[1]" and "a[2]", stand for. */
typedef struct cast {
  const char *name[2];
  size_t index[2];  /* in the system of one or two, from 1 */
  size_t number[2]; /* among all, from 1 */
  size_t count;
} cast;

static cast cast_of(const cli_crowd *crowd, const brink_agent_event *who) {
  const brink_agent_tables *tables = crowd->tables;
  cast all = {.count = who->pair != BRINK_NONE ? 2 : 1};
  for (size_t side = 0; side < all.count; side++) {
    const brink_pair_table *pair = who->pair != BRINK_NONE ? &tables->pairs[who->pair] : NULL;
    size_t population = pair != NULL ? pair->population[side] : who->population;
    all.name[side] = tables->populations[population].name;
    all.index[side] = side == 1 && pair->population[0] == pair->population[1] ? 2 : 1;
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

const char *cli_crowd_rename(const cli_crowd *crowd, const brink_agent_event *who,
                             const char *text) {
  cast all = cast_of(crowd, who);
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
      renamed.data != NULL ? brink_arena_text(&crowd->run->arena, renamed.data) : NULL;
  brink_text_free(&renamed);
  return kept != NULL ? kept : text;
}

/* ---- warnings ---- */

static void keep_warning(cli_crowd *crowd, const char *text) {
  if (brink_arena_grow(&crowd->run->arena, (void **)&crowd->warnings, crowd->nwarnings,
                       &crowd->warnings_capacity, sizeof *crowd->warnings))
    crowd->warnings[crowd->nwarnings++] = text;
}

void cli_crowd_warnings(cli_crowd *crowd, const brink_agent_event *who) {
  cli_actor *actor = cli_crowd_actor(crowd, who);
  size_t count;
  const char *const *texts = brink_instance_warnings(actor->instance, &count);
  for (; actor->warnings < count; actor->warnings++)
    keep_warning(crowd, cli_crowd_rename(crowd, who, texts[actor->warnings]));
}

/* ---- the summary ---- */

static void sum_up_actor(const cli_actor *actor, brink_summary *summary) {
  if (actor->instance == NULL) return;
  const char *engine = brink_instance_engine(actor->instance);
  const char *reason = brink_instance_reason(actor->instance);
  bool first = strcmp(summary->engine, "none") == 0;
  if (first || strcmp(summary->engine, "cache") == 0) summary->engine = engine;
  if (first || reason[0] != '\0') summary->engine_reason = reason;
  summary->compile_seconds += brink_instance_compile_seconds(actor->instance);
}

void cli_crowd_summary(cli_crowd *crowd, brink_summary *summary) {
  for (size_t k = 0; crowd->one != NULL && k < crowd->tables->npopulations; k++)
    sum_up_actor(&crowd->one[k], summary);
  for (size_t k = 0; crowd->pair != NULL && k < crowd->tables->npairs; k++)
    sum_up_actor(&crowd->pair[k], summary);
  summary->warnings = crowd->warnings;
  summary->nwarnings = crowd->nwarnings;
  if (crowd->agents == NULL) return;
  const brink_agents_stats *stats = brink_agents_statistics(crowd->agents);
  summary->stats = stats->sum;
  summary->method = brink_method_name(stats->sum.method);
  crowd->counts.windows = stats->windows;
  crowd->counts.compared = stats->checks;
  crowd->counts.searched = stats->searches;
  crowd->counts.meetings = stats->pair_events;
  summary->agents = &crowd->counts;
}
