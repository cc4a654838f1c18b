/* agents_scene.h: populations of simple bodies, as models in C, for tests and benchmarks of agents.
 *
 * A body is a ball whose velocity turns at a constant rate between events (rate 0: a straight line). There are
 * several ways to say that to the simulator, with different equations for the same motion:
 *
 *   disc     x' = v, v' = 0                              1, 2 or 3 dimensions; rate 0
 *   car      x' = v cos th, y' = v sin th, th' = w       2 dimensions; a unicycle
 *   circle   x' = -w (y - cy), y' = w (x - cx)           2 dimensions; harmonic
 *   waiter   x' = v, from its own time on                2 dimensions; rate 0
 *
 * so scenes of all kinds have motions in closed form: see exact_motion.h. The position is the first states
 * of each kind, radius and mass its first parameters, and its one mode says whether it moves. */
#ifndef BRINK_TESTS_AGENTS_SCENE_H
#define BRINK_TESTS_AGENTS_SCENE_H

#include "agents/agents.h"

enum { SCENE_POPULATIONS = 4, SCENE_PAIRS = 10, SCENE_STATES = 6, SCENE_PARAMETERS = 7 };
enum { SCENE_RADIUS, SCENE_MASS, SCENE_SPEED, SCENE_TURN, SCENE_START, SCENE_CENTRE };
enum { SCENE_MOVES, SCENE_WAITS, SCENE_GONE };

typedef enum scene_kind { SCENE_DISC, SCENE_CAR, SCENE_CIRCLE, SCENE_WAITER } scene_kind;

/* What happens when two bodies touch. */
typedef enum scene_response {
  SCENE_PASS,    /* nothing: they go through each other. Both ways are events */
  SCENE_ELASTIC, /* discs */
  SCENE_BUMP,    /* cars: restitution, heading and speed from the velocity after it, turning away */
  SCENE_VANISH,  /* both stand still, and are touched no more */
  SCENE_HALT,    /* both stand still, in the way of others */
} scene_response;

typedef struct scene_body {
  double position[3], velocity[3];
  double turn;   /* rate of the velocity's direction */
  double radius; /* of the ball */
  double mass;
  double start; /* of a waiter */
} scene_body;

typedef struct scene_crowd {
  scene_kind kind;
  size_t count, nx;
  double *x0, *p0; /* count times nx, SCENE_PARAMETERS */
  int *mode0;
  brink_model *model;
} scene_crowd;

typedef struct scene_link {
  const struct scene *scene;
  scene_response response;
  size_t population[2], at[2]; /* where the states of each begin */
  uint32_t x[2][SCENE_STATES], p[2][SCENE_PARAMETERS], mode[2][1];
  brink_model *model;
} scene_link;

typedef struct scene {
  int ndimensions;
  bool walls; /* balls stay inside [low, high] */
  double low[3], high[3];
  double restitution; /* of cars: 0.9 */
  double growth;      /* of a waiter's radius, when it starts: 1 */
  bool wraps;         /* discs that come to a wall appear at the opposite one */
  size_t threads;     /* of a run */
  size_t ncrowds, nlinks;
  scene_crowd crowds[SCENE_POPULATIONS];
  scene_link links[SCENE_PAIRS];
  brink_population_def populations[SCENE_POPULATIONS];
  brink_pair_def pairs[SCENE_PAIRS];
} scene;

/* An empty scene; call the functions below in this order, populations before pairs. It must not be moved: its
 * models point at it. They return false where a model cannot be made. */
void scene_init(scene *s, int ndimensions);
void scene_walls(scene *s, const double *low, const double *high);
bool scene_add(scene *s, scene_kind kind, const scene_body *bodies, size_t count);
bool scene_meet(scene *s, size_t a, size_t b, scene_response response);
void scene_free(scene *s);

brink_agents_def scene_def(const scene *s, const brink_options *options);

/* The velocity of a body from states and parameters of its kind. */
void scene_velocity(const scene *s, scene_kind kind, const double *x, const double *p, double *v);

/* ---- running ---- */

typedef struct scene_event {
  double t;
  size_t pair;              /* BRINK_NONE: of its own */
  size_t population, agent; /* of its own, or the first partner's */
  size_t other;             /* agent of the second partner; BRINK_NONE */
  size_t guard;
  brink_direction direction;
  brink_event_kind kind;
  uint64_t bits; /* of everything in the record */
} scene_event;

typedef struct scene_result {
  brink_status status;
  brink_diag diag;
  size_t count, capacity;
  scene_event *events;
  double *x; /* of all agents at the end, one after another */
  size_t nx;
  uint64_t bits; /* of all events and of x */
  brink_agents_stats stats;
} scene_result;

/* From the beginning to t_end. With events of both partners in the same population the smaller agent comes first. */
void scene_run(const scene *s, const brink_options *options, bool all_pairs, double t_end,
               scene_result *result);
void scene_result_free(scene_result *result);

/* The same in parts. The result gets the events of the run from now on; the listener must outlive it. */
typedef struct scene_listener {
  const scene *scene;
  scene_result *result;
} scene_listener;

void scene_listen(const scene *s, brink_agents *agents, scene_listener *listener,
                  scene_result *result);
/* Runs to t_end; states and counters go to the listener's result. */
void scene_finish(brink_agents *agents, double t_end, const scene_listener *listener);

/* How two runs differ first, in words; NULL: they end well, with the same events and states to the last bit. The words are
 * in `room`. */
const char *scene_difference(const scene_result *a, const scene_result *b, char room[300]);

#endif
