/* reach.h: which guards a step can reach at all.
 *
 * Most guards are far from zero most of the time. For many of them it is known how fast they can
 * change: a linear guard by its coefficients, a guard with Lipschitz bounds by these, a quadratic
 * one by its gradient and its constant second derivatives, a formula by its leaves. From the value
 * at one state follows a safe distance: as long as no state has moved by more than that, the guard
 * cannot have come near zero, and is neither evaluated nor looked at. How far the states have moved
 * is added up along the way from the paths' own bounds, so the guarantee is one about the computed
 * solution, not an estimate. */
#ifndef BRINK_EVENT_REACH_H
#define BRINK_EVENT_REACH_H

#include "model/eval.h"
#include "num/path.h"

typedef struct brink_reach {
  brink_eval *eval;
  const brink_options *options;
  const double *atol;
  bool any;          /* some guard can be far */
  bool time;         /* some of these depend on time: it counts as a state that moves */
  double travelled;  /* how far any state has moved since the last reset, at most */
  double *safe;      /* each guard: not near before `travelled` exceeds this */
  double *lipschitz; /* each guard: sum of its bounds; negative: none */
  double *curvature; /* quadratic guards: sum of |d2g/dx_i dx_j|; negative: not known yet */
  double *gradient;  /* scratch */
  double *moved;     /* scratch: a bound for each state */
  bool *near;        /* what the present step can reach */
} brink_reach;

bool brink_reach_create(brink_reach *reach, const brink_options *options, const double *atol,
                        brink_eval *eval, brink_arena *arena);

/* How far a path leads any state, at most. */
double brink_reach_of(brink_reach *reach, const brink_path *path);

/* Marks the guards that a step of this reach can bring near zero. */
void brink_reach_mark(brink_reach *reach, double distance);

/* A new value of a guard at (t, x), where the states have travelled `travelled`. */
void brink_reach_note(brink_reach *reach, size_t guard, double g, double t, const double *x);

/* The states jumped: nothing is known any more. */
void brink_reach_reset(brink_reach *reach);

#endif
