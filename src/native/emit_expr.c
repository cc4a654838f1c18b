/* emit_expr.c: expressions in C, with as few brackets as C's precedence allows. C evaluates doubles
 * as doubles on every machine this is for, so an expression gives the bits of its nodes one by one. */
#include "native/emit.h"

#include <math.h>
#include <string.h>

/* Precedences of C, loosest first. */
enum { TERNARY, OR, AND, EQUALITY, RELATION, SUM, PRODUCT, UNARY, PRIMARY };

static void value_at(emitter *e, emit_plan *p, brink_node node, int level);
static void truth_at(emitter *e, emit_plan *p, brink_node node, int level);

static void put(emitter *e, const char *text) {
  brink_text_append(&e->part, text, strlen(text));
}

/* Opens a bracket if what follows binds less than its place asks for; true: close it. */
static bool open_bracket(emitter *e, int binds, int level) {
  if (binds < level) put(e, "(");
  return binds < level;
}

static void close_bracket(emitter *e, bool opened) {
  if (opened) put(e, ")");
}

void emit_constant(brink_text *text, double value) {
  char digits[BRINK_DOUBLE_TEXT];
  if (isnan(value)) {
    brink_text_add(text, "__builtin_nan(\"\")");
  } else if (isinf(value)) {
    brink_text_add(text, value > 0.0 ? "__builtin_inf()" : "(-__builtin_inf())");
  } else {
    brink_double_text(value, digits);
    bool whole = strpbrk(digits, ".e") == NULL;
    brink_text_add(text, signbit(value) ? "(%s%s)" : "%s%s", digits, whole ? ".0" : "");
  }
}

static void binary(emitter *e, emit_plan *p, const brink_expr_node *n, const char *symbol,
                   int binds, int level) {
  bool opened = open_bracket(e, binds, level);
  value_at(e, p, n->a, binds);
  put(e, symbol);
  value_at(e, p, n->b, binds + 1); /* from the left: a - (b - c) keeps its bracket */
  close_bracket(e, opened);
}

static void call(emitter *e, emit_plan *p, const brink_expr_node *n, const char *name) {
  put(e, name);
  put(e, "(");
  value_at(e, p, n->a, TERNARY);
  if (brink_op_operands((brink_op)n->op) > 1) {
    put(e, ", ");
    value_at(e, p, n->b, TERNARY);
  }
  put(e, ")");
}

/* ---- conditions ---- */

const char *emit_relation(uint8_t op) {
  switch (op) {
  case BRINK_OP_LT:
    return " < ";
  case BRINK_OP_LE:
    return " <= ";
  case BRINK_OP_EQ:
    return " == ";
  case BRINK_OP_NE:
    return " != ";
  default:
    return NULL;
  }
}

static bool is_logical(uint8_t op) {
  return emit_relation(op) != NULL || op == BRINK_OP_AND || op == BRINK_OP_OR || op == BRINK_OP_NOT;
}

static void junction(emitter *e, emit_plan *p, const brink_expr_node *n, int level) {
  int binds = n->op == BRINK_OP_AND ? AND : OR;
  bool opened = open_bracket(e, binds, level);
  truth_at(e, p, n->a, binds);
  put(e, n->op == BRINK_OP_AND ? " && " : " || ");
  truth_at(e, p, n->b, binds);
  close_bracket(e, opened);
}

/* A relation, and, or, not: written out. */
static void logical_at(emitter *e, emit_plan *p, const brink_expr_node *n, int level) {
  if (n->op == BRINK_OP_NOT) {
    put(e, "!");
    truth_at(e, p, n->a, UNARY);
  } else if (emit_relation(n->op) != NULL) {
    bool equal = n->op == BRINK_OP_EQ || n->op == BRINK_OP_NE;
    binary(e, p, n, emit_relation(n->op), equal ? EQUALITY : RELATION, level);
  } else {
    junction(e, p, n, level);
  }
}

/* A node as something to put into an `if`. */
static void truth_at(emitter *e, emit_plan *p, brink_node node, int level) {
  const brink_expr_node *n = &p->nodes[node];
  if (p->kind[node] == EMIT_INLINE && is_logical(n->op)) {
    logical_at(e, p, n, level);
    return;
  }
  bool opened = open_bracket(e, EQUALITY, level);
  value_at(e, p, node, RELATION);
  put(e, " != 0.0");
  close_bracket(e, opened);
}

/* ---- values ---- */

static void choice(emitter *e, emit_plan *p, const brink_expr_node *n, int level) {
  bool opened = open_bracket(e, TERNARY, level);
  if (n->op == BRINK_OP_SELECT) {
    truth_at(e, p, n->a, OR);
    put(e, " ? ");
    value_at(e, p, n->b, OR);
    put(e, " : ");
    value_at(e, p, n->c, TERNARY);
  } else {
    logical_at(e, p, n, OR);
    put(e, " ? 1.0 : 0.0");
  }
  close_bracket(e, opened);
}

const char *emit_function_name(uint8_t op) {
  switch (op) {
  case BRINK_OP_MIN:
    return "minimum";
  case BRINK_OP_MAX:
    return "maximum";
  default:
    return brink_op_name((brink_op)op);
  }
}

static void inline_at(emitter *e, emit_plan *p, brink_node node, int level) {
  const brink_expr_node *n = &p->nodes[node];
  e->ops |= UINT64_C(1) << n->op;
  switch (n->op) {
  case BRINK_OP_CONST:
    emit_constant(&e->part, n->value);
    break;
  case BRINK_OP_TIME:
    p->time = true;
    put(e, "t");
    break;
  case BRINK_OP_ADD:
    binary(e, p, n, " + ", SUM, level);
    break;
  case BRINK_OP_SUB:
    binary(e, p, n, " - ", SUM, level);
    break;
  case BRINK_OP_MUL:
    binary(e, p, n, "*", PRODUCT, level);
    break;
  case BRINK_OP_DIV:
    binary(e, p, n, "/", PRODUCT, level);
    break;
  case BRINK_OP_NEG: {
    bool opened = open_bracket(e, UNARY, level);
    put(e, "-");
    value_at(e, p, n->a, PRIMARY);
    close_bracket(e, opened);
    break;
  }
  case BRINK_OP_RANDOM:
  case BRINK_OP_POISSON:
    put(e, n->op == BRINK_OP_RANDOM ? "T->random(f->seed, " : "T->poisson(");
    value_at(e, p, n->a, TERNARY);
    put(e, ", ");
    value_at(e, p, n->b, TERNARY);
    put(e, ")");
    break;
  case BRINK_OP_LOOKUP: {
    const brink_ref *array = brink_graph_array(&p->kernel->graph, n);
    emit_open_element(e, p, array);
    brink_text_add(&e->part, " + %uu*place(", array->step);
    value_at(e, p, n->a, TERNARY);
    brink_text_add(&e->part, ", %u)]", array->extent);
    break;
  }
  case BRINK_OP_FIND: {
    const brink_ref *array = brink_graph_array(&p->kernel->graph, n);
    put(e, "find(&");
    emit_open_element(e, p, array);
    brink_text_add(&e->part, "], %uu, ", array->extent - 1);
    value_at(e, p, n->a, TERNARY);
    put(e, ")");
    break;
  }
  case BRINK_OP_ARGUMENT: /* never a local: what it lists is */
    value_at(e, p, n->a, TERNARY);
    if (p->nodes[n->b].op != BRINK_OP_ARGUMENT) break;
    put(e, ", ");
    inline_at(e, p, n->b, TERNARY);
    break;
  case BRINK_OP_EXTERNAL: {
    bool arguments = p->nodes[n->a].op == BRINK_OP_ARGUMENT;
    brink_text_add(&e->part, "T->external(f->externals, %zuu, ", (size_t)p->nodes[n->b].value);
    put(e, arguments ? "(const double[]){" : "0");
    if (arguments) inline_at(e, p, n->a, TERNARY);
    put(e, arguments ? "})" : ")");
    break;
  }
  default:
    if (n->op == BRINK_OP_SELECT || is_logical(n->op))
      choice(e, p, n, level);
    else
      call(e, p, n, emit_function_name(n->op));
  }
}

void emit_local_name(emitter *e, const emit_plan *p, brink_node node) {
  if (p->name != NULL && p->name[node] != NULL)
    put(e, p->name[node]);
  else if (p->kind[node] == EMIT_REF)
    brink_text_add(&e->part, "a%u", p->nodes[node].a);
  else
    brink_text_add(&e->part, "r%u", node);
}

/* A node where its place asks for something that binds at least as `level`. */
static void value_at(emitter *e, emit_plan *p, brink_node node, int level) {
  if (p->kind[node] == EMIT_INLINE)
    inline_at(e, p, node, level);
  else
    emit_local_name(e, p, node);
}

/* The expression of a local is written out; anything else appears as in an expression. */
void emit_value(emitter *e, emit_plan *p, brink_node node) {
  if (p->kind[node] == EMIT_LOCAL && p->declared[node] != p->function)
    inline_at(e, p, node, TERNARY);
  else
    value_at(e, p, node, TERNARY);
}

void emit_truth(emitter *e, emit_plan *p, brink_node node) {
  truth_at(e, p, node, TERNARY);
}
