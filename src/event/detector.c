/* detector.c: what all detectors share. */
#include "event/detector.h"

#include <float.h>
#include <math.h>

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

bool brink_detector_create(brink_detector *det, const brink_options *options, const double *atol,
                           brink_eval *eval, brink_arena *arena) {
  *det = (brink_detector){.ops = brink_detector_ops_for(options->events),
                          .options = options,
                          .atol = atol,
                          .eval = eval};
  const brink_model *model = eval->model;
  size_t count = model->def.nguards, longest = 1;
  for (size_t k = 0; k < count; k++) {
    if (model->guards[k].formula_length > longest) longest = model->guards[k].formula_length;
  }
  det->g0 = brink_arena_take(arena, count, sizeof(double));
  det->g1 = brink_arena_take(arena, count, sizeof(double));
  det->tolerance = brink_arena_take(arena, count, sizeof(double));
  det->gap = brink_arena_take(arena, count, sizeof(double));
  det->slow = brink_arena_take(arena, count, sizeof(int));
  det->slope = brink_arena_take(arena, count, sizeof(double));
  det->slope_new = brink_arena_take(arena, count, sizeof(double));
  det->touched = brink_arena_take(arena, count, sizeof(bool));
  det->leaves = brink_arena_take(arena, longest, sizeof *det->leaves);
  det->hits = brink_arena_take(arena, count, sizeof *det->hits);
  det->misses = brink_arena_take(arena, count, sizeof *det->misses);
  return det->ops != NULL && det->g0 != NULL && det->g1 != NULL && det->tolerance != NULL &&
         det->gap != NULL && det->slow != NULL && det->slope != NULL && det->slope_new != NULL &&
         det->touched != NULL && det->leaves != NULL && det->hits != NULL && det->misses != NULL &&
         brink_along_init(&det->space, eval, arena);
}

bool brink_detector_active(const brink_detector *det, size_t guard) {
  const brink_eval *eval = det->eval;
  return eval->enabled[guard] && eval->sgn[guard] != 0 && guard != eval->slide &&
         eval->model->guards[guard].def.side != BRINK_LEAF;
}

bool brink_detector_wants(const brink_detector *det, size_t guard, brink_direction direction) {
  brink_direction filter = det->eval->model->guards[guard].def.direction;
  return filter == BRINK_BOTH || filter == direction;
}

void brink_detector_reset(brink_detector *det, double t, const double *x) {
  const brink_model *model = det->eval->model;
  for (size_t k = 0; k < model->def.nguards; k++) {
    det->gap[k] = 0.0;
    det->slow[k] = 0;
    det->slope[k] = 0.0;
    if (!det->eval->enabled[k]) continue;
    det->g0[k] = brink_eval_guard(det->eval, k, t, x);
    if (model->guards[k].def.side != BRINK_LEAF)
      det->tolerance[k] = brink_eval_tolerance(det->eval, k, t, x, det->options->rtol, det->atol);
  }
}

void brink_detector_add(brink_detector *det, brink_found *found, double sigma, brink_hit hit) {
  /* Rounding of sigma: what cannot be told apart is one instant. */
  double same = 8.0 * DBL_EPSILON;
  if (found->event && sigma > found->sigma + same) return;
  if (!found->event || sigma < found->sigma - same) det->nhits = 0;
  found->sigma = found->event ? fmin(sigma, found->sigma) : sigma;
  found->event = true;
  det->hits[det->nhits++] = hit;
}

bool brink_detector_only_dips(const brink_detector *det, size_t guard, const double *c, int degree,
                              const brink_root *roots, int count, int k, double *back) {
  if (k + 1 >= count || roots[k].kind == BRINK_ROOT_TOUCH || roots[k + 1].kind == roots[k].kind ||
      roots[k + 1].kind == BRINK_ROOT_TOUCH)
    return false;
  /* Between two simple roots the middle is near the bottom. */
  double bottom = brink_poly_eval(c, degree, 0.5 * (roots[k].s + roots[k + 1].s));
  *back = roots[k + 1].s;
  return fabs(bottom) <= det->tolerance[guard];
}

brink_found brink_detector_after(brink_detector *det, const brink_path *dense,
                                 const double *x_new) {
  brink_found found = {.sigma = 1.0};
  brink_eval *eval = det->eval;
  det->nhits = det->nmisses = 0;
  double t_end = dense->t0 + dense->h;
  for (size_t k = 0; k < eval->model->def.nguards; k++) {
    det->slope_new[k] = 0.0;
    if (eval->enabled[k]) det->g1[k] = brink_eval_guard(eval, k, t_end, x_new);
  }
  det->ops->after(det, dense, &found);
  return found;
}

void brink_detector_commit(brink_detector *det) {
  brink_eval *eval = det->eval;
  for (size_t k = 0; k < eval->model->def.nguards; k++) {
    if (!eval->enabled[k]) continue;
    det->g0[k] = det->g1[k];
    det->slope[k] = det->slope_new[k];
    int sign = eval->sgn[k];
    if (fabs(det->g1[k]) > det->tolerance[k]) det->touched[k] = false;
    if (eval->slack[k] > 0.0 && sign * det->g1[k] > 0.0) eval->slack[k] = 0.0; /* armed again */
    /* A crossing that the guard's direction does not call an event still changes its sign. */
    if (sign * det->g1[k] < -eval->slack[k] && k != eval->slide) eval->sgn[k] = (signed char)-sign;
    if (sign == 0 && k != eval->slide && fabs(det->g1[k]) > det->tolerance[k])
      eval->sgn[k] = det->g1[k] > 0.0 ? 1 : -1;
  }
}
