/* options.c: the tables of commands and options, and what reads them. */
#include "cli/options.h"

#include <getopt.h>
#include <string.h>

#include "lang/ast.h"

/* ---- the tables ---- */

#define ON(command) (1u << CLI_COMMAND_##command)
#define SIMULATES (ON(RUN) | ON(CONDITION) | ON(SWEEP))
#define READS (SIMULATES | ON(CHECK) | ON(EMIT))
#define ALL (~0u)

const cli_option cli_options[CLI_OPTION_COUNT] = {
    [CLI_TOP] = {.name = "top",
                 .argument = "NAME",
                 .fallback = "the system, else the last component",
                 .help = "the component that runs",
                 .group = CLI_GROUP_MODEL,
                 .commands = READS},
    [CLI_SET] = {.name = "set",
                 .argument = "PATH=VALUE",
                 .help = "a parameter, an initial value, or an input of the top component; any "
                         "number of times",
                 .group = CLI_GROUP_MODEL,
                 .commands = READS},
    [CLI_SEED] = {.name = "seed",
                  .argument = "N",
                  .fallback = "1",
                  .help = "of all random draws",
                  .group = CLI_GROUP_MODEL,
                  .commands = READS,
                  .setting = true},
    [CLI_UNTIL] = {.name = "until",
                   .argument = "T",
                   .fallback = "the model's",
                   .help = "end time",
                   .group = CLI_GROUP_METHOD,
                   .commands = SIMULATES,
                   .setting = true},
    [CLI_METHOD] = {.name = "method",
                    .argument = "M",
                    .choices = "auto|adams|taylor|dopri|euler|taylor2|rk4|am3|bdf3|trapezoid",
                    .later = "bdf|dae",
                    .fallback = "auto",
                    .help =
                        "auto, adams (variable step and order), taylor (series of the solution), "
                        "dopri (Runge-Kutta 5(4)); at a fixed --step: euler, taylor2, rk4, am3, "
                        "bdf3, trapezoid",
                    .group = CLI_GROUP_METHOD,
                    .commands = SIMULATES,
                    .setting = true},
    [CLI_EVENTS] = {.name = "events",
                    .argument = "E",
                    .choices = "extrapolate|interpolate|endpoint|zlm|mnm",
                    .fallback = "extrapolate",
                    .help = "extrapolate (one-sided), interpolate (all roots of the dense output), "
                            "endpoint, zlm, mnm",
                    .group = CLI_GROUP_METHOD,
                    .commands = SIMULATES,
                    .setting = true},
    [CLI_RTOL] = {.name = "rtol",
                  .argument = "R",
                  .fallback = "1e-6",
                  .help = "relative tolerance",
                  .group = CLI_GROUP_METHOD,
                  .commands = SIMULATES | ON(EMIT),
                  .setting = true},
    [CLI_ATOL] = {.name = "atol",
                  .argument = "A",
                  .fallback = "1e-9",
                  .help = "absolute tolerance",
                  .group = CLI_GROUP_METHOD,
                  .commands = SIMULATES | ON(EMIT),
                  .setting = true},
    [CLI_TOLERANCE] = {.name = "tolerance",
                       .argument = "R",
                       .help = "both: rtol = R, atol = R/1000",
                       .group = CLI_GROUP_METHOD,
                       .commands = SIMULATES | ON(EMIT),
                       .setting = true},
    [CLI_ORDER] = {.name = "order",
                   .argument = "Q",
                   .fallback = "chosen",
                   .help = "fixed order of adams, 1 to 12, or of taylor, 1 to 30",
                   .group = CLI_GROUP_METHOD,
                   .commands = SIMULATES | ON(EMIT),
                   .setting = true},
    [CLI_STEP] = {.name = "step",
                  .argument = "H",
                  .fallback = "chosen",
                  .help = "fixed step; of methods with a variable one, the first",
                  .group = CLI_GROUP_METHOD,
                  .commands = SIMULATES,
                  .setting = true},
    [CLI_HMIN] = {.name = "hmin",
                  .argument = "H",
                  .fallback = "what time resolves",
                  .help = "smallest step",
                  .group = CLI_GROUP_METHOD,
                  .commands = SIMULATES,
                  .setting = true},
    [CLI_HMAX] = {.name = "hmax",
                  .argument = "H",
                  .fallback = "none",
                  .help = "largest step",
                  .group = CLI_GROUP_METHOD,
                  .commands = SIMULATES,
                  .setting = true},
    [CLI_GAMMA] = {.name = "gamma",
                   .argument = "G",
                   .fallback = "from the predicted error",
                   .help = "fixed gain of extrapolate, at least 0 and below 1",
                   .group = CLI_GROUP_METHOD,
                   .commands = SIMULATES,
                   .setting = true},
    [CLI_RANGE] = {.name = "range",
                   .argument = "stop|warn",
                   .choices = "stop|warn",
                   .fallback = "stop",
                   .help = "what a value outside its declared range does",
                   .group = CLI_GROUP_BEHAVIOUR,
                   .commands = SIMULATES,
                   .setting = true},
    [CLI_ZENO] = {.name = "zeno",
                  .argument = "stop|continue",
                  .choices = "stop|continue",
                  .fallback = "stop",
                  .help = "what infinitely many events in finite time do",
                  .group = CLI_GROUP_BEHAVIOUR,
                  .commands = SIMULATES,
                  .setting = true},
    [CLI_INTERPRET] = {.name = "interpret",
                       .help = "never call a C compiler",
                       .group = CLI_GROUP_BEHAVIOUR,
                       .commands = SIMULATES},
    [CLI_AUDIT] = {.name = "audit",
                   .help = "count right-hand-side evaluations made past a unilateral surface",
                   .group = CLI_GROUP_BEHAVIOUR,
                   .commands = SIMULATES},
    [CLI_THREADS] = {.name = "threads",
                     .argument = "N",
                     .fallback = "all cores",
                     .help = "for populations and sweeps",
                     .group = CLI_GROUP_BEHAVIOUR,
                     .commands = SIMULATES,
                     .setting = true},
    [CLI_EVERY] = {.name = "every",
                   .argument = "DT",
                   .fallback = "a row for each accepted step and each sample",
                   .help = "output grid; events are rows of their own, before and after",
                   .group = CLI_GROUP_RESULTS,
                   .commands = SIMULATES,
                   .setting = true},
    [CLI_OUT] = {.name = "out",
                 .letter = 'o',
                 .argument = "FILE.csv",
                 .help = "the trajectory; - is CSV on standard output",
                 .group = CLI_GROUP_RESULTS,
                 .commands = SIMULATES},
    [CLI_JSON] = {.name = "json",
                  .help = "the summary as one JSON object on standard output",
                  .group = CLI_GROUP_RESULTS,
                  .commands = SIMULATES},
    [CLI_QUIET] = {.name = "quiet",
                   .letter = 'q',
                   .help = "no summary, no warnings, no progress",
                   .group = CLI_GROUP_RESULTS,
                   .commands = READS},
    [CLI_PROGRESS] = {.name = "progress",
                      .argument = "auto|always|never",
                      .choices = "auto|always|never",
                      .fallback = "auto",
                      .help = "a line on standard error while it runs",
                      .group = CLI_GROUP_RESULTS,
                      .commands = SIMULATES},
    [CLI_COLOR] = {.name = "color",
                   .argument = "auto|always|never",
                   .choices = "auto|always|never",
                   .fallback = "auto",
                   .help = "coloured diagnostics",
                   .group = CLI_GROUP_GENERAL,
                   .commands = READS | ON(FMT)},
    [CLI_CHECK] = {.name = "check",
                   .help = "only tell whether the layout differs: then exit 1",
                   .group = CLI_GROUP_RESULTS,
                   .commands = ON(FMT)},
    [CLI_WRITE] = {.name = "write",
                   .letter = 'w',
                   .help = "write the file in place, instead of to standard output",
                   .group = CLI_GROUP_RESULTS,
                   .commands = ON(FMT)},
    [CLI_HELP] = {.name = "help",
                  .letter = 'h',
                  .help = "this help",
                  .group = CLI_GROUP_GENERAL,
                  .commands = ALL},
    [CLI_VERSION] = {.name = "version",
                     .letter = 'V',
                     .help = "the version",
                     .group = CLI_GROUP_GENERAL,
                     .commands = ALL},
    [CLI_INPUT] = {.name = "input", .argument = "FILE.csv", .commands = SIMULATES},
    [CLI_INPUT_HOLD] = {.name = "input-hold", .commands = SIMULATES},
    [CLI_REPORT] = {.name = "report", .argument = "FILE.html", .commands = SIMULATES},
    [CLI_CHECKPOINT] = {.name = "checkpoint", .argument = "FILE", .commands = SIMULATES},
    [CLI_CHECKPOINT_EVERY] = {.name = "checkpoint-every", .argument = "T", .commands = SIMULATES},
    [CLI_RESUME] = {.name = "resume", .argument = "FILE", .commands = SIMULATES},
    [CLI_VARY] = {.name = "vary", .argument = "NAME=VALUES", .commands = SIMULATES},
    [CLI_SAMPLES] = {.name = "samples", .argument = "N", .commands = SIMULATES},
    [CLI_KEEP] = {.name = "keep", .argument = "DIR", .commands = SIMULATES},
    [CLI_JOBS] = {.name = "jobs", .argument = "N", .commands = SIMULATES},
    [CLI_LIMIT] = {.name = "limit", .argument = "SECONDS", .commands = SIMULATES},
    [CLI_PLOT] = {.name = "plot", .argument = "x,y", .commands = SIMULATES},
    [CLI_LIST] = {.name = "list", .commands = ON(REPRODUCE)},
};

const char *const cli_group_titles[CLI_GROUP_COUNT] = {
    [CLI_GROUP_MODEL] = "The model",     [CLI_GROUP_METHOD] = "The method",
    [CLI_GROUP_BEHAVIOUR] = "Behaviour", [CLI_GROUP_RESULTS] = "Results",
    [CLI_GROUP_GENERAL] = "General",
};

const cli_command cli_commands[CLI_COMMAND_COUNT] = {
    [CLI_COMMAND_RUN] = {.name = "run",
                         .operands = "MODEL.hsml",
                         .most = 1,
                         .help = "simulate a model",
                         .more = "What the model's simulation section says holds, unless an option "
                                 "says otherwise.",
                         .run = cli_run},
    [CLI_COMMAND_CHECK] = {.name = "check",
                           .operands = "MODEL.hsml...",
                           .most = SIZE_MAX,
                           .help = "every diagnostic, without running",
                           .run = cli_check},
    [CLI_COMMAND_FMT] = {.name = "fmt",
                         .operands = "MODEL.hsml...",
                         .most = SIZE_MAX,
                         .help = "a model in canonical layout",
                         .run = cli_fmt},
    [CLI_COMMAND_EMIT] = {.name = "emit",
                          .operands = "MODEL.hsml",
                          .most = 1,
                          .help = "the generated C of a model",
                          .run = cli_emit},
    [CLI_COMMAND_CONDITION] = {.name = "condition"},
    [CLI_COMMAND_REPRODUCE] = {.name = "reproduce"},
    [CLI_COMMAND_SWEEP] = {.name = "sweep"},
    [CLI_COMMAND_NEW] = {.name = "new"},
    [CLI_COMMAND_DOCTOR] = {.name = "doctor"},
};

/* ---- looking up ---- */

const cli_command *cli_command_find(const char *name) {
  for (size_t k = 0; k < CLI_COMMAND_COUNT; k++) {
    if (strcmp(cli_commands[k].name, name) == 0) return &cli_commands[k];
  }
  return NULL;
}

const cli_option *cli_option_find(const char *name) {
  for (size_t k = 0; k < CLI_OPTION_COUNT; k++) {
    if (strcmp(cli_options[k].name, name) == 0) return &cli_options[k];
  }
  return NULL;
}

const char *cli_nearest_option(const char *name, unsigned commands) {
  const char *best = NULL;
  for (size_t k = 0; k < CLI_LATER_FIRST; k++) {
    if ((cli_options[k].commands & commands) != 0)
      best = brink_nearest(name, cli_options[k].name, best);
  }
  return best;
}

const char *cli_nearest_command(const char *name) {
  const char *best = NULL;
  for (size_t k = 0; k < CLI_COMMAND_LATER_FIRST; k++)
    best = brink_nearest(name, cli_commands[k].name, best);
  return best;
}

static bool is_listed(const char *list, const char *value) {
  size_t length = strlen(value);
  while (list != NULL) {
    const char *end = strchr(list, '|');
    size_t size = end != NULL ? (size_t)(end - list) : strlen(list);
    if (size == length && memcmp(list, value, size) == 0) return true;
    list = end != NULL ? end + 1 : NULL;
  }
  return false;
}

bool cli_option_allows(const cli_option *option, const char *value, brink_text *problem) {
  if (option->choices == NULL || is_listed(option->choices, value)) return true;
  if (is_listed(option->later, value))
    brink_text_add(problem, "%s is not in this version", value);
  else
    brink_text_add(problem, "it is one of %s", option->choices);
  return false;
}

bool cli_has(const cli_arguments *arguments, cli_option_id id) {
  for (size_t k = 0; k < arguments->ngiven; k++) {
    if (arguments->given[k].id == id) return true;
  }
  return false;
}

const char *cli_value(const cli_arguments *arguments, cli_option_id id) {
  const char *value = NULL;
  for (size_t k = 0; k < arguments->ngiven; k++) {
    if (arguments->given[k].id == id) value = arguments->given[k].value;
  }
  return value;
}

/* ---- parsing ---- */

enum { FIRST_VALUE = 256 }; /* of long options: above all letters */

static unsigned bit_of(const cli_command *command) {
  return 1u << (unsigned)(command - cli_commands);
}

/* The tables as getopt_long reads them. */
static void fill_getopt(struct option *long_options, char *letters) {
  *letters++ = ':'; /* a missing argument is told apart */
  for (int k = 0; k < CLI_OPTION_COUNT; k++) {
    const cli_option *option = &cli_options[k];
    int has = option->argument != NULL ? required_argument : no_argument;
    long_options[k] = (struct option){option->name, has, NULL, FIRST_VALUE + k};
    if (option->letter == 0) continue;
    *letters++ = option->letter;
    if (has == required_argument) *letters++ = ':';
  }
  *letters = '\0';
}

static int id_of(int code) {
  if (code >= FIRST_VALUE) return code - FIRST_VALUE;
  for (int k = 0; k < CLI_OPTION_COUNT; k++) {
    if (code != 0 && cli_options[k].letter == code) return k;
  }
  return CLI_OPTION_COUNT;
}

/* getopt_long said '?' or ':'. optopt is the option where it is known but wrongly used. */
static int complain(const cli_command *command, int code, const char *word) {
  int id = id_of(optopt);
  if (code == ':' && id < CLI_OPTION_COUNT)
    return cli_misuse(command->name, "--%s needs an argument: --%s %s", cli_options[id].name,
                      cli_options[id].name, cli_options[id].argument);
  if (optopt >= FIRST_VALUE && id < CLI_OPTION_COUNT)
    return cli_misuse(command->name, "--%s takes no argument", cli_options[id].name);
  if (optopt != 0 && strncmp(word, "--", 2) != 0)
    return cli_misuse(command->name, "unknown option '-%c'", optopt);
  char name[64];
  size_t length = strcspn(word + 2, "=");
  snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), word + 2);
  const char *near = cli_nearest_option(name, bit_of(command));
  size_t matches = 0;
  for (size_t k = 0; k < CLI_OPTION_COUNT; k++)
    matches += length > 0 && strncmp(cli_options[k].name, name, length) == 0;
  if (matches > 1)
    return cli_misuse(command->name, "'--%s' may be several options: write it out", name);
  return cli_misuse(command->name,
                    near != NULL ? "unknown option '--%s': did you mean --%s?"
                                 : "unknown option '--%s'%s",
                    name, near != NULL ? near : "");
}

static int accept(cli_arguments *arguments, int id, const char *value) {
  const cli_command *command = arguments->command;
  const cli_option *option = &cli_options[id];
  if (id >= CLI_LATER_FIRST)
    return cli_misuse(command->name, "--%s is not in this version", option->name);
  if ((option->commands & bit_of(command)) == 0)
    return cli_misuse(command->name, "'brink %s' has no option --%s", command->name, option->name);
  brink_text problem = {0};
  if (value != NULL && !cli_option_allows(option, value, &problem)) {
    cli_misuse(command->name, "--%s %s: %s", option->name, value,
               problem.data != NULL ? problem.data : "");
    brink_text_free(&problem);
    return CLI_USAGE;
  }
  arguments->given[arguments->ngiven++] = (cli_given){.id = (cli_option_id)id, .value = value};
  return CLI_OK;
}

static int check_operands(const cli_arguments *arguments) {
  const cli_command *command = arguments->command;
  if (arguments->noperands == 0)
    return cli_misuse(command->name, "which model? brink %s %s", command->name, command->operands);
  if (arguments->noperands > command->most)
    return cli_misuse(command->name, "'brink %s' takes one model: '%s' is one too many",
                      command->name, arguments->operands[command->most]);
  return CLI_OK;
}

int cli_arguments_parse(cli_arguments *arguments, int argc, char **argv) {
  struct option long_options[CLI_OPTION_COUNT + 1] = {0};
  char letters[2 * CLI_OPTION_COUNT + 2];
  fill_getopt(long_options, letters);
  opterr = 0;
  optind = 0; /* start anew */
  for (;;) {
    int at = optind > 0 ? optind : 1;
    int code = getopt_long(argc, argv, letters, long_options, NULL);
    if (code == -1) break;
    if (code == '?' || code == ':')
      return complain(arguments->command, code, argv[optind > at ? optind - 1 : at]);
    if (id_of(code) == CLI_HELP) return -1;
    int outcome = accept(arguments, id_of(code), optarg);
    if (outcome != CLI_OK) return outcome;
  }
  for (int k = optind; k < argc; k++) arguments->operands[arguments->noperands++] = argv[k];
  return cli_has(arguments, CLI_VERSION) ? CLI_OK : check_operands(arguments);
}
