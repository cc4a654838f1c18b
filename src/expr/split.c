/* split.c: a kernel that chooses by constants becomes kernels that need not choose.
 *
 * Where iterations have different equations behind one ref (the ends of a rod, a connection that
 * differs), the inlined kernel has a select whose condition is known before the run: it reads K and
 * numbers only. In a Jacobian every branch would be an entry in every iteration, mostly zero and at
 * a place that means nothing. So iterations that decide all such selects alike are taken together,
 * and each set of them gets its own kernel, with the branches that hold there. */
#include "expr/system.h"

#include <string.h>

enum { MAX_SETS = 32 }; /* more kinds of iterations than this: the kernel stays as it is */

typedef struct splitter {
  brink_arena *arena, scratch;
  const double *k; /* the values of space K */
  const brink_kernel *kernel;
  bool *needed, *fixed; /* of each node: part of an output; the same whatever the states do */
  double *value;        /* of each fixed node, in one iteration */
  uint32_t *decided;    /* of each node: 1 + the number of its condition, if it is such a select */
  brink_node *condition;
  size_t nconditions;
  uint32_t *set; /* of each iteration */
  bool *choice;  /* MAX_SETS rows of nconditions */
  size_t sets;
} splitter;

/* ---- which selects are decided, and how ---- */

static bool mark_needed(splitter *s) {
  const brink_kernel *kernel = s->kernel;
  for (size_t j = 0; j < kernel->noutputs; j++) {
    brink_node when = kernel->outputs[j].when;
    if (!brink_graph_mark(&kernel->graph, &kernel->outputs[j].node, 1, s->needed)) return false;
    if (when != BRINK_NO_NODE) brink_graph_mark(&kernel->graph, &when, 1, s->needed);
  }
  return true;
}

static bool is_fixed(const splitter *s, const brink_expr_node *n) {
  int operands = brink_op_operands((brink_op)n->op);
  if (n->op == BRINK_OP_REF) return s->kernel->graph.refs[n->a].space == BRINK_SPACE_K;
  if (n->op == BRINK_OP_TIME || !brink_op_is_plain((brink_op)n->op)) return false;
  return (operands < 1 || s->fixed[n->a]) && (operands < 2 || s->fixed[n->b]) &&
         (operands < 3 || s->fixed[n->c]);
}

static void find_conditions(splitter *s) {
  const brink_graph *graph = &s->kernel->graph;
  for (size_t i = 0; i < graph->nnodes; i++) {
    const brink_expr_node *n = &graph->nodes[i];
    if (!s->needed[i]) continue;
    s->fixed[i] = is_fixed(s, n);
    if (n->op != BRINK_OP_SELECT || !s->fixed[n->a]) continue;
    s->condition[s->nconditions++] = n->a;
    s->decided[i] = (uint32_t)s->nconditions;
  }
}

static void evaluate_fixed(splitter *s, size_t iteration) {
  const brink_graph *graph = &s->kernel->graph;
  for (size_t i = 0; i < graph->nnodes; i++) {
    if (!s->fixed[i]) continue;
    const brink_expr_node *n = &graph->nodes[i];
    int operands = brink_op_operands((brink_op)n->op);
    if (n->op == BRINK_OP_REF)
      s->value[i] = s->k[brink_ref_slot(&graph->refs[n->a], iteration)];
    else if (operands == 0)
      s->value[i] = n->value;
    else
      s->value[i] =
          brink_op_apply((brink_op)n->op, s->value[n->a], operands > 1 ? s->value[n->b] : 0.0,
                         operands > 2 ? s->value[n->c] : 0.0);
  }
}

/* Sorts the iterations into sets; false: too many. */
static bool find_sets(splitter *s) {
  for (size_t i = 0; i < s->kernel->count; i++) {
    evaluate_fixed(s, i);
    bool *mine = s->choice + s->sets * s->nconditions;
    for (size_t c = 0; c < s->nconditions; c++) mine[c] = s->value[s->condition[c]] != 0.0;
    size_t k = 0;
    while (memcmp(s->choice + k * s->nconditions, mine, s->nconditions) != 0) k++;
    if (k == MAX_SETS) return false;
    s->set[i] = (uint32_t)k;
    if (k == s->sets) s->sets++;
  }
  return true;
}

/* ---- the kernel of one set ---- */

/* The iterations of a set, and its graph. */
typedef struct member {
  const uint32_t *iteration;
  size_t count;
  const bool *choice;
  brink_kernel *kernel;
  brink_node *image;
} member;

static bool restrict_ref(const splitter *s, const member *m, const brink_ref *ref, brink_ref *out) {
  uint32_t *map = brink_arena_pack(s->arena, m->count, sizeof *map);
  if (map == NULL) return false;
  for (size_t i = 0; i < m->count; i++) map[i] = (uint32_t)brink_ref_slot(ref, m->iteration[i]);
  *out = *ref;
  out->map = map;
  *out = brink_ref_simplest(*out, m->count);
  return true;
}

static brink_node copy_node(const splitter *s, const member *m, size_t i) {
  const brink_expr_node *n = &s->kernel->graph.nodes[i];
  brink_graph *to = &m->kernel->graph;
  int operands = brink_op_operands((brink_op)n->op);
  brink_ref ref;
  if (n->op == BRINK_OP_CONST) return brink_graph_constant(to, n->value);
  if (n->op == BRINK_OP_REF)
    return restrict_ref(s, m, &s->kernel->graph.refs[n->a], &ref) ? brink_graph_ref(to, ref)
                                                                  : BRINK_NO_NODE;
  return brink_graph_op(to, (brink_op)n->op, operands > 0 ? m->image[n->a] : 0,
                        operands > 1 ? m->image[n->b] : 0, operands > 2 ? m->image[n->c] : 0);
}

/* The branch that a decided select takes. */
static brink_node taken(const splitter *s, const member *m, size_t i) {
  const brink_expr_node *n = &s->kernel->graph.nodes[i];
  return m->choice[s->decided[i] - 1] ? n->b : n->c;
}

/* What the outputs need, past the branches that are not taken. */
static void mark_taken(const splitter *s, const member *m, bool *wanted) {
  for (size_t j = 0; j < s->kernel->noutputs; j++) {
    const brink_output *output = &s->kernel->outputs[j];
    wanted[output->node] = true;
    if (output->when != BRINK_NO_NODE) wanted[output->when] = true;
  }
  for (size_t i = s->kernel->graph.nnodes; i-- > 0;) {
    const brink_expr_node *n = &s->kernel->graph.nodes[i];
    int operands = brink_op_operands((brink_op)n->op);
    if (!wanted[i]) continue;
    if (s->decided[i] != 0) {
      wanted[taken(s, m, i)] = true;
      continue;
    }
    if (operands > 0) wanted[n->a] = true;
    if (operands > 1) wanted[n->b] = true;
    if (operands > 2) wanted[n->c] = true;
  }
}

static bool copy_graph(const splitter *s, const member *m, const bool *wanted) {
  for (size_t i = 0; i < s->kernel->graph.nnodes; i++) {
    if (!wanted[i]) continue;
    m->image[i] = s->decided[i] != 0 ? m->image[taken(s, m, i)] : copy_node(s, m, i);
    if (m->image[i] == BRINK_NO_NODE) return false;
  }
  return true;
}

static bool copy_outputs(const splitter *s, const member *m) {
  brink_kernel *kernel = m->kernel;
  size_t count = s->kernel->noutputs;
  kernel->outputs = brink_arena_pack(s->arena, count, sizeof *kernel->outputs);
  if (kernel->outputs == NULL) return false;
  kernel->noutputs = kernel->outputs_capacity = count;
  for (size_t j = 0; j < count; j++) {
    brink_output *output = &kernel->outputs[j];
    *output = s->kernel->outputs[j];
    output->node = m->image[output->node];
    if (output->when != BRINK_NO_NODE) output->when = m->image[output->when];
    if (!restrict_ref(s, m, &s->kernel->outputs[j].target, &output->target)) return false;
  }
  return true;
}

static brink_kernel *make_part(splitter *s, uint32_t set) {
  const brink_kernel *whole = s->kernel;
  size_t nodes = whole->graph.nnodes;
  uint32_t *iteration = brink_arena_pack(&s->scratch, whole->count, sizeof *iteration);
  bool *wanted = brink_arena_pack(&s->scratch, nodes, sizeof *wanted);
  brink_kernel *kernel = brink_arena_pack(s->arena, 1, sizeof *kernel);
  member m = {.iteration = iteration,
              .choice = s->choice + set * s->nconditions,
              .kernel = kernel,
              .image = brink_arena_pack(&s->scratch, nodes, sizeof *m.image)};
  if (s->scratch.failed || kernel == NULL) return NULL;
  for (size_t i = 0; i < whole->count; i++)
    if (s->set[i] == set) iteration[m.count++] = (uint32_t)i;
  *kernel = *whole;
  kernel->count = m.count;
  brink_graph_init(&kernel->graph, s->arena, m.count);
  mark_taken(s, &m, wanted);
  return copy_graph(s, &m, wanted) && copy_outputs(s, &m) ? kernel : NULL;
}

/* ---- all of them ---- */

static bool begin(splitter *s) {
  size_t nodes = s->kernel->graph.nnodes;
  s->needed = brink_arena_pack(&s->scratch, nodes, sizeof *s->needed);
  s->fixed = brink_arena_pack(&s->scratch, nodes, sizeof *s->fixed);
  s->value = brink_arena_pack(&s->scratch, nodes, sizeof *s->value);
  s->decided = brink_arena_pack(&s->scratch, nodes, sizeof *s->decided);
  s->condition = brink_arena_pack(&s->scratch, nodes, sizeof *s->condition);
  s->set = brink_arena_pack(&s->scratch, s->kernel->count, sizeof *s->set);
  if (s->scratch.failed || !mark_needed(s)) return false;
  find_conditions(s);
  s->choice = brink_arena_pack(&s->scratch, (MAX_SETS + 1) * s->nconditions, sizeof *s->choice);
  return s->choice != NULL;
}

bool brink_split_kernel(brink_arena *arena, const double *k, brink_kernel *kernel,
                        brink_program *parts) {
  splitter s = {.arena = arena, .k = k, .kernel = kernel};
  brink_arena_init(&s.scratch, &arena->allocator);
  *parts = (brink_program){.kernels = brink_arena_pack(arena, MAX_SETS, sizeof(brink_kernel *))};
  bool ok = parts->kernels != NULL && begin(&s);
  if (ok && (s.nconditions == 0 || kernel->sequential || !find_sets(&s))) {
    parts->kernels[parts->nkernels++] = kernel;
  } else {
    for (uint32_t set = 0; ok && set < s.sets; set++) {
      parts->kernels[set] = make_part(&s, set);
      ok = parts->kernels[set] != NULL;
      parts->nkernels = set + 1;
    }
  }
  brink_arena_free(&s.scratch);
  return ok;
}
