/* load.c: from a file to a flat system, with diagnostics on the screen. */
#include "cli/load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/colour.h"

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

/* A rendered item: headline, source line, carets, hint. */
static void show(const char *text, brink_severity severity, const cli_colours *c) {
  for (int k = 0; *text != '\0'; k++) {
    int length = (int)strcspn(text, "\n");
    if (k == 0)
      show_headline(text, length, severity, c);
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

int cli_report(brink_unit *unit, const cli_arguments *arguments) {
  const cli_colours *colours =
      cli_colours_for(cli_when_of(cli_value(arguments, CLI_COLOR)), STDERR_FILENO);
  bool quiet = cli_has(arguments, CLI_QUIET);
  brink_report_sort(unit);
  brink_text text = {0};
  for (size_t k = 0; k < unit->nitems; k++) {
    const brink_report_item *item = &unit->items[k];
    if (quiet && item->severity == BRINK_WARNING) continue;
    text.length = 0;
    brink_report_render(unit, item, &text);
    if (text.data == NULL || text.failed) continue;
    show(text.data, item->severity, colours);
  }
  brink_text_free(&text);
  if (unit->too_many) cli_say("there is more: the first %d are shown", BRINK_REPORT_LIMIT);
  return unit->nerrors > 0 ? CLI_MODEL_ERRORS : CLI_OK;
}

/* ---- loading ---- */

int cli_load_parse(cli_loaded *loaded, const char *path) {
  *loaded = (cli_loaded){0};
  bool unreadable = false;
  const char *reason = NULL;
  loaded->unit = brink_unit_parse(path, &brink_file_reader, NULL, &unreadable, &reason);
  if (unreadable) {
    cli_say("cannot read %s: %s", strcmp(path, "-") == 0 ? "standard input" : path,
            reason != NULL ? reason : "it cannot be read");
    return CLI_FILE;
  }
  if (loaded->unit != NULL && !loaded->unit->out_of_memory) return CLI_OK;
  cli_say("out of memory");
  return CLI_NUMERICS;
}

/* The seed that the model's simulation section names; `seed` if there is none. */
static uint64_t model_seed(const brink_system *system, uint64_t seed) {
  for (size_t k = 0; k < system->nsettings; k++) {
    const brink_setting *setting = &system->settings[k];
    if (strcmp(setting->name, "seed") == 0 && !setting->is_text && setting->number >= 0.0 &&
        setting->number < 0x1p64)
      seed = (uint64_t)setting->number;
  }
  return seed;
}

static void flatten(cli_loaded *loaded, const cli_arguments *arguments,
                    brink_flatten_options *options, brink_text *usage) {
  loaded->system = brink_flatten(loaded->unit, options, NULL, usage);
  if (loaded->system == NULL || cli_has(arguments, CLI_SEED)) return;
  uint64_t seed = model_seed(loaded->system, options->seed);
  if (seed == options->seed) return;
  options->seed = seed; /* known only now: all draws anew */
  brink_system_destroy(loaded->system);
  loaded->system = brink_flatten(loaded->unit, options, NULL, usage);
}

/* Flattens with --top, --set, --input and --seed. CLI_OK, CLI_USAGE (said), CLI_NUMERICS (said); errors of
 * the model are in the unit. */
static int flatten_as_asked(cli_loaded *loaded, const cli_arguments *arguments) {
  cli_settings settings;
  int outcome = cli_settings_read(&settings, arguments);
  if (outcome != CLI_OK) return outcome;
  const cli_input *input = &loaded->input;
  const char **sets = calloc(arguments->ngiven + input->ncolumns + 1, sizeof *sets);
  brink_flatten_options options = {.top = cli_value(arguments, CLI_TOP),
                                   .sets = sets,
                                   .library = cli_has(arguments, CLI_PART),
                                   .seed = settings.seed,
                                   .driven = input->names,
                                   .ndriven = input->ncolumns,
                                   .drive_holds = cli_has(arguments, CLI_INPUT_HOLD)};
  for (size_t k = 0; sets != NULL && k < input->ncolumns; k++)
    sets[options.nsets++] = input->sets[k];
  for (size_t k = 0; sets != NULL && k < arguments->ngiven; k++) {
    if (arguments->given[k].id == CLI_SET) sets[options.nsets++] = arguments->given[k].value;
  }
  brink_text usage = {0};
  if (sets != NULL) flatten(loaded, arguments, &options, &usage);
  if (usage.length > 0)
    outcome = cli_misuse(arguments->command->name, "%s", usage.data);
  else if (loaded->system == NULL && loaded->unit->nerrors == 0) {
    cli_say("out of memory");
    outcome = CLI_NUMERICS;
  }
  brink_text_free(&usage);
  free(sets);
  return outcome;
}

int cli_load(cli_loaded *loaded, const cli_arguments *arguments, const char *path) {
  int outcome = cli_load_parse(loaded, path);
  if (outcome == CLI_OK) outcome = cli_input_read(&loaded->input, arguments);
  if (outcome != CLI_OK) return outcome;
  brink_unit_check(loaded->unit);
  if (!loaded->unit->out_of_memory) /* with errors it reports more, and makes nothing */
    outcome = flatten_as_asked(loaded, arguments);
  int errors = cli_report(loaded->unit, arguments);
  if (outcome == CLI_OK && errors == CLI_OK && loaded->unit->out_of_memory) {
    cli_say("out of memory");
    return CLI_NUMERICS;
  }
  if (errors == CLI_OK && outcome == CLI_OK)
    outcome = cli_input_bind(&loaded->input, loaded->system);
  return errors != CLI_OK ? errors : outcome;
}

void cli_unload(cli_loaded *loaded) {
  cli_input_free(&loaded->input);
  brink_system_destroy(loaded->system);
  brink_unit_destroy(loaded->unit);
  *loaded = (cli_loaded){0};
}
