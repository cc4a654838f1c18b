/* delay_past.c: the past of one delayed signal (see delay.h).
 *
 * Pieces are kept in order in an array whose unused front is given back when it is half of it. The past covers
 * [t - bound, t]: its memory grows with the number of steps in that time, not with the length of the run. */
#include "sim/delay.h"

#include <float.h>
#include <math.h>
#include <string.h>

double brink_past_rounding(const brink_past *past, double t) {
  return 16.0 * DBL_EPSILON * fmax(fabs(t), past->bound);
}

/* ---- arrays that grow ---- */

/* Moves what is still needed to the front. */
static void compact(brink_past *past) {
  if (past->first == 0) return;
  past->count -= past->first;
  memmove(past->pieces, past->pieces + past->first, past->count * sizeof *past->pieces);
  past->first = 0;
}

bool brink_past_add(brink_past *past, const brink_allocator *allocator,
                    const brink_delay_piece *piece) {
  if (past->count == past->capacity && 2 * past->first >= past->capacity) compact(past);
  void *items = past->pieces;
  bool room = brink_grow(allocator, &items, past->count, &past->capacity, sizeof *past->pieces);
  past->pieces = items;
  if (!room) return false;
  brink_delay_piece *made = &past->pieces[past->count++];
  *made = *piece;
  if (past->count > past->first + 1) made->t0 = made[-1].t1; /* time may have been rounded */
  return true;
}

bool brink_past_break(brink_past *past, const brink_allocator *allocator, double t, int order) {
  brink_delay_break *last = past->nbreaks > 0 ? &past->breaks[past->nbreaks - 1] : NULL;
  if (last != NULL && t - last->t <= brink_past_rounding(past, t)) {
    if (order < last->order) last->order = order;
  } else {
    void *items = past->breaks;
    bool room =
        brink_grow(allocator, &items, past->nbreaks, &past->breaks_capacity, sizeof *past->breaks);
    past->breaks = items;
    if (!room) return false;
    past->breaks[past->nbreaks++] = (brink_delay_break){t, order};
  }
  if (past->to >= t - brink_past_rounding(past, t)) { /* the window ends here */
    past->ends = true;
    past->order = order;
  }
  return true;
}

void brink_past_drop(brink_past *past, double t) {
  while (past->first + 1 < past->count && past->pieces[past->first].t1 < t) past->first++;
  size_t old = 0;
  while (old < past->nbreaks && past->breaks[old].t < t) old++;
  if (old == 0) return;
  past->nbreaks -= old;
  memmove(past->breaks, past->breaks + old, past->nbreaks * sizeof *past->breaks);
}

/* ---- values ---- */

const brink_delay_piece *brink_past_piece(const brink_past *past, double a, bool right) {
  size_t low = past->first, high = past->count - 1;
  while (low < high) { /* the first piece that ends behind a, or, on the left, at it */
    size_t middle = low + (high - low) / 2;
    double end = past->pieces[middle].t1;
    if (right ? end <= a : end < a)
      low = middle + 1;
    else
      high = middle;
  }
  return &past->pieces[low];
}

double brink_past_value(const brink_past *past, double a, bool right) {
  const brink_delay_piece *piece = brink_past_piece(past, a, right);
  double width = piece->t1 - piece->t0;
  if (!(width > 0.0)) return piece->c[0];
  double s = ((a - piece->t0) - (piece->t1 - a)) / width;
  return brink_chebyshev_eval(piece->c, s);
}

double brink_past_end(const brink_past *past) {
  return past->pieces[past->count - 1].t1;
}

double brink_past_last(const brink_past *past) {
  return brink_past_value(past, brink_past_end(past), false);
}

/* ---- polynomials ---- */

double brink_delay_between(int k) {
  static const double places[BRINK_DELAY_CHECKS] = {-0.607, 0.383}; /* half-way between points */
  return places[k];
}

bool brink_delay_fits(const brink_sim *sim, const brink_delay_fit *fit, double part, double *c,
                      double *allowed) {
  double least = fit->values[0], most = least;
  for (int j = 1; j < BRINK_CHEBYSHEV_LENGTH; j++) {
    least = fmin(least, fit->values[j]);
    most = fmax(most, fit->values[j]);
  }
  double size = fmax(fabs(least), fabs(most));
  /* Times are rounded, too: by so much in a signal that changes. */
  double blur = DBL_EPSILON * (fabs(fit->from) + fabs(fit->to)) / (fit->to - fit->from);
  brink_chebyshev_fit(fit->values, c);
  *allowed = part * (sim->options.rtol * size + sim->delays->atol) + 8.0 * DBL_EPSILON * size +
             16.0 * blur * (most - least);
  if (!(brink_chebyshev_tail(c) <= *allowed)) return false;
  for (int k = 0; k < BRINK_DELAY_CHECKS; k++) {
    double miss = fit->between[k] - brink_chebyshev_eval(c, brink_delay_between(k));
    if (!(fabs(miss) <= *allowed)) return false;
  }
  return true;
}
