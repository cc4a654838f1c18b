/* oracle_expr.c: random expressions and their derivatives against Arb, with rigorous bounds.
 *
 * An expression is built twice. With symbols: its numbers are refs (except exponents), so nothing
 * is folded and the graph is the drawn expression exactly. Then
 *   - the graph and the drawn expression are enclosed at 256 bits: the balls must overlap and be tiny;
 *   - the symbolic derivatives are enclosed in the same way and compared with Arb's power series of
 *     the drawn expression, which know nothing of our formulas;
 *   - the graph is enclosed once more, and every node's ball is widened by the error that its
 *     operator may make in double precision: half a unit in the last place for arithmetic and roots,
 *     two units for the rest of libm. The value computed with brink_op_apply must lie in the ball.
 * With numbers, as drawn: constants are folded, which rounds. Values and derivatives must agree
 * with the enclosures above up to the width of the third and 1e-12.
 *
 * Expressions whose balls get too wide, or cannot decide a comparison, are counted and left out.
 * The first argument, if given, is the number of samples; the environment variable
 * BRINK_ORACLE_PERCENT runs that share of the usual number. */
#include "check.h"
#include "support/expressions.h"

#include <arb.h>
#include <arb_poly.h>
#include <stdlib.h>

enum { PREC = 256, LENGTH = 2 };

static long wanted = 10000;
static uint64_t seed = 17;

/* ---- operators of balls; false: undecided ---- */

typedef enum truth { FALSE, TRUE, UNDECIDED } truth;

static truth truth_of(const arb_t a) {
  if (arb_is_zero(a)) return FALSE;
  return arb_contains_zero(a) ? UNDECIDED : TRUE;
}

static truth less(const arb_t a, const arb_t b) {
  if (arb_lt(a, b)) return TRUE;
  return arb_ge(a, b) ? FALSE : UNDECIDED;
}

static truth equal(const arb_t a, const arb_t b) {
  if (arb_eq(a, b)) return TRUE;
  return arb_ne(a, b) ? FALSE : UNDECIDED;
}

static truth negation(truth a) {
  return a == UNDECIDED ? a : a == TRUE ? FALSE : TRUE;
}

/* Relations, logic, and the conditions of min, max and select. */
static truth decide(brink_op op, const arb_t a, const arb_t b) {
  truth p = truth_of(a), q = truth_of(b);
  switch ((int)op) {
  case BRINK_OP_LT:
  case BRINK_OP_MIN:
    return less(a, b);
  case BRINK_OP_MAX:
    return less(b, a);
  case BRINK_OP_LE:
    return negation(less(b, a));
  case BRINK_OP_EQ:
    return equal(a, b);
  case BRINK_OP_NE:
    return negation(equal(a, b));
  case BRINK_OP_AND:
    return p == UNDECIDED || q == UNDECIDED ? UNDECIDED : p == TRUE && q == TRUE ? TRUE : FALSE;
  case BRINK_OP_OR:
    return p == UNDECIDED || q == UNDECIDED ? UNDECIDED : p == TRUE || q == TRUE ? TRUE : FALSE;
  case BRINK_OP_NOT:
    return negation(p);
  default: /* select */
    return p;
  }
}

static bool ball_function(brink_op op, arb_t out, const arb_t a, const arb_t b, slong prec) {
  switch ((int)op) {
  case BRINK_OP_ADD:
    return arb_add(out, a, b, prec), true;
  case BRINK_OP_SUB:
    return arb_sub(out, a, b, prec), true;
  case BRINK_OP_MUL:
    return arb_mul(out, a, b, prec), true;
  case BRINK_OP_DIV:
    return arb_div(out, a, b, prec), true;
  case BRINK_OP_NEG:
    return arb_neg(out, a), true;
  case BRINK_OP_POW:
    return arb_pow(out, a, b, prec), true;
  case BRINK_OP_SQRT:
    return arb_sqrt(out, a, prec), true;
  case BRINK_OP_SIN:
    return arb_sin(out, a, prec), true;
  case BRINK_OP_COS:
    return arb_cos(out, a, prec), true;
  case BRINK_OP_TAN:
    return arb_tan(out, a, prec), true;
  case BRINK_OP_ASIN:
    return arb_asin(out, a, prec), true;
  case BRINK_OP_ACOS:
    return arb_acos(out, a, prec), true;
  case BRINK_OP_ATAN:
    return arb_atan(out, a, prec), true;
  case BRINK_OP_ATAN2:
    return arb_atan2(out, a, b, prec), true;
  case BRINK_OP_SINH:
    return arb_sinh(out, a, prec), true;
  case BRINK_OP_COSH:
    return arb_cosh(out, a, prec), true;
  case BRINK_OP_TANH:
    return arb_tanh(out, a, prec), true;
  case BRINK_OP_EXP:
    return arb_exp(out, a, prec), true;
  case BRINK_OP_LOG:
    return arb_log(out, a, prec), true;
  case BRINK_OP_LOG10:
    return arb_log_base_ui(out, a, 10, prec), true;
  case BRINK_OP_HYPOT:
    return arb_hypot(out, a, b, prec), true;
  case BRINK_OP_ABS:
    return arb_abs(out, a), true;
  case BRINK_OP_SIGN:
    return arb_sgn(out, a), arb_is_exact(out);
  case BRINK_OP_FLOOR:
    return arb_floor(out, a, prec), arb_is_exact(out);
  default:
    return false;
  }
}

static bool is_choice(brink_op op) {
  return op == BRINK_OP_MIN || op == BRINK_OP_MAX || op == BRINK_OP_SELECT;
}

static bool is_logic(brink_op op) {
  return op >= BRINK_OP_LT && op <= BRINK_OP_NOT;
}

static bool ball_apply(brink_op op, arb_t out, const arb_t a, const arb_t b, const arb_t c,
                       slong prec) {
  if (!is_choice(op) && !is_logic(op)) return ball_function(op, out, a, b, prec);
  truth decision = decide(op, a, b);
  if (decision == UNDECIDED) return false;
  if (is_logic(op))
    arb_set_ui(out, decision == TRUE);
  else if (op == BRINK_OP_SELECT)
    arb_set(out, decision == TRUE ? b : c);
  else
    arb_set(out, decision == TRUE ? a : b);
  return true;
}

/* ---- enclosures of a list of nodes ---- */

/* Half a unit in the last place is at most 2^-53 of the value. */
static long rounding_units(brink_op op) {
  switch ((int)op) {
  case BRINK_OP_ADD:
  case BRINK_OP_SUB:
  case BRINK_OP_MUL:
  case BRINK_OP_DIV:
  case BRINK_OP_SQRT:
    return 1;
  case BRINK_OP_NEG:
  case BRINK_OP_ABS:
  case BRINK_OP_SIGN:
  case BRINK_OP_FLOOR:
    return 0;
  default:
    return is_choice(op) || is_logic(op) ? 0 : 4;
  }
}

static void widen(arb_t x, long units) {
  mag_t size;
  mag_init(size);
  arb_get_mag(size, x);
  mag_mul_ui(size, size, (ulong)units);
  mag_mul_2exp_si(size, size, -53);
  arb_add_error_mag(x, size);
  mag_clear(size);
}

/* The states of the expression, then the value of each of its nodes that is a number. */
enum { SLOTS = EXPRESSION_STATES + EXPRESSION_NODES };

/* The one constant of the formulas that is not exact. */
static void set_constant(arb_t out, double value, bool rounded) {
  arb_set_d(out, value);
  if (value != brink_op_apply(BRINK_OP_LOG, 10.0, 0.0, 0.0)) return;
  arb_const_log10(out, PREC);
  if (rounded) widen(out, 1);
}

/* Balls of those nodes 0 … count - 1 that `needed` (NULL: all) names. `graph`: whose refs to look
 * up, NULL: the slot is the index. */
static bool enclose(const brink_expr_node *nodes, size_t count, const bool *needed,
                    const brink_graph *graph, double t, const double *x, bool rounded,
                    arb_ptr balls) {
  for (size_t i = 0; i < count; i++) {
    const brink_expr_node *n = &nodes[i];
    if (needed != NULL && !needed[i]) continue;
    if (n->op == BRINK_OP_CONST) {
      set_constant(balls + i, n->value, rounded);
    } else if (n->op == BRINK_OP_TIME) {
      arb_set_d(balls + i, t);
    } else if (n->op == BRINK_OP_REF) {
      arb_set_d(balls + i, x[graph != NULL ? graph->refs[n->a].base : n->a]);
    } else {
      brink_op op = (brink_op)n->op;
      if (!ball_apply(op, balls + i, balls + n->a, balls + n->b, balls + n->c, PREC)) return false;
      if (rounded) widen(balls + i, rounding_units(op));
      if (!arb_is_finite(balls + i)) return false;
    }
  }
  return true;
}

/* ---- power series of the expression as drawn ---- */

static void constant_of(arb_t out, const arb_poly_t a) {
  arb_poly_get_coeff_arb(out, a, 0);
}

static void series_angle(arb_poly_t out, const arb_poly_t y, const arb_poly_t x) {
  arb_t p, q;
  arb_init(p), arb_init(q);
  constant_of(p, y), constant_of(q, x);
  arb_poly_t t;
  arb_poly_init(t);
  bool steep =
      fabs(arf_get_d(arb_midref(p), ARF_RND_NEAR)) > fabs(arf_get_d(arb_midref(q), ARF_RND_NEAR));
  if (steep) {
    arb_poly_div_series(t, x, y, LENGTH, PREC);
    arb_poly_neg(t, t);
  } else {
    arb_poly_div_series(t, y, x, LENGTH, PREC);
  }
  arb_poly_atan_series(out, t, LENGTH, PREC);
  arb_atan2(p, p, q, PREC);
  arb_poly_set_coeff_arb(out, 0, p);
  arb_poly_clear(t);
  arb_clear(p), arb_clear(q);
}

static void series_hypot(arb_poly_t out, const arb_poly_t a, const arb_poly_t b) {
  arb_poly_t p, q;
  arb_poly_init(p), arb_poly_init(q);
  arb_poly_mullow(p, a, a, LENGTH, PREC);
  arb_poly_mullow(q, b, b, LENGTH, PREC);
  arb_poly_add(p, p, q, PREC);
  arb_poly_sqrt_series(out, p, LENGTH, PREC);
  arb_poly_clear(p), arb_poly_clear(q);
}

static void series_log10(arb_poly_t out, const arb_poly_t a) {
  arb_t ten;
  arb_init(ten);
  arb_const_log10(ten, PREC);
  arb_poly_log_series(out, a, LENGTH, PREC);
  arb_poly_scalar_div(out, out, ten, PREC);
  arb_clear(ten);
}

static void series_tanh(arb_poly_t out, const arb_poly_t a) {
  arb_poly_t s, c;
  arb_poly_init(s), arb_poly_init(c);
  arb_poly_sinh_cosh_series(s, c, a, LENGTH, PREC);
  arb_poly_div_series(out, s, c, LENGTH, PREC);
  arb_poly_clear(s), arb_poly_clear(c);
}

static bool series_function(brink_op op, arb_poly_t out, const arb_poly_t a, const arb_poly_t b) {
  switch ((int)op) {
  case BRINK_OP_ADD:
    return arb_poly_add(out, a, b, PREC), true;
  case BRINK_OP_SUB:
    return arb_poly_sub(out, a, b, PREC), true;
  case BRINK_OP_MUL:
    return arb_poly_mullow(out, a, b, LENGTH, PREC), true;
  case BRINK_OP_DIV:
    return arb_poly_div_series(out, a, b, LENGTH, PREC), true;
  case BRINK_OP_NEG:
    return arb_poly_neg(out, a), true;
  case BRINK_OP_POW:
    return arb_poly_pow_series(out, a, b, LENGTH, PREC), true;
  case BRINK_OP_SQRT:
    return arb_poly_sqrt_series(out, a, LENGTH, PREC), true;
  case BRINK_OP_SIN:
    return arb_poly_sin_series(out, a, LENGTH, PREC), true;
  case BRINK_OP_COS:
    return arb_poly_cos_series(out, a, LENGTH, PREC), true;
  case BRINK_OP_TAN:
    return arb_poly_tan_series(out, a, LENGTH, PREC), true;
  case BRINK_OP_ASIN:
    return arb_poly_asin_series(out, a, LENGTH, PREC), true;
  case BRINK_OP_ACOS:
    return arb_poly_acos_series(out, a, LENGTH, PREC), true;
  case BRINK_OP_ATAN:
    return arb_poly_atan_series(out, a, LENGTH, PREC), true;
  case BRINK_OP_ATAN2:
    return series_angle(out, a, b), true;
  case BRINK_OP_SINH:
    return arb_poly_sinh_series(out, a, LENGTH, PREC), true;
  case BRINK_OP_COSH:
    return arb_poly_cosh_series(out, a, LENGTH, PREC), true;
  case BRINK_OP_TANH:
    return series_tanh(out, a), true;
  case BRINK_OP_EXP:
    return arb_poly_exp_series(out, a, LENGTH, PREC), true;
  case BRINK_OP_LOG:
    return arb_poly_log_series(out, a, LENGTH, PREC), true;
  case BRINK_OP_LOG10:
    return series_log10(out, a), true;
  case BRINK_OP_HYPOT:
    return series_hypot(out, a, b), true;
  default:
    return false;
  }
}

/* Operators that choose, step or compare look at the constant coefficients. */
static bool series_apply(brink_op op, arb_poly_t out, const arb_poly_t a, const arb_poly_t b,
                         const arb_poly_t c) {
  if (series_function(op, out, a, b)) return true;
  arb_t p, q, value;
  arb_init(p), arb_init(q), arb_init(value);
  constant_of(p, a), constant_of(q, b);
  bool known = true;
  if (is_choice(op)) {
    truth decision = decide(op, p, q);
    known = decision != UNDECIDED;
    const arb_poly_struct *yes = op == BRINK_OP_SELECT ? b : a;
    const arb_poly_struct *no = op == BRINK_OP_SELECT ? c : b;
    arb_poly_set(out, decision == TRUE ? yes : no);
  } else if (op == BRINK_OP_ABS) {
    known = !arb_contains_zero(p);
    arb_poly_set(out, a);
    if (arb_is_negative(p)) arb_poly_neg(out, out);
  } else {
    known = ball_apply(op, value, p, q, q, PREC);
    arb_poly_set_arb(out, value);
  }
  arb_clear(p), arb_clear(q), arb_clear(value);
  return known;
}

/* d/d(state `which`, or time) of the drawn expression. */
static bool enclose_derivative(const expression *e, size_t which, arb_t out) {
  arb_poly_struct series[EXPRESSION_NODES];
  bool known = true;
  for (size_t i = 0; i < e->count; i++) arb_poly_init(&series[i]);
  arb_t value;
  arb_init(value);
  for (size_t i = 0; known && i < e->count; i++) {
    const brink_expr_node *n = &e->node[i];
    if (brink_op_operands((brink_op)n->op) > 0) {
      known =
          series_apply((brink_op)n->op, &series[i], &series[n->a], &series[n->b], &series[n->c]);
      continue;
    }
    bool time = n->op == BRINK_OP_TIME, constant = n->op == BRINK_OP_CONST;
    arb_set_d(value, constant ? n->value : time ? e->t : e->x[n->a]);
    arb_poly_set_coeff_arb(&series[i], 0, value);
    if (!constant && which == (time ? EXPRESSION_STATES : n->a))
      arb_poly_set_coeff_si(&series[i], 1, 1);
  }
  if (known) arb_poly_get_coeff_arb(out, &series[e->count - 1], 1);
  arb_clear(value);
  for (size_t i = 0; i < e->count; i++) arb_poly_clear(&series[i]);
  return known && arb_is_finite(out);
}

/* ---- the comparison ---- */

typedef struct tally {
  long values, derivatives, skipped;
} tally;

static double middle(const arb_t x) {
  return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

static double radius(const arb_t x) {
  return mag_get_d(arb_radref(x));
}

static bool is_tiny(const arb_t x) { /* the ball, next to 1 and to its middle */
  return radius(x) <= 1e-40 * (1.0 + fabs(middle(x)));
}

/* The expression with symbols; at[] receives the value of each slot. */
static brink_node build_symbols(const expression *e, brink_graph *graph, double *at) {
  brink_node image[EXPRESSION_NODES];
  memcpy(at, e->x, sizeof e->x);
  for (size_t i = 0; i < e->count; i++) {
    const brink_expr_node *n = &e->node[i];
    uint32_t slot = n->op == BRINK_OP_REF ? n->a : EXPRESSION_STATES + (uint32_t)i;
    at[EXPRESSION_STATES + i] = n->value;
    if (n->op == BRINK_OP_REF || n->op == BRINK_OP_CONST) {
      image[i] = brink_graph_ref(graph, (brink_ref){.space = BRINK_SPACE_X, .base = slot});
      continue;
    }
    brink_node b = image[n->b];
    const brink_expr_node *exponent = &e->node[n->b];
    double value = exponent->value; /* not x^0: it is a number that folds */
    bool half = exponent->op == BRINK_OP_CONST && value != 0.0 && 2.0 * value == floor(2.0 * value);
    if (n->op == BRINK_OP_POW && half) b = brink_graph_constant(graph, value);
    image[i] = brink_graph_op(graph, (brink_op)n->op, image[n->a], b, image[n->c]);
  }
  return image[e->count - 1];
}

/* Does the double lie in the ball with rounding? Its radius in *width. */
static bool check_double(const brink_graph *graph, brink_node node, double t, const double *at,
                         const bool *needed, arb_ptr balls, const char *what, double *width) {
  if (!enclose(graph->nodes, (size_t)node + 1, needed, graph, t, at, true, balls)) return false;
  double value = graph_value(graph, node, t, at);
  arb_t x;
  arb_init(x);
  arb_set_d(x, value);
  *width = radius(balls + node);
  CHECK_MSG(arb_contains(balls + node, x), "%s: double %.17g is not in %.17g +- %.3g", what, value,
            middle(balls + node), *width);
  arb_clear(x);
  return true;
}

/* `node` of the graph with symbols against `expected`; false: left out. */
static bool check_symbols(const brink_graph *graph, brink_node node, double t, const double *at,
                          const arb_t expected, const char *what, double *width) {
  size_t count = (size_t)node + 1;
  arb_ptr balls = _arb_vec_init((slong)count);
  bool *needed = calloc(count, sizeof *needed);
  if (needed == NULL) return false;
  brink_graph_mark(graph, &node, 1, needed);
  bool known = enclose(graph->nodes, count, needed, graph, t, at, false, balls);
  known = known && is_tiny(balls + node) && is_tiny(expected);
  if (known)
    CHECK_MSG(arb_overlaps(balls + node, expected), "%s: %.17g, expected %.17g", what,
              middle(balls + node), middle(expected));
  known = known && check_double(graph, node, t, at, needed, balls, what, width);
  free(needed);
  _arb_vec_clear(balls, (slong)count);
  return known;
}

static void check_numbers(const brink_graph *graph, brink_node node, const expression *e,
                          const arb_t expected, double width, const char *what) {
  double value = graph_value(graph, node, e->t, e->x), exact = middle(expected);
  CHECK_MSG(fabs(value - exact) <= 2.0 * width + 1e-12 * (1.0 + fabs(exact)),
            "%s with numbers: %.17g, expected %.17g +- %.3g", what, value, exact, width);
}

static size_t ref_of_state(const brink_graph *graph, size_t which) {
  if (which == EXPRESSION_STATES) return BRINK_NONE; /* time */
  for (size_t k = 0; k < graph->nrefs; k++)
    if (graph->refs[k].base == which) return k;
  return graph->nrefs;
}

typedef struct built {
  brink_graph graph;
  brink_node root;
} built;

static void check_derivatives(built *symbols, built *numbers, const expression *e, const double *at,
                              tally *counts) {
  arb_t expected;
  arb_init(expected);
  for (size_t which = 0; which <= EXPRESSION_STATES; which++) {
    double width;
    brink_node derivative = brink_graph_derivative(&symbols->graph, symbols->root,
                                                   ref_of_state(&symbols->graph, which));
    if (!enclose_derivative(e, which, expected) ||
        !check_symbols(&symbols->graph, derivative, e->t, at, expected, "derivative", &width)) {
      counts->skipped++;
      continue;
    }
    counts->derivatives++;
    derivative = brink_graph_derivative(&numbers->graph, numbers->root,
                                        ref_of_state(&numbers->graph, which));
    check_numbers(&numbers->graph, derivative, e, expected, width, "derivative");
  }
  arb_clear(expected);
}

static void check_expression(const expression *e, brink_arena *arena, tally *counts) {
  built symbols, numbers;
  double at[SLOTS], width;
  brink_graph_init(&symbols.graph, arena, 1);
  brink_graph_init(&numbers.graph, arena, 1);
  symbols.root = build_symbols(e, &symbols.graph, at);
  numbers.root = expression_build(e, &numbers.graph);
  arb_ptr drawn = _arb_vec_init((slong)e->count);
  arb_ptr expected = drawn + e->count - 1;
  if (enclose(e->node, e->count, NULL, NULL, e->t, e->x, false, drawn) &&
      check_symbols(&symbols.graph, symbols.root, e->t, at, expected, "value", &width)) {
    counts->values++;
    check_numbers(&numbers.graph, numbers.root, e, expected, width, "value");
    check_derivatives(&symbols, &numbers, e, at, counts);
  } else {
    counts->skipped++;
  }
  CHECK(!symbols.graph.failed && !numbers.graph.failed);
  _arb_vec_clear(drawn, (slong)e->count);
}

TEST(random_expressions_and_their_derivatives_lie_within_rigorous_bounds) {
  tally counts = {0};
  for (long k = 0; k < wanted; k++) {
    expression e;
    brink_arena arena;
    expression_random(&e, 3 + (size_t)random_uniform(&seed, 0.0, 198.0), &seed);
    brink_arena_init(&arena, NULL);
    check_expression(&e, &arena, &counts);
    brink_arena_free(&arena);
  }
  printf("%ld expressions: %ld values, %ld derivatives, %ld left out\n", wanted, counts.values,
         counts.derivatives, counts.skipped);
  CHECK(counts.values >= wanted * 9 / 10);
  CHECK(counts.derivatives >= wanted * 4);
}

int main(int argc, char **argv) {
  const char *percent = getenv("BRINK_ORACLE_PERCENT");
  if (percent != NULL) wanted = wanted * strtol(percent, NULL, 10) / 100;
  if (argc > 1) wanted = strtol(argv[1], NULL, 10);
  RUN(random_expressions_and_their_derivatives_lie_within_rigorous_bounds);
  flint_cleanup();
  return check_done();
}
