/* stepper.c: what all methods share. */
#include "ode/implicit.h"

#include <float.h>
#include <math.h>

static const brink_stepper_ops *const all_methods[] = {
    &brink_stepper_adams,     &brink_stepper_taylor, &brink_stepper_dopri, &brink_stepper_euler,
    &brink_stepper_taylor2,   &brink_stepper_rk4,    &brink_stepper_am3,   &brink_stepper_bdf3,
    &brink_stepper_trapezoid, &brink_stepper_bdf,
};

static void use(brink_stepper *st, const brink_stepper_engine *engine) {
  st->ops = engine->ops;
  st->method = engine->method;
}

bool brink_stepper_create(brink_stepper *st, const brink_options *options, const double *atol,
                          brink_eval *eval, brink_arena *arena) {
  *st = (brink_stepper){.eval = eval,
                        .options = options,
                        .atol = atol,
                        .n = eval->n,
                        .nx = eval->nx,
                        .ntested = eval->nx - eval->model->def.nz};
  for (size_t k = 0; k < sizeof all_methods / sizeof all_methods[0]; k++) {
    if (all_methods[k]->method == options->method) st->ops = all_methods[k];
  }
  st->x = brink_arena_take(arena, st->n, sizeof *st->x);
  st->f = brink_arena_take(arena, st->n, sizeof *st->f);
  st->x_new = brink_arena_take(arena, st->n, sizeof *st->x_new);
  if (st->ops == NULL || st->x == NULL || st->f == NULL || st->x_new == NULL) return false;
  if (!st->ops->create(st, arena)) return false;
  st->chosen = (brink_stepper_engine){.ops = st->ops, .method = st->method};
  bool may_refuse = st->ops == &brink_stepper_bdf && st->nx > BRINK_IMPLICIT_DENSE;
  if (st->ops != &brink_stepper_taylor && !may_refuse) return true;
  if (!brink_stepper_adams.create(st, arena)) return false;
  st->substitute = (brink_stepper_engine){.ops = &brink_stepper_adams, .method = st->method};
  use(st, &st->chosen);
  return true;
}

bool brink_stepper_add_implicit(brink_stepper *st, brink_arena *arena) {
  if (st->implicit.ops != NULL) return true;
  size_t most = brink_eval_system_pattern(st->eval) == NULL ? BRINK_IMPLICIT_DENSE
                                                            : brink_sparse_lu_largest();
  if (st->nx > most) return false;
  void *present = st->method;
  int order = st->order;
  bool made = brink_stepper_bdf.create(st, arena);
  if (made) st->implicit = (brink_stepper_engine){.ops = &brink_stepper_bdf, .method = st->method};
  st->method = present;
  st->order = order;
  return made;
}

static void release_engine(const brink_stepper_engine *engine) {
  if (engine->ops != NULL && engine->ops->release != NULL) engine->ops->release(engine->method);
}

void brink_stepper_release(brink_stepper *st) {
  release_engine(&st->chosen);
  release_engine(&st->substitute);
  release_engine(&st->implicit);
}

static void relocate_engine(const brink_stepper *st, brink_stepper_engine *engine,
                            brink_relocation *moved) {
  if (engine->ops == NULL) return;
  BRINK_RELOCATE(moved, engine->method);
  engine->ops->relocate(st, engine->method, moved);
}

void brink_stepper_relocate(brink_stepper *st, brink_relocation *moved) {
  BRINK_RELOCATE(moved, st->eval);
  BRINK_RELOCATE(moved, st->options);
  BRINK_RELOCATE(moved, st->atol);
  BRINK_RELOCATE(moved, st->x);
  BRINK_RELOCATE(moved, st->f);
  BRINK_RELOCATE(moved, st->x_new);
  BRINK_RELOCATE(moved, st->method); /* that of one of the three */
  st->foreseen = NULL;               /* the copy is not in lanes */
  relocate_engine(st, &st->chosen, moved);
  relocate_engine(st, &st->substitute, moved);
  relocate_engine(st, &st->implicit, moved);
  brink_path_relocate(&st->predictor, moved);
  brink_path_relocate(&st->dense, moved);
}

void brink_stepper_choose(brink_stepper *st) {
  bool without = st->chosen.ops == &brink_stepper_taylor && !brink_eval_has_flow_jet(st->eval);
  use(st, st->stiff ? &st->implicit : without ? &st->substitute : &st->chosen);
}

bool brink_stepper_has_substitute(const brink_stepper *st) {
  return st->substitute.ops != NULL && st->ops != st->substitute.ops;
}

bool brink_stepper_substitute(brink_stepper *st) {
  if (!brink_stepper_has_substitute(st)) return false;
  use(st, &st->substitute);
  return true;
}

/* The first component that is no finite number; n: there is none. (v - v is 0, or NaN.) */
static size_t first_unbounded(const double *v, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += v[i] - v[i];
  if (sum == 0.0) return n;
  size_t first = 0;
  while (isfinite(v[first])) first++;
  return first;
}

brink_try brink_stepper_attempt(brink_stepper *st, double h) {
  st->eval->h = h;
  brink_try outcome = st->ops->attempt(st, h);
  if (outcome != BRINK_TRY_OK) return outcome;
  size_t bad = first_unbounded(st->x_new, st->nx);
  if (bad == st->nx) return BRINK_TRY_OK;
  st->eval->bad_state = bad;
  return BRINK_TRY_REFUSED;
}

brink_try brink_stepper_commit(brink_stepper *st) {
  st->stalls = false;
  if (!st->ops->settles) {
    brink_try outcome = brink_eval_settle(st->eval, st->t + st->h, st->x_new, NULL);
    if (outcome == BRINK_TRY_ERROR) st->h_next = 0.5 * st->h;
    if (outcome != BRINK_TRY_OK) return outcome;
  }
  brink_try outcome = st->ops->commit(st);
  if (outcome == BRINK_TRY_OK) st->age++;
  return outcome;
}

#define YOUNG 4 /* steps after a start in which orders are still being built up */

/* Unknowns of constraints are followed, not tested: eval.h says how closely. One that starts at zero (t^2) has no size
 * yet: in the first steps an error as large as its change is borne. */
static double unknown_ratio(const brink_stepper *st, size_t i, double v, double x, double y) {
  double weight = brink_eval_unknown_weight(st->eval, i, fmax(fabs(x), fabs(y)), st->h);
  if (st->age < YOUNG) weight = fmax(weight, fabs(y - x));
  return v == 0.0 || weight == 0.0 ? 0.0 : fabs(v) / weight;
}

double brink_stepper_norm(const brink_stepper *st, const double *v, const double *x,
                          const double *y) {
  double norm = 0.0;
  double rtol = st->options->rtol;
  for (size_t i = 0; i < st->ntested; i++) {
    double a = fabs(x[i]), b = fabs(y[i]);
    double ratio = fabs(v[i]) / (rtol * (a > b ? a : b) + st->atol[i]);
    if (!(ratio <= norm)) norm = ratio; /* keeps a NaN */
  }
  for (size_t i = st->ntested; i < st->nx; i++) {
    double ratio = unknown_ratio(st, i, v[i], x[i], y[i]);
    if (!(ratio <= norm)) norm = ratio;
  }
  return norm;
}

brink_try brink_stepper_begin(brink_stepper *st) {
  bool ready = st->f_ready;
  st->f_ready = false;
  return ready ? BRINK_TRY_OK : brink_eval_rhs(st->eval, st->t, st->x, st->f);
}

/* At most this part of the way; and where f is zero, and says nothing about what is to come, this. */
#define FIRST 0.1
#define BLIND 1e-3

double brink_stepper_first_step(const brink_stepper *st, double h_limit) {
  if (st->nx == 0) return h_limit; /* nothing to integrate */
  double speed = brink_stepper_norm(st, st->f, st->x, st->x);
  if (!(speed > 0.0)) return BLIND * h_limit;
  /* |f| near 1e300 over a tolerance overflows: it is fast, and not unknown. */
  return fmin(0.25 / sqrt(fmin(speed, DBL_MAX)), FIRST * h_limit);
}
