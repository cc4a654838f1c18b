/* by_ranks.h: a fit whose runs are made by ranks, processes on one or many machines (src/ranks). */
#ifndef BRINK_FIT_BY_RANKS_H
#define BRINK_FIT_BY_RANKS_H

#include "ranks/ranks.h"
#include <brink/fit.h>

/* Before brink_fit_solve, on every rank: all of them make the runs of this one fit. Rank 0 has the result; the others have
 * none, and their brink_fit_solve returns when rank 0 needs them no more. A rank that is silent for `patience` seconds is
 * given up. The ranks must live as long as the fit. */
void brink_fit_use_ranks(brink_fit *fit, const brink_ranks *ranks, double patience);
/* Ranks of which nothing was heard any more; others have made their runs. */
size_t brink_fit_lost_ranks(const brink_fit *fit);

#endif
