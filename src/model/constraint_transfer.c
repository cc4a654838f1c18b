/* constraint_transfer.c: from one structure to another.
 *
 * Problem    Other constraints hold from now on, or actions have moved states: the invariants h of the new structure
 *            are not zero at x.
 * Method     Within their tolerances: states that no action assigned are moved onto them by the least change.
 *            Otherwise states jump as an impulse of the unknowns would make them,
 *                x+ = x + B L,   B = dx'/dz,   h(t, x+) = 0,   dg/dz L = 0 for constraints that only determine unknowns,
 *            with one number L for each unknown (the limit of an ever larger force in an ever shorter time: two shafts
 *            that lock share their momentum, a string that gets taut takes the radial velocity). Newton's method for
 *            L, with complete pivoting, as there may be more equations than unknowns.
 * How it     No L does it: a position would have to jump. x' is not linear in an unknown whose L is not zero, or B is
 * can fail   another one at x+: then L depends on how the impulse is given, and is not unique. Both are reported. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "model/constraint.h"
#include "model/sign.h"

#define MOST_IMPULSES 30
#define WITHIN                                                                                     \
  100.0 /* tolerances: what the location of an event, and what actions make of it, leave of invariants */
#define NO_PIVOT 1e-11  /* of scaled rows */
#define SAME_FIELD 1e-6 /* part of itself by which B may differ */

/* Parts of solver->impulse_room. */
typedef struct impulses {
  size_t m, rows; /* unknowns that may have one; equations for them */
  double *B;      /* ns x m */
  double *f[3];   /* nx each */
  double *a;      /* rows x (m + 1) */
  double *L, *dL; /* m */
  double *x;      /* nx */
} impulses;

static impulses lay_out(const brink_eval *eval) {
  const struct brink_solver *s = eval->solver;
  impulses im = {.m = s->nz - eval->model->def.constraints->nderived};
  double *room = s->impulse_room;
  im.rows = s->structure->nh + s->nz;
  im.B = room, room += eval->nx * s->nz;
  for (int k = 0; k < 3; k++) im.f[k] = room, room += eval->nx;
  im.x = room, room += eval->nx;
  im.L = room, room += s->nz;
  im.dL = room, room += s->nz;
  im.a = room;
  return im;
}

/* ---- B ---- */

/* Column k by differences, which are exact where x' is linear in the unknown. *bent: a state whose x' is not. */
static brink_try derive_by(brink_eval *eval, const impulses *im, double t, const double *y,
                           size_t k, double *column, size_t stride, size_t *bent) {
  struct brink_solver *s = eval->solver;
  brink_try outcome = BRINK_TRY_OUTSIDE;
  double size = fmax(fabs(y[s->ns + k]), 1.0), d = size;
  memcpy(s->trial, y, eval->nx * sizeof *y);
  for (int attempt = 0; attempt < 6 && outcome != BRINK_TRY_OK; attempt++) {
    d = (attempt % 2 == 0 ? size : -size) * pow(1e-2, attempt / 2);
    for (int step = 1; step <= 2; step++) {
      s->trial[s->ns + k] = y[s->ns + k] + step * d;
      outcome = brink_eval_admit(eval, t, s->trial)
                    ? brink_eval_call_states(eval, t, s->trial, im->f[step])
                    : BRINK_TRY_OUTSIDE;
      if (outcome != BRINK_TRY_OK) break;
    }
    if (outcome == BRINK_TRY_FATAL) return outcome;
  }
  if (outcome != BRINK_TRY_OK) return outcome;
  *bent = BRINK_NONE;
  for (size_t j = 0; j < s->ns; j++) {
    double first = im->f[1][j] - im->f[0][j], second = im->f[2][j] - im->f[1][j];
    double rounding = 64.0 * DBL_EPSILON * (fabs(im->f[0][j]) + fabs(im->f[2][j]));
    column[j * stride] = first / d;
    if (fabs(second - first) > SAME_FIELD * fabs(first) + rounding) *bent = j;
    if (fabs(first) <= rounding) column[j * stride] = 0.0;
  }
  return BRINK_TRY_OK;
}

/* bent[k] (m): a state whose x' is not linear in unknown k, or BRINK_NONE; in solver->pivots. */
static brink_try derive_field(brink_eval *eval, const impulses *im, double t, const double *y,
                              const bool *assigned) {
  struct brink_solver *s = eval->solver;
  brink_try outcome = brink_eval_call_states(eval, t, y, im->f[0]);
  for (size_t k = 0; k < im->m && outcome == BRINK_TRY_OK; k++)
    outcome = derive_by(eval, im, t, y, k, im->B + k, im->m, &s->pivots[k]);
  for (size_t j = 0; j < s->ns && assigned != NULL; j++) {
    if (assigned[j]) memset(im->B + j * im->m, 0, im->m * sizeof *im->B);
  }
  return outcome;
}

/* ---- equations for L ---- */

/* Does the constraint of row i of g only determine unknowns? */
static bool is_plain(const brink_structure *structure, size_t i, size_t rows) {
  size_t equation = brink_constraint_equation(structure, i);
  if (brink_constraint_order(structure, i) != 0 || equation == BRINK_NONE) return false;
  for (size_t k = 0; k < rows; k++) {
    if (k != i && brink_constraint_equation(structure, k) == equation) return false;
  }
  return true;
}

/* Rows [H B | -h], then [dg/dz | -dg/dz L], each with its largest entry scaled to 1. Returns their number. */
static size_t gather(brink_eval *eval, const impulses *im) {
  struct brink_solver *s = eval->solver;
  const brink_structure *structure = s->structure;
  const brink_sparsity *pattern = &structure->pattern;
  size_t m = im->m, n = structure->nh, width = m + 1;
  memset(im->a, 0, im->rows * width * sizeof *im->a);
  for (size_t i = 0; i < n && !brink_patience_ends(brink_eval_patience(eval), s->ns * m); i++) {
    double *row = im->a + i * width;
    for (size_t j = 0; j < s->ns; j++) {
      double h = s->H[i * s->ns + j];
      for (size_t k = 0; h != 0.0 && k < m; k++) row[k] += h * im->B[j * m + k];
    }
    row[m] = -s->r[s->nz + i];
  }
  for (size_t i = 0; i < s->nz; i++) {
    if (!is_plain(structure, i, s->nz + structure->nh)) continue;
    double *row = im->a + n++ * width;
    for (size_t k = 0; k < m; k++) {
      for (size_t e = pattern->starts[s->ns + k]; e < pattern->starts[s->ns + k + 1]; e++) {
        if (pattern->rows[e] == i) row[k] = s->values[e];
      }
      row[m] -= row[k] * im->L[k];
    }
  }
  for (size_t i = 0; i < n; i++) {
    double *row = im->a + i * width, most = 0.0;
    for (size_t k = 0; k < m; k++) most = fmax(most, fabs(row[k]));
    for (size_t k = 0; k < width && most > 0.0; k++) row[k] /= most;
  }
  return n;
}

/* dL by complete pivoting; what has no pivot stays 0. */
static void eliminate(const impulses *im, size_t n, size_t *columns, double *dL,
                      brink_patience *patience) {
  size_t m = im->m, width = m + 1, rank = 0;
  double *a = im->a;
  memset(dL, 0, m * sizeof *dL);
  for (; rank < n && rank < m && !brink_patience_ends(patience, 2 * n * width); rank++) {
    size_t row = n, column = m;
    double most = NO_PIVOT;
    for (size_t i = rank; i < n; i++) {
      for (size_t k = 0; k < m; k++) {
        if (!(fabs(a[i * width + k]) > most)) continue;
        most = fabs(a[i * width + k]);
        row = i;
        column = k;
      }
    }
    if (row == n) break;
    columns[rank] = column;
    for (size_t k = 0; k < width && row != rank; k++) {
      double t = a[row * width + k];
      a[row * width + k] = a[rank * width + k];
      a[rank * width + k] = t;
    }
    const double *top = a + rank * width;
    for (size_t i = 0; i < n; i++) {
      double factor = i == rank ? 0.0 : a[i * width + column] / top[column];
      for (size_t k = 0; factor != 0.0 && k < width; k++) a[i * width + k] -= factor * top[k];
    }
  }
  for (size_t i = 0; i < rank; i++) dL[columns[i]] = a[i * width + m] / a[i * width + columns[i]];
}

/* ---- faults ---- */

static brink_try no_impulse(brink_eval *eval, size_t row, double value, const bool *assigned) {
  struct brink_solver *s = eval->solver;
  bool all_assigned = assigned != NULL, any = false;
  brink_constraint_blame(s, BRINK_REASON_NO_IMPULSE, value);
  brink_constraint_blame_row(s, s->nz + row);
  for (size_t j = 0; j < s->ns; j++) {
    if (s->H[row * s->ns + j] == 0.0) continue;
    brink_constraint_blame_component(s, j, 0.0);
    all_assigned = all_assigned && assigned[j];
    any = true;
  }
  if (all_assigned && any) s->fault.reason = BRINK_REASON_ASSIGNED;
  return BRINK_TRY_UNSOLVED;
}

static brink_try not_unique(brink_eval *eval, size_t unknown, size_t state, size_t jumps) {
  struct brink_solver *s = eval->solver;
  s->fault = (brink_constraint_fault){.reason = BRINK_REASON_IMPULSE,
                                      .states = {s->ns + unknown, state, jumps},
                                      .nstates = jumps == BRINK_NONE ? 2 : 3};
  return BRINK_TRY_UNSOLVED;
}

/* ---- the impulse ---- */

static void move(const brink_eval *eval, const impulses *im, const double *x) {
  const struct brink_solver *s = eval->solver;
  memcpy(im->x, x, eval->nx * sizeof *x);
  for (size_t j = 0; j < s->ns; j++) {
    for (size_t k = 0; k < im->m; k++) im->x[j] += im->B[j * im->m + k] * im->L[k];
  }
}

static brink_try rows_and_invariants(brink_eval *eval, double t, double *y) {
  brink_try outcome = brink_constraint_solve(eval, t, y);
  return outcome == BRINK_TRY_OK ? brink_constraint_complete(eval, t, y) : outcome;
}

static double size_of(const double *v, size_t n) {
  double most = 0.0;
  for (size_t k = 0; k < n; k++) most = fmax(most, fabs(v[k]));
  return most;
}

/* B at x+, column by column: the impulse must not depend on how far it has been given. */
static brink_try check_unique(brink_eval *eval, const impulses *im, double t, const double *x,
                              const bool *assigned) {
  struct brink_solver *s = eval->solver;
  double *column = s->total;
  brink_try outcome = brink_eval_call_states(eval, t, im->x, im->f[0]);
  for (size_t k = 0; k < im->m && outcome == BRINK_TRY_OK; k++) {
    size_t bent;
    if (im->L[k] == 0.0) continue;
    if (s->pivots[k] != BRINK_NONE) return not_unique(eval, k, s->pivots[k], s->ns + k);
    outcome = derive_by(eval, im, t, im->x, k, column, 1, &bent);
    for (size_t j = 0; j < s->ns && outcome == BRINK_TRY_OK; j++) {
      double before = im->B[j * im->m + k];
      if (assigned != NULL && assigned[j]) continue;
      double off = fabs((column[j] - before) * im->L[k]);
      if (off <= brink_constraint_weight(eval, j, im->x) + SAME_FIELD * fabs(before * im->L[k]))
        continue;
      size_t jumps = BRINK_NONE;
      double most = 0.0;
      for (size_t i = 0; i < s->ns;
           i++) { /* what it depends on: the state that has moved most besides */
        double moved = fabs(im->x[i] - x[i]) / fmax(brink_constraint_weight(eval, i, x), DBL_MIN);
        if (i == j || !(moved > most)) continue;
        most = moved;
        jumps = i;
      }
      return not_unique(eval, k, j, jumps);
    }
  }
  return outcome;
}

/* The fault is about an impulse that this invariant asked for. */
static brink_try asked_by(brink_eval *eval, size_t row) {
  struct brink_solver *s = eval->solver;
  brink_constraint_blame_row(s, s->nz + row);
  return BRINK_TRY_UNSOLVED;
}

static brink_try give_impulse(brink_eval *eval, double t, double *x, const bool *assigned,
                              double *impulse) {
  struct brink_solver *s = eval->solver;
  impulses im = lay_out(eval);
  size_t row;
  brink_constraint_violation(eval, x, &row);
  double value = s->r[s->nz + row];
  memset(im.L, 0, s->nz * sizeof *im.L);
  brink_try outcome = derive_field(eval, &im, t, x, assigned);
  double before = (double)INFINITY;
  for (int k = 0; k < MOST_IMPULSES && outcome == BRINK_TRY_OK; k++) {
    move(eval, &im, x);
    outcome = rows_and_invariants(eval, t, im.x);
    if (outcome != BRINK_TRY_OK) break;
    eliminate(&im, gather(eval, &im), s->columns, im.dL, brink_eval_patience(eval));
    if (brink_eval_gives_up(eval)) return BRINK_TRY_FATAL;
    for (size_t j = 0; j < im.m; j++) im.L[j] += im.dL[j];
    double size = size_of(im.dL, im.m) / fmax(size_of(im.L, im.m), DBL_MIN);
    if (size <= 4.0 * DBL_EPSILON || (size < 1e-9 && size > 0.5 * before)) break;
    before = size;
  }
  move(eval, &im, x);
  if (outcome == BRINK_TRY_OK) outcome = rows_and_invariants(eval, t, im.x);
  if (outcome == BRINK_TRY_FATAL) return outcome;
  /* At x+ nothing can be solved for: is it B that changes on the way? */
  if (outcome != BRINK_TRY_OK && check_unique(eval, &im, t, x, assigned) == BRINK_TRY_UNSOLVED)
    return asked_by(eval, row);
  if (outcome != BRINK_TRY_OK) return no_impulse(eval, row, value, assigned);
  size_t left;
  if (brink_constraint_violation(eval, im.x, &left) > WITHIN) {
    double still = s->r[s->nz + left];
    return no_impulse(eval, left, still, assigned);
  }
  outcome = check_unique(eval, &im, t, x, assigned);
  if (outcome == BRINK_TRY_UNSOLVED) return asked_by(eval, row);
  if (outcome != BRINK_TRY_OK) return outcome;
  for (size_t k = 0; k < im.m; k++) impulse[k] = im.L[k];
  memcpy(x, im.x, eval->nx * sizeof *x);
  return BRINK_TRY_OK;
}

#define LEAST                                                                                      \
  1e3 /* tolerances: who would have to move by more than this is the wrong one to move */

/* Moves those states onto the constraints, if that takes no more than a little. False: it does, and x is as it was. */
static bool moves_little(brink_eval *eval, double t, double *x, brink_try *outcome) {
  struct brink_solver *s = eval->solver;
  double *kept = s->start_given;
  memcpy(kept, x, eval->nx * sizeof *x);
  *outcome = brink_constraint_project(eval, t, x, s->movable);
  bool little = *outcome == BRINK_TRY_OK;
  for (size_t j = 0; j < s->ns && little; j++)
    little = fabs(x[j] - kept[j]) <= LEAST * brink_constraint_weight(eval, j, kept);
  if (!little) memcpy(x, kept, eval->nx * sizeof *x);
  return little;
}

/* Moves what no action assigned; then, if the assigned values alone decide an invariant, these, too, as it holds within
 * its tolerance. */
static brink_try least_change(brink_eval *eval, double t, double *x, const bool *assigned,
                              const bool *frozen) {
  struct brink_solver *s = eval->solver;
  brink_try outcome;
  for (size_t j = 0; j < s->ns; j++)
    s->movable[j] = (assigned == NULL || !assigned[j]) && (frozen == NULL || !frozen[j]);
  if (!moves_little(eval, t, x, &outcome) && outcome != BRINK_TRY_OK && assigned == NULL)
    return outcome;
  if (assigned == NULL) return BRINK_TRY_OK;
  for (size_t j = 0; j < s->ns; j++) s->movable[j] = frozen == NULL || !frozen[j];
  return moves_little(eval, t, x, &outcome) || outcome == BRINK_TRY_OK ? BRINK_TRY_OK : outcome;
}

brink_try brink_constraint_transfer(brink_eval *eval, double t, double *x, const bool *assigned,
                                    const bool *frozen, double *impulse) {
  struct brink_solver *s = eval->solver;
  size_t row;
  memset(impulse, 0, s->nz * sizeof *impulse);
  brink_try outcome = rows_and_invariants(eval, t, x);
  if (outcome != BRINK_TRY_OK) return outcome;
  if (!brink_constraint_regular(eval, t, x)) return BRINK_TRY_UNSOLVED;
  outcome = rows_and_invariants(eval, t, x);
  if (outcome == BRINK_TRY_OK && brink_constraint_violation(eval, x, &row) > WITHIN)
    outcome = give_impulse(eval, t, x, assigned, impulse);
  return outcome == BRINK_TRY_OK ? least_change(eval, t, x, assigned, frozen) : outcome;
}

/* ---- flags that constraints keep at zero ---- */

#define BESIDE 1e-3 /* of a state's size: how far away a guard is looked at */
#define STAYS 1e-7  /* part of what its gradient lets expect, below which it has stayed at zero */

/* A point beside x where the constraints hold, too; `trial` and `scale` say where. */
static brink_try go_beside(brink_eval *eval, size_t guard, double t, const double *x,
                           unsigned trial, double scale, double *y) {
  const struct brink_solver *s = eval->solver;
  unsigned state = 12345u + 7919u * trial;
  memcpy(y, x, eval->nx * sizeof *y);
  for (size_t j = 0; j < s->ns; j++) {
    state = state * 1664525u + 1013904223u; /* Knuth's linear congruences: any directions do */
    double c = (double)(state >> 8) / (double)(1u << 23) - 1.0;
    y[j] += scale * c * fmax(fabs(x[j]), 1.0);
  }
  /* A unilateral guard is on its surface there: from inside, and rounding may carry it past. */
  const brink_guard_def *def = &eval->model->guards[guard].def;
  int inside = brink_sign_inside(def);
  if (def->side == BRINK_UNILATERAL && inside * brink_eval_guard(eval, guard, t, y) < 0.0)
    return BRINK_TRY_OUTSIDE;
  size_t exempt = eval->exempt;
  eval->exempt = guard;
  brink_try outcome = brink_constraint_project(eval, t, y, NULL);
  eval->exempt = exempt;
  return outcome;
}

bool brink_constraint_holds_guard(brink_eval *eval, size_t guard, double t, const double *x) {
  static const double scales[] = {BESIDE, -BESIDE, 1e-2 * BESIDE, -1e-2 * BESIDE};
  struct brink_solver *s = eval->solver;
  const brink_guard_def *def = &eval->model->guards[guard].def;
  double *y = s->start_x, rate;
  if (eval->model->guards[guard].formula != NULL) return false;
  for (unsigned trial = 0; trial < 2; trial++) {
    brink_try outcome = BRINK_TRY_UNSOLVED;
    double scale = BESIDE, later = t;
    for (size_t k = 0; k < sizeof scales / sizeof scales[0] && outcome != BRINK_TRY_OK; k++) {
      scale = scales[k];
      later = t + fabs(scale) * fmax(fabs(t), 1.0) * (trial + 1);
      outcome = go_beside(eval, guard, later, x, trial, scale, y);
    }
    if (outcome != BRINK_TRY_OK ||
        brink_eval_gradient(eval, guard, t, x, eval->gradient, &rate) != BRINK_TRY_OK)
      return false;
    double expected = fabs(rate) * (later - t), rounding = fabs(rate * t);
    for (size_t k = 0; k < def->ndepends; k++) {
      size_t i = def->depends[k];
      expected += fabs(eval->gradient[k]) * fabs(scale) * fmax(fabs(x[i]), 1.0);
      rounding += fabs(eval->gradient[k] * y[i]);
    }
    double g = brink_eval_guard(eval, guard, later, y);
    if (!(fabs(g) <= STAYS * expected + 1e3 * DBL_EPSILON * rounding)) return false;
  }
  return true;
}

int brink_constraint_vanishing(brink_eval *eval, size_t guard, double t, const double *x) {
  struct brink_solver *s = eval->solver;
  const brink_structure *structure = s->structure;
  const brink_guard_def *def = &eval->model->guards[guard].def;
  double rate;
  int most = 0, found = -1;
  if (brink_constraint_invariants(eval, t, x) != BRINK_TRY_OK ||
      brink_eval_gradient(eval, guard, t, x, eval->gradient, &rate) != BRINK_TRY_OK)
    return 0;
  memset(s->weight, 0, s->ns * sizeof *s->weight);
  for (size_t k = 0; k < def->ndepends; k++) {
    if (def->depends[k] >= s->ns) return 0; /* an unknown may jump */
    s->weight[def->depends[k]] += eval->gradient[k];
  }
  for (size_t i = 0; i < structure->nh; i++) {
    int count = 0; /* of its derivatives that tie states, itself included */
    size_t equation = brink_constraint_equation(structure, s->nz + i);
    if (equation == BRINK_NONE) count = structure->index - 1; /* as many as there can be */
    for (size_t k = 0; k < structure->nh && equation != BRINK_NONE; k++)
      count += brink_constraint_equation(structure, s->nz + k) == equation;
    if (count > most) most = count;
    if (brink_constraint_order(structure, s->nz + i) != 0) continue;
    double dot = 0.0, one = 0.0, two = 0.0;
    for (size_t j = 0; j < s->ns; j++) {
      double h = s->H[i * s->ns + j], g = s->weight[j];
      dot += h * g;
      one += h * h;
      two += g * g;
    }
    if (dot * dot >= (1.0 - 1e-9) * one * two && one * two > 0.0) found = count;
  }
  return found >= 0 ? found : most;
}
