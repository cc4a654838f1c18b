/* tangent.c: directional derivatives of a model, its own or by differences (see tangent.h). */
#include "model/tangent.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define CUBE_ROOT 6.1e-6   /* of the rounding unit */
#define FOURTH_ROOT 1.2e-4 /* for what is a difference already */

bool brink_tangent_init(brink_tangent *tangent, brink_eval *eval, size_t columns,
                        brink_arena *arena) {
  const brink_model_def *def = &eval->model->def;
  size_t nx = def->nx, np = def->np;
  *tangent = (brink_tangent){.eval = eval, .columns = columns};
  tangent->outputs = nx + np + def->nclocks + 1;
  double **vectors[] = {&tangent->size,  &tangent->x,     &tangent->pre_x,    &tangent->field,
                        &tangent->p,     &tangent->pre_p, &tangent->gradient, &tangent->middle,
                        &tangent->above, &tangent->below, &tangent->at,       &tangent->mix,
                        &tangent->sided, &tangent->rates, &tangent->slopes};
  size_t n = tangent->outputs;
  size_t lengths[] = {nx,         nx, nx, nx, np,           np,           eval->model->max_depends,
                      n,          n,  n,  n,  nx * columns, nx * columns, BRINK_SLIDES * columns,
                      n * columns};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
    *vectors[k] = brink_arena_take(arena, lengths[k], sizeof(double));
    if (*vectors[k] == NULL) return false;
  }
  tangent->mode = brink_arena_take(arena, def->nmodes, sizeof(int));
  return tangent->mode != NULL;
}

/* ---- differences ---- */

/* A point near the one that is looked at, and a function there; false where it has no value. */
typedef struct nearby {
  brink_tangent *tangent;
  double t;
  double *x, *p, *pre_x, *pre_p;
  const brink_callback *callback;
  const brink_now *before;
  size_t guard;
  const double *f; /* held */
} nearby;

typedef bool nearby_fn(const nearby *at, double *out);

static bool all_finite(const double *v, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(v[i])) return false;
  }
  return true;
}

/* d(out)/d(variable) into tangent->at. */
static bool difference(nearby *at, nearby_fn *fn, size_t n, double *variable, double d) {
  brink_tangent *tangent = at->tangent;
  double *middle = tangent->middle, *above = tangent->above, *below = tangent->below;
  double value = *variable, high = value + d, low = value - d;
  *variable = high;
  bool up = fn(at, above) && all_finite(above, n);
  *variable = low;
  bool down = fn(at, below) && all_finite(below, n);
  *variable = value;
  if (up && down) {
    for (size_t i = 0; i < n; i++) tangent->at[i] = (above[i] - below[i]) / (high - low);
    return true;
  }
  if (!up && !down) return false;
  double side = up ? d : -d; /* three points on one side */
  double *near = up ? above : below, *far = up ? below : above;
  *variable = value + 2.0 * side;
  bool further = fn(at, far) && all_finite(far, n);
  *variable = value;
  if (!fn(at, middle) || !all_finite(middle, n)) return false;
  for (size_t i = 0; i < n; i++)
    tangent->at[i] = further ? (4.0 * near[i] - far[i] - 3.0 * middle[i]) / (2.0 * side)
                             : (near[i] - middle[i]) / side;
  return true;
}

static bool any(const double *row, size_t count) {
  for (size_t k = 0; k < count; k++) {
    if (row[k] != 0.0) return true;
  }
  return false;
}

/* result += d(out)/d(variable) * row, for all directions. */
static bool add_variable(nearby *at, nearby_fn *fn, size_t n, double *variable, double d,
                         const double *row, size_t count, double *result) {
  if (row == NULL || !any(row, count)) return true;
  if (!difference(at, fn, n, variable, d)) return false;
  for (size_t i = 0; i < n; i++) {
    double slope = at->tangent->at[i];
    for (size_t k = 0; slope != 0.0 && k < count; k++) result[i * count + k] += slope * row[k];
  }
  return true;
}

static double increment(double value, double size, double c) {
  return c * fmax(fabs(value), size);
}

/* Time has no natural size: its origin may be far away. */
static double time_increment(double t, double c) {
  return fmax(c * fmin(fmax(fabs(t), 1e-3), 1.0), 1e3 * DBL_EPSILON * fabs(t));
}

static bool add_states(nearby *at, nearby_fn *fn, size_t n, double c, double *x, const double *rows,
                       size_t count, double *result) {
  for (size_t i = 0; rows != NULL && i < at->tangent->eval->nx; i++) {
    double d = increment(x[i], at->tangent->size[i], c);
    if (!add_variable(at, fn, n, &x[i], d, &rows[i * count], count, result)) return false;
  }
  return true;
}

static bool add_parameters(nearby *at, nearby_fn *fn, size_t n, double c, double *p,
                           const double *rows, size_t count, double *result) {
  for (size_t j = 0; rows != NULL && j < at->tangent->eval->model->def.np; j++) {
    double d = increment(p[j], p[j] == 0.0 ? 1.0 : 0.0, c);
    if (!add_variable(at, fn, n, &p[j], d, &rows[j * count], count, result)) return false;
  }
  return true;
}

static void copy(void *to, const void *from, size_t count, size_t size) {
  if (count > 0) memcpy(to, from, count * size);
}

static nearby point(brink_tangent *tangent, double t, const double *x) {
  const brink_eval *eval = tangent->eval;
  copy(tangent->x, x, eval->nx, sizeof *x);
  copy(tangent->p, eval->p, eval->model->def.np, sizeof *x);
  return (nearby){.tangent = tangent, .t = t, .x = tangent->x, .p = tangent->p};
}

/* ---- the right-hand side ---- */

static bool rhs_nearby(const nearby *at, double *out) {
  brink_eval *eval = at->tangent->eval;
  brink_env env = eval->env;
  env.p = at->p;
  brink_env now = eval->env;
  eval->env = env; /* the domain check asks with the same parameters */
  bool admitted = brink_eval_admit(eval, at->t, at->x);
  eval->env = now;
  if (!admitted) return false;
  brink_audit_call(eval, at->t, at->x, &env);
  return eval->model->def.rhs(at->t, at->x, &env, out) == 0;
}

/* Of the model's own, with the signs as they are. */
static brink_try rhs(brink_tangent *tangent, double t, const double *x, const brink_tangents *along,
                     double *df) {
  brink_eval *eval = tangent->eval;
  const brink_model_def *def = &eval->model->def;
  size_t count = along->count, nx = eval->nx;
  if (nx == 0) return BRINK_TRY_OK;
  if (def->rhs_tangent != NULL) {
    if (!brink_eval_admit(eval, t, x)) return BRINK_TRY_OUTSIDE;
    brink_audit_call(eval, t, x, &eval->env);
    int answer = def->rhs_tangent(t, x, &eval->env, along, df);
    return answer == 0 ? BRINK_TRY_OK : answer > 0 ? BRINK_TRY_REFUSED : BRINK_TRY_FATAL;
  }
  memset(df, 0, nx * count * sizeof *df);
  nearby at = point(tangent, t, x);
  bool ok =
      add_variable(&at, rhs_nearby, nx, &at.t, time_increment(t, CUBE_ROOT), along->t, count, df) &&
      add_states(&at, rhs_nearby, nx, CUBE_ROOT, at.x, along->x, count, df) &&
      add_parameters(&at, rhs_nearby, nx, CUBE_ROOT, at.p, along->p, count, df);
  return ok ? BRINK_TRY_OK : BRINK_TRY_REFUSED;
}

/* ---- guards ---- */

static bool guard_nearby(const nearby *at, double *out) {
  brink_eval *eval = at->tangent->eval;
  brink_env env = eval->env;
  env.p = at->p;
  return eval->model->guards[at->guard].def.value(at->guard, at->t, at->x, &env, out) == 0;
}

static brink_try plain_guard(brink_tangent *tangent, size_t guard, double t, const double *x,
                             const brink_tangents *along, double *dg) {
  brink_eval *eval = tangent->eval;
  const brink_guard_def *def = &eval->model->guards[guard].def;
  size_t count = along->count;
  double dt;
  if (def->tangent != NULL)
    return def->tangent(guard, t, x, &eval->env, along, dg) == 0 ? BRINK_TRY_OK : BRINK_TRY_REFUSED;
  brink_try outcome = brink_eval_gradient(eval, guard, t, x, tangent->gradient, &dt);
  if (outcome != BRINK_TRY_OK) return outcome;
  for (size_t k = 0; k < count; k++) {
    dg[k] = along->t != NULL ? dt * along->t[k] : 0.0;
    for (size_t j = 0; j < def->ndepends; j++)
      dg[k] += tangent->gradient[j] * along->x[def->depends[j] * count + k];
  }
  if (def->value == NULL || along->p == NULL) return BRINK_TRY_OK;
  nearby at = point(tangent, t, x);
  at.guard = guard;
  bool ok = add_parameters(&at, guard_nearby, 1, CUBE_ROOT, at.p, along->p, count, dg);
  return ok ? BRINK_TRY_OK : BRINK_TRY_REFUSED;
}

brink_try brink_tangent_guard(brink_tangent *tangent, size_t guard, double t, const double *x,
                              const brink_tangents *along, double *dg) {
  int polarity;
  size_t leaf = brink_eval_deciding_leaf(tangent->eval, guard, t, x, &polarity);
  brink_try outcome = plain_guard(tangent, leaf, t, x, along, dg);
  for (size_t k = 0; polarity < 0 && k < along->count; k++) dg[k] = -dg[k];
  return outcome;
}

/* g_x f + g_t at another point, with another p. */
static bool rate_nearby(const nearby *at, double *out) {
  brink_tangent *tangent = at->tangent;
  brink_eval *eval = tangent->eval;
  const brink_guard_def *def = &eval->model->guards[at->guard].def;
  brink_env env = eval->env;
  eval->env.p = at->p;
  brink_try outcome = brink_eval_gradient(eval, at->guard, at->t, at->x, tangent->gradient, out);
  eval->env = env;
  for (size_t j = 0; j < def->ndepends; j++) *out += tangent->gradient[j] * at->f[def->depends[j]];
  return outcome == BRINK_TRY_OK;
}

static brink_try plain_rate(brink_tangent *tangent, size_t guard, double t, const double *x,
                            const double *f, const brink_tangents *along, double *dr) {
  const brink_eval *eval = tangent->eval;
  const brink_guard_def *def = &eval->model->guards[guard].def;
  size_t count = along->count;
  if (def->rate_tangent != NULL)
    return def->rate_tangent(guard, t, x, &eval->env, f, along, dr) == 0 ? BRINK_TRY_OK
                                                                         : BRINK_TRY_REFUSED;
  memset(dr, 0, count * sizeof *dr);
  if (def->coefficients != NULL) return BRINK_TRY_OK;
  double c = def->gradient != NULL || def->jet != NULL ? CUBE_ROOT : FOURTH_ROOT;
  nearby at = point(tangent, t, x);
  at.guard = guard;
  at.f = f;
  bool ok = add_variable(&at, rate_nearby, 1, &at.t, time_increment(t, c), along->t, count, dr) &&
            add_states(&at, rate_nearby, 1, c, at.x, along->x, count, dr) &&
            add_parameters(&at, rate_nearby, 1, c, at.p, along->p, count, dr);
  return ok ? BRINK_TRY_OK : BRINK_TRY_REFUSED;
}

/* ---- on surfaces with Filippov's field ---- */

/* The tangents of f0 + sum_j alpha_j d_j for constant alpha. */
static brink_try mixed_tangent(brink_tangent *tangent, const brink_slide_sum *sum, double t,
                               const double *x, const brink_tangents *along) {
  brink_eval *eval = tangent->eval;
  size_t entries = eval->nx * along->count;
  double rest = 1.0;
  for (size_t j = 0; j < sum->count; j++) {
    brink_eval_set_sign(eval, eval->filippov[j], -1);
    rest -= sum->alpha[j];
  }
  brink_try outcome = rhs(tangent, t, x, along, tangent->mix);
  for (size_t e = 0; e < entries; e++) tangent->mix[e] *= rest;
  for (size_t j = 0; outcome == BRINK_TRY_OK && j < sum->count; j++) {
    brink_eval_set_sign(eval, eval->filippov[j], 1);
    outcome = rhs(tangent, t, x, along, tangent->sided);
    brink_eval_set_sign(eval, eval->filippov[j], -1);
    for (size_t e = 0; e < entries; e++) tangent->mix[e] += sum->alpha[j] * tangent->sided[e];
  }
  for (size_t j = 0; j < sum->count; j++) brink_eval_set_sign(eval, eval->filippov[j], 0);
  return outcome;
}

/* How far the mixture with constant alpha leads off surface i: the tangent of g_x f + g_t. */
static brink_try leads_off(brink_tangent *tangent, size_t guard, double t, const double *x,
                           const brink_tangents *along, double *row) {
  brink_eval *eval = tangent->eval;
  int polarity;
  double dt;
  size_t leaf = brink_eval_deciding_leaf(eval, guard, t, x, &polarity), count = along->count;
  const brink_guard_def *def = &eval->model->guards[leaf].def;
  brink_try outcome = plain_rate(tangent, leaf, t, x, tangent->field, along, row);
  if (outcome == BRINK_TRY_OK)
    outcome = brink_eval_gradient(eval, leaf, t, x, tangent->gradient, &dt);
  if (outcome != BRINK_TRY_OK) return outcome;
  for (size_t j = 0; j < def->ndepends; j++) {
    const double *mix = &tangent->mix[def->depends[j] * count];
    for (size_t k = 0; k < count; k++) row[k] += tangent->gradient[j] * mix[k];
  }
  for (size_t k = 0; polarity < 0 && k < count; k++) row[k] = -row[k];
  return BRINK_TRY_OK;
}

/* f = f0 + sum alpha_j d_j, r + A alpha = 0. With d for the tangent: A d(alpha) = -d(r + A alpha) for constant
 * alpha, which is the rate at which the mixture leads off. */
static brink_try sliding(brink_tangent *tangent, double t, const double *x,
                         const brink_tangents *along, double *df) {
  brink_eval *eval = tangent->eval;
  brink_slide_sum sum;
  size_t count = along->count;
  brink_try outcome = brink_held_sum(eval, t, x, &sum);
  if (outcome == BRINK_TRY_OK) outcome = mixed_tangent(tangent, &sum, t, x, along);
  if (outcome != BRINK_TRY_OK) return outcome;
  for (size_t i = 0; i < eval->nx; i++) {
    tangent->field[i] = eval->slide_base[i];
    for (size_t j = 0; j < sum.count; j++)
      tangent->field[i] += sum.alpha[j] * eval->slide_change[j][i];
  }
  for (size_t j = 0; j < sum.count; j++) {
    outcome =
        leads_off(tangent, eval->filippov[j], t, x, along, &tangent->rates[j * tangent->columns]);
    if (outcome != BRINK_TRY_OK) return outcome;
  }
  memcpy(df, tangent->mix, eval->nx * count * sizeof *df);
  for (size_t k = 0; k < count; k++) {
    double y[BRINK_SLIDES];
    for (size_t j = 0; j < sum.count; j++) y[j] = -tangent->rates[j * tangent->columns + k];
    brink_held_solve(&sum, y);
    for (size_t j = 0; j < sum.count; j++) {
      for (size_t i = 0; i < eval->nx; i++) df[i * count + k] += y[j] * eval->slide_change[j][i];
    }
  }
  return BRINK_TRY_OK;
}

brink_try brink_tangent_field(brink_tangent *tangent, double t, const double *x,
                              const brink_tangents *along, double *df) {
  return tangent->eval->nfilippov > 0 ? sliding(tangent, t, x, along, df)
                                      : rhs(tangent, t, x, along, df);
}

/* ---- callbacks of instants ---- */

/* x, p and timers after the callback. */
static bool callback_nearby(const nearby *at, double *out) {
  brink_tangent *tangent = at->tangent;
  const brink_model_def *def = &tangent->eval->model->def;
  char message[BRINK_DIAG_MESSAGE] = "";
  double *x = out, *p = out + def->nx, *timer = p + def->np;
  copy(x, at->x, def->nx, sizeof *x);
  copy(p, at->p, def->np, sizeof *p);
  copy(timer, at->before->timer, def->nclocks, sizeof *timer);
  copy(tangent->mode, at->before->mode, def->nmodes, sizeof *tangent->mode);
  brink_now now = *at->before;
  now.t = at->t;
  now.x = x;
  now.p = p;
  now.timer = timer;
  now.mode = tangent->mode;
  now.pre_x = at->pre_x;
  now.pre_p = at->pre_p;
  now.message = message;
  now.carried = NULL;
  const brink_callback *callback = at->callback;
  bool changed = false;
  int answer = callback->action != NULL ? callback->action(callback->event, &now, def->user)
               : callback->tick != NULL
                   ? callback->tick(callback->clock, callback->number, &now, def->user)
                   : callback->rules(&now, &changed, def->user);
  for (size_t k = 0; k < def->np + def->nclocks; k++) {
    if (!isfinite(p[k])) p[k] = 0.0; /* a limit that is off, a timer that is */
  }
  return answer >= 0;
}

static bool callback_slopes(nearby *at, const brink_carried *carried, size_t n, double *result) {
  size_t count = carried->count;
  double c = CUBE_ROOT;
  return add_variable(at, callback_nearby, n, &at->t, time_increment(at->t, c), carried->t, count,
                      result) &&
         add_states(at, callback_nearby, n, c, at->x, carried->x, count, result) &&
         add_states(at, callback_nearby, n, c, at->pre_x, carried->pre_x, count, result) &&
         add_parameters(at, callback_nearby, n, c, at->p, carried->p, count, result) &&
         add_parameters(at, callback_nearby, n, c, at->pre_p, carried->pre_p, count, result);
}

bool brink_tangent_callback(brink_tangent *tangent, const brink_callback *callback,
                            const brink_now *before, brink_carried *carried) {
  const brink_model_def *def = &tangent->eval->model->def;
  size_t n = def->nx + def->np + def->nclocks, count = carried->count;
  copy(tangent->x, before->x, def->nx, sizeof(double));
  copy(tangent->p, before->p, def->np, sizeof(double));
  copy(tangent->pre_x, before->pre_x, def->nx, sizeof(double));
  copy(tangent->pre_p, before->pre_p, def->np, sizeof(double));
  nearby at = {.tangent = tangent,
               .t = before->t,
               .x = tangent->x,
               .p = tangent->p,
               .pre_x = tangent->pre_x,
               .pre_p = tangent->pre_p,
               .callback = callback,
               .before = before};
  double *slopes = tangent->slopes, *after = tangent->middle;
  memset(slopes, 0, n * count * sizeof *slopes);
  if (!callback_slopes(&at, carried, n, slopes) || !callback_nearby(&at, after)) return false;
  copy(carried->x, slopes, def->nx * count, sizeof *slopes);
  copy(carried->p, slopes + def->nx * count, def->np * count, sizeof *slopes);
  const double *timer = after + def->nx + def->np;
  for (size_t k = 0; k < def->nclocks; k++) { /* one that was not set keeps its own */
    double was = isfinite(before->timer[k]) ? before->timer[k] : 0.0;
    if (timer[k] != was)
      memcpy(carried->timer + k * count, slopes + (def->nx + def->np + k) * count,
             count * sizeof *slopes);
  }
  return true;
}
