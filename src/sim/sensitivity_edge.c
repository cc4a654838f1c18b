/* sensitivity_edge.c: events at which the motion ends by itself.
 *
 * A tank that empties by h' = -a sqrt(h) reaches h = 0 with speed 0, and M = sqrt(h/h0) is 0 there, too: dT =
 * -g_x M/(g_x f) is 0/0. A shot that slows down to the speed of sound does so ever faster, and f and M are
 * infinite. Both have limits. Let q(t) = -(g_x M + g_p P)/(g_x f + g_t) along the step: the derivative of the
 * time at which g comes to the level that it has at t. So q(T) = dT, and M + f q, the derivative of the state
 * at which the level is reached, has the limit dx(T), the state of the event moving with it. Both are computed
 * at some points t before T and extrapolated to it (Neville 1934): in powers of T - t or, where the field
 * grows, of its root. Where a surface is grazed, q doubles whenever T - t halves, as g_x f goes to 0 and the
 * numerator does not: then there is no limit.
 *
 * The points: steps become ever shorter towards an edge, and errors of the run become large, compared with the
 * distance that is left. So the starts of earlier steps are taken, where that distance was still many
 * tolerances. If there are not enough of them, as the solution is a polynomial, say, there is nothing
 * wrong with the last step, and its points T - w/2, T - w/4, … are taken, w being its length. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/sensitivity_parts.h"

enum { POINTS = BRINK_EDGE_POINTS, ENOUGH = 4 };

#define GOOD 1e-9   /* a limit that is known no better is taken only where there is nothing else */
#define FAIR 1e-5   /* the same, where there are few earlier steps to judge by */
#define CLOSE 1e3   /* the same, if there are no others */
#define DISTANT 1e7 /* tolerances; and units of rounding of the time */

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

void brink_sensitivity_remember(brink_sensitivity *s, const double *x) {
  size_t nx = s->sim->model->def.nx, size = nx * (1 + s->count);
  if (s->history == NULL || size == 0) return;
  size_t place = s->nhistory++ % BRINK_SENSITIVITY_HISTORY;
  s->history_t[place] = s->t;
  memcpy(&s->history[place * size], x, nx * sizeof *x);
  memcpy(&s->history[place * size + nx], s->m, nx * s->count * sizeof *x);
}

/* A point before the event: q into the first row of a table, M + f q into the others, and the rate. */
static bool look_at(brink_sensitivity *s, size_t guard, double t, const double *x, const double *m,
                    double *table, double *rate) {
  brink_eval *eval = &s->sim->eval;
  size_t nx = s->sim->model->def.nx, count = s->count;
  double one = 1.0, *f = s->f_after;
  if (!brink_eval_admit(eval, t, x) || brink_held_field(eval, t, x, f) != BRINK_TRY_OK)
    return false;
  brink_tangents moving = {.count = 1, .t = &one, .x = f};
  brink_tangents along = {.count = count, .t = s->zeros, .x = m, .p = s->p};
  if (brink_tangent_guard(&s->tangent, guard, t, x, &moving, rate) != BRINK_TRY_OK ||
      brink_tangent_guard(&s->tangent, guard, t, x, &along, table) != BRINK_TRY_OK)
    return false;
  for (size_t k = 0; k < count; k++) {
    table[k] = brink_sensitivity_quotient(table[k], *rate);
    for (size_t i = 0; i < nx; i++) table[(1 + i) * count + k] = m[i * count + k] + f[i] * table[k];
  }
  return true;
}

/* ---- points ---- */

typedef struct points {
  size_t count; /* from far to near */
  double distance[POINTS], rate[POINTS];
} points;

static size_t table_row(const brink_sensitivity *s) {
  return (1 + s->sim->model->def.nx) * s->count;
}

/* Starts of earlier steps: the nearest that is far enough away, and others at twice the distance each. They
 * are found from near to far, and put in order. */
static points from_history(brink_sensitivity *s, size_t guard, double distant) {
  brink_sim *sim = s->sim;
  points found = {0};
  size_t nx = sim->model->def.nx, size = nx * (1 + s->count), row = table_row(s);
  double least = distant * brink_sim_tolerance(sim, guard, sim->t, sim->x), last = 0.0;
  size_t known = s->nhistory < BRINK_SENSITIVITY_HISTORY ? s->nhistory : BRINK_SENSITIVITY_HISTORY;
  for (size_t k = 1; k <= known && found.count < POINTS; k++) {
    size_t place = (s->nhistory - k) % BRINK_SENSITIVITY_HISTORY;
    const double *x = &s->history[place * size];
    double t = s->history_t[place], distance = sim->t - t;
    size_t slot = POINTS - 1 - found.count;
    if (!(distance >= 2.0 * last) || !(distance > distant * DBL_EPSILON * fabs(t))) continue;
    if (!(fabs(brink_eval_guard(&sim->eval, guard, t, x)) >= least)) continue;
    if (!look_at(s, guard, t, x, x + nx, &s->edge_table[slot * row], &found.rate[slot])) break;
    found.distance[slot] = last = distance;
    found.count++;
  }
  size_t from = POINTS - found.count;
  memmove(found.distance, &found.distance[from], found.count * sizeof(double));
  memmove(found.rate, &found.rate[from], found.count * sizeof(double));
  memmove(s->edge_table, &s->edge_table[from * row], found.count * row * sizeof(double));
  return found;
}

/* Points of the last step; M there is computed once more. */
static points from_last_step(brink_sensitivity *s, size_t guard) {
  const brink_sim *sim = s->sim;
  const brink_path *path = &sim->last;
  points found = {0};
  size_t entries = sim->model->def.nx * s->count;
  double w = sim->t - s->from_t, h = s->h;
  unsigned limits = s->limits;
  if (!(ldexp(w, -POINTS) > 16.0 * DBL_EPSILON * fabs(sim->t))) return found;
  memcpy(s->m, s->from_m, entries * sizeof *s->m);
  s->t = s->from_t;
  for (size_t j = 0; j < POINTS; j++) {
    double t = sim->t - ldexp(w, -(int)j - 1);
    brink_sensitivity_flow(s, t);
    brink_path_eval(path, (t - path->t0) / path->h, s->x);
    if (!look_at(s, guard, t, s->x, s->m, &s->edge_table[j * table_row(s)], &found.rate[j])) break;
    found.distance[j] = sim->t - t;
    found.count++;
  }
  memcpy(s->m, s->before, entries * sizeof *s->m);
  s->t = sim->t;
  s->h = h;
  s->limits = limits;
  return found;
}

/* ---- limits ---- */

/* One column of the table, extrapolated to distance 0, and what that may be off by; false: it grows. */
static bool limit_of(const points *at, const double *column, size_t stride, double power,
                     double *limit, double *off) {
  double q[POINTS] = {0.0}, node[POINTS] = {0.0};
  size_t n = at->count;
  for (size_t j = 0; j < n; j++) {
    q[j] = column[j * stride];
    node[j] = pow(at->distance[j], power);
  }
  double last = fabs(q[n - 1] - q[n - 2]), before = fabs(q[n - 2] - q[n - 3]);
  double noise = 1e-4 * (fabs(q[n - 1]) + fabs(q[0]));
  if (!(last <= 0.9 * before + noise)) return false;
  for (size_t order = 1; order < n; order++) {
    *limit = q[n - 1];
    for (size_t j = n - 1; j >= order; j--)
      q[j] += (q[j] - q[j - 1]) * node[j] / (node[j - order] - node[j]);
  }
  *off = fabs(q[n - 1] - *limit);
  *limit = q[n - 1];
  return isfinite(*limit);
}

/* Has the motion become slow, compared with what it was, or fast, while levels move as they did? Or does it
 * stop? `dg` are the numerators at the event. */
static bool is_suspicious(const brink_sensitivity *s, const points *at,
                          const brink_moving_event *ev, const double *dg) {
  double ratio = fabs(ev->rate) / fabs(at->rate[0]), first = 0.0, last = 0.0;
  if (ev->rate == 0.0) return true;
  for (size_t k = 0; k < s->count; k++) {
    first += fabs(s->edge_table[k]);
    last += fabs(dg[k] / ev->rate);
  }
  return (ratio < 1e-1 || ratio > 1e1) && last < 1e1 * first && first < 1e1 * last;
}

/* Has the motion become slow or fast within the last step? M at its end may then be anything, without a sign of it. For
 * where there are few steps to judge by: one of a Taylor series goes all the way to the edge. */
static bool changes_in_step(brink_sensitivity *s, const brink_moving_event *ev) {
  const brink_path *path = &s->sim->last;
  double rate = 0.0;
  brink_path_eval(path, (s->from_t - path->t0) / path->h, s->x);
  if (!look_at(s, ev->guard, s->from_t, s->x, s->from_m, s->edge_table, &rate)) return false;
  double ratio = fabs(ev->rate) / fabs(rate);
  return ratio < 1e-1 || ratio > 1e1;
}

/* Is what M and f give at the event, by the numerators `dg`, what the limits say, too? Then it is the better one. */
static bool agrees(const brink_sensitivity *s, const brink_moving_event *ev, const double *dg) {
  double size = 0.0, apart = 0.0;
  for (size_t k = 0; k < s->count; k++) {
    size = fmax(size, fabs(s->tau[k]));
    apart = fmax(apart, fabs(s->tau[k] - brink_sensitivity_quotient(dg[k], ev->rate)));
  }
  return apart <= 1e2 * FAIR * size;
}

bool brink_sensitivity_edge(brink_sensitivity *s, const brink_moving_event *ev, bool rough,
                            double *tau) {
  const brink_sim *sim = s->sim;
  size_t nx = sim->model->def.nx, count = s->count, row = table_row(s);
  bool lost = (s->limits & ~s->calm & BRINK_SENSITIVITY_INACCURATE) != 0; /* on the way */
  bool sure = rough || lost || s->gave_up || ev->rate == 0.0, gave_up = s->gave_up;
  if (s->nlocated > 1 || nx * count == 0 || sim->last.terms == 0) return false;
  points at = from_history(s, ev->guard, DISTANT);
  bool few = at.count < ENOUGH;
  double good = few ? FAIR : GOOD;
  if (!sure && !(at.count > 0 && is_suspicious(s, &at, ev, tau)) &&
      !(few && changes_in_step(s, ev)))
    return false;
  for (double near = DISTANT; at.count < ENOUGH && near > CLOSE; near *= 1e-2)
    at = from_history(s, ev->guard, near);
  if (at.count < ENOUGH) at = from_last_step(s, ev->guard);
  s->gave_up = gave_up;
  if (at.count < ENOUGH) return false;
  double off, power = fabs(at.rate[at.count - 1]) > 1.05 * fabs(at.rate[at.count - 2]) ? 0.5 : 1.0;
  for (size_t k = 0; k < count; k++) {
    if (!limit_of(&at, &s->edge_table[k], row, power, &s->tau[k], &off)) return false;
    if (!sure && off > good * fabs(s->tau[k])) return false;
  }
  if (!sure && few && agrees(s, ev, tau)) return false;
  for (size_t e = 0; e < nx * count; e++) {
    const double *column = &s->edge_table[count + e];
    if (!limit_of(&at, column, row, power, &s->moved[e], &off))
      s->moved[e] = column[(at.count - 1) * row];
  }
  memcpy(tau, s->tau, count * sizeof *tau);
  s->limits = s->calm; /* what happened to M on the way does not matter */
  return s->edge = true;
}
