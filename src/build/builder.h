/* builder.h: models described by expressions (<brink/build.h>), inside.
 *
 *   builder.c      the builder: variables, guards, mistakes
 *   expressions.c  operators
 *   flat.c         the description becomes a flat system
 *   equations.c    derivatives become equations
 *   flags.c        guards become flags
 *   shapes.c       which expressions differ only in what they read
 *   built.c        the flat system becomes a model, with the user's callbacks
 *
 * A builder is one graph of all expressions and lists of what they are for. It is never handed on:
 * everything that is built is a copy. */
#ifndef BRINK_BUILD_BUILDER_H
#define BRINK_BUILD_BUILDER_H

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

/* ---- builder.c ---- */

/* Remembers a mistake, if it is the first. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void brink_builder_problem(brink_builder *builder, brink_reason reason, const char *format, ...);

/* The handle of a node of the builder's graph; where the graph failed, that is a mistake. */
brink_ex brink_builder_handle(brink_builder *builder, brink_node node);

/* Is this an expression of the builder? If not, that is a mistake: "<whose> is …". */
bool brink_builder_knows(brink_builder *builder, brink_ex ex, const char *whose);

/* ---- shapes.c ---- */

/* Where an expression ends: at nodes that belong to other parts than `self`. */
typedef struct builder_border {
  const uint32_t *owner; /* of each node: its part; NULL: nowhere, it is written out in full */
  uint32_t self;
  const uint32_t *slots; /* of each part that may be read: its variable */
} builder_border;

/* The shape of an expression: its operators and numbers (words), in an order of their own, and apart
 * from them the slots that it reads. Expressions of one shape are one kernel with several iterations. */
typedef struct builder_shape {
  size_t first_word, nwords, first_slot, nslots;
  size_t nnodes;
  size_t operators; /* how large it is; at least 1 */
  uint64_t key;     /* the caller's: what else must be equal */
  uint64_t hash;
} builder_shape;

/* Many shapes, and room to find them. */
typedef struct builder_shapes {
  brink_arena *arena;
  const brink_graph *graph;
  uint32_t *words, *slots;
  size_t nwords, words_capacity, nslots, slots_capacity;
  uint32_t *number, *stamp; /* of each node: its number in the shape that met it last */
  uint32_t nshapes;
  uint32_t *stack;
  size_t stack_capacity;
} builder_shapes;

bool builder_shapes_init(builder_shapes *shapes, brink_arena *arena, const brink_graph *graph);

/* False: out of memory. */
bool builder_shape_find(builder_shapes *shapes, brink_node root, const builder_border *border,
                        uint64_t key, builder_shape *shape);

/* Candidates 0 … count - 1, ordered so that those of one shape follow each other, in their order, and
 * shapes in the order of their first ones: into list. ends[k] is the end of the run that list[k] is in.
 * False: out of memory. */
bool builder_shapes_sort(const builder_shapes *shapes, const builder_shape *shape, size_t count,
                         uint32_t *list, uint32_t *ends);

/* A kernel that computes expressions of one shape, an iteration each: list[0] … list[count - 1] of
 * `shape`. Its output goes to these slots. NULL: out of memory. */
brink_kernel *builder_shape_write(const builder_shapes *shapes, const builder_shape *shape,
                                  const uint32_t *list, size_t count, brink_system *system,
                                  brink_space space, const uint32_t *targets);

/* Is one kernel for all of them better than one for each? */
bool builder_worthwhile(const builder_shape *shape, size_t count);

/* Operators of a model that stays straight code, which runs fastest. Of a large one that would keep the
 * compiler busy for minutes. */
#define BUILDER_SMALL ((size_t)400)

/* ---- equations.c, flags.c ---- */

/* `whole`: long expressions are not cut, so that they can be written out again for a Jacobian. */
bool builder_write_equations(const brink_builder *builder, bool whole, brink_system *system);
bool builder_write_guards(const brink_builder *builder, brink_system *system);

/* ---- flat.c ---- */

/* Fills in a zeroed system, whose arena is initialised: finished, ready for an instance. */
brink_status brink_builder_write(const brink_builder *builder, bool whole, brink_system *system,
                                 brink_diag *diag);

#endif
