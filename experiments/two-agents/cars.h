/* cars.h: two cars on spirals (Esposito, Kumar & Pappas 2001, section 4), by three ways to simulate them. */
#ifndef BRINK_EXPERIMENTS_CARS_H
#define BRINK_EXPERIMENTS_CARS_H

#include "experiments/two-agents/published.h"

enum { CARS = 2, CAR_STATES = 3, CAR_HISTORY = 20000 };

/* z = c + r exp((a + i w) t + i phase): a car that drives on it has the speed |a + i w| |z - c|. */
typedef struct car_path {
  double c, r, a, w, phase;
} car_path;

/* With the centres D apart. */
void cars_paths(double distance, car_path paths[CARS]);
void car_at(const car_path *path, double t, double *x, double *y);
#define CARS_RADIUS 0.3 /* of both together */

/* R - |z1 - z2| of the exact paths. */
double cars_guard(const car_path paths[CARS], double t);

/* One iteration of the published algorithm. */
typedef struct cars_row {
  double t[CARS], h[CARS]; /* h = 0: it waited */
  double x[CARS], y[CARS];
  double tau, g;
  bool together; /* both followed (16) and (17) */
} cars_row;

typedef struct cars_run {
  brink_status status; /* EVENT: they have met */
  double t;            /* of the meeting */
  brink_stats stats;
  cars_row *rows;
  size_t nrows;
  double lag; /* the largest difference of the clocks */
} cars_run;

/* `def` gives gain, order, tolerance and who moves; rows may be NULL. */
brink_status cars_by_published(const car_path paths[CARS], const brink_published_def *def,
                               double h_max, double t_end, cars_run *run, brink_diag *diag);

/* By Brink's engine for agents, each with its own clock: Adams methods, tolerance `rtol`. */
brink_status cars_by_engine(const car_path paths[CARS], double rtol, double t_end, cars_run *run,
                            brink_diag *diag);

/* Where the iterations in which both agents follow (16) and (17) begin, to the end. */
size_t cars_approach(const cars_run *run);

#endif
