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

static void add_pair_group(flat *f, flat_group *group, brink_ast_pair *pair) {
  flat_group *a = population_of(group, pair->partner[0]);
  flat_group *b = population_of(group, pair->partner[1]);
  if (f->options->members != NULL && (a == NULL || b == NULL)) return;
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
  flat_group *pairs = flat_add_group(f, group, NULL, 0);
  if (pairs == NULL) return;
  pairs->pair = pair;
  pairs->partner_group[0] = a;
  pairs->partner_group[1] = b;
  pairs->count = count;
  if (flat_open_group(f, pairs, pair->symbols)) list_pairs(f, pairs);
}

void flat_add_pairs(flat *f, flat_group *group) {
  if (f->options->values_only) return;
  for (brink_ast_pair *pair = group->component->pairs; pair != NULL && !f->failed;
       pair = pair->next)
    add_pair_group(f, group, pair);
}

/* ---- what is told of a few members ---- */

/* Which partner does an expression speak of (the checker saw to it that it is one)? 2: none. */
static int side_of(const brink_ast_pair *pair, const brink_ast_expr *e) {
  if (e->op == BRINK_AST_NAME && e->nparts > 0) {
    for (int side = 0; side < 2; side++) {
      if (e->part[0].symbol == pair->partner[side]) return side;
    }
  }
  int side = 2;
  for (size_t k = 0; k < e->nargs && side == 2; k++) side = side_of(pair, e->arg[k]);
  return side;
}

/* The slot that a plain name is in the first pair; BRINK_NO_INDEX: it is something else. */
static uint32_t plain_slot(const flat_context *c, brink_node node, brink_space space) {
  if (node == BRINK_NO_NODE || c->graph->nodes[node].op != BRINK_OP_REF) return BRINK_NO_INDEX;
  const brink_ref *ref = &c->graph->refs[c->graph->nodes[node].a];
  return ref->space == space ? (uint32_t)brink_ref_slot(ref, 0) : BRINK_NO_INDEX;
}

static void read_reach(flat_context *c, const brink_ast_statement *s, brink_agent_reach *reach) {
  size_t n = s->nargs - 1;
  for (size_t k = 0; k < n; k++) {
    reach->x[k] = plain_slot(c, flat_expr(c, s->arg[k]), BRINK_SPACE_X);
    if (reach->x[k] == BRINK_NO_INDEX) return;
  }
  brink_node size = flat_expr(c, s->arg[n]);
  reach->size = plain_slot(c, size, BRINK_SPACE_P);
  if (reach->size == BRINK_NO_INDEX && !brink_graph_is_constant(c->graph, size, &reach->value))
    return;
  reach->ndimensions = (int)n;
}

static void read_reaches(flat *f, flat_group *group, brink_pair_block *block) {
  const brink_ast_pair *pair = group->pair;
  for (size_t k = 0; k < pair->reach.count && !f->failed; k++) {
    const brink_ast_statement *s = pair->reach.statement[k];
    brink_kernel *kernel = flat_kernel(f, "reach", s->place, 0);
    flat_shared shared;
    flat_context c;
    int side = s->nargs > 0 ? side_of(pair, s->arg[0]) : 2;
    if (kernel == NULL || side == 2 || s->nargs < 2 || s->nargs > 4) return;
    flat_begin(&c, &shared, f, group, kernel, FLAT_INSTANT);
    flat_begin_graph(&c);
    read_reach(&c, s, &block->reach[side]);
  }
}

static size_t block_number(const flat *f, const brink_ast_pair *pair) {
  size_t number = 0;
  for (const brink_ast_pair *p = f->top->component->pairs; p != pair; p = p->next) number++;
  return number;
}

static void tell_pair(flat *f, flat_group *group) {
  brink_system *system = f->system;
  brink_pair_block block = {
      .group = group->id,
      .partner_group = {group->partner_group[0]->id, group->partner_group[1]->id},
      .number = block_number(f, group->pair),
      .draws = group->draw_variable != BRINK_NO_INDEX || group->draws[0] > 0};
  read_reaches(f, group, &block);
  if (!brink_arena_grow(f->arena, (void **)&system->pairs, system->npairs, &system->pairs_capacity,
                        sizeof *system->pairs)) {
    flat_out_of_memory(f);
    return;
  }
  system->pairs[system->npairs++] = block;
}

void flat_tell_pairs(flat *f) {
  for (flat_group *g = f->groups; g != NULL && !f->failed; g = g->next) {
    if (g->pair != NULL) tell_pair(f, g);
  }
  for (size_t k = 0; k < f->nvariables; k++) {
    const flat_variable *variable = f->variables[k];
    if (variable->settled && variable->variable != BRINK_NO_INDEX)
      f->system->variables[variable->variable].settled = true;
  }
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
