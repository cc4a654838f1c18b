/* runner.c: run a problem, collect what the sink receives, compare with the table. */
#include "support/runner.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------ running ---- */

brink_options run_options(brink_method method, brink_events events, double rtol) {
  brink_options options = brink_default_options();
  options.method = method;
  options.events = events;
  options.rtol = rtol;
  options.atol = rtol / 1000;
  options.audit = true;
  options.max_steps = 1000000; /* a run that needs more has gone astray */
  return options;
}

double run_random(uint64_t *state) {
  /* splitmix64 (Steele, Lea & Flood 2014) */
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Records point into the model, which does not outlive the run: names are taken from the table. */
typedef struct collector {
  run_result *result;
  const brink_model_def *def;
} collector;

static int keep_step(const brink_step_record *record, void *user) {
  (void)record;
  ((collector *)user)->result->nsteps++;
  return 0;
}

static int keep_event(const brink_event_record *record, void *user) {
  collector *c = user;
  run_result *r = c->result;
  if (r->nevents < RUN_EVENTS) {
    run_event *e = &r->events[r->nevents];
    e->event = record->event;
    e->event.name = c->def->guards[record->event.guard].name;
    memcpy(e->before, record->x_before, c->def->nx * sizeof(double));
    memcpy(e->after, record->x_after, c->def->nx * sizeof(double));
    for (size_t i = 0; i < c->def->nmodes; i++) e->mode_before[i] = record->mode_before[i];
  }
  r->nevents++;
  return 0;
}

static int keep_miss(const brink_near_miss *record, void *user) {
  collector *c = user;
  run_result *r = c->result;
  if (r->nmisses < RUN_MISSES) {
    r->misses[r->nmisses] = *record;
    r->misses[r->nmisses].name = c->def->guards[record->guard].name;
  }
  r->nmisses++;
  return 0;
}

static int keep_slide(const brink_slide_record *record, void *user) {
  collector *c = user;
  run_result *r = c->result;
  if (r->nslides < RUN_SLIDES) {
    r->slides[r->nslides] = *record;
    r->slides[r->nslides].name = c->def->guards[record->guard].name;
  }
  r->nslides++;
  return 0;
}

static void run(const problem *p, const brink_model_def *given, const brink_options *options,
                const double *times, size_t ntimes, run_result *r) {
  problem_probe probe;
  brink_model_def def = problem_model(p, &probe);
  if (given != NULL) {
    def = *given;
    def.user = &probe;
  }
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  memset(r, 0, sizeof *r);
  r->status = brink_model_create(&def, NULL, &r->diag, &model);
  if (r->status == BRINK_OK) r->status = brink_sim_create(model, options, NULL, &r->diag, &sim);
  if (r->status != BRINK_OK) goto cleanup;

  collector c = {.result = r, .def = &def};
  brink_sink sink = {.step = keep_step,
                     .event = keep_event,
                     .near_miss = keep_miss,
                     .slide = keep_slide,
                     .user = &c};
  brink_sim_set_sink(sim, &sink);
  double out[RUN_SAMPLES * PROBLEM_STATES];
  if (ntimes > 0) {
    r->status = brink_sim_sample(sim, times, ntimes, out, &r->nsamples, &r->diag);
    for (size_t k = 0; k < r->nsamples; k++)
      memcpy(r->samples[k], out + k * def.nx, def.nx * sizeof(double));
  }
  if (r->status >= 0 && r->status != BRINK_STOPPED)
    r->status = brink_sim_run(sim, p->t_end, &r->diag);
  r->t = brink_sim_time(sim);
  memcpy(r->x, brink_sim_state(sim), def.nx * sizeof(double));
  r->stats = *brink_sim_stats(sim);
  r->outside = probe.outside;
cleanup:
  brink_sim_destroy(sim);
  brink_model_destroy(model);
}

void run_problem(const problem *p, const brink_model_def *def, const brink_options *options,
                 run_result *result) {
  run(p, def, options, NULL, 0, result);
}

void run_sampled(const problem *p, const brink_options *options, run_result *result) {
  double times[RUN_SAMPLES];
  size_t count = run_times(p, times);
  run(p, NULL, options, times, count, result);
}

/* The next expected event or near miss after `from`; t_end if there is none. */
static double next_mark(const problem *p, double from) {
  double resolution = 1e-9 * (p->t_end - p->def->t0), next = p->t_end;
  for (size_t k = 0; k < p->nevents; k++)
    if (p->events[k].t > from + resolution) next = fmin(next, p->events[k].t);
  for (size_t k = 0; k < p->nmisses; k++)
    if (p->misses[k].t > from + resolution) next = fmin(next, p->misses[k].t);
  return next;
}

/* At most 0.97 of the way to the next mark, as a run may be early; and the end. */
size_t run_times(const problem *p, double *times) {
  static const double part[] = {0.1, 0.3, 0.5, 0.7, 0.9, 0.97};
  size_t count = 0;
  bool ends = p->nevents > 0 && (p->status == BRINK_STOPPED || p->accumulation > 0);
  double from = p->def->t0, last = ends ? p->events[p->nevents - 1].t : p->t_end;
  while (from < last) {
    double to = next_mark(p, from);
    for (size_t i = 0; i < sizeof part / sizeof part[0] && count + 1 < RUN_SAMPLES; i++)
      times[count++] = from + part[i] * (to - from);
    from = to;
  }
  if (count < RUN_SAMPLES) times[count++] = p->t_end;
  return count;
}

/* --------------------------------------------------------------- measuring guards ---- */

static size_t find_guard(const problem *p, const char *name) {
  for (size_t i = 0; i < p->def->nguards; i++)
    if (strcmp(p->def->guards[i].name, name) == 0) return i;
  return BRINK_NONE;
}

static double guard_value(const problem *p, size_t guard, double t, const double *x);

/* OR is the larger, AND the smaller of two values. */
static double formula_value(const problem *p, const brink_guard_def *g, double t, const double *x) {
  double stack[16];
  size_t top = 0;
  for (size_t k = 0; k < g->formula_length; k++) {
    int op = g->formula[k];
    if (op >= 0) {
      stack[top++] = guard_value(p, (size_t)op, t, x);
    } else if (op == BRINK_NOT) {
      stack[top - 1] = -stack[top - 1];
    } else {
      top--;
      double a = stack[top - 1], b = stack[top];
      stack[top - 1] = op == BRINK_AND ? fmin(a, b) : fmax(a, b);
    }
  }
  return stack[0];
}

/* With the initial parameters: good for differences. */
static double guard_value(const problem *p, size_t guard, double t, const double *x) {
  const brink_guard_def *g = &p->def->guards[guard];
  if (g->formula != NULL) return formula_value(p, g, t, x);
  double value = g->offset + g->time_coefficient * t;
  if (g->coefficients != NULL) {
    size_t count = g->depends != NULL ? g->ndepends : p->def->nx;
    for (size_t k = 0; k < count; k++)
      value += g->coefficients[k] * x[g->depends != NULL ? g->depends[k] : k];
    return value;
  }
  brink_env env = {.p = p->p0 != NULL ? p->p0 : p->def->p0};
  g->value(guard, t, x, &env, &value);
  return value;
}

/* What the tolerances amount to in a guard: sum |dg/dx_i| (rtol |x_i| + atol), by differences. */
static double guard_tolerance(const problem *p, size_t guard, double t, const double *x,
                              double rtol, double atol) {
  double sum = 0, y[PROBLEM_STATES];
  memcpy(y, x, p->def->nx * sizeof(double));
  for (size_t i = 0; i < p->def->nx; i++) {
    double h = 1e-6 * (1 + fabs(x[i]));
    y[i] = x[i] + h;
    double right = guard_value(p, guard, t, y);
    y[i] = x[i] - h;
    double left = guard_value(p, guard, t, y);
    y[i] = x[i];
    sum += fabs(right - left) / (2 * h) * (rtol * fabs(x[i]) + atol);
  }
  return sum;
}

/* ------------------------------------------------------------------------ judging ---- */

typedef struct judge {
  const problem *p;
  const brink_options *options;
  const run_result *run, *reference;
  double times[RUN_SAMPLES];
  size_t ntimes;
  double late; /* what singular edges passed so far may have cost in time */
  run_verdict verdict;
} judge;

static bool fail(judge *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(judge *j, const char *format, ...) {
  if (!j->verdict.ok) return false;
  j->verdict.ok = false;
  va_list list;
  va_start(list, format);
  vsnprintf(j->verdict.message, sizeof j->verdict.message, format, list);
  va_end(list);
  return false;
}

static size_t sampled(const judge *j) {
  size_t n = j->run->nsamples < j->reference->nsamples ? j->run->nsamples : j->reference->nsamples;
  return n < j->ntimes ? n : j->ntimes;
}

/* The run's global error in a guard, up to a time. */
static double global_error(const judge *j, size_t guard, double t) {
  double worst = 0;
  for (size_t k = 0; k < sampled(j) && j->times[k] <= t; k++) {
    double a = guard_value(j->p, guard, j->times[k], j->run->samples[k]);
    double b = guard_value(j->p, guard, j->times[k], j->reference->samples[k]);
    worst = fmax(worst, fabs(a - b));
  }
  return worst;
}

/* The same in a state. */
static double state_error(const judge *j, size_t i, double t) {
  double worst = 0;
  for (size_t k = 0; k < sampled(j) && j->times[k] <= t; k++)
    worst = fmax(worst, fabs(j->run->samples[k][i] - j->reference->samples[k][i]));
  return worst;
}

/* Is every step exact, so that times do not depend on the tolerance? Not where an explicit
 * Runge-Kutta method keeps its distance from a surface without a polynomial to go by. */
static bool exact(const judge *j) {
  return (j->p->flags & PROBLEM_STRAIGHT) &&
         !(j->options->method == BRINK_DOPRI && j->options->events == BRINK_EXTRAPOLATE);
}

/* How exactly the guard can be known at an event: ten tolerances and ten global errors. */
static double guard_error(const judge *j, size_t guard, double t, const double *x) {
  double rounding = 1e-12 * guard_tolerance(j->p, guard, t, x, 1, 1e-3);
  if (exact(j)) return rounding;
  double tolerance = guard_tolerance(j->p, guard, t, x, j->options->rtol, j->options->atol);
  return 10 * (tolerance + global_error(j, guard, t)) + rounding;
}

/* At a singular edge the guard is as good as zero within this: the error shortly before the edge,
 * and the tolerance there of each of the some thirty steps that the edge takes. */
static double edge_error(const judge *j, size_t guard, double t) {
  double error = 0, tolerance = 0;
  for (size_t k = 0; k < sampled(j) && j->times[k] <= t; k++) {
    const double *x = j->run->samples[k], *y = j->reference->samples[k];
    error =
        fabs(guard_value(j->p, guard, j->times[k], x) - guard_value(j->p, guard, j->times[k], y));
    tolerance = guard_tolerance(j->p, guard, t, x, j->options->rtol, j->options->atol);
  }
  return 30 * (tolerance + error);
}

/* Ten times the global error, which decides what is shallow. */
static double shallow(const judge *j, size_t guard, double t, const double *x) {
  return 10 * global_error(j, guard, t) + 1e-14 * guard_tolerance(j->p, guard, t, x, 1, 1e-3);
}

/* The state on the reference path nearest before a time: good enough for scales. */
static const double *state_near(const judge *j, double t) {
  size_t k = 0;
  while (k + 1 < j->reference->nsamples && k + 1 < j->ntimes && j->times[k + 1] <= t) k++;
  return j->reference->nsamples > 0 ? j->reference->samples[k] : j->reference->x;
}

static bool reported_near(const judge *j, const char *guard, double t, double window) {
  for (size_t k = 0; k < j->run->nmisses && k < RUN_MISSES; k++)
    if (strcmp(j->run->misses[k].name, guard) == 0 && fabs(j->run->misses[k].t - t) <= window)
      return true;
  return false;
}

static void judge_states(judge *j, size_t k, const run_event *got, double bound) {
  const problem_event *want = &j->p->events[k];
  if (want->after == NULL) return;
  double dx[PROBLEM_STATES] = {0};
  signed char sgn[RUN_SIGNS];
  for (size_t g = 0; g < RUN_SIGNS; g++) sgn[g] = 1;
  problem_probe probe = {.problem = j->p};
  brink_env env = {.p = j->p->p0 != NULL ? j->p->p0 : j->p->def->p0,
                   .mode = got->mode_before,
                   .sgn = sgn,
                   .user = &probe};
  if (j->p->def->rhs(got->event.t, got->before, &env, dx) != 0) return;
  for (size_t i = 0; i < j->p->def->nx; i++) {
    if (isnan(want->after[i])) continue;
    double tolerance =
        10 * (j->options->rtol * (1 + fabs(want->after[i])) + state_error(j, i, want->t)) +
        2 * fabs(dx[i]) * bound;
    if (!(fabs(got->after[i] - want->after[i]) <= tolerance))
      fail(j, "event %zu (%s): state %zu is %.15g, expected %.15g within %.2g", k, want->guard, i,
           got->after[i], want->after[i], tolerance);
  }
}

/* One event against its expectation, once guard and direction agree. */
static void judge_event(judge *j, size_t k, size_t guard, const run_event *got) {
  const problem_event *want = &j->p->events[k];
  double error = guard_error(j, guard, fmin(want->t, got->event.t), got->before);
  double bound = error / want->rate * (want->depth > 0 ? 2 : 1);
  if (exact(j)) bound += 1e-10 * (j->p->t_end - j->p->def->t0);
  if (want->slack > 0) {
    double eta = edge_error(j, guard, fmin(want->t, got->event.t));
    j->late += want->slack * pow(eta, want->power);
  }
  bound += j->late + 8 * DBL_EPSILON * fabs(want->t);
  double off = fabs(got->event.t - want->t);
  j->verdict.worst_time = fmax(j->verdict.worst_time, off * want->rate);
  if (!(off <= bound))
    fail(j, "event %zu (%s): t = %.15g, expected %.15g within %.2g (off by %.2g)", k, want->guard,
         got->event.t, want->t, bound, got->event.t - want->t);
  if (j->p->def->guards[guard].side == BRINK_UNILATERAL && got->event.kind != BRINK_JUMPED &&
      (double)got->event.direction * got->event.value > 0)
    fail(j, "event %zu (%s): landed past the unilateral guard, value %g", k, want->guard,
         got->event.value);
  judge_states(j, k, got, bound);
}

/* Is event `got` the closest approach that the table calls a near miss, too shallow to tell? */
static bool is_shallow_miss(const judge *j, const run_event *got) {
  for (size_t k = 0; k < j->p->nmisses; k++) {
    const problem_miss *miss = &j->p->misses[k];
    if (strcmp(miss->guard, got->event.name) != 0) continue;
    size_t guard = find_guard(j->p, miss->guard);
    double until = fmin(miss->t, got->event.t);
    double error = guard_error(j, guard, until, got->before);
    if (miss->distance <= shallow(j, guard, until, got->before) &&
        fabs(got->event.t - miss->t) <= sqrt(2 * (miss->distance + error) / miss->curvature))
      return true;
  }
  return false;
}

/* Moves an event of the same instant and expectation to the front, where order is free. */
static void bring_forward(const judge *j, const problem_event *want, run_event *events, size_t from,
                          size_t count) {
  if (!(j->p->flags & PROBLEM_ANY_ORDER)) return;
  for (size_t k = from; k < count && k < from + 4; k++) {
    if (strcmp(events[k].event.name, want->guard) != 0) continue;
    run_event found = events[k];
    memmove(&events[from + 1], &events[from], (k - from) * sizeof *events);
    events[from] = found;
    return;
  }
}

static void judge_events(judge *j) {
  static run_event events[RUN_EVENTS]; /* tests are single-threaded */
  size_t n = j->run->nevents < RUN_EVENTS ? j->run->nevents : RUN_EVENTS, got = 0;
  memcpy(events, j->run->events, n * sizeof *events);
  for (size_t k = 0; k < j->p->nevents && j->verdict.ok; k++) {
    const problem_event *want = &j->p->events[k];
    size_t guard = find_guard(j->p, want->guard);
    bring_forward(j, want, events, got, n);
    const brink_event *e = got < n ? &events[got].event : NULL;
    if (e != NULL && is_shallow_miss(j, &events[got])) {
      j->verdict.undecided = true;
      return;
    }
    if (e != NULL && e->guard == guard && e->direction == want->direction) {
      judge_event(j, k, guard, &events[got++]);
      continue;
    }
    const double *x = state_near(j, want->t);
    double limit = shallow(j, guard, want->t, x);
    if (want->depth > 0 && want->depth <= limit) {
      double window = 4 * (want->depth + guard_error(j, guard, want->t, x)) / want->rate;
      if (!reported_near(j, want->guard, want->t, window))
        fail(j, "event %zu (%s at %.10g, depth %.2g <= %.2g) lost in silence", k, want->guard,
             want->t, want->depth, limit);
      j->verdict.undecided = true;
    } else if (e == NULL) {
      fail(j, "event %zu (%s at %.10g) lost: %zu events, run ended %s at %.10g", k, want->guard,
           want->t, j->run->nevents, brink_status_text(j->run->status), j->run->t);
    } else {
      fail(j, "event %zu: %s (%+d) at %.12g, expected %s (%+d) at %.12g", k, e->name,
           (int)e->direction, e->t, want->guard, (int)want->direction, want->t);
    }
    if (j->verdict.undecided) return;
  }
  if (!j->verdict.ok || got == n || (j->p->flags & PROBLEM_PREFIX)) return;
  if (is_shallow_miss(j, &events[got]))
    j->verdict.undecided = true;
  else
    fail(j, "%zu events too many, first %s (%+d) at %.12g", j->run->nevents - got,
         events[got].event.name, (int)events[got].event.direction, events[got].event.t);
}

/* Closest approaches within ten global errors must be reported one way or the other. */
static void judge_misses(judge *j) {
  for (size_t k = 0; k < j->p->nmisses; k++) {
    const problem_miss *miss = &j->p->misses[k];
    size_t guard = find_guard(j->p, miss->guard);
    const double *x = state_near(j, miss->t);
    if (miss->distance > shallow(j, guard, miss->t, x)) continue;
    double error = guard_error(j, guard, miss->t, x);
    double window = 2 * sqrt(2 * (miss->distance + error) / miss->curvature);
    bool seen = reported_near(j, miss->guard, miss->t, window);
    for (size_t e = 0; e < j->run->nevents && e < RUN_EVENTS; e++)
      seen = seen || (j->run->events[e].event.guard == guard &&
                      fabs(j->run->events[e].event.t - miss->t) <= window);
    if (!seen)
      fail(j, "closest approach of %s at %.10g, %.2g before zero, passed in silence", miss->guard,
           miss->t, miss->distance);
  }
}

static void judge_slides(judge *j) {
  const problem *p = j->p;
  if (j->run->nslides != p->nslides) {
    fail(j, "%zu intervals of sliding, expected %zu", j->run->nslides, p->nslides);
    return;
  }
  for (size_t k = 0; k < p->nslides && k < RUN_SLIDES; k++) {
    const brink_slide_record *got = &j->run->slides[k];
    double bound = 10 * (j->options->rtol + global_error(j, got->guard, p->slides[k].to)) + 1e-12;
    if (strcmp(got->name, p->slides[k].guard) != 0 ||
        !(fabs(got->from - p->slides[k].from) <= bound) ||
        !(fabs(got->to - p->slides[k].to) <= bound))
      fail(j, "slides on %s over [%.12g, %.12g], expected [%.12g, %.12g] within %.2g", got->name,
           got->from, got->to, p->slides[k].from, p->slides[k].to, bound);
  }
}

static void judge_end(judge *j) {
  const problem *p = j->p;
  const run_result *r = j->run;
  brink_status want = p->status == BRINK_OK ? BRINK_TIME_REACHED : p->status;
  if (r->status != want) {
    fail(j, "ended: %s (%s), expected: %s", brink_status_text(r->status), r->diag.message,
         brink_status_text(want));
    return;
  }
  if (want == BRINK_TIME_REACHED && r->t != p->t_end)
    fail(j, "ended at %.17g, not at %.17g", r->t, p->t_end);
  if (p->accumulation > 0 && !(r->t <= p->accumulation * (1 + 1000 * j->options->rtol)))
    fail(j, "events accumulate at %.10g, but the run went on to %.10g", p->accumulation, r->t);
  if (p->final == NULL) return;
  for (size_t i = 0; i < p->def->nx; i++) {
    double scale = 1 + fabs(p->final[i]);
    double tolerance =
        exact(j) ? 1e-9 * scale : 10 * (j->options->rtol * scale + state_error(j, i, p->t_end));
    if (!isnan(p->final[i]) && !(fabs(r->x[i] - p->final[i]) <= tolerance))
      fail(j, "state %zu ends at %.15g, expected %.15g within %.2g", i, r->x[i], p->final[i],
           tolerance);
  }
}

run_verdict run_judge(const problem *p, const brink_options *options, const run_result *run_made,
                      const run_result *reference) {
  static judge j;
  memset(&j, 0, sizeof j);
  j.p = p;
  j.options = options;
  j.run = run_made;
  j.reference = reference;
  j.ntimes = run_times(p, j.times);
  j.verdict.ok = true;
  judge_events(&j);
  if (j.verdict.ok) judge_misses(&j);
  if (j.verdict.ok && !j.verdict.undecided) {
    judge_slides(&j);
    judge_end(&j);
  }
  return j.verdict;
}
