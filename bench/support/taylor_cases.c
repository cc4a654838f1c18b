/* taylor_cases.c: the cases of the Taylor engine's problems, with their exact answers.
 *
 * Answers are computed in long double from closed forms, with the cases as rounded to double. */
#include <math.h>
#include <stdint.h>

#include "support/taylor_models.h"
#include "support/taylor_problem.h"

#define PI 3.14159265358979323846264338327950288L

/* ---- random numbers: SplitMix64 ---- */

static double uniform(uint64_t *state, double lo, double hi) {
  uint64_t z = (*state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return lo + (hi - lo) * (double)(z >> 11) * 0x1p-53;
}

/* ---- roots ---- */

typedef long double real_fn(long double t, const void *data);

/* A root of f between a and b, where it changes sign, to the last bits. */
static long double root(real_fn *f, const void *data, long double a, long double b) {
  long double fa = f(a, data);
  for (int k = 0; k < 200; k++) {
    long double m = a + (b - a) / 2, fm = f(m, data);
    if (m == a || m == b) break;
    if ((fm > 0) == (fa > 0))
      a = m, fa = fm;
    else
      b = m;
  }
  return a + (b - a) / 2;
}

/* ---- corridor ---- */

/* A straight line to x = 1.75, then a circle of radius 5. The depth of its lowest point below y = -0.4,
 * and when it comes to this line; the walls are further on. */
static void corridor_path(const double *x, long double *depth, long double *contact) {
  long double theta = x[2], bend = (1.75L - x[0]) / cosl(theta);
  long double y1 = x[1] + bend * sinl(theta);
  *depth = -0.4L - (y1 - 5 * (1 - cosl(theta)));
  *contact = bend + 5 * (-acosl(cosl(theta) + (y1 + 0.4L) / 5) - theta);
}

static bool corridor_case(double x, double y, double theta, double shallow, double deep,
                          taylor_case *c) {
  long double depth, contact;
  *c = (taylor_case){.x = {x, y, theta}};
  corridor_path(c->x, &depth, &contact);
  c->event = (double)contact;
  return depth >= shallow && depth <= deep;
}

taylor_problem taylor_corridor(double shallow, double deep, taylor_case *cases) {
  uint64_t state = 1;
  size_t n = 0;
  if (corridor_case(0.0, -0.089, -0.15, shallow, deep, &cases[0])) n = 1;
  for (size_t end = n + 100; n < end;) {
    double a = uniform(&state, -1, 1), b = uniform(&state, -1, 1), c = uniform(&state, -1, 1);
    if (a * a + b * b + c * c > 1) continue;
    if (corridor_case(0.05 * a, -0.089 + 0.05 * b, -0.15 + 0.05 * c, shallow, deep, &cases[n])) n++;
  }
  return (taylor_problem){.name = "corridor",
                          .kind = TAYLOR_CORRIDOR,
                          .model = taylor_corridor_model,
                          .starts = true,
                          .nx = 3,
                          .t_end = 6,
                          .goal_coarse = 0.09,
                          .goal_fine = 0.09,
                          .ncases = n,
                          .cases = cases};
}

/* ---- arm ---- */

static void arm_goals(long double x, long double y, long double *first, long double *second) {
  long double d = hypotl(x, y);
  *first = atan2l(y, x) - acosl((d * d + 1 - 0.64L) / (2 * d));
  *second = atan2l(y - sinl(*first), x - cosl(*first)) - *first;
}

/* Does the inverse kinematics exist on the whole line up to the event, without a jump of an atan2? */
static bool arm_is_smooth(const taylor_case *c) {
  enum { SAMPLES = 1000 };
  long double before[2] = {0}, now[2];
  for (int k = 0; k < SAMPLES; k++) {
    long double t = (long double)c->event * k / SAMPLES;
    long double x = c->x[0] + c->p[0] * t, y = c->x[1] + c->p[1] * t;
    if (hypotl(x, y) < 0.3L) return false;
    arm_goals(x, y, &now[0], &now[1]);
    if (k > 0 && (fabsl(now[0] - before[0]) > 1 || fabsl(now[1] - before[1]) > 1)) return false;
    before[0] = now[0], before[1] = now[1];
  }
  return true;
}

/* |start + v t| = 1.8 */
static double arm_event(const taylor_case *c) {
  long double x = c->x[0], y = c->x[1], vx = c->p[0], vy = c->p[1];
  long double v2 = vx * vx + vy * vy, b = x * vx + y * vy, rest = 1.8L * 1.8L - x * x - y * y;
  return (double)((sqrtl(b * b + v2 * rest) - b) / v2);
}

taylor_problem taylor_arm(taylor_case *cases) {
  static const char *const parameters[] = {"vx", "vy"};
  uint64_t state = 2;
  size_t n = 0;
  while (n < 100) {
    double radius = uniform(&state, 0.4, 1.2), angle = uniform(&state, -3.1, 3.1);
    double speed = uniform(&state, 0.2, 0.6), heading = uniform(&state, -3.1, 3.1);
    long double first, second;
    taylor_case *c = &cases[n];
    *c = (taylor_case){.x = {radius * cos(angle), radius * sin(angle)},
                       .p = {speed * cos(heading), speed * sin(heading)}};
    c->event = arm_event(c);
    arm_goals(c->x[0], c->x[1], &first, &second);
    c->x[2] = (double)first;
    c->x[3] = (double)second;
    if (arm_is_smooth(c)) n++;
  }
  return (taylor_problem){.name = "arm",
                          .kind = TAYLOR_ARM,
                          .model = taylor_arm_model,
                          .parameters = parameters,
                          .nparameters = 2,
                          .starts = true,
                          .nx = 4,
                          .t_end = 30,
                          .goal_coarse = 0.05,
                          .goal_fine = 0.05,
                          .ncases = n,
                          .cases = cases};
}

/* ---- relay ---- */

taylor_problem taylor_relay(taylor_case *cases) {
  cases[0] = (taylor_case){.x = {0.25, 0.0}, .event = (double)NAN};
  return (taylor_problem){.name = "relay",
                          .kind = TAYLOR_RELAY,
                          .model = taylor_relay_model,
                          .nx = 2,
                          .t_end = 100,
                          .goal_coarse = 0.10,
                          .goal_fine = 0.10,
                          .ncases = 1,
                          .cases = cases};
}

/* ---- García ---- */

static long double linear_guard(long double t, const void *alpha) {
  return *(const double *)alpha - 2 * expl(t) * (sinl(t) + cosl(t));
}

static long double nonlinear_guard(long double t, const void *alpha) {
  long double u = t - 2.5L;
  return *(const double *)alpha + 10 * (u - u * u * u * u * u);
}

static long double tangency(bool linear) {
  return linear ? 2 * expl(PI / 2) : 8 * powl(5, -0.25L);
}

double taylor_garcia_tangency(bool linear) {
  return (double)tangency(linear);
}

static taylor_case garcia_case(bool linear, double alpha) {
  bool before = alpha < tangency(linear);
  taylor_case c = {.x = {-2.5, 951.5625}, .p = {alpha}};
  if (linear) {
    c.x[0] = c.x[1] = -2;
    c.event = (double)(before ? root(linear_guard, &alpha, 0, PI / 2)
                              : root(linear_guard, &alpha, 3 * PI / 2, 2 * PI));
  } else {
    long double touch = 2.5L - powl(5, -0.25L);
    c.event = (double)(before ? root(nonlinear_guard, &alpha, 0, touch)
                              : root(nonlinear_guard, &alpha, 3.5L, 5));
  }
  return c;
}

static taylor_problem garcia(bool linear, size_t ncases, const taylor_case *cases) {
  static const char *const parameters[] = {"alpha"};
  return (taylor_problem){.name = linear ? "garcia-linear" : "garcia-nonlinear",
                          .kind = linear ? TAYLOR_GARCIA_LINEAR : TAYLOR_GARCIA_NONLINEAR,
                          .model =
                              linear ? taylor_garcia_linear_model : taylor_garcia_nonlinear_model,
                          .parameters = parameters,
                          .nparameters = 1,
                          .nx = 2,
                          .t_end = 6,
                          .goal_coarse = linear ? 0.03 : (double)NAN,
                          .goal_fine = linear ? 0.03 : (double)NAN,
                          .ncases = ncases,
                          .cases = cases};
}

taylor_problem taylor_garcia_linear(taylor_case *cases) {
  for (int k = 0; k <= 100; k++) cases[k] = garcia_case(true, (900 + k) / 100.0);
  return garcia(true, 101, cases);
}

taylor_problem taylor_garcia_nonlinear(taylor_case *cases) {
  for (int k = 0; k <= 400; k++) cases[k] = garcia_case(false, (400 + k) / 100.0);
  return garcia(false, 401, cases);
}

taylor_problem taylor_garcia_tangent(bool linear, taylor_case *cases) {
  for (int k = 1; k <= 9; k++)
    cases[k - 1] = garcia_case(linear, (double)(tangency(linear) - powl(10, -k)));
  return garcia(linear, 9, cases);
}

/* ---- Hénon-Heiles ---- */

taylor_problem taylor_henon(bool section, taylor_case *cases) {
  double x = 0.1, y = 0.2, vy = 0.1; /* on no axis of symmetry; vx for an energy of 1/8 */
  double vx = sqrt(0.25 - vy * vy - x * x - y * y - 2 * x * x * y + 2 * y * y * y / 3);
  cases[0] = (taylor_case){.x = {x, y, vx, vy}, .event = (double)NAN};
  return (taylor_problem){.name = section ? "henon-section" : "henon",
                          .kind = TAYLOR_HENON,
                          .bare = !section,
                          .model = section ? taylor_henon_section_model : taylor_henon_model,
                          .starts = true,
                          .nx = 4,
                          .t_end = 2000,
                          .goal_coarse = (double)NAN,
                          .goal_fine = (double)NAN,
                          .ncases = 1,
                          .cases = cases};
}

/* ---- judging ---- */

static double henon_energy(const double *x) {
  return (x[2] * x[2] + x[3] * x[3] + x[0] * x[0] + x[1] * x[1]) / 2 + x[0] * x[0] * x[1] -
         x[1] * x[1] * x[1] / 3;
}

static double states_error(const taylor_problem *problem, const double *x) {
  double worst = 0.0;
  for (size_t i = 0; i < problem->nx; i++) {
    double off = fabs(x[i] - problem->exact[i]) / (1.0 + fabs(problem->exact[i]));
    if (!(off <= worst)) worst = off;
  }
  return worst;
}

double taylor_error(const taylor_problem *problem, const taylor_case *c,
                    const taylor_answer *answer) {
  if (!answer->ok || answer->ended == isnan(c->event)) return INFINITY;
  if (problem->exact != NULL) return states_error(problem, answer->x);
  if (problem->kind == TAYLOR_RELAY)
    return fabs(fabs(answer->x[0]) + answer->x[1] * answer->x[1] / 2 - 0.25);
  if (problem->kind == TAYLOR_HENON) return fabs(henon_energy(answer->x) - 0.125);
  return answer->ended ? fabs(answer->t - c->event) : 0.0;
}

bool taylor_is_right(const taylor_problem *problem, const taylor_case *c,
                     const taylor_answer *answer) {
  return taylor_error(problem, c, answer) < 0.1;
}
