/* sha256.h: the hash of FIPS 180-4, for keys that must not meet by chance or by design. */
#ifndef BRINK_BASE_SHA256_H
#define BRINK_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { BRINK_SHA256_BYTES = 32, BRINK_SHA256_TEXT = 65 };

typedef struct brink_sha256 {
  uint32_t h[8];
  uint64_t length; /* bytes so far */
  unsigned char block[64];
} brink_sha256;

void brink_sha256_init(brink_sha256 *hash);
void brink_sha256_add(brink_sha256 *hash, const void *data, size_t length);
void brink_sha256_finish(brink_sha256 *hash, unsigned char digest[BRINK_SHA256_BYTES]);

/* Lower-case hexadecimal. */
void brink_sha256_text(const unsigned char digest[BRINK_SHA256_BYTES],
                       char text[BRINK_SHA256_TEXT]);
/* Both: the end of a hash, as text. */
void brink_sha256_finish_text(brink_sha256 *hash, char text[BRINK_SHA256_TEXT]);

#endif
