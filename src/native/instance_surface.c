/* instance_surface.c: guards that have one surface.
 *
 * Problem: the same comparison stands in several places of a model: `T < 20` for the heater and again for its
 * costs, x > y here and y > x there. Each place makes a flag, but there is one surface, and its sign must change
 * once: if two flags took their signs one after the other, equations would disagree on where the state is, and one
 * flag would slide on the surface without the other.
 * Method: guards whose values are equal up to a positive factor, or up to the sign, are found here, and linked with
 * brink_guard_def.same_as.
 *
 * Linear guards by numbers are compared by their numbers, divided by the largest. Others are compared by their
 * expressions: each node has a key of 128 bits, made of its operator and the keys of its operands, and a sign,
 * so that a - b and b - a have one key and opposite signs. Slots that differ are different; so are sums in
 * another order. Equal keys of different expressions are as likely as a memory error. What escapes (the same
 * surface in two forms) is left to the simulation, which lets such surfaces slide together where they meet. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "native/instance.h"

/* ---- keys ---- */

typedef struct surface_key {
  uint64_t a, b;
} surface_key;

/* A value up to its sign. */
typedef struct signed_key {
  surface_key key;
  int sign;
} signed_key;

static uint64_t mixed(uint64_t z) { /* the finaliser of SplitMix64 (Steele, Lea & Flood 2014) */
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static surface_key add_word(surface_key key, uint64_t word) {
  return (surface_key){mixed(key.a ^ mixed(word + 0x9e3779b97f4a7c15u)),
                       mixed(key.b + mixed(word ^ 0xd1b54a32d192ed03u))};
}

static surface_key add_key(surface_key key, surface_key other) {
  return add_word(add_word(key, other.a), other.b);
}

static surface_key key_of(uint64_t word) {
  return add_word((surface_key){1, 2}, word);
}

static bool is_less(surface_key x, surface_key y) {
  return x.a != y.a ? x.a < y.a : x.b < y.b;
}

static bool is_equal(surface_key x, surface_key y) {
  return x.a == y.a && x.b == y.b;
}

static signed_key number_key(double value) {
  double size = fabs(value);
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  return (signed_key){add_word(key_of(BRINK_OP_CONST), bits), value < 0.0 ? -1 : 1};
}

/* ---- expressions ---- */

/* Keys of the nodes of one instance of a flag. */
typedef struct keyring {
  const brink_instance *instance;
  const bool *fixed_p; /* parameters that keep their values: as numbers */
  signed_key *keys;    /* of each node */
} keyring;

static bool fixed_value(const keyring *ring, const brink_ref *ref, size_t index, double *value) {
  size_t slot = brink_ref_slot(ref, index);
  if (ref->space == BRINK_SPACE_K) *value = ring->instance->system->k[slot];
  if (ref->space == BRINK_SPACE_P && ring->fixed_p[slot]) *value = ring->instance->p0[slot];
  return ref->space == BRINK_SPACE_K || (ref->space == BRINK_SPACE_P && ring->fixed_p[slot]);
}

static signed_key ref_key(const keyring *ring, const brink_ref *ref, size_t index) {
  double value;
  if (fixed_value(ring, ref, index, &value)) return number_key(value);
  surface_key key = add_word(key_of(BRINK_OP_REF), (uint64_t)ref->space);
  return (signed_key){add_word(key, brink_ref_slot(ref, index)), 1};
}

/* a + b: in the order of their keys, with the sign of the first. */
static signed_key sum_key(signed_key a, signed_key b) {
  if (is_less(b.key, a.key)) {
    signed_key kept = a;
    a = b;
    b = kept;
  }
  surface_key key = add_key(add_key(key_of(BRINK_OP_ADD), a.key), b.key);
  return (signed_key){add_word(key, a.sign == b.sign), a.sign};
}

static signed_key product_key(signed_key a, signed_key b) {
  bool swap = is_less(b.key, a.key);
  surface_key key = add_key(key_of(BRINK_OP_MUL), swap ? b.key : a.key);
  return (signed_key){add_key(key, swap ? a.key : b.key), a.sign * b.sign};
}

/* `array`: of a LOOKUP, else NULL. */
static signed_key other_key(const brink_expr_node *node, const signed_key *keys,
                            const brink_ref *array, size_t index) {
  int operands = brink_op_operands((brink_op)node->op);
  const brink_node operand[] = {node->a, node->b, node->c};
  surface_key key = key_of(node->op);
  if (array != NULL) { /* which one, not what its first element happens to be */
    operands = 1;
    key = add_word(add_word(key, (uint64_t)array->space), brink_ref_slot(array, index));
    key = add_word(add_word(key, array->extent), array->step);
  }
  for (int k = 0; k < operands; k++)
    key = add_word(add_key(key, keys[operand[k]].key), keys[operand[k]].sign > 0);
  return (signed_key){key, 1};
}

static signed_key node_key(const keyring *ring, const brink_graph *graph, brink_node n,
                           size_t index) {
  const brink_expr_node *node = &graph->nodes[n];
  const signed_key *keys = ring->keys;
  signed_key b;
  switch (node->op) {
  case BRINK_OP_CONST:
    return number_key(node->value);
  case BRINK_OP_REF:
    return ref_key(ring, &graph->refs[node->a], index);
  case BRINK_OP_ADD:
    return sum_key(keys[node->a], keys[node->b]);
  case BRINK_OP_SUB:
    b = keys[node->b];
    b.sign = -b.sign;
    return sum_key(keys[node->a], b);
  case BRINK_OP_NEG:
    return (signed_key){keys[node->a].key, -keys[node->a].sign};
  case BRINK_OP_MUL:
    return product_key(keys[node->a], keys[node->b]);
  case BRINK_OP_DIV:
    return (signed_key){
        add_key(add_key(key_of(BRINK_OP_DIV), keys[node->a].key), keys[node->b].key),
        keys[node->a].sign * keys[node->b].sign};
  case BRINK_OP_LOOKUP:
  case BRINK_OP_FIND:
    return other_key(node, keys, brink_graph_array(graph, node), index);
  default:
    return other_key(node, keys, NULL, index);
  }
}

/* Is this node a number, whatever its place in memory? */
static bool is_number(const keyring *ring, const brink_graph *graph, brink_node n, size_t index,
                      double *value) {
  const brink_expr_node *node = &graph->nodes[n];
  if (node->op == BRINK_OP_REF) return fixed_value(ring, &graph->refs[node->a], index, value);
  return brink_graph_is_constant(graph, n, value);
}

/* A factor that is not zero changes the surface in nothing. */
static brink_node without_factor(const keyring *ring, const brink_graph *graph, brink_node n,
                                 size_t index, int *sign) {
  for (;;) {
    const brink_expr_node *node = &graph->nodes[n];
    double factor;
    bool product = node->op == BRINK_OP_MUL, quotient = node->op == BRINK_OP_DIV;
    if (product && is_number(ring, graph, node->a, index, &factor) && factor != 0.0)
      n = node->b;
    else if ((product || quotient) && is_number(ring, graph, node->b, index, &factor) &&
             factor != 0.0)
      n = node->a;
    else
      return n;
    if (factor < 0.0) *sign = -*sign;
  }
}

static signed_key expression_key(const keyring *ring, const brink_kernel *value, size_t index) {
  const brink_graph *graph = &value->graph;
  int sign = 1;
  brink_node root = without_factor(ring, graph, value->outputs[0].node, index, &sign);
  for (brink_node n = 0; n <= root; n++) ring->keys[n] = node_key(ring, graph, n, index);
  signed_key key = ring->keys[root];
  key.sign *= sign;
  return key;
}

/* ---- numbers ---- */

/* Rounded to 48 bits: quotients of numbers that stand for the same one differ in the last bits. */
static uint64_t rounded_bits(double value) {
  int exponent;
  double fraction = frexp(value, &exponent);
  double kept = nearbyint(ldexp(fraction, 48));
  if (kept == 0.0) return 0;
  if (kept == 0x1p48) {
    kept = 0x1p47;
    exponent++;
  }
  return (uint64_t)(int64_t)kept * 4096u + (uint64_t)(exponent + 2048);
}

/* The coefficient of the first state that counts gives the sign. */
static signed_key linear_key(const brink_guard_def *def) {
  double largest = fabs(def->time_coefficient), leading = def->time_coefficient;
  size_t first = BRINK_NONE;
  for (size_t k = 0; k < def->ndepends; k++) {
    double coefficient = def->coefficients[k];
    largest = fmax(largest, fabs(coefficient));
    if (coefficient == 0.0 || def->depends[k] >= first) continue;
    first = def->depends[k];
    leading = coefficient;
  }
  int sign = leading < 0.0 ? -1 : 1;
  surface_key key = key_of(BRINK_OP_COUNT);
  if (!(largest > 0.0)) largest = 1.0; /* a constant */
  double scale = sign / largest;
  key = add_word(add_word(key, rounded_bits(def->offset * scale)),
                 rounded_bits(def->time_coefficient * scale));
  surface_key sum = {0, 0}; /* states come in any order */
  for (size_t k = 0; k < def->ndepends; k++) {
    if (def->coefficients[k] == 0.0) continue;
    surface_key one = add_word(key_of(def->depends[k]), rounded_bits(def->coefficients[k] * scale));
    sum.a += one.a;
    sum.b += one.b;
  }
  return (signed_key){add_key(key, sum), sign};
}

/* ---- one surface ---- */

typedef struct surface {
  surface_key key;
  uint32_t guard;
  int sign;
  int rank; /* the guard with the smallest one is watched for all */
} surface;

/* Which guard is watched for a surface: one with a law of its own there, else a unilateral one, else a declared
 * one. -1: this guard is not linked with others. */
static int rank_of(const brink_flag *flag) {
  bool law = flag->surface != BRINK_SURFACE_FILIPPOV || flag->on_surface != NULL;
  bool acts = flag->negative != NULL || flag->positive != NULL;
  if (flag->value == NULL || flag->value->reads_v || flag->is_pair ||
      flag->direction != BRINK_BOTH || flag->inside != 0)
    return -1;
  switch (flag->kind) {
  case BRINK_FLAG_DECLARED:
    if (flag->side == BRINK_CROSSING) return -1;
    return law ? 0 : flag->side == BRINK_UNILATERAL ? 1 : 2;
  case BRINK_FLAG_RULE:
    return 3;
  case BRINK_FLAG_GENERATED:
    return acts ? -1 : 4;
  default:
    return -1;
  }
}

static int by_key(const void *x, const void *y) {
  const surface *a = x, *b = y;
  if (!is_equal(a->key, b->key)) return is_less(a->key, b->key) ? -1 : 1;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  return (a->guard > b->guard) - (a->guard < b->guard);
}

/* All that have the key of list[0] after it; how many there are. A second one with a law of its own stays
 * alone. */
static size_t join(const surface *list, size_t count, brink_guard_def *guards) {
  size_t k = 1;
  for (; k < count && is_equal(list[k].key, list[0].key); k++) {
    if (list[k].rank == 0) continue;
    guards[list[k].guard].same_as = list[0].guard;
    guards[list[k].guard].same_sign = list[k].sign * list[0].sign;
  }
  return k;
}

static size_t largest_graph(const brink_system *system) {
  size_t most = 1;
  for (size_t f = 0; f < system->nflags; f++) {
    const brink_kernel *value = system->flags[f].value;
    if (value != NULL && value->graph.nnodes > most) most = value->graph.nnodes;
  }
  return most;
}

bool brink_instance_join_surfaces(const brink_instance *instance, brink_arena *arena,
                                  const bool *fixed_p, brink_guard_def *guards) {
  const brink_system *system = instance->system;
  size_t count = 0;
  surface *list = brink_arena_take(arena, system->nguards, sizeof *list);
  keyring ring = {.instance = instance, .fixed_p = fixed_p};
  ring.keys = brink_arena_take(arena, largest_graph(system), sizeof *ring.keys);
  if (arena->failed) return false;
  for (size_t g = 0; g < system->nguards; g++) {
    brink_guard_place place = instance->places[g];
    const brink_flag *flag = &system->flags[place.flag];
    int rank = rank_of(flag);
    if (rank < 0) continue;
    signed_key key = guards[g].coefficients != NULL
                         ? linear_key(&guards[g])
                         : expression_key(&ring, flag->value, place.index);
    list[count++] = (surface){.key = key.key, .sign = key.sign, .guard = (uint32_t)g, .rank = rank};
  }
  qsort(list, count, sizeof *list, by_key);
  for (size_t k = 0; k < count;) k += join(&list[k], count - k, guards);
  return true;
}
