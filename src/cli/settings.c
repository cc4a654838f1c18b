/* settings.c: what a run is asked for: the model's simulation section, then the command line. Both
 * speak in the words of one table (options.c), so that a setting and an option of one name are one
 * thing. */
#include "cli/settings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/results.h"

/* ---- words to values ---- */

static bool read_number(const char *word, double *value, brink_text *problem) {
  char *end;
  double number = strtod(word, &end);
  if (end == word || *end != '\0' || !isfinite(number)) {
    brink_text_add(problem, "'%s' is not a number", word);
    return false;
  }
  *value = number;
  return true;
}

static bool read_above(const char *word, double least, bool equal, double *value,
                       brink_text *problem) {
  if (!read_number(word, value, problem)) return false;
  if (*value > least || (equal && *value == least)) return true;
  brink_text_add(problem, "it must be %s %g", equal ? "at least" : "above", least);
  return false;
}

static bool read_whole(const char *word, uint64_t least, uint64_t most, uint64_t *value,
                       brink_text *problem) {
  char *end;
  errno = 0;
  unsigned long long number = strtoull(word, &end, 10);
  bool digits = word[0] >= '0' && word[0] <= '9';
  if (!digits || *end != '\0' || errno != 0 || number < least || number > most) {
    brink_text_add(problem, "it must be a whole number from %llu to %llu",
                   (unsigned long long)least, (unsigned long long)most);
    return false;
  }
  *value = number;
  return true;
}

/* The decimal R times 10^-3: 1e-6 gives the 1e-9 that people write. */
static double thousandth(double value) {
  char digits[BRINK_DOUBLE_TEXT], text[BRINK_DOUBLE_TEXT + 24];
  brink_double_text(value, digits);
  char *exponent = strchr(digits, 'e');
  long power = exponent != NULL ? strtol(exponent + 1, NULL, 10) : 0;
  if (exponent != NULL) *exponent = '\0';
  snprintf(text, sizeof text, "%se%ld", digits, power - 3);
  return strtod(text, NULL);
}

static brink_method method_of(const char *word) {
#define METHOD_CASE(name, text)                                                                    \
  if (strcmp(word, text) == 0) return name;
  BRINK_METHOD_LIST(METHOD_CASE)
#undef METHOD_CASE
  return BRINK_AUTO;
}

static brink_events events_of(const char *word) {
#define EVENTS_CASE(name, text)                                                                    \
  if (strcmp(word, text) == 0) return name;
  BRINK_EVENTS_LIST(EVENTS_CASE)
#undef EVENTS_CASE
  return BRINK_EXTRAPOLATE;
}

cli_when cli_when_of(const char *word) {
  if (word == NULL || strcmp(word, "auto") == 0) return CLI_AUTO;
  return strcmp(word, "always") == 0 ? CLI_ALWAYS : CLI_NEVER;
}

/* ---- one setting ---- */

static bool set_gamma(cli_settings *s, const char *word, brink_text *problem) {
  if (!read_above(word, 0.0, true, &s->options.gamma, problem)) return false;
  s->gamma_given = true;
  if (s->options.gamma < 1.0) return true;
  brink_text_add(problem, "a gain is below 1");
  return false;
}

static bool set_gain(cli_settings *s, const char *word) {
  s->gain_given = true;
  s->options.gain = strcmp(word, "published") == 0 ? BRINK_GAIN_PUBLISHED
                    : strcmp(word, "fixed") == 0   ? BRINK_GAIN_FIXED
                                                   : BRINK_GAIN_MARGIN;
  return true;
}

static bool set_parts(cli_settings *s, const char *word, brink_text *problem) {
  uint64_t parts;
  if (!read_whole(word, 2, 1000000, &parts, problem)) return false;
  s->options.mnm_parts = (int)parts;
  return true;
}

static bool set_tolerance(cli_settings *s, const char *word, brink_text *problem) {
  if (!read_above(word, 0.0, false, &s->options.rtol, problem)) return false;
  s->options.atol = thousandth(s->options.rtol);
  return true;
}

static bool set_order(cli_settings *s, const char *word, brink_text *problem) {
  uint64_t order;
  if (!read_whole(word, 1, 30, &order, problem)) return false;
  s->options.order = (int)order;
  return true;
}

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

static bool set_number(cli_settings *s, cli_option_id id, const char *word, brink_text *problem) {
  brink_options *options = &s->options;
  switch (id) {
  case CLI_UNTIL:
    s->has_until = true;
    return read_above(word, 0.0, true, &s->until, problem);
  case CLI_RTOL:
    return read_above(word, 0.0, true, &options->rtol, problem);
  case CLI_ATOL:
    return read_above(word, 0.0, true, &options->atol, problem);
  case CLI_TOLERANCE:
    return set_tolerance(s, word, problem);
  case CLI_ORDER:
    return set_order(s, word, problem);
  case CLI_STEP:
    return read_above(word, 0.0, false, &options->step, problem);
  case CLI_HMIN:
    return read_above(word, 0.0, true, &options->hmin, problem);
  case CLI_HMAX:
    return read_above(word, 0.0, false, &options->hmax, problem);
  case CLI_GAMMA:
    return set_gamma(s, word, problem);
  case CLI_TERMINATION:
    return read_above(word, 0.0, false, &options->termination, problem);
  case CLI_PARTS:
    return set_parts(s, word, problem);
  case CLI_NEAR_MISS:
    return read_above(word, 0.0, true, &options->near_miss, problem);
  case CLI_EVERY:
    return read_above(word, 0.0, false, &s->every, problem);
  case CLI_SEED:
    return read_whole(word, 0, UINT64_MAX, &s->seed, problem);
  case CLI_THREADS:
    return read_whole(word, 1, 65536, &s->threads, problem);
  default:
    return true;
  }
}

static bool set_one(cli_settings *s, cli_option_id id, const char *word, brink_text *problem) {
  switch (id) {
  case CLI_METHOD:
    s->options.method = method_of(word);
    return true;
  case CLI_AGAINST:
    s->against = method_of(word);
    return true;
  case CLI_EVENTS:
    s->options.events = events_of(word);
    return true;
  case CLI_GAIN:
    return set_gain(s, word);
  case CLI_RANGE:
    s->range_warns = strcmp(word, "warn") == 0;
    return true;
  case CLI_ZENO:
    s->options.zeno = strcmp(word, "continue") == 0 ? BRINK_ZENO_CONTINUE : BRINK_ZENO_STOP;
    return true;
  case CLI_AUDIT:
    return s->options.audit = true;
  case CLI_INTERPRET:
    return s->interpret = true;
  case CLI_JSON:
    return s->json = true;
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
  case CLI_OUT:
    return set_out(s, word, problem);
  case CLI_REPORT:
    s->report = word;
    if (ends_with(word, ".html") || ends_with(word, ".htm")) return true;
    brink_text_add(problem, "a report is a page: FILE.html");
    return false;
  case CLI_PLOT:
    s->plot = word;
    return true;
  case CLI_SET:
    if (strchr(word, '=') != NULL && word[0] != '=') return true;
    brink_text_add(problem, "write --set PATH=VALUE");
    return false;
  default:
    return set_number(s, id, word, problem);
  }
}

/* ---- all of them ---- */

static const char *words_of(const brink_text *text) {
  return text->data != NULL ? text->data : "out of memory";
}

static int apply_command_line(cli_settings *s, const cli_arguments *arguments) {
  brink_text problem = {0};
  int outcome = CLI_OK;
  /* The tolerances one by one win over both at once, wherever they stand. */
  for (int round = 0; round < 2; round++) {
    for (size_t k = 0; k < arguments->ngiven && outcome == CLI_OK; k++) {
      const cli_given *given = &arguments->given[k];
      if ((given->id == CLI_TOLERANCE) != (round == 0)) continue;
      if (!set_one(s, given->id, given->value, &problem))
        outcome = cli_misuse(arguments->command->name, "--%s %s: %s", cli_options[given->id].name,
                             given->value, words_of(&problem));
    }
  }
  brink_text_free(&problem);
  return outcome;
}

/* What the command line says otherwise is not even looked at. */
static int apply_setting(cli_settings *s, const brink_setting *setting,
                         const cli_arguments *arguments) {
  const cli_option *option = cli_option_find(setting->name);
  if (option != NULL && cli_has(arguments, (cli_option_id)(option - cli_options))) return CLI_OK;
  brink_text problem = {0};
  char number[BRINK_DOUBLE_TEXT];
  const char *word = setting->is_text ? setting->text : brink_double_text(setting->number, number);
  bool fine = option != NULL && option->setting;
  if (!fine)
    brink_text_add(&problem, "there is no such setting");
  else
    fine = cli_option_allows(option, word, &problem) &&
           set_one(s, (cli_option_id)(option - cli_options), word, &problem);
  if (!fine)
    fprintf(stderr, "%s: error: simulation: %s : %s: %s\n", arguments->operands[0], setting->name,
            word, words_of(&problem));
  brink_text_free(&problem);
  return fine ? CLI_OK : CLI_MODEL_ERRORS;
}

static int apply_model(cli_settings *s, const brink_system *system,
                       const cli_arguments *arguments) {
  int outcome = CLI_OK;
  for (int round = 0; round < 2; round++) {
    for (size_t k = 0; k < system->nsettings && outcome == CLI_OK; k++) {
      bool both = strcmp(system->settings[k].name, "tolerance") == 0;
      if (both == (round == 0)) outcome = apply_setting(s, &system->settings[k], arguments);
    }
  }
  return outcome;
}

static cli_settings defaults(void) {
  return (cli_settings){.options = brink_default_options(), .seed = 1};
}

int cli_settings_read(cli_settings *settings, const cli_arguments *arguments) {
  *settings = defaults();
  int outcome = apply_command_line(settings, arguments);
  if (outcome != CLI_OK) return outcome;
  if (settings->json && settings->out != NULL && strcmp(settings->out, "-") == 0)
    return cli_misuse(arguments->command->name,
                      "--json and --out - both write to standard output: give --out a file");
  return CLI_OK;
}

/* A gain of one's own is meant to be used. */
static void combine_gain(cli_settings *s) {
  if (s->gamma_given && !s->gain_given) s->options.gain = BRINK_GAIN_FIXED;
}

/* The step is that of the method that has to have one. */
static void combine_against(cli_settings *s) {
  if (s->against == BRINK_AUTO) return;
  if (s->against > BRINK_DOPRI) s->against_step = s->options.step;
  if (s->options.method <= BRINK_DOPRI) s->options.step = 0.0;
}

/* What each setting allows by itself, but not together. */
static int check_together(const cli_settings *s, const char *command) {
  const brink_options *options = &s->options;
  if (!s->has_until)
    return cli_misuse(command, "no end time: give --until T, or 'until' in the model's simulation "
                               "section");
  if (options->method > BRINK_DOPRI && options->step == 0.0)
    return cli_misuse(command, "--method %s works at a fixed step: give --step H",
                      brink_method_name(options->method));
  if (s->against > BRINK_DOPRI && s->against_step == 0.0)
    return cli_misuse(command, "--against %s works at a fixed step: give --step H",
                      brink_method_name(s->against));
  if (options->order > 0 && options->method > BRINK_TAYLOR)
    return cli_misuse(command, "--order is for adams and taylor; %s has an order of its own",
                      brink_method_name(options->method));
  if (options->order > 12 && options->method == BRINK_ADAMS)
    return cli_misuse(command, "--order %d is for taylor; adams has orders 1 to 12",
                      options->order);
  if (options->hmin > options->hmax)
    return cli_misuse(command, "--hmin (%g) is larger than --hmax (%g)", options->hmin,
                      options->hmax);
  if (options->rtol == 0.0 && options->atol == 0.0)
    return cli_misuse(command, "--rtol and --atol are both 0: no step could ever be accepted");
  return CLI_OK;
}

int cli_settings_combine(cli_settings *settings, const cli_arguments *arguments,
                         const brink_system *system) {
  *settings = defaults();
  int outcome = apply_model(settings, system, arguments);
  if (outcome == CLI_OK) outcome = apply_command_line(settings, arguments);
  combine_gain(settings);
  combine_against(settings);
  return outcome == CLI_OK ? check_together(settings, arguments->command->name) : outcome;
}
