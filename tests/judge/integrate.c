/* integrate.c: between two instants: the classical Runge-Kutta method at a fixed step, with all decisions held; the
 * first switch inside a step is found by bisection. On a surface that holds the state, Filippov's field: the convex
 * combination of the fields on both sides that stays on it, which is the limit of every regularisation by a ramp. */
#include <math.h>
#include <string.h>

#include "judge/world.h"

#define NOISE 1e-13 /* rounding in the value of a flag or a relation whose terms are about 1 */
#define ALONG 1e-5  /* half the length of a difference along a field */
#define RETURN 10.0 /* 1/s: how fast what drifted off a surface is led back to it */
#define SAME 1e-10  /* s: events that are nearer than this are one instant */
#define PRECISION 1e-13
/* … and as this, for a run with a relative tolerance of 1e-9: levels of about 1 are known to a few times that when they
 * come down, however small they are by then. */
#define NEAR 4e-9
#define TOUCH                                                                                      \
  1e-13 /* a unilateral flag as small as this has reached its surface, if it does not pass it */

/* ---- fields ---- */

static void field(judge *j, double t, const double *x, double *rate) {
  judge_at(j, t, x);
  for (size_t i = 0; i < j->nx; i++) rate[i] = judge_cell_rate(j, j->state[i]);
}

bool judge_is_held(const judge *j, bool flag, uint64_t key) {
  for (size_t k = 0; k < j->nitems; k++)
    if (j->item[k].flag == flag && j->item[k].key == key) return true;
  return false;
}

static void take_side(judge *j, int side) {
  for (size_t k = 0; k < j->nitems; k++) {
    const judge_held_item *item = &j->item[k];
    if (item->flag)
      j->sgn[item->key] = (int)item->side[side];
    else
      judge_site_add(j, &j->table, item->key)->decision = item->side[side];
  }
}

/* The quantity that is zero on the surface which holds the state. */
static double residual(judge *j, double t, const double *x) {
  const judge_held_item *guide = &j->item[0];
  judge_at(j, t, x);
  if (guide->flag) return judge_cell_value(j, j->flag[guide->key].cell);
  for (size_t i = 0; i < j->nx; i++) judge_cell_rate(j, j->state[i]);
  const judge_site *site = judge_site_find(&j->table, guide->key);
  return site != NULL ? site->residual : (double)NAN;
}

/* Its rate along the field `rate`. */
static double residual_rate(judge *j, double t, const double *x, const double *rate) {
  double there[JUDGE_LIMIT], value[2];
  for (int side = 0; side < 2; side++) {
    double d = side == 0 ? -ALONG : ALONG;
    for (size_t i = 0; i < j->nx; i++) there[i] = x[i] + d * rate[i];
    value[side] = residual(j, t + d, there);
  }
  return (value[1] - value[0]) / (2.0 * ALONG);
}

/* Fields below and above, and the rates at which they lead off the surface. */
static void both_sides(judge *j, double t, const double *x, double rate[2][JUDGE_LIMIT],
                       double off[2]) {
  for (int side = 0; side < 2; side++) {
    take_side(j, side);
    field(j, t, x, rate[side]);
    off[side] = residual_rate(j, t, x, rate[side]);
  }
}

bool judge_is_attracting(judge *j, double t, const double *x) {
  double side[2][JUDGE_LIMIT], off[2];
  both_sides(j, t, x, side, off);
  return off[0] > 0.0 && off[1] < 0.0;
}

void judge_rates(judge *j, double t, const double *x, double *rate) {
  double side[2][JUDGE_LIMIT], off[2], here[JUDGE_LIMIT];
  if (j->nitems == 0) {
    field(j, t, x, rate);
    return;
  }
  memcpy(here, x, j->nx * sizeof *x);
  both_sides(j, t, here, side, off);
  double back = -RETURN * residual(j, t, here);
  double above = (back - off[0]) / (off[1] - off[0]);
  above = fmin(1.0, fmax(0.0, above));
  for (size_t i = 0; i < j->nx; i++) rate[i] = above * side[1][i] + (1.0 - above) * side[0][i];
}

static bool all_finite(const double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

bool judge_rk4(judge *j, double t, const double *x, double h, double *out) {
  double k[4][JUDGE_LIMIT], y[JUDGE_LIMIT], start[JUDGE_LIMIT];
  static const double part[4] = {0.0, 0.5, 0.5, 1.0};
  size_t n = j->nx;
  memcpy(start, x, n * sizeof *x); /* x may be the present, which every evaluation moves */
  for (int s = 0; s < 4; s++) {
    for (size_t i = 0; i < n; i++) y[i] = start[i] + (s > 0 ? h * part[s] * k[s - 1][i] : 0.0);
    judge_rates(j, t + part[s] * h, y, k[s]);
    if (!all_finite(k[s], n)) {
      memcpy(j->x, start, n * sizeof *x);
      j->t = t;
      return false;
    }
  }
  for (size_t i = 0; i < n; i++)
    out[i] = start[i] + h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
  return all_finite(out, n);
}

/* ---- looking ---- */

void judge_look(judge *j, double t, const double *x) {
  judge_at(j, t, x);
  for (size_t i = 0; i < j->nx; i++) judge_cell_rate(j, j->state[i]);
  for (size_t f = 0; f < j->nflags; f++) j->flag[f].value = judge_cell_value(j, j->flag[f].cell);
  for (size_t r = 0; r < j->nrules; r++) {
    if (j->rule[r].sampled) continue;
    j->rule_truth[r] = judge_truth(j, j->rule[r].frame, j->rule[r].when->condition[0]);
  }
}

static bool site_changed(const judge *j, const judge_site *site) {
  return site->key != 0 && site->stamp == j->stamp && site->open != site->decision &&
         site->margin > NOISE && !judge_is_held(j, false, site->key);
}

/* A flag on its surface has no sign, until it is clearly off. */
static int flag_change(const judge *j, size_t f) {
  const judge_flag *flag = &j->flag[f];
  if (flag->boolean || judge_is_held(j, true, f)) return 0;
  double off = flag->value;
  if (flag->side == BRINK_UNILATERAL && j->armed[f] && off * j->sign[f] < TOUCH) return -j->sign[f];
  if (j->sign[f] == 0) return fabs(off) > JUDGE_BAND ? (off > 0.0 ? 1 : -1) : 0;
  return off * j->sign[f] < -NOISE ? -j->sign[f] : 0;
}

bool judge_out_of_range(const judge *j) {
  for (size_t i = 0; i < j->nx; i++) {
    const judge_cell *cell = j->state[i];
    if (j->x[i] < cell->lo - (1e-9 * fabs(cell->lo) + 1e-12)) return true;
    if (j->x[i] > cell->hi + (1e-9 * fabs(cell->hi) + 1e-12)) return true;
  }
  return false;
}

static bool changed_here(const judge *j) {
  for (size_t k = 0; k < j->table.capacity; k++)
    if (site_changed(j, &j->table.site[k])) return true;
  for (size_t f = 0; f < j->nflags; f++) {
    if (isnan(j->flag[f].value)) return true;
    if (flag_change(j, f) != 0) return true;
  }
  return judge_out_of_range(j);
}

/* Has anything switched at (t, x)? On a surface both sides of it are asked, and whether they still lead to it. */
static bool changed(judge *j, double t, const double *x) {
  double here[JUDGE_LIMIT], side[2][JUDGE_LIMIT], off[2];
  memcpy(here, x, j->nx * sizeof *x);
  for (int s = 0; s < 2; s++) {
    if (j->nitems > 0) take_side(j, s);
    judge_look(j, t, here);
    if (changed_here(j)) return true;
    if (j->nitems == 0) return false;
  }
  both_sides(j, t, here, side, off);
  return off[0] < 0.0 || off[1] > 0.0;
}

/* ---- a step ---- */

typedef struct stretch {
  double t, x[JUDGE_LIMIT]; /* where it begins */
} stretch;

/* The state after s, in `out`; true: something has switched by then, or there is no state. */
static bool differs(judge *j, const stretch *from, double s, double *out) {
  if (!judge_rk4(j, from->t, from->x, s, out)) return true;
  return changed(j, from->t + s, out);
}

/* Unilateral flags that the state at `x` is as good as on. */
static bool at_an_edge(judge *j, double t, const double *x) {
  bool any = false;
  judge_look(j, t, x);
  for (size_t f = 0; f < j->nflags; f++)
    if (j->flag[f].side == BRINK_UNILATERAL && j->sign[f] != 0 &&
        fabs(j->flag[f].value) < JUDGE_BAND)
      any = true;
  return any;
}

/* Since when an edge was so near that a run with a tolerance may have stopped, before `s`. */
static double time_near(judge *j, const stretch *from, double s, size_t f) {
  double lo = 0.0, hi = s, out[JUDGE_LIMIT];
  judge_at(j, from->t, from->x);
  if (fabs(judge_cell_value(j, j->flag[f].cell)) < NEAR) return from->t + s - j->far[f];
  for (int k = 0; k < 40; k++) {
    double mid = 0.5 * (lo + hi);
    if (!judge_rk4(j, from->t, from->x, mid, out)) return s - lo;
    judge_at(j, from->t + mid, out);
    if (fabs(judge_cell_value(j, j->flag[f].cell)) > NEAR)
      lo = mid;
    else
      hi = mid;
  }
  return s - lo;
}

/* Which flags have an event here: those that changed at `hi`, or do within SAME behind it; edges that are as good as
 * reached. */
static void note_reached(judge *j, const stretch *from, double lo, double hi) {
  double out[JUDGE_LIMIT];
  if (judge_rk4(j, from->t, from->x, hi + SAME, out)) {
    judge_look(j, from->t + hi + SAME, out);
    for (size_t f = 0; f < j->nflags; f++)
      if (j->sign[f] != 0 && flag_change(j, f) != 0) j->reached[f] = flag_change(j, f);
  }
  if (!judge_rk4(j, from->t, from->x, lo, out)) return;
  judge_look(j, from->t + lo, out);
  for (size_t f = 0; f < j->nflags; f++) {
    const judge_flag *flag = &j->flag[f];
    if (flag->side != BRINK_UNILATERAL || j->sign[f] == 0) continue;
    if (fabs(flag->value) < NOISE) j->reached[f] = -j->sign[f];
  }
  for (size_t f = 0; f < j->nflags; f++)
    if (j->reached[f] != 0 && j->flag[f].side == BRINK_UNILATERAL)
      j->slack[f] = time_near(j, from, lo, f);
}

static bool reaches_an_edge(const judge *j) {
  for (size_t f = 0; f < j->nflags; f++)
    if (j->reached[f] != 0 && j->flag[f].side == BRINK_UNILATERAL) return true;
  return false;
}

static void land(judge *j, const stretch *from, double s, double t_end) {
  double out[JUDGE_LIMIT];
  judge_rk4(j, from->t, from->x, s, out);
  double t = from->t + s;
  judge_at(j, fabs(t - t_end) < SAME ? t_end : t, out);
}

/* Something switches within h. Returns true: the present is at that instant; false: it moved on a little. */
static bool find_switch(judge *j, const stretch *from, double h, double t_end) {
  double lo = 0.0, hi = h, out[JUDGE_LIMIT];
  while (hi - lo > PRECISION * (1.0 + from->t) && 0.5 * (lo + hi) > lo && 0.5 * (lo + hi) < hi) {
    double mid = 0.5 * (lo + hi);
    if (differs(j, from, mid, out))
      hi = mid;
    else
      lo = mid;
  }
  bool finite = judge_rk4(j, from->t, from->x, hi, out);
  if (!finite) { /* beyond an edge there is nothing: creep up to it */
    judge_rk4(j, from->t, from->x, lo, out);
    if (!at_an_edge(j, from->t + lo, out) && lo > 1e-11) {
      land(j, from, lo, t_end);
      return false;
    }
    for (size_t f = 0; f < j->nflags; f++)
      if (j->flag[f].side == BRINK_UNILATERAL && j->sign[f] != 0 &&
          fabs(j->flag[f].value) < 100 * JUDGE_BAND)
        j->reached[f] = -j->sign[f];
    if (!reaches_an_edge(j)) judge_refuse(j, "the field is not finite at t = %.9g", from->t + lo);
    for (size_t f = 0; f < j->nflags; f++)
      if (j->reached[f] != 0) j->slack[f] = time_near(j, from, lo, f);
  } else {
    note_reached(j, from, lo, hi);
  }
  land(j, from, reaches_an_edge(j) ? lo : hi, t_end);
  if (finite && judge_out_of_range(j)) {
    j->over = true;
    j->run->ending = JUDGE_RANGE;
  }
  return true;
}

/* Near an edge fields may be singular (a root, a power): steps are a fixed part of the time to it, or since it, as the
 * rate of its flag tells, so that halving the step halves them all. */
static double step_here(judge *j, const stretch *from) {
  double rate[JUDGE_LIMIT], there[JUDGE_LIMIT], before[JUDGE_LIMIT], h = j->step;
  double part = 4.0 * j->step;
  bool any = false;
  for (size_t f = 0; f < j->nflags; f++) any = any || j->flag[f].side == BRINK_UNILATERAL;
  if (!any || j->nitems > 0) return h;
  field(j, from->t, from->x, rate);
  for (size_t f = 0; f < j->nflags; f++) before[f] = judge_cell_value(j, j->flag[f].cell);
  double d = 1e-9;
  for (size_t i = 0; i < j->nx; i++) there[i] = from->x[i] - d * rate[i];
  judge_at(j, from->t - d, there);
  for (size_t f = 0; f < j->nflags; f++) {
    if (j->flag[f].side != BRINK_UNILATERAL || j->flag[f].boolean || j->sign[f] == 0) continue;
    double fall = (before[f] - judge_cell_value(j, j->flag[f].cell)) / d;
    double away = fabs(before[f]) / (fabs(fall) + 1e-3);
    if (isfinite(away)) h = fmin(h, fmax(part * away, 1e-7 * part));
  }
  return h;
}

static void arm(judge *j) {
  for (size_t f = 0; f < j->nflags; f++) {
    if (j->flag[f].side != BRINK_UNILATERAL || j->flag[f].boolean) continue;
    double away = fabs(judge_cell_value(j, j->flag[f].cell));
    if (away > JUDGE_BAND) j->armed[f] = true;
    if (away > NEAR) j->far[f] = j->t;
  }
}

/* Does something switch and switch back within h? Points on the chord tell where to look; h becomes such a place. */
static bool switches_inside(judge *j, const stretch *from, const double *end, double *h) {
  enum { PLACES = 4 };
  double x[JUDGE_LIMIT];
  for (int k = 1; k < PLACES; k++) {
    double s = *h * k / PLACES;
    for (size_t i = 0; i < j->nx; i++) x[i] = from->x[i] + (end[i] - from->x[i]) * k / PLACES;
    if (!changed(j, from->t + s, x) || !differs(j, from, s, x)) continue;
    *h = s;
    return true;
  }
  return false;
}

void judge_advance(judge *j, double t_end) {
  double out[JUDGE_LIMIT];
  stretch from;
  while (j->t < t_end) {
    if (++j->run->steps > 400000) judge_refuse(j, "too many steps");
    from.t = j->t;
    memcpy(from.x, j->x, j->nx * sizeof *j->x);
    double h = step_here(j, &from);
    if (t_end - from.t < 1.000001 * h) h = t_end - from.t;
    bool switches = differs(j, &from, h, out) || switches_inside(j, &from, out, &h);
    judge_at(j, from.t, from.x);
    if (!switches) {
      judge_at(j, h == t_end - from.t ? t_end : from.t + h, out);
      arm(j);
      continue;
    }
    if (find_switch(j, &from, h, t_end)) return;
  }
}
