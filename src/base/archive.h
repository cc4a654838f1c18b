/* archive.h: values to bytes and back, by one list for both directions.
 *
 * An object that can be saved has one function that goes through its fields:
 *
 *     void brink_thing_archive(brink_thing *thing, brink_archive *a) {
 *       brink_archive_mark(a, "thing");
 *       brink_archive_double(a, &thing->t);
 *       brink_archive_doubles(a, thing->x, thing->nx);
 *       brink_archive_count(a, &thing->used, thing->capacity);
 *     }
 *
 * The same list writes and reads, so that the two cannot drift apart. Bytes that are read are not believed: every length
 * is compared with what is left, every index with its limit, every bool and enum with its values. The first that is wrong
 * sets `failed`; from then on nothing is read, and what is asked for becomes zero. Pointers are never archived.
 *
 * Numbers are written as they are in memory: an archive belongs to one byte order (run/checkpoint.c says which). */
#ifndef BRINK_BASE_ARCHIVE_H
#define BRINK_BASE_ARCHIVE_H

#include "base/base.h"

typedef struct brink_archive {
  bool reads;
  bool failed;       /* damaged, or out of memory: … */
  bool memory;       /* … the second */
  const char *part;  /* what was being read, by its mark; for messages */
  brink_text text;   /* written so far */
  const char *bytes; /* to be read */
  size_t length, at;
} brink_archive;

void brink_archive_write(brink_archive *a, const brink_allocator *allocator);
void brink_archive_read(brink_archive *a, const void *bytes, size_t length);
void brink_archive_free(brink_archive *a);

/* What was read cannot be. */
void brink_archive_damaged(brink_archive *a);
void brink_archive_no_memory(brink_archive *a);
/* False, and damaged, unless it holds; only where it reads. */
bool brink_archive_check(brink_archive *a, bool holds);

/* The name of a part: read back, it must be the same. `name` lives as long as the archive. */
void brink_archive_mark(brink_archive *a, const char *name);

void brink_archive_bytes(brink_archive *a, void *bytes, size_t size);
void brink_archive_double(brink_archive *a, double *value);
void brink_archive_doubles(brink_archive *a, double *values, size_t count);
void brink_archive_bool(brink_archive *a, bool *value);
void brink_archive_bools(brink_archive *a, bool *values, size_t count);
void brink_archive_int(brink_archive *a, int *value, int least, int most);
void brink_archive_ints(brink_archive *a, int *values, size_t count); /* any */
void brink_archive_int64(brink_archive *a, int64_t *value);
void brink_archive_int64s(brink_archive *a, int64_t *values, size_t count);
void brink_archive_u32(brink_archive *a, uint32_t *value);
/* -1, 0, 1 */
void brink_archive_signs(brink_archive *a, signed char *values, size_t count);
/* At most `most`. */
void brink_archive_count(brink_archive *a, size_t *value, size_t most);
/* Less than `count`, or BRINK_NONE; 0 of nothing was never set. */
void brink_archive_index(brink_archive *a, size_t *value, size_t count);
/* `count` of them, all less than `limit`. */
void brink_archive_indices(brink_archive *a, size_t *values, size_t count, size_t limit);
/* An enum of `least` to `most`: its value is passed in, and what it becomes is returned. */
int brink_archive_enum(brink_archive *a, int value, int least, int most);
/* A value that follows from what the archive belongs to: it is written, and must be the same when it is read. */
void brink_archive_same(brink_archive *a, size_t value);

/* A text in room for `size` characters, with its end. */
void brink_archive_chars(brink_archive *a, char *text, size_t size);
/* A text that grows. */
void brink_archive_text(brink_archive *a, brink_text *text);
/* Before reading `count` items of at least `size` bytes: can there be so many? */
bool brink_archive_holds(brink_archive *a, size_t count, size_t size);

#endif
