/* agents.h: populations of agents with clocks of their own.
 *
 *   agents.c         creation and destruction; what can be read of a run
 *   clone.c          copies of a run; back to the start; archive.c: to bytes and back
 *   engine.c         the loop: the agent whose window ends first has the next turn
 *   window.c         windows of plans, and their comparison with the windows of others
 *   population.c     the packed agents of a population, and the simulation that advances them
 *   worker.c         the workspace of one thread
 *   speculation.c    turns computed by several threads before they are due; thread_pool.c: the threads
 *   broad_phase.c    which pairs can come close: a grid of bounding boxes
 *   motion_bounds.c  bounding volumes of the motion in a window; plan_series.c: plans about another time
 *   narrow_phase.c   guards of pairs, searched along both plans; pair_signs.c: their signs
 *   contacts.c       recorded signs of guards that are on their surface
 *   intervals.c      intervals between the events of a guard of a pair
 *   queue.c          whose window ends first
 *   domain*.c        one run on many ranks (domain.h)
 *
 * Every agent has a plan: polynomials that are its solution from the time of its simulation to a time before which it
 * has no event of its own. A window is the part of the plan that has been compared with the windows of all others.
 * The agent whose window ends first is next (errata of Esposito, Kumar & Pappas 2001, rule R3). No agent is ever
 * simulated past the window of another one, so nothing has to be rolled back. docs/agents.md proves it. */
#ifndef BRINK_AGENTS_AGENTS_H
#define BRINK_AGENTS_AGENTS_H

#include <stdatomic.h>

#include "base/archive.h"

/* ---- definition ---- */

typedef struct brink_population_def {
  const char *name;
  const brink_model *model; /* of one agent */
  size_t count;
  /* With threads: for each thread an equal model that may be called at the same time as `model`. NULL: `model` itself
   * may be called by several threads at once. */
  const brink_model *const *others;
  /* Initial values of each agent, one after another; NULL: those of the model. */
  const double *x0, *p0;
  const int *mode0;
} brink_population_def;

/* Two agents as one model: the guards between them, and their actions. Its dynamics are not used. */
typedef struct brink_pair_def {
  const char *name;
  size_t population[2]; /* twice the same: every unordered pair of its agents */
  const brink_model *model;
  const brink_model *const *others; /* as above */
  /* The index in the pair's model of each state, parameter and mode of an agent. */
  const uint32_t *x[2], *p[2], *mode[2];
  const size_t *guards; /* those guards of the model that belong to the pair */
  size_t nguards;

  /* Position and size of both, for pruning: the guards are positive while the distance of the positions is
   * more than the sum of the sizes. */
  int ndimensions;         /* 1, 2 or 3; 0: not known, and all pairs are searched */
  uint32_t position[2][3]; /* states of the agent */
  uint32_t size[2];        /* a parameter of the agent, or UINT32_MAX: … */
  double size_value[2];    /* … this */
} brink_pair_def;

/* With fewer agents threads are not used: a turn concerns most of the other agents. */
#define BRINK_AGENTS_FOR_THREADS 512

typedef struct brink_agents_def {
  const brink_population_def *populations;
  size_t npopulations;
  const brink_pair_def *pairs;
  size_t npairs;
  brink_options options;
  bool all_pairs; /* do not prune: for tests */
  /* Threads that compute turns before they are due; 0, 1: only the caller's. The results, and all calls of the sink,
   * are the same for any number. */
  size_t threads;
} brink_agents_def;

/* ---- results ---- */

typedef struct brink_agent_event {
  const brink_event_record *record; /* of the agent, or of the pair */
  size_t population, agent;         /* an event of an agent's own; … */
  size_t pair;                      /* … or, if not BRINK_NONE, of this pair block, … */
  size_t partner[2];                /* … between these agents of its populations */
} brink_agent_event;

/* Receives events; a value other than 0 stops the run. States are read with brink_agents_at. */
typedef struct brink_agents_sink {
  int (*event)(const brink_agent_event *event, void *user);
  /* Of one agent. */
  int (*near_miss)(size_t population, size_t agent, const brink_near_miss *record, void *user);
  int (*slide)(size_t population, size_t agent, const brink_slide_record *record, void *user);
  void *user;
} brink_agents_sink;

typedef struct brink_agents_stats {
  brink_stats sum;  /* of all agents */
  int64_t windows;  /* that were opened and compared */
  int64_t searches; /* pairs whose guards were searched for roots */
  int64_t checks;   /* pairs whose boxes touch */
  int64_t pair_events;
  size_t bytes; /* of memory per agent */
} brink_agents_stats;

/* ---- the object ---- */

typedef struct brink_agents brink_agents;

/* Models must outlive it. Statuses: ARGUMENT, MEMORY, UNSUPPORTED. */
brink_status brink_agents_create(const brink_agents_def *def, const brink_allocator *allocator,
                                 brink_diag *diag, brink_agents **agents);
void brink_agents_destroy(brink_agents *agents); /* NULL is fine */
void brink_agents_set_sink(brink_agents *agents, const brink_agents_sink *sink);

/* Computes the first instant of every agent, and plans up to t_end. brink_agents_run calls it. */
brink_status brink_agents_begin(brink_agents *agents, double t_end, brink_diag *diag);

/* Runs until every agent has reached t_end: TIME_REACHED, STOPPED, or a failure. At most `work` turns (0: no limit):
 * then ERR_WORK, and it may be called again. */
brink_status brink_agents_run(brink_agents *agents, double t_end, int64_t work, brink_diag *diag);

/* A run in the same state as `from`: both go on independently, with the same results to the last bit. `def` is the definition
 * of `from`, with models that may be called while those of `from` are; the number of threads may differ. The sink is not
 * copied. Not from a sink. Statuses as of brink_agents_create. */
brink_status brink_agents_clone(const brink_agents *from, const brink_agents_def *def,
                                const brink_allocator *allocator, brink_diag *diag,
                                brink_agents **to);

/* The state of a run to bytes and back (base/archive.h), into one that has just been created of the same definition; the
 * number of threads may differ. Not from a sink. */
void brink_agents_archive(brink_agents *agents, brink_archive *a);

/* Initial values of the agents of a population, as in brink_population_def. */
typedef struct brink_agents_start {
  const double *x0, *p0;
  const int *mode0;
} brink_agents_start;

/* Back to before brink_agents_begin, with these initial values for each population (NULL: those of the last start), which
 * must live until brink_agents_begin. The next run has the results of a run that was just created. */
void brink_agents_reset(brink_agents *agents, const brink_agents_start *starts);

/* Sets states, parameters and modes of an agent at brink_agents_time, after brink_agents_begin; NULL: as they are. Guards
 * of the agent itself that jump by it fire at once, guards of its pairs in the next run, at the same time. Not from a
 * sink. OK, STOPPED, ARGUMENT, or a failure of the run. */
brink_status brink_agents_write(brink_agents *agents, size_t population, size_t agent,
                                const double *x, const double *p, const int *mode,
                                brink_diag *diag);

/* Where another thread, or a signal handler, asks for the end of a call; NULL: nowhere. brink_agents_run then returns WORK
 * after the turn it is at. brink_agents_begin returns CANCELLED, and the run is over: agents that have begun and others
 * would have to be told apart. */
void brink_agents_heed(brink_agents *agents, const atomic_bool *cancelled);

/* The time of the last turn: the solution is final up to it. */
double brink_agents_time(const brink_agents *agents);

/* The time of the next turn. Until then agents may be read at any time from brink_agents_time to this one. */
double brink_agents_horizon(const brink_agents *agents);

/* The agent, or the pair, of the last turn, or of the failure; `record` is NULL. */
brink_agent_event brink_agents_acting(const brink_agents *agents);

/* Copies the states of an agent, at a time from its last step to brink_agents_horizon, to x. *p and *mode (which may be
 * NULL) point to its parameters and modes, until the next turn. */
void brink_agents_at(const brink_agents *agents, size_t population, size_t agent, double t,
                     double *x, const double **p, const int **mode);

/* The present slides of an agent, as brink_sim_slides. Not from a sink. */
size_t brink_agents_slides(brink_agents *agents, size_t population, size_t agent,
                           brink_slide_record *records, size_t capacity);

/* The simulation that advances the agents of a population, as the last of them left it: for messages. */
brink_sim *brink_agents_sim(const brink_agents *agents, size_t population);

const brink_agents_stats *brink_agents_statistics(brink_agents *agents);

#endif
