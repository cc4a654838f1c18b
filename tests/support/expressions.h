/* expressions.h: random expressions with a point at which they are smooth, and their values. */
#ifndef BRINK_TESTS_EXPRESSIONS_H
#define BRINK_TESTS_EXPRESSIONS_H

#include "expr/graph.h"

enum { EXPRESSION_NODES = 256, EXPRESSION_STATES = 4 };

/* Nodes as they were drawn, not simplified: operands are earlier nodes, `a` of a REF is a slot. */
typedef struct expression {
  brink_expr_node node[EXPRESSION_NODES];
  size_t count; /* the last one is the expression */
  double t, x[EXPRESSION_STATES];
} expression;

double random_uniform(uint64_t *state, double lo, double hi); /* splitmix64 */

/* `count` nodes over time and the states such that at (t, x) every node is finite, of moderate size
 * and away from the singularities and corners of its operator. */
void expression_random(expression *e, size_t count, uint64_t *state);

/* The same through the builders; states are refs to X. */
brink_node expression_build(const expression *e, brink_graph *graph);

/* The values of all nodes, by brink_op_apply alone: of the expression as drawn, of a graph with
 * refs to X (and P, MODE, SIGN: all read x[slot]). */
void expression_values(const expression *e, double *values);
void graph_values(const brink_graph *graph, double t, const double *x, double *values);
double graph_value(const brink_graph *graph, brink_node node, double t, const double *x);

#endif
