/* fixed.h: what the fixed-step methods share, and the look ahead that all one-step methods share.
 *
 * A one-step method has no past from which to predict. Its look ahead is the dense output of the
 * last step, continued past its end: the slope is the true f, the higher terms are the old ones,
 *
 *     x^p(s) = x_k + s f_k + sum_{l=2..q} c_l s^l,
 *
 * where the old polynomial of degree q was made on an interval of length `base`, `past` before t_k.
 * The error of a polynomial continued past the interval it was made on, given that value and slope
 * are right at s = 0, behaves as
 *
 *     |x(s) - x^p(s)| ~ K s^2 (s^(q-1) + R^(q-1)),     R = base + past:
 *
 * for short s the old second derivative is off by something fixed, for long s the missing power
 * counts. K is measured for each component at the end of every step, and gives the predictor's
 * margin. */
#ifndef BRINK_ODE_FIXED_H
#define BRINK_ODE_FIXED_H

#include "ode/stepper.h"

#define BRINK_AHEAD_TERMS 3 /* powers 2 … 4: dopri's dense output has degree 4 */

typedef struct brink_ahead {
  size_t n;
  int degree;                   /* of the continued polynomial; 0: none */
  double base, past;            /* where it was made: on [t - past - base, t - past] */
  double *c[BRINK_AHEAD_TERMS]; /* of s^2, s^3, s^4 */
  double *k;                    /* K of each component, as far as measured */
  double *e;                    /* for the predictor: K scaled to the planned step */
  bool measured;                /* k holds a whole step's experience */
  bool planned;                 /* st->predictor was built from this */
  int planned_degree;           /* of it */
} brink_ahead;

bool brink_ahead_create(brink_ahead *ahead, size_t n, brink_arena *arena);

/* After a start: there is no last step. */
void brink_ahead_forget(brink_ahead *ahead);

/* No longer step than this can be predicted; INFINITY before there is anything to continue. */
double brink_ahead_reach(const brink_ahead *ahead);

/* Builds st->predictor on [t, t + h]. */
void brink_ahead_plan(brink_ahead *ahead, brink_stepper *st, double h);

/* Declares the predictor just planned to be the method itself: no shift at all. */
void brink_ahead_exact(brink_ahead *ahead, brink_stepper *st);

/* Once a step is sure to be accepted, before t and x change: measures how good the predictor was
 * and takes st->dense as the next to be continued. f_new is the slope at the end. */
void brink_ahead_learn(brink_ahead *ahead, const brink_stepper *st, const double *f_new);

/* The cubic (Hermite) dense output on [t, t + h] from values and slopes at both ends, kept as
 *     x0 + r0 sigma + r1 sigma(1 - sigma) + r2 sigma^2 (1 - sigma)
 * so that its end is x_new to the last bit but one. r[0] is the change x_new - x, before it was rounded to that, if the
 * method knows it: in a step that is hardly longer than rounding the difference is far off the slopes, and the cubic would
 * waver through the surfaces beside it. x0 and r are the stepper's own vectors: the
 * path stays valid when the step is committed, until the next attempt. */
void brink_dense_hermite(brink_stepper *st, double h, const double *f_new, double *x0,
                         double *const r[3]);

/* Workspace of a fixed-step method. */
typedef struct brink_fixed {
  brink_ahead ahead;
  double *x0;    /* start of the dense output */
  double *r[3];  /* its terms */
  double *k[3];  /* stages */
  double *arg;   /* where a stage is evaluated */
  double *f_new; /* f at the end of the attempt */
} brink_fixed;

bool brink_fixed_create(brink_fixed *fx, brink_stepper *st, brink_arena *arena);

/* For brink_stepper_ops.archive. */
void brink_ahead_archive(brink_ahead *ahead, brink_archive *a);
void brink_fixed_archive(brink_fixed *fx, brink_archive *a);
void brink_fixed_archive_method(brink_stepper *st, void *method, bool runs, brink_archive *a);

/* For brink_stepper_ops.relocate: of methods whose workspace contains this, and of those whose it is. */
void brink_ahead_relocate(brink_ahead *ahead, brink_relocation *moved);
void brink_fixed_relocate(brink_fixed *fx, brink_relocation *moved);
void brink_fixed_relocate_method(const brink_stepper *st, void *method, brink_relocation *moved);

/* f at the start, and the nominal step as the next. */
brink_try brink_fixed_start(brink_fixed *fx, brink_stepper *st);

/* The step to plan: the nominal one, or all that is left, if that is less or hardly more. */
double brink_fixed_step(const brink_stepper *st, double h_limit);

/* Is this the nominal step, up to rounding? */
bool brink_fixed_is_nominal(const brink_stepper *st, double h);

/* A step with the classical Runge-Kutta method: x_new, f_new, cubic dense output. Multistep methods
 * start with it. */
brink_try brink_fixed_rk4(brink_fixed *fx, brink_stepper *st, double h);

/* fx->f_new from the model at the end of the attempt. */
brink_try brink_fixed_end_slope(brink_fixed *fx, brink_stepper *st);

/* Makes the attempt the present, given f_new. Cannot fail. */
void brink_fixed_advance(brink_fixed *fx, brink_stepper *st);

#endif
