/* check_names.c: what names mean, and what is visible where. */
#include "lang/check.h"

#include <string.h>

#include "lang/foreign.h"

/* ---- scopes ---- */

size_t brink_check_open_scope(const brink_checker *c) {
  return c->nlocals;
}

void brink_check_close_scope(brink_checker *c, size_t mark) {
  while (c->nlocals > mark) {
    brink_check_local *local = &c->local[--c->nlocals];
    brink_check_put(c, c->locals_of, local->symbol->name, local->hidden);
  }
}

void brink_check_declare_local(brink_checker *c, brink_symbol *symbol) {
  brink_check_local *local = brink_unit_push(c->unit, c->local, c->nlocals, c->local_capacity);
  if (local == NULL) return;
  local->symbol = symbol;
  local->hidden = brink_check_put(c, c->locals_of, symbol->name, symbol);
}

brink_symbol *brink_check_lookup(const brink_checker *c, const char *name) {
  brink_symbol *symbol = brink_check_find(c, c->locals_of, name);
  if (symbol != NULL || c->function != NULL)
    return symbol; /* in a function, nothing else is visible */
  if (c->pair != NULL) symbol = brink_check_find(c, c->pair, name);
  if (symbol == NULL && c->component != NULL) symbol = brink_check_find(c, c->component, name);
  return symbol;
}

static const struct {
  const char *name;
  brink_predefined meaning;
} predefined[] = {
    {"true", BRINK_PREDEFINED_TRUE}, {"false", BRINK_PREDEFINED_FALSE},
    {"inf", BRINK_PREDEFINED_INF},   {"pi", BRINK_PREDEFINED_PI},
    {"time", BRINK_PREDEFINED_TIME}, {"t", BRINK_PREDEFINED_TIME},
};

brink_predefined brink_check_predefined(const char *name) {
  for (size_t k = 0; k < sizeof predefined / sizeof *predefined; k++)
    if (strcmp(predefined[k].name, name) == 0) return predefined[k].meaning;
  return BRINK_PREDEFINED_NOT;
}

/* ---- names that mean nothing ---- */

const char *brink_check_did_you_mean(brink_checker *c, const char *nearest) {
  return nearest == NULL ? NULL : brink_unit_format(c->unit, "did you mean '%s'?", nearest);
}

static const char *nearest_symbol(const brink_symbol *symbols, const char *name, const char *best) {
  for (; symbols != NULL; symbols = symbols->next) best = brink_nearest(name, symbols->name, best);
  return best;
}

static const char *nearest_name(const brink_checker *c, const char *name) {
  const char *best = NULL;
  for (size_t k = 0; k < c->nlocals; k++)
    best = brink_nearest(name, c->local[k].symbol->name, best);
  if (c->function == NULL && c->pair != NULL) {
    best = nearest_symbol(c->pair->symbols, name, best);
    for (size_t k = 0; k < 2; k++) best = nearest_symbol(c->pair->partner[k], name, best);
  }
  if (c->function == NULL && c->component != NULL)
    best = nearest_symbol(c->component->symbols, name, best);
  for (size_t k = 0; k < sizeof predefined / sizeof *predefined; k++)
    best = brink_nearest(name, predefined[k].name, best);
  return best;
}

/* Unknown names are reported once; later they stand for the poison symbol. */
static void poison(brink_checker *c, const char *name) {
  if (c->function != NULL || c->component == NULL) return;
  brink_check_put(c, c->component, name, &c->poison);
}

static bool is_function(const brink_checker *c, const char *name) {
  if (brink_check_find(c, &c->unit->functions, name) != NULL) return true;
#define BRINK_FUNCTION_IS(text, id, least, most)                                                   \
  if (strcmp(name, text) == 0) return true;
  BRINK_FUNCTION_LIST(BRINK_FUNCTION_IS)
#undef BRINK_FUNCTION_IS
  return false;
}

/* A value of a mode or a string without its quotes. */
static const char *quoted_hint(brink_checker *c, const char *name) {
  if (c->component == NULL || c->function != NULL) return NULL;
  for (const brink_symbol *s = c->component->symbols; s != NULL; s = s->next)
    if (s->range.given && s->range.is_set && brink_check_in_set(c, &s->range, name))
      return brink_unit_format(c->unit, "did you mean \"%s\"?", name);
  return NULL;
}

/* x_dot, dx, where x is a state. */
static bool spells_derivative(const brink_checker *c, const char *name, char *state) {
  if (!brink_foreign_derivative(name, state)) return false;
  const brink_symbol *symbol = brink_check_lookup(c, state);
  return symbol != NULL && symbol->kind == BRINK_SYMBOL_STATE;
}

/* What a name that means nothing may have meant: x_dot, e, a value without quotes, a name that is nearly right. */
static const char *name_hint(brink_checker *c, const char *name) {
  char state[BRINK_NAME_LIMIT + 1];
  const char *nearest = nearest_name(c, name), *other = quoted_hint(c, name);
  if (spells_derivative(c, name, state)) {
    if (brink_check_lookup(c, "dt") == NULL) poison(c, "dt"); /* of dx/dt: one error */
    return brink_unit_format(c->unit, "the derivative of '%s' is written %s'", state, state);
  }
  if (other == NULL && nearest == NULL) other = brink_foreign_hint(BRINK_FOREIGN_NAME, name);
  return other != NULL ? other : brink_check_did_you_mean(c, nearest);
}

void brink_check_unknown(brink_checker *c, const char *name, brink_place place) {
  bool quiet = c->function == NULL && c->component != NULL && c->component->names_uncertain;
  if (c->function == NULL && c->pair != NULL && c->pair->damaged) quiet = true;
  if (!quiet && is_function(c, name)) {
    const char *hint = brink_unit_format(c->unit, "write %s(...)", name);
    brink_check_error(c, BRINK_MSG_FUNCTION_WITHOUT_ARGUMENTS, place, hint,
                      "'%s' is a function: it needs arguments", name);
    return;
  }
  if (!quiet && !c->unit->too_many)
    brink_check_error(c, BRINK_MSG_UNKNOWN_NAME, place, name_hint(c, name), "there is no '%s' here",
                      name);
  poison(c, name);
}

static void unknown_member(brink_checker *c, brink_component *class_, const brink_ast_part *part) {
  if (!class_->names_uncertain && !c->unit->too_many) {
    const char *nearest = nearest_symbol(class_->symbols, part->name, NULL);
    brink_check_error(c, BRINK_MSG_UNKNOWN_MEMBER, part->place,
                      brink_check_did_you_mean(c, nearest), "'%s' has no '%s'", class_->name,
                      part->name);
  }
  brink_check_put(c, class_, part->name, &c->poison);
}

/* ---- paths ---- */

/* One index of x[k] or P[i, j]: a whole number, within the size where both are literals. */
static bool check_one_index(brink_checker *c, const brink_symbol *symbol, brink_ast_expr *index,
                            const brink_ast_expr *size) {
  bool prime = c->prime;
  c->prime = false;
  bool whole = true;
  for (size_t k = 0; index->op == BRINK_AST_SLICE && k < index->nargs; k++)
    whole = check_one_index(c, symbol, index->arg[k], size) && whole;
  if (index->op != BRINK_AST_SLICE) whole = brink_check_whole(c, index, "an index");
  c->prime = prime;
  if (!whole || index->op == BRINK_AST_SLICE || !index->constant) return whole;
  double k = index->number;
  if (k < 1.0 || (size != NULL && size->constant && k > size->number)) {
    const char *hint = size != NULL && size->constant
                           ? brink_unit_format(c->unit, "from 1 to %.0f", size->number)
                           : "indices start at 1";
    brink_check_error(c, BRINK_MSG_INDEX_OUT_OF_RANGE, index->place, hint, "there is no '%s[%.0f]'",
                      symbol->name, k);
    return false;
  }
  return true;
}

/* Row and column; where all are literals, the number of the element. */
static bool check_indices(brink_checker *c, const brink_symbol *symbol, brink_ast_expr *index) {
  brink_ast_expr *row = index->arg[0], *column = index->arg[1];
  bool ok = check_one_index(c, symbol, row, symbol->rows);
  ok = check_one_index(c, symbol, column, symbol->columns) && ok;
  index->type = ok ? BRINK_TYPE_INTEGER : BRINK_TYPE_UNKNOWN;
  index->constant = ok && row->constant && column->constant && row->op != BRINK_AST_SLICE &&
                    column->op != BRINK_AST_SLICE && symbol->columns != NULL &&
                    symbol->columns->constant;
  if (index->constant)
    index->number = (row->number - 1.0) * symbol->columns->number + column->number;
  return ok;
}

static bool check_index(brink_checker *c, const brink_symbol *symbol, brink_ast_part *part) {
  brink_ast_expr *index = part->index;
  if (!symbol->vector && symbol->read_type != BRINK_TYPE_UNKNOWN) {
    brink_check_error(c, BRINK_MSG_INDEX_OF_NO_VECTOR, index->place, NULL,
                      "'%s' has no elements: it was declared without []", symbol->name);
    return false;
  }
  if (!symbol->vector && symbol->kind == BRINK_SYMBOL_INSTANCE) {
    brink_check_error(c, BRINK_MSG_INDEX_OF_NO_ARRAY, index->place, NULL,
                      "'%s' is one component, not an array of them", symbol->name);
    return false;
  }
  if (symbol->kind == BRINK_SYMBOL_INSTANCE && brink_index_rank(index) > 0) {
    brink_check_error(c, BRINK_MSG_SLICE_OF_PARTS, index->place, "take them one by one, in a loop",
                      "'%s' is an array of components: it has no slices", symbol->name);
    return false;
  }
  bool known = symbol->vector; /* of an argument of a function, only at its calls */
  bool two = index->op == BRINK_AST_INDICES;
  if (known && two != (symbol->rank == 2)) {
    const char *hint = two ? NULL
                           : brink_unit_format(c->unit, "an element is %s[1, 2], a row %s[1, :]",
                                               symbol->name, symbol->name);
    brink_check_error(c, BRINK_MSG_INDEX_COUNT, index->place, hint, "'%s' has %s", symbol->name,
                      two ? "one index" : "two indices, row and column");
    return false;
  }
  return two ? check_indices(c, symbol, index) : check_one_index(c, symbol, index, symbol->size);
}

/* One more part of a path, in the class reached so far (NULL: the scope of the present place). */
static brink_symbol *find_part(brink_checker *c, brink_component *class_, brink_ast_part *part) {
  brink_symbol *symbol =
      class_ == NULL ? brink_check_lookup(c, part->name) : brink_check_find(c, class_, part->name);
  if (symbol == &c->poison) return NULL;
  if (symbol == NULL && class_ == NULL) brink_check_unknown(c, part->name, part->place);
  if (symbol == NULL && class_ != NULL) unknown_member(c, class_, part);
  part->symbol = symbol;
  return symbol;
}

/* The component that a part leads into; NULL after a report. */
static brink_component *enter(brink_checker *c, const brink_ast_part *part,
                              const brink_ast_part *next) {
  brink_symbol *symbol = part->symbol;
  if (symbol->kind != BRINK_SYMBOL_INSTANCE && symbol->kind != BRINK_SYMBOL_PARTNER) {
    const char *hint = NULL;
    if (strcmp(next->name, "start") == 0)
      hint = brink_unit_format(c->unit, "where it starts stands in 'initial': %s := ...;",
                               symbol->name);
    brink_check_error(c, BRINK_MSG_MEMBER_OF_NO_COMPONENT, next->place, hint,
                      "'%s' is %s: it has no parts", symbol->name, brink_a_kind(symbol->kind));
    return NULL;
  }
  if (symbol->vector && part->index == NULL && c->context != BRINK_IN_CONNECTIONS) {
    const char *hint = brink_unit_format(c->unit, "pick one: %s[1].%s", part->name, next->name);
    brink_check_error(c, BRINK_MSG_INDEX_MISSING, part->place, hint,
                      "'%s' is an array of components", part->name);
    return NULL;
  }
  return symbol->class_;
}

/* "f.torque, f.speed" */
static const char *signals_text(brink_checker *c, const brink_symbol *port) {
  enum { SHOWN = 6 };
  const char *text = "";
  int shown = 0;
  for (const brink_symbol *m = port->bundle->members; m != NULL; m = m->next, shown++) {
    if (shown == SHOWN) return brink_unit_format(c->unit, "%s, ...", text);
    text =
        brink_unit_format(c->unit, "%s%s%s.%s", text, shown == 0 ? "" : ", ", port->name, m->name);
  }
  return text;
}

/* f.w of a port f: the two parts become one, as the signal is declared. False: reported. */
static bool join_signal(brink_checker *c, brink_ast_expr *expr, size_t k) {
  brink_ast_part *port = &expr->part[k], *member = &expr->part[k + 1];
  if (k + 1 == expr->nparts) {
    brink_check_error(c, BRINK_MSG_BUNDLE_AS_VALUE, port->place, signals_text(c, port->symbol),
                      "'%s' is a bundle: name one of its signals", port->name);
    return false;
  }
  if (port->index != NULL && !check_index(c, port->symbol, port)) return false;
  if (port->index != NULL && member->index != NULL) {
    brink_symbol scalar = {.name = member->name, .read_type = BRINK_TYPE_SIGNAL};
    return check_index(c, &scalar, member);
  }
  brink_ast_part joined = {.name = brink_unit_format(c->unit, "%s.%s", port->name, member->name),
                           .index = port->index != NULL ? port->index : member->index,
                           .place = port->place};
  if (member->place.line == port->place.line && member->place.column > port->place.column)
    joined.place.length = member->place.column + member->place.length - port->place.column;
  *port = joined;
  for (size_t j = k + 1; j + 1 < expr->nparts; j++) expr->part[j] = expr->part[j + 1];
  expr->nparts--;
  return true;
}

brink_symbol *brink_check_path(brink_checker *c, brink_ast_expr *expr) {
  brink_component *class_ = NULL;
  for (size_t k = 0; k < expr->nparts; k++) {
    brink_ast_part *part = &expr->part[k];
    brink_symbol *symbol = find_part(c, class_, part);
    if (symbol != NULL && symbol->kind == BRINK_SYMBOL_BUNDLE)
      symbol = join_signal(c, expr, k) ? find_part(c, class_, part) : NULL;
    if (symbol == NULL) return NULL;
    if (part->index != NULL && !check_index(c, symbol, part)) return NULL;
    if (k + 1 == expr->nparts) return symbol;
    class_ = enter(c, part, part + 1);
    if (class_ == NULL) return NULL;
  }
  return NULL;
}

/* ---- visibility ---- */

/* What is inside another component: outputs and views for everyone; any state, mode or parameter
 * (and the way to it) for a composite's initial and for pairs. */
static bool part_visible(const brink_symbol *symbol, bool reach) {
  if (symbol->view || symbol->kind == BRINK_SYMBOL_OUTPUT) return true;
  if (!reach) return false;
  return symbol->kind == BRINK_SYMBOL_STATE || symbol->kind == BRINK_SYMBOL_MODE ||
         symbol->kind == BRINK_SYMBOL_PARAMETER || symbol->kind == BRINK_SYMBOL_INSTANCE;
}

/* A pair is between two agents: all else that it reads must be known before the run. */
static bool visible_from_pair(brink_checker *c, const brink_ast_part *part) {
  if (brink_check_find(c, c->locals_of, part->name) == part->symbol) return true;
  if (brink_check_find(c, c->pair, part->name) == part->symbol) return true;
  if (part->symbol->kind == BRINK_SYMBOL_PARAMETER) return true;
  brink_check_error(c, BRINK_MSG_NOT_VISIBLE_IN_PAIR, part->place,
                    "its partners, its own names, and parameters of the system",
                    "'%s', %s of the system, is not visible in a pair", part->name,
                    brink_a_kind(part->symbol->kind));
  return false;
}

bool brink_check_visible(brink_checker *c, const brink_ast_expr *expr) {
  bool reach = c->context == BRINK_IN_INITIAL || c->pair != NULL;
  if (c->pair != NULL && c->function == NULL && !visible_from_pair(c, &expr->part[0])) return false;
  for (size_t k = 1; k < expr->nparts; k++) {
    const brink_ast_part *part = &expr->part[k];
    if (part_visible(part->symbol, reach)) continue;
    const char *class_name = expr->part[k - 1].symbol->class_->name;
    const char *hint =
        brink_unit_format(c->unit, "add view(%s); to the interface of %s", part->name, class_name);
    brink_check_error(c, BRINK_MSG_NOT_VISIBLE, part->place, hint,
                      "'%s', %s of %s, is not visible from outside", part->name,
                      brink_a_kind(part->symbol->kind), class_name);
    return false;
  }
  return true;
}

/* ---- names and expressions as text ---- */

enum { TEXT_DEPTH = 20, TEXT_ARGUMENTS = 8 };

static void append_expr(brink_checker *c, const brink_ast_expr *e, int depth);

/* Loop variables and lets of one name are distinguished by their addresses. */
static void append_path(brink_checker *c, const brink_ast_expr *path, bool indices, int depth) {
  for (size_t k = 0; k < path->nparts; k++) {
    const brink_ast_part *part = &path->part[k];
    brink_text_add(&c->scratch, "%s%s", k == 0 ? "" : ".", part->name);
    if (!indices) continue;
    const brink_symbol *symbol = part->symbol;
    if (symbol != NULL && (symbol->kind == BRINK_SYMBOL_LOOP || symbol->kind == BRINK_SYMBOL_LET))
      brink_text_add(&c->scratch, "@%p", (const void *)symbol);
    if (part->index == NULL) continue;
    brink_text_append(&c->scratch, "[", 1);
    append_expr(c, part->index, depth + 1);
    brink_text_append(&c->scratch, "]", 1);
  }
}

/* Equal texts mean equal values. What is too large to be written down is equal to nothing. */
static void append_expr(brink_checker *c, const brink_ast_expr *e, int depth) {
  if (e->constant && e->type != BRINK_TYPE_STRING) {
    brink_text_add(&c->scratch, "%.17g", e->number);
  } else if (depth > TEXT_DEPTH || e->nargs > TEXT_ARGUMENTS || e->op == BRINK_AST_DAMAGED) {
    brink_text_add(&c->scratch, "@%p", (const void *)e);
  } else if (e->op == BRINK_AST_NAME) {
    append_path(c, e, true, depth);
  } else if (e->op == BRINK_AST_TEXT) {
    brink_text_add(&c->scratch, "\"%s\"", e->text);
  } else {
    brink_text_add(&c->scratch, "(%d%s", (int)e->op, e->op == BRINK_AST_CALL ? e->text : "");
    for (size_t k = 0; k < e->nargs; k++) {
      brink_text_append(&c->scratch, " ", 1);
      append_expr(c, e->arg[k], depth + 1);
    }
    brink_text_append(&c->scratch, ")", 1);
  }
}

static const char *take_scratch(brink_checker *c) {
  const char *text =
      brink_unit_format(c->unit, "%s", c->scratch.data == NULL ? "" : c->scratch.data);
  if (c->scratch.failed) c->unit->out_of_memory = true;
  c->scratch.length = 0;
  if (c->scratch.data != NULL) c->scratch.data[0] = '\0';
  return text;
}

const char *brink_check_path_text(brink_checker *c, const brink_ast_expr *expr, bool indices) {
  if (expr->nparts == 1 && (!indices || expr->part[0].index == NULL)) return expr->part[0].name;
  append_path(c, expr, indices, 0);
  return take_scratch(c);
}

const char *brink_check_expr_text(brink_checker *c, const brink_ast_expr *expr) {
  append_expr(c, expr, 0);
  return take_scratch(c);
}

const char *brink_check_one_of(brink_checker *c, const brink_ast_range *set, const char *wrong) {
  enum { SHOWN = 12 };
  const char *text = "", *nearest = NULL;
  for (size_t k = 0; k < set->nitems; k++) {
    const char *value = set->item[k]->text;
    if (value == NULL) continue;
    if (wrong != NULL) nearest = brink_nearest(wrong, value, nearest);
    if (k == SHOWN) text = brink_unit_format(c->unit, "%s, ...", text);
    const char *quote = set->item[k]->op == BRINK_AST_TEXT ? "\"" : "";
    if (k < SHOWN)
      text =
          brink_unit_format(c->unit, "%s%s%s%s%s", text, k == 0 ? "" : ", ", quote, value, quote);
  }
  if (nearest != NULL) return brink_unit_format(c->unit, "did you mean \"%s\"?", nearest);
  return brink_unit_format(c->unit, "one of %s", text);
}
