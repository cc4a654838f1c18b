/* solve.c: the whole way to the best knobs.
 *
 * Starts: the values of the model, then the best of ten times as many points of an additive sequence that fills the box
 * evenly (Roberts 2018: multiples of powers of the root of x^(n+1) = x + 1, modulo 1). From each start the way goes
 * downhill (descend.c). The best end is the result; if it is no minimum, the search goes on from there. Then intervals are
 * worked out, and runs at their ends looked at.
 *
 * Whatever can be done at the same time is asked of all workers at once (workers.c). Answers are taken in the order of the
 * questions: the result does not depend on the number of workers. */
#include <math.h>
#include <string.h>

#include "fit/design_parts.h"
#include "fit/fit_parts.h"

static brink_status out_of_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

/* What a start ended with. */
typedef struct attempt {
  brink_fit_answer answer;
  const char *method;
} attempt;

/* ---- asking ---- */

/* An answer is read into `answer`, and its runs are counted. */
static brink_status read_answer(brink_fit *fit, brink_fit_answer *answer, brink_archive *a,
                                brink_diag *diag) {
  brink_fit_archive_answer(fit, answer, a);
  if (a->failed) return BRINK_OK; /* who has asked says so */
  fit->runs += answer->runs;
  fit->derivative_runs += answer->derivative_runs;
  if (answer->status != BRINK_OK && diag != NULL) *diag = answer->failure;
  return answer->status;
}

/* The same task from several knobs. */
typedef struct errand {
  brink_fit_task task;
  const double *z; /* rows of n */
  brink_fit_answer answer;
  void *user;
} errand;

static void put_knobs(brink_fit *fit, size_t k, brink_archive *question, void *user) {
  const errand *e = user;
  brink_fit_task task = e->task;
  brink_fit_point begin = {.z = (double *)(uintptr_t)&e->z[k * fit->n]}; /* written, not read */
  brink_fit_archive_question(fit, &task, &begin, question);
}

/* ---- starts ---- */

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

/* Points that are looked at before the starts: the best of them are starts, and the very best counts if nothing follows. */
typedef struct screening {
  errand errand; /* first: it is what put_knobs knows */
  double *starts, *sums;
  size_t count;
  attempt *best;
} screening;

static brink_status take_screened(brink_fit *fit, size_t k, brink_archive *a, void *user,
                                  brink_diag *diag) {
  screening *s = user;
  brink_fit_answer *answer = &s->errand.answer;
  (void)k;
  brink_status status = read_answer(fit, answer, a, diag);
  if (status != BRINK_OK || a->failed || !answer->point.usable) return status;
  insert(s->starts, s->sums, s->count, fit->n, answer->point.z, answer->point.sum);
  brink_fit_point *best = &s->best->answer.point;
  if (!best->usable || answer->point.sum < best->sum)
    brink_fit_point_copy(fit, best, &answer->point);
  return BRINK_OK;
}

/* Starts, rows of z: the values of the model, then the best of BRINK_FIT_SCREENED times as many points that fill the box. A start
 * whose runs all fail stays at the middle of the box. */
static brink_status choose_starts(brink_fit *fit, double *z, attempt *best, brink_diag *diag) {
  size_t n = fit->n, others = fit->def.starts - 1, count = BRINK_FIT_SCREENED * others;
  brink_arena *arena = &fit->solution;
  double *points = brink_arena_take(arena, count * n, sizeof *points);
  screening s = {.errand = {.task = BRINK_TASK_RUN, .z = points},
                 .starts = z + n,
                 .sums = brink_arena_take(arena, others, sizeof(double)),
                 .count = others,
                 .best = best};
  if (!brink_fit_answer_make(fit, arena, &s.errand.answer)) return out_of_memory(diag);
  memcpy(z, fit->initial, n * sizeof *z);
  for (size_t k = 0; k < others; k++) {
    s.sums[k] = (double)INFINITY;
    brink_fit_fill_box(fit, 0, &z[(k + 1) * n]);
  }
  for (size_t k = 0; k < count; k++) brink_fit_fill_box(fit, k + 1, &points[k * n]);
  brink_status status = brink_fit_ask(
      fit, &(brink_fit_survey){.count = count, .put = put_knobs, .take = take_screened, .user = &s},
      diag);
  best->answer.point.usable = best->answer.point.usable && atomic_load(&fit->cancelled);
  best->method = "screening";
  return status;
}

typedef struct starting {
  errand errand;
  brink_fit_start *starts;
  attempt *best;
  brink_diag first; /* failure of the first start */
} starting;

static brink_status take_start(brink_fit *fit, size_t s, brink_archive *a, void *user,
                               brink_diag *diag) {
  starting *all = user;
  brink_fit_answer *answer = &all->errand.answer;
  const double *z = &all->errand.z[s * fit->n];
  double *found = brink_arena_take(&fit->solution, fit->n, sizeof *found);
  if (found == NULL) return out_of_memory(diag);
  brink_status status = read_answer(fit, answer, a, diag);
  if (status != BRINK_OK || a->failed) return status;
  bool usable = answer->point.usable;
  memcpy(found, usable ? answer->point.z : z, fit->n * sizeof *found);
  size_t at = fit->result.nstarts++;
  all->starts[at] = (brink_fit_start){.values = z,
                                      .found = found,
                                      .sum = usable ? answer->point.sum : (double)NAN,
                                      .runs = answer->runs,
                                      .converged = answer->converged};
  if (!usable && s == 0) all->first = answer->failure;
  brink_fit_answer *best = &all->best->answer;
  if (!usable || (best->point.usable && !(answer->point.sum < best->point.sum))) return BRINK_OK;
  fit->result.best = at;
  brink_fit_point_copy(fit, &best->point, &answer->point);
  memcpy(best->fixed, answer->fixed, fit->n * sizeof *best->fixed);
  best->converged = answer->converged;
  all->best->method = fit->differentiable && fit->def.method != BRINK_FIT_SEARCH
                          ? "Levenberg-Marquardt"
                          : "subplex";
  return BRINK_OK;
}

static brink_status try_all(brink_fit *fit, brink_fit_start *starts, attempt *best,
                            brink_diag *diag) {
  double *from = brink_arena_take(&fit->solution, fit->def.starts * fit->n, sizeof *from);
  starting all = {.errand = {.task = BRINK_TASK_START, .z = from}, .starts = starts, .best = best};
  brink_diag_clear(&all.first);
  if (from == NULL || !brink_fit_answer_make(fit, &fit->solution, &all.errand.answer))
    return out_of_memory(diag);
  brink_status status = choose_starts(fit, from, best, diag);
  if (status == BRINK_OK)
    status = brink_fit_ask(
        fit,
        &(brink_fit_survey){
            .count = fit->def.starts, .put = put_knobs, .take = take_start, .user = &all},
        diag);
  if (status != BRINK_OK || best->answer.point.usable) return status;
  if (atomic_load(&fit->cancelled)) return BRINK_CANCELLED;
  if (diag != NULL) *diag = all.first;
  return all.first.status != BRINK_OK
             ? all.first.status
             : brink_diag_set(diag, BRINK_ERR_DOMAIN, "no run from any start could be used");
}

/* ---- where derivatives did not do ---- */

static void say_why(brink_fit *fit, const attempt *a) {
  const brink_fit_point *p = &a->answer.point;
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

static void put_best(brink_fit *fit, size_t k, brink_archive *question, void *user) {
  attempt *best = user;
  brink_fit_task task = BRINK_TASK_GO_ON;
  (void)k;
  brink_fit_archive_question(fit, &task, &best->answer.point, question);
}

static brink_status take_best(brink_fit *fit, size_t k, brink_archive *a, void *user,
                              brink_diag *diag) {
  attempt *best = user;
  (void)k;
  brink_status status = read_answer(fit, &best->answer, a, diag);
  if (status != BRINK_OK || a->failed) return status;
  best->method = best->answer.downhill_again ? "subplex, then Levenberg-Marquardt" : "subplex";
  if (!best->answer.smooth)
    brink_fit_note(fit, "At the result the sum of squares is not smooth: intervals hold, at best, "
                        "on the side from which they are computed.");
  return BRINK_OK;
}

/* Goes on from the best attempt without derivatives, and then with them once more. */
static brink_status go_on(brink_fit *fit, attempt *best, brink_diag *diag) {
  say_why(fit, best);
  return brink_fit_ask(
      fit, &(brink_fit_survey){.count = 1, .put = put_best, .take = take_best, .user = best}, diag);
}

/* ---- differences ---- */

typedef struct differencing {
  errand errand;
  double *r; /* residuals of the runs, rows of ndata */
  size_t usable;
} differencing;

static brink_status take_side(brink_fit *fit, size_t k, brink_archive *a, void *user,
                              brink_diag *diag) {
  differencing *d = user;
  brink_fit_answer *answer = &d->errand.answer;
  brink_status status = read_answer(fit, answer, a, diag);
  if (status != BRINK_OK || a->failed || !answer->point.usable) return status;
  memcpy(&d->r[k * fit->ndata], answer->point.r, fit->ndata * sizeof *d->r);
  d->usable++;
  return BRINK_OK;
}

/* The Jacobian of a usable point by central differences of runs, where both sides are within the bounds. The step balances
 * the error of the difference, h^2, with that of the runs, rtol / h. p->has_jacobian: there is one. */
static brink_status difference(brink_fit *fit, brink_fit_point *p, brink_diag *diag) {
  double h = cbrt(fmax(fit->options.sim.rtol, 1e-12));
  size_t m = fit->ndata, n = fit->n;
  double *z = brink_arena_take(&fit->solution, 2 * n * n, sizeof *z);
  differencing d = {.errand = {.task = BRINK_TASK_RUN, .z = z},
                    .r = brink_arena_take(&fit->solution, 2 * n * m, sizeof *d.r)};
  if (!brink_fit_answer_make(fit, &fit->solution, &d.errand.answer)) return out_of_memory(diag);
  for (size_t k = 0; k < 2 * n; k++) {
    const brink_fit_knob *knob = &fit->knobs[k / 2];
    double w = brink_fit_share(knob, p->z[k / 2]);
    memcpy(&z[k * n], p->z, n * sizeof *z);
    z[k * n + k / 2] = brink_fit_unshare(knob, k % 2 == 0 ? w - h : w + h);
  }
  brink_status status = brink_fit_ask(
      fit, &(brink_fit_survey){.count = 2 * n, .put = put_knobs, .take = take_side, .user = &d},
      diag);
  p->has_jacobian = status == BRINK_OK && d.usable == 2 * n;
  for (size_t j = 0; j < n && p->has_jacobian; j++) {
    double apart = z[(2 * j + 1) * n + j] - z[2 * j * n + j];
    for (size_t i = 0; i < m; i++)
      p->jacobian[i * n + j] = (d.r[(2 * j + 1) * m + i] - d.r[2 * j * m + i]) / apart;
  }
  return status;
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

/* The ends of the intervals: rows of knobs, and whether events are as at the result. */
typedef struct probing {
  errand errand;
  size_t *knob; /* of each end */
  bool *alike;  /* of each knob */
  uint64_t order;
} probing;

static brink_status take_end(brink_fit *fit, size_t k, brink_archive *a, void *user,
                             brink_diag *diag) {
  probing *p = user;
  const brink_fit_point *end = &p->errand.answer.point;
  brink_status status = read_answer(fit, &p->errand.answer, a, diag);
  if (status != BRINK_OK || a->failed) return status;
  if (!end->usable || end->order != p->order) p->alike[p->knob[k]] = false;
  return BRINK_OK;
}

/* Do runs at the ends of the intervals have the same events? Linear statistics end where they do not. */
static brink_status probe_intervals(brink_fit *fit, const brink_fit_point *p, brink_diag *diag) {
  size_t n = fit->n, count = 0;
  double *z = brink_arena_take(&fit->solution, 2 * n * n, sizeof *z);
  probing all = {.errand = {.task = BRINK_TASK_RUN, .z = z},
                 .knob = brink_arena_take(&fit->solution, 2 * n, sizeof *all.knob),
                 .alike = brink_arena_take(&fit->solution, n, sizeof *all.alike),
                 .order = p->order};
  if (!brink_fit_answer_make(fit, &fit->solution, &all.errand.answer)) return out_of_memory(diag);
  for (size_t k = 0; k < n; k++) {
    const brink_fit_value *value = &fit->result.values[k];
    const brink_fit_knob *knob = &fit->knobs[k];
    all.alike[k] = true;
    for (int side = 0; side < 2 && !isnan(value->standard_error); side++) {
      memcpy(&z[count * n], p->z, n * sizeof *z);
      z[count * n + k] = fmin(fmax(side == 0 ? value->lo : value->hi, knob->lo), knob->hi);
      all.knob[count++] = k;
    }
  }
  brink_status status = brink_fit_ask(
      fit, &(brink_fit_survey){.count = count, .put = put_knobs, .take = take_end, .user = &all},
      diag);
  for (size_t k = 0; k < n && status == BRINK_OK; k++)
    if (!all.alike[k])
      brink_fit_note(fit,
                     "Within the interval of %s the number or the order of events changes: there "
                     "are no derivatives where it does, and the interval is a guide only.",
                     fit->names[k]);
  return status;
}

/* ---- all of it ---- */

static brink_status conclude(brink_fit *fit, attempt *best, brink_diag *diag) {
  brink_fit_result *result = &fit->result;
  brink_fit_point *p = &best->answer.point;
  brink_status status = BRINK_OK;
  result->derivatives = p->has_jacobian;
  if (!p->has_jacobian) {
    status = difference(fit, p, diag);
    if (status != BRINK_OK) return status;
    if (p->has_jacobian)
      brink_fit_note(fit, "There are no derivatives of runs at the result: intervals are by "
                          "differences of runs.");
    else if (!atomic_load(&fit->cancelled))
      brink_fit_note(fit, "There are no intervals: runs with knobs beside the result fail.");
  }
  if (!brink_fit_judge(fit, p, best->answer.fixed)) return out_of_memory(diag);
  result->converged = best->answer.converged;
  result->method = best->method;
  if (!result->converged) brink_fit_note_stop(fit);
  note_bounds(fit);
  if (result->converged) note_sum(fit); /* else there are better knobs */
  note_events(fit, p);
  status = probe_intervals(fit, p, diag);
  for (size_t k = 0; k < fit->n && status == BRINK_OK; k++)
    status = brink_hsml_set(fit->model, fit->names[k], p->z[k], diag);
  result->runs = fit->runs;
  result->derivative_runs = fit->derivative_runs;
  for (size_t k = 0; k < fit->nremarks; k++) brink_fit_note(fit, "%s", fit->remarks[k]);
  result->notes = fit->notes;
  result->nnotes = fit->nnotes;
  if (fit->solution.failed) return out_of_memory(diag);
  return status;
}

/* A fit to data, on the rank that leads. */
static brink_status solve(brink_fit *fit, brink_diag *diag) {
  attempt best = {0};
  brink_fit_start *starts = brink_arena_take(&fit->solution, fit->def.starts, sizeof *starts);
  if (!brink_fit_answer_make(fit, &fit->solution, &best.answer) || starts == NULL)
    return out_of_memory(diag);
  fit->result.starts = starts;
  brink_status status = try_all(fit, starts, &best, diag);
  bool edge = !best.answer.converged && fit->differentiable && fit->def.method == BRINK_FIT_AUTO;
  if (status == BRINK_OK && edge && !atomic_load(&fit->cancelled)) status = go_on(fit, &best, diag);
  if (status == BRINK_OK) status = conclude(fit, &best, diag);
  if (status != BRINK_OK) return status;
  fit->solved = true;
  return atomic_load(&fit->cancelled) ? BRINK_CANCELLED : BRINK_OK;
}

/* What a design cannot have. */
static brink_status check_design(const brink_fit *fit, brink_diag *diag) {
  const char *wrong = NULL;
  if (fit->ndata > 0) wrong = "either data are fitted, or an objective is made the best: not both";
  if (fit->objective == NULL) wrong = "there are conditions, but nothing to minimize or maximize";
  if (!isfinite(fit->options.until))
    wrong = "there is no end time: runs whose outcome counts need one";
  return wrong == NULL ? BRINK_OK : brink_diag_set(diag, BRINK_ERR_ARGUMENT, "%s", wrong);
}

/* A design goes by derivatives, if there are some and they are wanted. */
static brink_status prepare_design(brink_fit *fit, brink_diag *diag) {
  brink_status status = check_design(fit, diag);
  if (status != BRINK_OK) return status;
  const char *missing = brink_slopes_missing(fit);
  fit->smooth = missing == NULL && fit->def.method != BRINK_FIT_SEARCH;
  if (missing != NULL && fit->def.method == BRINK_FIT_DERIVATIVES)
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED, "there are no derivatives: %s", missing);
  if (missing != NULL && fit->def.method == BRINK_FIT_AUTO)
    brink_fit_note(fit, "There are no derivatives: %s. The search went without them.", missing);
  return !fit->smooth || brink_slopes_prepare(fit) ? BRINK_OK : out_of_memory(diag);
}

static brink_status prepare(brink_fit *fit, brink_diag *diag) {
  fit->solved = false;
  brink_arena_free(&fit->solution);
  brink_arena_init(&fit->solution, NULL);
  fit->result = (brink_fit_result){0};
  fit->notes = NULL;
  fit->nnotes = fit->notes_capacity = 0;
  fit->runs = fit->derivative_runs = 0;
  atomic_store(&fit->cancelled, false);
  if (fit->measures.count > 0) return prepare_design(fit, diag);
  if (!fit->differentiable && fit->def.method == BRINK_FIT_DERIVATIVES)
    return brink_diag_set(diag, BRINK_ERR_UNSUPPORTED, "there are no derivatives: %s",
                          fit->not_different);
  brink_status status = brink_fit_arrange(fit, diag);
  if (status == BRINK_OK && !fit->differentiable && fit->def.method == BRINK_FIT_AUTO)
    brink_fit_note(fit, "There are no derivatives of runs: %s. The search went without them.",
                   fit->not_different);
  return status;
}

brink_status brink_fit_solve(brink_fit *fit, brink_diag *diag) {
  brink_diag own;
  if (diag == NULL) diag = &own;
  brink_diag_clear(diag);
  if (fit == NULL) return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "fit must not be NULL");
  bool leads = fit->ranks == NULL || fit->ranks->rank == 0;
  brink_status status = prepare(fit, diag);
  if (status == BRINK_OK) status = brink_fit_crew_start(fit, diag);
  if (fit->crew == NULL && fit->ranks != NULL) brink_farm_leave(fit->ranks, diag->message);
  if (status == BRINK_OK && leads)
    status = fit->measures.count > 0 ? brink_fit_design(fit, diag) : solve(fit, diag);
  brink_fit_crew_end(fit);
  return status;
}
