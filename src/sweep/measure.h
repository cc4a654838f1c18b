/* measure.h: what is measured of a run: expressions of its values, their extremes and means over time, and of its events.
 *
 *     max(plant.h) - min(plant.h)       over the whole run, inside steps, too
 *     mean(x^2)                         over time
 *     plant.h, final(plant.h)           at the end; initial(x): at the start
 *     at(empty, plant.h)                just before the first event of a flag; after(empty, v): after its instant
 *     first(empty), last(empty)         times of events; time(empty) is first(empty)
 *     count(car[2].hit), count(hit)     events of one instance, of all
 *     condition(empty), condition()     the largest condition number of its events, of all declared ones
 *     peak = max(h)                     with a name for its column
 *
 * A measure is read once (measure.c), and worked out in each run (probe.c). */
#ifndef BRINK_SWEEP_MEASURE_H
#define BRINK_SWEEP_MEASURE_H

#include "base/base.h"

typedef enum brink_gauge_kind {
  BRINK_GAUGE_FINAL,
  BRINK_GAUGE_INITIAL,
  BRINK_GAUGE_MIN,
  BRINK_GAUGE_MAX,
  BRINK_GAUGE_MEAN,
  BRINK_GAUGE_AT,
  BRINK_GAUGE_AFTER,
  BRINK_GAUGE_FIRST,
  BRINK_GAUGE_LAST,
  BRINK_GAUGE_COUNT,
  BRINK_GAUGE_CONDITION,
} brink_gauge_kind;

typedef enum brink_term_op {
  BRINK_TERM_NUMBER,
  BRINK_TERM_READ,  /* a value of the model: index of brink_measures.names */
  BRINK_TERM_TIME,  /* the present */
  BRINK_TERM_GAUGE, /* index of brink_measures.gauges */
  BRINK_TERM_NEGATE,
  BRINK_TERM_ADD,
  BRINK_TERM_SUBTRACT,
  BRINK_TERM_MULTIPLY,
  BRINK_TERM_DIVIDE,
  BRINK_TERM_POWER,
  BRINK_TERM_LEAST,
  BRINK_TERM_LARGEST,
  BRINK_TERM_CALL,
} brink_term_op;

typedef struct brink_term {
  brink_term_op op;
  double number;
  size_t index;
  double (*function)(double);
  const struct brink_term *a, *b;
} brink_term;

/* Something that is followed along a run. */
typedef struct brink_gauge {
  brink_gauge_kind kind;
  const brink_term *inner; /* NULL: it is of a flag alone */
  size_t flag;             /* of brink_measures.flags; BRINK_NONE: of none, or of all */
} brink_gauge;

typedef struct brink_measure {
  const char *name; /* of its column */
  const brink_term *root;
} brink_measure;

typedef struct brink_measures {
  brink_arena *arena;
  brink_measure *measures;
  size_t count, capacity;
  const char **names; /* values that are read, each once */
  size_t nnames, names_capacity;
  const char **flags; /* flags that are named, each once */
  size_t nflags, flags_capacity;
  brink_gauge *gauges;
  size_t ngauges, gauges_capacity;
  bool steps;      /* steps have to be looked at */
  bool conditions; /* of events are wanted */
} brink_measures;

/* One more measure. Statuses: OK; ARGUMENT: the message shows where it is wrong; MEMORY. */
brink_status brink_measures_add(brink_measures *measures, const char *text, brink_diag *diag);

/* The number of a flag, which is added if it is new; BRINK_NONE: out of memory. */
size_t brink_measures_flag(brink_measures *measures, const char *name);

/* The value of an expression: of these values of the model, at this time, with these gauges. */
double brink_term_value(const brink_term *term, const double *reads, double t,
                        const double *gauges);

#endif
