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
static int rate_sign(brink_sim *sim, size_t guard, const double *f) {
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
  if (isnan(rate) || fabs(rate) <= 64.0 * DBL_EPSILON * size) return 0;
  return rate > 0.0 ? 1 : -1;
}

/* Which way g moves along the field of one side when its rate there is zero: the stages of one
 * small Runge-Kutta step, each looked at before f is evaluated at it. The first that leaves the
 * surface decides; so none is evaluated off it. */
static int probe_sign(brink_sim *sim, size_t guard, int side, const double *f) {
  static const double part[] = {0.5, 0.5, 1.0, 1.0};
  brink_eval *eval = &sim->eval;
  size_t nx = sim->model->def.nx;
  double speed = 0.0;
  for (size_t i = 0; i < nx; i++)
    speed = fmax(speed, fabs(f[i]) / (sim->options.rtol * fabs(sim->x[i]) + sim->atol[i]));
  double d = speed > 0.0 ? 0.25 / sqrt(speed) : 1e-6;
  double *x = sim->detector.space.x, *stage = sim->field;
  double g0 = brink_eval_guard(eval, guard, sim->t, sim->x);
  memcpy(stage, f, nx * sizeof *stage);
  for (int k = 0; k < 4; k++) {
    double t = sim->t + part[k] * d;
    for (size_t i = 0; i < nx; i++) x[i] = sim->x[i] + part[k] * d * stage[i];
    double change = brink_eval_guard(eval, guard, t, x) - g0;
    if (isnan(change)) return 0;
    /* cancellation leaves rounding of the values, not of the change */
    if (fabs(change) > 0.5 * brink_sim_zero_band(sim, guard, t, x) + 1e-9 * fabs(g0))
      return change > 0.0 ? 1 : -1;
    if (brink_eval_sided(eval, guard, side, t, x, stage) != BRINK_TRY_OK) return 0;
  }
  return 0;
}

/* Which way the field of one side leads: +1, -1, or 0 if it stays. */
static int side_leads(brink_sim *sim, size_t guard, int side, double *f) {
  brink_try outcome = brink_eval_sided(&sim->eval, guard, side, sim->t, sim->x, f);
  /* Past another unilateral guard: that one's event comes first, at this same instant. */
  if (outcome == BRINK_TRY_VETOED) sim->pending[guard] = true;
  if (outcome != BRINK_TRY_OK) return 0;
  int sign = rate_sign(sim, guard, f);
  return sign != 0 ? sign : probe_sign(sim, guard, side, f);
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
    /* The touch may turn out a little deeper as the solution goes on: by its error, where points
     * past the surface may be looked at, else by rounding. */
    double give = eval->veto ? 8.0 * brink_sim_zero_band(sim, guard, sim->t, sim->x)
                             : sim->detector.tolerance[guard];
    eval->slack[guard] = fmax(eval->slack[guard], give);
    return BRINK_OK;
  }
  sim->pending[guard] = false;
  int plus = side_leads(sim, guard, 1, eval->f_plus);
  int minus = side_leads(sim, guard, -1, eval->f_minus);
  if (plus < 0 && minus > 0) return enter_sliding(sim, guard, diag);
  int sign = plus;
  if (plus != minus) sign = plus == 0 ? minus : minus == 0 ? plus : -sign_before;
  if (plus > 0 && minus < 0 && sign_before == 0) sign = 1;
  bool unilateral = sim->model->guards[guard].def.side == BRINK_UNILATERAL;
  bool same_field = memcmp(eval->f_plus, eval->f_minus, sim->model->def.nx * sizeof(double)) == 0;
  take_sign(sim, guard, sign);
  if (unilateral && !changed && same_field && sign_before != 0 && sign == -sign_before)
    return brink_sim_fail(
        sim, diag, BRINK_ERR_BLOCKED, guard,
        "at t = %.17g the surface of the unilateral guard '%s' was reached, its action changed "
        "nothing, and the right-hand side still points past it: change a mode or a state in the "
        "action, or return BRINK_STOPPED from it",
        sim->t, brink_model_guard_name(sim->model, guard));
  /* The field of the side taken is what the next step starts with, if nothing else happens here. */
  const double *f = sign > 0 ? eval->f_plus : eval->f_minus;
  bool known = sign != 0 && (sign > 0 ? plus : minus) != 0;
  if (known && eval->n == eval->nx) memcpy(sim->stepper.f, f, eval->nx * sizeof *f);
  sim->field_settled = known && eval->n == eval->nx;
  return BRINK_OK;
}

/* ---- while sliding ---- */

/* How firmly the fields hold the state on the surface: -L+ and L-, both positive while they do. */
static bool grips(brink_sim *sim, double t, const double *x, double grip[2]) {
  brink_eval *eval = &sim->eval;
  size_t guard = eval->slide;
  if (brink_eval_sided(eval, guard, 1, t, x, eval->f_plus) != BRINK_TRY_OK ||
      brink_eval_sided(eval, guard, -1, t, x, eval->f_minus) != BRINK_TRY_OK)
    return false;
  grip[0] = -brink_eval_rate(eval, guard, t, x, eval->f_plus);
  grip[1] = brink_eval_rate(eval, guard, t, x, eval->f_minus);
  return !isnan(grip[0]) && !isnan(grip[1]);
}

static bool grips_along(brink_sim *sim, const brink_path *path, double sigma, double grip[2]) {
  double *x = sim->detector.space.x;
  brink_path_eval(path, sigma, x);
  return grips(sim, path->t0 + sigma * path->h, x, grip);
}

/* The instant in (low, high] at which a grip is lost, given that it is lost at high. */
static double narrow_release(brink_sim *sim, const brink_path *path, double low, double high) {
  while (high - low > 2.0 * DBL_EPSILON) {
    double middle = 0.5 * (low + high), grip[2];
    if (middle <= low || middle >= high) break;
    if (grips_along(sim, path, middle, grip) && fmin(grip[0], grip[1]) >= 0.0)
      low = middle;
    else
      high = middle;
  }
  return high;
}

/* The state may rest while the fields beside it change with time, so the step size says nothing
 * about them: they are sampled, interpolated, and the interpolant is checked between the samples;
 * where it does not fit, the interval is halved. */
#define GRIP_DEPTH 10 /* halvings at most */
#define GRIP_FIT 1e-7 /* how well the interpolant has to fit, relative to the grip */

/* The first place in the interval where a grip is lost, by interpolants that fit; 2 if nowhere, or if
 * the fields are not defined (a step that leads there is refused anyway); -1 if they do not fit. */
static double release_within(brink_sim *sim, const brink_path *path, double low, double width) {
  double values[2][BRINK_POLY_SAMPLES], grip[2], c[BRINK_POLY_SAMPLES];
  for (int k = 0; k < BRINK_POLY_SAMPLES; k++) {
    if (!grips_along(sim, path, low + width * brink_poly_sample[k], grip)) return 2.0;
    values[0][k] = grip[0];
    values[1][k] = grip[1];
  }
  double first = 2.0, middle = 0.5 * (brink_poly_sample[3] + brink_poly_sample[4]);
  if (!grips_along(sim, path, low + width * middle, grip)) return 2.0;
  for (int side = 0; side < 2; side++) {
    int degree = BRINK_POLY_SAMPLES - 1;
    double size = 0.0, lost = 2.0;
    brink_poly_through(values[side], c);
    for (int k = 0; k <= degree; k++) size = fmax(size, fabs(values[side][k]));
    if (fabs(brink_poly_eval(c, degree, middle) - grip[side]) > GRIP_FIT * size) return -1.0;
    brink_root root;
    if (values[side][0] < 0.0)
      lost = 0.0;
    else if (brink_poly_first_root(c, degree, 0.0, 1.0, &root) && root.kind == BRINK_ROOT_FALLING)
      lost = root.s;
    if (lost < first) first = lost;
  }
  return first > 1.0 ? 2.0 : low + width * first;
}

/* An interpolant's root, narrowed on the grips themselves: from a little before it to the first place
 * after it where the grip is seen to be lost. */
static double refine_release(brink_sim *sim, const brink_path *dense, double at, double width,
                             double until) {
  double past = fmin(until, at + 1e-6 * width), grip[2];
  bool held = grips_along(sim, dense, past, grip) && fmin(grip[0], grip[1]) >= 0.0;
  return held ? at : narrow_release(sim, dense, fmax(0.0, at - 1e-3 * width), past);
}

double brink_slide_release(brink_sim *sim, const brink_path *dense, double until) {
  double low = 0.0, width = until, smallest = ldexp(until, -GRIP_DEPTH);
  while (low < until) {
    double at = release_within(sim, dense, low, width);
    if (at < 0.0 && width > smallest) {
      width *= 0.5;
      continue;
    }
    if (at >= 0.0 && at <= until) return refine_release(sim, dense, at, width, until);
    low += width;
    width = fmin(2.0 * width, until - low);
  }
  return 2.0;
}

static brink_status end_sliding(brink_sim *sim, int sign) {
  brink_slide_record record;
  brink_sim_sliding(sim, &record);
  sim->eval.slide = BRINK_NONE;
  sim->field_settled = false;
  take_sign(sim, record.guard, sign);
  sim->restart = true;
  if (sim->sink.slide == NULL) return BRINK_OK;
  return sim->sink.slide(&record, sim->sink.user) == 0 ? BRINK_OK : BRINK_STOPPED;
}

brink_status brink_slide_leave(brink_sim *sim, brink_diag *diag) {
  size_t guard = sim->eval.slide;
  double grip[2];
  if (!grips(sim, sim->t, sim->x, grip))
    return brink_sim_fail(sim, diag, BRINK_ERR_DOMAIN, guard,
                          "at t = %.17g a field beside the surface of '%s' is not defined", sim->t,
                          brink_model_guard_name(sim->model, guard));
  brink_slide_project(sim);
  brink_status status = end_sliding(sim, grip[0] <= grip[1] ? 1 : -1);
  /* The field taken is tangent to the surface here, and both fields are defined on it: errors
   * within the tolerance must not bring the guard back at once. */
  double give =
      brink_eval_tolerance(&sim->eval, guard, sim->t, sim->x, sim->options.rtol, sim->atol);
  sim->eval.slack[guard] = fmax(sim->eval.slack[guard], give);
  return status;
}

brink_status brink_slide_check(brink_sim *sim, brink_diag *diag) {
  size_t guard = sim->eval.slide;
  double g = brink_eval_guard(&sim->eval, guard, sim->t, sim->x), grip[2];
  double near =
      fmax(8.0 * brink_sim_zero_band(sim, guard, sim->t, sim->x), sim->detector.tolerance[guard]);
  if (!sim->eval.enabled[guard]) return end_sliding(sim, 0);
  if (fabs(g) > near) return end_sliding(sim, g > 0.0 ? 1 : -1);
  if (!grips(sim, sim->t, sim->x, grip) || fmin(grip[0], grip[1]) < 0.0)
    return brink_slide_leave(sim, diag);
  return BRINK_OK;
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
