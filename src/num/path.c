/* path.c: vector polynomials in time (see path.h). */
#include "num/path.h"

#include <math.h>
#include <string.h>

void brink_path_begin(brink_path *path, double t0, double h, size_t n, const double *x0) {
  path->t0 = t0;
  path->h = h;
  path->n = n;
  path->x0 = x0;
  path->terms = 0;
  path->degree = 0;
  path->e = NULL;
  path->trusted = INFINITY;
}

void brink_path_add(brink_path *path, const double *a, const double *basis, int count) {
  double *row = path->basis[path->terms];
  memcpy(row, basis, (size_t)count * sizeof *row);
  memset(row + count, 0, (size_t)(BRINK_PATH_DEGREE + 1 - count) * sizeof *row);
  path->a[path->terms++] = a;
  if (count - 1 > path->degree) path->degree = count - 1;
}

void brink_path_weights(const brink_path *path, double sigma, double *weights) {
  for (int l = 0; l < path->terms; l++) {
    const double *c = path->basis[l];
    double value = c[path->degree];
    for (int k = path->degree - 1; k >= 0; k--) value = value * sigma + c[k];
    weights[l] = value;
  }
}

double brink_path_component_at(const brink_path *path, size_t i, const double *weights) {
  double sum = 0.0;
  for (int l = path->terms - 1; l >= 0; l--) sum += path->a[l][i] * weights[l];
  return path->x0[i] + sum;
}

void brink_path_eval(const brink_path *path, double sigma, double *x) {
  double weights[BRINK_PATH_TERMS];
  brink_path_weights(path, sigma, weights);
  for (size_t i = 0; i < path->n; i++) x[i] = brink_path_component_at(path, i, weights);
}

void brink_path_component(const brink_path *path, size_t i, double *c) {
  double one = 1.0;
  brink_path_combine(path, &i, &one, 1, c);
  c[0] = path->x0[i];
}

void brink_path_combine(const brink_path *path, const size_t *index, const double *w, size_t count,
                        double *c) {
  memset(c, 0, (size_t)(path->degree + 1) * sizeof *c);
  for (int l = 0; l < path->terms; l++) {
    double weight = 0.0;
    for (size_t k = 0; k < count; k++) weight += w[k] * path->a[l][index[k]];
    const double *basis = path->basis[l];
    for (int k = 1; k <= path->degree; k++) c[k] += weight * basis[k];
  }
}

void brink_path_term_bounds(const brink_path *path, double *bounds) {
  for (int l = 0; l < path->terms; l++) {
    double sum = 0.0;
    for (int k = 0; k <= path->degree; k++) sum += fabs(path->basis[l][k]);
    bounds[l] = sum;
  }
}

double brink_path_spread(const brink_path *path, size_t i, const double *term_bounds) {
  double sum = 0.0;
  for (int l = 0; l < path->terms; l++) sum += fabs(path->a[l][i]) * term_bounds[l];
  return sum;
}

void brink_path_rescale(brink_path *path, double scale) {
  double power = 1.0;
  for (int k = 1; k <= BRINK_PATH_DEGREE; k++) {
    power *= scale;
    for (int l = 0; l < path->terms; l++) path->basis[l][k] *= power;
    path->margin[k] *= power;
  }
  path->h *= scale;
}
