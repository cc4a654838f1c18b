/* law.c: does the model's own law on a surface stay on it?
 *
 * While the state is held on a surface with BRINK_SURFACE_MODEL, the field is what the model says for it. The
 * rate of the guard along this field has to be zero: else the law leads off the surface that it is the law of,
 * and what the state does there would be decided by the projection that takes the errors of steps away
 * (slide.c), at the end of each step, and so by the method. Such a law is a mistake of the model.
 *
 * The rate is compared with what it is made of, and with the rates along the fields on both sides: a law that is
 * zero only after cancellation (F - F) leaves rounding of terms that the rate itself no longer shows. */
#include <math.h>

#include "sim/sim.h"

/* Below this part of its scale a rate counts as zero, however small the tolerance is. */
#define LEAST_RATE 1e-9

/* What the rate is a sum of, and the state that adds most to it. */
static double size_of_terms(brink_sim *sim, size_t guard, const double *f, size_t *state) {
  brink_eval *eval = &sim->eval;
  int polarity;
  size_t leaf = brink_eval_deciding_leaf(eval, guard, sim->t, sim->x, &polarity);
  const brink_guard_def *def = &sim->model->guards[leaf].def;
  double dt, most = 0.0;
  *state = BRINK_NONE;
  if (brink_eval_gradient(eval, leaf, sim->t, sim->x, eval->gradient, &dt) != BRINK_TRY_OK)
    return 0.0;
  double size = fabs(dt);
  for (size_t k = 0; k < def->ndepends; k++) {
    double term = fabs(eval->gradient[k] * f[def->depends[k]]);
    size += term;
    if (!(term > most)) continue;
    most = term;
    *state = def->depends[k];
  }
  return size;
}

/* The rates along the fields on both sides; 0 where there is none. */
static double size_of_sides(brink_sim *sim, size_t guard) {
  brink_eval *eval = &sim->eval;
  double size = 0.0;
  for (int side = -1; side <= 1; side += 2) {
    if (brink_eval_sided(eval, guard, side, sim->t, sim->x, eval->f_plus) != BRINK_TRY_OK) continue;
    double rate = brink_eval_rate(eval, guard, sim->t, sim->x, eval->f_plus);
    if (isfinite(rate)) size += fabs(rate);
  }
  return size;
}

#define CLEARLY 16.0 /* tolerances: more than the location of an event leaves over */

/* Does a condition that lets go of the surface hold, and the state is still held? Nothing leads on from there: the fields
 * beside it lead back at once (kinetic friction above static). */
static bool ought_to_be_left(brink_sim *sim, size_t guard) {
  brink_eval *eval = &sim->eval;
  const brink_guard_def *def = &sim->model->guards[guard].def;
  size_t leave[] = {def->leave_positive, def->leave_negative};
  for (int side = 0; side < 2 && eval->until_left[guard]; side++) {
    size_t k = leave[side];
    if (k == BRINK_NONE || !eval->enabled[k]) continue;
    double near = CLEARLY * brink_sim_tolerance(sim, k, sim->t, sim->x) +
                  64.0 * brink_sim_zero_band(sim, k, sim->t, sim->x);
    if (brink_eval_guard(eval, k, sim->t, sim->x) > near) return true;
  }
  return false;
}

brink_status brink_sim_check_laws(brink_sim *sim, brink_diag *diag) {
  const brink_eval *eval = &sim->eval;
  const double *f = sim->stepper.f;
  double part = fmax(LEAST_RATE, sim->options.rtol);
  for (size_t k = 0; k < eval->nheld; k++) {
    size_t guard = eval->held[k], state;
    if (sim->model->guards[guard].def.surface == BRINK_SURFACE_FILIPPOV) continue;
    if (ought_to_be_left(sim, guard))
      return brink_sim_fail(sim, diag, BRINK_REASON_STUCK_GUARD, (brink_arguments){.guard = guard});
    double rate = brink_eval_rate(&sim->eval, guard, sim->t, sim->x, f);
    double size = size_of_terms(sim, guard, f, &state);
    if (!(fabs(rate) > part * size)) continue;
    if (fabs(rate) > part * (size + size_of_sides(sim, guard)))

      return brink_sim_fail(sim, diag, BRINK_REASON_LAW_LEAVES,
                            (brink_arguments){.guard = guard, .value = rate, .state = state});
  }
  return BRINK_OK;
}
