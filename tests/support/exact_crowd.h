/* exact_crowd.h: bodies in closed form that change each other's course, event by event.
 *
 * The independent answer for whole runs of scenes (agents_scene.h) with cars, circles, lines and waiters: motions
 * by exact_motion.h, what happens at a touch written once more. Plain: after each event the bodies concerned
 * look at all others. */
#ifndef BRINK_TESTS_EXACT_CROWD_H
#define BRINK_TESTS_EXACT_CROWD_H

#include "support/agents_scene.h"
#include "support/exact_discs.h"
#include "support/exact_motion.h"

typedef struct exact_body {
  exact_motion motion;
  real radius, mass, start;
  real later[3]; /* velocity from `start` on */
  bool waits, gone;
  size_t population, agent;
  real next;
  size_t with; /* a body; n + wall; n + EXACT_STARTS */
} exact_body;

enum { EXACT_STARTS = 6 };

typedef struct exact_crowd {
  int ndimensions;
  size_t n;
  exact_body *bodies;
  bool walls;
  real low[3], high[3], restitution;
  scene_response response;
} exact_crowd;

/* All populations of a scene, one after another, at t = 0, from the numbers that the simulator gets. `disturb` times a
 * random number of [-1, 1] is added to each position and velocity. False: no memory. */
bool exact_crowd_init(exact_crowd *crowd, const scene *s, scene_response response, real disturb,
                      uint64_t seed);
void exact_crowd_free(exact_crowd *crowd);

/* The first events, at most `count` and none after t_end; returns how many. Starts have wall EXACT_STARTS. */
size_t exact_crowd_run(exact_crowd *crowd, real t_end, exact_collision *out, size_t count);

#endif
