/* emit.h: what the parts of the emitter share. Nothing else includes this.
 *
 *   emit.c         the file: what is emitted, in which order; declarations; the entry
 *   emit_kernel.c  a kernel as one function, or as several where it is long
 *   emit_plan.c    which nodes become locals, and in which of the functions
 *   emit_expr.c    expressions
 *   emit_names.c   names that mean something to the model's author
 *   emit_series.c  series: instructions; emit_flow.c: of guards, of the solution; emit_lanes.c: of several runs;
 *                 emit_blocks.c: of large models, iterations side by side
 *
 * Nothing that is written depends on addresses or on the order of a hash table. */
#ifndef BRINK_NATIVE_EMIT_H
#define BRINK_NATIVE_EMIT_H

#include "native/native.h"

/* Changes when the contract between generated code and the program does. */
#define BRINK_ABI 4u

/* The one symbol that an object exports. */
#define BRINK_ENTRY "brink_entry"
typedef struct brink_entry {
  uint32_t abi;
  uint32_t frame_size, tables_size; /* what the generated declarations came to */
  uint32_t nkernels, njets;
  brink_native_program_fn *rhs, *all, *jacobian;
  brink_native_flow_fn *flow;
  uint32_t lanes, lanes_order;
  brink_native_lanes_fn *lanes_flow;
  brink_native_kernel_fn *const *kernels;
  brink_native_jet_fn *const *jets;
} brink_entry;

/* A place among the variables, to find the name of a slot. */
typedef struct emit_place {
  uint32_t space, base, length, variable;
} emit_place;

typedef struct emitter {
  const brink_system *system;
  const brink_emit_options *options;
  brink_emission *out;
  brink_arena work; /* freed at the end */
  brink_text body;  /* functions; declarations, which depend on them, go before */
  brink_text part;  /* the body of the function at hand */
  uint64_t ops;     /* operators used so far: bit op */
  bool modes;       /* whole() is needed */
  bool twins;       /* sincos is */
  bool series;      /* the rules of series are, … */
  bool called;      /* … not inlined */
  int lanes;        /* of the solution's series; 0: none were written */
  size_t products;  /* of series that are written out, so far */
  size_t unrolled;  /* products that are written out in loops, so far */
  bool failed;

  size_t maps_capacity, numbers_capacity, kernels_capacity, jets_capacity;

  /* names: the variables of each space, by base */
  emit_place *places;
  size_t nplaces;
  uint32_t *guard_flag, *guard_instance; /* of each guard; NULL where there is none */
} emitter;

/* How a node appears. */
typedef enum emit_kind {
  EMIT_UNUSED,
  EMIT_INLINE, /* inside its only user; constants and time inside all of them */
  EMIT_LOCAL,  /* a statement */
  EMIT_REF,    /* a local that is loaded where it is first needed */
} emit_kind;

#define EMIT_NONE UINT32_MAX

/* A kernel, on the way to being a function. Arrays by node. */
typedef struct emit_plan {
  const brink_kernel *kernel;
  uint32_t number; /* k<number> */
  const brink_expr_node *nodes;
  size_t nnodes;
  uint8_t *kind; /* emit_kind */
  uint32_t *uses;
  uint8_t *invariant; /* computed before the loop */
  uint32_t *part;     /* the function that computes it, where there are several */
  uint32_t *cross;    /* its place in the scratch, where another function needs it */
  uint32_t *declared; /* the function that has it as a local at the moment */
  uint32_t *twin;     /* the cosine of a sine, and the other way round; EMIT_NONE: alone */
  const char **name;  /* with comments */
  uint32_t *writes;   /* outputs, by the node after which they can be written */
  size_t nparts, ncross, nstatements;
  bool loop;      /* more than one iteration */
  bool early;     /* outputs may be written as soon as they are known */
  bool restrict_; /* arrays do not overlap */
  /* of the function at hand */
  uint32_t function; /* counts up; declared[] is compared with it */
  uint32_t spaces;   /* that it reads or writes: bits; EMIT_TO_X and the like too */
  bool time;
} emit_plan;

enum { EMIT_TO_X = BRINK_SPACE_COUNT, EMIT_TO_P, EMIT_TO_MODE, EMIT_ARRAYS };

/* emit_plan.c */
bool emit_plan_make(emitter *e, const brink_kernel *kernel, uint32_t number, emit_plan *plan);
int emit_operands(const brink_expr_node *node, brink_node out[3]);

/* emit_expr.c */
void emit_value(emitter *e, emit_plan *plan, brink_node node);
/* p[12: the first element of an array, without the bracket that closes. */
void emit_open_element(emitter *e, emit_plan *plan, const brink_ref *ref);
void emit_local_name(emitter *e, const emit_plan *plan, brink_node node);
void emit_truth(emitter *e, emit_plan *plan, brink_node node);
void emit_constant(brink_text *text, double value);
const char *emit_function_name(uint8_t op);
const char *emit_relation(uint8_t op); /* " < "; NULL: it is none */

/* emit_kernel.c */
void emit_kernel(emitter *e, const brink_kernel *kernel, uint32_t number);
/* The place of a ref in the tables; it is entered there. */
uint32_t emit_map(emitter *e, const uint32_t *map);
uint32_t emit_number(emitter *e, size_t number);

/* emit_names.c */
bool emit_names_make(emitter *e);
void emit_names_of_kernel(emitter *e, emit_plan *plan);
/* "car[3].x", "pre(h)", "sgn(empty)"; in a kernel of several iterations without indices. */
void emit_slot_name(emitter *e, const brink_ref *ref, size_t count, brink_text *text);
/* A comment: the end of one is not printed. */
void emit_comment_text(brink_text *text, const char *comment);

/* emit_series.c */

/* Series in memory have at most this order. */
#define BRINK_SERIES_ORDER 64

void emit_series_rules(const emitter *e, brink_text *to);
void emit_guard_series(emitter *e, const brink_kernel *kernel, uint32_t number);
void emit_flow(emitter *e);

#endif
