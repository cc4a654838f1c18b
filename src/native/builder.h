/* builder.h: models described by expressions (<brink/build.h>), inside.
 *
 *   build.c          the builder: variables, guards, mistakes
 *   build_ex.c       operators
 *   build_system.c   the description becomes a flat system
 *   build_model.c    the flat system becomes a model, with the user's callbacks
 *
 * A builder is one graph of all expressions and lists of what they are for. It is never handed on:
 * everything that is built is a copy. */
#ifndef BRINK_NATIVE_BUILDER_H
#define BRINK_NATIVE_BUILDER_H

#include <brink/build.h>

#include "expr/system.h"

typedef struct builder_variable {
  const char *name;
  double start;
  brink_node derivative; /* of a state; BRINK_NO_NODE: none yet */
} builder_variable;

typedef struct builder_list {
  builder_variable *items; /* by slot */
  size_t count, capacity;
} builder_list;

typedef struct builder_guard {
  brink_guard_def def; /* name and formula are copies */
  brink_node value;    /* BRINK_NO_NODE: a formula */
} builder_guard;

struct brink_builder {
  brink_arena arena; /* holds the builder itself */
  const char *name;
  brink_graph graph;
  builder_list states, parameters, modes;
  builder_guard *guards;
  size_t nguards, guards_capacity;
  brink_model_def rest; /* callbacks; clocks are copies */
  brink_diag problem;   /* the first mistake; status BRINK_OK: none */
};

/* ---- build.c ---- */

/* Remembers a mistake, if it is the first. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void brink_builder_problem(brink_builder *builder, brink_status status, const char *format, ...);

/* The handle of a node of the builder's graph; where the graph failed, that is a mistake. */
brink_ex brink_builder_handle(brink_builder *builder, brink_node node);

/* Is this an expression of the builder? If not, that is a mistake: "<whose> is …". */
bool brink_builder_knows(brink_builder *builder, brink_ex ex, const char *whose);

/* ---- build_system.c ---- */

/* Fills in a zeroed system, whose arena is initialised: finished, ready for an instance. */
brink_status brink_builder_write(const brink_builder *builder, brink_system *system,
                                 brink_diag *diag);

#endif
