/* instance_bound.c: how fast a guard can change at most (see instance.h).
 *
 * Problem: Lipschitz constants L_k with |g(t, x) - g(s, y)| <= sum L_k |x - y|_k + L_t |t - s| everywhere. With
 * them the simulator skips guards that a step cannot reach. Without that, models with thousands of pairs would be too
 * slow.
 * Method: forward through the expression, a bound of the value and bounds of the derivatives for every
 * node. Distances (hypot, the root of a sum of squares) change no faster than their components. What
 * is not continuous, or has no bound, has infinite ones; then there are none for the guard. Parameters
 * count with their values, signs with 1, other held values have no bound: they may change. */
#include <math.h>
#include <string.h>

#include "native/instance.h"

/* One node: |value| <= size; |d value/d ref k| <= slope[k], k = nrefs for time. */
typedef struct bounded {
  double size;
  bool known; /* value is the same in the whole run */
  double value;
  bool moves; /* depends on states or time */
} bounded;

typedef struct walk {
  const brink_graph *graph;
  const brink_bound_flag *bound;
  const brink_instance *instance;
  const bool *fixed_p, *fixed_mode;
  size_t index; /* of the instance of the flag */
  size_t width; /* nrefs + 1 */
  bounded *nodes;
  double *slopes;
} walk;

static double *slope(const walk *w, brink_node node) {
  return w->slopes + node * w->width;
}

/* factor*slope, where 0*inf is 0: what does not move has no slope. */
static void add_slope(const walk *w, brink_node to, brink_node from, double factor) {
  double *a = slope(w, to);
  const double *b = slope(w, from);
  for (size_t k = 0; k < w->width; k++) {
    if (b[k] > 0.0 && factor > 0.0) a[k] += b[k] * factor;
  }
}

static void larger_slope(const walk *w, brink_node to, brink_node from) {
  double *a = slope(w, to);
  const double *b = slope(w, from);
  for (size_t k = 0; k < w->width; k++) a[k] = fmax(a[k], b[k]);
}

/* Continuous, but without a bound; or not continuous. */
static void unbounded(const walk *w, brink_node node) {
  w->nodes[node].size = INFINITY;
  for (size_t k = 0; k < w->width; k++) slope(w, node)[k] = INFINITY;
}

static double slot_value(const walk *w, const brink_ref *ref, size_t slot, bool *known) {
  *known = true;
  if (ref->space == BRINK_SPACE_K) return w->instance->system->k[slot];
  if (ref->space == BRINK_SPACE_P && w->fixed_p[slot]) return w->instance->p0[slot];
  if (ref->space == BRINK_SPACE_MODE && w->fixed_mode[slot]) return w->instance->mode0[slot];
  *known = false;
  return 0.0;
}

static void visit_ref(const walk *w, brink_node node, uint32_t ref) {
  bounded *b = &w->nodes[node];
  const brink_ref *r = &w->graph->refs[ref];
  b->size = r->space == BRINK_SPACE_SIGN ? 1.0 : HUGE_VAL;
  if (r->space == BRINK_SPACE_X) {
    b->moves = true;
    for (size_t k = 0; k < w->bound->nrefs; k++) {
      if (w->bound->refs[k] == ref) slope(w, node)[k] = 1.0;
    }
    return;
  }
  b->value = slot_value(w, r, brink_ref_slot(r, w->index), &b->known);
  if (b->known) b->size = fabs(b->value);
}

/* u1*u1 + u2*u2 + … + constants of zero or more: the slopes of the root are those of the u. */
static bool root_of_squares(const walk *w, brink_node root, brink_node node, int depth) {
  const brink_expr_node *n = &w->graph->nodes[node];
  const bounded *b = &w->nodes[node];
  if (b->known) return b->value >= 0.0;
  if (n->op == BRINK_OP_ADD && depth < 32)
    return root_of_squares(w, root, n->a, depth + 1) && root_of_squares(w, root, n->b, depth + 1);
  if (n->op != BRINK_OP_MUL || n->a != n->b) return false;
  add_slope(w, root, n->a, 1.0);
  return true;
}

static void visit_product(const walk *w, brink_node node, const brink_expr_node *n) {
  const bounded *a = &w->nodes[n->a], *b = &w->nodes[n->b];
  w->nodes[node].size = a->size == 0.0 || b->size == 0.0 ? 0.0 : a->size * b->size;
  add_slope(w, node, n->a, b->size);
  add_slope(w, node, n->b, a->size);
}

static void visit_quotient(const walk *w, brink_node node, const brink_expr_node *n) {
  const bounded *a = &w->nodes[n->a], *b = &w->nodes[n->b];
  if (!b->known || b->value == 0.0) {
    unbounded(w, node);
    return;
  }
  w->nodes[node].size = a->size / fabs(b->value);
  add_slope(w, node, n->a, 1.0 / fabs(b->value));
}

/* A function with |f'| <= 1 and |f| <= size. */
static void visit_gentle(const walk *w, brink_node node, brink_node a, double size) {
  w->nodes[node].size = size;
  add_slope(w, node, a, 1.0);
}

static void visit_moving(const walk *w, brink_node node, const brink_expr_node *n) {
  bounded *b = &w->nodes[node];
  double a_size = w->nodes[n->a].size;
  switch ((brink_op)n->op) {
  case BRINK_OP_ADD:
  case BRINK_OP_SUB:
  case BRINK_OP_HYPOT:
    b->size = a_size + w->nodes[n->b].size;
    add_slope(w, node, n->a, 1.0);
    add_slope(w, node, n->b, 1.0);
    break;
  case BRINK_OP_MUL:
    visit_product(w, node, n);
    break;
  case BRINK_OP_DIV:
    visit_quotient(w, node, n);
    break;
  case BRINK_OP_NEG:
  case BRINK_OP_ABS:
    visit_gentle(w, node, n->a, a_size);
    break;
  case BRINK_OP_SIN:
  case BRINK_OP_COS:
  case BRINK_OP_TANH:
    visit_gentle(w, node, n->a, 1.0);
    break;
  case BRINK_OP_ATAN:
    visit_gentle(w, node, n->a, 2.0);
    break;
  case BRINK_OP_MIN:
  case BRINK_OP_MAX:
    b->size = fmax(a_size, w->nodes[n->b].size);
    larger_slope(w, node, n->a);
    larger_slope(w, node, n->b);
    break;
  case BRINK_OP_SQRT:
    b->size = INFINITY;
    if (!root_of_squares(w, node, n->a, 0)) unbounded(w, node);
    break;
  case BRINK_OP_SELECT:
    b->size = fmax(w->nodes[n->b].size, w->nodes[n->c].size);
    larger_slope(w, node, n->b);
    larger_slope(w, node, n->c);
    if (w->nodes[n->a].moves) unbounded(w, node);
    break;
  default:
    unbounded(w, node);
  }
}

static void visit_operator(const walk *w, brink_node node, const brink_expr_node *n) {
  bounded *b = &w->nodes[node];
  brink_node operand[3] = {n->a, n->b, n->c};
  double value[3] = {0.0, 0.0, 0.0};
  bool known = brink_op_is_plain((brink_op)n->op);
  for (int k = 0; k < brink_op_operands((brink_op)n->op); k++) {
    const bounded *from = &w->nodes[operand[k]];
    known = known && from->known;
    value[k] = from->value;
    b->moves = b->moves || from->moves;
  }
  b->known = known;
  b->size = INFINITY;
  if (known) {
    b->value = brink_op_apply((brink_op)n->op, value[0], value[1], value[2]);
    b->size = isnan(b->value) ? HUGE_VAL : fabs(b->value);
  } else if (b->moves) {
    visit_moving(w, node, n);
  } else if (n->op >= BRINK_OP_LT && n->op <= BRINK_OP_NOT) {
    b->size = 1.0;
  }
}

static void visit(const walk *w, brink_node node) {
  const brink_expr_node *n = &w->graph->nodes[node];
  w->nodes[node] = (bounded){0};
  memset(slope(w, node), 0, w->width * sizeof(double));
  if (n->op == BRINK_OP_CONST) {
    w->nodes[node] = (bounded){.size = fabs(n->value), .known = true, .value = n->value};
  } else if (n->op == BRINK_OP_TIME) {
    w->nodes[node] = (bounded){.size = INFINITY, .moves = true};
    slope(w, node)[w->width - 1] = 1.0;
  } else if (n->op == BRINK_OP_REF) {
    visit_ref(w, node, n->a);
  } else {
    visit_operator(w, node, n);
  }
}

/* A graph larger than this (in numbers to compute) is not worth it. */
#define LARGEST ((size_t)1 << 16)

size_t brink_instance_bound_room(const brink_bound_flag *bound) {
  size_t nodes = (size_t)bound->root + 1, width = bound->nrefs + 1;
  if (nodes > LARGEST / width) return 0;
  return nodes * (width + (sizeof(bounded) + sizeof(double) - 1) / sizeof(double));
}

/* The bound of a value that is rounded: leave room for that. */
#define ROUNDING (1.0 + 1e-9)

bool brink_instance_lipschitz(const brink_instance *instance, const brink_bound_flag *bound,
                              size_t index, const bool *fixed_p, const bool *fixed_mode,
                              double *room, const double **slopes) {
  walk w = {.graph = &bound->gradient.kernel->graph,
            .bound = bound,
            .instance = instance,
            .fixed_p = fixed_p,
            .fixed_mode = fixed_mode,
            .index = index,
            .width = bound->nrefs + 1,
            .slopes = room};
  w.nodes = (bounded *)(void *)(room + ((size_t)bound->root + 1) * w.width);
  for (brink_node node = 0; node <= bound->root; node++) visit(&w, node);
  double *result = slope(&w, bound->root);
  for (size_t k = 0; k < w.width; k++) {
    if (!isfinite(result[k])) return false;
    result[k] *= ROUNDING;
  }
  *slopes = result;
  return true;
}
