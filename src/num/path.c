/* path.c: vector polynomials in time (see path.h). */
#include "num/path.h"

#include <brink/jet.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

void brink_path_begin(brink_path *path, double t0, double h, size_t n, const double *x0) {
  path->t0 = t0;
  path->h = h;
  path->n = n;
  path->x0 = x0;
  path->terms = 0;
  path->degree = 0;
  path->step = 1;
  path->powers = false;
  path->shared = NULL;
  path->correction = NULL;
  path->e = NULL;
  path->trusted = INFINITY;
  path->margin_row = -1;
}

void brink_path_add(brink_path *path, const double *a, const double *basis, int count) {
  int l = path->terms++;
  double bound = 0.0;
  memset(path->own[l], 0, sizeof path->own[l]);
  for (int k = 0; k < count; k++) {
    path->own[l][k] = basis[k];
    bound += fabs(basis[k]);
  }
  path->a[l] = a;
  path->scale[l] = 1.0;
  path->bound[l] = bound;
  if (count - 1 > path->degree) path->degree = count - 1;
}

void brink_path_share(brink_path *path, brink_path_rows *rows, const double *a, double scale,
                      double bound, int degree) {
  int l = path->terms++;
  path->shared = rows;
  path->a[l] = a;
  path->scale[l] = scale;
  path->bound[l] = bound;
  if (degree > path->degree) path->degree = degree;
}

void brink_path_powers(brink_path *path, const double *rows, size_t length, double unit,
                       int degree) {
  double ratio = path->h / unit, power = 1.0;
  path->powers = true;
  path->step = length;
  path->terms = path->degree = degree;
  for (int l = 0; l < degree; l++) {
    power *= ratio;
    path->a[l] = rows + l + 1;
    path->scale[l] = path->bound[l] = power;
  }
}

void brink_path_known_powers(brink_path *path, const double *rows, size_t length, int degree) {
  path->powers = true;
  path->step = length;
  path->terms = path->degree = degree;
  for (int l = 0; l < degree; l++) path->a[l] = rows + l + 1;
}

static void need_rows(const brink_path *path) {
  if (path->shared != NULL && !path->shared->ready) {
    path->shared->work_out(path->shared);
    path->shared->ready = true;
  }
}

static const double *row(const brink_path *path, int l) {
  return path->shared != NULL ? path->shared->c[l] : path->own[l];
}

void brink_path_margin(const brink_path *path, double *margin) {
  if (path->margin_row < 0) {
    memcpy(margin, path->margin, (size_t)(path->degree + 2) * sizeof *margin);
    return;
  }
  need_rows(path);
  const double *c = path->shared->c[path->margin_row];
  for (int k = 0; k <= path->degree + 1; k++) margin[k] = path->margin_scale * c[k];
}

void brink_path_weights(const brink_path *path, double sigma, double *weights) {
  if (path->powers) {
    double power = 1.0;
    for (int l = 0; l < path->terms; l++) {
      power *= sigma;
      weights[l] = path->scale[l] * power;
    }
    return;
  }
  need_rows(path);
  for (int l = 0; l < path->terms; l++) {
    const double *c = row(path, l);
    double value = c[path->degree];
    for (int k = path->degree - 1; k >= 0; k--) value = value * sigma + c[k];
    weights[l] = path->scale[l] * value;
  }
}

double brink_path_component_at(const brink_path *path, size_t i, const double *weights) {
  double sum = 0.0;
  if (path->powers && path->terms > 0) {
    const double *c = brink_path_series(path, i);
    for (int l = path->terms - 1; l >= 0; l--) sum += c[l] * weights[l];
    return path->x0[i] + sum;
  }
  for (int l = path->terms - 1; l >= 0; l--) sum += brink_path_term(path, l, i) * weights[l];
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

void brink_path_components(const brink_path *path, size_t n, double *rows, size_t length) {
  size_t degree = (size_t)path->degree;
  need_rows(path);
  for (size_t i = 0; i < n; i++) {
    double *c = rows + i * length;
    memset(c, 0, (degree + 1) * sizeof *c);
    c[0] = path->x0[i];
    for (int l = 0; path->powers && l < path->terms; l++)
      c[l + 1] = brink_path_term(path, l, i) * path->scale[l];
  }
  for (int l = 0; !path->powers && l < path->terms; l++) {
    const double *basis = row(path, l);
    size_t last = degree;
    while (last > 0 && basis[last] == 0.0) last--;
    for (size_t i = 0; i < n; i++) {
      double *c = rows + i * length, weight = brink_path_term(path, l, i) * path->scale[l];
      for (size_t k = 1; k <= last; k++) c[k] += weight * basis[k];
    }
  }
}

void brink_path_combine(const brink_path *path, const size_t *index, const double *w, size_t count,
                        double *c) {
  need_rows(path);
  memset(c, 0, (size_t)(path->degree + 1) * sizeof *c);
  for (int l = 0; l < path->terms; l++) {
    double weight = 0.0;
    for (size_t k = 0; k < count; k++) weight += w[k] * brink_path_term(path, l, index[k]);
    weight *= path->scale[l];
    if (path->powers) {
      c[l + 1] = weight;
      continue;
    }
    const double *basis = row(path, l);
    for (int k = 1; k <= path->degree; k++) c[k] += weight * basis[k];
  }
}

double brink_path_spread(const brink_path *path, size_t i) {
  double sum = 0.0;
  if (path->powers && path->terms > 0) {
    const double *c = brink_path_series(path, i);
    for (int l = 0; l < path->terms; l++) sum += fabs(c[l]) * path->bound[l];
    return sum;
  }
  for (int l = 0; l < path->terms; l++) sum += fabs(brink_path_term(path, l, i)) * path->bound[l];
  return sum;
}

typedef double pair __attribute__((vector_size(16)));
typedef int64_t bits __attribute__((vector_size(16)));

static inline pair sizes_of(pair v) {
  return (pair)((bits)v & (bits){INT64_MAX, INT64_MAX});
}

/* Terms first … last - 1 of a path of powers, two at a time. */
static inline double reach_between(const brink_path *path, const double *c, int first, int last) {
  pair sums = {0.0, 0.0};
  int l = first;
  for (; l + 1 < last; l += 2) {
    pair term, bound;
    memcpy(&term, c + l, sizeof term);
    memcpy(&bound, path->bound + l, sizeof bound);
    sums += sizes_of(term * bound);
  }
  double sum = sums[0] + sums[1];
  if (l < last) sum += fabs(c[l]) * path->bound[l];
  return sum;
}

double brink_path_reach(const brink_path *path, size_t i, int first, double *tail) {
  *tail = 0.0;
  if (path->terms == 0) return 0.0;
  const double *c = brink_path_series(path, i);
  int head = first < path->terms ? first : path->terms;
  if (head < path->terms) *tail = reach_between(path, c, head, path->terms);
  return head > 0 ? reach_between(path, c, 0, head) + *tail : *tail;
}

/* Rows of its own, with the scales worked in. */
static void make_own(brink_path *path) {
  if (path->shared == NULL) return;
  need_rows(path);
  if (path->e != NULL) {
    brink_path_margin(path, path->margin);
    path->margin_row = -1;
  }
  for (int l = 0; l < path->terms; l++) {
    memset(path->own[l], 0, sizeof path->own[l]);
    for (int k = 0; k <= path->degree; k++)
      path->own[l][k] = path->scale[l] * path->shared->c[l][k];
    path->scale[l] = 1.0;
  }
  path->shared = NULL;
}

void brink_path_rescale(brink_path *path, double scale) {
  double power = 1.0;
  if (path->powers) {
    for (int l = 0; l < path->terms; l++) {
      power *= scale;
      path->bound[l] = path->scale[l] *= power;
    }
    path->h *= scale;
    return;
  }
  make_own(path);
  for (int k = 1; k <= path->degree + 1; k++) {
    power *= scale;
    for (int l = 0; l < path->terms && k <= path->degree; l++) path->own[l][k] *= power;
    if (path->e != NULL) path->margin[k] *= power;
  }
  for (int l = 0; l < path->terms; l++) {
    path->bound[l] = 0.0;
    for (int k = 0; k <= path->degree; k++) path->bound[l] += fabs(path->own[l][k]);
  }
  path->h *= scale;
}

/* Each component, expanded about sigma. */
static void rest_of_powers(brink_path *to, const brink_path *from, double sigma, double *memory) {
  int degree = from->degree;
  size_t length = (size_t)degree + 1;
  for (size_t i = 0; i < from->n; i++) {
    double *c = memory + i * length;
    brink_path_component(from, i, c);
    brink_jet_shift(degree, c, sigma, c);
  }
  brink_path_powers(to, memory, length, from->h, degree);
}

void brink_path_rest(brink_path *to, const brink_path *from, double sigma, double t,
                     const double *x0, double *memory) {
  double width = 1.0 - sigma;
  if (from->powers) {
    brink_path_begin(to, t, from->h * width, from->n, x0);
    rest_of_powers(to, from, sigma, memory);
    return;
  }
  *to = *from;
  to->e = NULL;
  to->correction = NULL;
  make_own(to);
  for (int l = 0; l < to->terms; l++) { /* c(sigma + width tau) - c(sigma) */
    double *c = to->own[l], power = 1.0;
    to->bound[l] = 0.0;
    brink_jet_shift(to->degree, c, sigma, c);
    c[0] = 0.0;
    for (int k = 1; k <= to->degree; k++) {
      power *= width;
      c[k] *= power;
      to->bound[l] += fabs(c[k]);
    }
  }
  to->t0 = t;
  to->h = from->h * width;
  to->x0 = x0;
}

/* The rows of the first n components, one after another behind x0. */
static void copy_powers(brink_path *to, const brink_path *from, size_t n, double *memory) {
  size_t length = (size_t)from->terms;
  brink_path_begin(to, from->t0, from->h, n, memory);
  memcpy(memory, from->x0, n * sizeof *memory);
  to->powers = true;
  to->step = length;
  to->terms = to->degree = from->degree;
  for (size_t i = 0; i < n; i++)
    memcpy(memory + n + i * length, from->a[0] + i * from->step, length * sizeof *memory);
  for (int l = 0; l < to->terms; l++) {
    to->a[l] = memory + n + l;
    to->scale[l] = from->scale[l];
    to->bound[l] = from->bound[l];
  }
}

void brink_path_copy(brink_path *to, const brink_path *from, size_t n, double *memory) {
  if (from->powers && from->terms > 0) {
    copy_powers(to, from, n, memory);
    return;
  }
  *to = *from;
  to->n = n;
  to->e = NULL;
  to->correction = NULL;
  make_own(to);
  memcpy(memory, from->x0, n * sizeof *memory);
  to->x0 = memory;
  for (int l = 0; l < to->terms; l++) {
    double *vector = memory + (size_t)(l + 1) * n;
    memcpy(vector, from->a[l], n * sizeof *vector);
    to->a[l] = vector;
  }
}

/* Where the vectors are in memory follows from what kind of path it is. */
static void point_at(brink_path *path, size_t n, const double *memory) {
  path->x0 = memory;
  path->step = path->powers ? (size_t)path->terms : 1;
  for (int l = 0; l < path->terms; l++)
    path->a[l] = path->powers ? memory + n + l : memory + (size_t)(l + 1) * n;
}

void brink_path_archive(brink_path *path, size_t n, int most, double *memory, brink_archive *a) {
  brink_archive_mark(a, "path");
  int terms = path->terms;
  brink_archive_int(a, &terms, 0, most);
  if (a->reads) brink_path_begin(path, 0.0, 0.0, n, memory);
  path->terms = terms;
  if (terms == 0) return;
  brink_archive_double(a, &path->t0);
  brink_archive_double(a, &path->h);
  brink_archive_int(a, &path->degree, 0, BRINK_PATH_DEGREE);
  brink_archive_bool(a, &path->powers);
  bool fits = path->powers ? path->degree == terms
                           : terms <= BRINK_PATH_ROWS && path->degree < BRINK_PATH_LENGTH;
  if (!brink_archive_check(a, fits)) {
    path->terms = path->degree = 0;
    return;
  }
  brink_archive_doubles(a, path->scale, (size_t)terms);
  brink_archive_doubles(a, path->bound, (size_t)terms);
  for (int l = 0; !path->powers && l < terms; l++) {
    brink_archive_doubles(a, path->own[l], BRINK_PATH_LENGTH);
    brink_archive_check(a, path->own[l][0] == 0.0); /* it begins at x0 */
  }
  brink_archive_doubles(a, memory, n * ((size_t)terms + 1));
  if (a->reads) point_at(path, n, memory);
}

void brink_path_relocate(brink_path *path, brink_relocation *moved) {
  BRINK_RELOCATE(moved, path->x0);
  for (size_t l = 0; l < BRINK_PATH_TERMS; l++) BRINK_RELOCATE(moved, path->a[l]);
  BRINK_RELOCATE(moved, path->shared);
  BRINK_RELOCATE(moved, path->correction);
  BRINK_RELOCATE(moved, path->e);
}
