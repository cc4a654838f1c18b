/* sensitivity_flow.c: M' = f_x M + f_p P along the dense output of a step.
 *
 * The state is known: a polynomial in time (sim->last). So the equation is linear with coefficients that are
 * smooth in the whole step, however far that goes, and steps of Taylor series go far. It is integrated by
 * extrapolation of the midpoint rule (Gragg 1965; Bulirsch & Stoer 1966; Hairer, Norsett & Wanner 1993,
 * section II.9): with n = 2, 4, 6, … substeps of H/n the error is a series in (H/n)^2, and each further n
 * gains two orders. Rows are added until the last two entries of the table agree, or H is halved.
 * Deviation: without Gragg's smoothing step, so that nothing is evaluated at the end of the step, where the
 * field may end (sqrt at the edge of its domain); the expansion in even powers holds all the same, as n is even.
 *
 * The error of entry (i, k) is measured against its own size and a small part of the size of its column, in
 * units of the states' sizes, so that neither units of states nor those of directions count. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/sensitivity_parts.h"

#define STALLS 2       /* halvings in vain */
#define SMALLEST 1e-12 /* substep, relative to the step */
#define SUBSTEPS 2000  /* of one step */
#define ACCURATE 1e-7  /* relative: a substep with a larger error is reported */

bool brink_sensitivity_take_flow(brink_sensitivity *s) {
  size_t nx = s->sim->model->def.nx, entries = nx * s->count;
  s->x = brink_arena_take(&s->arena, nx, sizeof(double));
  s->y0 = brink_arena_take(&s->arena, entries, sizeof(double));
  s->y1 = brink_arena_take(&s->arena, entries, sizeof(double));
  s->from_m = brink_arena_take(&s->arena, entries, sizeof(double));
  s->slope = brink_arena_take(&s->arena, entries, sizeof(double));
  bool taken =
      s->x != NULL && s->y0 != NULL && s->y1 != NULL && s->slope != NULL && s->from_m != NULL;
  for (int k = 0; k < BRINK_SENSITIVITY_ROWS; k++) {
    s->table[k] = brink_arena_take(&s->arena, entries, sizeof(double));
    taken = taken && s->table[k] != NULL;
  }
  return taken;
}

/* The right-hand side, of a matrix y at time t. */
static bool slope_at(brink_sensitivity *s, double t, const double *y) {
  const brink_path *path = &s->sim->last;
  double weights[BRINK_PATH_TERMS];
  brink_path_weights(path, (t - path->t0) / path->h, weights);
  for (size_t i = 0; i < path->n; i++) s->x[i] = brink_path_component_at(path, i, weights);
  brink_tangents along = {.count = s->count, .t = s->zeros, .x = y, .p = s->p};
  return brink_tangent_field(&s->tangent, t, s->x, &along, s->slope) == BRINK_TRY_OK;
}

/* The midpoint rule with n substeps of h from t, into `end`. */
static bool midpoint(brink_sensitivity *s, double t, double h, int n, double *end) {
  size_t entries = s->sim->model->def.nx * s->count;
  double *last = s->y0, *next = s->y1;
  memcpy(last, s->m, entries * sizeof *last);
  if (!slope_at(s, t, last)) return false;
  for (size_t e = 0; e < entries; e++) next[e] = last[e] + h * s->slope[e];
  for (int k = 1; k < n; k++) {
    if (!slope_at(s, t + k * h, next)) return false;
    for (size_t e = 0; e < entries; e++) last[e] += 2.0 * h * s->slope[e];
    double *swap = last;
    last = next;
    next = swap;
  }
  memcpy(end, next, entries * sizeof *end);
  return true;
}

/* How much the last two entries of a row differ, in units of the tolerance. */
static double error_of(const brink_sensitivity *s, const double *best, const double *other) {
  size_t nx = s->sim->model->def.nx, count = s->count;
  double worst = 0.0;
  for (size_t k = 0; k < count; k++) {
    double column = 0.0;
    for (size_t i = 0; i < nx; i++) {
      double size = fmax(fabs(best[i * count + k]), fabs(s->m[i * count + k]));
      column = fmax(column, size / s->tangent.size[i]);
    }
    for (size_t i = 0; i < nx; i++) {
      size_t e = i * count + k;
      double size = fmax(fmax(fabs(best[e]), fabs(s->m[e])), 1e-3 * column * s->tangent.size[i]);
      double error = fabs(best[e] - other[e]);
      if (error > 0.0) worst = fmax(worst, error / (s->rtol * size));
      if (isnan(error)) return (double)INFINITY;
    }
  }
  return worst;
}

/* One substep of h; *rows becomes how many it took. The result is in table[0]; its error is returned. */
static double extrapolate(brink_sensitivity *s, double t, double h, int *rows) {
  size_t entries = s->sim->model->def.nx * s->count;
  double error = (double)INFINITY, before = (double)INFINITY;
  for (int j = 0; j < BRINK_SENSITIVITY_ROWS; j++) {
    *rows = j + 1;
    if (!midpoint(s, t, h / (2 * j + 2), 2 * j + 2, s->table[j])) return (double)INFINITY;
    /* table[i] becomes the entry of this row with i nodes fewer: towards table[0], the best. */
    for (int i = j - 1; i >= 0; i--) {
      double ratio = (double)(j + 1) / (double)(i + 1);
      double factor = 1.0 / (ratio * ratio - 1.0);
      double *to = s->table[i], *from = s->table[i + 1];
      for (size_t e = 0; e < entries; e++) to[e] = from[e] + (from[e] - to[e]) * factor;
    }
    if (j < 2) continue;
    error = error_of(s, s->table[0], s->table[1]);
    if (error <= 1.0) return error;
    if (j >= 4 && !(error < 0.5 * before)) return error;
    before = error;
  }
  return error;
}

static void grow_sizes(brink_sensitivity *s) {
  const double *x = s->sim->x;
  for (size_t i = 0; i < s->sim->model->def.nx; i++)
    s->tangent.size[i] = fmax(s->tangent.size[i], fabs(x[i]));
}

/* One substep, of h at most. Where halving h does not help, rounding of the dense output or of differences
 * decides, or the field ends: then the result is taken as it is, and said to be inaccurate if it is; *noise is
 * what later substeps have to put up with, too. */
static void advance(brink_sensitivity *s, double end, double h, double least, double *noise) {
  size_t entries = s->sim->model->def.nx * s->count;
  double before = (double)INFINITY, first = h;
  for (int stalls = 0;; h *= 0.5) {
    int rows;
    double error = extrapolate(s, s->t, h, &rows);
    if (isfinite(before) && error > 0.25 * before) stalls++;
    before = error;
    bool good = error <= fmax(1.0, *noise), stalled = isfinite(error) && stalls >= STALLS;
    if (!good && !stalled && 0.5 * h > least) continue;
    if (stalled && !good) *noise = 2.0 * error;
    if (!(error * s->rtol <= ACCURATE)) s->limits |= BRINK_SENSITIVITY_INACCURATE;
    s->gave_up = !isfinite(error); /* the field ends */
    if (s->gave_up) return;
    memcpy(s->m, s->table[0], entries * sizeof *s->m);
    s->t = h == end - s->t ? end : s->t + h;
    s->h = stalled ? first : rows <= 6 ? 2.0 * h : h;
    return;
  }
}

void brink_sensitivity_flow(brink_sensitivity *s, double end) {
  const brink_sim *sim = s->sim;
  size_t entries = sim->model->def.nx * s->count;
  grow_sizes(s);
  if (entries == 0 || s->limits & BRINK_SENSITIVITY_ZENO) s->t = end;
  if (s->t < end && sim->last.terms == 0) {
    s->limits |= BRINK_SENSITIVITY_INACCURATE; /* nobody kept the path */
    s->t = end;
  }
  double least = fmax(4.0 * DBL_EPSILON * fmax(fabs(s->t), fabs(end)), SMALLEST * (end - s->t));
  double noise = 0.0;
  s->gave_up = false;
  for (int budget = SUBSTEPS; s->t < end && budget > 0 && !s->gave_up; budget--) {
    double left = end - s->t, h = s->h > 0.0 ? fmin(s->h, left) : left;
    advance(s, end, left - h < least ? left : h, least, &noise);
  }
  if (s->t < end) s->limits |= BRINK_SENSITIVITY_INACCURATE;
  s->t = end;
}
