/* interpolate.c: look at the whole step after it was taken.
 *
 * The problem  Which guards crossed zero inside the step, and which first? A sign test at the ends
 *              misses every even number of crossings.
 * The method   Each guard along the dense output is a polynomial (or has one that says where to
 *              look); all its roots are isolated after an exclusion test (Shampine, Gladwell &
 *              Brankin 1991; Park & Barton 1996). A formula is followed from leaf root to leaf
 *              root. The event is located on the computed solution, to rounding.
 * Side         Bilateral: at the root. Crossing: at the first representable point past it.
 *              Unilateral (when no detector looked before the step, or the solution dips through
 *              the surface between points that were allowed): at the last point before it. A
 *              unilateral guard that comes within its tolerance and turns away has touched.
 * Near misses  A local minimum of |g| within options.near_miss tolerances that is no event is
 *              reported. */
#include <float.h>
#include <math.h>

#include "event/guard_kernels.h"
#include "event/guard_lanes.h"

#define AT_ONCE 1e-3 /* of a piece */
/* Parts of a path, between which an approximation is compared with the guard; one that knows nothing, … */
#define ON_THE_WAY 8
#define ALL_THE_WAY 128
#define PIECES 512 /* of a path, that are looked at before the step is cut */

static double near_limit(const brink_detector *det, size_t guard) {
  return det->options->near_miss * det->tolerance[guard];
}

/* Does what decides the guard there read a state? Time has no error: a guard of time alone that keeps away from
 * its surface does so in every run. */
static bool reads_states(brink_detector *det, size_t guard, const brink_path *path, double sigma) {
  int polarity;
  brink_along_states(&det->space, guard, path, sigma);
  size_t leaf = brink_eval_deciding_leaf(det->eval, guard, path->t0 + sigma * path->h, det->space.x,
                                         &polarity);
  return det->eval->model->guards[leaf].def.ndepends > 0;
}

/* How far the state is from the surface there. */
static double distance_at(brink_detector *det, size_t guard, const brink_path *path, double sigma,
                          double value) {
  brink_eval *eval = det->eval;
  double t = path->t0 + sigma * path->h, rate, sum = 0.0;
  int polarity;
  brink_along_states(&det->space, guard, path, sigma);
  size_t leaf = brink_eval_deciding_leaf(eval, guard, t, det->space.x, &polarity);
  const brink_guard_def *def = &eval->model->guards[leaf].def;
  if (brink_eval_gradient(eval, leaf, t, det->space.x, eval->gradient, &rate) != BRINK_TRY_OK)
    return (double)NAN;
  for (size_t k = 0; k < def->ndepends; k++) sum += eval->gradient[k] * eval->gradient[k];
  if (value == 0.0) return 0.0;
  return sum > 0.0 ? fabs(value) / sqrt(sum) : (double)NAN;
}

/* Has the guard come down to this value, by more than its tolerance? One that leaves its surface may waver. */
static bool came_down(brink_detector *det, size_t guard, const brink_path *path, double sigma,
                      double value) {
  double high = fmax(det->high[guard], fabs(det->g0[guard]));
  double enough = fabs(value) + det->tolerance[guard];
  for (int k = 1; k < 4 && !(high > enough); k++)
    high = fmax(high, fabs(brink_along_value(&det->space, guard, path, 0.25 * k * sigma)));
  return high > enough;
}

static void add_miss(brink_detector *det, size_t guard, const brink_path *path, double sigma,
                     double value) {
  if (det->nmisses >= det->eval->model->def.nguards || !came_down(det, guard, path, sigma, value) ||
      !reads_states(det, guard, path, sigma))
    return;
  det->misses[det->nmisses++] = (brink_near_miss){
      .guard = guard,
      .name = brink_model_guard_name(det->eval->model, guard),
      .t = path->t0 + sigma * path->h,
      .value = value,
      .tolerance = det->tolerance[guard],
      .distance = distance_at(det, guard, path, sigma, value),
  };
}

/* Move a located root to the side that the guard asks for, by the guard's own values. A crossing
 * guard that is not past its surface by the end of the step has to wait for the next: 2. */
static double settle_side(brink_detector *det, size_t guard, const brink_path *path, double root,
                          int sign) {
  brink_side side = det->eval->model->guards[guard].def.side;
  if (side == BRINK_BILATERAL) return root;
  double slack = det->eval->slack[guard];
  double step = 2.0 * (root > 0.0 ? DBL_EPSILON * root : det->resolution);
  if (side == BRINK_UNILATERAL) step = -step;
  for (int k = 0; k < 60; k++) {
    double y = sign * brink_along_value(&det->space, guard, path, root);
    bool inside = y >= -slack && !isnan(y);
    if (side == BRINK_UNILATERAL ? inside : y < 0.0) break;
    if (side == BRINK_CROSSING && root >= 1.0) return 2.0;
    root = fmin(fmax(root + step, 0.0), 1.0);
    step *= 2.0;
    if (root <= 0.0) break;
  }
  return root;
}

double brink_detector_inside(brink_detector *det, size_t guard, const brink_path *path,
                             double sigma, int sign) {
  return settle_side(det, guard, path, sigma, sign);
}

/* Does the guard, whose sign was `sign` before the root, go through its surface there? A touch that
 * turns out to change the sign does; what stays within the slack of a guard that has not left its
 * surface yet does not. */
static bool crosses(brink_detector *det, const brink_along *along, const brink_root *root,
                    double next, bool last, int sign) {
  double slack = det->eval->slack[along->guard], middle = 0.5 * (root->s + next);
  bool simple = root->kind == (sign > 0 ? BRINK_ROOT_FALLING : BRINK_ROOT_RISING);
  if (simple && slack == 0.0) return true;
  if (!simple && (root->kind != BRINK_ROOT_TOUCH || !(middle > root->s))) return false;
  double y = sign * brink_along_value(&det->space, along->guard, along->path, middle);
  if (!last) return y < -slack; /* the next root is zero, within rounding */
  double end = sign * brink_along_value(&det->space, along->guard, along->path, next);
  return fmin(y, end) < -slack;
}

/* The guard starts within rounding of zero and goes to the other side at once. */
static bool leaves_at_once(brink_detector *det, const brink_along *along, int sign) {
  double size = brink_poly_size(along->c, along->degree);
  double slack = det->eval->slack[along->guard];
  double y0 = sign * along->c[0] + slack;
  /* By rounding of its value, or of time; on a very long path the first would be no measure. */
  double soon = 4.0 * det->resolution * fabs(along->c[1]);
  if (!(y0 <= fmin(4.0 * DBL_EPSILON * size, soon) && sign * along->c[1] < 0.0)) return false;
  /* A double root at the start: it turns back before it is past by more than rounding. */
  double bend = along->degree >= 2 ? sign * along->c[2] : 0.0;
  double least = 4.0 * DBL_EPSILON * size + fabs(along->c[0]) + slack;
  if (bend > 0.0 && along->c[1] * along->c[1] <= 4.0 * bend * least) return false;
  if (along->exact) return true;
  /* An approximation may have the wrong slope: the guard's own values a little later do not. */
  double sigma = along->from + AT_ONCE * along->width;
  double y = sign * brink_along_value(&det->space, along->guard, along->path, sigma);
  return y < -fmax(slack, 4.0 * DBL_EPSILON * size);
}

/* The slope of sign*g at tau = 0 or 1 of a piece; its sign matters, not its unit. */
static double slope_at(const brink_along *along, int sign, double tau) {
  double c[BRINK_POLY_MAX_DEGREE + 1];
  brink_poly_derivative(along->c, along->degree, c);
  return sign * brink_poly_eval(c, along->degree - 1, tau);
}

/* A bilateral guard has crossed zero at the first of these roots. If all further ones are simple, and
 * account for its sign at the end of the step, they are queued: nobody has to look again. `along`: NULL where the guard
 * ends far from zero; otherwise the next step has to know how it arrives. */
static void queue_the_rest(brink_detector *det, size_t guard, const brink_along *along,
                           const brink_root *roots, int count, int sign, brink_found *found) {
  int end = sign;
  for (int k = 0; k < count; k++) {
    bool simple = roots[k].kind == (end > 0 ? BRINK_ROOT_FALLING : BRINK_ROOT_RISING);
    if (!simple) return;
    end = -end;
  }
  if (!(end * det->g1[guard] > 0.0) || det->nqueue + (size_t)count > det->queue_room) return;
  for (int k = 1; k < count; k++) {
    sign = -sign;
    brink_located ev = {.guard = guard, .kind = BRINK_CROSSED, .direction = brink_leaving(sign)};
    if (brink_detector_wants(det, guard, ev.direction))
      brink_detector_add(det, found, roots[k].s, ev);
  }
  if (along != NULL) det->slope_new[guard] = slope_at(along, end, 1.0);
  det->queued[guard] = true;
}

/* A change of sign where the guard is larger than at either end of the piece is none through zero. */
static bool is_pole(brink_detector *det, const brink_along *along, double at) {
  const brink_path *path = along->path;
  double end = fmin(along->from + along->width, 1.0);
  double here = fabs(brink_along_value(&det->space, along->guard, path, at));
  return here > fabs(brink_along_value(&det->space, along->guard, path, along->from)) &&
         here > fabs(brink_along_value(&det->space, along->guard, path, end));
}

/* Is the slope at s no more than a double root that rounding has taken apart may have? */
static bool is_flat_at(const brink_along *along, double s) {
  double slopes[BRINK_POLY_MAX_DEGREE + 1], size = 0.0;
  if (along->degree < 2) return false;
  brink_poly_derivative(along->c, along->degree, slopes);
  for (int j = along->degree - 1; j >= 0; j--) size = size * s + fabs(slopes[j]);
  return fabs(brink_poly_eval(slopes, along->degree - 1, s)) <= BRINK_FLAT_SLOPE * size;
}

/* Do two roots of a polynomial, or a flat one and the end, enclose no more than the rounding of its coefficients?
 * Then they are one touch: a multiple root that the dense output has taken apart. */
static bool only_rounding(const brink_along *along, const brink_root *roots, int count, int k) {
  bool last = k + 1 >= count;
  if (!along->exact || roots[k].kind == BRINK_ROOT_TOUCH) return false;
  if (last ? !is_flat_at(along, roots[k].s)
           : roots[k + 1].kind == BRINK_ROOT_TOUCH || roots[k].kind == roots[k + 1].kind)
    return false;
  double size = 0.0, s = last ? along->until : roots[k + 1].s, middle = 0.5 * (roots[k].s + s);
  for (int j = along->degree; j >= 0; j--) size = size * s + fabs(along->c[j]);
  double rounding = BRINK_POLY_TAU * (along->degree + 1) * DBL_EPSILON * size;
  return fabs(brink_poly_eval(along->c, along->degree, middle)) <= rounding &&
         (!last || fabs(brink_poly_eval(along->c, along->degree, s)) <= rounding);
}

/* One piece of the path, on which the guard starts with *sign; true if an event was found. *last
 * becomes the last root seen. all_at_once: the piece is the whole path, and nothing but roots matters. */
static bool scan_piece(brink_detector *det, size_t guard, const brink_path *dense,
                       const brink_along *along, bool all_at_once, int *sign, double *last,
                       brink_found *found) {
  brink_side side = det->eval->model->guards[guard].def.side;
  brink_root roots[BRINK_ALONG_ROOTS];
  int count = brink_along_roots(&det->space, along, roots);
  for (int k = 0; k < count; k++) {
    double next = k + 1 < count ? roots[k + 1].s : along->from + along->width * along->until;
    *last = roots[k].s;
    brink_located ev = {.guard = guard, .kind = BRINK_CROSSED, .direction = brink_leaving(*sign)};
    bool crossed = crosses(det, along, &roots[k], next, k + 1 == count, *sign);
    double at = roots[k].s;
    bool touched = !crossed && roots[k].kind == BRINK_ROOT_TOUCH;
    if (crossed && side != BRINK_UNILATERAL && only_rounding(along, roots, count, k)) {
      crossed = false;
      touched = true;
      k++; /* its return belongs to it */
    }
    if (crossed && along->exact && side == BRINK_UNILATERAL &&
        brink_detector_only_dips(det, guard, dense, at, along->c, along->degree, roots, count, k)) {
      crossed = false;
      touched = true;
      k++; /* its return belongs to it */
    }
    if (touched) ev.kind = BRINK_TOUCHED;
    bool again =
        touched && side == BRINK_UNILATERAL && brink_detector_still_touches(det, guard, dense, at);
    if ((crossed || (touched && side == BRINK_UNILATERAL && !again)) &&
        brink_detector_wants(det, guard, ev.direction)) {
      at = settle_side(det, guard, dense, at, *sign);
      if (crossed && !along->exact) ev.pole = is_pole(det, along, at);
      if (at <= 1.0) brink_detector_add(det, found, at, ev);
      if (crossed && all_at_once)
        queue_the_rest(det, guard, along, roots + k, count - k, *sign, found);
      return true;
    }
    if (crossed) *sign = -*sign;
    if (touched) add_miss(det, guard, dense, at, 0.0);
  }
  return false;
}

/* A root so close to the end of the step that no polynomial shows it shows in the value there;
 * `last` is the last root that was seen. */
static void check_end(brink_detector *det, size_t guard, const brink_path *dense,
                      const brink_along *along, int sign, double last, brink_found *found) {
  brink_located ev = {.guard = guard, .kind = BRINK_CROSSED, .direction = brink_leaving(sign)};
  double size = brink_poly_size(along->c, along->degree);
  double least = fmax(det->eval->slack[guard], 4.0 * DBL_EPSILON * size);
  if (det->horizon < 1.0 || !(sign * det->g1[guard] < -least) ||
      !brink_detector_wants(det, guard, ev.direction))
    return;
  double inside, outside = last; /* it has not been on its side since */
  for (double part = 0.25; part > DBL_EPSILON; part *= 0.25) { /* the root may be close to `last` */
    double from = last + (1.0 - last) * part;
    if (sign * brink_along_value(&det->space, guard, dense, from) <= 0.0) continue;
    double to = last + (1.0 - last) * fmin(4.0 * part, 1.0);
    brink_along_bracket(&det->space, guard, dense, from, to, &inside, &outside);
    break;
  }
  double at = settle_side(det, guard, dense, outside, sign);
  if (at <= 1.0) brink_detector_add(det, found, at, ev);
}

static void report_dip(brink_detector *det, size_t guard, const brink_path *dense, int sign,
                       brink_dip dip, brink_found *found) {
  bool unilateral = det->eval->model->guards[guard].def.side == BRINK_UNILATERAL;
  bool again = brink_detector_still_touches(det, guard, dense, dip.sigma);
  bool touch = unilateral && !again && brink_detector_wants(det, guard, brink_leaving(sign)) &&
               fabs(dip.value) <= 100.0 * det->tolerance[guard] && /* the exact one costs more */
               fabs(dip.value) <= brink_detector_tolerance_at(det, guard, dense, dip.sigma);
  if (touch)
    brink_detector_add(
        det, found, dip.sigma,
        (brink_located){.guard = guard, .kind = BRINK_TOUCHED, .direction = brink_leaving(sign)});
  else if (unilateral && dense->powers && !again && fabs(dip.value) <= det->tolerance[guard] &&
           (found->unsure == 0.0 || dip.sigma < found->unsure))
    found->unsure = dip.sigma; /* closer than the step's own error, which is smaller nearby */
  else if (!again)
    add_miss(det, guard, dense, dip.sigma, dip.value);
}

/* Farther than `limit` from zero, on its own side, all along? */
static bool keeps_away(const brink_along *along, int sign, double limit) {
  double low, high, end = 0.0;
  for (int k = along->degree; k >= 0; k--) end += along->c[k];
  if (!(sign * along->c[0] > limit) || !(sign * end > limit)) return false;
  brink_poly_range(along->c, along->degree, &low, &high);
  return (sign > 0 ? low : -high) > limit;
}

/* A closest approach without a crossing: a touch, for a unilateral guard, or a near miss. It may
 * fall on the seam with the piece before, whose slope at its end is det->slope_new (or, at the
 * start of the step, det->slope). `inside`: there may be one inside the piece. */
static void scan_dip(brink_detector *det, size_t guard, const brink_path *dense,
                     const brink_along *along, bool inside, int sign, brink_found *found) {
  double limit = near_limit(det, guard);
  double slope_before = along->from == 0.0 ? det->slope[guard] : det->slope_new[guard];
  det->slope_new[guard] = 0.0;
  if (keeps_away(along, sign, limit)) return;
  det->slope_new[guard] = slope_at(along, sign, 1.0);
  brink_dip dip = {.sigma = along->from, .value = along->c[0]};
  bool seam = slope_before < 0.0 && slope_at(along, sign, 0.0) >= 0.0 && sign * dip.value > 0.0 &&
              sign * dip.value <= limit;
  if (seam || (inside && brink_along_dip(&det->space, along, sign, limit, &dip)))
    report_dip(det, guard, dense, sign, dip, found);
}

/* Where a guard that leaves at once is recorded: here, or just past the surface. */
static double leaving_at(brink_detector *det, size_t guard, const brink_path *dense, int sign) {
  if (det->eval->model->guards[guard].def.side != BRINK_CROSSING) return 0.0;
  return fmin(settle_side(det, guard, dense, 0.0, sign), 1.0);
}

/* What is known of a guard along a piece before anybody looks for its roots. */
typedef struct outlook {
  brink_poly_survey survey;
  bool monotone;
  double slopes; /* how large its slope is, at most, where it is monotone or `once` is true */
} outlook;

/* Is the guard far from zero all along, and if not, may it come close and turn? A monotone one needs no
 * more than its ends. */
static outlook outlook_of(const brink_along *along, int sign, double limit) {
  outlook o = {.survey = {.clear = brink_poly_stays_above(along->c, along->degree, sign, limit)}};
  if (o.survey.clear) return o;
  o.monotone = brink_poly_is_monotone(along->c, along->degree, &o.slopes);
  if (!o.monotone) {
    o.survey = brink_poly_look(along->c, along->degree, sign, limit);
    return o;
  }
  double end = 0.0;
  for (int k = along->degree; k >= 0; k--) end += along->c[k];
  o.survey.clear = sign * along->c[0] > limit && sign * end > limit;
  o.survey.once = true;
  o.survey.to = 1.0;
  return o;
}

/* What has just fired starts within rounding of zero and goes inside: its root at the start is known, and
 * further ones are better found without it. */
static bool starts_on_surface(const brink_along *along, int sign) {
  double size = brink_poly_size(along->c, along->degree);
  return fabs(along->c[0]) <= 4.0 * DBL_EPSILON * size && sign * along->c[1] > 0.0;
}

/* May all roots of the step be queued at once, as nothing else can happen to the guard in it? Close to zero at one of its
 * ends, it might turn on the other side of its surface, too. (An action ends the step: there is nothing to be queued.) */
static bool may_queue(const brink_detector *det, size_t guard, const brink_along *along,
                      const outlook *o, bool may_turn, double limit) {
  if (o->survey.may_dip || det->eval->model->guards[guard].def.side != BRINK_BILATERAL ||
      det->eval->slack[guard] != 0.0)
    return false;
  int other = -det->eval->sgn[guard];
  if (may_turn && det->eval->model->guards[guard].def.action != NULL) return false;
  return !may_turn || !o->survey.may_dip_below ||
         !brink_poly_look(along->c, along->degree, other, limit).may_dip;
}

/* A guard that goes through zero once: its one event, as scan_piece below finds it. False: there is more to be looked at. */
static bool goes_through(brink_detector *det, size_t guard, const brink_path *dense,
                         const brink_along *along, const outlook *o, double limit,
                         brink_found *found) {
  const brink_guard *model_guard = &det->eval->model->guards[guard];
  int sign = det->eval->sgn[guard];
  double slope, from = o->survey.from, to = o->survey.to;
  brink_root root = {.kind = sign > 0 ? BRINK_ROOT_FALLING : BRINK_ROOT_RISING};
  brink_located ev = {.guard = guard, .kind = BRINK_CROSSED, .direction = brink_leaving(sign)};
  /* Close to zero at an end one that is not monotone might turn on the other side, too (may_queue). */
  bool ends_far = fabs(det->g1[guard]) > limit;
  bool far = ends_far && fabs(along->c[0]) > limit;
  bool acts = model_guard->def.action != NULL;
  bool plain = o->monotone || far || (!acts && !o->survey.may_dip_below);
  bool bilateral = model_guard->def.side == BRINK_BILATERAL;
  if (det->horizon < 1.0 || det->eval->slack[guard] != 0.0 || !(sign * along->c[0] > 0.0) ||
      (bilateral && !plain && !acts) || !brink_detector_wants(det, guard, ev.direction) ||
      !brink_poly_single_root(along->c, along->degree, from, to, &root.s, &slope) ||
      !(fabs(slope) > 2.0 * BRINK_FLAT_SLOPE * o->slopes))
    return false;
  det->eval->stats.roots++;
  if (!model_guard->linear) brink_along_polish(&det->space, along, &root, 1);
  double at = settle_side(det, guard, dense, root.s, sign);
  if (at <= 1.0) brink_detector_add(det, found, at, ev);
  if (bilateral && plain)
    queue_the_rest(det, guard, ends_far ? NULL : along, &root, 1, sign, found);
  return true;
}

/* Something ends the step before. Does the guard keep farther than `limit` from zero until then? */
static bool ends_before(const brink_detector *det, const brink_along *along, int sign,
                        double limit) {
  double moves = 0.0;
  if (!(along->until < 1.0) || along->until != det->horizon) return false;
  for (int k = along->degree; k > 0; k--) moves = (moves + fabs(along->c[k])) * along->until;
  return sign * along->c[0] > moves * (1.0 + 1e-12) + limit;
}

/* A guard whose polynomial is exact: one piece. */
static void scan_exact(brink_detector *det, size_t guard, const brink_path *dense,
                       brink_along *along, brink_found *found) {
  int sign = det->eval->sgn[guard], before = sign;
  double last = 0.0, limit = near_limit(det, guard);
  if (ends_before(det, along, sign, limit)) return;
  outlook o = outlook_of(along, sign, limit);
  bool may_dip = o.survey.may_dip;
  if (o.survey.clear) return;
  if (o.survey.once && goes_through(det, guard, dense, along, &o, limit, found)) return;
  /* A dip may fall on the seam with the step before or after. */
  bool seam = fabs(along->c[0]) <= limit || fabs(det->g1[guard]) <= limit;
  bool dips = may_dip || seam;
  /* What starts on the wrong side of its surface, within its slack, has no root either. */
  if (sign * along->c[0] > 0.0 && brink_poly_excludes_zero(along->c, along->degree)) {
    if (dips) scan_dip(det, guard, dense, along, may_dip, sign, found);
    return;
  }
  brink_located ev = {.guard = guard, .kind = BRINK_CROSSED, .direction = brink_leaving(sign)};
  if (leaves_at_once(det, along, sign) && brink_detector_wants(det, guard, ev.direction)) {
    brink_detector_add(det, found, leaving_at(det, guard, dense, sign), ev);
    return;
  }
  bool all_at_once = may_queue(det, guard, along, &o, seam && !o.monotone, limit);
  if (starts_on_surface(along, sign)) {
    along->start = along->c[0];
    along->c[0] = 0.0;
  }
  if (scan_piece(det, guard, dense, along, all_at_once, &sign, &last, found)) return;
  bool inside = may_dip || sign != before;
  if (dips || inside) scan_dip(det, guard, dense, along, inside, sign, found);
  check_end(det, guard, dense, along, sign, last, found);
}

/* What an approximate polynomial on the whole path settles about a guard. */
typedef enum verdict {
  UNSETTLED,
  SETTLED, /* it stays away from zero by more than it is off, and has no minimum that is a near miss … */
  CLEAR /* … as it does not come that close */
} verdict;

static verdict judge(brink_detector *det, size_t guard, const brink_path *dense,
                     const brink_along *along) {
  double low, high, slopes, limit = near_limit(det, guard);
  double off = fabs(brink_poly_eval(along->c, along->degree, 1.0) - det->g1[guard]);
  bool series = det->eval->model->guards[guard].def.jet != NULL;
  double left_out = series ? brink_along_left_out(along) : 0.0;
  int parts = isinf(left_out) ? ALL_THE_WAY : ON_THE_WAY;
  if (!isinf(left_out)) off = fmax(off, left_out);
  brink_poly_range(along->c, along->degree, &low, &high);
  double distance = det->eval->sgn[guard] > 0 ? low : -high;
  if (!(distance > 10.0 * off)) return UNSETTLED;
  /* Minima that its error could hide are no deeper than a small part of the tolerance. (A step along a path of powers is
   * long: a few places on the way say less.) */
  bool far = distance > 10.0 * off + limit;
  if (!far && (dense->powers || isinf(left_out) || 10.0 * off > det->tolerance[guard] ||
               along->degree < 1 || !brink_poly_is_monotone(along->c, along->degree, &slopes)))
    return UNSETTLED;
  for (int k = 1; k < parts; k++) {
    double sigma = (double)k / parts;
    off = fmax(off, fabs(brink_poly_eval(along->c, along->degree, sigma) -
                         brink_along_value(&det->space, guard, dense, sigma)));
  }
  if (distance > 10.0 * off + limit) return CLEAR;
  return !far && distance > 10.0 * off && 10.0 * off <= det->tolerance[guard] ? SETTLED : UNSETTLED;
}

/* The step has been looked at up to here. It has to end here, or before: what is beyond is another one's. */
static void cut(brink_detector *det, brink_found *found, double sigma) {
  found->cut = found->cut > 0.0 ? fmin(found->cut, sigma) : sigma;
  det->horizon = fmin(det->horizon, sigma);
  det->whole = false;
}

static double smallest_piece(const brink_detector *det, size_t guard) {
  return det->eval->model->guards[guard].def.jet != NULL ? BRINK_ALONG_FINE : BRINK_ALONG_PART;
}

/* Any other guard: where its approximate polynomial does not clear it, pieces that fit its own
 * values are scanned one after another. */
static void scan_fitted(brink_detector *det, size_t guard, const brink_path *dense,
                        brink_along *along, brink_found *found) {
  int sign = det->eval->sgn[guard];
  verdict known = judge(det, guard, dense, along);
  if (known == SETTLED) scan_dip(det, guard, dense, along, false, sign, found);
  if (known != UNSETTLED) return;
  double from = 0.0, width = 1.0, last = 0.0, smallest = smallest_piece(det, guard);
  for (int pieces = 0; from < det->horizon; pieces++) {
    if (pieces == PIECES) {
      cut(det, found, from);
      return;
    }
    if (!brink_along_fit(&det->space, guard, dense, from, fmin(width, 1.0 - from), smallest, along))
      return;
    brink_located ev = {.guard = guard, .kind = BRINK_CROSSED, .direction = brink_leaving(sign)};
    if (from == 0.0 && leaves_at_once(det, along, sign) &&
        brink_detector_wants(det, guard, ev.direction)) {
      brink_detector_add(det, found, leaving_at(det, guard, dense, sign), ev);
      return;
    }
    if (scan_piece(det, guard, dense, along, false, &sign, &last, found)) return;
    scan_dip(det, guard, dense, along, true, sign, found);
    from += along->width;
    width = 2.0 * along->width;
  }
  check_end(det, guard, dense, along, sign, last, found);
}

/* May a state that the guard reads become much larger in the step than at its start? Then so may the
 * tolerance. */
static bool grows(const brink_detector *det, size_t guard, const brink_path *dense) {
  const brink_guard_def *def = &det->eval->model->guards[guard].def;
  for (size_t k = 0; k < def->ndepends; k++) {
    size_t i = def->depends[k];
    if (brink_path_spread(dense, i) > fabs(dense->x0[i])) return true;
  }
  return false;
}

/* The guard's tolerance in the step: the largest on the way, if its states grow. */
static void weigh(brink_detector *det, size_t guard, const brink_path *dense) {
  brink_detector_tolerance(det, guard, dense->t0, dense->x0);
  if (!dense->powers || !grows(det, guard, dense)) return;
  for (int k = 1; k <= 2; k++)
    det->tolerance[guard] =
        fmax(det->tolerance[guard], brink_detector_tolerance_at(det, guard, dense, 0.5 * k));
}

/* ---- linear guards on paths of powers ---- */

static bool is_plain(const brink_detector *det, size_t guard, const brink_path *dense) {
  const brink_guard *model_guard = &det->eval->model->guards[guard];
  return dense->powers && model_guard->formula == NULL && model_guard->def.coefficients != NULL &&
         det->eval->solver == NULL;
}

/* Its polynomial, straight from the coefficients; *reach: how far it moves, at most. False: it is not finite. */
static bool combine(const brink_detector *det, size_t guard, const brink_path *dense,
                    brink_along *along, double *reach) {
  const brink_guard_def *def = &det->eval->model->guards[guard].def;
  double g0 = det->g0[guard];
  double *c = along->c, moves = def->time_coefficient * dense->h, sum = fabs(moves);
  const int terms = def->ndepends > 0 ? dense->terms : 0; /* time alone is straight */
  c[1] = 0.0;
  for (size_t k = 0; k < def->ndepends && terms > 0; k++) { /* there may be none */
    const double *row = brink_path_series(dense, def->depends[k]), w = def->coefficients[k];
    if (k == 0) {
      for (int l = 0; l < terms; l++) c[l + 1] = w * row[l];
    } else {
      for (int l = 0; l < terms; l++) c[l + 1] += w * row[l];
    }
  }
  for (int l = 0; l < terms; l++) {
    c[l + 1] *= dense->scale[l];
    sum += fabs(c[l + 1]);
  }
  c[0] = g0;
  c[1] += moves;
  along->degree = terms > 1 ? terms : 1;
  along->exact = true;
  along->guard = guard;
  along->path = dense;
  along->from = along->start = 0.0;
  along->width = 1.0;
  along->until = det->horizon;
  *reach = sum;
  return isfinite(sum) && isfinite(g0);
}

/* ---- formulas ---- */

typedef struct leaf_root {
  double sigma;
  size_t leaf;
  brink_root_kind kind;
} leaf_root;

#define FORMULA_ROOTS 128
#define OFF_ZERO 1e-12 /* of its size: far more than rounding */

static void sort_roots(leaf_root *roots, int count) { /* few, and mostly in order */
  for (int k = 1; k < count; k++) {
    leaf_root root = roots[k];
    int j = k;
    for (; j > 0 && roots[j - 1].sigma > root.sigma; j--) roots[j] = roots[j - 1];
    roots[j] = root;
  }
}

/* Is a leaf clearly off zero where the path begins? One that has just fired is not. */
static bool starts_off_zero(const brink_along *along) {
  double size = brink_poly_size(along->c, along->degree);
  return fabs(along->c[0]) > OFF_ZERO * size;
}

/* How far a polynomial moves up to `until`, at most. */
static double reach_until(const brink_along *along, double until) {
  double sum = 0.0;
  for (int k = along->degree; k > 0; k--) sum = (sum + fabs(along->c[k])) * until;
  return sum;
}

/* The polynomial of a leaf, or what approximates it. False: it has no roots before the horizon (*sign: the side it keeps
 * to), or nobody can tell (0). */
static bool build_leaf(brink_detector *det, size_t leaf, const brink_path *dense,
                       brink_along *along, double *sign) {
  double g0 = det->g0[leaf], g1 = det->g1[leaf], reach;
  bool numbers = isfinite(g0) && isfinite(g1);
  *sign = g0 < 0.0 ? -1.0 : 1.0;
  if (is_plain(det, leaf, dense) && combine(det, leaf, dense, along, &reach)) {
    if (det->horizon < 1.0) reach = reach_until(along, det->horizon);
    return !(numbers && fabs(g0) > reach * (1.0 + 1e-12));
  }
  if (numbers && brink_along_excluded(&det->space, leaf, dense, g0, g1, 0.0)) return false;
  if (brink_along_build(&det->space, leaf, dense, g0, along)) return true;
  *sign = 0.0;
  return false;
}

/* The roots of an exact polynomial, or of a piece. A linear leaf that only falls, or rises, has one. */
static int roots_of_piece(brink_detector *det, const brink_along *along, brink_root *roots) {
  double slopes;
  bool linear = det->eval->model->guards[along->guard].linear;
  if (along->exact && linear && along->until >= 1.0 &&
      brink_poly_is_monotone(along->c, along->degree, &slopes) &&
      brink_poly_single_root(along->c, along->degree, 0.0, 1.0, &roots[0].s, &slopes)) {
    roots[0].kind = along->c[0] > 0.0 ? BRINK_ROOT_FALLING : BRINK_ROOT_RISING;
    det->eval->stats.roots++;
    return 1;
  }
  return brink_along_roots(&det->space, along, roots);
}

/* All roots of one leaf, in order. *exact: its polynomial is the leaf itself, and tells its sign at the
 * beginning, det->signs[leaf]. */
static int leaf_roots(brink_detector *det, size_t leaf, const brink_path *dense, leaf_root *all,
                      int total, int room, bool *exact, brink_found *found) {
  brink_along along;
  brink_root roots[BRINK_ALONG_ROOTS];
  double sign;
  if (!build_leaf(det, leaf, dense, &along, &sign)) {
    if (sign != 0.0)
      det->signs[leaf] = sign;
    else
      *exact = false;
    return total;
  }
  det->signs[leaf] = along.c[0] < 0.0 ? -1.0 : 1.0;
  *exact = *exact && along.exact && starts_off_zero(&along);
  along.until = det->horizon;
  if (along.exact && brink_poly_excludes_zero(along.c, along.degree)) return total;
  double from = 0.0, width = 1.0, smallest = smallest_piece(det, leaf);
  for (int pieces = 0; from < det->horizon; pieces++) {
    if (pieces == PIECES) {
      cut(det, found, from);
      break;
    }
    if (!along.exact &&
        !brink_along_fit(&det->space, leaf, dense, from, fmin(width, 1.0 - from), smallest, &along))
      return total;
    int count = roots_of_piece(det, &along, roots);
    for (int r = 0; r < count && roots[r].s <= det->horizon; r++) {
      if (total == room) {
        cut(det, found, roots[r].s);
        break;
      }
      all[total++] = (leaf_root){.sigma = roots[r].s, .leaf = leaf, .kind = roots[r].kind};
    }
    from += along.width;
    width = 2.0 * along.width;
  }
  return total;
}

/* The roots of all leaves. Each has its part of the room; where one needs more, the step is cut. */
static int formula_roots(brink_detector *det, size_t guard, const brink_path *dense, leaf_root *all,
                         bool *exact, brink_found *found) {
  const brink_guard *model_guard = &det->eval->model->guards[guard];
  int total = 0, kept = 0, leaves = 0, before = 0;
  for (size_t k = 0; k < model_guard->formula_length; k++)
    leaves += model_guard->formula[k].op == 0 ? 1 : 0;
  for (size_t k = 0; k < model_guard->formula_length; k++) {
    if (model_guard->formula[k].op != 0) continue;
    int room = (int)((int64_t)FORMULA_ROOTS * ++before / leaves);
    total = leaf_roots(det, model_guard->formula[k].leaf, dense, all, total, room, exact, found);
  }
  for (int k = 0; k < total; k++) { /* those before the cut */
    if (all[k].sigma <= det->horizon) all[kept++] = all[k];
  }
  total = kept;
  sort_roots(all, total);
  return total;
}

/* The sign of a formula between two roots of leaves: by the signs that its leaves have there, if their
 * polynomials tell, or else by their values half-way. */
static double sign_between(brink_detector *det, size_t guard, const brink_path *dense, bool exact,
                           const double *signs, double from, double to) {
  if (exact) return brink_formula_value(&det->eval->model->guards[guard], signs);
  double middle = 0.5 * (from + to);
  return middle > from ? brink_along_value(&det->space, guard, dense, middle) : det->g1[guard];
}

static void scan_formula(brink_detector *det, size_t guard, const brink_path *dense,
                         brink_found *found) {
  leaf_root roots[FORMULA_ROOTS + 1];
  /* A leaf may have been left at its surface by an event. */
  roots[0] = (leaf_root){.sigma = 0.0, .leaf = BRINK_NONE};
  bool exact = true;
  int count = 1 + formula_roots(det, guard, dense, roots + 1, &exact, found);
  /* between leaf roots the formula's sign cannot change */
  int sign = det->eval->sgn[guard];
  if (count > 1) weigh(det, guard, dense);
  double *signs = det->signs, limit = near_limit(det, guard);
  double at_start = fmin(64.0 * DBL_EPSILON * fmax(fabs(dense->t0) / dense->h, 1.0), 0.5);
  for (int k = 0; k < count; k++) {
    double next = k + 1 < count ? roots[k + 1].sigma : det->horizon;
    if (exact && k > 0 && roots[k].kind != BRINK_ROOT_TOUCH)
      signs[roots[k].leaf] = roots[k].kind == BRINK_ROOT_RISING ? 1.0 : -1.0;
    /* Leaves that change together change the formula together; at the start, rounding may have put
     * the root of a leaf that has just fired a little ahead. */
    double together = roots[k].sigma < at_start ? at_start : 4.0 * DBL_EPSILON;
    if (k + 1 < count && next - roots[k].sigma <= together) continue;
    double y = sign * sign_between(det, guard, dense, exact, signs, roots[k].sigma, next);
    brink_located ev = {.guard = guard, .kind = BRINK_CROSSED, .direction = brink_leaving(sign)};
    if (y < 0.0 && brink_detector_wants(det, guard, ev.direction)) {
      if (count == 1) weigh(det, guard, dense);
      double at = settle_side(det, guard, dense, roots[k].sigma, sign);
      if (at <= 1.0) brink_detector_add(det, found, at, ev);
      return;
    }
    if (y < 0.0) {
      sign = -sign;
      continue;
    }
    if (k == 0) continue;
    double here = brink_along_value(&det->space, guard, dense, roots[k].sigma);
    if (fabs(here) <= limit) add_miss(det, guard, dense, roots[k].sigma, here);
  }
}

/* ---- the second question ---- */

/* What was looked at ahead, in lanes. A guard that goes through its surface once, away from the ends of the step, as
 * scan_exact and scan_piece would find it. */
static bool take_foreseen(brink_detector *det, size_t guard, const brink_path *dense,
                          brink_found *found) {
  const brink_foreseen_guard *f = brink_guard_foreseen(det, guard, dense);
  if (f == NULL) return false;
  int sign = f->sign;
  double limit = det->options->near_miss * f->after;
  brink_located ev = {.guard = guard, .kind = BRINK_CROSSED, .direction = brink_leaving(sign)};
  if (f->crosses &&
      (det->horizon < 1.0 || det->eval->slack[guard] != 0.0 || fabs(det->g1[guard]) <= limit ||
       !brink_detector_wants(det, guard, ev.direction)))
    return false;
  det->tolerance[guard] = f->after;
  if (f->quiet) return true;
  det->eval->stats.roots++;
  double at = settle_side(det, guard, dense, f->root, sign);
  if (at <= 1.0) brink_detector_add(det, found, at, ev);
  brink_root root = {.s = f->root, .kind = sign > 0 ? BRINK_ROOT_FALLING : BRINK_ROOT_RISING};
  if (det->eval->model->guards[guard].def.side == BRINK_BILATERAL)
    queue_the_rest(det, guard, NULL, &root, 1, sign, found);
  return true;
}

/* ---- linear guards ---- */

static double add_tolerance(const brink_detector *det, const brink_guard_def *def, size_t k,
                            double x) {
  if (def->coefficients[k] == 0.0) return 0.0;
  return fabs(def->coefficients[k]) * (det->options->rtol * fabs(x) + det->atol[def->depends[k]]);
}

/* Tolerances on the way: at the start, half-way, at the end. */
typedef struct tolerances {
  double start, middle, end;
} tolerances;

/* Half to the power l + 1. */
static const double halves[BRINK_PATH_TERMS] = {
    0x1p-1,  0x1p-2,  0x1p-3,  0x1p-4,  0x1p-5,  0x1p-6,  0x1p-7,  0x1p-8,  0x1p-9,  0x1p-10,
    0x1p-11, 0x1p-12, 0x1p-13, 0x1p-14, 0x1p-15, 0x1p-16, 0x1p-17, 0x1p-18, 0x1p-19, 0x1p-20,
    0x1p-21, 0x1p-22, 0x1p-23, 0x1p-24, 0x1p-25, 0x1p-26, 0x1p-27, 0x1p-28, 0x1p-29, 0x1p-30};

/* What brink_eval_tolerance says at these places, where brink_path_eval has the states. */
static tolerances tolerances_of(const brink_detector *det, const brink_guard_def *def,
                                const brink_path *dense) {
  tolerances sum = {0.0, 0.0, 0.0};
  for (size_t k = 0; k < def->ndepends; k++) {
    double x0 = dense->x0[def->depends[k]], middle = 0.0, end = 0.0;
    const double *row = brink_path_series(dense, def->depends[k]);
    for (int l = dense->terms - 1; l >= 0; l--) {
      middle += row[l] * (dense->scale[l] * halves[l]);
      end += row[l] * dense->scale[l];
    }
    sum.start += add_tolerance(det, def, k, x0);
    sum.middle += add_tolerance(det, def, k, x0 + middle);
    sum.end += add_tolerance(det, def, k, x0 + end);
  }
  return sum;
}

static double finite_or_0(double tolerance) {
  return isfinite(tolerance) ? tolerance : 0.0;
}

/* The largest of them, if the states grow; otherwise that at the start. */
static double tolerance_along(const brink_detector *det, size_t guard, const brink_path *dense) {
  const brink_guard_def *def = &det->eval->model->guards[guard].def;
  if (dense->terms == 0 || !grows(det, guard, dense)) {
    double sum = 0.0;
    for (size_t k = 0; k < def->ndepends; k++)
      sum += add_tolerance(det, def, k, dense->x0[def->depends[k]]);
    return finite_or_0(sum);
  }
  tolerances at = tolerances_of(det, def, dense);
  double most = finite_or_0(at.start), middle = finite_or_0(at.middle), end = finite_or_0(at.end);
  most = middle > most ? middle : most;
  return end > most ? end : most;
}

/* Does a guard of one state keep farther from its surface than the largest tolerance that it can have on the way
 * asks for? Then there is no need to know it. */
static bool keeps_off(const brink_detector *det, size_t guard, const brink_guard_def *def,
                      const brink_along *along, double reach, double x0) {
  double most = add_tolerance(det, def, 0, x0) + det->options->rtol * reach;
  return brink_poly_head_stays_above(along->c, along->degree, det->eval->sgn[guard], reach,
                                     det->options->near_miss * (1.0 + 1e-9) * most);
}

/* A linear guard, as below, without asking the model. False: it has to be asked. */
static bool interpolate_plain(brink_detector *det, size_t guard, const brink_path *dense,
                              brink_found *found) {
  const brink_guard_def *def = &det->eval->model->guards[guard].def;
  double g0 = det->g0[guard], limit = 4.0 * near_limit(det, guard), reach;
  brink_along along;
  if (!combine(det, guard, dense, &along, &reach)) return false;
  if (limit > 0.0 && fabs(g0) > reach * (1.0 + 1e-12) + limit) return true;
  if (def->ndepends == 1 && keeps_off(det, guard, def, &along, reach, dense->x0[def->depends[0]]))
    return true;
  det->tolerance[guard] = tolerance_along(det, guard, dense);
  scan_exact(det, guard, dense, &along, found);
  return true;
}

bool brink_detector_knows_bend(const brink_detector *det, size_t guard) {
  const brink_guard *model_guard = &det->eval->model->guards[guard];
  return model_guard->formula == NULL && model_guard->def.degree == 2 &&
         model_guard->def.coefficients == NULL && model_guard->def.jet != NULL && det->reach.any &&
         det->step_reach >= 0.0 && det->seen[guard] == det->step &&
         det->reach.curvature[guard] >= 0.0 && isfinite(det->reach.curvature[guard]) &&
         isfinite(det->reach.slope[guard]);
}

brink_quadratic_bounds brink_detector_bounds(const brink_detector *det, size_t guard,
                                             const brink_path *path) {
  return (brink_quadratic_bounds){.g0 = det->g0[guard],
                                  .g1 = det->g1[guard],
                                  .slope = det->reach.slope[guard],
                                  .curvature = det->reach.curvature[guard],
                                  .radius = det->step_reach,
                                  .head = BRINK_REACH_HEAD,
                                  .tails = det->reach.path == path ? det->reach.tails : NULL};
}

/* Has the guard bounds, is it known how far the states go along the path, and are all B_l increasing and convex, so that they
 * go no farther than that there and back, and up to sigma no farther than sigma times that? */
static bool bounds_hold(const brink_detector *det, size_t guard, const brink_path *dense) {
  return det->reach.lipschitz[guard] >= 0.0 && det->reach.any && det->step_reach >= 0.0 &&
         (dense->shared != NULL || dense->powers) && det->seen[guard] == det->step &&
         dense->h <= det->reach.moved_time;
}

/* Something ends the step before. Does a guard with bounds keep farther than `limit` from zero until then? */
static bool bounds_suffice_before(const brink_detector *det, size_t guard, const brink_path *dense,
                                  double limit) {
  double bound = det->reach.lipschitz[guard], y0 = det->eval->sgn[guard] * det->g0[guard];
  if (!(det->horizon < 1.0) || !(y0 > limit) || !bounds_hold(det, guard, dense)) return false;
  double change = BRINK_REACH_ALLOW * brink_reach_variation(&det->reach, guard) * det->horizon;
  return y0 > change + bound * det->reach.weight + limit;
}

/* Does a guard with Lipschitz bounds, by its values at both ends of the step? */
static bool bounds_keep_off(const brink_detector *det, size_t guard, const brink_path *dense,
                            double limit) {
  if (!bounds_hold(det, guard, dense)) return false;
  int sign = det->eval->sgn[guard];
  double change = BRINK_REACH_ALLOW * brink_reach_variation(&det->reach, guard) +
                  det->reach.lipschitz[guard] * det->reach.weight;
  double y0 = sign * det->g0[guard], y1 = sign * det->g1[guard];
  return y0 > 0.0 && y1 > 0.0 && 0.5 * (y0 + y1 - change) > limit;
}

/* near_limit is no larger on the path; INFINITY: not known, or nobody asks. */
static double largest_limit(const brink_detector *det, size_t guard, const brink_path *dense) {
  if ((dense->powers && det->reach.lipschitz[guard] < 0.0) || !det->reach.any ||
      det->step_reach < 0.0 || det->seen[guard] != det->step)
    return (double)INFINITY;
  return det->options->near_miss *
         brink_reach_tolerance(&det->reach, guard, dense->x0, det->step_reach);
}

/* Does the guard keep farther than `limit` from zero? */
static bool is_far(brink_detector *det, size_t guard, const brink_path *dense, double limit) {
  double g0 = det->g0[guard];
  if (!(fabs(g0) > limit)) return false;
  if (brink_detector_knows_bend(det, guard)) {
    brink_quadratic_bounds at = brink_detector_bounds(det, guard, dense);
    return brink_along_excluded_quadratic(&det->space, guard, dense, &at, limit);
  }
  return brink_along_excluded(&det->space, guard, dense, g0, det->g1[guard], limit);
}

void brink_interpolate_guard(brink_detector *det, size_t guard, const brink_path *dense,
                             brink_found *found) {
  if (take_foreseen(det, guard, dense, found)) return;
  /* Far from zero all along, by a bound of the tolerance or that of the last time? Then there is no need for a new one. */
  double limit = 4.0 * near_limit(det, guard), most = largest_limit(det, guard, dense);
  if (bounds_suffice_before(det, guard, dense, most) || bounds_keep_off(det, guard, dense, most))
    return;
  if (is_plain(det, guard, dense) && interpolate_plain(det, guard, dense, found)) return;
  if (det->eval->model->guards[guard].formula != NULL) {
    scan_formula(det, guard, dense, found);
    return;
  }
  double g0 = det->g0[guard];
  if (!dense->powers && isfinite(most)) limit = fmax(limit, most);
  if (limit > 0.0 && is_far(det, guard, dense, limit)) return;
  weigh(det, guard, dense);
  if (bounds_keep_off(det, guard, dense, near_limit(det, guard))) return;
  brink_along along;
  if (!brink_along_build(&det->space, guard, dense, g0, &along)) {
    found->undefined = guard;
    return;
  }
  along.until = det->horizon;
  if (along.exact)
    scan_exact(det, guard, dense, &along, found);
  else
    scan_fitted(det, guard, dense, &along, found);
}

void brink_interpolate_after(brink_detector *det, const brink_path *dense, brink_found *found) {
  for (size_t j = 0; j < det->reach.nnear; j++) {
    size_t guard = det->reach.near[j];
    if (brink_detector_active(det, guard)) brink_interpolate_guard(det, guard, dense, found);
  }
}

const brink_detector_ops brink_detector_interpolate = {
    .events = BRINK_INTERPOLATE,
    .needs_paths = true,
    .after = brink_interpolate_after,
};
