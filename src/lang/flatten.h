/* flatten.h: from checked components to the flat system. */
#ifndef BRINK_LANG_FLATTEN_H
#define BRINK_LANG_FLATTEN_H

#include "expr/project.h"
#include "lang/ast.h"

/* Pairs that one system may have; templates need no list of them. */
#define BRINK_PAIR_LIMIT ((size_t)1 << 22)

/* What becomes of the agents of a system that consists of populations and nothing else. Templates: the system has all
 * agents and their values, and system->templates the equations of one agent of each population and of one pair of each
 * pair block. Of other systems the equations of all instances are always made. */
typedef enum brink_flatten_agents {
  BRINK_AGENTS_WHOLE,       /* the equations of all agents and of all pairs */
  BRINK_AGENTS_TEMPLATES,   /* templates */
  BRINK_AGENTS_IF_TOO_MANY, /* templates where there are more than BRINK_PAIR_LIMIT pairs */
} brink_flatten_agents;

/* An input of the top component that a function of the caller gives; its corners are copied. */
typedef struct brink_input_function {
  const char *name; /* "u", "v[2]" */
  brink_time_function function;
} brink_input_function;

typedef struct brink_flatten_options {
  const char *top;         /* the component that runs; NULL: the file's system, else its last */
  const char *const *sets; /* "path=value", in order; a later one wins */
  size_t nsets;
  const char *const
      *driven; /* inputs of the top component whose values a table gives: "u", "v[2]" */
  size_t ndriven;
  /* What holds for each of `driven` at the start, "u=2.5"; what it returns lives as long as `driven_user`. NULL: no memory. */
  const char *const *(*driven_sets)(double t, void *driven_user);
  void *driven_user;
  bool drive_holds; /* between rows they stay; else signals are linear */
  const brink_input_function
      *functions; /* inputs of the top component that are functions of time */
  size_t nfunctions;
  brink_flatten_agents agents;
  bool library;    /* it will not run: the inputs of a top that is no system need no value */
  uint64_t seed;   /* of the random draws in initial values and parameters */
  bool seed_given; /* … even if the model has one in its simulation section */
  double from;     /* time at the start */
  bool from_given; /* … even if the model has one in its simulation section */
  double until;    /* time at the end, if it is known: before the start, time runs backwards */
  bool until_given;
  bool allow_external;              /* libraries of external functions may be loaded */
  const char *const *library_paths; /* where they are looked for, after the model's directory */
  size_t nlibrary_paths;
  size_t budget; /* of evaluation steps, so that no text keeps it busy for ever; 0: 200 million */
} brink_flatten_options;

/* Instantiates the top component of a checked unit: instances, sizes, parameters, connections,
 * equations, flags, actions. What is wrong goes to the unit's report: errors of the text count in unit->nerrors; an
 * error of these options (an unknown top, a setting that does not fit) counts in unit->nsettings, has an origin of its
 * own (report.h), and is forgotten by the next call. NULL if there was an error of either kind, or no memory. Where the
 * checker found errors already, what is wrong with instances, values and connections is reported, too. Destroy the
 * result with brink_system_destroy. */
brink_system *brink_flatten(brink_unit *unit, const brink_flatten_options *options,
                            const brink_allocator *allocator);

void brink_system_destroy(brink_system *system); /* NULL is fine */

#endif
