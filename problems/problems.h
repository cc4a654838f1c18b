/* problems.h: hybrid systems whose answers are known.
 *
 * Each `problem` is a model and what must happen to it: events in order with their times, closest
 * approaches that are not events, intervals of sliding, the state at the end. The answers come from
 * closed forms or from integration with 34 digits or more; none was made with this library. The
 * same table serves tests and benchmarks. Models of one family share a definition and differ in
 * parameters, initial values or guards.
 *
 * Sources: Esposito & Kumar 2007 (P1, P2), Garcia 2004 (P3, P4), Taylor 1995 (P5), Esposito, Kumar
 * & Pappas 2001 (P6, P7); M mechanics, C circuits and processes, S stress on detection. */
#ifndef BRINK_PROBLEMS_PROBLEMS_H
#define BRINK_PROBLEMS_PROBLEMS_H

#include <brink/brink.h>
#include <math.h>

#define PROBLEM_STATES 12 /* the largest nx of the table */

/* An event that must happen. */
typedef struct problem_event {
  const char *guard;
  brink_direction direction;
  double t;
  double rate;  /* |dg/dt| on arrival: what an error in the guard costs in time */
  double depth; /* how far past zero the guard goes before it turns back; 0: it does not return */
  double slack, power; /* a singular edge: g <= eta already where t* - t <= slack*eta^power, and
                          there `rate` is the smooth rate before the edge; 0: a plain event */
  const double *after; /* states after the action, NAN where it does not matter; NULL: any */
} problem_event;

/* A closest approach that is not an event: g turns back at t, `distance` before zero. */
typedef struct problem_miss {
  const char *guard;
  double t, distance;
  double curvature; /* |d2g/dt2| there */
} problem_miss;

typedef struct problem_slide {
  const char *guard;
  double from, to;
} problem_slide;

enum {
  PROBLEM_ONE_SIDED = 1,  /* the right-hand side does not exist past the unilateral guard */
  PROBLEM_STRAIGHT = 2,   /* the flow is linear in time between events: every method is exact */
  PROBLEM_ANY_ORDER = 4,  /* events at one instant may come in any order */
  PROBLEM_PREFIX = 8,     /* more events follow those listed (they accumulate) */
  PROBLEM_VALUE_ONLY = 16 /* a guard has no gradient */
};

typedef struct problem problem;

/* Every model of the table gets one as `user`; right-hand sides count calls outside the domain. */
typedef struct problem_probe {
  const problem *problem;
  long outside;
} problem_probe;

struct problem {
  const char *id, *title;
  const brink_model_def *def; /* without `user` */
  const double *p0, *x0;      /* instead of those of `def`; NULL: the same */
  double t_end;
  brink_status status; /* of brink_sim_run; 0: BRINK_TIME_REACHED */
  unsigned flags;
  const problem_event *events;
  size_t nevents;
  const problem_miss *misses;
  size_t nmisses;
  const problem_slide *slides;
  size_t nslides;
  const double *final; /* states at t_end, NAN where it does not matter; NULL: any */
  double accumulation; /* time at which events accumulate; 0: they do not */

  /* With a unilateral guard: is the right-hand side defined (or, if it always is, allowed) here?
   * And how far the initial states may be moved to get another start. */
  bool (*inside)(double t, const double *x, const brink_env *env);
  const double *spread;
};

#define PROBLEM_LIST(array) (array), sizeof(array) / sizeof((array)[0])

size_t problem_count(void);
const problem *problem_at(size_t index);
const problem *problem_find(const char *id); /* NULL: none */

/* The definition with the problem's own parameters, initial states and this probe. */
brink_model_def problem_model(const problem *p, problem_probe *probe);

/* For right-hand sides: is the point inside? If not, counts it. */
bool problem_inside(double t, const double *x, const brink_env *env);

/* An action that ends the run. */
int problem_stop(const brink_event *event, brink_now *now, void *user);

/* The parts of the table, one for each file. */
#define PROBLEM_PARTS(X) X(paper) X(agents) X(mechanics) X(collisions) X(process) X(edges) X(stress)
#define PROBLEM_DECLARE(part)                                                                      \
  extern const problem problems_##part[];                                                          \
  extern const size_t problems_##part##_count;
PROBLEM_PARTS(PROBLEM_DECLARE)
#undef PROBLEM_DECLARE

#endif
