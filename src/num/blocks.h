/* blocks.h: linear systems that are solved block by block.
 *
 * The matrix is sparse and given by columns; rows and columns are ordered so that it is block lower triangular: row i
 * belongs to column unknown[i], rows block[b] … block[b+1]-1 to block b, and no row of a block has an entry in a column
 * of a later block. Blocks on the diagonal are factored densely. Other columns of the pattern are not looked at. */
#ifndef BRINK_NUM_BLOCKS_H
#define BRINK_NUM_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "num/patience.h"

typedef struct brink_blocks {
  size_t n;              /* rows */
  const size_t *unknown; /* column of each row's unknown */
  const size_t *block;   /* nblocks + 1 */
  size_t nblocks;
  const size_t *starts, *rows; /* the pattern by columns; rows >= n are skipped */
  /* Workspace of the caller. */
  double *factors; /* brink_blocks_room doubles */
  size_t *pivots;  /* n */
  double *scale;   /* n: of each row, 1 over its largest entry in its block */
} brink_blocks;

/* The doubles that the factors need. */
size_t brink_blocks_room(const size_t *block, size_t nblocks);

/* Factors block b from the values of the pattern. False: it is singular to working precision of its pivots (exactly
 * zero, or not finite), or patience is over (NULL: it never is). */
bool brink_blocks_factor(const brink_blocks *blocks, const double *values, size_t b,
                         brink_patience *patience);
bool brink_blocks_factor_all(const brink_blocks *blocks, const double *values,
                             brink_patience *patience);

/* Solves with one block's diagonal part: v, of the rows of the block, is overwritten. */
void brink_blocks_solve_one(const brink_blocks *blocks, size_t b, double *v);

/* Solves with the whole: v, of all rows, is overwritten; v[i] is then the value of unknown[i]. */
void brink_blocks_solve(const brink_blocks *blocks, const double *values, double *v);

/* The reciprocal of the condition of block b, estimated from a factorisation with complete pivoting of the matrix with rows and
 * columns scaled to 1; `room` holds 2 m^2 + 2 m doubles for m rows. If it is below `least`: `left` and `right` (m each)
 * become null vectors: which rows depend on each other, and which unknowns are not determined separately. INFINITY: patience
 * was over before that was known. */
double brink_blocks_condition(const brink_blocks *blocks, const double *values, size_t b,
                              double least, double *left, double *right, double *room,
                              brink_patience *patience);

#endif
