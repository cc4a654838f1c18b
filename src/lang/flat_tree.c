/* flat_tree.c: instances become groups, declarations get slots. */
#include <math.h>
#include <string.h>

#include "lang/flat.h"

/* ---- groups ---- */

/* The group's entry in the system: the parent's path and one more name. */
static bool describe_group(flat *f, flat_group *group) {
  brink_system *system = f->system;
  if (!brink_arena_reserve(f->arena, system->groups, system->ngroups, system->groups_capacity))
    return false;
  const brink_group *parent = group->parent != NULL ? &system->groups[group->parent->id] : NULL;
  size_t above = parent != NULL ? parent->nsegments : 0;
  size_t depth = parent != NULL && group->symbol != NULL ? above + 1 : above;
  brink_group made = {.nsegments = depth, .count = group->count};
  made.segment = brink_arena_pack(f->arena, depth, sizeof *made.segment);
  made.dimension = brink_arena_pack(f->arena, depth, sizeof *made.dimension);
  made.class_name =
      group->component != NULL ? brink_arena_text(f->arena, group->component->name) : "pair";
  if (made.segment == NULL || made.dimension == NULL || made.class_name == NULL) return false;
  if (above > 0) {
    memcpy(made.segment, parent->segment, above * sizeof *made.segment);
    memcpy(made.dimension, parent->dimension, above * sizeof *made.dimension);
  }
  if (depth > above) {
    made.segment[above] = brink_arena_text(f->arena, group->symbol->name);
    made.dimension[above] = (uint32_t)group->dimension;
    if (made.segment[above] == NULL) return false;
  }
  group->id = (uint32_t)system->ngroups;
  system->groups[system->ngroups++] = made;
  return true;
}

static size_t count_symbols(brink_symbol *symbols) {
  size_t count = 0;
  for (brink_symbol *s = symbols; s != NULL; s = s->next) {
    if (s->order + 1 > count) count = s->order + 1;
  }
  return count;
}

static bool add_variables(flat *f, flat_group *group, brink_symbol *symbols) {
  size_t count = count_symbols(symbols);
  if (group->component != NULL && group->component->nsymbols > count)
    count = group->component->nsymbols; /* those of pair blocks count, too */
  group->nvariables = count;
  group->variables = flat_take(f, count, sizeof *group->variables);
  group->children = flat_take(f, count, sizeof *group->children);
  if (group->variables == NULL || group->children == NULL) return false;
  for (brink_symbol *s = symbols; s != NULL; s = s->next) {
    flat_variable *variable = &group->variables[s->order];
    *variable = (flat_variable){.symbol = s,
                                .group = group,
                                .variable = BRINK_NO_INDEX,
                                .value_base = BRINK_NO_INDEX,
                                .flag = BRINK_NO_INDEX,
                                .number = f->nvariables};
    if (s->kind == BRINK_SYMBOL_INSTANCE) continue;
    if (!brink_arena_reserve(&f->scratch, f->variables, f->nvariables, f->variables_capacity)) {
      flat_out_of_memory(f);
      return false;
    }
    f->variables[f->nvariables++] = variable;
  }
  return true;
}

flat_group *flat_add_group(flat *f, flat_group *parent, brink_symbol *symbol, size_t dimension) {
  flat_group *group = flat_take(f, 1, sizeof *group);
  if (group == NULL) return NULL;
  group->parent = parent;
  group->symbol = symbol;
  group->dimension = dimension;
  group->draw_variable = BRINK_NO_INDEX;
  group->count = (parent != NULL ? parent->count : 1) * (dimension > 0 ? dimension : 1);
  if (symbol != NULL) group->component = symbol->class_;
  group->in_population = parent != NULL && parent->in_population;
  *f->groups_end = group;
  f->groups_end = &group->next;
  return group;
}

/* The group's streams of random draws, its entry in the system, its variables. */
bool flat_open_group(flat *f, flat_group *group, brink_symbol *symbols) {
  if (group->count > FLAT_LIMIT || f->instances + group->count > FLAT_LIMIT) {
    flat_error(f, BRINK_MSG_TOO_MANY_INSTANCES,
               group->symbol != NULL ? group->symbol->place : f->top->component->place, NULL,
               "the model has more than %zu instances", FLAT_LIMIT);
    return false;
  }
  group->stream = f->instances;
  f->instances += group->count;
  group->draws = flat_take(f, group->count, sizeof *group->draws);
  if (group->draws == NULL || !describe_group(f, group)) {
    flat_out_of_memory(f);
    return false;
  }
  return add_variables(f, group, symbols);
}

static bool is_population(const brink_component *component, const brink_symbol *symbol) {
  for (size_t k = 0; k < component->npopulations; k++) {
    if (component->populations[k].symbol == symbol) return true;
  }
  return false;
}

static void build(flat *f, flat_group *group, int depth) {
  brink_component *component = group->component;
  if (depth > 100) {
    flat_error(f, BRINK_MSG_COMPONENTS_TOO_DEEP, component->place, NULL,
               "components are nested more than 100 deep");
    return;
  }
  if (!flat_open_group(f, group, component->symbols)) return;
  if (group == f->top) flat_read_seed(f);
  if (group == f->top && !f->failed) flat_read_start(f);
  for (brink_symbol *s = component->symbols; s != NULL && !f->failed; s = s->next) {
    if (s->kind != BRINK_SYMBOL_INSTANCE || s->class_ == NULL) continue;
    int64_t size = 0;
    flat_point point = {.group = group, .element = BRINK_NONE};
    if (s->size != NULL &&
        !flat_whole(f, &point, s->size, s->name, 1, (int64_t)FLAT_LIMIT, &size)) {
      f->failed = true;
      return;
    }
    flat_group *child = flat_add_group(f, group, s, (size_t)size);
    if (child == NULL) return;
    child->in_population = child->in_population || is_population(component, s);
    group->children[s->order] = child;
    build(f, child, depth + 1);
  }
  if (!f->failed) flat_add_pairs(f, group);
}

flat_group *flat_build_tree(flat *f, brink_component *top) {
  flat_group *group = flat_add_group(f, NULL, NULL, 0);
  if (group == NULL) return NULL;
  group->component = top;
  f->top = group;
  build(f, group, 0);
  return group;
}

/* ---- finding things ---- */

flat_variable *flat_variable_of(flat_group *group, const brink_symbol *symbol) {
  if (symbol == NULL) return NULL;
  for (; group != NULL; group = group->pair != NULL ? group->parent : NULL) { /* pairs see both */
    if (symbol->order < group->nvariables && group->variables[symbol->order].symbol == symbol)
      return &group->variables[symbol->order];
  }
  return NULL;
}

flat_group *flat_child(const flat_group *group, const brink_symbol *symbol) {
  bool own = symbol != NULL && symbol->kind == BRINK_SYMBOL_INSTANCE &&
             symbol->order < group->nvariables && group->variables[symbol->order].symbol == symbol;
  return own ? group->children[symbol->order] : NULL;
}

flat_variable *flat_find(flat *f, flat_group *group, const brink_ast_expr *name) {
  (void)f;
  for (size_t k = 0; k + 1 < name->nparts; k++) {
    const brink_symbol *symbol = name->part[k].symbol;
    if (symbol == NULL) return NULL;
    if (symbol->kind == BRINK_SYMBOL_PARTNER) {
      group = group->partner_group[symbol == group->pair->partner[0] ? 0 : 1];
    } else {
      group = flat_child(group, symbol);
    }
    if (group == NULL) return NULL;
  }
  return flat_variable_of(group, name->part[name->nparts - 1].symbol);
}

static void number_instance(flat *f, flat_group *group, brink_symbol *symbols, size_t instance) {
  for (brink_symbol *s = symbols; s != NULL && !f->failed; s = s->next) {
    flat_group *child = flat_child(group, s);
    flat_variable *variable = &group->variables[s->order];
    if (s->kind == BRINK_SYMBOL_FLAG) {
      if (variable->slots == NULL)
        variable->slots = flat_take(f, variable->count, sizeof *variable->slots);
      if (variable->slots == NULL) return;
      variable->space = BRINK_SPACE_SIGN;
      for (size_t k = 0; k < variable->length; k++)
        variable->slots[instance * variable->length + k] = (uint32_t)f->system->nguards++;
    }
    if (s->timer && variable->guards == NULL)
      variable->guards = flat_take(f, variable->count, sizeof *variable->guards);
    for (size_t k = 0; variable->guards != NULL && k < variable->length; k++)
      variable->guards[instance * variable->length + k] = (uint32_t)f->system->nguards++;
    size_t dimension = child != NULL && child->dimension > 0 ? child->dimension : 1;
    for (size_t k = 0; child != NULL && k < dimension; k++)
      number_instance(f, child, child->component->symbols, instance * dimension + k);
  }
}

void flat_number_flags(flat *f, flat_group *group) {
  brink_symbol *symbols = group->pair != NULL ? group->pair->symbols : group->component->symbols;
  for (size_t i = 0; i < group->count && !f->failed; i++) number_instance(f, group, symbols, i);
}

/* ---- sizes ---- */

/* Whoever asks, something is made with what the size reads. */
static bool read_size(flat *f, const flat_point *point, const brink_ast_expr *expr,
                      const char *name, int64_t *size) {
  size_t evaluating = f->evaluating;
  f->evaluating = 0;
  bool ok = flat_whole(f, point, expr, name, 1, (int64_t)FLAT_LIMIT, size);
  f->evaluating = evaluating;
  return ok;
}

uint32_t flat_size(flat *f, flat_variable *variable) {
  if (variable->sized) return variable->length;
  const brink_symbol *symbol = variable->symbol;
  int64_t size = 1;
  if (symbol->size != NULL) {
    size_t distinct = symbol->size->op == BRINK_AST_NUMBER ? 1 : variable->group->count;
    for (size_t i = 0; i < distinct; i++) {
      flat_point point = {.group = variable->group, .instance = i, .element = BRINK_NONE};
      int64_t other, rows = 1, wide = 0;
      bool ok = read_size(f, &point, symbol->size, symbol->name, &other);
      if (ok && symbol->columns != NULL)
        ok = read_size(f, &point, symbol->rows, symbol->name, &rows) &&
             read_size(f, &point, symbol->columns, symbol->name, &wide);
      if (!ok) {
        f->failed = true;
        return 0;
      }
      if (i > 0 && (other != size || (uint32_t)wide != variable->columns)) {
        flat_error(f, BRINK_MSG_SIZES_DIFFER, symbol->place,
                   "instances of one array share their equations",
                   "the size of '%s' differs between the instances of an array", symbol->name);
        return 0;
      }
      size = other;
      variable->columns = (uint32_t)wide;
    }
  }
  if ((size_t)size * variable->group->count > FLAT_LIMIT) {
    flat_error(f, BRINK_MSG_TOO_MANY_ELEMENTS, symbol->place, NULL,
               "'%s' has more than %zu elements", symbol->name, FLAT_LIMIT);
    return 0;
  }
  variable->length = (uint32_t)size;
  variable->count = variable->group->count * (size_t)size;
  variable->sized = true;
  return variable->length;
}

/* ---- slots ---- */

static bool grow_doubles(flat *f, double **values, size_t used, size_t more, size_t *capacity) {
  if (used + more <= *capacity) return true;
  size_t larger = 2 * *capacity > used + more ? 2 * *capacity : used + more;
  double *moved = flat_take(f, larger, sizeof *moved);
  if (moved == NULL) return false;
  if (used > 0) memcpy(moved, *values, used * sizeof *moved);
  *values = moved;
  *capacity = larger;
  return true;
}

static bool grow_modes(flat *f, size_t more) {
  brink_system *system = f->system;
  if (system->nmodes + more <= f->mode_capacity) return true;
  size_t larger =
      2 * f->mode_capacity > system->nmodes + more ? 2 * f->mode_capacity : system->nmodes + more;
  int *moved = flat_take(f, larger, sizeof *moved);
  if (moved == NULL) return false;
  if (system->nmodes > 0) memcpy(moved, system->mode0, system->nmodes * sizeof *moved);
  system->mode0 = moved;
  f->mode_capacity = larger;
  return true;
}

static bool grow_starts(flat *f, size_t more) {
  brink_system *system = f->system;
  if (system->nx + more <= f->start_capacity) return true;
  size_t larger =
      2 * f->start_capacity > system->nx + more ? 2 * f->start_capacity : system->nx + more;
  unsigned char *moved = flat_take(f, larger, sizeof *moved);
  if (moved == NULL) return false;
  if (system->nx > 0) memcpy(moved, system->start, system->nx);
  system->start = moved;
  f->start_capacity = larger;
  return true;
}

bool flat_room(flat *f, brink_space space, size_t count, uint32_t *base) {
  brink_system *system = f->system;
  size_t *used = space == BRINK_SPACE_X      ? &system->nx
                 : space == BRINK_SPACE_P    ? &system->np
                 : space == BRINK_SPACE_MODE ? &system->nmodes
                 : space == BRINK_SPACE_K    ? &system->nk
                                             : &system->nv;
  if (*used + count > UINT32_MAX / 4) {
    flat_out_of_memory(f);
    return false;
  }
  bool ok = true;
  if (space == BRINK_SPACE_X)
    ok = grow_starts(f, count) && grow_doubles(f, &system->x0, *used, count, &f->x_capacity);
  if (space == BRINK_SPACE_P) ok = grow_doubles(f, &system->p0, *used, count, &f->p_capacity);
  if (space == BRINK_SPACE_K) ok = grow_doubles(f, &system->k, *used, count, &system->k_capacity);
  if (space == BRINK_SPACE_MODE) ok = grow_modes(f, count);
  if (!ok) return false;
  *base = (uint32_t)*used;
  *used += count;
  return true;
}

static brink_value_type value_type(brink_type type) {
  switch (type) {
  case BRINK_TYPE_INTEGER:
    return BRINK_VALUE_INTEGER;
  case BRINK_TYPE_BOOLEAN:
    return BRINK_VALUE_BOOLEAN;
  case BRINK_TYPE_STRING:
    return BRINK_VALUE_STRING;
  default:
    return BRINK_VALUE_REAL;
  }
}

/* The declared range as numbers; bounds may depend on parameters. */
static void describe_range(flat *f, flat_variable *variable, brink_variable *made) {
  const brink_ast_range *range = &variable->symbol->range;
  if (!range->given) return;
  if (range->is_set) {
    double *set = flat_take(f, range->nitems, sizeof *set);
    for (size_t k = 0; set != NULL && k < range->nitems; k++) {
      const brink_ast_expr *item = range->item[k];
      set[k] = item->op == BRINK_AST_TEXT ? (double)flat_string(f, item->text) : item->number;
    }
    made->set = set;
    made->nset = set != NULL ? range->nitems : 0;
    return;
  }
  made->has_range = flat_range_bounds(f, variable, 0, &made->lo, &made->hi);
  size_t count = variable->group->count;
  if (!made->has_range || count == 1 || (range->lo->constant && range->hi->constant)) return;
  double *bounds = flat_take(f, 2 * count, sizeof *bounds);
  if (bounds == NULL) return;
  for (size_t i = 0; i < count; i++) {
    if (!flat_range_bounds(f, variable, i, &bounds[2 * i], &bounds[2 * i + 1])) return;
  }
  made->bounds = bounds;
}

/* A declaration as the results know it. */
static brink_variable describe(flat *f, flat_variable *variable, brink_variable_kind kind) {
  const brink_symbol *symbol = variable->symbol;
  brink_variable made = {.name = brink_arena_text(f->arena, symbol->name),
                         .group = variable->group->id,
                         .kind = kind,
                         .type = value_type(symbol->type),
                         .space = variable->space,
                         .base = variable->base,
                         .length = variable->length,
                         .vector = symbol->size != NULL,
                         .columns = variable->columns,
                         .knob = symbol->knob,
                         .signal = symbol->type == BRINK_TYPE_SIGNAL,
                         .unknown = symbol->unknown && kind == BRINK_VARIABLE_STATE,
                         .where = flat_where(f, symbol->place),
                         .place = symbol->place};
  if (symbol->unit != NULL) made.unit = brink_arena_text(f->arena, symbol->unit);
  if (made.name == NULL || (symbol->unit != NULL && made.unit == NULL)) flat_out_of_memory(f);
  return made;
}

bool flat_add_variable(flat *f, flat_variable *variable, brink_variable_kind kind) {
  brink_system *system = f->system;
  brink_variable made = describe(f, variable, kind);
  describe_range(f, variable, &made);
  if (made.type == BRINK_VALUE_INTEGER && !made.has_range && made.set == NULL) {
    made.has_range = true;
    made.lo = -FLAT_WHOLE;
    made.hi = FLAT_WHOLE;
  }
  if (made.name == NULL || !brink_arena_reserve(f->arena, system->variables, system->nvariables,
                                                system->variables_capacity)) {
    flat_out_of_memory(f);
    return false;
  }
  variable->variable = (uint32_t)system->nvariables;
  system->variables[system->nvariables++] = made;
  return true;
}

void flat_add_alias(flat *f, flat_variable *variable) {
  brink_system *system = f->system;
  brink_variable as = describe(f, variable, BRINK_VARIABLE_INPUT);
  if (f->failed) return;
  brink_alias *made = flat_push(f, system->aliases, system->naliases, system->aliases_capacity);
  if (made != NULL) *made = (brink_alias){.as = as, .slots = variable->slots};
}

uint32_t flat_hidden(flat *f, flat_group *group, const char *name, brink_space space, size_t count,
                     double value) {
  uint32_t base;
  if (!flat_room(f, space, count, &base)) return BRINK_NO_INDEX;
  for (size_t k = 0; k < count; k++) {
    if (space == BRINK_SPACE_P) f->system->p0[base + k] = value;
    if (space == BRINK_SPACE_MODE) f->system->mode0[base + k] = (int)value;
  }
  brink_system *system = f->system;
  if (!brink_arena_reserve(f->arena, system->variables, system->nvariables,
                           system->variables_capacity)) {
    flat_out_of_memory(f);
    return BRINK_NO_INDEX;
  }
  size_t instances = group->count > 0 ? group->count : 1;
  system->variables[system->nvariables++] =
      (brink_variable){.name = name,
                       .group = group->id,
                       .kind = BRINK_VARIABLE_HIDDEN,
                       .space = space,
                       .base = base,
                       .length = (uint32_t)(count % instances == 0 ? count / instances : count),
                       .where = ""};
  return base;
}

static brink_space held_space(brink_type type) {
  return type == BRINK_TYPE_BOOLEAN || type == BRINK_TYPE_STRING ? BRINK_SPACE_MODE : BRINK_SPACE_P;
}

/* Where a symbol lives, and as what the results show it. False: in no memory of its own. */
static bool place_of(const flat_variable *variable, brink_space *space, brink_variable_kind *kind) {
  const brink_symbol *symbol = variable->symbol;
  const brink_component *component = variable->group->component;
  brink_component_kind of = component != NULL ? component->kind : BRINK_CTC;
  bool continuous = of == BRINK_CTC;
  *space = held_space(symbol->type);
  switch (symbol->kind) {
  case BRINK_SYMBOL_PARAMETER:
    *kind = BRINK_VARIABLE_PARAMETER;
    return true;
  case BRINK_SYMBOL_MODE:
    *kind = BRINK_VARIABLE_MODE;
    return true;
  case BRINK_SYMBOL_STATE:
    *kind = symbol->timer ? BRINK_VARIABLE_TIMER : BRINK_VARIABLE_STATE;
    if (symbol->timer || symbol->held) return true;
    if (continuous && *space == BRINK_SPACE_P && symbol->type != BRINK_TYPE_INTEGER)
      *space = BRINK_SPACE_X;
    return true;
  case BRINK_SYMBOL_VARIABLE:
    *kind = symbol->unknown ? BRINK_VARIABLE_STATE : BRINK_VARIABLE_AUXILIARY;
    if (of != BRINK_DTC) *space = symbol->unknown ? BRINK_SPACE_X : BRINK_SPACE_V;
    return true;
  case BRINK_SYMBOL_OUTPUT:
    *kind = BRINK_VARIABLE_OUTPUT;
    if (of != BRINK_DTC) *space = BRINK_SPACE_V;
    return (of != BRINK_COMPOSITE && of != BRINK_SYSTEM) || symbol->by_equation;
  case BRINK_SYMBOL_INPUT:
    *kind = BRINK_VARIABLE_INPUT;
    return variable->takes_default;
  default:
    return false;
  }
}

/* A number starts at 0 or at the bound nearest to it, a mode at its first value. */
static double default_start(flat *f, const flat_variable *variable) {
  const brink_variable *made = &f->system->variables[variable->variable];
  if (made->kind == BRINK_VARIABLE_TIMER) return (double)INFINITY;
  double nearest = made->nset > 0 ? made->set[0] : 0.0;
  for (size_t k = 1; k < made->nset && made->type != BRINK_VALUE_STRING; k++) {
    if (fabs(made->set[k]) < fabs(nearest)) nearest = made->set[k];
  }
  if (made->nset > 0) return nearest;
  if (!made->has_range) return 0.0;
  return made->lo > 0.0 ? made->lo : made->hi < 0.0 ? made->hi : 0.0;
}

static void start_values(flat *f, flat_variable *variable) {
  brink_symbol_kind kind = variable->symbol->kind;
  bool given = kind == BRINK_SYMBOL_PARAMETER || kind == BRINK_SYMBOL_INPUT;
  if (variable->space == BRINK_SPACE_V) return;
  if (given && !flat_evaluate(f, variable)) return;
  double start = given ? 0.0 : default_start(f, variable);
  for (size_t e = 0; e < variable->count; e++) {
    double value = given ? variable->values[e] : start;
    size_t slot = variable->base + e;
    if (variable->space == BRINK_SPACE_X) f->system->x0[slot] = value;
    if (variable->space == BRINK_SPACE_P) f->system->p0[slot] = value;
    if (variable->space == BRINK_SPACE_MODE) f->system->mode0[slot] = (int)value;
  }
}

/* A parameter that is infinite is fine in bounds, but not as a number that equations read. */
static void allocate(flat *f, flat_variable *variable) {
  brink_variable_kind kind;
  if (variable->symbol->kind == BRINK_SYMBOL_QUEUE) {
    flat_allocate_queue(f, variable);
    return;
  }
  if (flat_size(f, variable) == 0 || !place_of(variable, &variable->space, &kind)) return;
  if (flat_is_ramp(f, variable)) variable->space = BRINK_SPACE_V;
  if (!flat_room(f, variable->space, variable->count, &variable->base) ||
      !flat_add_variable(f, variable, kind))
    return;
  if (variable->symbol->unknown) f->system->nz += variable->count;
  const brink_component *component = variable->group->component;
  variable->sampled = component != NULL && component->kind == BRINK_DTC &&
                      (kind == BRINK_VARIABLE_OUTPUT || kind == BRINK_VARIABLE_AUXILIARY);
  if (variable->sampled) {
    variable->now_base =
        flat_hidden(f, variable->group, f->system->variables[variable->variable].name,
                    BRINK_SPACE_V, variable->count, 0.0);
    if (variable->now_base == BRINK_NO_INDEX) return;
  }
  start_values(f, variable);
}

/* Unknowns are the last in X. */
void flat_allocate(flat *f, size_t first) {
  for (int unknowns = 0; unknowns < 2; unknowns++) {
    for (size_t k = first; k < f->nvariables && !f->failed; k++) {
      if (f->variables[k]->symbol->unknown != (unknowns == 1)) continue;
      allocate(f, f->variables[k]);
      flat_next(f);
    }
  }
}
