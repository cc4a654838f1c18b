/* slide.c: which side a flag is on after an event, and what happens when neither can be entered.
 *
 * After an event its flag counts as zero and takes its sign from the flow: from the first non-zero
 * derivative of g along f. As f may read the flag's own locked sign, both sides are asked:
 *     L+ = dg/dt along f(sgn = +1),   L- = dg/dt along f(sgn = -1).
 * Both up: +. Both down: -. Away from each other: on the way it was going. At each other: neither
 * side can be entered, and the solution slides along the surface with Filippov's field (Filippov
 * 1988, section 4), which brink_eval_rhs forms, until one of the two fields lets go. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/sim.h"

/* The sign of a rate, 0 where rounding decides it. */
static int rate_sign(brink_sim *sim, size_t guard, const double *f, double *rate_out) {
  brink_eval *eval = &sim->eval;
  double rate = brink_eval_rate(eval, guard, sim->t, sim->x, f);
  int polarity;
  size_t leaf = brink_eval_deciding_leaf(eval, guard, sim->t, sim->x, &polarity);
  const brink_guard_def *def = &sim->model->guards[leaf].def;
  double dt, size = 0.0;
  if (brink_eval_gradient(eval, leaf, sim->t, sim->x, eval->gradient, &dt) == BRINK_TRY_OK) {
    size = fabs(dt);
    for (size_t k = 0; k < def->ndepends; k++) size += fabs(eval->gradient[k] * f[def->depends[k]]);
  }
  *rate_out = rate;
  if (isnan(rate) || fabs(rate) <= 64.0 * DBL_EPSILON * size) return 0;
  return rate > 0.0 ? 1 : -1;
}

/* The sign of d2g/dt2 along the field of one side, by a short difference along the flow. */
static int curvature_sign(brink_sim *sim, size_t guard, int side, const double *f, double rate) {
  brink_eval *eval = &sim->eval;
  size_t nx = sim->model->def.nx;
  double speed = 0.0;
  for (size_t i = 0; i < nx; i++)
    speed = fmax(speed, fabs(f[i]) / (sim->options.rtol * fabs(sim->x[i]) + sim->atol[i]));
  double d = speed > 0.0 ? 0.01 / sqrt(speed) : 1e-6;
  double *x = sim->detector.space.x, *ahead = sim->field;
  for (size_t i = 0; i < nx; i++) x[i] = sim->x[i] + d * f[i];
  double soon = NAN;
  if (brink_eval_sided(eval, guard, side, sim->t + d, x, ahead) == BRINK_TRY_OK)
    soon = brink_eval_rate(eval, guard, sim->t + d, x, ahead);
  double change = soon - rate;
  if (isnan(change) || fabs(change) <= 1e-9 * (fabs(soon) + fabs(rate))) return 0;
  return change > 0.0 ? 1 : -1;
}

/* Which way the field of one side leads: +1, -1, or 0 if it stays. */
static int side_leads(brink_sim *sim, size_t guard, int side, double *f) {
  double rate;
  if (brink_eval_sided(&sim->eval, guard, side, sim->t, sim->x, f) != BRINK_TRY_OK) return 0;
  int sign = rate_sign(sim, guard, f, &rate);
  return sign != 0 ? sign : curvature_sign(sim, guard, side, f, rate);
}

static brink_status enter_sliding(brink_sim *sim, size_t guard, brink_diag *diag) {
  if (sim->eval.slide != BRINK_NONE && sim->eval.slide != guard)
    return brink_sim_fail(
        sim, diag, BRINK_ERR_SLIDING, guard,
        "at t = %.17g the solution would slide on '%s' and '%s' at once: where two surfaces meet "
        "the sliding field is not unique; combine them into one guard, or give the model a mode "
        "for it",
        sim->t, brink_model_guard_name(sim->model, sim->eval.slide),
        brink_model_guard_name(sim->model, guard));
  sim->eval.slide = guard;
  sim->eval.sgn[guard] = 0;
  sim->eval.slack[guard] = 0.0;
  sim->slide_from = sim->t;
  return BRINK_OK;
}

/* The new sign, and how far the state still is on the wrong side of it. */
static void take_sign(brink_sim *sim, size_t guard, int sign) {
  brink_eval *eval = &sim->eval;
  double g = brink_eval_guard(eval, guard, sim->t, sim->x);
  eval->sgn[guard] = (signed char)sign;
  eval->slack[guard] = sign * g < 0.0 ? fabs(g) * (1.0 + 4.0 * DBL_EPSILON) + DBL_MIN : 0.0;
}

brink_status brink_sim_settle_sign(brink_sim *sim, size_t guard, int sign_before, bool changed,
                                   brink_event_kind kind, brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  if (kind == BRINK_TOUCHED && !changed) {
    take_sign(sim, guard, sign_before);
    return BRINK_OK;
  }
  int plus = side_leads(sim, guard, 1, eval->f_plus);
  int minus = side_leads(sim, guard, -1, eval->f_minus);
  if (plus < 0 && minus > 0) return enter_sliding(sim, guard, diag);
  int sign = plus;
  if (plus != minus) sign = plus == 0 ? minus : minus == 0 ? plus : -sign_before;
  if (plus > 0 && minus < 0 && sign_before == 0) sign = 1;
  bool unilateral = sim->model->guards[guard].def.side == BRINK_UNILATERAL;
  bool same_field = memcmp(eval->f_plus, eval->f_minus, sim->model->def.nx * sizeof(double)) == 0;
  if (unilateral && !changed && same_field && sign_before != 0 && sign == -sign_before)
    return brink_sim_fail(
        sim, diag, BRINK_ERR_BLOCKED, guard,
        "at t = %.17g the surface of the unilateral guard '%s' was reached, its action changed "
        "nothing, and the right-hand side still points past it: change a mode or a state in the "
        "action, or return BRINK_STOPPED from it",
        sim->t, brink_model_guard_name(sim->model, guard));
  take_sign(sim, guard, sign);
  return BRINK_OK;
}

/* ---- while sliding ---- */

/* Positive while both fields point at the surface; which one lets go first. */
static double grip(brink_sim *sim, double t, const double *x, int *side) {
  brink_eval *eval = &sim->eval;
  size_t guard = eval->slide;
  if (brink_eval_sided(eval, guard, 1, t, x, eval->f_plus) != BRINK_TRY_OK ||
      brink_eval_sided(eval, guard, -1, t, x, eval->f_minus) != BRINK_TRY_OK)
    return NAN;
  double plus = -brink_eval_rate(eval, guard, t, x, eval->f_plus);
  double minus = brink_eval_rate(eval, guard, t, x, eval->f_minus);
  *side = plus <= minus ? 1 : -1;
  return fmin(plus, minus);
}

double brink_slide_release(brink_sim *sim, const brink_path *dense) {
  int side;
  double t_end = dense->t0 + dense->h;
  if (!(grip(sim, t_end, sim->stepper.x_new, &side) < 0.0)) return 2.0;
  double low = 0.0, high = 1.0;
  double *x = sim->detector.space.x;
  while (high - low > 4.0 * DBL_EPSILON) {
    double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    brink_path_eval(dense, middle, x);
    if (grip(sim, dense->t0 + middle * dense->h, x, &side) < 0.0)
      high = middle;
    else
      low = middle;
  }
  return high;
}

brink_status brink_slide_leave(brink_sim *sim, brink_diag *diag) {
  size_t guard = sim->eval.slide;
  int side = 1;
  double held = grip(sim, sim->t, sim->x, &side);
  if (isnan(held))
    return brink_sim_fail(sim, diag, BRINK_ERR_DOMAIN, guard,
                          "at t = %.17g a field beside the surface of '%s' is not defined", sim->t,
                          brink_model_guard_name(sim->model, guard));
  sim->eval.slide = BRINK_NONE;
  take_sign(sim, guard, side);
  sim->restart = true;
  if (sim->sink.slide == NULL) return BRINK_OK;
  brink_slide_record record = {.guard = guard,
                               .name = brink_model_guard_name(sim->model, guard),
                               .from = sim->slide_from,
                               .to = sim->t};
  return sim->sink.slide(&record, sim->sink.user) == 0 ? BRINK_OK : BRINK_STOPPED;
}

/* Back to the surface along its gradient: what a step's error took away from it. */
void brink_slide_project(brink_sim *sim) {
  brink_eval *eval = &sim->eval;
  size_t guard = eval->slide;
  int polarity;
  size_t leaf = brink_eval_deciding_leaf(eval, guard, sim->t, sim->x, &polarity);
  const brink_guard_def *def = &sim->model->guards[leaf].def;
  double dt, norm = 0.0, g = brink_eval_guard(eval, leaf, sim->t, sim->x);
  if (brink_eval_gradient(eval, leaf, sim->t, sim->x, eval->gradient, &dt) != BRINK_TRY_OK) return;
  for (size_t k = 0; k < def->ndepends; k++) norm += eval->gradient[k] * eval->gradient[k];
  if (!(norm > 0.0) || !isfinite(g / norm)) return;
  for (size_t k = 0; k < def->ndepends; k++)
    sim->x[def->depends[k]] -= g / norm * eval->gradient[k];
}
