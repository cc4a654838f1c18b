/* flat_ref.c: which slots a name stands for, in all iterations of a kernel; names of loops, functions and
 * lets. */
#include <math.h>
#include <string.h>

#include "lang/flat.h"

/* ---- which slot ---- */

brink_ref flat_make_ref(flat *f, brink_space space, uint32_t *slots, size_t count) {
  brink_ref ref;
  if (!brink_ref_from_slots(f->arena, space, slots, count, &ref)) flat_out_of_memory(f);
  return ref;
}

static uint32_t *slot_room(flat *f, size_t count) {
  if (count > f->slots_capacity) {
    f->slots = brink_arena_pack(&f->scratch, count, sizeof *f->slots);
    f->slots_capacity = f->slots != NULL ? count : 0;
    if (f->slots == NULL) flat_out_of_memory(f);
  }
  return f->slots;
}

/* The loop variables of repetition r, in front of the fixed ones. */
static const flat_binding *bind_loops(const flat_context *c, size_t r, flat_binding *next) {
  const flat_binding *binding = c->fixed;
  for (size_t k = c->nloops; k-- > 0;) {
    const flat_loop *loop = &c->loop[k];
    size_t at = r % loop->count;
    r /= loop->count;
    for (const flat_values *v = loop->values; v != NULL; v = v->next) {
      *next = (flat_binding){.symbol = v->symbol, .value = v->values[at], .outer = binding};
      binding = next++;
    }
    if (loop->symbol == NULL) continue;
    *next = (flat_binding){
        .symbol = loop->symbol, .value = (double)(loop->lo + (int64_t)at), .outer = binding};
    binding = next++;
  }
  return binding;
}

/* Does an index depend on nothing but loop variables? Then it is the same in all instances. */
bool flat_only_loops(const brink_ast_expr *expr) {
  if (expr->op == BRINK_AST_NAME)
    return expr->nparts == 1 && expr->part[0].symbol != NULL &&
           expr->part[0].symbol->kind == BRINK_SYMBOL_LOOP;
  for (size_t k = 0; k < expr->nargs; k++) {
    if (!flat_only_loops(expr->arg[k])) return false;
  }
  return true;
}

static bool has_names(const brink_ast_expr *expr) {
  if (expr->op == BRINK_AST_NAME && expr->part[0].symbol != NULL &&
      (expr->part[0].symbol->kind == BRINK_SYMBOL_ARGUMENT ||
       expr->part[0].symbol->kind == BRINK_SYMBOL_LET))
    return true;
  for (size_t k = 0; k < expr->nargs; k++) {
    if (has_names(expr->arg[k])) return true;
  }
  return false;
}

/* Arguments and lets, in front of the loop variables: each is evaluated in its own scope. NULL: no memory, or nothing. */
static const flat_binding *bind_names(flat *f, const flat_name *names, const flat_point *point) {
  const flat_binding *binding = point->binding;
  for (const flat_name *name = names; name != NULL; name = name->outer) {
    flat_binding *made = brink_arena_pack(&f->scratch, 1, sizeof *made);
    flat_point *scope = brink_arena_pack(&f->scratch, 1, sizeof *scope);
    if (made == NULL || scope == NULL) {
      flat_out_of_memory(f);
      return NULL;
    }
    *scope = *point;
    scope->binding = bind_names(f, name->scope_names, point);
    *made = (flat_binding){
        .symbol = name->symbol, .expr = name->expr, .point = scope, .outer = binding};
    binding = made;
  }
  return binding;
}

flat_point flat_point_at(const flat_context *c, size_t iteration, flat_binding *bindings) {
  flat_point point = {.group = c->group,
                      .instance = iteration / c->repeat,
                      .element = BRINK_NONE,
                      .binding = bind_loops(c, iteration % c->repeat, bindings)};
  if (c->names != NULL) point.binding = bind_names(c->f, c->names, &point);
  return point;
}

bool flat_same_bounds(const flat_context *c, const brink_ast_expr *expr) {
  return c->kernel->count == 1 || (expr->arg[1]->constant && expr->arg[2]->constant);
}

/* What an index that is known before the run names in one iteration: element e of it. */
static bool known_index(flat_context *c, const brink_ast_expr *index, const char *name,
                        flat_shape of, size_t iteration, size_t *k) {
  flat_binding bindings[FLAT_BINDINGS];
  flat_point point = {.group = c->group,
                      .instance = iteration / c->repeat,
                      .element = BRINK_NONE,
                      .binding = bind_loops(c, iteration % c->repeat, bindings)};
  if (index != NULL && has_names(index)) point.binding = bind_names(c->f, c->names, &point);
  flat_selection selection;
  if (!flat_select(c->f, &point, index, name, of, &selection)) {
    c->f->failed = true;
    return false;
  }
  size_t e = index != NULL && brink_index_rank(index) == 0 ? 0 : flat_element_at(c, iteration);
  if (e == BRINK_NONE) e = 0;
  size_t length = selection.count[0] * selection.count[1];
  if (e >= length) {
    flat_lengths_differ(c->f, index != NULL ? index->place : c->kernel->place, length, e + 1);
    return false;
  }
  *k = flat_selected(&selection, e);
  return true;
}

size_t flat_element_at(const flat_context *c, size_t iteration) {
  if (c->elements != NULL) return c->elements[iteration];
  if (c->element != BRINK_NONE) return c->element;
  return c->element_loop ? iteration % c->loop[c->nloops - 1].count : BRINK_NONE;
}

static bool element_of(flat_context *c, flat_variable *variable, const brink_ast_part *part,
                       size_t instance, size_t r, size_t *k) {
  size_t iteration = instance * c->repeat + r;
  *k = 0;
  if (part->index != NULL)
    return known_index(c, part->index, part->name, flat_variable_shape(c->f, variable), iteration,
                       k);
  if (variable->symbol->size == NULL) return true;
  *k = flat_element_at(c, iteration);
  if (*k == BRINK_NONE) *k = 0;
  if (*k < variable->length) return true;
  flat_lengths_differ(c->f, part->place, variable->length, *k + 1);
  return false;
}

/* Which instance of the group that a path leads into, from instance `from` of the one where it starts (its part `at`). */
static bool instance_of(flat_context *c, const brink_ast_expr *name, size_t at, flat_group *group,
                        size_t from, size_t iteration, size_t *instance) {
  *instance = from;
  for (size_t k = at; k + 1 < name->nparts; k++) {
    const brink_ast_part *part = &name->part[k];
    size_t which = 0;
    group = flat_child(group, part->symbol);
    if (group == NULL) {
      c->f->failed = true;
      return false;
    }
    flat_shape array = {.rank = 1, .rows = 1, .columns = group->dimension};
    if (part->index != NULL && !known_index(c, part->index, part->name, array, iteration, &which))
      return false;
    *instance = *instance * (group->dimension > 0 ? group->dimension : 1) + which;
  }
  return true;
}

/* The slots of a name in all iterations; `fixed` (or BRINK_NONE): of this element, whatever its index is. */
static bool find_slots(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                       brink_space space, size_t fixed, uint32_t *slots) {
  const brink_ast_part *part = &name->part[name->nparts - 1];
  const uint32_t *partner = NULL;
  flat_group *start = c->group; /* of the path */
  if (name->nparts > 1 && name->part[0].symbol->kind == BRINK_SYMBOL_PARTNER) {
    int side = name->part[0].symbol == c->group->pair->partner[0] ? 0 : 1;
    partner = c->group->partner[side];
    start = c->group->partner_group[side];
  }
  bool shared = (part->index == NULL || flat_only_loops(part->index)) &&
                (c->elements == NULL || brink_names_element(part));
  bool outer = name->nparts == 1 && variable->group != c->group; /* of the system around a pair */
  bool now = variable->sampled && space == BRINK_SPACE_V;
  const uint32_t *table = now ? NULL : variable->slots;
  uint32_t base = now ? variable->now_base : variable->base;
  size_t repeat = c->repeat, instances = repeat > 0 ? c->kernel->count / repeat : 0;
  for (size_t r = 0; r < repeat; r++) {
    size_t k = fixed == BRINK_NONE ? 0 : fixed;
    for (size_t i = 0; i < instances; i++) {
      bool asks = fixed == BRINK_NONE && (i == 0 || !shared);
      if (asks && !element_of(c, variable, part, i, r, &k)) return false;
      size_t instance = outer ? 0 : partner != NULL ? partner[i] : i;
      if (name->nparts > 1 && !instance_of(c, name, partner != NULL ? 1 : 0, start, instance,
                                           i * repeat + r, &instance))
        return false;
      size_t element = instance * variable->length + k;
      slots[i * repeat + r] = table != NULL ? table[element] : base + (uint32_t)element;
    }
  }
  return true;
}

brink_ref flat_instance_ref(flat_context *c, brink_space space, uint32_t base) {
  uint32_t *slots = slot_room(c->f, c->kernel->count);
  if (slots == NULL) return (brink_ref){.space = space, .base = base};
  for (size_t i = 0; i < c->kernel->count; i++) slots[i] = base + (uint32_t)(i / c->repeat);
  return flat_make_ref(c->f, space, slots, c->kernel->count);
}

bool flat_element_ref(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                      brink_space as, size_t element, brink_ref *ref) {
  if (flat_size(c->f, variable) == 0) return false;
  uint32_t *slots = slot_room(c->f, c->kernel->count);
  if (slots == NULL || !find_slots(c, variable, name, as, element, slots)) return false;
  *ref = flat_make_ref(c->f, as, slots, c->kernel->count);
  return !c->f->failed;
}

static bool name_ref(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                     brink_space space, brink_ref *ref) {
  return flat_element_ref(c, variable, name, space, BRINK_NONE, ref);
}

brink_node flat_ref(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                    brink_space as) {
  const brink_ast_part *last = &name->part[name->nparts - 1];
  brink_ref ref;
  for (size_t k = 0; k + 1 < name->nparts; k++) {
    if (name->part[k].index != NULL && !flat_index_known(c, name->part[k].index))
      return flat_chosen_part(c, variable, name, k, as);
  }
  if (last->index != NULL && !flat_index_known(c, last->index)) {
    flat_shape of = flat_variable_shape(c->f, variable);
    if (of.columns == 0) return BRINK_NO_NODE;
    return flat_element(c, variable, name, as, flat_linear_index(c, last, of));
  }
  if (!name_ref(c, variable, name, as, &ref)) return BRINK_NO_NODE;
  return brink_graph_ref(c->graph, ref);
}

bool flat_target(flat_context *c, const brink_ast_expr *name, bool prime, brink_ref *ref,
                 flat_variable **variable) {
  *variable = flat_find(c->f, c->group, name);
  if (*variable == NULL) {
    c->f->failed = true;
    return false;
  }
  brink_space space = (*variable)->sampled ? BRINK_SPACE_V : (*variable)->space;
  return name_ref(c, *variable, name, prime ? BRINK_SPACE_DX : space, ref);
}

/* ---- names ---- */

/* Which loop of the context has this variable, and its values if they are a list; NULL: none. */
static const flat_loop *find_loop(const flat_context *c, const brink_symbol *symbol, size_t *after,
                                  const double **values) {
  *after = 1;
  for (size_t k = c->nloops; k-- > 0;) {
    const flat_loop *loop = &c->loop[k];
    *values = NULL;
    for (const flat_values *v = loop->values; v != NULL; v = v->next) {
      if (v->symbol == symbol) *values = v->values;
    }
    if (loop->symbol == symbol || *values != NULL) return loop;
    *after *= loop->count;
  }
  return NULL;
}

/* The number that a loop variable is in each iteration. */
static brink_node loop_value(flat_context *c, const brink_symbol *symbol) {
  symbol = flat_loop_symbol(symbol);
  for (const flat_binding *b = c->fixed; b != NULL; b = b->outer) {
    if (flat_loop_symbol(b->symbol) == symbol) return brink_graph_constant(c->graph, b->value);
  }
  size_t after;
  const double *values;
  const flat_loop *loop = find_loop(c, symbol, &after, &values);
  if (loop == NULL) return BRINK_NO_NODE;
  uint32_t base, *slots = slot_room(c->f, c->kernel->count);
  if (slots == NULL || !flat_room(c->f, BRINK_SPACE_K, loop->count, &base)) return BRINK_NO_NODE;
  for (size_t j = 0; j < loop->count; j++)
    c->f->system->k[base + j] = values != NULL ? values[j] : (double)(loop->lo + (int64_t)j);
  for (size_t i = 0; i < c->kernel->count; i++)
    slots[i] = base + (uint32_t)(i / after % loop->count);
  return brink_graph_ref(c->graph, flat_make_ref(c->f, BRINK_SPACE_K, slots, c->kernel->count));
}

brink_node flat_numbers(flat_context *c, const uint32_t *numbers, size_t n) {
  uint32_t base, *slots = slot_room(c->f, c->kernel->count);
  if (slots == NULL || !flat_room(c->f, BRINK_SPACE_K, n, &base)) return BRINK_NO_NODE;
  for (size_t j = 0; j < n; j++) c->f->system->k[base + j] = (double)j;
  for (size_t i = 0; i < c->kernel->count; i++) {
    if (numbers[i] >= n) c->f->failed = true;
    slots[i] = base + numbers[i];
  }
  return brink_graph_ref(c->graph, flat_make_ref(c->f, BRINK_SPACE_K, slots, c->kernel->count));
}

void flat_push_name(flat_context *c, flat_name *name, const brink_symbol *symbol,
                    const brink_ast_expr *expr, const flat_context *scope) {
  *name = (flat_name){.symbol = symbol,
                      .expr = expr,
                      .scope = scope,
                      .scope_names = scope->names,
                      .outer = c->names};
  c->names = name;
}

bool flat_loop_index(flat_context *c, const brink_ast_expr *index, const char *what, flat_shape of,
                     size_t r, int64_t *value) {
  size_t k = 0;
  if (of.rank == 0) of.rank = 1;
  if (!known_index(c, index, what, of, r, &k)) return false;
  *value = (int64_t)k + 1;
  return true;
}

bool flat_known_bounds(flat_context *c, const brink_ast_statement *s, int64_t *lo, int64_t *hi) {
  for (size_t i = 0; i < c->kernel->count; i++) {
    flat_binding bindings[FLAT_BINDINGS];
    flat_point point = {.group = c->group,
                        .instance = i / c->repeat,
                        .element = BRINK_NONE,
                        .binding = bind_loops(c, i % c->repeat, bindings)};
    if (has_names(s->lo) || has_names(s->hi)) point.binding = bind_names(c->f, c->names, &point);
    int64_t first, last;
    if (!flat_bounds(c->f, &point, s, &first, &last)) return false;
    if (i > 0 && !flat_bounds_agree(c->f, s, first == *lo && last == *hi)) return false;
    *lo = first;
    *hi = last;
    if (s->lo->constant && s->hi->constant) break;
  }
  return c->kernel->count > 0;
}

bool flat_index_fixed(const flat_context *c, const brink_ast_expr *index) {
  return flat_index_known(c, index) && (c->group->count == 1 || flat_only_loops(index));
}

/* An argument or a let, translated once for each element it is used at. */
static brink_node bound_element(flat_context *c, flat_name *name, bool indexed) {
  flat_context inner = *name->scope;
  inner.names = name->scope_names;
  inner.element = c->element;
  inner.element_loop = c->element_loop;
  inner.elements = c->elements;
  inner.plain = inner.plain || c->plain;
  inner.pre = c->pre;
  inner.functions = c->functions + 1;
  if (!indexed && flat_draws(name->expr) &&
      flat_vector_length(&inner, name->expr) == 1) { /* one draw, whatever it is an element of */
    inner.element = BRINK_NONE;
    inner.element_loop = false;
    inner.elements = NULL;
  }
  size_t place = inner.element == BRINK_NONE ? 0 : inner.element + 1;
  /* Where an index is checked depends on where it is read; but what was drawn stays. */
  bool keep = inner.plain == name->scope->plain && place < 4096 && inner.elements == NULL &&
              (flat_draws(name->expr) || !flat_chooses(&inner, name->expr));
  if (keep && place >= name->nmemo) {
    brink_node *memo = brink_arena_pack(&c->f->scratch, place + 8, sizeof *memo);
    if (memo == NULL) {
      flat_out_of_memory(c->f);
      return BRINK_NO_NODE;
    }
    if (name->nmemo > 0) memcpy(memo, name->memo, name->nmemo * sizeof *memo);
    for (size_t k = name->nmemo; k < place + 8; k++) memo[k] = BRINK_NO_NODE;
    name->memo = memo;
    name->nmemo = place + 8;
  }
  if (keep && name->memo[place] != BRINK_NO_NODE) return name->memo[place];
  brink_node node = flat_expr(&inner, name->expr);
  if (keep) name->memo[place] = node;
  return node;
}

/* One of the elements first … last - 1, by an index that changes during the run. */
static brink_node choose_bound(flat_context *c, flat_name *name, brink_node index, size_t first,
                               size_t last) {
  if (last - first == 1) {
    flat_context at = *c;
    at.element = first;
    at.elements = NULL;
    return bound_element(&at, name, true);
  }
  brink_graph *g = c->graph;
  size_t middle = first + (last - first) / 2;
  brink_node less = brink_graph_op2(g, BRINK_OP_LE, index, brink_graph_constant(g, (double)middle));
  return brink_graph_select(g, less, choose_bound(c, name, index, first, middle),
                            choose_bound(c, name, index, middle, last));
}

/* The element in each iteration by an index that is known before the run. */
static bool bind_known(flat_context *c, const brink_ast_expr *index, const char *name,
                       flat_shape of, flat_context *at) {
  size_t count = c->kernel->count, k = 0;
  bool many = c->elements != NULL || (c->element == BRINK_NONE && c->element_loop);
  bool same = index->op == BRINK_AST_NUMBER || count == 1 || (index->constant && !many);
  if (same && !known_index(c, index, name, of, 0, &k)) return false;
  at->element = k;
  at->elements = NULL;
  if (same) return true;
  uint32_t *elements = brink_arena_pack(&c->f->scratch, count, sizeof *elements);
  if (elements == NULL) {
    flat_out_of_memory(c->f);
    return false;
  }
  same = true;
  for (size_t i = 0; i < count; i++) {
    if (!known_index(c, index, name, of, i, &k)) return false;
    elements[i] = (uint32_t)k;
    same = same && elements[i] == elements[0];
  }
  at->element = same ? elements[0] : BRINK_NONE;
  at->elements = same ? NULL : elements;
  return true;
}

/* An argument or a let, whole or one of its elements. */
static brink_node bound_name(flat_context *c, const brink_ast_expr *expr) {
  const brink_ast_expr *index = expr->part[0].index;
  flat_name *name = flat_find_name(c, expr->part[0].symbol);
  if (name == NULL) return BRINK_NO_NODE;
  if (name->is_cell) return flat_cell_node(c, name, expr);
  if (index == NULL) return bound_element(c, name, false);
  flat_context scope = *name->scope, at = *c;
  scope.names = name->scope_names;
  flat_shape of;
  if (!flat_shape_of(&scope, name->expr, &of)) {
    c->f->failed = true;
    return BRINK_NO_NODE;
  }
  if (flat_index_known(c, index))
    return bind_known(c, index, name->symbol->name, of, &at) ? bound_element(&at, name, true)
                                                             : BRINK_NO_NODE;
  brink_node node = flat_linear_index(c, &expr->part[0], of);
  if (node == BRINK_NO_NODE) return BRINK_NO_NODE;
  return choose_bound(c, name, node, 0, of.rows * of.columns);
}

/* A flag that is a formula, read as what it says: its sign is that of what holds. Another has a sign only. */
static brink_node flag_node(flat_context *c, flat_variable *flag, const brink_ast_expr *expr) {
  if (!flag->symbol->boolean_flag) {
    flat_error(c->f, BRINK_MSG_NOT_A_VALUE, expr->place,
               brink_unit_format(c->f->unit, "read its sign: sgn(%s)", flag->symbol->name),
               "'%s' is %s, not a value", flag->symbol->name, "a flag");
    return BRINK_NO_NODE;
  }
  brink_node sign = flat_ref(c, flag, expr, BRINK_SPACE_SIGN);
  if (sign == BRINK_NO_NODE) return BRINK_NO_NODE;
  return brink_graph_op2(c->graph, BRINK_OP_LT, brink_graph_constant(c->graph, 0.0), sign);
}

static brink_node declared_name(flat_context *c, const brink_ast_expr *expr) {
  static const brink_space before[BRINK_SPACE_COUNT] = {
      [BRINK_SPACE_X] = BRINK_SPACE_PRE_X,
      [BRINK_SPACE_P] = BRINK_SPACE_PRE_P,
      [BRINK_SPACE_MODE] = BRINK_SPACE_PRE_MODE,
  };
  flat_variable *variable = flat_find(c->f, c->group, expr);
  if (variable == NULL) {
    c->f->failed = true;
    return BRINK_NO_NODE;
  }
  if (variable->symbol->kind == BRINK_SYMBOL_FLAG && !c->pre) return flag_node(c, variable, expr);
  brink_space space = variable->space;
  /* A dtc sees what its own equations give now, others what is held. */
  if (variable->sampled && variable->group == c->group && !c->pre) space = BRINK_SPACE_V;
  if (c->pre) {
    if (space != BRINK_SPACE_X && space != BRINK_SPACE_P && space != BRINK_SPACE_MODE) {
      flat_error(c->f, BRINK_MSG_PRE_OF_NO_STATE, expr->place,
                 "write the expression with pre of the states in it",
                 "'pre' takes a state, a mode or a held value, but this is %s", "a signal");
      return BRINK_NO_NODE;
    }
    space = before[space];
  }
  return flat_ref(c, variable, expr, space);
}

brink_node flat_name_node(flat_context *c, const brink_ast_expr *expr) {
  switch (expr->predefined) {
  case BRINK_PREDEFINED_TIME:
    return brink_graph_time(c->graph);
  case BRINK_PREDEFINED_TRUE:
    return brink_graph_constant(c->graph, 1.0);
  case BRINK_PREDEFINED_FALSE:
    return brink_graph_constant(c->graph, 0.0);
  case BRINK_PREDEFINED_PI:
    return brink_graph_constant(c->graph, 3.14159265358979323846);
  case BRINK_PREDEFINED_INF:
    return brink_graph_constant(c->graph, (double)INFINITY);
  case BRINK_PREDEFINED_NOT:
    break;
  }
  const brink_symbol *symbol = expr->part[0].symbol;
  if (symbol == NULL) return BRINK_NO_NODE;
  if (symbol->kind == BRINK_SYMBOL_LOOP) return loop_value(c, symbol);
  if (symbol->kind == BRINK_SYMBOL_ARGUMENT || symbol->kind == BRINK_SYMBOL_LET)
    return bound_name(c, expr);
  return declared_name(c, expr);
}
