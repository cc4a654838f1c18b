/* detector.c: what all detectors share. */
#include "event/detector.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const brink_detector_ops *const all_detectors[] = {
    &brink_detector_extrapolate, &brink_detector_interpolate, &brink_detector_endpoint,
    &brink_detector_zlm,         &brink_detector_mnm,
};

const brink_detector_ops *brink_detector_ops_for(brink_events events) {
  for (size_t k = 0; k < sizeof all_detectors / sizeof all_detectors[0]; k++) {
    if (all_detectors[k]->events == events) return all_detectors[k];
  }
  return NULL;
}

/* The number of leaves, and operators, of the longest formula. */
static size_t longest_formula(const brink_model *model) {
  size_t longest = 1;
  for (size_t k = 0; k < model->def.nguards; k++) {
    if (model->guards[k].formula_length > longest) longest = model->guards[k].formula_length;
  }
  return longest;
}

bool brink_detector_create(brink_detector *det, const brink_options *options, const double *atol,
                           brink_eval *eval, brink_arena *arena) {
  *det = (brink_detector){.ops = brink_detector_ops_for(options->events),
                          .options = options,
                          .atol = atol,
                          .eval = eval,
                          .longest = (double)INFINITY};
  const brink_model *model = eval->model;
  size_t count = model->def.nguards;
  for (size_t k = 0; k < count; k++) {
    det->one_way = det->one_way || model->guards[k].def.direction != BRINK_BOTH;
    det->curved = det->curved || model->guards[k].def.coefficients == NULL;
  }
  det->g0 = brink_arena_take(arena, count, sizeof(double));
  det->seen = brink_arena_take(arena, count, sizeof(int64_t));
  det->g1 = brink_arena_take(arena, count, sizeof(double));
  det->tolerance = brink_arena_take(arena, count, sizeof(double));
  det->gap = brink_arena_take(arena, count, sizeof(double));
  det->slow = brink_arena_take(arena, count, sizeof(int));
  det->slope = brink_arena_take(arena, count, sizeof(double));
  det->slope_new = brink_arena_take(arena, count, sizeof(double));
  det->signs = brink_arena_take(arena, count, sizeof(double));
  det->touched = brink_arena_take(arena, count, sizeof(bool));
  det->high = brink_arena_take(arena, count, sizeof(double));
  det->leaves = brink_arena_take(arena, longest_formula(model), sizeof *det->leaves);
  det->located = brink_arena_take(arena, count, sizeof *det->located);
  det->misses = brink_arena_take(arena, count, sizeof *det->misses);
  det->queue_room = 2 * count; /* a guard may touch and then go through */
  det->queue = brink_arena_take(arena, det->queue_room, sizeof *det->queue);
  det->queued = brink_arena_take(arena, count, sizeof *det->queued);
  det->again = brink_arena_take(arena, count, sizeof *det->again);
  return det->ops != NULL && !arena->failed && brink_along_init(&det->space, eval, arena) &&
         brink_reach_create(&det->reach, options, atol, eval, arena);
}

/* Leaves keep the path that they were last looked at along, near misses a name that belongs to the model. */
static void relocate_items(brink_detector *det, brink_relocation *moved) {
  const brink_model *model = det->eval->model;
  size_t longest = longest_formula(model);
  BRINK_RELOCATE(moved, det->leaves);
  for (size_t k = 0; k < longest; k++) BRINK_RELOCATE(moved, det->leaves[k].along.path);
  BRINK_RELOCATE(moved, det->misses);
  for (size_t k = 0; k < model->def.nguards; k++) {
    brink_near_miss *miss = &det->misses[k];
    if (miss->name != NULL) miss->name = brink_model_guard_name(model, miss->guard);
  }
}

void brink_detector_relocate(brink_detector *det, brink_relocation *moved) {
  double **const vectors[] = {&det->g0,    &det->g1,        &det->tolerance, &det->gap,
                              &det->slope, &det->slope_new, &det->signs,     &det->high};
  brink_relocate_vectors(moved, vectors, sizeof vectors / sizeof vectors[0]);
  BRINK_RELOCATE(moved, det->options);
  BRINK_RELOCATE(moved, det->atol);
  BRINK_RELOCATE(moved, det->eval);
  BRINK_RELOCATE(moved, det->seen);
  BRINK_RELOCATE(moved, det->slow);
  BRINK_RELOCATE(moved, det->touched);
  BRINK_RELOCATE(moved, det->located);
  BRINK_RELOCATE(moved, det->queue);
  BRINK_RELOCATE(moved, det->queued);
  BRINK_RELOCATE(moved, det->again);
  det->foreseen = NULL; /* the copy is not in lanes */
  relocate_items(det, moved);
  brink_along_relocate(&det->space, moved);
  brink_reach_relocate(&det->reach, moved);
}

bool brink_detector_active(const brink_detector *det, size_t guard) {
  const brink_eval *eval = det->eval;
  return eval->enabled[guard] && eval->sgn[guard] != 0 && !eval->is_held[guard];
}

bool brink_detector_wants(const brink_detector *det, size_t guard, brink_direction direction) {
  brink_direction filter = det->eval->model->guards[guard].def.direction;
  return filter == BRINK_BOTH || filter == direction;
}

/* Tolerances at which a guard that touched its surface has left it: a little more than one, which is not
 * the same from place to place. */
#define LEFT 2.0

/* Tolerances from its surface, at most, at which a unilateral guard still fires together with another whose surface is
 * the same: both are where rounding has left them. */
#define AS_CLOSE 1.0

/* After a step that had to be cut, the next may be longer by this much. */
#define LONGER 1.25

double brink_detector_cut(brink_detector *det, const brink_found *found, double passed, double h) {
  if (!(found->cut > 0.0) || (found->event && found->sigma <= found->cut)) return 0.0;
  det->longest = (found->cut - passed) * h;
  return found->cut * h;
}

/* A formula needs its leaves; a leaf by itself nobody. */
static void evaluate(brink_detector *det, size_t guard, double t, const double *x, double *values) {
  const brink_guard *model_guard = &det->eval->model->guards[guard];
  if (model_guard->def.side == BRINK_LEAF) return;
  values[guard] = brink_eval_guard(det->eval, guard, t, x);
  for (size_t k = 0; k < model_guard->formula_length; k++) {
    const brink_formula_op *op = &model_guard->formula[k];
    if (op->op == 0) values[op->leaf] = det->eval->value[op->leaf];
  }
}

/* A guard is at (t, x) with the value g: at the end of a step, at an event of another guard that cut one, or
 * after an instant. What holds only until it has left its surface ends here, and nowhere else. */
static void note_value(brink_detector *det, size_t guard, double t, const double *x, double g) {
  brink_eval *eval = det->eval;
  int sign = eval->sgn[guard];
  if (det->touched[guard] && fabs(g) > LEFT * det->tolerance[guard]) det->touched[guard] = false;
  if (sign * g > eval->slack[guard]) eval->slack[guard] = 0.0; /* off the surface: armed again */
  if (sign != 0 || eval->is_held[guard]) return;
  if (fabs(g) > brink_detector_tolerance(det, guard, t, x))
    brink_eval_set_sign(eval, guard, g > 0.0 ? 1 : -1);
}

/* The domain check need not ask guards that are known to be far. */
static void pass_reach(brink_detector *det, const double *centre) {
  brink_eval *eval = det->eval;
  eval->centre = centre;
  eval->moved = det->reach.moved;
  eval->allow = det->reach.weight;
  eval->relevant = det->reach.relevant;
  eval->near = det->reach.near;
  eval->nnear = det->reach.nnear;
}

/* Before the first step: what is near at x itself. */
static void stand_still(brink_detector *det, const double *x) {
  memset(det->reach.moved, 0, det->eval->nx * sizeof *det->reach.moved);
  brink_reach_mark(&det->reach, det->reach.weight);
  pass_reach(det, x);
}

/* A guard of which nothing is known. */
static void look_anew(brink_detector *det, size_t k, double t, const double *x) {
  if (!det->eval->enabled[k] || (det->ops->needs_paths && det->reach.safe[k] >= 0.0)) return;
  evaluate(det, k, t, x, det->g0);
  det->seen[k] = det->step;
  if (det->eval->model->guards[k].def.side != BRINK_LEAF) note_value(det, k, t, x, det->g0[k]);
  double away = fabs(det->g0[k]);
  bool there = away <= LEFT * det->tolerance[k];
  det->high[k] = there ? away : fmax(det->high[k], away);
  if (det->ops->needs_paths) brink_reach_note(&det->reach, k, det->g0, t, x);
}

void brink_detector_reset(brink_detector *det, double t, const double *x) {
  size_t count = det->eval->model->def.nguards;
  brink_reach_freshen(&det->reach);
  if (det->marked) {
    memset(det->gap, 0, count * sizeof *det->gap);
    memset(det->slow, 0, count * sizeof *det->slow);
    memset(det->slope, 0, count * sizeof *det->slope);
    det->marked = false;
  }
  det->step++;
  det->reach.travelled += det->moved; /* of a step that was given up half-way, too */
  det->moved = 0.0;
  det->step_reach = -1.0;
  brink_reach_weigh(&det->reach, x);
  for (size_t c = 0; c < brink_reach_chunks(&det->reach); c++) {
    if (det->ops->needs_paths && det->reach.least[c] >= 0.0) continue; /* all are known */
    size_t end = brink_reach_chunk_end(&det->reach, c);
    for (size_t k = c * BRINK_REACH_CHUNK; k < end; k++) look_anew(det, k, t, x);
  }
  if (det->reach.any && det->ops->needs_paths) stand_still(det, x);
}

/* Is the guard's rate along f zero, within rounding? */
static bool is_flat(brink_detector *det, size_t guard, double t, const double *x, const double *f) {
  brink_eval *eval = det->eval;
  int polarity;
  double rate = brink_eval_rate(eval, guard, t, x, f), dt, size;
  size_t leaf = brink_eval_deciding_leaf(eval, guard, t, x, &polarity);
  const brink_guard_def *def = &eval->model->guards[leaf].def;
  if (brink_eval_gradient(eval, leaf, t, x, eval->gradient, &dt) != BRINK_TRY_OK) return false;
  size = fabs(dt);
  for (size_t k = 0; k < def->ndepends; k++) size += fabs(eval->gradient[k] * f[def->depends[k]]);
  return fabs(rate) <= 64.0 * DBL_EPSILON * size;
}

void brink_detector_start_flat(brink_detector *det, double t, const double *x, const double *f) {
  for (size_t j = 0; j < det->reach.nnear; j++) {
    size_t k = det->reach.near[j];
    if (!brink_detector_active(det, k) || det->seen[k] != det->step ||
        det->eval->model->guards[k].def.side == BRINK_UNILATERAL)
      continue;
    double tolerance = det->tolerance[k];
    if (tolerance == 0.0) tolerance = brink_detector_tolerance(det, k, t, x);
    if (fabs(det->g0[k]) <= tolerance && is_flat(det, k, t, x, f))
      det->eval->slack[k] = fmax(det->eval->slack[k], tolerance);
  }
}

void brink_detector_jump(brink_detector *det, const double *from, const double *to, bool same) {
  if (!det->reach.any) {
    brink_reach_reset(&det->reach);
    return;
  }
  if (!same) brink_reach_alter(&det->reach);
  det->reach.travelled += det->moved + brink_reach_jump(&det->reach, from, to);
  det->moved = 0.0;
}

double brink_detector_tolerance(brink_detector *det, size_t guard, double t, const double *x) {
  det->tolerance[guard] =
      brink_eval_tolerance(det->eval, guard, t, x, det->options->rtol, det->atol);
  return det->tolerance[guard];
}

/* Can the guard come near zero on the path last asked about? With no estimate of the shift, a step
 * is limited half-way to the surface. */
static bool excluded(brink_detector *det, size_t guard, const brink_path *path, bool halfway) {
  double distance = halfway ? 0.5 * fabs(det->g0[guard]) + det->eval->slack[guard] : 0.0;
  return brink_reach_excludes(&det->reach, guard, det->g0, path->t0, path->x0,
                              brink_reach_zone(&det->reach), distance);
}

/* Guards that have come near are evaluated; some turn out to be far after all. */
static void freshen(brink_detector *det, const brink_path *path) {
  brink_reach *reach = &det->reach;
  bool halfway = det->ops->one_sided && path->e == NULL && path->correction == NULL;
  size_t kept = 0;
  for (size_t j = 0; j < reach->nnear; j++) {
    size_t k = reach->near[j];
    if (!det->eval->enabled[k]) continue;
    if (det->seen[k] != det->step) {
      evaluate(det, k, path->t0, path->x0, det->g0);
      note_value(det, k, path->t0, path->x0, det->g0[k]);
      det->seen[k] = det->step;
      det->slope[k] = 0.0;
      brink_reach_note(reach, k, det->g0, path->t0, path->x0);
      if (!brink_reach_is_near(reach, k, det->step_reach)) continue;
    }
    if (!excluded(det, k, path, halfway)) reach->near[kept++] = k;
  }
  reach->nnear = kept;
}

void brink_detector_look(brink_detector *det, const brink_path *path) {
  if (!det->reach.any || !det->ops->needs_paths) return;
  brink_reach_freshen(&det->reach);
  det->step_reach = BRINK_REACH_ALLOW * brink_reach_of(&det->reach, path) + det->reach.weight;
  brink_reach_mark(&det->reach, det->step_reach);
  freshen(det, path);
  pass_reach(det, path->x0);
}

/* Rounding of sigma, and of the time there: what cannot be distinguished is one instant. */
static double same_instant(const brink_detector *det, double sigma) {
  return 64.0 * DBL_EPSILON * sigma + det->resolution;
}

/* May two events that cannot be distinguished be one instant? One that has to be past its surface, and one
 * that must not, are two. */
static bool may_join(const brink_detector *det, const brink_located *ev) {
  if (det->nlocated == 0) return true;
  const brink_guard *guards = det->eval->model->guards;
  brink_side side = guards[ev->guard].def.side, other = guards[det->located[0].guard].def.side;
  return !(side == BRINK_CROSSING && other == BRINK_UNILATERAL) &&
         !(side == BRINK_UNILATERAL && other == BRINK_CROSSING);
}

static void consider(brink_detector *det, brink_found *found, const brink_candidate *candidate) {
  double sigma = candidate->sigma;
  double same = may_join(det, &candidate->event) ? same_instant(det, sigma) : 0.0;
  if (found->event && sigma > found->sigma + same) return;
  if (!found->event || sigma < found->sigma - same) det->nlocated = 0;
  found->sigma = found->event ? fmin(sigma, found->sigma) : sigma;
  found->event = true;
  for (size_t k = 0; k < det->nlocated; k++) { /* it may touch, and then go through */
    if (det->located[k].guard == candidate->event.guard) return;
  }
  det->located[det->nlocated++] = candidate->event;
}

/* An event whose action is bound to change something ends the step, and what comes after it. (An action for one direction
 * changes nothing in the other. To look at the rest of the step in vain is cheaper than some starts.) */
static void draw_in(brink_detector *det, const brink_candidate *candidate) {
  const brink_guard_def *guard = &det->eval->model->guards[candidate->event.guard].def;
  if (guard->action == NULL || det->looks_on || candidate->sigma >= det->horizon) return;
  det->horizon = fmin(candidate->sigma + 2.0 * same_instant(det, candidate->sigma), 1.0);
  det->whole = false;
}

void brink_detector_add(brink_detector *det, brink_found *found, double sigma, brink_located ev) {
  brink_candidate candidate = {.sigma = sigma, .event = ev};
  if (det->nqueue < det->queue_room)
    det->queue[det->nqueue++] = candidate;
  else
    det->whole = false;
  draw_in(det, &candidate);
  consider(det, found, &candidate);
}

double brink_detector_tolerance_at(brink_detector *det, size_t guard, const brink_path *path,
                                   double sigma) {
  double t = path->t0 + sigma * path->h;
  if (det->eval->solver != NULL) /* the tolerance of an unknown takes all states */
    brink_path_eval(path, sigma, det->space.x);
  else
    brink_along_states(&det->space, guard, path, sigma);
  return brink_eval_tolerance(det->eval, guard, t, det->space.x, det->options->rtol, det->atol);
}

bool brink_detector_still_touches(brink_detector *det, size_t guard, const brink_path *path,
                                  double sigma) {
  enum { PARTS = 8 };
  if (!det->touched[guard]) return false;
  double near = LEFT * brink_detector_tolerance_at(det, guard, path, sigma);
  for (int k = 0; k < PARTS; k++) {
    double at = sigma * k / PARTS;
    if (fabs(brink_along_value(&det->space, guard, path, at)) > near) return false;
  }
  return true;
}

bool brink_detector_only_dips(brink_detector *det, size_t guard, const brink_path *path,
                              double sigma, const double *c, int degree, const brink_root *roots,
                              int count, int k) {
  if (k + 1 >= count || roots[k].kind == BRINK_ROOT_TOUCH || roots[k + 1].kind == roots[k].kind ||
      roots[k + 1].kind == BRINK_ROOT_TOUCH)
    return false;
  /* Between two simple roots the middle is near the bottom. */
  double bottom = brink_poly_eval(c, degree, 0.5 * (roots[k].s + roots[k + 1].s));
  return fabs(bottom) <= brink_detector_tolerance_at(det, guard, path, sigma);
}

brink_found brink_detector_after(brink_detector *det, const brink_path *dense,
                                 const double *x_new) {
  brink_found found = {.sigma = 1.0, .undefined = BRINK_NONE};
  brink_eval *eval = det->eval;
  det->nlocated = det->nmisses = det->nqueue = 0;
  det->whole = true;
  det->horizon = 1.0;
  det->resolution = DBL_EPSILON * fmax(fabs(dense->t0) / dense->h, DBL_MIN);
  if (det->step_reach < 0.0 || !brink_reach_holds(&det->reach, dense))
    brink_detector_look(det, dense);
  det->moved = fmax(det->step_reach, 0.0);
  double t_end = dense->t0 + dense->h;
  for (size_t j = 0; j < det->reach.nnear; j++) {
    size_t k = det->reach.near[j];
    det->slope_new[k] = 0.0;
    det->queued[k] = false;
    if (!eval->enabled[k]) continue;
    evaluate(det, k, t_end, x_new, det->g1);
    if (isnan(det->g1[k])) found.undefined = k;
  }
  brink_along_hold(&det->space, dense);
  det->ops->after(det, dense, &found);
  brink_along_release(&det->space);
  det->undefined = found.undefined;
  return found;
}

/* The points: some on the way, and one just before sigma. */
static bool defined_until(brink_detector *det, const brink_path *dense, double sigma,
                          size_t guard) {
  enum { PARTS = 16 };
  int sign = det->eval->sgn[guard];
  for (int k = 1; k <= PARTS; k++) {
    double at = k < PARTS ? sigma * k / PARTS : sigma * (1.0 - 1e-9);
    double y = sign * brink_along_value(&det->space, guard, dense, at);
    if (isnan(y) || y < -det->eval->slack[guard]) return false;
  }
  return true;
}

bool brink_detector_defined_until(brink_detector *det, const brink_path *dense, double sigma,
                                  size_t *guard) {
  for (size_t j = 0; j < det->reach.nnear; j++) {
    size_t k = det->reach.near[j];
    if (!brink_detector_active(det, k) || (k != det->undefined && !isnan(det->g1[k]))) continue;
    if (defined_until(det, dense, sigma, k)) continue;
    *guard = k;
    return false;
  }
  return true;
}

/* How far those that go through their surfaces at sigma still are from them, in tolerances: by rounding. */
static double distance_left(brink_detector *det, const brink_path *dense, double sigma) {
  double most = 0.0;
  for (size_t k = 0; k < det->nlocated; k++) {
    size_t guard = det->located[k].guard;
    if (det->located[k].kind != BRINK_CROSSED) continue;
    double g = brink_along_value(&det->space, guard, dense, sigma);
    double tolerance = brink_detector_tolerance_at(det, guard, dense, sigma);
    if (tolerance > 0.0) most = fmax(most, fabs(g) / tolerance);
  }
  return fmin(most * (1.0 + 1e-9), AS_CLOSE);
}

static bool has_fired(const brink_detector *det, size_t guard) {
  for (size_t k = 0; k < det->nlocated; k++) {
    if (det->located[k].guard == guard) return true;
  }
  return false;
}

/* A unilateral guard that comes down to its surface at sigma, as closely as what fires there. */
static bool comes_along(brink_detector *det, size_t guard, const brink_path *dense, double sigma,
                        double landed) {
  int sign = det->eval->sgn[guard];
  double y = sign * brink_along_value(&det->space, guard, dense, sigma);
  if (y > landed * 100.0 * det->tolerance[guard]) return false; /* the exact one costs more */
  double before = sign * brink_along_value(&det->space, guard, dense, 0.999 * sigma);
  return y < before && y <= landed * brink_detector_tolerance_at(det, guard, dense, sigma);
}

void brink_detector_join(brink_detector *det, const brink_path *dense, brink_found *found) {
  double landed = -1.0, sigma = found->sigma;
  for (size_t j = 0; det->eval->nwatch > 0 && j < det->reach.nnear; j++) {
    size_t guard = det->reach.near[j];
    if (det->eval->model->guards[guard].def.side != BRINK_UNILATERAL ||
        !brink_detector_active(det, guard) || !brink_eval_protects(det->eval, guard) ||
        has_fired(det, guard))
      continue;
    if (landed < 0.0) landed = distance_left(det, dense, sigma);
    if (!comes_along(det, guard, dense, sigma, landed)) continue;
    int sign = det->eval->sgn[guard];
    brink_located ev = {.guard = guard, .kind = BRINK_CROSSED, .direction = brink_leaving(sign)};
    for (size_t k = 0; k < det->nqueue; k++) { /* it may be known to touch */
      if (det->queue[k].event.guard == guard) ev.kind = det->queue[k].event.kind;
    }
    if (brink_detector_still_touches(det, guard, dense, sigma)) continue;
    det->located[det->nlocated++] = ev;
    found->sigma = fmin(found->sigma, brink_detector_inside(det, guard, dense, sigma, sign));
  }
}

bool brink_detector_may_go_on(brink_detector *det, double t_end, const double *x_new) {
  const brink_model *model = det->eval->model;
  if (!det->whole) return false;
  for (size_t k = 0; k < model->nsign_readers; k++) { /* what was found of these no longer holds */
    if (det->eval->enabled[model->sign_readers[k]]) return false;
  }
  for (size_t j = 0; det->curved && j < det->reach.nnear; j++) {
    size_t k = det->reach.near[j];
    if (!det->eval->enabled[k] || model->guards[k].def.coefficients != NULL) continue;
    double g = brink_eval_guard(det->eval, k, t_end, x_new);
    if (memcmp(&g, &det->g1[k], sizeof g) != 0) return false;
  }
  return true;
}

/* Guards that have fired may fire again: they are looked at once more on the rest of the step. Where it has to be
 * cut, or 0. */
static double look_again(brink_detector *det, const brink_path *rest, double passed) {
  size_t count = det->nlocated, from = det->nqueue;
  brink_found found = {.sigma = 1.0, .undefined = BRINK_NONE};
  for (size_t k = 0; k < count; k++) det->again[k] = det->located[k].guard;
  for (size_t k = 0; k < count; k++) {
    size_t guard = det->again[k];
    if (det->queued[guard]) continue;
    evaluate(det, guard, rest->t0, rest->x0, det->g0);
    det->slope[guard] = 0.0;
    det->high[guard] = fabs(det->g0[guard]); /* it has been at its surface */
    if (brink_detector_active(det, guard)) brink_interpolate_guard(det, guard, rest, &found);
  }
  for (size_t k = from; k < det->nqueue; k++)
    det->queue[k].sigma = passed + (1.0 - passed) * det->queue[k].sigma;
  if (found.undefined != BRINK_NONE) det->undefined = found.undefined;
  return found.cut > 0.0 ? passed + (1.0 - passed) * found.cut : 0.0;
}

bool brink_detector_wants_rest(const brink_detector *det) {
  for (size_t k = 0; k < det->nlocated; k++) {
    if (!det->queued[det->located[k].guard]) return true;
  }
  return false;
}

brink_found brink_detector_next(brink_detector *det, const brink_path *rest, double passed) {
  size_t kept = 0;
  for (size_t k = 0; k < det->nqueue; k++) { /* those that have just fired leave the queue */
    if (det->queue[k].sigma > passed + same_instant(det, passed))
      det->queue[kept++] = det->queue[k];
  }
  det->nqueue = kept;
  for (size_t k = 0; k < det->nlocated; k++) { /* the others are looked at again */
    if (det->queued[det->located[k].guard]) det->high[det->located[k].guard] = 0.0;
  }
  double cut = rest != NULL ? look_again(det, rest, passed) : 0.0;
  brink_found found = {.sigma = 1.0, .undefined = det->undefined, .cut = cut};
  det->nlocated = 0;
  for (size_t k = 0; k < det->nqueue; k++) consider(det, &found, &det->queue[k]);
  return found;
}

/* One guard at the end of an accepted step. */
static void commit_guard(brink_detector *det, size_t guard, double t, const double *x) {
  brink_eval *eval = det->eval;
  int sign = eval->sgn[guard];
  double g = det->g0[guard] = det->g1[guard];
  det->slope[guard] = det->slope_new[guard];
  det->marked = det->marked || det->slope[guard] != 0.0;
  note_value(det, guard, t, x, g);
  det->high[guard] = sign * g < 0.0 ? fabs(g) : fmax(det->high[guard], fabs(g));
  if (eval->is_held[guard]) return;
  /* A crossing that the guard's direction does not call an event still changes its sign. */
  if (!(sign * g < -eval->slack[guard])) return;
  bool one_sided =
      eval->model->guards[guard].def.side == BRINK_UNILATERAL; /* the domain check's business */
  if (!one_sided && det->ops->needs_paths && brink_detector_wants(det, guard, brink_leaving(sign)))
    det->passed = true; /* nobody saw it cross: the event is here */
  else
    brink_eval_set_sign(eval, guard, -sign);
}

void brink_detector_commit(brink_detector *det, double t, const double *x) {
  brink_eval *eval = det->eval;
  brink_reach_freshen(&det->reach);
  det->longest *= LONGER;
  det->reach.travelled += det->moved;
  det->moved = 0.0;
  det->step++;
  det->passed = false;
  brink_reach_weigh(&det->reach, x);
  for (size_t i = 0; i < det->reach.nnear; i++) {
    size_t k = det->reach.near[i];
    const brink_guard *guard = &eval->model->guards[k];
    if (!eval->enabled[k]) continue;
    commit_guard(det, k, t, x);
    det->seen[k] = det->step;
    for (size_t j = 0; j < guard->formula_length; j++) {
      if (guard->formula[j].op == 0)
        det->g0[guard->formula[j].leaf] = det->g1[guard->formula[j].leaf];
    }
    if (det->ops->needs_paths) brink_reach_note(&det->reach, k, det->g0, t, x);
  }
}
