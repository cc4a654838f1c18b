/* ranks.h: a command that may be one of several ranks: loading the module for MPI, and who says what. */
#ifndef BRINK_CLI_RANKS_H
#define BRINK_CLI_RANKS_H

#include "cli/cli.h"
#include "ranks/ranks.h"

typedef struct cli_ranks {
  brink_ranks ranks;
  bool joined;  /* there are others */
  bool leads;   /* this one is alone, or rank 0: it writes and speaks */
  bool served;  /* the others know what became of the work */
  bool one_run; /* they make one run, step by step (ranks/exchange.h), not many (ranks/farm.h) */
  size_t lost;  /* ranks that were given up */
  FILE *errors; /* what a rank that does not lead would say; rank 0 is told if it fails */
} cli_ranks;

/* Finds out whether this process was started as one of several, and joins them. `separate`: each process has work of its
 * own, so that it may be one of several without knowing the others. `shares`: the command has --share. CLI_OK, or an exit code;
 * then it was said why. */
int cli_ranks_open(cli_ranks *ranks, bool separate, bool shares);
/* The end: the others are told if this one has not served. Returns the exit code of this process. */
int cli_ranks_close(cli_ranks *ranks, int outcome);

#endif
