/* statistics.c: what the residuals and their derivatives say about the knobs.
 *
 * Problem: r(z), m weighted residuals, J = dr/dz at the best z. To first order z is normally distributed about the truth
 * with the covariance s^2 (J^T J)^-1 (Bates & Watts 1988, section 2.2): s = 1 where every standard deviation is known,
 * else s^2 = r.r / (m - n), and intervals are those of Student's t with m - n degrees of freedom.
 *
 * Method: columns are scaled to length 1; C = J^T J then is a matrix of cosines, and its eigenvalues say how well the data
 * tell the knobs apart. They are found by Jacobi's rotations (Golub & Van Loan 2013, section 8.5). A direction whose
 * eigenvalue is below 1e-10 (J is known to six digits or so, its square to twice that) is not determined, and neither is a
 * knob with a share of more than a tenth in it. The inverse is taken over the other directions.
 *
 * A knob at its bound is fixed there and has no interval. Intervals of knobs that are looked for in their logarithm are
 * symmetric there. They can fail where the model is far from linear within the interval, or where an event appears or
 * vanishes within it: solve.c looks at the ends of the intervals. */
#include <math.h>
#include <string.h>

#include "fit/fit_parts.h"

#define NO_EIGENVALUE 1e-10 /* see above */
#define NO_SHARE 0.1
/* Of the size of the data: what moves residuals less than this over all of its bounds has no effect. */
#define NO_EFFECT 1e-9

typedef struct analysis {
  size_t n;
  double *norm;    /* of the columns; 0: fixed, or without effect */
  double *c, *v;   /* cosines, rotated to their eigenvalues; eigenvectors by columns */
  double *inverse; /* of c, over what is determined */
  double *g;       /* scaled J^T r */
} analysis;

/* ---- sizes ---- */

/* The root mean square of the data in standard deviations. */
static double data_size(const brink_fit *fit) {
  double sum = 0.0;
  for (size_t k = 0; k < fit->ndata; k++) {
    double y = fit->data[k].y / fit->data[k].sigma;
    sum += y * y;
  }
  return sqrt(sum / (double)fit->ndata);
}

static double column_norm(const brink_fit *fit, const brink_fit_point *point, size_t j) {
  double sum = 0.0;
  for (size_t k = 0; k < fit->ndata; k++) {
    double entry = point->jacobian[k * fit->n + j];
    sum += entry * entry;
  }
  return sqrt(sum);
}

bool brink_fit_has_effect(const brink_fit *fit, const brink_fit_point *point, size_t k) {
  const brink_fit_knob *knob = &fit->knobs[k];
  double range = brink_fit_share_slope(knob, brink_fit_share(knob, point->z[k]));
  double size = data_size(fit) * sqrt((double)fit->ndata);
  return column_norm(fit, point, k) * range > NO_EFFECT * size;
}

static size_t count_free(const brink_fit *fit, const bool *fixed) {
  size_t count = 0;
  for (size_t k = 0; k < fit->n; k++) count += !fixed[k];
  return count;
}

/* What one residual is expected to be. */
static double scale_of(const brink_fit *fit, const brink_fit_point *point, const bool *fixed) {
  size_t nfree = count_free(fit, fixed);
  if (fit->result.sigma_known || fit->ndata <= nfree) return 1.0;
  return sqrt(point->sum / (double)(fit->ndata - nfree));
}

/* ---- eigenvalues ---- */

static void rotate(double *a, double *v, size_t n, size_t p, size_t q) {
  double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * a[p * n + q]);
  double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + hypot(theta, 1.0));
  double c = 1.0 / hypot(t, 1.0), s = t * c;
  for (size_t k = 0; k < n; k++) {
    double x = a[k * n + p], y = a[k * n + q];
    a[k * n + p] = c * x - s * y;
    a[k * n + q] = s * x + c * y;
  }
  for (size_t k = 0; k < n; k++) {
    double x = a[p * n + k], y = a[q * n + k];
    a[p * n + k] = c * x - s * y;
    a[q * n + k] = s * x + c * y;
  }
  for (size_t k = 0; k < n; k++) {
    double x = v[k * n + p], y = v[k * n + q];
    v[k * n + p] = c * x - s * y;
    v[k * n + q] = s * x + c * y;
  }
}

/* Eigenvalues onto the diagonal of a, eigenvectors into the columns of v. Convergence is quadratic: sweeps are few. */
static void find_eigenvalues(double *a, double *v, size_t n) {
  for (size_t k = 0; k < n * n; k++) v[k] = k % (n + 1) == 0 ? 1.0 : 0.0;
  for (int sweep = 0; sweep < 50; sweep++) {
    double off = 0.0;
    for (size_t p = 0; p < n; p++) {
      for (size_t q = p + 1; q < n; q++) {
        off += fabs(a[p * n + q]);
        if (fabs(a[p * n + q]) > 1e-300) rotate(a, v, n, p, q);
      }
    }
    if (off < 1e-16) return;
  }
}

/* ---- the analysis of one point ---- */

static void fill(const brink_fit *fit, const brink_fit_point *point, const bool *fixed,
                 analysis *a) {
  size_t n = fit->n, m = fit->ndata;
  for (size_t j = 0; j < n; j++)
    a->norm[j] =
        fixed[j] || !brink_fit_has_effect(fit, point, j) ? 0.0 : column_norm(fit, point, j);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      double sum = 0.0;
      if (a->norm[i] > 0.0 && a->norm[j] > 0.0) {
        for (size_t k = 0; k < m; k++)
          sum +=
              point->jacobian[k * n + i] / a->norm[i] * (point->jacobian[k * n + j] / a->norm[j]);
      }
      a->c[i * n + j] = sum;
    }
    a->g[i] = 0.0;
    for (size_t k = 0; k < m && a->norm[i] > 0.0; k++)
      a->g[i] += point->jacobian[k * n + i] / a->norm[i] * point->r[k];
  }
}

static void invert(analysis *a) {
  size_t n = a->n;
  find_eigenvalues(a->c, a->v, n);
  for (size_t i = 0; i < n * n; i++) a->inverse[i] = 0.0;
  for (size_t e = 0; e < n; e++) {
    double eigenvalue = a->c[e * n + e];
    if (eigenvalue < NO_EIGENVALUE) continue;
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < n; j++)
        a->inverse[i * n + j] += a->v[i * n + e] * a->v[j * n + e] / eigenvalue;
    }
  }
}

static bool analyse(const brink_fit *fit, const brink_fit_point *point, const bool *fixed,
                    brink_arena *arena, analysis *a) {
  size_t n = fit->n;
  *a = (analysis){.n = n,
                  .norm = brink_arena_take(arena, n, sizeof(double)),
                  .c = brink_arena_take(arena, n * n, sizeof(double)),
                  .v = brink_arena_take(arena, n * n, sizeof(double)),
                  .inverse = brink_arena_take(arena, n * n, sizeof(double)),
                  .g = brink_arena_take(arena, n, sizeof(double))};
  if (arena->failed) return false;
  fill(fit, point, fixed, a);
  invert(a);
  return true;
}

double brink_fit_remaining(const brink_fit *fit, const brink_fit_point *point, const bool *fixed) {
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  analysis a;
  double left = (double)INFINITY;
  if (point->has_jacobian && !analyse(fit, point, fixed, &arena, &a)) {
    left = -1.0;
  } else if (point->has_jacobian) {
    double sum = 0.0;
    for (size_t i = 0; i < a.n; i++) {
      for (size_t j = 0; j < a.n; j++) sum += a.g[i] * a.inverse[i * a.n + j] * a.g[j];
    }
    /* Runs are exact to their tolerance only: a smaller step says nothing. */
    double floor = 10.0 * fmax(fit->options.sim.rtol, 1e-12) * data_size(fit);
    left = sqrt(fmax(sum, 0.0)) / fmax(scale_of(fit, point, fixed), floor);
  }
  brink_arena_free(&arena);
  return left;
}

/* ---- the result ---- */

/* Has a knob a share in a direction that the data do not determine? */
static bool is_undetermined(const analysis *a, size_t k) {
  if (a->norm[k] == 0.0) return true;
  for (size_t e = 0; e < a->n; e++) {
    if (a->c[e * a->n + e] < NO_EIGENVALUE && fabs(a->v[k * a->n + e]) > NO_SHARE) return true;
  }
  return false;
}

static void set_interval(const brink_fit *fit, brink_fit_value *value, size_t k, double quantile) {
  double half = quantile * value->standard_error;
  if (fit->knobs[k].log) {
    value->lo = value->value * exp(-half / value->value);
    value->hi = value->value * exp(half / value->value);
  } else {
    value->lo = value->value - half;
    value->hi = value->value + half;
  }
}

static void set_values(const brink_fit *fit, const brink_fit_point *point, const bool *fixed,
                       const analysis *a, brink_fit_value *values) {
  const brink_fit_result *result = &fit->result;
  double freedom = result->sigma_known ? (double)INFINITY : (double)result->freedom;
  bool scaled = result->sigma_known || result->freedom > 0;
  double quantile =
      scaled ? brink_student_quantile(0.5 + 0.5 * fit->def.confidence, freedom) : (double)NAN;
  double s = result->sigma_known ? 1.0 : result->scale;
  for (size_t k = 0; k < fit->n; k++) {
    values[k] = (brink_fit_value){.name = fit->names[k],
                                  .value = point->z[k],
                                  .standard_error = (double)NAN,
                                  .lo = (double)NAN,
                                  .hi = (double)NAN,
                                  .at_bound = fixed[k]};
    values[k].undetermined = !fixed[k] && a != NULL && is_undetermined(a, k);
    if (fixed[k] || a == NULL || values[k].undetermined || !scaled) continue;
    values[k].standard_error = s * sqrt(a->inverse[k * a->n + k]) / a->norm[k];
    set_interval(fit, &values[k], k, quantile);
  }
}

static void set_matrices(const brink_fit *fit, const analysis *a, const brink_fit_value *values,
                         double *correlation, double *covariance) {
  size_t n = fit->n;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      double si = values[i].standard_error, sj = values[j].standard_error;
      bool known = a != NULL && !isnan(si) && !isnan(sj);
      double entry =
          known ? a->inverse[i * n + j] / sqrt(a->inverse[i * n + i] * a->inverse[j * n + j])
                : (double)NAN;
      correlation[i * n + j] = known && i == j ? 1.0 : entry;
      covariance[i * n + j] = correlation[i * n + j] * si * sj;
    }
  }
}

static void list_residuals(const brink_fit *fit, const brink_fit_point *point,
                           brink_fit_residual *residuals) {
  for (size_t k = 0; k < fit->ndata; k++) {
    const brink_datum *datum = &fit->data[k];
    const brink_measured *measured = &fit->measured[datum->of];
    residuals[k] = (brink_fit_residual){.name = measured->name,
                                        .event = measured->event,
                                        .occurrence = measured->event ? datum->occurrence + 1 : 0,
                                        .t = datum->t,
                                        .measured = datum->y,
                                        .model = point->model[k],
                                        .sigma = datum->sigma,
                                        .residual = point->r[k],
                                        .missing = measured->event && point->absent[k]};
  }
}

bool brink_fit_judge(brink_fit *fit, const brink_fit_point *point, const bool *fixed) {
  brink_arena *arena = &fit->solution;
  brink_fit_result *result = &fit->result;
  size_t n = fit->n, m = fit->ndata, nfree = count_free(fit, fixed);
  analysis a;
  if (point->has_jacobian && !analyse(fit, point, fixed, arena, &a)) return false;
  brink_fit_value *values = brink_arena_take(arena, n, sizeof *values);
  double *correlation = brink_arena_take(arena, n * n, sizeof *correlation);
  double *covariance = brink_arena_take(arena, n * n, sizeof *covariance);
  brink_fit_residual *residuals = brink_arena_take(arena, m, sizeof *residuals);
  if (arena->failed) return false;
  result->sum = point->sum;
  result->ndata = result->nresiduals = m;
  result->freedom = m - nfree;
  result->scale = result->freedom > 0 ? sqrt(point->sum / (double)result->freedom) : (double)NAN;
  result->confidence = fit->def.confidence;
  result->probability = result->sigma_known && result->freedom > 0
                            ? brink_chi_square_above(point->sum, (double)result->freedom)
                            : (double)NAN;
  const analysis *made = point->has_jacobian ? &a : NULL;
  set_values(fit, point, fixed, made, values);
  set_matrices(fit, made, values, correlation, covariance);
  list_residuals(fit, point, residuals);
  result->nknobs = n;
  result->values = values;
  result->correlation = correlation;
  result->covariance = covariance;
  result->residuals = residuals;
  return true;
}
