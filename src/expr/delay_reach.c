/* delay_reach.c: see delay_reach.h.
 *
 * The equations are a graph: what an equation reads leads to what it computes. Computing x' leads to x by one
 * integration, everything else by none. From every delayed signal the graph is searched, integration by integration. */
#include "expr/delay_reach.h"

#include <string.h>

#define MOST_WORK 5e7     /* edges that are looked at */
#define MOST_DELAYS 4000u /* a byte for every two of them */

/* Nodes: X, then V, then DX, then delayed signals. Edges by where they begin. */
typedef struct net {
  const brink_system *system;
  size_t nnodes, ndelays;
  size_t *starts;
  uint32_t *ends;
} net;

/* The node that a slot is; SIZE_MAX: none. */
static size_t node_of(const net *n, brink_space space, size_t slot) {
  const brink_system *system = n->system;
  size_t first = 2 * system->nx + system->nv;
  switch (space) {
  case BRINK_SPACE_X:
    return slot;
  case BRINK_SPACE_V:
    return system->nx + slot;
  case BRINK_SPACE_DX:
    return system->nx + system->nv + slot;
  case BRINK_SPACE_P:
    for (size_t k = 0; k < system->ndelays; k++) { /* by its first number */
      const brink_delayed *line = &system->delays[k];
      if (slot >= line->slot && slot < line->slot + line->count) return first + (slot - line->slot);
      first += line->count;
    }
    return SIZE_MAX;
  default:
    return SIZE_MAX;
  }
}

/* All edges of an equation: counted, or, if `at` is not NULL, entered. */
static void add_edges(net *n, const brink_kernel *kernel, size_t *at) {
  for (size_t i = 0; i < kernel->count; i++) {
    for (size_t o = 0; o < kernel->noutputs; o++) {
      const brink_ref *target = &kernel->outputs[o].target;
      size_t end = node_of(n, target->space, brink_ref_slot(target, i));
      for (size_t r = 0; end != SIZE_MAX && r < kernel->graph.nrefs; r++) {
        const brink_ref *ref = &kernel->graph.refs[r];
        for (size_t k = 0; k < brink_ref_extent(ref); k++) {
          size_t begin = node_of(n, ref->space, brink_ref_element(ref, i, k));
          if (begin == SIZE_MAX) continue;
          if (at == NULL)
            n->starts[begin + 1]++;
          else
            n->ends[at[begin]++] = (uint32_t)end;
        }
      }
    }
  }
}

static bool make_net(net *n, const brink_system *system, brink_arena *scratch) {
  *n = (net){.system = system};
  for (size_t k = 0; k < system->ndelays; k++) n->ndelays += system->delays[k].count;
  n->nnodes = 2 * system->nx + system->nv + n->ndelays;
  if (n->ndelays > MOST_DELAYS || system->nz > 0) return false;
  n->starts = brink_arena_take(scratch, n->nnodes + 1, sizeof *n->starts);
  size_t *at = brink_arena_take(scratch, n->nnodes + 1, sizeof *at);
  if (scratch->failed) return false;
  for (size_t k = 0; k < system->nequations; k++) add_edges(n, system->equations[k], NULL);
  for (size_t k = 0; k < n->nnodes; k++) n->starts[k + 1] += n->starts[k];
  memcpy(at, n->starts, n->nnodes * sizeof *at);
  if ((double)n->starts[n->nnodes] * (double)n->ndelays > MOST_WORK) return false;
  n->ends = brink_arena_take(scratch, n->starts[n->nnodes], sizeof *n->ends);
  if (n->ends == NULL) return false;
  for (size_t k = 0; k < system->nequations; k++) add_edges(n, system->equations[k], at);
  return true;
}

/* How far every node is from one delayed signal. `queue` has room for all nodes, twice. */
static void search(const net *n, size_t delay, unsigned char *far, uint32_t *queue) {
  const brink_system *system = n->system;
  size_t rates = system->nx + system->nv, first = rates + system->nx, count = 0;
  uint32_t *present = queue, *next = queue + n->nnodes;
  memset(far, BRINK_REACH_NEVER, n->nnodes);
  far[first + delay] = 0;
  present[count++] = (uint32_t)(first + delay);
  for (unsigned char level = 0; level < BRINK_REACH_MOST && count > 0; level++) {
    size_t later = 0;
    while (count > 0) {
      uint32_t node = present[--count];
      bool rate = node >= rates && node < first;
      if (rate && far[node - rates] == BRINK_REACH_NEVER) {
        far[node - rates] = level + 1;
        next[later++] = (uint32_t)(node - rates);
      }
      for (size_t e = n->starts[node]; e < n->starts[node + 1]; e++) {
        if (far[n->ends[e]] != BRINK_REACH_NEVER) continue;
        far[n->ends[e]] = level;
        present[count++] = n->ends[e];
      }
    }
    uint32_t *kept = present;
    present = next;
    next = kept;
    count = later;
  }
}

/* How far a signal is, by what it reads. */
static unsigned char nearest(const net *n, const brink_kernel *signal, size_t iteration,
                             const unsigned char *far) {
  unsigned char least = BRINK_REACH_NEVER;
  if (signal->reads_v) return 0; /* whatever its variables read */
  for (size_t r = 0; r < signal->graph.nrefs; r++) {
    const brink_ref *ref = &signal->graph.refs[r];
    for (size_t k = 0; k < brink_ref_extent(ref); k++) {
      size_t node = node_of(n, ref->space, brink_ref_element(ref, iteration, k));
      if (node != SIZE_MAX && far[node] < least) least = far[node];
    }
  }
  return least;
}

const unsigned char *brink_system_delay_reach(const brink_system *system, brink_arena *arena) {
  net n;
  brink_arena scratch;
  brink_arena_init(&scratch, &arena->allocator);
  unsigned char *reach = NULL;
  bool made = make_net(&n, system, &scratch);
  unsigned char *far = made ? brink_arena_take(&scratch, n.nnodes, 1) : NULL;
  uint32_t *queue = made ? brink_arena_take(&scratch, 2 * n.nnodes, sizeof *queue) : NULL;
  if (made && !scratch.failed) reach = brink_arena_take(arena, n.ndelays * n.ndelays, 1);
  for (size_t j = 0; reach != NULL && j < n.ndelays; j++) {
    search(&n, j, far, queue);
    size_t i = 0;
    for (size_t k = 0; k < system->ndelays; k++) {
      for (size_t e = 0; e < system->delays[k].count; e++, i++)
        reach[i * n.ndelays + j] = nearest(&n, system->delays[k].signal, e, far);
    }
  }
  brink_arena_free(&scratch);
  arena->failed = false; /* it works without */
  return reach;
}
