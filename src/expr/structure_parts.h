/* structure_parts.h: what the files of structure.c share. */
#ifndef BRINK_EXPR_STRUCTURE_PARTS_H
#define BRINK_EXPR_STRUCTURE_PARTS_H

#include "expr/structure.h"

#define STRUCTURE_ORDERS                                                                           \
  24 /* derivatives of one constraint; a chain of pendula needs two for each of them */

typedef struct structure_list {
  uint32_t *items;
  size_t count, capacity;
} structure_list;

/* ---- structure_expand.c: scalar equations, written out in one graph ---- */

/* All expressions of one structure. Slots of X: states, declared unknowns, then derivatives of unknowns in the order in
 * which they were introduced. */
typedef struct structure_scalars {
  brink_system *system;
  const brink_structure_set *set;
  const int *mode; /* values of the key slots, by number */
  const signed char *sgn;
  bool *reads; /* of each key: does an expression read it? */
  brink_arena *scratch;
  brink_graph graph;
  brink_total total;

  brink_node *node[2]; /* of each slot of V and DX */
  bool **needed;       /* refs that each equation reads; NULL: not known yet */
  structure_list waiting;

  brink_structure_unknown *unknowns; /* declared ones, then their derivatives */
  size_t nunknowns, unknowns_capacity;
  uint32_t *
      open; /* of each state: number of its derivative, if that is an unknown; else BRINK_NO_INDEX */
  uint32_t *next; /* number of the derivative of each; BRINK_NO_INDEX: not introduced */
  size_t next_count, next_capacity;

  uint32_t *stamp, now; /* walks through the graph: of each node, of each slot of X */
  size_t nstamps, stamps_capacity;
  uint32_t *slot_stamp;
  size_t nslot_stamps, slot_stamps_capacity;
  structure_list stack;
  bool odd; /* something cannot be written out */
} structure_scalars;

/* False: no memory. */
bool structure_begin(structure_scalars *s, brink_system *system, const brink_structure_set *set,
                     const int *mode, const signed char *sgn, brink_arena *scratch);
/* The residual of a constraint; the derivative of a state. BRINK_NO_NODE: look at failed and odd. */
brink_node structure_residual(structure_scalars *s, uint32_t constraint, uint32_t iteration);
brink_node structure_flow(structure_scalars *s, uint32_t state);
/* The number of the derivative of an unknown, which is introduced now if need be. */
uint32_t structure_raise(structure_scalars *s, uint32_t unknown);
/* The derivative of a state becomes an unknown: its number. */
uint32_t structure_open(structure_scalars *s, uint32_t state);
/* Slots of X on which a node depends smoothly are added to the list, each once. False: no memory. */
bool structure_reads(structure_scalars *s, brink_node node, structure_list *slots);
/* The nodes on which it depends smoothly, itself included, ascending. False: no memory. */
bool structure_part(structure_scalars *s, brink_node node, structure_list *part);

bool structure_push(brink_arena *arena, structure_list *list, uint32_t item);
void structure_sort(structure_list *list);

/* ---- structure_match.c ---- */

/* One constraint that holds; or 0 = x' - f of a state, where constraint is BRINK_NO_INDEX. */
typedef struct structure_equation {
  uint32_t constraint, iteration, state;
  int order;        /* c: how often it is differentiated */
  uint32_t unknown; /* number of the derivative of an unknown that the last one determines */
  brink_node *node; /* of each order, 0 … STRUCTURE_ORDERS */
} structure_equation;

typedef struct structure_analysis {
  structure_scalars s;
  brink_arena scratch;
  brink_structure_fault *fault;
  structure_equation *equations;
  size_t nequations; /* as many as declared unknowns; after structure_reduce with those of states */
  structure_list
      *reads; /* slots of X in each equation: constraints, then x_j' = f_j as they are met */
  bool *known;
} structure_analysis;

/* Regular at all? And how often is what differentiated? False: fault says why. */
bool structure_check(structure_analysis *a);
bool structure_reduce(structure_analysis *a);

/* The fault, if nothing else is known: memory or size. Returns false. */
bool structure_give_up(structure_analysis *a);

/* Breadth-first search for an augmenting path in a bipartite graph: rows `row_of[column]`, columns `column_of[row]`. */
typedef struct structure_matching {
  brink_arena *arena;
  uint32_t *column_of, *row_of, *from; /* from: of each column, the row that reached it */
  uint32_t *seen, now;                 /* of each column */
  structure_list rows, columns;        /* reached by the last search */
  const structure_list *(*reads)(void *user, uint32_t row); /* columns; NULL: failed */
  bool (*may)(void *user, uint32_t row, uint32_t column);   /* which of them count; NULL: all */
  void *user;
  bool failed;
} structure_matching;

bool structure_matching_begin(structure_matching *m, brink_arena *arena, size_t nrows,
                              size_t ncolumns);
bool structure_augment(structure_matching *m, uint32_t row);

/* ---- structure_plan.c ---- */

/* One entry of the Jacobian: column nslots is time. */
typedef struct structure_entry {
  uint32_t row, column;
  brink_node node;
} structure_entry;

/* A plan, but for the number of slots. */
typedef struct structure_draft {
  brink_structure_plan plan; /* rows, blocks, slots and values without those that are not in use */
  size_t ng;                 /* rows of g, as many as unknowns in use */
  brink_kernel *jacobian;
  structure_entry *entries; /* by rows */
  size_t nentries, entries_capacity;
} structure_draft;

bool structure_draft_make(structure_analysis *a, structure_draft *draft);
/* The plan with `hidden` slots for derivatives of unknowns. NULL: no memory. */
brink_structure_plan *structure_plan_make(brink_system *system, const brink_structure_set *set,
                                          const structure_draft *draft);

#endif
