/* constraint_project.c: states onto invariants, and consistent starts.
 *
 * Problem    0 = h(t, x, z(t, x)): the constraints that tie states, and the derivatives of them that do (hidden
 *            constraints). Exact solutions stay there; computed ones drift.
 * Method     Gauss-Newton with H = h_x - h_z g_z^-1 g_x:  dx = -W H' (H W H')^-1 h  until dx is rounding. With W the
 *            squares of the tolerances this is the least change in units of them (Eich 1993; Hairer & Wanner 1996,
 *            section VII.2). Only declared states weigh: derivatives of unknowns follow.
 * The start  The same with W for the values that are not fixed, and damped steps. Rows that fixed values alone
 *            decide are found by complete pivoting, and compared with their tolerance: a contradiction is an error,
 *            never a compromise. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "model/constraint.h"

#define MOST_PROJECTIONS 20
#define MOST_STARTS 200
#define FALLS 0.5  /* a correction that is more than this part of the last one is rounding, … */
#define SMALL 1e-2 /* … if it is below this part of a tolerance */
#define DEPENDENT                                                                                  \
  1e-11 /* pivots of scaled rows below this: the row follows from others, or from fixed values */

/* ---- H ---- */

bool brink_constraint_unknowns_by(brink_eval *eval, size_t j) {
  struct brink_solver *s = eval->solver;
  const brink_sparsity *pattern = &s->structure->pattern;
  bool any = false;
  if (brink_patience_ends(brink_eval_patience(eval),
                          s->nz + pattern->starts[eval->nx] + s->nfactors))
    return false;
  memset(s->column, 0, s->nz * sizeof *s->column);
  for (size_t e = pattern->starts[j]; e < pattern->starts[j + 1]; e++) {
    if (pattern->rows[e] >= s->nz || s->values[e] == 0.0) continue;
    s->column[pattern->rows[e]] = -s->values[e];
    any = true;
  }
  if (any) brink_blocks_solve(&s->blocks, s->values, s->column);
  return any;
}

/* Do invariants read unknowns? */
static bool reads_unknowns(const brink_eval *eval) {
  const struct brink_solver *s = eval->solver;
  const brink_sparsity *pattern = &s->structure->pattern;
  for (size_t e = pattern->starts[s->ns]; e < pattern->starts[eval->nx]; e++) {
    if (pattern->rows[e] >= s->nz) return true;
  }
  return false;
}

/* Row i of g belongs to component unknown[i]: adds h_z dz/dx_j to column j of H. */
static void add_through_unknowns(brink_eval *eval, size_t j) {
  struct brink_solver *s = eval->solver;
  const brink_sparsity *pattern = &s->structure->pattern;
  for (size_t i = 0; i < s->nz; i++) {
    size_t u = s->structure->unknown[i];
    for (size_t e = pattern->starts[u]; s->column[i] != 0.0 && e < pattern->starts[u + 1]; e++) {
      if (pattern->rows[e] >= s->nz)
        s->H[(pattern->rows[e] - s->nz) * s->ns + j] += s->values[e] * s->column[i];
    }
  }
}

/* H, by the derivatives that are there. */
static brink_try form(brink_eval *eval, double t, const double *y) {
  struct brink_solver *s = eval->solver;
  const brink_structure *structure = s->structure;
  if (!brink_blocks_factor_all(&s->blocks, s->values, brink_eval_patience(eval)))
    return brink_constraint_singular(eval, t, y);
  memset(s->H, 0, structure->nh * s->ns * sizeof *s->H);
  bool through = reads_unknowns(eval);
  for (size_t j = 0; j < s->ns; j++) {
    const brink_sparsity *pattern = &structure->pattern;
    for (size_t e = pattern->starts[j]; e < pattern->starts[j + 1]; e++) {
      if (pattern->rows[e] >= s->nz) s->H[(pattern->rows[e] - s->nz) * s->ns + j] = s->values[e];
    }
    if (through && brink_constraint_unknowns_by(eval, j)) add_through_unknowns(eval, j);
  }
  return brink_eval_gives_up(eval) ? BRINK_TRY_FATAL : BRINK_TRY_OK;
}

brink_try brink_constraint_invariants(brink_eval *eval, double t, const double *y) {
  brink_try outcome = brink_constraint_derive(eval, t, y);
  return outcome == BRINK_TRY_OK ? form(eval, t, y) : outcome;
}

brink_try brink_constraint_complete(brink_eval *eval, double t, const double *y) {
  struct brink_solver *s = eval->solver;
  brink_try outcome = BRINK_TRY_OK;
  if (!s->current) outcome = brink_constraint_rows(eval, t, y, s->r);
  if (!s->current && outcome == BRINK_TRY_OK) outcome = brink_constraint_derive(eval, t, y);
  return outcome == BRINK_TRY_OK ? form(eval, t, y) : outcome;
}

double brink_constraint_tolerance(const brink_eval *eval, size_t i, const double *y) {
  const struct brink_solver *s = eval->solver;
  double sum = 0.0;
  for (size_t j = 0; j < s->ns; j++)
    sum += fabs(s->H[i * s->ns + j]) * brink_constraint_weight(eval, j, y);
  return sum;
}

double brink_constraint_violation(const brink_eval *eval, const double *y, size_t *row) {
  const struct brink_solver *s = eval->solver;
  double worst = 0.0;
  *row = 0;
  for (size_t i = 0; i < s->structure->nh; i++) {
    double ratio = fabs(s->r[s->nz + i]) / (brink_constraint_tolerance(eval, i, y) + DBL_MIN);
    if (ratio <= worst) continue;
    worst = ratio;
    *row = i;
  }
  return worst;
}

/* ---- one correction ---- */

/* Row i of H in units of the weights, as a length. */
static double length_of(const struct brink_solver *s, size_t i) {
  double sum = 0.0;
  for (size_t j = 0; j < s->ns; j++) {
    double h = s->H[i * s->ns + j];
    sum += h * h * s->weight[j];
  }
  return sqrt(sum);
}

static size_t nothing(double *v, size_t n) {
  memset(v, 0, n * sizeof *v);
  return 0;
}

/* H W H' with rows of length 1, and multipliers so that H' of them is a correction that takes the values v of the
 * invariants to zero; with complete pivoting: rows that are nothing, or depend on others, get none. Returns the rank; `taken[i]`:
 * row i counted. v is overwritten by the multipliers of H' itself; by zeros if the step is given up. */
static size_t solve_normal(brink_eval *eval, size_t n, double *v, bool *taken) {
  struct brink_solver *s = eval->solver;
  brink_patience *patience = brink_eval_patience(eval);
  size_t rank = 0;
  double *a = s->normal, *length = s->multiplier;
  for (size_t i = 0; i < n; i++) {
    length[i] = length_of(s, i);
    taken[i] = false;
  }
  for (size_t i = 0; i < n; i++) {
    if (brink_patience_ends(patience, i * s->ns)) return nothing(v, n);
    for (size_t k = 0; k <= i; k++) {
      double sum = 0.0;
      for (size_t j = 0; j < s->ns; j++)
        sum += s->H[i * s->ns + j] * s->weight[j] * s->H[k * s->ns + j];
      double scale = length[i] * length[k];
      a[i * n + k] = a[k * n + i] = scale > 0.0 ? sum / scale : 0.0;
    }
    v[i] = length[i] > 0.0 ? v[i] / length[i] : 0.0;
  }
  /* Gauss-Jordan on the diagonal: the matrix is symmetric, and not negative. */
  for (; rank < n; rank++) {
    size_t pivot = n;
    double most = DEPENDENT;
    for (size_t i = 0; i < n; i++) {
      if (taken[i] || !(a[i * n + i] > most)) continue;
      most = a[i * n + i];
      pivot = i;
    }
    if (pivot == n) break;
    if (brink_patience_ends(patience, n * n)) return nothing(v, n);
    taken[pivot] = true;
    for (size_t i = 0; i < n; i++) {
      double factor = i == pivot ? 0.0 : a[i * n + pivot] / a[pivot * n + pivot];
      if (factor == 0.0) continue;
      for (size_t k = 0; k < n; k++) a[i * n + k] -= factor * a[pivot * n + k];
      v[i] -= factor * v[pivot];
    }
  }
  for (size_t i = 0; i < n; i++) v[i] = taken[i] ? v[i] / a[i * n + i] / length[i] : 0.0;
  return rank;
}

/* dx = -W H' v into solver->field. */
static void correction(struct brink_solver *s, size_t n, const double *v) {
  memset(s->field, 0, s->ns * sizeof *s->field);
  for (size_t i = 0; i < n; i++) {
    if (v[i] == 0.0) continue;
    for (size_t j = 0; j < s->ns; j++) s->field[j] -= s->weight[j] * s->H[i * s->ns + j] * v[i];
  }
}

static bool invariants_at_rounding(brink_eval *eval, double t, const double *y) {
  const struct brink_solver *s = eval->solver;
  for (size_t i = 0; i < s->structure->nh; i++) {
    if (fabs(s->r[s->nz + i]) > brink_constraint_rounding(eval, s->nz + i, t, y)) return false;
  }
  return true;
}

/* No values of states, or of those that may be chosen, take the largest invariant to zero. */
static brink_try unmet(brink_eval *eval, const double *y, bool weighed) {
  struct brink_solver *s = eval->solver;
  size_t row;
  brink_constraint_violation(eval, y, &row);
  brink_constraint_blame(s, BRINK_REASON_UNSOLVED, fabs(s->r[s->nz + row]));
  brink_constraint_blame_row(s, s->nz + row);
  for (size_t j = 0; j < s->ns; j++) {
    if (s->H[row * s->ns + j] != 0.0 && (!weighed || s->weight[j] > 0.0))
      brink_constraint_blame_component(s, j, y[j]);
  }
  return BRINK_TRY_UNSOLVED;
}

brink_try brink_constraint_project(brink_eval *eval, double t, double *y, const bool *may_move) {
  struct brink_solver *s = eval->solver;
  double before = (double)INFINITY;
  memset(s->total, 0, eval->nx * sizeof *s->total);
  for (int k = 0; k < MOST_PROJECTIONS; k++) {
    brink_try outcome = brink_constraint_solve(eval, t, y);
    if (outcome != BRINK_TRY_OK || s->structure->nh == 0) return outcome;
    outcome = brink_constraint_complete(eval, t, y);
    if (outcome != BRINK_TRY_OK) return outcome;
    if (invariants_at_rounding(eval, t, y)) return BRINK_TRY_OK;
    for (size_t j = 0; j < s->ns; j++) {
      double w = brink_constraint_weight(eval, j, y);
      s->weight[j] = may_move == NULL || may_move[j] ? w * w : 0.0;
    }
    size_t n = s->structure->nh;
    double *v = s->multiplier + n;
    memcpy(v, s->r + s->nz, n * sizeof *v);
    solve_normal(eval, n, v, s->taken);
    correction(s, n, v);
    double size = 0.0, relative = 0.0;
    for (size_t j = 0; j < s->ns; j++) {
      double w = sqrt(s->weight[j]);
      if (s->field[j] == 0.0 || w == 0.0) continue;
      size = fmax(size, fabs(s->field[j]) / w);
      double most = fmax(fmax(fabs(y[j]), s->x_scale[j]), w);
      relative = fmax(relative, fabs(s->field[j]) / most);
      y[j] += s->field[j];
      s->total[j] += s->field[j];
    }
    if (!isfinite(size)) break;
    if (relative <= DBL_EPSILON || (size < SMALL && size > FALLS * before))
      return brink_constraint_solve(eval, t, y);
    before = size;
  }
  return unmet(eval, y, false);
}

/* ---- the start ---- */

static int start_of(const brink_eval *eval, size_t j) {
  const unsigned char *start = eval->model->def.constraints->start;
  if (start != NULL) return start[j];
  return j < eval->solver->ns ? BRINK_INITIAL_FIXED : BRINK_INITIAL_FREE;
}

/* Unknowns whose values are given are rows, too, behind the invariants: 0 = z - value. */
static size_t start_rows(const brink_eval *eval) {
  const struct brink_solver *s = eval->solver;
  size_t count = s->structure->nh;
  for (size_t k = 0; k < s->nz; k++) count += start_of(eval, s->ns + k) == BRINK_INITIAL_FIXED;
  return count;
}

static void start_values(const brink_eval *eval, const double *x, double *v) {
  const struct brink_solver *s = eval->solver;
  size_t n = s->structure->nh;
  memcpy(v, s->r + s->nz, n * sizeof *v);
  for (size_t u = s->ns; u < eval->nx; u++) {
    if (start_of(eval, u) == BRINK_INITIAL_FIXED) v[n++] = x[u] - s->start_given[u];
  }
}

/* Their rows of H: dz/dx. */
static void derive_fixed_unknowns(brink_eval *eval) {
  struct brink_solver *s = eval->solver;
  size_t n = s->structure->nh, count = start_rows(eval);
  if (count == n) return;
  memset(s->H + n * s->ns, 0, (count - n) * s->ns * sizeof *s->H);
  for (size_t j = 0; j < s->ns; j++) {
    if (!brink_constraint_unknowns_by(eval, j) ||
        brink_patience_ends(brink_eval_patience(eval), (count - n) * s->nz))
      continue;
    size_t row = n;
    for (size_t u = s->ns; u < eval->nx; u++) {
      if (start_of(eval, u) != BRINK_INITIAL_FIXED) continue;
      for (size_t i = 0; i < s->nz; i++) {
        if (s->structure->unknown[i] == u) s->H[row * s->ns + j] = s->column[i];
      }
      row++;
    }
  }
}

/* The largest of them in units of its row, among the rows that count. */
static double size_of_rows(const struct brink_solver *s, size_t n, const double *v) {
  double most = 0.0;
  for (size_t i = 0; i < n; i++) {
    double length = s->multiplier[i];
    if (s->taken[i] && length > 0.0) most = fmax(most, fabs(v[i]) / length);
  }
  return most;
}

static brink_try contradiction(brink_eval *eval, size_t row) {
  struct brink_solver *s = eval->solver;
  brink_constraint_blame(s, BRINK_REASON_CONTRADICTED, s->r[s->nz + row]);
  brink_constraint_blame_row(s, s->nz + row);
  for (size_t j = 0; j < s->ns; j++) {
    if (s->H[row * s->ns + j] != 0.0 && start_of(eval, j) == BRINK_INITIAL_FIXED)
      brink_constraint_blame_component(s, j, 0.0);
  }
  return BRINK_TRY_UNSOLVED;
}

/* One damped step of all that is not fixed. *size: how large the invariants are after it. */
static brink_try start_step(brink_eval *eval, double t, double *x, double *size) {
  struct brink_solver *s = eval->solver;
  size_t n = start_rows(eval);
  double *here = s->start_x, *v = s->multiplier + 2 * n;
  start_values(eval, x, v);
  double before = size_of_rows(s, n, v);
  for (double part = 1.0; part > 1e-9; part *= 0.5) {
    memcpy(here, x, eval->nx * sizeof *x);
    for (size_t j = 0; j < s->ns; j++) here[j] += part * s->total[j];
    brink_try outcome = brink_constraint_solve(eval, t, here);
    if (outcome == BRINK_TRY_FATAL) return outcome;
    if (outcome == BRINK_TRY_OK) outcome = brink_constraint_rows(eval, t, here, s->r);
    if (outcome != BRINK_TRY_OK) continue;
    start_values(eval, here, v);
    *size = size_of_rows(s, n, v);
    if (!(*size <= (1.0 - 0.1 * part) * before)) continue;
    memcpy(x, here, eval->nx * sizeof *x);
    return BRINK_TRY_OK;
  }
  return BRINK_TRY_UNSOLVED;
}

#define BESIDE 1e-2 /* how far a singular guess is left */

/* An invariant that is not met, and that reads a value which is not fixed, though not at the guess (x^2 + y^2 = 1 at
 * y = 0): the search goes on beside it, once. */
static bool shake_start(brink_eval *eval, double t, double *x, bool *shaken) {
  struct brink_solver *s = eval->solver;
  const brink_sparsity *pattern = &s->structure->pattern;
  bool any = false;
  if (*shaken) return false;
  *shaken = true;
  for (size_t j = 0; j < s->ns; j++) {
    if (start_of(eval, j) == BRINK_INITIAL_FIXED) continue;
    for (size_t e = pattern->starts[j]; e < pattern->starts[j + 1]; e++) {
      size_t row = pattern->rows[e];
      if (row < s->nz || s->values[e] != 0.0 ||
          fabs(s->r[row]) <= brink_constraint_tolerance(eval, row - s->nz, x))
        continue;
      x[j] += BESIDE * fmax(fabs(x[j]), 1.0);
      any = true;
      break;
    }
  }
  return any && brink_constraint_solve(eval, t, x) == BRINK_TRY_OK;
}

/* The invariants as functions of what is not fixed. *open: how many values are left open by them. */
static brink_try meet_invariants(brink_eval *eval, double t, double *x, size_t *open) {
  struct brink_solver *s = eval->solver;
  double *guess = s->start_guess;
  bool shaken = false;
  memcpy(guess, x, eval->nx * sizeof *x);
  for (int k = 0; k < MOST_STARTS; k++) {
    brink_try outcome = brink_constraint_rows(eval, t, x, s->r);
    if (outcome == BRINK_TRY_OK) outcome = brink_constraint_invariants(eval, t, x);
    if (outcome != BRINK_TRY_OK) return outcome;
    size_t nfree = 0;
    for (size_t j = 0; j < s->ns; j++) {
      bool is_free = start_of(eval, j) != BRINK_INITIAL_FIXED;
      double scale = fmax(fabs(guess[j]), 1.0);
      s->weight[j] = is_free ? scale * scale : 0.0;
      nfree += is_free;
    }
    size_t n = start_rows(eval);
    double *v = s->multiplier + n;
    derive_fixed_unknowns(eval);
    start_values(eval, x, v);
    *open = nfree - solve_normal(eval, n, v, s->taken);
    correction(s, n, v);
    memcpy(s->total, s->field, s->ns * sizeof *s->total);
    double relative = 0.0, size;
    for (size_t j = 0; j < s->ns; j++)
      relative =
          fmax(relative, fabs(s->total[j]) / fmax(fabs(x[j]), 1e-3 * fmax(fabs(guess[j]), 1.0)));
    if (relative <= 4.0 * DBL_EPSILON) {
      if (!shake_start(eval, t, x, &shaken)) break;
      continue;
    }
    outcome = start_step(eval, t, x, &size);
    if (outcome == BRINK_TRY_FATAL) return outcome;
    if (outcome == BRINK_TRY_OK) continue;
    if (relative < 1e-9) break; /* rounding */
    brink_constraint_rows(eval, t, x, s->r);
    return unmet(eval, x, true);
  }
  return BRINK_TRY_OK;
}

/* The middle of the bounds of every unknown that has two. */
static bool to_the_middle(brink_eval *eval, double *x) {
  const struct brink_solver *s = eval->solver;
  const brink_constraints_def *def = eval->model->def.constraints;
  bool any = false;
  for (size_t k = 0; k < s->nz && def->lo != NULL; k++) {
    if (!isfinite(def->lo[k]) || !isfinite(def->hi[k]) ||
        start_of(eval, s->ns + k) == BRINK_INITIAL_FIXED)
      continue;
    x[s->ns + k] = 0.5 * (def->lo[k] + def->hi[k]);
    any = true;
  }
  return any;
}

/* There is a solution, but outside the bounds of an unknown. */
static void say_if_outside(brink_eval *eval, double t, const double *x) {
  struct brink_solver *s = eval->solver;
  const brink_constraints_def *def = eval->model->def.constraints;
  brink_constraint_fault fault = s->fault;
  memcpy(s->start_x, x, eval->nx * sizeof *x);
  brink_try outcome = brink_constraint_solve(eval, t, s->start_x);
  s->fault = fault;
  for (size_t k = 0; k < s->nz && outcome == BRINK_TRY_OK && def->lo != NULL; k++) {
    double z = s->start_x[s->ns + k];
    if (z >= def->lo[k] && z <= def->hi[k]) continue;
    brink_constraint_blame(s, BRINK_REASON_OUT_OF_RANGE, z);
    brink_constraint_blame_component(s, s->ns + k, 0.0);
    s->fault.limit = z < def->lo[k] ? def->lo[k] : def->hi[k];
    return;
  }
}

/* Unknowns inside their bounds, if there is such a solution near the guess or the middle of the bounds. */
static brink_try first_unknowns(brink_eval *eval, double t, double *x) {
  struct brink_solver *s = eval->solver;
  s->bounded = true;
  brink_try outcome = brink_constraint_solve(eval, t, x);
  if (outcome == BRINK_TRY_UNSOLVED && s->fault.reason != BRINK_REASON_STRUCTURE) {
    memcpy(s->start_x, x, eval->nx * sizeof *x);
    brink_constraint_fault fault = s->fault;
    if (to_the_middle(eval, s->start_x) &&
        brink_constraint_solve(eval, t, s->start_x) == BRINK_TRY_OK) {
      memcpy(x, s->start_x, eval->nx * sizeof *x);
      outcome = BRINK_TRY_OK;
    } else {
      s->fault = fault;
      s->bounded = false;
      say_if_outside(eval, t, x);
    }
  }
  s->bounded = false;
  return outcome;
}

/* An unknown whose value is given must have it. */
static brink_try check_fixed_unknowns(brink_eval *eval, const double *guess, const double *x) {
  struct brink_solver *s = eval->solver;
  for (size_t i = 0; i < s->nz; i++) {
    size_t u = s->structure->unknown[i];
    if (start_of(eval, u) != BRINK_INITIAL_FIXED) continue;
    double tolerance = s->rtol * fabs(guess[u]) + s->least_atol;
    if (fabs(x[u] - guess[u]) <= fmax(10.0 * tolerance, 1e3 * DBL_EPSILON * fabs(guess[u])))
      continue;
    brink_constraint_blame(s, BRINK_REASON_CONTRADICTED, x[u] - guess[u]);
    brink_constraint_blame_row(s, i);
    brink_constraint_blame_component(s, u, 0.0);
    return BRINK_TRY_UNSOLVED;
  }
  return BRINK_TRY_OK;
}

/* States that are not fixed, and that the rows leave open: unit vector j is not a combination of the rows, of which only
 * the columns of such states count, so that its projection onto them is not itself. */
static brink_try find_chosen(brink_eval *eval, double t, const double *x, bool *chosen,
                             size_t *nchosen) {
  struct brink_solver *s = eval->solver;
  size_t n = start_rows(eval);
  double *v = s->multiplier + n;
  brink_try outcome = brink_constraint_invariants(eval, t, x);
  if (outcome != BRINK_TRY_OK) return outcome;
  derive_fixed_unknowns(eval);
  for (size_t j = 0; j < s->ns; j++)
    s->weight[j] = start_of(eval, j) != BRINK_INITIAL_FIXED ? 1.0 : 0.0;
  for (size_t j = 0; j < s->ns; j++) {
    chosen[j] = s->weight[j] > 0.0;
    for (size_t i = 0; i < n && chosen[j]; i++) v[i] = s->H[i * s->ns + j];
    if (!chosen[j]) continue;
    solve_normal(eval, n, v, s->taken);
    correction(s, n, v);
    chosen[j] = fabs(s->field[j] + 1.0) > 1e-6; /* what rounding leaves of 0 */
    *nchosen += chosen[j];
    if (brink_eval_gives_up(eval)) return BRINK_TRY_FATAL;
  }
  return BRINK_TRY_OK;
}

brink_try brink_constraint_start(brink_eval *eval, double t, double *x, bool *chosen,
                                 size_t *nchosen) {
  struct brink_solver *s = eval->solver;
  double *given = s->start_given;
  size_t open = 0, row;
  *nchosen = 0;
  memcpy(given, x, eval->nx * sizeof *x);
  brink_try outcome = brink_constraint_bind(eval);
  if (outcome == BRINK_TRY_OK) outcome = first_unknowns(eval, t, x);
  if (outcome == BRINK_TRY_OK) outcome = meet_invariants(eval, t, x, &open);
  if (outcome != BRINK_TRY_OK) return outcome;
  if (!brink_constraint_regular(eval, t, x)) return BRINK_TRY_UNSOLVED;
  outcome = brink_constraint_rows(eval, t, x, s->r);
  if (outcome == BRINK_TRY_OK) outcome = brink_constraint_invariants(eval, t, x);
  if (outcome != BRINK_TRY_OK) return outcome;
  if (brink_constraint_violation(eval, x, &row) > 1.0 &&
      fabs(s->r[s->nz + row]) > 16.0 * brink_constraint_rounding(eval, s->nz + row, t, x))
    return contradiction(eval, row);
  outcome = brink_constraint_project(eval, t, x, NULL); /* by less than the tolerance */
  if (outcome == BRINK_TRY_OK) outcome = check_fixed_unknowns(eval, given, x);
  return outcome == BRINK_TRY_OK && open > 0 ? find_chosen(eval, t, x, chosen, nchosen) : outcome;
}
