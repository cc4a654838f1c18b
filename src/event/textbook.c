/* textbook.c: three detectors that look only at the ends of a step, for comparison and teaching.
 *
 *   endpoint  a sign change between the ends is narrowed down on the dense output
 *   zlm       García 2004, section III.A: the zero of the chord between the ends, state and guard
 *             taken linear; event error O(h^2) whatever the integrator. A guard that is exactly
 *             zero at a mesh point counts as an event (the printed test g_n > 0, g_{n+1} < 0 loses
 *             it).
 *   mnm       García 2004, section III.B: the step is divided into options.mnm_parts parts, the
 *             first part with a sign change divided again, until the guard is zero to rounding;
 *             the event is at the left end. Values inside the step come from the dense output.
 *
 * None of them sees an even number of crossings; that is what they are here to show. */
#include <float.h>
#include <math.h>

#include "event/detector.h"

typedef double locate_fn(brink_detector *det, size_t guard, const brink_path *dense);

static double value_at(brink_detector *det, size_t guard, const brink_path *dense, double sigma) {
  brink_path_eval(dense, sigma, det->space.x);
  return brink_eval_guard(det->eval, guard, dense->t0 + sigma * dense->h, det->space.x);
}

static void check_ends(brink_detector *det, const brink_path *dense, brink_found *found,
                       locate_fn *locate) {
  brink_eval *eval = det->eval;
  for (size_t k = 0; k < eval->model->def.nguards; k++) {
    if (!brink_detector_active(det, k)) continue;
    int sign = eval->sgn[k];
    brink_direction direction = brink_leaving(sign);
    double y = sign * det->g1[k];
    if (!(y <= 0.0) || !brink_detector_wants(det, k, direction)) continue;
    if (sign * det->g0[k] <= 0.0 && y >= -eval->slack[k]) continue; /* still leaving the surface */
    brink_detector_add(det, found, locate(det, k, dense),
                       (brink_located){.guard = k, .kind = BRINK_CROSSED, .direction = direction});
  }
}

/* ---- endpoint ---- */

static double bisect(brink_detector *det, size_t guard, const brink_path *dense) {
  int sign = det->eval->sgn[guard];
  double low = 0.0, high = 1.0;
  while (high - low > 2.0 * DBL_EPSILON) {
    double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    if (sign * value_at(det, guard, dense, middle) > 0.0)
      low = middle;
    else
      high = middle;
  }
  return det->eval->model->guards[guard].def.side == BRINK_UNILATERAL ? low : high;
}

static void endpoint_after(brink_detector *det, const brink_path *dense, brink_found *found) {
  check_ends(det, dense, found, bisect);
}

/* ---- zlm ---- */

static double chord(brink_detector *det, size_t guard, const brink_path *dense) {
  (void)dense;
  double g0 = det->g0[guard], g1 = det->g1[guard];
  return g0 == g1 ? 1.0 : fmin(fmax(g0 / (g0 - g1), 0.0), 1.0);
}

static void zlm_after(brink_detector *det, const brink_path *dense, brink_found *found) {
  check_ends(det, dense, found, chord);
  found->chord = true;
}

/* ---- mnm ---- */

static double subdivide(brink_detector *det, size_t guard, const brink_path *dense) {
  int sign = det->eval->sgn[guard];
  int parts = det->options->mnm_parts;
  double low = 0.0, high = 1.0;
  for (int level = 0; level < 60 && high - low > 2.0 * DBL_EPSILON; level++) {
    double width = (high - low) / parts, left = low, right = high;
    for (int k = 1; k <= parts; k++) {
      right = k < parts ? left + width : high;
      if (k == parts || sign * value_at(det, guard, dense, right) <= 0.0) break;
      left = right;
    }
    if (!(right > left) || (left == low && right == high)) break;
    low = left;
    high = right;
  }
  return low;
}

static void mnm_after(brink_detector *det, const brink_path *dense, brink_found *found) {
  check_ends(det, dense, found, subdivide);
}

const brink_detector_ops brink_detector_endpoint = {.events = BRINK_ENDPOINT,
                                                    .after = endpoint_after};
const brink_detector_ops brink_detector_zlm = {.events = BRINK_ZLM, .after = zlm_after};
const brink_detector_ops brink_detector_mnm = {.events = BRINK_MNM, .after = mnm_after};
