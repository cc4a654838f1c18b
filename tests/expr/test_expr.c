/* test_expr.c: expression graphs: what simplifies and what must not, shared nodes, copies, degrees,
 * depth, memory; random numbers; names. Derivatives are in test_derivatives.c. */
#include "check.h"
#include "expr/system.h"
#include "support/counting.h"
#include "support/expressions.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static brink_arena arena;
static brink_graph graph;

static void begin(size_t iterations) {
  brink_arena_init(&arena, NULL);
  brink_graph_init(&graph, &arena, iterations);
}

static void end(void) {
  brink_arena_free(&arena);
}

static brink_node number(double value) {
  return brink_graph_constant(&graph, value);
}

static brink_node slot(brink_space space, uint32_t base) {
  return brink_graph_ref(&graph, (brink_ref){.space = space, .base = base});
}

static brink_node state(uint32_t base) {
  return slot(BRINK_SPACE_X, base);
}

#define OP1(op, a) brink_graph_op1(&graph, BRINK_OP_##op, a)
#define OP2(op, a, b) brink_graph_op2(&graph, BRINK_OP_##op, a, b)

static brink_op op_of(brink_node node) {
  return (brink_op)graph.nodes[node].op;
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static bool same(double a, double b) {
  return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b));
}

/* ---- simplification ---- */

TEST(what_is_exact_simplifies) {
  begin(1);
  brink_node x = state(0), y = state(1), m = slot(BRINK_SPACE_MODE, 0), zero = number(0.0);
  brink_node minus_zero = number(-0.0), one = number(1.0), less = OP2(LT, x, y);
  brink_node square = OP2(MUL, x, x);
  CHECK(zero != minus_zero);
  CHECK(OP2(MUL, x, one) == x && OP2(MUL, one, x) == x && OP2(DIV, x, one) == x);
  CHECK(OP2(MUL, number(-1.0), x) == OP1(NEG, x) && OP2(MUL, x, number(-1.0)) == OP1(NEG, x));
  CHECK(OP2(SUB, x, zero) == x && OP2(ADD, x, minus_zero) == x && OP2(ADD, minus_zero, x) == x);
  CHECK(OP2(SUB, minus_zero, x) == OP1(NEG, x));
  CHECK(OP1(NEG, OP1(NEG, x)) == x);
  CHECK(OP2(ADD, m, zero) == m && OP2(ADD, zero, square) == square);
  CHECK(OP2(ADD, OP1(EXP, x), zero) == OP1(EXP, x) && OP2(SUB, less, minus_zero) == less);
  CHECK(OP2(ADD, OP2(ADD, x, one), zero) == OP2(ADD, x, one));
  CHECK(OP2(MUL, less, zero) == zero && OP2(MUL, minus_zero, less) == minus_zero);
  CHECK(OP1(NOT, OP1(NOT, less)) == less);
  CHECK(OP1(NOT, OP1(NOT, x)) == OP2(NE, x, zero));
  CHECK(OP2(AND, less, one) == less && OP2(AND, zero, less) == zero);
  CHECK(OP2(OR, less, zero) == less && OP2(OR, number(3.0), less) == one);
  CHECK(OP2(AND, number(2.0), x) == OP2(NE, x, zero));
  CHECK(brink_graph_select(&graph, one, x, y) == x && brink_graph_select(&graph, zero, x, y) == y);
  CHECK(brink_graph_select(&graph, less, y, y) == y);
  CHECK(OP2(LT, zero, one) == one && OP2(EQ, number(2.0), one) == zero);
  end();
}

TEST(powers_become_products_quotients_and_roots) {
  begin(1);
  brink_node x = state(0), square = OP2(MUL, x, x);
  CHECK(OP2(POW, x, number(0.0)) == number(1.0));
  CHECK(OP2(POW, x, number(1.0)) == x);
  CHECK(OP2(POW, x, number(2.0)) == square);
  CHECK(OP2(POW, x, number(3.0)) == OP2(MUL, square, x));
  CHECK(OP2(POW, x, number(4.0)) == OP2(MUL, square, square));
  CHECK(OP2(POW, x, number(-1.0)) == OP2(DIV, number(1.0), x));
  CHECK(OP2(POW, x, number(0.5)) == OP1(SQRT, x));
  static const double others[] = {5.0, -2.0, 2.5, -0.5, 1e300};
  for (size_t k = 0; k < COUNT(others); k++)
    CHECK_INT(op_of(OP2(POW, x, number(others[k]))), BRINK_OP_POW);
  end();
}

/* Signs of zeros, infinities and NaN would change. */
TEST(what_is_not_exact_stays) {
  begin(1);
  brink_node x = state(0), p = slot(BRINK_SPACE_P, 0), zero = number(0.0), m;
  m = slot(BRINK_SPACE_MODE, 0);
  CHECK_INT(op_of(OP2(ADD, x, zero)), BRINK_OP_ADD); /* -0 + 0 = 0 */
  CHECK_INT(op_of(OP2(ADD, p, zero)), BRINK_OP_ADD);
  CHECK_INT(op_of(OP2(SUB, x, number(-0.0))), BRINK_OP_SUB);
  CHECK_INT(op_of(OP2(SUB, zero, x)), BRINK_OP_SUB); /* 0 - 0 = 0, -(0) = -0 */
  CHECK_INT(op_of(OP2(MUL, x, zero)), BRINK_OP_MUL); /* 0 inf, 0 NaN, -1 0 */
  CHECK_INT(op_of(OP2(MUL, m, zero)), BRINK_OP_MUL);
  CHECK_INT(op_of(OP2(SUB, x, x)), BRINK_OP_SUB);
  CHECK_INT(op_of(OP2(DIV, x, x)), BRINK_OP_DIV);
  CHECK_INT(op_of(OP2(DIV, zero, x)), BRINK_OP_DIV);
  CHECK_INT(op_of(OP2(EQ, x, x)), BRINK_OP_EQ);
  CHECK_INT(op_of(OP2(RANDOM, zero, zero)), BRINK_OP_RANDOM); /* the seed is not known */
  CHECK_INT(op_of(OP1(NOT, OP2(LT, x, p))), BRINK_OP_NOT);
  brink_node left = OP2(ADD, OP2(ADD, x, p), m), right = OP2(ADD, x, OP2(ADD, p, m));
  CHECK(left != right); /* no reassociation */
  CHECK(OP2(SUB, x, p) != OP2(SUB, p, x) && OP2(MIN, x, p) != OP2(MIN, p, x));
  end();
}

/* A random expression in which 0, -0, 1, -1, inf and NaN are common. Powers are left out. */
static void draw_special(expression *e, size_t count, uint64_t *seed) {
  static const double specials[] = {
      0.0,         -0.0, 1.0,  -1.0, 2.5, 1e-320, -7.0, INFINITY, -(double)INFINITY,
      (double)NAN, 3.0,  1e300};
  *e = (expression){.count = count};
  for (size_t k = 0; k < EXPRESSION_STATES; k++)
    e->x[k] = specials[(size_t)random_uniform(seed, 0.0, (double)COUNT(specials))];
  e->t = e->x[0];
  for (size_t i = 0; i < count; i++) {
    double kind = random_uniform(seed, 0.0, 1.0);
    brink_expr_node *n = &e->node[i];
    if (i == 0 || kind < 0.25) {
      n->op = BRINK_OP_CONST;
      n->value = specials[(size_t)random_uniform(seed, 0.0, (double)COUNT(specials))];
    } else if (kind < 0.45) {
      n->op = BRINK_OP_REF;
      n->a = (uint32_t)random_uniform(seed, 0.0, EXPRESSION_STATES);
    } else {
      do n->op = (uint8_t)random_uniform(seed, BRINK_OP_ADD, BRINK_OP_RANDOM);
      while (n->op == BRINK_OP_POW);
      n->a = (brink_node)random_uniform(seed, 0.0, (double)i);
      n->b = (brink_node)random_uniform(seed, 0.0, (double)i);
      n->c = (brink_node)random_uniform(seed, 0.0, (double)i);
    }
  }
}

TEST(no_bit_changes_by_simplification_or_folding) {
  uint64_t seed = 1;
  long smaller = 0;
  for (int round = 0; round < 20000; round++) {
    expression e;
    double raw[EXPRESSION_NODES];
    draw_special(&e, 30, &seed);
    expression_values(&e, raw);
    begin(1);
    brink_node root = expression_build(&e, &graph);
    CHECK(!graph.failed);
    double value = graph_value(&graph, root, e.t, e.x);
    CHECK_MSG(same(value, raw[e.count - 1]), "round %d: %.17g, expected %.17g", round, value,
              raw[e.count - 1]);
    smaller += graph.nnodes < e.count;
    end();
  }
  CHECK(smaller > 15000);
}

TEST(powers_change_by_rounding_only) {
  static const double exponents[] = {0.0, 1.0, 2.0, 3.0, 4.0, -1.0, 0.5};
  static const double bases[] = {0.0,   -0.0,   1e-200, -1e-107, 1e-77, 1e103, -1e77, 1e154,
                                 1e308, 1e-320, 1.1,    -3.7,    7e-11, 1.0,   -1.0};
  begin(1);
  brink_node x = state(0);
  for (size_t k = 0; k < COUNT(exponents); k++) {
    brink_node power = OP2(POW, x, number(exponents[k]));
    for (size_t j = 0; j < COUNT(bases); j++) {
      double ours = graph_value(&graph, power, 0.0, &bases[j]);
      double theirs = pow(bases[j], exponents[k]);
      bool near = fabs(ours - theirs) <= 4.0 * 0x1p-53 * fabs(theirs) + 0x1p-1073;
      CHECK_MSG(same(ours, theirs) || near, "%g^%g = %.17g, expected %.17g", bases[j], exponents[k],
                ours, theirs);
    }
  }
  end();
}

TEST(signs_minima_and_relations_of_nan_are_as_documented) {
  double nan = (double)NAN;
  CHECK(isnan(brink_op_apply(BRINK_OP_SIGN, nan, 0.0, 0.0)));
  CHECK(brink_op_apply(BRINK_OP_SIGN, -0.0, 0.0, 0.0) == 0.0);
  CHECK(brink_op_apply(BRINK_OP_SIGN, -3.0, 0.0, 0.0) == -1.0);
  CHECK(isnan(brink_op_apply(BRINK_OP_MIN, nan, 2.0, 0.0)));
  CHECK(isnan(brink_op_apply(BRINK_OP_MAX, 2.0, nan, 0.0)));
  CHECK(brink_op_apply(BRINK_OP_LE, nan, nan, 0.0) == 0.0);
  CHECK(brink_op_apply(BRINK_OP_NE, nan, nan, 0.0) == 1.0);
  CHECK(brink_op_apply(BRINK_OP_SELECT, nan, 1.0, 2.0) == 1.0);
  CHECK(isnan(brink_op_apply(BRINK_OP_RANDOM, 0.0, 0.0, 0.0)));
  CHECK(isnan(brink_op_apply(BRINK_OP_CONST, 0.0, 0.0, 0.0)));
}

TEST(operators_have_names_and_operands) {
  CHECK_INT(brink_op_operands(BRINK_OP_SELECT), 3);
  CHECK_INT(brink_op_operands(BRINK_OP_HYPOT), 2);
  CHECK_INT(brink_op_operands(BRINK_OP_TIME), 0);
  CHECK(strcmp(brink_op_name(BRINK_OP_LOG10), "log10") == 0);
  CHECK(strcmp(brink_op_name(BRINK_OP_COUNT), "?") == 0);
}

/* ---- shared nodes ---- */

TEST(equal_expressions_are_one_node) {
  begin(1);
  brink_node a = state(0), b = state(1);
  brink_node first = OP1(SIN, OP2(MUL, a, OP2(ADD, b, number(2.0))));
  size_t nodes = graph.nnodes;
  CHECK(OP1(SIN, OP2(MUL, OP2(ADD, number(2.0), state(1)), state(0))) == first);
  CHECK_INT(graph.nnodes, nodes);
  CHECK_INT(graph.nrefs, 2);
  CHECK(number((double)NAN) == number((double)NAN));
  CHECK(brink_graph_time(&graph) == brink_graph_time(&graph));
  CHECK(slot(BRINK_SPACE_P, 0) != a);
  end();
}

TEST(refs_with_equal_slots_are_one_however_they_are_written) {
  static const uint32_t pattern[] = {3, 5, 7, 9}, irregular[] = {3, 5, 7, 8}, copy[] = {3, 5, 7, 8},
                        down[] = {9, 7, 5, 3}, far[] = {0, 4000000000u, 0, 0};
  begin(4);
  brink_ref affine = {.space = BRINK_SPACE_X, .base = 3, .stride = 2};
  brink_node a = brink_graph_ref(&graph, affine);
  CHECK(brink_graph_ref(&graph, (brink_ref){.space = BRINK_SPACE_X, .map = pattern}) == a);
  brink_node b = brink_graph_ref(&graph, (brink_ref){.space = BRINK_SPACE_X, .map = irregular});
  CHECK(b != a);
  CHECK(brink_graph_ref(&graph, (brink_ref){.space = BRINK_SPACE_X, .map = copy}) == b);
  CHECK(brink_graph_ref(&graph, (brink_ref){.space = BRINK_SPACE_P, .map = copy}) != b);
  brink_node c = brink_graph_ref(&graph, (brink_ref){.space = BRINK_SPACE_X, .map = down});
  CHECK_INT(graph.refs[graph.nodes[c].a].stride, -2);
  brink_node d = brink_graph_ref(&graph, (brink_ref){.space = BRINK_SPACE_X, .map = far});
  CHECK(graph.refs[graph.nodes[d].a].map == far);
  for (size_t i = 0; i < 4; i++) {
    CHECK_INT(brink_ref_slot(&graph.refs[graph.nodes[a].a], i), pattern[i]);
    CHECK_INT(brink_ref_slot(&graph.refs[graph.nodes[b].a], i), irregular[i]);
    CHECK_INT(brink_ref_slot(&graph.refs[graph.nodes[c].a], i), down[i]);
  }
  end();
  begin(1);
  static const uint32_t single[] = {6};
  brink_node e = brink_graph_ref(&graph, (brink_ref){.space = BRINK_SPACE_X, .map = single});
  CHECK(brink_graph_ref(&graph, (brink_ref){.space = BRINK_SPACE_X, .base = 6, .stride = 9}) == e);
  end();
}

TEST(many_refs_and_nodes_are_found_again) {
  enum { MANY = 20000 };
  begin(1);
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t k = 0; k < MANY; k++) OP2(MUL, state(k), number(k + 2.0));
  CHECK_INT(graph.nrefs, MANY);
  CHECK_INT(graph.nnodes, 3 * MANY);
  end();
}

/* ---- copies ---- */

/* State 0 becomes time, all others stay; a missing state 3 is refused. */
static brink_node replace(brink_graph *to, const brink_graph *from, uint32_t ref, void *user) {
  ++*(int *)user;
  if (from->refs[ref].base == 3) return BRINK_NO_NODE;
  return from->refs[ref].base == 0 ? brink_graph_time(to) : brink_graph_ref(to, from->refs[ref]);
}

static int degree_of(const brink_graph *of, brink_node node) {
  int degree = -2;
  CHECK(brink_graph_degree(of, node, &degree));
  return degree;
}

static bool reads_time(const brink_graph *of, brink_node node) {
  bool reads = true;
  CHECK(brink_graph_reads_time(of, node, &reads));
  return reads;
}

TEST(copies_substitute_refs_and_simplify_again) {
  begin(1);
  brink_node x = state(0), y = state(1);
  brink_node whole = brink_graph_select(&graph, OP2(LT, x, y), OP2(SUB, OP1(SIN, x), y), number(2));
  OP1(EXP, state(2)); /* not part of it */
  brink_graph other;
  brink_graph_init(&other, &arena, 1);
  int asked = 0;
  brink_node copy = brink_graph_copy(&other, &graph, whole, replace, &asked);
  CHECK(copy != BRINK_NO_NODE && !other.failed);
  CHECK_INT(asked, 2);
  CHECK_INT(other.nrefs, 1);
  CHECK(reads_time(&other, copy) && !reads_time(&graph, whole));
  double at[3] = {0.5, 0.7, 0.9};
  CHECK(graph_value(&other, copy, 0.5, at) == graph_value(&graph, whole, 9.0, at));
  CHECK(brink_graph_copy(&graph, &graph, whole, NULL, NULL) == whole);
  brink_node refused = OP2(ADD, whole, state(3));
  CHECK(brink_graph_copy(&other, &graph, refused, replace, &asked) == BRINK_NO_NODE);
  CHECK(!other.failed);
  CHECK(brink_graph_copy(&other, &graph, BRINK_NO_NODE, NULL, NULL) == BRINK_NO_NODE);
  end();
}

TEST(many_nodes_are_copied_at_once) {
  begin(1);
  brink_node nodes[3] = {OP1(SIN, state(0)), OP1(COS, state(1)), 0}, copies[3];
  nodes[2] = OP2(ADD, nodes[0], nodes[1]);
  brink_graph other;
  brink_graph_init(&other, &arena, 1);
  CHECK(brink_graph_copy_all(&other, &graph, nodes, 3, copies, NULL, NULL));
  CHECK(brink_graph_op2(&other, BRINK_OP_ADD, copies[0], copies[1]) == copies[2]);
  CHECK_INT(other.nnodes, graph.nnodes);
  end();
}

TEST(marks_name_the_refs_that_are_read) {
  begin(1);
  brink_node x = state(0), y = state(1), z = state(2);
  brink_node part = OP2(MUL, x, z), whole = OP2(ADD, part, y);
  bool marks[3] = {false, false, false};
  CHECK(brink_graph_mark_refs(&graph, part, marks));
  CHECK(marks[0] && !marks[1] && marks[2]);
  CHECK(brink_graph_mark_refs(&graph, whole, marks) && marks[1]);
  CHECK(!brink_graph_mark_refs(&graph, BRINK_NO_NODE, marks));
  end();
}

/* ---- degrees ---- */

TEST(degrees_of_a_table_of_expressions) {
  begin(1);
  brink_node x = state(0), y = state(1), t = brink_graph_time(&graph), m, p, v;
  m = slot(BRINK_SPACE_MODE, 0), p = slot(BRINK_SPACE_P, 0), v = slot(BRINK_SPACE_V, 0);
  brink_node square = OP2(MUL, x, x), eighth = OP2(POW, x, number(8.0));
  const struct {
    brink_node node;
    int degree;
  } table[] = {
      {number(3.0), 0},
      {p, 0},
      {OP1(SIN, p), 0},
      {OP2(LT, m, number(1.0)), 0},
      {x, 1},
      {t, 1},
      {OP2(ADD, OP2(MUL, p, x), y), 1},
      {OP2(SUB, OP2(MUL, x, y), t), 2},
      {OP2(DIV, square, p), 2},
      {OP2(DIV, p, x), -1},
      {OP1(NEG, OP2(MUL, square, t)), 3},
      {OP2(POW, square, number(5.0)), 10},
      {OP2(MUL, eighth, eighth), 16},
      {OP2(MUL, OP2(MUL, eighth, eighth), x), -1},
      {OP2(POW, x, number(2.5)), -1},
      {OP2(POW, x, number(-2.0)), -1},
      {OP2(POW, p, number(2.5)), 0},
      {OP2(POW, p, x), -1},
      {OP1(SIN, x), -1},
      {OP1(ABS, x), -1},
      {OP2(LT, x, y), -1},
      {brink_graph_select(&graph, m, square, x), 2},
      {brink_graph_select(&graph, OP2(LT, x, y), square, x), -1},
      {OP2(MUL, slot(BRINK_SPACE_SIGN, 0), x), 1},
      {OP2(MUL, slot(BRINK_SPACE_K, 0), slot(BRINK_SPACE_PRE_X, 0)), 0},
      {OP2(ADD, v, x), -1},
      {slot(BRINK_SPACE_DX, 0), -1},
      {BRINK_NO_NODE, -1},
  };
  for (size_t k = 0; k < COUNT(table); k++) {
    int degree = degree_of(&graph, table[k].node);
    CHECK_MSG(degree == table[k].degree, "row %zu: degree %d, expected %d", k, degree,
              table[k].degree);
  }
  end();
}

/* Along a line, with small integers so that nothing rounds, the (d + 1)-th difference is 0. */
TEST(a_polynomial_of_degree_d_has_no_higher_differences) {
  uint64_t seed = 5;
  long polynomials = 0;
  for (int round = 0; round < 3000; round++) {
    begin(1);
    brink_node nodes[16] = {state(0), state(1), brink_graph_time(&graph), number(2.0)};
    for (int i = 4; i < 16; i++) {
      brink_op op = (brink_op)random_uniform(&seed, BRINK_OP_ADD, BRINK_OP_DIV);
      nodes[i] = brink_graph_op2(&graph, op, nodes[(int)random_uniform(&seed, i - 4.0, i)],
                                 nodes[(int)random_uniform(&seed, 0.0, i)]);
    }
    int d = degree_of(&graph, nodes[15]);
    double difference[8], largest = 0.0;
    for (int k = 0; k <= d + 1 && d <= 6; k++) {
      double x[2] = {1.0 - k, 2.0 + k};
      difference[k] = graph_value(&graph, nodes[15], k, x);
      largest = fmax(largest, fabs(difference[k]));
      for (int j = k; j-- > 0;) difference[j] = difference[j + 1] - difference[j];
    }
    if (d >= 0 && d <= 6 && largest < 0x1p40) {
      polynomials++;
      CHECK_MSG(difference[0] == 0.0, "degree %d, difference %g", d, difference[0]);
    }
    end();
  }
  CHECK(polynomials > 1000);
}

/* ---- size ---- */

TEST(a_chain_of_a_million_nodes_is_copied_derived_and_measured) {
  enum { LENGTH = 1000000 };
  begin(1);
  brink_node x = state(0), node = x;
  for (int k = 0; k < LENGTH; k++)
    node = k % 2 == 0 ? OP2(SUB, x, node) : OP2(MUL, number(0.5), node);
  CHECK(!graph.failed && graph.nnodes > LENGTH);
  CHECK_INT(degree_of(&graph, node), 1);
  CHECK(!reads_time(&graph, node));
  CHECK(brink_graph_copy(&graph, &graph, node, NULL, NULL) == node);
  brink_node derivative = brink_graph_derivative(&graph, node, 0); /* folds to a number */
  double at = 3.0, slope = 0.0;
  CHECK(brink_graph_is_constant(&graph, derivative, &slope));
  CHECK_NEAR(graph_value(&graph, node, 0.0, &at), at * slope, 1e-12);
  end();
  begin(1);
  node = state(0);
  for (int k = 0; k < LENGTH / 8; k++) node = OP1(SIN, node);
  derivative = brink_graph_derivative(&graph, node, 0);
  CHECK(derivative != BRINK_NO_NODE);
  CHECK(graph.nnodes < LENGTH / 2);
  end();
}

TEST(a_graph_beyond_the_limit_fails_and_says_so) {
  begin(1);
  brink_node node = state(0);
  for (size_t k = 0; k < BRINK_GRAPH_LIMIT + 10 && !graph.failed; k++) node = OP1(SIN, node);
  CHECK(graph.failed);
  CHECK_INT(graph.nnodes, BRINK_GRAPH_LIMIT);
  CHECK(node == BRINK_NO_NODE);
  CHECK(OP2(ADD, 0, 0) == BRINK_NO_NODE && number(1.0) == BRINK_NO_NODE);
  CHECK(brink_graph_derivative(&graph, 5, 0) == BRINK_NO_NODE);
  end();
}

/* ---- memory ---- */

static bool build_and_derive(brink_arena *memory) {
  brink_graph g;
  brink_graph_init(&g, memory, 1);
  uint64_t seed = 3;
  expression e;
  expression_random(&e, 200, &seed);
  brink_node node = expression_build(&e, &g);
  bool ok = node != BRINK_NO_NODE;
  bool marks[EXPRESSION_STATES];
  for (size_t k = 0; ok && k < g.nrefs; k++)
    ok = brink_graph_derivative(&g, node, k) != BRINK_NO_NODE;
  int degree = 0;
  if (ok) ok = brink_graph_degree(&g, node, &degree);
  if (ok) CHECK_INT(degree, -1);
  if (ok) ok = brink_graph_mark_refs(&g, node, marks);
  brink_graph copy;
  brink_graph_init(&copy, memory, 1);
  if (ok) ok = brink_graph_copy(&copy, &g, node, NULL, NULL) != BRINK_NO_NODE;
  return ok;
}

TEST(every_failing_allocation_is_survived) {
  for (int on = 0; on < 2; on++)
    for (long n = 1; n < 10000; n++) {
      counting counter = {.fail_at = n, .fail_on = on == 1};
      brink_allocator allocator = counting_allocator(&counter);
      brink_arena memory;
      brink_arena_init(&memory, &allocator);
      bool ok = build_and_derive(&memory);
      brink_arena_free(&memory);
      CHECK_INT(counter.live, 0);
      CHECK_INT(counter.mismatch, 0);
      if (counter.calls < n) {
        CHECK(ok && n > 10);
        break;
      }
    }
}

/* ---- random numbers ---- */

/* By another program (SciPy's poisson.ppf). */
TEST(quantiles_of_poissons_distribution_are_those_of_others) {
  static const double u[] = {1e-12, 1e-6, 0.001, 0.1,      0.25,     0.5,
                             0.75,  0.9,  0.999, 1 - 1e-6, 1 - 1e-12};
  static const struct {
    double mean;
    double quantile[11];
  } known[] = {
      {0.1, {0, 0, 0, 0, 0, 0, 0, 0, 2, 4, 7}},
      {1.0, {0, 0, 0, 0, 0, 1, 2, 2, 5, 9, 14}},
      {5.0, {0, 0, 0, 2, 3, 5, 6, 8, 13, 19, 27}},
      {12.5, {0, 0, 3, 8, 10, 12, 15, 17, 25, 33, 44}},
      {40.0, {5, 14, 22, 32, 36, 40, 44, 48, 61, 73, 92}},
      {300.0, {187, 221, 248, 278, 288, 300, 312, 322, 355, 386, 430}},
      {4000.0, {3563, 3703, 3806, 3919, 3957, 4000, 4043, 4081, 4197, 4304, 4453}},
      {1000000.0,
       {992974, 995250, 996911, 998719, 999325, 1000000, 1000674, 1001282, 1003092, 1004757,
        1007043}},
      {300000000.0,
       {299878167, 299917672, 299946477, 299977803, 299988317, 300000000, 300011682, 300022197,
        300053526, 300082335, 300121848}},
  };
  for (size_t k = 0; k < COUNT(known); k++) {
    /* Of the largest mean, 10^5 products leave their rounding in the far tails. */
    double near = known[k].mean > 1e7 ? 4.0 : 0.0;
    for (size_t j = 0; j < COUNT(u); j++) {
      double n = brink_poisson(u[j], known[k].mean), right = known[k].quantile[j];
      CHECK_MSG(fabs(n - right) <= near, "%g of %g: %g, not %g", u[j], known[k].mean, n, right);
    }
  }
  CHECK(brink_poisson(0.5, 0.0) == 0.0);
  CHECK(isnan(brink_poisson(0.5, -1.0)));
  CHECK(isnan(brink_poisson(0.5, 2e9)));
  CHECK(isnan(brink_poisson(0.5, (double)NAN)));
}

/* Known answers published with Random123 (Salmon et al. 2011). */
TEST(philox_gives_the_published_answers) {
  static const struct {
    uint32_t counter[4], key[2], answer[4];
  } known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t k = 0; k < COUNT(known); k++) {
    uint32_t out[4];
    brink_philox(known[k].counter, known[k].key, out);
    for (int j = 0; j < 4; j++) CHECK_INT(out[j], known[k].answer[j]);
  }
}

TEST(draws_are_uniform_and_streams_are_independent) {
  enum { DRAWS = 200000, BINS = 20 };
  long bins[BINS] = {0};
  double mean = 0.0, along = 0.0, across = 0.0;
  for (int k = 0; k < DRAWS; k++) {
    double u = brink_random(42, 7.0, k), next = brink_random(42, 7.0, k + 1.0);
    double other = brink_random(42, 8.0, k);
    CHECK(u > 0.0 && u < 1.0);
    bins[(int)(u * BINS)]++;
    mean += u;
    along += (u - 0.5) * (next - 0.5), across += (u - 0.5) * (other - 0.5);
  }
  double chi = 0.0, expected = (double)DRAWS / BINS;
  for (int k = 0; k < BINS; k++) chi += pow((double)bins[k] - expected, 2.0) / expected;
  CHECK(chi < 45.0); /* 19 degrees of freedom: once in a thousand */
  CHECK_NEAR(mean / DRAWS, 0.5, 4.0 * sqrt(1.0 / 12.0 / DRAWS));
  CHECK_NEAR(along / DRAWS, 0.0, 4.0 / 12.0 / sqrt(DRAWS));
  CHECK_NEAR(across / DRAWS, 0.0, 4.0 / 12.0 / sqrt(DRAWS));
  CHECK(brink_random(42, 7.0, 3.0) == brink_random(42, 7.0, 3.0));
  CHECK(brink_random(42, 7.0, 3.0) != brink_random(43, 7.0, 3.0));
  CHECK(brink_random(42, 0.0, -0.0) == brink_random(42, -0.0, 0.0));
}

/* ---- names ---- */

static void check_name(brink_text *text, const char *expected) {
  CHECK_MSG(strcmp(text->data, expected) == 0, "\"%s\", expected \"%s\"", text->data, expected);
  brink_text_free(text);
}

TEST(names_have_paths_and_indices) {
  const char *cells[] = {"row", "cell"}, *plants[] = {"plant"}, *mixed[] = {"a", "b", "c"};
  uint32_t grid[] = {3, 5}, single[] = {0}, mixture[] = {2, 0, 3};
  brink_group groups[] = {
      {.count = 1},
      {.segment = cells, .dimension = grid, .nsegments = 2, .count = 15},
      {.segment = plants, .dimension = single, .nsegments = 1, .count = 1},
      {.segment = mixed, .dimension = mixture, .nsegments = 3, .count = 6},
  };
  brink_variable variables[] = {
      {.name = "v", .group = 1, .length = 2, .vector = true},
      {.name = "h", .group = 2, .length = 1},
      {.name = "x", .group = 0, .length = 1, .vector = true},
      {.name = "y", .group = 0, .length = 1},
  };
  brink_flag flags[] = {
      {.name = "empty", .group = 2},
      {.name = "@12:7", .text = "gap < -b", .group = 2, .kind = BRINK_FLAG_GENERATED},
      {.name = "rule[1]", .group = 1, .kind = BRINK_FLAG_RULE},
      {.name = "gap", .group = 0, .is_pair = true},
      {.kind = BRINK_FLAG_RANGE, .variable = 0, .upper = true},
      {.name = "@3:1", .group = 0, .kind = BRINK_FLAG_GENERATED},
      {.name = "full", .group = 1, .per_instance = 3},
      {.name = "@7:2", .group = 2, .per_instance = 4, .kind = BRINK_FLAG_GENERATED},
  };
  brink_system system = {.groups = groups, .variables = variables, .flags = flags};
  brink_text text = {0};
  brink_system_instance_name(&system, 0, 0, &text), check_name(&text, "");
  brink_system_instance_name(&system, 1, 9, &text), check_name(&text, "row[2].cell[5]");
  brink_system_instance_name(&system, 3, 4, &text), check_name(&text, "a[2].b.c[2]");
  brink_system_variable_name(&system, 0, 18, &text), check_name(&text, "row[2].cell[5].v[1]");
  brink_system_variable_name(&system, 1, 0, &text), check_name(&text, "plant.h");
  brink_system_variable_name(&system, 2, 0, &text), check_name(&text, "x[1]");
  brink_system_variable_name(&system, 3, 0, &text), check_name(&text, "y");
  brink_system_flag_name(&system, 0, 0, &text), check_name(&text, "plant.empty");
  brink_system_flag_name(&system, 1, 0, &text), check_name(&text, "plant@12:7");
  brink_system_flag_name(&system, 2, 9, &text), check_name(&text, "row[2].cell[5].rule[1]");
  brink_system_flag_name(&system, 3, 17, &text), check_name(&text, "gap");
  brink_system_flag_name(&system, 4, 3, &text), check_name(&text, "row[1].cell[2].v[2]@upper");
  brink_system_flag_name(&system, 5, 0, &text), check_name(&text, "@3:1");
  brink_system_flag_name(&system, 6, 16, &text), check_name(&text, "row[2].cell[1].full[2]");
  brink_system_flag_name(&system, 7, 3, &text), check_name(&text, "plant@7:2[4]");
  brink_system_flag_label(&system, 0, 0, &text), check_name(&text, "plant.empty");
  brink_system_flag_label(&system, 1, 0, &text), check_name(&text, "gap < -b (plant@12:7)");
}

int main(void) {
  RUN(what_is_exact_simplifies);
  RUN(powers_become_products_quotients_and_roots);
  RUN(what_is_not_exact_stays);
  RUN(no_bit_changes_by_simplification_or_folding);
  RUN(powers_change_by_rounding_only);
  RUN(signs_minima_and_relations_of_nan_are_as_documented);
  RUN(operators_have_names_and_operands);
  RUN(equal_expressions_are_one_node);
  RUN(refs_with_equal_slots_are_one_however_they_are_written);
  RUN(many_refs_and_nodes_are_found_again);
  RUN(copies_substitute_refs_and_simplify_again);
  RUN(many_nodes_are_copied_at_once);
  RUN(marks_name_the_refs_that_are_read);
  RUN(degrees_of_a_table_of_expressions);
  RUN(a_polynomial_of_degree_d_has_no_higher_differences);
  RUN(a_chain_of_a_million_nodes_is_copied_derived_and_measured);
  RUN(a_graph_beyond_the_limit_fails_and_says_so);
  RUN(every_failing_allocation_is_survived);
  RUN(quantiles_of_poissons_distribution_are_those_of_others);
  RUN(philox_gives_the_published_answers);
  RUN(draws_are_uniform_and_streams_are_independent);
  RUN(names_have_paths_and_indices);
  return check_done();
}
