/* hsml.h: a model and what was built of it, inside. The public side is <brink/hsml.h>.
 *
 *   hsml.c       load, values by name, build
 *   messages.c   diagnostics as callers see them
 *   inputs.c     values of inputs over time; functions.c: functions of the caller
 *   items.c      lists of what there is
 *   code.c       instances of what was built, and their code
 *   names.c      values found by their names
 *   options.c    options by their words; the simulation section
 *   endless.c    can a run without an end time end? */
#ifndef BRINK_RUN_HSML_H
#define BRINK_RUN_HSML_H

#include <pthread.h>
#include <stdatomic.h>

#include "lang/knobs.h"
#include "run/functions.h"
#include "run/inputs.h"
#include "run/templates.h"
#include <brink/hsml.h>

typedef struct brink_kept_code brink_kept_code;

/* What was built of a model with some values: shared by the model and the runs made of it. */
typedef struct brink_built {
  atomic_size_t users;
  brink_arena arena;          /* the values of its options, lists of what there is */
  brink_hsml *model;          /* holds the texts */
  brink_system *system;       /* all of it; with `tables`, the values of all agents only */
  brink_agent_tables *tables; /* agents have clocks of their own; NULL: everything is one system */
  const char
      *one_system; /* why agents cannot have clocks of their own; NULL: not tried, or they can */
  brink_inputs *inputs;          /* NULL: none */
  brink_flatten_options options; /* how the system was made, to make others like it; … */
  brink_inputs *driven_by;   /* … with these inputs, whatever becomes of the model; NULL: none */
  brink_functions *followed; /* … and these; NULL: none */
  brink_kept_code *codes;    /* of each system that runs, from the last run; NULL: none */
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
  double from, until; /* time at the start and at the end; NaN: as the model says */
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
  pthread_mutex_t flattening; /* writes into the unit: runs do that, too, in threads of their own */
  brink_report_mark checked;  /* by the checker: what building reports comes and goes */
  const char *top;            /* NULL: the usual one */
  bool part;
  const char **import_path; /* directories */
  size_t nimport_path;
  bool allow_external;
  const char **library_paths;
  size_t nlibrary_paths;

  char **sets;          /* "path=value", each of its own */
  uint64_t *set_hashes; /* of the path of each */
  size_t nsets, sets_capacity, hashes_capacity;
  brink_inputs *inputs;       /* NULL: none */
  brink_functions *functions; /* NULL: none */
  brink_build_hints hints;    /* for whoever has none of its own: all but runs */
  uint32_t change_at;         /* for tests: see brink_instance_options */
  int lanes; /* code for so many runs side by side, too (run/lanes.h): 4 or 8; else 0 */

  brink_built *built;          /* NULL: not yet, or something was changed */
  brink_build_hints made_for;  /* … with these */
  brink_object_store *objects; /* machine code of the last runs; NULL: none yet */

  brink_arena said;             /* what follows, until the next build */
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

/* The seed of its random draws, in model->hints. */
void brink_hsml_reseed(brink_hsml *model, uint64_t seed);

/* code.c: an instance of one of its systems: the one and only, or of population k, or of pair npopulations + k. If the
 * last one had the same wishes, it shares its code. From the thread that the model belongs to. Statuses of
 * brink_instance_create. */
brink_status brink_built_instance(brink_built *built, size_t which, brink_system *system,
                                  const brink_instance_options *wishes, brink_writable writable,
                                  brink_diag *diag, brink_instance **instance);
void brink_built_forget_code(brink_built *built);

/* How the agents of the model are flattened for these hints. */
brink_flatten_agents brink_hsml_agents(const brink_hsml *model, const brink_build_hints *hints);

/* The component that runs; NULL: there is none of that name. */
const brink_component *brink_hsml_top(const brink_hsml *model);

/* The knobs of what was built, `most` at most. OK or MEMORY; free them in any case. From any thread. */
brink_status brink_built_knobs(const brink_built *built, size_t most, brink_knobs *knobs);
/* One element of a parameter, or of an input with a value of its own, as if it were a knob. */
brink_status brink_built_knob(const brink_built *built, uint32_t variable, size_t element,
                              brink_knobs *knobs);

/* messages.c: something is wrong with a file of inputs. */
void brink_hsml_complain(brink_hsml *model, const char *code, const char *file, size_t line,
                         size_t column, const char *text);
/* A message about a place in any file; column 0: none. False: out of memory. */
bool brink_hsml_message_make(brink_arena *arena, brink_severity severity, const char *code,
                             const char *file, size_t line, size_t column, const char *text,
                             brink_hsml_message *message);
void brink_hsml_forget_messages(brink_hsml *model);

/* names.c: the variable of a full name, "car[3].x"; false: there is none. */
bool brink_system_find(const brink_system *system, const char *name, uint32_t *variable,
                       size_t *element);
/* The same of a connected input: the variable that it is connected to. To read, not to write. */
bool brink_system_find_input(const brink_system *system, const char *name, uint32_t *variable,
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

/* endless.c: can the model end a run by itself: has it stop(…) or fail(…), or a range that may be left? */
bool brink_built_can_end(const brink_built *built, bool range_warns);
#define BRINK_NEVER_ENDS                                                                           \
  "the run would never end: the model has no stop(...), no fail(...) and no range that it could "  \
  "leave; give an end time"

#endif
