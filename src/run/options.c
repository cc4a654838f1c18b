/* options.c: options of a run by their names and words, as the simulation section of a model and the command line
 * give them. One table for both: a setting and an option of one name are one thing. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/definition.h"
#include "lang/constant.h"
#include "model/model.h"
#include "run/hsml.h"

void brink_run_defaults(brink_run_options *options, size_t size) {
  brink_run_options defaults;
  memset(&defaults, 0,
         sizeof defaults); /* also between members: options are compared as bytes (renew.c) */
  defaults.size = sizeof defaults;
  brink_options_defaults(&defaults.sim, sizeof defaults.sim);
  defaults.from = defaults.until = (double)NAN;
  defaults.seed = 1;
  defaults.writable = BRINK_WRITE_INPUTS;
  brink_definition_fill(options, size, &defaults, sizeof defaults);
}

/* ---- words to values: each writes what is wrong into `problem` and returns false ---- */

static bool is_number(brink_type type) {
  return type == BRINK_TYPE_REAL || type == BRINK_TYPE_INTEGER;
}

/* A constant expression of the language: 2*pi, 10^-8. */
static bool read_expression(const char *word, double *value, brink_text *problem) {
  brink_constant constant;
  bool read = brink_constant_read(word, NULL, &constant);
  const char *message = constant.message;
  if (read && message == NULL && (constant.list || !is_number(constant.type)))
    message = "this is not one number";
  if (read && message == NULL) *value = constant.value[0];
  if (message != NULL) {
    brink_text_add(problem, "%s%s%s\n", message, constant.hint != NULL ? "; " : "",
                   constant.hint != NULL ? constant.hint : "");
    brink_report_carets(word, constant.at, constant.length, problem);
    if (!problem->failed) problem->data[--problem->length] = '\0'; /* the last line's end */
  }
  brink_constant_free(&constant);
  return read && message == NULL;
}

/* `endless`: inf may be meant. */
static bool read_value(const char *word, bool endless, double *value, brink_text *problem) {
  char *end;
  double number = brink_read_double(word, &end);
  if (end == word || *end != '\0') {
    if (word[strspn(word, " \t")] == '\0') {
      brink_text_add(problem, "'%s' is not a number", word);
      return false;
    }
    if (!read_expression(word, &number, problem)) return false;
  }
  if (isnan(number) || (isinf(number) && !endless)) {
    brink_text_add(problem, "'%s' is not a %snumber", word, isinf(number) ? "finite " : "");
    return false;
  }
  *value = number;
  return true;
}

static bool read_number(const char *word, double *value, brink_text *problem) {
  return read_value(word, false, value, problem);
}

static bool read_above(const char *word, double least, bool equal, double *value,
                       brink_text *problem) {
  double number;
  if (!read_number(word, &number, problem)) return false;
  if (number > least || (equal && number == least)) {
    *value = number;
    return true;
  }
  brink_text_add(problem, "it must be %s %g", equal ? "at least" : "above", least);
  return false;
}

static bool read_whole(const char *word, uint64_t least, uint64_t most, uint64_t *value,
                       brink_text *problem) {
  char *end;
  errno = 0;
  unsigned long long number = strtoull(word, &end, 10);
  bool digits = word[0] >= '0' && word[0] <= '9', fine = digits && *end == '\0' && errno == 0;
  double real = 0.0;
  if (!fine && errno == 0 && strpbrk(word, "+-*/^(") != NULL && word[0] != '-') {
    if (!read_expression(word, &real, problem)) return false;
    fine = real >= 0.0 && real < 0x1p64 && real == floor(real);
    number = fine ? (unsigned long long)real : 0;
  }
  if (!fine || number < least || number > most) {
    brink_text_add(problem, "it must be a whole number from %llu to %llu",
                   (unsigned long long)least, (unsigned long long)most);
    return false;
  }
  *value = number;
  return true;
}

/* The place of a word in a list that ends with NULL; -1: it is not there, and `problem` lists what is. */
static int read_choice(const char *word, const char *const *choices, brink_text *problem) {
  const char *near = NULL;
  size_t count = 0;
  for (; choices[count] != NULL; count++) {
    if (strcmp(word, choices[count]) == 0) return (int)count;
    near = brink_nearest(word, choices[count], near);
  }
  brink_text_add(problem, "it is one of ");
  for (size_t k = 0; k < count; k++)
    brink_text_add(problem, "%s%s", k == 0 ? "" : k + 1 < count ? ", " : " or ", choices[k]);
  if (near != NULL) brink_text_add(problem, "; did you mean %s?", near);
  return -1;
}

/* The decimal R times 10^-3: 1e-6 gives the 1e-9 that people write. */
static double thousandth(double value) {
  char digits[BRINK_DOUBLE_TEXT], text[BRINK_DOUBLE_TEXT + 24];
  brink_double_text(value, digits);
  char *exponent = strchr(digits, 'e');
  long power = exponent != NULL ? strtol(exponent + 1, NULL, 10) : 0;
  if (exponent != NULL) *exponent = '\0';
  snprintf(text, sizeof text, "%se%ld", digits, power - 3);
  return brink_read_double(text, NULL);
}

/* ---- options with words ---- */

static bool set_method(brink_run_options *o, const char *word, brink_text *problem) {
#define METHOD_WORD(name, text) text,
  static const char *const methods[] = {BRINK_METHOD_LIST(METHOD_WORD) NULL};
#undef METHOD_WORD
  if (strcmp(word, "dae") == 0) word = "bdf"; /* it solves both */
  int choice = read_choice(word, methods, problem);
  if (choice >= 0) o->sim.method = (brink_method)choice;
  return choice >= 0;
}

static bool set_events(brink_run_options *o, const char *word, brink_text *problem) {
#define EVENTS_WORD(name, text) text,
  static const char *const ways[] = {BRINK_EVENTS_LIST(EVENTS_WORD) NULL};
#undef EVENTS_WORD
  int choice = read_choice(word, ways, problem);
  if (choice >= 0) o->sim.events = (brink_events)choice;
  return choice >= 0;
}

static bool set_gain(brink_run_options *o, const char *word, brink_text *problem) {
  static const char *const gains[] = {"margin", "published", "fixed", NULL}; /* as brink_gain */
  int choice = read_choice(word, gains, problem);
  if (choice >= 0) o->sim.gain = (brink_gain)choice;
  return choice >= 0;
}

static bool set_range(brink_run_options *o, const char *word, brink_text *problem) {
  static const char *const words[] = {"stop", "warn", NULL};
  int choice = read_choice(word, words, problem);
  if (choice >= 0) o->range_warns = choice == 1;
  return choice >= 0;
}

static bool set_zeno(brink_run_options *o, const char *word, brink_text *problem) {
  static const char *const words[] = {"stop", "continue", NULL}; /* as brink_zeno_choice */
  int choice = read_choice(word, words, problem);
  if (choice >= 0) o->sim.zeno = (brink_zeno_choice)choice;
  return choice >= 0;
}

static bool set_clocks(brink_run_options *o, const char *word, brink_text *problem) {
  static const char *const words[] = {"own", "one", NULL};
  int choice = read_choice(word, words, problem);
  if (choice >= 0) o->clocks = choice == 0 ? BRINK_CLOCKS_OWN : BRINK_CLOCKS_ONE;
  return choice >= 0;
}

/* ---- options with numbers ---- */

static bool set_from(brink_run_options *o, const char *word, brink_text *problem) {
  return read_number(word, &o->from, problem);
}

static bool set_until(brink_run_options *o, const char *word, brink_text *problem) {
  return read_value(word, true, &o->until, problem);
}

static bool set_every(brink_run_options *o, const char *word, brink_text *problem) {
  return read_above(word, 0.0, false, &o->every, problem);
}

static bool set_rtol(brink_run_options *o, const char *word, brink_text *problem) {
  return read_above(word, 0.0, true, &o->sim.rtol, problem);
}

static bool set_atol(brink_run_options *o, const char *word, brink_text *problem) {
  return read_above(word, 0.0, true, &o->sim.atol, problem);
}

static bool set_tolerance(brink_run_options *o, const char *word, brink_text *problem) {
  if (!read_above(word, 0.0, false, &o->sim.rtol, problem)) return false;
  o->sim.atol = thousandth(o->sim.rtol);
  return true;
}

static bool set_order(brink_run_options *o, const char *word, brink_text *problem) {
  uint64_t order;
  if (!read_whole(word, 1, 30, &order, problem)) return false;
  o->sim.order = (int)order;
  return true;
}

static bool set_step(brink_run_options *o, const char *word, brink_text *problem) {
  return read_above(word, 0.0, false, &o->sim.step, problem);
}

static bool set_hmin(brink_run_options *o, const char *word, brink_text *problem) {
  return read_above(word, 0.0, true, &o->sim.hmin, problem);
}

static bool set_hmax(brink_run_options *o, const char *word, brink_text *problem) {
  return read_above(word, 0.0, false, &o->sim.hmax, problem);
}

/* A gain of one's own is meant to be used, unless another one is named. */
static bool set_gamma(brink_run_options *o, const char *word, brink_text *problem) {
  double gamma;
  if (!read_above(word, 0.0, true, &gamma, problem)) return false;
  if (gamma >= 1.0) {
    brink_text_add(problem, "a gain is below 1");
    return false;
  }
  o->sim.gamma = gamma;
  if (o->sim.gain == BRINK_GAIN_MARGIN) o->sim.gain = BRINK_GAIN_FIXED;
  return true;
}

static bool set_termination(brink_run_options *o, const char *word, brink_text *problem) {
  return read_above(word, 0.0, false, &o->sim.termination, problem);
}

static bool set_parts(brink_run_options *o, const char *word, brink_text *problem) {
  uint64_t parts;
  if (!read_whole(word, 2, 1000000, &parts, problem)) return false;
  o->sim.mnm_parts = (int)parts;
  return true;
}

static bool set_near_miss(brink_run_options *o, const char *word, brink_text *problem) {
  return read_above(word, 0.0, true, &o->sim.near_miss, problem);
}

static bool set_seed(brink_run_options *o, const char *word, brink_text *problem) {
  return read_whole(word, 0, UINT64_MAX, &o->seed, problem);
}

static bool set_threads(brink_run_options *o, const char *word, brink_text *problem) {
  uint64_t threads;
  if (!read_whole(word, 1, 65536, &threads, problem)) return false;
  o->threads = (size_t)threads;
  return true;
}

/* What is recorded is no business of the run: the recordings read it (look.c). */
static bool set_keep(brink_run_options *o, const char *word, brink_text *problem) {
  (void)o;
  if (word[0] != '\0') return true;
  brink_text_add(problem, "names of what is to be recorded are missing");
  return false;
}

/* ---- all of them ---- */

/* Those that others are measured against come first: rtol wins over tolerance, gain over gamma. */
static const struct {
  const char *name;
  bool first;
  bool (*set)(brink_run_options *options, const char *word, brink_text *problem);
} table[] = {
    {"tolerance", true, set_tolerance}, {"gamma", true, set_gamma},
    {"from", false, set_from},          {"until", false, set_until},
    {"method", false, set_method},      {"events", false, set_events},
    {"rtol", false, set_rtol},          {"atol", false, set_atol},
    {"order", false, set_order},        {"step", false, set_step},
    {"hmin", false, set_hmin},          {"hmax", false, set_hmax},
    {"gain", false, set_gain},          {"termination", false, set_termination},
    {"parts", false, set_parts},        {"near-miss", false, set_near_miss},
    {"range", false, set_range},        {"zeno", false, set_zeno},
    {"seed", false, set_seed},          {"clocks", false, set_clocks},
    {"threads", false, set_threads},    {"every", false, set_every},
    {"keep", false, set_keep},
};
enum { OPTIONS = sizeof table / sizeof *table };

static int find(const char *name) {
  for (int k = 0; k < OPTIONS; k++) {
    if (strcmp(table[k].name, name) == 0) return k;
  }
  return -1;
}

bool brink_run_option_first(const char *name) {
  int k = find(name);
  return k >= 0 && table[k].first;
}

brink_status brink_run_option(brink_run_options *options, const char *name, const char *value,
                              brink_diag *diag) {
  brink_diag_clear(diag);
  if (options == NULL || name == NULL || value == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "options, name and value must not be NULL");
  int k = find(name);
  brink_text problem = {0};
  if (k < 0) brink_text_add(&problem, "there is no such setting");
  if (k >= 0 && table[k].set(options, value, &problem)) return BRINK_OK;
  brink_status status = brink_diag_set(diag, BRINK_ERR_ARGUMENT, "%s",
                                       problem.data != NULL ? problem.data : "out of memory");
  brink_text_free(&problem);
  return status;
}

brink_status brink_run_options_of(const brink_system *system, const brink_option_filter *filter,
                                  brink_run_options *options, brink_diag *diag) {
  for (int round = 0; round < 2; round++) {
    for (size_t k = 0; k < system->nsettings; k++) {
      const brink_setting *setting = &system->settings[k];
      char number[BRINK_DOUBLE_TEXT];
      const char *word =
          setting->is_text ? setting->text : brink_double_text(setting->number, number);
      if (brink_run_option_first(setting->name) != (round == 0)) continue;
      if (filter != NULL && filter->skips(setting->name, filter->user)) continue;
      brink_diag wrong;
      if (brink_run_option(options, setting->name, word, &wrong) == BRINK_OK) continue;
      return brink_diag_set(diag, BRINK_ERR_MODEL, "simulation: %s : %s: %s", setting->name, word,
                            wrong.message);
    }
  }
  return BRINK_OK;
}

brink_status brink_run_options_check(const brink_run_options *options, brink_diag *diag) {
  const brink_options *sim = &options->sim;
  if ((unsigned)options->writable > BRINK_WRITE_ALL ||
      (unsigned)options->clocks > BRINK_CLOCKS_ONE || (unsigned)sim->method > BRINK_BDF ||
      !(options->every >= 0.0) || isinf(options->from))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "an option has a value that it cannot have: writable, clocks, method, "
                          "every or from");
  if (brink_method_has_fixed_step(sim->method) && sim->step == 0.0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "method %s works at a fixed step: give it one (step)",
                          brink_method_name(sim->method));
  if (sim->order > 0 && sim->method > BRINK_TAYLOR && sim->method != BRINK_BDF)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "order is for adams, taylor and bdf; %s has an order of its own",
                          brink_method_name(sim->method));
  if (sim->order > 5 && sim->method == BRINK_BDF)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "order %d is for adams and taylor; bdf has orders 1 to 5", sim->order);
  if (sim->order > 12 && sim->method == BRINK_ADAMS)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "order %d is for taylor; adams has orders 1 to 12", sim->order);
  if (sim->hmin > sim->hmax)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "hmin (%g) is larger than hmax (%g)", sim->hmin,
                          sim->hmax);
  if (options->interpret && options->native)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "native waits for the C compiler, which interpret never calls");
  if (sim->rtol == 0.0 && sim->atol == 0.0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "rtol and atol are both 0: no step could ever be accepted");
  return BRINK_OK;
}
