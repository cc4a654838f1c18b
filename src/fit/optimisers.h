/* optimisers.h: the optimisers of others, loaded when they are needed: CMINPACK for least squares with derivatives, NLopt
 * for searches without. docs/decisions/0021-fitting.md says why these two. */
#ifndef BRINK_FIT_OPTIMISERS_H
#define BRINK_FIT_OPTIMISERS_H

#include "base/base.h"

typedef struct brink_optimisers brink_optimisers;

/* UNSUPPORTED: one of them is not there, or was not there when Brink was built; MEMORY. */
brink_status brink_optimisers_open(brink_diag *diag, brink_optimisers **optimisers);
void brink_optimisers_close(brink_optimisers *optimisers); /* NULL is fine */

/* r(x), m numbers, and if jacobian is not NULL, dr/dx by columns of m. Returns 0, or anything else to stop. */
typedef int brink_residual_fn(size_t m, size_t n, const double *x, double *r, double *jacobian,
                              void *user);

typedef struct brink_least_squares {
  size_t m, n; /* n <= m */
  brink_residual_fn *residuals;
  void *user;
  double *x;        /* in: the start; out: where it ended */
  double tolerance; /* of the sum of squares and of x, both relative */
  size_t most;      /* evaluations of r */
} brink_least_squares;

/* Levenberg-Marquardt (More 1978; MINPACK's lmder). OK: it ended by itself, wherever that is; CANCELLED: `residuals`
 * stopped it, or there were too many evaluations; MEMORY. */
brink_status brink_least_squares_solve(const brink_optimisers *optimisers,
                                       const brink_least_squares *problem, brink_diag *diag);

/* The value at x; constraints[k] <= 0 are wanted. Not finite: x cannot be used. *stop: end the search. */
typedef double brink_objective_fn(size_t n, const double *x, double *constraints, bool *stop,
                                  void *user);

typedef struct brink_search {
  size_t n, nconstraints;
  brink_objective_fn *objective;
  void *user;
  double *x;        /* in: the start; out: the best that was found. Every x is in [0, 1] */
  double step;      /* the first ones */
  double tolerance; /* of x, absolute */
  size_t most;      /* evaluations */
  double value;     /* out: there */
  /* NULL: it compares values only. Else the derivatives at x: n numbers, and n for each constraint. False: there are none. */
  bool (*slopes)(size_t n, const double *x, double *value, double *constraints, void *user);
} brink_search;

/* Without constraints Sbplx (Rowan 1990), with them COBYLA (Powell 1994); with derivatives SLSQP (Kraft 1988). Statuses as above;
 * CANCELLED also where there are no derivatives. */
brink_status brink_search_solve(const brink_optimisers *optimisers, brink_search *problem,
                                brink_diag *diag);

#endif
