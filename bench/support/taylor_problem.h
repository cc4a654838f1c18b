/* taylor_problem.h: the problems of bench/taylor.c, and who solves them.
 *
 * A problem is a model in HSML, the same functions by hand for CVODE, and cases: starts or parameters with
 * the exact answer, from a closed form in long double. */
#ifndef BRINK_BENCH_TAYLOR_PROBLEM_H
#define BRINK_BENCH_TAYLOR_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

enum { TAYLOR_STATES = 6, TAYLOR_PARAMETERS = 5, TAYLOR_CASES = 401, TAYLOR_BODIES = 6 };

/* Which functions CVODE calls. */
typedef enum taylor_kind {
  TAYLOR_CORRIDOR,
  TAYLOR_ARM,
  TAYLOR_RELAY,
  TAYLOR_GARCIA_LINEAR,
  TAYLOR_GARCIA_NONLINEAR,
  TAYLOR_SPIRALS,
  TAYLOR_SPIRALS_STEADY,
  TAYLOR_HENON,
  TAYLOR_KEPLER,
  TAYLOR_LORENZ,
  TAYLOR_SOLAR,
  TAYLOR_RING,
  TAYLOR_LINES,
  TAYLOR_KINDS
} taylor_kind;

typedef struct taylor_case {
  double x[TAYLOR_STATES];
  double p[TAYLOR_PARAMETERS];
  double event; /* when the event comes that ends the run; NAN: none comes */
} taylor_case;

typedef struct taylor_problem {
  const char *name;
  taylor_kind kind;
  const char *model; /* HSML; its states in the order of x */
  const char *const
      *parameters; /* that differ from case to case: each gets an instance of its own */
  size_t nparameters;
  bool starts; /* first states differ from case to case */
  size_t nx;
  double t_end;
  double goal_coarse, goal_fine; /* taylor's time over CVODE's at 1e-4 and 1e-9; NAN: none */
  size_t ncases;
  const taylor_case *cases;
  const double *start; /* where cases have no room for it: the first states; or NULL */
  const double *exact; /* the states at t_end, where they are what is judged; or NULL */
  size_t nroots;       /* solar, lines: guards */
  const double *lines; /* a, b, c of a x + b y + c, for each guard */
  bool bare;           /* no guards: CVODE looks for no roots either */
} taylor_problem;

/* ---- sets of cases; each returns a problem that points at `cases`, TAYLOR_CASES long ---- */

/* The nominal start and 100 starts around it whose path enters the corner by a depth in [shallow, deep]. */
taylor_problem taylor_corridor(double shallow, double deep, taylor_case *cases);
taylor_problem taylor_arm(taylor_case *cases); /* 100 lines */
taylor_problem taylor_relay(taylor_case *cases);
/* alpha = 9, 9.01, …, 10; and 4, 4.01, …, 8. */
taylor_problem taylor_garcia_linear(taylor_case *cases);
taylor_problem taylor_garcia_nonlinear(taylor_case *cases);
/* alpha = tangency - 10^-k, k = 1 … 9. */
taylor_problem taylor_garcia_tangent(bool linear, taylor_case *cases);
/* Hit, graze (depth 1e-3), miss (by 1e-3). Speeds proportional to the radius, or steady. */
taylor_problem taylor_spirals(bool steady, taylor_case *cases);
/* Energy 1/8; with the section x = 0 upwards, or without. */
taylor_problem taylor_henon(bool section, taylor_case *cases);

/* The masses of the Sun and of five bodies far out, times the constant of gravitation: AU, days. */
extern const double taylor_solar_masses[TAYLOR_BODIES];

/* The value of alpha at which García's path touches the line. */
double taylor_garcia_tangency(bool linear);

/* ---- what became of a run ---- */

typedef struct taylor_answer {
  bool ok;    /* the run did not fail */
  bool ended; /* by the event, before t_end */
  double t;
  const double *x;               /* of the solver, until its next run */
  const char *method;            /* that was used in the end */
  long steps, rhs, events, past; /* past: rhs_past_guard, where audited */
} taylor_answer;

/* How far off: the states, where the exact ones are known, relative to 1 + |x|; the time of the event; relay: the amplitude; Hénon-Heiles: the energy. INFINITY if an
 * event was lost or invented. */
double taylor_error(const taylor_problem *problem, const taylor_case *c,
                    const taylor_answer *answer);
/* Is the answer the right one, for a judge who does not look at decimals: within 0.1 s? */
bool taylor_is_right(const taylor_problem *problem, const taylor_case *c,
                     const taylor_answer *answer);

/* ---- who solves them ---- */

typedef struct taylor_solver taylor_solver;
struct taylor_solver {
  const taylor_problem *problem;
  double compile_seconds; /* of the first instance, with an empty cache */
  /* One case from its start to its end: everything that is timed. */
  bool (*run)(taylor_solver *solver, size_t which);
  /* What the last run gave. */
  void (*answer)(taylor_solver *solver, taylor_answer *answer);
  void (*close)(taylor_solver *solver);
};

/* Brink's models are compiled in this directory, so that nothing is found that was there before. */
typedef struct taylor_setup {
  double tolerance; /* rtol = atol */
  bool audit;
  const char *cache;
} taylor_setup;

/* taylor_brink.c. `method` by name. NULL: no such method, or (said on stderr) it failed. */
bool taylor_has_method(const char *method);
taylor_solver *taylor_open_brink(const taylor_problem *problem, const char *method,
                                 const taylor_setup *setup);
/* taylor_cvode.c. NULL: said on stderr. */
taylor_solver *taylor_open_cvode(const taylor_problem *problem, const taylor_setup *setup);

#endif
