/* exact_discs.h: hard discs in a box, event by event, each in closed form (Alder & Wainwright 1959).
 *
 * Between collisions discs move on straight lines, so that a pair touches at a root of a quadratic and a wall is
 * reached at a quotient. A disc is where it was at its own last collision: nothing is accumulated in
 * between. In long double, and nothing of the library. Also intervals (one dimension) and balls (three). */
#ifndef BRINK_TESTS_EXACT_DISCS_H
#define BRINK_TESTS_EXACT_DISCS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct exact_disc {
  long double t; /* of the last collision */
  long double x[3], v[3], radius, mass;
  /* What comes next, as far as this disc knows: with a disc, or a wall (n + 2k, n + 2k + 1). */
  long double next;
  size_t with;
} exact_disc;

typedef struct exact_collision {
  long double t;
  size_t disc;
  size_t other; /* disc, larger than the first; or BRINK_NONE: … */
  size_t wall;  /* … 2k, 2k + 1: lower and upper wall of dimension k */
} exact_collision;

typedef struct exact_box {
  int ndimensions;
  size_t n;
  exact_disc *discs;
  bool walls;
  long double low[3], high[3];
} exact_box;

/* With discs filled in (t = 0): the first collisions, at most `count` and not after t_end; returns how many. */
size_t exact_collide(exact_box *box, long double t_end, exact_collision *out, size_t count);

/* Where a disc is. */
long double exact_place(const exact_disc *disc, int k, long double t);

#endif
