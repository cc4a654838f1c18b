/* arguments.c: what was typed, read by the tables of options.c. */
#include "cli/options.h"

#include <getopt.h>
#include <string.h>

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

/* ---- the command ---- */

static bool is_model(const char *word) {
  size_t length = strlen(word);
  return length > 5 && strcmp(word + length - 5, ".hsml") == 0;
}

const cli_command *cli_command_choose(const char *word) {
  const cli_command *command = cli_command_find(word);
  if (command != NULL) return command;
  const char *near = cli_nearest_command(word);
  if (is_model(word))
    cli_misuse(NULL, "which command? To simulate: brink run %s", word);
  else if (word[0] == '-')
    cli_misuse(NULL, "'%s' stands before the command: options follow it", word);
  else if (near != NULL)
    cli_misuse(NULL, "unknown command '%s': did you mean '%s'?", word, near);
  else
    cli_misuse(NULL, "unknown command '%s'", word);
  return NULL;
}

/* ---- parsing ---- */

enum { FIRST_VALUE = 256 }; /* of long options: above all letters */

/* Is another option of this name the one of the command? */
static bool is_hidden(const cli_command *command, int k) {
  unsigned bit = cli_command_bit(command);
  bool another = false;
  for (int j = 0; j < CLI_OPTION_COUNT && (cli_options[k].commands & bit) == 0; j++)
    another = another || ((cli_options[j].commands & bit) != 0 &&
                          strcmp(cli_options[j].name, cli_options[k].name) == 0);
  return another;
}

/* The tables as getopt_long reads them. */
static void fill_getopt(const cli_command *command, struct option *long_options, char *letters) {
  *letters++ = ':'; /* a missing argument is told apart */
  for (int k = 0; k < CLI_OPTION_COUNT; k++) {
    const cli_option *option = &cli_options[k];
    int has = option->argument != NULL ? required_argument : no_argument;
    if (is_hidden(command, k)) continue;
    *long_options++ = (struct option){option->name, has, NULL, FIRST_VALUE + k};
    if (option->letter == 0) continue;
    *letters++ = option->letter;
    if (has == required_argument) *letters++ = ':';
  }
  *letters = '\0';
}

static int id_of(const cli_command *command, int code) {
  if (code >= FIRST_VALUE) return code - FIRST_VALUE;
  for (int k = 0; k < CLI_OPTION_COUNT; k++) {
    if (code != 0 && cli_options[k].letter == code && !is_hidden(command, k)) return k;
  }
  return CLI_OPTION_COUNT;
}

/* getopt_long said '?' or ':'. optopt is the option where it is known but wrongly used. */
static int complain(const cli_command *command, int code, const char *word) {
  int id = id_of(command, optopt);
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
  const char *near = cli_nearest_option(name, cli_command_bit(command));
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
  if ((option->commands & cli_command_bit(command)) == 0)
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

/* How a person calls an operand. */
static const struct {
  const char *noun, *question;
} operand_words[] = {
    [CLI_OPERAND_NONE] = {"nothing", ""},
    [CLI_OPERAND_MODEL] = {"model", "which model?"},
    [CLI_OPERAND_NAME] = {"name", "which name?"},
    [CLI_OPERAND_SHELL] = {"shell", "which shell?"},
    [CLI_OPERAND_COMMAND] = {"command", "which command?"},
    [CLI_OPERAND_EXPERIMENT] = {"experiment", "which experiment?"},
};

static int check_operands(const cli_arguments *arguments) {
  const cli_command *command = arguments->command;
  if (arguments->noperands < command->least)
    return cli_misuse(command->name, "%s brink %s %s", operand_words[command->operand].question,
                      command->name, command->operands);
  if (arguments->noperands > command->most)
    return cli_misuse(command->name, "'brink %s' takes %s%s: '%s' is %stoo many", command->name,
                      command->most > 0 ? "one " : "", operand_words[command->operand].noun,
                      arguments->operands[command->most], command->most > 0 ? "one " : "");
  return CLI_OK;
}

size_t cli_arguments_room(int argc, char **argv) {
  size_t room = 1;
  for (int k = 0; k < argc; k++) room += strlen(argv[k]);
  return room;
}

int cli_arguments_parse(cli_arguments *arguments, int argc, char **argv) {
  struct option long_options[CLI_OPTION_COUNT + 1] = {0};
  char letters[2 * CLI_OPTION_COUNT + 2];
  fill_getopt(arguments->command, long_options, letters);
  opterr = 0;
  optind = 0; /* start anew */
  for (;;) {
    int at = optind > 0 ? optind : 1;
    int code = getopt_long(argc, argv, letters, long_options, NULL);
    if (code == -1) break;
    if (code == '?' || code == ':')
      return complain(arguments->command, code, argv[optind > at ? optind - 1 : at]);
    if (id_of(arguments->command, code) == CLI_HELP) return -1;
    int outcome = accept(arguments, id_of(arguments->command, code), optarg);
    if (outcome != CLI_OK) return outcome;
  }
  for (int k = optind; k < argc; k++) arguments->operands[arguments->noperands++] = argv[k];
  return cli_has(arguments, CLI_VERSION) ? CLI_OK : check_operands(arguments);
}

/* ---- the command line again ---- */

/* A word as a shell reads it back. */
static void add_word(brink_text *text, const char *word) {
  bool plain =
      word[0] != '\0' && strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                      "0123456789_./:=,+-@%") == strlen(word);
  brink_text_add(text, plain ? " " : " '");
  for (const char *c = word; *c != '\0'; c++) brink_text_add(text, *c == '\'' ? "'\\''" : "%c", *c);
  if (!plain) brink_text_add(text, "'");
}

void cli_command_line(const cli_arguments *arguments, brink_text *text) {
  brink_text_add(text, "brink %s", arguments->command->name);
  for (size_t k = 0; k < arguments->noperands; k++) add_word(text, arguments->operands[k]);
  for (size_t k = 0; k < arguments->ngiven; k++) {
    brink_text_add(text, " --%s", cli_options[arguments->given[k].id].name);
    if (arguments->given[k].value != NULL) add_word(text, arguments->given[k].value);
  }
}
