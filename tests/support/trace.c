/* trace.c: see trace.h. */
#include "support/trace.h"

#include <string.h>

static void copy_states(const trace *out, double *to, const double *from) {
  memcpy(to, from, out->nx * sizeof *to);
}

static void copy_modes(const trace *out, int *to, const int *from) {
  if (out->nmodes > 0) memcpy(to, from, out->nmodes * sizeof *to);
}

static int on_event(const brink_event_record *record, void *user) {
  trace *out = user;
  if (out->nevents++ >= TRACE_EVENTS) return 0;
  trace_event *event = &out->events[out->nevents - 1];
  event->event = record->event;
  copy_states(out, event->before, record->x_before);
  copy_states(out, event->after, record->x_after);
  copy_modes(out, event->mode_before, record->mode_before);
  copy_modes(out, event->mode_after, record->mode_after);
  return 0;
}

static int on_step(const brink_step_record *record, void *user) {
  trace *out = user;
  if (out->nsteps++ >= TRACE_STEPS) return 0;
  trace_step *step = &out->steps[out->nsteps - 1];
  step->t0 = record->t0;
  step->t1 = record->t1;
  step->order = record->order;
  copy_states(out, step->x, record->x);
  return 0;
}

static int on_miss(const brink_near_miss *record, void *user) {
  trace *out = user;
  if (out->nmisses++ < TRACE_MISSES) out->misses[out->nmisses - 1] = *record;
  return 0;
}

static int on_slide(const brink_slide_record *record, void *user) {
  trace *out = user;
  if (out->nslides++ < TRACE_SLIDES) out->slides[out->nslides - 1] = *record;
  return 0;
}

brink_sink trace_begin(trace *out, const brink_model_def *def) {
  memset(out, 0, sizeof *out);
  out->nx = def->nx < TRACE_STATES ? def->nx : TRACE_STATES;
  out->nmodes = def->nmodes < TRACE_MODES ? def->nmodes : TRACE_MODES;
  return (brink_sink){
      .step = on_step, .event = on_event, .near_miss = on_miss, .slide = on_slide, .user = out};
}

void trace_end(trace *out, const brink_sim *sim) {
  out->t = brink_sim_time(sim);
  copy_states(out, out->x, brink_sim_state(sim));
  copy_modes(out, out->mode, brink_sim_modes(sim));
  out->stats = *brink_sim_stats(sim);
}

/* Names in the records belong to the model, which is gone after the run: those of the definition
 * take their place. */
static void keep_names(trace *out, const brink_model_def *def) {
  for (size_t k = 0; k < out->nevents && k < TRACE_EVENTS; k++)
    out->events[k].event.name = def->guards[out->events[k].event.guard].name;
  for (size_t k = 0; k < out->nmisses && k < TRACE_MISSES; k++)
    out->misses[k].name = def->guards[out->misses[k].guard].name;
  for (size_t k = 0; k < out->nslides && k < TRACE_SLIDES; k++)
    out->slides[k].name = def->guards[out->slides[k].guard].name;
}

brink_status trace_run(const brink_model_def *def, const brink_options *options, double t_end,
                       trace *out) {
  brink_sink sink = trace_begin(out, def);
  brink_model *model = NULL;
  brink_sim *sim = NULL;
  out->status = brink_model_create(def, NULL, &out->diag, &model);
  if (out->status == BRINK_OK)
    out->status = brink_sim_create(model, options, NULL, &out->diag, &sim);
  if (out->status == BRINK_OK) {
    brink_sim_set_sink(sim, &sink);
    out->status = brink_sim_run(sim, t_end, &out->diag);
    trace_end(out, sim);
  }
  keep_names(out, def);
  brink_sim_destroy(sim);
  brink_model_destroy(model);
  return out->status;
}

int trace_stop(const brink_event *event, brink_now *now, void *user) {
  (void)event, (void)now, (void)user;
  return BRINK_STOPPED;
}
