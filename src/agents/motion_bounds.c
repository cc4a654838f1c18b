/* motion_bounds.c: bounds on the motion of agents in a window: what can be excluded without evaluating guards.
 *
 * One agent: a box around its window, and a tube, that is a straight line in space and time with a radius. Two agents: the
 * motion of one relative to the other as a few chords with a bound. All bounds are rigorous but for rounding, which is
 * added: polynomials are expanded about the middle of the window, or between the ends of a chord, and bounded by the sums of
 * the sizes of their terms. */
#include <math.h>

#include "agents/parts.h"
#include "agents/plan_series.h"

#define AROUND 2.0 /* tolerances around a box with a unilateral guard: within them may be a touch */
#define ROUNDING 1e-13  /* of the largest position: margin for rounding, for all guards */
#define ROUGHLY 1e-4    /* of the agent's size: truncation of its polynomials, … */
#define ROUGH_BEND 0.05 /* … or this part of their quadratic terms */

double brink_motion_size(const brink_pair_guards *pg, int side, const void *packed) {
  uint32_t at = pg->def.size[side];
  if (at == UINT32_MAX) return pg->def.size_value[side];
  return brink_packed_parameters(&pg->population[side]->packing, packed)[at];
}

/* The share of one agent in the distance at which something can happen: size and tolerances. `far`: largest position. */
static double margin_of(const brink_pair_guards *pg, int side, double size, double far) {
  const brink_options *options = &pg->population[side]->sim->options;
  double around = size + ROUNDING * far;
  if (pg->any_unilateral) around += AROUND * (options->rtol * far + options->atol);
  return around;
}

double brink_motion_margin(const brink_pair_guards *pg, int side, const void *packed, double far) {
  return margin_of(pg, side, brink_motion_size(pg, side, packed), far);
}

/* ---- one agent ---- */

/* Two states over a window: |x - (middle + slope s)| <= off for s from -1 to 1. */
typedef struct line {
  brink_double2 middle, slope, off;
} line;

/* Expanded about the middle of the window, where the powers of s are smallest; s^2 is 1/2 +- 1/2. */
static line line_of(const brink_plan *plan, const uint32_t *states, const int d[2], double from,
                    double to, double eps) {
  double h = 0.5 * (to - from), scale = h / plan->unit, bend = ROUGH_BEND * scale * scale;
  size_t one = states[d[0]], other = states[d[1]];
  brink_double2 limit = {eps, eps};
  if (plan->degree <= 1) {
    const double *a = plan->c + one * plan->length, *b = plan->c + other * plan->length;
    double s0 = (0.5 * (from + to) - plan->origin) / plan->unit;
    brink_double2 rate = {plan->degree > 0 ? a[1] : 0.0, plan->degree > 0 ? b[1] : 0.0};
    return (line){.middle = {a[0] + rate.a * s0, b[0] + rate.b * s0},
                  .slope = brink_double2_scale(rate, scale)};
  }
  if (plan->degree > 1) {
    limit.a += bend * fabs(plan->c[one * plan->length + 2]);
    limit.b += bend * fabs(plan->c[other * plan->length + 2]);
  }
  brink_plan_series s;
  brink_plan_series_expand(plan, one, other, 0.5 * (from + to), h, limit, &s);
  line l = {.middle = s.c[0], .off = s.rest};
  if (s.degree > 0) l.slope = s.c[1];
  if (s.degree < 2) return l;
  l.middle = brink_double2_add(l.middle, brink_double2_scale(s.c[2], 0.5));
  l.off = brink_double2_add(l.off, brink_double2_scale(brink_double2_abs(s.c[2]), 0.5));
  for (int k = 3; k <= s.degree; k++) l.off = brink_double2_add(l.off, brink_double2_abs(s.c[k]));
  return l;
}

/* Sets the bounds in one direction of space; returns the margin. */
static double set_bounds(const brink_pair_guards *pg, int side, int d, double size, double middle,
                         double slope, double off, double h, brink_motion_bounds *bounds) {
  double reach = fabs(slope) + off, around = margin_of(pg, side, size, fabs(middle) + reach);
  bounds->box.low[d] = middle - reach - around;
  bounds->box.high[d] = middle + reach + around;
  bounds->tube.at[d] = middle - slope;
  bounds->tube.rate[d] = h > 0.0 ? 2.0 * slope / h : 0.0;
  return around;
}

void brink_motion_bounds_of(const brink_pair_guards *pg, int side, const void *packed, double from,
                            double to, brink_motion_bounds *bounds) {
  brink_plan plan = brink_packed_plan(&pg->population[side]->packing, packed);
  double size = brink_motion_size(pg, side, packed), off = 0.0, widest = 0.0, h = to - from;
  for (int d = 0; d < pg->def.ndimensions; d += 2) {
    bool both = d + 1 < pg->def.ndimensions;
    line l = line_of(&plan, pg->def.position[side], (const int[2]){d, both ? d + 1 : d}, from, to,
                     ROUGHLY * size);
    off += l.off.a * l.off.a + (both ? l.off.b * l.off.b : 0.0);
    double around = set_bounds(pg, side, d, size, l.middle.a, l.slope.a, l.off.a, h, bounds);
    if (!(around <= widest)) widest = around; /* also one that is not a number */
    if (!both) continue;
    around = set_bounds(pg, side, d + 1, size, l.middle.b, l.slope.b, l.off.b, h, bounds);
    if (!(around <= widest)) widest = around;
  }
  bounds->tube.radius = sqrt(off) + widest;
}

/* Squared speed in two directions of space (or one, twice), in the units of the plan. */
static double squared_speed(const brink_plan *plan, const double *a, const double *b, double s) {
  brink_double2 slope = brink_double2_zero;
  for (int k = plan->degree; k > 0; k--)
    slope = brink_double2_add(brink_double2_scale(slope, s), (brink_double2){k * a[k], k * b[k]});
  return slope.a * slope.a + (a != b ? slope.b * slope.b : 0.0);
}

double brink_motion_speed(const brink_pair_guards *pg, int side, const void *packed, double t) {
  brink_plan plan = brink_packed_plan(&pg->population[side]->packing, packed);
  double sum = 0.0, s = (t - plan.origin) / plan.unit;
  if (s == 0.0 && plan.degree > 1) plan.degree = 1;
  for (int d = 0; d < pg->def.ndimensions; d += 2) {
    const uint32_t *states = pg->def.position[side];
    size_t other = states[d + 1 < pg->def.ndimensions ? d + 1 : d];
    sum += squared_speed(&plan, plan.c + states[d] * plan.length, plan.c + other * plan.length, s);
  }
  return sqrt(sum) / plan.unit;
}

/* ---- two agents ---- */

bool brink_tubes_may_touch(const brink_pair_guards *pg, const brink_tube *one,
                           const brink_tube *other, double since_b, double h) {
  double near = one->radius + other->radius, apart[3], rate[3], closing = 0.0, speed = 0.0,
         sum = 0.0;
  for (int d = 0; d < pg->def.ndimensions; d++) {
    apart[d] = one->at[d] - (other->at[d] + other->rate[d] * since_b);
    rate[d] = one->rate[d] - other->rate[d];
    closing -= apart[d] * rate[d];
    speed += rate[d] * rate[d];
  }
  double s = closing <= 0.0 ? 0.0 : closing >= speed * h ? h : closing / speed;
  for (int d = 0; d < pg->def.ndimensions; d++) {
    double x = apart[d] + rate[d] * s;
    sum += x * x;
  }
  return sum <= near * near;
}

#define PIECES 8

/* The motion of one agent relative to the other: positions at the ends of PIECES equal parts of the time. */
typedef struct chords {
  double at[PIECES + 1][3];
  double off; /* largest distance from the straight lines between them */
  double near;
} chords;

/* The polynomials of the relative motion in two directions of space (or one, twice). */
static void relative_motion(const brink_pair_guards *pg, const void *const packed[2], double from,
                            double h, const int d[2], brink_double2 around[2],
                            brink_plan_series *relative) {
  brink_plan_series of[2];
  for (int side = 0; side < 2; side++) {
    brink_plan plan = brink_packed_plan(&pg->population[side]->packing, packed[side]);
    const uint32_t *position = pg->def.position[side];
    double size = brink_motion_size(pg, side, packed[side]);
    brink_double2 eps = {ROUGHLY * size, ROUGHLY * size}, far = brink_double2_zero;
    brink_plan_series_expand(&plan, position[d[0]], position[d[1]], from, h, eps, &of[side]);
    for (int k = 0; k <= of[side].degree; k++)
      far = brink_double2_add(far, brink_double2_abs(of[side].c[k]));
    around[side] =
        (brink_double2){margin_of(pg, side, size, far.a), margin_of(pg, side, size, far.b)};
  }
  relative->degree = of[0].degree > of[1].degree ? of[0].degree : of[1].degree;
  for (int k = 0; k <= relative->degree; k++) {
    brink_double2 one = k <= of[0].degree ? of[0].c[k] : brink_double2_zero;
    brink_double2 other = k <= of[1].degree ? of[1].c[k] : brink_double2_zero;
    relative->c[k] = (brink_double2){one.a - other.a, one.b - other.b};
  }
  relative->rest = brink_double2_add(of[0].rest, of[1].rest);
}

static void compute_chords(const brink_pair_guards *pg, const void *const packed[2], double from,
                           double to, chords *c) {
  double widest[2] = {0.0}, off = 0.0;
  for (int d = 0; d < pg->def.ndimensions; d += 2) {
    bool both = d + 1 < pg->def.ndimensions;
    brink_double2 around[2], bend = brink_double2_zero;
    brink_plan_series s;
    relative_motion(pg, packed, from, to - from, (const int[2]){d, both ? d + 1 : d}, around, &s);
    for (int side = 0; side < 2; side++)
      widest[side] = fmax(widest[side], fmax(around[side].a, around[side].b));
    for (int k = 2; k <= s.degree; k++)
      bend = brink_double2_add(bend, brink_double2_scale(brink_double2_abs(s.c[k]), k * (k - 1)));
    for (int j = 0; j <= PIECES; j++) {
      brink_double2 x = s.c[s.degree];
      for (int k = s.degree - 1; k >= 0; k--)
        x = brink_double2_add(brink_double2_scale(x, (double)j / PIECES), s.c[k]);
      c->at[j][d] = x.a;
      if (both) c->at[j][d + 1] = x.b;
    }
    brink_double2 left =
        brink_double2_add(s.rest, brink_double2_scale(bend, 1.0 / (8.0 * PIECES * PIECES)));
    off += left.a * left.a + (both ? left.b * left.b : 0.0);
  }
  c->off = sqrt(off);
  c->near = widest[0] + widest[1];
}

/* Is every point of the straight line from a to b farther from the origin than this? */
static bool keeps_distance(const double *a, const double *b, int nd, double distance) {
  double along = 0.0, length = 0.0, sum = 0.0;
  for (int d = 0; d < nd; d++) {
    along -= a[d] * (b[d] - a[d]);
    length += (b[d] - a[d]) * (b[d] - a[d]);
  }
  double s = along <= 0.0 ? 0.0 : along >= length ? 1.0 : along / length;
  for (int d = 0; d < nd; d++) {
    double x = a[d] + s * (b[d] - a[d]);
    sum += x * x;
  }
  return sum > distance * distance;
}

bool brink_motion_clip(const brink_pair_guards *pg, const void *a, const void *b, double *from,
                       double *to) {
  chords c;
  bool straight = brink_packed_plan(&pg->population[0]->packing, a).degree <= 1 &&
                  brink_packed_plan(&pg->population[1]->packing, b).degree <= 1;
  if (pg->def.ndimensions == 0 || straight) return true; /* the test of the tubes was exact */
  compute_chords(pg, (const void *const[2]){a, b}, *from, *to, &c);
  int first = 0, last = PIECES;
  double distance = c.near + c.off, h = *to - *from;
  while (first < last &&
         keeps_distance(c.at[first], c.at[first + 1], pg->def.ndimensions, distance))
    first++;
  while (last > first && keeps_distance(c.at[last - 1], c.at[last], pg->def.ndimensions, distance))
    last--;
  if (first == last) return false;
  double start = *from + h * first / PIECES, end = *from + h * last / PIECES;
  if (first > 0 && start < *to) *from = start;
  if (last < PIECES && end > *from) *to = end;
  return true;
}
