/* oracle_series.c: coefficients of series programs next to the edge of a function's domain, against Arb:
 * sqrt, log, asin, acos, powers, quotients, atan2 and hypot at distances of 1e-12 to 1e-2, up to order 20;
 * and solutions that run into such edges.
 *
 * The measure: relative errors of every coefficient, where arguments are linear (no coefficient is small
 * by cancellation), below 1e-15 (k + 2)^1.5, so 1e-13 at order 20. Where arguments are series of their own,
 * which fall like (1/(2 d))^k at distance d from the edge, errors are compared with
 * max_{j <= k} |v_j| (2/d)^(k - j), as in oracle_jet: a coefficient that is small by cancellation is not
 * asked for a small relative error.
 *
 * The first argument, if given, is the number of samples of each function; the environment variable
 * BRINK_ORACLE_PERCENT runs that share of the usual number. */
#include <arb.h>
#include <arb_poly.h>
#include <brink/jet.h>
#include <stdlib.h>

#include "check.h"
#include "native/series_run.h"
#include "support/expressions.h"
#include "support/kernels.h"

enum { PREC = 512, ORDER = 20, LENGTH = ORDER + 1 };

static long wanted = 400; /* samples of each function */
static uint64_t random_state = 17;

static double uniform(double lo, double hi) {
  return random_uniform(&random_state, lo, hi);
}

/* ---- functions, in Arb; a is the argument, y a second one, both series ---- */

typedef void theirs(arb_poly_t out, const arb_poly_t a, const arb_poly_t y, slong n);

#define THEIRS(name)                                                                               \
  static void name(arb_poly_t out, const arb_poly_t a, const arb_poly_t y, slong n)

THEIRS(root) {
  (void)y;
  arb_poly_sqrt_series(out, a, n, PREC);
}
THEIRS(logarithm) {
  (void)y;
  arb_poly_log_series(out, a, n, PREC);
}
THEIRS(logarithm10) {
  (void)y;
  arb_t ten;
  arb_init(ten);
  arb_set_ui(ten, 10);
  arb_log(ten, ten, PREC);
  arb_poly_log_series(out, a, n, PREC);
  arb_poly_scalar_div(out, out, ten, PREC);
  arb_clear(ten);
}
THEIRS(arc_sine) {
  (void)y;
  arb_poly_asin_series(out, a, n, PREC);
}
THEIRS(arc_cosine) {
  (void)y;
  arb_poly_acos_series(out, a, n, PREC);
}
THEIRS(quotient) {
  arb_poly_div_series(out, y, a, n, PREC);
}
THEIRS(power) { /* y is a constant */
  arb_t exponent;
  arb_init(exponent);
  arb_poly_get_coeff_arb(exponent, y, 0);
  arb_poly_pow_arb_series(out, a, exponent, n, PREC);
  arb_clear(exponent);
}
THEIRS(variable_power) {
  arb_poly_pow_series(out, a, y, n, PREC);
}
THEIRS(length) {
  arb_poly_t s;
  arb_poly_init(s);
  arb_poly_mullow(s, a, a, n, PREC);
  arb_poly_mullow(out, y, y, n, PREC);
  arb_poly_add(s, s, out, PREC);
  arb_poly_sqrt_series(out, s, n, PREC);
  arb_poly_clear(s);
}
THEIRS(angle) { /* atan2(a, y), y > 0 */
  arb_poly_div_series(out, a, y, n, PREC);
  arb_poly_atan_series(out, out, n, PREC);
}

typedef enum second { NONE, HELD, SMALL, LARGE } second;

static const struct {
  const char *name;
  brink_op op;
  bool swapped; /* op(y, a) */
  theirs *arb;
  double edge, side; /* the argument is edge + side d */
  second other;
  double lo, hi; /* of the second argument */
} functions[] = {
    {"sqrt", BRINK_OP_SQRT, false, root, 0.0, 1.0, NONE, 0.0, 0.0},
    {"log", BRINK_OP_LOG, false, logarithm, 0.0, 1.0, NONE, 0.0, 0.0},
    {"log10", BRINK_OP_LOG10, false, logarithm10, 0.0, 1.0, NONE, 0.0, 0.0},
    {"asin at 1", BRINK_OP_ASIN, false, arc_sine, 1.0, -1.0, NONE, 0.0, 0.0},
    {"asin at -1", BRINK_OP_ASIN, false, arc_sine, -1.0, 1.0, NONE, 0.0, 0.0},
    {"acos at 1", BRINK_OP_ACOS, false, arc_cosine, 1.0, -1.0, NONE, 0.0, 0.0},
    {"acos at -1", BRINK_OP_ACOS, false, arc_cosine, -1.0, 1.0, NONE, 0.0, 0.0},
    {"y / a", BRINK_OP_DIV, true, quotient, 0.0, 1.0, LARGE, 0.5, 2.0},
    {"a^p", BRINK_OP_POW, false, power, 0.0, 1.0, HELD, -2.5, 3.0},
    {"a^y", BRINK_OP_POW, false, variable_power, 0.0, 1.0, LARGE, -2.0, 2.0},
    {"hypot", BRINK_OP_HYPOT, false, length, 0.0, 1.0, SMALL, 0.3, 3.0},
    {"atan2", BRINK_OP_ATAN2, false, angle, 0.0, 1.0, SMALL, 0.3, 3.0},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* ---- comparing ---- */

static void to_arb(arb_poly_t p, const double *a) {
  arb_t x;
  arb_init(x);
  arb_poly_zero(p);
  for (int k = 0; k <= ORDER; k++) {
    arb_set_d(x, a[k]);
    arb_poly_set_coeff_arb(p, k, x);
  }
  arb_clear(x);
}

/* The size of coefficient k, and how far `found` is from it. */
static double error_of(const arb_poly_t exact, int k, double found, double *size) {
  arb_t x, y;
  arb_init(x);
  arb_init(y);
  arb_poly_get_coeff_arb(x, exact, k);
  *size = fabs(arf_get_d(arb_midref(x), ARF_RND_NEAR));
  arb_set_d(y, found);
  arb_sub(x, x, y, PREC);
  double error = fabs(arf_get_d(arb_midref(x), ARF_RND_NEAR));
  arb_clear(x);
  arb_clear(y);
  return error;
}

/* The worst error in units of 1e-15 (k + 2)^1.5; growth 0: relative to each coefficient. */
static double compare(const char *name, const double *found, const arb_poly_t exact,
                      double distance, double growth, double allowed) {
  double scale = 0.0, worst = 0.0;
  for (int k = 0; k <= ORDER; k++) {
    double size, error = error_of(exact, k, found[k], &size);
    scale = growth > 0.0 ? fmax(scale * growth, size) : size;
    double unit = scale * 1e-15 * pow(k + 2.0, 1.5);
    CHECK_MSG(error <= allowed * unit + 1e-300,
              "%s at %.3g from the edge: coefficient %d = %.17g is off by %.3g of it", name,
              distance, k, found[k], error / size);
    if (unit > 0.0) worst = fmax(worst, error / unit);
  }
  return worst;
}

static void run_series(int n, const double *a, const double *y, double *g) {
  static const brink_series_degrees unknown = {0};
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_kernel *kernel = kernels_make(&arena, functions[n].name, 1);
  bool held = functions[n].other == HELD;
  brink_node first = kernels_ref(kernel, BRINK_SPACE_X, 0, 0);
  brink_node other = kernels_ref(kernel, held ? BRINK_SPACE_P : BRINK_SPACE_X, held ? 0 : 1, 0);
  if (functions[n].swapped) {
    brink_node swap = first;
    first = other;
    other = swap;
  }
  kernels_output(kernel, BRINK_SPACE_OUT, 0, 0,
                 brink_graph_op(&kernel->graph, functions[n].op, first, other, other));
  brink_series_program *series = brink_series_make(kernel, &unknown, &arena);
  double t[LENGTH] = {0.0, 1.0}, *scratch;
  const double *rows[] = {a, y};
  brink_frame frame = {.p = y};
  scratch = malloc(brink_series_scratch(series, ORDER) * sizeof *scratch);
  if (scratch == NULL) abort();
  brink_series_run(series, &frame, 0, ORDER, t, rows, g, scratch);
  free(scratch);
  brink_arena_free(&arena);
}

/* edge + side d + steps away from it, all of the size that d gives them. */
static void draw_argument(int n, double d, bool linear, double *a, double *y) {
  double sign = uniform(0.0, 1.0) < 0.5 ? -1.0 : 1.0;
  double base = functions[n].other == SMALL ? d : 1.0;
  memset(a, 0, LENGTH * sizeof *a);
  memset(y, 0, LENGTH * sizeof *y);
  a[0] = functions[n].edge + functions[n].side * d;
  a[1] = sign * uniform(0.2, 1.0);
  y[0] = base * uniform(functions[n].lo, functions[n].hi);
  if (functions[n].other == HELD && uniform(0.0, 1.0) < 0.3) y[0] = floor(y[0]);
  if (functions[n].other == SMALL) y[1] = uniform(-1.0, 1.0);
  if (functions[n].other == LARGE) y[1] = uniform(-0.5, 0.5);
  double size = 0.3;
  for (int k = 2; k <= ORDER && !linear; k++) {
    size *= 0.5 / d;
    a[k] = uniform(-1.0, 1.0) * size;
    if (functions[n].other == SMALL) y[k] = uniform(-1.0, 1.0) * size;
  }
}

static void check_function(int n) {
  arb_poly_t pa, py, exact;
  double a[LENGTH], y[LENGTH], g[LENGTH], worst[2] = {0.0, 0.0};
  arb_poly_init(pa);
  arb_poly_init(py);
  arb_poly_init(exact);
  for (long k = 0; k < wanted; k++) {
    double d = pow(10.0, uniform(-12.0, -2.0));
    /* Sums of two squares, and exponents that vary, have coefficients that are small by cancellation. */
    bool linear = k % 2 == 0, clean = linear && functions[n].other < SMALL;
    draw_argument(n, d, linear, a, y);
    double distance = fabs(a[0] - functions[n].edge); /* as it was rounded */
    run_series(n, a, y, g);
    to_arb(pa, a);
    to_arb(py, y);
    functions[n].arb(exact, pa, py, LENGTH);
    double error = compare(functions[n].name, g, exact, distance, clean ? 0.0 : 2.0 / distance,
                           clean ? 1.0 : 4.0);
    worst[clean] = fmax(worst[clean], error);
  }
  printf("%-12s %6.2f units, series %6.2f\n", functions[n].name, worst[1], worst[0]);
  arb_poly_clear(pa);
  arb_poly_clear(py);
  arb_poly_clear(exact);
}

TEST(series_next_to_the_edge_of_a_domain_lose_no_digits) {
  for (int n = 0; n < FUNCTIONS; n++) check_function(n);
}

/* ---- solutions ---- */

/* x' = c x^p from d has x = (d^(1-p) + (1-p) c s)^(1/(1-p)). */
static const struct {
  const char *name;
  double c, p;
} flows[] = {
    {"x' = -sqrt(x)", -1.0, 0.5},   {"x' = -1/x", -1.0, -1.0}, {"x' = -x^(1/3)", -1.0, 1.0 / 3.0},
    {"x' = -x^(-3)", -1.0, -3.0},   {"x' = x^2", 1.0, 2.0},    {"x' = x^(-1/4)", 1.0, -0.25},
    {"x' = -0.2 x^0.9", -0.2, 0.9}, {"x' = x^1.5", 1.0, 1.5}};
enum { FLOWS = sizeof flows / sizeof flows[0] };

static brink_node field(brink_kernel *kernel, int n) {
  brink_graph *graph = &kernel->graph;
  brink_node x = kernels_ref(kernel, BRINK_SPACE_X, 0, 0);
  brink_node p = brink_graph_op2(graph, BRINK_OP_POW, x, brink_graph_constant(graph, flows[n].p));
  return brink_graph_op2(graph, BRINK_OP_MUL, brink_graph_constant(graph, flows[n].c), p);
}

static void check_flow(int n) {
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_kernel *kernel = kernels_make(&arena, flows[n].name, 1);
  kernels_output(kernel, BRINK_SPACE_DX, 0, 0, field(kernel, n));
  const brink_program program = {.kernels = &kernel, .nkernels = 1};
  brink_flow *flow = brink_flow_make(&program, 1, 0, 0, &arena);
  double *scratch = malloc(brink_flow_scratch(flow, ORDER) * sizeof *scratch), worst = 0.0;
  arb_t d, p;
  arb_poly_t base, exact;
  arb_init(d);
  arb_init(p);
  arb_poly_init(base);
  arb_poly_init(exact);
  for (long k = 0; k < wanted && scratch != NULL; k++) {
    /* The unit is that of a step: a fraction of the way to the edge, a power of two. */
    double x[LENGTH] = {pow(10.0, uniform(-12.0, -2.0))}, *rows[] = {x};
    double unit = ldexp(1.0, ilogb(0.3 * x[0] / fabs(flows[n].c * pow(x[0], flows[n].p))));
    brink_frame frame = {.x = x};
    brink_flow_run(flow, &frame, ORDER, unit, rows, scratch, NULL);
    arb_set_d(d, x[0]);
    arb_set_d(p, flows[n].p);
    arb_neg(p, p);
    arb_add_ui(p, p, 1, PREC); /* 1 - p */
    arb_pow(d, d, p, PREC);
    arb_poly_zero(base);
    arb_poly_set_coeff_arb(base, 0, d);
    arb_set_d(d, flows[n].c);
    arb_mul(d, d, p, PREC);
    arb_mul_2exp_si(d, d, ilogb(unit));
    arb_poly_set_coeff_arb(base, 1, d);
    arb_inv(p, p, PREC);
    arb_poly_pow_arb_series(exact, base, p, LENGTH, PREC);
    /* Coefficients fall like (unit/R)^k, R = x/(f |1 - p|), or faster where 1/(1 - p) is an integer: there
     * they are differences of terms that fall like the powers of f/x. The unit is 0.15 to 0.3 of x/f. */
    double growth = 0.3 * fmax(fabs(1.0 - flows[n].p), 1.0);
    worst = fmax(worst, compare(flows[n].name, x, exact, x[0], growth, 1.0));
  }
  printf("%-16s %6.2f units\n", flows[n].name, worst);
  arb_clear(d);
  arb_clear(p);
  arb_poly_clear(base);
  arb_poly_clear(exact);
  free(scratch);
  brink_arena_free(&arena);
}

TEST(solutions_next_to_a_singular_edge_have_their_coefficients) {
  for (int n = 0; n < FLOWS; n++) check_flow(n);
}

int main(int argc, char **argv) {
  const char *percent = getenv("BRINK_ORACLE_PERCENT");
  if (percent != NULL) wanted = wanted * strtol(percent, NULL, 10) / 100;
  if (argc > 1) wanted = strtol(argv[1], NULL, 10);
  RUN(series_next_to_the_edge_of_a_domain_lose_no_digits);
  RUN(solutions_next_to_a_singular_edge_have_their_coefficients);
  flint_cleanup();
  return check_done();
}
