/* problems_smooth.c: events that change nothing, or no events at all: pure stepping. */
#include <math.h>

#include "problems/dynamics.h"
#include "support/problem.h"

/* ------------------------------------------------------------------------- van der Pol ---- */

/* Sections x = 0 and x' = 0 are recorded. */
static void van_der_pol_roots(double t, const double *x, const brink_env *env, double *g) {
  (void)t, (void)env;
  g[0] = x[0];
  g[1] = x[1];
}

static const size_t first[] = {0}, second[] = {1};
static const double plus_one[] = {1};
static const double van_der_pol_x0[] = {2, 0};
static const brink_guard_def van_der_pol_guards[] = {
    {.size = sizeof(brink_guard_def),
     .name = "x",
     .depends = first,
     .ndepends = 1,
     .coefficients = plus_one},
    {.size = sizeof(brink_guard_def),
     .name = "x'",
     .depends = second,
     .ndepends = 1,
     .coefficients = plus_one},
};
static const brink_model_def van_der_pol = {.size = sizeof(brink_model_def),
                                            .name = "van der Pol",
                                            .nx = 2,
                                            .x0 = van_der_pol_x0,
                                            .rhs = problem_van_der_pol_rhs,
                                            .nguards = 2,
                                            .guards = van_der_pol_guards};
const bench_problem bench_van_der_pol = {.name = "van der Pol",
                                         .def = &van_der_pol,
                                         .roots = van_der_pol_roots,
                                         .t_end = 50,
                                         .time_scale = 1,
                                         .known_event = 5,
                                         .known_time = 9.9831950854041028149158728};

/* --------------------------------------------------------------------------- Arenstorf ---- */

/* A periodic orbit of the restricted three-body problem (Hairer, Norsett & Wanner I, II.0). */
static int arenstorf_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  const double mu = 0.012277471, nu = 1 - mu;
  double a = x[0] + mu, b = x[0] - nu, y2 = x[1] * x[1];
  double r1 = a * a + y2, r2 = b * b + y2;
  double d1 = nu / (r1 * sqrt(r1)), d2 = mu / (r2 * sqrt(r2));
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = x[0] + 2 * x[3] - d1 * a - d2 * b;
  dx[3] = x[1] - 2 * x[2] - (d1 + d2) * x[1];
  return 0;
}

static const double arenstorf_x0[] = {0.994, 0, 0, -2.00158510637908252240537862224};
static const brink_model_def arenstorf = {.size = sizeof(brink_model_def),
                                          .name = "Arenstorf",
                                          .nx = 4,
                                          .x0 = arenstorf_x0,
                                          .rhs = arenstorf_rhs};
const bench_problem bench_arenstorf = {.name = "Arenstorf orbit",
                                       .def = &arenstorf,
                                       .t_end = 17.0652165601579625588917206249,
                                       .time_scale = 1,
                                       .known_time = NAN};

/* ------------------------------------------------------------------------ Lotka-Volterra ---- */

static int volterra_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  dx[0] = x[0] * (1.5 - x[1]);
  dx[1] = x[1] * (x[0] - 3);
  return 0;
}

static const double volterra_x0[] = {1, 1};
static const brink_model_def volterra = {.size = sizeof(brink_model_def),
                                         .name = "Lotka-Volterra",
                                         .nx = 2,
                                         .x0 = volterra_x0,
                                         .rhs = volterra_rhs};
const bench_problem bench_volterra = {
    .name = "Lotka-Volterra", .def = &volterra, .t_end = 50, .time_scale = 1, .known_time = NAN};

/* ------------------------------------------------------------------- coupled oscillators ---- */

/* Fifty masses between two walls, springs with a cubic term (Fermi, Pasta, Ulam & Tsingou). */
#define MASSES 50

static int chain_rhs(double t, const double *x, const brink_env *env, double *dx) {
  (void)t, (void)env;
  const double *v = x + MASSES;
  double left = x[0];
  left += left * left * left;
  for (int i = 0; i < MASSES; i++) {
    double stretch = (i + 1 < MASSES ? x[i + 1] : 0) - x[i];
    double right = stretch + stretch * stretch * stretch;
    dx[i] = v[i];
    dx[MASSES + i] = right - left;
    left = right;
  }
  return 0;
}

/* The lowest mode, sampled: sin(pi (i + 1)/51), from rest. */
#define S(i, value) [i] = (value), [MASSES - 1 - (i)] = (value)
static const double chain_x0[2 * MASSES] = {
    S(0, 0.061560906133942835), S(1, 0.12288829066471411), S(2, 0.18374951781657034),
    S(3, 0.24391372010837714),  S(4, 0.30315267411304353), S(5, 0.3612416661871529),
    S(6, 0.4179603448867834),   S(7, 0.47309355683601007), S(8, 0.5264321628773557),
    S(9, 0.5777738314082511),   S(10, 0.6269238058941065), S(11, 0.6736956436465572),
    S(12, 0.717911923064442),   S(13, 0.7594049166547071), S(14, 0.7980172272802395),
    S(15, 0.8336023852211194),  S(16, 0.8660254037844387), S(17, 0.8951632913550623),
    S(18, 0.9209055179449536),  S(19, 0.9431544344712774), S(20, 0.961825643172819),
    S(21, 0.9768483177596007),  S(22, 0.9881654720812594), S(23, 0.9957341762950345),
    S(24, 0.9995257197133659)};
static const brink_model_def chain = {.size = sizeof(brink_model_def),
                                      .name = "chain",
                                      .nx = 2 * MASSES,
                                      .x0 = chain_x0,
                                      .rhs = chain_rhs};
const bench_problem bench_chain = {
    .name = "50 oscillators", .def = &chain, .t_end = 100, .time_scale = 1, .known_time = NAN};
