/* flat_pair.c: agents. A pair block is a group with one instance for every pair of partners. */
#include <string.h>

#include "lang/flat.h"

static flat_group *population_of(flat_group *group, const brink_symbol *partner) {
  return flat_child(group, partner->population);
}

/* Every unordered pair of one population, or every pair of two. */
static bool list_pairs(flat *f, flat_group *pairs) {
  size_t n = pairs->partner_group[0]->count, m = pairs->partner_group[1]->count, k = 0;
  bool one = pairs->partner_group[0] == pairs->partner_group[1];
  pairs->partner[0] = flat_take(f, pairs->count, sizeof(uint32_t));
  pairs->partner[1] = flat_take(f, pairs->count, sizeof(uint32_t));
  if (pairs->partner[0] == NULL || pairs->partner[1] == NULL) return false;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = one ? i + 1 : 0; j < m; j++) {
      pairs->partner[0][k] = (uint32_t)i;
      pairs->partner[1][k++] = (uint32_t)j;
    }
  }
  return true;
}

static flat_group *open_pairs(flat *f, flat_group *group, brink_ast_pair *pair, size_t count) {
  flat_group *pairs = flat_add_group(f, group, NULL, 0);
  if (pairs == NULL) return NULL;
  pairs->pair = pair;
  pairs->partner_group[0] = population_of(group, pair->partner[0]);
  pairs->partner_group[1] = population_of(group, pair->partner[1]);
  pairs->count = count;
  return flat_open_group(f, pairs, pair->symbols) ? pairs : NULL;
}

static void add_pair_group(flat *f, flat_group *group, brink_ast_pair *pair) {
  flat_group *a = population_of(group, pair->partner[0]);
  flat_group *b = population_of(group, pair->partner[1]);
  if (a == NULL || b == NULL) {
    f->failed = true;
    return;
  }
  size_t count = a == b ? a->count * (a->count - 1) / 2 : a->count * b->count;
  if (count > BRINK_PAIR_LIMIT && f->structure) return; /* there are errors that come first */
  if (count > BRINK_PAIR_LIMIT) {
    flat_error(
        f, BRINK_MSG_TOO_MANY_PAIRS, pair->place,
        "agents with clocks of their own have no such limit: put every component into a population",
        "%zu pairs are more than the limit of %zu", count, BRINK_PAIR_LIMIT);
    return;
  }
  if (count == 0) return; /* one agent alone: nothing to watch */
  flat_group *pairs = open_pairs(f, group, pair, count);
  if (pairs != NULL) list_pairs(f, pairs);
}

void flat_add_pairs(flat *f, flat_group *group) {
  if (group == f->top && flat_wants_templates(f)) {
    f->templates = true; /* pairs come later, one of each block */
    return;
  }
  for (brink_ast_pair *pair = group->component->pairs; pair != NULL && !f->failed;
       pair = pair->next)
    add_pair_group(f, group, pair);
}

flat_group *flat_add_first_pair(flat *f, brink_ast_pair *pair) {
  const flat_group *a = population_of(f->top, pair->partner[0]);
  const flat_group *b = population_of(f->top, pair->partner[1]);
  if (a == b && a->count < 2) return NULL; /* one agent alone: nothing to watch */
  flat_group *pairs = open_pairs(f, f->top, pair, 1);
  if (pairs == NULL) return NULL;
  for (int side = 0; side < 2; side++) {
    pairs->partner[side] = flat_take(f, 1, sizeof(uint32_t));
    if (pairs->partner[side] == NULL) return NULL;
  }
  pairs->partner[1][0] = a == b ? 1 : 0;
  return pairs;
}

/* ---- independence ---- */

/* The member of a population that instance `instance` of a group belongs to. */
static size_t member_of(const flat_group *group, size_t instance, const flat_group **population) {
  while (group->parent != NULL && group->parent->in_population) {
    instance /= group->dimension > 0 ? group->dimension : 1;
    group = group->parent;
  }
  *population = group;
  return instance;
}

/* Agents' dynamics must not refer to each other. */
void flat_check_populations(flat *f) {
  for (size_t k = 0; k < f->nvariables && !f->failed; k++) {
    flat_variable *variable = f->variables[k];
    if (!variable->alias || !variable->group->in_population) continue;
    for (size_t e = 0; e < variable->count; e++) {
      size_t element;
      const flat_variable *source = flat_trace(f, variable, e, &element);
      if (source == NULL || !source->group->in_population) continue;
      size_t from = element / source->length;
      const flat_group *own, *other;
      size_t a = member_of(variable->group, e / variable->length, &own);
      size_t b = member_of(source->group, from, &other);
      if (own == other && a == b) continue;
      flat_error(f, BRINK_MSG_VALUE_FROM_ANOTHER_AGENT, variable->symbol->place,
                 "agents have clocks of their own; describe what happens between them in a pair",
                 "'%s' gets its value from another agent", flat_name_of(f, variable));
      return;
    }
  }
}
