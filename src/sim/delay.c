/* delay.c: windows: what the step to come reads of delayed signals (see delay.h).
 *
 * Problem: y'(t) = f(t, y(t), u(t - lag)) with u known up to the present only, and less smooth than the method expects
 * wherever something happened one lag ago.
 *
 * Method: the method of steps (Bellen & Zennaro 2003, ch. 3 and 4). Before a step, p describes u by one polynomial on a
 * window [from, to] of arguments. A window never contains a break, and never reaches beyond what is known, so that within
 * a step everything is smooth, and nothing is extrapolated: steps are no longer than the lag. Where a window ends at a
 * break, the argument meets the break at an instant of its own: steps end there exactly, flags that jump have their events,
 * and the method starts anew. Elsewhere the window is exchanged for the next one without a word.
 *
 * What a break makes of signals that read the delayed one is a break of their own, one order higher for each integration
 * (delay_record.c). Beyond BRINK_DELAY_ORDERS they are followed no further.
 *
 * Deviations: a window is not a step of the past, as in most codes, but a new polynomial through values of the past,
 * compared with it to a small part of the tolerances. So the ends of old steps do not come back as ends of new ones,
 * lag after lag. Neighbouring windows agree where they meet. */
#include "sim/delay.h"

#include <float.h>
#include <math.h>

#define WINDOW_PART 0.02 /* of the tolerances: by so much a window may be off the past */
#define SHRINK 0.6       /* a window that does not fit is tried again, by this shorter … */
#define TRIES 30         /* … so often */
#define BEHIND 0.25  /* of its length, a window of a lag that varies begins behind the argument */
#define OVERRUN 1e-4 /* of its length, an argument may be outside a window that ends at no break */
#define SHORT 0.7    /* of its length is left of a window that is exchanged with others */
#define PROBES 8     /* points of a step where lags that vary are looked at */
#define BISECTIONS 60
#define AHEAD 1e-7 /* of the bound: so far is looked where an argument goes to, … */
#define LOOKS 5    /* … and ten times as far, so often */

/* ---- numbers in p ---- */

static double *number(brink_sim *sim, size_t delay, size_t j) {
  const brink_delay *def = &sim->model->def.delays->delays[delay];
  return &sim->eval.p[def->slot + j * def->stride];
}

/* The delayed signal at a, as p has it. */
static double present_value(brink_sim *sim, size_t delay, double a) {
  double s = (a - *number(sim, delay, BRINK_DELAY_CENTRE)) * *number(sim, delay, BRINK_DELAY_SCALE);
  double u = *number(sim, delay, BRINK_DELAY_LENGTH - 1);
  for (size_t j = BRINK_DELAY_LENGTH - 1; j-- > 0;) u = u * s + *number(sim, delay, j);
  return u;
}

static void write(brink_sim *sim, size_t delay, const double *c) {
  const brink_past *past = &sim->delays->pasts[delay];
  double powers[BRINK_DELAY_LENGTH];
  brink_chebyshev_powers(c, powers);
  for (size_t j = 0; j < BRINK_DELAY_LENGTH; j++) *number(sim, delay, j) = powers[j];
  *number(sim, delay, BRINK_DELAY_CENTRE) = past->from + 0.5 * (past->to - past->from);
  *number(sim, delay, BRINK_DELAY_SCALE) = 2.0 / (past->to - past->from);
}

/* ---- a window ---- */

/* The part of the past around a that is smooth and known. */
typedef struct stretch {
  double lo, hi;
  bool begins, ends; /* at breaks, of these orders */
  int lo_order, hi_order;
} stretch;

static stretch find_stretch(const brink_past *past, double a, int side, double near) {
  stretch found = {.lo = past->pieces[past->first].t0, .hi = brink_past_end(past)};
  for (size_t k = 0; k < past->nbreaks; k++) {
    const brink_delay_break *b = &past->breaks[k];
    if (side > 0 ? b->t <= a + near : b->t < a - near) {
      found.lo = b->t;
      found.lo_order = b->order;
      found.begins = true;
    } else {
      found.hi = b->t;
      found.hi_order = b->order;
      found.ends = true;
      break;
    }
  }
  return found;
}

/* Values of the past at the points of [from, to], and between them. */
static void sample(const brink_past *past, double from, double to, double *values,
                   double *between) {
  double middle = from + 0.5 * (to - from), half = 0.5 * (to - from);
  values[0] = brink_past_value(past, to, false);
  values[BRINK_CHEBYSHEV] = brink_past_value(past, from, true);
  for (int j = 1; j < BRINK_CHEBYSHEV; j++)
    values[j] = brink_past_value(past, middle + half * brink_chebyshev_point(j), true);
  for (int k = 0; k < BRINK_DELAY_CHECKS; k++)
    between[k] = brink_past_value(past, middle + half * brink_delay_between(k), true);
}

/* Where the argument goes on inside a stretch, the new window gives what the old one gave, to rounding: nothing jumps,
 * no flag changes its sign. The difference fades to the end of the window. */
static void join(brink_sim *sim, size_t delay, double a, double old, double allowed, double *c) {
  const brink_past *past = &sim->delays->pasts[delay];
  double width = past->to - past->from, s = ((a - past->from) - (past->to - a)) / width;
  double off = old - brink_chebyshev_eval(c, s);
  if (!(fabs(off) <= 16.0 * allowed) || !(s < 0.5)) return;
  double slope = off / (1.0 - s); /* off*(1 - s')/(1 - s) at s' */
  c[0] += slope;
  c[1] -= slope;
}

/* How long a window is tried first: generous, but not without reason, as each trial costs. */
static double first_length(const brink_sim *sim, const brink_past *past, double most) {
  double wanted = fmax(2.0 * past->length, 4.0 * sim->stepper.h_next);
  return past->length > 0.0 ? fmin(most, wanted) : most;
}

static void load_held(brink_sim *sim, size_t delay, double a, int side) {
  brink_past *past = &sim->delays->pasts[delay];
  double near = brink_past_rounding(past, sim->t);
  stretch in = find_stretch(past, a, side, near);
  past->from = in.lo;
  past->to = in.hi;
  past->begins = in.begins;
  past->ends = in.ends;
  past->from_order = in.lo_order;
  past->order = in.hi_order;
  double inside = fmin(fmax(a, in.lo + 0.5 * near), in.hi);
  *number(sim, delay, 0) = brink_past_value(past, inside, side > 0);
}

/* The longest window about a that fits. Inside one piece of the past every polynomial fits: that is the last resort. */
static void fit_window(brink_sim *sim, size_t delay, double a, int side, const stretch *in,
                       double *c, double *allowed) {
  brink_past *past = &sim->delays->pasts[delay];
  bool constant = sim->model->def.delays->delays[delay].constant;
  double near = brink_past_rounding(past, sim->t);
  const brink_delay_piece *piece = brink_past_piece(past, a + side * near, side > 0);
  double values[BRINK_CHEBYSHEV_LENGTH], between[BRINK_DELAY_CHECKS];
  double behind = constant ? 0.0 : side > 0 ? BEHIND : 1.0 - BEHIND;
  double length = first_length(sim, past, in->hi - in->lo);
  for (int tries = 0;; tries++) {
    bool single = tries == TRIES || (piece->t0 <= a - behind * length && piece->t1 >= a + length);
    past->from = single ? (constant ? a : fmax(piece->t0, in->lo)) : a - behind * length;
    past->to = single ? fmin(piece->t1, in->hi) : past->from + 1.1 * length;
    if (past->from - in->lo <= near) past->from = in->lo;
    if (past->to >= in->hi)
      past->to = in->hi;
    else if (!single)
      past->to = past->from + length;
    sample(past, past->from, past->to, values, between);
    brink_delay_fit fit = {past->from, past->to, values, between};
    if (brink_delay_fits(sim, &fit, WINDOW_PART, c, allowed) || single) return;
    length *= SHRINK;
  }
}

void brink_delay_load(brink_sim *sim, size_t delay, double a, int side) {
  brink_past *past = &sim->delays->pasts[delay];
  if (sim->model->def.delays->delays[delay].held) {
    load_held(sim, delay, a, side);
    return;
  }
  double near = brink_past_rounding(past, sim->t), c[BRINK_CHEBYSHEV_LENGTH], allowed;
  stretch in = find_stretch(past, a, side, near);
  bool goes_on = a > past->from + near && a <= past->to + near && a > in.lo + near;
  double old = goes_on ? present_value(sim, delay, a) : 0.0;
  a = fmin(fmax(a, in.lo), in.hi);
  fit_window(sim, delay, a, side, &in, c, &allowed);
  past->length = past->to - past->from;
  past->begins = in.begins && past->from == in.lo;
  past->ends = in.ends && past->to == in.hi;
  past->from_order = in.lo_order;
  past->order = in.hi_order;
  if (goes_on) join(sim, delay, a, old, allowed, c);
  write(sim, delay, c);
}

void brink_delay_settle(brink_sim *sim) {
  brink_delay_state *state = sim->delays;
  state->next = (double)INFINITY;
  for (size_t i = 0; i < state->count; i++) {
    brink_past *past = &state->pasts[i];
    bool constant = sim->model->def.delays->delays[i].constant;
    past->due = constant && past->ends ? past->to + past->lag : (double)INFINITY;
    state->next = fmin(state->next, past->due);
  }
}

/* ---- lags ---- */

bool brink_past_is_lag(const brink_past *past, double lag, double t) {
  return lag >= BRINK_DELAY_LEAST * past->bound && lag > BRINK_DELAY_RESOLVED * fabs(t) &&
         lag <= past->bound * (1.0 + 64.0 * DBL_EPSILON);
}

double brink_delay_shortest(brink_sim *sim) {
  const brink_delays *delays = sim->model->def.delays;
  double shortest = (double)INFINITY;
  for (size_t i = 0; delays != NULL && i < delays->count; i++)
    shortest = fmin(shortest, delays->bound(i, sim->t, sim->x, &sim->eval.env));
  return shortest;
}

double brink_delay_lag(brink_sim *sim, size_t delay) {
  return sim->model->def.delays->lag(delay, sim->t, sim->x, &sim->eval.env);
}

bool brink_delay_look(brink_sim *sim, size_t delay) {
  double lag = brink_delay_lag(sim, delay);
  if (!brink_past_is_lag(&sim->delays->pasts[delay], lag, sim->t)) {
    brink_delay_fail(sim, BRINK_REASON_DELAY_RANGE, delay, lag);
    return false;
  }
  brink_delay_take(sim, delay, lag);
  return true;
}

void brink_delay_take(brink_sim *sim, size_t delay, double lag) {
  brink_past *past = &sim->delays->pasts[delay];
  past->lag = lag;
  double a = sim->t - lag;
  if (sim->t > past->seen) past->rate = (a - past->argument) / (sim->t - past->seen);
  past->argument = a;
  past->seen = sim->t;
}

/* Does the argument go back from where it is? Asked where it is at an end of a stretch. Where it turns, its rate is zero:
 * looks further and further ahead until it has moved by more than rounding. */
static bool goes_back(brink_sim *sim, size_t delay) {
  brink_delay_state *state = sim->delays;
  const brink_past *past = &state->pasts[delay];
  double *f = sim->instant.field, blur = 64.0 * DBL_EPSILON * fmax(fabs(sim->t), past->bound);
  if (brink_eval_rhs(&sim->eval, sim->t, sim->x, f) != BRINK_TRY_OK) return false;
  double d = AHEAD * past->bound, moved = 0.0;
  for (int look = 0; look < LOOKS && !(fabs(moved) > blur); look++, d *= 10.0) {
    for (size_t k = 0; k < sim->model->def.nx; k++) state->x[k] = sim->x[k] + d * f[k];
    moved =
        d - (sim->model->def.delays->lag(delay, sim->t + d, state->x, &sim->eval.env) - past->lag);
  }
  return moved < -blur;
}

/* ---- before a step ---- */

/* A lag that varies: has its argument come to a break? */
static bool has_arrived(brink_sim *sim, size_t delay) {
  brink_past *past = &sim->delays->pasts[delay];
  double near = brink_past_rounding(past, sim->t);
  past->side = 0;
  bool at_end = past->ends && past->to - past->argument <= near;
  bool at_beginning = past->begins && past->argument - past->from <= near;
  if (!at_end && !at_beginning) return false;
  bool back = goes_back(sim, delay);
  past->rate = back ? fmin(past->rate, -1.0) : fmax(past->rate, 1.0); /* it may have turned here */
  if (at_end && !back) past->side = 1;
  if (at_beginning && back) past->side = -1;
  return past->side != 0;
}

/* Is the window good for the next step? */
static bool suffices(const brink_sim *sim, const brink_past *past, double a, bool constant) {
  double near = brink_past_rounding(past, sim->t);
  double wanted = sim->stepper.ops->is_free ? near : fmax(near, sim->stepper.h_next);
  if (!constant && a < past->from + near && !past->begins) return false;
  if (past->ends || past->to - a > wanted) return true;
  return past->to >= brink_past_end(past) - near && past->to - a > near; /* nothing more is known */
}

/* Lags that vary are looked at; true: all windows are good for the next step. */
static bool look_at_windows(brink_sim *sim) {
  brink_delay_state *state = sim->delays;
  bool good = true;
  for (size_t i = 0; i < state->count; i++) {
    const brink_past *past = &state->pasts[i];
    bool constant = sim->model->def.delays->delays[i].constant;
    if (!constant && !brink_delay_look(sim, i)) return false;
    if (!constant && has_arrived(sim, i))
      state->arrived = true;
    else
      good = good && suffices(sim, past, sim->t - past->lag, constant);
  }
  return good;
}

/* Is a longer window to be had? Asked where the series of the solution is made anew in any case: so that many signals
 * do not have it made at the end of each one's window. */
static bool is_short(const brink_sim *sim, const brink_past *past) {
  double near = brink_past_rounding(past, sim->t), left = past->to - (sim->t - past->lag);
  return !past->ends && left < SHORT * past->length && past->to < brink_past_end(past) - near;
}

brink_status brink_delay_refresh(brink_sim *sim, brink_diag *diag) {
  brink_delay_state *state = sim->delays;
  if (state == NULL || sim->phase == BRINK_PHASE_INSIDE) return BRINK_OK;
  bool series = sim->stepper.ops->is_free;
  bool good = look_at_windows(sim);
  bool anew = series && (!good || brink_sim_restarts(sim)), renumbered = false;
  if (state->failure != BRINK_REASON_NONE) return brink_delay_check(sim, diag);
  for (size_t i = 0; i < state->count && (!good || anew); i++) {
    const brink_delay *def = &sim->model->def.delays->delays[i];
    const brink_past *past = &state->pasts[i];
    double a = sim->t - past->lag;
    bool needed = past->side == 0 && !suffices(sim, past, a, def->constant);
    if (!needed && !(anew && def->constant && !def->held && is_short(sim, past))) continue;
    brink_delay_load(sim, i, a, 1);
    if (series && !def->held) brink_sim_restart(sim); /* it was made with the old window */
    renumbered = true;
  }
  if (renumbered) brink_reach_renumber(&sim->detector.reach);
  brink_delay_settle(sim);
  return brink_delay_check(sim, diag);
}

double brink_delay_limit(const brink_sim *sim) {
  const brink_delay_state *state = sim->delays;
  double limit = (double)INFINITY;
  for (size_t i = 0; state != NULL && i < state->count; i++) {
    const brink_past *past = &state->pasts[i];
    bool constant = sim->model->def.delays->delays[i].constant;
    bool back = !constant && past->rate < 0.0;
    double left = back ? past->argument - past->from : past->to + past->lag - sim->t;
    /* An argument that turns at the end comes ever slower: a bound for slow rates would make it crawl. A limit that is too
     * long is found by brink_delay_exit. */
    if (!constant && left > 0.0) left /= fmin(fabs(past->rate), 20.0);
    limit = fmin(limit, left);
  }
  return limit;
}

/* ---- after an attempt ---- */

/* Is what the step reads at sigma of its path known? *lag: no, and it never will be. */
static bool is_known(brink_sim *sim, size_t delay, const brink_path *path, double sigma,
                     bool *lag) {
  const brink_past *past = &sim->delays->pasts[delay];
  double t = path->t0 + sigma * path->h, near = brink_past_rounding(past, t);
  brink_path_eval(path, sigma, sim->delays->x);
  double now = sim->model->def.delays->lag(delay, t, sim->delays->x, &sim->eval.env);
  double over = OVERRUN * (past->to - past->from);
  *lag = !brink_past_is_lag(past, now, t);
  return !*lag && t - now <= past->to + (past->ends ? near : over) &&
         t - now >= past->from - (past->begins ? near : over);
}

/* The first place in (from, to] that is not; the last one that is, if the argument has only come to its window's end. */
static double find_exit(brink_sim *sim, size_t delay, const brink_path *path, double from,
                        double to) {
  bool lag;
  for (int k = 0; k < BISECTIONS; k++) {
    double middle = from + 0.5 * (to - from);
    if (!(middle > from && middle < to)) break;
    if (is_known(sim, delay, path, middle, &lag))
      from = middle;
    else
      to = middle;
  }
  is_known(sim, delay, path, to, &lag);
  return lag ? to : from;
}

double brink_delay_exit(brink_sim *sim, const brink_path *path, double end) {
  const brink_delay_state *state = sim->delays;
  double first = 2.0;
  for (size_t i = 0; state != NULL && i < state->count; i++) {
    if (sim->model->def.delays->delays[i].constant) continue;
    double before = 0.0;
    for (int k = 1; k <= PROBES; k++) {
      double sigma = end * k / PROBES;
      bool lag;
      if (!is_known(sim, i, path, sigma, &lag)) {
        double exit = find_exit(sim, i, path, before, sigma);
        if (exit < end) first = fmin(first, exit); /* at the end: the next step reports it */
        break;
      }
      before = sigma;
    }
  }
  return first;
}

/* ---- at an instant ---- */

bool brink_delay_meet(brink_sim *sim) {
  brink_delay_state *state = sim->delays;
  if (state == NULL || (state->next > sim->t && !state->arrived && !state->strayed)) return false;
  bool any = state->strayed && brink_delay_follow(sim);
  state->strayed = false;
  for (size_t i = 0; i < state->count; i++) {
    brink_past *past = &state->pasts[i];
    bool constant = sim->model->def.delays->delays[i].constant;
    int side = constant ? past->due <= sim->t : past->side;
    while (side != 0) {
      int order = side > 0 ? past->order : past->from_order;
      past->met = past->met < 0 || order < past->met ? order : past->met;
      brink_delay_load(sim, i, side > 0 ? past->to : past->from, side);
      any = true;
      past->side = 0;
      side = constant && past->ends && past->to + past->lag <= sim->t;
    }
  }
  state->arrived = false;
  brink_delay_settle(sim);
  return any;
}

/* Is the argument outside its window? */
static bool is_outside(const brink_sim *sim, const brink_past *past) {
  double near = brink_past_rounding(past, sim->t);
  return !(past->argument >= past->from - near && past->argument <= past->to + near);
}

/* Relations that a lag reads may not have their signs yet: what is no lag may become one, or is reported when all has
 * come to rest. */
bool brink_delay_follow(brink_sim *sim) {
  brink_delay_state *state = sim->delays;
  bool any = false;
  for (size_t i = 0; state != NULL && i < state->count; i++) {
    const brink_past *past = &state->pasts[i];
    if (sim->model->def.delays->delays[i].constant) continue;
    double lag = brink_delay_lag(sim, i);
    if (!brink_past_is_lag(past, lag, sim->t)) continue;
    brink_delay_take(sim, i, lag);
    if (!is_outside(sim, past)) continue;
    brink_delay_load(sim, i, past->argument, 1);
    any = true;
  }
  if (any) brink_delay_settle(sim);
  return any;
}

bool brink_delay_strays(brink_sim *sim) {
  brink_delay_state *state = sim->delays;
  bool any = false;
  for (size_t i = 0; state != NULL && i < state->count; i++) {
    if (sim->model->def.delays->delays[i].constant) continue;
    if (!brink_delay_look(sim, i)) return false;
    any = any || is_outside(sim, &state->pasts[i]);
  }
  if (any) state->strayed = true;
  return any;
}
