/* edge.c: a unilateral surface at an instant: rounding beside it, what an action changed, and grazing it.
 *
 * Rounding   An action that computes a point of the surface (x := x/r on a circle) may miss it by some units in the
 *            last place. Within rounding the state is moved back inside, by units in the last place of one state.
 * Changes    A surface that was reached may be passed only if another right-hand side holds past it: an action
 *            changed a parameter or a mode that dynamics reads. A state that was reset is a point of the same
 *            right-hand side, which ends here.
 * Grazing    A solution that comes within the guard's tolerance of the surface and turns back there is not to be
 *            told from one that touches it, or that gets past it by less than the tolerance: nothing can be evaluated
 *            there. To second order the guard is y + r s + q s^2, r < 0 < q; the solution is followed to second order
 *            to where it is back inside by a part of the tolerance, and goes on from there. What this leaves out is
 *            of third order in s ~ sqrt(tolerance/q). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/sim.h"

/* ---- rounding ---- */

#define MOST_ULPS 256.0

/* What rounding of the states, before or after the actions, may amount to in the guard; the state that carries most
 * of it, and the way in which it leads to a larger g. */
static double rounding(brink_sim *sim, size_t guard, const double *x, size_t *carrier, int *up) {
  brink_eval *eval = &sim->eval;
  int polarity;
  size_t leaf = brink_eval_deciding_leaf(eval, guard, sim->t, x, &polarity);
  const brink_guard_def *def = &sim->model->guards[leaf].def;
  double dt, sum, most = 0.0;
  *carrier = BRINK_NONE;
  if (brink_eval_gradient(eval, leaf, sim->t, x, eval->gradient, &dt) != BRINK_TRY_OK) return 0.0;
  sum = fabs(dt * sim->t);
  for (size_t k = 0; k < def->ndepends; k++) {
    size_t i = def->depends[k];
    double size = fabs(eval->gradient[k]) * fmax(fabs(x[i]), fabs(sim->pre_x[i]));
    sum += size;
    if (!(size > most)) continue;
    most = size;
    *carrier = i;
    *up = eval->gradient[k] * polarity > 0.0 ? 1 : -1;
  }
  return isfinite(sum) ? 64.0 * DBL_EPSILON * sum : 0.0;
}

bool brink_edge_nudge(brink_sim *sim, size_t guard, int side, double *x) {
  brink_eval *eval = &sim->eval;
  double g = brink_eval_guard(eval, guard, sim->t, x);
  size_t i;
  int up = 1;
  if (side * g >= 0.0) return true;
  if (!(fabs(g) <= rounding(sim, guard, x, &i, &up)) || i == BRINK_NONE) return false;
  double was = x[i], unit = DBL_EPSILON * fmax(fabs(was), fabs(sim->pre_x[i]));
  for (double ulps = 0.5; ulps <= MOST_ULPS; ulps *= 2.0) {
    x[i] = was + side * up * ulps * unit;
    if (side * brink_eval_guard(eval, guard, sim->t, x) >= 0.0) return true;
  }
  x[i] = was;
  return false;
}

void brink_edge_keep_inside(brink_sim *sim) {
  brink_eval *eval = &sim->eval;
  for (size_t k = 0; k < eval->nwatch; k++) {
    size_t guard = eval->watch[k];
    if (brink_eval_protects(eval, guard) && eval->slack[guard] == 0.0)
      brink_edge_nudge(sim, guard, eval->sgn[guard], sim->x);
  }
}

/* ---- what the instant changed ---- */

/* A model that does not say what it reads is asked for the field here, with what held before and with what holds. */
static bool field_differs(brink_sim *sim, size_t guard) {
  brink_eval *eval = &sim->eval;
  brink_env now = eval->env;
  int sign = eval->sgn[guard];
  brink_try after = brink_eval_sided(eval, guard, sign, sim->t, sim->x, eval->f_plus);
  eval->env.p = sim->pre_p;
  eval->env.mode = sim->pre_mode;
  brink_try before = brink_eval_sided(eval, guard, sign, sim->t, sim->x, sim->field);
  eval->env = now;
  return after != before || memcmp(eval->f_plus, sim->field, eval->nx * sizeof(double)) != 0;
}

bool brink_edge_other_field(brink_sim *sim, size_t guard) {
  const brink_model_def *def = &sim->model->def;
  const brink_eval *eval = &sim->eval;
  const bool *p = def->reads.p, *mode = def->reads.mode;
  bool differs = false;
  for (size_t j = 0; j < def->np && !differs; j++)
    differs = (p == NULL || p[j]) && memcmp(&eval->p[j], &sim->pre_p[j], sizeof(double)) != 0;
  for (size_t m = 0; m < def->nmodes && !differs; m++)
    differs = (mode == NULL || mode[m]) && eval->mode[m] != sim->pre_mode[m];
  return differs && (p != NULL || mode != NULL || field_differs(sim, guard));
}

bool brink_edge_other_motion(brink_sim *sim, size_t guard) {
  const brink_model_def *def = &sim->model->def;
  for (size_t i = 0; i < def->nx; i++) {
    double rounding = 64.0 * DBL_EPSILON * fmax(fabs(sim->x[i]), fabs(sim->pre_x[i]));
    bool same = fabs(sim->x[i] - sim->pre_x[i]) <= rounding;
    if (!same && (def->reads.x == NULL || def->reads.x[i])) return true;
  }
  return brink_edge_other_field(sim, guard);
}
