/* flat_loop.c: loops of statements that stay loops (see flat_statement.c).
 *
 * A loop is written out where it is short, or where its iterations cannot share a kernel: bounds that depend on the
 * loop around it, local vectors that are indexed in more than one way, kernels of one nest that write the
 * same slots (their order would matter). */
#include <stdlib.h>
#include <string.h>

#include "lang/flat.h"

enum { SHORT = 64 /* iterations */ };

/* ---- what a loop contains ---- */

typedef struct shape {
  flat_builder *b;
  bool told; /* notes, stop, fail */
  bool draws;
  bool cells;     /* local names that are assigned, here or outside */
  bool irregular; /* cannot be one kernel */
  size_t blocks;  /* that hold assignments or effects */
  size_t nested;  /* the longest product of the loops inside */
} shape;

/* Does it name a loop whose iterations are not written out? */
static bool names_loop(const flat_builder *b, const brink_ast_expr *expr) {
  for (size_t k = 0; expr->op == BRINK_AST_NAME && k < expr->nparts; k++) {
    const brink_symbol *symbol = expr->part[k].symbol;
    if (symbol != NULL && symbol->kind == BRINK_SYMBOL_LOOP) {
      const flat_binding *fixed = b->c.fixed;
      while (fixed != NULL && fixed->symbol != symbol) fixed = fixed->outer;
      if (fixed == NULL) return true;
    }
    if (expr->part[k].index != NULL && names_loop(b, expr->part[k].index)) return true;
  }
  for (size_t k = 0; k < expr->nargs; k++) {
    if (names_loop(b, expr->arg[k])) return true;
  }
  return false;
}

static void look_at(shape *s, const brink_ast_expr *expr) {
  if (expr == NULL) return;
  if (expr->op == BRINK_AST_NAME && expr->nparts > 0 && expr->part[0].symbol != NULL) {
    const brink_symbol *symbol = expr->part[0].symbol;
    const flat_name *name = flat_find_name(&s->b->c, symbol);
    bool cell = symbol->assigned || (name != NULL && name->is_cell);
    s->cells = s->cells || cell;
    /* An element of a name that stands for an expression: which one must not depend on the loop. */
    if (symbol->kind == BRINK_SYMBOL_LET && !cell && expr->part[0].index != NULL &&
        names_loop(s->b, expr->part[0].index))
      s->irregular = true;
    for (size_t k = 0; k < expr->nparts; k++) look_at(s, expr->part[k].index);
  }
  for (size_t k = 0; k < expr->nargs; k++) look_at(s, expr->arg[k]);
}

static void look_at_block(shape *s, const brink_ast_block *block, size_t inside, bool *holds);

static void look_at_loop(shape *s, const brink_ast_statement *loop, size_t inside) {
  bool holds = false;
  int64_t lo, hi;
  flat_point point = {.group = s->b->c.group, .element = BRINK_NONE, .binding = s->b->c.fixed};
  if (names_loop(s->b, loop->lo) || names_loop(s->b, loop->hi)) {
    s->irregular = true;
    return;
  }
  if (!flat_bounds(s->b->c.f, &point, loop, &lo, &hi)) {
    s->b->c.f->failed = true;
    return;
  }
  inside *= hi >= lo ? (size_t)(hi - lo + 1) : 1;
  if (inside > s->nested) s->nested = inside;
  look_at_block(s, &loop->block[0], inside, &holds);
  s->blocks += holds;
}

static void look_at_statement(shape *s, const brink_ast_statement *one, size_t inside,
                              bool *holds) {
  look_at(s, one->target);
  look_at(s, one->expr);
  s->draws = s->draws || (one->expr != NULL && flat_draws(one->expr));
  for (size_t k = 0; k < one->nargs; k++) {
    look_at(s, one->arg[k]);
    s->draws = s->draws || flat_draws(one->arg[k]);
  }
  for (size_t k = 0; k < one->nconditions; k++) {
    look_at(s, one->condition[k]);
    s->draws = s->draws || flat_draws(one->condition[k]);
  }
  bool told = one->kind == BRINK_STATEMENT_STOP || one->kind == BRINK_STATEMENT_FAIL ||
              one->kind == BRINK_STATEMENT_NOTE || one->kind == BRINK_STATEMENT_PUT ||
              one->kind == BRINK_STATEMENT_TAKE;
  s->told = s->told || told;
  *holds = *holds || told || one->kind == BRINK_STATEMENT_ASSIGN;
  if (one->kind == BRINK_STATEMENT_LET && one->symbol->assigned) s->cells = true;
  for (size_t k = 0; one->kind == BRINK_STATEMENT_IF && k < one->nblocks; k++)
    look_at_block(s, &one->block[k], inside, holds);
  if (one->kind == BRINK_STATEMENT_FOR) look_at_loop(s, one, inside);
}

static void look_at_block(shape *s, const brink_ast_block *block, size_t inside, bool *holds) {
  for (size_t k = 0; k < block->count && !s->irregular && !s->b->c.f->failed; k++)
    look_at_statement(s, block->statement[k], inside, holds);
}

/* ---- as it was before ---- */

typedef struct earlier {
  flat_context c;
  brink_kernel *kernel;
  size_t nkernels, neffects, nwritten, sites;
  brink_node when;
  flat_snapshot *cells;
} earlier;

static earlier remember(flat_builder *b) {
  return (earlier){.c = b->c,
                   .kernel = b->c.kernel,
                   .nkernels = b->action->nkernels,
                   .neffects = b->action->neffects,
                   .nwritten = b->nwritten,
                   .sites = b->shared.sites,
                   .when = b->when,
                   .cells = flat_take_snapshot(&b->c)};
}

/* Back to the kernel that was open. What it hands on in LOCAL nobody takes. */
static void go_back(flat_builder *b, const earlier *was) {
  b->action->nkernels = was->nkernels;
  b->action->kernels[was->nkernels - 1] = was->kernel;
  b->action->neffects = was->neffects;
  b->nwritten = was->nwritten;
  b->shared.sites = was->sites;
  b->c = was->c;
  b->when = was->when;
  b->path = NULL;
  b->shared.stuck = false;
  for (flat_name *name = b->c.names; name != NULL; name = name->outer) name->in_memory = false;
  flat_restore_snapshot(was->cells);
  flat_rebind_names(b);
}

/* ---- assignments alone: one kernel for each block ---- */

static void block_kernel(flat_builder *b, const flat_path *path) {
  flat_context outer;
  if (!flat_open_loops(b, path, &outer)) return;
  b->path = path;
  b->depth = 1;
  flat_statements(b, &path->loops[0]->block[0]);
  b->path = NULL;
  flat_close_loops(b, &outer);
}

/* Does a block itself, not the loops in it, assign or tell anything? */
static bool block_holds(const brink_ast_block *block) {
  bool holds = false;
  for (size_t k = 0; k < block->count; k++) {
    const brink_ast_statement *s = block->statement[k];
    for (size_t j = 0; s->kind == BRINK_STATEMENT_IF && j < s->nblocks; j++)
      holds = holds || block_holds(&s->block[j]);
    holds = holds || s->kind == BRINK_STATEMENT_ASSIGN || s->kind == BRINK_STATEMENT_STOP ||
            s->kind == BRINK_STATEMENT_FAIL || s->kind == BRINK_STATEMENT_NOTE ||
            s->kind == BRINK_STATEMENT_PUT || s->kind == BRINK_STATEMENT_TAKE;
  }
  return holds;
}

/* The block of the last loop of the path, then those of the loops in it. */
static void path_kernels(flat_builder *b, flat_path *path, const brink_ast_block *block) {
  for (size_t k = 0; k < block->count && !b->c.f->failed; k++) {
    const brink_ast_statement *s = block->statement[k];
    for (size_t j = 0; s->kind == BRINK_STATEMENT_IF && j < s->nblocks; j++)
      path_kernels(b, path, &s->block[j]);
    if (s->kind != BRINK_STATEMENT_FOR) continue;
    if (b->own_loops + path->nloops + 1 >= FLAT_LOOPS) {
      flat_error(b->c.f, BRINK_MSG_LOOPS_TOO_DEEP, s->place, NULL,
                 "loops are nested more than %d deep", FLAT_LOOPS - 2);
      return;
    }
    path->loops[path->nloops++] = s;
    if (block_holds(&s->block[0])) block_kernel(b, path);
    path_kernels(b, path, &s->block[0]);
    path->nloops--;
  }
}

static int compare_slots(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

/* Do two of the kernels write one slot in an iteration of the action? Then the order of statements counts. */
static bool kernels_overlap(flat_builder *b, size_t nwritten) {
  size_t total = 0, n = 0, each = b->action->count / b->c.group->count;
  for (size_t k = nwritten; k < b->nwritten; k++)
    total += brink_action_repeat(b->action, b->action->kernels[b->written[k].kernel]);
  uint64_t *slots = brink_arena_pack(&b->c.f->scratch, total, sizeof *slots);
  if (slots == NULL) {
    flat_out_of_memory(b->c.f);
    return false;
  }
  for (size_t a = 0; a < each; a++, n = 0) {
    for (size_t k = nwritten; k < b->nwritten; k++) {
      const brink_kernel *kernel = b->action->kernels[b->written[k].kernel];
      const brink_ref *target = &kernel->outputs[b->written[k].output].target;
      size_t repeat = brink_action_repeat(b->action, kernel);
      for (size_t r = 0; r < repeat; r++)
        slots[n++] = (uint64_t)brink_ref_slot(target, a * repeat + r) << 28 |
                     (uint64_t)target->space << 24 | (b->written[k].kernel & 0xffffff);
    }
    qsort(slots, n, sizeof *slots, compare_slots);
    for (size_t i = 1; i < n; i++) {
      if (slots[i] >> 24 == slots[i - 1] >> 24 && slots[i] != slots[i - 1]) return true;
    }
  }
  return false;
}

static bool as_blocks(flat_builder *b, const brink_ast_statement *s, size_t blocks) {
  earlier was = remember(b);
  flat_path path = {0};
  brink_ast_statement *one = (brink_ast_statement *)(uintptr_t)s;
  brink_ast_block around = {.statement = &one, .count = 1};
  path_kernels(b, &path, &around);
  if (b->c.f->failed) return true;
  if (!b->shared.stuck && (blocks == 1 || !kernels_overlap(b, was.nwritten))) return true;
  go_back(b, &was);
  return false;
}

/* ---- with local names: iterations in order ---- */

static void open_cells(flat_builder *b) {
  for (flat_name *name = b->c.names; name != NULL; name = name->outer) {
    if (!name->is_cell) continue;
    name->slot = flat_keep_in_memory(b, name);
    for (size_t k = 0; k < name->length; k++) name->cell[k] = BRINK_NO_NODE;
  }
}

static brink_node local_node(flat_builder *b, const flat_name *name, size_t element) {
  brink_ref ref = {.space = BRINK_SPACE_LOCAL, .base = name->slot + (uint32_t)element};
  return brink_graph_ref(b->c.graph, ref);
}

/* In the kernel of the loop, one value is a node, and several are memory. */
static void enter_cells(flat_builder *b) {
  for (flat_name *name = b->c.names; name != NULL; name = name->outer) {
    if (!name->is_cell) continue;
    name->in_memory = name->length > 1;
    name->stores = NULL;
    if (!name->in_memory) name->cell[0] = local_node(b, name, 0);
  }
}

static void leave_cells(flat_builder *b) {
  flat *f = b->c.f;
  for (flat_name *name = b->c.names; name != NULL && !f->failed; name = name->outer) {
    if (!name->is_cell) continue;
    brink_ref ref = {.space = BRINK_SPACE_LOCAL, .base = name->slot};
    if (!name->in_memory && name->cell[0] != local_node(b, name, 0)) {
      flat_add_output(f, b->c.kernel, ref, name->cell[0], BRINK_NO_NODE, BRINK_NO_INDEX);
      b->c.kernel->sequential = true;
    }
    for (const flat_store *store = name->stores; store != NULL; store = store->next) {
      flat_add_output(f, b->c.kernel, flat_local_ref(&b->c, name->slot, store->elements),
                      store->node, BRINK_NO_NODE, BRINK_NO_INDEX);
      b->c.kernel->sequential = true;
    }
  }
}

static void close_cells(flat_builder *b) {
  for (flat_name *name = b->c.names; name != NULL; name = name->outer) {
    if (!name->is_cell) continue;
    name->in_memory = false;
    for (size_t k = 0; k < name->length; k++) name->cell[k] = local_node(b, name, k);
  }
}

/* Loops inside are written out: is that too much? */
static bool foresee_inside(flat_builder *b, const brink_ast_statement *s, int64_t first) {
  flat_binding binding = {.symbol = s->symbol, .value = (double)first, .outer = b->c.fixed};
  flat_point point = {.group = b->c.group, .element = BRINK_NONE, .binding = &binding};
  return flat_foresee(b->c.f, &point, &s->block[0], 1, FLAT_LOOP_STEPS);
}

static bool in_order(flat_builder *b, const brink_ast_statement *s) {
  int64_t lo, hi;
  if (!flat_shared_bounds(&b->c, s, &lo, &hi) || !foresee_inside(b, s, lo)) return true;
  earlier was = remember(b);
  flat_path path = {.loops = {s}, .nloops = 1, .whole = true};
  flat_context outer;
  open_cells(b);
  if (!b->c.f->failed && flat_open_loops(b, &path, &outer)) {
    enter_cells(b);
    b->path = &path;
    b->depth = 1;
    b->shared.may_stick = true;
    flat_statements(b, &s->block[0]);
    b->shared.may_stick = false;
    b->path = NULL;
    if (!b->shared.stuck) leave_cells(b);
    flat_close_loops(b, &outer);
    close_cells(b);
  }
  if (b->c.f->failed || !b->shared.stuck) return true;
  go_back(b, &was);
  return false;
}

/* ---- the choice ---- */

bool flat_loop_stays(flat_builder *b, const brink_ast_statement *s, size_t iterations) {
  shape found = {.b = b, .nested = 1};
  bool holds = false;
  look_at_block(&found, &s->block[0], 1, &holds);
  found.blocks += holds;
  if (b->c.f->failed) return true;
  if (found.irregular || iterations * found.nested <= SHORT) return false;
  if (found.draws && iterations * found.nested <= FLAT_DRAWN_LOOP) return false;
  if (found.told && found.blocks > 1) return false; /* in the order in which they were written */
  if (!found.cells) return as_blocks(b, s, found.blocks);
  /* Of two loops inside each other, the one with local names is the longer. */
  if (found.nested > SHORT && iterations <= SHORT) return false;
  return in_order(b, s);
}
