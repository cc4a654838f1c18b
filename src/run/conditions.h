/* conditions.h: how far the events of a run can be trusted: for `brink condition`, the summary and the report.
 *
 *   conditions.c        the observers, and what is kept of what they find
 *   conditions_text.c   in words; as JSON
 *   comparison.c        the events of another method */
#ifndef BRINK_RUN_CONDITIONS_H
#define BRINK_RUN_CONDITIONS_H

#include "run/run.h"
#include "sim/conditions.h"
#include <brink/sensitivity.h>

/* What an event is differentiated by: an initial value or a knob. */
typedef struct brink_slope_direction {
  const char *name; /* as brink_hsml_set knows it */
  bool knob;
  double size; /* what a change of it is compared with: its absolute value; 0: nothing */
} brink_slope_direction;

/* The derivatives of one event, copied. */
typedef struct brink_event_slopes {
  size_t index;  /* of the event */
  double rate;   /* of its guard, before; 0: it was not located */
  double *time;  /* of the event, by each direction */
  double *after; /* of the states after it: nx rows; NULL: not wanted */
  double jump;   /* |S|_2; NaN: not known */
  unsigned limits;
} brink_event_slopes;

/* One line of the table. */
typedef struct brink_condition_line {
  double t;
  bool event; /* false: approaches that no event followed */
  const char *flag;
  double published, scaled;
  brink_posed posed;
  const char *verdict; /* in words */
  const char *more;    /* lines below it; "": none */
} brink_condition_line;

struct brink_conditions_report {
  brink_run *run;
  bool full;   /* closest approaches, too */
  bool listed; /* a line for each event is kept, and everything goes to JSON */
  bool all;    /* every derivative is written */
  brink_conditions *conditions;
  brink_slope_direction *directions;
  brink_knobs knobs;
  size_t ndirections;         /* 0: too many, or not wanted */
  brink_event_slopes *slopes; /* of the events of the present instant */
  size_t nslopes, slopes_capacity;
  brink_condition_line *lines;
  size_t nlines, lines_capacity, nevents;
  size_t counts[BRINK_UNJUDGED + 1]; /* events by word */
  brink_text page;                   /* elements of a JSON array, for the report */
  size_t npage;
};

/* The least relative change of one thing that makes an event vanish, or another one happen. */
typedef struct brink_event_cause {
  const char *name;  /* NULL: none is known */
  const char *which; /* "the initial ", or "" */
  double change, relative;
  bool appears; /* an approach at t would be an event */
  double t;
} brink_event_cause;

brink_event_cause brink_conditions_report_cause(const brink_conditions_report *report,
                                                const brink_condition *c,
                                                const brink_event_slopes *slopes);

/* Its directions as the first columns of matrices dx(0)/d and dp/d, which were zero, of `count` columns. */
void brink_conditions_report_fill(const brink_conditions_report *report, double *x, double *p,
                                  size_t count);
/* An event with its derivatives by all directions. */
void brink_conditions_report_slopes(brink_conditions_report *report,
                                    const brink_sensitivity_event *event);

/* "grazing: a change of 0.00095 in plant.x2 makes the event vanish". */
void brink_conditions_report_words(const brink_condition *c, brink_posed posed,
                                   const brink_event_cause *cause, brink_text *text);
/* The lines below an event: approaches, derivatives. */
void brink_conditions_report_more(const brink_conditions_report *report, const brink_condition *c,
                                  const brink_event_slopes *slopes, brink_text *text);
/* The members of an object in JSON. */
void brink_conditions_report_json(const brink_conditions_report *report, const brink_condition *c,
                                  const brink_event_slopes *slopes, const char *verdict,
                                  brink_posed posed, brink_text *text);

/* comparison.c */

/* One event of one of the two methods. */
typedef struct brink_occurrence {
  double t;
  uint32_t flag;
  size_t index, count; /* which instance of the flag; how many such events came before */
  brink_direction direction;
} brink_occurrence;

/* An event in which the two methods do not agree. */
typedef struct brink_disagreement {
  const brink_occurrence *here, *there; /* NULL: it has none */
  double error_here, error_there;       /* INFINITY: the coarser run has no such event */
} brink_disagreement;

/* What one method finds. */
typedef struct brink_findings {
  brink_run *run;
  brink_instance *instance;
  brink_occurrence *events;
  size_t nevents, capacity;
  bool more;     /* than are compared */
  bool failed;   /* memory ran out */
  double end;    /* time */
  bool complete; /* it did not fail before that */
} brink_findings;

struct brink_comparison {
  brink_options options;             /* of the other method */
  brink_findings fine[2], coarse[2]; /* the model's own method, the other one */
  brink_disagreement *differences;
  size_t ndifferences, capacity, nagreeing;
  brink_text json;
};

/* How far the two times are apart; INFINITY: there is one only. */
double brink_comparison_distance(const brink_disagreement *d);
/* The name of the flag. */
void brink_comparison_label(const brink_run *run, const brink_disagreement *d, brink_text *label);

/* Why events of such a run have no condition, as "for models with delays"; NULL: they have. */
const char *brink_run_no_conditions(const brink_system *system);

#endif
