/* base.c: statuses, diagnostics, memory. */
#include "base/base.h"
#include "base/show.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *brink_version(void) {
  return BRINK_VERSION;
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

const char *brink_reason_name(brink_reason reason) {
  switch (reason) {
#define BRINK_REASON_CASE(name, slug, status)                                                      \
  case name:                                                                                       \
    return slug;
    BRINK_REASON_LIST(BRINK_REASON_CASE)
#undef BRINK_REASON_CASE
  }
  return "unknown";
}

brink_status brink_reason_status(brink_reason reason) {
  switch (reason) {
#define BRINK_REASON_CASE(name, slug, status)                                                      \
  case name:                                                                                       \
    return status;
    BRINK_REASON_LIST(BRINK_REASON_CASE)
#undef BRINK_REASON_CASE
  }
  return BRINK_OK;
}

/* The texts are ended, not filled with zeros: this is called at every step. */
void brink_diag_clear(brink_diag *diag) {
  if (diag == NULL) return;
  diag->status = BRINK_OK;
  diag->reason = BRINK_REASON_NONE;
  diag->t = diag->h = diag->value = diag->limit = (double)NAN;
  diag->state = diag->parameter = diag->guard = diag->clock = BRINK_NONE;
  diag->nguards = diag->nequations = diag->nstates = 0;
  diag->count = 0;
  for (int k = 0; k < BRINK_DIAG_GUARDS; k++) diag->guards[k] = BRINK_NONE;
  for (int k = 0; k < 2; k++) diag->population[k] = diag->agent[k] = BRINK_NONE;
  diag->text[0] = diag->message[0] = '\0';
}

/* The reason of what is refused before a run. */
static brink_reason plain_reason(brink_status status) {
  return status == BRINK_ERR_ARGUMENT      ? BRINK_REASON_ARGUMENT
         : status == BRINK_ERR_MEMORY      ? BRINK_REASON_MEMORY
         : status == BRINK_ERR_UNSUPPORTED ? BRINK_REASON_UNSUPPORTED
                                           : BRINK_REASON_NONE;
}

#if defined(__GNUC__)
__attribute__((format(printf, 4, 0)))
#endif
static void
refuse(brink_diag *diag, brink_status status, brink_reason reason, const char *format,
       va_list arguments) {
  brink_diag_clear(diag);
  diag->status = status;
  diag->reason = reason;
  brink_format_short(diag->message, sizeof diag->message, format, arguments);
  brink_show_in_place(diag->message, sizeof diag->message); /* it may quote what others wrote */
}

brink_status brink_diag_set(brink_diag *diag, brink_status status, const char *format, ...) {
  if (diag == NULL) return status;
  va_list arguments;
  va_start(arguments, format);
  refuse(diag, status, plain_reason(status), format, arguments);
  va_end(arguments);
  return status;
}

brink_status brink_diag_refuse(brink_diag *diag, brink_reason reason, const char *format, ...) {
  brink_status status = brink_reason_status(reason);
  if (diag == NULL) return status;
  va_list arguments;
  va_start(arguments, format);
  refuse(diag, status, reason, format, arguments);
  va_end(arguments);
  return status;
}

brink_status brink_diag_no_memory(brink_diag *diag, const brink_arena *arena, const char *what) {
  double megabytes = (double)arena->wanted / 1e6;
  if (megabytes < 1.0) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for %s", what);
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory for %s: it takes %.*f MB, or more",
                        what, megabytes < 10.0 ? 1 : 0, megabytes);
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

bool brink_grow(const brink_allocator *allocator, void **items, size_t count, size_t *capacity,
                size_t size) {
  if (count < *capacity) return true;
  size_t more = *capacity == 0 ? 16 : 2 * *capacity;
  void *made = brink_allocate(allocator, more, size);
  if (made == NULL) return false;
  if (count > 0) memcpy(made, *items, count * size);
  brink_release(allocator, *items, *capacity, size);
  *items = made;
  *capacity = more;
  return true;
}

/* ---- arena ---- */

/* Big enough for any object, and for SIMD loads of doubles. */
#define ARENA_ALIGN ((size_t)64)
#define ARENA_BLOCK ((size_t)16384)

struct brink_arena_block {
  brink_arena_block *next;
  size_t size; /* of the whole block, header included */
  size_t start,
      used; /* where its pieces begin and end; in the newest block, brink_arena.used is the end */
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
  arena->used = arena->size = arena->wanted = 0;
  arena->failed = false;
}

static bool add_block(brink_arena *arena, size_t bytes) {
  size_t header = ARENA_ALIGN + sizeof(brink_arena_block);
  size_t size = bytes > ARENA_BLOCK - header ? bytes + header : ARENA_BLOCK;
  brink_arena_block *block = brink_allocate(&arena->allocator, 1, size);
  if (block == NULL) return false;
  if (arena->blocks != NULL) arena->blocks->used = arena->used;
  *block = (brink_arena_block){.next = arena->blocks, .size = size, .start = sizeof *block};
  arena->blocks = block;
  arena->size = size;
  arena->used = sizeof *block;
  return true;
}

/* The next aligned place in the newest block. */
static size_t aligned_offset(const brink_arena *arena, size_t align) {
  uintptr_t base = (uintptr_t)arena->blocks;
  uintptr_t place = (base + arena->used + align - 1) & ~(uintptr_t)(align - 1);
  return (size_t)(place - base);
}

static void *take(brink_arena *arena, size_t count, size_t size, size_t align) {
  bool overflows = size != 0 && count > SIZE_MAX / 4 / size;
  size_t bytes = overflows ? 0 : count * size;
  arena->wanted += arena->wanted <= SIZE_MAX - bytes ? bytes : 0;
  bool fits = arena->blocks != NULL && aligned_offset(arena, align) + bytes <= arena->size;
  if (overflows || (!fits && !add_block(arena, bytes))) {
    arena->failed = true;
    return NULL;
  }
  size_t offset = aligned_offset(arena, align);
  arena->used = offset + bytes;
  return (char *)arena->blocks + offset;
}

void *brink_arena_take(brink_arena *arena, size_t count, size_t size) {
  return take(arena, count, size, ARENA_ALIGN);
}

void *brink_arena_pack(brink_arena *arena, size_t count, size_t size) {
  return take(arena, count, size, 16);
}

void *brink_arena_room(brink_arena *arena, void *items, size_t count, size_t *capacity,
                       size_t size) {
  if (count >= *capacity) {
    size_t larger = *capacity < 8 ? 8 : 2 * *capacity;
    void *moved = brink_arena_pack(arena, larger, size);
    if (moved == NULL) return items;
    if (count > 0) memcpy(moved, items, count * size);
    items = moved;
    *capacity = larger;
  }
  memset((char *)items + count * size, 0, size);
  return items;
}

bool brink_arena_grow(brink_arena *arena, void **items, size_t count, size_t *capacity,
                      size_t size) {
  *items = brink_arena_room(arena, *items, count, capacity, size);
  return count < *capacity;
}

void *brink_arena_copy(brink_arena *arena, const void *from, size_t count, size_t size) {
  void *to = brink_arena_take(arena, count, size);
  if (to != NULL && from != NULL && count * size > 0) memcpy(to, from, count * size);
  return to;
}

char *brink_arena_text(brink_arena *arena, const char *text) {
  return brink_arena_copy(arena, text, strlen(text) + 1, 1);
}

char *brink_arena_format(brink_arena *arena, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  brink_plain plain = brink_plain_begin();
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = length >= 0 ? brink_arena_pack(arena, (size_t)length + 1, 1) : NULL;
  if (length < 0) arena->failed = true;
  if (text != NULL) vsnprintf(text, (size_t)length + 1, format, arguments);
  brink_plain_end(&plain);
  return text;
}

/* ---- copies of whole arenas ---- */

/* A block with the same pieces, at addresses that are the same modulo ARENA_ALIGN: each piece keeps its
 * alignment. */
static brink_arena_block *copy_block(const brink_allocator *allocator,
                                     const brink_arena_block *from, size_t used) {
  size_t length = used - from->start, size = sizeof *from + ARENA_ALIGN + length;
  brink_arena_block *to = brink_allocate(allocator, 1, size);
  if (to == NULL) return NULL;
  uintptr_t begin = (uintptr_t)to + sizeof *to, wanted = (uintptr_t)from + from->start;
  size_t start = sizeof *to + (size_t)((wanted - begin) & (ARENA_ALIGN - 1));
  *to = (brink_arena_block){.size = size, .start = start, .used = start + length};
  memcpy((char *)to + start, (const char *)from + from->start, length);
  return to;
}

bool brink_arena_clone(brink_arena *to, const brink_arena *from, brink_relocation *moved) {
  brink_arena_block **link = &to->blocks;
  for (const brink_arena_block *block = from->blocks; block != NULL; block = block->next) {
    *link = copy_block(&to->allocator, block, block == from->blocks ? from->used : block->used);
    if (*link == NULL) {
      brink_arena_free(to);
      to->failed = true;
      return false;
    }
    link = &(*link)->next;
  }
  if (to->blocks != NULL) {
    to->used = to->blocks->used;
    to->size = to->blocks->size;
  }
  *moved = (brink_relocation){
      .from = from->blocks, .to = to->blocks, .last_from = from->blocks, .last_to = to->blocks};
  return true;
}

/* An empty piece may begin where the block ends. */
static bool holds(const brink_arena_block *block, const void *pointer) {
  uintptr_t base = (uintptr_t)block, place = (uintptr_t)pointer;
  return place >= base + block->start && place <= base + block->size;
}

void *brink_relocated(brink_relocation *moved, const void *pointer) {
  if (pointer == NULL || moved->from == NULL) return (void *)pointer;
  if (!holds(moved->last_from, pointer)) {
    const brink_arena_block *from = moved->from;
    brink_arena_block *to = moved->to;
    while (from != NULL && !holds(from, pointer)) {
      from = from->next;
      to = to->next;
    }
    if (from == NULL) return (void *)pointer;
    moved->last_from = from;
    moved->last_to = to;
  }
  size_t offset =
      (size_t)((uintptr_t)pointer - (uintptr_t)moved->last_from) - moved->last_from->start;
  return (char *)moved->last_to + moved->last_to->start + offset;
}

void brink_relocate_rows(brink_relocation *moved, double **rows, size_t count) {
  for (size_t i = 0; i < count; i++) BRINK_RELOCATE(moved, rows[i]);
}

void brink_relocate_vectors(brink_relocation *moved, double **const vectors[], size_t count) {
  for (size_t k = 0; k < count; k++) BRINK_RELOCATE(moved, *vectors[k]);
}

/* ---- text ---- */

static bool text_room(brink_text *text, size_t more) {
  if (text->failed) return false;
  if (text->length + more + 1 <= text->capacity) return true;
  size_t larger = text->capacity < 128 ? 256 : 2 * text->capacity;
  while (larger < text->length + more + 1) larger *= 2;
  char *data = brink_allocate(&text->allocator, larger, 1);
  if (data == NULL) {
    text->failed = true;
    return false;
  }
  if (text->length > 0) memcpy(data, text->data, text->length);
  brink_release(&text->allocator, text->data, text->capacity, 1);
  text->data = data;
  text->capacity = larger;
  return true;
}

void brink_text_append(brink_text *text, const char *data, size_t length) {
  if (!text_room(text, length)) return;
  if (length > 0) memcpy(text->data + text->length, data, length);
  text->length += length;
  text->data[text->length] = '\0';
}

/* Most texts fit into the room that there is: they are formatted once. */
void brink_text_add(brink_text *text, const char *format, ...) {
  va_list arguments, again;
  size_t room = text->failed || text->data == NULL ? 0 : text->capacity - text->length;
  va_start(arguments, format);
  va_copy(again, arguments);
  brink_plain plain = brink_plain_begin();
  int length = vsnprintf(room > 0 ? text->data + text->length : NULL, room, format, arguments);
  va_end(arguments);
  bool fits = length >= 0 && (size_t)length < room;
  if (!fits && room > 0) text->data[text->length] = '\0';
  if (!fits && length >= 0 && text_room(text, (size_t)length)) {
    vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
    fits = true;
  }
  brink_plain_end(&plain);
  if (fits) text->length += (size_t)length;
  va_end(again);
}

void brink_text_free(brink_text *text) {
  brink_release(&text->allocator, text->data, text->capacity, 1);
  *text = (brink_text){.allocator = text->allocator};
}

/* ---- time ---- */

double brink_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
