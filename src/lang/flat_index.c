/* flat_index.c: elements whose number is not known before the run: ratio[gear].
 *
 * An index that numbers, parameters and loops determine chooses a slot, and nothing of it is left at run time
 * (flat_ref.c). Any other must be a number that is held between events. Arrays of held values are then looked up
 * (BRINK_OP_LOOKUP), whatever their length; of arrays that vary, the elements become a tree of choices, which is smooth in
 * each of them.
 *
 * The nearest element is read where there is none, so memory is safe; and that the index is within its array is checked
 * like a range. In equations a flag watches it; in actions it is stored where a range is checked when it is written. */
#include <math.h>
#include <string.h>

#include "lang/flat.h"

/* Elements of an array that varies, chosen by an index: each of them stands in the equation. */
#define CHOICE_LIMIT 4096

/* ---- is an index known before the run? ---- */

static bool name_known(const flat_context *c, const brink_ast_expr *expr) {
  const brink_ast_part *last = &expr->part[expr->nparts - 1];
  if (expr->predefined != BRINK_PREDEFINED_NOT) return expr->predefined != BRINK_PREDEFINED_TIME;
  if (last->symbol == NULL) return true; /* reported */
  for (size_t k = 0; k < expr->nparts; k++) {
    if (expr->part[k].index != NULL && !flat_index_known(c, expr->part[k].index)) return false;
  }
  if (last->symbol->kind == BRINK_SYMBOL_LOOP || last->symbol->kind == BRINK_SYMBOL_PARAMETER)
    return true;
  if (last->symbol->kind == BRINK_SYMBOL_ARGUMENT || last->symbol->kind == BRINK_SYMBOL_LET) {
    const flat_name *name = flat_find_name(c, last->symbol);
    if (name == NULL || name->is_cell) return false;
    flat_context scope = *name->scope;
    scope.names = name->scope_names;
    return flat_index_known(&scope, name->expr);
  }
  if (last->symbol->kind != BRINK_SYMBOL_INPUT) return false;
  const flat_variable *variable = flat_find(c->f, c->group, expr);
  return variable != NULL && variable->takes_default && !variable->driven;
}

bool flat_index_known(const flat_context *c, const brink_ast_expr *expr) {
  if (expr->op == BRINK_AST_NAME) return name_known(c, expr);
  if (expr->op == BRINK_AST_PRIME) return false;
  if (expr->op == BRINK_AST_CALL &&
      (expr->function == BRINK_FN_PRE || expr->function == BRINK_FN_SGN ||
       expr->function == BRINK_FN_UNIFORM || expr->function == BRINK_FN_NORMAL))
    return false;
  for (size_t k = 0; k < expr->nargs; k++) {
    if (!flat_index_known(c, expr->arg[k])) return false;
  }
  return true;
}

bool flat_chooses(const flat_context *c, const brink_ast_expr *expr) {
  for (size_t k = 0; expr->op == BRINK_AST_NAME && k < expr->nparts; k++) {
    if (expr->part[k].index != NULL && !flat_index_known(c, expr->part[k].index)) return true;
  }
  for (size_t k = 0; k < expr->nargs; k++) {
    if (flat_chooses(c, expr->arg[k])) return true;
  }
  return false;
}

/* ---- is it within? ---- */

/* Does the declared range of what the index names lie within 1 … most, in all instances? Then that is watched. */
static bool range_suffices(flat_context *c, const brink_ast_expr *index, size_t most) {
  if (index->op != BRINK_AST_NAME || index->predefined != BRINK_PREDEFINED_NOT) return false;
  const brink_symbol *symbol = index->part[index->nparts - 1].symbol;
  if (symbol == NULL || !symbol->range.given) return false;
  flat_variable *variable = flat_find(c->f, c->group, index);
  if (variable == NULL || variable->symbol != symbol) return false;
  for (size_t k = 0; symbol->range.is_set && k < symbol->range.nitems; k++) {
    const brink_ast_expr *item = symbol->range.item[k];
    if (!(item->number >= 1.0 && item->number <= (double)most)) return false;
  }
  for (size_t i = 0; !symbol->range.is_set && i < variable->group->count; i++) {
    double lo, hi;
    if (!flat_range_bounds(c->f, variable, i, &lo, &hi)) return false;
    if (!(lo >= 1.0 && hi <= (double)most)) return false;
  }
  return true;
}

/* A hidden variable that is an index: "index gear of ratio", from 1 to most, one for each iteration. */
static uint32_t index_variable(flat_context *c, const brink_ast_expr *index, const char *of,
                               size_t most, brink_space space) {
  flat *f = c->f;
  bool named = index->op == BRINK_AST_NAME;
  const char *text =
      named ? brink_unit_format(f->unit, "index %s of %s", index->part[index->nparts - 1].name, of)
            : brink_unit_format(f->unit, "index of %s", of);
  char *name = brink_arena_text(f->arena, text);
  if (name == NULL) flat_out_of_memory(f);
  if (name == NULL ||
      flat_hidden(f, c->group, name, space, c->kernel->count, 1.0) == BRINK_NO_INDEX)
    return BRINK_NO_INDEX;
  uint32_t number = (uint32_t)f->system->nvariables - 1;
  brink_variable *made = &f->system->variables[number];
  made->type = BRINK_VALUE_INTEGER;
  made->has_range = true;
  made->lo = 1.0;
  made->hi = (double)most;
  made->place = index->place;
  made->where = flat_where(f, index->place);
  return number;
}

static brink_ref variable_ref(const flat_context *c, uint32_t variable) {
  const brink_variable *made = &c->f->system->variables[variable];
  return (brink_ref){
      .space = made->space, .base = made->base, .stride = c->kernel->count > 1 ? 1 : 0};
}

/* An equation of its own: the variable is what the node of c's graph is. */
static bool define(flat_context *c, brink_place place, uint32_t variable, brink_node node) {
  flat *f = c->f;
  brink_kernel *kernel =
      flat_kernel(f, f->system->variables[variable].name, place, c->kernel->count);
  if (kernel == NULL) return false;
  brink_node copy = brink_graph_copy(&kernel->graph, c->graph, node, NULL, NULL);
  if (copy == BRINK_NO_NODE) {
    flat_out_of_memory(f);
    return false;
  }
  return flat_add_output(f, kernel, variable_ref(c, variable), copy, BRINK_NO_NODE, variable) &&
         flat_add_equation(f, kernel, place);
}

/* Where the index is read, it is what it is; elsewhere nothing is wrong with it. */
static brink_node where_read(const flat_context *c, brink_node index) {
  if (c->active == BRINK_NO_NODE) return index;
  return brink_graph_select(c->graph, c->active, index, brink_graph_constant(c->graph, 1.0));
}

/* Equations: a flag falls when the index leaves its array. */
static void watch(flat_context *c, const brink_ast_expr *index, const char *of, size_t most,
                  brink_node node) {
  flat *f = c->f;
  brink_graph *g = c->graph;
  uint32_t variable = index_variable(c, index, of, most, BRINK_SPACE_V);
  if (variable == BRINK_NO_INDEX) return;
  brink_node shown = where_read(c, node);
  if (!define(c, index->place, variable, shown)) return;
  brink_node above = brink_graph_op2(g, BRINK_OP_LE, brink_graph_constant(g, 1.0), shown);
  brink_node below = brink_graph_op2(g, BRINK_OP_LE, shown, brink_graph_constant(g, (double)most));
  brink_node inside = flat_far(c, brink_graph_op2(g, BRINK_OP_AND, above, below));
  const char *name = f->system->variables[variable].name;
  uint32_t flag = flat_new_flag(c, BRINK_FLAG_RANGE, name, index->place, inside);
  if (flag == BRINK_NO_INDEX) return;
  brink_flag *made = &f->system->flags[flag];
  made->enabled = NULL; /* it is inside wherever the index is not read */
  made->direction = BRINK_NEGATIVE;
  made->late =
      true; /* floor(u) is another number for a moment where u turns back at a whole number */
  made->variable = variable;
}

/* Actions: the index is written to where its range is checked. */
static void store(flat_context *c, const brink_ast_expr *index, const char *of, size_t most,
                  brink_node node) {
  uint32_t variable = index_variable(c, index, of, most, BRINK_SPACE_P);
  if (variable == BRINK_NO_INDEX) return;
  brink_node when = *c->when;
  if (when == BRINK_NO_NODE)
    when = c->active;
  else if (c->active != BRINK_NO_NODE)
    when = brink_graph_op2(c->graph, BRINK_OP_AND, when, c->active);
  flat_add_output(c->f, c->kernel, variable_ref(c, variable), node, when, variable);
}

/* Equations of a dtc: what they give is looked at when it samples (flat_store_indices). */
static void store_at_samples(flat_context *c, const brink_ast_expr *index, const char *of,
                             size_t most, brink_node node) {
  flat *f = c->f;
  uint32_t now = index_variable(c, index, of, most, BRINK_SPACE_V);
  if (now == BRINK_NO_INDEX || !define(c, index->place, now, where_read(c, node))) return;
  uint32_t held = index_variable(c, index, of, most, BRINK_SPACE_P);
  flat_index_check *check = brink_arena_pack(&f->scratch, 1, sizeof *check);
  if (held == BRINK_NO_INDEX || check == NULL) {
    flat_out_of_memory(f);
    return;
  }
  *check = (flat_index_check){
      .now = now, .held = held, .repeat = c->repeat, .next = c->group->index_checks};
  c->group->index_checks = check;
}

void flat_store_indices(flat_context *c) {
  flat *f = c->f;
  for (flat_index_check *check = c->group->index_checks; check != NULL; check = check->next) {
    const brink_variable *now = &f->system->variables[check->now];
    const brink_variable *held = &f->system->variables[check->held];
    for (uint32_t k = 0; k < check->repeat && !f->failed; k++) {
      int32_t stride = c->group->count > 1 ? (int32_t)check->repeat : 0;
      brink_ref from = {.space = BRINK_SPACE_V, .base = now->base + k, .stride = stride};
      brink_ref to = {.space = BRINK_SPACE_P, .base = held->base + k, .stride = stride};
      flat_add_output(f, c->kernel, to, brink_graph_ref(c->graph, from), BRINK_NO_NODE,
                      check->held);
    }
  }
}

/* Each index of a kernel is checked once, in a branch or in all. */
static bool is_checked(flat_context *c, brink_node node, size_t most) {
  flat_shared *shared = c->shared;
  brink_node when = c->when != NULL ? *c->when : BRINK_NO_NODE;
  for (size_t k = 0; k < shared->nindices; k++) {
    const struct flat_index *seen = &shared->indices[k];
    bool always = seen->active == BRINK_NO_NODE && seen->when == BRINK_NO_NODE;
    if (seen->node == node && seen->most <= most &&
        (always || (seen->active == c->active && seen->when == when)))
      return true;
  }
  struct flat_index *added =
      flat_note(c->f, brink_arena_push(&c->f->scratch, shared->indices, shared->nindices,
                                       shared->indices_capacity));
  if (added != NULL) *added = (struct flat_index){node, most, c->active, when};
  return added == NULL;
}

brink_node flat_index_node(flat_context *c, const brink_ast_expr *index, const char *of,
                           size_t most) {
  flat *f = c->f;
  flat_context single = *c;
  single.element = BRINK_NONE;
  single.element_loop = false;
  single.elements = NULL;
  brink_node node = flat_expr(&single, index);
  double value;
  if (f->failed || node == BRINK_NO_NODE) return BRINK_NO_NODE;
  if (brink_graph_is_constant(c->graph, node, &value)) {
    if (value >= 1.0 && value <= (double)most) return node;
    flat_error(f, BRINK_MSG_INDEX_OUT_OF_RANGE, index->place,
               brink_unit_format(f->unit, "from 1 to %zu", most), "there is no '%s[%.0f]'", of,
               value);
    return BRINK_NO_NODE;
  }
  if (c->purpose == FLAT_EQUATION && flat_varies(c, node)) {
    flat_error(f, BRINK_MSG_INDEX_VARIES, index->place,
               "floor(...) outside noevent changes at located events",
               "the index of '%s' changes between events", of);
    return BRINK_NO_NODE;
  }
  if (range_suffices(c, index, most) || is_checked(c, node, most)) return node;
  if (c->when != NULL)
    store(c, index, of, most, node);
  else if (c->purpose == FLAT_INSTANT && c->group->component != NULL &&
           c->group->component->kind == BRINK_DTC)
    store_at_samples(c, index, of, most, node);
  else
    watch(c, index, of, most, node);
  return f->failed ? BRINK_NO_NODE : node;
}

/* The numbers, from 0, that a known index of one dimension names in each iteration; of a slice, `along` says how many
 * elements of the result make one step in it. */
static brink_node known_numbers(flat_context *c, const brink_ast_expr *index, const char *name,
                                size_t most, size_t along) {
  size_t count = c->kernel->count;
  uint32_t *numbers = brink_arena_pack(&c->f->scratch, count, sizeof *numbers);
  if (numbers == NULL) {
    flat_out_of_memory(c->f);
    return BRINK_NO_NODE;
  }
  bool same = true;
  for (size_t i = 0; i < count; i++) {
    flat_binding bindings[FLAT_BINDINGS];
    flat_point point = flat_point_at(c, i, bindings);
    flat_selection s;
    flat_shape of = {.rank = 1, .rows = 1, .columns = most};
    if (!flat_select(c->f, &point, index, name, of, &s)) {
      c->f->failed = true;
      return BRINK_NO_NODE;
    }
    size_t e = flat_element_at(c, i);
    size_t step = index->op == BRINK_AST_SLICE && e != BRINK_NONE ? e / along % s.count[1] : 0;
    numbers[i] = (uint32_t)(s.first[1] + step);
    same = same && numbers[i] == numbers[0];
  }
  brink_graph *g = c->graph;
  brink_node first = brink_graph_constant(g, 1.0);
  if (same) return brink_graph_constant(g, (double)numbers[0] + 1.0);
  return brink_graph_op2(g, BRINK_OP_ADD, flat_numbers(c, numbers, most), first);
}

/* Row or column: what is known, or a number that is kept within its bounds. */
static brink_node one_dimension(flat_context *c, const brink_ast_expr *index, const char *name,
                                size_t most, size_t along) {
  if (index->op == BRINK_AST_SLICE || flat_index_known(c, index))
    return known_numbers(c, index, name, most, along);
  brink_graph *g = c->graph;
  brink_node node = flat_index_node(c, index, name, most);
  node = brink_graph_op2(g, BRINK_OP_MAX, node, brink_graph_constant(g, 1.0));
  return brink_graph_op2(g, BRINK_OP_MIN, node, brink_graph_constant(g, (double)most));
}

brink_node flat_linear_index(flat_context *c, const brink_ast_part *part, flat_shape of) {
  const brink_ast_expr *index = part->index;
  brink_graph *g = c->graph;
  if (index->op != BRINK_AST_INDICES) {
    if (index->op != BRINK_AST_SLICE) return flat_index_node(c, index, part->name, of.columns);
    return known_numbers(c, index, part->name, of.columns, 1); /* reports what is not known */
  }
  const brink_ast_expr *column = index->arg[1];
  size_t along = 1;
  if (column->op == BRINK_AST_SLICE) { /* as many elements as the slice has make one row */
    flat_binding bindings[FLAT_BINDINGS];
    flat_point point = flat_point_at(c, 0, bindings);
    flat_shape row = {.rank = 1, .rows = 1, .columns = of.columns};
    flat_selection s;
    if (!flat_select(c->f, &point, column, part->name, row, &s)) {
      c->f->failed = true;
      return BRINK_NO_NODE;
    }
    along = s.count[1];
  }
  brink_node i = one_dimension(c, index->arg[0], part->name, of.rows, along);
  brink_node j = one_dimension(c, column, part->name, of.columns, 1);
  brink_node before = brink_graph_op2(g, BRINK_OP_SUB, i, brink_graph_constant(g, 1.0));
  brink_node width = brink_graph_constant(g, (double)of.columns);
  return brink_graph_op2(g, BRINK_OP_ADD, brink_graph_op2(g, BRINK_OP_MUL, before, width), j);
}

/* ---- the element ---- */

brink_node flat_is_chosen(brink_graph *g, brink_node index, size_t k, size_t length) {
  brink_node number = brink_graph_constant(g, (double)(k + 1));
  if (length == 1) return brink_graph_constant(g, 1.0);
  if (k == 0) return brink_graph_op2(g, BRINK_OP_LE, index, number);
  if (k + 1 == length) return brink_graph_op2(g, BRINK_OP_LE, number, index);
  return brink_graph_op2(g, BRINK_OP_EQ, index, number);
}

/* How far apart the elements are; 0: not at equal distances. */
static uint32_t step_of(const flat_variable *variable) {
  const uint32_t *slots = variable->slots;
  size_t n = variable->length;
  if (slots == NULL) return 1;
  if (n < 2 || slots[1] <= slots[0]) return 0;
  uint32_t step = slots[1] - slots[0];
  for (size_t e = 0; e < variable->count; e++) {
    if (slots[e] != slots[e - e % n] + e % n * step) return 0;
  }
  return step;
}

/* Held values have no derivatives but by themselves; what varies does, and actions are not differentiated as graphs. */
static bool may_look_up(const flat_context *c, brink_space space) {
  if (space == BRINK_SPACE_P || space == BRINK_SPACE_K) return true;
  bool memory = space == BRINK_SPACE_X || space == BRINK_SPACE_MODE || space == BRINK_SPACE_PRE_X ||
                space == BRINK_SPACE_PRE_P || space == BRINK_SPACE_PRE_MODE;
  return c->when != NULL && memory;
}

typedef struct choice {
  flat_context *c;
  flat_variable *variable;
  const brink_ast_expr *name;
  brink_space space;
  brink_node index;
} choice;

/* One of the elements first … last - 1. */
static brink_node choose(const choice *of, size_t first, size_t last) {
  brink_graph *g = of->c->graph;
  brink_ref ref;
  if (last - first == 1) {
    if (!flat_element_ref(of->c, of->variable, of->name, of->space, first, &ref))
      return BRINK_NO_NODE;
    return brink_graph_ref(g, ref);
  }
  size_t middle = first + (last - first) / 2;
  brink_node less =
      brink_graph_op2(g, BRINK_OP_LE, of->index, brink_graph_constant(g, (double)middle));
  return brink_graph_select(g, less, choose(of, first, middle), choose(of, middle, last));
}

brink_node flat_element(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                        brink_space space, brink_node index) {
  brink_ref first;
  uint32_t step = step_of(variable);
  if (index == BRINK_NO_NODE) return BRINK_NO_NODE;
  if (step > 0 && may_look_up(c, space)) {
    if (!flat_element_ref(c, variable, name, space, 0, &first)) return BRINK_NO_NODE;
    first.extent = variable->length;
    first.step = step;
    return brink_graph_lookup(c->graph, index, first);
  }
  if (variable->length > CHOICE_LIMIT) {
    flat_error(c->f, BRINK_MSG_CHOICE_TOO_LARGE, name->place,
               "an array of held values may be as long as it likes",
               "'%s' has %u elements: one of more than %d that vary cannot be chosen by an index "
               "that changes",
               name->part[name->nparts - 1].name, variable->length, CHOICE_LIMIT);
    return BRINK_NO_NODE;
  }
  choice of = {.c = c, .variable = variable, .name = name, .space = space, .index = index};
  return choose(&of, 0, variable->length);
}

/* ---- the component ---- */

/* One of the components first … last - 1: the path with that number as its index. */
static brink_node choose_part(const choice *of, size_t at, size_t first, size_t last) {
  brink_graph *g = of->c->graph;
  if (last - first == 1) {
    brink_ast_expr path = *of->name, number = *of->name->part[at].index;
    brink_ast_part *parts = brink_arena_pack(&of->c->f->scratch, path.nparts, sizeof *parts);
    if (parts == NULL) {
      flat_out_of_memory(of->c->f);
      return BRINK_NO_NODE;
    }
    memcpy(parts, path.part, path.nparts * sizeof *parts);
    number = (brink_ast_expr){.op = BRINK_AST_NUMBER,
                              .place = number.place,
                              .number = (double)(first + 1),
                              .whole = true,
                              .constant = true,
                              .type = BRINK_TYPE_INTEGER};
    parts[at].index = &number;
    path.part = parts;
    return flat_ref(of->c, of->variable, &path, of->space);
  }
  size_t middle = first + (last - first) / 2;
  brink_node less =
      brink_graph_op2(g, BRINK_OP_LE, of->index, brink_graph_constant(g, (double)middle));
  brink_node low = choose_part(of, at, first, middle), high = choose_part(of, at, middle, last);
  if (low == BRINK_NO_NODE || high == BRINK_NO_NODE) return BRINK_NO_NODE;
  return brink_graph_select(g, less, low, high);
}

brink_node flat_chosen_part(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                            size_t at, brink_space space) {
  const flat_group *group = variable->group;
  for (size_t k = at + 2; k < name->nparts; k++) group = group->parent;
  const brink_ast_part *part = &name->part[at];
  if (group->dimension > CHOICE_LIMIT) {
    flat_error(c->f, BRINK_MSG_CHOICE_TOO_LARGE, name->place, NULL,
               "'%s' has %zu elements: one of more than %d that vary cannot be chosen by an index "
               "that changes",
               part->name, group->dimension, CHOICE_LIMIT);
    return BRINK_NO_NODE;
  }
  brink_node index = flat_index_node(c, part->index, part->name, group->dimension);
  if (index == BRINK_NO_NODE) return BRINK_NO_NODE;
  choice of = {.c = c, .variable = variable, .name = name, .space = space, .index = index};
  return choose_part(&of, at, 0, group->dimension);
}
