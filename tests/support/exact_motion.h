/* exact_motion.h: bodies in closed form, and all moments at which two of them touch.
 *
 * The velocity of a body turns at a constant rate (0: a straight line), so that its position is
 *
 *     p(t) = p0 + (s/w) v0 + ((1 - c)/w) J v0,   s = sin w(t - t0), c = cos w(t - t0), J a quarter turn
 *
 * its speed is constant, and so is its acceleration. These bound what the distance of two bodies can do
 * between two samples; nothing is sampled blindly. All in long double, and nothing of the library. */
#ifndef BRINK_TESTS_EXACT_MOTION_H
#define BRINK_TESTS_EXACT_MOTION_H

#include <stdbool.h>
#include <stddef.h>

typedef long double real;

typedef struct exact_motion {
  real t0;
  real p[3], v[3];
  real w; /* turns in the plane of the first two */
} exact_motion;

void exact_at(const exact_motion *m, real t, real *p, real *v);
real exact_speed(const exact_motion *m);

/* From t on, seen from there. */
exact_motion exact_from(const exact_motion *m, real t);

/* ---- roots ---- */

/* A function, its derivative at t, and a bound of its second derivative on [t - h, t + h]. */
typedef void exact_fn(real t, real h, const void *user, real *f, real *slope, real *bend);

typedef struct exact_root {
  real t;
  int direction; /* of the function: -1 it falls, 1 it rises */
  bool unsure;   /* so flat that a root could not be told from none, here: within `width` */
} exact_root;

/* All roots in [a, b], in order, the first `capacity` of them; returns how many there are. Parts of the interval shorter
 * than `width` in which a double root can neither be found nor excluded are reported as unsure. */
size_t exact_roots(exact_fn *fn, const void *user, real a, real b, real width, exact_root *roots,
                   size_t capacity);

/* Of two bodies: |p1 - p2| = distance, between a and b. */
size_t exact_touches(const exact_motion *m1, const exact_motion *m2, real distance, real a, real b,
                     exact_root *roots, size_t capacity);

/* The first time between a and b at which two bodies come to this distance from outside, or one to a wall from
 * inside; INFINITY: none. (Touches too flat to be told from none do not count.) */
real exact_first_touch(const exact_motion *m1, const exact_motion *m2, real distance, real a,
                       real b);
real exact_first_pass(const exact_motion *m, int k, real place, bool upper, real a, real b);

real exact_distance(const exact_motion *m1, const exact_motion *m2, real t);

#endif
