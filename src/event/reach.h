/* reach.h: which guards a step can reach at all.
 *
 * Most guards are far from zero most of the time. For many of them it is known how fast they can
 * change: a linear guard by its coefficients, a guard with Lipschitz bounds by these, a quadratic
 * one by its gradient and its constant second derivatives, a formula by its leaves. (A formula that
 * modes decide cannot become anything else in a step, whatever its other leaves are.) From the value
 * at one state follows a safe distance: as long as no state has moved by more than that, the guard
 * cannot have come near zero, and is neither evaluated nor looked at. How far the states have moved
 * is added up along the way from the paths' own bounds, so the guarantee is one about the computed
 * solution, not an estimate. */
#ifndef BRINK_EVENT_REACH_H
#define BRINK_EVENT_REACH_H

#include "model/eval.h"
#include "num/path.h"

/* What is known of a path is taken to hold a little beside it, where the corrected solution lies:
 * by this factor and a tolerance. */
#define BRINK_REACH_ALLOW 1.02

#define BRINK_REACH_HEAD 4 /* terms of a path of powers that are looked at before the others */

typedef struct brink_reach {
  brink_eval *eval;
  const brink_options *options;
  const double *atol;
  bool any;         /* some guard can be far */
  bool time;        /* some of these depend on time: it counts as a state that moves */
  bool *steady;     /* formulas with leaves that no step changes */
  bool *relevant;   /* states that such guards depend on; others may move as they like */
  double weight;    /* the largest tolerance of a relevant state, when last looked at */
  double travelled; /* how far any relevant state has moved since the last reset, at most */
  double *safe;     /* each guard: not near before `travelled` exceeds this */
  double *least;    /* each chunk of guards: none of them has a smaller `safe` */
  unsigned char *chunk_traits; /* of all its guards, and of any of them: see brink_reach_settled */
  double *lipschitz;           /* each guard: sum of its bounds; negative: none */
  double
      *slope; /* quadratic guards: sum of |dg/dx_i| where last noted; INFINITY: not known there */
  double *curvature; /* quadratic guards: sum of |d2g/dx_i dx_j|; negative: not known yet */
  signed char *sgn;  /* the locked signs, … */
  double *p;         /* … parameters … */
  int *mode;         /* … and modes that all this was found with */
  double *gradient;  /* scratch */
  double *probe;     /* scratch */
  double *moved;     /* a bound for each state on the path last asked about */
  double *
      tails; /* the part of it that the terms from BRINK_REACH_HEAD on have, on a path of powers: … */
  const brink_path *path; /* … this one; NULL: they are not known */
  double *centre;         /* room: where such a path began, in a run that was restored */
  double moved_time;      /* its duration */
  bool exact;             /* it is the solution, not a prediction of it */
  size_t *near;           /* the guards that the present step can reach, in order */
  size_t nnear;
} brink_reach;

bool brink_reach_create(brink_reach *reach, const brink_options *options, const double *atol,
                        brink_eval *eval, brink_arena *arena);

void brink_reach_relocate(brink_reach *reach, brink_relocation *moved);
void brink_reach_archive(brink_reach *reach, brink_archive *a);

/* What counts as near, in tolerances of a guard: what concerns any detector, be it near misses or
 * the largest distance that a gain keeps. */
double brink_reach_zone(const brink_reach *reach);

/* How far a path leads any relevant state, at most. */
double brink_reach_of(brink_reach *reach, const brink_path *path);

/* Does this path, a corrected form of the one last asked about, keep within BRINK_REACH_ALLOW of
 * its bounds? */
bool brink_reach_holds(const brink_reach *reach, const brink_path *corrected);

/* True if a guard (values: of it and of its leaves) at the start (t, x) of the path last asked about keeps farther than
 * `tolerances` times its tolerance, and than `distance`, from zero on all of it: for guards with
 * Lipschitz bounds, a few multiplications; for quadratic ones, a gradient. */
bool brink_reach_excludes(brink_reach *reach, size_t guard, const double *values, double t,
                          const double *x, double tolerances, double distance);

/* How much a plain guard with Lipschitz bounds changes along the path last asked about, there and back counted, at most:
 * where all B_l of the path are monotone. INFINITY: it has no bounds. */
double brink_reach_variation(const brink_reach *reach, size_t guard);

/* What the tolerances amount to in a plain guard on the path last asked about, which begins at x and keeps within `distance`
 * of it, at most; INFINITY: not known. */
double brink_reach_tolerance(const brink_reach *reach, size_t guard, const double *x,
                             double distance);

/* How far a guard changes on the path last asked about, which begins at (t, x), at most; INFINITY: not known. */
double brink_reach_change(brink_reach *reach, size_t guard, double t, const double *x);

/* How much a guard may differ beside a path of this reach, where BRINK_REACH_ALLOW still holds,
 * from its value on it; INFINITY if that is not known. */
double brink_reach_allowance(const brink_reach *reach, size_t guard, double distance);

/* Collects the guards that a step of this reach can bring near zero. */
void brink_reach_mark(brink_reach *reach, double distance);

/* Can the guard be near after this much more movement? */
static inline bool brink_reach_is_near(const brink_reach *reach, size_t guard, double distance) {
  return !(reach->travelled + distance < reach->safe[guard]);
}

/* Guards in chunks: what holds of the nearest of them holds of all, so that most need not be looked at one by one. */
#define BRINK_REACH_CHUNK 64

static inline size_t brink_reach_chunks(const brink_reach *reach) {
  return (reach->eval->model->def.nguards + BRINK_REACH_CHUNK - 1) / BRINK_REACH_CHUNK;
}

/* The first guard behind a chunk. */
static inline size_t brink_reach_chunk_end(const brink_reach *reach, size_t chunk) {
  size_t end = (chunk + 1) * BRINK_REACH_CHUNK, count = reach->eval->model->def.nguards;
  return end < count ? end : count;
}

/* Is none of them near after this much more movement, be it that parameters or modes were altered, whatever signs are? */
bool brink_reach_settled(const brink_reach *reach, size_t chunk, double distance, bool altered);

/* A new state: its tolerances. */
void brink_reach_weigh(brink_reach *reach, const double *x);

/* A new value of a guard at (t, x), where the states have travelled `travelled`. */
void brink_reach_note(brink_reach *reach, size_t guard, const double *values, double t,
                      const double *x);

/* The states jumped from one to the other. */
double brink_reach_jump(const brink_reach *reach, const double *from, const double *to);

/* Nothing is known any more: parameters or modes may have changed what guards are. */
void brink_reach_reset(brink_reach *reach);
/* Parameters or modes have changed: what is known of guards that are made of numbers still holds. */
void brink_reach_alter(brink_reach *reach);

/* Numbers of delayed signals are others (model/delay.h), which give the same values as before where the state is. No guard
 * that reads them has bounds: what is known of the others still holds. */
void brink_reach_renumber(brink_reach *reach);

/* Locked signs may have changed: nothing is known any more of guards whose formulas read them. To be called
 * before anything that is known is used; whoever changes parameters or modes resets all of it. */
void brink_reach_freshen(brink_reach *reach);

#endif
