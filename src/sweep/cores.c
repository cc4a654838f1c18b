/* cores.c: processors that this process may use. Those that start jobs on a cluster give each process its own. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for sched_getaffinity */
#endif
#include <sched.h>
#include <unistd.h>

#include "sweep/by_ranks.h"

size_t brink_sweep_machine_cores(void) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores > 0 ? (size_t)cores : 1;
}

size_t brink_sweep_cores(void) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
    return (size_t)CPU_COUNT(&allowed);
  return brink_sweep_machine_cores(); /* more than a cpu_set_t can name */
}
