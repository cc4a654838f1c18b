/* comparison.c: the events of another method, compared with those of the run.
 *
 * Problem: is an event of the model, or of the method? (García 2004, definitions 4.1 and 4.2: an answer is trusted as far
 * as computations of it agree.)
 *
 * Method: the same model by both methods, and each of them once more, coarser: ten times the tolerance, or twice
 * the step. How far an event moves between the two is taken as its error. The k-th event of a flag in one direction is
 * compared with the k-th of the other method. Where two times are farther apart than the sum of both errors, one of the
 * methods is wrong about its own error; lemma 4.1, corrected: if the times are d apart, at least one of them is off
 * by d/2 or more. An event that one method alone has is always told. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run/conditions.h"

#define COARSER 10.0       /* tolerances of the second run */
#define STEPS_AT_A_TIME 64 /* between two looks at signals */
enum { EVENTS = 10000 };   /* of a run, that are compared */

/* ---- running ---- */

static size_t count_before(const brink_findings *f, uint32_t flag, size_t index,
                           brink_direction direction) {
  for (size_t k = f->nevents; k-- > 0;) {
    const brink_occurrence *e = &f->events[k];
    if (e->flag == flag && e->index == index && e->direction == direction) return e->count + 1;
  }
  return 0;
}

static int keep_event(const brink_event_record *record, void *user) {
  brink_findings *f = user;
  brink_occurrence e = {.t = record->event.t, .direction = record->event.direction};
  brink_instance_flag(f->instance, record->event.guard, &e.flag, &e.index);
  if (!brink_journal_wants(f->run->system, e.flag, e.direction)) return 0;
  if (f->nevents >= EVENTS) {
    f->more = true;
    return 1;
  }
  if (!brink_arena_reserve(&f->run->arena, f->events, f->nevents, f->capacity)) {
    f->failed = true;
    return 1;
  }
  e.count = count_before(f, e.flag, e.index, e.direction);
  f->events[f->nevents++] = e;
  return 0;
}

static brink_status follow(brink_findings *f, const brink_options *options) {
  brink_run *run = f->run;
  brink_sim *sim = NULL;
  brink_instance_options wishes = brink_run_instance_options(run);
  wishes.rtol = options->rtol;
  wishes.atol = options->atol;
  wishes.wants_flow_jet = options->method == BRINK_TAYLOR;
  wishes.flow_order = options->order;
  wishes.wants_jacobian = options->method == BRINK_BDF;
  brink_status status =
      brink_instance_create(run->built->system, &wishes, NULL, &run->comparison_diag, &f->instance);
  if (status == BRINK_OK)
    status = brink_sim_create(brink_instance_model(f->instance), options, NULL,
                              &run->comparison_diag, &sim);
  double until = isfinite(run->until) ? run->until : brink_run_time(run);
  if (status == BRINK_OK) {
    brink_sim_set_sink(sim, &(brink_sink){.event = keep_event, .user = f});
    do status = brink_sim_run(sim, until, NULL);
    while (status == BRINK_ERR_WORK && !brink_run_is_cancelled(run));
    f->end = brink_sim_time(sim);
    f->complete = status >= 0 && !f->more;
    status = f->failed ? BRINK_ERR_MEMORY : BRINK_OK;
  }
  brink_sim_destroy(sim);
  brink_instance_destroy(f->instance);
  f->instance = NULL;
  return status;
}

static brink_options coarser(brink_options options) {
  if (brink_method_has_fixed_step(options.method)) {
    options.step *= 2.0;
  } else {
    options.rtol *= COARSER;
    options.atol *= COARSER;
  }
  return options;
}

/* The run's own method, which `auto` has chosen by now, and the other one. */
static brink_status follow_all(brink_run *run, brink_comparison *a) {
  brink_options options[2] = {run->options.sim, a->options};
  options[0].method = brink_sim_stats(run->sim)->method;
  brink_status status = BRINK_OK;
  for (int k = 0; k < 2 && status == BRINK_OK; k++) {
    options[k].max_steps = STEPS_AT_A_TIME;
    options[k].audit = false;
    brink_options second = coarser(options[k]);
    a->fine[k].run = a->coarse[k].run = run;
    status = follow(&a->fine[k], &options[k]);
    if (status == BRINK_OK) status = follow(&a->coarse[k], &second);
  }
  return status;
}

/* ---- comparing ---- */

static const brink_occurrence *same_in(const brink_findings *f, const brink_occurrence *e) {
  for (size_t k = 0; k < f->nevents; k++) {
    const brink_occurrence *other = &f->events[k];
    if (other->flag == e->flag && other->index == e->index && other->direction == e->direction &&
        other->count == e->count)
      return other;
  }
  return NULL;
}

/* How far an event moves when the method is coarser; no less than the tolerances, within which surfaces are found,
 * and than what time resolves. */
static double error_of(const brink_findings *coarse, const brink_occurrence *e) {
  const brink_occurrence *moved = e != NULL ? same_in(coarse, e) : NULL;
  if (moved == NULL) return (double)INFINITY;
  const brink_options *options = &coarse->run->options.sim;
  double least = fmax(options->rtol, 64.0 * DBL_EPSILON) * fabs(e->t) + options->atol;
  return fmax(fabs(moved->t - e->t), least);
}

static bool keep_difference(brink_run *run, brink_comparison *a, brink_disagreement d) {
  brink_disagreement *kept =
      brink_arena_push(&run->arena, a->differences, a->ndifferences, a->capacity);
  if (kept != NULL) *kept = d;
  return kept != NULL;
}

static bool compare(brink_run *run, brink_comparison *a) {
  const brink_findings *here = &a->fine[0], *there = &a->fine[1];
  double end = fmin(here->complete ? (double)INFINITY : here->end,
                    there->complete ? (double)INFINITY : there->end);
  for (size_t k = 0; k < here->nevents; k++) {
    brink_disagreement d = {.here = &here->events[k], .there = same_in(there, &here->events[k])};
    if (d.there == NULL && d.here->t >= end) continue; /* the other one did not come so far */
    d.error_here = error_of(&a->coarse[0], d.here);
    d.error_there = error_of(&a->coarse[1], d.there);
    /* An event that its own coarser run does not have has no error to be judged by: it is told. */
    bool agree = d.there != NULL && isfinite(d.error_here + d.error_there) &&
                 fabs(d.here->t - d.there->t) <= d.error_here + d.error_there;
    a->nagreeing += agree;
    if (!agree && !keep_difference(run, a, d)) return false;
  }
  for (size_t k = 0; k < there->nevents; k++) {
    const brink_occurrence *e = &there->events[k];
    if (e->t >= end || same_in(here, e) != NULL) continue;
    brink_disagreement d = {
        .there = e, .error_here = (double)INFINITY, .error_there = error_of(&a->coarse[1], e)};
    if (!keep_difference(run, a, d)) return false;
  }
  return true;
}

/* ---- JSON ---- */

static void real_or_null(brink_text *text, const char *key, double value) {
  brink_text_add(text, ",\"%s\":", key);
  if (isfinite(value))
    brink_json_real(text, value);
  else
    brink_text_add(text, "null");
}

double brink_comparison_distance(const brink_disagreement *d) {
  bool both = d->here != NULL && d->there != NULL;
  return both ? fabs(d->here->t - d->there->t) : (double)INFINITY;
}

void brink_comparison_label(const brink_run *run, const brink_disagreement *d, brink_text *label) {
  const brink_occurrence *e = d->here != NULL ? d->here : d->there;
  brink_system_flag_label(run->system, e->flag, e->index, label);
}

/* The flag by its name, and its text if the compiler made it. */
static void write_flag(const brink_run *run, const brink_disagreement *d, brink_text *text) {
  const brink_occurrence *e = d->here != NULL ? d->here : d->there;
  brink_text name = {0};
  brink_system_flag_name(run->system, e->flag, e->index, &name);
  brink_json_string(text, name.data != NULL ? name.data : "");
  text->failed = text->failed || name.failed;
  brink_text_free(&name);
  if (run->system->flags[e->flag].text == NULL) return;
  brink_text_add(text, ",\"text\":");
  brink_json_string(text, run->system->flags[e->flag].text);
}

static void write_json(const brink_run *run, brink_comparison *a) {
  brink_text *text = &a->json;
  brink_text_add(text, "{\"method\":\"%s\"", brink_method_name(a->options.method));
  real_or_null(text, "step", a->options.step > 0.0 ? a->options.step : (double)NAN);
  brink_text_add(text, ",\"complete\":%s,\"agree\":%zu,\"differ\":[",
                 a->fine[1].complete ? "true" : "false", a->nagreeing);
  for (size_t k = 0; k < a->ndifferences; k++) {
    const brink_disagreement *d = &a->differences[k];
    brink_text_add(text, "%s\n   {\"flag\":", k > 0 ? "," : "");
    write_flag(run, d, text);
    real_or_null(text, "t", d->here != NULL ? d->here->t : (double)NAN);
    real_or_null(text, "other", d->there != NULL ? d->there->t : (double)NAN);
    real_or_null(text, "error", d->error_here);
    real_or_null(text, "other_error", d->error_there);
    real_or_null(text, "off", 0.5 * brink_comparison_distance(d));
    brink_text_add(text, "}");
  }
  brink_text_add(text, "]}");
}

/* ---- beginning and end ---- */

brink_status brink_comparison_run(brink_run *run) {
  if (run->choice.against == BRINK_AUTO || run->sim == NULL) return BRINK_OK;
  brink_comparison *a = brink_arena_take(&run->arena, 1, sizeof *a);
  if (a == NULL) return BRINK_ERR_MEMORY;
  *a = (brink_comparison){.options = run->options.sim};
  a->options.method = run->choice.against;
  a->options.step = run->choice.against_step;
  a->options.order = 0;
  a->options.hmin = brink_default_options().hmin; /* limits are the run's */
  a->options.hmax = brink_default_options().hmax;
  run->comparison = a;
  brink_status status = follow_all(run, a);
  if (status == BRINK_OK && !compare(run, a)) status = BRINK_ERR_MEMORY;
  if (status != BRINK_OK) return status;
  write_json(run, a);
  run->journal.failed = run->journal.failed || a->json.failed;
  run->summary.against = a->json.data;
  return BRINK_OK;
}

void brink_comparison_free(brink_run *run) {
  if (run->comparison != NULL) brink_text_free(&run->comparison->json);
  run->comparison = NULL;
}
