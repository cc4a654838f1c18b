/* doubling.h: the corridor by classical Runge-Kutta with step doubling, looked at at the ends of steps. */
#ifndef BRINK_EXPERIMENTS_CORRIDOR_DOUBLING_H
#define BRINK_EXPERIMENTS_CORRIDOR_DOUBLING_H

#include <stdbool.h>

/* What "Runge-Kutta, fourth order, variable step" leaves open. */
typedef struct corridor_doubling {
  double first;  /* step */
  double safety; /* a new step is this much of the one that the error allows */
  bool by_norm;  /* errors are relative to the largest state, not each to its own */
} corridor_doubling;

/* Follows the vehicle from x0 = (x, y, theta) until a step ends past a wall, for at most 6 s. True: past the
 * corner; false: past another wall, or past none. */
bool corridor_by_doubling(const corridor_doubling *how, const double *x0, double rtol, double atol);

#endif
