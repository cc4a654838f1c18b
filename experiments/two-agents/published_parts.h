/* published_parts.h: between published.c and published_steps.c. */
#ifndef BRINK_TWO_AGENTS_PUBLISHED_PARTS_H
#define BRINK_TWO_AGENTS_PUBLISHED_PARTS_H

#include "experiments/two-agents/published.h"
#include "num/poly.h"
#include "ode/stepper.h"

typedef struct brink_published_member {
  brink_published_agent def;
  brink_eval eval;
  brink_options options;
  double *atol;
  brink_stepper stepper;
  bool started;
  double allowed; /* the longest step that error control, alarm and end of the run allow */
  double wanted;  /* the smallest that one of its pairs suggests (eq. 20), or infinity */
} brink_published_member;

/* What (16) and (17) suggest to the two agents of a guard. */
typedef struct brink_suggestion {
  size_t leader, laggard;
  double h1, h2; /* infinity: nothing */
  double near;   /* both may move if h2 is not more than this */
} brink_suggestion;

struct brink_published {
  brink_arena arena;
  brink_published_def def;
  brink_published_member *members;
  brink_suggestion *suggestions; /* one a guard */
  double *gradient[2];           /* scratch: the largest agent's states */
  size_t *every_state;           /* 0, 1, … */
  double *t, *h, *tau, *g;       /* what is recorded */
  int64_t k;
  brink_published_outcome last;
};

/* Chooses the steps of one iteration, into published->h: eqs. 16, 17 and 20. All agents have been started.
 * Returns the guard whose two agents follow (16) and (17) exactly, or BRINK_NONE. */
size_t brink_published_select(brink_published *published, double t_end);

/* The agent that lags the most; of several, the first. */
size_t brink_published_laggard(const brink_published *published);

/* What time can resolve at an agent's clock. */
double brink_published_resolution(const brink_published_member *member);

#endif
