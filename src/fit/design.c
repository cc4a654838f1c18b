/* design.c: the knobs with which an outcome of the run is the best, under bounds and conditions.
 *
 * An outcome is an expression of what a run gives (sweep/measure.h): extremes over time, values at events, times of events.
 * Such a thing jumps where an event appears or vanishes, and has a corner where another event or another maximum becomes
 * the one that counts. So there are several starts, and derivatives are used where there are some (design_search.c). The best end
 * of all is looked at once more by comparing values, if derivatives have led to it. As in solve.c, workers are asked for
 * all of this, and the result does not depend on their number. */
#include <math.h>
#include <string.h>

#include "fit/design_parts.h"

#define CLOSE_ENOUGH 1e-6 /* of the sides of a condition: it holds */

static brink_status out_of_memory(brink_diag *diag) {
  return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

/* ---- what is asked for ---- */

static brink_status check_words(brink_fit *fit, const char *words, brink_diag *diag) {
  brink_diag_clear(diag);
  if (fit == NULL || words == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "fit and expression must not be NULL");
  fit->measures.arena = &fit->arena;
  return BRINK_OK;
}

brink_status brink_fit_set_objective(brink_fit *fit, const char *expression, bool maximize,
                                     brink_diag *diag) {
  brink_status status = check_words(fit, expression, diag);
  if (status != BRINK_OK) return status;
  if (fit->measures.count > 0)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "there is an objective already, or a condition came before it");
  status = brink_measures_add(&fit->measures, expression, diag);
  if (status != BRINK_OK) return status;
  fit->maximize = maximize;
  fit->objective = brink_arena_text(&fit->arena, expression);
  return fit->objective != NULL ? BRINK_OK
                                : brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
}

brink_status brink_fit_add_condition(brink_fit *fit, const char *condition, brink_diag *diag) {
  brink_status status = check_words(fit, condition, diag);
  if (status != BRINK_OK) return status;
  if (fit->objective == NULL)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "conditions need an objective before them");
  size_t length = strcspn(condition, "<>=");
  const char *sign = condition + length;
  size_t width = sign[0] != '\0' && sign[1] == '=' ? 2 : 1;
  bool clear =
      (sign[0] == '<' || sign[0] == '>') && sign[width + strcspn(sign + width, "<>=")] == '\0';
  if (!clear)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT,
                          "'%s': a condition is two expressions with one <= or >= between them",
                          condition);
  char *left = brink_arena_text(&fit->arena, condition);
  const char *text = brink_arena_text(&fit->arena, condition);
  brink_wanted *made =
      left != NULL && text != NULL
          ? brink_arena_push(&fit->arena, fit->wanted, fit->nwanted, fit->wanted_capacity)
          : NULL;
  if (made == NULL) return brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  *made = (brink_wanted){.text = text, .at_least = sign[0] == '>'};
  left[length] = '\0';
  status = brink_measures_add(&fit->measures, left, diag);
  if (status == BRINK_OK) status = brink_measures_add(&fit->measures, sign + width, diag);
  return status;
}

/* ---- starts ---- */

/* Tasks from several knobs, and what became of them. */
typedef struct errand {
  brink_fit_task task;
  double *z; /* rows of n */
  brink_design_answer answer;
  /* Starts: the best points so far, in order. */
  brink_outcome *points;
  size_t npoints;
  /* Their ends. */
  brink_fit_start *starts;
  brink_outcome *best;
  brink_design_answer how; /* it was found, without the outcome */
  brink_diag first;        /* failure of the first start */
} errand;

static void put_knobs(brink_fit *fit, size_t k, brink_archive *question, void *user) {
  errand *e = user;
  brink_design_archive_question(fit, &e->task, &e->z[k * fit->n], question);
}

static brink_status read_answer(brink_fit *fit, errand *e, brink_archive *a, brink_diag *diag) {
  brink_design_archive_answer(fit, &e->answer, a);
  if (a->failed) return BRINK_OK; /* who has asked says so */
  fit->runs += e->answer.runs;
  fit->derivative_runs += e->answer.derivative_runs;
  if (e->answer.status != BRINK_OK) *diag = e->answer.failure;
  return e->answer.status;
}

static brink_status take_screened(brink_fit *fit, size_t k, brink_archive *a, void *user,
                                  brink_diag *diag) {
  errand *e = user;
  (void)k;
  brink_status status = read_answer(fit, e, a, diag);
  if (status != BRINK_OK || a->failed) return status;
  size_t at = e->npoints;
  while (at > 0 && brink_outcome_is_better(&e->answer.outcome, &e->points[at - 1])) at--;
  if (at == e->npoints) return BRINK_OK;
  for (size_t j = e->npoints - 1; j > at; j--)
    brink_outcome_copy(fit, &e->points[j], &e->points[j - 1]);
  brink_outcome_copy(fit, &e->points[at], &e->answer.outcome);
  return BRINK_OK;
}

/* Rows of z: the values of the model, then the best of many points. If it was cancelled, the best of these is all there is. */
static brink_status choose_starts(brink_fit *fit, double *z, brink_outcome *best,
                                  brink_diag *diag) {
  brink_arena *arena = &fit->solution;
  size_t n = fit->n, others = fit->def.starts - 1, count = BRINK_FIT_SCREENED * others;
  errand e = {.task = BRINK_TASK_RUN,
              .z = brink_arena_take(arena, count * n, sizeof *e.z),
              .points = brink_arena_take(arena, others, sizeof *e.points),
              .npoints = others};
  bool made = !arena->failed && brink_outcome_make(fit, arena, &e.answer.outcome);
  for (size_t k = 0; k < others && made; k++) made = brink_outcome_make(fit, arena, &e.points[k]);
  if (!made) return out_of_memory(diag);
  for (size_t k = 0; k < count; k++) brink_fit_fill_box(fit, k + 1, &e.z[k * n]);
  brink_status status = brink_fit_ask(
      fit, &(brink_fit_survey){.count = count, .put = put_knobs, .take = take_screened, .user = &e},
      diag);
  memcpy(z, fit->initial, n * sizeof *z);
  for (size_t k = 0; k < others; k++) {
    if (e.points[k].usable)
      memcpy(&z[(k + 1) * n], e.points[k].z, n * sizeof *z);
    else
      brink_fit_fill_box(fit, 0, &z[(k + 1) * n]);
  }
  if (others > 0 && atomic_load(&fit->cancelled)) brink_outcome_copy(fit, best, &e.points[0]);
  return status;
}

static brink_status take_start(brink_fit *fit, size_t s, brink_archive *a, void *user,
                               brink_diag *diag) {
  errand *e = user;
  const brink_outcome *end = &e->answer.outcome;
  const double *z = &e->z[s * fit->n];
  double *found = brink_arena_take(&fit->solution, fit->n, sizeof *found);
  if (found == NULL) return out_of_memory(diag);
  brink_status status = read_answer(fit, e, a, diag);
  if (status != BRINK_OK || a->failed) return status;
  if (!end->usable && s == 0) e->first = e->answer.failure;
  memcpy(found, end->usable ? end->z : z, fit->n * sizeof *found);
  size_t at = fit->result.nstarts++;
  e->starts[at] = (brink_fit_start){.values = z,
                                    .found = found,
                                    .sum = !end->usable    ? (double)NAN
                                           : fit->maximize ? -end->value
                                                           : end->value,
                                    .runs = e->answer.runs,
                                    .converged = e->answer.ended};
  if (!brink_outcome_is_better(end, e->best)) return BRINK_OK;
  brink_outcome_copy(fit, e->best, end);
  fit->result.best = at;
  e->how = e->answer;
  return BRINK_OK;
}

/* ---- where derivatives have led ---- */

static const char *name_of_search(const brink_fit *fit) {
  return fit->nwanted > 0 ? "COBYLA" : "subplex";
}

static const char *why_no_slopes(uint32_t limits) {
  if (limits & BRINK_SENSITIVITY_GRAZING)
    return "an event is about to appear or to vanish there: a surface is only just touched";
  if (limits & BRINK_SENSITIVITY_SEVERAL) return "events coincide there that move differently";
  if (limits & BRINK_SENSITIVITY_ZENO) return "there are infinitely many events in the run";
  return "the outcome has an edge or a corner there, as where an event appears or vanishes";
}

static void note_search(brink_fit *fit, uint32_t limits) {
  brink_fit_note(fit,
                 "With derivatives no optimum was reached: %s. The search without derivatives (%s) "
                 "went on from there.",
                 why_no_slopes(limits), name_of_search(fit));
}

static brink_status take_check(brink_fit *fit, size_t k, brink_archive *a, void *user,
                               brink_diag *diag) {
  errand *e = user;
  const brink_outcome *end = &e->answer.outcome;
  (void)k;
  brink_status status = read_answer(fit, e, a, diag);
  if (status != BRINK_OK || a->failed || !brink_outcome_is_better(end, e->best)) return status;
  double gain = e->best->value - end->value;
  bool other =
      end->violation < e->best->violation || gain > BRINK_OUTCOME_BETTER * fabs(end->value);
  if (other) note_search(fit, 0);
  if (other) e->how.searched = true;
  brink_outcome_copy(fit, e->best, end);
  return BRINK_OK;
}

/* Is there nothing better nearby? */
static brink_status check_best(brink_fit *fit, errand *e, brink_diag *diag) {
  if (e->how.searched && e->how.downhill) note_search(fit, e->how.limits);
  bool doubted = e->how.downhill && !e->how.searched && fit->def.method == BRINK_FIT_AUTO;
  if (!doubted || !e->best->usable) return BRINK_OK;
  e->task = BRINK_TASK_GO_ON;
  e->z = e->best->z;
  return brink_fit_ask(
      fit, &(brink_fit_survey){.count = 1, .put = put_knobs, .take = take_check, .user = e}, diag);
}

/* ---- the result ---- */

static bool holds(const brink_fit *fit, const double *sides, size_t k) {
  double size = fmax(fabs(sides[2 * k]), fabs(sides[2 * k + 1]));
  return brink_outcome_excess(fit, sides, k) <= CLOSE_ENOUGH * size;
}

static bool fill_values(brink_fit *fit, const brink_outcome *best) {
  brink_fit_result *r = &fit->result;
  brink_fit_value *values = brink_arena_take(&fit->solution, fit->n, sizeof *values);
  double *none = brink_arena_take(&fit->solution, fit->n * fit->n, sizeof *none);
  if (values == NULL || none == NULL) return false;
  for (size_t k = 0; k < fit->n * fit->n; k++) none[k] = (double)NAN;
  for (size_t k = 0; k < fit->n; k++) {
    double w = brink_fit_share(&fit->knobs[k], best->z[k]);
    values[k] = (brink_fit_value){.name = fit->names[k],
                                  .value = best->z[k],
                                  .standard_error = (double)NAN,
                                  .lo = (double)NAN,
                                  .hi = (double)NAN,
                                  .at_bound = w < CLOSE_ENOUGH || w > 1.0 - CLOSE_ENOUGH};
  }
  r->nknobs = fit->n;
  r->values = values;
  r->correlation = r->covariance = none;
  r->sum = r->scale = r->probability = (double)NAN;
  r->confidence = fit->def.confidence;
  return true;
}

static bool fill_conditions(brink_fit *fit, const brink_outcome *best) {
  brink_fit_result *r = &fit->result;
  brink_fit_condition *list = brink_arena_take(&fit->solution, fit->nwanted, sizeof *list);
  if (fit->solution.failed) return false;
  r->feasible = true;
  for (size_t k = 0; k < fit->nwanted; k++) {
    list[k] = (brink_fit_condition){.text = fit->wanted[k].text,
                                    .left = best->sides[2 * k],
                                    .right = best->sides[2 * k + 1],
                                    .holds = holds(fit, best->sides, k)};
    r->feasible = r->feasible && list[k].holds;
  }
  r->nconditions = fit->nwanted;
  r->conditions = list;
  return true;
}

static const char *name_of_method(const brink_fit *fit, const brink_design_answer *how) {
  if (how->downhill && !how->searched) return "SLSQP";
  if (!how->downhill) return how->searched ? name_of_search(fit) : "screening";
  return fit->nwanted > 0 ? "SLSQP, then COBYLA" : "SLSQP, then subplex";
}

static brink_status conclude(brink_fit *fit, const brink_outcome *best,
                             const brink_design_answer *how, brink_diag *diag) {
  brink_fit_result *r = &fit->result;
  brink_status status = BRINK_OK;
  if (!fill_values(fit, best) || !fill_conditions(fit, best)) return out_of_memory(diag);
  r->objective = fit->objective;
  r->maximized = fit->maximize;
  r->outcome = fit->maximize ? -best->value : best->value;
  r->converged = how->ended && r->feasible;
  r->method = name_of_method(fit, how);
  r->derivatives = how->downhill && !how->searched;
  if (!r->feasible)
    brink_fit_note(fit, "No knobs were found with which all conditions hold: these come closest.");
  else if (!how->ended)
    brink_fit_note_stop(fit);
  for (size_t k = 0; k < fit->n && status == BRINK_OK; k++)
    status = brink_hsml_set(fit->model, fit->names[k], best->z[k], diag);
  r->runs = fit->runs;
  r->derivative_runs = fit->derivative_runs;
  r->notes = fit->notes;
  r->nnotes = fit->nnotes;
  if (fit->solution.failed) return out_of_memory(diag);
  fit->solved = status == BRINK_OK;
  return status;
}

brink_status brink_fit_design(brink_fit *fit, brink_diag *diag) {
  brink_arena *arena = &fit->solution;
  brink_outcome best;
  errand e = {.task = BRINK_TASK_START,
              .z = brink_arena_take(arena, fit->def.starts * fit->n, sizeof *e.z),
              .starts = brink_arena_take(arena, fit->def.starts, sizeof *e.starts),
              .best = &best};
  brink_diag_clear(&e.first);
  bool made = !arena->failed && brink_outcome_make(fit, arena, &best) &&
              brink_outcome_make(fit, arena, &e.answer.outcome);
  if (!made) return out_of_memory(diag);
  fit->result.starts = e.starts;
  brink_status status = choose_starts(fit, e.z, &best, diag);
  if (status == BRINK_OK)
    status = brink_fit_ask(
        fit,
        &(brink_fit_survey){
            .count = fit->def.starts, .put = put_knobs, .take = take_start, .user = &e},
        diag);
  if (status == BRINK_OK) status = check_best(fit, &e, diag);
  if (status == BRINK_OK && best.usable) status = conclude(fit, &best, &e.how, diag);
  if (status != BRINK_OK) return status;
  if (atomic_load(&fit->cancelled)) return BRINK_CANCELLED;
  if (best.usable) return BRINK_OK;
  *diag = e.first;
  return e.first.status;
}
