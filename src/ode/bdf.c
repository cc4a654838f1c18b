/* bdf.c: backward differentiation formulas of variable step and order 1 to 5, with fixed leading coefficient.
 *
 * Problem     y = (x, z): states with x' = f(t, x, z), and, where the model has constraints, unknowns with
 *             0 = g(t, x, z). Stiff: the step is limited by accuracy, not by the fastest rate.
 * Method      Brenan, Campbell & Petzold, Numerical Solution of Initial-Value Problems in Differential-Algebraic
 *             Equations (1996), section 5.2. Of y at t_k, t_{k-1}, … at any spacing, modified divided differences are
 *             kept, in the unit of y (ibid., eq. 5.2.1):
 *                 phi_i = s_1 s_2 … s_i  y[t_k, …, t_{k-i}],      s_i = t_k - t_{k-i},   phi_0 = y.
 *             With w_i(s) = s (s + s_1) … (s + s_{i-1}), beta_i = w_i(h)/(s_1 … s_i) and u_i(sigma) = w_i(sigma h)/w_i(h):
 *                 predictor   y^p(sigma) = y + sum_{1<=i<=k} beta_i phi_i u_i(sigma): through the last k+1 points
 *                 corrector   y' = y'^p + cj (y - y^p),  cj = H_k/h,  H_k = 1 + 1/2 + … + 1/k: the polynomial that agrees
 *                             with the predictor at t+h-jh, j = 1 … k (eq. 5.2.2); solved by implicit.c for d = y - y^p
 *                 dense       y^p(sigma) + d u_{k+1}(sigma): through all k+2 points
 *                 error       C |d|/H_k,  C = max(alpha_{k+1}, |alpha_{k+1} + H_k - sum_{i<=k} alpha_i|),
 *                             alpha_i = h/(h + s_{i-1}) (eq. 5.2.14). C/H_k = 1/((k+1) H_k) for constant steps.
 *                 of order q  alpha_{q+1}/H_q |d_q|,  d_k = d,  d_{q-1} = d_q + beta_q phi_q,  d_{k+1} = d - beta_{k+1} phi_{k+1}
 * Order, step Those of CVODE (Cohen & Hindmarsh 1996, section 2.1.4): the step grows by half at least, or stays, so that
 *             a matrix serves for many steps; another order is considered after k+1 steps. As in DASSL the order falls
 *             where differences do not become smaller with their order: behind a layer they are what Newton's iteration
 *             has left over, and no longer step would make that less.
 * The margin  One more difference than the predictor uses says how far the corrector will move the point:
 *             |beta_{k+1} phi_{k+1} u_{k+1}(sigma)|. Guards use it to keep their distance.
 * Deviations  The division by H_k, which DASSL leaves out: that is the error of the formula itself. Unknowns follow from
 *             states: the error test reads them only as closely as guards need them (brink_eval_unknown_weight); in full
 *             they would take many more steps where they change sharply.
 *             f at the new point is not evaluated: it is y' of the corrector, which does not magnify what
 *             the iteration has left over.
 * Appended    guard states do not act back on the others. They are left out of the system and follow from the formula.
 * How it can fail  From order 3 on the formulas are not A-stable: along the imaginary axis they amplify (order 2
 *             does not). Where the equations of a step are not solved the step is shortened. */
#include <math.h>
#include <string.h>

#include "ode/implicit.h"

#define MAX_ORDER 5
/* phi_0 … phi_{MAX_ORDER+2}: one more for the margin, one to raise the order. */
#define DIFFERENCES (MAX_ORDER + 3)

/* One over the error that is aimed at, for the present order, a lower and a higher one. CVODE has 6, 6, 10; with the
 * numbers here the work is about its, and the errors are smaller (measured: tests/ode/test_bdf_accuracy.c). */
#define BIAS 7.0
#define BIAS_LOWER 7.0
#define BIAS_HIGHER 11.0
/* Cohen & Hindmarsh 1996: */
#define THRESHOLD 1.5    /* a step is changed only for this; */
#define SHORTER 0.9      /* … or for this, where derivatives grow (not in CVODE); */
#define GROWTH_FIRST 1e4 /* the first step may be far too small; */
#define GROWTH 10.0      /* variable-step formulas bear no more; */
#define SHRINK_MOST 0.2  /* after a failure, at most; and from the second on always */
#define SHRINK_LEAST 0.5 /* without a failure */
#define UNSOLVED 0.25    /* the next step, where the equations were not solved */

/* Where auto has changed to bdf: the error of an explicit method is about the tolerance, that of these formulas tens of
 * it, as the errors of all steps add up. Nobody has asked for them, so they have to be as good. */
#define AS_GOOD 15.0

/* H_k */
static const double harmonic[MAX_ORDER + 2] = {0.0,         1.0,          3.0 / 2,  11.0 / 6,
                                               25.0 / 12.0, 137.0 / 60.0, 49.0 / 20};

typedef struct bdf {
  brink_implicit implicit;
  double *phi[DIFFERENCES];  /* one behind another; phi[0] is y */
  double *guess, *slope;     /* n: y^p and y'^p at the end of the step */
  double *d;                 /* n: y - y^p */
  double *scratch;           /* n */
  int count;                 /* valid differences: phi[0] … phi[count-1] */
  double s[DIFFERENCES + 1]; /* s[i] = t_k - t_{k-i}; s[0] = 0 */
  bool
      starting; /* there is one point, and its slope: the one before it lies on the tangent, a step away */
  int wait;        /* steps until another order is considered */
  int failures;    /* of the present step */
  double strict;   /* times the error is what is tested */
  double h_wanted; /* by the error control, before events and limits cut it */

  /* For a step of size table_h: */
  double table_h;
  int table_order;
  double beta[DIFFERENCES], rate[DIFFERENCES]; /* w_i(h), and its derivative, over s_1 … s_i */
  double alpha[DIFFERENCES + 1];
  brink_path_rows rows; /* u_{i+1}(sigma), when somebody asks */
} bdf;

static void work_out_rows(brink_path_rows *rows);

static bool create(brink_stepper *st, brink_arena *arena) {
  bdf *b = brink_arena_take(arena, 1, sizeof *b);
  if (b == NULL) return false;
  st->method = b;
  b->rows.work_out = work_out_rows;
  b->rows.owner = b;
  b->strict = st->chosen.ops == NULL ? 1.0 : AS_GOOD;
  double *phi = brink_arena_take(arena, DIFFERENCES * st->n, sizeof(double));
  if (phi == NULL) return false;
  for (size_t i = 0; i < DIFFERENCES; i++) b->phi[i] = phi + i * st->n;
  b->guess = brink_arena_take(arena, st->n, sizeof(double));
  b->slope = brink_arena_take(arena, st->n, sizeof(double));
  b->d = brink_arena_take(arena, st->n, sizeof(double));
  b->scratch = brink_arena_take(arena, st->n, sizeof(double));
  return b->guess != NULL && b->slope != NULL && b->d != NULL && b->scratch != NULL &&
         brink_implicit_create(&b->implicit, st, arena);
}

static brink_try start(brink_stepper *st) {
  bdf *b = st->method;
  brink_try outcome = brink_stepper_begin(st);
  if (outcome == BRINK_TRY_OK) outcome = brink_implicit_start(&b->implicit, st);
  if (outcome != BRINK_TRY_OK) return outcome;
  memcpy(b->phi[0], st->x, st->n * sizeof(double));
  b->count = 2;
  b->s[0] = 0.0;
  b->starting = true;
  b->wait = 2;
  b->failures = 0;
  b->table_h = NAN; /* none */
  st->order = 1;
  st->h_next = st->options->step > 0.0 ? st->options->step : 0.0;
  return BRINK_TRY_OK;
}

/* With both order and step given, nothing is adapted. */
static bool is_fixed(const brink_stepper *st) {
  return st->options->order > 0 && st->options->step > 0.0;
}

/* ---- the polynomials of a step ---- */

/* beta_i, their rates, and alpha_i, as far as there are differences. */
static void build_table(brink_stepper *st, double h) {
  bdf *b = st->method;
  int k = st->order;
  if (b->table_h == h && b->table_order == k) return;
  b->table_h = h;
  b->table_order = k;
  b->rows.ready = false;
  if (b->starting) { /* the tangent */
    b->s[1] = h;
    for (size_t i = 0; i < st->n; i++) b->phi[1][i] = h * st->f[i];
  }
  double beta = 1.0, sum = 0.0; /* of 1/(h + s_l), l < i */
  for (int i = 0; i < DIFFERENCES && i < b->count; i++) {
    if (i > 0) {
      beta *= (h + b->s[i - 1]) / b->s[i];
      sum += 1.0 / (h + b->s[i - 1]);
    }
    b->beta[i] = beta;
    b->rate[i] = beta * sum;
  }
  for (int i = 1; i <= k + 2 && i <= b->count; i++) b->alpha[i] = h / (h + b->s[i - 1]);
}

/* u_1 = sigma, u_{i+1} = u_i (sigma h + s_i)/(h + s_i); row i - 1 is u_i. */
static void work_out_rows(brink_path_rows *rows) {
  const bdf *b = rows->owner;
  double h = b->table_h;
  int top = b->table_order + 1;
  for (int i = 0; i < top; i++) {
    double *u = rows->c[i];
    for (int k = 0; k <= top; k++) u[k] = 0.0;
    if (i == 0) {
      u[1] = 1.0;
      continue;
    }
    double si = i < b->count ? b->s[i] : 0.0, same = si / (h + si), next = h / (h + si);
    const double *before = rows->c[i - 1];
    for (int k = 1; k <= i + 1; k++) u[k] = before[k] * same + before[k - 1] * next;
  }
}

/* Adds the terms of the predictor to a path. All coefficients of u_i are positive: it is largest at the end. */
static void add_predictor(bdf *b, brink_path *path, int k) {
  for (int i = 1; i <= k; i++)
    brink_path_share(path, &b->rows, b->phi[i], b->beta[i], b->beta[i], i);
}

/* Somebody has moved the present point (a projection): so have all differences, which begin with it. Appended states
 * only lose their drift. */
static void follow_moves(brink_stepper *st) {
  bdf *b = st->method;
  if (memcmp(st->x, b->phi[0], st->n * sizeof(double)) == 0) return;
  for (int i = 1; i < b->count; i++) {
    for (size_t c = 0; c < st->nx; c++) b->phi[i][c] += st->x[c] - b->phi[0][c];
  }
  memcpy(b->phi[0], st->x, st->n * sizeof(double));
  b->table_h = NAN;
}

static void plan(brink_stepper *st, double h_limit) {
  bdf *b = st->method;
  if (st->h_next <= 0.0) st->h_next = brink_stepper_first_step(st, h_limit);
  b->h_wanted = st->h_next;
  double h = st->h_next;
  if (h > 0.99 * h_limit) h = h_limit; /* leave no slivers */
  st->h_plan = h;
  follow_moves(st);
  int k = st->order;
  build_table(st, h);
  brink_path_begin(&st->predictor, st->t, h, st->n, b->phi[0]);
  add_predictor(b, &st->predictor, k);
  if (b->starting) return; /* the tangent says nothing of the way that bends off it */
  int next = k + 1 < b->count ? k + 1 : k; /* the last used bounds the first that is missing */
  st->predictor.e = b->phi[next];
  st->predictor.margin_row = next - 1;
  st->predictor.margin_scale = b->beta[next];
}

/* ---- an attempt ---- */

/* The point at the end, and the slope there. */
static void predict(brink_stepper *st, double h) {
  bdf *b = st->method;
  size_t n = st->n;
  st->h = h;
  build_table(st, h);
  double *restrict guess = b->guess, *restrict slope = b->slope;
  memset(guess, 0, n * sizeof *guess);
  memset(slope, 0, n * sizeof *slope);
  for (int i = st->order; i > 0; i--) {
    const double *restrict phi = b->phi[i];
    double beta = b->beta[i], rate = b->rate[i];
    for (size_t c = 0; c < n; c++) {
      guess[c] += beta * phi[c];
      slope[c] += rate * phi[c];
    }
  }
  for (size_t c = 0; c < n; c++) guess[c] += b->phi[0][c];
}

/* C/H_k, and what is made of it */
static double error_constant(const bdf *b, int k) {
  double sum = 0.0;
  for (int i = 1; i <= k; i++) sum += b->alpha[i];
  double last = b->alpha[k + 1];
  return b->strict * fmax(last, fabs(last + sum - harmonic[k])) / harmonic[k];
}

/* Of order q, with d of that order. */
static double order_error(const brink_stepper *st, const bdf *b, int q, const double *d) {
  return b->strict * b->alpha[q + 1] / harmonic[q] *
         brink_stepper_norm(st, d, b->phi[0], st->x_new);
}

/* The ratio of steps that would make the error of order q what is aimed at. */
static double ratio_of(double error, double bias, int q) {
  return 1.0 / (pow(bias * error, 1.0 / (q + 1)) + 1e-6);
}

static brink_try reject(brink_stepper *st) {
  bdf *b = st->method;
  b->failures++;
  double ratio = isfinite(st->error) ? ratio_of(st->error, BIAS, st->order) : SHRINK_MOST;
  if (b->failures > 1) ratio = fmin(ratio, SHRINK_MOST);
  st->h_next = st->h * fmin(fmax(ratio, SHRINK_MOST), 0.9);
  if (b->failures >= 3 && st->options->order == 0 && st->order > 1) st->order = 1;
  return BRINK_TRY_ERROR;
}

/* y' of the corrector, into b->slope; and the appended states. */
static void finish_slopes(brink_stepper *st, double cj) {
  bdf *b = st->method;
  for (size_t i = 0; i < st->nx; i++) b->slope[i] += cj * b->d[i];
  brink_eval *eval = st->eval;
  for (size_t i = st->nx; i < st->n; i++) {
    size_t guard = eval->appended[i - st->nx];
    double rate = eval->enabled[guard]
                      ? brink_eval_rate(eval, guard, st->t + st->h, st->x_new, b->slope)
                      : 0.0;
    if (!isfinite(rate)) rate = 0.0; /* it only says where to look */
    b->d[i] = (rate - b->slope[i]) / cj;
    st->x_new[i] = b->guess[i] + b->d[i];
    b->slope[i] = rate;
  }
}

static brink_try attempt(brink_stepper *st, double h) {
  bdf *b = st->method;
  predict(st, h);
  int k = st->order;
  double constant = error_constant(b, k);
  brink_implicit_step step = {.t = st->t + h,
                              .h = h,
                              .cj = harmonic[k] / h,
                              .guess = b->guess,
                              .slope = b->slope,
                              .scale = constant};
  brink_try outcome = brink_implicit_solve(&b->implicit, st, &step, st->x_new, b->d);
  if (outcome != BRINK_TRY_OK) {
    b->failures++;
    st->h_next = UNSOLVED * h;
    return outcome == BRINK_TRY_ERROR && b->implicit.nz > 0 ? BRINK_TRY_UNSOLVED : outcome;
  }
  st->error = constant * brink_stepper_norm(st, b->d, b->phi[0], st->x_new);
  if (!(st->error <= 1.0) && !is_fixed(st)) return reject(st);
  finish_slopes(st, step.cj);
  brink_path_begin(&st->dense, st->t, h, st->n, b->phi[0]);
  add_predictor(b, &st->dense, k);
  brink_path_share(&st->dense, &b->rows, b->d, 1.0, 1.0, k + 1);
  st->dense.correction = b->d;
  st->dense.correction_bound = 1.0;
  return BRINK_TRY_OK;
}

/* ---- the next step ---- */

/* Errors of the neighbouring orders decide the next one; returns the ratio of steps that it allows. */
static double choose_order(brink_stepper *st) {
  bdf *b = st->method;
  int k = st->order;
  size_t n = st->nx;
  double best = ratio_of(st->error, BIAS, k);
  if (b->wait > 0 || st->options->order > 0) return best;
  b->wait = 2;
  int limit = st->options->max_order > 0 ? st->options->max_order : MAX_ORDER;
  if (limit > MAX_ORDER) limit = MAX_ORDER;
  double lower = 0.0, higher = 0.0;
  bool noise = false; /* differences that do not fall with the order are no derivatives */
  if (k > 1) {
    for (size_t c = 0; c < n; c++) b->scratch[c] = b->d[c] + b->beta[k] * b->phi[k][c];
    lower = ratio_of(order_error(st, b, k - 1, b->scratch), BIAS_LOWER, k - 1);
    noise = brink_stepper_norm(st, b->scratch, b->phi[0], st->x_new) <=
            brink_stepper_norm(st, b->d, b->phi[0], st->x_new);
  }
  if (k < limit && b->count > k + 1) {
    for (size_t c = 0; c < n; c++) b->scratch[c] = b->d[c] - b->beta[k + 1] * b->phi[k + 1][c];
    higher = ratio_of(order_error(st, b, k + 1, b->scratch), BIAS_HIGHER, k + 1);
  }
  double most = fmax(best, fmax(lower, higher));
  if (noise && most < THRESHOLD) {
    st->order = k - 1;
    return lower;
  }
  if (most < THRESHOLD || most == best) return best;
  st->order = most == lower ? k - 1 : k + 1;
  return most;
}

static double next_step(brink_stepper *st, double ratio) {
  bdf *b = st->method;
  double growth = b->failures > 0 ? 1.0 : b->starting ? GROWTH_FIRST : GROWTH;
  double h = ratio >= THRESHOLD ? st->h * fmin(ratio, growth) : st->h;
  if (ratio < SHORTER) h = st->h * fmax(ratio, SHRINK_LEAST);
  /* A step cut short by an event or a limit says little: what was wanted before still holds. */
  if (st->h < b->h_wanted * (1.0 - 1e-10))
    h = fmax(h, fmin(b->h_wanted, st->h * fmin(ratio, growth)));
  return h;
}

/* phi of the new point: phi'_i = phi'_{i-1} - beta_{i-1} phi_{i-1}. */
static void update_differences(brink_stepper *st) {
  bdf *b = st->method;
  size_t n = st->n;
  int keep = b->count < DIFFERENCES ? b->count : DIFFERENCES - 1;
  if (keep > b->table_order + 2) keep = b->table_order + 2;
  double *restrict carried = b->scratch;
  memcpy(carried, st->x_new, n * sizeof *carried);
  for (int i = 0; i <= keep; i++) {
    double *restrict phi = b->phi[i];
    double beta = i < b->count ? b->beta[i] : 0.0;
    for (size_t c = 0; c < n; c++) {
      double old = phi[c];
      phi[c] = carried[c];
      carried[c] -= beta * old;
    }
  }
  for (int i = keep; i > 0; i--) b->s[i] = b->s[i - 1] + st->h;
  b->count = keep + 1 < DIFFERENCES ? keep + 1 : DIFFERENCES;
}

static brink_try commit(brink_stepper *st) {
  bdf *b = st->method;
  brink_try outcome = brink_eval_settle(st->eval, st->t + st->h, st->x_new, NULL);
  if (outcome != BRINK_TRY_OK) {
    b->failures++;
    st->h_next = UNSOLVED * st->h;
    return outcome;
  }
  /* Differences go through points on the constraints: so does what the order is chosen by. */
  for (size_t i = 0; b->implicit.nz > 0 && i < st->nx; i++) b->d[i] = st->x_new[i] - b->guess[i];
  int k = st->order;
  b->wait--;
  st->h_next = next_step(st, choose_order(st));
  if (st->order != k || st->h_next != st->h) b->wait = st->order + 1;
  memcpy(st->f, b->slope, st->n * sizeof(double));
  memcpy(st->x, st->x_new, st->n * sizeof(double));
  update_differences(st); /* those of a point that was settled are moved with it */
  if (st->options->order > 0) {
    st->order = st->options->order < k + 1 ? st->options->order : k + 1;
    if (is_fixed(st)) st->h_next = st->options->step;
  }
  if (st->order > b->count - 1) st->order = b->count - 1;
  brink_implicit_commit(&b->implicit);
  st->t += st->h;
  b->starting = false;
  b->failures = 0;
  b->table_h = NAN; /* none */
  return BRINK_TRY_OK;
}

/* What was solved for is as it was. */
static brink_try retake(brink_stepper *st, double h) {
  bdf *b = st->method;
  predict(st, h);
  int k = st->order;
  for (size_t i = 0; i < st->n; i++) st->x_new[i] = b->guess[i] + b->d[i];
  for (size_t i = 0; i < st->n; i++) b->slope[i] += harmonic[k] / h * b->d[i];
  st->error = error_constant(b, k) * brink_stepper_norm(st, b->d, b->phi[0], st->x_new);
  return commit(st);
}

/* The differences; with what an attempt has found it can be taken again. Matrices are made anew. */
static void visit(brink_stepper *st, void *method, brink_visitor *v) {
  bdf *b = method;
  struct {
    double h_wanted;
    int count, wait;
    bool starting;
  } head = {.h_wanted = b->h_wanted, .count = b->count, .wait = b->wait, .starting = b->starting};
  v->region(v, b->phi[0], DIFFERENCES * st->n * sizeof(double));
  v->region(v, b->s, sizeof b->s);
  v->region(v, b->d, st->n * sizeof(double));
  v->region(v, st->f, st->n * sizeof(double));
  v->region(v, &head, sizeof head);
  b->h_wanted = head.h_wanted;
  b->count = head.count;
  b->wait = head.wait;
  b->starting = head.starting;
  b->failures = 0;
  b->table_h = NAN; /* none */
  brink_implicit_forget(&b->implicit);
}

static void archive(brink_stepper *st, void *method, bool runs, brink_archive *a) {
  bdf *b = method;
  brink_archive_mark(a, "bdf");
  brink_archive_doubles(a, b->phi[0], DIFFERENCES * st->n);
  brink_archive_doubles(a, b->d, st->n);
  brink_archive_doubles(a, b->guess, st->n);
  brink_archive_doubles(a, b->slope, st->n);
  brink_archive_int(a, &b->count, 0, DIFFERENCES);
  brink_archive_doubles(a, b->s, sizeof b->s / sizeof b->s[0]);
  brink_archive_bool(a, &b->starting);
  brink_archive_int(a, &b->wait, INT32_MIN, INT32_MAX);
  brink_archive_int(a, &b->failures, 0, INT32_MAX);
  brink_archive_double(a, &b->h_wanted);
  if (runs)
    brink_archive_check(a, st->order >= 1 && st->order <= MAX_ORDER && st->order < b->count);
  if (a->reads) b->table_h = NAN; /* none */
  brink_implicit_archive(&b->implicit, st, runs, a);
}

static void relocate(const brink_stepper *st, void *method, brink_relocation *moved) {
  (void)st;
  bdf *b = method;
  brink_relocate_rows(moved, b->phi, DIFFERENCES);
  BRINK_RELOCATE(moved, b->guess);
  BRINK_RELOCATE(moved, b->slope);
  BRINK_RELOCATE(moved, b->d);
  BRINK_RELOCATE(moved, b->scratch);
  BRINK_RELOCATE(moved, b->rows.owner);
  brink_implicit_relocate(&b->implicit, moved);
}

static void release(void *method) {
  bdf *b = method;
  brink_implicit_release(&b->implicit);
}

const brink_stepper_ops brink_stepper_bdf = {
    .method = BRINK_BDF,
    .starts_slowly = true,
    .settles = true,
    .create = create,
    .start = start,
    .plan = plan,
    .attempt = attempt,
    .commit = commit,
    .retake = retake,
    .visit = visit,
    .relocate = relocate,
    .archive = archive,
    .release = release,
};
