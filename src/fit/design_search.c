/* design_search.c: from one start of a design to the end of its way.
 *
 * Where the outcome and all conditions have derivatives (slopes.c), SLSQP (Kraft 1988) goes with them. It ends at a point
 * without derivatives; then, and where there are none at all, the search compares values: Sbplx (Rowan 1990) without conditions,
 * COBYLA (Powell 1994) with them, each once more from where it ended, with steps a tenth as long: COBYLA ends early at
 * corners. Every run counts: the end is the best of all that were made, not the last.
 *
 * Derivatives say nothing about what lies behind an edge. So the best end of all starts that went by derivatives alone is looked
 * at once more by comparing values.
 *
 * Methods make models of what they are told, so a run that cannot be used is told as a little worse than the worst, not
 * as infinite. */
#include <math.h>
#include <string.h>

#include "fit/design_parts.h"

#define NEAR_BOUND 1e-6 /* as a share of the distance of the bounds */
/* Runs without an outcome after the last that was better: so many mean that the way ends at them. */
enum { BARRED = 3 };

typedef struct searching {
  brink_designing *d;
  double *z;
  bool derivatives;
  brink_status status;
  brink_diag *diag;
} searching;

/* A little worse than the worst. */
static double worse(double worst) {
  return worst + 0.1 * fabs(worst) + 1e-3;
}

static double tell_search(size_t n, const double *w, double *constraints, bool *stop, void *user) {
  searching *s = user;
  brink_designing *d = s->d;
  const brink_fit *fit = d->worker->fit;
  for (size_t k = 0; k < n; k++) s->z[k] = brink_fit_unshare(&fit->knobs[k], w[k]);
  s->status = brink_designing_visit(d, s->z, s->derivatives, s->diag);
  *stop = s->status != BRINK_OK || brink_fit_is_spent(d->worker);
  for (size_t k = 0; k < fit->nwanted; k++) {
    double excess = d->here.usable ? brink_outcome_excess(fit, d->here.sides, k) : 0.0;
    if (d->here.usable) d->worst_sides[k] = fmax(d->worst_sides[k], excess);
    constraints[k] = d->here.usable ? excess : worse(d->worst_sides[k]);
  }
  if (!d->here.usable) return worse(d->worst);
  d->worst = fmax(d->worst, d->here.value);
  return d->here.value;
}

/* By shares of the bounds. */
static bool tell_slopes(size_t n, const double *w, double *value, double *constraints, void *user) {
  searching *s = user;
  const brink_fit *fit = s->d->worker->fit;
  const brink_outcome *here = &s->d->here;
  bool same = true;
  for (size_t k = 0; k < n; k++) {
    s->z[k] = brink_fit_unshare(&fit->knobs[k], w[k]);
    same = same && here->z[k] == s->z[k];
  }
  if (!same) s->status = brink_designing_visit(s->d, s->z, true, s->diag);
  if (s->status != BRINK_OK || (here->usable && !here->has_slopes)) return false;
  if (!here->usable) { /* it is worse than all others, and will be left: SLSQP asks before it knows that */
    memset(value, 0, n * sizeof *value);
    memset(constraints, 0, n * fit->nwanted * sizeof *constraints);
    return true;
  }
  for (size_t j = 0; j < n; j++) {
    double scale = brink_fit_share_slope(&fit->knobs[j], w[j]);
    value[j] = (fit->maximize ? -here->slopes[j] : here->slopes[j]) * scale;
    for (size_t k = 0; k < fit->nwanted; k++) {
      const double *left = &here->slopes[(1 + 2 * k) * n], *right = left + n;
      double over = (left[j] - right[j]) * scale;
      constraints[k * n + j] = fit->wanted[k].at_least ? -over : over;
    }
  }
  return true;
}

/* From the best point so far, with these first steps; 0: with derivatives. */
static brink_status search_once(brink_designing *d, double step, brink_diag *diag) {
  const brink_fit *fit = d->worker->fit;
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  double *w = brink_arena_take(&arena, fit->n, sizeof *w);
  searching s = {.d = d,
                 .z = brink_arena_take(&arena, fit->n, sizeof *s.z),
                 .derivatives = step == 0.0,
                 .diag = diag};
  brink_status status =
      arena.failed ? brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory") : BRINK_OK;
  if (status == BRINK_OK) {
    for (size_t k = 0; k < fit->n; k++) w[k] = brink_fit_share(&fit->knobs[k], d->best.z[k]);
    d->worst = d->best.value;
    for (size_t k = 0; k < fit->nwanted; k++)
      d->worst_sides[k] = brink_outcome_excess(fit, d->best.sides, k);
    brink_search problem = {.n = fit->n,
                            .nconstraints = fit->nwanted,
                            .objective = tell_search,
                            .slopes = s.derivatives ? tell_slopes : NULL,
                            .user = &s,
                            .x = w,
                            .step = s.derivatives ? 0.1 : step,
                            .tolerance = 1e-7,
                            .most = fit->def.max_runs};
    status = brink_search_solve(fit->optimisers, &problem, diag);
  }
  brink_arena_free(&arena);
  return status == BRINK_CANCELLED && s.status != BRINK_OK ? s.status : status;
}

/* Does the derivative say that there are better points nearby? A thousandth of the way between bounds would then do. With
 * conditions these may be the reason why it ended here. */
static bool is_steep(const brink_fit *fit, const brink_outcome *best) {
  bool steep = false;
  for (size_t k = 0; k < fit->n && best->has_slopes && fit->nwanted == 0; k++) {
    const brink_fit_knob *knob = &fit->knobs[k];
    double w = brink_fit_share(knob, best->z[k]);
    double slope = best->slopes[k] * brink_fit_share_slope(knob, w);
    bool outwards = (slope > 0.0) == fit->maximize ? w > 1.0 - NEAR_BOUND : w < NEAR_BOUND;
    steep = steep || (!outwards && 1e-3 * fabs(slope) > BRINK_OUTCOME_BETTER * fabs(best->value));
  }
  return steep;
}

/* With derivatives, from the best point so far. *clean: there were derivatives all the way, and no edge where it ended. */
static brink_status descend(brink_designing *d, brink_design_answer *answer, bool *clean,
                            brink_diag *diag) {
  answer->downhill = true;
  brink_status status = d->best.has_slopes ? search_once(d, 0.0, diag) : BRINK_CANCELLED;
  *clean = status == BRINK_OK && d->barred < BARRED && !is_steep(d->worker->fit, &d->best);
  answer->limits = d->here.limits;
  return status == BRINK_CANCELLED ? BRINK_OK : status;
}

brink_status brink_designing_solve(brink_designing *d, const double *z, brink_design_answer *answer,
                                   brink_diag *diag) {
  const brink_fit *fit = d->worker->fit;
  bool clean = false;
  brink_status status = brink_designing_visit(d, z, fit->smooth, diag);
  if (status != BRINK_OK || !d->best.usable) return status;
  if (fit->smooth) status = descend(d, answer, &clean, diag);
  bool more = !clean && !(fit->smooth && fit->def.method == BRINK_FIT_DERIVATIVES);
  answer->searched = status == BRINK_OK && more && !brink_fit_is_spent(d->worker);
  if (answer->searched) status = search_once(d, 0.1, diag);
  if (answer->searched && status == BRINK_OK) status = search_once(d, 0.01, diag);
  answer->ended = status == BRINK_OK && (clean || answer->searched);
  return status == BRINK_CANCELLED ? BRINK_OK : status;
}

brink_status brink_designing_check(brink_designing *d, const double *z, brink_design_answer *answer,
                                   brink_diag *diag) {
  brink_status status = brink_designing_visit(d, z, false, diag);
  answer->searched = true;
  if (status == BRINK_OK && d->best.usable) status = search_once(d, 0.01, diag);
  answer->ended = status == BRINK_OK;
  return status == BRINK_CANCELLED ? BRINK_OK : status;
}

/* ---- the worker ---- */

brink_designing *brink_designing_open(brink_fit_worker *worker) {
  const brink_fit *fit = worker->fit;
  brink_arena *arena = &worker->arena;
  brink_designing *d = brink_arena_take(arena, 1, sizeof *d);
  if (d == NULL) return NULL;
  d->worker = worker;
  d->worst_sides = brink_arena_take(arena, fit->nwanted, sizeof(double));
  bool made = brink_outcome_make(fit, arena, &d->here) &&
              brink_outcome_make(fit, arena, &d->best) && brink_slopes_make(fit, arena, &d->slopes);
  if (brink_probe_init(&d->probe, &fit->measures) && made) return d;
  brink_designing_close(d);
  return NULL;
}

void brink_designing_close(brink_designing *d) {
  if (d != NULL) brink_probe_free(&d->probe);
}

void brink_design_archive_question(const brink_fit *fit, brink_fit_task *task, double *z,
                                   brink_archive *a) {
  brink_archive_mark(a, "question");
  *task = (brink_fit_task)brink_archive_enum(a, (int)*task, BRINK_TASK_RUN, BRINK_TASK_GO_ON);
  brink_archive_doubles(a, z, fit->n);
}

void brink_design_archive_answer(const brink_fit *fit, brink_design_answer *answer,
                                 brink_archive *a) {
  brink_outcome *o = &answer->outcome;
  brink_archive_mark(a, "answer");
  brink_fit_archive_failure(&answer->status, &answer->failure, a);
  brink_archive_count(a, &answer->runs, SIZE_MAX);
  brink_archive_count(a, &answer->derivative_runs, SIZE_MAX);
  brink_archive_bool(a, &answer->ended);
  brink_archive_bool(a, &answer->downhill);
  brink_archive_bool(a, &answer->searched);
  brink_archive_u32(a, &answer->limits);
  brink_archive_doubles(a, o->z, fit->n);
  brink_archive_double(a, &o->value);
  brink_archive_doubles(a, o->sides, 2 * fit->nwanted);
  brink_archive_double(a, &o->violation);
  brink_archive_bool(a, &o->usable);
}

static brink_status do_task(brink_designing *d, brink_fit_task task, const double *z,
                            brink_design_answer *answer, brink_diag *diag) {
  if (task == BRINK_TASK_START) return brink_designing_solve(d, z, answer, diag);
  if (task == BRINK_TASK_GO_ON) return brink_designing_check(d, z, answer, diag);
  return brink_designing_visit(d, z, false, diag);
}

void brink_designing_answer(brink_fit_worker *worker, brink_archive *question,
                            brink_archive *written) {
  const brink_fit *fit = worker->fit;
  brink_designing *d = worker->designing;
  brink_fit_task task = BRINK_TASK_RUN;
  brink_design_answer answer = {0};
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  double *z = brink_arena_take(&arena, fit->n, sizeof *z);
  if (z == NULL || !brink_outcome_make(fit, &arena, &answer.outcome)) {
    brink_archive_no_memory(written);
  } else {
    brink_design_archive_question(fit, &task, z, question);
    d->best.usable = d->best.has_slopes = false;
    d->barred = 0;
    answer.status = do_task(d, task, z, &answer, &worker->failure);
    if (task == BRINK_TASK_START) brink_fit_tell_end(worker->fit);
    answer.failure = worker->failure;
    answer.runs = worker->runs;
    answer.derivative_runs = worker->derivative_runs;
    brink_outcome_copy(fit, &answer.outcome, task == BRINK_TASK_RUN ? &d->here : &d->best);
    brink_design_archive_answer(fit, &answer, written);
  }
  brink_arena_free(&arena);
}
