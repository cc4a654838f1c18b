/* native.c: the machine code of a system, with the tables that it works on. */
#include "native/emit.h"

#include <stdio.h>

/* What to do with the source that was emitted. */
typedef struct errand {
  const char *cache;
  brink_object_store *store; /* NULL: none */
  bool waits;                /* for the compiler */
} errand;

/* The object, or what to ask for it. */
static brink_status find_object(brink_native *n, const errand *e, char *reason) {
  const brink_text *source = &n->emission.source;
  if (e->store != NULL)
    n->object = brink_object_store_find(e->store, source->data, source->length, e->cache,
                                        e->waits ? NULL : &n->later);
  if (n->object != NULL || n->later != NULL) return BRINK_OK;
  brink_status status = e->waits ? brink_object_load(source->data, source->length, e->cache,
                                                     &n->allocator, &n->object, reason)
                                 : brink_object_begin(source->data, source->length, e->cache,
                                                      &n->allocator, &n->object, &n->later, reason);
  if (status != BRINK_OK) return status;
  if (n->object != NULL) n->seconds = n->object->seconds;
  if (e->store != NULL)
    brink_object_store_add(e->store, n->object, n->later, source->data, source->length, e->cache);
  return BRINK_OK;
}

static bool is_of_source(const brink_native *n, char *reason) {
  if (n->object->nkernels == n->emission.nkernels && n->object->njets == n->emission.njets)
    return true;
  snprintf(reason, BRINK_REASON, "the object is not that of the source");
  return false;
}

static brink_status make(brink_native *n, const brink_system *system,
                         const brink_emit_options *options, const errand *e, char *reason) {
  if (!brink_emit(system, options, &n->allocator, &n->emission)) return BRINK_ERR_MEMORY;
  brink_status status = find_object(n, e, reason);
  if (status != BRINK_OK) return status;
  if (n->object != NULL && !is_of_source(n, reason)) return BRINK_ERR_UNSUPPORTED;
  n->tables = (brink_tables){
      .maps = n->emission.maps,
      .numbers = n->emission.numbers,
      .scratch = brink_allocate(&n->allocator, n->emission.scratch + 1, sizeof *n->tables.scratch),
      .external = brink_external_call,
      .random = brink_random,
      .poisson = brink_poisson};
  return n->tables.scratch == NULL ? BRINK_ERR_MEMORY : BRINK_OK;
}

static brink_status create(const brink_system *system, const brink_emit_options *options,
                           const errand *e, const brink_allocator *allocator, brink_native **native,
                           char *reason) {
  *native = NULL;
  reason[0] = '\0';
  brink_native *n = brink_allocate(allocator, 1, sizeof *n);
  if (n == NULL) return BRINK_ERR_MEMORY;
  if (allocator != NULL) n->allocator = *allocator;
  brink_status status = make(n, system, options, e, reason);
  if (status == BRINK_OK)
    *native = n;
  else
    brink_native_destroy(n);
  return status;
}

brink_status brink_native_create(const brink_system *system, const brink_emit_options *options,
                                 const char *cache, brink_object_store *store,
                                 const brink_allocator *allocator, brink_native **native,
                                 char *reason) {
  errand e = {.cache = cache, .store = store, .waits = true};
  return create(system, options, &e, allocator, native, reason);
}

brink_status brink_native_begin(const brink_system *system, const brink_emit_options *options,
                                const char *cache, brink_object_store *store,
                                const brink_allocator *allocator, brink_native **native,
                                char *reason) {
  errand e = {.cache = cache, .store = store};
  return create(system, options, &e, allocator, native, reason);
}

brink_readiness brink_native_ask(brink_native *native, char *reason) {
  if (native->object != NULL) return BRINK_READY;
  brink_readiness answer = brink_later_ask(native->later, &native->object, reason);
  if (answer != BRINK_READY) return answer;
  native->seconds = native->object->seconds;
  if (is_of_source(native, reason)) return BRINK_READY;
  brink_object_unload(native->object);
  native->object = NULL;
  return BRINK_NEVER;
}

void brink_native_destroy(brink_native *native) {
  if (native == NULL) return;
  brink_allocator allocator = native->allocator;
  brink_release(&allocator, native->tables.scratch, native->emission.scratch + 1,
                sizeof *native->tables.scratch);
  brink_object_unload(native->object);
  brink_later_release(native->later);
  brink_emission_free(&native->emission);
  brink_release(&allocator, native, 1, sizeof *native);
}

brink_native_kernel_fn *brink_native_kernel(const brink_native *native,
                                            const brink_kernel *kernel) {
  uint32_t place = brink_emission_kernel(&native->emission, kernel);
  return place == BRINK_NO_INDEX ? NULL : native->object->kernels[place];
}

brink_native_jet_fn *brink_native_jet(const brink_native *native, const brink_kernel *kernel) {
  for (size_t k = 0; k < native->emission.njets; k++) {
    if (native->emission.jets[k] == kernel) return native->object->jets[k];
  }
  return NULL;
}
