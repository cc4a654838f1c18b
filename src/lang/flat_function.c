/* flat_function.c: the model's functions: their statements, and what they give.
 *
 * A call is written out where it stands: arguments are names of the caller's expressions, local names are cells
 * (flat_local.c), loops are written out, and after an `if` a local name is a choice between its branches. So a function
 * has derivatives and series like the formula that it comes to; in equations the relations in it are locked. */
#include <string.h>

#include "lang/flat.h"

/* ---- what is in a function ---- */

static bool any_in_block(const brink_ast_block *block, flat_test *test, void *user) {
  for (size_t k = 0; k < block->count; k++) {
    const brink_ast_statement *s = block->statement[k];
    if (s->expr != NULL && test(s->expr, user)) return true;
    for (size_t j = 0; j < s->nconditions; j++)
      if (test(s->condition[j], user)) return true;
    for (size_t j = 0; j < s->nblocks; j++)
      if (any_in_block(&s->block[j], test, user)) return true;
  }
  return false;
}

bool flat_any_in_function(const brink_user_function *function, flat_test *test, void *user) {
  if (any_in_block(&function->statements, test, user)) return true;
  for (size_t k = 0; k < function->nresults; k++)
    if (test(function->results[k], user)) return true;
  return function->body != NULL && test(function->body, user);
}

const brink_ast_expr *flat_result(const brink_ast_expr *call) {
  const brink_user_function *function = call->user;
  return function->nresults > 0 ? function->results[call->result] : function->body;
}

/* ---- as graphs ---- */

static void run_block(flat_context *c, const brink_ast_block *block);

static brink_node both(flat_context *c, brink_node condition) {
  if (c->active == BRINK_NO_NODE) return condition;
  return brink_graph_op2(c->graph, BRINK_OP_AND, c->active, condition);
}

/* The branches from k on. */
static void run_if(flat_context *c, const brink_ast_statement *s, size_t k) {
  if (k == s->nblocks || c->f->failed) return;
  flat_context branch = *c;
  double known = 1.0;
  brink_node condition = BRINK_NO_NODE;
  if (k < s->nconditions) condition = flat_expr(c, s->condition[k]);
  if (c->f->failed) return;
  if (k == s->nconditions || brink_graph_is_constant(c->graph, condition, &known)) {
    if (known != 0.0)
      run_block(&branch, &s->block[k]);
    else
      run_if(c, s, k + 1);
    return;
  }
  flat_snapshot *before = flat_take_snapshot(c);
  branch.active = both(c, condition);
  run_block(&branch, &s->block[k]);
  flat_snapshot *yes = flat_take_snapshot(c);
  flat_restore_snapshot(before);
  branch = *c;
  branch.active = both(c, brink_graph_op1(c->graph, BRINK_OP_NOT, condition));
  run_if(&branch, s, k + 1);
  if (!c->f->failed) flat_merge_branch(c, condition, yes);
}

static void run_loop(flat_context *c, const brink_ast_statement *s) {
  int64_t lo, hi;
  if (!flat_known_bounds(c, s, &lo, &hi)) {
    c->f->failed = true;
    return;
  }
  for (int64_t i = lo; i <= hi && !c->f->failed && !c->graph->failed; i++) {
    flat_binding *binding = brink_arena_pack(&c->f->scratch, 1, sizeof *binding);
    if (binding == NULL) flat_out_of_memory(c->f);
    if (binding == NULL || !flat_spend(c->f, s->place, FLAT_EACH_STEPS)) return;
    *binding = (flat_binding){.symbol = s->symbol, .value = (double)i, .outer = c->fixed};
    flat_context inner = *c;
    inner.fixed = binding;
    run_block(&inner, &s->block[0]);
  }
}

/* Names of a block that is not the function's own end with it. */
static void run_block(flat_context *c, const brink_ast_block *block) {
  for (size_t k = 0; k < block->count && !c->f->failed; k++) {
    const brink_ast_statement *s = block->statement[k];
    if (s->kind == BRINK_STATEMENT_LET) flat_push_let(c, s->symbol, s->expr);
    if (s->kind == BRINK_STATEMENT_ASSIGN) flat_assign_cell(c, s->target, s->expr, BRINK_NO_NODE);
    if (s->kind == BRINK_STATEMENT_IF) run_if(c, s, 0);
    if (s->kind == BRINK_STATEMENT_FOR) run_loop(c, s);
  }
}

static void push_results(flat_context *c, const brink_user_function *function) {
  for (size_t k = 0; k < function->nresults; k++) {
    flat_name *name = brink_arena_take(&c->f->scratch, 1, sizeof *name);
    flat_context *scope = brink_arena_pack(&c->f->scratch, 1, sizeof *scope);
    if (name == NULL || scope == NULL) {
      flat_out_of_memory(c->f);
      return;
    }
    *scope = *c;
    flat_push_name(c, name, function->results[k]->part[0].symbol, function->results[k], scope);
    name->is_cell = true;
  }
}

brink_node flat_function(flat_context *c, const brink_ast_expr *call) {
  const brink_user_function *function = call->user;
  flat_context inner = *c;
  inner.names = NULL;
  inner.functions++;
  flat_name *names = brink_arena_pack(&c->f->scratch, call->nargs, sizeof *names);
  flat_context *scope = brink_arena_pack(&c->f->scratch, 1, sizeof *scope);
  if (names == NULL || scope == NULL) {
    flat_out_of_memory(c->f);
    return BRINK_NO_NODE;
  }
  *scope = *c;
  for (size_t k = 0; k < call->nargs; k++)
    flat_push_name(&inner, &names[k], function->argument[k], call->arg[k], scope);
  if (function->statements.count == 0 && function->nresults == 0)
    return flat_expr(&inner, function->body);
  /* Its statements are of no element; what it gives is. */
  flat_context body = inner;
  body.element = BRINK_NONE;
  body.element_loop = false;
  body.elements = NULL;
  push_results(&body, function);
  bool foreseen = c->f->foreseen;
  flat_binding bindings[FLAT_BINDINGS];
  flat_point point = flat_point_at(&body, 0, bindings);
  c->f->foreseen = flat_foresee(c->f, &point, &function->statements, 1, FLAT_EACH_STEPS);
  if (c->f->foreseen) run_block(&body, &function->statements);
  c->f->foreseen = foreseen;
  inner.names = body.names;
  return c->f->failed ? BRINK_NO_NODE : flat_expr(&inner, flat_result(call));
}

/* ---- as values before the run ---- */

static bool value_block(flat *f, flat_point *point, const brink_ast_block *block);

static bool value_if(flat *f, const flat_point *point, const brink_ast_statement *s) {
  for (size_t k = 0; k < s->nblocks; k++) {
    double yes = 1.0;
    if (k < s->nconditions && !flat_value(f, point, s->condition[k], &yes)) return false;
    flat_point inner = *point;
    if (yes != 0.0) return value_block(f, &inner, &s->block[k]);
  }
  return true;
}

static bool value_loop(flat *f, const flat_point *point, const brink_ast_statement *s) {
  int64_t lo, hi;
  if (!flat_bounds(f, point, s, &lo, &hi)) return false;
  for (int64_t i = lo; i <= hi; i++) {
    flat_binding binding = {.symbol = s->symbol, .value = (double)i, .outer = point->binding};
    flat_point inner = *point;
    inner.binding = &binding;
    if (!flat_spend(f, s->place, 1) || !value_block(f, &inner, &s->block[0])) return false;
  }
  return true;
}

static bool value_block(flat *f, flat_point *point, const brink_ast_block *block) {
  for (size_t k = 0; k < block->count; k++) {
    const brink_ast_statement *s = block->statement[k];
    bool fine = true;
    if (s->kind == BRINK_STATEMENT_LET) {
      flat_binding *binding = brink_arena_pack(&f->scratch, 1, sizeof *binding);
      if (binding == NULL) flat_out_of_memory(f);
      fine = binding != NULL && flat_bind_let(f, point, s, binding);
      if (fine) point->binding = binding;
    }
    if (s->kind == BRINK_STATEMENT_ASSIGN) fine = flat_assign_value(f, point, s);
    if (s->kind == BRINK_STATEMENT_IF) fine = value_if(f, point, s);
    if (s->kind == BRINK_STATEMENT_FOR) fine = value_loop(f, point, s);
    if (!fine) return false;
  }
  return true;
}

/* An argument that draws is drawn once, however often the function uses it. */
static bool settle_argument(flat *f, const flat_point *point, flat_binding *argument) {
  if (!flat_draws(argument->expr)) return true;
  flat_shape shape;
  if (!flat_bound_shape(f, point->group, argument->expr, point->binding, &shape)) return false;
  size_t length = shape.rows * shape.columns;
  double *values = brink_arena_pack(&f->scratch, length, sizeof *values);
  if (values == NULL) flat_out_of_memory(f);
  if (values == NULL) return false;
  for (size_t k = 0; k < length; k++) {
    flat_point inner = *point;
    inner.element = length > 1 ? k : BRINK_NONE;
    if (!flat_value(f, &inner, argument->expr, &values[k])) return false;
  }
  argument->values = values;
  argument->length = length;
  argument->shape = shape;
  return true;
}

bool flat_function_value(flat *f, const flat_point *point, const brink_ast_expr *call,
                         double *value) {
  const brink_user_function *function = call->user;
  size_t count = call->nargs + function->nresults;
  flat_binding *made = brink_arena_take(&f->scratch, count, sizeof *made);
  flat_point *scope = brink_arena_pack(&f->scratch, 1, sizeof *scope);
  if (made == NULL || scope == NULL) {
    flat_out_of_memory(f);
    return false;
  }
  *scope = *point;
  scope->element = BRINK_NONE;
  bool plain = function->statements.count == 0 && function->nresults == 0;
  flat_point inner = *point;
  inner.binding = NULL;
  for (size_t k = 0; k < count; k++) {
    made[k].outer = inner.binding;
    made[k].symbol = k < call->nargs ? function->argument[k]
                                     : function->results[k - call->nargs]->part[0].symbol;
    if (k < call->nargs) {
      made[k].expr = call->arg[k];
      made[k].point = plain ? point : scope;
      if (!settle_argument(f, made[k].point, &made[k])) return false;
    }
    inner.binding = &made[k];
  }
  size_t element = inner.element;
  inner.element = BRINK_NONE;
  if (!plain) {
    bool foreseen = f->foreseen;
    f->foreseen = flat_foresee(f, &inner, &function->statements, 1, 1);
    bool fine = f->foreseen && value_block(f, &inner, &function->statements);
    f->foreseen = foreseen;
    if (!fine) return false;
  }
  inner.element = element;
  return flat_value(f, &inner, flat_result(call), value);
}

/* ---- what names begin with: their shape ---- */

/* What a result is given first, anywhere in the block; NULL: nothing. */
static const brink_ast_expr *first_value(const brink_ast_block *block, const brink_symbol *symbol) {
  const brink_ast_expr *found = NULL;
  for (size_t k = 0; k < block->count && found == NULL; k++) {
    const brink_ast_statement *s = block->statement[k];
    if (s->kind == BRINK_STATEMENT_ASSIGN && s->target->part[0].symbol == symbol &&
        s->target->part[0].index == NULL)
      found = s->expr;
    for (size_t j = 0; j < s->nblocks && found == NULL; j++)
      found = first_value(&s->block[j], symbol);
  }
  return found;
}

/* The local names of the function's own block, in order, then its results: each with the expression that it begins with. */
const brink_ast_expr *flat_begins_with(const brink_user_function *function, size_t k,
                                       const brink_symbol **symbol) {
  if (k < function->statements.count) {
    const brink_ast_statement *s = function->statements.statement[k];
    *symbol = s->symbol;
    return s->kind == BRINK_STATEMENT_LET ? s->expr : NULL;
  }
  k -= function->statements.count;
  *symbol = function->results[k]->part[0].symbol;
  return first_value(&function->statements, *symbol);
}
