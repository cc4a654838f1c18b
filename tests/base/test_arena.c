/* Memory in arenas: pieces do not overlap and are zeroed; what could not be given is remembered; arrays grow. */
#include "base/base.h"
#include "check.h"
#include "support/counting.h"

#include <stdint.h>

typedef struct item {
  int number;
  double values[3];
} item;

static brink_status format(brink_arena *arena, const char **text, const char *form, ...) {
  va_list arguments;
  va_start(arguments, form);
  *text = brink_arena_format(arena, form, arguments);
  va_end(arguments);
  return *text != NULL ? BRINK_OK : BRINK_ERR_MEMORY;
}

TEST(pieces_are_zeroed_aligned_and_apart) {
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  for (int k = 0; k < 500; k++) {
    size_t bytes = (size_t)(k * 37 % 1000);
    unsigned char *piece = brink_arena_take(&arena, bytes, 1);
    CHECK((uintptr_t)piece % 64 == 0);
    for (size_t i = 0; i < bytes; i++) CHECK(piece[i] == 0);
    memset(piece, 0xff, bytes);
  }
  CHECK(!arena.failed);
  brink_arena_free(&arena);
}

/* A constructor in the manner that base.h asks for. */
typedef struct object {
  brink_arena arena;
  double *x, *p;
  const char *name, *title;
  item *items;
  size_t nitems, items_capacity;
} object;

static brink_status make(object *o, const brink_allocator *allocator) {
  *o = (object){0};
  brink_arena_init(&o->arena, allocator);
  o->x = brink_arena_take(&o->arena, 3000, sizeof *o->x);
  o->p = brink_arena_copy(&o->arena, NULL, 3000, sizeof *o->p);
  o->name = brink_arena_text(&o->arena, "ball");
  (void)format(&o->arena, &o->title, "%s %d", "ball", 7);
  for (int k = 0; k < 2000; k++) {
    item *added = brink_arena_push(&o->arena, o->items, o->nitems, o->items_capacity);
    if (added != NULL) added->number = k;
  }
  return o->arena.failed ? BRINK_ERR_MEMORY : BRINK_OK;
}

TEST(one_check_at_the_end_sees_any_failure) {
  counting state = {0};
  brink_allocator allocator = counting_allocator(&state);
  object o;
  CHECK_INT(make(&o, &allocator), BRINK_OK);
  CHECK(strcmp(o.name, "ball") == 0 && strcmp(o.title, "ball 7") == 0);
  brink_arena_free(&o.arena);
  long calls = state.calls;
  CHECK(calls > 5);
  for (int on = 0; on < 2; on++) {
    for (long n = 1; n <= calls; n++) {
      state = (counting){.fail_at = n, .fail_on = on != 0};
      CHECK_INT(make(&o, &allocator), BRINK_ERR_MEMORY);
      brink_arena_free(&o.arena);
      CHECK(!o.arena.failed);
      CHECK_INT(state.live, 0);
      CHECK_INT(state.mismatch, 0);
    }
  }
}

TEST(a_size_that_overflows_is_a_failure) {
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  CHECK(brink_arena_take(&arena, SIZE_MAX / 2, 16) == NULL);
  CHECK(arena.failed);
  CHECK(brink_arena_take(&arena, 1, 16) != NULL);
  CHECK(arena.failed); /* it stays */
  brink_arena_free(&arena);
}

TEST(a_growing_array_keeps_its_items_and_zeroes_new_ones) {
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  item *items = NULL;
  size_t count = 0, capacity = 0;
  for (int k = 0; k < 1000; k++) {
    item *added = brink_arena_push(&arena, items, count, capacity);
    CHECK(added == &items[k] && count == (size_t)k + 1 && capacity >= count);
    CHECK(added->number == 0 && added->values[2] == 0.0);
    *added = (item){.number = k, .values = {1.0, 2.0, 3.0}};
  }
  for (int k = 0; k < 1000; k++) CHECK_INT(items[k].number, k);
  count = 10; /* a stack: what was taken off is zeroed when its place is used again */
  CHECK(brink_arena_push(&arena, items, count, capacity)->number == 0);
  brink_arena_free(&arena);
}

TEST(arrays_with_one_count_grow_together) {
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  item *items = NULL;
  const char **names = NULL;
  size_t count = 0, items_capacity = 0, names_capacity = 0;
  for (int k = 0; k < 100; k++) {
    CHECK(brink_arena_reserve(&arena, items, count, items_capacity) &&
          brink_arena_reserve(&arena, names, count, names_capacity));
    items[count].number = k;
    names[count++] = "name";
  }
  for (int k = 0; k < 100; k++) CHECK(items[k].number == k && names[k] != NULL);
  brink_arena_free(&arena);
}

TEST(an_array_that_cannot_grow_stays_as_it_was) {
  counting state = {0};
  brink_allocator allocator = counting_allocator(&state);
  brink_arena arena;
  brink_arena_init(&arena, &allocator);
  item *items = NULL;
  size_t count = 0, capacity = 0;
  state.fail_at = 3, state.fail_on = true;
  while (!arena.failed) {
    item *added = brink_arena_push(&arena, items, count, capacity);
    CHECK((added == NULL) == arena.failed);
    if (added != NULL) added->number = (int)count;
  }
  CHECK(count > 8 && count == capacity);
  for (size_t k = 0; k < count; k++) CHECK_INT(items[k].number, (int)k + 1);
  brink_arena_free(&arena);
  CHECK_INT(state.live, 0);
}

int main(void) {
  RUN(pieces_are_zeroed_aligned_and_apart);
  RUN(one_check_at_the_end_sees_any_failure);
  RUN(a_size_that_overflows_is_a_failure);
  RUN(a_growing_array_keeps_its_items_and_zeroes_new_ones);
  RUN(arrays_with_one_count_grow_together);
  RUN(an_array_that_cannot_grow_stays_as_it_was);
  return check_done();
}
