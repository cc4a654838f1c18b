/* constraint_solve.c: the unknowns of constraints, by Newton's method.
 *
 * Problem   0 = g(t, x, z) for z at a given t and x, near values that are known: those of the predictor, or the last.
 * Method    Newton for all blocks at once while that converges as it should, and else block by block with damped steps:
 *           a step is halved until the next simplified correction J^-1 g is smaller (the natural monotonicity test of
 *           Deuflhard 2004, section 3.3, which does not depend on how equations are scaled), every value is finite,
 *           unknowns are inside their bounds, and the domain check admits the point: nothing is evaluated before it.
 * End       at rounding: each residual is below what rounding of its own terms makes of it, or steps no longer fall.
 * Rates     dz/dt = -(dg/dz)^-1 (dg/dt + dg/dx f), block by block.
 * How it    Newton finds a solution near the start, not the one that somebody means; if there is none, the block that
 * can fail  has none is named with what is left of its equations. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "model/constraint.h"

#define MOST_GLOBAL 10   /* iterations for all blocks at once */
#define MOST_DAMPED 2000 /* for one block */
#define LEAST_DAMPING 1e-12
#define CONTRACTS                                                                                  \
  0.5 /* a step of Newton's method that is this part of the last is still on its way */
#define AT_REST 1e-9 /* … and if it is not, but is below this part of the unknown, it is rounding */
#define ROUNDINGS 4.0  /* of each term of a row */
#define BESIDE 1e-2    /* how far a singular point is left */
#define NOISES 16.0    /* what is seen of rounding in four trials, and what it may be */
#define TINY 1e-290    /* products of what is left underflow */
#define SINGULAR 1e-13 /* pivots of a scaled block below this are none */

brink_try brink_constraint_bind(brink_eval *eval) {
  struct brink_solver *s = eval->solver;
  const brink_constraints_def *def = eval->model->def.constraints;
  s->fault.text[0] = '\0';
  const brink_structure *structure = def->structure(&eval->env, s->fault.text);
  if (structure != NULL && structure == s->structure) return BRINK_TRY_OK;
  s->structure = NULL;
  if (structure == NULL || !brink_constraint_check(eval, structure, s->fault.text)) {
    s->fault.reason = BRINK_REASON_STRUCTURE;
    s->fault.nequations = s->fault.nstates = 0;
    return BRINK_TRY_UNSOLVED;
  }
  s->structure = structure;
  s->has_seen = false;
  s->blocks.n = s->nz;
  s->blocks.unknown = structure->unknown;
  s->blocks.block = structure->block;
  s->blocks.nblocks = structure->nblocks;
  s->nfactors = brink_blocks_room(structure->block, structure->nblocks);
  s->blocks.starts = structure->pattern.starts;
  s->blocks.rows = structure->pattern.rows;
  return BRINK_TRY_OK;
}

static bool are_finite(const double *v, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(v[i])) return false;
  }
  return true;
}

brink_try brink_constraint_rows(brink_eval *eval, double t, const double *y, double *r) {
  struct brink_solver *s = eval->solver;
  if (brink_eval_gives_up(eval)) return BRINK_TRY_FATAL;
  if (!brink_eval_admit(eval, t, y)) return BRINK_TRY_OUTSIDE;
  brink_audit_call(eval, t, y, &eval->env);
  int answer = eval->model->def.constraints->residual(s->structure, t, y, &eval->env, r);
  if (answer < 0) return BRINK_TRY_FATAL;
  return answer > 0 || !are_finite(r, s->nz + s->structure->nh) ? BRINK_TRY_REFUSED : BRINK_TRY_OK;
}

/* ---- derivatives of the rows ---- */

#define APART 6.055454452393343e-06 /* cbrt(DBL_EPSILON): error of the formula and rounding alike */

/* What component j, nx for time, is moved by. */
static double distance(const brink_eval *eval, size_t j, double t, const double *y) {
  const struct brink_solver *s = eval->solver;
  double size = fabs(j < eval->nx ? y[j] : t);
  if (j < s->ns) size = fmax(size, s->x_scale[j]);
  if (j >= s->ns && j < eval->nx) size = fmax(size, s->z_scale[j - s->ns]);
  return APART * (size > 0.0 ? size : 1.0);
}

/* The rows with component j moved by d, which is rounded to what it is. */
static brink_try rows_beside(brink_eval *eval, size_t j, double t, const double *y, double *d,
                             double *r) {
  struct brink_solver *s = eval->solver;
  double later = t;
  memcpy(s->noise_x, y, eval->nx * sizeof *y);
  double *moved = j < eval->nx ? &s->noise_x[j] : &later;
  double from = *moved;
  *moved += *d;
  *d = *moved - from;
  return brink_constraint_rows(eval, later, s->noise_x, r);
}

/* Central; with one point outside of the domain, or where a row has no value, from the other side. */
static brink_try difference(brink_eval *eval, size_t j, double t, const double *y) {
  struct brink_solver *s = eval->solver;
  const brink_sparsity *pattern = &s->structure->pattern;
  double right = distance(eval, j, t, y), left = -right;
  brink_try above = rows_beside(eval, j, t, y, &right, s->noise);
  if (above == BRINK_TRY_FATAL) return above;
  brink_try below = rows_beside(eval, j, t, y, &left, s->noise_r);
  if (below == BRINK_TRY_FATAL) return below;
  if (above != BRINK_TRY_OK && below != BRINK_TRY_OK) return above;
  if (above != BRINK_TRY_OK || below != BRINK_TRY_OK) {
    double *missing = above != BRINK_TRY_OK ? s->noise : s->noise_r;
    double *d = above != BRINK_TRY_OK ? &right : &left;
    *d = 0.0;
    brink_try here = rows_beside(eval, j, t, y, d, missing);
    if (here != BRINK_TRY_OK) return here;
  }
  for (size_t e = pattern->starts[j]; e < pattern->starts[j + 1]; e++) {
    size_t row = pattern->rows[e];
    s->values[e] = (s->noise[row] - s->noise_r[row]) / (right - left);
  }
  return BRINK_TRY_OK;
}

static brink_try take_differences(brink_eval *eval, double t, const double *y) {
  const size_t *starts = eval->solver->structure->pattern.starts;
  brink_try outcome = BRINK_TRY_OK;
  for (size_t j = 0; j <= eval->nx && outcome == BRINK_TRY_OK; j++) {
    if (starts[j] < starts[j + 1]) outcome = difference(eval, j, t, y);
  }
  return outcome;
}

brink_try brink_constraint_derive(brink_eval *eval, double t, const double *y) {
  struct brink_solver *s = eval->solver;
  const brink_structure *structure = s->structure;
  const brink_constraints_def *def = eval->model->def.constraints;
  size_t count = structure->pattern.starts[eval->nx + 1];
  if (def->derivatives == NULL) return take_differences(eval, t, y);
  int answer = def->derivatives(structure, t, y, &eval->env, s->values);
  if (answer < 0) return BRINK_TRY_FATAL;
  return answer > 0 || !are_finite(s->values, count) ? BRINK_TRY_REFUSED : BRINK_TRY_OK;
}

/* ---- rounding ---- */

double brink_constraint_rounding(const brink_eval *eval, size_t row, double t, const double *y) {
  const struct brink_solver *s = eval->solver;
  const brink_sparsity *pattern = &s->structure->pattern;
  double sum = 0.0;
  for (size_t j = 0; j <= eval->nx; j++) {
    double size = fabs(j < eval->nx ? y[j] : t);
    for (size_t e = pattern->starts[j]; size > 0.0 && e < pattern->starts[j + 1]; e++) {
      if (pattern->rows[e] == row) sum += fabs(s->values[e]) * size;
    }
  }
  return ROUNDINGS * DBL_EPSILON * sum;
}

/* The same of rows first … end-1, in one pass: |r_i| is compared. */
static bool at_rounding(const brink_eval *eval, size_t first, size_t end, double t, const double *y,
                        const double *r, double *room) {
  const struct brink_solver *s = eval->solver;
  const brink_sparsity *pattern = &s->structure->pattern;
  memset(room + first, 0, (end - first) * sizeof *room);
  for (size_t j = 0; j <= eval->nx; j++) {
    double size = fabs(j < eval->nx ? y[j] : t);
    for (size_t e = pattern->starts[j]; e < pattern->starts[j + 1]; e++) {
      size_t row = pattern->rows[e];
      if (row >= first && row < end) room[row] += fabs(s->values[e]) * size;
    }
  }
  for (size_t i = first; i < end; i++) {
    if (fabs(r[i]) > ROUNDINGS * DBL_EPSILON * room[i] + TINY) return false;
  }
  return true;
}

/* Is what is left of rows first … end-1 no more than rounding makes of them, as it is seen when states, unknowns and time are
 * moved by some units in the last place? Terms that cancel do not show in derivatives. */
static bool at_noise(brink_eval *eval, size_t first, size_t end, double t, const double *y,
                     const double *r) {
  struct brink_solver *s = eval->solver;
  double *noise = s->noise;
  memset(noise + first, 0, (end - first) * sizeof *noise);
  for (int trial = 0; trial < 4; trial++) {
    double unit = (trial + 1) * DBL_EPSILON;
    memcpy(s->noise_x, y, eval->nx * sizeof *y);
    for (size_t j = 0; j < eval->nx; j++)
      s->noise_x[j] *= 1.0 + ((j + (size_t)trial) % 2 == 0 ? unit : -unit);
    double later = t * (trial % 2 == 0 ? 1.0 + unit : 1.0 - unit);
    if (brink_constraint_rows(eval, later, s->noise_x, s->noise_r) != BRINK_TRY_OK) continue;
    for (size_t i = first; i < end; i++) noise[i] = fmax(noise[i], fabs(s->noise_r[i] - r[i]));
  }
  for (size_t i = first; i < end; i++) {
    if (fabs(r[i]) > NOISES * noise[i] + TINY) return false;
  }
  return true;
}

/* ---- bounds: at a start only; later flags watch them ---- */

static bool inside_bounds(const brink_eval *eval, size_t first, size_t end, const double *y) {
  const struct brink_solver *s = eval->solver;
  const brink_constraints_def *def = eval->model->def.constraints;
  if (!s->bounded || def->lo == NULL || def->hi == NULL) return true;
  for (size_t i = first; i < end; i++) {
    size_t u = s->structure->unknown[i];
    if (y[u] < def->lo[u - s->ns] || y[u] > def->hi[u - s->ns]) return false;
  }
  return true;
}

/* ---- all blocks at once ---- */

/* The largest relative step; where an unknown is zero, its step counts in full. */
static double step_size(const struct brink_solver *s, size_t first, size_t end, const double *step,
                        const double *y) {
  double most = 0.0;
  for (size_t i = first; i < end; i++) {
    size_t u = s->structure->unknown[i];
    double size = fabs(y[u]) + fabs(step[i]) + s->z_floor[u - s->ns];
    double ratio = size > 0.0 ? fabs(step[i]) / size : 0.0;
    if (!(ratio <= most)) most = ratio;
  }
  return most;
}

static void add_step(const struct brink_solver *s, size_t first, size_t end, double part,
                     const double *step, double *y) {
  for (size_t i = first; i < end; i++) y[s->structure->unknown[i]] += part * step[i];
}

/* OK: it has converged. Anything but FATAL: to be tried block by block. */
static brink_try solve_together(brink_eval *eval, double t, double *y) {
  struct brink_solver *s = eval->solver;
  double before = (double)INFINITY;
  for (int k = 0; k < MOST_GLOBAL; k++) {
    brink_try outcome = brink_constraint_rows(eval, t, y, s->r);
    if (outcome == BRINK_TRY_OK) outcome = brink_constraint_derive(eval, t, y);
    if (outcome != BRINK_TRY_OK) return outcome;
    s->current = true;
    if (at_rounding(eval, 0, s->nz, t, y, s->r, s->r_trial)) return BRINK_TRY_OK;
    eval->stats.newton++;
    eval->stats.factorisations++;
    if (!brink_blocks_factor_all(&s->blocks, s->values, brink_eval_patience(eval)))
      return BRINK_TRY_UNSOLVED;
    for (size_t i = 0; i < s->nz; i++) s->step[i] = -s->r[i];
    brink_blocks_solve(&s->blocks, s->values, s->step);
    double size = step_size(s, 0, s->nz, s->step, y);
    if (!isfinite(size)) return BRINK_TRY_UNSOLVED;
    bool falls = size <= CONTRACTS * before;
    if (!falls && size > AT_REST)
      return at_noise(eval, 0, s->nz, t, y, s->r) ? BRINK_TRY_OK : BRINK_TRY_UNSOLVED;
    add_step(s, 0, s->nz, 1.0, s->step, y);
    s->current = false;
    if (!inside_bounds(eval, 0, s->nz, y)) return BRINK_TRY_UNSOLVED;
    if (size <= DBL_EPSILON || !falls) {
      if (!brink_eval_admit(eval, t, y)) return BRINK_TRY_OUTSIDE;
      return BRINK_TRY_OK;
    }
    before = size;
  }
  return BRINK_TRY_UNSOLVED;
}

/* ---- one block ---- */

static brink_try no_solution(brink_eval *eval, size_t b, const double *y) {
  struct brink_solver *s = eval->solver;
  s->failed = true;
  const brink_structure *structure = s->structure;
  brink_constraint_blame(s, BRINK_REASON_UNSOLVED, 0.0);
  for (size_t i = structure->block[b]; i < structure->block[b + 1]; i++) {
    double left = fabs(s->r[i]);
    if (!(left <= s->fault.value)) s->fault.value = left;
    brink_constraint_blame_row(s, i);
    brink_constraint_blame_component(s, structure->unknown[i], y[structure->unknown[i]]);
  }
  return BRINK_TRY_UNSOLVED;
}

/* A damped step: the first of 1, 1/2, 1/4, … with which the simplified correction falls. y moves there, and r are the
 * rows there. */
static brink_try damp(brink_eval *eval, double t, size_t b, double *y) {
  struct brink_solver *s = eval->solver;
  size_t first = s->structure->block[b], end = s->structure->block[b + 1];
  double *next = s->column;
  brink_try outcome = BRINK_TRY_UNSOLVED;
  for (double part = 1.0; part > LEAST_DAMPING; part *= 0.5) {
    memcpy(s->trial, y, eval->nx * sizeof *y);
    add_step(s, first, end, part, s->step, s->trial);
    if (!inside_bounds(eval, first, end, s->trial)) continue;
    outcome = brink_constraint_rows(eval, t, s->trial, s->r_trial);
    if (outcome == BRINK_TRY_FATAL) return outcome;
    if (outcome != BRINK_TRY_OK) continue;
    for (size_t i = first; i < end; i++) next[i] = -s->r_trial[i];
    brink_blocks_solve_one(&s->blocks, b, next + first);
    double now = 0.0, then = 0.0; /* in units of this step */
    for (size_t i = first; i < end; i++) {
      double scale = fabs(y[s->structure->unknown[i]]) + fabs(s->step[i]) + DBL_MIN;
      now = fmax(now, fabs(s->step[i]) / scale);
      then = fmax(then, fabs(next[i]) / scale);
    }
    if (!(then <= (1.0 - 0.25 * part) * now)) {
      outcome = BRINK_TRY_UNSOLVED;
      continue;
    }
    memcpy(y, s->trial, eval->nx * sizeof *y);
    memcpy(s->r, s->r_trial, (s->nz + s->structure->nh) * sizeof *s->r);
    return BRINK_TRY_OK;
  }
  return outcome;
}

/* Unknowns of a block, a little beside where they are. */
static void shake(const struct brink_solver *s, size_t first, size_t end, double *y) {
  for (size_t i = first; i < end; i++) {
    double *z = &y[s->structure->unknown[i]];
    *z += BESIDE * (1.0 + fabs(*z)) * (1.0 + (double)(i - first) / (double)(end - first));
  }
}

/* Beside it, too: its equations depend on each other. */
static brink_try singular(brink_eval *eval, double t, size_t b, const double *y) {
  brink_try outcome = no_solution(eval, b, y);
  if (!brink_constraint_regular(eval, t, y)) return BRINK_TRY_UNSOLVED;
  return outcome;
}

static brink_try solve_block(brink_eval *eval, double t, size_t b, double *y) {
  struct brink_solver *s = eval->solver;
  size_t first = s->structure->block[b], end = s->structure->block[b + 1];
  brink_try outcome = brink_constraint_rows(eval, t, y, s->r);
  bool shaken = false;
  for (int k = 0; k < MOST_DAMPED && outcome == BRINK_TRY_OK; k++) {
    outcome = brink_constraint_derive(eval, t, y);
    if (outcome != BRINK_TRY_OK) break;
    s->current = true; /* y is left alone if it ends here */
    if (at_rounding(eval, first, end, t, y, s->r, s->r_trial)) return BRINK_TRY_OK;
    eval->stats.newton++;
    eval->stats.factorisations++;
    if (!brink_blocks_factor(&s->blocks, s->values, b, brink_eval_patience(eval))) {
      if (shaken) return singular(eval, t, b, y);
      shaken = true; /* singular here, perhaps, and not beside it: 0 = z^2 - x at z = 0 */
      shake(s, first, end, y);
      outcome = brink_constraint_rows(eval, t, y, s->r);
      continue;
    }
    for (size_t i = first; i < end; i++) s->step[i] = -s->r[i];
    brink_blocks_solve_one(&s->blocks, b, s->step + first);
    double here = step_size(s, first, end, s->step, y);
    if (here <= DBL_EPSILON) return BRINK_TRY_OK;
    brink_try damped = damp(eval, t, b, y);
    if (damped == BRINK_TRY_FATAL) return damped;
    if (damped == BRINK_TRY_OK) continue;
    /* Steps no longer fall: rounding? */
    if (here <= AT_REST || at_noise(eval, first, end, t, y, s->r)) return BRINK_TRY_OK;
    outcome = damped == BRINK_TRY_OUTSIDE ? damped : no_solution(eval, b, y);
  }
  if (outcome == BRINK_TRY_OK) outcome = no_solution(eval, b, y);
  if (outcome == BRINK_TRY_REFUSED) eval->bad_state = BRINK_NONE;
  return outcome;
}

brink_try brink_constraint_solve(brink_eval *eval, double t, double *y) {
  struct brink_solver *s = eval->solver;
  brink_try outcome = brink_constraint_bind(eval);
  if (outcome != BRINK_TRY_OK) return outcome;
  memcpy(s->z_kept, y + s->ns, s->nz * sizeof *y);
  s->current = false;
  outcome = solve_together(eval, t, y);
  if (outcome == BRINK_TRY_OK || outcome == BRINK_TRY_FATAL) return outcome;
  memcpy(y + s->ns, s->z_kept, s->nz * sizeof *y);
  for (size_t b = 0; b < s->structure->nblocks; b++) {
    outcome = solve_block(eval, t, b, y);
    if (outcome != BRINK_TRY_OK) return outcome;
  }
  return BRINK_TRY_OK;
}

/* ---- rates ---- */

/* solver->column becomes dz/dt along the field dx of the states; derivatives and factors are those of the point. */
static void find_rates(brink_eval *eval, double *dx) {
  struct brink_solver *s = eval->solver;
  const brink_sparsity *pattern = &s->structure->pattern;
  double *v = s->column;
  memset(v, 0, s->nz * sizeof *v);
  for (size_t j = 0; j <= eval->nx; j++) {
    if (j >= s->ns && j < eval->nx) continue; /* unknowns */
    double rate = j < eval->nx ? dx[j] : 1.0;
    for (size_t e = pattern->starts[j]; e < pattern->starts[j + 1]; e++) {
      size_t row = pattern->rows[e];
      if (row < s->nz) v[row] -= s->values[e] * rate;
    }
  }
  brink_blocks_solve(&s->blocks, s->values, v);
  for (size_t i = 0; i < s->nz; i++) dx[s->structure->unknown[i]] = v[i];
}

brink_try brink_constraint_field(brink_eval *eval, double t, const double *x, double *dx) {
  struct brink_solver *s = eval->solver;
  double *y = s->y;
  memcpy(y, x, eval->nx * sizeof *y);
  brink_try outcome = brink_constraint_solve(eval, t, y);
  if (outcome == BRINK_TRY_OK) outcome = brink_eval_call_states(eval, t, y, dx);
  if (outcome == BRINK_TRY_OK && !s->current) outcome = brink_constraint_derive(eval, t, y);
  if (outcome != BRINK_TRY_OK) return outcome;
  if (!brink_blocks_factor_all(&s->blocks, s->values, brink_eval_patience(eval)))
    return brink_constraint_singular(eval, t, y);
  find_rates(eval, dx);
  if (are_finite(dx + s->ns, s->nz)) return BRINK_TRY_OK;
  eval->bad_state = BRINK_NONE;
  return BRINK_TRY_UNSOLVED;
}

/* ---- rank ---- */

brink_try brink_constraint_singular(brink_eval *eval, double t, const double *y) {
  struct brink_solver *s = eval->solver;
  s->failed = true;
  brink_constraint_blame(s, BRINK_REASON_UNSOLVED, 0.0);
  brink_constraint_regular(eval, t, y); /* names the equations */
  return BRINK_TRY_UNSOLVED;
}

#define TELLING 1e-3 /* entries of a null vector below this part of its largest are nothing */

bool brink_constraint_regular(brink_eval *eval, double t, const double *y) {
  struct brink_solver *s = eval->solver;
  const brink_structure *structure = s->structure;
  if (brink_constraint_derive(eval, t, y) != BRINK_TRY_OK) return true; /* others say so */
  for (size_t b = 0; b < structure->nblocks; b++) {
    size_t first = structure->block[b], m = structure->block[b + 1] - first;
    double *left = s->column, *right = s->step;
    double found = brink_blocks_condition(&s->blocks, s->values, b, SINGULAR, left, right,
                                          s->rank_room, brink_eval_patience(eval));
    if (found >= SINGULAR) continue;
    double most_left = 0.0, most_right = 0.0;
    for (size_t i = 0; i < m; i++) {
      most_left = fmax(most_left, fabs(left[i]));
      most_right = fmax(most_right, fabs(right[i]));
    }
    brink_constraint_blame(s, BRINK_REASON_DEPENDENT, 0.0);
    for (size_t i = 0; i < m; i++) {
      if (fabs(left[i]) >= TELLING * most_left) brink_constraint_blame_row(s, first + i);
      if (fabs(right[i]) >= TELLING * most_right)
        brink_constraint_blame_component(s, structure->unknown[first + i], 0.0);
    }
    return false;
  }
  return true;
}
