/* implicit.h: the system of equations of an implicit step, solved by Newton's iteration. See implicit.c. */
#ifndef BRINK_ODE_IMPLICIT_H
#define BRINK_ODE_IMPLICIT_H

#include "num/sparse_lu.h"
#include "ode/stepper.h"

/* By differences the matrix is full: at most so many equations (32 MB). */
#define BRINK_IMPLICIT_DENSE 2000

typedef struct brink_implicit {
  size_t n;  /* equations: states and unknowns of the model, … */
  size_t nz; /* … the last of which are unknowns */
  brink_arena *arena;
  brink_sparse_lu lu;           /* of cj M - dF/dy */
  size_t *starts, *rows;        /* the model's pattern that this was made for */
  size_t capacity;              /* of rows, place, raw */
  size_t *place;                /* where each of its entries is in the matrix */
  size_t *diagonal;             /* n: where those of the diagonal are */
  double *raw;                  /* dF/dy in the model's pattern */
  bool ready;                   /* the pattern is known to be the model's present one */
  bool shaped, differences;     /* there is a matrix; its entries are all, found by differences */
  bool has_jacobian, fresh;     /* … and it was evaluated in this attempt */
  bool has_matrix, distrust;    /* the last attempt failed with it: all anew */
  int jacobian_age, matrix_age; /* steps since */
  double cj;                    /* of the matrix */
  double rate;                  /* of convergence */
  double *r, *weight, *probe;   /* n */
} brink_implicit;

/* One step's equations: for states slope_i + cj d_i = F_i(t, guess + d), for unknowns 0 = F_i(t, guess + d). */
typedef struct brink_implicit_step {
  double t, h, cj;
  const double *guess, *slope;
  double scale; /* times |d| is the error that the step is tested for */
} brink_implicit_step;

/* Memory from the arena, which must stay where it is, or be relocated. */
bool brink_implicit_create(brink_implicit *im, brink_stepper *st, brink_arena *arena);
void brink_implicit_relocate(brink_implicit *im, brink_relocation *moved);
/* To bytes and back (base/archive.h); `runs`: without a start, so that the pattern is the model's present one and what
 * is known of matrices counts. */
void brink_implicit_archive(brink_implicit *im, brink_stepper *st, bool runs, brink_archive *a);
void brink_implicit_release(brink_implicit *im);

/* At every start: the pattern may be another. REFUSED: the matrix is too large; FATAL: out of memory. */
brink_try brink_implicit_start(brink_implicit *im, brink_stepper *st);

/* Solves for y = guess + d; both have n components. ERROR: no convergence. OUTSIDE: an iterate, or the solution, lies
 * past a unilateral surface. */
brink_try brink_implicit_solve(brink_implicit *im, brink_stepper *st,
                               const brink_implicit_step *step, double *y, double *d);

/* The step was committed. */
void brink_implicit_commit(brink_implicit *im);

/* What is remembered of matrices is forgotten: the next attempt begins with new ones. */
void brink_implicit_forget(brink_implicit *im);

#endif
