/* constraint.h: constraints of a model: unknowns solved for, states kept on invariants, starts and changes of
 * structure.
 *
 *   constraint.c           the solver's memory; the doors of eval.h; tolerances and rounding of unknowns
 *   constraint_check.c     structures that are refused
 *   constraint_solve.c     Newton's method for the unknowns, and their rates; differences of rows
 *   constraint_project.c   states onto invariants; the start
 *   constraint_transfer.c  from one structure to another: impulses */
#ifndef BRINK_MODEL_CONSTRAINT_H
#define BRINK_MODEL_CONSTRAINT_H

#include "model/eval.h"
#include "num/blocks.h"

/* Why constraints could not be met. */
typedef struct brink_constraint_fault {
  brink_reason reason; /* BRINK_REASON_NONE: nothing is wrong */
  size_t equations[BRINK_DIAG_EQUATIONS], states[BRINK_DIAG_EQUATIONS];
  int orders[BRINK_DIAG_EQUATIONS];
  size_t nequations, nstates;
  double values[BRINK_DIAG_EQUATIONS]; /* of the states, where a search ended; NaN: not known */
  double value, limit;
  char text[BRINK_DIAG_MESSAGE];
} brink_constraint_fault;

struct brink_solver {
  const brink_structure *structure;  /* that the workspace is laid out for; NULL: none yet */
  const brink_structure *checked[8]; /* the last ones that passed brink_constraint_check */
  size_t nchecked;                   /* so far */
  double rtol;
  const double *atol;       /* of each state; NULL: nobody has said */
  double least_atol;        /* of these: for unknowns, which have none */
  size_t ns, nz;            /* states, unknowns: nx = ns + nz */
  brink_blocks blocks;      /* of dg/dz; its pointers lead to `structure` and to the workspace */
  size_t nfactors;          /* doubles of its factors */
  bool bounded;             /* unknowns are looked for inside their bounds */
  double *y;                /* nx: a point whose unknowns are solved for */
  double *trial;            /* nx */
  double *r, *r_trial;      /* rows */
  double *values;           /* of the pattern */
  bool current;             /* r and values are those of the point that was solved for last */
  double *step;             /* nz */
  double *z_kept;           /* nz */
  double *rank_room;        /* for brink_blocks_condition */
  double *column;           /* nz: dz/dx_j */
  double *H;                /* most_invariants x ns, by rows: dh/dx with the unknowns eliminated */
  double *normal;           /* most_invariants squared */
  double *multiplier;       /* most_invariants, three times */
  size_t *pivots, *columns; /* rows */
  double *weight;           /* ns: squares of what a state may be moved by */
  double *total;            /* nx: moved so far */
  double *start_x, *start_guess, *start_given; /* nx: at a start */
  double *sliding_x;                           /* nx: on surfaces with Filippov's field */
  bool *movable;                               /* ns */
  double *impulse_room;
  bool *taken;     /* most_invariants: rows that count */
  double *field;   /* nx */
  double *z_scale; /* nz: the largest size of each unknown in this structure */
  double *z_floor; /* nz: of the terms that it is made of, by what rounding leaves of them */
  double *
      z_effect; /* nz: what one unit of it does to the rate of the state that bears least, in tolerances */
  bool *z_read;                      /* nz: guards read it */
  double *x_scale;                   /* ns: the largest size of each state so far */
  int since_measured;                /* points of the solution since z_floor was found */
  double *noise, *noise_r, *noise_x; /* rows, rows, nx */
  double *z_weight,
      *z_rounding; /* nz: what the states' tolerances, and rounding, amount to in the unknowns … */
  double *seen;    /* … at this point, nx + 1 with time; */
  bool has_seen;
  /* The pattern of the whole system, for implicit methods, and where its values come from. */
  const brink_structure *pattern_of;
  brink_sparsity pattern;
  size_t *pattern_starts, *pattern_rows, *pattern_from;
  double *model_values;
  bool
      failed; /* no values of the unknowns were found, somewhere since the last point of the solution */
  brink_constraint_fault fault; /* of the last thing that failed */
};

/* Memory; eval->solver stays NULL where the model has no constraints. False: there is none. */
bool brink_solver_init(brink_eval *eval, brink_arena *arena);
/* The run's tolerances; `atol` outlives the solver. */
void brink_solver_tolerances(brink_eval *eval, double rtol, const double *atol);
void brink_solver_relocate(struct brink_solver *solver, brink_relocation *moved);

/* The sizes of what is remembered begin anew: a new run. */
void brink_solver_forget(struct brink_solver *solver);

/* What is wrong, from scratch; then its equations, as rows of g and h, and components of x with their values: as many
 * as there is room for. */
void brink_constraint_blame(struct brink_solver *solver, brink_reason reason, double value);
void brink_constraint_blame_row(struct brink_solver *solver, size_t row);
void brink_constraint_blame_component(struct brink_solver *solver, size_t component, double value);

/* The order of the constraint of a row, and its number: a structure may leave them out (brink.h). */
size_t brink_constraint_equation(const brink_structure *structure, size_t row);
int brink_constraint_order(const brink_structure *structure, size_t row);

/* ---- constraint_check.c ---- */

/* Is a structure as brink.h asks for? Otherwise `text` (BRINK_DIAG_MESSAGE) says what is wrong. */
bool brink_constraint_check(brink_eval *eval, const brink_structure *structure, char *text);

/* ---- constraint_solve.c ---- */

/* The structure that holds now. UNSOLVED: there is none that can be solved for. */
brink_try brink_constraint_bind(brink_eval *eval);

/* Solves for the unknowns in y, from the values that they have there. UNSOLVED: solver->fault says what. */
brink_try brink_constraint_solve(brink_eval *eval, double t, double *y);

/* Values of all rows; after the domain check. Derivatives of them, at a point that was admitted. */
brink_try brink_constraint_rows(brink_eval *eval, double t, const double *y, double *r);
brink_try brink_constraint_derive(brink_eval *eval, double t, const double *y);

/* dx/dt of states and unknowns at a point, after its unknowns are solved for. */
brink_try brink_constraint_field(brink_eval *eval, double t, const double *x, double *dx);

/* What a state may be off by where constraints tie it: by its largest size so far, as one that passes through zero is
 * no better known there. */
double brink_constraint_weight(const brink_eval *eval, size_t state, const double *y);

/* Sizes of unknowns begin anew at x, which is a point of the solution. */
void brink_constraint_measure(brink_eval *eval, double t, const double *x);

/* What rounding may leave of row i at a point where it is zero, by the derivatives in solver->values. */
double brink_constraint_rounding(const brink_eval *eval, size_t row, double t, const double *y);

/* Is dg/dz regular, block by block? solver->fault: DEPENDENT, with the equations and the unknowns. */
bool brink_constraint_regular(brink_eval *eval, double t, const double *y);

/* dg/dz cannot be factored here: UNSOLVED, and solver->fault says which equations. */
brink_try brink_constraint_singular(brink_eval *eval, double t, const double *y);

/* ---- constraint_project.c ---- */

/* How the unknowns change with component j (nx: with time), into solver->column, one for each row of g, by the derivatives
 * and factors that are there; false: not at all. */
bool brink_constraint_unknowns_by(brink_eval *eval, size_t j);

/* H at a point whose unknowns are solved for (derivatives are taken, factors made). */
brink_try brink_constraint_invariants(brink_eval *eval, double t, const double *y);

/* At a point that was just solved for: solver->r, and H. */
brink_try brink_constraint_complete(brink_eval *eval, double t, const double *y);

/* What the tolerances of the states amount to in invariant i, by H. */
double brink_constraint_tolerance(const brink_eval *eval, size_t i, const double *y);

/* The largest invariant in units of its tolerance, by H and solver->r; *row: which. */
double brink_constraint_violation(const brink_eval *eval, const double *y, size_t *row);

/* Moves the states with may_move (NULL: all) onto the invariants by the least change in units of their tolerances, and
 * solves for the unknowns. solver->total: by how much, together. UNSOLVED: it does not come to an end. */
brink_try brink_constraint_project(brink_eval *eval, double t, double *y, const bool *may_move);

/* A consistent start near x. `chosen`: which states were chosen though nothing determines them, if more were left open
 * than the constraints determine. OK, or what solver->fault says. */
brink_try brink_constraint_start(brink_eval *eval, double t, double *x, bool *chosen,
                                 size_t *nchosen);

/* ---- constraint_transfer.c ---- */

/* A structure begins, or states or values that constraints read have changed: x is moved to where its constraints hold.
 * `assigned` (NULL: none): states whose values are given, and that are moved only if nothing else helps; `frozen` (NULL:
 * none): that are not moved at all, as they are on a unilateral surface. impulse: nz numbers, 0 where there is none. Returns OK, or
 * UNSOLVED with solver->fault. */
brink_try brink_constraint_transfer(brink_eval *eval, double t, double *x, const bool *assigned,
                                    const bool *frozen, double *impulse);

/* Is this guard zero, and does it stay so, wherever the constraints hold? */
bool brink_constraint_holds_guard(brink_eval *eval, size_t guard, double t, const double *x);

/* How many of its derivatives, the value included, are zero as long as states do not jump when its constraint ends. */
int brink_constraint_vanishing(brink_eval *eval, size_t guard, double t, const double *x);

#endif
