/* progress.h: a line on a terminal while a run is long; interruption. */
#ifndef BRINK_CLI_PROGRESS_H
#define BRINK_CLI_PROGRESS_H

#include "cli/settings.h"

/* Seconds on a clock that only moves forward. */
double cli_seconds(void);

/* From now on SIGINT and SIGTERM do not end the program: they are noted. */
void cli_interrupt_watch(void);
int cli_interrupt_signal(void); /* 0: none so far */

typedef struct cli_progress {
  bool shown, terminal;
  double next; /* when to show it again */
  double until;
  bool any;
} cli_progress;

cli_progress cli_progress_begin(cli_when when, bool quiet, double until);
void cli_progress_tell(cli_progress *progress, double t, const brink_stats *stats);
void cli_progress_end(cli_progress *progress); /* leaves a clean line */

#endif
