/* trace.h: runs a model once and keeps everything its sink received. */
#ifndef BRINK_TESTS_TRACE_H
#define BRINK_TESTS_TRACE_H

#include <brink/brink.h>

enum {
  TRACE_STATES = 6,
  TRACE_MODES = 4,
  TRACE_EVENTS = 512,
  TRACE_STEPS = 8192,
  TRACE_MISSES = 64,
  TRACE_SLIDES = 64
};

typedef struct trace_event {
  brink_event event;
  double before[TRACE_STATES], after[TRACE_STATES];
  int mode_before[TRACE_MODES], mode_after[TRACE_MODES];
} trace_event;

typedef struct trace_step {
  double t0, t1;
  int order;
  double x[TRACE_STATES]; /* at t1 */
} trace_step;

/* What a run did. Counts may exceed what the arrays keep. */
typedef struct trace {
  size_t nx, nmodes; /* set by trace_begin: how much of each record is copied */
  brink_status status;
  brink_diag diag;
  double t, x[TRACE_STATES];
  int mode[TRACE_MODES];
  brink_stats stats;
  size_t nevents, nsteps, nmisses, nslides;
  trace_event events[TRACE_EVENTS];
  trace_step steps[TRACE_STEPS];
  brink_near_miss misses[TRACE_MISSES];
  brink_slide_record slides[TRACE_SLIDES];
} trace;

/* Forgets everything, and gives the sink that fills `out`. */
brink_sink trace_begin(trace *out, const brink_model_def *def);

/* Copies the present of the sim: time, state, modes, statistics. */
void trace_end(trace *out, const brink_sim *sim);

/* Makes the model and a sim, runs to t_end, and takes both down again. A model or sim that cannot
 * be made shows in the status. Returns out->status. */
brink_status trace_run(const brink_model_def *def, const brink_options *options, double t_end,
                       trace *out);

/* An action that ends the run. */
int trace_stop(const brink_event *event, brink_now *now, void *user);

#endif
