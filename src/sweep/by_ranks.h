/* by_ranks.h: runs made by ranks: processes on one or many machines (src/ranks). See workers.h. */
#ifndef BRINK_SWEEP_BY_RANKS_H
#define BRINK_SWEEP_BY_RANKS_H

#include "ranks/farm.h"
#include "sweep/workers.h"
#include <brink/sweep.h>

/* On every rank. Rank 0 takes the rows, and is told what to look at; others look, too, but take none. The fingerprint says
 * what the work is; *lost counts ranks that were given up after `patience` seconds of silence. Statuses: as of brink_work_by_threads; UNSUPPORTED: a rank has
 * other work; CALLBACK: a rank could not do its part. */
brink_status brink_work_by_ranks(const brink_work *work, const brink_ranks *ranks, double patience,
                                 const unsigned char fingerprint[BRINK_FARM_FINGERPRINT],
                                 size_t *lost, brink_diag *diag);

/* Before brink_sweep_run, on every rank: all of them make the runs of this one sweep. Rank 0 writes the table; the others
 * write none, and have none. A rank that is silent for `patience` seconds is given up. The ranks must live as long as the
 * sweep. */
void brink_sweep_use_ranks(brink_sweep *sweep, const brink_ranks *ranks, double patience);
/* Ranks of which nothing was heard any more; others have made their runs. */
size_t brink_sweep_lost_ranks(const brink_sweep *sweep);

/* cores.c: processors that this process may use, and all of this machine. */
size_t brink_sweep_cores(void);
size_t brink_sweep_machine_cores(void);

#endif
