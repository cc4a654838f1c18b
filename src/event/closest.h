/* closest.h: where a guard came close and turned away, and how far it went past zero, or would have gone.
 *
 * An event detector looks for zeros, and at what nearly was one; here every local minimum of |g| counts,
 * however far away. Only for those who ask: each guard costs a polynomial and its extrema at every step. */
#ifndef BRINK_EVENT_CLOSEST_H
#define BRINK_EVENT_CLOSEST_H

#include "event/along.h"

#define BRINK_CLOSEST 16 /* closest approaches of one guard in one step that are reported */

/* A guard on a piece of a path, on the side of `sign`: y = sign*g. */
typedef struct brink_course {
  int count; /* local minima of y > 0 inside the piece, in order */
  brink_dip dip[BRINK_CLOSEST];
  double peak[BRINK_CLOSEST]; /* the largest y between the dip before (or the start) and this one */
  double last_peak;           /* … after the last dip */
  double first, last;         /* y at the ends, */
  double leaves, arrives;     /* and dy/dsigma there */
} brink_course;

/* The course of an enabled guard between from and to, 0 <= from < to <= 1. False: it has no values there. */
bool brink_closest_course(brink_along_space *space, size_t guard, const brink_path *path,
                          double from, double to, int sign, brink_course *course);

/* After a crossing at sigma: the largest |g| on the other side before the guard turns back, if nothing were
 * done about it: along the path as far as that goes, and by a parabola from its end. INFINITY: it does not
 * turn. NaN: not known. *at is where, as a sigma; it may be beyond the path. */
double brink_closest_depth(brink_along_space *space, size_t guard, const brink_path *path,
                           double sigma, double *at);

#endif
