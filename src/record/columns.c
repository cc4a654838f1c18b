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

static void choose(brink_columns *columns, const brink_variable_kind *kinds, size_t nkinds,
                   bool only_held) {
  const brink_system *system = columns->system;
  for (size_t k = 0; k < nkinds; k++) {
    for (size_t v = 0; v < system->nvariables; v++) {
      const brink_variable *variable = &system->variables[v];
      if (variable->kind != kinds[k] || (only_held && !is_held(variable->space))) continue;
      size_t count = system->groups[variable->group].count * variable->length;
      columns->tracked[columns->ntracked++] =
          (brink_tracked){.variable = (uint32_t)v, .first = columns->count, .count = count};
      columns->count += count;
      columns->computes = columns->computes || !is_held(variable->space);
    }
    if (kinds[k] == BRINK_VARIABLE_MODE) columns->nheld = columns->ntracked;
  }
}

static bool name_all(brink_columns *columns) {
  brink_text text = {.allocator = columns->arena.allocator};
  bool fine = true;
  for (size_t k = 0; k < columns->ntracked && fine; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    for (size_t e = 0; e < tracked->count && fine; e++) {
      text.length = 0;
      brink_system_variable_name(columns->system, tracked->variable, e, &text);
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
  brink_system_variable_name(columns->system, tracked->variable, element, room);
  return room->data != NULL ? room->data : "";
}

static brink_status init(brink_columns *columns, const brink_system *system,
                         const brink_variable_kind *kinds, size_t nkinds, bool only_held,
                         const brink_allocator *allocator) {
  *columns = (brink_columns){.system = system};
  brink_arena_init(&columns->arena, allocator);
  columns->tracked =
      brink_arena_take(&columns->arena, system->nvariables, sizeof *columns->tracked);
  if (columns->tracked == NULL) return BRINK_ERR_MEMORY;
  choose(columns, kinds, nkinds, only_held);
  if (columns->count <= NAMED && !brink_columns_names(columns)) {
    brink_columns_free(columns);
    return BRINK_ERR_MEMORY;
  }
  return BRINK_OK;
}

brink_status brink_columns_init(brink_columns *columns, const brink_system *system,
                                const brink_computed *computed, const brink_allocator *allocator) {
  brink_status status =
      init(columns, system, recorded, sizeof recorded / sizeof recorded[0], false, allocator);
  if (computed != NULL) columns->computed = *computed;
  return status;
}

brink_status brink_columns_init_given(brink_columns *columns, const brink_system *system,
                                      const brink_allocator *allocator) {
  return init(columns, system, given, sizeof given / sizeof given[0], true, allocator);
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
  const brink_variable *variable = &columns->system->variables[tracked->variable];
  size_t slot = variable->base + element;
  switch (variable->space) {
  case BRINK_SPACE_X:
    return moment->x[slot];
  case BRINK_SPACE_P:
    return moment->p[slot];
  case BRINK_SPACE_MODE:
    return moment->mode[slot];
  default:
    return columns->computed.value(tracked->variable, element, columns->computed.user);
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

static const brink_variable *labelled(const brink_system *system, uint32_t variable) {
  return &system->variables[variable];
}

size_t brink_labels(const brink_system *system, uint32_t variable) {
  const brink_variable *v = labelled(system, variable);
  if (v->type != BRINK_VALUE_STRING) return 0;
  return v->nset > 0 ? v->nset : system->nstrings;
}

const char *brink_label(const brink_system *system, uint32_t variable, size_t k) {
  const brink_variable *v = labelled(system, variable);
  size_t string = v->nset > 0 ? (size_t)v->set[k] : k;
  return string < system->nstrings ? system->strings[string] : "";
}

double brink_label_code(const brink_system *system, uint32_t variable, double value) {
  const brink_variable *v = labelled(system, variable);
  if (v->type != BRINK_VALUE_STRING) return value;
  for (size_t k = 0; k < v->nset; k++) {
    if (v->set[k] == value) return (double)k;
  }
  return v->nset > 0 ? -1.0 : value;
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
