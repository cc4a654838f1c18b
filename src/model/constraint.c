/* constraint.c: models with constraints, and what implicit methods ask for (see eval.h and constraint.h). */
#include "model/constraint.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_MOVED                                                                                 \
  10.0                 /* tolerances: a step whose end is farther from its constraints has failed */
#define FOLLOWED 100.0 /* tolerances, of its size, that a path may be off an unknown; … */
#define LEAST_FOLLOWED 1e-6 /* … at least this part of it */
#define FAR 1e-3            /* a path that is so far off has lost it */
#define UNSURE 16.0 /* roundings that solving for an unknown may leave of each of its terms */

/* ---- memory ---- */

static bool take(struct brink_solver *s, const brink_model_def *def, brink_arena *arena) {
  const brink_constraints_def *constraints = def->constraints;
  size_t nx = def->nx, nz = def->nz, ns = nx - nz, most = constraints->most_invariants + nz;
  size_t rows = nz + constraints->most_invariants, block = nz * nz;
  if (constraints->most_factors < block) block = constraints->most_factors;
  double **const vectors[] = {&s->y,       &s->trial,     &s->total,       &s->field,
                              &s->start_x, &s->sliding_x, &s->start_guess, &s->start_given};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = brink_arena_take(arena, nx, sizeof(double));
  s->seen = brink_arena_take(arena, nx + 1, sizeof(double));
  s->r = brink_arena_take(arena, rows, sizeof(double));
  s->r_trial = brink_arena_take(arena, rows, sizeof(double));
  s->noise = brink_arena_take(arena, rows, sizeof(double));
  s->noise_r = brink_arena_take(arena, rows, sizeof(double));
  s->noise_x = brink_arena_take(arena, nx, sizeof(double));
  s->values = brink_arena_take(arena, constraints->most_entries, sizeof(double));
  s->step = brink_arena_take(arena, nz, sizeof(double));
  s->z_kept = brink_arena_take(arena, nz, sizeof(double));
  s->column = brink_arena_take(arena, nz, sizeof(double));
  s->z_weight = brink_arena_take(arena, nz, sizeof(double));
  s->z_scale = brink_arena_take(arena, nz, sizeof(double));
  s->z_floor = brink_arena_take(arena, nz, sizeof(double));
  s->x_scale = brink_arena_take(arena, ns, sizeof(double));
  s->z_effect = brink_arena_take(arena, nz, sizeof(double));
  s->z_rounding = brink_arena_take(arena, nz, sizeof(double));
  s->rank_room = brink_arena_take(arena, 2 * block + 2 * nz, sizeof(double));
  s->H = brink_arena_take(arena, most * ns, sizeof(double));
  s->normal = brink_arena_take(arena, most * most, sizeof(double));
  s->multiplier = brink_arena_take(arena, 3 * most, sizeof(double));
  s->pivots = brink_arena_take(arena, rows, sizeof(size_t));
  s->columns = brink_arena_take(arena, rows, sizeof(size_t));
  s->taken = brink_arena_take(arena, most, sizeof(bool));
  s->movable = brink_arena_take(arena, ns, sizeof(bool));
  s->z_read = brink_arena_take(arena, nz, sizeof(bool));
  s->weight = brink_arena_take(arena, ns, sizeof(double));
  s->impulse_room =
      brink_arena_take(arena, 4 * nx + (rows + nz) * (2 * nz + 4) + nx * nz, sizeof(double));
  s->blocks.factors = brink_arena_take(arena, constraints->most_factors, sizeof(double));
  s->blocks.pivots = brink_arena_take(arena, nz, sizeof(size_t));
  s->blocks.scale = brink_arena_take(arena, nz, sizeof(double));
  s->pattern_starts = brink_arena_take(arena, nx + 1, sizeof(size_t));
  size_t entries = constraints->most_entries;
  if (def->jacobian != NULL) entries += def->jacobian_pattern.starts[nx];
  s->pattern_rows = brink_arena_take(arena, entries, sizeof(size_t));
  s->pattern_from = brink_arena_take(arena, entries, sizeof(size_t));
  s->model_values = brink_arena_take(arena, entries, sizeof(double));
  return !arena->failed;
}

bool brink_solver_init(brink_eval *eval, brink_arena *arena) {
  const brink_model_def *def = &eval->model->def;
  eval->solver = NULL;
  if (def->nz == 0) return true;
  struct brink_solver *s = brink_arena_take(arena, 1, sizeof *s);
  if (s == NULL) return false;
  s->nz = def->nz;
  s->ns = def->nx - def->nz;
  eval->solver = s;
  if (!take(s, def, arena)) return false;
  for (size_t g = 0; g < def->nguards; g++) {
    const brink_guard_def *guard = &eval->model->guards[g].def;
    for (size_t k = 0; k < guard->ndepends; k++) {
      if (guard->depends[k] >= s->ns) s->z_read[guard->depends[k] - s->ns] = true;
    }
  }
  return true;
}

void brink_solver_tolerances(brink_eval *eval, double rtol, const double *atol) {
  struct brink_solver *s = eval->solver;
  if (s == NULL) return;
  s->rtol = rtol;
  s->atol = atol;
  s->least_atol = s->ns > 0 ? atol[0] : 0.0;
  for (size_t j = 1; j < s->ns; j++) s->least_atol = fmin(s->least_atol, atol[j]);
}

void brink_solver_relocate(struct brink_solver *s, brink_relocation *moved) {
  double **const vectors[] = {&s->y,
                              &s->trial,
                              &s->total,
                              &s->field,
                              &s->start_x,
                              &s->sliding_x,
                              &s->start_guess,
                              &s->start_given,
                              &s->seen,
                              &s->r,
                              &s->r_trial,
                              &s->values,
                              &s->step,
                              &s->z_kept,
                              &s->column,
                              &s->z_weight,
                              &s->noise,
                              &s->noise_r,
                              &s->noise_x,
                              &s->z_effect,
                              &s->z_scale,
                              &s->z_floor,
                              &s->x_scale,
                              &s->z_rounding,
                              &s->rank_room,
                              &s->H,
                              &s->normal,
                              &s->multiplier,
                              &s->weight,
                              &s->impulse_room,
                              &s->blocks.factors,
                              &s->blocks.scale,
                              &s->model_values};
  brink_relocate_vectors(moved, vectors, sizeof vectors / sizeof vectors[0]);
  BRINK_RELOCATE(moved, s->atol);
  BRINK_RELOCATE(moved, s->pivots);
  BRINK_RELOCATE(moved, s->columns);
  BRINK_RELOCATE(moved, s->taken);
  BRINK_RELOCATE(moved, s->movable);
  BRINK_RELOCATE(moved, s->z_read);
  BRINK_RELOCATE(moved, s->blocks.pivots);
  BRINK_RELOCATE(moved, s->pattern_starts);
  BRINK_RELOCATE(moved, s->pattern_rows);
  BRINK_RELOCATE(moved, s->pattern_from);
  s->structure = NULL; /* that of another model, perhaps: it is asked for again */
  memset(s->checked, 0, sizeof s->checked);
  s->pattern_of = NULL;
  s->pattern = (brink_sparsity){0};
  s->has_seen = false;
}

void brink_solver_forget(struct brink_solver *s) {
  if (s == NULL) return;
  memset(s->x_scale, 0, s->ns * sizeof *s->x_scale);
  memset(s->z_scale, 0, s->nz * sizeof *s->z_scale);
  memset(s->z_floor, 0, s->nz * sizeof *s->z_floor);
  s->since_measured = 0;
  s->has_seen = s->failed = false;
}

/* ---- faults ---- */

size_t brink_constraint_equation(const brink_structure *structure, size_t row) {
  return structure->equation != NULL ? structure->equation[row] : BRINK_NONE;
}

int brink_constraint_order(const brink_structure *structure, size_t row) {
  return structure->order != NULL ? structure->order[row] : 0;
}

void brink_constraint_blame(struct brink_solver *s, brink_reason reason, double value) {
  s->fault = (brink_constraint_fault){.reason = reason, .value = value};
}

void brink_constraint_blame_row(struct brink_solver *s, size_t row) {
  brink_constraint_fault *fault = &s->fault;
  if (fault->nequations == BRINK_DIAG_EQUATIONS) return;
  fault->equations[fault->nequations] = brink_constraint_equation(s->structure, row);
  fault->orders[fault->nequations++] = brink_constraint_order(s->structure, row);
}

void brink_constraint_blame_component(struct brink_solver *s, size_t component, double value) {
  brink_constraint_fault *fault = &s->fault;
  if (fault->nstates == BRINK_DIAG_EQUATIONS) return;
  fault->values[fault->nstates] = value;
  fault->states[fault->nstates++] = component;
}

/* ---- what implicit methods ask for ---- */

brink_try brink_eval_system(brink_eval *eval, double t, const double *x, double *r) {
  struct brink_solver *s = eval->solver;
  if (!brink_eval_admit(eval, t, x)) return BRINK_TRY_OUTSIDE;
  if (s == NULL) return brink_held_field(eval, t, x, r);
  if (eval->nfilippov > 0) return brink_held_system(eval, t, x, r);
  brink_try outcome = brink_constraint_bind(eval);
  if (outcome == BRINK_TRY_OK) outcome = brink_constraint_rows(eval, t, x, s->r);
  if (outcome == BRINK_TRY_OK) outcome = brink_eval_call_states(eval, t, x, r);
  if (outcome == BRINK_TRY_OK) memcpy(r + s->ns, s->r, s->nz * sizeof *r);
  return outcome;
}

/* The pattern of dx/dt, with the rows of g behind it; pattern_from: where each value comes from. */
static void join_patterns(brink_eval *eval) {
  struct brink_solver *s = eval->solver;
  const brink_sparsity *f = &eval->model->def.jacobian_pattern, *g = &s->structure->pattern;
  size_t own = f->starts[eval->nx], n = 0;
  for (size_t j = 0; j < eval->nx; j++) {
    s->pattern_starts[j] = n;
    for (size_t e = f->starts[j]; e < f->starts[j + 1]; e++) {
      s->pattern_rows[n] = f->rows[e];
      s->pattern_from[n++] = e;
    }
    for (size_t e = g->starts[j]; e < g->starts[j + 1]; e++) {
      if (g->rows[e] >= s->nz) continue;
      s->pattern_rows[n] = s->ns + g->rows[e];
      s->pattern_from[n++] = own + e;
    }
  }
  s->pattern_starts[eval->nx] = n;
  s->pattern_of = s->structure;
  s->pattern = (brink_sparsity){.starts = s->pattern_starts, .rows = s->pattern_rows};
}

const brink_sparsity *brink_eval_system_pattern(brink_eval *eval) {
  struct brink_solver *s = eval->solver;
  if (!brink_eval_has_jacobian(eval)) return NULL;
  if (s == NULL) return &eval->model->def.jacobian_pattern;
  if (brink_constraint_bind(eval) != BRINK_TRY_OK) return NULL;
  if (s->pattern_of != s->structure) join_patterns(eval);
  return &s->pattern;
}

brink_try brink_eval_system_jacobian(brink_eval *eval, double t, const double *x, double *values) {
  struct brink_solver *s = eval->solver;
  if (s == NULL) return brink_eval_jacobian(eval, t, x, values);
  if (brink_eval_system_pattern(eval) == NULL) return BRINK_TRY_UNSOLVED;
  brink_try outcome = brink_eval_jacobian(eval, t, x, s->model_values);
  if (outcome == BRINK_TRY_OK) outcome = brink_constraint_derive(eval, t, x);
  if (outcome != BRINK_TRY_OK) return outcome;
  size_t own = eval->model->def.jacobian_pattern.starts[eval->nx];
  for (size_t e = 0; e < s->pattern_starts[eval->nx]; e++) {
    size_t from = s->pattern_from[e];
    values[e] = from < own ? s->model_values[from] : s->values[from - own];
  }
  return BRINK_TRY_OK;
}

/* ---- a new point of the solution ---- */

/* Its size, if it is this now: no less than it has been, or than the terms that cancel in it. */
static double size_of_unknown(const struct brink_solver *s, size_t k, double z) {
  return fmax(fmax(s->z_scale[k], s->z_floor[k]), fabs(z));
}

/* A path that has lost an unknown says nothing about guards that read it. (Unknowns are not in the error test: this is
 * far coarser.) */
static bool is_followed(const struct brink_solver *s, size_t derived, double h, const double *x,
                        const double *y) {
  for (size_t k = 0; k < s->nz - derived; k++) {
    double off = fabs(x[s->ns + k] - y[s->ns + k]);
    bool matters = s->z_read[k] || s->z_effect[k] == 0.0 || /* to guards; to states */
                   off * s->z_effect[k] * h > 1.0;
    if (off > FAR * size_of_unknown(s, k, y[s->ns + k]) && matters) return false;
  }
  return true;
}

void brink_eval_note_unknowns(brink_eval *eval, const double *x) {
  struct brink_solver *s = eval->solver;
  for (size_t j = 0; s != NULL && j < s->ns; j++) s->x_scale[j] = fmax(s->x_scale[j], fabs(x[j]));
  for (size_t k = 0; s != NULL && k < s->nz; k++)
    s->z_scale[k] = fmax(s->z_scale[k], fabs(x[s->ns + k]));
}

double brink_eval_unknown_part(const brink_eval *eval) {
  return fmax(FOLLOWED * eval->solver->rtol, LEAST_FOLLOWED);
}

double brink_eval_unknown_weight(const brink_eval *eval, size_t component, double size, double h) {
  const struct brink_solver *s = eval->solver;
  size_t k = component - s->ns;
  if (k >= s->nz - eval->model->def.constraints->nderived)
    return (double)INFINITY; /* nobody reads it */
  double weight = brink_eval_unknown_part(eval) * size_of_unknown(s, k, size);
  double effect = s->z_read[k] ? 0.0 : s->z_effect[k] * h;
  return effect > 0.0 ? fmax(weight, 1.0 / effect) : weight;
}

/* How each unknown acts on the states, by differences. */
static void find_effects(brink_eval *eval, double t, const double *x) {
  struct brink_solver *s = eval->solver;
  double *y = s->start_x, *f = s->field, *g = s->total;
  memset(s->z_effect, 0, s->nz * sizeof *s->z_effect);
  memcpy(y, x, eval->nx * sizeof *y);
  if (!brink_eval_admit(eval, t, y) || brink_eval_call_states(eval, t, y, f) != BRINK_TRY_OK)
    return;
  for (size_t k = s->ns; k < eval->nx; k++) {
    double d = 1e-3 * fmax(fabs(x[k]), 1.0);
    y[k] = x[k] + d;
    if (brink_eval_admit(eval, t, y) && brink_eval_call_states(eval, t, y, g) == BRINK_TRY_OK) {
      for (size_t j = 0; j < s->ns; j++) {
        double effect = fabs(g[j] - f[j]) / d / brink_constraint_weight(eval, j, x);
        if (isfinite(effect)) s->z_effect[k - s->ns] = fmax(s->z_effect[k - s->ns], effect);
      }
    }
    y[k] = x[k];
  }
}

double brink_constraint_weight(const brink_eval *eval, size_t state, const double *y) {
  const struct brink_solver *s = eval->solver;
  return s->rtol * fmax(fabs(y[state]), s->x_scale[state]) +
         (s->atol != NULL ? s->atol[state] : 0.0);
}

#define ULPS 4.0 /* by which states are moved to see what rounding does to unknowns */
#define AGAIN 64 /* points after which it is looked at again */

/* What states of their largest sizes would make of each unknown. */
static void add_terms(brink_eval *eval, double t, const double *x) {
  struct brink_solver *s = eval->solver;
  double *sum = s->z_kept;
  if (!brink_eval_admit(eval, t, x) || brink_constraint_derive(eval, t, x) != BRINK_TRY_OK ||
      !brink_blocks_factor_all(&s->blocks, s->values, brink_eval_patience(eval)))
    return;
  memset(sum, 0, s->nz * sizeof *sum);
  for (size_t j = 0; j < s->ns; j++) {
    if (!brink_constraint_unknowns_by(eval, j)) continue;
    double size = fmax(fabs(x[j]), s->x_scale[j]);
    for (size_t i = 0; i < s->nz; i++)
      sum[s->structure->unknown[i] - s->ns] += fabs(s->column[i]) * size;
  }
  if (brink_eval_gives_up(eval)) return; /* not all was added */
  for (size_t k = 0; k < s->nz; k++) s->z_floor[k] = fmax(s->z_floor[k], sum[k]);
}

/* What an unknown is made of cancels, perhaps to nothing (a multiplier that is zero): rounding still shows its size. */
static void find_floor(brink_eval *eval, double t, const double *x) {
  struct brink_solver *s = eval->solver;
  double *y = s->start_x;
  s->since_measured = 0;
  add_terms(eval, t, x);
  for (unsigned trial = 0; trial < 3; trial++) {
    memcpy(y, x, eval->nx * sizeof *y);
    for (size_t j = 0; j < s->ns; j++) {
      double way = (j + trial) % 2 == 0 ? 1.0 : -1.0;
      y[j] *= 1.0 + way * (trial + 1) * ULPS * DBL_EPSILON;
    }
    if (brink_constraint_solve(eval, t, y) != BRINK_TRY_OK) continue;
    for (size_t k = 0; k < s->nz; k++) {
      double off = fabs(y[s->ns + k] - x[s->ns + k]) / ((trial + 1) * ULPS * DBL_EPSILON);
      s->z_floor[k] = fmax(s->z_floor[k], off);
    }
  }
}

void brink_constraint_measure(brink_eval *eval, double t, const double *x) {
  struct brink_solver *s = eval->solver;
  for (size_t k = 0; k < s->nz; k++) {
    s->z_scale[k] = fabs(x[s->ns + k]);
    s->z_floor[k] = 0.0;
  }
  find_floor(eval, t, x);
  find_effects(eval, t, x);
}

static brink_try settle_sliding(brink_eval *eval, double t, double *x, double *moved) {
  struct brink_solver *s = eval->solver;
  if (moved != NULL) memcpy(moved, x, eval->nx * sizeof *x);
  brink_try outcome = brink_held_settle(eval, t, x);
  if (outcome != BRINK_TRY_OK) return outcome;
  for (size_t i = 0; moved != NULL && i < eval->nx; i++) moved[i] = x[i] - moved[i];
  brink_eval_note_unknowns(eval, x);
  s->failed = false;
  return BRINK_TRY_OK;
}

brink_try brink_eval_settle(brink_eval *eval, double t, double *x, double *moved) {
  struct brink_solver *s = eval->solver;
  if (moved != NULL) memset(moved, 0, eval->nx * sizeof *moved);
  if (s == NULL) return BRINK_TRY_OK;
  if (eval->nfilippov > 0) return settle_sliding(eval, t, x, moved);
  double *y = s->y;
  memcpy(y, x, eval->nx * sizeof *y);
  brink_try outcome = brink_constraint_project(eval, t, y, NULL);
  if (outcome != BRINK_TRY_OK) return outcome;
  double most = 0.0;
  for (size_t j = 0; j < s->ns; j++) {
    if (s->total[j] != 0.0)
      most = fmax(most, fabs(s->total[j]) / brink_constraint_weight(eval, j, x));
  }
  if (!(most <= MOST_MOVED) ||
      !is_followed(s, eval->model->def.constraints->nderived, eval->h, x, y))
    return BRINK_TRY_ERROR;
  if (s->structure->nh > 0) eval->stats.projections++;
  eval->stats.largest_correction = fmax(eval->stats.largest_correction, most);
  for (size_t i = 0; moved != NULL && i < eval->nx; i++) moved[i] = y[i] - x[i];
  memcpy(x, y, eval->nx * sizeof *x);
  brink_eval_note_unknowns(eval, x);
  s->failed = false;
  if (++s->since_measured >= AGAIN) find_floor(eval, t, x);
  return BRINK_TRY_OK;
}

/* ---- tolerances and rounding of unknowns ---- */

/* z_weight and z_rounding at (t, x): what the tolerances of the states, and rounding, amount to in each unknown. */
static bool look_at(brink_eval *eval, double t, const double *x) {
  struct brink_solver *s = eval->solver;
  size_t bytes = eval->nx * sizeof *x;
  if (brink_constraint_bind(eval) != BRINK_TRY_OK) return false;
  if (s->has_seen && s->seen[eval->nx] == t && memcmp(s->seen, x, bytes) == 0) return true;
  s->has_seen = false;
  brink_stats counted = eval->stats; /* a clone looks once more: that must not show */
  bool known = brink_eval_admit(eval, t, x) &&
               brink_constraint_derive(eval, t, x) == BRINK_TRY_OK &&
               brink_blocks_factor_all(&s->blocks, s->values, brink_eval_patience(eval));
  eval->stats = counted;
  if (!known) return false;
  memset(s->z_weight, 0, s->nz * sizeof *s->z_weight);
  for (size_t i = 0; i < s->nz; i++) {
    size_t u = s->structure->unknown[i] - s->ns;
    s->z_rounding[u] = fabs(x[s->ns + u]);
  }
  for (size_t j = 0; j <= eval->nx; j++) {
    if (j >= s->ns && j < eval->nx) continue;
    if (!brink_constraint_unknowns_by(eval, j)) continue;
    double size = fabs(j < eval->nx ? x[j] : t);
    double weight = j < eval->nx && s->atol != NULL ? s->rtol * size + s->atol[j] : 0.0;
    for (size_t i = 0; i < s->nz; i++) {
      size_t u = s->structure->unknown[i] - s->ns;
      s->z_weight[u] += fabs(s->column[i]) * weight;
      s->z_rounding[u] += fabs(s->column[i]) * size;
    }
  }
  if (brink_eval_gives_up(eval)) return false; /* not all was added */
  memcpy(s->seen, x, bytes);
  s->seen[eval->nx] = t;
  s->has_seen = true;
  return true;
}

bool brink_eval_is_unknown(const brink_eval *eval, size_t component) {
  return eval->solver != NULL && component >= eval->solver->ns && component < eval->nx;
}

double brink_eval_unknown_tolerance(brink_eval *eval, size_t component, double t, const double *x) {
  const struct brink_solver *s = eval->solver;
  return look_at(eval, t, x) ? s->z_weight[component - s->ns] : 0.0;
}

double brink_eval_unknown_rounding(brink_eval *eval, size_t component, double t, const double *x) {
  const struct brink_solver *s = eval->solver;
  return UNSURE * (look_at(eval, t, x) ? s->z_rounding[component - s->ns] : fabs(x[component]));
}

double brink_eval_size(brink_eval *eval, size_t component, double t, const double *x) {
  return brink_eval_is_unknown(eval, component) ? brink_eval_unknown_rounding(eval, component, t, x)
                                                : fabs(x[component]);
}
