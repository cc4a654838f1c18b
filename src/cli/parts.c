/* parts.c: a model whose agents have clocks of their own, as the systems that it is made of. See parts.h. */
#include "cli/parts.h"

#include <string.h>

/* ---- may they? ---- */

static bool is_population(const brink_component *top, const brink_symbol *symbol) {
  for (size_t k = 0; k < top->npopulations; k++) {
    if (top->populations[k].symbol == symbol) return true;
  }
  return false;
}

bool cli_parts_may(const brink_component *top) {
  const brink_ast_section *connections = &top->section[BRINK_SECTION_CONNECTIONS];
  if (top->npopulations == 0 || (connections->present && connections->body.count > 0)) return false;
  for (const brink_symbol *s = top->symbols; s != NULL; s = s->next) {
    if (s->kind == BRINK_SYMBOL_INSTANCE && !is_population(top, s)) return false;
  }
  return true;
}

/* ---- counting ---- */

static uint32_t group_of(const brink_system *all, const char *name) {
  for (size_t g = 0; g < all->ngroups; g++) {
    const brink_group *group = &all->groups[g];
    if (group->nsegments == 1 && strcmp(group->segment[0], name) == 0) return (uint32_t)g;
  }
  return BRINK_NO_INDEX;
}

double cli_parts_count_pairs(const brink_component *top, const brink_system *all) {
  double pairs = 0.0;
  for (const brink_ast_pair *pair = top->pairs; pair != NULL; pair = pair->next) {
    const brink_symbol *a = pair->partner[0]->population, *b = pair->partner[1]->population;
    uint32_t first = group_of(all, a->name), second = group_of(all, b->name);
    if (first == BRINK_NO_INDEX || second == BRINK_NO_INDEX) continue;
    double n = (double)all->groups[first].count, m = (double)all->groups[second].count;
    pairs += a == b ? 0.5 * n * (n - 1.0) : n * m;
  }
  return pairs;
}

/* ---- flags of all ---- */

/* A flag of an agent (or of a pair: population NULL) as one of all of them. */
static brink_flag flag_of_all(const cli_parts *parts, const cli_population *population,
                              const brink_system *system, const brink_flag *flag) {
  const brink_system *all = parts->all;
  brink_flag made = {.kind = flag->kind,
                     .name = flag->name,
                     .where = flag->where,
                     .place = flag->place,
                     .per_instance = flag->per_instance,
                     .count = flag->count,
                     .side = flag->side,
                     .direction = flag->direction,
                     .leave_positive = BRINK_NO_INDEX,
                     .leave_negative = BRINK_NO_INDEX,
                     .upper = flag->upper,
                     .is_pair = flag->is_pair};
  if (population == NULL) return made; /* pairs go by the system's name */
  made.count *= population->count;
  const brink_group *own = &system->groups[flag->group];
  for (size_t g = 0; g < all->ngroups; g++) {
    const brink_group *group = &all->groups[g];
    bool same = group->nsegments == own->nsegments;
    for (size_t k = 0; same && k < own->nsegments; k++)
      same = strcmp(group->segment[k], own->segment[k]) == 0;
    if (same) made.group = (uint32_t)g;
  }
  if (flag->kind != BRINK_FLAG_RANGE) return made;
  const brink_variable *ranged = &system->variables[flag->variable];
  for (size_t v = 0; v < all->nvariables; v++) {
    if (all->variables[v].group == made.group && strcmp(all->variables[v].name, ranged->name) == 0)
      made.variable = (uint32_t)v;
  }
  return made;
}

static bool add_flag(cli_parts *parts, const brink_flag *flag, uint32_t *number) {
  brink_system *all = parts->all;
  if (!brink_arena_grow(&all->arena, (void **)&all->flags, all->nflags, &all->flags_capacity,
                        sizeof *all->flags))
    return false;
  *number = (uint32_t)all->nflags;
  all->flags[all->nflags++] = *flag;
  return true;
}

static bool add_flags_of_one(cli_parts *parts, cli_population *population) {
  const brink_system *one = population->one;
  population->flag = brink_arena_take(&parts->arena, one->nflags, sizeof *population->flag);
  bool fine = population->flag != NULL;
  for (size_t f = 0; fine && f < one->nflags; f++) {
    brink_flag made = flag_of_all(parts, population, one, &one->flags[f]);
    fine = add_flag(parts, &made, &population->flag[f]);
  }
  return fine;
}

static bool add_flags_of_pair(cli_parts *parts, cli_pair *pair) {
  const brink_system *two = pair->two;
  pair->flag = brink_arena_take(&parts->arena, two->nflags, sizeof *pair->flag);
  bool fine = pair->flag != NULL;
  for (size_t f = 0; fine && f < two->nflags; f++) {
    pair->flag[f] = BRINK_NO_INDEX;
    if (two->flags[f].group != pair->block->group) continue;
    brink_flag made = flag_of_all(parts, NULL, two, &two->flags[f]);
    made.is_pair = true;
    for (int side = 0; side < 2; side++)
      made.partner_group[side] = parts->populations[pair->population[side]].group;
    fine = add_flag(parts, &made, &pair->flag[f]);
  }
  return fine;
}

/* ---- guards of a pair ---- */

static bool reads_sign(const brink_kernel *kernel) {
  for (size_t r = 0; kernel != NULL && r < kernel->graph.nrefs; r++) {
    if (kernel->graph.refs[r].space == BRINK_SPACE_SIGN) return true;
  }
  return false;
}

/* Does a kernel read signs of other flags than those of the block? */
static bool reads_foreign(const cli_pair *pair, const brink_kernel *kernel) {
  if (kernel == NULL) return false;
  const brink_system *two = pair->two;
  for (size_t f = 0; f < two->nflags; f++) {
    const brink_flag *flag = &two->flags[f];
    if (flag->group == pair->block->group) continue;
    if (kernel->reads_v && flag->kind == BRINK_FLAG_GENERATED) return true;
    for (size_t r = 0; r < kernel->graph.nrefs; r++) {
      const brink_ref *ref = &kernel->graph.refs[r];
      if (ref->space != BRINK_SPACE_SIGN) continue;
      for (size_t i = 0; i < flag->count; i++) {
        for (size_t k = 0; k < kernel->count; k++)
          if (brink_ref_slot(ref, k) == flag->guard[i]) return true;
      }
    }
  }
  return false;
}

static const brink_kernel *kernel_of(const brink_action *action) {
  return action != NULL ? &action->kernel : NULL;
}

static const char *why_not(const cli_pair *pair, const brink_flag *flag) {
  if (flag->enabled != NULL) return "a flag of a pair is watched at times only";
  if (flag->on_surface != NULL || flag->surface == BRINK_SURFACE_MODEL)
    return "a pair has an on-event";
  if (reads_foreign(pair, flag->value) || reads_foreign(pair, kernel_of(flag->negative)) ||
      reads_foreign(pair, kernel_of(flag->positive)))
    return "a pair reads flags of its partners";
  return NULL;
}

static bool list_guards(cli_parts *parts, cli_pair *pair, const char **reason) {
  const brink_system *two = pair->two;
  pair->guards = brink_arena_take(&parts->arena, two->nguards, sizeof *pair->guards);
  if (pair->guards == NULL) return false;
  if (pair->block->draws) *reason = "pairs draw random numbers";
  for (int round = 0; round < 3; round++) { /* numbers, what depends on signs, formulas */
    for (size_t f = 0; f < two->nflags; f++) {
      const brink_flag *flag = &two->flags[f];
      int turn = flag->value == NULL ? 2 : reads_sign(flag->value) ? 1 : 0;
      if (flag->group != pair->block->group || turn != round) continue;
      if (*reason == NULL) *reason = why_not(pair, flag);
      for (size_t i = 0; i < flag->count; i++) pair->guards[pair->nguards++] = flag->guard[i];
    }
  }
  return *reason == NULL;
}

/* ---- making ---- */

typedef struct maker {
  cli_parts *parts;
  brink_unit *unit;
  brink_flatten_options options;
  const char **reason;
} maker;

/* Texts have the numbers that they have in the systems made before. */
static brink_system *flatten_few(maker *m, const brink_members *members, size_t count) {
  m->options.members = members;
  m->options.nmembers = count;
  brink_system *made = brink_flatten(m->unit, &m->options, NULL);
  if (made == NULL) return NULL;
  m->options.strings = made->strings;
  m->options.nstrings = made->nstrings;
  if (made->has_constraints || made->ndriven > 0) *m->reason = "there are constraints";
  return made;
}

static bool make_population(maker *m, const brink_ast_population *declared) {
  cli_parts *parts = m->parts;
  cli_population *population = &parts->populations[parts->npopulations++];
  population->name = declared->name;
  population->group = group_of(parts->all, declared->name);
  if (population->group == BRINK_NO_INDEX) return false;
  population->count = parts->all->groups[population->group].count;
  parts->agents += population->count;
  brink_members one = {.population = declared->name, .count = 1};
  population->one = flatten_few(m, &one, 1);
  return population->one != NULL && *m->reason == NULL &&
         cli_match_population(parts, population, m->reason) && add_flags_of_one(parts, population);
}

static size_t number_of(const cli_parts *parts, const char *name) {
  for (size_t k = 0; k < parts->npopulations; k++) {
    if (strcmp(parts->populations[k].name, name) == 0) return k;
  }
  return BRINK_NONE;
}

static const brink_pair_block *block_of(const brink_system *two, size_t number) {
  for (size_t k = 0; k < two->npairs; k++) {
    if (two->pairs[k].number == number) return &two->pairs[k];
  }
  return NULL;
}

static bool make_pair(maker *m, const brink_ast_pair *declared, size_t number) {
  cli_parts *parts = m->parts;
  cli_pair made = {0};
  for (int side = 0; side < 2; side++) {
    made.population[side] = number_of(parts, declared->partner[side]->population->name);
    if (made.population[side] == BRINK_NONE) return false;
  }
  const cli_population *a = &parts->populations[made.population[0]];
  const cli_population *b = &parts->populations[made.population[1]];
  if (a == b && a->count < 2) return true; /* one agent alone: nothing to watch */
  brink_members two[2] = {{.population = a->name, .count = a == b ? 2 : 1},
                          {.population = b->name, .count = 1}};
  cli_pair *pair = &parts->pairs[parts->npairs++];
  *pair = made;
  pair->two = flatten_few(m, two, a == b ? 1 : 2);
  if (pair->two == NULL || *m->reason != NULL) return false;
  pair->block = block_of(pair->two, number);
  return pair->block != NULL && cli_match_pair(parts, pair, m->reason) &&
         list_guards(parts, pair, m->reason) && add_flags_of_pair(parts, pair);
}

static bool make_all(maker *m, const brink_component *top) {
  cli_parts *parts = m->parts;
  size_t npairs = 0, number = 0;
  for (const brink_ast_pair *pair = top->pairs; pair != NULL; pair = pair->next) npairs++;
  parts->populations =
      brink_arena_take(&parts->arena, top->npopulations, sizeof *parts->populations);
  parts->pairs = brink_arena_take(&parts->arena, npairs, sizeof *parts->pairs);
  bool fine = parts->populations != NULL && parts->pairs != NULL;
  for (size_t k = 0; fine && k < top->npopulations; k++)
    fine = make_population(m, &top->populations[k]);
  for (const brink_ast_pair *pair = top->pairs; fine && pair != NULL; pair = pair->next)
    fine = make_pair(m, pair, number++);
  if (!fine) return false;
  parts->all->strings = (const char **)m->options.strings; /* those of the last have all */
  parts->all->nstrings = m->options.nstrings;
  return true;
}

cli_parts *cli_parts_make(brink_unit *unit, const brink_component *top,
                          const brink_flatten_options *options, brink_system *all,
                          const char **reason) {
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  *reason = NULL;
  cli_parts *parts = brink_arena_take(&arena, 1, sizeof *parts);
  if (parts == NULL) return NULL;
  parts->arena = arena;
  parts->all = all;
  maker m = {.parts = parts, .unit = unit, .options = *options, .reason = reason};
  m.options.values_only = false;
  m.options.strings = (const char *const *)all->strings;
  m.options.nstrings = all->nstrings;
  if (make_all(&m, top)) return parts;
  cli_parts_destroy(parts);
  return NULL;
}

void cli_parts_destroy(cli_parts *parts) {
  if (parts == NULL) return;
  for (size_t k = 0; k < parts->npopulations; k++) brink_system_destroy(parts->populations[k].one);
  for (size_t k = 0; k < parts->npairs; k++) brink_system_destroy(parts->pairs[k].two);
  brink_arena arena = parts->arena;
  brink_arena_free(&arena);
}
