/* taylor_functions.h: what CVODE calls, by hand, for each kind of problem. */
#ifndef BRINK_BENCH_TAYLOR_FUNCTIONS_H
#define BRINK_BENCH_TAYLOR_FUNCTIONS_H

#include <cvode/cvode.h>

#include "support/taylor_problem.h"

enum { TAYLOR_ROOTS = 4 };

/* What the functions see besides t and y. */
typedef struct taylor_situation {
  const taylor_problem *problem;
  const double *p;
  int mode;
} taylor_situation;

typedef enum taylor_verdict { TAYLOR_GO_ON, TAYLOR_RESTART, TAYLOR_STOP } taylor_verdict;

typedef struct taylor_functions {
  CVRhsFn rhs;
  CVRootFn roots;
  int nroots; /* 0: problem->nroots, all downwards */
  int directions[TAYLOR_ROOTS];
  taylor_verdict (*at_root)(taylor_situation *now, const double *y, const int *found);
} taylor_functions;

const taylor_functions *taylor_functions_of(taylor_kind kind);

#endif
