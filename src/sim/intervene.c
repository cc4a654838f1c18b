/* intervene.c: somebody else has changed the state: the action of a pair of agents. See pack.h.
 *
 * Signs are taken anew, as at a start; but a flag that was on the other side before has jumped, which is an event of
 * this instant (docs/hsml.md). */
#include "sim/pack.h"

#include <math.h>
#include <string.h>

/* Is the guard on the other side of its surface now, clearly? */
static bool has_jumped(brink_sim *sim, size_t guard) {
  const brink_eval *eval = &sim->eval;
  brink_enabled_fn *enabled = sim->model->def.enabled;
  int sign = eval->sgn[guard];
  if (sim->model->guards[guard].def.side == BRINK_LEAF || sign == 0 || !eval->enabled[guard] ||
      eval->is_held[guard] || (enabled != NULL && !enabled(guard, &eval->env)))
    return false;
  double g = brink_eval_guard(&sim->eval, guard, sim->t, sim->x);
  double band = brink_sim_zero_band(sim, guard, sim->t, sim->x);
  return sign * g < -fmax(eval->slack[guard], band) &&
         brink_detector_wants(&sim->detector, guard, brink_leaving(sign));
}

brink_status brink_sim_intervene(brink_sim *sim, brink_diag *diag) {
  size_t count = sim->model->def.nguards;
  bool *jumped =
      sim->instant.was_enabled; /* between two rounds nobody reads it; start_signs needs `fired` */
  for (size_t k = 0; k < count; k++) jumped[k] = brink_sim_has_begun(sim) && has_jumped(sim, k);
  brink_sim_changed(sim);
  brink_status status = brink_sim_start_signs(sim, diag);
  if (status != BRINK_OK) return status;
  for (size_t k = 0; k < sim->instant.nlocated; k++) jumped[sim->instant.located[k].guard] = false;
  for (size_t k = 0; k < count; k++) {
    if (!jumped[k] || sim->eval.sgn[k] == 0) continue;
    sim->instant.located[sim->instant.nlocated++] = (brink_located){
        .guard = k, .kind = BRINK_JUMPED, .direction = brink_arriving(sim->eval.sgn[k])};
  }
  sim->phase = BRINK_PHASE_RESTART;
  return brink_sim_instant(sim, diag);
}
