/* flat_parameter.c: parameters, defaults of inputs, settings of the caller, initial values.
 *
 * Which value wins: a setting of the caller, then the outer component's initial or instance arguments, then the inner
 * one's own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lang/flat.h"

/* ---- settings of the caller ---- */

/* One segment of a path in a setting: name, name[index], name[row,column]. Returns what follows, NULL if it is malformed. */
static const char *read_segment(const char *text, const char **name, size_t *length, long *index,
                                long *column) {
  *name = text;
  *column = 0;
  *length = strcspn(text, ".[=");
  *index = 0;
  text += *length;
  if (*length == 0) return NULL;
  if (*text != '[') return text;
  char *end;
  *index = strtol(text + 1, &end, 10);
  if (*end == ',') {
    *column = strtol(end + 1, &end, 10);
    if (*column < 1) return NULL;
  }
  return *end == ']' && *index >= 1 ? end + 1 : NULL;
}

static bool same_name(const char *name, size_t length, const char *other) {
  return strlen(other) == length && memcmp(name, other, length) == 0;
}

/* Follows the groups from the top down to `group`: what is left of the path then; NULL: another one. A pair
 * block has no name of its own: it goes by the system's. */
static const char *match_groups(const flat_group *group, const char *text) {
  if (group->parent == NULL) return text;
  text = match_groups(group->parent, text);
  const char *name;
  size_t length;
  long index, column;
  if (text == NULL || group->symbol == NULL) return text;
  text = read_segment(text, &name, &length, &index, &column);
  if (text == NULL || *text != '.' || !same_name(name, length, group->symbol->name)) return NULL;
  if (index > 0 && group->dimension == 0) return NULL;
  if (index > (long)(group->dimension > 0 ? group->dimension : 1)) return NULL;
  return text + 1;
}

/* Is instance `instance` of `group` meant? The names are known to match. */
static bool instance_meant(const flat_group *group, const char *set, size_t instance) {
  if (group->parent == NULL || group->symbol == NULL) return true;
  size_t dimension = group->dimension > 0 ? group->dimension : 1;
  if (!instance_meant(group->parent, set, instance / dimension)) return false;
  const char *name, *text = set;
  size_t length;
  long index = 0, column;
  size_t depth = 0;
  for (const flat_group *g = group; g->parent != NULL; g = g->parent) depth++;
  for (size_t k = 0; k < depth; k++) {
    text = read_segment(text, &name, &length, &index, &column);
    text++;
  }
  return index == 0 || instance % dimension == (size_t)(index - 1);
}

/* The only instance that is meant; BRINK_NONE: there are several. */
static size_t only_instance(const flat_group *group, const char *set, const char **rest) {
  *rest = set;
  if (group->parent == NULL) return 0;
  size_t outer = only_instance(group->parent, set, rest);
  const char *name;
  size_t length;
  long index, column;
  if (outer == BRINK_NONE || group->symbol == NULL) return BRINK_NONE;
  *rest = read_segment(*rest, &name, &length, &index, &column) + 1;
  if (group->dimension == 0) return outer;
  return index == 0 ? BRINK_NONE : outer * group->dimension + (size_t)(index - 1);
}

/* The instances and elements of a variable that may be meant: from the first to before the end. */
typedef struct meant {
  size_t instance, instances, element, elements;
} meant;

static meant meant_by(const flat_variable *variable, const char *set, size_t element) {
  const char *rest;
  size_t only = only_instance(variable->group, set, &rest);
  meant m = {.instances = variable->group->count, .elements = variable->length};
  if (only != BRINK_NONE) m.instance = only, m.instances = only + 1;
  if (element != BRINK_NONE) m.element = element, m.elements = element + 1;
  return m;
}

/* Does the setting mean all components of the array that the variable is declared in? */
static bool names_all(const flat_group *group, const char *set) {
  if (group->dimension == 0 || group->symbol == NULL) return false;
  for (size_t k = 0; k < group->dimension; k++) {
    if (!instance_meant(group, set, k)) return false;
  }
  return true;
}

/* The value's text if this setting names the variable; *element: which one, BRINK_NONE: all. */
static const char *match_set(const flat_variable *variable, const char *set, size_t *element) {
  const char *text = match_groups(variable->group, set), *name;
  size_t length;
  long index, column;
  if (text == NULL) return NULL;
  const char *own = variable->symbol->name, *dot = strrchr(own, '.');
  if (dot != NULL) { /* a signal of a bundle: f.w */
    size_t port = (size_t)(dot + 1 - own);
    if (strncmp(text, own, port) != 0) return NULL;
    text += port;
    own += port;
  }
  text = read_segment(text, &name, &length, &index, &column);
  if (text == NULL || *text != '=' || !same_name(name, length, own)) return NULL;
  if ((column > 0) != (index > 0 && variable->columns > 0) || column > (long)variable->columns)
    return NULL;
  if (column > 0) index = (index - 1) * (long)variable->columns + column;
  if (index > 0 && (variable->symbol->size == NULL || index > (long)variable->length)) return NULL;
  *element = index > 0 ? (size_t)(index - 1) : BRINK_NONE;
  return text + 1;
}

/* A setting gives a value that is not allowed. Of a set of texts, the message lists all and the hint the nearest. */
static bool refuse(flat *f, const flat_variable *variable, size_t instance, const char *set) {
  const brink_ast_range *range = &variable->symbol->range;
  const char *near = NULL, *given = strchr(set, '='), *all = NULL;
  if (!range->is_set || variable->symbol->type != BRINK_TYPE_STRING || given == NULL)
    return flat_setting_error(f, BRINK_MSG_SETTING_OUT_OF_RANGE, BRINK_ORIGIN_SET, set, NULL,
                              "the value is outside the declared range, %s",
                              flat_range_text(f, variable, instance));
  for (size_t k = 0; k < range->nitems; k++) {
    const char *item = range->item[k]->text;
    if (range->item[k]->op != BRINK_AST_TEXT) continue;
    near = brink_nearest(given + 1, item, near);
    all = all != NULL ? brink_unit_format(f->unit, "%s, %s", all, item) : item;
  }
  return flat_setting_error(f, BRINK_MSG_SETTING_NOT_IN_SET, BRINK_ORIGIN_SET, set,
                            flat_did_you_mean(f, near), "it is one of %s", all != NULL ? all : "");
}

/* Rows of a table are compared with the ranges when all is known, each with its line (run/inputs.c). */
static bool may_hold(flat *f, const flat_variable *variable, size_t instance, double value,
                     const char *set) {
  return flat_in_range(f, variable, instance, value) || flat_is_of_table(f, set);
}

/* ---- parameters and defaults ---- */

/* Has a value the shape of what it is given to? */
static bool shape_fits(flat *f, const flat_point *point, const brink_ast_part *name,
                       const flat_selection *named, const brink_ast_expr *expr) {
  flat_shape given;
  size_t length = named->count[0] * named->count[1];
  if (!flat_bound_shape(f, point->group, expr, point->binding, &given)) return false;
  bool fits = given.rank == 2 ? given.rows == named->count[0] && given.columns == named->count[1]
                              : given.columns == length;
  if (fits) return true;
  if (given.rank == 2)
    flat_error(f, BRINK_MSG_MATRIX_SHAPES, expr->place, NULL, "'%s': %s %s %s", name->name,
               flat_shape_text(f, (flat_shape){2, named->count[0], named->count[1]}), "and",
               flat_shape_text(f, given));
  else
    flat_error(f, BRINK_MSG_LENGTH_MISMATCH, expr->place, NULL,
               "'%s' has %zu elements, but this has %zu", name->name, length, given.columns);
  return false;
}

/* Is the value of an argument a list with one value for each part of an array? */
static bool is_spread(const flat_variable *variable, const brink_ast_value *given,
                      bool from_parent) {
  const flat_group *group = variable->group;
  return from_parent && given->expr->vector && variable->symbol->size == NULL &&
         group->dimension > 0 && group->symbol->counter == NULL;
}

/* A matrix has the rows and columns of the other. */
static bool whole_shape_fits(flat *f, flat_variable *variable, const brink_ast_value *given,
                             bool from_parent) {
  flat_group *group = variable->group;
  flat_shape shape, of = flat_variable_shape(f, variable);
  if (!flat_bound_shape(f, from_parent ? group->parent : group, given->expr, NULL, &shape))
    return false;
  if (shape.rank == of.rank && shape.rows == of.rows) return true;
  flat_error(f, BRINK_MSG_MATRIX_SHAPES, given->expr->place, NULL, "'%s': %s %s %s",
             variable->symbol->name, flat_shape_text(f, of), "and", flat_shape_text(f, shape));
  return false;
}

/* A list has as many values as are needed: one for each element, or one for each part of an array. */
static bool list_fits(flat *f, flat_variable *variable, const brink_ast_value *given,
                      bool from_parent) {
  flat_group *group = variable->group;
  if (!given->expr->vector || given->index != NULL) return true;
  size_t length = flat_length(f, from_parent ? group->parent : group, given->expr);
  bool spread = is_spread(variable, given, from_parent);
  size_t needed = spread ? group->dimension : variable->length;
  if (length == 0) return false;
  if (length == needed) return spread || whole_shape_fits(f, variable, given, from_parent);
  if (spread)
    flat_error(f, BRINK_MSG_VALUES_OF_PARTS, given->expr->place, "one value for each part",
               "there are %zu of '%s', but %zu values of '%s'", needed, group->symbol->name, length,
               variable->symbol->name);
  else
    flat_error(f, BRINK_MSG_LENGTH_MISMATCH, given->expr->place, NULL,
               "'%s' has %zu elements, but this has %zu", variable->symbol->name, needed, length);
  return false;
}

static bool fill_element(flat *f, flat_variable *variable, const brink_ast_value *given,
                         flat_point point, size_t element, size_t k) {
  point.element = given->expr->vector ? k : BRINK_NONE;
  const flat_group *group = variable->group;
  bool spread = is_spread(variable, given, point.group != group);
  if (spread) point.element = (element / variable->length) % group->dimension; /* one for each */
  size_t assumptions = f->assumptions;
  double value;
  if (!flat_value(f, &point, given->expr, &value)) {
    f->failed = true;
    return false;
  }
  bool assumed = f->assumptions > assumptions;
  size_t instance = element / variable->length;
  variable->assumed = variable->assumed || assumed;
  if (!assumed && !flat_in_range(f, variable, instance, value)) {
    char buffer[BRINK_DOUBLE_TEXT];
    flat_error(f, BRINK_MSG_PARAMETER_OUT_OF_RANGE, given->expr->place,
               flat_range_hint(f, variable, instance), "'%s' = %s is outside its declared range",
               flat_name_of(f, variable), flat_value_text(f, variable, value, buffer));
    return false;
  }
  variable->values[element] = value;
  return true;
}

/* One `name : expr` for all instances. */
static bool fill(flat *f, flat_variable *variable, const brink_ast_value *given, bool from_parent,
                 char *filled) {
  flat_group *group = variable->group;
  size_t dimension = group->dimension > 0 ? group->dimension : 1;
  if (!list_fits(f, variable, given, from_parent)) {
    f->failed = true;
    return false;
  }
  for (size_t i = 0; i < group->count; i++) {
    flat_point point = {.group = from_parent ? group->parent : group,
                        .instance = from_parent ? i / dimension : i,
                        .element = BRINK_NONE};
    flat_binding counter = {.value = (double)(i % dimension + 1)};
    if (from_parent && group->symbol->counter != NULL) {
      counter.symbol = group->symbol->counter;
      point.binding = &counter;
    }
    flat_selection named;
    const char *name = variable->symbol->name;
    if (!flat_select(f, &point, given->index, name, flat_variable_shape(f, variable), &named))
      return false;
    brink_ast_part part = {.name = name};
    bool sliced = given->index != NULL && given->expr->vector;
    if (sliced && !shape_fits(f, &point, &part, &named, given->expr)) return false;
    for (size_t k = 0; k < named.count[0] * named.count[1]; k++) {
      size_t element = i * variable->length + flat_selected(&named, k);
      if (!fill_element(f, variable, given, point, element, k)) return false;
      filled[element] = 1;
    }
  }
  return true;
}

static bool fill_from_sets(flat *f, flat_variable *variable, char *filled) {
  flat_names names = flat_sets_of(f, variable);
  for (size_t s; flat_next_named(&names, &s);) {
    const char *set = f->sets[s];
    size_t k;
    const char *text = match_set(variable, set, &k);
    if (text == NULL) continue;
    flat_given given;
    if (!flat_read_set(f, variable, set, text, &given) ||
        !flat_list_fits(f, variable, set, k != BRINK_NONE, names_all(variable->group, set), &given))
      return false;
    meant m = meant_by(variable, set, k);
    for (size_t instance = m.instance; instance < m.instances; instance++) {
      if (!instance_meant(variable->group, set, instance)) continue;
      for (size_t element = m.element; element < m.elements; element++) {
        size_t e = instance * variable->length + element;
        double value = flat_given_value(variable, &given, e);
        if (!may_hold(f, variable, instance, value, set)) return refuse(f, variable, instance, set);
        variable->values[e] = value;
        filled[e] = 1;
      }
    }
  }
  return !f->failed;
}

/* Is a symbol set somewhere in a block? */
static bool sets_symbol(const brink_ast_block *block, const brink_symbol *symbol) {
  for (size_t k = 0; k < block->count; k++) {
    const brink_ast_statement *s = block->statement[k];
    if (s->kind == BRINK_STATEMENT_ASSIGN &&
        s->target->part[s->target->nparts - 1].symbol == symbol)
      return true;
    for (size_t b = 0; b < s->nblocks; b++) {
      if (sets_symbol(&s->block[b], symbol)) return true;
    }
  }
  return false;
}

static void run_block(flat *f, const flat_point *point, const brink_ast_block *block);

/* The value that statements of a component give to one parameter. */
static void fill_from_block(flat *f, flat_variable *variable, flat_group *group,
                            const brink_ast_block *block, char *filled) {
  if (!sets_symbol(block, variable->symbol)) return;
  flat_point first = {.group = group, .element = BRINK_NONE, .only = variable};
  bool around = f->foreseen;
  f->foreseen = false;
  f->foreseen = flat_foresee(f, &first, block, group->count, 1);
  for (size_t i = 0; i < group->count && !f->failed; i++) {
    flat_point point = {
        .group = group, .instance = i, .element = BRINK_NONE, .only = variable, .filled = filled};
    run_block(f, &point, block);
  }
  f->foreseen = around;
}

/* The initial sections of the components around it, the outermost last. */
static void fill_from_outer(flat *f, flat_variable *variable, char *filled) {
  for (flat_group *outer = variable->group->parent; outer != NULL; outer = outer->parent) {
    fill_from_block(f, variable, outer, &outer->component->section[BRINK_SECTION_INITIAL].body,
                    filled);
  }
}

/* By symbol, wherever it is in memory, then in order. */
static int by_symbol(const void *a, const void *b) {
  const brink_ast_value *one = *(const brink_ast_value *const *)a;
  const brink_ast_value *other = *(const brink_ast_value *const *)b;
  uintptr_t s = (uintptr_t)one->symbol, t = (uintptr_t)other->symbol;
  return s != t ? (s > t) - (s < t) : (one > other) - (one < other);
}

/* What the assignments of its own component give to a variable. */
static bool fill_from_own(flat *f, flat_variable *variable, const brink_ast_section *own,
                          char *filled) {
  flat_group *group = variable->group;
  if (own->nvalues == 0) return true;
  if (group->values == NULL) {
    group->values = brink_arena_pack(&f->scratch, own->nvalues, sizeof *group->values);
    if (group->values == NULL) {
      flat_out_of_memory(f);
      return false;
    }
    for (size_t k = 0; k < own->nvalues; k++) group->values[k] = &own->values[k];
    qsort(group->values, own->nvalues, sizeof *group->values, by_symbol);
  }
  size_t low = 0, high = own->nvalues;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if ((uintptr_t)group->values[middle]->symbol < (uintptr_t)variable->symbol)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < own->nvalues && group->values[low]->symbol == variable->symbol; low++) {
    if (!fill(f, variable, group->values[low], false, filled)) return false;
  }
  return true;
}

static bool fill_all(flat *f, flat_variable *variable, char *filled) {
  flat_group *group = variable->group;
  const brink_ast_section *own = group->component != NULL
                                     ? &group->component->section[BRINK_SECTION_ASSIGNMENTS]
                                     : &group->pair->assignments;
  if (!fill_from_own(f, variable, own, filled)) return false;
  fill_from_block(f, variable, group, &own->body, filled); /* loops */
  for (size_t k = 0; group->symbol != NULL && k < group->symbol->nvalues; k++) {
    if (group->symbol->values[k].symbol == variable->symbol &&
        !fill(f, variable, &group->symbol->values[k], true, filled))
      return false;
  }
  if (variable->symbol->kind == BRINK_SYMBOL_PARAMETER) fill_from_outer(f, variable, filled);
  return !f->failed && fill_from_sets(f, variable, filled);
}

/* A value that was meant for it may stand under a wrong name, or in a wrong place: which is reported. */
static bool is_excused(const flat *f, const flat_variable *variable) {
  const flat_group *group = variable->group;
  const char *name = brink_unit_format(f->unit, "'%s'", variable->symbol->name);
  for (size_t k = 0; k < f->unit->nitems; k++) {
    const brink_report_item *item = &f->unit->items[k];
    if (item->severity == BRINK_ERROR && strstr(item->message, name) != NULL) return true;
  }
  const brink_ast_section *own =
      group->component != NULL ? &group->component->section[BRINK_SECTION_ASSIGNMENTS] : NULL;
  for (size_t k = 0; own != NULL && k < own->nvalues; k++) {
    if (own->values[k].symbol == NULL) return true;
  }
  for (size_t k = 0; group->symbol != NULL && k < group->symbol->nvalues; k++) {
    if (group->symbol->values[k].symbol == NULL) return true;
  }
  return false;
}

/* An input of a part that is checked by itself: something will be connected to it some day. */
static bool is_left_open(const flat *f, const flat_variable *variable) {
  return f->options->library && variable->symbol->kind == BRINK_SYMBOL_INPUT &&
         variable->group == f->top && f->top->component->kind != BRINK_SYSTEM;
}

/* Some value that it may have. */
static void assume(flat *f, flat_variable *variable, size_t element) {
  const brink_ast_range *range = &variable->symbol->range;
  double value = 0.0, lo, hi;
  if (range->given && range->is_set && range->nitems > 0) {
    const brink_ast_expr *item = range->item[0];
    value = item->op == BRINK_AST_TEXT ? (double)flat_string(f, item->text) : item->number;
  } else if (variable->symbol->type == BRINK_TYPE_STRING) {
    value = (double)flat_string(f, "");
  } else if (range->given && flat_range_bounds(f, variable, element / variable->length, &lo, &hi)) {
    value = fmin(fmax(0.0, lo), hi);
  }
  variable->values[element] = value;
  variable->assumed = true;
}

static void report_no_value(flat *f, const flat_variable *variable) {
  const brink_symbol *symbol = variable->symbol;
  if (symbol->kind == BRINK_SYMBOL_INPUT)
    flat_error(f, BRINK_MSG_UNCONNECTED_INPUT, symbol->place,
               "connect it, or give it a default in assignments",
               "input '%s' is not connected and has no default", flat_name_of(f, variable));
  else
    flat_error(f, BRINK_MSG_NO_VALUE, symbol->place,
               "give it one in assignments, as an argument of the instance, or for this run",
               "parameter '%s' has no value", flat_name_of(f, variable));
}

enum { DEEPEST = 1000 }; /* parameters of parameters: each is a few calls inside each other */

bool flat_evaluate(flat *f, flat_variable *variable) {
  const brink_symbol *symbol = variable->symbol;
  if (variable->evaluation == 2) return variable->values != NULL;
  if (variable->evaluation == 1) {
    flat_error(f, BRINK_MSG_CIRCULAR_VALUE, symbol->place, NULL,
               "the value of '%s' depends on itself", symbol->name);
    return false;
  }
  if (f->evaluating > DEEPEST) {
    flat_error(f, BRINK_MSG_VALUES_TOO_DEEP, symbol->place, NULL,
               "values depend on each other more than %d deep", DEEPEST);
    return false;
  }
  variable->evaluation = 1;
  char *filled = NULL;
  if (flat_size(f, variable) > 0) {
    variable->values = flat_take(f, variable->count, sizeof(double));
    filled = brink_arena_pack(&f->scratch, variable->count, 1);
  }
  f->evaluating++;
  bool ok = variable->values != NULL && filled != NULL && fill_all(f, variable, filled);
  f->evaluating--;
  if (ok && f->structure && is_excused(f, variable)) ok = false;
  for (size_t e = 0; ok && e < variable->count; e++) {
    if (filled[e]) continue;
    if (is_left_open(f, variable)) {
      assume(f, variable, e);
      continue;
    }
    report_no_value(f, variable);
    ok = false;
  }
  variable->evaluation = 2;
  if (!ok) {
    variable->values = NULL;
    f->failed = true;
  }
  return ok;
}

/* ---- initial values ---- */

static void store(flat *f, flat_variable *variable, size_t element, double value,
                  brink_initial start) {
  size_t slot = variable->base + element;
  if (variable->space == BRINK_SPACE_X) {
    f->system->x0[slot] = value;
    f->system->start[slot] = (unsigned char)start;
  }
  if (variable->space == BRINK_SPACE_P) f->system->p0[slot] = value;
  if (variable->space == BRINK_SPACE_MODE) f->system->mode0[slot] = (int)value;
}

static bool holds_initial(const flat_variable *variable) {
  brink_symbol_kind kind = variable->symbol->kind;
  return kind == BRINK_SYMBOL_STATE || kind == BRINK_SYMBOL_MODE || variable->symbol->unknown;
}

/* Assigns target := expr at one point; paths without an index on an array of components mean all. */
static void assign(flat *f, const flat_point *point, const brink_ast_statement *s,
                   flat_group *group, size_t instance, size_t part) {
  const brink_ast_part *name = &s->target->part[part];
  if (name->symbol == NULL) return;
  if (part + 1 < s->target->nparts) {
    flat_group *child = flat_child(group, name->symbol);
    if (child == NULL) return; /* reported */
    size_t dimension = child->dimension > 0 ? child->dimension : 1;
    int64_t first = 1, last = (int64_t)dimension;
    if (name->index != NULL) {
      if (!flat_whole(f, point, name->index, name->name, 1, last, &first)) return;
      last = first;
    }
    for (int64_t k = first; k <= last && !f->failed; k++)
      assign(f, point, s, child, instance * dimension + (size_t)(k - 1), part + 1);
    return;
  }
  flat_variable *variable = flat_variable_of(group, name->symbol);
  if (variable == NULL ||
      (point->only != NULL ? variable != point->only : !holds_initial(variable)))
    return;
  flat_selection named;
  if (!flat_select(f, point, name->index, name->name, flat_variable_shape(f, variable), &named))
    return;
  size_t length = named.count[0] * named.count[1];
  if (s->expr->vector && !shape_fits(f, point, name, &named, s->expr)) return;
  variable->initialised = true;
  for (size_t k = 0; k < length; k++) {
    flat_point at = *point;
    at.element = s->expr->vector ? k : BRINK_NONE;
    size_t assumptions = f->assumptions;
    double value;
    if (!flat_value(f, &at, s->expr, &value)) {
      f->failed = true;
      return;
    }
    bool assumed = f->assumptions > assumptions;
    variable->assumed = variable->assumed || assumed;
    if (!assumed && !flat_in_range(f, variable, instance, value)) {
      char buffer[BRINK_DOUBLE_TEXT];
      flat_error(f, BRINK_MSG_INITIAL_OUT_OF_RANGE, s->expr->place,
                 flat_range_hint(f, variable, instance),
                 "the initial value %s of '%s' is outside its declared range",
                 flat_value_text(f, variable, value, buffer), flat_name_of(f, variable));
      return;
    }
    bool off = variable->symbol->timer && value == (double)INFINITY;
    if (!assumed && variable->symbol->type != BRINK_TYPE_STRING && !isfinite(value) && !off) {
      flat_error(f, BRINK_MSG_INITIAL_NOT_FINITE, s->expr->place, NULL,
                 "the initial value of '%s' is not a finite number", flat_name_of(f, variable));
      return;
    }
    size_t element = instance * variable->length + flat_selected(&named, k);
    if (point->only == NULL) {
      store(f, variable, element, value, s->guess ? BRINK_INITIAL_GUESS : BRINK_INITIAL_FIXED);
    } else {
      variable->values[element] = value;
      point->filled[element] = 1;
    }
  }
}

static void run_loop(flat *f, const flat_point *point, const brink_ast_statement *s) {
  int64_t lo, hi;
  if (!flat_bounds(f, point, s, &lo, &hi)) return;
  for (int64_t i = lo; i <= hi && !f->failed; i++) {
    if (!flat_spend(f, s->place, 1)) return;
    flat_binding binding = {.symbol = s->symbol, .value = (double)i, .outer = point->binding};
    flat_point inner = *point;
    inner.binding = &binding;
    run_block(f, &inner, &s->block[0]);
  }
}

static void run_if(flat *f, const flat_point *point, const brink_ast_statement *s) {
  for (size_t k = 0; k < s->nblocks; k++) {
    double yes = 1.0;
    if (k < s->nconditions && !flat_value(f, point, s->condition[k], &yes)) return;
    if (yes == 0.0) continue;
    run_block(f, point, &s->block[k]);
    return;
  }
}

/* let name = expr: the values of now. */
bool flat_bind_let(flat *f, const flat_point *point, const brink_ast_statement *s,
                   flat_binding *binding) {
  flat_shape shape;
  bool known = flat_bound_shape(f, point->group, s->expr, point->binding, &shape);
  size_t length = known ? shape.rows * shape.columns : 0;
  double *values = brink_arena_pack(&f->scratch, length, sizeof *values);
  if (values == NULL) flat_out_of_memory(f);
  if (values == NULL || length == 0) return false;
  for (size_t k = 0; k < length; k++) {
    flat_point at = *point;
    at.element = length > 1 ? k : BRINK_NONE;
    if (flat_value(f, &at, s->expr, &values[k])) continue;
    f->failed = true;
    return false;
  }
  *binding = (flat_binding){.symbol = s->symbol,
                            .values = values,
                            .length = length,
                            .shape = shape,
                            .outer = point->binding};
  return true;
}

/* The first value of a function's result. */
static bool give_elements(flat *f, const flat_point *point, const brink_ast_statement *s,
                          flat_binding *binding) {
  const brink_ast_part *part = &s->target->part[0];
  if (part->index != NULL) {
    flat_error(f, BRINK_MSG_LOCAL_WITHOUT_VALUE, part->place, "give it a value before, as a whole",
               "'%s' has no value yet", part->name);
    return false;
  }
  if (!flat_bound_shape(f, point->group, s->expr, point->binding, &binding->shape)) return false;
  binding->length = binding->shape.rows * binding->shape.columns;
  binding->values = brink_arena_take(&f->scratch, binding->length, sizeof *binding->values);
  if (binding->values == NULL) flat_out_of_memory(f);
  return binding->values != NULL && binding->length > 0;
}

/* name := expr of a let: its values change. */
bool flat_assign_value(flat *f, const flat_point *point, const brink_ast_statement *s) {
  const brink_ast_part *part = &s->target->part[0];
  const flat_binding *binding = point->binding;
  while (binding != NULL && binding->symbol != part->symbol) binding = binding->outer;
  if (binding == NULL) return false;
  if (binding->values == NULL && !give_elements(f, point, s, (flat_binding *)(uintptr_t)binding))
    return false;
  flat_selection named;
  flat_shape given;
  if (!flat_select(f, point, part->index, part->name, binding->shape, &named)) return false;
  if (!flat_bound_shape(f, point->group, s->expr, point->binding, &given)) return false;
  size_t count = named.count[0] * named.count[1], length = given.rows * given.columns;
  if (given.rank > 0 && length != count) {
    flat_error(f, BRINK_MSG_EQUATION_LENGTH, s->expr->place, NULL,
               "%zu elements are given for '%s', which has %zu", length, part->name, count);
    return false;
  }
  double few[16], *values = few; /* a loop comes here often */
  if (count > sizeof few / sizeof *few)
    values = brink_arena_pack(&f->scratch, count, sizeof *values);
  if (values == NULL) {
    flat_out_of_memory(f);
    return false;
  }
  for (size_t k = 0; k < count; k++) {
    flat_point at = *point;
    at.element = given.rank > 0 ? k : BRINK_NONE;
    if (!flat_value(f, &at, s->expr, &values[k])) return false;
  }
  for (size_t k = 0; k < count; k++) binding->values[flat_selected(&named, k)] = values[k];
  return true;
}

static void run_block(flat *f, const flat_point *outer, const brink_ast_block *block) {
  flat_point here = *outer, *point = &here;
  for (size_t k = 0; k < block->count && !f->failed; k++) {
    const brink_ast_statement *s = block->statement[k];
    const brink_symbol *first =
        s->kind == BRINK_STATEMENT_ASSIGN ? s->target->part[0].symbol : NULL;
    if (first != NULL && first->kind == BRINK_SYMBOL_LET) {
      if (!flat_assign_value(f, point, s)) f->failed = true;
    } else if (s->kind == BRINK_STATEMENT_ASSIGN) {
      assign(f, point, s, point->group, point->instance, 0);
    } else if (s->kind == BRINK_STATEMENT_FOR) {
      run_loop(f, point, s);
    } else if (s->kind == BRINK_STATEMENT_IF) {
      run_if(f, point, s);
    } else if (s->kind == BRINK_STATEMENT_LET) {
      flat_binding *binding = brink_arena_pack(&f->scratch, 1, sizeof *binding);
      if (binding == NULL) flat_out_of_memory(f);
      if (binding == NULL || !flat_bind_let(f, point, s, binding)) return;
      here.binding = binding;
    }
  }
}

/* The inner components first, so that the outer ones win. */
void flat_initial(flat *f, flat_group *group) {
  size_t count = group->component != NULL ? group->component->nsymbols : 0;
  for (size_t k = 0; k < count; k++) {
    if (group->children[k] != NULL) flat_initial(f, group->children[k]);
  }
  if (group->component == NULL) return;
  const brink_ast_section *section = &group->component->section[BRINK_SECTION_INITIAL];
  flat_point first = {.group = group, .element = BRINK_NONE, .initial = true};
  f->foreseen = flat_foresee(f, &first, &section->body, group->count, 1);
  for (size_t i = 0; i < group->count && !f->failed; i++) {
    flat_point point = {.group = group, .instance = i, .element = BRINK_NONE, .initial = true};
    run_block(f, &point, &section->body);
  }
  f->foreseen = false;
}

static bool is_settable(const flat *f, const flat_variable *variable) {
  brink_symbol_kind kind = variable->symbol->kind;
  return kind == BRINK_SYMBOL_PARAMETER || holds_initial(variable) ||
         (kind == BRINK_SYMBOL_INPUT && variable->group == f->top);
}

/* With templates, pairs come later, but setting a value in them is no error. */
static bool names_pair_parameter(const brink_component *system, const char *set) {
  const char *name;
  size_t length;
  long index, column;
  const char *rest = read_segment(set, &name, &length, &index, &column);
  if (rest == NULL || *rest != '=') return false;
  for (const brink_ast_pair *pair = system->pairs; pair != NULL; pair = pair->next) {
    for (const brink_symbol *s = pair->symbols; s != NULL; s = s->next) {
      if (s->kind == BRINK_SYMBOL_PARAMETER && same_name(name, length, s->name)) return true;
    }
  }
  return false;
}

/* Does this setting name something that exists? */
static bool known_set(flat *f, const char *set) {
  if (f->templates && names_pair_parameter(f->top->component, set)) return true;
  flat_names names = flat_variables_of(f, set);
  for (size_t k, element; flat_next_named(&names, &k);) {
    if (is_settable(f, f->variables[k]) && match_set(f->variables[k], set, &element) != NULL)
      return true;
  }
  return false;
}

/* The path of a setting without its indices: "car[3].x" is a car.x. */
static char *bare_path(flat *f, const char *set) {
  size_t length = strcspn(set, "="), used = 0;
  char *path = flat_take(f, length + 1, 1);
  bool inside = false;
  for (size_t k = 0; path != NULL && k < length; k++) {
    if (set[k] == '[') inside = true;
    if (!inside) path[used++] = set[k];
    if (set[k] == ']') inside = false;
  }
  return path;
}

/* What was meant: a name that is nearly this one, or one that only lacks where it is. */
static const char *nearest_path(flat *f, const char *set) {
  const char *best = NULL, *inner = NULL, *path = bare_path(f, set);
  if (path == NULL) return NULL;
  const char *dot = strrchr(path, '.'), *last = dot != NULL ? dot + 1 : path;
  for (size_t k = 0; k < f->nvariables && k < 10000; k++) {
    const flat_variable *variable = f->variables[k];
    if (!is_settable(f, variable)) continue;
    best = brink_nearest(path, flat_name_of(f, variable), best);
    if (inner == NULL && strcmp(variable->symbol->name, last) == 0)
      inner = flat_name_of(f, variable);
  }
  return best != NULL ? best : inner;
}

static void unknown_set(flat *f, const char *set) {
  if (strchr(set, '=') == NULL)
    flat_setting_error(f, BRINK_MSG_SETTING_WITHOUT_VALUE, BRINK_ORIGIN_SET, set, NULL,
                       "write PATH=VALUE");
  else
    flat_setting_error(f, BRINK_MSG_UNKNOWN_SETTING, BRINK_ORIGIN_SET, set,
                       flat_did_you_mean(f, nearest_path(f, set)),
                       "there is no such parameter, state or input");
}

/* One setting of one variable; false: refused. */
static bool apply_set(flat *f, flat_variable *variable, const char *set) {
  size_t element;
  const char *text = holds_initial(variable) ? match_set(variable, set, &element) : NULL;
  flat_given given;
  if (text == NULL || !flat_read_set(f, variable, set, text, &given) ||
      !flat_list_fits(f, variable, set, element != BRINK_NONE, names_all(variable->group, set),
                      &given))
    return true;
  variable->initialised = true;
  meant m = meant_by(variable, set, element);
  for (size_t instance = m.instance; instance < m.instances; instance++) {
    if (!instance_meant(variable->group, set, instance)) continue;
    for (size_t k = m.element; k < m.elements; k++) {
      size_t e = instance * variable->length + k;
      double value = flat_given_value(variable, &given, e);
      if (!may_hold(f, variable, instance, value, set)) return refuse(f, variable, instance, set);
      store(f, variable, e, value, BRINK_INITIAL_FIXED);
    }
  }
  return true;
}

void flat_apply_sets(flat *f) {
  for (size_t s = 0; s < f->nsets && !f->failed; s++) {
    const char *set = f->sets[s];
    if (!known_set(f, set)) {
      unknown_set(f, set);
      return;
    }
    flat_names names = flat_variables_of(f, set);
    for (size_t k; flat_next_named(&names, &k);) {
      if (!apply_set(f, f->variables[k], set)) return;
    }
  }
}
