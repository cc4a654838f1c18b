/* flat_template.c: agents that share their equations need them once. The values of all agents are known when this
 * begins. From then on a population consists of its first agent, or of its first two where these can be a pair, and a
 * pair block of one pair: equations, flags and actions are made for these few, with the slots that they have among
 * all. The templates are parts of that system (expr/project.h). */
#include <string.h>

#include "lang/flat.h"

/* ---- whether ---- */

static bool is_population(const brink_component *top, const brink_symbol *symbol) {
  for (size_t k = 0; k < top->npopulations; k++) {
    if (top->populations[k].symbol == symbol) return true;
  }
  return false;
}

/* Nothing but populations, which nothing connects, and no equation reads. */
static bool has_only_populations(const brink_component *top) {
  const brink_ast_section *connections = &top->section[BRINK_SECTION_CONNECTIONS];
  const brink_ast_section *output = &top->section[BRINK_SECTION_OUTPUT];
  if (top->npopulations == 0 || (connections->present && connections->body.count > 0) ||
      (output->present && output->body.count > 0))
    return false;
  for (const brink_symbol *s = top->symbols; s != NULL; s = s->next) {
    if (s->kind == BRINK_SYMBOL_INSTANCE && !is_population(top, s)) return false;
  }
  return true;
}

static double count_pairs(const flat *f) {
  double pairs = 0.0;
  for (const brink_ast_pair *pair = f->top->component->pairs; pair != NULL; pair = pair->next) {
    const flat_group *a = flat_child(f->top, pair->partner[0]->population);
    const flat_group *b = flat_child(f->top, pair->partner[1]->population);
    if (a == NULL || b == NULL) continue;
    double n = (double)a->count, m = (double)b->count;
    pairs += a == b ? 0.5 * n * (n - 1.0) : n * m;
  }
  return pairs;
}

bool flat_wants_templates(const flat *f) {
  const brink_flatten_options *options = f->options;
  if (options->agents == BRINK_AGENTS_WHOLE || f->structure || options->ndriven > 0 ||
      options->nfunctions > 0 || !has_only_populations(f->top->component))
    return false;
  return options->agents == BRINK_AGENTS_TEMPLATES || count_pairs(f) > (double)BRINK_PAIR_LIMIT;
}

/* ---- the first agents stand for all ---- */

/* Two, if a pair block has them as partners. */
static size_t count_first(const flat *f, const flat_group *population) {
  for (const brink_ast_pair *pair = f->top->component->pairs; pair != NULL; pair = pair->next) {
    if (population->count > 1 && pair->partner[0]->population == population->symbol &&
        pair->partner[1]->population == population->symbol)
      return 2;
  }
  return 1;
}

/* A group and those inside it. */
static void shrink(flat_group *group, size_t agents, size_t first) {
  group->count = group->count / agents * first;
  for (size_t k = 0; k < group->nvariables; k++) {
    flat_variable *variable = &group->variables[k];
    if (variable->sized) variable->count = group->count * variable->length;
    if (group->children[k] != NULL) shrink(group->children[k], agents, first);
  }
}

static uint32_t last_group(const flat_group *group) {
  uint32_t last = group->id;
  for (size_t k = 0; k < group->nvariables; k++) {
    if (group->children[k] == NULL) continue;
    uint32_t inner = last_group(group->children[k]);
    if (inner > last) last = inner;
  }
  return last;
}

static void represent_population(flat *f, const brink_ast_population *declared) {
  brink_templates *templates = f->system->templates;
  flat_group *group = flat_child(f->top, declared->symbol);
  if (group == NULL) {
    f->failed = true;
    return;
  }
  size_t first = count_first(f, group);
  templates->populations[templates->npopulations++] =
      (brink_population_template){.name = f->system->groups[group->id].segment[0],
                                  .group = group->id,
                                  .groups_end = last_group(group) + 1,
                                  .count = group->count};
  shrink(group, group->count, first);
  group->dimension = first;
}

void flat_represent(flat *f) {
  const brink_component *top = f->top->component;
  size_t npairs = 0, first = f->nvariables;
  for (const brink_ast_pair *pair = top->pairs; pair != NULL; pair = pair->next) npairs++;
  brink_templates *templates = f->system->templates = flat_take(f, 1, sizeof *templates);
  if (templates == NULL) return;
  templates->populations = flat_take(f, top->npopulations, sizeof *templates->populations);
  templates->pairs = flat_take(f, npairs, sizeof *templates->pairs);
  f->nvalued = f->system->nvariables;
  for (size_t k = 0; k < top->npopulations && !f->failed; k++)
    represent_population(f, &top->populations[k]);
  for (brink_ast_pair *pair = top->pairs; pair != NULL && !f->failed; pair = pair->next)
    flat_add_first_pair(f, pair);
  if (!f->failed) flat_allocate(f, first);
}

/* ---- reach ---- */

/* Which partner does an expression read? The checker allows only one. 2: none. */
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

/* The slot of the template that a plain name is; BRINK_NO_INDEX: it is something else. */
static uint32_t plain_slot(const flat_context *c, const brink_pair_template *pair, brink_node node,
                           brink_space space) {
  if (node == BRINK_NO_NODE || c->graph->nodes[node].op != BRINK_OP_REF) return BRINK_NO_INDEX;
  const brink_ref *ref = &c->graph->refs[c->graph->nodes[node].a];
  if (ref->space != space) return BRINK_NO_INDEX;
  return brink_projection_slot(&pair->two, space, (uint32_t)brink_ref_slot(ref, 0));
}

static void read_reach(flat_context *c, const brink_ast_statement *s,
                       const brink_pair_template *pair, brink_agent_reach *reach) {
  size_t n = s->nargs - 1;
  for (size_t k = 0; k < n; k++) {
    reach->x[k] = plain_slot(c, pair, flat_expr(c, s->arg[k]), BRINK_SPACE_X);
    if (reach->x[k] == BRINK_NO_INDEX) return;
  }
  brink_node size = flat_expr(c, s->arg[n]);
  reach->size = plain_slot(c, pair, size, BRINK_SPACE_P);
  if (reach->size == BRINK_NO_INDEX && !brink_graph_is_constant(c->graph, size, &reach->value))
    return;
  reach->ndimensions = (int)n;
}

static void read_reaches(flat *f, flat_group *group, brink_pair_template *made) {
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
    read_reach(&c, s, made, &made->reach[side]);
  }
}

/* ---- the templates ---- */

/* So many agents of a population. */
static void keep_agents(const flat *f, const brink_population_template *population, size_t agents,
                        size_t *keep) {
  for (uint32_t g = population->group; g < population->groups_end; g++)
    keep[g] = f->system->groups[g].count / population->count * agents;
}

static void make_template(flat *f, const size_t *keep, brink_projection *made) {
  brink_status status = brink_project(f->system, keep, &f->arena->allocator, made);
  if (status == BRINK_ERR_UNSUPPORTED)
    f->system->templates->reason = "agents read each other";
  else if (status != BRINK_OK)
    flat_out_of_memory(f);
  else
    flat_finish(f, made->system, made->equation);
}

static void make_population(flat *f, brink_population_template *population) {
  size_t *keep = brink_arena_pack(&f->scratch, f->system->ngroups, sizeof *keep);
  if (keep == NULL) {
    flat_out_of_memory(f);
    return;
  }
  keep[f->top->id] = 1;
  keep_agents(f, population, 1, keep);
  make_template(f, keep, &population->one);
}

static size_t population_number(const brink_templates *templates, const flat_group *group) {
  size_t k = 0;
  while (templates->populations[k].group != group->id) k++;
  return k;
}

static void make_pair(flat *f, flat_group *group) {
  brink_templates *templates = f->system->templates;
  brink_pair_template *pair = &templates->pairs[templates->npairs++];
  size_t *keep = brink_arena_pack(&f->scratch, f->system->ngroups, sizeof *keep);
  if (keep == NULL) {
    flat_out_of_memory(f);
    return;
  }
  bool one = group->partner_group[0] == group->partner_group[1];
  keep[f->top->id] = keep[group->id] = 1;
  for (int side = 0; side < 2; side++) {
    pair->population[side] = population_number(templates, group->partner_group[side]);
    keep_agents(f, &templates->populations[pair->population[side]], one ? 2 : 1, keep);
  }
  pair->draws = group->draw_variable != BRINK_NO_INDEX || group->draws[0] > 0;
  make_template(f, keep, &pair->two);
  if (f->failed || templates->reason != NULL) return;
  while (pair->two.group[pair->group] != group->id) pair->group++;
  read_reaches(f, group, pair);
}

/* What was made for the first agents is in the templates. */
static void leave_values(flat *f) {
  brink_system *system = f->system;
  system->nequations = system->nflags = system->nguards = 0;
  system->nclocks = system->nrules = system->nfirst_outputs = 0;
  system->nconstraints = system->ndelays = 0;
  for (size_t v = f->nvalued; v < system->nvariables; v++)
    system->variables[v].kind = BRINK_VARIABLE_HIDDEN;
}

void flat_mark_settled(flat *f) {
  for (size_t k = 0; k < f->nvariables; k++) {
    const flat_variable *variable = f->variables[k];
    if (variable->settled && variable->variable != BRINK_NO_INDEX)
      f->system->variables[variable->variable].settled = true;
  }
}

void flat_make_templates(flat *f) {
  brink_templates *templates = f->system->templates;
  if (f->system->has_constraints) templates->reason = "there are constraints";
  if (f->system->ndelays > 0) templates->reason = "there are delays";
  for (size_t k = 0; k < templates->npopulations && !f->failed && templates->reason == NULL; k++)
    make_population(f, &templates->populations[k]);
  for (flat_group *g = f->groups; g != NULL && !f->failed && templates->reason == NULL; g = g->next)
    if (g->pair != NULL) make_pair(f, g);
  leave_values(f);
}
