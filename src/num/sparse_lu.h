/* sparse_lu.h: LU factors of a square sparse matrix whose values change often and whose pattern seldom does.
 *
 * Two ways. Small matrices are factored as dense ones (num/linalg.h). Others by KLU (Davis & Palamadai Natarajan 2010):
 * order once for each pattern, choose pivots now and then, and from then on only compute with the same pivots.
 *
 * KLU's objects live in memory of its own: the library has no way to be given an allocator. They are a cache. All
 * that they follow from is in the arena: the pattern, the values that the pivots were chosen for, and the values that
 * were factored last. A copy of the arena makes its own objects when it first needs them, with the same bits. */
#ifndef BRINK_NUM_SPARSE_LU_H
#define BRINK_NUM_SPARSE_LU_H

#include "base/archive.h"
#include "num/patience.h"

typedef struct brink_sparse_lu {
  size_t n, nonzeros;
  size_t capacity; /* nonzeros that there is room for */
  int *starts;     /* n + 1: where each column begins, … */
  int *rows;       /* … and the rows of its entries, in order */
  double *values;  /* of the matrix to be factored */
  bool is_factored;
  bool repivots;  /* the next factorisation chooses pivots anew */
  double *chosen; /* the values that the pivots were chosen for; dense: unused */
  bool differs;   /* `values` were factored with pivots that were chosen for others */
  double *dense;  /* n*n factors, by rows; NULL: KLU's */
  size_t *pivots;
  struct brink_klu *klu; /* NULL: not made yet, or the matrix is dense */
} brink_sparse_lu;

/* The largest matrix that this build can factor: KLU is an optional part of it. */
size_t brink_sparse_lu_largest(void);

/* For matrices of size n with `nonzeros` entries; may be called again, for more or fewer entries. False: no memory. The
 * caller fills starts and rows, and calls brink_sparse_lu_begin. */
bool brink_sparse_lu_take(brink_sparse_lu *lu, size_t n, size_t nonzeros, brink_arena *arena);

/* There is another pattern in starts and rows: nothing is factored. */
void brink_sparse_lu_begin(brink_sparse_lu *lu);

/* Factors `values`. 0; 1: it is singular, or not finite, or patience is over (KLU has none to ask); -1: out of memory. */
int brink_sparse_lu_factor(brink_sparse_lu *lu, brink_patience *patience);

/* Solves with the factors; b becomes the solution. False: out of memory (only in a copy of an arena). */
bool brink_sparse_lu_solve(brink_sparse_lu *lu, double *b);

/* Of a matrix with the same pattern, to bytes and back. */
void brink_sparse_lu_archive(brink_sparse_lu *lu, brink_archive *a);

/* Gives back what is not in the arena. */
void brink_sparse_lu_release(brink_sparse_lu *lu);
void brink_sparse_lu_relocate(brink_sparse_lu *lu, brink_relocation *moved);

#endif
