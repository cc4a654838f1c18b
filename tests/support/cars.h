/* cars.h: a system made by hand, for tests of what is recorded: a top component with states, a mode, a
 * parameter and an output (level = 10 x), and an array of two cars. */
#ifndef BRINK_TESTS_SUPPORT_CARS_H
#define BRINK_TESTS_SUPPORT_CARS_H

#include "record/record.h"

enum { X, PHASE, CAR_X, CAR_V, CAR_ON, HELD, AREA, LEVEL, VARIABLES };
enum { FLOOR, GAP, RULE, MADE, RANGE, FLAGS };

extern brink_system cars_system;
extern const brink_computed cars_computed;

/* To be freed by the caller. */
brink_columns cars_columns(void);

/* A moment of it. */
extern const double cars_x[7], cars_p[2];
extern const int cars_mode[3];
extern const brink_moment cars_moment;

#endif
