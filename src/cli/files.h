/* files.h: files that a command reads and writes: none is written that it also reads, or writes twice. */
#ifndef BRINK_CLI_FILES_H
#define BRINK_CLI_FILES_H

#include "cli/options.h"
#include "lang/ast.h"

/* Of the command line and of a model with its imports and libraries. Ask before the first file is opened for writing. CLI_OK;
 * CLI_USAGE: said. */
int cli_files_check(const cli_arguments *arguments, const brink_unit *unit);

#endif
