/* expressions.c: the operators of expressions (see <brink/build.h>). */
#include <math.h>
#include <stdio.h>

#include "build/builder.h"

/* ---- leaves ---- */

brink_ex brink_builder_number(brink_builder *builder, double value) {
  if (builder == NULL) return (brink_ex){0};
  if (isnan(value))
    brink_builder_problem(builder, BRINK_REASON_DEFINITION,
                          "brink_builder_number: not a number (NaN)");
  return brink_builder_handle(builder, brink_graph_constant(&builder->graph, value));
}

brink_ex brink_builder_time(brink_builder *builder) {
  if (builder == NULL) return (brink_ex){0};
  return brink_builder_handle(builder, brink_graph_time(&builder->graph));
}

/* ---- operators ---- */

/* The builder that keeps a mistake: that of the first operand that has one. */
static brink_builder *builder_of(const brink_ex *operands, int count) {
  for (int k = 0; k < count; k++) {
    if (operands[k].builder != NULL) return operands[k].builder;
  }
  return NULL;
}

/* What is wrong with an operand. Where operands have two builders, both keep the mistake. */
static void explain(brink_builder *builder, const char *function, int k, brink_ex operand) {
  char whose[64];
  snprintf(whose, sizeof whose, "operand %d of %s", k + 1, function);
  brink_builder_knows(builder, operand, whose);
  if (operand.builder != NULL && operand.builder != builder)
    brink_builder_problem(operand.builder, BRINK_REASON_DEFINITION,
                          "%s is an expression of this builder, but another operand is not", whose);
}

static brink_ex apply(const char *function, brink_op op, const brink_ex *operands) {
  int count = brink_op_operands(op);
  brink_builder *builder = builder_of(operands, count);
  if (builder == NULL) return (brink_ex){0}; /* found where it is used */
  brink_node nodes[3] = {0, 0, 0};
  bool known = true;
  for (int k = 0; k < count; k++) {
    nodes[k] = operands[k].node;
    if (operands[k].builder == builder && nodes[k] < builder->graph.nnodes) continue;
    explain(builder, function, k, operands[k]);
    known = false;
  }
  if (!known) return (brink_ex){.builder = builder, .node = BRINK_NO_NODE};
  return brink_builder_handle(builder,
                              brink_graph_op(&builder->graph, op, nodes[0], nodes[1], nodes[2]));
}

static brink_ex apply_one(const char *function, brink_op op, brink_ex a) {
  return apply(function, op, &a);
}

static brink_ex apply_two(const char *function, brink_op op, brink_ex a, brink_ex b) {
  brink_ex operands[] = {a, b};
  return apply(function, op, operands);
}

#define ONE(function, id, meaning)                                                                 \
  brink_ex function(brink_ex a) {                                                                  \
    return apply_one(#function, BRINK_OP_##id, a);                                                 \
  }
#define TWO(function, id, meaning)                                                                 \
  brink_ex function(brink_ex a, brink_ex b) {                                                      \
    return apply_two(#function, BRINK_OP_##id, a, b);                                              \
  }
BRINK_EX_ONE_LIST(ONE)
BRINK_EX_TWO_LIST(TWO)
#undef ONE
#undef TWO

brink_ex brink_ex_scale(brink_ex a, double factor) {
  return apply_two("brink_ex_scale", BRINK_OP_MUL, a, brink_builder_number(a.builder, factor));
}

brink_ex brink_ex_add_constant(brink_ex a, double value) {
  return apply_two("brink_ex_add_constant", BRINK_OP_ADD, a,
                   brink_builder_number(a.builder, value));
}

brink_ex brink_ex_square(brink_ex a) {
  return apply_two("brink_ex_square", BRINK_OP_MUL, a, a);
}

brink_ex brink_ex_select(brink_ex condition, brink_ex yes, brink_ex no) {
  brink_ex operands[] = {condition, yes, no};
  return apply("brink_ex_select", BRINK_OP_SELECT, operands);
}
