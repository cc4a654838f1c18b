/* project.h: a part of a system as a system of its own: the first instances of some of its groups, with their
 * variables, equations, flags, clocks and rules. Templates of agents are made so: a population is one group, and one
 * agent of it, or two, stand for all. */
#ifndef BRINK_EXPR_PROJECT_H
#define BRINK_EXPR_PROJECT_H

#include "expr/system.h"

/* A part of a system, and where everything in it comes from. */
typedef struct brink_projection {
  brink_system
      *system; /* its texts are those of the system that it comes from, which must live longer */
  /* Of each group, variable, flag and equation: its number in the other system. */
  uint32_t *group, *variable, *flag, *equation;
  /* Of each slot of X, P, MODE and V: the other system's slot. They increase. */
  uint32_t *slot[BRINK_SPACE_COUNT];
} brink_projection;

/* Keeps the first keep[g] instances of each group g. Slots are numbered anew, without gaps and in the same order.
 * The result needs brink_system_finish; `from` is not finished, and every slot of X, P, MODE and V that an instance
 * has belongs to one of its variables. OK, ERR_MEMORY, or ERR_UNSUPPORTED: what is kept reads something that is not.
 * Free the result in any case. */
brink_status brink_project(const brink_system *from, const size_t *keep,
                           const brink_allocator *allocator, brink_projection *made);
void brink_projection_free(brink_projection *projection);

/* The slot of the part that a slot of X, P, MODE or V is; BRINK_NO_INDEX: it is not in it. */
uint32_t brink_projection_slot(const brink_projection *projection, brink_space space,
                               uint32_t slot);

/* ---- templates of agents ---- */

/* A population: an array of components that do not read each other. */
typedef struct brink_population_template {
  const char *name;
  uint32_t group;       /* of the agents, in the system of all */
  uint32_t groups_end;  /* it and the groups inside agents are group … groups_end - 1 */
  size_t count;         /* agents */
  brink_projection one; /* the first agent */
} brink_population_template;

/* Where `reach` says that a partner is, if that is plain: states, and a parameter or a number as size. */
typedef struct brink_agent_reach {
  int ndimensions; /* 1, 2, 3; 0: not given, or not plain */
  uint32_t x[3];   /* slots of X of the template */
  uint32_t size;   /* slot of P of the template, or BRINK_NO_INDEX: … */
  double value;    /* … this */
} brink_agent_reach;

/* A pair block: what happens between two agents, of one population or of two. */
typedef struct brink_pair_template {
  size_t population[2];
  brink_projection two; /* the first pair */
  uint32_t group;       /* of the pair, in the template */
  brink_agent_reach reach[2];
  bool draws; /* random numbers: each pair has a stream of its own */
} brink_pair_template;

/* What the equations of a system of agents are made of. The system itself has all agents with their values, but no
 * equations, flags, clocks and rules; hidden variables of it may have slots for the first agents only. */
typedef struct brink_templates {
  const char *reason; /* why there are none after all; NULL: there are */
  brink_population_template *populations;
  size_t npopulations;
  brink_pair_template *pairs; /* of one population that has a single agent: none */
  size_t npairs;
} brink_templates;

#endif
