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
 *            of third order in s ~ sqrt(tolerance/q).
 * Rest       A singular field may end at the surface: h' = -sqrt(h) has h = 0 for a solution, and gets there in finite
 *            time. A parabola through it would lead back up, and there is no way up. Where the field just beside the
 *            surface leads to it, and on it does not, the state is put on the surface, by less than the tolerance, and
 *            rests. With y' = -c y^a it arrives after y/((1 - a) |y'|), if a < 1; for a = 1 (y' = -y) never. Two rates
 *            beside the surface tell a. */
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
    double size = fabs(eval->gradient[k]) * fmax(fabs(x[i]), fabs(sim->instant.pre_x[i]));
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
  double was = x[i], unit = DBL_EPSILON * fmax(fabs(was), fabs(sim->instant.pre_x[i]));
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
  eval->env.p = sim->instant.pre_p;
  eval->env.mode = sim->instant.pre_mode;
  brink_try before = brink_eval_sided(eval, guard, sign, sim->t, sim->x, sim->instant.field);
  eval->env = now;
  return after != before ||
         memcmp(eval->f_plus, sim->instant.field, eval->nx * sizeof(double)) != 0;
}

bool brink_edge_other_field(brink_sim *sim, size_t guard) {
  const brink_model_def *def = &sim->model->def;
  const brink_eval *eval = &sim->eval;
  const bool *p = def->reads.p, *mode = def->reads.mode;
  bool differs = false;
  for (size_t j = 0; j < def->np && !differs; j++)
    differs =
        (p == NULL || p[j]) && memcmp(&eval->p[j], &sim->instant.pre_p[j], sizeof(double)) != 0;
  for (size_t m = 0; m < def->nmodes && !differs; m++)
    differs = (mode == NULL || mode[m]) && eval->mode[m] != sim->instant.pre_mode[m];
  return differs && (p != NULL || mode != NULL || field_differs(sim, guard));
}

bool brink_edge_other_motion(brink_sim *sim, size_t guard) {
  const brink_model_def *def = &sim->model->def;
  for (size_t i = 0; i < def->nx; i++) {
    double rounding = 64.0 * DBL_EPSILON * fmax(fabs(sim->x[i]), fabs(sim->instant.pre_x[i]));
    bool same = fabs(sim->x[i] - sim->instant.pre_x[i]) <= rounding;
    if (!same && (def->reads.x == NULL || def->reads.x[i])) return true;
  }
  return brink_edge_other_field(sim, guard);
}

/* ---- grazing ---- */

/* The guard in a moment s from now, to second order: y + rate s + bend s^2, y >= 0 inside. */
typedef struct graze {
  double y, rate, bend;
} graze;

/* The state a time d ago, into x: on the path that led here, or straight back. What the actions changed stays. */
static void look_back(brink_sim *sim, double d, const double *f, double *x) {
  const brink_path *path = &sim->last;
  double sigma = (sim->t - d - path->t0) / path->h;
  bool known = sim->led && sim->last_end == sim->t && sigma >= 0.0;
  if (known) brink_path_eval(path, sigma, x);
  for (size_t i = 0; i < sim->eval.nx; i++)
    x[i] = known ? x[i] + (sim->x[i] - sim->instant.pre_x[i]) : sim->x[i] - d * f[i];
}

/* How far to look back: a part of the way here. */
static double moment_ago(const brink_sim *sim) {
  double span = sim->led && sim->last_end == sim->t ? sim->t - sim->last.t0 : 0.0;
  double least = 1e3 * DBL_EPSILON * fmax(fabs(sim->t), 1e-3);
  return fmax(span > 0.0 ? 0.25 * span : 1e-3 * fabs(sim->stepper.h_plan), least);
}

/* The field here is in sim->instant.field then, and the one a time d ago in sim->event_x: the bend is their difference, on the
 * side that the state came from. Nothing is evaluated past the surface. */
static bool graze_of(brink_sim *sim, size_t guard, int inside, double d, graze *now) {
  brink_eval *eval = &sim->eval;
  double *x = sim->detector.space.x, *f = sim->instant.field, *before = sim->event_x;
  now->y = inside * brink_eval_guard(eval, guard, sim->t, sim->x);
  if (brink_eval_sided(eval, guard, inside, sim->t, sim->x, f) != BRINK_TRY_OK) return false;
  now->rate = inside * brink_eval_rate(eval, guard, sim->t, sim->x, f);
  look_back(sim, d, f, x);
  if (!(inside * brink_eval_guard(eval, guard, sim->t - d, x) >= 0.0) ||
      brink_eval_sided(eval, guard, inside, sim->t - d, x, before) != BRINK_TRY_OK)
    return false;
  double rate = inside * brink_eval_rate(eval, guard, sim->t - d, x, before);
  now->bend = (now->rate - rate) / (2.0 * d);
  return now->bend > 0.0 && isfinite(now->bend);
}

double brink_edge_depth(brink_sim *sim, size_t guard, int inside) {
  graze now = {.rate = (double)NAN};
  bool turns = graze_of(sim, guard, inside, moment_ago(sim), &now);
  if (now.rate >= 0.0) return 0.0;
  return turns ? now.rate * now.rate / (4.0 * now.bend) : (double)INFINITY;
}

/* The time until a guard that dips is back inside, by no less than it is now, and more than by rounding; 0: unknown. */
static double time_over(brink_sim *sim, size_t guard, double *d) {
  graze now;
  double s = 0.0, least = *d / 1024.0;
  double target = 8.0 * brink_sim_zero_band(sim, guard, sim->t, sim->x);
  for (int round = 0; round < 2; round++) { /* the second with a difference over as long a time */
    if (!graze_of(sim, guard, sim->eval.sgn[guard], *d, &now)) return 0.0;
    double more = fmax(target - now.y, 0.0);
    s = (sqrt(now.rate * now.rate + 4.0 * now.bend * more) - now.rate) / (2.0 * now.bend);
    if (round == 0 && s >= least && s < *d) *d = s;
  }
  return s;
}

/* The solution after a time s, into x: to second order, by the two fields of graze_of. */
static void follow_parabola(const brink_sim *sim, double s, double d, double *x) {
  const double *f = sim->instant.field, *before = sim->event_x;
  for (size_t i = 0; i < sim->eval.nx; i++)
    x[i] = sim->x[i] + s * (f[i] + 0.5 * s * (f[i] - before[i]) / d);
}

#define FAR                                                                                        \
  1000.0 /* tolerances: what a dip leaves out, also beside a singular field, is a few of them */

/* Are two estimates of where a dip ends so different that it is none? */
static bool differ(const brink_sim *sim, const double *x, const double *y) {
  for (size_t i = 0; i < sim->model->def.nx; i++) {
    double weight = sim->options.rtol * fabs(x[i]) + sim->atol[i];
    if (brink_eval_is_unknown(&sim->eval, i)) continue; /* solved for where it ends */
    if (!(fabs(x[i] - y[i]) <= FAR * weight)) return true;
  }
  return false;
}

/* Where the solution is after a time s, into x: to second order; then, if that is inside, by the fields at both ends. If
 * the two differ much, s is too long for either: what looked like a dip (a slow decay, h' = -h) is none. */
static bool land(brink_sim *sim, size_t guard, double s, double d, double *x, bool *too_long) {
  brink_eval *eval = &sim->eval;
  const double *f = sim->instant.field;
  double t = sim->t + s, *there = eval->f_plus, *kept = eval->f_minus;
  follow_parabola(sim, s, d, x);
  if (!brink_eval_may(eval, t, x)) return false;
  if (brink_eval_sided(eval, guard, eval->sgn[guard], t, x, there) != BRINK_TRY_OK) return false;
  memcpy(kept, x, eval->nx * sizeof *x);
  for (size_t i = 0; i < eval->nx; i++) x[i] = sim->x[i] + 0.5 * s * (f[i] + there[i]);
  *too_long = differ(sim, x, kept);
  if (!brink_eval_may(eval, t, x)) memcpy(x, kept, eval->nx * sizeof *x);
  return true;
}

/* Does any guard but this one have another sign at (t, x)? */
bool brink_edge_crosses_another(brink_sim *sim, size_t guard, double t, const double *x) {
  brink_eval *eval = &sim->eval;
  for (size_t k = 0; k < sim->model->def.nguards; k++) {
    if (k == guard || sim->model->guards[k].def.side == BRINK_LEAF ||
        !brink_detector_active(&sim->detector, k))
      continue;
    if (!(eval->sgn[k] * brink_eval_guard(eval, k, t, x) >= -eval->slack[k])) return true;
  }
  return false;
}

/* The state moves to x at t, along a parabola that is kept as the path of the step. */
static brink_status move_over(brink_sim *sim, double t, const double *x) {
  static const double linear[] = {0.0, 1.0}, square[] = {0.0, 0.0, 1.0};
  size_t nx = sim->eval.nx;
  double t0 = sim->t, *from = sim->last_memory, *slope = from + nx, *rest = slope + nx;
  for (size_t i = 0; i < nx; i++) {
    from[i] = sim->x[i];
    slope[i] = (t - t0) * sim->instant.field[i];
    rest[i] = x[i] - sim->x[i] - slope[i];
  }
  brink_path_begin(&sim->last, t0, t - t0, nx, from);
  brink_path_add(&sim->last, slope, linear, 2);
  brink_path_add(&sim->last, rest, square, 3);
  memcpy(sim->x, x, nx * sizeof *x);
  sim->t = sim->stepper.t = sim->last_end = t;
  sim->led = true;
  sim->stepper.f_ready = false;
  brink_sim_restart(sim);
  brink_audit_accept(&sim->eval, t, sim->x);
  brink_sim_note_moved(sim, t0);
  brink_detector_jump(&sim->detector, from, sim->x, true);
  return brink_sim_record_step(sim, t0);
}

/* A step along the gradient to where the guard is zero, to first order. */
static bool step_to_surface(brink_sim *sim, size_t guard, double t, double *x) {
  brink_eval *eval = &sim->eval;
  const brink_guard_def *def = &sim->model->guards[guard].def;
  double dt, norm = 0.0, g = brink_eval_guard(eval, guard, t, x);
  if (sim->model->guards[guard].formula != NULL ||
      brink_eval_gradient(eval, guard, t, x, eval->gradient, &dt) != BRINK_TRY_OK)
    return false;
  for (size_t k = 0; k < def->ndepends; k++) norm += eval->gradient[k] * eval->gradient[k];
  if (!(norm > 0.0)) return false;
  for (size_t k = 0; k < def->ndepends; k++) x[def->depends[k]] -= g / norm * eval->gradient[k];
  return true;
}

/* The point of the surface next to x, into x: not past it. */
static bool put_on_surface(brink_sim *sim, size_t guard, int inside, double t, double *x) {
  enum { ROUNDS = 3 };
  for (int k = 0; k < ROUNDS && brink_eval_guard(&sim->eval, guard, t, x) != 0.0; k++) {
    if (!step_to_surface(sim, guard, t, x)) return false;
  }
  return brink_edge_nudge(sim, guard, inside, x);
}

/* A point past the surface by less than the tolerance is put back on it. */
static bool put_inside(brink_sim *sim, size_t guard, double t, double *x) {
  brink_eval *eval = &sim->eval;
  for (int round = 0; round < 2 && !brink_eval_may(eval, t, x); round++) {
    if (!step_to_surface(sim, guard, t, x)) return false;
    brink_edge_nudge(sim, guard, eval->sgn[guard], x);
  }
  return brink_eval_may(eval, t, x);
}

/* Something stops the hop at t, inside the dip: the state waits there on the surface. To second order first, then by
 * the fields at both ends: beside a singular field a difference of fields says little about its bend. */
static bool land_on_surface(brink_sim *sim, size_t guard, double t, double d, double *x) {
  brink_eval *eval = &sim->eval;
  double s = t - sim->t, *there = eval->f_plus;
  follow_parabola(sim, s, d, x);
  if (!put_inside(sim, guard, t, x)) return false;
  if (brink_eval_sided(eval, guard, eval->sgn[guard], t, x, there) != BRINK_TRY_OK) return true;
  for (size_t i = 0; i < eval->nx; i++)
    x[i] = sim->x[i] + 0.5 * s * (sim->instant.field[i] + there[i]);
  return put_inside(sim, guard, t, x);
}

/* Another flag changes its sign inside the dip, before s: the state is put on the surface just behind that, and the flag
 * has its event there. */
static bool stop_on_the_way(brink_sim *sim, size_t guard, double s, double d, brink_status *status,
                            brink_diag *diag) {
  brink_eval *eval = &sim->eval;
  double low = 0.0, high = s, *x = sim->stepper.x_new;
  while (high - low > 2.0 * DBL_EPSILON * fmax(fabs(sim->t), s)) {
    double middle = 0.5 * (low + high);
    follow_parabola(sim, middle, d, x);
    if (brink_edge_crosses_another(sim, guard, sim->t + middle, x))
      high = middle;
    else
      low = middle;
  }
  if (!(sim->t + high > sim->t) || !land_on_surface(sim, guard, sim->t + high, d, x)) return false;
  *status = move_over(sim, sim->t + high, x);
  sim->instant.nlocated = 0;
  for (size_t k = 0; *status == BRINK_OK && k < sim->model->def.nguards; k++) {
    int sign = eval->sgn[k];
    if (k == guard || sim->model->guards[k].def.side == BRINK_LEAF ||
        !brink_detector_active(&sim->detector, k) ||
        sign * brink_eval_guard(eval, k, sim->t, sim->x) >= -eval->slack[k])
      continue;
    if (brink_detector_wants(&sim->detector, k, brink_leaving(sign)))
      sim->instant.located[sim->instant.nlocated++] =
          (brink_located){.guard = k, .kind = BRINK_CROSSED, .direction = brink_leaving(sign)};
    else
      brink_eval_set_sign(eval, k, -sign);
  }
  if (*status == BRINK_OK) *status = brink_sim_instant(sim, diag);
  if (*status == BRINK_OK) *status = sim->instant.count > 0 ? BRINK_EVENT : BRINK_STEPPED;
  if (*status >= 0 && !sim->instant.changed)
    sim->grazed = guard; /* the rest of the dip is still to come */
  return true;
}

#define ARRIVES 0.95 /* exponents up to this one; nearer to 1 two rates cannot tell */

/* The rate at which the guard grows inside, at the present time, a distance y from x on its surface; NaN: unknown. */
static double rate_beside(brink_sim *sim, size_t guard, int inside, const double *x, double y) {
  brink_eval *eval = &sim->eval;
  const brink_guard_def *def = &sim->model->guards[guard].def;
  double dt, norm = 0.0, *beside = sim->event_x, *f = eval->f_minus;
  memcpy(beside, x, eval->nx * sizeof *x);
  if (brink_eval_gradient(eval, guard, sim->t, x, eval->gradient, &dt) != BRINK_TRY_OK)
    return (double)NAN;
  for (size_t k = 0; k < def->ndepends; k++) norm += eval->gradient[k] * eval->gradient[k];
  for (size_t k = 0; k < def->ndepends && y > 0.0; k++)
    beside[def->depends[k]] += inside * y / norm * eval->gradient[k];
  if (brink_eval_sided(eval, guard, inside, sim->t, beside, f) != BRINK_TRY_OK) return (double)NAN;
  return inside * brink_eval_rate(eval, guard, sim->t, beside, f);
}

/* Does the field lead to x on the surface from beside it, in finite time, and no farther? */
static bool field_ends(brink_sim *sim, size_t guard, int inside, const double *x, double near) {
  double on = rate_beside(sim, guard, inside, x, 0.0);
  if (!(on >= 0.0)) return false;
  double rate = rate_beside(sim, guard, inside, x, near);
  double nearer = rate_beside(sim, guard, inside, x, 0.25 * near);
  return rate < 0.0 && nearer < 0.0 && log(rate / nearer) <= ARRIVES * log(4.0);
}

bool brink_edge_rest(brink_sim *sim, size_t guard, int inside) {
  brink_eval *eval = &sim->eval;
  double *x = sim->stepper.x_new, near = brink_sim_tolerance(sim, guard, sim->t, sim->x);
  double y = inside * brink_eval_guard(eval, guard, sim->t, sim->x);
  if (!(y >= 0.0 && y <= near) || sim->model->guards[guard].formula != NULL) return false;
  memcpy(x, sim->x, eval->nx * sizeof *x);
  if (!put_on_surface(sim, guard, inside, sim->t, x) || !field_ends(sim, guard, inside, x, near) ||
      brink_edge_crosses_another(sim, guard, sim->t, x))
    return false;
  memcpy(sim->x, x, eval->nx * sizeof *x);
  brink_leads_forget(sim);
  sim->instant.rested = true;
  return true;
}

bool brink_edge_hop(brink_sim *sim, double t_stop, brink_status *status, brink_diag *diag) {
  enum { TRIES = 24 };
  brink_eval *eval = &sim->eval;
  size_t guard = sim->grazed;
  double *x = sim->stepper.x_new, d = moment_ago(sim);
  sim->grazed = BRINK_NONE;
  if (eval->nheld > 0 || !brink_eval_protects(eval, guard)) return false;
  double s = time_over(sim, guard, &d), slack = eval->slack[guard];
  bool too_long = false;
  eval->slack[guard] = 0.0;
  for (int k = 0; s > 0.0 && k < TRIES; k++, s *= 1.25) {
    if (!(sim->t + s > sim->t)) break;
    if (sim->t + s > t_stop) {
      if (!(t_stop > sim->t) || !land_on_surface(sim, guard, t_stop, d, x) ||
          brink_edge_crosses_another(sim, guard, t_stop, x))
        break;
      *status = move_over(sim, t_stop, x);
      sim->grazed = guard; /* the rest of the dip is still to come */
      return true;
    }
    if (!land(sim, guard, s, d, x, &too_long)) continue;
    if (too_long) break;
    if (brink_edge_crosses_another(sim, guard, sim->t + s, x)) {
      if (stop_on_the_way(sim, guard, s, d, status, diag)) return true;
      break;
    }
    *status = move_over(sim, sim->t + s, x);
    return true;
  }
  eval->slack[guard] = slack;
  return false;
}
