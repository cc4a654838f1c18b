/* compile.h: a compilation, step by step; for object.c and later.c. Belongs to one thread at a time. */
#ifndef BRINK_NATIVE_COMPILE_H
#define BRINK_NATIVE_COMPILE_H

#include <sys/types.h>
#include <time.h>

#include "native/cache.h"

/* A compiler is known by its place, size and date. */
typedef struct brink_compiler {
  char path[BRINK_PATH];
  long long bytes;
  struct timespec date;
} brink_compiler;

const char *brink_compiler_name(const brink_compiler *c); /* the last part of its path */

typedef struct brink_compile {
  brink_compiler compiler;
  const char *level; /* of optimisation */
  brink_key key;

  /* Of what is under way: */
  bool begun;
  brink_cache cache;
  brink_workshop workshop;
  pid_t process; /* 0: it has ended */
  int leash;     /* our end of it */
  double deadline;
} brink_compile;

/* Seconds, from some moment on. */
double brink_compile_clock(void);

/* Chooses the compiler. False: nothing can be compiled; `reason` (of all these functions: BRINK_REASON characters) says why. */
bool brink_compile_prepare(brink_compile *work, const char *source, size_t length, char *reason);

/* The object that was made before, open; -1: there is none. `directory`: the cache; NULL: the user's. */
int brink_compile_find(const brink_compile *work, const char *directory);

/* Starts the compiler. False: it does not run, and nothing is left behind. */
bool brink_compile_start(brink_compile *work, const char *source, size_t length,
                         const char *directory, char *reason);

/* After it was started, until it is not NOT_YET any more. READY: *object is open, and nothing else is left. Takes about a
 * microsecond while the compiler runs. */
brink_readiness brink_compile_poll(brink_compile *work, int *object, char *reason);

/* Ends the compiler and its children at once, and removes its files. What has not begun stays as it is. */
void brink_compile_stop(brink_compile *work);

/* Forgets a compilation that belongs to another process: this one is a copy of it, made by fork. */
void brink_compile_abandon(brink_compile *work);

/* ---- object.c ---- */

/* An object to be: its memory, taken before. NULL: out of memory. */
brink_object *brink_object_prepare(const brink_allocator *allocator);
/* Loads what `fd` is, and closes it. False: `reason` says why not. */
bool brink_object_open(brink_object *object, int fd, const brink_compile *work, char *reason);

#endif
