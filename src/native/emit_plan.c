/* emit_plan.c: decides how the nodes of a kernel appear in C.
 *
 * A node that is used once stands inside its user, so that expressions look as they were written;
 * others become locals. Long bodies are split into functions of about PART_STATEMENTS statements:
 * compilers take more than linear time for long functions. What one part computes and another needs
 * travels through a scratch array. */
#include "native/emit.h"

#include <stdlib.h>
#include <string.h>

enum {
  PART_STATEMENTS = 100,
  INLINE_NODES = 14, /* of one expression */
};

int emit_operands(const brink_expr_node *node, brink_node out[3]) {
  int count = node->op == BRINK_OP_REF ? 0 : brink_op_operands((brink_op)node->op);
  if (brink_op_reads_array(node->op)) count = 1; /* the array is a place, not a value */
  if (count > 0) out[0] = node->a;
  if (count > 1) out[1] = node->b;
  if (count > 2) out[2] = node->c;
  return count;
}

static bool is_leaf(const brink_expr_node *node) {
  return node->op == BRINK_OP_CONST || node->op == BRINK_OP_TIME || node->op == BRINK_OP_REF;
}

/* ---- may outputs be written before the others are computed? ---- */

typedef struct slot_key {
  uint32_t space;
  size_t slot;
} slot_key;

static int compare_keys(const void *left, const void *right) {
  const slot_key *a = left, *b = right;
  if (a->space != b->space) return a->space < b->space ? -1 : 1;
  return a->slot < b->slot ? -1 : a->slot > b->slot;
}

/* The array that a space is part of: what is read as PRE_X may be what is written as X. */
static uint32_t array_of(brink_space space) {
  switch (space) {
  case BRINK_SPACE_PRE_X:
    return BRINK_SPACE_X;
  case BRINK_SPACE_PRE_P:
    return BRINK_SPACE_P;
  case BRINK_SPACE_PRE_MODE:
    return BRINK_SPACE_MODE;
  default:
    return space;
  }
}

static slot_key target_key(const brink_kernel *kernel, size_t j) {
  const brink_ref *target = &kernel->outputs[j].target;
  bool by_position = target->space == BRINK_SPACE_OUT && target->map == NULL && target->stride == 0;
  return (slot_key){target->space, by_position ? j : brink_ref_slot(target, 0)};
}

/* One iteration, in which no slot is written twice, or read as well as written. */
static bool writes_are_free(emitter *e, const brink_kernel *kernel) {
  if (kernel->count != 1) return false;
  size_t n = kernel->noutputs;
  slot_key *keys = brink_arena_pack(&e->work, n + 1, sizeof *keys);
  if (keys == NULL) {
    e->failed = true;
    return false;
  }
  for (size_t j = 0; j < n; j++) keys[j] = target_key(kernel, j);
  qsort(keys, n, sizeof *keys, compare_keys);
  for (size_t j = 0; j + 1 < n; j++) {
    if (compare_keys(&keys[j], &keys[j + 1]) == 0) return false;
  }
  for (size_t r = 0; r < kernel->graph.nrefs; r++) {
    const brink_ref *ref = &kernel->graph.refs[r];
    for (size_t k = 0; k < brink_ref_extent(ref); k++) {
      slot_key key = {array_of(ref->space), brink_ref_element(ref, 0, k)};
      if (bsearch(&key, keys, n, sizeof *keys, compare_keys) != NULL) return false;
    }
  }
  return true;
}

static bool writes_only_results(const brink_kernel *kernel) {
  for (size_t j = 0; j < kernel->noutputs; j++) {
    brink_space space = kernel->outputs[j].target.space;
    if (space != BRINK_SPACE_V && space != BRINK_SPACE_DX && space != BRINK_SPACE_OUT) return false;
  }
  return true;
}

/* ---- nodes ---- */

static void count_uses(emit_plan *p) {
  for (size_t j = 0; j < p->kernel->noutputs; j++) {
    const brink_output *output = &p->kernel->outputs[j];
    p->uses[output->node]++;
    if (output->when != BRINK_NO_NODE) p->uses[output->when]++;
  }
  for (size_t i = p->nnodes; i-- > 0;) {
    brink_node of[3];
    if (p->uses[i] == 0) continue;
    for (int k = emit_operands(&p->nodes[i], of); k-- > 0;) p->uses[of[k]]++;
  }
}

static void find_invariants(emit_plan *p) {
  for (size_t i = 0; p->loop && i < p->nnodes; i++) {
    const brink_expr_node *node = &p->nodes[i];
    bool invariant = true;
    brink_node of[3];
    if (node->op == BRINK_OP_REF) {
      const brink_ref *ref = &p->kernel->graph.refs[node->a];
      invariant = ref->map == NULL && ref->stride == 0 && !p->kernel->sequential;
    }
    if (brink_op_reads_array(node->op)) invariant = p->invariant[node->b];
    for (int k = emit_operands(node, of); k-- > 0;) invariant = invariant && p->invariant[of[k]];
    p->invariant[i] = invariant;
  }
}

/* Locals: what is used twice, what would make an expression long, what a loop may compute before it
 * starts. */
static void choose_kinds(emit_plan *p, uint32_t *size) {
  for (size_t i = 0; i < p->nnodes; i++) {
    const brink_expr_node *node = &p->nodes[i];
    brink_node of[3];
    size[i] = 1;
    if (p->uses[i] == 0) continue;
    if (node->op == BRINK_OP_REF) {
      p->kind[i] = EMIT_REF;
      continue;
    }
    p->kind[i] = EMIT_INLINE;
    if (is_leaf(node)) continue;
    for (int k = emit_operands(node, of); k-- > 0;) {
      if (p->kind[of[k]] == EMIT_INLINE) size[i] += size[of[k]];
      /* The first varying user of an invariant makes it a local before the loop. */
      bool hoisted = p->invariant[of[k]] && !p->invariant[i] && !is_leaf(&p->nodes[of[k]]) &&
                     p->nodes[of[k]].op != BRINK_OP_ARGUMENT;
      if (hoisted) p->kind[of[k]] = EMIT_LOCAL;
    }
    bool list = node->op == BRINK_OP_ARGUMENT; /* of values, none itself */
    if (!list && (p->uses[i] > 1 || size[i] > INLINE_NODES)) p->kind[i] = EMIT_LOCAL;
    if (p->kind[i] == EMIT_LOCAL) size[i] = 1;
  }
}

/* Where writes wait for all values, these must be locals. */
static void keep_outputs(emit_plan *p) {
  if (p->early || p->kernel->noutputs < 2) return;
  for (size_t j = 0; j < p->kernel->noutputs; j++) {
    const brink_output *output = &p->kernel->outputs[j];
    if (!is_leaf(&p->nodes[output->node])) p->kind[output->node] = EMIT_LOCAL;
    if (output->when != BRINK_NO_NODE && !is_leaf(&p->nodes[output->when]))
      p->kind[output->when] = EMIT_LOCAL;
  }
}

/* Sine and cosine of one angle cost little more than one of them. glibc computes both by the same
 * code, to the same bits (a test checks that); other libraries may differ. */
static void pair_twins(emit_plan *p, uint32_t *seen) {
  for (size_t i = 0; i < p->nnodes; i++) p->twin[i] = seen[i] = EMIT_NONE;
#ifdef __GLIBC__
  for (size_t i = 0; i < p->nnodes; i++) {
    const brink_expr_node *node = &p->nodes[i];
    if (p->uses[i] == 0 || (node->op != BRINK_OP_SIN && node->op != BRINK_OP_COS)) continue;
    uint32_t other = seen[node->a];
    seen[node->a] = (uint32_t)i;
    if (other == EMIT_NONE) continue;
    p->twin[i] = other;
    p->twin[other] = (uint32_t)i;
    p->kind[i] = p->kind[other] = EMIT_LOCAL;
  }
#endif
}

/* ---- parts ---- */

/* The node after which output j can be written. */
static uint32_t ready_at(const brink_kernel *kernel, size_t j) {
  const brink_output *output = &kernel->outputs[j];
  if (output->when == BRINK_NO_NODE || output->when < output->node) return output->node;
  return output->when;
}

/* Counting sort, so that outputs of one node keep their order. */
static bool order_writes(emitter *e, emit_plan *p) {
  const brink_kernel *kernel = p->kernel;
  uint32_t *start = brink_arena_take(&e->work, p->nnodes + 1, sizeof *start);
  if (start == NULL) return false;
  for (size_t j = 0; j < kernel->noutputs; j++) start[ready_at(kernel, j) + 1]++;
  for (size_t i = 0; i < p->nnodes; i++) start[i + 1] += start[i];
  for (size_t j = 0; j < kernel->noutputs; j++)
    p->writes[start[ready_at(kernel, j)]++] = (uint32_t)j;
  return true;
}

static void mark_crossing(emit_plan *p, brink_node node, uint32_t part, bool root) {
  brink_node of[3];
  if (p->kind[node] == EMIT_LOCAL && !root) {
    if (p->part[node] != part && p->cross[node] == EMIT_NONE)
      p->cross[node] = (uint32_t)p->ncross++;
    return;
  }
  for (int k = emit_operands(&p->nodes[node], of); k-- > 0;) mark_crossing(p, of[k], part, false);
}

/* Deals statements (locals, and writes that are made early) out to parts; the last part writes. */
static void deal_parts(emit_plan *p) {
  size_t statements = 0, next = 0;
  for (size_t i = 0; i < p->nnodes; i++) {
    p->cross[i] = EMIT_NONE;
    p->part[i] = (uint32_t)(statements / PART_STATEMENTS);
    if (p->kind[i] == EMIT_LOCAL) statements++;
    while (p->early && next < p->kernel->noutputs && ready_at(p->kernel, p->writes[next]) == i) {
      statements++;
      next++;
    }
  }
  if (!p->early) statements += p->kernel->noutputs;
  p->nstatements = statements;
  p->nparts = 1 + (statements > 0 ? (statements - 1) / PART_STATEMENTS : 0);
  if (statements <= PART_STATEMENTS + PART_STATEMENTS / 2) p->nparts = 1;
}

static void find_crossings(emit_plan *p) {
  if (p->nparts == 1) {
    for (size_t i = 0; i < p->nnodes; i++) p->part[i] = 0;
    return;
  }
  /* A loop in parts computes everything in them. */
  memset(p->invariant, 0, p->nnodes);
  for (size_t i = 0; i < p->nnodes; i++) {
    if (p->part[i] >= p->nparts) p->part[i] = (uint32_t)p->nparts - 1;
    uint32_t twin = p->twin[i];
    if (twin < i && p->part[twin] != p->part[i]) p->twin[i] = p->twin[twin] = EMIT_NONE;
  }
  for (size_t i = 0; i < p->nnodes; i++) {
    if (p->kind[i] == EMIT_LOCAL) mark_crossing(p, (brink_node)i, p->part[i], true);
  }
  for (size_t j = 0; j < p->kernel->noutputs; j++) {
    const brink_output *output = &p->kernel->outputs[j];
    uint32_t part = p->early ? p->part[ready_at(p->kernel, j)] : (uint32_t)p->nparts - 1;
    mark_crossing(p, output->node, part, false);
    if (output->when != BRINK_NO_NODE) mark_crossing(p, output->when, part, false);
  }
}

bool emit_plan_make(emitter *e, const brink_kernel *kernel, uint32_t number, emit_plan *p) {
  size_t n = kernel->graph.nnodes;
  *p = (emit_plan){.kernel = kernel,
                   .number = number,
                   .nodes = kernel->graph.nodes,
                   .nnodes = n,
                   .kind = brink_arena_take(&e->work, n, 1),
                   .invariant = brink_arena_take(&e->work, n, 1),
                   .uses = brink_arena_take(&e->work, n, sizeof *p->uses),
                   .part = brink_arena_take(&e->work, n, sizeof *p->part),
                   .cross = brink_arena_take(&e->work, n, sizeof *p->cross),
                   .declared = brink_arena_take(&e->work, n, sizeof *p->declared),
                   .twin = brink_arena_take(&e->work, n, sizeof *p->twin),
                   .writes = brink_arena_take(&e->work, kernel->noutputs, sizeof *p->writes),
                   .loop = kernel->count != 1,
                   .early = writes_are_free(e, kernel),
                   .restrict_ = writes_only_results(kernel)};
  uint32_t *size = brink_arena_take(&e->work, n, sizeof *size);
  if (e->work.failed) return false;
  count_uses(p);
  find_invariants(p);
  choose_kinds(p, size);
  keep_outputs(p);
  pair_twins(p, size);
  if (!order_writes(e, p)) return false;
  deal_parts(p);
  find_crossings(p);
  return true;
}
