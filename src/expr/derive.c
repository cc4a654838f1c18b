/* derive.c: derivatives and degrees of expressions.
 *
 * Problem: d(node)/d(ref) as a graph, for Jacobians and gradients of guards.
 * Method: forward, node by node in order of the indices, which is an order of evaluation; the
 * derivative of a node is made of those of its operands, and nothing is made for nodes that do not
 * depend on the ref. So a derivative has at most a constant times as many nodes as the expression,
 * and no depth is too deep. Zero derivatives are left out, not multiplied by.
 *
 * The formulas are chosen for the points where others fail:
 *   x^y           y x^(y-1) x' + x^y log(x) y': no logarithm where y is constant, no quotient y/x;
 *                 0 where y = 0, and for the second term where x = 0
 *   asin, acos    sqrt((1 - x)(1 + x)) does not cancel near 1
 *   tanh          1/cosh^2 does not cancel where tanh is nearly 1
 *   atan2, hypot  quotients by the hypotenuse do not overflow
 *   abs, min, max the derivative of the branch that is taken; at a corner, from the side of `else`
 * A select differentiates both branches and selects: what is NaN in the other one stays there. */
#include "expr/graph.h"

#include <math.h>

/* ---- arithmetic on derivatives, where BRINK_NO_NODE is an exact 0 ---- */

#define ZERO BRINK_NO_NODE

static brink_node sum(brink_graph *graph, brink_node a, brink_node b) {
  if (a == ZERO) return b;
  return b == ZERO ? a : brink_graph_op2(graph, BRINK_OP_ADD, a, b);
}

static brink_node negative(brink_graph *graph, brink_node a) {
  return a == ZERO ? ZERO : brink_graph_op1(graph, BRINK_OP_NEG, a);
}

static brink_node difference(brink_graph *graph, brink_node a, brink_node b) {
  if (b == ZERO) return a;
  return a == ZERO ? negative(graph, b) : brink_graph_op2(graph, BRINK_OP_SUB, a, b);
}

static brink_node product(brink_graph *graph, brink_node a, brink_node b) {
  return a == ZERO || b == ZERO ? ZERO : brink_graph_op2(graph, BRINK_OP_MUL, a, b);
}

static brink_node quotient(brink_graph *graph, brink_node a, brink_node b) {
  return a == ZERO ? ZERO : brink_graph_op2(graph, BRINK_OP_DIV, a, b);
}

static brink_node number(brink_graph *graph, double value) {
  return brink_graph_constant(graph, value);
}

static brink_node or_zero(brink_graph *graph, brink_node a) {
  return a == ZERO ? number(graph, 0.0) : a;
}

static brink_node choice(brink_graph *graph, brink_node condition, brink_node yes, brink_node no) {
  if (yes == ZERO && no == ZERO) return ZERO;
  return brink_graph_select(graph, condition, or_zero(graph, yes), or_zero(graph, no));
}

static brink_node function(brink_graph *graph, brink_op op, brink_node a) {
  return brink_graph_op1(graph, op, a);
}

/* ---- the rules: `node` is f(a, b), da and db are the derivatives of a and b ---- */

static brink_node unless_zero(brink_graph *graph, brink_node a, brink_node derivative) {
  if (derivative == ZERO) return ZERO;
  brink_node is_zero = brink_graph_op2(graph, BRINK_OP_EQ, a, number(graph, 0.0));
  return brink_graph_select(graph, is_zero, number(graph, 0.0), derivative);
}

static brink_node derive_pow(brink_graph *graph, brink_node node, brink_node a, brink_node b,
                             brink_node da, brink_node db) {
  brink_node by_base = ZERO, by_exponent = ZERO;
  if (da != ZERO) {
    brink_node less = brink_graph_op2(graph, BRINK_OP_SUB, b, number(graph, 1.0));
    brink_node power = brink_graph_op2(graph, BRINK_OP_POW, a, less);
    by_base = unless_zero(graph, b, product(graph, product(graph, b, power), da));
  }
  if (db != ZERO) {
    brink_node slope = product(graph, node, function(graph, BRINK_OP_LOG, a));
    by_exponent = unless_zero(graph, a, product(graph, slope, db));
  }
  return sum(graph, by_base, by_exponent);
}

/* (a/b)' = (a' - (a/b) b')/b */
static brink_node derive_quotient(brink_graph *graph, brink_node node, brink_node b, brink_node da,
                                  brink_node db) {
  return quotient(graph, difference(graph, da, product(graph, node, db)), b);
}

/* The angle of (b, a): (a' b/r - b' a/r)/r with r = hypot(b, a). */
static brink_node derive_atan2(brink_graph *graph, brink_node a, brink_node b, brink_node da,
                               brink_node db) {
  brink_node r = brink_graph_op2(graph, BRINK_OP_HYPOT, a, b);
  brink_node up = product(graph, quotient(graph, b, r), da);
  brink_node across = product(graph, quotient(graph, a, r), db);
  return quotient(graph, difference(graph, up, across), r);
}

static brink_node derive_arcsine(brink_graph *graph, brink_node a, brink_node da) {
  brink_node one = number(graph, 1.0);
  brink_node square = product(graph, brink_graph_op2(graph, BRINK_OP_SUB, one, a),
                              brink_graph_op2(graph, BRINK_OP_ADD, one, a));
  return quotient(graph, da, function(graph, BRINK_OP_SQRT, square));
}

/* da/(1 + a^2) or da (1 + a^2) */
static brink_node one_and_square(brink_graph *graph, brink_node a) {
  return brink_graph_op2(graph, BRINK_OP_ADD, number(graph, 1.0), product(graph, a, a));
}

static brink_node square(brink_graph *graph, brink_node a) {
  return product(graph, a, a);
}

/* Of a function of one argument. */
static brink_node derive_function(brink_graph *graph, brink_op op, brink_node node, brink_node a,
                                  brink_node da) {
  switch ((int)op) {
  case BRINK_OP_NEG:
    return negative(graph, da);
  case BRINK_OP_SQRT:
    return quotient(graph, product(graph, number(graph, 0.5), da), node);
  case BRINK_OP_SIN:
    return product(graph, function(graph, BRINK_OP_COS, a), da);
  case BRINK_OP_COS:
    return negative(graph, product(graph, function(graph, BRINK_OP_SIN, a), da));
  case BRINK_OP_TAN:
    return product(graph, one_and_square(graph, node), da);
  case BRINK_OP_ASIN:
    return derive_arcsine(graph, a, da);
  case BRINK_OP_ACOS:
    return negative(graph, derive_arcsine(graph, a, da));
  case BRINK_OP_ATAN:
    return quotient(graph, da, one_and_square(graph, a));
  case BRINK_OP_SINH:
    return product(graph, function(graph, BRINK_OP_COSH, a), da);
  case BRINK_OP_COSH:
    return product(graph, function(graph, BRINK_OP_SINH, a), da);
  case BRINK_OP_TANH:
    return quotient(graph, da, square(graph, function(graph, BRINK_OP_COSH, a)));
  case BRINK_OP_EXP:
    return product(graph, node, da);
  case BRINK_OP_LOG:
    return quotient(graph, da, a);
  case BRINK_OP_LOG10:
    return quotient(graph, da,
                    product(graph, a, number(graph, brink_op_apply(BRINK_OP_LOG, 10.0, 0.0, 0.0))));
  case BRINK_OP_ABS: {
    brink_node below = brink_graph_op2(graph, BRINK_OP_LT, a, number(graph, 0.0));
    return choice(graph, below, negative(graph, da), da);
  }
  default: /* floor, sign, not */
    return ZERO;
  }
}

/* By each argument that depends on the variable. There are no third derivatives: not a number, and not a 0. */
static brink_node derive_external(brink_graph *graph, brink_expr_node n, const brink_node *d) {
  brink_node arguments[BRINK_EXTERNAL_ARGUMENTS], total = ZERO;
  size_t code, count = brink_graph_arguments(graph, &n, arguments, &code);
  for (size_t k = 0; k < count; k++) {
    if (d[arguments[k]] == ZERO) continue;
    size_t derived = brink_external_derivative(code, k);
    brink_node slope =
        derived == BRINK_EXTERNAL_NONE
            ? number(graph, (double)NAN)
            : brink_graph_op2(graph, BRINK_OP_EXTERNAL, n.a, number(graph, (double)derived));
    total = sum(graph, total, product(graph, slope, d[arguments[k]]));
  }
  return total;
}

static brink_node derive_node(brink_graph *graph, brink_node node, const brink_node *d) {
  brink_expr_node n = graph->nodes[node]; /* by value: the array moves */
  int operands = brink_op_operands((brink_op)n.op);
  brink_node a = n.a, b = n.b;
  brink_node da = d[a], db = operands > 1 ? d[b] : ZERO, dc = operands > 2 ? d[n.c] : ZERO;
  switch (n.op) {
  case BRINK_OP_ADD:
    return sum(graph, da, db);
  case BRINK_OP_SUB:
    return difference(graph, da, db);
  case BRINK_OP_MUL:
    return sum(graph, product(graph, da, b), product(graph, a, db));
  case BRINK_OP_DIV:
    return derive_quotient(graph, node, b, da, db);
  case BRINK_OP_POW:
    return derive_pow(graph, node, a, b, da, db);
  case BRINK_OP_ATAN2:
    return derive_atan2(graph, a, b, da, db);
  case BRINK_OP_HYPOT:
    return sum(graph, product(graph, quotient(graph, a, node), da),
               product(graph, quotient(graph, b, node), db));
  case BRINK_OP_MIN:
    return choice(graph, brink_graph_op2(graph, BRINK_OP_LT, a, b), da, db);
  case BRINK_OP_MAX:
    return choice(graph, brink_graph_op2(graph, BRINK_OP_LT, b, a), da, db);
  case BRINK_OP_SELECT:
    return choice(graph, a, db, dc);
  case BRINK_OP_ARGUMENT: /* some derivative: it says that the list depends on the variable */
    return da != ZERO ? da : db;
  case BRINK_OP_EXTERNAL:
    return derive_external(graph, n, d);
  default:
    return operands == 1 ? derive_function(graph, (brink_op)n.op, node, a, da) : ZERO;
  }
}

/* ---- the pass ---- */

static bool is_the_variable(const brink_expr_node *node, size_t ref) {
  return ref == BRINK_NONE ? node->op == BRINK_OP_TIME : node->op == BRINK_OP_REF && node->a == ref;
}

static bool depends(const brink_expr_node *node, const brink_node *d) {
  int operands = brink_op_operands((brink_op)node->op);
  return (operands > 0 && d[node->a] != ZERO) || (operands > 1 && d[node->b] != ZERO) ||
         (operands > 2 && d[node->c] != ZERO);
}

static void derive(brink_graph *graph, size_t size, size_t ref, const bool *needed, brink_node *d) {
  for (size_t i = 0; i < size; i++) {
    d[i] = ZERO;
    if (!needed[i] || graph->failed) continue;
    if (is_the_variable(&graph->nodes[i], ref))
      d[i] = number(graph, 1.0);
    else if (depends(&graph->nodes[i], d))
      d[i] = derive_node(graph, (brink_node)i, d);
  }
}

bool brink_graph_derivatives(brink_graph *graph, const brink_node *nodes, size_t count, size_t ref,
                             brink_node *derivatives) {
  const brink_allocator *allocator = &graph->arena->allocator;
  size_t size = graph->nnodes;
  bool *needed = brink_allocate(allocator, size, sizeof *needed);
  brink_node *d = brink_allocate(allocator, size, sizeof *d);
  bool ok = needed != NULL && d != NULL;
  if (!ok) graph->failed = true;
  ok = ok && !graph->failed && brink_graph_mark(graph, nodes, count, needed);
  if (ok) derive(graph, size, ref, needed, d);
  for (size_t k = 0; k < count; k++)
    derivatives[k] = ok ? or_zero(graph, d[nodes[k]]) : BRINK_NO_NODE;
  brink_release(allocator, needed, size, sizeof *needed);
  brink_release(allocator, d, size, sizeof *d);
  return ok && !graph->failed;
}

brink_node brink_graph_derivative(brink_graph *graph, brink_node node, size_t ref) {
  brink_node derivative = BRINK_NO_NODE;
  brink_graph_derivatives(graph, &node, 1, ref, &derivative);
  return graph->failed ? BRINK_NO_NODE : derivative;
}

/* ---- parts of a graph ---- */

brink_node brink_graph_partial(brink_graph *graph, const brink_node *part, size_t count, size_t at,
                               brink_node *d) {
  for (size_t k = at; k < count && !graph->failed; k++) {
    const brink_expr_node *n = &graph->nodes[part[k]];
    d[part[k]] = k == at         ? number(graph, 1.0)
                 : depends(n, d) ? derive_node(graph, part[k], d)
                                 : ZERO;
  }
  brink_node derivative = d[part[count - 1]];
  for (size_t k = at; k < count; k++) d[part[k]] = ZERO;
  return derivative;
}

/* ---- total derivatives ---- */

#define NOT_YET (BRINK_NO_NODE - 1)

static bool remember_up_to(brink_total *total, brink_node node) {
  while (total->count <= node) {
    brink_node *added = brink_arena_push(total->scratch, total->of, total->count, total->capacity);
    if (added == NULL) return false;
    *added = NOT_YET;
  }
  return true;
}

static bool push(brink_total *total, brink_node node) {
  brink_node *added =
      brink_arena_push(total->scratch, total->stack, total->depth, total->stack_capacity);
  if (added != NULL) *added = node;
  return added != NULL;
}

/* The first operand whose derivative is needed and not known yet; BRINK_NO_NODE: all are known. */
static brink_node next_operand(const brink_total *total, brink_node node) {
  brink_node operand[3];
  int count = brink_graph_smooth_operands(total->graph, node, operand);
  for (int k = 0; k < count; k++)
    if (total->of[operand[k]] == NOT_YET) return operand[k];
  return BRINK_NO_NODE;
}

static brink_node total_of(brink_total *total, brink_node node) {
  brink_graph *graph = total->graph;
  brink_expr_node n = graph->nodes[node];
  if (n.op == BRINK_OP_TIME) return number(graph, 1.0);
  if (n.op == BRINK_OP_REF) {
    double value;
    brink_node tangent = total->tangent(graph, n.a, total->user);
    return brink_graph_is_constant(graph, tangent, &value) && value == 0.0 ? ZERO : tangent;
  }
  brink_node operand[3];
  bool moves = false;
  int count = brink_graph_smooth_operands(graph, node, operand);
  for (int k = 0; k < count; k++) moves = moves || total->of[operand[k]] != ZERO;
  return moves ? derive_node(graph, node, total->of) : ZERO;
}

brink_node brink_graph_total(brink_total *total, brink_node node) {
  brink_graph *graph = total->graph;
  if (graph->failed || node == BRINK_NO_NODE || !remember_up_to(total, node)) return BRINK_NO_NODE;
  total->depth = 0;
  if (total->of[node] == NOT_YET && !push(total, node)) return BRINK_NO_NODE;
  while (total->depth > 0) {
    brink_node top = total->stack[total->depth - 1];
    brink_node operand = next_operand(total, top);
    if (operand != BRINK_NO_NODE) {
      if (!push(total, operand)) return BRINK_NO_NODE;
      continue;
    }
    brink_node derivative = total_of(total, top);
    if (graph->failed || total->scratch->failed) return BRINK_NO_NODE;
    total->of[top] = derivative;
    total->depth--;
  }
  return or_zero(graph, total->of[node]);
}

int brink_graph_smooth_operands(const brink_graph *graph, brink_node node, brink_node operands[3]) {
  const brink_expr_node *n = &graph->nodes[node];
  double value;
  operands[0] = n->a;
  operands[1] = n->b;
  operands[2] = n->c;
  if (brink_op_is_step((brink_op)n->op)) return 0;
  switch (n->op) {
  case BRINK_OP_SELECT:
    operands[0] = n->b;
    operands[1] = n->c;
    return 2;
  case BRINK_OP_SUB:
    return n->a == n->b ? 0 : 2;
  case BRINK_OP_MUL:
    if (brink_graph_is_constant(graph, n->a, &value) && value == 0.0) return 0;
    if (brink_graph_is_constant(graph, n->b, &value) && value == 0.0) return 0;
    return 2;
  default:
    return brink_op_operands((brink_op)n->op);
  }
}

/* ---- degrees ---- */

enum { NOT_POLYNOMIAL = -1, MAX_DEGREE = 16 };

static int degree_of_ref(brink_space space) {
  if (space == BRINK_SPACE_X) return 1;
  return space == BRINK_SPACE_V || space == BRINK_SPACE_DX || space == BRINK_SPACE_OUT
             ? NOT_POLYNOMIAL
             : 0;
}

static int degree_of_power(const brink_graph *graph, brink_node exponent, int degree) {
  double n;
  if (!brink_graph_is_constant(graph, exponent, &n)) return NOT_POLYNOMIAL;
  if (!(n >= 1.0 && n <= MAX_DEGREE) || floor(n) != n) return NOT_POLYNOMIAL;
  return degree * (int)n;
}

static int larger(int a, int b) {
  return a > b ? a : b;
}

/* Of an operator with operands of these degrees, none of them -1, not all of them 0. */
static int degree_of_operator(const brink_graph *graph, const brink_expr_node *n, int a, int b,
                              int c) {
  switch (n->op) {
  case BRINK_OP_ADD:
  case BRINK_OP_SUB:
    return larger(a, b);
  case BRINK_OP_MUL:
    return a + b;
  case BRINK_OP_DIV:
    return b == 0 ? a : NOT_POLYNOMIAL;
  case BRINK_OP_NEG:
    return a;
  case BRINK_OP_POW:
    return degree_of_power(graph, n->b, a);
  case BRINK_OP_SELECT:
    return a == 0 ? larger(b, c) : NOT_POLYNOMIAL;
  default:
    return NOT_POLYNOMIAL;
  }
}

static int degree_of_node(const brink_graph *graph, size_t i, const signed char *degree) {
  const brink_expr_node *n = &graph->nodes[i];
  int operands = brink_op_operands((brink_op)n->op);
  if (n->op == BRINK_OP_REF) return degree_of_ref(graph->refs[n->a].space);
  if (operands == 0) return n->op == BRINK_OP_TIME ? 1 : 0;
  int a = degree[n->a], b = operands > 1 ? degree[n->b] : 0, c = operands > 2 ? degree[n->c] : 0;
  if (a < 0 || b < 0 || c < 0) return NOT_POLYNOMIAL;
  if (a == 0 && b == 0 && c == 0) return 0;
  int result = degree_of_operator(graph, n, a, b, c);
  return result > MAX_DEGREE ? NOT_POLYNOMIAL : result;
}

bool brink_graph_degree(const brink_graph *graph, brink_node node, int *result) {
  *result = NOT_POLYNOMIAL;
  if (node == BRINK_NO_NODE) return true;
  size_t size = (size_t)node + 1;
  signed char *degree = brink_allocate(&graph->arena->allocator, size, sizeof *degree);
  if (degree == NULL) return false;
  for (size_t i = 0; i < size; i++) degree[i] = (signed char)degree_of_node(graph, i, degree);
  *result = degree[node];
  brink_release(&graph->arena->allocator, degree, size, sizeof *degree);
  return true;
}
