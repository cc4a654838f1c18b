/* taylor_functions.c: right-hand sides and root functions by hand, for CVODE, with constants in the text. */
#include "support/taylor_functions.h"

#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>

static taylor_verdict stop_at_root(taylor_situation *now, const double *y, const int *found) {
  (void)now, (void)y, (void)found;
  return TAYLOR_STOP;
}

static taylor_verdict note_root(taylor_situation *now, const double *y, const int *found) {
  (void)now, (void)y, (void)found;
  return TAYLOR_GO_ON;
}

/* ---- corridor: the line where the steering changes, and three walls ---- */

static int corridor_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  const double *x = NV_DATA_S(y);
  double *dx = NV_DATA_S(dy);
  (void)t;
  dx[0] = cos(x[2]);
  dx[1] = sin(x[2]);
  dx[2] = ((const taylor_situation *)user)->mode != 0 ? 0.2 : 0.0;
  return 0;
}

static int corridor_roots(realtype t, N_Vector y, realtype *g, void *user) {
  const double *x = NV_DATA_S(y);
  (void)t, (void)user;
  g[0] = x[0] - 1.75;
  g[1] = x[1] - 0.5;
  g[2] = x[0] - 3.5;
  g[3] = x[1] + 0.4;
  return 0;
}

/* The line y = -0.4 is a wall up to x = 2.8 only. */
static taylor_verdict corridor_at_root(taylor_situation *now, const double *x, const int *found) {
  if (found[1] != 0 || found[2] != 0 || (found[3] != 0 && x[0] <= 2.8)) return TAYLOR_STOP;
  if (found[0] == 0) return TAYLOR_GO_ON;
  now->mode = 1;
  return TAYLOR_RESTART;
}

/* ---- arm ---- */

/* The inverse kinematics does not exist out of reach, but CVODE goes there in search of the root: the
 * argument of acos is clamped, as everybody does it. */
static int arm_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  const double *x = NV_DATA_S(y), *p = ((const taylor_situation *)user)->p;
  double *dx = NV_DATA_S(dy);
  double square = x[0] * x[0] + x[1] * x[1];
  double cosine = (square + 0.36) / (2.0 * sqrt(square));
  double goal = atan2(x[1], x[0]) - acos(cosine < 1.0 ? cosine : 1.0);
  (void)t;
  dx[0] = p[0];
  dx[1] = p[1];
  dx[2] = 5.0 * (goal - x[2]);
  dx[3] = 5.0 * (atan2(x[1] - sin(goal), x[0] - cos(goal)) - goal - x[3]);
  return 0;
}

static int arm_roots(realtype t, N_Vector y, realtype *g, void *user) {
  const double *x = NV_DATA_S(y);
  (void)t, (void)user;
  g[0] = x[0] * x[0] + x[1] * x[1] - 3.24;
  return 0;
}

/* ---- relay ---- */

static int relay_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  double *dx = NV_DATA_S(dy);
  (void)t;
  dx[0] = NV_DATA_S(y)[1];
  dx[1] = ((const taylor_situation *)user)->mode == 0 ? -1.0 : 1.0;
  return 0;
}

static int relay_roots(realtype t, N_Vector y, realtype *g, void *user) {
  (void)t, (void)user;
  g[0] = NV_DATA_S(y)[0];
  return 0;
}

static taylor_verdict relay_at_root(taylor_situation *now, const double *y, const int *found) {
  (void)y, (void)found;
  now->mode = !now->mode;
  return TAYLOR_RESTART;
}

/* ---- García: the run ends at the event, so that the field behind it is never needed ---- */

static int linear_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  const double *x = NV_DATA_S(y);
  double *dx = NV_DATA_S(dy);
  (void)t, (void)user;
  dx[0] = x[0] - x[1];
  dx[1] = x[0] + x[1];
  return 0;
}

static int nonlinear_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  double *dx = NV_DATA_S(dy), square = NV_DATA_S(y)[0] * NV_DATA_S(y)[0];
  (void)t, (void)user;
  dx[0] = 1.0;
  dx[1] = 10.0 - 50.0 * square * square;
  return 0;
}

static int garcia_roots(realtype t, N_Vector y, realtype *g, void *user) {
  (void)t;
  g[0] = NV_DATA_S(y)[1] + ((const taylor_situation *)user)->p[0];
  return 0;
}

/* ---- spirals: parameters k1, w1, k2, w2, d; steady: v1, s1, v2, s2, d ---- */

static int spirals_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  const double *x = NV_DATA_S(y), *p = ((const taylor_situation *)user)->p;
  double *dx = NV_DATA_S(dy), off = x[3] - p[4];
  double v1 = p[0] * sqrt(x[0] * x[0] + x[1] * x[1]);
  double v2 = p[2] * sqrt(off * off + x[4] * x[4]);
  (void)t;
  dx[0] = v1 * cos(x[2]);
  dx[1] = v1 * sin(x[2]);
  dx[2] = p[1];
  dx[3] = v2 * cos(x[5]);
  dx[4] = v2 * sin(x[5]);
  dx[5] = p[3];
  return 0;
}

static int steady_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  const double *x = NV_DATA_S(y), *p = ((const taylor_situation *)user)->p;
  double *dx = NV_DATA_S(dy), off = x[3] - p[4];
  (void)t;
  dx[0] = p[0] * cos(x[2]);
  dx[1] = p[0] * sin(x[2]);
  dx[2] = p[1] / sqrt(x[0] * x[0] + x[1] * x[1]);
  dx[3] = p[2] * cos(x[5]);
  dx[4] = p[2] * sin(x[5]);
  dx[5] = p[3] / sqrt(off * off + x[4] * x[4]);
  return 0;
}

static int spirals_roots(realtype t, N_Vector y, realtype *g, void *user) {
  const double *x = NV_DATA_S(y);
  double dx = x[0] - x[3], dy = x[1] - x[4];
  (void)t, (void)user;
  g[0] = dx * dx + dy * dy - 0.04;
  return 0;
}

/* ---- Hénon-Heiles, with its section ---- */

static int henon_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  const double *x = NV_DATA_S(y);
  double *dx = NV_DATA_S(dy);
  (void)t, (void)user;
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = -x[0] - 2.0 * x[0] * x[1];
  dx[3] = -x[1] - x[0] * x[0] + x[1] * x[1];
  return 0;
}

static int henon_roots(realtype t, N_Vector y, realtype *g, void *user) {
  (void)t, (void)user;
  g[0] = NV_DATA_S(y)[0];
  return 0;
}

/* ---- Kepler's problem, with its apsides ---- */

static int kepler_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  const double *x = NV_DATA_S(y);
  double *dx = NV_DATA_S(dy), r2 = x[0] * x[0] + x[1] * x[1], pull = 1.0 / (r2 * sqrt(r2));
  (void)t, (void)user;
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = -x[0] * pull;
  dx[3] = -x[1] * pull;
  return 0;
}

static int kepler_roots(realtype t, N_Vector y, realtype *g, void *user) {
  const double *x = NV_DATA_S(y);
  (void)t, (void)user;
  g[0] = x[0] * x[2] + x[1] * x[3];
  return 0;
}

/* ---- Lorenz, with its section ---- */

static int lorenz_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  const double *x = NV_DATA_S(y);
  double *dx = NV_DATA_S(dy);
  (void)t, (void)user;
  dx[0] = 10.0 * (x[1] - x[0]);
  dx[1] = x[0] * (28.0 - x[2]) - x[1];
  dx[2] = x[0] * x[1] - 2.6666666666666665 * x[2];
  return 0;
}

static int lorenz_roots(realtype t, N_Vector y, realtype *g, void *user) {
  (void)t, (void)user;
  g[0] = NV_DATA_S(y)[2] - 27.0;
  return 0;
}

/* ---- the outer solar system, with apsides about the Sun: positions, then velocities ---- */

static int solar_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  enum { N = TAYLOR_BODIES };
  const double *x = NV_DATA_S(y);
  double *dx = NV_DATA_S(dy), *a = dx + 3 * N;
  (void)t, (void)user;
  memcpy(dx, x + 3 * N, 3 * N * sizeof *dx);
  memset(a, 0, 3 * N * sizeof *a);
  for (int i = 0; i < N; i++) {
    for (int j = i + 1; j < N; j++) {
      double d[3], r2 = 0.0;
      for (int k = 0; k < 3; k++) d[k] = x[3 * j + k] - x[3 * i + k];
      for (int k = 0; k < 3; k++) r2 += d[k] * d[k];
      double pull = 1.0 / (r2 * sqrt(r2));
      for (int k = 0; k < 3; k++) {
        a[3 * i + k] += taylor_solar_masses[j] * pull * d[k];
        a[3 * j + k] -= taylor_solar_masses[i] * pull * d[k];
      }
    }
  }
  return 0;
}

static int solar_roots(realtype t, N_Vector y, realtype *g, void *user) {
  enum { N = TAYLOR_BODIES };
  const double *x = NV_DATA_S(y), *v = x + 3 * N;
  (void)t, (void)user;
  for (int i = 1; i < N; i++) {
    g[i - 1] = 0.0;
    for (int k = 0; k < 3; k++) g[i - 1] += (x[3 * i + k] - x[k]) * (v[3 * i + k] - v[k]);
  }
  return 0;
}

/* ---- a ring of masses: positions, then velocities ---- */

static int ring_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  size_t n = ((const taylor_situation *)user)->problem->nx / 2;
  const double *x = NV_DATA_S(y), *v = x + n;
  double *dx = NV_DATA_S(dy), *a = dx + n, left = x[0] - x[n - 1];
  (void)t;
  left += left * left * left;
  for (size_t i = 0; i < n; i++) {
    double stretch = (i + 1 < n ? x[i + 1] : x[0]) - x[i];
    double right = stretch + stretch * stretch * stretch;
    dx[i] = v[i];
    a[i] = right - left;
    left = right;
  }
  return 0;
}

/* ---- a circle and straight lines beside it, one in ten across it ---- */

static int circle_rhs(realtype t, N_Vector y, N_Vector dy, void *user) {
  (void)t, (void)user;
  NV_DATA_S(dy)[0] = NV_DATA_S(y)[1];
  NV_DATA_S(dy)[1] = -NV_DATA_S(y)[0];
  return 0;
}

/* What the lines are made of is in the parameters: three numbers for each. */
static int lines_roots(realtype t, N_Vector y, realtype *g, void *user) {
  const taylor_problem *problem = ((const taylor_situation *)user)->problem;
  const double *x = NV_DATA_S(y), *line = problem->lines;
  (void)t;
  for (size_t k = 0; k < problem->nroots; k++, line += 3)
    g[k] = line[0] * x[0] + line[1] * x[1] + line[2];
  return 0;
}

static const taylor_functions by_kind[TAYLOR_KINDS] = {
    [TAYLOR_CORRIDOR] = {corridor_rhs, corridor_roots, 4, {1, 1, 1, -1}, corridor_at_root},
    [TAYLOR_ARM] = {arm_rhs, arm_roots, 1, {1}, stop_at_root},
    [TAYLOR_RELAY] = {relay_rhs, relay_roots, 1, {0}, relay_at_root},
    [TAYLOR_GARCIA_LINEAR] = {linear_rhs, garcia_roots, 1, {-1}, stop_at_root},
    [TAYLOR_GARCIA_NONLINEAR] = {nonlinear_rhs, garcia_roots, 1, {-1}, stop_at_root},
    [TAYLOR_SPIRALS] = {spirals_rhs, spirals_roots, 1, {-1}, stop_at_root},
    [TAYLOR_SPIRALS_STEADY] = {steady_rhs, spirals_roots, 1, {-1}, stop_at_root},
    [TAYLOR_HENON] = {henon_rhs, henon_roots, 1, {1}, note_root},
    [TAYLOR_KEPLER] = {kepler_rhs, kepler_roots, 1, {-1}, note_root},
    [TAYLOR_LORENZ] = {lorenz_rhs, lorenz_roots, 1, {-1}, note_root},
    [TAYLOR_SOLAR] = {solar_rhs, solar_roots, 0, {0}, note_root},
    [TAYLOR_RING] = {ring_rhs, NULL, 0, {0}, note_root},
    [TAYLOR_LINES] = {circle_rhs, lines_roots, 0, {0}, note_root},
};

const taylor_functions *taylor_functions_of(taylor_kind kind) {
  return &by_kind[kind];
}
