/* linalg.h: LU factorisation of small dense matrices with partial pivoting.
 *
 * Matrices are row-major: entry (i, k) of an n by n matrix is a[i * n + k]. Nothing is allocated;
 * calls on different data may run in different threads. */
#ifndef BRINK_NUM_LINALG_H
#define BRINK_NUM_LINALG_H

#include <stddef.h>

#include "num/patience.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Overwrites a with its factors, P a = L U: U on and above the diagonal, the multipliers of the
 * unit lower triangle L below. Row k was exchanged with row pivots[k] >= k. Returns 0, or k + 1 if
 * no usable pivot was found for column k: all candidates are zero, or one is NaN or infinite. After
 * a failure a and pivots hold nothing of use. n = 0 is allowed. */
int brink_lu_factor(size_t n, double *a, size_t *pivots);

/* The same while patience lasts: -1 if it is over before. */
int brink_lu_factor_within(size_t n, double *a, size_t *pivots, brink_patience *patience);

/* Solves a x = b with the factors above; b is overwritten with x. */
void brink_lu_solve(size_t n, const double *lu, const size_t *pivots, double *b);

#ifdef __cplusplus
}
#endif

#endif
