/* design_search.c: from one start of a design to the end of its way.
 *
 * The search compares values: Sbplx (Rowan 1990) without conditions, COBYLA (Powell 1994) with
 * them, each once more from where it ended, with steps a tenth as long: COBYLA ends early at
 * corners. Every run counts: the end is the best of all that were made, not the last.
 *
 * COBYLA makes linear models of what it is told, so a run that cannot be used is told as a little worse than the worst, not
 * as infinite. */
#include <math.h>
#include <string.h>

#include "fit/design_parts.h"

typedef struct searching {
  brink_designing *d;
  double *z;
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
  s->status = brink_designing_visit(d, s->z, s->diag);
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

/* From the best point so far, with these first steps. */
static brink_status search_once(brink_designing *d, double *w, double *z, double step,
                                brink_diag *diag) {
  const brink_fit *fit = d->worker->fit;
  searching s = {.d = d, .z = z, .diag = diag};
  for (size_t k = 0; k < fit->n; k++) w[k] = brink_fit_share(&fit->knobs[k], d->best.z[k]);
  d->worst = d->best.value;
  for (size_t k = 0; k < fit->nwanted; k++)
    d->worst_sides[k] = brink_outcome_excess(fit, d->best.sides, k);
  brink_search problem = {.n = fit->n,
                          .nconstraints = fit->nwanted,
                          .objective = tell_search,
                          .user = &s,
                          .x = w,
                          .step = step,
                          .tolerance = 1e-7,
                          .most = fit->def.max_runs};
  brink_status status = brink_search_solve(fit->optimisers, &problem, diag);
  return status == BRINK_CANCELLED && s.status != BRINK_OK ? s.status : status;
}

brink_status brink_designing_search(brink_designing *d, const double *z, bool *ended,
                                    brink_diag *diag) {
  static const double steps[] = {0.1, 0.01};
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  double *w = brink_arena_take(&arena, d->worker->fit->n, sizeof *w);
  double *room = brink_arena_take(&arena, d->worker->fit->n, sizeof *room);
  brink_status status = arena.failed ? brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory")
                                     : brink_designing_visit(d, z, diag);
  *ended = false;
  for (size_t k = 0; k < 2 && status == BRINK_OK && d->best.usable; k++)
    status = search_once(d, w, room, steps[k], diag);
  *ended = status == BRINK_OK && d->best.usable;
  brink_arena_free(&arena);
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
  bool made = brink_outcome_make(fit, arena, &d->here) && brink_outcome_make(fit, arena, &d->best);
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
  brink_archive_bool(a, &answer->ended);
  brink_archive_doubles(a, o->z, fit->n);
  brink_archive_double(a, &o->value);
  brink_archive_doubles(a, o->sides, 2 * fit->nwanted);
  brink_archive_double(a, &o->violation);
  brink_archive_bool(a, &o->usable);
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
    d->best.usable = false;
    answer.status = task == BRINK_TASK_RUN
                        ? brink_designing_visit(d, z, &worker->failure)
                        : brink_designing_search(d, z, &answer.ended, &worker->failure);
    if (task == BRINK_TASK_START) brink_fit_tell_end(worker->fit);
    answer.failure = worker->failure;
    answer.runs = worker->runs;
    brink_outcome_copy(fit, &answer.outcome, task == BRINK_TASK_RUN ? &d->here : &d->best);
    brink_design_archive_answer(fit, &answer, written);
  }
  brink_arena_free(&arena);
}
