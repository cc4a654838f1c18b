/* completion.c: brink completion: the tables as a script that completes words in a shell.
 *
 * Every script says the same: first a command; then, behind an option, what it may be; behind a dash,
 * the options of the command; else what the command works on. */
#include "cli/options.h"

#include <string.h>

#include "experiments/experiment.h"

/* ---- shared ---- */

/* "a|b|c" with other separators. */
static void put_choices(brink_text *text, const char *list, const char *separator) {
  for (bool first = true; list != NULL; first = false) {
    const char *choice;
    size_t length = cli_next_choice(&list, &choice);
    brink_text_add(text, "%s%.*s", first ? "" : separator, (int)length, choice);
  }
}

static void put_commands(brink_text *text, const char *separator) {
  for (int k = 0; k < CLI_COMMAND_COUNT; k++)
    brink_text_add(text, "%s%s", k > 0 ? separator : "", cli_commands[k].name);
}

static void put_experiments(brink_text *text, const char *separator) {
  for (size_t k = 0; brink_experiments[k] != NULL; k++)
    brink_text_add(text, "%s%s", k > 0 ? separator : "", brink_experiments[k]->name);
}

/* Inside single quotes, where `quote` ends them, stands itself, and begins them again. */
static void put_quoted(brink_text *text, const char *words, const char *quote,
                       const char *specials) {
  for (; *words != '\0'; words++) {
    if (*words == '\'')
      brink_text_add(text, "%s", quote);
    else if (strchr(specials, *words) != NULL)
      brink_text_add(text, "\\%c", *words);
    else
      brink_text_append(text, words, 1);
  }
}

/* ---- bash ---- */

static const char bash_begin[] =
    "# Completion of brink in bash: made by 'brink completion bash'.\n"
    "\n"
    "# Files with one of these endings, and folders.\n"
    "_brink_files() {\n"
    "  local current=$1 ending\n"
    "  shift\n"
    "  compopt -o filenames 2>/dev/null\n"
    "  mapfile -t COMPREPLY < <(\n"
    "    for ending in \"$@\"; do compgen -f -X \"!*$ending\" -- \"$current\"; done\n"
    "    compgen -d -- \"$current\")\n"
    "}\n"
    "\n"
    "_brink_words() {\n"
    "  mapfile -t COMPREPLY < <(compgen -W \"$2\" -- \"$1\")\n"
    "}\n"
    "\n"
    "_brink() {\n"
    "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options=\n"
    "  COMPREPLY=()\n"
    "  if [[ $current == = ]]; then # --option=\n"
    "    current=\n"
    "  elif [[ $before == = ]]; then # --option=value\n"
    "    before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "  fi\n"
    "  if ((COMP_CWORD == 1)); then\n";

/* Does another command have an option of the same name, which is listed already? */
static bool is_repeated(const cli_option *option) {
  const cli_option *first = cli_options;
  while (strcmp(first->name, option->name) != 0) first++;
  return first != option;
}

static void put_bash_option(const cli_option *option, brink_text *text) {
  if (is_repeated(option) || option->argument == NULL ||
      (option->choices == NULL && option->files == NULL))
    return;
  brink_text_add(text, "    --%s", option->name);
  if (option->letter != 0) brink_text_add(text, " | -%c", option->letter);
  if (option->choices != NULL) {
    brink_text_add(text, ") _brink_words \"$current\" '");
    put_choices(text, option->choices, " ");
    brink_text_add(text, "'");
  } else {
    brink_text_add(text, ") _brink_files \"$current\" %s", option->files[0] != '\0' ? "." : "''");
    if (option->files[0] != '\0') put_choices(text, option->files, " .");
  }
  brink_text_add(text, "; return ;;\n");
}

/* Options whose arguments nobody can guess: numbers, names. */
static void put_bash_silent(brink_text *text) {
  size_t count = 0;
  for (int k = 0; k < CLI_OPTION_COUNT; k++) {
    const cli_option *option = &cli_options[k];
    if (option->argument == NULL || option->choices != NULL || option->files != NULL) continue;
    if (is_repeated(option)) continue;
    brink_text_add(text, "%s--%s", count++ == 0 ? "    " : " | ", option->name);
  }
  if (count > 0) brink_text_add(text, ") return ;;\n");
}

static void put_bash_command(const cli_command *command, brink_text *text) {
  brink_text_add(text, "    %s) options='", command->name);
  for (int k = 0, count = 0; k < CLI_OPTION_COUNT; k++) {
    if (cli_command_takes(command, &cli_options[k]))
      brink_text_add(text, "%s--%s", count++ > 0 ? " " : "", cli_options[k].name);
  }
  brink_text_add(text, "' ;;\n");
}

static void put_bash_operand(const cli_command *command, brink_text *text) {
  if (command->operand == CLI_OPERAND_NONE || command->operand == CLI_OPERAND_NAME) return;
  brink_text_add(text, "    %s) ", command->name);
  if (command->operand == CLI_OPERAND_MODEL)
    brink_text_add(text, "_brink_files \"$current\" .hsml ;;\n");
  else
    brink_text_add(text, "_brink_words \"$current\" \"$%s\" ;;\n",
                   command->operand == CLI_OPERAND_SHELL        ? "shells"
                   : command->operand == CLI_OPERAND_EXPERIMENT ? "experiments"
                                                                : "commands");
}

static void put_bash(brink_text *text) {
  brink_text_add(text, "%s    _brink_words \"$current\" '", bash_begin);
  put_commands(text, " ");
  brink_text_add(text, " help --help --version'\n    return\n  fi\n  case $before in\n");
  for (int k = 0; k < CLI_OPTION_COUNT; k++) put_bash_option(&cli_options[k], text);
  put_bash_silent(text);
  brink_text_add(text, "  esac\n  case ${COMP_WORDS[1]} in\n");
  for (int k = 0; k < CLI_COMMAND_COUNT; k++) put_bash_command(&cli_commands[k], text);
  brink_text_add(text, "  esac\n  if [[ $current == -* ]]; then\n"
                       "    _brink_words \"$current\" \"$options\"\n    return\n  fi\n"
                       "  local commands='");
  put_commands(text, " ");
  brink_text_add(text, "' shells='");
  put_choices(text, cli_shells, " ");
  brink_text_add(text, "' experiments='");
  put_experiments(text, " ");
  brink_text_add(text, "'\n  case ${COMP_WORDS[1]} in\n");
  for (int k = 0; k < CLI_COMMAND_COUNT; k++) put_bash_operand(&cli_commands[k], text);
  brink_text_add(text, "    help) _brink_words \"$current\" \"$commands\" ;;\n  esac\n}\n\n"
                       "complete -F _brink brink\n");
}

/* ---- zsh ---- */

/* Words in an _arguments specification: its brackets and colons are not ours. */
static void put_zsh_words(brink_text *text, const char *words) {
  put_quoted(text, words, "'\\''", "\\[]:");
}

static void put_zsh_argument(const cli_option *option, brink_text *text) {
  brink_text_add(text, ":");
  put_zsh_words(text, option->argument);
  brink_text_add(text, ":");
  if (option->choices != NULL) {
    brink_text_add(text, "(");
    put_choices(text, option->choices, " ");
    brink_text_add(text, ")");
  } else if (option->files != NULL && option->files[0] != '\0') {
    brink_text_add(text, "_files -g \"*.(%s)\"", option->files);
  } else if (option->files != NULL) {
    brink_text_add(text, "_files");
  }
}

static void put_zsh_option(const cli_option *option, brink_text *text) {
  bool repeats = option == &cli_options[CLI_SET];
  const char *equals = option->argument != NULL ? "=" : "";
  brink_text_add(text, "        ");
  if (option->letter != 0)
    brink_text_add(text, "{-%c,--%s%s}'[", option->letter, option->name, equals);
  else
    brink_text_add(text, "'%s--%s%s[", repeats ? "*" : "", option->name, equals);
  put_zsh_words(text, option->help);
  brink_text_add(text, "]");
  if (option->argument != NULL) put_zsh_argument(option, text);
  brink_text_add(text, "' \\\n");
}

static void put_zsh_operand(const cli_command *command, brink_text *text) {
  const char *many = command->most > 1 ? "*" : "1";
  switch (command->operand) {
  case CLI_OPERAND_MODEL:
    brink_text_add(text, "        '%s:model:_files -g \"*.hsml\"'\n", many);
    break;
  case CLI_OPERAND_SHELL:
    brink_text_add(text, "        '1:shell:(");
    put_choices(text, cli_shells, " ");
    brink_text_add(text, ")'\n");
    break;
  case CLI_OPERAND_COMMAND:
    brink_text_add(text, "        '1:command:(");
    put_commands(text, " ");
    brink_text_add(text, ")'\n");
    break;
  case CLI_OPERAND_EXPERIMENT:
    brink_text_add(text, "        '%s:experiment:(", many);
    put_experiments(text, " ");
    brink_text_add(text, ")'\n");
    break;
  case CLI_OPERAND_NAME:
    brink_text_add(text, "        '%s:name:'\n", many);
    break;
  case CLI_OPERAND_NONE:
    brink_text_add(text, "        ':'\n");
    break;
  }
}

static void put_zsh(brink_text *text) {
  brink_text_add(text, "#compdef brink\n"
                       "# Completion of brink in zsh: made by 'brink completion zsh'.\n\n"
                       "_brink() {\n  local context state state_descr line\n"
                       "  typeset -A opt_args\n  local -a commands=(\n");
  for (int k = 0; k < CLI_COMMAND_COUNT; k++) {
    brink_text_add(text, "    '%s:", cli_commands[k].name);
    put_quoted(text, cli_commands[k].help, "'\\''", "");
    brink_text_add(text, "'\n");
  }
  brink_text_add(text, "    'help:the help of a command'\n  )\n"
                       "  _arguments -C '(- *)'{-h,--help}'[help]' "
                       "'(- *)'{-V,--version}'[the version]' \\\n"
                       "    '1:command:->command' '*::argument:->argument'\n"
                       "  case $state in\n"
                       "    command) _describe command commands ;;\n"
                       "    argument) case $words[1] in\n");
  for (int k = 0; k < CLI_COMMAND_COUNT; k++) {
    const cli_command *command = &cli_commands[k];
    brink_text_add(text, "      %s) _arguments -s \\\n", command->name);
    for (int j = 0; j < CLI_OPTION_COUNT; j++) {
      if (cli_command_takes(command, &cli_options[j])) put_zsh_option(&cli_options[j], text);
    }
    put_zsh_operand(command, text);
    brink_text_add(text, "        ;;\n");
  }
  brink_text_add(text, "      help) _describe command commands ;;\n    esac ;;\n  esac\n}\n\n"
                       "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  _brink \"$@\"\n"
                       "else\n  compdef _brink brink\nfi\n");
}

/* ---- fish ---- */

static void put_fish_words(brink_text *text, const char *words) {
  put_quoted(text, words, "\\'", "\\");
}

static void put_fish_option(const cli_option *option, brink_text *text) {
  if (option == &cli_options[CLI_HELP] || option == &cli_options[CLI_VERSION]) {
    brink_text_add(text, "complete -c brink -s %c -l %s -d '", option->letter, option->name);
    put_fish_words(text, option->help);
    brink_text_add(text, "'\n");
    return;
  }
  brink_text_add(text, "complete -c brink -n '__fish_seen_subcommand_from");
  for (int k = 0; k < CLI_COMMAND_COUNT; k++) {
    if (cli_command_takes(&cli_commands[k], option))
      brink_text_add(text, " %s", cli_commands[k].name);
  }
  brink_text_add(text, "' -l %s", option->name);
  if (option->letter != 0) brink_text_add(text, " -s %c", option->letter);
  if (option->choices != NULL) {
    brink_text_add(text, " -x -a '");
    put_choices(text, option->choices, " ");
    brink_text_add(text, "'");
  } else if (option->files != NULL) {
    brink_text_add(text, " -rF");
  } else if (option->argument != NULL) {
    brink_text_add(text, " -x");
  }
  brink_text_add(text, " -d '");
  put_fish_words(text, option->help);
  brink_text_add(text, "'\n");
}

static void put_fish_operand(const cli_command *command, brink_text *text) {
  if (command->operand == CLI_OPERAND_NONE || command->operand == CLI_OPERAND_NAME) return;
  brink_text_add(text, "complete -c brink -n '__fish_seen_subcommand_from %s' -a '", command->name);
  if (command->operand == CLI_OPERAND_MODEL)
    brink_text_add(text, "(__fish_complete_suffix .hsml)");
  else if (command->operand == CLI_OPERAND_SHELL)
    put_choices(text, cli_shells, " ");
  else if (command->operand == CLI_OPERAND_EXPERIMENT)
    put_experiments(text, " ");
  else
    put_commands(text, " ");
  brink_text_add(text, "'\n");
}

static void put_fish(brink_text *text) {
  brink_text_add(text, "# Completion of brink in fish: made by 'brink completion fish'.\n\n"
                       "complete -c brink -f\n");
  for (int k = 0; k < CLI_COMMAND_COUNT; k++) {
    brink_text_add(text, "complete -c brink -n __fish_use_subcommand -a %s -d '",
                   cli_commands[k].name);
    put_fish_words(text, cli_commands[k].help);
    brink_text_add(text, "'\n");
  }
  brink_text_add(text, "complete -c brink -n __fish_use_subcommand -a help -d 'the help of a "
                       "command'\n"
                       "complete -c brink -n '__fish_seen_subcommand_from help' -a '");
  put_commands(text, " ");
  brink_text_add(text, "'\n");
  for (int k = 0; k < CLI_OPTION_COUNT; k++) put_fish_option(&cli_options[k], text);
  for (int k = 0; k < CLI_COMMAND_COUNT; k++) put_fish_operand(&cli_commands[k], text);
}

int cli_completion(const cli_arguments *arguments) {
  const char *shell = arguments->operands[0];
  brink_text problem = {0}, text = {0};
  if (!cli_choice_allows(cli_shells, shell, &problem)) {
    cli_misuse("completion", "'%s': %s", shell, problem.data != NULL ? problem.data : "");
    brink_text_free(&problem);
    return CLI_USAGE;
  }
  if (strcmp(shell, "bash") == 0)
    put_bash(&text);
  else if (strcmp(shell, "zsh") == 0)
    put_zsh(&text);
  else
    put_fish(&text);
  return cli_print(&text);
}
