/* page_data.c: reads the data of a report back from its page. See page_data.h. */
#include "support/page_data.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

json *page_data(const char *page) {
  static const char before[] = "<script id=\"brink-data\" type=\"application/json\">";
  const char *start = strstr(page, before);
  if (start == NULL) return NULL;
  start += sizeof before - 1;
  const char *end = strstr(start, "</script>");
  if (end == NULL) return NULL;
  size_t length = (size_t)(end - start);
  char *text = malloc(length + 1);
  if (text == NULL) return NULL;
  memcpy(text, start, length);
  text[length] = '\0';
  const char *error;
  size_t offset;
  json *data = json_parse(text, &error, &offset);
  free(text);
  return data;
}

/* Base64 into bytes; their number. */
static size_t from_base64(const char *text, unsigned char *bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t count = 0;
  uint32_t group = 0;
  int bits = 0;
  for (; *text != '\0' && *text != '='; text++) {
    group = group << 6 | (uint32_t)(strchr(digits, *text) - digits);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[count++] = (unsigned char)(group >> bits);
  }
  return count;
}

static double number_at(const unsigned char *bytes, size_t size, size_t count, size_t k) {
  uint64_t bits = 0;
  for (size_t b = 0; b < size; b++) bits |= (uint64_t)bytes[b * count + k] << (8 * b);
  double wide;
  memcpy(&wide, &bits, sizeof wide);
  if (size == sizeof wide) return wide;
  uint32_t half = (uint32_t)bits;
  float narrow;
  memcpy(&narrow, &half, sizeof narrow);
  return (double)narrow;
}

double *page_numbers(const json *array, size_t *count) {
  const json *type = json_member(array, "type"), *data = json_member(array, "data");
  const json *number = json_member(array, "count");
  *count = 0;
  if (type == NULL || data == NULL || number == NULL) return NULL;
  size_t n = (size_t)number->number, size = strcmp(type->text, "f4") == 0 ? 4 : 8;
  double *values = malloc((n + 1) * sizeof *values);
  unsigned char *packed = malloc(strlen(data->text) + 1), *bytes = malloc(n * size + 1);
  uLongf length = (uLongf)(n * size + 1);
  bool fine = values != NULL && packed != NULL && bytes != NULL;
  if (fine && n > 0) {
    uLong packed_length = (uLong)from_base64(data->text, packed);
    fine = uncompress(bytes, &length, packed, packed_length) == Z_OK && length == n * size;
  }
  for (size_t k = 0; fine && k < n; k++) values[k] = number_at(bytes, size, n, k);
  free(packed);
  free(bytes);
  if (!fine) {
    free(values);
    return NULL;
  }
  *count = n;
  return values;
}

double *page_column(const json *data, const char *name, size_t *count) {
  const json *columns = json_member(data, "columns"), *values = json_member(data, "values");
  *count = 0;
  for (size_t k = 0; json_at(columns, k) != NULL; k++) {
    const json *found = json_member(json_at(columns, k), "name");
    if (found != NULL && strcmp(found->text, name) == 0)
      return page_numbers(json_at(values, k), count);
  }
  return NULL;
}
