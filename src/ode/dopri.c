/* dopri.c: the Runge-Kutta pair 5(4) of Dormand and Prince with its dense output of order 4.
 *
 * Problem: x' = f(t, x) to a tolerance, six evaluations a step.
 *
 * Method: the pair of Dormand & Prince 1980 (Hairer, Nørsett & Wanner 1993, table II.5.2), with
 * local extrapolation: the solution of order 5 is kept, the difference to that of order 4 is the
 * error estimate. The last stage is evaluated at the end of the step and is the first of the next.
 *
 * Dense output: of order 4 (Hairer, Nørsett & Wanner 1993, section II.6, and their DOPRI5),
 *
 *     x0 + r0 u + r1 u(1-u) + r2 u^2 (1-u) + r3 u^2 (1-u)^2,       u = (t - t_k)/h:
 *
 * the cubic Hermite interpolant and one term more. Predictor: the last one continued (fixed.h).
 *
 * Step size: the PI controller of Hairer & Wanner 1996, section IV.2, as in DOPRI5: alpha = 0.2 -
 * 0.75 beta, beta = 0.04, safety 0.9, factors 0.2 to 10, no growth right after a rejection.
 *
 * Deviations: the weighted maximum norm, not the root mean square. The first step comes from f
 * alone (brink_stepper_first_step), since DOPRI5's needs an evaluation at a point nobody has asked
 * about. A step cut short by an event or a time limit does not make the next one small: what the
 * error control wanted before still holds, unless the model refused the longer step.
 *
 * How it can fail: on stiff problems the step stays small for stability; there is no test for
 * stiffness. */
#include "ode/fixed.h"

#include <math.h>
#include <string.h>

enum { STAGES = 7 };

static const double c[STAGES] = {0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0};

static const double a[STAGES][STAGES - 1] = {
    {0.0},
    {1.0 / 5.0},
    {3.0 / 40.0, 9.0 / 40.0},
    {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
    {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
    {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
    {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0},
};

/* Order 5 minus order 4. */
static const double error_weights[STAGES] = {
    71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
    -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};

/* The dense output's r3. */
static const double dense_weights[STAGES] = {
    -12715105075.0 / 11282082432.0,  0.0,
    87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0};

/* DOPRI5's defaults. */
#define SAFETY 0.9
#define BETA 0.04
#define ALPHA (0.2 - 0.75 * BETA)
#define SHRINK 0.2
#define GROW 10.0
#define LEAST_ERROR 1e-4 /* what an earlier error counts as, at least */
/* The last bit before a limit is taken along. */
#define STRETCH 1.01

typedef struct dopri {
  brink_ahead ahead;
  double *k[STAGES - 1]; /* stages 2 … 7; the first is st->f */
  double *arg;
  double *error;
  double *x0, *r[4]; /* dense output */
  double last_error; /* of the last accepted step */
  double wanted;     /* by the error control, before this step; 0: not known */
  bool rejected;     /* the error test has failed in this step */
  bool refused; /* the model has refused a point, or one was outside its domain, in this step */
} dopri;

#define VECTORS(dp)                                                                                \
  {                                                                                                \
    &(dp)->k[0], &(dp)->k[1], &(dp)->k[2], &(dp)->k[3], &(dp)->k[4], &(dp)->k[5], &(dp)->arg,      \
        &(dp)->error, &(dp)->x0, &(dp)->r[0], &(dp)->r[1], &(dp)->r[2], &(dp)->r[3]                \
  }

static bool dopri_create(brink_stepper *st, brink_arena *arena) {
  dopri *dp = brink_arena_take(arena, 1, sizeof *dp);
  if (dp == NULL) return false;
  st->method = dp;
  st->order = 5;
  double **const vectors[] = VECTORS(dp);
  for (size_t j = 0; j < sizeof vectors / sizeof vectors[0]; j++) {
    *vectors[j] = brink_arena_take(arena, st->n, sizeof **vectors[j]);
    if (*vectors[j] == NULL) return false;
  }
  return brink_ahead_create(&dp->ahead, st->n, arena);
}

static void dopri_relocate(const brink_stepper *st, void *method, brink_relocation *moved) {
  (void)st;
  dopri *dp = method;
  double **const vectors[] = VECTORS(dp);
  brink_relocate_vectors(moved, vectors, sizeof vectors / sizeof vectors[0]);
  brink_ahead_relocate(&dp->ahead, moved);
}

static void dopri_archive(brink_stepper *st, void *method, bool runs, brink_archive *ar) {
  (void)st, (void)runs;
  dopri *dp = method;
  brink_archive_mark(ar, "dopri");
  brink_ahead_archive(&dp->ahead, ar);
  brink_archive_double(ar, &dp->last_error);
  brink_archive_double(ar, &dp->wanted);
  brink_archive_bool(ar, &dp->rejected);
  brink_archive_bool(ar, &dp->refused);
}

static brink_try dopri_start(brink_stepper *st) {
  dopri *dp = st->method;
  brink_ahead_forget(&dp->ahead);
  dp->last_error = LEAST_ERROR;
  dp->rejected = dp->refused = false;
  st->h_next = st->options->step;
  dp->wanted = st->h_next;
  return brink_stepper_begin(st);
}

static void dopri_plan(brink_stepper *st, double h_limit) {
  dopri *dp = st->method;
  double h = st->h_next > 0.0 ? st->h_next : brink_stepper_first_step(st, h_limit);
  h = fmin(h, brink_ahead_reach(&dp->ahead)); /* grow no faster than can be predicted */
  st->h_plan = STRETCH * h >= h_limit ? h_limit : h;
  brink_ahead_plan(&dp->ahead, st, st->h_plan);
}

/* sum_j weights[j] k_j of component i, over `count` stages */
static double combine(const dopri *dp, const brink_stepper *st, const double *weights, int count,
                      size_t i) {
  double sum = weights[0] * st->f[i];
  for (int j = 1; j < count; j++) sum += weights[j] * dp->k[j - 1][i];
  return sum;
}

static brink_try stages(dopri *dp, brink_stepper *st, double h) {
  for (int s = 1; s < STAGES; s++) {
    bool last = s == STAGES - 1;
    double *arg = last ? st->x_new : dp->arg;
    for (size_t i = 0; i < st->n; i++) {
      double rise = h * combine(dp, st, a[s], s, i);
      if (last) dp->r[0][i] = rise;
      arg[i] = st->x[i] + rise;
    }
    brink_try outcome = brink_eval_rhs(st->eval, st->t + c[s] * h, arg, dp->k[s - 1]);
    if (outcome != BRINK_TRY_OK) return outcome;
  }
  return BRINK_TRY_OK;
}

static brink_try dopri_attempt(brink_stepper *st, double h) {
  static const double basis3[] = {0.0, 0.0, 1.0, -2.0, 1.0};
  dopri *dp = st->method;
  brink_try outcome = stages(dp, st, h);
  if (outcome != BRINK_TRY_OK) {
    dp->refused = true;
    return outcome;
  }
  for (size_t i = 0; i < st->n; i++) dp->error[i] = h * combine(dp, st, error_weights, STAGES, i);
  st->h = h;
  st->error = brink_stepper_norm(st, dp->error, st->x, st->x_new);
  if (!(st->error <= 1.0)) {
    double factor = SAFETY / pow(st->error, ALPHA);
    st->h_next = h * (factor > SHRINK ? factor : SHRINK); /* SHRINK where the error is NaN */
    dp->wanted = st->h_next;
    dp->rejected = true;
    return BRINK_TRY_ERROR;
  }
  brink_dense_hermite(st, h, dp->k[STAGES - 2], dp->x0, dp->r);
  for (size_t i = 0; i < st->n; i++) dp->r[3][i] = h * combine(dp, st, dense_weights, STAGES, i);
  brink_path_add(&st->dense, dp->r[3], basis3, 5);
  return BRINK_TRY_OK;
}

/* What the error control wants after an accepted step. */
static double next_step(const dopri *dp, const brink_stepper *st) {
  double factor = GROW;
  if (st->error > 0.0) factor = SAFETY * pow(dp->last_error, BETA) / pow(st->error, ALPHA);
  factor = fmin(fmax(factor, SHRINK), GROW);
  double next = st->h * (dp->rejected ? fmin(factor, 1.0) : factor);
  bool cut = dp->wanted > STRETCH * st->h;
  return cut && !dp->refused ? fmax(next, dp->wanted) : next;
}

static brink_try dopri_commit(brink_stepper *st) {
  dopri *dp = st->method;
  brink_ahead_learn(&dp->ahead, st, dp->k[STAGES - 2]);
  st->h_next = next_step(dp, st);
  dp->last_error = fmax(st->error, LEAST_ERROR);
  dp->wanted = st->h_next;
  dp->rejected = dp->refused = false;
  st->t += st->h;
  memcpy(st->x, st->x_new, st->n * sizeof *st->x);
  memcpy(st->f, dp->k[STAGES - 2], st->n * sizeof *st->f);
  return BRINK_TRY_OK;
}

const brink_stepper_ops brink_stepper_dopri = {
    .method = BRINK_DOPRI,
    .create = dopri_create,
    .start = dopri_start,
    .plan = dopri_plan,
    .attempt = dopri_attempt,
    .commit = dopri_commit,
    .relocate = dopri_relocate,
    .archive = dopri_archive,
};
