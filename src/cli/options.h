/* options.h: one table of commands, one of options. Parsing (arguments.c), --help (help.c), manual
 * pages (manual.c), completion (completion.c) and "did you mean" are made from these. */
#ifndef BRINK_CLI_OPTIONS_H
#define BRINK_CLI_OPTIONS_H

#include "cli/cli.h"

typedef enum cli_option_id {
  CLI_TOP,
  CLI_IMPORT_PATH,
  CLI_SET,
  CLI_INPUT,
  CLI_INPUT_HOLD,
  CLI_ALLOW_EXTERNAL,
  CLI_LIBRARY_PATH,
  CLI_FROM,
  CLI_UNTIL,
  CLI_METHOD,
  CLI_EVENTS,
  CLI_RTOL,
  CLI_ATOL,
  CLI_TOLERANCE,
  CLI_ORDER,
  CLI_STEP,
  CLI_HMIN,
  CLI_HMAX,
  CLI_GAIN,
  CLI_GAMMA,
  CLI_TERMINATION,
  CLI_PARTS,
  CLI_NEAR_MISS,
  CLI_RANGE,
  CLI_ZENO,
  CLI_SEED,
  CLI_CLOCKS,
  CLI_THREADS,
  CLI_INTERPRET,
  CLI_NATIVE,
  CLI_AUDIT,
  CLI_SENSITIVITY,
  CLI_AGAINST,
  CLI_CHECKPOINT,
  CLI_CHECKPOINT_EVERY,
  CLI_RESUME,
  CLI_WAITING,
  CLI_EVERY,
  CLI_KEEP,
  CLI_OUT,
  CLI_REPORT,
  CLI_PLOT,
  CLI_JSON,
  CLI_JSON_STATES,
  CLI_QUIET,
  CLI_PROGRESS,
  CLI_COLOR,
  CLI_CHECK,
  CLI_PART,
  CLI_STRUCTURE,
  CLI_WRITE,
  CLI_KIND,
  CLI_LIST,
  CLI_REPETITIONS,
  CLI_VARY,
  CLI_SAMPLES,
  CLI_DESIGN,
  CLI_MEASURE,
  CLI_INDICES,
  CLI_OUT_TABLE,    /* of sweep: --out */
  CLI_RESUME_TABLE, /* of sweep: --resume */
  CLI_KEEP_RUNS,    /* of sweep: --keep */
  CLI_KEEP_REPORTS,
  CLI_KEEP_FORMAT,
  CLI_JOBS,
  CLI_LANES,
  CLI_LIMIT,
  CLI_SHARE,
  CLI_JOIN,
  CLI_PATIENCE,
  CLI_BOUNDS, /* --vary of a fit */
  CLI_DATA,
  CLI_EVENT_TIMES,
  CLI_SIGMA,
  CLI_MINIMIZE,
  CLI_MAXIMIZE,
  CLI_SUBJECT_TO,
  CLI_STARTS,
  CLI_FIT_JOBS,
  CLI_FIT_PATIENCE,
  CLI_MAX_RUNS,
  CLI_DERIVATIVES,
  CLI_CONFIDENCE,
  CLI_HELP,
  CLI_VERSION,
  CLI_OPTION_COUNT
} cli_option_id;

typedef enum cli_option_group {
  CLI_GROUP_MODEL,
  CLI_GROUP_METHOD,
  CLI_GROUP_BEHAVIOUR,
  CLI_GROUP_SWEEP,
  CLI_GROUP_FIT,
  CLI_GROUP_RESULTS,
  CLI_GROUP_GENERAL,
  CLI_GROUP_COUNT
} cli_option_group;

typedef struct cli_option {
  const char *name;     /* without dashes */
  char letter;          /* 0: none */
  const char *argument; /* "T"; NULL: takes none */
  const char *choices;  /* "auto|always|never"; NULL: anything */
  const char *fallback; /* what holds without it, for the help; NULL: nothing to say */
  const char *files;    /* the endings of the files that it names: "csv|mat|h5"; NULL: no file */
  const char *help;
  cli_option_group group;
  unsigned commands; /* bits: 1 << cli_command_id */
  bool setting;      /* may stand in a model's simulation section */
} cli_option;

extern const cli_option cli_options[CLI_OPTION_COUNT];

typedef enum cli_command_id {
  CLI_COMMAND_RUN,
  CLI_COMMAND_CONDITION,
  CLI_COMMAND_SWEEP,
  CLI_COMMAND_FIT,
  CLI_COMMAND_CHECK,
  CLI_COMMAND_FMT,
  CLI_COMMAND_EMIT,
  CLI_COMMAND_NEW,
  CLI_COMMAND_REPRODUCE,
  CLI_COMMAND_DOCTOR,
  CLI_COMMAND_MANUAL,
  CLI_COMMAND_COMPLETION,
  CLI_COMMAND_COUNT
} cli_command_id;

/* What stands behind a command's name. */
typedef enum cli_operand {
  CLI_OPERAND_NONE,
  CLI_OPERAND_MODEL,
  CLI_OPERAND_NAME, /* of something new */
  CLI_OPERAND_SHELL,
  CLI_OPERAND_COMMAND,
  CLI_OPERAND_EXPERIMENT,
} cli_operand;

typedef struct cli_example {
  const char *words; /* what it does; NULL: the list ends */
  const char *command;
} cli_example;

enum { CLI_EXAMPLES = 4 };

typedef struct cli_command {
  const char *name;
  const char *operands; /* "MODEL.hsml"; "": none */
  cli_operand operand;
  size_t least, most; /* operands */
  const char *help;   /* one line */
  const char *more;   /* for its own help; NULL: nothing */
  cli_example examples[CLI_EXAMPLES + 1];
  int (*run)(const cli_arguments *arguments);
} cli_command;

/* A word and what it means: exit codes, variables of the environment. The last has no word. */
typedef struct cli_entry {
  const char *word;
  const char *help;
} cli_entry;

extern const cli_entry cli_exit_codes[];
extern const cli_entry cli_environment[];
extern const char cli_shells[]; /* "bash|zsh|fish" */
extern const char cli_tagline[];

extern const cli_command cli_commands[CLI_COMMAND_COUNT];
extern const char *const cli_group_titles[CLI_GROUP_COUNT];

/* NULL: there is none of that name. */
const cli_command *cli_command_find(const char *name);
const cli_option *cli_option_find(const char *name);
/* Its bit in cli_option.commands. */
unsigned cli_command_bit(const cli_command *command);
/* Has this command this option, in this version? */
bool cli_command_takes(const cli_command *command, const cli_option *option);

/* What was given, in order. */
typedef struct cli_given {
  cli_option_id id;
  const char *value; /* NULL: takes none */
} cli_given;

struct cli_arguments {
  const cli_command *command;
  cli_given *given;
  size_t ngiven;
  const char **operands;
  size_t noperands;
};

/* How many options these words can give, at most: "-qqq" gives three. Never 0. */
size_t cli_arguments_room(int argc, char **argv);

/* Parses what follows the command's name. CLI_OK; CLI_USAGE: said; -1: help was asked for. `given` must have
 * the room that cli_arguments_room tells, `operands` room for argc. */
int cli_arguments_parse(cli_arguments *arguments, int argc, char **argv);

bool cli_has(const cli_arguments *arguments, cli_option_id id);
/* The last value; NULL: not given. */
const char *cli_value(const cli_arguments *arguments, cli_option_id id);
/* All of it, as a shell reads it back. */
void cli_command_line(const cli_arguments *arguments, brink_text *text);

/* Is `value` one of the option's choices (or has it none)? If not, says why. */
bool cli_option_allows(const cli_option *option, const char *value, brink_text *problem);
/* The same for a list of words, "bash|zsh|fish". */
bool cli_choice_allows(const char *choices, const char *value, brink_text *problem);

/* "--untl" or "rnu": the nearest name that there is; NULL: none is near. */
const char *cli_nearest_option(const char *name, unsigned commands);
const char *cli_nearest_command(const char *name);

/* The next of "a|b|c": its length, and *list behind it (NULL: that was the last). */
size_t cli_next_choice(const char **list, const char **choice);

/* A command that exists in this version; NULL: said why not. */
const cli_command *cli_command_choose(const char *word);

/* The help of the program (command NULL) or of a command. */
void cli_help(const cli_command *command, brink_text *text);

#endif
