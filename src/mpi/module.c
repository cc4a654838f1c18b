/* module.c: ranks by MPI: the module brink-mpi.so, which the program loads when it was started by mpirun or srun. It is the
 * only file that knows MPI.
 *
 * Only the thread that opened it calls MPI (MPI_THREAD_FUNNELED). Nothing here waits: MPI's own waiting keeps a processor
 * busy, and ranks have runs to make. So messages are sent with MPI_Isend, from copies that live until MPI is done with them,
 * and looked for with MPI_Improbe. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ranks/ranks.h"
#include <brink/brink.h>

enum { TAG = 19 };
/* Seconds at the end for messages that are on their way; to a rank that has ended, they stay there. */
#define LINGER 10.0
#define LINGER_SHORT 2.0
/* Seconds that MPI_Finalize may take: it waits for ranks that are still reading their model, but also, in vain, for one that
 * ended in the meantime. The work is done by then. */
#define FINALIZE 600

/* A message on its way. */
typedef struct parcel {
  struct parcel *next;
  MPI_Request request;
  char data[];
} parcel;

typedef struct post {
  MPI_Comm comm; /* of our own: other libraries may use MPI_COMM_WORLD */
  parcel *sent;
  char *received;
  size_t capacity;
} post;

/* Forgets messages that have left. */
static void sweep_parcels(post *p) {
  parcel **link = &p->sent;
  while (*link != NULL) {
    parcel *one = *link;
    int done = 0;
    if (MPI_Test(&one->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
      link = &one->next;
      continue;
    }
    *link = one->next;
    free(one);
  }
}

static bool post_send(void *state, size_t to, const void *data, size_t size) {
  post *p = state;
  sweep_parcels(p);
  parcel *one = malloc(sizeof *one + size);
  if (one == NULL || size > 0x7fffffff) {
    free(one);
    return false;
  }
  memcpy(one->data, data, size);
  if (MPI_Isend(one->data, (int)size, MPI_BYTE, (int)to, TAG, p->comm, &one->request) !=
      MPI_SUCCESS) {
    free(one); /* to a rank that has ended: it is as if the message were lost on its way */
    return true;
  }
  one->next = p->sent;
  p->sent = one;
  return true;
}

static bool make_room(post *p, size_t size) {
  if (size <= p->capacity) return true;
  char *more = realloc(p->received, size);
  if (more == NULL) return false;
  p->received = more;
  p->capacity = size;
  return true;
}

static bool post_receive(void *state, size_t *from, const void **data, size_t *size) {
  post *p = state;
  int there = 0, count = 0;
  MPI_Message message;
  MPI_Status status;
  if (p->sent != NULL) sweep_parcels(p);
  if (MPI_Improbe(MPI_ANY_SOURCE, TAG, p->comm, &there, &message, &status) != MPI_SUCCESS || !there)
    return false;
  if (MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS || count < 0) return false;
  if (!make_room(p, (size_t)count + 1)) return false;
  if (MPI_Mrecv(p->received, count, MPI_BYTE, &message, &status) != MPI_SUCCESS) return false;
  *from = (size_t)status.MPI_SOURCE;
  *data = p->received;
  *size = (size_t)count;
  return true;
}

static double post_now(void *state) {
  (void)state;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void post_nap(void *state, double length) {
  (void)state;
  struct timespec pause = {.tv_sec = (time_t)length};
  pause.tv_nsec = (long)(1e9 * (length - (double)pause.tv_sec));
  nanosleep(&pause, NULL);
}

/* MPI_Finalize waits for all ranks: not if one has ended before. What is left in memory then goes with the process. */
static void post_close(void *state, bool all) {
  post *p = state;
  double until = post_now(p) + (all ? LINGER : LINGER_SHORT);
  sweep_parcels(p);
  while (p->sent != NULL && post_now(p) < until) {
    post_nap(p, 1e-3);
    sweep_parcels(p);
  }
  if (!all || p->sent != NULL) return;
  MPI_Comm_free(&p->comm);
  alarm(FINALIZE);
  MPI_Finalize();
  alarm(0);
  free(p->received);
  free(p);
}

static size_t count_beside(MPI_Comm comm) {
  MPI_Comm here;
  int count = 1;
  if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) != MPI_SUCCESS)
    return 1;
  MPI_Comm_size(here, &count);
  MPI_Comm_free(&here);
  return (size_t)count;
}

static bool join(post *p, brink_ranks *ranks) {
  int level, rank = 0, count = 1;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS ||
      MPI_Comm_dup(MPI_COMM_WORLD, &p->comm) != MPI_SUCCESS)
    return false;
  /* A rank that has ended makes calls fail; by default it would end this one. */
  MPI_Comm_set_errhandler(p->comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(p->comm, &rank);
  MPI_Comm_size(p->comm, &count);
  *ranks = (brink_ranks){.rank = (size_t)rank,
                         .count = (size_t)count,
                         .beside = count_beside(p->comm),
                         .state = p,
                         .send = post_send,
                         .receive = post_receive,
                         .now = post_now,
                         .nap = post_nap,
                         .close = post_close};
  return true;
}

static bool post_open(brink_ranks *ranks, char *reason, size_t size) {
  post *p = calloc(1, sizeof *p);
  if (p != NULL && join(p, ranks)) return true;
  snprintf(reason, size, p == NULL ? "out of memory" : "MPI does not start");
  free(p);
  return false;
}

BRINK_API extern const brink_ranks_module brink_ranks_of_mpi;
const brink_ranks_module brink_ranks_of_mpi = {
    .version = BRINK_RANKS_VERSION, .build = BRINK_VERSION, .open = post_open};
