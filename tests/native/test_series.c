/* Series programs: every operator of expressions along a path has the coefficients that <brink/jet.h>
 * gives, which is written independently of it (whole jets at a time, other recurrences) and compared
 * with arbitrary precision by oracle_jet; random compositions of all of them; and what is known of the
 * degrees of polynomial solutions. (oracle_series looks at the edges of domains.) */
#include <brink/jet.h>
#include <stdlib.h>

#include "check.h"
#include "native/series_run.h"
#include "num/order.h"
#include "support/expressions.h"
#include "support/hsml_run.h"
#include "support/kernels.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { ORDER = 20, LENGTH = ORDER + 1 };

static void *scratch_for(size_t doubles) {
  void *memory = malloc((doubles + 1) * sizeof(double));
  if (memory == NULL) abort();
  return memory;
}

/* ---- references: one for each operator; one that has none does not compile ---- */

typedef void reference(int order, const double *a, const double *b, const double *c, double *out);

#define ONE(id, f)                                                                                 \
  static void reference_##id(int order, const double *a, const double *b, const double *c,         \
                             double *out) {                                                        \
    (void)b, (void)c;                                                                              \
    f(order, a, out);                                                                              \
  }
#define TWO(id, f)                                                                                 \
  static void reference_##id(int order, const double *a, const double *b, const double *c,         \
                             double *out) {                                                        \
    (void)c;                                                                                       \
    f(order, a, b, out);                                                                           \
  }
/* Held: what plain evaluation gives at s = 0. */
#define STEP(id)                                                                                   \
  static void reference_##id(int order, const double *a, const double *b, const double *c,         \
                             double *out) {                                                        \
    brink_jet_constant(order, brink_op_apply(BRINK_OP_##id, a[0], b[0], c[0]), out);               \
  }

static void negative(int order, const double *a, double *out) {
  brink_jet_scale(order, a, -1.0, out);
}

ONE(NEG, negative)
ONE(SQRT, brink_jet_sqrt)
ONE(SIN, brink_jet_sin)
ONE(COS, brink_jet_cos)
ONE(TAN, brink_jet_tan)
ONE(ASIN, brink_jet_asin)
ONE(ACOS, brink_jet_acos)
ONE(ATAN, brink_jet_atan)
ONE(SINH, brink_jet_sinh)
ONE(COSH, brink_jet_cosh)
ONE(TANH, brink_jet_tanh)
ONE(EXP, brink_jet_exp)
ONE(LOG, brink_jet_log)
ONE(LOG10, brink_jet_log10)
ONE(ABS, brink_jet_abs)
TWO(ADD, brink_jet_add)
TWO(SUB, brink_jet_sub)
TWO(MUL, brink_jet_mul)
TWO(DIV, brink_jet_div)
TWO(POW, brink_jet_pow)
TWO(ATAN2, brink_jet_atan2)
TWO(HYPOT, brink_jet_hypot)
TWO(MIN, brink_jet_min)
TWO(MAX, brink_jet_max)
STEP(SIGN)
STEP(FLOOR)
STEP(LT)
STEP(LE)
STEP(EQ)
STEP(NE)
STEP(AND)
STEP(OR)
STEP(NOT)
STEP(POISSON)

static void reference_SELECT(int order, const double *a, const double *b, const double *c,
                             double *out) {
  brink_jet_copy(order, a[0] != 0.0 ? b : c, out);
}

/* Leaves, random draws and elements of arrays are looked at by themselves. */
#define reference_CONST NULL
#define reference_TIME NULL
#define reference_REF NULL
#define reference_RANDOM NULL
#define reference_LOOKUP NULL
#define reference_FIND NULL
#define reference_ARGUMENT NULL /* has no series */
#define reference_EXTERNAL NULL

static reference *const references[] = {
#define ENTRY(id, operands, name) [BRINK_OP_##id] = reference_##id,
    BRINK_OP_LIST(ENTRY)
#undef ENTRY
};

/* ---- running them ---- */

/* Series of three states that fall like rho^k. */
typedef struct path {
  double x[3][LENGTH], t[LENGTH];
  double rho;
} path;

static void random_path(path *p, const double *start, uint64_t *state) {
  p->rho = pow(10.0, random_uniform(state, -1.0, 1.0));
  brink_jet_variable(ORDER, 0.7, p->t);
  for (int i = 0; i < 3; i++) {
    double size = 0.3 * p->rho;
    p->x[i][0] = start[i];
    for (int k = 1; k <= ORDER; k++, size *= p->rho)
      p->x[i][k] = random_uniform(state, -1.0, 1.0) * size;
  }
}

static void run_kernel(brink_kernel *kernel, const brink_series_degrees *degrees, const path *p,
                       const brink_frame *frame, int order, double *g) {
  const double *x[] = {p->x[0], p->x[1], p->x[2], p->x[0]};
  brink_series_program *series = brink_series_make(kernel, degrees, kernel->graph.arena);
  if (series == NULL) abort();
  double *scratch = scratch_for(brink_series_scratch(series, order));
  brink_series_run(series, frame, 0, order, p->t, x, g, scratch);
  free(scratch);
}

/* Errors of coefficients reach later ones with about rho^(k - j): as oracle_jet measures. */
static void compare(const char *name, const double *found, const double *expected, double rho,
                    double units) {
  double scale = 0.0;
  for (int k = 0; k <= ORDER; k++) {
    scale = fmax(scale * rho, fabs(expected[k]));
    double allowed = units * scale * 0x1p-53 * (k + 1) * (k + 1) + 1e-300;
    CHECK_MSG(fabs(found[k] - expected[k]) <= allowed,
              "%s: coefficient %d = %.17g, expected %.17g (off by %.3g, allowed %.3g)", name, k,
              found[k], expected[k], found[k] - expected[k], allowed);
  }
}

/* Where the first arguments of an operator may start. */
static void random_start(brink_op op, double *start, uint64_t *state) {
  bool positive = op == BRINK_OP_LOG || op == BRINK_OP_LOG10 || op == BRINK_OP_SQRT ||
                  op == BRINK_OP_POW || op == BRINK_OP_HYPOT;
  bool inside = op == BRINK_OP_ASIN || op == BRINK_OP_ACOS || op == BRINK_OP_TAN;
  start[0] = positive ? random_uniform(state, 0.3, 3.0) : random_uniform(state, -3.0, 3.0);
  if (inside) start[0] = random_uniform(state, -0.8, 0.8);
  start[1] = random_uniform(state, 0.3, 3.0);
  start[2] = random_uniform(state, -3.0, 3.0);
}

static brink_node state_ref(brink_kernel *kernel, uint32_t slot) {
  return kernels_ref(kernel, BRINK_SPACE_X, slot, 0);
}

TEST(every_operator_has_the_coefficients_of_its_jet) {
  static const brink_series_degrees unknown = {0};
  uint64_t state = 1;
  for (int op = 0; op < BRINK_OP_COUNT; op++) {
    if (references[op] == NULL) continue;
    for (int trial = 0; trial < 200; trial++) {
      brink_arena arena;
      brink_arena_init(&arena, NULL);
      brink_kernel *kernel = kernels_make(&arena, "op", 1);
      double start[3], g[LENGTH], expected[LENGTH];
      path p;
      random_start((brink_op)op, start, &state);
      random_path(&p, start, &state);
      kernels_output(kernel, BRINK_SPACE_OUT, 0, 0,
                     brink_graph_op(&kernel->graph, (brink_op)op, state_ref(kernel, 0),
                                    state_ref(kernel, 1), state_ref(kernel, 2)));
      brink_frame frame = {.t = 0.7};
      run_kernel(kernel, &unknown, &p, &frame, ORDER, g);
      references[op](ORDER, p.x[0], p.x[1], p.x[2], expected);
      compare(brink_op_name((brink_op)op), g, expected, p.rho, 64.0);
      CHECK(g[0] == brink_op_apply((brink_op)op, start[0], start[1], start[2])); /* to the bit */
      brink_arena_free(&arena);
    }
  }
}

/* With operands that are held (parameters) on one side or the other, other rules apply. */
TEST(operands_that_do_not_vary_give_the_same_coefficients) {
  static const brink_series_degrees unknown = {0};
  static const brink_op two[] = {BRINK_OP_ADD,   BRINK_OP_SUB, BRINK_OP_MUL,
                                 BRINK_OP_DIV,   BRINK_OP_POW, BRINK_OP_ATAN2,
                                 BRINK_OP_HYPOT, BRINK_OP_MIN, BRINK_OP_MAX};
  uint64_t state = 2;
  for (size_t n = 0; n < COUNT(two); n++)
    for (int trial = 0; trial < 200; trial++)
      for (int held = 0; held < 2; held++) {
        brink_arena arena;
        brink_arena_init(&arena, NULL);
        brink_kernel *kernel = kernels_make(&arena, "held", 1);
        double start[3], g[LENGTH], expected[LENGTH], constant[LENGTH];
        path p;
        random_start(two[n], start, &state);
        random_path(&p, start, &state);
        brink_node parameter = kernels_ref(kernel, BRINK_SPACE_P, 0, 0);
        brink_node a = held == 0 ? parameter : state_ref(kernel, 0);
        brink_node b = held == 1 ? parameter : state_ref(kernel, 1);
        kernels_output(kernel, BRINK_SPACE_OUT, 0, 0,
                       brink_graph_op2(&kernel->graph, two[n], a, b));
        double value = start[held];
        if (two[n] == BRINK_OP_POW &&
            held == 1) /* exponents of all kinds, with bases of any sign */
          value = trial % 2 == 0 ? random_uniform(&state, -3.0, 3.0) : (double)(trial % 11 - 5);
        if (two[n] == BRINK_OP_POW && held == 1 && value == floor(value) && trial % 4 == 1)
          p.x[0][0] = -p.x[0][0];
        brink_frame frame = {.t = 0.7, .p = &value};
        brink_jet_constant(ORDER, value, constant);
        run_kernel(kernel, &unknown, &p, &frame, ORDER, g);
        references[two[n]](ORDER, held == 0 ? constant : p.x[0], held == 1 ? constant : p.x[1],
                           p.x[2], expected);
        compare(brink_op_name(two[n]), g, expected, p.rho, 64.0);
        brink_arena_free(&arena);
      }
}

TEST(leaves_are_what_they_are) {
  static const brink_series_degrees unknown = {0};
  double start[] = {1.0, 2.0, 3.0}, parameter = 4.0, k = 5.0, g[LENGTH], expected[LENGTH];
  int mode = 6;
  signed char sign = -1;
  uint64_t state = 3;
  path p;
  random_path(&p, start, &state);
  brink_frame frame = {.t = 0.7, .p = &parameter, .k = &k, .mode = &mode, .sgn = &sign, .seed = 9};
  struct {
    brink_space space;
    double value;
  } held[] = {{BRINK_SPACE_P, 4.0},
              {BRINK_SPACE_K, 5.0},
              {BRINK_SPACE_MODE, 6.0},
              {BRINK_SPACE_SIGN, -1.0}};
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  for (size_t n = 0; n < COUNT(held) + 4; n++) {
    brink_kernel *kernel = kernels_make(&arena, "leaf", 1);
    brink_node node;
    brink_jet_constant(ORDER, 0.0, expected);
    if (n < COUNT(held)) {
      node = kernels_ref(kernel, held[n].space, 0, 0);
      expected[0] = held[n].value;
    } else if (n == COUNT(held)) {
      node = brink_graph_time(&kernel->graph);
      brink_jet_copy(ORDER, p.t, expected);
    } else if (n == COUNT(held) + 1) {
      node = state_ref(kernel, 2);
      brink_jet_copy(ORDER, p.x[2], expected);
    } else if (n == COUNT(held) + 2) {
      node = brink_graph_constant(&kernel->graph, 7.0);
      expected[0] = 7.0;
    } else {
      node = brink_graph_op2(&kernel->graph, BRINK_OP_RANDOM, state_ref(kernel, 0),
                             kernels_ref(kernel, BRINK_SPACE_K, 0, 0));
      expected[0] = brink_random(9, 1.0, 5.0);
    }
    kernels_output(kernel, BRINK_SPACE_OUT, 0, 0, node);
    run_kernel(kernel, &unknown, &p, &frame, ORDER, g);
    for (int i = 0; i <= ORDER; i++) CHECK(g[i] == expected[i]);
  }
  brink_arena_free(&arena);
}

/* ---- compositions ---- */

/* The jet of every node of a graph over time and four states; the last of them is the first again. */
static void jets_of(const brink_graph *graph, const path *p, double (*jets)[LENGTH]) {
  static const double zero[LENGTH];
  for (size_t i = 0; i < graph->nnodes; i++) {
    const brink_expr_node *n = &graph->nodes[i];
    int operands = brink_op_operands((brink_op)n->op);
    if (n->op == BRINK_OP_CONST)
      brink_jet_constant(ORDER, n->value, jets[i]);
    else if (n->op == BRINK_OP_TIME)
      brink_jet_copy(ORDER, p->t, jets[i]);
    else if (n->op == BRINK_OP_REF)
      brink_jet_copy(ORDER, p->x[graph->refs[n->a].base % 3], jets[i]);
    else
      references[n->op](ORDER, jets[n->a], operands > 1 ? jets[n->b] : zero,
                        operands > 2 ? jets[n->c] : zero, jets[i]);
  }
}

TEST(random_compositions_of_all_operators_have_the_coefficients_of_their_jets) {
  static const brink_series_degrees unknown = {0};
  static double jets[4 * EXPRESSION_NODES][LENGTH];
  uint64_t state = 4;
  int compared = 0;
  for (int trial = 0; trial < 2000; trial++) {
    expression e;
    expression_random(&e, 3 + (size_t)trial % 12, &state);
    brink_arena arena;
    brink_arena_init(&arena, NULL);
    brink_kernel *kernel = kernels_make(&arena, "random", 1);
    brink_node node = expression_build(&e, &kernel->graph);
    kernels_output(kernel, BRINK_SPACE_OUT, 0, 0, node);
    path p;
    random_path(&p, e.x, &state);
    brink_jet_variable(ORDER, e.t, p.t);
    /* The fourth state of the expression is the first of the path: it must start there, too. */
    bool usable = kernel->graph.nnodes < COUNT(jets);
    for (size_t i = 0; i < kernel->graph.nnodes && usable; i++) {
      const brink_expr_node *n = &kernel->graph.nodes[i];
      usable = n->op != BRINK_OP_REF || kernel->graph.refs[n->a].base < 3;
    }
    if (usable) {
      double g[LENGTH], rho = 0.0;
      brink_frame frame = {.t = e.t};
      run_kernel(kernel, &unknown, &p, &frame, ORDER, g);
      jets_of(&kernel->graph, &p, jets);
      const double *expected = jets[node];
      /* Nodes inside may have a smaller radius of convergence than the path: growth as it is. */
      for (size_t i = 0; i < kernel->graph.nnodes; i++)
        for (int k = 1; k <= ORDER; k++)
          rho = fmax(rho, pow(fabs(jets[i][k]) / (fabs(jets[i][0]) + 0.1), 1.0 / k));
      bool finite = true;
      for (int k = 0; k <= ORDER; k++) finite = finite && isfinite(expected[k]);
      if (finite) compare("a composition", g, expected, fmax(rho, p.rho), 1000.0);
      compared += finite;
    }
    brink_arena_free(&arena);
  }
  CHECK_MSG(compared > 300, "only %d", compared);
}

/* ---- where there is no expansion ---- */

static void one_of(brink_op op, double value, const double *a, double *g) {
  static const brink_series_degrees unknown = {0};
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_kernel *kernel = kernels_make(&arena, "edge", 1);
  brink_node b = kernels_ref(kernel, BRINK_SPACE_P, 0, 0);
  kernels_output(kernel, BRINK_SPACE_OUT, 0, 0,
                 brink_graph_op(&kernel->graph, op, state_ref(kernel, 0), b, b));
  path p = {0};
  brink_jet_copy(ORDER, a, p.x[0]);
  brink_frame frame = {.p = &value};
  run_kernel(kernel, &unknown, &p, &frame, ORDER, g);
  brink_arena_free(&arena);
}

/* What a coefficient is not, it must not pretend to be: right, or no number; and after one that is none
 * there is none. `expected` NULL: none after the first. */
static void right_or_none(const char *name, const double *g, const double *expected) {
  bool none = false;
  for (int k = 0; k <= ORDER; k++) {
    none = none || isnan(g[k]) || isinf(g[k]);
    if (none || (expected == NULL && k == 0)) continue;
    bool right = expected != NULL && fabs(g[k] - expected[k]) <= 1e-13 * (1.0 + fabs(expected[k]));
    CHECK_MSG(right, "%s: coefficient %d = %.17g, expected %.17g or none", name, k, g[k],
              expected != NULL ? expected[k] : (double)NAN);
  }
}

TEST(coefficients_that_do_not_exist_are_no_numbers) {
  double at_zero[LENGTH] = {0.0, 1.0}, below[LENGTH] = {-1.0, 1.0}, one[LENGTH] = {1.0, 1.0},
         g[LENGTH];
  one_of(BRINK_OP_SQRT, 0.0, at_zero, g);
  CHECK(g[0] == 0.0);
  right_or_none("sqrt(s)", g, NULL);
  one_of(BRINK_OP_SQRT, 0.0, below, g);
  CHECK(isnan(g[0]));
  one_of(BRINK_OP_LOG, 0.0, at_zero, g);
  right_or_none("log(s)", g, NULL);
  one_of(BRINK_OP_ASIN, 0.0, one, g);
  right_or_none("asin(1 + s)", g, NULL);
  one_of(BRINK_OP_ACOS, 0.0, one, g);
  right_or_none("acos(1 + s)", g, NULL);
  one_of(BRINK_OP_POW, 1.5, at_zero, g); /* s^1.5: 0, 0, and no second derivative */
  CHECK(g[0] == 0.0 && g[1] == 0.0 && isnan(g[2]));
  one_of(BRINK_OP_POW, 1.0 / 3.0, at_zero, g);
  right_or_none("s^(1/3)", g, NULL);
  one_of(BRINK_OP_POW, -1.0, at_zero, g);
  CHECK(!isfinite(g[0]) && !isfinite(g[1]));
}

TEST(powers_that_start_at_zero_have_the_coefficients_of_their_jets) {
  uint64_t state = 5;
  for (int trial = 0; trial < 200; trial++) {
    double a[LENGTH] = {0.0}, g[LENGTH], expected[LENGTH], exponent = (double)(trial % 7);
    int first = 1 + trial % 3;
    for (int k = first; k <= ORDER; k++) a[k] = random_uniform(&state, -1.0, 1.0);
    a[first] = random_uniform(&state, 0.5, 1.0);
    if (first == 2 && trial % 2 == 0) exponent += 1.5; /* s^2 w to the power 1.5, 2.5, … */
    one_of(BRINK_OP_POW, exponent, a, g);
    brink_jet_pow_const(ORDER, a, exponent, expected);
    for (int k = 0; k <= ORDER && isfinite(expected[k]); k++)
      CHECK_MSG(fabs(g[k] - expected[k]) <= 1e-11 * (1.0 + fabs(expected[k])) || isnan(g[k]),
                "(s^%d …)^%g: coefficient %d = %.17g, expected %.17g", first, exponent, k, g[k],
                expected[k]);
  }
}

/* A root of s^2 or s^4 takes coefficients that are not known yet when it needs them: what it cannot know
 * it must not make up. */
TEST(roots_that_would_need_later_coefficients_are_right_or_none) {
  double square[LENGTH] = {0.0, 0.0, 4.0, 4.0, 1.0}, cube[LENGTH] = {0.0, 0.0, 0.0, 8.0},
         fourth[LENGTH] = {0.0, 0.0, 0.0, 0.0, 16.0}, line[LENGTH] = {0.0, 3.0}, g[LENGTH];
  double two_s[LENGTH] = {0.0, 2.0}, two_s_and[LENGTH] = {0.0, 2.0, 1.0},
         five_s[LENGTH] = {0.0, 5.0};
  one_of(BRINK_OP_SQRT, 0.0, square, g); /* (2 s + s^2)^2 */
  right_or_none("sqrt((2 s + s^2)^2)", g, two_s_and);
  one_of(BRINK_OP_POW, 1.0 / 3.0, cube, g);
  right_or_none("(8 s^3)^(1/3)", g, two_s);
  one_of(BRINK_OP_POW, 0.5, square, g);
  right_or_none("((2 s + s^2)^2)^0.5", g, two_s_and);
  one_of(BRINK_OP_POW, 0.25, fourth, g);
  right_or_none("(16 s^4)^(1/4)", g, two_s);
  /* hypot(3 s, 4 s) */
  static const brink_series_degrees unknown = {0};
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_kernel *kernel = kernels_make(&arena, "hypot", 1);
  kernels_output(
      kernel, BRINK_SPACE_OUT, 0, 0,
      brink_graph_op2(&kernel->graph, BRINK_OP_HYPOT, state_ref(kernel, 0), state_ref(kernel, 1)));
  path p = {0};
  brink_jet_copy(ORDER, line, p.x[0]);
  p.x[1][1] = 4.0;
  brink_frame frame = {0};
  run_kernel(kernel, &unknown, &p, &frame, ORDER, g);
  right_or_none("hypot(3 s, 4 s)", g, five_s);
  brink_arena_free(&arena);
}

/* ---- degrees ---- */

enum { FULL = BRINK_SERIES_FULL };

TEST(degrees_of_polynomial_solutions_are_known) {
  static const struct {
    const char *text;
    int x, y, z, flow;
  } cases[] = {
#define EQUATIONS(text)                                                                            \
  HSML_MODEL("state(x, real); state(y, real); state(z, real); parameter(p, real);"                 \
             "mode(m, {\"a\", \"b\"}); variable(w, real); flag(phi);",                             \
             "x := 0.1; y := 0.2; z := 0.3; m := \"a\";", text,                                    \
             "assignments p : 2.0; end assignments;")
      {EQUATIONS("x' = y; y' = -9.81; z' = 0.0; w = x; phi = x;"), 2, 1, 0, 2},
      {EQUATIONS("x' = p; y' = x; z' = y; w = x; phi = x;"), 1, 2, 3, 3},
      {EQUATIONS("x' = 1.0; y' = x^4; z' = x*y; w = x; phi = x;"), 1, 5, 7, 7},
      {EQUATIONS("x' = time; y' = w; z' = time^3; w = x*time; phi = x;"), 2, 4, 4, 4},
      {EQUATIONS("x' = sgn(phi); y' = if m = \"a\" then x else 0.0; z' = -p*y; w = x; phi = x;"), 1,
       2, 3, 3},
      {EQUATIONS("x' = x; y' = 1.0; z' = y; w = x; phi = x;"), FULL, 1, 2, 0},
      {EQUATIONS("x' = y; y' = -x; z' = sin(p); w = x; phi = x;"), FULL, FULL, 1, 0},
      {EQUATIONS("x' = 1.0; y' = 1.0/x; z' = sqrt(x); w = x; phi = x;"), 1, FULL, FULL, 0},
      {EQUATIONS("x' = 1.0; y' = x/p; z' = p/x; w = x; phi = x;"), 1, 2, FULL, 0},
      {EQUATIONS("x' = 1.0; y' = x^4*x^4; z' = y^2; w = x; phi = x;"), 1, 9, FULL,
       0}, /* beyond 16 */
      {EQUATIONS("x' = 0.0; y' = sin(x); z' = exp(y); w = x; phi = x;"), 0, 1, FULL, 0},
  };
  for (size_t k = 0; k < COUNT(cases); k++) {
    hsml_wishes wishes = hsml_default(1e-6);
    hsml_run *run = hsml_open(cases[k].text, &wishes);
    const brink_system *system = run->system;
    brink_arena arena;
    brink_arena_init(&arena, NULL);
    brink_series_degrees degrees;
    CHECK(brink_series_find_degrees(&system->rhs, system->nx, 0, system->nv, &arena, &degrees));
    CHECK_INT(degrees.x[hsml_state(run, "x")], cases[k].x);
    CHECK_INT(degrees.x[hsml_state(run, "y")], cases[k].y);
    CHECK_INT(degrees.x[hsml_state(run, "z")], cases[k].z);
    brink_flow *flow = brink_flow_make(&system->rhs, system->nx, 0, system->nv, &arena);
    CHECK(flow != NULL);
    if (flow != NULL) CHECK_INT(brink_flow_degree(flow), cases[k].flow);
    brink_arena_free(&arena);
    hsml_close(run);
  }
}

/* A series that is said to end at a degree has the value that it has without that knowledge. */
TEST(coefficients_do_not_depend_on_what_is_known_of_degrees) {
  uint64_t state = 6;
  for (int trial = 0; trial < 500; trial++) {
    expression e;
    expression_random(&e, 3 + (size_t)trial % 10, &state);
    brink_arena arena;
    brink_arena_init(&arena, NULL);
    brink_kernel *kernel = kernels_make(&arena, "degrees", 1);
    kernels_output(kernel, BRINK_SPACE_OUT, 0, 0, expression_build(&e, &kernel->graph));
    int known[EXPRESSION_STATES], none[1] = {0};
    double x[EXPRESSION_STATES][LENGTH] = {{0}}, t[LENGTH], g[2][LENGTH];
    const double *rows[EXPRESSION_STATES];
    brink_jet_variable(ORDER, e.t, t);
    for (int i = 0; i < EXPRESSION_STATES; i++) {
      known[i] = 1 + i;
      rows[i] = x[i];
      x[i][0] = e.x[i];
      for (int k = 1; k <= known[i]; k++) x[i][k] = random_uniform(&state, -0.3, 0.3);
    }
    brink_frame frame = {.t = e.t};
    for (int n = 0; n < 2; n++) {
      brink_series_degrees degrees = {.x = n == 0 ? NULL : known, .v = n == 0 ? NULL : none};
      brink_series_program *series = brink_series_make(kernel, &degrees, &arena);
      double *scratch = scratch_for(brink_series_scratch(series, ORDER));
      brink_series_run(series, &frame, 0, ORDER, t, rows, g[n], scratch);
      free(scratch);
    }
    double scale = 0.0;
    for (int k = 0; k <= ORDER; k++) {
      scale = fmax(scale, fabs(g[0][k]));
      CHECK_MSG(fabs(g[0][k] - g[1][k]) <= 1e-10 * (1.0 + scale) ||
                    (!isfinite(g[0][k]) && !isfinite(g[1][k])),
                "trial %d, coefficient %d: %.17g and %.17g", trial, k, g[0][k], g[1][k]);
    }
    brink_arena_free(&arena);
  }
}

int main(void) {
  RUN(every_operator_has_the_coefficients_of_its_jet);
  RUN(operands_that_do_not_vary_give_the_same_coefficients);
  RUN(leaves_are_what_they_are);
  RUN(random_compositions_of_all_operators_have_the_coefficients_of_their_jets);
  RUN(coefficients_that_do_not_exist_are_no_numbers);
  RUN(powers_that_start_at_zero_have_the_coefficients_of_their_jets);
  RUN(roots_that_would_need_later_coefficients_are_right_or_none);
  RUN(degrees_of_polynomial_solutions_are_known);
  RUN(coefficients_do_not_depend_on_what_is_known_of_degrees);
  return check_done();
}
