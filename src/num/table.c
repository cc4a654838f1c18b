/* table.c: functions that are given by values on a grid, as pieces of polynomials.
 *
 * Problem: between the knots of a grid, a function with the values z of the knots; beyond the grid, as is asked for.
 *
 * Method: on each interval a polynomial of at most third degree, by the values z and slopes s at its ends (Hermite). What
 * the kinds differ in is the slopes:
 *
 *   monotone cubic   F. N. Fritsch, R. E. Carlson, "Monotone piecewise cubic interpolation" (SIAM J. Numer. Anal. 17,
 *                    1980), with the slopes of F. N. Fritsch, J. Butland, "A method for constructing local monotone
 *                    piecewise cubic interpolants" (SIAM J. Sci. Stat. Comput. 5, 1984): the weighted harmonic mean of
 *                    the neighbouring secants, 0 where these differ in sign; at the ends the three-point formula, cut so
 *                    that the shape is kept. These are the slopes of PCHIP, and of SciPy's PchipInterpolator.
 *   natural spline   the slopes that make the second derivative continuous, and 0 at both ends: a tridiagonal system.
 *   linear, hold     need none.
 *
 * Two inputs: polynomials in both, one for each cell, by z, its slopes along u and along v, and the mixed derivative
 * at the corners. For the spline, all are slopes of splines along one input; the order in which they are taken
 * does not matter (the tensor product). Slopes of the monotone kind are no linear functions of the values, so the order
 * would matter: the mixed derivative is the mean of both. On the lines of the grid the function is the monotone one of
 * one input, and u*v is met exactly; between the lines it is smooth, but monotone only as far as the data are benign.
 *
 * Beyond the grid there are pieces, too, unless the last one goes on. */
#include "num/table.h"

#include <math.h>

/* ---- slopes along a line of knots ---- */

/* The values of a line: z[k*stride]. */
typedef struct line {
  const double *x, *z;
  size_t count, stride;
} line;

static double width(const line *l, size_t k) {
  return l->x[k + 1] - l->x[k];
}

static double secant(const line *l, size_t k) {
  return (l->z[(k + 1) * l->stride] - l->z[k * l->stride]) / width(l, k);
}

static int sign_of(double a) {
  return (a > 0.0) - (a < 0.0);
}

/* At the end of the line next to the secant m0, whose neighbour is m1. */
static double monotone_end(double h0, double h1, double m0, double m1) {
  double s = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1);
  if (sign_of(s) != sign_of(m0)) return 0.0;
  if (sign_of(m0) != sign_of(m1) && fabs(s) > 3.0 * fabs(m0)) return 3.0 * m0;
  return s;
}

static double monotone_inside(double h0, double h1, double m0, double m1) {
  if (sign_of(m0) * sign_of(m1) <= 0) return 0.0;
  double w0 = 2.0 * h1 + h0, w1 = h1 + 2.0 * h0;
  return (w0 + w1) / (w0 / m0 + w1 / m1);
}

static void monotone_slopes(const line *l, double *s) {
  size_t last = l->count - 1;
  for (size_t k = 1; k < last; k++)
    s[k * l->stride] =
        monotone_inside(width(l, k - 1), width(l, k), secant(l, k - 1), secant(l, k));
  s[0] = monotone_end(width(l, 0), width(l, 1), secant(l, 0), secant(l, 1));
  s[last * l->stride] = monotone_end(width(l, last - 1), width(l, last - 2), secant(l, last - 1),
                                     secant(l, last - 2));
}

/* h[k] s[k-1] + 2 (h[k-1] + h[k]) s[k] + h[k-1] s[k+1] = 3 (h[k] m[k-1] + h[k-1] m[k]), and at the ends
 * 2 s[0] + s[1] = 3 m[0]; elimination from the left (the matrix is diagonally dominant). `above`: scratch. */
static void spline_slopes(const line *l, double *s, double *above) {
  size_t last = l->count - 1, stride = l->stride;
  above[0] = 0.5;
  s[0] = 1.5 * secant(l, 0);
  for (size_t k = 1; k <= last; k++) {
    double h0 = width(l, k - 1), h1 = k < last ? width(l, k) : 0.0;
    double below = k < last ? h1 : 1.0, middle = k < last ? 2.0 * (h0 + h1) : 2.0;
    double right = 3.0 * (k < last ? h1 * secant(l, k - 1) + h0 * secant(l, k) : secant(l, k - 1));
    double pivot = middle - below * above[k - 1];
    above[k] = h0 / pivot;
    s[k * stride] = (right - below * s[(k - 1) * stride]) / pivot;
  }
  for (size_t k = last; k-- > 0;) s[k * stride] -= above[k] * s[(k + 1) * stride];
}

/* s[k*stride]: the slopes of the values of a line. */
static void find_slopes(brink_table_kind kind, const line *l, double *s, double *above) {
  if (l->count == 2)
    s[0] = s[l->stride] = secant(l, 0);
  else if (kind == BRINK_TABLE_SPLINE)
    spline_slopes(l, s, above);
  else
    monotone_slopes(l, s);
}

/* ---- pieces ---- */

/* Where a piece lies: between knots `first` and `first` + 1, or beyond the end at knot `first`. */
typedef struct piece {
  size_t first;
  bool beyond;
} piece;

/* Are there pieces of their own beyond the ends? A straight line, or a step, goes on, unless nothing may lie there. */
static bool has_outer(const brink_gridded *t) {
  if (t->beyond == BRINK_BEYOND_ERROR) return true;
  if (t->kind == BRINK_TABLE_LINEAR) return t->beyond == BRINK_BEYOND_HOLD;
  return t->kind != BRINK_TABLE_HOLD;
}

/* A step begins at the last knot, too. */
static size_t count_pieces(const brink_gridded *t, size_t nknots) {
  if (has_outer(t)) return nknots + 1;
  return t->kind == BRINK_TABLE_HOLD ? nknots : nknots - 1;
}

static piece piece_at(const brink_gridded *t, const brink_table_axis *axis, size_t k) {
  size_t last = axis->nknots - 1;
  if (!has_outer(t)) return (piece){.first = k, .beyond = k == last};
  if (k == 0) return (piece){.first = 0, .beyond = true};
  return (piece){.first = k - 1, .beyond = k - 1 == last};
}

static bool make_axis(const brink_gridded *t, brink_table_axis *axis, brink_arena *arena) {
  size_t n = axis->npieces = count_pieces(t, axis->nknots);
  axis->bounds = brink_arena_take(arena, n + 1, sizeof *axis->bounds);
  axis->origins = brink_arena_take(arena, n, sizeof *axis->origins);
  if (axis->bounds == NULL || axis->origins == NULL) return false;
  for (size_t k = 0; k < n; k++) {
    piece p = piece_at(t, axis, k);
    axis->origins[k] = axis->x[p.first];
    axis->bounds[k] = axis->x[p.first];
  }
  axis->bounds[0] = -BRINK_TABLE_FAR;
  axis->bounds[n] = BRINK_TABLE_FAR;
  return true;
}

/* The polynomial of a piece by values and slopes at its ends. */
static void piece_terms(const brink_gridded *t, const brink_table_axis *axis, piece p,
                        const double z[2], const double s[2], double *c) {
  c[0] = z[0];
  if (t->kind == BRINK_TABLE_HOLD) return;
  double h = p.beyond ? 1.0 : axis->x[p.first + 1] - axis->x[p.first], m = (z[1] - z[0]) / h;
  if (t->kind == BRINK_TABLE_LINEAR) {
    c[1] = p.beyond ? 0.0 : m;
    return;
  }
  c[1] = p.beyond && t->beyond == BRINK_BEYOND_HOLD ? 0.0 : s[0];
  c[2] = p.beyond ? 0.0 : (3.0 * m - 2.0 * s[0] - s[1]) / h;
  c[3] = p.beyond ? 0.0 : (s[0] + s[1] - 2.0 * m) / (h * h);
}

/* ---- one input ---- */

static bool fill_one(brink_gridded *t, brink_arena *scratch) {
  const brink_table_axis *axis = &t->axis[0];
  size_t n = axis->nknots;
  line l = {.x = axis->x, .z = t->values, .count = n, .stride = 1};
  double *s = brink_arena_take(scratch, n, sizeof *s);
  double *above = brink_arena_take(scratch, n, sizeof *above);
  if (s == NULL || above == NULL) return false;
  if (t->terms == 4) find_slopes(t->kind, &l, s, above);
  for (size_t k = 0; k < axis->npieces; k++) {
    piece p = piece_at(t, axis, k);
    size_t next = p.beyond ? p.first : p.first + 1;
    piece_terms(t, axis, p, (double[]){t->values[p.first], t->values[next]},
                (double[]){s[p.first], s[next]}, &t->coefficients[k * t->terms]);
  }
  return true;
}

/* ---- two inputs ---- */

/* At each knot: the value, its slopes along u and v, the mixed derivative. */
typedef struct grid {
  const double *z;
  double *zu, *zv, *zuv;
  size_t nu, nv;
} grid;

static void slopes_along(const brink_gridded *t, int input, const double *z, double *s,
                         double *above) {
  size_t nu = t->axis[0].nknots, nv = t->axis[1].nknots;
  line l = {.x = t->axis[input].x, .count = input == 0 ? nu : nv, .stride = input == 0 ? nv : 1};
  for (size_t k = 0; k < (input == 0 ? nv : nu); k++) {
    size_t start = input == 0 ? k : k * nv;
    l.z = z + start;
    find_slopes(t->kind, &l, s + start, above);
  }
}

static bool make_grid(const brink_gridded *t, brink_arena *scratch, grid *g) {
  *g = (grid){.z = t->values, .nu = t->axis[0].nknots, .nv = t->axis[1].nknots};
  size_t count = g->nu * g->nv;
  g->zu = brink_arena_take(scratch, count, sizeof(double));
  g->zv = brink_arena_take(scratch, count, sizeof(double));
  g->zuv = brink_arena_take(scratch, count, sizeof(double));
  double *other = brink_arena_take(scratch, count, sizeof(double));
  double *above = brink_arena_take(scratch, g->nu > g->nv ? g->nu : g->nv, sizeof(double));
  if (scratch->failed) return false;
  if (t->terms < 4) return true;
  slopes_along(t, 0, g->z, g->zu, above);
  slopes_along(t, 1, g->z, g->zv, above);
  slopes_along(t, 0, g->zv, g->zuv, above);
  if (t->kind == BRINK_TABLE_SPLINE) return true;
  slopes_along(t, 1, g->zu, other, above);
  for (size_t k = 0; k < count; k++) g->zuv[k] = 0.5 * (g->zuv[k] + other[k]);
  return true;
}

/* Along u first: values and slopes along v of its terms, at both ends in v; then along v, term by term. */
static void fill_cell(brink_gridded *t, const grid *g, size_t i, size_t j) {
  piece pu = piece_at(t, &t->axis[0], i), pv = piece_at(t, &t->axis[1], j);
  size_t u0 = pu.first, u1 = pu.beyond ? u0 : u0 + 1, v[2] = {pv.first, pv.first};
  if (!pv.beyond) v[1]++;
  double terms[2][4] = {{0}}, slopes[2][4] = {{0}};
  for (int end = 0; end < 2; end++) {
    size_t at0 = u0 * g->nv + v[end], at1 = u1 * g->nv + v[end];
    piece_terms(t, &t->axis[0], pu, (double[]){g->z[at0], g->z[at1]},
                (double[]){g->zu[at0], g->zu[at1]}, terms[end]);
    piece_terms(t, &t->axis[0], pu, (double[]){g->zv[at0], g->zv[at1]},
                (double[]){g->zuv[at0], g->zuv[at1]}, slopes[end]);
  }
  double *c = &t->coefficients[(i * t->axis[1].npieces + j) * t->terms * t->terms];
  for (size_t a = 0; a < t->terms; a++)
    piece_terms(t, &t->axis[1], pv, (double[]){terms[0][a], terms[1][a]},
                (double[]){slopes[0][a], slopes[1][a]}, &c[a * t->terms]);
}

static bool fill_two(brink_gridded *t, brink_arena *scratch) {
  grid g;
  if (!make_grid(t, scratch, &g)) return false;
  for (size_t i = 0; i < t->axis[0].npieces; i++)
    for (size_t j = 0; j < t->axis[1].npieces; j++) fill_cell(t, &g, i, j);
  return true;
}

/* ---- from outside ---- */

bool brink_table_make(brink_gridded *t, brink_arena *arena, bool *too_large) {
  t->terms = t->kind == BRINK_TABLE_HOLD ? 1 : t->kind == BRINK_TABLE_LINEAR ? 2 : 4;
  size_t count = 1;
  *too_large = false;
  for (int k = 0; k < t->inputs; k++) {
    if (t->axis[k].nknots > BRINK_TABLE_LIMIT) *too_large = true;
    if (!*too_large) count *= count_pieces(t, t->axis[k].nknots) * t->terms;
    if (count > BRINK_TABLE_LIMIT) *too_large = true;
    if (*too_large) return false;
  }
  for (int k = 0; k < t->inputs; k++)
    if (!make_axis(t, &t->axis[k], arena)) return false;
  t->coefficients = brink_arena_take(arena, count, sizeof *t->coefficients);
  if (t->coefficients == NULL) return false;
  brink_arena scratch;
  brink_arena_init(&scratch, &arena->allocator);
  bool ok = t->inputs == 1 ? fill_one(t, &scratch) : fill_two(t, &scratch);
  if (!ok) arena->failed = true;
  brink_arena_free(&scratch);
  return ok;
}

size_t brink_table_find(const double *bounds, size_t npieces, double u) {
  size_t low = 0, high = npieces; /* bounds[low] <= u < bounds[high], if anywhere */
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (u >= bounds[middle])
      low = middle;
    else
      high = middle;
  }
  return low;
}

size_t brink_table_passed(const double *times, size_t count, double t, bool backward) {
  if (backward) t = nextafter(t, (double)-INFINITY);
  return count > 0 && times[0] <= t ? brink_table_find(times, count, t) + 1 : 0;
}

/* c[0] + d (c[1] + d (c[2] + …)) */
static double horner(const double *c, size_t terms, double d) {
  double value = c[terms - 1];
  for (size_t k = terms - 1; k-- > 0;) value = c[k] + d * value;
  return value;
}

double brink_table_value(const brink_gridded *t, const double *u) {
  size_t at[2] = {0, 0};
  double d[2] = {0.0, 0.0}, by_u[4];
  for (int k = 0; k < t->inputs; k++) {
    at[k] = brink_table_find(t->axis[k].bounds, t->axis[k].npieces, u[k]);
    d[k] = u[k] - t->axis[k].origins[at[k]];
  }
  if (t->inputs == 1) return horner(&t->coefficients[at[0] * t->terms], t->terms, d[0]);
  const double *c = &t->coefficients[(at[0] * t->axis[1].npieces + at[1]) * t->terms * t->terms];
  for (size_t a = 0; a < t->terms; a++) by_u[a] = horner(&c[a * t->terms], t->terms, d[1]);
  return horner(by_u, t->terms, d[0]);
}
