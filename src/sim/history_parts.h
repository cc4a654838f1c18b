/* history_parts.h: between history.c and history_archive.c. */
#ifndef BRINK_SIM_HISTORY_PARTS_H
#define BRINK_SIM_HISTORY_PARTS_H

#include <brink/history.h>

#include "sim/locks.h"
#include "sim/sim.h"

/* Basis polynomials of a path: coefficients 1 … length[l] of each, one behind the other; of powers, their scales. */
typedef struct brink_history_basis {
  int terms;
  bool powers;
  unsigned char length[BRINK_PATH_ROWS];
  size_t count;
  double c[];
} brink_history_basis;

typedef struct brink_history_piece {
  const double *x;               /* the state where it begins; its time is the knot */
  double t0, h;                  /* of its path: sigma = (t - t0)/h */
  const double *x0;              /* where the path begins, which may be before the piece */
  const double *a;               /* component i of the vector a_l is a[i*terms + l] */
  const brink_history_basis *of; /* NULL: the state holds still */
  const brink_lock_set *locks;   /* NULL: they are not kept */
} brink_history_piece;

struct brink_history {
  brink_observer observer; /* first: it is found by its address */
  brink_arena arena;       /* the object itself */
  brink_history_def def;
  brink_sim *sim;
  size_t nx, nmodes;
  bool failed;     /* out of memory: the history ended at the last knot and the last row */
  bool at_start;   /* the first instant has not been yet: the first row is the start */
  bool in_instant; /* between `begins` and `ends` */
  double *present_x, *present_p; /* what held after the last step or instant */
  int *present_mode;
  brink_history_basis *scratch;

  brink_arena kept; /* states, coefficients, bases */
  brink_history_piece *pieces;
  double *knots; /* where each piece begins, and where the last one ends */
  size_t npieces, pieces_capacity, knots_capacity;
  const brink_history_basis *last_basis;
  bool keeps_locks;
  brink_lock_log locks;

  double *rows;
  int *modes;
  size_t nrows, rows_capacity, modes_capacity;
  brink_event *events;
  double *before, *after;
  size_t nevents, events_capacity, before_capacity, after_capacity;
};

#endif
