/* flat_expr.c: expressions become graphs.
 *
 * One translation serves all iterations of a kernel: instances of the group, times the loops of the
 * statement, times the elements of a vector. What differs between them is which slots are read, and
 * flat_ref works that out. Inside equations, relations of quantities that vary, and abs, min, floor, …
 * of such, read the locked sign of a flag that is made for them (flat_flag.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lang/flat.h"

void flat_begin(flat_context *c, flat_shared *shared, flat *f, flat_group *group,
                brink_kernel *kernel, flat_purpose purpose) {
  *shared = (flat_shared){0};
  *c = (flat_context){.f = f,
                      .shared = shared,
                      .group = group,
                      .kernel = kernel,
                      .graph = &kernel->graph,
                      .purpose = purpose,
                      .repeat = 1,
                      .element = BRINK_NONE,
                      .active = BRINK_NO_NODE};
}

void flat_begin_graph(flat_context *c) {
  c->repeat = 1;
  for (size_t k = 0; k < c->nloops; k++) c->repeat *= c->loop[k].count;
  c->kernel->count = c->group->count * c->repeat;
  brink_graph_init(c->graph, c->f->arena, c->kernel->count);
}

/* ---- which slot ---- */

brink_ref flat_make_ref(flat *f, brink_space space, uint32_t *slots, size_t count) {
  brink_ref ref = {.space = space, .base = slots[0]};
  if (count > 1) ref.stride = (int32_t)((int64_t)slots[1] - (int64_t)slots[0]);
  for (size_t i = 1; i < count; i++) {
    if ((int64_t)slots[i] - (int64_t)slots[0] == (int64_t)ref.stride * (int64_t)i) continue;
    uint32_t *map = flat_take(f, count, sizeof *map);
    if (map == NULL) return ref;
    memcpy(map, slots, count * sizeof *map);
    return (brink_ref){.space = space, .base = slots[0], .map = map};
  }
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
      flat_error(c->f, part->place, NULL, "%s has %u elements, but %zu are needed", part->name,
                 variable->length, *k + 1);
      return false;
    }
  }
  return true;
}

/* The slots of a name in all iterations. */
static bool find_slots(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                       uint32_t *slots) {
  const brink_ast_part *part = &name->part[name->nparts - 1];
  const uint32_t *partner = NULL;
  if (name->nparts > 1 && name->part[0].symbol->kind == BRINK_SYMBOL_PARTNER)
    partner = c->group->partner[name->part[0].symbol == c->group->pair->partner[0] ? 0 : 1];
  bool shared = part->index == NULL || only_loops(part->index);
  size_t repeat = c->repeat, instances = c->kernel->count / repeat;
  for (size_t r = 0; r < repeat; r++) {
    size_t k = 0;
    for (size_t i = 0; i < instances; i++) {
      if ((i == 0 || !shared) && !element_of(c, variable, part, i, r, &k)) return false;
      size_t element = (partner != NULL ? partner[i] : i) * variable->length + k;
      slots[i * repeat + r] =
          variable->slots != NULL ? variable->slots[element] : variable->base + (uint32_t)element;
    }
  }
  return true;
}

static bool name_ref(flat_context *c, flat_variable *variable, const brink_ast_expr *name,
                     brink_space space, brink_ref *ref) {
  if (flat_size(c->f, variable) == 0) return false;
  uint32_t *slots = slot_room(c->f, c->kernel->count);
  if (slots == NULL || !find_slots(c, variable, name, slots)) return false;
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
  return name_ref(c, *variable, name, prime ? BRINK_SPACE_DX : (*variable)->space, ref);
}

/* ---- what varies ---- */

static bool ref_varies(const flat *f, const brink_ref *ref) {
  switch (ref->space) {
  case BRINK_SPACE_X:
  case BRINK_SPACE_DX:
    return true;
  case BRINK_SPACE_V:
    return f->v_varies[brink_ref_slot(ref, 0)] != 0;
  default:
    return false;
  }
}

bool flat_varies(flat_context *c, brink_node node) {
  flat_shared *shared = c->shared;
  if (node == BRINK_NO_NODE) return false;
  for (size_t k = shared->nvaries; k <= node; k++) {
    if (!brink_arena_grow(&c->f->scratch, (void **)&shared->varies, k, &shared->varies_capacity,
                          1)) {
      flat_out_of_memory(c->f);
      return false;
    }
    const brink_expr_node *n = &c->graph->nodes[k];
    int operands = brink_op_operands((brink_op)n->op);
    bool varies = n->op == BRINK_OP_TIME;
    if (n->op == BRINK_OP_REF) varies = ref_varies(c->f, &c->graph->refs[n->a]);
    varies = varies || (operands > 0 && shared->varies[n->a]) ||
             (operands > 1 && shared->varies[n->b]) || (operands > 2 && shared->varies[n->c]);
    shared->varies[k] = varies;
    shared->nvaries = k + 1;
  }
  return shared->varies[node] != 0;
}

/* Must this be turned into a flag? */
static bool locks(flat_context *c, brink_node node) {
  return c->purpose == FLAT_EQUATION && !c->plain && flat_varies(c, node);
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

/* A dtc's own output, inside its output section: the new value, not the one held. */
static brink_node own_output(flat_context *c, flat_variable *variable) {
  if (variable->translating) {
    flat_error(c->f, variable->symbol->place, NULL, "the output %s depends on itself",
               variable->symbol->name);
    return BRINK_NO_NODE;
  }
  variable->translating = true;
  brink_node node = flat_expr(c, variable->own_equation);
  variable->translating = false;
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
  if (variable->own_equation != NULL && !c->pre && variable->symbol->size == NULL)
    return own_output(c, variable);
  brink_space space = variable->space;
  if (c->pre) {
    if (space != BRINK_SPACE_X && space != BRINK_SPACE_P && space != BRINK_SPACE_MODE) {
      flat_error(c->f, expr->place, "write the expression with pre of the states in it",
                 "pre(%s): only states, modes and held values are remembered",
                 variable->symbol->name);
      return BRINK_NO_NODE;
    }
    space = before[space];
  }
  return flat_ref(c, variable, expr, space);
}

static brink_node name_node(flat_context *c, const brink_ast_expr *expr) {
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

/* ---- operators ---- */

/* a < b and its kin. */
static brink_node relation(flat_context *c, const brink_ast_expr *expr) {
  brink_node a = flat_expr(c, expr->arg[0]), b = flat_expr(c, expr->arg[1]);
  bool greater = expr->op == BRINK_AST_GT || expr->op == BRINK_AST_GE;
  bool strict = expr->op == BRINK_AST_LT || expr->op == BRINK_AST_GT;
  bool equality = expr->op == BRINK_AST_EQ || expr->op == BRINK_AST_NE;
  brink_graph *graph = c->graph;
  bool locked = locks(c, a) || locks(c, b);
  if (equality) {
    if (locked) {
      flat_error(c->f, expr->place,
                 "declare a flag that is the difference of the two, or use <= or >=",
                 "quantities that vary continuously are equal only for an instant");
      return BRINK_NO_NODE;
    }
    return brink_graph_op2(graph, expr->op == BRINK_AST_EQ ? BRINK_OP_EQ : BRINK_OP_NE, a, b);
  }
  if (greater) {
    brink_node kept = a;
    a = b;
    b = kept;
  }
  if (!locked) return brink_graph_op2(graph, strict ? BRINK_OP_LT : BRINK_OP_LE, a, b);
  brink_node sign = flat_locked(c, expr->place, brink_graph_op2(graph, BRINK_OP_SUB, b, a));
  brink_node zero = brink_graph_constant(graph, 0.0);
  return brink_graph_op2(graph, strict ? BRINK_OP_LT : BRINK_OP_LE, zero, sign);
}

static brink_node if_node(flat_context *c, const brink_ast_expr *expr) {
  brink_node condition = flat_expr(c, expr->arg[0]);
  double known;
  if (brink_graph_is_constant(c->graph, condition, &known))
    return flat_expr(c, expr->arg[known != 0.0 ? 1 : 2]);
  flat_context branch = *c;
  brink_node other = brink_graph_op1(c->graph, BRINK_OP_NOT, condition);
  branch.active = c->active == BRINK_NO_NODE
                      ? condition
                      : brink_graph_op2(c->graph, BRINK_OP_AND, c->active, condition);
  brink_node yes = flat_expr(&branch, expr->arg[1]);
  branch.active = c->active == BRINK_NO_NODE
                      ? other
                      : brink_graph_op2(c->graph, BRINK_OP_AND, c->active, other);
  brink_node no = flat_expr(&branch, expr->arg[2]);
  return brink_graph_select(c->graph, condition, yes, no);
}

static brink_node binary(flat_context *c, const brink_ast_expr *expr) {
  static const brink_op ops[] = {
      [BRINK_AST_ADD] = BRINK_OP_ADD, [BRINK_AST_SUB] = BRINK_OP_SUB,
      [BRINK_AST_MUL] = BRINK_OP_MUL, [BRINK_AST_DIV] = BRINK_OP_DIV,
      [BRINK_AST_POW] = BRINK_OP_POW, [BRINK_AST_AND] = BRINK_OP_AND,
      [BRINK_AST_OR] = BRINK_OP_OR,
  };
  brink_node a = flat_expr(c, expr->arg[0]), b = flat_expr(c, expr->arg[1]);
  return brink_graph_op2(c->graph, ops[expr->op], a, b);
}

/* ---- calls ---- */

static brink_node user_call(flat_context *c, const brink_ast_expr *expr) {
  const brink_user_function *function = expr->user;
  if (c->functions > 100 || function == NULL || function->narguments != expr->nargs) {
    flat_error(c->f, expr->place, NULL, "functions are nested too deeply");
    return BRINK_NO_NODE;
  }
  flat_context inner = *c;
  inner.names = NULL;
  inner.functions++;
  flat_name *names = brink_arena_pack(&c->f->scratch, expr->nargs, sizeof *names);
  flat_context *scope = brink_arena_pack(&c->f->scratch, 1, sizeof *scope);
  if (names == NULL || scope == NULL) {
    flat_out_of_memory(c->f);
    return BRINK_NO_NODE;
  }
  *scope = *c;
  for (size_t k = 0; k < expr->nargs; k++)
    flat_push_name(&inner, &names[k], function->argument[k], expr->arg[k], scope);
  return flat_expr(&inner, function->body);
}

/* How long a vector argument is, names of functions included. */
static size_t vector_length(flat_context *c, const brink_ast_expr *expr) {
  if (expr->op == BRINK_AST_NAME && expr->part[0].symbol != NULL && expr->part[0].index == NULL &&
      (expr->part[0].symbol->kind == BRINK_SYMBOL_ARGUMENT ||
       expr->part[0].symbol->kind == BRINK_SYMBOL_LET)) {
    flat_name *name = c->names;
    while (name != NULL && name->symbol != expr->part[0].symbol) name = name->outer;
    if (name == NULL) return 1;
    flat_context inner = *name->scope;
    inner.names = name->scope_names;
    return vector_length(&inner, name->expr);
  }
  size_t reduces = expr->op == BRINK_AST_CALL &&
                   (expr->function == BRINK_FN_DOT || expr->function == BRINK_FN_SUM ||
                    expr->function == BRINK_FN_NORM);
  if (expr->op == BRINK_AST_NAME || expr->op == BRINK_AST_PRIME || expr->op == BRINK_AST_VECTOR ||
      reduces)
    return flat_length(c->f, c->group, expr);
  size_t length = 1;
  for (size_t k = 0; k < expr->nargs; k++) {
    size_t other = vector_length(c, expr->arg[k]);
    if (other > length) length = other;
  }
  return length;
}

static brink_node reduction(flat_context *c, const brink_ast_expr *expr) {
  size_t length = vector_length(c, expr->arg[0]);
  brink_node sum = BRINK_NO_NODE;
  for (size_t k = 0; k < length && !c->f->failed; k++) {
    flat_context inner = *c;
    inner.element = k;
    brink_node a = flat_expr(&inner, expr->arg[0]);
    if (expr->function == BRINK_FN_NORM) a = brink_graph_op2(c->graph, BRINK_OP_MUL, a, a);
    if (expr->function == BRINK_FN_DOT)
      a = brink_graph_op2(c->graph, BRINK_OP_MUL, a, flat_expr(&inner, expr->arg[1]));
    sum = k == 0 ? a : brink_graph_op2(c->graph, BRINK_OP_ADD, sum, a);
  }
  return expr->function == BRINK_FN_NORM ? brink_graph_op1(c->graph, BRINK_OP_SQRT, sum) : sum;
}

static brink_node lesser(flat_context *c, brink_place place, brink_function function, brink_node a,
                         brink_node b) {
  brink_graph *graph = c->graph;
  bool least = function == BRINK_FN_MIN;
  if (!locks(c, a) && !locks(c, b))
    return brink_graph_op2(graph, least ? BRINK_OP_MIN : BRINK_OP_MAX, a, b);
  brink_node sign = flat_locked(c, place, brink_graph_op2(graph, BRINK_OP_SUB, a, b));
  brink_node below = brink_graph_op2(graph, BRINK_OP_LT, sign, brink_graph_constant(graph, 0.0));
  return brink_graph_select(graph, below, least ? a : b, least ? b : a);
}

static brink_node absolute(flat_context *c, brink_place place, brink_node a) {
  if (!locks(c, a)) return brink_graph_op1(c->graph, BRINK_OP_ABS, a);
  brink_node sign = flat_locked(c, place, a);
  brink_node below =
      brink_graph_op2(c->graph, BRINK_OP_LT, sign, brink_graph_constant(c->graph, 0.0));
  return brink_graph_select(c->graph, below, brink_graph_op1(c->graph, BRINK_OP_NEG, a), a);
}

static brink_node floor_node(flat_context *c, brink_place place, brink_node a) {
  return locks(c, a) ? flat_locked_floor(c, place, a)
                     : brink_graph_op1(c->graph, BRINK_OP_FLOOR, a);
}

/* Linear between the corners, and beyond the outer ones as between the last two. */
typedef struct table {
  flat_context *c;
  const brink_ast_expr *expr;
  brink_node u;
  brink_node *x, *y;
} table;

static brink_node table_piece(const table *t, size_t k) {
  brink_graph *graph = t->c->graph;
  brink_node rise = brink_graph_op2(graph, BRINK_OP_SUB, t->y[k + 1], t->y[k]);
  brink_node run = brink_graph_op2(graph, BRINK_OP_SUB, t->x[k + 1], t->x[k]);
  brink_node along = brink_graph_op2(graph, BRINK_OP_SUB, t->u, t->x[k]);
  brink_node slope = brink_graph_op2(graph, BRINK_OP_DIV, rise, run);
  return brink_graph_op2(graph, BRINK_OP_ADD, t->y[k],
                         brink_graph_op2(graph, BRINK_OP_MUL, along, slope));
}

/* Pieces first … last - 1. */
static brink_node table_between(const table *t, size_t first, size_t last) {
  if (last - first == 1) return table_piece(t, first);
  size_t middle = first + (last - first) / 2;
  brink_graph *graph = t->c->graph;
  brink_node condition;
  if (locks(t->c, t->u)) {
    brink_node difference = brink_graph_op2(graph, BRINK_OP_SUB, t->u, t->x[middle]);
    brink_node sign = flat_locked(t->c, t->expr->place, difference);
    condition = brink_graph_op2(graph, BRINK_OP_LT, sign, brink_graph_constant(graph, 0.0));
  } else {
    condition = brink_graph_op2(graph, BRINK_OP_LT, t->u, t->x[middle]);
  }
  return brink_graph_select(graph, condition, table_between(t, first, middle),
                            table_between(t, middle, last));
}

static brink_node table_node(flat_context *c, const brink_ast_expr *expr) {
  size_t count = vector_length(c, expr->arg[1]), other = vector_length(c, expr->arg[2]);
  if (count < 2 || count != other) {
    flat_error(c->f, expr->place, "table(u, [x1, x2, …], [y1, y2, …])",
               "a table needs two lists of the same length, two or more");
    return BRINK_NO_NODE;
  }
  table t = {.c = c, .expr = expr, .u = flat_expr(c, expr->arg[0])};
  t.x = brink_arena_pack(&c->f->scratch, count, sizeof *t.x);
  t.y = brink_arena_pack(&c->f->scratch, count, sizeof *t.y);
  if (t.x == NULL || t.y == NULL) {
    flat_out_of_memory(c->f);
    return BRINK_NO_NODE;
  }
  double before = (double)-INFINITY;
  for (size_t k = 0; k < count; k++) {
    flat_context inner = *c;
    inner.element = k;
    t.x[k] = flat_expr(&inner, expr->arg[1]);
    t.y[k] = flat_expr(&inner, expr->arg[2]);
    double x;
    if (!brink_graph_is_constant(c->graph, t.x[k], &x)) continue;
    if (!(x > before)) {
      flat_error(c->f, expr->place, NULL, "the corners of a table must increase");
      return BRINK_NO_NODE;
    }
    before = x;
  }
  return table_between(&t, 0, count - 1);
}

/* In (0, 1): the next draw of this instance. */
static brink_node draw(flat_context *c) {
  flat *f = c->f;
  flat_group *group = c->group;
  if (group->draw_variable == BRINK_NO_INDEX) {
    uint32_t counters = flat_hidden(f, group, "draws", BRINK_SPACE_P, group->count, 0.0), streams;
    if (counters == BRINK_NO_INDEX || !flat_room(f, BRINK_SPACE_K, group->count, &streams))
      return BRINK_NO_NODE;
    group->draw_variable = counters;
    group->draw_streams = streams;
    for (size_t i = 0; i < group->count; i++) {
      f->system->p0[counters + i] = (double)group->draws[i];
      f->system->k[streams + i] = (double)(group->stream + i);
    }
  }
  int32_t stride = group->count > 1 ? 1 : 0;
  brink_node stream = brink_graph_ref(
      c->graph, (brink_ref){.space = BRINK_SPACE_K, .base = group->draw_streams, .stride = stride});
  brink_node drawn = brink_graph_ref(
      c->graph,
      (brink_ref){.space = BRINK_SPACE_P, .base = group->draw_variable, .stride = stride});
  brink_node site = brink_graph_constant(c->graph, (double)c->shared->sites++);
  return brink_graph_op2(c->graph, BRINK_OP_RANDOM, stream,
                         brink_graph_op2(c->graph, BRINK_OP_ADD, drawn, site));
}

static brink_node random_node(flat_context *c, brink_function function, brink_node a,
                              brink_node b) {
  brink_graph *g = c->graph;
  if (function == BRINK_FN_UNIFORM) {
    brink_node width = brink_graph_op2(g, BRINK_OP_SUB, b, a);
    return brink_graph_op2(g, BRINK_OP_ADD, a, brink_graph_op2(g, BRINK_OP_MUL, width, draw(c)));
  }
  /* Box and Muller 1958, as in flat_value.c */
  brink_node log_u = brink_graph_op1(g, BRINK_OP_LOG, draw(c));
  brink_node radius = brink_graph_op1(
      g, BRINK_OP_SQRT, brink_graph_op2(g, BRINK_OP_MUL, brink_graph_constant(g, -2.0), log_u));
  brink_node angle =
      brink_graph_op2(g, BRINK_OP_MUL, brink_graph_constant(g, 6.28318530717958647692), draw(c));
  brink_node standard =
      brink_graph_op2(g, BRINK_OP_MUL, radius, brink_graph_op1(g, BRINK_OP_COS, angle));
  return brink_graph_op2(g, BRINK_OP_ADD, a, brink_graph_op2(g, BRINK_OP_MUL, b, standard));
}

static brink_node sgn_node(flat_context *c, const brink_ast_expr *expr) {
  flat_variable *variable = flat_find(c->f, c->group, expr->arg[0]);
  if (variable == NULL || variable->symbol->kind != BRINK_SYMBOL_FLAG) return BRINK_NO_NODE;
  return flat_ref(c, variable, expr->arg[0], BRINK_SPACE_SIGN);
}

/* mod(a, b) = a - b*floor(a/b) */
static brink_node mod_node(flat_context *c, brink_place place, brink_node a, brink_node b) {
  brink_graph *g = c->graph;
  brink_node whole = floor_node(c, place, brink_graph_op2(g, BRINK_OP_DIV, a, b));
  return brink_graph_op2(g, BRINK_OP_SUB, a, brink_graph_op2(g, BRINK_OP_MUL, b, whole));
}

static brink_node numeric_call(flat_context *c, const brink_ast_expr *expr) {
  static const brink_op ops[] = {
      [BRINK_FN_SIN] = BRINK_OP_SIN,     [BRINK_FN_COS] = BRINK_OP_COS,
      [BRINK_FN_TAN] = BRINK_OP_TAN,     [BRINK_FN_ASIN] = BRINK_OP_ASIN,
      [BRINK_FN_ACOS] = BRINK_OP_ACOS,   [BRINK_FN_ATAN] = BRINK_OP_ATAN,
      [BRINK_FN_ATAN2] = BRINK_OP_ATAN2, [BRINK_FN_SINH] = BRINK_OP_SINH,
      [BRINK_FN_COSH] = BRINK_OP_COSH,   [BRINK_FN_TANH] = BRINK_OP_TANH,
      [BRINK_FN_EXP] = BRINK_OP_EXP,     [BRINK_FN_LOG] = BRINK_OP_LOG,
      [BRINK_FN_LOG10] = BRINK_OP_LOG10, [BRINK_FN_SQRT] = BRINK_OP_SQRT,
      [BRINK_FN_HYPOT] = BRINK_OP_HYPOT,
  };
  brink_graph *g = c->graph;
  brink_node a = flat_expr(c, expr->arg[0]), b = BRINK_NO_NODE;
  if (expr->nargs > 1) b = flat_expr(c, expr->arg[1]);
  switch (expr->function) {
  case BRINK_FN_MIN:
  case BRINK_FN_MAX:
    for (size_t k = 1; k < expr->nargs; k++)
      a = lesser(c, expr->place, expr->function, a, k == 1 ? b : flat_expr(c, expr->arg[k]));
    return a;
  case BRINK_FN_ABS:
    return absolute(c, expr->place, a);
  case BRINK_FN_SIGN:
    return locks(c, a) ? flat_locked(c, expr->place, a) : brink_graph_op1(g, BRINK_OP_SIGN, a);
  case BRINK_FN_FLOOR:
    return floor_node(c, expr->place, a);
  case BRINK_FN_CEIL:
    return brink_graph_op1(g, BRINK_OP_NEG,
                           floor_node(c, expr->place, brink_graph_op1(g, BRINK_OP_NEG, a)));
  case BRINK_FN_MOD:
    return mod_node(c, expr->place, a, b);
  case BRINK_FN_UNIFORM:
  case BRINK_FN_NORMAL:
    return random_node(c, expr->function, a, b);
  default:
    return expr->nargs > 1 ? brink_graph_op2(g, ops[expr->function], a, b)
                           : brink_graph_op1(g, ops[expr->function], a);
  }
}

static brink_node call(flat_context *c, const brink_ast_expr *expr) {
  flat_context inner = *c;
  switch (expr->function) {
  case BRINK_FN_USER:
    return user_call(c, expr);
  case BRINK_FN_DOT:
  case BRINK_FN_SUM:
  case BRINK_FN_NORM:
    return reduction(c, expr);
  case BRINK_FN_SGN:
    return sgn_node(c, expr);
  case BRINK_FN_NOEVENT:
    inner.plain = true;
    return flat_expr(&inner, expr->arg[0]);
  case BRINK_FN_PRE:
    inner.pre = true;
    return flat_expr(&inner, expr->arg[0]);
  case BRINK_FN_TABLE:
    return table_node(c, expr);
  default:
    return numeric_call(c, expr);
  }
}

/* ---- everything ---- */

bool flat_has_vector_literal(const brink_ast_expr *expr) {
  if (expr->op == BRINK_AST_VECTOR) return true;
  if (expr->op == BRINK_AST_CALL &&
      (expr->function == BRINK_FN_DOT || expr->function == BRINK_FN_SUM ||
       expr->function == BRINK_FN_NORM))
    return false;
  size_t count = expr->nargs;
  if (expr->op == BRINK_AST_CALL && expr->function == BRINK_FN_TABLE) count = 1;
  if (expr->op == BRINK_AST_CALL && expr->function == BRINK_FN_USER) return expr->vector;
  for (size_t k = 0; k < count; k++) {
    if (flat_has_vector_literal(expr->arg[k])) return true;
  }
  return false;
}

static brink_node prime(flat_context *c, const brink_ast_expr *expr) {
  flat_variable *variable = flat_find(c->f, c->group, expr->arg[0]);
  if (variable == NULL || variable->space != BRINK_SPACE_X) return BRINK_NO_NODE;
  return flat_ref(c, variable, expr->arg[0], BRINK_SPACE_DX);
}

static brink_node vector_element(flat_context *c, const brink_ast_expr *expr) {
  if (c->element == BRINK_NONE || c->element >= expr->nargs) {
    flat_error(c->f, expr->place, NULL, "a list of %zu elements does not fit here", expr->nargs);
    return BRINK_NO_NODE;
  }
  return flat_expr(c, expr->arg[c->element]);
}

brink_node flat_expr(flat_context *c, const brink_ast_expr *expr) {
  if (c->f->failed) return BRINK_NO_NODE;
  if (!flat_spend(c->f, expr->place, 1)) return BRINK_NO_NODE;
  switch (expr->op) {
  case BRINK_AST_NUMBER:
    return brink_graph_constant(c->graph, expr->number);
  case BRINK_AST_TEXT:
    return brink_graph_constant(c->graph, (double)flat_string(c->f, expr->text));
  case BRINK_AST_NAME:
    return name_node(c, expr);
  case BRINK_AST_PRIME:
    return prime(c, expr);
  case BRINK_AST_NEGATE:
    return brink_graph_op1(c->graph, BRINK_OP_NEG, flat_expr(c, expr->arg[0]));
  case BRINK_AST_NOT:
    return brink_graph_op1(c->graph, BRINK_OP_NOT, flat_expr(c, expr->arg[0]));
  case BRINK_AST_LT:
  case BRINK_AST_LE:
  case BRINK_AST_GT:
  case BRINK_AST_GE:
  case BRINK_AST_EQ:
  case BRINK_AST_NE:
    return relation(c, expr);
  case BRINK_AST_IF:
    return if_node(c, expr);
  case BRINK_AST_CALL:
    return call(c, expr);
  case BRINK_AST_VECTOR:
    return vector_element(c, expr);
  case BRINK_AST_DAMAGED:
    return BRINK_NO_NODE;
  default:
    return binary(c, expr);
  }
}
