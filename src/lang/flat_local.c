/* flat_local.c: local names of statements.
 *
 * A `let` that nothing assigns later is another name of its expression, translated where it is used. One that is
 * assigned is a cell: for each of its elements, the node that holds its value at the statement at hand. An assignment
 * replaces nodes; after an `if`, a cell is a choice between what its branches left there. */
#include <string.h>

#include "lang/flat.h"

/* ---- cells ---- */

flat_name *flat_find_name(const flat_context *c, const brink_symbol *symbol) {
  flat_name *name = c->names;
  while (name != NULL && name->symbol != symbol) name = name->outer;
  return name;
}

bool flat_mentions_cell(const flat_context *c, const brink_ast_expr *expr) {
  for (size_t k = 0; expr->op == BRINK_AST_NAME && k < expr->nparts; k++) {
    const brink_symbol *symbol = expr->part[k].symbol;
    const flat_name *name = symbol != NULL && k == 0 ? flat_find_name(c, symbol) : NULL;
    if (name != NULL && name->is_cell) return true;
    if (expr->part[k].index != NULL && flat_mentions_cell(c, expr->part[k].index)) return true;
  }
  for (size_t k = 0; k < expr->nargs; k++) {
    if (flat_mentions_cell(c, expr->arg[k])) return true;
  }
  return false;
}

static bool take_cell(flat *f, flat_name *name, flat_shape shape) {
  size_t length = shape.rows * shape.columns;
  if (length > FLAT_CELL_LIMIT) {
    flat_error(f, BRINK_MSG_ACTION_TOO_LARGE, name->symbol->place, NULL,
               "this action is too large");
    return false;
  }
  name->is_cell = true;
  name->length = length;
  name->shape = shape;
  name->cell = brink_arena_pack(&f->scratch, length, sizeof *name->cell);
  if (name->cell == NULL) {
    flat_out_of_memory(f);
    return false;
  }
  for (size_t k = 0; k < length; k++) name->cell[k] = BRINK_NO_NODE;
  return true;
}

/* All elements of an expression, before any of them is given to a cell. */
static brink_node *translate_elements(flat_context *c, const brink_ast_expr *expr, size_t length) {
  brink_node *nodes = brink_arena_pack(&c->f->scratch, length, sizeof *nodes);
  if (nodes == NULL) {
    flat_out_of_memory(c->f);
    return NULL;
  }
  flat_shape shape; /* in the body of a function, the checker knows that of some call only */
  if (!flat_shape_of(c, expr, &shape)) {
    c->f->failed = true;
    return NULL;
  }
  for (size_t k = 0; k < length; k++) {
    flat_context at = *c;
    at.element = shape.rank > 0 ? k : BRINK_NONE;
    at.element_loop = false;
    at.elements = NULL;
    nodes[k] = k > 0 && shape.rank == 0 ? nodes[0] : flat_expr(&at, expr);
    if (c->f->failed) return NULL;
  }
  return nodes;
}

void flat_push_let(flat_context *c, const brink_symbol *symbol, const brink_ast_expr *expr) {
  flat *f = c->f;
  flat_name *name = brink_arena_pack(&f->scratch, 1, sizeof *name);
  flat_context *scope = brink_arena_pack(&f->scratch, 1, sizeof *scope);
  if (name == NULL || scope == NULL) {
    flat_out_of_memory(f);
    return;
  }
  *scope = *c;
  bool cell = symbol->assigned || flat_mentions_cell(c, expr);
  if (!cell) {
    flat_push_name(c, name, symbol, expr, scope);
    return;
  }
  flat_shape shape;
  if (!flat_shape_of(c, expr, &shape)) {
    f->failed = true;
    return;
  }
  size_t length = shape.rows * shape.columns;
  brink_node *nodes = translate_elements(c, expr, length);
  flat_push_name(c, name, symbol, expr, scope);
  if (nodes == NULL || !take_cell(f, name, shape)) return;
  memcpy(name->cell, nodes, length * sizeof *nodes);
}

/* ---- assignments ---- */

/* Which element of a cell an index means. Where it is not the same in all repetitions of a kernel, the loop has to be
 * written out: `stuck`. */
static bool cell_element(flat_context *c, const flat_name *name, const brink_ast_part *part,
                         size_t *element) {
  for (size_t r = 0; r < c->repeat; r++) {
    int64_t index;
    if (!flat_loop_index(c, part->index, name->symbol->name, name->shape, r, &index)) {
      c->f->failed = true;
      return false;
    }
    if (r > 0 && *element != (size_t)(index - 1)) {
      c->shared->stuck = true;
      return false;
    }
    *element = (size_t)(index - 1);
  }
  return true;
}

/* ---- cells in memory ---- */

/* The elements that an index means, one for each repetition. */
static uint32_t *memory_elements(flat_context *c, const flat_name *name,
                                 const brink_ast_part *part) {
  uint32_t *elements = brink_arena_pack(&c->f->scratch, c->repeat, sizeof *elements);
  if (elements == NULL) flat_out_of_memory(c->f);
  for (size_t r = 0; elements != NULL && r < c->repeat; r++) {
    int64_t index;
    if (!flat_loop_index(c, part->index, name->symbol->name, name->shape, r, &index)) {
      c->f->failed = true;
      return NULL;
    }
    elements[r] = (uint32_t)(index - 1);
  }
  return elements;
}

typedef enum overlap { APART, SAME, PARTLY } overlap;

static overlap compare_elements(const uint32_t *a, const uint32_t *b, size_t count) {
  size_t same = 0;
  for (size_t r = 0; r < count; r++) same += a[r] == b[r];
  return same == 0 ? APART : same == count ? SAME : PARTLY;
}

brink_ref flat_local_ref(flat_context *c, uint32_t base, const uint32_t *elements) {
  size_t count = c->kernel->count;
  uint32_t *slots = brink_arena_pack(&c->f->scratch, count, sizeof *slots);
  if (slots == NULL) {
    flat_out_of_memory(c->f);
    return (brink_ref){.space = BRINK_SPACE_LOCAL};
  }
  for (size_t i = 0; i < count; i++)
    slots[i] = base + (elements != NULL ? elements[i % c->repeat] : 0);
  return flat_make_ref(c->f, BRINK_SPACE_LOCAL, slots, count);
}

/* What this iteration has stored there, or what an earlier one has. */
static brink_node memory_node(flat_context *c, const flat_name *name, const uint32_t *elements) {
  for (const flat_store *store = name->stores; store != NULL; store = store->next) {
    overlap how = compare_elements(store->elements, elements, c->repeat);
    if (how == SAME) return store->node;
    if (how == PARTLY) {
      c->shared->stuck = true;
      return BRINK_NO_NODE;
    }
  }
  return brink_graph_ref(c->graph, flat_local_ref(c, name->slot, elements));
}

/* Under a condition, an element keeps what it was. */
static void store_node(flat_context *c, flat_name *name, const uint32_t *elements, brink_node node,
                       brink_node when) {
  if (when != BRINK_NO_NODE) {
    brink_node old = memory_node(c, name, elements);
    node = brink_graph_select(c->graph, when, node, old);
  }
  for (flat_store *store = name->stores; store != NULL; store = store->next) {
    overlap how = compare_elements(store->elements, elements, c->repeat);
    if (how == PARTLY) c->shared->stuck = true;
    if (how == APART) continue;
    store->node = node;
    return;
  }
  flat_store *store = brink_arena_pack(&c->f->scratch, 1, sizeof *store);
  if (store == NULL) {
    flat_out_of_memory(c->f);
    return;
  }
  *store = (flat_store){.elements = elements, .node = node, .next = name->stores};
  name->stores = store;
}

/* ---- an index that changes during the run, or between the elements that an event is about ---- */

/* Has an index to be looked at where it is used? In a loop that could be written out it has not. */
static bool is_chosen(flat_context *c, const flat_name *name, const brink_ast_expr *index) {
  if (index == NULL) return false;
  if (!flat_index_fixed(c, index)) return true;
  int64_t first = 0, other;
  for (size_t r = 0; r < c->repeat && !c->shared->may_stick; r++) {
    if (!flat_loop_index(c, index, name->symbol->name, name->shape, r, &other))
      return false; /* reported */
    if (r > 0 && other != first) return true;
    first = other;
  }
  return false;
}

/* One of the elements first … last - 1. */
static brink_node choose_cell(flat_context *c, const flat_name *name, brink_node index,
                              size_t first, size_t last) {
  if (last - first == 1) {
    if (name->cell[first] == BRINK_NO_NODE) c->f->failed = true;
    return name->cell[first];
  }
  brink_graph *g = c->graph;
  size_t middle = first + (last - first) / 2;
  brink_node less = brink_graph_op2(g, BRINK_OP_LE, index, brink_graph_constant(g, (double)middle));
  return brink_graph_select(g, less, choose_cell(c, name, index, first, middle),
                            choose_cell(c, name, index, middle, last));
}

/* In memory the element is looked up, unless this iteration has stored any. */
static brink_node chosen_cell(flat_context *c, const flat_name *name, const brink_ast_part *part) {
  brink_node index = flat_linear_index(c, part, name->shape);
  if (index == BRINK_NO_NODE) return BRINK_NO_NODE;
  if (!name->in_memory) return choose_cell(c, name, index, 0, name->length);
  if (name->stores != NULL) {
    c->shared->stuck = true;
    return BRINK_NO_NODE;
  }
  brink_ref array = {
      .space = BRINK_SPACE_LOCAL, .base = name->slot, .extent = (uint32_t)name->length, .step = 1};
  return brink_graph_lookup(c->graph, index, array);
}

static void assign_chosen_cell(flat_context *c, flat_name *name, const brink_ast_part *part,
                               const brink_ast_expr *expr) {
  brink_graph *g = c->graph;
  brink_node index = flat_linear_index(c, part, name->shape);
  brink_node node = flat_expr(c, expr);
  for (size_t k = 0; k < name->length && !c->f->failed; k++) {
    brink_node here = flat_is_chosen(g, index, k, name->length);
    if (name->cell[k] != BRINK_NO_NODE)
      name->cell[k] = brink_graph_select(g, here, node, name->cell[k]);
  }
}

/* ---- reading and assigning ---- */

static void no_value(flat_context *c, const flat_name *name, brink_place place) {
  flat_error(c->f, BRINK_MSG_LOCAL_WITHOUT_VALUE, place, "give it a value before, as a whole",
             "'%s' has no value yet", name->symbol->name);
}

/* The elements of the loop that the expression stands in, each by its number. */
static brink_node each_cell(flat_context *c, flat_name *name) {
  uint32_t *elements = brink_arena_pack(&c->f->scratch, c->kernel->count, sizeof *elements);
  if (elements == NULL) {
    flat_out_of_memory(c->f);
    return BRINK_NO_NODE;
  }
  for (size_t i = 0; i < c->kernel->count; i++) elements[i] = (uint32_t)flat_element_at(c, i);
  brink_node number = flat_numbers(c, elements, name->length);
  brink_node index =
      brink_graph_op2(c->graph, BRINK_OP_ADD, number, brink_graph_constant(c->graph, 1.0));
  return choose_cell(c, name, index, 0, name->length);
}

brink_node flat_cell_node(flat_context *c, flat_name *name, const brink_ast_expr *expr) {
  if (name->length == 0) {
    no_value(c, name, expr->place);
    return BRINK_NO_NODE;
  }
  bool each = c->element == BRINK_NONE && (c->element_loop || c->elements != NULL);
  if (expr->part[0].index == NULL && each && name->length > 1 && !name->in_memory)
    return each_cell(c, name);
  if (is_chosen(c, name, expr->part[0].index)) return chosen_cell(c, name, &expr->part[0]);
  if (name->in_memory && expr->part[0].index != NULL) {
    const uint32_t *elements = memory_elements(c, name, &expr->part[0]);
    return elements != NULL ? memory_node(c, name, elements) : BRINK_NO_NODE;
  }
  if (name->in_memory) {
    c->shared->stuck = true; /* as a whole: the loop is written out */
    return BRINK_NO_NODE;
  }
  if (c->elements != NULL && !brink_names_element(&expr->part[0]) && name->length > 1) {
    if (expr->part[0].index != NULL) return chosen_cell(c, name, &expr->part[0]);
    brink_graph *g = c->graph;
    brink_node number = flat_numbers(c, c->elements, name->length);
    brink_node index = brink_graph_op2(g, BRINK_OP_ADD, number, brink_graph_constant(g, 1.0));
    return c->f->failed ? BRINK_NO_NODE : choose_cell(c, name, index, 0, name->length);
  }
  size_t element = c->element == BRINK_NONE || name->length == 1 ? 0 : c->element;
  if (expr->part[0].index != NULL && !cell_element(c, name, &expr->part[0], &element))
    return BRINK_NO_NODE;
  if (element >= name->length) {
    flat_lengths_differ(c->f, expr->place, name->length, element + 1);
    return BRINK_NO_NODE;
  }
  if (name->cell[element] == BRINK_NO_NODE && !c->graph->failed && !c->f->failed)
    no_value(c, name, expr->place);
  return name->cell[element];
}

/* x[1..3] := …, all right-hand sides first. */
static void assign_slice(flat_context *c, flat_name *name, const brink_ast_expr *target,
                         const brink_ast_expr *expr) {
  flat *f = c->f;
  size_t length = flat_vector_length(c, target), given = flat_vector_length(c, expr);
  size_t element = 0;
  if (f->failed) return;
  if (given != length && given != 1) {
    flat_lengths_differ(f, expr->place, length, given);
    return;
  }
  brink_node *nodes = translate_elements(c, expr, length);
  for (size_t k = 0; nodes != NULL && k < length; k++) {
    flat_context at = *c;
    at.element = k;
    at.elements = NULL;
    if (!cell_element(&at, name, &target->part[0], &element)) return;
    name->cell[element] = nodes[k];
  }
}

void flat_assign_cell(flat_context *c, const brink_ast_expr *target, const brink_ast_expr *expr,
                      brink_node when) {
  flat *f = c->f;
  flat_name *name = flat_find_name(c, target->part[0].symbol);
  if (name == NULL || !name->is_cell) {
    f->failed = true;
    return;
  }
  size_t element = 0;
  const brink_ast_expr *chosen = target->part[0].index;
  if (chosen != NULL && name->length == 0) {
    no_value(c, name, target->place);
    return;
  }
  if (is_chosen(c, name, chosen)) {
    size_t length = flat_vector_length(c, target);
    if (name->in_memory) c->shared->stuck = true; /* the loop is written out */
    for (size_t k = 0; k < length && !name->in_memory && !f->failed; k++) {
      flat_context at = *c;
      if (brink_index_rank(chosen) > 0) at.element = k;
      assign_chosen_cell(&at, name, &target->part[0], expr);
    }
    return;
  }
  if (name->in_memory) {
    const uint32_t *elements = NULL;
    if (brink_names_element(&target->part[0]))
      elements = memory_elements(c, name, &target->part[0]);
    if (elements == NULL) c->shared->stuck = true;
    brink_node node = elements != NULL ? flat_expr(c, expr) : BRINK_NO_NODE;
    if (!f->failed && !c->shared->stuck) store_node(c, name, elements, node, when);
    return;
  }
  if (brink_index_rank(target->part[0].index) > 0) {
    assign_slice(c, name, target, expr);
    return;
  }
  if (target->part[0].index != NULL) {
    if (!cell_element(c, name, &target->part[0], &element)) return;
    brink_node node = flat_expr(c, expr);
    if (!f->failed) name->cell[element] = node;
    return;
  }
  size_t length = flat_vector_length(c, expr);
  if (f->failed) return;
  flat_shape shape; /* the first value of a result gives it its elements */
  if (name->length == 0 && (!flat_shape_of(c, expr, &shape) || !take_cell(f, name, shape))) {
    f->failed = true;
    return;
  }
  if (length != name->length && length != 1) {
    flat_error(f, BRINK_MSG_EQUATION_LENGTH, expr->place, NULL,
               "%zu elements are given for '%s', which has %zu", length, name->symbol->name,
               name->length);
    return;
  }
  brink_node *nodes = translate_elements(c, expr, name->length);
  if (nodes != NULL) memcpy(name->cell, nodes, name->length * sizeof *nodes);
}

/* ---- branches ---- */

flat_snapshot *flat_take_snapshot(flat_context *c) {
  flat_snapshot *list = NULL;
  for (flat_name *name = c->names; name != NULL; name = name->outer) {
    if (!name->is_cell || name->in_memory) continue;
    flat_snapshot *one = brink_arena_pack(&c->f->scratch, 1, sizeof *one);
    brink_node *nodes = brink_arena_pack(&c->f->scratch, name->length, sizeof *nodes);
    if (one == NULL || nodes == NULL || !flat_spend(c->f, name->symbol->place, name->length)) {
      if (one == NULL || nodes == NULL) flat_out_of_memory(c->f);
      return NULL;
    }
    if (name->length > 0) memcpy(nodes, name->cell, name->length * sizeof *nodes);
    *one = (flat_snapshot){.name = name, .nodes = nodes, .length = name->length, .next = list};
    list = one;
  }
  return list;
}

/* A result of a function may have got its elements since. */
void flat_restore_snapshot(const flat_snapshot *snapshot) {
  for (; snapshot != NULL; snapshot = snapshot->next) {
    flat_name *name = snapshot->name;
    for (size_t k = 0; k < name->length; k++)
      name->cell[k] = k < snapshot->length ? snapshot->nodes[k] : BRINK_NO_NODE;
  }
}

/* What a cell is after an if: of a branch that gives it no value, none. */
static brink_node choose(brink_graph *graph, brink_node condition, brink_node yes, brink_node no) {
  double known;
  if (brink_graph_is_constant(graph, condition, &known)) return known != 0.0 ? yes : no;
  if (yes == no) return yes;
  if (yes == BRINK_NO_NODE || no == BRINK_NO_NODE) return BRINK_NO_NODE;
  return brink_graph_select(graph, condition, yes, no);
}

void flat_merge_branch(flat_context *c, brink_node condition, const flat_snapshot *yes) {
  for (; yes != NULL; yes = yes->next) {
    flat_name *name = yes->name;
    for (size_t k = 0; k < name->length; k++) {
      brink_node there = k < yes->length ? yes->nodes[k] : BRINK_NO_NODE;
      name->cell[k] = choose(c->graph, condition, there, name->cell[k]);
    }
  }
}
