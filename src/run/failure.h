/* failure.h: why a run of an HSML model failed, in the words of somebody who wrote the model. */
#ifndef BRINK_RUN_FAILURE_H
#define BRINK_RUN_FAILURE_H

#include "expr/system.h"
#include "native/native.h"

/* Who failed: a system, or one agent, or a pair of agents. */
typedef struct brink_failure {
  const brink_diag *diag;
  const brink_system *system; /* the equations that failed; NULL: they were not reached */
  const brink_instance *instance;
  brink_sim *sim; /* NULL: none, or a pair of agents */
  const brink_options *options;
  /* Infinitely many events: the flags that accumulate, as the whole system calls them. */
  const char *const *flags;
  size_t nflags;
  /* Of agents: the names of populations, by their index. */
  const char *const *populations;
} brink_failure;

/* Where the equations of a failure stand. */
typedef struct brink_failure_places {
  brink_place at[BRINK_DIAG_EQUATIONS];
  size_t count;
} brink_failure_places;

/* Adds the message; what to try beyond it, if there is such a thing; and places in the text. */
void brink_failure_describe(const brink_failure *failure, brink_text *message, brink_text *hint,
                            brink_failure_places *places);

/* failure_constraint.c: the same for constraints; false: it has no words for it. */
bool brink_failure_constraint(const brink_failure *failure, brink_text *message, brink_text *hint,
                              brink_failure_places *places);

#endif
