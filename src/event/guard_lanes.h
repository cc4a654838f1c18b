/* guard_lanes.h: guards along the next steps of several runs at once.
 *
 * Before a run in lanes takes its step, its linear guards are looked at along it together with those of other runs, by the
 * operations of interpolate.c and num/poly.c in the same order. Most keep away from their surfaces. The detector then finds
 * that known (brink_foreseen_guard), if the guard starts where it was taken to start, with the sign and the tolerance that
 * it had; otherwise it looks for itself, as ever. */
#ifndef BRINK_EVENT_GUARD_LANES_H
#define BRINK_EVENT_GUARD_LANES_H

#include "event/detector.h"
#include "num/lanes.h"

/* What is known of a guard along the next step. */
typedef struct brink_foreseen_guard {
  bool known;
  bool quiet; /* nothing happens, nor does it come close */
  int sign;   /* if this is its sign, … */
  double g0;  /* … this its value at the start, … */
  double before; /* … and this its tolerance, the last time, … */
  double after;  /* … this is its tolerance in this step */
} brink_foreseen_guard;

struct brink_foreseen_guards {
  const bool *valid;      /* the attempt that they were looked at along is the present one */
  const brink_path *path; /* its dense output */
  brink_foreseen_guard *guards;
};

/* For interpolate.c: nothing happens to the guard on this path; its tolerance is the new one, then. */
bool brink_guard_is_quiet(brink_detector *det, size_t guard, const brink_path *path);

/* Looks at all guards of the runs of a block that can be. */
void brink_guard_lanes_look(brink_lane_block *block, brink_detector *const *runs);

#endif
