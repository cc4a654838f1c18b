/* implicit.c: the equations of an implicit step, by Newton's iteration.
 *
 * Problem     y = (x, z), states and unknowns; F = (f, g), slopes and constraints. Wanted is d with
 *                 M (y'^p + cj d) = F(t, y^p + d),        M = diag(1 for states, 0 for unknowns),
 *             where y^p and y'^p come from a predictor (Brenan, Campbell & Petzold 1996, eq. 5.2.2).
 * Method      Newton's iteration with a matrix that is kept over several steps:
 *                 (cj M - dF/dy) delta = F - M (y'^p + cj d),     d := d + c delta,
 *             with c = 2/(1 + cj/cj_0), where cj_0 is that of the matrix (ibid., eq. 5.2.9). dF/dy is the model's, sparse,
 *             or found by differences.
 * When to stop  The error that is left is about rate |delta|; it must be at most a tenth of what the error test allows.
 *             and a fifth of a tolerance: what is left over would look like an error of the formula in later steps.
 *             The rate is the largest ratio of two corrections that was seen with this matrix, and shrinks only slowly;
 *             it is 1 for a new matrix (Cohen & Hindmarsh 1996, CVODE, eq. 2.22). With unknowns it begins at 1
 *             in every step: an unknown that was left a little off in one step would spoil the next.
 * New matrix  when cj has changed by three tenths, after 20 steps, after a failure; new dF/dy after 50 steps or when
 *             the iteration fails with an old one (ibid., section 2.1.3, with its numbers).
 * Domain      Every iterate passes the domain check before it is used, and so does the solution, which is not evaluated.
 * How it can fail  No convergence: the step is shortened. A matrix that is singular: likewise.
 * Memory      is taken when the method is made, and at a start where the pattern has grown. KLU takes its own when it
 *             orders, and when it chooses pivots: at the first step after a start, and seldom later (sparse_lu.h). */
#include "ode/implicit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ITERATIONS 4      /* CVODE: 3; a fourth is cheaper than a new matrix */
#define CONVERGED 0.1     /* of the error that is allowed */
#define AT_LEAST 0.5      /* times the correction: a fifth of a tolerance */
#define SLOWER 0.3        /* the rate shrinks at most by this factor in one iteration */
#define DIVERGES 2.0      /* a correction that is larger than the one before by this */
#define CJ_CHANGE 0.3     /* of cj: the matrix is made anew */
#define MATRIX_STEPS 20   /* at most with one matrix … */
#define JACOBIAN_STEPS 50 /* … and with one dF/dy */

/* ---- making ---- */

static size_t count_of(const brink_sparsity *pattern, size_t n) {
  return pattern != NULL ? pattern->starts[n] : n * n;
}

/* Room for a pattern of the model with so many entries: the matrix has a diagonal besides. */
static bool make_room(brink_implicit *im, size_t entries) {
  if (!brink_sparse_lu_take(&im->lu, im->n, entries + im->n, im->arena)) return false;
  if (entries <= im->capacity) return true;
  size_t *rows = brink_arena_take(im->arena, entries, sizeof *rows);
  size_t *place = brink_arena_take(im->arena, entries, sizeof *place);
  double *raw = brink_arena_take(im->arena, entries, sizeof *raw);
  if (rows == NULL || place == NULL || raw == NULL) return false;
  im->rows = rows;
  im->place = place;
  im->raw = raw;
  im->capacity = entries;
  return true;
}

bool brink_implicit_create(brink_implicit *im, brink_stepper *st, brink_arena *arena) {
  size_t n = st->nx;
  *im = (brink_implicit){.n = n, .nz = n - st->ntested, .arena = arena};
  im->starts = brink_arena_take(arena, n + 1, sizeof *im->starts);
  im->diagonal = brink_arena_take(arena, n, sizeof *im->diagonal);
  im->r = brink_arena_take(arena, n, sizeof *im->r);
  im->weight = brink_arena_take(arena, n, sizeof *im->weight);
  im->probe = brink_arena_take(arena, n, sizeof *im->probe);
  if (im->starts == NULL || im->diagonal == NULL || im->r == NULL || im->weight == NULL ||
      im->probe == NULL)
    return false;
  const brink_sparsity *pattern = brink_eval_system_pattern(st->eval);
  if (pattern == NULL && n > BRINK_IMPLICIT_DENSE) return true; /* start says so */
  return make_room(im, count_of(pattern, n));
}

void brink_implicit_relocate(brink_implicit *im, brink_relocation *moved) {
  BRINK_RELOCATE(moved, im->arena);
  brink_sparse_lu_relocate(&im->lu, moved);
  BRINK_RELOCATE(moved, im->starts);
  BRINK_RELOCATE(moved, im->rows);
  BRINK_RELOCATE(moved, im->place);
  BRINK_RELOCATE(moved, im->diagonal);
  BRINK_RELOCATE(moved, im->raw);
  BRINK_RELOCATE(moved, im->r);
  BRINK_RELOCATE(moved, im->weight);
  BRINK_RELOCATE(moved, im->probe);
}

void brink_implicit_release(brink_implicit *im) {
  brink_sparse_lu_release(&im->lu);
}

/* ---- the pattern ---- */

static bool is_same(const brink_implicit *im, const brink_sparsity *pattern) {
  if (!im->shaped || im->differences != (pattern == NULL)) return false;
  if (pattern == NULL) return true;
  size_t entries = pattern->starts[im->n];
  return memcmp(pattern->starts, im->starts, (im->n + 1) * sizeof *im->starts) == 0 &&
         (entries == 0 || memcmp(pattern->rows, im->rows, entries * sizeof *im->rows) == 0);
}

static void note_pattern(brink_implicit *im, const brink_sparsity *pattern) {
  size_t n = im->n;
  if (pattern != NULL) {
    memcpy(im->starts, pattern->starts, (n + 1) * sizeof *im->starts);
    if (pattern->starts[n] > 0)
      memcpy(im->rows, pattern->rows, pattern->starts[n] * sizeof *im->rows);
    return;
  }
  for (size_t j = 0; j <= n; j++) im->starts[j] = j * n;
  for (size_t k = 0; k < n * n; k++) im->rows[k] = k % n;
}

/* The pattern of the matrix: the model's, with a diagonal. Rows of a column are in order in both, or in the model's
 * in any order: then they stay as they are, and the diagonal comes last. */
static void shape(brink_implicit *im) {
  brink_sparse_lu *lu = &im->lu;
  size_t at = 0;
  for (size_t j = 0; j < im->n; j++) {
    lu->starts[j] = (int)at;
    im->diagonal[j] = BRINK_NONE;
    for (size_t k = im->starts[j]; k < im->starts[j + 1]; k++) {
      size_t row = im->rows[k];
      if (row > j && im->diagonal[j] == BRINK_NONE) {
        im->diagonal[j] = at;
        lu->rows[at++] = (int)j;
      }
      if (row == j && im->diagonal[j] != BRINK_NONE) { /* it came before, out of order */
        im->place[k] = im->diagonal[j];
        continue;
      }
      if (row == j) im->diagonal[j] = at;
      im->place[k] = at;
      lu->rows[at++] = (int)row;
    }
    if (im->diagonal[j] != BRINK_NONE) continue;
    im->diagonal[j] = at;
    lu->rows[at++] = (int)j;
  }
  lu->starts[im->n] = (int)at;
  lu->nonzeros = at;
}

brink_try brink_implicit_start(brink_implicit *im, brink_stepper *st) {
  const brink_sparsity *pattern = brink_eval_system_pattern(st->eval);
  brink_implicit_forget(im);
  im->ready = true;
  if (is_same(im, pattern)) return BRINK_TRY_OK;
  im->ready = false;
  if (pattern == NULL && im->n > BRINK_IMPLICIT_DENSE) return BRINK_TRY_REFUSED;
  if (!make_room(im, count_of(pattern, im->n))) return BRINK_TRY_FATAL;
  im->differences = pattern == NULL;
  note_pattern(im, pattern);
  shape(im);
  brink_sparse_lu_begin(&im->lu);
  im->ready = im->shaped = true;
  return BRINK_TRY_OK;
}

/* Back to the present pattern of the model. */
static bool shape_again(brink_implicit *im, brink_stepper *st, brink_archive *a) {
  brink_try outcome = brink_implicit_start(im, st);
  if (outcome == BRINK_TRY_FATAL) brink_archive_no_memory(a);
  return brink_archive_check(a, outcome == BRINK_TRY_OK);
}

void brink_implicit_archive(brink_implicit *im, brink_stepper *st, bool runs, brink_archive *a) {
  bool known = runs && im->ready;
  brink_archive_mark(a, "implicit");
  brink_archive_bool(a, &known);
  if (a->reads) brink_implicit_forget(im);
  if (!brink_archive_check(a, runs || !known) || !known) return;
  if (a->reads && !shape_again(im, st, a)) return;
  brink_archive_same(a, im->differences);
  brink_archive_same(a, im->starts[im->n]);
  if (a->failed) return;
  brink_archive_doubles(a, im->raw, im->starts[im->n]);
  brink_archive_bool(a, &im->has_jacobian);
  brink_archive_bool(a, &im->has_matrix);
  brink_archive_bool(a, &im->distrust);
  brink_archive_bool(a, &im->fresh);
  brink_archive_int(a, &im->jacobian_age, 0, INT32_MAX);
  brink_archive_int(a, &im->matrix_age, 0, INT32_MAX);
  brink_archive_double(a, &im->cj);
  brink_archive_double(a, &im->rate);
  brink_sparse_lu_archive(&im->lu, a);
}

void brink_implicit_forget(brink_implicit *im) {
  im->ready = im->has_jacobian = im->has_matrix = im->distrust = false;
  im->lu.repivots = true;
}

void brink_implicit_commit(brink_implicit *im) {
  im->jacobian_age++;
  im->matrix_age++;
  im->distrust = false;
}

/* ---- the matrix ---- */

/* raw = dF/dy by one-sided differences, on the other side where the first is not allowed. im->r is F at y. */
static brink_try take_differences(brink_implicit *im, brink_stepper *st,
                                  const brink_implicit_step *step, double *y) {
  size_t n = im->n;
  for (size_t j = 0; j < n; j++) {
    double kept = y[j];
    double scale = fmax(fabs(kept), fabs(step->h * step->slope[j]));
    if (isfinite(st->atol[j])) scale = fmax(scale, st->atol[j]); /* unknowns have none */
    double d = sqrt(DBL_EPSILON) * (scale > 0.0 ? scale : 1.0);
    if (kept > 0.0) d = -d; /* towards zero, where edges are seldom: they are not to be passed */
    y[j] = kept + d;
    brink_try outcome = brink_eval_system(st->eval, step->t, y, im->probe);
    if (outcome == BRINK_TRY_OUTSIDE || outcome == BRINK_TRY_REFUSED) {
      y[j] = kept - d;
      outcome = brink_eval_system(st->eval, step->t, y, im->probe);
    }
    d = y[j] - kept; /* what was really added */
    y[j] = kept;
    if (outcome != BRINK_TRY_OK) return outcome;
    for (size_t i = 0; i < n; i++) im->raw[j * n + i] = (im->probe[i] - im->r[i]) / d;
  }
  return BRINK_TRY_OK;
}

static brink_try evaluate_jacobian(brink_implicit *im, brink_stepper *st,
                                   const brink_implicit_step *step, double *y) {
  brink_try outcome = im->differences ? take_differences(im, st, step, y)
                                      : brink_eval_system_jacobian(st->eval, step->t, y, im->raw);
  if (outcome != BRINK_TRY_OK) return outcome;
  st->eval->stats.jacobians++;
  im->has_jacobian = im->fresh = true;
  im->jacobian_age = 0;
  return BRINK_TRY_OK;
}

/* cj M - dF/dy, and its factors. */
static brink_try make_matrix(brink_implicit *im, brink_stepper *st, double cj) {
  brink_sparse_lu *lu = &im->lu;
  size_t entries = im->starts[im->n];
  if (lu->nonzeros > 0) memset(lu->values, 0, lu->nonzeros * sizeof *lu->values);
  /* A root at its edge has an infinite derivative: without it the iteration is slower, not wrong. */
  for (size_t k = 0; k < entries; k++)
    lu->values[im->place[k]] -= isfinite(im->raw[k]) ? im->raw[k] : 0.0;
  for (size_t j = 0; j < im->n - im->nz; j++) lu->values[im->diagonal[j]] += cj;
  st->eval->stats.factorisations++;
  im->has_matrix = false;
  int outcome = brink_sparse_lu_factor(lu, brink_eval_patience(st->eval));
  if (outcome != 0) return outcome > 0 ? BRINK_TRY_ERROR : BRINK_TRY_FATAL;
  im->has_matrix = true;
  im->matrix_age = 0;
  im->cj = cj;
  im->rate = 1.0;
  return BRINK_TRY_OK;
}

/* im->r is F at y. */
static brink_try setup(brink_implicit *im, brink_stepper *st, const brink_implicit_step *step,
                       double *y) {
  brink_try outcome = BRINK_TRY_OK;
  if (im->distrust) im->lu.repivots = true;
  if (!im->has_jacobian || im->distrust || im->jacobian_age > JACOBIAN_STEPS)
    outcome = evaluate_jacobian(im, st, step, y);
  return outcome == BRINK_TRY_OK ? make_matrix(im, st, step->cj) : outcome;
}

/* ---- the iteration ---- */

static void weigh(brink_implicit *im, const brink_stepper *st, const double *guess, double step_h) {
  double rtol = st->options->rtol;
  for (size_t i = 0; i < im->n; i++)
    im->weight[i] = rtol * fmax(fabs(st->x[i]), fabs(guess[i])) + st->atol[i];
  for (size_t i = im->n - im->nz; i < im->n; i++) {
    double size = fmax(fabs(st->x[i]), fabs(guess[i]));
    double weight = brink_eval_unknown_weight(st->eval, i, size, step_h);
    if (weight > 0.0) im->weight[i] = weight;
  }
}

static double norm(const brink_implicit *im, const double *v) {
  double most = 0.0;
  for (size_t i = 0; i < im->n; i++) {
    double ratio = v[i] == 0.0 ? 0.0 : fabs(v[i]) / im->weight[i];
    if (!(ratio <= most)) most = ratio; /* keeps a NaN */
  }
  return most;
}

/* r becomes the correction; its norm, or -1: out of memory. */
static double correction(brink_implicit *im, const brink_implicit_step *step, const double *d) {
  double *r = im->r;
  for (size_t i = 0; i < im->n - im->nz; i++) r[i] -= step->slope[i] + step->cj * d[i];
  if (!brink_sparse_lu_solve(&im->lu, r)) return -1.0;
  double c = 2.0 / (1.0 + step->cj / im->cj);
  if (c != 1.0) {
    for (size_t i = 0; i < im->n; i++) r[i] *= c;
  }
  return norm(im, r);
}

/* From the guess, with a matrix that was there before or is made first. ERROR: it does not converge. */
static brink_try iterate(brink_implicit *im, brink_stepper *st, const brink_implicit_step *step,
                         bool anew, double *y, double *d) {
  size_t n = im->n;
  double last = 0.0;
  memcpy(y, step->guess, n * sizeof *y);
  memset(d, 0, n * sizeof *d);
  if (im->nz > 0) im->rate = 1.0;
  for (int m = 0; m < ITERATIONS; m++) {
    brink_try outcome = brink_eval_system(st->eval, step->t, y, im->r);
    if (outcome == BRINK_TRY_OK && m == 0 && anew) outcome = setup(im, st, step, y);
    if (outcome != BRINK_TRY_OK) return outcome;
    double size = correction(im, step, d);
    if (size < 0.0) return BRINK_TRY_FATAL;
    st->eval->stats.newton++;
    for (size_t i = 0; i < n; i++) {
      d[i] += im->r[i];
      y[i] = step->guess[i] + d[i];
    }
    if (m > 0) im->rate = fmax(SLOWER * im->rate, size / last);
    if (size * fmin(im->rate, 1.0) * fmax(step->scale, AT_LEAST) <= CONVERGED) return BRINK_TRY_OK;
    if (isnan(size) || (m > 0 && size > DIVERGES * last)) break;
    last = size;
  }
  return BRINK_TRY_ERROR;
}

brink_try brink_implicit_solve(brink_implicit *im, brink_stepper *st,
                               const brink_implicit_step *step, double *y, double *d) {
  brink_try prepared = im->ready ? BRINK_TRY_OK : brink_implicit_start(im, st);
  if (prepared != BRINK_TRY_OK) return prepared;
  weigh(im, st, step->guess, step->h);
  im->fresh = false;
  bool anew = !im->has_matrix || im->distrust || fabs(im->cj / step->cj - 1.0) > CJ_CHANGE ||
              im->matrix_age >= MATRIX_STEPS;
  brink_try outcome = iterate(im, st, step, anew, y, d);
  if (outcome == BRINK_TRY_ERROR && !im->fresh) {
    im->distrust = true;
    outcome = iterate(im, st, step, true, y, d);
  }
  im->distrust = outcome != BRINK_TRY_OK;
  if (outcome != BRINK_TRY_OK) return outcome;
  return brink_eval_admit(st->eval, step->t, y) ? BRINK_TRY_OK : BRINK_TRY_OUTSIDE;
}
