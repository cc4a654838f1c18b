/* roll.c: loops out of equations that were written one by one.
 *
 * Problem: the attraction between the bodies of a system is often written pair by pair. It is one kernel of one iteration,
 * long, and without a loop that could be done several iterations at a time (native/emit_blocks.c).
 *
 * Method: each value that is written is described by the list of its operations, operands first, with places in the list
 * for operands and nothing but the space for slots. Values with equal lists, and as many targets, become iterations of one
 * kernel: slot r of the list is a ref with one entry for each. What several values have in common would be computed for
 * each of them; where that is much, the kernel stays as it is.
 *
 * How it can fail: commutative operands have an order that depends on what else is in the graph. Values that differ in that
 * alone are not recognised. */
#include "expr/roll.h"

#include <string.h>

#define LEAST 4     /* iterations of a loop */
#define LONGEST 256 /* operations of a value */
#define MOST_LOOPS 64
#define SHARED 8 /* what is computed twice may be one part in so many */

/* One operation of a list. */
typedef struct word {
  uint64_t bits; /* CONST: of its value; REF: its space, extent and step */
  uint32_t a, b, c;
  uint32_t op;
} word;

/* A value that is written, and where to. */
typedef struct value {
  brink_node node;
  uint32_t loop;                   /* BRINK_NO_INDEX: none */
  uint32_t *refs, nrefs;           /* of the kernel's graph, in the order of the list */
  uint32_t first_output, noutputs; /* in roller.outputs */
} value;

typedef struct loop {
  word *words;
  size_t nwords;
  uint32_t representative; /* the first value */
  uint32_t count;
} loop;

typedef struct roller {
  const brink_kernel *kernel;
  brink_arena *arena; /* of the result */
  brink_arena work;
  value *values;
  size_t nvalues;
  uint32_t *outputs; /* of the kernel, value by value */
  loop loops[MOST_LOOPS];
  size_t nloops;
  /* the list at hand */
  uint32_t *place; /* of each node in it; BRINK_NO_INDEX: not there */
  brink_node nodes[LONGEST];
  word words[LONGEST];
  uint32_t refs[LONGEST];
  size_t nwords, nrefs;
  bool *seen; /* nodes that some list has had */
  size_t twice, once;
} roller;

/* ---- lists ---- */

static void describe_leaf(roller *r, const brink_expr_node *n, word *w) {
  if (n->op == BRINK_OP_CONST) memcpy(&w->bits, &n->value, sizeof w->bits);
  if (n->op != BRINK_OP_REF) return;
  const brink_ref *ref = &r->kernel->graph.refs[n->a];
  w->bits = (uint64_t)ref->space | (uint64_t)ref->extent << 8 | (uint64_t)ref->step << 40;
  r->refs[r->nrefs++] = n->a;
}

/* Adds what a node consists of, operands first. False: too long, or nothing that may be moved. */
static bool describe(roller *r, brink_node node) {
  const brink_expr_node *n = &r->kernel->graph.nodes[node];
  if (r->place[node] != BRINK_NO_INDEX) return true;
  if (n->op == BRINK_OP_EXTERNAL) return false;
  int operands = brink_op_operands((brink_op)n->op);
  word w = {.op = n->op};
  const brink_node parts[3] = {n->a, n->b, n->c};
  uint32_t *places[3] = {&w.a, &w.b, &w.c};
  for (int k = 0; k < operands; k++) {
    if (!describe(r, parts[k])) return false;
    *places[k] = r->place[parts[k]];
  }
  if (r->nwords == LONGEST) return false;
  if (operands == 0) describe_leaf(r, n, &w);
  if (operands > 0) r->seen[node] ? r->twice++ : r->once++;
  r->seen[node] = true;
  r->nodes[r->nwords] = node;
  r->place[node] = (uint32_t)r->nwords;
  r->words[r->nwords++] = w;
  return true;
}

static void forget_list(roller *r) {
  for (size_t k = 0; k < r->nwords; k++) r->place[r->nodes[k]] = BRINK_NO_INDEX;
  r->nwords = r->nrefs = 0;
}

/* ---- loops ---- */

static const brink_output *output_of(const roller *r, const value *v, uint32_t k) {
  return &r->kernel->outputs[r->outputs[v->first_output + k]];
}

static bool same_targets(const roller *r, const value *a, const value *b) {
  if (a->noutputs != b->noutputs) return false;
  for (uint32_t k = 0; k < a->noutputs; k++) {
    if (output_of(r, a, k)->target.space != output_of(r, b, k)->target.space) return false;
  }
  return true;
}

/* The loop that a value belongs to, by the list at hand. */
static void find_loop(roller *r, uint32_t n) {
  value *v = &r->values[n];
  for (uint32_t k = 0; k < r->nloops; k++) {
    loop *l = &r->loops[k];
    if (l->nwords != r->nwords || !same_targets(r, &r->values[l->representative], v) ||
        memcmp(l->words, r->words, r->nwords * sizeof *r->words) != 0)
      continue;
    v->loop = k;
    l->count++;
    return;
  }
  if (r->nloops == MOST_LOOPS) return;
  loop *l = &r->loops[r->nloops];
  l->words = brink_arena_take(&r->work, r->nwords, sizeof *l->words);
  if (l->words == NULL) return;
  memcpy(l->words, r->words, r->nwords * sizeof *l->words);
  l->nwords = r->nwords;
  l->representative = n;
  l->count = 1;
  v->loop = (uint32_t)r->nloops++;
}

static bool take_list(roller *r, uint32_t n) {
  value *v = &r->values[n];
  v->loop = BRINK_NO_INDEX;
  bool described = describe(r, v->node);
  if (described) {
    v->refs = brink_arena_take(&r->work, r->nrefs, sizeof *v->refs);
    if (v->refs != NULL) memcpy(v->refs, r->refs, r->nrefs * sizeof *v->refs);
    v->nrefs = (uint32_t)r->nrefs;
    find_loop(r, n);
  }
  forget_list(r);
  return !r->work.failed;
}

/* Values in the order in which they are first written, with their outputs. */
static bool collect_values(roller *r) {
  const brink_kernel *kernel = r->kernel;
  uint32_t *value_of = brink_arena_take(&r->work, kernel->graph.nnodes, sizeof *value_of);
  r->values = brink_arena_take(&r->work, kernel->noutputs, sizeof *r->values);
  r->outputs = brink_arena_take(&r->work, kernel->noutputs, sizeof *r->outputs);
  if (r->work.failed) return false;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    uint32_t *known = &value_of[kernel->outputs[j].node];
    if (*known == 0) {
      r->values[r->nvalues] = (value){.node = kernel->outputs[j].node};
      *known = (uint32_t)++r->nvalues;
    }
    r->values[*known - 1].noutputs++;
  }
  uint32_t next = 0;
  for (size_t n = 0; n < r->nvalues; n++) {
    r->values[n].first_output = next;
    next += r->values[n].noutputs;
    r->values[n].noutputs = 0;
  }
  for (size_t j = 0; j < kernel->noutputs; j++) {
    value *v = &r->values[value_of[kernel->outputs[j].node] - 1];
    r->outputs[v->first_output + v->noutputs++] = (uint32_t)j;
  }
  return true;
}

/* Does it read what it writes? Then its outputs have an order. */
static bool reads_itself(const brink_kernel *kernel) {
  for (size_t k = 0; k < kernel->graph.nrefs; k++) {
    const brink_ref *ref = &kernel->graph.refs[k];
    if (ref->space != BRINK_SPACE_V && ref->space != BRINK_SPACE_DX) continue;
    for (size_t j = 0; j < kernel->noutputs; j++) {
      const brink_ref *target = &kernel->outputs[j].target;
      if (target->space == ref->space && brink_ref_slot(target, 0) == brink_ref_slot(ref, 0))
        return true;
    }
  }
  return false;
}

static bool may_roll(const brink_kernel *kernel) {
  if (kernel->count != 1 || kernel->accumulate || kernel->sequential || kernel->noutputs < LEAST)
    return false;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    if (kernel->outputs[j].when != BRINK_NO_NODE) return false;
  }
  return !reads_itself(kernel);
}

/* ---- kernels ---- */

static brink_kernel *new_kernel(roller *r, size_t count, size_t noutputs) {
  brink_kernel *kernel = brink_arena_take(r->arena, 1, sizeof *kernel);
  brink_output *outputs = brink_arena_take(r->arena, noutputs, sizeof *outputs);
  if (kernel == NULL || outputs == NULL) return NULL;
  *kernel = *r->kernel;
  kernel->count = count;
  kernel->outputs = outputs;
  kernel->noutputs = kernel->outputs_capacity = noutputs;
  brink_graph_init(&kernel->graph, r->arena, count);
  return kernel;
}

/* The ref with the slots that the values of a loop have there. */
typedef struct merge {
  roller *r;
  uint32_t loop;
  uint32_t *slots;
  const value *first;
} merge;

static bool merge_refs(merge *m, const brink_ref *like, size_t k, brink_ref *ref, bool target) {
  roller *r = m->r;
  size_t n = 0;
  for (size_t i = 0; i < r->nvalues; i++) {
    const value *v = &r->values[i];
    if (v->loop != m->loop) continue;
    const brink_ref *one =
        target ? &output_of(r, v, (uint32_t)k)->target : &r->kernel->graph.refs[v->refs[k]];
    m->slots[n++] = (uint32_t)brink_ref_slot(one, 0);
  }
  if (!brink_ref_from_slots(r->arena, like->space, m->slots, n, ref)) return false;
  ref->extent = like->extent;
  ref->step = like->step;
  return true;
}

static brink_node merged_ref(brink_graph *to, const brink_graph *from, uint32_t ref, void *user) {
  merge *m = user;
  brink_ref merged;
  for (uint32_t k = 0; k < m->first->nrefs; k++) {
    if (m->first->refs[k] != ref) continue;
    return merge_refs(m, &from->refs[ref], k, &merged, false) ? brink_graph_ref(to, merged)
                                                              : BRINK_NO_NODE;
  }
  return BRINK_NO_NODE;
}

static brink_kernel *make_loop(roller *r, uint32_t number) {
  const loop *l = &r->loops[number];
  const value *first = &r->values[l->representative];
  brink_kernel *kernel = new_kernel(r, l->count, first->noutputs);
  merge m = {.r = r,
             .loop = number,
             .slots = brink_arena_take(&r->work, l->count, sizeof *m.slots),
             .first = first};
  if (kernel == NULL || m.slots == NULL) return NULL;
  brink_node node =
      brink_graph_copy(&kernel->graph, &r->kernel->graph, first->node, merged_ref, &m);
  if (node == BRINK_NO_NODE) return NULL;
  for (uint32_t k = 0; k < first->noutputs; k++) {
    kernel->outputs[k] = *output_of(r, first, k);
    kernel->outputs[k].node = node;
    if (!merge_refs(&m, &kernel->outputs[k].target, k, &kernel->outputs[k].target, true))
      return NULL;
  }
  return kernel;
}

static bool is_rolled(const roller *r, const value *v) {
  return v->loop != BRINK_NO_INDEX && r->loops[v->loop].count >= LEAST;
}

/* What is left. */
static brink_kernel *make_rest(roller *r, size_t noutputs) {
  brink_kernel *kernel = new_kernel(r, 1, noutputs);
  brink_node *nodes = brink_arena_take(&r->work, noutputs, sizeof *nodes);
  if (kernel == NULL || nodes == NULL) return NULL;
  size_t n = 0;
  for (size_t i = 0; i < r->nvalues; i++) {
    const value *v = &r->values[i];
    for (uint32_t k = 0; k < v->noutputs && !is_rolled(r, v); k++) {
      kernel->outputs[n] = *output_of(r, v, k);
      nodes[n++] = v->node;
    }
  }
  if (!brink_graph_copy_all(&kernel->graph, &r->kernel->graph, nodes, n, nodes, NULL, NULL))
    return NULL;
  for (size_t k = 0; k < n; k++) kernel->outputs[k].node = nodes[k];
  return kernel;
}

/* ---- programs ---- */

/* Room for the kernels that one kernel may become. */
static size_t most_kernels(const brink_kernel *kernel) {
  return may_roll(kernel) ? MOST_LOOPS + 1 : 1;
}

static bool put_kernels(roller *r, brink_program *to) {
  size_t rest = r->kernel->noutputs;
  for (uint32_t k = 0; k < r->nloops; k++) {
    const loop *l = &r->loops[k];
    if (l->count < LEAST) continue;
    rest -= l->count * (size_t)r->values[l->representative].noutputs;
    brink_kernel *made = make_loop(r, k);
    if (made == NULL) return false;
    to->kernels[to->nkernels++] = made;
  }
  if (rest == 0) return true;
  brink_kernel *made = make_rest(r, rest);
  if (made == NULL) return false;
  to->kernels[to->nkernels++] = made;
  return true;
}

static bool any_loop(const roller *r) {
  for (size_t k = 0; k < r->nloops; k++) {
    if (r->loops[k].count >= LEAST) return true;
  }
  return false;
}

static bool roll_kernel(roller *r, brink_program *to) {
  size_t nodes = r->kernel->graph.nnodes;
  r->place = brink_arena_take(&r->work, nodes, sizeof *r->place);
  r->seen = brink_arena_take(&r->work, nodes, sizeof *r->seen);
  if (r->work.failed || !collect_values(r)) return false;
  memset(r->place, 0xff, nodes * sizeof *r->place);
  for (size_t n = 0; n < r->nvalues; n++) {
    if (!take_list(r, (uint32_t)n)) return false;
  }
  if (any_loop(r) && r->twice * SHARED <= r->once) return put_kernels(r, to);
  to->kernels[to->nkernels++] = (brink_kernel *)r->kernel;
  return true;
}

bool brink_program_roll(const brink_program *program, brink_arena *arena, brink_program *rolled) {
  size_t room = 0;
  for (size_t k = 0; k < program->nkernels; k++) room += most_kernels(program->kernels[k]);
  *rolled = (brink_program){.kernels = brink_arena_take(arena, room, sizeof *rolled->kernels)};
  bool ok = rolled->kernels != NULL;
  for (size_t k = 0; k < program->nkernels && ok; k++) {
    brink_kernel *kernel = program->kernels[k];
    if (!may_roll(kernel)) {
      rolled->kernels[rolled->nkernels++] = kernel;
      continue;
    }
    brink_arena work;
    brink_arena_init(&work, &arena->allocator);
    roller *r = brink_arena_take(&work, 1, sizeof *r);
    ok = r != NULL;
    if (ok) {
      *r = (roller){.kernel = kernel, .arena = arena};
      brink_arena_init(&r->work, &arena->allocator);
      ok = roll_kernel(r, rolled);
      brink_arena_free(&r->work);
    }
    brink_arena_free(&work);
  }
  return ok;
}
