/* sobol.c: Sobol' points, scrambled. See sobol.h.
 *
 * Problem: points that fill a cube more evenly than independent draws, any of them by its number alone, and different ones
 * for each seed.
 * Method: digital sequences in base 2 with the direction numbers of S. Joe and F. Y. Kuo, "Constructing Sobol sequences
 * with better two-dimensional projections", SIAM J. Sci. Comput. 30 (2008) 2635-2654 (their table of 21201 dimensions,
 * criterion D(6); here the first 53). Each dimension is multiplied by a random lower triangular matrix with ones on its
 * diagonal, and shifted: J. Matousek, "On the L2-discrepancy for anchored boxes", J. Complexity 14 (1998) 527-556,
 * section 4. That keeps what makes the sequence even: every elementary interval has its share of the points. No point is at a
 * corner, so that the normal distribution has a value at each.
 * Deviation: point n is made from the bits of n, not of its Gray code: the first 2^k points are the same set. */
#include "sweep/sobol.h"

#include "expr/graph.h"

enum { DEGREE_MOST = 8 };

/* Degree and inner coefficients of the primitive polynomial, and the first direction numbers. */
typedef struct row {
  unsigned char degree, inner;
  unsigned char m[DEGREE_MOST];
} row;

static const row rows[BRINK_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
    {8, 38, {1, 3, 1, 11, 27, 43, 71, 9}},
    {8, 47, {1, 1, 7, 15, 21, 11, 81, 45}},
    {8, 49, {1, 3, 7, 3, 25, 31, 65, 79}},
    {8, 50, {1, 3, 1, 1, 19, 11, 3, 205}},
    {8, 52, {1, 1, 5, 9, 19, 21, 29, 157}},
    {8, 56, {1, 3, 7, 11, 1, 33, 89, 185}},
    {8, 67, {1, 3, 3, 3, 15, 9, 79, 71}},
    {8, 70, {1, 3, 7, 11, 15, 39, 119, 27}},
    {8, 84, {1, 1, 3, 1, 11, 31, 97, 225}},
    {8, 97, {1, 1, 1, 3, 23, 43, 57, 177}},
    {8, 103, {1, 3, 7, 7, 17, 17, 37, 71}},
    {8, 115, {1, 3, 1, 5, 27, 63, 123, 213}},
    {8, 122, {1, 1, 3, 5, 11, 43, 53, 133}},
};

/* v_j = m_j 2^(32-j); for j > s: v_j = a_1 v_(j-1) + … + a_(s-1) v_(j-s+1) + v_(j-s) + v_(j-s)/2^s, with + modulo 2. */
void brink_sobol_directions(size_t dimension, uint32_t v[BRINK_SOBOL_BITS]) {
  if (dimension == 0) {
    for (size_t j = 0; j < BRINK_SOBOL_BITS; j++) v[j] = UINT32_C(1) << (31 - j);
    return;
  }
  const row *r = &rows[dimension - 1];
  size_t s = r->degree;
  for (size_t j = 0; j < s; j++) v[j] = (uint32_t)r->m[j] << (31 - j);
  for (size_t j = s; j < BRINK_SOBOL_BITS; j++) {
    v[j] = v[j - s] ^ (v[j - s] >> s);
    for (size_t k = 1; k < s; k++) {
      if ((r->inner >> (s - 1 - k) & 1u) != 0) v[j] ^= v[j - k];
    }
  }
}

/* Row i of the random matrix: ones and zeros above bit 31 - i, and a one there. */
static uint32_t matrix_row(uint64_t seed, size_t dimension, uint32_t i, uint32_t *shift) {
  const uint32_t counter[4] = {i, (uint32_t)dimension, UINT32_C(0x736f626f), UINT32_C(0x6c27)};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  uint32_t word[4];
  brink_philox(counter, key, word);
  *shift = word[1];
  uint32_t here = UINT32_C(1) << (31 - i);
  return (word[0] & ~(here | (here - 1))) | here;
}

static uint32_t parity(uint32_t x) {
  x ^= x >> 16;
  x ^= x >> 8;
  x ^= x >> 4;
  x ^= x >> 2;
  x ^= x >> 1;
  return x & 1u;
}

static void scramble(brink_sobol *sobol, size_t d, uint64_t seed) {
  uint32_t plain[BRINK_SOBOL_BITS];
  brink_sobol_directions(d, plain);
  for (uint32_t i = 0; i < BRINK_SOBOL_BITS; i++) {
    uint32_t shift, matrix = matrix_row(seed, d, i, &shift);
    if (i == 0) sobol->shift[d] = shift;
    for (size_t j = 0; j < BRINK_SOBOL_BITS; j++)
      sobol->direction[d][j] |= parity(matrix & plain[j]) << (31 - i);
  }
}

bool brink_sobol_init(brink_sobol *sobol, brink_arena *arena, size_t dimensions, uint64_t seed) {
  *sobol = (brink_sobol){.dimensions = dimensions};
  sobol->direction = brink_arena_take(arena, dimensions, sizeof *sobol->direction);
  sobol->shift = brink_arena_take(arena, dimensions, sizeof *sobol->shift);
  if (arena->failed) return false;
  for (size_t d = 0; d < dimensions; d++) scramble(sobol, d, seed);
  return true;
}

double brink_sobol_at(const brink_sobol *sobol, uint64_t number, size_t dimension) {
  uint32_t x = sobol->shift[dimension];
  const uint32_t *v = sobol->direction[dimension];
  for (size_t j = 0; number != 0 && j < BRINK_SOBOL_BITS; j++, number >>= 1) {
    if ((number & 1u) != 0) x ^= v[j];
  }
  return ((double)x + 0.5) * 0x1p-32; /* the middle of its cell */
}
