/* Memory in arenas: pieces do not overlap and are zeroed; what could not be given is remembered; arrays grow. */
#include "base/base.h"
#include "check.h"
#include "support/counting.h"

#include <stdint.h>

typedef struct item {
  int number;
  double values[3];
} item;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static brink_status
format(brink_arena *arena, const char **text, const char *form, ...) {
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

/* ---- copies of whole arenas ---- */

typedef struct node {
  struct node *next;
  double *vector;
  size_t length;
} node;

/* A list whose vectors are of all sizes, empty ones and such as need a block of their own among them. */
static node *make_list(brink_arena *arena) {
  node *first = NULL;
  for (size_t k = 0; k < 200; k++) {
    node *made = brink_arena_take(arena, 1, sizeof *made);
    *made = (node){.next = first, .length = k % 7 == 0 ? 3000 : k * 13 % 50};
    made->vector = brink_arena_take(arena, made->length, sizeof *made->vector);
    for (size_t i = 0; i < made->length; i++) made->vector[i] = (double)(1000 * k + i);
    first = made;
  }
  return first;
}

static node *relocate_list(brink_relocation *moved, node *first) {
  for (node **link = &first; *link != NULL; link = &(*link)->next) {
    BRINK_RELOCATE(moved, *link);
    BRINK_RELOCATE(moved, (*link)->vector);
  }
  return first;
}

static void check_list(const node *first) {
  size_t count = 0;
  for (const node *n = first; n != NULL; n = n->next) {
    size_t k = 199 - count++;
    CHECK((uintptr_t)n % 64 == 0 && (uintptr_t)n->vector % 64 == 0);
    for (size_t i = 0; i < n->length; i++) CHECK(n->vector[i] == (double)(1000 * k + i));
  }
  CHECK_INT(count, 200);
}

TEST(a_copy_of_an_arena_has_everything_in_its_own_memory) {
  counting states[2] = {{.calls = 0}};
  brink_arena arenas[2];
  brink_allocator allocators[] = {counting_allocator(&states[0]), counting_allocator(&states[1])};
  brink_arena_init(&arenas[0], &allocators[0]);
  node *list = make_list(&arenas[0]);
  long second = 0;
  for (int k = 0; k < 40; k++) { /* copies of copies do not grow */
    brink_arena *from = &arenas[k % 2], *to = &arenas[1 - k % 2];
    brink_relocation moved;
    brink_arena_init(to, &allocators[1 - k % 2]);
    CHECK(brink_arena_clone(to, from, &moved));
    list = relocate_list(&moved, list);
    CHECK(brink_relocated(&moved, NULL) == NULL);
    CHECK(brink_relocated(&moved, &moved) == &moved); /* elsewhere */
    brink_arena_free(from);
    check_list(list);
    if (k == 0) second = states[1].bytes;
    CHECK(states[1 - k % 2].bytes <= second);
  }
  double *more = brink_arena_take(&arenas[0], 100, sizeof *more); /* and may be used */
  CHECK(more != NULL && more[99] == 0.0);
  check_list(list);
  brink_arena_free(&arenas[0]);
  CHECK(states[0].live == 0 && states[1].live == 0);
}

TEST(a_copy_of_an_arena_that_fails_leaves_nothing_behind) {
  brink_arena arena, copy;
  brink_relocation moved;
  brink_arena_init(&arena, NULL);
  brink_arena_init(&copy, NULL);
  CHECK(brink_arena_clone(&copy, &arena, &moved)); /* of nothing */
  CHECK(brink_relocated(&moved, &arena) == &arena);
  make_list(&arena);
  for (long n = 1;; n++) {
    counting state = {.fail_at = n};
    brink_allocator allocator = counting_allocator(&state);
    brink_arena_init(&copy, &allocator);
    bool made = brink_arena_clone(&copy, &arena, &moved);
    CHECK(made || (copy.failed && state.live == 0));
    brink_arena_free(&copy);
    CHECK(state.live == 0 && state.mismatch == 0);
    if (made) break;
  }
  brink_arena_free(&arena);
}

int main(void) {
  RUN(a_copy_of_an_arena_has_everything_in_its_own_memory);
  RUN(a_copy_of_an_arena_that_fails_leaves_nothing_behind);
  RUN(pieces_are_zeroed_aligned_and_apart);
  RUN(one_check_at_the_end_sees_any_failure);
  RUN(a_size_that_overflows_is_a_failure);
  RUN(a_growing_array_keeps_its_items_and_zeroes_new_ones);
  RUN(arrays_with_one_count_grow_together);
  RUN(an_array_that_cannot_grow_stays_as_it_was);
  return check_done();
}
