/* reverse.c: a system that runs backwards in time.
 *
 * With s = -t, x(t) solves x' = f(t, x) if and only if it solves dx/ds = -f(-s, x). So in all expressions TIME becomes
 * -TIME and what is read as a derivative changes its sign, and so does what is written as one. Nothing else changes:
 * values, guards, signs and ranges are those of the model at the time t. A run of the result goes forwards in s, with all
 * that holds for runs: no step passes a unilateral surface. */
#include "expr/system.h"

/* ---- one kernel ---- */

static bool names_derivatives(const brink_graph *graph, brink_node node) {
  const brink_expr_node *n = &graph->nodes[node];
  return n->op == BRINK_OP_REF && graph->refs[n->a].space == BRINK_SPACE_DX;
}

static brink_node reversed_node(brink_graph *to, const brink_graph *from, size_t i,
                                const brink_node *image) {
  const brink_expr_node *node = &from->nodes[i];
  brink_op op = (brink_op)node->op;
  int operands = brink_op_operands(op);
  if (op == BRINK_OP_CONST) return brink_graph_constant(to, node->value);
  if (op == BRINK_OP_TIME) return brink_graph_op1(to, BRINK_OP_NEG, brink_graph_time(to));
  if (op == BRINK_OP_REF) {
    brink_node ref = brink_graph_ref(to, from->refs[node->a]);
    return names_derivatives(from, (brink_node)i) ? brink_graph_op1(to, BRINK_OP_NEG, ref) : ref;
  }
  if (op == BRINK_OP_LOOKUP && names_derivatives(from, node->b)) { /* its array stays a REF */
    brink_node array = brink_graph_ref(to, from->refs[from->nodes[node->b].a]);
    return brink_graph_op1(to, BRINK_OP_NEG,
                           brink_graph_op(to, op, image[node->a], array, BRINK_NO_NODE));
  }
  return brink_graph_op(to, op, image[node->a], operands > 1 ? image[node->b] : BRINK_NO_NODE,
                        operands > 2 ? image[node->c] : BRINK_NO_NODE);
}

/* The kernel's graph, reversed; image[i] is what node i has become. NULL: out of memory. */
static brink_node *reverse_graph(brink_system *system, brink_kernel *kernel, brink_arena *scratch) {
  brink_graph to, *from = &kernel->graph;
  brink_node *image = brink_arena_pack(scratch, from->nnodes + 1, sizeof *image);
  brink_graph_init(&to, &system->arena, from->iterations);
  for (size_t i = 0; image != NULL && i < from->nnodes; i++)
    image[i] = reversed_node(&to, from, i, image);
  if (image == NULL || to.failed) return NULL;
  *from = to;
  return image;
}

static brink_node moved(const brink_node *image, brink_node node) {
  return node == BRINK_NO_NODE ? BRINK_NO_NODE : image[node];
}

/* False: out of memory. `image` may be NULL; the caller frees the scratch. */
static bool reverse_kernel(brink_system *system, brink_kernel *kernel, brink_arena *scratch,
                           brink_node **image) {
  *image = NULL;
  if (kernel == NULL || kernel->reversed) return true;
  kernel->reversed = true;
  *image = reverse_graph(system, kernel, scratch);
  if (*image == NULL) return false;
  for (size_t k = 0; k < kernel->noutputs; k++) {
    brink_output *output = &kernel->outputs[k];
    output->node = moved(*image, output->node);
    output->when = moved(*image, output->when);
    if (output->target.space == BRINK_SPACE_DX)
      output->node = brink_graph_op1(&kernel->graph, BRINK_OP_NEG, output->node);
  }
  return !kernel->graph.failed;
}

static bool reverse_one(brink_system *system, brink_kernel *kernel) {
  brink_arena scratch;
  brink_node *image;
  brink_arena_init(&scratch, &system->arena.allocator);
  bool fine = reverse_kernel(system, kernel, &scratch, &image);
  brink_arena_free(&scratch);
  return fine;
}

static bool reverse_action(brink_system *system, brink_action *action) {
  bool fine = true;
  for (size_t k = 0; action != NULL && k < action->nkernels && fine; k++) {
    brink_arena scratch;
    brink_node *image;
    brink_arena_init(&scratch, &system->arena.allocator);
    fine = reverse_kernel(system, action->kernels[k], &scratch, &image);
    for (size_t e = 0; image != NULL && e < action->neffects; e++) {
      brink_effect *effect = &action->effects[e];
      if (effect->kernel != k) continue;
      effect->when = moved(image, effect->when);
      for (size_t j = 0; j < effect->nargs; j++) effect->args[j] = moved(image, effect->args[j]);
    }
    brink_arena_free(&scratch);
  }
  return fine;
}

/* ---- all of them ---- */

/* What falls in t rises in s: the actions of a declared flag belong to the directions of t. The flags of ranges, and those
 * that the compiler made, go by values alone. */
static bool reverse_flag(brink_system *system, brink_flag *flag) {
  if (flag->kind == BRINK_FLAG_DECLARED) {
    brink_action *falling = flag->negative;
    flag->negative = flag->positive;
    flag->positive = falling;
  }
  return reverse_one(system, flag->value) && reverse_one(system, flag->enabled) &&
         reverse_action(system, flag->negative) && reverse_action(system, flag->positive) &&
         reverse_action(system, flag->on_surface);
}

bool brink_system_reverse(brink_system *system) {
  bool fine = true;
  system->backward = true;
  system->t0 = 0.0 - system->t0;
  for (size_t k = 0; k < system->nequations && fine; k++)
    fine = reverse_one(system, system->equations[k]);
  for (size_t k = 0; k < system->nflags && fine; k++)
    fine = reverse_flag(system, &system->flags[k]);
  for (size_t k = 0; k < system->nconstraints && fine; k++)
    fine = reverse_one(system, system->constraints[k].residual) &&
           reverse_one(system, system->constraints[k].active);
  for (size_t k = 0; k < system->nfirst_outputs && fine; k++)
    fine = reverse_action(system, system->first_outputs[k]);
  return fine;
}
