/* adams.c: Adams methods of variable step and order 1 to 12, predict-evaluate-correct-evaluate.
 *
 * The problem  x' = f(t, x), with a history of f at t_k, t_{k-1}, … at any spacing.
 * The method   The predictor of order m integrates the polynomial through the last m values of f,
 *              the corrector of order m+1 the one through these and f at the predicted point
 *              (Esposito & Kumar 2007, eqs. 4, 5; Shampine & Gordon 1975, ch. 5 for the form used
 *              here). Differences are kept modified, so that they have the unit of f whatever the
 *              spacing:
 *                  phi_i = s_1 s_2 … s_i  f[t_k, …, t_{k-i}],      s_i = t_k - t_{k-i}.
 *              With w_i(s) = s (s + s_1) … (s + s_{i-1}) and u_i(sigma) = w_i(sigma h)/w_i(h), all
 *              that is needed follows from one table of polynomials, G_i(sigma) = h int_0^sigma u_i:
 *                  predictor   x + sum_{i<m} beta_i phi_i G_i(sigma),  beta_i = w_i(h)/(s_1 … s_i)
 *                  corrector   predictor + d G_m(sigma),  d = f^p - sum_{i<m} beta_i phi_i
 *                  error       of order q: |G_q(1) - G_{q-1}(1)| |d_q|,  d_m = d,
 *                              d_{q-1} = d_q + beta_{q-1} phi_{q-1}
 *              The last line is the exact Milne estimate for unequal steps; it is C(h) |x^p - x^c|
 *              with a C(h) that is the constant of the paper's eq. 16 only for constant steps.
 * Deviations   The corrected value of order m+1 is the one kept (local extrapolation), the error
 *              controlled is that of order m. Step ratios are not held constant to save work: the
 *              table costs O(m^2) once for all components.
 * The margin   One more difference than the predictor uses says how far the corrector will move the
 *              point: |beta_m phi_m G_m(sigma)|. Guards use it to keep their distance.
 * How it fails On stiff problems the step stays small for stability; there is no warning yet. */
#include "ode/stepper.h"

#include <math.h>
#include <string.h>

#define MAX_ORDER 12
/* phi_0 … phi_{MAX_ORDER+1}: one more for the margin, one to raise the order. */
#define DIFFERENCES (MAX_ORDER + 2)

#define SAFETY 0.3          /* of the tolerance is aimed at */
#define BIAS_LOWER 1.0      /* what holds against a lower order, */
#define BIAS_HIGHER 1.5     /* and against a higher one */
#define GROWTH_FIRST 1000.0 /* after the first step: the error of Euler's method is known well */
#define TELLING 1e-9        /* … unless it is so small that it says nothing */
#define GROWTH_START 8.0    /* while the order is still being built up */
#define GROWTH 2.0          /* variable-step Adams methods are safe up to here at every order */
#define KEEP_LOW 0.9        /* a step is only changed when it is worth a change */
#define KEEP_HIGH 1.15

/* 1/(k + 1) */
static const double reciprocal[DIFFERENCES + 2] = {
    1.0,     1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,  1.0 / 7,  1.0 / 8,
    1.0 / 9, 1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13, 1.0 / 14, 1.0 / 15, 1.0 / 16,
};

typedef struct adams {
  double *phi[DIFFERENCES];  /* one behind another */
  double *f_predicted;       /* n */
  double *d;                 /* n: the corrector's difference */
  double *scratch;           /* n */
  int count;                 /* valid differences: phi[0] … phi[count-1] */
  double s[DIFFERENCES + 1]; /* s[i] = t_k - t_{k-i}; s[0] = 0 */
  bool starting;
  int failures;    /* of the present step */
  double h_wanted; /* by the error control, before events and limits cut it */

  /* For a step of size table_h: */
  double table_h;
  int table_order;
  double beta[DIFFERENCES];
  double g1[DIFFERENCES + 1]; /* G_i(1) */
  brink_path_rows rows;       /* G_i(sigma), when somebody asks */
} adams;

static void work_out_rows(brink_path_rows *rows);

static bool create(brink_stepper *st, brink_arena *arena) {
  adams *a = brink_arena_take(arena, 1, sizeof *a);
  if (a == NULL) return false;
  st->method = a;
  a->rows.work_out = work_out_rows;
  a->rows.owner = a;
  double *phi = brink_arena_take(arena, DIFFERENCES * st->n, sizeof(double));
  if (phi == NULL) return false;
  for (size_t i = 0; i < DIFFERENCES; i++) a->phi[i] = phi + i * st->n;
  a->f_predicted = brink_arena_take(arena, st->n, sizeof(double));
  a->d = brink_arena_take(arena, st->n, sizeof(double));
  a->scratch = brink_arena_take(arena, st->n, sizeof(double));
  return a->f_predicted != NULL && a->d != NULL && a->scratch != NULL;
}

static brink_try start(brink_stepper *st) {
  adams *a = st->method;
  brink_try outcome = brink_stepper_begin(st);
  if (outcome != BRINK_TRY_OK) return outcome;
  memcpy(a->phi[0], st->f, st->n * sizeof(double));
  a->count = 1;
  a->s[0] = 0.0;
  a->starting = true;
  a->failures = 0;
  a->table_h = NAN; /* none */
  st->order = 1;
  st->h_next = st->options->step > 0.0 ? st->options->step : 0.0;
  return BRINK_TRY_OK;
}

/* G_i(1) and beta_i of this step size, up to i = m+1 (Shampine & Gordon 1975, ch. 5): with
 * alpha_i = h/(h + s_{i-1}),  c_{0,q} = 1/q,  c_{i,q} = c_{i-1,q} - alpha_i c_{i-1,q+1},
 * G_i(1) = h c_{i,1}. */
static void build_table(adams *a, int m, double h) {
  if (a->table_h == h && a->table_order == m) return;
  a->table_h = h;
  a->table_order = m;
  a->rows.ready = false;
  int top = m + 1 < DIFFERENCES ? m + 1 : DIFFERENCES - 1;
  double c[DIFFERENCES + 2];
  for (int q = 0; q <= top; q++) c[q] = reciprocal[q];
  double beta = 1.0;
  a->g1[0] = h;
  for (int i = 0;; i++) {
    if (i < a->count) a->beta[i] = beta;
    if (i == top) break;
    double si = i < a->count ? a->s[i] : 0.0, sum = h + si;
    if (i + 1 < a->count) beta *= sum / a->s[i + 1];
    double alpha = h / sum;
    for (int q = 0; q < top - i; q++) c[q] -= alpha * c[q + 1];
    a->g1[i + 1] = h * c[0];
  }
}

/* G_i(sigma) itself: u_{i+1} = u_i (sigma h + s_i)/(h + s_i), integrated. */
static void work_out_rows(brink_path_rows *rows) {
  const adams *a = rows->owner;
  double h = a->table_h, u[DIFFERENCES + 2] = {1.0};
  int top = a->table_order;
  for (int i = 0; i <= top; i++) {
    double *g = rows->c[i];
    g[0] = 0.0;
    for (int k = 0; k <= i; k++) g[k + 1] = h * u[k] * reciprocal[k];
    for (int k = i + 2; k <= top + 1; k++) g[k] = 0.0;
    double si = i < a->count ? a->s[i] : 0.0, inverse = 1.0 / (h + si);
    double same = si * inverse, next = h * inverse;
    u[i + 1] = 0.0;
    for (int k = i + 1; k > 0; k--) u[k] = u[k] * same + u[k - 1] * next;
    u[0] *= same;
  }
}

/* Adds the terms of the predictor to a path, for the step size of the table. All coefficients of
 * G_i are positive: its largest value is at the end. */
static void add_predictor(adams *a, brink_path *path, int m) {
  for (int i = 0; i < m; i++)
    brink_path_share(path, &a->rows, a->phi[i], a->beta[i], a->beta[i] * a->g1[i], i + 1);
}

static void plan(brink_stepper *st, double h_limit) {
  adams *a = st->method;
  if (st->h_next <= 0.0) st->h_next = brink_stepper_first_step(st, h_limit);
  a->h_wanted = st->h_next;
  double h = st->h_next;
  if (h > 0.99 * h_limit) h = h_limit; /* leave no slivers */
  st->h_plan = h;
  int m = st->order;
  build_table(a, m, h);
  brink_path_begin(&st->predictor, st->t, h, st->n, st->x);
  add_predictor(a, &st->predictor, m);
  if (a->count > m) {
    st->predictor.e = a->phi[m];
    st->predictor.margin_row = m;
    st->predictor.margin_scale = a->beta[m];
  } else if (m > 1) { /* starting: the last difference used bounds the first that is missing */
    st->predictor.e = a->phi[m - 1];
    st->predictor.margin_row = m - 1;
    st->predictor.margin_scale = a->beta[m - 1];
  }
}

/* ‖ |G_q(1) - G_{q-1}(1)| v ‖ */
static double order_error(const brink_stepper *st, const adams *a, int q, const double *v) {
  double norm = brink_stepper_norm(st, v, st->x, st->x_new);
  return fabs(a->g1[q] - a->g1[q - 1]) * norm;
}

/* The logarithm of the step that would make the error of order q what is aimed at, in units of the
 * present step. A bias above 1 holds against an order: a change has to be worth it. */
static double log_ratio(double error, double bias, int q) {
  double e = bias * error;
  return log(SAFETY / (e > 1e-30 ? e : 1e-30)) * reciprocal[q];
}

/* With both order and step given, nothing is adapted. */
static bool is_fixed(const brink_stepper *st) {
  return st->options->order > 0 && st->options->step > 0.0;
}

static brink_try reject(brink_stepper *st, double error) {
  adams *a = st->method;
  a->failures++;
  a->starting = false;
  double ratio = isfinite(error) ? exp(log_ratio(error, 1.0, st->order)) : 0.1;
  st->h_next = st->h * fmin(fmax(ratio, 0.1), 0.7);
  if (a->failures >= 2 && st->options->order == 0 && st->order > 1)
    st->order = a->failures >= 3 ? 1 : st->order - 1;
  return BRINK_TRY_ERROR;
}

/* The point at the end, and f there by its own polynomial. */
static void predict(brink_stepper *st, double h) {
  adams *a = st->method;
  int m = st->order;
  size_t n = st->n;
  st->h = h;
  build_table(a, m, h);
  double *restrict x_new = st->x_new, *restrict d = a->d;
  memcpy(x_new, st->x, n * sizeof *x_new);
  memset(d, 0, n * sizeof *d);
  for (int i = m - 1; i >= 0; i--) {
    const double *restrict phi = a->phi[i];
    double beta = a->beta[i], weight = beta * a->g1[i];
    for (size_t c = 0; c < n; c++) {
      x_new[c] += weight * phi[c];
      d[c] -= beta * phi[c];
    }
  }
}

/* The same with f at the predicted point. */
static void correct(brink_stepper *st) {
  adams *a = st->method;
  double weight = a->g1[st->order];
  for (size_t c = 0; c < st->n; c++) {
    a->d[c] += a->f_predicted[c];
    st->x_new[c] += weight * a->d[c];
  }
  st->error = order_error(st, a, st->order, a->d);
}

static brink_try attempt(brink_stepper *st, double h) {
  adams *a = st->method;
  int m = st->order;
  predict(st, h);
  brink_try outcome = brink_eval_rhs(st->eval, st->t + h, st->x_new, a->f_predicted);
  if (outcome != BRINK_TRY_OK) return outcome;
  correct(st);
  if (!(st->error <= 1.0) && !is_fixed(st)) return reject(st, st->error);

  brink_path_begin(&st->dense, st->t, h, st->n, st->x);
  add_predictor(a, &st->dense, m);
  brink_path_share(&st->dense, &a->rows, a->d, 1.0, a->g1[m], m + 1);
  st->dense.correction = a->d;
  st->dense.correction_bound = a->g1[m];
  return BRINK_TRY_OK;
}

/* Errors of the neighbouring orders decide the next one; returns the logarithm of the ratio of
 * steps that it allows. */
static double choose_order(brink_stepper *st) {
  adams *a = st->method;
  int m = st->order;
  size_t n = st->n;
  double best = log_ratio(st->error, 1.0, m);
  int chosen = m;
  if (m > 1) {
    const double *phi = a->phi[m - 1];
    for (size_t c = 0; c < n; c++) a->scratch[c] = a->d[c] + a->beta[m - 1] * phi[c];
    double lower = order_error(st, a, m - 1, a->scratch);
    double ratio = log_ratio(lower, BIAS_LOWER, m - 1);
    if (ratio > best) {
      best = ratio;
      chosen = m - 1;
    }
  }
  int limit = st->options->max_order > 0 ? st->options->max_order : MAX_ORDER;
  if (m < limit && chosen == m) {
    if (a->count > m) {
      const double *phi = a->phi[m];
      for (size_t c = 0; c < n; c++) a->scratch[c] = a->d[c] - a->beta[m] * phi[c];
      double higher = order_error(st, a, m + 1, a->scratch);
      double ratio = log_ratio(higher, BIAS_HIGHER, m + 1);
      if (ratio > best) {
        best = ratio;
        chosen = m + 1;
      }
    } else {
      chosen = m + 1; /* just started: nothing is known about the higher order but that it is due */
    }
  }
  st->order = chosen;
  return best;
}

static double next_step(const brink_stepper *st, double ratio) {
  adams *a = st->method;
  bool told = a->count == 1 && st->error > TELLING;
  double growth = told ? GROWTH_FIRST : a->starting ? GROWTH_START : GROWTH;
  if (ratio < GROWTH && a->count > 1) a->starting = false;
  double h = st->h * fmin(fmax(ratio, 0.3), growth);
  if (ratio > KEEP_LOW && ratio < KEEP_HIGH) h = st->h;
  /* A step cut short by an event or a limit says little: what was wanted before still holds. */
  if (st->h < a->h_wanted * (1.0 - 1e-10)) h = fmax(h, fmin(a->h_wanted, st->h * ratio));
  return h;
}

/* phi of the new point from f there: phi'_i = phi'_{i-1} - beta_{i-1} phi_{i-1}. */
static void update_differences(brink_stepper *st) {
  adams *a = st->method;
  size_t n = st->n;
  int keep = a->count < DIFFERENCES ? a->count : DIFFERENCES - 1;
  if (keep > a->table_order + 2) keep = a->table_order + 2;
  double *restrict carried = a->scratch;
  memcpy(carried, st->f, n * sizeof *carried);
  for (int i = 0; i <= keep; i++) {
    double *restrict phi = a->phi[i];
    double beta = i < a->count ? a->beta[i] : 0.0;
    for (size_t c = 0; c < n; c++) {
      double old = phi[c];
      phi[c] = carried[c];
      carried[c] -= beta * old;
    }
  }
  for (int i = keep; i > 0; i--) a->s[i] = a->s[i - 1] + st->h;
  a->count = keep + 1 < DIFFERENCES ? keep + 1 : DIFFERENCES;
}

static brink_try commit(brink_stepper *st) {
  adams *a = st->method;
  brink_try outcome = brink_eval_rhs(st->eval, st->t + st->h, st->x_new, a->f_predicted);
  if (outcome != BRINK_TRY_OK) return outcome;
  if (st->options->order == 0 && a->failures == 0) {
    st->h_next = next_step(st, exp(choose_order(st)));
  } else {
    st->h_next = next_step(st, exp(log_ratio(st->error, 1.0, st->order)));
  }
  memcpy(st->f, a->f_predicted, st->n * sizeof(double));
  memcpy(st->x, st->x_new, st->n * sizeof(double));
  int m = a->table_order;
  update_differences(st);
  if (st->options->order > 0) {
    st->order = st->options->order < m + 1 ? st->options->order : m + 1;
    if (is_fixed(st)) st->h_next = st->options->step;
  }
  if (st->order > a->count) st->order = a->count;
  st->t += st->h;
  a->failures = 0;
  a->table_h = NAN; /* none */
  return BRINK_TRY_OK;
}

/* f at the predicted point is as it was. */
static brink_try retake(brink_stepper *st, double h) {
  predict(st, h);
  correct(st);
  return commit(st);
}

/* f is the first difference; with what an attempt has evaluated it can be taken again. */
static void visit(brink_stepper *st, void *method, brink_visitor *v) {
  adams *a = method;
  struct {
    double h_wanted;
    int count;
    bool starting;
  } head = {.h_wanted = a->h_wanted, .count = a->count, .starting = a->starting};
  v->region(v, a->phi[0], DIFFERENCES * st->n * sizeof(double));
  v->region(v, a->s, sizeof a->s);
  v->region(v, a->f_predicted, st->n * sizeof(double));
  v->region(v, &head, sizeof head);
  a->h_wanted = head.h_wanted;
  a->count = head.count;
  a->starting = head.starting;
  a->failures = 0;
  a->table_h = NAN; /* none */
  if (st->ops == &brink_stepper_adams) memcpy(st->f, a->phi[0], st->n * sizeof(double));
}

static void archive(brink_stepper *st, void *method, bool runs, brink_archive *ar) {
  adams *a = method;
  brink_archive_mark(ar, "adams");
  brink_archive_doubles(ar, a->phi[0], DIFFERENCES * st->n);
  brink_archive_doubles(ar, a->f_predicted, st->n);
  brink_archive_doubles(ar, a->d, st->n);
  brink_archive_int(ar, &a->count, 0, DIFFERENCES);
  brink_archive_doubles(ar, a->s, sizeof a->s / sizeof a->s[0]);
  brink_archive_bool(ar, &a->starting);
  brink_archive_int(ar, &a->failures, 0, INT32_MAX);
  brink_archive_double(ar, &a->h_wanted);
  if (runs)
    brink_archive_check(ar, st->order >= 1 && st->order <= MAX_ORDER && st->order <= a->count);
  if (ar->reads) a->table_h = NAN; /* none */
}

static void relocate(const brink_stepper *st, void *method, brink_relocation *moved) {
  (void)st;
  adams *a = method;
  brink_relocate_rows(moved, a->phi, DIFFERENCES);
  BRINK_RELOCATE(moved, a->f_predicted);
  BRINK_RELOCATE(moved, a->d);
  BRINK_RELOCATE(moved, a->scratch);
  BRINK_RELOCATE(moved, a->rows.owner);
}

const brink_stepper_ops brink_stepper_adams = {
    .method = BRINK_ADAMS,
    .create = create,
    .start = start,
    .plan = plan,
    .attempt = attempt,
    .commit = commit,
    .retake = retake,
    .visit = visit,
    .relocate = relocate,
    .archive = archive,
};
