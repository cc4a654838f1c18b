/* check.c: brink check: every diagnostic, without running; the structures of the constraints. */
#include "cli/load.h"
#include "expr/structure.h"

static int print_structures(const brink_hsml *model) {
  brink_text text = {0};
  if (model->built == NULL) return CLI_OK;
  brink_structure_list_text(model->built->system, &text);
  if (!text.failed) return cli_print(&text);
  cli_say("out of memory");
  brink_text_free(&text);
  return CLI_NUMERICS;
}

int cli_check(const cli_arguments *arguments) {
  int worst = CLI_OK;
  for (size_t k = 0; k < arguments->noperands; k++) {
    brink_hsml *model = NULL;
    int outcome = cli_load(&model, arguments, arguments->operands[k], BRINK_BUILD_CHECK);
    if (outcome == CLI_OK && cli_has(arguments, CLI_STRUCTURE)) outcome = print_structures(model);
    brink_hsml_destroy(model);
    if (outcome > worst) worst = outcome;
    if (outcome == CLI_USAGE) break;
  }
  return worst;
}
