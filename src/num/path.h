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
 * becomes an ordinary polynomial in sigma when somebody needs it. Where B_l is a multiple of
 * sigma^(l+1), as for Taylor series, there are no rows at all (brink_path_powers).
 *
 * A predictor also says how far the accepted solution may differ from it: |shift_i| is estimated by
 * |e[i]| * M(sigma), M(0) = 0, where `e` is not NULL. */
#ifndef BRINK_NUM_PATH_H
#define BRINK_NUM_PATH_H

#include "base/archive.h"

#define BRINK_PATH_TERMS 30  /* Taylor series; others keep within BRINK_PATH_ROWS */
#define BRINK_PATH_DEGREE 30 /* of any path */
#define BRINK_PATH_ROWS 14   /* Adams of order 12: 12 differences, and the corrector's term, … */
#define BRINK_PATH_LENGTH 14 /* … each integrated once: 14 coefficients */

/* Polynomials that a stepper shares among its paths, worked out when somebody first asks: most
 * steps end with the bounds alone. */
typedef struct brink_path_rows brink_path_rows;
struct brink_path_rows {
  bool ready;
  void (*work_out)(brink_path_rows *rows); /* fills c */
  void *owner;
  double c[BRINK_PATH_ROWS + 2][BRINK_PATH_LENGTH + 2]; /* c[row][k]: of sigma^k */
};

typedef struct brink_path {
  double t0, h; /* sigma = (t - t0)/h */
  size_t n;     /* components */
  const double *x0;
  int terms;
  int degree; /* the largest of all B_l */
  const double *a[BRINK_PATH_TERMS];
  size_t step;                    /* component i of the vector a_l is a[l][i*step] */
  bool powers;                    /* B_l = scale[l] sigma^(l+1) */
  double scale[BRINK_PATH_TERMS]; /* B_l = scale[l] * row l */
  double bound[BRINK_PATH_TERMS]; /* |B_l| <= bound[l] on [0, 1] */
  brink_path_rows *shared;        /* row l is shared->c[l] there; NULL: own[l] */
  double own[BRINK_PATH_ROWS][BRINK_PATH_LENGTH];

  const double
      *correction; /* a dense output that is the predictor plus one more term: |x_i - x^p_i| is at
                      most |correction[i]| * correction_bound. NULL: not known */
  double correction_bound;

  const double *e; /* estimated shift of each component, with M(sigma) below; NULL: not known */
  double trusted;  /* no further than this (in time) is `e` credible */
  int margin_row;  /* M = margin_scale * shared->c[margin_row]; -1: margin[] */
  double margin_scale;
  double margin[BRINK_PATH_DEGREE + 2];
} brink_path;

/* An empty path from (t0, x0): no terms yet. */
void brink_path_begin(brink_path *path, double t0, double h, size_t n, const double *x0);

/* Adds a term whose basis polynomial is given by count coefficients of sigma^0, sigma^1, …
 * (copied). */
void brink_path_add(brink_path *path, const double *a, const double *basis, int count);

/* Adds a term whose polynomial is scale * (the row of that number among the shared ones), of the
 * given degree, not larger than bound on [0, 1]. All terms of a path are either own or shared. */
void brink_path_share(brink_path *path, brink_path_rows *rows, const double *a, double scale,
                      double bound, int degree);

/* Gives an empty path the terms of power series in s = sigma h/unit: component i is sum_k
 * rows[i*length + k] s^k, up to `degree`; rows[i*length] is not read. */
void brink_path_powers(brink_path *path, const double *rows, size_t length, double unit,
                       int degree);

/* The same where scale and bound of each term are in the path already. */
void brink_path_known_powers(brink_path *path, const double *rows, size_t length, int degree);

/* Component i of the vector a_l. */
static inline double brink_path_term(const brink_path *path, int l, size_t i) {
  return path->a[l][i * path->step];
}

/* On a path of powers that has terms: those of component i, one behind the other. */
static inline const double *brink_path_series(const brink_path *path, size_t i) {
  return path->a[0] + i * path->step;
}

/* M(sigma) as path->degree + 2 coefficients. Only where path->e is not NULL. */
void brink_path_margin(const brink_path *path, double *margin);

/* The values B_l(sigma), l = 0 … terms-1. */
void brink_path_weights(const brink_path *path, double sigma, double *weights);

/* The whole state at sigma. `x` may not alias the path's own vectors. */
void brink_path_eval(const brink_path *path, double sigma, double *x);

/* One component at sigma, given the weights there. */
double brink_path_component_at(const brink_path *path, size_t i, const double *weights);

/* One component as a polynomial in sigma: path->degree + 1 coefficients. */
void brink_path_component(const brink_path *path, size_t i, double *c);

/* The first n components, rows of `length` coefficients each. */
void brink_path_components(const brink_path *path, size_t n, double *rows, size_t length);

/* The polynomial sum_k w[k]*(x_{index[k]}(sigma) - x0_{index[k]}), count terms; c[0] is 0. */
void brink_path_combine(const brink_path *path, const size_t *index, const double *w, size_t count,
                        double *c);

/* A bound on |x_i(sigma) - x0_i| for all sigma in [0, 1]. */
double brink_path_spread(const brink_path *path, size_t i);

/* The same on a path of powers, summed in another order; *tail: the part of it that the terms from `first` on have. */
double brink_path_reach(const brink_path *path, size_t i, int first, double *tail);

/* The same path on [t0, t0 + h*scale], renamed to 0 <= sigma <= 1. */
void brink_path_rescale(brink_path *path, double scale);

/* The rest of a path from sigma on, where the state is x0 and the time t, renamed to 0 <= sigma <= 1. It
 * shares the vectors of `from`, or keeps its own in `memory`, as below. The shift estimate is not
 * kept. */
void brink_path_rest(brink_path *to, const brink_path *from, double sigma, double t,
                     const double *x0, double *memory);

/* A copy with rows of its own, of the first n components, whose vectors are copied into `memory`:
 * n*(terms + 1) doubles. The shift estimate is not kept. */
void brink_path_copy(brink_path *to, const brink_path *from, size_t n, double *memory);

/* A copy as brink_path_copy makes it, of n components with vectors in `memory`, which has room for so many terms, to bytes and
 * back. */
void brink_path_archive(brink_path *path, size_t n, int most, double *memory, brink_archive *a);

/* The path has moved together with the arena that it and its vectors live in. */
void brink_path_relocate(brink_path *path, brink_relocation *moved);

#endif
