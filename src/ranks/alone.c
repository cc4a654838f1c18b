/* alone.c: a process that has no others: threads of one process are used as ranks of several would be. */
#include <time.h>

#include "ranks/ranks.h"

static bool send_nowhere(void *state, size_t to, const void *data, size_t size) {
  (void)state, (void)to, (void)data, (void)size;
  return true;
}

static bool receive_nothing(void *state, size_t *from, const void **data, size_t *size) {
  (void)state, (void)from, (void)data, (void)size;
  return false;
}

static double now(void *state) {
  (void)state;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void nap(void *state, double length) {
  (void)state;
  struct timespec pause = {.tv_sec = (time_t)length};
  pause.tv_nsec = (long)(1e9 * (length - (double)pause.tv_sec));
  nanosleep(&pause, NULL);
}

static void close_nothing(void *state, bool all) {
  (void)state, (void)all;
}

brink_ranks brink_ranks_alone(void) {
  return (brink_ranks){.count = 1,
                       .beside = 1,
                       .send = send_nowhere,
                       .receive = receive_nothing,
                       .now = now,
                       .nap = nap,
                       .close = close_nothing};
}
