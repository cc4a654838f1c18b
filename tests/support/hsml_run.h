/* hsml_run.h: simulates models given as HSML text, and keeps what came out.
 *
 *     hsml_run *run = hsml_open(HSML_MODEL("state(x, real);", "x := 1.0;", "x' = -x;", ""), &wishes);
 *     hsml_go(run, 1.0);
 *     CHECK_NEAR(hsml_final(run, "x"), exp(-1.0), 1e-9);
 *     hsml_close(run);
 *
 * A text that is not a model, or no memory, aborts the test program: the test itself is wrong. */
#ifndef BRINK_TESTS_HSML_RUN_H
#define BRINK_TESTS_HSML_RUN_H

#include "lang/flatten.h"
#include "native/native.h"

/* One continuous component; `rest`: event sections, outputs, assignments. */
#define HSML_MODEL(declarations, initial, dynamics, rest)                                          \
  "ctc M is\n"                                                                                     \
  "  body\n"                                                                                       \
  "    declarations " declarations " end declarations;\n"                                          \
  "    initial " initial " end initial;\n"                                                         \
  "    dynamics " dynamics " end dynamics;\n"                                                      \
  "    " rest "\n"                                                                                 \
  "  end body;\n"                                                                                  \
  "end M;\n"

enum { HSML_STATES = 16, HSML_NAME = 32 };

typedef struct hsml_wishes {
  brink_options options;
  bool native;                      /* machine code; else the interpreter */
  bool no_series;                   /* the model is made without series of its solution */
  const char *const *sets;          /* "name=value", NULL at the end; NULL: none */
  const brink_allocator *allocator; /* of instance and sim; NULL: malloc */
} hsml_wishes;

typedef struct hsml_event {
  char name[HSML_NAME];
  double t, value;
  brink_direction direction;
  brink_event_kind kind;
  double before[HSML_STATES], after[HSML_STATES];
} hsml_event;

typedef struct hsml_miss {
  char name[HSML_NAME];
  double t, value;
} hsml_miss;

typedef struct hsml_slide {
  char name[HSML_NAME];
  double from, to;
} hsml_slide;

typedef struct hsml_run {
  brink_unit *unit;
  brink_system *system;
  brink_instance *instance;
  brink_sim *sim;
  brink_status status; /* of the last thing that was done */
  brink_diag diag;
  hsml_event *events;
  hsml_miss *misses;
  hsml_slide *slides; /* those under way at the end of hsml_go, too */
  size_t nevents, nmisses, nslides, nsteps;
  size_t not_finite; /* states and times that are no numbers, over all steps */
  int order;         /* of the last step */
  double longest;    /* step */
  uint64_t hash;     /* of the bits of all steps and events */
} hsml_run;

/* Taylor, auditing, atol = rtol/1000, near misses within 1000 tolerances, and at most a million steps a
 * call: a model that hangs is a failure, not a test that hangs. */
hsml_wishes hsml_default(double rtol);

/* run->status tells whether it could be made. */
hsml_run *hsml_open(const char *text, const hsml_wishes *wishes);
void hsml_go(hsml_run *run, double t_end);
void hsml_close(hsml_run *run); /* NULL is fine */

/* Forgets what was kept; the sim is where it was. */
void hsml_forget(hsml_run *run);

/* The parts of hsml_open, for tests of their own. */
brink_system *hsml_flatten(const char *text, const char *const *sets, brink_unit **unit);
hsml_run *hsml_start(brink_unit *unit, brink_system *system,
                     const hsml_wishes *wishes); /* takes both */

/* The end of "% run: until 10 …" in a text; `otherwise`, where it is not said. */
double hsml_until(const char *text, double otherwise);

/* Like hsml_flatten, for texts that may be no model: NULL. *unit is the caller's in any case. */
brink_system *hsml_try_flatten(const char *text, const char *const *sets, brink_unit **unit);
brink_instance_options hsml_instance_options(const hsml_wishes *wishes);

/* The index of a state by its full name, and its present value. */
size_t hsml_state(const hsml_run *run, const char *name);
double hsml_final(const hsml_run *run, const char *name);
const brink_stats *hsml_stats(const hsml_run *run);

/* How many events of a flag (NULL: of all), and the nth of them, from 1; NULL: there are fewer. */
size_t hsml_count(const hsml_run *run, const char *flag);
const hsml_event *hsml_nth(const hsml_run *run, const char *flag, size_t nth);
size_t hsml_misses(const hsml_run *run, const char *flag);

/* The time of the nth event of a flag; NaN: there is none. */
double hsml_time(const hsml_run *run, const char *flag, size_t nth);

#endif
