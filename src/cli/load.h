/* load.h: from a file to a flat system, with diagnostics on the screen. */
#ifndef BRINK_CLI_LOAD_H
#define BRINK_CLI_LOAD_H

#include "cli/input.h"
#include "lang/knobs.h"
#include "run/templates.h"

typedef struct cli_loaded {
  brink_unit *unit;
  brink_system *system; /* NULL: not flattened */
  /* Agents have clocks of their own, and `system` holds their values; NULL: all is one. */
  brink_agent_tables *tables;
  const char
      *reason; /* why they do not have them though it was tried; NULL: it was not, or they have */
  cli_input input;
} cli_loaded;

/* Parses one file. CLI_OK, CLI_FILE, CLI_NUMERICS (no memory); errors in it are in the unit. */
int cli_load_parse(cli_loaded *loaded, const char *path);

/* Parses, checks, flattens, and shows every diagnostic (warnings only if not --quiet). */
int cli_load(cli_loaded *loaded, const cli_arguments *arguments, const char *path);
void cli_unload(cli_loaded *loaded);

/* The component that runs; NULL: there is none of that name. */
const brink_component *cli_load_top(const cli_loaded *loaded, const cli_arguments *arguments);
/* Is --clocks one asked for, on the command line or by the model? */
bool cli_load_one_clock(const cli_loaded *loaded, const cli_arguments *arguments);

/* Everything in one system, after all. CLI_OK, or said. */
int cli_load_one(cli_loaded *loaded, const cli_arguments *arguments);

/* The knobs of what was loaded, `most` at most. OK or MEMORY; free them in any case. */
brink_status cli_load_knobs(cli_loaded *loaded, const cli_arguments *arguments, size_t most,
                            brink_knobs *knobs);

/* Shows what is in the unit's report. CLI_OK or CLI_MODEL_ERRORS. */
int cli_report(brink_unit *unit, const cli_arguments *arguments);

#endif
