/* runner.c: one run after another, each to its row. See sweep_parts.h.
 *
 * A runner has a model of its own. For each run the model gets the values of the knobs, and what follows from these is worked
 * out anew, as `brink run --set` does it: sizes, initial values, guards, options. If it turns out that only values are
 * other than in the last run, the new one is made of the parts of that one (brink_run_create_after). Machine code is kept
 * with the model. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "sweep/fields.h"
#include "sweep/probe.h"
#include "sweep/sweep_parts.h"
#include <brink/record.h>

/* Why there is no run. */
typedef enum halt { HALT_NONE, HALT_LIMIT, HALT_STOP } halt;

struct brink_runner {
  brink_arena arena;
  const brink_sweep *sweep;
  brink_hsml *model;
  brink_runner *owner; /* of the model, which others use in turn; NULL: this one is */
  size_t beside;       /* so many runs share the time of a thread */
  brink_probe probe;
  brink_text path; /* of a trajectory */

  /* The present run, or the last one. */
  uint64_t number;
  brink_vary_value *values;
  brink_run *run; /* kept for the next one; NULL: none yet */
  brink_run_options options;
  bool made;           /* there is a run with these values */
  brink_status status; /* of making it, or of moving it */
  brink_diag diag;
  bool late;         /* it took longer than the limit */
  brink_status lost; /* FILE: its trajectory or its report could not be written */

  pthread_mutex_t lock; /* of what follows, which others read */
  brink_run *running;   /* NULL: none */
  double deadline;      /* seconds */
  halt halted;
};

/* ---- the model ---- */

static const char *option_of(const brink_sweep_def *def, const char *name) {
  for (size_t k = def->noptions; k-- > 0;) {
    if (strcmp(def->options[k].name, name) == 0) return def->options[k].value;
  }
  return NULL;
}

/* What the options say wins over the model. */
static brink_status give_hints(const brink_sweep *sweep, brink_hsml *model, brink_diag *diag) {
  const brink_sweep_def *def = &sweep->def;
  brink_run_options own = brink_default_run();
  static const char *const early[] = {"from", "until", "seed"};
  for (size_t k = 0; k < sizeof early / sizeof early[0]; k++) {
    const char *word = option_of(def, early[k]);
    brink_status status = word != NULL ? brink_run_option(&own, early[k], word, diag) : BRINK_OK;
    if (status != BRINK_OK) return status;
  }
  bool conditions = sweep->measures.conditions;
  model->hints = (brink_build_hints){.purpose = conditions ? BRINK_BUILD_WHOLE : BRINK_BUILD_RUN,
                                     .clocks = option_of(def, "clocks"),
                                     .zeno = option_of(def, "zeno"),
                                     .method = option_of(def, "method"),
                                     .events = option_of(def, "events"),
                                     .from = own.from,
                                     .until = own.until,
                                     .has_seed = option_of(def, "seed") != NULL,
                                     .seed = own.seed};
  return BRINK_OK;
}

static brink_status set_all(const brink_sweep *sweep, brink_hsml *model, brink_diag *diag) {
  const brink_sweep_def *def = &sweep->def;
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < def->nsets && status == BRINK_OK; k++) {
    size_t length = strcspn(def->sets[k], "=");
    brink_text name = {0};
    brink_text_append(&name, def->sets[k], length);
    if (def->sets[k][length] == '\0' || length == 0)
      status = brink_diag_set(diag, BRINK_ERR_ARGUMENT, "'%s': write PATH=VALUE", def->sets[k]);
    else
      status = name.failed ? brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory")
                           : brink_hsml_set_text(model, name.data, def->sets[k] + length + 1, diag);
    brink_text_free(&name);
  }
  return status;
}

brink_status brink_sweep_load(const brink_sweep *sweep, brink_diag *diag, brink_hsml **model) {
  const brink_sweep_def *def = &sweep->def;
  brink_status status = brink_hsml_load(&sweep->model, NULL, diag, model);
  if (status == BRINK_OK && sweep->lanes > 1) (*model)->lanes = sweep->lanes;
  if (status == BRINK_OK) status = set_all(sweep, *model, diag);
  if (status == BRINK_OK && def->inputs != NULL)
    status = brink_hsml_read_inputs(*model, def->inputs, def->inputs_hold, diag);
  return status == BRINK_OK ? give_hints(sweep, *model, diag) : status;
}

brink_status brink_sweep_turn(const brink_sweep *sweep, brink_hsml *model,
                              const brink_vary_value *values, brink_diag *diag) {
  for (size_t k = 0; k < sweep->design.nknobs; k++) {
    const char *name = sweep->design.knobs[k].name;
    if (sweep->design.knobs[k].seed) {
      brink_hsml_reseed(model, (uint64_t)values[k].number);
      continue;
    }
    brink_status status = values[k].word != NULL
                              ? brink_hsml_set_text(model, name, values[k].word, diag)
                              : brink_hsml_set(model, name, values[k].number, diag);
    if (status != BRINK_OK) return status;
  }
  return BRINK_OK;
}

static bool varies_seed(const brink_sweep *sweep) {
  for (size_t k = 0; k < sweep->design.nknobs; k++) {
    if (sweep->design.knobs[k].seed) return true;
  }
  return false;
}

static bool is_given(const char *name, void *user) {
  const brink_sweep *sweep = user;
  return option_of(&sweep->def, name) != NULL || (strcmp(name, "seed") == 0 && varies_seed(sweep));
}

brink_status brink_sweep_options(const brink_sweep *sweep, brink_hsml *model,
                                 brink_run_options *options, brink_diag *diag) {
  const brink_sweep_def *def = &sweep->def;
  brink_option_filter filter = {.skips = is_given, .user = (void *)(uintptr_t)sweep};
  *options = brink_default_run();
  options->writable = BRINK_WRITE_STATES; /* nobody writes anything */
  options->threads = 1;                   /* there are jobs */
  brink_status status = brink_run_options_of(model->built->system, &filter, options, diag);
  for (int round = 0; round < 2; round++) {
    for (size_t k = 0; k < def->noptions && status == BRINK_OK; k++) {
      if (brink_run_option_first(def->options[k].name) != (round == 0)) continue;
      status = brink_run_option(options, def->options[k].name, def->options[k].value, diag);
    }
  }
  if (varies_seed(sweep)) options->seed = model->hints.seed;
  options->interpret = def->interpret;
  options->native = !def->interpret; /* many runs share the code, which makes up for waiting */
  options->conditions = sweep->measures.conditions;
  if (status == BRINK_OK && isnan(options->until))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "no end time: give --until T, or 'until' in the model's simulation "
                          "section");
  return status;
}

/* ---- the object ---- */

static brink_status prepare(brink_runner *runner, brink_diag *diag) {
  const brink_sweep *sweep = runner->sweep;
  runner->values = brink_arena_take(&runner->arena, sweep->design.nknobs, sizeof *runner->values);
  bool ready = brink_probe_init(&runner->probe, &sweep->measures);
  if (runner->arena.failed || !ready)
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  if (runner->owner == NULL) return brink_sweep_load(sweep, diag, &runner->model);
  runner->model = runner->owner->model;
  return BRINK_OK;
}

static brink_runner *open_runner(const brink_sweep *sweep, brink_runner *owner, size_t beside,
                                 brink_diag *diag) {
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  brink_runner *runner = brink_arena_take(&arena, 1, sizeof *runner);
  if (runner == NULL || pthread_mutex_init(&runner->lock, NULL) != 0) {
    brink_arena_free(&arena);
    brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
    return NULL;
  }
  runner->arena = arena;
  runner->sweep = sweep;
  runner->owner = owner;
  runner->beside = beside;
  if (prepare(runner, diag) == BRINK_OK) return runner;
  brink_runner_close(runner);
  return NULL;
}

brink_runner *brink_runner_open(const brink_sweep *sweep, brink_diag *diag) {
  return open_runner(sweep, NULL, 1, diag);
}

brink_runner *brink_runner_open_beside(brink_runner *owner, size_t beside, brink_diag *diag) {
  owner->beside = beside;
  return open_runner(owner->sweep, owner, beside, diag);
}

void brink_runner_close(brink_runner *runner) {
  if (runner == NULL) return;
  brink_run_destroy(runner->run);
  brink_probe_free(&runner->probe);
  if (runner->owner == NULL) brink_hsml_destroy(runner->model);
  brink_text_free(&runner->path);
  pthread_mutex_destroy(&runner->lock);
  brink_arena arena = runner->arena;
  brink_arena_free(&arena);
}

brink_hsml *brink_runner_model(brink_runner *runner) {
  return runner->model;
}

brink_run *brink_runner_present(const brink_runner *runner) {
  return runner->run;
}

const brink_run_options *brink_runner_options(const brink_runner *runner) {
  return &runner->options;
}

/* ---- one run ---- */

/* The run with runner->values, not begun; in place of the last one. */
static brink_status make(brink_runner *runner, brink_diag *diag) {
  const brink_sweep *sweep = runner->sweep;
  brink_run_options *options = &runner->options;
  brink_status status = brink_sweep_turn(sweep, runner->model, runner->values, diag);
  if (status == BRINK_OK) status = brink_hsml_build(runner->model, diag);
  if (status == BRINK_OK) status = brink_sweep_options(sweep, runner->model, options, diag);
  if (status != BRINK_OK) return status;
  brink_run *last = runner->run;
  runner->run = NULL;
  status = brink_run_create_after(last, runner->model, options, diag, &runner->run);
  return status == BRINK_OK ? brink_probe_begin(&runner->probe, runner->run, diag) : status;
}

brink_status brink_runner_try(brink_runner *runner, brink_diag *diag) {
  const brink_sweep *sweep = runner->sweep;
  memcpy(runner->values, sweep->nominal, sweep->design.nknobs * sizeof *runner->values);
  brink_status status = make(runner, diag);
  return status == BRINK_OK ? brink_probe_check(&runner->probe, diag) : status;
}

/* The file of a run. */
static brink_status name_file(brink_runner *runner, const char *ending, brink_diag *diag) {
  runner->path.length = 0;
  brink_text_add(&runner->path, "%s/run-%llu.%s", runner->sweep->def.keep,
                 (unsigned long long)runner->number, ending);
  return runner->path.failed ? brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory") : BRINK_OK;
}

static brink_status record(brink_runner *runner, brink_diag *diag) {
  const brink_sweep_def *def = &runner->sweep->def;
  if (def->keep == NULL) return BRINK_OK;
  brink_status status = name_file(runner, def->keep_format, diag);
  if (status == BRINK_OK && def->keep_reports) status = brink_run_prepare_report(runner->run, diag);
  runner->run->choice.path = runner->path.data;
  return status;
}

/* After the end of the run. */
static brink_status report(brink_runner *runner, brink_diag *diag) {
  if (!runner->sweep->def.keep_reports) return BRINK_OK;
  brink_status status = name_file(runner, "html", diag);
  return status == BRINK_OK ? brink_run_write_report(runner->run, runner->path.data, diag) : status;
}

brink_run *brink_runner_prepare(brink_runner *runner, uint64_t place) {
  runner->number = brink_share_number(runner->sweep, place);
  brink_design_at(&runner->sweep->design, runner->number, runner->values);
  runner->status = make(runner, &runner->diag);
  if (runner->status == BRINK_OK) runner->status = record(runner, &runner->diag);
  runner->made = runner->status == BRINK_OK;
  return runner->made ? runner->run : NULL;
}

/* From now on somebody may cancel the run; NULL: no more. */
static halt expose(brink_runner *runner, brink_run *run) {
  pthread_mutex_lock(&runner->lock);
  runner->running = run;
  if (run != NULL) {
    double limit = runner->sweep->def.limit;
    double wait = limit * (double)runner->beside; /* the time of a run, not of those beside it */
    runner->deadline = isfinite(limit) ? brink_seconds() + wait : (double)INFINITY;
    runner->halted = HALT_NONE;
  }
  halt halted = runner->halted;
  pthread_mutex_unlock(&runner->lock);
  return halted;
}

void brink_runner_begin(brink_runner *runner) {
  expose(runner, runner->run);
}

void brink_runner_give_up(brink_runner *runner) {
  expose(runner, NULL);
}

bool brink_runner_end(brink_runner *runner, brink_status status, const brink_diag *diag) {
  halt halted = expose(runner, NULL);
  runner->late = status == BRINK_CANCELLED;
  if (runner->late && halted == HALT_STOP) return false;
  if (diag != NULL) runner->diag = *diag;
  runner->status = status;
  brink_probe_end(&runner->probe);
  brink_diag closing;
  runner->lost = brink_run_finish(runner->run, &closing);
  if (runner->lost != BRINK_ERR_FILE) runner->lost = report(runner, &closing);
  if (runner->lost == BRINK_ERR_FILE) runner->diag = closing;
  brink_probe_conclude(&runner->probe);
  return true;
}

void brink_runner_watch(brink_runner *runner, bool stop) {
  pthread_mutex_lock(&runner->lock);
  bool late = runner->running != NULL && brink_seconds() >= runner->deadline;
  if (runner->running != NULL && (stop || late)) {
    if (runner->halted == HALT_NONE) runner->halted = stop ? HALT_STOP : HALT_LIMIT;
    brink_run_cancel(runner->running);
  }
  pthread_mutex_unlock(&runner->lock);
}

/* ---- rows ---- */

/* The reason of a failure before the first step, in one word. */
static const char *word_for(brink_status status) {
  return status == BRINK_ERR_ARGUMENT ? "value" : brink_run_reason(status);
}

static void begin_row(const brink_runner *runner, brink_text *row) {
  brink_text_add(row, "%llu", (unsigned long long)runner->number);
  for (size_t k = 0; k < runner->sweep->design.nknobs; k++) {
    brink_text_append(row, ",", 1);
    if (runner->values[k].word != NULL)
      brink_fields_add(row, runner->values[k].word);
    else
      brink_fields_add_number(row, runner->values[k].number);
  }
}

static void add_outcome(brink_text *row, const char *status, const char *reason,
                        const char *message) {
  brink_text_add(row, ",%s,%s,", status, reason != NULL ? reason : "");
  if (message != NULL) brink_fields_add(row, message);
}

static void add_number(brink_text *row, double value) {
  brink_text_append(row, ",", 1);
  brink_fields_add_number(row, value);
}

/* A run without values: the rest of its row is empty. */
static void add_nothing(const brink_runner *runner, brink_text *row) {
  const brink_sweep *sweep = runner->sweep;
  for (size_t k = 0; k < 1 + 3 * sweep->nflags + sweep->measures.count; k++)
    brink_text_append(row, ",", 1);
}

static void add_values(const brink_runner *runner, brink_text *row) {
  const brink_sweep *sweep = runner->sweep;
  const brink_probe *probe = &runner->probe;
  add_number(row, probe->end);
  for (size_t k = 0; k < sweep->nflags; k++) {
    add_number(row, (double)probe->flags[k].count);
    add_number(row, probe->flags[k].first);
    add_number(row, probe->flags[k].last);
  }
  for (size_t k = 0; k < sweep->measures.count; k++) {
    const char *text;
    double value = brink_probe_value(probe, k, &text);
    if (text == NULL) {
      add_number(row, value);
    } else {
      brink_text_append(row, ",", 1);
      brink_fields_add(row, text);
    }
  }
}

void brink_runner_row(brink_runner *runner, brink_text *row) {
  char words[96];
  begin_row(runner, row);
  if (!runner->made) {
    add_outcome(row, "failed", word_for(runner->status), runner->diag.message);
    add_nothing(runner, row);
  } else if (runner->late) {
    snprintf(words, sizeof words, "the run took more than %g s", runner->sweep->def.limit);
    add_outcome(row, "failed", "limit", words);
    add_nothing(runner, row);
  } else if (runner->lost == BRINK_ERR_FILE) {
    add_outcome(row, "failed", "file", runner->diag.message);
    add_values(runner, row);
  } else if (runner->run->journal.failed) {
    add_outcome(row, "failed", word_for(BRINK_ERR_MEMORY),
                "out of memory: its events are not complete");
    add_nothing(runner, row);
  } else {
    brink_run_outcome outcome = brink_run_result(runner->run);
    add_outcome(row, outcome.status, outcome.reason, outcome.message);
    add_values(runner, row);
  }
  brink_text_append(row, "\n", 1);
}

bool brink_runner_run(brink_runner *runner, uint64_t place, brink_text *row) {
  brink_run *run = brink_runner_prepare(runner, place);
  if (run != NULL) {
    brink_diag diag;
    brink_status status;
    brink_runner_begin(runner);
    do {
      status = brink_run_to(run, brink_runner_options(runner)->until, &diag);
    } while (status == BRINK_ERR_WORK);
    if (!brink_runner_end(runner, status, &diag)) return false;
  }
  brink_runner_row(runner, row);
  return true;
}
