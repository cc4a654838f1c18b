/* published.h: the multi-rate algorithm as it was published (Esposito, Kumar & Pappas 2001), corrected where
 * its formulas are misprinted, and left alone where its idea fails.
 *
 * This is not how Brink simulates agents: that is src/agents. It is here because it is what the paper describes,
 * because its figures can be drawn with it, and to show, in tests, which events it misses. published.c
 * states the method and its failures.
 *
 *     brink_published_def def = brink_default_published();
 *     def.agents = two;  def.nagents = 2;
 *     def.guards = &gap;  def.nguards = 1;
 *     def.record = record;
 *     brink_published_create(&def, NULL, &diag, &published);
 *     brink_published_run(published, 12.0, &diag);            BRINK_EVENT: the pair has met
 *
 * Guards follow the paper: g < 0 inside, the event is g = 0. */
#ifndef BRINK_TWO_AGENTS_PUBLISHED_H
#define BRINK_TWO_AGENTS_PUBLISHED_H

#include "base/base.h"

typedef struct brink_published_agent {
  const brink_model *model; /* without guards and clocks of its own; must outlive the object */
  const double *x0;         /* NULL: as the model says */
  double t0;                /* its clock at the start */
  double h_max;             /* its largest step; INFINITY */
  double step;              /* its first step after each start; 0: chosen */
  double alarm;             /* it stops here, once, and is handed back; INFINITY */
} brink_published_agent;

brink_published_agent brink_default_published_agent(const brink_model *model);

/* A guard of two agents, in one of two forms:
 *   distance   g = radius - |position of the first - position of the second|; its polynomial is exact
 *   callbacks  value, and gradient by the states of each: the paper's linear form, eq. 13 */
typedef struct brink_published_guard {
  size_t agent[2];

  int ndimensions;       /* 1, 2 or 3; 0: callbacks */
  size_t position[2][3]; /* states */
  double radius;

  double (*value)(const double *x1, const double *x2, void *user);
  void (*gradient)(const double *x1, const double *x2, double *g_x1, double *g_x2, void *user);
  void *user;
} brink_published_guard;

/* Who moves at an iteration. */
typedef enum brink_published_moves {
  /* The agent that lags; and both of a pair, each no further than its error control allows, when its root is
   * near: h^1 within the error step of the leader, h^2 within that of the laggard and the time between them. */
  BRINK_MOVES_LAGGARD,
  /* The agent that lags; and both of a pair only when neither step has to be shortened. */
  BRINK_MOVES_EXACTLY,
  /* All, always: the listing. */
  BRINK_MOVES_ALL,
} brink_published_moves;

/* What each iteration ends with. */
typedef struct brink_published_record {
  int64_t k;
  const double *t, *h; /* of each agent: its clock; the step it took, 0 if it waited */
  const double *tau;   /* of each guard: t of the laggard - t of the leader, at most 0 */
  const double *g;     /* and its value */
  size_t approach; /* the guard whose (16) and (17) both its agents have followed, or BRINK_NONE */
} brink_published_record;

typedef struct brink_published_def {
  const brink_published_agent *agents;
  size_t nagents; /* two in the paper's algorithm; more with its eq. 20 */
  const brink_published_guard *guards;
  size_t nguards;

  double gamma;                /* the gain of both approaches, 0 <= gamma < 1; 0.5 */
  double eps_g;                /* an event is g >= -eps_g … */
  double eps_tau;              /* … and |tau| <= eps_tau; 1e-9 both */
  brink_published_moves moves; /* BRINK_MOVES_LAGGARD */
  double rtol;                 /* of each agent's steps; 1e-8 */
  double atol;                 /* 1e-8 */
  int order;                   /* of the Adams methods; 0: each agent chooses */
  int64_t max_iterations;      /* of one call; 1000000 */

  void (*record)(const brink_published_record *record, void *user); /* NULL */
  void *user;
} brink_published_def;

brink_published_def brink_default_published(void);

/* What a run came back with: a guard, or an agent that has reached its alarm; the other is BRINK_NONE. */
typedef struct brink_published_outcome {
  size_t guard, agent;
  double t; /* of the leader */
} brink_published_outcome;

typedef struct brink_published brink_published;

/* Copies the definition; models must outlive the object. Statuses: ARGUMENT, MEMORY, UNSUPPORTED. */
brink_status brink_published_create(const brink_published_def *def,
                                    const brink_allocator *allocator, brink_diag *diag,
                                    brink_published **published);
void brink_published_destroy(brink_published *published); /* NULL is fine */

/* Goes on until every agent is at t_end (TIME_REACHED), a pair has met (EVENT) or an agent is at its alarm
 * (STEPPED). May be called again. Failures: CALLBACK, DOMAIN, STEP, WORK. Takes no memory. */
brink_status brink_published_run(brink_published *published, double t_end, brink_diag *diag);

const brink_published_outcome *brink_published_last(const brink_published *published);

/* An agent's clock and state: they differ from agent to agent. */
double brink_published_time(const brink_published *published, size_t agent);
const double *brink_published_state(const brink_published *published, size_t agent);

/* A guard of the present states, at whatever times they are. */
double brink_published_value(const brink_published *published, size_t guard);

/* Gives an agent another state (NULL: the same), at its clock, and another alarm: its method starts anew. */
void brink_published_change(brink_published *published, size_t agent, const double *x,
                            double alarm);

/* Evaluations of the right-hand side, steps and rejected attempts, of all agents. */
brink_stats brink_published_statistics(const brink_published *published);

#endif
