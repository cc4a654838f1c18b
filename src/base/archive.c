/* archive.c: values to bytes and back. See archive.h. */
#include "base/archive.h"

#include <string.h>

void brink_archive_write(brink_archive *a, const brink_allocator *allocator) {
  *a = (brink_archive){.part = ""};
  if (allocator != NULL) a->text.allocator = *allocator;
}

void brink_archive_read(brink_archive *a, const void *bytes, size_t length) {
  *a = (brink_archive){.reads = true, .part = "", .bytes = bytes, .length = length};
}

void brink_archive_free(brink_archive *a) {
  brink_text_free(&a->text);
}

void brink_archive_damaged(brink_archive *a) {
  a->failed = true;
}

void brink_archive_no_memory(brink_archive *a) {
  a->failed = a->memory = true;
}

bool brink_archive_check(brink_archive *a, bool holds) {
  if (a->reads && !holds) brink_archive_damaged(a);
  return !a->failed;
}

void brink_archive_bytes(brink_archive *a, void *bytes, size_t size) {
  if (size == 0) return;
  if (!a->reads) {
    brink_text_append(&a->text, bytes, size);
    if (a->text.failed) brink_archive_no_memory(a);
    return;
  }
  if (a->failed || size > a->length - a->at) {
    brink_archive_damaged(a);
    memset(bytes, 0, size);
    return;
  }
  memcpy(bytes, a->bytes + a->at, size);
  a->at += size;
}

void brink_archive_mark(brink_archive *a, const char *name) {
  char mark[8] = {0}, found[8];
  if (a->failed) return;
  memcpy(mark, name, strnlen(name, sizeof mark));
  memcpy(found, mark, sizeof found);
  a->part = name;
  brink_archive_bytes(a, found, sizeof found);
  brink_archive_check(a, memcmp(found, mark, sizeof mark) == 0);
}

void brink_archive_doubles(brink_archive *a, double *values, size_t count) {
  if (count > 0) brink_archive_bytes(a, values, count * sizeof *values);
}

void brink_archive_double(brink_archive *a, double *value) {
  brink_archive_doubles(a, value, 1);
}

void brink_archive_bools(brink_archive *a, bool *values, size_t count) {
  for (size_t k = 0; k < count; k++) {
    unsigned char byte = !a->reads && values[k];
    brink_archive_bytes(a, &byte, 1);
    brink_archive_check(a, byte <= 1);
    if (a->reads) values[k] = byte == 1;
  }
}

void brink_archive_bool(brink_archive *a, bool *value) {
  brink_archive_bools(a, value, 1);
}

void brink_archive_ints(brink_archive *a, int *values, size_t count) {
  for (size_t k = 0; k < count; k++) {
    int32_t number = a->reads ? 0 : (int32_t)values[k];
    brink_archive_bytes(a, &number, sizeof number);
    if (a->reads) values[k] = (int)number;
  }
}

int brink_archive_enum(brink_archive *a, int value, int least, int most) {
  brink_archive_ints(a, &value, 1);
  return brink_archive_check(a, value >= least && value <= most) ? value : least;
}

void brink_archive_int(brink_archive *a, int *value, int least, int most) {
  *value = brink_archive_enum(a, *value, least, most);
}

void brink_archive_int64s(brink_archive *a, int64_t *values, size_t count) {
  if (count > 0) brink_archive_bytes(a, values, count * sizeof *values);
}

void brink_archive_int64(brink_archive *a, int64_t *value) {
  brink_archive_int64s(a, value, 1);
}

void brink_archive_u32(brink_archive *a, uint32_t *value) {
  brink_archive_bytes(a, value, sizeof *value);
}

void brink_archive_signs(brink_archive *a, signed char *values, size_t count) {
  if (count > 0) brink_archive_bytes(a, values, count);
  for (size_t k = 0; a->reads && k < count; k++) {
    if (!brink_archive_check(a, values[k] >= -1 && values[k] <= 1)) values[k] = 0;
  }
}

static size_t number(brink_archive *a, size_t value) {
  uint64_t wide = value;
  brink_archive_bytes(a, &wide, sizeof wide);
  brink_archive_check(a, wide <= SIZE_MAX);
  return a->failed ? 0 : (size_t)wide;
}

void brink_archive_count(brink_archive *a, size_t *value, size_t most) {
  size_t found = number(a, *value);
  if (a->reads) *value = brink_archive_check(a, found <= most) ? found : 0;
}

void brink_archive_index(brink_archive *a, size_t *value, size_t count) {
  size_t found = number(a, *value);
  bool fits = found == BRINK_NONE || found < count || found == 0;
  if (a->reads) *value = brink_archive_check(a, fits) ? found : BRINK_NONE;
}

void brink_archive_indices(brink_archive *a, size_t *values, size_t count, size_t limit) {
  for (size_t k = 0; k < count; k++) {
    size_t found = number(a, values[k]);
    if (a->reads) values[k] = brink_archive_check(a, found < limit) ? found : 0;
  }
}

void brink_archive_same(brink_archive *a, size_t value) {
  size_t found = number(a, value);
  brink_archive_check(a, found == value);
}

void brink_archive_chars(brink_archive *a, char *text, size_t size) {
  size_t length = a->reads ? 0 : strnlen(text, size - 1);
  brink_archive_count(a, &length, size - 1);
  brink_archive_bytes(a, text, length);
  if (a->reads) text[length] = '\0';
}

bool brink_archive_holds(brink_archive *a, size_t count, size_t size) {
  return brink_archive_check(a, size == 0 || count <= (a->length - a->at) / size);
}

void brink_archive_text(brink_archive *a, brink_text *text) {
  size_t length = a->reads ? 0 : text->length;
  brink_archive_count(a, &length, SIZE_MAX / 4);
  if (!a->reads) {
    if (text->failed) brink_archive_no_memory(a);
    brink_archive_bytes(a, text->data, length);
    return;
  }
  if (!brink_archive_holds(a, length, 1)) return;
  text->length = 0;
  brink_text_append(text, a->bytes + a->at, length);
  if (text->failed) brink_archive_no_memory(a);
  a->at += length;
}
