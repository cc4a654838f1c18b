/* check_connect.c: connections: from an output to an input, of types and ranges that agree. */
#include "lang/check.h"

#include <string.h>

/* ---- ends ---- */

/* Every part of the way to a source is visible: outputs and views. */
static bool source_fits(brink_checker *c, const brink_ast_expr *path, const brink_symbol *symbol) {
  if (path->nparts == 1) {
    if (symbol->kind == BRINK_SYMBOL_INPUT || symbol->by_equation) return true;
    const char *hint = symbol->kind == BRINK_SYMBOL_OUTPUT ? "connect(from, to): is it the target?"
                       : symbol->kind == BRINK_SYMBOL_INSTANCE
                           ? "name what is connected: connect(a.y, b.u)"
                           : NULL;
    brink_check_error(c, BRINK_MSG_NOT_A_SOURCE, path->place, hint,
                      "'%s' is %s: a connection starts at an output of a part, or at an own input",
                      symbol->name, brink_a_kind(symbol->kind));
    return false;
  }
  if (symbol->kind == BRINK_SYMBOL_INPUT) {
    brink_check_error(c, BRINK_MSG_INPUT_AS_SOURCE, path->place,
                      "connect(from, to): is it the target?",
                      "'%s' is an input of a part: no connection starts there",
                      brink_check_path_text(c, path, false));
    return false;
  }
  if (symbol->kind == BRINK_SYMBOL_FLAG) {
    brink_check_error(c, BRINK_MSG_NOT_A_SOURCE, path->place,
                      brink_unit_format(c->unit,
                                        "give its component an output, with sgn(%s) or "
                                        "what the flag is made of",
                                        symbol->name),
                      "'%s' is %s: a connection starts at an output of a part, or at an own input",
                      brink_check_path_text(c, path, false), brink_a_kind(symbol->kind));
    return false;
  }
  if (symbol->kind == BRINK_SYMBOL_INSTANCE) {
    brink_check_error(c, BRINK_MSG_COMPONENT_AS_SOURCE, path->place, NULL,
                      "'%s' is a component: name one of its outputs",
                      brink_check_path_text(c, path, false));
    return false;
  }
  return brink_check_visible(c, path);
}

/* An own output, or an input of a part. */
static bool is_target(const brink_ast_expr *path, const brink_symbol *symbol) {
  if (path->nparts == 1) return symbol->kind == BRINK_SYMBOL_OUTPUT;
  return path->nparts == 2 && symbol->kind == BRINK_SYMBOL_INPUT;
}

static bool target_fits(brink_checker *c, const brink_ast_expr *path, const brink_symbol *symbol) {
  bool own = path->nparts == 1;
  if (is_target(path, symbol)) return true;
  const char *text = brink_check_path_text(c, path, false);
  if (path->nparts > 2)
    brink_check_error(c, BRINK_MSG_TARGET_INSIDE_A_PART, path->place,
                      "give the part an input of its own, and connect it inside",
                      "'%s' is inside a part: it cannot be connected from here", text);
  else
    brink_check_error(c, BRINK_MSG_NOT_A_TARGET, path->place, "connect(from, to)",
                      "'%s' is %s: a connection ends at an input of a part, or at an own output",
                      text,
                      own ? brink_a_kind(symbol->kind)
                          : brink_unit_format(c->unit, "%s of a part", brink_a_kind(symbol->kind)));
  return false;
}

static brink_symbol *resolve_end(brink_checker *c, brink_ast_expr *expr) {
  if (expr->op != BRINK_AST_NAME) return NULL; /* damaged */
  brink_symbol *symbol = brink_check_path(c, expr);
  if (symbol == NULL) return NULL;
  expr->type = symbol->read_type;
  for (size_t k = 0; k < expr->nparts; k++) /* an array without an index: all of it */
    if (expr->part[k].symbol->vector && !brink_names_element(&expr->part[k])) expr->vector = true;
  return symbol;
}

/* ---- agreement ---- */

static const brink_component *class_of_end(const brink_checker *c, const brink_ast_expr *path) {
  return path->nparts == 1 ? c->component : path->part[path->nparts - 2].symbol->class_;
}

/* signal and real connect freely, except to a ctc's real input; an integer becomes a real, never
 * the other way. */
static bool types_agree(brink_checker *c, const brink_ast_statement *s, const brink_symbol *from,
                        const brink_symbol *to) {
  brink_type source = from->read_type, target = to->type;
  if (source == BRINK_TYPE_UNKNOWN || target == BRINK_TYPE_UNKNOWN) return false;
  bool real_target = target == BRINK_TYPE_SIGNAL || target == BRINK_TYPE_REAL;
  if (source != target && !(real_target && brink_is_numeric(source))) {
    brink_check_error(c, BRINK_MSG_CONNECTED_TYPES, s->target->place, NULL,
                      "'%s' is %s, but '%s' is %s", brink_check_path_text(c, s->target, false),
                      brink_a_type(target), brink_check_path_text(c, s->expr, false),
                      brink_a_type(source));
    return false;
  }
  bool held = target == BRINK_TYPE_REAL && to->kind == BRINK_SYMBOL_INPUT &&
              class_of_end(c, s->target)->kind == BRINK_CTC;
  if (held && source == BRINK_TYPE_SIGNAL) {
    brink_check_error(c, BRINK_MSG_SIGNAL_TO_HELD_INPUT, s->target->place,
                      "declare the input as a signal, or sample it with a dtc",
                      "'%s' is held between events, but '%s' is a signal",
                      brink_check_path_text(c, s->target, false),
                      brink_check_path_text(c, s->expr, false));
    return false;
  }
  if (s->expr->vector && !s->target->vector) {
    brink_check_error(c, BRINK_MSG_CONNECTED_SHAPES, s->target->place, NULL,
                      "'%s' is one value, but '%s' is a vector",
                      brink_check_path_text(c, s->target, false),
                      brink_check_path_text(c, s->expr, false));
    return false;
  }
  return true;
}

static bool has_literal_range(const brink_symbol *symbol) {
  const brink_ast_range *range = &symbol->range;
  return range->given && !range->is_set && range->lo->constant && range->hi->constant;
}

/* Whatever the source may be, the target may be. */
static void ranges_agree(brink_checker *c, const brink_ast_statement *s, const brink_symbol *from,
                         const brink_symbol *to) {
  if (to->range.given && to->range.is_set && from->range.given && from->range.is_set) {
    for (size_t k = 0; k < from->range.nitems; k++) {
      const brink_ast_expr *item = from->range.item[k];
      const char *key =
          item->constant ? brink_unit_format(c->unit, "%.17g", item->number) : item->text;
      if (key == NULL || brink_check_in_set(c, &to->range, key)) continue;
      brink_check_error(c, BRINK_MSG_CONNECTED_SETS, s->target->place,
                        brink_check_one_of(c, &to->range, NULL), "'%s' may be %s, but '%s' may not",
                        brink_check_path_text(c, s->expr, false), item->text,
                        brink_check_path_text(c, s->target, false));
      return;
    }
  }
  if (!has_literal_range(from) || !has_literal_range(to)) return;
  char a[BRINK_DOUBLE_TEXT], b[BRINK_DOUBLE_TEXT], x[BRINK_DOUBLE_TEXT], y[BRINK_DOUBLE_TEXT];
  double lo = from->range.lo->number, hi = from->range.hi->number;
  if (lo >= to->range.lo->number && hi <= to->range.hi->number) return;
  brink_check_error(
      c, BRINK_MSG_CONNECTED_RANGES, s->target->place, NULL,
      "the range (%s, %s) of '%s' is not within the range (%s, %s) of '%s'",
      brink_double_text(lo, a), brink_double_text(hi, b), brink_check_path_text(c, s->expr, false),
      brink_double_text(to->range.lo->number, x), brink_double_text(to->range.hi->number, y),
      brink_check_path_text(c, s->target, false));
}

static void units_agree(brink_checker *c, const brink_ast_statement *s, const brink_symbol *from,
                        const brink_symbol *to) {
  if (from->unit == NULL || to->unit == NULL || strcmp(from->unit, to->unit) == 0) return;
  brink_check_error(c, BRINK_MSG_CONNECTED_UNITS, s->target->place, NULL,
                    "'%s' is in %s, but '%s' is in %s", brink_check_path_text(c, s->target, false),
                    to->unit, brink_check_path_text(c, s->expr, false), from->unit);
}

static bool is_agent(const brink_checker *c, const brink_ast_expr *path) {
  return path->nparts > 1 &&
         brink_check_find(c, &c->component->populations, path->part[0].name) != NULL;
}

/* Agents run by their own clocks: pairs describe what happens between two of them, not connections. Which two a loop
 * connects, the flattener finds. */
static bool different_agents(const brink_checker *c, const brink_ast_expr *a,
                             const brink_ast_expr *b) {
  if (!is_agent(c, a) || !is_agent(c, b)) return false;
  if (a->part[0].symbol != b->part[0].symbol) return true;
  const brink_ast_expr *i = a->part[0].index, *j = b->part[0].index;
  return i != NULL && j != NULL && i->constant && j->constant && i->number != j->number;
}

/* The port at the end of a path; NULL: it is something else. Reports nothing. */
static const brink_symbol *port_at(const brink_checker *c, const brink_ast_expr *path) {
  const brink_symbol *symbol = NULL;
  for (size_t k = 0; path->op == BRINK_AST_NAME && k < path->nparts; k++) {
    const char *name = path->part[k].name;
    if (k > 0 && symbol->class_ == NULL) return NULL;
    symbol = k == 0 ? brink_check_lookup(c, name) : brink_check_find(c, symbol->class_, name);
    if (symbol == NULL) return NULL;
  }
  return symbol != NULL && symbol->kind == BRINK_SYMBOL_BUNDLE ? symbol : NULL;
}

/* Two ports that could not be connected signal by signal: says why. */
static bool check_ports(brink_checker *c, const brink_ast_statement *s) {
  const brink_symbol *from = port_at(c, s->expr), *to = port_at(c, s->target);
  if (from == NULL || to == NULL) return true;
  c->lhs_uncertain = true;
  const char *source = brink_check_path_text(c, s->expr, false);
  const char *target = brink_check_path_text(c, s->target, false);
  if (from->bundle != to->bundle)
    brink_check_error(c, BRINK_MSG_BUNDLES_DIFFER, s->target->place, NULL,
                      "'%s' is a bundle '%s', but '%s' is a bundle '%s'", source,
                      from->bundle->name, target, to->bundle->name);
  else
    brink_check_error(
        c, BRINK_MSG_BUNDLE_DIRECTION, s->expr->place, "connect(from, to)",
        "a connection goes from an output to an input of parts: '%s' to '%s' does not", source,
        target);
  return false;
}

void brink_check_connect(brink_checker *c, brink_ast_statement *s, brink_check_list *list) {
  if (!check_ports(c, s)) return;
  brink_symbol *from = resolve_end(c, s->expr);
  brink_symbol *to = resolve_end(c, s->target);
  if (to == NULL) c->lhs_uncertain = true;
  bool source = from == NULL || source_fits(c, s->expr, from); /* one error for both ends */
  if (to != NULL && !(source ? target_fits(c, s->target, to) : is_target(s->target, to))) to = NULL;
  if (!source) from = NULL;
  if (to == NULL) return;
  if (s->target->nparts == 1 && to->by_equation) {
    brink_check_error(c, BRINK_MSG_CONNECTED_AND_DEFINED, s->target->place,
                      "remove the connection, or its equations in output",
                      "'%s' has an equation: nothing is connected to it", to->name);
    return;
  }
  brink_check_define(c, list, s->target, to);
  if (s->target->nparts == 1) to->defined = true;
  if (from == NULL || !types_agree(c, s, from, to)) return;
  ranges_agree(c, s, from, to);
  units_agree(c, s, from, to);
  if (different_agents(c, s->expr, s->target))
    brink_check_error(c, BRINK_MSG_AGENTS_CONNECTED, s->target->place,
                      "describe what happens between them in a pair",
                      "agents cannot be connected to each other");
}
