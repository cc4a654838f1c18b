/* sweep.c: many runs of one model, one row each. See <brink/sweep.h>. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/definition.h"
#include "base/sha256.h"
#include "num/lanes.h"
#include "run/lanes.h"
#include "sweep/by_ranks.h"
#include "sweep/fields.h"
#include "sweep/probe.h"
#include "sweep/sweep_parts.h"

void brink_sweep_defaults(brink_sweep_def *def, size_t size) {
  brink_sweep_def defaults = {.size = sizeof defaults, .seed = 1, .limit = (double)INFINITY};
  brink_definition_fill(def, size, &defaults, sizeof defaults);
}

static brink_status out_of_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

/* ---- copies of what the caller has ---- */

static const char *copy_text(brink_sweep *sweep, const char *text) {
  return text != NULL ? brink_arena_text(&sweep->arena, text) : NULL;
}

static const char *const *copy_texts(brink_sweep *sweep, const char *const *texts, size_t count) {
  const char **copy = brink_arena_take(&sweep->arena, count, sizeof *copy);
  for (size_t k = 0; copy != NULL && k < count; k++) copy[k] = copy_text(sweep, texts[k]);
  return copy;
}

static void copy_model(brink_sweep *sweep, const brink_hsml_def *model) {
  brink_hsml_def *copy = &sweep->model;
  *copy = *model;
  copy->path = copy_text(sweep, model->path);
  copy->top = copy_text(sweep, model->top);
  if (model->text != NULL) {
    copy->length = model->length > 0 ? model->length : strlen(model->text);
    copy->text = brink_arena_copy(&sweep->arena, model->text, copy->length, 1);
  }
  copy->import_path = copy_texts(sweep, model->import_path, model->nimport_path);
  copy->library_paths = copy_texts(sweep, model->library_paths, model->nlibrary_paths);
}

/* Can the trajectories be kept so? */
static brink_status check_kept(const brink_sweep_def *def, brink_diag *diag) {
  static const char *const formats[] = {"csv", "mat", "h5"};
  bool known = false;
  for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++)
    known = known || strcmp(def->keep_format, formats[k]) == 0;
  if (!known)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "--keep-format %s: it is csv, mat or h5",
                          def->keep_format);
  if (def->keep == NULL || strcmp(def->keep_format, "h5") != 0 || def->jobs == 1) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                        "--keep-format h5: the library of HDF5 serves one run at a time: give "
                        "--jobs 1, or choose csv or mat");
}

static brink_status copy_def(brink_sweep *sweep, brink_diag *diag) {
  brink_sweep_def *def = &sweep->def;
  brink_hsml_def model = brink_default_hsml();
  brink_status status =
      brink_definition_read(&model, sizeof model, def->model, "brink_hsml_def", diag);
  if (status != BRINK_OK) return status;
  if (model.path != NULL && strcmp(model.path, "-") == 0 && model.text == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "a sweep reads its model several times: give a file");
  copy_model(sweep, &model);
  def->sets = copy_texts(sweep, def->sets, def->nsets);
  def->vary = copy_texts(sweep, def->vary, def->nvary);
  def->measures = copy_texts(sweep, def->measures, def->nmeasures);
  brink_sweep_option *options = brink_arena_take(&sweep->arena, def->noptions, sizeof *options);
  for (size_t k = 0; options != NULL && k < def->noptions; k++)
    options[k] = (brink_sweep_option){.name = copy_text(sweep, def->options[k].name),
                                      .value = copy_text(sweep, def->options[k].value)};
  def->options = options;
  def->inputs = copy_text(sweep, def->inputs);
  def->design = copy_text(sweep, def->design);
  def->out = copy_text(sweep, def->out);
  def->keep = copy_text(sweep, def->keep);
  def->keep_format = copy_text(sweep, def->keep_format != NULL ? def->keep_format : "csv");
  def->command = copy_text(sweep, def->command);
  def->run_words = copy_texts(sweep, def->run_words, def->nrun_words);
  if (sweep->arena.failed) return out_of_memory(diag);
  brink_status shares = brink_share_check(def, diag);
  if (shares != BRINK_OK) return shares;
  if (!(def->limit > 0.0))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "limit is %g: it must be above 0", def->limit);
  if (def->keep_reports && def->keep == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "--keep-reports writes into the directory of --keep: give --keep DIR");
  brink_status kept = check_kept(def, diag);
  if (kept != BRINK_OK) return kept;
  if (def->indices && def->nmeasures == 0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "--indices are of what is measured: give --measure EXPRESSION");
  return BRINK_OK;
}

/* ---- columns ---- */

/* Each declared flag or timer whose events are reported; instances are counted together. */
static brink_status list_flags(brink_sweep *sweep, brink_hsml *model, brink_diag *diag) {
  const brink_system *system = model->built->system;
  brink_text name = {0};
  bool fine = true;
  for (size_t f = 0; f < system->nflags && fine; f++) {
    const brink_flag *flag = &system->flags[f];
    bool declared = flag->kind == BRINK_FLAG_DECLARED || flag->kind == BRINK_FLAG_TIMER;
    if (!declared || flag->silent) continue;
    name.length = 0;
    brink_probe_flag_name(system, flag, &name);
    fine = !name.failed && brink_measures_flag(&sweep->measures, name.data) != BRINK_NONE;
  }
  brink_text_free(&name);
  sweep->nflags = sweep->measures.nflags;
  return fine ? BRINK_OK : out_of_memory(diag);
}

static brink_status read_measures(brink_sweep *sweep, brink_diag *diag) {
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < sweep->def.nmeasures && status == BRINK_OK; k++)
    status = brink_measures_add(&sweep->measures, sweep->def.measures[k], diag);
  return status;
}

/* `of`: "count", for count(name); NULL: the name alone. */
static void add_column(brink_sweep *sweep, brink_sweep_role role, bool is_text, const char *of,
                       const char *name) {
  brink_text text = {0};
  if (of != NULL) brink_text_add(&text, "%s(%s)", of, name);
  if (of == NULL) brink_text_add(&text, "%s", name);
  sweep->columns[sweep->ncolumns++] =
      (brink_sweep_column){.name = text.failed ? NULL : brink_arena_text(&sweep->arena, text.data),
                           .role = role,
                           .text = is_text};
  if (text.failed) sweep->arena.failed = true;
  brink_text_free(&text);
}

/* Is measure k a text alone? The first run knows. */
static bool is_text(const brink_sweep *sweep, const brink_hsml *model, size_t k) {
  const brink_term *root = sweep->measures.measures[k].root;
  uint32_t variable;
  size_t element;
  const brink_system *system = model->built->system;
  if (root->op != BRINK_TERM_READ) return false;
  const char *name = sweep->measures.names[root->index];
  return (brink_system_find_input(system, name, &variable, &element) ||
          brink_system_find(system, name, &variable, &element)) &&
         system->variables[variable].type == BRINK_VALUE_STRING;
}

static brink_status make_columns(brink_sweep *sweep, const brink_hsml *model, brink_diag *diag) {
  size_t n = 5 + sweep->design.nknobs + 3 * sweep->nflags + sweep->measures.count;
  sweep->columns = brink_arena_take(&sweep->arena, n, sizeof *sweep->columns);
  sweep->fields = brink_arena_take(&sweep->arena, n, sizeof *sweep->fields);
  if (sweep->arena.failed) return out_of_memory(diag);
  add_column(sweep, BRINK_SWEEP_RUN, false, NULL, "run");
  for (size_t k = 0; k < sweep->design.nknobs; k++) {
    const brink_vary *knob = &sweep->design.knobs[k];
    add_column(sweep, BRINK_SWEEP_KNOB, !knob->numeric, NULL, knob->name);
  }
  add_column(sweep, BRINK_SWEEP_STATUS, true, NULL, "status");
  add_column(sweep, BRINK_SWEEP_REASON, true, NULL, "reason");
  add_column(sweep, BRINK_SWEEP_MESSAGE, true, NULL, "message");
  add_column(sweep, BRINK_SWEEP_END, false, NULL, "t");
  for (size_t k = 0; k < sweep->nflags; k++) {
    add_column(sweep, BRINK_SWEEP_COUNT, false, "count", sweep->measures.flags[k]);
    add_column(sweep, BRINK_SWEEP_FIRST, false, "first", sweep->measures.flags[k]);
    add_column(sweep, BRINK_SWEEP_LAST, false, "last", sweep->measures.flags[k]);
  }
  for (size_t k = 0; k < sweep->measures.count; k++)
    add_column(sweep, BRINK_SWEEP_MEASURE, is_text(sweep, model, k), NULL,
               sweep->measures.measures[k].name);
  if (!sweep->arena.failed && sweep->def.report &&
      !brink_page_rows_init(&sweep->shown, sweep->ncolumns, sweep->design.runs))
    return out_of_memory(diag);
  return sweep->arena.failed ? out_of_memory(diag) : BRINK_OK;
}

void brink_row_file_names(const brink_sweep *sweep, brink_text *line) {
  for (size_t k = 0; k < sweep->ncolumns; k++) {
    if (k > 0) brink_text_append(line, ",", 1);
    brink_fields_add(line, sweep->columns[k].name);
  }
  brink_text_append(line, "\n", 1);
}

/* ---- making it ---- */

/* `seed` is the seed of the run's random draws, unless the model has something of this name. */
static void find_seed(brink_sweep *sweep) {
  const brink_component *top = brink_hsml_top(sweep->first);
  bool taken = false;
  for (const brink_symbol *s = top != NULL ? top->symbols : NULL; s != NULL && !taken; s = s->next)
    taken = strcmp(s->name, "seed") == 0;
  for (size_t k = 0; k < sweep->design.nknobs && !taken; k++)
    sweep->design.knobs[k].seed = strcmp(sweep->design.knobs[k].name, "seed") == 0;
}

/* The first run is there: can others be beside it? */
static void find_lanes(brink_sweep *sweep, const brink_run *first) {
  if (sweep->lanes <= 1) return;
  brink_run_lanes *lanes = brink_run_lanes_create(first, 1, &sweep->why_no_lanes);
  if (lanes == NULL) sweep->lanes = 1;
  brink_run_lanes_destroy(lanes);
}

/* So few runs are not worth the time of compiling for lanes. */
enum { FEW_RUNS = 32 };

/* How many lanes the code of the model is to have. */
static brink_status choose_lanes(brink_sweep *sweep, brink_diag *diag) {
  size_t wished = sweep->def.lanes, most = (size_t)brink_lanes_of_processor();
  sweep->lanes = 1;
  if (wished != 0 && wished != 1 && wished != 4 && wished != 8)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "lanes = %zu: there are 1, 4 or 8", wished);
  if (wished == 1)
    sweep->why_no_lanes = "they are switched off";
  else if (most == 1)
    sweep->why_no_lanes = "the processor has neither AVX2 nor AVX-512";
  else if (wished == 0 && sweep->design.runs < FEW_RUNS)
    sweep->why_no_lanes = "there are few runs";
  else
    sweep->lanes = wished != 0 && wished < most ? (int)wished : (int)most;
  return BRINK_OK;
}

/* The first run: measures are there, options go together. */
static brink_status try_first(brink_sweep *sweep, brink_diag *diag) {
  brink_runner *runner = brink_runner_open(sweep, diag);
  if (runner == NULL) return diag->status;
  brink_status status = brink_runner_try(runner, diag);
  if (status == BRINK_OK) find_lanes(sweep, brink_runner_present(runner));
  brink_runner_close(runner);
  return status;
}

/* Values to try the model with: those of the first run; of what is drawn, the middle. */
static brink_status take_nominal(brink_sweep *sweep, brink_diag *diag) {
  const brink_design *design = &sweep->design;
  sweep->nominal = brink_arena_take(&sweep->arena, design->nknobs, sizeof *sweep->nominal);
  if (sweep->nominal == NULL) return out_of_memory(diag);
  brink_design_at(design, 0, sweep->nominal);
  for (size_t k = 0; k < design->nknobs && design->samples > 0; k++)
    sweep->nominal[k] = brink_vary_quantile(&design->knobs[k], 0.5);
  return BRINK_OK;
}

static brink_status prepare(brink_sweep *sweep, brink_diag *diag) {
  const brink_sweep_def *def = &sweep->def;
  brink_design_wish wish = {.vary = def->vary,
                            .nvary = def->nvary,
                            .design = def->design,
                            .samples = def->samples,
                            .seed = def->seed,
                            .indices = def->indices};
  sweep->measures.arena = &sweep->arena;
  sweep->keeps = def->keep_table || def->indices;
  brink_status status = copy_def(sweep, diag);
  if (status == BRINK_OK) status = brink_design_make(&sweep->design, &sweep->arena, &wish, diag);
  if (status == BRINK_OK) status = choose_lanes(sweep, diag);
  if (status == BRINK_OK) status = brink_sweep_load(sweep, diag, &sweep->first);
  if (status == BRINK_OK) find_seed(sweep);
  if (status == BRINK_OK) status = take_nominal(sweep, diag);
  if (status == BRINK_OK) status = brink_sweep_check_knobs(sweep, sweep->first, diag);
  if (status == BRINK_OK) status = list_flags(sweep, sweep->first, diag);
  if (status == BRINK_OK) status = read_measures(sweep, diag);
  if (status == BRINK_OK) status = make_columns(sweep, sweep->first, diag);
  return status == BRINK_OK ? try_first(sweep, diag) : status;
}

brink_status brink_sweep_create(const brink_sweep_def *given, brink_diag *diag,
                                brink_sweep **result) {
  brink_diag own;
  if (diag == NULL) diag = &own;
  brink_diag_clear(diag);
  if (result != NULL) *result = NULL;
  if (given == NULL || result == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "def and sweep must not be NULL");
  brink_sweep_def def = brink_default_sweep();
  brink_status status = brink_definition_read(&def, sizeof def, given, "brink_sweep_def", diag);
  if (status == BRINK_OK && def.model == NULL)
    status = brink_diag_set(diag, BRINK_ERR_ARGUMENT, "def.model must not be NULL");
  if (status != BRINK_OK) return status;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_sweep *sweep = brink_arena_take(&arena, 1, sizeof *sweep);
  if (sweep == NULL) return out_of_memory(diag);
  sweep->arena = arena;
  sweep->def = def;
  atomic_init(&sweep->cancelled, false);
  brink_arena_init(&sweep->rows.arena, NULL);
  status = prepare(sweep, diag);
  sweep->progress.runs = brink_share_runs(sweep->design.runs, def.share, def.shares);
  if (status == BRINK_OK)
    *result = sweep;
  else
    brink_sweep_destroy(sweep);
  return status;
}

void brink_sweep_destroy(brink_sweep *sweep) {
  if (sweep == NULL) return;
  if (sweep->output.stream != NULL) brink_row_file_close(sweep, false, NULL);
  brink_hsml_destroy(sweep->first);
  brink_arena_free(&sweep->rows.arena);
  brink_page_rows_free(&sweep->shown);
  free(sweep->rows.values);
  free(sweep->line);
  brink_arena arena = sweep->arena;
  brink_arena_free(&arena);
}

uint64_t brink_sweep_runs(const brink_sweep *sweep) {
  return sweep != NULL ? sweep->progress.runs : 0;
}

brink_sweep_progress brink_sweep_result(const brink_sweep *sweep) {
  return sweep != NULL ? sweep->progress : (brink_sweep_progress){0};
}

size_t brink_sweep_lanes(const brink_sweep *sweep, const char **why) {
  bool any = sweep != NULL && sweep->lanes > 1;
  if (why != NULL) *why = any || sweep == NULL ? "" : sweep->why_no_lanes;
  return any ? (size_t)sweep->lanes : 1;
}

void brink_sweep_cancel(brink_sweep *sweep) {
  if (sweep != NULL) atomic_store_explicit(&sweep->cancelled, true, memory_order_relaxed);
}

/* ---- running ---- */

static void *open_crew(void *user, brink_diag *diag) {
  return brink_crew_open(user, diag);
}

static void close_crew(void *worker) {
  brink_crew_close(worker);
}

static bool run_one(void *worker, uint64_t number, brink_text *row) {
  return brink_crew_run(worker, number, row);
}

static bool run_many(void *worker, const brink_door *door) {
  return brink_crew_work(worker, door);
}

static void watch_crew(void *worker, bool stop) {
  brink_crew_watch(worker, stop);
}

static brink_status take_row(void *user, uint64_t number, const char *row, size_t length,
                             brink_diag *diag) {
  brink_sweep *sweep = user;
  (void)number;
  brink_status status = brink_row_file_row(sweep, row, length, diag);
  if (status == BRINK_OK) status = brink_sweep_keep_row(sweep, row, length, diag);
  return status;
}

static bool look(void *user) {
  brink_sweep *sweep = user;
  if (sweep->def.progress != NULL) {
    brink_sweep_progress now = sweep->progress;
    if (sweep->def.progress(&now, sweep->def.user) != 0) brink_sweep_cancel(sweep);
  }
  return atomic_load_explicit(&sweep->cancelled, memory_order_relaxed);
}

/* The directory of trajectories is made if there is none. */
static brink_status prepare_keep(const brink_sweep *sweep, brink_diag *diag) {
  const char *keep = sweep->def.keep;
  if (keep == NULL || mkdir(keep, 0777) == 0) return BRINK_OK;
  struct stat about;
  int number = errno;
  if (number == EEXIST && stat(keep, &about) == 0) {
    if (S_ISDIR(about.st_mode)) return BRINK_OK;
    number = ENOTDIR;
  }
  return brink_diag_set(diag, BRINK_ERR_FILE, "cannot make the directory %s: %s", keep,
                        strerror(number));
}

/* What all ranks must agree on: what the sweep is, and what else they do. */
static brink_status fingerprint(const brink_sweep *sweep, unsigned char digest[BRINK_SHA256_BYTES],
                                brink_diag *diag) {
  brink_text text = {0};
  brink_sha256 hash;
  brink_row_file_describe(sweep, &text);
  brink_text_add(&text, "limit %a\ninterpret %d\nkeep %s\n", sweep->def.limit, sweep->def.interpret,
                 sweep->def.keep != NULL ? sweep->def.keep : "");
  bool failed = text.failed;
  brink_sha256_init(&hash);
  if (!failed) brink_sha256_add(&hash, text.data, text.length);
  brink_sha256_finish(&hash, digest);
  brink_text_free(&text);
  return failed ? out_of_memory(diag) : BRINK_OK;
}

static brink_status share_among_ranks(brink_sweep *sweep, const brink_work *work,
                                      brink_diag *diag) {
  unsigned char digest[BRINK_SHA256_BYTES];
  brink_status status = fingerprint(sweep, digest, diag);
  if (status == BRINK_OK)
    return brink_work_by_ranks(work, sweep->ranks, sweep->patience, digest, &sweep->lost, diag);
  brink_farm_leave(sweep->ranks, diag->message);
  return status;
}

/* Ranks on one machine share its cores, unless each was given its own. */
static size_t count_jobs(const brink_sweep *sweep) {
  size_t cores = brink_sweep_cores(), beside = sweep->ranks != NULL ? sweep->ranks->beside : 1;
  size_t machine = brink_sweep_machine_cores() / beside;
  if (sweep->def.jobs > 0) return sweep->def.jobs;
  if (beside > 1 && machine < cores) cores = machine;
  return cores > 0 ? cores : 1;
}

static brink_status work(brink_sweep *sweep, brink_diag *diag) {
  uint64_t left = sweep->progress.runs - sweep->progress.done;
  size_t jobs = count_jobs(sweep);
  brink_work work = {.user = sweep,
                     .first = sweep->progress.done,
                     .end = sweep->progress.runs,
                     .jobs = left > 0 && left < jobs ? (size_t)left : jobs,
                     .open = open_crew,
                     .close = close_crew,
                     .run = run_one,
                     .run_many = sweep->lanes > 1 ? run_many : NULL,
                     .watch = watch_crew,
                     .take = take_row,
                     .look = look};
  if (sweep->ranks != NULL) return share_among_ranks(sweep, &work, diag);
  return left > 0 ? brink_work_by_threads(&work, diag) : BRINK_OK;
}

void brink_sweep_use_ranks(brink_sweep *sweep, const brink_ranks *ranks, double patience) {
  sweep->ranks = ranks;
  sweep->patience = patience;
  if (sweep->lanes > 1) sweep->why_no_lanes = "runs are handed out to ranks one by one";
  sweep->lanes = 1;
}

size_t brink_sweep_lost_ranks(const brink_sweep *sweep) {
  return sweep->lost;
}

/* Rows, from wherever they come, to the file. Of several ranks only the first one has it. */
static brink_status make_rows(brink_sweep *sweep, brink_diag *diag) {
  bool writes = sweep->ranks == NULL || sweep->ranks->rank == 0;
  brink_status status = BRINK_OK;
  if (sweep->def.join > 0) status = brink_share_examine(sweep, diag);
  if (status == BRINK_OK) status = prepare_keep(sweep, diag);
  if (status == BRINK_OK && writes) status = brink_row_file_open(sweep, diag);
  if (status != BRINK_OK && sweep->ranks != NULL) brink_farm_leave(sweep->ranks, diag->message);
  if (status != BRINK_OK) return status;
  return sweep->def.join > 0 ? brink_share_join(sweep, take_row, look, diag) : work(sweep, diag);
}

brink_status brink_sweep_run(brink_sweep *sweep, brink_diag *diag) {
  brink_diag own;
  if (diag == NULL) diag = &own;
  brink_diag_clear(diag);
  if (sweep == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "sweep must not be NULL");
  if (sweep->ran) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "the sweep has been run");
  sweep->ran = true;
  brink_status status = make_rows(sweep, diag);
  brink_diag closing;
  brink_status closed = brink_row_file_close(sweep, status == BRINK_OK, &closing);
  if (status < 0 || closed == BRINK_OK) return status;
  *diag = closing;
  return closed;
}
