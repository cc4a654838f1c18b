/* flat_matrix_value.c: the values of products, inverses, slices and values for each i that are known before the run (see
 * flat_matrix.c for the same as graphs). */
#include <math.h>
#include <string.h>

#include "lang/flat.h"

static bool at(flat *f, const flat_point *point, const brink_ast_expr *expr, size_t element,
               double *value) {
  flat_point inner = *point;
  inner.element = element;
  return flat_value(f, &inner, expr, value);
}

static bool shape_at(flat *f, const flat_point *point, const brink_ast_expr *expr,
                     flat_shape *shape) {
  return flat_bound_shape(f, point->group, expr, point->binding, shape);
}

static size_t asked(const flat_point *point) {
  return point->element == BRINK_NONE ? 0 : point->element;
}

bool flat_product_value(flat *f, const flat_point *point, const brink_ast_expr *expr, bool *product,
                        double *value) {
  flat_shape a, b;
  *product = false;
  if (!shape_at(f, point, expr->arg[0], &a) || !shape_at(f, point, expr->arg[1], &b)) return false;
  *product = a.rank > 0 && b.rank > 0 && a.rank + b.rank > 2;
  if (!*product) return true;
  size_t e = asked(point), width = b.rank == 1 ? 1 : b.columns;
  for (size_t j = 0; j < a.columns; j++) {
    double x, y;
    if (!at(f, point, expr->arg[0], a.rank == 1 ? j : e / width * a.columns + j, &x) ||
        !at(f, point, expr->arg[1], b.rank == 1 ? j : j * width + e % width, &y))
      return false;
    *value = j == 0 ? x * y : *value + x * y;
  }
  return true;
}

/* ---- elimination, with the largest pivot of each column ---- */

static void exchange(double *a, size_t width, size_t row, size_t n) {
  for (size_t other = row + 1; other < n; other++) {
    if (!(fabs(a[row * width + row]) < fabs(a[other * width + row]))) continue;
    for (size_t k = 0; k < width; k++) {
      double kept = a[row * width + k];
      a[row * width + k] = a[other * width + k];
      a[other * width + k] = kept;
    }
  }
}

/* n rows of A and one right-hand side, which becomes the solution. False: A is singular. */
static bool eliminate(double *a, size_t n) {
  size_t width = n + 1;
  for (size_t row = 0; row < n; row++) {
    exchange(a, width, row, n);
    double pivot = a[row * width + row];
    if (pivot == 0.0 || isnan(pivot)) return false;
    for (size_t other = row + 1; other < n; other++) {
      double factor = a[other * width + row] / pivot;
      for (size_t k = row + 1; k < width; k++)
        a[other * width + k] = a[other * width + k] - factor * a[row * width + k];
    }
  }
  for (size_t row = n; row-- > 0;) {
    double *x = &a[row * width + n];
    for (size_t k = row + 1; k < n; k++) *x = *x - a[row * width + k] * a[k * width + n];
    *x = *x / a[row * width + row];
  }
  return true;
}

static bool solve_value(flat *f, const flat_point *point, const brink_ast_expr *expr,
                        double *value) {
  double a[FLAT_SOLVE_LIMIT * (FLAT_SOLVE_LIMIT + 1)];
  flat_shape of, b;
  if (!shape_at(f, point, expr->arg[0], &of) || !shape_at(f, point, expr, &b)) return false;
  bool inverse = expr->function == BRINK_FN_INVERSE;
  size_t n = of.rows, m = b.rank == 2 ? b.columns : 1, e = asked(point), column = e % m;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < n; k++) {
      if (!at(f, point, expr->arg[0], i * n + k, &a[i * (n + 1) + k])) return false;
    }
    double *right = &a[i * (n + 1) + n];
    if (inverse)
      *right = i == column ? 1.0 : 0.0;
    else if (!at(f, point, expr->arg[1], i * m + column, right))
      return false;
  }
  if (!eliminate(a, n)) {
    flat_error(f, BRINK_MSG_MATRIX_SINGULAR, expr->place, NULL, "'%s' of a singular matrix",
               expr->text);
    return false;
  }
  *value = a[e / m * (n + 1) + n];
  return true;
}

/* ---- the rest ---- */

bool flat_each_bounds(flat *f, const flat_point *point, const brink_ast_expr *expr, int64_t *lo,
                      int64_t *hi) {
  if (!flat_whole(f, point, expr->arg[1], "the loop's start", INT32_MIN, INT32_MAX, lo) ||
      !flat_whole(f, point, expr->arg[2], "the loop's end", INT32_MIN, INT32_MAX, hi))
    return false;
  if (*hi >= *lo && *hi - *lo < (int64_t)FLAT_LIMIT) return true;
  if (*hi >= *lo) {
    flat_error(f, BRINK_MSG_TOO_MANY_ELEMENTS, expr->place, NULL, "'%s' has more than %zu elements",
               brink_unit_format(f->unit, "i in %lld..%lld", (long long)*lo, (long long)*hi),
               FLAT_LIMIT);
    return false;
  }
  flat_error(f, BRINK_MSG_NOTHING_FOR_EACH, expr->place, NULL,
             "there are no values for i in %lld..%lld", (long long)*lo, (long long)*hi);
  return false;
}

bool flat_each_value(flat *f, const flat_point *point, const brink_ast_expr *expr, double *value) {
  int64_t lo, hi;
  flat_shape shape;
  if (!flat_each_bounds(f, point, expr, &lo, &hi) || !shape_at(f, point, expr, &shape))
    return false;
  size_t inner = shape.rank == 2 ? shape.columns : 1, e = asked(point);
  flat_binding binding = {
      .symbol = expr->loop, .value = (double)(lo + (int64_t)(e / inner)), .outer = point->binding};
  flat_point one = *point;
  one.binding = &binding;
  one.element = shape.rank == 2 ? e % inner : BRINK_NONE;
  return flat_value(f, &one, expr->arg[0], value);
}

static bool extreme_value(flat *f, const flat_point *point, const brink_ast_expr *expr,
                          double *value) {
  size_t length = flat_bound_length(f, point->group, expr->arg[0], point->binding);
  bool least = expr->function == BRINK_FN_MIN || expr->function == BRINK_FN_ARGMIN;
  double best = 0.0, other;
  size_t place = 0;
  for (size_t k = 0; k < length; k++) {
    if (!at(f, point, expr->arg[0], k, &other)) return false;
    if (k > 0 && !(least ? other < best : other > best)) continue;
    best = other;
    place = k;
  }
  bool asks = expr->function == BRINK_FN_ARGMIN || expr->function == BRINK_FN_ARGMAX;
  *value = asks ? (double)(place + 1) : best;
  return length > 0;
}

bool flat_matrix_value(flat *f, const flat_point *point, const brink_ast_expr *expr,
                       double *value) {
  flat_shape of;
  size_t e = asked(point);
  switch (expr->function) {
  case BRINK_FN_TRANSPOSE:
    return shape_at(f, point, expr->arg[0], &of) &&
           at(f, point, expr->arg[0], e % of.rows * of.columns + e / of.rows, value);
  case BRINK_FN_IDENTITY:
    if (!shape_at(f, point, expr, &of)) return false;
    *value = e / of.rows == e % of.rows ? 1.0 : 0.0;
    return true;
  case BRINK_FN_SIZE:
    if (!shape_at(f, point, expr->arg[0], &of)) return false;
    *value = (double)flat_size_value(expr, of);
    return true;
  case BRINK_FN_INVERSE:
  case BRINK_FN_SOLVE:
    return solve_value(f, point, expr, value);
  default:
    return extreme_value(f, point, expr, value);
  }
}
