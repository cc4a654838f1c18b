/* vector.h: numbers of several runs at once, one in each lane of a vector: types of GCC and Clang, no intrinsics.
 *
 * Only for files that are compiled once for each width (CMakeLists.txt): BRINK_LANES is 4 (AVX2) or 8 (AVX-512) there.
 * Operations are those of single numbers, lane by lane: the same bits, as nothing is contracted. */
#ifndef BRINK_NUM_VECTOR_H
#define BRINK_NUM_VECTOR_H

#include <stddef.h>
#include <stdint.h>

typedef double brink_v __attribute__((vector_size(8 * BRINK_LANES), may_alias));
typedef int64_t brink_mask __attribute__((vector_size(8 * BRINK_LANES), may_alias));
typedef double brink_loose __attribute__((vector_size(8 * BRINK_LANES), may_alias, aligned(8)));

static inline brink_v v_all(double a) {
  return a - (brink_v){0.0}; /* a - 0 is a, also where that is -0 */
}

/* From and to any place. */
static inline brink_v v_load(const double *a) {
  return *(const brink_loose *)a;
}

static inline void v_store(double *to, brink_v a) {
  *(brink_loose *)to = a;
}

static inline brink_v v_abs(brink_v a) {
  return (brink_v)((brink_mask)a & INT64_MAX);
}

/* a where the mask says so, else b. */
static inline brink_v v_pick(brink_mask which, brink_v a, brink_v b) {
  return (brink_v)((which & (brink_mask)a) | (~which & (brink_mask)b));
}

/* The larger one; a if they are equal. Of what is not NaN, as fmax. */
static inline brink_v v_max(brink_v a, brink_v b) {
  return v_pick(b > a, b, a);
}

static inline brink_v v_min(brink_v a, brink_v b) {
  return v_pick(b < a, b, a);
}

/* One bit for each lane. */
static inline unsigned v_bits(brink_mask which) {
  unsigned bits = 0;
  for (unsigned l = 0; l < BRINK_LANES; l++) bits |= (unsigned)(which[l] & 1) << l;
  return bits;
}

/* floor(a), of what is small enough. */
static inline brink_v v_floor(brink_v a) {
  const double large = 0x1.8p52;
  brink_v nearest = (a + large) - large;
  return v_pick(nearest > a, nearest - 1.0, nearest);
}

/* The numbers at the same place of each run's array. */
static inline brink_v v_gather(const double *const *from, size_t place) {
  brink_v a;
  for (unsigned l = 0; l < BRINK_LANES; l++) a[l] = from[l][place];
  return a;
}

/* Rows become columns: vector k has place k of each row, and the other way round. */
static inline void v_transpose(const brink_v in[BRINK_LANES], brink_v out[BRINK_LANES]) {
#if BRINK_LANES == 4
  brink_v a = __builtin_shufflevector(in[0], in[1], 0, 4, 2, 6);
  brink_v b = __builtin_shufflevector(in[0], in[1], 1, 5, 3, 7);
  brink_v c = __builtin_shufflevector(in[2], in[3], 0, 4, 2, 6);
  brink_v d = __builtin_shufflevector(in[2], in[3], 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  out[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  out[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
#else
  brink_v a[8], b[8];
  for (int k = 0; k < 8; k += 2) {
    a[k] = __builtin_shufflevector(in[k], in[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[k + 1] = __builtin_shufflevector(in[k], in[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int k = 0; k < 8; k += k % 4 == 1 ? 3 : 1) {
    b[k] = __builtin_shufflevector(a[k], a[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    b[k + 2] = __builtin_shufflevector(a[k], a[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int k = 0; k < 4; k++) {
    out[k] = __builtin_shufflevector(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    out[k + 4] = __builtin_shufflevector(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#endif
}

/* `count` numbers of each run's array as vectors, and vectors to each run's array. */
static inline void v_gather_rows(const double *const *from, size_t count, brink_v *to) {
  size_t k = 0;
  for (; k + BRINK_LANES <= count; k += BRINK_LANES) {
    brink_v rows[BRINK_LANES];
    for (int l = 0; l < BRINK_LANES; l++) rows[l] = v_load(from[l] + k);
    v_transpose(rows, to + k);
  }
  for (; k < count; k++) to[k] = v_gather(from, k);
}

static inline void v_spread_rows(const brink_v *from, size_t count, double *const *to) {
  size_t k = 0;
  for (; k + BRINK_LANES <= count; k += BRINK_LANES) {
    brink_v rows[BRINK_LANES];
    v_transpose(from + k, rows);
    for (int l = 0; l < BRINK_LANES; l++) v_store(to[l] + k, rows[l]);
  }
  for (; k < count; k++) {
    for (int l = 0; l < BRINK_LANES; l++) to[l][k] = from[k][l];
  }
}

#endif
