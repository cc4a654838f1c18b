/* cache.h: where objects are kept, and which of them may be trusted; for compile.c.
 *
 * An object is code that will run with the user's rights. So a file is loaded only if nobody else can
 * have written it: the directory and the file belong to the effective user, neither is writable by
 * others, nor is anything on the way to it (trusted.h), and it is a regular file, reached without
 * following a link. What was checked is what is loaded, since the open descriptor is handed on and not
 * the name; and what the compiler reads and writes is in a directory that it is started in, by a descriptor.
 *
 * A file ends with its key and a digest of everything before, so that a file that was cut short or
 * damaged is recognised, and made again. */
#ifndef BRINK_NATIVE_CACHE_H
#define BRINK_NATIVE_CACHE_H

#include "base/sha256.h"
#include "native/native.h"
#include "native/trusted.h"

typedef struct brink_cache {
  int directory;         /* open */
  char path[BRINK_PATH]; /* for messages */
  bool is_private;       /* made for this one object: removed when closed */
} brink_cache;

/* Where one compilation happens: a new directory in the cache, whose files have always the same names. */
#define BRINK_SOURCE "model.c"
#define BRINK_MADE "model.so"
#define BRINK_LOG "log"
typedef struct brink_workshop {
  int directory; /* open */
  char name[64];
} brink_workshop;

typedef struct brink_key {
  unsigned char digest[BRINK_SHA256_BYTES];
  char text[BRINK_SHA256_TEXT];
} brink_key;

/* Opens `wanted`, or the user's cache (see brink_object_load), making it if need be; if none can be
 * used and trusted, a private one. False: not even that; `reason` says why. */
bool brink_cache_open(brink_cache *cache, const char *wanted, char *reason);
/* The same, but never a private one: nothing can be found in it. */
bool brink_cache_open_usual(brink_cache *cache, const char *wanted);
void brink_cache_close(brink_cache *cache);

/* The object with this key, open for reading; -1: there is none that can be trusted. */
int brink_cache_find(const brink_cache *cache, const brink_key *key);

/* False: the directory cannot be written to. End what has begun. */
bool brink_cache_begin(const brink_cache *cache, brink_workshop *workshop);
void brink_cache_end(const brink_cache *cache, brink_workshop *workshop);

/* Seals BRINK_MADE and makes it the object with this key, in one step. Returns it open, or -1. */
int brink_cache_store(const brink_cache *cache, const brink_workshop *workshop,
                      const brink_key *key);

/* Removes objects that were not used for 30 days, and the oldest if there are more than 256 MB; checks once a
 * day at most. Always: temporary files that a killed program has left. */
void brink_cache_prune(const brink_cache *cache);

#endif
