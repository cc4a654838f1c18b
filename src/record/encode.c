/* encode.c: arrays of numbers as text for a page. See encode.h. */
#include "record/encode.h"

#include <string.h>

#ifdef BRINK_WITH_ZLIB
#include <zlib.h>
#endif

static size_t size_of(brink_element element) {
  return element == BRINK_ELEMENT_F4 ? sizeof(float) : sizeof(double);
}

/* The bytes of a number, lowest first, on any machine. */
static uint64_t bits_of(brink_element element, double value) {
  uint64_t bits = 0;
  if (element == BRINK_ELEMENT_F4) {
    float narrow = (float)value;
    uint32_t half;
    memcpy(&half, &narrow, sizeof half);
    bits = half;
  } else {
    memcpy(&bits, &value, sizeof bits);
  }
  return bits;
}

static void shuffle(brink_element element, const double *values, size_t count, size_t stride,
                    unsigned char *bytes) {
  size_t size = size_of(element);
  for (size_t k = 0; k < count; k++) {
    uint64_t bits = bits_of(element, values[k * stride]);
    for (size_t b = 0; b < size; b++) bytes[b * count + k] = (unsigned char)(bits >> (8 * b));
  }
}

static void append_base64(brink_text *text, const unsigned char *bytes, size_t count) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char buffer[4 * 256];
  size_t used = 0;
  for (size_t k = 0; k < count; k += 3) {
    size_t left = count - k;
    uint32_t group = (uint32_t)bytes[k] << 16;
    if (left > 1) group |= (uint32_t)bytes[k + 1] << 8;
    if (left > 2) group |= bytes[k + 2];
    buffer[used++] = digits[group >> 18];
    buffer[used++] = digits[(group >> 12) & 63];
    buffer[used++] = left > 1 ? digits[(group >> 6) & 63] : '=';
    buffer[used++] = left > 2 ? digits[group & 63] : '=';
    if (used == sizeof buffer) {
      brink_text_append(text, buffer, used);
      used = 0;
    }
  }
  brink_text_append(text, buffer, used);
}

/* ---- deflated bytes (RFC 1950) ---- */

#ifdef BRINK_WITH_ZLIB

static size_t deflated_bound(size_t size) {
  return (size_t)compressBound((uLong)size);
}

static bool deflate_bytes(const unsigned char *plain, size_t size, unsigned char *packed,
                          size_t *length) {
  uLongf written = (uLongf)*length;
  bool fine = compress2(packed, &written, plain, (uLong)size, Z_DEFAULT_COMPRESSION) == Z_OK;
  *length = (size_t)written;
  return fine;
}

#else /* without zlib: blocks that are stored as they are (RFC 1951, 3.2.4) */

enum { STORED = 65535, HEADER = 5 };

static size_t deflated_bound(size_t size) {
  return size + (size / STORED + 1) * HEADER + 6;
}

static void put_adler32(const unsigned char *plain, size_t size, unsigned char *to) {
  uint32_t a = 1, b = 0;
  for (size_t k = 0; k < size; k++) {
    a = (a + plain[k]) % 65521;
    b = (b + a) % 65521;
  }
  const unsigned char sum[] = {(unsigned char)(b >> 8), (unsigned char)b, (unsigned char)(a >> 8),
                               (unsigned char)a};
  memcpy(to, sum, sizeof sum);
}

static bool deflate_bytes(const unsigned char *plain, size_t size, unsigned char *packed,
                          size_t *length) {
  unsigned char *to = packed;
  *to++ = 0x78;
  *to++ = 0x01;
  for (size_t k = 0; k < size; k += STORED) {
    size_t block = size - k < STORED ? size - k : STORED;
    *to++ = k + block == size; /* the last one? */
    *to++ = (unsigned char)block;
    *to++ = (unsigned char)(block >> 8);
    *to++ = (unsigned char)~block;
    *to++ = (unsigned char)(~block >> 8);
    memcpy(to, plain + k, block);
    to += block;
  }
  put_adler32(plain, size, to);
  *length = (size_t)(to - packed) + 4;
  return true;
}

#endif

/* Shuffles, deflates and appends; false: out of memory. */
static bool append_packed(brink_text *text, brink_element element, const double *values,
                          size_t count, size_t stride) {
  size_t size = count * size_of(element), bound = deflated_bound(size), length = bound;
  unsigned char *plain = brink_allocate(&text->allocator, size, 1);
  unsigned char *packed = brink_allocate(&text->allocator, bound, 1);
  bool fine = plain != NULL && packed != NULL;
  if (fine) {
    shuffle(element, values, count, stride, plain);
    fine = deflate_bytes(plain, size, packed, &length);
  }
  if (fine) append_base64(text, packed, length);
  brink_release(&text->allocator, plain, size, 1);
  brink_release(&text->allocator, packed, bound, 1);
  return fine;
}

void brink_encode_array(brink_text *text, brink_element element, const double *values, size_t count,
                        size_t stride) {
  brink_text_add(text, "{\"type\":\"%s\",\"count\":%zu,\"data\":\"",
                 element == BRINK_ELEMENT_F4 ? "f4" : "f8", count);
  if (count > 0 && !append_packed(text, element, values, count, stride)) text->failed = true;
  brink_text_add(text, "\"}");
}
