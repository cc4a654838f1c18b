/* input.h: --input FILE.csv: values of the top component's inputs over time. */
#ifndef BRINK_CLI_INPUT_H
#define BRINK_CLI_INPUT_H

#include "cli/options.h"
#include "native/native.h"

typedef struct cli_input {
  const char *path; /* NULL: there is none */
  brink_arena arena;
  size_t ncolumns;
  const char **names; /* of the columns but the first, which is time */
  const char **cells; /* cells[row*ncolumns + column], as text; what they mean the model says */
  size_t *line;       /* of each row, for messages */
  double *t;
  size_t nrows;
  const char **sets; /* "name=value": what holds at the start */
  brink_input_table table;
} cli_input;

/* Reads the file that --input names, if it is given. CLI_OK; CLI_FILE or CLI_USAGE: said. */
int cli_input_read(cli_input *input, const cli_arguments *arguments);

/* The cells as numbers of this system, each within its range. CLI_OK; CLI_FILE: said. */
int cli_input_bind(cli_input *input, const brink_system *system);

void cli_input_free(cli_input *input);

#endif
