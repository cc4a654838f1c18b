/* hsml.c: a model: its text, read and checked; values by name; what is built of both. See <brink/hsml.h>. */
#include "run/hsml.h"

#include <math.h>
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

static void free_set(const brink_hsml *model, char *set) {
  brink_release(&model->arena.allocator, set, strlen(set) + 1, 1);
}

static void forget_sets(brink_hsml *model) {
  while (model->nsets > 0) free_set(model, model->sets[--model->nsets]);
}

static void release_model(brink_hsml *model) {
  if (model == NULL || atomic_fetch_sub(&model->users, 1) > 1) return;
  brink_inputs_destroy(model->inputs);
  brink_functions_destroy(model->functions);
  brink_object_store_destroy(model->objects);
  brink_unit_destroy(model->unit);
  forget_sets(model);
  brink_arena_free(&model->said);
  pthread_mutex_destroy(&model->flattening);
  brink_arena arena = model->arena; /* holds the model itself */
  brink_arena_free(&arena);
}

void brink_built_release(brink_built *built) {
  if (built == NULL || atomic_fetch_sub(&built->users, 1) > 1) return;
  brink_hsml *model = built->model;
  brink_built_forget_code(built);
  brink_inputs_destroy(built->inputs);
  brink_inputs_destroy(built->driven_by);
  brink_functions_destroy(built->followed);
  brink_agent_tables_destroy(built->tables);
  brink_system_destroy(built->system);
  brink_arena_free(&built->arena);
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
  model->hints.from = model->hints.until = NAN;
  brink_arena_init(&model->said, allocator);
  model->path = brink_arena_text(&arena, path);
  model->top = def->top != NULL ? brink_arena_text(&arena, def->top) : NULL;
  if (def->text != NULL) {
    model->length = def->length > 0 ? def->length : strlen(def->text);
    model->text = brink_arena_copy(&arena, def->text, model->length, 1);
  }
  if (def->reader != NULL) model->reader = *def->reader;
  model->part = def->part;
  model->nimport_path = def->import_path != NULL ? def->nimport_path : 0;
  model->import_path = brink_arena_take(&arena, model->nimport_path, sizeof *model->import_path);
  for (size_t k = 0; k < model->nimport_path && model->import_path != NULL; k++)
    model->import_path[k] = brink_arena_text(&arena, def->import_path[k]);
  model->allow_external = def->allow_external;
  model->nlibrary_paths = def->library_paths != NULL ? def->nlibrary_paths : 0;
  model->library_paths =
      brink_arena_take(&arena, model->nlibrary_paths + 1, sizeof *model->library_paths);
  for (size_t k = 0; !arena.failed && k < model->nlibrary_paths; k++)
    model->library_paths[k] = brink_arena_text(&arena, def->library_paths[k]);
  model->arena = arena;
  if (!arena.failed && pthread_mutex_init(&model->flattening, NULL) == 0) return model;
  brink_arena_free(&arena);
  return NULL;
}

static brink_status parse(brink_hsml *model, brink_diag *diag) {
  bool unreadable = false;
  const char *reason = NULL;
  brink_reader reader = {.read = read_text,
                         .user = model,
                         .directories = model->import_path,
                         .ndirectories = model->nimport_path};
  if (model->reader.read == NULL) {
    reader.look = brink_file_reader.look;
    reader.same = brink_file_reader.same;
    reader.inside = brink_file_reader.inside;
  }
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

/* FNV-1a. A sweep gives thousands of values, and each looks for its own earlier one: numbers are quicker to compare. */
static uint64_t hash_name(const char *name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *name != '\0'; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
  return hash;
}

/* An earlier value of the same name counts no longer. */
static void forget_set(brink_hsml *model, const char *name, uint64_t hash) {
  size_t length = strlen(name), k = 0;
  while (k < model->nsets && model->set_hashes[k] != hash) k++;
  size_t kept = k;
  for (; k < model->nsets; k++) {
    char *set = model->sets[k];
    if (model->set_hashes[k] == hash && strncmp(set, name, length) == 0 && set[length] == '=') {
      free_set(model, set);
    } else {
      model->set_hashes[kept] = model->set_hashes[k];
      model->sets[kept++] = set;
    }
  }
  model->nsets = kept;
}

brink_status brink_hsml_set_text(brink_hsml *model, const char *name, const char *value,
                                 brink_diag *diag) {
  brink_diag_clear(diag);
  if (model == NULL || name == NULL || value == NULL || name[0] == '\0')
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "model, name and value must not be NULL");
  brink_text text = {0};
  brink_text_add(&text, "%s=%s", name, value);
  bool room =
      brink_arena_reserve(&model->arena, model->sets, model->nsets, model->sets_capacity) &&
      brink_arena_reserve(&model->arena, model->set_hashes, model->nsets, model->hashes_capacity);
  char *kept =
      room && !text.failed ? brink_allocate(&model->arena.allocator, text.length + 1, 1) : NULL;
  if (kept != NULL) memcpy(kept, text.data, text.length + 1);
  brink_text_free(&text);
  if (kept == NULL) return out_of_memory(diag);
  uint64_t hash = hash_name(name);
  forget_set(model, name, hash);
  model->set_hashes[model->nsets] = hash;
  model->sets[model->nsets++] = kept;
  forget_built(model);
  return BRINK_OK;
}

brink_status brink_hsml_set(brink_hsml *model, const char *name, double value, brink_diag *diag) {
  char number[BRINK_DOUBLE_TEXT];
  return brink_hsml_set_text(model, name, brink_double_text(value, number), diag);
}

void brink_hsml_unset(brink_hsml *model) {
  if (model == NULL) return;
  forget_sets(model);
  forget_built(model);
}

void brink_hsml_reseed(brink_hsml *model, uint64_t seed) {
  if (model->hints.has_seed && model->hints.seed == seed) return;
  model->hints.has_seed = true;
  model->hints.seed = seed;
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

brink_status brink_hsml_set_function(brink_hsml *model, const char *name,
                                     const brink_hsml_function *function, brink_diag *diag) {
  brink_functions *changed;
  brink_diag_clear(diag);
  if (model == NULL || name == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "model and name must not be NULL");
  brink_status status = brink_functions_change(model->functions, name, function,
                                               &model->arena.allocator, diag, &changed);
  if (status != BRINK_OK) return status;
  brink_functions_destroy(model->functions);
  model->functions = changed;
  forget_built(model);
  return BRINK_OK;
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
  if (built->system->backward)
    built->one_system = "time runs backwards";
  else
    built->tables = brink_agent_tables_make(built->system, &built->one_system);
  if (built->tables != NULL) return;
  brink_system_destroy(built->system);
  built->system = NULL;
  if (built->one_system == NULL) return; /* no memory */
  brink_report_return(model->unit, &before);
  options->agents = BRINK_AGENTS_WHOLE;
  built->system = brink_flatten(model->unit, options, NULL);
}

/* Options for the flattener; the sets are copied into the arena. False: out of memory. */
static bool flatten_options(brink_hsml *model, const brink_build_hints *hints, brink_arena *arena,
                            brink_flatten_options *options) {
  brink_inputs *inputs = model->inputs;
  const brink_functions *functions = model->functions;
  size_t driven = inputs != NULL ? inputs->ncolumns : 0;
  const char **sets = brink_arena_pack(arena, model->nsets + 1, sizeof *sets);
  if (sets == NULL) return false;
  *options = (brink_flatten_options){.top = model->top,
                                     .sets = sets,
                                     .library = model->part,
                                     .allow_external = model->allow_external,
                                     .library_paths = model->library_paths,
                                     .nlibrary_paths = model->nlibrary_paths,
                                     .seed = hints->has_seed ? hints->seed : 1,
                                     .seed_given = hints->has_seed,
                                     .from = isnan(hints->from) ? 0.0 : hints->from,
                                     .from_given = !isnan(hints->from),
                                     .until = hints->until,
                                     .until_given = !isnan(hints->until),
                                     .agents = brink_hsml_agents(model, hints),
                                     .driven = driven > 0 ? inputs->names : NULL,
                                     .ndriven = driven,
                                     .driven_sets = brink_inputs_sets,
                                     .driven_user = inputs,
                                     .drive_holds = driven > 0 && inputs->hold,
                                     .functions = functions != NULL ? functions->items : NULL,
                                     .nfunctions = functions != NULL ? functions->count : 0};
  for (size_t k = 0; k < model->nsets; k++)
    sets[options->nsets++] = brink_arena_text(arena, model->sets[k]);
  return !arena->failed;
}

brink_status brink_built_knobs(const brink_built *built, size_t most, brink_knobs *knobs) {
  pthread_mutex_t *flattening = &built->model->flattening;
  pthread_mutex_lock(flattening);
  brink_status status =
      brink_knobs_find(built->model->unit, &built->options, built->system, most, NULL, knobs);
  pthread_mutex_unlock(flattening);
  return status;
}

brink_status brink_built_knob(const brink_built *built, uint32_t variable, size_t element,
                              brink_knobs *knobs) {
  pthread_mutex_t *flattening = &built->model->flattening;
  pthread_mutex_lock(flattening);
  brink_status status = brink_knobs_find_one(built->model->unit, &built->options, built->system,
                                             variable, element, NULL, knobs);
  pthread_mutex_unlock(flattening);
  return status;
}

/* The end in the model's simulation section; NaN: none is given. */
static double own_until(const brink_system *system) {
  for (size_t k = 0; k < system->nsettings; k++) {
    const brink_setting *setting = &system->settings[k];
    if (strcmp(setting->name, "until") == 0 && !setting->is_text) return setting->number;
  }
  return (double)NAN;
}

/* Does what was built serve these hints as well? */
static bool serves(const brink_hsml *model, const brink_build_hints *hints) {
  const brink_build_hints *own = &model->made_for;
  bool same_seed = hints->has_seed ? model->built->system->seed == hints->seed : !own->has_seed;
  const brink_system *system = model->built->system;
  double from = brink_system_time(system, system->t0);
  double until = isnan(hints->until) ? own_until(system) : hints->until;
  bool same_start = isnan(hints->from) ? isnan(own->from) : from == hints->from;
  bool same_way = (until < from) == system->backward;
  return same_seed && same_start && same_way &&
         brink_hsml_agents(model, own) == brink_hsml_agents(model, hints);
}

/* What came of it. */
static brink_status judge_build(brink_hsml *model, brink_built *built, brink_diag *diag) {
  const brink_report_item *refused = brink_report_of_settings(model->unit);
  if (refused != NULL)
    return brink_diag_set(
        diag,
        refused->code == BRINK_MSG_INPUT_FUNCTION_IN_CONSTRAINTS ? BRINK_ERR_UNSUPPORTED
                                                                 : BRINK_ERR_ARGUMENT,
        "%s: %s%s%s", refused->setting, refused->message, refused->hint != NULL ? "; " : "",
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
  if (built == NULL) return out_of_memory(diag);
  brink_arena_init(&built->arena, &model->arena.allocator);
  if (!flatten_options(model, hints, &built->arena, &options)) {
    brink_arena_free(&built->arena);
    brink_release(NULL, built, 1, sizeof *built);
    return out_of_memory(diag);
  }
  atomic_init(&built->users, 1);
  atomic_fetch_add(&model->users, 1);
  built->model = model;
  brink_hsml_forget_messages(model);
  pthread_mutex_lock(&model->flattening);
  brink_report_return(model->unit, &model->checked);
  flatten(model, built, &options);
  built->options = options;
  built->driven_by = brink_inputs_share(model->inputs);
  built->followed = brink_functions_share(model->functions);
  brink_status status = judge_build(model, built, diag);
  pthread_mutex_unlock(&model->flattening);
  forget_built(model);
  if (status == BRINK_OK) {
    model->built = built;
    model->made_for = *hints;
  } else {
    brink_built_release(built);
  }
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
