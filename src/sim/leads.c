/* leads.c: which way the flow leads a guard that is on its surface.
 *
 * By its rate; where that is zero, by the first derivative that is not (derivative.c); where the model has no series, by
 * small Runge-Kutta steps.
 *
 * At an instant many guards may rest on their surfaces (tanks that stand at a level), and each event may set any of them in motion, so
 * all are asked again. Where the field reads none of their signs (brink_guard_def.unread) it is one field for all of them: fields, series
 * and small steps are then made once (brink_leads), and a guard costs its own value and gradient only. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/sim.h"

enum {
  STEPS = 19,       /* 0.125 s and its halves: all that power_sign asks for */
  STAGES = 3,       /* of probe_sign */
  MANY = 3,         /* guards whose signs are unread: from here on it is worth it */
  LARGEST = 1 << 14 /* states: beyond, the memory is not spent */
};

/* ---- one field for many ---- */

static size_t count_unread(const brink_sim *sim) {
  size_t count = 0;
  for (size_t k = 0; k < sim->model->def.nguards; k++) count += sim->model->guards[k].def.unread;
  return count;
}

bool brink_leads_init(brink_sim *sim) {
  brink_leads *leads = &sim->leads;
  size_t nx = sim->model->def.nx;
  if (nx > LARGEST || count_unread(sim) < MANY) return true;
  leads->field = brink_arena_take(&sim->arena, nx, sizeof(double));
  leads->after = brink_arena_take(&sim->arena, nx * STEPS, sizeof(double));
  leads->stages = brink_arena_take(&sim->arena, nx * STAGES, sizeof(double));
  return !sim->arena.failed;
}

void brink_leads_relocate(brink_sim *sim, brink_relocation *moved) {
  BRINK_RELOCATE(moved, sim->leads.field);
  BRINK_RELOCATE(moved, sim->leads.after);
  BRINK_RELOCATE(moved, sim->leads.stages);
}

void brink_leads_forget(brink_sim *sim) {
  brink_leads *leads = &sim->leads;
  leads->known = false;
  leads->stepped = leads->staged = 0;
  for (int k = 0; k < BRINK_LEAD_POINTS; k++) leads->series[k] = -1;
}

void brink_leads_open(brink_sim *sim) {
  sim->leads.open = sim->leads.field != NULL;
  sim->leads.signs = sim->eval.read_signs;
  brink_leads_forget(sim);
}

void brink_leads_close(brink_sim *sim) {
  sim->leads.open = false;
}

bool brink_leads_unread(const brink_sim *sim, size_t guard) {
  return sim->model->guards[guard].def.unread && !sim->eval.is_held[guard];
}

bool brink_leads_shared(brink_sim *sim, size_t guard) {
  brink_leads *leads = &sim->leads;
  if (!leads->open || !brink_leads_unread(sim, guard)) return false;
  if (leads->signs != sim->eval.read_signs) { /* the field may be another */
    brink_leads_forget(sim);
    leads->signs = sim->eval.read_signs;
  }
  return true;
}

/* The field of one side. */
static brink_try sided_field(brink_sim *sim, size_t guard, int side, double *f) {
  brink_leads *leads = &sim->leads;
  size_t bytes = sim->eval.nx * sizeof *f;
  bool shared = brink_leads_shared(sim, guard);
  if (shared && leads->known) {
    memcpy(f, leads->field, bytes);
    return BRINK_TRY_OK;
  }
  brink_try outcome = brink_eval_sided(&sim->eval, guard, side, sim->t, sim->x, f);
  if (shared && outcome == BRINK_TRY_OK) {
    memcpy(leads->field, f, bytes);
    leads->known = true;
  }
  return outcome;
}

/* ---- by the rate ---- */

/* The rate as soon as time can tell: where the gradient vanishes on the surface (x^2), the present may be this side of it
 * or that, by rounding of time. */
static double rate_soon(brink_sim *sim, size_t guard, const double *f) {
  double *x = sim->detector.space.x, d = 8.0 * DBL_EPSILON * fabs(sim->t);
  for (size_t i = 0; i < sim->eval.nx; i++) x[i] = sim->x[i] + d * f[i];
  return brink_eval_rate(&sim->eval, guard, sim->t + d, x, f);
}

/* The sign of a rate, 0 where rounding decides it. */
int brink_leads_rate(brink_sim *sim, size_t guard, const double *f) {
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
  if (!sim->model->guards[guard].linear && rate * rate_soon(sim, guard, f) < 0.0) return 0;
  return rate > 0.0 ? 1 : -1;
}

/* The field at stage k + 1 of probe_sign, in `stage`. */
static bool probe_stage(brink_sim *sim, size_t guard, int side, int k, double t, const double *x,
                        double *stage) {
  brink_leads *leads = &sim->leads;
  size_t nx = sim->eval.nx;
  bool shared = brink_leads_shared(sim, guard);
  double *kept = shared ? leads->stages + (size_t)k * nx : NULL;
  if (shared && (leads->staged >> k & 1u) != 0) {
    memcpy(stage, kept, nx * sizeof *stage);
    return true;
  }
  if (brink_eval_sided(&sim->eval, guard, side, t, x, stage) != BRINK_TRY_OK) return false;
  if (shared) {
    memcpy(kept, stage, nx * sizeof *stage);
    leads->staged |= 1u << k;
  }
  return true;
}

/* ---- by small steps ---- */

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
  double *x = sim->detector.space.x, *stage = sim->instant.field;
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
    if (k == STAGES || !probe_stage(sim, guard, side, k, t, x, stage)) return 0;
  }
  return 0;
}

/* The state after a step of d by the classical Runge-Kutta method, along the field of one side. False: it is not
 * defined on the way. */
static bool small_step(brink_sim *sim, size_t guard, int side, const double *f, double d,
                       double *x) {
  static const double part[] = {0.5, 0.5, 1.0}, weight[] = {2.0, 2.0, 1.0};
  brink_eval *eval = &sim->eval;
  size_t nx = sim->model->def.nx;
  double *stage = sim->instant.field, *sum = sim->event_x;
  memcpy(stage, f, nx * sizeof *stage);
  memcpy(sum, f, nx * sizeof *sum);
  for (int k = 0; k < 3; k++) {
    for (size_t i = 0; i < nx; i++) x[i] = sim->x[i] + part[k] * d * stage[i];
    if (brink_eval_sided(eval, guard, side, sim->t + part[k] * d, x, stage) != BRINK_TRY_OK)
      return false;
    for (size_t i = 0; i < nx; i++) sum[i] += weight[k] * stage[i];
  }
  for (size_t i = 0; i < nx; i++) x[i] = sim->x[i] + d / 6.0 * sum[i];
  return true;
}

/* How g changes in a step of 2^-halvings/8; NAN: it is not defined on the way. *band: what rounding amounts to. */
static double change_after(brink_sim *sim, size_t guard, int side, const double *f, int halvings,
                           double *band) {
  brink_leads *leads = &sim->leads;
  double d = ldexp(0.125, -halvings), *x = sim->detector.space.x;
  bool shared = brink_leads_shared(sim, guard);
  if (shared) x = leads->after + (size_t)halvings * sim->eval.nx;
  bool made = shared && (leads->stepped >> halvings & 1u) != 0;
  if (!made && !small_step(sim, guard, side, f, d, x)) return (double)NAN;
  if (shared) leads->stepped |= 1u << halvings;
  *band = brink_sim_zero_band(sim, guard, sim->t + d, x);
  return brink_eval_guard(&sim->eval, guard, sim->t + d, x) -
         brink_eval_guard(&sim->eval, guard, sim->t, sim->x);
}

/* Steps that are halved: where two ratios of changes agree with 2^k, the k-th derivative is the first that is not
 * zero, and its sign is that of the change. The method is of order four, and so are the derivatives that it gives. */
static int power_sign(brink_sim *sim, size_t guard, int side, const double *f) {
  for (int first = 0; first + 2 < STEPS; first += 2) {
    double c[3], band = 0.0;
    for (int k = 0; k < 3; k++) c[k] = change_after(sim, guard, side, f, first + k, &band);
    if (!(fabs(c[2]) > 64.0 * band)) continue;
    double power = round(log2(c[1] / c[2]));
    bool agree =
        fabs(c[0] / c[1] / exp2(power) - 1.0) < 0.1 && fabs(c[1] / c[2] / exp2(power) - 1.0) < 0.05;
    if (agree && power >= 1.0 && power <= 4.0) return c[2] > 0.0 ? 1 : -1;
  }
  return 0;
}

int brink_leads_along(brink_sim *sim, size_t guard, int side, const double *f) {
  int sign = sim->eval.vanishing[guard] > 0 ? 0 : brink_leads_rate(sim, guard, f);
  if (sign != 0) return sign;
  sign = brink_derivative_sign(sim, guard, side);
  if (sign != BRINK_LEADS_UNKNOWN) return sign;
  bool unilateral = sim->model->guards[guard].def.side == BRINK_UNILATERAL;
  sign = unilateral ? 0 : power_sign(sim, guard, side, f); /* which looks beyond the surface */
  return sign != 0 ? sign : probe_sign(sim, guard, side, f);
}

/* Which way the field of one side leads: +1, -1, or 0 if it stays. */
int brink_leads_side(brink_sim *sim, size_t guard, int side, double *f) {
  brink_sim_suppose(sim, guard, side);
  brink_try outcome = sided_field(sim, guard, side, f);
  int leads = outcome == BRINK_TRY_OK ? brink_leads_along(sim, guard, side, f) : 0;
  brink_sim_suppose_no_more(sim);
  /* Past another unilateral guard: that one's event comes first, at this same instant. */
  if (outcome == BRINK_TRY_OUTSIDE) sim->instant.pending[guard] = true;
  return leads;
}

/* ---- at rest ---- */

int brink_leads_rest_sign(brink_sim *sim, size_t guard) {
  brink_eval *eval = &sim->eval;
  const brink_guard *formula = &sim->model->guards[guard];
  double g = brink_eval_guard(eval, guard, sim->t, sim->x); /* and its leaves, in eval->value */
  if (formula->formula == NULL || isnan(g)) return 0;
  for (size_t k = 0; k < formula->formula_length; k++) {
    const brink_formula_op *op = &formula->formula[k];
    if (op->op != 0) continue;
    double band = brink_sim_zero_band(sim, op->leaf, sim->t, sim->x);
    if (!(fabs(eval->value[op->leaf]) <= band)) continue;
    int side = sim->model->guards[op->leaf].def.at_zero;
    if (side == 0) return 0;
    eval->value[op->leaf] = side * DBL_MIN;
  }
  return brink_sign_of(brink_formula_value(formula, eval->value), 0.0);
}

bool brink_leads_rests(brink_sim *sim, size_t guard) {
  double g = brink_eval_guard(&sim->eval, guard, sim->t, sim->x);
  if (!(fabs(g) <= brink_sim_zero_band(sim, guard, sim->t, sim->x))) return false;
  return brink_leads_side(sim, guard, 1, sim->eval.f_plus) == 0 &&
         brink_leads_side(sim, guard, -1, sim->eval.f_plus) == 0;
}
