/* base.h: what everything else stands on: statuses, diagnostics, memory. */
#ifndef BRINK_BASE_BASE_H
#define BRINK_BASE_BASE_H

#include <brink/brink.h>
#include <locale.h>
#include <stdarg.h>

/* Forget an earlier diagnostic: status OK, no place, empty message. NULL is fine. */
void brink_diag_clear(brink_diag *diag);

/* What a caller got wrong, or what there is no memory for: a status and words. The reason follows from the status. (How
 * a run failed is said by brink_fail of model/reason.h.) Returns `status`, so that a caller can return at once. NULL
 * diag is fine. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
brink_status
brink_diag_set(brink_diag *diag, brink_status status, const char *format, ...);

/* The same with a reason, and the status that belongs to it. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
brink_status
brink_diag_refuse(brink_diag *diag, brink_reason reason, const char *format, ...);

/* Memory from `allocator` (NULL: malloc), zeroed; NULL when there is none or the size overflows. */
void *brink_allocate(const brink_allocator *allocator, size_t count, size_t size);
void brink_release(const brink_allocator *allocator, void *memory, size_t count, size_t size);

/* Room for one more item in an array from an allocator, by doubling; items move. False: no memory, and all is as it was.
 * For arrays that grow so large that an arena, which gives nothing back before its end, would hold them twice. */
bool brink_grow(const brink_allocator *allocator, void **items, size_t count, size_t *capacity,
                size_t size);

/* An arena: pieces are taken one after another and given back all at once. Objects are made in one,
 * so that every constructor has one way to fail and one way to clean up.
 *
 * An arena remembers in `failed` that it could not give something. A constructor takes all its arrays
 * first, checks once, and fills them only then:
 *
 *     object->x = brink_arena_take(arena, nx, sizeof *object->x);
 *     object->p = brink_arena_copy(arena, p, np, sizeof *p);
 *     if (arena->failed) return BRINK_ERR_MEMORY;
 *
 * `failed` stays set: code that goes on with the arena after a failure sets it to false. */
typedef struct brink_arena_block brink_arena_block;

typedef struct brink_arena {
  brink_allocator allocator;
  brink_arena_block *blocks;
  size_t used, size; /* of the newest block */
  size_t wanted;     /* bytes that were asked for, given or not */
  bool failed;       /* something was asked for and not given */
} brink_arena;

void brink_arena_init(brink_arena *arena, const brink_allocator *allocator);
void brink_arena_free(brink_arena *arena); /* may be used again: empty, and `failed` is false */

/* MEMORY, with what was asked for so far: "out of memory for the model: it takes 12 MB, or more". */
brink_status brink_diag_no_memory(brink_diag *diag, const brink_arena *arena, const char *what);

/* These return NULL, and set `failed`, where there is no memory. */
void *brink_arena_take(brink_arena *arena, size_t count, size_t size); /* zeroed, 64-byte aligned */
void *brink_arena_pack(brink_arena *arena, size_t count, size_t size); /* zeroed, 16-byte aligned */
/* A copy; `from` NULL: zeroed. */
void *brink_arena_copy(brink_arena *arena, const void *from, size_t count, size_t size);
char *brink_arena_text(brink_arena *arena, const char *text); /* a copy */
/* The text that printf would write. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 0)))
#endif
char *
brink_arena_format(brink_arena *arena, const char *format, va_list arguments);

/* Arrays that grow. `array` is a pointer to its items, `count` how many there are, `capacity` (a size_t)
 * how many there is room for; all three begin as zero and are evaluated more than once.
 *
 *     brink_edge *edge = brink_arena_push(arena, net->edges, net->nedges, net->edges_capacity);
 *     if (edge == NULL) return BRINK_ERR_MEMORY;
 *     *edge = (brink_edge){.from = i, .to = j};
 *
 * The new item is zeroed, and counted. NULL: there is no memory, `failed` is set, and the array is as it was.
 * Pointers to items do not survive the next push. */
#define brink_arena_push(arena, array, count, capacity)                                            \
  (brink_arena_reserve(arena, array, count, capacity) ? &(array)[(count)++] : NULL)

/* Room for one more item, zeroed but not counted yet: for arrays that share a count. False: no memory. */
#define brink_arena_reserve(arena, array, count, capacity)                                         \
  ((array) = brink_arena_room((arena), (array), (count), &(capacity), sizeof *(array)),            \
   (count) < (capacity))

/* `items`, or a larger copy of them; items[count] is zeroed if there is room for it. */
void *brink_arena_room(brink_arena *arena, void *items, size_t count, size_t *capacity,
                       size_t size);

/* As brink_arena_reserve, without its types. */
bool brink_arena_grow(brink_arena *arena, void **items, size_t count, size_t *capacity,
                      size_t size);

/* A copy of a whole arena, byte by byte: all that its objects know is in it, whatever they are. Only pointers
 * have to be looked after, as those in the copy still lead into the original. Each object relocates its own:
 *
 *     brink_relocation moved;
 *     if (!brink_arena_clone(&copy, &arena, &moved)) return BRINK_ERR_MEMORY;
 *     object = brink_relocated(&moved, object);
 *     BRINK_RELOCATE(&moved, object->x);
 *
 * A value cannot be forgotten. A forgotten pointer can be found: no word of the copy may be an address in the
 * original (tests/sim/test_clone.c looks at every word). */
typedef struct brink_relocation {
  const brink_arena_block *from; /* blocks of the original, … */
  brink_arena_block *to;         /* … and those of the copy, in the same order */
  const brink_arena_block *last_from;
  brink_arena_block *last_to; /* where the last pointer led: the next one often leads there, too */
} brink_relocation;

/* `to` was just initialised. False: no memory, and `to` is empty. */
bool brink_arena_clone(brink_arena *to, const brink_arena *from, brink_relocation *moved);

/* Where in the copy is what the pointer leads to in the original? A pointer that leads elsewhere, or nowhere, stays
 * as it is. */
void *brink_relocated(brink_relocation *moved, const void *pointer);
#define BRINK_RELOCATE(moved, pointer) ((pointer) = brink_relocated((moved), (pointer)))
/* An array of pointers; pointers to pointers, as constructors list them. */
void brink_relocate_rows(brink_relocation *moved, double **rows, size_t count);
void brink_relocate_vectors(brink_relocation *moved, double **const vectors[], size_t count);

/* A text that grows. After an allocation failed it stays as it was, and `failed` is set. */
typedef struct brink_text {
  brink_allocator allocator; /* zeroed: malloc */
  char *data;                /* NUL at the end; NULL: nothing yet */
  size_t length, capacity;
  bool failed;
} brink_text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void brink_text_add(brink_text *text, const char *format, ...);
void brink_text_append(brink_text *text, const char *data, size_t length);
void brink_text_free(brink_text *text);

/* The locale of the program may write 0,5: between these two calls numbers have a point, in this thread. */
typedef struct brink_plain {
  locale_t plain, before; /* NULL: nothing was to be changed */
} brink_plain;
brink_plain brink_plain_begin(void);
void brink_plain_end(const brink_plain *plain);
/* strtod, with a point. */
double brink_read_double(const char *text, char **end);

/* The shortest decimal that reads back as the same double: "0.1", "1e-09", "inf", "nan". */
#define BRINK_DOUBLE_TEXT 32
const char *brink_double_text(double value, char buffer[BRINK_DOUBLE_TEXT]);

/* Seconds on a clock that only moves forward. */
double brink_seconds(void);

#endif
