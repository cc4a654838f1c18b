/* stiff.c: see stiff.h. */
#include "problems/stiff.h"

#include <math.h>
#include <string.h>

/* ---- Robertson's reaction ---- */

static int robertson(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  (void)env;
  double a = 0.04 * x[0], b = 1e4 * x[1] * x[2], c = 3e7 * x[1] * x[1];
  dx[0] = b - a;
  dx[1] = a - b - c;
  dx[2] = c;
  return 0;
}

static void robertson_jacobian(const double *x, double *j) {
  const double values[] = {
      -0.04,      0.04,       0.0,         1e4 * x[2], -1e4 * x[2] - 6e7 * x[1],
      6e7 * x[1], 1e4 * x[1], -1e4 * x[1], 0.0};
  memcpy(j, values, sizeof values);
}

/* ---- Van der Pol's oscillator, mu = 1000 ---- */

static int van_der_pol(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  (void)env;
  dx[0] = x[1];
  dx[1] = 1000.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
  return 0;
}

static void van_der_pol_jacobian(const double *x, double *j) {
  j[0] = 0.0;
  j[1] = -2000.0 * x[0] * x[1] - 1.0;
  j[2] = 1.0;
  j[3] = 1000.0 * (1.0 - x[0] * x[0]);
}

/* ---- HIRES: growth of plant tissue under light ---- */

static int hires(double t, const double *y, const brink_env *env, double *dy) {
  (void)t;
  (void)env;
  dy[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
  dy[1] = 1.71 * y[0] - 8.75 * y[1];
  dy[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
  dy[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
  dy[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
  dy[5] = -280.0 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
  dy[6] = 280.0 * y[5] * y[7] - 1.81 * y[6];
  dy[7] = -dy[6];
  return 0;
}

static void hires_jacobian(const double *y, double *j) {
  memset(j, 0, 64 * sizeof *j);
#define AT(row, column) j[8 * (column) + (row)]
  AT(0, 0) = -1.71, AT(0, 1) = 0.43, AT(0, 2) = 8.32;
  AT(1, 0) = 1.71, AT(1, 1) = -8.75;
  AT(2, 2) = -10.03, AT(2, 3) = 0.43, AT(2, 4) = 0.035;
  AT(3, 1) = 8.32, AT(3, 2) = 1.71, AT(3, 3) = -1.12;
  AT(4, 4) = -1.745, AT(4, 5) = 0.43, AT(4, 6) = 0.43;
  AT(5, 3) = 0.69, AT(5, 4) = 1.71, AT(5, 5) = -280.0 * y[7] - 0.43, AT(5, 6) = 0.69;
  AT(5, 7) = -280.0 * y[5];
  AT(6, 5) = 280.0 * y[7], AT(6, 6) = -1.81, AT(6, 7) = 280.0 * y[5];
  AT(7, 5) = -280.0 * y[7], AT(7, 6) = 1.81, AT(7, 7) = -280.0 * y[5];
#undef AT
}

/* ---- the Oregonator ---- */

static int oregonator(double t, const double *y, const brink_env *env, double *dy) {
  (void)t;
  (void)env;
  dy[0] = 77.27 * (y[1] + y[0] * (1.0 - 8.375e-6 * y[0] - y[1]));
  dy[1] = (y[2] - (1.0 + y[0]) * y[1]) / 77.27;
  dy[2] = 0.161 * (y[0] - y[2]);
  return 0;
}

static void oregonator_jacobian(const double *y, double *j) {
  const double values[] = {77.27 * (1.0 - 2.0 * 8.375e-6 * y[0] - y[1]),
                           -y[1] / 77.27,
                           0.161,
                           77.27 * (1.0 - y[0]),
                           -(1.0 + y[0]) / 77.27,
                           0.0,
                           0.0,
                           1.0 / 77.27,
                           -0.161};
  memcpy(j, values, sizeof values);
}

/* ---- lithium clusters after an electron beam ---- */

static int lithium(double t, const double *x, const brink_env *env, double *dx) {
  (void)t;
  (void)env;
  double r = x[0], m = x[1], f = x[2];
  dx[0] = -0.1 * r + m * f;
  dx[1] = 0.1 * r - m + 0.1 * f * f - m * f;
  dx[2] = 0.1 * r + 2.0 * m - m * f - 0.2 * f * f - 1000.0 * f;
  return 0;
}

static void lithium_jacobian(const double *x, double *j) {
  double m = x[1], f = x[2];
  const double values[] = {
      -0.1, 0.1, 0.1, f, -1.0 - f, 2.0 - f, m, 0.2 * f - m, -m - 0.4 * f - 1000.0};
  memcpy(j, values, sizeof values);
}

/* ---- all of them ---- */

const stiff_problem stiff_problems[STIFF_PROBLEMS] = {
    {.name = "Robertson",
     .nx = 3,
     .x0 = {1.0, 0.0, 0.0},
     .t_end = 4e10,
     .scale = {1e-4, 1e-10, 1e-2},
     .answer = {5.2083451767992391988e-8, 2.083338177925489035e-13, 0.99999994791633989819},
     .rhs = robertson,
     .jacobian = robertson_jacobian},
    {.name = "Van der Pol",
     .nx = 2,
     .x0 = {2.0, 0.0},
     .t_end = 2000.0,
     .scale = {1.0, 1.0},
     .answer = {1.7061677321704650085, -0.00089280970102481654778},
     .rhs = van_der_pol,
     .jacobian = van_der_pol_jacobian},
    {.name = "HIRES",
     .nx = 8,
     .x0 = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057},
     .t_end = 321.8122,
     .scale = {1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4},
     .answer = {0.000737131257332566781, 0.000144248572631618466, 0.0000588872974096757501,
                0.00117565134328314915, 0.00238635619883133047, 0.00623896825274279579,
                0.00284999839518576866, 0.00285000160481423134},
     .rhs = hires,
     .jacobian = hires_jacobian},
    {.name = "Oregonator",
     .nx = 3,
     .x0 = {1.0, 2.0, 3.0},
     .t_end = 360.0,
     .scale = {1e-6, 1e-6, 1e-6},
     .answer = {1.0008148703185227163, 1228.1785215498879837, 132.05549428465082877},
     .rhs = oregonator,
     .jacobian = oregonator_jacobian},
    {.name = "lithium clusters",
     .nx = 3,
     .x0 = {84.99, 1.674, 9.975},
     .t_end = 10.0,
     .scale = {1e-3, 1e-3, 1e-3},
     .answer = {31.755612494065315717, 3.4796713163550167082, 0.010100722052674318563},
     .rhs = lithium,
     .jacobian = lithium_jacobian},
};

static int model_jacobian(double t, const double *x, const brink_env *env, double *values) {
  (void)t;
  const stiff_problem *problem = env->user;
  problem->jacobian(x, values);
  return 0;
}

brink_status stiff_model(const stiff_problem *problem, brink_diag *diag, brink_model **model) {
  size_t n = problem->nx, starts[STIFF_STATES + 1], rows[STIFF_STATES * STIFF_STATES];
  for (size_t j = 0; j <= n; j++) starts[j] = j * n;
  for (size_t k = 0; k < n * n; k++) rows[k] = k % n;
  brink_model_def def = brink_default_model();
  def.name = problem->name;
  def.nx = n;
  def.x0 = problem->x0;
  def.rhs = problem->rhs;
  def.user = (void *)problem;
  def.jacobian = model_jacobian;
  def.jacobian_pattern = (brink_sparsity){.starts = starts, .rows = rows};
  return brink_model_create(&def, NULL, diag, model);
}

double stiff_error(const stiff_problem *problem, const double *x) {
  double worst = 0.0;
  for (size_t i = 0; i < problem->nx; i++) {
    double off = fabs(x[i] - problem->answer[i]) / (fabs(problem->answer[i]) + problem->scale[i]);
    worst = fmax(worst, off);
  }
  return worst;
}
