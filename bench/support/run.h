/* run.h: one run of a problem, by Brink or by CVODE, timed and perhaps traced. */
#ifndef BRINK_BENCH_RUN_H
#define BRINK_BENCH_RUN_H

#include "support/problem.h"

#define BENCH_MAX_EVENTS 4096
#define BENCH_MAX_STATES 128

/* What happened, for the measurement of errors. Guards that jumped at a clock's tick are left out:
 * CVODE has no such thing, the tick's action does the same work for it. */
typedef struct bench_trace {
  size_t nevents;
  size_t guard[BENCH_MAX_EVENTS];
  double t[BENCH_MAX_EVENTS];
  double t_final, x_final[BENCH_MAX_STATES];
} bench_trace;

typedef struct bench_run {
  bool ok;
  double seconds; /* of the run alone, without making and destroying the simulation */
  double steps, rhs, guards, events; /* guards: calls for one guard */
} bench_run;

/* Who runs it. */
typedef enum bench_subject {
  BENCH_CVODE,      /* Adams, fixed-point iteration, its own root finding */
  BENCH_BILATERAL,  /* Brink, adams, extrapolate, every guard declared bilateral: what CVODE does */
  BENCH_UNILATERAL, /* the same with the sides a user would declare */
  BENCH_INTERPOLATE, /* the same guards, looked at after the step only */
  BENCH_REFERENCE,   /* dopri, interpolate, bilateral: a third method, for tight references */
  BENCH_SUBJECTS,
} bench_subject;

const char *bench_subject_name(bench_subject subject);

/* Does a user declare any guard of this problem unilateral? If not, the three ways to run Brink are
 * one. */
bool bench_has_unilateral(const bench_problem *problem);

/* rtol = atol = tolerance. `trace` may be NULL: nothing is recorded, as in all timed runs. A failed
 * run is not ok, and says why on stderr. */
bench_run bench_run_once(const bench_problem *problem, bench_subject subject, double tolerance,
                         bench_trace *trace);

/* The same by Brink, in `pieces` of equal simulated time: each is timed on its own, and seconds[k]
 * lowered to what piece k took if that is less. On a busy machine the sum of the best pieces
 * settles much sooner than the best sum. */
bench_run bench_run_pieces(const bench_problem *problem, bench_subject subject, double tolerance,
                           int pieces, double *seconds);

/* Parts of it, one for each simulator. */
bench_run bench_run_cvode(const bench_problem *problem, double tolerance, bench_trace *trace);

/* How much slower CVODE's vector operations are than the same loop compiled here: about 1, or much
 * more if SUNDIALS was built without optimisation, as Debian 12 does. */
double bench_cvode_slowness(void);

/* Seconds of a monotonic clock. */
double bench_now(void);

/* The error of a trace against a tight one: the largest error in an event's time (in time scales)
 * or in a final state (relative to 1 + |x|). INFINITY if the events are not the same. */
double bench_error(const bench_problem *problem, const bench_trace *trace,
                   const bench_trace *reference);

#endif
