/* check_expr.c: the types of expressions.
 *
 * Types come from below: SIGNAL if anything continuous enters, otherwise the larger of the
 * operands' types. What is made of literals alone is computed on the way (`constant`). */
#include "lang/check.h"

#include <math.h>
#include <string.h>

static void set_rank(brink_ast_expr *expr, brink_type type, int rank) {
  expr->type = type;
  expr->rank = (uint8_t)rank;
  expr->vector = rank > 0;
}

static void set(brink_ast_expr *expr, brink_type type, bool vector) {
  set_rank(expr, type, vector);
}

static void set_constant(brink_ast_expr *expr, double value) {
  expr->constant = !isnan(value);
  expr->number = value;
}

/* ---- names ---- */

static void type_predefined(brink_checker *c, brink_ast_expr *expr) {
  switch (expr->predefined) {
  case BRINK_PREDEFINED_TRUE:
  case BRINK_PREDEFINED_FALSE:
    set(expr, BRINK_TYPE_BOOLEAN, false);
    set_constant(expr, expr->predefined == BRINK_PREDEFINED_TRUE ? 1.0 : 0.0);
    return;
  case BRINK_PREDEFINED_INF:
    set(expr, BRINK_TYPE_REAL, false);
    set_constant(expr, (double)INFINITY);
    return;
  case BRINK_PREDEFINED_PI:
    set(expr, BRINK_TYPE_REAL, false);
    set_constant(expr, 3.14159265358979323846);
    return;
  case BRINK_PREDEFINED_TIME:
    if (brink_check_rule(c->context)->constant) {
      brink_check_error(c, BRINK_MSG_NOT_CONSTANT, expr->place, NULL,
                        "'%s' is not known before the run", expr->part->name);
      return;
    }
    set(expr,
        c->component != NULL && c->component->kind == BRINK_DTC ? BRINK_TYPE_REAL
                                                                : BRINK_TYPE_SIGNAL,
        false);
    return;
  case BRINK_PREDEFINED_NOT:
    return;
  }
}

static bool known_before_the_run(const brink_symbol *symbol) {
  return symbol->kind == BRINK_SYMBOL_PARAMETER || symbol->kind == BRINK_SYMBOL_LOOP ||
         symbol->kind == BRINK_SYMBOL_ARGUMENT;
}

static bool may_read(brink_checker *c, const brink_ast_expr *expr, const brink_symbol *symbol) {
  if (symbol->kind == BRINK_SYMBOL_INSTANCE || symbol->kind == BRINK_SYMBOL_PARTNER) {
    const char *hint = brink_unit_format(c->unit, "name something in it: %s.x", symbol->name);
    brink_check_error(c, BRINK_MSG_NOT_A_VALUE, expr->place, hint, "'%s' is %s, not a value",
                      symbol->name, brink_a_kind(symbol->kind));
    return false;
  }
  if (symbol->kind == BRINK_SYMBOL_QUEUE) {
    const char *hint =
        brink_unit_format(c->unit, "read length(%s) or first(%s)", symbol->name, symbol->name);
    brink_check_error(c, BRINK_MSG_QUEUE_AS_VALUE, expr->place, hint,
                      "'%s' is a queue, not a value", symbol->name);
    return false;
  }
  bool local = symbol->kind == BRINK_SYMBOL_LET && c->function != NULL &&
               c->context != BRINK_IN_DECLARATIONS; /* of a function whose value is known */
  if (brink_check_rule(c->context)->constant && !local && !known_before_the_run(symbol)) {
    brink_check_error(c, BRINK_MSG_NOT_KNOWN_BEFORE_RUN, expr->place, "use numbers and parameters",
                      "'%s', %s, is not known before the run", symbol->name,
                      brink_a_kind(symbol->kind));
    return false;
  }
  return brink_check_visible(c, expr);
}

static void type_name(brink_checker *c, brink_ast_expr *expr) {
  brink_ast_part *part = &expr->part[0];
  expr->predefined = BRINK_PREDEFINED_NOT;
  if (expr->nparts == 1 && brink_check_lookup(c, part->name) == NULL) {
    expr->predefined = brink_check_predefined(part->name);
    if (expr->predefined != BRINK_PREDEFINED_NOT && part->index == NULL) {
      type_predefined(c, expr);
      return;
    }
    expr->predefined = BRINK_PREDEFINED_NOT;
    if (part->index == NULL && brink_check_constant(c, expr)) return;
  }
  brink_symbol *symbol = brink_check_path(c, expr);
  if (symbol == NULL || !may_read(c, expr, symbol)) return;
  const brink_ast_expr *index = expr->part[expr->nparts - 1].index;
  set_rank(expr, symbol->read_type, index != NULL ? brink_index_rank(index) : symbol->rank);
}

/* x': the derivative of a continuous state, where it may be read. */
static void type_prime(brink_checker *c, brink_ast_expr *expr) {
  brink_ast_expr *name = expr->arg[0];
  type_name(c, name);
  if (name->type == BRINK_TYPE_UNKNOWN) return;
  const brink_symbol *symbol =
      name->op == BRINK_AST_NAME && name->nparts > 0 ? name->part[name->nparts - 1].symbol : NULL;
  if (symbol == NULL || symbol->kind != BRINK_SYMBOL_STATE ||
      symbol->read_type != BRINK_TYPE_SIGNAL) {
    brink_check_error(c, BRINK_MSG_NO_DERIVATIVE, expr->place, NULL,
                      "'%s' has no derivative: it is not a continuous state",
                      symbol == NULL ? "this" : symbol->name);
    return;
  }
  if (c->context == BRINK_IN_CONSTRAINTS) {
    const char *hint = brink_unit_format(
        c->unit, "name it: variable(a, real); %s' = a; and constrain a", symbol->name);
    brink_check_error(c, BRINK_MSG_DERIVATIVE_IN_CONSTRAINTS, expr->place, hint,
                      "the derivative of '%s' may not stand in constraints", symbol->name);
    return;
  }
  if (!c->prime) {
    brink_check_error(c, BRINK_MSG_DERIVATIVE_MISPLACED, expr->place,
                      "name the right-hand side with a variable",
                      "the derivative of '%s' may be read only in flags and outputs", symbol->name);
    return;
  }
  set_rank(expr, BRINK_TYPE_SIGNAL, name->rank);
}

/* ---- operators ---- */

/* The type of a value that is one of two; UNKNOWN if they do not go together. */
static brink_type join(brink_type a, brink_type b) {
  if (a == BRINK_TYPE_UNKNOWN || b == BRINK_TYPE_UNKNOWN) return BRINK_TYPE_UNKNOWN;
  if (a == b) return a;
  if (!brink_is_numeric(a) || !brink_is_numeric(b)) return BRINK_TYPE_UNKNOWN;
  return a < b ? a : b; /* SIGNAL, REAL, INTEGER */
}

static bool is_known(const brink_ast_expr *expr) {
  return expr->type != BRINK_TYPE_UNKNOWN;
}

static const char *operator_text(brink_ast_op op) {
  static const char *const names[] = {
      [BRINK_AST_NEGATE] = "-", [BRINK_AST_NOT] = "not", [BRINK_AST_ADD] = "+",
      [BRINK_AST_SUB] = "-",    [BRINK_AST_MUL] = "*",   [BRINK_AST_DIV] = "/",
      [BRINK_AST_POW] = "^",    [BRINK_AST_LT] = "<",    [BRINK_AST_LE] = "<=",
      [BRINK_AST_GT] = ">",     [BRINK_AST_GE] = ">=",   [BRINK_AST_EQ] = "=",
      [BRINK_AST_NE] = "/=",    [BRINK_AST_AND] = "and", [BRINK_AST_OR] = "or",
  };
  return names[op];
}

/* All operands are numbers? Reports the first that is not. */
static bool operands_numeric(brink_checker *c, const brink_ast_expr *expr) {
  for (size_t k = 0; k < expr->nargs; k++) {
    if (brink_is_numeric(expr->arg[k]->type)) continue;
    brink_check_error(c, BRINK_MSG_OPERAND_NOT_A_NUMBER, expr->place, NULL,
                      "'%s' needs numbers, but this is %s", operator_text(expr->op),
                      brink_a_type(expr->arg[k]->type));
    return false;
  }
  return true;
}

static double fold(brink_ast_op op, double a, double b) {
  switch (op) {
  case BRINK_AST_NEGATE:
    return -a;
  case BRINK_AST_ADD:
    return a + b;
  case BRINK_AST_SUB:
    return a - b;
  case BRINK_AST_MUL:
    return a * b;
  case BRINK_AST_DIV:
    return a / b;
  case BRINK_AST_POW:
    return pow(a, b);
  case BRINK_AST_LT:
    return a < b;
  case BRINK_AST_LE:
    return a <= b;
  case BRINK_AST_GT:
    return a > b;
  case BRINK_AST_GE:
    return a >= b;
  case BRINK_AST_EQ:
    return a == b;
  case BRINK_AST_NE:
    return a != b;
  case BRINK_AST_AND:
    return a != 0.0 && b != 0.0;
  case BRINK_AST_OR:
    return a != 0.0 || b != 0.0;
  case BRINK_AST_NOT:
    return a == 0.0;
  default:
    return (double)NAN;
  }
}

static void fold_operator(brink_ast_expr *expr) {
  for (size_t k = 0; k < expr->nargs; k++)
    if (!expr->arg[k]->constant || expr->arg[k]->type == BRINK_TYPE_STRING) return;
  set_constant(expr,
               fold(expr->op, expr->arg[0]->number, expr->nargs > 1 ? expr->arg[1]->number : 0.0));
}

/* The rank of an operator's result; -1: there is none (reported). */
int brink_check_ranks(brink_checker *c, const brink_ast_expr *expr, int a, int b) {
  bool product = expr->op == BRINK_AST_MUL && (a == 2 || b == 2) && a > 0 && b > 0;
  if (product) return a == 2 && b == 2 ? 2 : 1;
  if (b == 2 && expr->op == BRINK_AST_DIV) {
    brink_check_error(c, BRINK_MSG_MATRIX_OPERATOR, expr->place, "write solve(A, b), or inverse(A)",
                      "'%s' is not defined for matrices", operator_text(expr->op));
    return -1;
  }
  if (expr->op == BRINK_AST_POW && (a == 2 || b == 2)) {
    brink_check_error(c, BRINK_MSG_MATRIX_OPERATOR, expr->place, "write A*A",
                      "'%s' is not defined for matrices", operator_text(expr->op));
    return -1;
  }
  if (a > 0 && b > 0 && a != b) {
    brink_check_error(c, BRINK_MSG_RANKS_COMBINED, expr->place, NULL,
                      "a vector and a matrix cannot be combined by '%s'", operator_text(expr->op));
    return -1;
  }
  return a > b ? a : b;
}

static void type_arithmetic(brink_checker *c, brink_ast_expr *expr) {
  if (!operands_numeric(c, expr)) return;
  const brink_ast_expr *a = expr->arg[0], *b = expr->arg[expr->nargs - 1];
  brink_type type = join(a->type, b->type);
  bool real = expr->op == BRINK_AST_DIV || expr->op == BRINK_AST_POW;
  if (real && type == BRINK_TYPE_INTEGER) type = BRINK_TYPE_REAL;
  int rank = expr->nargs == 1 ? a->rank : brink_check_ranks(c, expr, a->rank, b->rank);
  if (rank >= 0) set_rank(expr, type, rank);
}

/* < <= > >= need numbers; = and /= take anything that can be the same. */
static void type_relation(brink_checker *c, brink_ast_expr *expr) {
  brink_ast_expr *a = expr->arg[0], *b = expr->arg[1];
  bool equality = expr->op == BRINK_AST_EQ || expr->op == BRINK_AST_NE;
  if (!is_known(a) || !is_known(b)) {
    set(expr, BRINK_TYPE_BOOLEAN, false);
    return;
  }
  if (!equality && !operands_numeric(c, expr)) return;
  if (a->vector || b->vector) {
    brink_check_error(c, BRINK_MSG_VECTORS_COMPARED, expr->place,
                      "compare the elements, or norm(...)", "vectors cannot be compared");
    return;
  }
  if (join(a->type, b->type) == BRINK_TYPE_UNKNOWN) {
    brink_check_error(c, BRINK_MSG_TYPES_COMPARED, expr->place, NULL,
                      "%s and %s cannot be compared", brink_a_type(a->type), brink_a_type(b->type));
    return;
  }
  if (a->type == BRINK_TYPE_STRING) brink_check_comparable(c, a, b);
  set(expr, BRINK_TYPE_BOOLEAN, false);
}

static void type_logic(brink_checker *c, brink_ast_expr *expr) {
  for (size_t k = 0; k < expr->nargs; k++) {
    const brink_ast_expr *arg = expr->arg[k];
    if (!is_known(arg) || (arg->type == BRINK_TYPE_BOOLEAN && !arg->vector)) continue;
    brink_check_error(c, BRINK_MSG_OPERAND_NOT_A_BOOLEAN, expr->place, NULL,
                      "'%s' needs booleans, but this is %s", operator_text(expr->op),
                      arg->vector ? "a vector" : brink_a_type(arg->type));
    return;
  }
  set(expr, BRINK_TYPE_BOOLEAN, false);
}

static void type_if(brink_checker *c, brink_ast_expr *expr) {
  brink_ast_expr *a = expr->arg[1], *b = expr->arg[2];
  brink_check_condition(c, expr->arg[0]);
  brink_check_expr(c, a);
  brink_check_expr(c, b);
  if (!is_known(a) || !is_known(b)) return;
  brink_type type = join(a->type, b->type);
  if (type == BRINK_TYPE_UNKNOWN) {
    brink_check_error(c, BRINK_MSG_BRANCH_TYPES, expr->place, NULL,
                      "one branch is %s, the other is %s", brink_a_type(a->type),
                      brink_a_type(b->type));
    return;
  }
  if (a->rank > 0 && b->rank > 0 && a->rank != b->rank) {
    brink_check_error(c, BRINK_MSG_RANKS_COMBINED, expr->place, NULL,
                      "a vector and a matrix cannot be combined by '%s'", "if");
    return;
  }
  set_rank(expr, type, a->rank > b->rank ? a->rank : b->rank);
}

/* e for i in lo..hi */
static void type_each(brink_checker *c, brink_ast_expr *expr) {
  size_t mark = brink_check_open_scope(c);
  for (int k = 1; k <= 2; k++)
    brink_check_whole(c, expr->arg[k], k == 1 ? "the loop's start" : "the loop's end");
  if (expr->loop == NULL) return;
  expr->loop->read_type = expr->loop->type = BRINK_TYPE_INTEGER;
  brink_check_declare_local(c, expr->loop);
  brink_check_expr(c, expr->arg[0]);
  brink_check_close_scope(c, mark);
  if (!is_known(expr->arg[0])) return;
  if (expr->arg[0]->rank > 1) {
    brink_check_error(c, BRINK_MSG_VECTOR_IN_VECTOR, expr->arg[0]->place, NULL,
                      "a matrix cannot be an element of a vector");
    return;
  }
  set_rank(expr, expr->arg[0]->type, expr->arg[0]->rank + 1);
}

/* Indices are looked at with the name that they belong to. */
static void type_index(brink_checker *c, brink_ast_expr *expr) {
  for (size_t k = 0; k < expr->nargs; k++) {
    brink_ast_expr *one = expr->arg[k];
    if (one->op == BRINK_AST_SLICE)
      brink_check_expr(c, one);
    else
      brink_check_whole(c, one, "an index");
  }
  set(expr, BRINK_TYPE_INTEGER, false);
}

static void type_vector(brink_checker *c, brink_ast_expr *expr) {
  brink_type type = BRINK_TYPE_INTEGER;
  for (size_t k = 0; k < expr->nargs; k++) {
    brink_ast_expr *element = expr->arg[k];
    brink_check_expr(c, element);
    if (!is_known(element)) return;
    if (k == 0) type = element->type;
    brink_type joined = join(type, element->type);
    if (element->rank > 1) {
      brink_check_error(c, BRINK_MSG_VECTOR_IN_VECTOR, element->place, NULL,
                        "a matrix cannot be an element of a vector");
      return;
    }
    if (element->rank != expr->arg[0]->rank) {
      brink_check_error(c, BRINK_MSG_ROWS_MIXED, element->place,
                        "rows of a matrix are written [[1, 0], [0, 1]]",
                        "rows and single values cannot stand in one list");
      return;
    }
    if (joined == BRINK_TYPE_UNKNOWN) {
      brink_check_error(c, BRINK_MSG_ELEMENT_TYPES, element->place, NULL,
                        "elements of one vector are of one type: %s, %s", brink_a_type(type),
                        brink_a_type(element->type));
      return;
    }
    type = joined;
  }
  set_rank(expr, type, expr->nargs > 0 ? expr->arg[0]->rank + 1 : 1);
}

/* Once the operands have their types. */
static void type_operator(brink_checker *c, brink_ast_expr *expr) {
  if (expr->op == BRINK_AST_NEGATE || (expr->op >= BRINK_AST_ADD && expr->op <= BRINK_AST_POW))
    type_arithmetic(c, expr);
  else if (expr->op >= BRINK_AST_LT && expr->op <= BRINK_AST_NE)
    type_relation(c, expr);
  else
    type_logic(c, expr);
  if (is_known(expr)) fold_operator(expr);
}

/* ---- the walk ---- */

static void type_leaf(brink_checker *c, brink_ast_expr *expr) {
  switch (expr->op) {
  case BRINK_AST_NUMBER:
    expr->type = expr->whole ? BRINK_TYPE_INTEGER : BRINK_TYPE_REAL;
    expr->constant = true;
    return;
  case BRINK_AST_TEXT:
    expr->type = BRINK_TYPE_STRING;
    return;
  case BRINK_AST_NAME:
    type_name(c, expr);
    return;
  case BRINK_AST_PRIME:
    type_prime(c, expr);
    return;
  case BRINK_AST_IF:
    type_if(c, expr);
    return;
  case BRINK_AST_CALL:
    brink_check_call(c, expr);
    return;
  case BRINK_AST_VECTOR:
    type_vector(c, expr);
    return;
  case BRINK_AST_EACH:
    type_each(c, expr);
    return;
  case BRINK_AST_SLICE:
  case BRINK_AST_INDICES:
    type_index(c, expr);
    return;
  default: /* DAMAGED */
    return;
  }
}

static bool is_operator(const brink_ast_expr *expr) {
  return expr->op >= BRINK_AST_NEGATE && expr->op <= BRINK_AST_OR;
}

void brink_check_expr(brink_checker *c, brink_ast_expr *expr) {
  if (expr == NULL || c->unit->out_of_memory) return;
  if (++c->depth > c->deepest) c->deepest = c->depth;
  c->nodes += 1.0;
  set(expr, BRINK_TYPE_UNKNOWN, false);
  expr->constant = expr->op == BRINK_AST_NUMBER;
  if (c->depth > BRINK_CHECK_DEEPEST) {
    brink_check_error(c, BRINK_MSG_FUNCTIONS_TOO_DEEP, expr->place, NULL,
                      "functions are nested too deeply");
  } else if (is_operator(expr)) {
    for (size_t k = 0; k < expr->nargs; k++) brink_check_expr(c, expr->arg[k]);
    type_operator(c, expr);
  } else {
    type_leaf(c, expr);
  }
  c->depth--;
}

void brink_check_expr_in(brink_checker *c, brink_context context, brink_ast_expr *expr) {
  brink_context outer = c->context;
  bool prime = c->prime;
  c->context = context;
  c->prime = false;
  brink_check_expr(c, expr);
  c->context = outer;
  c->prime = prime;
}

/* ---- what a place asks for ---- */

bool brink_check_number(brink_checker *c, brink_ast_expr *expr, const char *what) {
  if (expr == NULL) return false;
  brink_check_expr(c, expr);
  if (!is_known(expr)) return false;
  if (!brink_is_numeric(expr->type)) {
    brink_check_error(c, BRINK_MSG_NOT_A_NUMBER, expr->place, NULL,
                      "%s is a number, but this is %s", what, brink_a_type(expr->type));
    return false;
  }
  if (expr->vector) {
    brink_check_error(c, BRINK_MSG_VECTOR_AS_NUMBER, expr->place, NULL,
                      "%s is one number, but this is a vector", what);
    return false;
  }
  return true;
}

bool brink_check_whole(brink_checker *c, brink_ast_expr *expr, const char *what) {
  if (!brink_check_number(c, expr, what)) return false;
  if (expr->type == BRINK_TYPE_INTEGER) return true;
  brink_check_error(c, BRINK_MSG_NOT_A_WHOLE_NUMBER, expr->place, NULL,
                    "%s is a whole number, but this is %s", what, brink_a_type(expr->type));
  return false;
}

void brink_check_condition(brink_checker *c, brink_ast_expr *expr) {
  if (expr == NULL) return;
  brink_check_expr(c, expr);
  if (!is_known(expr) || (expr->type == BRINK_TYPE_BOOLEAN && !expr->vector)) return;
  brink_check_error(c, BRINK_MSG_CONDITION_NOT_A_BOOLEAN, expr->place,
                    brink_is_numeric(expr->type) ? "compare it: ... > 0" : NULL,
                    "a condition is a boolean, but this is %s",
                    expr->vector ? "a vector" : brink_a_type(expr->type));
}
