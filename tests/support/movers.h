/* movers.h: points on straight lines and circles that meet at a distance: as agents of the engine, as agents
 * of the published algorithm, and in closed form. */
#ifndef BRINK_TESTS_MOVERS_H
#define BRINK_TESTS_MOVERS_H

#include "experiments/two-agents/published.h"

enum { MOVER_X, MOVER_Y, MOVER_VX, MOVER_VY, MOVER_W, MOVER_STATES };

/* (vx, vy) turns at the rate w: a straight line with w = 0, else a circle. */
typedef struct mover {
  double x[MOVER_STATES];
  double wake, awake[2]; /* at this time its velocity becomes that; 0: it does not */

  /* For the published algorithm: */
  double h_max; /* it is told that no error control would allow more; 0: no limit */
  double t0;    /* its clock at the start */
} mover;

/* Where it is at t, if nothing happens to it. */
void mover_at(const mover *m, double t, double *x, double *y);

/* When two first come within `radius`, before t_end: on the closed form, with steps in which no two points
 * can meet. INFINITY: never. NAN: too close to grazing to tell. */
double movers_meet(const mover *a, const mover *b, double radius, double t_end);

/* What a run came to: the first meetings, in order of time. */
enum { MEETINGS = 8, MOVERS = 4 };
typedef struct meetings {
  brink_status status;
  size_t count;
  double t[MEETINGS];
  size_t partner[MEETINGS][2];
} meetings;

/* The engine's rule (agents.h). At a meeting they bounce off each other, elastically, or, with `stop`, the run
 * ends. At most MOVERS of them, each a population of its own. */
meetings movers_by_engine(const mover *movers, size_t count, double radius, bool stop,
                          double t_end);

/* The published algorithm: `settings` says how; its agents and guards are made here. */
meetings movers_by_published(const mover *movers, size_t count, double radius,
                             const brink_published_def *settings, bool stop, double t_end);

#endif
