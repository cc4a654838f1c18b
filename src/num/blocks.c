/* blocks.c: linear systems that are solved block by block (see blocks.h).
 *
 * Rows are scaled by their largest entry before partial pivoting: equations of a model have units of their own, and
 * none of them is meant to be more important than another. */
#include "num/blocks.h"

#include <math.h>
#include <string.h>

#include "num/linalg.h"

size_t brink_blocks_room(const size_t *block, size_t nblocks) {
  size_t room = 0;
  for (size_t b = 0; b < nblocks; b++) {
    size_t m = block[b + 1] - block[b];
    room += m * m;
  }
  return room;
}

static double *place(const brink_blocks *blocks, size_t b) {
  return blocks->factors + brink_blocks_room(blocks->block, b);
}

/* The diagonal block as a dense matrix by rows. */
static void gather(const brink_blocks *blocks, const double *values, size_t b, double *a) {
  size_t first = blocks->block[b], m = blocks->block[b + 1] - first;
  memset(a, 0, m * m * sizeof *a);
  for (size_t k = 0; k < m; k++) {
    size_t column = blocks->unknown[first + k];
    for (size_t e = blocks->starts[column]; e < blocks->starts[column + 1]; e++) {
      size_t row = blocks->rows[e];
      if (row >= first && row < first + m) a[(row - first) * m + k] = values[e];
    }
  }
}

/* Block b, into a, its place. */
static bool factor(const brink_blocks *blocks, const double *values, size_t b, double *a,
                   brink_patience *patience) {
  size_t first = blocks->block[b], m = blocks->block[b + 1] - first;
  gather(blocks, values, b, a);
  for (size_t i = 0; i < m; i++) {
    double most = 0.0;
    for (size_t k = 0; k < m; k++) most = fmax(most, fabs(a[i * m + k]));
    if (!(most > 0.0) || !isfinite(most)) return false;
    double scale = blocks->scale[first + i] = ldexp(1.0, -ilogb(most));
    for (size_t k = 0; k < m; k++) a[i * m + k] *= scale;
  }
  return brink_lu_factor_within(m, a, blocks->pivots + first, patience) == 0;
}

bool brink_blocks_factor(const brink_blocks *blocks, const double *values, size_t b,
                         brink_patience *patience) {
  return factor(blocks, values, b, place(blocks, b), patience);
}

/* To ask for the place of each would take time by the square of their number. */
bool brink_blocks_factor_all(const brink_blocks *blocks, const double *values,
                             brink_patience *patience) {
  double *a = blocks->factors;
  for (size_t b = 0; b < blocks->nblocks; b++) {
    size_t m = blocks->block[b + 1] - blocks->block[b];
    if (!factor(blocks, values, b, a, patience)) return false;
    a += m * m;
  }
  return true;
}

void brink_blocks_solve_one(const brink_blocks *blocks, size_t b, double *v) {
  size_t first = blocks->block[b], m = blocks->block[b + 1] - first;
  for (size_t i = 0; i < m; i++) v[i] *= blocks->scale[first + i];
  brink_lu_solve(m, place(blocks, b), blocks->pivots + first, v);
}

void brink_blocks_solve(const brink_blocks *blocks, const double *values, double *v) {
  const double *factors = blocks->factors;
  for (size_t b = 0; b < blocks->nblocks; b++) {
    size_t first = blocks->block[b], end = blocks->block[b + 1], m = end - first;
    for (size_t i = first; i < end; i++) v[i] *= blocks->scale[i];
    brink_lu_solve(m, factors, blocks->pivots + first, v + first);
    factors += m * m;
    for (size_t i = first; i < end; i++) { /* what later blocks see of it */
      size_t column = blocks->unknown[i];
      for (size_t e = blocks->starts[column]; e < blocks->starts[column + 1]; e++) {
        size_t row = blocks->rows[e];
        if (row >= end && row < blocks->n) v[row] -= values[e] * v[i];
      }
    }
  }
}

/* ---- rank ---- */

/* Rows, then columns, by powers of two to a largest entry between 1 and 2. */
static void equilibrate(size_t m, double *a, double *column) {
  for (size_t i = 0; i < m; i++) {
    double most = 0.0;
    for (size_t k = 0; k < m; k++) most = fmax(most, fabs(a[i * m + k]));
    double scale = most > 0.0 && isfinite(most) ? ldexp(1.0, -ilogb(most)) : 1.0;
    for (size_t k = 0; k < m; k++) a[i * m + k] *= scale;
  }
  for (size_t k = 0; k < m; k++) {
    double most = 0.0;
    for (size_t i = 0; i < m; i++) most = fmax(most, fabs(a[i * m + k]));
    column[k] = most > 0.0 && isfinite(most) ? ldexp(1.0, -ilogb(most)) : 1.0;
    for (size_t i = 0; i < m; i++) a[i * m + k] *= column[k];
  }
}

static void exchange(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}

/* Gauss-Jordan with complete pivoting on a, with the identity beside it in `left`; stops where no pivot is above
 * `least`. order[k]: the column that is now at k. Returns the rank; *smallest: the smallest pivot that was met,
 * INFINITY if patience ended before all were. */
static size_t eliminate(size_t m, double *a, double *left, double *order, double least,
                        double *smallest, brink_patience *patience) {
  *smallest = (double)INFINITY;
  for (size_t k = 0; k < m; k++) {
    size_t row = k, column = k;
    double most = 0.0;
    if (brink_patience_ends(patience, 3 * m * m)) {
      *smallest = (double)INFINITY;
      return m;
    }
    for (size_t i = k; i < m; i++) {
      for (size_t j = k; j < m; j++) {
        if (!(fabs(a[i * m + j]) > most)) continue;
        most = fabs(a[i * m + j]);
        row = i;
        column = j;
      }
    }
    *smallest = fmin(*smallest, most);
    if (!(most >= least)) return k;
    for (size_t j = 0; j < m && row != k; j++) {
      exchange(&a[row * m + j], &a[k * m + j]);
      exchange(&left[row * m + j], &left[k * m + j]);
    }
    for (size_t i = 0; i < m && column != k; i++) exchange(&a[i * m + column], &a[i * m + k]);
    if (column != k) exchange(&order[column], &order[k]);
    for (size_t i = 0; i < m; i++) {
      double factor = i == k ? 0.0 : a[i * m + k] / a[k * m + k];
      if (factor == 0.0) continue;
      for (size_t j = k; j < m; j++) a[i * m + j] -= factor * a[k * m + j];
      for (size_t j = 0; j < m; j++) left[i * m + j] -= factor * left[k * m + j];
    }
  }
  return m;
}

double brink_blocks_condition(const brink_blocks *blocks, const double *values, size_t b,
                              double least, double *left, double *right, double *room,
                              brink_patience *patience) {
  size_t m = blocks->block[b + 1] - blocks->block[b];
  double *a = room, *identity = a + m * m, *column = identity + m * m, *order = column + m;
  double smallest;
  gather(blocks, values, b, a);
  for (size_t i = 0; i < m * m; i++) {
    if (!isfinite(a[i])) a[i] = 0.0;
    identity[i] = 0.0;
  }
  for (size_t i = 0; i < m; i++) {
    identity[i * m + i] = 1.0;
    order[i] = (double)i;
  }
  equilibrate(m, a, column);
  size_t rank = eliminate(m, a, identity, order, least, &smallest, patience);
  memset(left, 0, m * sizeof *left);
  memset(right, 0, m * sizeof *right);
  if (rank == m) return smallest;
  memcpy(left, identity + rank * m, m * sizeof *left);
  /* a is now [D, B; 0, 0] in exchanged columns: the column at `rank` is a combination of those before it. */
  right[(size_t)order[rank]] = 1.0;
  for (size_t k = 0; k < rank; k++) right[(size_t)order[k]] = -a[k * m + rank] / a[k * m + k];
  for (size_t k = 0; k < m; k++) right[k] *= column[k];
  return smallest;
}
