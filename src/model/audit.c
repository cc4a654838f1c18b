/* audit.c: evaluations past a unilateral surface, counted as they happen (see audit.h). */
#include "model/audit.h"

#include <float.h>
#include <math.h>

#include "model/eval.h"

#define CLEARLY                                                                                    \
  64.0 /* roundings of its terms: a guard farther from zero is off the surface for certain */

bool brink_audit_init(brink_eval *eval, brink_arena *arena) {
  brink_audit *audit = &eval->audit;
  audit->value = brink_arena_take(arena, eval->model->def.nguards, sizeof *audit->value);
  audit->sides = brink_arena_take(arena, eval->nwatch, sizeof *audit->sides);
  return audit->value != NULL && audit->sides != NULL;
}

/* ---- the flag's own formula ---- */

static double leaf_value(const brink_eval *eval, size_t guard, double t, const double *x,
                         const brink_env *env) {
  const brink_guard_def *def = &eval->model->guards[guard].def;
  double g = NAN;
  if (def->value != NULL) return def->value(guard, t, x, env, &g) == 0 ? g : (double)NAN;
  g = def->offset + def->time_coefficient * t;
  for (size_t k = 0; k < def->ndepends; k++) g += def->coefficients[k] * x[def->depends[k]];
  return g;
}

static double flag_value(const brink_eval *eval, size_t index, double t, const double *x,
                         const brink_env *env) {
  const brink_guard *guard = &eval->model->guards[index];
  if (guard->formula == NULL) return leaf_value(eval, index, t, x, env);
  for (size_t k = 0; k < guard->formula_length; k++) {
    size_t leaf = guard->formula[k].leaf;
    if (guard->formula[k].op == 0) eval->audit.value[leaf] = leaf_value(eval, leaf, t, x, env);
  }
  return brink_formula_value(guard, eval->audit.value);
}

/* What rounding may amount to in a value. */
static double rounding(brink_eval *eval, size_t guard, double t, const double *x) {
  int64_t counted = eval->stats.guards;
  int polarity;
  size_t leaf = brink_eval_deciding_leaf(eval, guard, t, x, &polarity);
  const brink_guard_def *def = &eval->model->guards[leaf].def;
  double dt, size = 0.0;
  if (brink_eval_gradient(eval, leaf, t, x, eval->gradient, &dt) == BRINK_TRY_OK) {
    size = fabs(dt * t);
    for (size_t k = 0; k < def->ndepends; k++) size += fabs(eval->gradient[k] * x[def->depends[k]]);
  }
  eval->stats.guards = counted;
  return isfinite(size) ? CLEARLY * DBL_EPSILON * size : 0.0;
}

/* ---- what it is compared with ---- */

/* Is the flag there in these modes, and not one on whose surface the state rests? */
static bool is_there(const brink_eval *eval, size_t guard, const brink_env *env) {
  const brink_model_def *def = &eval->model->def;
  return !eval->is_held[guard] && (def->enabled == NULL || def->enabled(guard, env));
}

/* Would leaving this side be an event? */
static bool is_an_end(const brink_eval *eval, size_t guard, int side) {
  brink_direction direction = eval->model->guards[guard].def.direction;
  return direction == BRINK_BOTH || (int)direction == -side;
}

void brink_audit_call(brink_eval *eval, double t, const double *x, const brink_env *env) {
  if (eval->audit.sides == NULL) return;
  bool past = false;
  for (size_t k = 0; k < eval->nwatch; k++) {
    size_t guard = eval->watch[k];
    brink_audit_side *side = &eval->audit.sides[k];
    if (!is_there(eval, guard, env)) continue;
    double g = flag_value(eval, guard, t, x, env);
    if (side->inside != 0) { /* no value is past */
      past = past || (is_an_end(eval, guard, side->inside) && !(side->inside * g >= 0.0));
    } else if (t > side->t || fabs(g) > fabs(side->left) + rounding(eval, guard, t, x)) {
      side->above += g > 0.0;
      side->below += g < 0.0;
    }
  }
  eval->stats.rhs_past_guard += past;
}

void brink_audit_accept(brink_eval *eval, double t, const double *x) {
  if (eval->audit.sides == NULL) return;
  for (size_t k = 0; k < eval->nwatch; k++) {
    size_t guard = eval->watch[k];
    brink_audit_side *side = &eval->audit.sides[k];
    if (!is_there(eval, guard, &eval->env)) {
      *side = (brink_audit_side){.t = t};
      continue;
    }
    double g = flag_value(eval, guard, t, x, &eval->env);
    int sign = g > 0.0 ? 1 : -1;
    /* Just after an event that was declared some way off the surface, being there still means nothing. */
    double off =
        rounding(eval, guard, t, x) + (sign * side->left > 0.0 ? 2.0 * fabs(side->left) : 0.0);
    if (!(fabs(g) > off)) continue;
    if (side->inside == 0 && is_an_end(eval, guard, sign))
      eval->stats.rhs_past_guard += sign > 0 ? side->below : side->above;
    *side = (brink_audit_side){.inside = sign, .t = t};
  }
}

void brink_audit_event(brink_eval *eval, size_t guard, double t, double left) {
  if (eval->audit.sides == NULL) return;
  for (size_t k = 0; k < eval->nwatch; k++) {
    if (guard == eval->watch[k] || guard == BRINK_NONE)
      eval->audit.sides[k] = (brink_audit_side){.t = t, .left = left};
  }
}
