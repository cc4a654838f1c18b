/* launch.c: how this process was started. */
#include "ranks/launch.h"

#include <stdlib.h>

/* One way to start ranks: which variables have the number of this one and of all. */
typedef struct starter {
  const char *by, *rank, *count;
  bool mpi;
} starter;

/* The first that fits counts: mpirun inside a job of Slurm sets its own variables and leaves those of Slurm. PMIX_RANK comes
 * from srun --mpi=pmix, which knows the number of tasks of its step, and from others, which do not say it. */
static const starter starters[] = {
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", true}, /* Open MPI */
    {"mpirun", "PMI_RANK", "PMI_SIZE", true},                         /* MPICH and its relatives */
    {"srun", "PMIX_RANK", "SLURM_STEP_NUM_TASKS", true},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", false},
};

static bool read_number(const char *text, size_t *number) {
  if (text == NULL || text[0] < '0' || text[0] > '9') return false;
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  if (*end != '\0' || value > 100000000) return false;
  *number = value;
  return true;
}

brink_launch brink_launch_find(char *(*get)(const char *name)) {
  for (size_t k = 0; k < sizeof starters / sizeof starters[0]; k++) {
    const starter *s = &starters[k];
    brink_launch launch = {.by = s->by, .mpi = s->mpi};
    if (!read_number(get(s->rank), &launch.rank)) continue;
    bool counted = read_number(get(s->count), &launch.count);
    /* A batch script of Slurm has a number, too, but is no step. */
    if (!counted && !s->mpi) continue;
    if (counted && launch.count <= 1) break;
    return launch;
  }
  return (brink_launch){.count = 1};
}
