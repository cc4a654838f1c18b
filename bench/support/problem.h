/* problem.h: what the benchmarks run.
 *
 * A `bench_problem` is a brink_model_def, plus what CVODE needs to run the very same callbacks: all
 * guards at once in one function. Guards have the side a user would declare (contacts are
 * unilateral); the peers' table overrides it, since CVODE only knows bilateral ones. Right-hand
 * sides and actions read modes and parameters from `env` and `now`, never from the library, so both
 * simulators call the same object code. */
#ifndef BRINK_BENCH_PROBLEM_H
#define BRINK_BENCH_PROBLEM_H

#include <brink/brink.h>

typedef void bench_roots_fn(double t, const double *x, const brink_env *env, double *g);

typedef struct bench_problem {
  const char *name;
  const brink_model_def *def;
  bench_roots_fn *roots; /* NULL: no guards */
  double t_end;
  double time_scale; /* an error of this much in an event's time counts as 1 */
  double horizon;    /* chaotic: only events up to here are judged; 0: all, and the final state */

  /* An answer known from elsewhere (closed form, or 30-digit integration), to check the tight
   * reference run that all errors are measured against. */
  size_t known_event;
  double known_time; /* NAN: none */
} bench_problem;

/* The parts of the table. */
extern const bench_problem bench_relay, bench_ball, bench_thermostat, bench_tanks, bench_buck;
extern const bench_problem bench_pendulum, bench_flyby, bench_garcia, bench_corridor, bench_spirals;
extern const bench_problem bench_van_der_pol, bench_arenstorf, bench_volterra, bench_chain;

#endif
