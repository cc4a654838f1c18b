/* check_declare.c: declarations: sizes, ranges, knobs and views, clocks. */
#include "lang/check.h"

#include <string.h>

/* ---- ranges ---- */

bool brink_check_in_set(const brink_checker *c, const brink_ast_range *set, const char *text) {
  return brink_check_find(c, set, text) != NULL;
}

/* An item of a set as the key under which it is found again. */
static const char *item_key(const brink_ast_expr *item) {
  return item->text == NULL ? "" : item->text;
}

static void check_item(brink_checker *c, brink_symbol *symbol, brink_ast_expr *item) {
  brink_type wanted = symbol->kind == BRINK_SYMBOL_MODE ? BRINK_TYPE_STRING : symbol->type;
  brink_check_expr_in(c, BRINK_IN_DECLARATIONS, item);
  if (item->type == BRINK_TYPE_UNKNOWN) return;
  if (wanted != BRINK_TYPE_UNKNOWN && item->type != wanted) {
    brink_check_error(c, BRINK_MSG_SET_ITEM_TYPE, item->place, NULL,
                      "'%s' is %s: %s cannot be in its set", symbol->name, brink_a_type(wanted),
                      brink_a_type(item->type));
    return;
  }
  const char *key = item_key(item);
  if (item->constant) key = brink_unit_format(c->unit, "%.17g", item->number);
  if (brink_check_put(c, &symbol->range, key, item) != NULL)
    brink_check_error(c, BRINK_MSG_SET_ITEM_TWICE, item->place, NULL, "%s is twice in this set",
                      item_key(item));
}

static void check_set(brink_checker *c, brink_symbol *symbol) {
  brink_type type = symbol->type;
  for (size_t k = 0; k < symbol->range.nitems; k++)
    if (symbol->range.item[k]->op == BRINK_AST_DAMAGED) symbol->range.given = false;
  if (!symbol->range.given) return;
  if (symbol->kind != BRINK_SYMBOL_MODE && type != BRINK_TYPE_STRING &&
      type != BRINK_TYPE_INTEGER && type != BRINK_TYPE_UNKNOWN) {
    brink_check_error(c, BRINK_MSG_SET_NOT_ALLOWED, symbol->range.place, "write a range: (lo, hi)",
                      "'%s' is %s: only strings and integers have sets", symbol->name,
                      brink_a_type(type));
    symbol->range.given = false;
    return;
  }
  for (size_t k = 0; k < symbol->range.nitems; k++) check_item(c, symbol, symbol->range.item[k]);
}

static void check_bounds(brink_checker *c, brink_symbol *symbol) {
  brink_ast_range *range = &symbol->range;
  if (!brink_is_numeric(symbol->type)) {
    brink_check_error(c, BRINK_MSG_RANGE_NOT_ALLOWED, range->place,
                      symbol->type == BRINK_TYPE_STRING ? "write a set: {\"a\", \"b\"}" : NULL,
                      "'%s' is %s: only numbers have a range (lo, hi)", symbol->name,
                      brink_a_type(symbol->type));
    range->given = false;
    return;
  }
  brink_context outer = c->context;
  c->context = BRINK_IN_DECLARATIONS;
  bool fine = brink_check_number(c, range->lo, "a bound");
  fine = brink_check_number(c, range->hi, "a bound") && fine;
  c->context = outer;
  if (!fine) range->given = false; /* nothing is compared with it */
  if (fine && range->lo->constant && range->hi->constant && range->lo->number > range->hi->number) {
    brink_check_error(c, BRINK_MSG_EMPTY_RANGE, range->place, NULL,
                      "the range of '%s' is empty: its lower bound is above "
                      "its upper bound",
                      symbol->name);
    range->given = false;
  }
}

/* ---- declarations ---- */

static void check_size(brink_checker *c, brink_symbol *symbol) {
  brink_context outer = c->context;
  c->context = BRINK_IN_DECLARATIONS;
  bool whole = brink_check_whole(c, symbol->size, "a size");
  if (whole && symbol->columns != NULL) {
    bool rows = symbol->rows->constant && symbol->rows->number < 1.0;
    if (rows || (symbol->columns->constant && symbol->columns->number < 1.0)) {
      brink_check_error(c, BRINK_MSG_NO_ELEMENTS,
                        rows ? symbol->rows->place : symbol->columns->place, NULL,
                        "'%s' needs at least one element", symbol->name);
      whole = false;
    }
  }
  c->context = outer;
  if (whole && symbol->size->constant && symbol->size->number < 1.0)
    brink_check_error(c, BRINK_MSG_NO_ELEMENTS, symbol->size->place, NULL,
                      "'%s' needs at least one element", symbol->name);
}

/* What each kind of component may declare. */
static const char *wrong_kind(const brink_component *component, const brink_symbol *symbol,
                              const char **hint) {
  bool composite = component->kind == BRINK_COMPOSITE || component->kind == BRINK_SYSTEM;
  *hint = NULL;
  if ((symbol->held || symbol->timer) && component->kind != BRINK_CTC) {
    *hint = composite       ? "it declares parameters; the rest belongs in its parts"
            : symbol->timer ? "timers belong in a ctc"
                            : "every state of it is held: write state(...)";
    return symbol->timer ? "a timer" : "a held quantity";
  }
  switch (symbol->kind) {
  case BRINK_SYMBOL_STATE:
  case BRINK_SYMBOL_VARIABLE:
  case BRINK_SYMBOL_MODE:
  case BRINK_SYMBOL_QUEUE:
    *hint = "it declares parameters; the rest belongs in its parts";
    return composite ? brink_a_kind(symbol->kind) : NULL;
  case BRINK_SYMBOL_FLAG:
    *hint = component->kind == BRINK_LBC ? "a rule watches its condition by itself"
                                         : "flags belong in a ctc";
    return component->kind == BRINK_CTC ? NULL : brink_a_kind(symbol->kind);
  default:
    return NULL;
  }
}

static void check_declaration(brink_checker *c, brink_symbol *symbol) {
  const char *hint;
  bool certain = c->pair == NULL && !c->component->holes;
  const char *wrong = certain ? wrong_kind(c->component, symbol, &hint) : NULL;
  if (wrong != NULL)
    brink_check_error(c, BRINK_MSG_KIND_NOT_ALLOWED, symbol->place, hint, "%s cannot have %s",
                      brink_a_component(c->component->kind), wrong);
  if (symbol->kind == BRINK_SYMBOL_PARAMETER && symbol->type == BRINK_TYPE_SIGNAL) {
    brink_check_error(c, BRINK_MSG_PARAMETER_AS_SIGNAL, symbol->type_place, "make it real",
                      "'%s' is a parameter: it does not vary in time", symbol->name);
    symbol->read_type = BRINK_TYPE_REAL;
  }
  if (symbol->held && symbol->type == BRINK_TYPE_SIGNAL)
    brink_check_error(c, BRINK_MSG_HELD_AS_SIGNAL, symbol->type_place,
                      "make it real, or a state with an equation",
                      "'%s' is held: it does not vary between events", symbol->name);
  if (symbol->kind == BRINK_SYMBOL_QUEUE &&
      (symbol->type == BRINK_TYPE_SIGNAL || symbol->type == BRINK_TYPE_STRING))
    brink_check_error(c, BRINK_MSG_QUEUE_TYPE, symbol->type_place,
                      "give it real, integer or boolean", "a queue cannot hold %ss",
                      brink_type_name(symbol->type));
  if (symbol->size != NULL) check_size(c, symbol);
  if (symbol->range.given && symbol->range.is_set)
    check_set(c, symbol);
  else if (symbol->range.given)
    check_bounds(c, symbol);
}

void brink_check_declarations(brink_checker *c, brink_symbol *symbols) {
  for (brink_symbol *symbol = symbols; symbol != NULL; symbol = symbol->next)
    check_declaration(c, symbol);
}

/* ---- knobs and views ---- */

static void check_mention(brink_checker *c, const struct brink_ast_mention *mention) {
  brink_symbol *symbol = brink_check_lookup(c, mention->name);
  if (symbol == &c->poison) return;
  if (symbol == NULL) {
    brink_check_unknown(c, mention->name, mention->place);
    return;
  }
  if (mention->is_knob && symbol->kind != BRINK_SYMBOL_PARAMETER) {
    brink_check_error(c, BRINK_MSG_KNOB_NOT_A_PARAMETER, mention->place, NULL,
                      "'%s' is %s: a knob is a parameter", symbol->name,
                      brink_a_kind(symbol->kind));
    return;
  }
  bool *mark = mention->is_knob ? &symbol->knob : &symbol->view;
  if (*mark)
    brink_check_error(c, BRINK_MSG_MENTIONED_TWICE, mention->place, NULL, "'%s' is a %s already",
                      symbol->name, mention->is_knob ? "knob" : "view");
  *mark = true;
}

void brink_check_mentions(brink_checker *c) {
  for (size_t k = 0; k < c->component->nmentions; k++) check_mention(c, &c->component->mentions[k]);
}

/* ---- sample and priority ---- */

static void check_sample(brink_checker *c) {
  const brink_component *component = c->component;
  if (component->kind != BRINK_DTC && component->kind != BRINK_LBC) {
    brink_check_error(c, BRINK_MSG_SAMPLE_NOT_ALLOWED, component->sample_place,
                      "only a dtc or an lbc runs at samples", "%s has no sample",
                      brink_a_component(component->kind));
    return;
  }
  bool period = brink_check_number(c, component->period, "a period");
  bool offset = brink_check_number(c, component->offset, "an offset");
  if (period && component->period->constant && !(component->period->number > 0.0))
    brink_check_error(c, BRINK_MSG_PERIOD_NOT_POSITIVE, component->period->place,
                      offset && component->offset->constant && component->offset->number > 0.0
                          ? "sample(period, offset): the period comes first"
                          : NULL,
                      "a period must be positive");
  if (offset && component->offset->constant && component->offset->number < 0.0)
    brink_check_error(c, BRINK_MSG_OFFSET_NEGATIVE, component->offset->place, NULL,
                      "an offset must not be negative");
}

static void check_priority(brink_checker *c) {
  const brink_component *component = c->component;
  if (component->kind != BRINK_DTC && component->kind != BRINK_LBC)
    brink_check_error(c, BRINK_MSG_PRIORITY_NOT_ALLOWED, component->priority_place,
                      "only a dtc or an lbc has one", "%s has no priority",
                      brink_a_component(component->kind));
  else
    brink_check_whole(c, component->priority, "a priority");
}

void brink_check_clock(brink_checker *c) {
  const brink_component *component = c->component;
  c->context = BRINK_IN_DECLARATIONS;
  if (component->has_sample) check_sample(c);
  if (component->has_priority) check_priority(c);
  if (component->kind == BRINK_DTC && !component->has_sample && !component->names_uncertain &&
      !component->partial)
    brink_check_error(c, BRINK_MSG_NO_SAMPLE, component->place,
                      "declare when it runs: sample(0.1, 0.0);", "'%s' is a dtc without a sample",
                      component->name);
}
