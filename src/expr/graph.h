/* graph.h: expressions as graphs, and kernels, the loops that evaluate them.
 *
 * A graph is an array of nodes; a node refers to earlier ones only. Equal nodes are one node
 * (hash-consing), so common subexpressions are shared by construction. All values are doubles:
 * booleans are 0 and 1, modes and strings are numbers.
 *
 * Arrays stay arrays: a kernel is one graph and a number of iterations. What differs between the
 * iterations is only which slots of memory are read and written: a ref gives the slot of iteration i
 * as base + stride*i or, where there is no such pattern, as map[i]. So a thousand pendula are one
 * small graph. */
#ifndef BRINK_EXPR_GRAPH_H
#define BRINK_EXPR_GRAPH_H

#include "base/base.h"
#include "base/place.h"
#include "expr/external.h"

typedef uint32_t brink_node;
#define BRINK_NO_INDEX UINT32_MAX
#define BRINK_NO_NODE UINT32_MAX

/* Operators. id, operands, name (as a C function or operator where there is one) */
#define BRINK_OP_LIST(X)                                                                           \
  X(CONST, 0, "const") /* node.value */                                                            \
  X(TIME, 0, "t")                                                                                  \
  X(REF, 0, "ref") /* graph.refs[node.a] */                                                        \
  X(ADD, 2, "+")                                                                                   \
  X(SUB, 2, "-")                                                                                   \
  X(MUL, 2, "*")                                                                                   \
  X(DIV, 2, "/")                                                                                   \
  X(NEG, 1, "-")                                                                                   \
  X(POW, 2, "pow")                                                                                 \
  X(SQRT, 1, "sqrt")                                                                               \
  X(SIN, 1, "sin")                                                                                 \
  X(COS, 1, "cos")                                                                                 \
  X(TAN, 1, "tan")                                                                                 \
  X(ASIN, 1, "asin")                                                                               \
  X(ACOS, 1, "acos")                                                                               \
  X(ATAN, 1, "atan")                                                                               \
  X(ATAN2, 2, "atan2")                                                                             \
  X(SINH, 1, "sinh")                                                                               \
  X(COSH, 1, "cosh")                                                                               \
  X(TANH, 1, "tanh")                                                                               \
  X(EXP, 1, "exp")                                                                                 \
  X(LOG, 1, "log")                                                                                 \
  X(LOG10, 1, "log10")                                                                             \
  X(HYPOT, 2, "hypot")                                                                             \
  X(ABS, 1, "fabs")  /* plain evaluation: where the language makes an event of it, there is a */   \
  X(SIGN, 1, "sign") /* locked sign instead */                                                     \
  X(MIN, 2, "min")   /* a < b ? a : b; NaN if one of them is */                                    \
  X(MAX, 2, "max")   /* a > b ? a : b */                                                           \
  X(FLOOR, 1, "floor")                                                                             \
  X(LT, 2, "<")                                                                                    \
  X(LE, 2, "<=")                                                                                   \
  X(EQ, 2, "==")                                                                                   \
  X(NE, 2, "!=")                                                                                   \
  X(AND, 2, "&&") /* of 0 and not 0 */                                                             \
  X(OR, 2, "||")                                                                                   \
  X(NOT, 1, "!")                                                                                   \
  X(SELECT, 3, "?:")         /* a != 0 ? b : c; both are evaluated, so neither may trap */         \
  X(RANDOM, 2, "random")     /* in (0, 1): stream a, draw b, of the run's seed */                  \
  X(POISSON, 2, "poisson")   /* the quantile at a of Poisson's distribution with mean b */         \
  X(LOOKUP, 2, "lookup")     /* element a of the array that the REF b names: brink_graph_lookup */ \
  X(FIND, 2, "find")         /* between which elements of that array a lies: brink_graph_find */   \
  X(ARGUMENT, 2, "argument") /* a, in a list that goes on with b (an ARGUMENT, or a constant) */   \
  X(EXTERNAL, 2, "external") /* what the constant b says (external.h), of the arguments a */

typedef enum brink_op {
#define BRINK_OP_ENUM(id, operands, name) BRINK_OP_##id,
  BRINK_OP_LIST(BRINK_OP_ENUM)
#undef BRINK_OP_ENUM
      BRINK_OP_COUNT
} brink_op;

int brink_op_operands(brink_op op);
const char *brink_op_name(brink_op op);
/* Does its value move in steps only, so that its derivative is 0 where there is one? */
bool brink_op_is_step(brink_op op);

/* Is its value made of those of its operands alone, by brink_op_apply? */
bool brink_op_is_plain(brink_op op);
/* Is operand b the name of an array, no value? */
static inline bool brink_op_reads_array(unsigned op) {
  return op == BRINK_OP_LOOKUP || op == BRINK_OP_FIND;
}

/* Where values live. */
typedef enum brink_space {
  BRINK_SPACE_X,     /* states */
  BRINK_SPACE_P,     /* parameters and held numbers */
  BRINK_SPACE_MODE,  /* modes, strings, booleans (int) */
  BRINK_SPACE_SIGN,  /* locked signs of guards (signed char) */
  BRINK_SPACE_V,     /* variables and outputs, computed by equations (scratch) */
  BRINK_SPACE_DX,    /* derivatives of the states */
  BRINK_SPACE_K,     /* constants of the flat model: loop counters and the like */
  BRINK_SPACE_PRE_X, /* before the first event of the instant */
  BRINK_SPACE_PRE_P,
  BRINK_SPACE_PRE_MODE,
  BRINK_SPACE_OUT,   /* results of a kernel by position: guard values, gradients, conditions */
  BRINK_SPACE_LOCAL, /* what the kernels of one action hand on to each other (scratch) */
  BRINK_SPACE_COUNT
} brink_space;

/* The slot of iteration i: map[i], or base + stride*i where map is NULL. */
typedef struct brink_ref {
  brink_space space;
  uint32_t base;
  int32_t stride;
  const uint32_t *map; /* one entry for each iteration; lives as long as the graph */
  /* An array that a LOOKUP chooses from: so many elements, so many slots apart, of which the slot
   * above is the first. 0: one element. */
  uint32_t extent, step;
} brink_ref;

static inline size_t brink_ref_slot(const brink_ref *ref, size_t iteration) {
  if (ref->map != NULL) return ref->map[iteration];
  return (size_t)((int64_t)ref->base + (int64_t)ref->stride * (int64_t)iteration);
}

/* How many slots a ref stands for in one iteration, and the k-th of them. Whoever asks what is read has to ask for
 * all. */
static inline size_t brink_ref_extent(const brink_ref *ref) {
  return ref->extent > 1 ? ref->extent : 1;
}

static inline size_t brink_ref_element(const brink_ref *ref, size_t iteration, size_t k) {
  return brink_ref_slot(ref, iteration) + k * ref->step;
}

/* Which of n elements, from 0, an index from 1 means: the nearest one, where there is none. */
static inline size_t brink_lookup_place(double index, size_t n) {
  if (!(index >= 2.0)) return 0;
  return index >= (double)n ? n - 1 : (size_t)index - 1;
}

/* Base and stride instead of a map where that is possible; every ref of a graph is in this form. */
brink_ref brink_ref_simplest(brink_ref ref, size_t iterations);

/* The ref with these slots; a map that it needs is copied into the arena. False: out of memory. */
bool brink_ref_from_slots(brink_arena *arena, brink_space space, const uint32_t *slots,
                          size_t iterations, brink_ref *ref);

typedef struct brink_expr_node {
  uint8_t op;         /* brink_op */
  brink_node a, b, c; /* operands; a of a REF: index into refs */
  double value;       /* CONST */
} brink_expr_node;

typedef struct brink_graph {
  brink_arena *arena;
  size_t iterations; /* of the kernel it belongs to: length of every map */
  brink_expr_node *nodes;
  size_t nnodes, nodes_capacity;
  brink_ref *refs;
  size_t nrefs, refs_capacity;
  uint32_t *buckets; /* hash table of nodes */
  size_t nbuckets;
  bool failed; /* out of memory, or more than BRINK_GRAPH_LIMIT nodes */
} brink_graph;

#define BRINK_GRAPH_LIMIT ((size_t)1 << 20)

void brink_graph_init(brink_graph *graph, brink_arena *arena, size_t iterations);

/* Builders. Operands that are BRINK_NO_NODE give BRINK_NO_NODE, so failures may be looked at once,
 * in graph->failed.
 *
 * They fold constants (with the same libm calls that run later) and simplify, but never so that a
 * value changes by more than rounding would, or that an infinity or NaN appears or vanishes where
 * operands are finite. All of it is exact to the sign of a zero (1/x and atan2 make much of that):
 * x*1, x/1, x*-1 = -x, x-0, x + -0, x+0 where x cannot be -0 (an integer, a square, exp, …), -0-x,
 * --x, `and` and `or` with a constant, not not, select with a constant or equal branches,
 * comparisons of constants; boolean*0. Only powers are rounded differently: x^0 = 1, x^1, x^2 = x*x,
 * x^3, x^4, x^-1 = 1/x, x^0.5 = sqrt(x). Commutative operands are put in order. No reassociation. A
 * map that is a pattern becomes base and stride. */
brink_node brink_graph_constant(brink_graph *graph, double value);
brink_node brink_graph_time(brink_graph *graph);
brink_node brink_graph_ref(brink_graph *graph, brink_ref ref); /* equal refs are one */
brink_node brink_graph_op1(brink_graph *graph, brink_op op, brink_node a);
brink_node brink_graph_op2(brink_graph *graph, brink_op op, brink_node a, brink_node b);
brink_node brink_graph_select(brink_graph *graph, brink_node condition, brink_node yes,
                              brink_node no);
/* Element `index` (from 1) of an array in memory, in constant time: the array's first element is the slot of `array`,
 * its `extent` elements are `step` slots apart. An index outside reads the nearest element: that it is within has to be
 * seen to elsewhere. A step function of the index: its derivative is that of the element alone, and graphs that are
 * differentiated read arrays of P, K and MODE only (what is V or DX is not looked up at all: schedule.c). */
brink_node brink_graph_lookup(brink_graph *graph, brink_node index, brink_ref array);
/* Between which elements of an array of increasing numbers a value lies: the largest k from 1 to extent - 1 whose
 * element is not above it; 1 if there is none. Logarithmic time; a step function. */
brink_node brink_graph_find(brink_graph *graph, brink_node value, brink_ref array);
/* The array of a LOOKUP or FIND node. */
static inline const brink_ref *brink_graph_array(const brink_graph *graph,
                                                 const brink_expr_node *lookup) {
  return &graph->refs[graph->nodes[lookup->b].a];
}
/* An external function of the system, by its number, with these arguments. */
brink_node brink_graph_external(brink_graph *graph, size_t function, const brink_node *arguments,
                                size_t count);
/* The arguments of an EXTERNAL node; how many, and, if `code` is not NULL, what is called. The list is for whoever
 * follows operands; who evaluates goes by this. */
size_t brink_graph_arguments(const brink_graph *graph, const brink_expr_node *node,
                             brink_node arguments[BRINK_EXTERNAL_ARGUMENTS], size_t *code);
/* The first external function that is called, by its number; BRINK_NO_INDEX: none is. */
uint32_t brink_graph_external_called(const brink_graph *graph);
static inline bool brink_graph_calls_external(const brink_graph *graph) {
  return brink_graph_external_called(graph) != BRINK_NO_INDEX;
}
/* Any operator but CONST and REF; operands that it does not have are not looked at. */
brink_node brink_graph_op(brink_graph *graph, brink_op op, brink_node a, brink_node b,
                          brink_node c);

static inline bool brink_graph_is_constant(const brink_graph *graph, brink_node node,
                                           double *value) {
  if (node == BRINK_NO_NODE || graph->nodes[node].op != BRINK_OP_CONST) return false;
  if (value != NULL) *value = graph->nodes[node].value;
  return true;
}

/* Copies what `node` of `from` needs into `to`. `substitute` (may be NULL) is asked at every REF of
 * `from` for the node of `to` that stands for it; BRINK_NO_NODE from it means: failed. Time is linear
 * in the number of nodes up to `node`: copy many nodes at once with brink_graph_copy_all. */
typedef brink_node brink_substitute_fn(brink_graph *to, const brink_graph *from, uint32_t ref,
                                       void *user);
brink_node brink_graph_copy(brink_graph *to, const brink_graph *from, brink_node node,
                            brink_substitute_fn *substitute, void *user);
bool brink_graph_copy_all(brink_graph *to, const brink_graph *from, const brink_node *nodes,
                          size_t count, brink_node *copies, brink_substitute_fn *substitute,
                          void *user);

/* marks[i] = true for every node that these consist of (marks: nnodes of them, false before). False:
 * one of them is BRINK_NO_NODE. */
bool brink_graph_mark(const brink_graph *graph, const brink_node *nodes, size_t count, bool *marks);

/* d(node)/d(refs[ref]) with everything else constant; ref BRINK_NONE: with respect to TIME. Forward,
 * so that a branch that is not taken, where it may be NaN, stays out. Locked signs, modes, FLOOR, SIGN
 * and relations have derivative 0. The result is in the same graph; constant 0 where there is no
 * dependence. */
brink_node brink_graph_derivative(brink_graph *graph, brink_node node, size_t ref);
/* The same of many nodes at once, in one pass; false: out of memory, or too many nodes. */
bool brink_graph_derivatives(brink_graph *graph, const brink_node *nodes, size_t count, size_t ref,
                             brink_node *derivatives);

/* The derivative of the last of these nodes, in ascending order, by node part[at] (a REF or TIME); they are all that
 * it depends on smoothly (below). d: one for each node of the graph, all BRINK_NO_NODE before and after. BRINK_NO_NODE:
 * exactly 0, or failed. For many sparse derivatives of a large graph: time is linear in count. */
brink_node brink_graph_partial(brink_graph *graph, const brink_node *part, size_t count, size_t at,
                               brink_node *d);

/* Total derivatives with respect to time, d/dt along a motion: the derivative of TIME is 1, that of a ref is what
 * `tangent` says (a node of the graph; BRINK_NO_NODE: 0), and it may add to the graph. The derivative of a node is made
 * once, however many nodes consist of it and however often they are asked for: `of` remembers. */
typedef brink_node brink_tangent_fn(brink_graph *graph, uint32_t ref, void *user);
typedef struct brink_total {
  brink_graph *graph;
  brink_arena *scratch;
  brink_tangent_fn *tangent;
  void *user;
  brink_node *of; /* of each node; begins as NULL, as the rest */
  size_t count, capacity;
  brink_node *stack;
  size_t depth, stack_capacity;
} brink_total;
/* Constant 0 where nothing moves; BRINK_NO_NODE: out of memory, or too many nodes. */
brink_node brink_graph_total(brink_total *total, brink_node node);

/* Of which operands can the value of a node depend smoothly? Not those of relations, floor and sign, not a condition,
 * not a factor of 0. Returns how many there are, at most 3. */
int brink_graph_smooth_operands(const brink_graph *graph, brink_node node, brink_node operands[3]);

/* The degree of node as a polynomial in TIME and the refs to space X: 0, 1, 2, …; -1: not one (or
 * above 16). Modes, signs and parameters count as constants; V and DX are not known. False: out of memory. A
 * degree that is not known would do, but not give the same digits. */
bool brink_graph_degree(const brink_graph *graph, brink_node node, int *degree);

/* Does node depend on TIME? marks[ref] = true for every ref that node reads. False: out of memory. */
bool brink_graph_reads_time(const brink_graph *graph, brink_node node, bool *reads);
bool brink_graph_mark_refs(const brink_graph *graph, brink_node node, bool *marks);

/* The value of an operator; what the interpreter, the folding and the tests share. NaN for leaves, for
 * RANDOM, which needs the seed, and for LOOKUP, which needs memory. */
double brink_op_apply(brink_op op, double a, double b, double c);

/* The seed's stream: counter-based (Philox 4x32-10), uniform in (0, 1). */
double brink_random(uint64_t seed, double stream, double draw);
/* The least whole number n at which Poisson's distribution with this mean has reached u, in (0, 1). NaN where the mean
 * is negative, above BRINK_POISSON_LIMIT or not a number. */
double brink_poisson(double u, double mean);
#define BRINK_POISSON_LIMIT 1e9
void brink_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* ---- kernels ---- */

typedef struct brink_output {
  brink_ref target;
  brink_node node;
  brink_node when; /* written only if this is not 0; BRINK_NO_NODE: always */
  uint32_t
      variable; /* index into brink_system.variables, for names and ranges; BRINK_NO_NODE: none */
} brink_output;

/* For each iteration in order: evaluate, then write all outputs. Later iterations see what earlier
 * ones wrote (only kernels marked `sequential` may rely on it). With `accumulate` the outputs are
 * added to their targets, which are set to 0 before the first iteration. */
typedef struct brink_kernel {
  const char *name;  /* for comments: "plant.h'" */
  const char *where; /* "tank.hsml:23" */
  brink_place place; /* the same; line 0: it has none */
  size_t count;      /* iterations */
  bool accumulate, sequential;
  bool reads_v;  /* all equations have to be evaluated before it (see brink_system_finish) */
  bool reversed; /* time runs backwards in it (brink_system_reverse) */
  brink_graph graph;
  brink_output *outputs;
  size_t noutputs, outputs_capacity;
} brink_kernel;

/* A list of kernels that run one after another. */
typedef struct brink_program {
  brink_kernel **kernels;
  size_t nkernels;
} brink_program;

/* Does it call external functions? Then there are no series of what it computes. The first one, by its number. */
uint32_t brink_program_external_called(const brink_program *program);
static inline bool brink_program_calls_external(const brink_program *program) {
  return brink_program_external_called(program) != BRINK_NO_INDEX;
}

#endif
