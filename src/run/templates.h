/* templates.h: a model whose agents have clocks of their own: the systems that its equations are in, one agent of each
 * population and two agents of each pair block, and the tables that say which of their slots and flags are which in the
 * system of all agents. */
#ifndef BRINK_RUN_TEMPLATES_H
#define BRINK_RUN_TEMPLATES_H

#include "expr/project.h"

/* A variable of an agent: n slots, from `own` on in the template, and from all + i*n on, for agent i, in the system of
 * all. */
typedef struct brink_slot_range {
  brink_space space; /* X, P, MODE or V */
  uint32_t variable; /* in the template */
  uint32_t own, all;
  size_t n;
} brink_slot_range;

/* Random draws of the actions of an agent: n instances that draw. */
typedef struct brink_draw_range {
  uint32_t group;         /* in the system of all */
  uint32_t draws, stream; /* slots of P of the template */
  size_t n;
} brink_draw_range;

typedef struct brink_population_table {
  const char *name;
  uint32_t group;    /* in the system of all */
  size_t count;      /* agents */
  brink_system *one; /* the template: one agent, with the values of the first */
  brink_slot_range *slots;
  size_t nslots;
  brink_draw_range *draws;
  size_t ndraws;
  uint32_t *flag; /* of each flag of the template: its number in the system of all */
  bool *differs_p, *differs_mode; /* slots that are not the same in all agents */
} brink_population_table;

/* A pair block. */
typedef struct brink_pair_table {
  size_t population[2];
  brink_system *two;              /* the template: two agents, both with the values of the first */
  uint32_t group;                 /* of the pair, in it */
  const brink_agent_reach *reach; /* of the two sides */
  uint32_t *x[2], *p[2],
      *mode[2];   /* where the slots of an agent's template are in the pair's, for each side */
  uint32_t *flag; /* as above; BRINK_NO_INDEX: not of this block */
  size_t *guards; /* of its flags, those that read no signs first */
  size_t nguards;
  bool *differs_p, *differs_mode; /* slots that are not the same in all pairs */
} brink_pair_table;

typedef struct brink_agent_tables {
  brink_arena arena;
  brink_system *all;
  brink_population_table *populations;
  size_t npopulations;
  brink_pair_table *pairs;
  size_t npairs;
  size_t agents; /* of all populations */
} brink_agent_tables;

/* The tables of a system that was flattened with templates, which it owns. The flags of all agents are added to it.
 * NULL: *reason says why the agents of this model cannot have clocks of their own, or, if it is NULL, memory is
 * out. */
brink_agent_tables *brink_agent_tables_make(brink_system *all, const char **reason);
void brink_agent_tables_destroy(brink_agent_tables *tables); /* NULL is fine */

/* Where agent `agent` starts, into arrays of the size of the template's. */
void brink_agent_tables_start(const brink_agent_tables *tables,
                              const brink_population_table *population, size_t agent, double *x,
                              double *p, int *mode);

#endif
