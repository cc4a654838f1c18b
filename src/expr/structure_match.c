/* structure_match.c: which equation determines what, and which have to be differentiated before they do.
 *
 * Problem: 0 = c_i(t, x, z) with x' = f(t, x, z). Constraints that do not contain the unknowns tie states; they
 * determine unknowns through their derivatives along the motion. Found from what occurs where alone.
 *
 * Method, first: is there a perfect matching of all equations, x_j' = f_j and constraints, to all components, states and
 * unknowns? Each x_j' = f_j begins with x_j; constraints are added by augmenting paths, and only equations that such a
 * path meets are looked at. A constraint without a path is one too many: it and all that it reaches by alternating paths
 * determine just the components that they reach (Dulmage & Mendelsohn 1958).
 * Second: Pantelides (1988, SIAM J. Sci. Stat. Comput. 9, 213-231) for the constraints, with f written for x' in every
 * derivative, so that the unknowns and their derivatives are all that is looked for: constraint i, differentiated c_i
 * times, is matched to the highest derivative of an unknown that it contains; where there is no augmenting path all
 * equations and unknowns that were reached are differentiated. The c_i and d_j are the smallest offsets of Pryce (2001,
 * BIT 41, 364-394): d_j - c_i is at least the order of z_j in constraint i.
 *
 * It fails where terms cancel that look different: then numbers say what structure does not, at the start of a run. */
#include "expr/structure_parts.h"

#include <string.h>

bool structure_give_up(structure_analysis *a) {
  if (a->fault->kind != BRINK_FAULT_NONE) return false;
  bool memory = a->scratch.failed || a->s.system->arena.failed;
  /* a graph fails by its size, or by an allocator that gives nothing for a walk through it */
  if (a->s.graph.failed && a->s.graph.nnodes < BRINK_GRAPH_LIMIT && !a->s.odd) memory = true;
  a->fault->kind = memory ? BRINK_FAULT_MEMORY : BRINK_FAULT_SIZE;
  return false;
}

/* ---- matching ---- */

bool structure_matching_begin(structure_matching *m, brink_arena *arena, size_t nrows,
                              size_t ncolumns) {
  m->arena = arena;
  m->column_of = brink_arena_pack(arena, nrows, sizeof *m->column_of);
  m->row_of = brink_arena_pack(arena, ncolumns, sizeof *m->row_of);
  m->from = brink_arena_pack(arena, ncolumns, sizeof *m->from);
  m->seen = brink_arena_pack(arena, ncolumns, sizeof *m->seen);
  if (arena->failed) return false;
  if (nrows > 0) memset(m->column_of, 0xff, nrows * sizeof *m->column_of);
  if (ncolumns > 0) memset(m->row_of, 0xff, ncolumns * sizeof *m->row_of);
  return true;
}

static void turn_path(structure_matching *m, uint32_t start, uint32_t column) {
  for (;;) {
    uint32_t row = m->from[column], before = m->column_of[row];
    m->column_of[row] = column;
    m->row_of[column] = row;
    if (row == start) return;
    column = before;
  }
}

bool structure_augment(structure_matching *m, uint32_t row) {
  m->rows.count = m->columns.count = 0;
  m->now++;
  m->failed = !structure_push(m->arena, &m->rows, row);
  for (size_t head = 0; head < m->rows.count && !m->failed; head++) {
    uint32_t at = m->rows.items[head];
    const structure_list *reads = m->reads(m->user, at);
    m->failed = reads == NULL;
    for (size_t k = 0; !m->failed && k < reads->count; k++) {
      uint32_t column = reads->items[k];
      if (m->seen[column] == m->now) continue;
      m->seen[column] = m->now;
      m->from[column] = at;
      if (m->row_of[column] == BRINK_NO_INDEX) {
        turn_path(m, row, column);
        return true;
      }
      m->failed = !structure_push(m->arena, &m->columns, column) ||
                  !structure_push(m->arena, &m->rows, m->row_of[column]);
    }
  }
  return false;
}

/* ---- is it regular? ---- */

/* Rows: constraints, then x_j' = f_j. Columns: slots of X. */
typedef struct whole {
  structure_analysis *a;
  structure_matching m;
  structure_list *reads; /* of each row; no items: not known yet */
  bool *known;
} whole;

static const structure_list *whole_reads(void *user, uint32_t row) {
  whole *w = user;
  structure_analysis *a = w->a;
  if (w->known[row]) return &w->reads[row];
  bool constraint = row < a->nequations;
  uint32_t state = (uint32_t)(row - a->nequations);
  brink_node node = constraint ? a->equations[row].node[0] : structure_flow(&a->s, state);
  if (node == BRINK_NO_NODE || !structure_reads(&a->s, node, &w->reads[row])) return NULL;
  if (!constraint && !structure_push(&a->scratch, &w->reads[row], state)) return NULL;
  w->known[row] = true;
  return &w->reads[row];
}

/* Unknowns that no equation is left for: those without, and those that exchange their equation with one of them. */
static bool list_undetermined(whole *w, structure_list *list) {
  structure_analysis *a = w->a;
  size_t nstates = a->s.set->nstates, end = nstates + a->s.set->declared;
  bool *is = brink_arena_pack(&a->scratch, end, sizeof *is), changed = true;
  if (is == NULL) return false;
  for (size_t c = nstates; c < end; c++) is[c] = w->m.row_of[c] == BRINK_NO_INDEX;
  while (changed) {
    changed = false;
    for (size_t c = nstates; c < end; c++) {
      uint32_t row = w->m.row_of[c];
      if (is[c] || row == BRINK_NO_INDEX || !w->known[row]) continue;
      for (size_t k = 0; k < w->reads[row].count; k++) is[c] = is[c] || is[w->reads[row].items[k]];
      changed = changed || is[c];
    }
  }
  for (size_t c = nstates; c < end; c++)
    if (is[c] && !structure_push(&a->s.system->arena, list, (uint32_t)c)) return false;
  return true;
}

static bool report_singular(whole *w) {
  structure_analysis *a = w->a;
  brink_structure_fault *fault = a->fault;
  structure_list only = {0}, undetermined = {0};
  structure_list *rows = &w->m.rows;
  structure_sort(rows);
  fault->rows = brink_arena_pack(&a->s.system->arena, rows->count, sizeof *fault->rows);
  if (fault->rows == NULL || !list_undetermined(w, &undetermined)) return structure_give_up(a);
  for (size_t k = 0; k < rows->count; k++) {
    uint32_t row = rows->items[k];
    if (row < a->nequations)
      fault->rows[k] = (brink_structure_row){.constraint = a->equations[row].constraint,
                                             .iteration = a->equations[row].iteration,
                                             .slot = BRINK_NO_INDEX};
    else
      fault->rows[k] = (brink_structure_row){.kind = BRINK_ROW_STATE,
                                             .constraint = BRINK_NO_INDEX,
                                             .slot = (uint32_t)(row - a->nequations)};
  }
  for (size_t k = 0; k < w->m.columns.count; k++)
    if (!structure_push(&a->s.system->arena, &only, w->m.columns.items[k]))
      return structure_give_up(a);
  structure_sort(&only);
  fault->kind = BRINK_FAULT_SINGULAR;
  fault->nrows = rows->count;
  fault->only = only.items;
  fault->nonly = only.count;
  fault->undetermined = undetermined.items;
  fault->nundetermined = undetermined.count;
  return false;
}

bool structure_check(structure_analysis *a) {
  size_t nstates = a->s.set->nstates, rows = a->nequations + nstates;
  whole w = {.a = a};
  w.m.reads = whole_reads;
  w.m.user = &w;
  w.reads = brink_arena_pack(&a->scratch, rows, sizeof *w.reads);
  w.known = brink_arena_pack(&a->scratch, rows, sizeof *w.known);
  if (!structure_matching_begin(&w.m, &a->scratch, rows, nstates + a->s.set->declared))
    return structure_give_up(a);
  for (size_t j = 0; j < nstates; j++) {
    w.m.column_of[a->nequations + j] = (uint32_t)j;
    w.m.row_of[j] = (uint32_t)(a->nequations + j);
  }
  uint32_t singular = BRINK_NO_INDEX;
  for (size_t i = 0; i < a->nequations; i++) {
    if (structure_augment(&w.m, (uint32_t)i)) continue;
    if (w.m.failed) return structure_give_up(a);
    if (singular == BRINK_NO_INDEX) singular = (uint32_t)i;
  }
  if (singular == BRINK_NO_INDEX) return true;
  /* Once more, with all other equations in their places. */
  if (structure_augment(&w.m, singular) || w.m.failed) return structure_give_up(a);
  return report_singular(&w);
}

/* ---- how often has what to be differentiated? ---- */

static bool read_unknowns(structure_analysis *a, structure_equation *e) {
  e->reads.count = 0;
  if (!structure_reads(&a->s, e->node[e->order], &e->reads)) return false;
  size_t kept = 0, nstates = a->s.set->nstates;
  for (size_t k = 0; k < e->reads.count; k++)
    if (e->reads.items[k] >= nstates)
      e->reads.items[kept++] = e->reads.items[k] - (uint32_t)nstates;
  e->reads.count = kept;
  return true;
}

static bool differentiate(structure_analysis *a, structure_equation *e) {
  if (e->order == STRUCTURE_ORDERS) return false;
  brink_node node = brink_graph_total(&a->s.total, e->node[e->order]);
  if (node == BRINK_NO_NODE) return false;
  e->node[++e->order] = node;
  return read_unknowns(a, e);
}

/* The search of Pantelides: rows are equations, columns unknowns and derivatives of them. */
typedef struct search {
  structure_analysis *a;
  uint32_t *row_of, *from, *seen, now; /* of each unknown */
  size_t count, row_capacity, from_capacity, seen_capacity, nfrom, nseen;
  structure_list equations, unknowns; /* reached */
} search;

static bool search_room(search *p) {
  brink_arena *arena = &p->a->scratch;
  while (p->count < p->a->s.nunknowns) {
    uint32_t *row = brink_arena_push(arena, p->row_of, p->count, p->row_capacity);
    if (row == NULL || brink_arena_push(arena, p->from, p->nfrom, p->from_capacity) == NULL ||
        brink_arena_push(arena, p->seen, p->nseen, p->seen_capacity) == NULL)
      return false;
    *row = BRINK_NO_INDEX;
  }
  return true;
}

static void match_along(search *p, uint32_t start, uint32_t unknown) {
  for (;;) {
    uint32_t i = p->from[unknown], before = p->a->equations[i].unknown;
    p->a->equations[i].unknown = unknown;
    p->row_of[unknown] = i;
    if (i == start) return;
    unknown = before;
  }
}

static bool reach(search *p, uint32_t start, bool *found) {
  brink_arena *arena = &p->a->scratch;
  p->equations.count = p->unknowns.count = 0;
  p->now++;
  if (!structure_push(arena, &p->equations, start)) return false;
  for (size_t head = 0; head < p->equations.count; head++) {
    uint32_t i = p->equations.items[head];
    const structure_list *reads = &p->a->equations[i].reads;
    for (size_t k = 0; k < reads->count; k++) {
      uint32_t j = reads->items[k];
      if (p->seen[j] == p->now || p->a->s.next[j] != BRINK_NO_INDEX) continue; /* not the highest */
      p->seen[j] = p->now;
      p->from[j] = i;
      *found = p->row_of[j] == BRINK_NO_INDEX;
      if (*found) {
        match_along(p, start, j);
        return true;
      }
      if (!structure_push(arena, &p->unknowns, j) ||
          !structure_push(arena, &p->equations, p->row_of[j]))
        return false;
    }
  }
  return true;
}

static bool contains(const structure_list *list, uint32_t item) {
  for (size_t k = 0; k < list->count; k++)
    if (list->items[k] == item) return true;
  return false;
}

/* All that was reached. An equation whose new unknown has cancelled is to be matched again. */
static bool differentiate_reached(search *p, uint32_t start, structure_list *left) {
  structure_analysis *a = p->a;
  for (size_t k = 0; k < p->unknowns.count; k++) {
    uint32_t j = p->unknowns.items[k], i = p->row_of[j], next = structure_raise(&a->s, j);
    if (next == BRINK_NO_INDEX || !search_room(p)) return false;
    p->row_of[j] = BRINK_NO_INDEX;
    p->row_of[next] = i;
    a->equations[i].unknown = next;
  }
  for (size_t k = 0; k < p->equations.count; k++) {
    uint32_t i = p->equations.items[k];
    structure_equation *e = &a->equations[i];
    if (!differentiate(a, e)) return false;
    if (i == start || contains(&e->reads, e->unknown)) continue;
    p->row_of[e->unknown] = BRINK_NO_INDEX;
    e->unknown = BRINK_NO_INDEX;
    if (!structure_push(&a->scratch, left, i)) return false;
  }
  return search_room(p);
}

bool structure_reduce(structure_analysis *a) {
  search p = {.a = a};
  structure_list left = {0};
  bool ok = search_room(&p);
  for (size_t i = 0; ok && i < a->nequations; i++) ok = read_unknowns(a, &a->equations[i]);
  for (size_t i = a->nequations; ok && i-- > 0;)
    ok = structure_push(&a->scratch, &left, (uint32_t)i);
  while (ok && left.count > 0) {
    uint32_t start = left.items[--left.count];
    bool found = false;
    while (ok && !found) {
      ok = reach(&p, start, &found);
      if (ok && !found) ok = differentiate_reached(&p, start, &left);
    }
  }
  return ok || structure_give_up(a);
}
