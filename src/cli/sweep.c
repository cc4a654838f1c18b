/* sweep.c: brink sweep: many runs of a model, one row each. It reads options and prints; the work is in src/sweep. */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/import_path.h"
#include "cli/load.h"
#include "cli/progress.h"
#include "run/run.h"
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

static int read_whole(const sweeping *s, cli_option_id id, uint64_t *number) {
  const char *word = cli_value(s->arguments, id);
  char *end;
  if (word == NULL) return CLI_OK;
  double value = strtod(word, &end);
  if (end == word || *end != '\0' || !(value >= 1.0 && value <= 1e12) || value != floor(value))
    return cli_misuse(s->arguments->command->name, "--%s %s: it must be a whole number from 1 on",
                      cli_options[id].name, word);
  *number = (uint64_t)value;
  return CLI_OK;
}

static int read_limit(sweeping *s) {
  const char *word = cli_value(s->arguments, CLI_LIMIT);
  char *end;
  if (word == NULL) return CLI_OK;
  s->def.limit = strtod(word, &end);
  if (end != word && *end == '\0' && s->def.limit > 0.0 && isfinite(s->def.limit)) return CLI_OK;
  return cli_misuse(s->arguments->command->name,
                    "--limit %s: it must be a number of seconds above 0", word);
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
  s->indices = cli_value(arguments, CLI_INDICES);
  def->indices = s->indices != NULL;
  def->progress = on_progress;
  def->user = s;
  int outcome = read_whole(s, CLI_SAMPLES, &def->samples);
  if (outcome == CLI_OK) outcome = read_whole(s, CLI_JOBS, &jobs);
  if (outcome == CLI_OK) outcome = read_limit(s);
  def->jobs = (size_t)jobs;
  if (outcome == CLI_OK && s->indices != NULL && strcmp(s->indices, "-") == 0 &&
      strcmp(def->out, "-") == 0)
    return cli_misuse(arguments->command->name,
                      "--indices - and the table both go to standard output: give --out FILE");
  if (outcome == CLI_OK && s->arena.failed) {
    cli_say("out of memory");
    return CLI_NUMERICS;
  }
  return outcome;
}

/* ---- what became of it ---- */

static int refuse(const sweeping *s, brink_status status, const brink_diag *diag) {
  switch (status) {
  case BRINK_ERR_ARGUMENT:
  case BRINK_ERR_UNSUPPORTED:
    return cli_misuse(s->arguments->command->name, "%s", diag->message);
  case BRINK_ERR_MODEL:
    cli_say("%s", diag->message);
    return CLI_MODEL_ERRORS;
  case BRINK_ERR_FILE:
    cli_say("%s", diag->message);
    return CLI_FILE;
  default:
    cli_say("%s", diag->message);
    return CLI_NUMERICS;
  }
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
  if (s->indices == NULL) return CLI_OK;
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
  if (s->settings.quiet) return CLI_OK;
  if (to_file && !(s->indices != NULL && strcmp(s->indices, "-") == 0))
    printf("%" PRIu64 " runs, %" PRIu64 " failed: %s\n", done.runs, done.failed, out);
  else if (done.failed > 0)
    cli_say("%" PRIu64 " of %" PRIu64 " runs failed: see the column 'reason'", done.failed,
            done.runs);
  return CLI_OK;
}

static int run_all(sweeping *s) {
  brink_diag diag;
  brink_sweep *sweep;
  brink_status status = brink_sweep_create(&s->def, &diag, &sweep);
  if (status != BRINK_OK) return refuse(s, status, &diag);
  signal(SIGXFSZ, SIG_IGN); /* a file as large as it may be is reported like a full disk */
  cli_interrupt_watch(NULL);
  s->progress = cli_progress_begin(s->settings.progress, s->settings.quiet, 0.0,
                                   (double)brink_sweep_runs(sweep));
  s->progress.counts_runs = true;
  status = brink_sweep_run(sweep, &diag);
  cli_progress_end(&s->progress);
  int outcome = conclude(s, sweep, status, &diag);
  if (outcome == CLI_OK && status == BRINK_OK) outcome = write_indices(s, sweep);
  brink_sweep_destroy(sweep);
  return outcome;
}

int cli_sweep(const cli_arguments *arguments) {
  sweeping s = {.arguments = arguments};
  brink_hsml *model = NULL; /* for its diagnostics, as `brink run` shows them */
  brink_arena_init(&s.arena, NULL);
  if (strcmp(arguments->operands[0], "-") == 0)
    return cli_misuse(arguments->command->name,
                      "a sweep reads its model several times: give a file");
  if (!cli_import_path_open(&s.imports, arguments)) {
    cli_import_path_close(&s.imports);
    return CLI_NUMERICS;
  }
  int outcome = cli_settings_read(&s.settings, arguments);
  if (outcome == CLI_OK)
    outcome = cli_load(&model, arguments, arguments->operands[0], BRINK_BUILD_RUN);
  if (outcome == CLI_OK)
    outcome = cli_settings_combine(&s.settings, arguments, model->built->system);
  if (outcome == CLI_OK) outcome = define(&s);
  if (outcome == CLI_OK) outcome = run_all(&s);
  brink_hsml_destroy(model);
  cli_import_path_close(&s.imports);
  brink_arena_free(&s.arena);
  return outcome;
}
