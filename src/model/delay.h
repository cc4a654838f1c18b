/* delay.h: delayed signals, between a model and its simulation.
 *
 * A delayed signal is u(a), a = t - lag. The model computes it from numbers in p:
 *
 *     u(a) = sum_j p[slot + j*stride] s^j,     s = (a - centre)*scale,
 *
 * with centre and scale in the two places behind the coefficients; a signal that is held between events has one
 * coefficient and neither of them. The simulation records u along its steps, and fills these numbers in, so that they
 * are right for the step to come (sim/delay.c). To everything else a delayed signal is a polynomial in time, with
 * series and derivatives like any other expression. */
#ifndef BRINK_MODEL_DELAY_H
#define BRINK_MODEL_DELAY_H

#include "num/chebyshev.h"

#define BRINK_DELAY_LENGTH BRINK_CHEBYSHEV_LENGTH    /* coefficients */
#define BRINK_DELAY_CENTRE BRINK_DELAY_LENGTH        /* places of what follows them */
#define BRINK_DELAY_SCALE (BRINK_DELAY_LENGTH + 1)   /* … */
#define BRINK_DELAY_NUMBERS (BRINK_DELAY_LENGTH + 2) /* of p; a held signal: 1 */

typedef struct brink_delay {
  const char *name; /* where it stands: "delay at tank.hsml:12" */
  size_t line;      /* delays of one array share their formulas: which ones */
  bool held;        /* u is constant between events */
  bool constant;    /* the lag is constant during a run */
  bool has_history; /* else u was before the start what it is at the start */
  bool reads_signs; /* u does */
  size_t slot, stride;
} brink_delay;

typedef struct brink_delays {
  size_t count, nlines;
  const brink_delay *delays;
  /* reach[i*count + j]: delayed signal j acts on u of i through so many integrations; 255: never. NULL: not known. */
  const unsigned char *reach;
  const bool
      *reads; /* reads[i*nlines + j]: u of line i is computed from the delayed signal of line j */
  /* u, the lag and its largest value at a point; u before the start, at a time. NaN: there is none. */
  double (*signal)(size_t delay, double t, const double *x, const brink_env *env);
  double (*lag)(size_t delay, double t, const double *x, const brink_env *env);
  double (*bound)(size_t delay, double t, const double *x, const brink_env *env);
  double (*history)(size_t delay, double t, const double *x, const brink_env *env);
} brink_delays;

#endif
