/* indices.c: Sobol' indices: how much of the variance of a measure comes from each knob. See <brink/sweep.h>.
 *
 * Problem: y = f(k_1 … k_n) with independent knobs. S_i = V(E(y | k_i)) / V(y) is what k_i does by itself, and T_i =
 * E(V(y | all but k_i)) / V(y) what it does by itself and with others.
 * Method: of N samples A and B of all knobs, and A with its i-th knob from B (design.c),
 *
 *     S_i = mean(f(B) (f(AB_i) - f(A))) / V      (A. Saltelli et al., Comput. Phys. Commun. 181 (2010) 259-270, eq. b)
 *     T_i = mean((f(A) - f(AB_i))^2) / (2 V)     (M. J. W. Jansen, Comput. Phys. Commun. 117 (1999) 35-43; there eq. f)
 *
 * with V the variance of f(A) and f(B) together. f is taken from its mean first: that changes nothing in the limit, and
 * makes S_i much more exact. Intervals are percentiles of a bootstrap over the samples (G. E. B. Archer, A. Saltelli and
 * I. M. Sobol', J. Stat. Comput. Simul. 58 (1997) 99-120). They know independent samples; Sobol' points are better than
 * that, so the intervals are then too wide rather than too narrow.
 * Deviation: a sample of which a run failed, or has no number, is left out, with all its runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/graph.h"
#include "sweep/sweep_parts.h"

enum { REPEATS = 1000 }; /* of the bootstrap: percentiles are known to about one part in 20 */

typedef struct analysis {
  const brink_sweep *sweep;
  size_t nknobs, each;
  size_t *good; /* samples that count */
  size_t ngood;
  double *y;             /* of each of them: `each` values, from their mean */
  double *first, *total; /* of each repeat and knob */
} analysis;

/* ---- which samples count ---- */

static bool ended_well(const brink_sweep *sweep, size_t row) {
  size_t column = 1 + sweep->design.nknobs;
  double status = sweep->rows.values[row * sweep->ncolumns + column];
  return strcmp(sweep->rows.texts[(size_t)status], "failed") != 0;
}

static void collect(analysis *a, size_t column) {
  const brink_sweep *sweep = a->sweep;
  size_t samples = (size_t)sweep->design.samples;
  a->ngood = 0;
  for (size_t j = 0; j < samples; j++) {
    bool good = true;
    for (size_t p = 0; p < a->each; p++) {
      size_t row = j * a->each + p;
      double value = sweep->rows.values[row * sweep->ncolumns + column];
      a->y[a->ngood * a->each + p] = value;
      good = good && isfinite(value) && ended_well(sweep, row);
    }
    if (good) a->good[a->ngood++] = j;
  }
  double mean = 0.0;
  for (size_t j = 0; j < a->ngood; j++)
    mean += (a->y[j * a->each] + a->y[j * a->each + 1]) / (2.0 * (double)a->ngood);
  for (size_t k = 0; k < a->ngood * a->each; k++) a->y[k] -= mean;
}

/* ---- indices ---- */

/* Of the samples `chosen`; NULL: all. */
static void estimate(const analysis *a, const size_t *chosen, double *first, double *total) {
  double n = (double)a->ngood, mean = 0.0, squares = 0.0;
  for (size_t k = 0; k < a->nknobs; k++) first[k] = total[k] = 0.0;
  for (size_t j = 0; j < a->ngood; j++) {
    const double *y = &a->y[(chosen != NULL ? chosen[j] : j) * a->each];
    mean += y[0] + y[1];
    squares += y[0] * y[0] + y[1] * y[1];
    for (size_t k = 0; k < a->nknobs; k++) {
      double change = y[2 + k] - y[0];
      first[k] += y[1] * change;
      total[k] += change * change;
    }
  }
  mean /= 2.0 * n;
  double variance = squares / (2.0 * n) - mean * mean;
  for (size_t k = 0; k < a->nknobs; k++) {
    first[k] /= n * variance;
    total[k] /= 2.0 * n * variance;
  }
}

/* NaN comes last: without an order of all values qsort gives one or another, and which depends on memory. */
static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  if (isnan(x) || isnan(y)) return (int)isnan(x) - (int)isnan(y);
  return (x > y) - (x < y);
}

/* The middle 95 % of the repeats of one index. */
static void interval(double *values, double *room, size_t stride, double *lo, double *hi) {
  for (size_t r = 0; r < REPEATS; r++) room[r] = values[r * stride];
  qsort(room, REPEATS, sizeof *room, ascending);
  *lo = room[REPEATS / 40];
  *hi = room[REPEATS - 1 - REPEATS / 40];
}

static void bootstrap(analysis *a, size_t *chosen) {
  uint64_t seed = a->sweep->design.seed;
  for (size_t r = 0; r < REPEATS; r++) {
    for (size_t j = 0; j < a->ngood; j++)
      chosen[j] =
          (size_t)(brink_random(seed, -0.25, (double)(r * a->ngood + j)) * (double)a->ngood);
    estimate(a, chosen, a->first + r * a->nknobs, a->total + r * a->nknobs);
  }
}

static void analyse(analysis *a, size_t column, size_t *chosen, double *room,
                    brink_sweep_index *out) {
  const brink_sweep *sweep = a->sweep;
  collect(a, column);
  bool enough = a->ngood >= 2;
  if (enough) bootstrap(a, chosen);
  for (size_t k = 0; k < a->nknobs; k++) {
    double none = (double)NAN;
    out[k] = (brink_sweep_index){.measure = sweep->columns[column].name,
                                 .knob = sweep->design.knobs[k].name,
                                 .first = none,
                                 .first_lo = none,
                                 .first_hi = none,
                                 .total = none,
                                 .total_lo = none,
                                 .total_hi = none,
                                 .samples = a->ngood};
    if (!enough) continue;
    interval(a->first + k, room, a->nknobs, &out[k].first_lo, &out[k].first_hi);
    interval(a->total + k, room, a->nknobs, &out[k].total_lo, &out[k].total_hi);
  }
  if (!enough) return;
  estimate(a, NULL, a->first, a->total);
  for (size_t k = 0; k < a->nknobs; k++) {
    out[k].first = a->first[k];
    out[k].total = a->total[k];
  }
}

static bool is_analysed(const brink_sweep_column *column) {
  return column->role == BRINK_SWEEP_MEASURE && !column->text;
}

static brink_status analyse_all(brink_sweep *sweep, brink_diag *diag) {
  size_t n = sweep->design.nknobs, samples = (size_t)sweep->design.samples, count = 0;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  for (size_t k = 0; k < sweep->ncolumns; k++) count += is_analysed(&sweep->columns[k]);
  analysis a = {.sweep = sweep, .nknobs = n, .each = n + 2};
  a.good = brink_arena_take(&arena, samples, sizeof *a.good);
  a.y = brink_arena_take(&arena, (samples + 1) * a.each, sizeof *a.y);
  a.first = brink_arena_take(&arena, REPEATS * n, sizeof *a.first);
  a.total = brink_arena_take(&arena, REPEATS * n, sizeof *a.total);
  size_t *chosen = brink_arena_take(&arena, samples, sizeof *chosen);
  double *room = brink_arena_take(&arena, REPEATS, sizeof *room);
  sweep->indices = brink_arena_take(&sweep->arena, count * n, sizeof *sweep->indices);
  bool fine = !arena.failed && !sweep->arena.failed;
  for (size_t k = 0; k < sweep->ncolumns && fine; k++) {
    if (!is_analysed(&sweep->columns[k])) continue;
    analyse(&a, k, chosen, room, sweep->indices + sweep->nindices);
    sweep->nindices += n;
  }
  brink_arena_free(&arena);
  return fine ? BRINK_OK : brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

brink_status brink_sweep_get_indices(brink_sweep *sweep, const brink_sweep_index **indices,
                                     size_t *count, brink_diag *diag) {
  brink_diag_clear(diag);
  if (sweep == NULL || indices == NULL || count == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "sweep, indices and count must not be NULL");
  if (!sweep->design.indices)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the sweep is not made for indices");
  if (sweep->progress.done < sweep->design.runs)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the sweep is not complete");
  brink_status status = sweep->indices == NULL ? analyse_all(sweep, diag) : BRINK_OK;
  *indices = sweep->indices;
  *count = sweep->nindices;
  return status;
}
