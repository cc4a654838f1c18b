/* equations.c: derivatives become the equations of a flat system (see builder.h).
 *
 * Problem: the builder has one graph of everything. The flat system wants an equation for each state,
 * and gathers equations into kernels of a size that compilers like; what two kernels have in common
 * would be computed twice, and what is alike would be compiled many times.
 * Method: every node belongs to the one equation that needs it. A node that two equations need becomes
 * an equation of its own, of a variable that both read. Nodes are visited from the last to the first,
 * so that all users of a node are known before it is visited: one pass, linear in the size of the graph. Where
 * equations end up in one kernel after all, the scheduler makes nodes of such variables again.
 *
 * In a large model equations of one shape become one, with several iterations. They are taken level by
 * level, those that read no variables first: so equations that read each other are never one. Long
 * expressions are cut before: no two of them are alike, but their parts often are, for example the terms
 * of sums over neighbours. */
#include <string.h>

#include "build/builder.h"

/* Marks of nodes whose equation is not decided. */
#define UNUSED UINT32_MAX
#define SHARED (UINT32_MAX - 1)

/* Parts: i < nx is the derivative of state i, those from nx on are shared nodes. */
typedef struct writer {
  const brink_builder *builder;
  const brink_graph *graph;
  brink_system *system;
  brink_arena scratch;
  builder_shapes shapes;
  uint32_t *owner;  /* of each node: its part */
  brink_node *root; /* of each part */
  uint32_t *level;  /* of each part */
  uint32_t *slots;  /* of each part: what it computes, of DX or V */
  size_t nparts;
  uint32_t deepest;
  bool rolls; /* equal parts become one, … */
  bool whole; /* … and long ones are not cut before */
} writer;

/* ---- parts ---- */

static int operands_of(const writer *w, brink_node node, brink_node operand[3]) {
  const brink_expr_node *n = &w->graph->nodes[node];
  operand[0] = n->a, operand[1] = n->b, operand[2] = n->c;
  return brink_op_operands((brink_op)n->op);
}

/* A part needs the node. Leaves are cheap: whoever needs one has it. */
static void claim(writer *w, brink_node node, uint32_t part) {
  if (brink_op_operands((brink_op)w->graph->nodes[node].op) == 0) return;
  if (w->owner[node] == UNUSED)
    w->owner[node] = part;
  else if (w->owner[node] != part)
    w->owner[node] = SHARED;
}

/* Returns how many nodes are used. Nodes that are marked in `cut` (may be NULL) become parts. */
static size_t find_parts(writer *w, const bool *cut) {
  size_t used = 0;
  brink_node operand[3];
  for (size_t i = 0; i < w->graph->nnodes; i++) w->owner[i] = UNUSED;
  for (w->nparts = 0; w->nparts < w->builder->states.count; w->nparts++) {
    w->root[w->nparts] = w->builder->states.items[w->nparts].derivative;
    claim(w, w->root[w->nparts], (uint32_t)w->nparts);
  }
  for (size_t i = w->graph->nnodes; i-- > 0;) {
    if (w->owner[i] == UNUSED) continue;
    if (w->owner[i] == SHARED || (cut != NULL && cut[i])) {
      w->root[w->nparts] = (brink_node)i;
      w->owner[i] = (uint32_t)w->nparts++;
    }
    used++;
    for (int k = operands_of(w, (brink_node)i, operand); k-- > 0;)
      claim(w, operand[k], w->owner[i]);
  }
  return used;
}

/* Marks nodes under which PIECE operators of the same part, or more, have gathered since the last cut. */
#define PIECE 8
static bool find_cuts(writer *w, bool *cut) {
  uint32_t *size = brink_arena_take(&w->scratch, w->graph->nnodes, sizeof *size);
  brink_node operand[3];
  if (size == NULL) return false;
  for (size_t i = 0; i < w->graph->nnodes; i++) {
    uint32_t part = w->owner[i];
    if (part == UNUSED) continue;
    size[i] = 1;
    for (int k = operands_of(w, (brink_node)i, operand); k-- > 0;) {
      if (w->owner[operand[k]] == part && !cut[operand[k]]) size[i] += size[operand[k]];
    }
    cut[i] = size[i] >= PIECE && w->root[part] != i;
  }
  return true;
}

static bool divide(writer *w) {
  w->rolls = find_parts(w, NULL) > BUILDER_SMALL;
  if (!w->rolls || w->whole) return true;
  bool *cut = brink_arena_take(&w->scratch, w->graph->nnodes, sizeof *cut);
  if (cut == NULL || !find_cuts(w, cut)) return false;
  find_parts(w, cut);
  return true;
}

/* A part that reads another is one level above it. */
static void read_part(writer *w, uint32_t part, brink_node node) {
  uint32_t other = w->owner[node];
  if (other == UNUSED || other == part) return;
  if (w->level[part] <= w->level[other]) w->level[part] = w->level[other] + 1;
  if (w->level[part] > w->deepest) w->deepest = w->level[part];
}

/* A node comes after all nodes of what it reads. */
static void find_levels(writer *w) {
  brink_node operand[3];
  for (size_t i = 0; i < w->graph->nnodes; i++) {
    if (w->owner[i] == UNUSED) continue;
    for (int k = operands_of(w, (brink_node)i, operand); k-- > 0;)
      read_part(w, w->owner[i], operand[k]);
  }
  for (size_t part = 0; part < w->system->nx; part++) read_part(w, (uint32_t)part, w->root[part]);
}

/* All parts by levels, within a level in the order of their creation; start[n]: the first of level n. */
static void sort_parts(const writer *w, uint32_t *start, uint32_t *order) {
  for (size_t part = 0; part < w->nparts; part++) start[w->level[part] + 1]++;
  for (size_t n = 0; n <= w->deepest; n++) start[n + 1] += start[n];
  for (size_t k = 0; k < w->nparts; k++) { /* shared ones were found from the last to the first */
    size_t part = k < w->system->nx ? k : w->nparts - 1 - (k - w->system->nx);
    order[start[w->level[part]]++] = (uint32_t)part;
  }
  for (size_t n = w->deepest + 1; n > 0; n--) start[n] = start[n - 1];
  start[0] = 0;
}

/* ---- equations ---- */

/* One equation, of the parts part[list[0]], … */
static bool write_equation(writer *w, const builder_shape *shape, const uint32_t *part,
                           const uint32_t *list, size_t count, uint32_t *targets) {
  brink_system *system = w->system;
  size_t first = part[list[0]];
  bool derivative = first < system->nx;
  for (size_t i = 0; i < count; i++) {
    uint32_t own = part[list[i]];
    targets[i] = derivative ? own : (uint32_t)system->nv++;
    w->slots[own] = targets[i];
  }
  brink_kernel *kernel = builder_shape_write(&w->shapes, shape, list, count, system,
                                             derivative ? BRINK_SPACE_DX : BRINK_SPACE_V, targets);
  if (kernel == NULL) return false;
  if (derivative && count == 1) {
    kernel->name = system->variables[first].name;
    kernel->outputs[0].variable = (uint32_t)first;
  }
  system->equations[system->nequations++] = kernel;
  return true;
}

static bool write_level(writer *w, const uint32_t *part, size_t count) {
  builder_shape *shape = brink_arena_pack(&w->scratch, count, sizeof *shape);
  uint32_t *list = brink_arena_pack(&w->scratch, 3 * count, sizeof *list);
  if (w->scratch.failed) return false;
  uint32_t *ends = list + count, *targets = ends + count;
  for (size_t k = 0; k < count; k++) {
    builder_border border = {.owner = w->owner, .self = part[k], .slots = w->slots};
    bool derivative = part[k] < w->system->nx;
    if (!builder_shape_find(&w->shapes, w->root[part[k]], &border, derivative, &shape[k]))
      return false;
  }
  if (!builder_shapes_sort(&w->shapes, shape, count, list, ends)) return false;
  for (size_t k = 0, end; k < count; k = end) {
    end = ends[k];
    if (!w->rolls || !builder_worthwhile(&shape[list[k]], end - k)) end = k + 1;
    if (!write_equation(w, shape, part, list + k, end - k, targets)) return false;
  }
  return true;
}

static bool write_levels(writer *w) {
  brink_system *system = w->system;
  uint32_t *order = brink_arena_pack(&w->scratch, w->nparts, sizeof *order);
  uint32_t *start = brink_arena_take(&w->scratch, (size_t)w->deepest + 2, sizeof *start);
  w->slots = brink_arena_pack(&w->scratch, w->nparts, sizeof *w->slots);
  system->equations = brink_arena_take(&system->arena, w->nparts, sizeof *system->equations);
  system->equations_capacity = w->nparts;
  if (w->scratch.failed || system->arena.failed) return false;
  sort_parts(w, start, order);
  for (size_t n = 0; n <= w->deepest; n++) {
    if (!write_level(w, order + start[n], start[n + 1] - start[n])) return false;
  }
  return true;
}

bool builder_write_equations(const brink_builder *builder, bool whole, brink_system *system) {
  writer w = {.builder = builder, .graph = &builder->graph, .system = system, .whole = whole};
  size_t nnodes = builder->graph.nnodes, most = nnodes + system->nx;
  brink_arena_init(&w.scratch, &system->arena.allocator);
  w.owner = brink_arena_pack(&w.scratch, nnodes, sizeof *w.owner);
  w.root = brink_arena_pack(&w.scratch, most, sizeof *w.root);
  w.level = brink_arena_take(&w.scratch, most, sizeof *w.level);
  bool ok = builder_shapes_init(&w.shapes, &w.scratch, &builder->graph) && divide(&w);
  if (ok) {
    find_levels(&w);
    ok = write_levels(&w);
  }
  brink_arena_free(&w.scratch);
  return ok;
}
