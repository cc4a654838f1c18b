/* flat_value.c: values known before the run: parameters, sizes, indices, initial values.
 *
 * A plain evaluator of syntax trees, one element at a time. Strings are numbers of the system's
 * texts, booleans 0 and 1. What random draws give depends on the seed, the instance and the number
 * of the draw in it, so on nothing else. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lang/flat.h"

/* FNV-1a; tables are kept at most half full. */
static size_t string_place(const flat *f, const char *text) {
  uint64_t hash = 14695981039346656037u;
  for (const char *c = text; *c != '\0'; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
  size_t at = (size_t)(hash % f->string_room);
  while (f->string_table[at] != 0 && strcmp(f->system->strings[f->string_table[at] - 1], text) != 0)
    at = at + 1 < f->string_room ? at + 1 : 0;
  return at;
}

static bool grow_strings(flat *f) {
  if (2 * (f->system->nstrings + 1) <= f->string_room) return true;
  f->string_room = f->string_room == 0 ? 64 : 2 * f->string_room;
  f->string_table = brink_arena_pack(&f->scratch, f->string_room, sizeof *f->string_table);
  if (f->string_table == NULL) return false;
  for (size_t k = 0; k < f->system->nstrings; k++)
    f->string_table[string_place(f, f->system->strings[k])] = (uint32_t)k + 1;
  return true;
}

uint32_t flat_string(flat *f, const char *text) {
  brink_system *system = f->system;
  if (f->failed) return 0;
  if (!grow_strings(f)) {
    flat_out_of_memory(f);
    return 0;
  }
  size_t at = string_place(f, text);
  if (f->string_table[at] != 0) return f->string_table[at] - 1;
  char *copy = flat_note(f, brink_arena_text(f->arena, text));
  if (copy == NULL) return 0;
  const char **string = flat_push(f, system->strings, system->nstrings, system->strings_capacity);
  if (string == NULL) return 0;
  *string = copy;
  f->string_table[at] = (uint32_t)system->nstrings;
  return (uint32_t)system->nstrings - 1;
}

/* ---- names ---- */

const flat_binding *flat_find_binding(const flat_binding *binding, const brink_symbol *symbol) {
  symbol = flat_loop_symbol(symbol);
  while (binding != NULL && flat_loop_symbol(binding->symbol) != symbol) binding = binding->outer;
  return binding;
}

/* Which element of which instance a path names: *element of *variable. */
static bool find_element(flat *f, const flat_point *point, const brink_ast_expr *name,
                         flat_variable **variable, size_t *element) {
  flat_group *group = point->group;
  size_t instance = point->instance;
  for (size_t k = 0; k + 1 < name->nparts; k++) {
    const brink_ast_part *part = &name->part[k];
    flat_group *child = flat_child(group, part->symbol);
    if (child == NULL) return false;
    int64_t index = 1;
    if (child->dimension > 0 && part->index == NULL) {
      flat_error(f, BRINK_MSG_INDEX_MISSING, part->place, "write which one",
                 "'%s' is an array of components", part->name);
      return false;
    }
    if (part->index != NULL &&
        !flat_whole(f, point, part->index, part->name, 1,
                    (int64_t)(child->dimension > 0 ? child->dimension : 1), &index))
      return false;
    instance = instance * (child->dimension > 0 ? child->dimension : 1) + (size_t)(index - 1);
    group = child;
  }
  const brink_ast_part *last = &name->part[name->nparts - 1];
  *variable = flat_variable_of(group, last->symbol);
  if (*variable != NULL && (*variable)->group != group)
    instance = 0; /* of the system around a pair */
  if (*variable == NULL || flat_size(f, *variable) == 0) return false;
  size_t k = 0;
  if (last->index != NULL) {
    flat_selection s;
    if (!flat_select(f, point, last->index, last->name, flat_variable_shape(f, *variable), &s))
      return false;
    size_t e = brink_names_element(last) || point->element == BRINK_NONE ? 0 : point->element;
    if (e >= s.count[0] * s.count[1]) return false;
    k = flat_selected(&s, e);
  } else if (last->symbol->size != NULL) {
    k = point->element == BRINK_NONE ? 0 : point->element;
    if (k >= (*variable)->length) return false;
  }
  *element = instance * (*variable)->length + k;
  return true;
}

static double initial_value(const flat *f, const flat_variable *variable, size_t element) {
  size_t slot = variable->base + element;
  switch (variable->space) {
  case BRINK_SPACE_X:
    return f->system->x0[slot];
  case BRINK_SPACE_P:
    return f->system->p0[slot];
  default:
    return (double)f->system->mode0[slot];
  }
}

static bool not_known(flat *f, const brink_ast_expr *expr, const char *what) {
  flat_error(f, BRINK_MSG_VALUE_NOT_KNOWN, expr->place,
             "a value before the run may depend on parameters, numbers and, in initial, "
             "what was set before",
             "the value of '%s' is not known before the run", what);
  return false;
}

static bool variable_value(flat *f, const flat_point *point, const brink_ast_expr *expr,
                           double *value) {
  flat_variable *variable;
  size_t element;
  if (!find_element(f, point, expr, &variable, &element)) {
    f->failed = true;
    return false;
  }
  brink_symbol_kind kind = variable->symbol->kind;
  if (kind == BRINK_SYMBOL_PARAMETER || (kind == BRINK_SYMBOL_INPUT && variable->takes_default)) {
    if (!flat_evaluate(f, variable)) return false;
    *value = variable->values[element];
    f->assumptions += variable->assumed;
    variable->settled = variable->settled || f->evaluating == 0;
    return true;
  }
  bool stored =
      kind == BRINK_SYMBOL_STATE || kind == BRINK_SYMBOL_MODE || variable->symbol->unknown;
  if (!point->initial || !stored) return not_known(f, expr, variable->symbol->name);
  *value = initial_value(f, variable, element);
  f->assumptions += variable->assumed;
  return true;
}

static bool name_value(flat *f, const flat_point *point, const brink_ast_expr *expr,
                       double *value) {
  static const double known[] = {
      [BRINK_PREDEFINED_TRUE] = 1.0, [BRINK_PREDEFINED_PI] = 3.14159265358979323846};
  if (expr->predefined == BRINK_PREDEFINED_INF) {
    *value = (double)INFINITY;
    return true;
  }
  if (expr->predefined != BRINK_PREDEFINED_NOT) {
    *value = expr->predefined == BRINK_PREDEFINED_TIME ? f->system->t0 : known[expr->predefined];
    return true;
  }
  const brink_symbol *symbol = expr->part[0].symbol;
  if (symbol == NULL) return false;
  if (symbol->kind != BRINK_SYMBOL_LOOP && symbol->kind != BRINK_SYMBOL_ARGUMENT &&
      symbol->kind != BRINK_SYMBOL_LET)
    return variable_value(f, point, expr, value);
  const flat_binding *binding = flat_find_binding(point->binding, symbol);
  if (binding == NULL) return not_known(f, expr, symbol->name);
  if (symbol->kind == BRINK_SYMBOL_LOOP) {
    *value = binding->value;
    return true;
  }
  size_t element = point->element;
  if (expr->part[0].index != NULL) {
    flat_shape of;
    flat_selection s;
    brink_ast_part whole = expr->part[0];
    brink_ast_expr name = *expr;
    whole.index = NULL;
    name.part = &whole;
    if (!flat_bound_shape(f, point->group, &name, point->binding, &of) ||
        !flat_select(f, point, expr->part[0].index, symbol->name, of, &s))
      return false;
    size_t e = brink_names_element(&expr->part[0]) || element == BRINK_NONE ? 0 : element;
    if (e >= s.count[0] * s.count[1]) return false;
    element = flat_selected(&s, e);
  }
  if (binding->values != NULL) {
    size_t k = binding->length > 1 && element != BRINK_NONE ? element : 0;
    if (k >= binding->length) return false;
    *value = binding->values[k];
    return true;
  }
  flat_point inner = *binding->point;
  inner.element = element;
  return flat_value(f, &inner, binding->expr, value);
}

/* ---- calls ---- */

/* sum, dot, norm: over the elements. */
static bool reduce_value(flat *f, const flat_point *point, const brink_ast_expr *expr,
                         double *value) {
  size_t length = flat_bound_length(f, point->group, expr->arg[0], point->binding);
  double sum = 0.0;
  for (size_t k = 0; k < length; k++) {
    flat_point inner = *point;
    inner.element = k;
    double a, b = 1.0;
    if (!flat_value(f, &inner, expr->arg[0], &a)) return false;
    if (expr->function == BRINK_FN_NORM) b = a;
    if (expr->function == BRINK_FN_DOT && !flat_value(f, &inner, expr->arg[1], &b)) return false;
    sum += a * b;
  }
  *value = expr->function == BRINK_FN_NORM ? sqrt(sum) : sum;
  return length > 0;
}

static bool user_value(flat *f, const flat_point *point, const brink_ast_expr *expr,
                       double *value) {
  const brink_user_function *function = expr->user;
  if (function == NULL || (function->body == NULL && function->nresults == 0)) return false;
  if (function->narguments != expr->nargs) return false;
  return flat_function_value(f, point, expr, value);
}

static bool table_value(flat *f, const flat_point *point, const brink_ast_expr *expr,
                        double *value) {
  double u;
  if (!flat_value(f, point, expr->arg[0], &u)) return false;
  size_t count = flat_bound_length(f, point->group, expr->arg[1], point->binding);
  double x[2] = {0.0, 0.0}, y[2] = {0.0, 0.0};
  for (size_t k = 0; k < count; k++) {
    flat_point inner = *point;
    inner.element = k;
    if (k >= 2 && u < x[1]) break;
    x[0] = x[1], y[0] = y[1];
    if (!flat_value(f, &inner, expr->arg[1], &x[1]) || !flat_value(f, &inner, expr->arg[2], &y[1]))
      return false;
  }
  *value = y[0] + (u - x[0]) * ((y[1] - y[0]) / (x[1] - x[0]));
  return count >= 2;
}

brink_op flat_plain_op(brink_function function) {
  static const brink_op ops[] = {
      [BRINK_FN_SIN] = BRINK_OP_SIN,     [BRINK_FN_COS] = BRINK_OP_COS,
      [BRINK_FN_TAN] = BRINK_OP_TAN,     [BRINK_FN_ASIN] = BRINK_OP_ASIN,
      [BRINK_FN_ACOS] = BRINK_OP_ACOS,   [BRINK_FN_ATAN] = BRINK_OP_ATAN,
      [BRINK_FN_ATAN2] = BRINK_OP_ATAN2, [BRINK_FN_SINH] = BRINK_OP_SINH,
      [BRINK_FN_COSH] = BRINK_OP_COSH,   [BRINK_FN_TANH] = BRINK_OP_TANH,
      [BRINK_FN_EXP] = BRINK_OP_EXP,     [BRINK_FN_LOG] = BRINK_OP_LOG,
      [BRINK_FN_LOG10] = BRINK_OP_LOG10, [BRINK_FN_SQRT] = BRINK_OP_SQRT,
      [BRINK_FN_ABS] = BRINK_OP_ABS,     [BRINK_FN_SIGN] = BRINK_OP_SIGN,
      [BRINK_FN_MIN] = BRINK_OP_MIN,     [BRINK_FN_MAX] = BRINK_OP_MAX,
      [BRINK_FN_FLOOR] = BRINK_OP_FLOOR, [BRINK_FN_HYPOT] = BRINK_OP_HYPOT,
  };
  return (size_t)function < sizeof ops / sizeof *ops ? ops[function] : BRINK_OP_CONST;
}

static bool call_value(flat *f, const flat_point *point, const brink_ast_expr *expr,
                       double *value) {
  double a = 0.0, b = 0.0;
  switch (expr->function) {
  case BRINK_FN_USER:
    return user_value(f, point, expr, value);
  case BRINK_FN_DOT:
  case BRINK_FN_SUM:
  case BRINK_FN_NORM:
    return reduce_value(f, point, expr, value);
  case BRINK_FN_TABLE:
    return table_value(f, point, expr, value);
  case BRINK_FN_MIN:
  case BRINK_FN_MAX:
    if (expr->nargs == 1) return flat_matrix_value(f, point, expr, value);
    break;
  case BRINK_FN_TRANSPOSE:
  case BRINK_FN_IDENTITY:
  case BRINK_FN_INVERSE:
  case BRINK_FN_SOLVE:
  case BRINK_FN_SIZE:
  case BRINK_FN_ARGMIN:
  case BRINK_FN_ARGMAX:
    return flat_matrix_value(f, point, expr, value);
  case BRINK_FN_CHOICE:
    return flat_choice_value(f, point, expr, value);
  case BRINK_FN_FILE_TABLE:
    return flat_table_value(f, point, expr, value);
  case BRINK_FN_EXTERNAL:
    return flat_external_value(f, point, expr, value);
  case BRINK_FN_PRE:
  case BRINK_FN_SGN:
  case BRINK_FN_DELAY:
    return not_known(f, expr, expr->text);
  default:
    break;
  }
  if (expr->nargs > 0 && !flat_value(f, point, expr->arg[0], &a)) return false;
  for (size_t k = 1; k < expr->nargs; k++) {
    if (!flat_value(f, point, expr->arg[k], &b)) return false;
    if (k + 1 < expr->nargs) a = brink_op_apply(flat_plain_op(expr->function), a, b, 0.0);
  }
  switch (expr->function) {
  case BRINK_FN_NOEVENT:
    *value = a;
    break;
  case BRINK_FN_CEIL:
    *value = -floor(-a);
    break;
  case BRINK_FN_MOD:
    *value = a - b * floor(a / b);
    break;
  case BRINK_FN_DIV:
    *value = a / b < 0.0 ? -floor(-(a / b)) : floor(a / b);
    break;
  case BRINK_FN_UNIFORM:
  case BRINK_FN_NORMAL:
  case BRINK_FN_EXPONENTIAL:
  case BRINK_FN_POISSON:
    *value = flat_random_value(f, point, expr->function, a, b);
    break;
  default:
    *value = brink_op_apply(flat_plain_op(expr->function), a, b, 0.0);
  }
  return true;
}

/* ---- operators ---- */

static bool binary_value(flat *f, const flat_point *point, const brink_ast_expr *expr,
                         double *value) {
  static const brink_op ops[] = {
      [BRINK_AST_ADD] = BRINK_OP_ADD, [BRINK_AST_SUB] = BRINK_OP_SUB,
      [BRINK_AST_MUL] = BRINK_OP_MUL, [BRINK_AST_DIV] = BRINK_OP_DIV,
      [BRINK_AST_POW] = BRINK_OP_POW, [BRINK_AST_LT] = BRINK_OP_LT,
      [BRINK_AST_LE] = BRINK_OP_LE,   [BRINK_AST_GT] = BRINK_OP_LT,
      [BRINK_AST_GE] = BRINK_OP_LE,   [BRINK_AST_EQ] = BRINK_OP_EQ,
      [BRINK_AST_NE] = BRINK_OP_NE,   [BRINK_AST_AND] = BRINK_OP_AND,
      [BRINK_AST_OR] = BRINK_OP_OR,
  };
  double a, b;
  bool product = false, arrays = expr->op == BRINK_AST_MUL && point->element != BRINK_NONE;
  if (arrays && !flat_product_value(f, point, expr, &product, value)) return false;
  if (product) return true;
  if (!flat_value(f, point, expr->arg[0], &a)) return false;
  bool decided = expr->op == BRINK_AST_AND ? a == 0.0 : expr->op == BRINK_AST_OR && a != 0.0;
  if (decided) { /* what comes after it need not have a value */
    *value = a != 0.0;
    return true;
  }
  if (!flat_value(f, point, expr->arg[1], &b)) return false;
  bool swapped = expr->op == BRINK_AST_GT || expr->op == BRINK_AST_GE;
  *value =
      swapped ? brink_op_apply(ops[expr->op], b, a, 0.0) : brink_op_apply(ops[expr->op], a, b, 0.0);
  return true;
}

bool flat_spend(flat *f, brink_place place, size_t steps) {
  if (f->budget > steps) {
    f->budget -= steps;
    return true;
  }
  if (f->budget > 0)
    flat_error(f, BRINK_MSG_MODEL_TOO_COSTLY, place,
               "loops and functions inside each other multiply the work",
               "the model is too large to be evaluated");
  f->budget = 0;
  return false;
}

static bool list_value(flat *f, const flat_point *point, const brink_ast_expr *expr,
                       double *value) {
  flat_shape row;
  if (expr->nargs == 0 || point->element == BRINK_NONE) return false;
  if (!flat_bound_shape(f, point->group, expr->arg[0], point->binding, &row)) return false;
  if (point->element >= row.columns * expr->nargs) return false;
  flat_point at = *point;
  at.element = row.rank > 0 ? point->element % row.columns : BRINK_NONE;
  return flat_value(f, &at, expr->arg[point->element / row.columns], value);
}

bool flat_value(flat *f, const flat_point *point, const brink_ast_expr *expr, double *value) {
  if (!flat_spend(f, expr->place, 1)) return false;
  if (f->structure && expr->type == BRINK_TYPE_UNKNOWN) return false; /* reported */
  double a;
  switch (expr->op) {
  case BRINK_AST_NUMBER:
    *value = expr->number;
    return true;
  case BRINK_AST_TEXT:
    *value = (double)flat_string(f, expr->text);
    return !f->failed;
  case BRINK_AST_NAME:
    return name_value(f, point, expr, value);
  case BRINK_AST_NEGATE:
  case BRINK_AST_NOT:
    if (!flat_value(f, point, expr->arg[0], &a)) return false;
    *value = expr->op == BRINK_AST_NEGATE ? -a : a == 0.0 ? 1.0 : 0.0;
    return true;
  case BRINK_AST_IF:
    if (!flat_value(f, point, expr->arg[0], &a)) return false;
    return flat_value(f, point, expr->arg[a != 0.0 ? 1 : 2], value);
  case BRINK_AST_CALL:
    return call_value(f, point, expr, value);
  case BRINK_AST_VECTOR:
    return list_value(f, point, expr, value);
  case BRINK_AST_EACH:
    return flat_each_value(f, point, expr, value);
  case BRINK_AST_SLICE: /* of names alone */
  case BRINK_AST_INDICES:
    return false;
  case BRINK_AST_PRIME:
    return not_known(f, expr, "a derivative");
  case BRINK_AST_DAMAGED:
    return false;
  default:
    return binary_value(f, point, expr, value);
  }
}

bool flat_whole(flat *f, const flat_point *point, const brink_ast_expr *expr, const char *what,
                int64_t least, int64_t most, int64_t *value) {
  double number;
  flat_point scalar = *point;
  scalar.element = BRINK_NONE;
  if (!flat_value(f, &scalar, expr, &number)) return false;
  if (!(number >= (double)least && number <= (double)most)) {
    char text[BRINK_DOUBLE_TEXT];
    flat_error(f, BRINK_MSG_NUMBER_OUT_OF_BOUNDS, expr->place, NULL,
               "%s: %s is not between %lld and %lld", what, brink_double_text(number, text),
               (long long)least, (long long)most);
    return false;
  }
  if (number != floor(number)) {
    char text[BRINK_DOUBLE_TEXT];
    flat_error(f, BRINK_MSG_NOT_A_WHOLE_NUMBER, expr->place, NULL,
               "%s is a whole number, but this is %s", what, brink_double_text(number, text));
    return false;
  }
  *value = (int64_t)number;
  return true;
}

bool flat_bounds_agree(flat *f, const brink_ast_statement *s, bool same) {
  if (!same)
    flat_error(f, BRINK_MSG_LOOP_BOUNDS_DIFFER, s->place,
               "instances of one array share their equations",
               "the loop's bounds differ between the instances of an array");
  return same;
}

bool flat_bounds(flat *f, const flat_point *point, const brink_ast_statement *s, int64_t *lo,
                 int64_t *hi) {
  return flat_whole(f, point, s->lo, "the loop's start", INT32_MIN, INT32_MAX, lo) &&
         flat_whole(f, point, s->hi, "the loop's end", INT32_MIN, INT32_MAX, hi);
}
