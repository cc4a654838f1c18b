/* list.c: all experiments, in the order of the papers. */
#include "experiments/experiment.h"

/* The last part of the names of their definitions: brink_experiment_relay. */
#define EXPERIMENT_LIST(X)                                                                         \
  X(corridor)                                                                                      \
  X(arm)                                                                                           \
  X(bumper_cars)                                                                                   \
  X(geometric_approach)                                                                            \
  X(two_agents)                                                                                    \
  X(garcia_detectors)                                                                              \
  X(garcia_condition)                                                                              \
  X(relay)

#define DECLARE(name) extern const brink_experiment brink_experiment_##name;
EXPERIMENT_LIST(DECLARE)

const brink_experiment *const brink_experiments[] = {
#define LIST(name) &brink_experiment_##name,
    EXPERIMENT_LIST(LIST) NULL};
