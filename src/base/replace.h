/* replace.h: a file that takes the place of another as a whole. Whatever is written beside a file and renamed is written here.
 *
 * Links are followed: what the last one leads to is replaced, or made. Only a regular file is ever replaced: a pipe or a device
 * would be gone. The new file has a name of its own in the same folder, FILE.new-PID-K, that nobody had: nothing that
 * somebody has put there is opened or lost. */
#ifndef BRINK_BASE_REPLACE_H
#define BRINK_BASE_REPLACE_H

#include "base/base.h"

#include <sys/types.h>

typedef struct brink_replacement {
  brink_text target; /* where the links of the path lead */
  brink_text
      beside;    /* the new file, in the same folder; removed at the end, unless it is in place */
  int file;      /* to write to the new file; -1: there is none */
  bool replaces; /* there is a file, and it has ... */
  mode_t mode;   /* ... these permissions, which stay */
  const char *reason; /* if something failed: why */
} brink_replacement;

/* All: OK; FILE, MEMORY: `reason` says why not. Whatever they say, brink_replacement_end follows. */
brink_status brink_replacement_begin(brink_replacement *self, const char *path);
brink_status brink_replacement_write(brink_replacement *self, const void *bytes, size_t size);
/* When all is on the disk, it gets the name. */
brink_status brink_replacement_put(brink_replacement *self);
void brink_replacement_end(brink_replacement *self);

/* Removes what processes that were killed have left of the same file: regular files of this user with such a name that
 * nobody has written to for ten minutes. */
void brink_replacement_tidy(const brink_replacement *self);

#endif
