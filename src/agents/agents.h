/* agents.h: populations whose members have clocks of their own.
 *
 *   agents.c    making and destroying; asking
 *   engine.c    the loop: who is next, what happens then
 *   speculation.c     turns computed by several threads before they are due; thread_pool.c: the threads
 *   window.c    windows of plans, compared with those of others
 *   population.c      agents, packed; a simulation for each population that they take turns in
 *   worker.c    what one thread works with
 *   narrow_phase.c   guards of pairs: searched along both plans at the same time; pair_signs.c: which side they are on
 *   contacts.c  what is remembered of pairs on a surface
 *   motion_bounds.c      where agents go in a window, roughly; plan_series.c: plans about any time
 *   broad_phase.c      which pairs can meet at all: boxes around plans
 *   queue.c     whose plan ends first
 *
 * Every agent has a plan: polynomials that it is going to follow, from a time until which it has been
 * simulated to a time until which they are good and nothing of its own happens. A window is the part of the
 * plan that has been compared with those of all others. The agent whose window ends first is next
 * (errata of Esposito, Kumar & Pappas 2001, rule R3). No agent is ever simulated past the window of
 * another one, so nothing has to be taken back. docs/agents.md proves it. */
#ifndef BRINK_AGENTS_AGENTS_H
#define BRINK_AGENTS_AGENTS_H

#include "base/base.h"

/* ---- what there is ---- */

typedef struct brink_population_def {
  const char *name;
  const brink_model *model; /* of one agent */
  size_t count;
  /* With threads: as many models, for each one, that are the same but may be called at the same time as `model`. NULL:
   * `model` itself may be. */
  const brink_model *const *others;
  /* Of each agent, one after another; NULL: as the model says. */
  const double *x0, *p0;
  const int *mode0;
} brink_population_def;

/* Two agents as one model: the guards between them, and what happens there. Its dynamics are not asked. */
typedef struct brink_pair_def {
  const char *name;
  size_t population[2]; /* the same: every unordered pair of it */
  const brink_model *model;
  const brink_model *const *others; /* as above */
  /* Where each state, parameter and mode of an agent is in the pair's. */
  const uint32_t *x[2], *p[2], *mode[2];
  const size_t *guards; /* of the model: those that count */
  size_t nguards;

  /* Position and size of both, for pruning: the guards are positive while the distance of the positions is
   * more than the sum of the sizes. */
  int ndimensions;         /* 1, 2 or 3; 0: not known, and all pairs are looked at */
  uint32_t position[2][3]; /* states of the agent */
  uint32_t size[2];        /* a parameter of the agent, or UINT32_MAX: … */
  double size_value[2];    /* … this */
} brink_pair_def;

/* With fewer agents, what one does concerns most of the others at once: there is no use for threads. */
#define BRINK_AGENTS_FOR_THREADS 512

typedef struct brink_agents_def {
  const brink_population_def *populations;
  size_t npopulations;
  const brink_pair_def *pairs;
  size_t npairs;
  brink_options options;
  bool all_pairs; /* do not prune: for tests */
  /* Threads that compute turns before they are due; 0, 1: none but the caller's. The results, and all that is told, are
   * the same for any number. */
  size_t threads;
} brink_agents_def;

/* ---- what is told ---- */

typedef struct brink_agent_event {
  const brink_event_record *record; /* of the agent, or of the pair */
  size_t population, agent;         /* of its own; … */
  size_t pair;                      /* … or BRINK_NONE, and then the partners, */
  size_t partner[2];                /* in their populations */
} brink_agent_event;

/* All agents at one time, as the trajectory wants them: read one by one with brink_agents_at. */
typedef struct brink_agents_sink {
  int (*event)(const brink_agent_event *event, void *user);
  /* Of an agent by itself. */
  int (*near_miss)(size_t population, size_t agent, const brink_near_miss *record, void *user);
  int (*slide)(size_t population, size_t agent, const brink_slide_record *record, void *user);
  void *user;
} brink_agents_sink;

typedef struct brink_agents_stats {
  brink_stats sum;  /* of all agents */
  int64_t windows;  /* compared with others */
  int64_t searches; /* pairs whose guards were searched for roots */
  int64_t checks;   /* pairs whose boxes touch */
  int64_t pair_events;
  size_t bytes; /* of one agent, all told */
} brink_agents_stats;

/* ---- the object ---- */

typedef struct brink_agents brink_agents;

/* Models must outlive it. Statuses: ARGUMENT, MEMORY, UNSUPPORTED. */
brink_status brink_agents_create(const brink_agents_def *def, const brink_allocator *allocator,
                                 brink_diag *diag, brink_agents **agents);
void brink_agents_destroy(brink_agents *agents); /* NULL is fine */
void brink_agents_set_sink(brink_agents *agents, const brink_agents_sink *sink);

/* The first instant of every agent, and their plans up to t_end; brink_agents_run does it, too, if nobody has. */
brink_status brink_agents_begin(brink_agents *agents, double t_end, brink_diag *diag);

/* Goes on until every agent is known up to t_end: TIME_REACHED, STOPPED, or a failure. At most `work` windows
 * (0: no limit): then ERR_WORK, and it may be called again. */
brink_status brink_agents_run(brink_agents *agents, double t_end, int64_t work, brink_diag *diag);

/* Up to when everything is known: no agent's window ends before it. */
double brink_agents_time(const brink_agents *agents);

/* When the next turn is. Before it, every agent may be read at any time from brink_agents_time to this one. */
double brink_agents_horizon(const brink_agents *agents);

/* Whose turn was the last: `record` is NULL. After a failure, who failed. */
brink_agent_event brink_agents_acting(const brink_agents *agents);

/* An agent at a time between its last step and brink_agents_time: its states into x; its parameters and modes
 * stay where they are. */
void brink_agents_at(const brink_agents *agents, size_t population, size_t agent, double t,
                     double *x, const double **p, const int **mode);

/* Slides of an agent that are under way, as brink_sim_slides. Between two turns. */
size_t brink_agents_slides(brink_agents *agents, size_t population, size_t agent,
                           brink_slide_record *records, size_t capacity);

/* The simulation that the agents of a population take turns in, as the last of them left it: for messages. */
brink_sim *brink_agents_sim(const brink_agents *agents, size_t population);

const brink_agents_stats *brink_agents_statistics(brink_agents *agents);

#endif
