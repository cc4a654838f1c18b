/* judge.h: what `brink condition` and the report know about the events of a run.
 *
 *   condition.c        the command; who looks on, and what is kept
 *   condition_tell.c   in words, for a person; as JSON
 *   against.c          another method's events, for --against */
#ifndef BRINK_CLI_JUDGE_H
#define BRINK_CLI_JUDGE_H

#include "cli/run.h"
#include "sim/conditions.h"
#include <brink/sensitivity.h>

/* What an event is differentiated by: an initial value or a knob. */
typedef struct cli_direction {
  const char *name; /* as --set knows it */
  bool knob;
  double size; /* what a change of it is compared with: its absolute value; 0: nothing */
} cli_direction;

/* The derivatives of one event, copied. */
typedef struct cli_slopes {
  size_t index;  /* of the event */
  double rate;   /* of its guard, before; 0: it was not located */
  double *time;  /* of the event, by each direction */
  double *after; /* of the states after it: nx rows; NULL: not wanted */
  double jump;   /* |S|_2; NaN: not known */
  unsigned limits;
} cli_slopes;

/* One line of the table. */
typedef struct cli_judged {
  double t;
  bool event; /* false: approaches that no event followed */
  const char *flag;
  double published, scaled;
  brink_posed posed;
  const char *verdict; /* in words */
  const char *more;    /* lines below it; "": none */
} cli_judged;

struct cli_judge {
  cli_simulation *run;
  bool full; /* closest approaches, too */
  bool told; /* the command asks: a table, and everything in JSON */
  bool all;  /* every derivative is written */
  brink_conditions *conditions;
  brink_sensitivity *sensitivity; /* NULL: too large, or not wanted */
  cli_direction *directions;
  brink_knobs knobs;
  size_t ndirections;
  cli_slopes *slopes; /* of the events of the present instant */
  size_t nslopes, slopes_capacity;
  cli_judged *lines;
  size_t nlines, lines_capacity, nevents;
  size_t counts[BRINK_UNJUDGED + 1]; /* events by word */
  brink_text page;                   /* elements of a JSON array, for the report */
  size_t npage;
};

/* The least relative change of one thing that makes an event vanish, or another one happen. */
typedef struct cli_cause {
  const char *name;  /* NULL: none is known */
  const char *which; /* "the initial ", or "" */
  double change, relative;
  bool appears; /* an approach at t would be an event */
  double t;
} cli_cause;

cli_cause cli_judge_cause(const cli_judge *judge, const brink_condition *c,
                          const cli_slopes *slopes);

/* "grazing: a change of 0.00095 in plant.x2 makes the event vanish". */
void cli_judge_words(const brink_condition *c, brink_posed posed, const cli_cause *cause,
                     brink_text *text);
/* The lines below an event: approaches, derivatives. */
void cli_judge_more(const cli_judge *judge, const brink_condition *c, const cli_slopes *slopes,
                    brink_text *text);
/* The members of an object in JSON. */
void cli_judge_json(const cli_judge *judge, const brink_condition *c, const cli_slopes *slopes,
                    const char *verdict, brink_posed posed, brink_text *text);

#endif
