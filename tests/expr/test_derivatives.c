/* test_derivatives.c: symbolic derivatives against the complex step: f(x + ih) = f(x) + ih f'(x) up
 * to h^2, which underflows for h = 1e-200, so the imaginary part over h is f' without a difference.
 * The same against arbitrary precision, with rigorous bounds, is in oracle_expr.c. */
#include "check.h"
#include "support/expressions.h"

#include <complex.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef double complex complex_t;

static const double h = 1e-200;
static brink_arena arena;
static brink_graph graph;

static void begin(void) {
  brink_arena_init(&arena, NULL);
  brink_graph_init(&graph, &arena, 1);
}

static void end(void) {
  brink_arena_free(&arena);
}

static brink_node number(double value) {
  return brink_graph_constant(&graph, value);
}

static brink_node state(uint32_t base) {
  return brink_graph_ref(&graph, (brink_ref){.space = BRINK_SPACE_X, .base = base});
}

#define OP1(op, a) brink_graph_op1(&graph, BRINK_OP_##op, a)
#define OP2(op, a, b) brink_graph_op2(&graph, BRINK_OP_##op, a, b)

/* A complex number from its parts: an array of two (C17 6.2.5), for libraries without CMPLX. */
static complex_t complex_of(double re, double im) {
  const double parts[2] = {re, im};
  complex_t z;
  memcpy(&z, parts, sizeof z);
  return z;
}

/* ---- operators of complex numbers next to the real axis ---- */

static complex_t complex_angle(complex_t y, complex_t x) { /* atan2 */
  complex_t near = fabs(creal(x)) > fabs(creal(y)) ? catan(y / x) : -catan(x / y);
  double turn = atan2(creal(y), creal(x)) - creal(near); /* a multiple of a right angle */
  return near + turn;
}

static complex_t complex_function(brink_op op, complex_t a, complex_t b) {
  switch ((int)op) {
  case BRINK_OP_POW:
    return cexp(b * clog(a));
  case BRINK_OP_SQRT:
    return csqrt(a);
  case BRINK_OP_SIN:
    return csin(a);
  case BRINK_OP_COS:
    return ccos(a);
  case BRINK_OP_TAN:
    return csin(a) / ccos(a);
  case BRINK_OP_ASIN:
    return casin(a);
  case BRINK_OP_ACOS:
    return cacos(a);
  case BRINK_OP_ATAN:
    return catan(a);
  case BRINK_OP_ATAN2:
    return complex_angle(a, b);
  case BRINK_OP_SINH:
    return csinh(a);
  case BRINK_OP_COSH:
    return ccosh(a);
  case BRINK_OP_TANH:
    return csinh(a) / ccosh(a);
  case BRINK_OP_EXP:
    return cexp(a);
  case BRINK_OP_LOG:
    return clog(a);
  case BRINK_OP_LOG10:
    return clog(a) / log(10.0);
  case BRINK_OP_HYPOT:
    return csqrt(a * a + b * b);
  default: /* piecewise constant */
    return brink_op_apply(op, creal(a), creal(b), 0.0);
  }
}

static complex_t complex_apply(brink_op op, complex_t a, complex_t b, complex_t c) {
  switch ((int)op) {
  case BRINK_OP_ADD:
    return a + b;
  case BRINK_OP_SUB:
    return a - b;
  case BRINK_OP_MUL:
    return a * b;
  case BRINK_OP_DIV:
    return a / b;
  case BRINK_OP_NEG:
    return -a;
  case BRINK_OP_ABS:
    return creal(a) < 0.0 ? -a : a;
  case BRINK_OP_MIN:
    return creal(a) < creal(b) ? a : b;
  case BRINK_OP_MAX:
    return creal(a) > creal(b) ? a : b;
  case BRINK_OP_SELECT:
    return creal(a) != 0.0 ? b : c;
  default:
    return complex_function(op, a, b);
  }
}

/* The derivative with respect to state `which` (EXPRESSION_STATES: time), of the expression as it
 * was drawn. */
static double complex_step(const expression *e, size_t which) {
  static complex_t values[EXPRESSION_NODES];
  for (size_t i = 0; i < e->count; i++) {
    const brink_expr_node *n = &e->node[i];
    if (n->op == BRINK_OP_CONST)
      values[i] = n->value;
    else if (n->op == BRINK_OP_TIME)
      values[i] = complex_of(e->t, which == EXPRESSION_STATES ? h : 0.0);
    else if (n->op == BRINK_OP_REF)
      values[i] = complex_of(e->x[n->a], which == n->a ? h : 0.0);
    else
      values[i] = complex_apply((brink_op)n->op, values[n->a], values[n->b], values[n->c]);
  }
  return cimag(values[e->count - 1]) / h;
}

static size_t ref_of_state(size_t which) {
  for (size_t k = 0; k < graph.nrefs; k++)
    if (graph.refs[k].base == which) return k;
  return graph.nrefs; /* not read at all */
}

/* Our derivative and how much it moves when the point moves by a few units in the last place: a
 * measure of how well it can be known. */
static double symbolic(const expression *e, brink_node derivative, double *trouble) {
  double value = graph_value(&graph, derivative, e->t, e->x), x[EXPRESSION_STATES];
  *trouble = 0.0;
  for (int k = 0; k < 8; k++) {
    for (int j = 0; j < EXPRESSION_STATES; j++)
      x[j] = e->x[j] * (1.0 + 1e-13 * ((k + j) % 3 - 1) * (k + 1));
    double t = e->t * (1.0 + 1e-13 * (k % 3 - 1));
    *trouble = fmax(*trouble, fabs(graph_value(&graph, derivative, t, x) - value));
  }
  return value;
}

static bool compare(const expression *e, const char *name) {
  bool compared = true;
  begin();
  brink_node root = expression_build(e, &graph);
  for (size_t which = 0; which <= EXPRESSION_STATES; which++) {
    size_t ref = which == EXPRESSION_STATES ? BRINK_NONE : ref_of_state(which);
    brink_node derivative = brink_graph_derivative(&graph, root, ref);
    double trouble, expected = complex_step(e, which);
    double value = symbolic(e, derivative, &trouble);
    bool good = trouble <= 1e-6 * (1.0 + fabs(value));
    if (good)
      CHECK_MSG(fabs(value - expected) <= 1e-11 * (1.0 + fabs(expected)) + 10.0 * trouble,
                "%s, d/d%zu = %.17g, expected %.17g (trouble %.3g)", name, which, value, expected,
                trouble);
    compared = compared && good;
  }
  CHECK(!graph.failed);
  end();
  return compared;
}

/* op(u, v) with u = x0 + x1 t / 4, v = x1 - x0 / 3 at points where it is smooth. */
static bool draw_single(expression *e, brink_op op, uint64_t *seed) {
  static const brink_expr_node inner[] = {
      {.op = BRINK_OP_REF, .a = 0},
      {.op = BRINK_OP_REF, .a = 1},
      {.op = BRINK_OP_TIME},
      {.op = BRINK_OP_CONST, .value = 0.25},
      {.op = BRINK_OP_MUL, .a = 1, .b = 2},
      {.op = BRINK_OP_MUL, .a = 4, .b = 3},
      {.op = BRINK_OP_ADD, .a = 0, .b = 5},
      {.op = BRINK_OP_CONST, .value = 3.0},
      {.op = BRINK_OP_DIV, .a = 0, .b = 7},
      {.op = BRINK_OP_SUB, .a = 1, .b = 8},
  };
  double values[EXPRESSION_NODES];
  *e = (expression){.count = COUNT(inner) + 1, .t = random_uniform(seed, 0.5, 2.0)};
  for (int k = 0; k < 2; k++) e->x[k] = random_uniform(seed, -2.0, 2.0);
  memcpy(e->node, inner, sizeof inner);
  e->node[COUNT(inner)] = (brink_expr_node){.op = (uint8_t)op, .a = 6, .b = 9, .c = 0};
  expression_values(e, values);
  double u = values[6], v = values[9];
  bool inside = fabs(u) > 0.01 && fabs(v) > 0.01 && fabs(u - v) > 0.01 && hypot(u, v) > 0.1;
  if (op == BRINK_OP_ASIN || op == BRINK_OP_ACOS) inside = inside && fabs(u) < 0.95;
  if (op == BRINK_OP_FLOOR) inside = inside && fabs(u - nearbyint(u)) > 0.01;
  if (op == BRINK_OP_TAN) inside = inside && fabs(cos(u)) > 0.1;
  if (op == BRINK_OP_POW || op == BRINK_OP_SQRT || op == BRINK_OP_LOG || op == BRINK_OP_LOG10)
    inside = inside && u > 0.02;
  return inside && isfinite(values[COUNT(inner)]);
}

TEST(the_derivative_of_every_operator_agrees_with_the_complex_step) {
  uint64_t seed = 11;
  for (int op = BRINK_OP_ADD; op < BRINK_OP_RANDOM; op++) {
    int compared = 0;
    for (int round = 0; round < 2000 && compared < 100; round++) {
      expression e;
      if (draw_single(&e, (brink_op)op, &seed))
        compared += compare(&e, brink_op_name((brink_op)op));
    }
    CHECK_MSG(compared == 100, "%s: %d points", brink_op_name((brink_op)op), compared);
  }
}

TEST(derivatives_of_random_expressions_agree_with_the_complex_step) {
  uint64_t seed = 12;
  int compared = 0;
  for (int round = 0; round < 4000; round++) {
    expression e;
    expression_random(&e, 3 + (size_t)random_uniform(&seed, 0.0, 198.0), &seed);
    compared += compare(&e, "random");
  }
  CHECK_MSG(compared > 3000, "only %d could be compared", compared);
}

/* Constant exponents and bases take their own ways. */
TEST(powers_with_constant_exponents_and_bases_agree_with_the_complex_step) {
  static const double constants[] = {-3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0,
                                     1.5,  2.0,  3.0,  4.0,  5.0, 7.5};
  uint64_t seed = 13;
  for (size_t k = 0; k < COUNT(constants); k++)
    for (int round = 0; round < 20; round++) {
      expression e = {.count = 4, .x = {random_uniform(&seed, 0.1, 3.0)}};
      e.node[0] = (brink_expr_node){.op = BRINK_OP_REF, .a = 0};
      e.node[1] = (brink_expr_node){.op = BRINK_OP_CONST, .value = constants[k]};
      e.node[2] = (brink_expr_node){.op = BRINK_OP_SIN, .a = 0};
      e.node[3] = (brink_expr_node){.op = BRINK_OP_POW, .a = 0, .b = 1};
      CHECK(compare(&e, "x^n"));
      e.node[3] = (brink_expr_node){.op = BRINK_OP_POW, .a = 1, .b = 2};
      if (constants[k] > 0.0) CHECK(compare(&e, "b^x"));
    }
}

/* ---- points at which a careless formula fails ---- */

static double slope(brink_node node, double t, double x0, double x1) {
  double x[2] = {x0, x1};
  return graph_value(&graph, brink_graph_derivative(&graph, node, 0), t, x);
}

TEST(powers_are_differentiable_at_zero_and_for_negative_bases) {
  begin();
  brink_node x = state(0), y = state(1);
  CHECK(slope(OP2(POW, x, number(5.0)), 0.0, -2.0, 0.0) == 80.0);
  CHECK(slope(OP2(POW, x, number(2.5)), 0.0, 0.0, 0.0) == 0.0);
  CHECK(slope(OP2(POW, x, y), 0.0, -2.0, 3.0) == 12.0); /* y is constant: no logarithm */
  CHECK(slope(OP2(POW, x, y), 0.0, 0.0, 2.0) == 0.0);
  CHECK(slope(OP2(POW, x, y), 0.0, 0.0, 1.0) == 1.0);
  CHECK(slope(OP2(POW, x, y), 0.0, 0.0, 0.0) == 0.0); /* x^0 is 1 */
  CHECK(slope(OP2(POW, y, x), 0.0, 2.0, 0.0) == 0.0); /* 0^x is 0 around 2 */
  CHECK(slope(OP2(POW, number(0.0), x), 0.0, 2.0, 0.0) == 0.0);
  CHECK(slope(OP2(POW, number(1.0), x), 0.0, 2.0, 0.0) == 0.0);
  end();
}

TEST(a_branch_that_is_not_taken_stays_out) {
  begin();
  brink_node x = state(0), y = state(1);
  brink_node root = OP1(SQRT, x), positive = OP2(LT, number(0.0), x);
  brink_node guarded = brink_graph_select(&graph, positive, root, OP2(MUL, x, y));
  CHECK(slope(guarded, 0.0, -1.0, 3.0) == 3.0);
  CHECK(slope(guarded, 0.0, 4.0, 3.0) == 0.25);
  CHECK(slope(OP2(MAX, x, OP1(LOG, y)), 0.0, 1.0, -1.0) != 1.0); /* max(1, NaN) is NaN's branch */
  CHECK(slope(OP2(MIN, OP1(NEG, x), root), 0.0, 4.0, 0.0) == -1.0);
  end();
}

TEST(extreme_points_neither_overflow_nor_cancel) {
  begin();
  brink_node x = state(0), y = state(1);
  CHECK_NEAR(slope(OP2(ATAN2, x, y), 0.0, 1e200, 1e200), 0.5e-200, 1e-215);
  CHECK_NEAR(slope(OP2(HYPOT, x, y), 0.0, 3e200, 4e200), 0.6, 1e-15);
  CHECK_NEAR(slope(OP1(TANH, x), 0.0, 25.0, 0.0), 4.0 * exp(-50.0), 1e-36);
  CHECK(slope(OP1(TANH, x), 0.0, 1000.0, 0.0) == 0.0);
  CHECK(slope(OP1(ATAN, x), 0.0, 1e300, 0.0) == 0.0);
  double near = 1.0 - 0x1p-53; /* 1 - near^2 = 2^-52 (1 - 2^-54) */
  CHECK_NEAR(slope(OP1(ASIN, x), 0.0, near, 0.0), 0x1p26, 0x1p26 * 1e-15);
  CHECK_NEAR(slope(OP1(ACOS, x), 0.0, near, 0.0), -0x1p26, 0x1p26 * 1e-15);
  end();
}

TEST(corners_take_the_side_of_their_branch) {
  begin();
  brink_node x = state(0), y = state(1);
  CHECK(slope(OP1(ABS, x), 0.0, 0.0, 0.0) == 1.0);
  CHECK(slope(OP1(ABS, x), 0.0, -1.0, 0.0) == -1.0);
  CHECK(slope(OP2(MIN, x, y), 0.0, 1.0, 1.0) == 0.0);
  CHECK(slope(OP2(MAX, x, y), 0.0, 1.0, 1.0) == 0.0);
  end();
}

TEST(what_is_locked_or_stepwise_has_derivative_zero) {
  begin();
  brink_node x = state(0), zero = number(0.0);
  brink_node sign = brink_graph_ref(&graph, (brink_ref){.space = BRINK_SPACE_SIGN});
  CHECK(brink_graph_derivative(&graph, OP1(FLOOR, x), 0) == zero);
  CHECK(brink_graph_derivative(&graph, OP1(SIGN, x), 0) == zero);
  CHECK(brink_graph_derivative(&graph, OP2(LT, x, number(1.0)), 0) == zero);
  CHECK(brink_graph_derivative(&graph, OP2(RANDOM, x, x), 0) == zero);
  CHECK(brink_graph_derivative(&graph, OP2(MUL, sign, x), 0) == sign);
  CHECK(brink_graph_derivative(&graph, number(4.0), 0) == zero);
  CHECK(brink_graph_derivative(&graph, x, BRINK_NONE) == zero);
  CHECK(brink_graph_derivative(&graph, x, 17) == zero);
  CHECK(brink_graph_derivative(&graph, BRINK_NO_NODE, 0) == BRINK_NO_NODE);
  CHECK(!graph.failed);
  end();
}

TEST(many_derivatives_come_from_one_pass) {
  begin();
  brink_node x = state(0), y = state(1);
  brink_node nodes[] = {OP2(MUL, x, y), OP1(SIN, x), y}, derivatives[3];
  CHECK(brink_graph_derivatives(&graph, nodes, 3, 0, derivatives));
  CHECK(derivatives[0] == y && derivatives[1] == OP1(COS, x) && derivatives[2] == number(0.0));
  nodes[1] = BRINK_NO_NODE;
  CHECK(!brink_graph_derivatives(&graph, nodes, 3, 0, derivatives));
  end();
}

/* Shared work stays shared: the derivative of a product of n factors has about 3 n nodes. */
TEST(derivatives_grow_linearly) {
  for (uint32_t n = 100; n <= 100000; n *= 10) {
    begin();
    brink_node product = state(0);
    for (uint32_t k = 1; k < n; k++)
      product = OP2(MUL, product, OP2(ADD, OP1(SIN, state(0)), state(k)));
    size_t before = graph.nnodes;
    CHECK(brink_graph_derivative(&graph, product, 0) != BRINK_NO_NODE);
    CHECK(graph.nnodes < 2 * before);
    end();
  }
}

int main(void) {
  RUN(the_derivative_of_every_operator_agrees_with_the_complex_step);
  RUN(derivatives_of_random_expressions_agree_with_the_complex_step);
  RUN(powers_with_constant_exponents_and_bases_agree_with_the_complex_step);
  RUN(powers_are_differentiable_at_zero_and_for_negative_bases);
  RUN(a_branch_that_is_not_taken_stays_out);
  RUN(extreme_points_neither_overflow_nor_cancel);
  RUN(corners_take_the_side_of_their_branch);
  RUN(what_is_locked_or_stepwise_has_derivative_zero);
  RUN(many_derivatives_come_from_one_pass);
  RUN(derivatives_grow_linearly);
  return check_done();
}
