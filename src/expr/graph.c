/* graph.c: building expressions: hash-consing, constant folding, simplification, copies.
 *
 * Every simplification gives the same bits as the operator it replaces (payloads of NaN aside),
 * with the powers as the one exception: x^2, x^3, x^4, x^-1 as products and a quotient, x^0.5 as a
 * square root, differ from pow by rounding (and for x = -0 in the sign of the zero of x^0.5). The
 * sign of a zero matters because 1/x and atan2 turn it into something large; so x + 0 is x only
 * where x cannot be -0 (x - 0 and x + -0 always are), and 0 - x is not -x, but -0 - x is. */
#include "expr/graph.h"

#include <math.h>
#include <string.h>

void brink_graph_init(brink_graph *graph, brink_arena *arena, size_t iterations) {
  *graph = (brink_graph){.arena = arena, .iterations = iterations};
}

/* ---- the table of nodes: open addressing, entries are node + 1, at most half full ---- */

static uint64_t mix(uint64_t hash, uint64_t value) { /* splitmix64's finaliser */
  uint64_t z = hash + value + UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* Only a few entries of a map are hashed: enough to distinguish most maps. */
static uint64_t hash_ref(const brink_graph *graph, const brink_ref *ref) {
  enum { SAMPLES = 8 };
  uint64_t hash = mix((uint64_t)ref->space + ((uint64_t)ref->extent << 8), ref->base);
  if (ref->map == NULL) return mix(hash, (uint64_t)(int64_t)ref->stride);
  for (size_t k = 1; k <= SAMPLES; k++)
    hash = mix(hash, ref->map[(graph->iterations - 1) * k / SAMPLES]);
  return hash;
}

static uint64_t hash_node(const brink_graph *graph, const brink_expr_node *node) {
  if (node->op == BRINK_OP_REF) return hash_ref(graph, &graph->refs[node->a]);
  uint64_t hash = mix(node->op, (uint64_t)node->a << 32 | node->b);
  return mix(hash, bits_of(node->value) ^ node->c);
}

static bool equal_refs(const brink_graph *graph, const brink_ref *p, const brink_ref *q) {
  if (p->space != q->space || p->base != q->base || p->stride != q->stride) return false;
  if (p->extent != q->extent || p->step != q->step) return false;
  if (p->map == q->map) return true;
  if (p->map == NULL || q->map == NULL) return false;
  return memcmp(p->map, q->map, graph->iterations * sizeof *p->map) == 0;
}

/* `ref` is what a REF reads; its node.a is not known before it is stored. */
static bool equal_nodes(const brink_graph *graph, const brink_expr_node *p,
                        const brink_expr_node *q, const brink_ref *ref) {
  if (p->op != q->op) return false;
  if (p->op == BRINK_OP_REF) return equal_refs(graph, &graph->refs[p->a], ref);
  return p->a == q->a && p->b == q->b && p->c == q->c && bits_of(p->value) == bits_of(q->value);
}

static void enter(brink_graph *graph, uint64_t hash, uint32_t entry) {
  size_t mask = graph->nbuckets - 1, k = (size_t)hash & mask;
  while (graph->buckets[k] != 0) k = (k + 1) & mask;
  graph->buckets[k] = entry;
}

static bool room_in_table(brink_graph *graph) {
  if (2 * (graph->nnodes + 1) <= graph->nbuckets) return true;
  size_t larger = graph->nbuckets == 0 ? 32 : 2 * graph->nbuckets;
  uint32_t *buckets = brink_arena_pack(graph->arena, larger, sizeof *buckets);
  if (buckets == NULL) return false;
  graph->buckets = buckets;
  graph->nbuckets = larger;
  for (size_t i = 0; i < graph->nnodes; i++)
    enter(graph, hash_node(graph, &graph->nodes[i]), (uint32_t)i + 1);
  return true;
}

static bool room_for_node(brink_graph *graph) {
  return graph->nnodes < BRINK_GRAPH_LIMIT && room_in_table(graph) &&
         brink_arena_reserve(graph->arena, graph->nodes, graph->nnodes, graph->nodes_capacity);
}

static bool store_ref(brink_graph *graph, const brink_ref *ref) {
  brink_ref *added =
      brink_arena_push(graph->arena, graph->refs, graph->nrefs, graph->refs_capacity);
  if (added == NULL) return false;
  *added = *ref;
  return true;
}

/* The node that equals this one, made if there is none. */
static brink_node intern(brink_graph *graph, brink_expr_node node, const brink_ref *ref) {
  if (graph->failed) return BRINK_NO_NODE;
  uint64_t hash = ref != NULL ? hash_ref(graph, ref) : hash_node(graph, &node);
  if (graph->nbuckets > 0) {
    size_t mask = graph->nbuckets - 1;
    for (size_t k = (size_t)hash & mask; graph->buckets[k] != 0; k = (k + 1) & mask) {
      brink_node found = graph->buckets[k] - 1;
      if (equal_nodes(graph, &graph->nodes[found], &node, ref)) return found;
    }
  }
  if (!room_for_node(graph) || (ref != NULL && !store_ref(graph, ref))) {
    graph->failed = true;
    return BRINK_NO_NODE;
  }
  if (ref != NULL) node.a = (uint32_t)(graph->nrefs - 1);
  graph->nodes[graph->nnodes++] = node;
  enter(graph, hash, (uint32_t)graph->nnodes);
  return (brink_node)(graph->nnodes - 1);
}

static brink_node intern_op(brink_graph *graph, brink_op op, brink_node a, brink_node b,
                            brink_node c) {
  return intern(graph, (brink_expr_node){.op = (uint8_t)op, .a = a, .b = b, .c = c}, NULL);
}

/* ---- leaves ---- */

brink_node brink_graph_constant(brink_graph *graph, double value) {
  return intern(graph, (brink_expr_node){.op = BRINK_OP_CONST, .value = value}, NULL);
}

brink_node brink_graph_time(brink_graph *graph) {
  return intern_op(graph, BRINK_OP_TIME, 0, 0, 0);
}

/* A map with constant differences becomes a base and a stride. */
static bool is_affine(const uint32_t *map, size_t iterations, int32_t *stride) {
  *stride = 0;
  if (iterations < 2) return true;
  int64_t step = (int64_t)map[1] - map[0];
  if (step > INT32_MAX || step < INT32_MIN) return false;
  for (size_t i = 2; i < iterations; i++)
    if ((int64_t)map[i] - map[i - 1] != step) return false;
  *stride = (int32_t)step;
  return true;
}

brink_ref brink_ref_simplest(brink_ref ref, size_t iterations) {
  if (ref.map != NULL) {
    if (iterations > 0) ref.base = ref.map[0];
    if (is_affine(ref.map, iterations, &ref.stride))
      ref.map = NULL;
    else
      ref.stride = 0;
  } else if (iterations < 2) {
    ref.stride = 0;
  }
  return ref;
}

bool brink_ref_from_slots(brink_arena *arena, brink_space space, const uint32_t *slots,
                          size_t iterations, brink_ref *ref) {
  *ref =
      brink_ref_simplest((brink_ref){.space = space, .base = slots[0], .map = slots}, iterations);
  if (ref->map == NULL) return true;
  ref->map = brink_arena_copy(arena, slots, iterations, sizeof *slots);
  return ref->map != NULL;
}

brink_node brink_graph_ref(brink_graph *graph, brink_ref ref) {
  ref = brink_ref_simplest(ref, graph->iterations);
  return intern(graph, (brink_expr_node){.op = BRINK_OP_REF}, &ref);
}

/* ---- simplification ---- */

static brink_op op_of(const brink_graph *graph, brink_node node) {
  return (brink_op)graph->nodes[node].op;
}

static bool is_value(const brink_graph *graph, brink_node node, double value) {
  double found;
  return brink_graph_is_constant(graph, node, &found) && found == value;
}

static bool is_minus_zero(const brink_graph *graph, brink_node node) {
  double found;
  return brink_graph_is_constant(graph, node, &found) && found == 0.0 && signbit(found);
}

/* 0 or 1, whatever happens. */
static bool is_boolean(const brink_graph *graph, brink_node node) {
  brink_op op = op_of(graph, node);
  if (op == BRINK_OP_CONST) return is_value(graph, node, 0.0) || is_value(graph, node, 1.0);
  return op >= BRINK_OP_LT && op <= BRINK_OP_NOT;
}

/* Can its value be -0? Looks at one node and its operands only. */
static bool may_be_minus_zero(const brink_graph *graph, brink_node node) {
  const brink_expr_node *n = &graph->nodes[node];
  switch (n->op) {
  case BRINK_OP_CONST:
    return is_minus_zero(graph, node);
  case BRINK_OP_REF: { /* integers */
    brink_space space = graph->refs[n->a].space;
    return space != BRINK_SPACE_MODE && space != BRINK_SPACE_SIGN && space != BRINK_SPACE_PRE_MODE;
  }
  case BRINK_OP_ADD: /* only from two -0: rounding to nearest gives x - x = +0 */
    return !(brink_graph_is_constant(graph, n->a, NULL) && !is_minus_zero(graph, n->a)) &&
           !(brink_graph_is_constant(graph, n->b, NULL) && !is_minus_zero(graph, n->b));
  case BRINK_OP_MUL:
    return n->a != n->b;
  case BRINK_OP_EXP:
  case BRINK_OP_COSH:
  case BRINK_OP_ABS:
  case BRINK_OP_HYPOT:
  case BRINK_OP_RANDOM:
    return false;
  default:
    return !is_boolean(graph, node);
  }
}

/* Each returns BRINK_NO_NODE where there is nothing simpler. */

static brink_node simplify_add(const brink_graph *graph, brink_node a, brink_node b) {
  if (is_value(graph, b, 0.0) && (is_minus_zero(graph, b) || !may_be_minus_zero(graph, a)))
    return a;
  if (is_value(graph, a, 0.0) && (is_minus_zero(graph, a) || !may_be_minus_zero(graph, b)))
    return b;
  return BRINK_NO_NODE;
}

static brink_node simplify_sub(brink_graph *graph, brink_node a, brink_node b) {
  if (is_value(graph, b, 0.0) && (!is_minus_zero(graph, b) || !may_be_minus_zero(graph, a)))
    return a;
  if (is_minus_zero(graph, a)) return brink_graph_op1(graph, BRINK_OP_NEG, b);
  return BRINK_NO_NODE;
}

static brink_node simplify_mul(brink_graph *graph, brink_node a, brink_node b) {
  if (is_value(graph, a, 1.0)) return b;
  if (is_value(graph, b, 1.0)) return a;
  if (is_value(graph, a, -1.0)) return brink_graph_op1(graph, BRINK_OP_NEG, b);
  if (is_value(graph, b, -1.0)) return brink_graph_op1(graph, BRINK_OP_NEG, a);
  if (is_value(graph, a, 0.0) && is_boolean(graph, b)) return a;
  if (is_value(graph, b, 0.0) && is_boolean(graph, a)) return b;
  return BRINK_NO_NODE;
}

static brink_node simplify_pow(brink_graph *graph, brink_node a, brink_node b) {
  double n;
  if (!brink_graph_is_constant(graph, b, &n)) return BRINK_NO_NODE;
  if (n == 0.0) return brink_graph_constant(graph, 1.0);
  if (n == 1.0) return a;
  if (n == -1.0) return brink_graph_op2(graph, BRINK_OP_DIV, brink_graph_constant(graph, 1.0), a);
  if (n == 0.5) return brink_graph_op1(graph, BRINK_OP_SQRT, a);
  if (n != 2.0 && n != 3.0 && n != 4.0) return BRINK_NO_NODE;
  brink_node square = brink_graph_op2(graph, BRINK_OP_MUL, a, a);
  if (n == 2.0) return square;
  return brink_graph_op2(graph, BRINK_OP_MUL, square, n == 3.0 ? a : square);
}

/* Is it not 0? */
static brink_node truth(brink_graph *graph, brink_node a) {
  if (is_boolean(graph, a)) return a;
  return brink_graph_op2(graph, BRINK_OP_NE, a, brink_graph_constant(graph, 0.0));
}

/* `and` and `or` with a constant; the constant that decides is 0 for `and`, not 0 for `or`. */
static brink_node simplify_logic(brink_graph *graph, brink_op op, brink_node a, brink_node b) {
  double value;
  if (!brink_graph_is_constant(graph, a, &value)) {
    if (!brink_graph_is_constant(graph, b, &value)) return BRINK_NO_NODE;
    b = a;
  }
  if ((value != 0.0) == (op == BRINK_OP_AND)) return truth(graph, b);
  return brink_graph_constant(graph, op == BRINK_OP_OR ? 1.0 : 0.0);
}

static brink_node simplify(brink_graph *graph, brink_op op, brink_node a, brink_node b) {
  switch ((int)op) {
  case BRINK_OP_ADD:
    return simplify_add(graph, a, b);
  case BRINK_OP_SUB:
    return simplify_sub(graph, a, b);
  case BRINK_OP_MUL:
    return simplify_mul(graph, a, b);
  case BRINK_OP_DIV:
    return is_value(graph, b, 1.0) ? a : BRINK_NO_NODE;
  case BRINK_OP_POW:
    return simplify_pow(graph, a, b);
  case BRINK_OP_AND:
  case BRINK_OP_OR:
    return simplify_logic(graph, op, a, b);
  default:
    return BRINK_NO_NODE;
  }
}

/* ---- operators ---- */

static bool is_commutative(brink_op op) {
  return op == BRINK_OP_ADD || op == BRINK_OP_MUL || op == BRINK_OP_EQ || op == BRINK_OP_NE ||
         op == BRINK_OP_AND || op == BRINK_OP_OR;
}

static brink_node lookup_node(brink_graph *graph, brink_node index, brink_node array);

brink_node brink_graph_op1(brink_graph *graph, brink_op op, brink_node a) {
  double x;
  if (graph->failed || a == BRINK_NO_NODE) return BRINK_NO_NODE;
  if (brink_graph_is_constant(graph, a, &x))
    return brink_graph_constant(graph, brink_op_apply(op, x, 0.0, 0.0));
  if (op == op_of(graph, a)) {
    if (op == BRINK_OP_NEG) return graph->nodes[a].a;
    if (op == BRINK_OP_NOT) return truth(graph, graph->nodes[a].a);
  }
  return intern_op(graph, op, a, 0, 0);
}

brink_node brink_graph_op2(brink_graph *graph, brink_op op, brink_node a, brink_node b) {
  double x, y;
  if (graph->failed || a == BRINK_NO_NODE || b == BRINK_NO_NODE) return BRINK_NO_NODE;
  if (op == BRINK_OP_LOOKUP) return lookup_node(graph, a, b);
  bool folds = brink_op_is_plain(op) && op != BRINK_OP_ARGUMENT; /* a list stays one */
  if (folds && brink_graph_is_constant(graph, a, &x) && brink_graph_is_constant(graph, b, &y))
    return brink_graph_constant(graph, brink_op_apply(op, x, y, 0.0));
  brink_node simpler = simplify(graph, op, a, b);
  if (simpler != BRINK_NO_NODE || graph->failed) return simpler;
  if (is_commutative(op) && a > b) return intern_op(graph, op, b, a, 0);
  return intern_op(graph, op, a, b, 0);
}

/* The array's element in each iteration, where the index is a number. */
static brink_node known_element(brink_graph *graph, double index, brink_ref array) {
  uint32_t ahead = (uint32_t)brink_lookup_place(index, array.extent) * array.step;
  array.extent = array.step = 0;
  array.base += ahead;
  if (array.map != NULL) {
    uint32_t *map = brink_arena_pack(graph->arena, graph->iterations, sizeof *map);
    if (map == NULL) {
      graph->failed = true;
      return BRINK_NO_NODE;
    }
    for (size_t i = 0; i < graph->iterations; i++) map[i] = array.map[i] + ahead;
    array.map = map;
  }
  return brink_graph_ref(graph, array);
}

static brink_node lookup_node(brink_graph *graph, brink_node index, brink_node array) {
  double value;
  if (op_of(graph, array) != BRINK_OP_REF) { /* what was an array has become something else */
    graph->failed = true;
    return BRINK_NO_NODE;
  }
  const brink_ref *ref = &graph->refs[graph->nodes[array].a];
  if (ref->extent <= 1) return array;
  if (brink_graph_is_constant(graph, index, &value)) return known_element(graph, value, *ref);
  return intern_op(graph, BRINK_OP_LOOKUP, index, array, 0);
}

brink_node brink_graph_find(brink_graph *graph, brink_node value, brink_ref array) {
  return brink_graph_op2(graph, BRINK_OP_FIND, value, brink_graph_ref(graph, array));
}

brink_node brink_graph_lookup(brink_graph *graph, brink_node index, brink_ref array) {
  return brink_graph_op2(graph, BRINK_OP_LOOKUP, index, brink_graph_ref(graph, array));
}

brink_node brink_graph_select(brink_graph *graph, brink_node condition, brink_node yes,
                              brink_node no) {
  double value;
  if (graph->failed || condition == BRINK_NO_NODE || yes == BRINK_NO_NODE || no == BRINK_NO_NODE)
    return BRINK_NO_NODE;
  if (yes == no) return yes;
  if (brink_graph_is_constant(graph, condition, &value)) return value != 0.0 ? yes : no;
  return intern_op(graph, BRINK_OP_SELECT, condition, yes, no);
}

brink_node brink_graph_op(brink_graph *graph, brink_op op, brink_node a, brink_node b,
                          brink_node c) {
  switch (brink_op_operands(op)) {
  case 1:
    return brink_graph_op1(graph, op, a);
  case 2:
    return brink_graph_op2(graph, op, a, b);
  case 3:
    return brink_graph_select(graph, a, b, c);
  default:
    return op == BRINK_OP_TIME && !graph->failed ? brink_graph_time(graph) : BRINK_NO_NODE;
  }
}

/* ---- external functions ---- */

brink_node brink_graph_external(brink_graph *graph, size_t function, const brink_node *arguments,
                                size_t count) {
  brink_node list = brink_graph_constant(graph, 0.0);
  for (size_t k = count; k-- > 0;)
    list = brink_graph_op2(graph, BRINK_OP_ARGUMENT, arguments[k], list);
  size_t code = brink_external_code(function, BRINK_EXTERNAL_VALUE);
  return brink_graph_op2(graph, BRINK_OP_EXTERNAL, list, brink_graph_constant(graph, (double)code));
}

size_t brink_graph_arguments(const brink_graph *graph, const brink_expr_node *node,
                             brink_node arguments[BRINK_EXTERNAL_ARGUMENTS], size_t *code) {
  size_t count = 0;
  if (code != NULL) *code = (size_t)graph->nodes[node->b].value;
  const brink_expr_node *at = &graph->nodes[node->a];
  for (; at->op == BRINK_OP_ARGUMENT && count < BRINK_EXTERNAL_ARGUMENTS; at = &graph->nodes[at->b])
    arguments[count++] = at->a;
  return count;
}

uint32_t brink_graph_external_called(const brink_graph *graph) {
  for (size_t k = 0; k < graph->nnodes; k++) {
    const brink_expr_node *node = &graph->nodes[k];
    if (node->op == BRINK_OP_EXTERNAL)
      return (uint32_t)brink_external_function((size_t)graph->nodes[node->b].value);
  }
  return BRINK_NO_INDEX;
}

uint32_t brink_program_external_called(const brink_program *program) {
  uint32_t called = BRINK_NO_INDEX;
  for (size_t k = 0; k < program->nkernels && called == BRINK_NO_INDEX; k++)
    called = brink_graph_external_called(&program->kernels[k]->graph);
  return called;
}

/* ---- walking ---- */

bool brink_graph_mark(const brink_graph *graph, const brink_node *nodes, size_t count,
                      bool *marks) {
  size_t end = 0;
  for (size_t k = 0; k < count; k++) {
    if (nodes[k] == BRINK_NO_NODE) return false;
    marks[nodes[k]] = true;
    if (nodes[k] >= end) end = (size_t)nodes[k] + 1;
  }
  for (size_t i = end; i-- > 0;) {
    if (!marks[i]) continue;
    const brink_expr_node *n = &graph->nodes[i];
    int operands = brink_op_operands((brink_op)n->op);
    if (operands > 0) marks[n->a] = true;
    if (operands > 1) marks[n->b] = true;
    if (operands > 2) marks[n->c] = true;
  }
  return true;
}

/* Which of the nodes up to `node` it consists of. NULL: out of memory. */
static bool *marks_of(const brink_graph *graph, brink_node node) {
  bool *marks = brink_allocate(&graph->arena->allocator, (size_t)node + 1, sizeof *marks);
  if (marks != NULL) brink_graph_mark(graph, &node, 1, marks);
  return marks;
}

bool brink_graph_reads_time(const brink_graph *graph, brink_node node, bool *reads) {
  *reads = false;
  if (node == BRINK_NO_NODE) return true;
  bool *marks = marks_of(graph, node);
  if (marks == NULL) return false;
  for (size_t i = 0; i <= node && !*reads; i++)
    *reads = marks[i] && graph->nodes[i].op == BRINK_OP_TIME;
  brink_release(&graph->arena->allocator, marks, (size_t)node + 1, sizeof *marks);
  return true;
}

bool brink_graph_mark_refs(const brink_graph *graph, brink_node node, bool *marks) {
  if (node == BRINK_NO_NODE) return false;
  bool *needed = marks_of(graph, node);
  if (needed == NULL) return false;
  for (size_t i = 0; i <= node; i++)
    if (needed[i] && graph->nodes[i].op == BRINK_OP_REF) marks[graph->nodes[i].a] = true;
  brink_release(&graph->arena->allocator, needed, (size_t)node + 1, sizeof *needed);
  return true;
}

/* ---- copies ---- */

static brink_node copy_node(brink_graph *to, const brink_graph *from, size_t i,
                            const brink_node *image, brink_substitute_fn *substitute, void *user) {
  brink_expr_node n = from->nodes[i]; /* by value: `to` may be `from`, whose array moves */
  switch (n.op) {
  case BRINK_OP_CONST:
    return brink_graph_constant(to, n.value);
  case BRINK_OP_TIME:
    return brink_graph_time(to);
  case BRINK_OP_REF:
    return substitute != NULL ? substitute(to, from, n.a, user)
                              : brink_graph_ref(to, from->refs[n.a]);
  default: {
    int operands = brink_op_operands((brink_op)n.op);
    brink_node b = operands > 1 ? image[n.b] : 0, c = operands > 2 ? image[n.c] : 0;
    return brink_graph_op(to, (brink_op)n.op, image[n.a], b, c);
  }
  }
}

bool brink_graph_copy_all(brink_graph *to, const brink_graph *from, const brink_node *nodes,
                          size_t count, brink_node *copies, brink_substitute_fn *substitute,
                          void *user) {
  const brink_allocator *allocator = &to->arena->allocator;
  size_t size = 0;
  for (size_t k = 0; k < count; k++)
    if (nodes[k] != BRINK_NO_NODE && nodes[k] >= size) size = (size_t)nodes[k] + 1;
  bool *needed = brink_allocate(allocator, size, sizeof *needed);
  brink_node *image = brink_allocate(allocator, size, sizeof *image);
  bool ok = needed != NULL && image != NULL;
  if (!ok) to->failed = to->arena->failed = true;
  ok = ok && brink_graph_mark(from, nodes, count, needed);
  for (size_t i = 0; ok && i < size; i++) {
    if (!needed[i]) continue;
    image[i] = copy_node(to, from, i, image, substitute, user);
    ok = image[i] != BRINK_NO_NODE;
  }
  for (size_t k = 0; k < count; k++) copies[k] = ok ? image[nodes[k]] : BRINK_NO_NODE;
  brink_release(allocator, needed, size, sizeof *needed);
  brink_release(allocator, image, size, sizeof *image);
  return ok;
}

brink_node brink_graph_copy(brink_graph *to, const brink_graph *from, brink_node node,
                            brink_substitute_fn *substitute, void *user) {
  brink_node copy = BRINK_NO_NODE;
  brink_graph_copy_all(to, from, &node, 1, &copy, substitute, user);
  return copy;
}
