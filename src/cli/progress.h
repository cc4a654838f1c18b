/* progress.h: a line on a terminal while a run is long; interruption. */
#ifndef BRINK_CLI_PROGRESS_H
#define BRINK_CLI_PROGRESS_H

#include "cli/settings.h"

/* From now on SIGINT and SIGTERM do not end the program: they are noted, and cancel the run (NULL: there is none). */
void cli_interrupt_watch(brink_run *run);
int cli_interrupt_signal(void); /* 0: none so far */

typedef struct cli_progress {
  bool shown, terminal, utf8;
  double next;         /* when to show it again */
  double from, until;  /* simulated time; until may be infinite */
  double last, last_t; /* when it was told, and of which time */
  double speed;        /* simulated seconds per second, smoothed; 0: not known yet */
  bool any;
  bool counts_runs; /* of a sweep: instead of time; events are runs that failed */
} cli_progress;

/* Of a run that begins now, at simulated time `from`. */
cli_progress cli_progress_begin(cli_when when, bool quiet, double from, double until);
void cli_progress_show(cli_progress *progress, double t, const brink_stats *stats);
void cli_progress_end(cli_progress *progress); /* leaves a clean line */

/* The line for a terminal of this width, without what moves the cursor. */
void cli_progress_bar(const cli_progress *progress, double t, int64_t events, size_t width,
                      brink_text *text);
/* The line for a file. */
void cli_progress_line(const cli_progress *progress, double t, const brink_stats *stats,
                       brink_text *text);

#endif
