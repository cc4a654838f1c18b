/* trace.c: which rows a trajectory has.
 *
 * The sink hears of a step when its end is reached, before anything happens there; and of an event
 * right after its action, when rules, samples and other events of the instant are still to come. So
 * what holds after an instant is read when the next step is reported: the state is the one that the
 * last event left behind, modes, parameters and signs are those of that step. */
#include "record/record.h"

#include <math.h>
#include <string.h>

bool brink_trace_init(brink_trace *trace, const brink_sim *sim, size_t nx, size_t np, size_t nmodes,
                      brink_arena *arena) {
  *trace = (brink_trace){.sim = sim, .nx = nx, .np = np, .nmodes = nmodes};
  trace->x = brink_arena_take(arena, nx, sizeof(double));
  trace->rest_x = brink_arena_copy(arena, brink_sim_state(sim), nx, sizeof(double));
  trace->step_p = brink_arena_take(arena, np, sizeof(double));
  trace->step_mode = brink_arena_take(arena, nmodes, sizeof(int));
  trace->rest_t = brink_sim_time(sim);
  return trace->x != NULL && trace->rest_x != NULL && trace->step_p != NULL &&
         trace->step_mode != NULL;
}

void brink_trace_archive(brink_trace *trace, brink_archive *a) {
  brink_archive_mark(a, "trace");
  brink_archive_int64(a, &trace->next);
  brink_archive_bool(a, &trace->started);
  brink_archive_bool(a, &trace->after_due);
  brink_archive_bool(a, &trace->written);
  brink_archive_bool(a, &trace->at_step);
  brink_archive_bool(a, &trace->at_rest);
  brink_archive_double(a, &trace->last);
  brink_archive_doubles(a, trace->rest_x, trace->nx);
  brink_archive_double(a, &trace->rest_t);
  brink_archive_doubles(a, trace->step_p, trace->np);
  brink_archive_ints(a, trace->step_mode, trace->nmodes);
  /* Rows of the grid have been emitted up to the present: there would be no end of those before it. */
  brink_archive_check(a, trace->next >= 0 && trace->next < INT64_MAX);
  if (a->reads && !a->failed && trace->grid != NULL)
    brink_archive_check(a, trace->grid(trace->next + 1, trace->user) >= brink_sim_time(trace->sim));
}

static int emit(brink_trace *trace, double t, const double *x, const double *p, const int *mode) {
  const brink_sim *sim = trace->sim;
  brink_moment moment = {.t = t,
                         .x = x,
                         .p = p != NULL ? p : brink_sim_parameters(sim),
                         .mode = mode != NULL ? mode : brink_sim_modes(sim),
                         .sgn = brink_sim_signs(sim)};
  trace->last = t;
  trace->started = true;
  trace->at_step = trace->at_rest = false;
  return trace->row(&moment, trace->user);
}

/* The state at t, which lies in the last step (or between it and the one before, where time was set
 * forward by a rounding error: then that at t0). */
static int emit_inside(brink_trace *trace, double t, double t0) {
  if (brink_sim_at(trace->sim, t, trace->x, NULL) != BRINK_OK &&
      brink_sim_at(trace->sim, t0, trace->x, NULL) != BRINK_OK)
    memcpy(trace->x, brink_sim_state(trace->sim), trace->nx * sizeof(double));
  return emit(trace, t, trace->x, NULL, NULL);
}

/* At the start of the run, and after an instant, at t. */
static int emit_rest(brink_trace *trace, double t) {
  trace->after_due = false;
  bool kept = t == trace->rest_t && t != brink_sim_time(trace->sim);
  int outcome = kept ? emit(trace, t, trace->rest_x, NULL, NULL) : emit_inside(trace, t, t);
  trace->at_rest = true;
  return outcome;
}

/* Grid points before t1. */
static int emit_grid(brink_trace *trace, double t0, double t1) {
  int outcome = 0;
  for (double t; outcome == 0 && (t = trace->grid(trace->next, trace->user)) < t1; trace->next++) {
    if (trace->at_rest && t <= trace->last) continue;
    outcome = emit_inside(trace, fmax(t, trace->last), t0);
  }
  return outcome;
}

/* Points inside a step, equally far from one another. */
static int emit_parts(brink_trace *trace, const brink_step_record *record) {
  size_t parts = trace->parts != NULL ? trace->parts(record, trace->user) : 1;
  int outcome = 0;
  for (size_t k = 1; k < parts && outcome == 0; k++) {
    double t = record->t0 + (record->t1 - record->t0) * ((double)k / (double)parts);
    if (t > trace->last && t < record->t1) outcome = emit_inside(trace, t, record->t0);
  }
  return outcome;
}

/* Does the last row tell what holds now? Samples and rules may have come after a step. */
static bool is_logged(const brink_trace *trace, double t) {
  if (!trace->started || trace->after_due || trace->last != t) return false;
  if (trace->at_rest) return true;
  return trace->at_step &&
         memcmp(trace->step_p, brink_sim_parameters(trace->sim), trace->np * sizeof(double)) == 0 &&
         memcmp(trace->step_mode, brink_sim_modes(trace->sim), trace->nmodes * sizeof(int)) == 0;
}

int brink_trace_step(brink_trace *trace, const brink_step_record *record) {
  /* What a sample or a rule changed at the end of the last step is a row, too. */
  bool sampled = trace->grid == NULL && trace->last == record->t0 && !is_logged(trace, record->t0);
  bool due = !trace->started || trace->after_due || sampled;
  int outcome = due ? emit_rest(trace, record->t0) : 0;
  if (outcome != 0) return outcome;
  if (trace->grid != NULL) return emit_grid(trace, record->t0, record->t1);
  outcome = emit_parts(trace, record);
  if (outcome == 0) outcome = emit(trace, record->t1, record->x, NULL, NULL);
  trace->at_step = true;
  memcpy(trace->step_p, brink_sim_parameters(trace->sim), trace->np * sizeof(double));
  memcpy(trace->step_mode, brink_sim_modes(trace->sim), trace->nmodes * sizeof(int));
  return outcome;
}

int brink_trace_event(brink_trace *trace, const brink_event_record *record) {
  const brink_event *event = &record->event;
  memcpy(trace->rest_x, record->x_after, trace->nx * sizeof(double));
  trace->rest_t = event->t;
  trace->after_due = true;
  trace->written = false;
  if (trace->at_step && event->iteration == 0 && event->t == trace->last) {
    trace->at_step = false; /* the end of the step is what was before the event */
    return 0;
  }
  return emit(trace, event->t, record->x_before, record->p_before, record->mode_before);
}

/* What was before it has been written, if there was an event; else the end of the step was before it. */
void brink_trace_moved(brink_trace *trace, double t, const double *x) {
  memcpy(trace->rest_x, x, trace->nx * sizeof(double));
  trace->rest_t = t;
  if (trace->started) trace->after_due = true;
}

int brink_trace_before_write(brink_trace *trace) {
  double t = brink_sim_time(trace->sim);
  if (trace->after_due && trace->written && trace->rest_t == t) return 0;
  return is_logged(trace, t) ? 0 : emit_rest(trace, t);
}

void brink_trace_written(brink_trace *trace) {
  memcpy(trace->rest_x, brink_sim_state(trace->sim), trace->nx * sizeof(double));
  trace->rest_t = brink_sim_time(trace->sim);
  trace->after_due = trace->written = true;
  trace->at_step = false; /* an event that follows from it has these values before it */
}

int brink_trace_end(brink_trace *trace) {
  double t = brink_sim_time(trace->sim);
  return is_logged(trace, t) ? 0 : emit_rest(trace, t);
}
