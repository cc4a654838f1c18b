/* help.c: --help, from the tables. */
#include "cli/options.h"

#include <string.h>

enum { WIDTH = 80, COLUMN = 26 };

static const char exit_codes[] =
    "Exit codes: 0 finished or stopped; 1 the model said fail(...) or left a declared\n"
    "range; 2 wrong usage; 3 the model has errors; 4 the numerics could not go on;\n"
    "5 a file could not be read or written; 130 interrupted.\n"
    "\n"
    "Environment: BRINK_CC the C compiler; BRINK_CACHE where machine code is kept\n"
    "($XDG_CACHE_HOME/brink, ~/.cache/brink); NO_COLOR no colours.\n";

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

static void describe_options(unsigned command, brink_text *text) {
  for (int group = 0; group < CLI_GROUP_COUNT; group++) {
    bool titled = false;
    for (int k = 0; k < CLI_LATER_FIRST; k++) {
      const cli_option *option = &cli_options[k];
      if ((int)option->group != group || (option->commands & command) == 0) continue;
      if (!titled) brink_text_add(text, "\n%s:\n", cli_group_titles[group]);
      titled = true;
      describe_option(option, text);
    }
  }
}

static void describe_program(brink_text *text) {
  brink_text_add(text, "Usage: brink COMMAND [OPTION]... MODEL.hsml\n"
                       "Simulate hybrid systems, and never look past a guard.\n\nCommands:\n");
  for (int k = 0; k < CLI_COMMAND_LATER_FIRST; k++) {
    const cli_command *command = &cli_commands[k];
    brink_text_add(text, "  %-6s %-16s %s\n", command->name, command->operands, command->help);
  }
  brink_text_add(text,
                 "\n'brink COMMAND --help' lists the options of a command. MODEL.hsml may be "
                 "- for\nstandard input; -- ends the options.\n\n"
                 "  -h, --help     this help\n  -V, --version  the version\n\n%s",
                 exit_codes);
}

void cli_help(const cli_command *command, brink_text *text) {
  if (command == NULL) {
    describe_program(text);
    return;
  }
  char title[2] = {command->help[0], '\0'};
  if (title[0] >= 'a' && title[0] <= 'z') title[0] = (char)(title[0] - 'a' + 'A');
  brink_text_add(text, "Usage: brink %s [OPTION]... %s\n%s%s.\n", command->name, command->operands,
                 title, command->help + 1);
  if (command->more != NULL) wrap(text, command->more, 0);
  describe_options(1u << (unsigned)(command - cli_commands), text);
  brink_text_add(text, "\n%s", exit_codes);
}
