/* flat_expr.c: expressions become graphs.
 *
 * One translation serves all iterations of a kernel: instances of the group, times the loops of the
 * statement, times the elements of a vector. What differs between them is which slots are read, and
 * flat_ref works that out. Inside equations, relations of quantities that vary, and abs, min, floor, …
 * of such, read the locked sign of a flag that is made for them (flat_flag.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lang/flat.h"

void flat_begin(flat_context *c, flat_shared *shared, flat *f, flat_group *group,
                brink_kernel *kernel, flat_purpose purpose) {
  *shared = (flat_shared){.sites = group->sites};
  *c = (flat_context){.f = f,
                      .shared = shared,
                      .group = group,
                      .kernel = kernel,
                      .graph = &kernel->graph,
                      .purpose = purpose,
                      .repeat = 1,
                      .element = BRINK_NONE,
                      .active = BRINK_NO_NODE};
}

void flat_begin_graph(flat_context *c) {
  c->repeat = 1;
  for (size_t k = 0; k < c->nloops; k++) c->repeat *= c->loop[k].count;
  c->kernel->count = c->group->count * c->repeat;
  brink_graph_init(c->graph, c->f->arena, c->kernel->count);
}

/* ---- what varies ---- */

static bool ref_varies(const flat *f, const brink_ref *ref) {
  switch (ref->space) {
  case BRINK_SPACE_X:
  case BRINK_SPACE_DX:
    return true;
  case BRINK_SPACE_V:
    return brink_ref_slot(ref, 0) < f->v_known && f->v_varies[brink_ref_slot(ref, 0)] != 0;
  default:
    return false;
  }
}

bool flat_varies(flat_context *c, brink_node node) {
  flat_shared *shared = c->shared;
  if (node == BRINK_NO_NODE) return false;
  for (size_t k = shared->nvaries; k <= node; k++) {
    if (!brink_arena_reserve(&c->f->scratch, shared->varies, k, shared->varies_capacity)) {
      flat_out_of_memory(c->f);
      return false;
    }
    const brink_expr_node *n = &c->graph->nodes[k];
    int operands = brink_op_operands((brink_op)n->op);
    bool varies = n->op == BRINK_OP_TIME;
    if (n->op == BRINK_OP_REF) varies = ref_varies(c->f, &c->graph->refs[n->a]);
    varies = varies || (operands > 0 && shared->varies[n->a]) ||
             (operands > 1 && shared->varies[n->b]) || (operands > 2 && shared->varies[n->c]);
    shared->varies[k] = varies;
    shared->nvaries = k + 1;
  }
  return shared->varies[node] != 0;
}

/* Must this be turned into a flag? */
bool flat_locks(flat_context *c, brink_node node) {
  return c->purpose == FLAT_EQUATION && !c->plain && flat_varies(c, node);
}

/* ---- operators ---- */

/* a < b and its kin. */
static brink_node relation(flat_context *c, const brink_ast_expr *expr) {
  brink_node a = flat_expr(c, expr->arg[0]), b = flat_expr(c, expr->arg[1]);
  bool greater = expr->op == BRINK_AST_GT || expr->op == BRINK_AST_GE;
  bool strict = expr->op == BRINK_AST_LT || expr->op == BRINK_AST_GT;
  bool equality = expr->op == BRINK_AST_EQ || expr->op == BRINK_AST_NE;
  brink_graph *graph = c->graph;
  bool locked = flat_locks(c, a) || flat_locks(c, b);
  if (equality) {
    if (locked) {
      flat_error(c->f, BRINK_MSG_EQUALITY_OF_SIGNALS, expr->place,
                 "declare a flag that is the difference of the two, or use <= or >=",
                 "quantities that vary continuously are equal only for an instant");
      return BRINK_NO_NODE;
    }
    return brink_graph_op2(graph, expr->op == BRINK_AST_EQ ? BRINK_OP_EQ : BRINK_OP_NE, a, b);
  }
  if (greater) {
    brink_node kept = a;
    a = b;
    b = kept;
  }
  if (!locked) return brink_graph_op2(graph, strict ? BRINK_OP_LT : BRINK_OP_LE, a, b);
  brink_node sign = flat_locked(c, expr->place, brink_graph_op2(graph, BRINK_OP_SUB, b, a));
  brink_node zero = brink_graph_constant(graph, 0.0);
  return brink_graph_op2(graph, strict ? BRINK_OP_LT : BRINK_OP_LE, zero, sign);
}

static brink_node if_node(flat_context *c, const brink_ast_expr *expr) {
  brink_node condition = flat_expr(c, expr->arg[0]);
  double known;
  if (brink_graph_is_constant(c->graph, condition, &known))
    return flat_expr(c, expr->arg[known != 0.0 ? 1 : 2]);
  flat_context branch = *c;
  brink_node other = brink_graph_op1(c->graph, BRINK_OP_NOT, condition);
  branch.active = c->active == BRINK_NO_NODE
                      ? condition
                      : brink_graph_op2(c->graph, BRINK_OP_AND, c->active, condition);
  brink_node yes = flat_expr(&branch, expr->arg[1]);
  branch.active = c->active == BRINK_NO_NODE
                      ? other
                      : brink_graph_op2(c->graph, BRINK_OP_AND, c->active, other);
  brink_node no = flat_expr(&branch, expr->arg[2]);
  return brink_graph_select(c->graph, condition, yes, no);
}

/* Is the function undefined somewhere, or may what it calls be? */
static bool has_edge(brink_function function) {
  switch (function) {
  case BRINK_FN_SQRT:
  case BRINK_FN_LOG:
  case BRINK_FN_LOG10:
  case BRINK_FN_ASIN:
  case BRINK_FN_ACOS:
  case BRINK_FN_MOD:
  case BRINK_FN_DIV:
  case BRINK_FN_INVERSE:
  case BRINK_FN_SOLVE:
  case BRINK_FN_FIRST:
  case BRINK_FN_USER:
  case BRINK_FN_FILE_TABLE:
  case BRINK_FN_EXTERNAL:
    return true;
  default:
    return false;
  }
}

bool flat_may_fail(const brink_ast_expr *expr) {
  if (expr->op == BRINK_AST_CALL && has_edge(expr->function)) return true;
  if ((expr->op == BRINK_AST_DIV || expr->op == BRINK_AST_POW) && !expr->arg[1]->constant)
    return true;
  if (expr->op == BRINK_AST_POW && expr->arg[1]->number != floor(expr->arg[1]->number)) return true;
  for (size_t k = 0; k < expr->nparts; k++) {
    if (expr->part[k].index != NULL && !expr->part[k].index->constant) return true;
  }
  for (size_t k = 0; k < expr->nargs; k++) {
    if (flat_may_fail(expr->arg[k])) return true;
  }
  return false;
}

/* "a and b", "a or b": what b needs to have a value counts only where a does not decide alone. */
static brink_node logical(flat_context *c, const brink_ast_expr *expr) {
  brink_graph *g = c->graph;
  bool both = expr->op == BRINK_AST_AND;
  brink_op op = both ? BRINK_OP_AND : BRINK_OP_OR;
  brink_node a = flat_expr(c, expr->arg[0]), asked = a;
  double known;
  if (!flat_may_fail(expr->arg[1])) return brink_graph_op2(g, op, a, flat_expr(c, expr->arg[1]));
  if (a == BRINK_NO_NODE) return BRINK_NO_NODE;
  if (brink_graph_is_constant(g, a, &known))
    return (known != 0.0) == both ? flat_expr(c, expr->arg[1]) : a;
  if (!both) asked = brink_graph_op1(g, BRINK_OP_NOT, a);
  flat_context right = *c;
  right.active =
      c->active == BRINK_NO_NODE ? asked : brink_graph_op2(g, BRINK_OP_AND, c->active, asked);
  return brink_graph_op2(g, op, a, flat_expr(&right, expr->arg[1]));
}

static brink_node binary(flat_context *c, const brink_ast_expr *expr) {
  static const brink_op ops[] = {
      [BRINK_AST_ADD] = BRINK_OP_ADD, [BRINK_AST_SUB] = BRINK_OP_SUB,
      [BRINK_AST_MUL] = BRINK_OP_MUL, [BRINK_AST_DIV] = BRINK_OP_DIV,
      [BRINK_AST_POW] = BRINK_OP_POW,
  };
  flat_shape shapes[2];
  if (flat_is_product(c, expr, shapes)) return flat_product(c, expr, shapes);
  brink_node a = flat_expr(c, expr->arg[0]), b = flat_expr(c, expr->arg[1]);
  return brink_graph_op2(c->graph, ops[expr->op], a, b);
}

/* ---- everything ---- */

static bool is_reduction(const brink_ast_expr *expr) {
  switch (expr->function) {
  case BRINK_FN_DOT:
  case BRINK_FN_SUM:
  case BRINK_FN_NORM:
  case BRINK_FN_ARGMIN:
  case BRINK_FN_ARGMAX:
  case BRINK_FN_SIZE:
  case BRINK_FN_CHOICE:
    return true;
  case BRINK_FN_MIN:
  case BRINK_FN_MAX:
    return expr->nargs == 1;
  default:
    return false;
  }
}

bool flat_has_vector_literal(const brink_ast_expr *expr) {
  if (expr->op == BRINK_AST_VECTOR || expr->op == BRINK_AST_EACH) return true;
  if (expr->op == BRINK_AST_CALL) {
    if (is_reduction(expr)) return false;
    if (expr->function == BRINK_FN_INVERSE || expr->function == BRINK_FN_SOLVE ||
        expr->function == BRINK_FN_IDENTITY)
      return true;
    if (expr->function == BRINK_FN_USER) return expr->vector;
  }
  size_t count = expr->nargs;
  if (expr->op == BRINK_AST_CALL && expr->function == BRINK_FN_TABLE) count = 1;
  for (size_t k = 0; k < count; k++) {
    if (flat_has_vector_literal(expr->arg[k])) return true;
  }
  return false;
}

static brink_node prime(flat_context *c, const brink_ast_expr *expr) {
  flat_variable *variable = flat_find(c->f, c->group, expr->arg[0]);
  if (variable == NULL || variable->space != BRINK_SPACE_X) return BRINK_NO_NODE;
  return flat_ref(c, variable, expr->arg[0], BRINK_SPACE_DX);
}

/* Element k of a list: of its rows, if it has any. */
static brink_node listed_element(flat_context *c, const brink_ast_expr *expr, flat_shape row,
                                 size_t k) {
  flat_context at = *c;
  at.element = row.rank > 0 ? k % row.columns : BRINK_NONE;
  at.elements = NULL;
  at.element_loop = false;
  return flat_expr(&at, expr->arg[k / row.columns]);
}

/* One of the elements first … last - 1, by the number that each iteration has for it. */
static brink_node listed(flat_context *c, const brink_ast_expr *expr, flat_shape row,
                         brink_node number, size_t first, size_t last) {
  if (last - first == 1) return listed_element(c, expr, row, first);
  brink_graph *g = c->graph;
  size_t middle = first + (last - first) / 2;
  brink_node less =
      brink_graph_op2(g, BRINK_OP_LT, number, brink_graph_constant(g, (double)middle));
  return brink_graph_select(g, less, listed(c, expr, row, number, first, middle),
                            listed(c, expr, row, number, middle, last));
}

static brink_node vector_element(flat_context *c, const brink_ast_expr *expr) {
  flat_shape row;
  if (expr->nargs == 0 || !flat_shape_of(c, expr->arg[0], &row)) {
    c->f->failed = true;
    return BRINK_NO_NODE;
  }
  size_t length = row.columns * expr->nargs;
  if (c->elements != NULL) {
    brink_node number = flat_numbers(c, c->elements, length);
    return c->f->failed ? BRINK_NO_NODE : listed(c, expr, row, number, 0, length);
  }
  if (c->element == BRINK_NONE || c->element >= length) {
    flat_lengths_differ(c->f, expr->place, length, c->element == BRINK_NONE ? 1 : c->element + 1);
    return BRINK_NO_NODE;
  }
  return listed_element(c, expr, row, c->element);
}

static brink_node translate(flat_context *c, const brink_ast_expr *expr) {
  switch (expr->op) {
  case BRINK_AST_NUMBER:
    return brink_graph_constant(c->graph, expr->number);
  case BRINK_AST_TEXT:
    return brink_graph_constant(c->graph, (double)flat_string(c->f, expr->text));
  case BRINK_AST_NAME:
    return flat_name_node(c, expr);
  case BRINK_AST_PRIME:
    return prime(c, expr);
  case BRINK_AST_NEGATE:
    return brink_graph_op1(c->graph, BRINK_OP_NEG, flat_expr(c, expr->arg[0]));
  case BRINK_AST_NOT:
    return brink_graph_op1(c->graph, BRINK_OP_NOT, flat_expr(c, expr->arg[0]));
  case BRINK_AST_LT:
  case BRINK_AST_LE:
  case BRINK_AST_GT:
  case BRINK_AST_GE:
  case BRINK_AST_EQ:
  case BRINK_AST_NE:
    return relation(c, expr);
  case BRINK_AST_IF:
    return if_node(c, expr);
  case BRINK_AST_CALL:
    return flat_call(c, expr);
  case BRINK_AST_VECTOR:
    return vector_element(c, expr);
  case BRINK_AST_EACH:
    return flat_each(c, expr);
  case BRINK_AST_SLICE: /* of names alone */
  case BRINK_AST_INDICES:
  case BRINK_AST_DAMAGED:
    return BRINK_NO_NODE;
  case BRINK_AST_AND:
  case BRINK_AST_OR:
    return logical(c, expr);
  default:
    return binary(c, expr);
  }
}

brink_node flat_expr(flat_context *c, const brink_ast_expr *expr) {
  if (c->f->failed) return BRINK_NO_NODE;
  if (!flat_spend(c->f, expr->place, 1)) return BRINK_NO_NODE;
  const brink_ast_expr *around = c->f->present;
  c->f->present = expr;
  brink_node node = translate(c, expr);
  c->f->present = around;
  return node;
}
