/* hsml.c: a model: its text, read and checked; values by name; what is built of both. See <brink/hsml.h>. */
#include "run/hsml.h"

#include <stdlib.h>
#include <string.h>

#include "base/definition.h"

/* ---- reading ---- */

/* A copy of the caller's text, as the parser wants it. */
static char *copy_text(const char *text, size_t length, const char **reason) {
  char *copy = malloc(length + 1);
  if (copy == NULL) {
    *reason = "out of memory";
    return NULL;
  }
  if (length > 0) memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

static char *read_text(const char *path, size_t *length, const char **reason, void *user) {
  const brink_hsml *model = user;
  if (model->text != NULL && strcmp(path, model->path) == 0) {
    *length = model->length;
    return copy_text(model->text, model->length, reason);
  }
  const brink_hsml_reader *reader = &model->reader;
  if (reader->read == NULL)
    return brink_file_reader.read(path, length, reason, brink_file_reader.user);
  const char *text = NULL;
  if (reader->read(path, &text, length, reason, reader->user) != 0 || text == NULL) return NULL;
  char *copy = *length <= BRINK_FILE_LIMIT ? copy_text(text, *length, reason) : NULL;
  if (*length > BRINK_FILE_LIMIT) *reason = "it is larger than 64 MiB";
  if (reader->release != NULL) reader->release(text, *length, reader->user);
  return copy;
}

/* ---- the object ---- */

static brink_status out_of_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

static void release_model(brink_hsml *model) {
  if (model == NULL || atomic_fetch_sub(&model->users, 1) > 1) return;
  brink_inputs_destroy(model->inputs);
  brink_unit_destroy(model->unit);
  brink_arena arena = model->arena; /* holds the model itself */
  brink_arena_free(&arena);
}

void brink_built_release(brink_built *built) {
  if (built == NULL || atomic_fetch_sub(&built->users, 1) > 1) return;
  brink_hsml *model = built->model;
  brink_inputs_destroy(built->inputs);
  brink_agent_tables_destroy(built->tables);
  brink_system_destroy(built->system);
  brink_release(NULL, built, 1, sizeof *built);
  release_model(model);
}

/* What was built is of values that hold no longer. Runs keep theirs. */
static void forget_built(brink_hsml *model) {
  brink_built *built = model->built;
  model->built = NULL;
  model->listed = NULL;
  if (built != NULL) brink_built_release(built);
}

void brink_hsml_destroy(brink_hsml *model) {
  if (model == NULL) return;
  forget_built(model);
  brink_hsml_forget_messages(model);
  release_model(model);
}

void brink_hsml_defaults(brink_hsml_def *def, size_t size) {
  brink_hsml_def defaults = {.size = sizeof defaults};
  brink_definition_fill(def, size, &defaults, sizeof defaults);
}

static brink_hsml *new_model(const brink_hsml_def *def, const brink_allocator *allocator) {
  brink_arena arena;
  brink_arena_init(&arena, allocator);
  brink_hsml *model = brink_arena_take(&arena, 1, sizeof *model);
  if (model == NULL) return NULL;
  const char *path = def->path != NULL ? def->path : "model.hsml";
  atomic_init(&model->users, 1);
  model->path = brink_arena_text(&arena, path);
  model->top = def->top != NULL ? brink_arena_text(&arena, def->top) : NULL;
  if (def->text != NULL) {
    model->length = def->length > 0 ? def->length : strlen(def->text);
    model->text = brink_arena_copy(&arena, def->text, model->length, 1);
  }
  if (def->reader != NULL) model->reader = *def->reader;
  model->part = def->part;
  model->arena = arena;
  if (!arena.failed) return model;
  brink_arena_free(&arena);
  return NULL;
}

static brink_status parse(brink_hsml *model, brink_diag *diag) {
  bool unreadable = false;
  const char *reason = NULL;
  brink_reader reader = {.read = read_text, .user = model};
  model->unit =
      brink_unit_parse(model->path, &reader, &model->arena.allocator, &unreadable, &reason);
  if (unreadable)
    return brink_diag_set(diag, BRINK_ERR_FILE, "cannot read %s: %s",
                          strcmp(model->path, "-") == 0 ? "standard input" : model->path,
                          reason != NULL ? reason : "it cannot be read");
  if (model->unit == NULL || model->unit->out_of_memory) return out_of_memory(diag);
  brink_unit_check(model->unit);
  if (model->unit->out_of_memory) return out_of_memory(diag);
  model->checked = brink_report_now(model->unit);
  if (model->unit->nerrors == 0) return BRINK_OK;
  return brink_diag_set(diag, BRINK_ERR_MODEL, "the model has errors");
}

brink_status brink_hsml_load(const brink_hsml_def *given, const brink_allocator *allocator,
                             brink_diag *diag, brink_hsml **model) {
  brink_hsml_def def = brink_default_hsml();
  brink_diag_clear(diag);
  if (model == NULL || given == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "def and model must not be NULL");
  *model = NULL;
  brink_status status = brink_definition_read(&def, sizeof def, given, "brink_hsml_def", diag);
  if (status != BRINK_OK) return status;
  if (def.path == NULL && def.text == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "def needs a path or a text");
  brink_hsml *made = new_model(&def, allocator);
  if (made == NULL) return out_of_memory(diag);
  status = parse(made, diag);
  if (status == BRINK_OK || status == BRINK_ERR_MODEL)
    *model = made;
  else
    brink_hsml_destroy(made);
  return status;
}

brink_status brink_hsml_load_file(const char *path, brink_diag *diag, brink_hsml **model) {
  brink_hsml_def def = brink_default_hsml();
  def.path = path;
  return brink_hsml_load(&def, NULL, diag, model);
}

brink_status brink_hsml_load_text(const char *text, brink_diag *diag, brink_hsml **model) {
  brink_hsml_def def = brink_default_hsml();
  def.text = text;
  return brink_hsml_load(&def, NULL, diag, model);
}

/* ---- values by name ---- */

brink_status brink_hsml_set_text(brink_hsml *model, const char *name, const char *value,
                                 brink_diag *diag) {
  brink_diag_clear(diag);
  if (model == NULL || name == NULL || value == NULL || name[0] == '\0')
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "model, name and value must not be NULL");
  brink_text text = {0};
  brink_text_add(&text, "%s=%s", name, value);
  const char *kept = text.failed ? NULL : brink_arena_text(&model->arena, text.data);
  brink_text_free(&text);
  const char **set = kept != NULL ? brink_arena_push(&model->arena, model->sets, model->nsets,
                                                     model->sets_capacity)
                                  : NULL;
  if (set == NULL) return out_of_memory(diag);
  *set = kept;
  forget_built(model);
  return BRINK_OK;
}

brink_status brink_hsml_set(brink_hsml *model, const char *name, double value, brink_diag *diag) {
  char number[BRINK_DOUBLE_TEXT];
  return brink_hsml_set_text(model, name, brink_double_text(value, number), diag);
}

void brink_hsml_unset(brink_hsml *model) {
  if (model == NULL) return;
  model->nsets = 0;
  forget_built(model);
}

/* The model takes the inputs over. */
static void take_inputs(brink_hsml *model, brink_inputs *inputs) {
  brink_inputs_destroy(model->inputs);
  model->inputs = inputs;
  forget_built(model);
}

brink_status brink_hsml_set_inputs(brink_hsml *model, const brink_hsml_inputs *given,
                                   brink_diag *diag) {
  brink_diag_clear(diag);
  if (model == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "model must not be NULL");
  brink_inputs *inputs = NULL;
  brink_status status =
      given != NULL ? brink_inputs_copy(given, &model->arena.allocator, diag, &inputs) : BRINK_OK;
  if (status == BRINK_OK) take_inputs(model, inputs);
  return status;
}

brink_status brink_hsml_read_inputs(brink_hsml *model, const char *path, bool hold,
                                    brink_diag *diag) {
  brink_diag_clear(diag);
  if (model == NULL || path == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "model and path must not be NULL");
  brink_inputs *inputs = NULL;
  brink_status status = brink_inputs_read(model, path, hold, diag, &inputs);
  if (status == BRINK_OK) take_inputs(model, inputs);
  return status;
}

/* ---- building ---- */

const brink_component *brink_hsml_top(const brink_hsml *model) {
  const brink_unit *unit = model->unit;
  if (model->top == NULL) return unit->system != NULL ? unit->system : unit->last;
  for (const brink_component *c = unit->components; c != NULL; c = c->next) {
    if (strcmp(c->name, model->top) == 0) return c;
  }
  return NULL;
}

/* What an option is: the caller's word, or the model's, where it is a text; NULL: neither says it. */
static const char *word_of(const char *hint, const char *name, const brink_component *top) {
  const brink_ast_section *section = &top->section[BRINK_SECTION_SIMULATION];
  for (size_t k = 0; hint == NULL && k < section->nvalues; k++) {
    const brink_ast_value *value = &section->values[k];
    if (value->expr->op == BRINK_AST_TEXT && strcmp(value->name, name) == 0)
      hint = value->expr->text;
  }
  return hint;
}

static bool is_among(const char *word, const char *const *words) {
  if (word == NULL) return true;
  while (*words != NULL && strcmp(word, *words) != 0) words++;
  return *words != NULL;
}

/* Do the settings of a run let agents have clocks of their own? */
static bool settings_allow(const brink_build_hints *hints, const brink_component *top) {
  static const char *const own[] = {"own", NULL}, *const stop[] = {"stop", NULL};
  static const char *const methods[] = {"auto", "taylor", "adams", NULL};
  static const char *const events[] = {"extrapolate", "interpolate", NULL};
  return is_among(word_of(hints->clocks, "clocks", top), own) &&
         is_among(word_of(hints->zeno, "zeno", top), stop) &&
         is_among(word_of(hints->method, "method", top), methods) &&
         is_among(word_of(hints->events, "events", top), events);
}

brink_flatten_agents brink_hsml_agents(const brink_hsml *model, const brink_build_hints *hints) {
  const brink_component *top = brink_hsml_top(model);
  if (top == NULL || top->npopulations == 0) return BRINK_AGENTS_WHOLE;
  if (hints->purpose == BRINK_BUILD_RUN)
    return settings_allow(hints, top) ? BRINK_AGENTS_TEMPLATES : BRINK_AGENTS_WHOLE;
  return hints->purpose == BRINK_BUILD_CHECK ? BRINK_AGENTS_IF_TOO_MANY : BRINK_AGENTS_WHOLE;
}

/* Flattens, and makes the tables of templates. Where agents cannot have clocks of their own, everything is put into
 * one system, as if nothing had been tried. */
static void flatten(const brink_hsml *model, brink_built *built, brink_flatten_options *options) {
  brink_report_mark before = brink_report_now(model->unit);
  built->system = brink_flatten(model->unit, options, NULL);
  if (built->system == NULL || built->system->templates == NULL) return;
  built->tables = brink_agent_tables_make(built->system, &built->one_system);
  if (built->tables != NULL) return;
  brink_system_destroy(built->system);
  built->system = NULL;
  if (built->one_system == NULL) return; /* no memory */
  brink_report_return(model->unit, &before);
  options->agents = BRINK_AGENTS_WHOLE;
  built->system = brink_flatten(model->unit, options, NULL);
}

/* Options for the flattener; the sets go into memory of the model. False: out of memory. */
static bool flatten_options(brink_hsml *model, const brink_build_hints *hints,
                            brink_flatten_options *options) {
  const brink_inputs *inputs = model->inputs;
  size_t driven = inputs != NULL ? inputs->ncolumns : 0;
  const char **sets = brink_arena_pack(&model->arena, model->nsets + driven + 1, sizeof *sets);
  if (sets == NULL) return false;
  *options = (brink_flatten_options){.top = model->top,
                                     .sets = sets,
                                     .library = model->part,
                                     .seed = hints->has_seed ? hints->seed : 1,
                                     .seed_given = hints->has_seed,
                                     .agents = brink_hsml_agents(model, hints),
                                     .driven = driven > 0 ? inputs->names : NULL,
                                     .ndriven = driven,
                                     .drive_holds = driven > 0 && inputs->hold};
  for (size_t k = 0; k < driven; k++) sets[options->nsets++] = inputs->sets[k];
  for (size_t k = 0; k < model->nsets; k++) sets[options->nsets++] = model->sets[k];
  return true;
}

brink_status brink_built_knobs(const brink_built *built, size_t most, brink_knobs *knobs) {
  brink_flatten_options options;
  brink_hsml *model = built->model;
  *knobs = (brink_knobs){0};
  if (!flatten_options(model, &model->hints, &options)) return BRINK_ERR_MEMORY;
  return brink_knobs_find(model->unit, &options, built->system, most, NULL, knobs);
}

/* Does what was built serve these hints as well? */
static bool serves(const brink_hsml *model, const brink_build_hints *hints) {
  const brink_build_hints *own = &model->hints;
  bool same_seed = hints->has_seed ? model->built->system->seed == hints->seed : !own->has_seed;
  return same_seed && brink_hsml_agents(model, own) == brink_hsml_agents(model, hints);
}

/* What came of it. */
static brink_status judge_build(brink_hsml *model, brink_built *built, brink_diag *diag) {
  const brink_report_item *refused = brink_report_of_settings(model->unit);
  if (refused != NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "%s: %s%s%s", refused->setting,
                          refused->message, refused->hint != NULL ? "; " : "",
                          refused->hint != NULL ? refused->hint : "");
  if (model->unit->out_of_memory) return out_of_memory(diag);
  if (model->unit->nerrors > 0)
    return brink_diag_set(diag, BRINK_ERR_MODEL, "the model has errors");
  if (built->system == NULL) return out_of_memory(diag);
  if (model->inputs == NULL) return BRINK_OK;
  return brink_inputs_bind(model, model->inputs, built->system, diag, &built->inputs);
}

static brink_status build(brink_hsml *model, const brink_build_hints *hints, brink_diag *diag) {
  brink_flatten_options options;
  brink_built *built = brink_allocate(NULL, 1, sizeof *built);
  if (built == NULL || !flatten_options(model, hints, &options)) {
    brink_release(NULL, built, 1, sizeof *built);
    return out_of_memory(diag);
  }
  atomic_init(&built->users, 1);
  atomic_fetch_add(&model->users, 1);
  built->model = model;
  brink_hsml_forget_messages(model);
  brink_report_return(model->unit, &model->checked);
  flatten(model, built, &options);
  brink_status status = judge_build(model, built, diag);
  forget_built(model);
  model->hints = *hints;
  if (status == BRINK_OK)
    model->built = built;
  else
    brink_built_release(built);
  return status;
}

brink_status brink_hsml_build_for(brink_hsml *model, const brink_build_hints *hints,
                                  brink_diag *diag, brink_built **built) {
  if (model->built == NULL || !serves(model, hints)) {
    /* With errors the flattener reports more, and makes nothing. */
    brink_status status = build(model, hints, diag);
    if (status != BRINK_OK) return status;
  }
  atomic_fetch_add(&model->built->users, 1);
  *built = model->built;
  return BRINK_OK;
}

brink_status brink_hsml_build(brink_hsml *model, brink_diag *diag) {
  brink_diag_clear(diag);
  if (model == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "model must not be NULL");
  if (model->built != NULL) return BRINK_OK;
  return build(model, &model->hints, diag);
}

brink_status brink_hsml_fill_options(brink_hsml *model, brink_run_options *options, size_t size,
                                     brink_diag *diag) {
  brink_run_options full = brink_default_run();
  if (options == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "options must not be NULL");
  brink_status status = brink_hsml_build(model, diag);
  if (status == BRINK_OK) status = brink_run_options_of(model->built->system, NULL, &full, diag);
  brink_definition_fill(options, size, &full, sizeof full);
  return status;
}
