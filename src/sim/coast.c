/* coast.c: a plan in closed form, for what moves along a polynomial of low degree. See pack.h.
 *
 * The problem  An action of a pair changes two velocities. To start two simulations for that, to take all signs anew and to
 *              search a step for events of their own costs a hundred times what the action does.
 * The method   Where the model declares that its series end (flow_degrees), the series are the solution. Each of its
 *              guards along them is a polynomial of degree two at most, which first comes close to zero at a time
 *              that has a closed form. Up to that time nothing happens. The plan ends there, and what comes next is left to the
 *              simulation, which starts anew from the end of the plan.
 * Why it is    "Close" is four tolerances of the guard, far more than the rounding of all that is computed here; in a
 * safe         bend towards the surface as far as a near miss is reported. Signs stay as they are: each guard has its sign, is off its
 *              surface by more than that, and was on no surface before. Whatever is not as simple is refused, and
 *              takes the usual way (intervene.c, look_ahead.c). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/pack.h"

#define STATES 16    /* a model with more states has other costs */
#define DEGREE 2     /* of series, and of guards along them */
#define FAR 4.0      /* tolerances of a guard: the plan comes no closer to its surface, … */
#define BEGINS 2.0   /* … and begins at this multiple of that */
#define SAFE 1e-6    /* part of the time that is left out: rounding of the closed forms */
#define RESOLVE 1e-9 /* of its terms: a discriminant below it may have any sign */

/* ---- which models ---- */

/* Is the guard, along series of this degree, a polynomial that has a closed form? */
static bool is_simple(const brink_model *model, size_t index, int degree) {
  const brink_guard *guard = &model->guards[index];
  const brink_guard_def *def = &guard->def;
  bool linear = guard->linear; /* by numbers, or with a gradient */
  bool series = def->jet != NULL && def->degree >= 1 && def->degree * degree <= DEGREE;
  return guard->formula == NULL && guard->watched_as == index && guard->next_same == index &&
         !guard->lets_go && def->side != BRINK_LEAF && !def->reads_signs && !def->condition &&
         !def->is_timer && (linear || series);
}

bool brink_coast_suits(const brink_sim *sim) {
  const brink_model *model = sim->model;
  const brink_model_def *def = &model->def;
  int most = 1;
  if (def->flow_jet == NULL || def->flow_degrees == NULL || def->nx == 0 || def->nx > STATES ||
      def->nz > 0 || sim->eval.n != def->nx || def->nclocks > 0 || def->delays != NULL ||
      def->enabled != NULL || def->rules != NULL || model->nconditions > 0 || model->ntimers > 0 ||
      model->doubts != NULL || sim->stepper.chosen.ops->method != BRINK_TAYLOR ||
      !sim->detector.ops->needs_paths || isfinite(sim->options.hmax))
    return false;
  for (size_t i = 0; i < def->nx; i++) {
    if (def->flow_degrees[i] < 1 || def->flow_degrees[i] > DEGREE) return false;
    if (def->flow_degrees[i] > most) most = def->flow_degrees[i];
  }
  for (size_t k = 0; k < def->nguards; k++) {
    if (!is_simple(model, k, most)) return false;
  }
  return true;
}

/* ---- one guard ---- */

/* The series of all states, in units of time. */
typedef struct series {
  double c[STATES][DEGREE + 1];
  const double *rows[STATES];
  int degree;
} series;

/* y = c[0] + c[1] s + c[2] s^2, sign(y) > 0 at the start; how far it has to stay from zero. */
typedef struct approach {
  double c[DEGREE + 1], tolerance;
} approach;

/* A linear guard: its gradient is the same everywhere. */
static bool along_linear(brink_sim *sim, size_t guard, double t, const double *x, const series *s,
                         approach *y) {
  const brink_guard_def *def = &sim->model->guards[guard].def;
  const double *weights = def->coefficients;
  y->c[0] = brink_eval_guard(&sim->eval, guard, t, x);
  y->c[1] = def->time_coefficient;
  if (weights == NULL) {
    weights = sim->eval.gradient;
    if (brink_eval_gradient(&sim->eval, guard, t, x, sim->eval.gradient, &y->c[1]) != BRINK_TRY_OK)
      return false;
  }
  for (size_t k = 0; k < def->ndepends; k++) {
    size_t i = def->depends[k];
    double w = weights[k];
    for (int l = 1; l <= s->degree; l++) y->c[l] += w * s->c[i][l];
    y->tolerance += fabs(w) * (sim->options.rtol * fabs(s->c[i][0]) + sim->atol[i]);
  }
  return true;
}

static bool along_series(brink_sim *sim, size_t guard, double t, const double *x, const series *s,
                         approach *y) {
  const brink_guard_def *def = &sim->model->guards[guard].def;
  double time[DEGREE + 1] = {t, 1.0};
  sim->eval.stats.guards++;
  if (def->jet(guard, DEGREE, time, s->rows, &sim->eval.env, y->c) != 0) return false;
  y->tolerance = brink_eval_tolerance(&sim->eval, guard, t, x, sim->options.rtol, sim->atol);
  return y->tolerance > 0.0;
}

/* The first s > 0 at which c falls to zero, c[0] > 0, or a little before; INFINITY: it does not. */
static double first_root(const double *c) {
  double b = c[1], a = c[2], square = b * b - 4.0 * a * c[0];
  if (a >= 0.0 && b >= 0.0) return (double)INFINITY;
  if (a == 0.0) return c[0] / -b;
  if (square < -RESOLVE * b * b) return (double)INFINITY;
  double root = sqrt(fmax(square, 0.0));
  return b < 0.0 ? 2.0 * c[0] / (root - b) : (b + root) / (-2.0 * a);
}

/* How long the guard stays off its surface; 0: it is too close to it, or on the other side. */
static double time_off(brink_sim *sim, size_t guard, double t, const double *x, const series *s,
                       int sign) {
  approach y = {.tolerance = 0.0};
  bool known = sim->model->guards[guard].linear ? along_linear(sim, guard, t, x, s, &y)
                                                : along_series(sim, guard, t, x, s, &y);
  if (!known) return 0.0;
  for (int l = 0; l <= DEGREE; l++) y.c[l] *= sign;
  bool dips = y.c[2] > 0.0 && y.c[1] < 0.0;
  double far = FAR * y.tolerance;
  if (dips && sim->options.near_miss > 1.0) far *= sim->options.near_miss;
  if (!(y.c[0] > BEGINS * far)) return 0.0;
  y.c[0] -= far;
  double time = first_root(y.c);
  return isnan(time) ? 0.0 : time * (1.0 - SAFE);
}

/* ---- the plan ---- */

static bool expand(brink_sim *sim, double t, const double *x, series *s) {
  const brink_model_def *def = &sim->model->def;
  double *rows[STATES];
  s->degree = 1;
  for (size_t i = 0; i < def->nx; i++) {
    if (def->flow_degrees[i] > s->degree) s->degree = def->flow_degrees[i];
    s->c[i][0] = x[i];
    s->c[i][DEGREE] = 0.0;
    s->rows[i] = rows[i] = s->c[i];
  }
  sim->eval.stats.rhs++;
  if (def->flow_jet(s->degree, t, 1.0, x, &sim->eval.env, rows) != 0) return false;
  double sum = 0.0;
  for (size_t i = 0; i < def->nx; i++) sum += 0.0 * (s->c[i][0] + s->c[i][1] + s->c[i][2]);
  return sum == 0.0; /* all are finite */
}

bool brink_coast(const brink_packing *packing, brink_sim *sim, void *packed, double t, double t_end,
                 double *valid) {
  const brink_model *model = sim->model;
  brink_packed_signs of;
  series s;
  if (!packing->coasts || sim->observers != NULL ||
      (model->doubts != NULL && model->doubts(model->def.user)) ||
      !brink_packed_is_plain(packing, packed, &of) || !(t < t_end) || !expand(sim, t, sim->x, &s))
    return false;
  double left = t_end - t;
  for (size_t k = 0; k < model->def.nguards; k++) {
    if (of.sgn[k] == 0 || of.slack[k] != 0.0 || of.touched[k] || of.pending[k]) return false;
    double off = time_off(sim, k, t, sim->x, &s, of.sgn[k]);
    if (off < left) left = off;
    if (!(left > 0.0)) return false;
  }
  *valid = left >= t_end - t ? t_end : t + left;
  if (!(*valid > t)) return false;
  brink_packed_coast(packing, sim, packed, t, &s.c[0][0], DEGREE + 1, s.degree);
  return true;
}
