/* main.c: which command; help and version. */
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

static int print(brink_text *text) {
  cli_output output;
  cli_output_open(&output, "-");
  if (text->failed)
    cli_say("out of memory");
  else
    cli_output_write(text->data, text->length, &output);
  bool failed = text->failed;
  brink_text_free(text);
  int outcome = cli_output_close(&output);
  return failed ? CLI_FILE : outcome;
}

static int print_help(const cli_command *command) {
  brink_text text = {0};
  cli_help(command, &text);
  return print(&text);
}

static int print_version(void) {
  brink_text text = {0};
  brink_text_add(&text, "brink %s\n", brink_version());
  return print(&text);
}

static bool is_model(const char *word) {
  size_t length = strlen(word);
  return length > 5 && strcmp(word + length - 5, ".hsml") == 0;
}

/* A command of this version; NULL: said why not. */
static const cli_command *choose(const char *word) {
  const cli_command *command = cli_command_find(word);
  if (command != NULL && command->run != NULL) return command;
  const char *near = cli_nearest_command(word);
  if (command != NULL)
    cli_misuse(NULL, "'brink %s' is not in this version", word);
  else if (is_model(word))
    cli_misuse(NULL, "which command? To simulate: brink run %s", word);
  else if (word[0] == '-')
    cli_misuse(NULL, "'%s' stands before the command: options follow it", word);
  else if (near != NULL)
    cli_misuse(NULL, "unknown command '%s': did you mean '%s'?", word, near);
  else
    cli_misuse(NULL, "unknown command '%s'", word);
  return NULL;
}

static int run_command(const cli_command *command, int argc, char **argv) {
  cli_arguments arguments = {.command = command};
  arguments.given = calloc((size_t)argc, sizeof *arguments.given);
  arguments.operands = calloc((size_t)argc, sizeof *arguments.operands);
  int outcome = CLI_NUMERICS;
  if (arguments.given == NULL || arguments.operands == NULL)
    cli_say("out of memory");
  else
    outcome = cli_arguments_parse(&arguments, argc, argv);
  if (outcome == -1)
    outcome = print_help(command);
  else if (outcome == CLI_OK && cli_has(&arguments, CLI_VERSION))
    outcome = print_version();
  else if (outcome == CLI_OK)
    outcome = command->run(&arguments);
  free(arguments.given);
  free(arguments.operands);
  return outcome;
}

int main(int argc, char **argv) {
  const char *word = argc > 1 ? argv[1] : "";
  if (argc < 2) return cli_misuse(NULL, "which command?");
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return print_help(NULL);
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return print_version();
  bool help = strcmp(word, "help") == 0;
  if (help && argc == 2) return print_help(NULL);
  const cli_command *command = choose(help ? argv[2] : word);
  if (command == NULL) return CLI_USAGE;
  return help ? print_help(command) : run_command(command, argc - 1, argv + 1);
}
