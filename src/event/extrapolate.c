/* extrapolate.c: look before the step.
 *
 * The problem  A unilateral guard must be reached from its own side, and the right-hand side must
 *              not be evaluated past it: not even at the trial points of a step.
 * The method   Before the step, the guard is extrapolated along the predictor, which needs no
 *              evaluation of the model, and the step is cut where it would come too close (Esposito
 *              & Kumar 2007, eqs. 11-15). With y = sgn*g >= 0 inside:
 *
 *              margin (default): the corrector will move the predicted point by about
 *                  |shift_i(sigma)| <= |e_i| M(sigma),      M ~ sigma^2 near 0
 *              so the step ends where  y(sigma) = kappa sum |dg/dx_i| |e_i| M(sigma) + eta. As M
 *              vanishes quadratically, so does the gap from step to step. As soon as the shift on
 *              the way to the surface itself is a fraction of the tolerance, the predictor is good
 *              enough to be the solution: it is followed to the surface, where nothing has to be
 *              evaluated any more in the old mode.
 *              published: y(sigma) = gamma*y(0), with gamma = delta/y(0) for unilateral guards
 *                  (eq. 20), 0 for bilateral, -delta/y(0) for crossing ones (remark 2.7),
 *                  delta = sum |dg/dx_i| w_i / C. For y(0) <= 2 delta the event is declared: with a
 *                  smaller threshold the published rule stalls at delta, or crosses; a larger one is
 *                  options.termination, eps_g of the paper.
 *              fixed: y(sigma) = gamma*y(0) with the user's gamma: a geometric approach, to within
 *                  options.termination, or the tolerance.
 * Guarantee    What is predicted here may be wrong; that the right-hand side is not evaluated
 *              outside does not depend on it, because brink_eval_may is asked before every call.
 * Deviations   delta is formed in the dual (weighted 1-) norm of the error test, and with the
 *              constant-step Milne constant; eta is a rounding bound; a touch of zero (double root)
 *              counts as reaching it. Where the gap stops shrinking fast although it is within the
 *              tolerance (a singular edge: the derivative is infinite, or the slope zero, at the
 *              surface), the event is declared there. */
#include <brink/jet.h>
#include <float.h>
#include <math.h>

#include "event/detector.h"

#define KAPPA 4.0 /* safety factor of the predicted shift (measured: 4 suffices, 1 does not) */
#define TRUST_SHIFT 0.5   /* the predictor is the solution if its shift is below this tolerance */
#define TRUST_DETAIL 1e-3 /* … and below this part of the way the guard still has to go */
#define SLOW 0.2          /* a gap that shrinks by less than this per step, … */
#define SLOW_STEPS 4      /* … this many steps in a row, is a singular edge */
#define PIECES 16 /* of the predictor, that a guard is followed over before it cuts the step */

/* C in Err = C |x^p - x^c| for Adams formulas of orders 1-12 at constant step: Milne's device
 * (Esposito & Kumar 2007, eq. 16), from the classical error constants. */
static const double milne[] = {
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 10.0,
    19.0 / 270.0,
    27.0 / 502.0,
    863.0 / 19950.0,
    1375.0 / 38174.0,
    33953.0 / 1103970.0,
    57281.0 / 2140034.0,
    3250433.0 / 137461698.0,
    1135053.0 / 53684506.0,
    13695779093.0 / 717300033450.0,
};

static double published_delta(const brink_detector *det, size_t guard, int order) {
  int m = order < 1 ? 1 : order > 12 ? 12 : order;
  return det->tolerance[guard] / milne[m - 1];
}

/* ---- one guard's polynomials ---- */

/* The part of the predictor that they hold on, in their own variable: sigma = from + width*tau. */
typedef struct piece {
  double from, width;
} piece;

/* A guard that is followed over pieces of the predictor, no further than `horizon`, where something else ends the step. */
typedef struct course {
  piece on;
  int count, pieces; /* leaves; pieces so far */
  double horizon;
} course;

/* What a truncated series leaves out, as far as its last terms tell. */
static double truncation(const brink_along *along) {
  if (along->exact) return 0.0;
  return 10.0 * (fabs(along->c[along->degree]) + fabs(along->c[along->degree - 1]));
}

/* Bounds by the sum of the coefficients, or, if these do not settle it, by Bernstein's. */
static bool stays_off_zero(brink_leaf_poly *leaf) {
  const brink_along *along = &leaf->along;
  double off = truncation(along), spread = 0.0;
  for (int k = 1; k <= along->degree; k++) spread += fabs(along->c[k]);
  leaf->low = along->c[0] - spread;
  leaf->high = along->c[0] + spread;
  if (!(leaf->low > off || leaf->high < -off))
    brink_poly_range(along->c, along->degree, &leaf->low, &leaf->high);
  return leaf->low > off || leaf->high < -off;
}

/* A polynomial in tau becomes one in tau', tau = ratio tau'. */
static void stretch(double *c, int degree, double ratio) {
  double power = 1.0;
  for (int k = 1; k <= degree; k++) c[k] *= power *= ratio;
}

/* One leaf along the predictor. Where its polynomial is an approximation that does not clear it, it
 * is replaced by one that fits the guard's own values, as far along as one does. */
static bool build_leaf(brink_detector *det, brink_leaf_poly *leaf, const brink_path *path) {
  brink_along *along = &leaf->along;
  leaf->fitted = false;
  leaf->margin = leaf->way = 0.0;
  if (!brink_along_build(&det->space, leaf->leaf, path, det->g0[leaf->leaf], along)) return false;
  if (stays_off_zero(leaf) || along->exact) return true;
  leaf->fitted = true;
  return brink_along_fit(&det->space, leaf->leaf, path, 0.0, 1.0, BRINK_ALONG_PART, along);
}

/* All leaves on the piece that each of them holds on: sigma = from + width*tau, 0 <= tau <= 1. */
static piece share_piece(brink_detector *det, int count, double from) {
  piece on = {.from = from, .width = 1.0 - from};
  for (int k = 0; k < count; k++) on.width = fmin(on.width, det->leaves[k].along.width);
  for (int k = 0; k < count; k++) {
    brink_along *along = &det->leaves[k].along;
    if (along->width != on.width) stretch(along->c, along->degree, on.width / along->width);
    along->from = from;
    along->width = on.width;
  }
  return on;
}

/* How far a leaf moves from the beginning of its piece to tau, at most. */
static double way_to(const brink_along *along, double tau) {
  double way = 0.0;
  for (int j = along->degree; j > 0; j--) way = (way + fabs(along->c[j])) * tau;
  return way;
}

/* The leaves on the piece that follows: fitted anew, or the same polynomials moved there. */
static bool next_piece(brink_detector *det, const brink_path *path, int count, piece *on) {
  double from = on->from + on->width, width = fmin(2.0 * on->width, 1.0 - from);
  for (int k = 0; k < count; k++) {
    brink_leaf_poly *leaf = &det->leaves[k];
    brink_along *along = &leaf->along;
    leaf->way += way_to(along, 1.0);
    if (leaf->fitted) {
      if (!brink_along_fit(&det->space, leaf->leaf, path, from, width, BRINK_ALONG_PART, along))
        return false;
    } else {
      brink_jet_shift(along->degree, along->c, 1.0, along->c);
      stretch(along->c, along->degree, width / along->width);
      along->width = width;
    }
  }
  *on = share_piece(det, count, from);
  return true;
}

/* The leaves of a guard along the first piece of the predictor; false if one has no polynomial. */
static bool build_leaves(brink_detector *det, size_t guard, const brink_path *path, int *count,
                         piece *on) {
  brink_eval *eval = det->eval;
  const brink_guard *model_guard = &eval->model->guards[guard];
  *count = 0;
  size_t length = model_guard->formula == NULL ? 1 : model_guard->formula_length;
  for (size_t k = 0; k < length; k++) {
    brink_formula_op op = {.op = 0, .leaf = guard, .polarity = 1};
    if (model_guard->formula != NULL) op = model_guard->formula[k];
    if (op.op != 0) continue;
    brink_leaf_poly *leaf = &det->leaves[(*count)++];
    leaf->leaf = op.leaf;
    leaf->polarity = op.polarity;
    if (!build_leaf(det, leaf, path)) return false;
  }
  *on = share_piece(det, *count, 0.0);
  return true;
}

/* How far the corrector may move each leaf. */
static void weigh_leaves(brink_detector *det, const brink_path *path, int count) {
  brink_eval *eval = det->eval;
  for (int k = 0; k < count && path->e != NULL; k++) {
    brink_leaf_poly *leaf = &det->leaves[k];
    const brink_guard_def *def = &eval->model->guards[leaf->leaf].def;
    double rate;
    if (brink_eval_gradient(eval, leaf->leaf, path->t0, path->x0, eval->gradient, &rate) !=
        BRINK_TRY_OK)
      continue;
    for (size_t i = 0; i < def->ndepends; i++)
      leaf->margin += fabs(eval->gradient[i] * path->e[def->depends[i]]);
  }
}

/* sign*polarity*g(sigma) - scale*margin*M(sigma) - offset, as a polynomial in tau: how far the leaf is
 * from making the formula leave its present sign. */
static int leaf_distance(const brink_leaf_poly *leaf, const brink_path *path, int sign,
                         double scale, double offset, double *c) {
  double from = leaf->along.from, width = leaf->along.width;
  int degree = leaf->along.degree;
  double size = 0.0;
  for (int k = 0; k <= degree; k++) {
    c[k] = sign * leaf->polarity * leaf->along.c[k];
    size += fabs(c[k]);
  }
  if (scale > 0.0 && path->e != NULL) {
    double margin[BRINK_PATH_DEGREE + 2];
    brink_path_margin(path, margin);
    int top = path->degree + 1;
    if (from > 0.0) brink_jet_shift(top, margin, from, margin);
    if (width < 1.0) stretch(margin, top, width);
    for (; degree < top; degree++) c[degree + 1] = 0.0;
    for (int k = 0; k <= top; k++) c[k] -= scale * leaf->margin * margin[k];
    offset += 8.0 * DBL_EPSILON * size; /* eta */
  }
  c[0] -= offset;
  return degree;
}

/* The value of the guard, seen from its present sign, with its leaves at the distances in leaf->at.
 */
static double distance_of(brink_detector *det, size_t guard, int count, int sign) {
  const brink_guard *model_guard = &det->eval->model->guards[guard];
  if (model_guard->formula == NULL) return det->leaves[0].at;
  for (int k = 0; k < count; k++) {
    const brink_leaf_poly *leaf = &det->leaves[k];
    det->eval->value[leaf->leaf] = sign * leaf->polarity * leaf->at; /* in the leaf's own sign */
  }
  return sign * brink_formula_value(model_guard, det->eval->value);
}

/* What is asked of the polynomials: with how much of the margin, and how far from the surface. */
typedef struct target {
  double scale, offset;
} target;

/* Where a guard reaches its target, if it does (sigma <= 1): through it or only touching, and where
 * a touch that dips through comes back (0: it does not). */
typedef struct arrival {
  double sigma;
  brink_event_kind kind;
  double hop;
} arrival;

/* Has the guard reached its target when its leaf `zero` (-1: none) is on its own? */
static bool reached(brink_detector *det, size_t guard, const brink_path *path, int count,
                    target goal, int zero, double tau) {
  if (count == 1 && zero == 0) return true;
  int sign = det->eval->sgn[guard];
  for (int j = 0; j < count; j++) {
    double c[BRINK_POLY_MAX_DEGREE + 2];
    int degree = leaf_distance(&det->leaves[j], path, sign, goal.scale, goal.offset, c);
    det->leaves[j].at = j == zero ? 0.0 : brink_poly_eval(c, degree, tau);
  }
  return distance_of(det, guard, count, sign) <= 0.0;
}

/* The first arrival on a piece of the predictor. A formula is followed from leaf root to leaf root (adding
 * a margin to every leaf makes a monotone formula change earlier, never later). */
static arrival first_arrival(brink_detector *det, size_t guard, const brink_path *path, piece on,
                             int count, target goal) {
  arrival first = {.sigma = 2.0};
  double c[BRINK_POLY_MAX_DEGREE + 2];
  brink_root roots[BRINK_ALONG_ROOTS];
  /* A seam may lie beside the root on both of its sides. */
  if (on.from > 0.0 && reached(det, guard, path, count, goal, -1, 0.0))
    return (arrival){.sigma = on.from, .kind = BRINK_CROSSED};
  for (int k = 0; k < count; k++) {
    int degree =
        leaf_distance(&det->leaves[k], path, det->eval->sgn[guard], goal.scale, goal.offset, c);
    if (brink_poly_excludes_zero(c, degree)) continue;
    det->eval->stats.roots++;
    int found = brink_poly_roots(c, degree, 0.0, 1.0, roots, BRINK_ALONG_ROOTS);
    for (int r = 0; r < found; r++) {
      double sigma = on.from + on.width * roots[r].s;
      if (sigma >= first.sigma) break;
      if (roots[r].kind == BRINK_ROOT_RISING ||
          !reached(det, guard, path, count, goal, k, roots[r].s))
        continue;
      bool touch = roots[r].kind == BRINK_ROOT_TOUCH;
      first = (arrival){.sigma = sigma};
      if (!touch && count == 1 &&
          brink_detector_only_dips(det, guard, path, sigma, c, degree, roots, found, r)) {
        touch = true;
        first.hop = on.from + on.width * roots[r + 1].s;
      }
      first.kind = touch ? BRINK_TOUCHED : BRINK_CROSSED;
    }
  }
  return first;
}

/* ---- the first question ---- */

static double margin_at(const brink_path *path, double sigma) {
  double margin[BRINK_PATH_DEGREE + 2];
  brink_path_margin(path, margin);
  return brink_poly_eval(margin, path->degree + 1, sigma);
}

/* M(sigma) is no larger on the predictor. */
static double largest_margin(const brink_path *path) {
  double margin[BRINK_PATH_DEGREE + 2];
  if (path->e == NULL) return 0.0;
  brink_path_margin(path, margin);
  return brink_poly_size(margin, path->degree + 1);
}

/* The largest shift of any state on the way to sigma, in tolerances. */
static double shift_in_tolerances(const brink_detector *det, const brink_path *path, double sigma) {
  double m = margin_at(path, sigma), worst = 0.0;
  for (size_t i = 0; i < det->eval->nx; i++) {
    double weight = det->options->rtol * fabs(path->x0[i]) + det->atol[i];
    worst = fmax(worst, fabs(path->e[i]) * m / weight);
  }
  return worst;
}

/* The last sigma before `reach` at which the guard's own value is still inside. */
static double inside_of(brink_detector *det, size_t guard, const brink_path *path, double reach) {
  int sign = det->eval->sgn[guard];
  double slack = det->eval->slack[guard];
  double back = 4.0 * DBL_EPSILON;
  for (int k = 0; k < 60; k++) {
    double sigma = reach * (1.0 - back);
    double y = sign * brink_along_value(&det->space, guard, path, sigma);
    if (y >= -slack) return sigma;
    back *= 2.0;
    if (back > 1.0) break;
  }
  return 0.0;
}

/* y at the present state; slack makes up for what an event left on the wrong side. */
static double present_distance(const brink_detector *det, size_t guard) {
  const brink_eval *eval = det->eval;
  return eval->sgn[guard] * det->g0[guard] + eval->slack[guard];
}

/* The guard's distance a moment (part of the step) from now, by its polynomials. */
static double distance_at(brink_detector *det, size_t guard, int count, double sigma) {
  int sign = det->eval->sgn[guard];
  for (int k = 0; k < count; k++) {
    brink_leaf_poly *leaf = &det->leaves[k];
    leaf->at = sign * leaf->polarity * brink_poly_eval(leaf->along.c, leaf->along.degree, sigma);
  }
  return distance_of(det, guard, count, sign);
}

/* Is the guard on its way to its surface? By its rate along the field f; within rounding of the surface, a
 * polynomial through its values is rounding, too. */
static bool approaching(brink_detector *det, size_t guard, const brink_path *path, const double *f,
                        course *c) {
  int sign = det->eval->sgn[guard], count = c->count;
  double rate = sign * brink_eval_rate(det->eval, guard, path->t0, path->x0, f);
  if (rate != 0.0 && !isnan(rate)) return rate < 0.0;
  if (c->on.from > 0.0 && !build_leaves(det, guard, path, &count, &c->on)) return false;
  if (count == 1) return sign * det->leaves[0].polarity * det->leaves[0].along.c[1] < 0.0;
  return distance_at(det, guard, count, 1e-3) < distance_at(det, guard, count, 0.0);
}

/* Is the predictor good enough to be followed to the surface? */
static bool trusts_predictor(const brink_detector *det, const brink_path *path, const course *c,
                             double reach) {
  if (path->e == NULL || reach * path->h > path->trusted) return false;
  if (!(shift_in_tolerances(det, path, reach) <= TRUST_SHIFT)) return false;
  double m = margin_at(path, reach);
  double tau = (reach - c->on.from) / c->on.width;
  for (int k = 0; k < c->count; k++) {
    double way = det->leaves[k].way + way_to(&det->leaves[k].along, tau);
    if (!(det->leaves[k].margin * m <= TRUST_DETAIL * way)) return false;
  }
  return true;
}

/* Within the tolerance, and getting closer too slowly: a singular edge. */
static bool crawls(brink_detector *det, size_t guard, double y0, bool limited) {
  double gap = det->gap[guard];
  det->marked = det->marked || limited;
  det->gap[guard] = limited ? y0 : 0.0;
  det->slow[guard] = limited && gap > 0.0 && y0 > SLOW * gap ? det->slow[guard] + 1 : 0;
  return det->slow[guard] >= SLOW_STEPS && y0 <= det->tolerance[guard] && !det->touched[guard];
}

/* A root of an approximation is only where to look: the guard's own values must change sign about
 * it. *reach becomes the place where they do. */
static bool is_there(brink_detector *det, size_t guard, const brink_path *path, int count,
                     double *reach) {
  bool exact = true;
  for (int k = 0; k < count; k++) exact = exact && det->leaves[k].along.exact;
  if (exact) return true;
  int sign = det->eval->sgn[guard];
  double slack = det->eval->slack[guard];
  for (double about = 1e-6; about < 0.2; about *= 10.0) {
    double low = *reach * (1.0 - about), high = fmin(*reach * (1.0 + about), 1.0), inside;
    if (sign * brink_along_value(&det->space, guard, path, low) + slack > 0.0 &&
        sign * brink_along_value(&det->space, guard, path, high) <= 0.0) {
      brink_along_bracket(&det->space, guard, path, low, high, &inside, reach);
      return true;
    }
  }
  return false;
}

/* On to the next piece? *end: how far the guard is known, if there is none; what it does beyond the horizon does not
 * matter. */
static bool goes_on(brink_detector *det, const brink_path *path, course *c, double *end) {
  double to = c->on.from + c->on.width;
  *end = 1.0;
  if (to >= c->horizon) return false;
  *end = to;
  return ++c->pieces < PIECES && next_piece(det, path, c->count, &c->on);
}

/* Follows the guard to its surface: *surface, and *aim, where it reaches its goal. Returns how far it is known. */
static double follow(brink_detector *det, size_t guard, const brink_path *path, target goal,
                     course *c, arrival *surface, arrival *aim) {
  target there = {0.0, -det->eval->slack[guard]};
  double end;
  *aim = (arrival){.sigma = 2.0};
  do {
    *surface = first_arrival(det, guard, path, c->on, c->count, there);
    if (aim->sigma > 1.0) *aim = first_arrival(det, guard, path, c->on, c->count, goal);
    if (surface->sigma <= 1.0) return 1.0;
  } while (goes_on(det, path, c, &end));
  return end;
}

static brink_limit limit_by_margin(brink_detector *det, size_t guard, const brink_path *path,
                                   const double *f, course c, double hmin) {
  brink_limit limit = {.sigma = 1.0, .guard = guard};
  double y0 = present_distance(det, guard), slack = det->eval->slack[guard];
  target halfway = {0.0, 0.5 * y0 - slack}, margin = {KAPPA, -slack};
  arrival surface, aim;
  double end = follow(det, guard, path, path->e == NULL ? halfway : margin, &c, &surface, &aim);
  /* What stops here without going through touches; once is enough. */
  if (surface.sigma > 1.0) surface.kind = BRINK_TOUCHED;
  bool again = surface.kind == BRINK_TOUCHED &&
               brink_detector_still_touches(det, guard, path, fmin(surface.sigma, 1.0));
  if (surface.sigma <= 1.0 && !again && trusts_predictor(det, path, &c, surface.sigma) &&
      is_there(det, guard, path, c.count, &surface.sigma))
    return (brink_limit){.sigma = inside_of(det, guard, path, surface.sigma),
                         .event = true,
                         .guard = guard,
                         .kind = surface.kind,
                         .hop = surface.hop};
  limit.sigma = fmin(aim.sigma, end);
  bool limited = limit.sigma < 1.0;
  bool here = crawls(det, guard, y0, limited) || y0 <= 0.0 || limit.sigma * path->h < hmin;
  if (here && limited && approaching(det, guard, path, f, &c))
    limit = (brink_limit){.sigma = 0.0, .event = true, .guard = guard, .kind = surface.kind};
  return limit;
}

static brink_limit limit_by_gain(brink_detector *det, size_t guard, const brink_path *path,
                                 const double *f, course c, int order, double hmin) {
  brink_limit limit = {.sigma = 1.0, .guard = guard};
  brink_side side = det->eval->model->guards[guard].def.side;
  double y0 = present_distance(det, guard), slack = det->eval->slack[guard];
  double delta = published_delta(det, guard, order);
  double aim = side == BRINK_UNILATERAL ? delta : side == BRINK_CROSSING ? -delta : 0.0;
  double asked = det->options->termination;
  double stop = side == BRINK_UNILATERAL ? fmax(2.0 * delta, asked) : 0.0;
  if (det->options->gain == BRINK_GAIN_FIXED) {
    aim = side == BRINK_UNILATERAL ? det->options->gamma * y0 : 0.0;
    stop = side != BRINK_UNILATERAL ? 0.0 : asked > 0.0 ? asked : det->tolerance[guard];
  }
  if (y0 <= stop && side == BRINK_UNILATERAL) {
    if (approaching(det, guard, path, f, &c))
      return (brink_limit){.sigma = 0.0, .event = true, .guard = guard};
    return limit; /* leaving: let it go; the domain check watches */
  }
  double end = 1.0;
  do {
    limit.sigma = first_arrival(det, guard, path, c.on, c.count, (target){0.0, aim - slack}).sigma;
  } while (limit.sigma > 1.0 && goes_on(det, path, &c, &end));
  limit.sigma = fmin(limit.sigma, end);
  if (limit.sigma * path->h < hmin)
    limit = (brink_limit){.sigma = side == BRINK_UNILATERAL ? 0.0 : hmin / path->h,
                          .event = side == BRINK_UNILATERAL,
                          .guard = guard};
  return limit;
}

/* With the margin, bilateral and crossing guards are left to the second question: they may be
 * overstepped, and are located on the solution itself. */
static bool asked_before(const brink_detector *det, size_t guard) {
  if (!brink_detector_active(det, guard)) return false;
  if (!brink_eval_protects(det->eval, guard)) return false;
  return det->options->gain != BRINK_GAIN_MARGIN ||
         det->eval->model->guards[guard].def.side == BRINK_UNILATERAL;
}

/* The guard keeps away from its surface on the whole predictor and beside it, where the corrected
 * solution will lie: nothing more needs to be asked about it in this step. */
static bool is_clear(const brink_detector *det, size_t guard, const brink_path *path, int count) {
  if (!det->reach.any || count != 1 || path->e == NULL) return false;
  const brink_along *along = &det->leaves[0].along;
  if (along->width < 1.0) return false;
  double beside = brink_reach_allowance(&det->reach, guard, det->step_reach) + truncation(along);
  double zone = brink_reach_zone(&det->reach) * det->tolerance[guard];
  return (det->eval->sgn[guard] > 0 ? det->leaves[0].low : -det->leaves[0].high) > zone + beside;
}

/* How close a guard comes to zero on its side of it, along the predictor, at least: by its bounds and its value at the end,
 * as it has no farther to go there and back than it changes in all; or by its slope and curvature. */
static double lowest(brink_detector *det, size_t guard, const brink_path *path) {
  double y0 = det->eval->sgn[guard] * det->g0[guard];
  if (!(y0 > 0.0)) return (double)-INFINITY;
  if (brink_detector_knows_bend(det, guard)) {
    brink_quadratic_bounds at = brink_detector_bounds(det, guard, path);
    return brink_along_floor_quadratic(&det->space, guard, path, &at);
  }
  double change = brink_reach_variation(&det->reach, guard);
  if (isinf(change) || (path->shared == NULL && !path->powers)) return (double)-INFINITY;
  double y1 = det->eval->sgn[guard] * brink_along_value(&det->space, guard, path, 1.0);
  return 0.5 * (y0 + y1 - change * (1.0 + 1e-12));
}

/* How close to its surface a guard can matter to a step: a bound of what limit_by_margin asks for. */
static double concern(const brink_detector *det, size_t guard, const brink_path *path,
                      double most) {
  const brink_guard_def *def = &det->eval->model->guards[guard].def;
  double shift = 0.0, slope = det->reach.lipschitz[guard];
  if (path->e == NULL) return 0.5 * fabs(det->g0[guard]);
  if (slope < 0.0) slope = det->reach.slope[guard];
  for (size_t k = 0; k < def->ndepends; k++) shift = fmax(shift, fabs(path->e[def->depends[k]]));
  return KAPPA * slope * shift * most + 64.0 * DBL_EPSILON * fabs(det->g0[guard]);
}

/* Does the guard, by a quick look, not limit the step? *clear: it keeps so far away that it may be forgotten. */
static bool passes(brink_detector *det, size_t guard, const brink_path *path, double most,
                   bool *clear) {
  if (!det->reach.any || det->options->gain != BRINK_GAIN_MARGIN || det->options->termination > 0.0)
    return false;
  double y0 = det->eval->sgn[guard] * det->g0[guard];
  double tolerance = brink_reach_tolerance(&det->reach, guard, path->x0, det->step_reach);
  double far = brink_reach_zone(&det->reach) * tolerance +
               brink_reach_allowance(&det->reach, guard, det->step_reach);
  double enough = concern(det, guard, path, most);
  bool near = path->e == NULL || !(y0 > far);
  if (!near || !(y0 > enough + BRINK_REACH_ALLOW *
                                   brink_reach_change(&det->reach, guard, path->t0, path->x0))) {
    double least = lowest(det, guard, path);
    if (!(least > enough)) return false;
    *clear = !near && least > far;
  }
  det->gap[guard] = 0.0;
  det->slow[guard] = 0;
  return true;
}

/* One guard's limit; *clear: it may be forgotten for this step. `most`: M(sigma) is no larger. */
static brink_limit limit_of(brink_detector *det, size_t guard, const brink_path *predictor,
                            const double *f, int order, double hmin, double horizon, double most,
                            bool *clear) {
  brink_limit none = {.sigma = 1.0, .guard = BRINK_NONE};
  *clear = false;
  if (passes(det, guard, predictor, most, clear)) return none;
  double tolerance = brink_detector_tolerance(det, guard, predictor->t0, predictor->x0);
  bool own = det->options->gain == BRINK_GAIN_FIXED || det->options->termination > 0.0;
  if (predictor->e != NULL && !own &&
      brink_along_excluded(&det->space, guard, predictor, det->g0[guard], (double)NAN,
                           brink_reach_zone(&det->reach) * tolerance))
    return none;
  course c = {.horizon = horizon};
  if (!build_leaves(det, guard, predictor, &c.count, &c.on)) return none;
  *clear = is_clear(det, guard, predictor, c.count);
  if (*clear) return none;
  weigh_leaves(det, predictor, c.count);
  return det->options->gain == BRINK_GAIN_MARGIN
             ? limit_by_margin(det, guard, predictor, f, c, hmin)
             : limit_by_gain(det, guard, predictor, f, c, order, hmin);
}

brink_limit brink_detector_before(brink_detector *det, const brink_path *predictor, const double *f,
                                  int order, double hmin) {
  brink_limit best = {.sigma = 1.0, .guard = BRINK_NONE};
  det->step_reach = -1.0; /* the second question looks for itself */
  if (!det->ops->one_sided) return best;
  brink_detector_look(det, predictor);
  brink_reach *reach = &det->reach;
  size_t kept = 0;
  double most = (double)NAN; /* worked out where a guard asks for it */
  brink_along_hold(&det->space, predictor);
  for (size_t j = 0; j < reach->nnear; j++) {
    size_t guard = reach->near[j];
    bool clear = false;
    if (asked_before(det, guard)) {
      if (isnan(most)) most = largest_margin(predictor);
      brink_limit limit = limit_of(det, guard, predictor, f, order, hmin, best.sigma, most, &clear);
      bool tie = limit.sigma == best.sigma && limit.event && !best.event;
      if (limit.sigma < best.sigma || tie) best = limit;
    }
    if (!clear) reach->near[kept++] = guard;
  }
  brink_along_release(&det->space);
  reach->nnear = det->eval->nnear = kept;
  return best;
}

/* Within the tolerance of a unilateral surface, still approaching it, and ever more slowly. */
static bool creeps(brink_detector *det, size_t guard, const brink_path *predictor,
                   const double *f) {
  double y = present_distance(det, guard), gap = det->gap[guard];
  det->gap[guard] = y;
  det->marked = true;
  det->slow[guard] = y > SLOW * gap && y < gap ? det->slow[guard] + 1 : 0;
  return det->slow[guard] >= SLOW_STEPS && !det->touched[guard] &&
         y <= brink_detector_tolerance(det, guard, predictor->t0, predictor->x0) &&
         det->eval->sgn[guard] *
                 brink_eval_rate(det->eval, guard, predictor->t0, predictor->x0, f) <
             0.0;
}

brink_limit brink_detector_creeping(brink_detector *det, const brink_path *predictor,
                                    const double *f) {
  brink_limit limit = {.sigma = 1.0, .guard = BRINK_NONE};
  det->step_reach = -1.0;
  if (!det->ops->one_sided || det->eval->nwatch == 0) return limit;
  for (size_t j = 0; j < det->reach.nnear; j++) {
    size_t guard = det->reach.near[j];
    if (det->eval->model->guards[guard].def.side != BRINK_UNILATERAL ||
        det->seen[guard] != det->step || !asked_before(det, guard))
      continue;
    if (creeps(det, guard, predictor, f))
      limit = (brink_limit){.sigma = 0.0, .event = true, .guard = guard};
  }
  return limit;
}

const brink_detector_ops brink_detector_extrapolate = {
    .events = BRINK_EXTRAPOLATE,
    .one_sided = true,
    .needs_paths = true,
    .after = brink_interpolate_after,
};
