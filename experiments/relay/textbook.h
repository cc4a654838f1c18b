/* textbook.h: the relay of Taylor 1995, eq. 3, by the routines of its time: x1' = x2, x2' = -sign(x1). */
#ifndef BRINK_EXPERIMENTS_TEXTBOOK_H
#define BRINK_EXPERIMENTS_TEXTBOOK_H

#include "base/base.h"

typedef struct relay_point {
  double t, x1, x2;
} relay_point;

/* What a run came to. */
typedef struct relay_run {
  relay_point *points; /* room for `capacity`; what does not fit is not kept */
  size_t npoints, capacity;
  long steps, rejected, evaluations, events;
  long flops;              /* floating-point operations, as MATLAB counted them */
  double last_event;       /* its time */
  relay_point end;         /* the last point */
  double least, most;      /* of the amplitude |x1| + x2^2/2, over all accepted points */
  double most_at, tallest; /* when it was largest; the largest |x1| */
} relay_run;

/* |x1| + x2^2/2: constant along exact solutions. */
double relay_amplitude(double x1, double x2);

/* Takes note of an accepted point. */
void relay_accept(relay_run *run, double t, double x1, double x2);

/* The Runge-Kutta pair of Fehlberg, of orders 4 and 5, which evaluates sign(x1) wherever it happens to be: no
 * event is looked for. The solution is that of order 5. An error of `tolerance`, relative above 1, is allowed
 * to each step; steps are at most hmax, the first is `first`, and one of hmin is taken whatever its error. */
void relay_by_pair(const double x0[2], double t_end, double tolerance, double first, double hmin,
                   double hmax, relay_run *run);

/* Of an iteration of trap_seh's zero solver in MATLAB: t, yp (4), y (8), and regula falsi (6). */
enum { RELAY_SOLVER_FLOPS = 1 + 4 + 8 + 6 };

/* The listing sets kkmax = 3, and uses it in the part that it omits: so many iterations of the zero solver, or as
 * many as it takes to come within eps. */
enum { RELAY_KKMAX = 3, RELAY_UNTIL_EPS = 60 };

/* trap_seh, the paper's listing: a trapezoidal rule at a fixed step with state-event handling; at most kkmax
 * iterations at an event. `corrected`: its mistakes put right. */
void relay_by_trap_seh(const double x0[2], double t_end, double step, int kkmax, bool corrected,
                       relay_run *run);

#endif
