/* Operators of expressions: values as <math.h> has them, gradients by the complex step, series that
 * are the function along a path, series of the solution that satisfy the equation; machine code and
 * interpreter to the same bits. The table of the header makes the table here: an operator without a
 * reference does not compile. */
#include <brink/build.h>
#include <brink/jet.h>
#include <complex.h>

#include "check.h"
#include "model/model.h"
#include "num/order.h"

typedef double complex z;

/* Where the series of all states have ended; 0: nowhere. */
static int degree_of(const brink_model *model) {
  int most = 0;
  for (size_t i = 0; model->def.flow_degrees != NULL && i < model->def.nx; i++) {
    if (model->def.flow_degrees[i] == 0) return 0;
    if (model->def.flow_degrees[i] > most) most = model->def.flow_degrees[i];
  }
  return most;
}

static const char cache[] = "build-cache"; /* in the directory of the test, to be used again */

/* ---- references: real, and complex in a small neighbourhood of the real axis ---- */

static z complex_of(double real, double imaginary) {
  double parts[] = {real, imaginary};
  z number;
  memcpy(&number, parts, sizeof number); /* CMPLX, which not every compiler has */
  return number;
}

static z zreal(double a) {
  return complex_of(a, 0.0);
}

#define ONE_REFERENCE(id, real, analytic)                                                          \
  static double real_##id(double a) {                                                              \
    return real;                                                                                   \
  }                                                                                                \
  static z complex_##id(z a) {                                                                     \
    return analytic;                                                                               \
  }
#define TWO_REFERENCE(id, real, analytic)                                                          \
  static double real_##id(double a, double b) {                                                    \
    return real;                                                                                   \
  }                                                                                                \
  static z complex_##id(z a, z b) {                                                                \
    return analytic;                                                                               \
  }

ONE_REFERENCE(NEG, -a, -a)
ONE_REFERENCE(ABS, fabs(a), creal(a) < 0.0 ? -a : a)
ONE_REFERENCE(SQRT, sqrt(a), csqrt(a))
ONE_REFERENCE(EXP, exp(a), cexp(a))
ONE_REFERENCE(LOG, log(a), clog(a))
ONE_REFERENCE(LOG10, log10(a), clog(a) / log(10.0))
ONE_REFERENCE(SIN, sin(a), csin(a))
ONE_REFERENCE(COS, cos(a), ccos(a))
ONE_REFERENCE(TAN, tan(a), ctan(a))
ONE_REFERENCE(ASIN, asin(a), casin(a))
ONE_REFERENCE(ACOS, acos(a), cacos(a))
ONE_REFERENCE(ATAN, atan(a), catan(a))
ONE_REFERENCE(SINH, sinh(a), csinh(a))
ONE_REFERENCE(COSH, cosh(a), ccosh(a))
ONE_REFERENCE(TANH, tanh(a), ctanh(a))
ONE_REFERENCE(NOT, a != 0.0 ? 0.0 : 1.0, zreal(creal(a) != 0.0 ? 0.0 : 1.0))

TWO_REFERENCE(ADD, a + b, a + b)
TWO_REFERENCE(SUB, a - b, a - b)
TWO_REFERENCE(MUL, a *b, a *b)
TWO_REFERENCE(DIV, a / b, a / b)
TWO_REFERENCE(POW, pow(a, b), cexp(b *clog(a)))
TWO_REFERENCE(ATAN2, atan2(a, b), catan(a / b)) /* up to a constant */
TWO_REFERENCE(HYPOT, hypot(a, b), csqrt(a *a + b * b))
TWO_REFERENCE(MIN, a < b ? a : b, creal(a) < creal(b) ? a : b)
TWO_REFERENCE(MAX, a > b ? a : b, creal(a) > creal(b) ? a : b)
TWO_REFERENCE(LT, a < b ? 1.0 : 0.0, zreal(real_LT(creal(a), creal(b))))
TWO_REFERENCE(LE, a <= b ? 1.0 : 0.0, zreal(real_LE(creal(a), creal(b))))
TWO_REFERENCE(EQ, a == b ? 1.0 : 0.0, zreal(real_EQ(creal(a), creal(b))))
TWO_REFERENCE(NE, a != b ? 1.0 : 0.0, zreal(real_NE(creal(a), creal(b))))
TWO_REFERENCE(AND, a != 0.0 && b != 0.0 ? 1.0 : 0.0, zreal(real_AND(creal(a), creal(b))))
TWO_REFERENCE(OR, a != 0.0 || b != 0.0 ? 1.0 : 0.0, zreal(real_OR(creal(a), creal(b))))

/* ---- the operators as functions of (x, y) ---- */

typedef struct function {
  const char *name;
  brink_ex (*one)(brink_ex a);
  brink_ex (*two)(brink_ex a, brink_ex b);
  double (*real_one)(double a);
  double (*real_two)(double a, double b);
  z (*complex_one)(z a);
  z (*complex_two)(z a, z b);
} function;

#define ONE_ENTRY(f, id, meaning)                                                                  \
  {.name = #f, .one = f, .real_one = real_##id, .complex_one = complex_##id},
#define TWO_ENTRY(f, id, meaning)                                                                  \
  {.name = #f, .two = f, .real_two = real_##id, .complex_two = complex_##id},
static const function functions[] = {BRINK_EX_ONE_LIST(ONE_ENTRY) BRINK_EX_TWO_LIST(TWO_ENTRY)};

enum { FUNCTIONS = sizeof functions / sizeof *functions, ORDER = 12 };

static const double points[][2] = {{0.3, 0.7}, {0.9, 0.2}, {0.05, 1.5}, {0.62, 0.61}};
enum { POINTS = sizeof points / sizeof *points };

static brink_ex apply(const function *f, brink_ex a, brink_ex b) {
  return f->one != NULL ? f->one(a) : f->two(a, b);
}

static double real_value(const function *f, double a, double b) {
  return f->one != NULL ? f->real_one(a) : f->real_two(a, b);
}

static z complex_value(const function *f, z a, z b) {
  return f->one != NULL ? f->complex_one(a) : f->complex_two(a, b);
}

/* x' = f(x, y), y' = 0.25, and the guard f(x, y). */
static brink_built *build(const function *f, bool interpret) {
  brink_builder *b = NULL;
  brink_built *built = NULL;
  brink_diag diag;
  CHECK_INT(brink_builder_create(f->name, NULL, &diag, &b), BRINK_OK);
  brink_ex x = brink_builder_state(b, "x", 0.3), y = brink_builder_state(b, "y", 0.7);
  brink_builder_derivative(b, x, apply(f, x, y));
  brink_builder_derivative(b, y, brink_builder_number(b, 0.25));
  brink_guard_def def = brink_default_guard("f");
  CHECK_INT(brink_builder_guard(b, &def, apply(f, x, y)), 0);
  brink_build_options options = brink_default_build();
  options.interpret = interpret;
  options.cache = cache;
  options.jacobian = true;
  brink_status status = brink_builder_finish(b, &options, &diag, &built);
  CHECK_MSG(status == BRINK_OK, "%s: %s", f->name, diag.message);
  brink_builder_destroy(b);
  return built;
}

/* What the model says about f at one point. */
typedef struct answers {
  double rhs[2], value, dx[2], dt, jacobian[4];
  double jet[ORDER + 1], flow[2][ORDER + 1];
  bool has_jet, has_flow;
} answers;

static const double speed[2] = {0.4, -0.2}, bend[2] = {-0.3, 0.1};

static void ask_guard(const brink_model *model, const double *x, const brink_env *env, answers *a) {
  const brink_guard_def *def = &model->guards[0].def;
  if (def->coefficients != NULL) { /* linear: numbers */
    a->value = def->offset;
    for (size_t k = 0; k < def->ndepends; k++) {
      a->value += def->coefficients[k] * x[def->depends[k]];
      a->dx[def->depends[k]] = def->coefficients[k];
    }
    a->dt = def->time_coefficient;
    return;
  }
  double dx[2] = {0.0, 0.0}, series[2][ORDER + 1] = {{0.0}}, t[ORDER + 1] = {0.0, 1.0};
  CHECK_INT(def->value(0, 0.0, x, env, &a->value), 0);
  CHECK_INT(def->gradient(0, 0.0, x, env, dx, &a->dt), 0);
  for (size_t k = 0; k < def->ndepends; k++) a->dx[def->depends[k]] = dx[k];
  a->has_jet = def->jet != NULL;
  if (!a->has_jet) return;
  for (int i = 0; i < 2; i++) series[i][0] = x[i], series[i][1] = speed[i], series[i][2] = bend[i];
  const double *rows[2] = {series[0], series[1]};
  CHECK_INT(def->jet(0, ORDER, t, rows, env, a->jet), 0);
}

static void ask(const brink_model *model, const double *x, answers *a) {
  signed char sign = 1;
  brink_env env = {.sgn = &sign, .user = model->def.user};
  memset(a, 0, sizeof *a);
  CHECK_INT(model->def.rhs(0.0, x, &env, a->rhs), 0);
  ask_guard(model, x, &env, a);
  double *rows[2] = {a->flow[0], a->flow[1]};
  a->flow[0][0] = x[0], a->flow[1][0] = x[1];
  int degree = degree_of(model); /* where the series end by themselves: not beyond */
  int order = degree > 0 && degree < ORDER ? (degree < 2 ? 2 : degree) : ORDER;
  a->has_flow = model->def.flow_jet(order, 0.0, 1.0, x, &env, rows) == 0;
  double values[4];
  CHECK_INT(model->def.jacobian(0.0, x, &env, values), 0);
  const brink_sparsity *pattern = &model->def.jacobian_pattern;
  for (size_t j = 0; j < 2; j++)
    for (size_t k = pattern->starts[j]; k < pattern->starts[j + 1]; k++)
      a->jacobian[2 * pattern->rows[k] + j] = values[k];
}

/* ---- claims ---- */

static void check_gradient(const function *f, const double *x, const answers *a) {
  const double h = 1e-40; /* no difference is taken: as small as one likes */
  double exact[2] = {cimag(complex_value(f, complex_of(x[0], h), zreal(x[1]))) / h,
                     cimag(complex_value(f, zreal(x[0]), complex_of(x[1], h))) / h};
  for (int i = 0; i < 2; i++) {
    double scale = 1e-14 * (1.0 + fabs(exact[i]));
    CHECK_MSG(fabs(a->dx[i] - exact[i]) <= scale, "%s at (%g, %g): gradient %d is %.17g, not %.17g",
              f->name, x[0], x[1], i, a->dx[i], exact[i]);
    CHECK_MSG(fabs(a->jacobian[i] - exact[i]) <= scale, "%s: Jacobian", f->name);
    CHECK_NEAR(a->jacobian[2 + i], 0.0, 0.0);
  }
  CHECK_NEAR(a->dt, 0.0, 0.0);
}

/* Near s = 0 the series is the function. */
static void check_series(const function *f, const double *x, const answers *a) {
  for (double s = -0.004; s < 0.005 && a->has_jet; s += 0.004) {
    double at[2];
    for (int i = 0; i < 2; i++) at[i] = x[i] + s * (speed[i] + s * bend[i]);
    double exact = real_value(f, at[0], at[1]);
    CHECK_MSG(fabs(brink_jet_eval(ORDER, a->jet, s) - exact) <= 1e-14 * (1.0 + fabs(exact)),
              "%s at (%g, %g): its series at %g is %.17g, not %.17g", f->name, x[0], x[1], s,
              brink_jet_eval(ORDER, a->jet, s), exact);
  }
}

/* The series of the solution solves x' = f(x, y). */
static void check_flow(const function *f, const double *x, const answers *a) {
  CHECK_MSG(a->has_flow, "%s: no series of the solution", f->name);
  for (double s = -5e-4; s < 6e-4 && a->has_flow; s += 5e-4) {
    double at[2], rate = 0.0;
    for (int i = 0; i < 2; i++) at[i] = brink_jet_eval(ORDER, a->flow[i], s);
    for (int k = ORDER; k >= 1; k--) rate = rate * s + k * a->flow[0][k];
    double exact = real_value(f, at[0], at[1]);
    CHECK_NEAR(at[1], x[1] + 0.25 * s, 1e-15);
    CHECK_MSG(fabs(rate - exact) <= 1e-13 * (1.0 + fabs(exact)),
              "%s at (%g, %g): x' at %g is %.17g, not %.17g", f->name, x[0], x[1], s, rate, exact);
  }
}

TEST(every_operator_has_its_value_gradient_and_series_in_both_engines) {
  for (int n = 0; n < FUNCTIONS; n++) {
    const function *f = &functions[n];
    brink_built *both[2] = {build(f, true), build(f, false)};
    if (both[0] == NULL || both[1] == NULL) continue;
    CHECK(strcmp(brink_built_engine(both[0]), "interpreter") == 0);
    for (int p = 0; p < POINTS; p++) {
      answers a[2];
      for (int e = 0; e < 2; e++) {
        ask(brink_built_model(both[e]), points[p], &a[e]);
        double exact = real_value(f, points[p][0], points[p][1]);
        CHECK_MSG(a[e].value == exact && a[e].rhs[0] == exact, "%s: %.17g and %.17g, not %.17g",
                  f->name, a[e].value, a[e].rhs[0], exact);
        check_gradient(f, points[p], &a[e]);
        check_series(f, points[p], &a[e]);
        check_flow(f, points[p], &a[e]);
      }
      CHECK_MSG(memcmp(&a[0], &a[1], sizeof a[0]) == 0, "%s: engines differ", f->name);
    }
    brink_built_destroy(both[0]);
    brink_built_destroy(both[1]);
  }
}

/* A branch that is not taken may be undefined; conditions may be any number. */
TEST(a_select_takes_one_branch_and_leaves_the_other_alone) {
  for (int native = 0; native < 2; native++) {
    brink_builder *b = NULL;
    brink_built *built = NULL;
    CHECK_INT(brink_builder_create("select", NULL, NULL, &b), BRINK_OK);
    brink_ex x = brink_builder_state(b, "x", 0.0), m = brink_builder_mode(b, "m", 0);
    brink_ex root = brink_ex_sqrt(x); /* no number for x < 0 */
    brink_ex value = brink_ex_select(m, root, brink_ex_square(x));
    brink_builder_derivative(b, x, value);
    brink_guard_def def = brink_default_guard("g");
    brink_builder_guard(b, &def, value);
    brink_build_options options = brink_default_build();
    options.interpret = native == 0, options.cache = cache;
    CHECK_INT(brink_builder_finish(b, &options, NULL, &built), BRINK_OK);
    const brink_model *model = brink_built_model(built);
    const brink_guard_def *guard = &model->guards[0].def;
    signed char sign = 1;
    for (int mode = 0; mode < 2; mode++) {
      brink_env env = {.mode = &mode, .sgn = &sign, .user = model->def.user};
      double at = mode == 0 ? -3.0 : 4.0, g, dg, dt, s[] = {at, 1.0, 0.0}, t[3] = {0.0, 1.0}, j[3];
      const double *rows[] = {s};
      CHECK_INT(guard->value(0, 0.0, &at, &env, &g), 0);
      CHECK_INT(guard->gradient(0, 0.0, &at, &env, &dg, &dt), 0);
      CHECK_INT(guard->jet(0, 2, t, rows, &env, j), 0);
      CHECK_NEAR(g, mode == 0 ? 9.0 : 2.0, 0.0);
      CHECK_NEAR(dg, mode == 0 ? -6.0 : 0.25, 0.0);
      CHECK_NEAR(j[2], mode == 0 ? 1.0 : -1.0 / 64.0, 1e-17);
    }
    brink_built_destroy(built);
    brink_builder_destroy(b);
  }
}

/* Known series: 1/(1 - t), tan t, exp(t^2/2), all by their equations. */
TEST(solutions_have_the_series_of_the_books) {
  static const double tangent[] = {0.0, 1.0, 0.0, 1.0 / 3.0, 0.0, 2.0 / 15.0, 0.0, 17.0 / 315.0};
  for (int native = 0; native < 2; native++) {
    brink_builder *b = NULL;
    brink_built *built = NULL;
    CHECK_INT(brink_builder_create("books", NULL, NULL, &b), BRINK_OK);
    brink_ex pole = brink_builder_state(b, "pole", 1.0), tan = brink_builder_state(b, "tan", 0.0);
    brink_ex bell = brink_builder_state(b, "bell", 1.0);
    brink_builder_derivative(b, pole, brink_ex_square(pole));
    brink_builder_derivative(b, tan, brink_ex_add_constant(brink_ex_square(tan), 1.0));
    brink_builder_derivative(b, bell, brink_ex_mul(brink_builder_time(b), bell));
    brink_build_options options = brink_default_build();
    options.interpret = native == 0, options.cache = cache;
    CHECK_INT(brink_builder_finish(b, &options, NULL, &built), BRINK_OK);
    const brink_model *model = brink_built_model(built);
    double x[] = {1.0, 0.0, 1.0}, series[3][ORDER + 1] = {{1.0}, {0.0}, {1.0}};
    double *rows[] = {series[0], series[1], series[2]};
    brink_env env = {.user = model->def.user};
    CHECK_INT(model->def.flow_jet(ORDER, 0.0, 1.0, x, &env, rows), 0);
    double bell_term = 1.0;
    for (int k = 0; k <= ORDER; k++) {
      CHECK_NEAR(series[0][k], 1.0, 1e-14);
      if (k < 8) CHECK_NEAR(series[1][k], tangent[k], 1e-16);
      if (k > 0 && k % 2 == 0) bell_term /= k; /* (1/2)^n/n! with k = 2n */
      CHECK_NEAR(series[2][k], k % 2 == 0 ? bell_term : 0.0, 1e-16);
    }
    brink_built_destroy(built);
    brink_builder_destroy(b);
  }
}

TEST(series_for_a_known_tolerance_are_the_same_and_end_at_its_order) {
  enum { MOST = 30 };
  brink_builder *b = NULL;
  double series[2][MOST + 1];
  int order = 0;
  CHECK_INT(brink_builder_create("known", NULL, NULL, &b), BRINK_OK);
  brink_ex x = brink_builder_state(b, "x", 0.7);
  brink_builder_derivative(b, x, brink_ex_sin(x));
  for (int known = 0; known < 2; known++) {
    brink_build_options options = brink_default_build();
    brink_built *built = NULL;
    options.cache = cache, options.rtol = known == 1 ? 1e-3 : 0.0;
    CHECK_INT(brink_builder_finish(b, &options, NULL, &built), BRINK_OK);
    const brink_model *model = brink_built_model(built);
    double at = 0.7, *rows[] = {series[known]};
    brink_env env = {.user = model->def.user};
    series[known][0] = at;
    order = brink_series_order(1e-3, degree_of(model), model->def.flow_work);
    CHECK(order < MOST);
    if (order >= MOST) return;
    CHECK_INT(model->def.flow_jet(order + 1, 0.0, 1.0, &at, &env, rows), known); /* 1: refused */
    CHECK_INT(model->def.flow_jet(order, 0.0, 1.0, &at, &env, rows), 0);
    brink_built_destroy(built);
  }
  CHECK(memcmp(series[0], series[1], (size_t)(order + 1) * sizeof(double)) == 0);
  brink_builder_destroy(b);
}

int main(void) {
  RUN(every_operator_has_its_value_gradient_and_series_in_both_engines);
  RUN(a_select_takes_one_branch_and_leaves_the_other_alone);
  RUN(solutions_have_the_series_of_the_books);
  RUN(series_for_a_known_tolerance_are_the_same_and_end_at_its_order);
  return check_done();
}
