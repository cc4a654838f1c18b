/* load.c: a model, with its diagnostics on the screen. */
#include "cli/load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/colour.h"
#include "cli/files.h"
#include "cli/import_path.h"
#include "cli/settings.h"

/* ---- diagnostics ---- */

/* "file:line:column: error: message": the place bold, the severity coloured. */
static void show_headline(const char *line, int length, brink_severity severity,
                          const cli_colours *c) {
  const char *word = severity == BRINK_ERROR ? "error:" : "warning:";
  const char *found = strstr(line, word);
  if (found == NULL || found >= line + length) {
    fprintf(stderr, "%.*s", length, line);
    return;
  }
  int before = (int)(found - line), size = (int)strlen(word);
  fprintf(stderr, "%s%.*s%s%s%s%.*s", c->bold, before, line,
          severity == BRINK_ERROR ? c->error : c->warning, word, c->plain, length - before - size,
          found + size);
}

/* A rendered message: headline, source line, carets, hint. */
void cli_show_message(const brink_hsml_message *message, const cli_arguments *arguments) {
  const cli_colours *c =
      cli_colours_for(cli_when_of(cli_value(arguments, CLI_COLOR)), STDERR_FILENO);
  const char *text = message->rendered;
  for (int k = 0; *text != '\0'; k++) {
    int length = (int)strcspn(text, "\n");
    if (k == 0)
      show_headline(text, length, message->severity, c);
    else if (k == 2)
      fprintf(stderr, "%s%.*s%s", c->caret, length, text, c->plain);
    else if (strncmp(text, "hint:", 5) == 0)
      fprintf(stderr, "%shint:%s%.*s", c->hint, c->plain, length - 5, text + 5);
    else
      fprintf(stderr, "%.*s", length, text);
    text += length;
    if (*text == '\n') fputc(*text++, stderr);
  }
}

/* An option that the language refused: "--set k=x: give a number; did you mean …?" */
static int show_refused(const cli_arguments *arguments, const brink_report_item *item) {
  static const cli_option_id ids[] = {[BRINK_ORIGIN_TOP] = CLI_TOP,
                                      [BRINK_ORIGIN_SET] = CLI_SET,
                                      [BRINK_ORIGIN_DRIVEN] = CLI_INPUT};
  brink_text carets = {0};
  if (item->place.column > 0) {
    brink_text_append(&carets, "\n", 1);
    brink_report_carets(item->setting, item->place.column - 1, item->place.length, &carets);
    if (!carets.failed) carets.data[--carets.length] = '\0'; /* the last line's end */
  }
  int outcome = cli_misuse_at(arguments->command->name, carets.data != NULL ? carets.data : "",
                              "--%s %s: %s%s%s", cli_options[ids[item->origin]].name, item->setting,
                              item->message, item->hint != NULL ? "; " : "",
                              item->hint != NULL ? item->hint : "");
  brink_text_free(&carets);
  return outcome;
}

/* All of them; those about options are wrong usage. CLI_OK, CLI_MODEL_ERRORS, CLI_FILE, CLI_USAGE. */
static int show_messages(brink_hsml *model, const cli_arguments *arguments) {
  const brink_hsml_message *messages;
  bool quiet = cli_has(arguments, CLI_QUIET);
  size_t count = brink_hsml_messages(model, &messages), errors = 0;
  int outcome = CLI_OK;
  for (size_t k = 0; k < count; k++) {
    const brink_hsml_message *m = &messages[k];
    if (m->file == NULL || (quiet && m->severity == BRINK_WARNING)) continue;
    cli_show_message(m, arguments);
    if (m->severity == BRINK_ERROR) errors++;
    if (m->severity == BRINK_ERROR && k >= model->unit->nitems) outcome = CLI_FILE; /* of inputs */
  }
  if (model->unit->too_many) cli_say("there is more: the first %d are shown", BRINK_REPORT_LIMIT);
  if (outcome == CLI_OK && errors > 0) return CLI_MODEL_ERRORS;
  const brink_report_item *refused = brink_report_of_settings(model->unit);
  return refused != NULL && outcome == CLI_OK ? show_refused(arguments, refused) : outcome;
}

/* ---- values of the command line ---- */

static int set_values(brink_hsml *model, const cli_arguments *arguments) {
  for (size_t k = 0; k < arguments->ngiven; k++) {
    const cli_given *given = &arguments->given[k];
    if (given->id != CLI_SET) continue;
    size_t length = strcspn(given->value, "=");
    brink_text name = {0};
    brink_text_append(&name, given->value, length);
    brink_status status =
        name.failed ? BRINK_ERR_MEMORY
                    : brink_hsml_set_text(model, name.data, given->value + length + 1, NULL);
    brink_text_free(&name);
    if (status == BRINK_OK) continue;
    cli_say("out of memory");
    return CLI_NUMERICS;
  }
  return CLI_OK;
}

static int refuse_both(const brink_inputs *inputs, const cli_arguments *arguments) {
  for (size_t g = 0; g < arguments->ngiven; g++) {
    if (arguments->given[g].id != CLI_SET) continue;
    const char *set = arguments->given[g].value;
    size_t length = strcspn(set, "=");
    for (size_t k = 0; k < inputs->ncolumns; k++) {
      if (strlen(inputs->names[k]) == length && memcmp(inputs->names[k], set, length) == 0)
        return cli_misuse(arguments->command->name, "--set and --input both give '%s'",
                          inputs->names[k]);
    }
  }
  return CLI_OK;
}

static int read_inputs(brink_hsml *model, const cli_arguments *arguments) {
  const char *path = cli_value(arguments, CLI_INPUT);
  bool hold = cli_has(arguments, CLI_INPUT_HOLD);
  brink_diag diag;
  if (path == NULL)
    return hold ? cli_misuse(arguments->command->name, "--input-hold needs --input FILE.csv")
                : CLI_OK;
  if (strcmp(path, "-") == 0 && arguments->noperands > 0 &&
      strcmp(arguments->operands[0], "-") == 0)
    return cli_misuse(arguments->command->name,
                      "the model and --input cannot both be standard input");
  brink_status status = brink_hsml_read_inputs(model, path, hold, &diag);
  if (status == BRINK_OK) return refuse_both(model->inputs, arguments);
  if (model->nextra == 0)
    cli_say("%s", diag.message);
  else
    cli_show_message(&model->extra[model->nextra - 1], arguments);
  return status == BRINK_ERR_MEMORY ? CLI_NUMERICS : CLI_FILE;
}

/* What the command line says wins over the model. */
static void give_hints(brink_hsml *model, const cli_arguments *arguments,
                       const cli_settings *settings, brink_build_purpose purpose) {
  model->hints = (brink_build_hints){.purpose = purpose,
                                     .clocks = cli_value(arguments, CLI_CLOCKS),
                                     .zeno = cli_value(arguments, CLI_ZENO),
                                     .method = cli_value(arguments, CLI_METHOD),
                                     .events = cli_value(arguments, CLI_EVENTS),
                                     .from = settings->run.from,
                                     .until = settings->run.until,
                                     .has_seed = cli_has(arguments, CLI_SEED),
                                     .seed = settings->run.seed};
}

/* ---- loading ---- */

static int build(brink_hsml *model, const cli_arguments *arguments, brink_build_purpose purpose) {
  cli_settings settings;
  int outcome = cli_settings_read(&settings, arguments);
  if (outcome == CLI_OK) outcome = set_values(model, arguments);
  if (outcome == CLI_OK) outcome = read_inputs(model, arguments);
  if (outcome != CLI_OK) return outcome;
  give_hints(model, arguments, &settings, purpose);
  brink_diag diag;
  brink_status status = brink_hsml_build(model, &diag);
  outcome = show_messages(model, arguments);
  if (status == BRINK_OK && outcome == CLI_OK) return cli_files_check(arguments, model->unit);
  if (outcome != CLI_OK) return outcome;
  cli_say("%s", diag.message);
  return status == BRINK_ERR_MEMORY ? CLI_NUMERICS : CLI_FILE;
}

/* The values of --library-path, in memory from malloc; NULL: none, or no memory. */
static const char **list_library_paths(const cli_arguments *arguments, size_t *count) {
  const char **list = calloc(arguments->ngiven + 1, sizeof *list);
  *count = 0;
  for (size_t k = 0; list != NULL && k < arguments->ngiven; k++)
    if (arguments->given[k].id == CLI_LIBRARY_PATH) list[(*count)++] = arguments->given[k].value;
  return list;
}

int cli_load(brink_hsml **model, const cli_arguments *arguments, const char *path,
             brink_build_purpose purpose) {
  brink_diag diag;
  brink_hsml_def def = brink_default_hsml();
  def.path = path;
  def.top = cli_value(arguments, CLI_TOP);
  def.part = cli_has(arguments, CLI_PART);
  cli_import_path imports;
  if (!cli_import_path_open(&imports, arguments)) {
    cli_import_path_close(&imports);
    return CLI_NUMERICS;
  }
  def.import_path = imports.directories;
  def.nimport_path = imports.count;
  def.allow_external = cli_has(arguments, CLI_ALLOW_EXTERNAL);
  const char **libraries = list_library_paths(arguments, &def.nlibrary_paths);
  def.library_paths = libraries;
  brink_status status = libraries == NULL ? brink_diag_set(&diag, BRINK_ERR_MEMORY, "out of memory")
                                          : brink_hsml_load(&def, NULL, &diag, model);
  cli_import_path_close(&imports);
  free(libraries);
  if (status == BRINK_OK || status == BRINK_ERR_MODEL) return build(*model, arguments, purpose);
  cli_say("%s", diag.message);
  return status == BRINK_ERR_FILE ? CLI_FILE : CLI_NUMERICS;
}
