/* expressions.c: random expressions with a point at which they are smooth, and their values. */
#include "support/expressions.h"

#include <math.h>
#include <stdlib.h>

double random_uniform(uint64_t *state, double lo, double hi) {
  uint64_t z = (*state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return lo + (hi - lo) * ((double)(z >> 11) * 0x1p-53);
}

static size_t below(uint64_t *state, size_t count) {
  return (size_t)random_uniform(state, 0.0, (double)count);
}

static bool is_truth(double a) {
  return a == 0.0 || fabs(a) > 0.01;
}

/* Is the operator defined, and smooth with moderate derivatives, around these operands? */
static bool is_smooth(brink_op op, double a, double b) {
  switch ((int)op) {
  case BRINK_OP_DIV:
    return fabs(b) > 0.1;
  case BRINK_OP_POW:
    return a > 0.1 && fabs(b) < 5.0;
  case BRINK_OP_SQRT:
  case BRINK_OP_LOG:
  case BRINK_OP_LOG10:
    return a > 0.1;
  case BRINK_OP_TAN:
    return fabs(cos(a)) > 0.3;
  case BRINK_OP_ASIN:
  case BRINK_OP_ACOS:
    return fabs(a) < 0.9;
  case BRINK_OP_ATAN2: /* off the cut as well */
    return hypot(a, b) > 0.1 && (b > 0.01 || fabs(a) > 0.01);
  case BRINK_OP_HYPOT:
    return hypot(a, b) > 0.1;
  case BRINK_OP_ABS:
  case BRINK_OP_SIGN:
    return fabs(a) > 0.01;
  case BRINK_OP_FLOOR:
    return fabs(a - nearbyint(a)) > 0.01;
  case BRINK_OP_MIN:
  case BRINK_OP_MAX:
  case BRINK_OP_LT:
  case BRINK_OP_LE:
  case BRINK_OP_EQ:
  case BRINK_OP_NE:
    return fabs(a - b) > 0.01;
  case BRINK_OP_AND:
  case BRINK_OP_OR:
    return is_truth(a) && is_truth(b);
  case BRINK_OP_NOT:
  case BRINK_OP_SELECT:
    return is_truth(a);
  default:
    return true;
  }
}

/* Half of the time one of the newest, so that expressions get deep. */
static brink_node draw_operand(size_t count, uint64_t *state) {
  size_t newest = count < 3 ? count : 3;
  if (below(state, 2) == 0) return (brink_node)(count - 1 - below(state, newest));
  return (brink_node)below(state, count);
}

static brink_expr_node draw_leaf(uint64_t *state) {
  switch (below(state, 6)) {
  case 0:
    return (brink_expr_node){.op = BRINK_OP_CONST,
                             .value = (double)below(state, 9) * 0.5 - 2.0}; /* -2, -1.5, … 2 */
  case 1:
    return (brink_expr_node){.op = BRINK_OP_CONST, .value = random_uniform(state, -3.0, 3.0)};
  case 2:
    return (brink_expr_node){.op = BRINK_OP_TIME};
  default:
    return (brink_expr_node){.op = BRINK_OP_REF, .a = (uint32_t)below(state, EXPRESSION_STATES)};
  }
}

static brink_op draw_operator(uint64_t *state) {
  size_t first = BRINK_OP_ADD, count = BRINK_OP_RANDOM - BRINK_OP_ADD;
  if (below(state, 3) == 0) count = BRINK_OP_POW - BRINK_OP_ADD; /* arithmetic is common */
  return (brink_op)(first + below(state, count));
}

static double leaf_value(const brink_expr_node *n, double t, const double *x, size_t slot) {
  if (n->op == BRINK_OP_CONST) return n->value;
  return n->op == BRINK_OP_TIME ? t : x[slot];
}

static double operator_value(const brink_expr_node *n, const double *values) {
  int operands = brink_op_operands((brink_op)n->op);
  return brink_op_apply((brink_op)n->op, values[n->a], operands > 1 ? values[n->b] : 0.0,
                        operands > 2 ? values[n->c] : 0.0);
}

void expression_random(expression *e, size_t count, uint64_t *state) {
  double values[EXPRESSION_NODES];
  *e = (expression){.t = random_uniform(state, 0.2, 3.0)};
  for (size_t k = 0; k < EXPRESSION_STATES; k++) e->x[k] = random_uniform(state, -3.0, 3.0);
  for (size_t i = 0; i < count;) {
    brink_expr_node n = draw_leaf(state);
    if (i < 2 || (i + 1 < count && below(state, 4) == 0)) {
      values[i] = leaf_value(&n, e->t, e->x, n.a);
    } else {
      brink_op op = draw_operator(state);
      n = (brink_expr_node){.op = (uint8_t)op, .a = draw_operand(i, state)};
      if (brink_op_operands(op) > 1) n.b = draw_operand(i, state);
      if (brink_op_operands(op) > 2) n.c = draw_operand(i, state);
      if (!is_smooth(op, values[n.a], values[n.b])) continue;
      values[i] = operator_value(&n, values);
      if (!(fabs(values[i]) < 30.0)) continue;
    }
    e->node[i++] = n;
  }
  e->count = count;
}

brink_node expression_build(const expression *e, brink_graph *graph) {
  brink_node image[EXPRESSION_NODES];
  for (size_t i = 0; i < e->count; i++) {
    const brink_expr_node *n = &e->node[i];
    if (n->op == BRINK_OP_CONST)
      image[i] = brink_graph_constant(graph, n->value);
    else if (n->op == BRINK_OP_TIME)
      image[i] = brink_graph_time(graph);
    else if (n->op == BRINK_OP_REF)
      image[i] = brink_graph_ref(graph, (brink_ref){.space = BRINK_SPACE_X, .base = n->a});
    else
      image[i] = brink_graph_op(graph, (brink_op)n->op, image[n->a], image[n->b], image[n->c]);
  }
  return image[e->count - 1];
}

void expression_values(const expression *e, double *values) {
  for (size_t i = 0; i < e->count; i++) {
    const brink_expr_node *n = &e->node[i];
    values[i] = brink_op_operands((brink_op)n->op) == 0 ? leaf_value(n, e->t, e->x, n->a)
                                                        : operator_value(n, values);
  }
}

void graph_values(const brink_graph *graph, double t, const double *x, double *values) {
  for (size_t i = 0; i < graph->nnodes; i++) {
    const brink_expr_node *n = &graph->nodes[i];
    size_t slot = n->op == BRINK_OP_REF ? graph->refs[n->a].base : 0;
    values[i] = brink_op_operands((brink_op)n->op) == 0 ? leaf_value(n, t, x, slot)
                                                        : operator_value(n, values);
  }
}

double graph_value(const brink_graph *graph, brink_node node, double t, const double *x) {
  double *values = calloc(graph->nnodes + 1, sizeof *values);
  if (values == NULL || node == BRINK_NO_NODE) {
    free(values);
    return (double)NAN;
  }
  graph_values(graph, t, x, values);
  double value = values[node];
  free(values);
  return value;
}
