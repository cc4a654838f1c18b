/* flat_call.c: functions in expressions, predefined and the model's own. */
#include <math.h>
#include <string.h>

#include "lang/flat.h"

/* ---- calls ---- */

static brink_node user_call(flat_context *c, const brink_ast_expr *expr) {
  const brink_user_function *function = expr->user;
  if (c->functions > 100 || function == NULL || function->narguments != expr->nargs) {
    flat_error(c->f, BRINK_MSG_FUNCTIONS_TOO_DEEP, expr->place, NULL,
               "functions are nested too deeply");
    return BRINK_NO_NODE;
  }
  return flat_function(c, expr);
}

static brink_node reduction(flat_context *c, const brink_ast_expr *expr) {
  size_t length = flat_vector_length(c, expr->arg[0]);
  brink_node sum = BRINK_NO_NODE;
  for (size_t k = 0; k < length && !c->f->failed; k++) {
    flat_context inner = *c;
    inner.element = k;
    inner.elements = NULL;
    brink_node a = flat_expr(&inner, expr->arg[0]);
    if (expr->function == BRINK_FN_NORM) a = brink_graph_op2(c->graph, BRINK_OP_MUL, a, a);
    if (expr->function == BRINK_FN_DOT)
      a = brink_graph_op2(c->graph, BRINK_OP_MUL, a, flat_expr(&inner, expr->arg[1]));
    sum = k == 0 ? a : brink_graph_op2(c->graph, BRINK_OP_ADD, sum, a);
  }
  return expr->function == BRINK_FN_NORM ? brink_graph_op1(c->graph, BRINK_OP_SQRT, sum) : sum;
}

brink_node flat_comes_first(flat_context *c, brink_place place, brink_function function,
                            brink_node a, brink_node b) {
  brink_graph *graph = c->graph;
  bool least = function == BRINK_FN_MIN;
  if (!flat_locks(c, a) && !flat_locks(c, b))
    return brink_graph_op2(graph, BRINK_OP_LT, least ? a : b, least ? b : a);
  brink_node sign = flat_locked(c, place, brink_graph_op2(graph, BRINK_OP_SUB, a, b));
  brink_node zero = brink_graph_constant(graph, 0.0);
  return brink_graph_op2(graph, BRINK_OP_LT, least ? sign : zero, least ? zero : sign);
}

static brink_node lesser(flat_context *c, brink_place place, brink_function function, brink_node a,
                         brink_node b) {
  brink_graph *graph = c->graph;
  bool least = function == BRINK_FN_MIN;
  if (!flat_locks(c, a) && !flat_locks(c, b))
    return brink_graph_op2(graph, least ? BRINK_OP_MIN : BRINK_OP_MAX, a, b);
  brink_node sign = flat_locked(c, place, brink_graph_op2(graph, BRINK_OP_SUB, a, b));
  brink_node below = brink_graph_op2(graph, BRINK_OP_LT, sign, brink_graph_constant(graph, 0.0));
  return brink_graph_select(graph, below, least ? a : b, least ? b : a);
}

/* min, max: of the elements of one array, as a tournament: what decides a match depends on its own elements alone, so
 * that n elements make n log n of code, not n^2. */
static brink_node tournament(flat_context *c, const brink_ast_expr *expr, size_t first,
                             size_t last) {
  if (c->f->failed) return BRINK_NO_NODE;
  if (last - first == 1) {
    flat_context inner = *c;
    inner.element = first;
    inner.elements = NULL;
    return flat_expr(&inner, expr->arg[0]);
  }
  size_t middle = first + (last - first + 1) / 2;
  brink_node a = tournament(c, expr, first, middle), b = tournament(c, expr, middle, last);
  return lesser(c, expr->place, expr->function, a, b);
}

static brink_node extreme(flat_context *c, const brink_ast_expr *expr) {
  size_t length = flat_vector_length(c, expr->arg[0]);
  return length > 0 ? tournament(c, expr, 0, length) : BRINK_NO_NODE;
}

/* div(a, b): a/b towards zero. */
static brink_node div_node(flat_context *c, brink_node a, brink_node b) {
  brink_graph *g = c->graph;
  brink_node q = brink_graph_op2(g, BRINK_OP_DIV, a, b);
  brink_node minus = brink_graph_op1(g, BRINK_OP_NEG, q);
  brink_node up = brink_graph_op1(g, BRINK_OP_NEG, brink_graph_op1(g, BRINK_OP_FLOOR, minus));
  brink_node below = brink_graph_op2(g, BRINK_OP_LT, q, brink_graph_constant(g, 0.0));
  return brink_graph_select(g, below, up, brink_graph_op1(g, BRINK_OP_FLOOR, q));
}

static brink_node absolute(flat_context *c, brink_place place, brink_node a) {
  if (!flat_locks(c, a)) return brink_graph_op1(c->graph, BRINK_OP_ABS, a);
  brink_node sign = flat_locked(c, place, a);
  brink_node below =
      brink_graph_op2(c->graph, BRINK_OP_LT, sign, brink_graph_constant(c->graph, 0.0));
  return brink_graph_select(c->graph, below, brink_graph_op1(c->graph, BRINK_OP_NEG, a), a);
}

static brink_node floor_node(flat_context *c, brink_place place, brink_node a) {
  return flat_locks(c, a) ? flat_locked_floor(c, place, a)
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
  if (flat_locks(t->c, t->u)) {
    brink_node difference = brink_graph_op2(graph, BRINK_OP_SUB, t->u, t->x[middle]);
    brink_node sign = flat_locked(t->c, t->expr->place, difference);
    condition = brink_graph_op2(graph, BRINK_OP_LT, sign, brink_graph_constant(graph, 0.0));
  } else {
    condition = brink_graph_op2(graph, BRINK_OP_LT, t->u, t->x[middle]);
  }
  return brink_graph_select(graph, condition, table_between(t, first, middle),
                            table_between(t, middle, last));
}

/* The corners increase, in every instance. They may depend on parameters. */
static bool corners_increase(flat_context *c, const brink_ast_expr *expr, size_t count) {
  size_t instances = expr->arg[1]->constant ? 1 : c->group->count;
  for (size_t i = 0; i < instances; i++) {
    double before = (double)-INFINITY;
    for (size_t k = 0; k < count; k++) {
      flat_point point = {.group = c->group, .instance = i, .element = k, .binding = c->fixed};
      double x;
      if (!flat_value(c->f, &point, expr->arg[1], &x)) return false;
      if (!(x > before)) return false;
      before = x;
    }
  }
  return true;
}

static brink_node table_node(flat_context *c, const brink_ast_expr *expr) {
  size_t count = flat_vector_length(c, expr->arg[1]), other = flat_vector_length(c, expr->arg[2]);
  if (count < 2 || count != other) {
    flat_error(c->f, BRINK_MSG_TABLE_LISTS, expr->place, "table(u, [x1, x2, …], [y1, y2, …])",
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
  if (c->names == NULL && !corners_increase(c, expr, count) && !c->f->failed)
    flat_error(c->f, BRINK_MSG_TABLE_CORNERS, expr->place, NULL,
               "the corners of a table must increase");
  for (size_t k = 0; k < count; k++) {
    flat_context inner = *c;
    inner.element = k;
    inner.elements = NULL;
    t.x[k] = flat_expr(&inner, expr->arg[1]);
    t.y[k] = flat_expr(&inner, expr->arg[2]);
  }
  return table_between(&t, 0, count - 1);
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
    return flat_locks(c, a) ? flat_locked(c, expr->place, a) : brink_graph_op1(g, BRINK_OP_SIGN, a);
  case BRINK_FN_FLOOR:
    return floor_node(c, expr->place, a);
  case BRINK_FN_CEIL:
    return brink_graph_op1(g, BRINK_OP_NEG,
                           floor_node(c, expr->place, brink_graph_op1(g, BRINK_OP_NEG, a)));
  case BRINK_FN_MOD:
    return mod_node(c, expr->place, a, b);
  case BRINK_FN_DIV:
    return div_node(c, a, b);
  case BRINK_FN_UNIFORM:
  case BRINK_FN_NORMAL:
  case BRINK_FN_EXPONENTIAL:
  case BRINK_FN_POISSON:
    return flat_random(c, expr->function, a, b);
  default:
    return expr->nargs > 1 ? brink_graph_op2(g, flat_plain_op(expr->function), a, b)
                           : brink_graph_op1(g, flat_plain_op(expr->function), a);
  }
}

/* sum(e for i in lo..hi) is written out: is that too much, with the sums inside of it? */
static brink_node foreseen_reduction(flat_context *c, const brink_ast_expr *expr) {
  flat *f = c->f;
  bool foreseen = f->foreseen;
  flat_binding bindings[FLAT_BINDINGS];
  if (foreseen || expr->function != BRINK_FN_SUM || expr->arg[0]->op != BRINK_AST_EACH)
    return reduction(c, expr);
  flat_point point = flat_point_at(c, 0, bindings);
  f->foreseen = flat_foresee_each(f, &point, expr->arg[0], FLAT_EACH_STEPS);
  brink_node node = f->foreseen ? reduction(c, expr) : BRINK_NO_NODE;
  f->foreseen = foreseen;
  return node;
}

brink_node flat_call(flat_context *c, const brink_ast_expr *expr) {
  flat_context inner = *c;
  switch (expr->function) {
  case BRINK_FN_USER:
    return user_call(c, expr);
  case BRINK_FN_DOT:
  case BRINK_FN_SUM:
  case BRINK_FN_NORM:
    return foreseen_reduction(c, expr);
  case BRINK_FN_MIN:
  case BRINK_FN_MAX:
    return expr->nargs == 1 ? extreme(c, expr) : numeric_call(c, expr);
  case BRINK_FN_TRANSPOSE:
  case BRINK_FN_IDENTITY:
  case BRINK_FN_INVERSE:
  case BRINK_FN_SOLVE:
  case BRINK_FN_SIZE:
  case BRINK_FN_ARGMIN:
  case BRINK_FN_ARGMAX:
    return flat_matrix_call(c, expr);
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
  case BRINK_FN_CHOICE:
    return flat_choice(c, expr);
  case BRINK_FN_LENGTH:
  case BRINK_FN_FIRST:
    return flat_queue_call(c, expr);
  case BRINK_FN_DELAY:
    return flat_delay(c, expr);
  case BRINK_FN_FILE_TABLE:
    return flat_table(c, expr);
  case BRINK_FN_EXTERNAL:
    return flat_external(c, expr);
  default:
    return numeric_call(c, expr);
  }
}
