/* counting.c: see counting.h. Each block starts with its size, so that a release can be checked. */
#include "support/counting.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef union header {
  size_t size;
  max_align_t align;
} header;

static void *allocate(size_t size, void *user) {
  counting *state = user;
  state->calls++;
  bool fails = state->fail_at > 0 &&
               (state->fail_on ? state->calls >= state->fail_at : state->calls == state->fail_at);
  if (fails) return NULL;
  header *block = malloc(sizeof *block + size);
  if (block == NULL) return NULL;
  block->size = size;
  memset(block + 1, 0xa5, size); /* whoever relies on zeros must write them */
  state->live++;
  state->bytes += (long)size;
  return block + 1;
}

static void release(void *memory, size_t size, void *user) {
  counting *state = user;
  if (memory == NULL) return;
  header *block = (header *)memory - 1;
  if (block->size != size) state->mismatch++;
  state->live--;
  state->bytes -= (long)block->size;
  free(block);
}

brink_allocator counting_allocator(counting *state) {
  return (brink_allocator){.allocate = allocate, .release = release, .user = state};
}
