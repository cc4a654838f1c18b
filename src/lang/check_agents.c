/* check_agents.c: populations and pairs. */
#include "lang/check.h"

#include <string.h>

/* ---- populations ---- */

/* Populations stand in the table under the address of their list. */
static const void *populations(const brink_checker *c) {
  return &c->component->populations;
}

static void check_population(brink_checker *c, brink_ast_population *population) {
  brink_symbol *symbol = brink_check_lookup(c, population->name);
  if (symbol == &c->poison) return;
  if (symbol == NULL) {
    brink_check_unknown(c, population->name, population->place);
    return;
  }
  if (symbol->kind != BRINK_SYMBOL_INSTANCE || !symbol->vector) {
    brink_check_error(
        c, BRINK_MSG_POPULATION_NOT_AN_ARRAY, population->place, "car[20] : Car; makes an array",
        "'%s' is %s: a population is an array of components", symbol->name,
        symbol->kind == BRINK_SYMBOL_INSTANCE ? "one component" : brink_a_kind(symbol->kind));
    return;
  }
  population->symbol = symbol;
  if (brink_check_put(c, populations(c), symbol->name, symbol) != NULL)
    brink_check_error(c, BRINK_MSG_POPULATION_TWICE, population->place, NULL,
                      "'%s' is a population already", symbol->name);
}

/* ---- partners ---- */

static brink_symbol *find_population(brink_checker *c, const char *name, brink_place place) {
  brink_symbol *symbol = brink_check_find(c, populations(c), name);
  if (symbol != NULL) return symbol;
  symbol = brink_check_find(c, c->component, name);
  if (symbol == &c->poison) return NULL;
  if (symbol == NULL) {
    brink_check_unknown(c, name, place);
    return NULL;
  }
  if (symbol->kind == BRINK_SYMBOL_INSTANCE && !symbol->vector) return NULL; /* reported there */
  if (c->component->section[BRINK_SECTION_AGENTS].damaged) return NULL;
  const char *hint = symbol->kind == BRINK_SYMBOL_INSTANCE
                         ? brink_unit_format(c->unit, "add population(%s); to agents", name)
                         : NULL;
  brink_check_error(c, BRINK_MSG_NOT_A_POPULATION, place, hint, "'%s' is not a population", name);
  return NULL;
}

static void find_partners(brink_checker *c, brink_ast_pair *pair) {
  for (size_t k = 0; k < 2; k++) {
    size_t source = pair->population_name[k] != NULL ? k : 0;
    brink_symbol *partner = pair->partner[k];
    if (k == 0 || source == 1)
      partner->population =
          find_population(c, pair->population_name[source], pair->population_place[source]);
    else
      partner->population = pair->partner[0]->population;
    partner->class_ = partner->population == NULL ? NULL : partner->population->class_;
  }
}

static void check_pair_declarations(brink_checker *c, brink_ast_pair *pair) {
  for (brink_symbol *symbol = pair->symbols; symbol != NULL; symbol = symbol->next) {
    if (symbol->kind == BRINK_SYMBOL_FLAG || symbol->kind == BRINK_SYMBOL_VARIABLE ||
        symbol->kind == BRINK_SYMBOL_PARAMETER)
      continue;
    brink_check_error(c, BRINK_MSG_DECLARED_IN_PAIR, symbol->place,
                      "a pair declares flags, variables and parameters", "a pair cannot have %s",
                      brink_a_kind(symbol->kind));
  }
  brink_check_declarations(c, pair->symbols);
}

void brink_check_partners(brink_checker *c) {
  brink_component *component = c->component;
  for (size_t k = 0; k < component->npopulations; k++)
    check_population(c, &component->populations[k]);
  for (brink_ast_pair *pair = component->pairs; pair != NULL; pair = pair->next) {
    find_partners(c, pair);
    c->pair = pair;
    check_pair_declarations(c, pair);
    if (pair->dynamics.present) brink_check_formulas(c, &pair->dynamics.body);
    c->pair = NULL;
  }
}

/* ---- reach ---- */

/* The partner that an expression reads; NULL: none; *both: it reads two. */
static const brink_symbol *partner_in(const brink_ast_expr *e, const brink_symbol *found,
                                      bool *both) {
  if (e->op == BRINK_AST_NAME && e->nparts > 0 && e->part[0].symbol != NULL &&
      e->part[0].symbol->kind == BRINK_SYMBOL_PARTNER) {
    if (found != NULL && found != e->part[0].symbol) *both = true;
    found = e->part[0].symbol;
  }
  for (size_t k = 0; k < e->nargs; k++) found = partner_in(e->arg[k], found, both);
  return found;
}

/* reach(a.x, a.y, a.r): one to three coordinates and a size, all of one partner. */
static void check_reach(brink_checker *c, brink_ast_statement *s, const brink_symbol **seen) {
  enum { LEAST = 2, MOST = 4 };
  const brink_symbol *partner = NULL;
  bool both = false, fine = true;
  c->context = BRINK_IN_PAIR;
  for (size_t k = 0; k < s->nargs; k++)
    fine = brink_check_number(c, s->arg[k], "an argument of reach") && fine;
  if (!fine) return;
  if (s->nargs < LEAST || s->nargs > MOST) {
    brink_check_error(c, BRINK_MSG_REACH_ARGUMENTS, s->place, "reach(a.x, a.y, a.r)",
                      "reach takes one to three coordinates and a size");
    return;
  }
  for (size_t k = 0; k < s->nargs; k++) partner = partner_in(s->arg[k], partner, &both);
  if (partner == NULL || both) {
    brink_check_error(c, BRINK_MSG_REACH_PARTNERS, s->place, "reach(a.x, a.y, a.r)",
                      "reach takes quantities of one partner");
    return;
  }
  if (*seen == partner)
    brink_check_error(c, BRINK_MSG_REACH_TWICE, s->place, NULL, "the reach of '%s' is given twice",
                      partner->name);
  *seen = partner;
}

/* ---- pairs ---- */

static void check_pair(brink_checker *c, brink_ast_pair *pair) {
  const brink_symbol *seen = NULL;
  c->pair = pair;
  c->lhs_uncertain = pair->damaged || c->component->names_uncertain;
  c->equations = brink_unit_take(c->unit, 1, sizeof *c->equations);
  brink_check_assignments(c, &pair->assignments);
  brink_check_section(c, BRINK_IN_DYNAMICS, &pair->dynamics.body, pair->dynamics.damaged);
  if (pair->dynamics.damaged) c->lhs_uncertain = true;
  brink_check_events(c, pair->events);
  for (size_t k = 0; k < pair->reach.count; k++) check_reach(c, pair->reach.statement[k], &seen);
  brink_check_all_defined(c, pair->symbols);
  c->pair = NULL;
}

void brink_check_agents(brink_checker *c) {
  for (brink_ast_pair *pair = c->component->pairs; pair != NULL; pair = pair->next)
    check_pair(c, pair);
}
