/* model.c: models that the program carries in itself, and their runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/lab.h"
#include "lang/flatten.h"

/* A value that brink_lab_begin puts where it belongs. */
typedef struct wish {
  brink_space space; /* X or P */
  size_t slot;
  double value;
} wish;

struct brink_lab_model {
  brink_lab *lab;
  brink_lab_model *next;
  brink_unit *unit; /* holds texts of the system */
  brink_system *system;
  brink_instance *instance;
  brink_sim *sim;
  double *x;
  wish *wishes;
  size_t nwishes, wishes_capacity;
  brink_arena arena; /* of the wishes and x */
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

static char *read_carried(const char *path, size_t *length, const char **reason, void *user) {
  (void)user;
  const brink_lab_file *file = find_carried(path);
  char *text = file != NULL ? malloc(file->length + 1) : NULL;
  if (text == NULL) {
    *reason = file != NULL ? "out of memory" : "the program does not carry it";
    return NULL;
  }
  memcpy(text, file->text, file->length + 1);
  *length = file->length;
  return text;
}

/* ---- from text to a system ---- */

/* The first thing that is wrong with a model, as a diagnostic. */
static brink_status tell_errors(brink_unit *unit, const char *path, brink_diag *diag) {
  brink_report_sort(unit);
  for (size_t k = 0; k < unit->nitems; k++) {
    const brink_report_item *item = &unit->items[k];
    if (item->severity != BRINK_ERROR) continue;
    brink_text text = {0};
    brink_report_render(unit, item, &text);
    brink_diag_set(diag, BRINK_ERR_ARGUMENT, "%s", text.data != NULL ? text.data : path);
    brink_text_free(&text);
    return BRINK_ERR_ARGUMENT;
  }
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

static brink_status flatten(brink_lab_model *model, const char *path, const char *const *sets,
                            brink_diag *diag) {
  static const brink_reader carried = {.read = read_carried};
  bool unreadable = false;
  const char *reason = "out of memory";
  brink_unit *unit = brink_unit_parse(path, &carried, NULL, &unreadable, &reason);
  model->unit = unit;
  if (unit == NULL || unreadable)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "cannot read %s: %s", path, reason);
  brink_unit_check(unit);
  if (unit->nerrors == 0) {
    brink_flatten_options options = {
        .sets = sets, .seed = model->lab->options.seed, .seed_given = true};
    while (sets != NULL && sets[options.nsets] != NULL) options.nsets++;
    model->system = brink_flatten(unit, &options, NULL);
  }
  return model->system != NULL ? BRINK_OK : tell_errors(unit, path, diag);
}

/* ---- opening and closing ---- */

static brink_status make(brink_lab_model *model, const char *path, const char *const *sets,
                         const brink_options *options, brink_diag *diag) {
  const brink_lab_options *asked = &model->lab->options;
  brink_status status = flatten(model, path, sets, diag);
  if (status != BRINK_OK) return status;
  brink_instance_options wishes = {.interpret = asked->interpret,
                                   .rtol = options->rtol,
                                   .atol = options->atol,
                                   .seed = asked->seed,
                                   .parameters_vary = true};
  if (options->method == BRINK_AUTO || options->method == BRINK_TAYLOR) {
    wishes.wants_flow_jet = true;
    wishes.only_if_worth = options->method == BRINK_AUTO;
    wishes.flow_order = options->order;
  }
  status = brink_instance_create(model->system, &wishes, NULL, diag, &model->instance);
  if (status != BRINK_OK) return status;
  model->x = brink_arena_take(&model->arena, model->system->nx + 1, sizeof *model->x);
  if (model->x == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  return brink_sim_create(brink_instance_model(model->instance), options, NULL, diag, &model->sim);
}

static void destroy(brink_lab_model *model) {
  brink_sim_destroy(model->sim);
  brink_instance_destroy(model->instance);
  brink_system_destroy(model->system);
  brink_unit_destroy(model->unit);
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

/* ---- names ---- */

/* The variable of a full name, "car[3].x"; BRINK_NO_INDEX: there is none. */
static uint32_t find_variable(const brink_system *system, const char *name, size_t *element) {
  brink_text text = {0};
  uint32_t found = BRINK_NO_INDEX;
  for (uint32_t v = 0; v < system->nvariables && found == BRINK_NO_INDEX; v++) {
    const brink_variable *variable = &system->variables[v];
    if (variable->kind == BRINK_VARIABLE_HIDDEN) continue;
    size_t count = system->groups[variable->group].count * variable->length;
    for (size_t k = 0; k < count && found == BRINK_NO_INDEX; k++) {
      text.length = 0;
      brink_system_variable_name(system, v, k, &text);
      if (text.data == NULL || text.failed || strcmp(text.data, name) != 0) continue;
      found = v;
      *element = k;
    }
  }
  brink_text_free(&text);
  return found;
}

size_t brink_lab_state(const brink_lab_model *model, const char *name) {
  size_t element = 0;
  uint32_t v = find_variable(model->system, name, &element);
  if (v == BRINK_NO_INDEX || model->system->variables[v].space != BRINK_SPACE_X) return BRINK_NONE;
  return model->system->variables[v].base + element;
}

/* ---- running ---- */

brink_status brink_lab_set(brink_lab_model *model, const char *name, double value,
                           brink_diag *diag) {
  size_t element = 0;
  uint32_t v = find_variable(model->system, name, &element);
  const brink_variable *variable = v != BRINK_NO_INDEX ? &model->system->variables[v] : NULL;
  if (variable == NULL || (variable->space != BRINK_SPACE_X && variable->space != BRINK_SPACE_P))
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "%s has no state and no parameter %s",
                          model->system->name, name);
  wish new = {.space = variable->space, .slot = variable->base + element, .value = value};
  for (size_t k = 0; k < model->nwishes; k++) {
    wish *old = &model->wishes[k];
    if (old->space != new.space || old->slot != new.slot) continue;
    *old = new;
    return BRINK_OK;
  }
  if (!brink_arena_grow(&model->arena, (void **)&model->wishes, model->nwishes,
                        &model->wishes_capacity, sizeof *model->wishes))
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  model->wishes[model->nwishes++] = new;
  return BRINK_OK;
}

brink_status brink_lab_begin(brink_lab_model *model, brink_diag *diag) {
  brink_status status = brink_sim_reset(model->sim, diag);
  if (status < 0 || model->nwishes == 0) return status < 0 ? status : BRINK_OK;
  if (model->system->nx > 0)
    memcpy(model->x, brink_sim_state(model->sim), model->system->nx * sizeof *model->x);
  for (size_t k = 0; k < model->nwishes && status >= 0; k++) {
    const wish *w = &model->wishes[k];
    if (w->space == BRINK_SPACE_X)
      model->x[w->slot] = w->value;
    else
      status = brink_sim_set_parameter(model->sim, w->slot, w->value, diag);
  }
  if (status >= 0) status = brink_sim_set_state(model->sim, model->x, diag);
  return status < 0 ? status : BRINK_OK;
}

brink_sim *brink_lab_sim(const brink_lab_model *model) {
  return model->sim;
}
