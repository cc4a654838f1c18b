/* detector.h: the two questions that the hybrid loop asks about events.
 *
 *   before a step: how far may it go?          brink_detector_before   (extrapolate.c)
 *   after it:      what happened inside?        brink_detector_after    (interpolate.c, textbook.c)
 *
 * (The third, asked from inside a step before every call of the right-hand side, is
 * brink_eval_may in model/eval.h.) Detectors read paths and guards; they know no stepper. */
#ifndef BRINK_EVENT_DETECTOR_H
#define BRINK_EVENT_DETECTOR_H

#include "event/along.h"
#include "event/reach.h"
#include "model/sign.h"

/* The answer to the first question. */
typedef struct brink_limit {
  double sigma; /* the step may go this far along the predictor, 0 … 1 */
  bool event; /* the surface is reached there: follow the predictor to it, evaluate nothing, stop */
  size_t guard; /* the guard that set the limit, or BRINK_NONE */
  brink_event_kind kind;
  double
      hop; /* a touch that dips through the surface by less than the tolerance comes back here; 0 */
} brink_limit;

/* A guard that fired. */
typedef struct brink_located {
  size_t guard;
  brink_event_kind kind;
  brink_direction direction;
  double value; /* of the guard before the actions of its round; set when these run */
  int priority; /* of the guard; set when they are put in order */
  /* After its own action, before those of others in the same round: the motion does not lead out, and the side
   * that the guard is on, or is led to; 0: it stays on its surface. */
  bool kept_inside;
  int sign_after;
  bool
      again; /* another action carried it across zero, or leads it across: an event of the next round, … */
  brink_event_kind again_as; /* … of this kind */
  bool pole;                 /* it changed its sign through infinity */
} brink_located;

/* The answer to the second. */
typedef struct brink_found {
  bool event;
  double sigma;     /* where, along the dense output */
  bool chord;       /* the state there is on the chord between the ends (zlm) */
  size_t undefined; /* a guard that has no value somewhere on the path, or BRINK_NONE */
  double
      unsure; /* before this sigma the step should end: what comes there depends on its error; 0: go */
  double
      cut; /* what lies beyond this sigma was not looked at: the step has to end here; 0: all was */
} brink_found;

/* The first event of a guard in the attempted step, be it the first of all or not. */
typedef struct brink_candidate {
  double sigma;
  brink_located event;
} brink_candidate;

typedef struct brink_detector brink_detector;

typedef struct brink_detector_ops {
  brink_events events;
  bool one_sided;   /* ask the first question, and let the domain check answer the third */
  bool needs_paths; /* wants appended states for guards without a polynomial */
  void (*after)(brink_detector *det, const brink_path *dense, brink_found *found);
} brink_detector_ops;

extern const brink_detector_ops brink_detector_extrapolate;
extern const brink_detector_ops brink_detector_interpolate;
extern const brink_detector_ops brink_detector_endpoint;
extern const brink_detector_ops brink_detector_zlm;
extern const brink_detector_ops brink_detector_mnm;

/* A polynomial of a leaf in the coordinates of its formula, while the first question is answered.
 */
typedef struct brink_leaf_poly {
  size_t leaf;
  int polarity;
  brink_along along;
  double at;        /* its distance at some sigma */
  double low, high; /* bounds of the polynomial on [0, 1] */
  bool fitted;      /* the polynomial holds on a piece only: on the next there is another */
  double way;       /* how far it moves before the piece, at most */
  double margin; /* sum |dg/dx_i| |e_i|: how far the corrector may move it, per unit of M(sigma) */
} brink_leaf_poly;

struct brink_detector {
  bool one_way; /* some guard has events in one direction only */
  bool curved;  /* … is not made of numbers alone */
  bool passed; /* the committed step has carried a guard past its surface, and no event was found */
  const brink_detector_ops *ops;
  const brink_options *options;
  const double *atol;
  brink_eval *eval;
  brink_along_space space;
  brink_reach reach;
  double step_reach; /* what reach.near was collected for */
  double moved;      /* how far the attempted step moves any state */
  double resolution; /* of time at its start, as a part of it */
  double longest;    /* step, that could be looked at as a whole when one had to be cut; it grows */
  double horizon;    /* what lies beyond this sigma is of no interest: something happens before */
  bool looks_on;     /* … but actions may change nothing, and then the step goes on */

  double *g0;    /* each guard's value at the present state, … */
  int64_t *seen; /* … when `seen` is the present step: far guards are not looked at */
  int64_t step;
  double *g1;        /* and at the end of the attempted step */
  double *tolerance; /* what the tolerances amount to in each guard, when last looked at */
  double *gap;       /* unilateral guards that limited the last step: their distance then; else 0 */
  int *slow;         /* steps in a row over which that gap hardly shrank */
  bool marked;       /* one of `gap`, `slow` and `slope` may be other than zero */
  double *slope;     /* d|g|/dsigma at the end of the last step, where it was scanned; else 0 */
  double *slope_new; /* … of the attempted step */
  double *signs;     /* scratch: of the leaves of a formula, on the way along a path */
  bool *touched;     /* the guard touched its surface and has not left its tolerance since */
  double
      *high; /* the largest |g| since the guard was last at its surface: it came down from there */
  brink_leaf_poly *leaves; /* scratch, as many as the longest formula has */

  brink_located *located; /* what fired at found.sigma */
  size_t nlocated;
  brink_candidate *queue; /* what else will fire in the attempted step, as far as it is known */
  size_t nqueue, queue_room;
  bool whole;              /* the queue holds the first event of every guard, … */
  bool *queued;            /* … and of these guards all events in the step */
  size_t undefined;        /* a guard without a value on the way, or BRINK_NONE */
  size_t *again;           /* scratch: guards to be looked at once more */
  brink_near_miss *misses; /* closest approaches in the attempted step */
  size_t nmisses;
  struct brink_foreseen_guards *
      foreseen; /* of runs in lanes (guard_lanes.h): guards that were looked at ahead; NULL: none */
};

/* Interpolation's answer to the second question; extrapolation gives it too. */
void brink_interpolate_after(brink_detector *det, const brink_path *dense, brink_found *found);

/* The same for one guard. */
void brink_interpolate_guard(brink_detector *det, size_t guard, const brink_path *dense,
                             brink_found *found);

const brink_detector_ops *brink_detector_ops_for(brink_events events);

bool brink_detector_create(brink_detector *det, const brink_options *options, const double *atol,
                           brink_eval *eval, brink_arena *arena);

/* The simulation that it belongs to is a copy of another; its evaluator has been relocated. */
void brink_detector_relocate(brink_detector *det, brink_relocation *moved);

/* archive.c: what it knows between two steps, to bytes and back (base/archive.h), after its evaluator. `x`: the present
 * state, about which guards may be known to be far. */
void brink_detector_archive(brink_detector *det, const double *x, brink_archive *a);
/* A guard that fired. */
void brink_located_archive(brink_located *located, size_t guards, brink_archive *a);

/* Look at the guards anew at a start, or after an event. */
void brink_detector_reset(brink_detector *det, double t, const double *x);

/* For methods whose dense output is no better than its order, at a start with the field f: a guard that begins on its
 * surface with rate zero has its sign by higher derivatives of the model, and until it has left its tolerance, what the
 * dense output says of its sign is the method's error. */
void brink_detector_start_flat(brink_detector *det, double t, const double *x, const double *f);

/* An instant changed the states from one to the other, after the step had moved them by at most
 * det->moved; `same`: parameters and modes are what they were. */
void brink_detector_jump(brink_detector *det, const double *from, const double *to, bool same);

/* Could an instant that moves the states this far have carried the guard across zero? */
static inline bool brink_detector_concerned(const brink_detector *det, size_t guard,
                                            double distance) {
  return !det->reach.any || brink_reach_is_near(&det->reach, guard, det->moved + distance);
}

/* First question. f: the field at the present state; `hmin`: what time can resolve here. */
brink_limit brink_detector_before(brink_detector *det, const brink_path *predictor, const double *f,
                                  int order, double hmin);

/* The same where the step itself will be looked at before anything is evaluated at its end (Taylor
 * series): all that is left is to recognise a singular edge, from outside of which no series converges
 * up to the surface. */
brink_limit brink_detector_creeping(brink_detector *det, const brink_path *predictor,
                                    const double *f);

/* Second question; x_new is the end of the path. Fills det->located and det->misses. */
brink_found brink_detector_after(brink_detector *det, const brink_path *dense, const double *x_new);

/* Does a step of h, of which a part has been passed already, have to end before anything is found in it? Then how
 * long it may be; else 0. */
double brink_detector_cut(brink_detector *det, const brink_found *found, double passed, double h);

/* The events just found changed nothing but the signs of their guards. Must the detector look at the rest
 * of the step to know what comes next? */
bool brink_detector_wants_rest(const brink_detector *det);

/* What comes next in the same step, of which `rest` (NULL: not wanted) is left, from `passed` on? */
brink_found brink_detector_next(brink_detector *det, const brink_path *rest, double passed);

/* Surfaces may coincide: a corner on that of a unilateral guard (`max(h, 0.0)` beside `empty = h`). Unilateral
 * guards that reach theirs at found->sigma, as closely as what fires there, fire with it, and found->sigma moves
 * back to where they are inside. */
void brink_detector_join(brink_detector *det, const brink_path *dense, brink_found *found);

/* The last sigma, from this one back, at which the own value of a unilateral guard is inside. */
double brink_detector_inside(brink_detector *det, size_t guard, const brink_path *path,
                             double sigma, int sign);

/* Is that so? Guards by callbacks may read a sign: their values at the end of the step tell. */
/* Has every guard a value, on its side, at points of the path up to sigma? Asked where some guard has none
 * further on, so that it was not looked at. *guard: one that has not. */
bool brink_detector_defined_until(brink_detector *det, const brink_path *dense, double sigma,
                                  size_t *guard);
bool brink_detector_may_go_on(brink_detector *det, double t_end, const double *x_new);

/* The step was accepted to its end, (t, x). */
void brink_detector_commit(brink_detector *det, double t, const double *x);

/* Marks the guards that a step along this path can reach; others are left alone. */
void brink_detector_look(brink_detector *det, const brink_path *path);

/* What the tolerances amount to in a guard at (t, x); kept in det->tolerance. */
double brink_detector_tolerance(brink_detector *det, size_t guard, double t, const double *x);

/* Is this a quadratic guard whose slope and curvature are known at the start of the step (reach.h)? */
bool brink_detector_knows_bend(const brink_detector *det, size_t guard);

/* Then this is what is known of it on the path that the detector has looked at; g1 only after the step. */
brink_quadratic_bounds brink_detector_bounds(const brink_detector *det, size_t guard,
                                             const brink_path *path);

/* Shared by the detectors: is a crossing in this direction an event of the guard? */
bool brink_detector_wants(const brink_detector *det, size_t guard, brink_direction direction);

/* Is this guard looked at at all in the present modes? */
bool brink_detector_active(const brink_detector *det, size_t guard);

/* Has the guard touched its surface, and not left its tolerance since, neither before this path nor on it up
 * to sigma? Then what is there is the same touch. (Asked of plain guards only.) */
bool brink_detector_still_touches(brink_detector *det, size_t guard, const brink_path *path,
                                  double sigma);

/* A fall through zero at roots[k] of a polynomial, which is sigma on the path, that comes back at the next of them, no
 * deeper than the guard's tolerance, is a touch. */
bool brink_detector_only_dips(brink_detector *det, size_t guard, const brink_path *path,
                              double sigma, const double *c, int degree, const brink_root *roots,
                              int count, int k);

/* What the run's tolerances amount to in the guard at a place on a path: where a state passes through
 * zero this is much less than at the start of the step. */
double brink_detector_tolerance_at(brink_detector *det, size_t guard, const brink_path *path,
                                   double sigma);

/* Enter an event found at sigma: replaces later ones, joins those at the same place. */
void brink_detector_add(brink_detector *det, brink_found *found, double sigma, brink_located ev);

#endif
