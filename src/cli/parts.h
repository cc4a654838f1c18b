/* parts.h: a model whose agents have clocks of their own, as the systems that it is made of: all agents with
 * their values at the start; one agent of each population; two agents for each pair block. */
#ifndef BRINK_CLI_PARTS_H
#define BRINK_CLI_PARTS_H

#include "lang/flatten.h"

/* A variable of an agent: n numbers from `own` on in the system of one, and from all + i*n on, for agent i, in that
 * of all. */
typedef struct cli_share {
  brink_space space;
  uint32_t variable; /* in the system of one */
  uint32_t own, all;
  size_t n;
} cli_share;

typedef struct cli_population {
  const char *name;
  uint32_t group; /* in the system of all */
  size_t count;
  brink_system *one;
  cli_share *shares;
  size_t nshares;
  uint32_t *flag;                 /* of each flag of the system of one: its number in that of all */
  bool *differs_p, *differs_mode; /* slots that are not the same in all agents */
} cli_population;

/* A pair block. */
typedef struct cli_pair {
  size_t population[2];
  brink_system *two;
  const brink_pair_block *block;   /* in it */
  uint32_t *x[2], *p[2], *mode[2]; /* where the slots of an agent are in the system of two */
  uint32_t *flag;                  /* as above; BRINK_NO_INDEX: not of this block */
  size_t *guards;                  /* of its flags, those that read no signs first */
  size_t nguards;
  bool *differs_p, *differs_mode;
} cli_pair;

typedef struct cli_parts {
  brink_arena arena;
  brink_system *all; /* the loader's */
  cli_population *populations;
  size_t npopulations;
  cli_pair *pairs;
  size_t npairs;
  size_t agents;
} cli_parts;

/* May the agents of this component have clocks of their own? Everything in it is a population. */
bool cli_parts_may(const brink_component *top);

/* Pairs that all of them together would have. */
double cli_parts_count_pairs(const brink_component *top, const brink_system *all);

/* Makes the parts; `options` as `all` was flattened with. NULL: there are errors in the unit, or
 * `reason` says why agents of this model cannot have clocks of their own, or, if it is NULL, memory is out. Flags are
 * added to `all`. */
cli_parts *cli_parts_make(brink_unit *unit, const brink_component *top,
                          const brink_flatten_options *options, brink_system *all,
                          const char **reason);
void cli_parts_destroy(cli_parts *parts); /* NULL is fine */

/* parts_match.c: which variables and slots of two systems are the same thing. False: *reason says why not, or, if it
 * is NULL, memory is out. */

/* The shares of a population, and its hidden values at the start; cli_parts_start writes them. */
bool cli_match_population(cli_parts *parts, cli_population *population, const char **reason);
bool cli_match_pair(cli_parts *parts, cli_pair *pair, const char **reason);

/* Where agent `agent` starts, into arrays of the size of the system of one. */
void cli_parts_start(const cli_parts *parts, const cli_population *population, size_t agent,
                     double *x, double *p, int *mode);

#endif
