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

/* The numbers at the same place of each run's array. */
static inline brink_v v_gather(const double *const *from, size_t place) {
  brink_v a;
  for (unsigned l = 0; l < BRINK_LANES; l++) a[l] = from[l][place];
  return a;
}

#endif
