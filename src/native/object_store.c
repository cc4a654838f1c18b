/* object_store.c: objects that are loaded, found by their source.
 *
 * A model that is built again with another value of a parameter mostly gives the same source. Comparing it takes a
 * microsecond; the way by the cache (a hash of the source, a file, a hash of that, the dynamic linker) takes hundreds. */
#include "native/native.h"

#include <string.h>

enum { OBJECTS = 8 }; /* as many as a caller may go to and fro between */

typedef struct stored {
  brink_object *object; /* one of both; NULL, NULL: free */
  brink_later *later;
  char *source, *cache; /* cache NULL: the user's */
  size_t length;
} stored;

struct brink_object_store {
  brink_allocator allocator;
  stored objects[OBJECTS];
  size_t next; /* to be replaced */
};

brink_object_store *brink_object_store_create(const brink_allocator *allocator) {
  brink_object_store *store = brink_allocate(allocator, 1, sizeof *store);
  if (store != NULL && allocator != NULL) store->allocator = *allocator;
  return store;
}

static void forget(brink_object_store *store, stored *s) {
  const brink_allocator *allocator = &store->allocator;
  brink_object_unload(s->object);
  brink_later_release(s->later);
  brink_release(allocator, s->source, s->length, 1);
  if (s->cache != NULL) brink_release(allocator, s->cache, strlen(s->cache) + 1, 1);
  *s = (stored){0};
}

void brink_object_store_destroy(brink_object_store *store) {
  if (store == NULL) return;
  for (size_t k = 0; k < OBJECTS; k++) forget(store, &store->objects[k]);
  brink_allocator allocator = store->allocator;
  brink_release(&allocator, store, 1, sizeof *store);
}

static bool same_cache(const char *a, const char *b) {
  return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

/* Is what was under way there now? What failed is begun anew. */
static void ask(brink_object_store *store, stored *s) {
  char reason[BRINK_REASON];
  brink_readiness answer = brink_later_ask(s->later, &s->object, reason);
  if (answer == BRINK_NEVER) forget(store, s);
  if (answer != BRINK_READY) return;
  brink_later_release(s->later);
  s->later = NULL;
}

brink_object *brink_object_store_find(brink_object_store *store, const char *source, size_t length,
                                      const char *cache, brink_later **later) {
  if (later != NULL) *later = NULL;
  for (size_t k = 0; k < OBJECTS; k++) {
    stored *s = &store->objects[k];
    if (s->source == NULL || s->length != length || !same_cache(s->cache, cache) ||
        memcmp(s->source, source, length) != 0)
      continue;
    if (s->later != NULL) ask(store, s);
    if (s->object != NULL) return brink_object_share(s->object);
    if (later != NULL && s->later != NULL) *later = brink_later_share(s->later);
    return NULL;
  }
  return NULL;
}

static char *copy(const brink_object_store *store, const char *text, size_t length) {
  char *made = brink_allocate(&store->allocator, length, 1);
  if (made != NULL) memcpy(made, text, length);
  return made;
}

void brink_object_store_add(brink_object_store *store, brink_object *object, brink_later *later,
                            const char *source, size_t length, const char *cache) {
  stored *s = &store->objects[store->next];
  forget(store, s);
  s->length = length;
  s->source = copy(store, source, length);
  if (cache != NULL) s->cache = copy(store, cache, strlen(cache) + 1);
  if (s->source == NULL || (cache != NULL && s->cache == NULL)) {
    forget(store, s);
    return;
  }
  if (object != NULL) s->object = brink_object_share(object);
  if (later != NULL) s->later = brink_later_share(later);
  store->next = (store->next + 1) % OBJECTS;
}
