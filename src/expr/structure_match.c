/* structure_match.c: which equation determines what, and which have to be differentiated before they do.
 *
 * Problem: 0 = c_i(t, x, z) with x' = f(t, x, z). Constraints that do not contain the unknowns tie states; they
 * determine unknowns through their derivatives along the motion. Found from what occurs where alone.
 *
 * Method, first: is there a perfect matching of all equations, x_j' = f_j and constraints, to all components, states and
 * unknowns? Each x_j' = f_j begins with x_j; constraints are added by augmenting paths, and only equations that such a
 * path meets are looked at. A constraint without a path is one too many: it and all that it reaches by alternating paths
 * determine just the components that they reach (Dulmage & Mendelsohn 1958).
 * Second: Pantelides (1988, SIAM J. Sci. Stat. Comput. 9, 213-231) on the same equations, in the words of Pryce (2001,
 * BIT 41, 364-394): sigma_ij is the order of component j in equation i (1 for x_j in x_j' = f_j, else 0), equation i is
 * differentiated c_i times, component j occurs up to derivative d_j, d_j - c_i >= sigma_ij. Equations are matched to
 * components for which this is an equality; where there is no augmenting path all equations that were reached are
 * differentiated once more: these are the smallest offsets.
 * f is written for x' wherever that is all that is known of x'. A state that constraints determine to higher derivatives
 * than its own equation does (d_j > c_j + 1) is opened: its derivatives become unknowns, and x_j' = f_j an equation for
 * them. (To write f for every x' and to match constraints to z alone would be wrong: two constraints that contain z1 and
 * z2 through one f determine but one of them.)
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
      if (m->seen[column] == m->now || (m->may != NULL && !m->may(m->user, at, column))) continue;
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
static const structure_list *row_reads(void *user, uint32_t row) {
  structure_analysis *a = user;
  if (a->known[row]) return &a->reads[row];
  bool constraint = row < a->nequations;
  uint32_t state = (uint32_t)(row - a->nequations);
  brink_node node = constraint ? a->equations[row].node[0] : structure_flow(&a->s, state);
  if (node == BRINK_NO_NODE || !structure_reads(&a->s, node, &a->reads[row])) return NULL;
  if (!constraint && !structure_push(&a->scratch, &a->reads[row], state)) return NULL;
  a->known[row] = true;
  return &a->reads[row];
}

/* All equations, those of states with their states. */
static bool begin_matching(structure_analysis *a, structure_matching *m) {
  size_t nstates = a->s.set->nstates, rows = a->nequations + nstates;
  *m = (structure_matching){.reads = row_reads, .user = a};
  if (!structure_matching_begin(m, &a->scratch, rows, nstates + a->s.set->declared)) return false;
  for (size_t j = 0; j < nstates; j++) {
    m->column_of[a->nequations + j] = (uint32_t)j;
    m->row_of[j] = (uint32_t)(a->nequations + j);
  }
  return true;
}

/* Unknowns that no equation is left for: those without, and those that exchange their equation with one of them. */
static bool list_undetermined(structure_analysis *a, const structure_matching *m,
                              structure_list *list) {
  size_t nstates = a->s.set->nstates, end = nstates + a->s.set->declared;
  bool *is = brink_arena_pack(&a->scratch, end, sizeof *is), changed = true;
  if (is == NULL) return false;
  for (size_t c = nstates; c < end; c++) is[c] = m->row_of[c] == BRINK_NO_INDEX;
  while (changed) {
    changed = false;
    for (size_t c = nstates; c < end; c++) {
      uint32_t row = m->row_of[c];
      if (is[c] || row == BRINK_NO_INDEX || !a->known[row]) continue;
      for (size_t k = 0; k < a->reads[row].count; k++) is[c] = is[c] || is[a->reads[row].items[k]];
      changed = changed || is[c];
    }
  }
  for (size_t c = nstates; c < end; c++)
    if (is[c] && !structure_push(&a->s.system->arena, list, (uint32_t)c)) return false;
  return true;
}

static bool report_singular(structure_analysis *a, structure_matching *m) {
  brink_structure_fault *fault = a->fault;
  structure_list only = {0}, undetermined = {0};
  structure_list *rows = &m->rows;
  structure_sort(rows);
  fault->rows = brink_arena_pack(&a->s.system->arena, rows->count, sizeof *fault->rows);
  if (fault->rows == NULL || !list_undetermined(a, m, &undetermined)) return structure_give_up(a);
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
  for (size_t k = 0; k < m->columns.count; k++)
    if (!structure_push(&a->s.system->arena, &only, m->columns.items[k]))
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
  size_t rows = a->nequations + a->s.set->nstates;
  structure_matching m;
  a->reads = brink_arena_pack(&a->scratch, rows, sizeof *a->reads);
  a->known = brink_arena_pack(&a->scratch, rows, sizeof *a->known);
  if (a->scratch.failed || !begin_matching(a, &m)) return structure_give_up(a);
  uint32_t singular = BRINK_NO_INDEX;
  for (size_t i = 0; i < a->nequations; i++) {
    if (structure_augment(&m, (uint32_t)i)) continue;
    if (m.failed) return structure_give_up(a);
    if (singular == BRINK_NO_INDEX) singular = (uint32_t)i;
  }
  if (singular == BRINK_NO_INDEX) return true;
  /* Once more, with all other equations in their places. */
  if (structure_augment(&m, singular) || m.failed) return structure_give_up(a);
  return report_singular(a, &m);
}

/* ---- how often has what to be differentiated? ---- */

typedef struct offsets {
  structure_analysis *a;
  structure_matching m;
  int *c, *d;             /* of rows and columns, as in structure_check */
  structure_list waiting; /* row, then its new c */
} offsets;

static int sigma(const offsets *o, uint32_t row, uint32_t column) {
  return row >= o->a->nequations && row - o->a->nequations == column ? 1 : 0;
}

static bool is_tight(void *user, uint32_t row, uint32_t column) {
  const offsets *o = user;
  return o->d[column] == o->c[row] + sigma(o, row, column);
}

static const structure_list *offset_reads(void *user, uint32_t row) {
  return row_reads(((offsets *)user)->a, row);
}

static bool want(offsets *o, uint32_t row, int c) {
  if (o->c[row] >= c) return true;
  return structure_push(&o->a->scratch, &o->waiting, row) &&
         structure_push(&o->a->scratch, &o->waiting, (uint32_t)c);
}

/* Differentiated too often: the constraint is named. */
static bool report_order(structure_analysis *a, uint32_t row) {
  brink_structure_fault *fault = a->fault;
  if (row < a->nequations) {
    fault->rows = brink_arena_pack(&a->s.system->arena, 1, sizeof *fault->rows);
    if (fault->rows == NULL) return false;
    fault->nrows = 1;
    fault->rows[0] = (brink_structure_row){.constraint = a->equations[row].constraint,
                                           .iteration = a->equations[row].iteration,
                                           .slot = BRINK_NO_INDEX,
                                           .order = STRUCTURE_ORDERS};
  }
  fault->kind = BRINK_FAULT_SIZE;
  return false;
}

/* Component `column` is needed up to derivative d: so is the equation that it is matched to. */
static bool raise_column(offsets *o, uint32_t column, int d) {
  if (o->d[column] >= d) return true;
  o->d[column] = d;
  uint32_t row = o->m.row_of[column];
  return row == BRINK_NO_INDEX || want(o, row, d - sigma(o, row, column));
}

/* Rows that wait are differentiated, with all that this asks of others. */
static bool raise_rows(offsets *o) {
  while (o->waiting.count > 0) {
    int c = (int)o->waiting.items[--o->waiting.count];
    uint32_t row = o->waiting.items[--o->waiting.count];
    if (o->c[row] >= c) continue;
    if (c > STRUCTURE_ORDERS) return report_order(o->a, row);
    o->c[row] = c;
    const structure_list *reads = row_reads(o->a, row);
    if (reads == NULL) return false;
    for (size_t k = 0; k < reads->count; k++)
      if (!raise_column(o, reads->items[k], c + sigma(o, row, reads->items[k]))) return false;
  }
  return true;
}

static bool find_offsets(offsets *o) {
  size_t nstates = o->a->s.set->nstates, rows = o->a->nequations + nstates;
  o->c = brink_arena_pack(&o->a->scratch, rows, sizeof *o->c);
  o->d = brink_arena_pack(&o->a->scratch, nstates + o->a->s.set->declared, sizeof *o->d);
  if (o->a->scratch.failed || !begin_matching(o->a, &o->m)) return false;
  o->m.reads = offset_reads;
  o->m.may = is_tight;
  o->m.user = o;
  for (size_t j = 0; j < nstates; j++) o->d[j] = 1;
  for (uint32_t i = 0; i < o->a->nequations; i++)
    while (!structure_augment(&o->m, i)) {
      if (o->m.failed) return false;
      for (size_t k = 0; k < o->m.rows.count; k++)
        if (!want(o, o->m.rows.items[k], o->c[o->m.rows.items[k]] + 1)) return false;
      if (!raise_rows(o)) return false;
    }
  return true;
}

/* ---- the equations ---- */

static bool is_open(const offsets *o, uint32_t state) {
  return o->d[state] > o->c[o->a->nequations + state] + 1;
}

/* The derivatives 1 … d of state or unknown `column`, which is number `at` of the unknowns; the last of them. */
static uint32_t introduce(structure_scalars *s, uint32_t at, int d) {
  for (int k = 0; k < d && at != BRINK_NO_INDEX; k++) at = structure_raise(s, at);
  return at;
}

/* Unknowns for all derivatives; highest: of each slot of X, the last one. The number of open states. */
static bool introduce_unknowns(offsets *o, uint32_t *highest, size_t *open) {
  structure_scalars *s = &o->a->s;
  uint32_t nstates = (uint32_t)s->set->nstates;
  for (uint32_t j = 0; j < s->set->declared; j++) {
    highest[nstates + j] = introduce(s, j, o->d[nstates + j]);
    if (highest[nstates + j] == BRINK_NO_INDEX) return false;
  }
  for (uint32_t j = 0; j < nstates; j++) {
    highest[j] = BRINK_NO_INDEX;
    if (!is_open(o, j)) continue;
    s->open[j] = structure_open(s, j);
    if (s->open[j] == BRINK_NO_INDEX) return false;
    highest[j] = introduce(s, s->open[j], o->d[j] - 1);
    if (highest[j] == BRINK_NO_INDEX) return false;
    (*open)++;
  }
  return true;
}

/* What an equation determines, through the equations of states that are written out. */
static uint32_t unknown_of(const offsets *o, uint32_t row, const uint32_t *highest) {
  uint32_t column = o->m.column_of[row];
  while (highest[column] == BRINK_NO_INDEX) column = o->m.column_of[o->a->nequations + column];
  return highest[column];
}

static bool differentiate(structure_analysis *a, structure_equation *e, int c) {
  for (e->order = 0; e->order < c; e->order++) {
    e->node[e->order + 1] = brink_graph_total(&a->s.total, e->node[e->order]);
    if (e->node[e->order + 1] == BRINK_NO_NODE) return false;
  }
  return true;
}

/* 0 = x' - f of an open state. */
static bool open_equation(structure_analysis *a, structure_equation *e, uint32_t state) {
  brink_graph *graph = &a->s.graph;
  brink_ref rate = {.space = BRINK_SPACE_X, .base = (uint32_t)a->s.set->nstates + a->s.open[state]};
  *e = (structure_equation){.constraint = BRINK_NO_INDEX, .state = state};
  e->node = brink_arena_pack(&a->scratch, STRUCTURE_ORDERS + 1, sizeof *e->node);
  if (e->node == NULL) return false;
  e->node[0] = brink_graph_op2(graph, BRINK_OP_SUB, brink_graph_ref(graph, rate),
                               structure_flow(&a->s, state));
  return e->node[0] != BRINK_NO_NODE;
}

static bool make_equations(offsets *o) {
  structure_analysis *a = o->a;
  size_t slots = a->s.set->nstates + a->s.set->declared, open = 0, n = a->nequations;
  uint32_t *highest = brink_arena_pack(&a->scratch, slots, sizeof *highest);
  if (highest == NULL || !introduce_unknowns(o, highest, &open)) return false;
  structure_equation *all = brink_arena_pack(&a->scratch, n + open, sizeof *all);
  if (all == NULL) return false;
  for (uint32_t i = 0; i < n; i++) {
    all[i] = a->equations[i];
    all[i].unknown = unknown_of(o, i, highest);
    if (!differentiate(a, &all[i], o->c[i])) return false;
  }
  size_t at = n;
  for (uint32_t j = 0; j < a->s.set->nstates; j++) {
    if (!is_open(o, j)) continue;
    structure_equation *e = &all[at++];
    if (!open_equation(a, e, j)) return false;
    e->unknown = unknown_of(o, (uint32_t)n + j, highest);
    if (!differentiate(a, e, o->c[n + j])) return false;
  }
  a->equations = all;
  a->nequations = at;
  return true;
}

bool structure_reduce(structure_analysis *a) {
  offsets o = {.a = a};
  return (find_offsets(&o) && make_equations(&o)) || structure_give_up(a);
}
