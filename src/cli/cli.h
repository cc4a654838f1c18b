/* cli.h: the program, inside.
 *
 *   main.c      which command; help and version
 *   options.c   the tables of commands and options; "did you mean"
 *   arguments.c what was typed, read by these tables
 *   help.c, manual.c, completion.c   the tables as help, manual pages, scripts for shells
 *   settings.c  what a run is asked for: the model's simulation section, then the command line
 *   effect.c    options that have no effect in a run: a warning
 *   input.c     --input: a table of inputs over time
 *   load.c      reading, checking and flattening a model; diagnostics on the screen
 *   files.c     no file is written that is also read, or written twice
 *   output.c    files and standard output, whose failures are never lost
 *   run.c       brink run: simulate, record, sum up
 *   sweep.c     brink sweep: many runs, one row each
 *   fit.c       brink fit: knobs from data, or for the best outcome
 *   summary.c   the summary for a person
 *   plot.c      --plot: which columns, and their pictures; picture.c: curves as characters
 *   progress.c  a line on a terminal while a run is long; interruption
 *   terminal.c  what the terminal can show
 *   colour.c    who gets colours, and which
 *   reproduce.c the published experiments (experiments/), their verdicts and their page
 *   ranks.c     a command as one of several ranks: the module for MPI
 *   check.c, fmt.c, emit.c, new.c, doctor.c   the commands of these names; starter.c: the models of new
 *
 * This is the only place of the project that prints or exits. */
#ifndef BRINK_CLI_CLI_H
#define BRINK_CLI_CLI_H

#include "base/base.h"

#include <stdio.h>

/* Exit codes. */
enum {
  CLI_OK = 0,
  CLI_MODEL_FAILED = 1, /* the model said fail(…), or left a declared range */
  CLI_USAGE = 2,
  CLI_MODEL_ERRORS = 3,
  CLI_NUMERICS = 4,
  CLI_FILE = 5,
  CLI_INTERRUPTED = 130, /* 128 and the number of the signal, as shells count */
  CLI_PIPE = 141,        /* nobody reads standard output any more */
};

typedef struct cli_arguments cli_arguments;

int cli_run(const cli_arguments *arguments);
int cli_condition(const cli_arguments *arguments);
int cli_sweep(const cli_arguments *arguments);
int cli_fit(const cli_arguments *arguments);
int cli_check(const cli_arguments *arguments);
int cli_fmt(const cli_arguments *arguments);
int cli_emit(const cli_arguments *arguments);
int cli_new(const cli_arguments *arguments);
int cli_reproduce(const cli_arguments *arguments);
int cli_doctor(const cli_arguments *arguments);
int cli_manual(const cli_arguments *arguments);
int cli_completion(const cli_arguments *arguments);

/* "brink: …" on standard error, one line. What others wrote may be in it: it is shown escaped (base/show.h). */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void cli_say(const char *format, ...);

/* The same with a pointer to the help of a command (NULL: of the program); returns CLI_USAGE. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int cli_misuse(const char *command, const char *format, ...);

/* A status of the library that is a failure, said, as an exit code. What does not go with the model or with this installation is wrong
 * usage, as what is not allowed at all: another command helps. The one place for commands that make many runs. */
int cli_refuse(const char *command, brink_status status, const brink_diag *diag);

/* The same with lines that show where, which end with one that has no end of line. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
int cli_misuse_at(const char *command, const char *carets, const char *format, ...);

/* "PLACE: error: …" on standard error. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cli_complain(const char *place, const char *format, ...);

/* output.c */

/* If the program crashes from now on, and `path` is a .h5 file, a message says so before it ends. */
void cli_crash_watch(const char *path);

/* A file being written, or standard output. The first failure is said once, and stays. */
typedef struct cli_output {
  FILE *stream;
  const char *name; /* for messages */
  bool failed;
} cli_output;

/* path "-": standard output. False: said. */
bool cli_output_open(cli_output *output, const char *path);
/* A file: what is in it stays. */
bool cli_output_append(cli_output *output, const char *path);
/* A report that cannot be written is better known before the run than after it. Leaves no file where there was none.
 * False: the reason has been said. */
bool cli_output_is_writable(const char *path);
/* Takes text as a brink_writer does; `user` is the cli_output. */
int cli_output_write(const char *text, size_t length, void *user);
/* CLI_OK, or CLI_FILE if anything was lost. */
int cli_output_close(cli_output *output);
/* A whole text to standard output; frees it. CLI_OK; CLI_FILE: said. */
int cli_print(brink_text *text);

#endif
