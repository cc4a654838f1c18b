/* cars.h: bumper cars (Esposito & Kumar 2007, section 5).
 *
 * Discs of radius 0.1 in a 10 x 10 box. A car drives as a unicycle, constant speed and turning rate
 * between hits: x = (x, y, heading) for each, p = (speed, turning rate) for each. Guards: one for
 * each pair (distance minus 0.2), then four walls for each car. A hit multiplies the normal
 * velocity by -0.9; the car turns away from what it hit. */
#ifndef BRINK_BENCH_CARS_H
#define BRINK_BENCH_CARS_H

#include <stdint.h>

#include "support/problem.h"

#define BENCH_CARS 20
#define BENCH_CAR_PAIRS (BENCH_CARS * (BENCH_CARS - 1) / 2)
#define BENCH_CAR_GUARDS (BENCH_CAR_PAIRS + 4 * BENCH_CARS)

typedef enum bench_cars_guard {
  BENCH_CARS_DISTANCE, /* with a jet and Lipschitz bounds: far pairs are excluded by numbers */
  BENCH_CARS_SQUARE,   /* the square of the distance: a polynomial of degree 2 */
} bench_cars_guard;

/* A scene and its model's definition; positions, headings, speeds and turning rates from `seed`. */
typedef struct bench_scene {
  double x0[3 * BENCH_CARS], p0[2 * BENCH_CARS];
  size_t depends[BENCH_CAR_GUARDS][4];
  brink_guard_def guards[BENCH_CAR_GUARDS];
  brink_model_def def;
  bench_problem problem;
} bench_scene;

/* The scene keeps pointers to itself: it stays where it is. */
void bench_scene_make(bench_scene *scene, uint64_t seed, bench_cars_guard kind);

#endif
