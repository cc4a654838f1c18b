/* speed_problems.h: the problems of bench/speed.c, with what their answers should be. */
#ifndef BRINK_BENCH_SPEED_PROBLEMS_H
#define BRINK_BENCH_SPEED_PROBLEMS_H

#include "support/taylor_problem.h"

typedef struct speed_problem {
  taylor_problem problem;
  double t_end;  /* of what is timed … */
  double judged; /* … and of what is judged: chaotic problems are judged early */
  char *text;
  double *start, *exact, *lines;
  taylor_case cases[TAYLOR_CASES];
} speed_problem;

/* `n`: masses or guards, where the name leaves them open. False (said on stderr): no such problem, no memory, or no
 * reference that can be trusted. */
bool speed_make(const char *name, size_t n, speed_problem *made);
void speed_free(speed_problem *made);

/* speed_reference.c: the states at time t, in long double, by extrapolation of the midpoint rule (Gragg 1965, Bulirsch &
 * Stoer 1966), order 16, n at most 256; once with `steps` steps and once with twice as many, which have to agree within
 * 1e-14 (1 + |x|). */
typedef void speed_field(size_t n, const long double *x, long double *dx);
bool speed_reference(speed_field *field, size_t n, double t, long steps, const double *start,
                     double *x);

#endif
