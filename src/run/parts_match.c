/* parts_match.c: which variables and slots of two systems of one model are the same thing: those with the same path
 * (but for the number of the agent) and the same name; of several that the compiler has made, the one in the same
 * place. */
#include <string.h>

#include "run/parts.h"

/* ---- paths ---- */

static bool same_path(const brink_group *a, const brink_group *b) {
  if (a->nsegments != b->nsegments) return false;
  for (size_t k = 0; k < a->nsegments; k++) {
    if (strcmp(a->segment[k], b->segment[k]) != 0) return false;
    if (k > 0 && a->dimension[k] != b->dimension[k]) return false;
  }
  return strcmp(a->class_name, b->class_name) == 0;
}

static bool is_within(const brink_system *system, uint32_t group, const char *population) {
  const brink_group *g = &system->groups[group];
  return g->nsegments > 0 && strcmp(g->segment[0], population) == 0;
}

static size_t count_of(const brink_system *system, const brink_variable *v) {
  return system->groups[v->group].count * v->length;
}

/* The how-manyth of its name in its group? */
static size_t place_of(const brink_system *system, const brink_variable *v) {
  size_t place = 0;
  for (const brink_variable *w = system->variables; w != v; w++)
    place += w->group == v->group && w->space == v->space && strcmp(w->name, v->name) == 0;
  return place;
}

static const brink_variable *find(const brink_system *in, const brink_system *from,
                                  const brink_variable *v) {
  size_t place = place_of(from, v);
  for (size_t k = 0; k < in->nvariables; k++) {
    const brink_variable *w = &in->variables[k];
    if (w->space == v->space && w->kind == v->kind && w->length == v->length &&
        strcmp(w->name, v->name) == 0 &&
        same_path(&in->groups[w->group], &from->groups[v->group]) && place-- == 0)
      return w;
  }
  return NULL;
}

static uint32_t find_group(const brink_system *in, const brink_group *like) {
  for (size_t g = 0; g < in->ngroups; g++) {
    if (same_path(&in->groups[g], like)) return (uint32_t)g;
  }
  return BRINK_NO_INDEX;
}

/* ---- values ---- */

static double read_slot(const brink_system *system, brink_space space, size_t slot) {
  return space == BRINK_SPACE_X   ? system->x0[slot]
         : space == BRINK_SPACE_P ? system->p0[slot]
                                  : (double)system->mode0[slot];
}

static void write_slot(brink_system *system, brink_space space, size_t slot, double value) {
  if (space == BRINK_SPACE_X) system->x0[slot] = value;
  if (space == BRINK_SPACE_P) system->p0[slot] = value;
  if (space == BRINK_SPACE_MODE) system->mode0[slot] = (int)value;
}

static bool is_held(brink_space space) {
  return space == BRINK_SPACE_X || space == BRINK_SPACE_P || space == BRINK_SPACE_MODE;
}

/* Parameters of the system itself are the same for everybody. False: it was made with others. */
static bool take_common(const brink_system *all, brink_system *system) {
  bool alike = true;
  for (size_t k = 0; k < system->nvariables; k++) {
    const brink_variable *v = &system->variables[k];
    if (system->groups[v->group].nsegments > 0 || v->kind == BRINK_VARIABLE_HIDDEN) continue;
    const brink_variable *w = is_held(v->space) ? find(all, system, v) : NULL;
    for (size_t e = 0; w != NULL && e < count_of(system, v); e++) {
      double value = read_slot(all, v->space, w->base + e);
      alike = alike && (!v->settled || value == read_slot(system, v->space, v->base + e));
      write_slot(system, v->space, v->base + e, value);
    }
  }
  return alike;
}

/* ---- a population ---- */

static const char settled_otherwise[] =
    "agents differ in a parameter that sizes, ranges, samples or loops are made with";

/* `b` is of all agents. */
static bool same_range(const brink_variable *a, const brink_variable *b, size_t instances) {
  if (a->has_range != b->has_range || a->nset != b->nset) return false;
  if (!a->has_range) return true;
  for (size_t i = 0; b->bounds != NULL && i < instances; i++) {
    if (b->bounds[2 * i] != a->lo || b->bounds[2 * i + 1] != a->hi) return false;
  }
  return a->lo == b->lo && a->hi == b->hi;
}

/* Was the system made with a value that some agent does not have? */
static bool is_settled_alike(const cli_parts *parts, const cli_population *population,
                             const brink_variable *v, const cli_share *share) {
  if (!v->settled || !is_held(v->space)) return true;
  for (size_t e = 0; e < population->count * share->n; e++) {
    if (read_slot(parts->all, v->space, share->all + e) !=
        read_slot(population->one, v->space, v->base + e % share->n))
      return false;
  }
  return true;
}

static bool add_share(cli_parts *parts, cli_population *population, const brink_variable *v,
                      const char **reason) {
  const brink_variable *w = find(parts->all, population->one, v);
  if (w == NULL || count_of(parts->all, w) != count_of(population->one, v) * population->count ||
      !same_range(v, w, parts->all->groups[w->group].count)) {
    *reason = settled_otherwise;
    return false;
  }
  cli_share share = {.space = v->space,
                     .variable = (uint32_t)(v - population->one->variables),
                     .own = v->base,
                     .all = w->base,
                     .n = count_of(population->one, v)};
  if (!is_settled_alike(parts, population, v, &share)) {
    *reason = settled_otherwise;
    return false;
  }
  population->shares[population->nshares++] = share;
  return true;
}

/* Which of their values are not the same in all agents? The first one's stand in the system of one. */
static void compare_agents(const cli_parts *parts, cli_population *population) {
  for (size_t s = 0; s < population->nshares; s++) {
    const cli_share *share = &population->shares[s];
    bool *differs = share->space == BRINK_SPACE_P      ? population->differs_p
                    : share->space == BRINK_SPACE_MODE ? population->differs_mode
                                                       : NULL;
    for (size_t e = 0; differs != NULL && e < population->count * share->n; e++) {
      size_t k = e % share->n;
      if (read_slot(parts->all, share->space, share->all + e) !=
          read_slot(parts->all, share->space, share->all + k))
        differs[share->own + k] = true;
    }
  }
  cli_parts_start(parts, population, 0, population->one->x0, population->one->p0,
                  population->one->mode0);
}

bool cli_match_population(cli_parts *parts, cli_population *population, const char **reason) {
  brink_system *one = population->one;
  *reason = NULL;
  population->shares = brink_arena_take(&parts->arena, one->nvariables, sizeof *population->shares);
  population->differs_p = brink_arena_take(&parts->arena, one->np, sizeof(bool));
  population->differs_mode = brink_arena_take(&parts->arena, one->nmodes, sizeof(bool));
  if (population->shares == NULL || population->differs_p == NULL ||
      population->differs_mode == NULL)
    return false;
  if (!take_common(parts->all, one)) {
    *reason = settled_otherwise;
    return false;
  }
  for (size_t k = 0; k < one->nvariables; k++) {
    const brink_variable *v = &one->variables[k];
    if (v->kind == BRINK_VARIABLE_HIDDEN || !is_within(one, v->group, population->name)) continue;
    if (!add_share(parts, population, v, reason)) return false;
  }
  compare_agents(parts, population);
  return true;
}

/* Counters and streams of random draws go on from where the values at the start have left them. */
static void start_draws(const cli_parts *parts, const cli_population *population, size_t agent,
                        double *p) {
  const brink_system *one = population->one;
  for (size_t k = 0; k < one->nvariables; k++) {
    const brink_variable *v = &one->variables[k];
    if (v->kind != BRINK_VARIABLE_HIDDEN || v->space != BRINK_SPACE_P) continue;
    bool draws = strcmp(v->name, "draws") == 0, stream = strcmp(v->name, "stream") == 0;
    if (!draws && !stream) continue;
    uint32_t g = find_group(parts->all, &one->groups[v->group]);
    if (g == BRINK_NO_INDEX) continue;
    const brink_group *group = &parts->all->groups[g];
    size_t n = count_of(one, v);
    for (size_t e = 0; e < n; e++) {
      size_t instance = agent * n + e;
      double drawn = group->draws != NULL ? (double)group->draws[instance] : 0.0;
      p[v->base + e] = draws ? drawn : (double)(group->stream + instance);
    }
  }
}

void cli_parts_start(const cli_parts *parts, const cli_population *population, size_t agent,
                     double *x, double *p, int *mode) {
  const brink_system *one = population->one, *all = parts->all;
  if (one->nx > 0 && x != one->x0) memcpy(x, one->x0, one->nx * sizeof *x);
  if (one->np > 0 && p != one->p0) memcpy(p, one->p0, one->np * sizeof *p);
  if (one->nmodes > 0 && mode != one->mode0) memcpy(mode, one->mode0, one->nmodes * sizeof *mode);
  for (size_t s = 0; s < population->nshares; s++) {
    const cli_share *share = &population->shares[s];
    size_t from = share->all + agent * share->n;
    if (share->space == BRINK_SPACE_X) memcpy(x + share->own, all->x0 + from, share->n * sizeof *x);
    if (share->space == BRINK_SPACE_P) memcpy(p + share->own, all->p0 + from, share->n * sizeof *p);
    if (share->space == BRINK_SPACE_MODE)
      memcpy(mode + share->own, all->mode0 + from, share->n * sizeof *mode);
  }
  start_draws(parts, population, agent, p);
}

/* ---- a pair ---- */

/* Where the slots of one agent are among those of two. */
static bool map_side(cli_parts *parts, cli_pair *pair, int side, const char **reason) {
  const cli_population *population = &parts->populations[pair->population[side]];
  const brink_system *one = population->one;
  uint32_t *maps[] = {[BRINK_SPACE_X] = brink_arena_take(&parts->arena, one->nx, sizeof(uint32_t)),
                      [BRINK_SPACE_P] = brink_arena_take(&parts->arena, one->np, sizeof(uint32_t)),
                      [BRINK_SPACE_MODE] =
                          brink_arena_take(&parts->arena, one->nmodes, sizeof(uint32_t))};
  size_t sizes[] = {
      [BRINK_SPACE_X] = one->nx, [BRINK_SPACE_P] = one->np, [BRINK_SPACE_MODE] = one->nmodes};
  for (size_t s = 0; s < sizeof maps / sizeof maps[0]; s++) {
    if (maps[s] == NULL) return false;
    memset(maps[s], 0xff, sizes[s] * sizeof(uint32_t));
  }
  bool second = side == 1 && pair->population[0] == pair->population[1];
  for (size_t k = 0; k < one->nvariables; k++) {
    const brink_variable *v = &one->variables[k];
    const brink_variable *w = is_held(v->space) ? find(pair->two, one, v) : NULL;
    size_t n = count_of(one, v), skip = second && one->groups[v->group].nsegments > 0 ? n : 0;
    for (size_t e = 0; w != NULL && e < n; e++)
      maps[v->space][v->base + e] = (uint32_t)(w->base + skip + e);
  }
  pair->x[side] = maps[BRINK_SPACE_X];
  pair->p[side] = maps[BRINK_SPACE_P];
  pair->mode[side] = maps[BRINK_SPACE_MODE];
  for (size_t s = 0; s < sizeof maps / sizeof maps[0]; s++) {
    for (size_t k = 0; k < sizes[s]; k++) {
      if (maps[s][k] != BRINK_NO_INDEX) continue;
      *reason = settled_otherwise;
      return false;
    }
  }
  return true;
}

/* What the first agent of each population has, and what differs between agents. */
static void take_partners(const cli_parts *parts, cli_pair *pair) {
  for (int side = 0; side < 2; side++) {
    const cli_population *population = &parts->populations[pair->population[side]];
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
}

/* Was a block made with a value that some agent does not have? The system of two has its own values still. */
static bool is_made_alike(const cli_parts *parts, const cli_pair *pair, int side) {
  const cli_population *population = &parts->populations[pair->population[side]];
  const brink_system *one = population->one, *two = pair->two;
  for (size_t k = 0; k < one->nvariables; k++) {
    const brink_variable *v = &one->variables[k];
    const brink_variable *w = is_held(v->space) ? find(two, one, v) : NULL;
    if (w == NULL || !w->settled || v->space == BRINK_SPACE_X) continue;
    bool mode = v->space == BRINK_SPACE_MODE;
    for (size_t slot = v->base; slot < v->base + count_of(one, v); slot++) {
      size_t there = mode ? pair->mode[side][slot] : pair->p[side][slot];
      if ((mode ? population->differs_mode : population->differs_p)[slot] ||
          read_slot(two, v->space, there) != read_slot(one, v->space, slot))
        return false;
    }
  }
  return true;
}

bool cli_match_pair(cli_parts *parts, cli_pair *pair, const char **reason) {
  *reason = NULL;
  pair->differs_p = brink_arena_take(&parts->arena, pair->two->np, sizeof(bool));
  pair->differs_mode = brink_arena_take(&parts->arena, pair->two->nmodes, sizeof(bool));
  if (pair->differs_p == NULL || pair->differs_mode == NULL) return false;
  bool alike = take_common(parts->all, pair->two);
  if (!map_side(parts, pair, 0, reason) || !map_side(parts, pair, 1, reason)) return false;
  if (!alike || !is_made_alike(parts, pair, 0) || !is_made_alike(parts, pair, 1)) {
    *reason = settled_otherwise;
    return false;
  }
  take_partners(parts, pair);
  return true;
}
