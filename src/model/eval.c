/* eval.c: the one door to the model's callbacks (see eval.h). */
#include "model/eval.h"

#include "model/constraint.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- creation ---- */

/* A guard that needs a polynomial of its own, and can have one through its gradient. */
static bool wants_column(const brink_guard *guard) {
  return guard->formula == NULL && !guard->linear && guard->def.jet == NULL &&
         guard->def.gradient != NULL && guard->def.lipschitz == NULL;
}

static bool take_arrays(brink_eval *eval, brink_arena *arena) {
  const brink_model_def *def = &eval->model->def;
  eval->p = brink_arena_copy(arena, def->p0, def->np, sizeof(double));
  eval->mode = brink_arena_copy(arena, def->mode0, def->nmodes, sizeof(int));
  eval->sgn = brink_arena_take(arena, def->nguards, sizeof(signed char));
  eval->enabled = brink_arena_take(arena, def->nguards, sizeof(bool));
  eval->slack = brink_arena_take(arena, def->nguards, sizeof(double));
  eval->value = brink_arena_take(arena, def->nguards, sizeof(double));
  eval->watch = brink_arena_take(arena, def->nguards, sizeof(size_t));
  eval->appended = brink_arena_take(arena, def->nguards, sizeof(size_t));
  eval->column = brink_arena_take(arena, def->nguards, sizeof(size_t));
  eval->gradient = brink_arena_take(arena, eval->model->max_depends, sizeof(double));
  eval->probe = brink_arena_take(arena, def->nx, sizeof(double));
  eval->f_plus = brink_arena_take(arena, def->nx, sizeof(double));
  eval->f_minus = brink_arena_take(arena, def->nx, sizeof(double));
  eval->held = brink_arena_take(arena, def->nguards, sizeof(size_t));
  eval->is_held = brink_arena_take(arena, def->nguards, sizeof(bool));
  eval->until_left = brink_arena_take(arena, def->nguards, sizeof(bool));
  eval->owner = brink_arena_take(arena, def->nguards, sizeof(size_t));
  eval->ties = brink_arena_take(arena, def->nguards, sizeof *eval->ties);
  eval->constrained = brink_arena_take(arena, def->nguards, sizeof(bool));
  eval->vanishing = brink_arena_take(arena, def->nguards, sizeof(int));
  eval->slide_base = brink_arena_take(arena, def->nx, sizeof(double));
  eval->near_x = brink_arena_take(arena, def->nx, sizeof(double));
  eval->near_f = brink_arena_take(arena, def->nx, sizeof(double));
  eval->jet_memory = brink_arena_take(arena, 2 * def->nx, sizeof(double));
  eval->jets = brink_arena_take(arena, def->nx, sizeof(double *));
  return !arena->failed;
}

bool brink_eval_init(brink_eval *eval, const brink_model *model, brink_arena *arena, bool append) {
  *eval = (brink_eval){.model = model,
                       .nx = model->def.nx,
                       .n = model->def.nx,
                       .outside_of = BRINK_NONE,
                       .bad_state = BRINK_NONE,
                       .exempt = BRINK_NONE,
                       .failed_guard = BRINK_NONE,
                       .bad_guard = BRINK_NONE};
  if (!take_arrays(eval, arena) || !brink_held_take(eval, arena) || !brink_solver_init(eval, arena))
    return false;
  eval->env =
      (brink_env){.p = eval->p, .mode = eval->mode, .sgn = eval->sgn, .user = model->def.user};
  for (size_t i = 0; i < model->def.nx; i++) eval->jets[i] = &eval->jet_memory[2 * i];
  for (size_t k = 0; k < model->def.nguards; k++) {
    eval->column[k] = BRINK_NONE;
    eval->enabled[k] = model->guards[k].watched_as == k && !model->guards[k].def.is_timer;
    if (model->guards[k].def.side == BRINK_UNILATERAL) eval->watch[eval->nwatch++] = k;
    if (append && wants_column(&model->guards[k])) {
      eval->appended[eval->n - eval->nx] = k;
      eval->column[k] = eval->n++;
    }
  }
  brink_held_find_owners(eval);
  return true;
}

void brink_eval_relocate(brink_eval *eval, const brink_model *model, brink_relocation *moved) {
  double **const vectors[] = {&eval->p,      &eval->slack,  &eval->value,      &eval->gradient,
                              &eval->probe,  &eval->f_plus, &eval->f_minus,    &eval->slide_base,
                              &eval->near_x, &eval->near_f, &eval->jet_memory, &eval->audit.value};
  brink_relocate_vectors(moved, vectors, sizeof vectors / sizeof vectors[0]);
  BRINK_RELOCATE(moved, eval->mode);
  BRINK_RELOCATE(moved, eval->sgn);
  BRINK_RELOCATE(moved, eval->enabled);
  BRINK_RELOCATE(moved, eval->watch);
  BRINK_RELOCATE(moved, eval->audit.sides);
  BRINK_RELOCATE(moved, eval->centre);
  BRINK_RELOCATE(moved, eval->moved);
  BRINK_RELOCATE(moved, eval->relevant);
  BRINK_RELOCATE(moved, eval->near);
  BRINK_RELOCATE(moved, eval->appended);
  BRINK_RELOCATE(moved, eval->column);
  BRINK_RELOCATE(moved, eval->jets);
  brink_relocate_rows(moved, eval->jets, eval->nx);
  BRINK_RELOCATE(moved, eval->held);
  BRINK_RELOCATE(moved, eval->is_held);
  BRINK_RELOCATE(moved, eval->until_left);
  BRINK_RELOCATE(moved, eval->owner);
  BRINK_RELOCATE(moved, eval->ties);
  BRINK_RELOCATE(moved, eval->constrained);
  BRINK_RELOCATE(moved, eval->vanishing);
  brink_relocate_rows(moved, eval->slide_change, BRINK_SLIDES);
  BRINK_RELOCATE(moved, eval->solver);
  eval->patience = (brink_patience){0}; /* filled by brink_eval_patience */
  if (eval->solver != NULL) brink_solver_relocate(eval->solver, moved);
  eval->model = model;
  eval->env =
      (brink_env){.p = eval->p, .mode = eval->mode, .sgn = eval->sgn, .user = model->def.user};
}

static void set_same(brink_eval *eval, size_t guard, int sign) {
  const brink_guard *guards = eval->model->guards;
  if (!guards[guard].def.unread) eval->read_signs++;
  eval->sgn[guard] = (signed char)sign;
  for (size_t k = guards[guard].next_same; k != guard; k = guards[k].next_same)
    eval->sgn[k] = (signed char)(guards[k].def.same_sign < 0 ? -sign : sign);
}

void brink_eval_set_sign(brink_eval *eval, size_t guard, int sign) {
  set_same(eval, guard, sign);
  for (size_t k = 0; k < eval->nties; k++) {
    if (eval->ties[k].to == guard) set_same(eval, eval->ties[k].guard, eval->ties[k].sign * sign);
  }
}

/* ---- guards ---- */

static inline double plain_value(brink_eval *eval, size_t index, double t, const double *x) {
  const brink_guard_def *guard = &eval->model->guards[index].def;
  eval->stats.guards++;
  if (guard->value == NULL) {
    double g = guard->offset + guard->time_coefficient * t;
    for (size_t k = 0; k < guard->ndepends; k++) g += guard->coefficients[k] * x[guard->depends[k]];
    return g;
  }
  double g = NAN;
  int answer = guard->value(index, t, x, &eval->env, &g);
  if (answer < 0) eval->failed_guard = index;
  if (answer != 0) g = NAN;
  return g;
}

/* The smaller of two (and) or the larger (or); a NaN stays. */
static inline double joined(int op, double a, double b) {
  bool first = op == BRINK_AND ? a <= b : a >= b;
  return isnan(a) || first ? a : b;
}

double brink_formula_value(const brink_guard *guard, const double *value) {
  double stack[BRINK_FORMULA_DEPTH + 1];
  int top = 0;
  for (size_t k = 0; k < guard->formula_length; k++) {
    const brink_formula_op *op = &guard->formula[k];
    if (op->op == 0) {
      stack[top++] = op->polarity * value[op->leaf];
    } else {
      top--;
      stack[top - 1] = joined(op->op, stack[top - 1], stack[top]);
    }
  }
  return stack[0];
}

/* The same, and the values of its leaves on the way. */
static double formula_at(brink_eval *eval, const brink_guard *guard, double t, const double *x) {
  double stack[BRINK_FORMULA_DEPTH + 1];
  int top = 0;
  for (size_t k = 0; k < guard->formula_length; k++) {
    const brink_formula_op *op = &guard->formula[k];
    if (op->op == 0) {
      double g = eval->value[op->leaf] = plain_value(eval, op->leaf, t, x);
      stack[top++] = op->polarity > 0 ? g : -g;
    } else {
      top--;
      stack[top - 1] = joined(op->op, stack[top - 1], stack[top]);
    }
  }
  return stack[0];
}

double brink_eval_guard(brink_eval *eval, size_t index, double t, const double *x) {
  const brink_guard *guard = &eval->model->guards[index];
  return guard->formula == NULL ? plain_value(eval, index, t, x) : formula_at(eval, guard, t, x);
}

double brink_eval_peek(brink_eval *eval, size_t guard, double t, const double *x, const double *p,
                       const int *mode) {
  brink_env env = eval->env;
  int64_t counted = eval->stats.guards;
  size_t failed = eval->failed_guard;
  eval->env.p = p;
  eval->env.mode = mode;
  double value = brink_eval_guard(eval, guard, t, x);
  eval->env = env;
  eval->stats.guards = counted;
  eval->failed_guard = failed;
  return value;
}

void brink_eval_peek_field(brink_eval *eval, double t, const double *x, const double *p,
                           const int *mode, const signed char *sgn, double *dx) {
  size_t ns = eval->nx - eval->model->def.nz;
  if (ns == 0) return;
  brink_env env = eval->env;
  brink_stats stats = eval->stats;
  brink_audit audit = eval->audit;
  size_t bad = eval->bad_state;
  eval->env.p = p;
  eval->env.mode = mode;
  eval->audit.sides = NULL; /* nobody else looks */
  bool known = eval->nfilippov == 0 || eval->solver == NULL;
  if (eval->nfilippov == 0) {
    if (sgn != NULL) eval->env.sgn = sgn;
    known = eval->model->def.rhs(t, x, &eval->env, dx) == 0;
  } else if (known) {
    known = brink_held_field(eval, t, x, dx) == BRINK_TRY_OK;
  }
  eval->env = env;
  eval->stats = stats;
  eval->audit = audit;
  eval->bad_state = bad;
  for (size_t i = 0; !known && i < ns; i++) dx[i] = (double)NAN;
}

size_t brink_eval_deciding_leaf(brink_eval *eval, size_t index, double t, const double *x,
                                int *polarity) {
  const brink_guard *guard = &eval->model->guards[index];
  *polarity = 1;
  if (guard->formula == NULL) return index;
  double value = brink_eval_guard(eval, index, t, x);
  for (size_t k = 0; k < guard->formula_length; k++) {
    const brink_formula_op *op = &guard->formula[k];
    if (op->op == 0 && op->polarity * eval->value[op->leaf] == value) {
      *polarity = op->polarity;
      return op->leaf;
    }
  }
  return guard->formula[0].leaf; /* a NaN decides nothing */
}

/* Central differences, for the few places that want a gradient of a guard that has none. */
static void difference_gradient(brink_eval *eval, size_t index, double t, const double *x,
                                double *dx, double *dt) {
  const brink_guard_def *guard = &eval->model->guards[index].def;
  memcpy(eval->probe, x, eval->nx * sizeof *x);
  double cube_root = 6.1e-6; /* of the rounding unit: balances truncation and rounding */
  for (size_t k = 0; k < guard->ndepends; k++) {
    size_t i = guard->depends[k];
    double d = cube_root * fmax(fabs(x[i]), 1e-3);
    eval->probe[i] = x[i] + d;
    double above = plain_value(eval, index, t, eval->probe);
    eval->probe[i] = x[i] - d;
    dx[k] = (above - plain_value(eval, index, t, eval->probe)) / (2.0 * d);
    eval->probe[i] = x[i];
  }
  /* Time has no natural size: its origin may be far away. */
  double d = fmax(cube_root * fmin(fmax(fabs(t), 1e-3), 1.0), 1e3 * DBL_EPSILON * fabs(t));
  *dt = (plain_value(eval, index, t + d, x) - plain_value(eval, index, t - d, x)) / (2.0 * d);
}

/* From the guard's jet: one of order 1 for each variable. */
static brink_try jet_gradient(brink_eval *eval, size_t index, double t, const double *x, double *dx,
                              double *dt) {
  const brink_guard_def *guard = &eval->model->guards[index].def;
  double time[2] = {t, 0.0}, g[2];
  const double *const *jets = (const double *const *)eval->jets;
  for (size_t k = 0; k < guard->ndepends; k++) {
    eval->jets[guard->depends[k]][0] = x[guard->depends[k]];
    eval->jets[guard->depends[k]][1] = 0.0;
  }
  for (size_t k = 0; k <= guard->ndepends; k++) {
    double *slope = k < guard->ndepends ? &eval->jets[guard->depends[k]][1] : &time[1];
    *slope = 1.0;
    eval->stats.guards++;
    if (guard->jet(index, 1, time, jets, &eval->env, g) != 0) return BRINK_TRY_REFUSED;
    *slope = 0.0;
    if (k < guard->ndepends)
      dx[k] = g[1];
    else
      *dt = g[1];
  }
  return BRINK_TRY_OK;
}

brink_try brink_eval_gradient(brink_eval *eval, size_t index, double t, const double *x, double *dx,
                              double *dt) {
  const brink_guard_def *guard = &eval->model->guards[index].def;
  *dt = 0.0;
  if (guard->coefficients != NULL) {
    memcpy(dx, guard->coefficients, guard->ndepends * sizeof *dx);
    *dt = guard->time_coefficient;
  } else if (guard->gradient != NULL) {
    eval->stats.guards++;
    if (guard->gradient(index, t, x, &eval->env, dx, dt) != 0) return BRINK_TRY_REFUSED;
  } else if (guard->jet != NULL) {
    return jet_gradient(eval, index, t, x, dx, dt);
  } else {
    difference_gradient(eval, index, t, x, dx, dt);
  }
  return BRINK_TRY_OK;
}

/* Value and rate of a plain guard; a value that rounding cannot tell from zero is zero. */
typedef struct moving {
  double value, rate;
} moving;

static moving plain_moving(brink_eval *eval, size_t index, double t, const double *x,
                           const double *f) {
  const brink_guard_def *guard = &eval->model->guards[index].def;
  moving m = {.value = plain_value(eval, index, t, x), .rate = NAN};
  double rate;
  if (brink_eval_gradient(eval, index, t, x, eval->gradient, &rate) != BRINK_TRY_OK) return m;
  double size = fabs(rate * t);
  m.rate = rate;
  for (size_t k = 0; k < guard->ndepends; k++) {
    size += fabs(eval->gradient[k]) * brink_eval_size(eval, guard->depends[k], t, x);
    m.rate += eval->gradient[k] * f[guard->depends[k]];
  }
  if (fabs(m.value) <= 8.0 * DBL_EPSILON * size) m.value = 0.0;
  return m;
}

/* The one that will be smaller in a moment. */
static bool soon_smaller(moving a, moving b) {
  return a.value < b.value || (a.value == b.value && a.rate < b.rate);
}

/* Several leaves may decide a formula at once, each with its own rate: what counts is where each of
 * them will be in a moment. */
static double formula_rate(brink_eval *eval, const brink_guard *guard, double t, const double *x,
                           const double *f) {
  moving stack[BRINK_FORMULA_DEPTH + 1];
  int top = 0;
  for (size_t k = 0; k < guard->formula_length; k++) {
    const brink_formula_op *op = &guard->formula[k];
    if (op->op == 0) {
      moving leaf = plain_moving(eval, op->leaf, t, x, f);
      stack[top++] = (moving){op->polarity * leaf.value, op->polarity * leaf.rate};
    } else {
      top--;
      bool smaller = soon_smaller(stack[top - 1], stack[top]);
      if (smaller != (op->op == BRINK_AND)) stack[top - 1] = stack[top];
    }
  }
  return stack[0].rate;
}

double brink_eval_rate(brink_eval *eval, size_t index, double t, const double *x, const double *f) {
  const brink_guard *guard = &eval->model->guards[index];
  if (guard->formula != NULL) return formula_rate(eval, guard, t, x, f);
  double rate;
  if (brink_eval_gradient(eval, index, t, x, eval->gradient, &rate) != BRINK_TRY_OK) return NAN;
  for (size_t k = 0; k < guard->def.ndepends; k++)
    rate += eval->gradient[k] * f[guard->def.depends[k]];
  return rate;
}

double brink_eval_tolerance(brink_eval *eval, size_t index, double t, const double *x, double rtol,
                            const double *atol) {
  int polarity;
  size_t leaf = brink_eval_deciding_leaf(eval, index, t, x, &polarity);
  const brink_guard_def *guard = &eval->model->guards[leaf].def;
  double rate, sum = 0.0;
  if (brink_eval_gradient(eval, leaf, t, x, eval->gradient, &rate) != BRINK_TRY_OK) return 0.0;
  for (size_t k = 0; k < guard->ndepends; k++) {
    size_t i = guard->depends[k];
    double weight = eval->gradient[k] == 0.0         ? 0.0
                    : brink_eval_is_unknown(eval, i) ? brink_eval_unknown_tolerance(eval, i, t, x)
                                                     : rtol * fabs(x[i]) + atol[i];
    sum += fabs(eval->gradient[k]) * weight;
  }
  return isfinite(sum) ? sum : 0.0;
}

/* ---- the third question ---- */

bool brink_eval_protects(const brink_eval *eval, size_t index) {
  const brink_guard_def *guard = &eval->model->guards[index].def;
  int sign = eval->sgn[index];
  return eval->enabled[index] && sign != 0 && !eval->is_held[index] && index != eval->exempt &&
         (guard->direction == BRINK_BOTH || (int)guard->direction == -sign);
}

static bool past(const brink_eval *eval, size_t index, double g) {
  return !(eval->sgn[index] * g >= -eval->slack[index]); /* a NaN is past */
}

/* Is x where far guards are known to be far? */
static bool inside_radius(const brink_eval *eval, const double *x) {
  if (eval->centre == NULL) return false;
  for (size_t i = 0; i < eval->nx; i++) {
    double allowed = eval->moved[i] + eval->allow;
    if (eval->relevant[i] && !(fabs(x[i] - eval->centre[i]) <= allowed)) return false;
  }
  return true;
}

bool brink_eval_may(brink_eval *eval, double t, const double *x) {
  bool inside = inside_radius(eval, x);
  const size_t *asked = inside ? eval->near : eval->watch;
  size_t count = inside ? eval->nnear : eval->nwatch;
  for (size_t k = 0; k < count; k++) {
    size_t index = asked[k];
    if (eval->model->guards[index].def.side != BRINK_UNILATERAL) continue;
    if (!brink_eval_protects(eval, index)) continue;
    if (past(eval, index, brink_eval_guard(eval, index, t, x))) {
      eval->outside_of = index;
      return false;
    }
  }
  return true;
}

/* ---- giving up ---- */

/* Seconds that a step may go on after it was cancelled: most end by themselves before, and their runs can go on. */
#define PATIENCE 0.1

void brink_eval_heed(brink_eval *eval, const atomic_bool *cancelled) {
  eval->cancelled = cancelled;
  eval->cancelled_at = 0.0;
  eval->gave_up = false;
}

bool brink_eval_gives_up(brink_eval *eval) {
  if (eval->cancelled == NULL || !atomic_load_explicit(eval->cancelled, memory_order_relaxed))
    return false;
  double now = brink_seconds();
  if (eval->cancelled_at == 0.0) eval->cancelled_at = now;
  if (now - eval->cancelled_at >= PATIENCE) eval->gave_up = true;
  return eval->gave_up;
}

static bool gives_up(void *who) {
  return brink_eval_gives_up(who);
}

brink_patience *brink_eval_patience(brink_eval *eval) {
  eval->patience.is_over = gives_up; /* of this evaluator, be it a copy of another */
  eval->patience.who = eval;
  return &eval->patience;
}

/* ---- the right-hand side ---- */

/* What a callback's return value means. */
static brink_try meaning(int answer) {
  return answer == 0 ? BRINK_TRY_OK : answer > 0 ? BRINK_TRY_REFUSED : BRINK_TRY_FATAL;
}

/* A finite number times 0 is 0, any other is NaN. Eight sums do not wait for each other. */
static bool all_finite(const double *v, size_t n) {
  double sum = 0.0;
  size_t i = 0;
  if (n >= 32) {
    double sums[8] = {0.0};
    for (; i + 8 <= n; i += 8) {
      for (size_t k = 0; k < 8; k++) sums[k] += v[i + k] * 0.0;
    }
    for (size_t k = 0; k < 8; k++) sum += sums[k];
  }
  for (; i < n; i++) sum += v[i] * 0.0;
  return sum == 0.0;
}

brink_try brink_eval_call(brink_eval *eval, double t, const double *x, double *dx) {
  return eval->solver == NULL ? brink_eval_call_states(eval, t, x, dx)
                              : brink_constraint_field(eval, t, x, dx);
}

brink_try brink_eval_call_states(brink_eval *eval, double t, const double *x, double *dx) {
  size_t ns = eval->nx - eval->model->def.nz;
  if (eval->nx == 0) return BRINK_TRY_OK; /* clocks, rules and time alone */
  eval->stats.rhs++;
  brink_audit_call(eval, t, x, &eval->env);
  brink_try outcome = meaning(eval->model->def.rhs(t, x, &eval->env, dx));
  if (outcome != BRINK_TRY_OK) eval->bad_state = BRINK_NONE;
  if (outcome != BRINK_TRY_OK || all_finite(dx, ns)) return outcome;
  for (size_t i = ns; i-- > 0;) {
    if (!isfinite(dx[i])) eval->bad_state = i;
  }
  return BRINK_TRY_REFUSED;
}

bool brink_eval_admit(brink_eval *eval, double t, const double *x) {
  if (eval->nwatch == 0) return true;
  if (!eval->checks_domain || brink_eval_may(eval, t, x)) return true;
  eval->stats.refused_outside++;
  return false;
}

/* While sliding by Filippov's convention the field is not the model's own. */
bool brink_eval_has_flow_jet(const brink_eval *eval) {
  return eval->model->def.flow_jet != NULL && eval->nfilippov == 0 && eval->nx > 0;
}

brink_try brink_eval_flow_jet(brink_eval *eval, int order, double t, double unit, const double *x,
                              double *const *rows) {
  if (brink_eval_gives_up(eval)) return BRINK_TRY_FATAL;
  if (!brink_eval_admit(eval, t, x)) return BRINK_TRY_OUTSIDE;
  if (eval->solver != NULL) { /* series begin where the constraints hold */
    double *y = eval->solver->y;
    memcpy(y, x, eval->nx * sizeof *y);
    brink_try solved = brink_constraint_solve(eval, t, y);
    if (solved != BRINK_TRY_OK) return solved;
    for (size_t i = eval->solver->ns; i < eval->nx; i++) rows[i][0] = y[i];
    x = y;
  }
  eval->stats.rhs++;
  brink_audit_call(eval, t, x, &eval->env);
  brink_try outcome = meaning(eval->model->def.flow_jet(order, t, unit, x, &eval->env, rows));
  if (outcome != BRINK_TRY_OK) eval->bad_state = BRINK_NONE;
  for (size_t i = 0; outcome == BRINK_TRY_OK && i < eval->nx; i++) {
    if (isfinite(rows[i][1])) continue;
    eval->bad_state = i;
    return BRINK_TRY_REFUSED;
  }
  return outcome;
}

bool brink_eval_has_jacobian(const brink_eval *eval) {
  return eval->model->def.jacobian != NULL && eval->nfilippov == 0;
}

brink_try brink_eval_jacobian(brink_eval *eval, double t, const double *x, double *values) {
  if (brink_eval_gives_up(eval)) return BRINK_TRY_FATAL;
  if (!brink_eval_admit(eval, t, x)) return BRINK_TRY_OUTSIDE;
  brink_audit_call(eval, t, x, &eval->env);
  return meaning(eval->model->def.jacobian(t, x, &eval->env, values));
}

brink_try brink_eval_rhs(brink_eval *eval, double t, const double *x, double *dx) {
  if (brink_eval_gives_up(eval)) return BRINK_TRY_FATAL;
  if (!brink_eval_admit(eval, t, x)) return BRINK_TRY_OUTSIDE;
  brink_try outcome = brink_held_field(eval, t, x, dx);
  if (outcome != BRINK_TRY_OK) return outcome;
  for (size_t k = eval->nx; k < eval->n; k++) {
    size_t index = eval->appended[k - eval->nx];
    dx[k] = eval->enabled[index] ? brink_eval_rate(eval, index, t, x, dx) : 0.0;
    if (!isfinite(dx[k])) dx[k] = 0.0; /* it only says where to look */
  }
  return BRINK_TRY_OK;
}
