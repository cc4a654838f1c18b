/* descend.c: from one start to the end of its way.
 *
 * Levenberg-Marquardt goes downhill with the derivatives of the runs. Bounds: a knob is
 * w = (1 + sin u) / 2 of the way between them, and u is free (James & Roos 1975, MINUIT). At a bound dw/du is 0, and the
 * last of the way to it is slow: a knob that is near a bound and pressed against it is put there and fixed, and the others
 * go on.
 *
 * Is the end of that a minimum? It is, if the Gauss-Newton step that is left is small compared with the standard errors,
 * and if every knob has an effect. If not, the sum of squares has an edge there: an event appears or vanishes, or runs have
 * no derivatives. Then Sbplx goes on from the best point of all starts (solve.c). It compares values only. After that
 * Levenberg-Marquardt is tried again: on one side of an edge the sum is smooth.
 *
 * All of it is done by one worker, so that the way does not depend on how many there are. */
#include <math.h>
#include <string.h>

#include "fit/fit_parts.h"

#define LEFT 0.01       /* of a standard error: closer than that is at the minimum */
#define NEAR_BOUND 1e-3 /* as a share of the distance of the bounds */
#define INSIDE 1e-3     /* starts keep away from bounds, where dw/du is 0 */
/* A residual of a run that cannot be used: every other run is better. */
#define UNUSABLE 1e20

/* ---- points ---- */

/* The best point so far has its Jacobian, if it was ever worked out. */
static void remember(brink_fit_worker *w) {
  const brink_fit_point *p = &w->work;
  bool same = w->best.usable && memcmp(p->z, w->best.z, w->fit->n * sizeof *p->z) == 0;
  if (p->usable && (!w->best.usable || p->sum < w->best.sum || (same && p->has_jacobian)))
    brink_fit_point_copy(w->fit, &w->best, p);
}

/* The run at z, unless it was the last one. */
static brink_status visit(brink_fit_worker *w, const double *z, bool derivatives,
                          brink_diag *diag) {
  const brink_fit_point *p = &w->work;
  if (p->usable && memcmp(p->z, z, w->fit->n * sizeof *z) == 0 && (p->has_jacobian || !derivatives))
    return BRINK_OK;
  brink_status status = brink_fit_evaluate(w, z, derivatives, &w->work, diag);
  if (status != BRINK_OK) return status;
  remember(w);
  brink_fit_tell(w->fit, w->best.usable ? w->best.sum : (double)NAN);
  return BRINK_OK;
}

/* ---- Levenberg-Marquardt ---- */

/* In u, with some knobs fixed. */
typedef struct descent {
  brink_fit_worker *worker;
  double *z;
  brink_status status;
  brink_diag *diag;
} descent;

static int residuals(size_t m, size_t n, const double *u, double *r, double *jacobian, void *user) {
  descent *d = user;
  brink_fit_worker *worker = d->worker;
  const brink_fit *fit = worker->fit;
  const brink_fit_point *here = &worker->work;
  size_t at = 0;
  if (brink_fit_is_spent(worker)) return 1;
  for (size_t k = 0; k < fit->n; k++)
    if (!worker->fixed[k]) d->z[k] = brink_fit_unshare(&fit->knobs[k], 0.5 + 0.5 * sin(u[at++]));
  d->status = visit(worker, d->z, jacobian != NULL, d->diag);
  if (d->status != BRINK_OK) return 1;
  if (jacobian == NULL) {
    for (size_t k = 0; k < m; k++) r[k] = here->usable ? here->r[k] : UNUSABLE;
    return 0;
  }
  if (!here->has_jacobian) return 1; /* an edge: there are no derivatives here */
  at = 0;
  for (size_t k = 0; k < fit->n; k++) {
    if (worker->fixed[k]) continue;
    double w = 0.5 + 0.5 * sin(u[at]);
    double slope = brink_fit_share_slope(&fit->knobs[k], w) * 0.5 * cos(u[at]);
    for (size_t i = 0; i < m; i++) jacobian[at * m + i] = here->jacobian[i * fit->n + k] * slope;
    at++;
  }
  (void)n;
  return 0;
}

/* From the best point so far. */
static brink_status slide(brink_fit_worker *worker, brink_diag *diag) {
  const brink_fit *fit = worker->fit;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  descent d = {.worker = worker, .diag = diag};
  d.z = brink_arena_copy(&arena, worker->best.z, fit->n, sizeof *d.z);
  double *u = brink_arena_take(&arena, fit->n, sizeof *u);
  size_t nfree = 0;
  for (size_t k = 0; k < fit->n && !arena.failed; k++) {
    if (worker->fixed[k]) continue;
    double w = brink_fit_share(&fit->knobs[k], worker->best.z[k]);
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
static brink_status fix_one(brink_fit_worker *worker, double *z, bool *more, brink_diag *diag) {
  const brink_fit *fit = worker->fit;
  brink_fit_point *best = &worker->best;
  *more = false;
  for (size_t k = 0; k < fit->n; k++) {
    const brink_fit_knob *knob = &fit->knobs[k];
    double w = brink_fit_share(knob, best->z[k]), slope = slope_of_sum(fit, best, k);
    bool low = w < NEAR_BOUND && slope > 0.0, high = w > 1.0 - NEAR_BOUND && slope < 0.0;
    if (worker->fixed[k] || (!low && !high)) continue;
    memcpy(z, best->z, fit->n * sizeof *z);
    z[k] = low ? knob->lo : knob->hi;
    double before = best->sum;
    brink_status status = visit(worker, z, true, diag);
    if (status != BRINK_OK) return status;
    if (!worker->work.has_jacobian || worker->work.sum > before * (1.0 + 1e-9)) continue;
    brink_fit_point_copy(fit, best, &worker->work);
    worker->fixed[k] = *more = true;
    return BRINK_OK;
  }
  return BRINK_OK;
}

/* Is the best point a minimum, as far as derivatives can tell? */
static brink_status look_at_minimum(const brink_fit_worker *worker, bool *is_minimum,
                                    brink_diag *diag) {
  const brink_fit *fit = worker->fit;
  *is_minimum = false;
  if (!worker->best.has_jacobian) return BRINK_OK;
  for (size_t k = 0; k < fit->n; k++)
    if (!worker->fixed[k] && !brink_fit_has_effect(fit, &worker->best, k)) return BRINK_OK;
  double left = brink_fit_remaining(fit, &worker->best, worker->fixed);
  if (left < 0.0) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  *is_minimum = left < LEFT;
  return BRINK_OK;
}

static brink_status differentiate_best(brink_fit_worker *worker, brink_diag *diag) {
  if (!worker->best.usable || worker->best.has_jacobian || !worker->fit->differentiable)
    return BRINK_OK;
  if (atomic_load(&worker->fit->cancelled)) return BRINK_OK;
  worker->work.usable = false; /* the same knobs, with derivatives now */
  return visit(worker, worker->best.z, true, diag);
}

/* Levenberg-Marquardt from the best point, with knobs fixed at bounds one after another. */
static brink_status slide_down(brink_fit_worker *worker, bool *converged, brink_diag *diag) {
  size_t n = worker->fit->n;
  bool more = true;
  brink_status status = BRINK_OK;
  double *z = brink_allocate(NULL, n, sizeof *z);
  if (z == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  for (size_t k = 0; k < n; k++) worker->fixed[k] = false;
  *converged = false;
  while (more && status == BRINK_OK && !brink_fit_is_spent(worker)) {
    more = false;
    status = slide(worker, diag);
    if (status == BRINK_OK) status = differentiate_best(worker, diag);
    if (status == BRINK_OK && worker->best.has_jacobian) status = fix_one(worker, z, &more, diag);
  }
  if (status == BRINK_OK) status = look_at_minimum(worker, converged, diag);
  brink_release(NULL, z, n, sizeof *z);
  return status;
}

/* ---- the search ---- */

typedef struct searching {
  brink_fit_worker *worker;
  double *z;
  brink_status status;
  brink_diag *diag;
} searching;

static double sum_at(size_t n, const double *w, double *constraints, bool *stop, void *user) {
  searching *s = user;
  brink_fit_worker *worker = s->worker;
  (void)constraints;
  for (size_t k = 0; k < n; k++) s->z[k] = brink_fit_unshare(&worker->fit->knobs[k], w[k]);
  s->status = visit(worker, s->z, false, s->diag);
  *stop = s->status != BRINK_OK || brink_fit_is_spent(worker);
  return s->status == BRINK_OK && worker->work.usable ? worker->work.sum : (double)NAN;
}

/* From z. *ended: it stopped because nothing got better. */
static brink_status search(brink_fit_worker *worker, const double *z, bool *ended,
                           brink_diag *diag) {
  const brink_fit *fit = worker->fit;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  searching s = {.worker = worker, .diag = diag};
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

/* ---- tasks ---- */

static void tell_end(const brink_fit_worker *worker, brink_fit_answer *answer) {
  const brink_fit *fit = worker->fit;
  brink_fit_point_copy(fit, &answer->point, &worker->best);
  memcpy(answer->fixed, worker->fixed, fit->n * sizeof *worker->fixed);
}

static void begin(brink_fit_worker *worker, brink_fit_answer *answer) {
  worker->work.usable = false;
  answer->converged = answer->downhill_again = false;
  answer->smooth = true;
  for (size_t k = 0; k < worker->fit->n; k++) worker->fixed[k] = false;
}

brink_status brink_fit_descend(brink_fit_worker *worker, const double *z, brink_fit_answer *answer,
                               brink_diag *diag) {
  const brink_fit *fit = worker->fit;
  bool downhill = fit->differentiable && fit->def.method != BRINK_FIT_SEARCH;
  begin(worker, answer);
  worker->best.usable = worker->best.has_jacobian = false;
  brink_status status = visit(worker, z, downhill, diag);
  if (status == BRINK_OK && worker->best.usable) {
    status = downhill ? slide_down(worker, &answer->converged, diag)
                      : search(worker, z, &answer->converged, diag);
    if (status == BRINK_OK && !downhill) status = differentiate_best(worker, diag);
  }
  tell_end(worker, answer);
  return status;
}

brink_status brink_fit_go_on(brink_fit_worker *worker, brink_fit_answer *answer, brink_diag *diag) {
  bool ended = false, converged = false;
  begin(worker, answer);
  brink_status status = search(worker, worker->best.z, &ended, diag);
  if (status == BRINK_OK) status = differentiate_best(worker, diag);
  double found = worker->best.sum;
  if (status == BRINK_OK && worker->best.has_jacobian && !brink_fit_is_spent(worker)) {
    status = slide_down(worker, &converged, diag);
    answer->downhill_again = worker->best.sum < found || converged;
    answer->smooth = converged;
  }
  answer->converged = ended || converged;
  tell_end(worker, answer);
  return status;
}
