/* model.c: models that the program carries in itself, and their runs. */
#include <stdio.h>
#include <string.h>

#include "experiments/lab.h"
#include "run/run.h"
#include "sim/sim.h"

/* A value that brink_lab_begin writes. */
typedef struct start_value {
  const char *name;
  double value;
} start_value;

struct brink_lab_model {
  brink_lab *lab;
  brink_lab_model *next;
  brink_hsml *hsml;
  brink_run *run;
  start_value *starts;
  size_t nstarts, starts_capacity;
  brink_arena arena; /* of the starts */
};

/* ---- carried files ---- */

enum { PATH = 256 };

/* "models/a/../parts/b.hsml" as "models/parts/b.hsml"; too long: "". */
static void simplify(const char *path, char simple[PATH]) {
  size_t length = 0;
  while (*path != '\0') {
    size_t part = strcspn(path, "/");
    bool up = part == 2 && memcmp(path, "..", 2) == 0;
    if (up) {
      while (length > 0 && simple[--length] != '/') continue;
    } else if (part > 0) {
      if (length + part + 2 > PATH) break;
      if (length > 0) simple[length++] = '/';
      memcpy(simple + length, path, part);
      length += part;
    }
    path += part + (path[part] == '/');
  }
  simple[*path == '\0' ? length : 0] = '\0';
}

static const brink_lab_file *find_carried(const char *path) {
  char simple[PATH];
  simplify(path, simple);
  for (size_t k = 0; k < brink_lab_file_count; k++) {
    if (strcmp(brink_lab_files[k].path, simple) == 0) return &brink_lab_files[k];
  }
  return NULL;
}

const char *brink_lab_text(const char *path) {
  const brink_lab_file *file = find_carried(path);
  return file != NULL ? (const char *)file->text : NULL;
}

static int read_carried(const char *path, const char **text, size_t *length, const char **reason,
                        void *user) {
  (void)user;
  const brink_lab_file *file = find_carried(path);
  if (file == NULL) {
    *reason = "the program does not carry it";
    return 1;
  }
  *text = (const char *)file->text;
  *length = file->length;
  return 0;
}

/* ---- opening and closing ---- */

/* The first error of a model, as a diagnostic. */
static brink_status first_error(brink_hsml *model, brink_status status, brink_diag *diag) {
  const brink_hsml_message *messages;
  size_t count = model != NULL ? brink_hsml_messages(model, &messages) : 0;
  for (size_t k = 0; k < count; k++) {
    if (messages[k].severity == BRINK_ERROR)
      return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "%s", messages[k].rendered);
  }
  return status;
}

static brink_status load(brink_lab_model *model, const char *path, const char *const *sets,
                         brink_diag *diag) {
  static const brink_hsml_reader carried = {.read = read_carried};
  brink_hsml_def def = brink_default_hsml();
  def.path = path;
  def.reader = &carried;
  brink_status status = brink_hsml_load(&def, NULL, diag, &model->hsml);
  for (; status == BRINK_OK && sets != NULL && *sets != NULL; sets++) {
    char name[PATH];
    const char *equals = strchr(*sets, '=');
    snprintf(name, sizeof name, "%.*s", equals != NULL ? (int)(equals - *sets) : 0, *sets);
    status = brink_hsml_set_text(model->hsml, name, equals != NULL ? equals + 1 : "", diag);
  }
  return first_error(model->hsml, status, diag);
}

static brink_status make(brink_lab_model *model, const char *path, const char *const *sets,
                         const brink_options *options, brink_diag *diag) {
  const brink_lab_options *asked = &model->lab->options;
  brink_run_options run = brink_default_run();
  brink_status status = load(model, path, sets, diag);
  if (status != BRINK_OK) return status;
  run.sim = *options;
  run.seed = asked->seed;
  run.interpret = asked->interpret;
  run.native = !asked->interpret; /* times are measured */
  run.clocks = BRINK_CLOCKS_ONE;
  run.writable = BRINK_WRITE_ALL;
  status = brink_run_create(model->hsml, &run, NULL, diag, &model->run);
  if (status != BRINK_OK) return first_error(model->hsml, status, diag);
  model->run->sim->options.max_steps = options->max_steps; /* experiments drive it themselves */
  return BRINK_OK;
}

static void destroy(brink_lab_model *model) {
  brink_run_destroy(model->run);
  brink_hsml_destroy(model->hsml);
  brink_arena_free(&model->arena);
  brink_release(NULL, model, 1, sizeof *model);
}

brink_status brink_lab_open(brink_lab *lab, const char *path, const char *const *sets,
                            const brink_options *options, brink_diag *diag,
                            brink_lab_model **result) {
  *result = NULL;
  brink_options defaults = brink_default_options();
  brink_lab_model *model = brink_allocate(NULL, 1, sizeof *model);
  if (model == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  model->lab = lab;
  brink_arena_init(&model->arena, NULL);
  brink_status status = make(model, path, sets, options != NULL ? options : &defaults, diag);
  if (status != BRINK_OK) {
    destroy(model);
    return status;
  }
  brink_lab_source(lab, path);
  model->next = lab->models;
  lab->models = model;
  *result = model;
  return BRINK_OK;
}

void brink_lab_close(brink_lab_model *model) {
  if (model == NULL) return;
  brink_lab_model **link = &model->lab->models;
  while (*link != NULL && *link != model) link = &(*link)->next;
  if (*link != NULL) *link = model->next;
  destroy(model);
}

void brink_lab_close_models(brink_lab *lab) {
  while (lab->models != NULL) brink_lab_close(lab->models);
}

/* ---- running ---- */

size_t brink_lab_state(const brink_lab_model *model, const char *name) {
  brink_value found;
  if (brink_run_find(model->run, name, &found, NULL) != BRINK_OK) return BRINK_NONE;
  const brink_variable *variable = &model->run->system->variables[found.variable];
  return variable->space == BRINK_SPACE_X ? variable->base + found.element : BRINK_NONE;
}

brink_status brink_lab_set(brink_lab_model *model, const char *name, double value,
                           brink_diag *diag) {
  brink_value found;
  if (brink_run_find(model->run, name, &found, NULL) != BRINK_OK)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "%s has no state and no parameter %s",
                          model->run->system->name, name);
  for (size_t k = 0; k < model->nstarts; k++) {
    if (strcmp(model->starts[k].name, name) != 0) continue;
    model->starts[k].value = value;
    return BRINK_OK;
  }
  const char *kept = brink_arena_text(&model->arena, name);
  start_value *start =
      brink_arena_push(&model->arena, model->starts, model->nstarts, model->starts_capacity);
  if (kept == NULL || start == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  *start = (start_value){.name = kept, .value = value};
  return BRINK_OK;
}

brink_status brink_lab_begin(brink_lab_model *model, brink_diag *diag) {
  brink_status status = brink_run_reset(model->run, diag);
  for (size_t k = 0; k < model->nstarts && status == BRINK_OK; k++)
    status = brink_run_set(model->run, model->starts[k].name, model->starts[k].value, diag);
  return status;
}

brink_sim *brink_lab_sim(const brink_lab_model *model) {
  return model->run->sim;
}
