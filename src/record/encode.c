/* encode.c: arrays of numbers as text for a page. See encode.h. */
#include "record/encode.h"

#include <string.h>
#include <zlib.h>

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

/* Shuffles, deflates and appends; false: out of memory. */
static bool append_packed(brink_text *text, brink_element element, const double *values,
                          size_t count, size_t stride) {
  size_t size = count * size_of(element);
  uLong bound = compressBound((uLong)size);
  unsigned char *plain = brink_allocate(&text->allocator, size, 1);
  unsigned char *packed = brink_allocate(&text->allocator, bound, 1);
  uLongf length = bound;
  bool fine = plain != NULL && packed != NULL;
  if (fine) {
    shuffle(element, values, count, stride, plain);
    fine = compress2(packed, &length, plain, (uLong)size, Z_DEFAULT_COMPRESSION) == Z_OK;
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
