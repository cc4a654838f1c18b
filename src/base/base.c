/* base.c: statuses, diagnostics, memory. */
#include "base/base.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *brink_version(void) {
  return "0.1.0";
}

const char *brink_status_text(brink_status status) {
  switch (status) {
#define BRINK_STATUS_CASE(name, value, text)                                                       \
  case name:                                                                                       \
    return text;
    BRINK_STATUS_LIST(BRINK_STATUS_CASE)
#undef BRINK_STATUS_CASE
  }
  return "unknown status";
}

void brink_diag_clear(brink_diag *diag) {
  if (diag == NULL) return;
  *diag = (brink_diag){
      .status = BRINK_OK, .t = NAN, .h = NAN, .state = BRINK_NONE, .guard = BRINK_NONE};
}

brink_status brink_diag_set(brink_diag *diag, brink_status status, const char *format, ...) {
  if (diag == NULL) return status;
  brink_diag_clear(diag);
  diag->status = status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(diag->message, sizeof diag->message, format, arguments);
  va_end(arguments);
  return status;
}

void *brink_allocate(const brink_allocator *allocator, size_t count, size_t size) {
  if (size != 0 && count > SIZE_MAX / 2 / size) return NULL;
  size_t bytes = count * size == 0 ? 1 : count * size;
  if (allocator == NULL || allocator->allocate == NULL) return calloc(1, bytes);
  void *memory = allocator->allocate(bytes, allocator->user);
  if (memory != NULL) memset(memory, 0, bytes);
  return memory;
}

void brink_release(const brink_allocator *allocator, void *memory, size_t count, size_t size) {
  if (memory == NULL) return;
  size_t bytes = count * size == 0 ? 1 : count * size;
  if (allocator == NULL || allocator->release == NULL)
    free(memory);
  else
    allocator->release(memory, bytes, allocator->user);
}

/* ---- arena ---- */

/* Big enough for any object, and for SIMD loads of doubles. */
#define ARENA_ALIGN ((size_t)64)
#define ARENA_BLOCK ((size_t)16384)

struct brink_arena_block {
  brink_arena_block *next;
  size_t size; /* of the whole block, header included */
};

void brink_arena_init(brink_arena *arena, const brink_allocator *allocator) {
  *arena = (brink_arena){0};
  if (allocator != NULL) arena->allocator = *allocator;
}

void brink_arena_free(brink_arena *arena) {
  while (arena->blocks != NULL) {
    brink_arena_block *block = arena->blocks;
    arena->blocks = block->next;
    brink_release(&arena->allocator, block, 1, block->size);
  }
  arena->used = arena->size = 0;
}

static bool add_block(brink_arena *arena, size_t bytes) {
  size_t header = ARENA_ALIGN + sizeof(brink_arena_block);
  size_t size = bytes > ARENA_BLOCK - header ? bytes + header : ARENA_BLOCK;
  brink_arena_block *block = brink_allocate(&arena->allocator, 1, size);
  if (block == NULL) return false;
  *block = (brink_arena_block){.next = arena->blocks, .size = size};
  arena->blocks = block;
  arena->size = size;
  arena->used = sizeof *block;
  return true;
}

/* The next aligned place in the newest block. */
static size_t aligned_offset(const brink_arena *arena) {
  uintptr_t base = (uintptr_t)arena->blocks;
  uintptr_t place = (base + arena->used + ARENA_ALIGN - 1) & ~(uintptr_t)(ARENA_ALIGN - 1);
  return (size_t)(place - base);
}

void *brink_arena_take(brink_arena *arena, size_t count, size_t size) {
  if (size != 0 && count > SIZE_MAX / 4 / size) return NULL;
  size_t bytes = count * size;
  if (arena->blocks == NULL || aligned_offset(arena) + bytes > arena->size) {
    if (!add_block(arena, bytes)) return NULL;
  }
  size_t offset = aligned_offset(arena);
  arena->used = offset + bytes;
  return (char *)arena->blocks + offset;
}

void *brink_arena_copy(brink_arena *arena, const void *from, size_t count, size_t size) {
  void *to = brink_arena_take(arena, count, size);
  if (to != NULL && from != NULL && count * size > 0) memcpy(to, from, count * size);
  return to;
}

char *brink_arena_text(brink_arena *arena, const char *text) {
  return brink_arena_copy(arena, text, strlen(text) + 1, 1);
}
