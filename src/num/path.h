/* path.h: a vector polynomial in time, as steppers hand it out and detectors read it.
 *
 * Every stepper describes where the state is going (predictor), and where it went (dense output),
 * as
 *     x_i(t0 + sigma*h) = x0_i + sum_l a_l[i] * B_l(sigma),      0 <= sigma <= 1,
 *
 * with coefficient vectors a_l (owned by the stepper) and polynomials B_l common to all components,
 * B_l(0) = 0, kept as monomials in sigma. For Adams methods a_l are modified divided differences
 * and B_l integrated Newton polynomials; for Taylor methods a_l are derivatives and B_l powers; a
 * Runge-Kutta dense output fits as well. One component, or any linear combination of components,
 * becomes an ordinary polynomial in sigma when somebody needs it.
 *
 * A predictor also says how far the accepted solution may differ from it: |shift_i| is estimated by
 * |e[i]| * M(sigma), M(0) = 0, where `e` is not NULL. */
#ifndef BRINK_NUM_PATH_H
#define BRINK_NUM_PATH_H

#include <stdbool.h>
#include <stddef.h>

#define BRINK_PATH_TERMS 14  /* Adams of order 12: 12 differences, and the corrector's term */
#define BRINK_PATH_DEGREE 13 /* each integrated once */

typedef struct brink_path {
  double t0, h; /* sigma = (t - t0)/h */
  size_t n;     /* components */
  const double *x0;
  int terms;
  int degree; /* the largest of all B_l */
  const double *a[BRINK_PATH_TERMS];
  double basis[BRINK_PATH_TERMS][BRINK_PATH_DEGREE + 1]; /* basis[l][k]: sigma^k in B_l */

  double trusted;                       /* no further than this (in time) is `e` credible */
  const double *e;                      /* estimated shift of each component; NULL: not known */
  double margin[BRINK_PATH_DEGREE + 1]; /* M(sigma); degree as `degree` + 1 at most */
} brink_path;

/* An empty path from (t0, x0): no terms yet. */
void brink_path_begin(brink_path *path, double t0, double h, size_t n, const double *x0);

/* Adds a term whose basis polynomial is given by count coefficients of sigma^0, sigma^1, … */
void brink_path_add(brink_path *path, const double *a, const double *basis, int count);

/* The values B_l(sigma), l = 0 … terms-1. */
void brink_path_weights(const brink_path *path, double sigma, double *weights);

/* The whole state at sigma. `x` may not alias the path's own vectors. */
void brink_path_eval(const brink_path *path, double sigma, double *x);

/* One component at sigma, given the weights there. */
double brink_path_component_at(const brink_path *path, size_t i, const double *weights);

/* One component as a polynomial in sigma: path->degree + 1 coefficients. */
void brink_path_component(const brink_path *path, size_t i, double *c);

/* The polynomial sum_k w[k]*(x_{index[k]}(sigma) - x0_{index[k]}), count terms; c[0] is 0. */
void brink_path_combine(const brink_path *path, const size_t *index, const double *w, size_t count,
                        double *c);

/* A bound on |x_i(sigma) - x0_i| for all sigma in [0, 1]. */
double brink_path_spread(const brink_path *path, size_t i, const double *term_bounds);

/* Bounds of |B_l| on [0, 1], l = 0 … terms-1, for brink_path_spread. */
void brink_path_term_bounds(const brink_path *path, double *bounds);

/* The same path on [t0, t0 + h*scale], renamed to 0 <= sigma <= 1. */
void brink_path_rescale(brink_path *path, double scale);

#endif
