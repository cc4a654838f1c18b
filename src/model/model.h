/* model.h: the flat hybrid model as the rest of the library sees it. */
#ifndef BRINK_MODEL_MODEL_H
#define BRINK_MODEL_MODEL_H

#include "base/base.h"

/* A formula is kept in negation normal form as a tree in postfix order: leaves with a polarity,
 * AND and OR. AND is the minimum and OR the maximum of signed leaf values. */
typedef struct brink_formula_op {
  int op;       /* BRINK_AND, BRINK_OR, or 0 for a leaf */
  size_t leaf;  /* index of the guard */
  int polarity; /* +1: "leaf >= 0"; -1: its negation */
} brink_formula_op;

#define BRINK_FORMULA_DEPTH 64 /* of the evaluation stack */

typedef struct brink_guard {
  brink_guard_def def;       /* copied; def.depends is never NULL */
  brink_formula_op *formula; /* NULL: a plain guard */
  size_t formula_length;
  bool lets_go; /* of the surface of another guard: watched while the state is held on that */
  bool linear;  /* by numbers, or degree 1 with a gradient: exact along any polynomial */
  /* Guards on one surface form a ring; the one that is watched for all of them knows itself. */
  size_t next_same, watched_as;
} brink_guard;

/* Is it made of numbers, so that no parameter, mode or sign makes another function of it? */
static inline bool brink_guard_is_numbers(const brink_guard *guard) {
  return guard->def.coefficients != NULL && guard->formula == NULL && !guard->def.reads_signs;
}

/* An instant looks at every guard; one byte of each is much less to look at than all that is known of it. */
typedef enum brink_guard_trait {
  BRINK_TRAIT_LEAF = 1,
  BRINK_TRAIT_CONDITION = 2,
  BRINK_TRAIT_NUMBERS = 4, /* brink_guard_is_numbers */
  BRINK_TRAIT_READS_SIGNS = 8,
} brink_guard_trait;

/* What the one who judges may ask for, and tells. */
typedef struct brink_doubt {
  bool (*rests)(void *sim, size_t guard); /* is it on its surface, and stays there? */
  void *sim;
  size_t guard; /* whose event ends the run */
} brink_doubt;

struct brink_model {
  brink_arena arena;
  brink_model_def def; /* copied; arrays live in the arena */
  brink_guard *guards;
  unsigned char
      *traits; /* of each guard (brink_guard_trait): what is asked of all of them, side by side */
  size_t *alterable; /* guards that parameters, modes or signs make other functions of, in order */
  size_t nalterable;
  const size_t *every_state; /* 0, 1, … nx-1 */
  size_t *sign_readers;      /* flags whose values depend on signs of others, in order */
  size_t nsign_readers;
  size_t *conditions; /* mere conditions that are watched themselves, in order */
  size_t nconditions;
  size_t *asked; /* guards that are watched by themselves, if `enabled` says so */
  size_t nasked;
  size_t *timers;      /* guards that are timers, in order */
  size_t *timer_slots; /* the parameter of each that is its time */
  size_t ntimers;
  bool *is_time; /* of each parameter: it is the time of a timer, and may be infinite */
  bool nests;    /* some of them if the signs of others are so: conditions within conditions */
  size_t max_depends;
  bool
      backward; /* its time is that of what it models with the other sign: messages say the latter */
  /* Both or neither: has an event left in doubt whether the run may go on? Asked when its instant is over; nothing may
   * be changed. Not 0: it may not. */
  bool (*doubts)(void *user);
  int (*judge)(brink_now *now, brink_doubt *doubt, void *user);
};

/* A caller's definition as we know it (base/definition.h): what the caller does not know has its default, and so in the
 * elements of its arrays, which are copied into the arena only if they are smaller than ours. */
brink_status brink_model_def_read(const brink_model_def *given, brink_arena *arena,
                                  brink_model_def *full, brink_diag *diag);
brink_status brink_guard_def_read(const brink_guard_def *given, brink_guard_def *full,
                                  brink_diag *diag);

/* A model like this one, but for the user of its callbacks. It lives in `arena`, shares the arrays of `like`, which
 * must outlive it, and is not destroyed by itself. NULL: out of memory. */
const brink_model *brink_model_for(const brink_model *like, void *user, brink_arena *arena);

/* Gives a model that nobody uses at the moment other values at the start, and the numbers of its guards that follow from
 * them (offset, coefficients, lipschitz, …): those of `guards`, which has the same kinds of them for each guard. What was made by
 * brink_model_for follows. False: the values would have been refused by brink_model_create; nothing has changed. */
bool brink_model_renew(brink_model *model, const double *x0, const double *p0, const int *mode0,
                       const brink_guard_def *guards);

/* Can a simulation of the one go on as one of the other? OK, or ARGUMENT: they were not made from equal definitions.
 * (alike.c) */
brink_status brink_model_check_alike(const brink_model *a, const brink_model *b, brink_diag *diag);

/* Does the method work at a fixed step, which has to be given? */
static inline bool brink_method_has_fixed_step(brink_method method) {
  return method >= BRINK_EULER && method <= BRINK_TRAPEZOID;
}

/* The name of a state or guard, for messages; never NULL. */
const char *brink_model_state_name(const brink_model *model, size_t index);
const char *brink_model_guard_name(const brink_model *model, size_t index);

#endif
