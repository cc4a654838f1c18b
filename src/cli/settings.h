/* settings.h: what a run is asked for. */
#ifndef BRINK_CLI_SETTINGS_H
#define BRINK_CLI_SETTINGS_H

#include "cli/options.h"
#include "run/hsml.h"

typedef enum cli_when { CLI_AUTO, CLI_ALWAYS, CLI_NEVER } cli_when;

typedef struct cli_settings {
  brink_run_options run;
  bool json, quiet;
  bool json_states;     /* … with the whole state of every event */
  brink_method against; /* condition: the method to compare with; auto: none */
  double against_step;  /* its fixed step; 0: it has none */
  bool sensitivity;     /* condition: every derivative, however many there are */
  cli_when progress, color;
  const char *keep;                /* what is recorded; NULL: as the model says, or the usual */
  const char *out;                 /* NULL: nowhere */
  const char *report;              /* likewise */
  const char *plot;                /* "x,y:z"; NULL: nothing */
  const char *checkpoint, *resume; /* files; NULL: none */
  double checkpoint_every;         /* 0: not given */
  const char *waiting;             /* picture of ranks; NULL: none */
} cli_settings;

/* The command line alone: CLI_OK, or CLI_USAGE and said. */
int cli_settings_read(cli_settings *settings, const cli_arguments *arguments);

/* The model's simulation section first, then the command line. CLI_OK; CLI_MODEL_ERRORS: the section
 * says something impossible; CLI_USAGE: together they make no run. Said. */
int cli_settings_combine(cli_settings *settings, const cli_arguments *arguments,
                         const brink_system *system);

cli_when cli_when_of(const char *word); /* NULL: auto */

#endif
