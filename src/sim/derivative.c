/* derivative.c: which way a guard leaves its surface where its rate is zero: by its first derivative that is not.
 *
 * Where the model gives the series of its solution, those of the guard along it follow: for a linear guard as sums,
 * else by its own jet. A coefficient counts if it is larger than what rounding of the states and of the time may
 * make of it: that is seen by expanding once more beside the point, some units in the last place away. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/sim.h"

#define UNITS 4.0 /* in the last place: how far beside */
#define SAFE 16.0
#define SOFT 1e-5 /* of its terms: what the location of an event may leave of a coefficient */

enum { ORDER = BRINK_LEAD_ORDER, LENGTH = ORDER + 1 };

static double **take_rows(brink_sim *sim) {
  size_t nx = sim->model->def.nx;
  double *memory = brink_arena_take(&sim->arena, nx * LENGTH, sizeof *memory);
  double **rows = brink_arena_take(&sim->arena, nx, sizeof *rows);
  for (size_t i = 0; memory != NULL && rows != NULL && i < nx; i++) rows[i] = memory + i * LENGTH;
  return rows;
}

bool brink_derivative_init(brink_sim *sim) {
  if (sim->model->def.flow_jet == NULL) return true;
  sim->lead_rows = take_rows(sim);
  for (int k = 0; k < BRINK_LEAD_POINTS && sim->leads.field != NULL; k++)
    sim->leads.rows[k] = take_rows(sim);
  return !sim->arena.failed;
}

static void relocate_rows(brink_sim *sim, brink_relocation *moved, double ***rows) {
  if (*rows == NULL) return;
  BRINK_RELOCATE(moved, *rows);
  brink_relocate_rows(moved, *rows, sim->model->def.nx);
}

void brink_derivative_relocate(brink_sim *sim, brink_relocation *moved) {
  relocate_rows(sim, moved, &sim->lead_rows);
  for (int k = 0; k < BRINK_LEAD_POINTS; k++) relocate_rows(sim, moved, &sim->leads.rows[k]);
}

/* Do the series of all states end at this order? */
static bool ends_at(const brink_model_def *def, int order) {
  for (size_t i = 0; i < def->nx; i++) {
    if (def->flow_degrees == NULL || def->flow_degrees[i] == 0 || def->flow_degrees[i] > order)
      return false;
  }
  return true;
}

/* The series of the states; how many of their coefficients are known, 0: none. A model need not give as many as are
 * asked for. */
static int expand(brink_sim *sim, size_t guard, int side, double t, const double *x,
                  double **rows) {
  brink_eval *eval = &sim->eval;
  for (int order = ORDER; order > 0; order--) {
    for (size_t i = 0; i < eval->nx; i++) {
      memset(rows[i], 0, LENGTH * sizeof(double));
      rows[i][0] = x[i];
    }
    brink_try outcome = brink_eval_sided_flow_jet(eval, guard, side, order, t, x, rows);
    if (outcome == BRINK_TRY_OK) return ends_at(&sim->model->def, order) ? ORDER : order;
    if (outcome != BRINK_TRY_REFUSED) return 0;
  }
  return 0;
}

/* Where a guard is expanded. */
typedef struct point {
  int which; /* 0: here; 1, 2: beside it, to either side */
  double t;
  const double *x;
} point;

/* The same, in *rows; many guards may share it. */
static int flow_series(brink_sim *sim, size_t guard, int side, point at, double ***rows) {
  brink_leads *leads = &sim->leads;
  if (!brink_leads_shared(sim, guard)) {
    *rows = sim->lead_rows;
    return expand(sim, guard, side, at.t, at.x, *rows);
  }
  *rows = leads->rows[at.which];
  if (leads->series[at.which] < 0)
    leads->series[at.which] = expand(sim, guard, side, at.t, at.x, *rows);
  return leads->series[at.which];
}

/* The coefficients of a plain guard along the solution through a point, and the sizes of the terms that each is a sum
 * of, as far as they are known. */
static int guard_series(brink_sim *sim, size_t guard, int side, point at, double *g, double *size) {
  brink_eval *eval = &sim->eval;
  const brink_guard_def *def = &sim->model->guards[guard].def;
  double **rows;
  int known = flow_series(sim, guard, side, at, &rows);
  if (known == 0) return 0;
  memset(size, 0, LENGTH * sizeof *size);
  if (!sim->model->guards[guard].linear) {
    double time[LENGTH] = {at.t, 1.0};
    if (def->jet == NULL) return 0;
    return def->jet(guard, ORDER, time, (const double *const *)rows, &eval->env, g) == 0 ? known
                                                                                         : 0;
  }
  double rate;
  if (brink_eval_gradient(eval, guard, at.t, at.x, eval->gradient, &rate) != BRINK_TRY_OK) return 0;
  for (int k = 1; k <= ORDER; k++) {
    g[k] = k == 1 ? rate : 0.0;
    size[k] = fabs(g[k]);
    for (size_t j = 0; j < def->ndepends; j++) {
      double term = eval->gradient[j] * rows[def->depends[j]][k];
      g[k] += term;
      size[k] += fabs(term);
    }
  }
  return known;
}

/* What coefficient k of the guard is made of, roughly: by its gradient and the states' coefficients, which are those
 * of the last expansion. */
static double terms_of(brink_sim *sim, size_t guard, int k) {
  brink_eval *eval = &sim->eval;
  const brink_guard_def *def = &sim->model->guards[guard].def;
  double rate, sum = 0.0;
  if (brink_eval_gradient(eval, guard, sim->t, sim->x, eval->gradient, &rate) != BRINK_TRY_OK)
    return 0.0;
  for (size_t j = 0; j < def->ndepends; j++)
    sum += fabs(eval->gradient[j] * sim->lead_rows[def->depends[j]][k]);
  return sum;
}

/* A point beside the present, on the same side of all unilateral guards. */
static bool beside(brink_sim *sim, size_t guard, int way, double *t, double *x) {
  brink_eval *eval = &sim->eval;
  double unit = way * UNITS * DBL_EPSILON;
  *t = sim->t * (1.0 + unit);
  for (size_t i = 0; i < eval->nx; i++) x[i] = sim->x[i] * (i % 2 == 0 ? 1.0 + unit : 1.0 - unit);
  if (sim->model->guards[guard].def.side != BRINK_UNILATERAL) return true;
  double g = brink_eval_guard(eval, guard, sim->t, sim->x);
  double there = brink_eval_guard(eval, guard, *t, x);
  return there == 0.0 || g * there > 0.0;
}

int brink_derivative_sign(brink_sim *sim, size_t guard, int side) {
  brink_eval *eval = &sim->eval;
  double g[LENGTH], size[LENGTH], near[LENGTH], other[LENGTH], t, *x = sim->detector.space.x;
  int polarity, way;
  size_t leaf = brink_eval_deciding_leaf(eval, guard, sim->t, sim->x, &polarity);
  if (leaf != guard || sim->lead_rows == NULL || !brink_eval_has_flow_jet(eval))
    return BRINK_LEADS_UNKNOWN;
  int known = guard_series(sim, guard, side, (point){0, sim->t, sim->x}, g, size);
  if (known == 0) return BRINK_LEADS_UNKNOWN;
  for (way = 1; way >= -1; way -= 2) {
    if (beside(sim, guard, way, &t, x) &&
        guard_series(sim, guard, side, (point){way > 0 ? 1 : 2, t, x}, near, other) == known)
      break;
  }
  if (way < -1) return BRINK_LEADS_UNKNOWN;
  /* A constraint has kept it at zero until now, and its derivatives that tie states: these are zero, whatever rounding
   * says; so is the next one, unless the unknown in it has jumped. */
  int zero = eval->vanishing[guard];
  for (int k = zero > 1 ? zero : 1; k <= known; k++) {
    if (!isfinite(g[k]) || !isfinite(near[k])) return BRINK_LEADS_UNKNOWN;
    double rounding = SAFE * (fabs(near[k] - g[k]) + DBL_EPSILON * size[k]);
    if (zero > 0 && k == zero) rounding = fmax(rounding, SOFT * terms_of(sim, guard, k));
    if (fabs(g[k]) > rounding) return g[k] > 0.0 ? 1 : -1;
  }
  return known == ORDER ? 0 : BRINK_LEADS_UNKNOWN;
}
