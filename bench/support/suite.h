/* suite.h: the problems that both simulators can do. */
#ifndef BRINK_BENCH_SUITE_H
#define BRINK_BENCH_SUITE_H

#include "support/cars.h"

#define BENCH_PROBLEMS 15

typedef struct bench_suite {
  bench_scene scene; /* of the bumper cars */
  const bench_problem *problems[BENCH_PROBLEMS];
} bench_suite;

/* The suite keeps pointers to itself: it stays where it is. */
void bench_suite_make(bench_suite *suite);

/* The problem whose name starts like this; NULL: none. */
const bench_problem *bench_suite_find(const bench_suite *suite, const char *name);

#endif
