/* sparse_lu.c: see sparse_lu.h.
 *
 * Problem  A y = b for many matrices with one pattern.
 * Method   KLU: permutation to block triangular form, minimum degree within blocks, left-looking factorisation with
 *          partial pivoting that prefers the diagonal (T. A. Davis, E. Palamadai Natarajan, Algorithm 907, ACM TOMS
 *          37 (2010), section 2). Rows are scaled by their largest entry, so that equations may be in any unit.
 * Pivots   are kept as long as they are good: as in SUNDIALS, until the reciprocal of the condition, estimated by the
 *          diagonal of U, falls below u^(2/3) = 4e-11, or until the caller is not content (repivots).
 * Small    n <= 16 is factored as a dense matrix with partial pivoting: fewer operations than KLU's own bookkeeping. */
#include "num/sparse_lu.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "num/linalg.h"

#define DENSE 16           /* up to here matrices are dense */
#define DENSE_LARGEST 2000 /* without KLU: 32 MB */

#ifdef BRINK_WITH_KLU
#include <klu.h>

#define WORST 3.7e-11 /* u^(2/3) */

typedef struct brink_klu {
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
} brink_klu;
#endif

size_t brink_sparse_lu_largest(void) {
#ifdef BRINK_WITH_KLU
  return INT_MAX;
#else
  return DENSE_LARGEST;
#endif
}

static bool is_dense(size_t n) {
#ifdef BRINK_WITH_KLU
  return n <= DENSE;
#else
  (void)DENSE;
  return n <= DENSE_LARGEST;
#endif
}

bool brink_sparse_lu_take(brink_sparse_lu *lu, size_t n, size_t nonzeros, brink_arena *arena) {
  if (n > brink_sparse_lu_largest() || nonzeros > INT_MAX) return false;
  if (lu->starts == NULL) {
    lu->starts = brink_arena_take(arena, n + 1, sizeof *lu->starts);
    if (is_dense(n)) {
      lu->dense = brink_arena_take(arena, n * n, sizeof *lu->dense);
      lu->pivots = brink_arena_take(arena, n, sizeof *lu->pivots);
      if (lu->dense == NULL || lu->pivots == NULL) return false;
    }
    if (lu->starts == NULL) return false;
    lu->n = n;
  }
  lu->nonzeros = nonzeros;
  if (nonzeros <= lu->capacity) return true;
  int *rows = brink_arena_take(arena, nonzeros, sizeof *rows);
  double *values = brink_arena_take(arena, nonzeros, sizeof *values);
  double *chosen = brink_arena_take(arena, lu->dense == NULL ? nonzeros : 0, sizeof *chosen);
  if (rows == NULL || values == NULL || chosen == NULL) return false;
  lu->rows = rows;
  lu->values = values;
  lu->chosen = chosen;
  lu->capacity = nonzeros;
  return true;
}

void brink_sparse_lu_begin(brink_sparse_lu *lu) {
  brink_sparse_lu_release(lu);
  lu->is_factored = lu->differs = false;
  lu->repivots = true;
}

/* ---- dense ---- */

static int factor_dense(brink_sparse_lu *lu, brink_patience *patience) {
  size_t n = lu->n;
  if (n > 0) memset(lu->dense, 0, n * n * sizeof *lu->dense);
  for (size_t j = 0; j < n; j++) {
    for (int k = lu->starts[j]; k < lu->starts[j + 1]; k++)
      lu->dense[(size_t)lu->rows[k] * n + j] = lu->values[k];
  }
  return brink_lu_factor_within(n, lu->dense, lu->pivots, patience) == 0 ? 0 : 1;
}

/* ---- KLU ---- */

#ifdef BRINK_WITH_KLU

/* The ordering follows from the pattern alone. */
static bool make_klu(brink_sparse_lu *lu) {
  if (lu->klu != NULL) return true;
  brink_klu *klu = calloc(1, sizeof *klu);
  if (klu == NULL) return false;
  klu_defaults(&klu->common);
  klu->symbolic = klu_analyze((int)lu->n, lu->starts, lu->rows, &klu->common);
  if (klu->symbolic == NULL) {
    free(klu);
    return false;
  }
  lu->klu = klu;
  return true;
}

static int meaning(const brink_klu *klu) {
  if (klu->common.status == KLU_OK) return 0;
  return klu->common.status == KLU_SINGULAR || klu->common.status == KLU_INVALID ? 1 : -1;
}

static int choose_pivots(brink_sparse_lu *lu, double *values) {
  brink_klu *klu = lu->klu;
  klu_free_numeric(&klu->numeric, &klu->common);
  klu->numeric = klu_factor(lu->starts, lu->rows, values, klu->symbolic, &klu->common);
  return klu->numeric != NULL ? meaning(klu) : meaning(klu) != 0 ? meaning(klu) : 1;
}

static int same_pivots(brink_sparse_lu *lu) {
  brink_klu *klu = lu->klu;
  klu_refactor(lu->starts, lu->rows, lu->values, klu->symbolic, klu->numeric, &klu->common);
  return meaning(klu);
}

/* The objects that a copy of an arena has to make for itself. */
static int remake(brink_sparse_lu *lu) {
  if (!make_klu(lu)) return -1;
  if (lu->klu->numeric != NULL || !lu->is_factored) return 0;
  int outcome = choose_pivots(lu, lu->chosen);
  return outcome != 0 || !lu->differs ? outcome : same_pivots(lu);
}

static bool all_finite(const double *v, size_t count) {
  double sum = 0.0;
  for (size_t k = 0; k < count; k++) sum += v[k] * 0.0;
  return sum == 0.0;
}

static int factor_klu(brink_sparse_lu *lu) {
  if (!all_finite(lu->values, lu->nonzeros)) return 1;
  if (!make_klu(lu)) return -1;
  if (!lu->repivots && lu->klu->numeric == NULL) { /* in a copy */
    int outcome = choose_pivots(lu, lu->chosen);
    if (outcome < 0) return outcome;
  }
  if (!lu->repivots && lu->klu->numeric != NULL && same_pivots(lu) == 0) {
    klu_rcond(lu->klu->symbolic, lu->klu->numeric, &lu->klu->common);
    lu->differs = true;
    if (lu->klu->common.rcond >= WORST) return 0;
  }
  lu->differs = false;
  if (lu->nonzeros > 0) memcpy(lu->chosen, lu->values, lu->nonzeros * sizeof *lu->chosen);
  int outcome = choose_pivots(lu, lu->values);
  lu->repivots = outcome != 0;
  return outcome;
}

static bool solve_klu(brink_sparse_lu *lu, double *b) {
  if (remake(lu) != 0) return false;
  brink_klu *klu = lu->klu;
  return klu_solve(klu->symbolic, klu->numeric, (int)lu->n, 1, b, &klu->common) != 0;
}

void brink_sparse_lu_release(brink_sparse_lu *lu) {
  brink_klu *klu = lu->klu;
  lu->klu = NULL;
  if (klu == NULL) return;
  klu_free_numeric(&klu->numeric, &klu->common);
  klu_free_symbolic(&klu->symbolic, &klu->common);
  free(klu);
}

#else

static int factor_klu(brink_sparse_lu *lu) {
  (void)lu;
  return -1;
}

static bool solve_klu(brink_sparse_lu *lu, double *b) {
  (void)lu;
  (void)b;
  return false;
}

void brink_sparse_lu_release(brink_sparse_lu *lu) {
  (void)lu;
}

#endif

/* ---- both ---- */

int brink_sparse_lu_factor(brink_sparse_lu *lu, brink_patience *patience) {
  int outcome = lu->n == 0 ? 0 : lu->dense != NULL ? factor_dense(lu, patience) : factor_klu(lu);
  lu->is_factored = outcome == 0;
  return outcome;
}

bool brink_sparse_lu_solve(brink_sparse_lu *lu, double *b) {
  if (lu->n == 0) return true;
  if (lu->dense == NULL) return solve_klu(lu, b);
  brink_lu_solve(lu->n, lu->dense, lu->pivots, b);
  return true;
}

void brink_sparse_lu_archive(brink_sparse_lu *lu, brink_archive *a) {
  brink_archive_same(a, lu->n);
  brink_archive_same(a, lu->nonzeros);
  brink_archive_same(a, lu->dense != NULL);
  if (a->failed) return;
  brink_archive_doubles(a, lu->values, lu->nonzeros);
  brink_archive_bool(a, &lu->is_factored);
  brink_archive_bool(a, &lu->repivots);
  brink_archive_bool(a, &lu->differs);
  if (lu->dense == NULL) {
    brink_archive_doubles(a, lu->chosen, lu->nonzeros);
  } else {
    brink_archive_doubles(a, lu->dense, lu->n * lu->n);
    brink_archive_indices(a, lu->pivots, lu->n, lu->n);
  }
  if (a->reads) brink_sparse_lu_release(lu); /* made anew when it is needed */
}

void brink_sparse_lu_relocate(brink_sparse_lu *lu, brink_relocation *moved) {
  BRINK_RELOCATE(moved, lu->starts);
  BRINK_RELOCATE(moved, lu->rows);
  BRINK_RELOCATE(moved, lu->values);
  BRINK_RELOCATE(moved, lu->chosen);
  BRINK_RELOCATE(moved, lu->dense);
  BRINK_RELOCATE(moved, lu->pivots);
  lu->klu = NULL; /* the original's */
}
