/* items.c: lists of what a model has, as it was built. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/hsml.h"

/* ---- names ---- */

/* "car.x" of the group "car[1..n]" and the name "x"; the name may be "". NULL: out of memory. */
static const char *bare_name(brink_hsml *model, const brink_group *group, const char *name) {
  brink_text text = {0};
  for (size_t k = 0; k < group->nsegments; k++)
    brink_text_add(&text, "%s%s", k > 0 ? "." : "", group->segment[k]);
  if (name[0] != '\0')
    brink_text_add(&text, "%s%s", group->nsegments > 0 && name[0] != '@' ? "." : "", name);
  const char *kept = text.data != NULL ? brink_arena_text(&model->built->arena, text.data) : "";
  brink_text_free(&text);
  return kept;
}

/* ---- one item ---- */

static bool kind_of(const brink_variable *variable, brink_hsml_kind *kind) {
  switch (variable->kind) {
  case BRINK_VARIABLE_STATE:
    *kind = BRINK_HSML_STATE;
    return true;
  case BRINK_VARIABLE_MODE:
    *kind = BRINK_HSML_MODE;
    return true;
  case BRINK_VARIABLE_PARAMETER:
    *kind = BRINK_HSML_PARAMETER;
    return true;
  case BRINK_VARIABLE_OUTPUT:
    *kind = BRINK_HSML_OUTPUT;
    return true;
  case BRINK_VARIABLE_INPUT:
    *kind = BRINK_HSML_INPUT;
    return true;
  case BRINK_VARIABLE_AUXILIARY:
    *kind = BRINK_HSML_VARIABLE;
    return true;
  case BRINK_VARIABLE_TIMER:
  case BRINK_VARIABLE_HIDDEN:
    break;
  }
  return false;
}

/* "tank.hsml:12:7" or "tank.hsml:12" in its parts. */
static void read_place(brink_hsml *model, const char *where, brink_hsml_item *item) {
  unsigned line = 0, column = 0;
  const char *colon = where != NULL ? strchr(where, ':') : NULL;
  if (colon == NULL) return;
  sscanf(colon, ":%u:%u", &line, &column);
  char *file = brink_arena_text(&model->built->arena, where);
  if (file != NULL) file[colon - where] = '\0';
  item->file = file;
  item->line = line;
  item->column = column;
}

static brink_hsml_item item_of_variable(brink_hsml *model, const brink_system *system, uint32_t v,
                                        brink_hsml_kind kind) {
  const brink_variable *variable = &system->variables[v];
  const brink_group *group = &system->groups[variable->group];
  brink_hsml_item item = {.kind = kind,
                          .name = bare_name(model, group, variable->name),
                          .component = group->class_name,
                          .count = group->count * variable->length,
                          .length = variable->length,
                          .type = (brink_hsml_type)variable->type,
                          .knob = variable->knob,
                          .signal = variable->signal,
                          .unit = variable->unit != NULL ? variable->unit : "",
                          .has_range = variable->has_range,
                          .lo = variable->lo,
                          .hi = variable->hi,
                          .nchoices = variable->nset,
                          .value = group->count > 0 ? brink_variable_held(variable, 0, system->x0,
                                                                          system->p0, system->mode0)
                                                    : (double)NAN,
                          .index = v};
  if (variable->type == BRINK_VALUE_STRING && item.value >= 0.0 &&
      item.value < (double)system->nstrings)
    item.text = system->strings[(size_t)item.value];
  read_place(model, variable->where, &item);
  return item;
}

static brink_hsml_item item_of_flag(brink_hsml *model, const brink_system *system, uint32_t f) {
  const brink_flag *flag = &system->flags[f];
  const brink_group *group = &system->groups[flag->group];
  brink_hsml_item item = {.kind = BRINK_HSML_FLAG,
                          .name = bare_name(model, group, flag->name),
                          .component = group->class_name,
                          .count = flag->count,
                          .length = flag->per_instance,
                          .type = BRINK_HSML_BOOLEAN,
                          .unit = "",
                          .value = (double)NAN,
                          .index = f};
  if (flag->is_pair) item.name = flag->name;
  read_place(model, flag->where, &item);
  return item;
}

static brink_hsml_item item_of_group(brink_hsml *model, const brink_system *system, uint32_t g) {
  const brink_group *group = &system->groups[g];
  return (brink_hsml_item){.kind = BRINK_HSML_COMPONENT,
                           .name = bare_name(model, group, ""),
                           .component = group->class_name,
                           .count = group->count,
                           .length = 1,
                           .unit = "",
                           .value = (double)NAN,
                           .index = g};
}

/* ---- lists ---- */

static bool is_listed(const brink_system *system, brink_hsml_kind wanted, uint32_t k) {
  brink_hsml_kind kind;
  if (wanted == BRINK_HSML_COMPONENT) return system->groups[k].class_name != NULL;
  if (wanted == BRINK_HSML_FLAG)
    return system->flags[k].kind == BRINK_FLAG_DECLARED ||
           system->flags[k].kind == BRINK_FLAG_TIMER;
  return kind_of(&system->variables[k], &kind) && kind == wanted;
}

static bool make_list(brink_hsml *model, brink_hsml_kind kind) {
  const brink_system *system = model->built->system;
  size_t all = kind == BRINK_HSML_COMPONENT ? system->ngroups
               : kind == BRINK_HSML_FLAG    ? system->nflags
                                            : system->nvariables;
  brink_hsml_item *items = brink_arena_take(&model->built->arena, all + 1, sizeof *items);
  size_t count = 0;
  for (uint32_t k = 0; items != NULL && k < all; k++) {
    if (!is_listed(system, kind, k)) continue;
    items[count++] = kind == BRINK_HSML_COMPONENT ? item_of_group(model, system, k)
                     : kind == BRINK_HSML_FLAG    ? item_of_flag(model, system, k)
                                                  : item_of_variable(model, system, k, kind);
  }
  model->items[kind] = items;
  model->nitems[kind] = count;
  return items != NULL;
}

size_t brink_hsml_items(brink_hsml *model, brink_hsml_kind kind, const brink_hsml_item **items) {
  if (items == NULL) return 0;
  *items = NULL;
  if (model == NULL || (unsigned)kind > BRINK_HSML_COMPONENT) return 0;
  if (brink_hsml_build(model, NULL) != BRINK_OK) return 0;
  if (model->listed != model->built) memset(model->items, 0, sizeof model->items);
  model->listed = model->built;
  if (model->items[kind] == NULL && !make_list(model, kind)) return 0;
  *items = model->items[kind];
  return model->nitems[kind];
}

size_t brink_hsml_element_name(const brink_hsml *model, const brink_hsml_item *item, size_t element,
                               char *name, size_t size) {
  const brink_system *system = model != NULL && model->built != NULL ? model->built->system : NULL;
  brink_text text = {0};
  if (name == NULL) size = 0;
  if (size > 0) name[0] = '\0';
  if (system == NULL || item == NULL || element >= item->count) return 0;
  uint32_t k = (uint32_t)item->index;
  if (item->kind == BRINK_HSML_COMPONENT)
    brink_system_instance_name(system, k, element, &text);
  else if (item->kind == BRINK_HSML_FLAG)
    brink_system_flag_name(system, k, element, &text);
  else
    brink_system_variable_name(system, k, element, &text);
  size_t length = text.length;
  if (size > 0 && text.data != NULL) snprintf(name, size, "%s", text.data);
  brink_text_free(&text);
  return length;
}

double brink_hsml_choice(const brink_hsml *model, const brink_hsml_item *item, size_t k,
                         const char **text) {
  const brink_system *system = model != NULL && model->built != NULL ? model->built->system : NULL;
  if (text != NULL) *text = NULL;
  if (system == NULL || item == NULL || item->kind > BRINK_HSML_VARIABLE || k >= item->nchoices)
    return (double)NAN;
  double value = system->variables[item->index].set[k];
  bool is_string = item->type == BRINK_HSML_STRING && value < (double)system->nstrings;
  if (text != NULL && is_string) *text = system->strings[(size_t)value];
  return value;
}
