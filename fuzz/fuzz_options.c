/* fuzz_options.c: the command line, in one process and without files: a command, then its words, one a line. They are read by
 * the tables of src/cli/options.c, written as a shell would read them back and read again, made settings together with a
 * model's simulation section; and the values of --set, --keep and --plot are looked up in a model.
 *
 * Outcomes are "fine", "help" and "wrong usage"; settings that are fine are ones that a run can be made with, or it says why. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "cli/run.h"
#include "cli/settings.h"
#include "fuzz.h"
#include "run/run.h"

enum { WORDS = 40, STEPS = 50, ROWS = 100000 };

static const char model_text[] =
    "ctc Tank is\n"
    "  interface knob(area); knob(kind); knob(v); knob(n); output(level, signal, (0.0, 9.0), "
    "\"m\"); end interface;\n"
    "  body\n"
    "    declarations state(x, real); state(z[2], real); parameter(area, real, (0.1, 9.0)); "
    "parameter(n, integer, (1, 5));\n"
    "      parameter(kind, string, {\"slow\", \"fast\"}); parameter(v[3], real); parameter(on, "
    "boolean); flag(half);\n"
    "      mode(m, {\"a\", \"b\"}); end declarations;\n"
    "    initial x := 1.0; z[1] := 0.0; z[2] := v[2]; m := \"a\"; end initial;\n"
    "    dynamics x' = -x/area; z[1]' = v[1]*n; z[2]' = if on then 1.0 else 0.0; half = x - 0.5; "
    "end dynamics;\n"
    "    output level = 2.0*x; end output;\n"
    "    assignments area : 1.0; kind : \"slow\"; v[1] : 1.0; v[2] : 2.0; v[3] : 3.0; n : 2; on : "
    "true; end assignments;\n"
    "  end body;\n"
    "end Tank;\n"
    "system Plant is\n"
    "  body\n"
    "    components tank : Tank; end components;\n"
    "    simulation until : 2.0; rtol : 1e-5; every : 0.5; end simulation;\n"
    "  end body;\n"
    "end Plant;\n";

/* ---- words ---- */

/* Cuts a text into lines, in place; words[0] is the command. */
static int cut(char *text, char **words) {
  int count = 0;
  for (char *at = text; at != NULL && count < WORDS - 1;) {
    char *end = strchr(at, '\n');
    if (end != NULL) *end = '\0';
    words[count++] = at;
    at = end != NULL ? end + 1 : NULL;
  }
  words[count] = NULL;
  return count;
}

/* A line as a shell reads it, in place: words without quotes, and parts between single quotes. */
static int split(char *line, char **words) {
  int count = 0;
  char *from = line, *to = line;
  while (count < 2 * WORDS - 1) {
    while (*from == ' ') from++;
    if (*from == '\0') break;
    words[count++] = to;
    bool quoted = false;
    for (; *from != '\0' && (quoted || *from != ' '); from++) {
      if (*from == '\'')
        quoted = !quoted;
      else if (*from == '\\' && !quoted && from[1] != '\0')
        *to++ = *++from;
      else
        *to++ = *from;
    }
    if (*from == ' ') from++;
    *to++ = '\0';
  }
  words[count] = NULL;
  return count;
}

static bool same(const cli_arguments *a, const cli_arguments *b) {
  if (a->ngiven != b->ngiven || a->noperands != b->noperands) return false;
  for (size_t k = 0; k < a->noperands; k++)
    if (strcmp(a->operands[k], b->operands[k]) != 0) return false;
  for (size_t k = 0; k < a->ngiven; k++) {
    const char *p = a->given[k].value, *q = b->given[k].value;
    if (a->given[k].id != b->given[k].id || (p == NULL) != (q == NULL) ||
        (p != NULL && strcmp(p, q) != 0))
      return false;
  }
  return true;
}

/* What is written for a shell is what was given. Operands that look like options cannot be written so. */
static void check_command_line(const cli_arguments *arguments) {
  if (2 * arguments->ngiven + arguments->noperands > 2 * WORDS - 3)
    return; /* letters in one word */
  brink_text text = {0};
  cli_given given[2 * WORDS];
  const char *operands[2 * WORDS];
  char *words[2 * WORDS];
  cli_arguments again = {.command = arguments->command, .given = given, .operands = operands};
  for (size_t k = 0; k < arguments->noperands; k++)
    if (arguments->operands[k][0] == '-') return;
  cli_command_line(arguments, &text);
  if (text.failed) abort();
  int count = split(text.data, words);
  if (count < 2 || strcmp(words[0], "brink") != 0 ||
      strcmp(words[1], arguments->command->name) != 0)
    abort();
  if (cli_arguments_parse(&again, count - 1, words + 1) != CLI_OK || !same(arguments, &again))
    abort();
  brink_text_free(&text);
}

/* ---- what is asked for ---- */

static void check_settings(const cli_settings *s) {
  const brink_options *o = &s->run.sim;
  if (!(o->rtol >= 0.0) || isinf(o->rtol) || !(o->atol >= 0.0) || isinf(o->atol)) abort();
  if (!(o->step >= 0.0) || isinf(o->step) || isnan(o->hmax) || !(o->hmin >= 0.0)) abort();
  if (isnan(s->run.until) || isnan(s->run.every) || s->run.every < 0.0) abort();
  if (isnan(s->checkpoint_every) || s->checkpoint_every < 0.0) abort();
}

static void set_values(brink_hsml *model, const cli_arguments *arguments) {
  brink_diag diag = {0};
  for (size_t k = 0; k < arguments->ngiven; k++) {
    if (arguments->given[k].id != CLI_SET) continue;
    char *name = strdup(arguments->given[k].value),
         *equals = name != NULL ? strchr(name, '=') : NULL;
    if (equals == NULL) abort();
    *equals = '\0';
    fuzz_check_refusal(brink_hsml_set_text(model, name, equals + 1, &diag), &diag);
    free(name);
  }
}

static void try_run(brink_hsml *model, const cli_arguments *arguments,
                    const cli_settings *settings) {
  brink_run_options options = settings->run;
  brink_run *run = NULL;
  brink_diag diag = {0};
  options.interpret = true;
  options.threads = 1;
  options.sim.max_steps = STEPS;
  brink_status status = brink_run_create(model, &options, NULL, &diag, &run);
  fuzz_check_refusal(status, &diag);
  if (status != BRINK_OK) return;
  if (settings->keep != NULL) {
    status = brink_run_keep(run, settings->keep, &diag);
    fuzz_check_refusal(status, &diag);
  }
  cli_simulation sim = {.arguments = arguments, .settings = *settings, .model = model, .run = run};
  cli_effects_show(&sim);
  if (status == BRINK_OK) {
    /* Who asks for millions of rows has to wait for them. */
    bool few = options.every == 0.0 || fabs(options.until) < ROWS * options.every;
    if (few) brink_run_keep_trajectory(run, NULL);
    status = brink_run_to(run, options.until, &diag);
    fuzz_check_refusal(status, &diag);
  }
  brink_run_destroy(run);
}

static void use(const cli_arguments *arguments) {
  brink_hsml *model = NULL;
  cli_settings settings;
  brink_diag diag = {0};
  if (cli_settings_read(&settings, arguments) != CLI_OK) return;
  if (brink_hsml_load_text(model_text, NULL, &model) != BRINK_OK) abort();
  set_values(model, arguments);
  brink_status status = brink_hsml_build(model, &diag);
  fuzz_check_refusal(status, &diag);
  if (status == BRINK_OK) {
    int outcome = cli_settings_combine(&settings, arguments, model->built->system);
    if (outcome != CLI_OK && outcome != CLI_USAGE) abort();
    if (outcome == CLI_OK) check_settings(&settings);
    if (outcome == CLI_OK) try_run(model, arguments, &settings);
  }
  brink_hsml_destroy(model);
}

/* What is said goes nowhere; the standard error of the process stays as it is, for sanitizers. */
static void be_quiet(void) {
  static bool quiet;
  if (quiet) return;
  quiet = true;
  FILE *nowhere = fopen("/dev/null", "w");
  if (nowhere == NULL) abort();
  stderr = nowhere;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *words[WORDS], *text = malloc(size + 1);
  const char *operands[WORDS];
  if (text == NULL) return 0;
  be_quiet();
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  int count = cut(text, words);
  const cli_command *command = cli_command_choose(words[0]);
  cli_given *given = calloc(cli_arguments_room(count, words), sizeof *given);
  if (command != NULL && given != NULL) {
    cli_arguments arguments = {.command = command, .given = given, .operands = operands};
    int outcome = cli_arguments_parse(&arguments, count, words);
    if (outcome != CLI_OK && outcome != CLI_USAGE && outcome != -1) abort();
    if (outcome == CLI_OK) check_command_line(&arguments);
    if (outcome == CLI_OK && command == &cli_commands[CLI_COMMAND_RUN] && arguments.noperands > 0)
      use(&arguments);
  }
  free(given);
  free(text);
  return 0;
}
