/* check_value.c: does a value fit what it is given to? Assignments, arguments, simulation. */
#include "lang/check.h"

#include <math.h>
#include <string.h>

/* ---- strings and their sets ---- */

/* The set that a string comes from; NULL: any string, or more than one source. */
static const brink_ast_range *set_of(const brink_ast_expr *expr, const brink_symbol **symbol) {
  if (expr->op == BRINK_AST_CALL && (expr->function == BRINK_FN_DELAY ||
                                     (expr->nargs == 1 && (expr->function == BRINK_FN_PRE ||
                                                           expr->function == BRINK_FN_NOEVENT))))
    expr = expr->arg[0];
  if (expr->op != BRINK_AST_NAME || expr->nparts == 0) return NULL;
  *symbol = expr->part[expr->nparts - 1].symbol;
  if (*symbol == NULL || !(*symbol)->range.given || !(*symbol)->range.is_set) return NULL;
  return &(*symbol)->range;
}

/* A text among the values of `symbol`? */
static void check_text(brink_checker *c, const brink_symbol *symbol, const brink_ast_range *set,
                       const brink_ast_expr *text) {
  if (brink_check_in_set(c, set, text->text)) return;
  const char *what = symbol->kind == BRINK_SYMBOL_MODE ? "mode" : "value";
  brink_check_error(c, BRINK_MSG_UNKNOWN_STRING, text->place,
                    brink_check_one_of(c, set, text->text), "unknown %s \"%s\" of '%s'", what,
                    text->text, symbol->name);
}

/* Every value of one set is in another? Reports; each two sets are compared once. */
static void check_subset(brink_checker *c, const brink_symbol *symbol, const brink_symbol *source,
                         brink_place place) {
  const brink_ast_range *set = &symbol->range, *from = &source->range;
  const char *seen = brink_unit_format(c->unit, "%p", (const void *)set);
  if (from == set || brink_check_put(c, &from->item, seen, c) != NULL) return;
  for (size_t k = 0; k < from->nitems; k++) {
    const char *value = from->item[k]->text;
    if (from->item[k]->op != BRINK_AST_TEXT || brink_check_in_set(c, set, value)) continue;
    brink_check_error(c, BRINK_MSG_STRING_NOT_IN_SET, place, brink_check_one_of(c, set, NULL),
                      "'%s' may be \"%s\", but '%s' may not", source->name, value, symbol->name);
    return;
  }
}

/* Every value that a string can take must be in the set of `symbol`. The definitions of lets are followed, but only to a
 * limit: each may contain the one before twice. */
static void check_string(brink_checker *c, const brink_symbol *symbol, const brink_ast_expr *expr,
                         int lets) {
  enum { LETS = 8 };
  const brink_symbol *source = NULL;
  const brink_ast_range *set = &symbol->range;
  if (!set->given || !set->is_set || lets > LETS) return;
  if (expr->op == BRINK_AST_TEXT) {
    check_text(c, symbol, set, expr);
    return;
  }
  if (expr->op == BRINK_AST_IF) {
    check_string(c, symbol, expr->arg[1], lets);
    check_string(c, symbol, expr->arg[2], lets);
    return;
  }
  const brink_ast_range *from = set_of(expr, &source);
  if (source == NULL || source->kind == BRINK_SYMBOL_ARGUMENT) return;
  if (source->kind == BRINK_SYMBOL_LET) {
    if (source->definition != NULL) check_string(c, symbol, source->definition, lets + 1);
  } else if (from != NULL) {
    check_subset(c, symbol, source, expr->place);
  } else {
    brink_check_error(
        c, BRINK_MSG_STRING_SET_TOO_LARGE, expr->place, brink_check_one_of(c, set, NULL),
        "'%s' may be any string, but '%s' has a set of values", source->name, symbol->name);
  }
}

void brink_check_comparable(brink_checker *c, brink_ast_expr *a, brink_ast_expr *b) {
  const brink_symbol *left = NULL, *right = NULL;
  const brink_ast_range *of_a = set_of(a, &left), *of_b = set_of(b, &right);
  if (of_a != NULL && b->op == BRINK_AST_TEXT) check_text(c, left, of_a, b);
  if (of_b != NULL && a->op == BRINK_AST_TEXT) check_text(c, right, of_b, a);
  if (of_a == NULL || of_b == NULL) return;
  for (size_t k = 0; k < of_b->nitems; k++)
    if (of_b->item[k]->text == NULL || brink_check_in_set(c, of_a, of_b->item[k]->text)) return;
  brink_check_error(c, BRINK_MSG_DISJOINT_SETS, b->place, brink_check_one_of(c, of_a, NULL),
                    "'%s' and '%s' have no value in common", left->name, right->name);
}

/* ---- numbers and their ranges ---- */

static void check_integer_set(brink_checker *c, const brink_symbol *symbol,
                              const brink_ast_expr *expr) {
  const char *key = brink_unit_format(c->unit, "%.17g", expr->number);
  if (brink_check_in_set(c, &symbol->range, key)) return;
  brink_check_error(c, BRINK_MSG_VALUE_NOT_IN_SET, expr->place,
                    brink_check_one_of(c, &symbol->range, NULL), "%.17g is not in the set of '%s'",
                    expr->number, symbol->name);
}

static void check_bounds(brink_checker *c, const brink_symbol *symbol, const brink_ast_expr *expr) {
  const brink_ast_range *range = &symbol->range;
  char value[BRINK_DOUBLE_TEXT], lo[BRINK_DOUBLE_TEXT], hi[BRINK_DOUBLE_TEXT];
  if (!range->given || !expr->constant) return;
  if (range->is_set) {
    check_integer_set(c, symbol, expr);
    return;
  }
  if (!range->lo->constant || !range->hi->constant) return;
  if (expr->number >= range->lo->number && expr->number <= range->hi->number) return;
  brink_check_error(c, BRINK_MSG_VALUE_OUT_OF_RANGE, expr->place, NULL,
                    "%s is outside the range (%s, %s) of '%s'",
                    brink_double_text(expr->number, value),
                    brink_double_text(range->lo->number, lo),
                    brink_double_text(range->hi->number, hi), symbol->name);
}

/* Every element of a literal vector, both branches of an if. */
static void check_range(brink_checker *c, const brink_symbol *symbol, const brink_ast_expr *expr) {
  if (expr->op == BRINK_AST_VECTOR) {
    for (size_t k = 0; k < expr->nargs; k++) check_range(c, symbol, expr->arg[k]);
  } else if (expr->op == BRINK_AST_IF) {
    check_range(c, symbol, expr->arg[1]);
    check_range(c, symbol, expr->arg[2]);
  } else if (expr->type == BRINK_TYPE_STRING) {
    check_string(c, symbol, expr, 0);
  } else {
    check_bounds(c, symbol, expr);
  }
}

/* ---- types ---- */

static bool type_fits(brink_type to, brink_type from) {
  if (to == BRINK_TYPE_UNKNOWN || from == BRINK_TYPE_UNKNOWN || to == from) return true;
  if (to == BRINK_TYPE_SIGNAL || to == BRINK_TYPE_REAL) return brink_is_numeric(from);
  return false;
}

/* How one type is made of the other. */
static const char *mismatch_hint(brink_checker *c, brink_type to, const brink_ast_expr *expr) {
  bool real = expr->type == BRINK_TYPE_REAL || expr->type == BRINK_TYPE_SIGNAL;
  if (to == BRINK_TYPE_INTEGER && real && expr->constant && expr->number == floor(expr->number) &&
      fabs(expr->number) < 1e15)
    return brink_unit_format(c->unit, "write %.0f", expr->number);
  if (to == BRINK_TYPE_INTEGER && real) return "floor(...) and ceil(...) give integers";
  if (brink_is_numeric(to) && expr->type == BRINK_TYPE_BOOLEAN)
    return "a number from a boolean is written if ... then 1 else 0";
  if (to == BRINK_TYPE_BOOLEAN && brink_is_numeric(expr->type))
    return "a boolean from a number is written n /= 0";
  return NULL;
}

void brink_check_fits(brink_checker *c, const brink_symbol *symbol, const brink_ast_expr *index,
                      brink_ast_expr *expr) {
  brink_type to = symbol->kind == BRINK_SYMBOL_MODE ? BRINK_TYPE_STRING : symbol->type;
  if (expr == NULL || expr->type == BRINK_TYPE_UNKNOWN) return;
  if (symbol->kind == BRINK_SYMBOL_FLAG) {
    if (expr->type == BRINK_TYPE_STRING)
      brink_check_error(c, BRINK_MSG_STRING_AS_FLAG, expr->place, "give it a number, or a formula",
                        "'%s' is a flag, but this is a string", symbol->name);
    to = BRINK_TYPE_UNKNOWN;
  }
  if (!type_fits(to, expr->type)) {
    brink_check_error(c, BRINK_MSG_TYPE_MISMATCH, expr->place, mismatch_hint(c, to, expr),
                      "'%s' is %s, but this is %s", symbol->name, brink_a_type(to),
                      brink_a_type(expr->type));
    return;
  }
  int rank = index != NULL ? brink_index_rank(index) : symbol->rank;
  const char *name =
      index != NULL ? brink_unit_format(c->unit, "%s[...]", symbol->name) : symbol->name;
  if (expr->vector && rank == 0) {
    brink_check_error(c, BRINK_MSG_VECTOR_AS_VALUE, expr->place, NULL,
                      "'%s' is one value, but this is a vector", name);
    return;
  }
  if (expr->rank > 0 && expr->rank != rank) {
    brink_check_error(c, BRINK_MSG_RANK_MISMATCH, expr->place, NULL, "'%s' is %s, but this is %s",
                      name, rank == 2 ? "a matrix" : "a vector",
                      expr->rank == 2 ? "a matrix" : "a vector");
    return;
  }
  const brink_ast_expr *size = index == NULL && symbol->columns == NULL ? symbol->size : NULL;
  if (expr->op == BRINK_AST_VECTOR && size != NULL && size->constant &&
      size->number != (double)expr->nargs) {
    brink_check_error(c, BRINK_MSG_LENGTH_MISMATCH, expr->place, NULL,
                      "'%s' has %.0f elements, but this has %zu", symbol->name, size->number,
                      expr->nargs);
    return;
  }
  if (symbol->kind != BRINK_SYMBOL_FLAG) check_range(c, symbol, expr);
}

/* ---- assignments ---- */

/* name[index]: the index is a whole number within the size. */
static void check_value_index(brink_checker *c, brink_ast_value *value) {
  if (value->index == NULL) return;
  brink_ast_part part = {.name = value->name, .index = value->index, .place = value->place};
  brink_ast_expr path = {.op = BRINK_AST_NAME, .part = &part, .nparts = 1, .place = value->place};
  brink_check_path(c, &path);
}

static const char *value_key(brink_checker *c, const brink_ast_value *value) {
  if (value->index == NULL) return value->name;
  if (value->index->constant)
    return brink_unit_format(c->unit, "%s[%.17g]", value->name, value->index->number);
  return brink_unit_format(c->unit, "%s[%p]", value->name, (const void *)value->index);
}

/* Once only, in this list. */
static void check_once(brink_checker *c, const void *list, bool damaged, brink_ast_value *value) {
  const brink_ast_value *first = brink_check_put(c, list, value_key(c, value), value);
  if (first == NULL || damaged) return;
  const char *hint = brink_unit_format(c->unit, "first at %s",
                                       brink_check_line_text(c, first->place, value->place));
  brink_check_error(c, BRINK_MSG_VALUE_TWICE, value->place, hint, "'%s' has a value already",
                    value->name);
}

/* A parameter, or an input's default; of a pair, its own parameters. NULL after a report. */
static brink_symbol *find_assigned(brink_checker *c, const char *name, brink_place place) {
  brink_symbol *symbol = brink_check_lookup(c, name);
  if (symbol == &c->poison) return NULL;
  if (symbol == NULL) {
    brink_check_unknown(c, name, place);
    return NULL;
  }
  bool own = c->pair == NULL || brink_check_find(c, c->pair, name) == symbol;
  bool input = symbol->kind == BRINK_SYMBOL_INPUT && c->pair == NULL;
  if (own && (symbol->kind == BRINK_SYMBOL_PARAMETER || input)) return symbol;
  bool starts = symbol->kind == BRINK_SYMBOL_STATE || symbol->kind == BRINK_SYMBOL_MODE;
  const char *hint = starts ? brink_unit_format(c->unit, "in initial: %s := ...;", name)
                            : "parameters and inputs have values here";
  brink_check_error(c, BRINK_MSG_VALUE_NOT_ALLOWED, place, hint,
                    "'%s' is %s: it has no value in assignments", name,
                    own ? brink_a_kind(symbol->kind) : "not of this pair");
  return NULL;
}

static void check_assignment(brink_checker *c, brink_ast_section *section, brink_ast_value *value) {
  if (value->expr->op == BRINK_AST_DAMAGED) return; /* perhaps no value at all */
  brink_check_expr(c, value->expr);
  brink_symbol *symbol = find_assigned(c, value->name, value->place);
  if (symbol == NULL) return;
  value->symbol = symbol;
  check_value_index(c, value);
  check_once(c, section, section->damaged, value);
  brink_check_fits(c, symbol, value->index, value->expr);
}

void brink_check_assigned(brink_checker *c, brink_ast_statement *s, brink_check_list *list) {
  brink_ast_expr *target = s->target;
  brink_check_expr(c, s->expr);
  if (target->op != BRINK_AST_NAME || target->nparts != 1) {
    if (target->op == BRINK_AST_NAME)
      brink_check_error(c, BRINK_MSG_VALUE_OF_ANOTHER_COMPONENT, target->place,
                        "give it as an argument of the part", "'%s' is in another component",
                        brink_check_path_text(c, target, false));
    return;
  }
  brink_symbol *symbol = find_assigned(c, target->part[0].name, target->part[0].place);
  if (symbol == NULL || brink_check_path(c, target) == NULL) return;
  target->type = symbol->read_type;
  const brink_ast_expr *index = target->part[0].index;
  target->rank = (uint8_t)(index != NULL ? brink_index_rank(index) : symbol->rank);
  target->vector = target->rank > 0;
  brink_check_define(c, list, target, symbol);
  brink_check_fits(c, symbol, target->part[0].index, s->expr);
}

void brink_check_assignments(brink_checker *c, brink_ast_section *section) {
  c->context = BRINK_IN_ASSIGNMENTS;
  for (size_t k = 0; k < section->nvalues; k++) check_assignment(c, section, &section->values[k]);
  brink_check_section(c, BRINK_IN_ASSIGNMENTS, &section->body,
                      section->damaged); /* loops over values */
}

/* ---- arguments of instances ---- */

static void no_such_argument(brink_checker *c, brink_component *class_,
                             const brink_ast_value *value) {
  const brink_symbol *symbol = brink_check_find(c, class_, value->name);
  const char *nearest = NULL;
  if (symbol == &c->poison || class_->names_uncertain || c->unit->too_many) return;
  if (symbol != NULL && symbol->kind == BRINK_SYMBOL_PARAMETER) {
    brink_check_error(c, BRINK_MSG_NOT_A_KNOB, value->place,
                      brink_unit_format(c->unit, "add knob(%s); to the interface of %s",
                                        value->name, class_->name),
                      "'%s' is not a knob of '%s'", value->name, class_->name);
    return;
  }
  for (brink_symbol *s = class_->symbols; s != NULL; s = s->next)
    if (s->knob || s->kind == BRINK_SYMBOL_INPUT)
      nearest = brink_nearest(value->name, s->name, nearest);
  brink_check_error(c, BRINK_MSG_UNKNOWN_KNOB, value->place, brink_check_did_you_mean(c, nearest),
                    "'%s' has no knob or input '%s'", class_->name, value->name);
}

static void check_argument(brink_checker *c, brink_symbol *instance, brink_ast_value *value) {
  brink_component *class_ = instance->class_;
  c->context = BRINK_IN_ARGUMENTS;
  brink_check_expr(c, value->expr);
  if (class_ == NULL) return;
  brink_symbol *symbol = brink_check_find(c, class_, value->name);
  if (symbol == NULL || symbol == &c->poison ||
      !(symbol->knob || symbol->kind == BRINK_SYMBOL_INPUT)) {
    no_such_argument(c, class_, value);
    return;
  }
  value->symbol = symbol;
  if (value->index != NULL) brink_check_whole(c, value->index, "an index");
  check_once(c, &instance->values, false, value);
  bool spread = instance->vector && instance->counter == NULL && value->expr->vector &&
                !symbol->vector; /* one value each */
  if (!spread) brink_check_fits(c, symbol, value->index, value->expr);
}

void brink_check_arguments(brink_checker *c, brink_symbol *instance) {
  size_t mark = brink_check_open_scope(c);
  if (instance->counter != NULL) {
    instance->counter->read_type = BRINK_TYPE_INTEGER;
    brink_check_declare_local(c, instance->counter);
  }
  for (size_t k = 0; k < instance->nvalues; k++) check_argument(c, instance, &instance->values[k]);
  brink_check_close_scope(c, mark);
}

/* ---- simulation ---- */

static const struct {
  const char *name;
  const char *texts; /* NULL: a number; "": any text */
  bool whole;
  double least; /* … at least this; or more than it, if `open` */
  bool open;
} keys[] = {
    {"from", NULL, false, -INFINITY, true},
    {"until", NULL, false, -INFINITY, false},
    {"tolerance", NULL, false, 0.0, true},
    {"rtol", NULL, false, 0.0, true},
    {"atol", NULL, false, 0.0, false},
    {"method", "auto adams taylor dopri bdf dae euler taylor2 rk4 am3 bdf3 trapezoid", false, 0.0,
     false},
    {"events", "extrapolate interpolate endpoint zlm mnm", false, 0.0, false},
    {"every", NULL, false, 0.0, true},
    {"keep", "", false, 0.0, false},
    {"step", NULL, false, 0.0, true},
    {"order", NULL, true, 1.0, false},
    {"hmin", NULL, false, 0.0, false},
    {"hmax", NULL, false, 0.0, true},
    {"gain", "margin published fixed", false, 0.0, false},
    {"gamma", NULL, false, 0.0, false},
    {"termination", NULL, false, 0.0, true},
    {"parts", NULL, true, 2.0, false},
    {"seed", NULL, true, 0.0, false},
    {"range", "stop warn", false, 0.0, false},
    {"zeno", "stop continue", false, 0.0, false},
    {"clocks", "own one", false, 0.0, false},
    {"threads", NULL, true, 1.0, false},
};
enum { KEYS = sizeof keys / sizeof *keys };

/* Is `text` one of the words? *nearest: the one most like it. */
static bool is_word(brink_checker *c, const char *words, const char *text, const char **nearest) {
  *nearest = NULL;
  while (*words != '\0') {
    size_t length = strcspn(words, " ");
    const char *word = brink_unit_format(c->unit, "%.*s", (int)length, words);
    if (strcmp(word, text) == 0) return true;
    *nearest = brink_nearest(text, word, *nearest);
    words += length;
    words += strspn(words, " ");
  }
  return false;
}

static void check_text_key(brink_checker *c, size_t k, const brink_ast_expr *expr) {
  const char *nearest;
  bool any = keys[k].texts[0] == '\0';
  if (expr->type != BRINK_TYPE_STRING) {
    const char *hint = any ? "names between quotes, such as \"plant.*, car[1..5].x\""
                           : brink_unit_format(c->unit, "one of %s", keys[k].texts);
    brink_check_error(c, BRINK_MSG_SIMULATION_NOT_A_STRING, expr->place, hint,
                      "'%s' is a string, but this is %s", keys[k].name, brink_a_type(expr->type));
    return;
  }
  if (any || expr->op != BRINK_AST_TEXT || is_word(c, keys[k].texts, expr->text, &nearest)) return;
  const char *hint = nearest != NULL ? brink_unit_format(c->unit, "did you mean \"%s\"?", nearest)
                                     : brink_unit_format(c->unit, "one of %s", keys[k].texts);
  brink_check_error(c, BRINK_MSG_SIMULATION_UNKNOWN_WORD, expr->place, hint,
                    "'%s' cannot be \"%s\"", keys[k].name, expr->text);
}

static void check_number_key(brink_checker *c, size_t k, brink_ast_expr *expr) {
  bool fine = keys[k].whole ? brink_check_whole(c, expr, keys[k].name)
                            : brink_check_number(c, expr, keys[k].name);
  if (!fine || !expr->constant) return;
  if (expr->number > keys[k].least || (!keys[k].open && expr->number == keys[k].least)) return;
  brink_check_error(c, BRINK_MSG_SIMULATION_OUT_OF_BOUNDS, expr->place, NULL, "'%s' must be %s %g",
                    keys[k].name, keys[k].open ? "above" : "at least", keys[k].least);
}

static void check_setting(brink_checker *c, brink_ast_value *value) {
  const char *nearest = NULL;
  size_t k = 0;
  if (value->expr->op == BRINK_AST_DAMAGED) return;
  while (k < KEYS && strcmp(keys[k].name, value->name) != 0) k++;
  if (k == KEYS) {
    for (size_t j = 0; j < KEYS; j++) nearest = brink_nearest(value->name, keys[j].name, nearest);
    brink_check_error(c, BRINK_MSG_SIMULATION_UNKNOWN, value->place,
                      brink_check_did_you_mean(c, nearest), "there is no setting '%s'",
                      value->name);
    return;
  }
  const brink_ast_section *section = &c->component->section[BRINK_SECTION_SIMULATION];
  check_once(c, section, section->damaged, value);
  if (keys[k].texts == NULL) {
    check_number_key(c, k, value->expr);
    return;
  }
  brink_check_expr(c, value->expr);
  if (value->expr->type != BRINK_TYPE_UNKNOWN) check_text_key(c, k, value->expr);
}

void brink_check_simulation(brink_checker *c) {
  brink_ast_section *section = &c->component->section[BRINK_SECTION_SIMULATION];
  c->context = BRINK_IN_SIMULATION;
  for (size_t k = 0; k < section->nvalues; k++) check_setting(c, &section->values[k]);
}
