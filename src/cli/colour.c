/* colour.c: who gets colours, and which. */
#include "cli/colour.h"

#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"

static const cli_colours none = {"", "", "", "", "", "", "", "", ""};
static const cli_colours some = {.bold = "\033[1m",
                                 .dim = "\033[2m",
                                 .error = "\033[1;31m",
                                 .warning = "\033[1;35m",
                                 .good = "\033[1;32m",
                                 .caret = "\033[32m",
                                 .hint = "\033[36m",
                                 .name = "\033[36m",
                                 .plain = "\033[0m"};

static bool is_wanted(int file) {
  const char *terminal = getenv("TERM"), *no = getenv("NO_COLOR");
  return cli_is_terminal(file) && terminal != NULL && strcmp(terminal, "dumb") != 0 &&
         (no == NULL || no[0] == '\0');
}

const cli_colours *cli_colours_for(cli_when when, int file) {
  bool coloured = when == CLI_AUTO ? is_wanted(file) : when == CLI_ALWAYS;
  return coloured ? &some : &none;
}
