/* help.c: --help, from the tables. */
#include "cli/options.h"

#include <string.h>

enum { WIDTH = 80, COLUMN = 26, COMMANDS = 28 };

/* Words, from the column where the text stands, in lines of WIDTH. */
static void wrap(brink_text *text, const char *words, size_t column) {
  size_t at = column;
  for (bool first = true; *words != '\0'; first = false) {
    size_t length = strcspn(words, " ");
    if (!first && at + 1 + length > WIDTH) {
      brink_text_add(text, "\n%*s", (int)column, "");
      at = column;
    } else if (!first) {
      brink_text_append(text, " ", 1);
      at++;
    }
    brink_text_append(text, words, length);
    at += length;
    words += length;
    words += strspn(words, " ");
  }
  brink_text_append(text, "\n", 1);
}

static void describe_option(const cli_option *option, brink_text *text) {
  size_t start = text->length;
  if (option->letter != 0)
    brink_text_add(text, "  -%c, --%s", option->letter, option->name);
  else
    brink_text_add(text, "      --%s", option->name);
  if (option->argument != NULL) brink_text_add(text, " %s", option->argument);
  size_t used = text->length - start;
  if (used + 2 > COLUMN)
    brink_text_add(text, "\n%*s", COLUMN, "");
  else
    brink_text_add(text, "%*s", (int)(COLUMN - used), "");
  brink_text words = {0};
  brink_text_add(&words, "%s", option->help);
  if (option->fallback != NULL) brink_text_add(&words, " (%s)", option->fallback);
  wrap(text, words.data != NULL ? words.data : "", COLUMN);
  text->failed = text->failed || words.failed;
  brink_text_free(&words);
}

static void describe_options(const cli_command *command, brink_text *text) {
  for (int group = 0; group < CLI_GROUP_COUNT; group++) {
    bool titled = false;
    for (int k = 0; k < CLI_OPTION_COUNT; k++) {
      const cli_option *option = &cli_options[k];
      if ((int)option->group != group || !cli_command_takes(command, option)) continue;
      if (!titled) brink_text_add(text, "\n%s:\n", cli_group_titles[group]);
      titled = true;
      describe_option(option, text);
    }
  }
}

static void describe_entries(const char *title, const cli_entry *entries, size_t column,
                             brink_text *text) {
  brink_text_add(text, "\n%s:\n", title);
  for (; entries->word != NULL; entries++) {
    brink_text_add(text, "  %-*s", (int)column - 2, entries->word);
    wrap(text, entries->help, column);
  }
}

static void describe_rest(brink_text *text) {
  describe_entries("Exit codes", cli_exit_codes, 7, text);
  describe_entries("Environment", cli_environment, 15, text);
}

/* With a capital, as a sentence. */
static void add_sentence(brink_text *text, const char *words) {
  char first = words[0] >= 'a' && words[0] <= 'z' ? (char)(words[0] - 'a' + 'A') : words[0];
  brink_text_add(text, "%c%s.\n", first, words + 1);
}

static void describe_program(brink_text *text) {
  brink_text_add(text, "Usage: brink COMMAND [OPTION]... [ARGUMENT]...\n");
  add_sentence(text, cli_tagline);
  brink_text_add(text, "\nCommands:\n");
  for (int k = 0; k < CLI_COMMAND_COUNT; k++) {
    const cli_command *command = &cli_commands[k];
    int used = (int)(strlen(command->name) + strlen(command->operands)) + 3;
    brink_text_add(text, "  %s %s%*s%s\n", command->name, command->operands, COMMANDS - used, "",
                   command->help);
  }
  brink_text_add(text, "\n'brink COMMAND --help' lists the options of a command. MODEL.hsml may be "
                       "- for\nstandard input; -- ends the options.\n\n"
                       "  -h, --help     this help\n  -V, --version  the version\n");
  describe_rest(text);
}

void cli_help(const cli_command *command, brink_text *text) {
  if (command == NULL) {
    describe_program(text);
    return;
  }
  brink_text_add(text, "Usage: brink %s [OPTION]...%s%s\n", command->name,
                 command->operands[0] != '\0' ? " " : "", command->operands);
  add_sentence(text, command->help);
  if (command->more != NULL) wrap(text, command->more, 0);
  describe_options(command, text);
  for (const cli_example *example = command->examples; example->words != NULL; example++)
    brink_text_add(text, "%s  %s\n      %s\n", example == command->examples ? "\nExamples:\n" : "",
                   example->words, example->command);
  describe_rest(text);
}
