/* agents_random.h: random scenes (agents_scene.h), and how they are compared with exact ones. */
#ifndef BRINK_TESTS_AGENTS_RANDOM_H
#define BRINK_TESTS_AGENTS_RANDOM_H

#include "support/agents_scene.h"
#include "support/exact_discs.h"

/* Zero where nothing is said. */
typedef struct scene_recipe {
  uint64_t seed;
  int ndimensions;
  size_t count[4];            /* of each kind, in the order of scene_kind */
  double side;                /* of the square (interval, cube) they start in */
  double offset;              /* of its middle from the origin, in every dimension */
  double radius[2], speed[2]; /* least and most; speeds are spread evenly in their logarithm */
  bool walls;                 /* around the square */
  bool apart;                 /* no two of them overlap at first */
  double t_end;               /* waiters start somewhere in the first half */
  scene_response response;    /* of all pairs */
} scene_recipe;

/* False: no memory, or no room for so many bodies that do not overlap. The scene is to be freed in any case. */
bool scene_cook(scene *s, const scene_recipe *recipe);

/* For comparisons of one engine with several: by the seed, a crowd in the plane that is dense or thin, far from the
 * origin or not, with even or uneven speeds; and methods and tolerances. Who is in it is left to the caller. */
scene_recipe scene_recipe_by_seed(uint64_t seed, scene_response response, double t_end);
brink_options scene_options_by_seed(uint64_t seed);

/* Several things of a scene are drawn from its seed alone: what kinds of bodies, how dense, how fast, how far from the
 * origin. 50 bodies. */
scene_recipe scene_draw(uint64_t seed, scene_response response);

/* ---- comparing with a list of exact events ---- */

typedef struct scene_comparison {
  size_t compared; /* events of the exact list that were found */
  size_t missed, invented, disordered;
  double worst;     /* the largest difference of times, relative to what was allowed */
  double tolerance; /* what was allowed in the end */
  char first[160];  /* what was wrong first */
} scene_comparison;

/* `shaken` is another exact list, whose start was disturbed by as much as the run may err. What it is off at event k,
 * or was before, times 100, or `least` if that is more, is what the run may be off there. Where that exceeds `most`, or
 * the shaken list tells of other events, there is nothing more to compare. `complete`: there are no events after those
 * of the lists. Bodies are numbered through all
 * populations; starts of waiters do not count. */
scene_comparison scene_compare(const scene *s, const scene_result *run,
                               const exact_collision *exact, size_t nexact,
                               const exact_collision *shaken, size_t nshaken, bool complete,
                               double least, double most);

/* An event of a run, with bodies numbered like that. */
exact_collision scene_as_exact(const scene *s, const scene_event *event);

#endif
