/* shapes.c: which expressions differ only in what they read (see builder.h).
 *
 * Problem: a description in C is unrolled: fifty bodies attract each other in 1225 expressions that are
 * all alike. As straight code they would be 23 000 statements, which compilers take minutes for.
 * Method: the operators of an expression are listed from the operands up, in the order in which a walk
 * from its root meets them first, with numbers for earlier ones in place of operands; the slots of what
 * is read are listed apart. Expressions with equal lists of operators are iterations of one kernel.
 * Equal expressions that were put together in another order (a + b, b + a) may not be recognised: that
 * costs time, nothing else. */
#include <string.h>

#include "build/builder.h"

#define READY UINT32_C(0x80000000) /* on the stack: its operands have been seen to */

bool builder_shapes_init(builder_shapes *shapes, brink_arena *arena, const brink_graph *graph) {
  *shapes = (builder_shapes){.arena = arena, .graph = graph};
  shapes->number = brink_arena_pack(arena, graph->nnodes, sizeof *shapes->number);
  shapes->stamp = brink_arena_take(arena, graph->nnodes, sizeof *shapes->stamp);
  return !arena->failed;
}

/* ---- finding ---- */

static bool push(brink_arena *arena, uint32_t **items, size_t *count, size_t *capacity,
                 uint32_t item) {
  uint32_t *added = brink_arena_push(arena, *items, *count, *capacity);
  if (added == NULL) return false;
  *added = item;
  return true;
}

static bool put_word(builder_shapes *s, uint32_t word) {
  return push(s->arena, &s->words, &s->nwords, &s->words_capacity, word);
}

static bool put_slot(builder_shapes *s, uint32_t slot) {
  return push(s->arena, &s->slots, &s->nslots, &s->slots_capacity, slot);
}

static bool is_beyond(const builder_border *border, brink_node node) {
  return border->owner != NULL && border->owner[node] != border->self;
}

static bool put_read(builder_shapes *s, brink_space space, uint32_t slot) {
  return put_word(s, BRINK_OP_REF) && put_word(s, space) && put_slot(s, slot);
}

static bool is_inner(const builder_shapes *s, const builder_border *border, brink_node node) {
  return brink_op_operands((brink_op)s->graph->nodes[node].op) > 0 && !is_beyond(border, node);
}

static bool put_leaf(builder_shapes *s, const builder_border *border, brink_node node) {
  const brink_expr_node *n = &s->graph->nodes[node];
  uint32_t bits[2];
  switch (n->op) {
  case BRINK_OP_CONST:
    memcpy(bits, &n->value, sizeof bits);
    return put_word(s, n->op) && put_word(s, bits[0]) && put_word(s, bits[1]);
  case BRINK_OP_TIME:
    return put_word(s, n->op);
  case BRINK_OP_REF:
    return put_read(s, s->graph->refs[n->a].space, s->graph->refs[n->a].base);
  default:
    return put_read(s, BRINK_SPACE_V, border->slots[border->owner[node]]);
  }
}

/* A node whose operands have numbers. */
static bool put_inner(builder_shapes *s, brink_node node) {
  const brink_expr_node *n = &s->graph->nodes[node];
  brink_node operand[3] = {n->a, n->b, n->c};
  bool ok = put_word(s, n->op);
  for (int k = 0; k < brink_op_operands((brink_op)n->op); k++)
    ok = ok && put_word(s, s->number[operand[k]]);
  return ok;
}

/* Operands come before the node, the first one first. */
static bool push_operands(builder_shapes *s, brink_node node, size_t *depth) {
  const brink_expr_node *n = &s->graph->nodes[node];
  brink_node operand[3] = {n->a, n->b, n->c};
  for (int k = brink_op_operands((brink_op)n->op); k-- > 0;) {
    if (s->stamp[operand[k]] != s->nshapes &&
        !push(s->arena, &s->stack, depth, &s->stack_capacity, operand[k]))
      return false;
  }
  return true;
}

static bool walk(builder_shapes *s, const builder_border *border, brink_node root,
                 builder_shape *shape) {
  size_t depth = 0;
  bool ok = push(s->arena, &s->stack, &depth, &s->stack_capacity, root);
  while (ok && depth > 0) {
    uint32_t top = s->stack[depth - 1], node = top & ~READY;
    bool inner = is_inner(s, border, node);
    if (s->stamp[node] == s->nshapes) { /* met on another way meanwhile */
      depth--;
    } else if (inner && (top & READY) == 0) {
      s->stack[depth - 1] |= READY;
      ok = push_operands(s, node, &depth);
    } else {
      depth--;
      ok = inner ? put_inner(s, node) : put_leaf(s, border, node);
      s->stamp[node] = s->nshapes;
      s->number[node] = (uint32_t)shape->nnodes++;
      shape->operators += inner ? 1 : 0;
    }
  }
  return ok;
}

static uint64_t hash_shape(const builder_shapes *s, const builder_shape *shape) {
  uint64_t hash = (14695981039346656037u ^ shape->key) * 1099511628211u; /* FNV-1a, by words */
  for (size_t k = 0; k < shape->nwords; k++)
    hash = (hash ^ s->words[shape->first_word + k]) * 1099511628211u;
  return hash ^ hash >> 32;
}

bool builder_shape_find(builder_shapes *shapes, brink_node root, const builder_border *border,
                        uint64_t key, builder_shape *shape) {
  *shape = (builder_shape){.first_word = shapes->nwords, .first_slot = shapes->nslots, .key = key};
  shapes->nshapes++;
  if (!walk(shapes, border, root, shape)) return false;
  shape->nwords = shapes->nwords - shape->first_word;
  shape->nslots = shapes->nslots - shape->first_slot;
  shape->hash = hash_shape(shapes, shape);
  if (shape->operators == 0) shape->operators = 1;
  return true;
}

/* ---- comparing ---- */

static bool same_shape(const builder_shapes *s, const builder_shape *a, const builder_shape *b) {
  return a->hash == b->hash && a->key == b->key && a->nwords == b->nwords &&
         memcmp(s->words + a->first_word, s->words + b->first_word, a->nwords * sizeof *s->words) ==
             0;
}

/* first[k]: the first candidate of the shape of k; count[first]: how many there are. */
static void find_first(const builder_shapes *s, const builder_shape *shape, size_t n,
                       uint32_t *buckets, size_t nbuckets, uint32_t *first, uint32_t *count) {
  for (size_t k = 0; k < n; k++) {
    size_t b = (size_t)shape[k].hash & (nbuckets - 1);
    while (buckets[b] != 0 && !same_shape(s, &shape[buckets[b] - 1], &shape[k]))
      b = (b + 1) & (nbuckets - 1);
    if (buckets[b] == 0) buckets[b] = (uint32_t)k + 1;
    first[k] = buckets[b] - 1;
    count[first[k]]++;
  }
}

bool builder_shapes_sort(const builder_shapes *shapes, const builder_shape *shape, size_t count,
                         uint32_t *list, uint32_t *ends) {
  size_t nbuckets = 16;
  while (nbuckets < 2 * count) nbuckets *= 2;
  uint32_t *buckets = brink_arena_take(shapes->arena, nbuckets, sizeof *buckets);
  uint32_t *first = brink_arena_take(shapes->arena, count, sizeof *first);
  uint32_t *next = brink_arena_take(shapes->arena, count, sizeof *next);
  if (shapes->arena->failed) return false;
  find_first(shapes, shape, count, buckets, nbuckets, first, next);
  uint32_t place = 0;
  for (size_t k = 0; k < count; k++) { /* next: from numbers of members to their first places */
    if (first[k] != k) continue;
    uint32_t members = next[k];
    next[k] = place;
    place += members;
    for (uint32_t m = place - members; m < place; m++) ends[m] = place;
  }
  for (size_t k = 0; k < count; k++) list[next[first[k]]++] = (uint32_t)k;
  return true;
}

/* What a loop saves has to be worth its overhead. */
bool builder_worthwhile(const builder_shape *shape, size_t count) {
  return (count - 1) * shape->operators >= 16;
}

/* ---- writing ---- */

typedef struct shape_writer {
  const builder_shapes *shapes;
  const builder_shape *shape;
  const uint32_t *list;
  size_t count;
  brink_graph *to;
  brink_node *nodes;
  uint32_t *column; /* the slots of one ref */
} shape_writer;

static brink_node write_ref(const shape_writer *w, brink_space space, size_t number) {
  for (size_t i = 0; i < w->count; i++)
    w->column[i] = w->shapes->slots[w->shape[w->list[i]].first_slot + number];
  brink_ref ref;
  if (!brink_ref_from_slots(w->to->arena, space, w->column, w->count, &ref)) return BRINK_NO_NODE;
  return brink_graph_ref(w->to, ref);
}

/* The nodes of the first one, with the refs of all. */
static brink_node write_nodes(const shape_writer *w) {
  const builder_shape *first = &w->shape[w->list[0]];
  const uint32_t *word = w->shapes->words + first->first_word;
  size_t refs = 0;
  for (size_t k = 0; k < first->nnodes; k++) {
    brink_op op = (brink_op)*word++;
    int operands = brink_op_operands(op);
    double value;
    if (op == BRINK_OP_CONST) {
      memcpy(&value, word, sizeof value);
      w->nodes[k] = brink_graph_constant(w->to, value);
      word += 2;
    } else if (op == BRINK_OP_REF) {
      w->nodes[k] = write_ref(w, (brink_space)*word++, refs++);
    } else {
      brink_node operand[3] = {0, 0, 0};
      for (int j = 0; j < operands; j++) operand[j] = w->nodes[*word++];
      w->nodes[k] = brink_graph_op(w->to, op, operand[0], operand[1], operand[2]);
    }
  }
  return w->nodes[first->nnodes - 1];
}

brink_kernel *builder_shape_write(const builder_shapes *shapes, const builder_shape *shape,
                                  const uint32_t *list, size_t count, brink_system *system,
                                  brink_space space, const uint32_t *targets) {
  brink_arena *arena = &system->arena, scratch;
  brink_kernel *kernel = brink_arena_pack(arena, 1, sizeof *kernel);
  brink_output *output = brink_arena_pack(arena, 1, sizeof *output);
  if (kernel == NULL || output == NULL) return NULL;
  *kernel = (brink_kernel){.name = system->name, .where = system->name, .count = count};
  brink_graph_init(&kernel->graph, arena, count);
  brink_arena_init(&scratch, &arena->allocator);
  shape_writer w = {.shapes = shapes,
                    .shape = shape,
                    .list = list,
                    .count = count,
                    .to = &kernel->graph,
                    .nodes = brink_arena_pack(&scratch, shape[list[0]].nnodes, sizeof(brink_node)),
                    .column = brink_arena_pack(&scratch, count, sizeof(uint32_t))};
  *output =
      (brink_output){.node = BRINK_NO_NODE, .when = BRINK_NO_NODE, .variable = BRINK_NO_INDEX};
  if (w.nodes != NULL && w.column != NULL &&
      brink_ref_from_slots(arena, space, targets, count, &output->target))
    output->node = write_nodes(&w);
  kernel->outputs = output;
  kernel->noutputs = kernel->outputs_capacity = 1;
  brink_arena_free(&scratch);
  return output->node != BRINK_NO_NODE ? kernel : NULL;
}
