/* confine.h: a process that may do little: read files, and write in one directory.
 *
 * The compiler is trusted, and what it compiles is made from a model that is not. Should a model find a fault of the
 * compiler, then not much is gained by it: no network, no files written but those of this compilation, no other
 * processes looked into, and an end to memory and time. */
#ifndef BRINK_NATIVE_CONFINE_H
#define BRINK_NATIVE_CONFINE_H

#include <spawn.h>

/* What the kernel supports of it: Landlock (files, network, signals) and a seccomp filter (sockets and others). */
typedef struct brink_confined_start {
  const char *program; /* absolute */
  char *const *arguments, *const *environment;
  const posix_spawn_file_actions_t *files;
  const posix_spawnattr_t *attributes;
  int workshop; /* the directory that may be written in, open */
} brink_confined_start;

/* Starts it. 0, or why there is no process. The calling thread stays as free as it is. */
int brink_confined_spawn(const brink_confined_start *start, pid_t *process);

#endif
