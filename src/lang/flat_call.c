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
size_t flat_vector_length(flat_context *c, const brink_ast_expr *expr) {
  if (expr->op == BRINK_AST_NAME && expr->part[0].symbol != NULL && expr->part[0].index == NULL &&
      (expr->part[0].symbol->kind == BRINK_SYMBOL_ARGUMENT ||
       expr->part[0].symbol->kind == BRINK_SYMBOL_LET)) {
    flat_name *name = c->names;
    while (name != NULL && name->symbol != expr->part[0].symbol) name = name->outer;
    if (name == NULL) return 1;
    flat_context inner = *name->scope;
    inner.names = name->scope_names;
    return flat_vector_length(&inner, name->expr);
  }
  size_t reduces = expr->op == BRINK_AST_CALL &&
                   (expr->function == BRINK_FN_DOT || expr->function == BRINK_FN_SUM ||
                    expr->function == BRINK_FN_NORM);
  if (expr->op == BRINK_AST_NAME || expr->op == BRINK_AST_PRIME || expr->op == BRINK_AST_VECTOR ||
      reduces)
    return flat_length(c->f, c->group, expr);
  size_t length = 1, count = expr->nargs;
  if (expr->op == BRINK_AST_CALL && expr->function == BRINK_FN_USER && !expr->vector) count = 0;
  for (size_t k = 0; k < count; k++) {
    size_t other = flat_vector_length(c, expr->arg[k]);
    if (other > length) length = other;
  }
  return length;
}

static brink_node reduction(flat_context *c, const brink_ast_expr *expr) {
  size_t length = flat_vector_length(c, expr->arg[0]);
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
  if (!flat_locks(c, a) && !flat_locks(c, b))
    return brink_graph_op2(graph, least ? BRINK_OP_MIN : BRINK_OP_MAX, a, b);
  brink_node sign = flat_locked(c, place, brink_graph_op2(graph, BRINK_OP_SUB, a, b));
  brink_node below = brink_graph_op2(graph, BRINK_OP_LT, sign, brink_graph_constant(graph, 0.0));
  return brink_graph_select(graph, below, least ? a : b, least ? b : a);
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
    t.x[k] = flat_expr(&inner, expr->arg[1]);
    t.y[k] = flat_expr(&inner, expr->arg[2]);
  }
  return table_between(&t, 0, count - 1);
}

/* In (0, 1): the next draw of this instance. */
static brink_node draw(flat_context *c) {
  flat *f = c->f;
  flat_group *group = c->group;
  if (group->draw_variable == BRINK_NO_INDEX) {
    uint32_t counters = flat_hidden(f, group, "draws", BRINK_SPACE_P, group->count, 0.0);
    uint32_t streams = flat_hidden(f, group, "stream", BRINK_SPACE_P, group->count, 0.0);
    if (counters == BRINK_NO_INDEX || streams == BRINK_NO_INDEX) return BRINK_NO_NODE;
    group->draw_variable = counters;
    group->draw_streams = streams;
    brink_group *made = &f->system->groups[group->id];
    made->actions_draw = true;
    made->draws_slot = counters;
    made->stream_slot = streams;
    for (size_t i = 0; i < group->count; i++) {
      f->system->p0[counters + i] = (double)group->draws[i];
      f->system->p0[streams + i] = (double)(group->stream + i);
    }
  }
  int32_t stride = group->count > 1 ? 1 : 0;
  brink_node stream = brink_graph_ref(
      c->graph, (brink_ref){.space = BRINK_SPACE_P, .base = group->draw_streams, .stride = stride});
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
  case BRINK_FN_UNIFORM:
  case BRINK_FN_NORMAL:
    return random_node(c, expr->function, a, b);
  default:
    return expr->nargs > 1 ? brink_graph_op2(g, flat_plain_op(expr->function), a, b)
                           : brink_graph_op1(g, flat_plain_op(expr->function), a);
  }
}

brink_node flat_call(flat_context *c, const brink_ast_expr *expr) {
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
