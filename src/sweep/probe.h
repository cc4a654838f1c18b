/* probe.h: what is measured of one run, while it goes on. See measure.h. */
#ifndef BRINK_SWEEP_PROBE_H
#define BRINK_SWEEP_PROBE_H

#include "run/run.h"
#include "sweep/measure.h"

/* What is known of the events of a flag. */
typedef struct brink_flag_count {
  uint64_t count;
  double first, last; /* NaN: none */
  double condition;   /* the largest; NaN: none */
} brink_flag_count;

/* A gauge on its way. */
typedef struct brink_gauge_state {
  double value;           /* NaN: nothing yet */
  double sum, correction; /* of a mean: the integral so far */
  double before;          /* of an event: at the end of the last step */
  bool due;               /* after an event: the next step begins with it */
} brink_gauge_state;

typedef struct brink_probe {
  brink_arena arena;
  const brink_measures *measures;
  brink_run *run;
  brink_value *values;          /* of measures->names, … */
  bool *is_text;                /* … which are strings */
  double *reads;                /* their values somewhere */
  double *final;                /* … and at the end */
  brink_flag_count *flags, all; /* of measures->flags; of all declared flags */
  size_t *
      flag_of; /* of each flag of the system: the first of measures->flags without indices; BRINK_NONE */
  size_t nsystem_flags, flag_of_capacity;
  brink_gauge_state *states;
  double *results; /* of the gauges, at the end */
  double *samples; /* of one gauge in a step */
  double start, end;
} brink_probe;

/* False: out of memory. Free it in any case. `measures` must outlive it. */
bool brink_probe_init(brink_probe *probe, const brink_measures *measures);
void brink_probe_free(brink_probe *probe);

/* Follows a run that has not begun. Statuses: OK; ARGUMENT: there is no such name; UNSUPPORTED: agents with clocks of their own cannot be followed inside their steps; MEMORY. */
brink_status brink_probe_begin(brink_probe *probe, brink_run *run, brink_diag *diag);
/* Once, after the first brink_probe_begin: ARGUMENT: there is no such flag, or a text is computed with; OK. */
brink_status brink_probe_check(const brink_probe *probe, brink_diag *diag);
/* The run is over, and not finished yet: values at its end. */
void brink_probe_end(brink_probe *probe);
/* The run is finished: all events are known. */
void brink_probe_conclude(brink_probe *probe);

/* The value of measure k. If it is a text alone, *text is that; else NULL. */
double brink_probe_value(const brink_probe *probe, size_t k, const char **text);

/* The name of a flag without indices: "car.hit". */
void brink_probe_flag_name(const brink_system *system, const brink_flag *flag, brink_text *name);

/* extremes.c: what a gauge is over one step, of which the observer is just told. */
void brink_probe_extreme(brink_probe *probe, const brink_gauge *gauge, brink_gauge_state *state,
                         double t0, double t1);
/* mean.c: adds the integral over the step. */
void brink_probe_integrate(brink_probe *probe, const brink_gauge *gauge, brink_gauge_state *state,
                           double t0, double t1);
/* The value of an expression at t in that step. */
double brink_probe_at(brink_probe *probe, const brink_term *term, double t, double t0);

#endif
