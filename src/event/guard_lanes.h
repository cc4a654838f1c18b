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
  bool quiet;    /* nothing happens, nor does it come close; … */
  bool crosses;  /* … or it goes through its surface once, at `root`, and does nothing else */
  int sign;      /* if this is its sign, … */
  double g0;     /* … this its value at the start, … */
  double before; /* … and this its tolerance, the last time, … */
  double after;  /* … this is its tolerance in this step */
  double root;
} brink_foreseen_guard;

struct brink_foreseen_guards {
  const bool *valid;      /* the attempt that they were looked at along is the present one */
  const brink_path *path; /* its dense output */
  brink_foreseen_guard *guards;
  double first; /* the first of their roots; 2: there is none */
};

/* For interpolate.c: what is known of a guard on this path; NULL: nothing. */
const brink_foreseen_guard *brink_guard_foreseen(const brink_detector *det, size_t guard,
                                                 const brink_path *path);

/* Roots that are looked for together. */
typedef struct brink_root_jobs brink_root_jobs;
brink_root_jobs *brink_root_jobs_take(int width, int order, brink_arena *arena);

/* Looks at all guards of the runs of a block that can be; `made`: a bit for each run that has an attempt; `count`: so many
 * runs are not there twice. Roots are found later, many at once: at the latest by brink_guard_lanes_finish. */
void brink_guard_lanes_look(brink_lane_block *block, brink_detector *const *runs, unsigned made,
                            size_t count, brink_root_jobs *jobs);
void brink_guard_lanes_finish(brink_root_jobs *jobs);

#endif
