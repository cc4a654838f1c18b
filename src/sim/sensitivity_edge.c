/* sensitivity_edge.c: events at which the motion ends by itself.
 *
 * A tank that empties by h' = -a sqrt(h) reaches h = 0 with speed 0, and M = sqrt(h/h0) is 0 there, too: dT =
 * -g_x M/(g_x f) is 0/0. A shot that slows down to the speed of sound does so ever faster, and f and M are
 * infinite. Both have limits. Let q(t) = -(g_x M + g_p P)/(g_x f + g_t) along the step: the derivative of the
 * time at which g comes to the level that it has at t. So q(T) = dT, and M + f q, the derivative of the state
 * at which the level is reached, has the limit dx(T), the state of the event moving with it. Both are computed
 * at T - w/2, T - w/4, …, w being the length of the step, and extrapolated to T (Neville 1934): in powers of
 * T - t or, where the field grows, of its root. Where a surface is grazed, q doubles with each of these
 * points, as g_x f goes to 0 and the numerator does not: then there is no limit. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/sensitivity_parts.h"

enum { POINTS = BRINK_EDGE_POINTS };

void brink_sensitivity_path_field(const brink_sensitivity *s, double *f) {
  const brink_path *path = &s->sim->last;
  double c[BRINK_PATH_DEGREE + 2], sigma = (s->sim->t - path->t0) / path->h;
  for (size_t i = 0; i < path->n; i++) {
    brink_path_component(path, i, c);
    f[i] = 0.0;
    for (int k = path->degree; k > 0; k--) f[i] = f[i] * sigma + k * c[k];
    f[i] /= path->h;
  }
}

/* Numerators into `dg`, the rate, and the field into s->f_after, at time t of the last step, for M = m. */
static bool look_at(brink_sensitivity *s, size_t guard, double t, const double *m, double *dg,
                    double *rate) {
  brink_eval *eval = &s->sim->eval;
  const brink_path *path = &s->sim->last;
  double one = 1.0;
  brink_path_eval(path, (t - path->t0) / path->h, s->x);
  if (brink_held_field(eval, t, s->x, s->f_after) != BRINK_TRY_OK) return false;
  brink_tangents moving = {.count = 1, .t = &one, .x = s->f_after};
  brink_tangents along = {.count = s->count, .t = s->zeros, .x = m, .p = s->p};
  return brink_tangent_guard(&s->tangent, guard, t, s->x, &moving, rate) == BRINK_TRY_OK &&
         brink_tangent_guard(&s->tangent, guard, t, s->x, &along, dg) == BRINK_TRY_OK;
}

/* Has everything about the guard become small since the step began, or large, or exactly nothing? */
static bool is_suspicious(brink_sensitivity *s, const brink_moving_hit *hit, const double *dg) {
  double rate, largest = 0.0, end = 0.0;
  if (hit->rate == 0.0) return true;
  double *row = s->tau; /* not known yet */
  if (!look_at(s, hit->guard, s->from_t, s->from_m, row, &rate)) return false;
  for (size_t k = 0; k < s->count; k++) {
    if (!(fabs(row[k]) > largest)) continue;
    largest = fabs(row[k]);
    end = fabs(dg[k]);
  }
  double slower = fabs(hit->rate) / fabs(rate), smaller = end / largest;
  return (slower < 1e-3 && smaller < 1e-2) || (slower > 1e2 && smaller > 1e1);
}

/* The values of one column at distances 1, 1/2, 1/4, … of some length, extrapolated to 0; false: they grow. */
static bool limit_of(const double *column, size_t stride, double power, double *limit) {
  double q[POINTS];
  for (size_t j = 0; j < POINTS; j++) q[j] = column[j * stride];
  double last = fabs(q[POINTS - 1] - q[POINTS - 2]), before = fabs(q[POINTS - 2] - q[POINTS - 3]);
  double noise = 1e-9 * (fabs(q[POINTS - 1]) + fabs(q[0]));
  if (!(last <= 0.75 * before + noise)) return false;
  for (int order = 1; order < POINTS; order++) {
    double factor = 1.0 / (pow(2.0, power * order) - 1.0);
    for (int j = POINTS - 1; j >= order; j--) q[j] += (q[j] - q[j - 1]) * factor;
  }
  *limit = q[POINTS - 1];
  return isfinite(*limit);
}

/* q and M + f q at all points; *power becomes that of T - t to extrapolate in. */
static bool follow(brink_sensitivity *s, size_t guard, double *power) {
  size_t nx = s->sim->model->def.nx, count = s->count;
  double end = s->sim->t, w = end - s->from_t, rate = 0.0, before = 0.0;
  memcpy(s->m, s->from_m, nx * count * sizeof *s->m);
  s->t = s->from_t;
  for (size_t j = 0; j < POINTS; j++) {
    double t = end - ldexp(w, -(int)j - 1), *q = &s->edge_table[j * (1 + nx) * count];
    before = rate;
    brink_sensitivity_flow(s, t);
    if (!look_at(s, guard, t, s->m, q, &rate)) return false;
    for (size_t k = 0; k < count; k++) {
      q[k] = brink_sensitivity_quotient(q[k], rate);
      for (size_t i = 0; i < nx; i++)
        q[(1 + i) * count + k] = s->m[i * count + k] + s->f_after[i] * q[k];
    }
  }
  *power = fabs(rate) > 1.2 * fabs(before) ? 0.5 : 1.0;
  return true;
}

bool brink_sensitivity_edge(brink_sensitivity *s, const brink_moving_hit *hit, bool rough,
                            double *tau) {
  const brink_sim *sim = s->sim;
  size_t nx = sim->model->def.nx, count = s->count, stride = (1 + nx) * count;
  double w = sim->t - s->from_t, h = s->h, power = 1.0;
  unsigned limits = s->limits;
  if (s->nhits > 1 || nx * count == 0 || sim->last.terms == 0 ||
      !(ldexp(w, -POINTS) > 16.0 * DBL_EPSILON * fabs(sim->t)) ||
      !(rough || s->gave_up || is_suspicious(s, hit, tau)))
    return false;
  bool gave_up = s->gave_up, found = follow(s, hit->guard, &power);
  memcpy(s->m, s->before, nx * count * sizeof *s->m);
  s->t = sim->t;
  s->h = h;
  s->limits = limits;
  s->gave_up = gave_up;
  for (size_t k = 0; found && k < count; k++)
    found = limit_of(&s->edge_table[k], stride, power, &s->tau[k]);
  if (!found) return false;
  for (size_t e = 0; e < nx * count; e++) {
    const double *column = &s->edge_table[count + e];
    if (!limit_of(column, stride, power, &s->moved[e])) s->moved[e] = column[(POINTS - 1) * stride];
  }
  memcpy(tau, s->tau, count * sizeof *tau);
  return s->edge = true;
}
