/* hsml.h: a model and what was built of it, inside. The public side is <brink/hsml.h>.
 *
 *   hsml.c       load, values by name, build
 *   messages.c   diagnostics as callers see them
 *   inputs.c     values of inputs over time
 *   items.c      lists of what there is
 *   names.c      values found by their names
 *   options.c    options by their words; the simulation section */
#ifndef BRINK_RUN_HSML_H
#define BRINK_RUN_HSML_H

#include <stdatomic.h>

#include "lang/knobs.h"
#include "run/inputs.h"
#include "run/templates.h"
#include <brink/hsml.h>

/* What was built of a model with some values: shared by the model and the runs made of it. */
typedef struct brink_built {
  atomic_size_t users;
  brink_hsml *model;          /* holds the texts */
  brink_system *system;       /* all of it; with `tables`, the values of all agents only */
  brink_agent_tables *tables; /* agents have clocks of their own; NULL: everything is one system */
  const char
      *one_system; /* why agents cannot have clocks of their own; NULL: not tried, or they can */
  brink_inputs *inputs; /* NULL: none */
} brink_built;

/* For whom a model is built. */
typedef enum brink_build_purpose {
  BRINK_BUILD_RUN,   /* agents have clocks of their own, if the settings let them */
  BRINK_BUILD_WHOLE, /* everything is one system */
  BRINK_BUILD_CHECK, /* the same, unless it would be too large */
} brink_build_purpose;

/* Settings of the caller that are known before the model's own; they win. */
typedef struct brink_build_hints {
  brink_build_purpose purpose;
  const char *clocks, *zeno, *method, *events; /* NULL: as the model says */
  bool has_seed;
  uint64_t seed;
} brink_build_hints;

struct brink_hsml {
  atomic_size_t users; /* the caller, and everything that was built */
  brink_arena arena;
  brink_hsml_reader reader; /* of the caller */
  const char *text;         /* of the model, if it is in memory */
  size_t length;
  const char *path;
  brink_unit *unit;
  brink_report_mark checked; /* by the checker: what building reports comes and goes */
  const char *top;           /* NULL: the usual one */
  bool part;

  const char **sets; /* "path=value" */
  size_t nsets, sets_capacity;
  brink_inputs *inputs; /* NULL: none */
  brink_build_hints hints;

  brink_built *built; /* NULL: not yet, or something was changed */

  brink_hsml_message *messages; /* made when they are asked for */
  size_t nmessages;
  brink_hsml_message *extra; /* about inputs */
  size_t nextra, extra_capacity;
  brink_hsml_item *items[BRINK_HSML_COMPONENT + 1]; /* of `listed` */
  size_t nitems[BRINK_HSML_COMPONENT + 1];
  brink_built *listed;
};

/* Builds it with these hints, or returns what was built with them before; a use more of it. */
brink_status brink_hsml_build_for(brink_hsml *model, const brink_build_hints *hints,
                                  brink_diag *diag, brink_built **built);
void brink_built_release(brink_built *built); /* NULL is fine */

/* How the agents of the model are flattened for these hints. */
brink_flatten_agents brink_hsml_agents(const brink_hsml *model, const brink_build_hints *hints);

/* The component that runs; NULL: there is none of that name. */
const brink_component *brink_hsml_top(const brink_hsml *model);

/* The knobs of what was built, `most` at most. OK or MEMORY; free them in any case. */
brink_status brink_built_knobs(const brink_built *built, size_t most, brink_knobs *knobs);

/* messages.c: something is wrong with a file of inputs. */
void brink_hsml_complain(brink_hsml *model, const char *code, const char *file, size_t line,
                         const char *text);
void brink_hsml_forget_messages(brink_hsml *model);

/* names.c: the variable of a full name, "car[3].x"; false: there is none. */
bool brink_system_find(const brink_system *system, const char *name, uint32_t *variable,
                       size_t *element);
/* The nearest name that there is, for a message; it lives in `room`. NULL: none is near. */
const char *brink_system_nearest(const brink_system *system, const char *name, brink_text *room);
/* A value that is held in these arrays; NaN: equations compute it. */
double brink_variable_held(const brink_variable *variable, size_t element, const double *x,
                           const double *p, const int *mode);
/* Is the value within the declared range, and one of those that are listed? */
bool brink_variable_allows(const brink_variable *variable, size_t element, double value);
/* The number of a text; false: the model does not know it. */
bool brink_system_string(const brink_system *system, const char *text, double *number);

/* options.c */

/* Settings of the model that a caller does not want to hear of, because it has its own. */
typedef struct brink_option_filter {
  bool (*skips)(const char *name, void *user);
  void *user;
} brink_option_filter;

/* The values of a simulation section that has been evaluated. `filter` may be NULL. OK or MODEL. */
brink_status brink_run_options_of(const brink_system *system, const brink_option_filter *filter,
                                  brink_run_options *options, brink_diag *diag);
/* Is the option of this name to be applied before the others? */
bool brink_run_option_first(const char *name);
/* What each option allows by itself, but not together: ARGUMENT. */
brink_status brink_run_options_check(const brink_run_options *options, brink_diag *diag);

#endif
