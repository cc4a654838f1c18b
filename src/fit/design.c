/* design.c: the knobs with which an outcome of the run is the best, under bounds and conditions.
 *
 * An outcome is an expression of what a run gives (sweep/measure.h): extremes over time, values at events, times of events.
 * Such a thing jumps where an event appears or vanishes, and has a corner where another event or another maximum becomes
 * the one that counts. So the search compares values: Sbplx (Rowan 1990) without conditions, COBYLA (Powell 1994) with
 * them, from several starts, each once more from where it ended, with steps a tenth as long: COBYLA ends early at
 * corners. Every run counts: the result is the best of all that were made, not the last.
 *
 * Better is: conditions hold, and then the outcome; while none holds, a smaller violation. A run that fails, or has no
 * outcome (the time of an event that does not happen), is worse than all others. COBYLA makes linear models of what it is
 * told, so such a run is told as a little worse than the worst, not as infinite. */
#include <math.h>
#include <string.h>

#include "fit/fit_parts.h"
#include "sweep/probe.h"

#define CLOSE_ENOUGH 1e-6 /* of the sides of a condition: it holds */

enum { MOST_KNOBS = 64 };

typedef struct outcome {
  double *z;
  double value;     /* to be minimised */
  double *sides;    /* left and right of each condition */
  double violation; /* of all together; 0: all hold */
  bool usable;
} outcome;

typedef struct designing {
  brink_fit *fit;
  brink_probe probe;
  outcome here, best;         /* the last run; the best of this start */
  double worst, *worst_sides; /* that were seen: values, and left minus right of each condition */
  brink_status status;
  brink_diag *diag;
  bool checked;
} designing;

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

/* ---- one run ---- */

static bool outcome_make(const brink_fit *fit, brink_arena *arena, outcome *o) {
  *o = (outcome){.z = brink_arena_take(arena, fit->n, sizeof(double)),
                 .sides = brink_arena_take(arena, 2 * fit->nwanted, sizeof(double))};
  return !arena->failed;
}

static void outcome_copy(const brink_fit *fit, outcome *to, const outcome *from) {
  double *z = to->z, *sides = to->sides;
  *to = *from;
  to->z = memcpy(z, from->z, fit->n * sizeof *z);
  to->sides = memcpy(sides, from->sides, 2 * fit->nwanted * sizeof *sides);
}

static bool is_better(const outcome *a, const outcome *b) {
  if (a->usable != b->usable) return a->usable;
  if (!a->usable) return false;
  if (a->violation != b->violation) return a->violation < b->violation;
  return a->value < b->value;
}

/* How far a condition is from holding; negative: it holds. */
static double excess(const brink_fit *fit, const double *sides, size_t k) {
  double over = sides[2 * k] - sides[2 * k + 1];
  return fit->wanted[k].at_least ? -over : over;
}

static bool holds(const brink_fit *fit, const double *sides, size_t k) {
  double size = fmax(fabs(sides[2 * k]), fabs(sides[2 * k + 1]));
  return excess(fit, sides, k) <= CLOSE_ENOUGH * size;
}

static void read_outcome(designing *d) {
  brink_fit *fit = d->fit;
  outcome *o = &d->here;
  const char *text;
  o->value = brink_probe_value(&d->probe, 0, &text);
  if (fit->maximize) o->value = -o->value;
  o->usable = isfinite(o->value);
  if (!o->usable)
    brink_diag_set(&fit->failure, BRINK_ERR_DOMAIN, "'%s' has no value in the run", fit->objective);
  o->violation = 0.0;
  for (size_t k = 0; k < fit->nwanted; k++) {
    for (size_t side = 0; side < 2; side++) {
      double value = brink_probe_value(&d->probe, 1 + 2 * k + side, &text);
      o->sides[2 * k + side] = value;
      if (isfinite(value)) continue;
      brink_diag_set(&fit->failure, BRINK_ERR_DOMAIN, "'%s' has no value in the run",
                     fit->wanted[k].text);
      o->usable = false;
    }
    o->violation += fmax(excess(fit, o->sides, k), 0.0);
  }
}

static brink_status drive(designing *d, brink_run *run, brink_diag *diag) {
  brink_fit *fit = d->fit;
  brink_status status = brink_probe_begin(&d->probe, run, diag);
  if (status == BRINK_OK && !d->checked) {
    d->status = status = brink_probe_check(&d->probe, diag);
    d->checked = true;
  }
  if (status != BRINK_OK) return status;
  status = brink_run_to(run, fit->options.until, diag);
  brink_probe_end(&d->probe);
  brink_status closed = brink_run_finish(run, NULL);
  brink_probe_conclude(&d->probe);
  if (status >= 0 && closed == BRINK_OK) read_outcome(d);
  return status < 0 ? status : closed;
}

/* The run with knobs z, into d->here. */
static brink_status visit(designing *d, const double *z) {
  brink_fit *fit = d->fit;
  brink_run *run = NULL;
  brink_run_options options = fit->options;
  options.conditions = fit->measures.conditions;
  if (options.sim.max_steps == 0) options.sim.max_steps = BRINK_FIT_STEPS;
  memcpy(d->here.z, z, fit->n * sizeof *z);
  d->here.usable = false;
  brink_status status = brink_fit_set_knobs(fit, z, &fit->failure);
  if (status == BRINK_OK)
    status = brink_run_create(fit->model, &options, NULL, &fit->failure, &run);
  if (status == BRINK_OK) status = drive(d, run, &fit->failure);
  brink_run_destroy(run);
  fit->runs++;
  fit->start_runs++;
  if (status == BRINK_ERR_MEMORY || d->status != BRINK_OK) {
    if (d->diag != NULL) *d->diag = fit->failure;
    return status;
  }
  if (is_better(&d->here, &d->best)) outcome_copy(fit, &d->best, &d->here);
  double told = fit->maximize ? -d->best.value : d->best.value;
  brink_fit_tell(fit, d->best.usable ? told : (double)NAN);
  return BRINK_OK;
}

/* ---- the search ---- */

/* A little worse than the worst. */
static double worse(double worst) {
  return worst + 0.1 * fabs(worst) + 1e-3;
}

static double tell_search(size_t n, const double *w, double *constraints, bool *stop, void *user) {
  designing *d = user;
  brink_fit *fit = d->fit;
  double z[MOST_KNOBS];
  for (size_t k = 0; k < n; k++) z[k] = brink_fit_unshare(&fit->knobs[k], w[k]);
  brink_status status = visit(d, z);
  if (status != BRINK_OK && d->status == BRINK_OK) d->status = status;
  *stop = status != BRINK_OK || fit->cancelled || fit->start_runs >= fit->def.max_runs;
  for (size_t k = 0; k < fit->nwanted; k++) {
    if (d->here.usable) d->worst_sides[k] = fmax(d->worst_sides[k], excess(fit, d->here.sides, k));
    constraints[k] = d->here.usable ? excess(fit, d->here.sides, k) : worse(d->worst_sides[k]);
  }
  if (!d->here.usable) return worse(d->worst);
  d->worst = fmax(d->worst, d->here.value);
  return d->here.value;
}

/* Twice from the best point of this start; *ended: nothing got better any more. */
static brink_status search(designing *d, bool *ended) {
  brink_fit *fit = d->fit;
  brink_status status = BRINK_OK;
  *ended = false;
  for (int round = 0; round < 2 && status == BRINK_OK && d->best.usable; round++) {
    double w[MOST_KNOBS];
    for (size_t k = 0; k < fit->n; k++) w[k] = brink_fit_share(&fit->knobs[k], d->best.z[k]);
    d->worst = d->best.value;
    for (size_t k = 0; k < fit->nwanted; k++) d->worst_sides[k] = excess(fit, d->best.sides, k);
    brink_search problem = {.n = fit->n,
                            .nconstraints = fit->nwanted,
                            .objective = tell_search,
                            .user = d,
                            .x = w,
                            .step = round == 0 ? 0.1 : 0.01,
                            .tolerance = 1e-7,
                            .most = fit->def.max_runs};
    status = brink_search_solve(fit->optimisers, &problem, d->diag);
  }
  *ended = status == BRINK_OK && d->best.usable;
  return status == BRINK_CANCELLED ? d->status : status;
}

/* ---- starts ---- */

/* The first start is that of the model; the others are the best of many points. */
static brink_status choose_starts(designing *d, outcome *starts) {
  brink_fit *fit = d->fit;
  size_t others = fit->def.starts - 1;
  double z[MOST_KNOBS];
  memcpy(starts[0].z, fit->initial, fit->n * sizeof *z);
  for (size_t k = 1; k <= BRINK_FIT_SCREENED * others && !fit->cancelled; k++) {
    brink_fit_fill_box(fit, k, z);
    d->best.usable = false;
    brink_status status = visit(d, z);
    if (status != BRINK_OK) return status;
    size_t at = others;
    while (at > 0 && is_better(&d->here, &starts[at])) at--;
    if (at == others) continue;
    for (size_t j = others; j > at + 1; j--) outcome_copy(fit, &starts[j], &starts[j - 1]);
    outcome_copy(fit, &starts[at + 1], &d->here);
  }
  for (size_t k = 1; k <= others; k++)
    if (!starts[k].usable) brink_fit_fill_box(fit, 0, starts[k].z);
  return BRINK_OK;
}

static brink_status try_all(designing *d, const outcome *starts, brink_fit_start *told,
                            outcome *best, bool *converged) {
  brink_fit *fit = d->fit;
  brink_status status = BRINK_OK;
  brink_diag first;
  brink_diag_clear(&first);
  for (size_t s = 0; s < fit->def.starts && status == BRINK_OK && !fit->cancelled; s++) {
    bool ended = false;
    double *found = brink_arena_take(&fit->solution, fit->n, sizeof *found);
    if (found == NULL) return brink_diag_set(d->diag, BRINK_ERR_MEMORY, "out of memory");
    fit->start = s;
    fit->start_runs = 0;
    d->best.usable = false;
    status = visit(d, starts[s].z);
    if (status == BRINK_OK && !d->best.usable && s == 0) first = fit->failure;
    if (status == BRINK_OK) status = search(d, &ended);
    if (status != BRINK_OK) return status;
    bool usable = d->best.usable;
    memcpy(found, usable ? d->best.z : starts[s].z, fit->n * sizeof *found);
    double value = fit->maximize ? -d->best.value : d->best.value;
    told[s] = (brink_fit_start){.values = starts[s].z,
                                .found = found,
                                .sum = usable ? value : (double)NAN,
                                .runs = fit->start_runs,
                                .converged = ended};
    fit->result.nstarts = s + 1;
    if (!is_better(&d->best, best)) continue;
    outcome_copy(fit, best, &d->best);
    fit->result.best = s;
    *converged = ended;
  }
  if (best->usable || fit->cancelled) return BRINK_OK;
  if (d->diag != NULL) *d->diag = first;
  return first.status;
}

/* ---- the result ---- */

static bool fill_values(brink_fit *fit, const outcome *best) {
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

static bool fill_conditions(brink_fit *fit, const outcome *best) {
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

static brink_status conclude(designing *d, const outcome *best, bool converged) {
  brink_fit *fit = d->fit;
  brink_fit_result *r = &fit->result;
  brink_status status = BRINK_OK;
  if (!fill_values(fit, best) || !fill_conditions(fit, best))
    return brink_diag_set(d->diag, BRINK_ERR_MEMORY, "out of memory");
  r->objective = fit->objective;
  r->maximized = fit->maximize;
  r->outcome = fit->maximize ? -best->value : best->value;
  r->converged = converged && r->feasible;
  r->method = fit->nwanted > 0 ? "COBYLA" : "subplex";
  if (!r->feasible)
    brink_fit_note(fit, "No knobs were found with which all conditions hold: these come closest.");
  else if (!converged)
    brink_fit_note(fit, "This is the best that was found, not a minimum: allow more runs, or give "
                        "other bounds.");
  for (size_t k = 0; k < fit->n && status == BRINK_OK; k++)
    status = brink_hsml_set(fit->model, fit->names[k], best->z[k], d->diag);
  r->runs = fit->runs;
  r->notes = fit->notes;
  r->nnotes = fit->nnotes;
  fit->solved = status == BRINK_OK && !fit->solution.failed;
  return fit->solved ? BRINK_OK : brink_diag_set(d->diag, BRINK_ERR_MEMORY, "out of memory");
}

static brink_status solve(designing *d) {
  brink_fit *fit = d->fit;
  brink_arena *arena = &fit->solution;
  outcome best, *starts = brink_arena_take(arena, fit->def.starts, sizeof *starts);
  brink_fit_start *told = brink_arena_take(arena, fit->def.starts, sizeof *told);
  d->worst_sides = brink_arena_take(arena, fit->nwanted, sizeof(double));
  bool made = !arena->failed && outcome_make(fit, arena, &d->here) &&
              outcome_make(fit, arena, &d->best) && outcome_make(fit, arena, &best);
  for (size_t k = 0; k < fit->def.starts && made; k++) made = outcome_make(fit, arena, &starts[k]);
  if (!made) return brink_diag_set(d->diag, BRINK_ERR_MEMORY, "out of memory");
  bool converged = false;
  fit->result.starts = told;
  brink_status status = choose_starts(d, starts);
  if (status == BRINK_OK) status = try_all(d, starts, told, &best, &converged);
  if (status != BRINK_OK) return status;
  if (best.usable) status = conclude(d, &best, converged);
  return status == BRINK_OK && fit->cancelled ? BRINK_CANCELLED : status;
}

brink_status brink_fit_design(brink_fit *fit, brink_diag *diag) {
  designing d = {.fit = fit, .diag = diag};
  if (fit->n > MOST_KNOBS)
    return brink_diag_set(diag, BRINK_ERR_ARGUMENT, "a design has %d knobs at most", MOST_KNOBS);
  brink_status status = brink_probe_init(&d.probe, &fit->measures)
                            ? solve(&d)
                            : brink_diag_set(diag, BRINK_ERR_MEMORY, "out of memory");
  brink_probe_free(&d.probe);
  return status;
}
