/* straight.c: two agents on straight lines, whose guard is no polynomial: a distance as a square root, for instance.
 *
 * The problem  The series of hypot(dx, dy) - r along two straight lines does not end. To follow it to its root by pieces takes
 *              ten times what the rest of a hit takes.
 * The method   `reach` says that nothing happens while the two are farther apart than their sizes together. The square
 *              of their distance is a quadratic polynomial in time, whose roots have closed forms: where they come as close
 *              as that, up to a margin, and where they are closer by that margin. If the guard's own values have
 *              opposite signs at these two times, its root is between them, and is narrowed down by its values.
 *              After a hit the distance grows. Where it has grown by the margin, nothing happens any more; up to there
 *              the guard's values say that it leaves its surface.
 * Why it is    What `reach` says is assumed by the whole broad phase. All that is not clear (a touch, a rest, a guard that does not
 * safe         fire at that distance, an event at the end of the window) is searched as usual (narrow_phase.c). */
#include <float.h>
#include <math.h>

#include "agents/parts.h"

#define MARGIN 1e-7 /* of both sizes: far more than rounding, at least … */
#define WIDER 4.0   /* … and this many times what is around the sizes */
#define PROBES 4    /* on the way from the surface */
#define HALVES 200  /* most steps to a root */

/* The square of the distance in seconds from the start: c[0] + 2 c[1] s + c[2] s^2. */
typedef struct distance {
  double c[3], inner, outer; /* … and the squares of the two distances */
} distance;

bool brink_straight_suits(const brink_pair_guards *pg) {
  const brink_model *model = pg->eval.model;
  if (pg->def.ndimensions == 0 || pg->def.nguards != 1 || model->def.enabled != NULL ||
      pg->eval.solver != NULL)
    return false;
  const brink_guard *guard = &model->guards[pg->def.guards[0]];
  return guard->formula == NULL && !guard->def.reads_signs && guard->def.side != BRINK_CROSSING;
}

static bool measure(const brink_pair_guards *pg, const brink_pair_query *q, distance *d) {
  brink_plan plan[2];
  double around = 0.0, sizes = 0.0;
  *d = (distance){.c = {0.0}};
  for (int side = 0; side < 2; side++) {
    plan[side] = brink_packed_plan(&pg->population[side]->packing, q->now[side]);
    if (plan[side].degree > 1) return false;
  }
  for (int k = 0; k < pg->def.ndimensions; k++) {
    double at[2], rate[2], widest = 0.0;
    for (int side = 0; side < 2; side++) {
      const double *c = plan[side].c + pg->def.position[side][k] * plan[side].length;
      rate[side] = plan[side].degree > 0 ? c[1] / plan[side].unit : 0.0;
      at[side] = c[0] + rate[side] * (q->from - plan[side].origin);
      double far = fabs(at[side]) + fabs(rate[side]) * (q->to - q->from);
      widest += brink_motion_margin(pg, side, q->now[side], far);
    }
    double x = at[0] - at[1], v = rate[0] - rate[1];
    d->c[0] += x * x;
    d->c[1] += x * v;
    d->c[2] += v * v;
    if (widest > around) around = widest;
  }
  for (int side = 0; side < 2; side++) sizes += brink_motion_size(pg, side, q->now[side]);
  double margin = WIDER * (around - sizes);
  if (!(margin > MARGIN * sizes)) margin = MARGIN * sizes;
  if (!(sizes > 4.0 * margin)) return false;
  d->outer = (sizes + margin) * (sizes + margin);
  d->inner = (sizes - margin) * (sizes - margin);
  return isfinite(d->c[0] + d->c[1] + d->c[2] + d->outer);
}

/* When the distance falls to the one with this square, while the two approach; INFINITY: never. */
static double falls_to(const distance *d, double square) {
  double over = d->c[0] - square, disc = d->c[1] * d->c[1] - d->c[2] * over;
  if (!(d->c[1] < 0.0 && over > 0.0 && disc > 0.0)) return (double)INFINITY;
  return over / (sqrt(disc) - d->c[1]);
}

/* When it rises to that, while they part. */
static double rises_to(const distance *d, double square) {
  double under = square - d->c[0], disc = d->c[1] * d->c[1] + d->c[2] * under;
  if (!(d->c[1] > 0.0 && under > 0.0)) return (double)INFINITY;
  return under / (sqrt(disc) + d->c[1]);
}

/* The guard with this sign at s seconds from the start; the states are in pg->x1 then. */
static double value_at(brink_pair_guards *pg, const brink_pair_query *q, int sign, double s) {
  size_t guard = pg->def.guards[0];
  brink_quadratic_states(pg, guard, s);
  return sign * brink_eval_guard(&pg->eval, guard, q->from + s, pg->x1);
}

/* Narrows a change of sign down to neighbouring numbers: positive at *low, negative at *high. The regula falsi with halved
 * values (Dowell & Jarratt 1971), and bisection where it is slow. */
static void narrow(brink_pair_guards *pg, const brink_pair_query *q, int sign, double *low,
                   double *high, double above, double below) {
  for (int k = 0; k < HALVES; k++) {
    double width = *high - *low, s = *low + width * (above / (above - below));
    if (k % 8 >= 6 || !(s > *low && s < *high)) s = *low + 0.5 * width;
    if (!(s > *low && s < *high)) return;
    double y = value_at(pg, q, sign, s);
    if (y > 0.0) {
      *low = s;
      above = y;
      below *= 0.5;
    } else {
      *high = s;
      below = y;
      above *= 0.5;
    }
    if (!(below < 0.0 && above > 0.0)) return; /* on the surface */
  }
}

/* They come from afar. */
static bool approach(brink_pair_guards *pg, const brink_pair_query *q, const distance *d,
                     brink_pair_root *root) {
  size_t guard = pg->def.guards[0];
  double low = falls_to(d, d->outer), high = falls_to(d, d->inner), h = q->to - q->from;
  if (!(d->c[0] > d->outer && low > 0.0 && low < high && high < h)) return false;
  double first = value_at(pg, q, 1, 0.0);
  int sign = first > 0.0 ? 1 : -1;
  brink_direction direction = brink_leaving(sign);
  double above = value_at(pg, q, sign, low), below = value_at(pg, q, sign, high);
  if (!(sign * first > above && above > 0.0 && below < 0.0) ||
      !brink_detector_wants(&pg->detector, guard, direction))
    return false;
  narrow(pg, q, sign, &low, &high, above, below);
  bool inside = pg->eval.model->guards[guard].def.side == BRINK_UNILATERAL;
  *root = (brink_pair_root){.found = true,
                            .t = q->from + (inside ? low : high),
                            .guard = guard,
                            .direction = direction,
                            .kind = BRINK_CROSSED};
  return root->t > q->from && root->t < q->to;
}

/* They have just met, and part. */
static bool depart(brink_pair_guards *pg, const brink_pair_query *q, const distance *d,
                   const brink_contact *contact) {
  size_t guard = pg->def.guards[0];
  const brink_options *options = pg->detector.options;
  double h = q->to - q->from, apart = rises_to(d, d->outer), before = 0.0;
  int sign = contact->sign;
  if (sign == 0 || contact->due != 0 || contact->origin[0] != q->from ||
      contact->origin[1] != q->from || !(apart < h) || !brink_quadratic_same_states(pg, q))
    return false;
  before = value_at(pg, q, sign, 0.0);
  if (!(fabs(before) <=
        0.5 * brink_eval_tolerance(&pg->eval, guard, q->from, pg->x1, options->rtol, pg->atol)))
    return false;
  for (int k = 1; k <= PROBES; k++) {
    double y = value_at(pg, q, sign, apart * k / PROBES);
    if (!(y > before && y > 0.0)) return false;
    before = y;
  }
  double end = value_at(pg, q, sign, h);
  return end > before &&
         end > 2.0 * brink_eval_tolerance(&pg->eval, guard, q->to, pg->x1, options->rtol, pg->atol);
}

bool brink_straight_search(brink_pair_guards *pg, const brink_pair_query *q,
                           brink_pair_root *root) {
  distance d;
  if (!pg->straight || !(q->to > q->from) || q->displaced || q->record_all || !measure(pg, q, &d))
    return false;
  *root = (brink_pair_root){.t = q->to};
  brink_quadratic_expand(pg, q);
  if (q->jumped && !brink_quadratic_same_states(pg, q)) return false;
  const brink_contact *contact =
      brink_contacts_find(&q->agents->contacts, q->block, pg->def.guards[0], q->pair);
  bool stale =
      contact == NULL || (contact->at < q->from && !brink_contact_touching(contact, q->from));
  if (stale) return approach(pg, q, &d, root);
  if (contact->at != q->from || !depart(pg, q, &d, contact)) return false;
  brink_quadratic_end_contact(pg, q, contact);
  return true;
}
