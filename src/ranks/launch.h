/* launch.h: how this process was started: alone, or as one of several ranks. The programs that start ranks say so in the
 * environment. */
#ifndef BRINK_RANKS_LAUNCH_H
#define BRINK_RANKS_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct brink_launch {
  const char *by; /* "mpirun", "srun"; NULL: alone */
  bool mpi;       /* the ranks can find each other by MPI */
  size_t rank;
  size_t count; /* 0: nobody says how many they are */
} brink_launch;

/* `get` is getenv, or a test's. Numbers that are none are as if they were not there. */
brink_launch brink_launch_find(char *(*get)(const char *name));

#endif
