/* suite.c: the problems that both simulators can do. */
#include "support/suite.h"

#include <string.h>

void bench_suite_make(bench_suite *suite) {
  bench_scene_make(&suite->scene, 1, BENCH_CARS_DISTANCE);
  const bench_problem *all[BENCH_PROBLEMS] = {
      &bench_relay,          &bench_ball,        &bench_pendulum,  &bench_thermostat, &bench_tanks,
      &bench_buck,           &bench_garcia,      &bench_corridor,  &bench_spirals,    &bench_flyby,
      &suite->scene.problem, &bench_van_der_pol, &bench_arenstorf, &bench_volterra,   &bench_chain,
  };
  memcpy(suite->problems, all, sizeof all);
}

const bench_problem *bench_suite_find(const bench_suite *suite, const char *name) {
  for (size_t k = 0; k < BENCH_PROBLEMS; k++) {
    if (strncmp(suite->problems[k]->name, name, strlen(name)) == 0) return suite->problems[k];
  }
  return NULL;
}
