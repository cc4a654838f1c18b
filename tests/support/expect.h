/* expect.h: models that say themselves what must come out of them.
 *
 * A model's comments tell how to run it and what to expect:
 *
 *     % run: until 10 tolerance 1e-8           also: from T, rtol R, atol A, seed N, top NAME, method M,
 *                                              step H, events E, range warn, zeno continue,
 *                                              set PATH=VALUE
 *     % run: check                             parse, check and flatten it, no more
 *     % expect: final x = 1.25 +- 1e-6         also "text", true, false; no +-: exactly
 *     % expect: event empty 2 negative t = 4.0 +- 1e-5      the second event of flag empty
 *     % expect: events empty = 2               how many (without a name: of all flags together)
 *     % expect: order a+, b-, a+               all events of the run, with their directions
 *     % expect: note speed 1 = 9.81 +- 1e-6    the values of the first note labelled speed
 *     % expect: slide s 1 from 1.0 to 2.5 +- 1e-6
 *     % expect: slides s = 1
 *     % expect: misses touch = 1               near misses
 *     % expect: structure 2 from 5.41 index 2 free 1 of 2 [+- 1e-6]     the second set of constraints that
 *                                              holds; no +-: from within 100 rtol max(1, |T|)
 *     % expect: structures = 3                 how many
 *     % expect: impulse tension 1 = 1.86 +- 1e-6      the first impulse of this unknown
 *     % expect: stops t = 3.0 +- 1e-9 the tank is empty
 *     % expect: fails range t = 3.0 +- 1e-9 h = 10     reason, time (may be left out), part of the
 *                                              message
 *     % expect: error 4:7 part of the message
 *     % expect: warning 4:7 part of the message
 *     % expect: outside h = 10.1               part of a warning of the run (range warn)
 *     % expect: usage part of the message      wrong usage of set and top
 *     % known: why it fails today              failures are counted, not complained about; a model
 *                                              that is known to crash is not run
 *
 * What is not expected must not happen: errors, warnings, a failure, right-hand sides evaluated past
 * a unilateral surface. Every model is run by the interpreter and by machine code,
 * and both must do the same, to the last bit. */
#ifndef BRINK_TESTS_EXPECT_H
#define BRINK_TESTS_EXPECT_H

#include "lang/flatten.h"
#include "native/native.h"

/* ---- expect_run.c: one run ---- */

typedef struct expect_event {
  char *name;
  double t;
  brink_direction direction;
} expect_event;

typedef struct expect_note {
  char *label;
  size_t nvalues;
  double *values;
} expect_note;

typedef struct expect_slide {
  char *name;
  double from, to;
} expect_slide;

typedef struct expect_structure {
  double from;
  int index;
  size_t nfree, nstates;
} expect_structure;

typedef struct expect_impulse {
  char *name;
  double value;
} expect_impulse;

/* What a model asks for. */
typedef struct expect_wishes {
  brink_options options;
  double until;
  double from;
  bool has_until, has_from, check_only, range_warns;
  uint64_t seed;
  const char *top;
  const char *sets[16];
  size_t nsets;
} expect_wishes;

typedef struct expect_result {
  brink_instance *instance;
  brink_sim *sim;
  brink_status status;
  brink_diag diag;
  brink_arena arena; /* holds all below */
  expect_event *events;
  size_t nevents, events_capacity;
  expect_note *notes;
  size_t nnotes, notes_capacity, notes_told;
  expect_slide *slides, *misses; /* misses: from = to */
  size_t nslides, slides_capacity, nmisses, misses_capacity;
  expect_structure *structures; /* the last of every instant */
  size_t nstructures, structures_capacity;
  expect_impulse *impulses;
  size_t nimpulses, impulses_capacity;
  const brink_system *system;
} expect_result;

/* Simulates; look at result->status. Free the result in any case. */
void expect_simulate(brink_system *system, const expect_wishes *wishes, bool interpret,
                     const char *cache, expect_result *result);
void expect_result_free(expect_result *result);

/* The value of a variable at the end; false: there is no such name. */
bool expect_final(expect_result *result, const char *path, double *value, brink_value_type *type);

/* finished, stopped, or why it failed: range, fail, blocked, loop, zeno, …; *message: what it said */
const char *expect_ending(const expect_result *result, const char **message);

/* Did two runs do the same? If not, *what differs. */
bool expect_same(const expect_result *a, const expect_result *b, char *what, size_t size);

/* ---- expect.c: a model and its comments ---- */

/* A text by its path: the model, and what it may import. Others are looked for on the disk. */
typedef struct expect_source {
  const char *path, *text;
  size_t length;
} expect_source;

typedef struct expect_report {
  void (*say)(const char *text, void *user); /* a complaint */
  void (*told)(const char *code, const char *message,
               void *user); /* what the compiler reports; NULL: no matter */
  void *user;
  const char *method; /* another than the model asks for; NULL: none */
  bool interpreted;   /* by the interpreter alone: compiling would take longer than the run */
  double widen;       /* tolerances (+-) are so many times as large; 0: once */
  double worst;       /* the largest difference, in tolerances as they stand */
  size_t complaints;
  size_t expectations; /* that were looked at */
  bool known;          /* the model says that it fails today */
} expect_report;

/* Runs source[0]. `cache`: a directory for compiled models. */
void expect_check(const expect_source *source, size_t count, const char *cache,
                  expect_report *report);

#endif
