/* flat_statement.c: the statements of an action become kernels.
 *
 * All right-hand sides of an action read the values from before it, so an action is a set of conditional assignments
 * that are evaluated together and then written: `if` becomes a condition of each assignment. Short loops are written
 * out. A longer one becomes a kernel of its own, with one iteration for each of the loop's; nested loops become as
 * many kernels as there are blocks with assignments. What one kernel computes and another needs (conditions around a
 * loop, local names) is handed on in LOCAL. A slot of LOCAL is written by one kernel only, so that a value that was
 * found once stays where it is.
 *
 * Local names are cells (flat_local.c). A loop that assigns one is a kernel whose iterations run in order: it begins
 * with a copy of the cell in LOCAL, reads it there in each iteration, and leaves it there. */
#include <string.h>

#include "lang/flat.h"

enum {
  ASSIGNMENTS = 100000, /* at most, loops written out */
  WRITTEN_OUT =
      64, /* iterations of a loop, at most, that is written out although it could stay one */
};

/* ---- kernels ---- */

/* A kernel that has become too large is not: what it lacks must not go unnoticed (flat_action_end). */
static bool is_empty(const brink_action *action) {
  size_t last = action->nkernels - 1;
  if (action->kernels[last]->graph.failed) return false;
  bool told = action->neffects > 0 && action->effects[action->neffects - 1].kernel == last;
  return action->kernels[last]->noutputs == 0 && !told;
}

/* From here on, names that are translated where they are used are translated into the kernel that is open. */
void flat_rebind_names(flat_builder *b) {
  for (flat_name *name = b->c.names; name != NULL; name = name->outer) {
    flat_context *scope = (flat_context *)(uintptr_t)name->scope; /* made by flat_push_let */
    scope->kernel = b->c.kernel;
    scope->graph = b->c.graph;
    scope->shared = b->c.shared;
    scope->nloops = b->c.nloops;
    scope->repeat = b->c.repeat;
    memcpy(scope->loop, b->c.loop, sizeof scope->loop);
    if (flat_draws(name->expr)) continue; /* what was drawn stays: visit_kept */
    name->memo = NULL;
    name->nmemo = 0;
  }
}

/* Opens a kernel with the loops of b->c. */
static bool open_kernel(flat_builder *b) {
  flat *f = b->c.f;
  if (b->action->nkernels > 0 && is_empty(b->action)) b->action->nkernels--;
  brink_kernel *kernel = flat_action_kernel(f, b->action, b->name, b->place, 0);
  if (kernel == NULL) return false;
  kernel->sequential = b->sequential && b->c.nloops == 0;
  b->c.kernel = kernel;
  b->c.graph = &kernel->graph;
  b->shared.nvaries = b->shared.nindices = 0;
  flat_begin_graph(&b->c);
  if (kernel->count > FLAT_LIMIT) {
    flat_error(f, BRINK_MSG_TOO_MANY_ASSIGNMENTS, b->place, NULL,
               "this action makes more than %d assignments", (int)FLAT_LIMIT);
    return false;
  }
  flat_rebind_names(b);
  return true;
}

bool flat_action_begin(flat_builder *b, flat *f, flat_group *group, const char *name,
                       brink_place place, const flat_loop *loop, const flat_binding *fixed) {
  *b = (flat_builder){.name = name, .place = place, .when = BRINK_NO_NODE};
  b->action = flat_new_action(f, group->count * (loop != NULL ? loop->count : 1));
  brink_kernel none = {0};
  if (b->action == NULL) return false;
  flat_begin(&b->c, &b->shared, f, group, &none, FLAT_INSTANT);
  b->c.when = &b->when;
  b->c.fixed = fixed;
  if (loop != NULL) b->c.loop[b->c.nloops++] = *loop;
  b->own_loops = b->c.nloops;
  return open_kernel(b);
}

/* ---- what is handed on from one kernel to another ---- */

static uint32_t take_locals(flat_builder *b, size_t count) {
  size_t first = b->nlocals;
  b->nlocals += count;
  if (b->nlocals > b->c.f->system->nlocals) b->c.f->system->nlocals = b->nlocals;
  return (uint32_t)first;
}

static uint32_t put_local(flat_builder *b, brink_node node) {
  uint32_t slot = take_locals(b, 1);
  brink_ref ref = {.space = BRINK_SPACE_LOCAL, .base = slot};
  flat_add_output(b->c.f, b->c.kernel, ref, node, BRINK_NO_NODE, BRINK_NO_INDEX);
  return slot;
}

/* Where a node of the kernel that closes is found from now on. */
static flat_moved move_out(flat_builder *b, brink_node node) {
  const brink_graph *graph = b->c.graph;
  flat_moved moved = {.slot = BRINK_NO_INDEX};
  if (node == BRINK_NO_NODE || b->c.f->failed || graph->failed) return moved;
  const brink_expr_node *n = &graph->nodes[node];
  moved.known = true;
  if (n->op == BRINK_OP_CONST) {
    moved.value = n->value;
  } else if (n->op == BRINK_OP_REF && graph->refs[n->a].space == BRINK_SPACE_LOCAL) {
    moved.slot = graph->refs[n->a].base; /* not in a loop: the same in all iterations */
  } else {
    moved.slot = put_local(b, node);
  }
  return moved;
}

static brink_node move_in(flat_builder *b, flat_moved moved) {
  if (!moved.known) return BRINK_NO_NODE;
  if (moved.slot == BRINK_NO_INDEX) return brink_graph_constant(b->c.graph, moved.value);
  return brink_graph_ref(b->c.graph, (brink_ref){.space = BRINK_SPACE_LOCAL, .base = moved.slot});
}

/* Calls `visit` for every node that is kept somewhere between statements. */
typedef void visit_fn(flat_builder *b, brink_node *node);

static void visit_snapshot(flat_builder *b, const flat_snapshot *snapshot, visit_fn *visit) {
  for (; snapshot != NULL; snapshot = snapshot->next) {
    for (size_t k = 0; k < snapshot->length; k++) visit(b, &snapshot->nodes[k]);
  }
}

static void visit_kept(flat_builder *b, visit_fn *visit) {
  visit(b, &b->when);
  for (flat_name *name = b->c.names; name != NULL; name = name->outer) {
    for (size_t k = 0; name->is_cell && k < name->length; k++) visit(b, &name->cell[k]);
    for (size_t k = 0; k < name->nmemo && flat_draws(name->expr); k++) visit(b, &name->memo[k]);
  }
  for (flat_branching *branching = b->branching; branching != NULL; branching = branching->outer) {
    visit(b, &branching->when);
    visit(b, &branching->otherwise);
    for (size_t k = 0; k < branching->count; k++) {
      visit(b, &branching->condition[k]);
      visit_snapshot(b, branching->after[k], visit);
    }
    visit_snapshot(b, branching->before, visit);
  }
}

static void keep_node(flat_builder *b, brink_node *node) {
  flat_moved *moved =
      flat_note(b->c.f, brink_arena_push(&b->c.f->scratch, b->moved, b->nmoved, b->moved_capacity));
  if (moved == NULL) return;
  /* Equal nodes are one, so a node that was moved before is found again. */
  for (size_t k = b->nmoved - 1; k-- > 0 && b->nmoved - k < 64;) {
    if (b->moved[k].node != *node || !b->moved[k].known) continue;
    *moved = b->moved[k];
    return;
  }
  *moved = move_out(b, *node);
  moved->node = *node;
}

static void find_node(flat_builder *b, brink_node *node) {
  *node = b->next_moved < b->nmoved ? move_in(b, b->moved[b->next_moved++]) : BRINK_NO_NODE;
}

/* A name of one random number is drawn before the loop that may read it. */
static void draw_names(flat_builder *b) {
  for (flat_name *name = b->c.names; name != NULL; name = name->outer) {
    if (name->is_cell || !flat_draws(name->expr) || flat_vector_length(&b->c, name->expr) != 1)
      continue;
    brink_ast_part part = {.name = name->symbol->name,
                           .place = name->symbol->place,
                           .symbol = (brink_symbol *)(uintptr_t)name->symbol};
    brink_ast_expr expr = {
        .op = BRINK_AST_NAME, .place = name->symbol->place, .part = &part, .nparts = 1};
    flat_expr(&b->c, &expr);
  }
}

/* Everything that is kept goes to LOCAL, and, once the next kernel is open, is found there. */
static void move_kept_out(flat_builder *b) {
  draw_names(b);
  b->nmoved = b->next_moved = 0;
  visit_kept(b, keep_node);
}

static void move_kept_in(flat_builder *b) {
  b->next_moved = 0;
  visit_kept(b, find_node);
}

/* ---- assignments ---- */

static void note_written(flat_builder *b, const brink_ast_expr *target) {
  flat_written *one = flat_note(
      b->c.f, brink_arena_push(&b->c.f->scratch, b->written, b->nwritten, b->written_capacity));
  if (one == NULL) return;
  *one = (flat_written){.kernel = (uint32_t)b->action->nkernels - 1,
                        .output = (uint32_t)b->c.kernel->noutputs - 1,
                        .target = target,
                        .looped = b->c.fixed != NULL || b->c.nloops > 0};
}

static bool may_assign(flat_builder *b, brink_place place, size_t more) {
  if (b->nwritten + more <= ASSIGNMENTS) return true;
  flat_error(b->c.f, BRINK_MSG_TOO_MANY_ASSIGNMENTS, place, NULL,
             "this action makes more than %d assignments", (int)ASSIGNMENTS);
  return false;
}

/* One output: an element, or all of those of c's element loop. */
static bool assign_one(flat_builder *b, flat_context *at, const brink_ast_expr *target,
                       const brink_ast_expr *expr) {
  flat *f = at->f;
  flat_variable *variable;
  brink_ref ref;
  if (!may_assign(b, target->place, 1)) return false;
  if (!flat_target(at, target, false, &ref, &variable)) return false;
  brink_node node = flat_expr(at, expr);
  if (f->failed || b->shared.stuck) return false;
  if (!flat_add_output(f, at->kernel, ref, node, b->when, variable->variable)) return false;
  note_written(b, target);
  return !f->failed;
}

/* x := expression of vectors, as a kernel with one iteration for each element. */
static void assign_elements(flat_builder *b, const brink_ast_expr *target,
                            const brink_ast_expr *expr, size_t length) {
  move_kept_out(b);
  b->c.loop[b->c.nloops++] = (flat_loop){.count = length};
  b->c.element_loop = true;
  if (b->c.f->failed || !open_kernel(b)) return;
  move_kept_in(b);
  assign_one(b, &b->c, target, expr);
  b->c.nloops--;
  b->c.element_loop = false;
  if (open_kernel(b)) move_kept_in(b);
}

/* x[k] := expr, with an index that changes during the run: to each element, if it is the one. */
static void assign_chosen(flat_builder *b, flat_context *at, const brink_ast_expr *target,
                          flat_variable *variable, const brink_ast_expr *expr) {
  flat *f = at->f;
  const brink_ast_part *last = &target->part[target->nparts - 1];
  brink_node index = flat_linear_index(at, last, flat_variable_shape(f, variable));
  brink_node node = flat_expr(at, expr);
  if (!may_assign(b, target->place, variable->length) || f->failed) return;
  for (size_t k = 0; k < variable->length && !f->failed; k++) {
    brink_ref ref;
    if (!flat_element_ref(at, variable, target, variable->space, k, &ref)) return;
    brink_node when = flat_is_chosen(at->graph, index, k, variable->length);
    if (b->when != BRINK_NO_NODE) when = brink_graph_op2(at->graph, BRINK_OP_AND, b->when, when);
    if (!flat_add_output(f, at->kernel, ref, node, when, variable->variable)) return;
    note_written(b, target);
  }
  at->kernel->sequential = true; /* iterations may meet: the last one counts */
}

/* Has the right-hand side the shape of the left one? */
static bool sides_fit(flat_context *c, const brink_ast_expr *target, const brink_ast_expr *expr,
                      size_t *length, bool *vector) {
  flat *f = c->f;
  flat_shape left, right;
  if (!flat_shape_of(c, target, &left) || !flat_shape_of(c, expr, &right) || f->failed) {
    f->failed = true;
    return false;
  }
  *length = left.rows * left.columns;
  *vector = left.rank > 0;
  if (right.rank == 0 ||
      (left.rank == right.rank && left.rows == right.rows && left.columns == right.columns))
    return true;
  const char *name = target->part[target->nparts - 1].name;
  if (left.rank < 2 && right.rank < 2)
    flat_error(f, BRINK_MSG_EQUATION_LENGTH, expr->place, NULL,
               "%zu elements are given for '%s', which has %u", right.columns, name,
               (unsigned)*length);
  else
    flat_error(f, BRINK_MSG_MATRIX_SHAPES, expr->place, NULL, "'%s': %s %s %s", name,
               flat_shape_text(f, left), "and", flat_shape_text(f, right));
  return false;
}

/* target := expr, element by element. */
static void assign(flat_builder *b, const brink_ast_expr *target, const brink_ast_expr *expr) {
  flat_context *c = &b->c;
  flat *f = c->f;
  const brink_symbol *first = target->part[0].symbol;
  if (first != NULL && first->kind == BRINK_SYMBOL_LET) {
    flat_assign_cell(c, target, expr, b->when);
    return;
  }
  flat_variable *variable = flat_find(f, c->group, target);
  if (variable == NULL || flat_size(f, variable) == 0) {
    f->failed = true;
    return;
  }
  const brink_ast_expr *index = target->part[target->nparts - 1].index;
  bool vector, chosen = index != NULL && !flat_index_known(c, index);
  size_t length;
  if (!sides_fit(c, target, expr, &length, &vector)) return;
  bool stays = vector && !chosen && length > WRITTEN_OUT && c->nloops == b->own_loops &&
               !flat_has_vector_literal(expr) && !flat_mentions_cell(c, expr) && !flat_draws(expr);
  if (stays) {
    assign_elements(b, target, expr, length);
    return;
  }
  for (size_t k = 0; k < (vector ? length : 1) && !f->failed; k++) {
    flat_context at = *c;
    if (vector) at.element = k;
    if (chosen)
      assign_chosen(b, &at, target, variable, expr);
    else if (!assign_one(b, &at, target, expr))
      return;
  }
}

/* ---- effects ---- */

brink_effect *flat_add_effect(flat_builder *b, int kind, const char *text) {
  flat *f = b->c.f;
  brink_action *action = b->action;
  brink_effect *effect = flat_push(f, action->effects, action->neffects, action->effects_capacity);
  if (effect == NULL) return NULL;
  *effect = (brink_effect){.kind = kind,
                           .kernel = (uint32_t)action->nkernels - 1,
                           .when = b->when,
                           .text = brink_arena_text(f->arena, text)};
  if (effect->text == NULL) flat_out_of_memory(f);
  return effect;
}

static brink_value_type note_type(brink_type type) {
  switch (type) {
  case BRINK_TYPE_STRING:
    return BRINK_VALUE_STRING;
  case BRINK_TYPE_BOOLEAN:
    return BRINK_VALUE_BOOLEAN;
  case BRINK_TYPE_INTEGER:
    return BRINK_VALUE_INTEGER;
  default:
    return BRINK_VALUE_REAL;
  }
}

/* note("label", a, b, …): vectors element by element. */
static void note(flat_builder *b, const brink_ast_statement *s) {
  flat *f = b->c.f;
  size_t count = 0;
  for (size_t k = 0; k < s->nargs; k++) count += flat_vector_length(&b->c, s->arg[k]);
  if (count > ASSIGNMENTS) {
    flat_error(f, BRINK_MSG_ACTION_TOO_LARGE, s->place, NULL, "this action is too large");
    return;
  }
  brink_node *args = flat_take(f, count, sizeof *args);
  brink_value_type *types = flat_take(f, count, sizeof *types);
  if (args == NULL || types == NULL) return;
  size_t n = 0;
  for (size_t k = 0; k < s->nargs; k++) {
    size_t length = flat_vector_length(&b->c, s->arg[k]);
    for (size_t e = 0; e < length; e++) {
      flat_context at = b->c;
      if (length > 1) at.element = e;
      args[n] = flat_expr(&at, s->arg[k]);
      types[n++] = note_type(s->arg[k]->type);
    }
  }
  brink_effect *effect = flat_add_effect(b, BRINK_EFFECT_NOTE, s->text);
  if (effect == NULL) return;
  effect->args = args;
  effect->arg_types = types;
  effect->nargs = count;
}

/* ---- if ---- */

static brink_node both(brink_graph *graph, brink_node a, brink_node b) {
  return a == BRINK_NO_NODE ? b : brink_graph_op2(graph, BRINK_OP_AND, a, b);
}

static bool begin_branches(flat_builder *b, flat_branching *branching,
                           const brink_ast_statement *s) {
  flat *f = b->c.f;
  *branching = (flat_branching){
      .when = b->when, .otherwise = b->when, .count = s->nblocks, .outer = b->branching};
  branching->condition = brink_arena_pack(&f->scratch, s->nblocks, sizeof(brink_node));
  branching->after = brink_arena_take(&f->scratch, s->nblocks, sizeof(flat_snapshot *));
  if (branching->condition == NULL || branching->after == NULL) {
    flat_out_of_memory(f);
    return false;
  }
  for (size_t k = 0; k < s->nblocks; k++)
    branching->condition[k] =
        k < s->nconditions ? flat_expr(&b->c, s->condition[k]) : BRINK_NO_NODE;
  branching->before = flat_take_snapshot(&b->c);
  b->branching = branching;
  return !f->failed;
}

/* Conditions are those from before the if; the cells are merged from the last branch to the first. */
static void conditional(flat_builder *b, const brink_ast_statement *s) {
  flat_branching branching;
  if (begin_branches(b, &branching, s)) {
    for (size_t k = 0; k < s->nblocks && !b->c.f->failed && !b->shared.stuck; k++) {
      brink_node condition = branching.condition[k];
      brink_graph *graph = b->c.graph;
      b->when = branching.otherwise;
      if (k < s->nconditions) {
        b->when = both(graph, branching.otherwise, condition);
        branching.otherwise =
            both(graph, branching.otherwise, brink_graph_op1(graph, BRINK_OP_NOT, condition));
      }
      flat_restore_snapshot(branching.before);
      flat_statements(b, &s->block[k]);
      branching.after[k] = flat_take_snapshot(&b->c);
    }
    bool whole = s->nblocks > s->nconditions;
    flat_restore_snapshot(whole ? branching.after[s->nblocks - 1] : branching.before);
    for (size_t k = s->nconditions; k-- > 0 && !b->c.f->failed && !b->shared.stuck;)
      flat_merge_branch(&b->c, branching.condition[k], branching.after[k]);
    b->when = branching.when;
  }
  b->branching = branching.outer;
}

/* ---- loops ---- */

/* Each iteration by itself, with the number in place of the loop's variable. */
static void write_out(flat_builder *b, const brink_ast_statement *s, int64_t lo, int64_t hi) {
  flat_context *c = &b->c;
  const flat_binding *outer = c->fixed;
  for (int64_t i = lo; i <= hi && !c->f->failed && !c->graph->failed && !b->shared.stuck; i++) {
    if (!flat_spend(c->f, s->place, FLAT_LOOP_STEPS)) return;
    /* in the arena: names that are translated later may refer to it */
    flat_binding *binding = brink_arena_pack(&c->f->scratch, 1, sizeof *binding);
    if (binding == NULL) {
      flat_out_of_memory(c->f);
      return;
    }
    *binding = (flat_binding){.symbol = s->symbol, .value = (double)i, .outer = outer};
    c->fixed = binding;
    flat_statements(b, &s->block[0]);
  }
  c->fixed = outer;
}

static void loop(flat_builder *b, const brink_ast_statement *s) {
  int64_t lo, hi;
  if (!flat_shared_bounds(&b->c, s, &lo, &hi) || hi < lo) return;
  if (b->path == NULL && flat_loop_stays(b, s, (size_t)(hi - lo + 1))) return;
  write_out(b, s, lo, hi);
}

/* ---- statements ---- */

/* In a loop that stays one, a kernel takes what its own block holds; blocks of loops inside have theirs. */
static void inner_loop(flat_builder *b, const brink_ast_statement *s) {
  const flat_path *path = b->path;
  if (path != NULL && !path->whole) {
    if (b->depth < path->nloops && path->loops[b->depth] == s) {
      b->depth++;
      flat_statements(b, &s->block[0]);
      b->depth--;
    }
    return;
  }
  loop(b, s);
}

static void statement(flat_builder *b, const brink_ast_statement *s) {
  bool here = b->path == NULL || b->depth == b->path->nloops;
  switch (s->kind) {
  case BRINK_STATEMENT_LET:
    flat_push_let(&b->c, s->symbol, s->expr);
    return;
  case BRINK_STATEMENT_IF:
    conditional(b, s);
    return;
  case BRINK_STATEMENT_FOR:
    inner_loop(b, s);
    return;
  default:
    break;
  }
  if (!here) return;
  if (s->kind == BRINK_STATEMENT_ASSIGN) assign(b, s->target, s->expr);
  if (s->kind == BRINK_STATEMENT_STOP) flat_add_effect(b, BRINK_EFFECT_STOP, s->text);
  if (s->kind == BRINK_STATEMENT_FAIL) flat_add_effect(b, BRINK_EFFECT_FAIL, s->text);
  if (s->kind == BRINK_STATEMENT_NOTE) note(b, s);
  if (s->kind == BRINK_STATEMENT_PUT || s->kind == BRINK_STATEMENT_TAKE) flat_queue_statement(b, s);
  /* Equations and leave of on-event are no actions. */
}

void flat_statements(flat_builder *b, const brink_ast_block *block) {
  flat_name *names = b->c.names;
  for (size_t k = 0; k < block->count && !b->c.f->failed && !b->shared.stuck; k++)
    statement(b, block->statement[k]);
  b->c.names = names;
}

/* ---- kernels of loops ---- */

bool flat_open_loops(flat_builder *b, const flat_path *path, flat_context *outer) {
  *outer = b->c;
  move_kept_out(b);
  if (b->c.f->failed || !flat_push_loops(&b->c, path->loops, path->nloops)) {
    b->c = *outer;
    return false;
  }
  if (!open_kernel(b)) return false;
  move_kept_in(b);
  return !b->c.f->failed;
}

void flat_close_loops(flat_builder *b, const flat_context *outer) {
  brink_kernel *kernel = b->c.kernel;
  b->c = *outer;
  b->c.kernel = kernel;
  if (open_kernel(b)) move_kept_in(b);
}

uint32_t flat_keep_in_memory(flat_builder *b, const flat_name *name) {
  uint32_t base = take_locals(b, name->length);
  for (size_t k = 0; k < name->length && !b->c.f->failed; k++) {
    brink_ref ref = {.space = BRINK_SPACE_LOCAL, .base = base + (uint32_t)k};
    flat_add_output(b->c.f, b->c.kernel, ref, name->cell[k], BRINK_NO_NODE, BRINK_NO_INDEX);
  }
  return base;
}

/* ---- the end ---- */

typedef struct marks {
  uint32_t *stamp, *record; /* of each slot: when it was met last, and by which assignment */
  size_t first[BRINK_SPACE_COUNT];
} marks;

static bool take_marks(flat *f, marks *m) {
  const brink_system *system = f->system;
  size_t count = system->nx + system->np + system->nmodes;
  m->first[BRINK_SPACE_P] = system->nx;
  m->first[BRINK_SPACE_MODE] = system->nx + system->np;
  m->stamp = brink_arena_take(&f->scratch, count, sizeof *m->stamp);
  m->record = brink_arena_take(&f->scratch, count, sizeof *m->record);
  if (m->stamp == NULL || m->record == NULL) flat_out_of_memory(f);
  return !f->failed;
}

/* Two assignments of one slot under one condition. */
static bool collide(const flat_builder *b, const flat_written *first, const flat_written *second) {
  const brink_output *one = &b->action->kernels[first->kernel]->outputs[first->output];
  const brink_output *two = &b->action->kernels[second->kernel]->outputs[second->output];
  if (one->when == BRINK_NO_NODE && two->when == BRINK_NO_NODE) return true;
  return first->kernel == second->kernel && first != second && one->when == two->when;
}

static bool meet(flat_builder *b, marks *m, uint32_t stamp, size_t number, size_t iteration) {
  const flat_written *written = &b->written[number];
  const brink_ref *target = &b->action->kernels[written->kernel]->outputs[written->output].target;
  size_t slot = m->first[target->space] + brink_ref_slot(target, iteration);
  bool again = m->stamp[slot] == stamp && written->looped;
  if (again && collide(b, &b->written[m->record[slot]], written)) {
    flat_error(b->c.f, BRINK_MSG_ASSIGNED_TWICE, written->target->place, NULL,
               "'%s' is assigned twice", written->target->part[written->target->nparts - 1].name);
    return false;
  }
  m->stamp[slot] = stamp;
  m->record[slot] = (uint32_t)number;
  return true;
}

/* A loop may come to one name again. The elements of one instance stand for those of all. */
static void check_assigned_once(flat_builder *b) {
  bool looped = false;
  for (size_t k = 0; k < b->nwritten; k++) looped = looped || b->written[k].looped;
  marks m = {0};
  if (!looped || b->c.f->failed || !take_marks(b->c.f, &m)) return;
  size_t each = b->action->count / b->c.group->count;
  for (size_t a = 0; a < each; a++) {
    for (size_t k = 0; k < b->nwritten; k++) {
      size_t repeat = brink_action_repeat(b->action, b->action->kernels[b->written[k].kernel]);
      if (!flat_spend(b->c.f, b->written[k].target->place, repeat / 100 + 1)) return;
      for (size_t r = 0; r < repeat; r++) {
        if (!meet(b, &m, (uint32_t)a + 1, k, a * repeat + r)) return;
      }
    }
  }
}

brink_action *flat_action_end(flat_builder *b, bool counts) {
  flat_context *c = &b->c;
  if (c->f->arena->failed) flat_out_of_memory(c->f);
  if (c->f->failed) return NULL;
  bool large = false;
  for (size_t k = 0; k < b->action->nkernels; k++)
    large = large || b->action->kernels[k]->graph.failed;
  if (large) {
    flat_error(c->f, BRINK_MSG_ACTION_TOO_LARGE,
               c->group->component != NULL ? c->group->component->place : c->group->pair->place,
               NULL, "this action is too large");
    return NULL;
  }
  check_assigned_once(b);
  if (counts) flat_count_draws(c);
  if (b->action->nkernels > 1 && is_empty(b->action)) b->action->nkernels--;
  return c->f->failed ? NULL : b->action;
}
