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
static const flat_binding *bind_loops(const flat_context *c, size_t r, flat_binding *bindings) {
  const flat_binding *binding = c->fixed;
  for (size_t k = c->nloops; k-- > 0;) {
    const flat_loop *loop = &c->loop[k];
    size_t at = r % loop->count;
    r /= loop->count;
    if (loop->symbol == NULL) continue;
    bindings[k] = (flat_binding){
        .symbol = loop->symbol, .value = (double)(loop->lo + (int64_t)at), .outer = binding};
    binding = &bindings[k];
  }
  return binding;
}

/* Does an index depend on nothing but loop variables? Then it is the same in all instances. */
static bool only_loops(const brink_ast_expr *expr) {
  if (expr->op == BRINK_AST_NAME)
    return expr->nparts == 1 && expr->part[0].symbol != NULL &&
           expr->part[0].symbol->kind == BRINK_SYMBOL_LOOP;
  for (size_t k = 0; k < expr->nargs; k++) {
    if (!only_loops(expr->arg[k])) return false;
  }
  return true;
}

static bool element_of(flat_context *c, const flat_variable *variable, const brink_ast_part *part,
                       size_t instance, size_t r, size_t *k) {
  *k = 0;
  if (part->index != NULL) {
    flat_binding bindings[FLAT_LOOPS];
    flat_point point = {.group = c->group,
                        .instance = instance,
                        .element = BRINK_NONE,
                        .binding = bind_loops(c, r, bindings)};
    int64_t index;
    if (!flat_whole(c->f, &point, part->index, part->name, 1, (int64_t)variable->length, &index)) {
      c->f->failed = true;
      return false;
    }
    *k = (size_t)(index - 1);
  } else if (variable->symbol->size != NULL) {
    if (c->element != BRINK_NONE)
      *k = c->element;
    else if (c->element_loop)
      *k = r % c->loop[c->nloops - 1].count;
    if (*k >= variable->length) {
      flat_error(c->f, BRINK_MSG_ELEMENTS_NEEDED, part->place, NULL,
                 "'%s' has %u elements, but %zu are needed", part->name, variable->length, *k + 1);
      return false;
    }
  }
  return true;
}

/* The slots of a name in all iterations. */
static bool find_slots(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                       brink_space space, uint32_t *slots) {
  const brink_ast_part *part = &name->part[name->nparts - 1];
  const uint32_t *partner = NULL;
  if (name->nparts > 1 && name->part[0].symbol->kind == BRINK_SYMBOL_PARTNER)
    partner = c->group->partner[name->part[0].symbol == c->group->pair->partner[0] ? 0 : 1];
  bool shared = part->index == NULL || only_loops(part->index);
  bool outer = partner == NULL && variable->group != c->group; /* of the system around a pair */
  bool now = variable->sampled && space == BRINK_SPACE_V;
  const uint32_t *table = now ? NULL : variable->slots;
  uint32_t base = now ? variable->now_base : variable->base;
  size_t repeat = c->repeat, instances = c->kernel->count / repeat;
  for (size_t r = 0; r < repeat; r++) {
    size_t k = 0;
    for (size_t i = 0; i < instances; i++) {
      if ((i == 0 || !shared) && !element_of(c, variable, part, i, r, &k)) return false;
      size_t instance = outer ? 0 : partner != NULL ? partner[i] : i;
      size_t element = instance * variable->length + k;
      slots[i * repeat + r] = table != NULL ? table[element] : base + (uint32_t)element;
    }
  }
  return true;
}

static bool name_ref(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                     brink_space space, brink_ref *ref) {
  if (flat_size(c->f, variable) == 0) return false;
  uint32_t *slots = slot_room(c->f, c->kernel->count);
  if (slots == NULL || !find_slots(c, variable, name, space, slots)) return false;
  *ref = flat_make_ref(c->f, space, slots, c->kernel->count);
  return !c->f->failed;
}

brink_node flat_ref(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                    brink_space as) {
  brink_ref ref;
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

/* The number that a loop variable is in each iteration. */
static brink_node loop_value(flat_context *c, const brink_symbol *symbol) {
  symbol = flat_loop_symbol(symbol);
  for (const flat_binding *b = c->fixed; b != NULL; b = b->outer) {
    if (flat_loop_symbol(b->symbol) == symbol) return brink_graph_constant(c->graph, b->value);
  }
  size_t after = 1;
  for (size_t k = c->nloops; k-- > 0;) {
    const flat_loop *loop = &c->loop[k];
    if (loop->symbol != symbol) {
      after *= loop->count;
      continue;
    }
    uint32_t base, *slots = slot_room(c->f, c->kernel->count);
    if (slots == NULL || !flat_room(c->f, BRINK_SPACE_K, loop->count, &base)) return BRINK_NO_NODE;
    for (size_t j = 0; j < loop->count; j++)
      c->f->system->k[base + j] = (double)(loop->lo + (int64_t)j);
    for (size_t i = 0; i < c->kernel->count; i++)
      slots[i] = base + (uint32_t)(i / after % loop->count);
    return brink_graph_ref(c->graph, flat_make_ref(c->f, BRINK_SPACE_K, slots, c->kernel->count));
  }
  return BRINK_NO_NODE;
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

/* An argument or a let: translated once for each element it is used at. */
static brink_node bound_name(flat_context *c, const brink_ast_expr *expr) {
  flat_name *name = c->names;
  while (name != NULL && name->symbol != expr->part[0].symbol) name = name->outer;
  if (name == NULL) return BRINK_NO_NODE;
  flat_context inner = *name->scope;
  inner.names = name->scope_names;
  inner.element = c->element;
  inner.element_loop = c->element_loop;
  inner.plain = inner.plain || c->plain;
  inner.pre = c->pre;
  inner.functions = c->functions + 1;
  if (expr->part[0].index != NULL) {
    flat_binding bindings[FLAT_LOOPS];
    flat_point point = {
        .group = c->group, .element = BRINK_NONE, .binding = bind_loops(c, 0, bindings)};
    int64_t index;
    if (!flat_whole(c->f, &point, expr->part[0].index, name->symbol->name, 1, INT32_MAX, &index))
      return BRINK_NO_NODE;
    inner.element = (size_t)(index - 1);
  }
  size_t place = inner.element == BRINK_NONE ? 0 : inner.element + 1;
  bool keep = inner.plain == name->scope->plain && place < 4096;
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
