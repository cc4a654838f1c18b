/* kernels.c: hand-made and random kernels. */
#include "support/kernels.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t kernels_bits(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

double kernels_uniform(uint64_t *state, double lo, double hi) {
  return lo + (hi - lo) * ((double)(kernels_bits(state) >> 11) * 0x1p-53);
}

size_t kernels_below(uint64_t *state, size_t n) {
  return (size_t)(kernels_bits(state) % n);
}

/* ---- memory ---- */

static void point(kernels_memory *m) {
  brink_frame *f = &m->frame;
  f->x = f->to_x = m->x;
  f->p = f->to_p = m->p;
  f->mode = f->to_mode = m->mode;
  f->sgn = m->sgn;
  f->k = m->k;
  f->pre_x = m->pre_x;
  f->pre_p = m->pre_p;
  f->pre_mode = m->pre_mode;
  f->v = m->v;
  f->dx = m->dx;
  f->out = m->out;
}

static void fill_doubles(double *a, size_t n, uint64_t *state) {
  for (size_t i = 0; i < n; i++) {
    a[i] = kernels_uniform(state, -3.0, 3.0);
    if (kernels_below(state, 16) == 0) a[i] = 0.0;
  }
}

static void fill_ints(int *a, size_t n, uint64_t *state) {
  for (size_t i = 0; i < n; i++) a[i] = (int)kernels_below(state, 4);
}

void kernels_fill(kernels_memory *m, uint64_t *state) {
  fill_doubles(m->x, KERNELS_X, state);
  fill_doubles(m->p, KERNELS_P, state);
  fill_doubles(m->k, KERNELS_K, state);
  fill_doubles(m->pre_x, KERNELS_X, state);
  fill_doubles(m->pre_p, KERNELS_P, state);
  fill_doubles(m->v, KERNELS_V, state);
  fill_doubles(m->dx, KERNELS_DX, state);
  fill_doubles(m->out, KERNELS_OUT, state);
  fill_ints(m->mode, KERNELS_MODES, state);
  fill_ints(m->pre_mode, KERNELS_MODES, state);
  for (size_t i = 0; i < KERNELS_SIGNS; i++)
    m->sgn[i] = (signed char)((int)kernels_below(state, 3) - 1);
  m->frame = (brink_frame){.t = kernels_uniform(state, 0.0, 2.0), .seed = kernels_bits(state)};
  point(m);
}

void kernels_copy(kernels_memory *to, const kernels_memory *from) {
  *to = *from;
  point(to);
}

static bool same_doubles(const double *a, const double *b, size_t n, const char *name,
                         char what[KERNELS_WHAT]) {
  for (size_t i = 0; i < n; i++) {
    if (memcmp(&a[i], &b[i], sizeof *a) == 0 || (isnan(a[i]) && isnan(b[i]))) continue;
    snprintf(what, KERNELS_WHAT, "%s[%zu]: %.17g, %.17g", name, i, a[i], b[i]);
    return false;
  }
  return true;
}

bool kernels_same(const kernels_memory *a, const kernels_memory *b, char what[KERNELS_WHAT]) {
  what[0] = '\0';
  for (size_t i = 0; i < KERNELS_MODES; i++) {
    if (a->mode[i] == b->mode[i]) continue;
    snprintf(what, KERNELS_WHAT, "mode[%zu]: %d, %d", i, a->mode[i], b->mode[i]);
    return false;
  }
  return same_doubles(a->x, b->x, KERNELS_X, "x", what) &&
         same_doubles(a->p, b->p, KERNELS_P, "p", what) &&
         same_doubles(a->v, b->v, KERNELS_V, "v", what) &&
         same_doubles(a->dx, b->dx, KERNELS_DX, "dx", what) &&
         same_doubles(a->out, b->out, KERNELS_OUT, "out", what);
}

/* ---- kernels by hand ---- */

brink_kernel *kernels_make(brink_arena *arena, const char *name, size_t count) {
  brink_kernel *kernel = brink_arena_take(arena, 1, sizeof *kernel);
  if (kernel == NULL) abort();
  kernel->name = name;
  kernel->where = "test.hsml:1";
  kernel->count = count;
  brink_graph_init(&kernel->graph, arena, count);
  return kernel;
}

brink_node kernels_ref(brink_kernel *kernel, brink_space space, uint32_t base, int32_t stride) {
  return brink_graph_ref(&kernel->graph,
                         (brink_ref){.space = space, .base = base, .stride = stride});
}

brink_node kernels_mapped(brink_kernel *kernel, brink_space space, const uint32_t *map) {
  return brink_graph_ref(&kernel->graph, (brink_ref){.space = space, .map = map});
}

brink_output *kernels_output(brink_kernel *kernel, brink_space space, uint32_t base, int32_t stride,
                             brink_node node) {
  void *outputs = kernel->outputs;
  if (!brink_arena_grow(kernel->graph.arena, &outputs, kernel->noutputs, &kernel->outputs_capacity,
                        sizeof *kernel->outputs))
    abort();
  kernel->outputs = outputs;
  brink_output *output = &kernel->outputs[kernel->noutputs++];
  *output = (brink_output){.target = {.space = space, .base = base, .stride = stride},
                           .node = node,
                           .when = BRINK_NO_NODE,
                           .variable = BRINK_NO_NODE};
  return output;
}

/* ---- random kernels ---- */

static const size_t readable[BRINK_SPACE_COUNT] = {
    [BRINK_SPACE_X] = KERNELS_X,        [BRINK_SPACE_P] = KERNELS_P,
    [BRINK_SPACE_MODE] = KERNELS_MODES, [BRINK_SPACE_SIGN] = KERNELS_SIGNS,
    [BRINK_SPACE_V] = KERNELS_V / 2,    [BRINK_SPACE_DX] = KERNELS_DX / 2,
    [BRINK_SPACE_K] = KERNELS_K,        [BRINK_SPACE_PRE_X] = KERNELS_X,
    [BRINK_SPACE_PRE_P] = KERNELS_P,    [BRINK_SPACE_PRE_MODE] = KERNELS_MODES,
};

static const uint32_t *random_map(brink_kernel *kernel, uint64_t *state, size_t size) {
  uint32_t *map = brink_arena_pack(kernel->graph.arena, kernel->count, sizeof *map);
  if (map == NULL) abort();
  for (size_t i = 0; i < kernel->count; i++) map[i] = (uint32_t)kernels_below(state, size);
  return map;
}

static brink_node random_ref(brink_kernel *kernel, uint64_t *state) {
  brink_space space = (brink_space)kernels_below(state, BRINK_SPACE_OUT);
  if (kernels_below(state, 2) == 0) space = BRINK_SPACE_X;
  size_t size = readable[space], count = kernel->count;
  if (kernels_below(state, 4) == 0)
    return kernels_mapped(kernel, space, random_map(kernel, state, size));
  int32_t stride = (int32_t)kernels_below(state, 4) - 1;
  if (count > size || (count - 1) * (size_t)abs(stride) >= size) stride = 0;
  size_t reach = (count - 1) * (size_t)abs(stride);
  size_t base = kernels_below(state, size - reach) + (stride < 0 ? reach : 0);
  return kernels_ref(kernel, space, (uint32_t)base, stride);
}

static brink_node random_leaf(brink_kernel *kernel, uint64_t *state) {
  static const double nice[] = {0.0, 1.0, -1.0, 2.0, 0.5, 1e-3, -7.0, 1e10, 3.0};
  switch (kernels_below(state, 6)) {
  case 0:
    return brink_graph_constant(&kernel->graph, kernels_uniform(state, -2.0, 2.0));
  case 1:
    return brink_graph_constant(&kernel->graph, nice[kernels_below(state, 9)]);
  case 2:
    return brink_graph_time(&kernel->graph);
  default:
    return random_ref(kernel, state);
  }
}

static brink_node random_old(brink_kernel *kernel, uint64_t *state) {
  size_t n = kernel->graph.nnodes;
  size_t recent = n < 12 || kernels_below(state, 4) == 0 ? n : 12;
  if (n > 1000 && kernels_below(state, 2) == 0) recent = n;
  return (brink_node)(n - 1 - kernels_below(state, recent));
}

/* An element of an array of held values; the index may be anything, NaN included. */
static brink_node random_lookup(brink_kernel *kernel, uint64_t *state, brink_node index) {
  brink_space space = kernels_below(state, 2) == 0 ? BRINK_SPACE_P : BRINK_SPACE_K;
  brink_ref array = {.space = space, .extent = 4, .step = 1 + (uint32_t)kernels_below(state, 2)};
  size_t room = readable[space] - 3 * array.step;
  array.base = (uint32_t)kernels_below(state, room);
  if (kernels_below(state, 3) == 0) array.map = random_map(kernel, state, room);
  return brink_graph_lookup(&kernel->graph, index, array);
}

static brink_node random_node(brink_kernel *kernel, uint64_t *state) {
  brink_graph *graph = &kernel->graph;
  if (graph->nnodes < 4 || kernels_below(state, 4) == 0) return random_leaf(kernel, state);
  brink_node a = random_old(kernel, state), b = random_old(kernel, state);
  brink_op op = (brink_op)(BRINK_OP_ADD + kernels_below(state, BRINK_OP_COUNT - BRINK_OP_ADD));
  if (kernels_below(state, 3) == 0) op = (brink_op)(BRINK_OP_ADD + kernels_below(state, 3));
  if (op >= BRINK_OP_FIND) op = BRINK_OP_MUL; /* test_external.c, table-*.hsml */
  if (op == BRINK_OP_RANDOM) {                /* never of a NaN, whose bits mean nothing */
    a = kernels_ref(kernel, BRINK_SPACE_P, (uint32_t)kernels_below(state, KERNELS_P), 0);
    b = brink_graph_constant(graph, (double)kernels_below(state, 9));
  }
  if (op == BRINK_OP_LOOKUP) return random_lookup(kernel, state, a);
  if (op == BRINK_OP_SELECT) return brink_graph_select(graph, a, b, random_old(kernel, state));
  if (brink_op_operands(op) == 2) return brink_graph_op2(graph, op, a, b);
  return brink_graph_op1(graph, op, a);
}

/* A target that no other output of the kernel meets (but where it accumulates). */
static void random_output(brink_kernel *kernel, uint64_t *state, kernels_style style, size_t j) {
  size_t count = kernel->count, base = 0;
  brink_space space = BRINK_SPACE_OUT;
  int32_t stride = 0;
  if (style == KERNELS_EQUATION) {
    space = kernels_below(state, 2) == 0 ? BRINK_SPACE_V : BRINK_SPACE_DX;
    size_t half = space == BRINK_SPACE_V ? KERNELS_V / 2 : KERNELS_DX / 2;
    base = half + j * count;
    stride = 1;
    if (kernels_below(state, 4) == 0) {
      base += count - 1;
      stride = -1;
    }
  } else if (style == KERNELS_ACTION) {
    static const brink_space spaces[] = {BRINK_SPACE_X, BRINK_SPACE_P, BRINK_SPACE_MODE};
    space = spaces[kernels_below(state, 3)];
    base = j;
  }
  brink_output *output =
      kernels_output(kernel, space, (uint32_t)base, stride, random_old(kernel, state));
  if (style != KERNELS_VALUE && kernels_below(state, 4) == 0)
    output->when = random_old(kernel, state);
  if (style == KERNELS_EQUATION && kernel->accumulate && kernels_below(state, 2) == 0) {
    uint32_t *map = brink_arena_pack(kernel->graph.arena, count, sizeof *map);
    if (map == NULL) abort();
    for (size_t i = 0; i < count; i++) map[i] = KERNELS_DX / 2 + (uint32_t)kernels_below(state, 7);
    output->target = (brink_ref){.space = BRINK_SPACE_DX, .map = map};
  }
}

brink_kernel *kernels_random(brink_arena *arena, uint64_t *state, kernels_style style, size_t count,
                             size_t size) {
  brink_kernel *kernel = kernels_make(arena, "random", count);
  if (style == KERNELS_EQUATION && count > 1) {
    kernel->sequential = kernels_below(state, 5) == 0;
    kernel->accumulate = !kernel->sequential && kernels_below(state, 4) == 0;
  }
  while (kernel->graph.nnodes < size) random_node(kernel, state);
  size_t noutputs = style == KERNELS_VALUE ? 1 : 1 + kernels_below(state, 5);
  if (size > 1000 && style != KERNELS_VALUE) noutputs = style == KERNELS_EQUATION ? 150 : 16;
  for (size_t j = 0; j < noutputs; j++) random_output(kernel, state, style, j);
  if (kernel->sequential) { /* a chain: each iteration reads what the one before it wrote */
    brink_node before = kernels_ref(kernel, BRINK_SPACE_V, KERNELS_V - 400, 1);
    brink_node sum =
        brink_graph_op2(&kernel->graph, BRINK_OP_ADD, before, random_old(kernel, state));
    kernels_output(kernel, BRINK_SPACE_V, KERNELS_V - 399, 1,
                   brink_graph_op1(&kernel->graph, BRINK_OP_SIN, sum));
  }
  if (kernel->graph.failed) abort();
  return kernel;
}

/* ---- the plain way ---- */

static double read_plainly(const brink_frame *f, const brink_ref *ref, size_t iteration) {
  size_t slot = brink_ref_slot(ref, iteration);
  const double *from[BRINK_SPACE_COUNT] = {
      [BRINK_SPACE_X] = f->x,        [BRINK_SPACE_P] = f->p, [BRINK_SPACE_V] = f->v,
      [BRINK_SPACE_DX] = f->dx,      [BRINK_SPACE_K] = f->k, [BRINK_SPACE_PRE_X] = f->pre_x,
      [BRINK_SPACE_PRE_P] = f->pre_p};
  if (ref->space == BRINK_SPACE_MODE) return f->mode[slot];
  if (ref->space == BRINK_SPACE_PRE_MODE) return f->pre_mode[slot];
  if (ref->space == BRINK_SPACE_SIGN) return f->sgn[slot];
  return from[ref->space][slot];
}

/* From the first element on, as long as the index is that of a later one. */
static double look_up_plainly(const brink_frame *f, const brink_ref *array, size_t iteration,
                              double index) {
  size_t slot = brink_ref_slot(array, iteration);
  for (uint32_t k = 2; k <= array->extent && index >= k; k++) slot += array->step;
  return read_plainly(f, &(brink_ref){.space = array->space, .base = (uint32_t)slot}, 0);
}

static void evaluate_plainly(const brink_graph *g, const brink_frame *f, size_t iteration,
                             double *value) {
  for (size_t n = 0; n < g->nnodes; n++) {
    const brink_expr_node *node = &g->nodes[n];
    if (node->op == BRINK_OP_CONST)
      value[n] = node->value;
    else if (node->op == BRINK_OP_TIME)
      value[n] = f->t;
    else if (node->op == BRINK_OP_REF)
      value[n] = read_plainly(f, &g->refs[node->a], iteration);
    else if (node->op == BRINK_OP_LOOKUP)
      value[n] = look_up_plainly(f, &g->refs[g->nodes[node->b].a], iteration, value[node->a]);
    else if (node->op == BRINK_OP_RANDOM)
      value[n] = brink_random(f->seed, value[node->a], value[node->b]);
    else
      value[n] = brink_op_apply((brink_op)node->op, value[node->a], value[node->b], value[node->c]);
  }
}

static void write_plainly(const brink_kernel *kernel, const brink_frame *f, size_t j,
                          size_t iteration, double value, bool clear) {
  const brink_ref *target = &kernel->outputs[j].target;
  size_t slot = brink_ref_slot(target, iteration);
  if (target->space == BRINK_SPACE_OUT && target->map == NULL && target->stride == 0) slot = j;
  double *to[BRINK_SPACE_COUNT] = {[BRINK_SPACE_X] = f->to_x,
                                   [BRINK_SPACE_P] = f->to_p,
                                   [BRINK_SPACE_V] = f->v,
                                   [BRINK_SPACE_DX] = f->dx,
                                   [BRINK_SPACE_OUT] = f->out};
  if (target->space == BRINK_SPACE_MODE)
    f->to_mode[slot] = value > -2147483649.0 && value < 2147483648.0 ? (int)value : INT_MIN;
  else if (kernel->accumulate && !clear)
    to[target->space][slot] += value;
  else
    to[target->space][slot] = value;
}

void kernels_run_plainly(const brink_kernel *kernel, const brink_frame *frame, size_t first,
                         size_t count) {
  double *value = calloc(kernel->graph.nnodes, sizeof *value);
  if (value == NULL) abort();
  for (size_t i = first; kernel->accumulate && i < first + count; i++) {
    for (size_t j = 0; j < kernel->noutputs; j++) write_plainly(kernel, frame, j, i, 0.0, true);
  }
  for (size_t i = first; i < first + count; i++) {
    evaluate_plainly(&kernel->graph, frame, i, value);
    for (size_t j = 0; j < kernel->noutputs; j++) {
      const brink_output *output = &kernel->outputs[j];
      if (output->when != BRINK_NO_NODE && value[output->when] == 0.0) continue;
      write_plainly(kernel, frame, j, i, value[output->node], false);
    }
  }
  free(value);
}

/* ---- systems ---- */

void kernels_system(brink_system *system, const brink_allocator *allocator) {
  *system = (brink_system){.name = "Test",
                           .nx = KERNELS_X,
                           .np = KERNELS_P,
                           .nmodes = KERNELS_MODES,
                           .nv = KERNELS_V,
                           .nk = KERNELS_K,
                           .nguards = KERNELS_SIGNS};
  brink_arena_init(&system->arena, allocator);
}

void kernels_add_to(brink_program *program, brink_arena *arena, brink_kernel *kernel) {
  brink_kernel **kernels = brink_arena_pack(arena, program->nkernels + 1, sizeof *kernels);
  if (kernels == NULL) abort();
  if (program->nkernels > 0) memcpy(kernels, program->kernels, program->nkernels * sizeof *kernels);
  kernels[program->nkernels++] = kernel;
  program->kernels = kernels;
}
