/* settings.c: what a run is asked for: the model's simulation section, then the command line. Options of a run have the
 * names and words of the section (run/options.c); the rest is for the program alone. */
#include "cli/settings.h"

#include <math.h>
#include <string.h>

#include "model/model.h"
#include "record/results.h"

static brink_method method_of(const char *word) {
#define METHOD_CASE(name, text)                                                                    \
  if (strcmp(word, text) == 0) return name;
  BRINK_METHOD_LIST(METHOD_CASE)
#undef METHOD_CASE
  return BRINK_AUTO;
}

cli_when cli_when_of(const char *word) {
  if (word == NULL || strcmp(word, "auto") == 0) return CLI_AUTO;
  return strcmp(word, "always") == 0 ? CLI_ALWAYS : CLI_NEVER;
}

/* ---- one setting ---- */

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), size = strlen(end);
  return length > size && strcmp(text + length - size, end) == 0;
}

static bool set_out(cli_settings *s, const char *word, brink_text *problem) {
  s->out = word;
  if (brink_results_knows(word)) return true;
  brink_text_add(problem, "the ending decides what is written: %s; - is CSV on standard output",
                 BRINK_RESULTS_ENDINGS);
  return false;
}

static bool set_report(cli_settings *s, const char *word, brink_text *problem) {
  s->report = word;
  if (ends_with(word, ".html") || ends_with(word, ".htm")) return true;
  brink_text_add(problem, "a report is a page: FILE.html");
  return false;
}

static bool set_checkpoint(const char **path, const char *word, brink_text *problem) {
  *path = word;
  if (strcmp(word, "-") != 0) return true;
  brink_text_add(problem, "a checkpoint is a file, no stream (a file of this name is ./-)");
  return false;
}

/* A time, with the words of --every. */
static bool set_checkpoint_every(cli_settings *s, const char *word, brink_text *problem) {
  brink_run_options room = brink_default_run();
  brink_diag diag;
  if (brink_run_option(&room, "every", word, &diag) != BRINK_OK)
    brink_text_add(problem, "%s", diag.message);
  else if (!(room.every > 0.0))
    brink_text_add(problem, "it must be above 0");
  else
    s->checkpoint_every = room.every;
  return problem->length == 0;
}

static bool set_one(cli_settings *s, cli_option_id id, const char *word, brink_text *problem) {
  brink_diag diag;
  switch (id) {
  case CLI_AGAINST:
    s->against = method_of(word);
    return true;
  case CLI_AUDIT:
    return s->run.sim.audit = true;
  case CLI_INTERPRET:
    return s->run.interpret = true;
  case CLI_NATIVE:
    return s->run.native = true;
  case CLI_JSON:
    return s->json = true;
  case CLI_JSON_STATES:
    return s->json = s->json_states = true;
  case CLI_SENSITIVITY:
    return s->sensitivity = true;
  case CLI_QUIET:
    return s->quiet = true;
  case CLI_PROGRESS:
    s->progress = cli_when_of(word);
    return true;
  case CLI_COLOR:
    s->color = cli_when_of(word);
    return true;
  case CLI_KEEP:
    s->keep = word;
    return true;
  case CLI_OUT:
    return set_out(s, word, problem);
  case CLI_REPORT:
    return set_report(s, word, problem);
  case CLI_PLOT:
    s->plot = word;
    return true;
  case CLI_CHECKPOINT:
    return set_checkpoint(&s->checkpoint, word, problem);
  case CLI_CHECKPOINT_EVERY:
    return set_checkpoint_every(s, word, problem);
  case CLI_RESUME:
    return set_checkpoint(&s->resume, word, problem);
  case CLI_WAITING:
    s->waiting = word;
    return true;
  case CLI_SET:
    if (strchr(word, '=') != NULL && word[0] != '=') return true;
    brink_text_add(problem, "write --set PATH=VALUE");
    return false;
  default:
    if (!cli_options[id].setting) return true;
    if (brink_run_option(&s->run, cli_options[id].name, word, &diag) == BRINK_OK) return true;
    brink_text_add(problem, "%s", diag.message);
    return false;
  }
}

/* ---- all of them ---- */

static int apply_command_line(cli_settings *s, const cli_arguments *arguments) {
  brink_text problem = {0};
  int outcome = CLI_OK;
  /* What others win over comes first, wherever it stands: rtol over tolerance, gain over gamma. */
  for (int round = 0; round < 2; round++) {
    for (size_t k = 0; k < arguments->ngiven && outcome == CLI_OK; k++) {
      const cli_given *given = &arguments->given[k];
      if (brink_run_option_first(cli_options[given->id].name) != (round == 0)) continue;
      if (!set_one(s, given->id, given->value, &problem))
        outcome = cli_misuse(arguments->command->name, "--%s %s: %s", cli_options[given->id].name,
                             given->value, problem.data != NULL ? problem.data : "out of memory");
    }
  }
  brink_text_free(&problem);
  return outcome;
}

static cli_settings defaults(void) {
  cli_settings settings = {.run = brink_default_run()};
  settings.run.writable = BRINK_WRITE_STATES; /* nobody writes anything */
  return settings;
}

/* How often, and where to. */
static int check_checkpoints(const cli_settings *s, const char *command) {
  if (s->checkpoint != NULL && s->checkpoint_every == 0.0 && s->resume == NULL)
    return cli_misuse(command, "--checkpoint %s: how often? Give --checkpoint-every T",
                      s->checkpoint);
  if (s->checkpoint_every > 0.0 && s->checkpoint == NULL && s->resume == NULL)
    return cli_misuse(command, "--checkpoint-every: where to? Give --checkpoint FILE");
  return CLI_OK;
}

int cli_settings_read(cli_settings *settings, const cli_arguments *arguments) {
  *settings = defaults();
  int outcome = apply_command_line(settings, arguments);
  if (outcome != CLI_OK) return outcome;
  if (settings->json && settings->out != NULL && strcmp(settings->out, "-") == 0)
    return cli_misuse(arguments->command->name,
                      "--json and --out - both write to standard output: give --out a file");
  return check_checkpoints(settings, arguments->command->name);
}

/* The step is that of the method that has to have one. */
static void combine_against(cli_settings *s) {
  if (s->against == BRINK_AUTO) return;
  if (brink_method_has_fixed_step(s->against)) s->against_step = s->run.sim.step;
  if (!brink_method_has_fixed_step(s->run.sim.method)) s->run.sim.step = 0.0;
}

/* What each setting allows by itself, but not together. */
static int check_together(const cli_settings *s, const char *command) {
  const brink_options *options = &s->run.sim;
  bool ends =
      strcmp(command, cli_commands[CLI_COMMAND_FIT].name) != 0; /* else the data say where */
  if (isnan(s->run.until) && ends)
    return cli_misuse(command, "no end time: give --until T, or 'until' in the model's simulation "
                               "section");
  if (brink_method_has_fixed_step(options->method) && options->step == 0.0)
    return cli_misuse(command, "--method %s works at a fixed step: give --step H",
                      brink_method_name(options->method));
  if (brink_method_has_fixed_step(s->against) && s->against_step == 0.0)
    return cli_misuse(command, "--against %s works at a fixed step: give --step H",
                      brink_method_name(s->against));
  bool has_orders = options->method <= BRINK_TAYLOR || options->method == BRINK_BDF;
  if (options->order > 0 && !has_orders)
    return cli_misuse(command, "--order is for adams, taylor and bdf; %s has an order of its own",
                      brink_method_name(options->method));
  if (options->order > 5 && options->method == BRINK_BDF)
    return cli_misuse(command, "--order %d is for adams and taylor; bdf has orders 1 to 5",
                      options->order);
  if (options->order > 12 && options->method == BRINK_ADAMS)
    return cli_misuse(command, "--order %d is for taylor; adams has orders 1 to 12",
                      options->order);
  if (options->hmin > options->hmax)
    return cli_misuse(command, "--hmin (%g) is larger than --hmax (%g)", options->hmin,
                      options->hmax);
  if (s->run.interpret && s->run.native)
    return cli_misuse(command, "--native waits for the C compiler, which --interpret never calls");
  if (options->rtol >= 1.0)
    return cli_misuse(command, "the relative tolerance %g is no tolerance: it must be below 1",
                      options->rtol);
  if (options->rtol == 0.0 && options->atol == 0.0)
    return cli_misuse(command, "--rtol and --atol are both 0: no step could ever be accepted");
  return CLI_OK;
}

/* What the command line says otherwise is not even looked at. */
static bool is_given(const char *name, void *user) {
  const cli_arguments *arguments = user;
  const cli_option *option = cli_option_find(name);
  return option != NULL && cli_has(arguments, (cli_option_id)(option - cli_options));
}

int cli_settings_combine(cli_settings *settings, const cli_arguments *arguments,
                         const brink_system *system) {
  brink_diag diag;
  brink_option_filter filter = {.skips = is_given, .user = (void *)(uintptr_t)arguments};
  *settings = defaults();
  if (brink_run_options_of(system, &filter, &settings->run, &diag) != BRINK_OK) {
    cli_complain(arguments->operands[0], "%s", diag.message);
    return CLI_MODEL_ERRORS;
  }
  int outcome = apply_command_line(settings, arguments);
  combine_against(settings);
  return outcome == CLI_OK ? check_together(settings, arguments->command->name) : outcome;
}
