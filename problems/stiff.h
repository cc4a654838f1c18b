/* stiff.h: stiff systems whose answers are known to 13 digits and more, for tests and benchmarks.
 *
 * Robertson, Van der Pol, HIRES and the Oregonator: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II
 * (1996), section IV.10; Test Set for IVP Solvers. Lithium clusters: ARGESIM Comparison C1. The answers were computed in
 * 113-bit arithmetic by Radau IIA collocation with 12 and with 9 stages, and agree in 20 digits. */
#ifndef BRINK_PROBLEMS_STIFF_H
#define BRINK_PROBLEMS_STIFF_H

#include <brink/brink.h>

#define STIFF_STATES 8

typedef struct stiff_problem {
  const char *name;
  size_t nx;
  double x0[STIFF_STATES];
  double t_end;
  double scale[STIFF_STATES];  /* of each state: atol = rtol*scale */
  double answer[STIFF_STATES]; /* at the end */
  /* Without parameters and modes: `env` is not read. */
  brink_rhs_fn *rhs;
  void (*jacobian)(const double *x, double *j); /* dense, by columns */
} stiff_problem;

#define STIFF_PROBLEMS 5
extern const stiff_problem stiff_problems[STIFF_PROBLEMS];

/* The model; the problem must outlive it. */
brink_status stiff_model(const stiff_problem *problem, brink_diag *diag, brink_model **model);

/* The largest |x - answer|/(|answer| + scale). */
double stiff_error(const stiff_problem *problem, const double *x);

#endif
