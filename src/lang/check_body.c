/* check_body.c: the sections of a component: which it may have, and what they leave undefined. */
#include "lang/check.h"

#include <string.h>

/* ---- which sections a kind has ---- */

#define BIT(section) (1u << BRINK_SECTION_##section)
#define COMMON (BIT(INTERFACE) | BIT(DECLARATIONS) | BIT(INITIAL) | BIT(ASSIGNMENTS))
#define ASSEMBLY (COMMON | BIT(COMPONENTS) | BIT(CONNECTIONS) | BIT(OUTPUT))

static const unsigned sections_of[] = {
    [BRINK_CTC] = COMMON | BIT(DYNAMICS) | BIT(CONSTRAINTS) | BIT(OUTPUT) | BIT(EVENT),
    [BRINK_DTC] = COMMON | BIT(UPDATE) | BIT(OUTPUT),
    [BRINK_LBC] = COMMON | BIT(RULES) | BIT(OUTPUT),
    [BRINK_COMPOSITE] = ASSEMBLY,
    [BRINK_SYSTEM] = ASSEMBLY | BIT(AGENTS) | BIT(SIMULATION),
};

static bool may_have(const brink_component *component, brink_section_kind section) {
  return (sections_of[component->kind] >> section & 1u) != 0;
}

static const char *sections_text(brink_checker *c, brink_component_kind kind) {
  const char *text = "";
  for (int k = BRINK_SECTION_DECLARATIONS; k < BRINK_SECTION_COUNT; k++)
    if ((sections_of[kind] >> k & 1u) != 0)
      text = brink_unit_format(c->unit, "%s%s%s", text, *text == '\0' ? "" : ", ",
                               brink_section_name((brink_section_kind)k));
  return brink_unit_format(c->unit, "it may have %s", text);
}

static void wrong_section(brink_checker *c, brink_place place, brink_section_kind section) {
  brink_component_kind kind = c->component->kind;
  c->lhs_uncertain = true;         /* what it defines counts as defined */
  if (c->component->holes) return; /* its head may be missing */
  brink_check_error(c, BRINK_MSG_SECTION_NOT_ALLOWED, place, sections_text(c, kind),
                    "%s has no %s section", brink_a_component(kind), brink_section_name(section));
}

static void check_kinds_of_sections(brink_checker *c) {
  brink_component *component = c->component;
  for (int k = 0; k < BRINK_SECTION_COUNT; k++) {
    brink_section_kind section = (brink_section_kind)k;
    if (section != BRINK_SECTION_EVENT && component->section[k].present &&
        !may_have(component, section))
      wrong_section(c, component->section[k].place, section);
  }
  if (may_have(component, BRINK_SECTION_EVENT)) return;
  for (brink_ast_event *event = component->events; event != NULL; event = event->next)
    wrong_section(c, event->place, BRINK_SECTION_EVENT);
}

/* ---- flags that are formulas ---- */

/* Is this a boolean, judged by its outermost operation? */
static bool looks_boolean(const brink_checker *c, const brink_ast_expr *e, int depth) {
  enum { DEEP = 300 }; /* only functions that call themselves are deeper */
  if (depth > DEEP) return false;
  if (e->op == BRINK_AST_NOT || (e->op >= BRINK_AST_LT && e->op <= BRINK_AST_OR)) return true;
  if (e->op == BRINK_AST_IF) return looks_boolean(c, e->arg[1], depth + 1);
  if (e->op == BRINK_AST_CALL) {
    const brink_user_function *f = brink_check_find(c, &c->unit->functions, e->text);
    if (f != NULL) return f->body != NULL && looks_boolean(c, f->body, depth + 1);
    bool passes_on = (strcmp(e->text, "noevent") == 0 && e->nargs == 1) ||
                     (strcmp(e->text, "delay") == 0 && e->nargs > 1);
    return passes_on && looks_boolean(c, e->arg[0], depth + 1);
  }
  if (e->op != BRINK_AST_NAME || e->nparts != 1) return false;
  const brink_symbol *symbol = brink_check_lookup(c, e->part[0].name);
  if (symbol != NULL) return symbol->read_type == BRINK_TYPE_BOOLEAN;
  brink_predefined meaning = brink_check_predefined(e->part[0].name);
  return meaning == BRINK_PREDEFINED_TRUE || meaning == BRINK_PREDEFINED_FALSE;
}

void brink_check_formulas(brink_checker *c, const brink_ast_block *dynamics) {
  for (size_t k = 0; k < dynamics->count; k++) {
    const brink_ast_statement *s = dynamics->statement[k];
    for (size_t j = 0; j < s->nblocks; j++) brink_check_formulas(c, &s->block[j]);
    if (s->kind != BRINK_STATEMENT_EQUATION || s->target->op != BRINK_AST_NAME ||
        s->target->nparts != 1)
      continue;
    brink_symbol *flag = brink_check_lookup(c, s->target->part[0].name);
    if (flag == NULL || flag->kind != BRINK_SYMBOL_FLAG || !looks_boolean(c, s->expr, 0)) continue;
    flag->boolean_flag = true;
    flag->read_type = BRINK_TYPE_BOOLEAN;
  }
}

/* ---- what is left undefined ---- */

static bool needs_definition(const brink_checker *c, const brink_symbol *symbol) {
  if (symbol->kind == BRINK_SYMBOL_STATE)
    return c->component->kind == BRINK_CTC && symbol->read_type == BRINK_TYPE_SIGNAL;
  return symbol->kind == BRINK_SYMBOL_FLAG || symbol->kind == BRINK_SYMBOL_VARIABLE ||
         symbol->kind == BRINK_SYMBOL_OUTPUT;
}

/* What is inherited and not defined is missing in the component that inherits it. */
static brink_place missing_place(const brink_checker *c, const brink_symbol *symbol) {
  return symbol->inherited_from != NULL ? c->component->base_place : symbol->place;
}

/* What to write, and where. */
static const char *missing_text(brink_checker *c, const brink_symbol *symbol) {
  const char *name = symbol->name, *section = "dynamics";
  bool composite = may_have(c->component, BRINK_SECTION_CONNECTIONS);
  if (symbol->kind == BRINK_SYMBOL_STATE)
    return brink_unit_format(c->unit, "add %s' = ...; to dynamics", name);
  if (symbol->kind == BRINK_SYMBOL_OUTPUT && composite)
    return brink_unit_format(
        c->unit, "add connect(..., %s); to connections, or %s = ...; to output", name, name);
  if (symbol->kind == BRINK_SYMBOL_OUTPUT || (c->component->kind != BRINK_CTC && c->pair == NULL))
    section = "output";
  return brink_unit_format(c->unit, "add %s = ...; to %s", name, section);
}

/* Of a vector defined element by element, with literal indices: the first that is missing. */
static void check_elements(brink_checker *c, const brink_symbol *symbol) {
  const char *prime = symbol->kind == BRINK_SYMBOL_STATE ? "'" : "";
  const char *name = symbol->name;
  const brink_check_list *list = c->equations;
  if (symbol->size == NULL || !symbol->size->constant || list == NULL) return;
  if (brink_check_is_defined(c, list, brink_unit_format(c->unit, "%s%s", name, prime)) ||
      brink_check_is_defined(c, list, brink_unit_format(c->unit, "~%s%s", name, prime)))
    return;
  for (double k = 1.0; k <= symbol->size->number; k += 1.0) {
    const char *element = brink_unit_format(c->unit, "%s[%.17g]%s", name, k, prime);
    if (brink_check_is_defined(c, list, element)) continue;
    brink_check_error(c, BRINK_MSG_NEVER_DEFINED, missing_place(c, symbol), missing_text(c, symbol),
                      "'%s' is never defined", element);
    return;
  }
}

void brink_check_all_defined(brink_checker *c, brink_symbol *symbols) {
  if (c->lhs_uncertain) return;
  bool constrained = c->pair == NULL && may_have(c->component, BRINK_SECTION_CONSTRAINTS) &&
                     c->component->section[BRINK_SECTION_CONSTRAINTS].present;
  for (brink_symbol *symbol = symbols; symbol != NULL; symbol = symbol->next) {
    if (!needs_definition(c, symbol) || symbol->unknown) continue;
    if (constrained && symbol->kind == BRINK_SYMBOL_STATE) continue; /* its derivative is unknown */
    if (symbol->defined)
      check_elements(c, symbol);
    else if (symbol->kind == BRINK_SYMBOL_STATE)
      brink_check_error(c, BRINK_MSG_NO_EQUATION, missing_place(c, symbol), missing_text(c, symbol),
                        "state '%s' has no equation", symbol->name);
    else
      brink_check_error(c, BRINK_MSG_NEVER_DEFINED, missing_place(c, symbol),
                        missing_text(c, symbol), "'%s' is never defined", symbol->name);
  }
}

/* ---- events ---- */

static void find_flag(brink_checker *c, brink_ast_event *event) {
  brink_symbol *flag = brink_check_lookup(c, event->flag_name);
  if (flag == &c->poison) return;
  if (flag == NULL) {
    brink_check_unknown(c, event->flag_name, event->flag_place);
    return;
  }
  if (flag->kind != BRINK_SYMBOL_FLAG && !flag->timer) {
    const char *hint = brink_unit_format(
        c->unit, "declare a flag, and define it in dynamics: crossed = %s;", flag->name);
    brink_check_error(c, BRINK_MSG_NOT_A_FLAG, event->flag_place, hint, "'%s' is %s, not a flag",
                      flag->name, brink_a_kind(flag->kind));
    return;
  }
  if (event->element != NULL && brink_check_path(c, event->element) == NULL) return;
  if (flag->vector && (event->element == NULL || event->element->part[0].index == NULL)) {
    brink_check_error(c, BRINK_MSG_EVENT_OF_A_VECTOR, event->flag_place,
                      brink_unit_format(c->unit,
                                        "for i in 1..n loop event(%s[i]) ... end event; end loop;",
                                        flag->name),
                      "'%s' is a vector: its elements have event sections", flag->name);
    return;
  }
  if (!flag->vector && event->nloops > 0) {
    brink_check_error(c, BRINK_MSG_EVENT_TWICE, event->flag_place, "take it out of the loop",
                      "'%s' has two event sections", flag->name);
    return;
  }
  event->flag = flag;
  const void *owner = c->pair != NULL ? (const void *)&c->pair->events : &c->component->events;
  const char *text = flag->name;
  if (event->element != NULL) text = brink_check_path_text(c, event->element, true);
  const brink_ast_event *first = brink_check_put(c, owner, text, event);
  if (first == NULL) return;
  const char *hint = brink_unit_format(c->unit, "first at %s",
                                       brink_check_line_text(c, first->place, event->flag_place));
  brink_check_error(c, BRINK_MSG_EVENT_TWICE, event->flag_place, hint,
                    "'%s' has two event sections", flag->name);
}

/* The actions of a timer stand in the event itself, those of a flag in the parts of it. */
static void check_parts(brink_checker *c, const brink_ast_event *event) {
  const brink_symbol *flag = event->flag;
  if (flag == NULL || event->damaged) return;
  if (flag->timer && (event->has_negative || event->has_positive || event->has_on))
    brink_check_error(c, BRINK_MSG_TIMER_PARTS, event->flag_place,
                      brink_unit_format(c->unit, "event(%s) ... end event;", flag->name),
                      "'%s' is a timer: its actions stand in the event itself", flag->name);
  if (!flag->timer && event->has_plain && event->plain.count > 0)
    brink_check_error(c, BRINK_MSG_NOT_IN_EVENT, event->plain.statement[0]->place,
                      "actions belong in 'negative-going', 'positive-going' or 'on-event'",
                      "%s is not allowed in an event by itself", "an action");
}

void brink_check_events(brink_checker *c, brink_ast_event *events) {
  for (brink_ast_event *event = events; event != NULL; event = event->next) {
    size_t mark = brink_check_open_scope(c);
    for (size_t k = 0; k < event->nloops; k++) brink_check_loop(c, event->loops[k]);
    find_flag(c, event);
    check_parts(c, event);
    if (event->has_plain) brink_check_section(c, BRINK_IN_EVENT, &event->plain, event->damaged);
    if (event->has_negative)
      brink_check_section(c, BRINK_IN_EVENT, &event->negative, event->damaged);
    if (event->has_positive)
      brink_check_section(c, BRINK_IN_EVENT, &event->positive, event->damaged);
    if (event->has_on) brink_check_section(c, BRINK_IN_ON_EVENT, &event->on, event->damaged);
    brink_check_close_scope(c, mark);
  }
}

/* ---- the component ---- */

static void check_if_allowed(brink_checker *c, brink_section_kind kind, brink_context context) {
  brink_ast_section *section = &c->component->section[kind];
  if (!section->present || !may_have(c->component, kind)) return;
  brink_check_section(c, context, &section->body, section->damaged);
  if (section->damaged) c->lhs_uncertain = true;
}

static void check_sections(brink_checker *c) {
  static const struct {
    brink_section_kind section;
    brink_context context;
  } bodies[] = {
      /* connections after output: what has an equation is not connected */
      {BRINK_SECTION_INITIAL, BRINK_IN_INITIAL}, {BRINK_SECTION_DYNAMICS, BRINK_IN_DYNAMICS},
      {BRINK_SECTION_OUTPUT, BRINK_IN_OUTPUT},   {BRINK_SECTION_UPDATE, BRINK_IN_UPDATE},
      {BRINK_SECTION_RULES, BRINK_IN_RULES},     {BRINK_SECTION_CONNECTIONS, BRINK_IN_CONNECTIONS},
  };
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++)
    check_if_allowed(c, bodies[k].section, bodies[k].context);
  brink_ast_section *constraints = &c->component->section[BRINK_SECTION_CONSTRAINTS];
  if (constraints->present && may_have(c->component, BRINK_SECTION_CONSTRAINTS))
    brink_check_constraints(c);
}

/* After an error in the word for its kind, all its sections count as damaged. */
static bool has_unknown_kind(const brink_component *component) {
  for (size_t k = 0; k < BRINK_SECTION_COUNT; k++)
    if (!component->section[k].damaged) return false;
  return true;
}

void brink_check_component(brink_checker *c, brink_component *component) {
  if (has_unknown_kind(component)) return;
  c->component = component;
  c->pair = NULL;
  c->lhs_uncertain = component->names_uncertain || component->partial; /* others may define it */
  c->equations = brink_unit_take(c->unit, 1, sizeof *c->equations);
  check_kinds_of_sections(c);
  brink_check_clock(c);
  for (brink_symbol *symbol = component->symbols; symbol != NULL; symbol = symbol->next)
    if (symbol->kind == BRINK_SYMBOL_INSTANCE) brink_check_arguments(c, symbol);
  brink_check_assignments(c, &component->section[BRINK_SECTION_ASSIGNMENTS]);
  check_sections(c);
  if (may_have(component, BRINK_SECTION_EVENT)) brink_check_events(c, component->events);
  brink_check_all_defined(c, component->symbols);
  if (may_have(component, BRINK_SECTION_AGENTS)) brink_check_agents(c);
  if (may_have(component, BRINK_SECTION_SIMULATION)) brink_check_simulation(c);
  c->equations = NULL;
}
