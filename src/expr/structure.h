/* structure.h: what the constraints of a system determine, structure by structure.
 *
 * A structure is a choice of the branches of `constraints`, with the modes and signs that choose them. After analysis
 * it has one form, whatever its index:
 *
 *   x' = f(t, x, z)     all declared states; nothing is selected or dropped (system->rhs)
 *   0  = g(t, x, z)     as many as unknowns, dg/dz regular if the structure is
 *   0  = h(t, x, z)     invariants: constraints, and derivatives of them, that tie states
 *
 * z are the unknowns and those of their derivatives that had to be introduced. The latter have slots of X behind the
 * declared ones: as many as the structure with the most of them needs. */
#ifndef BRINK_EXPR_STRUCTURE_H
#define BRINK_EXPR_STRUCTURE_H

#include "expr/system.h"

#define BRINK_STRUCTURES 256 /* that are listed before a run */

/* One equation: a constraint, differentiated `order` times; or another one. */
typedef struct brink_structure_row {
  enum {
    BRINK_ROW_CONSTRAINT,
    BRINK_ROW_STATE,  /* x' = f of slot `slot` */
    BRINK_ROW_UNUSED, /* 0 = z of slot `slot`, which is not in use */
  } kind;
  uint32_t constraint; /* index into system->constraints; BRINK_NO_INDEX: it is none */
  uint32_t iteration;
  uint32_t slot; /* of X; BRINK_NO_INDEX: a constraint */
  int order;
} brink_structure_row;

/* What a slot of X behind the states is. Rarely it is the derivative of a state: where constraints determine more of
 * its derivatives than its own equation does, these are unknowns, and x' = f is an equation of g (or h) for them. */
typedef struct brink_structure_unknown {
  uint32_t of; /* slot of the declared unknown, or of the state */
  int order;   /* which derivative of it: 0 for the unknown itself; -1: not in use */
} brink_structure_unknown;

typedef struct brink_structure_plan {
  int index;      /* 1, 2, … (0: there are no constraints) */
  size_t nstates; /* declared: nx - nz */
  size_t free;    /* nstates - nh */

  /* Rows: g in order of solution, then h. */
  brink_structure_row *rows;
  size_t ng, nh;  /* ng = nz */
  uint32_t *slot; /* of the unknown that row i of g determines, as a slot of X */
  /* Rows block[b] … block[b+1]-1 of g are solved together; they read unknowns of these and of earlier blocks only. */
  size_t *block, nblocks;
  brink_structure_unknown *unknowns; /* of each of the nz slots */

  brink_kernel *values; /* one iteration; output i (OUT): row i */
  /* The Jacobian of all rows, to OUT, in the pattern: by columns, nx + 1 of them, the last for time; ng + nh rows. */
  brink_program jacobian;
  size_t *starts, *entries; /* starts: nx + 2; entries: rows */

  /* Groups of states that invariants tie together: slots tied[group[k]] … tied[group[k+1]-1]. */
  uint32_t *tied;
  size_t *group, ngroups;

  /* Which constraints hold, bit by bit over all constraints and their iterations in order. */
  const bool *active;
  size_t nactive; /* length */
} brink_structure_plan;

/* Why there is none. */
typedef struct brink_structure_fault {
  enum {
    BRINK_FAULT_NONE,
    BRINK_FAULT_MEMORY,
    BRINK_FAULT_SINGULAR, /* these equations determine only these components; nothing determines the others */
    BRINK_FAULT_COUNT, /* not as many constraints hold as there are unknowns */
    BRINK_FAULT_SIZE,  /* too large, or differentiated too often */
  } kind;
  brink_structure_row *rows; /* the equations */
  size_t nrows;
  uint32_t *only; /* slots of X that they determine */
  size_t nonly;
  uint32_t *undetermined; /* slots of X */
  size_t nundetermined;
  size_t active, unknowns; /* COUNT */
} brink_structure_fault;

/* The structures of a system that were met. Two choices of modes and signs are one structure if the same constraints
 * hold and all slots have the same values that its equations read. */
typedef struct brink_structure_set brink_structure_set;
struct brink_structure_set {
  brink_structure_plan **plans;
  size_t count, capacity;
  bool complete; /* all that modes and signs can choose, with the parameters of the start */
  size_t nstates, declared, hidden; /* slots of X: states, unknowns, derivatives of unknowns */

  uint32_t *key; /* slots that choose: of MODE, … */
  size_t nkey_modes;
  uint32_t *key_signs; /* … and SIGN */
  size_t nkey_signs;
  uint32_t *mode_key,
      *sign_key; /* of each slot of MODE, SIGN: its number there; BRINK_NO_INDEX: none */

  /* Of each plan: the values of key, and which of them its equations read (nkey_modes, then nkey_signs). */
  const int **modes;
  const signed char **signs;
  const bool **reads;
  size_t modes_capacity, signs_capacity, reads_capacity;

  bool *bits; /* workspace of brink_structure_find */
  size_t nbits;
  double *values;
};

/* Lists the structures of a system with constraints, all that can be listed (see BRINK_STRUCTURES), those of the start
 * first: modes as at the start, all signs. Extends X by the slots that derivatives of unknowns need (system->nx, nz, x0,
 * start, a hidden variable each). After brink_system_finish, once; a system without constraints stays as it is.
 * False: one of them is at fault, or memory is out. modes (nmodes) and signs (nguards; either may be NULL): the first
 * choice at fault. Unless memory is out system->structures then holds all others, and a caller may go on. */
bool brink_system_structures(brink_system *system, brink_structure_fault *fault, int *modes,
                             signed char *signs);

/* The structure that holds; one that was not met before is analysed and added. NULL: fault says why. Memory comes from
 * the set's system: not for two threads at once. */
const brink_structure_plan *brink_structure_find(brink_system *system, const double *p,
                                                 const int *mode, const signed char *sgn,
                                                 brink_structure_fault *fault);

/* "line 14", "2nd derivative of line 14", with the instance where there are several; "x'"; "lam''". */
void brink_structure_row_text(const brink_system *system, const brink_structure_row *row,
                              brink_text *text);
void brink_structure_unknown_text(const brink_system *system,
                                  const brink_structure_unknown *unknown, brink_text *text);
/* A fault in words: "these 2 equations determine only w1, w2: line 20, line 21; nothing determines Tc". NULL: out of
 * memory. */
void brink_structure_fault_text(const brink_system *system, const brink_structure_fault *fault,
                                brink_text *text);
/* The name of a slot of X: "car[3].x". */
void brink_structure_slot_text(const brink_system *system, uint32_t slot, brink_text *text);

/* ---- structure_text.c ---- */

/* The constraint of equation `number`, as they are numbered over all constraints and their iterations in order, and
 * which of its iterations (may be NULL). NULL: there are fewer. */
const brink_constraint *brink_structure_equation(const brink_system *system, size_t number,
                                                 size_t *iteration);
/* Where an equation stands: a constraint, or that of a derivative; false: nowhere. */
bool brink_structure_place(const brink_system *system, const brink_structure_row *row,
                           brink_place *place);
/* Slots that choose: "clutch.phase", "\"locked\"", "sgn(clutch.slip)". */
void brink_structure_mode_text(const brink_system *system, uint32_t slot, brink_text *text);
void brink_structure_mode_value_text(const brink_system *system, uint32_t slot, int value,
                                     brink_text *text);
void brink_structure_sign_text(const brink_system *system, uint32_t guard, brink_text *text);
/* "phase = \"locked\" and sgn(slip) = 0": what chooses the branches of the equations of a fault. Nothing: none does. */
void brink_structure_when_text(const brink_system *system, const brink_structure_fault *fault,
                               const int *modes, const signed char *signs, brink_text *text);
/* All structures that are known, for a person: when each holds, its index, its free states, what is solved for from which
 * equations, and what the states satisfy. */
void brink_structure_list_text(brink_system *system, brink_text *text);

#endif
