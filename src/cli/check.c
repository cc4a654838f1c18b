/* check.c: brink check: every diagnostic, without running. */
#include "cli/load.h"

int cli_check(const cli_arguments *arguments) {
  int worst = CLI_OK;
  for (size_t k = 0; k < arguments->noperands; k++) {
    cli_loaded loaded;
    int outcome = cli_load(&loaded, arguments, arguments->operands[k]);
    cli_unload(&loaded);
    if (outcome > worst) worst = outcome;
    if (outcome == CLI_USAGE) break;
  }
  return worst;
}
