/* signs.c: at the end of a step, do the locked signs hold?
 *
 * Away from its surface a flag that is watched has the sign that is locked. It is asked for its value alone, not for what
 * anybody knows about it: bounds, degree, and what it was when the step was searched. Where it is past its surface, and nothing
 * was found, an event is missing. Callbacks can bring that about: they declare a bound or a degree that is wrong, or give
 * another value when they are asked again. So it is a status, not an assertion.
 *
 * It costs an evaluation of each flag at each step: audits pay for it, and builds with assertions. */
#include <math.h>

#include "sim/sim.h"

#define CHECKED                                                                                    \
  256 /* guards: with more, to look at all of them at every step would take too long … */
#define SOME 64        /* … then so many of them, in turn */
#define ROUNDED 1e-12  /* what constants in a formula of usual size may leave of zero */
#define ROUNDINGS 64.0 /* of the terms of a value */

#ifdef NDEBUG
#define CHECKS_ALWAYS false
#else
#define CHECKS_ALWAYS true
#endif

/* One that reads signs follows them at the next instant. */
static bool is_bound(const brink_sim *sim, size_t guard) {
  const brink_eval *eval = &sim->eval;
  const brink_guard_def *def = &sim->model->guards[guard].def;
  return def->side != BRINK_LEAF && eval->owner[guard] == BRINK_NONE && eval->enabled[guard] &&
         !eval->is_held[guard] && eval->sgn[guard] != 0 && !def->reads_signs;
}

/* *value becomes what it is here. */
static bool holds(brink_sim *sim, size_t guard, double *value) {
  brink_eval *eval = &sim->eval;
  *value = brink_eval_peek(eval, guard, sim->t, sim->x, eval->p, eval->mode);
  double inside = eval->sgn[guard] * *value;
  if (isnan(inside) || inside >= -eval->slack[guard]) return true;
  int64_t counted = eval->stats.guards;
  double near = brink_sim_tolerance(sim, guard, sim->t, sim->x) +
                ROUNDINGS * brink_sim_zero_band(sim, guard, sim->t, sim->x) + ROUNDED;
  eval->stats.guards = counted;
  return !(inside < -near);
}

brink_status brink_sim_check_signs(brink_sim *sim, brink_diag *diag) {
  size_t count = sim->model->def.nguards, looked = count > CHECKED ? SOME : count;
  bool asked = CHECKS_ALWAYS || sim->eval.audit.sides != NULL;
  if (!asked || sim->detector.passed || !sim->detector.ops->needs_paths) return BRINK_OK;
  size_t first = count > CHECKED ? (size_t)sim->detector.step * SOME % count : 0;
  for (size_t k = 0; k < looked; k++) {
    size_t guard = (first + k) % count;
    double value;
    if (is_bound(sim, guard) && !holds(sim, guard, &value))
      return brink_sim_fail(sim, diag, BRINK_REASON_GUARD_CONTRADICTS,
                            (brink_arguments){.guard = guard, .value = value});
  }
  return BRINK_OK;
}
