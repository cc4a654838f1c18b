/* check.c: brink check: every diagnostic, without running. */
#include "cli/load.h"

int cli_check(const cli_arguments *arguments) {
  int worst = CLI_OK;
  for (size_t k = 0; k < arguments->noperands; k++) {
    brink_hsml *model = NULL;
    int outcome = cli_load(&model, arguments, arguments->operands[k], BRINK_BUILD_CHECK);
    brink_hsml_destroy(model);
    if (outcome > worst) worst = outcome;
    if (outcome == CLI_USAGE) break;
  }
  return worst;
}
