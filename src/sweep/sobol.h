/* sobol.h: Sobol' points, scrambled: any point by its number. */
#ifndef BRINK_SWEEP_SOBOL_H
#define BRINK_SWEEP_SOBOL_H

#include "base/base.h"

enum { BRINK_SOBOL_DIMENSIONS = 53, BRINK_SOBOL_BITS = 32 };

typedef struct brink_sobol {
  size_t dimensions;
  uint32_t (*direction)[BRINK_SOBOL_BITS]; /* of each dimension, scrambled */
  uint32_t *shift;
} brink_sobol;

/* In the arena. dimensions <= BRINK_SOBOL_DIMENSIONS. False: out of memory. */
bool brink_sobol_init(brink_sobol *sobol, brink_arena *arena, size_t dimensions, uint64_t seed);

/* Coordinate `dimension` of point `number` (below 2^32): above 0 and below 1. */
double brink_sobol_at(const brink_sobol *sobol, uint64_t number, size_t dimension);

/* Bit `bit` (from 0) of the sequence before it is scrambled, for tests. */
void brink_sobol_directions(size_t dimension, uint32_t direction[BRINK_SOBOL_BITS]);

#endif
