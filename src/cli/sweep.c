/* sweep.c: brink sweep: many runs of a model, one row each. It reads options and prints; the work is in src/sweep. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "cli/import_path.h"
#include "cli/load.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "run/run.h"
#include "sweep/by_ranks.h"
#include "sweep/fields.h"
#include <brink/sweep.h>

typedef struct sweeping {
  const cli_arguments *arguments;
  cli_settings settings;
  brink_arena arena;
  brink_hsml_def model;
  brink_sweep_def def;
  cli_import_path imports;
  cli_progress progress;
  const char *indices; /* the file of indices; NULL: none */
  cli_ranks ranks;
  double patience;
} sweeping;

/* ---- options ---- */

/* All values of an option that may be repeated. */
static const char *const *values_of(sweeping *s, cli_option_id id, size_t *count) {
  const cli_arguments *arguments = s->arguments;
  const char **list = brink_arena_take(&s->arena, arguments->ngiven, sizeof *list);
  *count = 0;
  for (size_t k = 0; list != NULL && k < arguments->ngiven; k++) {
    if (arguments->given[k].id == id) list[(*count)++] = arguments->given[k].value;
  }
  return list;
}

/* Options in the words of the simulation section. */
static void take_settings(sweeping *s) {
  const cli_arguments *arguments = s->arguments;
  brink_sweep_option *list = brink_arena_take(&s->arena, arguments->ngiven, sizeof *list);
  for (size_t k = 0; list != NULL && k < arguments->ngiven; k++) {
    const cli_option *option = &cli_options[arguments->given[k].id];
    if (option->setting)
      list[s->def.noptions++] = (brink_sweep_option){option->name, arguments->given[k].value};
  }
  s->def.options = list;
}

/* Options that change nothing in a run, or are about its files. */
static bool is_beside(cli_option_id id) {
  static const cli_option_id list[] = {CLI_REPORT, CLI_THREADS, CLI_QUIET, CLI_PROGRESS, CLI_COLOR};
  for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
    if (list[k] == id) return true;
  }
  return false;
}

/* The words of a command that makes one run, without its knobs: what the sweep has that `run` has, too. */
static void take_run_words(sweeping *s) {
  const cli_arguments *arguments = s->arguments;
  unsigned bit = cli_command_bit(&cli_commands[CLI_COMMAND_RUN]);
  const char **words = brink_arena_take(&s->arena, 2 * arguments->ngiven + 3, sizeof *words);
  size_t count = 0;
  if (words == NULL) return;
  words[count++] = "brink";
  words[count++] = "run";
  words[count++] = arguments->operands[0];
  for (size_t k = 0; k < arguments->ngiven; k++) {
    const cli_option *option = &cli_options[arguments->given[k].id];
    if ((option->commands & bit) == 0 || is_beside(arguments->given[k].id)) continue;
    brink_text word = {0};
    brink_text_add(&word, "--%s", option->name);
    words[count++] = word.failed ? "" : brink_arena_text(&s->arena, word.data);
    s->arena.failed = s->arena.failed || word.failed;
    brink_text_free(&word);
    if (arguments->given[k].value != NULL) words[count++] = arguments->given[k].value;
  }
  s->def.run_words = words;
  s->def.nrun_words = count;
}

/* What a report is made of. */
static void define_report(sweeping *s) {
  brink_text line = {0};
  if (s->settings.report == NULL) return;
  s->def.report = true;
  cli_command_line(s->arguments, &line);
  s->def.command = line.failed ? NULL : brink_arena_text(&s->arena, line.data);
  s->arena.failed = s->arena.failed || line.failed;
  brink_text_free(&line);
  take_run_words(s);
}

static int read_whole(const sweeping *s, cli_option_id id, uint64_t *number) {
  const char *word = cli_value(s->arguments, id);
  char *end;
  if (word == NULL) return CLI_OK;
  double value = strtod(word, &end);
  if (end == word || *end != '\0' || !(value >= 1.0 && value <= 1e12) || value != floor(value))
    return cli_misuse(s->arguments->command->name,
                      "--%s %s: it must be a whole number from 1 to 1000000000000",
                      cli_options[id].name, word);
  *number = (uint64_t)value;
  return CLI_OK;
}

/* Seconds above 0; `seconds` stays as it is without the option. */
static int read_seconds(const sweeping *s, cli_option_id id, double *seconds) {
  const char *word = cli_value(s->arguments, id);
  char *end;
  if (word == NULL) return CLI_OK;
  *seconds = strtod(word, &end);
  if (end != word && *end == '\0' && *seconds > 0.0 && isfinite(*seconds)) return CLI_OK;
  return cli_misuse(s->arguments->command->name, "--%s %s: it must be a number of seconds above 0",
                    cli_options[id].name, word);
}

/* "auto", "off", "4", "8" */
static int read_lanes(sweeping *s) {
  const char *word = cli_value(s->arguments, CLI_LANES);
  if (word == NULL || strcmp(word, "auto") == 0) return CLI_OK;
  if (strcmp(word, "off") == 0 || strcmp(word, "4") == 0 || strcmp(word, "8") == 0) {
    s->def.lanes = word[0] == 'o' ? 1 : (size_t)(word[0] - '0');
    return CLI_OK;
  }
  return cli_misuse(s->arguments->command->name, "--lanes %s: write auto, off, 4 or 8", word);
}

/* "3/8" */
static int read_share(sweeping *s) {
  const char *word = cli_value(s->arguments, CLI_SHARE);
  int used = 0;
  unsigned long k = 0, n = 0;
  if (word == NULL) return CLI_OK;
  if (word[0] < '0' || word[0] > '9' || strchr(word, '-') != NULL ||
      sscanf(word, "%9lu/%9lu%n", &k, &n, &used) != 2 || word[used] != '\0' || n == 0)
    return cli_misuse(s->arguments->command->name, "--share %s: write K/N, such as 3/8", word);
  s->def.share = k;
  s->def.shares = n;
  return CLI_OK;
}

static int read_join(sweeping *s) {
  uint64_t join = 0;
  int outcome = read_whole(s, CLI_JOIN, &join);
  s->def.join = (size_t)join;
  if (outcome == CLI_OK && join > 0 && s->ranks.joined)
    return cli_misuse(s->arguments->command->name, "--join is the work of one process");
  return outcome;
}

static int on_progress(const brink_sweep_progress *now, void *user) {
  sweeping *s = user;
  brink_stats stats = {.events = (int64_t)now->failed, .steps = (int64_t)now->done};
  if (now->kept > 0 && s->progress.last_t == 0.0) s->progress.last_t = (double)now->kept;
  cli_progress_show(&s->progress, (double)now->done, &stats);
  return cli_interrupt_signal();
}

static void define_model(sweeping *s) {
  const cli_arguments *arguments = s->arguments;
  s->model = brink_default_hsml();
  s->model.path = arguments->operands[0];
  s->model.top = cli_value(arguments, CLI_TOP);
  s->model.import_path = s->imports.directories;
  s->model.nimport_path = s->imports.count;
  s->model.allow_external = cli_has(arguments, CLI_ALLOW_EXTERNAL);
  s->model.library_paths = values_of(s, CLI_LIBRARY_PATH, &s->model.nlibrary_paths);
}

/* A value that is set, and varied: only the latter counts. */
static void warn_of_sets(const sweeping *s) {
  const brink_sweep_def *def = &s->def;
  for (size_t k = 0; k < def->nsets && !s->settings.quiet; k++) {
    size_t length = strcspn(def->sets[k], "=") + 1;
    for (size_t v = 0; v < def->nvary; v++) {
      if (strncmp(def->sets[k], def->vary[v], length) == 0)
        cli_say("warning: --set %s has no effect: --vary %s", def->sets[k], def->vary[v]);
    }
  }
}

/* What the command line says, as the library reads it. */
static int define(sweeping *s) {
  const cli_arguments *arguments = s->arguments;
  uint64_t jobs = 0;
  brink_sweep_def *def = &s->def;
  *def = brink_default_sweep();
  define_model(s);
  def->model = &s->model;
  def->sets = values_of(s, CLI_SET, &def->nsets);
  def->vary = values_of(s, CLI_VARY, &def->nvary);
  def->measures = values_of(s, CLI_MEASURE, &def->nmeasures);
  take_settings(s);
  def->inputs = cli_value(arguments, CLI_INPUT);
  def->inputs_hold = cli_has(arguments, CLI_INPUT_HOLD);
  def->interpret = cli_has(arguments, CLI_INTERPRET);
  def->design = cli_value(arguments, CLI_DESIGN);
  def->seed = s->settings.run.seed;
  def->out = cli_value(arguments, CLI_OUT_TABLE);
  if (def->out == NULL) def->out = "-";
  def->resume = cli_has(arguments, CLI_RESUME_TABLE);
  def->keep = cli_value(arguments, CLI_KEEP_RUNS);
  def->keep_format = cli_value(arguments, CLI_KEEP_FORMAT);
  def->keep_reports = cli_has(arguments, CLI_KEEP_REPORTS);
  define_report(s);
  s->indices = cli_value(arguments, CLI_INDICES);
  def->indices = s->indices != NULL;
  def->progress = on_progress;
  def->user = s;
  int outcome = read_whole(s, CLI_SAMPLES, &def->samples);
  if (outcome == CLI_OK) outcome = read_whole(s, CLI_JOBS, &jobs);
  if (outcome == CLI_OK) outcome = read_seconds(s, CLI_LIMIT, &def->limit);
  if (outcome == CLI_OK) outcome = read_seconds(s, CLI_PATIENCE, &s->patience);
  if (outcome == CLI_OK) outcome = read_lanes(s);
  if (outcome == CLI_OK) outcome = read_share(s);
  if (outcome == CLI_OK) outcome = read_join(s);
  def->jobs = (size_t)jobs;
  if (outcome == CLI_OK && s->indices != NULL && strcmp(s->indices, "-") == 0 &&
      strcmp(def->out, "-") == 0)
    return cli_misuse(arguments->command->name,
                      "--indices - and the table both go to standard output: give --out FILE");
  if (outcome == CLI_OK && s->arena.failed) {
    cli_say("out of memory");
    return CLI_NUMERICS;
  }
  if (outcome == CLI_OK) warn_of_sets(s);
  return outcome;
}

/* ---- what became of it ---- */

static int refuse(const sweeping *s, brink_status status, const brink_diag *diag) {
  return cli_refuse(s->arguments->command->name, status, diag);
}

static void write_index(const brink_sweep_index *index, brink_text *text) {
  const double numbers[] = {index->first,    index->first_lo, index->first_hi,       index->total,
                            index->total_lo, index->total_hi, (double)index->samples};
  brink_fields_add(text, index->measure);
  brink_text_append(text, ",", 1);
  brink_fields_add(text, index->knob);
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
    brink_text_append(text, ",", 1);
    brink_fields_add_number(text, numbers[k]);
  }
  brink_text_append(text, "\n", 1);
}

static int write_indices(const sweeping *s, brink_sweep *sweep) {
  const brink_sweep_index *indices;
  size_t count;
  brink_diag diag;
  cli_output output;
  /* A share alone has none, and one table is enough. */
  if (s->indices == NULL || s->def.shares > 0 || !s->ranks.leads) return CLI_OK;
  brink_status status = brink_sweep_get_indices(sweep, &indices, &count, &diag);
  if (status != BRINK_OK) return refuse(s, status, &diag);
  if (!cli_output_open(&output, s->indices)) return CLI_FILE;
  brink_text text = {0};
  brink_text_add(&text, "measure,knob,first,first_lo,first_hi,total,total_lo,total_hi,samples\n");
  for (size_t k = 0; k < count; k++) write_index(&indices[k], &text);
  if (text.failed) cli_say("out of memory");
  if (!text.failed) cli_output_write(text.data, text.length, &output);
  int outcome = cli_output_close(&output);
  bool complete = !text.failed;
  brink_text_free(&text);
  return complete ? outcome : CLI_NUMERICS;
}

static int conclude(const sweeping *s, brink_sweep *sweep, brink_status status,
                    const brink_diag *diag) {
  brink_sweep_progress done = brink_sweep_result(sweep);
  const char *out = s->def.out;
  bool to_file = strcmp(out, "-") != 0;
  if (status == BRINK_CANCELLED) {
    cli_say("interrupted after %" PRIu64 " of %" PRIu64 " runs%s", done.done, done.runs,
            to_file ? ": go on with --resume" : "");
    return 128 + cli_interrupt_signal();
  }
  if (status != BRINK_OK) return refuse(s, status, diag);
  if (s->ranks.lost > 0)
    cli_say("%zu of %zu ranks were given up; the others have made their runs", s->ranks.lost,
            s->ranks.ranks.count);
  if (s->settings.quiet) return CLI_OK;
  brink_text shown = {0};
  brink_text_show(&shown, out);
  const char *name = shown.data != NULL ? shown.data : "";
  if (s->def.shares > 0)
    printf("%" PRIu64 " runs, %" PRIu64 " failed: %s.%zu-of-%zu\n", done.runs, done.failed, name,
           s->def.share, s->def.shares);
  else if (to_file && !(s->indices != NULL && strcmp(s->indices, "-") == 0))
    printf("%" PRIu64 " runs, %" PRIu64 " failed: %s\n", done.runs, done.failed, name);
  else if (done.failed > 0)
    cli_say("%" PRIu64 " of %" PRIu64 " runs failed: see the column 'reason'", done.failed,
            done.runs);
  brink_text_free(&shown);
  return CLI_OK;
}

/* Whoever asks for lanes is told what became of that. */
static void tell_lanes(const sweeping *s, const brink_sweep *sweep) {
  const char *why;
  size_t lanes = brink_sweep_lanes(sweep, &why);
  if (s->settings.quiet || cli_value(s->arguments, CLI_LANES) == NULL) return;
  if (lanes > 1)
    cli_say("%zu lanes", lanes);
  else
    cli_say("no lanes: %s", why);
}

/* Also of a sweep that was interrupted: what there is. */
static int write_report(const sweeping *s, brink_sweep *sweep, brink_status status) {
  brink_diag diag;
  if (s->settings.report == NULL || status < 0) return CLI_OK;
  brink_status written = brink_sweep_write_report(sweep, s->settings.report, &diag);
  return written == BRINK_OK ? CLI_OK : refuse(s, written, &diag);
}

static int run_all(sweeping *s) {
  brink_diag diag;
  brink_sweep *sweep;
  if (s->settings.report != NULL && !cli_output_is_writable(s->settings.report)) return CLI_FILE;
  brink_status status = brink_sweep_create(&s->def, &diag, &sweep);
  if (status != BRINK_OK) return refuse(s, status, &diag);
  cli_interrupt_watch(NULL);
  s->progress = cli_progress_begin(s->settings.progress, s->settings.quiet, 0.0,
                                   (double)brink_sweep_runs(sweep));
  s->progress.counts_runs = true;
  if (s->ranks.joined) brink_sweep_use_ranks(sweep, &s->ranks.ranks, s->patience);
  status = brink_sweep_run(sweep, &diag);
  s->ranks.served = true;
  s->ranks.lost = brink_sweep_lost_ranks(sweep);
  cli_progress_end(&s->progress);
  int outcome = conclude(s, sweep, status, &diag);
  if (status == BRINK_OK) tell_lanes(s, sweep);
  if (outcome == CLI_OK && status == BRINK_OK) outcome = write_indices(s, sweep);
  int reported = write_report(s, sweep, status);
  if (outcome == CLI_OK) outcome = reported;
  brink_sweep_destroy(sweep);
  return outcome;
}

/* Alone, or as one of several ranks. */
static int sweep_with(sweeping *s) {
  const cli_arguments *arguments = s->arguments;
  brink_hsml *model = NULL; /* for its diagnostics, as `brink run` shows them */
  if (!cli_import_path_open(&s->imports, arguments)) {
    cli_import_path_close(&s->imports);
    return CLI_NUMERICS;
  }
  int outcome = cli_settings_read(&s->settings, arguments);
  if (outcome == CLI_OK)
    outcome = cli_load(&model, arguments, arguments->operands[0], BRINK_BUILD_RUN);
  if (outcome == CLI_OK)
    outcome = cli_settings_combine(&s->settings, arguments, model->built->system);
  if (outcome == CLI_OK) outcome = define(s);
  if (!s->ranks.leads) s->settings.quiet = true;
  if (outcome == CLI_OK) outcome = run_all(s);
  brink_hsml_destroy(model);
  cli_import_path_close(&s->imports);
  return outcome;
}

int cli_sweep(const cli_arguments *arguments) {
  sweeping s = {.arguments = arguments, .patience = 30.0};
  if (strcmp(arguments->operands[0], "-") == 0)
    return cli_misuse(arguments->command->name,
                      "a sweep reads its model several times: give a file");
  int outcome = cli_ranks_open(&s.ranks, cli_has(arguments, CLI_SHARE), true);
  if (outcome != CLI_OK) return outcome;
  brink_arena_init(&s.arena, NULL);
  outcome = sweep_with(&s);
  brink_arena_free(&s.arena);
  return cli_ranks_close(&s.ranks, outcome);
}
