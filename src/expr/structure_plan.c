/* structure_plan.c: the equations of a structure in order of solution, and their derivatives.
 *
 * From the constraints with their derivatives (orders 0 … c_i) and the unknowns with theirs (0 … d_j): equations that
 * determine unknowns, g, are matched to them; those that are left tie states, h. As d_j - c_i is at least the order of
 * z_j in constraint i, derivative c_i - m of constraint i and derivative d_j - m of its unknown are a pair for every m,
 * if they are for m = 0, with the same partial derivative (Griewank's lemma in Pryce 2001). g falls into blocks, strong
 * components, that come out in order of solution (Tarjan 1972).
 *
 * The Jacobian is sparse and a row may be a sum over thousands of states: each term of a sum is derived by itself, by
 * the states that it reads. */
#include "expr/structure_parts.h"

#include <string.h>

/* ---- rows ---- */

/* All rows of the constraints, and what they read. */
typedef struct rows {
  structure_analysis *a;
  brink_structure_row *row;
  brink_node *node;
  uint32_t *equation;    /* of each row */
  structure_list *reads; /* slots of X */
  structure_list *finds; /* unknowns: numbers */
  size_t count, *first;  /* first: of each equation, its row of order 0 */
  structure_matching m;  /* of rows and unknowns */
  uint32_t *order;       /* rows of g, in order of solution, then of h */
  size_t *block, nblocks, ng;
} rows;

static bool list_rows(rows *r) {
  structure_analysis *a = r->a;
  brink_arena *arena = &a->scratch;
  r->first = brink_arena_pack(arena, a->nequations + 1, sizeof *r->first);
  if (r->first == NULL) return false;
  for (size_t i = 0; i < a->nequations; i++)
    r->first[i + 1] = r->first[i] + (size_t)a->equations[i].order + 1;
  r->count = r->first[a->nequations];
  r->row = brink_arena_pack(arena, r->count, sizeof *r->row);
  r->node = brink_arena_pack(arena, r->count, sizeof *r->node);
  r->equation = brink_arena_pack(arena, r->count, sizeof *r->equation);
  r->reads = brink_arena_pack(arena, r->count, sizeof *r->reads);
  r->finds = brink_arena_pack(arena, r->count, sizeof *r->finds);
  r->order = brink_arena_pack(arena, r->count, sizeof *r->order);
  r->block = brink_arena_pack(arena, r->count + 1, sizeof *r->block);
  if (arena->failed) return false;
  size_t nstates = a->s.set->nstates;
  for (size_t i = 0; i < a->nequations; i++) {
    const structure_equation *e = &a->equations[i];
    for (int k = 0; k <= e->order; k++) {
      size_t n = r->first[i] + (size_t)k;
      bool state = e->constraint == BRINK_NO_INDEX;
      r->row[n] = (brink_structure_row){.kind = state ? BRINK_ROW_STATE : BRINK_ROW_CONSTRAINT,
                                        .constraint = e->constraint,
                                        .iteration = e->iteration,
                                        .slot = state ? e->state : BRINK_NO_INDEX,
                                        .order = k};
      r->node[n] = e->node[k];
      r->equation[n] = (uint32_t)i;
      if (!structure_reads(&a->s, e->node[k], &r->reads[n])) return false;
      structure_sort(&r->reads[n]);
      for (size_t l = 0; l < r->reads[n].count; l++) {
        uint32_t slot = r->reads[n].items[l];
        if (slot >= nstates && !structure_push(arena, &r->finds[n], slot - (uint32_t)nstates))
          return false;
      }
    }
  }
  return true;
}

static const structure_list *row_finds(void *user, uint32_t row) {
  return &((rows *)user)->finds[row];
}

static bool finds(const rows *r, size_t row, uint32_t unknown) {
  for (size_t k = 0; k < r->finds[row].count; k++)
    if (r->finds[row].items[k] == unknown) return true;
  return false;
}

/* Pairs as the analysis found them: order c - m of a constraint and order d - m of its unknown. */
static void match_pairs(rows *r) {
  const structure_scalars *s = &r->a->s;
  uint32_t *lower = r->m.from; /* of each unknown: the one it is the derivative of */
  for (size_t j = 0; j < s->nunknowns; j++) lower[j] = BRINK_NO_INDEX;
  for (size_t j = 0; j < s->nunknowns; j++)
    if (s->next[j] != BRINK_NO_INDEX) lower[s->next[j]] = (uint32_t)j;
  for (size_t i = 0; i < r->a->nequations; i++) {
    uint32_t j = r->a->equations[i].unknown;
    for (size_t n = r->first[i + 1]; n-- > r->first[i] && j != BRINK_NO_INDEX;) {
      if (finds(r, n, j)) {
        r->m.column_of[n] = j;
        r->m.row_of[j] = (uint32_t)n;
      }
      j = lower[j];
    }
  }
}

static bool report_unmatched(rows *r, uint32_t unknown) {
  brink_structure_fault *fault = r->a->fault;
  brink_arena *arena = &r->a->s.system->arena;
  structure_list slots = {0};
  if (!structure_push(arena, &slots, r->a->s.unknowns[unknown].of)) return false;
  fault->kind = BRINK_FAULT_SINGULAR;
  fault->undetermined = slots.items;
  fault->nundetermined = 1;
  return false;
}

/* Every unknown gets a row; highest orders are asked first. */
static bool match_rows(rows *r) {
  const structure_scalars *s = &r->a->s;
  r->m = (structure_matching){.reads = row_finds, .user = r};
  if (!structure_matching_begin(&r->m, &r->a->scratch, r->count, s->nunknowns)) return false;
  match_pairs(r);
  size_t missing = 0;
  for (size_t j = 0; j < s->nunknowns; j++) missing += r->m.row_of[j] == BRINK_NO_INDEX;
  for (int order = STRUCTURE_ORDERS; missing > 0 && order >= 0; order--)
    for (size_t n = 0; missing > 0 && n < r->count; n++) {
      if (r->row[n].order != order || r->m.column_of[n] != BRINK_NO_INDEX) continue;
      if (structure_augment(&r->m, (uint32_t)n)) missing--;
      if (r->m.failed) return false;
    }
  for (size_t j = 0; j < s->nunknowns; j++)
    if (r->m.row_of[j] == BRINK_NO_INDEX) return report_unmatched(r, (uint32_t)j);
  return true;
}

/* ---- blocks ---- */

/* Tarjan's depth-first search without calls: row n leads to the rows that find what it reads. */
typedef struct tarjan {
  rows *r;
  uint32_t *number, *low; /* 0: not seen */
  size_t *at;             /* how many of its unknowns were followed */
  bool *open;
  structure_list calls, path;
  uint32_t numbers;
} tarjan;

static bool enter(tarjan *t, uint32_t n) {
  t->number[n] = t->low[n] = ++t->numbers;
  t->open[n] = true;
  return structure_push(&t->r->a->scratch, &t->calls, n) &&
         structure_push(&t->r->a->scratch, &t->path, n);
}

/* The component that begins with row n. */
static void close_block(tarjan *t, uint32_t n) {
  rows *r = t->r;
  size_t first = r->ng;
  uint32_t other;
  do {
    other = t->path.items[--t->path.count];
    t->open[other] = false;
    r->order[r->ng++] = other;
  } while (other != n);
  structure_list block = {.items = r->order + first, .count = r->ng - first};
  structure_sort(&block);
  r->block[++r->nblocks] = r->ng;
}

static bool follow(tarjan *t, uint32_t root) {
  const rows *r = t->r;
  if (!enter(t, root)) return false;
  while (t->calls.count > 0) {
    uint32_t n = t->calls.items[t->calls.count - 1];
    const structure_list *read = &r->finds[n];
    if (t->at[n] < read->count) {
      uint32_t other = r->m.row_of[read->items[t->at[n]++]];
      if (t->number[other] == 0) {
        if (!enter(t, other)) return false;
      } else if (t->open[other] && t->number[other] < t->low[n]) {
        t->low[n] = t->number[other];
      }
      continue;
    }
    t->calls.count--;
    if (t->calls.count > 0) {
      uint32_t caller = t->calls.items[t->calls.count - 1];
      if (t->low[n] < t->low[caller]) t->low[caller] = t->low[n];
    }
    if (t->low[n] == t->number[n]) close_block(t, n);
  }
  return true;
}

static bool find_blocks(rows *r) {
  brink_arena *arena = &r->a->scratch;
  tarjan t = {.r = r};
  t.number = brink_arena_pack(arena, r->count, sizeof *t.number);
  t.low = brink_arena_pack(arena, r->count, sizeof *t.low);
  t.at = brink_arena_pack(arena, r->count, sizeof *t.at);
  t.open = brink_arena_pack(arena, r->count, sizeof *t.open);
  if (arena->failed) return false;
  for (uint32_t n = 0; n < r->count; n++)
    if (r->m.column_of[n] != BRINK_NO_INDEX && t.number[n] == 0 && !follow(&t, n)) return false;
  size_t h = r->ng;
  for (uint32_t n = 0; n < r->count; n++)
    if (r->m.column_of[n] == BRINK_NO_INDEX) r->order[h++] = n;
  return true;
}

/* ---- states that are tied ---- */

typedef struct ties {
  rows *r;
  uint32_t *parent; /* of each state */
  bool *tied;
  uint32_t *seen; /* of each row: by which row of h */
  structure_list stack;
} ties;

static uint32_t root_of(ties *t, uint32_t state) {
  while (t->parent[state] != state) state = t->parent[state] = t->parent[t->parent[state]];
  return state;
}

/* All states on which row n of h depends, through unknowns as well. */
static bool tie(ties *t, uint32_t n) {
  rows *r = t->r;
  size_t nstates = r->a->s.set->nstates;
  uint32_t first = BRINK_NO_INDEX;
  t->stack.count = 0;
  if (!structure_push(&r->a->scratch, &t->stack, n)) return false;
  t->seen[n] = n + 1;
  while (t->stack.count > 0) {
    const structure_list *reads = &r->reads[t->stack.items[--t->stack.count]];
    for (size_t k = 0; k < reads->count; k++) {
      uint32_t slot = reads->items[k];
      if (slot < nstates) {
        t->tied[slot] = true;
        if (first == BRINK_NO_INDEX) first = slot;
        t->parent[root_of(t, slot)] = root_of(t, first);
        continue;
      }
      uint32_t by = r->m.row_of[slot - nstates];
      if (t->seen[by] == n + 1) continue;
      t->seen[by] = n + 1;
      if (!structure_push(&r->a->scratch, &t->stack, by)) return false;
    }
  }
  return true;
}

static bool list_groups(ties *t, brink_structure_plan *plan) {
  rows *r = t->r;
  brink_arena *arena = &r->a->s.system->arena;
  size_t nstates = r->a->s.set->nstates, count = 0;
  uint32_t *group = brink_arena_pack(&r->a->scratch, nstates, sizeof *group);
  if (group == NULL) return false;
  for (uint32_t j = 0; j < nstates; j++) {
    if (!t->tied[j]) continue;
    count++;
    uint32_t root = root_of(t, j);
    if (group[root] == 0) group[root] = (uint32_t)++plan->ngroups; /* by their first states */
  }
  plan->tied = brink_arena_pack(arena, count, sizeof *plan->tied);
  plan->group = brink_arena_pack(arena, plan->ngroups + 2, sizeof *plan->group);
  if (plan->tied == NULL || plan->group == NULL) return false;
  for (uint32_t j = 0; j < nstates; j++)
    if (t->tied[j]) plan->group[group[root_of(t, j)] + 1]++;
  for (size_t k = 1; k < plan->ngroups + 2; k++) plan->group[k] += plan->group[k - 1];
  for (uint32_t j = 0; j < nstates; j++)
    if (t->tied[j]) plan->tied[plan->group[group[root_of(t, j)]]++] = j;
  return true;
}

static bool find_ties(rows *r, brink_structure_plan *plan) {
  size_t nstates = r->a->s.set->nstates;
  brink_arena *arena = &r->a->scratch;
  ties t = {.r = r};
  t.parent = brink_arena_pack(arena, nstates, sizeof *t.parent);
  t.tied = brink_arena_pack(arena, nstates, sizeof *t.tied);
  t.seen = brink_arena_pack(arena, r->count, sizeof *t.seen);
  if (arena->failed) return false;
  for (uint32_t j = 0; j < nstates; j++) t.parent[j] = j;
  for (size_t k = r->ng; k < r->count; k++)
    if (!tie(&t, r->order[k])) return false;
  return list_groups(&t, plan);
}

/* ---- the Jacobian ---- */

/* Partial derivatives of one row, by slot; the last slot is time. */
typedef struct partials {
  rows *r;
  brink_node *sum; /* of each column */
  structure_list columns;
  brink_node *d; /* of each node of the graph, for brink_graph_partial */
  size_t nd, d_capacity;
  structure_list terms; /* node, then whether it is subtracted */
  structure_list part;
} partials;

static bool add_partial(partials *p, uint32_t column, brink_node node, bool negative) {
  brink_graph *graph = &p->r->a->s.graph;
  brink_node *sum = &p->sum[column];
  if (*sum == BRINK_NO_NODE) {
    *sum = negative ? brink_graph_op1(graph, BRINK_OP_NEG, node) : node;
    return structure_push(&p->r->a->scratch, &p->columns, column) && *sum != BRINK_NO_NODE;
  }
  *sum = brink_graph_op2(graph, negative ? BRINK_OP_SUB : BRINK_OP_ADD, *sum, node);
  return *sum != BRINK_NO_NODE;
}

static bool derive_term(partials *p, brink_node node, bool negative, uint32_t time) {
  structure_scalars *s = &p->r->a->s;
  if (!structure_part(s, node, &p->part)) return false;
  while (p->nd < s->graph.nnodes) {
    brink_node *d = brink_arena_push(s->scratch, p->d, p->nd, p->d_capacity);
    if (d == NULL) return false;
    *d = BRINK_NO_NODE;
  }
  for (size_t k = 0; k < p->part.count; k++) {
    const brink_expr_node *n = &s->graph.nodes[p->part.items[k]];
    uint32_t column = time;
    if (n->op == BRINK_OP_REF) {
      const brink_ref *ref = &s->graph.refs[n->a];
      if (ref->space != BRINK_SPACE_X) continue;
      column = ref->base;
    } else if (n->op != BRINK_OP_TIME) {
      continue;
    }
    brink_node d = brink_graph_partial(&s->graph, p->part.items, p->part.count, k, p->d);
    if (s->graph.failed) return false;
    if (d != BRINK_NO_NODE && !add_partial(p, column, d, negative)) return false;
  }
  return true;
}

/* The terms of a sum, each with its sign; a sum whose parts are shared many times over is not followed to its end. */
static bool derive_terms(partials *p, brink_node node, uint32_t time) {
  const brink_graph *graph = &p->r->a->s.graph;
  brink_arena *arena = &p->r->a->scratch;
  size_t left = 2 * graph->nnodes;
  p->terms.count = 0;
  bool ok = structure_push(arena, &p->terms, node) && structure_push(arena, &p->terms, 0);
  while (ok && p->terms.count > 0) {
    bool negative = p->terms.items[--p->terms.count] != 0;
    brink_node top = p->terms.items[--p->terms.count];
    brink_expr_node n = graph->nodes[top];
    bool sum = n.op == BRINK_OP_ADD || n.op == BRINK_OP_SUB;
    if (left < 2 || (!sum && n.op != BRINK_OP_NEG)) {
      ok = derive_term(p, top, negative, time);
      continue;
    }
    left -= 2;
    bool other = n.op == BRINK_OP_ADD ? negative : !negative;
    if (sum) ok = structure_push(arena, &p->terms, n.b) && structure_push(arena, &p->terms, other);
    ok = ok && structure_push(arena, &p->terms, n.a) &&
         structure_push(arena, &p->terms, sum ? negative : other);
  }
  return ok;
}

static bool derive_row(partials *p, size_t row, brink_node node, structure_draft *draft) {
  structure_analysis *a = p->r->a;
  uint32_t time = (uint32_t)(a->s.set->nstates + a->s.nunknowns);
  p->columns.count = 0;
  if (!derive_terms(p, node, time)) return false;
  structure_sort(&p->columns);
  for (size_t k = 0; k < p->columns.count; k++) {
    uint32_t column = p->columns.items[k];
    brink_node sum = p->sum[column];
    double value;
    p->sum[column] = BRINK_NO_NODE;
    if (brink_graph_is_constant(&a->s.graph, sum, &value) && value == 0.0) continue;
    structure_entry *entry = brink_arena_push(&a->s.system->arena, draft->entries, draft->nentries,
                                              draft->entries_capacity);
    if (entry == NULL) return false;
    *entry = (structure_entry){
        .row = (uint32_t)row, .column = column == time ? BRINK_NO_INDEX : column, .node = sum};
  }
  return true;
}

/* A kernel of one iteration with these nodes; `copies` receives them. */
static brink_kernel *make_kernel(structure_analysis *a, const char *name, const brink_node *nodes,
                                 size_t count, brink_node *copies) {
  brink_kernel *kernel = brink_arena_pack(&a->s.system->arena, 1, sizeof *kernel);
  if (kernel == NULL) return NULL;
  *kernel = (brink_kernel){.name = name, .where = "", .count = 1};
  brink_graph_init(&kernel->graph, &a->s.system->arena, 1);
  if (count == 0) return kernel;
  if (brink_graph_copy_all(&kernel->graph, &a->s.graph, nodes, count, copies, NULL, NULL))
    return kernel;
  a->scratch.failed = a->scratch.failed || kernel->graph.nnodes < BRINK_GRAPH_LIMIT;
  return NULL;
}

static bool derive_rows(rows *r, structure_draft *draft) {
  structure_analysis *a = r->a;
  size_t columns = a->s.set->nstates + a->s.nunknowns + 1;
  partials p = {.r = r};
  p.sum = brink_arena_pack(&a->scratch, columns, sizeof *p.sum);
  if (p.sum == NULL) return false;
  memset(p.sum, 0xff, columns * sizeof *p.sum);
  for (size_t k = 0; k < r->count; k++)
    if (!derive_row(&p, k, r->node[r->order[k]], draft)) return false;
  brink_node *nodes = brink_arena_pack(&a->scratch, draft->nentries, sizeof *nodes);
  if (nodes == NULL) return false;
  for (size_t k = 0; k < draft->nentries; k++) nodes[k] = draft->entries[k].node;
  draft->jacobian = make_kernel(a, "derivatives of constraints", nodes, draft->nentries, nodes);
  if (draft->jacobian == NULL) return false;
  for (size_t k = 0; k < draft->nentries; k++) draft->entries[k].node = nodes[k];
  return true;
}

/* ---- the draft ---- */

static void count_index(const structure_analysis *a, brink_structure_plan *plan) {
  const structure_scalars *s = &a->s;
  bool plain = false; /* is there an unknown none of whose derivatives is needed? */
  for (size_t j = 0; j < s->set->declared; j++) plain = plain || s->next[j] == BRINK_NO_INDEX;
  for (size_t i = 0; i < a->nequations; i++) {
    int order = a->equations[i].order + (plain ? 1 : 0);
    if (order > plan->index) plan->index = order;
  }
}

static bool fill_draft(rows *r, structure_draft *draft) {
  structure_analysis *a = r->a;
  brink_arena *arena = &a->s.system->arena;
  brink_structure_plan *plan = &draft->plan;
  size_t ng = r->ng, nh = r->count - ng;
  draft->ng = ng;
  plan->nh = nh;
  plan->nstates = a->s.set->nstates;
  plan->free = plan->nstates - nh;
  plan->nblocks = r->nblocks;
  plan->block = brink_arena_copy(arena, r->block, r->nblocks + 1, sizeof *r->block);
  plan->rows = brink_arena_pack(arena, r->count, sizeof *plan->rows);
  plan->slot = brink_arena_pack(arena, ng, sizeof *plan->slot);
  plan->unknowns = brink_arena_copy(arena, a->s.unknowns, a->s.nunknowns, sizeof *plan->unknowns);
  brink_node *nodes = brink_arena_pack(&a->scratch, r->count, sizeof *nodes);
  if (arena->failed || nodes == NULL) return false;
  for (size_t k = 0; k < r->count; k++) {
    uint32_t n = r->order[k];
    plan->rows[k] = r->row[n];
    nodes[k] = r->node[n];
    if (k < ng) plan->slot[k] = (uint32_t)plan->nstates + r->m.column_of[n];
  }
  plan->values = make_kernel(a, "constraints", nodes, r->count, nodes);
  if (plan->values == NULL) return false;
  plan->values->outputs = brink_arena_pack(arena, r->count, sizeof *plan->values->outputs);
  if (plan->values->outputs == NULL) return false;
  plan->values->noutputs = r->count;
  for (size_t k = 0; k < r->count; k++) plan->values->outputs[k].node = nodes[k];
  count_index(a, plan);
  return true;
}

bool structure_draft_make(structure_analysis *a, structure_draft *draft) {
  rows r = {.a = a};
  *draft = (structure_draft){0};
  bool ok = list_rows(&r) && match_rows(&r) && find_blocks(&r) && fill_draft(&r, draft) &&
            find_ties(&r, &draft->plan) && derive_rows(&r, draft);
  return ok || structure_give_up(a);
}

/* ---- the plan ---- */

static brink_output output_of(brink_node node, size_t place) {
  return (brink_output){.target = {.space = BRINK_SPACE_OUT, .base = (uint32_t)place},
                        .node = node,
                        .when = BRINK_NO_NODE,
                        .variable = BRINK_NO_NODE};
}

/* Rows of h move down, behind those of slots that are not in use. */
static bool place_rows(brink_system *system, const structure_draft *draft,
                       brink_structure_plan *plan) {
  const brink_structure_plan *from = &draft->plan;
  size_t used = draft->ng, unused = plan->ng - used, count = plan->ng + plan->nh;
  brink_arena *arena = &system->arena;
  plan->rows = brink_arena_pack(arena, count, sizeof *plan->rows);
  plan->slot = brink_arena_pack(arena, plan->ng, sizeof *plan->slot);
  plan->unknowns = brink_arena_pack(arena, plan->ng, sizeof *plan->unknowns);
  plan->block = brink_arena_pack(arena, from->nblocks + unused + 1, sizeof *plan->block);
  brink_output *outputs = brink_arena_pack(arena, count, sizeof *outputs);
  if (arena->failed) return false;
  for (size_t k = 0; k < used + plan->nh; k++) {
    size_t to = k < used ? k : k + unused;
    plan->rows[to] = from->rows[k];
    outputs[to] = output_of(from->values->outputs[k].node, to);
    if (k >= used) continue;
    plan->slot[k] = from->slot[k];
    plan->unknowns[k] = from->unknowns[k];
  }
  for (size_t b = 0; b <= from->nblocks; b++) plan->block[b] = from->block[b];
  for (size_t k = used; k < plan->ng; k++) {
    uint32_t slot = (uint32_t)(plan->nstates + k);
    brink_node node =
        brink_graph_ref(&plan->values->graph, (brink_ref){.space = BRINK_SPACE_X, .base = slot});
    if (node == BRINK_NO_NODE) return false;
    outputs[k] = output_of(node, k);
    plan->slot[k] = slot;
    plan->rows[k] =
        (brink_structure_row){.kind = BRINK_ROW_UNUSED, .constraint = BRINK_NO_INDEX, .slot = slot};
    plan->unknowns[k] = (brink_structure_unknown){.of = BRINK_NO_INDEX, .order = -1};
    plan->block[++plan->nblocks] = k + 1;
  }
  plan->values->outputs = outputs;
  plan->values->noutputs = plan->values->outputs_capacity = count;
  return true;
}

/* Entries by columns; they come by rows, so each column's rows are in order. */
static bool place_entries(brink_system *system, const structure_draft *draft,
                          brink_structure_plan *plan) {
  brink_arena *arena = &system->arena;
  size_t used = draft->ng, unused = plan->ng - used, nx = plan->nstates + plan->ng;
  size_t count = draft->nentries + unused;
  brink_kernel *kernel = draft->jacobian;
  plan->starts = brink_arena_pack(arena, nx + 2, sizeof *plan->starts);
  plan->entries = brink_arena_pack(arena, count, sizeof *plan->entries);
  plan->jacobian.kernels = brink_arena_pack(arena, 1, sizeof *plan->jacobian.kernels);
  kernel->outputs = brink_arena_pack(arena, count, sizeof *kernel->outputs);
  size_t *next = brink_arena_pack(arena, nx + 1, sizeof *next);
  brink_node one = brink_graph_constant(&kernel->graph, 1.0);
  if (arena->failed || one == BRINK_NO_NODE) return false;
  for (size_t k = 0; k < draft->nentries; k++) {
    uint32_t column = draft->entries[k].column;
    plan->starts[(column == BRINK_NO_INDEX ? nx : column) + 1]++;
  }
  for (size_t k = used; k < plan->ng; k++) plan->starts[plan->nstates + k + 1]++;
  for (size_t j = 0; j <= nx; j++) {
    plan->starts[j + 1] += plan->starts[j];
    next[j] = plan->starts[j];
  }
  for (size_t k = 0; k < draft->nentries; k++) {
    const structure_entry *entry = &draft->entries[k];
    size_t at = next[entry->column == BRINK_NO_INDEX ? nx : entry->column]++;
    plan->entries[at] = entry->row < used ? entry->row : entry->row + unused;
    kernel->outputs[at] = output_of(entry->node, at);
  }
  for (size_t k = used; k < plan->ng; k++) {
    size_t at = next[plan->nstates + k]++;
    plan->entries[at] = k;
    kernel->outputs[at] = output_of(one, at);
  }
  kernel->noutputs = kernel->outputs_capacity = count;
  plan->jacobian.kernels[0] = kernel;
  plan->jacobian.nkernels = count > 0 ? 1 : 0;
  return true;
}

brink_structure_plan *structure_plan_make(brink_system *system, const brink_structure_set *set,
                                          const structure_draft *draft) {
  brink_structure_plan *plan = brink_arena_pack(&system->arena, 1, sizeof *plan);
  if (plan == NULL) return NULL;
  *plan = draft->plan;
  plan->ng = set->declared + set->hidden;
  return place_rows(system, draft, plan) && place_entries(system, draft, plan) ? plan : NULL;
}
