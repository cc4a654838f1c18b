/* audit.h: was the right-hand side evaluated past a unilateral surface?
 *
 * The domain check (brink_eval_may) promises that it is not. The audit looks at what happened instead: it sits where
 * the model's callbacks are called, below every door, and compares each point with the flags' own formulas and
 * with the side that the solution was seen on. It knows nothing of locked signs, slack, exemptions and safe
 * distances, so it cannot share their mistakes. Nothing is allowed for: on the surface is exactly zero. */
#ifndef BRINK_MODEL_AUDIT_H
#define BRINK_MODEL_AUDIT_H

#include "base/archive.h"

struct brink_eval;

/* What the audit knows of one unilateral guard. */
typedef struct brink_audit_side {
  int inside; /* the side that the solution came from: the sign of g where it was last clearly off the
               * surface; 0: not known since the start, or since the last event */
  /* While it is not known: */
  double t, left; /* when the event was, and the |g| at which it was declared */
  int64_t above,
      below; /* evaluations on either side; those on the wrong one count when it is known */
} brink_audit_side;

typedef struct brink_audit {
  brink_audit_side *sides; /* one for each guard that is watched; NULL: nobody asked for an audit */
  double *value;           /* scratch: one for each guard */
} brink_audit;

bool brink_audit_init(struct brink_eval *eval, brink_arena *arena);

void brink_audit_archive(brink_audit_side *side, brink_archive *a); /* archive.c */

/* The model's dynamics are about to be evaluated here, with these parameters, modes and signs. */
void brink_audit_call(struct brink_eval *eval, double t, const double *x, const brink_env *env);

/* The solution passes through here. */
void brink_audit_accept(struct brink_eval *eval, double t, const double *x);

/* This guard has an event at t, with the value `left` before actions run; 0: it jumped, and is where it is. From
 * here on the side is to be seen anew. BRINK_NONE: that of all guards. */
void brink_audit_event(struct brink_eval *eval, size_t guard, double t, double left);

#endif
