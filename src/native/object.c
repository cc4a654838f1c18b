/* object.c: shared objects become functions that can be called.
 *
 * A signal that ends the program while it waits for the compiler ends the compiler first, and its files are removed
 * (signals.c). */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "native/compile.h"
#include "native/emit.h"
#include "native/signals.h"

/* ---- loading ---- */

typedef struct loaded {
  brink_object object; /* first */
  atomic_size_t users;
  void *handle; /* NULL: not yet */
  brink_allocator allocator;
} loaded;

brink_object *brink_object_prepare(const brink_allocator *allocator) {
  loaded *l = brink_allocate(allocator, 1, sizeof *l);
  if (l == NULL) return NULL;
  if (allocator != NULL) l->allocator = *allocator;
  atomic_init(&l->users, 1);
  return &l->object;
}

/* The dynamic linker takes a path it has seen for the object it has loaded, even if another file is
 * behind the same descriptor now. So the path spells the key: "./" and "/" change nothing but the
 * name. */
static void spell_path(int fd, const brink_key *key, char path[192]) {
  size_t n = (size_t)snprintf(path, 192, "/proc/self/fd/");
  for (int bit = 0; bit < 64; bit++) {
    if (key->digest[bit / 8] >> (bit % 8) & 1) path[n++] = '.';
    path[n++] = '/';
  }
  snprintf(path + n, 192 - n, "%d", fd);
}

static bool is_compatible(const brink_entry *entry) {
  return entry->abi == BRINK_ABI && entry->frame_size == sizeof(brink_frame) &&
         entry->tables_size == sizeof(brink_tables) && entry->rhs != NULL;
}

bool brink_object_open(brink_object *object, int fd, const brink_compile *work, char *reason) {
  loaded *l = (loaded *)object;
  char path[192];
  spell_path(fd, &work->key, path);
  l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (l->handle == NULL) {
    const char *error = dlerror();
    snprintf(reason, BRINK_REASON, "the object cannot be loaded: %.180s",
             error == NULL ? "" : error);
  }
  close(fd);
  const brink_entry *entry = l->handle == NULL ? NULL : dlsym(l->handle, BRINK_ENTRY);
  if (entry == NULL || !is_compatible(entry)) {
    if (l->handle != NULL) {
      dlclose(l->handle);
      l->handle = NULL;
      snprintf(reason, BRINK_REASON, "the object is not one of this version");
    }
    return false;
  }
  object->rhs = entry->rhs;
  object->all = entry->all;
  object->jacobian = entry->jacobian;
  object->kernels = entry->kernels;
  object->flow = entry->flow;
  object->lanes_flow = entry->lanes_flow;
  object->lanes = (int)entry->lanes;
  object->lanes_order = (int)entry->lanes_order;
  object->jets = entry->jets;
  object->nkernels = entry->nkernels;
  object->njets = entry->njets;
  snprintf(object->compiler, sizeof object->compiler, "%.60s",
           brink_compiler_name(&work->compiler));
  return true;
}

brink_object *brink_object_share(brink_object *object) {
  atomic_fetch_add(&((loaded *)object)->users, 1);
  return object;
}

void brink_object_unload(brink_object *object) {
  loaded *l = (loaded *)object;
  if (object == NULL || atomic_fetch_sub(&l->users, 1) > 1) return;
  brink_allocator allocator = l->allocator;
  if (l->handle != NULL) dlclose(l->handle);
  brink_release(&allocator, l, 1, sizeof *l);
}

/* ---- waiting for it ---- */

/* The object that the compiler makes, open; -1: `reason` says why there is none. */
static int wait_for(brink_compile *work, const brink_signals *signals, char *reason) {
  struct timespec pause = {.tv_nsec = 500000};
  int fd = -1;
  while (brink_compile_poll(work, &fd, reason) == BRINK_NOT_YET) {
    if (brink_signals_wait(signals)) {
      brink_compile_stop(work);
      snprintf(reason, BRINK_REASON, "a signal came while %.40s was running",
               brink_compiler_name(&work->compiler));
      return -1;
    }
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < 4000000) pause.tv_nsec += pause.tv_nsec / 8;
  }
  return fd;
}

/* From the cache, or made; one that cannot be loaded is made again. */
static bool obtain(brink_compile *work, const char *source, size_t length, const char *cache,
                   const brink_signals *signals, brink_object *object, char *reason) {
  int fd = brink_compile_find(work, cache);
  object->from_cache = fd >= 0 && brink_object_open(object, fd, work, reason);
  if (object->from_cache) return true;
  if (!brink_compile_start(work, source, length, cache, reason)) return false;
  fd = wait_for(work, signals, reason);
  return fd >= 0 && brink_object_open(object, fd, work, reason);
}

brink_status brink_object_load(const char *source, size_t length, const char *cache,
                               const brink_allocator *allocator, brink_object **object,
                               char *reason) {
  double started = brink_compile_clock();
  brink_compile work;
  *object = NULL;
  if (!brink_compile_prepare(&work, source, length, reason)) return BRINK_ERR_UNSUPPORTED;
  brink_object *made = brink_object_prepare(allocator);
  if (made == NULL) return BRINK_ERR_MEMORY;
  brink_signals signals;
  brink_signals_hold(&signals);
  bool ok = obtain(&work, source, length, cache, &signals, made, reason);
  brink_signals_release(&signals);
  if (!ok) {
    brink_object_unload(made);
    return BRINK_ERR_UNSUPPORTED;
  }
  made->seconds = brink_compile_clock() - started;
  reason[0] = '\0';
  *object = made;
  return BRINK_OK;
}
