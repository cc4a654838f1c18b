/* roll.h: loops out of equations that were written one by one. */
#ifndef BRINK_EXPR_ROLL_H
#define BRINK_EXPR_ROLL_H

#include "expr/graph.h"

/* A program that computes the same values as `program` by the same operations. Where a kernel of one iteration has
 * outputs that differ in the slots that they read and write only, these become a kernel with one iteration for each.
 * False: out of memory. Kernels that stay as they are are shared; all others live in the arena. */
bool brink_program_roll(const brink_program *program, brink_arena *arena, brink_program *rolled);

#endif
