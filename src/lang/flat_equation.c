/* flat_equation.c: dynamics and output sections become equations, flags and range surfaces. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lang/flat.h"

/* ---- taking statements apart ---- */

static void add_pending(flat *f, flat_list *list, flat_pending pending) {
  flat_pending *made = brink_arena_pack(&f->scratch, 1, sizeof *made);
  if (made == NULL) {
    flat_out_of_memory(f);
    return;
  }
  *made = pending;
  made->next = NULL;
  *list->end = made;
  list->end = &made->next;
}

brink_ast_expr *flat_if(flat *f, const brink_ast_expr *condition, const brink_ast_expr *yes,
                        const brink_ast_expr *no) {
  brink_ast_expr *made = brink_arena_pack(&f->scratch, 1, sizeof *made);
  brink_ast_expr **arg = brink_arena_pack(&f->scratch, 3, sizeof *arg);
  if (made == NULL || arg == NULL) {
    flat_out_of_memory(f);
    return NULL;
  }
  arg[0] = (brink_ast_expr *)(uintptr_t)condition; /* trees are not changed from here on */
  arg[1] = (brink_ast_expr *)(uintptr_t)yes;
  arg[2] = (brink_ast_expr *)(uintptr_t)no;
  *made = (brink_ast_expr){.op = BRINK_AST_IF,
                           .place = condition->place,
                           .arg = arg,
                           .nargs = 3,
                           .type = yes->type,
                           .vector = yes->vector || no->vector};
  return made;
}

const brink_symbol *flat_loop_symbol(const brink_symbol *symbol) {
  while (symbol->same_as != NULL) symbol = symbol->same_as;
  return symbol;
}

static bool same_part(const brink_ast_part *a, const brink_ast_part *b) {
  bool same = a->symbol == b->symbol;
  if (!same && a->symbol != NULL && b->symbol != NULL)
    same = flat_loop_symbol(a->symbol) == flat_loop_symbol(b->symbol);
  if (!same || (a->index == NULL) != (b->index == NULL)) return false;
  return a->index == NULL || flat_same_expr(a->index, b->index);
}

bool flat_same_expr(const brink_ast_expr *a, const brink_ast_expr *b) {
  if (a->op != b->op || a->nargs != b->nargs || a->nparts != b->nparts) return false;
  if (a->op == BRINK_AST_NUMBER) return a->number == b->number;
  if (a->op == BRINK_AST_CALL && strcmp(a->text, b->text) != 0) return false;
  if (a->op == BRINK_AST_NAME && a->predefined != b->predefined) return false;
  for (size_t k = 0; k < a->nparts; k++) {
    if (!same_part(&a->part[k], &b->part[k])) return false;
  }
  for (size_t k = 0; k < a->nargs; k++) {
    if (!flat_same_expr(a->arg[k], b->arg[k])) return false;
  }
  return true;
}

/* The equation of another branch with the same left-hand side. Loop variables of the same loop in
 * different branches become one. */
static flat_pending *same_target(flat_pending *list, const flat_pending *wanted) {
  for (flat_pending *p = list; p != NULL; p = p->next) {
    if (p->nloops != wanted->nloops) continue;
    bool same = true;
    for (size_t k = 0; same && k < p->nloops; k++) {
      const brink_ast_statement *a = p->loops[k], *b = wanted->loops[k];
      same = flat_same_expr(a->lo, b->lo) && flat_same_expr(a->hi, b->hi);
      if (same && a != b && flat_loop_symbol(a->symbol) != flat_loop_symbol(b->symbol))
        a->symbol->same_as = b->symbol;
    }
    if (same && flat_same_expr(p->target, wanted->target)) return p;
  }
  return NULL;
}

static void collect(flat *f, const brink_ast_block *block, flat_list *list,
                    const flat_pending *outer);

static void collect_if(flat *f, const brink_ast_statement *s, flat_list *list,
                       const flat_pending *outer) {
  flat_list *branch = brink_arena_pack(&f->scratch, s->nblocks, sizeof *branch);
  if (branch == NULL) {
    flat_out_of_memory(f);
    return;
  }
  for (size_t k = 0; k < s->nblocks; k++) {
    branch[k] = (flat_list){.end = &branch[k].first};
    collect(f, &s->block[k], &branch[k], outer);
  }
  for (flat_pending *p = branch[0].first; p != NULL && !f->failed; p = p->next) {
    flat_pending merged = *p;
    for (size_t k = s->nblocks; k-- > 0;) {
      flat_pending *other = k == 0 ? p : same_target(branch[k].first, p);
      if (other == NULL || s->nblocks == s->nconditions) {
        flat_error(f, BRINK_MSG_BRANCHES_DIFFER, p->target->place,
                   "give every branch, and an else, an equation for it",
                   "not all branches define the same quantities");
        return;
      }
      merged.expr =
          k + 1 == s->nblocks ? other->expr : flat_if(f, s->condition[k], other->expr, merged.expr);
      if (merged.expr == NULL) return;
    }
    add_pending(f, list, merged);
  }
}

static void collect(flat *f, const brink_ast_block *block, flat_list *list,
                    const flat_pending *outer) {
  for (size_t k = 0; k < block->count && !f->failed; k++) {
    const brink_ast_statement *s = block->statement[k];
    flat_pending pending = *outer;
    if (s->kind == BRINK_STATEMENT_EQUATION) {
      pending.statement = s;
      pending.target = s->target;
      pending.expr = s->expr;
      add_pending(f, list, pending);
    } else if (s->kind == BRINK_STATEMENT_IF) {
      collect_if(f, s, list, &pending);
    } else if (s->kind == BRINK_STATEMENT_FOR) {
      if (pending.nloops + 1 >= FLAT_LOOPS) {
        flat_error(f, BRINK_MSG_LOOPS_TOO_DEEP, s->place, NULL,
                   "loops are nested more than %d deep", FLAT_LOOPS - 2);
        return;
      }
      pending.loops[pending.nloops++] = s;
      collect(f, &s->block[0], list, &pending);
    }
  }
}

void flat_collect_in(flat *f, const brink_ast_block *block, flat_list *list,
                     const flat_pending *around) {
  collect(f, block, list, around);
}

void flat_collect(flat *f, const brink_ast_block *block, flat_list *list) {
  flat_pending none = {0};
  collect(f, block, list, &none);
}

/* ---- one equation ---- */

bool flat_shared_bounds(flat_context *c, const brink_ast_statement *s, int64_t *lo, int64_t *hi) {
  flat_point point = {.group = c->group, .element = BRINK_NONE, .binding = c->fixed};
  for (size_t i = 0; i < c->group->count; i++) {
    int64_t first, last;
    point.instance = i;
    if (!flat_bounds(c->f, &point, s, &first, &last)) {
      c->f->failed = true;
      return false;
    }
    if (i > 0 && !flat_bounds_agree(c->f, s, first == *lo && last == *hi)) return false;
    *lo = first;
    *hi = last;
    if (s->lo->constant && s->hi->constant) break;
  }
  return c->group->count > 0;
}

bool flat_push_loops(flat_context *c, const brink_ast_statement *const *loops, size_t nloops) {
  for (size_t k = 0; k < nloops; k++) {
    const brink_ast_statement *s = loops[k];
    int64_t lo = 0, hi = 0;
    if (!flat_shared_bounds(c, s, &lo, &hi)) return false;
    if (hi < lo) return false;
    c->loop[c->nloops++] = (flat_loop){
        .symbol = flat_loop_symbol(s->symbol), .lo = lo, .count = (size_t)(hi - lo + 1)};
  }
  return true;
}

static const brink_ast_expr *target_name(const flat_pending *pending) {
  return pending->target->op == BRINK_AST_PRIME ? pending->target->arg[0] : pending->target;
}

/* Each element has one equation. */
static bool mark_defined(flat_context *c, flat_variable *variable, const flat_pending *pending,
                         const brink_ref *ref) {
  flat *f = c->f;
  if (variable->defined == NULL) variable->defined = flat_take(f, variable->length, 1);
  if (variable->defined == NULL) return false;
  for (size_t r = 0; r < c->repeat; r++) {
    size_t k = brink_ref_slot(ref, r) - (variable->sampled ? variable->now_base : variable->base);
    if (variable->slots != NULL || k >= variable->length) continue; /* flags: checked by name */
    if (variable->defined[k]) {
      flat_error(f, BRINK_MSG_DEFINED_TWICE, pending->target->place, NULL, "'%s' is defined twice",
                 flat_element_name(f, variable, k));
      return false;
    }
    variable->defined[k] = 1;
  }
  return true;
}

/* A flag: its guards have numbers already, in order of declaration. */
static void flag_equation(flat_context *c, flat_variable *variable, const flat_pending *pending,
                          const brink_ref *ref) {
  flat *f = c->f;
  const brink_symbol *symbol = variable->symbol;
  char *name = brink_arena_text(f->arena, symbol->name);
  if (name == NULL) {
    flat_out_of_memory(f);
    return;
  }
  bool boolean = pending->expr->type == BRINK_TYPE_BOOLEAN;
  brink_kernel *kernel = NULL;
  if (!boolean) {
    brink_node value = flat_expr(c, pending->expr);
    if (!f->failed) kernel = flat_extract(c, pending->target->place, value);
    if (kernel == NULL) return;
  }
  uint32_t flag =
      flat_add_flag(f, c->group, BRINK_FLAG_DECLARED, name, symbol->place, c->kernel->count);
  if (flag == BRINK_NO_INDEX) return;
  uint32_t *guard = flat_take(f, c->kernel->count, sizeof *guard);
  if (guard == NULL) return;
  for (size_t i = 0; i < c->kernel->count; i++) guard[i] = (uint32_t)brink_ref_slot(ref, i);
  uint32_t *element = NULL;
  if (symbol->size != NULL) {
    element = flat_take(f, c->repeat, sizeof *element);
    if (element == NULL) return;
    uint32_t first = variable->slots != NULL ? variable->slots[0] : variable->base;
    for (size_t r = 0; r < c->repeat; r++) element[r] = guard[r] - first;
  }
  brink_flag *made = &f->system->flags[flag];
  made->guard = guard;
  made->element = element;
  made->side = symbol->side;
  made->silent = symbol->silent;
  made->value = kernel;
  variable->flag = flag;
  if (boolean) flat_formula(c, pending->expr, flag);
}

static void one_equation(flat_context *c, flat_variable *variable, const flat_pending *pending) {
  flat *f = c->f;
  bool prime = pending->target->op == BRINK_AST_PRIME;
  brink_ref ref;
  flat_begin_graph(c);
  if (c->kernel->count > FLAT_LIMIT) {
    flat_error(f, BRINK_MSG_TOO_MANY_EQUATIONS, pending->target->place, NULL,
               "more than %zu equations", FLAT_LIMIT);
    return;
  }
  if (!flat_target(c, target_name(pending), prime, &ref, &variable)) return;
  if (!mark_defined(c, variable, pending, &ref)) return;
  if (variable->symbol->kind == BRINK_SYMBOL_FLAG) {
    flag_equation(c, variable, pending, &ref);
    return;
  }
  brink_node node = flat_expr(c, pending->expr);
  if (f->arena->failed || f->scratch.failed) flat_out_of_memory(f);
  if (f->failed) return;
  if (c->graph->failed || node == BRINK_NO_NODE) {
    flat_error(f, BRINK_MSG_EQUATION_TOO_LARGE, pending->target->place, NULL,
               "this equation is too large");
    return;
  }
  uint32_t name = variable->sampled ? BRINK_NO_INDEX : variable->variable;
  if (flat_add_output(f, c->kernel, ref, node, BRINK_NO_NODE, name))
    flat_add_equation(f, c->kernel, pending->target->place);
}

static bool is_discrete(const flat_group *group) {
  return group->component != NULL && group->component->kind == BRINK_DTC;
}

/* Has the right-hand side the shape of the left one? *length: elements of the target. */
static bool sides_fit(flat_context *c, flat_variable *variable, const flat_pending *pending,
                      size_t *length, bool *vector) {
  flat *f = c->f;
  flat_shape left, right;
  if (!flat_shape_of(c, pending->target, &left) || !flat_shape_of(c, pending->expr, &right) ||
      f->failed) {
    f->failed = true;
    return false;
  }
  *length = left.rows * left.columns;
  *vector = left.rank > 0;
  if (right.rank == 0 ||
      (left.rank == right.rank && left.rows == right.rows && left.columns == right.columns))
    return true;
  if (left.rank < 2 && right.rank < 2)
    flat_error(f, BRINK_MSG_EQUATION_LENGTH, pending->expr->place, NULL,
               "%zu elements are given for '%s', which has %u", right.columns,
               variable->symbol->name, (unsigned)*length);
  else
    flat_error(f, BRINK_MSG_MATRIX_SHAPES, pending->expr->place, NULL, "'%s': %s %s %s",
               variable->symbol->name, flat_shape_text(f, left), "and", flat_shape_text(f, right));
  return false;
}

/* x = [e for i in lo..hi] is x[k] = e in a loop over i. */
static bool is_loop(flat_context *c, const flat_pending *pending, flat_loop *loop) {
  const brink_ast_expr *expr = pending->expr;
  flat_shape body;
  flat_binding bindings[FLAT_BINDINGS];
  int64_t lo, hi;
  if (expr->op != BRINK_AST_EACH || expr->arg[0]->rank > 0 || expr->loop == NULL) return false;
  flat_point point = flat_point_at(c, 0, bindings);
  if (!expr->arg[1]->constant || !expr->arg[2]->constant) {
    if (pending->nloops > 0 || c->group->count > 1) return false;
  }
  if (!flat_each_bounds(c->f, &point, expr, &lo, &hi) || !flat_shape_of(c, expr, &body) ||
      body.rank != 1)
    return false;
  *loop =
      (flat_loop){.symbol = flat_loop_symbol(expr->loop), .lo = lo, .count = (size_t)(hi - lo + 1)};
  return true;
}

/* An equation; one of a vector is one for each element: a loop, unless a list gives each its own. */
static void translate(flat *f, flat_group *group, const flat_pending *pending) {
  const brink_ast_expr *name = target_name(pending);
  flat_variable *variable = flat_find(f, group, name);
  if (variable == NULL || flat_size(f, variable) == 0) {
    f->failed = true;
    return;
  }
  size_t length = 1, times = 1;
  for (size_t k = 0; k < times && !f->failed; k++) {
    const char *label = flat_name_of(f, variable);
    if (pending->target->op == BRINK_AST_PRIME) label = flat_format(f, "%s'", label);
    brink_kernel *kernel = flat_kernel(f, label, pending->target->place, 0);
    flat_shared shared;
    flat_context c;
    flat_loop loop;
    flat_pending one = *pending;
    bool vector;
    if (kernel == NULL) return;
    flat_begin(&c, &shared, f, group, kernel, is_discrete(group) ? FLAT_INSTANT : FLAT_EQUATION);
    if (!flat_push_loops(&c, pending->loops, pending->nloops)) return;
    if (!sides_fit(&c, variable, pending, &length, &vector)) return;
    bool each = vector && is_loop(&c, pending, &loop);
    bool unroll = vector && !each && flat_has_vector_literal(pending->expr);
    if (unroll) times = length;
    if (unroll) c.element = k;
    if (each) one.expr = pending->expr->arg[0];
    if (vector && !unroll) {
      c.loop[c.nloops++] = each ? loop : (flat_loop){.count = length};
      c.element_loop = true;
    }
    one_equation(&c, variable, &one);
    if (is_discrete(group)) group->sites = shared.sites; /* the next one draws further numbers */
  }
}

static void check_complete(flat *f, flat_group *group) {
  const brink_component *component = group->component;
  if (component == NULL) return;
  bool constrained = flat_has_constraints(group);
  for (brink_symbol *s = component->symbols; s != NULL && !f->failed; s = s->next) {
    flat_variable *variable = flat_variable_of(group, s);
    bool needs = s->kind != BRINK_SYMBOL_INSTANCE && s->kind != BRINK_SYMBOL_INPUT &&
                 !variable->alias && /* a connection is enough */
                 (variable->space == BRINK_SPACE_V || variable->sampled ||
                  (variable->space == BRINK_SPACE_X && s->kind == BRINK_SYMBOL_STATE &&
                   !constrained)); /* its derivative may be unknown */
    if (!needs || s->kind == BRINK_SYMBOL_FLAG) continue;
    for (uint32_t k = 0; k < variable->length; k++) {
      if (variable->defined != NULL && variable->defined[k]) continue;
      const char *name = s->name;
      if (s->size != NULL) name = flat_element_name(f, variable, k);
      flat_error(f, BRINK_MSG_NO_EQUATION, s->place, NULL, "'%s' has no equation", name);
      break;
    }
  }
}

void flat_equations(flat *f, flat_group *group) {
  bool bad = false;
  for (flat_pending *p = group->equations; p != NULL && !f->failed; p = p->next) {
    translate(f, group, p);
    bad = bad || f->failed;
    flat_next(f);
  }
  if (f->arena->failed || f->scratch.failed)
    flat_out_of_memory(f); /* what is missing was not made */
  if (!bad && !f->failed) check_complete(f, group);
}

/* ---- ranges ---- */

static bool finite_bound(flat *f, flat_variable *variable, const brink_ast_expr *bound) {
  flat_point point = {.group = variable->group, .element = BRINK_NONE};
  double value;
  return flat_value(f, &point, bound, &value) && isfinite(value);
}

/* A kernel over all elements of a variable; the variable in it. */
static brink_node begin_range(flat_context *c, flat_shared *shared, flat *f,
                              flat_variable *variable, brink_kernel *kernel) {
  flat_begin(c, shared, f, variable->group, kernel, FLAT_INSTANT);
  if (variable->symbol->size != NULL) {
    c->loop[c->nloops++] = (flat_loop){.count = variable->length};
    c->element_loop = true;
  }
  flat_begin_graph(c);
  brink_ast_part part = {
      .name = variable->symbol->name, .place = variable->symbol->place, .symbol = variable->symbol};
  brink_ast_expr name = {
      .op = BRINK_AST_NAME, .place = variable->symbol->place, .part = &part, .nparts = 1};
  return flat_ref(c, variable, &name, variable->space);
}

static void add_range_flag(flat_context *c, const flat_variable *variable, bool upper,
                           brink_node value) {
  flat *f = c->f;
  char *name = brink_arena_text(f->arena, variable->symbol->name);
  if (name == NULL) {
    flat_out_of_memory(f);
    return;
  }
  uint32_t flag = flat_new_flag(c, BRINK_FLAG_RANGE, name, variable->symbol->range.place, value);
  if (flag == BRINK_NO_INDEX) return;
  brink_flag *made = &f->system->flags[flag];
  made->direction = BRINK_NEGATIVE;
  made->variable = variable->variable;
  made->upper = upper;
}

/* x - lo (hi - x), displaced by what the tolerances may account for: rtol*|bound| + atol. */
static void range_flag(flat *f, flat_variable *variable, bool upper) {
  const brink_ast_range *range = &variable->symbol->range;
  const brink_ast_expr *bound = upper ? range->hi : range->lo;
  if (!finite_bound(f, variable, bound)) return;
  brink_kernel *kernel = flat_kernel(f, "range", range->place, 0);
  flat_shared shared;
  flat_context c;
  if (kernel == NULL) return;
  brink_node x = begin_range(&c, &shared, f, variable, kernel), edge = flat_expr(&c, bound);
  brink_graph *g = c.graph;
  brink_node rtol =
      brink_graph_ref(g, (brink_ref){.space = BRINK_SPACE_P, .base = f->system->rtol_slot});
  brink_node atol =
      brink_graph_ref(g, (brink_ref){.space = BRINK_SPACE_P, .base = f->system->atol_slot});
  brink_node size = brink_graph_op1(g, BRINK_OP_ABS, edge);
  brink_node slack =
      brink_graph_op2(g, BRINK_OP_ADD, brink_graph_op2(g, BRINK_OP_MUL, rtol, size), atol);
  brink_node inside =
      upper ? brink_graph_op2(g, BRINK_OP_SUB, edge, x) : brink_graph_op2(g, BRINK_OP_SUB, x, edge);
  add_range_flag(&c, variable, upper, brink_graph_op2(g, BRINK_OP_ADD, inside, slack));
}

/* A set of values, of something computed that changes at instants only. */
static void set_flag(flat *f, flat_variable *variable) {
  const brink_ast_range *range = &variable->symbol->range;
  const brink_variable *declared = &f->system->variables[variable->variable];
  brink_kernel *kernel = flat_kernel(f, "range", range->place, 0);
  flat_shared shared;
  flat_context c;
  if (kernel == NULL) return;
  brink_node x = begin_range(&c, &shared, f, variable, kernel), inside = BRINK_NO_NODE;
  for (size_t k = 0; k < declared->nset; k++) {
    brink_node item = brink_graph_constant(c.graph, declared->set[k]);
    brink_node same = brink_graph_op2(c.graph, BRINK_OP_EQ, x, item);
    inside = k == 0 ? same : brink_graph_op2(c.graph, BRINK_OP_OR, inside, same);
  }
  add_range_flag(&c, variable, false, flat_far(&c, inside));
}

/* Does an input's source have a range? Then it was compared at the connection. */
bool flat_sources_have_ranges(const flat *f, const flat_variable *variable) {
  for (size_t e = 0; e < variable->count; e++) {
    if (variable->source[e] == FLAT_UNCONNECTED) continue;
    if (!f->variables[variable->source[e] >> 32]->symbol->range.given) return false;
  }
  return true;
}

static void variable_ranges(flat *f, flat_variable *variable) {
  if (variable->variable == BRINK_NO_INDEX &&
      !flat_add_variable(f, variable, BRINK_VARIABLE_HIDDEN))
    return;
  if (variable->symbol->range.is_set) {
    set_flag(f, variable);
    return;
  }
  range_flag(f, variable, false);
  range_flag(f, variable, true);
}

void flat_ranges(flat *f, flat_group *group) {
  if (group->component == NULL) return;
  bool sampled = group->component->kind == BRINK_DTC; /* it reads its inputs at its samples */
  for (brink_symbol *s = group->component->symbols; s != NULL && !f->failed; s = s->next) {
    if (s->kind == BRINK_SYMBOL_INSTANCE || s->kind == BRINK_SYMBOL_FLAG || !s->range.given)
      continue;
    flat_variable *variable = flat_variable_of(group, s);
    bool computed = variable->space == BRINK_SPACE_X || variable->space == BRINK_SPACE_V;
    if (variable->alias) computed = !sampled && !flat_sources_have_ranges(f, variable);
    if (computed) variable_ranges(f, variable); /* held values: when they are written */
  }
}
