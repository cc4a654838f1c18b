/* ranks.h: a run that several ranks make together. See population_ranks.c. */
#ifndef BRINK_RUN_RANKS_H
#define BRINK_RUN_RANKS_H

#include "agents/domain.h"
#include "run/run.h"

/* Before the run begins, on all ranks: its agents are divided among them. *reason is set, and nothing else, where they
 * cannot be: then rank 0 makes the run alone, and the others have nothing to do. `patience`: seconds of silence after which a
 * rank is given up. Rank 0 goes on as with any run; the ranks must outlive it. Statuses: OK, MEMORY. */
brink_status brink_run_use_ranks(brink_run *run, const brink_ranks *ranks, double patience,
                                 const char **reason, brink_diag *diag);
/* On a rank other than 0, instead of moving: takes part until rank 0 has ended. `limit` as of rank 0. */
brink_status brink_run_follow(brink_run *run, double limit, brink_diag *diag);

/* On rank 0: the ranks have failed, not the run. */
bool brink_run_ranks_failed(const brink_run *run);

/* On rank 0; false: there are none, as the run was not divided. */
bool brink_run_rank_statistics(const brink_run *run, brink_domain_stats *stats);

#endif
