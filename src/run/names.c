/* names.c: values of a system by their full names: "h", "plant.h", "car[3].x", "row[2].cell[5].v[1]". */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "lang/ast.h"
#include "run/hsml.h"

/* A name is read from left to right. */
typedef struct cursor {
  const char *at;
} cursor;

/* The word `text`, and nothing that would go on with it. */
static bool take_word(cursor *c, const char *text) {
  size_t length = strlen(text);
  if (strncmp(c->at, text, length) != 0) return false;
  char next = c->at[length];
  if (isalnum((unsigned char)next) || next == '_') return false;
  c->at += length;
  return true;
}

/* "3" between these two characters as 2: from 0, and below `count`. */
static bool take_number(cursor *c, char before, char after, size_t count, size_t *index) {
  if (*c->at != before) return false;
  size_t number = 0;
  const char *p = c->at + 1;
  if (*p < '1' || *p > '9') return false;
  for (; *p >= '0' && *p <= '9'; p++) {
    if (number > count) return false;
    number = 10 * number + (size_t)(*p - '0');
  }
  if (*p != after || number > count) return false;
  *index = number - 1;
  c->at = p;
  return true;
}

/* "[3]" */
static bool take_index(cursor *c, size_t count, size_t *index) {
  if (!take_number(c, '[', ']', count, index)) return false;
  c->at++;
  return true;
}

/* "[2,3]": the number of the element, row by row. */
static bool take_indices(cursor *c, size_t rows, size_t columns, size_t *index) {
  size_t row, column;
  if (!take_number(c, '[', ',', rows, &row) || !take_number(c, ',', ']', columns, &column))
    return false;
  *index = row * columns + column;
  c->at++;
  return true;
}

/* The path of an instance of the group, with a point behind it; last index fastest. */
static bool take_path(cursor *c, const brink_group *group, size_t *instance) {
  *instance = 0;
  for (size_t k = 0; k < group->nsegments; k++) {
    size_t index = 0, dimension = group->dimension[k];
    if (!take_word(c, group->segment[k])) return false;
    if (dimension > 0 && !take_index(c, dimension, &index)) return false;
    *instance = *instance * (dimension > 0 ? dimension : 1) + index;
    if (*c->at++ != '.') return false;
  }
  return true;
}

static bool is_variable(const brink_system *system, const brink_variable *variable,
                        const char *name, size_t *element) {
  cursor c = {.at = name};
  size_t instance, index = 0;
  if (variable->kind == BRINK_VARIABLE_HIDDEN) return false;
  if (!take_path(&c, &system->groups[variable->group], &instance)) return false;
  if (!take_word(&c, variable->name)) return false;
  bool vector = variable->vector || variable->length > 1;
  if (variable->columns > 0) {
    if (!take_indices(&c, variable->length / variable->columns, variable->columns, &index))
      return false;
  } else if (vector && !take_index(&c, variable->length, &index)) {
    return false;
  }
  *element = instance * variable->length + index;
  return *c.at == '\0' && instance < system->groups[variable->group].count;
}

bool brink_system_find(const brink_system *system, const char *name, uint32_t *variable,
                       size_t *element) {
  for (uint32_t v = 0; v < system->nvariables; v++) {
    if (!is_variable(system, &system->variables[v], name, element)) continue;
    *variable = v;
    return true;
  }
  return false;
}

/* The variable that has a slot; hidden ones, too. */
static bool find_slot(const brink_system *system, brink_space space, size_t slot,
                      uint32_t *variable, size_t *element) {
  for (uint32_t v = 0; v < system->nvariables; v++) {
    const brink_variable *one = &system->variables[v];
    size_t count = system->groups[one->group].count * one->length;
    if (one->space != space || slot < one->base || slot - one->base >= count) continue;
    *variable = v;
    *element = slot - one->base;
    return true;
  }
  return false;
}

bool brink_system_find_input(const brink_system *system, const char *name, uint32_t *variable,
                             size_t *element) {
  for (size_t k = 0; k < system->naliases; k++) {
    const brink_alias *alias = &system->aliases[k];
    size_t at;
    if (!is_variable(system, &alias->as, name, &at)) continue;
    size_t slot = alias->slots != NULL ? alias->slots[at] : alias->as.base + at;
    return find_slot(system, alias->as.space, slot, variable, element);
  }
  return false;
}

const char *brink_system_nearest(const brink_system *system, const char *name, brink_text *room) {
  brink_text one = {0};
  const char *near = NULL;
  for (uint32_t v = 0; v < system->nvariables; v++) {
    const brink_variable *variable = &system->variables[v];
    if (variable->kind == BRINK_VARIABLE_HIDDEN) continue;
    one.length = 0;
    brink_system_variable_name(system, v, 0, &one);
    if (one.data == NULL || brink_nearest(name, one.data, near) != one.data) continue;
    room->length = 0;
    brink_text_append(room, one.data, one.length);
    near = room->data;
  }
  brink_text_free(&one);
  return near;
}

double brink_variable_held(const brink_variable *variable, size_t element, const double *x,
                           const double *p, const int *mode) {
  size_t slot = variable->base + element;
  switch (variable->space) {
  case BRINK_SPACE_X:
    return x[slot];
  case BRINK_SPACE_P:
    return p[slot];
  case BRINK_SPACE_MODE:
    return (double)mode[slot];
  default:
    return (double)NAN;
  }
}

bool brink_variable_allows(const brink_variable *variable, size_t element, double value) {
  size_t instance = element / variable->length;
  double lo = variable->bounds != NULL ? variable->bounds[2 * instance] : variable->lo;
  double hi = variable->bounds != NULL ? variable->bounds[2 * instance + 1] : variable->hi;
  if (variable->has_range && (value < lo || value > hi)) return false;
  for (size_t k = 0; k < variable->nset; k++) {
    if (variable->set[k] == value) return true;
  }
  return variable->nset == 0;
}

bool brink_system_string(const brink_system *system, const char *text, double *number) {
  for (size_t k = 0; k < system->nstrings; k++) {
    if (strcmp(system->strings[k], text) != 0) continue;
    *number = (double)k;
    return true;
  }
  return false;
}
