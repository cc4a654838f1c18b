/* reach.c: which guards a step can reach at all (see reach.h). */
#include "event/reach.h"

#include <math.h>
#include <string.h>

/* Near is what concerns a detector: near misses, and the largest distance that a gain keeps, in
 * tolerances. */
#define ZONE(reach) fmax((reach)->options->near_miss, 128.0)

/* ---- what is known about a guard once and for all ---- */

/* The sum of a plain guard's Lipschitz bounds; negative if it has none. */
static double plain_bound(const brink_guard_def *def) {
  if (def->coefficients == NULL && def->lipschitz == NULL) return -1.0;
  double sum = def->coefficients != NULL ? fabs(def->time_coefficient) : def->lipschitz_time;
  for (size_t k = 0; k < def->ndepends; k++)
    sum += def->coefficients != NULL ? fabs(def->coefficients[k]) : def->lipschitz[k];
  return sum;
}

/* A formula moves no faster than the fastest of its leaves. */
static double formula_bound(const brink_model *model, const brink_guard *guard) {
  double most = 0.0;
  for (size_t k = 0; k < guard->formula_length; k++) {
    if (guard->formula[k].op != 0) continue;
    double bound = plain_bound(&model->guards[guard->formula[k].leaf].def);
    if (bound < 0.0) return -1.0;
    most = fmax(most, bound);
  }
  return most;
}

static bool is_quadratic(const brink_guard *guard) {
  return guard->formula == NULL && guard->def.degree == 2;
}

static bool uses_time(const brink_guard_def *def) {
  return def->time_coefficient != 0.0 || def->lipschitz_time != 0.0 || def->degree == 2;
}

bool brink_reach_create(brink_reach *reach, const brink_options *options, const double *atol,
                        brink_eval *eval, brink_arena *arena) {
  const brink_model *model = eval->model;
  size_t count = model->def.nguards;
  *reach = (brink_reach){.eval = eval, .options = options, .atol = atol};
  reach->safe = brink_arena_take(arena, count, sizeof(double));
  reach->lipschitz = brink_arena_take(arena, count, sizeof(double));
  reach->curvature = brink_arena_take(arena, count, sizeof(double));
  reach->gradient = brink_arena_take(arena, 2 * (model->max_depends + 1), sizeof(double));
  reach->moved = brink_arena_take(arena, eval->n, sizeof(double));
  reach->near = brink_arena_take(arena, count, sizeof(bool));
  if (reach->safe == NULL || reach->lipschitz == NULL || reach->curvature == NULL ||
      reach->gradient == NULL || reach->moved == NULL || reach->near == NULL)
    return false;
  for (size_t k = 0; k < count; k++) {
    const brink_guard *guard = &model->guards[k];
    reach->lipschitz[k] =
        guard->formula == NULL ? plain_bound(&guard->def) : formula_bound(model, guard);
    reach->any = reach->any || reach->lipschitz[k] >= 0.0 || is_quadratic(guard);
    reach->time = reach->time || uses_time(&guard->def);
    reach->near[k] = true;
  }
  /* A gain of one's own limits steps however far the surface is. */
  if (options->gain == BRINK_GAIN_FIXED) reach->any = false;
  brink_reach_reset(reach);
  return true;
}

void brink_reach_reset(brink_reach *reach) {
  reach->travelled = 0.0;
  for (size_t k = 0; k < reach->eval->model->def.nguards; k++) {
    reach->safe[k] = -1.0;
    reach->curvature[k] = -1.0;
  }
}

/* ---- safe distances ---- */

/* What the run's tolerances amount to in a guard that moves no faster than `bound`. */
static double tolerance_bound(const brink_reach *reach, double bound, const double *x) {
  double most = 0.0;
  for (size_t i = 0; i < reach->eval->nx; i++) {
    double weight = reach->options->rtol * fabs(x[i]) + reach->atol[i];
    most = weight > most ? weight : most;
  }
  return bound * most;
}

/* sum_ij |H_ij| of a quadratic guard, time included, from differences of its gradient, which are
 * exact but for rounding. */
static double total_curvature(brink_reach *reach, size_t guard, double t, const double *x) {
  brink_eval *eval = reach->eval;
  const brink_guard_def *def = &eval->model->guards[guard].def;
  size_t n = def->ndepends;
  double *at = reach->gradient, *there = at + n + 1, sum = 0.0;
  if (brink_eval_gradient(eval, guard, t, x, at, &at[n]) != BRINK_TRY_OK) return INFINITY;
  memcpy(reach->moved, x, eval->nx * sizeof *x);
  for (size_t j = 0; j <= n; j++) {
    double later = j == n ? t + 1.0 : t;
    if (j < n) reach->moved[def->depends[j]] = x[def->depends[j]] + 1.0;
    if (brink_eval_gradient(eval, guard, later, reach->moved, there, &there[n]) != BRINK_TRY_OK)
      return INFINITY;
    for (size_t i = 0; i <= n; i++) sum += fabs(there[i] - at[i]);
    if (j < n) reach->moved[def->depends[j]] = x[def->depends[j]];
  }
  return sum * (1.0 + 1e-9);
}

/* The largest r with A r + B r^2/2 <= room: |g| cannot fall by more than `room` within it. */
static double quadratic_distance(brink_reach *reach, size_t guard, double g, double t,
                                 const double *x) {
  const brink_guard_def *def = &reach->eval->model->guards[guard].def;
  if (reach->curvature[guard] < 0.0) reach->curvature[guard] = total_curvature(reach, guard, t, x);
  double b = reach->curvature[guard], a, rate;
  if (!isfinite(b) ||
      brink_eval_gradient(reach->eval, guard, t, x, reach->gradient, &rate) != BRINK_TRY_OK)
    return -1.0;
  a = fabs(rate);
  for (size_t k = 0; k < def->ndepends; k++) a += fabs(reach->gradient[k]);
  double room = fabs(g) - ZONE(reach) * tolerance_bound(reach, a, x);
  if (!(room > 0.0)) return -1.0;
  return 2.0 * room / (a + sqrt(a * a + 2.0 * b * room));
}

void brink_reach_note(brink_reach *reach, size_t guard, double g, double t, const double *x) {
  double bound = reach->lipschitz[guard], distance = -1.0;
  if (bound >= 0.0) {
    double room = fabs(g) - ZONE(reach) * tolerance_bound(reach, bound, x);
    distance = room / fmax(bound, 1e-300);
  } else if (is_quadratic(&reach->eval->model->guards[guard])) {
    distance = quadratic_distance(reach, guard, g, t, x);
  }
  bool known = distance > 0.0;
  reach->safe[guard] = known ? reach->travelled + distance * (1.0 - 1e-9) : -1.0;
}

/* ---- steps ---- */

double brink_reach_of(brink_reach *reach, const brink_path *path) {
  size_t nx = reach->eval->nx;
  double *restrict moved = reach->moved;
  memset(moved, 0, nx * sizeof *moved);
  for (int l = 0; l < path->terms; l++) {
    const double *restrict a = path->a[l];
    double bound = path->bound[l];
    for (size_t i = 0; i < nx; i++) moved[i] += fabs(a[i]) * bound;
  }
  double most = reach->time ? path->h : 0.0;
  for (size_t i = 0; i < nx; i++) most = moved[i] > most ? moved[i] : most;
  return most;
}

void brink_reach_mark(brink_reach *reach, double distance) {
  double end = reach->travelled + distance;
  size_t count = reach->eval->model->def.nguards;
  for (size_t k = 0; k < count; k++) reach->near[k] = !(end < reach->safe[k]);
}
