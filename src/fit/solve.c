/* solve.c: the way to the best knobs.
 *
 * From each start Levenberg-Marquardt goes downhill with the derivatives of the runs. Bounds: a knob is
 * w = (1 + sin u) / 2 of the way between them, and u is free (James & Roos 1975, MINUIT). At a bound dw/du is 0, and the
 * last of the way to it is slow: a knob that is near a bound and pressed against it is put there and fixed, and the others
 * go on.
 *
 * Is the end of that a minimum? It is, if the Gauss-Newton step that is left is small compared with the standard errors,
 * and if every knob has an effect. If not, the sum of squares has an edge there: an event appears or vanishes, or runs have
 * no derivatives. Then Sbplx goes on from the best point. It compares values only. After that Levenberg-Marquardt
 * is tried again: on one side of an edge the sum is smooth.
 *
 * Starts: the values of the model, then the best of ten times as many points of an additive sequence that fills the box
 * evenly (Roberts 2018: multiples of powers of the root of x^(n+1) = x + 1, modulo 1). */
#include <math.h>
#include <string.h>

#include "fit/fit_parts.h"

#define LEFT 0.01       /* of a standard error: closer than that is at the minimum */
#define NEAR_BOUND 1e-3 /* as a share of the distance of the bounds */
#define INSIDE 1e-3     /* starts keep away from bounds, where dw/du is 0 */
/* A residual of a run that cannot be used: every other run is better. */
#define UNUSABLE 1e20

/* Levenberg-Marquardt in u, with some knobs fixed. */
typedef struct descent {
  brink_fit *fit;
  const bool *fixed;
  double *z;
  brink_status status;
  brink_diag *diag;
} descent;

static bool is_spent(const brink_fit *fit) {
  return fit->cancelled || fit->start_runs >= fit->def.max_runs;
}

/* ---- points ---- */

/* The best point of this start has its Jacobian, if it was ever worked out. */
static void remember(brink_fit *fit) {
  const brink_fit_point *p = &fit->work;
  bool same = fit->best.usable && memcmp(p->z, fit->best.z, fit->n * sizeof *p->z) == 0;
  if (p->usable && (!fit->best.usable || p->sum < fit->best.sum || (same && p->has_jacobian)))
    brink_fit_point_copy(fit, &fit->best, p);
}

/* The run at z, unless it was the last one. */
static brink_status visit(brink_fit *fit, const double *z, bool derivatives, brink_diag *diag) {
  const brink_fit_point *p = &fit->work;
  if (p->usable && memcmp(p->z, z, fit->n * sizeof *z) == 0 && (p->has_jacobian || !derivatives))
    return BRINK_OK;
  brink_status status = brink_fit_evaluate(fit, z, derivatives, &fit->work, diag);
  if (status != BRINK_OK) return status;
  remember(fit);
  brink_fit_tell(fit, fit->best.usable ? fit->best.sum : (double)NAN);
  return BRINK_OK;
}

/* ---- Levenberg-Marquardt ---- */

static int residuals(size_t m, size_t n, const double *u, double *r, double *jacobian, void *user) {
  descent *d = user;
  brink_fit *fit = d->fit;
  size_t at = 0;
  if (is_spent(fit)) return 1;
  for (size_t k = 0; k < fit->n; k++)
    if (!d->fixed[k]) d->z[k] = brink_fit_unshare(&fit->knobs[k], 0.5 + 0.5 * sin(u[at++]));
  d->status = visit(fit, d->z, jacobian != NULL, d->diag);
  if (d->status != BRINK_OK) return 1;
  if (jacobian == NULL) {
    for (size_t k = 0; k < m; k++) r[k] = fit->work.usable ? fit->work.r[k] : UNUSABLE;
    return 0;
  }
  if (!fit->work.has_jacobian) return 1; /* an edge: there are no derivatives here */
  at = 0;
  for (size_t k = 0; k < fit->n; k++) {
    if (d->fixed[k]) continue;
    double w = 0.5 + 0.5 * sin(u[at]);
    double slope = brink_fit_share_slope(&fit->knobs[k], w) * 0.5 * cos(u[at]);
    for (size_t i = 0; i < m; i++)
      jacobian[at * m + i] = fit->work.jacobian[i * fit->n + k] * slope;
    at++;
  }
  (void)n;
  return 0;
}

/* From the best point so far. */
static brink_status descend(brink_fit *fit, const bool *fixed, brink_diag *diag) {
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  descent d = {.fit = fit, .fixed = fixed, .diag = diag};
  d.z = brink_arena_copy(&arena, fit->best.z, fit->n, sizeof *d.z);
  double *u = brink_arena_take(&arena, fit->n, sizeof *u);
  size_t nfree = 0;
  for (size_t k = 0; k < fit->n && !arena.failed; k++) {
    if (fixed[k]) continue;
    double w = brink_fit_share(&fit->knobs[k], fit->best.z[k]);
    u[nfree++] = asin(2.0 * fmin(fmax(w, INSIDE), 1.0 - INSIDE) - 1.0);
  }
  brink_status status =
      arena.failed ? brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory") : BRINK_OK;
  if (status == BRINK_OK && nfree > 0) {
    brink_least_squares problem = {.m = fit->ndata,
                                   .n = nfree,
                                   .residuals = residuals,
                                   .user = &d,
                                   .x = u,
                                   /* Runs know no more digits; the minimum is flat. */
                                   .tolerance = fmax(1e-2 * fit->options.sim.rtol, 1e-12),
                                   .most = fit->def.max_runs};
    status = brink_least_squares_solve(fit->optimisers, &problem, diag);
  }
  if (status == BRINK_CANCELLED) status = d.status;
  brink_arena_free(&arena);
  return status;
}

/* Which way the sum grows with a knob. */
static double slope_of_sum(const brink_fit *fit, const brink_fit_point *p, size_t k) {
  double sum = 0.0;
  for (size_t i = 0; i < fit->ndata; i++) sum += p->jacobian[i * fit->n + k] * p->r[i];
  return sum;
}

/* A knob near a bound that would rather be outside is fixed there, if that makes nothing worse. *more: one was. */
static brink_status fix_one(brink_fit *fit, bool *fixed, bool *more, brink_diag *diag) {
  *more = false;
  for (size_t k = 0; k < fit->n; k++) {
    const brink_fit_knob *knob = &fit->knobs[k];
    double w = brink_fit_share(knob, fit->best.z[k]), slope = slope_of_sum(fit, &fit->best, k);
    bool low = w < NEAR_BOUND && slope > 0.0, high = w > 1.0 - NEAR_BOUND && slope < 0.0;
    if (fixed[k] || (!low && !high)) continue;
    double *z = brink_arena_copy(&fit->solution, fit->best.z, fit->n, sizeof *z);
    if (z == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
    z[k] = low ? knob->lo : knob->hi;
    double before = fit->best.sum;
    brink_status status = visit(fit, z, true, diag);
    if (status != BRINK_OK) return status;
    if (!fit->work.has_jacobian || fit->work.sum > before * (1.0 + 1e-9)) continue;
    brink_fit_point_copy(fit, &fit->best, &fit->work);
    fixed[k] = *more = true;
    return BRINK_OK;
  }
  return BRINK_OK;
}

/* Is the best point a minimum, as far as derivatives can tell? */
static bool is_minimum(const brink_fit *fit, const bool *fixed) {
  if (!fit->best.has_jacobian) return false;
  for (size_t k = 0; k < fit->n; k++)
    if (!fixed[k] && !brink_fit_has_effect(fit, &fit->best, k)) return false;
  return brink_fit_remaining(fit, &fit->best, fixed) < LEFT;
}

static brink_status differentiate_best(brink_fit *fit, brink_diag *diag) {
  if (!fit->best.usable || fit->best.has_jacobian || !fit->differentiable) return BRINK_OK;
  fit->work.usable = false; /* the same knobs, with derivatives now */
  return visit(fit, fit->best.z, true, diag);
}

/* Levenberg-Marquardt from the best point, with knobs fixed at bounds one after another. */
static brink_status slide_down(brink_fit *fit, bool *fixed, bool *converged, brink_diag *diag) {
  bool more = true;
  brink_status status = BRINK_OK;
  for (size_t k = 0; k < fit->n; k++) fixed[k] = false;
  *converged = false;
  while (more && status == BRINK_OK && !is_spent(fit)) {
    more = false;
    status = descend(fit, fixed, diag);
    if (status == BRINK_OK) status = differentiate_best(fit, diag);
    if (status == BRINK_OK && fit->best.has_jacobian) status = fix_one(fit, fixed, &more, diag);
  }
  *converged = status == BRINK_OK && is_minimum(fit, fixed);
  return status;
}

/* ---- the search ---- */

typedef struct searching {
  brink_fit *fit;
  double *z;
  brink_status status;
  brink_diag *diag;
} searching;

static double sum_at(size_t n, const double *w, double *constraints, bool *stop, void *user) {
  searching *s = user;
  brink_fit *fit = s->fit;
  (void)constraints;
  for (size_t k = 0; k < n; k++) s->z[k] = brink_fit_unshare(&fit->knobs[k], w[k]);
  s->status = visit(fit, s->z, false, s->diag);
  *stop = s->status != BRINK_OK || is_spent(fit);
  return s->status == BRINK_OK && fit->work.usable ? fit->work.sum : (double)NAN;
}

/* From the best point so far, or from z where there is none. *ended: it stopped because nothing got better. */
static brink_status search(brink_fit *fit, const double *z, bool *ended, brink_diag *diag) {
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  searching s = {.fit = fit, .diag = diag};
  s.z = brink_arena_take(&arena, fit->n, sizeof *s.z);
  double *w = brink_arena_take(&arena, fit->n, sizeof *w);
  brink_status status =
      arena.failed ? brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory") : BRINK_OK;
  if (status == BRINK_OK) {
    for (size_t k = 0; k < fit->n; k++) w[k] = brink_fit_share(&fit->knobs[k], z[k]);
    brink_search problem = {.n = fit->n,
                            .objective = sum_at,
                            .user = &s,
                            .x = w,
                            .step = 0.1,
                            .tolerance = 1e-7,
                            .most = fit->def.max_runs};
    status = brink_search_solve(fit->optimisers, &problem, diag);
  }
  *ended = status == BRINK_OK;
  if (status == BRINK_CANCELLED) status = s.status;
  brink_arena_free(&arena);
  return status;
}

/* ---- one start ---- */

static double fraction(double x) {
  return x - floor(x);
}

void brink_fit_fill_box(const brink_fit *fit, size_t k, double *z) {
  double root = 2.0; /* of x^(n+1) = x + 1 */
  for (int j = 0; j < 60; j++) root = pow(1.0 + root, 1.0 / (double)(fit->n + 1));
  double share = 1.0;
  for (size_t j = 0; j < fit->n; j++) {
    share /= root;
    z[j] = brink_fit_unshare(&fit->knobs[j], fraction(0.5 + (double)k * share));
  }
}

/* Puts a candidate where it belongs among the best so far: rows of z, with their sums, in order. */
static void insert(double *z, double *sums, size_t count, size_t n, const double *candidate,
                   double sum) {
  size_t at = count;
  while (at > 0 && sum < sums[at - 1]) at--;
  if (at == count) return;
  memmove(&sums[at + 1], &sums[at], (count - 1 - at) * sizeof *sums);
  memmove(&z[(at + 1) * n], &z[at * n], (count - 1 - at) * n * sizeof *z);
  sums[at] = sum;
  memcpy(&z[at * n], candidate, n * sizeof *z);
}

/* Starts: the values of the model, then the best of BRINK_FIT_SCREENED times as many points that fill the box. A start whose runs all
 * fail stays at the middle of the box. */
static brink_status choose_starts(brink_fit *fit, double *z, brink_diag *diag) {
  size_t n = fit->n, others = fit->def.starts - 1;
  double *sums = brink_arena_take(&fit->solution, others, sizeof *sums);
  double *candidate = brink_arena_take(&fit->solution, n, sizeof *candidate);
  if (fit->solution.failed) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  memcpy(z, fit->initial, n * sizeof *z);
  for (size_t k = 0; k < others; k++) {
    sums[k] = (double)INFINITY;
    brink_fit_fill_box(fit, 0, &z[(k + 1) * n]);
  }
  for (size_t k = 1; k <= BRINK_FIT_SCREENED * others && !fit->cancelled; k++) {
    brink_fit_fill_box(fit, k, candidate);
    brink_status status = brink_fit_evaluate(fit, candidate, false, &fit->work, diag);
    if (status != BRINK_OK) return status;
    if (fit->work.usable) insert(z + n, sums, others, n, candidate, fit->work.sum);
    brink_fit_tell(fit, fit->best.usable ? fit->best.sum : (double)NAN);
  }
  return BRINK_OK;
}

/* What a start ended with. */
typedef struct attempt {
  brink_fit_point point;
  bool *fixed;
  bool converged;
  const char *method;
} attempt;

static brink_status try_start(brink_fit *fit, const double *z, bool *fixed, bool *converged,
                              brink_diag *diag) {
  bool downhill = fit->differentiable && fit->def.method != BRINK_FIT_SEARCH;
  fit->best.usable = fit->work.usable = false;
  fit->start_runs = 0;
  *converged = false;
  for (size_t k = 0; k < fit->n; k++) fixed[k] = false;
  brink_status status = visit(fit, z, downhill, diag);
  if (status != BRINK_OK || !fit->best.usable) return status;
  if (downhill) return slide_down(fit, fixed, converged, diag);
  status = search(fit, z, converged, diag);
  return status == BRINK_OK ? differentiate_best(fit, diag) : status;
}

/* ---- where derivatives did not do ---- */

static void say_why(brink_fit *fit, const attempt *a) {
  const brink_fit_point *p = &a->point;
  const char *why =
      "the sum of squares has an edge or a flat part there, as where an event appears "
      "or vanishes";
  if (p->limits & BRINK_SENSITIVITY_GRAZING)
    why = "an event is about to appear or to vanish there: a surface is only just touched";
  else if (p->limits & BRINK_SENSITIVITY_SEVERAL)
    why = "events coincide there that move differently";
  else if (p->limits & BRINK_SENSITIVITY_ZENO)
    why = "there are infinitely many events in the run";
  else if (!p->has_jacobian)
    why = "a derivative of the run is not a number there";
  brink_fit_note(fit,
                 "With derivatives no minimum was reached: %s. The search without derivatives "
                 "(subplex) went on from there.",
                 why);
}

/* Goes on from the best attempt without derivatives, and then with them once more. */
static brink_status go_on(brink_fit *fit, attempt *best, brink_diag *diag) {
  bool ended = false, converged = false;
  fit->start_runs = 0;
  brink_fit_point_copy(fit, &fit->best, &best->point);
  brink_status status = search(fit, best->point.z, &ended, diag);
  if (status == BRINK_OK) status = differentiate_best(fit, diag);
  if (status != BRINK_OK) return status;
  double found = fit->best.sum;
  brink_fit_point_copy(fit, &best->point, &fit->best);
  best->method = "subplex";
  best->converged = ended;
  for (size_t k = 0; k < fit->n; k++) best->fixed[k] = false;
  if (!fit->best.has_jacobian || is_spent(fit)) return BRINK_OK;
  status = slide_down(fit, best->fixed, &converged, diag);
  if (status != BRINK_OK) return status;
  if (fit->best.sum < found || converged) best->method = "subplex, then Levenberg-Marquardt";
  brink_fit_point_copy(fit, &best->point, &fit->best);
  best->converged = ended || converged;
  if (!converged)
    brink_fit_note(fit, "At the result the sum of squares is not smooth: intervals hold, at best, "
                        "on the side from which they are computed.");
  return BRINK_OK;
}

/* ---- notes ---- */

static void note_bounds(brink_fit *fit) {
  const brink_fit_result *result = &fit->result;
  for (size_t k = 0; k < fit->n; k++) {
    const brink_fit_value *value = &result->values[k];
    if (value->at_bound)
      brink_fit_note(fit,
                     "%s is at its bound, and has no interval: wider bounds give a better fit.",
                     value->name);
    if (value->undetermined)
      brink_fit_note(fit, "%s is not determined by these data: others fit as well.", value->name);
  }
}

/* A sum that is this improbable is no accident. */
#define IMPROBABLE 1e-3

static void note_sum(brink_fit *fit) {
  const brink_fit_result *result = &fit->result;
  if (result->sigma_known && result->probability < IMPROBABLE)
    brink_fit_note(fit,
                   "The residuals are %.3g times as large as their standard deviations say: the "
                   "model does not describe the data, or sigma is too small. Intervals are too "
                   "narrow.",
                   result->scale);
  if (result->sigma_known && result->probability > 1.0 - IMPROBABLE)
    brink_fit_note(
        fit,
        "The residuals are only %.3g of what their standard deviations say: sigma is too "
        "large, and intervals are too wide.",
        result->scale);
}

static void note_events(brink_fit *fit, const brink_fit_point *p) {
  for (size_t k = 0; k < fit->nmeasured; k++) {
    size_t absent = 0;
    for (size_t i = 0; i < fit->ndata; i++) absent += fit->data[i].of == k && p->absent[i];
    if (absent > 0)
      brink_fit_note(fit,
                     "%s: %zu of %zu measured events do not occur in the run; each counts as if it "
                     "came at its end, t = %.6g.",
                     fit->measured[k].name, absent, fit->measured[k].ndata, fit->last);
  }
  size_t late = 0;
  for (size_t i = 0; i < fit->ntimes; i++) late += fit->times[i] > p->end;
  if (late > 0)
    brink_fit_note(fit,
                   "The run stops by itself at t = %.6g; %zu measured times are later, where its "
                   "last values count.",
                   p->end, late);
}

/* Do runs at the ends of the intervals have the same events? Linear statistics end where they do not. */
static brink_status probe_intervals(brink_fit *fit, const brink_fit_point *p, brink_diag *diag) {
  double *z = brink_arena_copy(&fit->solution, p->z, fit->n, sizeof *z);
  if (z == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  for (size_t k = 0; k < fit->n; k++) {
    const brink_fit_value *value = &fit->result.values[k];
    const brink_fit_knob *knob = &fit->knobs[k];
    bool alike = true;
    for (int side = 0; side < 2 && !isnan(value->standard_error); side++) {
      z[k] = fmin(fmax(side == 0 ? value->lo : value->hi, knob->lo), knob->hi);
      brink_status status = brink_fit_evaluate(fit, z, false, &fit->work, diag);
      if (status != BRINK_OK) return status;
      alike = alike && fit->work.usable && fit->work.order == p->order;
    }
    z[k] = p->z[k];
    if (!alike)
      brink_fit_note(fit,
                     "Within the interval of %s the number or the order of events changes: there "
                     "are no derivatives where it does, and the interval is a guide only.",
                     value->name);
  }
  return BRINK_OK;
}

/* ---- all of it ---- */

static brink_status conclude(brink_fit *fit, attempt *best, brink_diag *diag) {
  brink_fit_result *result = &fit->result;
  brink_fit_point *p = &best->point;
  brink_status status = BRINK_OK;
  result->derivatives = p->has_jacobian;
  if (!p->has_jacobian && !fit->cancelled) {
    status = brink_fit_difference(fit, p, &p->has_jacobian, diag);
    if (status != BRINK_OK) return status;
    if (p->has_jacobian)
      brink_fit_note(fit, "There are no derivatives of runs at the result: intervals are by "
                          "differences of runs.");
  }
  if (!brink_fit_judge(fit, p, best->fixed))
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  result->converged = best->converged;
  result->method = best->method;
  if (!best->converged)
    brink_fit_note(fit, "This is the best that was found, not a minimum: allow more runs, or give "
                        "other bounds.");
  note_bounds(fit);
  note_sum(fit);
  note_events(fit, p);
  if (!fit->cancelled) status = probe_intervals(fit, p, diag);
  for (size_t k = 0; k < fit->n && status == BRINK_OK; k++)
    status = brink_hsml_set(fit->model, fit->names[k], p->z[k], diag);
  result->runs = fit->runs;
  result->derivative_runs = fit->derivative_runs;
  for (size_t k = 0; k < fit->nremarks; k++) brink_fit_note(fit, "%s", fit->remarks[k]);
  result->notes = fit->notes;
  result->nnotes = fit->nnotes;
  if (fit->solution.failed) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  return status;
}

static brink_status try_all(brink_fit *fit, brink_fit_start *starts, attempt *best,
                            brink_diag *diag) {
  bool *fixed = brink_arena_take(&fit->solution, fit->n, sizeof *fixed);
  brink_status status = BRINK_OK;
  brink_diag first;
  bool downhill = fit->differentiable && fit->def.method != BRINK_FIT_SEARCH;
  double *from = brink_arena_take(&fit->solution, fit->def.starts * fit->n, sizeof *from);
  if (fit->solution.failed) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  brink_diag_clear(&first);
  status = choose_starts(fit, from, diag);
  for (size_t s = 0; s < fit->def.starts && status == BRINK_OK && !fit->cancelled; s++) {
    const double *z = &from[s * fit->n];
    double *found = brink_arena_take(&fit->solution, fit->n, sizeof *found);
    if (fit->solution.failed) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
    bool converged = false;
    fit->start = s;
    status = try_start(fit, z, fixed, &converged, diag);
    if (status != BRINK_OK) return status;
    bool usable = fit->best.usable;
    memcpy(found, usable ? fit->best.z : z, fit->n * sizeof *found);
    starts[s] = (brink_fit_start){.values = z,
                                  .found = found,
                                  .sum = usable ? fit->best.sum : (double)NAN,
                                  .runs = fit->start_runs,
                                  .converged = converged};
    fit->result.nstarts = s + 1;
    if (!usable && s == 0) first = fit->failure;
    if (!usable || (best->point.usable && !(fit->best.sum < best->point.sum))) continue;
    fit->result.best = s;
    brink_fit_point_copy(fit, &best->point, &fit->best);
    memcpy(best->fixed, fixed, fit->n * sizeof *fixed);
    best->converged = converged;
    best->method = downhill ? "Levenberg-Marquardt" : "subplex";
  }
  if (best->point.usable) return BRINK_OK;
  if (diag != NULL) *diag = first;
  if (fit->cancelled) return BRINK_CANCELLED;
  return first.status != BRINK_OK
             ? first.status
             : brink_diag_set(diag, BRINK_ERR_DOMAIN, "no run from any start could be used");
}

/* What a design cannot have. */
static brink_status check_design(const brink_fit *fit, brink_diag *diag) {
  const char *wrong = NULL;
  if (fit->ndata > 0) wrong = "either data are fitted, or an objective is made the best: not both";
  if (fit->objective == NULL) wrong = "there are conditions, but nothing to minimize or maximize";
  if (fit->def.method == BRINK_FIT_DERIVATIVES)
    wrong = "the search for the best outcome compares values: it uses no derivatives";
  if (!isfinite(fit->options.until))
    wrong = "there is no end time: runs whose outcome counts need one";
  return wrong == NULL ? BRINK_OK : brink_diag_set(diag, BRINK_ERR_ARGUMENT, "%s", wrong);
}

static brink_status prepare(brink_fit *fit, brink_diag *diag) {
  fit->solved = false;
  brink_arena_free(&fit->solution);
  brink_arena_init(&fit->solution, NULL);
  fit->result = (brink_fit_result){0};
  fit->notes = NULL;
  fit->nnotes = fit->notes_capacity = 0;
  fit->runs = fit->derivative_runs = 0;
  fit->cancelled = false;
  if (fit->measures.count > 0) return check_design(fit, diag);
  if (!fit->differentiable && fit->def.method == BRINK_FIT_DERIVATIVES)
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED, "there are no derivatives: %s",
                          fit->not_different);
  brink_status status = brink_fit_arrange(fit, diag);
  if (status != BRINK_OK) return status;
  bool made = brink_fit_point_make(fit, &fit->work) && brink_fit_point_make(fit, &fit->best);
  if (made && !fit->differentiable && fit->def.method == BRINK_FIT_AUTO)
    brink_fit_note(fit, "There are no derivatives of runs: %s. The search went without them.",
                   fit->not_different);
  return made ? BRINK_OK : brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

brink_status brink_fit_solve(brink_fit *fit, brink_diag *diag) {
  brink_diag_clear(diag);
  if (fit == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "fit must not be NULL");
  brink_status status = prepare(fit, diag);
  if (status == BRINK_OK && fit->measures.count > 0) return brink_fit_design(fit, diag);
  if (status != BRINK_OK) return status;
  attempt best = {.fixed = brink_arena_take(&fit->solution, fit->n, sizeof *best.fixed)};
  brink_fit_start *starts = brink_arena_take(&fit->solution, fit->def.starts, sizeof *starts);
  if (!brink_fit_point_make(fit, &best.point) || starts == NULL)
    return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  fit->result.starts = starts;
  status = try_all(fit, starts, &best, diag);
  bool edge = !best.converged && fit->differentiable && fit->def.method == BRINK_FIT_AUTO;
  if (status == BRINK_OK && edge && !fit->cancelled) {
    say_why(fit, &best);
    status = go_on(fit, &best, diag);
  }
  if (status == BRINK_OK) status = conclude(fit, &best, diag);
  if (status != BRINK_OK) return status;
  fit->solved = true;
  return fit->cancelled ? BRINK_CANCELLED : BRINK_OK;
}
