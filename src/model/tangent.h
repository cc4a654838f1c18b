/* tangent.h: directional derivatives of a model at what is locked in a brink_eval.
 *
 * From the model's own callbacks where it has them (brink_rhs_tangent_fn and its neighbours), else by central
 * differences, one variable after another, with increments of `c` times the size of the variable (c = cube
 * root of the rounding unit, which balances truncation and rounding: errors are near 1e-10 of the function's
 * size). Where one of the two points is not in the domain, the three-point formula of the other side.
 *
 * Nothing here checks the domain or counts. Scratch is used: one thread at a time. */
#ifndef BRINK_MODEL_TANGENT_H
#define BRINK_MODEL_TANGENT_H

#include "model/eval.h"

typedef struct brink_tangent {
  brink_eval *eval;
  size_t columns; /* directions at most */
  double *size;   /* of each state, for increments: the caller keeps it up */

  /* scratch */
  double *x, *p, *pre_x, *pre_p; /* values nearby */
  int *mode;
  size_t outputs;                      /* of any function that is differentiated */
  double *middle, *above, *below, *at; /* its values */
  double *mix, *sided;                 /* nx rows of `columns` */
  double *rates;                       /* one row for each surface that is slid on */
  double *slopes;                      /* `outputs` rows */
  double *field, *gradient;
} brink_tangent;

/* Takes memory from the arena; false when there is none. */
bool brink_tangent_init(brink_tangent *tangent, brink_eval *eval, size_t columns,
                        brink_arena *arena);

/* Of the field that moves the state: the model's right-hand side or, on surfaces with Filippov's convention,
 * the field there. nx rows of along->count. */
brink_try brink_tangent_field(brink_tangent *tangent, double t, const double *x,
                              const brink_tangents *along, double *df);

/* Of a guard's value (a formula's: that of the leaf that decides): along->count numbers. */
brink_try brink_tangent_guard(brink_tangent *tangent, size_t guard, double t, const double *x,
                              const brink_tangents *along, double *dg);

/* A callback of an instant, for differences. One of the three. */
typedef struct brink_callback {
  brink_action_fn *action;
  const brink_event *event;
  brink_tick_fn *tick;
  size_t clock;
  int64_t number; /* of the tick */
  brink_rules_fn *rules;
} brink_callback;

/* What a callback does to directions, by calling it again: `before` are the values that it was given;
 * carried->x, p, timer hold the directions before it, and are changed. False: it is not defined nearby. */
bool brink_tangent_callback(brink_tangent *tangent, const brink_callback *callback,
                            const brink_now *before, brink_carried *carried);

#endif
