/* flat_queue.c: queues of bounded length.
 *
 * A queue is a ring in P, with its count, the place of its first, and the first itself, so that equations and actions read
 * it like any held value: no index changes during a run. What is put goes to a slot of its own first, which the kernel
 * writes with all other right-hand sides; the effect then moves it into the ring (native/instance_queue.c). */
#include <math.h>
#include <string.h>

#include "lang/flat.h"

/* The slots of a queue that follow one another, for one instance. */
static size_t queue_size(const flat_variable *queue) {
  return (size_t)queue->length + BRINK_QUEUE_RING;
}

void flat_allocate_queue(flat *f, flat_variable *queue) {
  if (flat_size(f, queue) == 0) return;
  const char *name = brink_arena_text(f->arena, queue->symbol->name);
  if (name == NULL) {
    flat_out_of_memory(f);
    return;
  }
  size_t count = queue->group->count * queue_size(queue);
  if (count > FLAT_LIMIT) {
    flat_error(f, BRINK_MSG_TOO_MANY_ELEMENTS, queue->symbol->place, NULL,
               "'%s' has more than %zu elements", queue->symbol->name, FLAT_LIMIT);
    return;
  }
  queue->space = BRINK_SPACE_P;
  queue->base = flat_hidden(f, queue->group, name, BRINK_SPACE_P, count, 0.0);
}

/* One of a queue's slots, in all iterations. */
static brink_node slot_of(flat_context *c, const flat_variable *queue, size_t which) {
  uint32_t *slots = brink_arena_pack(&c->f->scratch, c->kernel->count, sizeof *slots);
  if (slots == NULL) {
    flat_out_of_memory(c->f);
    return BRINK_NO_NODE;
  }
  for (size_t i = 0; i < c->kernel->count; i++)
    slots[i] = queue->base + (uint32_t)(i / c->repeat * queue_size(queue) + which);
  return brink_graph_ref(c->graph, flat_make_ref(c->f, BRINK_SPACE_P, slots, c->kernel->count));
}

/* The first of an empty queue is not a number: whatever is set to it ends the run. */
brink_node flat_queue_call(flat_context *c, const brink_ast_expr *expr) {
  const flat_variable *queue = flat_variable_of(c->group, expr->arg[0]->part[0].symbol);
  if (queue == NULL) return BRINK_NO_NODE;
  brink_node count = slot_of(c, queue, BRINK_QUEUE_COUNT);
  if (expr->function == BRINK_FN_LENGTH) return count;
  brink_node some =
      brink_graph_op2(c->graph, BRINK_OP_LT, brink_graph_constant(c->graph, 0.0), count);
  return brink_graph_select(c->graph, some, slot_of(c, queue, BRINK_QUEUE_FIRST),
                            brink_graph_constant(c->graph, (double)NAN));
}

/* A slot of P for each iteration, that the value is written to. */
static brink_node stage(flat_builder *b, const brink_ast_expr *expr) {
  flat_context *c = &b->c;
  flat *f = c->f;
  uint32_t base = flat_hidden(f, c->group, "put", BRINK_SPACE_P, c->kernel->count, 0.0);
  if (base == BRINK_NO_INDEX) return BRINK_NO_NODE;
  brink_ref staged = {.space = BRINK_SPACE_P, .base = base, .stride = c->kernel->count > 1 ? 1 : 0};
  brink_node node = flat_expr(c, expr);
  if (f->failed || !flat_add_output(f, c->kernel, staged, node, b->when, BRINK_NO_INDEX))
    return BRINK_NO_NODE;
  return brink_graph_ref(c->graph, staged);
}

static brink_node receiver(flat_builder *b, const brink_ast_expr *target) {
  flat_variable *variable;
  brink_ref ref;
  const brink_ast_expr *index = target->part[target->nparts - 1].index;
  if (index != NULL && !flat_index_known(&b->c, index)) {
    flat_error(b->c.f, BRINK_MSG_QUEUE_ARGUMENTS, target->place,
               "take it into a state of its own; assign the element in a later event",
               "'%s' takes a queue and %s", "take", "what receives its first");
    return BRINK_NO_NODE;
  }
  if (!flat_target(&b->c, target, false, &ref, &variable)) return BRINK_NO_NODE;
  return brink_graph_ref(b->c.graph, ref);
}

void flat_queue_statement(flat_builder *b, const brink_ast_statement *s) {
  flat *f = b->c.f;
  const flat_variable *queue = flat_variable_of(b->c.group, s->arg[0]->part[0].symbol);
  if (queue == NULL) return;
  bool put = s->kind == BRINK_STATEMENT_PUT;
  brink_node *args = flat_take(f, 2, sizeof *args);
  brink_value_type *types = flat_take(f, 2, sizeof *types);
  if (args == NULL || types == NULL) return;
  args[0] = slot_of(&b->c, queue, BRINK_QUEUE_COUNT);
  args[1] = put ? stage(b, s->expr) : receiver(b, s->target);
  if (f->failed || args[0] == BRINK_NO_NODE || args[1] == BRINK_NO_NODE) return;
  brink_effect *effect =
      flat_add_effect(b, put ? BRINK_EFFECT_PUT : BRINK_EFFECT_TAKE, queue->symbol->name);
  if (effect == NULL) return;
  effect->capacity = queue->length;
  effect->args = args;
  effect->arg_types = types;
  effect->nargs = 2;
}
