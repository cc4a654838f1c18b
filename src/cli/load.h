/* load.h: a model, with its diagnostics on the screen. */
#ifndef BRINK_CLI_LOAD_H
#define BRINK_CLI_LOAD_H

#include "cli/options.h"
#include "run/hsml.h"

/* Reads and builds the model for this purpose, with the values of the command line, and shows every diagnostic
 * (warnings only if not --quiet). Destroy *model in any case. */
int cli_load(brink_hsml **model, const cli_arguments *arguments, const char *path,
             brink_build_purpose purpose);

/* Shows diagnostics as compilers do. */
void cli_show_message(const brink_hsml_message *message, const cli_arguments *arguments);

#endif
