/* derive_system.c: the sparse Jacobian of dx/dt, and the gradients of guards, as kernels.
 *
 * Problem: values of d(dx_i/dt)/dx_j, by columns, for all elements of all arrays, without ever
 * unrolling an array: the partial derivative of an equation by one of its refs is one expression
 * for all iterations, only the place of its value in the matrix differs.
 * Method: for every equation and every ref to a state, the derivative is one output, a partial. In
 * iteration i it belongs to row i of the target and column i of the ref. All these entries are
 * sorted by column and row (two counting sorts, linear in their number); entries at the same place,
 * because two refs are the same state in some iteration, are one place, and the kernel adds them
 * up. The places of a partial become the map (or the pattern) of its output.
 *
 * Every state has one equation, so no two kernels write to one place. */
#include "expr/system.h"

#include <string.h>

/* Entries of a Jacobian, and nodes to visit for one kernel, beyond which there is none. */
#define ENTRY_LIMIT ((size_t)1 << 24)
#define WORK_LIMIT ((size_t)1 << 30)

static brink_kernel *make_kernel(brink_arena *arena, const brink_kernel *like) {
  brink_kernel *kernel = brink_arena_pack(arena, 1, sizeof *kernel);
  if (kernel == NULL) return NULL;
  *kernel = (brink_kernel){.name = like->name, .where = like->where, .count = like->count};
  brink_graph_init(&kernel->graph, arena, like->count);
  return kernel;
}

static bool add_output(brink_kernel *kernel, brink_node node) {
  if (node == BRINK_NO_NODE) return false;
  uint32_t place = (uint32_t)kernel->noutputs;
  brink_output *output = brink_arena_push(kernel->graph.arena, kernel->outputs, kernel->noutputs,
                                          kernel->outputs_capacity);
  if (output == NULL) return false;
  *output = (brink_output){.target = {.space = BRINK_SPACE_OUT, .base = place},
                           .node = node,
                           .when = BRINK_NO_NODE,
                           .variable = BRINK_NO_NODE};
  return true;
}

/* ---- gradients of guards ---- */

brink_kernel *brink_derive_gradient(brink_arena *arena, const brink_kernel *value, uint32_t **refs,
                                    size_t *nrefs) {
  brink_kernel *kernel = make_kernel(arena, value);
  if (kernel == NULL) return NULL;
  brink_graph *graph = &kernel->graph;
  brink_node node = brink_graph_copy(graph, &value->graph, value->outputs[0].node, NULL, NULL);
  if (node == BRINK_NO_NODE) return NULL;
  size_t count = graph->nrefs;
  *nrefs = 0;
  *refs = brink_arena_pack(arena, count, sizeof **refs);
  if (*refs == NULL) return NULL;
  for (size_t k = 0; k < count; k++) {
    if (graph->refs[k].space != BRINK_SPACE_X) continue;
    (*refs)[(*nrefs)++] = (uint32_t)k;
    if (!add_output(kernel, brink_graph_derivative(graph, node, k))) return NULL;
  }
  return add_output(kernel, brink_graph_derivative(graph, node, BRINK_NONE)) ? kernel : NULL;
}

/* ---- partials: one equation by one ref, in all iterations ---- */

typedef struct partial {
  brink_kernel *kernel;
  size_t output;
  brink_ref row, column;
  size_t first; /* of its entries: one for each iteration */
} partial;

/* What a Jacobian is made of. Arrays are scratch, given back at the end. */
typedef struct builder {
  brink_arena *arena;  /* of the result */
  brink_arena scratch; /* of the partials */
  size_t nx;
  partial *partials;
  size_t npartials, capacity;
  size_t nentries;
  uint32_t *row, *column, *order, *by_row, *place; /* of the entries */
} builder;

static bool add_partial(builder *b, brink_kernel *kernel, brink_node derivative,
                        const brink_ref *row, const brink_ref *column) {
  double value;
  if (brink_graph_is_constant(&kernel->graph, derivative, &value) && value == 0.0) return true;
  if (b->nentries + kernel->count > ENTRY_LIMIT) return false;
  partial *added = brink_arena_push(&b->scratch, b->partials, b->npartials, b->capacity);
  if (added == NULL || !add_output(kernel, derivative)) return false;
  *added = (partial){.kernel = kernel,
                     .output = kernel->noutputs - 1,
                     .row = *row,
                     .column = *column,
                     .first = b->nentries};
  b->nentries += kernel->count;
  return true;
}

/* The values of the outputs, in the graph of the kernel; 0 where they are not written. */
static bool copy_values(brink_kernel *kernel, const brink_kernel *inlined, brink_node *nodes) {
  brink_graph *graph = &kernel->graph;
  for (size_t j = 0; j < inlined->noutputs; j++) nodes[j] = inlined->outputs[j].node;
  if (!brink_graph_copy_all(graph, &inlined->graph, nodes, inlined->noutputs, nodes, NULL, NULL))
    return false;
  for (size_t j = 0; j < inlined->noutputs; j++) {
    brink_node when = inlined->outputs[j].when;
    if (when == BRINK_NO_NODE) continue;
    when = brink_graph_copy(graph, &inlined->graph, when, NULL, NULL);
    nodes[j] = brink_graph_select(graph, when, nodes[j], brink_graph_constant(graph, 0.0));
  }
  return !graph->failed;
}

/* All partials of one kernel; NULL: out of memory, or too large. */
static brink_kernel *derive_kernel(builder *b, const brink_kernel *inlined) {
  size_t count = inlined->noutputs;
  brink_kernel *kernel = make_kernel(b->arena, inlined);
  brink_node *nodes = brink_arena_pack(&b->scratch, 2 * count, sizeof *nodes);
  if (kernel == NULL || nodes == NULL || !copy_values(kernel, inlined, nodes)) return NULL;
  brink_graph *graph = &kernel->graph;
  size_t nrefs = graph->nrefs;
  if (nrefs > 0 && graph->nnodes > WORK_LIMIT / nrefs) return NULL;
  for (size_t k = 0; k < nrefs; k++) {
    brink_ref column = graph->refs[k];
    if (column.space != BRINK_SPACE_X) continue;
    if (!brink_graph_derivatives(graph, nodes, count, k, nodes + count)) return NULL;
    for (size_t j = 0; j < count; j++)
      if (!add_partial(b, kernel, nodes[count + j], &inlined->outputs[j].target, &column))
        return NULL;
  }
  return kernel;
}

/* ---- the pattern ---- */

static bool list_entries(builder *b) {
  size_t n = b->nentries;
  uint32_t *entries = brink_arena_pack(&b->scratch, 5 * n, sizeof *entries);
  if (entries == NULL) return false;
  b->row = entries, b->column = entries + n, b->order = entries + 2 * n;
  b->by_row = entries + 3 * n, b->place = entries + 4 * n;
  for (size_t p = 0; p < b->npartials; p++) {
    const partial *one = &b->partials[p];
    for (size_t i = 0; i < one->kernel->count; i++) {
      size_t row = brink_ref_slot(&one->row, i), column = brink_ref_slot(&one->column, i);
      if (row >= b->nx || column >= b->nx) return false;
      b->row[one->first + i] = (uint32_t)row;
      b->column[one->first + i] = (uint32_t)column;
    }
  }
  return true;
}

/* A stable counting sort: `to` is `from` (NULL: 0, 1, 2, …) ordered by key. */
static void sort_by(const uint32_t *key, size_t n, size_t nkeys, const uint32_t *from,
                    size_t *count, uint32_t *to) {
  memset(count, 0, (nkeys + 1) * sizeof *count);
  for (size_t k = 0; k < n; k++) count[key[k] + 1]++;
  for (size_t k = 0; k < nkeys; k++) count[k + 1] += count[k];
  for (size_t k = 0; k < n; k++) {
    uint32_t entry = from != NULL ? from[k] : (uint32_t)k;
    to[count[key[entry]]++] = entry;
  }
}

/* Places in order of column and row; starts and rows of the matrix. */
static bool find_pattern(builder *b, size_t **starts, size_t **rows) {
  size_t n = b->nentries, nplaces = 0;
  size_t *count = brink_arena_pack(&b->scratch, b->nx + 1, sizeof *count);
  *starts = brink_arena_take(b->arena, b->nx + 1, sizeof **starts);
  *rows = brink_arena_take(b->arena, n, sizeof **rows);
  if (count == NULL || *starts == NULL || *rows == NULL) return false;
  sort_by(b->row, n, b->nx, NULL, count, b->by_row);
  sort_by(b->column, n, b->nx, b->by_row, count, b->order);
  for (size_t k = 0; k < n; k++) {
    uint32_t entry = b->order[k], last = k > 0 ? b->order[k - 1] : 0;
    bool same = k > 0 && b->row[entry] == b->row[last] && b->column[entry] == b->column[last];
    if (!same) {
      (*rows)[nplaces++] = b->row[entry];
      (*starts)[b->column[entry] + 1]++;
    }
    b->place[entry] = (uint32_t)(nplaces - 1);
  }
  for (size_t j = 0; j < b->nx; j++) (*starts)[j + 1] += (*starts)[j];
  return true;
}

/* Kernels with two entries in one place accumulate. by_row holds the kernel that was last in a place. */
static void find_sums(builder *b) {
  uint32_t *user = b->by_row;
  for (size_t k = 0; k < b->nentries; k++) user[k] = UINT32_MAX;
  for (size_t p = 0; p < b->npartials; p++) {
    const partial *one = &b->partials[p];
    for (size_t i = 0; i < one->kernel->count; i++) {
      uint32_t place = b->place[one->first + i];
      if (user[place] != UINT32_MAX) one->kernel->accumulate = true;
      user[place] = (uint32_t)p;
    }
  }
}

/* A pattern with stride 0 would mean the output's position: a single place stays a map. */
static bool set_targets(builder *b) {
  for (size_t p = 0; p < b->npartials; p++) {
    const partial *one = &b->partials[p];
    brink_ref target = {.space = BRINK_SPACE_OUT, .map = b->place + one->first};
    brink_ref simplest = brink_ref_simplest(target, one->kernel->count);
    if (simplest.map == NULL && simplest.stride != 0) {
      target = simplest;
    } else {
      size_t count = one->kernel->count;
      uint32_t *map = brink_arena_pack(b->arena, count, sizeof *map);
      if (map == NULL) return false;
      memcpy(map, target.map, count * sizeof *map);
      target = (brink_ref){.space = BRINK_SPACE_OUT, .base = map[0], .map = map};
    }
    one->kernel->outputs[one->output].target = target;
  }
  return true;
}

/* ---- the Jacobian ---- */

bool brink_derive_jacobian(brink_arena *arena, size_t nx, brink_kernel *const *inlined,
                           size_t count, brink_program *program, size_t **starts, size_t **rows) {
  builder b = {.arena = arena, .nx = nx};
  brink_arena_init(&b.scratch, &arena->allocator);
  *program = (brink_program){.kernels = brink_arena_pack(arena, count, sizeof(brink_kernel *))};
  bool ok = program->kernels != NULL && nx < UINT32_MAX;
  for (size_t k = 0; ok && k < count; k++) {
    brink_kernel *kernel = inlined[k]->count > 0 ? derive_kernel(&b, inlined[k]) : NULL;
    ok = kernel != NULL || inlined[k]->count == 0;
    if (kernel != NULL && kernel->noutputs > 0) program->kernels[program->nkernels++] = kernel;
  }
  ok = ok && list_entries(&b) && find_pattern(&b, starts, rows);
  if (ok) find_sums(&b);
  ok = ok && set_targets(&b);
  brink_arena_free(&b.scratch);
  return ok;
}

static bool append(brink_arena *arena, brink_program *program, size_t *capacity,
                   brink_kernel *const *kernels, size_t count) {
  for (size_t k = 0; k < count; k++) {
    brink_kernel **added = brink_arena_push(arena, program->kernels, program->nkernels, *capacity);
    if (added == NULL) return false;
    *added = kernels[k];
  }
  return true;
}

static bool derive_system(brink_system *system) {
  brink_program inlined = {0};
  size_t capacity = 0;
  for (size_t k = 0; k < system->nequations; k++) {
    const brink_kernel *equation = system->equations[k];
    if (equation->noutputs == 0 || equation->outputs[0].target.space != BRINK_SPACE_DX) continue;
    brink_kernel *whole = brink_inline_kernel(system, equation);
    brink_program parts;
    if (whole == NULL || !brink_split_kernel(&system->arena, system->k, whole, &parts))
      return false;
    if (!append(&system->arena, &inlined, &capacity, parts.kernels, parts.nkernels)) return false;
  }
  return brink_derive_jacobian(&system->arena, system->nx, inlined.kernels, inlined.nkernels,
                               &system->jacobian.program, &system->jacobian.starts,
                               &system->jacobian.rows);
}

bool brink_system_jacobian(brink_system *system, brink_program *program, size_t **starts,
                           size_t **rows) {
  if (!system->jacobian.known) {
    system->jacobian.exists = derive_system(system);
    system->jacobian.known = system->jacobian.exists || !system->arena.failed;
  }
  *program = system->jacobian.program;
  *starts = system->jacobian.starts;
  *rows = system->jacobian.rows;
  return system->jacobian.exists;
}
