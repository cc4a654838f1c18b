/* templates.c: which slots and flags of the templates of agents are which in the system of all, and whether the agents
 * of a model can have clocks of their own. See templates.h. */
#include "run/templates.h"

#include <string.h>

typedef struct maker {
  brink_agent_tables *tables;
  brink_system *all;
  const brink_templates *templates;
  const char *reason;
} maker;

static bool is_failed(const maker *m) {
  return m->reason != NULL || m->tables->arena.failed || m->all->arena.failed;
}

/* ---- values ---- */

static double read_slot(const brink_system *system, brink_space space, size_t slot) {
  return space == BRINK_SPACE_X   ? system->x0[slot]
         : space == BRINK_SPACE_P ? system->p0[slot]
                                  : (double)system->mode0[slot];
}

static size_t count_of(const brink_system *system, const brink_variable *v) {
  return system->groups[v->group].count * v->length;
}

/* ---- the slots of a population ---- */

/* Is the declared range the same in all instances? */
static bool has_one_range(const maker *m, const brink_variable *v) {
  if (!v->has_range || v->bounds == NULL) return true;
  for (size_t i = 0; i < m->all->groups[v->group].count; i++) {
    if (v->bounds[2 * i] != v->lo || v->bounds[2 * i + 1] != v->hi) return false;
  }
  return true;
}

/* Marks the slots that are not the same in all agents. False: there are some. */
static bool compare_agents(const maker *m, const brink_population_table *population,
                           const brink_slot_range *range) {
  bool *differs = range->space == BRINK_SPACE_P      ? population->differs_p
                  : range->space == BRINK_SPACE_MODE ? population->differs_mode
                                                     : NULL;
  bool same = true;
  for (size_t e = 0; differs != NULL && e < population->count * range->n; e++) {
    size_t k = e % range->n;
    if (read_slot(m->all, range->space, range->all + e) ==
        read_slot(m->all, range->space, range->all + k))
      continue;
    differs[range->own + k] = true;
    same = false;
  }
  return same;
}

static void add_range(maker *m, brink_population_table *population, const brink_projection *one,
                      uint32_t variable) {
  const brink_variable *own = &one->system->variables[variable];
  const brink_variable *all = &m->all->variables[one->variable[variable]];
  brink_slot_range range = {.space = own->space,
                            .variable = variable,
                            .own = own->base,
                            .all = all->base,
                            .n = count_of(one->system, own)};
  population->slots[population->nslots++] = range;
  bool same = compare_agents(m, population, &range);
  if (!has_one_range(m, all) || (own->settled && !same))
    m->reason = "agents differ in a parameter that sizes, ranges, samples or loops are made with";
}

static void list_draws(maker *m, brink_population_table *population,
                       const brink_population_template *from) {
  for (uint32_t g = from->group; g < from->groups_end; g++) {
    const brink_group *group = &m->all->groups[g];
    if (!group->actions_draw) continue;
    population->draws[population->ndraws++] = (brink_draw_range){
        .group = g,
        .draws = brink_projection_slot(&from->one, BRINK_SPACE_P, group->draws_slot),
        .stream = brink_projection_slot(&from->one, BRINK_SPACE_P, group->stream_slot),
        .n = group->count / from->count};
  }
}

void brink_agent_tables_start(const brink_agent_tables *tables,
                              const brink_population_table *population, size_t agent, double *x,
                              double *p, int *mode) {
  const brink_system *one = population->one, *all = tables->all;
  if (one->nx > 0) memcpy(x, one->x0, one->nx * sizeof *x);
  if (one->np > 0) memcpy(p, one->p0, one->np * sizeof *p);
  if (one->nmodes > 0) memcpy(mode, one->mode0, one->nmodes * sizeof *mode);
  for (size_t k = 0; k < population->nslots; k++) {
    const brink_slot_range *range = &population->slots[k];
    size_t from = range->all + agent * range->n;
    if (range->space == BRINK_SPACE_X) memcpy(x + range->own, all->x0 + from, range->n * sizeof *x);
    if (range->space == BRINK_SPACE_P) memcpy(p + range->own, all->p0 + from, range->n * sizeof *p);
    if (range->space == BRINK_SPACE_MODE)
      memcpy(mode + range->own, all->mode0 + from, range->n * sizeof *mode);
  }
  /* Random draws go on from where the values at the start have left them. */
  for (size_t k = 0; k < population->ndraws; k++) {
    const brink_draw_range *range = &population->draws[k];
    const brink_group *group = &all->groups[range->group];
    for (size_t e = 0; e < range->n; e++) {
      size_t instance = agent * range->n + e;
      p[range->draws + e] = (double)group->draws[instance];
      p[range->stream + e] = (double)(group->stream + instance);
    }
  }
}

/* ---- flags of all ---- */

/* A flag of a template as one of all: its names, without what it does. */
static brink_flag flag_of_all(const brink_flag *flag) {
  return (brink_flag){.kind = flag->kind,
                      .name = flag->name,
                      .text = flag->text,
                      .silent = flag->silent,
                      .where = flag->where,
                      .place = flag->place,
                      .per_instance = flag->per_instance,
                      .element = flag->element,
                      .count = flag->count,
                      .side = flag->side,
                      .direction = flag->direction,
                      .leave_positive = BRINK_NO_INDEX,
                      .leave_negative = BRINK_NO_INDEX,
                      .upper = flag->upper,
                      .late = flag->late,
                      .is_pair = flag->is_pair};
}

static uint32_t add_flag(maker *m, const brink_flag *flag) {
  brink_system *all = m->all;
  brink_flag *made = brink_arena_push(&all->arena, all->flags, all->nflags, all->flags_capacity);
  if (made == NULL) return BRINK_NO_INDEX;
  *made = *flag;
  return (uint32_t)all->nflags - 1;
}

static void add_flags_of_one(maker *m, brink_population_table *population,
                             const brink_projection *one) {
  for (size_t f = 0; f < one->system->nflags; f++) {
    const brink_flag *flag = &one->system->flags[f];
    brink_flag made = flag_of_all(flag);
    made.group = one->group[flag->group];
    made.count *= population->count;
    if (flag->kind == BRINK_FLAG_RANGE) made.variable = one->variable[flag->variable];
    population->flag[f] = add_flag(m, &made);
  }
}

/* Pairs go by the system's name. */
static void add_flags_of_pair(maker *m, brink_pair_table *pair) {
  for (size_t f = 0; f < pair->two->nflags; f++) {
    const brink_flag *flag = &pair->two->flags[f];
    pair->flag[f] = BRINK_NO_INDEX;
    if (flag->group != pair->group) continue;
    brink_flag made = flag_of_all(flag);
    for (int side = 0; side < 2; side++)
      made.partner_group[side] = m->tables->populations[pair->population[side]].group;
    pair->flag[f] = add_flag(m, &made);
  }
}

/* ---- guards of a pair ---- */

static bool reads_sign(const brink_kernel *kernel) {
  for (size_t r = 0; kernel != NULL && r < kernel->graph.nrefs; r++) {
    if (kernel->graph.refs[r].space == BRINK_SPACE_SIGN) return true;
  }
  return false;
}

/* Does a kernel read the sign of this flag? */
static bool reads_flag(const brink_kernel *kernel, const brink_flag *flag) {
  for (size_t r = 0; r < kernel->graph.nrefs; r++) {
    const brink_ref *ref = &kernel->graph.refs[r];
    if (ref->space != BRINK_SPACE_SIGN) continue;
    for (size_t i = 0; i < flag->count; i++) {
      for (size_t k = 0; k < kernel->count; k++)
        if (brink_ref_slot(ref, k) == flag->guard[i]) return true;
    }
  }
  return false;
}

/* Does a kernel read signs of other flags than those of the block? */
static bool reads_foreign(const brink_pair_table *pair, const brink_kernel *kernel) {
  const brink_system *two = pair->two;
  for (size_t f = 0; kernel != NULL && f < two->nflags; f++) {
    const brink_flag *flag = &two->flags[f];
    if (flag->group == pair->group) continue;
    if (kernel->reads_v && flag->kind == BRINK_FLAG_GENERATED) return true;
    if (reads_flag(kernel, flag)) return true;
  }
  return false;
}

static bool action_reads_foreign(const brink_pair_table *pair, const brink_action *action) {
  for (size_t k = 0; action != NULL && k < action->nkernels; k++) {
    if (reads_foreign(pair, action->kernels[k])) return true;
  }
  return false;
}

static const char *why_not(const brink_pair_table *pair, const brink_flag *flag) {
  /* Only floors and tables make flags that act, upon a number that each pair would have to keep. */
  if (flag->kind == BRINK_FLAG_GENERATED && (flag->negative != NULL || flag->positive != NULL))
    return "a pair holds the whole number of a floor, or the piece of a table";
  if (flag->enabled != NULL) return "a flag of a pair is watched at times only";
  if (flag->on_surface != NULL || flag->surface == BRINK_SURFACE_MODEL)
    return "a pair has an on-event";
  if (reads_foreign(pair, flag->value) || action_reads_foreign(pair, flag->negative) ||
      action_reads_foreign(pair, flag->positive))
    return "a pair reads flags of its partners";
  return NULL;
}

static void list_guards(maker *m, brink_pair_table *pair) {
  const brink_system *two = pair->two;
  for (int round = 0; round < 3; round++) { /* numbers, what depends on signs, formulas */
    for (size_t f = 0; f < two->nflags; f++) {
      const brink_flag *flag = &two->flags[f];
      int turn = flag->value == NULL ? 2 : reads_sign(flag->value) ? 1 : 0;
      if (flag->group != pair->group || turn != round) continue;
      if (m->reason == NULL) m->reason = why_not(pair, flag);
      for (size_t i = 0; i < flag->count; i++) pair->guards[pair->nguards++] = flag->guard[i];
    }
  }
}

/* ---- the slots of a pair ---- */

/* The variable of the pair's template that a variable of the system of all is. */
static const brink_variable *find_variable(const brink_projection *two, uint32_t number) {
  for (size_t v = 0; v < two->system->nvariables; v++) {
    if (two->variable[v] == number) return &two->system->variables[v];
  }
  return NULL;
}

/* Where the slots of one agent are among those of two. What belongs to the system is there once. */
static void map_side(brink_pair_table *pair, int side, const brink_projection *one,
                     const brink_projection *two) {
  bool second = side == 1 && pair->population[0] == pair->population[1];
  for (size_t k = 0; k < one->system->nvariables; k++) {
    const brink_variable *own = &one->system->variables[k];
    uint32_t *map = own->space == BRINK_SPACE_X      ? pair->x[side]
                    : own->space == BRINK_SPACE_P    ? pair->p[side]
                    : own->space == BRINK_SPACE_MODE ? pair->mode[side]
                                                     : NULL;
    const brink_variable *there = map != NULL ? find_variable(two, one->variable[k]) : NULL;
    size_t n = count_of(one->system, own);
    size_t skip = second && one->system->groups[own->group].nsegments > 0 ? n : 0;
    for (size_t e = 0; there != NULL && e < n; e++)
      map[own->base + e] = (uint32_t)(there->base + skip + e);
  }
}

/* Both have what the first agent of their population has; and what differs between agents. */
static void take_partner(const maker *m, brink_pair_table *pair, int side) {
  const brink_population_table *population = &m->tables->populations[pair->population[side]];
  const brink_system *one = population->one;
  for (size_t k = 0; k < one->nx; k++) pair->two->x0[pair->x[side][k]] = one->x0[k];
  for (size_t k = 0; k < one->np; k++) {
    pair->two->p0[pair->p[side][k]] = one->p0[k];
    pair->differs_p[pair->p[side][k]] = population->differs_p[k];
  }
  for (size_t k = 0; k < one->nmodes; k++) {
    pair->two->mode0[pair->mode[side][k]] = one->mode0[k];
    pair->differs_mode[pair->mode[side][k]] = population->differs_mode[k];
  }
}

/* ---- making ---- */

static void make_population(maker *m, size_t number) {
  const brink_population_template *from = &m->templates->populations[number];
  brink_population_table *population = &m->tables->populations[number];
  brink_arena *arena = &m->tables->arena;
  brink_system *one = from->one.system;
  *population = (brink_population_table){
      .name = from->name, .group = from->group, .count = from->count, .one = one};
  m->tables->agents += from->count;
  population->slots = brink_arena_pack(arena, one->nvariables, sizeof *population->slots);
  population->draws =
      brink_arena_pack(arena, from->groups_end - from->group, sizeof *population->draws);
  population->flag = brink_arena_pack(arena, one->nflags, sizeof *population->flag);
  population->differs_p = brink_arena_pack(arena, one->np, sizeof(bool));
  population->differs_mode = brink_arena_pack(arena, one->nmodes, sizeof(bool));
  if (is_failed(m)) return;
  for (uint32_t v = 0; v < one->nvariables && m->reason == NULL; v++) {
    const brink_variable *variable = &one->variables[v];
    bool common = one->groups[variable->group].nsegments == 0; /* of the system itself */
    if (!common && variable->kind != BRINK_VARIABLE_HIDDEN) add_range(m, population, &from->one, v);
  }
  list_draws(m, population, from);
  add_flags_of_one(m, population, &from->one);
}

static void take_room(brink_arena *arena, brink_pair_table *pair, int side,
                      const brink_system *one) {
  pair->x[side] = brink_arena_pack(arena, one->nx, sizeof(uint32_t));
  pair->p[side] = brink_arena_pack(arena, one->np, sizeof(uint32_t));
  pair->mode[side] = brink_arena_pack(arena, one->nmodes, sizeof(uint32_t));
}

static void make_pair(maker *m, size_t number) {
  const brink_pair_template *from = &m->templates->pairs[number];
  brink_pair_table *pair = &m->tables->pairs[number];
  brink_arena *arena = &m->tables->arena;
  brink_system *two = from->two.system;
  *pair = (brink_pair_table){.population = {from->population[0], from->population[1]},
                             .two = two,
                             .group = from->group,
                             .reach = from->reach};
  for (int side = 0; side < 2; side++)
    take_room(arena, pair, side, m->tables->populations[pair->population[side]].one);
  pair->flag = brink_arena_pack(arena, two->nflags, sizeof *pair->flag);
  pair->guards = brink_arena_pack(arena, two->nguards, sizeof *pair->guards);
  pair->differs_p = brink_arena_pack(arena, two->np, sizeof(bool));
  pair->differs_mode = brink_arena_pack(arena, two->nmodes, sizeof(bool));
  if (from->draws) m->reason = "pairs draw random numbers";
  if (is_failed(m)) return;
  for (int side = 0; side < 2; side++) {
    map_side(pair, side, &m->templates->populations[pair->population[side]].one, &from->two);
    take_partner(m, pair, side);
  }
  list_guards(m, pair);
  add_flags_of_pair(m, pair);
}

static void make(maker *m) {
  brink_agent_tables *tables = m->tables;
  const brink_templates *templates = m->templates;
  tables->populations =
      brink_arena_pack(&tables->arena, templates->npopulations, sizeof *tables->populations);
  tables->pairs = brink_arena_pack(&tables->arena, templates->npairs, sizeof *tables->pairs);
  m->reason = templates->reason;
  for (size_t k = 0; k < templates->npopulations && !is_failed(m); k++) make_population(m, k);
  for (size_t k = 0; k < templates->npairs && !is_failed(m); k++) make_pair(m, k);
  tables->npopulations = templates->npopulations;
  tables->npairs = templates->npairs;
}

brink_agent_tables *brink_agent_tables_make(brink_system *all, const char **reason) {
  brink_arena arena;
  brink_arena_init(&arena, &all->arena.allocator);
  *reason = NULL;
  brink_agent_tables *tables = brink_arena_take(&arena, 1, sizeof *tables);
  if (tables == NULL) return NULL;
  *tables = (brink_agent_tables){.arena = arena, .all = all};
  maker m = {.tables = tables, .all = all, .templates = all->templates};
  make(&m);
  if (!is_failed(&m)) return tables;
  *reason = m.reason;
  brink_agent_tables_destroy(tables);
  return NULL;
}

void brink_agent_tables_destroy(brink_agent_tables *tables) {
  if (tables == NULL) return;
  brink_arena arena = tables->arena;
  brink_arena_free(&arena);
}
