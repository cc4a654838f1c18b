/* slopes.c: derivatives of outcomes by the knobs.
 *
 * An outcome is an expression (sweep/measure.h) of values at the end, at the start, just before and just after events, and of times
 * of events. Its derivative follows from those of the run (<brink/sensitivity.h>) by the chain rule, term by term, for one knob
 * at a time:
 *
 *     x, final(x)          the derivative at the end; where an event ends the run, it moves with that
 *     initial(x)           that at the start
 *     first(e), last(e)    dT of the event
 *     at(e, x), after(…)   M- + f- dT, M+ + f+ dT of states
 *
 * Extremes and means over time, counts and condition numbers are not differentiated, nor are values at events that
 * equations compute: whoever asks for these is searched for by comparing values. Which event is the first or the last one may
 * change with the knobs: there the outcome jumps, and the derivative is of this side of it. */
#include <math.h>
#include <string.h>

#include "fit/design_parts.h"

/* ---- is there a derivative? ---- */

static const char *why_not(const brink_measures *m, const brink_term *term, bool inner) {
  const char *found = NULL;
  if (term == NULL) return NULL;
  if (term->op == BRINK_TERM_CALL && (term->function == floor || term->function == ceil))
    return "numbers are rounded in it";
  if (term->op == BRINK_TERM_GAUGE && !inner) {
    const brink_gauge *gauge = &m->gauges[term->index];
    switch (gauge->kind) {
    case BRINK_GAUGE_MIN:
    case BRINK_GAUGE_MAX:
      return "the least and the largest value over time have corners";
    case BRINK_GAUGE_MEAN:
      return "means over time are not differentiated";
    case BRINK_GAUGE_COUNT:
      return "a number of events does not change, or jumps";
    case BRINK_GAUGE_CONDITION:
      return "condition numbers are not differentiated";
    default:
      return why_not(m, gauge->inner, true);
    }
  }
  found = why_not(m, term->a, inner);
  return found != NULL ? found : why_not(m, term->b, inner);
}

static bool is_knob(const brink_fit *fit, const char *name) {
  for (size_t k = 0; k < fit->n; k++)
    if (strcmp(fit->names[k], name) == 0) return true;
  return false;
}

/* Does something at an event read this name? */
static bool is_read_at_event(const brink_measures *m, const brink_term *term, size_t name,
                             bool at_event) {
  if (term == NULL) return false;
  if (term->op == BRINK_TERM_READ) return at_event && term->index == name;
  if (term->op == BRINK_TERM_GAUGE) {
    const brink_gauge *gauge = &m->gauges[term->index];
    bool there = gauge->kind == BRINK_GAUGE_AT || gauge->kind == BRINK_GAUGE_AFTER;
    return is_read_at_event(m, gauge->inner, name, there);
  }
  return is_read_at_event(m, term->a, name, at_event) ||
         is_read_at_event(m, term->b, name, at_event);
}

/* What is read must be a state, a knob, or, away from events, what equations compute. */
static const char *why_not_name(brink_fit *fit, const brink_run *run, size_t name) {
  const brink_measures *m = &fit->measures;
  brink_value found;
  brink_diag diag;
  if (is_knob(fit, m->names[name])) return NULL;
  if (brink_run_find(run, m->names[name], &found, &diag) != BRINK_OK) return NULL; /* told later */
  brink_variable_kind kind = run->system->variables[found.variable].kind;
  bool computed = kind == BRINK_VARIABLE_OUTPUT || kind == BRINK_VARIABLE_AUXILIARY;
  bool at_event = false;
  for (size_t k = 0; k < m->count; k++)
    at_event = at_event || is_read_at_event(m, m->measures[k].root, name, false);
  if (kind == BRINK_VARIABLE_STATE || (computed && !at_event)) return NULL;
  brink_text text = {0};
  brink_text_add(&text,
                 computed ? "at events only states are differentiated, and '%s' is computed"
                          : "'%s' is neither a state, nor an output, nor a knob",
                 m->names[name]);
  const char *words = text.failed ? NULL : brink_arena_text(&fit->solution, text.data);
  brink_text_free(&text);
  return words != NULL ? words : "out of memory";
}

const char *brink_slopes_missing(brink_fit *fit) {
  const brink_measures *m = &fit->measures;
  const char *found = fit->differentiable ? NULL : fit->not_different;
  for (size_t k = 0; k < m->count && found == NULL; k++)
    found = why_not(m, m->measures[k].root, false);
  brink_run *run = NULL;
  brink_diag diag;
  if (found != NULL || brink_run_create(fit->model, &fit->options, NULL, &diag, &run) != BRINK_OK)
    return found;
  for (size_t k = 0; k < m->nnames && found == NULL; k++) found = why_not_name(fit, run, k);
  brink_run_destroy(run);
  return found;
}

/* ---- terms ---- */

static double slope_abs(double x) {
  return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : (double)NAN;
}
static double slope_sqrt(double x) {
  return 0.5 / sqrt(x);
}
static double slope_log(double x) {
  return 1.0 / x;
}
static double slope_log10(double x) {
  return 1.0 / (x * 2.302585092994046); /* log 10 */
}
static double slope_cos(double x) {
  return -sin(x);
}
static double slope_tan(double x) {
  return 1.0 + tan(x) * tan(x);
}
static double slope_asin(double x) {
  return 1.0 / sqrt(1.0 - x * x);
}
static double slope_acos(double x) {
  return -slope_asin(x);
}
static double slope_atan(double x) {
  return 1.0 / (1.0 + x * x);
}
static double slope_tanh(double x) {
  return 1.0 - tanh(x) * tanh(x);
}

static double slope_of_call(double (*function)(double), double x) {
  static const struct {
    double (*function)(double), (*slope)(double);
  } known[] = {{fabs, slope_abs},    {sqrt, slope_sqrt}, {exp, exp},         {log, slope_log},
               {log10, slope_log10}, {sin, cos},         {cos, slope_cos},   {tan, slope_tan},
               {asin, slope_asin},   {acos, slope_acos}, {atan, slope_atan}, {sinh, cosh},
               {cosh, sinh},         {tanh, slope_tanh}};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
    if (known[k].function == function) return known[k].slope(x);
  return (double)NAN;
}

/* Where a term has its value, and how that moves. */
typedef struct point {
  const double *reads, *dreads;
  double t, dt;
  const double *gauges, *dgauges;
} point;

/* d(a^b); a may be negative where b is a fixed number. */
static double slope_of_power(double a, double b, double da, double db) {
  double slope = da == 0.0 ? 0.0 : b * pow(a, b - 1.0) * da;
  return db == 0.0 ? slope : slope + log(a) * pow(a, b) * db;
}

/* Which of the two counts; where they are equal, both must move alike. */
static double slope_of_choice(double a, double b, double da, double db, bool least) {
  if (a == b) return da == db ? da : (double)NAN;
  return (a < b) == least ? da : db;
}

static double slope_of(const brink_term *term, const point *p) {
  double a = term->a != NULL ? brink_term_value(term->a, p->reads, p->t, p->gauges) : 0.0;
  double b = term->b != NULL ? brink_term_value(term->b, p->reads, p->t, p->gauges) : 0.0;
  double da = term->a != NULL ? slope_of(term->a, p) : 0.0;
  double db = term->b != NULL ? slope_of(term->b, p) : 0.0;
  switch (term->op) {
  case BRINK_TERM_NUMBER:
    return 0.0;
  case BRINK_TERM_READ:
    return p->dreads[term->index];
  case BRINK_TERM_TIME:
    return p->dt;
  case BRINK_TERM_GAUGE:
    return p->dgauges[term->index];
  case BRINK_TERM_NEGATE:
    return -da;
  case BRINK_TERM_ADD:
    return da + db;
  case BRINK_TERM_SUBTRACT:
    return da - db;
  case BRINK_TERM_MULTIPLY:
    return da * b + a * db;
  case BRINK_TERM_DIVIDE:
    return (da - a / b * db) / b;
  case BRINK_TERM_POWER:
    return slope_of_power(a, b, da, db);
  case BRINK_TERM_LEAST:
  case BRINK_TERM_LARGEST:
    return slope_of_choice(a, b, da, db, term->op == BRINK_TERM_LEAST);
  case BRINK_TERM_CALL:
    return slope_of_call(term->function, a) * da;
  }
  return (double)NAN;
}

/* ---- what is followed for them ---- */

/* The gauge of a single value at the same place. BRINK_NONE: there is none. */
static size_t gauge_of_read(const brink_measures *m, const brink_gauge *like, size_t read) {
  for (size_t k = 0; k < m->ngauges; k++) {
    const brink_gauge *g = &m->gauges[k];
    if (g->kind == like->kind && g->flag == like->flag && g->inner != NULL &&
        g->inner->op == BRINK_TERM_READ && g->inner->index == read)
      return k;
  }
  return BRINK_NONE;
}

static bool add_reads(brink_measures *m, brink_gauge like, const brink_term *inner) {
  if (inner == NULL) return true;
  if (inner->op == BRINK_TERM_READ && gauge_of_read(m, &like, inner->index) == BRINK_NONE) {
    like.inner = inner;
    brink_gauge *made = brink_arena_push(m->arena, m->gauges, m->ngauges, m->gauges_capacity);
    if (made == NULL) return false;
    *made = like;
  }
  return add_reads(m, like, inner->a) && add_reads(m, like, inner->b);
}

static bool is_at_a_place(brink_gauge_kind kind) {
  return kind == BRINK_GAUGE_AT || kind == BRINK_GAUGE_AFTER || kind == BRINK_GAUGE_INITIAL;
}

/* Names that are recorded, so that they have derivatives: those of the expressions that are columns. */
static bool choose_columns(brink_fit *fit) {
  const brink_measures *m = &fit->measures;
  brink_text text = {0};
  brink_run *run = NULL;
  brink_diag diag;
  fit->keep = NULL;
  if (brink_run_create(fit->model, &fit->options, NULL, &diag, &run) != BRINK_OK) return true;
  for (size_t k = 0; k < m->nnames; k++)
    if (brink_run_keep(run, m->names[k], &diag) == BRINK_OK)
      brink_text_add(&text, "%s%s", text.length > 0 ? ", " : "", m->names[k]);
  brink_run_destroy(run);
  if (text.length > 0) fit->keep = brink_arena_text(&fit->solution, text.data);
  bool fine = !text.failed && (text.length == 0 || fit->keep != NULL);
  brink_text_free(&text);
  return fine;
}

bool brink_slopes_prepare(brink_fit *fit) {
  brink_measures *m = &fit->measures;
  size_t given = m->ngauges;
  for (size_t k = 0; k < given; k++) {
    brink_gauge gauge = m->gauges[k];
    if (is_at_a_place(gauge.kind) && !add_reads(m, gauge, gauge.inner)) return false;
  }
  return choose_columns(fit);
}

bool brink_slopes_make(const brink_fit *fit, brink_arena *arena, brink_slopes *s) {
  const brink_measures *m = &fit->measures;
  *s = (brink_slopes){.measures = m,
                      .first = brink_arena_take(arena, m->nflags + 1, sizeof(size_t)),
                      .last = brink_arena_take(arena, m->nflags + 1, sizeof(size_t)),
                      .seen = brink_arena_take(arena, m->nflags + 1, sizeof(uint64_t)),
                      .reads = brink_arena_take(arena, m->nnames, sizeof(double)),
                      .dreads = brink_arena_take(arena, m->nnames, sizeof(double)),
                      .final = brink_arena_take(arena, m->nnames, sizeof(double)),
                      .dgauges = brink_arena_take(arena, m->ngauges, sizeof(double))};
  return !arena->failed;
}

/* ---- events ---- */

static uint64_t count_of(const brink_probe *probe, size_t flag) {
  return flag < probe->measures->nflags ? probe->flags[flag].count : probe->all.count;
}

/* The probe counts events of flags; which of the run they are is seen by that. */
static void on_logged(const brink_logged_event *logged, void *user) {
  brink_slopes *s = user;
  s->next(logged, s->next_user);
  for (size_t k = 0; k <= s->measures->nflags; k++) {
    uint64_t count = count_of(s->probe, k);
    if (count == s->seen[k]) continue;
    s->seen[k] = count;
    if (s->first[k] == BRINK_NONE) s->first[k] = s->nevents;
    s->last[k] = s->nevents;
  }
  s->nevents++;
}

brink_status brink_slopes_begin(brink_slopes *s, const brink_fit *fit, brink_probe *probe,
                                brink_run *run, brink_diag *diag) {
  s->probe = probe;
  s->nevents = 0;
  for (size_t k = 0; k <= s->measures->nflags; k++) {
    s->first[k] = s->last[k] = BRINK_NONE;
    s->seen[k] = 0;
  }
  s->next = run->choice.logged;
  s->next_user = run->choice.logged_user;
  run->choice.logged = on_logged;
  run->choice.logged_user = s;
  brink_status status = fit->keep != NULL ? brink_run_keep(run, fit->keep, diag) : BRINK_OK;
  return status == BRINK_OK ? brink_run_keep_sensitivity(run, fit->names, fit->n, diag) : status;
}

/* ---- the derivatives ---- */

typedef struct differentiation {
  const brink_fit *fit;
  brink_slopes *s;
  brink_run *run;
  brink_run_sensitivity slopes;
  size_t knob;
  bool moved_end; /* an event has ended the run */
} differentiation;

/* A knob that is no state is itself wherever it is read. NaN: it is something else. */
static double slope_of_knob(const differentiation *d, const char *name) {
  for (size_t k = 0; k < d->fit->n; k++)
    if (strcmp(d->fit->names[k], name) == 0) return k == d->knob ? 1.0 : 0.0;
  return (double)NAN;
}

/* From rows of states and of outputs; the latter may be NULL. */
static double pick(const differentiation *d, const char *name, const double *x, const double *y) {
  const brink_run_sensitivity *s = &d->slopes;
  for (size_t k = 0; k < s->nstates; k++)
    if (strcmp(s->states[k], name) == 0)
      return x != NULL ? x[k * s->ndirections + d->knob] : (double)NAN;
  for (size_t k = 0; k < s->noutputs; k++)
    if (strcmp(s->outputs[k], name) == 0)
      return y != NULL ? y[k * s->ndirections + d->knob] : (double)NAN;
  return slope_of_knob(d, name);
}

static void pick_all(const differentiation *d, const double *x, const double *y, double *to) {
  const brink_measures *m = d->s->measures;
  for (size_t k = 0; k < m->nnames; k++) to[k] = pick(d, m->names[k], x, y);
}

static double slope_of_time(const differentiation *d, size_t event) {
  return event < d->slopes.nevents ? d->slopes.event_time[event * d->slopes.ndirections + d->knob]
                                   : (double)NAN;
}

/* The values of the names where a gauge is, as far as its expression reads them. */
static void read_there(const brink_slopes *s, const brink_gauge *gauge) {
  for (size_t k = 0; k < s->measures->nnames; k++) {
    size_t own = gauge_of_read(s->measures, gauge, k);
    s->reads[k] = own != BRINK_NONE ? s->probe->results[own] : (double)NAN;
  }
}

static double slope_at_event(const differentiation *d, const brink_gauge *gauge) {
  const brink_slopes *s = d->s;
  size_t event = s->first[gauge->flag];
  const double *x = event != BRINK_NONE
                        ? brink_run_event_slopes(d->run, event, gauge->kind == BRINK_GAUGE_AFTER)
                        : NULL;
  if (x == NULL) return (double)NAN;
  read_there(s, gauge);
  pick_all(d, x, NULL, s->dreads);
  return slope_of(gauge->inner, &(point){.reads = s->reads,
                                         .dreads = s->dreads,
                                         .t = s->probe->flags[gauge->flag].first,
                                         .dt = slope_of_time(d, event)});
}

static double slope_at_start(const differentiation *d, const brink_gauge *gauge) {
  const brink_slopes *s = d->s;
  read_there(s, gauge);
  pick_all(d, d->slopes.dx, d->slopes.dy, s->dreads); /* the first row */
  return slope_of(gauge->inner,
                  &(point){.reads = s->reads, .dreads = s->dreads, .t = s->probe->start});
}

static double slope_of_gauge(const differentiation *d, const brink_gauge *gauge,
                             const point *final) {
  const brink_slopes *s = d->s;
  size_t flag = gauge->flag != BRINK_NONE ? gauge->flag : s->measures->nflags;
  switch (gauge->kind) {
  case BRINK_GAUGE_FINAL:
    return slope_of(gauge->inner, final);
  case BRINK_GAUGE_INITIAL:
    return slope_at_start(d, gauge);
  case BRINK_GAUGE_AT:
  case BRINK_GAUGE_AFTER:
    return slope_at_event(d, gauge);
  case BRINK_GAUGE_FIRST:
    return slope_of_time(d, s->first[flag]);
  case BRINK_GAUGE_LAST:
    return slope_of_time(d, s->last[flag]);
  default:
    return (double)NAN;
  }
}

/* Of all measures by one knob; false: one has none. */
static bool differentiate(const differentiation *d, double *slopes) {
  const brink_slopes *s = d->s;
  const brink_measures *m = s->measures;
  bool fine = true;
  pick_all(d, d->slopes.end, d->slopes.end_y, s->final);
  point final = {.reads = s->probe->final,
                 .dreads = s->final,
                 .t = s->probe->end,
                 .dt = d->moved_end ? slope_of_time(d, d->slopes.nevents - 1) : 0.0,
                 .gauges = s->probe->results,
                 .dgauges = s->dgauges};
  for (size_t k = 0; k < m->ngauges; k++) s->dgauges[k] = slope_of_gauge(d, &m->gauges[k], &final);
  for (size_t k = 0; k < m->count; k++) {
    slopes[k * d->fit->n + d->knob] = slope_of(m->measures[k].root, &final);
    fine = fine && isfinite(slopes[k * d->fit->n + d->knob]);
  }
  return fine;
}

brink_status brink_slopes_find(brink_slopes *s, const brink_fit *fit, brink_run *run,
                               bool moved_end, double *slopes, bool *found, unsigned *limits,
                               brink_diag *diag) {
  differentiation d = {.fit = fit, .s = s, .run = run, .moved_end = moved_end};
  *found = false;
  brink_status status = brink_run_get_sensitivity(run, &d.slopes, diag);
  if (status != BRINK_OK) return status;
  *limits = d.slopes.limits;
  d.moved_end = moved_end && d.slopes.nevents > 0;
  bool fine = (*limits & BRINK_FIT_UNSOUND) == 0;
  for (d.knob = 0; d.knob < fit->n; d.knob++) fine = differentiate(&d, slopes) && fine;
  *found = fine;
  return BRINK_OK;
}
