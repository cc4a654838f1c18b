/* flat_connect.c: inputs find their sources, through as many composites as lie between. */
#include <stdlib.h>
#include <string.h>

#include "lang/flat.h"

/* ---- the ends of a connection, as lists of elements ---- */

static bool add_end(flat *f, int side, const flat_variable *variable, size_t element) {
  if (f->nends[side] == f->ends_capacity[side]) {
    size_t larger = f->ends_capacity[side] < 64 ? 64 : 2 * f->ends_capacity[side];
    uint64_t *moved = brink_arena_pack(&f->scratch, larger, sizeof *moved);
    if (moved == NULL) {
      flat_out_of_memory(f);
      return false;
    }
    if (f->nends[side] > 0) memcpy(moved, f->ends[side], f->nends[side] * sizeof *moved);
    f->ends[side] = moved;
    f->ends_capacity[side] = larger;
  }
  f->ends[side][f->nends[side]++] = (uint64_t)variable->number << 32 | (uint64_t)element;
  return true;
}

static bool list_elements(flat *f, const flat_point *point, const brink_ast_part *part, int side,
                          flat_variable *variable, size_t instance) {
  uint32_t length = variable != NULL ? flat_size(f, variable) : 0;
  flat_selection named;
  if (length == 0) return false;
  if (!flat_select(f, point, part->index, part->name, flat_variable_shape(f, variable), &named))
    return false;
  for (size_t k = 0; k < named.count[0] * named.count[1]; k++) {
    if (!add_end(f, side, variable, instance * length + flat_selected(&named, k))) return false;
  }
  return true;
}

/* What is left of a path from part `at` on, seen from one instance of a group. */
static bool list_below(flat *f, const flat_point *point, const brink_ast_expr *name, size_t at,
                       int side, flat_group *group, size_t instance) {
  const brink_ast_part *part = &name->part[at];
  if (at + 1 == name->nparts)
    return list_elements(f, point, part, side, flat_variable_of(group, part->symbol), instance);
  flat_group *child = flat_child(group, part->symbol);
  if (child == NULL) return false;
  size_t dimension = child->dimension > 0 ? child->dimension : 1;
  int64_t from = 1, to = (int64_t)dimension;
  if (part->index != NULL) {
    if (!flat_whole(f, point, part->index, part->name, 1, to, &from)) return false;
    to = from;
  }
  for (int64_t k = from; k <= to; k++) {
    size_t inner = instance * dimension + (size_t)(k - 1);
    if (!list_below(f, point, name, at + 1, side, child, inner)) return false;
  }
  return true;
}

/* a.y, a[i].y, a.y[2], or a name of the composite's own interface; an array without index: all. */
static flat_variable *list_end(flat *f, const flat_point *point, const brink_ast_expr *name,
                               int side) {
  f->nends[side] = 0;
  flat_variable *variable = flat_find(f, point->group, name);
  bool ok = variable != NULL && list_below(f, point, name, 0, side, point->group, point->instance);
  return ok ? variable : NULL;
}

/* ---- one connection ---- */

/* A range that the target does not accept, both being known. */
static void check_ranges(flat *f, brink_place place, flat_variable *from, flat_variable *to) {
  const brink_ast_range *a = &from->symbol->range, *b = &to->symbol->range;
  if (!a->given || !b->given || a->is_set || b->is_set) return;
  flat_point at_a = {.group = from->group, .element = BRINK_NONE};
  flat_point at_b = {.group = to->group, .element = BRINK_NONE};
  double range[4];
  if (!flat_value(f, &at_a, a->lo, &range[0]) || !flat_value(f, &at_a, a->hi, &range[1]) ||
      !flat_value(f, &at_b, b->lo, &range[2]) || !flat_value(f, &at_b, b->hi, &range[3]))
    return;
  if (range[0] >= range[2] && range[1] <= range[3]) return;
  char text[4][BRINK_DOUBLE_TEXT];
  for (int k = 0; k < 4; k++) brink_double_text(range[k], text[k]);
  flat_error(f, BRINK_MSG_RANGE_THROUGH_CONNECTIONS, place,
             "widen the input's range or narrow the output's",
             "'%s' has the range (%s, %s), but '%s' accepts only (%s, %s)", flat_name_of(f, from),
             text[0], text[1], flat_name_of(f, to), text[2], text[3]);
}

/* What was not compared at a connection, because a composite between declares none. */
static void check_through(flat *f, flat_variable *from, flat_variable *to) {
  const brink_symbol *a = from->symbol, *b = to->symbol;
  check_ranges(f, b->place, from, to);
  if (a->unit == NULL || b->unit == NULL || strcmp(a->unit, b->unit) == 0) return;
  flat_error(f, BRINK_MSG_CONNECTED_UNITS, b->place, "convert it in a component between the two",
             "'%s' is in %s, but '%s' is in %s", flat_name_of(f, to), b->unit,
             flat_name_of(f, from), a->unit);
}

static bool open_alias(flat *f, flat_variable *to) {
  if (to->source != NULL) return true;
  to->source = brink_arena_pack(&f->scratch, to->count, sizeof *to->source);
  if (to->source == NULL) {
    flat_out_of_memory(f);
    return false;
  }
  for (size_t e = 0; e < to->count; e++) to->source[e] = FLAT_UNCONNECTED;
  to->alias = true;
  return true;
}

/* Has the checker found fault with what stands on this line? */
static bool is_reported(const flat *f, brink_place place) {
  for (size_t k = 0; f->structure && k < f->unit->nitems; k++) {
    const brink_report_item *item = &f->unit->items[k];
    if (item->severity == BRINK_ERROR && item->place.file == place.file &&
        item->place.line == place.line)
      return true;
  }
  return false;
}

static void connect_one(flat *f, const flat_point *point, const brink_ast_statement *s,
                        bool first_time) {
  if (is_reported(f, s->place)) {
    f->failed = true;
    return;
  }
  flat_variable *from = list_end(f, point, s->expr, 0);
  flat_variable *to = list_end(f, point, s->target, 1);
  if (from == NULL || to == NULL) {
    f->failed = true;
    return;
  }
  if (first_time) check_ranges(f, s->place, from, to);
  size_t count = f->nends[1];
  if (f->nends[0] != count && f->nends[0] != 1) {
    flat_error(f, BRINK_MSG_CONNECTED_LENGTHS, s->place,
               "both sides need the same number of elements", "%zu elements are connected to %zu",
               f->nends[0], count);
    return;
  }
  if (!open_alias(f, to)) return;
  for (size_t k = 0; k < count; k++) {
    size_t element = (size_t)(uint32_t)f->ends[1][k];
    if (to->source[element] != FLAT_UNCONNECTED) {
      flat_error(f, BRINK_MSG_CONNECTED_TWICE, s->place, NULL, "'%s' is connected twice",
                 flat_name_of(f, to));
      return;
    }
    to->source[element] = f->ends[0][f->nends[0] == 1 ? 0 : k];
  }
}

static void connect_block(flat *f, const flat_point *point, const brink_ast_block *block,
                          bool first_time) {
  for (size_t k = 0; k < block->count && !f->failed; k++) {
    const brink_ast_statement *s = block->statement[k];
    if (s->kind == BRINK_STATEMENT_CONNECT) {
      connect_one(f, point, s, first_time);
      point->group->uncertain = point->group->uncertain || f->failed;
      flat_next(f);
    }
    if (s->kind != BRINK_STATEMENT_FOR) continue;
    int64_t lo, hi;
    if (!flat_bounds(f, point, s, &lo, &hi)) {
      point->group->uncertain = true;
      return;
    }
    size_t errors = f->unit->nerrors;
    for (int64_t i = lo; i <= hi && !f->failed && f->unit->nerrors == errors; i++) {
      if (!flat_spend(f, s->place, 1)) return;
      flat_binding binding = {.symbol = s->symbol, .value = (double)i, .outer = point->binding};
      flat_point inner = *point;
      inner.binding = &binding;
      connect_block(f, &inner, &s->block[0], first_time && i == lo);
    }
  }
}

/* ---- from end to end ---- */

static bool is_composite(const flat_variable *variable) {
  const brink_component *component = variable->group->component;
  return component != NULL &&
         (component->kind == BRINK_COMPOSITE || component->kind == BRINK_SYSTEM);
}

/* Inputs that nothing feeds have a value of their own; outputs of composites need a source. */
static void settle_inputs(flat *f) {
  for (size_t k = 0; k < f->nvariables && !f->failed; k++) {
    flat_variable *variable = f->variables[k];
    brink_symbol_kind kind = variable->symbol->kind;
    bool output = kind == BRINK_SYMBOL_OUTPUT && is_composite(variable);
    if (kind != BRINK_SYMBOL_INPUT && !output) continue;
    if (output && variable->symbol->by_equation) continue;
    if (flat_size(f, variable) == 0) return;
    size_t missing = variable->count;
    for (size_t e = 0; variable->alias && e < variable->count; e++) {
      if (variable->source[e] != FLAT_UNCONNECTED) missing--;
    }
    flat_group *around = output ? variable->group : variable->group->parent;
    bool library = f->structure && around == NULL; /* perhaps it is not meant to run */
    if (missing == 0 || library || (around != NULL && around->uncertain)) continue;
    if (output)
      flat_error(f, BRINK_MSG_UNCONNECTED_OUTPUT, variable->symbol->place,
                 "connect something to it", "output '%s' has no source", flat_name_of(f, variable));
    else
      variable->takes_default = true;
    flat_next(f);
  }
}

/* The variable and element in memory that an element stands for. */
flat_variable *flat_trace(flat *f, flat_variable *variable, size_t element, size_t *found) {
  for (size_t steps = 0; steps <= f->nvariables; steps++) {
    if (!variable->alias || variable->source[element] == FLAT_UNCONNECTED) {
      *found = element;
      return variable;
    }
    uint64_t source = variable->source[element];
    variable = f->variables[source >> 32];
    element = (size_t)(uint32_t)source;
  }
  flat_error(f, BRINK_MSG_CONNECTED_TO_ITSELF, variable->symbol->place, NULL,
             "'%s' is connected to itself", flat_name_of(f, variable));
  return NULL;
}

/* An equation that copies elements first … last - 1, all of one source, to V from `base` on. */
static bool copy_piece(flat *f, flat_variable *variable, const flat_variable *from,
                       const size_t *element, size_t count, uint32_t base) {
  brink_kernel *kernel = flat_kernel(f, flat_name_of(f, variable), variable->symbol->place, count);
  uint32_t *slots = flat_take(f, count, sizeof *slots);
  if (kernel == NULL || slots == NULL) return false;
  for (size_t k = 0; k < count; k++) slots[k] = from->base + (uint32_t)element[k];
  brink_ref source = flat_make_ref(f, from->space, slots, count);
  brink_ref target = {.space = BRINK_SPACE_V, .base = base, .stride = count > 1 ? 1 : 0};
  brink_node node = brink_graph_ref(&kernel->graph, source);
  return flat_add_output(f, kernel, target, node, BRINK_NO_NODE, BRINK_NO_INDEX) &&
         flat_add_equation(f, kernel, variable->symbol->place);
}

/* Elements from different kinds of memory: copied into one by equations. With `slots`, those that are in V already
 * are not copied, but found by their slots: a copy between the members of a chain would take its loop apart. */
static void copy_mixed(flat *f, flat_variable *variable, flat_variable **from, size_t *element,
                       uint32_t *slots) {
  char *name = brink_arena_text(f->arena, variable->symbol->name);
  if (name == NULL) flat_out_of_memory(f);
  uint32_t base = flat_hidden(f, variable->group, name, BRINK_SPACE_V, variable->count, 0.0);
  if (base == BRINK_NO_INDEX || name == NULL) return;
  for (size_t first = 0; first < variable->count && !f->failed;) {
    size_t last = first;
    while (last < variable->count && from[last] == from[first]) last++;
    size_t count = last - first;
    bool copied = slots == NULL || from[first]->space != BRINK_SPACE_V;
    if (copied &&
        !copy_piece(f, variable, from[first], &element[first], count, base + (uint32_t)first))
      return;
    for (size_t k = first; copied && slots != NULL && k < last; k++) slots[k] = base + (uint32_t)k;
    first = last;
  }
  variable->space = BRINK_SPACE_V;
  variable->base = base;
  variable->slots = slots;
}

static void resolve(flat *f, flat_variable *variable) {
  flat_variable **from = brink_arena_pack(&f->scratch, variable->count, sizeof *from);
  size_t *element = brink_arena_pack(&f->scratch, variable->count, sizeof *element);
  uint32_t *slots = flat_take(f, variable->count, sizeof *slots);
  if (from == NULL || element == NULL || slots == NULL) {
    flat_out_of_memory(f);
    return;
  }
  bool mixed = false, regular = true;
  for (size_t e = 0; e < variable->count; e++) {
    from[e] = flat_trace(f, variable, e, &element[e]);
    if (from[e] == NULL) return;
    slots[e] = from[e]->base + (uint32_t)element[e];
    bool direct = variable->source[e] == FLAT_UNCONNECTED ||
                  f->variables[variable->source[e] >> 32] == from[e];
    if (!direct && (e == 0 || from[e] != from[e - 1])) check_through(f, from[e], variable);
    mixed = mixed || from[e]->space != from[0]->space;
    regular = regular && slots[e] == slots[0] + e;
  }
  if (mixed) {
    copy_mixed(f, variable, from, element, slots);
    return;
  }
  variable->space = from[0]->space;
  variable->base = slots[0];
  variable->slots = regular ? NULL : slots;
}

/* Outputs of composites show up in the results: where they are not in one piece, as copies. */
static void show_output(flat *f, flat_variable *variable) {
  if (variable->slots != NULL || variable->space == BRINK_SPACE_X) {
    flat_variable **from = brink_arena_pack(&f->scratch, variable->count, sizeof *from);
    size_t *element = brink_arena_pack(&f->scratch, variable->count, sizeof *element);
    for (size_t e = 0; from != NULL && element != NULL && e < variable->count; e++)
      from[e] = flat_trace(f, variable, e, &element[e]);
    if (from == NULL || element == NULL)
      flat_out_of_memory(f);
    else
      copy_mixed(f, variable, from, element, NULL);
  }
  if (!f->failed) flat_add_variable(f, variable, BRINK_VARIABLE_OUTPUT);
}

void flat_connect(flat *f) {
  for (flat_group *group = f->groups; group != NULL && !f->failed; group = group->next) {
    if (group->component == NULL) continue;
    const brink_ast_section *section = &group->component->section[BRINK_SECTION_CONNECTIONS];
    flat_point first = {.group = group, .element = BRINK_NONE};
    if (section->present && !flat_foresee(f, &first, &section->body, group->count, 1)) return;
    for (size_t i = 0; section->present && i < group->count && !f->failed; i++) {
      flat_point point = {.group = group, .instance = i, .element = BRINK_NONE};
      connect_block(f, &point, &section->body, i == 0);
      flat_next(f);
    }
  }
  flat_next(f);
  settle_inputs(f);
  if (!f->failed) flat_mark_driven(f);
  flat_allocate(f, 0);
  if (flat_stop(f) || f->structure) return;
  for (size_t k = 0; k < f->nvariables && !f->failed; k++) {
    flat_variable *variable = f->variables[k];
    if (variable->alias) resolve(f, variable);
    if (variable->alias && !f->failed && variable->symbol->kind == BRINK_SYMBOL_OUTPUT)
      show_output(f, variable);
    if (variable->alias && !f->failed && variable->symbol->kind == BRINK_SYMBOL_INPUT)
      flat_add_alias(f, variable);
  }
}

/* ---- what varies between events ---- */

/* The variable that is looked at reads this one: it varies if this does. */
static void note_reader(flat *f, flat_variable *variable) {
  flat_reading *reading = brink_arena_pack(&f->scratch, 1, sizeof *reading);
  if (reading == NULL) {
    flat_out_of_memory(f);
    return;
  }
  *reading = (flat_reading){.by = f->reader, .next = variable->readers};
  variable->readers = reading;
}

static bool name_continuous(flat *f, flat_group *group, const brink_ast_expr *expr) {
  if (expr->predefined != BRINK_PREDEFINED_NOT) return expr->predefined == BRINK_PREDEFINED_TIME;
  const brink_symbol *symbol = expr->part[expr->nparts - 1].symbol;
  if (symbol == NULL || symbol->kind == BRINK_SYMBOL_LOOP ||
      symbol->kind == BRINK_SYMBOL_ARGUMENT || symbol->kind == BRINK_SYMBOL_LET)
    return false;
  flat_variable *variable = flat_find(f, group, expr);
  if (variable != NULL && !variable->continuous && f->reader != NULL) note_reader(f, variable);
  return variable != NULL && variable->continuous;
}

static bool varies(flat *f, flat_group *group, const brink_ast_expr *expr, bool plain, int depth);

/* In the body of a function: of what it reads besides its arguments, time alone varies. */
typedef struct variation {
  flat *f;
  flat_group *group;
  bool plain;
  int depth;
} variation;

static bool varies_inside(const brink_ast_expr *expr, void *user) {
  const variation *v = user;
  return varies(v->f, v->group, expr, v->plain, v->depth);
}

static bool varies(flat *f, flat_group *group, const brink_ast_expr *expr, bool plain, int depth) {
  if (depth > 400) return true;
  switch (expr->op) {
  case BRINK_AST_NAME:
    return name_continuous(f, group, expr);
  case BRINK_AST_PRIME:
    return true;
  case BRINK_AST_LT:
  case BRINK_AST_LE:
  case BRINK_AST_GT:
  case BRINK_AST_GE:
    if (!plain) return false; /* locked */
    break;
  case BRINK_AST_IF:
    return varies(f, group, expr->arg[1], plain, depth + 1) ||
           varies(f, group, expr->arg[2], plain, depth + 1);
  case BRINK_AST_CALL:
    if (expr->function == BRINK_FN_SGN || expr->function == BRINK_FN_PRE) return false;
    if (!plain && (expr->function == BRINK_FN_SIGN || expr->function == BRINK_FN_FLOOR ||
                   expr->function == BRINK_FN_CEIL || expr->function == BRINK_FN_ARGMIN ||
                   expr->function == BRINK_FN_ARGMAX))
      return false;
    if (expr->function == BRINK_FN_DELAY) /* a history may vary where the signal is held */
      return varies(f, group, expr->arg[0], plain, depth + 1) ||
             (expr->nargs > 3 &&
              (expr->type == BRINK_TYPE_REAL || expr->type == BRINK_TYPE_SIGNAL) &&
              varies(f, group, expr->arg[3], true, depth + 1));
    if (!plain && expr->function == BRINK_FN_FILE_TABLE &&
        expr->user->table->grid.kind == BRINK_TABLE_HOLD)
      return false;
    if (expr->function == BRINK_FN_NOEVENT) plain = true;
    if (expr->function == BRINK_FN_USER && expr->user != NULL) {
      variation inside = {f, group, plain, depth + 1};
      if (flat_any_in_function(expr->user, varies_inside, &inside)) return true;
    }
    break;
  default:
    break;
  }
  for (size_t k = 0; k < expr->nargs; k++) {
    if (varies(f, group, expr->arg[k], plain, depth + 1)) return true;
  }
  return false;
}

bool flat_expr_continuous(flat *f, flat_group *group, const brink_ast_expr *expr) {
  return varies(f, group, expr, false, 0);
}

/* A held input of a ctc cannot follow what varies, however many composites lie between. */
void flat_check_held(flat *f) {
  for (size_t k = 0; k < f->nvariables && !f->failed; k++) {
    const flat_variable *variable = f->variables[k];
    const brink_component *component = variable->group->component;
    const brink_symbol *symbol = variable->symbol;
    if (component == NULL || component->kind != BRINK_CTC || symbol->kind != BRINK_SYMBOL_INPUT ||
        symbol->type == BRINK_TYPE_SIGNAL || !variable->alias || !variable->continuous)
      continue;
    flat_error(f, BRINK_MSG_HELD_INPUT_VARIES, symbol->place,
               "declare it as a signal, or sample it with a dtc",
               "input '%s' is held, but what is connected to it varies", flat_name_of(f, variable));
  }
}

/* An alias varies with any of its sources. */
static bool source_varies(flat *f, flat_variable *variable) {
  uint64_t last = FLAT_UNCONNECTED;
  f->reader = variable;
  for (size_t e = 0; e < variable->count; e++) {
    uint64_t source = variable->source[e];
    if (source == FLAT_UNCONNECTED || source >> 32 == last >> 32) continue;
    last = source;
    flat_variable *from = f->variables[source >> 32];
    if (from->continuous) return true;
    note_reader(f, from);
  }
  return false;
}

/* What is defined by an equation; NULL: it cannot vary, or does already. */
static flat_variable *may_vary(flat *f, flat_group *group, const flat_pending *p) {
  bool held = group->component != NULL && group->component->kind == BRINK_DTC;
  flat_variable *variable = p->target->op == BRINK_AST_NAME ? flat_find(f, group, p->target) : NULL;
  if (variable == NULL || variable->continuous || variable->space != BRINK_SPACE_V) return NULL;
  return held && variable->symbol->kind == BRINK_SYMBOL_OUTPUT ? NULL : variable;
}

/* It varies, and so does all that reads it, and what reads that. */
static void vary(flat_variable *variable) {
  flat_variable *next = variable;
  variable->continuous = true;
  variable->then = NULL;
  while (next != NULL) {
    flat_variable *now = next;
    next = now->then;
    for (const flat_reading *r = now->readers; r != NULL; r = r->next) {
      if (r->by->continuous) continue;
      r->by->continuous = true;
      r->by->then = next;
      next = r->by;
    }
    now->readers = NULL;
  }
}

/* States and unknowns vary; what is computed from something that varies does, too. Each equation is looked at once: what
 * it reads that does not vary so far remembers it. */
void flat_variability(flat *f) {
  for (size_t k = 0; k < f->nvariables; k++) {
    flat_variable *variable = f->variables[k];
    variable->readers = NULL;
    variable->continuous =
        (variable->symbol->kind == BRINK_SYMBOL_STATE && variable->space == BRINK_SPACE_X) ||
        variable->symbol->unknown || flat_is_ramp(f, variable);
  }
  for (size_t k = 0; k < f->nvariables && !f->failed; k++) {
    flat_variable *variable = f->variables[k];
    if (variable->alias && !variable->continuous && source_varies(f, variable)) vary(variable);
  }
  for (flat_group *group = f->groups; group != NULL && !f->failed; group = group->next) {
    for (flat_pending *p = group->equations; p != NULL; p = p->next) {
      f->reader = may_vary(f, group, p);
      if (f->reader != NULL && flat_expr_continuous(f, group, p->expr)) vary(f->reader);
    }
  }
  f->reader = NULL;
}
