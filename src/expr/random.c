/* random.c: random numbers by counting.
 *
 * Problem: draws that depend on the seed, the stream and the number of the draw only, so that
 * neither the order of evaluation nor the number of threads changes a result.
 * Method: Philox 4x32 with 10 rounds, a bijection of 128-bit counters keyed by 64 bits: J. K.
 * Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3"
 * (SC11, 2011), section 3.3. The key is the seed; the counter is the draw (low half) and the stream
 * (high half), each as the bits of its double, so that any number is a stream of its own. */
#include "expr/graph.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 10 };

/* The multipliers and the Weyl increments of the key (golden ratio, sqrt(3) - 1) of the paper. */
#define M0 UINT32_C(0xD2511F53)
#define M1 UINT32_C(0xCD9E8D57)
#define W0 UINT32_C(0x9E3779B9)
#define W1 UINT32_C(0xBB67AE85)

void brink_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  uint32_t x[4] = {counter[0], counter[1], counter[2], counter[3]};
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < ROUNDS; round++) {
    uint64_t left = (uint64_t)M0 * x[0], right = (uint64_t)M1 * x[2];
    uint32_t next[4] = {(uint32_t)(right >> 32) ^ x[1] ^ k0, (uint32_t)right,
                        (uint32_t)(left >> 32) ^ x[3] ^ k1, (uint32_t)left};
    memcpy(x, next, sizeof x);
    k0 += W0;
    k1 += W1;
  }
  memcpy(out, x, sizeof x);
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  value += 0.0; /* -0 and 0 are one number */
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

double brink_random(uint64_t seed, double stream, double draw) {
  uint64_t low = bits_of(draw), high = bits_of(stream);
  const uint32_t counter[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high,
                               (uint32_t)(high >> 32)};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  uint32_t word[4];
  brink_philox(counter, key, word);
  uint64_t z = (uint64_t)word[1] << 32 | word[0];
  /* The middles of 2^52 equal intervals: 53 bits, so exact, and neither 0 nor 1. */
  return ((double)(z >> 12) + 0.5) * 0x1p-52;
}

/* ---- Poisson's distribution ---- */

/* Problem: a draw from one uniform number, so that it takes one count of its stream whatever it gives.
 * Method: inversion by search. Probabilities relative to that of the mode follow from p(n+1)/p(n) = mean/(n+1), so
 * neither exp nor lgamma is needed, and every machine gives the same numbers. They are added up over all that are not
 * negligible; u is a part of that sum, and is looked for from the nearer end. Time grows with the root of the mean. */

/* Relative to the mode: less than one part in 2^53 of the sum, with all that lie beyond. */
static const double NEGLIGIBLE = 1e-20;

double brink_poisson(double u, double mean) {
  if (!(mean >= 0.0 && mean <= BRINK_POISSON_LIMIT) || isnan(u)) return (double)NAN;
  if (mean == 0.0) return 0.0;
  const double mode = floor(mean);
  double first = mode, last = mode, low = 1.0, high = 1.0, total = 1.0;
  for (; first > 0.0 && low > NEGLIGIBLE; total += low) low *= first-- / mean;
  for (; high > NEGLIGIBLE; total += high) high *= mean / ++last;
  if (u <=
      0.5) { /* from the left: until what has been passed, n included, is as much as is wanted */
    double n = first;
    for (double sum = low; n < last && sum < u * total; sum += low) low *= mean / ++n;
    return n;
  }
  double n = last; /* from the right: while what lies at and beyond n is not too much */
  for (double sum = high; n > first && sum <= (1.0 - u) * total; sum += high) high *= n-- / mean;
  return n;
}
