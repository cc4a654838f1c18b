/* preload.c: a library that is preloaded (LD_PRELOAD) and lets allocations fail.
 *
 *     FAULTS_LOG    a file, of which the first bytes become a struct faults
 *     FAULTS_FIRST  the first allocation that fails, from 1; 0: none, they are counted
 *     FAULTS_LAST   the last one that fails
 *
 * Every allocation of the process counts: the program's, those of the libraries that it loads, of the C library
 * (fopen, strdup, qsort, ...) and of the loader (dlopen). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FRAMES = 24 };

typedef struct faults {
  atomic_llong count; /* of allocations */
  atomic_llong fired; /* of those that failed */
  char where[4080];   /* of the first that failed: "libhdf5.so+1234 ...", from the inside */
} faults;

/* glibc's own, under names that nobody interposes. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static faults *shared;
static long long first, last;
static _Thread_local bool busy; /* describing a failure, which may allocate */

static long long number(const char *name) {
  const char *text = getenv(name);
  return text == NULL ? 0 : atoll(text);
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FAULTS_LOG");
  int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *frame;
  busy = true;
  backtrace(&frame, 1); /* loads what it needs, now */
  busy = false;
  first = number("FAULTS_FIRST");
  last = number("FAULTS_LAST");
  void *map = mmap(NULL, sizeof(faults), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (map != MAP_FAILED) shared = map;
}

static void describe(void) {
  void *frames[FRAMES];
  int count = backtrace(frames, FRAMES);
  size_t used = 0;
  for (int k = 2; k < count && used < sizeof shared->where - 1; k++) {
    Dl_info about;
    if (dladdr(frames[k], &about) == 0 || about.dli_fname == NULL) continue;
    const char *slash = strrchr(about.dli_fname, '/');
    int wrote = snprintf(shared->where + used, sizeof shared->where - used, "%s+%zx ",
                         slash == NULL ? about.dli_fname : slash + 1,
                         (size_t)((const char *)frames[k] - (const char *)about.dli_fbase));
    used += wrote > 0 ? (size_t)wrote : 0;
  }
}

static bool fails(void) {
  if (shared == NULL || busy) return false;
  long long n = atomic_fetch_add(&shared->count, 1) + 1;
  if (n < first || n > last) return false;
  if (atomic_fetch_add(&shared->fired, 1) == 0) {
    busy = true;
    describe();
    busy = false;
  }
  errno = ENOMEM;
  return true;
}

void *malloc(size_t size) {
  return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return fails() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
  int before = errno;
  void *made = memalign(alignment, size);
  errno = before;
  if (made == NULL) return ENOMEM;
  *out = made;
  return 0;
}
