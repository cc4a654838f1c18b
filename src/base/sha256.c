/* sha256.c: SHA-256 as FIPS 180-4 (2015) describes it in section 6.2, with its letters. */
#include "base/sha256.h"

#include <string.h>

/* The fractional parts of the cube roots of the first 64 primes (section 4.2.2). */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotr(uint32_t x, int n) {
  return x >> n | x << (32 - n);
}

static void schedule(const unsigned char *block, uint32_t W[64]) {
  for (int t = 0; t < 16; t++)
    W[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
           (uint32_t)block[4 * t + 2] << 8 | (uint32_t)block[4 * t + 3];
  for (int t = 16; t < 64; t++) {
    uint32_t s0 = rotr(W[t - 15], 7) ^ rotr(W[t - 15], 18) ^ W[t - 15] >> 3;
    uint32_t s1 = rotr(W[t - 2], 17) ^ rotr(W[t - 2], 19) ^ W[t - 2] >> 10;
    W[t] = s1 + W[t - 7] + s0 + W[t - 16];
  }
}

static void compress(uint32_t H[8], const unsigned char *block) {
  uint32_t W[64], v[8];
  schedule(block, W);
  memcpy(v, H, sizeof v);
  for (int t = 0; t < 64; t++) {
    uint32_t e = v[4], a = v[0];
    uint32_t T1 =
        v[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + K[t] + W[t];
    uint32_t T2 =
        (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += T1;
    v[0] = T1 + T2;
  }
  for (int k = 0; k < 8; k++) H[k] += v[k];
}

void brink_sha256_init(brink_sha256 *hash) {
  *hash = (brink_sha256){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                               0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void brink_sha256_add(brink_sha256 *hash, const void *data, size_t length) {
  const unsigned char *bytes = data;
  size_t used = (size_t)(hash->length % 64);
  hash->length += length;
  if (used > 0) {
    size_t part = length < 64 - used ? length : 64 - used;
    if (part > 0) memcpy(hash->block + used, bytes, part);
    bytes += part;
    length -= part;
    if (used + part < 64) return;
    compress(hash->h, hash->block);
  }
  for (; length >= 64; bytes += 64, length -= 64) compress(hash->h, bytes);
  if (length > 0) memcpy(hash->block, bytes, length);
}

void brink_sha256_finish(brink_sha256 *hash, unsigned char digest[BRINK_SHA256_BYTES]) {
  static const unsigned char padding[64] = {0x80};
  uint64_t bits = hash->length * 8;
  unsigned char length[8];
  size_t used = (size_t)(hash->length % 64);
  brink_sha256_add(hash, padding, used < 56 ? 56 - used : 120 - used);
  for (int k = 0; k < 8; k++) length[k] = (unsigned char)(bits >> (56 - 8 * k));
  brink_sha256_add(hash, length, sizeof length);
  for (int k = 0; k < BRINK_SHA256_BYTES; k++)
    digest[k] = (unsigned char)(hash->h[k / 4] >> (24 - 8 * (k % 4)));
}

void brink_sha256_text(const unsigned char digest[BRINK_SHA256_BYTES],
                       char text[BRINK_SHA256_TEXT]) {
  static const char digits[] = "0123456789abcdef";
  for (int k = 0; k < BRINK_SHA256_BYTES; k++) {
    text[2 * k] = digits[digest[k] >> 4];
    text[2 * k + 1] = digits[digest[k] & 15];
  }
  text[2 * BRINK_SHA256_BYTES] = '\0';
}

void brink_sha256_finish_text(brink_sha256 *hash, char text[BRINK_SHA256_TEXT]) {
  unsigned char digest[BRINK_SHA256_BYTES];
  brink_sha256_finish(hash, digest);
  brink_sha256_text(digest, text);
}
