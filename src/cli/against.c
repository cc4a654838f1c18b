/* against.c: brink condition --against: the events of another method, compared with those of the run.
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

#include "cli/colour.h"
#include "cli/progress.h"
#include "cli/run.h"

#define COARSER 10.0       /* tolerances of the second run */
#define STEPS_AT_A_TIME 64 /* between two looks at signals */
enum {
  EVENTS = 10000, /* of a run, that are compared */
  LINES = 20      /* differences that a person is shown */
};

typedef struct occurrence {
  double t;
  uint32_t flag;
  size_t index, count; /* which instance of the flag; how many such events came before */
  brink_direction direction;
} occurrence;

/* What one method finds. */
typedef struct findings {
  cli_simulation *run;
  brink_instance *instance;
  occurrence *events;
  size_t nevents, capacity;
  bool more;     /* than are compared */
  bool failed;   /* memory ran out */
  double end;    /* time */
  bool complete; /* it did not fail before that */
} findings;

typedef struct difference {
  const occurrence *here, *there; /* NULL: it has none */
  double error_here, error_there; /* INFINITY: the coarser run has no such event */
} difference;

struct cli_against {
  brink_options options;       /* of the other method */
  findings fine[2], coarse[2]; /* the model's own method, the other one */
  difference *differences;
  size_t ndifferences, capacity, nagreeing;
  brink_text json;
};

/* ---- running ---- */

static size_t count_before(const findings *f, uint32_t flag, size_t index,
                           brink_direction direction) {
  for (size_t k = f->nevents; k-- > 0;) {
    const occurrence *e = &f->events[k];
    if (e->flag == flag && e->index == index && e->direction == direction) return e->count + 1;
  }
  return 0;
}

static int keep_event(const brink_event_record *record, void *user) {
  findings *f = user;
  occurrence e = {.t = record->event.t, .direction = record->event.direction};
  brink_instance_flag(f->instance, record->event.guard, &e.flag, &e.index);
  if (!brink_journal_wants(f->run->loaded.system, e.flag, e.direction)) return 0;
  if (f->nevents >= EVENTS) {
    f->more = true;
    return 1;
  }
  if (!brink_arena_grow(&f->run->arena, (void **)&f->events, f->nevents, &f->capacity,
                        sizeof *f->events)) {
    f->failed = true;
    return 1;
  }
  e.count = count_before(f, e.flag, e.index, e.direction);
  f->events[f->nevents++] = e;
  return 0;
}

static brink_status follow(findings *f, const brink_options *options) {
  cli_simulation *run = f->run;
  const cli_settings *settings = &run->settings;
  brink_sim *sim = NULL;
  brink_instance_options wishes = {
      .interpret = settings->interpret,
      .rtol = options->rtol,
      .atol = options->atol,
      .seed = settings->seed,
      .inputs = run->loaded.input.path != NULL ? &run->loaded.input.table : NULL,
      .range_warns = settings->range_warns,
      .wants_flow_jet = options->method == BRINK_TAYLOR,
      .flow_order = options->order};
  brink_status status =
      brink_instance_create(run->loaded.system, &wishes, NULL, &run->diag, &f->instance);
  if (status == BRINK_OK)
    status = brink_sim_create(brink_instance_model(f->instance), options, NULL, &run->diag, &sim);
  if (status == BRINK_OK) {
    brink_sim_set_sink(sim, &(brink_sink){.event = keep_event, .user = f});
    do status = brink_sim_run(sim, settings->until, NULL);
    while (status == BRINK_ERR_WORK && cli_interrupt_signal() == 0);
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
  if (options.method > BRINK_DOPRI) {
    options.step *= 2.0;
  } else {
    options.rtol *= COARSER;
    options.atol *= COARSER;
  }
  return options;
}

/* The run's own method, which `auto` has chosen by now, and the other one. */
static brink_status follow_all(cli_simulation *run, cli_against *a) {
  brink_options options[2] = {run->settings.options, a->options};
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

static const occurrence *same_in(const findings *f, const occurrence *e) {
  for (size_t k = 0; k < f->nevents; k++) {
    const occurrence *other = &f->events[k];
    if (other->flag == e->flag && other->index == e->index && other->direction == e->direction &&
        other->count == e->count)
      return other;
  }
  return NULL;
}

/* How far an event moves when the method is coarser; no less than the tolerances, within which surfaces are found,
 * and than what time resolves. */
static double error_of(const findings *coarse, const occurrence *e) {
  const occurrence *moved = e != NULL ? same_in(coarse, e) : NULL;
  if (moved == NULL) return (double)INFINITY;
  const brink_options *options = &coarse->run->settings.options;
  double least = fmax(options->rtol, 64.0 * DBL_EPSILON) * fabs(e->t) + options->atol;
  return fmax(fabs(moved->t - e->t), least);
}

static bool keep_difference(cli_simulation *run, cli_against *a, difference d) {
  if (!brink_arena_grow(&run->arena, (void **)&a->differences, a->ndifferences, &a->capacity,
                        sizeof *a->differences))
    return false;
  a->differences[a->ndifferences++] = d;
  return true;
}

static bool compare(cli_simulation *run, cli_against *a) {
  const findings *here = &a->fine[0], *there = &a->fine[1];
  double end = fmin(here->complete ? (double)INFINITY : here->end,
                    there->complete ? (double)INFINITY : there->end);
  for (size_t k = 0; k < here->nevents; k++) {
    difference d = {.here = &here->events[k], .there = same_in(there, &here->events[k])};
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
    const occurrence *e = &there->events[k];
    if (e->t >= end || same_in(here, e) != NULL) continue;
    difference d = {
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

static double apart(const difference *d) {
  bool both = d->here != NULL && d->there != NULL;
  return both ? fabs(d->here->t - d->there->t) : (double)INFINITY;
}

static void name_of(const cli_simulation *run, const difference *d, brink_text *name) {
  const occurrence *e = d->here != NULL ? d->here : d->there;
  brink_system_flag_name(run->loaded.system, e->flag, e->index, name);
}

static void write_json(const cli_simulation *run, cli_against *a) {
  brink_text *text = &a->json;
  brink_text_add(text, "{\"method\":\"%s\"", brink_method_name(a->options.method));
  real_or_null(text, "step", a->options.step > 0.0 ? a->options.step : (double)NAN);
  brink_text_add(text, ",\"complete\":%s,\"agree\":%zu,\"differ\":[",
                 a->fine[1].complete ? "true" : "false", a->nagreeing);
  for (size_t k = 0; k < a->ndifferences; k++) {
    const difference *d = &a->differences[k];
    brink_text name = {0};
    name_of(run, d, &name);
    brink_text_add(text, "%s\n   {\"flag\":", k > 0 ? "," : "");
    brink_json_string(text, name.data != NULL ? name.data : "");
    real_or_null(text, "t", d->here != NULL ? d->here->t : (double)NAN);
    real_or_null(text, "other", d->there != NULL ? d->there->t : (double)NAN);
    real_or_null(text, "error", d->error_here);
    real_or_null(text, "other_error", d->error_there);
    real_or_null(text, "off", 0.5 * apart(d));
    brink_text_add(text, "}");
    text->failed = text->failed || name.failed;
    brink_text_free(&name);
  }
  brink_text_add(text, "]}");
}

/* ---- in words ---- */

static void tell_error(double error, const char *whose, brink_text *text) {
  if (isfinite(error))
    brink_text_add(text, "%.2g", error);
  else
    brink_text_add(text, "unknown (%s coarser run has no such event)", whose);
}

static void tell_difference(const cli_simulation *run, const difference *d, const char *method,
                            brink_text *text) {
  brink_text name = {0};
  name_of(run, d, &name);
  brink_text_add(text, "  %s: ", name.data != NULL ? name.data : "");
  if (d->there == NULL)
    brink_text_add(text, "t = %.10g, which %s does not have\n", d->here->t, method);
  else if (d->here == NULL)
    brink_text_add(text, "%s alone has it, at t = %.10g\n", method, d->there->t);
  else {
    brink_text_add(text, "t = %.10g, by %s %.10g; errors ", d->here->t, method, d->there->t);
    tell_error(d->error_here, "its", text);
    brink_text_add(text, " and ");
    tell_error(d->error_there, "its", text);
    brink_text_add(text, ": at least one is off by %.2g\n", 0.5 * apart(d));
  }
  text->failed = text->failed || name.failed;
  brink_text_free(&name);
}

void cli_against_tell(const cli_simulation *run, const cli_colours *c, brink_text *text) {
  const cli_against *a = run->against;
  if (a == NULL) return;
  const char *method = brink_method_name(a->options.method);
  size_t n = a->ndifferences;
  brink_text_add(text, "\n%sagainst %s%s", c->bold, method, c->plain);
  if (a->options.step > 0.0) brink_text_add(text, ", step %g", a->options.step);
  brink_text_add(text, ": %zu event%s within both errors, %zu not\n", a->nagreeing,
                 a->nagreeing == 1 ? "" : "s", n);
  for (size_t k = 0; k < n && k < LINES; k++)
    tell_difference(run, &a->differences[k], method, text);
  if (n > LINES) brink_text_add(text, "  and %zu more: --json has all of them\n", n - LINES);
  for (int k = 0; k < 2; k++) {
    if (!a->fine[k].complete)
      brink_text_add(text, "  compared until t = %.10g, where %s ends\n", a->fine[k].end,
                     k == 1 ? method : "the run");
  }
}

/* ---- beginning and end ---- */

brink_status cli_against_run(cli_simulation *run) {
  if (run->settings.against == BRINK_AUTO || run->sim == NULL) return BRINK_OK;
  cli_against *a = brink_arena_take(&run->arena, 1, sizeof *a);
  if (a == NULL) return BRINK_ERR_MEMORY;
  *a = (cli_against){.options = run->settings.options};
  a->options.method = run->settings.against;
  a->options.step = run->settings.against_step;
  a->options.order = 0;
  a->options.hmin = brink_default_options().hmin; /* limits are the run's */
  a->options.hmax = brink_default_options().hmax;
  run->against = a;
  brink_status status = follow_all(run, a);
  if (status == BRINK_OK && !compare(run, a)) status = BRINK_ERR_MEMORY;
  if (status != BRINK_OK) return status;
  write_json(run, a);
  run->journal.failed = run->journal.failed || a->json.failed;
  run->summary.against = a->json.data;
  return BRINK_OK;
}

void cli_against_free(cli_simulation *run) {
  if (run->against != NULL) brink_text_free(&run->against->json);
  run->against = NULL;
}
