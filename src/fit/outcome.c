/* outcome.c: one run of a design, and what it gives.
 *
 * Better is: conditions hold, and then the outcome; while none holds, a smaller violation. A run that fails, or has no
 * outcome (the time of an event that does not happen), is worse than all others. */
#include <math.h>
#include <string.h>

#include "fit/design_parts.h"

#define ON_THE_CONDITION 1e-9 /* of its sides */

bool brink_outcome_make(const brink_fit *fit, brink_arena *arena, brink_outcome *o) {
  *o = (brink_outcome){
      .z = brink_arena_take(arena, fit->n, sizeof(double)),
      .sides = brink_arena_take(arena, 2 * fit->nwanted, sizeof(double)),
      .slopes = brink_arena_take(arena, (1 + 2 * fit->nwanted) * fit->n, sizeof(double))};
  return !arena->failed;
}

void brink_outcome_copy(const brink_fit *fit, brink_outcome *to, const brink_outcome *from) {
  double *z = to->z, *sides = to->sides, *slopes = to->slopes;
  *to = *from;
  to->slopes = memcpy(slopes, from->slopes, (1 + 2 * fit->nwanted) * fit->n * sizeof *slopes);
  to->z = memcpy(z, from->z, fit->n * sizeof *z);
  to->sides = sides;
  if (fit->nwanted > 0) memcpy(sides, from->sides, 2 * fit->nwanted * sizeof *sides);
}

bool brink_outcome_is_better(const brink_outcome *a, const brink_outcome *b) {
  if (a->usable != b->usable) return a->usable;
  if (!a->usable) return false;
  if (a->violation != b->violation) return a->violation < b->violation;
  return a->value < b->value;
}

double brink_outcome_excess(const brink_fit *fit, const double *sides, size_t k) {
  double over = sides[2 * k] - sides[2 * k + 1];
  return fit->wanted[k].at_least ? -over : over;
}

/* Methods end on a condition to within rounding. That is no violation. */
static double violation_of(const brink_fit *fit, const double *sides, size_t k) {
  double excess = brink_outcome_excess(fit, sides, k);
  double size = fmax(fabs(sides[2 * k]), fabs(sides[2 * k + 1]));
  return excess > ON_THE_CONDITION * size ? excess : 0.0;
}

static void read_outcome(brink_designing *d) {
  const brink_fit *fit = d->worker->fit;
  brink_outcome *o = &d->here;
  brink_diag *failure = &d->worker->failure;
  const char *text;
  o->value = brink_probe_value(&d->probe, 0, &text);
  if (fit->maximize) o->value = -o->value;
  o->usable = isfinite(o->value);
  if (!o->usable)
    brink_diag_set(failure, BRINK_ERR_DOMAIN, "'%s' has no value in the run", fit->objective);
  o->violation = 0.0;
  for (size_t k = 0; k < fit->nwanted; k++) {
    for (size_t side = 0; side < 2; side++) {
      double value = brink_probe_value(&d->probe, 1 + 2 * k + side, &text);
      o->sides[2 * k + side] = value;
      if (isfinite(value)) continue;
      brink_diag_set(failure, BRINK_ERR_DOMAIN, "'%s' has no value in the run",
                     fit->wanted[k].text);
      o->usable = false;
    }
    o->violation += violation_of(fit, o->sides, k);
  }
}

/* Before the run is moved: is what is asked for there? */
static brink_status prepare(brink_run *run, void *user, brink_diag *diag) {
  brink_designing *d = user;
  brink_status status = brink_probe_begin(&d->probe, run, diag);
  if (status == BRINK_OK && !d->checked) status = brink_probe_check(&d->probe, diag);
  if (status == BRINK_OK) d->checked = true;
  if (status == BRINK_OK && d->derivatives)
    status = brink_slopes_begin(&d->slopes, d->worker->fit, &d->probe, run, diag);
  return status;
}

static brink_status drive(brink_designing *d, brink_run *run, brink_diag *diag) {
  brink_status status = brink_run_to(run, d->worker->fit->options.until, diag);
  if (status == BRINK_CANCELLED) return status;
  brink_probe_end(&d->probe);
  brink_status closed = brink_run_finish(run, NULL);
  brink_probe_conclude(&d->probe);
  if (status < 0 || closed != BRINK_OK) return status < 0 ? status : closed;
  read_outcome(d);
  if (!d->derivatives || !d->here.usable) return BRINK_OK;
  return brink_slopes_find(&d->slopes, d->worker->fit, run, status == BRINK_STOPPED, d->here.slopes,
                           &d->here.has_slopes, &d->here.limits, diag);
}

brink_status brink_designing_visit(brink_designing *d, const double *z, bool derivatives,
                                   brink_diag *diag) {
  brink_fit *fit = d->worker->fit;
  brink_diag *failure = &d->worker->failure;
  brink_run *run = NULL;
  brink_run_options options = fit->options;
  options.conditions = fit->measures.conditions;
  memcpy(d->here.z, z, fit->n * sizeof *z);
  d->here.usable = d->here.has_slopes = false;
  d->here.limits = 0;
  d->derivatives = derivatives;
  brink_status status = brink_fit_run_begin(d->worker, z, &options, prepare, d, &run);
  bool wrong = status != BRINK_OK && run != NULL && !d->checked;
  if (status == BRINK_OK) status = drive(d, run, failure);
  brink_fit_run_end(d->worker, run);
  d->worker->runs++;
  d->worker->derivative_runs += derivatives;
  if (status == BRINK_ERR_MEMORY || wrong) {
    if (diag != NULL) *diag = *failure;
    return status;
  }
  bool better = brink_outcome_is_better(&d->here, &d->best);
  if (better) brink_outcome_copy(fit, &d->best, &d->here);
  d->barred = better ? 0 : d->barred + !d->here.usable;
  double told = fit->maximize ? -d->here.value : d->here.value;
  brink_fit_tell(fit, d->here.usable && d->here.violation == 0.0 ? told : (double)NAN);
  return BRINK_OK;
}
