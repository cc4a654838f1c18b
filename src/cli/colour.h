/* colour.h: who gets colours, and which. */
#ifndef BRINK_CLI_COLOUR_H
#define BRINK_CLI_COLOUR_H

#include "cli/settings.h"

/* What to write before words, and `plain` behind them. */
typedef struct cli_colours {
  const char *bold, *dim;
  const char *error, *warning, *good, *caret, *hint, *name;
  const char *plain;
} cli_colours;

/* For a file descriptor: standard output, standard error. All are "" where no colours are wanted: with
 * auto, only a terminal gets any, and none if TERM is dumb or NO_COLOR is set (no-color.org). */
const cli_colours *cli_colours_for(cli_when when, int file);

#endif
