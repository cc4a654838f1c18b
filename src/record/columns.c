/* columns.c: the quantities of a system that are recorded, with their names. */
#include "record/record.h"

#include <math.h>
#include <string.h>

static const brink_variable_kind recorded[] = {BRINK_VARIABLE_STATE, BRINK_VARIABLE_MODE,
                                               BRINK_VARIABLE_OUTPUT};
static const brink_variable_kind given[] = {BRINK_VARIABLE_PARAMETER, BRINK_VARIABLE_INPUT};

enum { NAMED = 1 << 17 }; /* of more columns, names are made one by one */

static bool is_held(brink_space space) {
  return space == BRINK_SPACE_X || space == BRINK_SPACE_P || space == BRINK_SPACE_MODE;
}

/* ---- what can be looked at ---- */

bool brink_variable_is_constant(const brink_system *system, uint32_t variable) {
  brink_variable_kind kind = system->variables[variable].kind;
  if (kind == BRINK_VARIABLE_PARAMETER) return true;
  if (kind != BRINK_VARIABLE_INPUT || !is_held(system->variables[variable].space)) return false;
  for (size_t k = 0; k < system->ndriven; k++) { /* held between the rows of a table */
    if (system->driven[k].variable == variable) return false;
  }
  return true;
}

size_t brink_columns_elements(const brink_system *system, brink_look look, uint32_t variable) {
  if (look == BRINK_LOOK_FLAG) return system->flags[variable].count;
  const brink_variable *as =
      look == BRINK_LOOK_ALIAS ? &system->aliases[variable].as : &system->variables[variable];
  return system->groups[as->group].count * as->length;
}

const char *brink_tracked_kind(const brink_tracked *tracked) {
  static const char *const names[] = {
      [BRINK_VARIABLE_STATE] = "state",         [BRINK_VARIABLE_MODE] = "mode",
      [BRINK_VARIABLE_PARAMETER] = "parameter", [BRINK_VARIABLE_OUTPUT] = "output",
      [BRINK_VARIABLE_INPUT] = "input",         [BRINK_VARIABLE_AUXILIARY] = "variable",
      [BRINK_VARIABLE_HIDDEN] = "hidden"};
  if (tracked->look == BRINK_LOOK_DERIVATIVE) return "derivative";
  return tracked->look == BRINK_LOOK_FLAG ? "flag" : names[tracked->as->kind];
}

/* What a column of it is like; NULL: out of memory. */
static const brink_variable *describe(brink_columns *columns, brink_look look, uint32_t variable) {
  const brink_system *system = columns->system;
  if (look == BRINK_LOOK_VARIABLE) return &system->variables[variable];
  if (look == BRINK_LOOK_ALIAS) return &system->aliases[variable].as;
  brink_variable *made = brink_arena_take(&columns->arena, 1, sizeof *made);
  if (made == NULL) return NULL;
  if (look == BRINK_LOOK_DERIVATIVE) {
    const brink_variable *state = &system->variables[variable];
    *made = (brink_variable){.name = state->name,
                             .group = state->group,
                             .kind = BRINK_VARIABLE_HIDDEN,
                             .space = BRINK_SPACE_DX,
                             .base = state->base,
                             .length = state->length,
                             .vector = state->vector,
                             .where = state->where};
    return made;
  }
  const brink_flag *flag = &system->flags[variable];
  bool formula = flag->value == NULL;
  *made = (brink_variable){.name = flag->name,
                           .group = flag->group,
                           .kind = BRINK_VARIABLE_HIDDEN,
                           .type = formula ? BRINK_VALUE_BOOLEAN : BRINK_VALUE_REAL,
                           .space = BRINK_SPACE_OUT,
                           .length = (uint32_t)flag->per_instance,
                           .where = flag->where};
  return made;
}

/* ---- the list ---- */

void brink_columns_begin(brink_columns *columns, const brink_system *system,
                         const brink_computed *computed, const brink_allocator *allocator) {
  *columns = (brink_columns){.system = system};
  brink_arena_init(&columns->arena, allocator);
  if (computed != NULL) columns->computed = *computed;
}

bool brink_columns_add(brink_columns *columns, brink_look look, uint32_t variable,
                       const uint32_t *elements, size_t count) {
  brink_tracked *tracked = brink_arena_push(&columns->arena, columns->tracked, columns->ntracked,
                                            columns->tracked_capacity);
  if (tracked == NULL) return false;
  *tracked = (brink_tracked){.look = look,
                             .variable = variable,
                             .as = describe(columns, look, variable),
                             .elements = elements,
                             .first = columns->count,
                             .count = count};
  if (tracked->as == NULL) return false;
  columns->count += count;
  columns->computes = columns->computes || !is_held(tracked->as->space);
  if (look == BRINK_LOOK_VARIABLE && brink_variable_is_constant(columns->system, variable))
    return true;
  columns->nvarying = columns->ntracked;
  columns->varying = columns->count;
  return true;
}

static bool choose(brink_columns *columns, const brink_variable_kind *kinds, size_t nkinds,
                   bool constants) {
  const brink_system *system = columns->system;
  for (size_t k = 0; k < nkinds; k++) {
    for (uint32_t v = 0; v < system->nvariables; v++) {
      const brink_variable *variable = &system->variables[v];
      if (variable->kind != kinds[k] || (constants && !brink_variable_is_constant(system, v)))
        continue;
      size_t count = brink_columns_elements(system, BRINK_LOOK_VARIABLE, v);
      if (!brink_columns_add(columns, BRINK_LOOK_VARIABLE, v, NULL, count)) return false;
    }
    if (kinds[k] == BRINK_VARIABLE_MODE) columns->nheld = columns->ntracked;
  }
  return true;
}

/* ---- names ---- */

void brink_look_name(const brink_system *system, brink_look look, uint32_t variable, size_t element,
                     brink_text *text) {
  if (look == BRINK_LOOK_FLAG)
    brink_system_flag_name(system, variable, element, text);
  else if (look == BRINK_LOOK_ALIAS)
    brink_variable_name(system, &system->aliases[variable].as, element, text);
  else
    brink_system_variable_name(system, variable, element, text);
  if (look == BRINK_LOOK_DERIVATIVE) brink_text_append(text, "'", 1);
}

static size_t element_of(const brink_tracked *tracked, size_t element) {
  return tracked->elements != NULL ? tracked->elements[element] : element;
}

static void add_name(const brink_columns *columns, const brink_tracked *tracked, size_t element,
                     brink_text *text) {
  brink_look_name(columns->system, tracked->look, tracked->variable, element_of(tracked, element),
                  text);
}

static bool name_all(brink_columns *columns) {
  brink_text text = {.allocator = columns->arena.allocator};
  bool fine = true;
  for (size_t k = 0; k < columns->ntracked && fine; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    for (size_t e = 0; e < tracked->count && fine; e++) {
      text.length = 0;
      add_name(columns, tracked, e, &text);
      char *name = text.data == NULL ? NULL : brink_arena_pack(&columns->arena, text.length + 1, 1);
      fine = name != NULL && !text.failed;
      if (fine) memcpy(name, text.data, text.length + 1);
      columns->name[tracked->first + e] = name;
    }
  }
  brink_text_free(&text);
  return fine;
}

bool brink_columns_names(brink_columns *columns) {
  if (columns->name != NULL) return true;
  columns->name = brink_arena_take(&columns->arena, columns->count, sizeof *columns->name);
  if (columns->name != NULL && name_all(columns)) return true;
  columns->name = NULL;
  return false;
}

const char *brink_columns_name(const brink_columns *columns, const brink_tracked *tracked,
                               size_t element, brink_text *room) {
  if (columns->name != NULL) return columns->name[tracked->first + element];
  room->length = 0;
  add_name(columns, tracked, element, room);
  return room->data != NULL ? room->data : "";
}

/* ---- usual lists ---- */

static brink_status init(brink_columns *columns, const brink_system *system,
                         const brink_variable_kind *kinds, size_t nkinds, bool constants,
                         const brink_computed *computed, const brink_allocator *allocator) {
  brink_columns_begin(columns, system, computed, allocator);
  bool fine = choose(columns, kinds, nkinds, constants) &&
              (columns->count > NAMED || brink_columns_names(columns));
  if (!fine) brink_columns_free(columns);
  return fine ? BRINK_OK : BRINK_ERR_MEMORY;
}

brink_status brink_columns_init(brink_columns *columns, const brink_system *system,
                                const brink_computed *computed, const brink_allocator *allocator) {
  return init(columns, system, recorded, sizeof recorded / sizeof recorded[0], false, computed,
              allocator);
}

brink_status brink_columns_init_given(brink_columns *columns, const brink_system *system,
                                      const brink_allocator *allocator) {
  return init(columns, system, given, sizeof given / sizeof given[0], true, NULL, allocator);
}

void brink_columns_free(brink_columns *columns) {
  brink_arena_free(&columns->arena);
  *columns = (brink_columns){0};
}

/* ---- values ---- */

void brink_columns_visit(const brink_columns *columns, const brink_moment *moment) {
  if (columns->computes) columns->computed.evaluate(moment, columns->computed.user);
}

double brink_columns_value(const brink_columns *columns, const brink_tracked *tracked,
                           size_t element, const brink_moment *moment) {
  size_t at = element_of(tracked, element);
  if (tracked->look == BRINK_LOOK_FLAG)
    return columns->computed.flag(tracked->variable, at, columns->computed.user);
  const uint32_t *slots =
      tracked->look == BRINK_LOOK_ALIAS ? columns->system->aliases[tracked->variable].slots : NULL;
  size_t slot = slots != NULL ? slots[at] : tracked->as->base + at;
  switch (tracked->as->space) {
  case BRINK_SPACE_X:
    return moment->x[slot];
  case BRINK_SPACE_P:
    return moment->p[slot];
  case BRINK_SPACE_MODE:
    return moment->mode[slot];
  default:
    return columns->computed.slot(tracked->as->space, slot, columns->computed.user);
  }
}

void brink_columns_values(const brink_columns *columns, const brink_moment *moment,
                          double *values) {
  for (size_t k = 0; k < columns->ntracked; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    for (size_t e = 0; e < tracked->count; e++)
      values[tracked->first + e] = brink_columns_value(columns, tracked, e, moment);
  }
}

void brink_value_text(const brink_system *system, brink_value_type type, double value,
                      brink_text *text) {
  char buffer[BRINK_DOUBLE_TEXT];
  if (type == BRINK_VALUE_STRING && value >= 0.0 && value < (double)system->nstrings) {
    const char *string = system->strings[(size_t)value];
    brink_text_append(text, string, strlen(string));
  } else if (type == BRINK_VALUE_BOOLEAN) {
    brink_text_append(text, value != 0.0 ? "true" : "false", value != 0.0 ? 4 : 5);
  } else if (type == BRINK_VALUE_INTEGER && fabs(value) < 0x1p53) {
    brink_text_add(text, "%.0f", value);
  } else {
    const char *number = isnan(value) ? "nan" : brink_double_text(value, buffer);
    brink_text_append(text, number, strlen(number));
  }
}

/* ---- strings as numbers ---- */

size_t brink_labels(const brink_system *system, const brink_variable *variable) {
  if (variable->type != BRINK_VALUE_STRING) return 0;
  return variable->nset > 0 ? variable->nset : system->nstrings;
}

const char *brink_label(const brink_system *system, const brink_variable *variable, size_t k) {
  size_t string = variable->nset > 0 ? (size_t)variable->set[k] : k;
  return string < system->nstrings ? system->strings[string] : "";
}

double brink_label_code(const brink_variable *variable, double value) {
  if (variable->type != BRINK_VALUE_STRING) return value;
  for (size_t k = 0; k < variable->nset; k++) {
    if (variable->set[k] == value) return (double)k;
  }
  return variable->nset > 0 ? -1.0 : value;
}

/* ---- belonging ---- */

void brink_bare_name(const char *name, brink_text *text) {
  text->length = 0;
  for (const char *c = name; *c != '\0'; c++) {
    if (*c == '[') c += strcspn(c, "]");
    if (*c == '\0') break;
    if (*c != ']') brink_text_append(text, c, 1);
  }
  brink_text_append(text, "", 0);
}

bool brink_variable_of(const brink_system *system, uint32_t variable, uint32_t group,
                       size_t instance, size_t *first, size_t *count) {
  const brink_variable *v = &system->variables[variable];
  const brink_group *whole = &system->groups[group], *part = &system->groups[v->group];
  if (part->nsegments < whole->nsegments) return false;
  for (size_t k = 0; k < whole->nsegments; k++) {
    if (strcmp(whole->segment[k], part->segment[k]) != 0) return false;
  }
  size_t inside = 1; /* instances of the part in one of the whole */
  for (size_t k = whole->nsegments; k < part->nsegments; k++) {
    if (part->dimension[k] > 0) inside *= part->dimension[k];
  }
  *count = inside * v->length;
  *first = instance * *count;
  return true;
}
