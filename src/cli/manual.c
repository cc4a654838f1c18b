/* manual.c: brink manual: the tables as manual pages, in the language of mdoc(7). */
#include "cli/options.h"

#include <string.h>

/* The date of the pages: of the last change to what the tables say. */
static const char page_date[] = "November 16, 2026";

enum { WIDTH = 78 };

/* ---- words ---- */

/* One word, so that roff takes nothing in it for a command. Dashes stay what was typed. */
static size_t put_word(brink_text *text, const char *word, size_t length) {
  size_t start = text->length;
  if (word[0] == '.' || word[0] == '\'') brink_text_append(text, "\\&", 2);
  for (size_t k = 0; k < length; k++) {
    bool dash = word[k] == '-' && (k == 0 || word[k - 1] == '-');
    if (word[k] == '\\')
      brink_text_append(text, "\\e", 2);
    else if (dash)
      brink_text_append(text, "\\-", 2);
    else
      brink_text_append(text, word + k, 1);
  }
  return text->length - start;
}

/* Running text in short lines, a new one for each sentence, as mdoc asks. */
static void put_words(brink_text *text, const char *words) {
  size_t at = 0;
  while (*words != '\0') {
    size_t length = strcspn(words, " ");
    if (at > 0 && at + 1 + length > WIDTH) {
      brink_text_append(text, "\n", 1);
      at = 0;
    } else if (at > 0) {
      brink_text_append(text, " ", 1);
      at++;
    }
    at += put_word(text, words, length);
    bool sentence = length > 1 && words[length - 1] == '.' && words[length - 2] != '.';
    if (sentence && words[length] != '\0') {
      brink_text_append(text, "\n", 1);
      at = 0;
    }
    words += length;
    words += strspn(words, " ");
  }
  brink_text_append(text, "\n", 1);
}

/* ---- parts of a page ---- */

static void put_option(const cli_option *option, brink_text *text) {
  brink_text_add(text, ".It ");
  if (option->letter != 0) brink_text_add(text, "Fl %c , ", option->letter);
  brink_text_add(text, "Fl Fl %s", option->name);
  if (option->argument != NULL) brink_text_add(text, " Ar %s", option->argument);
  brink_text_add(text, "\n");
  put_words(text, option->help);
  if (option->fallback == NULL) return;
  brink_text words = {0};
  brink_text_add(&words, "(%s)", option->fallback);
  put_words(text, words.data != NULL ? words.data : "");
  text->failed = text->failed || words.failed;
  brink_text_free(&words);
}

static void put_options(const cli_command *command, brink_text *text) {
  for (int group = 0; group < CLI_GROUP_COUNT; group++) {
    bool titled = false;
    for (int k = 0; k < CLI_OPTION_COUNT; k++) {
      const cli_option *option = &cli_options[k];
      if ((int)option->group != group || !cli_command_takes(command, option)) continue;
      if (!titled) brink_text_add(text, ".Ss %s\n.Bl -tag -width Ds\n", cli_group_titles[group]);
      titled = true;
      put_option(option, text);
    }
    if (titled) brink_text_add(text, ".El\n");
  }
}

/* A list of words and what they mean; `macro` is how mdoc marks these words. */
static void put_entries(const char *title, const char *macro, const cli_entry *entries,
                        brink_text *text) {
  brink_text_add(text, ".Sh %s\n.Bl -tag -width Ds\n", title);
  for (; entries->word != NULL; entries++) {
    brink_text_add(text, ".It %s%s\n", macro, entries->word);
    put_words(text, entries->help);
  }
  brink_text_add(text, ".El\n");
}

static void put_examples(const cli_command *command, brink_text *text) {
  if (command->examples[0].words == NULL) return;
  brink_text_add(text, ".Sh EXAMPLES\n");
  for (const cli_example *example = command->examples; example->words != NULL; example++) {
    put_words(text, example->words);
    brink_text_add(text, ".Pp\n.Dl ");
    put_words(text, example->command);
    if (example[1].words != NULL) brink_text_add(text, ".Pp\n");
  }
}

/* What is the same on all pages. */
static void put_rest(brink_text *text) {
  put_entries("ENVIRONMENT", "Ev ", cli_environment, text);
  brink_text_add(text, ".Sh FILES\n.Bl -tag -width Ds\n"
                       ".It Pa MODEL.hsml\na model; a dash is standard input\n"
                       ".It Pa ~/.cache/brink\nmachine code, which is made again when it is "
                       "missing\n.El\n");
  put_entries("EXIT STATUS", "", cli_exit_codes, text);
}

static void put_upper(brink_text *text, const char *name) {
  for (; *name != '\0'; name++) {
    char c = *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name;
    brink_text_append(text, &c, 1);
  }
}

/* The operands, in mdoc: "MODEL.hsml...", "[COMMAND]". */
static void put_operands(const cli_command *command, brink_text *text) {
  const char *operands = command->operands;
  size_t length = strcspn(operands, "]");
  if (operands[0] == '\0') return;
  if (operands[0] == '[')
    brink_text_add(text, ".Op Ar %.*s\n", (int)(length - 1), operands + 1);
  else
    brink_text_add(text, ".Ar %s\n", operands);
}

/* ---- pages ---- */

static void put_command_page(const cli_command *command, brink_text *text) {
  brink_text_add(text, ".Dd %s\n.Dt BRINK-", page_date);
  put_upper(text, command->name);
  brink_text_add(text, " 1\n.Os Brink %s\n.Sh NAME\n.Nm brink-%s\n.Nd ", brink_version(),
                 command->name);
  put_words(text, command->help);
  brink_text_add(text, ".Sh SYNOPSIS\n.Nm brink %s\n.Op Ar option ...\n", command->name);
  put_operands(command, text);
  brink_text_add(text, ".Sh DESCRIPTION\n");
  if (command->more != NULL) put_words(text, command->more);
  put_options(command, text);
  put_rest(text);
  put_examples(command, text);
  brink_text_add(text, ".Sh SEE ALSO\n.Xr brink 1\n");
}

static void put_command_list(brink_text *text) {
  brink_text_add(text, ".Bl -tag -width Ds\n");
  for (int k = 0; k < CLI_COMMAND_COUNT; k++) {
    const cli_command *command = &cli_commands[k];
    brink_text_add(text, ".It Cm %s", command->name);
    if (command->operands[0] != '\0') brink_text_add(text, " Ar %s", command->operands);
    brink_text_add(text, "\n");
    put_words(text, command->help);
  }
  brink_text_add(text, ".El\n");
}

/* The pages of the commands, in alphabetical order, as is the custom. */
static void put_see_also(brink_text *text) {
  brink_text_add(text, ".Sh SEE ALSO\n");
  const char *last = "";
  for (int count = 0; count < CLI_COMMAND_COUNT; count++) {
    const char *next = NULL;
    for (int k = 0; k < CLI_COMMAND_COUNT; k++) {
      const char *name = cli_commands[k].name;
      if (strcmp(name, last) > 0 && (next == NULL || strcmp(name, next) < 0)) next = name;
    }
    if (next == NULL) break;
    brink_text_add(text, ".Xr brink-%s 1%s\n", next, count + 1 < CLI_COMMAND_COUNT ? " ," : "");
    last = next;
  }
}

static void put_program_page(brink_text *text) {
  brink_text_add(text, ".Dd %s\n.Dt BRINK 1\n.Os Brink %s\n.Sh NAME\n.Nm brink\n.Nd %s\n",
                 page_date, brink_version(), cli_tagline);
  brink_text_add(text, ".Sh SYNOPSIS\n.Nm brink\n.Ar command\n.Op Ar option ...\n"
                       ".Op Ar argument ...\n.Nm brink\n.Fl Fl help | Fl Fl version\n"
                       ".Sh DESCRIPTION\n");
  put_words(text, "Brink simulates hybrid systems: differential equations that switch when a guard "
                  "reaches zero. Models are written in HSML, a language of components. Where a "
                  "guard marks the edge of a model, the edge is reached from the inside and the "
                  "right-hand side is never evaluated past it.");
  brink_text_add(text, ".Pp\nThe commands are:\n");
  put_command_list(text);
  brink_text_add(text, ".Pp\n");
  put_words(text, "A model may be - for standard input; -- ends the options. Each command has a "
                  "page of its own, and lists its options with --help.");
  put_rest(text);
  put_examples(&cli_commands[CLI_COMMAND_RUN], text);
  put_see_also(text);
}

int cli_manual(const cli_arguments *arguments) {
  const cli_command *command = NULL;
  if (arguments->noperands > 0) {
    command = cli_command_choose(arguments->operands[0]);
    if (command == NULL) return CLI_USAGE;
  }
  brink_text text = {0};
  if (command != NULL)
    put_command_page(command, &text);
  else
    put_program_page(&text);
  return cli_print(&text);
}
