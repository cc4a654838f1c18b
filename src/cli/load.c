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
    if ((quiet && item->severity == BRINK_WARNING) || item->origin != BRINK_ORIGIN_TEXT) continue;
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

/* ---- agents with clocks of their own ---- */

static const brink_component *find_top(const brink_unit *unit, const char *name) {
  if (name == NULL) return unit->system != NULL ? unit->system : unit->last;
  for (const brink_component *c = unit->components; c != NULL; c = c->next) {
    if (strcmp(c->name, name) == 0) return c;
  }
  return NULL;
}

/* What an option is, on the command line or in the model, where it is a text; NULL: neither says it. */
static const char *word_of(cli_option_id id, const cli_arguments *arguments,
                           const brink_component *top) {
  const char *word = cli_value(arguments, id);
  const brink_ast_section *section = &top->section[BRINK_SECTION_SIMULATION];
  for (size_t k = 0; word == NULL && k < section->nvalues; k++) {
    const brink_ast_value *value = &section->values[k];
    if (value->expr->op == BRINK_AST_TEXT && strcmp(value->name, cli_options[id].name) == 0)
      word = value->expr->text;
  }
  return word;
}

const brink_component *cli_load_top(const cli_loaded *loaded, const cli_arguments *arguments) {
  return find_top(loaded->unit, cli_value(arguments, CLI_TOP));
}

bool cli_load_one_clock(const cli_loaded *loaded, const cli_arguments *arguments) {
  const brink_component *top = cli_load_top(loaded, arguments);
  const char *word = top != NULL ? word_of(CLI_CLOCKS, arguments, top) : NULL;
  return word != NULL && strcmp(word, "one") == 0;
}

static bool is_among(const char *word, const char *const *words) {
  if (word == NULL) return true;
  while (*words != NULL && strcmp(word, *words) != 0) words++;
  return *words != NULL;
}

/* Do the settings of a run let agents have clocks of their own? */
static bool settings_allow(const cli_arguments *arguments, const brink_component *top) {
  static const char *const own[] = {"own", NULL}, *const stop[] = {"stop", NULL};
  static const char *const methods[] = {"auto", "taylor", "adams", NULL};
  static const char *const events[] = {"extrapolate", "interpolate", NULL};
  return is_among(word_of(CLI_CLOCKS, arguments, top), own) &&
         is_among(word_of(CLI_ZENO, arguments, top), stop) &&
         is_among(word_of(CLI_METHOD, arguments, top), methods) &&
         is_among(word_of(CLI_EVENTS, arguments, top), events);
}

/* A run takes templates if it can; others look at all agents in one system, if they can. */
static brink_flatten_agents agents_wanted(const cli_loaded *loaded,
                                          const cli_arguments *arguments) {
  cli_command_id command = (cli_command_id)(arguments->command - cli_commands);
  const brink_component *top = cli_load_top(loaded, arguments);
  if (top == NULL) return BRINK_AGENTS_WHOLE;
  if (command == CLI_COMMAND_RUN)
    return settings_allow(arguments, top) ? BRINK_AGENTS_TEMPLATES : BRINK_AGENTS_WHOLE;
  return command == CLI_COMMAND_CHECK ? BRINK_AGENTS_IF_TOO_MANY : BRINK_AGENTS_WHOLE;
}

/* Flattens, and makes the tables of templates. Where agents cannot have clocks of their own, everything is put into
 * one system, as if nothing had been tried. */
static void flatten(cli_loaded *loaded, brink_flatten_options *options) {
  brink_report_mark before = brink_report_now(loaded->unit);
  loaded->system = brink_flatten(loaded->unit, options, NULL);
  loaded->reason = NULL;
  if (loaded->system == NULL || loaded->system->templates == NULL) return;
  loaded->tables = brink_agent_tables_make(loaded->system, &loaded->reason);
  if (loaded->tables != NULL) return;
  brink_system_destroy(loaded->system);
  loaded->system = NULL;
  if (loaded->reason == NULL) return; /* no memory */
  brink_report_return(loaded->unit, &before);
  options->agents = BRINK_AGENTS_WHOLE;
  loaded->system = brink_flatten(loaded->unit, options, NULL);
}

/* --top, --set, --input and --seed; *sets is to be freed (NULL: no memory). CLI_OK, or said. */
static int read_options(const cli_loaded *loaded, const cli_arguments *arguments,
                        brink_flatten_options *options, const char ***sets) {
  cli_settings settings;
  const cli_input *input = &loaded->input;
  int outcome = cli_settings_read(&settings, arguments);
  *sets = NULL;
  if (outcome != CLI_OK) return outcome;
  *sets = calloc(arguments->ngiven + input->ncolumns + 1, sizeof **sets);
  *options = (brink_flatten_options){.top = cli_value(arguments, CLI_TOP),
                                     .sets = *sets,
                                     .library = cli_has(arguments, CLI_PART),
                                     .seed = settings.seed,
                                     .seed_given = cli_has(arguments, CLI_SEED),
                                     .driven = input->names,
                                     .ndriven = input->ncolumns,
                                     .drive_holds = cli_has(arguments, CLI_INPUT_HOLD)};
  for (size_t k = 0; *sets != NULL && k < input->ncolumns; k++)
    (*sets)[options->nsets++] = input->sets[k];
  for (size_t k = 0; *sets != NULL && k < arguments->ngiven; k++) {
    if (arguments->given[k].id == CLI_SET) (*sets)[options->nsets++] = arguments->given[k].value;
  }
  return CLI_OK;
}

brink_status cli_load_knobs(cli_loaded *loaded, const cli_arguments *arguments, size_t most,
                            brink_knobs *knobs) {
  brink_flatten_options options;
  const char **sets;
  *knobs = (brink_knobs){0};
  int outcome = read_options(loaded, arguments, &options, &sets);
  brink_status status = BRINK_ERR_MEMORY;
  if (outcome == CLI_OK && sets != NULL)
    status = brink_knobs_find(loaded->unit, &options, loaded->system, most, NULL, knobs);
  free(sets);
  return status;
}

/* An option that the language refused, by the option's name: "--set k=x: give a number; did you mean …?" */
static int show_refused(const cli_arguments *arguments, const brink_report_item *item) {
  static const cli_option_id ids[] = {[BRINK_ORIGIN_TOP] = CLI_TOP,
                                      [BRINK_ORIGIN_SET] = CLI_SET,
                                      [BRINK_ORIGIN_DRIVEN] = CLI_INPUT};
  return cli_misuse(arguments->command->name, "--%s %s: %s%s%s",
                    cli_options[ids[item->origin]].name, item->setting, item->message,
                    item->hint != NULL ? "; " : "", item->hint != NULL ? item->hint : "");
}

/* Flattens as asked. CLI_OK, CLI_USAGE (said), CLI_NUMERICS (said); errors of the model are in the unit. */
static int flatten_as_asked(cli_loaded *loaded, const cli_arguments *arguments, bool one) {
  brink_flatten_options options;
  const char **sets;
  int outcome = read_options(loaded, arguments, &options, &sets);
  if (outcome != CLI_OK) return outcome;
  options.agents = one ? BRINK_AGENTS_WHOLE : agents_wanted(loaded, arguments);
  if (sets != NULL) flatten(loaded, &options);
  const brink_report_item *refused = brink_report_of_settings(loaded->unit);
  if (refused != NULL)
    outcome = show_refused(arguments, refused);
  else if (loaded->system == NULL && loaded->unit->nerrors == 0) {
    cli_say("out of memory");
    outcome = CLI_NUMERICS;
  }
  free(sets);
  return outcome;
}

int cli_load(cli_loaded *loaded, const cli_arguments *arguments, const char *path) {
  int outcome = cli_load_parse(loaded, path);
  if (outcome == CLI_OK) outcome = cli_input_read(&loaded->input, arguments);
  if (outcome != CLI_OK) return outcome;
  brink_unit_check(loaded->unit);
  if (!loaded->unit->out_of_memory) /* with errors it reports more, and makes nothing */
    outcome = flatten_as_asked(loaded, arguments, false);
  int errors = cli_report(loaded->unit, arguments);
  if (outcome == CLI_OK && errors == CLI_OK && loaded->unit->out_of_memory) {
    cli_say("out of memory");
    return CLI_NUMERICS;
  }
  if (errors == CLI_OK && outcome == CLI_OK)
    outcome = cli_input_bind(&loaded->input, loaded->system);
  return errors != CLI_OK ? errors : outcome;
}

int cli_load_one(cli_loaded *loaded, const cli_arguments *arguments) {
  brink_agent_tables_destroy(loaded->tables);
  brink_system_destroy(loaded->system);
  loaded->tables = NULL;
  loaded->system = NULL;
  int outcome = flatten_as_asked(loaded, arguments, true);
  if (loaded->unit->nerrors > 0) return cli_report(loaded->unit, arguments);
  return outcome;
}

void cli_unload(cli_loaded *loaded) {
  cli_input_free(&loaded->input);
  brink_agent_tables_destroy(loaded->tables);
  brink_system_destroy(loaded->system);
  brink_unit_destroy(loaded->unit);
  *loaded = (cli_loaded){0};
}
