/* plot.h: --plot: what a person wants to look at, drawn after the run. */
#ifndef BRINK_CLI_PLOT_H
#define BRINK_CLI_PLOT_H

#include "cli/run.h"

/* The run is made, and has not begun: which columns are meant by --plot. Fills sim->plot, also and wanted.
 * CLI_OK; CLI_USAGE: there is no such name; CLI_NUMERICS: out of memory. Said. */
int cli_plot_begin(cli_simulation *sim);

void cli_plot_end(cli_simulation *sim); /* what that took is given back */

/* After the summary: to standard output, or to standard error where that belongs to --json or
 * --out -. CLI_OK; CLI_FILE, CLI_NUMERICS: said. */
int cli_plot_print(const cli_simulation *sim);

#endif
