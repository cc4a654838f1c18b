/* structure_expand.c: the equations of one structure, element by element, written out in one graph.
 *
 * Constraints and derivatives of states read variables, which equations compute. Here each scalar of them is an
 * expression of time, X, P, modes and signs alone, made when it is asked for: of a hundred thousand states a few may
 * matter. Modes and signs that choose the structure, and constants of the model, are numbers, so that what they select
 * is decided here. Chains of variables may be long: slots wait in a list of their own, not on the stack of calls. */
#include "expr/structure_parts.h"

#include <stdlib.h>
#include <string.h>

#define BUSY (BRINK_NO_NODE - 1)

bool structure_push(brink_arena *arena, structure_list *list, uint32_t item) {
  uint32_t *added = brink_arena_push(arena, list->items, list->count, list->capacity);
  if (added != NULL) *added = item;
  return added != NULL;
}

static int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

void structure_sort(structure_list *list) {
  if (list->count > 1) qsort(list->items, list->count, sizeof *list->items, compare);
}

/* ---- writing out ---- */

typedef struct place {
  structure_scalars *s;
  size_t iteration;
} place;

static brink_node give_up(structure_scalars *s) {
  s->odd = true;
  return BRINK_NO_NODE;
}

static brink_node key_or_ref(structure_scalars *s, brink_graph *to, brink_space space,
                             uint32_t slot) {
  const brink_structure_set *set = s->set;
  bool mode = space == BRINK_SPACE_MODE;
  uint32_t key = mode ? set->mode_key[slot] : set->sign_key[slot];
  if (key == BRINK_NO_INDEX) return brink_graph_ref(to, (brink_ref){.space = space, .base = slot});
  s->reads[mode ? key : set->nkey_modes + key] = true;
  return brink_graph_constant(to, mode ? (double)s->mode[key] : (double)s->sgn[key]);
}

static brink_node substitute(brink_graph *to, const brink_graph *from, uint32_t ref, void *user) {
  const place *at = user;
  structure_scalars *s = at->s;
  const brink_ref *r = &from->refs[ref];
  uint32_t slot = (uint32_t)brink_ref_slot(r, at->iteration);
  if (r->extent > 1) /* an array that is looked up stays one */
    return brink_graph_ref(
        to, (brink_ref){.space = r->space, .base = slot, .extent = r->extent, .step = r->step});
  switch ((int)r->space) {
  case BRINK_SPACE_X:
  case BRINK_SPACE_P:
    return brink_graph_ref(to, (brink_ref){.space = r->space, .base = slot});
  case BRINK_SPACE_MODE:
  case BRINK_SPACE_SIGN:
    return key_or_ref(s, to, r->space, slot);
  case BRINK_SPACE_K:
    return brink_graph_constant(to, s->system->k[slot]);
  case BRINK_SPACE_V:
    return s->node[0][slot];
  case BRINK_SPACE_DX:
    return s->node[1][slot];
  default: /* values before an event mean nothing between events */
    return give_up(s);
  }
}

/* Slots of V and DX are one list: V first. */
static bool wait_for(structure_scalars *s, const brink_kernel *kernel, const bool *needed,
                     size_t iteration) {
  for (size_t r = 0; r < kernel->graph.nrefs; r++) {
    const brink_ref *ref = &kernel->graph.refs[r];
    bool dx = ref->space == BRINK_SPACE_DX;
    if (!needed[r] || (ref->space != BRINK_SPACE_V && !dx)) continue;
    size_t slot = brink_ref_slot(ref, iteration);
    if (s->node[dx][slot] == BUSY) s->odd = true; /* a loop */
    if (s->odd) return false;
    if (s->node[dx][slot] != BRINK_NO_NODE) continue;
    if (!structure_push(s->scratch, &s->waiting, (uint32_t)(slot + (dx ? s->system->nv : 0))))
      return false;
  }
  return true;
}

static const bool *needed_refs(structure_scalars *s, const brink_kernel *kernel) {
  bool *needed = brink_arena_pack(s->scratch, kernel->graph.nrefs + 1, sizeof *needed);
  if (needed != NULL && !brink_graph_mark_refs(&kernel->graph, kernel->outputs[0].node, needed)) {
    s->scratch->failed = true;
    return NULL;
  }
  return needed;
}

static brink_node copy(structure_scalars *s, const brink_kernel *kernel, size_t iteration) {
  place at = {.s = s, .iteration = iteration};
  return brink_graph_copy(&s->graph, &kernel->graph, kernel->outputs[0].node, substitute, &at);
}

/* The last slot that waits: made if all that it reads is there, else that is waited for first. */
static bool settle_last(structure_scalars *s) {
  size_t item = s->waiting.items[s->waiting.count - 1];
  int dx = item >= s->system->nv;
  size_t slot = dx ? item - s->system->nv : item;
  brink_node *node = &s->node[dx][slot];
  if (*node != BRINK_NO_NODE && *node != BUSY) {
    s->waiting.count--;
    return true;
  }
  uint32_t e = s->system->writers.equation[dx][slot];
  if (e == BRINK_NO_INDEX) { /* a state that nothing moves */
    if (!dx) return give_up(s) != BRINK_NO_NODE;
    *node = brink_graph_constant(&s->graph, 0.0);
    return *node != BRINK_NO_NODE;
  }
  const brink_kernel *kernel = s->system->equations[e];
  if (kernel->accumulate || kernel->sequential) s->odd = true;
  if (s->needed[e] == NULL) s->needed[e] = (bool *)needed_refs(s, kernel);
  if (s->odd || s->needed[e] == NULL) return false;
  size_t before = s->waiting.count;
  uint32_t iteration = s->system->writers.iteration[dx][slot];
  brink_node was = *node;
  *node = BUSY;
  if (!wait_for(s, kernel, s->needed[e], iteration)) return false;
  if (s->waiting.count > before) return was != BUSY; /* the second time all is there */
  *node = copy(s, kernel, iteration);
  return *node != BRINK_NO_NODE;
}

static bool settle(structure_scalars *s) {
  while (s->waiting.count > 0)
    if (s->odd || s->graph.failed || s->scratch->failed || !settle_last(s)) return false;
  return true;
}

brink_node structure_residual(structure_scalars *s, uint32_t constraint, uint32_t iteration) {
  const brink_kernel *kernel = s->system->constraints[constraint].residual;
  const bool *needed = needed_refs(s, kernel);
  if (needed == NULL || !wait_for(s, kernel, needed, iteration) || !settle(s)) return BRINK_NO_NODE;
  return copy(s, kernel, iteration);
}

brink_node structure_flow(structure_scalars *s, uint32_t state) {
  if (s->node[1][state] == BRINK_NO_NODE) {
    uint32_t item = (uint32_t)(s->system->nv + state);
    if (!structure_push(s->scratch, &s->waiting, item) || !settle(s)) return BRINK_NO_NODE;
  }
  return s->node[1][state];
}

/* ---- motion ---- */

static uint32_t add_unknown(structure_scalars *s, brink_structure_unknown unknown) {
  uint32_t number = (uint32_t)s->nunknowns;
  brink_structure_unknown *added =
      brink_arena_push(s->scratch, s->unknowns, s->nunknowns, s->unknowns_capacity);
  uint32_t *next = brink_arena_push(s->scratch, s->next, s->next_count, s->next_capacity);
  if (added == NULL || next == NULL) return BRINK_NO_INDEX;
  *added = unknown;
  *next = BRINK_NO_INDEX;
  return number;
}

uint32_t structure_raise(structure_scalars *s, uint32_t unknown) {
  if (s->next[unknown] != BRINK_NO_INDEX) return s->next[unknown];
  brink_structure_unknown of = s->unknowns[unknown];
  of.order++;
  uint32_t number = add_unknown(s, of);
  s->next[unknown] = number;
  return number;
}

uint32_t structure_open(structure_scalars *s, uint32_t state) {
  return add_unknown(s, (brink_structure_unknown){.of = state, .order = 1});
}

static brink_node tangent(brink_graph *graph, uint32_t ref, void *user) {
  structure_scalars *s = user;
  brink_ref r = graph->refs[ref];
  if (r.space != BRINK_SPACE_X) return BRINK_NO_NODE;
  size_t nstates = s->set->nstates;
  brink_node node;
  if (r.base < nstates && s->open[r.base] == BRINK_NO_INDEX) {
    node = structure_flow(s, r.base);
  } else {
    uint32_t next =
        r.base < nstates ? s->open[r.base] : structure_raise(s, (uint32_t)(r.base - nstates));
    if (next == BRINK_NO_INDEX) return BRINK_NO_NODE;
    node = brink_graph_ref(graph,
                           (brink_ref){.space = BRINK_SPACE_X, .base = (uint32_t)nstates + next});
  }
  if (node == BRINK_NO_NODE) graph->failed = true;
  return node;
}

/* ---- walks ---- */

static bool next_walk(structure_scalars *s) {
  while (s->nstamps < s->graph.nnodes)
    if (brink_arena_push(s->scratch, s->stamp, s->nstamps, s->stamps_capacity) == NULL)
      return false;
  while (s->nslot_stamps < s->set->nstates + s->nunknowns)
    if (brink_arena_push(s->scratch, s->slot_stamp, s->nslot_stamps, s->slot_stamps_capacity) ==
        NULL)
      return false;
  s->now++;
  s->stack.count = 0;
  return true;
}

static bool visit(structure_scalars *s, brink_node node) {
  if (s->stamp[node] == s->now) return true;
  s->stamp[node] = s->now;
  return structure_push(s->scratch, &s->stack, node);
}

static bool walk(structure_scalars *s, brink_node node, structure_list *slots,
                 structure_list *part) {
  if (!next_walk(s) || !visit(s, node)) return false;
  while (s->stack.count > 0) {
    brink_node top = s->stack.items[--s->stack.count], operand[3];
    if (part != NULL && !structure_push(s->scratch, part, top)) return false;
    const brink_expr_node *n = &s->graph.nodes[top];
    if (slots != NULL && n->op == BRINK_OP_REF && s->graph.refs[n->a].space == BRINK_SPACE_X) {
      uint32_t slot = s->graph.refs[n->a].base;
      if (s->slot_stamp[slot] != s->now && !structure_push(s->scratch, slots, slot)) return false;
      s->slot_stamp[slot] = s->now;
    }
    int count = brink_graph_smooth_operands(&s->graph, top, operand);
    for (int k = 0; k < count; k++)
      if (!visit(s, operand[k])) return false;
  }
  return true;
}

bool structure_reads(structure_scalars *s, brink_node node, structure_list *slots) {
  return walk(s, node, slots, NULL);
}

bool structure_part(structure_scalars *s, brink_node node, structure_list *part) {
  part->count = 0;
  bool ok = walk(s, node, NULL, part);
  if (ok) structure_sort(part);
  return ok;
}

/* ---- the beginning ---- */

bool structure_begin(structure_scalars *s, brink_system *system, const brink_structure_set *set,
                     const int *mode, const signed char *sgn, brink_arena *scratch) {
  *s = (structure_scalars){
      .system = system, .set = set, .mode = mode, .sgn = sgn, .scratch = scratch};
  brink_graph_init(&s->graph, scratch, 1);
  s->total = (brink_total){.graph = &s->graph, .scratch = scratch, .tangent = tangent, .user = s};
  s->reads = brink_arena_pack(scratch, set->nkey_modes + set->nkey_signs, sizeof *s->reads);
  s->needed = brink_arena_pack(scratch, system->nequations, sizeof *s->needed);
  size_t sizes[2] = {system->nv, system->nx};
  for (int k = 0; k < 2; k++) s->node[k] = brink_arena_pack(scratch, sizes[k], sizeof *s->node[k]);
  s->open = brink_arena_pack(scratch, set->nstates, sizeof *s->open);
  for (size_t j = 0; j < set->declared && !scratch->failed; j++)
    add_unknown(s, (brink_structure_unknown){.of = (uint32_t)(set->nstates + j)});
  if (scratch->failed) return false;
  for (int k = 0; k < 2; k++)
    if (sizes[k] > 0) memset(s->node[k], 0xff, sizes[k] * sizeof *s->node[k]);
  if (set->nstates > 0) memset(s->open, 0xff, set->nstates * sizeof *s->open);
  return true;
}
