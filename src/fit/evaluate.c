/* evaluate.c: one run of the model with given knobs: residuals, and their derivatives by the knobs.
 *
 * The run stops at every measured time: there the state and its derivative M are exact to the tolerance of the run, and
 * nothing is interpolated. Derivatives change no run (<brink/record.h>): the sum of squares is the same function with
 * and without them, to the last bit.
 *
 * Residuals: of a curve r = (y - x(t)) / sigma, dr/dz = -M / sigma; of the k-th event of a flag r = (t_k - T_k) / sigma,
 * dr/dz = -dT_k/dz / sigma. If a run has fewer events than were measured, T_k is where runs end. So the residual is
 * continuous where an event leaves through the end of the run. Where it vanishes on the way, by grazing, the sum jumps.
 * If the run stops by itself before a measured time (stop(…) in the model), the value at its end counts, which moves with
 * that end. */
#include <math.h>
#include <string.h>

#include "fit/fit_parts.h"

typedef struct evaluation {
  const brink_fit *fit;
  brink_fit_point *point;
  brink_run *run;
  bool derivatives;
  size_t *seen;        /* events of each brink_measured so far */
  size_t *event_index; /* of each datum that is an event: which event of the run */
  size_t wanting;      /* times of events that have not come yet */
  bool last_leg;       /* all curves are done: only events are waited for */
  brink_value *values; /* of each brink_measured */
  brink_run_sensitivity slopes;
} evaluation;

/* ---- knobs and their bounds ---- */

double brink_fit_share(const brink_fit_knob *knob, double z) {
  double w = knob->log ? log(z / knob->lo) / log(knob->hi / knob->lo)
                       : (z - knob->lo) / (knob->hi - knob->lo);
  return fmin(fmax(w, 0.0), 1.0);
}

double brink_fit_unshare(const brink_fit_knob *knob, double w) {
  if (w <= 0.0) return knob->lo;
  if (w >= 1.0) return knob->hi;
  double z = knob->log ? knob->lo * exp(w * log(knob->hi / knob->lo))
                       : knob->lo + w * (knob->hi - knob->lo);
  return fmin(fmax(z, knob->lo), knob->hi);
}

double brink_fit_share_slope(const brink_fit_knob *knob, double w) {
  return knob->log ? brink_fit_unshare(knob, w) * log(knob->hi / knob->lo) : knob->hi - knob->lo;
}

/* ---- points ---- */

bool brink_fit_point_make(const brink_fit *fit, brink_arena *arena, brink_fit_point *point) {
  size_t m = fit->ndata;
  *point = (brink_fit_point){.z = brink_arena_take(arena, fit->n, sizeof(double)),
                             .model = brink_arena_take(arena, m, sizeof(double)),
                             .r = brink_arena_take(arena, m, sizeof(double)),
                             .jacobian = brink_arena_take(arena, m * fit->n, sizeof(double)),
                             .absent = brink_arena_take(arena, m, sizeof(bool)),
                             .sum = (double)INFINITY};
  return !arena->failed;
}

void brink_fit_point_copy(const brink_fit *fit, brink_fit_point *to, const brink_fit_point *from) {
  brink_fit_point kept = *to;
  size_t m = fit->ndata, n = fit->n;
  *to = *from;
  to->z = memcpy(kept.z, from->z, n * sizeof *from->z);
  to->model = memcpy(kept.model, from->model, m * sizeof *from->model);
  to->r = memcpy(kept.r, from->r, m * sizeof *from->r);
  to->jacobian = memcpy(kept.jacobian, from->jacobian, m * n * sizeof *from->jacobian);
  to->absent = memcpy(kept.absent, from->absent, m * sizeof *from->absent);
}

/* ---- events ---- */

/* FNV-1a, 64 bits. */
static uint64_t mix(uint64_t hash, const char *text) {
  for (; *text != '\0'; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
  return (hash ^ 0xffu) * 0x100000001b3u;
}

static void take_event(evaluation *e, size_t of, double t) {
  const brink_fit *fit = e->fit;
  size_t occurrence = e->seen[of]++;
  for (size_t k = 0; k < fit->ndata; k++) {
    const brink_datum *datum = &fit->data[k];
    if (datum->of != of || datum->occurrence != occurrence) continue;
    e->point->model[k] = t;
    e->point->absent[k] = false;
    e->event_index[k] = e->point->nevents;
    e->wanting--;
  }
}

static int on_event(brink_run *run, const brink_run_event *event, void *user) {
  evaluation *e = user;
  (void)run;
  if (!event->generated) e->point->order = mix(e->point->order, event->flag);
  for (size_t k = 0; k < e->fit->nmeasured; k++) {
    const brink_measured *measured = &e->fit->measured[k];
    if (measured->event && strcmp(measured->name, event->flag) == 0) take_event(e, k, event->t);
  }
  e->point->nevents++;
  return e->last_leg && e->wanting == 0;
}

/* ---- values at measured times ---- */

/* The row of derivatives of a quantity where the run is; NULL: it has none. */
static const double *slope_of(const evaluation *e, const char *name) {
  const brink_run_sensitivity *s = &e->slopes;
  for (size_t k = 0; k < s->nstates; k++)
    if (strcmp(s->states[k], name) == 0) return &s->end[k * s->ndirections];
  for (size_t k = 0; k < s->noutputs; k++)
    if (strcmp(s->outputs[k], name) == 0) return &s->end_y[k * s->ndirections];
  return NULL;
}

static brink_status read_values(evaluation *e, size_t stop, brink_diag *diag) {
  const brink_fit *fit = e->fit;
  brink_fit_point *point = e->point;
  brink_status status =
      e->derivatives ? brink_run_get_sensitivity(e->run, &e->slopes, diag) : BRINK_OK;
  for (size_t k = 0; k < fit->ndata && status == BRINK_OK; k++) {
    const brink_datum *datum = &fit->data[k];
    const brink_measured *measured = &fit->measured[datum->of];
    if (measured->event || datum->stop != stop) continue;
    point->model[k] = brink_run_value(e->run, e->values[datum->of]);
    const double *slope = e->derivatives ? slope_of(e, measured->name) : NULL;
    for (size_t j = 0; j < fit->n && e->derivatives; j++)
      point->jacobian[k * fit->n + j] = slope != NULL ? -slope[j] / datum->sigma : (double)NAN;
  }
  return status;
}

static void read_event_slopes(const evaluation *e) {
  const brink_fit *fit = e->fit;
  for (size_t k = 0; k < fit->ndata; k++) {
    if (!fit->measured[fit->data[k].of].event) continue;
    double *row = &e->point->jacobian[k * fit->n];
    bool known = !e->point->absent[k] && e->event_index[k] < e->slopes.nevents;
    for (size_t j = 0; j < fit->n; j++)
      row[j] = e->point->absent[k] ? 0.0
               : known ? -e->slopes.event_time[e->event_index[k] * fit->n + j] / fit->data[k].sigma
                       : (double)NAN;
  }
}

/* ---- the run ---- */

static brink_status prepare(brink_run *run, void *user, brink_diag *diag) {
  evaluation *e = user;
  const brink_fit *fit = e->fit;
  brink_status status = BRINK_OK;
  if (fit->keep != NULL) status = brink_run_keep(run, fit->keep, diag);
  if (status == BRINK_OK && e->derivatives)
    status = brink_run_keep_sensitivity(run, fit->names, fit->n, diag);
  for (size_t k = 0; k < fit->nmeasured && status == BRINK_OK; k++) {
    if (!fit->measured[k].event)
      status = brink_run_find(run, fit->measured[k].name, &e->values[k], diag);
  }
  if (status == BRINK_OK)
    brink_run_observe(run, &(brink_run_observer){.event = on_event, .user = e});
  return status;
}

/* From one measured time to the next, then to the end for events. Where the run stops by itself, it stays. */
static brink_status drive(evaluation *e, brink_diag *diag) {
  const brink_fit *fit = e->fit;
  brink_status status = BRINK_OK;
  bool over = false;
  for (size_t k = 0; k < fit->ntimes; k++) {
    if (!over) status = brink_run_to(e->run, fit->times[k], diag);
    if (status < 0 || status == BRINK_CANCELLED) return status;
    over = over || status == BRINK_STOPPED;
    brink_status read = read_values(e, k, diag);
    if (read != BRINK_OK) return read;
  }
  e->last_leg = true;
  if (!over && e->wanting > 0 && fit->last > brink_run_time(e->run))
    status = brink_run_to(e->run, fit->last, diag);
  if (status < 0 || status == BRINK_CANCELLED) return status;
  if (status == BRINK_STOPPED && e->wanting > 0) over = true;
  if (over) e->point->end = brink_run_time(e->run);
  status = brink_run_finish(e->run, diag); /* events of the last instant are complete */
  return status == BRINK_OK && e->derivatives ? brink_run_get_sensitivity(e->run, &e->slopes, diag)
                                              : status;
}

static void reset(evaluation *e, const double *z) {
  const brink_fit *fit = e->fit;
  brink_fit_point *point = e->point;
  memcpy(point->z, z, fit->n * sizeof *z);
  point->sum = (double)INFINITY;
  point->usable = point->has_jacobian = false;
  point->limits = 0;
  point->order = 0xcbf29ce484222325u;
  point->nevents = 0;
  point->end = (double)INFINITY;
  for (size_t k = 0; k < fit->ndata; k++) {
    point->absent[k] = fit->measured[fit->data[k].of].event;
    e->wanting += point->absent[k];
  }
}

static void weigh(evaluation *e) {
  const brink_fit *fit = e->fit;
  brink_fit_point *point = e->point;
  point->sum = 0.0;
  for (size_t k = 0; k < fit->ndata; k++) {
    if (point->absent[k]) point->model[k] = fit->last;
    point->r[k] = (fit->data[k].y - point->model[k]) / fit->data[k].sigma;
    point->sum += point->r[k] * point->r[k];
  }
  point->usable = isfinite(point->sum);
  if (!e->derivatives || !point->usable) return;
  read_event_slopes(e);
  point->limits = e->slopes.limits;
  point->has_jacobian = (point->limits & BRINK_FIT_UNSOUND) == 0;
  for (size_t k = 0; k < fit->ndata * fit->n; k++)
    point->has_jacobian = point->has_jacobian && isfinite(point->jacobian[k]);
}

brink_status brink_fit_evaluate(brink_fit_worker *worker, const double *z, bool derivatives,
                                brink_fit_point *point, brink_diag *diag) {
  const brink_fit *fit = worker->fit;
  evaluation e = {.fit = fit, .point = point, .derivatives = derivatives};
  brink_arena arena;
  brink_arena_init(&arena, NULL);
  e.seen = brink_arena_take(&arena, fit->nmeasured, sizeof *e.seen);
  e.event_index = brink_arena_take(&arena, fit->ndata, sizeof *e.event_index);
  e.values = brink_arena_take(&arena, fit->nmeasured, sizeof *e.values);
  brink_status status =
      arena.failed ? brink_diag_set(&worker->failure, BRINK_ERR_MEMORY, "out of memory") : BRINK_OK;
  reset(&e, z);
  if (status == BRINK_OK)
    status = brink_fit_run_begin(worker, z, &fit->options, prepare, &e, &e.run);
  if (status == BRINK_OK) status = drive(&e, &worker->failure);
  if (status == BRINK_OK) weigh(&e);
  brink_fit_run_end(worker, e.run);
  brink_arena_free(&arena);
  worker->runs++;
  worker->derivative_runs += derivatives;
  if (status != BRINK_ERR_MEMORY) return BRINK_OK; /* a run that fails is told by the point */
  if (diag != NULL) *diag = worker->failure;
  return status;
}
