/* ranks.h: processes of one program, on one or many machines, that send messages to each other. They were started
 * together (mpirun, srun) and are numbered: rank 0, 1, …
 *
 * The messages themselves are the business of a module that is loaded when it is needed (src/mpi/module.c: MPI), so that
 * neither the program nor the library is linked with libmpi. Tests have ranks that are threads of one process. */
#ifndef BRINK_RANKS_RANKS_H
#define BRINK_RANKS_RANKS_H

#include <stdbool.h>
#include <stddef.h>

/* All ranks, as one of them sees the others. One thread at a time uses it: the one that opened it. */
typedef struct brink_ranks {
  size_t rank, count;
  size_t beside; /* how many of them are on this machine, this one included */
  void *state;   /* of those who wrote the functions below */

  /* Sends a copy of the data and returns at once. Messages from one rank to another arrive in order, or, if one of the two
   * ends, not at all. False: there is no memory. */
  bool (*send)(void *state, size_t to, const void *data, size_t size);

  /* The next message that has arrived, from any rank; the data stay until the next call. False: none has. */
  bool (*receive)(void *state, size_t *from, const void **data, size_t *size);

  double (*now)(void *state);              /* seconds since some instant */
  void (*nap)(void *state, double length); /* waits for some seconds; less is allowed */

  /* The end, on every rank. `all`: every rank gets here, and what was sent arrives; otherwise some rank has ended before,
   * and nobody is waited for. */
  void (*close)(void *state, bool all);
} brink_ranks;

/* alone.c: a process without others: rank 0 of 1. */
brink_ranks brink_ranks_alone(void);

/* What a module exports under the name BRINK_RANKS_SYMBOL. */
#define BRINK_RANKS_SYMBOL "brink_ranks_of_mpi"
#define BRINK_RANKS_VERSION 1u /* goes up with every change of this header */
typedef struct brink_ranks_module {
  unsigned version;
  const char *build; /* the version of Brink that it was built with */
  /* Joins the other ranks. False: there are none, or the system that started them is another one; `reason` says more. */
  bool (*open)(brink_ranks *ranks, char *reason, size_t size);
} brink_ranks_module;

#endif
