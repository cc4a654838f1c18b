/* reach.c: which guards a step can reach at all (see reach.h). */
#include "event/reach.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The published gain keeps up to 2/C = 105 tolerances away (extrapolate.c). */
#define GAIN_ZONE 128.0

double brink_reach_zone(const brink_reach *reach) {
  return fmax(reach->options->near_miss, GAIN_ZONE);
}

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

/* A leaf that only parameters, modes and signs can change: it is what it is as long as a step lasts. */
static bool is_steady(const brink_model *model, size_t leaf) {
  const brink_guard_def *def = &model->guards[leaf].def;
  return !def->reads_signs && plain_bound(def) == 0.0;
}

static bool has_steady_leaf(const brink_model *model, const brink_guard *guard) {
  for (size_t k = 0; k < guard->formula_length; k++) {
    if (guard->formula[k].op == 0 && is_steady(model, guard->formula[k].leaf)) return true;
  }
  return false;
}

/* Nothing that a plain guard reads moves on the path last asked about. (Where that is a prediction, what it says of the
 * corrected path is not exact: then this is not known.) */
static bool stands_still(const brink_reach *reach, size_t guard) {
  const brink_guard_def *def = &reach->eval->model->guards[guard].def;
  bool timeless = def->coefficients != NULL ? def->time_coefficient == 0.0 : def->timeless;
  if (!reach->exact || !timeless || def->reads_signs) return false;
  for (size_t k = 0; k < def->ndepends; k++) {
    if (reach->moved[def->depends[k]] != 0.0) return false;
  }
  return true;
}

/* Does a formula have its sign by leaves that stay as they are alone, whatever the others become? Then both bounds of a
 * formula in which the others are anything have one sign. These are leaves that no step can change; with `on_path`,
 * also those that stand still on the path last asked about. `value`: of the leaves. */
static bool is_decided(const brink_reach *reach, const brink_guard *guard, const double *value,
                       bool on_path) {
  const brink_model *model = reach->eval->model;
  double low[BRINK_FORMULA_DEPTH + 1], high[BRINK_FORMULA_DEPTH + 1];
  int top = 0;
  for (size_t k = 0; k < guard->formula_length; k++) {
    const brink_formula_op *op = &guard->formula[k];
    if (op->op == 0) {
      bool steady = is_steady(model, op->leaf) || (on_path && stands_still(reach, op->leaf));
      low[top] = steady ? op->polarity * value[op->leaf] : (double)-INFINITY;
      high[top] = steady ? op->polarity * value[op->leaf] : (double)INFINITY;
      top++;
      continue;
    }
    top--;
    bool both = op->op == BRINK_AND;
    low[top - 1] = both ? fmin(low[top - 1], low[top]) : fmax(low[top - 1], low[top]);
    high[top - 1] = both ? fmin(high[top - 1], high[top]) : fmax(high[top - 1], high[top]);
  }
  return low[0] > 0.0 || high[0] < 0.0;
}

static bool is_quadratic(const brink_guard *guard) {
  return guard->formula == NULL && guard->def.degree == 2;
}

static bool uses_time(const brink_guard_def *def) {
  return def->time_coefficient != 0.0 || def->lipschitz_time != 0.0 || def->degree == 2;
}

static bool worthwhile(const brink_model *model) {
  size_t costly = 0;
  for (size_t k = 0; k < model->def.nguards; k++) costly += model->guards[k].linear ? 0 : 1;
  return costly > 0 || model->def.nguards > 8;
}

static bool take_arrays(brink_reach *reach, size_t count, brink_arena *arena) {
  size_t nx = reach->eval->nx;
  const brink_model_def *def = &reach->eval->model->def;
  reach->sgn = brink_arena_take(arena, count, sizeof(signed char));
  reach->p = brink_arena_take(arena, def->np, sizeof(double));
  reach->mode = brink_arena_take(arena, def->nmodes, sizeof(int));
  reach->safe = brink_arena_take(arena, count, sizeof(double));
  reach->lipschitz = brink_arena_take(arena, count, sizeof(double));
  reach->least = brink_arena_take(arena, brink_reach_chunks(reach), sizeof(double));
  reach->chunk_traits = brink_arena_take(arena, brink_reach_chunks(reach), 1);
  reach->slope = brink_arena_take(arena, count, sizeof(double));
  reach->curvature = brink_arena_take(arena, count, sizeof(double));
  reach->gradient =
      brink_arena_take(arena, 2 * (reach->eval->model->max_depends + 1), sizeof(double));
  reach->probe = brink_arena_take(arena, nx, sizeof(double));
  reach->moved = brink_arena_take(arena, nx, sizeof(double));
  reach->tails = brink_arena_take(arena, nx, sizeof(double));
  reach->centre = brink_arena_take(arena, nx, sizeof(double));
  reach->relevant = brink_arena_take(arena, nx, sizeof(bool));
  reach->steady = brink_arena_take(arena, count, sizeof(bool));
  reach->near = brink_arena_take(arena, count, sizeof(size_t));
  return !arena->failed;
}

/* The states that a guard, or the leaves of a formula, depend on. */
static void mark_relevant(brink_reach *reach, const brink_guard *guard) {
  const brink_model *model = reach->eval->model;
  size_t length = guard->formula == NULL ? 1 : guard->formula_length;
  for (size_t j = 0; j < length; j++) {
    if (guard->formula != NULL && guard->formula[j].op != 0) continue;
    const brink_guard_def *def =
        guard->formula == NULL ? &guard->def : &model->guards[guard->formula[j].leaf].def;
    for (size_t k = 0; k < def->ndepends; k++) reach->relevant[def->depends[k]] = true;
    reach->time = reach->time || uses_time(def);
  }
}

enum { SOME_READ_SIGNS = 1, SOME_ALTERABLE = 2 }; /* chunk_traits */

bool brink_reach_create(brink_reach *reach, const brink_options *options, const double *atol,
                        brink_eval *eval, brink_arena *arena) {
  const brink_model *model = eval->model;
  size_t count = model->def.nguards;
  *reach = (brink_reach){.eval = eval, .options = options, .atol = atol};
  if (!take_arrays(reach, count, arena)) return false;
  for (size_t k = 0; k < count; k++) {
    const brink_guard *guard = &model->guards[k];
    unsigned char *traits = &reach->chunk_traits[k / BRINK_REACH_CHUNK];
    if ((model->traits[k] & BRINK_TRAIT_READS_SIGNS) != 0) *traits |= SOME_READ_SIGNS;
    if ((model->traits[k] & BRINK_TRAIT_NUMBERS) == 0) *traits |= SOME_ALTERABLE;
    if (guard->def.side == BRINK_LEAF) continue;
    reach->near[reach->nnear++] = k;
    reach->lipschitz[k] =
        guard->formula == NULL ? plain_bound(&guard->def) : formula_bound(model, guard);
    reach->steady[k] = guard->formula != NULL && has_steady_leaf(model, guard);
    reach->any = reach->any || reach->steady[k];
    if (reach->lipschitz[k] < 0.0 && !is_quadratic(guard)) continue;
    reach->any = true;
    mark_relevant(reach, guard);
  }
  /* A gain of one's own limits steps however far the surface is, a termination of one's own may be far
   * from it; and a few linear guards are cheaper looked at than reasoned about. */
  bool own = options->gain == BRINK_GAIN_FIXED || options->termination > 0.0;
  if (own || !worthwhile(model)) reach->any = false;
  brink_reach_reset(reach);
  return true;
}

void brink_reach_relocate(brink_reach *reach, brink_relocation *moved) {
  double **const vectors[] = {&reach->safe,      &reach->least,  &reach->lipschitz, &reach->slope,
                              &reach->curvature, &reach->p,      &reach->gradient,  &reach->probe,
                              &reach->moved,     &reach->centre, &reach->tails};
  brink_relocate_vectors(moved, vectors, sizeof vectors / sizeof vectors[0]);
  reach->path = NULL;
  BRINK_RELOCATE(moved, reach->eval);
  BRINK_RELOCATE(moved, reach->options);
  BRINK_RELOCATE(moved, reach->atol);
  BRINK_RELOCATE(moved, reach->relevant);
  BRINK_RELOCATE(moved, reach->steady);
  BRINK_RELOCATE(moved, reach->chunk_traits);
  BRINK_RELOCATE(moved, reach->sgn);
  BRINK_RELOCATE(moved, reach->mode);
  BRINK_RELOCATE(moved, reach->near);
}

/* ---- what all of it depends on ---- */

static void set_safe(brink_reach *reach, size_t guard, double safe) {
  double *least = &reach->least[guard / BRINK_REACH_CHUNK];
  reach->safe[guard] = safe;
  if (!(safe >= *least))
    *least = safe >= 0.0 ? safe : -(double)INFINITY; /* NaN: nothing is known */
}

static void forget_guard(brink_reach *reach, size_t guard) {
  set_safe(reach, guard, -1.0);
  reach->curvature[guard] = -1.0;
}

static void note_signs(brink_reach *reach) {
  size_t count = reach->eval->model->def.nguards;
  if (count > 0) memcpy(reach->sgn, reach->eval->sgn, count);
}

#ifndef NDEBUG
/* Only for assertions: whoever changes these says so (brink_reach_reset). */
static bool same_functions(const brink_reach *reach) {
  const brink_model_def *def = &reach->eval->model->def;
  return (def->np == 0 || memcmp(reach->p, reach->eval->p, def->np * sizeof(double)) == 0) &&
         (def->nmodes == 0 ||
          memcmp(reach->mode, reach->eval->mode, def->nmodes * sizeof(int)) == 0);
}
#endif

void brink_reach_freshen(brink_reach *reach) {
  const brink_model *model = reach->eval->model;
  assert(reach->eval->restored || same_functions(reach));
  if (model->nsign_readers == 0 || memcmp(reach->sgn, reach->eval->sgn, model->def.nguards) == 0)
    return;
  for (size_t k = 0; k < model->nsign_readers; k++) forget_guard(reach, model->sign_readers[k]);
  note_signs(reach);
}

void brink_reach_renumber(brink_reach *reach) {
  const brink_model_def *def = &reach->eval->model->def;
  if (def->np > 0) memcpy(reach->p, reach->eval->p, def->np * sizeof(double));
}

static void note_functions(brink_reach *reach) {
  const brink_model_def *def = &reach->eval->model->def;
  note_signs(reach);
  if (def->np > 0) memcpy(reach->p, reach->eval->p, def->np * sizeof(double));
  if (def->nmodes > 0) memcpy(reach->mode, reach->eval->mode, def->nmodes * sizeof(int));
}

void brink_reach_reset(brink_reach *reach) {
  reach->travelled = 0.0;
  note_functions(reach);
  for (size_t k = 0; k < reach->eval->model->def.nguards; k++) forget_guard(reach, k);
}

void brink_reach_alter(brink_reach *reach) {
  const brink_model *model = reach->eval->model;
  note_functions(reach);
  for (size_t k = 0; k < model->nalterable; k++) forget_guard(reach, model->alterable[k]);
}

/* ---- safe distances ---- */

void brink_reach_weigh(brink_reach *reach, const double *x) {
  double most = 0.0;
  for (size_t i = 0; i < reach->eval->nx; i++) {
    double weight = reach->options->rtol * fabs(x[i]) + reach->atol[i];
    if (reach->relevant[i] && weight > most) most = weight;
  }
  reach->weight = most;
}

/* sum_ij |H_ij| of a quadratic guard, time included, from differences of its gradient, which are
 * exact but for rounding. */
static double total_curvature(brink_reach *reach, size_t guard, double t, const double *x) {
  brink_eval *eval = reach->eval;
  const brink_guard_def *def = &eval->model->guards[guard].def;
  size_t n = def->ndepends;
  double *at = reach->gradient, *there = at + n + 1, sum = 0.0;
  if (brink_eval_gradient(eval, guard, t, x, at, &at[n]) != BRINK_TRY_OK) return INFINITY;
  memcpy(reach->probe, x, eval->nx * sizeof *x);
  for (size_t j = 0; j <= n; j++) {
    double later = j == n ? t + 1.0 : t;
    if (j < n) reach->probe[def->depends[j]] = x[def->depends[j]] + 1.0;
    if (brink_eval_gradient(eval, guard, later, reach->probe, there, &there[n]) != BRINK_TRY_OK)
      return INFINITY;
    for (size_t i = 0; i <= n; i++) sum += fabs(there[i] - at[i]);
    if (j < n) reach->probe[def->depends[j]] = x[def->depends[j]];
  }
  return sum * (1.0 + 1e-9);
}

/* The largest r with A r + B r^2/2 <= room: |g| cannot fall by more than `room` within it. */
static double quadratic_distance(brink_reach *reach, size_t guard, double g, double t,
                                 const double *x) {
  const brink_guard_def *def = &reach->eval->model->guards[guard].def;
  if (reach->curvature[guard] < 0.0) reach->curvature[guard] = total_curvature(reach, guard, t, x);
  double b = reach->curvature[guard], a, rate;
  reach->slope[guard] = (double)INFINITY;
  if (!isfinite(b) ||
      brink_eval_gradient(reach->eval, guard, t, x, reach->gradient, &rate) != BRINK_TRY_OK)
    return -1.0;
  a = fabs(rate);
  for (size_t k = 0; k < def->ndepends; k++) a += fabs(reach->gradient[k]);
  reach->slope[guard] = a;
  double room = fabs(g) - brink_reach_zone(reach) * a * reach->weight;
  if (!(room > 0.0)) return -1.0;
  return 2.0 * room / (a + sqrt(a * a + 2.0 * b * room));
}

void brink_reach_note(brink_reach *reach, size_t guard, const double *values, double t,
                      const double *x) {
  double g = values[guard], bound = reach->lipschitz[guard], distance = -1.0;
  const brink_model *model = reach->eval->model;
  if (reach->steady[guard] && is_decided(reach, &model->guards[guard], values, false)) {
    distance = (double)INFINITY;
  } else if (bound >= 0.0) {
    double room = fabs(g) - brink_reach_zone(reach) * bound * reach->weight;
    distance = room / fmax(bound, 1e-300);
  } else if (is_quadratic(&model->guards[guard])) {
    distance = quadratic_distance(reach, guard, g, t, x);
  }
  bool known = distance > 0.0;
  set_safe(reach, guard, known ? reach->travelled + distance * (1.0 - 1e-9) : -1.0);
}

/* ---- steps ---- */

double brink_reach_of(brink_reach *reach, const brink_path *path) {
  size_t nx = reach->eval->nx;
  double *restrict moved = reach->moved;
  memset(moved, 0, nx * sizeof *moved);
  for (size_t i = 0; path->powers && i < nx; i++)
    moved[i] = brink_path_reach(path, i, BRINK_REACH_HEAD, &reach->tails[i]);
  reach->path = path->powers ? path : NULL;
  for (int l = 0; !path->powers && l < path->terms; l++) {
    const double *restrict a = path->a[l];
    double bound = path->bound[l];
    for (size_t i = 0; i < nx; i++) moved[i] += fabs(a[i]) * bound;
  }
  reach->moved_time = path->h;
  reach->exact = path->powers;
  double most = reach->time ? path->h : 0.0;
  for (size_t i = 0; i < nx; i++) most = reach->relevant[i] && moved[i] > most ? moved[i] : most;
  return most;
}

bool brink_reach_holds(const brink_reach *reach, const brink_path *corrected) {
  if (corrected->correction == NULL || corrected->h > reach->moved_time) return false;
  double bound = corrected->correction_bound;
  for (size_t i = 0; i < reach->eval->nx; i++) {
    double allowed = (BRINK_REACH_ALLOW - 1.0) * reach->moved[i] + reach->weight;
    if (reach->relevant[i] && !(fabs(corrected->correction[i]) * bound <= allowed)) return false;
  }
  return true;
}

bool brink_reach_excludes(const brink_reach *reach, size_t guard, const double *values,
                          double tolerances, double distance) {
  const brink_guard *model_guard = &reach->eval->model->guards[guard];
  const brink_guard_def *def = &model_guard->def;
  double g0 = values[guard];
  if (reach->any && (model_guard->formula != NULL ? is_decided(reach, model_guard, values, true)
                                                  : stands_still(reach, guard)))
    return true;
  if (!reach->any || model_guard->formula != NULL || reach->lipschitz[guard] < 0.0) return false;
  const double *bounds = def->coefficients != NULL ? def->coefficients : def->lipschitz;
  double time = def->coefficients != NULL ? def->time_coefficient : def->lipschitz_time;
  double reached = fabs(time) * reach->moved_time;
  for (size_t k = 0; k < def->ndepends; k++)
    reached += fabs(bounds[k]) * reach->moved[def->depends[k]];
  double tolerance = tolerances * reach->lipschitz[guard] * reach->weight;
  return fabs(g0) > BRINK_REACH_ALLOW * reached + (tolerance > distance ? tolerance : distance);
}

double brink_reach_allowance(const brink_reach *reach, size_t guard, double distance) {
  double bound = reach->lipschitz[guard], beside = INFINITY;
  if (bound < 0.0 && reach->curvature[guard] >= 0.0)
    bound = reach->slope[guard] + reach->curvature[guard] * distance;
  if (bound >= 0.0) beside = bound * ((BRINK_REACH_ALLOW - 1.0) * distance + reach->weight);
  return beside;
}

void brink_reach_mark(brink_reach *reach, double distance) {
  double end = reach->travelled + distance;
  const brink_model *model = reach->eval->model;
  reach->nnear = 0;
  for (size_t c = 0; c < brink_reach_chunks(reach); c++) {
    if (end < reach->least[c]) continue;
    double least = (double)INFINITY;
    for (size_t k = c * BRINK_REACH_CHUNK; k < brink_reach_chunk_end(reach, c); k++) {
      double safe = reach->safe[k];
      if (!(safe >= least)) least = safe >= 0.0 ? safe : -(double)INFINITY;
      if (!(end < safe) && (model->traits[k] & BRINK_TRAIT_LEAF) == 0)
        reach->near[reach->nnear++] = k;
    }
    reach->least[c] = least;
  }
}

bool brink_reach_settled(const brink_reach *reach, size_t chunk, double distance, bool altered) {
  int traits = reach->chunk_traits[chunk];
  if ((traits & SOME_READ_SIGNS) != 0 || (altered && (traits & SOME_ALTERABLE) != 0)) return false;
  return reach->any && reach->travelled + distance < reach->least[chunk];
}

double brink_reach_jump(const brink_reach *reach, const double *from, const double *to) {
  double most = 0.0;
  for (size_t i = 0; i < reach->eval->nx; i++) {
    double jump = fabs(to[i] - from[i]);
    if (reach->relevant[i] && jump > most) most = jump;
  }
  return most;
}
