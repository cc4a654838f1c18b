/* sensitivity_edge.c: the time of an event at which the motion ends by itself.
 *
 * A tank that empties by h' = -a sqrt(h) reaches h = 0 with speed 0, and M = sqrt(h/h0) is 0 there, too: dT =
 * -g_x M/(g_x f) is 0/0. It has a limit. Let q(t) = -(g_x M + g_p P)/(g_x f + g_t) along the step: this is
 * the derivative of the time at which g comes to the level that it has at t, so that q(T) = dT, and q is
 * smooth up to T if levels are passed smoothly in time. So q is computed at T - w/2, T - w/4, …, w being the
 * length of the step, and extrapolated to T (Neville 1934). Where a surface is grazed, q doubles with each
 * of these steps instead, as g_x f goes to 0 and the numerator does not: then there is no limit. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/sensitivity_parts.h"

enum { POINTS = 7 };

/* Numerators into `dg`, and the rate, at time t of the last step, where M is s->m. */
static bool look_at(brink_sensitivity *s, size_t guard, double t, double *dg, double *rate) {
  brink_eval *eval = &s->sim->eval;
  const brink_path *path = &s->sim->last;
  double one = 1.0;
  brink_path_eval(path, (t - path->t0) / path->h, s->x);
  if (brink_held_field(eval, t, s->x, s->f_after) != BRINK_TRY_OK) return false;
  brink_tangents moving = {.count = 1, .t = &one, .x = s->f_after};
  brink_tangents along = {.count = s->count, .t = s->zeros, .x = s->m, .p = s->p};
  return brink_tangent_guard(&s->tangent, guard, t, s->x, &moving, rate) == BRINK_TRY_OK &&
         brink_tangent_guard(&s->tangent, guard, t, s->x, &along, dg) == BRINK_TRY_OK;
}

/* Has everything about the guard become small since the step began, or exactly nothing? */
static bool is_suspicious(brink_sensitivity *s, const brink_moving_hit *hit, const double *dg) {
  double rate, largest = 0.0, end = 0.0;
  if (hit->rate == 0.0) return true;
  double *row = s->tau; /* not known yet */
  if (!look_at(s, hit->guard, s->from_t, row, &rate)) return false;
  for (size_t k = 0; k < s->count; k++) {
    if (!(fabs(row[k]) > largest)) continue;
    largest = fabs(row[k]);
    end = fabs(dg[k]);
  }
  return fabs(hit->rate) < 1e-3 * fabs(rate) && end < 1e-2 * largest;
}

/* The values q[j] at distances 1, 1/2, 1/4, … of some length, extrapolated to 0; false: they grow. */
static bool limit_of(double *q, double *limit) {
  double last = fabs(q[POINTS - 1] - q[POINTS - 2]), before = fabs(q[POINTS - 2] - q[POINTS - 3]);
  double noise = 1e-10 * fabs(q[POINTS - 1]);
  if (!(last <= 0.75 * before + noise)) return false;
  for (int order = 1; order < POINTS; order++) {
    double factor = 1.0 / (ldexp(1.0, order) - 1.0);
    for (int j = POINTS - 1; j >= order; j--) q[j] += (q[j] - q[j - 1]) * factor;
  }
  *limit = q[POINTS - 1];
  return isfinite(*limit);
}

/* q at all points, column by column of `table` (POINTS rows). */
static bool follow(brink_sensitivity *s, size_t guard, double *table) {
  double end = s->sim->t, w = end - s->from_t, rate;
  size_t entries = s->sim->model->def.nx * s->count;
  memcpy(s->m, s->from_m, entries * sizeof *s->m);
  s->t = s->from_t;
  for (int j = 0; j < POINTS; j++) {
    double t = end - ldexp(w, -j - 1), *row = &table[(size_t)j * s->count];
    brink_sensitivity_flow(s, t);
    if (!look_at(s, guard, t, row, &rate)) return false;
    for (size_t k = 0; k < s->count; k++) row[k] = brink_sensitivity_quotient(row[k], rate);
  }
  return true;
}

bool brink_sensitivity_edge(brink_sensitivity *s, const brink_moving_hit *hit, double *tau) {
  const brink_sim *sim = s->sim;
  size_t entries = sim->model->def.nx * s->count;
  double w = sim->t - s->from_t, h = s->h, q[POINTS];
  unsigned limits = s->limits;
  if (s->nhits > 1 || entries == 0 || sim->last.terms == 0 ||
      !(ldexp(w, -POINTS) > 16.0 * DBL_EPSILON * fabs(sim->t)) || !is_suspicious(s, hit, tau))
    return false;
  bool found = follow(s, hit->guard, s->hit_tau + s->count); /* rows of later hits, if any */
  for (size_t k = 0; found && k < s->count; k++) {
    for (size_t j = 0; j < POINTS; j++) q[j] = s->hit_tau[(j + 1) * s->count + k];
    found = limit_of(q, &s->tau[k]);
  }
  memcpy(s->m, s->before, entries * sizeof *s->m);
  s->t = sim->t;
  s->h = h;
  s->limits = limits;
  if (found) memcpy(tau, s->tau, s->count * sizeof *tau);
  return found;
}
