/* sign.h: what the sign of a guard is, in one place for single systems (sim) and for pairs of agents (agents).
 *
 * A guard on its surface has no sign by its value: rounding decides it. `band` is the value below which that is so; who
 * asks knows how its values were computed. */
#ifndef BRINK_MODEL_SIGN_H
#define BRINK_MODEL_SIGN_H

#include <float.h>
#include <math.h>

#include "base/base.h"

/* By its value: -1 or 1; 0 within the band (and for a value that is no number). */
static inline int brink_sign_of(double g, double band) {
  if (!(fabs(g) > band)) return 0;
  return g > 0.0 ? 1 : -1;
}

/* The direction of an event after which the guard has this sign, and of one that leaves this sign. */
static inline brink_direction brink_arriving(int sign) {
  return sign > 0 ? BRINK_POSITIVE : BRINK_NEGATIVE;
}
static inline brink_direction brink_leaving(int sign) {
  return sign > 0 ? BRINK_NEGATIVE : BRINK_POSITIVE;
}

/* The side that counts as inside for a guard on its surface; 0: none does. A unilateral guard that watches one direction
 * has its inside by that. */
static inline int brink_sign_inside(const brink_guard_def *guard) {
  if (guard->inside != 0) return guard->inside;
  return guard->side == BRINK_UNILATERAL ? -(int)guard->direction : 0;
}

/* After an event that was located at `value`: the sign, if the instant has carried the guard off its surface; else 0.
 * What the location has left over is still on the surface; a guard that jumped is off it to begin with. */
static inline int brink_sign_moved(double g, double value, double band, brink_event_kind kind) {
  bool moved = kind == BRINK_JUMPED || fabs(g - value) > band;
  return moved ? brink_sign_of(g, band) : 0;
}

/* How far on the wrong side of its sign a guard may be, as it is there now: just so far, and rounding. */
static inline double brink_sign_slack(int sign, double g) {
  return sign * g < 0.0 ? fabs(g) * (1.0 + 4.0 * DBL_EPSILON) + DBL_MIN : 0.0;
}

#endif
