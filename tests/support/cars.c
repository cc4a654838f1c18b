/* cars.c: see cars.h. */
#include "support/cars.h"

#include <math.h>
#include <stdlib.h>

static const char *car_segment[] = {"car"};
static uint32_t car_dimension[] = {2};
static brink_group groups[] = {
    {.count = 1}, {.segment = car_segment, .dimension = car_dimension, .nsegments = 1, .count = 2}};
static brink_variable variables[VARIABLES] = {
    [X] = {.name = "x",
           .kind = BRINK_VARIABLE_STATE,
           .space = BRINK_SPACE_X,
           .length = 1,
           .unit = "m"},
    [PHASE] = {.name = "phase",
               .kind = BRINK_VARIABLE_MODE,
               .type = BRINK_VALUE_STRING,
               .space = BRINK_SPACE_MODE,
               .length = 1},
    [CAR_X] = {.name = "x",
               .group = 1,
               .kind = BRINK_VARIABLE_STATE,
               .space = BRINK_SPACE_X,
               .base = 1,
               .length = 1},
    [CAR_V] = {.name = "v",
               .group = 1,
               .kind = BRINK_VARIABLE_STATE,
               .space = BRINK_SPACE_X,
               .base = 3,
               .length = 2,
               .vector = true},
    [CAR_ON] = {.name = "on",
                .group = 1,
                .kind = BRINK_VARIABLE_STATE,
                .type = BRINK_VALUE_BOOLEAN,
                .space = BRINK_SPACE_MODE,
                .base = 1,
                .length = 1},
    [HELD] = {.name = "n",
              .kind = BRINK_VARIABLE_STATE,
              .type = BRINK_VALUE_INTEGER,
              .space = BRINK_SPACE_P,
              .length = 1},
    [AREA] = {.name = "area",
              .kind = BRINK_VARIABLE_PARAMETER,
              .space = BRINK_SPACE_P,
              .base = 1,
              .length = 1,
              .unit = "m2"},
    [LEVEL] = {.name = "level", .kind = BRINK_VARIABLE_OUTPUT, .space = BRINK_SPACE_V, .length = 1},
};
static const char *strings[] = {"up", "down, \"slowly\""};
static double p0[] = {3.0, 2.5};
static uint32_t first_partner[] = {0}, second_partner[] = {1};
static brink_flag flags[FLAGS] = {
    [FLOOR] = {.kind = BRINK_FLAG_DECLARED, .name = "floor", .count = 1, .per_instance = 1},
    [GAP] = {.kind = BRINK_FLAG_DECLARED,
             .name = "gap",
             .count = 1,
             .per_instance = 1,
             .is_pair = true,
             .partner_group = {1, 1},
             .partner = {first_partner, second_partner}},
    [RULE] = {.kind = BRINK_FLAG_RULE, .name = "rule[1]", .count = 1, .per_instance = 1},
    [MADE] = {.kind = BRINK_FLAG_GENERATED, .name = "@12:7", .count = 1, .per_instance = 1},
    [RANGE] = {.kind = BRINK_FLAG_RANGE, .name = "range", .count = 1, .per_instance = 1},
};
brink_system cars_system = {.name = "Test",
                            .groups = groups,
                            .ngroups = 2,
                            .variables = variables,
                            .nvariables = VARIABLES,
                            .strings = strings,
                            .nstrings = 2,
                            .nx = 7,
                            .np = 2,
                            .p0 = p0,
                            .nmodes = 3,
                            .flags = flags,
                            .nflags = FLAGS};

/* level = 10 x */
static double level;
static void evaluate(const brink_moment *moment, void *user) {
  (void)user;
  level = 10.0 * moment->x[0];
}
static double slot_value(brink_space space, size_t slot, void *user) {
  (void)user;
  return space == BRINK_SPACE_V && slot == 0 ? level : (double)NAN;
}
const brink_computed cars_computed = {.evaluate = evaluate, .slot = slot_value};

brink_columns cars_columns(void) {
  brink_columns columns;
  if (brink_columns_init(&columns, &cars_system, &cars_computed, NULL) != BRINK_OK) abort();
  return columns;
}

const double cars_x[7] = {0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, cars_p[2] = {3.0, 2.5};
const int cars_mode[3] = {1, 0, 1};
const brink_moment cars_moment = {.t = 0.1, .x = cars_x, .p = cars_p, .mode = cars_mode};
